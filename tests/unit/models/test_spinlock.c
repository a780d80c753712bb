// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spinlocks: the words of Q1, the limits of barging, nesting, order of service and what a
 * hand-over writes (Q1-Q6).
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

#include "models/qspinlock.h"

static void arrivals(const char *model, unsigned n)
{
	static const char *const name[] = { "C0", "C1", "C2", "C3" };

	bench_open(n + 1);
	bench_lock("L", model);
	bench_watch("L");
	for (unsigned i = 0; i < n; i++)
		bench_task(name[i], i, 0, (int)i, "lock L; run 10; unlock L");
}

static void finish(void)
{
	ck_assert(bench_done());
	for (unsigned cpu = 0; cpu < sim->ncpus; cpu++)
		ck_assert_int_eq(per_cpu_ptr(&qspinlock_nodes, cpu)->mcs[0].count, 0);
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(q1_words)
{
	arrivals("qspinlock", 4);
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00000001 00000101 000c0101 00100101 00100100 00100001 00100000 00100001 "
					"00100000 00000001 00000000");
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 10, C2 20, C3 30");
	ck_assert_uint_eq(bench_event("L", "lock_pending"), 1);
	ck_assert_uint_eq(bench_event("L", "lock_slowpath"), 2);
	finish();
}
END_TEST

/* The pending waiter is interrupted while the holder lets go: nobody can pass it. */
START_TEST(q2_nobody_passes_the_pending_waiter)
{
	arrivals("qspinlock", 2);
	bench_irq("I", 1, 9, "run 3");
	bench_task("T", 2, 0, 11, "try L");
	bench_probe("L", 11 * U);
	bench_run(100);
	ck_assert_uint_eq(bench_word("L", 11 * U), 0x100);
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 12");
	finish();
}
END_TEST

/* A lock() that finds only the pending bit waits a turn, then queues behind it. */
START_TEST(q2_newcomer_queues_behind_the_pending_waiter)
{
	arrivals("qspinlock", 2);
	bench_irq("I", 1, 9, "run 3");
	bench_task("N", 2, 0, 11, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 12, N 22");
	finish();
}
END_TEST

/*
 * Step 5: between seeing only the locked byte (C2's first access, the compare-and-swap)
 * and the fetch-or, C1 becomes pending and C3 queues. C2 must not leave a second pending.
 */
START_TEST(q2_pending_is_lost_in_the_race)
{
	bench_open(4);
	bench_lock("L", "qspinlock");
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C2", 2, 0, 1, "lock L; run 1; unlock L");
	bench_task("C1", 1, 0, 2, "lock L; run 1; unlock L");
	bench_stop_at("C2", "qspinlock-pending", 1, 4);
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_uint_eq(bench_word("L", 5 * U), 0x000c0101);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 10, C2 11");
	finish();
}
END_TEST

START_TEST(q3_nesting)
{
	arrivals("qspinlock", 3); /* C2 waits at the head of the queue with its first node */
	bench_lock("M", "qspinlock");
	bench_watch("M");
	bench_task("H", 3, 0, 0, "lock M; run 8; unlock M");
	bench_irq("P", 0, 3, "lock M; unlock M"); /* the pending waiter of M */
	bench_irq("I", 2, 4, "lock M; unlock M"); /* queues in the interrupt, with the second node */
	bench_probe("M", 5 * U);
	bench_run(100);
	ck_assert_uint_eq(bench_word("M", 5 * U), 0x000d0101);
	ck_assert_uint_eq(bench_event("M", "lock_use_node2"), 1);
	ck_assert_int_eq(bench_granted("I", 1), 8);
	finish();
}
END_TEST

static void use_up_nodes(void *arg)
{
	per_cpu_ptr(&qspinlock_nodes, 2)->mcs[0].count += *(int *)arg;
}

/* A fifth level uses no node and polls. */
START_TEST(q3_no_node_left)
{
	static int four = 4, minus_four = -4;

	arrivals("qspinlock", 3);
	bench_at(1 * U, use_up_nodes, &four);
	bench_at(25 * U, use_up_nodes, &minus_four);
	bench_probe("L", 5 * U);
	bench_run(100);
	ck_assert_uint_eq(bench_word("L", 5 * U), 0x101); /* no tail */
	ck_assert_uint_eq(bench_event("L", "lock_no_node"), 1);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 10, C2 20");
	finish();
}
END_TEST

START_TEST(q4_tickets)
{
	arrivals("ticket", 3);
	bench_task("T", 3, 0, 5, "try L");
	bench_run(100);
	ck_assert_str_eq(bench_words(), "00010000 00020000 00030000 00030001 00030002 00030003");
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 10, C2 20");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	finish();
}
END_TEST

/* The next ticket is in an interrupt at the hand-over: the one behind waits with it. */
START_TEST(q4_stalled_ticket_holder)
{
	arrivals("ticket", 3);
	bench_irq("I", 1, 9, "run 6");
	bench_task("T", 3, 0, 12, "try L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 15, C2 25");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	finish();
}
END_TEST

START_TEST(q4_trylock_of_a_free_ticket_lock)
{
	bench_open(1);
	bench_lock("L", "ticket");
	bench_task("T", 0, 0, 0, "try L; run 1; unlock L; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "T 0, T 1");
	finish();
}
END_TEST

/* Documented arbitration of test-and-set: at one instant the lower CPU, and whoever re-locks at once. */
START_TEST(q5_test_and_set_has_no_order)
{
	arrivals("tas", 3);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 10, C2 20");
	finish();
	bench_open(3);
	bench_lock("L", "tas");
	bench_task("C0", 0, 0, 0, "lock L; run 5; unlock L; lock L; run 5; unlock L; lock L; run 5; unlock L");
	bench_task("C2", 2, 0, 1, "lock L; run 5; unlock L");
	bench_task("C1", 1, 0, 2, "lock L; run 5; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C0 5, C0 10, C1 15, C2 20");
	finish();
}
END_TEST

/* A waiter between its exchange and its link makes the unlocker wait. */
START_TEST(q6_next_not_yet_visible)
{
	arrivals("mcs", 3);
	bench_stop_at("C1", "mcs-link", 1, 14);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 14, C2 24");
	finish();
}
END_TEST

/* A hand-over writes one foreign line: the store to the next node takes what a store of a held line takes. */
START_TEST(q6_handover_moves_one_line)
{
	bench_open(2);
	bench_cost("store_m_socket", 3 * U); /* the unlocker's store to the waiter's node, which the waiter has shared */
	bench_cost("store_s_socket", 3 * U);
	bench_cost("load_m_socket", 2 * U);  /* the waiter reads it back */
	bench_cost("rmw_m_socket", 1 * U);   /* announcing itself in the tail; the unlocker does not touch it */
	bench_lock("L", "mcs");
	bench_task("C0", 0, 0, 0, "lock L; run 30; unlock L");
	bench_task("C1", 1, 0, 10, "lock L; run 1; unlock L");
	bench_run(100);
	/* C1's link dirtied C0's node (a load of 2), then 3 for the store to C1's, 2 for C1's load */
	ck_assert_str_eq(bench_grants("L"), "C0 0, C1 37");
	finish();
}
END_TEST

static const char *const spinlocks[] = { "tas", "ticket", "mcs", "qspinlock" };

/* Held with preemption off; a real-time task waits for the unlock. */
START_TEST(preemption_is_off_while_held)
{
	bench_open(1);
	bench_lock("L", spinlocks[_i]);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L; run 5");
	bench_task("K", 0, 50, 2, "run 1");
	bench_run(100);
	ck_assert_int_eq(bench_ran("K", 1), 5);
	ck_assert_int_eq(bench_ran("A", 2), 6);
	finish();
}
END_TEST

START_TEST(trylock)
{
	bench_open(2);
	bench_lock("L", spinlocks[_i]);
	bench_task("A", 0, 0, 0, "try L; run 5; unlock L");
	bench_task("B", 1, 0, 2, "try L; unlock L; run 5; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 7");
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("spinlocks");
	TCase *t = tcase_create("words");
	SRunner *r;
	int failed;

	tcase_add_test(t, q1_words);
	tcase_add_test(t, q2_nobody_passes_the_pending_waiter);
	tcase_add_test(t, q2_newcomer_queues_behind_the_pending_waiter);
	tcase_add_test(t, q2_pending_is_lost_in_the_race);
	tcase_add_test(t, q3_nesting);
	tcase_add_test(t, q3_no_node_left);
	tcase_add_test(t, q4_tickets);
	tcase_add_test(t, q4_stalled_ticket_holder);
	tcase_add_test(t, q4_trylock_of_a_free_ticket_lock);
	tcase_add_test(t, q5_test_and_set_has_no_order);
	tcase_add_test(t, q6_next_not_yet_visible);
	tcase_add_test(t, q6_handover_moves_one_line);
	tcase_add_loop_test(t, preemption_is_off_while_held, 0, 4);
	tcase_add_loop_test(t, trylock, 0, 4);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
