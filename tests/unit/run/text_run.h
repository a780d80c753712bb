/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a text and keeps its records: for tests of programs and of whole runs. */
#ifndef TESTS_UNIT_RUN_TEXT_RUN_H
#define TESTS_UNIT_RUN_TEXT_RUN_H

#include "sim/run/run.h"

#define TEXT_RECORDS 65536

struct text_run {
	struct scenario *scn;
	struct run_result *result;
	char *error;
	struct sim_rec rec[TEXT_RECORDS]; /* of SCHED | LOCK | TASK */
	unsigned nrec;
};

/* Parses and runs @text. A text with mistakes fails the test. @options may be NULL. Free with text_free(). */
struct text_run *text_run(const char *text, const struct run_options *options);
void text_free(struct text_run *t);
/* The n-th (from 0) record of @type about @task (1 + index; 0: any), or NULL. */
const struct sim_rec *text_find(const struct text_run *t, enum sim_rec_type type, uint32_t task, unsigned n);
unsigned text_count(const struct text_run *t, enum sim_rec_type type, uint32_t task);

#endif
