/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lost wake-ups: a lock is free, somebody sleeps in it, and nobody awake is inside an
 * operation on it who could still wake the sleeper. A sleeper with a pending timeout or
 * signal will wake by itself and is not lost yet.
 *
 * When no event is left in the machine the same is said of locks that anyone may release
 * (semaphores, completions) without units: nobody will ever post; and of barriers that not
 * all have come to.
 */
#include "sim/machine/machine.h"
#include "sim/run/director.h"
#include "sim/run/watch_impl.h"

static bool wakes_itself(const struct watch *w, uint32_t task)
{
	const struct sim_task *t = w->b->task[task].task;

	if (w->task[task].op_barrier != WATCH_NONE && w->task[w->task[task].op_barrier].state != WATCH_GONE)
		return true; /* kept out by somebody who holds another lock */
	return t && (sim_event_queued(&t->timeout) || sim_event_queued(&t->timer) || t->sigpending);
}

/*
 * Will @task go on and see to the others? One that was woken and told to stop there will; and one that sleeps for a time
 * in a lock without timed requests, since that time is the algorithm's own: it has the lock half, and waits for readers.
 */
static bool sees_to_others(const struct watch *w, uint32_t task, uint32_t lock)
{
	const struct sim_task *t = w->b->task[task].task;

	return director_parked(w->b, task) ||
	       (t && sim_event_queued(&t->timeout) && !(w->lock[lock].caps & LOCK_CAP_TIMEOUT));
}

/* The first sleeper that nothing will wake, or WATCH_NONE. */
static uint32_t lost_sleeper(const struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];

	for (unsigned m = 0; m < 2; m++)
		for (uint32_t i = l->first_wait[m]; i != WATCH_NONE; i = w->task[i].next_wait)
			if (sees_to_others(w, i, lock))
				return WATCH_NONE;
	for (unsigned m = 0; m < 2; m++)
		for (uint32_t i = l->first_wait[m]; i != WATCH_NONE; i = w->task[i].next_wait)
			if (w->task[i].state == WATCH_ASLEEP && !w->task[i].deadlocked && !wakes_itself(w, i))
				return i;
	return WATCH_NONE;
}

/* Has every holder of @lock exited? */
static bool all_owners_gone(const struct watch *w, uint32_t lock)
{
	for (const struct watch_hold *h = w->lock[lock].oldest; h; h = h->next_lock)
		if (w->task[h->task].state != WATCH_GONE)
			return false;
	return true;
}

static void report_lost(struct watch *w, uint32_t task, uint32_t lock, const char *why)
{
	const struct watch_lock *l = &w->lock[lock];
	GString *s = g_string_new(NULL);
	char place[256];

	g_string_append_printf(s, "%s sleeps in %s and nothing will wake it: %s", w->b->task[task].name,
			       w->b->lock[lock].name, why);
	g_string_append(s, "\n  it called at ");
	watch_put_time(s, w->task[task].op_since);
	g_string_append_printf(s, ", %s", watch_place(w, w->task[task].statement, place, sizeof(place)));
	if (!l->counting && l->releases) {
		g_string_append(s, "\n  last release at ");
		watch_put_time(s, l->free_since);
	}
	if (l->sleepers > 1)
		g_string_append_printf(s, "\n  %u tasks sleep there", l->sleepers);
	watch_report(w, RUN_FINDING_lost_wakeup, task, lock, g_string_free(s, FALSE));
}

/*
 * Where all locks of a model have one queue, somebody awake who waits for another of them takes it first and then wakes
 * the next. If that is forgotten, the machine comes to a stand.
 */
static bool others_at_work(const struct watch *w, uint32_t lock)
{
	if (!(w->lock[lock].caps & LOCK_CAP_SYSTEM))
		return false;
	for (uint32_t i = 0; i < w->b->ntask; i++) {
		const struct watch_task *t = &w->task[i];

		if (t->op == WATCH_OP_LOCK && t->state != WATCH_ASLEEP && w->lock[t->op_lock].model == w->lock[lock].model)
			return true;
	}
	return false;
}

static void look_stranded(struct watch *w, uint32_t lock)
{
	uint32_t task;

	if (!watch_free_lock(&w->lock[lock]) || !watch_wants(w, RUN_FINDING_lost_wakeup) || others_at_work(w, lock))
		return;
	task = lost_sleeper(w, lock);
	if (task != WATCH_NONE)
		report_lost(w, task, lock, "the lock is free and nobody is at work on it");
}

static void look_barrier(struct watch *w, const struct bound_barrier *bar)
{
	const struct sim_task *first = bar->waiting ? bar->waiter[bar->round * bar->parties] : NULL;
	char place[256];

	if (!first || !watch_wants(w, RUN_FINDING_lost_wakeup))
		return;
	watch_report(w, RUN_FINDING_lost_wakeup, first->id, WATCH_NONE,
		     g_strdup_printf("%s waits at %s and nothing will wake it: %u of %u came and nobody else will"
				     "\n  it came at %s",
				     w->b->task[first->id].name, bar->name, bar->waiting, bar->parties,
				     watch_place(w, bound_statement(w->b, first->id), place, sizeof(place))));
}

/* Nothing will ever happen again. Sleepers behind an owner are the deadlock oracle's, if the owner waits
 * itself. */
static void look_still(struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++) {
		const struct watch_lock *l = &w->lock[i];
		uint32_t task = l->sleepers ? lost_sleeper(w, i) : WATCH_NONE;

		if (task == WATCH_NONE || !watch_wants(w, RUN_FINDING_lost_wakeup))
			continue;
		if (watch_free_lock(l))
			report_lost(w, task, i, "the lock is free and nothing else will happen");
		else if (l->counting)
			report_lost(w, task, i, "no task is left that could release it");
		else if (all_owners_gone(w, i))
			report_lost(w, task, i, "its owner has exited");
	}
	for (uint32_t i = 0; i < w->b->nbarrier; i++)
		look_barrier(w, &w->b->barrier[i]);
}

static void look_wakeup(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_STRANDED)
		look_stranded(w, lock);
	else
		look_still(w);
}

static bool attach_wakeup(struct watch *w)
{
	if (w->b->nbarrier)
		return true;
	for (uint32_t i = 0; i < w->nlock; i++)
		if (!(w->lock[i].caps & LOCK_CAP_SPIN))
			return true;
	return false;
}

const struct watch_oracle oracle_wakeup = {
	.name = "lost-wakeup",
	.moments = WATCH_BIT(STRANDED) | WATCH_BIT(STILL),
	.attach = attach_wakeup,
	.look = look_wakeup,
};
