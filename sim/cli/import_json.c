// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/import_json.h"

#include <string.h>

#define DEEPEST 64

struct reader {
	struct import_source *src;
	const char *at;
	unsigned depth;
};

static struct json *value(struct reader *r);

void json_free(struct json *j)
{
	if (!j)
		return;
	g_free(j->key);
	g_free(j->text);
	if (j->items)
		g_ptr_array_unref(j->items);
	g_free(j);
}

static struct json *new_json(const struct reader *r, enum json_kind kind)
{
	struct json *j = g_new0(struct json, 1);

	j->kind = kind;
	j->at = j->value_at = r->at;
	if (kind == JSON_ARRAY || kind == JSON_OBJECT)
		j->items = g_ptr_array_new_with_free_func((GDestroyNotify)json_free);
	return j;
}

static void *expected(struct reader *r, const char *what)
{
	char c = *r->at;

	if (!c)
		import_error_at(r->src, r->at, "expected %s, but the text ends", what);
	else
		import_error_at(r->src, r->at, "expected %s, found \"%c\"", what, (unsigned char)c < ' ' ? ' ' : c);
	return NULL;
}

/* Blanks and comments of three kinds. */
static void skip(struct reader *r)
{
	for (;;) {
		const char *end;

		while (g_ascii_isspace(*r->at))
			r->at++;
		if (r->at[0] == '/' && r->at[1] == '*') {
			end = strstr(r->at + 2, "*/");
			r->at = end ? end + 2 : r->at + strlen(r->at);
		} else if ((r->at[0] == '/' && r->at[1] == '/') || r->at[0] == '#') {
			r->at += strcspn(r->at, "\n");
		} else {
			return;
		}
	}
}

/* The inside of a string; escapes but \u stand for themselves or a blank: these are names. */
static char *string(struct reader *r)
{
	const char *from = r->at;
	GString *s = g_string_new(NULL);

	for (r->at++; *r->at && *r->at != '"' && *r->at != '\n'; r->at++) {
		if (*r->at == '\\' && r->at[1] && r->at[1] != '\n')
			r->at++;
		g_string_append_c(s, *r->at);
	}
	if (*r->at == '"') {
		r->at++;
		return g_string_free(s, FALSE);
	}
	g_string_free(s, TRUE);
	import_error_at(r->src, from, "this string does not end on its line");
	return NULL;
}

/* One member: "key": value, or a bare "key". */
static struct json *member(struct reader *r)
{
	const char *at = r->at;
	struct json *j;
	char *key;

	if (*r->at != '"')
		return expected(r, "a name in double quotes or \"}\"");
	key = string(r);
	if (!key)
		return NULL;
	skip(r);
	if (*r->at == ':') {
		r->at++;
		skip(r);
		j = value(r);
	} else if (*r->at == ',' || *r->at == '}') {
		j = new_json(r, JSON_NULL);
	} else {
		g_free(key);
		return expected(r, "\":\" and a value");
	}
	if (!j) {
		g_free(key);
		return NULL;
	}
	j->key = key;
	j->at = at;
	return j;
}

static struct json *list(struct reader *r, enum json_kind kind)
{
	char close = kind == JSON_ARRAY ? ']' : '}';
	struct json *j = new_json(r, kind), *item;

	if (++r->depth > DEEPEST) {
		import_error_at(r->src, r->at, "more than %u levels of nesting", DEEPEST);
		json_free(j);
		return NULL;
	}
	r->at++;
	for (skip(r); *r->at != close; skip(r)) {
		item = kind == JSON_ARRAY ? value(r) : member(r);
		if (!item)
			break;
		g_ptr_array_add(j->items, item);
		skip(r);
		if (*r->at == ',') {
			r->at++;
		} else if (*r->at != close) {
			item = expected(r, kind == JSON_ARRAY ? "\",\" or \"]\"" : "\",\" or \"}\"");
			break;
		}
	}
	r->depth--;
	if (*r->at == close && !r->src->errors) {
		r->at++;
		return j;
	}
	json_free(j);
	return NULL;
}

static struct json *word(struct reader *r)
{
	size_t len = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._");
	g_autofree char *text = g_strndup(r->at, len);
	struct json *j;

	if (!len)
		return expected(r, "a value");
	j = new_json(r, JSON_NUMBER);
	if (!g_ascii_strcasecmp(text, "true") || !g_ascii_strcasecmp(text, "false"))
		j->kind = JSON_BOOL;
	else if (!g_ascii_strcasecmp(text, "null"))
		j->kind = JSON_NULL;
	else if (strspn(text, "0123456789+-.eE") != len) {
		import_error_at(r->src, r->at, "expected a value, found \"%.40s\"; strings stand in double quotes", text);
		json_free(j);
		return NULL;
	}
	j->text = g_ascii_strdown(text, -1);
	r->at += len;
	return j;
}

static struct json *value(struct reader *r)
{
	struct json *j;

	switch (*r->at) {
	case '{':
		return list(r, JSON_OBJECT);
	case '[':
		return list(r, JSON_ARRAY);
	case '"':
		j = new_json(r, JSON_STRING);
		j->text = string(r);
		if (j->text)
			return j;
		json_free(j);
		return NULL;
	}
	return word(r);
}

struct json *json_read(struct import_source *src)
{
	struct reader r = {.src = src, .at = src->text};
	struct json *j;

	if (strlen(src->text) != src->len) {
		import_error(src, 1, 1, "this is no text: it has a byte 0");
		return NULL;
	}
	skip(&r);
	if (*r.at != '{')
		return expected(&r, "\"{\"");
	j = value(&r);
	skip(&r);
	if (!j || !*r.at)
		return j;
	expected(&r, "the end of the text");
	json_free(j);
	return NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
	const struct json *found = NULL;

	for (guint i = 0; object && object->kind == JSON_OBJECT && i < object->items->len; i++) {
		const struct json *j = object->items->pdata[i];

		if (!strcmp(j->key, key))
			found = j;
	}
	return found;
}
