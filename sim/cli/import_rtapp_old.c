// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The grammar of rt-app from 2010 to 2013: "lock_order": [ids], and of the task "resources": { id: {
 * duration, access: [ids] } }. An id is a number, or a name whose type stands in the resources of all: mutex,
 * wait, signal, broadcast and sync (signal, then wait) with a target, sleep, run. What a resource accesses is
 * taken before it, in order; it then lasts its own duration, and all is given back in reverse.
 */
#include <string.h>

#include "sim/cli/import_rtapp.h"

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

/* Adds what @key accesses, and what that accesses in its turn, in order and each once, behind @key. */
static void collect(struct rtapp *a, const struct json *resources, const char *key, GPtrArray *chain)
{
	const struct json *access = json_get(json_get(resources, key), "access");

	if (g_ptr_array_find_with_equal_func(chain, key, g_str_equal, NULL))
		return;
	g_ptr_array_add(chain, g_strdup(key));
	if (access && access->kind != JSON_ARRAY)
		import_error_at(a->src, access->value_at, "expected a list of resources such as [0, 1]");
	for (guint i = 0; access && !a->src->errors && i < access->items->len; i++) {
		g_autofree char *next = key_of(a, access->items->pdata[i]);

		if (next)
			collect(a, resources, next, chain);
	}
}

/* Taking it; @guard: the mutex that was taken last, or NULL. */
static void use_resource(struct rtapp *a, const char *key, const char *guard, const struct json *where)
{
	static const char *const wakes[] = {"signal", "broadcast", "sync", NULL};
	const char *type = type_of(a, key), *condition = key;

	if (!strcmp(type, "mutex")) {
		rtapp_put(a, "lock %s", old_thing(a, RTAPP_MUTEX, key)->name);
		return;
	}
	if (g_strv_contains(wakes, type)) {
		condition = rtapp_target(a, key);
		if (!condition)
			return;
		rtapp_put(a, "%s %s", *type == 'b' ? "wakeall" : "wake",
			  old_thing(a, RTAPP_CONDITION, condition)->name);
	}
	if (strcmp(type, "wait") && strcmp(type, "sync"))
		return;
	if (guard)
		rtapp_put(a, "wait %s with %s", old_thing(a, RTAPP_CONDITION, condition)->name,
			  old_thing(a, RTAPP_MUTEX, guard)->name);
	else
		import_error_at(a->src, where->at,
				"expected \"access\": [mutex] of \"%s\", which is waited for", key);
}

/* "resources": 4 declares 0 to 3. */
static bool is_declared(const struct rtapp *a, const char *key)
{
	if (a->resources && a->resources->kind == JSON_NUMBER)
		return g_ascii_isdigit(*key) &&
		       g_ascii_strtoll(key, NULL, 10) < g_ascii_strtoll(a->resources->text, NULL, 10);
	return json_get(a->resources, key);
}

/* "mutex" and so on: false after a message if rt-app knows no such type. */
static bool has_known_type(struct rtapp *a, const char *key)
{
	static const char *const known[] = {"mutex", "wait",  "signal", "broadcast",
					    "sync",  "sleep", "run",    NULL};
	const struct json *type = json_get(json_get(a->resources, key), "type");

	if (!type || g_strv_contains(known, type_of(a, key)))
		return true;
	import_error_at(
		a->src, type->value_at,
		"expected mutex, wait, signal, broadcast, sync, sleep or run as what lock_order names, "
		"found \"%.40s\"",
		type_of(a, key));
	return false;
}

/* What it accesses comes first and lies around it; @us is what it computes. */
static void old_resource(struct rtapp *a, const struct json *resources, const struct json *id,
			 const struct json *where, gint64 *us)
{
	g_autoptr(GPtrArray) chain = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *key = key_of(a, id);
	const struct json *duration;
	const char *guard = NULL;

	*us = 0;
	if (!key)
		return;
	if (!json_get(resources, key) && !is_declared(a, key)) {
		import_error_at(a->src, id->value_at, "expected a resource that is declared, found \"%s\"",
				key);
		return;
	}
	collect(a, resources, key, chain);
	if (!a->src->errors) /* itself last */
		g_ptr_array_insert(chain, -1, g_ptr_array_steal_index(chain, 0));
	for (guint i = 0; i < chain->len && !a->src->errors && has_known_type(a, chain->pdata[i]); i++) {
		use_resource(a, chain->pdata[i], guard, where);
		if (!strcmp(type_of(a, chain->pdata[i]), "mutex"))
			guard = chain->pdata[i];
	}
	duration = json_get(json_get(resources, key), "duration");
	if (a->src->errors || (duration && !rtapp_time(a, duration, us)))
		return;
	if (!strcmp(type_of(a, key), "sleep")) {
		rtapp_put(a, "sleep %" G_GINT64_FORMAT "us", *us);
		*us = 0;
	} else if (*us) {
		rtapp_put(a, "run %" G_GINT64_FORMAT "us", *us);
	}
	for (guint i = chain->len; i--;)
		if (!strcmp(type_of(a, chain->pdata[i]), "mutex"))
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

/* "exec" is all that it computes in a turn: the rest comes behind the resources. */
void rtapp_old_acts(struct rtapp *a, const struct json *j)
{
	const struct json *order = json_get(j, "lock_order"), *exec = json_get(j, "exec"),
			  *period = json_get(j, "period"), *sleep = json_get(j, "sleep");
	gint64 rest = 0, used = 0, us = 0;

	if (order && order->kind != JSON_ARRAY) {
		import_error_at(a->src, order->value_at, "expected a list of resources such as [0, 1]");
		return;
	}
	if (exec && !rtapp_time(a, exec, &rest))
		return;
	for (guint i = 0; order && i < order->items->len && !a->src->errors; i++) {
		old_resource(a, json_get(j, "resources"), order->items->pdata[i], order, &us);
		used += us;
	}
	if (a->src->errors)
		return;
	rest -= used;
	if (rest > 0 && used)
		rtapp_put(a, "run %" G_GINT64_FORMAT "us # what is left of exec %s", rest, exec->text);
	else if (rest > 0)
		rtapp_put(a, "run %" G_GINT64_FORMAT "us", rest);
	else if (exec && rest < 0)
		rtapp_put(a, "# exec %s is less than what the resources take", exec->text);
	if (!period || !rtapp_time(a, period, &us) || !us)
		return;
	if (waits_for_period(j))
		rtapp_put(a, "period %" G_GINT64_FORMAT "us", us);
	else
		rtapp_put(a, "# no wait for the period of %" G_GINT64_FORMAT "us: sleep is %s", us,
			  sleep->text);
}

void rtapp_old_task(struct rtapp *a, const struct json *task)
{
	unsigned acts = 0;
	bool opened = rtapp_open_loop(a, task, -1, &acts);

	rtapp_old_acts(a, task);
	rtapp_close_loop(a, opened, acts);
	rtapp_old_leftovers(a, task, false);
}

void rtapp_old_leftovers(struct rtapp *a, const struct json *block, bool phase)
{
	static const char *const of_tasks[] = {"cpus", "instance", "delay", NULL};

	for (guint i = 0; i < block->items->len; i++) {
		const struct json *j = block->items->pdata[i];

		if (!strcmp(j->key, "sleep") && j->kind == JSON_BOOL)
			continue;
		if (rtapp_is_overruled(a, block, j))
			continue;
		if (phase && g_strv_contains(of_tasks, j->key))
			rtapp_not_carried(a, j, "of a task, it does not change here");
		else if (!rtapp_is_setting(j, true) || !strcmp(j->key, "phases") ||
			 (!strcmp(j->key, "deadline") && !rtapp_is_deadline(a, block)))
			rtapp_not_carried(a, j, "no meaning here");
	}
}
