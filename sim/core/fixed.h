/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed-point functions for the distributions. Qn means n bits after the point. The same
 * bits on every host. Private to sim/core.
 */
#ifndef SIM_CORE_FIXED_H
#define SIM_CORE_FIXED_H

#include <stdint.h>

__extension__ typedef __int128 fixed_wide;
__extension__ typedef unsigned __int128 fixed_uwide;

#define FIXED_LN2_Q62 INT64_C(0x2c5c85fdf473de6b)

/* ln @x in Q56, for x >= 1. Error below 2^-54. */
int64_t sim_fixed_ln(uint64_t x);
/* e^@x for @x in Q56: the result m (Q62, 0.70..1.42) stands for m * 2^*@k. Relative error below 2^-54. */
uint64_t sim_fixed_exp(int64_t x, int *k);
/* Largest r with r * r <= @x. */
uint64_t sim_fixed_sqrt(uint64_t x);
/* The quantile of the standard normal distribution for probability (@u + 1/2) / 2^64, in Q40. Error below
 * 2^-20. */
int64_t sim_fixed_normal(uint64_t u);

#endif
