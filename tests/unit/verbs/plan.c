// SPDX-License-Identifier: GPL-2.0-or-later
/* What --vary means, and the order of the runs. */
#include <check.h>
#include <stdlib.h>

#include "sim/cli/plan.h"

static char *values(const char *text)
{
	struct plan plan;
	char *error, *all;

	plan_init(&plan);
	error = plan_vary(&plan, text);
	if (error) {
		plan_finish(&plan);
		return error;
	}
	g_ptr_array_add(((struct plan_axis *)plan.axes->pdata[0])->values, NULL);
	all = g_strjoinv(" ", (char **)((struct plan_axis *)plan.axes->pdata[0])->values->pdata);
	g_ptr_array_remove_index(((struct plan_axis *)plan.axes->pdata[0])->values,
				 ((struct plan_axis *)plan.axes->pdata[0])->values->len - 1);
	plan_finish(&plan);
	return all;
}

START_TEST(lists_and_ranges)
{
	static const char *const is[][2] = {
		{ "n=1,2,8", "1 2 8" },
		{ "n=1..80*2", "1 2 4 8 16 32 64" },
		{ "n=1..64*2", "1 2 4 8 16 32 64" },
		{ "n=10..50+20", "10 30 50" },
		{ "n=10..49+20", "10 30" },
		{ "t=1us..8us*2", "1us 2us 4us 8us" },
		{ "t=10ns..30ns+10ns", "10ns 20ns 30ns" },
		{ "p=5%..15%+5", "5% 10% 15%" },
		{ "n=5..5+1", "5" },
		{ "n=0..2+1", "0 1 2" },
		{ "l=mcs,ticket", "mcs ticket" },
		{ "n=1,4..16*2,80", "1 4 8 16 80" },
		{ "n=9223372036854775807..18446744073709551615*2", "9223372036854775807 18446744073709551614" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(is); i++) {
		g_autofree char *got = values(is[i][0]);

		ck_assert_str_eq(got, is[i][1]);
	}
}
END_TEST

START_TEST(mistakes)
{
	static const char *const text[] = { "n",	"=1",	    "n=",	 "n=1,,2",	 "n=1..", "n=1..8",	"n=8..1*2",
					    "n=1..8*1", "n=0..8*2", "n=1..8+0", "n=1us..8*2", "n=1us..8ns*2", "n=1..8*2x",
					    "n=1..8*2us", "n=1,1", "n=1..4*2,2", "n=1 2" };

	for (unsigned i = 0; i < G_N_ELEMENTS(text); i++) {
		struct plan plan;
		g_autofree char *error = NULL;

		plan_init(&plan);
		error = plan_vary(&plan, text[i]);
		ck_assert_msg(error != NULL, "\"%s\" was taken", text[i]);
		plan_finish(&plan);
	}
}
END_TEST

START_TEST(product)
{
	static const char *const fixed[] = { "c=9", NULL };
	static const char *const want[] = { "a=y b=1 c=9", "a=x b=1 c=9", "a=y b=2 c=9", "a=x b=2 c=9" };
	struct plan plan;

	plan_init(&plan);
	ck_assert_ptr_null(plan_vary(&plan, "b=1,2"));
	ck_assert_ptr_null(plan_vary(&plan, "a=y,x"));
	ck_assert_uint_eq(plan.combinations, 4);
	for (unsigned i = 0; i < 4; i++) {
		g_autofree char *got = plan_params(&plan, i, fixed);

		ck_assert_str_eq(got, want[i]);
	}
	{
		g_auto(GStrv) sets = plan_sets(&plan, 1);
		g_autofree char *error = plan_vary(&plan, "a=z");

		ck_assert_str_eq(sets[0], "b=1"); /* as written: models before their parameters is the loader's affair */
		ck_assert_str_eq(sets[1], "a=x");
		ck_assert_ptr_nonnull(error);
	}
	plan_finish(&plan);
}
END_TEST

START_TEST(nothing_varied_is_one_run)
{
	struct plan plan;
	g_autofree char *got = NULL;

	plan_init(&plan);
	ck_assert_uint_eq(plan.combinations, 1);
	got = plan_params(&plan, 0, NULL);
	ck_assert_str_eq(got, "");
	plan_finish(&plan);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plan");
	TCase *c = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(c, lists_and_ranges);
	tcase_add_test(c, mistakes);
	tcase_add_test(c, product);
	tcase_add_test(c, nothing_varied_is_one_run);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
