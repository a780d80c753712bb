// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks of rt-app, of today's grammar and of that of 2010. */
#include <string.h>

#include "sim/cli/import_rtapp.h"

#define NEST_MAX 32

/* Keys that are no events, though some begin like one. */
static bool is_setting(const struct json *j, bool deadline)
{
	static const char *const keys[] = {"instance", "delay",      "loop",      "phases",      "policy",
					   "priority", "dl-runtime", "dl-period", "dl-deadline", "cpus",
					   "exec",     "period",     "deadline",  "lock_order",  "resources"};

	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
		if (!strcmp(keys[i], j->key))
			return true;
	return deadline && !strcmp(j->key, "runtime");
}

static bool is_deadline_key(const char *key)
{
	return g_str_has_prefix(key, "dl-") || !strcmp(key, "period") || !strcmp(key, "deadline");
}

static bool is_deadline(const struct json *task)
{
	const struct json *policy = json_get(task, "policy");

	return policy && policy->text && !g_ascii_strcasecmp(policy->text, "SCHED_DEADLINE");
}

static bool deadline_sched(struct rtapp *a, const struct json *task, GString *out)
{
	static const char *const keys[3][2] = {
		{"dl-runtime", "runtime"}, {"dl-period", "period"}, {"dl-deadline", "deadline"}};
	gint64 us;

	g_string_append(out, "deadline");
	for (unsigned i = 0; i < 3; i++) {
		const struct json *j = json_get(task, keys[i][0]);

		j = j ? j : json_get(task, keys[i][1]);
		if (!j && i == 2)
			return true; /* the period */
		if (!j) {
			import_error_at(a->src, task->at, "SCHED_DEADLINE needs \"%s\"", keys[i][0]);
			return false;
		}
		if (!rtapp_time(a, j, &us))
			return false;
		g_string_append_printf(out, " %" G_GINT64_FORMAT "us", us);
	}
	return true;
}

/* "fifo 10"; empty if nothing is said. @fallback: the policy where none is named; of a phase, that of its
 * task. */
static bool sched(struct rtapp *a, const struct json *task, const char *fallback, bool phase, GString *out)
{
	const struct json *policy = json_get(task, "policy"), *priority = json_get(task, "priority");
	const char *p = policy && policy->text ? policy->text : fallback;
	bool fifo, rr;
	gint64 n;

	if (!priority && (phase ? !policy : !p))
		return true;
	p = p ? p : "SCHED_OTHER";
	if (!g_ascii_strcasecmp(p, "SCHED_DEADLINE"))
		return deadline_sched(a, task, out);
	fifo = !g_ascii_strcasecmp(p, "SCHED_FIFO");
	rr = !g_ascii_strcasecmp(p, "SCHED_RR");
	n = fifo || rr ? 10 : !g_ascii_strcasecmp(p, "SCHED_IDLE") ? 19 : 0;
	if (!fifo && !rr && g_ascii_strcasecmp(p, "SCHED_OTHER") && g_ascii_strcasecmp(p, "SCHED_BATCH") &&
	    g_ascii_strcasecmp(p, "SCHED_IDLE")) {
		import_error_at(a->src, policy ? policy->value_at : task->at,
				"expected SCHED_OTHER, BATCH, IDLE, FIFO, RR or DEADLINE, found \"%.40s\"",
				p);
		return false;
	}
	if (priority &&
	    !rtapp_integer(a, priority, "a priority", fifo || rr ? 1 : -20, fifo || rr ? 99 : 19, &n))
		return false;
	g_string_append_printf(out, "%s %" G_GINT64_FORMAT, fifo ? "fifo" : rr ? "rr" : "nice", n);
	if (!fifo && !rr && g_ascii_strcasecmp(p, "SCHED_OTHER") && !a->counting)
		rtapp_put(a, "# not carried: %s of the next task (it is an ordinary one here)", p);
	return true;
}

static bool cpus(struct rtapp *a, const struct json *task, GString *out)
{
	const struct json *list = json_get(task, "cpus");
	gint64 n;

	if (!list)
		return true;
	if (list->kind != JSON_ARRAY || !list->items->len) {
		import_error_at(a->src, list->value_at, "expected a list of CPUs such as [0, 1]");
		return false;
	}
	for (guint i = 0; i < list->items->len; i++) {
		if (!rtapp_integer(a, list->items->pdata[i], "a CPU", 0, 4095, &n))
			return false;
		g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? ", " : " cpus ", n);
		a->cpus = MAX(a->cpus, n + 1);
	}
	return true;
}

static void events(struct rtapp *a, const struct json *block, bool phase)
{
	bool deadline = is_deadline(block);

	for (guint i = 0; i < block->items->len && !a->src->errors; i++) {
		const struct json *j = block->items->pdata[i];
		enum rtapp_event e = rtapp_event_of(j->key);

		if (is_setting(j, deadline)) {
			if (phase && !strcmp(j->key, "cpus"))
				rtapp_not_carried(a, j, "the CPUs of a task do not change here");
			else if (phase && (!strcmp(j->key, "instance") || !strcmp(j->key, "delay")))
				rtapp_not_carried(a, j, "it belongs to a task, not to a phase");
			else if (!deadline && is_deadline_key(j->key))
				rtapp_not_carried(a, j, "only SCHED_DEADLINE has it");
			continue;
		}
		if (e == RTAPP_EVENT_NONE)
			rtapp_not_carried(a, j, "no meaning in a simulation of locks");
		else
			rtapp_event(a, j, e);
	}
}

/* Opens "loop N {" unless that is once; true if it was opened. */
static bool open_loop(struct rtapp *a, const struct json *block, gint64 n, unsigned *acts)
{
	const struct json *loop = json_get(block, "loop");

	if (loop && !rtapp_integer(a, loop, "a number of turns, or -1 for no end,", -1, G_MAXINT32, &n))
		return false;
	if (n == 1)
		return false;
	if (n < 0) {
		a->endless = true;
		rtapp_put(a, "loop {");
	} else {
		rtapp_put(a, "loop %" G_GINT64_FORMAT " {", n);
	}
	a->indent++;
	*acts = a->acts;
	return true;
}

/* @acts: as open_loop() left it. */
static void close_loop(struct rtapp *a, bool opened, unsigned acts)
{
	if (!opened)
		return;
	if (a->acts == acts)
		rtapp_put(a, "run 1us # what it does takes no time here");
	a->indent--;
	rtapp_put(a, "}");
}

static void phase(struct rtapp *a, const struct json *j)
{
	g_autoptr(GString) how = g_string_new(NULL);
	unsigned acts = 0;
	bool opened;

	if (j->kind != JSON_OBJECT) {
		import_error_at(a->src, j->value_at, "expected { ... } for phase \"%s\"", j->key);
		return;
	}
	if (!sched(a, j, a->policy, true, how))
		return;
	if (!a->counting) {
		g_autofree char *clean = import_quote(j->key);

		rtapp_put(a, "# phase %s", clean);
	}
	if (how->len)
		rtapp_put(a, "set %s%s %s", a->task->name, a->task->count > 1 ? "[$i]" : "", how->str);
	opened = open_loop(a, j, 1, &acts);
	events(a, j, true);
	close_loop(a, opened, acts);
}

/* -- the grammar of 2010 ----------------------------------------------------------------------------- */

static struct rtapp_thing *numbered(struct rtapp *a, gint64 id)
{
	g_autofree char *name = g_strdup_printf("resource%" G_GINT64_FORMAT, id);

	return rtapp_thing(a, RTAPP_MUTEX, name);
}

/* Locks @id, then what it accesses inside of it, and runs for the duration of the innermost. */
static void access_resource(struct rtapp *a, const struct json *resources, gint64 id, unsigned depth,
			    const struct json *where)
{
	g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT, id);
	const struct json *r = json_get(resources, key), *access = json_get(r, "access"),
			  *duration = json_get(r, "duration");
	gint64 next;

	if (depth > NEST_MAX) {
		import_error_at(a->src, where->at, "resources access each other in a circle");
		return;
	}
	if (!r) {
		import_error_at(a->src, where->value_at, "expected resources of this task only; \"resources\" has no \"%s\"", key);
		return;
	}
	rtapp_put(a, "lock %s", numbered(a, id)->name);
	if (access && access->kind == JSON_ARRAY && access->items->len) {
		for (guint i = 0; i < access->items->len && !a->src->errors; i++)
			if (rtapp_integer(a, access->items->pdata[i], "a resource", 0, 65535, &next) &&
			    next != id)
				access_resource(a, resources, next, depth + 1, access);
	} else if (duration) {
		rtapp_timed(a, duration, "run", "");
	}
	rtapp_put(a, "unlock %s", numbered(a, id)->name);
}

static void old_task(struct rtapp *a, const struct json *task)
{
	const struct json *order = json_get(task, "lock_order"), *exec = json_get(task, "exec"),
			  *period = json_get(task, "period");
	gint64 id, us;

	if (order && order->kind != JSON_ARRAY) {
		import_error_at(a->src, order->value_at, "expected a list of resources such as [0, 1]");
		return;
	}
	a->endless = true;
	rtapp_put(a, "loop {");
	a->indent++;
	if (exec)
		rtapp_timed(a, exec, "run", "");
	for (guint i = 0; order && i < order->items->len && !a->src->errors; i++)
		if (rtapp_integer(a, order->items->pdata[i], "a resource", 0, 65535, &id))
			access_resource(a, json_get(task, "resources"), id, 0, order);
	if (period && rtapp_time(a, period, &us) && us)
		rtapp_put(a, "period %" G_GINT64_FORMAT "us", us);
	a->indent--;
	rtapp_put(a, "}");
	for (guint i = 0; i < task->items->len; i++) {
		const struct json *j = task->items->pdata[i];

		if (!is_setting(j, true) || (!strcmp(j->key, "deadline") && !is_deadline(task)))
			rtapp_not_carried(a, j, "no meaning here");
	}
}

/* -- a task ------------------------------------------------------------------------------------------- */

/* @forked: by which it is begun, or NULL. */
static void task_body(struct rtapp *a, const struct json *task, const struct rtapp_thing *forked)
{
	const struct json *delay = json_get(task, "delay"), *phases = json_get(task, "phases");
	unsigned acts = 0;
	gint64 us;
	bool opened;

	if (forked)
		rtapp_put(a, "wait %s", forked->name);
	if (delay && rtapp_time(a, delay, &us) && us)
		rtapp_put(a, "%s %" G_GINT64_FORMAT "us", forked ? "sleep" : "at", us);
	if (json_get(task, "exec") || json_get(task, "lock_order")) {
		old_task(a, task);
		return;
	}
	opened = open_loop(a, task, -1, &acts);
	if (phases && phases->kind == JSON_OBJECT) {
		for (guint i = 0; i < phases->items->len && !a->src->errors; i++)
			phase(a, phases->items->pdata[i]);
		for (guint i = 0; i < task->items->len; i++) {
			const struct json *j = task->items->pdata[i];

			if (!is_setting(j, true))
				rtapp_not_carried(a, j, rtapp_event_of(j->key) == RTAPP_EVENT_NONE ? "no meaning in a simulation of locks" :
												  "it stands beside phases");
		}
	} else {
		events(a, task, false);
	}
	close_loop(a, opened, acts);
}

/* As a->task says. */
static void instances(struct rtapp *a, const struct json *task, const char *head, const struct rtapp_thing *forked)
{
	if (a->task->count > 1)
		rtapp_put(a, "task %s[%" G_GINT64_FORMAT "]%s%s {", a->task->name, a->task->count, *head && *head != ' ' ? " " : "", head);
	else
		rtapp_put(a, "task %s%s%s {", a->task->name, *head && *head != ' ' ? " " : "", head);
	a->indent = 1;
	task_body(a, task, forked);
	a->indent = 0;
	rtapp_put(a, "}\n");
}

void rtapp_task(struct rtapp *a, const struct json *task, const char *policy)
{
	const struct json *instance = json_get(task, "instance"), *own = json_get(task, "policy");
	g_autoptr(GString) head = g_string_new(NULL);
	const struct rtapp_thing *fork;
	g_autofree char *name = NULL;
	gint64 n = 1;

	if (task->kind != JSON_OBJECT) {
		import_error_at(a->src, task->value_at, "expected { ... } for task \"%s\"", task->key);
		return;
	}
	if (instance && !rtapp_integer(a, instance, "a number of instances", 0, 100000, &n))
		return;
	a->task = rtapp_thing(a, RTAPP_TASK, task->key);
	a->task->count = n;
	a->policy = own && own->text ? own->text : policy;
	if (!sched(a, task, policy, false, head) || !cpus(a, task, head))
		return;
	fork = rtapp_find(a, RTAPP_FORK, task->key);
	if (n)
		instances(a, task, head->str, NULL);
	else if (!fork)
		rtapp_not_carried(a, task, "no instance, and nobody forks it");
	if (!fork || a->src->errors)
		return;
	name = g_strconcat(task->key, "_forked", NULL);
	a->task = rtapp_thing(a, RTAPP_TASK, name);
	a->task->count = fork->count;
	instances(a, task, head->str, fork);
}
