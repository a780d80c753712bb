/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlock: a cycle of tasks each of which waits for the next.
 *
 * An edge leads from a waiting task to every owner that keeps it out, and from a task that is
 * interrupted to an interrupt that spins on top of it; a reader who sleeps behind a queued
 * writer waits for that writer. Locks that anyone may release have no owners
 * and end a chain. A new cycle goes through the edge that was added last, so it is enough to
 * start from the task that just fell asleep or began to spin on a spinlock. Waits that a
 * timeout or a signal can end are no edges, until nothing is left in the machine that could;
 * but where no statement of the scenario sends the task a signal, none will come.
 */
#include "sim/machine/machine.h"
#include "sim/run/watch_impl.h"

#define LONG_TIME (10 * SIM_MS)

struct walk {
	struct watch *w;
	uint32_t start;
	bool still;        /* nothing will happen any more: every wait counts */
	bool end;          /* of the run: a task that has spun for long counts as waiting */
	uint32_t *todo, n; /* tasks to look at */
};

/* Which of its ways to wait, LOCK_INTERRUPTIBLE and LOCK_KILLABLE, somebody's statement may end, by declaration. */
static void find_signals(struct watch *w, const struct scn_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == SCN_SIGNAL)
			w->signalled[s->target.object] |= LOCK_INTERRUPTIBLE;
		else if (s->kind == SCN_KILL)
			w->signalled[s->target.object] |= LOCK_INTERRUPTIBLE | LOCK_KILLABLE;
		find_signals(w, s->body);
		find_signals(w, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			find_signals(w, s->branch[i].body);
	}
}

static void signals_init(struct watch *w)
{
	const struct scenario *scn = w->scn;

	if (!scn || scn->directed) /* a director may say so at any time */
		return;
	w->signalled = g_new0(uint8_t, scn->ntask + 1);
	for (unsigned i = 0; i < scn->ntask; i++)
		find_signals(w, scn->task[i].body);
	for (unsigned i = 0; i < scn->nirq; i++)
		find_signals(w, scn->irq[i].body);
}

bool watch_abortable(const struct watch *w, uint32_t task)
{
	unsigned how = w->task[task].op_how & (LOCK_INTERRUPTIBLE | LOCK_KILLABLE);
	const struct sim_task *s = w->b->task[task].task;

	if (how && w->signalled && task < w->ntask)
		how &= w->signalled[w->b->task[task].decl];
	if (s && s->sigpending && w->task[task].state == WATCH_RUNNING)
		how = 0; /* it came, and the spinner spins on */
	return how || (s && sim_event_queued(&s->timeout));
}

/* Does @task wait in a way that only others can end? */
static bool waits(const struct walk *k, uint32_t task)
{
	const struct watch_task *t = &k->w->task[task];
	const struct watch_lock *l;

	if (t->op != WATCH_OP_LOCK || !t->op_waits)
		return false;
	l = &k->w->lock[t->op_lock];
	if (l->counting)
		return false;
	if (k->still)
		return true;
	if (watch_abortable(k->w, task))
		return false;
	if (t->state == WATCH_ASLEEP || l->caps & LOCK_CAP_SPIN)
		return true;
	return k->end &&
	       k->w->now - t->op_since >= LONG_TIME; /* an optimistic spinner without a need to stop */
}

/* The interrupt that spins on the CPU of @task, which runs and cannot go on before; or WATCH_NONE. */
static uint32_t spins_on_top(const struct walk *k, uint32_t task)
{
	const struct watch_task *t = &k->w->task[task];

	if (t->state != WATCH_RUNNING)
		return WATCH_NONE;
	for (uint32_t i = k->w->ntask; i < k->w->nall; i++)
		if (k->w->task[i].cpu == t->cpu && waits(k, i))
			return i;
	return WATCH_NONE;
}

/* @next keeps @from waiting. True: the cycle is closed. */
static bool edge(struct walk *k, uint32_t from, uint32_t next)
{
	struct watch_task *t = &k->w->task[next];

	if (next == k->start) {
		k->w->walk_from[next] = from;
		return true;
	}
	if (t->stamp == k->w->stamp || (!waits(k, next) && spins_on_top(k, next) == WATCH_NONE))
		return false;
	t->stamp = k->w->stamp;
	k->w->walk_from[next] = from;
	k->todo[k->n++] = next;
	return false;
}

static bool edges_to_owners(struct walk *k, uint32_t from, struct watch_lock *l)
{
	if (l->stamp == k->w->stamp)
		return false; /* another waiter of this lock has led there already */
	l->stamp = k->w->stamp;
	for (const struct watch_hold *h = l->oldest; h; h = h->next_lock)
		if (edge(k, from, h->task))
			return true;
	return false;
}

static bool edges_of_wait(struct walk *k, uint32_t task)
{
	struct watch_task *t = &k->w->task[task];
	struct watch_lock *l = &k->w->lock[t->op_lock];

	if (l->nexcl || t->op_mode == LOCK_EXCLUSIVE)
		return edges_to_owners(k, task, l);
	if (t->state != WATCH_ASLEEP && !k->still)
		return false;
	for (uint32_t i = l->first_wait[LOCK_EXCLUSIVE]; i != WATCH_NONE; i = k->w->task[i].next_wait)
		if (edge(k, task, i))
			return true;
	return false;
}

static bool edges_of(struct walk *k, uint32_t task)
{
	uint32_t irq = spins_on_top(k, task);

	if (irq != WATCH_NONE && edge(k, task, irq))
		return true;
	return waits(k, task) && edges_of_wait(k, task);
}

static bool find_cycle(struct walk *k)
{
	struct watch *w = k->w;

	if (!waits(k, k->start))
		return false;
	w->stamp++;
	k->n = 0;
	k->todo = w->walk_todo;
	k->todo[k->n++] = k->start;
	while (k->n)
		if (edges_of(k, k->todo[--k->n]))
			return true;
	return false;
}

/* -- the report ------------------------------------------------------------------------------------- */

static void put_wait(struct watch *w, GString *s, uint32_t task, uint32_t next)
{
	const struct watch_task *t = &w->task[task];
	const struct watch_hold *h = w->task[next].holds;
	char place[256];

	if (w->task[next].irq && t->state == WATCH_RUNNING && t->cpu == w->task[next].cpu) {
		g_string_append_printf(s, "\n  %s is interrupted on cpu %u by %s", w->b->task[task].name, t->cpu,
				       w->b->task[next].name);
		return;
	}
	while (h && h->lock != t->op_lock)
		h = h->next_task;
	g_string_append_printf(s, "\n  %s %s %s%s since ", w->b->task[task].name,
			       t->state == WATCH_ASLEEP ? "sleeps in" : "spins in",
			       w->b->lock[t->op_lock].name, t->op_mode == LOCK_SHARED ? " (shared)" : "");
	watch_put_time(s, t->op_since);
	g_string_append_printf(s, ", %s, ", watch_place(w, t->statement, place, sizeof(place)));
	if (!h) {
		g_string_append_printf(s, "behind %s, who waits there too", w->b->task[next].name);
		return;
	}
	g_string_append_printf(s, "which %s holds since ", w->b->task[next].name);
	watch_put_time(s, h->since);
	g_string_append_printf(s, ", %s", watch_place(w, h->statement, place, sizeof(place)));
}

static void report_cycle(struct walk *k)
{
	struct watch *w = k->w;
	GString *s = g_string_new("deadlock of");
	GArray *cycle = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t task = k->start;

	/* walk_from leads backwards along the cycle: each waits for the one found before it */
	do {
		g_array_prepend_val(cycle, task);
		task = w->walk_from[task];
	} while (task != k->start);
	g_array_prepend_val(cycle, task);
	g_array_set_size(cycle, cycle->len - 1);
	for (guint i = 0; i < cycle->len; i++)
		g_string_append_printf(s, " %s", w->b->task[g_array_index(cycle, uint32_t, i)].name);
	for (guint i = 0; i < cycle->len; i++) {
		uint32_t a = g_array_index(cycle, uint32_t, i);

		w->task[a].deadlocked = true;
		put_wait(w, s, a, g_array_index(cycle, uint32_t, (i + 1) % cycle->len));
	}
	watch_report_cycle(w, w->task[k->start].op_lock, &g_array_index(cycle, uint32_t, 0), cycle->len,
			   g_string_free(s, FALSE));
	g_array_free(cycle, TRUE);
}

static void check_from(struct watch *w, uint32_t task, bool still)
{
	struct walk k = {.w = w, .start = task, .still = still, .end = w->ended};

	if (find_cycle(&k))
		report_cycle(&k);
}

/* Does every living task wait in a lock, without a timeout? Then no signal will come either. */
static bool nobody_can_act(const struct watch *w)
{
	for (uint32_t i = 0; i < w->nall; i++) {
		const struct watch_task *t = &w->task[i];
		const struct sim_task *s = w->b->task[i].task;

		if (t->irq)
			return false;
		if (t->state == WATCH_GONE)
			continue;
		if (t->op != WATCH_OP_LOCK || !t->op_waits || (s && sim_event_queued(&s->timeout)))
			return false;
	}
	return true;
}

static void look_deadlock(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	bool still;

	if (w->scn && w->scn->directed && moment != WATCH_ON_STILL && moment != WATCH_ON_END)
		return; /* the director may still break it by a signal */
	if (moment == WATCH_ON_CHAINED) {
		check_from(w, task, false);
		return;
	}
	still = moment == WATCH_ON_STILL || nobody_can_act(w);
	for (uint32_t i = 0; i < w->nall; i++)
		if (!w->task[i].deadlocked)
			check_from(w, i, still);
}

static bool attach_deadlock(struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++) {
		if (w->lock[i].counting)
			continue;
		w->walk_from = g_new0(uint32_t, w->nall + 1);
		w->walk_todo = g_new0(uint32_t, w->nall + 1);
		signals_init(w);
		return true;
	}
	return false;
}

const struct watch_oracle oracle_deadlock = {
	.name = "deadlock",
	.moments = WATCH_BIT(CHAINED) | WATCH_BIT(STILL) | WATCH_BIT(END),
	.attach = attach_deadlock,
	.look = look_deadlock,
};
