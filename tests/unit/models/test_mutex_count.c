// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The count mutexes against the golden behaviours M1-M8 and M12-M15, in the versions
 * a = 2.6.16, b = 2.6.30, c = 3.10, d = 3.15, and the patches between c and d one by one.
 * As there, nothing costs anything but W = 2 (M6: 3) between being woken and running.
 */
#include <check.h>
#include <errno.h>

#include "tests/unit/models/harness.h"

enum version { A, B, C, C13, D, VERSIONS };

static const char *const model[] = {
	[A] = "mutex-2.6.16", [B] = "mutex-2.6.30", [C] = "mutex-3.10", [C13] = "mutex-3.13", [D] = "mutex-3.15",
};

static void open_params(unsigned ncpus, int w, const char *name, const char *params)
{
	bench_open(ncpus);
	bench_cost("idle_exit", (sim_time)w * U);
	bench_lock_params("L", name, params);
}

static void open_m(unsigned ncpus, int w, int version)
{
	open_params(ncpus, w, model[version], NULL);
}

static void run_m(void)
{
	bench_run(100);
	ck_assert(bench_done());
}

static void close_m(void)
{
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

static int count_at(sim_time at)
{
	return (int)(uint32_t)bench_word("L", at);
}

START_TEST(m1_fifo_among_sleepers)
{
	static const int half[] = { 0, 1, 3, 13, 15, 16, 18, 21, 22 }, count[] = { 0, -1, -1, 1, -1, 1, -1, 0, 1 };

	open_m(5, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 1; unlock L");
	bench_task("Z", 4, 0, 0, "run 30"); /* keeps the clock going */
	for (unsigned i = 0; i < 9; i++)
		bench_probe("L", (sim_time)half[i] * U + U / 2);
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 0, B 15, C 18, D 21");
	ck_assert_int_eq(bench_released("A", 1), 13);
	ck_assert_int_eq(bench_released("D", 1), 22);
	for (unsigned i = 0; i < 9; i++)
		if (_i == A || half[i] != 3) /* later versions need not swap a count that is negative */
			ck_assert_int_eq(count_at((sim_time)half[i] * U + U / 2), count[i]);
	ck_assert_str_eq(bench_probed("L", 3 * U + U / 2), "A [B C D]");
	ck_assert_str_eq(bench_probed("L", 13 * U + U / 2), "NULL [B C D]");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 3); /* D's release is a fast one */
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), 3);
	if (_i >= C)
		ck_assert_uint_eq(bench_event("L", "mutex_spin_refused"), 3);
	else if (_i == B)
		ck_assert_uint_eq(bench_event("L", "mutex_spin_fail"), 3);
	close_m();
}
END_TEST

START_TEST(m2_stealing)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 3; unlock L");
	bench_task("E", 3, 0, 16, "lock L; run 1; unlock L");
	bench_probe("L", 16 * U + U / 2);
	run_m();
	if (_i == A) {
		ck_assert_str_eq(bench_grants("L"), "A 0, D 14, B 19, E 22");
		ck_assert_str_eq(bench_probed("L", 16 * U + U / 2), "D [B E]"); /* B at the head again */
		ck_assert_uint_eq(bench_event("L", "mutex_steal"), 1);
	} else {
		ck_assert_str_eq(bench_grants("L"), "A 0, D 14, E 17, B 19");
		ck_assert_str_eq(bench_probed("L", 16 * U + U / 2), "D [B]");
		ck_assert_uint_eq(bench_event("L", "mutex_steal"), 2);
		ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 1);
	}
	ck_assert_uint_eq(bench_event("L", "mutex_lost"), 1);
	close_m();
}
END_TEST

START_TEST(m3_owner_that_relocks)
{
	open_m(2, 2, _i);
	bench_task("A", 0, 0, 0,
		   "lock L; park 10; run 1; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L;"
		   "lock L; run 3; unlock L; lock L; run 3; unlock L; lock L; run 3; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 0, A 13, A 16, A 19, A 22, A 25, B 30");
	ck_assert_int_eq(bench_released("A", 6), 28);
	ck_assert_uint_eq(bench_event("L", "mutex_lost"), 5);
	close_m();
}
END_TEST

START_TEST(m4_order_of_spinners)
{
	static const char *const grants[] = { [A] = "A 0, B 12, C 16, D 20", [B] = "A 0, D 10, C 12, B 14",
					      [C] = "A 0, B 10, C 12, D 14", [C13] = "A 0, B 10, C 12, D 14",
					      [D] = "A 0, B 10, C 12, D 14" };

	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 3, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 1, 0, 3, "lock L; run 2; unlock L");
	bench_probe("L", 5 * U);
	run_m();
	ck_assert_str_eq(bench_grants("L"), grants[_i]);
	if (_i > A) {
		ck_assert_int_eq(count_at(5 * U), -3);
		ck_assert_str_eq(bench_probed("L", 5 * U), "A");
		/* the first unlock finds -3 and nobody queued, the others are fast */
		ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 1);
		ck_assert_uint_eq(bench_event("L", "mutex_unlock_idle"), 1);
		ck_assert_uint_eq(bench_event("L", "mutex_spin_acquired"), 3);
		ck_assert_uint_eq(bench_event("L", "mutex_queued"), 0);
	}
	close_m();
}
END_TEST

START_TEST(m5_owner_sleeps_under_spinners)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; run 5; park 20; run 2; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_probe("L", 4 * U);
	bench_probe("L", 6 * U);
	run_m();
	ck_assert_str_eq(bench_probed("L", 4 * U), _i == A ? "A [B C D]" : "A");
	ck_assert_str_eq(bench_probed("L", 6 * U), "A [B C D]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 26, C 30, D 34");
	if (_i > A)
		ck_assert_uint_eq(bench_event("L", "mutex_spin_fail"), 3);
	close_m();
}
END_TEST

static void m6_tasks(void)
{
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 3");
	bench_probe("L", 7 * U);
	bench_probe("L", 9 * U);
}

/*
 * c: K is kept out until C becomes the head of the queue, gives up at once and sleeps.
 * The trace that this is taken from lets C run W after it was woken at 12, whether or not
 * its CPU is idle then, so that it has the lock at 15. Here it runs when K stops, at 13,
 * finds D, and is woken again at 14. In a the CPU of K is idle.
 */
START_TEST(m6_need_resched_for_a_queued_spinner)
{
	static const struct {
		const char *grants, *at7, *at9;
		int k;
	} want[] = {
		[A] = { "A 0, B 13, C 18, D 23", "A [B C D]", "A [B C D]", 8 },
		[B] = { "A 0, B 10, D 12, C 17", "A [C]", "A [C]", 5 },
		[C] = { "A 0, B 10, D 12, C 17", "A", "A", 10 },
		[C13] = { "A 0, B 10, D 12, C 17", "A", "A", 10 },
		[D] = { "A 0, B 10, D 12, C 17", "A", "A [C]", 5 },
	};

	open_m(4, 3, _i);
	m6_tasks();
	run_m();
	ck_assert_int_eq(bench_ran("K", 1), want[_i].k);
	ck_assert_str_eq(bench_probed("L", 7 * U), want[_i].at7);
	ck_assert_str_eq(bench_probed("L", 9 * U), want[_i].at9);
	ck_assert_str_eq(bench_grants("L"), want[_i].grants);
	if (_i == D) {
		ck_assert_uint_eq(bench_event("L", "mutex_osq_cancel"), 1);
		ck_assert_uint_eq(bench_event("L", "mutex_resched"), 1);
	}
	close_m();
}
END_TEST

/* As above, but K keeps the CPU until 15. */
START_TEST(m6_the_uncancellable_queue)
{
	open_m(4, 3, _i);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 3, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 5");
	run_m();
	ck_assert_int_eq(bench_ran("K", 1), 10);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, D 12, C 15");
	ck_assert_uint_eq(bench_event("L", "mutex_lost"), 0);
	close_m();
}
END_TEST

/* The OSQ alone lets K in at 5, but then C has queued first. */
START_TEST(m6_osq_without_the_reschedule_point)
{
	open_params(4, 3, "mutex-3.13", "osq=1 queue_once=1");
	m6_tasks();
	run_m();
	ck_assert_int_eq(bench_ran("K", 1), 5);
	ck_assert_str_eq(bench_probed("L", 7 * U), "A [C]");
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, D 12, C 17");
	ck_assert_uint_eq(bench_event("L", "mutex_osq_cancel"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_resched"), 0);
	close_m();
}
END_TEST

START_TEST(m7_no_handoff_to_a_sleeper)
{
	open_m(4, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("D", 2, 0, 14, "lock L; run 2; park 20; run 2; unlock L");
	bench_task("E", 3, 0, 23, "lock L; run 1; unlock L");
	run_m();
	ck_assert_str_eq(bench_grants("L"), _i == A ? "A 0, D 14, B 26, E 29" : "A 0, D 14, E 24, B 26");
	close_m();
}
END_TEST

/* The owner has let go, and E on its fast path is faster than the next look of B, who spins. */
static void m8(const char *name, const char *params, bool survives)
{
	open_params(3, 2, name, params);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("E", 1, 0, 4, "run 6; lock L; run 3; unlock L");
	bench_task("B", 2, 0, 1, "lock L; run 1; unlock L");
	bench_probe("L", 11 * U);
	run_m();
	ck_assert_str_eq(bench_probed("L", 11 * U), survives ? "E" : "E [B]");
	ck_assert_str_eq(bench_grants("L"), survives ? "A 0, E 10, B 13" : "A 0, E 10, B 15");
	ck_assert_uint_eq(bench_event("L", "mutex_spin_fail"), !survives);
	close_m();
}

START_TEST(m8_barging_at_the_release)
{
	m8("mutex-2.6.30", NULL, true);
	m8("mutex-2.6.30", "owner_change=1", false);
	m8("mutex-3.10", NULL, false);
	m8("mutex-3.13", NULL, false);
	m8("mutex-3.15", NULL, false);
	m8("mutex-3.15", "keep_spinning=1", true);
	m8("mutex-3.15", "keep_spinning=1 wake_q=1", true);
}
END_TEST

/*
 * D takes and lets go before B, who was woken, has run: the wake-up that is under way is
 * enough for B, and B's slow unlock wakes C.
 */
START_TEST(m12_no_lost_wakeup)
{
	open_m(4, 4, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("D", 3, 0, 16, "lock L; run 1; unlock L");
	bench_probe("L", 16 * U + U / 2);
	bench_probe("L", 17 * U + U / 2);
	bench_probe("L", 19 * U + U / 2);
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 0, D 16, B 19, C 24");
	ck_assert_int_eq(count_at(16 * U + U / 2), 0);
	ck_assert_int_eq(count_at(17 * U + U / 2), 1);
	ck_assert_int_eq(count_at(19 * U + U / 2), -1);
	ck_assert_str_eq(bench_probed("L", 19 * U + U / 2), "B [C]");
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 2); /* A's and B's */
	ck_assert_uint_eq(bench_event("L", "mutex_lost"), 0);
	close_m();
}
END_TEST

/* One CPU. A has won the count, and is preempted by R before it has put its name down. */
START_TEST(m13_rt_task_in_the_null_owner_window)
{
	bench_open(1);
	bench_cost("line", 4 * U);
	bench_lock("L", model[_i]);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("R", 0, 50, 2, "lock L; run 1; unlock L"); /* let in behind the decrement, which takes until 4 */
	bench_run(500); /* everything costs something here, so times mean nothing */
	ck_assert(bench_done());
	ck_assert_uint_eq(bench_event("L", "mutex_spin"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_spin_null"), 1);
	ck_assert_int_lt(bench_granted("A", 1), bench_granted("R", 1));
	close_m();
}
END_TEST

START_TEST(m14_no_priority_anywhere)
{
	open_m(3, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("W1", 1, 10, 1, "lock L; run 1; unlock L");
	bench_task("W2", 2, 80, 2, "lock L; run 1; unlock L");
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 0, W1 15, W2 18");
	close_m();
}
END_TEST

START_TEST(m15_unbounded_inversion)
{
	open_m(1, 0, _i);
	bench_task("Lo", 0, 10, 0, "lock L; run 5; unlock L; run 2");
	bench_task("Hi", 0, 30, 1, "lock L; run 1; unlock L; run 1");
	bench_task("Me", 0, 20, 2, "run 10");
	run_m();
	ck_assert_str_eq(bench_grants("L"), "Lo 0, Hi 15");
	close_m();
}
END_TEST

/* The count stays negative: one more slow unlock, for nobody. */
START_TEST(a_signal_leaves_the_count_negative)
{
	open_m(3, 2, _i);
	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("B", 1, 0, 1, "lock L intr; run 1; unlock L");
	bench_task("S", 2, 0, 5, "signal B");
	bench_probe("L", 9 * U);
	run_m();
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_str_eq(bench_probed("L", 9 * U), "A");
	ck_assert_int_eq(count_at(9 * U), -1);
	ck_assert_uint_eq(bench_event("L", "mutex_eintr"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_slow"), 1);
	ck_assert_uint_eq(bench_event("L", "mutex_unlock_idle"), 1);
	ck_assert_str_eq(bench_state("L"), "NULL");
	close_m();
}
END_TEST

START_TEST(trylock)
{
	open_m(2, 2, _i);
	bench_task("A", 0, 0, 0, "try L; run 5; unlock L");
	bench_task("T", 1, 0, 3, "try L; unlock L; park 6; try L; unlock L");
	run_m();
	ck_assert_int_eq(bench_result("T", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("L"), "A 0, T 8");
	close_m();
}
END_TEST

/* -- the patches of February 2014, one at a time ------------------------------------------------- */

/*
 * 2/8. C, with a reschedule due (it cannot be acted on: preemption is off from the first
 * line of the slow path), does not join the spinners behind B.
 */
static void can_spin(const char *params, int k_runs)
{
	open_params(3, 2, "mutex-3.13", params);
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_stop_at("C", "mutex-slow", 1, 6);
	bench_task("K", 2, 50, 4, "run 3");
	run_m();
	ck_assert_int_eq(bench_ran("K", 1), k_runs);
	ck_assert_uint_eq(bench_event("L", "mutex_spin_refused"), k_runs == 6);
	close_m();
}

START_TEST(patch_2_no_spinning_when_a_reschedule_is_due)
{
	can_spin("can_spin_resched=0", 10);
	can_spin("can_spin_resched=1", 6);
}
END_TEST

/*
 * 3/8. B is the head of the queue and finds the count gone but no owner yet: A stands
 * between the two. Without the patch it lets C look, and comes back behind it.
 */
static void queue_once(const char *params, const char *grants, bool requeues)
{
	open_params(3, 2, "mutex-3.13", params);
	bench_task("A", 0, 0, 0, "lock L; run 2; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_stop_access("A", 1, 2, 4);
	run_m();
	ck_assert_str_eq(bench_grants("L"), grants);
	ck_assert_int_eq(bench_event("L", "mutex_requeue") > 0, requeues);
	close_m();
}

START_TEST(patch_3_queue_once)
{
	queue_once("queue_once=1", "A 4, B 6, C 8", false);
	queue_once("queue_once=1 osq=1", "A 4, B 6, C 8", false);
	open_params(3, 2, "mutex-3.13", NULL);
	bench_task("A", 0, 0, 0, "lock L; run 2; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_stop_access("A", 1, 2, 4);
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 4, B 6");
	ck_assert_uint_gt(bench_event("L", "mutex_requeue"), 1);
	close_m();
}
END_TEST

/* 4/8. A is between the count and wait_lock; with the patch the mutex is free already. */
static void unlock_early(const char *params, const char *grants)
{
	open_params(3, 2, "mutex-3.13", params);
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_stop_at("A", "mutex-unlock-wake", 1, 9);
	run_m();
	ck_assert_str_eq(bench_grants("L"), grants);
	close_m();
}

START_TEST(patch_4_unlock_without_wait_lock)
{
	unlock_early("unlock_early=0 queue_once=1", "A 0, B 9, C 11");
	unlock_early("unlock_early=1 queue_once=1", "A 0, B 5, C 7");
}
END_TEST

/* 6/8: see M6; without the OSQ it is the head of the queue that reschedules before it joins the sleepers. */
START_TEST(patch_6_extra_reschedule_point)
{
	open_params(3, 2, "mutex-3.13", "extra_resched=1");
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 5, "run 3");
	bench_probe("L", 7 * U);
	bench_probe("L", 9 * U);
	run_m();
	ck_assert_str_eq(bench_probed("L", 7 * U), "A");
	ck_assert_str_eq(bench_probed("L", 9 * U), "A [C]");
	ck_assert_uint_eq(bench_event("L", "mutex_resched"), 1);
	close_m();
}
END_TEST

/* Without spinning there is no such point either. */
START_TEST(no_reschedule_point_without_spinning)
{
	open_params(3, 2, "mutex-3.15", "spin_on_owner=0");
	bench_task("A", 0, 0, 0, "lock L; run 10; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_task("K", 2, 50, 4, "run 3");
	bench_stop_at("C", "mutex-slow", 1, 6);
	bench_probe("L", 7 * U);
	run_m();
	ck_assert_int_eq(bench_ran("K", 1), 6);
	ck_assert_str_eq(bench_probed("L", 7 * U), "A [C]");
	ck_assert_uint_eq(bench_event("L", "mutex_resched"), 0);
	close_m();
}
END_TEST

/* From 2.6.30 on the owner is noted (the second access of a fast lock) whether or not anybody spins. */
START_TEST(the_owner_is_noted_without_spinning)
{
	open_params(1, 2, model[_i], _i == A ? NULL : "spin_on_owner=0");
	bench_task("A", 0, 0, 0, "lock L; run 2; unlock L");
	bench_stop_access("A", 1, 2, 4);
	run_m();
	ck_assert_str_eq(bench_grants("L"), _i == A ? "A 0" : "A 4");
	close_m();
}
END_TEST

/* 3.12: A lets go while C, done with spinning, is on its way to wait_lock. */
static void once_more(const char *name, bool queued)
{
	open_params(3, 2, name, NULL);
	bench_task("A", 0, 0, 0, "lock L; park 4; run 2; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 2; unlock L");
	bench_stop_at("C", "mutex-queue", 1, 9);
	run_m();
	ck_assert_str_eq(bench_grants("L"), "A 0, C 9");
	ck_assert_uint_eq(bench_event("L", "mutex_once_more"), !queued);
	ck_assert_uint_eq(bench_event("L", "mutex_queued"), queued);
	close_m();
}

START_TEST(once_more_under_wait_lock)
{
	once_more("mutex-3.10", true);
	once_more("mutex-3.13", false);
	once_more("mutex-3.15", false);
}
END_TEST

/* Every poll executed, priced raw locks: the same order. */
START_TEST(polling_changes_nothing)
{
	static const struct {
		const char *raw, *grants;
		int version;
	} run[] = { { NULL, "A 0, B 10, D 12, C 17", B },	 { "ticket", "A 0, B 10, D 12, C 17", B },
		    { NULL, "A 0, B 10, D 12, C 17", C },	 { "qspinlock", "A 0, B 10, D 12, C 17", C13 },
		    { "qspinlock", "A 0, B 10, D 12, C 17", D }, { "tas", "A 0, B 13, C 18, D 23", A } };

	bench_open(4);
	bench_poll();
	if (run[_i].raw)
		bench_rawspin(run[_i].raw);
	bench_cost("idle_exit", 3 * U);
	bench_lock("L", model[run[_i].version]);
	m6_tasks();
	run_m();
	ck_assert_str_eq(bench_grants("L"), run[_i].grants);
	close_m();
}
END_TEST

static void add_patches(TCase *t)
{
	tcase_add_loop_test(t, m6_the_uncancellable_queue, C, D);
	tcase_add_test(t, m6_osq_without_the_reschedule_point);
	tcase_add_test(t, patch_2_no_spinning_when_a_reschedule_is_due);
	tcase_add_test(t, patch_3_queue_once);
	tcase_add_test(t, patch_4_unlock_without_wait_lock);
	tcase_add_test(t, patch_6_extra_reschedule_point);
	tcase_add_test(t, once_more_under_wait_lock);
	tcase_add_test(t, no_reschedule_point_without_spinning);
	tcase_add_loop_test(t, the_owner_is_noted_without_spinning, 0, VERSIONS);
}

int main(void)
{
	Suite *s = suite_create("mutex_count");
	TCase *t = tcase_create("golden"), *patches = tcase_create("patches");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, m1_fifo_among_sleepers, 0, VERSIONS);
	tcase_add_loop_test(t, m2_stealing, 0, VERSIONS);
	tcase_add_loop_test(t, m3_owner_that_relocks, 0, VERSIONS);
	tcase_add_loop_test(t, m4_order_of_spinners, 0, VERSIONS);
	tcase_add_loop_test(t, m5_owner_sleeps_under_spinners, 0, VERSIONS);
	tcase_add_loop_test(t, m6_need_resched_for_a_queued_spinner, 0, VERSIONS);
	tcase_add_loop_test(t, m7_no_handoff_to_a_sleeper, 0, VERSIONS);
	tcase_add_test(t, m8_barging_at_the_release);
	tcase_add_loop_test(t, m12_no_lost_wakeup, 0, VERSIONS);
	tcase_add_loop_test(t, m13_rt_task_in_the_null_owner_window, B, VERSIONS);
	tcase_add_loop_test(t, m14_no_priority_anywhere, 0, VERSIONS);
	tcase_add_loop_test(t, m15_unbounded_inversion, 0, VERSIONS);
	tcase_add_loop_test(t, a_signal_leaves_the_count_negative, 0, VERSIONS);
	tcase_add_loop_test(t, trylock, 0, VERSIONS);
	tcase_add_loop_test(t, polling_changes_nothing, 0, 6);
	add_patches(patches);
	suite_add_tcase(s, t);
	suite_add_tcase(s, patches);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
