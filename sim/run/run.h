/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a checked scenario: binds text, models and machine; watches with oracles;
 * folds records into a result; judges the expectations.
 */
#ifndef SIM_RUN_RUN_H
#define SIM_RUN_RUN_H

#include "sim/core/choice.h"
#include "sim/core/diag.h"
#include "sim/core/trace.h"
#include "sim/run/result.h"
#include "sim/scenario/scenario.h"

struct run_bound;
struct scene_ask;
struct story;

struct run_options {
	uint64_t seed;		   /* used if has_seed, else the scenario's */
	bool has_seed;
	bool poll;		   /* --spin=poll */
	struct sim_choice *choice; /* decides open orders in every run, rewound before each; NULL: the fixed order */
	const char *trace_path;	   /* NULL: none */
	unsigned trace_classes;	   /* of the file; 0: SCHED | LOCK | TASK */
	const char *again;	   /* what else a command that shows a finding again must say, with a blank before each; or NULL */
	uint64_t max_steps;	   /* 0: default (10^10) */
	sim_time max_time;	   /* cuts the run short (test --first); 0: none */
	bool no_compare;	   /* skip compare blocks */
	bool pieces;		   /* account waits by pieces though no expectation asks */
	bool bill;		   /* book where CPU time went: costs a record per line that moves */
	struct story *story;	   /* keeps the worst waits of the run (not of compare blocks), or NULL (story.h) */
	const struct scene_ask *scene; /* instants to be pictured, or NULL (scene.h) */
	bool bare;		   /* benchmarks: no records, hence no statistics, oracles, expectations or digest */
	const volatile int *interrupted; /* set by SIGINT */
	void (*listen)(void *user, const struct sim_rec *rec); /* extra subscriber, or NULL */
	unsigned listen_classes;
	void *listen_user;
	void (*bound)(void *user, const struct run_bound *b); /* called once everything is bound, or NULL */
	void (*names)(void *user, const struct sim_names *names); /* called once before the first record, or NULL */
};

/* The vocabulary of this build: presets, costs, registered models, findings. */
const struct scn_vocabulary *run_vocabulary(void);

/* Runs it, with its compare blocks. NULL only when the world failed (*@error set: path and reason; caller frees). */
struct run_result *run_scenario(const struct scenario *scn, const struct run_options *options, char **error);
/*
 * One compare block alone, judged against @own: the scenario's own result, under the same options. The result has
 * nothing but compare[0]. NULL as above.
 */
struct run_result *run_compare_block(const struct scenario *scn, const struct run_options *options, unsigned block,
				     const struct run_result *own, char **error);
void run_result_free(struct run_result *r);

#endif
