// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of rt-app tasks as statements. */
#include <string.h>

#include "sim/cli/import_rtapp.h"

static const char *const event_name[] = {
#define X(name) #name,
	RTAPP_EVENTS(X)
#undef X
};

enum rtapp_event rtapp_event_of(const char *key)
{
	for (unsigned i = 0; i < RTAPP_EVENT_NONE; i++)
		if (g_str_has_prefix(key, event_name[i]))
			return (enum rtapp_event)i;
	return RTAPP_EVENT_NONE;
}

/* Tells of keys of an event that are not @known. */
static void other_keys(struct rtapp *a, const struct json *event, const char *const *known)
{
	for (guint i = 0; event->kind == JSON_OBJECT && i < event->items->len; i++) {
		const struct json *j = event->items->pdata[i];

		if (!g_strv_contains(known, j->key))
			rtapp_not_carried(a, j, "rt-app knows no such key of this event");
		else
			rtapp_is_overruled(a, event, j);
	}
}

/* {ref, mutex}: cond_wait, once, with no predicate. */
static void wait_on(struct rtapp *a, const struct json *j, bool signal_first)
{
	static const char *const known[] = {"ref", "mutex", NULL};
	const char *ref = rtapp_text(a, json_get(j, "ref"), "a condition"),
		   *mutex = rtapp_text(a, json_get(j, "mutex"), "a mutex");
	struct rtapp_thing *c, *m;

	if (!ref || !mutex) {
		if (!a->src->errors)
			import_error_at(a->src, j->value_at,
					"expected { \"ref\": condition, \"mutex\": mutex } for \"%s\"",
					j->key);
		return;
	}
	ref = signal_first ? rtapp_target(a, ref) : ref;
	if (!ref)
		return;
	other_keys(a, j, known);
	c = rtapp_thing(a, RTAPP_CONDITION, ref);
	m = rtapp_thing(a, RTAPP_MUTEX, mutex);
	if (signal_first)
		rtapp_put(a, "wake %s", c->name);
	rtapp_put(a, "wait %s with %s", c->name, m->name);
}

/* suspend and resume take the condition and the mutex of their name, which are those of wait and lock, if
 * these name them too. */
static struct rtapp_thing *shared(struct rtapp *a, enum rtapp_kind plain, enum rtapp_kind own,
				  const char *name)
{
	return rtapp_thing(a, g_hash_table_contains(a->plain[plain], name) ? plain : own, name);
}

/* Where a task suspends itself: on the name it gives if a resume asks for that, as rt-app 1.0 did, else on
 * its own. */
static void suspend(struct rtapp *a, const struct json *j)
{
	const char *name = j->kind == JSON_STRING && *j->text ? j->text : NULL, *guard;

	if (!name || !g_hash_table_contains(a->resumed, name))
		name = a->task->original;
	guard = shared(a, RTAPP_MUTEX, RTAPP_GUARD, name)->name;
	rtapp_put(a, "hold %s { wait %s with %s }", guard,
		  shared(a, RTAPP_CONDITION, RTAPP_SUSPENSION, name)->name, guard);
}

static void resume(struct rtapp *a, const struct json *j)
{
	const char *name = rtapp_text(a, j, "a task");
	struct rtapp_thing *sleepers, *guard;

	if (!name)
		return;
	if (a->counting)
		g_hash_table_add(a->resumed, (gpointer)name);
	/* things are declared in the order of their first use */
	sleepers = shared(a, RTAPP_CONDITION, RTAPP_SUSPENSION, name);
	guard = shared(a, RTAPP_MUTEX, RTAPP_GUARD, name);
	rtapp_put(a, "hold %s { wakeall %s }", guard->name, sleepers->name);
}

static const char *timer_name(const struct json *timer)
{
	const struct json *ref = json_get(timer, "ref");

	return ref && ref->text ? ref->text : "timer";
}

static bool all_timers_are(const struct json *block, const char **name)
{
	for (guint i = 0; block->kind == JSON_OBJECT && i < block->items->len; i++) {
		const struct json *j = block->items->pdata[i];

		if (rtapp_event_of(j->key) != RTAPP_EVENT_timer)
			continue;
		if (*name && strcmp(*name, timer_name(j)))
			return false;
		*name = timer_name(j);
	}
	return true;
}

bool rtapp_has_one_timer(const struct json *task)
{
	const struct json *phases = json_get(task, "phases");
	const char *name = NULL;

	if (!phases || phases->kind != JSON_OBJECT)
		return all_timers_are(task, &name);
	for (guint i = 0; i < phases->items->len; i++)
		if (!all_timers_are(phases->items->pdata[i], &name))
			return false;
	return true;
}

/* All grids of a thread begin with it there. Here that is so of the grid without a name; one with a name
 * begins when it is first used. */
static void put_period(struct rtapp *a, const struct rtapp_thing *t, gint64 us, bool unique, bool absolute)
{
	g_autoptr(GString) what = g_string_new(NULL);
	g_autofree char *clean = import_quote(t->original);

	if (!a->one_timer)
		g_string_append_printf(what, " on %s", t->name);
	if (!absolute)
		g_string_append(what, " reset");
	if (a->one_timer && !unique)
		g_string_append_printf(what, " # timer %s", clean);
	else if (!a->one_timer)
		g_string_append(what, " # its grid begins at its first use here, with the thread there");
	if (t->count > 1 && !unique)
		g_string_append(what, "; there all its users share it, here each has its own");
	rtapp_put(a, "period %" G_GINT64_FORMAT "us%s", us, what->str);
}

/* A late one keeps its grid if it is absolute, else begins anew. */
static void timer(struct rtapp *a, const struct json *j)
{
	static const char *const known[] = {"ref", "period", "mode", NULL};
	const struct json *period = json_get(j, "period"), *mode = json_get(j, "mode");
	const char *ref = rtapp_text(a, json_get(j, "ref"), "the name of a timer");
	struct rtapp_thing *t;
	gint64 us;

	if (!period) {
		import_error_at(a->src, j->value_at,
				"expected { \"ref\": name, \"period\": microseconds } for \"%s\"", j->key);
		return;
	}
	if (!rtapp_time(a, period, &us))
		return;
	if (!us) {
		import_error_at(a->src, period->value_at, "a period cannot be 0");
		return;
	}
	if (mode && mode->text && strcmp(mode->text, "absolute") && strcmp(mode->text, "relative")) {
		import_error_at(a->src, mode->value_at,
				"expected \"relative\" or \"absolute\", found \"%.40s\"", mode->text);
		return;
	}
	other_keys(a, j, known);
	t = rtapp_thing(a, RTAPP_TIMER, ref ? ref : "timer");
	if (t->user != a->task) {
		t->user = a->task;
		t->count += a->counting ? a->task->count : 0;
	}
	put_period(a, t, us, ref && g_str_has_prefix(ref, "unique"),
		   mode && mode->text && !strcmp(mode->text, "absolute"));
}

/* As many as the text has forks of it are there from the start, and wait. */
static void fork_task(struct rtapp *a, const struct json *j)
{
	const char *name = rtapp_text(a, j, "a task");
	struct rtapp_thing *f;

	if (!name)
		return;
	if (!rtapp_find(a, RTAPP_TASK, name)) {
		import_error_at(a->src, j->value_at, "expected a task of this file to fork, found \"%.40s\"",
				name);
		return;
	}
	f = rtapp_thing(a, RTAPP_FORK, name);
	if (a->finding)
		f->count += a->task->count;
	rtapp_put(a, "wake %s", f->name);
}

static void object_event(struct rtapp *a, const struct json *j, enum rtapp_kind kind, const char *verb)
{
	const char *given = rtapp_text(a, j, "a name"),
		   *name = given && kind == RTAPP_CONDITION ? rtapp_target(a, given) : given;
	struct rtapp_thing *n = name ? rtapp_thing(a, kind, name) : NULL;

	if (!n)
		return;
	if (a->counting && kind == RTAPP_BARRIER)
		n->count += a->task->count;
	rtapp_put(a, "%s %s", verb, n->name);
}

void rtapp_timed(struct rtapp *a, const struct json *j, const char *verb, const char *remark)
{
	gint64 us;

	if (!rtapp_time(a, j, &us))
		return;
	rtapp_put(a, "%s %" G_GINT64_FORMAT "us%s", verb, us, remark);
	a->acts -= !us;
}

void rtapp_event(struct rtapp *a, const struct json *j, enum rtapp_event e)
{
	switch (e) {
	case RTAPP_EVENT_lock:
		object_event(a, j, RTAPP_MUTEX, "lock");
		return;
	case RTAPP_EVENT_unlock:
		object_event(a, j, RTAPP_MUTEX, "unlock");
		return;
	case RTAPP_EVENT_wait:
		wait_on(a, j, false);
		return;
	case RTAPP_EVENT_sync:
		wait_on(a, j, true);
		return;
	case RTAPP_EVENT_signal:
		object_event(a, j, RTAPP_CONDITION, "wake");
		return;
	case RTAPP_EVENT_broad:
		object_event(a, j, RTAPP_CONDITION, "wakeall");
		return;
	case RTAPP_EVENT_sleep:
		rtapp_timed(a, j, "sleep", "");
		return;
	case RTAPP_EVENT_runtime:
		rtapp_timed(a, j, "run", " # there: until so much time has passed, running or not");
		return;
	case RTAPP_EVENT_run:
		rtapp_timed(a, j, "run", "");
		return;
	case RTAPP_EVENT_timer:
		timer(a, j);
		return;
	case RTAPP_EVENT_suspend:
		suspend(a, j);
		return;
	case RTAPP_EVENT_resume:
		resume(a, j);
		return;
	case RTAPP_EVENT_memrun:
	case RTAPP_EVENT_mem:
		rtapp_not_carried(a, j, "memory traffic of programs has no meaning here");
		return;
	case RTAPP_EVENT_iorun:
		rtapp_not_carried(a, j, "there are no devices here");
		return;
	case RTAPP_EVENT_yield:
		rtapp_put(a, "yield");
		return;
	case RTAPP_EVENT_barrier:
		object_event(a, j, RTAPP_BARRIER, "meet");
		return;
	case RTAPP_EVENT_fork:
		fork_task(a, j);
		return;
	case RTAPP_EVENT_sem_post:
		object_event(a, j, RTAPP_SEMAPHORE, "post");
		return;
	case RTAPP_EVENT_sem_wait:
		object_event(a, j, RTAPP_SEMAPHORE, "take");
		return;
	case RTAPP_EVENT_NONE:
		break;
	}
}
