/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of times. Count, sum, min and max are exact; percentiles come from a
 * log-linear histogram: 64 counters per power of two, so that a counter is at most 1/64 of
 * its values wide.
 *
 *	value < 128: its own counter        else: octave e = log2(v) - 6, counter (v >> e) - 64 of it
 *
 * Up to two values are told by min and max alone: most tasks wait once or never. From the
 * third on there is a table of octaves, and 64 counters for each octave that was met.
 */
#include <glib.h>

#include "sim/core/check.h"
#include "sim/run/result.h"
#include "sim/run/watch_impl.h"

#define SUB_BITS 6
#define SUB (1u << SUB_BITS)

/* Octave 0 holds 0 .. 127 exactly, octave e > 0 the values from 64 << e, in steps of 1 << e. */
static inline unsigned dist_octave(sim_time t)
{
	return t < 2 * SUB ? 0 : 63u - (unsigned)__builtin_clzll(t) - SUB_BITS;
}

static unsigned dist_room(unsigned e)
{
	return e ? SUB : 2 * SUB;
}

/* The greatest value of counter @i of octave @e. */
static sim_time dist_upper(unsigned e, unsigned i)
{
	return (((sim_time)i + (e ? SUB : 0) + 1) << e) - 1;
}

static void dist_count(struct run_dist *d, sim_time t)
{
	unsigned e = dist_octave(t);
	uint32_t *n = d->octave[e];

	if (__builtin_expect(!n, 0))
		n = d->octave[e] = g_new0(uint32_t, dist_room(e));
	n += (t >> e) - (e ? SUB : 0);
	*n += *n != UINT32_MAX;
}

/* What min and max told so far goes into counters. */
static void dist_spread(struct run_dist *d)
{
	sim_assert(!d->octave && d->count <= 2);
	d->octave = g_new0(uint32_t *, RUN_DIST_OCTAVES);
	if (d->count >= 1)
		dist_count(d, d->min);
	if (d->count == 2)
		dist_count(d, d->max);
}

/* The first values, and those that open an octave or move an end. */
static void __attribute__((__noinline__)) dist_add_slow(struct run_dist *d, sim_time t)
{
	if (d->count >= 2) {
		if (!d->octave)
			dist_spread(d);
		dist_count(d, t);
	}
	if (!d->count || t < d->min)
		d->min = t;
	if (t > d->max)
		d->max = t;
	d->count++;
	d->sum += t;
}

void run_dist_add(struct run_dist *d, sim_time t)
{
	unsigned e = dist_octave(t);
	uint32_t *n = d->octave ? d->octave[e] : NULL;

	if (__builtin_expect(!n || t - d->min > d->max - d->min, 0)) {
		dist_add_slow(d, t);
		return;
	}
	n += (t >> e) - (e ? SUB : 0);
	*n += *n != UINT32_MAX;
	d->count++;
	d->sum += t;
}

void watch_dist_raise(struct run_dist *d, sim_time t)
{
	if (t <= d->max)
		return;
	if (d->count && !d->octave)
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
	/* the smallest value with at least permille/1000 of all values at or below it; no overflow below 2^54
	 * values */
	rank = (d->count * permille + 999) / 1000;
	if (!d->octave)
		return rank <= 1 ? d->min : d->max;
	for (unsigned e = 0; e < RUN_DIST_OCTAVES; e++) {
		for (unsigned i = 0; d->octave[e] && i < dist_room(e); i++) {
			seen += d->octave[e][i];
			if (seen >= rank)
				return MIN(dist_upper(e, i), d->max);
		}
	}
	return d->max;
}

sim_time run_dist_mean(const struct run_dist *d)
{
	return d->count ? d->sum / d->count : 0;
}

static void dist_count_all(struct run_dist *into, const struct run_dist *from)
{
	for (unsigned e = 0; e < RUN_DIST_OCTAVES; e++) {
		if (!from->octave[e])
			continue;
		if (!into->octave[e])
			into->octave[e] = g_new0(uint32_t, dist_room(e));
		for (unsigned i = 0; i < dist_room(e); i++) {
			uint32_t room = UINT32_MAX - into->octave[e][i];

			into->octave[e][i] += MIN(room, from->octave[e][i]);
		}
	}
}

void run_dist_merge(struct run_dist *into, const struct run_dist *from)
{
	if (from->count) {
		if (!into->octave)
			dist_spread(into);
		if (from->octave) {
			dist_count_all(into, from);
		} else {
			dist_count(into, from->min);
			if (from->count == 2)
				dist_count(into, from->max);
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
	for (unsigned e = 0; d->octave && e < RUN_DIST_OCTAVES; e++)
		g_free(d->octave[e]);
	g_free(d->octave);
	*d = (struct run_dist){0};
}
