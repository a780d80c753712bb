// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals and shares against figures worked out by hand. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>

#include "sim/report/measure.h"
#include "sim/report/student.h"

START_TEST(quantiles)
{
	ck_assert_uint_eq(student_t(1), 12706);
	ck_assert_uint_eq(student_t(4), 2776);
	ck_assert_uint_eq(student_t(30), 2042);
	ck_assert_uint_eq(student_t(35), 2042);
	ck_assert_uint_eq(student_t(1000), 1980);
	for (unsigned df = 1; df < 200; df++)
		ck_assert_uint_ge(student_t(df), student_t(df + 1));
}
END_TEST

/* 2 4 4 4 5 5 7 9: mean 5, sd sqrt(32/7) = 2.13809, half 2.365 * 2.13809 / sqrt(8) = 1.78776; here in millionths. */
START_TEST(interval)
{
	const uint64_t x[] = { 2000000, 4000000, 4000000, 4000000, 5000000, 5000000, 7000000, 9000000 };
	struct spread s = spread_of(x, 8);

	ck_assert(s.known);
	ck_assert_uint_eq(s.mean, 5000000);
	ck_assert_uint_ge(s.half, 1787760);
	ck_assert_uint_le(s.half, 1787780);
}
END_TEST

START_TEST(one_value_has_no_interval)
{
	const uint64_t x[] = { 7 };
	struct spread s = spread_of(x, 1);

	ck_assert(!s.known);
	ck_assert_uint_eq(s.mean, 7);
	ck_assert_uint_eq(s.half, 0);
}
END_TEST

START_TEST(equal_values_have_none_either)
{
	const uint64_t x[] = { 9, 9, 9 };
	struct spread s = spread_of(x, 3);

	ck_assert(s.known);
	ck_assert_uint_eq(s.half, 0);
}
END_TEST

/* The largest values keep their mean and lose only the finest bits of the interval. */
START_TEST(great_values)
{
	const uint64_t a = UINT64_C(1) << 62, x[] = { a, a + (a >> 10) };
	struct spread s = spread_of(x, 2);
	/* half = 12.706 * d / 2 for a difference of d */
	unsigned __int128 want = (unsigned __int128)(a >> 10) * 6353 / 1000;

	ck_assert_uint_eq(s.mean, a + (a >> 11));
	ck_assert_uint_ge(s.half, (uint64_t)(want - (want >> 20)));
	ck_assert_uint_le(s.half, (uint64_t)(want + (want >> 20)));
}
END_TEST

/* Pairs: both sides vary wildly, their ratio hardly. */
START_TEST(ratios)
{
	const uint64_t base[] = { 100, 1000, 10000 }, x[] = { 200, 2010, 19900 }, none[] = { 1, 0, 1 };
	struct spread s;

	ck_assert(spread_of_ratios(x, base, 3, &s));
	ck_assert_uint_eq(s.mean, 2000000);
	/* sd of 2, 2.01, 1.99 is 0.01; 4.303 * 0.01 / sqrt(3) = 0.024843 */
	ck_assert_uint_ge(s.half, 24843);
	ck_assert_uint_le(s.half, 24846);
	ck_assert(!spread_of_ratios(x, none, 3, &s));
}
END_TEST

START_TEST(shares)
{
	ck_assert_uint_eq(ppm_of(1, 3), 333333);
	ck_assert_uint_eq(ppm_of(2, 3), 666667);
	ck_assert_uint_eq(ppm_of(5, 0), 0);
	ck_assert_uint_eq(ppm_of(UINT64_MAX, 1), UINT64_MAX);
	ck_assert_uint_eq(ppm_of(UINT64_MAX, UINT64_MAX), 1000000);
}
END_TEST

/* Four tasks did 2, 4, 4 and 6: mean 4, sd sqrt(2), cv 0.353553. */
START_TEST(measures)
{
	struct run_task task[6] = { 0 };
	struct run_cpu cpu[2] = { { .busy = 30 * SIM_MS }, { .busy = 20 * SIM_MS } };
	struct run_lock lock[3] = { { .name = "l[0]" }, { .name = "l[1]" }, { .name = "lx" } };
	struct run_result r = { .from = 10 * SIM_MS, .until = 50 * SIM_MS, .task = task, .ntask = 6, .cpu = cpu, .ncpu = 2,
				.lock = lock, .nlock = 3, .has_throughput = true, .throughput_milli = 400000 };
	const uint64_t done[] = { 9, 2, 4, 4, 6, 0 };
	struct measure m;

	for (unsigned i = 0; i < 6; i++) {
		task[i].group = i == 0 ? 0 : i < 5 ? 1 : 2;
		task[i].done = done[i];
	}
	for (unsigned i = 0; i < 3; i++) {
		lock[i].acquisitions[0] = 10;
		lock[i].sleeps = 4 + i;
		lock[i].transfers[3] = 15;
		lock[i].handover[3] = 6;
		lock[i].handover[4] = 2;
		lock[i].spin = 10 * SIM_US;
		run_dist_add(&lock[i].wait[0], 40 * SIM_US);
	}
	measure_take(&m, &r, "l");
	ck_assert_uint_eq(m.v[MEASURE_throughput], 400000);
	ck_assert_uint_eq(m.v[MEASURE_acquired], 500000); /* 20 in 40 ms */
	ck_assert_uint_eq(m.v[MEASURE_span], 40 * SIM_MS);
	ck_assert_uint_eq(m.v[MEASURE_wait_max], 40 * SIM_US);
	ck_assert_uint_eq(m.v[MEASURE_spin], 250000);
	ck_assert_uint_eq(m.v[MEASURE_sleeps], 450); /* 4 + 5 of 20 */
	ck_assert_uint_eq(m.v[MEASURE_moves], 1500);
	ck_assert_uint_eq(m.v[MEASURE_ho_socket], 750000);
	ck_assert_uint_eq(m.v[MEASURE_ho_hop1], 250000);
	ck_assert_uint_eq(m.v[MEASURE_busy], 1250);
	ck_assert_uint_eq(m.v[MEASURE_unfair], 353553);
	measure_take(&m, &r, NULL);
	ck_assert_uint_eq(m.v[MEASURE_acquired], 750000);
	ck_assert_uint_eq(m.v[MEASURE_sleeps], 500);
	for (unsigned i = 0; i < 3; i++)
		run_dist_free(&lock[i].wait[0]);
}
END_TEST

/* 1 and 3: mean 2, sd 1. The same in numbers whose squares fill 106 bits. */
START_TEST(variation)
{
	const uint64_t small[] = { 1, 3 }, great[] = { UINT64_C(1) << 51, UINT64_C(3) << 51 }, even[] = { 4, 4, 4 }, none[] = { 0, 0 };

	ck_assert_uint_eq(cv_ppm_of(small, 2), 500000);
	ck_assert_uint_ge(cv_ppm_of(great, 2), 499999);
	ck_assert_uint_le(cv_ppm_of(great, 2), 500000);
	ck_assert_uint_eq(cv_ppm_of(even, 3), 0);
	ck_assert_uint_eq(cv_ppm_of(none, 2), 0);
}
END_TEST

START_TEST(printed)
{
	static const struct {
		enum measure_unit unit;
		uint64_t v;
		const char *text;
	} is[] = { { MEASURE_COUNT, 12, "12" },	      { MEASURE_TIME, 1500 * SIM_NS, "1.5us" },	 { MEASURE_PPM, 312499, "31.2%" },
		   { MEASURE_PPM, 312500, "31.3%" },  { MEASURE_MILLI, 1854, "1.85" },		 { MEASURE_MILLI, 1855, "1.86" },
		   { MEASURE_MILLI, 845300499, "845300" } };

	for (unsigned i = 0; i < G_N_ELEMENTS(is); i++) {
		g_autoptr(GString) s = g_string_new(NULL);

		measure_put(s, is[i].unit, is[i].v);
		ck_assert_str_eq(s->str, is[i].text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("student");
	TCase *c = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(c, quantiles);
	tcase_add_test(c, interval);
	tcase_add_test(c, one_value_has_no_interval);
	tcase_add_test(c, equal_values_have_none_either);
	tcase_add_test(c, great_values);
	tcase_add_test(c, ratios);
	tcase_add_test(c, shares);
	tcase_add_test(c, measures);
	tcase_add_test(c, variation);
	tcase_add_test(c, printed);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
