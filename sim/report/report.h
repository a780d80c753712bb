/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: what a run came to, for people (text) and for programs (JSON), and what a
 * set of tests came to (text, TAP, JUnit). Everything is made from struct run_result;
 * no machine is known here. All functions append to a GString, so that a report is
 * the same bytes wherever it goes.
 */
#ifndef SIM_REPORT_REPORT_H
#define SIM_REPORT_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "sim/run/result.h"

#define REPORT_WIDTH 100

struct report_style {
	unsigned width; /* columns of the page, at least 60; 0: REPORT_WIDTH */
	bool colour;
};

/* The whole text report: header, locks, tasks, CPUs, pieces, compare blocks, findings, expectations. */
void report_text(GString *out, const struct run_result *r, const struct report_style *style);
/* Only what was missed: unexpected findings and expectations, of the run and of its compare blocks. */
void report_misses(GString *out, const struct run_result *r);
/* One JSON object, {"lockstep": 1, "kind": "run", …}, times in ps, and a newline. docs/json.md lists the keys. */
void report_json(GString *out, const struct run_result *r);
/* What a diagnostic code means; false if there is no such code. */
bool report_explain(GString *out, unsigned code);

/* "at the end of its time", … */
const char *report_end(enum run_end end);
/* The names of the distances, in the order of enum sim_dist. */
extern const char *const report_dist[RUN_DISTS];

/* Expectations that were met and not, compare blocks included. */
unsigned report_verdicts(const struct run_result *r, unsigned *missed);

#endif
