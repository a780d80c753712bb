/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a handful of runs with different seeds say about a value: its mean and the 95 %
 * confidence interval by Student's t. Integers throughout, so that every host prints the same.
 */
#ifndef SIM_REPORT_STUDENT_H
#define SIM_REPORT_STUDENT_H

#include <stdbool.h>
#include <stdint.h>

#define STUDENT_PPM UINT64_C(1000000)

struct spread {
	uint64_t mean; /* rounded half up */
	uint64_t half; /* the interval is mean - half .. mean + half; rounded up */
	bool known;    /* at least two values: there is an interval */
};

/* Of @n >= 1 values. */
struct spread spread_of(const uint64_t *x, unsigned n);
/* Of the ratios @x[i] / @base[i], in ppm: the pairs had the same draws. False if some @base[i] is 0. */
bool spread_of_ratios(const uint64_t *x, const uint64_t *base, unsigned n, struct spread *s);
/* Two-sided 95 % quantile of Student's t for @df >= 1 degrees of freedom, in thousandths; between the table's
 * rows that of the fewer degrees. */
unsigned student_t(unsigned df);
/* Standard deviation (of the whole, not of a sample) over mean, in ppm, rounded down; 0 when all are 0. */
uint64_t cv_ppm_of(const uint64_t *x, unsigned n);
/* @part / @whole in ppm, rounded; UINT64_MAX where that is too much, 0 without a whole. */
uint64_t ppm_of(uint64_t part, uint64_t whole);

#endif
