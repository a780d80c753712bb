// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * W17-1 to W17-3, provisional as the model is: readers that spin, in one queue with
 * writers, and writers that spin on readers until that is disabled. See see.h.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

/* W17-1: a reader spins behind a running writer and owns the lock without sleeping. */
START_TEST(w17_1)
{
	see_bench(2, _i, "rwsem-2017-rspin", NULL);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 2; unlock L");
	see(500, "0xffff0001 W0 []");
	see(1500, "0xffff0001 W0 []");
	see(10500, "0x1 R1|READER_OWNED []");
	see_run(100, "0x0 -|READER_OWNED []");
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_reader"), 0);
	bench_close();
}
END_TEST

/* W17-2: the queue of spinners is FIFO across kinds: R3 waits behind W2, though it could read with R1. */
START_TEST(w17_2)
{
	see_open(4, _i);
	bench_cost("relax", U / 4);
	bench_lock_params("L", "rwsem-2017-rspin", "turns=100");
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 10; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 3; unlock L");
	bench_task("R3", 3, 0, 3, "read L; run 2; unlock L");
	see(3500, "0xffff0001 W0 []");
	see(12500, "0x1 R1|READER_OWNED []");
	see(21500, "0xffff0001 W2 []");
	see_run(100, "0x0 -|READER_OWNED []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_rlock"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_wlock"), 1);
	ck_assert_int_ge(bench_granted("R3", 1), 23);
	bench_close();
}
END_TEST

/* W17-3: out of turns: nobody spins until a writer has owned the lock. */
START_TEST(w17_3)
{
	see_open(6, _i);
	bench_cost("relax", U / 4);
	bench_lock_params("L", "rwsem-2017-rspin", "turns=16");
	bench_task("R0", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 5; unlock L");
	bench_task("R2", 2, 0, 10, "read L; run 2; unlock L");
	bench_task("W3", 3, 0, 11, "lock L; run 2; unlock L");
	bench_task("R4", 4, 0, 24, "read L; run 2; unlock L");
	see(3500, "0x1 R0|READER_OWNED []");
	see(6500, "0xc0000001 R0|READER_OWNED|NOSPIN [W1]");
	see(11500, "0xc0000001 R0|READER_OWNED|NOSPIN [W1 R2 W3]");
	see(20500, "0xc0000000 -|READER_OWNED|NOSPIN [W1 R2 W3]");
	see(22500, "0xbfff0001 W1 [R2 W3]");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_disable"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_nospin"), 2); /* R2, W3; R4 spins on W1 */
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_rlock"), 1);
	bench_close();
}
END_TEST

/* The first five patches: R1 spins on W0, but W2 and R3 behind it do not spin on R1. */
START_TEST(w17_first_five)
{
	see_open(4, _i);
	bench_cost("relax", U / 4);
	bench_lock_params("L", "rwsem-2017-rspin", "on_readers=off");
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 10; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 3; unlock L");
	bench_task("R3", 3, 0, 3, "read L; run 2; unlock L");
	see(3500, "0xffff0001 W0 []");
	see(12500, "0xc0000001 R1|READER_OWNED [W2 R3]");
	see(21500, "0xc0000000 -|READER_OWNED [W2 R3]"); /* W2 has yet to wake up */
	see(24500, "0xbfff0001 W2 [R3]");
	see_run(100, "0x0 -|READER_OWNED []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_rlock"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_fail"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_disable"), 0);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-2017");
	TCase *tc = tcase_create("W17");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, w17_1, 0, 2);
	tcase_add_loop_test(tc, w17_2, 0, 2);
	tcase_add_loop_test(tc, w17_3, 0, 2);
	tcase_add_loop_test(tc, w17_first_five, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
