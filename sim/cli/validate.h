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
	char *kept, *kept_notes; /* of an older page, instead of all this; or NULL */
};

/* As signed tenths of a percent off the nearest end of what was published; 0 within it. */
int64_t validate_error(const struct verdict_row *row);
/* For a terminal. */
void validate_text(GString *out, const struct verdict_row *rows, unsigned n);
/* Texts of cells, to be freed. */
char *validate_seen(const struct verdict_row *row);
char *validate_accepted(const struct target *t);
char *validate_off(const struct verdict_row *row);
const char *validate_verdict(const struct verdict_row *row);
/* The page docs/validation.md. */
void validate_markdown(GString *out, const struct verdict_row *rows, unsigned n);
/* Writes that page of all targets of @file to @path: @rows, of some of them, and the others as it had them. False after a message. */
bool validate_update(const char *path, const GPtrArray *file, const struct verdict_row *rows, unsigned n);
void validate_json(GString *out, const struct verdict_row *rows, unsigned n);

#endif
