// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads of rt-app: what is printed, the values of keys, names that the language allows. */
#include <string.h>

#include "sim/cli/import_rtapp.h"

/* -- printing ---------------------------------------------------------------------------------------- */

void rtapp_put(struct rtapp *a, const char *fmt, ...)
{
	va_list args;

	a->acts += *fmt != '#';
	for (unsigned i = 0; i < a->indent; i++)
		g_string_append_c(a->body, '\t');
	va_start(args, fmt);
	g_string_append_vprintf(a->body, fmt, args);
	va_end(args);
	g_string_append_c(a->body, '\n');
}

static void put_json(GString *s, const struct json *j)
{
	if (j->kind == JSON_ARRAY || j->kind == JSON_OBJECT) {
		g_string_append_c(s, j->kind == JSON_ARRAY ? '[' : '{');
		for (guint i = 0; i < j->items->len; i++) {
			const struct json *item = j->items->pdata[i];

			g_string_append_printf(s, "%s%s%s", i ? ", " : "", item->key ? item->key : "",
					       item->key ? ": " : "");
			put_json(s, item);
		}
		g_string_append_c(s, j->kind == JSON_ARRAY ? ']' : '}');
	} else {
		g_string_append(s, j->text ? j->text : "null");
	}
}

void rtapp_not_carried(struct rtapp *a, const struct json *j, const char *why)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *clean = NULL;

	put_json(text, j);
	g_string_prepend(text, ": ");
	g_string_prepend(text, j->key ? j->key : "");
	if (text->len > 200) {
		g_string_truncate(text, 200);
		g_string_append(text, " …");
	}
	clean = import_quote(text->str);
	rtapp_put(a, "# not carried: %s (%s)", clean, why);
}

bool rtapp_is_overruled(struct rtapp *a, const struct json *object, const struct json *j)
{
	if (json_get(object, j->key) == j)
		return false;
	rtapp_not_carried(a, j, "it is given again further down");
	return true;
}

/* -- values ------------------------------------------------------------------------------------------ */

bool rtapp_integer(struct rtapp *a, const struct json *j, const char *what, gint64 min, gint64 max, gint64 *n)
{
	char *end = NULL;

	if (j->kind == JSON_NUMBER || j->kind == JSON_STRING) {
		*n = g_ascii_strtoll(j->text, &end, 10);
		if (end != j->text && !*end && *n >= min && *n <= max)
			return true;
	}
	import_error_at(a->src, j->value_at,
			"expected %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " for \"%s\"", what, min,
			max, j->key ? j->key : "");
	return false;
}

#define US_MAX (G_GINT64_CONSTANT(1) << 42)

bool rtapp_time(struct rtapp *a, const struct json *j, gint64 *us)
{
	return rtapp_integer(a, j, "microseconds", 0, US_MAX, us);
}

const char *rtapp_text(struct rtapp *a, const struct json *j, const char *what)
{
	if (j && j->kind == JSON_STRING && *j->text)
		return j->text;
	if (j)
		import_error_at(a->src, j->value_at, "expected %s in double quotes for \"%s\"", what,
				j->key ? j->key : "");
	return NULL;
}

const char *rtapp_target(struct rtapp *a, const char *name)
{
	const struct json *target = json_get(json_get(a->resources, name), "target");

	return target ? rtapp_text(a, target, "a condition") : name;
}

/* -- names ------------------------------------------------------------------------------------------- */

static bool is_taken(const void *user, const char *name)
{
	const struct rtapp *a = user;

	for (guint i = 0; i < a->named->len; i++)
		if (!strcmp(((struct rtapp_thing *)a->named->pdata[i])->name, name))
			return true;
	return false;
}

struct rtapp_thing *rtapp_find(const struct rtapp *a, enum rtapp_kind kind, const char *original)
{
	for (guint i = 0; i < a->named->len; i++) {
		struct rtapp_thing *n = a->named->pdata[i];

		if (n->kind == kind && !strcmp(n->original, original))
			return n;
	}
	return NULL;
}

struct rtapp_thing *rtapp_thing(struct rtapp *a, enum rtapp_kind kind, const char *original)
{
	static const char *const suffix[] = {"_mutex", "_cond",      "_sem",     "_barrier", "_task",
					     "_timer", "_suspended", "_suspend", "_fork"};
	g_autofree char *tagged = NULL;
	struct rtapp_thing *n = rtapp_find(a, kind, original);

	if (a->finding && kind <= RTAPP_CONDITION)
		g_hash_table_add(a->plain[kind], g_strdup(original));
	if (n)
		return n;
	n = g_new0(struct rtapp_thing, 1);
	n->kind = kind;
	n->original = g_strdup(original);
	tagged = g_strconcat(original, kind >= RTAPP_SUSPENSION ? suffix[kind] : NULL, NULL);
	n->name = import_name(tagged, suffix[kind], is_taken, a);
	g_ptr_array_add(a->named, n);
	return n;
}
