// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The owner-word mutexes between 4.10 and 5.13: as the mutex of 6.1 in M1-M8 and M13-M15, and the
 * hole of M9. Without hand-off: the first patch of the rework.
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

enum { V4_10, V4_11, FIRST_STEP, VERSIONS };

static const char *const params[] = { [V4_10] = NULL, [V4_11] = "pickup=1", [FIRST_STEP] = "handoff=0" };

static void open_m(unsigned ncpus, int w, int version)
{
	bench_open(ncpus);
	bench_cost("idle_exit", (sim_time)w * U);
	bench_lock_params("L", "mutex-4.10", params[version]);
}

static void close_m(const char *grants)
{
	bench_run(100);
	ck_assert(bench_done());
	ck_assert_str_eq(bench_grants("L"), grants);
	ck_assert_str_eq(bench_findings(), "");
	ck_assert_str_eq(bench_state("L"), "NULL");
}

START_TEST(m1_fifo_among_sleepers)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 1; unlock L");
	bench_probe("L", 3 * U + U / 2);
	bench_probe("L", 13 * U + U / 2);
	bench_probe("L", 15 * U + U / 2);
	bench_probe("L", 21 * U + U / 2);
	close_m("A 0, B 15, C 18, D 21");
	ck_assert_str_eq(bench_probed("L", 3 * U + U / 2), "A|WAITERS [B C D]");
	ck_assert_str_eq(bench_probed("L", 13 * U + U / 2), "NULL|WAITERS [B C D]");
	ck_assert_str_eq(bench_probed("L", 15 * U + U / 2), "B|WAITERS [C D]");
	ck_assert_str_eq(bench_probed("L", 21 * U + U / 2), "D");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 3);
	bench_close();
}
END_TEST

START_TEST(m2_stealing_and_handoff)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 3; unlock L");
	bench_task("E", 3, 0, 16, "lock L; run 1; unlock L");
	bench_probe("L", 16 * U + U / 2);
	close_m(_i == FIRST_STEP ? "A 0, D 14, E 17, B 19" : "A 0, D 14, B 17, E 18");
	ck_assert_str_eq(bench_probed("L", 16 * U + U / 2),
			 _i == FIRST_STEP ? "D|WAITERS [B]" : "D|WAITERS|HANDOFF [B]");
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), _i != FIRST_STEP);
	ck_assert_uint_eq(bench_event("L", "mutex_pickup"), _i != FIRST_STEP);
	bench_close();
}
END_TEST

START_TEST(m3_owner_that_relocks)
{
	open_m(2, 2, _i);
	bench_task("A", 0, 0, 0,
		   "lock L; park 10; run 1; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L;"
		   "lock L; run 3; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	close_m(_i == FIRST_STEP ? "A 0, A 13, A 16, A 19, A 22, A 25, B 30" : "A 0, A 13, B 16, A 17, A 20, A 23, A 26");
	bench_close();
}
END_TEST

START_TEST(m4_order_of_spinners)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 3, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 1, 0, 3, "lock L; run 2; unlock L");
	close_m("A 0, B 10, C 12, D 14");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 0);
	bench_close();
}
END_TEST

START_TEST(m5_owner_sleeps_under_spinners)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; run 5; park 20; run 2; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_probe("L", 6 * U);
	close_m("A 0, B 26, C 30, D 34");
	ck_assert_str_eq(bench_probed("L", 6 * U), "A|WAITERS [B C D]");
	bench_close();
}
END_TEST

START_TEST(m6_need_resched_in_the_queue)
{
	open_m(4, 3, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 3");
	close_m(_i == FIRST_STEP ? "A 0, B 10, D 12, C 17" : "A 0, B 10, D 12, C 14");
	ck_assert_int_eq(bench_ran("K", 1), 5);
	ck_assert_uint_eq(bench_event("L", "mutex_osq_cancel"), 1);
	bench_close();
}
END_TEST

START_TEST(m7_handoff_to_a_sleeper)
{
	static const char *const at25[] = { "B|WAITERS [B E]", "B|WAITERS|PICKUP [B E]", "E|WAITERS [B]" };

	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 2; park 20; run 2; unlock L");
	bench_task("E", 3, 0, 23, "lock L; run 2; unlock L");
	bench_probe("L", 25 * U);
	close_m(_i == FIRST_STEP ? "A 0, D 14, E 24, B 28" : "A 0, D 14, B 26, E 29");
	ck_assert_str_eq(bench_probed("L", 25 * U), at25[_i]);
	bench_close();
}
END_TEST

START_TEST(m8_barging_at_the_release)
{
	open_m(3, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("E", 1, 0, 4, "run 6; lock L; run 3; unlock L");
	bench_task("B", 2, 0, 1, "lock L; run 1; unlock L");
	bench_probe("L", 11 * U);
	close_m("A 0, E 10, B 13");
	ck_assert_str_eq(bench_probed("L", 11 * U), "E");
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 1); /* B, which never left the osq */
	ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), 0);
	bench_close();
}
END_TEST

/*
 * B, woken, finds itself first and sets HANDOFF on the free mutex; D takes it before B tries.
 * 4.10 keeps the flag, and D hands over at 22. 4.11 clears it, and B never asks again: it is
 * robbed by F, and passed by G.
 */
START_TEST(m9_handoff_on_a_free_mutex)
{
	open_m(5, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 16, "lock L; run 2; park 19; run 1; unlock L"); /* off CPU: B does not spin */
	bench_task("F", 3, 0, 23, "lock L; sleep 1; run 1; unlock L");
	bench_task("G", 4, 0, 28, "lock L; run 1; unlock L");
	bench_stop_at("B", "mutex-asked", 1, 18);
	bench_probe("L", 15 * U + U / 2);
	bench_probe("L", 17 * U);
	bench_probe("L", 23 * U + U / 2);
	close_m(_i == V4_10 ? "A 0, D 16, B 24, F 27, G 33" : "A 0, D 16, F 23, G 28, B 29");
	ck_assert_str_eq(bench_probed("L", 15 * U + U / 2), "NULL|WAITERS|HANDOFF [B]");
	ck_assert_str_eq(bench_probed("L", 17 * U), _i == V4_10 ? "D|WAITERS|HANDOFF [B]" : "D|WAITERS [B]");
	ck_assert_uint_eq(bench_event("L", "mutex_ask_lost"), _i == V4_11);
	bench_close();
}
END_TEST

START_TEST(m10_signal_leaves_the_flag_to_the_next)
{
	open_m(5, 2, _i);
	bench_task("X", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L intr; run 1; unlock L");
	bench_task("A", 2, 0, 14, "lock L; park 30; run 1; unlock L");
	bench_task("C", 3, 0, 2, "lock L; run 1; unlock L");
	bench_task("S", 4, 0, 20, "signal B");
	bench_probe("L", 25 * U);
	close_m("X 0, A 14, C 35");
	ck_assert_str_eq(bench_probed("L", 25 * U), "A|WAITERS|HANDOFF [C]");
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), 1);
	bench_close();
}
END_TEST

START_TEST(m13_rt_task_does_not_spin_on_its_own_cpu)
{
	open_m(1, 0, _i);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("R", 0, 50, 2, "lock L; run 1; unlock L");
	bench_probe("L", 3 * U);
	close_m("A 0, R 5");
	ck_assert_str_eq(bench_probed("L", 3 * U), "A|WAITERS [R]");
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 0);
	bench_close();
}
END_TEST

START_TEST(m14_no_priority_anywhere)
{
	open_m(3, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("W1", 1, 10, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 80, 2, "lock L; run 1; unlock L");
	close_m("A 0, W1 15, W2 18");
	bench_close();
}
END_TEST

START_TEST(m15_unbounded_inversion)
{
	open_m(1, 0, _i);
	bench_task("Lo", 0, 10, 0, "lock L; run 5; unlock L; run 2");
	bench_task("Hi", 0, 30, 1, "lock L; run 1; unlock L; run 1");
	bench_task("Me", 0, 20, 2, "run 10");
	close_m("Lo 0, Hi 15");
	bench_close();
}
END_TEST

START_TEST(trylock)
{
	open_m(2, 2, _i);
	bench_task("A", 0, 0, 0, "try L; run 5; unlock L");
	bench_task("B", 1, 0, 2, "try L; unlock L; run 5; try L; run 1; unlock L");
	close_m("A 0, B 7");
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mutex_owner");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, m1_fifo_among_sleepers, 0, VERSIONS);
	tcase_add_loop_test(t, m2_stealing_and_handoff, 0, VERSIONS);
	tcase_add_loop_test(t, m3_owner_that_relocks, 0, VERSIONS);
	tcase_add_loop_test(t, m4_order_of_spinners, 0, VERSIONS);
	tcase_add_loop_test(t, m5_owner_sleeps_under_spinners, 0, VERSIONS);
	tcase_add_loop_test(t, m6_need_resched_in_the_queue, 0, VERSIONS);
	tcase_add_loop_test(t, m7_handoff_to_a_sleeper, 0, VERSIONS);
	tcase_add_loop_test(t, m8_barging_at_the_release, 0, VERSIONS);
	tcase_add_loop_test(t, m9_handoff_on_a_free_mutex, V4_10, FIRST_STEP);
	tcase_add_loop_test(t, m10_signal_leaves_the_flag_to_the_next, V4_10, FIRST_STEP);
	tcase_add_loop_test(t, m13_rt_task_does_not_spin_on_its_own_cpu, 0, VERSIONS);
	tcase_add_loop_test(t, m14_no_priority_anywhere, 0, VERSIONS);
	tcase_add_loop_test(t, m15_unbounded_inversion, 0, VERSIONS);
	tcase_add_loop_test(t, trylock, 0, VERSIONS);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
