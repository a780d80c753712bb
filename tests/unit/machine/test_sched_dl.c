// SPDX-License-Identifier: GPL-2.0-or-later
/* SCHED_DEADLINE: order, bandwidth, wake-up rule, boosting, several CPUs. */
#include <stdlib.h>

#include "sim/core/prng.h"
#include "sim/machine/sched_rq.h"
#include "tests/unit/core/run.h"
#include "tests/unit/machine/rig.h"

#define MS(n) ((n) * SIM_MS)

static void cpus(unsigned n)
{
	rig_config(n);
	rig_start();
}

START_TEST(earliest_deadline_first)
{
	cpus(1);
	TASK("A", DL(MS(5), MS(50), MS(50)), 0, 0, RUN(MS(4)));
	TASK("B", DL(MS(5), MS(20), MS(20)), 0, MS(1), RUN(MS(2))); /* 21 < 50: preempts */
	TASK("C", DL(MS(5), MS(30), MS(30)), 0, MS(2), RUN(MS(2))); /* 32: waits for B */
	TASK("R", FIFO(99), 0, 0, RUN(MS(1)));
	TASK("F", FAIR, 0, 0, RUN(MS(1)));
	rig_run(MS(40));
	expect_log(0, "0 A, 1ms B, 3ms C, 5ms A, 8ms R, 9ms F, 10ms -");
	rig_stop();
}
END_TEST

START_TEST(equal_deadlines_go_by_task)
{
	cpus(1);
	TASK("A", DL(MS(5), MS(20), MS(20)), 0, 0, RUN(MS(2)));
	TASK("B", DL(MS(5), MS(20), MS(20)), 0, 0, RUN(MS(2)));
	rig_run(MS(10));
	expect_log(0, "0 A, 2ms B, 4ms -");
	rig_stop();
}
END_TEST

START_TEST(used_up_runtime_throttles)
{
	cpus(1);
	TASK("D", DL(MS(2), MS(10), MS(10)), 0, 0, RUN(MS(5)));
	TASK("F", FAIR, 0, 0, RUN(MS(100)));
	rig_run(MS(30));
	expect_log(0, "0 D, 2ms F, 10ms D, 12ms F, 20ms D, 21ms F");
	rig_stop();
}
END_TEST

START_TEST(overrun_is_carried_over)
{
	cpus(1); /* 1.5 ms of runtime, seen at the tick of 2 ms: 0.5 ms less in the next period */
	TASK("D", DL(1500 * SIM_US, MS(10), MS(10)), 0, 0, RUN(MS(5)));
	TASK("F", FAIR, 0, 0, RUN(MS(100)));
	rig_run(MS(30));
	expect_log(0, "0 D, 2ms F, 10ms D, 11ms F, 20ms D, 22ms F");
	rig_stop();
}
END_TEST

START_TEST(bandwidth_is_kept)
{
	struct sim_task *d;

	cpus(1);
	d = TASK("D", DL(MS(3), MS(10), MS(10)), 0, 0, RUN(SIM_S), AGAIN);
	TASK("F", FAIR, 0, 0, RUN(SIM_S), AGAIN);
	rig_run(SIM_S);
	ck_assert_uint_eq(rig_ran(d), MS(300));
	rig_stop();
}
END_TEST

START_TEST(yield_gives_the_period_away)
{
	cpus(1);
	TASK("D", DL(MS(5), MS(10), MS(10)), 0, 0, RUN(MS(1)), YIELD, RUN(MS(1)));
	TASK("F", FAIR, 0, 0, RUN(MS(100)));
	rig_run(MS(30));
	expect_log(0, "0 D, 1ms F, 10ms D, 11ms F");
	rig_stop();
}
END_TEST

START_TEST(short_sleep_keeps_the_deadline)
{
	struct sim_task *d;

	cpus(1);
	d = TASK("D", DL(MS(4), MS(10), MS(10)), 0, 0, RUN(MS(2)), SLEEP(MS(1)), RUN(MS(1)), WAIT);
	rig_run(MS(3) + 1);
	ck_assert_uint_eq(d->shared->dl_deadline, MS(10)); /* 2 ms left in 7 ms: below 4/10 */
	ck_assert_int_eq(d->dl_left, MS(2));
	rig_stop();
}
END_TEST

START_TEST(long_sleep_gives_a_new_deadline)
{
	struct sim_task *d;

	cpus(1);
	d = TASK("D", DL(MS(4), MS(10), MS(10)), 0, 0, RUN(MS(2)), SLEEP(MS(6)), RUN(MS(1)), WAIT);
	rig_run(MS(8) + 1);
	ck_assert_uint_eq(d->shared->dl_deadline, MS(18)); /* 2 ms left in 2 ms would be too dense */
	ck_assert_int_eq(d->dl_left, MS(4));
	rig_stop();
}
END_TEST

START_TEST(constrained_deadline_wakes_with_what_fits)
{
	struct sim_task *d;

	cpus(1);
	d = TASK("D", DL(MS(2), MS(4), MS(10)), 0, 0, RUN(MS(1)), SLEEP(MS(2)), RUN(MS(1)), WAIT);
	rig_run(MS(3) + 1);
	ck_assert_uint_eq(d->shared->dl_deadline, MS(4));
	ck_assert_int_eq(d->dl_left, SIM_MS / 2); /* 1 ms of laxity x 2/4 */
	rig_stop();
}
END_TEST

START_TEST(constrained_deadline_waits_for_its_period)
{
	cpus(1);
	TASK("D", DL(MS(2), MS(4), MS(10)), 0, 0, RUN(MS(1)), SLEEP(MS(5)), RUN(MS(1)));
	rig_run(MS(20));
	expect_log(0, "0 D, 1ms -, 10ms D, 11ms -");
	rig_stop();
}
END_TEST

START_TEST(throttled_while_asleep)
{
	cpus(1); /* uses all it has, sleeps, wakes before its period: waits for it */
	TASK("D", DL(MS(2), MS(10), MS(10)), 0, 0, KERNEL(1), PREEMPT(1), RUN(MS(3)), PREEMPT(-1), KERNEL(-1), SLEEP(MS(2)),
	     RUN(MS(1)));
	rig_run(MS(20));
	/* 1 ms of overrun while it could not be preempted */
	expect_log(0, "0 D, 3ms -, 10ms D, 11ms -");
	rig_stop();
}
END_TEST

/* -- boosting ------------------------------------------------------------------------------------ */

static struct sim_task *owner, *donor, *other;

static void boost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(owner, donor);
}

static void deboost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(owner, NULL);
}

START_TEST(fair_owner_runs_with_the_donors_parameters)
{
	cpus(1);
	owner = TASK("O", FAIR, 0, 0, RUN(MS(4)), DO(deboost), RUN(MS(1)));
	TASK("R", FIFO(99), 0, MS(2), RUN(MS(3)));
	donor = TASK("D", DL(MS(1), MS(10), MS(10)), 0, MS(1), DO(boost), WAIT);
	rig_run(MS(20));
	/* boosted, O is stronger than FIFO 99 and is not throttled though it runs for more than 1 ms */
	expect_log(0, "0 O, 1ms D, 1ms O, 4ms R, 7ms O, 8ms -");
	ck_assert_int_eq(owner->shared->prio, 120);
	ck_assert_uint_eq(owner->shared->dl_deadline, 0);
	ck_assert_ptr_null(owner->dl_donor);
	rig_stop();
}
END_TEST

START_TEST(boosted_deadline_is_now_plus_the_donors_relative)
{
	cpus(1);
	owner = TASK("O", FAIR, 0, 0, RUN(MS(8)), DO(deboost));
	donor = TASK("D", DL(MS(1), MS(10), MS(10)), 0, MS(1), RUN(SIM_MS / 2), DO(boost), WAIT);
	TASK("E", DL(MS(1), MS(9), MS(9)), 0, MS(2), RUN(SIM_MS / 2)); /* 11 < 11.5: preempts O */
	TASK("L", DL(MS(1), MS(30), MS(30)), 0, MS(3), RUN(SIM_MS / 2));
	rig_run(1500 * SIM_US + 1);
	ck_assert_uint_eq(owner->shared->dl_deadline, 11500 * SIM_US);
	ck_assert_int_eq(owner->shared->prio, SIM_DL_PRIO);
	rig_run(MS(20));
	expect_log(0, "0 O, 1ms D, 1.5ms O, 2ms E, 2.5ms O, 9ms L, 9.5ms -");
	rig_stop();
}
END_TEST

START_TEST(deadline_owner_takes_an_earlier_deadline)
{
	cpus(1);
	owner = TASK("O", DL(MS(5), MS(100), MS(100)), 0, 0, RUN(MS(3)), DO(deboost), RUN(MS(1)));
	donor = TASK("D", DL(MS(1), MS(10), MS(10)), 0, MS(1), DO(boost), WAIT);
	rig_run(MS(1) + 1);
	ck_assert_ptr_eq(owner->dl_donor, donor);
	rig_run(MS(10));
	ck_assert_ptr_null(owner->dl_donor);
	rig_stop();
}
END_TEST

START_TEST(fifo_donor_does_not_touch_a_deadline_owner)
{
	cpus(1);
	owner = TASK("O", DL(MS(5), MS(100), MS(100)), 0, 0, RUN(MS(3)));
	donor = TASK("D", FIFO(99), 0, SIM_NEVER, WAIT);
	TASK("X", POLICY(SIM_STOP), 0, MS(1), DO(boost), RUN(MS(1)));
	rig_run(MS(10));
	expect_log(0, "0 O, 1ms X, 2ms O, 4ms -");
	ck_assert_int_eq(owner->shared->prio, SIM_DL_PRIO);
	rig_stop();
}
END_TEST

static void become(struct sim_task *task, void *arg)
{
	(void)task;
	sim_setscheduler(other, arg);
}

START_TEST(class_changes_by_setscheduler)
{
	static struct sim_attr dl, fair;

	dl = DL(MS(2), MS(10), MS(10));
	fair = FAIR;
	cpus(1);
	other = TASK("A", FAIR, 0, 0, RUN(MS(1)), DO_WITH(become, &dl), RUN(MS(3)), DO_WITH(become, &fair), RUN(MS(1)));
	TASK("F", FIFO(1), 0, MS(1) / 2, RUN(MS(5)));
	rig_run(MS(30));
	/* A is kept off by F until 5.5; then deadline until throttled at the tick of 8 ms (2 ms from 6.0) */
	expect_log(0, "0 A, 500us F, 5.5ms A, 8ms -, 16ms A, 18ms -");
	rig_stop();
}
END_TEST

START_TEST(throttled_task_leaves_the_class)
{
	static struct sim_attr fair;

	fair = FAIR;
	cpus(1);
	other = TASK("A", DL(MS(2), MS(10), MS(10)), 0, 0, RUN(MS(4)));
	TASK("F", FIFO(1), 0, MS(3), DO_WITH(become, &fair), RUN(MS(1)));
	rig_run(MS(30));
	expect_log(0, "0 A, 2ms -, 3ms F, 4ms A, 6ms -");
	rig_stop();
}
END_TEST

/* -- several CPUs ----------------------------------------------------------------------------------- */

START_TEST(wakee_goes_to_the_latest_deadline)
{
	cpus(3);
	TASK("A", DL(MS(5), MS(20), MS(20)), 0, 0, RUN(MS(4)));
	TASK("B", DL(MS(5), MS(40), MS(40)), 1, 0, RUN(MS(4)));
	TASK("C", DL(MS(5), MS(60), MS(60)), 2, 0, RUN(MS(4)));
	TASK("W", DL(MS(5), MS(30), MS(30)), ANY, MS(1), RUN(MS(1)));
	rig_run(MS(10));
	expect_log(2, "0 C, 1ms W, 2ms C, 5ms -");
	rig_stop();
}
END_TEST

#define TASKS 16

static struct sim_task *all[TASKS];
static uint64_t visits[TASKS];

static void random_act(struct sim_task *task, struct sim_act *act)
{
	uint64_t visit = visits[task->id]++, u = sim_draw(rig_cfg.seed, task->id, visit);

	*act = (struct sim_act){ .kind = visit % 2 ? SIM_ACT_SLEEP : SIM_ACT_RUN, .t = 1 + u % (2 * SIM_MS) };
	if (act->kind == SIM_ACT_SLEEP)
		act->t += sim->now;
}

static bool settled(void)
{
	for (unsigned i = 0; i < sim->ncpus; i++) {
		const struct sim_cpu *cpu = &sim->cpus[i];

		if (cpu->need_resched || (cpu->mode != SIM_CPU_IDLE && cpu->mode != SIM_CPU_TASK))
			return false;
	}
	return true;
}

static void check_edf(void)
{
	for (unsigned i = 0; i < TASKS; i++) {
		const struct sim_task *w = all[i];

		if (!w->on_rq || w->throttled || sim->cpus[w->shared->cpu].curr == w)
			continue;
		for (unsigned c = 0; c < sim->ncpus; c++) {
			const struct sim_task *r = sim->cpus[c].curr;

			if (!r || sim_more_urgent(w, r))
				ck_abort_msg("seed %lu at %lu: %s waits for cpu %u", (unsigned long)rig_cfg.seed,
					     (unsigned long)sim->now, w->name, c);
		}
	}
}

START_TEST(global_edf)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		unsigned checked = 0;

		rig_config(3);
		rig_cfg.seed = seed;
		rig_start();
		for (unsigned i = 0; i < TASKS; i++) {
			sim_time period = (5 + sim_draw(seed, i, UINT64_MAX) % 60) * SIM_MS;
			char name[16];

			snprintf(name, sizeof(name), "t%u", i);
			visits[i] = 0;
			all[i] = sim_task_create(name, &DL(period / 6, period, period), i % 3, NULL, random_act, NULL);
			sim_task_start(all[i], sim_draw(seed, i, UINT64_MAX - 1) % SIM_MS);
		}
		for (unsigned step = 1; step < 4000; step++) {
			rig_run(step * 50 * SIM_US + 7);
			if (settled()) {
				check_edf();
				checked++;
			}
		}
		ck_assert_uint_gt(checked, 3000);
		rig_stop();
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched_dl");
	TCase *t = tcase_create("dl");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, earliest_deadline_first);
	tcase_add_test(t, equal_deadlines_go_by_task);
	tcase_add_test(t, used_up_runtime_throttles);
	tcase_add_test(t, overrun_is_carried_over);
	tcase_add_test(t, bandwidth_is_kept);
	tcase_add_test(t, yield_gives_the_period_away);
	tcase_add_test(t, short_sleep_keeps_the_deadline);
	tcase_add_test(t, long_sleep_gives_a_new_deadline);
	tcase_add_test(t, constrained_deadline_wakes_with_what_fits);
	tcase_add_test(t, constrained_deadline_waits_for_its_period);
	tcase_add_test(t, throttled_while_asleep);
	tcase_add_test(t, fair_owner_runs_with_the_donors_parameters);
	tcase_add_test(t, boosted_deadline_is_now_plus_the_donors_relative);
	tcase_add_test(t, deadline_owner_takes_an_earlier_deadline);
	tcase_add_test(t, fifo_donor_does_not_touch_a_deadline_owner);
	tcase_add_test(t, class_changes_by_setscheduler);
	tcase_add_test(t, throttled_task_leaves_the_class);
	tcase_add_test(t, wakee_goes_to_the_latest_deadline);
	tcase_add_test(t, global_edf);
	suite_add_tcase(s, t);
	return run_suite(s);
}
