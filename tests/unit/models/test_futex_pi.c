// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PI futex: what the user word says at each step, who is boosted, who steals, what
 * comes of deadlocks, timeouts and signals. Thread ids are 1, 2, 3 in order of creation. W = 2
 * between being woken and running on an idle CPU.
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

static void open_pi(unsigned ncpus)
{
	bench_open(ncpus);
	bench_cost("idle_exit", 2 * U);
	bench_lock("L", "futex-pi");
	bench_watch("L");
}

static void close_pi(void)
{
	ck_assert_msg(bench_done(), "%s", bench_log());
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(uncontended_stays_in_user_mode)
{
	open_pi(1);
	bench_task("A", 0, 0, 0, "lock L; run 1; unlock L; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00000001 00000000 00000001 00000000");
	ck_assert_uint_eq(bench_event("L", "rtmutex_lock_fast"), 2);
	ck_assert_uint_eq(bench_event("L", "futex_pi_user_free"), 2);
	ck_assert_uint_eq(bench_event("L", "futex_pi_state"), 0);
	close_pi();
}
END_TEST

/* Takes the holder off its CPU for a moment, so that whoever spins on it goes to sleep. */
static void intrude(int at)
{
	bench_task("K", 0, 90, at, "run 1");
}

/* Rows 1 to 5a of the table: the word names the next owner before it has run. */
START_TEST(hand_over)
{
	open_pi(2);
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L; run 1");
	bench_task("T2", 1, 20, 2, "lock L; run 1; unlock L");
	intrude(3);
	bench_probe("L", 5 * U);
	bench_probe("L", 11 * U); /* T2 is on its way */
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 5 * U), "T1|WAITERS [T2]");
	ck_assert_str_eq(bench_probed("L", 11 * U), "NULL|WAITERS [T2]");
	ck_assert_str_eq(bench_words(), "00000001 80000001 80000002 00000000");
	ck_assert_str_eq(bench_grants("L"), "T1 0, T2 12");
	ck_assert_uint_eq(bench_event("L", "futex_pi_fixup"), 0);
	close_pi();
}
END_TEST

/* Rows 4b, 5b: a stronger one comes before T2 has run, and puts its own name there. */
START_TEST(steal)
{
	open_pi(3);
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L");
	bench_task("T2", 1, 20, 2, "lock L; run 1; unlock L");
	bench_task("T3", 2, 30, 2, "run 9; lock L; run 3; unlock L");
	bench_probe("L", 13 * U);
	intrude(3);
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00000001 80000001 80000002 80000003 80000002 00000000");
	ck_assert_str_eq(bench_probed("L", 13 * U), "T3|WAITERS [T2]");
	ck_assert_str_eq(bench_grants("L"), "T1 0, T3 11, T2 14");
	ck_assert_uint_eq(bench_event("L", "futex_pi_fixup"), 1);
	ck_assert_uint_eq(bench_event("L", "rtmutex_steal"), 1);
	close_pi();
}
END_TEST

START_TEST(an_equal_one_queues)
{
	open_pi(3);
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L");
	bench_task("T2", 1, 20, 2, "lock L; run 1; unlock L");
	bench_task("T3", 2, 20, 2, "run 9; lock L; run 3; unlock L");
	intrude(3);
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00000001 80000001 80000002 80000003 00000000");
	ck_assert_uint_eq(bench_event("L", "futex_pi_fixup"), 0);
	close_pi();
}
END_TEST

/* The holder that never asked the kernel is boosted all the same. */
START_TEST(boosts_by_proxy)
{
	open_pi(1);
	bench_task("Lo", 0, 10, 0, "lock L; run 5; unlock L; run 2");
	bench_task("Hi", 0, 30, 1, "lock L; run 1; unlock L; run 1");
	bench_task("Me", 0, 20, 2, "run 10");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "Lo 0, Hi 5");
	ck_assert_int_eq(bench_ran("Me", 1), 7);
	ck_assert_uint_eq(bench_event("L", "futex_pi_state"), 1);
	close_pi();
}
END_TEST

START_TEST(deadlock_is_an_answer)
{
	open_pi(1);
	bench_lock("M", "futex-pi");
	bench_task("T1", 0, 20, 0, "lock L; run 3; lock M; run 1; unlock M; unlock L");
	bench_task("T2", 0, 30, 1, "lock M; run 1; lock L; run 1; unlock L; unlock M");
	bench_run(100);
	/* T2 waits for L; T1, boosted, asks for M: the full walk meets T1 itself */
	ck_assert_int_eq(bench_result("T1", 2), -EDEADLK);
	ck_assert_str_eq(bench_grants("L"), "T1 0, T2 4");
	close_pi();
}
END_TEST

START_TEST(own_lock)
{
	open_pi(1);
	bench_task("A", 0, 20, 0, "lock L; lock L; unlock L; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 2), -EDEADLK);
	ck_assert_str_eq(bench_words(), "00000001 00000000");
	close_pi();
}
END_TEST

/* The boost goes with the waiter; the word keeps WAITERS, so that the unlock asks the kernel for nobody. */
START_TEST(timeout_)
{
	open_pi(2);
	bench_lock("M", "tas");
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L");
	bench_task("T2", 1, 30, 1, "lock L timeout 3; unlock L");
	bench_task("Me", 0, 20, 2, "run 3"); /* kept off until T2 has gone */
	intrude(1);
	bench_run(100);
	ck_assert_int_eq(bench_result("T2", 1), -ETIMEDOUT);
	ck_assert_int_ge(bench_ran("Me", 1), 4);
	ck_assert_int_le(bench_ran("Me", 1), 6);
	ck_assert_str_eq(bench_words(), "00000001 80000001 00000000");
	ck_assert_uint_eq(bench_event("L", "futex_pi_user_free"), 0);
	close_pi();
}
END_TEST

START_TEST(a_signal_restarts)
{
	open_pi(3);
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L");
	bench_task("T2", 1, 20, 1, "lock L; run 1; unlock L");
	bench_task("S", 2, 20, 4, "signal T2");
	intrude(2);
	bench_run(100);
	ck_assert_int_eq(bench_result("T2", 1), 0);
	ck_assert_uint_eq(bench_event("L", "rtmutex_signal"), 1);
	ck_assert_uint_eq(bench_event("L", "futex_pi_state"), 2); /* it went with the only waiter, and was made anew */
	ck_assert_str_eq(bench_words(), "00000001 80000001 80000002 00000000");
	close_pi();
}
END_TEST

/*
 * T2's time is up when L has been given to it, and T3 has taken it past T2 and put its own name
 * there: nothing to put right. Without T3, T2 takes what it finds.
 */
START_TEST(timeout_when_it_is_mine_already)
{
	open_pi(3);
	bench_task("T1", 0, 10, 0, "lock L; run 9; unlock L; run 5");
	bench_task("T2", 1, 20, 1, "lock L timeout 10; run 1; unlock L"); /* fires at 11, woken at 10 */
	if (_i)
		bench_task("T3", 2, 30, 2, "run 9; lock L; run 5; unlock L");
	intrude(2);
	bench_run(100);
	ck_assert_int_eq(bench_result("T2", 1), _i ? -ETIMEDOUT : 0);
	close_pi();
}
END_TEST

START_TEST(trylock)
{
	open_pi(2);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("B", 1, 0, 2, "try L; unlock L; run 5; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	ck_assert_int_eq(bench_result("B", 2), 0);
	close_pi();
}
END_TEST

/* Released while B was on its way into the kernel. */
START_TEST(free_by_the_time)
{
	bench_open(2);
	bench_cost("syscall", 4 * U);
	bench_lock("L", "futex-pi");
	bench_watch("L");
	bench_task("A", 0, 0, 0, "lock L; run 3; unlock L");
	bench_task("B", 1, 0, 2, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00000001 00000000 00000002 00000000");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 6");
	ck_assert_uint_eq(bench_event("L", "rtmutex_lock_slow"), 1);
	ck_assert_uint_eq(bench_event("L", "futex_pi_state"), 0);
	close_pi();
}
END_TEST

START_TEST(calls_cost)
{
	bench_open(1);
	bench_cost("syscall", 4 * U);
	bench_lock("L", "futex-pi");
	bench_task("A", 0, 0, 0, "lock L; run 1; unlock L; run 1"); /* free */
	bench_task("Lo", 0, 10, 4, "lock L; run 6; unlock L"); /* 2 in, 2 out */
	bench_task("Hi", 0, 30, 5, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, Lo 4, Hi 16"); /* Hi: 5 to 7 in; Lo: 7 to 12, 2 in; Hi: 2 out */
	close_pi();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("futex_pi");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, uncontended_stays_in_user_mode);
	tcase_add_test(t, hand_over);
	tcase_add_test(t, steal);
	tcase_add_test(t, an_equal_one_queues);
	tcase_add_test(t, boosts_by_proxy);
	tcase_add_test(t, deadlock_is_an_answer);
	tcase_add_test(t, own_lock);
	tcase_add_test(t, timeout_);
	tcase_add_test(t, a_signal_restarts);
	tcase_add_loop_test(t, timeout_when_it_is_mine_already, 0, 2);
	tcase_add_test(t, trylock);
	tcase_add_test(t, free_by_the_time);
	tcase_add_test(t, calls_cost);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
