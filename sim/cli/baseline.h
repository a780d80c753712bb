/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison saved by an earlier version, and what is different now. */
#ifndef SIM_CLI_BASELINE_H
#define SIM_CLI_BASELINE_H

#include "sim/report/versus.h"

struct baseline;

/* What `compare --save` wrote; NULL after a message. */
struct baseline *baseline_read(const char *path);
void baseline_free(struct baseline *b);

/* Appends a line per value that moved by more than @tolerance (ppm of what it was), or that is new or
 * gone. True if there was one. */
bool baseline_diff(GString *out, const struct baseline *b, const struct versus *v, uint64_t tolerance);

/* "5", "0.5", "5%": percent to ppm. */
bool baseline_parse_percent(const char *text, uint64_t *ppm);

#endif
