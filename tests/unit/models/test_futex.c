// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The futex mutex: what is done in user mode, what in the kernel, who is woken, who may
 * pass. W = 2 between being woken and running.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/models/harness.h"

static const struct kind {
	const char *model, *params;
} kinds[] = { { "futex", NULL }, { "futex", "pthread=1" }, { "futex-rt", NULL }, { "futex-rt", "pthread=1" } };
#define KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

static void open_kind(unsigned ncpus, const struct kind *kind, const char *cost, sim_time value)
{
	bench_open(ncpus);
	if (cost)
		bench_cost(cost, value);
	bench_cost("idle_exit", 2 * U);
	bench_lock_params("L", kind->model, kind->params);
	bench_watch("L");
}

static void open_cost(unsigned ncpus, const char *params, const char *name, sim_time cost)
{
	open_kind(ncpus, &(struct kind){ "futex", params }, name, cost);
}

static void open_f(unsigned ncpus, const char *params)
{
	open_cost(ncpus, params, NULL, 0);
}

static void close_f(void)
{
	ck_assert(bench_done());
	ck_assert_str_eq(bench_findings(), "");
	ck_assert_str_eq(bench_state("L"), "NULL");
	bench_close();
}

START_TEST(uncontended_stays_in_user_mode)
{
	open_kind(1, &kinds[_i], "syscall", 7 * U);
	bench_task("A", 0, 0, 0, "lock L; run 1; unlock L; lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, A 1");
	ck_assert_str_eq(bench_words(), "00000001 00000000 00000001 00000000");
	close_f();
}
END_TEST

START_TEST(sleepers_are_served_in_order)
{
	open_kind(4, &kinds[_i], NULL, 0);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("R", 3, 50, 3, "lock L; run 1; unlock L"); /* real time: woken first */
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 5 * U), "A [R B C]");
	ck_assert_str_eq(bench_grants("L"), "A 0, R 12, B 15, C 18");
	/* B's exchange with 2; each woken one leaves 2 again, so the last unlock enters the kernel for nobody */
	ck_assert_str_eq(bench_words(), "00000001 00000002 00000000 00000002 00000000 00000002 00000000 00000002 "
					"00000000");
	ck_assert_uint_eq(bench_event("L", "futex_wait"), 3);
	ck_assert_uint_eq(bench_event("L", "futex_wake"), 3);
	ck_assert_uint_eq(bench_event("L", "futex_wake_none"), 1);
	close_f();
}
END_TEST

/* B is on its way each time D comes and goes: unbounded. */
START_TEST(barging)
{
	open_kind(3, &kinds[_i], NULL, 0);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 5, "run 6; lock L; run 3; unlock L; lock L; run 3; unlock L; run 1; lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, D 11, D 14, D 18, B 21");
	ck_assert_uint_eq(bench_event("L", "futex_lost"), 3);
	close_f();
}
END_TEST

/* B, woken and robbed, queues anew: behind C. */
START_TEST(stealing_past_a_sleeper)
{
	open_f(4, NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L"); /* still queued when D comes */
	bench_task("D", 3, 0, 5, "run 6; lock L; run 3; unlock L");
	bench_run(100);
	ck_assert_uint_eq(bench_event("L", "futex_steal"), 1);
	ck_assert_str_eq(bench_grants("L"), "A 0, D 11, C 16, B 19");
	close_f();
}
END_TEST

/* Unlock has put 0 there before FUTEX_WAIT looks. */
START_TEST(the_word_changes_before_the_sleep)
{
	open_cost(2, NULL, "syscall", 4 * U);
	bench_task("A", 0, 0, 0, "lock L; run 3; unlock L");
	bench_task("B", 1, 0, 2, "lock L; run 1; unlock L"); /* in the kernel from 2, looks at 4 */
	bench_run(100);
	ck_assert_uint_eq(bench_event("L", "futex_wait"), 0);
	ck_assert_uint_eq(bench_event("L", "futex_wait_again"), 1);
	ck_assert_uint_ge(bench_event("L", "futex_wake_none"), 1);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 6"); /* and 2 back */
	close_f();
}
END_TEST

/* Half a system call each way; A's unlock returns when the wake-up is done. */
START_TEST(system_calls_cost)
{
	open_cost(2, NULL, "syscall", 4 * U);
	bench_lock("M", "tas"); /* to see when an unlock has returned */
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L; lock M; unlock M");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L; lock M; unlock M");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 16"); /* 10 + 2 in, + 2 idle exit, + 2 out */
	ck_assert_str_eq(bench_grants("M"), "A 14, B 21"); /* B's was FUTEX_WAKE for nobody */
	close_f();
}
END_TEST

START_TEST(a_signal_ends_the_sleep_not_the_wait)
{
	open_f(3, NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("S", 2, 0, 5, "signal B");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), 0);
	ck_assert_uint_eq(bench_event("L", "futex_signal"), 1);
	ck_assert_uint_eq(bench_event("L", "futex_wait"), 2);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12");
	close_f();
}
END_TEST

/* The holder is preempted like any user code, whatever the preemption model. */
START_TEST(holding_is_user_mode)
{
	bench_open(1);
	bench_preempt(SIM_PREEMPT_NONE);
	bench_lock("L", "futex");
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("K", 0, 50, 2, "run 3");
	bench_run(100);
	ck_assert_int_eq(bench_ran("K", 1), 2);
	ck_assert_int_eq(bench_released("A", 1), 8);
	close_f();
}
END_TEST

START_TEST(adaptive_spinning)
{
	open_cost(2, "pthread=1 adaptive=1", "relax", U);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L"); /* ten turns at first: until 11 */
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 5");
	ck_assert_uint_eq(bench_event("L", "futex_spin"), 1);
	close_f();
	open_cost(2, "pthread=1 adaptive=1", "relax", U);
	bench_task("A", 0, 0, 0, "lock L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 22");
	ck_assert_uint_eq(bench_event("L", "futex_spin"), 0);
	ck_assert_uint_eq(bench_event("L", "futex_wait"), 1);
	close_f();
}
END_TEST

/* The turns are over, and the lock is free by then: a last swap takes it with 1, so that its unlock wakes nobody. */
START_TEST(adaptive_swaps_again_before_it_sleeps)
{
	open_cost(2, "pthread=1 adaptive=1", "relax", U);
	bench_task("A", 0, 0, 0, "lock L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_stop_at("B", "futex-spun", 1, 25);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 25");
	ck_assert_str_eq(bench_words(), "00000001 00000000 00000001 00000000");
	ck_assert_uint_eq(bench_event("L", "futex_contended"), 0);
	ck_assert_uint_eq(bench_event("L", "futex_wake_none"), 0);
	close_f();
}
END_TEST

START_TEST(trylock)
{
	open_kind(2, &kinds[_i], NULL, 0);
	bench_task("A", 0, 0, 0, "try L; run 5; unlock L");
	bench_task("B", 1, 0, 2, "try L; unlock L; run 5; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 7");
	close_f();
}
END_TEST

/*
 * B is in the bucket when R wants to get in, and R's priority changes while it waits. A raw lock keeps R spinning.
 * Under PREEMPT_RT it sleeps and lends B its priority, which B loses as it leaves the bucket.
 */
static void in_the_bucket(const char *model)
{
	open_kind(4, &(struct kind){ model, NULL }, NULL, 0);
	bench_task("A", 2, 0, 0, "lock L; run 20; unlock L");
	bench_task("B", 0, 10, 1, "lock L; run 1; unlock L");
	bench_task("R", 1, 50, 4, "lock L; run 1; unlock L");
	bench_task("S", 3, 90, 6, "prio R 60");
	bench_stop_at("B", "futex-queue", 1, 9);
	bench_probe("L", 15 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 15 * U), "A [R B]");
	ck_assert_str_eq(bench_grants("L"), "A 0, R 22, B 25");
}

START_TEST(bucket_raw)
{
	in_the_bucket("futex");
	ck_assert(!strstr(bench_log(), "effprio B"));
	close_f();
}
END_TEST

START_TEST(bucket_sleeps)
{
	in_the_bucket("futex-rt");
	ck_assert(strstr(bench_log(), "t=4: cpu1 runs R prio=49; R blocks on L owner B order [B]; effprio B 89->49 (donor R)"));
	ck_assert(strstr(bench_log(), "effprio B 49->39 (donor R)"));
	ck_assert(strstr(bench_log(), "effprio B 39->89 (none)"));
	ck_assert_uint_eq(bench_event("L", "futex_wait"), 2); /* the bucket's own events are nobody's */
	close_f();
}
END_TEST

/* -- the condition variable: "lock" waits, "unlock" wakes one ---------------------------------------- */

static void open_cv(unsigned ncpus)
{
	bench_open(ncpus);
	bench_cost("idle_exit", 2 * U);
	bench_lock("C", "condition");
}

static void close_cv(void)
{
	ck_assert_msg(bench_done(), "%s", bench_log());
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

/* One each, RT first, the rest in order; what nobody waits for is not kept. */
START_TEST(condition_wakes_one)
{
	open_cv(4);
	bench_task("W", 0, 0, 0, "unlock C; run 10; unlock C; run 5; unlock C; run 5; unlock C; run 5; unlock C");
	bench_task("A", 1, 0, 1, "lock C");
	bench_task("B", 2, 0, 2, "lock C");
	bench_task("R", 3, 50, 3, "lock C");
	bench_probe("C", 5 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("C", 5 * U), "NULL [R A B]");
	ck_assert_uint_eq(bench_word("C", 5 * U), 0);
	ck_assert_str_eq(bench_grants("C"), "R 12, A 17, B 22");
	ck_assert_uint_eq(bench_event("C", "condition_lost"), 2);
	close_cv();
}
END_TEST

START_TEST(condition_wakes_all)
{
	open_cv(3);
	bench_task("A", 0, 0, 0, "lock C; run 1; lock C timeout 3");
	bench_task("B", 1, 0, 1, "lock C");
	bench_task("W", 2, 0, 5, "wakeall C");
	bench_run(100);
	ck_assert_str_eq(bench_grants("C"), "A 7, B 7");
	ck_assert_int_eq(bench_result("A", 2), -ETIMEDOUT);
	ck_assert_uint_eq(bench_event("C", "condition_timeout"), 1);
	close_cv();
}
END_TEST

/* A stands between its ticket and the sleep when the wake-up comes: the word has changed, it does not sleep. */
START_TEST(condition_on_the_way_to_sleep)
{
	open_cv(2);
	bench_task("A", 0, 0, 0, "lock C");
	bench_stop_access("A", 1, 3, 5);
	bench_task("W", 1, 0, 2, "unlock C");
	bench_run(100);
	ck_assert_str_eq(bench_grants("C"), "A 5");
	ck_assert_uint_eq(bench_event("C", "futex_wait"), 0);
	ck_assert_uint_eq(bench_event("C", "futex_wait_again"), 1);
	ck_assert_uint_eq(bench_event("C", "condition_lost"), 0);
	close_cv();
}
END_TEST

/* A signal ends the sleep; the wait goes on, and hears the wake-up that came meanwhile. */
START_TEST(condition_and_a_signal)
{
	open_cv(2);
	bench_task("A", 0, 0, 0, "lock C intr");
	bench_task("W", 1, 0, 2, "signal A; run 5; unlock C");
	bench_run(100);
	ck_assert_str_eq(bench_grants("C"), "A 9");
	ck_assert_uint_eq(bench_event("C", "futex_signal"), 1);
	close_cv();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("futex");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, uncontended_stays_in_user_mode, 0, KINDS);
	tcase_add_loop_test(t, sleepers_are_served_in_order, 0, KINDS);
	tcase_add_loop_test(t, barging, 0, KINDS);
	tcase_add_test(t, stealing_past_a_sleeper);
	tcase_add_test(t, the_word_changes_before_the_sleep);
	tcase_add_test(t, system_calls_cost);
	tcase_add_test(t, a_signal_ends_the_sleep_not_the_wait);
	tcase_add_test(t, holding_is_user_mode);
	tcase_add_test(t, adaptive_spinning);
	tcase_add_test(t, adaptive_swaps_again_before_it_sleeps);
	tcase_add_loop_test(t, trylock, 0, KINDS);
	tcase_add_test(t, bucket_raw);
	tcase_add_test(t, bucket_sleeps);
	tcase_add_test(t, condition_wakes_one);
	tcase_add_test(t, condition_wakes_all);
	tcase_add_test(t, condition_on_the_way_to_sleep);
	tcase_add_test(t, condition_and_a_signal);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
