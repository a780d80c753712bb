// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests RWB-1 to RWB-6 of the reader-writer locks of PREEMPT_RT. See see.h for how
 * the pictures are read: a writer that waits for readers is the first waiter, those who
 * wait for the rt_mutex follow in its order. Priorities in scripts: larger is stronger; in
 * the log: the kernel's.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

#define POLL (_i % 2)
#define FAIR (_i / 2)

static void open_rt(unsigned ncpus, int poll, const char *model)
{
	see_open(ncpus, poll);
	bench_preempt(SIM_PREEMPT_FULL);
	bench_lock("L", model);
}

static bool logged(const char *text)
{
	return strstr(bench_log(), text);
}

/* RWB-1: a reader comes while a writer waits for readers. */
START_TEST(rwb_1)
{
	open_rt(4, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("R1", 0, 10, 0, "read L; run 10; unlock L");
	bench_task("R2", 1, 10, 1, "read L; run 12; unlock L");
	bench_task("W", 2, 20, 2, "lock L; run 2; unlock L");
	bench_task("R3", 3, 50, 3, "read L; run 15; unlock L");
	see(1500, "0x80000002 R1,R2 []");
	see(2500, "0x2 R1,R2 [W]");
	if (FAIR) {
		see(3500, "0x2 R1,R2 [W R3]");
		see(10500, "0x1 R2 [W R3]");
		see(13500, "0x0 - [W R3]");
		see(15500, "0x40000000 W [R3]");
		see(17500, "0x80000000 - [R3]");
		see(19500, "0x80000001 R3 []");
	} else {
		see(3500, "0x3 R1,R2,R3 [W]");
		see(10500, "0x2 R2,R3 [W]");
		see(13500, "0x1 R3 [W]");
		see(18500, "0x0 - [W]");
		see(20500, "0x40000000 W []");
	}
	see_run(100, "0x80000000 - []");
	ck_assert_int_eq(logged("effprio W 79->49 (donor R3)"), FAIR);
	ck_assert_uint_eq(bench_event("L", "rwbase_write_drain"), 1);
	ck_assert_uint_eq(bench_event("L", "rwbase_last_reader"), 1);
	bench_close();
}
END_TEST

/* RWB-2: nobody boosts a preempted reader: the strong writer waits for the middle one to finish. */
START_TEST(rwb_2)
{
	open_rt(2, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("R1", 0, 10, 0, "read L; run 5; unlock L");
	bench_task("M", 0, 50, 1, "run 20");
	bench_task("W", 1, 90, 2, "lock L; run 1; unlock L");
	see(3500, "0x1 R1 [W]");
	see(24500, "0x1 R1 [W]");
	see(27500, "0x40000000 W []");
	see_run(100, "0x80000000 - []");
	ck_assert(!logged("effprio"));
	bench_close();
}
END_TEST

/* RWB-3: a reader that a writer keeps out boosts it; the readers go in one after the other. */
START_TEST(rwb_3)
{
	open_rt(3, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("W", 0, 20, 0, "lock L; park 8; run 2; unlock L");
	bench_task("R4", 1, 95, 1, "read L; run 5; unlock L");
	bench_task("R5", 2, 60, 2, "read L; run 5; unlock L");
	see(500, "0x40000000 W []");
	see(2500, "0x40000000 W [R4 R5]");
	see(12500, "0x80000000 - [R4 R5]");
	see(14500, "0x80000001 R4 [R5]");
	see(16500, "0x80000002 R4,R5 []");
	see_run(100, "0x80000000 - []");
	ck_assert(logged("effprio W 79->4 (donor R4)"));
	ck_assert(logged("effprio W 4->79 (none)"));
	bench_close();
}
END_TEST

/* RWB-4: a writer between two readers in the queue; up to 6.3 a newcomer gets in where the queued reader may not. */
START_TEST(rwb_4)
{
	open_rt(5, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("W", 0, 20, 0, "lock L; park 8; run 2; unlock L"); /* runs from 10 */
	bench_task("R4", 1, 80, 1, "read L; run 6; unlock L");
	bench_task("W2", 2, 70, 2, "lock L; run 1; unlock L");
	bench_task("R5", 3, 60, 3, "read L; run 1; unlock L");
	bench_task("R6", 4, 10, 18, "read L; run 4; unlock L");
	see(3500, "0x40000000 W [R4 W2 R5]");
	see(14500, "0x80000001 R4 [W2 R5]");
	see(16500, "0x1 R4 [W2 R5]");
	if (FAIR) {
		see(18500, "0x1 R4 [W2 R5 R6]");
		see(20500, "0x0 - [W2 R5 R6]");
		see(22500, "0x40000000 W2 [R5 R6]");
	} else {
		see(18500, "0x2 R4,R6 [W2 R5]");
		see(20500, "0x1 R6 [W2 R5]");
		see(22500, "0x0 - [W2 R5]");
		see(24500, "0x40000000 W2 [R5]");
	}
	see_run(100, "0x80000000 - []");
	bench_close();
}
END_TEST

#define READS "read L; run 10; unlock L; run 1; "
#define MANY READS READS READS READS READS READS READS READS READS READS

/* RWB-5: two readers that take turns and overlap: the writer starves up to 6.3. */
START_TEST(rwb_5)
{
	open_rt(3, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("A", 0, 10, 0, MANY "run 1");
	bench_task("B", 1, 10, 5, MANY "run 1");
	bench_task("W", 2, 90, 20, "lock L; run 1; unlock L");
	see_run(400, "0x80000000 - []");
	if (FAIR)
		ck_assert_int_lt(bench_granted("W", 1), 33);
	else
		ck_assert_int_gt(bench_granted("W", 1), 110);
	bench_close();
}
END_TEST

/* RWB-6: between a writer's release and the next one's arrival readers get in by the fast path. */
START_TEST(rwb_6)
{
	open_rt(3, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("W", 0, 20, 0, "lock L; park 8; run 2; unlock L");
	bench_task("W2", 1, 30, 1, "lock L; run 1; unlock L");
	bench_task("R", 2, 10, 13, "read L; run 5; unlock L");
	see(11500, "0x40000000 W [W2]");
	see(12500, "0x80000000 - [W2]");
	see(13500, "0x80000001 R [W2]");
	see(14500, "0x1 R [W2]");
	see(20500, "0x40000000 W2 []");
	see_run(100, "0x80000000 - []");
	bench_close();
}
END_TEST

/* A downgrade opens the fast path and lets the next waiter in. */
START_TEST(downgrade)
{
	open_rt(3, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("W", 0, 20, 0, "lock L; park 8; downgrade L; run 10; unlock L");
	bench_task("R", 1, 10, 1, "read L; run 1; unlock L");
	bench_task("X", 2, 10, 11, "read L try; run 2; unlock L; lock L try; unlock L");
	see(9500, "0x40000000 W [R]");
	see(10500, "0x80000001 W [R]");
	see(12500, "0x80000003 W,X,R []");
	see_run(100, "0x80000000 - []");
	ck_assert_int_eq(bench_result("X", 2), -EBUSY);
	bench_close();
}
END_TEST

/* A writer that is killed while it waits for readers opens the fast path again. */
START_TEST(killed_writer)
{
	open_rt(4, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("R1", 0, 10, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 20, 1, "lock L kill");
	bench_task("X", 2, 10, 3, "kill W");
	bench_task("R2", 3, 10, 7, "read L; run 1; unlock L");
	see(2500, "0x1 R1 [W]");
	see(5500, "0x80000001 R1 []");
	see(7500, "0x80000002 R1,R2 []");
	see_run(100, "0x80000000 - []");
	ck_assert_int_eq(bench_result("W", 1), -EINTR);
	bench_close();
}
END_TEST

/* A reader that is killed takes back what it lent. */
START_TEST(killed_reader)
{
	open_rt(3, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("W", 0, 20, 0, "lock L; park 15; unlock L");
	bench_task("R", 1, 50, 1, "read L kill");
	bench_task("X", 2, 10, 3, "kill R");
	see(2500, "0x40000000 W [R]");
	see(5500, "0x40000000 W []");
	see_run(100, "0x80000000 - []");
	ck_assert_int_eq(bench_result("R", 1), -EINTR);
	ck_assert(logged("effprio W 49->79 (none)"));
	bench_close();
}
END_TEST

/* rtrwlock: the same words; signals do not end the wait. */
START_TEST(rwlock)
{
	see_open(4, POLL);
	bench_preempt(SIM_PREEMPT_FULL);
	bench_lock("L", FAIR ? "rtrwlock-6.4" : "rtrwlock");
	bench_task("R1", 0, 10, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 20, 1, "lock L; run 2; unlock L");
	bench_task("R2", 2, 30, 2, "read L; run 4; unlock L");
	bench_task("X", 3, 10, 3, "signal W; kill R2; lock L try; unlock L");
	see(1500, "0x1 R1 [W]");
	see(2500, FAIR ? "0x1 R1 [W R2]" : "0x2 R1,R2 [W]");
	see(4500, FAIR ? "0x1 R1 [W R2]" : "0x2 R1,R2 [W]");
	see(12500, FAIR ? "0x40000000 W [R2]" : "0x40000000 W []");
	see_run(100, "0x80000000 - []");
	ck_assert_int_eq(bench_result("W", 1), 0);
	ck_assert_int_eq(bench_result("R2", 1), 0);
	ck_assert_int_eq(bench_result("X", 1), -EBUSY);
	bench_close();
}
END_TEST

/* What readers lend goes up the chain of writers, and a signal takes it back; a deadlock parks. */
START_TEST(chain)
{
	open_rt(5, POLL, FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_lock("M", FAIR ? "rwbase-6.4" : "rwbase-5.15");
	bench_task("P", 0, 10, 0, "lock L; run 20; unlock L");
	bench_task("Q", 1, 20, 1, "lock M; lock L; run 1; unlock L; unlock M");
	bench_task("S", 2, 50, 4, "read M; run 1; unlock M");
	bench_task("Y", 3, 15, 30, "lock L; lock L");
	see(5500, "0x40000000 P [Q]");
	bench_run(100);
	ck_assert(logged("requeue Q on L as 49"));
	ck_assert(logged("effprio P 79->49 (donor Q)"));
	ck_assert(!bench_done()); /* Y is parked */
	ck_assert_uint_eq(bench_event("L", "rtmutex_parked"), 1);
	ck_assert_uint_eq(bench_event("L", "rtmutex_deadlock"), 1);
	ck_assert_uint_eq(bench_event("M", "rtmutex_requeue"), 1);
	ck_assert_uint_eq(bench_event("M", "rtmutex_walk"), 1);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwbase");
	TCase *tc = tcase_create("RWB");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, rwb_1, 0, 4);
	tcase_add_loop_test(tc, rwb_2, 0, 4);
	tcase_add_loop_test(tc, rwb_3, 0, 4);
	tcase_add_loop_test(tc, rwb_4, 0, 4);
	tcase_add_loop_test(tc, rwb_5, 0, 4);
	tcase_add_loop_test(tc, rwb_6, 0, 4);
	tcase_add_loop_test(tc, downgrade, 0, 4);
	tcase_add_loop_test(tc, killed_writer, 0, 4);
	tcase_add_loop_test(tc, killed_reader, 0, 4);
	tcase_add_loop_test(tc, rwlock, 0, 4);
	tcase_add_loop_test(tc, chain, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
