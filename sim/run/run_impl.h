/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run in progress: what run.c and run_result.c share. */
#ifndef SIM_RUN_RUN_IMPL_H
#define SIM_RUN_RUN_IMPL_H

#include "sim/run/bind_impl.h"
#include "sim/run/run.h"

struct run {
	const struct run_options *options;
	const struct scn_compare *compare; /* whose model is used instead, or NULL */
	struct run_bound bound;
	struct bind_pool *pool; /* goes to the result: it has the names */
	struct sim_trace trace;
	struct sim_choice fixed; /* without options->choice */
	struct sim_trace_writer *writer;
	struct watch *watch; /* NULL in a bare run */
	unsigned scenes; /* taken so far */
	enum sim_stop why;
	sim_time end; /* of the window */
};

/* Nothing more can happen before the end of a fixed window: it counts in full. */
bool run_to_end(const struct run *r);
/* Was the run not cut short before it could show what the scenario asks for? */
bool run_complete(const struct run *r);
/* What is known of the run itself; the watch adds what it saw. */
void run_fill_result(struct run *r, struct run_result *res);

#endif
