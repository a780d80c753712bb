/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligned tables of text. The first column is left-aligned, the others right-aligned.
 *
 *              wait
 *   lock        min   mean    max     <- two header lines when a column has a top label
 *   bus         1us    2us    3us
 *
 * A table wider than the page is cut into several, each repeating the first column.
 */
#ifndef SIM_REPORT_TABLE_H
#define SIM_REPORT_TABLE_H

#include <glib.h>
#include <stdbool.h>

#include "sim/core/clock.h"

enum table_column_flags {
	TABLE_LEFT = 1,	     /* left-aligned */
	TABLE_HIDE = 2,	     /* not printed when every cell is "-" or empty */
	TABLE_KEEP = 4,	     /* never cut the table before this column */
};

struct table;

struct table *table_new(void);
/* Adds a column; only before the first row. @top: label above a group, or NULL. */
void table_column(struct table *t, const char *top, const char *title, unsigned flags);
/* Begins a row; cells not set stay empty. */
void table_row(struct table *t);
/* The next cell of the current row. */
void table_text(struct table *t, const char *text);
void table_printf(struct table *t, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* A count; "-" for 0. */
void table_count(struct table *t, uint64_t n);
/* A time with at most two places; "-" for 0 and for SIM_NEVER. */
void table_time(struct table *t, sim_time d);
/* @part of @whole in percent with one place; "-" when @part is 0. */
void table_percent(struct table *t, uint64_t part, uint64_t whole);
/* @part / @whole with two places; "-" when there is no whole. */
void table_ratio(struct table *t, uint64_t part, uint64_t whole);
/* Prints with an indent of two, within @width columns, and frees. Nothing for a table without rows. */
void table_finish(struct table *t, GString *out, unsigned width);

#endif
