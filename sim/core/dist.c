/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions in integers. A draw u of 64 bits stands for the probability (u + 1/2) / 2^64;
 * each distribution is the inverse of its distribution function there, in fixed point
 * (fixed.h), and its result is rounded to a picosecond. Bounds, before that rounding:
 *
 *   uniform    each value's probability is right to 2^-64
 *   exp        -ln((u + 1) / 2^64) to 2^-54 of the mean; the tail ends at 44.4 means (2^-64)
 *   normal     quantiles to 2^-20 standard deviations; the tails end at 9.1 of them
 *   lognormal  relative 2^-20 sigma, where sigma^2 = ln(1 + cv^2); cv up to 4294
 *   decay      probability to 2^-54
 *
 * tests/unit/core/dist.c holds them against libm. All are monotone in u but for decay and
 * weighted, so that two draws compare as their results do. exp falls with u.
 */
#include "sim/core/check.h"
#include "sim/core/fixed.h"
#include "sim/core/prng.h"

#define MOST ((sim_time)(SIM_NEVER / 2))
#define CV_MAX UINT64_C(4294000000) /* ppm; its square and 10^12 fit into 64 bits */

static sim_time saturated(fixed_uwide t)
{
	return t > MOST ? MOST : (sim_time)t;
}

sim_time sim_dist_uniform(uint64_t u, sim_time lo, sim_time hi)
{
	fixed_uwide n;

	if (hi <= lo)
		return saturated(lo);
	n = (fixed_uwide)(hi - lo) + 1;
	/* u * n may need 128 bits and a little: n is 2^64 only for the full range. */
	return saturated(lo + (n >> 64 ? u : (u * n) >> 64));
}

sim_time sim_dist_exp(uint64_t u, sim_time mean)
{
	const fixed_wide all = 64 * (fixed_wide)FIXED_LN2_Q62 >> 6;
	fixed_wide e = u == UINT64_MAX ? 0 : all - sim_fixed_ln(u + 1);

	if (e < 0)
		e = 0;
	return saturated(((fixed_uwide)e * mean + ((fixed_uwide)1 << 55)) >> 56);
}

sim_time sim_dist_normal(uint64_t u, sim_time mean, sim_time sd)
{
	int64_t z = sim_fixed_normal(u);
	fixed_uwide off = ((fixed_uwide)(z < 0 ? -z : z) * sd + ((fixed_uwide)1 << 39)) >> 40;

	if (z >= 0)
		return saturated(mean + off);
	return off >= mean ? 0 : saturated(mean - off);
}

/* @t * @m * 2^@k with @m in Q62, rounded. */
static sim_time scaled(sim_time t, uint64_t m, int k)
{
	fixed_uwide product = (fixed_uwide)t * m;
	int down = 62 - k;

	if (down > 127)
		return 0;
	if (down > 0)
		return saturated(((product >> (down - 1)) + 1) >> 1);
	return product ? MOST : 0; /* e^x at 2^62 and more */
}

/* The mean of e^(mu + sigma z) is e^(mu + sigma^2 / 2): hence mean * e^(sigma z - sigma^2 / 2). */
sim_time sim_dist_lognormal(uint64_t u, sim_time mean, uint64_t cv_ppm)
{
	const uint64_t one = UINT64_C(1000000000000); /* ppm squared */
	int64_t sigma2, sigma, x;
	uint64_t m;
	int k;

	if (cv_ppm > CV_MAX)
		cv_ppm = CV_MAX;
	sigma2 = sim_fixed_ln(one + cv_ppm * cv_ppm) - sim_fixed_ln(one); /* Q56, up to 16.8 */
	if (sigma2 <= 0)
		return saturated(mean);
	sigma = (int64_t)sim_fixed_sqrt((uint64_t)sigma2 << 2);                    /* Q29 */
	x = (int64_t)((fixed_wide)sigma * sim_fixed_normal(u) >> 13) - sigma2 / 2; /* Q29 + Q40 - 13 = Q56 */
	m = sim_fixed_exp(x, &k);
	return scaled(mean, m, k);
}

int sim_dist_decay(uint64_t u, uint64_t k, uint64_t n)
{
	fixed_uwide x;
	uint64_t m;
	int shift;

	if (!k)
		return 1;
	if (!n)
		return 0;
	if (k / n >= 45) /* e^-45 < 2^-64 */
		return 0;
	x = ((fixed_uwide)k << 56) / n;
	m = sim_fixed_exp(-(int64_t)x, &shift);
	/* m * 2^shift in Q62; as Q64 it is m * 2^(shift + 2), and shift is never above 0 */
	if (shift + 2 >= 0)
		return (fixed_uwide)u < (fixed_uwide)m << (shift + 2);
	return u < m >> -(shift + 2);
}

unsigned sim_dist_weighted(uint64_t u, const uint64_t *w, unsigned n, uint64_t total)
{
	uint64_t at;

	sim_assert(n && total && total < UINT64_C(1) << 32);
	at = (uint64_t)((fixed_uwide)u * total >> 64);
	for (unsigned i = 0; i < n; i++) {
		if (at < w[i])
			return i;
		at -= w[i];
	}
	sim_assert(!"the weights sum up to less than their total");
	return 0;
}
