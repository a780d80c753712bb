// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Proxy execution as merged in Linux 6.17: a task that sleeps in a lock of this kind stays
 * queued as a donor. When its turn comes, the owner of the lock executes instead, and time,
 * slice and preemption go by the donor: it is `curr` of the run queue, the owner that of
 * the CPU.
 *
 * The owner must be runnable on the same run queue, directly or behind other donors there.
 * Otherwise the donor leaves the queue and sleeps as ever, until the wake-up. So does one
 * whose chain comes back on itself.
 *
 * Deviation: a woken donor that was picked already asks for a reschedule. What 6.17 does
 * at that point has not been established.
 */
#include "sim/machine/sched_rq.h"

static struct sim_task *owner_of(const struct sim_task *donor)
{
	unsigned long word = (unsigned long)*donor->blocked_on & ~donor->blocked_flags;
	const struct sim_shared *owner = (const struct sim_shared *)word; /* NULL: free */

	return owner ? owner->sim : NULL;
}

/* Emits that @task executes with the priority @prio from now on, if that is news. */
static void lend(struct sim_rq *rq, struct sim_task *task, const struct sim_task *donor)
{
	struct sim_task *was = rq->proxy;
	int prio = donor && donor->shared->prio < task->shared->prio ? donor->shared->prio : SIM_IDLE_PRIO;

	if (was && (was != task || prio != rq->proxy_prio)) {
		if (rq->proxy_prio != was->shared->prio)
			sim_emit(SIM_REC_PRIO, was->id + 1, 0, (uint32_t)(rq->proxy_prio + 1),
				 (uint64_t)(int64_t)(was->shared->prio + 1));
		rq->proxy = NULL;
	}
	if (prio == SIM_IDLE_PRIO || rq->proxy)
		return;
	sim_emit(SIM_REC_PRIO, task->id + 1, donor->id + 1, (uint32_t)(task->shared->prio + 1),
		 (uint64_t)(int64_t)(prio + 1));
	rq->proxy = task;
	rq->proxy_prio = prio;
}

/* It does not sleep any more; where it did not get to leave the CPU there is nothing to tell. */
static void rise(struct sim_task *task, const struct sim_task *by)
{
	task->donates = false;
	task->shared->__state = SIM_TASK_RUNNING;
	sim_evq_cancel(&sim->evq, &task->timer);
	if (sim_rq_of(task)->cpu->curr != task)
		sim_emit(SIM_REC_WAKEUP, task->id + 1, by ? by->id + 1 : 0, (uint32_t)task->shared->cpu, 0);
}

void sim_proxy_wake(struct sim_task *task)
{
	struct sim_rq *rq = sim_rq_of(task);

	rise(task, sim->in_world ? NULL : sim->cpu->curr);
	if (task == rq->curr)
		sim_resched_cpu(rq->cpu, false);
	else
		sim_rq_check_preempt(rq, task);
}

/* Whom @donor lets execute: itself if what it waits for is free; NULL: nobody here. */
static struct sim_task *find(const struct sim_rq *rq, struct sim_task *donor)
{
	struct sim_task *t = donor;

	for (unsigned n = 0; t->donates; n++) {
		struct sim_task *owner = owner_of(t);

		if (!owner || owner == t) { /* free, or handed to it: it has only to be told */
			rise(t, NULL);
			return t;
		}
		if (n == sim->ntasks || !owner->on_rq || sim_rq_of(owner) != rq)
			return NULL;
		t = owner;
	}
	return t;
}

struct sim_task *sim_proxy_find(struct sim_rq *rq)
{
	struct sim_task *donor = rq->curr, *task = donor;

	if (donor && donor->donates) {
		task = find(rq, donor);
		if (!task) {
			sim_rq_dequeue(rq, donor, true);
			donor->donates = false;
			rq->curr = NULL;
			return NULL;
		}
	}
	if (rq->proxy || task != donor)
		lend(rq, task ? task : rq->proxy, task == donor ? NULL : donor);
	return task;
}
