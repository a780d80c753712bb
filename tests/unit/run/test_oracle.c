// SPDX-License-Identifier: GPL-2.0-or-later
/* Oracles about who is let in and who is left out: for each a stream that violates and one that does not. */
#include "tests/unit/run/watch_world.h"

static struct lock_view_counts { unsigned owners, waiters; } seen[WORLD_LOCKS];

/* What the lock's own state says: locks are told apart by the address given in bound->lock. */
static void fake_view(const void *lock, struct lock_view *v)
{
	const struct lock_view_counts *c = lock;

	for (unsigned i = 0; i < c->owners; i++)
		lock_view_owner(v, NULL, EX);
	for (unsigned i = 0; i < c->waiters; i++)
		lock_view_waiter(v, NULL, EX);
}

static const char *complaint;

static const char *fake_broken(const void *lock)
{
	return complaint;
}

static void reset(unsigned ntask, unsigned nlock)
{
	memset(seen, 0, sizeof(seen));
	complaint = NULL;
	world_reset(ntask, nlock);
	for (unsigned i = 0; i < nlock; i++)
		world.lock[i].lock = &seen[i];
}

static void all_run(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		runs(i, (int)i);
}

static const struct run_finding *first_finding(void)
{
	ck_assert_uint_gt(watch->finding->len, 0);
	return &g_array_index(watch->finding, struct run_finding, 0);
}

/* -- mutual exclusion ------------------------------------------------------------------------------ */

START_TEST(exclusion)
{
	static const struct { enum lock_mode first, second; unsigned findings; } cases[] = {
		{ EX, EX, 1 }, { EX, SH, 1 }, { SH, EX, 1 }, { SH, SH, 0 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		reset(2, 1);
		world_start();
		all_run(2);
		take(0, 0, cases[i].first);
		ck_assert_uint_eq(found_any(), 0);
		at(3); take(1, 0, cases[i].second);
		ck_assert_uint_eq(found(RUN_FINDING_mutual_exclusion), cases[i].findings);
		ck_assert_uint_eq(found_any(), cases[i].findings);
		if (cases[i].findings) {
			const struct run_finding *f = first_finding();

			ck_assert_str_eq(f->task, "b");
			ck_assert_str_eq(f->lock, "L0");
			ck_assert_str_eq(f->file, "world.lks");
			ck_assert_uint_eq(f->line, 4); /* statement 3 */
			ck_assert_uint_eq(f->at, 3 * SIM_US);
			ck_assert_ptr_nonnull(strstr(f->text, "a holds L0"));
			ck_assert_ptr_nonnull(strstr(f->text, "replay: lockstep run world.lks --seed 7"));
			ck_assert(watch_stopped(watch));
		}
		world_finish(10);
		world_free();
	}
}
END_TEST

/* Between the call of unlock() and its return the lock may be somebody else's already. */
START_TEST(exclusion_ends_at_the_call)
{
	reset(2, 1);
	world_start();
	all_run(2);
	take(0, 0, EX);
	call(1, 0, EX);
	at(1); unlock_begin(0, 0);
	at(2); grant(1, 0);
	at(3); unlock_end(0, 0);
	at(4); unlock(1, 0);
	world_finish(5);
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

/* A semaphore of two lets two in; a third needs a post, from whomever. */
START_TEST(exclusion_counts_units)
{
	static struct lock_param params[] = { { "count", LOCK_PARAM_COUNT, 2, "" }, { 0 } };

	reset(4, 1);
	world_model[0].caps = LOCK_CAP_COUNTING | LOCK_CAP_ANYONE;
	world_model[0].params = params;
	world_start();
	all_run(4);
	take(0, 0, EX);
	take(1, 0, EX);
	at(1); unlock(3, 0);
	take(2, 0, EX);
	ck_assert_uint_eq(found_any(), 0);
	at(2); take(3, 0, EX);
	ck_assert_uint_eq(found(RUN_FINDING_mutual_exclusion), 1);
	world_finish(5);
	ck_assert_uint_eq(result.nfinding, 1);
	world_free();
}
END_TEST

START_TEST(owner)
{
	reset(2, 2);
	world_model[1].caps = LOCK_CAP_ANYONE;
	world_start();
	all_run(2);
	take(0, 0, EX);
	take(0, 1, EX);
	at(1); unlock(1, 1); /* anyone may */
	ck_assert_uint_eq(found_any(), 0);
	unlock_begin(1, 0);
	ck_assert_uint_eq(found(RUN_FINDING_unlock_by_non_owner), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "b unlocks L0, which it does not hold"));
	world_finish(2);
	world_free();
}
END_TEST

/* -- lost wake-ups ------------------------------------------------------------------------------------ */

/* a holds, b sleeps for it; then a unlocks and wakes b or not. */
static void sleeper(bool woken)
{
	all_run(2);
	take(0, 0, EX);
	at(1); call(1, 0, EX);
	at(2); sleeps(1, IDLE);
	at(3); unlock_begin(0, 0);
	if (woken)
		wakes(1);
	at(4); unlock_end(0, 0);
}

START_TEST(wakeup)
{
	reset(2, 1);
	world_start();
	sleeper(true);
	ck_assert_uint_eq(found_any(), 0);
	at(5); runs(1, 1); grant(1, 0); unlock(1, 0);
	world_finish(6);
	ck_assert_uint_eq(result.nfinding, 0);
	world_free();
	reset(2, 1);
	world_start();
	sleeper(false);
	ck_assert_uint_eq(found(RUN_FINDING_lost_wakeup), 1);
	ck_assert_uint_eq(first_finding()->at, 4 * SIM_US); /* not before: a was still at work */
	ck_assert_str_eq(first_finding()->task, "b");
	world_finish(6);
	world_free();
}
END_TEST

/* Whoever has a timeout pending will look again. */
START_TEST(wakeup_by_timeout_is_not_lost)
{
	reset(2, 1);
	world_task[1].timeout.slot = 1;
	world_start();
	sleeper(false);
	ck_assert_uint_eq(found_any(), 0);
	world_finish(6);
	world_free();
}
END_TEST

/* Somebody awake is inside: it may still wake the sleeper. */
START_TEST(wakeup_waits_for_the_last)
{
	reset(3, 1);
	world_start();
	runs(2, 2);
	take(2, 0, SH);
	at(1); runs(0, 0); runs(1, 1);
	call(1, 0, EX);
	sleeps(1, IDLE);
	at(2); call(0, 0, SH);
	unlock(2, 0);
	ck_assert_uint_eq(found_any(), 0);
	at(3); grant(0, 0);
	at(4); unlock_begin(0, 0);
	ck_assert_uint_eq(found_any(), 0);
	unlock_end(0, 0);
	ck_assert_uint_eq(found(RUN_FINDING_lost_wakeup), 1);
	world_finish(6);
	world_free();
}
END_TEST

/* Nobody will ever post: seen when the machine is still, and only then. */
START_TEST(wakeup_at_quiescence)
{
	reset(1, 1);
	world_model[0].caps = LOCK_CAP_COUNTING | LOCK_CAP_ANYONE | LOCK_CAP_WAKEALL;
	world_start();
	all_run(1);
	call(0, 0, EX);
	at(1); sleeps(0, IDLE);
	ck_assert_uint_eq(found_any(), 0);
	watch_quiet(watch);
	ck_assert_uint_eq(found(RUN_FINDING_lost_wakeup), 1);
	world_finish(6);
	world_free();
}
END_TEST

/* -- deadlock ------------------------------------------------------------------------------------------- */

static void embrace(void)
{
	all_run(3);
	take(0, 0, EX);
	take(1, 1, EX);
	at(1); call(0, 1, EX); sleeps(0, IDLE);
	ck_assert_uint_eq(found_any(), 0);
	at(2); call(1, 0, EX);
	ck_assert_uint_eq(found_any(), 0);
	sleeps(1, IDLE);
}

START_TEST(deadlock)
{
	const struct watch_cycle *c;

	reset(3, 2);
	world_start();
	embrace();
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	c = &g_array_index(watch->cycle, struct watch_cycle, 0);
	ck_assert_uint_eq(c->n, 2);
	ck_assert_uint_eq(c->task[0] + c->task[1], 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "b sleeps in L0"));
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "a sleeps in L1"));
	world_finish(6);
	ck_assert_uint_eq(result.nfinding, 1);
	world_free();
}
END_TEST

/* A chain that ends is no cycle, and the same locks taken in turn are none. */
START_TEST(deadlock_needs_a_cycle)
{
	reset(3, 2);
	world_start();
	all_run(3);
	take(0, 0, EX);
	take(1, 1, EX);
	at(1); call(1, 0, EX); sleeps(1, IDLE);
	at(2); call(2, 1, EX); sleeps(2, IDLE);
	at(3); unlock_begin(0, 0); wakes(1); unlock_end(0, 0);
	at(4); runs(1, 1); grant(1, 0); unlock(1, 0);
	unlock_begin(1, 1); wakes(2); unlock_end(1, 1);
	at(5); runs(2, 2); grant(2, 1); unlock(2, 1);
	world_finish(6);
	ck_assert_uint_eq(result.nfinding, 0);
	world_free();
}
END_TEST

static void two_wait_one_killable(void)
{
	world_start();
	all_run(2);
	take(0, 0, EX);
	take(1, 1, EX);
	at(1); call_how(0, 1, EX, LOCK_KILLABLE); sleeps(0, IDLE);
	at(2); call(1, 0, EX); sleeps(1, IDLE);
}

/* A waiter that somebody may kill may still leave; with nothing left to come it will not. */
START_TEST(deadlock_with_a_way_out)
{
	struct scn_stmt kill = { .kind = SCN_KILL, .target = { .object = 0 } };

	reset(2, 2);
	world_task_decl(1)->body = &kill;
	two_wait_one_killable();
	ck_assert_uint_eq(found_any(), 0);
	watch_quiet(watch);
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	world_finish(6);
	world_free();
}
END_TEST

/* A killable wait that no statement kills is like any other; an ordinary signal does not end it. */
START_TEST(deadlock_that_nobody_kills)
{
	struct scn_stmt signal = { .kind = SCN_SIGNAL, .target = { .object = 0 } },
			other = { .kind = SCN_KILL, .target = { .object = 1 }, .next = &signal };

	reset(2, 2);
	world_task_decl(1)->body = &other;
	two_wait_one_killable();
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	world_finish(6);
	world_free();
}
END_TEST

/* Ticks keep a spinning CPU from ever being still; but when every living task waits, no signal will come. */
START_TEST(deadlock_when_nobody_can_act)
{
	for (unsigned third = 0; third < 2; third++) {
		reset(2 + third, 2);
		world_start();
		all_run(2 + third);
		take(0, 0, EX);
		take(1, 1, EX);
		at(1); call_how(0, 1, EX, LOCK_KILLABLE);
		at(2); call_how(1, 0, EX, LOCK_INTERRUPTIBLE);
		world_finish(6);
		ck_assert_uint_eq(found(RUN_FINDING_deadlock), !third); /* the third could still send one */
		world_free();
	}
}
END_TEST

START_TEST(deadlock_of_spinners)
{
	reset(2, 2);
	world_model[0].caps = world_model[1].caps = LOCK_CAP_SPIN;
	world_start();
	all_run(2);
	take(0, 0, EX);
	take(1, 1, EX);
	at(1); call(0, 1, EX);
	ck_assert_uint_eq(found_any(), 0);
	at(2); call(1, 0, EX);
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "spins in"));
	world_finish(6);
	world_free();
}
END_TEST

/* One task alone: it takes what it has. */
START_TEST(deadlock_with_oneself)
{
	reset(1, 1);
	world_start();
	all_run(1);
	take(0, 0, EX);
	at(1); call(0, 0, EX); sleeps(0, IDLE);
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	world_finish(2);
	world_free();
}
END_TEST

/* a reads, b wants to write and waits for a; a reads again and queues behind b. */
START_TEST(deadlock_through_a_queued_writer)
{
	reset(2, 1);
	world_start();
	all_run(2);
	take(0, 0, SH);
	at(1); call(1, 0, EX); sleeps(1, IDLE);
	at(2); call(0, 0, SH); sleeps(0, IDLE);
	ck_assert_uint_eq(found(RUN_FINDING_deadlock), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "behind b"));
	world_finish(3);
	world_free();
}
END_TEST

/* -- spinners ---------------------------------------------------------------------------------------------- */

START_TEST(spinner)
{
	reset(2, 1);
	world_model[0].caps = LOCK_CAP_SPIN;
	world_start();
	all_run(2);
	take(0, 0, EX);
	at(1); call(1, 0, EX);
	at(2); unlock(0, 0);
	at(3); sleeps(0, IDLE);
	ck_assert_uint_eq(found_any(), 0);
	watch_quiet(watch);
	ck_assert_uint_eq(found(RUN_FINDING_stuck_spinner), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "the lock is free"));
	world_finish(4);
	world_free();
}
END_TEST

/* Ticks go on for ever, so the machine is never still: the end of the run tells. */
START_TEST(spinner_at_the_end)
{
	for (unsigned stuck = 0; stuck < 2; stuck++) {
		reset(2, 1);
		world_model[0].caps = LOCK_CAP_SPIN;
		world_start();
		all_run(2);
		take(0, 0, EX);
		at(1); call(1, 0, EX);
		if (stuck)
			unlock(0, 0);
		world_finish(30000);
		ck_assert_uint_eq(found(RUN_FINDING_stuck_spinner), stuck);
		ck_assert_uint_eq(found_any(), stuck);
		world_free();
	}
}
END_TEST

/* The spinner sits on the only CPU that the holder may use. */
START_TEST(spinner_keeps_the_holder_off)
{
	reset(2, 1);
	world_allowed[0] = 1;
	world_start();
	runs(0, 0);
	take(0, 0, EX);
	at(1); runs(0, 1);
	call(1, 0, EX);
	world_finish(30000);
	ck_assert_uint_eq(found(RUN_FINDING_stuck_spinner), 1);
	world_free();
}
END_TEST

/* -- broken, conservation, exits --------------------------------------------------------------------------- */

START_TEST(broken)
{
	reset(2, 1);
	world_model[0].broken = fake_broken;
	world_start();
	all_run(2);
	complaint = "the list is cut";
	call(0, 0, EX); /* not quiet: nobody is asked */
	ck_assert_uint_eq(found_any(), 0);
	complaint = NULL;
	grant(0, 0);
	ck_assert_uint_eq(found_any(), 0);
	complaint = "the list is cut";
	at(1); unlock(0, 0);
	ck_assert_uint_eq(found(RUN_FINDING_broken), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "the list is cut"));
	world_finish(2);
	world_free();
}
END_TEST

START_TEST(conservation)
{
	reset(1, 1);
	world_model[0].view = fake_view;
	world_start();
	all_run(1);
	call(0, 0, EX);
	seen[0].owners = 1;
	grant(0, 0);
	at(1); unlock_begin(0, 0);
	seen[0].owners = 0;
	unlock_end(0, 0);
	ck_assert_uint_eq(found_any(), 0);
	at(2); take(0, 0, SH);
	at(3); unlock_begin(0, 0);
	seen[0].owners = 1; /* a release was lost */
	unlock_end(0, 0);
	ck_assert_uint_eq(found(RUN_FINDING_conservation), 1);
	world_finish(4);
	world_free();
}
END_TEST

START_TEST(exit_holding)
{
	reset(2, 2);
	world_model[1].caps = LOCK_CAP_ANYONE | LOCK_CAP_COUNTING;
	world_start();
	all_run(2);
	take(0, 1, EX); /* a unit of a semaphore is nobody's */
	at(1); exits(0, IDLE);
	ck_assert_uint_eq(found_any(), 0);
	take(1, 0, EX);
	at(2); exits(1, IDLE);
	ck_assert_uint_eq(found(RUN_FINDING_exit_holding), 1);
	ck_assert_str_eq(first_finding()->lock, "L0");
	world_finish(3);
	world_free();
}
END_TEST

/* -- findings -------------------------------------------------------------------------------------------- */

/* The same mistake at every step is told a few times only. */
START_TEST(findings_are_few)
{
	static const struct scn_expect expect = { .kind = SCN_EXPECT_FINDING, .text = "mutual-exclusion",
						  .source = "finding mutual-exclusion" };

	reset(2, 1);
	world_scn.expect = (struct scn_expect *)&expect;
	world_scn.nexpect = 1;
	world_start();
	all_run(2);
	for (unsigned i = 0; i < 100; i++) {
		at(i);
		take(0, 0, EX);
		take(1, 0, EX);
		unlock(0, 0);
		unlock(1, 0);
	}
	ck_assert(!watch_stopped(watch));
	world_finish(100);
	ck_assert_uint_eq(result.nfinding, 8);
	for (unsigned i = 0; i < result.nfinding; i++)
		ck_assert(result.finding[i].expected);
	ck_assert(result.verdict[0].met);
	world_free();
}
END_TEST

/* Told from outside, with the task and the lock as records number them. */
START_TEST(findings_from_outside)
{
	reset(2, 1);
	world_start();
	all_run(2);
	at(4); call(1, 0, EX);
	watch_finding(watch, RUN_FINDING_warning, 2, 1, "WARN_ON(count < 0)");
	ck_assert_uint_eq(found(RUN_FINDING_warning), 1);
	ck_assert_str_eq(first_finding()->task, "b");
	ck_assert_str_eq(first_finding()->lock, "L0");
	world_finish(5);
	world_free();
}
END_TEST

START_TEST(oracles_are_listed)
{
	reset(1, 1);
	world_start();
	world_finish(1);
	ck_assert_uint_eq(result.noracle, 12);
	for (unsigned i = 0; i < result.noracle; i++) {
		bool off = !strcmp(result.oracle[i], "broken") || !strcmp(result.oracle[i], "pi-integrity") ||
			   !strcmp(result.oracle[i], "fifo") || !strcmp(result.oracle[i], "starvation") ||
			   !strcmp(result.oracle[i], "writer-starved");

		ck_assert_msg(result.oracle_watched[i] == !off, "%s", result.oracle[i]);
	}
	world_free();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/oracle");
	TCase *t = tcase_create("oracle");
	SRunner *r;
	int failed;

	tcase_add_test(t, exclusion);
	tcase_add_test(t, exclusion_ends_at_the_call);
	tcase_add_test(t, exclusion_counts_units);
	tcase_add_test(t, owner);
	tcase_add_test(t, wakeup);
	tcase_add_test(t, wakeup_by_timeout_is_not_lost);
	tcase_add_test(t, wakeup_waits_for_the_last);
	tcase_add_test(t, wakeup_at_quiescence);
	tcase_add_test(t, deadlock);
	tcase_add_test(t, deadlock_needs_a_cycle);
	tcase_add_test(t, deadlock_with_a_way_out);
	tcase_add_test(t, deadlock_that_nobody_kills);
	tcase_add_test(t, deadlock_when_nobody_can_act);
	tcase_add_test(t, deadlock_of_spinners);
	tcase_add_test(t, deadlock_with_oneself);
	tcase_add_test(t, deadlock_through_a_queued_writer);
	tcase_add_test(t, spinner);
	tcase_add_test(t, spinner_at_the_end);
	tcase_add_test(t, spinner_keeps_the_holder_off);
	tcase_add_test(t, broken);
	tcase_add_test(t, conservation);
	tcase_add_test(t, exit_holding);
	tcase_add_test(t, findings_are_few);
	tcase_add_test(t, findings_from_outside);
	tcase_add_test(t, oracles_are_listed);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
