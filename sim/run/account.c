/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a wait went: pieces by the state of the end of the waiter's blocking chain.
 *
 *	T ── waits for ──> owner ── waits for ──> owner ... ──> end
 *
 * What the folds know is constant between two records of different times. So before a
 * record that moves time on is folded in, every open wait that somebody asked about gets
 * the whole interval since the last one, as the piece that its chain shows in the state as
 * it stands. Pieces add up to the wait exactly, because the intervals tile it.
 *
 * Cost: open waits times chain length per instant; nothing unless asked for.
 */
#include "sim/machine/machine.h"
#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

#define CHAIN_MAX 256u

/* The piece of the owner furthest from letting go wins. */
static const uint8_t severity[RUN_PIECE_COUNT] = {
	[RUN_PIECE_asleep] = 9,    [RUN_PIECE_throttled] = 8, [RUN_PIECE_inversion] = 7,
	[RUN_PIECE_preempted] = 6, [RUN_PIECE_dispatch] = 5,  [RUN_PIECE_irq] = 4,
	[RUN_PIECE_hand_over] = 3, [RUN_PIECE_chain] = 2,     [RUN_PIECE_holder] = 1,
	[RUN_PIECE_self] = 0,
};

struct chain {
	struct watch *w;
	uint32_t waiter;
	sim_time at; /* beginning of the interval */
};

static enum run_piece end_of_lock(struct chain *k, uint32_t from, uint32_t lock, unsigned depth);

/* Is @a less urgent than the waiter? Class, then deadline or effective priority; all fair tasks are equal. */
static bool less_urgent(const struct chain *k, uint32_t a)
{
	const struct watch_task *x = &k->w->task[a], *t = &k->w->task[k->waiter];
	int px = MIN(x->prio, SIM_DEFAULT_PRIO), pt = MIN(t->prio, SIM_DEFAULT_PRIO);
	const struct sim_shared *sx = watch_shared(k->w, a), *st = watch_shared(k->w, k->waiter);

	if (x->irq)
		return false;
	if (x->prio >= SIM_MAX_RT_PRIO)
		px = SIM_DEFAULT_PRIO;
	if (t->prio >= SIM_MAX_RT_PRIO)
		pt = SIM_DEFAULT_PRIO;
	if (px == SIM_DL_PRIO && pt == SIM_DL_PRIO && sx && st)
		return sx->dl_deadline > st->dl_deadline;
	return px > pt;
}

bool account_less_urgent(struct watch *w, uint32_t waiter, uint32_t task)
{
	struct chain k = {.w = w, .waiter = waiter};

	return less_urgent(&k, task);
}

/* @end is runnable and does not run: what keeps it off its CPUs? */
static enum run_piece off_cpu(const struct chain *k, uint32_t end)
{
	const struct watch *w = k->w;
	const struct sim_task *s = w->b->task[end].task;
	bool rt = w->task[end].prio >= 0 && w->task[end].prio < SIM_MAX_RT_PRIO;
	bool inverted = false, throttled = false;

	if (w->task[end].throttled)
		return RUN_PIECE_throttled;
	for (uint32_t c = 0; c < w->ncpu; c++) {
		uint32_t curr = w->cpu[c].curr;

		if (s && s->allowed && !sim_cpuset_has(s->allowed, c))
			continue;
		if (rt && w->cpu[c].throttled) {
			throttled = true;
			continue;
		}
		if (curr == WATCH_NONE)
			return RUN_PIECE_dispatch;
		if (w->task[curr].stamp != w->stamp && less_urgent(k, curr))
			inverted = true;
	}
	if (inverted)
		return RUN_PIECE_inversion;
	return throttled ? RUN_PIECE_throttled : RUN_PIECE_preempted;
}

static enum run_piece end_of_task(struct chain *k, uint32_t task, unsigned depth);

/* The lock is free, but a ceiling keeps @t out: whoever holds that other lock. */
static enum run_piece end_of_barrier(struct chain *k, struct watch_task *t, unsigned depth)
{
	t->chain_next = t->op_barrier;
	return t->op_barrier == k->waiter ? RUN_PIECE_asleep : end_of_task(k, t->op_barrier, depth);
}

static enum run_piece end_of_task(struct chain *k, uint32_t task, unsigned depth)
{
	struct watch_task *t = &k->w->task[task];

	if (t->stamp == k->w->stamp || depth > CHAIN_MAX)
		return RUN_PIECE_asleep; /* a cycle: nobody in it will ever run */
	t->stamp = k->w->stamp;
	t->chain_next = WATCH_NONE;
	if (t->op == WATCH_OP_LOCK && t->op_waits) {
		const struct watch_lock *l = &k->w->lock[t->op_lock];

		if (!watch_free_lock(l))
			return l->counting ? RUN_PIECE_asleep : end_of_lock(k, task, t->op_lock, depth + 1);
		if (t->op_barrier != WATCH_NONE)
			return end_of_barrier(k, t, depth + 1);
		if (t->state == WATCH_ASLEEP)
			return RUN_PIECE_hand_over; /* its own lock is free, and it has not been told yet */
	}
	switch (t->state) {
	case WATCH_RUNNING:
		if (k->w->cpu[t->cpu].irq_until > k->at)
			return RUN_PIECE_irq;
		return depth == 1 ? RUN_PIECE_holder : RUN_PIECE_chain;
	case WATCH_READY:
		return off_cpu(k, task);
	case WATCH_ASLEEP:
	case WATCH_GONE:
	case WATCH_AWAY:
		break;
	}
	return t->irq ? RUN_PIECE_holder : RUN_PIECE_asleep;
}

/* The worst of the owners' chains; @from, who waits for @lock, keeps which it was. */
static enum run_piece end_of_lock(struct chain *k, uint32_t from, uint32_t lock, unsigned depth)
{
	enum run_piece worst = RUN_PIECE_self;
	bool any = false;

	for (const struct watch_hold *h = k->w->lock[lock].oldest; h; h = h->next_lock) {
		enum run_piece p;

		if (h->task == k->waiter) { /* a circle */
			if (!any)
				k->w->task[from].chain_next = h->task;
			continue;
		}
		p = end_of_task(k, h->task, depth);
		if (!any || severity[p] > severity[worst]) {
			worst = p;
			k->w->task[from].chain_next = h->task;
		}
		any = true;
	}
	return any ? worst : RUN_PIECE_asleep; /* it waits for itself */
}

/* A reader among readers waits for the writer ahead of it; the writer for them. Its piece is that of the
 * owners. */
enum run_piece account_piece(struct watch *w, uint32_t task)
{
	struct chain k = {.w = w, .waiter = task, .at = w->accounted_to};
	struct watch_task *t = &w->task[task];
	const struct watch_lock *l = &w->lock[t->op_lock];

	w->stamp++;
	t->stamp = w->stamp;
	t->chain_next = WATCH_NONE;
	if (!watch_free_lock(l))
		return l->counting ? RUN_PIECE_asleep : end_of_lock(&k, task, t->op_lock, 1);
	if (t->op_barrier != WATCH_NONE && t->state == WATCH_ASLEEP)
		return end_of_barrier(&k, t, 1);
	if (t->state == WATCH_RUNNING)
		return RUN_PIECE_self;
	return t->preempted && t->state == WATCH_READY ? RUN_PIECE_self : RUN_PIECE_hand_over;
}

/* An interrupt may end inside the interval: it is then two. */
static sim_time next_turn(const struct watch *w, sim_time from, sim_time to)
{
	for (uint32_t c = 0; c < w->ncpu; c++)
		if (w->cpu[c].irq_until > from && w->cpu[c].irq_until < to)
			to = w->cpu[c].irq_until;
	return to;
}

void account_advance(struct watch *w, sim_time now)
{
	while (w->accounted_to < now) {
		sim_time to = w->naccount ? next_turn(w, w->accounted_to, now) : now;

		for (uint32_t i = 0; i < w->naccount; i++) {
			uint32_t task = w->account[i];

			enum run_piece p = account_piece(w, task);

			w->task[task].piece[p] += to - w->accounted_to;
			if (w->story)
				story_interval(w, task, p, w->accounted_to, to);
		}
		w->accounted_to = to;
	}
}

void account_open(struct watch *w, uint32_t task)
{
	struct watch_task *t = &w->task[task];

	if (!w->account_task[task])
		return;
	for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
		t->piece[p] = 0;
	t->account_slot = w->naccount;
	w->account[w->naccount++] = task;
	if (w->story)
		story_open(w, task);
}

void account_close(struct watch *w, uint32_t task, bool counts)
{
	struct watch_task *t = &w->task[task];
	uint32_t last;

	if (!w->account_task[task])
		return;
	for (unsigned p = 0; counts && p < RUN_PIECE_COUNT; p++) {
		w->rtask[task].piece[p] += t->piece[p];
		w->rlock[t->op_lock].piece[p] += t->piece[p];
	}
	if (w->story)
		story_close(w, task, counts);
	last = w->account[--w->naccount];
	w->account[t->account_slot] = last;
	w->task[last].account_slot = t->account_slot;
}

void account_finish(struct watch *w)
{
	while (w->naccount)
		account_close(w, w->account[0], true);
}

/* All waits, or those of the tasks whose `inversion` is asked about. */
void account_init(struct watch *w, bool all)
{
	w->account_task = g_new0(bool, w->nall + 1);
	for (uint32_t i = 0; all && i < w->nall; i++)
		w->account_task[i] = true;
	w->accounting = all;
	for (unsigned i = 0; i < w->nask; i++) {
		const struct watch_ask *a = &w->ask[i];

		if (a->e->kind != SCN_EXPECT_INVERSION)
			continue;
		w->accounting = true;
		for (uint32_t k = a->task; k < a->task + a->ntask; k++)
			w->account_task[k] = true;
	}
	if (w->accounting)
		w->account = g_new0(uint32_t, w->nall + 1);
}

void account_free(struct watch *w)
{
	g_free(w->account_task);
	g_free(w->account);
}
