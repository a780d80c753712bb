// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests XSPIN-1 to XSPIN-7 of the rwsems whose writers spin, for each of the
 * three sets of rules. See see.h for how the pictures are read.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

static const char *const models[] = { "rwsem-3.16", "rwsem-4.2", "rwsem-4.8" };
enum { M316, M42, M48, NMODELS };

#define MODEL (_i / 2)
#define POLL (_i % 2)

/* XSPIN-1: two spinners, one after the other, nobody sleeps. */
START_TEST(xspin_1)
{
	see_open(3, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 2; unlock L");
	bench_watch("L");
	see(500, "0xffff0001 W0 []");
	see(2500, "0xffff0001 W0 []");
	see(10500, "0xffff0001 W1 []");
	see(12500, "0xffff0001 W2 []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_words(), "ffff0001 fffe0002 ffff0001 fffe0002 ffff0001 00000000 ffff0001 00000000 "
					"ffff0001 00000000");
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 0);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_lock"), 2);
	bench_close();
}
END_TEST

/* XSPIN-2: the owner is preempted: both spinners leave and queue, in order. */
START_TEST(xspin_2)
{
	see_open(3, POLL);
	bench_preempt(SIM_PREEMPT_FULL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("K", 0, 50, 5, "run 10");
	bench_task("W1", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 2; unlock L");
	see(4500, "0xffff0001 W0 []");
	see(5500, "0xfffe0001 W0 [W1 W2]");
	see(20500, "0xffff0000 - [W1 W2]");
	see(22500, "0xfffe0001 W1 [W2]");
	see(24500, "0xffff0000 - [W2]");
	see(26500, "0xffff0001 W2 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_writer"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_fail"), 2);
	bench_close();
}
END_TEST

/* XSPIN-3: a spinner takes the lock from a woken sleeper. */
START_TEST(xspin_3)
{
	see_open(4, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	see_no_spin("W1", "K", 1, 2);
	bench_task("W3", 2, 0, 6, "lock L; run 5; unlock L");
	see(5500, "0xfffe0001 W0 [W1]");
	see(9500, "0xfffe0001 W0 [W1]");
	see(10500, "0xfffe0001 W3 [W1]");
	see(15500, "0xffff0000 - [W1]");
	see(17500, "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_writer"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_steal"), 1);
	bench_close();
}
END_TEST

/* … and with wait_lock busy, from 4.2 on, the sleeper is not even woken: the spinner's release does it. */
START_TEST(xspin_3_busy)
{
	bool shortcut = MODEL != M316;

	see_open(4, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	see_no_spin("W1", "K1", 1, 2);
	bench_task("W3", 2, 0, 6, "lock L; run 10; unlock L");
	bench_task("W5", 3, 0, 7, "lock L; run 1; unlock L");
	see_no_spin("W5", "K5", 3, 8);
	bench_stop_access("W5", 1, 5, 15); /* inside wait_lock */
	see(9500, "0xfffe0001 W0 [W1 W5]");
	see(10500, "0xfffe0001 W3 [W1 W5]");
	see(14500, "0xfffe0001 W3 [W1 W5]");
	see(20500, "0xffff0000 - [W1 W5]");
	see(22500, "0xfffe0001 W1 [W5]");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_skipped"), shortcut);
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_writer"), shortcut ? 2 : 3);
	bench_close();
}
END_TEST

/* The same rules for wakers in 3.16, as a parameter; and without them later. */
START_TEST(shortcut_param)
{
	see_open(4, POLL);
	bench_lock_params("L", MODEL ? "rwsem-4.2" : "rwsem-3.16", MODEL ? "shortcut=0" : "shortcut=1");
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	see_no_spin("W1", "K1", 1, 2);
	bench_task("W3", 2, 0, 6, "lock L; run 10; unlock L");
	bench_task("W5", 3, 0, 7, "lock L; run 1; unlock L");
	see_no_spin("W5", "K5", 3, 8);
	bench_stop_access("W5", 1, 5, 15);
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wake_skipped"), MODEL == 0);
	bench_close();
}
END_TEST

/* XSPIN-4: nobody spins on readers. */
START_TEST(xspin_4)
{
	see_open(2, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("R0", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	see(500, MODEL == M48 ? "0x1 R0|READER_OWNED []" : "0x1 R0 []");
	see(1500, MODEL == M48 ? "0xffff0001 R0|READER_OWNED [W1]" : "0xffff0001 R0 [W1]");
	see(12500, "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_nospin"), 1);
	bench_close();
}
END_TEST

/*
 * … and from 4.8 on not on a free lock either that readers had last: W2's attempt fails on
 * the reader, and it looks again when that is gone. It must queue to get the lock.
 */
START_TEST(xspin_4_free)
{
	see_open(3, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("R0", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 0, 9, "lock L; run 5; unlock L");
	bench_stop_access("W2", 1, 2, 12);
	see(9500, MODEL == M48 ? "0xfffe0002 R0|READER_OWNED [W1]" : "0xfffe0002 R0 [W1]");
	see(10500, MODEL == M48 ? "0xfffe0001 -|READER_OWNED [W1]" : "0xfffe0001 - [W1]");
	see(12500, "0xfffe0001 W2 [W1]");
	see(17500, "0xffff0000 - [W1]");
	see(19500, "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	/* 3.16: no owner, no spin; 4.2: no owner, nobody active; 4.8: the readers' mark */
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_lock"), MODEL == M42);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_nospin"), MODEL == M42 ? 1 : 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_steal"), 1);
	bench_close();
}
END_TEST

/* XSPIN-5: W1 owns the lock and has not said so: a real-time spinner must not wait for that, others do. */
START_TEST(xspin_5)
{
	bool rt = MODEL;

	see_open(2, POLL);
	bench_lock("L", "rwsem-4.8");
	bench_task("W1", 0, 0, 0, "lock L; run 10; unlock L");
	bench_stop_at("W1", "rwsem_set_owner", 1, 10);
	bench_task("W2", 1, rt ? 50 : 0, 3, "lock L; run 1; unlock L");
	see(3500, rt ? "0xfffe0001 - [W2]" : "0xffff0001 - []");
	see(12500, rt ? "0xfffe0001 W1 [W2]" : "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_granted("W2", 1), rt ? 22 : 20);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_fail"), rt);
	bench_close();
}
END_TEST

/* XSPIN-6: a reschedule is due in the middle of the OSQ: that one leaves, nobody else is disturbed. */
START_TEST(xspin_6)
{
	see_open(4, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 1");
	bench_task("W3", 3, 0, 3, "lock L; run 2; unlock L");
	see(4500, "0xffff0001 W0 []");
	see(5500, "0xfffe0001 W0 [W2]");
	see(10500, "0xfffe0001 W1 [W2]");
	see(11500, "0xfffe0001 W3 [W2]");
	see(13500, "0xffff0000 - [W2]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "W0 0, W1 10, W3 11, W2 15");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_fail"), 1);
	bench_close();
}
END_TEST

/* … and at its head, which spins on the owner. */
START_TEST(xspin_6_head)
{
	see_open(3, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("K", 1, 50, 5, "run 1");
	bench_task("W2", 2, 0, 2, "lock L; run 5; unlock L");
	see(5500, "0xfffe0001 W0 [W1]");
	see(10500, "0xfffe0001 W2 [W1]");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* XSPIN-7: a new writer comes first: 3.16 gives up spinning, later releases spin on that one. */
START_TEST(xspin_7)
{
	bool stops = MODEL == M316;

	see_open(3, POLL);
	bench_cost("relax", 3 * U); /* W1 looks at 1, 4, 7, 10, 13 */
	bench_lock("L", models[MODEL]);
	bench_task("W0", 0, 0, 0, "lock L; run 11; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("W9", 2, 0, 12, "lock L; run 5; unlock L");
	see(11500, "0x0 - []");
	see(12500, "0xffff0001 W9 []");
	see(13500, stops ? "0xfffe0001 W9 [W1]" : "0xffff0001 W9 []");
	see(19900, stops ? "0xffff0001 W1 []" : "0xffff0001 W1 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), stops);
	bench_close();
}
END_TEST

/* A downgrade lets readers in; from 4.8 on the lock is marked as the readers'. */
START_TEST(downgrade)
{
	see_open(4, POLL);
	bench_lock("L", models[MODEL]);
	bench_task("A", 0, 0, 0, "lock L; run 10; downgrade L; run 10; unlock L");
	bench_task("Q", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 15, "lock L; run 1; unlock L");
	bench_task("T", 3, 0, 2, "read L try; unlock L; park 15; read L try; unlock L; park 30; lock L try; run 1; "
				 "unlock L; read L try; unlock L");
	see(9500, "0xfffe0001 A [Q]");
	see(10500, MODEL == M48 ? "0x2 A|READER_OWNED []" : "0x2 A []");
	see(16500, MODEL == M48 ? "0xffff0001 A|READER_OWNED [W]" : "0xffff0001 A [W]");
	see(32500, "0xffff0001 T []");
	see_run(100, MODEL == M48 ? "0x0 -|READER_OWNED []" : "0x0 - []");
	bench_close();
}
END_TEST

/* 4.8: a writer that is killed lets the readers in that waited behind it; the last to leave takes the queue's bias along. */
START_TEST(killed_writer)
{
	see_open(4, _i);
	bench_lock("L", "rwsem-4.8");
	bench_task("R0", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("W", 1, 0, 1, "lock L kill; run 1; unlock L");
	bench_task("R1", 2, 0, 2, "read L kill; run 4; unlock L");
	bench_task("X", 3, 0, 5, "signal W; run 1; kill W");
	see(4500, "0xffff0001 R0|READER_OWNED [W R1]");
	see(5500, "0xffff0001 R0|READER_OWNED [W R1]"); /* a plain signal ends no killable wait */
	see(8500, "0x2 R0|READER_OWNED []"); /* R1 has it, and is not awake yet */
	see(10500, "0x2 R0,R1|READER_OWNED []");
	see_run(100, "0x0 -|READER_OWNED []");
	ck_assert_int_eq(bench_result("W", 1), -EINTR);
	ck_assert_int_eq(bench_result("R1", 1), 0);
	bench_close();
}
END_TEST

/* 4.8: readers that are killed just leave; the only waiter takes the queue's bias along. */
START_TEST(killed_reader)
{
	see_open(4, _i);
	bench_lock("L", "rwsem-4.8");
	bench_task("W0", 0, 0, 0, "lock L; run 20; unlock L");
	bench_task("R1", 1, 0, 1, "read L kill; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L intr; run 1; unlock L");
	bench_task("X", 3, 0, 5, "kill R1; run 4; signal R2");
	see(4500, "0xfffe0001 W0 [R1 R2]");
	see(8500, "0xfffe0001 W0 [R2]");
	see(12500, "0xffff0001 W0 []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("R1", 1), -EINTR);
	ck_assert_int_eq(bench_result("R2", 1), -EINTR);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-xspin");
	TCase *tc = tcase_create("XSPIN");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, xspin_1, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_2, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_3, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_3_busy, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, shortcut_param, 0, 4);
	tcase_add_loop_test(tc, xspin_4, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_4_free, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_5, 0, 4);
	tcase_add_loop_test(tc, xspin_6, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_6_head, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, xspin_7, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, downgrade, 0, 2 * NMODELS);
	tcase_add_loop_test(tc, killed_writer, 0, 2);
	tcase_add_loop_test(tc, killed_reader, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
