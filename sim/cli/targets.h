/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published figures, and how a scenario shows them: the file scenarios/results/targets, one
 * stanza a row of the table of `lockstep validate`. The file's head describes its form.
 */
#ifndef SIM_CLI_TARGETS_H
#define SIM_CLI_TARGETS_H

#include <glib.h>
#include <stdbool.h>

#include "sim/run/result.h"

enum target_unit {
	TARGET_TIME,   /* ps */
	TARGET_NUMBER, /* thousandths */
	TARGET_SHARE,  /* ppm, printed in percent */
	TARGET_RATIO,  /* ppm */
};

struct target {
	char *name, *result, *title, *scenario; /* scenario: path */
	char *measure, *lock; /* lock NULL: all */
	char **set;	      /* NAME=VALUE */
	char *against_scenario, **against; /* NULL: no ratio */
	unsigned seeds;
	bool calibrated;   /* the parameters were fitted on this figure */
	bool reported;	   /* printed beside the published figure, not judged */
	bool known_miss;
	char *source, *fitted, *unexplained, *analysis; /* or NULL */
	enum target_unit unit;
	uint64_t published[2], accepted[2]; /* from, to */
	char *published_text;
};

/* A GPtrArray of struct target *; NULL after a message. */
GPtrArray *targets_read(const char *path);
void targets_free(GPtrArray *targets);

/*
 * The value of a measure: an id of sim/report/measure.h, or done, done:NAME, reads, writes, slept, event:NAME; wait_*
 * and hold_mean may have "read." or "write." in front; "A / B" is the quotient. False if there is no such
 * value. With @r NULL only @unit is filled.
 */
bool target_value(const struct run_result *r, const char *measure, const char *lock, enum target_unit *unit, uint64_t *v);
void target_put(GString *out, enum target_unit unit, uint64_t v);

#endif
