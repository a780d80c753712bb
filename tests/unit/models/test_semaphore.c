// SPDX-License-Identifier: GPL-2.0-or-later
/* Semaphore (P4), completion (P5) and the strict FIFO lock. W = 2 where the text says W. */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

static void open_w(unsigned ncpus, const char *model, const char *params)
{
	bench_open(ncpus);
	bench_cost("idle_exit", 2 * U);
	bench_lock_params("S", model, params);
}

static void finish(void)
{
	ck_assert(bench_done());
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(p4_units_are_handed_over)
{
	open_w(3, "semaphore", NULL);
	bench_task("A", 0, 0, 0, "lock S; run 5; unlock S");
	bench_task("B", 1, 0, 1, "lock S; run 1; unlock S");
	bench_task("D", 2, 0, 6, "lock S; run 1; unlock S"); /* up@5 gave the unit to B, which runs at 7 */
	bench_probe("S", 6 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_probed("S", 6 * U + U / 2), "NULL [D]");
	ck_assert_uint_eq(bench_word("S", 6 * U + U / 2), 0);
	ck_assert_str_eq(bench_grants("S"), "A 0, B 7, D 10");
	ck_assert_uint_eq(bench_event("S", "sem_queued"), 2);
	ck_assert_uint_eq(bench_event("S", "sem_handoff"), 2);
	finish();
}
END_TEST

START_TEST(count_and_no_waiter)
{
	open_w(1, "semaphore", "count=2");
	bench_task("A", 0, 0, 0, "lock S; lock S; run 1; unlock S; run 1; unlock S; run 1; unlock S; run 1");
	bench_probe("S", U / 2);
	bench_probe("S", U + U / 2);
	bench_probe("S", 3 * U + U / 2);
	bench_run(100);
	ck_assert_uint_eq(bench_word("S", U / 2), 0);
	ck_assert_uint_eq(bench_word("S", U + U / 2), 1);
	ck_assert_uint_eq(bench_word("S", 3 * U + U / 2), 3); /* up() needs no down() */
	finish();
}
END_TEST

START_TEST(semaphore_gives_up)
{
	bench_open(5);
	bench_cost("idle_exit", 2 * U);
	bench_hz(1000); /* B's timeout becomes a tick */
	bench_lock("S", "semaphore");
	bench_task("A", 0, 0, 0, "lock S; run 3000; unlock S");
	bench_task("B", 1, 0, 1, "lock S timeout 5; run 1; unlock S");
	bench_task("C", 2, 0, 2, "lock S intr; run 1; unlock S");
	bench_task("D", 3, 0, 3, "try S; unlock S; lock S; run 1; unlock S");
	bench_task("X", 4, 0, 10, "signal C");
	bench_probe("S", 5 * U);
	bench_run(4000);
	ck_assert_str_eq(bench_probed("S", 5 * U), "NULL [B C D]");
	ck_assert_int_eq(bench_result("B", 1), -ETIMEDOUT);
	ck_assert_int_eq(bench_ran("B", 2), 1002);
	ck_assert_int_eq(bench_result("C", 1), -EINTR);
	ck_assert_int_eq(bench_result("D", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("S"), "A 0, D 3002");
	finish();
}
END_TEST

/* A fatal signal ends a killable wait, another one does not. */
START_TEST(semaphore_killable)
{
	open_w(4, "semaphore", NULL);
	bench_task("A", 0, 0, 0, "lock S; run 20; unlock S");
	bench_task("B", 1, 0, 1, "lock S kill; run 1; unlock S");
	bench_task("X", 2, 0, 5, "signal B; run 5; kill B");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_int_eq(bench_ran("B", 2), 12);
	finish();
}
END_TEST

START_TEST(semaphore_up_from_an_interrupt)
{
	open_w(1, "semaphore", "count=0");
	bench_task("A", 0, 0, 0, "lock S; run 1");
	bench_irq("I", 0, 10, "unlock S");
	bench_run(100);
	ck_assert_str_eq(bench_grants("S"), "A 12");
	finish();
}
END_TEST

START_TEST(p5_a_woken_waiter_can_come_too_late)
{
	open_w(4, "completion", NULL);
	bench_task("W1", 0, 0, 0, "lock S");
	bench_task("W2", 1, 0, 1, "lock S");
	bench_task("Z", 2, 0, 3, "unlock S; run 5; unlock S; run 5; unlock S");
	bench_task("X", 3, 0, 4, "lock S");
	bench_probe("S", 2 * U);
	bench_probe("S", 3 * U + U / 2);
	bench_probe("S", 4 * U + U / 2);
	bench_probe("S", 6 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("S", 2 * U), "NULL [W1 W2]");
	ck_assert_str_eq(bench_probed("S", 3 * U + U / 2), "NULL [W2]");
	ck_assert_uint_eq(bench_word("S", 3 * U + U / 2), 1);
	ck_assert_uint_eq(bench_word("S", 4 * U + U / 2), 0);
	ck_assert_str_eq(bench_probed("S", 6 * U), "NULL [W2 W1]"); /* W1 is back, at the tail */
	ck_assert_str_eq(bench_grants("S"), "X 4, W2 10, W1 15");
	ck_assert_uint_eq(bench_event("S", "completion_requeued"), 1);
	finish();
}
END_TEST

START_TEST(complete_all)
{
	open_w(4, "completion", NULL);
	bench_task("W1", 0, 0, 0, "lock S");
	bench_task("W2", 1, 0, 1, "lock S");
	bench_task("Z", 2, 0, 3, "wakeall S; run 5; unlock S");
	bench_task("X", 3, 0, 6, "lock S; lock S");
	bench_probe("S", 7 * U);
	bench_run(100);
	ck_assert_str_eq(bench_grants("S"), "W1 5, W2 5, X 6, X 6");
	ck_assert_uint_eq(bench_word("S", 7 * U), 0xffffffffu); /* nobody takes from it any more */
	finish();
}
END_TEST

START_TEST(completion_gives_up)
{
	open_w(4, "completion", "done=1");
	bench_task("A", 0, 0, 0, "try S; try S");
	bench_task("B", 1, 0, 1, "lock S timeout 5");
	bench_task("C", 2, 0, 2, "lock S intr");
	bench_task("X", 3, 0, 10, "signal C");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 1), 0);
	ck_assert_int_eq(bench_result("A", 2), -EBUSY);
	ck_assert_int_eq(bench_result("B", 1), -ETIMEDOUT);
	ck_assert_int_eq(bench_ran("B", 2), 8); /* fires at 6, runs 2 later */
	ck_assert_int_eq(bench_result("C", 1), -EINTR);
	ck_assert_str_eq(bench_state("S"), "NULL");
	finish();
}
END_TEST

/* Completed between the timer and the waiter's run: the wait succeeded. */
START_TEST(completion_beats_the_timer)
{
	open_w(2, "completion", NULL);
	bench_task("B", 0, 0, 1, "lock S timeout 5");
	bench_task("Z", 1, 0, 7, "unlock S");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), 0);
	ck_assert_str_eq(bench_grants("S"), "B 8");
	finish();
}
END_TEST

START_TEST(fifo_hands_over)
{
	open_w(4, "fifo", NULL);
	bench_task("A", 0, 0, 0, "lock S; run 10; unlock S");
	bench_task("B", 1, 0, 1, "lock S; run 1; unlock S");
	bench_task("C", 2, 0, 2, "lock S; run 1; unlock S");
	bench_task("D", 3, 0, 11, "try S; unlock S; lock S; run 1; unlock S");
	bench_probe("S", 10 * U + U / 2);
	bench_run(100);
	ck_assert_str_eq(bench_probed("S", 10 * U + U / 2), "B [C]");
	ck_assert_int_eq(bench_result("D", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("S"), "A 0, B 12, C 15, D 18");
	finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("semaphore");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, p4_units_are_handed_over);
	tcase_add_test(t, count_and_no_waiter);
	tcase_add_test(t, semaphore_gives_up);
	tcase_add_test(t, semaphore_killable);
	tcase_add_test(t, semaphore_up_from_an_interrupt);
	tcase_add_test(t, p5_a_woken_waiter_can_come_too_late);
	tcase_add_test(t, complete_all);
	tcase_add_test(t, completion_gives_up);
	tcase_add_test(t, completion_beats_the_timer);
	tcase_add_test(t, fifo_hands_over);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
