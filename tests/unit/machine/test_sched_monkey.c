// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything at once: tasks of all classes with random affinities, policies and donors that
 * change at random, throttling, migration disabled now and then. After every step the books
 * of the run queues must agree with a fresh count, somebody runs wherever somebody could,
 * and two runs give the same trace.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/machine/sched_rq.h"
#include "tests/unit/core/run.h"
#include "tests/unit/machine/rig.h"

#define TASKS 32

static struct sim_task *all[TASKS];
static uint64_t visits[TASKS];

static uint64_t draw(uint64_t a, uint64_t b)
{
	return sim_draw(rig_cfg.seed, a, b);
}

static void random_act(struct sim_task *task, struct sim_act *act)
{
	uint64_t visit = visits[task->id]++, u = draw(task->id, visit);

	task->migrate_off = u >> 40 & 7 ? 0 : 1;
	task->kernel_mode = u >> 43 & 1;
	*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = 1 + u % (2 * SIM_MS) };
	switch (u >> 60) {
	case 0:
		act->kind = SIM_ACT_YIELD;
		break;
	case 1:
		act->kind = SIM_ACT_RESCHED;
		break;
	case 2:
	case 3:
	case 4:
	case 5:
	case 6:
	case 7:
		act->kind = SIM_ACT_SLEEP;
		act->t += sim->now + u % SIM_MS;
		break;
	default:
		break;
	}
}

static struct sim_attr random_attr(uint64_t u)
{
	switch (u % 8) {
	case 0:
	case 1:
		return FIFO((int)(1 + (u >> 8) % 10));
	case 2:
		return RR((int)(1 + (u >> 8) % 10));
	case 3: {
		sim_time period = (2 + (u >> 8) % 20) * SIM_MS;

		return DL(period / 8, u >> 20 & 1 ? period : period / 2, period);
	}
	case 4:
		return POLICY(SIM_IDLE);
	case 5:
		return POLICY(SIM_BATCH);
	default:
		return NICE((int)((u >> 8) % 40) - 20);
	}
}

static void random_change(unsigned step)
{
	uint64_t u = draw(1000, step);
	struct sim_task *t = all[u % TASKS], *donor = all[(u >> 8) % TASKS];
	struct sim_attr attr = random_attr(draw(1001, step));

	switch (u >> 16 & 7) {
	case 0:
	case 1:
		sim_setscheduler(t, &attr);
		break;
	case 2:
	case 3:
		sim_setprio(t, donor == t ? NULL : donor);
		break;
	case 4:
	case 5:
		sim_setprio(t, NULL);
		break;
	default:
		break;
	}
}

struct count {
	unsigned nr, rt, rt_movable, fair, dl;
	uint64_t load;
	unsigned level;
};

static void count_task(struct count *c, const struct sim_task *t)
{
	int prio = t->shared->prio;
	unsigned level = 0;

	c->nr += t->on_rq && !t->throttled;
	if (prio >= SIM_MAX_RT_PRIO) {
		c->fair++;
		c->load += t->weight;
	} else if (prio >= 0) {
		c->rt++;
		c->rt_movable += t->nallowed > 1;
		level = (unsigned)(SIM_MAX_RT_PRIO - 1 - prio);
	} else if (!t->throttled) {
		c->dl++;
		level = SIM_LEVEL_DL;
	}
	c->level = level > c->level ? level : c->level;
}

static void check_books(void)
{
	static struct count count[64];

	memset(count, 0, sizeof(count));
	for (unsigned i = 0; i < TASKS; i++) {
		const struct sim_task *t = all[i];

		if (!t->on_rq && !t->delayed)
			continue;
		if (!sim_cpuset_has(t->allowed, (unsigned)t->shared->cpu))
			ck_abort_msg("%s is where it must not be", t->name);
		count_task(&count[t->shared->cpu], t);
	}
	for (unsigned i = 0; i < sim->ncpus; i++) {
		const struct sim_rq *rq = sim->cpus[i].rq;
		const struct count *c = &count[i];

		if (rq->nr != c->nr || rq->rt.nr != c->rt || rq->rt.movable != c->rt_movable || rq->fair.nr != c->fair ||
		    rq->fair.load != c->load || rq->dl.tree.nr != c->dl || rq->level != c->level ||
		    sim_cpuset_has(sim_sched.idle.bits, i) != !c->nr ||
		    !sim_cpuset_has(sim_sched.level[c->level].bits, i) ||
		    sim_cpuset_has(sim_sched.rt_over.bits, i) != (c->rt > 1 && c->rt_movable))
			ck_abort_msg("seed %lu at %lu: cpu %u: nr %u/%u rt %u/%u mov %u/%u fair %u/%u dl %u/%u level %u/%u",
				     (unsigned long)rig_cfg.seed, (unsigned long)sim->now, i, rq->nr, c->nr, rq->rt.nr, c->rt,
				     rq->rt.movable, c->rt_movable, rq->fair.nr, c->fair, rq->dl.tree.nr, c->dl, rq->level,
				     c->level);
	}
}

/* Nobody runnable waits on a CPU that idles (RT throttling aside). */
static void check_idle(void)
{
	for (unsigned i = 0; i < sim->ncpus; i++) {
		const struct sim_cpu *cpu = &sim->cpus[i];

		if (cpu->mode == SIM_CPU_IDLE && cpu->rq->nr && !cpu->rq->rt.throttled)
			ck_abort_msg("seed %lu at %lu: cpu %u sleeps on %u tasks", (unsigned long)rig_cfg.seed,
				     (unsigned long)sim->now, i, cpu->rq->nr);
		if (cpu->mode == SIM_CPU_TASK && cpu->curr != cpu->rq->curr)
			ck_abort_msg("cpu %u runs what was not picked", i);
	}
}

static void make_task(unsigned i)
{
	uint64_t u = draw(2000, i), allowed = u >> 8, mask = (UINT64_C(1) << sim->ncpus) - 1;
	struct sim_attr attr = random_attr(draw(2001, i));
	unsigned cpu = (unsigned)((u >> 32) % sim->ncpus);
	char name[8];

	allowed = (u & 3) == 0 ? UINT64_C(1) << cpu : (u & 3) == 1 ? (allowed & mask) | UINT64_C(1) << cpu : mask;
	visits[i] = 0;
	snprintf(name, sizeof(name), "t%u", i);
	all[i] = sim_task_create(name, &attr, cpu, &allowed, random_act, NULL);
	sim_task_start(all[i], u % SIM_MS);
}

static uint64_t monkey(uint64_t seed)
{
	uint64_t digest;

	rig_config(1 + seed % 7);
	rig_cfg.seed = seed;
	rig_cfg.threads = 1 + seed % 2;
	rig_cfg.sockets = 1 + seed % 3;
	rig_cfg.fair = seed % 2 ? SIM_FAIR_EEVDF : SIM_FAIR_CFS;
	rig_cfg.preempt = seed / 2 % 5;
	if (seed % 3 == 0) {
		rig_cfg.rt_period = 10 * SIM_MS;
		rig_cfg.rt_runtime = 7 * SIM_MS;
	}
	if (seed % 4) {
		rig_cfg.costs.scalar[SIM_COST_context_switch] = 3 * SIM_US;
		rig_cfg.costs.scalar[SIM_COST_ipi] = SIM_US;
		sim_cost_set(&rig_cfg.costs, "idle_exit", 10 * SIM_US);
	}
	rig_start();
	for (unsigned i = 0; i < TASKS; i++)
		make_task(i);
	for (unsigned step = 1; step < 3000; step++) {
		rig_run(step * 70 * SIM_US + step % 5);
		check_books();
		check_idle();
		random_change(step);
		check_books();
	}
	digest = rig_digest;
	rig_stop();
	return digest;
}

START_TEST(books_are_kept)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		monkey(seed);
}
END_TEST

START_TEST(runs_repeat)
{
	for (uint64_t seed = 50; seed <= 60; seed++) {
		uint64_t digest = monkey(seed);

		ck_assert_uint_eq(monkey(seed), digest);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched_monkey");
	TCase *t = tcase_create("monkey");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, books_are_kept);
	tcase_add_test(t, runs_repeat);
	suite_add_tcase(s, t);
	return run_suite(s);
}
