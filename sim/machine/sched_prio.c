// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changing priorities: rt_mutex_setprio() and sched_setscheduler() (Linux 6.1). Both take
 * the task off its queue under the old rules and put it back under the new ones: at the
 * head of its list when it got weaker, at the tail when it got stronger, untouched when
 * the effective number stays the same.
 */
#include "sim/machine/sched_rq.h"

int sim_normal_prio(const struct sim_attr *attr)
{
	switch (attr->policy) {
	case SIM_STOP:
		return SIM_STOP_PRIO;
	case SIM_DEADLINE:
		return SIM_DL_PRIO;
	case SIM_FIFO:
	case SIM_RR:
		sim_assert(attr->rt_priority >= 1 && attr->rt_priority <= 99);
		return SIM_MAX_RT_PRIO - 1 - attr->rt_priority;
	case SIM_NORMAL:
	case SIM_BATCH:
	case SIM_IDLE:
		return SIM_DEFAULT_PRIO + attr->nice;
	}
	return SIM_DEFAULT_PRIO;
}

/* Whose deadline parameters @task inherits from @donor, or NULL: its own serve. */
static struct sim_task *deadline_donor(const struct sim_task *task, struct sim_task *donor)
{
	if (!donor || donor->shared->prio != SIM_DL_PRIO)
		return NULL;
	if (task->shared->normal_prio == SIM_DL_PRIO && !sim_dl_before(donor, task))
		return NULL;
	return donor->dl_donor ? donor->dl_donor : donor;
}

/* Its class or priority changed while it runs: somebody else may be stronger now. */
static void running_changed(struct sim_rq *rq, struct sim_task *task, int old)
{
	int prio = task->shared->prio;

	if (!sim_prio_is_rt(prio)) {
		if (prio > old && (rq->nr > 1 || sim_sched.rt_over.nr || sim_sched.dl_over.nr))
			sim_resched_cpu(rq->cpu, false);
		return;
	}
	if (prio > old || prio == SIM_DL_PRIO)
		sim_pull(rq);
	if (prio == SIM_DL_PRIO ? sim_tree_first(&rq->dl.tree) != task || task->throttled :
				  rq->level != (unsigned)(SIM_MAX_RT_PRIO - 1 - prio) && prio != SIM_STOP_PRIO)
		sim_resched_cpu(rq->cpu, false);
}

static void changed(struct sim_rq *rq, struct sim_task *task, int old)
{
	if (task == rq->curr) {
		running_changed(rq, task, old);
		sim_tick_arm(rq->cpu); /* as a deadline or RR task it needs ticks */
		return;
	}
	sim_rq_check_preempt(rq, task);
	if (sim_prio_is_rt(task->shared->prio) && !rq->cpu->need_resched)
		sim_push(rq);
}

/* Gives @task the priority @prio, with all that follows. */
static void set_effective(struct sim_task *task, int prio, struct sim_task *dl_donor, unsigned flags)
{
	struct sim_rq *rq = sim_rq_of(task);
	int old = task->shared->prio;
	enum sim_sched_class was = sim_class_of_prio(old), is = sim_class_of_prio(prio);
	bool queued = task->on_rq, requeue = was != is || is != SIM_SC_FAIR;

	if (was != is)
		sim_eevdf_undelay(rq, task);
	if (queued && requeue)
		sim_rq_dequeue(rq, task, false);
	else if (was == SIM_SC_FAIR && was != is)
		sim_fair_leave(rq, task);
	if (prio > old)
		flags |= SIM_ENQ_HEAD;
	task->shared->prio = prio;
	if (prio != old) {
		sim_poke(&task->shared->prio);
		sim_unpark_task(task);
	}
	if (was == SIM_SC_DL && is != SIM_SC_DL)
		sim_dl_leave(task);
	task->dl_donor = is == SIM_SC_DL ? dl_donor : NULL;
	if (queued && requeue)
		sim_rq_enqueue(rq, task, flags);
	else if (is == SIM_SC_FAIR && was != is)
		sim_fair_join(rq, task);
	if (queued)
		changed(rq, task, old);
}

/* The best of its own priority, its donor's and the ceilings that it keeps. */
static int best_prio(const struct sim_task *task, const struct sim_task *donor)
{
	int prio = task->shared->normal_prio;

	if (donor && donor->shared->prio < prio)
		prio = donor->shared->prio;
	return task->ceiling < prio ? task->ceiling : prio;
}

void sim_setprio(struct sim_task *task, struct sim_task *donor)
{
	struct sim_shared *s = task->shared;
	int old = s->prio, prio = best_prio(task, donor);
	const struct sim_task *by = donor && (prio != task->ceiling || donor->shared->prio == prio) ? donor : NULL;
	struct sim_task *dl_donor;

	if (task->pi_top == donor && prio == old && prio != SIM_DL_PRIO)
		return;
	task->pi_top = donor;
	if (prio == old && prio != SIM_DL_PRIO)
		return;
	if (task == sim_rq_of(task)->curr)
		sim_rq_account(sim_rq_of(task));
	dl_donor = prio == SIM_DL_PRIO ? deadline_donor(task, donor) : NULL;
	if (prio != old)
		sim_emit(SIM_REC_PRIO, task->id + 1, by ? by->id + 1 : 0, (uint32_t)(old + 1),
			 (uint64_t)(int64_t)(prio + 1));
	if (prio == old && dl_donor == task->dl_donor && !dl_donor)
		return;
	set_effective(task, prio, dl_donor, dl_donor ? SIM_ENQ_REPLENISH : 0);
}

void sim_set_ceiling(struct sim_task *task, int ceiling)
{
	task->ceiling = ceiling;
	if (best_prio(task, task->pi_top) != task->shared->prio)
		sim_setprio(task, task->pi_top);
}

void sim_setscheduler(struct sim_task *task, const struct sim_attr *attr)
{
	struct sim_shared *s = task->shared;
	struct sim_rq *rq = sim_rq_of(task);
	int old = s->prio, prio;

	if (task == rq->curr)
		sim_rq_account(rq);
	sim_eevdf_undelay(rq, task);
	task->attr = *attr;
	sim_fair_reweigh(rq, task, sim_fair_weight(attr));
	s->policy = attr->policy;
	s->static_prio = SIM_DEFAULT_PRIO + attr->nice;
	s->normal_prio = sim_normal_prio(attr);
	prio = best_prio(task, task->pi_top);
	sim_emit(SIM_REC_SETSCHED, task->id + 1, 0, (uint32_t)(s->normal_prio + 1), (uint64_t)(int64_t)(prio + 1));
	if (prio != old)
		set_effective(task, prio, prio == SIM_DL_PRIO ? deadline_donor(task, task->pi_top) : NULL, 0);
	else if (task->on_rq && !sim_prio_is_rt(prio))
		changed(rq, task, old);
}
