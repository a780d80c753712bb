// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Earliest eligible virtual deadline first, as in Linux 6.12.
 *
 *   V         average vruntime of all queued tasks, weighted
 *   lag       V - vruntime: the service a task is owed; kept while it sleeps, within limits
 *   eligible  vruntime <= V
 *   pick      the eligible task with the earliest virtual deadline; the running one is kept
 *             until it reaches the deadline it was picked with (RUN_TO_PARITY)
 *
 * DELAY_DEQUEUE: a task that blocks while not eligible stays in the tree, without being
 * runnable, until a pick finds it (eligible again) or it is woken.
 * All slices are equal, so that PREEMPT_SHORT never applies.
 */
#include "sim/machine/sched_rq.h"

static struct sim_task *fair_curr(const struct sim_rq *rq)
{
	return rq->curr && sim_class_of(rq->curr) == SIM_SC_FAIR ? rq->curr : NULL;
}

/* Rounds down, also below zero. */
static int64_t average(const struct sim_rq *rq)
{
	__int128 sum = rq->fair.sum, load = (__int128)rq->fair.load;

	if (!rq->fair.load)
		return 0;
	if (sum < 0)
		sum -= load - 1;
	return (int64_t)(sum / load);
}

/* vruntime <= V, without the rounding of a division. */
static inline bool eligible_at(const struct sim_rq *rq, int64_t vruntime)
{
	return rq->fair.sum >= (__int128)vruntime * (__int128)rq->fair.load;
}

bool sim_eevdf_eligible(const struct sim_rq *rq, const struct sim_task *task)
{
	return eligible_at(rq, task->vruntime);
}

void sim_eevdf_lag(struct sim_rq *rq, struct sim_task *task)
{
	sim_time most = 2 * sim_sched.base_slice;
	int64_t limit, lag;

	rq->fair.min_vruntime = average(rq); /* V, for when nobody is left to average over */
	lag = rq->fair.min_vruntime - task->vruntime;
	if (most < sim->tick_ps)
		most = sim->tick_ps;
	limit = sim_virtual(most, task->weight);
	task->lag = lag > limit ? limit : lag < -limit ? -limit : lag;
}

/* At V minus the lag it left with, inflated because its own weight moves V. */
void sim_eevdf_place(struct sim_rq *rq, struct sim_task *task, bool wake)
{
	__int128 load = (__int128)rq->fair.load;
	int64_t v = rq->fair.min_vruntime, lag = 0, left = task->vdeadline;

	if (load) {
		v = average(rq);
		lag = (int64_t)(task->lag * (load + task->weight) / load);
	}
	task->vruntime = v - lag;
	if (wake || left <= 0)
		left = sim_virtual(sim_sched.base_slice, task->weight);
	task->vdeadline = task->vruntime + left;
}

void sim_eevdf_charged(struct sim_rq *rq, struct sim_task *task)
{
	if (task->vruntime - task->vdeadline < 0)
		return;
	task->vdeadline = task->vruntime + sim_virtual(sim_sched.base_slice, task->weight);
	if (rq->fair.nr > 1)
		sim_fair_resched(rq);
}

/* The earliest virtual deadline among the eligible in the tree. */
static struct sim_task *earliest_eligible(const struct sim_rq *rq)
{
	struct sim_task *t = rq->fair.tree.root;

	while (t) {
		if (t->rq_prev && eligible_at(rq, t->rq_prev->key_min))
			t = t->rq_prev;
		else if (eligible_at(rq, t->vruntime))
			return t;
		else
			t = t->rq_next;
	}
	return NULL;
}

struct sim_task *sim_eevdf_pick(struct sim_rq *rq)
{
	struct sim_task *curr = fair_curr(rq), *best;

	if (rq->fair.nr == 1)
		return curr ? curr : rq->fair.tree.root;
	if (curr && !sim_eevdf_eligible(rq, curr))
		curr = NULL;
	if (curr && curr->vdeadline == rq->fair.parity)
		return curr;
	best = earliest_eligible(rq);
	if (!best || (curr && curr->vdeadline - best->vdeadline < 0))
		best = curr;
	sim_assert(best && "somebody is always eligible");
	return best;
}

bool sim_eevdf_undelay(struct sim_rq *rq, struct sim_task *task)
{
	if (!task->delayed)
		return false;
	task->delayed = false;
	sim_fair_dequeue(rq, task, true);
	if (task->lag > 0)
		task->lag = 0;
	return true;
}
