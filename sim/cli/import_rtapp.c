// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workloads of rt-app: a JSON object with tasks, resources and global settings. Events are keys whose
 * order is the program; a key's name is matched by its beginning, so "run0" and "run1" are both run.
 */
#include <string.h>

#include "sim/cli/import_rtapp.h"

static void free_thing(gpointer p)
{
	struct rtapp_thing *n = p;

	g_free(n->original);
	g_free(n->name);
	g_free(n);
}

/* The key, with a number behind it if that was there before. */
static char *name_of_task(const struct json *tasks, guint index)
{
	const struct json *task = tasks->items->pdata[index];
	unsigned before = 0;

	for (guint i = 0; i < index; i++)
		before += !strcmp(((struct json *)tasks->items->pdata[i])->key, task->key);
	return before ? g_strdup_printf("%s_%u", task->key, before + 1) : g_strdup(task->key);
}

static void all_tasks(struct rtapp *a, const struct json *root)
{
	const struct json *tasks = json_get(root, "tasks"), *global = json_get(root, "global"),
			  *policy = json_get(global, "default_policy"),
			  *spacing = json_get(global, "spacing");
	gint64 ms = 0;

	a->endless = false;
	a->started = 0;
	a->resources = json_get(root, "resources");
	if (!tasks || tasks->kind != JSON_OBJECT || !tasks->items->len) {
		import_error_at(a->src, tasks ? tasks->value_at : root->at,
				"expected \"tasks\": { ... } with at least one task");
		return;
	}
	if (spacing && !rtapp_integer(a, spacing, "milliseconds", 0, 1000000, &ms))
		return;
	a->default_policy = policy;
	a->spacing_us = ms * 1000;
	for (guint i = 0; i < tasks->items->len; i++) /* they keep their names, whatever else is called so */
		rtapp_thing(a, RTAPP_TASK, ((struct json *)tasks->items->pdata[i])->key);
	for (guint i = 0; i < tasks->items->len && !a->src->errors; i++) {
		g_autofree char *name = name_of_task(tasks, i);

		rtapp_task(a, tasks->items->pdata[i], name, policy ? policy->text : NULL);
	}
}

static void resources(struct rtapp *a, const struct json *root)
{
	static const char *const used[] = {"mutex",     "wait",    "signal",  "sync",
					   "timer",     "barrier", "suspend", "resume",
					   "broadcast", "sleep",   "run",     NULL}; /* by events */
	const struct json *list = json_get(root, "resources");

	for (guint i = 0; list && list->kind == JSON_OBJECT && i < list->items->len; i++) {
		const struct json *j = list->items->pdata[i], *type = json_get(j, "type"),
				  *value = json_get(j, "value");
		gint64 n = 0;

		if (type && type->text && g_str_has_prefix(type->text, "sem") &&
		    (!value || rtapp_integer(a, value, "units", 0, 1000000, &n)))
			rtapp_thing(a, RTAPP_SEMAPHORE, j->key)->count = n;
		else if (!a->counting && !(type && type->text && g_strv_contains(used, type->text)))
			rtapp_not_carried(a, j, "no meaning in a simulation of locks");
	}
}

static void declarations(const struct rtapp *a, GString *out)
{
	for (guint i = 0; i < a->named->len; i++) {
		const struct rtapp_thing *n = a->named->pdata[i];

		switch (n->kind) {
		case RTAPP_MUTEX:
			g_string_append_printf(out, "lock %s : %s\n", n->name, a->pi ? "rtmutex" : "futex");
			break;
		case RTAPP_GUARD:
			g_string_append_printf(out, "lock %s : %s\n", n->name, a->pi ? "rtmutex" : "futex");
			break;
		case RTAPP_CONDITION:
		case RTAPP_SUSPENSION:
			g_string_append_printf(out, "condition %s\n", n->name);
			break;
		case RTAPP_FORK:
			g_string_append_printf(out, "completion %s\n", n->name);
			break;
		case RTAPP_SEMAPHORE:
			g_string_append_printf(out, "semaphore %s = %" G_GINT64_FORMAT "\n", n->name,
					       n->count);
			break;
		case RTAPP_BARRIER:
			g_string_append_printf(out, "barrier %s %" G_GINT64_FORMAT "\n", n->name,
					       MAX(n->count, 1));
			break;
		case RTAPP_TASK:
		case RTAPP_TIMER:
			break;
		}
	}
}

static bool has(const struct rtapp *a, enum rtapp_kind kind)
{
	for (guint i = 0; i < a->named->len; i++)
		if (((struct rtapp_thing *)a->named->pdata[i])->kind == kind)
			return true;
	return false;
}

/* duration, pi_enabled, and what is not carried. */
static void globals(struct rtapp *a, const struct json *root, gint64 *duration)
{
	const struct json *global = json_get(root, "global"), *pi = json_get(global, "pi_enabled");

	*duration = -1;
	if (pi && pi->kind != JSON_BOOL)
		import_error_at(a->src, pi->value_at, "expected true or false for \"pi_enabled\"");
	a->pi = pi && pi->text && !strcmp(pi->text, "true");
	for (guint i = 0; global && global->kind == JSON_OBJECT && i < global->items->len; i++) {
		const struct json *j = global->items->pdata[i];

		if (rtapp_is_overruled(a, global, j))
			continue;
		if (!strcmp(j->key, "duration"))
			rtapp_integer(a, j, "seconds, or -1,", -1, 1000000, duration);
		else if (strcmp(j->key, "default_policy") && strcmp(j->key, "pi_enabled") &&
			 strcmp(j->key, "spacing"))
			rtapp_not_carried(a, j, "about the host that rt-app runs on");
	}
	for (guint i = 0; i < root->items->len; i++) {
		const struct json *j = root->items->pdata[i];

		if (strcmp(j->key, "tasks") && strcmp(j->key, "resources") && strcmp(j->key, "global"))
			rtapp_not_carried(a, j, "rt-app knows no such part");
		else
			rtapp_is_overruled(a, root, j);
	}
}

static GString *whole(struct rtapp *a, const struct json *root)
{
	g_autofree char *base = g_path_get_basename(a->src->path), *name = import_quote(base);
	GString *out = g_string_new(NULL), *tasks = a->body;
	gint64 duration;

	g_string_append_printf(
		out,
		"# Imported by lockstep from an rt-app workload.\nscenario \"%s\"\norigin \"rt-app %s\"\n",
		name, name);
	a->body = out;
	globals(a, root, &duration);
	resources(a, root);
	g_string_append_printf(out,
			       "machine { sockets 1 cores %" G_GINT64_FORMAT
			       " preempt full } # as many as are named, at least four\n\n",
			       MAX(a->cpus, 4));
	if (a->spacing_us)
		g_string_append_printf(
			out, "# Threads without a delay start %" G_GINT64_FORMAT " ms apart (spacing).\n",
			a->spacing_us / 1000);
	else if (a->started > 1)
		g_string_append(out, "# Threads start one after the other, 10 us apart.\n");
	if (has(a, RTAPP_MUTEX))
		g_string_append_printf(out, "# pthread mutexes%s\n",
				       a->pi ? " with PTHREAD_PRIO_INHERIT" : "");
	if (has(a, RTAPP_SUSPENSION) || g_hash_table_size(a->resumed))
		g_string_append(out, "# suspend and resume: a condition and a mutex each; a resume that "
				     "comes before the suspend is lost\n");
	if (has(a, RTAPP_FORK))
		g_string_append(out, "# forked tasks are there from the start, and wait for it: one for each "
				     "fork in the text\n");
	declarations(a, out);
	g_string_append_c(out, '\n');
	g_string_append(out, tasks->str);
	g_string_free(tasks, TRUE);
	a->body = out;
	if (duration > 0)
		rtapp_put(a, "run for %" G_GINT64_FORMAT "s", duration);
	else if (a->endless)
		rtapp_put(a, "# there without end\nrun for 1s");
	else
		rtapp_put(a, "run until done limit 3600s");
	return out;
}

/* The parts are objects; "resources": 4 is of 2010. */
static void check_parts(struct rtapp *a, const struct json *root)
{
	const struct json *global = json_get(root, "global"), *resources = json_get(root, "resources");

	if (global && global->kind != JSON_OBJECT)
		import_error_at(a->src, global->value_at, "expected { ... } for \"global\"");
	if (resources && resources->kind != JSON_OBJECT && resources->kind != JSON_NUMBER)
		import_error_at(a->src, resources->value_at,
				"expected { ... } or a number for \"resources\"");
}

static void forget_all_but_forks(struct rtapp *a)
{
	for (guint i = a->named->len; i--;)
		if (((struct rtapp_thing *)a->named->pdata[i])->kind != RTAPP_FORK)
			g_ptr_array_remove_index(a->named, i);
}

GString *import_rtapp(struct import_source *src)
{
	struct rtapp a = {.src = src,
			  .named = g_ptr_array_new_with_free_func(free_thing),
			  .body = g_string_new(NULL),
			  .resumed = g_hash_table_new(g_str_hash, g_str_equal),
			  .plain = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
				    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)},
			  .counting = true};
	struct json *root = json_read(src);
	GString *out = NULL;

	if (root)
		check_parts(&a, root);
	/* who is resumed decides what a suspend means; who uses a thing, how it is declared; then it is
	 * printed */
	for (unsigned pass = 0; root && pass < 3 && !src->errors; pass++) {
		a.counting = pass < 2;
		a.finding = !pass;
		if (pass < 2) {
			forget_all_but_forks(&a);
			resources(&a, root);
		}
		g_string_truncate(a.body, 0);
		all_tasks(&a, root);
	}
	if (root && !src->errors)
		out = whole(&a, root);
	else
		g_string_free(a.body, TRUE);
	if (out && src->errors) {
		g_string_free(out, TRUE);
		out = NULL;
	}
	g_ptr_array_unref(a.named);
	g_hash_table_destroy(a.resumed);
	g_hash_table_destroy(a.plain[0]);
	g_hash_table_destroy(a.plain[1]);
	json_free(root);
	return out;
}
