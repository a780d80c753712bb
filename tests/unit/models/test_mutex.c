// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mutex of 6.1 against the golden behaviours M1-M16, where they are about this
 * version. The costs assumed there: nothing but W = 2 between being woken and running.
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

static void open_m(unsigned ncpus, int w)
{
	bench_open(ncpus);
	bench_cost("idle_exit", (sim_time)w * U);
	bench_lock("L", "mutex");
}

static void close_m(void)
{
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(m1_fifo_among_sleepers)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 1; unlock L");
	bench_probe("L", U / 2);
	bench_probe("L", 3 * U + U / 2);
	bench_probe("L", 13 * U + U / 2);
	bench_probe("L", 15 * U + U / 2);
	bench_probe("L", 16 * U + U / 2);
	bench_probe("L", 18 * U + U / 2);
	bench_probe("L", 21 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 15, C 18, D 21");
	ck_assert_int_eq(bench_released("A", 1), 13);
	ck_assert_int_eq(bench_released("D", 1), 22);
	ck_assert_str_eq(bench_probed("L", U / 2), "A");
	ck_assert_str_eq(bench_probed("L", 3 * U + U / 2), "A|WAITERS [B C D]");
	ck_assert_str_eq(bench_probed("L", 13 * U + U / 2), "NULL|WAITERS [B C D]");
	ck_assert_str_eq(bench_probed("L", 15 * U + U / 2), "B|WAITERS [C D]");
	ck_assert_str_eq(bench_probed("L", 16 * U + U / 2), "NULL|WAITERS [C D]");
	ck_assert_str_eq(bench_probed("L", 18 * U + U / 2), "C|WAITERS [D]");
	ck_assert_str_eq(bench_probed("L", 21 * U + U / 2), "D");
	ck_assert_str_eq(bench_state("L"), "NULL");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 3); /* D's release is a fast one */
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 0);
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), 3);
	close_m();
}
END_TEST

START_TEST(m2_stealing_and_handoff)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 3; unlock L");
	bench_task("E", 3, 0, 16, "lock L; run 1; unlock L");
	bench_probe("L", 16 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, D 14, B 17, E 18");
	ck_assert_str_eq(bench_probed("L", 16 * U + U / 2), "D|WAITERS|HANDOFF [B]");
	ck_assert_uint_eq(bench_event("L", "mutex_steal"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_starving"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_pickup"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_waiter_spin"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 1);
	close_m();
}
END_TEST

START_TEST(m3_owner_that_relocks)
{
	open_m(2, 2);
	bench_task("A", 0, 0, 0,
		   "lock L; park 10; run 1; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L;"
		   "lock L; run 3; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, A 13, B 16, A 17, A 20, A 23, A 26");
	close_m();
}
END_TEST

START_TEST(m4_order_of_spinners)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 3, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 1, 0, 3, "lock L; run 2; unlock L");
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 12, D 14");
	ck_assert_str_eq(bench_probed("L", 5 * U), "A");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 0);
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), 0);
	ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 3);
	close_m();
}
END_TEST

START_TEST(m5_owner_sleeps_under_spinners)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; run 5; park 20; run 2; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_probe("L", 4 * U);
	bench_probe("L", 6 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 4 * U), "A");
	ck_assert_str_eq(bench_probed("L", 6 * U), "A|WAITERS [B C D]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 26, C 30, D 34");
	ck_assert_uint_eq(bench_event("L", "mutex_spin_fail"), 3);
	close_m();
}
END_TEST

START_TEST(m6_need_resched_in_the_queue)
{
	open_m(4, 3);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 3");
	bench_probe("L", 7 * U);
	bench_probe("L", 9 * U);
	bench_run(100);
	ck_assert_int_eq(bench_ran("K", 1), 5);
	ck_assert_str_eq(bench_probed("L", 7 * U), "A"); /* it reschedules before it queues */
	ck_assert_str_eq(bench_probed("L", 9 * U), "A|WAITERS [C]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, D 12, C 14");
	ck_assert_uint_eq(bench_event("L", "mutex_osq_cancel"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), 1);
	close_m();
}
END_TEST

START_TEST(m7_handoff_to_a_sleeper)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 2; park 20; run 2; unlock L");
	bench_task("E", 3, 0, 23, "lock L; run 1; unlock L");
	bench_probe("L", 25 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 25 * U), "B|WAITERS|PICKUP [B E]");
	ck_assert_str_eq(bench_grants("L"), "A 0, D 14, B 26, E 29");
	close_m();
}
END_TEST

/* The owner has let go, and a newcomer is faster than the spinner's next poll. */
START_TEST(m8_barging_at_the_release)
{
	open_m(3, 2);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("E", 1, 0, 4, "run 6; lock L; run 3; unlock L");
	bench_task("B", 2, 0, 1, "lock L; run 1; unlock L");
	bench_probe("L", 11 * U);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, E 10, B 13");
	ck_assert_str_eq(bench_probed("L", 11 * U), "E");
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 1); /* B, which never left the osq */
	ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), 0);
	close_m();
}
END_TEST

/*
 * B, woken, has read NULL|WAITERS; D takes the lock before B's compare-and-swap, B's 12th
 * access: fast path, try, owner, on_cpu, try, list, WAITERS, state, try; state, try (2).
 */
START_TEST(m9_handoff_is_set_on_an_owned_mutex)
{
	open_m(3, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 16, "lock L; run 4; unlock L");
	bench_stop_access("B", 1, 12, 18);
	bench_probe("L", 17 * U);
	bench_probe("L", 19 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 17 * U), "D|WAITERS [B]");
	ck_assert_str_eq(bench_probed("L", 19 * U), "D|WAITERS|HANDOFF [B]");
	ck_assert_str_eq(bench_grants("L"), "A 0, D 16, B 20");
	close_m();
}
END_TEST

START_TEST(m9_the_waiter_comes_first)
{
	open_m(3, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 16, "lock L; run 4; unlock L");
	bench_stop_access("B", 1, 13, 18); /* it has taken the lock, and knows */
	bench_probe("L", 17 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 17 * U), "B|WAITERS [B]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 18, D 19");
	ck_assert_uint_eq(bench_event("L", "mutex_starving"), 0);
	close_m();
}
END_TEST

static void m10_tasks(const char *a)
{
	bench_task("X", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L intr; run 1; unlock L");
	bench_task("A", 2, 0, 14, a);
}

START_TEST(m10_signal_leaves_the_flag_to_the_next)
{
	open_m(5, 2);
	m10_tasks("lock L; park 30; run 1; unlock L");
	bench_task("C", 3, 0, 2, "lock L; run 1; unlock L");
	bench_task("S", 4, 0, 20, "signal B");
	bench_probe("L", 19 * U);
	bench_probe("L", 25 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 19 * U), "A|WAITERS|HANDOFF [B C]");
	ck_assert_str_eq(bench_probed("L", 25 * U), "A|WAITERS|HANDOFF [C]");
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_str_eq(bench_grants("L"), "X 0, A 14, C 35");
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_eintr"), 1);
	ck_assert_str_eq(bench_state("L"), "NULL");
	bench_close();
}
END_TEST

START_TEST(m10_signal_to_the_only_waiter_clears_the_flags)
{
	open_m(5, 2);
	m10_tasks("lock L; park 30; run 1; unlock L");
	bench_task("S", 4, 0, 20, "signal B");
	bench_probe("L", 25 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 25 * U), "A");
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 1); /* X's */
	bench_close();
}
END_TEST

/* A has seen HANDOFF and keeps the lock; B leaves an otherwise empty list. */
START_TEST(m10_handoff_to_nobody)
{
	open_m(5, 2);
	m10_tasks("lock L; park 30; run 1; unlock L");
	bench_task("S", 4, 0, 20, "signal B");
	bench_stop_at("B", "mutex-retry", 2, 36);
	bench_stop_at("A", "mutex-unlock-wake", 1, 40);
	bench_probe("L", 34 * U);
	bench_probe("L", 38 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 34 * U), "A|WAITERS|HANDOFF [B]");
	ck_assert_str_eq(bench_probed("L", 38 * U), "A");
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_uint_eq(bench_event("L", "mutex_handoff"), 0);
	ck_assert_str_eq(bench_state("L"), "NULL");
	bench_close();
}
END_TEST

START_TEST(m10_signals_are_not_seen_while_spinning)
{
	open_m(5, 2);
	m10_tasks("lock L; run 10; unlock L");
	bench_task("S", 4, 0, 18, "signal B");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), 0);
	ck_assert_str_eq(bench_grants("L"), "X 0, A 14, B 24");
	bench_close();
}
END_TEST

START_TEST(m11_pickup_excludes_others)
{
	open_m(6, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 2; park 20; run 2; unlock L");
	bench_task("T", 3, 0, 25, "try L");
	bench_task("F", 4, 0, 25, "lock L; run 1; unlock L");
	bench_probe("L", 25 * U);
	bench_probe("L", 25 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 25 * U), "B|WAITERS|PICKUP [B]");
	ck_assert_str_eq(bench_probed("L", 25 * U + U / 2), "B|WAITERS|PICKUP [B F]");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 0); /* B is off CPU */
	ck_assert_str_eq(bench_grants("L"), "A 0, D 14, B 26, F 29");
	close_m();
}
END_TEST

/* One CPU: there is no moment in which the lock has no owner to look at. */
START_TEST(m13_rt_task_does_not_spin_on_its_own_cpu)
{
	open_m(1, 0);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("R", 0, 50, 2, "lock L; run 1; unlock L");
	bench_probe("L", 3 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 3 * U), "A|WAITERS [R]");
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 0);
	ck_assert_str_eq(bench_grants("L"), "A 0, R 5");
	close_m();
}
END_TEST

START_TEST(m14_no_priority_anywhere)
{
	open_m(3, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("W1", 1, 10, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 80, 2, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, W1 15, W2 18");
	close_m();
}
END_TEST

START_TEST(m15_unbounded_inversion)
{
	open_m(1, 0);
	bench_task("Lo", 0, 10, 0, "lock L; run 5; unlock L; run 2");
	bench_task("Hi", 0, 30, 1, "lock L; run 1; unlock L; run 1");
	bench_task("Me", 0, 20, 2, "run 10");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "Lo 0, Hi 15");
	ck_assert_str_eq(bench_log(), "t=0: cpu0 runs Lo prio=89; Lo GETS L fast\n"
				      "t=1: cpu0 runs Hi prio=69; cpu0 runs Lo prio=89\n"
				      "t=2: cpu0 runs Me prio=79\n"
				      "t=12: cpu0 runs Lo prio=89\n"
				      "t=15: Lo RELEASES L -> wakes Hi; cpu0 runs Hi prio=69; Hi GETS L prio=69\n"
				      "t=16: Hi RELEASES L fast\n"
				      "t=17: cpu0 runs Lo prio=89");
	close_m();
}
END_TEST

/* As M2: with a waiter queued both fast paths fail; the newcomer steals by trylock. */
START_TEST(m16_fast_paths_need_an_empty_list)
{
	open_m(3, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 3; unlock L");
	bench_probe("L", 14 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 14 * U + U / 2), "D|WAITERS [B]");
	ck_assert_uint_eq(bench_event("L", "mutex_steal"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 2); /* A's and D's; B's is fast */
	close_m();
}
END_TEST

/*
 * S11: A has collected B and dropped wait_lock, and stands still for 3 before it wakes it. D steals
 * meanwhile; E gets wait_lock and queues behind B, who runs at 16 + W and finds D.
 */
START_TEST(s11_wake_up_after_the_unlock)
{
	open_m(4, 2);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_stop_at("A", "mutex-wake-up", 1, 16);
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; park 18; run 1; unlock L");
	bench_task("E", 3, 0, 15, "lock L; run 1; unlock L");
	bench_probe("L", 13 * U + U / 2);
	bench_probe("L", 15 * U + U / 2);
	bench_probe("L", 18 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_probed("L", 13 * U + U / 2), "NULL|WAITERS [B]");
	ck_assert_str_eq(bench_probed("L", 15 * U + U / 2), "D|WAITERS [B E]");
	ck_assert_str_eq(bench_probed("L", 18 * U + U / 2), "D|WAITERS|HANDOFF [B E]");
	ck_assert_str_eq(bench_grants("L"), "A 0, D 14, B 23, E 26");
	ck_assert_int_eq(bench_ran("B", 2), 18);
	ck_assert_uint_eq(bench_event("L", "mutex_steal"), 1);
	close_m();
}
END_TEST

START_TEST(spinning_can_be_switched_off)
{
	bench_open(3);
	bench_cost("idle_exit", 2 * U);
	bench_lock_params("L", "mutex", "spin_on_owner=0");
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12");
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 0);
	close_m();
}
END_TEST

/* Without spinning there is no point at which it reschedules before it queues: C is in the list, and then K runs. */
START_TEST(no_reschedule_point_without_spinning)
{
	bench_open(3);
	bench_lock_params("L", "mutex", "spin_on_owner=0");
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 4, "run 3");
	bench_stop_access("C", 1, 2, 6); /* preemption is off by then */
	bench_probe("L", 7 * U);
	bench_run(100);
	ck_assert_int_eq(bench_ran("K", 1), 6);
	ck_assert_str_eq(bench_probed("L", 7 * U), "A|WAITERS [C]");
	close_m();
}
END_TEST

/* Everything again with every poll executed, and with priced raw locks: the order is the same. */
START_TEST(polling_changes_nothing)
{
	static const char *const raw[] = { NULL, "ticket", "qspinlock", "tas" };

	bench_open(4);
	bench_poll();
	if (raw[_i])
		bench_rawspin(raw[_i]);
	bench_cost("idle_exit", 3 * U);
	bench_lock("L", "mutex");
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 3");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, D 12, C 14");
	close_m();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mutex");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, m1_fifo_among_sleepers);
	tcase_add_test(t, m2_stealing_and_handoff);
	tcase_add_test(t, m3_owner_that_relocks);
	tcase_add_test(t, m4_order_of_spinners);
	tcase_add_test(t, m5_owner_sleeps_under_spinners);
	tcase_add_test(t, m6_need_resched_in_the_queue);
	tcase_add_test(t, m7_handoff_to_a_sleeper);
	tcase_add_test(t, m8_barging_at_the_release);
	tcase_add_test(t, m9_handoff_is_set_on_an_owned_mutex);
	tcase_add_test(t, m9_the_waiter_comes_first);
	tcase_add_test(t, m10_signal_leaves_the_flag_to_the_next);
	tcase_add_test(t, m10_signal_to_the_only_waiter_clears_the_flags);
	tcase_add_test(t, m10_handoff_to_nobody);
	tcase_add_test(t, m10_signals_are_not_seen_while_spinning);
	tcase_add_test(t, m11_pickup_excludes_others);
	tcase_add_test(t, m13_rt_task_does_not_spin_on_its_own_cpu);
	tcase_add_test(t, m14_no_priority_anywhere);
	tcase_add_test(t, m15_unbounded_inversion);
	tcase_add_test(t, m16_fast_paths_need_an_empty_list);
	tcase_add_test(t, s11_wake_up_after_the_unlock);
	tcase_add_test(t, spinning_can_be_switched_off);
	tcase_add_test(t, no_reschedule_point_without_spinning);
	tcase_add_loop_test(t, polling_changes_nothing, 0, 4);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
