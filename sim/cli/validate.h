/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `lockstep validate` found out, row by row, and its forms. */
#ifndef SIM_CLI_VALIDATE_H
#define SIM_CLI_VALIDATE_H

#include "sim/cli/targets.h"
#include "sim/report/student.h"

struct verdict_row {
	const struct target *t;
	struct spread seen;  /* over the seeds */
	bool has, met;	     /* has: there is a value */
	char *broken;	     /* why not */
};

/* As signed tenths of a percent off the nearest end of what was published; 0 within it. */
int64_t validate_error(const struct verdict_row *row);
/* For a terminal. */
void validate_text(GString *out, const struct verdict_row *rows, unsigned n);
/* The page docs/validation.md. */
void validate_markdown(GString *out, const struct verdict_row *rows, unsigned n);
void validate_json(GString *out, const struct verdict_row *rows, unsigned n);

#endif
