/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of times. Count, sum, min and max are exact; percentiles come from a
 * log-linear histogram: 64 buckets per power of two, so a bucket is at most 1/64 of its
 * values wide.
 *
 *	value < 64: its own bucket        else: octave e = log2(v) - 6, bucket 64 e + (v >> e)
 *
 * The buckets cost 15 kB, and most tasks wait once or never: up to two values are told by
 * min and max alone, and the buckets come with the third.
 */
#include <glib.h>

#include "sim/core/check.h"
#include "sim/run/result.h"
#include "sim/run/watch_impl.h"

#define SUB_BITS 6
#define SUB (1u << SUB_BITS)

static unsigned dist_bucket(sim_time t)
{
	unsigned e, i;

	if (t < SUB)
		return (unsigned)t;
	e = 63u - (unsigned)__builtin_clzll(t) - SUB_BITS;
	i = e * SUB + (unsigned)(t >> e);
	return i < RUN_DIST_BUCKETS ? i : RUN_DIST_BUCKETS - 1;
}

/* The greatest value of bucket @i. */
static sim_time dist_upper(unsigned i)
{
	unsigned e;

	if (i < 2 * SUB)
		return i;
	if (i == RUN_DIST_BUCKETS - 1)
		return SIM_NEVER;
	e = i / SUB - 1;
	return (((sim_time)(i - e * SUB) + 1) << e) - 1;
}

/* What min and max told so far goes into buckets. */
static void dist_spread(struct run_dist *d)
{
	sim_assert(!d->bucket && d->count <= 2);
	d->bucket = g_new0(uint32_t, RUN_DIST_BUCKETS);
	if (d->count >= 1)
		d->bucket[dist_bucket(d->min)]++;
	if (d->count == 2)
		d->bucket[dist_bucket(d->max)]++;
}

static void dist_count(struct run_dist *d, unsigned i, uint64_t n)
{
	uint32_t room = UINT32_MAX - d->bucket[i];

	d->bucket[i] += n < room ? (uint32_t)n : room;
}

void run_dist_add(struct run_dist *d, sim_time t)
{
	if (d->count >= 2) {
		if (!d->bucket)
			dist_spread(d);
		dist_count(d, dist_bucket(t), 1);
	}
	if (!d->count || t < d->min)
		d->min = t;
	if (t > d->max)
		d->max = t;
	d->count++;
	d->sum += t;
}

void watch_dist_raise(struct run_dist *d, sim_time t)
{
	if (t <= d->max)
		return;
	if (d->count && !d->bucket)
		dist_spread(d);
	d->max = t;
}

sim_time run_dist_at(const struct run_dist *d, unsigned permille)
{
	uint64_t rank, seen = 0;

	if (!d->count)
		return 0;
	if (!permille)
		return d->min;
	/* the smallest value with at least permille/1000 of all values at or below it; no overflow below 2^54 values */
	rank = (d->count * permille + 999) / 1000;
	if (!d->bucket)
		return rank <= 1 ? d->min : d->max;
	for (unsigned i = 0; i < RUN_DIST_BUCKETS; i++) {
		seen += d->bucket[i];
		if (seen >= rank)
			return dist_upper(i) < d->max ? dist_upper(i) : d->max;
	}
	return d->max;
}

sim_time run_dist_mean(const struct run_dist *d)
{
	return d->count ? d->sum / d->count : 0;
}

void run_dist_merge(struct run_dist *into, const struct run_dist *from)
{
	if (from->count) {
		if (!into->bucket)
			dist_spread(into);
		if (from->bucket) {
			for (unsigned i = 0; i < RUN_DIST_BUCKETS; i++)
				dist_count(into, i, from->bucket[i]);
		} else {
			dist_count(into, dist_bucket(from->min), 1);
			if (from->count == 2)
				dist_count(into, dist_bucket(from->max), 1);
		}
		if (!into->count || from->min < into->min)
			into->min = from->min;
	}
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
}

void run_dist_free(struct run_dist *d)
{
	g_free(d->bucket);
	*d = (struct run_dist){ 0 };
}
