// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rtmutex-2.6.31: pending owners, who robs them, and whom those behind them boost. The casts
 * are those of the golden traces of the later rtmutex; the stories were derived from the
 * rules of 2.6.31.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/models/test_rtmutex_world.h"

extern const struct lock_model lock_model_rtmutex_2_6_31;

static void golden(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ 0 }, &lock_model_rtmutex_2_6_31, cast, story);
}

static void golden_params(const struct world_task *cast, unsigned lateral, unsigned adaptive, const char *story)
{
	world_golden((struct world){ .loose = true, .params = { 0, 0, lateral, adaptive } }, &lock_model_rtmutex_2_6_31,
		     cast, story);
}

/* R1: unlock wakes in the boosted mode and goes back to normal afterwards. */
START_TEST(r1_bounded_inversion)
{
	static const struct world_task cast[] = {
		{ "Lo", 10, 0, 0, "+L 5 -L 2" },
		{ "Hi", 30, 0, 1, "+L 1 -L 1" },
		{ "Me", 20, 0, 2, "10" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs Lo prio=89; Lo GETS L fast\n"
		"t=1: cpu0 runs Hi prio=69; Hi blocks on L owner Lo order [Hi]; "
		"effprio Lo 89->69 (donor Hi); cpu0 runs Lo prio=69\n"
		"t=5: Lo RELEASES L -> wakes Hi; effprio Lo 69->89 (none); cpu0 runs Hi prio=69; "
		"Hi GETS L prio=69\n"
		"t=6: Hi RELEASES L fast\n"
		"t=7: cpu0 runs Me prio=79\n"
		"t=17: cpu0 runs Lo prio=89");
}
END_TEST

/* R2, the first four of its tasks */
START_TEST(r2_chain)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 20 -L1" },
		{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "C", 30, 0, 2, "+L3 +L2 1 -L2 -L3" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast; B blocks on L1 owner A order [B]; "
		"effprio A 89->79 (donor B); cpu0 runs A prio=79\n"
		"t=2: cpu0 runs C prio=69; C GETS L3 fast; C blocks on L2 owner B order [C]; "
		"effprio B 79->69 (donor C); requeue B on L1 as 69 order [B]; "
		"effprio A 79->69 (donor B); cpu0 runs A prio=69\n"
		"t=20: A RELEASES L1 -> wakes B; effprio A 69->89 (none); cpu0 runs B prio=69; "
		"B GETS L1 prio=69\n"
		"t=21: B RELEASES L1 fast; B RELEASES L2 -> wakes C; effprio B 69->79 (none); "
		"cpu0 runs C prio=69; C GETS L2 prio=69\n"
		"t=22: C RELEASES L2 fast; C RELEASES L3 fast; cpu0 runs B prio=79; cpu0 runs A prio=89");
}
END_TEST

/* R15a: H robs W1, who waits again, and boosts H no more than its own priority asks for. */
START_TEST(r15a_stronger_newcomer_steals)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L 5" },	 { "K", 50, 0, 1, "2" },
		{ "H", 30, 0, 7, "+L 2 -L" },	 { "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "5" },	 { NULL },
	};

	golden_params(cast, 0, 0,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu0 runs O prio=79; cpu1 runs M2 prio=54\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none)\n"
		"t=7: cpu0 runs H prio=69; H STEALS L from woken top W1; H GETS L slow-trylock\n"
		"t=8: cpu1 runs W1 prio=79; W1 blocks on L owner H order [W1]\n"
		"t=9: H RELEASES L -> wakes W1; cpu0 runs O prio=89; cpu1 runs W1 prio=79; "
		"W1 GETS L prio=79\n"
		"t=10: W1 RELEASES L fast");
}
END_TEST

/* R15b: an equal queues behind the pending owner, and lends to it. */
START_TEST(r15b_equal_newcomer_waits)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L 5" },	 { "K", 50, 0, 1, "2" },
		{ "H", 20, 0, 7, "+L 2 -L" },	 { "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },	 { NULL },
	};

	golden_params(cast, 0, 0,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu0 runs O prio=79; cpu1 runs M2 prio=54\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none)\n"
		"t=7: cpu0 runs H prio=79; H blocks on L owner W1 order [W1 H]; cpu0 runs O prio=89\n"
		"t=11: cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=12: W1 RELEASES L -> wakes H; cpu0 runs H prio=79; H GETS L prio=79\n"
		"t=14: H RELEASES L fast");
	golden_params(cast, 1, 0,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu0 runs O prio=79; cpu1 runs M2 prio=54\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none)\n"
		"t=7: cpu0 runs H prio=79; H blocks on L owner W1 order [W1 H]; cpu0 runs O prio=89\n"
		"t=11: cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=12: W1 RELEASES L -> wakes H; cpu0 runs H prio=79; H GETS L prio=79\n"
		"t=14: H RELEASES L fast");
}
END_TEST

static const struct world_task relock[] = {
	{ "O", FAIR, 0, 0, "+L 4 -L +L 1 -L" },
	{ "K", 50, 0, 1, "2" },
	{ "W1", FAIR, 1, 2, "+L 1 -L" },
	{ "M2", 45, 1, 3, "8" },
	{ NULL },
};

/* R16: an owner that locks again at once waits for its successor, or robs it. */
START_TEST(r16_strict_handoff)
{
	golden_params(relock, 0, 0,
		"t=0: cpu0 runs O prio=120; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=120; W1 blocks on L owner O order [W1]\n"
		"t=3: cpu0 runs O prio=120; cpu1 runs M2 prio=54\n"
		"t=6: O RELEASES L -> wakes W1; O blocks on L owner W1 order [W1 O]\n"
		"t=11: cpu1 runs W1 prio=120; W1 GETS L prio=120\n"
		"t=12: W1 RELEASES L -> wakes O; cpu0 runs O prio=120; O GETS L prio=120\n"
		"t=13: O RELEASES L fast");
}
END_TEST

START_TEST(r16_lateral_steal)
{
	golden_params(relock, 1, 0,
		"t=0: cpu0 runs O prio=120; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=120; W1 blocks on L owner O order [W1]\n"
		"t=3: cpu0 runs O prio=120; cpu1 runs M2 prio=54\n"
		"t=6: O RELEASES L -> wakes W1; O STEALS L from woken top W1; O GETS L slow-trylock\n"
		"t=7: O RELEASES L fast\n"
		"t=11: cpu1 runs W1 prio=120; W1 GETS L prio=120\n"
		"t=12: W1 RELEASES L fast");
}
END_TEST

/*
 * X, weaker than the pending owner W, is made stronger while it waits: it lends its
 * priority to W, who thereby passes M and takes the lock up.
 */
START_TEST(the_queue_lends_to_the_pending_owner)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L 5" },	 { "W", 20, 1, 1, "+L 3 -L 1" }, { "M", 30, 1, 2, "10" },
		{ "X", 15, 2, 5, "+L 1 -L" },	 { "#P", 50, 3, 6, "=X:40" },	 { NULL },
	};

	golden_params(cast, 0, 0,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu1 runs W prio=79; W blocks on L owner O order [W]; effprio O 89->79 (donor W)\n"
		"t=2: cpu1 runs M prio=69\n"
		"t=4: O RELEASES L -> wakes W; effprio O 79->89 (none)\n"
		"t=5: cpu2 runs X prio=84; X blocks on L owner W order [W X]\n"
		"t=6: setscheduler X normal_prio=59 eff 84 -> 59; requeue X on L as 59 order [W X]; "
		"effprio W 79->59 (donor X); cpu1 runs W prio=59; W GETS L prio=59\n"
		"t=9: W RELEASES L -> wakes X; effprio W 59->79 (none); cpu1 runs M prio=69; "
		"cpu2 runs X prio=59; X GETS L prio=59\n"
		"t=10: X RELEASES L fast\n"
		"t=15: cpu1 runs W prio=79");
}
END_TEST

START_TEST(deadlocks)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L1 1 -L1 -L2" },
		{ NULL },
	};
	struct world w = { .params = { 1 } };

	world_run(&w, &lock_model_rtmutex_2_6_31, cast, 40);
	ck_assert_int_eq(world_result(&w, "B"), -EDEADLK);
	ck_assert_int_eq(world_result(&w, "A"), 0);
	ck_assert_uint_eq(world_events(&w, "rtmutex_deadlock"), 1);
	world_finish(&w);
}
END_TEST

/* Nothing of the waiter stays behind with the owner, who is the waiter itself. */
START_TEST(self_deadlock)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L +L 1 -L 1" },
		{ "B", 5, 1, 0, "2 +L 1 -L" },
		{ NULL },
	};
	struct world w = { .params = { 1 } };

	world_run(&w, &lock_model_rtmutex_2_6_31, cast, 1);
	ck_assert_int_eq(world_result(&w, "A"), -EDEADLK);
	ck_assert_ptr_null(w.broken);
	world_finish(&w);
	w = (struct world){ .params = { 1 } };
	world_run(&w, &lock_model_rtmutex_2_6_31, cast, 40);
	ck_assert_ptr_null(w.broken);
	ck_assert_int_eq(world_result(&w, "B"), 0);
	ck_assert_int_eq(world_prio(&w, "A"), 89);
	world_finish(&w);
}
END_TEST

START_TEST(depth_limit)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 20 -L1" },
		{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "C", 30, 0, 2, "+L3 +L2 1 -L2 -L3" },
		{ "D", 40, 0, 3, "+L4 +L3 1 -L3 -L4" },
		{ NULL },
	};
	struct world w = { .params = { 0, 1 } };

	world_run(&w, &lock_model_rtmutex_2_6_31, cast, 4);
	ck_assert_uint_eq(world_events(&w, "rtmutex_depth"), 2);
	ck_assert_int_eq(world_prio(&w, "C"), 59);
	ck_assert_int_eq(world_prio(&w, "B"), 59);
	ck_assert_int_eq(world_prio(&w, "A"), 69); /* not reached */
	world_finish(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rtmutex-2.6.31");
	TCase *tc = tcase_create("golden");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, r1_bounded_inversion);
	tcase_add_test(tc, r2_chain);
	tcase_add_test(tc, r15a_stronger_newcomer_steals);
	tcase_add_test(tc, r15b_equal_newcomer_waits);
	tcase_add_test(tc, r16_strict_handoff);
	tcase_add_test(tc, r16_lateral_steal);
	tcase_add_test(tc, the_queue_lends_to_the_pending_owner);
	tcase_add_test(tc, deadlocks);
	tcase_add_test(tc, self_deadlock);
	tcase_add_test(tc, depth_limit);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
