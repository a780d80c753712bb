// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The grammar of rt-app from 2010 to 2013: "lock_order": [ids], and of the task "resources": { id: {
 * duration, access: [ids] } }. An id is a number, or a name whose type stands in the resources of all: mutex,
 * wait, signal and broadcast with a target, sleep, run.
 */
#include <string.h>

#include "sim/cli/import_rtapp.h"

#define NEST_MAX 32

/* An id as the key that it is in "resources"; NULL after a message. */
static char *key_of(struct rtapp *a, const struct json *id)
{
	gint64 n;

	if (id->kind == JSON_STRING && *id->text)
		return g_strdup(id->text);
	return rtapp_integer(a, id, "a resource", 0, 65535, &n) ? g_strdup_printf("%" G_GINT64_FORMAT, n)
								: NULL;
}

static struct rtapp_thing *old_thing(struct rtapp *a, enum rtapp_kind kind, const char *key)
{
	g_autofree char *name = g_ascii_isdigit(*key) ? g_strconcat("resource", key, NULL) : g_strdup(key);

	return rtapp_thing(a, kind, name);
}

static const char *type_of(const struct rtapp *a, const char *key)
{
	const struct json *type = json_get(json_get(a->resources, key), "type");

	return type && type->text ? type->text : "mutex";
}

/* @key and what it accesses, and what that accesses in its turn, in order. */
static void collect(struct rtapp *a, const struct json *resources, const char *key, const struct json *where,
		    GPtrArray *chain)
{
	const struct json *access = json_get(json_get(resources, key), "access");

	if (chain->len > NEST_MAX) {
		import_error_at(a->src, where->at, "resources access each other in a circle");
		return;
	}
	g_ptr_array_add(chain, g_strdup(key));
	if (access && access->kind != JSON_ARRAY)
		import_error_at(a->src, access->value_at, "expected a list of resources such as [0, 1]");
	for (guint i = 0; access && !a->src->errors && i < access->items->len; i++) {
		g_autofree char *next = key_of(a, access->items->pdata[i]);

		if (next && strcmp(next, key))
			collect(a, resources, next, access, chain);
	}
}

/* The innermost resource says how long, if it has a duration of its own; else the one that was asked for. */
static const struct json *duration_of(const struct json *resources, const GPtrArray *chain)
{
	const struct json *d = json_get(json_get(resources, chain->pdata[chain->len - 1]), "duration");

	return d ? d : json_get(json_get(resources, chain->pdata[0]), "duration");
}

/* What is done inside; @chain: what is locked around it, the first is the resource itself. */
static void use_resource(struct rtapp *a, const char *type, const GPtrArray *chain,
			 const struct json *duration, const struct json *where)
{
	const char *key = chain->pdata[0];
	const struct json *target = json_get(json_get(a->resources, key), "target");

	if (!strcmp(type, "wait") && chain->len == 1)
		import_error_at(a->src, where->at,
				"expected \"access\": [mutex] of \"%s\", which is waited for", key);
	else if (!strcmp(type, "wait"))
		rtapp_put(a, "wait %s with %s", old_thing(a, RTAPP_CONDITION, key)->name,
			  old_thing(a, RTAPP_MUTEX, chain->pdata[chain->len - 1])->name);
	else if (!strcmp(type, "signal") || !strcmp(type, "broadcast"))
		rtapp_put(a, "%s %s", *type == 's' ? "wake" : "wakeall",
			  old_thing(a, RTAPP_CONDITION, target && target->text ? target->text : key)->name);
	else if (duration)
		rtapp_timed(a, duration, strcmp(type, "sleep") ? "run" : "sleep", "");
}

/* "resources": 4 declares 0 to 3. */
static bool is_declared(const struct rtapp *a, const char *key)
{
	if (a->resources && a->resources->kind == JSON_NUMBER)
		return g_ascii_isdigit(*key) &&
		       g_ascii_strtoll(key, NULL, 10) < g_ascii_strtoll(a->resources->text, NULL, 10);
	return json_get(a->resources, key);
}

static void old_resource(struct rtapp *a, const struct json *resources, const struct json *id,
			 const struct json *where)
{
	g_autoptr(GPtrArray) chain = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *key = key_of(a, id);
	const char *type;
	guint first;

	if (!key)
		return;
	if (!json_get(resources, key) && !is_declared(a, key)) {
		import_error_at(a->src, id->value_at, "expected a resource that is declared, found \"%s\"",
				key);
		return;
	}
	collect(a, resources, key, where, chain);
	type = type_of(a, key);
	first = strcmp(type, "mutex") ? 1 : 0; /* the others are no locks themselves */
	for (guint i = first; i < chain->len; i++)
		rtapp_put(a, "lock %s", old_thing(a, RTAPP_MUTEX, chain->pdata[i])->name);
	use_resource(a, type, chain, duration_of(resources, chain), where);
	for (guint i = chain->len; i-- > first;)
		rtapp_put(a, "unlock %s", old_thing(a, RTAPP_MUTEX, chain->pdata[i])->name);
}

bool rtapp_is_old(const struct json *j)
{
	return json_get(j, "exec") || json_get(j, "lock_order");
}

/* Who says "sleep": false does not wait for its period: a resource wakes it. */
static bool waits_for_period(const struct json *j)
{
	const struct json *sleep = json_get(j, "sleep");

	return !sleep || sleep->kind != JSON_BOOL || strcmp(sleep->text, "false");
}

void rtapp_old_acts(struct rtapp *a, const struct json *j)
{
	const struct json *order = json_get(j, "lock_order"), *exec = json_get(j, "exec"), *period = json_get(j, "period");
	gint64 us;

	if (order && order->kind != JSON_ARRAY) {
		import_error_at(a->src, order->value_at, "expected a list of resources such as [0, 1]");
		return;
	}
	if (exec)
		rtapp_timed(a, exec, "run", "");
	for (guint i = 0; order && i < order->items->len && !a->src->errors; i++)
		old_resource(a, json_get(j, "resources"), order->items->pdata[i], order);
	if (period && rtapp_time(a, period, &us) && us && waits_for_period(j))
		rtapp_put(a, "period %" G_GINT64_FORMAT "us", us);
}

void rtapp_old_task(struct rtapp *a, const struct json *task)
{
	unsigned acts = 0;
	bool opened = rtapp_open_loop(a, task, -1, &acts);

	rtapp_old_acts(a, task);
	rtapp_close_loop(a, opened, acts);
	for (guint i = 0; i < task->items->len; i++) {
		const struct json *j = task->items->pdata[i];

		if (!strcmp(j->key, "sleep") && j->kind == JSON_BOOL)
			continue;
		if (!rtapp_is_setting(j, true) || !strcmp(j->key, "phases") ||
		    (!strcmp(j->key, "deadline") && !rtapp_is_deadline(a, task)))
			rtapp_not_carried(a, j, "no meaning here");
	}
}
