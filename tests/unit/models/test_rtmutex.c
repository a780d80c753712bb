// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rt_mutex checks that the specification gives without a trace (R24, R28 to R31, R33), the
 * parking of undetected deadlocks, the RT spinlock's kept sleep state, and the model's own
 * invariant. R25 to R27 are in test_rtmutex_walk.c.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/test_rtmutex_world.h"

#include "models/rtmutex_private.h"

extern const struct lock_model lock_model_rtmutex, lock_model_rtspinlock, lock_model_semaphore;

#define END 60 /* units */
#define told world_told
#define not_told world_not_told

/* R24: a signal to the interruptible top waiter: like the timeout of R5. */
START_TEST(r24)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L 1" },
		{ "M", 20, 0, 1, "+L 1 -L" },
		{ "K", 60, 0, 2, "1" },
		{ "N", 30, 0, 3, "2" },
		{ "H", 40, 1, 2, "+L! 1 -L" },
		{ "#1", 99, 2, 5, "!H" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtmutex, cast, END);
	world_expect(&w, "t=0: cpu0 runs O prio=89; O GETS L fast\n"
			 "t=1: cpu0 runs M prio=79; M blocks on L owner O order [M]; "
			 "effprio O 89->79 (donor M); cpu0 runs O prio=79\n"
			 "t=2: cpu0 runs K prio=39; cpu1 runs H prio=59; H blocks on L owner O order [H M]; "
			 "effprio O 79->59 (donor H)\n"
			 "t=3: cpu0 runs O prio=59\n"
			 "t=5: cpu1 runs H prio=59; H FAILS on L EINTR; effprio O 59->79 (donor M); "
			 "cpu0 runs N prio=69\n"
			 "t=7: cpu0 runs O prio=79\n"
			 "t=13: O RELEASES L -> wakes M; effprio O 79->89 (none); cpu0 runs M prio=79; "
			 "M GETS L prio=79\n"
			 "t=14: M RELEASES L fast; cpu0 runs O prio=89");
	ck_assert_int_eq(world_result(&w, "H"), -EINTR);
	world_finish(&w);
}
END_TEST

/* R24: a lock that became free first is taken, and the signal stays pending. */
START_TEST(r24_free_first)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L 1" },
		{ "H", 40, 0, 2, "+L! 1 -L" },
		{ "#1", 99, 1, 5, "!H" },
		{ NULL },
	};
	struct world w = { 0 };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=10: O RELEASES L -> wakes H; effprio O 59->89 (none); cpu0 runs H prio=59; "
		 "H GETS L prio=59");
	ck_assert_int_eq(world_result(&w, "H"), 0);
	ck_assert(w.tasks[1]->sigpending);
	world_finish(&w);
}
END_TEST

/*
 * R28: O's fast unlock fails because H waits; H times out before O has wait_lock; O clears
 * bit 0, but N comes before its compare-and-swap: it must try again and wake N.
 */
START_TEST(r28)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 5 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "H", 20, 1, 2, "+L/6" },
		{ "N", 30, 2, 10, "+L 1 -L" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "O", "-L", "rt_mutex_slowunlock", 0, 9 * WORLD_UNIT },
		{ "O", "-L", "rt_mutex_unlock_retry", 0, 11 * WORLD_UNIT },
		{ NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=7: O RELEASES L -> wakes N\n");
	told(&w, "H FAILS on L ETIMEDOUT; effprio O 79->89 (none)");
	told(&w, "t=10: cpu2 runs N prio=69; N blocks on L owner O order [N]; effprio O 89->69 (donor N)");
	told(&w, "N GETS L prio=69");
	world_finish(&w);
}
END_TEST

/* R28 without N: the second compare-and-swap succeeds and nobody is woken. */
START_TEST(r28_nobody)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 5 -L +L -L" },
		{ "K", 50, 0, 1, "2" },
		{ "H", 20, 1, 2, "+L/6" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "O", "-L", "rt_mutex_slowunlock", 0, 9 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "H FAILS on L ETIMEDOUT; effprio O 79->89 (none)");
	told(&w, "t=9: O GETS L fast"); /* bit 0 is clear again */
	ck_assert_uint_eq(world_events(&w, "rtmutex_lock_fast"), 2);
	ck_assert_uint_eq(world_events(&w, "rtmutex_wake"), 0);
	world_finish(&w);
}
END_TEST

/* R29: a trylock neither queues nor boosts; it steals from a woken weaker top waiter, not from an equal. */
START_TEST(r29)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "S", 60, 2, 4, "?L" },
		{ "E", 20, 0, 7, "?L" },
		{ "H", 30, 0, 8, "?L 1 -L" },
		{ "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtmutex, cast, END);
	ck_assert_int_eq(world_result(&w, "S"), -EBUSY);
	ck_assert_int_eq(world_result(&w, "E"), -EBUSY);
	ck_assert_int_eq(world_result(&w, "H"), 0);
	not_told(&w, "donor S");
	not_told(&w, "S blocks");
	not_told(&w, "E blocks");
	told(&w, "H STEALS L from woken top W1; H GETS L slow-trylock");
	world_finish(&w);
}
END_TEST

/* R30: a nice -20 waiter lends its number, not its weight. */
START_TEST(r30)
{
	static const struct world_task cast[] = {
		{ "O", FAIR, 0, 0, "+L 10 -L" },
		{ "W", NICE(-20), 1, 1, "+L 1 -L" },
		{ NULL },
	};
	struct world w = { 0 };
	unsigned weight;

	world_run(&w, &lock_model_rtmutex, cast, 5);
	weight = w.tasks[0]->weight;
	told(&w, "W blocks on L owner O order [W]; effprio O 120->100 (donor W)");
	ck_assert_int_eq(world_prio(&w, "O"), 100);
	ck_assert_int_eq(w.tasks[0]->shared->static_prio, 120);
	ck_assert_uint_eq(w.tasks[0]->shared->policy, SIM_NORMAL);
	ck_assert_uint_eq(weight, 1024);
	world_finish(&w);
}
END_TEST

/* R31: no owner, no inheritance: with a semaphore in R1, Hi gets it when Me and Lo have done. */
START_TEST(r31)
{
	static const struct world_task cast[] = {
		{ "Lo", 10, 0, 0, "+L 5 -L 2" },
		{ "Hi", 30, 0, 1, "+L 1 -L 1" },
		{ "Me", 20, 0, 2, "10" },
		{ NULL },
	};
	struct world w = { .params = { 1 } };

	world_run(&w, &lock_model_semaphore, cast, END);
	not_told(&w, "effprio");
	told(&w, "t=2: cpu0 runs Me prio=79\n");
	told(&w, "t=12: cpu0 runs Lo prio=89\n");
	told(&w, "t=15: Lo RELEASES L fast; cpu0 runs Hi prio=69; Hi GETS L prio=69\n");
	world_finish(&w);
}
END_TEST

/* R33: a timeout during the spin is noticed after it; if the owner lets go first, the waiter has the lock. */
START_TEST(r33_timeout)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },
		{ "W", 20, 1, 1, "+L/3 1 -L" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "W spins on running owner O");
	told(&w, "t=4: timer fires for W");
	told(&w, "W GETS L prio=79");
	not_told(&w, "FAILS");
	ck_assert_int_eq(world_result(&w, "W"), 0);
	ck_assert_uint_eq(world_events(&w, "rtmutex_sleep"), 0);
	world_finish(&w);
}
END_TEST

/* R33 with an owner that is preempted: the spin ends at 6, and only then the timeout of 4 is noticed. */
START_TEST(r33_preempted)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },
		{ "K", 50, 0, 6, "2" },
		{ "W", 20, 1, 1, "+L/3 1 -L" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=4: timer fires for W\n");
	told(&w, "W FAILS on L ETIMEDOUT; effprio O 79->89 (none)");
	ck_assert_int_eq(world_result(&w, "W"), -ETIMEDOUT);
	ck_assert_uint_eq(world_events(&w, "rtmutex_sleep"), 1);
	world_finish(&w);
}
END_TEST

/* R33 with a signal. */
START_TEST(r33_signal)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },
		{ "W", 20, 1, 1, "+L! 1 -L" },
		{ "#1", 99, 2, 4, "!W" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "W GETS L prio=79");
	ck_assert_int_eq(world_result(&w, "W"), 0);
	world_finish(&w);
}
END_TEST

/* R22: W1 stops spinning when W2 becomes the top waiter, W2 when the owner is preempted: each sleeps once. */
START_TEST(r22_sleeps)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },	 { "K", 50, 0, 4, "2" },
		{ "W1", 20, 1, 0, "1 +L 1 -L" }, { "W2", 30, 2, 0, "2 +L 1 -L" },
		{ NULL },
	};
	const sim_time until[] = { 2, 3, 4, 5 };
	const unsigned long sleeps[] = { 0, 1, 1, 2 };

	for (unsigned i = 0; i < 4; i++) {
		struct world w = { .poll = _i };

		world_run(&w, &lock_model_rtmutex, cast, until[i]);
		ck_assert_uint_eq(world_events(&w, "rtmutex_sleep"), sleeps[i]);
		world_finish(&w);
	}
}
END_TEST

/* A deadlock that the minimal walk finds by chance: the task never comes back, not even for a signal. */
START_TEST(parked_for_ever)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L1 1 -L1 -L2" },
		{ "#1", 99, 1, 20, "!B" },
		{ NULL },
	};
	struct world w = { 0 };

	world_run(&w, &lock_model_rtmutex, cast, END);
	ck_assert_uint_eq(world_events(&w, "rtmutex_parked"), 1);
	ck_assert_uint_eq(w.tasks[1]->shared->__state, SIM_TASK_UNINTERRUPTIBLE);
	ck_assert(!w.tasks[1]->on_rq);
	ck_assert(!w.tasks[0]->on_rq);
	world_finish(&w);
}
END_TEST

/* Locking what one owns, without detection: parked as well. */
START_TEST(self_deadlock)
{
	static const struct world_task cast[] = { { "A", 10, 0, 0, "+L +L 1 -L" }, { NULL } };
	struct world w = { 0 };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "A FAILS on L EDEADLK");
	ck_assert_uint_eq(world_events(&w, "rtmutex_parked"), 1);
	world_finish(&w);
}
END_TEST

/* The RT spinlock keeps the state in which its taker was about to sleep. */
START_TEST(rtlock_state_kept)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L" },
		{ "K", 50, 0, 1, "1" },
		{ "W", 20, 1, 1, "&L 1" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtspinlock, cast, END);
	told(&w, "t=5: O RELEASES L -> wakes W");
	told(&w, "W GETS L prio=79");
	ck_assert_uint_eq(w.tasks[2]->shared->__state, SIM_TASK_INTERRUPTIBLE); /* asleep in its own wait */
	ck_assert(!w.tasks[2]->exited);
	world_finish(&w);
}
END_TEST

/* The wake-up that it was about to wait for comes while it waits for the lock: it is not lost. */
START_TEST(rtlock_wakeup_kept)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L" },
		{ "K", 50, 0, 1, "1" },
		{ "W", 20, 1, 1, "&L 1" },
		{ "#1", 99, 2, 3, "%W" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtspinlock, cast, END);
	not_told(&w, "t=3: cpu1 runs W");
	told(&w, "W GETS L prio=79");
	ck_assert(w.tasks[2]->exited);
	world_finish(&w);
}
END_TEST

/* RT tasks do not steal laterally, whatever the flavour. */
START_TEST(rtlock_no_lateral_for_rt)
{
	static const struct world_task cast[] = {
		{ "O", 20, 0, 0, "+L 4 -L +L 1 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtspinlock, cast, END);
	told(&w, "O blocks on L owner None order [W1 O]");
	not_told(&w, "STEALS");
	world_finish(&w);
}
END_TEST

/* An RT spinlock's holder may not migrate; a boost crosses from one flavour to the other. */
START_TEST(rtlock_chain)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 10 -L1" },
		{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "C", 30, 1, 2, "+L2 1 -L2" },
		{ NULL },
	};
	struct world w = { .loose = true };

	world_run(&w, &lock_model_rtspinlock, cast, 5);
	told(&w, "effprio B 79->69 (donor C); requeue B on L1 as 69 order [B]; effprio A 79->69 (donor B)");
	ck_assert_uint_eq(w.tasks[0]->migrate_off, 1);
	ck_assert_uint_eq(w.tasks[1]->migrate_off, 1);
	ck_assert_uint_eq(w.tasks[2]->migrate_off, 0);
	world_finish(&w);
}
END_TEST

/* The invariant is not fooled: each way to break a lock with two waiters has its own answer. */
START_TEST(broken)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },
		{ "M", 20, 1, 1, "+L" },
		{ "H", 40, 2, 2, "+L" },
		{ NULL },
	};
	const struct lock_model *m = &lock_model_rtmutex;
	struct world w = { 0 };
	struct rt_mutex_base *lock;
	struct rt_mutex_waiter *top;
	struct task_struct *owner;

	world_run(&w, m, cast, 5);
	lock = w.locks[0];
	owner = lock->owner;
	top = rt_mutex_top_waiter(lock);
	ck_assert_ptr_null(m->broken(lock));

	lock->owner = rt_mutex_owner(lock);
	ck_assert_str_eq(m->broken(lock), "waiters are queued but HAS_WAITERS is clear");
	lock->owner = owner;

	top->tree.prio = 100;
	ck_assert_str_eq(m->broken(lock), "waiters are out of order");
	top->tree.prio = 59;

	top->task->pi_blocked_on = NULL;
	ck_assert_str_eq(m->broken(lock), "a queued waiter is not what its task is blocked on");
	top->task->pi_blocked_on = top;

	rt_mutex_owner(lock)->pi_waiters = RB_ROOT_CACHED;
	ck_assert_str_eq(m->broken(lock), "the top waiter is not in the owner's pi_waiters");
	world_finish(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rt_mutex: rules");
	TCase *tc = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, r24);
	tcase_add_test(tc, r24_free_first);
	tcase_add_test(tc, r28);
	tcase_add_test(tc, r28_nobody);
	tcase_add_test(tc, r29);
	tcase_add_test(tc, r30);
	tcase_add_test(tc, r31);
	tcase_add_test(tc, r33_timeout);
	tcase_add_test(tc, r33_preempted);
	tcase_add_test(tc, r33_signal);
	tcase_add_loop_test(tc, r22_sleeps, 0, 2);
	tcase_add_test(tc, parked_for_ever);
	tcase_add_test(tc, self_deadlock);
	tcase_add_test(tc, rtlock_state_kept);
	tcase_add_test(tc, rtlock_wakeup_kept);
	tcase_add_test(tc, rtlock_no_lateral_for_rt);
	tcase_add_test(tc, rtlock_chain);
	tcase_add_test(tc, broken);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
