// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes a scene: owners and waits are those of the folds; the lock's word and the order of
 * its queue are the model's own view, where there is a machine to look at.
 */
#include "sim/run/scene.h"

#include <string.h>

#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

static const char *policy_of(const struct watch *w, uint32_t task)
{
	const struct sim_task *s = w->b->task[task].task;
	int normal = w->task[task].normal;

	if (s && s->attr.policy == SIM_RR)
		return "rr";
	if (normal < 0)
		return "deadline";
	return normal < SIM_MAX_RT_PRIO ? "fifo" : "nice";
}

static void take_task(struct watch *w, uint32_t task, struct scene_task *s)
{
	const struct watch_task *t = &w->task[task];
	bool waits = t->op == WATCH_OP_LOCK && t->op_waits;

	*s = (struct scene_task){ .name = g_strdup(w->b->task[task].name), .policy = policy_of(w, task), .prio = t->prio,
				  .normal = t->normal, .state = story_state_of(t), .cpu = t->cpu,
				  .lock = waits ? t->op_lock : STORY_NONE,
				  .barrier = watch_barrier(w, t), .shared = waits && t->op_mode == LOCK_SHARED,
				  .throttled = t->throttled, .irq = t->irq, .since = t->op_since, .end = STORY_NONE };
}

/* -- queues --------------------------------------------------------------------------------------- */

static void add_waiter(struct scene_lock *s, uint32_t task)
{
	for (uint32_t i = 0; i < s->nwaiter; i++)
		if (s->waiter[i] == task)
			return;
	s->waiter[s->nwaiter++] = task;
}

/* By the model: those it has queued, in its order. */
static void look(struct watch *w, uint32_t lock, struct scene_lock *s)
{
	const struct watch_lock *l = &w->lock[lock];
	struct lock_view v = { .waiters_room = w->nall };

	if (!l->model->view || !w->b->machine || !l->bound->lock)
		return;
	v.waiters = g_new0(struct lock_view_task, w->nall + 1);
	l->model->view(l->bound->lock, &v);
	s->seen = true;
	g_strlcpy(s->flags, v.flags, sizeof(s->flags));
	for (unsigned i = 0; i < MIN(v.nwaiters, v.waiters_room); i++) {
		uint32_t task = v.waiters[i].task ? bound_task_index(v.waiters[i].task) : WATCH_NONE;

		if (task < w->nall && w->task[task].op_waits && w->task[task].op_lock == lock)
			add_waiter(s, task);
	}
	g_free(v.waiters);
}

/* By the records, in the order of their calls: the open waits that the model did not list. */
static void queue_rest(const struct watch *w, const struct watch_lock *l, struct scene_lock *s)
{
	uint32_t a = l->first_wait[0], b = l->first_wait[1];

	while (a != WATCH_NONE || b != WATCH_NONE) {
		bool first = b == WATCH_NONE || (a != WATCH_NONE && w->task[a].op_seq < w->task[b].op_seq);
		uint32_t *next = first ? &a : &b;

		add_waiter(s, *next);
		*next = w->task[*next].next_wait;
	}
}

static void take_lock(struct watch *w, uint32_t lock, struct scene_lock *s)
{
	const struct watch_lock *l = &w->lock[lock];

	*s = (struct scene_lock){ .name = g_strdup(l->bound->name), .model = g_strdup(l->model->name),
				  .inherits = w->b->lock[lock].lends, .ownerless = l->counting };
	s->owner = g_new0(struct scene_owner, l->nexcl + l->nshared + 1);
	for (const struct watch_hold *h = l->oldest; h; h = h->next_lock)
		s->owner[s->nowner++] = (struct scene_owner){ h->task, h->mode == LOCK_SHARED, h->since };
	s->waiter = g_new0(uint32_t, l->nwait + 1);
	look(w, lock, s);
	queue_rest(w, l, s);
}

/* -- chains --------------------------------------------------------------------------------------- */

static uint32_t end_of_chain(const struct watch *w, uint32_t task)
{
	for (uint32_t steps = 0; steps < w->nall; steps++) {
		uint32_t next = w->task[task].chain_next;

		if (next == WATCH_NONE)
			return task;
		task = next;
	}
	return WATCH_NONE; /* a circle */
}

static void take_rivals(struct watch *w, uint32_t waiter, uint32_t end, GArray *list)
{
	const struct sim_task *s = w->b->task[end].task;

	for (uint32_t c = 0; c < w->ncpu; c++) {
		struct scene_rival r = { c, w->cpu[c].curr, end, waiter };

		if (r.runner == WATCH_NONE || r.runner == end || (s && s->allowed && !sim_cpuset_has(s->allowed, c)))
			continue;
		if (w->task[r.runner].stamp != w->stamp && account_less_urgent(w, waiter, r.runner))
			g_array_append_val(list, r);
	}
}

static void take_chains(struct watch *w, struct scene *s)
{
	GArray *rival = g_array_new(FALSE, FALSE, sizeof(struct scene_rival));

	for (uint32_t i = 0; i < w->nall; i++) {
		uint32_t end;

		if (s->task[i].lock == STORY_NONE)
			continue;
		s->task[i].piece = account_piece(w, i);
		end = end_of_chain(w, i);
		s->task[i].end = end == i ? STORY_NONE : end;
		if (s->task[i].piece == RUN_PIECE_inversion && end != WATCH_NONE)
			take_rivals(w, i, end, rival);
	}
	s->nrival = rival->len;
	s->rival = (struct scene_rival *)(void *)g_array_free(rival, FALSE);
}

struct scene *scene_take(struct watch *w, sim_time at)
{
	struct scene *s = g_new0(struct scene, 1);

	s->at = at;
	s->ntask = w->nall;
	s->nlock = w->nlock;
	s->ncpu = w->ncpu;
	s->task = g_new0(struct scene_task, w->nall + 1);
	s->lock = g_new0(struct scene_lock, w->nlock + 1);
	s->curr = g_new0(uint32_t, w->ncpu + 1);
	for (uint32_t i = 0; i < w->nall; i++)
		take_task(w, i, &s->task[i]);
	for (uint32_t i = 0; i < w->nlock; i++)
		take_lock(w, i, &s->lock[i]);
	for (uint32_t i = 0; i < w->ncpu; i++)
		s->curr[i] = w->cpu[i].curr;
	if (w->accounting && at > w->accounted_to)
		account_advance(w, at);
	take_chains(w, s);
	return s;
}

void scene_free(struct scene *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->ntask; i++)
		g_free(s->task[i].name);
	for (uint32_t i = 0; i < s->nlock; i++) {
		g_free(s->lock[i].name);
		g_free(s->lock[i].model);
		g_free(s->lock[i].owner);
		g_free(s->lock[i].waiter);
	}
	g_free(s->task);
	g_free(s->lock);
	g_free(s->curr);
	g_free(s->rival);
	g_free(s->title);
	g_free(s);
}
