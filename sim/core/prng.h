/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers: counter-based, so that a draw is a pure function of its key.
 * Common random numbers: a draw of a task's program is keyed by (seed, task name and
 * instance, statement, visit), so that adding a task or taking another branch does not
 * shift the draws of anybody else.
 */
#ifndef SIM_CORE_PRNG_H
#define SIM_CORE_PRNG_H

#include "sim/core/clock.h"

/* The key of a named stream: a hash of (@seed, @name, @instance); host-independent. */
uint64_t sim_stream(uint64_t seed, const char *name, uint64_t instance);
/* The draw number (@a, @b) of stream @key: 64 uniform bits. */
uint64_t sim_draw(uint64_t key, uint64_t a, uint64_t b);

/*
 * Integer distributions. @u is one draw of 64 uniform bits (two for normal). Error
 * bounds are documented in dist.c. Results saturate at SIM_NEVER / 2.
 */
sim_time sim_dist_uniform(uint64_t u, sim_time lo, sim_time hi);	    /* lo..hi inclusive */
sim_time sim_dist_exp(uint64_t u, sim_time mean);
sim_time sim_dist_normal(uint64_t u, sim_time mean, sim_time sd);	    /* clamped at 0 */
/* @cv_ppm: coefficient of variation in millionths. */
sim_time sim_dist_lognormal(uint64_t u, sim_time mean, uint64_t cv_ppm);
/* e^(-k/n) >= u / 2^64? For decay($K, N): the first branch with that probability. */
int sim_dist_decay(uint64_t u, uint64_t k, uint64_t n);
/* Index of the chosen weight; @total is the sum of @w[0..n-1], below 2^32. */
unsigned sim_dist_weighted(uint64_t u, const uint64_t *w, unsigned n, uint64_t total);

#endif
