// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workloads of rt-app: a JSON object with tasks, resources and global settings. Events are keys whose
 * order is the program; a key's name is matched by its beginning, so "run0" and "run1" are both run.
 */
#include <string.h>

#include "sim/cli/import_json.h"
#include "sim/core/clock.h"
#include "sim/scenario/lex.h"

#define NEST_MAX 32

enum object { OBJECT_MUTEX, OBJECT_CONDITION, OBJECT_SEMAPHORE, OBJECT_BARRIER, OBJECT_TASK };

struct named {
	enum object kind;
	char *original, *name; /* what it is called there and here */
	gint64 count;	       /* tasks: instances; barriers: parties; semaphores: units; conditions: waiting tasks */
};

struct app {
	struct import_source *src;
	GPtrArray *named;
	GString *body; /* of what is being printed */
	GHashTable *resumed; /* names that some resume mentions: looked up only */
	bool counting; /* first pass: finds objects and how often they are used; prints nothing that stays */
	bool endless;  /* some task never ends */
	bool pi;
	gint64 cpus;   /* highest that is named, and one more */
	struct named *task;
	const char *policy; /* of that task, or NULL */
	unsigned indent;
};

/* In the order in which rt-app tries them. */
enum event {
	EVENT_lock, EVENT_unlock, EVENT_wait, EVENT_signal, EVENT_broad, EVENT_sync, EVENT_sleep, EVENT_runtime,
	EVENT_run, EVENT_timer, EVENT_suspend, EVENT_resume, EVENT_memrun, EVENT_mem, EVENT_iorun, EVENT_yield,
	EVENT_barrier, EVENT_fork, EVENT_sem_post, EVENT_sem_wait, EVENT_NONE
};

static const char *const event_name[] = {
	"lock", "unlock", "wait", "signal", "broad", "sync", "sleep", "runtime", "run", "timer", "suspend", "resume",
	"memrun", "mem", "iorun", "yield", "barrier", "fork", "sem_post", "sem_wait",
};

static enum event event_of(const char *key)
{
	for (unsigned i = 0; i < EVENT_NONE; i++)
		if (g_str_has_prefix(key, event_name[i]))
			return (enum event)i;
	return EVENT_NONE;
}

/* -- printing ---------------------------------------------------------------------------------------- */

static void put(struct app *a, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void put(struct app *a, const char *fmt, ...)
{
	va_list args;

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

			g_string_append_printf(s, "%s%s%s", i ? ", " : "", item->key ? item->key : "", item->key ? ": " : "");
			put_json(s, item);
		}
		g_string_append_c(s, j->kind == JSON_ARRAY ? ']' : '}');
	} else {
		g_string_append(s, j->text ? j->text : "null");
	}
}

/* "# not carried: KEY: VALUE (WHY)" */
static void not_carried(struct app *a, const struct json *j, const char *why)
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
	put(a, "# not carried: %s (%s)", clean, why);
}

/* -- values ------------------------------------------------------------------------------------------ */

static bool integer(struct app *a, const struct json *j, const char *what, gint64 min, gint64 max, gint64 *n)
{
	char *end = NULL;

	if (j->kind == JSON_NUMBER || j->kind == JSON_STRING) {
		*n = g_ascii_strtoll(j->text, &end, 10);
		if (end != j->text && !*end && *n >= min && *n <= max)
			return true;
	}
	import_error_at(a->src, j->value_at, "expected %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " for \"%s\"",
			what, min, max, j->key ? j->key : "");
	return false;
}

#define US_MAX (G_GINT64_CONSTANT(1) << 42)

static bool time_of(struct app *a, const struct json *j, gint64 *us)
{
	return integer(a, j, "microseconds", 0, US_MAX, us);
}

static const char *text_of(struct app *a, const struct json *j, const char *what)
{
	if (j && j->kind == JSON_STRING && *j->text)
		return j->text;
	if (j)
		import_error_at(a->src, j->value_at, "expected %s in double quotes for \"%s\"", what, j->key ? j->key : "");
	return NULL;
}

/* -- names ------------------------------------------------------------------------------------------- */

static bool is_word(const char *name)
{
	static const unsigned where[] = {KW_TOP, KW_BODY};

	for (unsigned w = 0; w < G_N_ELEMENTS(where); w++)
		for (const char *const *k = lex_keywords(where[w]); *k; k++)
			if (!strcmp(*k, name))
				return true;
	return false;
}

static bool is_taken(const struct app *a, const char *name)
{
	for (guint i = 0; i < a->named->len; i++)
		if (!strcmp(((struct named *)a->named->pdata[i])->name, name))
			return true;
	return false;
}

/* The thing of that kind and name; new ones get a name that the language allows. */
static struct named *thing(struct app *a, enum object kind, const char *original)
{
	static const char *const suffix[] = {"_mutex", "_cond", "_sem", "_barrier", "_task"};
	struct named *n;
	GString *name;

	for (guint i = 0; i < a->named->len; i++) {
		n = a->named->pdata[i];
		if (n->kind == kind && !strcmp(n->original, original))
			return n;
	}
	name = g_string_new(g_ascii_isdigit(*original) ? "n" : "");
	for (const char *c = original; *c && name->len < 40; c++)
		g_string_append_c(name, g_ascii_isalnum(*c) ? *c : '_');
	if (is_word(name->str) || is_taken(a, name->str))
		g_string_append(name, suffix[kind]);
	for (gsize len = name->len, i = 2; is_taken(a, name->str); i++) {
		g_string_truncate(name, len);
		g_string_append_printf(name, "%u", (unsigned)i);
	}
	n = g_new0(struct named, 1);
	n->kind = kind;
	n->original = g_strdup(original);
	n->name = g_string_free(name, FALSE);
	g_ptr_array_add(a->named, n);
	return n;
}

static void free_named(gpointer p)
{
	struct named *n = p;

	g_free(n->original);
	g_free(n->name);
	g_free(n);
}

/* -- events ------------------------------------------------------------------------------------------ */

/* {ref, mutex}: cond_wait on a completion, with the mutex let go. */
static void wait_on(struct app *a, const struct json *j, bool signal_first)
{
	const char *ref = text_of(a, json_get(j, "ref"), "a condition"), *mutex = text_of(a, json_get(j, "mutex"), "a mutex");
	struct named *c, *m;

	if (!ref || !mutex) {
		if (!a->src->errors)
			import_error_at(a->src, j->value_at, "expected { \"ref\": condition, \"mutex\": mutex } for \"%s\"", j->key);
		return;
	}
	c = thing(a, OBJECT_CONDITION, ref);
	m = thing(a, OBJECT_MUTEX, mutex);
	if (a->counting)
		c->count += a->task->count;
	if (signal_first)
		put(a, "wake %s", c->name);
	put(a, "unlock %s wait %s lock %s", m->name, c->name, m->name);
}

static void broadcast(struct app *a, struct named *c)
{
	gint64 n = CLAMP(c->count, 1, 64);

	if (n == 1)
		put(a, "wake %s", c->name);
	else
		put(a, "loop %" G_GINT64_FORMAT " { wake %s } # all that may wait", n, c->name);
}

/* Where a task suspends itself: on the name it gives if a resume asks for that, as rt-app 1.0 did, else on its own. */
static void suspend(struct app *a, const struct json *j)
{
	const char *name = j->kind == JSON_STRING && *j->text ? j->text : NULL;
	struct named *c;

	if (!name || !g_hash_table_contains(a->resumed, name))
		name = a->task->original;
	c = thing(a, OBJECT_CONDITION, name);
	if (a->counting)
		c->count += a->task->count;
	put(a, "wait %s", c->name);
}

static void resume(struct app *a, const struct json *j)
{
	const char *name = text_of(a, j, "a task");

	if (!name)
		return;
	if (a->counting)
		g_hash_table_add(a->resumed, (gpointer)name);
	broadcast(a, thing(a, OBJECT_CONDITION, name));
}

static void timer(struct app *a, const struct json *j)
{
	const struct json *period = json_get(j, "period"), *mode = json_get(j, "mode");
	gint64 us;

	if (!period) {
		import_error_at(a->src, j->value_at, "expected { \"ref\": name, \"period\": microseconds } for \"%s\"", j->key);
		return;
	}
	if (!time_of(a, period, &us))
		return;
	if (!us) {
		import_error_at(a->src, period->value_at, "a period cannot be 0");
		return;
	}
	if (!mode || !mode->text || strcmp(mode->text, "absolute"))
		put(a, "period %" G_GINT64_FORMAT "us # there relative: a late one moves the grid; here it does not", us);
	else
		put(a, "period %" G_GINT64_FORMAT "us", us);
}

static void object_event(struct app *a, const struct json *j, enum object kind, const char *verb)
{
	const char *name = text_of(a, j, "a name");
	struct named *n = name ? thing(a, kind, name) : NULL;

	if (!n)
		return;
	if (a->counting && kind == OBJECT_BARRIER)
		n->count += a->task->count;
	put(a, "%s %s", verb, n->name);
}

static void timed_event(struct app *a, const struct json *j, const char *verb, const char *remark)
{
	gint64 us;

	if (time_of(a, j, &us))
		put(a, "%s %" G_GINT64_FORMAT "us%s", verb, us, remark);
}

static void event(struct app *a, const struct json *j, enum event e)
{
	const char *name;

	switch (e) {
	case EVENT_lock:
		object_event(a, j, OBJECT_MUTEX, "lock");
		return;
	case EVENT_unlock:
		object_event(a, j, OBJECT_MUTEX, "unlock");
		return;
	case EVENT_wait:
		wait_on(a, j, false);
		return;
	case EVENT_sync:
		wait_on(a, j, true);
		return;
	case EVENT_signal:
		object_event(a, j, OBJECT_CONDITION, "wake");
		return;
	case EVENT_broad:
		name = text_of(a, j, "a condition");
		if (name)
			broadcast(a, thing(a, OBJECT_CONDITION, name));
		return;
	case EVENT_sleep:
		timed_event(a, j, "sleep", "");
		return;
	case EVENT_runtime:
		timed_event(a, j, "run", " # there: until so much time has passed, running or not");
		return;
	case EVENT_run:
		timed_event(a, j, "run", "");
		return;
	case EVENT_timer:
		timer(a, j);
		return;
	case EVENT_suspend:
		suspend(a, j);
		return;
	case EVENT_resume:
		resume(a, j);
		return;
	case EVENT_memrun:
	case EVENT_mem:
		not_carried(a, j, "memory traffic of programs has no meaning here");
		return;
	case EVENT_iorun:
		not_carried(a, j, "there are no devices here");
		return;
	case EVENT_yield:
		put(a, "yield");
		return;
	case EVENT_barrier:
		object_event(a, j, OBJECT_BARRIER, "meet");
		return;
	case EVENT_fork:
		not_carried(a, j, "tasks are not started by others here; that task begins with the run");
		return;
	case EVENT_sem_post:
		object_event(a, j, OBJECT_SEMAPHORE, "post");
		return;
	case EVENT_sem_wait:
		object_event(a, j, OBJECT_SEMAPHORE, "take");
		return;
	case EVENT_NONE:
		break;
	}
}

/* -- tasks ------------------------------------------------------------------------------------------- */

/* Keys that are no events, though some begin like one. */
static bool is_setting(const struct json *j, bool deadline)
{
	static const char *const keys[] = {"instance", "delay", "loop", "phases", "policy", "priority", "dl-runtime", "dl-period",
					   "dl-deadline", "cpus", "exec", "period", "deadline", "lock_order", "resources"};

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

static bool deadline_sched(struct app *a, const struct json *task, GString *out)
{
	static const char *const keys[3][2] = {{"dl-runtime", "runtime"}, {"dl-period", "period"}, {"dl-deadline", "deadline"}};
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
		if (!time_of(a, j, &us))
			return false;
		g_string_append_printf(out, " %" G_GINT64_FORMAT "us", us);
	}
	return true;
}

/* "fifo 10"; empty if nothing is said. @fallback: the policy where none is named; of a phase, that of its task. */
static bool sched(struct app *a, const struct json *task, const char *fallback, bool phase, GString *out)
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
				"expected SCHED_OTHER, BATCH, IDLE, FIFO, RR or DEADLINE, found \"%.40s\"", p);
		return false;
	}
	if (priority && !integer(a, priority, "a priority", fifo || rr ? 1 : -20, fifo || rr ? 99 : 19, &n))
		return false;
	g_string_append_printf(out, "%s %" G_GINT64_FORMAT, fifo ? "fifo" : rr ? "rr" : "nice", n);
	if (!fifo && !rr && g_ascii_strcasecmp(p, "SCHED_OTHER") && !a->counting)
		put(a, "# not carried: %s of the next task (it is an ordinary one here)", p);
	return true;
}

static bool cpus(struct app *a, const struct json *task, GString *out)
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
		if (!integer(a, list->items->pdata[i], "a CPU", 0, 4095, &n))
			return false;
		g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? ", " : " cpus ", n);
		a->cpus = MAX(a->cpus, n + 1);
	}
	return true;
}

static void events(struct app *a, const struct json *block, bool phase)
{
	bool deadline = is_deadline(block);

	for (guint i = 0; i < block->items->len && !a->src->errors; i++) {
		const struct json *j = block->items->pdata[i];
		enum event e = event_of(j->key);

		if (is_setting(j, deadline)) {
			if (phase && !strcmp(j->key, "cpus"))
				not_carried(a, j, "the CPUs of a task do not change here");
			else if (phase && (!strcmp(j->key, "instance") || !strcmp(j->key, "delay")))
				not_carried(a, j, "it belongs to a task, not to a phase");
			else if (!deadline && is_deadline_key(j->key))
				not_carried(a, j, "only SCHED_DEADLINE has it");
			continue;
		}
		if (e == EVENT_NONE)
			not_carried(a, j, "no meaning in a simulation of locks");
		else
			event(a, j, e);
	}
}

/* Opens "loop N {" unless that is once; true if it was opened. */
static bool open_loop(struct app *a, const struct json *block, gint64 n)
{
	const struct json *loop = json_get(block, "loop");

	if (loop && !integer(a, loop, "a number of turns, or -1 for no end,", -1, G_MAXINT32, &n))
		return false;
	if (n == 1)
		return false;
	if (n < 0) {
		a->endless = true;
		put(a, "loop {");
	} else {
		put(a, "loop %" G_GINT64_FORMAT " {", n);
	}
	a->indent++;
	return true;
}

static void close_loop(struct app *a, bool opened)
{
	if (!opened)
		return;
	a->indent--;
	put(a, "}");
}

static void phase(struct app *a, const struct json *j)
{
	g_autoptr(GString) how = g_string_new(NULL);
	bool opened;

	if (j->kind != JSON_OBJECT) {
		import_error_at(a->src, j->value_at, "expected { ... } for phase \"%s\"", j->key);
		return;
	}
	if (!sched(a, j, a->policy, true, how))
		return;
	if (!a->counting) {
		g_autofree char *clean = import_quote(j->key);

		put(a, "# phase %s", clean);
	}
	if (how->len)
		put(a, "set %s%s %s", a->task->name, a->task->count > 1 ? "[$i]" : "", how->str);
	opened = open_loop(a, j, 1);
	events(a, j, true);
	close_loop(a, opened);
}

/* -- the grammar of 2010 ----------------------------------------------------------------------------- */

static struct named *numbered(struct app *a, gint64 id)
{
	g_autofree char *name = g_strdup_printf("resource%" G_GINT64_FORMAT, id);

	return thing(a, OBJECT_MUTEX, name);
}

/* Locks @id, then what it accesses inside of it, and runs for the duration of the innermost. */
static void access_resource(struct app *a, const struct json *resources, gint64 id, unsigned depth, const struct json *where)
{
	g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT, id);
	const struct json *r = json_get(resources, key), *access = json_get(r, "access"), *duration = json_get(r, "duration");
	gint64 next;

	if (depth > NEST_MAX) {
		import_error_at(a->src, where->at, "resources access each other in a circle");
		return;
	}
	put(a, "lock %s", numbered(a, id)->name);
	if (access && access->kind == JSON_ARRAY && access->items->len) {
		for (guint i = 0; i < access->items->len && !a->src->errors; i++)
			if (integer(a, access->items->pdata[i], "a resource", 0, 65535, &next) && next != id)
				access_resource(a, resources, next, depth + 1, access);
	} else if (duration) {
		timed_event(a, duration, "run", "");
	}
	put(a, "unlock %s", numbered(a, id)->name);
}

static void old_task(struct app *a, const struct json *task)
{
	const struct json *order = json_get(task, "lock_order"), *exec = json_get(task, "exec"), *period = json_get(task, "period");
	gint64 id, us;

	a->endless = true;
	put(a, "loop {");
	a->indent++;
	if (exec)
		timed_event(a, exec, "run", "");
	for (guint i = 0; order && order->kind == JSON_ARRAY && i < order->items->len && !a->src->errors; i++)
		if (integer(a, order->items->pdata[i], "a resource", 0, 65535, &id))
			access_resource(a, json_get(task, "resources"), id, 0, order);
	if (period && time_of(a, period, &us) && us)
		put(a, "period %" G_GINT64_FORMAT "us", us);
	a->indent--;
	put(a, "}");
	for (guint i = 0; i < task->items->len; i++) {
		const struct json *j = task->items->pdata[i];

		if (!is_setting(j, true) || (!strcmp(j->key, "deadline") && !is_deadline(task)))
			not_carried(a, j, "no meaning here");
	}
}

/* -- the whole --------------------------------------------------------------------------------------- */

static void task_body(struct app *a, const struct json *task)
{
	const struct json *delay = json_get(task, "delay"), *phases = json_get(task, "phases");
	gint64 us;
	bool opened;

	if (delay && time_of(a, delay, &us) && us)
		put(a, "at %" G_GINT64_FORMAT "us", us);
	if (json_get(task, "exec") || json_get(task, "lock_order")) {
		old_task(a, task);
		return;
	}
	opened = open_loop(a, task, -1);
	if (phases && phases->kind == JSON_OBJECT) {
		for (guint i = 0; i < phases->items->len && !a->src->errors; i++)
			phase(a, phases->items->pdata[i]);
		for (guint i = 0; i < task->items->len; i++) {
			const struct json *j = task->items->pdata[i];

			if (!is_setting(j, true))
				not_carried(a, j, "it stands beside phases");
		}
	} else {
		events(a, task, false);
	}
	close_loop(a, opened);
}

static void one_task(struct app *a, const struct json *task, const char *policy)
{
	const struct json *instance = json_get(task, "instance"), *own = json_get(task, "policy");
	g_autoptr(GString) head = g_string_new(NULL);
	gint64 n = 1;

	if (task->kind != JSON_OBJECT) {
		import_error_at(a->src, task->value_at, "expected { ... } for task \"%s\"", task->key);
		return;
	}
	if (instance && !integer(a, instance, "a number of instances", 0, 100000, &n))
		return;
	a->task = thing(a, OBJECT_TASK, task->key);
	a->task->count = n;
	if (!n) {
		not_carried(a, task, "no instance");
		return;
	}
	a->policy = own && own->text ? own->text : policy;
	if (!sched(a, task, policy, false, head) || !cpus(a, task, head))
		return;
	if (n > 1)
		put(a, "task %s[%" G_GINT64_FORMAT "] %s {", a->task->name, n, head->str);
	else
		put(a, "task %s %s {", a->task->name, head->str);
	a->indent = 1;
	task_body(a, task);
	a->indent = 0;
	put(a, "}\n");
}

static void all_tasks(struct app *a, const struct json *root)
{
	const struct json *tasks = json_get(root, "tasks"), *policy = json_get(json_get(root, "global"), "default_policy");

	a->endless = false;
	if (!tasks || tasks->kind != JSON_OBJECT || !tasks->items->len) {
		import_error_at(a->src, tasks ? tasks->value_at : root->at, "expected \"tasks\": { ... } with at least one task");
		return;
	}
	for (guint i = 0; i < tasks->items->len; i++) /* they keep their names, whatever else is called so */
		thing(a, OBJECT_TASK, ((struct json *)tasks->items->pdata[i])->key);
	for (guint i = 0; i < tasks->items->len && !a->src->errors; i++)
		one_task(a, tasks->items->pdata[i], policy ? policy->text : NULL);
}

static void resources(struct app *a, const struct json *root)
{
	const struct json *list = json_get(root, "resources");

	for (guint i = 0; list && list->kind == JSON_OBJECT && i < list->items->len; i++) {
		const struct json *j = list->items->pdata[i], *type = json_get(j, "type"), *value = json_get(j, "value");
		gint64 n = 0;

		if (type && type->text && g_str_has_prefix(type->text, "sem") &&
		    (!value || integer(a, value, "units", 0, 1000000, &n)))
			thing(a, OBJECT_SEMAPHORE, j->key)->count = n;
		else if (!a->counting && !(type && type->text && (!strcmp(type->text, "mutex") || !strcmp(type->text, "wait"))))
			not_carried(a, j, "resources are declared here by their use");
	}
}

static void declarations(const struct app *a, GString *out)
{
	for (guint i = 0; i < a->named->len; i++) {
		const struct named *n = a->named->pdata[i];

		switch (n->kind) {
		case OBJECT_MUTEX:
			g_string_append_printf(out, "lock %s : %s\n", n->name, a->pi ? "rtmutex" : "futex");
			break;
		case OBJECT_CONDITION:
			g_string_append_printf(out, "completion %s\n", n->name);
			break;
		case OBJECT_SEMAPHORE:
			g_string_append_printf(out, "semaphore %s = %" G_GINT64_FORMAT "\n", n->name, n->count);
			break;
		case OBJECT_BARRIER:
			g_string_append_printf(out, "barrier %s %" G_GINT64_FORMAT "\n", n->name, MAX(n->count, 1));
			break;
		case OBJECT_TASK:
			break;
		}
	}
}

static bool has(const struct app *a, enum object kind)
{
	for (guint i = 0; i < a->named->len; i++)
		if (((struct named *)a->named->pdata[i])->kind == kind)
			return true;
	return false;
}

/* duration, pi_enabled, and what is not carried. */
static void globals(struct app *a, const struct json *root, gint64 *duration)
{
	const struct json *global = json_get(root, "global"), *pi = json_get(global, "pi_enabled");

	*duration = -1;
	a->pi = pi && pi->text && !strcmp(pi->text, "true");
	for (guint i = 0; global && global->kind == JSON_OBJECT && i < global->items->len; i++) {
		const struct json *j = global->items->pdata[i];

		if (!strcmp(j->key, "duration"))
			integer(a, j, "seconds, or -1,", -1, 1000000, duration);
		else if (strcmp(j->key, "default_policy") && strcmp(j->key, "pi_enabled") && a->body)
			not_carried(a, j, "about the host that rt-app runs on");
	}
	for (guint i = 0; i < root->items->len; i++) {
		const struct json *j = root->items->pdata[i];

		if (strcmp(j->key, "tasks") && strcmp(j->key, "resources") && strcmp(j->key, "global"))
			not_carried(a, j, "rt-app knows no such part");
	}
}

static GString *whole(struct app *a, const struct json *root)
{
	g_autofree char *base = g_path_get_basename(a->src->path), *name = import_quote(base);
	GString *out = g_string_new(NULL), *tasks = a->body;
	gint64 duration;

	g_string_append_printf(out, "# Imported by lockstep from an rt-app workload.\nscenario \"%s\"\norigin \"rt-app %s\"\n", name, name);
	a->body = out;
	globals(a, root, &duration);
	resources(a, root);
	g_string_append_printf(out, "machine { sockets 1 cores %" G_GINT64_FORMAT " preempt full } # as many as are named, at least four\n\n",
			       MAX(a->cpus, 4));
	if (has(a, OBJECT_MUTEX))
		g_string_append_printf(out, "# pthread mutexes%s\n", a->pi ? " with PTHREAD_PRIO_INHERIT" : "");
	if (has(a, OBJECT_CONDITION))
		g_string_append(out, "# Conditions, suspend and resume are completions: a wake-up that finds nobody waiting is\n"
				     "# remembered, where rt-app would lose it.\n");
	declarations(a, out);
	g_string_append_c(out, '\n');
	g_string_append(out, tasks->str);
	g_string_free(tasks, TRUE);
	a->body = out;
	if (duration > 0)
		put(a, "run for %" G_GINT64_FORMAT "s", duration);
	else if (a->endless)
		put(a, "# there without end\nrun for 1s");
	else
		put(a, "run until done limit 3600s");
	return out;
}

GString *import_rtapp(struct import_source *src)
{
	struct app a = {.src = src, .named = g_ptr_array_new_with_free_func(free_named), .body = g_string_new(NULL),
			.resumed = g_hash_table_new(g_str_hash, g_str_equal), .counting = true};
	struct json *root = json_read(src);
	GString *out = NULL;

	/* who is resumed decides what a suspend means; who uses a thing, how it is declared; then it is printed */
	for (unsigned pass = 0; root && pass < 3 && !src->errors; pass++) {
		a.counting = pass < 2;
		if (pass < 2) {
			g_ptr_array_set_size(a.named, 0);
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
	json_free(root);
	return out;
}
