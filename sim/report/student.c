// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/student.h"

#include <glib.h>

__extension__ typedef unsigned __int128 wide;

/* Larger values lose their low bits, so that squares of them can be summed. */
#define SAFE_BITS 52

unsigned student_t(unsigned df)
{
	static const unsigned first[] = { 12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228,
					  2201,	 2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093, 2086,
					  2080,	 2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042 };

	if (df <= G_N_ELEMENTS(first))
		return first[df ? df - 1 : 0];
	return df < 40 ? 2042 : df < 60 ? 2021 : df < 120 ? 2000 : 1980;
}

/* Largest r with r * r <= x. */
static uint64_t root(wide x)
{
	wide r = 0;

	for (wide bit = (wide)1 << 126; bit; bit >>= 2) {
		if (x >= r + bit) {
			x -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return (uint64_t)r;
}

static unsigned shift_of(const uint64_t *x, unsigned n)
{
	unsigned shift = 0;

	for (unsigned i = 0; i < n; i++)
		while (x[i] >> shift >> SAFE_BITS)
			shift++;
	return shift;
}

struct spread spread_of(const uint64_t *x, unsigned n)
{
	unsigned shift = shift_of(x, n);
	wide sum = 0, squares = 0, deviation;
	struct spread s = { 0 };

	for (unsigned i = 0; i < n; i++) {
		wide v = x[i] >> shift;

		sum += v;
		squares += v * v;
	}
	s.mean = (uint64_t)(((sum << shift) + n / 2) / n);
	if (n < 2)
		return s;
	s.known = true;
	/* t sd / sqrt(n), where sd^2 = (n sum x^2 - (sum x)^2) / (n (n - 1)) */
	deviation = (squares * n - sum * sum) / (n - 1);
	/* four more bits of the root where they fit: small counts have small deviations */
	if (deviation >> 100)
		s.half = (uint64_t)(((wide)student_t(n - 1) * root(deviation) / n + 999) / 1000);
	else
		s.half = (uint64_t)(((wide)student_t(n - 1) * root(deviation << 20) / n + 1023999) / 1024000);
	s.half <<= shift;
	return s;
}

uint64_t ppm_of(uint64_t part, uint64_t whole)
{
	wide ppm = whole ? ((wide)part * STUDENT_PPM + whole / 2) / whole : 0;

	return ppm > UINT64_MAX ? UINT64_MAX : (uint64_t)ppm;
}

uint64_t cv_ppm_of(const uint64_t *x, unsigned n)
{
	unsigned shift = shift_of(x, n);
	wide sum = 0, squares = 0, spread, square, ppm2 = (wide)STUDENT_PPM * STUDENT_PPM;

	for (unsigned i = 0; i < n; i++) {
		wide v = x[i] >> shift;

		sum += v;
		squares += v * v;
	}
	/* sqrt(n sum x^2 - (sum x)^2) / sum x; the scale goes where there is room for it */
	spread = squares * n - sum * sum;
	square = sum * sum;
	if (!square)
		return 0;
	return root(spread >> 88 ? spread / MAX(square / ppm2, 1) : spread * ppm2 / square);
}

bool spread_of_ratios(const uint64_t *x, const uint64_t *base, unsigned n, struct spread *s)
{
	g_autofree uint64_t *ratio = g_new(uint64_t, n);

	for (unsigned i = 0; i < n; i++) {
		if (!base[i])
			return false;
		ratio[i] = ppm_of(x[i], base[i]);
	}
	*s = spread_of(ratio, n);
	return true;
}
