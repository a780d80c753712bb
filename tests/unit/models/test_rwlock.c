// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests of the reader-writer spinlocks: RWO-1 to RWO-3 (unqueued), QRW-1 to QRW-3
 * (queued), PFT-1 (phase-fair) and the same arrivals under a task-fair lock. See see.h for
 * how the pictures are read; spinners are in no list.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

/* RWO-1: overlapping readers keep a writer out. */
START_TEST(rwo_1)
{
	see_bench(4, _i, "rwlock-x86", NULL);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 12; unlock L");
	bench_task("R3", 3, 0, 12, "read L; run 5; unlock L");
	bench_watch("L");
	see(500, "0xffffff R1 []");
	see(1500, "0xffffff R1 []");
	see(2500, "0xfffffe R1,R2 []");
	see(10500, "0xffffff R2 []");
	see(12500, "0xfffffe R2,R3 []");
	see(17500, "0x0 W []");
	see_run(100, "0x1000000 - []");
	ck_assert_str_eq(bench_words(), "00ffffff ffffffff 00ffffff 00fffffe 00ffffff 00fffffe 00ffffff 01000000 "
					"00000000 01000000");
	bench_close();
}
END_TEST

/* RWO-2: a writer that is about to give up makes a reader fail though only readers own the lock. */
START_TEST(rwo_2)
{
	see_bench(3, _i, "rwlock-x86", NULL);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_stop_at("W", "write_lock_failed", 1, 4);
	bench_task("R2", 2, 0, 2, "read L; run 1; unlock L");
	bench_watch("L");
	see(1500, "0xffffffff R1 []");
	see(2500, "0xffffffff R1 []");
	see(4500, "0xfffffe R1,R2 []");
	see_run(100, "0x1000000 - []");
	ck_assert_str_eq(bench_words(), "00ffffff ffffffff fffffffe ffffffff 00ffffff 00fffffe 00ffffff 01000000 "
					"00000000 01000000");
	ck_assert_uint_eq(bench_event("L", "rwlock_read_slow"), 1);
	bench_close();
}
END_TEST

/* RWO-3: no order among those who spin: the later one sits on the CPU that comes first. */
START_TEST(rwo_3)
{
	see_bench(3, _i, "rwlock-x86", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 2, 0, 1, "lock L; run 1; unlock L");
	bench_task("W2", 1, 0, 2, "lock L; run 1; unlock L");
	see_run(100, "0x1000000 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, W2 10, W1 11");
	bench_close();
}
END_TEST

START_TEST(rwo_try)
{
	see_bench(2, _i, "rwlock-x86", NULL);
	bench_task("A", 0, 0, 0, "lock L try; run 10; unlock L; park 20; read L; run 10; unlock L");
	bench_task("T", 1, 0, 5, "read L try; unlock L; lock L try; unlock L; park 23; lock L try; unlock L; "
				 "read L try; run 1; unlock L");
	see(5500, "0x0 A []");
	see(25500, "0xfffffe A,T []");
	see_run(100, "0x1000000 - []");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	ck_assert_int_eq(bench_result("T", 3), -EBUSY);
	bench_close();
}
END_TEST

/* QRW-1: one queue; the readers that meet at its head share. */
START_TEST(qrw_1)
{
	see_bench(5, _i, "qrwlock", NULL);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 5; unlock L");
	bench_task("W1", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("R2", 3, 0, 3, "read L; run 1; unlock L");
	bench_task("R3", 4, 0, 11, "read L; run 1; unlock L");
	see(500, "0xff W0 []");
	see(1500, "0x2ff W0 []");
	see(3500, "0x2ff W0 []");
	see(10500, "0x300 R1|WAITING []");
	see(11500, "0x300 R1|WAITING []");
	see(15500, "0x2ff W1 []");
	see(17500, "0x400 R2,R3 []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "W0 0, R1 10, W1 15, R2 17, R3 17");
	bench_close();
}
END_TEST

/* QRW-2: a reader in an interrupt goes past a writer that waits. */
START_TEST(qrw_2)
{
	see_bench(3, _i, "qrwlock", NULL);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("X", 2, 0, 0, "run 30");
	bench_irq("I", 2, 5, "read L; run 7; unlock L");
	see(4500, "0x300 R1|WAITING []");
	see(5500, "0x500 R1,I|WAITING []");
	see(10500, "0x300 I|WAITING []");
	see(12500, "0xff W []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "qrw_read_irq"), 1);
	bench_close();
}
END_TEST

/* … but waits for one that owns the lock, staying in the word. */
START_TEST(qrw_2_owned)
{
	see_bench(2, _i, "qrwlock", NULL);
	bench_task("W", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("X", 1, 0, 0, "run 30");
	bench_irq("I", 1, 5, "read L; run 1; unlock L");
	see(5500, "0x2ff W []");
	see(10500, "0x200 I []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* QRW-3: a newcomer takes a free lock from the writer at the head, until that has marked itself. */
START_TEST(qrw_3)
{
	see_bench(4, _i, "qrwlock", NULL);
	bench_task("R0", 0, 0, 0, "read L; run 5; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_stop_at("W1", "qrw_write_slow", 1, 6);
	bench_stop_at("W1", "qrw_write_free", 1, 8);
	bench_task("W9", 2, 0, 7, "lock L; run 5; unlock L");
	bench_task("W8", 3, 0, 10, "lock L; run 1; unlock L");
	see(1500, "0x200 R0 []");
	see(6500, "0x0 - []");
	see(7500, "0xff W9 []");
	see(8500, "0x1ff W9|WAITING []");
	see(12500, "0x1ff W1|WAITING []"); /* W8 is at the head now */
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "qrw_write_lost"), 1);
	ck_assert_str_eq(bench_grants("L"), "R0 0, W9 7, W1 12, W8 13");
	bench_close();
}
END_TEST

/* QRW-1 of the first form: a reader at the head is in no word while a writer is there. */
START_TEST(qrw_first_1)
{
	see_bench(5, _i, "qrwlock-3.16", NULL);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 5; unlock L");
	bench_task("W1", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("R2", 3, 0, 3, "read L; run 1; unlock L");
	bench_task("R3", 4, 0, 11, "read L; run 1; unlock L");
	see(500, "0xff W0 []");
	see(1500, "0xff W0 []"); /* R1 is at the head, and in no word */
	see(10500, "0x101 R1|WAITING []");
	see(11500, "0x101 R1|WAITING []");
	see(15500, "0xff W1 []");
	see(17500, "0x200 R2,R3 []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "W0 0, R1 10, W1 15, R2 17, R3 17");
	bench_close();
}
END_TEST

/* QRW-3 of the first form: the writer at the head that lost to a newcomer does not say so before that has left. */
START_TEST(qrw_first_3)
{
	see_bench(4, _i, "qrwlock-3.16", NULL);
	bench_task("R0", 0, 0, 0, "read L; run 5; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_stop_at("W1", "qrw_write_slow", 1, 6);
	bench_stop_at("W1", "qrw_write_free", 1, 8);
	bench_task("W9", 2, 0, 7, "lock L; run 5; unlock L");
	bench_task("W8", 3, 0, 10, "lock L; run 1; unlock L");
	see(1500, "0x100 R0 []");
	see(6500, "0x0 - []");
	see(7500, "0xff W9 []");
	see(8500, "0xff W9 []");
	see(12500, "0xff W1 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "qrw_write_lost"), 1);
	ck_assert_str_eq(bench_grants("L"), "R0 0, W9 7, W1 12, W8 13");
	bench_close();
}
END_TEST

/* QRW-2 of the first form: a reader in an interrupt goes past a writer that waits, not past one that owns. */
START_TEST(qrw_first_2)
{
	see_bench(3, _i, "qrwlock-3.16", NULL);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("X", 2, 0, 0, "run 30");
	bench_irq("I", 2, 5, "read L; run 7; unlock L");
	see(4500, "0x101 R1|WAITING []");
	see(5500, "0x201 R1,I|WAITING []");
	see(10500, "0x101 I|WAITING []");
	see(12500, "0xff W []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "qrw_read_irq"), 1);
	bench_close();
}
END_TEST

START_TEST(qrw_try)
{
	see_bench(2, _i, "qrwlock", NULL);
	bench_task("A", 0, 0, 0, "lock L try; run 10; unlock L; park 20; read L; run 10; unlock L");
	bench_task("T", 1, 0, 5, "read L try; unlock L; lock L try; unlock L; park 23; lock L try; unlock L; "
				 "read L try; run 1; unlock L");
	see(5500, "0xff A []");
	see(25500, "0x400 A,T []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	ck_assert_int_eq(bench_result("T", 3), -EBUSY);
	bench_close();
}
END_TEST

/* The arrivals of PFT-1: R1, then W1, R2, W2 while it reads, R3 while W1 writes. */
static void arrivals(int poll, const char *model)
{
	see_bench(5, poll, model, NULL);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 5; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 3; unlock L");
	bench_task("W2", 3, 0, 3, "lock L; run 5; unlock L");
	bench_task("R3", 4, 0, 12, "read L; run 4; unlock L");
}

/* PFT-1: when a writer leaves, all waiting readers go in before the next writer. */
START_TEST(pft_1)
{
	arrivals(_i, "pft");
	see(500, "0x100 R1 []");
	see(1500, "0x102 R1 []"); /* the first writer: present, phase 0 */
	see(3500, "0x202 R1 []");
	see(12500, "0x302 W1 []");
	see(15500, "0x303 R2,R3 []"); /* W2: present, phase 1 */
	see(18500, "0x303 R3 []");
	see(19500, "0x303 W2 []");
	see_run(100, "0x300 - []");
	ck_assert_str_eq(bench_grants("L"), "R1 0, W1 10, R2 15, R3 15, W2 19");
	bench_close();
}
END_TEST

/* The same under the task-fair lock: in order. */
START_TEST(tft_1)
{
	arrivals(_i, "tft");
	see(500, "0x100000000 R1 []");
	see(3500, "0x200000002 R1 [? ? ?]");
	see(12500, "0x200000002 W1 [? ? ?]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "R1 0, W1 10, R2 15, W2 18, R3 23");
	bench_close();
}
END_TEST

/* … and under the queued one, which cannot let R3 in with R2 either. */
START_TEST(qrw_order)
{
	arrivals(_i, "qrwlock");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "R1 0, W1 10, R2 15, W2 18, R3 23");
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwlock");
	TCase *tc = tcase_create("rwlock");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, rwo_1, 0, 2);
	tcase_add_loop_test(tc, rwo_2, 0, 2);
	tcase_add_loop_test(tc, rwo_3, 0, 2);
	tcase_add_loop_test(tc, rwo_try, 0, 2);
	tcase_add_loop_test(tc, qrw_1, 0, 2);
	tcase_add_loop_test(tc, qrw_2, 0, 2);
	tcase_add_loop_test(tc, qrw_2_owned, 0, 2);
	tcase_add_loop_test(tc, qrw_3, 0, 2);
	tcase_add_loop_test(tc, qrw_first_1, 0, 2);
	tcase_add_loop_test(tc, qrw_first_2, 0, 2);
	tcase_add_loop_test(tc, qrw_first_3, 0, 2);
	tcase_add_loop_test(tc, qrw_try, 0, 2);
	tcase_add_loop_test(tc, pft_1, 0, 2);
	tcase_add_loop_test(tc, tft_1, 0, 2);
	tcase_add_loop_test(tc, qrw_order, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
