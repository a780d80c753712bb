// SPDX-License-Identifier: GPL-2.0-or-later
/* The scheduler's micro tests S1 to S12 of the specification (§7.7); S11 is about a mutex: test_mutex.c. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine/rig.h"

static void one_cpu(void)
{
	rig_config(1);
	rig_start();
}

/* -- S1: equals do not preempt each other ------------------------------------------------------ */

START_TEST(s1_fifo_equal_waits)
{
	one_cpu();
	TASK("A", FIFO(20), 0, 0, RUN(4 * SIM_MS));
	TASK("B", FIFO(20), 0, SIM_MS, RUN(SIM_MS));
	rig_run(10 * SIM_MS);
	expect_log(0, "0 A, 4ms B, 5ms -");
	rig_stop();
}
END_TEST

START_TEST(s1_fifo_equal_runs_at_yield)
{
	one_cpu();
	TASK("A", FIFO(20), 0, 0, RUN(2 * SIM_MS), YIELD, RUN(2 * SIM_MS));
	TASK("B", FIFO(20), 0, SIM_MS, RUN(SIM_MS));
	rig_run(10 * SIM_MS);
	expect_log(0, "0 A, 2ms B, 3ms A, 5ms -");
	rig_stop();
}
END_TEST

/* -- S2: a preempted task stays at the head ----------------------------------------------------- */

START_TEST(s2_preempted_stays_at_head)
{
	one_cpu();
	TASK("A", FIFO(20), 0, 0, RUN(4 * SIM_MS), YIELD, RUN(SIM_MS));
	TASK("B", FIFO(20), 0, SIM_MS, RUN(SIM_MS));
	TASK("H", FIFO(30), 0, 2 * SIM_MS, RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 A, 2ms H, 3ms A, 5ms B, 6ms A, 7ms -");
	rig_stop();
}
END_TEST

/* -- S3: head on deboost, tail on boost ---------------------------------------------------------- */

static struct sim_task *s3_donor, *s3_target;

static void boost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(s3_target, s3_donor);
}

static void deboost(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_setprio(s3_target, NULL);
}

static void to_10(struct sim_task *task, void *arg)
{
	struct sim_attr attr = FIFO(10);

	(void)task, (void)arg;
	sim_setscheduler(s3_target, &attr);
}

static void to_30(struct sim_task *task, void *arg)
{
	struct sim_attr attr = FIFO(30);

	(void)task, (void)arg;
	sim_setscheduler(s3_target, &attr);
}

START_TEST(s3_deboosted_goes_to_head)
{
	one_cpu();
	s3_donor = TASK("D", FIFO(30), 0, SIM_NEVER, RUN(SIM_MS));
	s3_target = TASK("A", FIFO(10), 0, 0, RUN(SIM_MS), DO(boost), RUN(2 * SIM_MS), DO(deboost), RUN(3 * SIM_MS));
	TASK("C", FIFO(10), 0, SIM_MS / 2, RUN(SIM_MS));
	TASK("M", FIFO(20), 0, 2 * SIM_MS, RUN(SIM_MS)); /* waits for the boosted A */
	rig_run(20 * SIM_MS);
	/* M preempts at the deboost; then A, who was put at the head of list 10, before C */
	expect_log(0, "0 A, 3ms M, 4ms A, 7ms C, 8ms -");
	ck_assert_int_eq(s3_target->shared->prio, 89);
	rig_stop();
}
END_TEST

START_TEST(s3_setscheduler_down_goes_to_head)
{
	one_cpu();
	s3_target = TASK("A", FIFO(30), 0, 0, RUN(2 * SIM_MS), DO(to_10), RUN(2 * SIM_MS));
	TASK("C", FIFO(10), 0, SIM_MS, RUN(SIM_MS));
	TASK("M", FIFO(20), 0, SIM_MS, RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 A, 2ms M, 3ms A, 5ms C, 6ms -");
	rig_stop();
}
END_TEST

START_TEST(s3_setscheduler_up_goes_to_tail)
{
	one_cpu();
	TASK("X", FIFO(40), 0, 0, RUN(2 * SIM_MS), DO(to_30), RUN(SIM_MS));
	s3_target = TASK("A", FIFO(10), 0, 0, RUN(SIM_MS));
	TASK("B", FIFO(30), 0, SIM_MS, RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 X, 3ms B, 4ms A, 5ms -");
	rig_stop();
}
END_TEST

START_TEST(s3_boost_goes_to_tail)
{
	one_cpu();
	s3_donor = TASK("D", FIFO(30), 0, SIM_NEVER, RUN(SIM_MS));
	TASK("X", FIFO(40), 0, 0, RUN(2 * SIM_MS), DO(boost), RUN(SIM_MS));
	s3_target = TASK("A", FIFO(10), 0, 0, RUN(SIM_MS));
	TASK("B", FIFO(30), 0, SIM_MS, RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 X, 3ms B, 4ms A, 5ms -");
	rig_stop();
}
END_TEST

START_TEST(s3_same_number_keeps_place)
{
	one_cpu();
	TASK("X", FIFO(40), 0, 0, RUN(2 * SIM_MS), DO(to_30), RUN(SIM_MS));
	s3_target = TASK("A", RR(30), 0, 0, RUN(SIM_MS)); /* RR to FIFO: still 30 */
	TASK("B", FIFO(30), 0, SIM_MS, RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 X, 3ms A, 4ms B, 5ms -");
	rig_stop();
}
END_TEST

/* -- S4: RR slices --------------------------------------------------------------------------------- */

START_TEST(s4_rr_alternates)
{
	one_cpu();
	TASK("A", RR(20), 0, 0, RUN(250 * SIM_MS));
	TASK("B", RR(20), 0, 0, RUN(150 * SIM_MS));
	rig_run(SIM_S);
	expect_log(0, "0 A, 100ms B, 200ms A, 300ms B, 350ms A, 400ms -");
	rig_stop();
}
END_TEST

START_TEST(s4_fifo_among_rr_never_rotates)
{
	one_cpu();
	TASK("A", RR(20), 0, 0, RUN(150 * SIM_MS));
	TASK("F", FIFO(20), 0, 0, RUN(350 * SIM_MS));
	TASK("B", RR(20), 0, 0, RUN(50 * SIM_MS));
	rig_run(SIM_S);
	expect_log(0, "0 A, 100ms F, 450ms B, 500ms A, 550ms -");
	rig_stop();
}
END_TEST

/* Free ticks are skipped while they cannot decide anything, priced ones are not: same result. */
START_TEST(s4_skipped_ticks_change_nothing)
{
	rig_config(1);
	rig_cfg.costs.scalar[SIM_COST_tick] = 1;
	rig_start();
	TASK("A", RR(20), 0, 0, RUN(170 * SIM_MS), SLEEP(SIM_MS), RUN(100 * SIM_MS));
	TASK("B", RR(20), 0, 130 * SIM_MS, RUN(50 * SIM_MS), RUN(60 * SIM_MS));
	rig_run(SIM_S);
	char *priced = strdup(rig_log(0));
	rig_stop();
	one_cpu();
	TASK("A", RR(20), 0, 0, RUN(170 * SIM_MS), SLEEP(SIM_MS), RUN(100 * SIM_MS));
	TASK("B", RR(20), 0, 130 * SIM_MS, RUN(50 * SIM_MS), RUN(60 * SIM_MS));
	rig_run(SIM_S);
	/* A's first slice ended at 100 ms unnoticed; of its second, 30 ms were left at 170 ms */
	expect_log(0, "0 A, 170ms B, 270ms A, 300ms B, 310ms A, 380ms -");
	/* the order is the same; times differ by the ticks' picoseconds */
	ck_assert_str_eq(priced, "0 A, 170.00000017ms B, 270.000000001ms A, 300.000000001ms B, 310.00000028ms A, "
				 "380.00000038ms -");
	free(priced);
	rig_stop();
}
END_TEST

/* -- S5: CFS wake-up preemption ------------------------------------------------------------------------ */

static void s5(unsigned cpus, sim_time ran, bool preempts)
{
	rig_config(cpus);
	rig_start();
	TASK("A", FAIR, 0, 0, RUN(3 * SIM_MS));
	TASK("B", FAIR, 0, ran, RUN(100 * SIM_US));
	rig_run(ran + 10 * SIM_US);
	if (preempts)
		ck_assert_str_eq(sim->cpus[0].curr->name, "B");
	else
		ck_assert_str_eq(sim->cpus[0].curr->name, "A");
	rig_stop();
}

START_TEST(s5_cfs_wakeup_granularity)
{
	s5(1, 1500 * SIM_US, true);
	s5(1, 500 * SIM_US, false);
	s5(1, 1000 * SIM_US, false); /* exactly the granularity is not more than it */
	s5(8, 1500 * SIM_US, false);
	s5(2, 1500 * SIM_US, false); /* factor 2 */
	s5(2, 2100 * SIM_US, true);
}
END_TEST

/* -- S6: CFS slice ---------------------------------------------------------------------------------------- */

START_TEST(s6_cfs_slice)
{
	one_cpu();
	TASK("A", FAIR, 0, 0, RUN(10 * SIM_MS));
	TASK("B", FAIR, 0, 0, RUN(10 * SIM_MS));
	rig_run(16 * SIM_MS);
	/* slice 3 ms, and "ran longer than" is seen at the tick after 4 ms */
	expect_log(0, "0 A, 4ms B, 8ms A, 12ms B");
	rig_stop();
}
END_TEST

/* -- S7, S8: preemption models ------------------------------------------------------------------------------ */

static void might_sleep(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	sim_resched_point(true);
}

/* A fair task in a 5 ms kernel loop, a wakee at 2.25 ms. */
static const char *s7(enum sim_preempt preempt, struct sim_attr wakee, bool point, bool spinlock)
{
	static char log[256];

	rig_config(1);
	rig_cfg.preempt = preempt;
	rig_start();
	if (point)
		TASK("A", FAIR, 0, 0, KERNEL(1), RUN(4 * SIM_MS), CALL(might_sleep), RUN(SIM_MS), KERNEL(-1), RUN(SIM_MS));
	else if (spinlock)
		TASK("A", FAIR, 0, 0, KERNEL(1), PREEMPT(1), RUN(4500 * SIM_US), PREEMPT(-1), RUN(500 * SIM_US),
		     KERNEL(-1), RUN(SIM_MS));
	else
		TASK("A", FAIR, 0, 0, KERNEL(1), RUN(5 * SIM_MS), KERNEL(-1), RUN(SIM_MS));
	TASK("B", wakee, 0, 2250 * SIM_US, RUN(100 * SIM_US));
	rig_run(20 * SIM_MS);
	snprintf(log, sizeof(log), "%.*s", (int)sizeof(log) - 1, rig_log(0));
	rig_stop();
	return log;
}

START_TEST(s7_none)
{
	ck_assert_str_eq(s7(SIM_PREEMPT_NONE, FAIR, false, false), "0 A, 5ms B, 5.1ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_NONE, FIFO(50), false, false), "0 A, 5ms B, 5.1ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_NONE, FAIR, true, false), "0 A, 5ms B, 5.1ms A, 6.1ms -");
}
END_TEST

START_TEST(s7_voluntary)
{
	ck_assert_str_eq(s7(SIM_PREEMPT_VOLUNTARY, FAIR, false, false), "0 A, 5ms B, 5.1ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_VOLUNTARY, FAIR, true, false), "0 A, 4ms B, 4.1ms A, 6.1ms -");
}
END_TEST

START_TEST(s7_full)
{
	ck_assert_str_eq(s7(SIM_PREEMPT_FULL, FAIR, false, false), "0 A, 2.25ms B, 2.35ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_RT, FAIR, false, false), "0 A, 2.25ms B, 2.35ms A, 6.1ms -");
}
END_TEST

START_TEST(s7_lazy)
{
	/* fair: promoted by the next tick; RT: at once */
	ck_assert_str_eq(s7(SIM_PREEMPT_LAZY, FAIR, false, false), "0 A, 3ms B, 3.1ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_LAZY, FIFO(1), false, false), "0 A, 2.25ms B, 2.35ms A, 6.1ms -");
}
END_TEST

START_TEST(s7_lazy_in_user_mode)
{
	rig_config(1);
	rig_cfg.preempt = SIM_PREEMPT_LAZY;
	rig_start();
	TASK("A", FAIR, 0, 0, RUN(5 * SIM_MS));
	TASK("B", FAIR, 0, 2250 * SIM_US, RUN(100 * SIM_US));
	rig_run(20 * SIM_MS);
	expect_log(0, "0 A, 2.25ms B, 2.35ms A, 5.1ms -");
	rig_stop();
}
END_TEST

START_TEST(s8_spinlock)
{
	ck_assert_str_eq(s7(SIM_PREEMPT_FULL, FAIR, false, true), "0 A, 4.5ms B, 4.6ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_FULL, FIFO(50), false, true), "0 A, 4.5ms B, 4.6ms A, 6.1ms -");
	ck_assert_str_eq(s7(SIM_PREEMPT_LAZY, FAIR, false, true), "0 A, 4.5ms B, 4.6ms A, 6.1ms -");
}
END_TEST

/* -- S9, S10: sleeping and waking ------------------------------------------------------------------------------ */

static struct sim_task *sleeper;
static int condition;

static void sleep_right(struct sim_task *task, void *arg)
{
	(void)arg;
	for (;;) {
		task->shared->__state = SIM_TASK_UNINTERRUPTIBLE;
		if (condition)
			break;
		sim_spend(SIM_MS); /* about to call schedule() */
		sim_schedule();
	}
	task->shared->__state = SIM_TASK_RUNNING;
}

static void sleep_wrong(struct sim_task *task, void *arg)
{
	(void)arg;
	if (condition)
		return;
	sim_spend(SIM_MS);
	task->shared->__state = SIM_TASK_UNINTERRUPTIBLE;
	sim_schedule();
}

static void set_and_wake(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	condition = 1;
	sim_wake(sleeper, SIM_TASK_NORMAL);
}

static enum sim_stop s9(void (*body)(struct sim_task *task, void *arg))
{
	enum sim_stop why;

	condition = 0;
	rig_config(2);
	rig_start();
	sleeper = TASK("S", FAIR, 0, 0, CALL(body));
	TASK("W", FAIR, 1, 0, RUN(SIM_MS / 2), DO(set_and_wake));
	why = sim_machine_run(SIM_NEVER, true);
	return why;
}

START_TEST(s9_no_lost_wakeup)
{
	ck_assert_int_eq(s9(sleep_right), SIM_STOP_DONE);
	expect_log(0, "0 S"); /* schedule() did not put it to sleep */
	rig_stop();
}
END_TEST

START_TEST(s9_wrong_order_loses_the_wakeup)
{
	ck_assert_int_eq(s9(sleep_wrong), SIM_STOP_QUIET);
	ck_assert(!sleeper->exited);
	rig_stop();
}
END_TEST

static void s10_body(struct sim_task *task, void *arg)
{
	(void)arg;
	task->shared->__state = SIM_TASK_UNINTERRUPTIBLE;
	sim_spend(2 * SIM_MS);
	sim_schedule();
}

static void s10_look(struct sim_task *task, void *arg)
{
	(void)task, (void)arg;
	ck_assert_uint_eq(sleeper->shared->__state, SIM_TASK_UNINTERRUPTIBLE);
	ck_assert(sleeper->on_rq);
}

START_TEST(s10_preempted_before_schedule)
{
	one_cpu();
	sleeper = TASK("S", FAIR, 0, 0, CALL(s10_body));
	TASK("H", FIFO(10), 0, SIM_MS, DO(s10_look), RUN(3 * SIM_MS), DO(s10_look));
	TASK("L", FAIR, 0, 9 * SIM_MS, RUN(SIM_MS), DO(set_and_wake), RUN(SIM_MS));
	rig_run(20 * SIM_MS);
	/* picked again at 5 ms, it calls schedule() and only then sleeps */
	expect_log(0, "0 S, 2ms H, 5ms S, 5ms -, 9ms L, 11ms S, 11ms -");
	rig_stop();
}
END_TEST

/* -- S12: RT placement and push ----------------------------------------------------------------------------------- */

START_TEST(s12_wakee_goes_to_the_idle_cpu)
{
	rig_config(2);
	rig_start();
	TASK("A", FIFO(40), 0, 0, RUN(4 * SIM_MS));
	TASK("B", FIFO(30), ANY, SIM_MS, RUN(SIM_MS));
	rig_run(10 * SIM_MS);
	ck_assert_str_eq(rig_log(-1), "0 c0 A, 1ms c1 B, 2ms c1 -, 4ms c0 -");
	rig_stop();
}
END_TEST

START_TEST(s12_pinned_wakee_waits)
{
	rig_config(2);
	rig_start();
	TASK("A", FIFO(40), 0, 0, RUN(4 * SIM_MS));
	TASK("B", FIFO(30), 0, SIM_MS, RUN(SIM_MS));
	rig_run(10 * SIM_MS);
	ck_assert_str_eq(rig_log(-1), "0 c0 A, 4ms c0 B, 5ms c0 -");
	rig_stop();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched");
	TCase *t = tcase_create("S");
	SRunner *r;
	int failed;

	tcase_add_test(t, s1_fifo_equal_waits);
	tcase_add_test(t, s1_fifo_equal_runs_at_yield);
	tcase_add_test(t, s2_preempted_stays_at_head);
	tcase_add_test(t, s3_deboosted_goes_to_head);
	tcase_add_test(t, s3_setscheduler_down_goes_to_head);
	tcase_add_test(t, s3_setscheduler_up_goes_to_tail);
	tcase_add_test(t, s3_boost_goes_to_tail);
	tcase_add_test(t, s3_same_number_keeps_place);
	tcase_add_test(t, s4_rr_alternates);
	tcase_add_test(t, s4_fifo_among_rr_never_rotates);
	tcase_add_test(t, s4_skipped_ticks_change_nothing);
	tcase_add_test(t, s5_cfs_wakeup_granularity);
	tcase_add_test(t, s6_cfs_slice);
	tcase_add_test(t, s7_none);
	tcase_add_test(t, s7_voluntary);
	tcase_add_test(t, s7_full);
	tcase_add_test(t, s7_lazy);
	tcase_add_test(t, s7_lazy_in_user_mode);
	tcase_add_test(t, s8_spinlock);
	tcase_add_test(t, s9_no_lost_wakeup);
	tcase_add_test(t, s9_wrong_order_loses_the_wakeup);
	tcase_add_test(t, s10_preempted_before_schedule);
	tcase_add_test(t, s12_wakee_goes_to_the_idle_cpu);
	tcase_add_test(t, s12_pinned_wakee_waits);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
