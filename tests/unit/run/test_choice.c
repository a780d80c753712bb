// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole runs under another policy than the fixed order: what only some order shows is
 * found and comes back by its schedule; locks that are right stay right in every order.
 */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run/text_run.h"

static const char race[] = "machine zero { sockets 1 cores 2 }\n"
			   "lock l : busted-race\n"
			   "task a fifo 1 cpu 0 { lock l  run 1us  unlock l }\n"
			   "task b fifo 1 cpu 1 { lock l  run 1us  unlock l }\n"
			   "run until done\n";

static struct text_run *run_with(const char *text, struct sim_choice *choice)
{
	struct run_options options = {.choice = choice};
	struct text_run *t = text_run(text, &options);

	ck_assert_ptr_nonnull(t->result);
	return t;
}

/* Two runs of one schedule are one run. */
static void comes_back(const char *text, const struct run_result *r)
{
	struct sim_choice again;
	struct text_run *t;

	sim_choice_init(&again, SIM_CHOICE_REPLAY, 0);
	ck_assert(sim_choice_parse(&again, r->choice->schedule));
	t = run_with(text, &again);
	ck_assert_uint_eq(t->result->digest, r->digest);
	ck_assert(!t->result->choice->diverged);
	ck_assert_uint_eq(t->result->nfinding, r->nfinding);
	ck_assert_uint_eq(t->result->choice->open, r->choice->open);
	text_free(t);
	sim_choice_finish(&again);
}

START_TEST(the_fixed_order_does_not_show_it)
{
	struct text_run *t = run_with(race, NULL);

	ck_assert_uint_eq(t->result->nfinding, 0);
	ck_assert_ptr_null(t->result->choice);
	text_free(t);
}
END_TEST

/* Depth first over all schedules: the race is among them, and its finding says how to see it again. */
START_TEST(odometer_finds_the_race)
{
	unsigned runs = 0, found = 0;
	struct sim_choice c;

	sim_choice_init(&c, SIM_CHOICE_ODOMETER, 1);
	do {
		struct text_run *t = run_with(race, &c);
		const struct run_finding *f = t->result->finding;

		runs++;
		if (t->result->nfinding && !found++) {
			g_autofree char *hint = g_strdup_printf("--choice replay:%s", t->result->choice->schedule);

			ck_assert_int_eq(f->kind, RUN_FINDING_mutual_exclusion);
			ck_assert_ptr_nonnull(strstr(f->text, hint));
			comes_back(race, t->result);
		}
		text_free(t);
		if (found == 1) /* its successors */
			ck_assert_uint_lt(runs, 2000);
	} while (sim_choice_next(&c) && runs < 3000);
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_lt(found, runs);
	sim_choice_finish(&c);
}
END_TEST

START_TEST(some_seed_finds_the_race)
{
	unsigned found = 0;

	for (unsigned seed = 1; seed <= 40; seed++) {
		struct sim_choice c;
		struct text_run *t;

		sim_choice_init(&c, SIM_CHOICE_SEEDED, seed);
		t = run_with(race, &c);
		if (t->result->nfinding) {
			found++;
			comes_back(race, t->result);
		}
		text_free(t);
		sim_choice_finish(&c);
	}
	ck_assert(found > 4 && found < 40);
}
END_TEST

/* -- locks that are right -------------------------------------------------------------------------- */

/* Eight tasks on four CPUs, all of them at the same instants: every meeting is an open order. */
static char *crowd(const char *model)
{
	return g_strdup_printf("machine zero { sockets 2 cores 2 preempt full hz 1000 }\n"
			       "lock l : %s\n"
			       "task t[4] fifo 1 spread pin { loop 5 { lock l  run 1us  unlock l  run 1us } }\n"
			       "task u[4] fifo 2 spread pin { at 3us  loop 5 { lock l  run 1us  unlock l  sleep 2us } }\n"
			       "run until done limit 1s\n",
			       model);
}

/* May be declared with `lock`, always acquires, and keeps its promises. */
static bool is_right(const char *model)
{
	static const char *const others[] = {"completion", "condition", "semaphore", "osq", "forgetful"};

	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
		if (!strcmp(model, others[i]))
			return false;
	return !g_str_has_prefix(model, "busted-");
}

START_TEST(right_locks_are_right_in_every_order)
{
	const char *model = run_vocabulary()->models[_i];
	g_autofree char *text = crowd(model);
	uint64_t first = 0;
	bool differ = false;

	if (!is_right(model))
		return;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct sim_choice c;
		struct text_run *t;

		sim_choice_init(&c, SIM_CHOICE_SEEDED, seed);
		t = run_with(text, &c);
		ck_assert_msg(!t->result->nfinding, "%s, seed %u: %s", model, seed,
			      t->result->nfinding ? t->result->finding[0].text : "");
		ck_assert_int_eq(t->result->end, RUN_END_DONE);
		ck_assert_uint_eq(t->result->lock[0].acquisitions[0], 40);
		ck_assert_uint_gt(t->result->choice->turned, 0);
		differ |= first && t->result->digest != first;
		first = t->result->digest;
		if (seed == 1)
			comes_back(text, t->result);
		text_free(t);
		sim_choice_finish(&c);
	}
	ck_assert_msg(differ, "%s: the seed changes nothing", model);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("choice");
	TCase *t = tcase_create("choice");
	SRunner *r;
	int failed, models = 0;

	while (run_vocabulary()->models[models])
		models++;
	tcase_add_test(t, the_fixed_order_does_not_show_it);
	tcase_add_test(t, odometer_finds_the_race);
	tcase_add_test(t, some_seed_finds_the_race);
	tcase_add_loop_test(t, right_locks_are_right_in_every_order, 0, models);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
