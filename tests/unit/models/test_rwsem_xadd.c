// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests XADD-1 to XADD-7 of the rwsems that are one word with an exchange-and-add:
 * the word, who holds it and who waits after each step. See see.h for how they are read;
 * a reader or writer that was granted the lock holds it once it has woken up.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

/* XADD-1: a running writer takes the lock from the woken one. */
START_TEST(xadd_1)
{
	see_bench(3, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 3; unlock L");
	bench_task("C", 2, 0, 11, "lock L; run 4; unlock L");
	see(500, "0xffff0001 A []");
	see(1500, "0xfffe0001 A [B]");
	see(10500, "0xffff0000 - [B]");
	see(11500, "0xfffe0001 C [B]");
	see(13500, "0xfffe0001 C [B]"); /* B ran, and sleeps again */
	see(15500, "0xffff0000 - [B]");
	see(17500, "0xffff0001 B []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, C 11, B 17");
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_steal"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 2);
	bench_close();
}
END_TEST

/* XADD-2: readers queue behind a queued writer, though readers own the lock. */
START_TEST(xadd_2)
{
	see_bench(4, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "read L; run 1; unlock L");
	bench_task("D", 3, 0, 3, "read L; run 2; unlock L");
	see(500, "0x1 A []");
	see(1500, "0xffff0001 A [B]");
	see(3500, "0xffff0001 A [B C D]");
	see(10500, "0xffff0000 - [B C D]");
	see(12500, "0xfffe0001 B [C D]");
	see(14500, "0x2 - []");
	see(16500, "0x2 C,D []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 16, D 16");
	bench_close();
}
END_TEST

/* XADD-3: a run of readers ends at the next writer. */
START_TEST(xadd_3)
{
	see_bench(5, _i, "rwsem-3.12", NULL);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 2; unlock L");
	bench_task("W2", 3, 0, 3, "lock L; run 1; unlock L");
	bench_task("R3", 4, 0, 4, "read L; run 1; unlock L");
	see(4500, "0xfffe0001 W0 [R1 R2 W2 R3]");
	see(10500, "0xffff0002 - [W2 R3]");
	see(12500, "0xffff0002 R1,R2 [W2 R3]");
	see(13500, "0xffff0001 R2 [W2 R3]");
	see(14500, "0xffff0000 - [W2 R3]");
	see(16500, "0xfffe0001 W2 [R3]");
	see(17500, "0x1 - []");
	see(19500, "0x1 R3 []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* XADD-4: a writer on its way to the queue hides from a reader that it may go in; it makes up for it. */
START_TEST(xadd_4)
{
	see_bench(3, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_stop_at("B", "rwsem_down_write_failed", 1, 5);
	bench_task("C", 2, 0, 3, "read L; run 20; unlock L");
	see(500, "0x1 A []");
	see(1500, "0xffff0002 A []");
	see(3500, "0xfffe0002 A [C]");
	see(5500, "0xffff0002 A [B]");
	see(7500, "0xffff0002 A,C [B]");
	see(20500, "0xffff0001 C [B]");
	see(27500, "0xffff0000 - [B]");
	see(29500, "0xffff0001 B []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* XADD-5: a reader does not steal; it wakes the writer once more. */
START_TEST(xadd_5)
{
	see_bench(3, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 11, "read L; run 1; unlock L");
	see(10500, "0xffff0000 - [B]");
	see(11500, "0xffff0000 - [B C]");
	see(12500, "0xfffe0001 B [C]");
	see(14500, "0x1 - []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_writer"), 2);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 16");
	bench_close();
}
END_TEST

/* XADD-6: with the flag the second waker goes away; without it both wake. */
START_TEST(xadd_6)
{
	see_bench(3, _i, "rwsem-3.12-wakeup", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_stop_at("A", "wakeup-set", 1, 15);
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("X", 2, 0, 11, "lock L; run 2; unlock L");
	see(10500, "0xffff0000 - [W1]");
	see(11500, "0xfffe0001 X [W1]");
	see(13500, "0xffff0000 - [W1]");
	see(14500, "0xffff0000 - [W1]");
	see(17500, "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_writer"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_skipped"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 1);
	bench_close();
}
END_TEST

/*
 * Deviation 3 of the file: the waker is held up between waking a writer and clearing the
 * flag; the writer finds the lock stolen, the thief leaves without waking: B sleeps on a
 * free lock until somebody else comes along.
 */
START_TEST(wakeup_window)
{
	see_bench(4, _i, "rwsem-3.12-wakeup", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_stop_at("A", "wakeup-clear", 1, 20);
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("X", 2, 0, 11, "lock L; run 3; unlock L"); /* B runs at 12 */
	bench_task("Y", 3, 0, 50, "lock L; run 1; unlock L");
	see(11500, "0xfffe0001 X [B]");
	see(14500, "0xffff0000 - [B]");
	see(49500, "0xffff0000 - [B]");
	see(50500, "0xfffe0001 Y [B]");
	see(53500, "0xffff0001 B []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* Readers at the head go in with the downgrader; behind a writer they do not. */
START_TEST(downgrade)
{
	see_bench(4, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; downgrade L; run 10; unlock L");
	bench_task("Q", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 2, "lock L; run 1; downgrade L; run 4; unlock L");
	bench_task("R", 3, 0, 3, "read L; run 1; unlock L");
	see(9500, "0xfffe0001 A [Q W R]");
	see(10500, "0xffff0002 A [W R]");
	see(12500, "0xffff0002 A,Q [W R]");
	see(20500, "0xffff0000 - [W R]");
	see(22500, "0xfffe0001 W [R]");
	see(23500, "0x2 W []");
	see(25500, "0x2 W,R []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* A reader's trylock fails behind a queue; a writer's takes a lock that is free but queued for. */
START_TEST(trylock)
{
	see_bench(3, _i, "rwsem-3.12", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_stop_at("A", "rwsem_wake", 1, 20);
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("T", 2, 0, 2, "try L; unlock L; park 12; read L try; unlock L; try L; run 1; unlock L; park 30; "
				 "read L try; run 1; unlock L");
	see(10500, "0xffff0000 - [B]");
	see(14500, "0xfffe0001 T [B]");
	see(32500, "0x1 T []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-xadd");
	TCase *tc = tcase_create("XADD");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, xadd_1, 0, 2);
	tcase_add_loop_test(tc, xadd_2, 0, 2);
	tcase_add_loop_test(tc, xadd_3, 0, 2);
	tcase_add_loop_test(tc, xadd_4, 0, 2);
	tcase_add_loop_test(tc, xadd_5, 0, 2);
	tcase_add_loop_test(tc, xadd_6, 0, 2);
	tcase_add_loop_test(tc, wakeup_window, 0, 2);
	tcase_add_loop_test(tc, downgrade, 0, 2);
	tcase_add_loop_test(tc, trylock, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
