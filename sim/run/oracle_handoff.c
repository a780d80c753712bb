/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hand-off: a lock that lets others pass its first waiter promises that this ends
 * (lock_model.patience). The one that is first in the queue, the heir, is known by view(),
 * which is asked now and then while nobody is. Once it has waited as long as the promise
 * says, it is late as soon as it is certain that the lock has been asked on its behalf:
 *
 *   it fell asleep twice          and in between was woken, and found the lock taken
 *   it is on a CPU for 10 ms      and burns it in lock()
 *   it is a reader, and a writer  let in since has also unlocked to the end: readers are granted
 *                                 the lock, they need not try
 *
 * From then on nobody who calls is to be let in before it. Who had called earlier may have
 * had the lock already, without a record of it, and does not count. One is overlooked: a
 * mark that was left by somebody who gave up may let one more pass.
 */
#include "sim/run/watch_impl.h"

#define LONG_TIME (10 * SIM_MS)
/* Grants at which the queue is looked at: all of these, then so few that it comes to a step of the walk each. */
#define LOOKS_ALL 2048u

struct watch_heir {
	uint32_t task;	   /* first in the queue, or WATCH_NONE */
	uint32_t witness;  /* a writer that was let in past it, a reader, or WATCH_NONE */
	uint64_t seq;	   /* its call */
	sim_time due;	   /* from then on it lets nobody pass */
	bool slept;	   /* … and it fell asleep since */
	bool late;	   /* … and the lock was asked for it */
	uint64_t late_seq; /* calls of the lock by then */
	sim_time late_at;
	uint32_t passed;   /* later calls let in since */
	uint64_t look_at;  /* the grant after which the queue is looked at next */
};

static uint32_t first_waiter(const struct watch_lock *l)
{
	struct lock_view_task first = { NULL, LOCK_EXCLUSIVE };
	struct lock_view v = { .waiters_room = 1, .waiters = &first };

	l->model->view(l->bound->lock, &v);
	return first.task ? bound_task_index(first.task) : WATCH_NONE;
}

static bool still_waits(const struct watch *w, const struct watch_lock *l, const struct watch_heir *h)
{
	const struct watch_task *t;

	if (h->task >= w->nall)
		return false;
	t = &w->task[h->task];
	return t->op == WATCH_OP_LOCK && t->op_waits && t->op_at == l && t->op_seq == h->seq;
}

static void find_heir(struct watch *w, const struct watch_lock *l, struct watch_heir *h)
{
	uint32_t task;

	h->task = WATCH_NONE;
	if (!l->nwait || l->grants < h->look_at)
		return;
	if (l->grants > LOOKS_ALL)
		h->look_at = l->grants + l->nwait;
	task = first_waiter(l);
	if (task >= w->nall || w->task[task].op_at != l)
		return;
	*h = (struct watch_heir){ .task = task,
				  .witness = WATCH_NONE,
				  .seq = w->task[task].op_seq,
				  .due = w->now + l->patience,
				  .look_at = h->look_at };
}

static void is_late(const struct watch *w, const struct watch_lock *l, struct watch_heir *h)
{
	h->late = true;
	h->late_seq = l->seq;
	h->late_at = w->now;
	h->passed = 0;
}

static bool spins_long(const struct watch *w, const struct watch_heir *h)
{
	const struct watch_task *t = &w->task[h->task];

	return t->state == WATCH_RUNNING && w->now >= MAX(t->since, h->due) + LONG_TIME;
}

static void report(struct watch *w, uint32_t task, uint32_t lock, const struct watch_heir *h)
{
	const struct watch_task *t = &w->task[h->task], *thief = &w->task[task];
	GString *s = g_string_new(NULL);
	char place[256];

	g_string_append_printf(s, "%s is first in the queue of %s%s and was passed by %s, which called later: %s",
			       watch_task_name(w, h->task), watch_lock_name(w, lock),
			       t->op_mode == LOCK_SHARED ? " (shared)" : "", watch_task_name(w, task),
			       "the hand-off that it was owed does not come");
	g_string_append(s, "\n  it called at ");
	watch_put_time(s, t->op_since);
	g_string_append_printf(s, ", %s; by ", watch_place(w, t->statement, place, sizeof(place)));
	watch_put_time(s, h->late_at);
	g_string_append_printf(s, " it had waited its time, and the lock was found taken\n  %s called at ",
			       watch_task_name(w, task));
	watch_put_time(s, thief->op_since);
	g_string_append_printf(s, ", %s, and is number %u of those let in since",
			       watch_place(w, thief->statement, place, sizeof(place)), h->passed);
	w->actor = task + 1;
	watch_report(w, RUN_FINDING_hand_off, h->task, lock, g_string_free(s, FALSE));
	w->actor = 0;
}

/* @task was let in while the heir waits. */
static void passed_by(struct watch *w, uint32_t task, uint32_t lock, struct watch_heir *h)
{
	const struct watch_lock *l = &w->lock[lock];
	const struct watch_task *t = &w->task[task];

	if (!h->late) {
		if (w->task[h->task].op_mode == LOCK_SHARED && t->op_mode == LOCK_EXCLUSIVE)
			h->witness = w->now >= h->due ? task : WATCH_NONE;
		if (spins_long(w, h))
			is_late(w, l, h);
		return;
	}
	if (t->op_seq <= h->late_seq || ++h->passed < 2)
		return;
	if (first_waiter(l) == h->task && watch_wants(w, RUN_FINDING_hand_off))
		report(w, task, lock, h);
	h->task = WATCH_NONE; /* granted and on its way, or told of */
}

static void look_handoff(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	struct watch_heir *h = l->heir;

	if (!h)
		return;
	if (moment == WATCH_ON_GRANT) {
		if (still_waits(w, l, h))
			passed_by(w, task, lock, h);
		else
			find_heir(w, l, h);
		return;
	}
	if (moment == WATCH_ON_FAIL) { /* whoever gives up may take the lock's mark along */
		if (!(w->task[task].op_how & LOCK_TRY))
			h->task = WATCH_NONE;
		return;
	}
	if (h->late || w->now < h->due || !still_waits(w, l, h))
		return;
	if (moment == WATCH_ON_SLEEP && h->task == task && w->task[task].op_mode == LOCK_EXCLUSIVE) {
		if (h->slept)
			is_late(w, l, h);
		h->slept = true;
	} else if (moment == WATCH_ON_UNLOCKED && h->witness == task) {
		is_late(w, l, h);
	}
}

static bool attach_handoff(struct watch *w)
{
	bool any = false;

	for (uint32_t i = 0; i < w->nlock; i++) {
		struct watch_lock *l = &w->lock[i];

		l->patience = l->model->patience && l->model->view ? l->model->patience(l->bound->lock) : SIM_NEVER;
		if (l->patience == SIM_NEVER)
			continue;
		l->heir = g_new0(struct watch_heir, 1);
		l->heir->task = WATCH_NONE;
		any = true;
	}
	return any;
}

const struct watch_oracle oracle_handoff = {
	.name = "hand-off",
	.moments = WATCH_BIT(GRANT) | WATCH_BIT(FAIL) | WATCH_BIT(UNLOCKED) | WATCH_BIT(SLEEP),
	.attach = attach_handoff,
	.look = look_handoff,
};
