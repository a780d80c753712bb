// SPDX-License-Identifier: GPL-2.0-or-later
/* Oracles about order and priority: FIFO, starvation bounds, PI integrity. */
#include "sim/machine/sched.h"
#include "tests/unit/run/watch_world.h"

static unsigned queued; /* what view() lists */

static void fake_view(const void *lock, struct lock_view *v)
{
	for (unsigned i = 0; i < queued; i++)
		lock_view_waiter(v, NULL, EX);
}

static void reset(unsigned ntask, unsigned nlock, unsigned caps)
{
	queued = 0;
	world_reset(ntask, nlock);
	for (unsigned i = 0; i < nlock; i++) {
		world_model[i].caps = caps;
		world_model[i].view = fake_view;
	}
}

static void all_run(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		runs(i, (int)i);
}

/* -- FIFO ------------------------------------------------------------------------------------------ */

/* a holds; b, then c call; c is in the queue after b if @b_seen. */
static void queue(bool b_seen, bool b_sleeps)
{
	world_start();
	all_run(3);
	take(0, 0, EX);
	at(1); call(1, 0, EX);
	if (b_sleeps)
		sleeps(1, IDLE);
	at(2); queued = b_seen;
	call(2, 0, EX);
	at(3); unlock_begin(0, 0);
	if (b_sleeps)
		wakes(1);
	unlock_end(0, 0);
}

START_TEST(fifo_in_order)
{
	reset(3, 1, LOCK_CAP_FIFO);
	queue(true, false);
	at(4); grant(1, 0);
	at(5); unlock(1, 0); grant(2, 0);
	world_finish(6);
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

START_TEST(fifo_overtaken)
{
	for (unsigned how = 0; how < 2; how++) { /* listed by view(), or asleep */
		reset(3, 1, LOCK_CAP_FIFO);
		queue(!how, how);
		at(4); grant(2, 0);
		ck_assert_uint_eq(found(RUN_FINDING_fifo), 1);
		world_finish(6);
		ck_assert_ptr_nonnull(strstr(result.finding[0].text, "b waits longest"));
		world_free();
	}
}
END_TEST

/* b had called but not announced itself: no promise is broken. Nor without the promise. */
START_TEST(fifo_races_are_legal)
{
	for (unsigned promised = 0; promised < 2; promised++) {
		reset(3, 1, promised ? LOCK_CAP_FIFO : 0);
		queue(!promised, false);
		at(4); grant(2, 0);
		world_finish(6);
		ck_assert_uint_eq(found_any(), 0);
		world_free();
	}
}
END_TEST

/* One who gives up is no longer in the way. */
START_TEST(fifo_after_a_failure)
{
	reset(3, 1, LOCK_CAP_FIFO);
	queue(true, false);
	at(4); fails(1, 0, 110);
	grant(2, 0);
	world_finish(6);
	ck_assert_uint_eq(found_any(), 0);
	world_free();
}
END_TEST

/* -- starvation -------------------------------------------------------------------------------------- */

static struct scn_expr bound = { .kind = SCN_LITERAL, .unit = SCN_TIME, .value = 50 * SIM_US };
static struct scn_setting starve = { .name = "starve", .value = &bound };

static void bound_set(void)
{
	world_scn.lock[0].set = &starve;
	world_scn.lock[0].nset = 1;
}

START_TEST(starvation)
{
	for (unsigned set = 0; set < 2; set++) {
		reset(3, 1, 0);
		if (set)
			bound_set();
		world_start();
		all_run(3);
		take(0, 0, EX);
		call(1, 0, EX);
		for (unsigned i = 1; i < 20; i++) {
			at(10 * i);
			call(2, 0, EX);
			unlock(0, 0);
			grant(2, 0);
			unlock(2, 0);
			take(0, 0, EX);
			ck_assert_uint_eq(found(RUN_FINDING_starvation), set && i >= 6);
		}
		world_finish(500);
		ck_assert_uint_eq(found_any(), set);
		world_free();
	}
}
END_TEST

START_TEST(writer_starved)
{
	reset(4, 1, LOCK_CAP_SHARED);
	bound_set();
	world_start();
	all_run(4);
	take(0, 0, SH);
	call(1, 0, EX);
	for (unsigned i = 1; i < 10; i++) {
		at(10 * i);
		take(2 + i % 2, 0, SH);
		if (i > 1)
			unlock(2 + !(i % 2), 0);
	}
	ck_assert_uint_eq(found(RUN_FINDING_writer_starved), 1);
	ck_assert_uint_eq(found(RUN_FINDING_starvation), 0);
	world_finish(100);
	world_free();
}
END_TEST

/* -- priority inheritance --------------------------------------------------------------------------------- */

#define FIFO(p) (SIM_MAX_RT_PRIO - 1 - (p))

static void prios(int a, int b, int c)
{
	const int prio[] = { a, b, c };

	for (unsigned i = 0; i < 3; i++)
		world_shared[i].prio = world_shared[i].normal_prio = prio[i];
}

/* a takes L0; b sleeps for it, and boosts a or not. */
static void block(bool boosts)
{
	world_start();
	all_run(3);
	take(0, 0, EX);
	at(1); call(1, 0, EX);
	if (boosts)
		set_prio(0, world_shared[1].prio);
	ck_assert_uint_eq(found_any(), 0);
	sleeps(1, IDLE);
}

START_TEST(pi_boost)
{
	for (unsigned boosts = 0; boosts < 2; boosts++) {
		reset(3, 1, LOCK_CAP_PI);
		prios(FIFO(10), FIFO(50), FIFO(20));
		block(boosts);
		ck_assert_uint_eq(found(RUN_FINDING_pi), !boosts);
		world_finish(5);
		world_free();
	}
}
END_TEST

/* The boost must be gone when unlock() has returned, not before. */
START_TEST(pi_deboost)
{
	for (unsigned deboosts = 0; deboosts < 2; deboosts++) {
		reset(3, 1, LOCK_CAP_PI);
		prios(FIFO(10), FIFO(50), FIFO(20));
		block(true);
		at(2); unlock_begin(0, 0);
		if (deboosts)
			set_prio(0, FIFO(10));
		wakes(1);
		ck_assert_uint_eq(found_any(), 0);
		unlock_end(0, 0);
		ck_assert_uint_eq(found(RUN_FINDING_pi), !deboosts);
		world_finish(5);
		world_free();
	}
}
END_TEST

/* c -> L1 held by b -> L0 held by a: a inherits c's priority, once c's walk is over. */
START_TEST(pi_is_transitive)
{
	for (unsigned whole = 0; whole < 2; whole++) {
		reset(3, 2, LOCK_CAP_PI);
		prios(FIFO(10), FIFO(20), FIFO(50));
		world_start();
		all_run(3);
		take(0, 0, EX);
		take(1, 1, EX);
		at(1); call(1, 0, EX); set_prio(0, FIFO(20)); sleeps(1, IDLE);
		at(2); call(2, 1, EX);
		set_prio(1, FIFO(50));
		at(3); runs(3, 0); runs(0, IDLE); /* records in between: the walk is in flight */
		ck_assert_uint_eq(found_any(), 0);
		if (whole)
			set_prio(0, FIFO(50));
		sleeps(2, IDLE);
		ck_assert_uint_eq(found(RUN_FINDING_pi), !whole);
		world_finish(5);
		world_free();
	}
}
END_TEST

/* A ceiling that a task keeps counts beside what it inherits: above it, and not below. */
START_TEST(pi_and_a_ceiling)
{
	for (unsigned right = 0; right < 2; right++) {
		reset(3, 1, LOCK_CAP_PI);
		prios(FIFO(10), FIFO(50), FIFO(20));
		world_start();
		all_run(3);
		take(0, 0, EX);
		world_task[0].ceiling = FIFO(60);
		set_prio(0, FIFO(right ? 60 : 50));
		at(1); call(1, 0, EX);
		ck_assert_uint_eq(found_any(), 0);
		sleeps(1, IDLE);
		ck_assert_uint_eq(found(RUN_FINDING_pi), !right);
		world_finish(5);
		world_free();
	}
}
END_TEST

/* Raising a sleeper must reach the owner by the time `set` is over. */
START_TEST(pi_after_set)
{
	for (unsigned told = 0; told < 2; told++) {
		reset(3, 1, LOCK_CAP_PI);
		prios(FIFO(10), FIFO(50), FIFO(20));
		block(true);
		at(2); runs(0, 2); /* c sets, on a fiber */
		world_task[2].exec = SIM_EXEC_FIBER;
		set_sched(1, FIFO(60));
		runs(3, 0);
		ck_assert_uint_eq(found_any(), 0);
		if (told)
			set_prio(0, FIFO(60));
		world_task[2].exec = SIM_EXEC_RUN;
		world_finish(5);
		ck_assert_uint_eq(found(RUN_FINDING_pi), !told);
		world_free();
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/oracle_order");
	TCase *t = tcase_create("order");
	SRunner *r;
	int failed;

	tcase_add_test(t, fifo_in_order);
	tcase_add_test(t, fifo_overtaken);
	tcase_add_test(t, fifo_races_are_legal);
	tcase_add_test(t, fifo_after_a_failure);
	tcase_add_test(t, starvation);
	tcase_add_test(t, writer_starved);
	tcase_add_test(t, pi_boost);
	tcase_add_test(t, pi_deboost);
	tcase_add_test(t, pi_is_transitive);
	tcase_add_test(t, pi_after_set);
	tcase_add_test(t, pi_and_a_ceiling);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
