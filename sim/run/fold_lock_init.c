/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning and the end of the fold over locks: what a lock is told to be before the
 * first record, and the waits that are still open after the last.
 */
#include <string.h>

#include "sim/run/watch_impl.h"

static uint64_t lock_units(const struct watch *w, const struct bound_lock *b)
{
	const struct scn_lock *decl = w->scn && b->decl < w->scn->nlock ? &w->scn->lock[b->decl] : NULL;

	if (decl && decl->value && decl->kind == SCN_SEMAPHORE)
		return bound_value(w->b, decl->value);
	for (unsigned i = 0; decl && i < decl->nset; i++)
		if (decl->set[i].name && !strcmp(decl->set[i].name, "count") && decl->set[i].value)
			return bound_value(w->b, decl->set[i].value);
	for (const struct lock_param *p = b->model->params; p && p->name; p++)
		if (!strcmp(p->name, "count"))
			return p->fallback;
	return decl && decl->kind == SCN_COMPLETION ? 0 : b->model->caps & LOCK_CAP_WAKEALL ? 0 : 1;
}

/* `starve D` is a parameter of every lock: longer waits are findings. */
static sim_time lock_starve(const struct watch *w, const struct bound_lock *b)
{
	const struct scn_lock *decl = w->scn && b->decl < w->scn->nlock ? &w->scn->lock[b->decl] : NULL;

	for (unsigned i = 0; decl && i < decl->nset; i++)
		if (decl->set[i].name && !strcmp(decl->set[i].name, "starve") && decl->set[i].value)
			return bound_value(w->b, decl->set[i].value);
	return 0;
}

static void lock_events_init(struct watch_lock *l, struct run_lock *r)
{
	const char *const *name = l->model->events;
	bool *handoff;

	while (name && name[l->nevents])
		l->nevents++;
	handoff = g_new0(bool, l->nevents + 1);
	for (uint32_t i = 0; i < l->nevents; i++)
		handoff[i] = strstr(name[i], "handoff") != NULL;
	l->is_handoff = handoff;
	r->event_name = name;
	r->event = g_new0(uint64_t, l->nevents + 1);
}

/* Which statements are `wakeall`: their records are those of `wake`. */
static void find_wakeall(struct watch *w, const struct scn_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == SCN_WAKEALL && s->id < w->b->nstatement)
			w->wakeall[s->id] = true;
		find_wakeall(w, s->body);
		find_wakeall(w, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			find_wakeall(w, s->branch[i].body);
	}
}

static void wakeall_init(struct watch *w)
{
	if (!w->scn || !watch_any_caps(w, LOCK_CAP_WAKEALL))
		return;
	w->wakeall = g_new0(bool, w->b->nstatement + 1);
	for (unsigned i = 0; i < w->scn->ntask; i++)
		find_wakeall(w, w->scn->task[i].body);
	for (unsigned i = 0; i < w->scn->nirq; i++)
		find_wakeall(w, w->scn->irq[i].body);
}

#define DISTANCE_CPUS 256u /* a table beyond would miss the cache more than it saves */

static void distance_init(struct watch *w)
{
	if (!w->b->machine || w->ncpu > DISTANCE_CPUS || !w->nlock)
		return;
	w->distance = g_new0(uint8_t, w->ncpu * w->ncpu);
	for (uint32_t i = 0; i < w->ncpu * w->ncpu; i++)
		w->distance[i] = (uint8_t)sim_distance(i / w->ncpu, i % w->ncpu);
}

void fold_lock_init(struct watch *w)
{
	w->lock = g_new0(struct watch_lock, w->nlock + 1);
	w->rlock = g_new0(struct run_lock, w->nlock + 1);
	w->chunks = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t i = 0; i < w->nlock; i++) {
		struct watch_lock *l = &w->lock[i];

		l->bound = &w->b->lock[i];
		l->model = l->bound->model;
		l->caps = l->model->caps;
		l->counting = l->caps & LOCK_CAP_COUNTING;
		l->holdless = l->caps & LOCK_CAP_WAKEALL;
		l->starve_bound = lock_starve(w, l->bound);
		l->avail = l->counting ? (int64_t)lock_units(w, l->bound) : 0;
		l->first_wait[0] = l->first_wait[1] = l->last_wait[0] = l->last_wait[1] = WATCH_NONE;
		l->last_cpu = WATCH_NONE;
		l->count_due = UINT64_MAX;
		l->sum = &w->rlock[i];
		w->rlock[i].name = l->bound->name;
		w->rlock[i].model = l->model->name;
		lock_events_init(l, &w->rlock[i]);
	}
	wakeall_init(w);
	distance_init(w);
}

/* Waits that are still open are listed and raise the maximum. */
void fold_lock_finish(struct watch *w, sim_time end)
{
	for (uint32_t i = 0; i < w->nall; i++) {
		struct watch_task *t = &w->task[i];
		struct run_lock *r;

		if (t->op != WATCH_OP_LOCK)
			continue;
		r = t->op_at->sum;
		r->asleep += watch_task_spent(w, t, WATCH_SPENT_BLOCKED, end) - t->op_slept;
		if (!t->op_waits)
			continue;
		r->open++;
		if (t->op_contended) {
			sim_time ran = watch_task_spent(w, t, WATCH_SPENT_RUNNING, end) - t->op_ran;

			r->spin += ran;
			t->spin += ran;
		}
		if (end > t->op_since) {
			watch_dist_raise(&r->wait[t->op_mode], end - t->op_since);
			watch_dist_raise(&t->wait, end - t->op_since);
		}
	}
}

void fold_lock_free(struct watch *w)
{
	for (uint32_t i = 0; w->lock && i < w->nlock; i++) {
		g_free((void *)(uintptr_t)w->lock[i].is_handoff);
		g_free(w->lock[i].heir);
		if (w->rlock) {
			g_free(w->rlock[i].event);
			for (unsigned m = 0; m < 2; m++) {
				run_dist_free(&w->rlock[i].wait[m]);
				run_dist_free(&w->rlock[i].hold[m]);
			}
		}
	}
	g_free(w->wakeall);
	g_free(w->distance);
	g_free(w->lock);
	g_free(w->rlock);
	if (w->chunks)
		g_ptr_array_free(w->chunks, TRUE);
}
