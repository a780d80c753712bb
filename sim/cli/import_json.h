/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tolerant reader of JSON: comments, trailing commas, duplicate keys, keys without a value; the
 * order of keys is kept and every value knows its place.
 */
#ifndef SIM_CLI_IMPORT_JSON_H
#define SIM_CLI_IMPORT_JSON_H

#include "sim/cli/import.h"

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	char *key;	  /* in an object */
	const char *at;	  /* of the key or, without one, of the value */
	const char *value_at;
	char *text;	  /* JSON_STRING; JSON_NUMBER as written; JSON_BOOL "true" */
	GPtrArray *items; /* of struct json; JSON_ARRAY, JSON_OBJECT */
};

/* NULL after a message. */
struct json *json_read(struct import_source *src);
void json_free(struct json *j);
/* The last member of that name, or NULL. */
const struct json *json_get(const struct json *object, const char *key);

#endif
