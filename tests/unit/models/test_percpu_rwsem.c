// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests of the locks whose readers write nothing shared: PCP-1 to PCP-6 of the
 * percpu rwsems, BRV-1 and BRV-2 of BRAVO. See see.h for how the pictures are read; the
 * word of a percpu rwsem is the sum of its counters.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/see.h"

#define MS 1000
#define GP "gp=1000000000" /* 1 ms */

/* PCP-1: without writers nobody looks further than at its own counter. */
START_TEST(pcp_1)
{
	see_bench(4, _i, "percpu-rwsem", GP);
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "read L; run 10; unlock L");
	bench_task("C", 2, 0, 2, "read L; run 10; unlock L");
	bench_task("D", 3, 0, 3, "read L; run 10; unlock L");
	see(5500, "0x4 A,B,C,D []");
	see_run(100, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_read_slow"), 0);
	bench_close();
}
END_TEST

/*
 * … and that costs nobody anything: once each has its own counter and has read the rest, no line moves any more,
 * whoever comes and goes in between. With the readers' counts in one word it would for each.
 */
START_TEST(pcp_1_lines)
{
	static const char *const model[] = { "percpu-rwsem", "percpu-rwsem-4.8", "percpu-rwsem-3.8", "rwsem" };
	int late;

	see_open(4, _i % 2);
	bench_cost("line", 10 * U);
	bench_cost("hit", 0);
	bench_lock("L", model[_i / 2]);
	bench_task("A", 0, 0, 0, "read L; unlock L; park 500; read L; run 5; unlock L; run 1");
	bench_task("B", 1, 0, 100, "read L; unlock L; park 501; read L; run 5; unlock L; run 1");
	bench_task("C", 2, 0, 200, "read L; unlock L; park 502; read L; run 5; unlock L; run 1");
	bench_task("D", 3, 0, 300, "read L; unlock L; park 503; read L; run 5; unlock L; run 1");
	see_run(1000, "0x0 - []");
	late = bench_released("D", 2) - bench_ran("D", 2);
	if (_i / 2 == 3)
		ck_assert_int_ge(late, 25);
	else
		ck_assert_int_eq(late, 5);
	bench_close();
}
END_TEST

static void to_cpu_2(void *task)
{
	((struct sim_task *)task)->allowed[0] = 4;
}

/* PCP-2: A reads on one CPU and leaves on another: only the sum of the counters tells, and lets W in. */
START_TEST(pcp_2)
{
	static const char *const model[] = { "percpu-rwsem", "percpu-rwsem-4.8", "percpu-rwsem-3.8" };
	struct sim_task *a;

	see_bench(3, _i % 2, model[_i / 2], _i / 2 == 2 ? "gp=100000000" : GP);
	a = bench_task("A", 0, 0, 0, "read L; park 10; run 2000; unlock L");
	bench_task("X", 0, 50, 9, "run 5000");
	bench_task("W", 1, 0, 20, "lock L; run 10; unlock L");
	bench_at(5 * U, to_cpu_2, a);
	see_run(20 * MS, "0x0 - []");
	ck_assert_int_ge(bench_granted("W", 1), bench_released("A", 1));
	ck_assert_int_lt(bench_granted("W", 1), bench_released("A", 1) + 100);
	ck_assert_int_eq(bench_released("A", 1), 2012); /* not behind X */
	bench_close();
}
END_TEST

/* PCP-3: during the grace period readers look further, and get in; once readers are blocked they queue. */
START_TEST(pcp_3)
{
	see_bench(3, _i, "percpu-rwsem", GP);
	bench_task("W", 0, 0, 0, "lock L; run 100; unlock L");
	bench_task("R1", 1, 0, 100, "read L; run 2900; unlock L");
	bench_task("R2", 2, 0, 2500, "read L; run 10; unlock L");
	see(100500, "0x1 R1 []");
	see(1999500, "0x1 R1 []");
	see(2010500, "0x1 R1|BLOCK []");
	see(2500500, "0x1 R1|BLOCK [R2]");
	see(3000500, "0x0 -|BLOCK [R2]");
	see(3002500, "0x0 W|BLOCK [R2]");
	see(3102500, "0x1 - []");
	see(3104500, "0x1 R2 []");
	see_run(5 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_read_slow"), 2);
	ck_assert_uint_eq(bench_event("L", "percpu_grace"), 1);
	ck_assert_uint_eq(bench_event("L", "percpu_drain"), 2); /* R2's attempt makes W look once more */
	bench_close();
}
END_TEST

/* PCP-4: a release lets the leading readers in, and gives `block` to the writer behind them. PCP-6: that waits for no
 * grace period. */
START_TEST(pcp_4)
{
	see_bench(5, _i, "percpu-rwsem", GP);
	bench_task("W1", 0, 0, 0, "lock L; run 1000; unlock L"); /* from 2002 to 3002 */
	bench_task("R1", 1, 0, 2100, "read L; run 10; unlock L");
	bench_task("R2", 2, 0, 2200, "read L; run 20; unlock L");
	bench_task("W2", 3, 0, 2300, "lock L; run 50; unlock L");
	bench_task("R3", 4, 0, 2400, "read L; run 10; unlock L");
	see(2400500, "0x0 W1|BLOCK [R1 R2 W2 R3]");
	see(3002500, "0x2 -|BLOCK [R3]");
	see(3005500, "0x2 R1,R2|BLOCK [R3]");
	see(3015500, "0x1 R2|BLOCK [R3]");
	see(3024500, "0x0 -|BLOCK [R3]");
	see(3026500, "0x0 W2|BLOCK [R3]");
	see(3076500, "0x1 - []");
	see_run(6 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_grace"), 1);
	ck_assert_uint_eq(bench_event("L", "percpu_write_queued"), 1);
	bench_close();
}
END_TEST

/* PCP-5: a running writer takes the lock before the walk, which then lets nobody in. */
START_TEST(pcp_5)
{
	see_bench(3, _i, "percpu-rwsem", GP);
	bench_task("W1", 0, 0, 0, "lock L; run 1000; unlock L");
	bench_stop_at("W1", "percpu-unblocked", 1, 3010);
	bench_task("R", 1, 0, 2100, "read L; run 10; unlock L");
	bench_task("W9", 2, 0, 3005, "lock L; run 100; unlock L");
	see(3003500, "0x0 - [R]");
	see(3005500, "0x0 W9|BLOCK [R]");
	see(3010500, "0x0 W9|BLOCK [R]");
	see(3105500, "0x1 - []");
	see_run(6 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_walk_lost"), 1);
	bench_close();
}
END_TEST

/* The fast path is back a grace period after the last writer; until then the slow one works. */
START_TEST(pcp_idle)
{
	see_bench(2, _i, "percpu-rwsem", GP);
	bench_task("W", 0, 0, 0, "lock L; run 100; unlock L");
	bench_task("R", 1, 0, 2500, "read L try; unlock L; park 9000; read L; unlock L");
	see_run(10 * MS, "0x0 - []");
	ck_assert_int_eq(bench_result("R", 1), 0);
	ck_assert_uint_eq(bench_event("L", "percpu_read_slow"), 1);
	bench_close();
}
END_TEST

/* A reader that tries gets in as long as no writer keeps readers out, and leaves no count behind where one does. */
START_TEST(try)
{
	see_bench(3, _i % 2, _i / 2 ? "percpu-rwsem-4.8" : "percpu-rwsem", GP);
	bench_task("R1", 0, 0, 0, "read L; run 2900; unlock L");
	bench_task("W", 1, 0, 10, "lock L; run 100; unlock L"); /* blocks readers from 2002 */
	bench_task("T", 2, 0, 20, "read L try; run 1; unlock L; park 2500; read L try; unlock L; park 2950; read L try; "
				  "unlock L; lock L try; unlock L; park 3500; read L try; unlock L");
	see(20500, "0x2 R1,T []");
	see(2500500, _i / 2 ? "0x1 R1|BLOCK [W]" : "0x1 R1|BLOCK []");
	see(2951500, "0x0 W|BLOCK []");
	see_run(20 * MS, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 1), 0);
	ck_assert_int_eq(bench_result("T", 2), -EBUSY);
	ck_assert_int_eq(bench_result("T", 3), -EBUSY);
	ck_assert_int_eq(bench_result("T", 4), -EBUSY);
	ck_assert_int_eq(bench_result("T", 5), 0);
	ck_assert_uint_eq(bench_event("L", "percpu_read_queued"), 0);
	bench_close();
}
END_TEST

/* On rcu_sync with an rwsem: as PCP-3, but whom the writer keeps out waits in the rwsem that the writer holds. */
START_TEST(sync_3)
{
	see_bench(3, _i, "percpu-rwsem-4.8", GP);
	bench_task("W", 0, 0, 0, "lock L; run 100; unlock L");
	bench_task("R1", 1, 0, 100, "read L; run 2900; unlock L");
	bench_task("R2", 2, 0, 2500, "read L; run 10; unlock L");
	see(100500, "0x1 R1 []");
	see(1999500, "0x1 R1 []");
	see(2010500, "0x1 R1|BLOCK [W]");
	see(2500500, "0x1 R1|BLOCK [W R2]");
	see(3000500, "0x0 -|BLOCK [W R2]");
	see(3002500, "0x0 W|BLOCK [R2]");
	see(3102500, "0x0 - []"); /* R2 has the rwsem, and has not counted itself yet */
	see(3104500, "0x1 R2 []");
	see_run(5 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_read_slow"), 2);
	ck_assert_uint_eq(bench_event("L", "percpu_read_queued"), 1);
	ck_assert_uint_eq(bench_event("L", "percpu_grace"), 1);
	ck_assert_uint_eq(bench_event("L", "percpu_drain"), 2);
	bench_close();
}
END_TEST

/* The same arrivals as in PCP-4: a writer that spins is behind all readers that queued; they pass, and it waits for them. */
START_TEST(sync_4)
{
	see_bench(5, _i, "percpu-rwsem-4.8", GP);
	bench_task("W1", 0, 0, 0, "lock L; run 1000; unlock L"); /* from 2002 to 3002 */
	bench_task("R1", 1, 0, 2100, "read L; run 10; unlock L");
	bench_task("R2", 2, 0, 2200, "read L; run 20; unlock L");
	bench_task("W2", 3, 0, 2300, "lock L; run 50; unlock L");
	bench_task("R3", 4, 0, 2400, "read L; run 10; unlock L");
	see(2200500, "0x0 W1|BLOCK [R1 R2]");
	see(2400500, "0x0 W1|BLOCK [R1 R2 R3]"); /* W2 spins: W1 runs */
	see(3002500, "0x0 - [W2]"); /* readers had the rwsem last: it queues */
	see(3005500, "0x3 R1,R2,R3 [W2]");
	see(3007500, "0x3 R1,R2,R3|BLOCK [W2]");
	see(3015500, "0x1 R2|BLOCK [W2]");
	see(3026500, "0x0 W2|BLOCK []");
	see_run(6 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_grace"), 1);
	ck_assert_uint_eq(bench_event("L", "percpu_read_queued"), 3);
	bench_close();
}
END_TEST

/* Readers that count themselves just before the writer looks are waited for, though they saw nobody. */
START_TEST(sync_late)
{
	see_bench(2, _i, "percpu-rwsem-4.8", GP);
	bench_task("R", 0, 0, 0, "read L; run 3000; unlock L");
	bench_task("W", 1, 0, 10, "lock L; run 10; unlock L");
	see(2500500, "0x1 R|BLOCK [W]");
	see(3002500, "0x0 W|BLOCK []");
	see_run(20 * MS, "0x0 - []");
	bench_close();
}
END_TEST

/* The old form: a grace period before and after each writer; readers meanwhile go through the rwsem. */
START_TEST(old)
{
	see_bench(4, _i, "percpu-rwsem-3.8", "gp=100000000"); /* 100 us */
	bench_task("R1", 0, 0, 0, "read L; run 300; unlock L");
	bench_task("W", 1, 0, 10, "lock L; run 50; unlock L");
	bench_task("R2", 2, 0, 50, "read L; run 100; unlock L");
	bench_task("R3", 3, 0, 320, "read L; run 10; unlock L; park 600; read L; run 1; unlock L");
	see(5500, "0x1 R1 []");
	see(50500, "0x2 R1,R2|WRITERS []");    /* slow, but in */
	see(120500, "0x2 R1,R2|WRITERS [W]");  /* W has the rwsem and waits for both */
	see(160500, "0x1 R1|WRITERS [W]");
	see(305500, "0x0 W|WRITERS []");
	see(320500, "0x0 W|WRITERS [R3]");
	see(360500, "0x1 R3|WRITERS []");      /* the second grace period */
	see(602500, "0x1 R3 []");
	see_run(2 * MS, "0x0 - []");
	ck_assert_uint_eq(bench_event("L", "percpu_read_slow"), 2);
	ck_assert_uint_eq(bench_event("L", "percpu_drain"), 1);
	bench_close();
}
END_TEST

/*
 * BRV-1: a hit costs 10 ns, a miss nothing: scanning 1024 slots takes 9 us, so readers use the
 * rwsem for 81 us more, and then the bias comes back.
 */
START_TEST(brv_1)
{
	see_open(6, _i);
	bench_cost("hit", 10 * SIM_NS);
	bench_lock("L", "bravo-rwsem");
	bench_task("R1", 0, 0, 0, "read L; run 1; unlock L");
	bench_task("R2", 1, 0, 5, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 20, "lock L; run 1; unlock L");
	bench_task("R3", 3, 0, 60, "read L; run 1; unlock L");
	bench_task("R4", 4, 0, 200, "read L; run 1; unlock L");
	bench_task("R5", 5, 0, 210, "read L; run 1; unlock L");
	see(5500, "0x0 R2|BIAS []");
	see(60500, "0x100 R3 []");
	see(200500, "0x100 R4|BIAS []");
	see(210500, "0x0 R5|BIAS []");
	see_run(300, "0x0 -|BIAS []");
	ck_assert_int_ge(bench_granted("W", 1), 28);
	ck_assert_int_le(bench_granted("W", 1), 30);
	ck_assert_uint_eq(bench_event("L", "bravo_read_fast"), 2);
	ck_assert_uint_eq(bench_event("L", "bravo_bias"), 2);
	ck_assert_uint_eq(bench_event("L", "bravo_revoke"), 1);
	bench_close();
}
END_TEST

/* BRV-2: two readers, one slot: the second takes the rwsem. A writer waits for both; one that tries does not. */
START_TEST(brv_2)
{
	see_bench(5, _i, "bravo-rwsem", "slots=1");
	bench_task("R0", 0, 0, 0, "read L; unlock L");
	bench_task("R1", 1, 0, 5, "read L; run 20; unlock L");
	bench_task("R2", 2, 0, 6, "read L; run 4; unlock L");
	bench_task("T", 3, 0, 12, "lock L try; unlock L");
	bench_task("W", 4, 0, 15, "lock L; run 1; unlock L");
	see(5500, "0x0 R1|BIAS []");
	see(6500, "0x100 R2,R1|BIAS []");
	see(12500, "0x0 R1|BIAS []");
	see(15500, "0x1 R1 [W]"); /* W has the rwsem */
	see(25500, "0x1 W []");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_int_eq(bench_granted("W", 1), 25);
	ck_assert_uint_eq(bench_event("L", "bravo_read_occupied"), 1);
	ck_assert_uint_eq(bench_event("L", "bravo_revoke_wait"), 1);
	bench_close();
}
END_TEST

/* A writer that has the rwsem and waits for the table does not heed a signal. */
START_TEST(brv_killed)
{
	see_bench(4, _i, "bravo-rwsem", NULL);
	bench_task("R0", 0, 0, 0, "read L; unlock L");
	bench_task("R1", 1, 0, 5, "read L; run 20; unlock L");
	bench_task("W", 2, 0, 10, "lock L kill; run 1; unlock L");
	bench_task("X", 3, 0, 14, "kill W");
	see(10500, "0x1 R1 [W]");
	see_run(100, "0x0 - []");
	ck_assert_int_eq(bench_result("W", 1), 0);
	ck_assert_int_eq(bench_granted("W", 1), 25);
	bench_close();
}
END_TEST

/* A reader has published itself and finds the bias gone: it takes its name back. */
START_TEST(brv_race)
{
	see_bench(3, _i, "bravo-rwsem", NULL);
	bench_task("R0", 0, 0, 0, "read L; unlock L");
	bench_task("R1", 1, 0, 5, "read L; run 1; unlock L");
	bench_stop_at("R1", "bravo-published", 1, 10);
	bench_task("W", 2, 0, 7, "lock L; run 3; unlock L");
	see(7500, "0x1 - [W]");
	see_run(100, "0x0 - []"); /* W waited for 3: no bias before 37 */
	ck_assert_uint_eq(bench_event("L", "bravo_read_raced"), 1);
	ck_assert_int_ge(bench_granted("R1", 1), 13);
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("percpu-rwsem");
	TCase *tc = tcase_create("PCP");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, pcp_1, 0, 2);
	tcase_add_loop_test(tc, pcp_1_lines, 0, 8);
	tcase_add_loop_test(tc, pcp_2, 0, 6);
	tcase_add_loop_test(tc, pcp_3, 0, 2);
	tcase_add_loop_test(tc, pcp_4, 0, 2);
	tcase_add_loop_test(tc, pcp_5, 0, 2);
	tcase_add_loop_test(tc, pcp_idle, 0, 2);
	tcase_add_loop_test(tc, try, 0, 4);
	tcase_add_loop_test(tc, sync_3, 0, 2);
	tcase_add_loop_test(tc, sync_4, 0, 2);
	tcase_add_loop_test(tc, sync_late, 0, 2);
	tcase_add_loop_test(tc, old, 0, 2);
	tcase_add_loop_test(tc, brv_1, 0, 2);
	tcase_add_loop_test(tc, brv_2, 0, 2);
	tcase_add_loop_test(tc, brv_killed, 0, 2);
	tcase_add_loop_test(tc, brv_race, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
