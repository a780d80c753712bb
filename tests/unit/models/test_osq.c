// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The queue of spinners under forced interleavings, O1-O5. Task "Tn" runs on CPU n and
 * has node n; a task "Kn" of real-time priority makes Tn leave. T1 is the head and holds
 * the lock until 20; leaving begins at 5.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>

#include "tests/unit/models/harness.h"

#include "models/osq.h"

static struct optimistic_spin_node *node(int cpu)
{
	return per_cpu_ptr(&osq_node, cpu);
}

/* "1,3,4 tail 5" seen from node @head; a broken back link shows as "!". */
static char seen[64];

static void look(void *arg)
{
	struct optimistic_spin_node *n = node(*(int *)arg), *prev = NULL;
	struct optimistic_spin_queue *lock = bench_lock_at("O");
	size_t len = 0;

	for (seen[0] = '\0'; n && len < 40; prev = n, n = n->next)
		len += (size_t)sprintf(seen + len, "%s%s%d", len ? "," : "", prev && n->prev != prev ? "!" : "", n->cpu - 1);
	sprintf(seen + len, " tail %d", lock->tail.counter);
}

static int head = 1;
static bool polled;

static void queue(int n)
{
	static const char *const name[] = { "T2", "T3", "T4" };

	bench_open(7);
	if (polled)
		bench_poll();
	bench_lock("O", "osq");
	bench_task("T1", 1, 0, 0, "lock O; run 20; unlock O");
	for (int i = 0; i < n; i++)
		bench_task(name[i], (unsigned)i + 2, 0, i + 1, "lock O; run 1; unlock O");
}

static void leave(unsigned cpu, int at)
{
	static const char *const name[] = { "K0", "K1", "K2", "K3", "K4" };

	bench_task(name[cpu], cpu, 50, at, "run 3");
}

static void finish(void)
{
	struct optimistic_spin_queue *lock = bench_lock_at("O");

	ck_assert(bench_done());
	ck_assert_int_eq(lock->tail.counter, 0);
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(fifo)
{
	queue(3);
	bench_at(4 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T2 20, T3 21, T4 22");
	ck_assert_str_eq(seen, "1,2,3,4 tail 5");
	finish();
}
END_TEST

START_TEST(o1_middle_leaves)
{
	queue(2);
	leave(2, 5);
	bench_at(6 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1,3 tail 4");
	ck_assert_int_eq(bench_ran("K2", 1), 5);
	ck_assert_int_eq(bench_result("T2", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T3 20");
	ck_assert_uint_eq(bench_event("O", "osq_cancelled"), 1);
	finish();
}
END_TEST

/* CPU1 unlocks between steps A and C: it waits until C publishes n3. */
START_TEST(o1_head_unlocks_meanwhile)
{
	queue(2);
	leave(2, 5);
	bench_stop_at("T2", "osq-C", 1, 30);
	bench_at(29 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1 tail 4");
	ck_assert_int_eq(bench_result("T2", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T3 30");
	finish();
}
END_TEST

START_TEST(o2_last_leaves)
{
	queue(1);
	leave(2, 5);
	bench_at(6 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1 tail 2");
	ck_assert_str_eq(bench_grants("O"), "T1 0");
	finish();
}
END_TEST

/* CPU3 enqueues between A and B: the tail cannot be moved back. */
START_TEST(o2_somebody_enqueues_meanwhile)
{
	queue(1);
	bench_task("T3", 3, 0, 7, "lock O; run 1; unlock O");
	leave(2, 5);
	bench_stop_at("T2", "osq-B", 1, 10);
	bench_at(9 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1 tail 4");
	ck_assert_int_eq(node(3)->prev == node(1), 1);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T3 20");
	finish();
}
END_TEST

/* … and is slow to link itself: CPU2 has to wait for it, though it wants to reschedule. */
START_TEST(o2_somebody_is_slow_to_link)
{
	queue(1);
	bench_task("T3", 3, 0, 4, "lock O; run 1; unlock O");
	leave(2, 5);
	bench_stop_at("T3", "osq-link", 1, 12);
	bench_run(100);
	ck_assert_int_eq(bench_ran("K2", 1), 12);
	ck_assert_int_eq(bench_result("T2", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T3 20");
	finish();
}
END_TEST

static void o3(void)
{
	bench_at(15 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1,4 tail 5");
	ck_assert_int_eq(bench_result("T2", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T3", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T4 20");
	finish();
}

START_TEST(o3_two_neighbours_leave)
{
	queue(3);
	leave(2, 5);
	leave(3, 5);
	o3();
}
END_TEST

/* CPU3 takes itself out of n2.next first; CPU2 waits in B for CPU3's C. */
START_TEST(o3_the_later_goes_first)
{
	queue(3);
	leave(2, 5);
	leave(3, 5);
	bench_stop_at("T2", "osq-A", 1, 8);
	bench_stop_at("T3", "osq-C", 1, 12);
	o3();
}
END_TEST

/* CPU2 has taken n3 but not linked it: CPU3 re-reads its prev until CPU2's C. */
START_TEST(o3_the_earlier_is_slow)
{
	queue(3);
	leave(2, 5);
	leave(3, 5);
	bench_stop_at("T2", "osq-C", 1, 11);
	o3();
}
END_TEST

START_TEST(o3_polled)
{
	polled = true;
	queue(3);
	leave(2, 5);
	leave(3, 5);
	bench_stop_at("T2", "osq-C", 1, 11);
	o3();
}
END_TEST

START_TEST(o4_leaving_races_with_the_grant)
{
	bench_open(4);
	bench_lock("O", "osq");
	bench_task("T1", 1, 0, 0, "lock O; run 8; unlock O");
	bench_task("T2", 2, 0, 1, "lock O; run 1; unlock O");
	leave(2, 5);
	bench_stop_at("T2", "osq-A", 1, 10);
	bench_run(100);
	ck_assert_str_eq(bench_grants("O"), "T1 0, T2 10"); /* acquired after all */
	ck_assert_uint_eq(bench_event("O", "osq_cancelled"), 0);
	finish();
}
END_TEST

/* The same inside the mutex: one try, then the head gives up and passes headship on. */
START_TEST(o4_in_the_mutex)
{
	bench_open(4);
	bench_cost("idle_exit", 2 * U); /* C, asleep by then, comes too late at 30 */
	bench_lock("L", "mutex");
	bench_task("A", 0, 0, 0, "lock L; run 30; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 1; unlock L");
	bench_task("K2", 2, 50, 5, "run 3");
	bench_task("K1", 1, 50, 7, "run 60"); /* B gives up as head and hands C the headship */
	bench_stop_at("C", "osq-A", 1, 10);
	bench_run(100);
	ck_assert_uint_eq(bench_event("L", "mutex_osq_cancel"), 0);
	ck_assert_uint_eq(bench_event("L", "mutex_spin_fail"), 2);
	ck_assert_int_eq(bench_granted("D", 1), 30); /* spinning */
	ck_assert_int_eq(bench_ran("K2", 1), 10);
	ck_assert(bench_done());
	bench_close();
}
END_TEST

/* The leaver's node is free: its CPU queues on another lock with it. */
START_TEST(o5_node_reuse)
{
	queue(2);
	leave(2, 5);
	bench_lock("P", "osq");
	bench_task("T5", 5, 0, 0, "lock P; run 30; unlock P");
	bench_task("T6", 2, 0, 9, "lock P; run 1; unlock P");
	bench_at(15 * U, look, &head);
	bench_run(100);
	ck_assert_str_eq(seen, "1,3 tail 4");
	ck_assert_ptr_ne(node(1)->next, node(2));
	ck_assert_ptr_ne(node(3)->prev, node(2));
	ck_assert_str_eq(bench_grants("O"), "T1 0, T3 20");
	ck_assert_str_eq(bench_grants("P"), "T5 0, T6 30");
	finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("osq");
	TCase *t = tcase_create("forced");
	SRunner *r;
	int failed;

	tcase_add_test(t, fifo);
	tcase_add_test(t, o1_middle_leaves);
	tcase_add_test(t, o1_head_unlocks_meanwhile);
	tcase_add_test(t, o2_last_leaves);
	tcase_add_test(t, o2_somebody_enqueues_meanwhile);
	tcase_add_test(t, o2_somebody_is_slow_to_link);
	tcase_add_test(t, o3_two_neighbours_leave);
	tcase_add_test(t, o3_the_later_goes_first);
	tcase_add_test(t, o3_the_earlier_is_slow);
	tcase_add_test(t, o3_polled);
	tcase_add_test(t, o4_leaving_races_with_the_grant);
	tcase_add_test(t, o4_in_the_mutex);
	tcase_add_test(t, o5_node_reuse);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
