// SPDX-License-Identifier: GPL-2.0-or-later
/* Distributions of times: what is exact is exact, percentiles are within 1/64. */
#include <check.h>
#include <stdlib.h>

#include <glib.h>

#include "sim/core/prng.h"
#include "sim/run/watch_impl.h"

static int by_value(const void *a, const void *b)
{
	sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;

	return x < y ? -1 : x > y;
}

/* Values over all magnitudes: a uniform number of bits, then uniform bits. */
static sim_time wild(uint64_t i)
{
	uint64_t u = sim_draw(11, i, 0);

	return (sim_draw(11, i, 1) | 1) >> (1 + u % 63);
}

START_TEST(sums_are_exact)
{
	struct run_dist d = { 0 };
	sim_time sum = 0;

	for (sim_time t = 5; t <= 105; t += 10) {
		run_dist_add(&d, t * SIM_US);
		sum += t * SIM_US;
	}
	ck_assert_uint_eq(d.count, 11);
	ck_assert_uint_eq(d.sum, sum);
	ck_assert_uint_eq(d.min, 5 * SIM_US);
	ck_assert_uint_eq(d.max, 105 * SIM_US);
	ck_assert_uint_eq(run_dist_mean(&d), 55 * SIM_US);
	run_dist_free(&d);
}
END_TEST

START_TEST(few_values_need_no_counters)
{
	struct run_dist d = { 0 };

	ck_assert_uint_eq(run_dist_at(&d, 500), 0);
	run_dist_add(&d, 7);
	ck_assert_ptr_null(d.octave);
	ck_assert_uint_eq(run_dist_at(&d, 990), 7);
	run_dist_add(&d, 3);
	ck_assert_ptr_null(d.octave);
	ck_assert_uint_eq(run_dist_at(&d, 500), 3);
	ck_assert_uint_eq(run_dist_at(&d, 501), 7);
	run_dist_add(&d, 5);
	ck_assert_ptr_nonnull(d.octave);
	ck_assert_uint_eq(run_dist_at(&d, 0), 3);
	ck_assert_uint_eq(run_dist_at(&d, 333), 3);
	ck_assert_uint_eq(run_dist_at(&d, 500), 5);
	ck_assert_uint_eq(run_dist_at(&d, 1000), 7);
	run_dist_free(&d);
}
END_TEST

START_TEST(percentiles_are_near)
{
	enum { N = 20000 };
	g_autofree sim_time *x = g_new(sim_time, N);
	struct run_dist d = { 0 };

	for (unsigned i = 0; i < N; i++) {
		x[i] = wild(i);
		run_dist_add(&d, x[i]);
	}
	qsort(x, N, sizeof(*x), by_value);
	for (unsigned p = 1; p <= 1000; p++) {
		sim_time exact = x[(N * p + 999) / 1000 - 1], got = run_dist_at(&d, p);

		ck_assert_msg(got >= exact && got - exact <= exact / 64, "p%u: %" PRIu64 " for %" PRIu64, p, got, exact);
	}
	ck_assert_uint_eq(run_dist_at(&d, 1000), d.max);
	run_dist_free(&d);
}
END_TEST

START_TEST(extremes_fit)
{
	struct run_dist d = { 0 };

	for (unsigned i = 0; i < 3; i++) {
		run_dist_add(&d, 0);
		run_dist_add(&d, SIM_NEVER / 2);
	}
	ck_assert_uint_eq(run_dist_at(&d, 500), 0);
	ck_assert_uint_eq(run_dist_at(&d, 501), SIM_NEVER / 2);
	run_dist_free(&d);
}
END_TEST

/* Merging two is adding all. */
START_TEST(merges)
{
	for (unsigned cut = 0; cut <= 8; cut++) {
		struct run_dist a = { 0 }, b = { 0 }, all = { 0 };

		for (unsigned i = 0; i < 8; i++) {
			run_dist_add(i < cut ? &a : &b, wild(i));
			run_dist_add(&all, wild(i));
		}
		run_dist_merge(&a, &b);
		ck_assert_uint_eq(a.count, all.count);
		ck_assert_uint_eq(a.sum, all.sum);
		ck_assert_uint_eq(a.min, all.min);
		ck_assert_uint_eq(a.max, all.max);
		for (unsigned p = 0; p <= 1000; p += 25)
			ck_assert_uint_eq(run_dist_at(&a, p), run_dist_at(&all, p));
		run_dist_free(&a);
		run_dist_free(&b);
		run_dist_free(&all);
	}
}
END_TEST

/* An open wait raises the maximum and nothing else. */
START_TEST(raises)
{
	struct run_dist d = { 0 };

	watch_dist_raise(&d, 90);
	ck_assert_uint_eq(d.max, 90);
	ck_assert_uint_eq(d.count, 0);
	d = (struct run_dist){ 0 };
	run_dist_add(&d, 10);
	run_dist_add(&d, 20);
	watch_dist_raise(&d, 90);
	watch_dist_raise(&d, 50);
	ck_assert_uint_eq(d.max, 90);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_uint_eq(run_dist_at(&d, 1000), 20);
	run_dist_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/dist");
	TCase *t = tcase_create("dist");
	SRunner *r;
	int failed;

	tcase_add_test(t, sums_are_exact);
	tcase_add_test(t, few_values_need_no_counters);
	tcase_add_test(t, percentiles_are_near);
	tcase_add_test(t, extremes_fit);
	tcase_add_test(t, merges);
	tcase_add_test(t, raises);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
