// SPDX-License-Identifier: GPL-2.0-or-later
/* The hand-off oracle: who is late, who does not count, and what makes it forget. */
#include "tests/unit/run/watch_world.h"

#define PATIENCE (50 * SIM_US)

static int first; /* the task that view() lists first */
static enum lock_mode first_mode;
static sim_time patience;

static void queue_view(const void *lock, struct lock_view *v)
{
	if (first >= 0)
		lock_view_waiter(v, (const struct task_struct *)(const void *)&world_shared[first], first_mode);
}

static sim_time its_patience(const void *lock)
{
	return patience;
}

/*
 * a holds; b calls in @mode and, if it is a sleeper, sleeps; c steals once, so that b is known to be first. e is always
 * in the middle of a call, so that nobody takes b for lost.
 */
static void begin(enum lock_mode mode, sim_time promised, bool sleeper)
{
	world_reset(5, 1);
	world_model[0].view = queue_view;
	world_model[0].patience = its_patience;
	patience = promised;
	first = -1;
	first_mode = mode;
	world_start();
	for (unsigned i = 0; i < 4; i++)
		runs(i, (int)i);
	take(0, 0, EX);
	at(1);
	call(1, 0, mode);
	first = 1;
	if (sleeper)
		sleeps(1, IDLE);
	call(4, 0, EX);
	unlock(0, 0);
	take(2, 0, EX);
}

static void tries_in_vain(void)
{
	wakes(1);
	runs(1, 1);
	sleeps(1, IDLE);
}

static void steal(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		unlock(2, 0);
		take(2, 0, EX);
	}
}

static void end(unsigned findings)
{
	ck_assert_uint_eq(found(RUN_FINDING_hand_off), findings);
	world_finish(100000);
	ck_assert_uint_eq(found_any(), findings);
	world_free();
}

/* The second sleep proves that it was woken in vain, and the second thief is told of. */
START_TEST(passed_after_two_sleeps)
{
	for (unsigned thefts = 1; thefts < 3; thefts++) {
		begin(EX, 0, true);
		at(2); tries_in_vain();
		steal(5);
		at(3); tries_in_vain();
		steal(thefts);
		end(thefts == 2);
	}
}
END_TEST

/* Until its time has come it may be passed; without a promise for ever. */
START_TEST(patience_first)
{
	for (unsigned i = 0; i < 3; i++) {
		begin(EX, i ? PATIENCE : SIM_NEVER, true);
		for (unsigned t = 2; t < 8; t++) {
			at(t); tries_in_vain();
			steal(5);
		}
		if (i < 2) {
			end(0);
			continue;
		}
		at(60); tries_in_vain();
		at(61); tries_in_vain();
		steal(2);
		end(1);
	}
}
END_TEST

/* Who had called before may have been in already. */
START_TEST(earlier_calls_do_not_count)
{
	begin(EX, 0, true);
	call(0, 0, EX);
	call(3, 0, EX);
	at(2); tries_in_vain();
	at(3); tries_in_vain();
	unlock(2, 0); grant(0, 0);
	unlock(0, 0); grant(3, 0);
	steal(0);
	end(0);
}
END_TEST

/* One who gave up may have taken the mark along, and one who is no longer queued has the lock. */
START_TEST(what_makes_it_forget)
{
	for (unsigned i = 0; i < 3; i++) {
		begin(EX, 0, true);
		if (!i)
			call(3, 0, EX);
		at(2); tries_in_vain();
		at(3); tries_in_vain();
		if (i == 0)
			fails(3, 0, 4);
		if (i == 1)
			first = -1;
		if (i == 2) { /* a try is not a wait */
			call_how(3, 0, EX, LOCK_TRY);
			fails(3, 0, 16);
		}
		steal(2);
		end(i == 2);
	}
}
END_TEST

/* It need not sleep: burning a CPU for long shows as much. */
START_TEST(passed_while_it_spins)
{
	begin(EX, 0, false);
	at(9000); steal(5);
	ck_assert_uint_eq(found_any(), 0);
	at(10100); steal(1); /* this shows that it is late */
	at(10200); steal(2);
	end(1);
}
END_TEST

/* A reader sleeps until it has the lock; the writer that passed it asks for it, in its unlock(). */
START_TEST(reader_need_not_try)
{
	for (unsigned thefts = 1; thefts < 5; thefts++) {
		begin(SH, PATIENCE, true);
		at(40); steal(5);
		at(60); steal(thefts); /* a witness and its unlock, and two that called later */
		end(thefts >= 3);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/oracle_handoff");
	TCase *t = tcase_create("handoff");
	SRunner *r;
	int failed;

	tcase_add_test(t, passed_after_two_sleeps);
	tcase_add_test(t, patience_first);
	tcase_add_test(t, earlier_calls_do_not_count);
	tcase_add_test(t, what_makes_it_forget);
	tcase_add_test(t, passed_while_it_spins);
	tcase_add_test(t, reader_need_not_try);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
