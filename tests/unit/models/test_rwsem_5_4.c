// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests R53-1 to R53-6 of the rwsem of 5.4, whose readers spin. See see.h for how the
 * pictures are read; the flags are those of the count and of the owner word.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

/* R53-1: readers that spin keep a woken writer out. */
START_TEST(r53_1)
{
	see_bench(5, _i, "rwsem-5.4", NULL);
	bench_task("W", 0, 0, 0, "lock L; park 5; run 3; unlock L"); /* runs from 7 */
	bench_task("W2", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R1", 2, 0, 8, "read L; run 4; unlock L");
	bench_task("R2", 3, 0, 9, "read L; run 8; unlock L");
	bench_task("R3", 4, 0, 15, "read L; run 5; unlock L");
	see(500, "0x1 W []");
	see(1500, "0x3 W|WAITERS [W2]");
	see(9500, "0x3 W|WAITERS [W2]");
	see(10500, "0x202 R1,R2|WAITERS [W2]");
	see(12500, "0x202 R1,R2|WAITERS [W2]"); /* W2 ran, and sleeps again */
	see(14500, "0x102 R2|WAITERS [W2]");
	see(15500, "0x202 R2,R3|WAITERS [W2]");
	see(18500, "0x102 R3|WAITERS [W2]");
	see(20500, "0x2 -|WAITERS [W2]");
	see(22500, "0x1 W2 []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_rlock"), 3);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_handoff"), 0);
	bench_close();
}
END_TEST

/* R53-2: a writer that has spun on readers long enough forbids it; the ban for readers is handed on. */
START_TEST(r53_2)
{
	see_open(4, _i);
	bench_cost("relax", U);
	bench_lock("L", "rwsem-5.4");
	bench_task("A", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 4; unlock L");
	bench_task("C", 2, 0, 18, "read L; run 2; unlock L");
	bench_task("D", 3, 0, 23, "read L; run 2; unlock L");
	see(1500, "0x100 A []");
	see(16500, "0x100 A []");
	see(17500, "0x102 A|WAITERS|RD_NONSPIN|WR_NONSPIN [B]");
	see(18500, "0x102 A|WAITERS|RD_NONSPIN|WR_NONSPIN [B C]");
	see(20500, "0x2 -|WAITERS|RD_NONSPIN [B C]");
	see(22500, "0x3 B|WAITERS|RD_NONSPIN [C]");
	see(23500, "0x3 B|WAITERS|RD_NONSPIN [C D]");
	see(26500, "0x200 -|RD_NONSPIN []");
	see(28500, "0x200 C,D|RD_NONSPIN []");
	see_run(100, "0x0 -|RD_NONSPIN []");
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_norspin"), 1);
	bench_close();
}
END_TEST

/* R53-3: hand-off to a writer that is past its time when it runs; it spins instead of sleeping. */
START_TEST(r53_3)
{
	see_bench(4, _i, "rwsem-5.4", NULL);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 2; unlock L"); /* runs from 12 */
	bench_task("B", 1, 0, 1, "lock L; run 3; unlock L");
	bench_task("K", 1, 99, 12, "run 5300");
	bench_task("C", 2, 0, 13, "lock L; run 5400; unlock L");
	bench_task("D", 3, 0, 5330, "read L; run 1; unlock L");
	see(500, "0x1 A []");
	see(1500, "0x3 A|WAITERS [B]");
	see(13500, "0x3 A|WAITERS [B]");
	see(14500, "0x3 C|WAITERS [B]");
	see(5311500, "0x3 C|WAITERS [B]");
	see(5316500, "0x7 C|WAITERS|HANDOFF [B]");
	see(5330500, "0x7 C|WAITERS|HANDOFF [B]");
	see(5414500, "0x1 B []");
	see(5417500, "0x100 D []");
	see_run(6000, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_handoff"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 1);
	bench_close();
}
END_TEST

/* R53-4: phase-fair: the readers of the whole queue go together. */
START_TEST(r53_4)
{
	see_bench(5, _i, "rwsem-5.4", NULL);
	bench_task("W0", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("R3", 3, 0, 3, "read L; run 2; unlock L");
	bench_task("R4", 4, 0, 4, "read L; run 3; unlock L");
	see(1500, "0x3 W0|WAITERS [R1]");
	see(4500, "0x3 W0|WAITERS [R1 W2 R3 R4]");
	see(13500, "0x302 -|WAITERS [W2]");
	see(15500, "0x302 R1,R3,R4|WAITERS [W2]");
	see(16500, "0x202 R3,R4|WAITERS [W2]");
	see(18500, "0x2 -|WAITERS [W2]");
	see(20500, "0x1 W2 []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/* R53-5: a real-time writer at the head asks for the hand-off on its first vain wake-up. */
START_TEST(r53_5)
{
	see_bench(3, _i, "rwsem-5.4", NULL);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 50, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 11, "read L; run 5; unlock L");
	see(1500, "0x102 A|WAITERS [B]");
	see(10500, "0x2 -|WAITERS [B]");
	see(11500, "0x102 D|WAITERS [B]");
	see(12500, "0x106 D|WAITERS|HANDOFF [B]");
	see(16500, "0x6 -|WAITERS|HANDOFF [B]");
	see(18500, "0x1 B []");
	see_run(100, "0x0 - []");
	bench_close();
}
END_TEST

/*
 * What 5.6 and 5.8 of the facts come to together: E, on its way to spin, is in the count when D, the last reader, leaves,
 * so D wakes nobody; E takes itself out and wakes nobody either. The lock is free and promised to B, who sleeps; E spins
 * on it until its CPU wants to do something else, and lets B in when it queues.
 */
START_TEST(stuck_until_a_reschedule)
{
	see_bench(4, _i, "rwsem-5.4", NULL);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 50, 1, "lock L; run 2; unlock L");
	bench_task("D", 2, 0, 11, "read L; run 5; unlock L");
	bench_task("E", 3, 0, 14, "read L; run 1; unlock L");
	bench_stop_access("E", 1, 4, 18); /* before it takes its bias back */
	bench_task("K", 3, 90, 500, "run 1");
	see(12500, "0x106 D|WAITERS|HANDOFF [B]");
	see(15500, "0x206 D|WAITERS|HANDOFF [B]");
	see(17500, "0x106 -|WAITERS|HANDOFF [B]");
	see(18500, "0x6 -|WAITERS|HANDOFF [B]");
	see(499500, "0x6 -|WAITERS|HANDOFF [B]");
	see(502500, "0x3 B|WAITERS [E]");
	see_run(1000, "0x0 - []");
	ck_assert_int_eq(bench_granted("B", 1), 502);
	bench_close();
}
END_TEST

/* R53-6: hand-off to a reader past its time, robbed in the moment of its grant. */
START_TEST(r53_6)
{
	see_bench(4, _i, "rwsem-5.4", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 5200; unlock L");
	bench_stop_at("A", "rwsem_wake", 1, 5203);
	bench_task("R", 1, 0, 1, "read L; run 5; unlock L");
	see_no_spin("R", "K", 1, 2);
	bench_task("S", 2, 0, 5150, "lock L; run 10; unlock L");
	bench_task("U", 3, 0, 5205, "lock L; run 1; unlock L");
	see(3500, "0x3 A|WAITERS [R]");
	see(5199500, "0x3 A|WAITERS [R]");
	see(5201500, "0x3 S|WAITERS [R]");
	see(5203500, "0x7 S|WAITERS|HANDOFF [R]");
	see(5209500, "0x7 S|WAITERS|HANDOFF [R]");
	see(5210500, "0x100 - []");
	see(5212500, "0x100 R []");
	see(5217500, "0x1 U []"); /* it spun on the reader */
	see_run(6000, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_handoff"), 1);
	bench_close();
}
END_TEST

/* A reader whose spin was in vain joins readers that came to own the lock meanwhile. */
START_TEST(phase_trylock)
{
	see_bench(5, _i, "rwsem-5.4", NULL);
	bench_task("W", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R1", 1, 0, 2, "read L; run 10; unlock L");
	bench_task("R2", 2, 0, 3, "read L; run 1; unlock L");
	bench_task("K", 2, 99, 10, "run 1");
	bench_stop_at("R2", "osq-A", 1, 12);
	bench_run(100);
	ck_assert(bench_done());
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_rlock") + bench_event("L", "rwsem_opt_rlock2"), 2);
	bench_close();
}
END_TEST

/* The killed first writer takes its wish along and wakes the next; trylocks; a downgrade. */
START_TEST(killed_and_tried)
{
	see_bench(5, _i, "rwsem-5.4", NULL);
	bench_task("A", 0, 0, 0, "lock L; park 8; downgrade L; run 20; unlock L");
	bench_task("Q", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 2, "lock L kill");
	bench_task("R", 3, 0, 15, "read L kill; run 1; unlock L");
	see_no_spin("R", "K", 3, 16);
	bench_task("T", 4, 0, 3, "read L try; unlock L; lock L try; unlock L; park 18; kill W; run 2; "
				 "read L try; run 1; unlock L; park 40; read L try; unlock L");
	see(3500, "0x3 A|WAITERS [Q W]");
	see(10500, "0x202 A|WAITERS [W]"); /* Q was granted the lock, W not */
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("W", 1), -EINTR);
	ck_assert_int_eq(bench_result("R", 1), 0);
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	ck_assert_int_eq(bench_result("T", 3), 0);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_fail"), 1);
	bench_close();
}
END_TEST

/* -- the patches of November 2020 ----------------------------------------------------------- */

/* A reads, B, a real-time writer, queues; D comes while A reads, E when A has left and B was woken but does not run yet. */
static void four(int poll, const char *params)
{
	see_bench(4, poll, "rwsem-5.4", params);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 50, 1, "lock L; run 3; unlock L");
	bench_task("D", 2, 0, 3, "read L; run 9; unlock L");
	bench_task("E", 3, 0, 11, "read L; run 5; unlock L");
	see(1500, "0x102 A|WAITERS [B]");
}

static void close_four(unsigned steals)
{
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_steal"), steals);
	bench_close();
}

/* Without them D joins A past B. */
START_TEST(readers_join)
{
	four(_i, NULL);
	see(3500, "0x202 A,D|WAITERS [B]");
	see(11500, "0x202 D,E|WAITERS [B]");
	close_four(0);
}
END_TEST

START_TEST(guard)
{
	four(_i, "guard=1");
	see(3500, "0x102 A|WAITERS [B D]");
	see(10500, "0x2 -|WAITERS [B D]");
	see(11500, "0x102 E|WAITERS [B D]"); /* by spinning: nobody is inside */
	see(12500, "0x106 E|WAITERS|HANDOFF [B D]");
	see(18500, "0x3 B|WAITERS [D]");
	close_four(0);
}
END_TEST

/* E lets in who waits, but not past B. */
START_TEST(steal)
{
	four(_i, "guard=1 steal=1");
	see(11500, "0x102 E|WAITERS [B D]");
	see(18500, "0x3 B|WAITERS [D]");
	close_four(1);
}
END_TEST

/* … past B, too, whose wish for the hand-off stays. */
START_TEST(wake_all)
{
	four(_i, "guard=1 steal=1 wake_all=1");
	see(11500, "0x202 E|WAITERS [B]");
	see(12500, "0x206 E|WAITERS|HANDOFF [B]");
	see(13500, "0x206 E,D|WAITERS|HANDOFF [B]");
	see(16500, "0x106 D|WAITERS|HANDOFF [B]");
	close_four(1);
}
END_TEST

START_TEST(readers_do_not_spin)
{
	see_bench(2, _i & 1, "rwsem-5.4", _i & 2 ? NULL : "reader_spin=0");
	bench_task("W", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("R", 1, 0, 2, "read L; run 1; unlock L");
	see(2500, _i & 2 ? "0x1 W []" : "0x3 W|WAITERS [R]");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_reader"), _i & 2 ? 0 : 1);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem-5.4");
	TCase *tc = tcase_create("R53");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, r53_1, 0, 2);
	tcase_add_loop_test(tc, r53_2, 0, 2);
	tcase_add_loop_test(tc, r53_3, 0, 2);
	tcase_add_loop_test(tc, r53_4, 0, 2);
	tcase_add_loop_test(tc, r53_5, 0, 2);
	tcase_add_loop_test(tc, stuck_until_a_reschedule, 0, 2);
	tcase_add_loop_test(tc, r53_6, 0, 2);
	tcase_add_loop_test(tc, phase_trylock, 0, 2);
	tcase_add_loop_test(tc, killed_and_tried, 0, 2);
	tcase_add_loop_test(tc, readers_join, 0, 2);
	tcase_add_loop_test(tc, guard, 0, 2);
	tcase_add_loop_test(tc, steal, 0, 2);
	tcase_add_loop_test(tc, wake_all, 0, 2);
	tcase_add_loop_test(tc, readers_do_not_spin, 0, 4);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
