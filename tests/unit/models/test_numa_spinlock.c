// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spinlocks that know nodes: CNA (Q7), the cohort ticket lock (Q8) and the HQ lock. Two sockets of four
 * CPUs: node 0 = {0 1 2 3}, node 1 = {4 5 6 7}.
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness_impl.h"

static void open_numa(const char *model, const char *params)
{
	bench_open(8);
	bench.cfg.sockets = 2;
	bench.cfg.cores = 4;
	bench_hz(1000);
	bench_lock_params("L", model, params);
}

static void close_grants(const char *grants)
{
	ck_assert_str_eq(bench_grants("L"), grants);
	ck_assert(bench_done());
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

/* The word of CNA is 0 in the end. */
static void close_numa(const char *grants)
{
	ck_assert_uint_eq(*(uint32_t *)bench_lock_at("L"), 0);
	close_grants(grants);
}

/* -- CNA -------------------------------------------------------------------------------------- */

static void q7(const char *hold, int prio5)
{
	char script[64];

	snprintf(script, sizeof(script), "lock L; run %s; unlock L", hold);
	bench_task("C0", 0, 0, 0, script);
	bench_task("C4", 4, 0, 1, "lock L; run 10; unlock L"); /* the pending waiter */
	bench_task("C1", 1, 0, 2, "lock L; run 10; unlock L"); /* the head of the queue */
	bench_task("C5", 5, prio5, 3, "lock L; run 10; unlock L");
	bench_task("C2", 2, 0, 4, "lock L; run 10; unlock L");
}

START_TEST(q7_qspinlock_is_fifo)
{
	open_numa("qspinlock", NULL);
	q7("10", 0);
	bench_run(1000);
	close_numa("C0 0, C4 10, C1 20, C5 30, C2 40");
}
END_TEST

START_TEST(q7_cna_serves_the_heads_node_first)
{
	open_numa("cna", NULL);
	q7("10", 0);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cna_move"), 1);
	ck_assert_uint_eq(bench_event("L", "cna_local"), 1);
	ck_assert_uint_eq(bench_event("L", "cna_splice"), 1);
	close_numa("C0 0, C4 10, C1 20, C2 30, C5 40");
}
END_TEST

/* The secondary queue is as old as the lock was held since C2 came: 10 ms by the jiffy. */
START_TEST(q7_threshold)
{
	open_numa("cna", NULL);
	q7("11000", 0);
	bench_run(20000);
	ck_assert_uint_eq(bench_event("L", "cna_flush"), 1);
	close_numa("C0 0, C4 11000, C1 11010, C5 11020, C2 11030");
	open_numa("cna", NULL);
	q7("9000", 0);
	bench_run(20000);
	ck_assert_uint_eq(bench_event("L", "cna_flush"), 0);
	close_numa("C0 0, C4 9000, C1 9010, C2 9020, C5 9030");
	open_numa("cna", NULL); /* as old as the threshold, and not older */
	q7("10000", 0);
	bench_run(20000);
	ck_assert_uint_eq(bench_event("L", "cna_flush"), 0);
	close_numa("C0 0, C4 10000, C1 10010, C2 10020, C5 10030");
	open_numa("cna", "threshold=3000000000"); /* ps */
	q7("4000", 0);
	bench_run(20000);
	close_numa("C0 0, C4 4000, C1 4010, C5 4020, C2 4030");
}
END_TEST

START_TEST(q7_priority_is_not_moved)
{
	open_numa("cna", NULL);
	q7("10", 50);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cna_move"), 0);
	close_numa("C0 0, C4 10, C1 20, C5 30, C2 40");
	open_numa("cna", NULL);
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C4", 4, 0, 1, "lock L; run 10; unlock L");
	bench_task("C1", 1, 0, 2, "lock L; run 10; unlock L");
	bench_irq("C5", 5, 3, "lock L; run 10; unlock L");
	bench_task("C2", 2, 0, 4, "lock L; run 10; unlock L");
	bench_run(1000);
	close_numa("C0 0, C4 10, C1 20, C5 30, C2 40");
}
END_TEST

/* Three waiters of node 1 keep their order among themselves, and go in front of the latecomer of node 0. */
START_TEST(cna_keeps_order_within_a_node)
{
	open_numa("cna", NULL);
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C7", 7, 0, 1, "lock L; run 10; unlock L"); /* pending */
	bench_task("C1", 1, 0, 2, "lock L; run 10; unlock L");
	bench_task("C4", 4, 0, 3, "lock L; run 10; unlock L");
	bench_task("C5", 5, 0, 4, "lock L; run 10; unlock L");
	bench_task("C6", 6, 0, 5, "lock L; run 10; unlock L");
	bench_task("C2", 2, 0, 6, "lock L; run 10; unlock L");
	bench_task("C3", 3, 0, 45, "lock L; run 10; unlock L"); /* C4 is the head of what was the secondary queue */
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cna_move"), 3);
	close_numa("C0 0, C7 10, C1 20, C2 30, C4 40, C5 50, C6 60, C3 70");
}
END_TEST

/* A newcomer links behind the primary queue while the head takes it for empty. */
START_TEST(cna_splice_loses_the_race)
{
	open_numa("cna", NULL);
	q7("10", 0);
	bench_task("C3", 3, 0, 31, "lock L; run 10; unlock L");
	bench_stop_at("C2", "cna-splice", 1, 33);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cna_local"), 2);
	ck_assert_uint_eq(bench_event("L", "cna_splice"), 1);
	close_numa("C0 0, C4 10, C1 20, C2 33, C3 43, C5 53");
}
END_TEST

START_TEST(cna_shuffle_reduction)
{
	open_numa("cna", "shuffle_reduction=1");
	q7("10", 0);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cna_move"), 0);
	ck_assert_uint_gt(bench_event("L", "cna_skip"), 0);
	close_numa("C0 0, C4 10, C1 20, C5 30, C2 40");
}
END_TEST

/* -- HQ ---------------------------------------------------------------------------------------- */

static void hq(const char *name, int cpu, unsigned at)
{
	bench_task(name, cpu, 0, at, "lock L; run 10; unlock L");
}

/* C0 holds, C4 is the pending one, C1 the head; then the two of its node, before C5 who came earlier. */
START_TEST(hq_serves_the_heads_node_first)
{
	open_numa("hqlock", NULL);
	q7("10", 0);
	hq("C3", 3, 5);
	hq("C6", 6, 6);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_borrow"), 1);
	ck_assert_uint_eq(bench_event("L", "hq_local"), 3); /* C2, C3; C6 */
	ck_assert_uint_eq(bench_event("L", "hq_remote"), 1);
	ck_assert_uint_eq(bench_event("L", "hq_return"), 1);
	close_numa("C0 0, C4 10, C1 20, C2 30, C3 40, C5 50, C6 60");
}
END_TEST

/* After more than one of the own node in a row the other node goes first; that has but one, and leaves. */
START_TEST(hq_fairness)
{
	open_numa("hqlock", "fairness=0");
	q7("10", 0);
	hq("C3", 3, 5);
	hq("C6", 6, 6);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_bound"), 1); /* C1 passes to C2, and C2 to C5, which passes to C6 */
	close_numa("C0 0, C4 10, C1 20, C2 30, C5 40, C6 50, C3 60");
}
END_TEST

/* The bound is reached, but nobody of another node waits. */
START_TEST(hq_fairness_alone)
{
	open_numa("hqlock", "fairness=0");
	hq("C0", 0, 0);
	hq("C4", 4, 1);
	hq("C1", 1, 2);
	hq("C2", 2, 3);
	hq("C3", 3, 4);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_bound"), 0);
	ck_assert_uint_eq(bench_event("L", "hq_local"), 2);
	close_numa("C0 0, C4 10, C1 20, C2 30, C3 40");
}
END_TEST

/* C2 comes while C1, the only waiter, has taken its node out of the queue but not yet emptied it: it joins again. */
START_TEST(hq_rejoins_the_empty_queue)
{
	open_numa("hqlock", NULL);
	hq("C0", 0, 0);
	hq("C4", 4, 1);
	hq("C1", 1, 2);
	hq("C2", 2, 22);
	bench_stop_at("C1", "hq-leave", 1, 25);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_rejoin"), 1);
	ck_assert_uint_eq(bench_event("L", "hq_local"), 1);
	close_numa("C0 0, C4 10, C1 25, C2 35");
}
END_TEST

/* The same, but C5 found the queue of nodes empty before: it is the head, and hands on to C2. */
START_TEST(hq_rejoins_behind_another_node)
{
	open_numa("hqlock", NULL);
	hq("C0", 0, 0);
	hq("C4", 4, 1);
	hq("C1", 1, 2);
	hq("C5", 5, 22);
	hq("C2", 2, 23);
	bench_stop_at("C1", "hq-leave", 1, 25);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_rejoin"), 1);
	ck_assert_uint_eq(bench_event("L", "hq_remote"), 1);
	close_numa("C0 0, C4 10, C1 25, C5 35, C2 45");
}
END_TEST

/* Node 1 is the last of two and leaves while its third waiter comes: behind node 0 again. */
START_TEST(hq_last_node_rejoins)
{
	open_numa("hqlock", "fairness=0");
	hq("C0", 0, 0);
	hq("C4", 4, 1);
	hq("C1", 1, 2);
	hq("C5", 5, 3);
	hq("C2", 2, 4);
	hq("C3", 3, 5);
	hq("C6", 6, 42);
	bench_stop_at("C5", "hq-leave", 1, 45);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_rejoin"), 1);
	close_numa("C0 0, C4 10, C1 20, C2 30, C5 45, C6 55, C3 65");
}
END_TEST

/* C2 queues while C1 gives the queues back: they stay lent, and C2 is served. */
START_TEST(hq_late_for_the_return)
{
	open_numa("hqlock", NULL);
	hq("C0", 0, 0);
	hq("C4", 4, 1);
	hq("C1", 1, 2);
	hq("C5", 5, 22);
	bench_stop_at("C1", "hq-return", 1, 25);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "hq_late"), 1);
	ck_assert_uint_eq(bench_event("L", "hq_return"), 1);
	close_numa("C0 0, C4 10, C1 25, C5 35");
}
END_TEST

/* -- cohort ------------------------------------------------------------------------------------- */

static void q8(void)
{
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C4", 4, 0, 1, "lock L; run 10; unlock L"); /* waits at the global lock */
	bench_task("C1", 1, 0, 2, "lock L; run 10; unlock L");
	bench_task("C2", 2, 0, 3, "lock L; run 10; unlock L");
	bench_task("C3", 3, 0, 4, "lock L; run 10; unlock L");
}

START_TEST(q8_cohort_passes_two_times)
{
	open_numa("cohort-ticket", "pass_bound=2");
	q8();
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cohort_pass"), 2);
	ck_assert_uint_eq(bench_event("L", "cohort_bound"), 1);
	ck_assert_uint_eq(bench_event("L", "cohort_global"), 3);
	close_grants("C0 0, C1 10, C2 20, C4 30, C3 40");
}
END_TEST

START_TEST(q8_cohort_without_a_bound_that_matters)
{
	open_numa("cohort-ticket", NULL);
	q8();
	bench_run(1000);
	close_grants("C0 0, C1 10, C2 20, C3 30, C4 40");
	open_numa("cohort-ticket", "pass_bound=0");
	q8();
	bench_run(1000);
	close_grants("C0 0, C4 10, C1 20, C2 30, C3 40");
}
END_TEST

/* C1 comes when C0, alone as it believed, has released the global lock but not yet its node's: C4 is next. */
START_TEST(cohort_newcomer_between_the_releases)
{
	open_numa("cohort-ticket", NULL);
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C4", 4, 0, 1, "lock L; run 10; unlock L");
	bench_task("C1", 1, 0, 11, "lock L; run 10; unlock L");
	bench_stop_at("C0", "cohort-released", 1, 12);
	bench_run(1000);
	ck_assert_uint_eq(bench_event("L", "cohort_pass"), 0);
	close_grants("C0 0, C4 10, C1 20");
}
END_TEST

/* A trylock that gets its node's lock but not the global one gives it back. */
START_TEST(cohort_trylock_from_another_node)
{
	open_numa("cohort-ticket", NULL);
	bench_task("C0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C4", 4, 0, 1, "try L; unlock L; lock L; run 10; unlock L");
	bench_run(1000);
	ck_assert_int_eq(bench_result("C4", 1), -EBUSY);
	close_grants("C0 0, C4 10");
}
END_TEST

START_TEST(trylock)
{
	static const char *const model[] = { "cna", "cohort-ticket", "hqlock" };

	open_numa(model[_i], NULL);
	bench_task("A", 0, 0, 0, "try L; run 5; unlock L");
	bench_task("B", 1, 0, 2, "try L; unlock L; run 5; try L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), -EBUSY);
	close_grants("A 0, B 7");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("numa_spinlock");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, q7_qspinlock_is_fifo);
	tcase_add_test(t, q7_cna_serves_the_heads_node_first);
	tcase_add_test(t, q7_threshold);
	tcase_add_test(t, q7_priority_is_not_moved);
	tcase_add_test(t, cna_keeps_order_within_a_node);
	tcase_add_test(t, cna_splice_loses_the_race);
	tcase_add_test(t, cna_shuffle_reduction);
	tcase_add_test(t, hq_serves_the_heads_node_first);
	tcase_add_test(t, hq_fairness);
	tcase_add_test(t, hq_fairness_alone);
	tcase_add_test(t, hq_rejoins_the_empty_queue);
	tcase_add_test(t, hq_rejoins_behind_another_node);
	tcase_add_test(t, hq_last_node_rejoins);
	tcase_add_test(t, hq_late_for_the_return);
	tcase_add_test(t, q8_cohort_passes_two_times);
	tcase_add_test(t, q8_cohort_without_a_bound_that_matters);
	tcase_add_test(t, cohort_newcomer_between_the_releases);
	tcase_add_test(t, cohort_trylock_from_another_node);
	tcase_add_loop_test(t, trylock, 0, 3);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
