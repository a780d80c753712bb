// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests SPL-1 to SPL-5 of the generic rwsem, and the XADD traces of the generations
 * that granted the lock to writers too. See see.h for how the pictures are read.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "sim/machine/sched.h"
#include "tests/unit/models/see.h"

#define POLL (_i % 2)
#define LATER (_i / 2)

static void open_spl(unsigned ncpus, int i)
{
	see_bench(ncpus, i % 2, i / 2 ? "rwsem-spinlock-3.9" : "rwsem-spinlock-2.6", NULL);
}

/* SPL-1: FIFO against stealing. */
START_TEST(spl_1)
{
	open_spl(3, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 11, "lock L; run 5; unlock L");
	see(1500, "0xffffffff A [B]");
	if (LATER) {
		see(10500, "0x0 - [B]");
		see(11500, "0xffffffff C [B]");
		see(13500, "0xffffffff C [B]"); /* B woke once in vain */
		see(18500, "0xffffffff B []");
	} else {
		see(10500, "0xffffffff - []");
		see(11500, "0xffffffff - [C]");
		see(12500, "0xffffffff B [C]");
	}
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), LATER ? "A 0, C 11, B 18" : "A 0, B 12, C 15");
	bench_close();
}
END_TEST

/* SPL-2: a reader behind a queued writer. */
START_TEST(spl_2)
{
	open_spl(3, _i);
	bench_task("R1", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 1; unlock L");
	see(2500, "0x1 R1 [W R2]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "R1 0, W 12, R2 15");
	bench_close();
}
END_TEST

/* SPL-3: a batch of readers ends at a writer. */
START_TEST(spl_3)
{
	open_spl(5, _i);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 2; unlock L");
	bench_task("W1", 3, 0, 3, "lock L; run 1; unlock L");
	bench_task("R3", 4, 0, 4, "read L; run 1; unlock L");
	see(4500, "0xffffffff W0 [R1 R2 W1 R3]");
	see(10500, "0x2 - [W1 R3]");
	see(13500, "0x1 R2 [W1 R3]");
	see(14500, LATER ? "0x0 - [W1 R3]" : "0xffffffff - [R3]");
	see(16500, "0xffffffff W1 [R3]");
	see(17500, "0x1 - []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* SPL-4: a downgrade lets the leading readers in, and nobody behind a writer. */
START_TEST(spl_4)
{
	open_spl(3, _i);
	bench_task("W0", 0, 0, 0, "lock L; run 10; downgrade L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W1", 2, 0, 2, "lock L; run 1; unlock L");
	see(10500, "0x2 W0 [W1]");
	see_run(100, "0x0 - []");
	bench_close();
	open_spl(3, _i);
	bench_task("W0", 0, 0, 0, "lock L; run 10; downgrade L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R1", 2, 0, 2, "read L; run 1; unlock L");
	see(10500, "0x1 W0 [W1 R1]");
	see(19500, "0x1 W0 [W1 R1]");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

static void stray_wakeup(void *arg)
{
	sim_wake(sim->tasks[bench_task_by_name("W2")], SIM_TASK_NORMAL);
}

/* SPL-5: a queued writer that is awake first takes the lock, though it is not the head. */
START_TEST(spl_5)
{
	see_bench(3, _i, "rwsem-spinlock-3.9", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("W1", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 5; unlock L");
	bench_at(8500 * SIM_NS, stray_wakeup, NULL); /* it runs at 10.5 */
	see(10400, "0x0 - [W1 W2]");
	see(10600, "0xffffffff W2 [W1]");
	see(12500, "0xffffffff W2 [W1]"); /* W1 ran, and sleeps again */
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_steal"), 1);
	bench_close();
}
END_TEST

/* 4.15: a killed writer leaves, and the readers behind it come in with those inside. */
START_TEST(spl_killed)
{
	see_bench(5, _i, "rwsem-spinlock-4.15", NULL);
	bench_task("R0", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("W", 1, 0, 1, "lock L kill; run 1; unlock L");
	bench_task("R1", 2, 0, 2, "read L kill; run 4; unlock L");
	bench_task("W2", 3, 0, 3, "lock L kill; run 1; unlock L");
	bench_task("X", 4, 0, 5, "kill W; run 4; kill W2");
	see(4500, "0x1 R0 [W R1 W2]");
	see(8500, "0x2 R0 [W2]"); /* R1 has it, and is not awake yet */
	see(10500, "0x2 R0,R1 [W2]");
	see(12500, "0x2 R0,R1 []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("W", 1), -EINTR);
	ck_assert_int_eq(bench_result("W2", 1), -EINTR);
	ck_assert_int_eq(bench_result("R1", 1), 0);
	bench_close();
}
END_TEST

/* A reader that is killed while a writer owns the lock just leaves. */
START_TEST(spl_killed_reader)
{
	see_bench(3, _i, "rwsem-spinlock-4.15", NULL);
	bench_task("W0", 0, 0, 0, "lock L; run 20; unlock L");
	bench_task("R1", 1, 0, 1, "read L kill; run 1; unlock L");
	bench_task("X", 2, 0, 5, "signal R1; run 1; kill R1");
	see(4500, "0xffffffff W0 [R1]");
	see(8500, "0xffffffff W0 []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("R1", 1), -EINTR);
	bench_close();
}
END_TEST

/* Trylocks of readers fail behind a queue; of writers, in 2.6, too. */
START_TEST(spl_try)
{
	open_spl(3, _i);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("T", 2, 0, 2, "read L try; unlock L; park 11; lock L try; unlock L; park 30; read L try; unlock L");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T", 3), 0);
	bench_close();
}
END_TEST

static void open_xadd(unsigned ncpus, int i)
{
	see_bench(ncpus, i % 2, i / 2 ? "rwsem-2.6.36" : "rwsem-2.6.26", NULL);
}

/* XADD-1: nobody steals: the release already counts the next writer in. */
START_TEST(xadd_1)
{
	open_xadd(3, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 11, "lock L; run 5; unlock L");
	see(500, "0xffff0001 A []");
	see(1500, "0xfffe0001 A [B]");
	see(10500, "0xffff0001 - []");
	see(11500, "0xfffe0001 - [C]");
	see(12500, "0xfffe0001 B [C]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 15");
	ck_assert_uint_eq(bench_event("L", "rwsem_handoff_writer"), 2);
	bench_close();
}
END_TEST

/* XADD-2: a reader blocks behind a queued writer. */
START_TEST(xadd_2)
{
	open_xadd(4, _i);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "read L; run 5; unlock L");
	bench_task("D", 3, 0, 3, "read L; run 5; unlock L");
	see(500, "0x1 A []");
	see(1500, "0xffff0001 A [B]");
	see(3500, LATER ? "0xffff0001 A [B C D]" : "0xfffd0001 A [B C D]");
	see(10500, LATER ? "0xfffe0001 - [C D]" : "0xfffd0001 - [C D]"); /* granted already */
	see(12500, LATER ? "0xfffe0001 B [C D]" : "0xfffd0001 B [C D]");
	see(13500, "0x2 - []");
	see(15500, "0x2 C,D []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 15, D 15");
	bench_close();
}
END_TEST

/* XADD-3: a run of readers ends at a writer. */
START_TEST(xadd_3)
{
	open_xadd(5, _i);
	bench_task("W0", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("R2", 2, 0, 2, "read L; run 2; unlock L");
	bench_task("W2", 3, 0, 3, "lock L; run 1; unlock L");
	bench_task("R3", 4, 0, 4, "read L; run 1; unlock L");
	/* 2.6.26: one bias for each of the four, and the writer's own */
	see(4500, LATER ? "0xfffe0001 W0 [R1 R2 W2 R3]" : "0xfffb0001 W0 [R1 R2 W2 R3]");
	see(10500, LATER ? "0xffff0002 - [W2 R3]" : "0xfffe0002 - [W2 R3]");
	see(13500, LATER ? "0xffff0001 R2 [W2 R3]" : "0xfffe0001 R2 [W2 R3]");
	see(14500, "0xfffe0001 - [R3]");
	see(16500, "0xfffe0001 W2 [R3]");
	see(17500, "0x1 - []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* XADD-4: only 2.6.36 makes up for the reader that a writer on its way kept out. */
START_TEST(xadd_4)
{
	open_xadd(3, _i);
	bench_task("A", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_stop_at("B", "rwsem_down_failed", 1, 5);
	bench_task("C", 2, 0, 3, "read L; run 20; unlock L");
	see(1500, "0xffff0002 A []");
	see(3500, "0xfffe0002 A [C]");
	if (LATER) {
		see(5500, "0xffff0002 A [B]");
		see(7500, "0xffff0002 A,C [B]");
		see(20500, "0xffff0001 C [B]");
		see(27500, "0xffff0001 - []");
		see(29500, "0xffff0001 B []");
	} else {
		see(5500, "0xfffe0001 A [C B]");
		see(20500, "0xffff0001 - [B]");
		see(22500, "0xffff0001 C [B]");
	}
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* XADD-5: a reader that comes after the release queues behind the writer that has the lock by then. */
START_TEST(xadd_5)
{
	open_xadd(3, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 11, "read L; run 1; unlock L");
	see(1500, "0xfffe0001 A [B]");
	see(10500, "0xffff0001 - []");
	see(11500, "0xfffe0001 - [C]");
	see(12500, "0xfffe0001 B [C]");
	see(13500, "0x1 - []");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 12, C 15");
	bench_close();
}
END_TEST

/*
 * 2.6.36: a reader that queues and finds nobody active is let in, whatever a writer may put into the word after
 * that: it has seen that nobody owns the lock, and holds wait_lock.
 */
START_TEST(nobody_active)
{
	see_bench(3, _i, "rwsem-2.6.36", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 3; unlock L");
	bench_task("R", 1, 0, 1, "read L; run 6; unlock L");
	bench_stop_at("R", "rwsem_down_failed", 1, 5);
	bench_stop_access("R", 1, 5, 8);
	bench_task("W", 2, 0, 6, "lock L; run 1; unlock L");
	bench_stop_at("W", "rwsem_down_failed", 1, 12);
	see(2500, "0xffff0002 A []");
	see(4500, "0x1 - []");
	see(5500, "0xffff0000 - [R]");
	see(6500, "0xfffe0001 - [R]");
	see(8500, "0xffff0002 R []");
	see(12500, "0xffff0001 R [W]");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

#define TURN "lock L; run 1; unlock L; "
#define TURNS TURN TURN TURN TURN TURN TURN TURN TURN TURN TURN

/* XADD-7: a convoy: one switch for each hand-over, unless running writers may take the lock again. */
START_TEST(xadd_7)
{
	static const char *const models[] = { "rwsem-2.6.26", "rwsem-2.6.36", "rwsem-3.12" };
	bool steals = _i / 2 == 2;
	int end = 0;

	see_bench(3, _i % 2, models[_i / 2], NULL);
	bench_task("A", 0, 0, 0, TURNS "run 1");
	bench_task("B", 1, 0, 0, TURNS "run 1");
	bench_task("C", 2, 0, 0, TURNS "run 1");
	see_run(1000, "0x0 - []");
	for (unsigned i = 0; i < 3; i++)
		end = end > bench_released((const char *[]){ "A", "B", "C" }[i], 10) ? end :
			    bench_released((const char *[]){ "A", "B", "C" }[i], 10);
	if (steals)
		ck_assert_int_lt(end, 45); /* 30 turns, and hardly a wake-up in between */
	else
		ck_assert_int_gt(end, 80); /* 30 turns, and two units to wake up for nearly each */
	bench_close();
}
END_TEST

/* A downgrade lets the leading readers in. */
START_TEST(downgrade)
{
	open_xadd(4, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; downgrade L; run 10; unlock L");
	bench_task("Q", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 2, "lock L; run 1; downgrade L; run 1; unlock L");
	bench_task("T", 3, 0, 3, "read L try; unlock L; lock L try; unlock L; park 40; lock L try; unlock L; "
				 "read L try; unlock L");
	see(10500, "0xffff0002 A [W]");
	see(12500, "0xffff0002 A,Q [W]");
	see(20500, "0xffff0001 - []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-old");
	TCase *tc = tcase_create("old");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, spl_1, 0, 4);
	tcase_add_loop_test(tc, spl_2, 0, 4);
	tcase_add_loop_test(tc, spl_3, 0, 4);
	tcase_add_loop_test(tc, spl_4, 0, 4);
	tcase_add_loop_test(tc, spl_5, 0, 2);
	tcase_add_loop_test(tc, spl_killed, 0, 2);
	tcase_add_loop_test(tc, spl_killed_reader, 0, 2);
	tcase_add_loop_test(tc, spl_try, 0, 4);
	tcase_add_loop_test(tc, xadd_1, 0, 4);
	tcase_add_loop_test(tc, xadd_2, 0, 4);
	tcase_add_loop_test(tc, xadd_3, 0, 4);
	tcase_add_loop_test(tc, xadd_4, 0, 4);
	tcase_add_loop_test(tc, xadd_5, 0, 4);
	tcase_add_loop_test(tc, nobody_active, 0, 2);
	tcase_add_loop_test(tc, xadd_7, 0, 6);
	tcase_add_loop_test(tc, downgrade, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
