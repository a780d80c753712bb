/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON writer: deterministic (keys in the order of the calls), integers only, two
 * spaces per level. Strings are escaped; bytes that are not UTF-8 become U+FFFD.
 *
 *   json_open(&j, NULL, '{'); json_count(&j, "seed", 1); json_close(&j, '}'); json_end(&j);
 */
#ifndef SIM_REPORT_JSON_H
#define SIM_REPORT_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/core/clock.h"

struct json {
	GString *out;
	unsigned depth;
	bool first; /* nothing was written at this level yet */
};

/* @key is NULL inside arrays and for the outermost value. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_string(struct json *j, const char *key, const char *text); /* NULL: null */
void json_count(struct json *j, const char *key, uint64_t n);
void json_int(struct json *j, const char *key, int64_t n);
void json_bool(struct json *j, const char *key, bool b);
void json_null(struct json *j, const char *key);
/* A time in ps; null for SIM_NEVER. */
void json_time(struct json *j, const char *key, sim_time t);
/* The newline after the outermost value. */
void json_end(struct json *j);

#endif
