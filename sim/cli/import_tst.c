// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scripts of the kernel's rt-tester (2.6.18 to 4.2, scripts/rt-tester): eight threads, eight
 * rt_mutexes, one step per line.
 *
 *   C: lock:     0: 1     command: thread 0 locks mutex 1
 *   W: locked:   0: 1     wait until it is so
 *   T: prioeq:   0: 80    test now
 *
 * Commands are asynchronous there; no script sends one to a thread that is at work, so a director,
 * which waits for its tasks to come to rest, tells the same story.
 */
#include <string.h>

#include "sim/cli/import.h"

#define THREADS 8
#define MUTEXES 8

enum data { DATA_IGNORED, DATA_MUTEX, DATA_FIFO, DATA_BKL };

static const struct command {
	const char *name;
	int number;
	enum data data;
	const char *order; /* %s: the mutex or the priority */
} commands[] = {
	{"schedother", 1, DATA_IGNORED, "set nice 0"},
	{"schedfifo", 2, DATA_FIFO, "set fifo %s"},
	{"lock", 3, DATA_MUTEX, "lock L[%s] park"},
	{"locknowait", 4, DATA_MUTEX, "lock L[%s]"},
	{"lockint", 5, DATA_MUTEX, "lock L[%s] interruptible park"},
	{"lockintnowait", 6, DATA_MUTEX, "lock L[%s] interruptible"},
	{"lockcont", 7, DATA_MUTEX, "continue"},
	{"unlock", 8, DATA_MUTEX, "unlock L[%s]"},
	{"lockbkl", 9, DATA_BKL, "lock BKL"},
	{"unlockbkl", 10, DATA_BKL, "unlock BKL"},
	{"signal", 11, DATA_IGNORED, "signal"},
	{"resetevent", 98, DATA_IGNORED, "resetevents"},
	{"reset", 99, DATA_IGNORED, "reset"},
};

enum relation { EQUAL, LESS, GREATER };
enum subject { PRIO, NORMAL_PRIO, OPCODE, EVENT, STATE, BKL /* the big kernel lock of up to 2.6.37 */ };

static const struct test {
	const char *name;
	enum subject subject;
	enum relation relation;
	const char *state;
} tests[] = {
	{"prioeq", PRIO, EQUAL, NULL},        {"priolt", PRIO, LESS, NULL},        {"priogt", PRIO, GREATER, NULL},
	{"nprioeq", NORMAL_PRIO, EQUAL, NULL}, {"npriolt", NORMAL_PRIO, LESS, NULL}, {"npriogt", NORMAL_PRIO, GREATER, NULL},
	{"opcodeeq", OPCODE, EQUAL, NULL},    {"opcodelt", OPCODE, LESS, NULL},    {"opcodegt", OPCODE, GREATER, NULL},
	{"eventeq", EVENT, EQUAL, NULL},      {"eventlt", EVENT, LESS, NULL},      {"eventgt", EVENT, GREATER, NULL},
	{"unlocked", STATE, EQUAL, "free"},   {"trylock", STATE, EQUAL, "trying"}, {"blocked", STATE, EQUAL, "blocked"},
	{"blockedwake", STATE, EQUAL, "parked"}, {"locked", STATE, EQUAL, "holds"},
	{"unlockedbkl", BKL, EQUAL, "free"},  {"blockedbkl", BKL, EQUAL, "blocked"}, {"lockedbkl", BKL, EQUAL, "holds"},
};

static const char *const sign_of[] = {[EQUAL] = "=", [LESS] = "<", [GREATER] = ">"};

struct field {
	char *text; /* trimmed */
	unsigned column;
};

struct line {
	struct field field[4];
	unsigned n; /* of fields, at most 4 are kept */
	const char *more; /* the rest behind them, or NULL */
	unsigned number;
};

struct script {
	struct import_source *src;
	GString *steps;
	bool thread[THREADS];
	unsigned mutexes;
	bool compact, bkl;
};

/* -- fields ------------------------------------------------------------------------------------------ */

static void split(struct line *l, const char *text)
{
	const char *at = text, *end;

	l->n = 0;
	do {
		const char *from = at, *to;

		end = strchr(at, ':');
		to = end ? end : at + strlen(at);
		while (from < to && g_ascii_isspace(*from))
			from++;
		while (to > from && g_ascii_isspace(to[-1]))
			to--;
		if (l->n < 4) {
			l->field[l->n].text = g_strndup(from, (gsize)(to - from));
			l->field[l->n].column = (unsigned)(from - text) + 1;
		}
		l->n++;
		at = end ? end + 1 : NULL;
		if (l->n == 4)
			l->more = at;
	} while (at);
}

static void lower(struct field *f)
{
	char *low = g_ascii_strdown(f->text, -1);

	g_free(f->text);
	f->text = low;
}

/* An integer from @min to @max, or a message. */
static bool number(struct script *s, const struct line *l, unsigned i, const char *what, gint64 min, gint64 max, gint64 *n)
{
	const struct field *f = &l->field[i];
	char *end;

	*n = g_ascii_strtoll(f->text, &end, 10);
	if (*f->text && !*end && *n >= min && *n <= max)
		return true;
	import_error(s->src, l->number, f->column, "expected %s, found \"%s\"", what, f->text);
	return false;
}

static bool thread(struct script *s, const struct line *l, gint64 *n)
{
	if (!number(s, l, 2, "a thread from 0 to 7", 0, THREADS - 1, n))
		return false;
	s->thread[*n] = true;
	return true;
}

static bool mutex(struct script *s, const struct line *l, gint64 *n)
{
	if (!number(s, l, 3, "a mutex from 0 to 7", 0, MUTEXES - 1, n))
		return false;
	s->mutexes = MAX(s->mutexes, (unsigned)*n + 1); /* which evaluates twice */
	return true;
}

/* -- commands ---------------------------------------------------------------------------------------- */

static const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static bool unknown(struct script *s, const struct line *l, const char *what)
{
	import_error(s->src, l->number, l->field[1].column, "expected %s, found \"%s\"", what, l->field[1].text);
	return false;
}

static bool command(struct script *s, const struct line *l)
{
	const struct command *c = find_command(l->field[1].text);
	g_autofree char *data = NULL;
	gint64 t, n = 0;

	if (!c)
		return unknown(s, l, "a command (schedother, schedfifo, lock, locknowait, lockint, lockintnowait, "
				     "lockcont, unlock, lockbkl, unlockbkl, signal, resetevent, reset)");
	if (!thread(s, l, &t))
		return false;
	if (c->data == DATA_MUTEX && !mutex(s, l, &n))
		return false;
	if (c->data == DATA_FIFO && !number(s, l, 3, "a priority from 1 to 99", 1, 99, &n))
		return false;
	s->bkl |= c->data == DATA_BKL;
	data = g_strdup_printf("%" G_GINT64_FORMAT, n);
	g_string_append_printf(s->steps, "tell T%" G_GINT64_FORMAT " ", t);
	g_string_append_printf(s->steps, c->order, data); /* one %s, or none */
	return true;
}

/* -- tests ------------------------------------------------------------------------------------------- */

/* P is 99 minus the kernel's number: fifo 80 is 80, nice 0 is -21. Nothing is at 0. */
static bool prio(struct script *s, const struct line *l, const struct test *t, gint64 task)
{
	enum relation rel = t->relation;
	gint64 p;

	if (!number(s, l, 3, "a priority: 1 to 99 for FIFO, -40 (nice 19) to -1 (nice -20)", -40, 99, &p))
		return false;
	if (!p && rel == EQUAL) {
		import_error(s->src, l->number, l->field[3].column, "no thread has priority 0: FIFO begins at 1, nice -20 is -1");
		return false;
	}
	g_string_append_printf(s->steps, "%s T%" G_GINT64_FORMAT " ", t->subject == PRIO ? "prio" : "normal", task);
	if (!p)
		g_string_append(s->steps, rel == LESS ? "< fifo 1" : ">= fifo 1");
	else if (p > 0)
		g_string_append_printf(s->steps, "%s fifo %" G_GINT64_FORMAT, sign_of[rel], p);
	else
		g_string_append_printf(s->steps, "%s nice %" G_GINT64_FORMAT, sign_of[rel], -21 - p);
	return true;
}

/* The number of a command that is at work, or the result of the last one. */
static bool opcode(struct script *s, const struct line *l, const struct test *t, gint64 task)
{
	const struct command *c = NULL;
	g_autofree char *name = g_ascii_strdown(l->field[3].text, -1);
	gint64 n;

	c = find_command(name);
	if (c)
		n = c->number;
	else if (!number(s, l, 3, "a command, 0 or a negative error", -4095, 99, &n))
		return false;
	g_string_append_printf(s->steps, "result T%" G_GINT64_FORMAT " ", task);
	if (n <= 0 || (n == 1 && t->relation == LESS)) {
		g_string_append_printf(s->steps, "%s %" G_GINT64_FORMAT, sign_of[t->relation], n);
	} else if (t->relation == EQUAL) {
		g_string_append(s->steps, "= busy");
		if (!s->compact)
			g_string_append_printf(s->steps, " # there: with %s; which command is not looked at here", l->field[3].text);
	} else {
		import_error(s->src, l->number, l->field[3].column,
			     "commands at work have no order here; \"%s\" takes 0 or a negative error", t->name);
		return false;
	}
	return true;
}

static bool event(struct script *s, const struct line *l, const struct test *t, gint64 task)
{
	gint64 n;

	if (!number(s, l, 3, "a number of events", 0, G_MAXINT32, &n))
		return false;
	g_string_append_printf(s->steps, "event T%" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT, task, sign_of[t->relation], n);
	return true;
}

static bool test(struct script *s, const struct line *l, const char *verb)
{
	const struct test *t = NULL;
	gint64 task, n;

	for (unsigned i = 0; i < G_N_ELEMENTS(tests) && !t; i++)
		if (!strcmp(tests[i].name, l->field[1].text))
			t = &tests[i];
	if (!t)
		return unknown(s, l, "a test (prioeq, nprioeq, opcodeeq, eventeq with -lt and -gt, unlocked, trylock, "
				     "blocked, blockedwake, locked, unlockedbkl, blockedbkl, lockedbkl)");
	if (!thread(s, l, &task))
		return false;
	g_string_append_printf(s->steps, "%s ", verb);
	switch (t->subject) {
	case PRIO:
	case NORMAL_PRIO:
		return prio(s, l, t, task);
	case OPCODE:
		return opcode(s, l, t, task);
	case EVENT:
		return event(s, l, t, task);
	case STATE:
		if (!mutex(s, l, &n))
			return false;
		g_string_append_printf(s->steps, "T%" G_GINT64_FORMAT " %s L[%" G_GINT64_FORMAT "]", task, t->state, n);
		return true;
	case BKL:
		s->bkl = true;
		g_string_append_printf(s->steps, "T%" G_GINT64_FORMAT " %s BKL", task, t->state);
		return true;
	}
	return false;
}

/* -- lines ------------------------------------------------------------------------------------------- */

/* What stands behind the fourth field means nothing there; it may tell something to a reader. */
static void put_more(struct script *s, const char *more)
{
	g_autofree char *clean = import_quote(more);

	g_strstrip(clean);
	if (*clean)
		g_string_append_printf(s->steps, " # %s", clean);
}

static void step(struct script *s, struct line *l)
{
	if (l->n < 4) {
		import_error(s->src, l->number, l->field[l->n - 1].column,
			     "expected op: opcode: thread: data, found %u field%s", l->n, l->n == 1 ? "" : "s");
		return;
	}
	lower(&l->field[0]);
	lower(&l->field[1]);
	if (!s->compact)
		g_string_append_c(s->steps, '\t');
	if (!strcmp(l->field[0].text, "c"))
		command(s, l);
	else if (!strcmp(l->field[0].text, "t"))
		test(s, l, "check");
	else if (!strcmp(l->field[0].text, "w"))
		test(s, l, "await");
	else
		import_error(s->src, l->number, l->field[0].column, "expected C, T or W, found \"%s\"", l->field[0].text);
	if (l->n > 4 && !s->compact && *l->more)
		put_more(s, l->more);
}

static void one_line(struct script *s, const char *text, unsigned n)
{
	struct line l = {.number = n};

	split(&l, text);
	if (*l.field[0].text == '#') {
		g_autofree char *clean = s->compact ? NULL : import_quote(g_strstrip(strchr(text, '#') + 1));

		if (clean)
			g_string_append_printf(s->steps, "\t#%s%s", *clean ? " " : "", clean);
	} else if (*l.field[0].text) {
		step(s, &l);
	}
	g_string_append_c(s->steps, '\n');
	for (unsigned i = 0; i < MIN(l.n, 4u); i++)
		g_free(l.field[i].text);
}

static GString *whole(const struct script *s, const char *model)
{
	g_autofree char *base = g_path_get_basename(s->src->path), *name = import_quote(base);
	const char *nl = s->compact ? " " : "\n";
	GString *out = g_string_new(NULL);

	if (!s->compact)
		g_string_append_printf(out, "# Imported by lockstep. C lines are tell, W lines await, T lines check.\n"
					    "# The mutexes of the kernel up to 2.6.38: --set L=rtmutex-2.6.31.\n");
	g_string_append_printf(out, "scenario \"%s\"%sorigin \"rt-tester script %s\"%s", name, nl, name, nl);
	g_string_append_printf(out, "machine { sockets 1 cores 1 costs zero preempt full hz 1000 }%s", nl);
	g_string_append_printf(out, "lock L[%u] : %s%s", MAX(s->mutexes, 1u), model, nl);
	if (s->bkl) /* a semaphore there, or a spinlock; its depth is not counted here */
		g_string_append_printf(out, "lock BKL : mutex%s", nl);
	for (unsigned i = 0; i < THREADS; i++)
		if (s->thread[i])
			g_string_append_printf(out, "task T%u nice 0 { }%s", i, nl);
	g_string_append_printf(out, "run until done%sdirector {%s", nl, nl);
	g_string_append(out, s->steps->str);
	g_string_append(out, "}\n");
	return out;
}

GString *import_tst(struct import_source *src, const char *model, bool compact)
{
	struct script s = {.src = src, .steps = g_string_new(NULL), .compact = compact};
	g_auto(GStrv) lines = g_strsplit(src->text, "\n", -1);
	GString *out = NULL;
	bool any = false;

	if (strlen(src->text) != src->len)
		import_error(src, 1, 1, "this is no text: it has a byte 0");
	for (unsigned i = 0; lines[i] && !(src->errors && strlen(src->text) != src->len); i++) {
		if (strlen(lines[i]) > 2000) {
			import_error(src, i + 1, 1, "a line of more than 2000 bytes");
			continue;
		}
		if (lines[i + 1] || *lines[i])
			one_line(&s, lines[i], i + 1);
	}
	for (unsigned i = 0; i < THREADS; i++)
		any |= s.thread[i];
	if (!src->errors && !any)
		import_error(src, 1, 1, "expected steps such as \"C: lock: 0: 0\", found none");
	if (!src->errors)
		out = whole(&s, model);
	g_string_free(s.steps, TRUE);
	return out;
}
