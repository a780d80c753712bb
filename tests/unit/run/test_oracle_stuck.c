// SPDX-License-Identifier: GPL-2.0-or-later
/* Oracles about who never gets on: deadlocks, spinners and live-locks. */
#include "sim/machine/machine.h"
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

/* -- live-locks --------------------------------------------------------------------------------------------- */

/* a, who may use CPU 0 only, holds L0 or is about to; b comes to CPU 0 and spins there for it. */
static void a_kept_off_by_b(bool holds, int prio, unsigned policy)
{
	reset(2, 1);
	world_allowed[0] = 1;
	world_start();
	world_shared[1].policy = policy;
	set_sched(1, prio);
	runs(0, 0);
	if (holds)
		take(0, 0, EX);
	else
		call(0, 0, EX);
	at(1); runs(0, 1);
	call(1, 0, EX);
}

START_TEST(livelock_of_a_holder_or_taker)
{
	for (unsigned holds = 0; holds < 2; holds++) {
		a_kept_off_by_b(holds, 49, SIM_FIFO);
		watch_piece(watch, 9000 * SIM_US);
		ck_assert_uint_eq(found_any(), 0); /* it has not lasted */
		watch_piece(watch, 12000 * SIM_US);
		ck_assert_uint_eq(found(RUN_FINDING_live_lock), 1);
		ck_assert_ptr_nonnull(strstr(first_finding()->text, "live-lock of a b"));
		ck_assert_ptr_nonnull(strstr(first_finding()->text, "b keeps it off cpu 0"));
		ck_assert_ptr_nonnull(strstr(first_finding()->text,
					     holds ? "which a holds" : "which is free: a was about to take it"));
		ck_assert(first_finding()->at == 12000 * SIM_US);
		world_finish(30000);
		ck_assert_uint_eq(result.nfinding, 1); /* and is not told again */
		world_free();
	}
}
END_TEST

/* Who will let go of the CPU by itself: at the end of a slice, or of what a deadline task may use. */
START_TEST(livelock_needs_one_who_stays)
{
	static const struct {
		int prio;
		unsigned policy;
		uint64_t until;
		unsigned found;
	} t[] = {
		{120, SIM_NORMAL, 30000, 0}, {120, SIM_NORMAL, 300000, 1}, /* preemption must be off */
		{49, SIM_RR, 30000, 1},	     {-1, SIM_DEADLINE, 300000, 0},
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		a_kept_off_by_b(true, t[i].prio, t[i].policy);
		world_finish(t[i].until);
		ck_assert_uint_eq(found(RUN_FINDING_live_lock), t[i].found);
		world_free();
	}
}
END_TEST

/* Equals take turns under RR, and do not under FIFO. */
START_TEST(livelock_of_equals)
{
	for (unsigned fifo = 0; fifo < 2; fifo++) {
		reset(2, 1);
		world_allowed[0] = 1;
		world_start();
		world_shared[1].policy = fifo ? SIM_FIFO : SIM_RR;
		set_sched(0, 49);
		set_sched(1, 49);
		runs(0, 0);
		take(0, 0, EX);
		at(1); runs(0, 1);
		call(1, 0, EX);
		world_finish(30000);
		ck_assert_uint_eq(found(RUN_FINDING_live_lock), fifo);
		world_free();
	}
}
END_TEST

/* Another CPU that it may use, idle or at some other work: its turn will come. */
START_TEST(livelock_needs_all_cpus)
{
	for (unsigned busy = 0; busy < 2; busy++) {
		reset(3, 1);
		world_allowed[0] = 3;
		world_start();
		set_sched(1, 49);
		runs(0, 0);
		call(0, 0, EX);
		at(1); runs(0, 1);
		if (busy)
			runs(1, 2);
		call(1, 0, EX);
		world_finish(30000);
		ck_assert_uint_eq(found_any(), 0);
		world_free();
	}
}
END_TEST

/* Somebody else is at work on the lock: it may be taken, or the sleeper woken. */
START_TEST(livelock_needs_all_inside)
{
	for (unsigned other = 0; other < 2; other++) {
		reset(3, 1);
		world_allowed[0] = 1;
		world_start();
		world_shared[1].policy = SIM_FIFO;
		set_sched(1, 49);
		runs(1, 2);
		if (other)
			take(2, 0, SH);
		runs(0, 0);
		call(0, 0, SH);
		at(1); runs(0, 1);
		call(1, 0, SH);
		if (other)
			unlock_begin(2, 0);
		world_finish(30000);
		ck_assert_uint_eq(found_any(), !other);
		world_free();
	}
}
END_TEST

/* Over two locks, with a sleeper on the way: a is kept off by b, who waits for c, who sleeps in what a holds. */
START_TEST(livelock_over_two_locks)
{
	reset(3, 2);
	world_allowed[0] = 1;
	world_start();
	world_shared[1].policy = SIM_FIFO;
	set_sched(1, 49);
	runs(0, 0);
	take(0, 0, EX);
	runs(1, 2);
	take(2, 1, EX);
	at(1); call(2, 0, EX); sleeps(1, IDLE);
	at(2); runs(0, 1);
	call(1, 1, EX);
	watch_quiet(watch); /* no event is left: it need not have lasted */
	ck_assert_uint_eq(found(RUN_FINDING_live_lock), 1);
	ck_assert_uint_eq(found_any(), 1);
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "live-lock of a b c"));
	ck_assert_ptr_nonnull(strstr(first_finding()->text, "c sleeps in L0"));
	world_finish(30000);
	world_free();
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
	tcase_add_test(t, livelock_of_a_holder_or_taker);
	tcase_add_test(t, livelock_needs_one_who_stays);
	tcase_add_test(t, livelock_of_equals);
	tcase_add_test(t, livelock_needs_all_cpus);
	tcase_add_test(t, livelock_needs_all_inside);
	tcase_add_test(t, livelock_over_two_locks);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
