/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core/check.h"
#include "sim/core/fixed.h"

/* One half of the error budget is the truncated series, the other the shifts. */
static inline int64_t mul62(int64_t a, int64_t b)
{
	return (int64_t)((fixed_wide)a * b >> 62);
}

/*
 * x = m * 2^k with m in 0.70..1.42; ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
 * The first term left out is 2 s^23 / 23 < 2^-61.
 */
int64_t sim_fixed_ln(uint64_t x)
{
	static const int64_t odd[] = {/* 1 / (2n + 1) in Q62 */
				      0x4000000000000000, 0x1555555555555555, 0x0ccccccccccccccd,
				      0x0924924924924925, 0x071c71c71c71c71c, 0x05d1745d1745d174,
				      0x04ec4ec4ec4ec4ec, 0x0444444444444444, 0x03c3c3c3c3c3c3c4,
				      0x035e50d79435e50d, 0x030c30c30c30c30c};
	int k = 63 - __builtin_clzll(x);
	uint64_t m = x << (63 - k); /* Q63, 1..2 */
	int64_t s, s2, sum = 0;

	sim_assert(x);
	if (m > UINT64_C(0xb504f333f9de6485)) { /* the root of 2 */
		m >>= 1;
		k++;
	}
	s = (int64_t)(((fixed_wide)m - ((fixed_wide)1 << 63)) * ((int64_t)1 << 61) /
		      (fixed_wide)((m >> 1) + (UINT64_C(1) << 62)));
	s2 = mul62(s, s);
	for (int n = 10; n >= 0; n--)
		sum = odd[n] + mul62(sum, s2);
	return (int64_t)(((fixed_wide)k * FIXED_LN2_Q62 + 2 * (fixed_wide)mul62(sum, s) + 32) >> 6);
}

/* x = k ln 2 + r with |r| < 0.347, and the series of e^r; the first term left out is r^15 / 15! < 2^-62. */
uint64_t sim_fixed_exp(int64_t x, int *k)
{
	static const int64_t c[] = {/* 1 / n! in Q62 */
				    0x4000000000000000, 0x4000000000000000, 0x2000000000000000,
				    0x0aaaaaaaaaaaaaab, 0x02aaaaaaaaaaaaab, 0x0088888888888889,
				    0x0016c16c16c16c17, 0x0003403403403403, 0x0000680680680680,
				    0x00000b8ef1d2ab64, 0x00000127e4fb778a, 0x0000001ae64567f5,
				    0x000000023ddb1dff, 0x000000002c248c27, 0x0000000003272e95};
	const int64_t ln2 = FIXED_LN2_Q62 >> 6, half = ln2 / 2;
	int64_t r, sum = 0;

	*k = (int)((x < 0 ? x - half : x + half) / ln2);
	r = (int64_t)((fixed_wide)x * 64 - (fixed_wide)*k * FIXED_LN2_Q62);
	for (int n = 14; n >= 0; n--)
		sum = c[n] + mul62(sum, r);
	return (uint64_t)sum;
}

/* Newton's iteration from above. */
uint64_t sim_fixed_sqrt(uint64_t x)
{
	uint64_t r, next;

	if (x < 2)
		return x;
	r = UINT64_C(1) << (65 - __builtin_clzll(x)) / 2;
	for (;;) {
		next = (r + x / r) / 2;
		if (next >= r)
			return r;
		r = next;
	}
}

/* @p[0] + @p[1] @r + ... in Q40. */
static int64_t poly40(const int64_t *p, int n, int64_t r)
{
	int64_t sum = 0;

	while (n--)
		sum = p[n] + (int64_t)((fixed_wide)sum * r >> 40);
	return sum;
}

/*
 * M. J. Wichura, Algorithm AS 241 (Applied Statistics 37, 1988), the rational functions of
 * PPND7: three ranges, relative error about 10^-7. Coefficients in Q40, lowest power first:
 *   a  3.3871327179  50.434271938  159.29113202  59.109374720
 *   b  1  17.895169469  78.757757664  67.187563600
 *   c  1.4234372777  2.7568153900  1.3067284816  0.17023821103
 *   d  1  0.73700164250  0.12021132975
 *   e  6.6579051150  3.0812263860  0.42868294337  0.017337203997
 *   f  1  0.24197894225  0.012258202635
 */
static const int64_t ppnd_a[] = {INT64_C(3724191808152), INT64_C(55453068434248), INT64_C(175142451857592),
				 INT64_C(64991444815209)};
static const int64_t ppnd_b[] = {INT64_C(1099511627776), INT64_C(19675946912188), INT64_C(86595070329132),
				 INT64_C(73873507420140)};
static const int64_t ppnd_c[] = {INT64_C(1565085838241), INT64_C(3031150576937), INT64_C(1436763159865),
				 INT64_C(187178892519)};
static const int64_t ppnd_d[] = {INT64_C(1099511627776), INT64_C(810341875619), INT64_C(132173754851)};
static const int64_t ppnd_e[] = {INT64_C(7320444090572), INT64_C(3387844239217), INT64_C(471341880865),
				 INT64_C(19062457388)};
static const int64_t ppnd_f[] = {INT64_C(1099511627776), INT64_C(266058660681), INT64_C(13478036333)};

#define Q40_0_180625 INT64_C(198599287767) /* 0.425 squared */
#define Q40_1_6 INT64_C(1759218604442)
#define Q40_5 ((int64_t)5 << 40)

static int64_t ratio40(int64_t num, int64_t den)
{
	return (int64_t)((fixed_wide)num * ((int64_t)1 << 40) / den);
}

/* @q: distance from probability 1/2, Q64, at most 0.425. */
static int64_t normal_middle(uint64_t q)
{
	int64_t r = Q40_0_180625 - (int64_t)((fixed_uwide)q * q >> 88);
	int64_t ratio = ratio40(poly40(ppnd_a, 4, r), poly40(ppnd_b, 4, r));

	return (int64_t)((fixed_uwide)q * (uint64_t)ratio >> 64);
}

/* @tail: the probability beyond is (@tail - 1/2) / 2^64, below 0.075. */
static int64_t normal_tail(uint64_t tail)
{
	int64_t l =
		(65 * (fixed_wide)FIXED_LN2_Q62 >> 6) - sim_fixed_ln(2 * tail - 1); /* -ln, Q56, 2.5..45.1 */
	int64_t r = (int64_t)sim_fixed_sqrt((uint64_t)l << 2) << 11;                /* root of Q58 is Q29 */

	if (r <= Q40_5) {
		r -= Q40_1_6;
		return ratio40(poly40(ppnd_c, 4, r), poly40(ppnd_d, 3, r));
	}
	r -= Q40_5;
	return ratio40(poly40(ppnd_e, 4, r), poly40(ppnd_f, 3, r));
}

/* Exactly symmetric: u and ~u give opposite values. */
int64_t sim_fixed_normal(uint64_t u)
{
	const uint64_t half = UINT64_C(1) << 63;
	uint64_t tail = u < half ? u + 1 : -u; /* 1..half */
	uint64_t q = half - tail;
	int64_t z;

	if (q <= UINT64_C(7839866231326559437)) /* 0.425 * 2^64 */
		z = normal_middle(q);
	else
		z = normal_tail(tail);
	return u < half ? -z : z;
}
