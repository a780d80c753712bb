// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests RTA-1 to RTA-4 (one reader at a time) and PI08-1 to PI08-5 (many readers,
 * all of which inherit) of the earlier rwsems of PREEMPT_RT. See see.h for how the
 * pictures are read. Priorities in scripts: larger is stronger; in the log: the kernel's.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

static void open_rt(unsigned ncpus, int poll, const char *model, const char *params)
{
	see_open(ncpus, poll);
	bench_preempt(SIM_PREEMPT_FULL);
	bench_lock_params("L", model, params);
}

static bool logged(const char *text)
{
	return strstr(bench_log(), text);
}

/* Does @text stand in the log line of time @t? */
static bool logged_at(int t, const char *text)
{
	char begin[32];
	const char *line, *at;

	snprintf(begin, sizeof(begin), "t=%d: ", t);
	line = strstr(bench_log(), begin);
	at = line ? strstr(line, text) : NULL;
	return at && (!strchr(line, '\n') || at < strchr(line, '\n'));
}

/* RTA-1: readers never overlap; the strongest waiter's priority is lent to the reader inside. */
START_TEST(rta_1)
{
	open_rt(3, _i, "rwsem-rt-single", NULL);
	bench_task("R1", 0, 50, 0, "read L; run 10; unlock L");
	bench_task("R2", 1, 60, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 70, 2, "lock L; run 1; unlock L");
	see(2500, "0x3 R1|HAS_WAITERS [W R2]");
	see_run(100, "0x0 - []");
	ck_assert(logged_at(1, "effprio R1 49->39 (donor R2)"));
	ck_assert(logged_at(2, "effprio R1 39->29 (donor W)"));
	ck_assert_int_ge(bench_granted("W", 1), 10);
	ck_assert_int_gt(bench_granted("R2", 1), bench_granted("W", 1));
	bench_close();
}
END_TEST

/* RTA-2: a reader may read again; a writer's trylock for reading fails. */
START_TEST(rta_2_nest)
{
	open_rt(2, _i, "rwsem-rt-single", NULL);
	bench_task("R1", 0, 50, 0, "read L; read L; run 2; unlock L; run 2; unlock L; run 6; lock L; read L try");
	bench_task("T", 1, 50, 3, "read L try; unlock L; park 5; read L try; unlock L");
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "R1 0, R1 0, T 7, R1 10");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("R1", 4), -EBUSY);
	bench_close();
}
END_TEST

/* … and without nesting it deadlocks on itself, or fails. */
START_TEST(rta_2_nonest)
{
	open_rt(2, _i, "rwsem-rt-single-nonest", NULL);
	bench_task("R1", 0, 50, 0, "read L; read L try; run 1");
	bench_task("T", 1, 50, 3, "read L; unlock L");
	bench_run(20);
	ck_assert_int_eq(bench_result("R1", 2), -EBUSY);
	bench_close();
	open_rt(2, _i, "rwsem-rt-single-nonest", NULL);
	bench_task("R1", 0, 50, 0, "read L; read L; unlock L");
	bench_run(20);
	ck_assert_uint_eq(bench_event("L", "rtmutex_parked"), 1);
	ck_assert(!bench_done());
	bench_close();
}
END_TEST

/* RTA-3: a reader waits for somebody who wants to read: only with one reader at a time is that a deadlock. */
START_TEST(rta_3)
{
	static const char *const models[] = { "rwsem-rt-single", "rwsem-3.12", "rwsem-rt-multi-2008" };

	open_rt(2, _i % 2, models[_i / 2], NULL);
	bench_lock("E", "semaphore");
	bench_task("T3", 0, 50, 0, "lock E; run 5; read L; unlock L; unlock E");
	bench_task("T1", 1, 50, 1, "read L; lock E; unlock E; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_done(), _i / 2 != 0);
	bench_close();
}
END_TEST

/* RTA-4: a downgrade lets nobody in. */
START_TEST(rta_4)
{
	open_rt(2, _i, "rwsem-rt-single", NULL);
	bench_task("W", 0, 20, 0, "lock L; park 5; downgrade L; run 8; unlock L");
	bench_task("R2", 1, 50, 1, "read L; run 1; unlock L");
	see(4500, "0x3 W|HAS_WAITERS [R2]");
	see(14500, "0x3 W|HAS_WAITERS [R2]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "W 0, R2 17");
	bench_close();
}
END_TEST

/* PI08-1: a writer lends to both readers; each gives it back when it leaves. */
START_TEST(pi08_1)
{
	open_rt(3, _i, "rwsem-rt-multi-2008", NULL);
	bench_task("R1", 0, 20, 0, "read L; run 10; unlock L; run 1");
	bench_task("R2", 1, 30, 1, "read L; run 20; unlock L; run 1");
	bench_task("W", 2, 90, 2, "lock L; run 1; unlock L");
	see(500, "0x4 R1 []");
	see(1500, "0x100 R1,R2 []");
	see(2500, "0x100 R1,R2 [W]");
	see(10500, "0x100 R2 [W]");
	see(21500, "0x400 -|PENDING_WRITE [W]");
	see(23500, "0xe W []");
	see_run(100, "0x0 - []");
	ck_assert(logged_at(2, "effprio R1 79->9 (donor W)"));
	ck_assert(logged_at(2, "effprio R2 69->9 (donor W)"));
	ck_assert(logged_at(10, "effprio R1 9->79 (none)"));
	ck_assert(!logged_at(10, "effprio R2"));
	ck_assert(logged_at(21, "effprio R2 9->69 (none)"));
	ck_assert_uint_eq(bench_event("L", "rwpi_boost"), 2);
	bench_close();
}
END_TEST

/* PI08-2: without a limit a reader goes in past the writer, and is boosted only when the strongest waiter changes. */
START_TEST(pi08_2)
{
	open_rt(5, _i, "rwsem-rt-multi-2008", NULL);
	bench_task("R1", 0, 20, 0, "read L; run 10; unlock L");
	bench_task("W", 1, 90, 2, "lock L; run 1; unlock L");
	bench_task("R3", 2, 10, 3, "read L; run 20; unlock L");
	bench_task("V", 3, 95, 6, "lock L; run 1; unlock L");
	see(3500, "0x100 R1,R3 [W]");
	see(6500, "0x100 R1,R3 [V W]");
	see(10500, "0x100 R3 [V W]");
	see_run(100, "0x0 - []");
	ck_assert(!logged_at(3, "effprio R3"));
	ck_assert(logged_at(6, "effprio R3 89->4 (donor V)"));
	ck_assert_str_eq(bench_grants("L"), "R1 0, R3 3, V 25, W 28");
	ck_assert_uint_eq(bench_event("L", "rwpi_read_pass"), 1);
	bench_close();
}
END_TEST

/* PI08-3: with the limit a reader waits for a place, by priority. */
START_TEST(pi08_3)
{
	open_rt(4, _i, "rwsem-rt-multi-2008", "readers=2");
	bench_task("R1", 0, 20, 0, "read L; run 10; unlock L");
	bench_task("R2", 1, 30, 1, "read L; run 20; unlock L");
	bench_task("R3", 2, 50, 3, "read L; run 12; unlock L");
	bench_task("W", 3, 40, 4, "lock L; run 1; unlock L");
	see(4500, "0x100 R1,R2 [R3 W]");
	see(10500, "0x100 R2|PENDING_READ [R3 W]");
	see(12500, "0x100 R2,R3 [W]");
	see_run(100, "0x0 - []");
	ck_assert_str_eq(bench_grants("L"), "R1 0, R2 1, R3 12, W 26");
	ck_assert_uint_eq(bench_event("L", "rwpi_read_limit"), 1);
	bench_close();
}
END_TEST

/* PI08-4: readers that were woken lose the lock to a stronger writer, and queue again. */
START_TEST(pi08_4)
{
	open_rt(6, _i, "rwsem-rt-multi-2008", NULL);
	bench_task("W0", 0, 10, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 80, 1, "read L; run 1; unlock L");
	bench_task("R2", 2, 70, 2, "read L; run 1; unlock L");
	bench_task("W1", 3, 60, 3, "lock L; run 1; unlock L");
	bench_task("R3", 4, 50, 4, "read L; run 1; unlock L");
	bench_task("W9", 5, 90, 11, "lock L; run 3; unlock L");
	see(4500, "0x6 W0 [R1 R2 W1 R3]");
	see(10500, "0x200 -|PENDING_READ [R1 W1 R3]");
	see(11500, "0x1a W9 [W1 R3]");
	see(12500, "0x1a W9 [R1 R2 W1 R3]");
	see(14500, "0x200 -|PENDING_READ [R1 W1 R3]");
	see(16500, "0x100 R1,R2 [W1 R3]");
	see_run(100, "0x0 - []");
	ck_assert(logged_at(11, "W9 STEALS L from R1"));
	ck_assert_str_eq(bench_grants("L"), "W0 0, W9 11, R1 16, R2 16, W1 19, R3 22");
	ck_assert_uint_eq(bench_event("L", "rwpi_rob"), 1);
	bench_close();
}
END_TEST

/* PI08-5: what a reader is lent goes on to the owner of the mutex that it waits for. */
START_TEST(pi08_5)
{
	open_rt(3, _i, "rwsem-rt-multi-2008", NULL);
	bench_lock("M", "rtmutex");
	bench_task("Lo", 0, 5, 0, "lock M; run 20; unlock M");
	bench_task("R1", 1, 20, 1, "read L; lock M; unlock M; unlock L");
	bench_task("W", 2, 90, 3, "lock L; run 1; unlock L");
	see(3500, "0x100 R1 [W]");
	see_run(100, "0x0 - []");
	ck_assert(logged_at(1, "effprio Lo 94->79 (donor R1)"));
	ck_assert(logged_at(3, "effprio R1 79->9 (donor W)"));
	ck_assert(logged_at(3, "requeue R1 on M as 9"));
	ck_assert(logged_at(3, "effprio Lo 79->9 (donor R1)"));
	bench_close();
}
END_TEST

/* A waiter's priority is raised: the readers follow, whether or not it was the strongest already. */
START_TEST(prio_changed)
{
	open_rt(5, _i, "rwsem-rt-multi-2008", NULL);
	bench_task("R1", 0, 20, 0, "read L; run 20; unlock L");
	bench_task("W", 1, 50, 1, "lock L; run 1; unlock L");
	bench_task("V", 2, 40, 2, "lock L; run 1; unlock L");
	bench_task("X", 3, 10, 4, "prio W 60; run 2; prio V 70");
	see(3500, "0x100 R1 [W V]");
	see(7500, "0x100 R1 [V W]");
	see_run(100, "0x0 - []");
	ck_assert(logged("effprio R1 49->39 (donor W)"));
	ck_assert(logged("effprio R1 39->29 (donor V)"));
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-rt");
	TCase *tc = tcase_create("RT");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, rta_1, 0, 2);
	tcase_add_loop_test(tc, rta_2_nest, 0, 2);
	tcase_add_loop_test(tc, rta_2_nonest, 0, 2);
	tcase_add_loop_test(tc, rta_3, 0, 6);
	tcase_add_loop_test(tc, rta_4, 0, 2);
	tcase_add_loop_test(tc, pi08_1, 0, 2);
	tcase_add_loop_test(tc, pi08_2, 0, 2);
	tcase_add_loop_test(tc, pi08_3, 0, 2);
	tcase_add_loop_test(tc, pi08_4, 0, 2);
	tcase_add_loop_test(tc, pi08_5, 0, 2);
	tcase_add_loop_test(tc, prio_changed, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
