// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/json.h"

#include <string.h>

static void quote(GString *out, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	g_string_append_c(out, '"');
	for (const unsigned char *c = (const unsigned char *)valid; *c; c++) {
		if (*c == '"' || *c == '\\')
			g_string_append_printf(out, "\\%c", *c);
		else if (*c == '\n')
			g_string_append(out, "\\n");
		else if (*c == '\t')
			g_string_append(out, "\\t");
		else if (*c < 0x20 || *c == 0x7f)
			g_string_append_printf(out, "\\u%04x", *c);
		else
			g_string_append_c(out, (char)*c);
	}
	g_string_append_c(out, '"');
}

static void new_line(struct json *j)
{
	g_string_append_c(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		g_string_append(j->out, "  ");
}

static void begin(struct json *j, const char *key)
{
	if (j->depth) {
		if (!j->first)
			g_string_append_c(j->out, ',');
		new_line(j);
	}
	j->first = false;
	if (key) {
		quote(j->out, key);
		g_string_append(j->out, ": ");
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	g_string_append_c(j->out, bracket);
	j->depth++;
	j->first = true;
}

void json_close(struct json *j, char bracket)
{
	bool empty = j->first;

	g_assert(j->depth > 0);
	j->depth--;
	j->first = false;
	if (!empty)
		new_line(j);
	g_string_append_c(j->out, bracket);
}

void json_string(struct json *j, const char *key, const char *text)
{
	begin(j, key);
	if (text)
		quote(j->out, text);
	else
		g_string_append(j->out, "null");
}

void json_count(struct json *j, const char *key, uint64_t n)
{
	begin(j, key);
	g_string_append_printf(j->out, "%" G_GUINT64_FORMAT, n);
}

void json_int(struct json *j, const char *key, int64_t n)
{
	begin(j, key);
	g_string_append_printf(j->out, "%" G_GINT64_FORMAT, n);
}

void json_bool(struct json *j, const char *key, bool b)
{
	begin(j, key);
	g_string_append(j->out, b ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	g_string_append(j->out, "null");
}

void json_time(struct json *j, const char *key, sim_time t)
{
	if (t == SIM_NEVER)
		json_null(j, key);
	else
		json_count(j, key, t);
}

void json_end(struct json *j)
{
	g_assert(j->depth == 0);
	g_string_append_c(j->out, '\n');
}
