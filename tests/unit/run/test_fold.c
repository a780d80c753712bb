// SPDX-License-Identifier: GPL-2.0-or-later
/* Folds: streams of records made by hand, and what they must come to. */
#include "tests/unit/run/watch_world.h"

#define US(n) ((n) * (uint64_t)SIM_US)

START_TEST(time_of_tasks_and_cpus)
{
	world_reset(2, 1);
	world_start();
	at(10); runs(0, 0);
	at(15); runs(0, 1); /* a is preempted */
	at(25); sleeps(0, 0); /* b sleeps by itself */
	at(40); wakes(1);
	at(42); exits(0, 1);
	at(50); runs(0, IDLE);
	world_finish(60);
	ck_assert_uint_eq(result.task[0].run, US(5 + 17));
	ck_assert_uint_eq(result.task[0].preempted, US(10 + 10));
	ck_assert_uint_eq(result.task[0].switches, 2);
	ck_assert_uint_eq(result.task[0].preemptions, 1);
	ck_assert(result.task[0].exited);
	ck_assert_uint_eq(result.task[0].finish, US(42));
	ck_assert_uint_eq(result.task[1].slept, US(15));
	ck_assert_uint_eq(result.task[1].run, US(10 + 8));
	ck_assert_uint_eq(result.task[1].finish, SIM_NEVER);
	ck_assert_uint_eq(result.cpu[0].busy, US(40));
	ck_assert_uint_eq(result.cpu[0].idle, US(20));
	ck_assert_uint_eq(result.cpu[1].idle, US(60));
	ck_assert_uint_eq(result.cpu[0].switches, 5);
	world_free();
}
END_TEST

/* a holds, b spins 3 us and then sleeps. */
static void contend(void)
{
	at(10); runs(0, 0); runs(1, 1);
	at(11); take(0, 0, EX);
	at(12); call(1, 0, EX);
	at(15); sleeps(1, IDLE);
	at(20); unlock_begin(0, 0); wakes(1); unlock_end(0, 0);
	at(22); runs(1, 1);
	at(23); grant(1, 0);
	at(30); unlock(1, 0);
}

START_TEST(waits_and_holds)
{
	world_reset(2, 1);
	world_start();
	contend();
	world_finish(40);
	ck_assert_uint_eq(result.lock[0].acquisitions[EX], 2);
	ck_assert_uint_eq(result.lock[0].contended[EX], 1);
	ck_assert_uint_eq(result.lock[0].wait[EX].count, 2);
	ck_assert_uint_eq(result.lock[0].wait[EX].min, 0);
	ck_assert_uint_eq(result.lock[0].wait[EX].max, US(11));
	ck_assert_uint_eq(result.lock[0].hold[EX].sum, US(9 + 7));
	ck_assert_uint_eq(result.lock[0].spin, US(3 + 1));
	ck_assert_uint_eq(result.task[1].spin, US(3 + 1));
	ck_assert_uint_eq(result.task[1].blocked, US(5));
	ck_assert_uint_eq(result.lock[0].sleeps, 1);
	ck_assert_uint_eq(result.lock[0].wakeups, 1);
	ck_assert_uint_eq(result.lock[0].open, 0);
	ck_assert_uint_eq(result.lock[0].handover[SIM_DIST_SELF], 1); /* no machine: no distances */
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

/* Statistics count what ends in the window; sums of time are cut at its edges. */
START_TEST(warm_up_is_left_out)
{
	world_reset(2, 1);
	world.from = US(14);
	world_start();
	contend();
	world_finish(40);
	ck_assert_uint_eq(result.lock[0].acquisitions[EX], 1);
	ck_assert_uint_eq(result.lock[0].wait[EX].sum, US(11)); /* it began earlier, and ended inside */
	ck_assert_uint_eq(result.lock[0].spin, US(1 + 1));
	ck_assert_uint_eq(result.cpu[0].busy, US(26));
	ck_assert_uint_eq(result.from, US(14));
	world_free();
}
END_TEST

START_TEST(open_waits_raise_the_maximum)
{
	world_reset(2, 1);
	world_start();
	at(10); runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	at(12); call(1, 0, EX);
	world_finish(50);
	ck_assert_uint_eq(result.lock[0].open, 1);
	ck_assert_uint_eq(result.lock[0].wait[EX].count, 1);
	ck_assert_uint_eq(result.lock[0].wait[EX].max, US(38));
	ck_assert_uint_eq(result.lock[0].spin, US(38));
	world_free();
}
END_TEST

/* c passes b, who waited first: a steal. Readers do not rob readers. */
START_TEST(steals)
{
	world_reset(4, 1);
	world_start();
	at(1); runs(0, 0); runs(1, 1); runs(2, 2); runs(3, 3);
	take(0, 0, EX);
	at(2); call(1, 0, EX);
	at(3); call(2, 0, EX);
	at(4); unlock(0, 0); grant(2, 0);
	at(5); unlock(2, 0); grant(1, 0);
	at(6); unlock(1, 0);
	ck_assert_uint_eq(watch->rlock[0].steals, 1);
	call(0, 0, SH); call(1, 0, SH); grant(1, 0); grant(0, 0);
	ck_assert_uint_eq(watch->rlock[0].steals, 1);
	at(7); call(2, 0, EX);
	call(3, 0, SH); grant(3, 0); /* past the writer */
	ck_assert_uint_eq(watch->rlock[0].steals, 2);
	world_finish(10);
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

START_TEST(downgrades_split_the_hold)
{
	world_reset(1, 1);
	world_start();
	runs(0, 0);
	take(0, 0, EX);
	at(5); rec(SIM_REC_DOWNGRADE, 0, 0, 0, 0, 0); rec(SIM_REC_DOWNGRADE, 0, 0, 0, 1, 0);
	at(12); unlock(0, 0);
	world_finish(20);
	ck_assert_uint_eq(result.lock[0].hold[EX].sum, US(5));
	ck_assert_uint_eq(result.lock[0].hold[SH].sum, US(7));
	world_free();
}
END_TEST

START_TEST(failures)
{
	world_reset(2, 1);
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	at(2); call_how(1, 0, EX, LOCK_TRY); fails(1, 0, 16);
	call(1, 0, EX);
	at(9); fails(1, 0, 110);
	rec(SIM_REC_RESULT, 1, 1, 0, 0, 110);
	world_finish(20);
	ck_assert_uint_eq(result.lock[0].failed, 2);
	ck_assert_uint_eq(result.lock[0].acquisitions[EX], 1);
	ck_assert_uint_eq(result.lock[0].wait[EX].max, US(7));
	ck_assert_int_eq(result.task[1].result, 110);
	ck_assert_int_eq(result.task[0].result, -1);
	world_free();
}
END_TEST

START_TEST(events_and_handoffs)
{
	static const char *const names[] = { "lock_slow", "lock_handoff", NULL };

	world_reset(1, 1);
	world_model[0].events = names;
	world_start();
	runs(0, 0);
	rec(SIM_REC_EVENT, 0, 0, 0, 0, 3);
	rec(SIM_REC_EVENT, 0, 0, 0, 1, 2);
	rec(SIM_REC_EVENT, 0, 0, 0, 7, 2); /* nobody's: left out */
	rec(SIM_REC_LINE_SUM, 0, -1u, 0, SIM_DIST_HOP1, 42);
	world_finish(1);
	ck_assert_uint_eq(result.lock[0].event[0], 3);
	ck_assert_uint_eq(result.lock[0].event[1], 2);
	ck_assert_uint_eq(result.lock[0].handoffs, 2);
	ck_assert_uint_eq(result.lock[0].transfers[SIM_DIST_HOP1], 42);
	world_free();
}
END_TEST

START_TEST(throughput_is_per_window)
{
	static const char *const names[] = { "", "page" };

	world_reset(2, 1);
	world_scn.done_name = names;
	world_scn.ndone_name = 2;
	world.from = US(100);
	world_start();
	for (unsigned i = 1; i <= 30; i++) {
		at(10 * i);
		rec(SIM_REC_DONE, 0, i % 2, -1u, 0, 0);
		rec(SIM_REC_DONE, 0, 0, 0, 0, 0);
	}
	rec(SIM_REC_JOB, 0, 1, -1u, 1, 0);
	world_finish(400);
	ck_assert_uint_eq(result.done, 21);
	ck_assert_uint_eq(result.throughput_milli, 70000000); /* 21 in 300 us */
	ck_assert_uint_eq(result.ndone, 1);
	ck_assert_str_eq(result.done_name[0], "page");
	ck_assert_uint_eq(result.done_count[0], 21);
	ck_assert_uint_eq(result.task[0].done, 11);
	ck_assert_uint_eq(result.task[1].jobs, 1);
	ck_assert_uint_eq(result.task[1].overruns, 1);
	ck_assert_uint_eq(result.task[1].finish, US(300));
	world_free();
}
END_TEST

/* Interrupts that come while one is being paid for follow it. */
START_TEST(interrupt_time)
{
	world_reset(1, 0);
	world_start();
	runs(0, 0);
	at(10); rec(SIM_REC_IRQ, 0, 0, -1u, SIM_IRQ_TICK, US(4));
	at(12); rec(SIM_REC_IRQ, 0, 0, -1u, SIM_IRQ_IPI, US(3));
	world_finish(20);
	ck_assert_uint_eq(result.cpu[0].irq, US(7));
	ck_assert_uint_eq(watch->cpu[0].irq_until, US(17));
	world_free();
}
END_TEST

/* Thousands of holds come from and go back to one list. */
START_TEST(holds_are_recycled)
{
	world_reset(8, 4);
	world_start();
	for (unsigned round = 0; round < 500; round++) {
		at(round);
		for (unsigned t = 0; t < 8; t++)
			for (unsigned l = 0; l < 4; l++)
				take(t, l, SH);
		for (unsigned t = 0; t < 8; t++)
			for (unsigned l = 4; l--;)
				unlock((t + round) % 8, (l + t) % 4);
	}
	world_finish(500);
	for (unsigned l = 0; l < 4; l++) {
		ck_assert_uint_eq(result.lock[l].acquisitions[SH], 500 * 8);
		ck_assert_ptr_null(watch->lock[l].oldest);
		ck_assert_uint_eq(watch->lock[l].nshared, 0);
	}
	ck_assert_uint_eq(watch->chunks->len, 1);
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

/* Invariants that hold for any run: acquisitions, hand-overs, time of CPUs and tasks. */
START_TEST(sums_agree)
{
	uint64_t n = 0, run = 0, busy = 0;

	world_reset(2, 1);
	world_start();
	for (unsigned i = 0; i < 50; i++) {
		at(40 * i); runs(0, 0); runs(1, 1);
		at(40 * i + 1); take(0, 0, EX);
		at(40 * i + 2); call(1, 0, EX);
		at(40 * i + 5); sleeps(1, IDLE);
		at(40 * i + 9); unlock_begin(0, 0); wakes(1); unlock_end(0, 0);
		at(40 * i + 12); runs(1, 1);
		at(40 * i + 13); grant(1, 0);
		at(40 * i + 20); unlock(1, 0);
		at(40 * i + 30); runs(0, IDLE);
	}
	world_finish(2000);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		n += result.lock[0].handover[d];
	ck_assert_uint_eq(n, result.lock[0].acquisitions[EX] - 1);
	for (unsigned t = 0; t < 2; t++) {
		const struct run_task *x = &result.task[t];

		run += x->run;
		ck_assert_uint_eq(x->run + x->blocked + x->preempted + x->slept, US(2000));
	}
	for (unsigned c = 0; c < WORLD_CPUS; c++) {
		busy += result.cpu[c].busy;
		ck_assert_uint_eq(result.cpu[c].busy + result.cpu[c].idle, US(2000));
	}
	ck_assert_uint_eq(run, busy);
	ck_assert_uint_eq(result.lock[0].sleeps, result.lock[0].wakeups);
	world_free();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/fold");
	TCase *t = tcase_create("fold");
	SRunner *r;
	int failed;

	tcase_add_test(t, time_of_tasks_and_cpus);
	tcase_add_test(t, waits_and_holds);
	tcase_add_test(t, warm_up_is_left_out);
	tcase_add_test(t, open_waits_raise_the_maximum);
	tcase_add_test(t, steals);
	tcase_add_test(t, downgrades_split_the_hold);
	tcase_add_test(t, failures);
	tcase_add_test(t, events_and_handoffs);
	tcase_add_test(t, throughput_is_per_window);
	tcase_add_test(t, interrupt_time);
	tcase_add_test(t, holds_are_recycled);
	tcase_add_test(t, sums_agree);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
