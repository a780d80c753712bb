/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics: everything that is said about the user's text.
 *
 * Each has a stable code LS-NNN and an id from the registry (diag.def); codes are never
 * reused. They are collected in order of discovery, ten at most, and printed as
 *
 *   file:line:column: error[LS-104 unknown-lock]: no lock "bsu"; did you mean "bus"?
 *       7 |   lock bsu
 *         |        ^~~
 */
#ifndef SIM_CORE_DIAG_H
#define SIM_CORE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sim_source { /* one file of text; outlives its diagnostics */
	const char *path;
	const char *text;
	size_t len;
};

struct sim_pos { /* a range of one line */
	const struct sim_source *source; /* NULL: the command line */
	uint32_t line, column;		 /* from 1; column in bytes */
	uint32_t width;			 /* bytes to underline, at least 1 */
};

enum sim_severity { SIM_ERROR, SIM_WARNING };

/* The registry: D(code, id, severity, "one-line meaning", "longer text for explain"). */
enum sim_diag_code {
#define D(code, id, severity, meaning, more) SIM_DIAG_##id = code,
#include "sim/core/diag.def"
#undef D
};

struct sim_diag_info {
	unsigned code;
	const char *id; /* "unknown-lock" */
	enum sim_severity severity;
	const char *meaning, *more;
};

/* By code, or NULL. */
const struct sim_diag_info *sim_diag_info(unsigned code);
/* All, in order of code; *@n is their number. */
const struct sim_diag_info *sim_diag_all(unsigned *n);

#define SIM_DIAG_MAX 10

struct sim_diag {
	enum sim_diag_code code;
	struct sim_pos pos;
	char text[240];
	char note[240]; /* "also defined at …", or empty */
};

struct sim_diags {
	struct sim_diag list[SIM_DIAG_MAX];
	unsigned count;	  /* in the list */
	unsigned errors;  /* of severity error, also beyond the list */
	bool stopped;	  /* the list is full: parsing should end */
	bool dropped;	  /* the last one added found no room: notes for it are dropped too */
	void *keep;	  /* texts that positions point into after a failed load: scenario_diags_finish() */
};

void sim_diag_add(struct sim_diags *d, enum sim_diag_code code, struct sim_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a note to the last diagnostic. */
void sim_diag_note(struct sim_diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_diag_print(FILE *out, const struct sim_diags *d, bool colour);

/* The name of @names (NULL-terminated) nearest to @word by edit distance, or NULL if none is near. */
const char *sim_nearest(const char *word, const char *const *names);

#endif
