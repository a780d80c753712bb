/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as text. Each type has a pattern; a letter after % prints a field:
 *
 *   t  task            o  obj as a task      A  arg as a task
 *   l  obj as a lock   n  obj as a mark      E  arg as an event of lock obj
 *   D  obj as a done
 *   m  arg as mode | how << 8                a  arg as a number
 *   s  arg as enum sim_rec_state             i  arg as enum sim_rec_irq
 *   p  val - 1 as a priority                 q  arg - 1 as a priority
 *   v  val as a number d  val as a time      e  val as an error
 *   O  obj as a number r  val of a run: a time where arg is 0, else a statement
 *   x  arg, bits 0..7  y  arg, bits 8..15    W  arg, bits 16..31
 *
 * {word|word} prints the word of that place in arg. What follows a ~ is left out where
 * task is 0, what follows a ? where val is 0.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/core/trace.h"

static const char *const pattern[SIM_REC_TYPE_COUNT] = {
	[SIM_REC_SWITCH] = "%t from %o %s~ prio %p",
	[SIM_REC_WAKEUP] = "%t by %o on cpu%a",
	[SIM_REC_PRIO] = "%t %q -> %p by %o",
	[SIM_REC_SETSCHED] = "%t normal %q effective %p",
	[SIM_REC_MIGRATE] = "%t cpu%a -> cpu%v",
	[SIM_REC_RESCHED] = "%t on cpu%a",
	[SIM_REC_IDLE_EXIT] = "depth %a %d",
	[SIM_REC_IRQ] = "%t %i %d",
	[SIM_REC_SIGNAL] = "%t {signal|fatal}",
	[SIM_REC_TIMER] = "%t {sleep|timeout|arrival}",
	[SIM_REC_THROTTLE] = "%t {ends|begins}",
	[SIM_REC_CALL] = "%t %l %m statement %v",
	[SIM_REC_GRANT] = "%t %l %m? waited",
	[SIM_REC_FAIL] = "%t %l %m %e",
	[SIM_REC_UNLOCK] = "%t %l %m statement %v",
	[SIM_REC_UNLOCKED] = "%t %l %m",
	[SIM_REC_DOWNGRADE] = "%t %l",
	[SIM_REC_BLOCK] = "%t %l {sleeps|runs}",
	[SIM_REC_EVENT] = "%t %l %E +%v",
	[SIM_REC_CONTENTION] = "%t %l {begin|end} %v",
	[SIM_REC_PI_BLOCK] = "%t %l owner %A prio %p",
	[SIM_REC_PI_REQUEUE] = "%t %l prio %p",
	[SIM_REC_PI_DEADLOCK] = "%t %l waiter %A",
	[SIM_REC_PI_STOP] = /* enum kw_pi_stop */
	"%t %l {#0|not-blocked|lock-free|moved-on|no-pi-waiters|not-top|equal|owner-untouched|depth}",
	[SIM_REC_PI_STEAL] = "%t %l from %A",
	[SIM_REC_PI_WAKE_TOP] = "%t %l by %A",
	[SIM_REC_ARRIVE] = "%t",
	[SIM_REC_RUN] = "%t {begins|ends} %r",
	[SIM_REC_DONE] = "%t %D",
	[SIM_REC_MARK] = "%t %n",
	[SIM_REC_JOB] = "%t released %d {in time|overrun}",
	[SIM_REC_RESULT] = "%t %l %e",
	[SIM_REC_EXIT] = "%t holds %a",
	[SIM_REC_FINDING] = "%t %l kind %a statement %v",
	[SIM_REC_LINE_SUM] = "object %O distance %a %v",
	[SIM_REC_LINE] = "%t object %O line %W distance %x op %y %d",
	[SIM_REC_ACCESS] = "%t object %O line %W op %x hit %y %v",
	[SIM_REC_STEP] = "%t {sleeps until|timeout|sets|yields} %O %d",
};

static void put_name(FILE *out, uint32_t index, uint32_t n, const char *const *list, const char *none)
{
	const char *name = index && index <= n && list ? list[index - 1] : NULL;

	if (!index)
		fputs(none, out);
	else if (name)
		fputs(name, out);
	else
		fprintf(out, "#%" PRIu32, index);
}

static void put_event(FILE *out, const struct sim_rec *rec, const struct sim_names *names)
{
	const char *const *events = NULL;
	uint32_t i = 0;

	if (rec->obj && rec->obj <= names->nlocks && names->lock_events)
		events = names->lock_events[rec->obj - 1];
	while (events && events[i] && i < rec->arg)
		i++;
	if (events && events[i])
		fputs(events[i], out);
	else
		fprintf(out, "#%" PRIu32, rec->arg);
}

static void put_mode(FILE *out, uint32_t arg)
{
	static const char *const modes[] = {"write", "read"};
	static const char *const hows[] = {" try", " interruptible", " killable"};
	uint32_t mode = arg & 0xff, how = arg >> 8;

	if (mode < 2)
		fputs(modes[mode], out);
	else
		fprintf(out, "#%" PRIu32, mode);
	for (unsigned i = 0; i < 3; i++)
		if (how >> i & 1)
			fputs(hows[i], out);
	if (how >> 3)
		fprintf(out, " how %#" PRIx32, how >> 3 << 3);
}

static void put_word(FILE *out, const char *const *words, uint32_t n, uint32_t i)
{
	if (i < n)
		fputs(words[i], out);
	else
		fprintf(out, "#%" PRIu32, i);
}

/* Numbers as on Linux, whatever the host's are. */
static void put_error(FILE *out, uint64_t error)
{
	static const struct {
		unsigned number;
		const char *name;
	} known[] = {{4, "EINTR"},    {16, "EBUSY"},      {22, "EINVAL"},
		     {35, "EDEADLK"}, {110, "ETIMEDOUT"}, {114, "EALREADY"}, {130, "EOWNERDEAD"}};

	if (!error) {
		fputs("ok", out);
		return;
	}
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].number == error) {
			fprintf(out, "-%s", known[i].name);
			return;
		}
	fprintf(out, "-%" PRIu64, error);
}

static void put_time(FILE *out, sim_time t)
{
	char buf[SIM_TIME_CHARS];

	fputs(sim_time_format(buf, t), out);
}

/* Fields that name something. False if @field is none of them. */
static bool put_named(FILE *out, char field, const struct sim_rec *rec, const struct sim_names *names)
{
	static const char *const states[] = {"R+", "R", "S", "D", "X"};
	static const char *const irqs[] = {"tick", "ipi", "call", "device"};
	const char *idle = rec->type == SIM_REC_SWITCH ? "idle" : "-";

	switch (field) {
	case 't':
		put_name(out, rec->task, names->ntasks, names->task, idle);
		return true;
	case 'o':
		put_name(out, rec->obj, names->ntasks, names->task, idle);
		return true;
	case 'A':
		put_name(out, rec->arg, names->ntasks, names->task, idle);
		return true;
	case 'l':
		put_name(out, rec->obj, names->nlocks, names->lock, "-");
		return true;
	case 'n':
		put_name(out, rec->obj, names->nmarks, names->string, "-");
		return true;
	case 'D':
		put_name(out, rec->obj, names->nstrings - names->nmarks,
			 names->string ? names->string + names->nmarks : NULL, "-");
		return true;
	case 'E':
		put_event(out, rec, names);
		return true;
	case 'm':
		put_mode(out, rec->arg);
		return true;
	case 's':
		put_word(out, states, sizeof(states) / sizeof(states[0]), rec->arg);
		return true;
	case 'i':
		put_word(out, irqs, sizeof(irqs) / sizeof(irqs[0]), rec->arg);
		return true;
	}
	return false;
}

static void put_number(FILE *out, char field, const struct sim_rec *rec)
{
	switch (field) {
	case 'O':
		fprintf(out, "#%" PRIu32, rec->obj);
		break;
	case 'a':
		fprintf(out, "%" PRIu32, rec->arg);
		break;
	case 'x':
		fprintf(out, "%" PRIu32, rec->arg & 0xff);
		break;
	case 'y':
		fprintf(out, "%" PRIu32, rec->arg >> 8 & 0xff);
		break;
	case 'W':
		fprintf(out, "%" PRIu32, rec->arg >> 16);
		break;
	case 'q':
		fprintf(out, "%" PRId64, (int64_t)rec->arg - 1);
		break;
	case 'p':
		fprintf(out, "%" PRId64, (int64_t)(rec->val - 1));
		break;
	case 'v':
		fprintf(out, "%" PRIu64, rec->val);
		break;
	case 'r':
		fputs(rec->arg ? "statement " : "", out);
		put_number(out, rec->arg ? 'v' : 'd', rec);
		break;
	case 'd':
		put_time(out, rec->val);
		break;
	case 'e':
		put_error(out, rec->val);
		break;
	}
}

/* The word number @i of "word|word}"; the number itself where there is none. Returns what follows. */
static const char *put_choice(FILE *out, const char *words, uint32_t i)
{
	const char *end = strchr(words, '}'), *w = words;

	for (uint32_t skip = i; skip && w; skip--) {
		w = memchr(w, '|', (size_t)(end - w));
		w = w ? w + 1 : NULL;
	}
	if (w)
		fwrite(w, 1, strcspn(w, "|}"), out);
	else
		fprintf(out, "#%" PRIu32, i);
	return end + 1;
}

void sim_rec_print(FILE *out, const struct sim_rec *rec, const struct sim_names *names)
{
	const char *p;

	put_time(out, rec->time);
	fprintf(out, " cpu%u ", rec->cpu);
	if (rec->type >= SIM_REC_TYPE_COUNT) {
		fprintf(out, "#%u", rec->type);
		return;
	}
	fprintf(out, "%s ", sim_rec_name[rec->type]);
	for (p = pattern[rec->type]; p && *p;) {
		if (*p == '%') {
			if (!put_named(out, p[1], rec, names))
				put_number(out, p[1], rec);
			p += 2;
		} else if (*p == '{') {
			p = put_choice(out, p + 1, rec->arg);
		} else if ((*p == '~' && !rec->task) || (*p == '?' && !rec->val)) {
			return;
		} else {
			if (*p != '~' && *p != '?')
				fputc(*p, out);
			p++;
		}
	}
}
