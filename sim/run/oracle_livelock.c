/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live-locks: a circle of waits that leads over a CPU.
 *
 * A spinner waits for the owner of its lock, or, where the lock is free, for who was about to
 * take it; a sleeper likewise; and a task that is runnable waits for the CPUs that it may use,
 * which spinners keep from it for good. Ticks and other tasks go on meanwhile, so nothing is
 * still, and no owner need be involved: a reserved lock is free.
 *
 * The stuck are the largest set of tasks that has no way out: of everybody in it, what it waits
 * for is in the set too. All candidates are taken, and who has a way out is struck off until
 * nobody is. What is told is a circle in the set that contains a runnable task. The state must
 * have lasted for LONG_TIME, since spinners look up now and then and give up; not so when
 * nothing will happen any more.
 */
#include "sim/machine/machine.h"
#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

#define LONG_TIME (10 * SIM_MS)
#define LONG_SLICE (200 * SIM_MS) /* no class lets a task run for so long while its equals wait: RR 100 ms, CFS 24 */

enum { OUT, SPINS, SLEEPS, OFF }; /* what a task is among the stuck */

struct circle {
	struct watch *w;
	uint8_t *is; /* by task */
	struct watch_stuck *at; /* by lock */
	bool still; /* nothing will happen any more */
};

static bool lasts(const struct circle *c, sim_time since)
{
	return c->still || (c->w->now >= since && c->w->now - since >= LONG_TIME);
}

/* What @task is, if nobody had a way out. */
static uint8_t candidate(const struct circle *c, uint32_t task)
{
	const struct watch_task *t = &c->w->task[task];
	bool waits = t->op == WATCH_OP_LOCK && t->op_waits && !c->w->lock[t->op_lock].counting;

	if (t->irq || t->deadlocked)
		return OUT;
	switch (t->state) {
	case WATCH_READY:
		return lasts(c, t->since) && !t->throttled && t->prio != SIM_DL_PRIO ? OFF : OUT;
	case WATCH_RUNNING:
		return waits && lasts(c, t->op_since) && !watch_abortable(c->w, task) ? SPINS : OUT;
	case WATCH_ASLEEP:
		return waits && (c->still || !watch_abortable(c->w, task)) ? SLEEPS : OUT;
	case WATCH_AWAY:
	case WATCH_GONE:
		break;
	}
	return OUT;
}

/* Does @spinner, which runs where @task might, stay there whatever the ticks say? */
static bool keeps_off(const struct circle *c, uint32_t spinner, uint32_t task)
{
	const struct watch_task *s = &c->w->task[spinner], *t = &c->w->task[task];
	const struct sim_shared *words = watch_shared(c->w, spinner);

	if (c->still)
		return true;
	if (s->prio == SIM_DL_PRIO || (s->prio < SIM_MAX_RT_PRIO && sim && sim->cfg.rt_runtime))
		return false; /* its budget will be used up */
	if (s->prio < SIM_MAX_RT_PRIO && s->prio <= t->prio &&
	    (s->prio < t->prio || (words && words->policy == SIM_FIFO)))
		return true;
	return c->w->now - s->since >= LONG_SLICE; /* it has preemption off */
}

/* The spinner on the CPU that @task ran on last, or on the first that it may use; WATCH_NONE: one may come free. */
static uint32_t kept_off_by(const struct circle *c, uint32_t task)
{
	const struct watch *w = c->w;
	const struct sim_task *s = w->b->task[task].task;
	uint32_t by = WATCH_NONE;

	for (uint32_t cpu = 0; cpu < w->ncpu; cpu++) {
		uint32_t curr = w->cpu[cpu].curr;

		if (s && s->allowed && !sim_cpuset_has(s->allowed, cpu))
			continue;
		if (curr == WATCH_NONE || c->is[curr] != SPINS || !keeps_off(c, curr, task))
			return WATCH_NONE;
		if (by == WATCH_NONE || cpu == w->task[task].cpu)
			by = curr;
	}
	return by;
}

/* Who is among the stuck at every lock. */
static void count(const struct circle *c)
{
	const struct watch *w = c->w;

	for (uint32_t l = 0; l < w->nlock; l++) {
		c->at[l] = (struct watch_stuck){.taker = WATCH_NONE, .owner = WATCH_NONE};
		for (const struct watch_hold *h = w->lock[l].oldest; h && c->at[l].owner == WATCH_NONE; h = h->next_lock)
			if (c->is[h->task] != OUT)
				c->at[l].owner = h->task;
	}
	for (uint32_t i = 0; i < w->nall; i++) {
		struct watch_stuck *at;

		if (c->is[i] == OUT || w->task[i].op == WATCH_OP_NONE)
			continue;
		at = &c->at[w->task[i].op_lock];
		at->inside++;
		if (c->is[i] == OFF && at->taker == WATCH_NONE)
			at->taker = i;
	}
}

/* Who is runnable inside the operation on @lock, where all are stuck; or WATCH_NONE. */
static uint32_t stuck_taker(const struct circle *c, uint32_t lock)
{
	return c->at[lock].inside == c->w->lock[lock].inside ? c->at[lock].taker : WATCH_NONE;
}

/* The one among the stuck for whom @task waits, or WATCH_NONE: it has a way out. */
static uint32_t waits_for(const struct circle *c, uint32_t task)
{
	const struct watch_task *t = &c->w->task[task];
	const struct watch_lock *l;
	uint32_t barrier;

	if (c->is[task] == OFF)
		return kept_off_by(c, task);
	l = &c->w->lock[t->op_lock];
	barrier = watch_barrier(c->w, t);
	if (barrier != WATCH_NONE)
		return c->is[barrier] != OUT ? barrier : WATCH_NONE;
	if (watch_free_lock(l))
		return lasts(c, l->free_since) ? stuck_taker(c, t->op_lock) : WATCH_NONE;
	if (!l->nexcl && t->op_mode == LOCK_SHARED && stuck_taker(c, t->op_lock) == WATCH_NONE)
		return WATCH_NONE; /* behind a writer that may be let in, or among readers */
	return c->at[t->op_lock].owner;
}

static bool any_off(struct circle *c)
{
	bool any = false;

	for (uint32_t i = 0; i < c->w->nall; i++) {
		c->is[i] = candidate(c, i);
		any |= c->is[i] == OFF;
	}
	return any;
}

/* Strikes off who has a way out, of those who are runnable or of the others. True: there were some. */
static bool strike(struct circle *c, bool off)
{
	bool any = false;

	for (uint32_t i = 0; i < c->w->nall; i++) {
		if (c->is[i] == OUT || (c->is[i] == OFF) != off || waits_for(c, i) != WATCH_NONE)
			continue;
		c->is[i] = OUT;
		any = true;
	}
	return any;
}

/* Leaves the stuck. False: nobody runnable is among them. In most runs that shows before the locks are looked at. */
static bool find_stuck(struct circle *c)
{
	bool any = true;

	while (any) {
		strike(c, true);
		any = false;
		for (uint32_t i = 0; i < c->w->nall; i++)
			any |= c->is[i] == OFF;
		if (!any)
			return false;
		count(c);
		any = strike(c, false);
	}
	return true;
}

/* -- the report ------------------------------------------------------------------------------------- */

static void put_task(const struct circle *c, GString *s, uint32_t task)
{
	const struct watch *w = c->w;
	const struct watch_task *t = &w->task[task];
	const char *name = w->b->task[task].name, *lock = t->op == WATCH_OP_NONE ? NULL : w->b->lock[t->op_lock].name;
	uint32_t next = waits_for(c, task);
	char place[256];

	if (c->is[task] == OFF) {
		g_string_append_printf(s, "\n  %s is runnable since ", name);
		watch_put_time(s, t->since);
		g_string_append_printf(s, ", %s, and %s keeps it off cpu %u", watch_place(w, t->statement, place, sizeof(place)),
				       w->b->task[next].name, w->task[next].cpu);
		return;
	}
	g_string_append_printf(s, "\n  %s %s in %s%s since ", name, c->is[task] == SPINS ? "spins" : "sleeps", lock,
			       t->op_mode == LOCK_SHARED ? " (shared)" : "");
	watch_put_time(s, t->op_since);
	g_string_append_printf(s, ", %s, ", watch_place(w, t->statement, place, sizeof(place)));
	if (watch_free_lock(&w->lock[t->op_lock]))
		g_string_append_printf(s, "which is free: %s was about to take it", w->b->task[next].name);
	else
		g_string_append_printf(s, "which %s holds", w->b->task[next].name);
}

/* The others who are stuck at @task's lock, without whom the circle might not be understood. */
static void put_others(const struct circle *c, GString *s, const GArray *circle)
{
	unsigned told = 0, n = 0;

	for (uint32_t i = 0; i < c->w->nall; i++) {
		bool in = false;

		for (guint k = 0; k < circle->len; k++)
			in |= g_array_index(circle, uint32_t, k) == i;
		if (in || c->is[i] == OUT)
			continue;
		n++;
		if (told < 4) {
			put_task(c, s, i);
			told++;
		}
	}
	if (n > told)
		g_string_append_printf(s, "\n  and %u more are stuck", n - told);
}

/* Follows the waits from @task; the circle that they end in, if @task is in it. The caller frees. */
static GArray *circle_of(const struct circle *c, uint32_t task)
{
	GArray *a = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = task; a->len <= c->w->nall; i = waits_for(c, i)) {
		if (a->len && i == task)
			return a;
		g_array_append_val(a, i);
	}
	g_array_free(a, TRUE);
	return NULL;
}

static void report(const struct circle *c, const GArray *circle)
{
	struct watch *w = c->w;
	uint32_t first = g_array_index(circle, uint32_t, 0), lock = WATCH_NONE;
	GString *s = g_string_new("live-lock of");

	for (guint i = 0; i < circle->len; i++) {
		uint32_t task = g_array_index(circle, uint32_t, i);

		g_string_append_printf(s, " %s", w->b->task[task].name);
		if (c->is[task] != OFF && lock == WATCH_NONE)
			lock = w->task[task].op_lock;
	}
	for (guint i = 0; i < circle->len; i++)
		put_task(c, s, g_array_index(circle, uint32_t, i));
	put_others(c, s, circle);
	for (uint32_t i = 0; i < w->nall; i++)
		w->task[i].deadlocked |= c->is[i] != OUT;
	watch_report(w, RUN_FINDING_live_lock, first, lock, g_string_free(s, FALSE));
}

static void look_livelock(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	struct circle c = {.w = w, .is = w->stuck, .at = w->stuck_at, .still = moment == WATCH_ON_STILL};

	if (!watch_wants(w, RUN_FINDING_live_lock) || !any_off(&c) || !find_stuck(&c))
		return;
	for (uint32_t i = 0; i < w->nall; i++) {
		GArray *circle = c.is[i] == OFF ? circle_of(&c, i) : NULL;

		if (!circle)
			continue;
		report(&c, circle);
		g_array_free(circle, TRUE);
		return;
	}
}

static bool attach_livelock(struct watch *w)
{
	if (!w->nlock)
		return false;
	w->stuck = g_new0(uint8_t, w->nall + 1);
	w->stuck_at = g_new0(struct watch_stuck, w->nlock);
	return true;
}

const struct watch_oracle oracle_livelock = {
	.name = "live-lock",
	.moments = WATCH_BIT(STILL) | WATCH_BIT(PIECE) | WATCH_BIT(END),
	.attach = attach_livelock,
	.look = look_livelock,
};
