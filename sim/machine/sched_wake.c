// SPDX-License-Identifier: GPL-2.0-or-later
/* A task becomes runnable: on which CPU, and what that does to whoever runs there. */
#include "sim/machine/sched_rq.h"

/* An RT task stays where it was unless somebody as strong runs there, or a weaker one that cannot move. */
static bool rt_stays(const struct sim_rq *rq, const struct sim_task *task)
{
	const struct sim_task *curr = rq->curr;

	if (!curr || !sim_prio_is_rt(curr->shared->prio))
		return true;
	return sim_task_movable(curr) && sim_more_urgent(task, curr);
}

static unsigned place_rt(const struct sim_task *task, const struct sim_cpu *waker)
{
	unsigned prev = (unsigned)task->shared->cpu;
	bool allowed = sim_cpuset_has(sim_allowed(task), prev);
	int cpu;

	if (allowed && rt_stays(&sim_sched.rqs[prev], task))
		return prev;
	cpu = sim_push_target(task, prev, waker ? (int)waker->id : -1);
	if (cpu < 0 && !allowed)
		cpu = sim_place_near(sim_sched.all, task, prev);
	return cpu < 0 ? prev : (unsigned)cpu;
}

static unsigned place(const struct sim_task *task, const struct sim_cpu *waker)
{
	unsigned prev = (unsigned)task->shared->cpu;

	if (sim->ncpus == 1 || sim_task_stuck(task) || (task->nallowed == 1 && sim_cpuset_has(sim_allowed(task), prev)))
		return prev;
	switch (sim_class_of(task)) {
	case SIM_SC_STOP:
		return prev;
	case SIM_SC_DL:
	case SIM_SC_RT:
		return place_rt(task, waker);
	case SIM_SC_FAIR:
		return sim_place_fair(task, waker);
	}
	return prev;
}

/* After a wake-up that does not preempt: somebody else's CPU may be better. */
static void push_woken(struct sim_rq *rq, const struct sim_task *task)
{
	const struct sim_task *curr = rq->curr;

	if (task == curr || rq->cpu->need_resched || !curr || !sim_task_movable(task))
		return;
	if (!sim_prio_is_rt(task->shared->prio) || !sim_prio_is_rt(curr->shared->prio))
		return;
	if (!sim_task_movable(curr) || !sim_more_urgent(task, curr))
		sim_push(rq);
}

/* DELAY_DEQUEUE: still in the tree; its debt is paid by now, or it keeps its place. */
static bool wake_delayed(struct sim_rq *rq, struct sim_task *task)
{
	if (!task->delayed)
		return false;
	if (!sim_eevdf_eligible(rq, task)) {
		task->delayed = false;
		task->on_rq = true;
		sim_rq_count(rq, 1);
		return true;
	}
	sim_eevdf_undelay(rq, task);
	sim_rq_enqueue(rq, task, SIM_ENQ_WAKE);
	return true;
}

void sim_sched_wake(struct sim_task *task, struct sim_cpu *waker, bool fresh)
{
	struct sim_rq *rq = sim_rq_of(task);
	const struct sim_task *by = waker && !sim->in_world ? waker->curr : NULL;
	unsigned cpu;

	(void)fresh;
	sim_assert(!task->on_rq);
	if (task->delayed && rq->curr)
		sim_rq_account(rq);
	cpu = task->delayed ? (unsigned)task->shared->cpu : place(task, waker);
	if (cpu != rq->cpu->id) {
		if (sim_class_of(task) == SIM_SC_FAIR)
			sim_fair_migrate(rq, task, &sim_sched.rqs[cpu]);
		sim_emit(SIM_REC_MIGRATE, task->id + 1, 0, rq->cpu->id, cpu);
		task->shared->cpu = (int)cpu;
		rq = &sim_sched.rqs[cpu];
	}
	sim_emit(SIM_REC_WAKEUP, task->id + 1, by ? by->id + 1 : 0, cpu, 0);
	if (!wake_delayed(rq, task))
		sim_rq_enqueue(rq, task, SIM_ENQ_WAKE);
	sim_rq_check_preempt(rq, task);
	if (sim_prio_is_rt(task->shared->prio))
		push_woken(rq, task);
}

void sim_sched_check_preempt(struct sim_task *task)
{
	sim_rq_check_preempt(sim_rq_of(task), task);
}
