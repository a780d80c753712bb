// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Balancing of fair tasks, kept simple:
 *
 *   a CPU that would go idle takes a waiting task from the nearest CPU that has one
 *   at every tick of a CPU with waiting tasks, one of them goes to the nearest idle CPU
 *   every BALANCE_MS such a CPU gives half the difference to the least loaded CPU, and one
 *   task if for so long stronger classes left nothing to it: such a CPU has no capacity
 *
 * Only counts matter, not weights. A task that ran less than half a millisecond ago is
 * cache-hot and stays (sched_migration_cost), except in the periodic balance.
 */
#include <limits.h>

#include "sim/machine/sched_rq.h"

#define MIGRATION_COST (500 * SIM_US)
#define BALANCE_MS 64
#define NR_MIGRATE 32 /* tasks looked at before giving up */

static bool hot(const struct sim_task *task)
{
	return task->exec_start && sim->now - task->exec_start < MIGRATION_COST;
}

/* The waiting fair task of @rq with the least vruntime (or deadline) that may go to @to (-1: to any of @set). */
static struct sim_task *waiting(struct sim_rq *rq, int to, const uint64_t *set, bool even_hot)
{
	struct sim_task *t = sim_tree_first(&rq->fair.tree);

	for (unsigned n = 0; t && n < NR_MIGRATE; n++, t = sim_tree_next(&rq->fair.tree, t)) {
		if (!sim_task_movable(t) || sim_task_stuck(t) || t->delayed || (!even_hot && hot(t)))
			continue;
		if (to >= 0 ? sim_cpuset_has(sim_allowed(t), (unsigned)to) : sim_place_near(set, t, rq->cpu->id) >= 0)
			return t;
	}
	return NULL;
}

/* The first of @rq's waiting fair tasks is what an otherwise idle CPU is about to run: leave it. */
static bool has_spare(const struct sim_rq *rq)
{
	return rq->nr > 1 && rq->fair.tree.nr && (rq->curr || rq->fair.tree.nr > 1);
}

bool sim_balance_idle(struct sim_rq *rq)
{
	const uint64_t *over = sim_sched.fair_over.bits;
	unsigned here = rq->cpu->id, best_distance = SIM_DIST_COUNT;
	struct sim_task *best = NULL;

	for (unsigned w = 0; w < sim_sched.words; w++)
		for (uint64_t bits = over[w]; bits; bits &= bits - 1) {
			unsigned cpu = w * 64 + (unsigned)__builtin_ctzll(bits), d = sim_distance(here, cpu);
			struct sim_task *t;

			if (cpu == here || d >= best_distance || !has_spare(&sim_sched.rqs[cpu]))
				continue;
			t = waiting(&sim_sched.rqs[cpu], (int)here, NULL, false);
			if (t) {
				best = t;
				best_distance = d;
			}
		}
	if (best)
		sim_rq_move(sim_rq_of(best), best, rq);
	return best;
}

/* The allowed CPU with the fewest tasks, nearest and lowest first; -1 if none has two less than @rq. */
static int least_loaded(const struct sim_rq *rq, const struct sim_task *task)
{
	unsigned least = rq->nr - 1, best_distance = SIM_DIST_COUNT;
	int found = -1;

	for (unsigned cpu = 0; cpu < sim->ncpus; cpu++) {
		unsigned nr = sim_sched.rqs[cpu].nr;

		if (nr > least || nr + 2 > rq->nr || !sim_cpuset_has(sim_allowed(task), cpu))
			continue;
		if (nr < least || sim_distance(rq->cpu->id, cpu) < best_distance) {
			least = nr;
			best_distance = sim_distance(rq->cpu->id, cpu);
			found = (int)cpu;
		}
	}
	return found;
}

static void give(struct sim_rq *rq, struct sim_task *task, int cpu)
{
	sim_rq_move(rq, task, &sim_sched.rqs[cpu]);
	sim_rq_check_preempt(&sim_sched.rqs[cpu], task);
}

static void spread_out(struct sim_rq *rq)
{
	for (unsigned n = rq->nr / 2; n; n--) {
		struct sim_task *t = waiting(rq, -1, sim_sched.all, true);
		int cpu = t ? least_loaded(rq, t) : -1;

		if (cpu < 0)
			return;
		give(rq, t, cpu);
	}
}

/* Did stronger classes run at @every ticks in a row while fair tasks waited? */
static bool crowded_out(struct sim_rq *rq, uint64_t tick, uint64_t every)
{
	if (!rq->curr || sim_class_of(rq->curr) == SIM_SC_FAIR)
		return false;
	rq->crowded = rq->crowded_tick + 1 == tick ? rq->crowded + 1 : 0;
	rq->crowded_tick = tick;
	return rq->crowded >= every;
}

/* One task goes to where fair tasks do run, however many they are. */
static void leave_crowd(struct sim_rq *rq)
{
	struct sim_task *t = waiting(rq, -1, sim_sched.all, true);
	unsigned least = UINT_MAX, best_distance = 0;
	int found = -1;

	for (unsigned cpu = 0; t && cpu < sim->ncpus; cpu++) {
		const struct sim_rq *to = &sim_sched.rqs[cpu];
		unsigned d = sim_distance(rq->cpu->id, cpu);

		if (to == rq || !sim_cpuset_has(sim_allowed(t), cpu) || to->nr > least)
			continue;
		if ((to->curr && sim_class_of(to->curr) != SIM_SC_FAIR) || (to->nr == least && d >= best_distance))
			continue;
		least = to->nr;
		best_distance = d;
		found = (int)cpu;
	}
	if (found >= 0)
		give(rq, t, found);
}

void sim_balance_tick(struct sim_rq *rq)
{
	uint64_t tick = sim->now / sim->tick_ps, every = BALANCE_MS * SIM_MS / sim->tick_ps;
	bool crowded;

	if (every < 1)
		every = 1;
	crowded = crowded_out(rq, tick, every);
	if (!has_spare(rq))
		return;
	if (sim_sched.idle.nr) {
		struct sim_task *t = waiting(rq, -1, sim_sched.idle.bits, false);

		if (t)
			give(rq, t, sim_place_near(sim_sched.idle.bits, t, rq->cpu->id));
	}
	if ((tick + rq->cpu->id) % every)
		return;
	if (crowded)
		leave_crowd(rq);
	if (rq->nr > 2)
		spread_out(rq);
}
