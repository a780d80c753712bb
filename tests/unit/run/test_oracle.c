// SPDX-License-Identifier: GPL-2.0-or-later
/* Oracles about who is let in and who is left out: for each a stream that violates and one that does not. */
#include "tests/unit/run/oracle_world.h"

static void fake_view(const void *lock, struct lock_view *v)
{
	const struct lock_view_counts *c = lock;

	for (unsigned i = 0; i < c->owners; i++)
		lock_view_owner(v, NULL, EX);
	for (unsigned i = 0; i < c->waiters; i++)
		lock_view_waiter(v, NULL, EX);
}

static const char *complaint; /* what fake_broken() answers */

static const char *fake_broken(const void *lock)
{
	return complaint;
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
	ck_assert_uint_eq(result.noracle, 14);
	for (unsigned i = 0; i < result.noracle; i++) {
		bool off = !strcmp(result.oracle[i], "broken") || !strcmp(result.oracle[i], "pi-integrity") ||
			   !strcmp(result.oracle[i], "fifo") || !strcmp(result.oracle[i], "hand-off") || !strcmp(result.oracle[i], "starvation") ||
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
