/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Promises about order: FIFO, and bounds on starvation.
 *
 * FIFO: arrival is the access by which a waiter announces itself, which no record tells.
 * But whoever is asleep in the lock, or listed by view(), when T calls has announced itself
 * before T. So that many grants or failures must come between T's call and T's grant. This
 * finds every overtaking of a visible waiter and never accuses a race before the
 * announcement. Shared requests are let in together, in any order; only exclusive ones are
 * counted.
 */
#include "sim/run/watch_impl.h"

#define CALLS_ALL 2048u /* calls at which every queue is counted */
#define CALLS_EVERY 64u /* then every 64th, and of long queues so few that it comes to a step every fourth call: a view walks cold memory */

static uint64_t ended(const struct watch_lock *l)
{
	return l->grants + l->fails;
}

static void count_queue(struct watch *w, uint32_t task, uint32_t lock)
{
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = &w->lock[lock];
	struct lock_view v = {0};

	if (!t->op_waits || l->nwait < 2 || t->op_mode != LOCK_EXCLUSIVE)
		return;
	l->count_due = l->seq < CALLS_ALL ? 0 : l->count_at;
	if (l->seq > CALLS_ALL && l->seq < l->count_at)
		return;
	l->count_at = l->seq + MAX(CALLS_EVERY, 4 * l->nwait);
	l->count_due = l->seq < CALLS_ALL ? 0 : l->count_at;
	if (l->model->view)
		l->model->view(l->bound->lock, &v);
	t->op_ahead = ended(l) + MAX(v.nwaiters, l->sleepers);
}

/* Who has waited longest: the one that was passed, or one before it. */
static uint32_t oldest_wait(const struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	uint32_t a = l->first_wait[LOCK_EXCLUSIVE], b = l->first_wait[LOCK_SHARED];

	if (a == WATCH_NONE || (b != WATCH_NONE && w->task[b].op_seq < w->task[a].op_seq))
		return b;
	return a;
}

static void report_passed(struct watch *w, uint32_t task, uint32_t lock)
{
	uint64_t passed = w->task[task].op_ahead - (ended(&w->lock[lock]) - 1);
	uint32_t oldest = oldest_wait(w, lock);

	if (!watch_wants(w, RUN_FINDING_fifo))
		return;
	watch_report(w, RUN_FINDING_fifo, task, lock,
		     g_strdup_printf("%s was granted %s past %" PRIu64
				     " waiter%s that stood in the queue when it called; %s "
				     "waits longest",
				     w->b->task[task].name, w->b->lock[lock].name, passed, passed == 1 ? "" : "s",
				     oldest == WATCH_NONE ? "nobody" : w->b->task[oldest].name));
}

static void look_fifo(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_COUNT)
		count_queue(w, task, lock);
	else
		report_passed(w, task, lock);
}

static bool attach_fifo(struct watch *w)
{
	bool any = false;

	for (uint32_t i = 0; i < w->nlock; i++) {
		if (!(w->lock[i].caps & LOCK_CAP_FIFO) || w->lock[i].counting)
			continue;
		w->lock[i].count_due = 0;
		any = true;
	}
	return any;
}

const struct watch_oracle oracle_fifo = {
	.name = "fifo",
	.moments = WATCH_BIT(COUNT) | WATCH_BIT(PASSED),
	.attach = attach_fifo,
	.look = look_fifo,
};

/* -- starvation --------------------------------------------------------------------------------------- */

static void report_starved(struct watch *w, uint32_t task, uint32_t lock, bool by_readers)
{
	const struct watch_task *t = &w->task[task];
	GString *s = g_string_new(NULL);

	g_string_append_printf(s, "%s has waited for %s%s for ", w->b->task[task].name, w->b->lock[lock].name,
			       t->op_mode == LOCK_SHARED ? " (shared)" : "");
	watch_put_time(s, w->now - t->op_since);
	g_string_append(s, ", longer than the bound of ");
	watch_put_time(s, w->lock[lock].starve_bound);
	if (by_readers)
		g_string_append_printf(s, "; %" PRIu64 " readers that came later were let in meanwhile",
				       t->op_passed);
	watch_report(w, by_readers ? RUN_FINDING_writer_starved : RUN_FINDING_starvation, task, lock,
		     g_string_free(s, FALSE));
}

static bool by_readers(const struct watch_task *t)
{
	return t->op_mode == LOCK_EXCLUSIVE && t->op_passed;
}

static void check_bound(struct watch *w, uint32_t task, uint32_t lock, bool readers)
{
	sim_time bound = w->lock[lock].starve_bound;
	struct watch_task *t = &w->task[task];

	if (task == WATCH_NONE || !bound || t->starved || w->now - t->op_since <= bound ||
	    by_readers(t) != readers)
		return;
	if (!watch_wants(w, readers ? RUN_FINDING_writer_starved : RUN_FINDING_starvation))
		return;
	t->starved = true;
	report_starved(w, task, lock, readers);
}

static void check_lock(struct watch *w, uint32_t lock, bool readers)
{
	check_bound(w, w->lock[lock].first_wait[LOCK_EXCLUSIVE], lock, readers);
	check_bound(w, w->lock[lock].first_wait[LOCK_SHARED], lock, readers);
}

/* @task, just granted, may have been starved until now; and so may those who wait on. */
static void check_moment(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock,
			 bool readers)
{
	if (moment == WATCH_ON_GRANT || moment == WATCH_ON_FAIL) {
		check_bound(w, task, lock, readers);
		w->task[task].starved = false;
		check_lock(w, lock, readers);
		return;
	}
	for (uint32_t i = 0; i < w->nlock; i++)
		check_lock(w, i, readers);
}

static void look_starvation(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	check_moment(w, moment, task, lock, false);
}

static bool any_bound(const struct watch *w, unsigned caps)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		if (w->lock[i].starve_bound && (w->lock[i].caps & caps) == caps)
			return true;
	return false;
}

static bool attach_starvation(struct watch *w)
{
	return any_bound(w, 0);
}

const struct watch_oracle oracle_starvation = {
	.name = "starvation",
	.moments = WATCH_BIT(GRANT) | WATCH_BIT(FAIL) | WATCH_BIT(STILL) | WATCH_BIT(END),
	.attach = attach_starvation,
	.look = look_starvation,
};

static void look_writer(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_GRANT && w->task[task].op_mode == LOCK_SHARED) {
		uint32_t first = w->lock[lock].first_wait[LOCK_EXCLUSIVE];

		if (first != WATCH_NONE && w->task[first].op_seq < w->task[task].op_seq)
			w->task[first].op_passed++;
	}
	check_moment(w, moment, task, lock, true);
}

static bool attach_writer(struct watch *w)
{
	return any_bound(w, LOCK_CAP_SHARED);
}

const struct watch_oracle oracle_writer = {
	.name = "writer-starved",
	.moments = WATCH_BIT(GRANT) | WATCH_BIT(FAIL) | WATCH_BIT(STILL) | WATCH_BIT(END),
	.attach = attach_writer,
	.look = look_writer,
};
