/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of `lockstep compare`, in processes of their own: one for each seed, which runs the scenario and then
 * starts one for each compare block, since blocks are judged against the scenario's own run.
 */
#ifndef SIM_CLI_COMPARE_RUNS_H
#define SIM_CLI_COMPARE_RUNS_H

#include "sim/report/versus.h"
#include "sim/run/run.h"

struct compare_place { /* of a compare block */
	unsigned lock, side;
};

struct compare_runs {
	const struct scenario *scn;
	const struct run_options *options;
	const struct compare_place *place; /* by block */
	bool bill;			   /* of the first seed */
	unsigned jobs;			   /* processes that run at a time */
	struct versus *v;		   /* filled: measures, bills, machine, met and missed */
	GString *misses;		   /* what was missed, by seed */
	GPtrArray *parts, *memory;	   /* GVariants that names point into, and bills: they live as long as @v */
	bool broken;			   /* a run had no result */
};

/* CLI_FINE, CLI_MISSED, CLI_WORLD (after a message, or a limit was reached) or CLI_INTERRUPTED; *@whole: all were run. */
int compare_runs(struct compare_runs *c, bool *whole);

#endif
