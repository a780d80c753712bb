// SPDX-License-Identifier: GPL-2.0-or-later
/* The ceiling protocols and the FMLP: who runs at which priority, who is refused, who is kept out of a free lock. */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

static void close_c(void)
{
	ck_assert_msg(bench_done(), "%s", bench_log());
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

/* P1 of the facts: Lo runs at 30 from 0 to 5; Hi comes at 1, is not stronger, and finds the lock free. */
START_TEST(immediate_ceiling)
{
	bench_open(1);
	bench_lock_params("L", "futex-pp", "ceiling=30");
	bench_watch("L");
	bench_task("Lo", 0, 10, 0, "lock L; run 5; unlock L; run 2");
	bench_task("Hi", 0, 30, 1, "lock L; run 1; unlock L; run 1");
	bench_task("Me", 0, 20, 2, "run 10");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "Lo 0, Hi 5");
	ck_assert_int_eq(bench_ran("Hi", 1), 5);
	ck_assert_int_eq(bench_ran("Me", 1), 7);
	ck_assert_int_eq(bench_ran("Lo", 2), 17);
	ck_assert_uint_eq(bench_event("L", "pp_contended"), 0);
	ck_assert_uint_eq(bench_event("L", "pp_raise"), 1);
	close_c();
}
END_TEST

/* The strongest of several counts, whatever the order in which they are let go. */
START_TEST(several_ceilings)
{
	bench_open(1);
	bench_lock_params("L", "futex-pp", "ceiling=30");
	bench_lock_params("M", "futex-pp", "ceiling=50");
	bench_task("Lo", 0, 10, 0, "lock L; run 1; lock M; run 2; unlock L; run 2; unlock M; run 1");
	bench_task("Hi", 0, 40, 2, "run 1");
	bench_task("Me", 0, 20, 2, "run 1");
	bench_run(100);
	ck_assert_int_eq(bench_ran("Hi", 1), 5); /* when M is released */
	ck_assert_int_eq(bench_ran("Me", 1), 6);
	ck_assert_int_eq(bench_ran("Lo", 2), 7);
	close_c();
}
END_TEST

START_TEST(above_the_ceiling)
{
	bench_open(1);
	bench_lock_params("L", _i ? "pcp" : "futex-pp", "ceiling=30");
	bench_task("A", 0, 31, 0, "lock L; unlock L");
	bench_task("B", 0, 30, 1, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 1), -EINVAL);
	ck_assert_int_eq(bench_result("B", 1), 0);
	ck_assert_uint_eq(bench_event("L", _i ? "pcp_above" : "pp_above"), 1);
	close_c();
}
END_TEST

/* A ceiling below what the holder has already: no call, no change. */
START_TEST(a_holder_of_the_ceiling_pays_no_call)
{
	bench_open(1);
	bench_cost("syscall", 4 * U);
	bench_lock_params("L", "futex-pp", "ceiling=30");
	bench_task("A", 0, 30, 0, "lock L; run 1; unlock L; run 1");
	bench_task("B", 0, 10, 0, "lock L; run 1; unlock L; run 1"); /* 4 up, 4 down */
	bench_run(100);
	ck_assert_uint_eq(bench_event("L", "pp_raise"), 1);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 6");
	close_c();
}
END_TEST

/* On several CPUs it can be found taken. Sleepers stand at the ceiling and are FIFO; a timeout gives it back. */
START_TEST(contended_on_several_cpus)
{
	bench_open(4);
	bench_cost("idle_exit", 2 * U);
	bench_lock_params("L", "futex-pp", "ceiling=30");
	bench_task("A", 0, 10, 0, "lock L; run 10; unlock L; run 1");
	bench_task("B", 1, 5, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 30, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 7, 3, "lock L timeout 3; unlock L; run 4");
	bench_task("E", 3, 20, 8, "run 1"); /* D is at 7 again */
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 5 * U), "A [B C D]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 15");
	ck_assert_int_eq(bench_result("D", 1), -ETIMEDOUT);
	ck_assert_int_eq(bench_ran("E", 1), 8);
	close_c();
}
END_TEST

/* P2: L2 has ceiling 30. Mid may not take the free L1, and lends Lo its priority; Hi may. */
START_TEST(original_ceiling)
{
	bench_open(1);
	bench_lock_params("L1", "pcp", "ceiling=40");
	bench_lock_params("L2", "pcp", "ceiling=30");
	bench_task("Lo", 0, 10, 0, "lock L2; run 6; unlock L2; run 1");
	bench_task("Mid", 0, 30, 1, "lock L1; run 1; unlock L1");
	bench_task("Hi", 0, 40, 2, "lock L1; run 1; unlock L1");
	bench_task("Me", 0, 20, 2, "run 5");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L1"), "Hi 2, Mid 7");
	ck_assert_uint_eq(bench_event("L1", "pcp_ceiling"), 1);
	ck_assert_int_eq(bench_ran("Me", 1), 8); /* Lo was at 30 meanwhile */
	close_c();
}
END_TEST

/* Who gives up takes back what it lent; whoever was kept out by nobody else comes in. */
START_TEST(original_ceiling_timeout)
{
	bench_open(2);
	bench_lock_params("L1", "pcp", "ceiling=40");
	bench_lock_params("L2", "pcp", "ceiling=40");
	bench_task("Lo", 0, 10, 0, "lock L2; run 10; unlock L2; run 1");
	bench_task("Mid", 1, 30, 1, "lock L1 timeout 3; unlock L1");
	bench_task("Me", 0, 20, 2, "run 5");
	bench_run(100);
	ck_assert_int_eq(bench_result("Mid", 1), -ETIMEDOUT);
	ck_assert_int_eq(bench_ran("Me", 1), 4); /* kept off until Lo fell back */
	ck_assert_int_eq(bench_released("Lo", 1), 15);
	ck_assert_uint_eq(bench_event("L1", "pcp_timeout"), 1);
	close_c();
}
END_TEST

/* A second wait of the chain: Hi waits for Mid, who waits for Lo; all run at Hi's. A stronger sleeper goes first. */
START_TEST(original_ceiling_passes_on)
{
	bench_open(2);
	bench_lock_params("L1", "pcp", "ceiling=20");
	bench_lock_params("L2", "pcp", "ceiling=40");
	bench_task("Lo", 0, 10, 0, "lock L1; run 6; unlock L1; run 1");
	bench_task("Mid", 1, 21, 1, "lock L2; run 1; lock L1; unlock L2"); /* above L1's ceiling: refused there */
	bench_task("Hi", 1, 40, 3, "lock L2; run 1; unlock L2");
	bench_run(100);
	ck_assert_int_eq(bench_result("Mid", 2), -EINVAL);
	ck_assert_str_eq(bench_grants("L2"), "Mid 1, Hi 3");
	close_c();
}
END_TEST

START_TEST(original_ceiling_of_oneself)
{
	bench_open(1);
	bench_lock_params("L", "pcp", "ceiling=40");
	bench_task("A", 0, 10, 0, "lock L; run 1; lock L; unlock L; unlock L");
	bench_task("B", 0, 20, 5, "try L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 2), -EDEADLK);
	ck_assert_int_eq(bench_result("B", 1), 0);
	close_c();
}
END_TEST

/* A waiter that becomes stronger than the ceiling that keeps it out comes in. */
START_TEST(original_ceiling_and_a_new_priority)
{
	bench_open(1);
	bench_lock_params("L1", "pcp", "ceiling=40");
	bench_lock_params("L2", "pcp", "ceiling=30");
	bench_task("Lo", 0, 10, 0, "lock L2; run 10; unlock L2; run 1");
	bench_task("Mid", 0, 30, 1, "lock L1; run 1; unlock L1");
	bench_task("Boss", 0, 60, 3, "prio Mid 35");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L1"), "Mid 3");
	close_c();
}
END_TEST

/* -- FMLP ---------------------------------------------------------------------------------------- */

/* In order of arrival, whatever the priorities; from 2 on the holder, later B in its turn, run as C lends: not even 45 gets in. */
START_TEST(fmlp_is_fifo_and_lends)
{
	bench_open(3);
	bench_lock("L", "fmlp");
	bench_task("A", 0, 10, 0, "lock L; run 10; unlock L; run 2");
	bench_task("B", 1, 20, 1, "lock L; run 3; unlock L; run 2");
	bench_task("C", 2, 50, 2, "lock L; run 1; unlock L");
	bench_task("M", 0, 45, 3, "run 5");
	bench_task("N", 1, 45, 11, "run 1");
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 5 * U), "A [B C]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 13");
	ck_assert_int_eq(bench_ran("M", 1), 10);
	ck_assert_int_eq(bench_ran("A", 2), 15); /* behind M: nobody lends any more */
	ck_assert_int_eq(bench_ran("N", 1), 13);
	ck_assert_uint_eq(bench_event("L", "fmlp_queued"), 2);
	ck_assert_uint_eq(bench_event("L", "fmlp_handoff"), 2);
	close_c();
}
END_TEST

/* Who leaves takes back what it lent, and its place. */
START_TEST(fmlp_give_up)
{
	bench_open(3);
	bench_lock("L", "fmlp");
	bench_task("A", 0, 10, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 50, 1, _i ? "lock L intr; unlock L" : "lock L timeout 3; unlock L");
	bench_task("C", 2, 20, 2, "lock L; run 1; unlock L; run 3");
	bench_task("M", 0, 45, 3, "run 5");
	if (_i)
		bench_task("S", 2, 60, 4, "signal B");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), _i ? -EINTR : -ETIMEDOUT);
	ck_assert_int_eq(bench_ran("M", 1), 4);
	ck_assert_str_eq(bench_grants("L"), "A 0, C 15");
	ck_assert_uint_eq(bench_event("L", "fmlp_gave_up"), 1);
	close_c();
}
END_TEST

/* A waiter's new priority reaches the holder, not its place in the queue. */
START_TEST(fmlp_and_a_new_priority)
{
	bench_open(3);
	bench_lock("L", "fmlp");
	bench_task("A", 0, 10, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 20, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 20, 2, "lock L; run 1; unlock L");
	bench_task("Boss", 2, 60, 3, "prio C 50");
	bench_task("M", 0, 45, 4, "run 5");
	bench_run(100);
	ck_assert_int_eq(bench_ran("M", 1), 10);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 11");
	close_c();
}
END_TEST

START_TEST(fmlp_of_oneself)
{
	bench_open(2);
	bench_lock("L", "fmlp");
	bench_task("A", 0, 10, 0, "lock L; run 5; lock L; unlock L; unlock L");
	bench_task("B", 1, 20, 1, "try L; unlock L; run 6; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 2), -EDEADLK);
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 7");
	close_c();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ceiling");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, immediate_ceiling);
	tcase_add_test(t, several_ceilings);
	tcase_add_loop_test(t, above_the_ceiling, 0, 2);
	tcase_add_test(t, a_holder_of_the_ceiling_pays_no_call);
	tcase_add_test(t, contended_on_several_cpus);
	tcase_add_test(t, original_ceiling);
	tcase_add_test(t, original_ceiling_timeout);
	tcase_add_test(t, original_ceiling_passes_on);
	tcase_add_test(t, original_ceiling_of_oneself);
	tcase_add_test(t, original_ceiling_and_a_new_priority);
	tcase_add_test(t, fmlp_is_fifo_and_lends);
	tcase_add_loop_test(t, fmlp_give_up, 0, 2);
	tcase_add_test(t, fmlp_and_a_new_priority);
	tcase_add_test(t, fmlp_of_oneself);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
