// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks of rt-app, of today's grammar and of that of 2010. */
#include <string.h>

#include "sim/cli/import_rtapp.h"

#define CREATION_US 10 /* between the starts of two threads */

/* Keys that are no events, though some begin like one. */
bool rtapp_is_setting(const struct json *j, bool deadline)
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

bool rtapp_is_deadline(const struct rtapp *a, const struct json *task)
{
	const struct json *policy = json_get(task, "policy");
	const char *name = policy && policy->text ? policy->text : a->policy;

	return name && !g_ascii_strcasecmp(name, "SCHED_DEADLINE");
}

static bool deadline_sched(struct rtapp *a, const struct json *task, GString *out)
{
	static const char *const keys[3][2] = {
		{"dl-runtime", "runtime"}, {"dl-period", "period"}, {"dl-deadline", "deadline"}};
	gint64 us = 0, all[3];

	g_string_append(out, "deadline");
	for (unsigned i = 0; i < 3; i++) {
		const struct json *j = json_get(task, keys[i][0]);

		j = j ? j : json_get(task, keys[i][1]);
		if (!j && !i) /* until 2013 */
			j = json_get(task, "exec");
		if (!j && !i) {
			import_error_at(a->src, task->at, "SCHED_DEADLINE needs \"%s\"", keys[i][0]);
			return false;
		}
		if (j && !rtapp_time(a, j,
				     &us)) /* the period is by default the runtime, the deadline the period */
			return false;
		g_string_append_printf(out, " %" G_GINT64_FORMAT "us", us);
		all[i] = us;
	}
	if (all[0] && all[0] <= all[2] && all[2] <= all[1])
		return true;
	import_error_at(a->src, task->at,
			"expected 0 < dl-runtime <= dl-deadline <= dl-period, found %" G_GINT64_FORMAT
			", %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
			all[0], all[2], all[1]);
	return false;
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
		const struct json *named = policy ? policy : a->default_policy;

		import_error_at(a->src, named ? named->value_at : task->at,
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
	bool deadline = rtapp_is_deadline(a, block);

	for (guint i = 0; i < block->items->len && !a->src->errors; i++) {
		const struct json *j = block->items->pdata[i];
		enum rtapp_event e = rtapp_event_of(j->key);

		if (rtapp_is_setting(j, deadline)) {
			if (rtapp_is_overruled(a, block, j))
				continue;
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
bool rtapp_open_loop(struct rtapp *a, const struct json *block, gint64 n, unsigned *acts)
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

/* @acts: as rtapp_open_loop() left it. */
void rtapp_close_loop(struct rtapp *a, bool opened, unsigned acts)
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
	opened = rtapp_open_loop(a, j, 1, &acts);
	if (rtapp_is_old(j)) {
		rtapp_old_acts(a, j);
		rtapp_old_leftovers(a, j, true);
	} else {
		events(a, j, true);
	}
	rtapp_close_loop(a, opened, acts);
}

/* -- a task ------------------------------------------------------------------------------------------- */

/* Threads are created one after the other, so that no two of them do the same at the same instant. */
static void put_start(struct rtapp *a, gint64 delay)
{
	gint64 us = delay + a->started * CREATION_US, step = CREATION_US;

	if (a->spacing_us && !delay) {
		step = a->spacing_us;
		us = (a->started + 1) * step;
	}
	if (a->task->count > 1)
		rtapp_put(a, "at %" G_GINT64_FORMAT "us + %" G_GINT64_FORMAT "us * $i", us, step);
	else if (us)
		rtapp_put(a, "at %" G_GINT64_FORMAT "us", us);
	a->started += a->task->count;
}

static bool has_event(const struct rtapp *a, const struct json *task)
{
	bool deadline = rtapp_is_deadline(a, task);

	for (guint i = 0; i < task->items->len; i++) {
		const struct json *j = task->items->pdata[i];

		if (!rtapp_is_setting(j, deadline) && rtapp_event_of(j->key) != RTAPP_EVENT_NONE)
			return true;
	}
	return false;
}

/* @forked: by which it is begun, or NULL. */
static void task_body(struct rtapp *a, const struct json *task, const struct rtapp_thing *forked)
{
	const struct json *delay = json_get(task, "delay"), *phases = json_get(task, "phases");
	unsigned acts = 0;
	gint64 us = 0;
	bool opened;

	if (forked)
		rtapp_put(a, "wait %s", forked->name);
	if (delay && !rtapp_time(a, delay, &us))
		return;
	if (forked && us)
		rtapp_put(a, "sleep %" G_GINT64_FORMAT "us", us);
	if (!forked)
		put_start(a, us);
	if (rtapp_is_old(task)) {
		rtapp_old_task(a, task);
		return;
	}
	if (phases && phases->kind != JSON_OBJECT) {
		import_error_at(a->src, phases->value_at, "expected { name: { ... } } for \"phases\"");
		return;
	}
	if (!phases && !has_event(a, task)) {
		import_error_at(a->src, task->at,
				"expected events such as \"run\", or \"phases\", for task \"%s\"", task->key);
		return;
	}
	opened = rtapp_open_loop(a, task, -1, &acts);
	if (phases) {
		for (guint i = 0; i < phases->items->len && !a->src->errors; i++)
			phase(a, phases->items->pdata[i]);
		for (guint i = 0; i < task->items->len; i++) {
			const struct json *j = task->items->pdata[i];

			if (rtapp_is_setting(j, true))
				rtapp_is_overruled(a, task, j);
			else
				rtapp_not_carried(a, j,
						  rtapp_event_of(j->key) == RTAPP_EVENT_NONE
							  ? "no meaning in a simulation of locks"
							  : "it stands beside phases");
		}
	} else {
		events(a, task, false);
	}
	rtapp_close_loop(a, opened, acts);
}

/* As a->task says. */
static void instances(struct rtapp *a, const struct json *task, const char *head,
		      const struct rtapp_thing *forked)
{
	if (a->task->count > 1)
		rtapp_put(a, "task %s[%" G_GINT64_FORMAT "]%s%s {", a->task->name, a->task->count,
			  *head && *head != ' ' ? " " : "", head);
	else
		rtapp_put(a, "task %s%s%s {", a->task->name, *head && *head != ' ' ? " " : "", head);
	a->indent = 1;
	task_body(a, task, forked);
	a->indent = 0;
	rtapp_put(a, "}\n");
}

void rtapp_task(struct rtapp *a, const struct json *task, const char *original, const char *policy)
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
	a->task = rtapp_thing(a, RTAPP_TASK, original);
	a->task->count = n;
	a->policy = own && own->text ? own->text : policy;
	a->one_timer = rtapp_has_one_timer(task);
	if (!sched(a, task, policy, false, head) || !cpus(a, task, head))
		return;
	fork = rtapp_find(a, RTAPP_FORK, original);
	if (n)
		instances(a, task, head->str, NULL);
	else if (!fork)
		rtapp_not_carried(a, task, "no instance, and nobody forks it");
	if (!fork || a->src->errors)
		return;
	name = g_strconcat(original, "_forked", NULL);
	a->task = rtapp_thing(a, RTAPP_TASK, name);
	a->task->count = fork->count;
	a->one_timer = false;
	instances(a, task, head->str, fork);
}
