/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The integer distributions against libm, which the engine itself never uses. */
#include <math.h>

#include "sim/core/fixed.h"
#include "sim/core/prng.h"
#include "tests/unit/core/run.h"

#define DRAWS 60000
#define Q56 0x1p56L

/* Draws of all magnitudes, so that tails are met as often as the middle. */
static uint64_t spread(unsigned i)
{
	uint64_t u = sim_draw(1, i, 0) >> (sim_draw(1, i, 1) & 63);

	return i & 1 ? ~u : u;
}

START_TEST(test_ln)
{
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t x = spread(i) | 1;
		long double error = fabsl(sim_fixed_ln(x) / Q56 - logl((long double)x));

		ck_assert_msg(error < 0x1p-54L, "ln %llu is off by %Lg", (unsigned long long)x, error);
	}
	ck_assert_int_eq(sim_fixed_ln(1), 0);
}
END_TEST

START_TEST(test_exp_function)
{
	for (unsigned i = 0; i < DRAWS; i++) {
		int64_t x = (int64_t)sim_draw(2, i, 0) % (INT64_C(45) << 56);
		int k;
		uint64_t m = sim_fixed_exp(x, &k);
		long double error = fabsl(ldexpl((long double)m, k - 62) / expl(x / Q56) - 1);

		ck_assert_msg(error < 0x1p-54L, "exp %Lg is off by %Lg", x / Q56, error);
	}
}
END_TEST

START_TEST(test_sqrt)
{
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t x = spread(i), r = sim_fixed_sqrt(x);

		ck_assert((fixed_uwide)r * r <= x && (fixed_uwide)(r + 1) * (r + 1) > x);
	}
	ck_assert_uint_eq(sim_fixed_sqrt(UINT64_MAX), UINT32_MAX);
}
END_TEST

/* The probability beyond the quantile, divided by the density, is its error in standard deviations. */
START_TEST(test_normal_quantiles)
{
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t u = spread(i);
		long double z = sim_fixed_normal(u) * 0x1p-40L, a = fabsl(z);
		long double tail = ((u >> 63 ? ~u : u) + 0.5L) * 0x1p-64L;
		long double error =
			(0.5L * erfcl(a * sqrtl(0.5L)) - tail) / (expl(-a * a / 2) / sqrtl(2 * acosl(-1)));

		ck_assert_msg(fabsl(error) < 0x1p-20L, "quantile %Lg is off by %Lg", z, error);
		ck_assert_int_eq(sim_fixed_normal(~u), -sim_fixed_normal(u));
	}
}
END_TEST

START_TEST(test_uniform)
{
	unsigned seen[6] = {0};

	for (unsigned i = 0; i < 60000; i++)
		seen[sim_dist_uniform(sim_draw(7, i, 0), 10, 15) - 10]++;
	for (unsigned i = 0; i < 6; i++)
		ck_assert(seen[i] > 9500 && seen[i] < 10500);
	ck_assert_uint_eq(sim_dist_uniform(0, 10, 15), 10);
	ck_assert_uint_eq(sim_dist_uniform(UINT64_MAX, 10, 15), 15);
	ck_assert_uint_eq(sim_dist_uniform(UINT64_MAX / 2, 8, 8), 8);
	ck_assert_uint_eq(sim_dist_uniform(UINT64_MAX, 0, UINT64_MAX), SIM_NEVER / 2);
}
END_TEST

START_TEST(test_exp)
{
	const sim_time mean = 2 * SIM_S;

	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t u = spread(i);
		long double expected = -(long double)mean * logl((u + 1.0L) * 0x1p-64L);

		ck_assert_msg(fabsl(sim_dist_exp(u, mean) - expected) < 1, "exp of %llu",
			      (unsigned long long)u);
	}
	ck_assert_uint_eq(sim_dist_exp(UINT64_MAX, mean), 0);
	ck_assert_uint_eq(sim_dist_exp(0, 1000), 44361);
	ck_assert_uint_eq(sim_dist_exp(0, SIM_NEVER / 2), SIM_NEVER / 2);
	ck_assert_uint_eq(sim_dist_exp(123, 0), 0);
}
END_TEST

/* The mean of the distribution over evenly spread probabilities. */
static double mean_of(sim_time (*dist)(uint64_t u))
{
	const unsigned n = 1 << 20;
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (double)dist((uint64_t)i << 44 | 1ULL << 43);
	return sum / n;
}

static sim_time an_exp(uint64_t u)
{
	return sim_dist_exp(u, 10 * SIM_US);
}

static sim_time a_normal(uint64_t u)
{
	return sim_dist_normal(u, 10 * SIM_US, SIM_US);
}

static sim_time a_lognormal(uint64_t u)
{
	return sim_dist_lognormal(u, 10 * SIM_US, 500000);
}

static sim_time a_wide_lognormal(uint64_t u)
{
	return sim_dist_lognormal(u, 10 * SIM_US, 2000000);
}

static sim_time (*const means[])(uint64_t u) = {an_exp, a_normal, a_lognormal, a_wide_lognormal};

START_TEST(test_means)
{
	double mean = mean_of(means[_i]);

	ck_assert_msg(fabs(mean / (10 * SIM_US) - 1) < 0.001, "mean %f", mean);
}
END_TEST

/* The same from the generator: five standard errors. */
START_TEST(test_sampled_moments)
{
	static const double sd[] = {1, 0.1, 0.5, 2};
	const unsigned n = 200000;
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		double x = (double)means[_i](sim_draw(11, i, 0)) / (10 * SIM_US);

		sum += x;
		squares += x * x;
	}
	ck_assert_msg(fabs(sum / n - 1) < 5 * sd[_i] / sqrt(n), "mean %f", sum / n);
	ck_assert_msg(fabs(sqrt(squares / n - sum * sum / n / n) / sd[_i] - 1) < 0.1, "deviation");
}
END_TEST

START_TEST(test_normal)
{
	ck_assert_uint_eq(sim_dist_normal(0, 5, 1), 0); /* clamped */
	ck_assert_uint_eq(sim_dist_normal(UINT64_C(1) << 63, 1000, 100), 1000);
	ck_assert_uint_eq(sim_dist_normal(123, 1000, 0), 1000);
	ck_assert_uint_eq(sim_dist_normal(UINT64_MAX, 0, SIM_NEVER / 2), SIM_NEVER / 2);
	/* one standard deviation: probability 0.841344746... */
	ck_assert_uint_eq(sim_dist_normal((uint64_t)(0.841344746068542948L * 0x1p64L), 1000000, 100000),
			  1100000);
}
END_TEST

START_TEST(test_lognormal)
{
	static const uint64_t cvs[] = {1000, 100000, 1000000, 5000000};
	const sim_time mean = 10 * SIM_MS;

	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t u = spread(i), cv = cvs[i % 4];
		long double sigma2 = log1pl(cv * 1e-6L * (cv * 1e-6L)), sigma = sqrtl(sigma2);
		long double z = sim_fixed_normal(u) * 0x1p-40L;
		long double expected = mean * expl(sigma * z - sigma2 / 2);
		long double off = fabsl(sim_dist_lognormal(u, mean, cv) - expected);

		ck_assert_msg(off <= 1 + expected * 0x1p-24L, "%Lg instead of %Lg", off, expected);
	}
	ck_assert_uint_eq(sim_dist_lognormal(77, mean, 0), mean);
	ck_assert_uint_eq(sim_dist_lognormal(UINT64_MAX, SIM_NEVER / 4, UINT64_MAX), SIM_NEVER / 2);
	ck_assert_uint_eq(sim_dist_lognormal(0, 1, UINT64_MAX), 0);
}
END_TEST

/* The threshold between yes and no is e^(-k/n) 2^64. */
START_TEST(test_decay)
{
	static const uint64_t ks[] = {1, 10, 524285, 3, 40, 1, 2400000};
	static const uint64_t ns[] = {1000000, 3, 524285, 2, 1, UINT64_MAX, 600000};
	long double p = expl(-(long double)ks[_i] / ns[_i]) * 0x1p64L, slack = 0x1p10L;

	if (p > slack)
		ck_assert(sim_dist_decay((uint64_t)(p - slack), ks[_i], ns[_i]));
	if (p + slack < 0x1p64L)
		ck_assert(!sim_dist_decay((uint64_t)(p + slack), ks[_i], ns[_i]));
}
END_TEST

START_TEST(test_decay_ends)
{
	ck_assert(sim_dist_decay(UINT64_MAX, 0, 5));
	ck_assert(sim_dist_decay(UINT64_MAX, 0, 0));
	ck_assert(!sim_dist_decay(0, 1, 0));
	ck_assert(!sim_dist_decay(0, 45, 1));
	ck_assert(!sim_dist_decay(0, UINT64_MAX, 1));
	ck_assert(sim_dist_decay(0, 44, 1));
}
END_TEST

START_TEST(test_weighted)
{
	static const uint64_t w[] = {3, 0, 1, 6};
	unsigned seen[4] = {0};

	for (unsigned i = 0; i < 1000; i++)
		seen[sim_dist_weighted((uint64_t)(((fixed_uwide)i << 64) / 1000) + 1, w, 4, 10)]++;
	ck_assert(seen[0] == 300 && seen[1] == 0 && seen[2] == 100 && seen[3] == 600);
	ck_assert_uint_eq(sim_dist_weighted(UINT64_MAX, w, 4, 10), 3);
	ck_assert_uint_eq(sim_dist_weighted(UINT64_MAX, w, 1, 3), 0);
}
END_TEST

/* Golden: the bits of every host. */
START_TEST(test_golden)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t u = spread(i);

		hash = sim_draw(hash, sim_dist_exp(u, SIM_MS), sim_dist_normal(u, SIM_MS, SIM_US));
		hash = sim_draw(hash, sim_dist_lognormal(u, SIM_MS, 700000), sim_dist_uniform(u, 5, SIM_S));
		hash = sim_draw(hash, (uint64_t)sim_dist_decay(u, i, 100), 0);
	}
	ck_assert_uint_eq(hash, UINT64_C(2914576831119845911));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dist");
	TCase *fixed = tcase_create("fixed"), *dist = tcase_create("dist");

	tcase_set_timeout(fixed, 60);
	tcase_set_timeout(dist, 60);
	tcase_add_test(fixed, test_ln);
	tcase_add_test(fixed, test_exp_function);
	tcase_add_test(fixed, test_sqrt);
	tcase_add_test(fixed, test_normal_quantiles);
	tcase_add_test(dist, test_uniform);
	tcase_add_test(dist, test_exp);
	tcase_add_loop_test(dist, test_means, 0, 4);
	tcase_add_loop_test(dist, test_sampled_moments, 0, 4);
	tcase_add_test(dist, test_normal);
	tcase_add_test(dist, test_lognormal);
	tcase_add_loop_test(dist, test_decay, 0, 7);
	tcase_add_test(dist, test_decay_ends);
	tcase_add_test(dist, test_weighted);
	tcase_add_test(dist, test_golden);
	suite_add_tcase(suite, fixed);
	suite_add_tcase(suite, dist);
	return run_suite(suite);
}
