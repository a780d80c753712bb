// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fair class as CFS of Linux 6.1: run whoever had least, measured in virtual time
 * (run time divided by weight). EEVDF (6.12) shares the queue and differs in placement,
 * pick and preemption: sched_eevdf.c.
 *
 *   pick      smallest vruntime, unless a buddy is within the wake-up granularity:
 *             next (it just preempted), last (it was preempted), not skip (it yielded)
 *   wake-up   vruntime = max(own, min_vruntime - latency / 2); preempts if the running
 *             task is ahead by more than the wake-up granularity
 *   tick      reschedules when the running task ran longer than its slice, or is ahead of
 *             the next by more than that
 *
 * An arrival is treated as the wake-up of a task that slept since time 0.
 */
#include "sim/machine/sched_rq.h"

static const uint32_t nice_weight[40] = { /* about 1024 / 1.25^nice, as in kernel/sched/core.c */
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,
};

#define NR_LATENCY 8 /* sched_latency / min_granularity */

static inline bool eevdf(void)
{
	return sim->cfg.fair == SIM_FAIR_EEVDF;
}

/* kernel/sched/fair.c: sysctl_sched_*, scaled by 1 + log2(min(CPUs, 8)). */
void sim_fair_tunables(void)
{
	unsigned cpus = sim->ncpus < 8 ? sim->ncpus : 8, factor = 1;

	while (cpus >>= 1)
		factor++;
	sim_sched.latency = factor * 6 * SIM_MS;
	sim_sched.min_granularity = factor * 750 * SIM_US;
	sim_sched.wakeup_granularity = factor * SIM_MS;
	sim_sched.base_slice = factor * 700 * SIM_US;
}

unsigned sim_fair_weight(const struct sim_attr *attr)
{
	if (attr->policy == SIM_IDLE)
		return SIM_IDLE_WEIGHT;
	sim_assert(attr->nice >= -20 && attr->nice <= 19);
	return nice_weight[attr->nice + 20];
}

static inline bool is_idle(const struct sim_task *task)
{
	return task->attr.policy == SIM_IDLE;
}

void sim_fair_resched(struct sim_rq *rq)
{
	sim_resched_cpu(rq->cpu, sim->cfg.preempt == SIM_PREEMPT_LAZY);
}

/* The running task if it is a fair one. */
static struct sim_task *fair_curr(const struct sim_rq *rq)
{
	return rq->curr && sim_class_of(rq->curr) == SIM_SC_FAIR ? rq->curr : NULL;
}

/* -- virtual time --------------------------------------------------------------------------- */

static void update_min_vruntime(struct sim_rq *rq, const struct sim_task *curr)
{
	const struct sim_task *first = sim_tree_first(&rq->fair.tree);
	int64_t v;

	if (!curr && !first)
		return;
	v = curr ? curr->vruntime : first->vruntime;
	if (first && first->vruntime - v < 0)
		v = first->vruntime;
	if (v - rq->fair.min_vruntime > 0)
		rq->fair.min_vruntime = v;
}

void sim_fair_charge(struct sim_rq *rq, struct sim_task *task, sim_time d)
{
	int64_t v = sim_virtual(d, task->weight);

	task->vruntime += v;
	if (!eevdf()) {
		update_min_vruntime(rq, task);
		return;
	}
	rq->fair.sum += (__int128)v * task->weight;
	sim_eevdf_charged(rq, task);
}

static void clear_buddies(struct sim_rq *rq, const struct sim_task *task)
{
	if (rq->fair.next == task)
		rq->fair.next = NULL;
	if (rq->fair.last == task)
		rq->fair.last = NULL;
	if (rq->fair.skip == task)
		rq->fair.skip = NULL;
}

/* A sleeper gets credit for half a latency at most. */
static void place_sleeper(struct sim_rq *rq, struct sim_task *task)
{
	sim_time credit = is_idle(task) ? sim_sched.min_granularity : sim_sched.latency;
	int64_t floor = rq->fair.min_vruntime - (int64_t)(credit / 2);

	if (task->vruntime - floor < 0)
		task->vruntime = floor;
}

/* -- queue ----------------------------------------------------------------------------------- */

static int64_t tree_key(const struct sim_task *task)
{
	return eevdf() ? task->vdeadline : task->vruntime;
}

void sim_fair_enqueue(struct sim_rq *rq, struct sim_task *task, bool wake)
{
	if (fair_curr(rq) && task != rq->curr)
		sim_rq_account(rq);
	if (eevdf())
		sim_eevdf_place(rq, task, wake);
	else if (wake)
		place_sleeper(rq, task);
	else
		task->vruntime += rq->fair.min_vruntime;
	rq->fair.nr++;
	rq->fair.load += task->weight;
	rq->fair.sum += (__int128)task->vruntime * task->weight;
	if (task != rq->curr)
		sim_tree_add(&rq->fair.tree, task, tree_key(task));
	if (task == rq->curr)
		rq->fair.parity = task->vdeadline;
}

void sim_fair_dequeue(struct sim_rq *rq, struct sim_task *task, bool sleep)
{
	if (fair_curr(rq) && task != rq->curr)
		sim_rq_account(rq);
	clear_buddies(rq, task);
	if (eevdf())
		sim_eevdf_lag(rq, task);
	rq->fair.nr--;
	rq->fair.load -= task->weight;
	rq->fair.sum -= (__int128)task->vruntime * task->weight;
	if (task != rq->curr)
		sim_tree_del(&rq->fair.tree, task);
	if (eevdf()) {
		if (!sleep) /* PLACE_REL_DEADLINE */
			task->vdeadline -= task->vruntime;
		return;
	}
	if (!sleep)
		task->vruntime -= rq->fair.min_vruntime;
	update_min_vruntime(rq, task == rq->curr ? NULL : fair_curr(rq));
}

void sim_fair_put(struct sim_rq *rq, struct sim_task *task)
{
	sim_tree_add(&rq->fair.tree, task, tree_key(task));
}

void sim_fair_set(struct sim_rq *rq, struct sim_task *task)
{
	clear_buddies(rq, task);
	rq->fair.parity = task->vdeadline;
	sim_tree_del(&rq->fair.tree, task);
}

void sim_fair_leave(struct sim_rq *rq, struct sim_task *task)
{
	if (eevdf())
		return;
	place_sleeper(rq, task);
	task->vruntime -= rq->fair.min_vruntime;
}

void sim_fair_join(struct sim_rq *rq, struct sim_task *task)
{
	if (!eevdf())
		task->vruntime += rq->fair.min_vruntime;
}

void sim_fair_migrate(struct sim_rq *from, struct sim_task *task, struct sim_rq *to)
{
	if (!eevdf())
		task->vruntime += to->fair.min_vruntime - from->fair.min_vruntime;
}

void sim_fair_reweigh(struct sim_rq *rq, struct sim_task *task, unsigned weight)
{
	bool queued = (task->on_rq || task->delayed) && sim_class_of(task) == SIM_SC_FAIR;

	if (weight == task->weight)
		return;
	if (queued)
		sim_fair_dequeue(rq, task, false);
	if (eevdf()) { /* what it is owed and what it has left stay the same in real time */
		task->lag = (int64_t)((__int128)task->lag * task->weight / weight);
		task->vdeadline = (int64_t)((__int128)task->vdeadline * task->weight / weight);
	}
	task->weight = weight;
	if (queued)
		sim_fair_enqueue(rq, task, false);
}

/* -- pick ------------------------------------------------------------------------------------- */

/* Is @task so far behind @ahead that it should run instead? 1 yes, 0 it is behind, but not enough, -1 no. */
static int wakeup_preempts(const struct sim_task *ahead, const struct sim_task *task)
{
	int64_t diff = ahead->vruntime - task->vruntime;

	if (diff <= 0)
		return -1;
	return diff > sim_virtual(sim_sched.wakeup_granularity, task->weight);
}

static struct sim_task *earlier(struct sim_task *first, struct sim_task *curr)
{
	return !first || (curr && curr->vruntime - first->vruntime < 0) ? curr : first;
}

static struct sim_task *cfs_pick(struct sim_rq *rq)
{
	struct sim_fair_rq *f = &rq->fair;
	struct sim_task *curr = fair_curr(rq), *first = sim_tree_first(&f->tree), *left, *pick;

	pick = left = earlier(first, curr);
	if (!left)
		return NULL;
	if (f->skip == left) {
		struct sim_task *second = left == curr ? first : earlier(sim_tree_next(&f->tree, left), curr);

		if (second && wakeup_preempts(second, left) < 1)
			pick = second;
	}
	if (f->next && wakeup_preempts(f->next, left) < 1)
		pick = f->next;
	else if (f->last && wakeup_preempts(f->last, left) < 1)
		pick = f->last;
	if (f->skip || f->next || f->last)
		clear_buddies(rq, pick);
	return pick;
}

struct sim_task *sim_fair_pick(struct sim_rq *rq)
{
	if (!rq->fair.nr)
		return NULL;
	return eevdf() ? sim_eevdf_pick(rq) : cfs_pick(rq);
}

/* -- decisions --------------------------------------------------------------------------------- */

static sim_time slice_of(const struct sim_rq *rq, const struct sim_task *task)
{
	unsigned nr = rq->fair.nr;
	sim_time period = nr > NR_LATENCY ? nr * sim_sched.min_granularity : sim_sched.latency;
	sim_time least = is_idle(task) && rq->fair.load > task->weight ? 750 * SIM_US : sim_sched.min_granularity;
	sim_time slice = (sim_time)((unsigned __int128)period * task->weight / rq->fair.load);

	return slice > least ? slice : least;
}

void sim_fair_tick(struct sim_rq *rq)
{
	struct sim_task *t = rq->curr, *first;
	sim_time slice;

	if (rq->fair.nr < 2 || eevdf()) /* EEVDF decided when the time was charged */
		return;
	slice = slice_of(rq, t);
	if (t->slice_exec > slice) {
		sim_fair_resched(rq);
		clear_buddies(rq, t);
		return;
	}
	first = sim_tree_first(&rq->fair.tree);
	if (t->slice_exec < sim_sched.min_granularity || !first)
		return;
	if (t->vruntime - first->vruntime > (int64_t)slice)
		sim_fair_resched(rq);
}

void sim_fair_yield(struct sim_rq *rq)
{
	struct sim_task *t = rq->curr;

	if (rq->fair.nr < 2)
		return;
	clear_buddies(rq, t);
	sim_rq_account(rq);
	if (!eevdf()) {
		rq->fair.skip = t;
		return;
	}
	t->vdeadline += sim_virtual(sim_sched.base_slice, t->weight);
}

void sim_fair_check_preempt(struct sim_rq *rq, struct sim_task *task)
{
	struct sim_task *curr = rq->curr;
	bool many = rq->fair.nr >= NR_LATENCY;

	if (rq->cpu->need_resched)
		return;
	if (is_idle(curr) && !is_idle(task)) {
		rq->fair.parity = curr->vdeadline - 1; /* nor does its slice protect it */
		sim_fair_resched(rq);
		return;
	}
	if (task->attr.policy == SIM_BATCH || is_idle(task))
		return;
	sim_rq_account(rq);
	if (eevdf()) {
		if (sim_eevdf_pick(rq) == task)
			sim_fair_resched(rq);
		return;
	}
	if (wakeup_preempts(curr, task) < 1)
		return;
	rq->fair.next = task;
	sim_fair_resched(rq);
	if (many)
		rq->fair.last = curr;
}
