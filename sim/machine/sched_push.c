// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Push and pull of deadline and RT tasks. Together they approximate one global queue:
 * the N strongest runnable tasks run on the N CPUs.
 *
 *   place  a woken task that could not run where it was goes to a CPU with weaker work
 *   push   after a wake-up that does not preempt, and after every switch, the strongest
 *          waiting task goes to a CPU whose strongest work is weaker
 *   pull   before a CPU runs something, it takes the strongest task waiting elsewhere
 *          that is stronger than all it has
 *
 * A CPU's level is that of its strongest queued work; fair work and idling are one level,
 * as in the kernel's cpupri since 5.10. Ties: last CPU, waking CPU, nearest, lowest number.
 * The kernel pulls only when a CPU stops running RT work; pulling at every pick finds
 * nothing more unless a task became movable meanwhile.
 */
#include "sim/machine/sched_rq.h"

/* A level below @limit that intersects the allowed set: the task's nearest CPU of it. */
static int weakest_below(const struct sim_task *task, int limit, unsigned near, int waker)
{
	const uint64_t *allowed = sim_allowed(task);

	for (int l = 0; l < limit; l++) {
		const struct sim_cpus *set = &sim_sched.level[l];
		int cpu;

		if (!set->nr) { /* skip to the next level that is not empty */
			uint64_t rest = sim_sched.levels[l / 64] >> (l % 64);

			l += rest ? __builtin_ctzll(rest) - 1 : 63 - l % 64;
			continue;
		}
		if (sim_cpuset_has(set->bits, near) && sim_cpuset_has(allowed, near))
			return (int)near;
		if (waker >= 0 && sim_cpuset_has(set->bits, (unsigned)waker) && sim_cpuset_has(allowed, (unsigned)waker))
			return waker;
		cpu = sim_place_near(set->bits, task, near);
		if (cpu >= 0)
			return cpu;
	}
	return -1;
}

/* Of the CPUs that run deadline tasks: the one whose earliest deadline is latest and later than @task's. */
static int latest_deadline(const struct sim_task *task)
{
	const struct sim_cpus *set = &sim_sched.level[SIM_LEVEL_DL];
	const uint64_t *allowed = sim_allowed(task);
	const struct sim_task *best = task;
	int found = -1;

	for (unsigned w = 0; w < sim_sched.words; w++)
		for (uint64_t bits = set->bits[w] & allowed[w]; bits; bits &= bits - 1) {
			int cpu = (int)(w * 64) + __builtin_ctzll(bits);
			const struct sim_task *t = sim_tree_first(&sim_sched.rqs[cpu].dl.tree);

			if (t && sim_dl_before(best, t)) {
				best = t;
				found = cpu;
			}
		}
	return found;
}

int sim_push_target(const struct sim_task *task, unsigned near, int waker)
{
	int prio = task->shared->prio, cpu;

	if (prio != SIM_DL_PRIO)
		return weakest_below(task, SIM_MAX_RT_PRIO - 1 - prio, near, waker);
	cpu = weakest_below(task, SIM_LEVEL_DL, near, waker);
	return cpu >= 0 ? cpu : latest_deadline(task);
}

/* -- push ---------------------------------------------------------------------------------- */

/*
 * The strongest waiting task cannot leave for a while (migration disabled), but the running
 * one can: let it make room, if there is a CPU whose work is weaker than the one that waits.
 * Anything less would send a task to and fro between two that wait.
 */
static void push_curr_instead(struct sim_rq *rq)
{
	struct sim_task *curr = rq->curr, *stuck;

	if (!curr || sim_class_of(curr) != SIM_SC_RT || rq->rt.nr < 2 || rq->rt.skip_curr)
		return;
	if (!sim_task_movable(curr) || sim_curr_stuck(curr))
		return;
	stuck = sim_rt_first_but(rq, curr);
	if (!stuck || !stuck->migrate_off || !sim_task_movable(stuck)) /* who is pinned for good waits */
		return;
	if (weakest_below(curr, SIM_MAX_RT_PRIO - 1 - stuck->shared->prio, rq->cpu->id, -1) < 0)
		return;
	rq->rt.skip_curr = true;
	sim_resched_cpu(rq->cpu, false);
}

static void move(struct sim_rq *rq, struct sim_task *task, int cpu)
{
	sim_rq_move(rq, task, &sim_sched.rqs[cpu]);
	sim_rq_check_preempt(&sim_sched.rqs[cpu], task);
}

/* Sends away the task that made room, if there still is where to. */
static void push_evicted(struct sim_rq *rq)
{
	struct sim_task *task = rq->rt.evict;
	const struct sim_task *curr = rq->curr;
	int cpu;

	rq->rt.evict = NULL;
	if (!task || !curr || task == curr || !task->on_rq || sim_rq_of(task) != rq || sim_task_stuck(task))
		return;
	if (sim_class_of(task) != SIM_SC_RT || sim_class_of(curr) != SIM_SC_RT)
		return;
	cpu = weakest_below(task, SIM_MAX_RT_PRIO - 1 - curr->shared->prio, rq->cpu->id, -1);
	if (cpu >= 0)
		move(rq, task, cpu);
}

static bool push_one(struct sim_rq *rq, struct sim_task *task)
{
	int cpu;

	if (!task)
		return false;
	if (!rq->curr || sim_more_urgent(task, rq->curr)) {
		sim_resched_cpu(rq->cpu, false);
		return false;
	}
	cpu = sim_push_target(task, rq->cpu->id, -1);
	if (cpu < 0)
		return false;
	move(rq, task, cpu);
	return true;
}

void sim_push(struct sim_rq *rq)
{
	unsigned cpu = rq->cpu->id;

	if (rq->rt.evict)
		push_evicted(rq);
	if (sim_cpuset_has(sim_sched.dl_over.bits, cpu))
		while (push_one(rq, sim_dl_waiting(rq, -1, NULL)))
			;
	if (rq->rt.throttled || !sim_cpuset_has(sim_sched.rt_over.bits, cpu))
		return;
	while (push_one(rq, sim_rt_waiting(rq, -1, NULL)))
		;
	push_curr_instead(rq);
}

/* -- pull ---------------------------------------------------------------------------------- */

/* What @rq is going to run next by itself, if that is not what it runs now. */
static const struct sim_task *about_to_run(struct sim_rq *rq)
{
	struct sim_task *top = sim_tree_first(&rq->dl.tree);
	int prio;

	if (!top) {
		prio = sim_rt_top(rq);
		top = prio < SIM_MAX_RT_PRIO ? rq->rt.list[prio].head : NULL;
	}
	return top && (!rq->curr || sim_more_urgent(top, rq->curr)) ? top : NULL;
}

static struct sim_task *best_elsewhere(const struct sim_cpus *over, struct sim_rq *here, bool dl)
{
	struct sim_task *best = NULL;

	for (unsigned w = 0; w < sim_sched.words; w++)
		for (uint64_t bits = over->bits[w]; bits; bits &= bits - 1) {
			struct sim_rq *rq = &sim_sched.rqs[w * 64 + (unsigned)__builtin_ctzll(bits)];
			struct sim_task *t;

			if (rq == here || (!dl && rq->level <= here->level)) /* what waits there is no stronger */
				continue;
			t = dl ? sim_dl_waiting(rq, (int)here->cpu->id, about_to_run(rq))
			       : sim_rt_waiting(rq, (int)here->cpu->id, about_to_run(rq));
			if (t && (!best || sim_more_urgent(t, best)))
				best = t;
		}
	return best;
}

/* Nobody who waits may come here, but somebody who runs may, if that helps one who waits. */
static void help_stuck(struct sim_rq *here)
{
	for (unsigned w = 0; w < sim_sched.words; w++)
		for (uint64_t bits = sim_sched.rt_over.bits[w]; bits; bits &= bits - 1) {
			struct sim_rq *rq = &sim_sched.rqs[w * 64 + (unsigned)__builtin_ctzll(bits)];

			if (rq != here)
				push_curr_instead(rq);
		}
}

void sim_pull(struct sim_rq *rq)
{
	const struct sim_task *first = sim_tree_first(&rq->dl.tree);
	struct sim_task *t;

	if (rq->level == SIM_LEVEL_STOP)
		return;
	if (sim_sched.dl_over.nr) {
		t = best_elsewhere(&sim_sched.dl_over, rq, true);
		if (t && (!first || sim_dl_before(t, first))) {
			sim_rq_move(sim_rq_of(t), t, rq);
			return;
		}
	}
	if (first || !sim_sched.rt_over.nr || rq->rt.throttled)
		return;
	t = best_elsewhere(&sim_sched.rt_over, rq, false);
	if (t && t->shared->prio < sim_rt_top(rq))
		sim_rq_move(sim_rq_of(t), t, rq);
	else if (!t)
		help_stuck(rq);
}
