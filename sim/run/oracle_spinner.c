/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spinners that can never be released.
 *
 * When no event is left, whoever still spins in lock() spins for ever. At the end of a
 * run that was not still, the same is said of a spinner on a lock that has been free for
 * long while everybody inside it burned a CPU. Spinners that keep who could help them off
 * its CPU are a live-lock (oracle_livelock.c).
 */
#include "sim/machine/machine.h"
#include "sim/run/watch_impl.h"

#define LONG_TIME (10 * SIM_MS)

static bool spins(const struct watch *w, uint32_t task)
{
	const struct watch_task *t = &w->task[task];

	return t->op == WATCH_OP_LOCK && t->op_waits && (t->state == WATCH_RUNNING || t->irq) && !t->deadlocked;
}

static void report_stuck(struct watch *w, uint32_t task, const char *why)
{
	const struct watch_task *t = &w->task[task];
	GString *s = g_string_new(NULL);
	char place[256];

	g_string_append_printf(s, "%s spins in %s on cpu %u and can never stop: %s", w->b->task[task].name,
			       w->b->lock[t->op_lock].name, t->cpu, why);
	g_string_append(s, "\n  it called at ");
	watch_put_time(s, t->op_since);
	g_string_append_printf(s, ", %s", watch_place(w, t->statement, place, sizeof(place)));
	watch_put_owners(w, s, t->op_lock);
	watch_report(w, RUN_FINDING_stuck_spinner, task, t->op_lock, g_string_free(s, FALSE));
}

/* Does everybody inside @lock spin? Then, if it is free, nobody is left who could let them in. */
static bool all_spin(const struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	uint32_t spinning = 0;

	for (unsigned m = 0; m < 2; m++)
		for (uint32_t i = l->first_wait[m]; i != WATCH_NONE; i = w->task[i].next_wait)
			spinning += spins(w, i);
	return spinning == l->inside;
}

static void look_end(struct watch *w, uint32_t task)
{
	const struct watch_task *t = &w->task[task];
	const struct watch_lock *l = &w->lock[t->op_lock];
	sim_time since = MAX(l->free_since, t->op_since);

	if (w->now - t->op_since >= LONG_TIME && watch_free_lock(l) && w->now - since >= LONG_TIME &&
	    all_spin(w, t->op_lock))
		report_stuck(w, task, "the lock is free, and nobody else is at work on it");
}

static void look_spinner(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	for (uint32_t i = 0; i < w->nall; i++) {
		if (!spins(w, i) || !watch_wants(w, RUN_FINDING_stuck_spinner))
			continue;
		if (moment == WATCH_ON_END)
			look_end(w, i);
		else
			report_stuck(w, i,
				     watch_free_lock(&w->lock[w->task[i].op_lock])
					     ? "the lock is free and nothing else will happen"
					     : "nothing else will happen");
	}
}

static bool attach_spinner(struct watch *w)
{
	return w->nlock > 0;
}

const struct watch_oracle oracle_spinner = {
	.name = "stuck-spinner",
	.moments = WATCH_BIT(STILL) | WATCH_BIT(END),
	.attach = attach_spinner,
	.look = look_spinner,
};
