/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/core/choice.h"
#include "tests/unit/core/run.h"

START_TEST(test_fixed)
{
	struct sim_choice c;
	char *text;

	sim_choice_init(&c, SIM_CHOICE_FIXED, 1);
	for (unsigned i = 0; i < 100000; i++)
		ck_assert_uint_eq(sim_choose(&c, 1 + i % 9), 0);
	ck_assert_uint_eq(c.room, 0); /* a long run costs no memory */
	text = sim_choice_print(&c);
	ck_assert_str_eq(text, ""); /* zeros at the end go without saying */
	free(text);
	sim_choice_finish(&c);
}
END_TEST

/* A tree of uneven branching: its leaves are counted by hand. */
static unsigned walk(struct sim_choice *c)
{
	unsigned leaf = sim_choose(c, 3);

	for (unsigned i = 0; i < leaf; i++)
		leaf = leaf * 10 + sim_choose(c, i + 2);
	return leaf * 10 + sim_choose(c, 1);
}

START_TEST(test_odometer_enumerates_all)
{
	/* 0; 1 then one of two; 2 then one of two, then as many as the loop over the growing leaf asks for */
	unsigned expected = 0, runs = 0, last = 0;
	struct sim_choice c;

	sim_choice_init(&c, SIM_CHOICE_ODOMETER, 1);
	do {
		unsigned digits[3] = {sim_choose(&c, 3), 0, 0}, now;

		if (digits[0])
			digits[1] = sim_choose(&c, 2 + digits[0]);
		if (digits[1] == 2)
			digits[2] = sim_choose(&c, 4);
		now = digits[0] * 100 + digits[1] * 10 + digits[2];
		if (runs)
			ck_assert_uint_gt(now, last); /* in order, none twice */
		last = now;
		runs++;
		ck_assert(!c.diverged);
	} while (sim_choice_next(&c));
	/* 0: 1 leaf; 1: 0, 1, 2x4 = 6 leaves; 2: 0, 1, 2x4, 3 = 7 leaves */
	expected = 1 + 6 + 7;
	ck_assert_uint_eq(runs, expected);
	/* and then it starts over */
	ck_assert_uint_eq(sim_choose(&c, 3), 0);
	sim_choice_finish(&c);
}
END_TEST

START_TEST(test_odometer_product)
{
	bool seen[3 * 2 * 5 * 4] = {false};
	struct sim_choice c;
	unsigned runs = 0;

	sim_choice_init(&c, SIM_CHOICE_ODOMETER, 1);
	do {
		unsigned n = sim_choose(&c, 3);

		n = n * 2 + sim_choose(&c, 2);
		n = n * 5 + sim_choose(&c, 5);
		n = n * 4 + sim_choose(&c, 4);
		ck_assert(!seen[n]);
		seen[n] = true;
		runs++;
	} while (sim_choice_next(&c));
	ck_assert_uint_eq(runs, 120);
	sim_choice_finish(&c);
}
END_TEST

START_TEST(test_seeded)
{
	unsigned count[4] = {0};
	struct sim_choice a, b, other;
	bool differs = false;

	sim_choice_init(&a, SIM_CHOICE_SEEDED, 7);
	sim_choice_init(&b, SIM_CHOICE_SEEDED, 7);
	sim_choice_init(&other, SIM_CHOICE_SEEDED, 8);
	for (unsigned i = 0; i < 4000; i++) {
		unsigned v = sim_choose(&a, 4);

		ck_assert_uint_lt(v, 4);
		ck_assert_uint_eq(sim_choose(&b, 4), v);
		differs |= sim_choose(&other, 4) != v;
		count[v]++;
	}
	ck_assert(differs);
	for (unsigned i = 0; i < 4; i++)
		ck_assert(count[i] > 850 && count[i] < 1150);
	sim_choice_rewind(&a);
	for (unsigned i = 0; i < 4000; i++)
		ck_assert_uint_eq(sim_choose(&a, 4), b.taken[i]);
	sim_choice_finish(&a);
	sim_choice_finish(&b);
	sim_choice_finish(&other);
}
END_TEST

START_TEST(test_print_and_replay)
{
	struct sim_choice a, b;
	unsigned first[50];
	char *text, *again;

	sim_choice_init(&a, SIM_CHOICE_SEEDED, 3);
	for (unsigned i = 0; i < 50; i++)
		first[i] = walk(&a);
	text = sim_choice_print(&a);
	sim_choice_init(&b, SIM_CHOICE_REPLAY, 99);
	ck_assert(sim_choice_parse(&b, text));
	for (unsigned run = 0; run < 2; run++) {
		sim_choice_rewind(&b);
		for (unsigned i = 0; i < 50; i++)
			ck_assert_uint_eq(walk(&b), first[i]);
		again = sim_choice_print(&b);
		ck_assert_str_eq(again, text);
		free(again);
		ck_assert(!b.diverged);
	}
	ck_assert_uint_eq(sim_choose(&b, 4), 0); /* beyond the recording */
	free(text);
	sim_choice_finish(&a);
	sim_choice_finish(&b);
}
END_TEST

START_TEST(test_form)
{
	static const uint32_t values[] = {0, 0, 1, 0, 3};
	struct sim_choice c;
	char *text;

	sim_choice_init(&c, SIM_CHOICE_FIXED, 1);
	ck_assert(sim_choice_parse(&c, "2x0,1,0,3"));
	ck_assert_uint_eq(c.policy, SIM_CHOICE_REPLAY);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(sim_choose(&c, 9), values[i]);
	text = sim_choice_print(&c);
	ck_assert_str_eq(text, "2x0,1/9,0,3/9");
	free(text);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(sim_choose(&c, 9), 0);
	text = sim_choice_print(&c);
	ck_assert_str_eq(text, "2x0,1/9,0,3/9");
	free(text);
	ck_assert(sim_choice_parse(&c, ""));
	text = sim_choice_print(&c);
	ck_assert_str_eq(text, "");
	free(text);
	sim_choice_finish(&c);
}
END_TEST

START_TEST(test_diverged)
{
	struct sim_choice c;

	sim_choice_init(&c, SIM_CHOICE_REPLAY, 1);
	ck_assert(sim_choice_parse(&c, "1,5,1"));
	ck_assert_uint_eq(sim_choose(&c, 2), 1);
	ck_assert(!c.diverged);
	ck_assert_uint_eq(sim_choose(&c, 3), 0);
	ck_assert(c.diverged);
	ck_assert_uint_eq(c.diverged_at, 1);
	ck_assert_uint_eq(c.found, 3);
	ck_assert_uint_eq(sim_choose(&c, 2), 0); /* what comes after is about something else */
	ck_assert_uint_eq(sim_choice_left(&c), 0);
	/* the schedule is what it was, for the next run */
	sim_choice_rewind(&c);
	ck_assert(!c.diverged);
	ck_assert_uint_eq(sim_choose(&c, 2), 1);
	ck_assert_uint_eq(sim_choose(&c, 6), 5);
	ck_assert_uint_eq(sim_choice_left(&c), 1);
	sim_choice_finish(&c);
}
END_TEST

/* A value that would fit does not, where it was chosen among more or fewer. */
START_TEST(test_chosen_among)
{
	struct sim_choice c;

	sim_choice_init(&c, SIM_CHOICE_REPLAY, 1);
	ck_assert(sim_choice_parse(&c, "2x1/3,0,1/2"));
	ck_assert_uint_eq(sim_choose(&c, 3), 1);
	ck_assert_uint_eq(sim_choose(&c, 4), 0);
	ck_assert(c.diverged);
	ck_assert_uint_eq(c.diverged_at, 1);
	ck_assert_uint_eq(c.found, 4);
	ck_assert_uint_eq(c.among[1], 3);
	sim_choice_rewind(&c);
	ck_assert_uint_eq(sim_choose(&c, 3), 1);
	ck_assert_uint_eq(sim_choose(&c, 3), 1);
	ck_assert_uint_eq(sim_choose(&c, 9), 0);
	ck_assert_uint_eq(sim_choose(&c, 2), 1);
	ck_assert(!c.diverged);
	sim_choice_finish(&c);
}
END_TEST

static const char *const malformed[] = {
	",",  "1,", "1,,2", "x1",         "2x",           "0x1",   " 1",  "1 ",
	"-1", "+1", "a",    "4294967296", "4294967295x1", "2x3x4", "1;2", "1/", "1/1", "1/x", "2x1/0", "/2", "1/2/3", "99999999999999999999"};

START_TEST(test_malformed)
{
	struct sim_choice c;

	sim_choice_init(&c, SIM_CHOICE_REPLAY, 1);
	ck_assert_msg(!sim_choice_parse(&c, malformed[_i]), "\"%s\" was taken", malformed[_i]);
	ck_assert_uint_eq(c.prefix, 0);
	sim_choice_finish(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("choice");
	TCase *tc = tcase_create("choice");

	tcase_add_test(tc, test_fixed);
	tcase_add_test(tc, test_odometer_enumerates_all);
	tcase_add_test(tc, test_odometer_product);
	tcase_add_test(tc, test_seeded);
	tcase_add_test(tc, test_print_and_replay);
	tcase_add_test(tc, test_form);
	tcase_add_test(tc, test_diverged);
	tcase_add_test(tc, test_chosen_among);
	tcase_add_loop_test(tc, test_malformed, 0, sizeof(malformed) / sizeof(malformed[0]));
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
