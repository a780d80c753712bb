// SPDX-License-Identifier: GPL-2.0-or-later
/* Fair tasks: CFS of 6.1 and EEVDF of 6.12 on one CPU, SIM_IDLE and SIM_BATCH, class changes. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/machine/sched_rq.h"
#include "tests/unit/core/run.h"
#include "tests/unit/machine/rig.h"

#define MS(n) ((n) * SIM_MS)

static void start(unsigned cpus, enum sim_fair fair)
{
	rig_config(cpus);
	rig_cfg.fair = fair;
	rig_start();
}

/* Within @permille of @want. */
static void expect_near(sim_time got, sim_time want, unsigned permille)
{
	sim_time diff = got > want ? got - want : want - got;

	ck_assert_msg(diff <= want * permille / 1000, "%lu is not near %lu", (unsigned long)got, (unsigned long)want);
}

/* -- CFS --------------------------------------------------------------------------------------- */

static void weights(enum sim_fair fair, unsigned permille)
{
	struct sim_task *a, *b, *c, *d;
	sim_time total = SIM_S * 20, sum = 1024 + 335 + 3121 + 15;

	start(1, fair);
	a = TASK("A", NICE(0), 0, 0, RUN(MS(100)), AGAIN);
	b = TASK("B", NICE(5), 0, 0, RUN(MS(100)), AGAIN);
	c = TASK("C", NICE(-5), 0, 0, RUN(MS(100)), AGAIN);
	d = TASK("D", NICE(19), 0, 0, RUN(MS(100)), AGAIN);
	rig_run(total);
	expect_near(rig_ran(a), total * 1024 / sum, permille);
	expect_near(rig_ran(b), total * 335 / sum, permille);
	expect_near(rig_ran(c), total * 3121 / sum, permille);
	expect_near(rig_ran(d), total * 15 / sum, 100);
	rig_stop();
}

START_TEST(cfs_shares_by_weight)
{
	weights(SIM_FAIR_CFS, 10);
}
END_TEST

START_TEST(cfs_slices_shrink_with_company)
{
	start(1, SIM_FAIR_CFS); /* 12 tasks: 0.75 ms each by right, 1 ms by the tick, and "longer than" */
	for (unsigned i = 0; i < 12; i++) {
		char name[8];

		snprintf(name, sizeof(name), "t%u", i);
		TASK(name, FAIR, 0, 0, RUN(MS(50)));
	}
	rig_run(MS(5) + 1);
	expect_log(0, "0 t0, 1ms t1, 2ms t2, 3ms t3, 4ms t4, 5ms t5");
	rig_stop();
}
END_TEST

START_TEST(cfs_long_sleeper_gets_half_a_latency)
{
	struct sim_task *b;

	start(1, SIM_FAIR_CFS);
	TASK("A", FAIR, 0, 0, RUN(SIM_S));
	b = TASK("B", FAIR, 0, 0, RUN(SIM_US), SLEEP(MS(500)), RUN(MS(50)));
	rig_run(MS(504) + 2 * SIM_US);
	/* B slept through 500 ms of A's and is put 3 ms behind */
	ck_assert_int_eq(b->vruntime - sim->cpus[0].rq->fair.min_vruntime, -(int64_t)MS(3));
	rig_run(MS(510));
	expect_log(0, "0 A, 4ms B, 4.001ms A, 504.001ms B, 508ms A");
	rig_stop();
}
END_TEST

START_TEST(cfs_yield_skips_once)
{
	start(1, SIM_FAIR_CFS);
	TASK("A", FAIR, 0, 0, RUN(MS(1) / 2), YIELD, RUN(MS(1)), YIELD, RUN(MS(1) / 4));
	TASK("B", FAIR, 0, 0, RUN(MS(1) / 2), YIELD, RUN(MS(1)));
	rig_run(MS(10));
	/* at 2 ms both have had 1 ms and A yields; B is at most the granularity away */
	expect_log(0, "0 A, 500us B, 1ms A, 2ms B, 3ms A, 3.25ms -");
	rig_stop();
}
END_TEST

START_TEST(cfs_yield_does_not_run_somebody_far_ahead)
{
	start(1, SIM_FAIR_CFS);
	TASK("B", NICE(19), 0, 0, RUN(SIM_MS / 2), RUN(MS(4))); /* 0.5 ms are 34 ms of virtual time */
	TASK("A", FAIR, 0, SIM_MS / 2, RUN(MS(1)), YIELD, RUN(MS(1)));
	rig_run(MS(2) + 1);
	expect_log(0, "0 B, 500us A");
	rig_stop();
}
END_TEST

/* -- policies ------------------------------------------------------------------------------------- */

static void policies(enum sim_fair fair)
{
	start(1, fair);
	TASK("I", POLICY(SIM_IDLE), 0, 0, RUN(MS(20)));
	TASK("N", FAIR, 0, MS(1) / 4, RUN(MS(1) / 8)); /* preempts an idle-policy task at once */
	rig_run(MS(1));
	ck_assert_ptr_nonnull(strstr(rig_log(0), "250us N, 375us I"));
	rig_stop();

	start(1, fair);
	TASK("N", FAIR, 0, 0, RUN(MS(4)));
	TASK("B", POLICY(SIM_BATCH), 0, 2500 * SIM_US, RUN(MS(1) / 8)); /* never preempts by waking */
	TASK("I", POLICY(SIM_IDLE), 0, 2500 * SIM_US, RUN(MS(1) / 8));
	rig_run(2900 * SIM_US);
	expect_log(0, "0 N");
	rig_stop();
}

START_TEST(idle_and_batch)
{
	policies(SIM_FAIR_CFS);
	policies(SIM_FAIR_EEVDF);
}
END_TEST

START_TEST(idle_policy_gets_weight_3)
{
	struct sim_task *n, *i;

	start(1, SIM_FAIR_CFS);
	n = TASK("N", FAIR, 0, 0, RUN(MS(100)), AGAIN);
	i = TASK("I", POLICY(SIM_IDLE), 0, 0, RUN(MS(100)), AGAIN);
	rig_run(20 * SIM_S);
	expect_near(rig_ran(i), 20 * SIM_S * 3 / 1027, 100);
	expect_near(rig_ran(n), 20 * SIM_S * 1024 / 1027, 5);
	rig_stop();
}
END_TEST

/* -- EEVDF ------------------------------------------------------------------------------------------ */

START_TEST(eevdf_shares_by_weight)
{
	weights(SIM_FAIR_EEVDF, 10);
}
END_TEST

START_TEST(eevdf_slice)
{
	start(1, SIM_FAIR_EEVDF); /* 0.7 ms, seen at the tick of 1 ms */
	TASK("A", FAIR, 0, 0, RUN(MS(10)));
	TASK("B", FAIR, 0, 0, RUN(MS(10)));
	rig_run(MS(4) + 1);
	expect_log(0, "0 A, 1ms B, 2ms A, 3ms B, 4ms A");
	rig_stop();

	start(8, SIM_FAIR_EEVDF); /* factor 4: 2.8 ms */
	TASK("A", FAIR, 0, 0, RUN(MS(10)));
	TASK("B", FAIR, 0, 0, RUN(MS(10)));
	rig_run(MS(9) + 1);
	expect_log(0, "0 A, 3ms B, 6ms A, 9ms B");
	rig_stop();
}
END_TEST

START_TEST(eevdf_runs_to_parity)
{
	start(8, SIM_FAIR_EEVDF);
	/* A is picked with deadline 2.8; the wakee's would be earlier than a renewed one, not earlier than this one's parity */
	TASK("A", FAIR, 0, 0, RUN(MS(10)));
	TASK("B", NICE(-10), 0, MS(1), RUN(MS(1)));
	rig_run(MS(2));
	/* alone until 1 ms, A has vruntime = V = 1: eligible, so it is kept */
	expect_log(0, "0 A");
	rig_stop();
}
END_TEST

START_TEST(eevdf_wakee_preempts_an_ineligible_task)
{
	start(8, SIM_FAIR_EEVDF);
	TASK("C", FAIR, 0, 0, RUN(MS(10)));
	TASK("A", FAIR, 0, 0, RUN(MS(10)));
	TASK("B", NICE(-10), 0, MS(1), RUN(MS(1)));
	rig_run(MS(1) + 1);
	/* C is ahead of V (it ran 1 ms, A none), B is placed at V with a short virtual deadline */
	expect_log(0, "0 C, 1ms B");
	rig_stop();
}
END_TEST

START_TEST(eevdf_lag_is_kept)
{
	struct sim_task *a, *b;
	int64_t lag;

	start(8, SIM_FAIR_EEVDF);
	a = TASK("A", FAIR, 0, 0, RUN(MS(1) / 2), SLEEP(MS(20)), RUN(MS(5)));
	b = TASK("B", FAIR, 0, 0, RUN(MS(100)));
	rig_run(MS(1) / 2 + 1);
	/* A ran 0.5 ms, V is 0.25: it blocks ahead of V, so it stays in the tree */
	ck_assert(a->delayed && !a->on_rq);
	ck_assert_uint_eq(sim->cpus[0].rq->fair.nr, 2);
	ck_assert_uint_eq(sim->cpus[0].rq->nr, 1);
	rig_run(MS(20));
	/* B passed it long ago: a pick found it eligible and let it go, without debt */
	ck_assert(!a->delayed);
	ck_assert_int_le(a->lag, 0);
	lag = a->lag;
	rig_run(MS(20) + MS(1) / 2 + 1);
	ck_assert_int_ge(lag, -(int64_t)(2 * sim_sched.base_slice));
	(void)b;
	rig_stop();
}
END_TEST

START_TEST(eevdf_woken_while_delayed_keeps_its_debt)
{
	struct sim_task *a;

	start(8, SIM_FAIR_EEVDF);
	a = TASK("A", FAIR, 0, 0, RUN(MS(1)), SLEEP(MS(1) / 2), RUN(MS(5)));
	TASK("B", FAIR, 0, 0, RUN(MS(100)));
	rig_run(MS(1) + MS(1) / 4);
	ck_assert(a->delayed);
	ck_assert_int_eq(a->vruntime, (int64_t)MS(1));
	rig_run(MS(1) + MS(1) / 2 + 1);
	ck_assert(!a->delayed && a->on_rq);
	ck_assert_int_eq(a->vruntime, (int64_t)MS(1)); /* not placed again: B has had 0.5 ms only */
	ck_assert_str_eq(sim->cpus[0].curr->name, "B");
	rig_stop();
}
END_TEST

START_TEST(eevdf_delayed_leave_an_idle_cpu)
{
	struct sim_task *a, *b;

	start(1, SIM_FAIR_EEVDF);
	a = TASK("A", FAIR, 0, 0, RUN(MS(1) / 2), SLEEP(MS(20)));
	b = TASK("B", FAIR, 0, 0, RUN(MS(1) / 4), SLEEP(MS(20)));
	rig_run(MS(1));
	ck_assert(!a->delayed && !b->delayed);
	ck_assert_uint_eq(sim->cpus[0].rq->fair.nr, 0);
	ck_assert_uint_eq(sim->cpus[0].rq->fair.load, 0);
	ck_assert(sim->cpus[0].rq->fair.sum == 0);
	rig_stop();
}
END_TEST

/* -- class changes, nice ------------------------------------------------------------------------------ */

static struct sim_task *target, *donor;

static void set(struct sim_task *task, void *attr)
{
	(void)task;
	sim_setscheduler(target, attr);
}

static void boost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(target, donor);
}

static void deboost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(target, NULL);
}

static void boosted(enum sim_fair fair)
{
	struct sim_task *b;

	start(1, fair);
	donor = TASK("D", FIFO(50), 0, SIM_NEVER, WAIT);
	b = TASK("B", FAIR, 0, 0, RUN(SIM_S), AGAIN);
	target = TASK("A", FAIR, 0, 0, RUN(MS(2)), DO(boost), RUN(MS(200)), DO(deboost), RUN(SIM_S), AGAIN);
	rig_run(SIM_S);
	/* what A ran while boosted is not charged to it afterwards: both share the other 800 ms */
	expect_near(rig_ran(target), MS(600), 20);
	expect_near(rig_ran(b), MS(400), 20);
	ck_assert_int_eq(target->shared->prio, 120);
	rig_stop();
}

START_TEST(boosting_costs_no_vruntime)
{
	boosted(SIM_FAIR_CFS);
	boosted(SIM_FAIR_EEVDF);
}
END_TEST

START_TEST(fair_donor_changes_the_number_only)
{
	start(1, SIM_FAIR_CFS);
	donor = TASK("D", NICE(-20), 0, SIM_NEVER, WAIT);
	target = TASK("A", FAIR, 0, 0, DO(boost), RUN(MS(1)));
	rig_run(MS(1) / 2);
	ck_assert_int_eq(target->shared->prio, 100);
	ck_assert_uint_eq(target->weight, 1024);
	rig_stop();
}
END_TEST

static void renice(enum sim_fair fair)
{
	static struct sim_attr nice5;
	struct sim_task *b;

	nice5 = NICE(5);
	start(1, fair);
	b = TASK("B", FAIR, 0, 0, RUN(SIM_S), AGAIN);
	target = TASK("A", FAIR, 0, 0, RUN(MS(1)), DO_WITH(set, &nice5), RUN(SIM_S), AGAIN);
	rig_run(10 * SIM_S);
	ck_assert_int_eq(target->shared->static_prio, 125);
	ck_assert_int_eq(target->shared->prio, 125);
	expect_near(rig_ran(target), 10 * SIM_S * 335 / 1359, 20);
	expect_near(rig_ran(b), 10 * SIM_S * 1024 / 1359, 20);
	rig_stop();
}

START_TEST(nice_changes_the_share)
{
	renice(SIM_FAIR_CFS);
	renice(SIM_FAIR_EEVDF);
}
END_TEST

/* Sums kept by adding and taking away must equal those counted afresh, whatever happened. */
#define TASKS 24

static struct sim_task *all[TASKS];
static uint64_t visits[TASKS];

static void random_act(struct sim_task *task, struct sim_act *act)
{
	uint64_t visit = visits[task->id]++, u = sim_draw(rig_cfg.seed, task->id, visit);

	*act = (struct sim_act){ .kind = visit % 2 ? SIM_ACT_SLEEP : SIM_ACT_RUN, .t = 1 + u % (3 * SIM_MS) };
	if (act->kind == SIM_ACT_SLEEP)
		act->t += sim->now;
	else if (u >> 60 == 0)
		act->kind = SIM_ACT_YIELD;
}

static void check_sums(void)
{
	for (unsigned c = 0; c < sim->ncpus; c++) {
		struct sim_rq *rq = sim->cpus[c].rq;
		unsigned nr = 0, runnable = 0;
		uint64_t load = 0;
		__int128 sum = 0;

		for (unsigned i = 0; i < TASKS; i++) {
			const struct sim_task *t = all[i];

			if (t->shared->cpu != (int)c || (!t->on_rq && !t->delayed))
				continue;
			runnable += t->on_rq;
			if (t->shared->prio < 100)
				continue;
			nr++;
			load += t->weight;
			sum += (__int128)t->vruntime * t->weight;
		}
		if (rq->nr != runnable || rq->fair.nr != nr || rq->fair.load != load ||
		    (rig_cfg.fair == SIM_FAIR_EEVDF && rq->fair.sum != sum))
			ck_abort_msg("cpu %u: nr %u/%u fair %u/%u load %lu/%lu", c, rq->nr, runnable, rq->fair.nr, nr,
				     (unsigned long)rq->fair.load, (unsigned long)load);
		if (sim_cpuset_has(sim_sched.idle.bits, c) != !runnable)
			ck_abort_msg("cpu %u: idle set", c);
	}
}

static void random_change(unsigned step)
{
	struct sim_task *t = all[sim_draw(rig_cfg.seed, 1000, step) % TASKS];
	uint64_t u = sim_draw(rig_cfg.seed, 1001, step);
	struct sim_attr attr = u & 1 ? NICE((int)(u >> 8 & 31) - 16) : FIFO(5);

	switch (u >> 4 & 3) {
	case 0:
		sim_setscheduler(t, &attr);
		break;
	case 1:
		sim_setprio(t, all[(t->id + 1) % TASKS]);
		break;
	case 2:
	case 3:
		sim_setprio(t, NULL);
		break;
	}
}

static uint64_t random_load(unsigned cpus, enum sim_fair fair, uint64_t seed)
{
	uint64_t digest;

	rig_config(cpus);
	rig_cfg.fair = fair;
	rig_cfg.seed = seed;
	rig_cfg.costs.scalar[SIM_COST_context_switch] = 2 * SIM_US;
	rig_start();
	for (unsigned i = 0; i < TASKS; i++) {
		char name[8];

		visits[i] = 0;
		snprintf(name, sizeof(name), "t%u", i);
		all[i] = sim_task_create(name, &NICE((int)(i % 9) - 4), i % cpus, NULL, random_act, NULL);
		sim_task_start(all[i], i);
	}
	for (unsigned step = 1; step < 4000; step++) {
		rig_run(step * 100 * SIM_US + 3);
		check_sums();
		random_change(step);
		check_sums();
	}
	digest = rig_digest;
	rig_stop();
	return digest;
}

START_TEST(random_loads_keep_the_books)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		for (unsigned cpus = 1; cpus <= 4; cpus += 3)
			for (unsigned fair = SIM_FAIR_CFS; fair <= SIM_FAIR_EEVDF; fair++) {
				uint64_t digest = random_load(cpus, fair, seed);

				ck_assert_uint_eq(random_load(cpus, fair, seed), digest);
			}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched_fair");
	TCase *t = tcase_create("fair");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, cfs_shares_by_weight);
	tcase_add_test(t, cfs_slices_shrink_with_company);
	tcase_add_test(t, cfs_long_sleeper_gets_half_a_latency);
	tcase_add_test(t, cfs_yield_skips_once);
	tcase_add_test(t, cfs_yield_does_not_run_somebody_far_ahead);
	tcase_add_test(t, idle_and_batch);
	tcase_add_test(t, idle_policy_gets_weight_3);
	tcase_add_test(t, eevdf_shares_by_weight);
	tcase_add_test(t, eevdf_slice);
	tcase_add_test(t, eevdf_runs_to_parity);
	tcase_add_test(t, eevdf_wakee_preempts_an_ineligible_task);
	tcase_add_test(t, eevdf_lag_is_kept);
	tcase_add_test(t, eevdf_woken_while_delayed_keeps_its_debt);
	tcase_add_test(t, eevdf_delayed_leave_an_idle_cpu);
	tcase_add_test(t, boosting_costs_no_vruntime);
	tcase_add_test(t, fair_donor_changes_the_number_only);
	tcase_add_test(t, nice_changes_the_share);
	tcase_add_test(t, random_loads_keep_the_books);
	suite_add_tcase(s, t);
	return run_suite(s);
}
