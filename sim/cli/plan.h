/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of a sweep: the cross product of what --vary says, times the seeds, in a fixed
 * order: the first --vary changes slowest, the seed fastest.
 */
#ifndef SIM_CLI_PLAN_H
#define SIM_CLI_PLAN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PLAN_RUNS_MAX UINT64_C(10000000)

struct plan_axis {
	char *name;
	GPtrArray *values; /* char * */
};

struct plan {
	GPtrArray *axes; /* struct plan_axis */
	uint64_t first_seed, nseeds;
	uint64_t combinations; /* without seeds */
};

/*
 * Adds "P=a,b,c", where an element may be a range: "1..80*2" (1 2 4 … 64), "10..50+20" (10 30 50), with a unit behind
 * every number or none: "1us..8us*2". NULL, or what is wrong (caller frees).
 */
char *plan_vary(struct plan *plan, const char *text);
/* The assignments "name=value" of combination @i, in the order of the axes; NULL-terminated; g_strfreev(). */
char **plan_sets(const struct plan *plan, uint64_t i);
/* All assignments as they stand in the store: sorted by name, separated by blanks. @fixed: of --set, or NULL. */
char *plan_params(const struct plan *plan, uint64_t i, const char *const *fixed);

void plan_init(struct plan *plan);
void plan_finish(struct plan *plan);

#endif
