// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ww-mutex: who gives way (P6, P7), the order of the queue, and storms of transactions that
 * take two locks in any order, which all have to end.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>

#include "sim/core/prng.h"
#include "tests/unit/models/harness.h"

static const char *const rule[] = { "wait_die=0", "wait_die=1" };

static void open_ww(unsigned ncpus, const char *params)
{
	bench_open(ncpus);
	bench_cost("idle_exit", 2 * U);
	bench_lock_params("X", "ww-mutex", params);
	bench_lock_params("Y", "ww-mutex", params);
	bench_lock_params("Z", "ww-mutex", params);
}

static void close_ww(void)
{
	ck_assert(bench_done());
	ck_assert_str_eq(bench_findings(), "");
	ck_assert_str_eq(bench_state("X"), "NULL");
	ck_assert_str_eq(bench_state("Y"), "NULL");
	ck_assert_str_eq(bench_state("Z"), "NULL");
	bench_close();
}

/* P6: the younger dies at once, gives Y back at 5, and waits for X before it starts again. */
START_TEST(p6_wait_die)
{
	open_ww(2, "wait_die=1");
	bench_task("Old", 0, 0, 0, "lock X; run 4; lock Y; run 5; unlock Y; unlock X");
	bench_task("Young", 1, 0, 1,
		   "lock Y; run 2; lock X; run 1; unlock X; run 2; unlock Y;"
		   "lock X; run 1; lock Y; run 1; unlock Y; unlock X");
	bench_run(100);
	ck_assert_int_eq(bench_result("Young", 2), -EDEADLK);
	ck_assert_uint_eq(bench_event("X", "ww_deadlk"), 1);
	ck_assert_str_eq(bench_grants("Y"), "Young 1, Old 7, Young 15");
	ck_assert_str_eq(bench_grants("X"), "Old 0, Young 14");
	ck_assert_uint_eq(bench_event("Y", "ww_wound"), 0);
	close_ww();
}
END_TEST

/* P7: the younger is wounded at 4, and gives up when it would have to wait, at 6. */
START_TEST(p7_wound_wait)
{
	open_ww(2, "wait_die=0");
	bench_task("Old", 0, 0, 0, "lock X; run 4; lock Y; run 5; unlock Y; unlock X");
	bench_task("Young", 1, 0, 1, "lock Y; run 5; lock X; run 1; unlock X; run 2; unlock Y");
	bench_run(100);
	ck_assert_int_eq(bench_result("Young", 2), -EDEADLK);
	ck_assert_uint_eq(bench_event("Y", "ww_wound"), 1);
	ck_assert_uint_eq(bench_event("X", "ww_deadlk"), 1);
	ck_assert_str_eq(bench_grants("Y"), "Young 1, Old 10");
	close_ww();
}
END_TEST

START_TEST(p7_wounded_in_its_sleep)
{
	open_ww(2, "wait_die=0");
	bench_task("Old", 0, 0, 0, "lock X; run 8; lock Y; run 5; unlock Y; unlock X");
	bench_task("Young", 1, 0, 1, "lock Y; run 3; lock X; run 1; unlock X; unlock Y");
	bench_probe("X", 6 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("X", 6 * U), "Old|WAITERS [Young]");
	ck_assert_int_eq(bench_result("Young", 2), -EDEADLK);
	ck_assert_str_eq(bench_grants("Y"), "Young 1, Old 12"); /* 8, woken twice */
	close_ww();
}
END_TEST

/* It is wounded, but finds what it wants free: nothing happens. */
START_TEST(p7_the_wounded_may_survive)
{
	open_ww(2, "wait_die=0");
	bench_task("Old", 0, 0, 0, "lock X; run 4; lock Y; run 5; unlock Y; unlock X");
	bench_task("Young", 1, 0, 1, "lock Y; run 5; lock Z; run 1; unlock Z; unlock Y");
	bench_run(100);
	ck_assert_int_eq(bench_result("Young", 2), 0);
	ck_assert_uint_eq(bench_event("Y", "ww_wound"), 1);
	ck_assert_str_eq(bench_grants("Y"), "Young 1, Old 9");
	close_ww();
}
END_TEST

/* Mid waits for one younger than itself; then Old queues in front of it, and it has to die. */
START_TEST(wait_die_wakes_the_younger_waiter)
{
	open_ww(3, "wait_die=1");
	bench_task("Old", 0, 0, 0, "lock X; run 8; lock Z; run 1; unlock Z; unlock X");
	bench_task("Mid", 1, 0, 1, "lock Y; run 4; lock Z; run 1; unlock Z; unlock Y");
	bench_task("New", 2, 0, 2, "lock Z; run 20; unlock Z");
	bench_probe("Z", 7 * U);
	bench_probe("Z", 9 * U);
	bench_run(100);
	ck_assert_str_eq(bench_probed("Z", 7 * U), "New|WAITERS [Mid]");
	ck_assert_str_eq(bench_probed("Z", 9 * U), "New|WAITERS [Old Mid]");
	ck_assert_int_eq(bench_result("Mid", 2), -EDEADLK);
	ck_assert_int_eq(bench_released("Mid", 1), 10);
	ck_assert_uint_eq(bench_event("Z", "ww_wake_to_die"), 1);
	ck_assert_uint_eq(bench_event("Z", "ww_queued_before"), 1);
	ck_assert_str_eq(bench_grants("Z"), "New 2, Old 24");
	close_ww();
}
END_TEST

/* Whoever holds nothing cannot be part of a cycle: it waits, under either rule. */
START_TEST(the_empty_handed_wait)
{
	open_ww(2, rule[_i]);
	bench_task("Old", 0, 0, 0, "lock X; run 10; unlock X");
	bench_task("Young", 1, 0, 1, "lock X; run 1; unlock X");
	bench_run(100);
	ck_assert_str_eq(bench_grants("X"), "Old 0, Young 10"); /* it spun */
	ck_assert_uint_eq(bench_event("X", "ww_spin_acquired"), 1);
	close_ww();
}
END_TEST

START_TEST(who_owns_it_already_is_told)
{
	open_ww(1, rule[_i]);
	bench_task("A", 0, 0, 0, "lock X; lock X; unlock X; lock Y; unlock Y; unlock X");
	bench_run(100);
	ck_assert_int_eq(bench_result("A", 2), -EALREADY);
	ck_assert_uint_eq(bench_event("X", "ww_already"), 1);
	ck_assert_str_eq(bench_grants("Y"), "A 0");
	bench_close();
}
END_TEST

START_TEST(signals)
{
	open_ww(3, rule[_i]);
	bench_task("A", 0, 0, 0, "lock X; park 10; run 1; unlock X");
	bench_task("B", 1, 0, 1, "lock X intr; run 1; unlock X");
	bench_task("S", 2, 0, 5, "signal B");
	bench_run(100);
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_uint_eq(bench_event("X", "ww_eintr"), 1);
	close_ww();
}
END_TEST

/* As M2 of the mutex: a first waiter that lost a race is next. */
START_TEST(handoff)
{
	open_ww(4, rule[_i]);
	bench_task("A", 0, 0, 0, "lock X; park 10; run 1; unlock X");
	bench_task("B", 1, 0, 1, "lock X; run 1; unlock X");
	bench_task("D", 2, 0, 14, "lock X; run 3; unlock X");
	bench_task("E", 3, 0, 16, "lock X; run 1; unlock X");
	bench_run(100);
	ck_assert_uint_eq(bench_event("X", "ww_handoff"), 1);
	ck_assert_uint_eq(bench_event("X", "ww_waiter_spin"), 1);
	ck_assert_uint_eq(bench_event("X", "ww_spin_fail"), 1); /* E: somebody is queued */
	ck_assert_str_eq(bench_grants("X"), "A 0, D 14, B 17, E 20");
	close_ww();
}
END_TEST

START_TEST(osq_is_left_when_a_reschedule_is_due)
{
	open_ww(4, rule[_i]);
	bench_task("A", 0, 0, 0, "lock X; run 10; unlock X");
	bench_task("B", 1, 0, 1, "lock X; run 2; unlock X");
	bench_task("C", 2, 0, 2, "lock X; run 2; unlock X");
	bench_task("K", 2, 50, 5, "run 3");
	bench_run(100);
	ck_assert_int_eq(bench_ran("K", 1), 5);
	ck_assert_uint_eq(bench_event("X", "ww_osq_cancel"), 1);
	close_ww();
}
END_TEST

/* -- storms -------------------------------------------------------------------------------------- */

static void transactions(char *script, size_t room, uint64_t stream, unsigned task)
{
	static const char *const pair[] = { "XY", "YX", "XZ", "ZX", "YZ", "ZY" };
	size_t n = 0;

	for (unsigned i = 0; i < 6; i++) {
		uint64_t u = sim_draw(stream, task, i);
		const char *p = pair[u % 6];

		n += (size_t)snprintf(script + n, room - n, "%slock %c; run %d; lock %c; run %d; unlock %c; unlock %c",
				      i ? "; " : "", p[0], (int)(u / 8 % 5), p[1], (int)(u / 64 % 5), p[1], p[0]);
	}
}

static unsigned long storm(const char *params, uint64_t seed, bool poll)
{
	static const char *const name[] = { "T0", "T1", "T2", "T3", "T4", "T5", "T6", "T7" };
	unsigned long died;
	char script[1024];

	bench_open(4);
	if (poll)
		bench_poll();
	bench_cost("line", 50 * SIM_NS);
	bench_cost("context_switch", 900 * SIM_NS);
	bench_lock_params("X", "ww-mutex", params);
	bench_lock_params("Y", "ww-mutex", params);
	bench_lock_params("Z", "ww-mutex", params);
	for (unsigned i = 0; i < 8; i++) {
		transactions(script, sizeof(script), seed, i);
		bench_task(name[i], i % 4, 0, (int)i, script);
	}
	bench_run(100000);
	died = bench_event("X", "ww_deadlk") + bench_event("Y", "ww_deadlk") + bench_event("Z", "ww_deadlk");
	close_ww();
	return died;
}

START_TEST(storms)
{
	unsigned long died = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		unsigned long n = storm(rule[_i], seed, false);

		ck_assert_uint_eq(storm(rule[_i], seed, true), n);
		died += n;
	}
	ck_assert_uint_gt(died, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ww_mutex");
	TCase *t = tcase_create("golden");
	SRunner *r;
	int failed;

	tcase_add_test(t, p6_wait_die);
	tcase_add_test(t, p7_wound_wait);
	tcase_add_test(t, p7_wounded_in_its_sleep);
	tcase_add_test(t, p7_the_wounded_may_survive);
	tcase_add_test(t, wait_die_wakes_the_younger_waiter);
	tcase_add_loop_test(t, the_empty_handed_wait, 0, 2);
	tcase_add_loop_test(t, who_owns_it_already_is_told, 0, 2);
	tcase_add_loop_test(t, signals, 0, 2);
	tcase_add_loop_test(t, handoff, 0, 2);
	tcase_add_loop_test(t, osq_is_left_when_a_reschedule_is_due, 0, 2);
	tcase_add_loop_test(t, storms, 0, 2);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
