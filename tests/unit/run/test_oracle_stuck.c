// SPDX-License-Identifier: GPL-2.0-or-later
/* Oracles about who never gets on: deadlocks and spinners. */
#include "tests/unit/run/oracle_world.h"

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

/* As before, but who is kept off has not got the lock yet: it was taken for free, and no one else can take it. */
START_TEST(spinner_keeps_the_taker_off)
{
	for (unsigned other = 0; other < 2; other++) { /* another CPU that it may use: its turn will come */
		reset(2, 1);
		world_allowed[0] = other ? 3 : 1;
		world_start();
		runs(0, 0);
		call(0, 0, EX);
		at(1); runs(0, 1);
		call(1, 0, EX);
		world_finish(30000);
		ck_assert_uint_eq(found(RUN_FINDING_stuck_spinner), !other);
		if (!other)
			ck_assert_ptr_nonnull(strstr(result.finding[0].text, "who was about to take the lock"));
		world_free();
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/oracle stuck");
	TCase *t = tcase_create("stuck");
	SRunner *r;
	int failed;

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
	tcase_add_test(t, spinner_keeps_the_taker_off);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
