/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a sweep, put together by parameters: what the tables, CSV and pictures of `lockstep report` have. */
#ifndef SIM_CLI_REPORT_H
#define SIM_CLI_REPORT_H

#include "sim/cli/store.h"

struct sweep_point { /* the rows of one combination, over its seeds */
	char **value; /* by varied parameter; "" where it has none */
	GArray *m;    /* struct measure, by seed */
	unsigned missed; /* rows that had a finding or missed an expectation */
};

struct sweep_table { /* one scenario under one version */
	char *name, *hash, *version;
	char *fixed;	   /* parameters that all rows have, or "" */
	GPtrArray *param;  /* char *: those that differ */
	GPtrArray *point;  /* struct sweep_point *, by values: numbers by size */
};

/* All tables of the file; NULL after a message. @lock: numbers of that lock, NULL: of all together. */
GPtrArray *sweep_tables(struct store *s, const char *lock);
void sweep_tables_free(GPtrArray *tables);

/* The values of a point in the order of its seeds; g_free(). */
uint64_t *sweep_values(const struct sweep_point *p, enum measure_id id);
/* "8" as thousandths, "8us" as ps: where a value stands on an axis; false if it is no number. */
bool sweep_number(const char *value, uint64_t *number);

/*
 * Plots @id against varied parameter @x into @path as SVG, a curve for each combination of the
 * others. CLI_FINE, or a status after a message: without gnuplot, CLI_WORLD.
 */
int sweep_plot(const struct sweep_table *t, enum measure_id id, unsigned x, const char *path);

#endif
