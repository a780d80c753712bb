// SPDX-License-Identifier: GPL-2.0-or-later
/* The chain walk of the rt_mutex: depth limit (R25), changes under it (R26), contention (R27), every exit. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/test_rtmutex_world.h"

extern const struct lock_model lock_model_rtmutex;

#define END 60 /* units */
#define told world_told
#define not_told world_not_told

static const struct world_task chain_of_four[] = { /* R2 */
	{ "A", 10, 0, 0, "+L1 20 -L1" },
	{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
	{ "C", 30, 0, 2, "+L3 +L2 1 -L2 -L3" },
	{ "D", 40, 0, 3, "+L4 +L3 1 -L3 -L4" },
	{ "E", 50, 0, 4, "+L4 1 -L4" },
	{ NULL },
};

/*
 * R25: the third blocked task is one too many; C and B were boosted by then, A was not,
 * and E takes back what it lent as far as the same limit lets it.
 */
START_TEST(r25_limit)
{
	struct world w = { .params = { 1, 2 } };

	world_run(&w, &lock_model_rtmutex, chain_of_four, 5);
	told(&w, "E blocks on L4 owner D order [E]; effprio D 59->49 (donor E); "
		 "requeue D on L3 as 49 order [D]; effprio C 59->49 (donor D); "
		 "requeue C on L2 as 49 order [C]; effprio B 59->49 (donor C); "
		 "chain stop at B: depth limit; E FAILS on L4 EDEADLK; effprio D 49->59 (none); "
		 "requeue D on L3 as 59 order [D]; effprio C 49->59 (donor D); "
		 "requeue C on L2 as 59 order [C]; effprio B 49->59 (donor C); chain stop at B: depth limit");
	ck_assert_int_eq(world_result(&w, "E"), -EDEADLK);
	ck_assert_int_eq(world_prio(&w, "A"), 59);
	world_finish(&w);
}
END_TEST

/* R25: three blocked tasks need a limit of three; the default is 1024. */
START_TEST(r25_enough)
{
	struct world w = { .params = { 1, 3 } };

	world_run(&w, &lock_model_rtmutex, chain_of_four, END);
	not_told(&w, "depth limit");
	told(&w, "E GETS L4 prio=49");
	ck_assert_str_eq(lock_model_rtmutex.params[1].name, "max_lock_depth");
	ck_assert_uint_eq(lock_model_rtmutex.params[1].fallback, 1024);
	world_finish(&w);
}
END_TEST

/* R26: the walk is about to look at B, which obtains L1 before that: it ends there. */
START_TEST(r26_not_blocked)
{
	static const struct world_task cast[] = {
		{ "A", 50, 0, 0, "+L1 5 -L1" },
		{ "B", 20, 1, 1, "+L2 +L1 5 -L1 -L2" },
		{ "C", 30, 2, 2, "+L2 1 -L2" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "C", "+L2", "rt_mutex_chain_again", 0, 7 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "effprio B 79->69 (donor C)");
	told(&w, "t=5: A RELEASES L1 -> wakes B");
	told(&w, "t=7: chain stop at B: not blocked");
	told(&w, "C GETS L2 prio=69");
	world_finish(&w);
}
END_TEST

/* R26: B blocks on another lock meanwhile: the end too, and its owner was boosted by B itself. */
START_TEST(r26_moved_on)
{
	static const struct world_task cast[] = {
		{ "A", 50, 0, 0, "+L1 5 -L1" },
		{ "B", 20, 1, 1, "+L2 +L1 -L1 +L7 -L7 -L2" },
		{ "C", 30, 2, 2, "+L2 1 -L2" },
		{ "D", 15, 3, 0, "+L7 10 -L7" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "C", "+L2", "rt_mutex_chain_again", 0, 7 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "B blocks on L7 owner D order [B]; effprio D 84->69 (donor B)");
	told(&w, "t=7: chain stop at B: blocked on another lock");
	not_told(&w, "requeue");
	told(&w, "C GETS L2 prio=69");
	world_finish(&w);
}
END_TEST

/* Exits 1: B released the walk's first lock and blocked again on the same next lock. */
START_TEST(exit_first_lock_free)
{
	static const struct world_task cast[] = {
		{ "A", 50, 0, 0, "+L1 5 -L1 @6 +L1 10 -L1" },
		{ "B", 20, 1, 1, "+L2 +L1 -L1 -L2 @7 +L1 -L1" },
		{ "C", 30, 2, 2, "+L2 1 -L2" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "C", "+L2", "rt_mutex_chain_again", 0, 8 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=8: chain stop at B: first lock is free");
	told(&w, "C GETS L2 prio=69");
	world_finish(&w);
}
END_TEST

/* Exits 1: as before, but somebody stole the first lock, so nobody waits for B. */
START_TEST(exit_no_pi_waiters)
{
	static const struct world_task cast[] = {
		{ "A", 50, 0, 0, "+L1 5 -L1 @6 +L1 10 -L1" },
		{ "B", 20, 1, 1, "+L2 +L1 -L1 -L2 @7 +L1 -L1" },
		{ "C", 30, 2, 2, "+L2 1 -L2" },
		{ "F", 60, 3, 6, "+L2 5 -L2" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "C", "+L2", "rt_mutex_chain_again", 0, 8 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "F STEALS L2 from woken top C");
	told(&w, "t=8: chain stop at B: no pi waiters");
	told(&w, "C GETS L2 prio=69");
	world_finish(&w);
}
END_TEST

/* Exits 1: a stronger waiter on another lock of B has come; its own walk does the rest. */
START_TEST(exit_not_top)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 12 -L1" },
		{ "B", 20, 1, 1, "+L2 +L3 +L1 -L1 -L3 -L2" },
		{ "C", 30, 2, 2, "+L2 1 -L2" },
		{ "E", 50, 3, 4, "+L3 1 -L3" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "C", "+L2", "rt_mutex_chain_again", 0, 6 * WORLD_UNIT }, { NULL },
	};
	struct world w = { .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=4: cpu3 runs E prio=49; E blocks on L3 owner B order [E]; effprio B 69->49 (donor E); "
		 "requeue B on L1 as 49 order [B]; effprio A 79->49 (donor B)");
	told(&w, "t=6: chain stop at B: not the top pi waiter");
	world_finish(&w);
}
END_TEST

/* With detection on the same meeting does not end the walk: it goes on, changing nothing. */
START_TEST(search_goes_on)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @8 +L2 -L2 -L1" },
		{ "B", 20, 1, 1, "+L2 +L3 +L1 -L1 -L3 -L2" },
		{ "E", 50, 3, 4, "+L3 1 -L3" },
		{ NULL },
	};
	struct world w = { .params = { 1 } };

	world_run(&w, &lock_model_rtmutex, cast, END);
	told(&w, "t=8: cpu0 runs A prio=49; A blocks on L2 owner B order [A]; "
		 "chain: deadlock found at lock L1; A FAILS on L2 EDEADLK");
	ck_assert_int_eq(world_result(&w, "A"), -EDEADLK);
	world_finish(&w);
}
END_TEST

/*
 * R27: somebody holds L1's wait_lock for five turns while the walk wants it: five tries
 * fail, and all of them are one round of depth (limit 1).
 */
START_TEST(r27)
{
	static const struct world_task cast[] = {
		{ "T", 40, 0, 2, "+L1/9 -L1" },
		{ "A", 10, 1, 0, "+L1 12 -L1" },
		{ "B", 20, 2, 1, "+L2 +L1 -L1 -L2" },
		{ "C", 30, 3, 2, "+L2 1 -L2" },
		{ NULL },
	};
	static const struct world_park parks[] = {
		{ "T", "+L1/9", NULL, 3, 2 * WORLD_UNIT + 5 * SIM_NS }, { NULL },
	};
	struct world w = { .params = { 0, 1 }, .parks = parks };

	world_run(&w, &lock_model_rtmutex, cast, 3);
	ck_assert_uint_eq(world_events(&w, "rtmutex_walk_retry"), 5);
	ck_assert_uint_eq(world_events(&w, "rtmutex_walk"), 1);
	told(&w, "requeue B on L1 as 69 order [T B]");
	not_told(&w, "depth limit");
	world_finish(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rt_mutex: chain walk");
	TCase *tc = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, r25_limit);
	tcase_add_test(tc, r25_enough);
	tcase_add_test(tc, r26_not_blocked);
	tcase_add_test(tc, r26_moved_on);
	tcase_add_test(tc, exit_first_lock_free);
	tcase_add_test(tc, exit_no_pi_waiters);
	tcase_add_test(tc, exit_not_top);
	tcase_add_test(tc, search_goes_on);
	tcase_add_test(tc, r27);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
