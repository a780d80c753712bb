// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/native_text.h"

#include <string.h>

#include <glib.h>

#include "sim/cli/cli.h"
#include "sim/cli/native.h"
#include "sim/model.h"

#define MESSAGES 10
#define OBSERVER 99 /* the priority of those who watch */

struct look {
	const struct scenario *scn;
	FILE *messages;
	unsigned n;
};

static void cannot(struct look *l, struct sim_pos pos, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

static void cannot(struct look *l, struct sim_pos pos, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	if (l->n++ >= MESSAGES)
		return;
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	fprintf(l->messages, "%s:%u:%u: not in a native run: %s\n", pos.source ? pos.source->path : "--set",
		pos.line, pos.column, text);
}

/* Statements without a counterpart among threads; NULL: it has one. */
static const char *foreign(enum scn_stmt_kind kind)
{
	switch (kind) {
	case SCN_RUN:
	case SCN_SLEEP:
	case SCN_AT:
	case SCN_PERIOD:
	case SCN_ACQUIRE:
	case SCN_UNLOCK:
	case SCN_HOLD:
	case SCN_LOOP:
	case SCN_UNTIL:
	case SCN_BREAK:
	case SCN_CHOOSE:
	case SCN_SET:
	case SCN_YIELD:
	case SCN_EXIT:
	case SCN_MARK:
	case SCN_DONE:
	case SCN_RESCHED:
		return NULL;
	case SCN_DOWNGRADE:
		return "downgrade: mutexes have one mode";
	case SCN_SIGNAL:
		return "signal: a mutex of POSIX goes on waiting";
	case SCN_KILL:
		return "kill: a signal would end all threads";
	case SCN_WAIT:
	case SCN_WAKE:
	case SCN_WAKEALL:
		return "completions and conditions: those of POSIX wake in another order";
	case SCN_POST:
	case SCN_TAKE:
		return "semaphores: they hand their units over, those of POSIX do not";
	case SCN_MEET:
		return "barriers: those of POSIX let others pass in another order";
	case SCN_PREEMPT_OFF:
	case SCN_IRQ_OFF:
	case SCN_KERNEL:
	case SCN_FAULT:
		return "kernel mode: threads live in user mode";
	case SCN_TOUCH:
		return "touch: lines cost nothing here";
	case SCN_SHOOTDOWN:
		return "shootdown: threads send no IPIs";
	case SCN_TELL:
	case SCN_AWAIT:
	case SCN_CHECK:
		return "a director: it has no time, only order";
	}
	return "this";
}

static void look_at_sched(struct look *l, const struct scn_sched *s, struct sim_pos pos)
{
	switch (s->policy) {
	case SCN_POLICY_FIFO:
		if (scn_constant(l->scn, s->priority) == OBSERVER)
			cannot(l, pos, "fifo %d: that is the priority of those who watch", OBSERVER);
		break;
	case SCN_POLICY_NICE:
		break;
	case SCN_POLICY_RR:
		cannot(l, pos, "rr: its time slice does not grow with the other times; fifo has none");
		break;
	case SCN_POLICY_DEADLINE:
		cannot(l, pos,
		       "deadline tasks: they may not be pinned, and /proc does not tell their deadline");
		break;
	}
}

static void look_at_body(struct look *l, const struct scn_stmt *s)
{
	for (; s; s = s->next) {
		const char *why = foreign(s->kind);

		if (why)
			cannot(l, s->pos, "%s", why);
		if (s->interruptible || s->killable)
			cannot(l, s->pos, "%s: a mutex of POSIX goes on waiting",
			       s->killable ? "killable" : "interruptible");
		if ((s->kind == SCN_ACQUIRE || s->kind == SCN_HOLD) && s->mode == SCN_MODE_READ)
			cannot(l, s->pos, "read: mutexes have one mode");
		if (s->kind == SCN_SET)
			look_at_sched(l, &s->sched, s->pos);
		look_at_body(l, s->body);
		look_at_body(l, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			look_at_body(l, s->branch[i].body);
	}
}

static bool detects_deadlocks(const struct scn_lock *lock)
{
	for (unsigned i = 0; i < lock->nset; i++)
		if (!strcmp(lock->set[i].name, "deadlock"))
			return lock->set[i].value && lock->set[i].value->value;
	return false;
}

static void look_at_lock(struct look *l, const struct scn_lock *lock)
{
	const struct scn_vocabulary *v = run_vocabulary();
	const unsigned char *units;
	const char *const *params;
	enum native_mutex kind;
	unsigned caps;

	if (lock->kind != SCN_LOCK || !v->model_info(lock->model, &caps, &params, &units))
		return;
	if (detects_deadlocks(lock))
		cannot(l, lock->pos,
		       "deadlock on: the C library keeps the answer to itself and waits for ever");
	else if (!native_mutex_of(lock->model, caps, &kind))
		cannot(l, lock->model_pos,
		       "%s: mutexes of POSIX are like futex-pi and rtmutex, futex-pp, or futex; try --set "
		       "%s=futex",
		       lock->model, lock->name);
}

bool native_can_carry(const struct scenario *scn, FILE *messages)
{
	struct look l = {.scn = scn, .messages = messages};

	for (unsigned i = 0; i < scn->nlock; i++)
		look_at_lock(&l, &scn->lock[i]);
	for (unsigned i = 0; i < scn->ntask; i++) {
		if (!scn->task[i].director)
			look_at_sched(&l, &scn->task[i].sched, scn->task[i].pos);
		look_at_body(&l, scn->task[i].body);
	}
	for (unsigned i = 0; i < scn->nirq; i++)
		cannot(&l, scn->irq[i].pos, "interrupts: threads have none");
	return !l.n;
}
