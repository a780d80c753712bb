/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the scheduler and of programs -> struct run_task, and who runs where.
 *
 *	AWAY ── arrive ──> READY <── switch ──> RUNNING ── switch ──> ASLEEP ── wakeup ──> READY
 *	                                              └─── switch ──> GONE
 *
 * Time is booked lazily, when a task's state changes and at the end; a lock operation takes
 * the difference of what had been spent before and after it.
 */
#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

/* What a task in @state spends its time on. */
static inline enum watch_spent spends(enum watch_state state, const struct watch_task *t)
{
	switch (state) {
	case WATCH_AWAY:
	case WATCH_GONE:
		return WATCH_SPENT_NOWHERE;
	case WATCH_READY:
		return WATCH_SPENT_READY;
	case WATCH_RUNNING:
		return WATCH_SPENT_RUNNING;
	case WATCH_ASLEEP:
		return t->op == WATCH_OP_NONE ? WATCH_SPENT_SLEEPING : WATCH_SPENT_BLOCKED;
	}
	return WATCH_SPENT_NOWHERE;
}

static inline void task_becomes(struct watch *w, struct watch_task *t, enum watch_state state, sim_time now)
{
	watch_task_book(w, t, now);
	t->state = state;
	t->spends = spends(state, t);
}

static void switched_out(struct watch *w, struct watch_task *t, const struct sim_rec *rec)
{
	t->preempted = false;
	switch ((enum sim_rec_state)rec->arg) {
	case SIM_STATE_PREEMPTED:
		t->preempted = true;
		if (rec->time >= w->from)
			w->rtask[rec->obj - 1].preemptions++;
		task_becomes(w, t, WATCH_READY, rec->time);
		break;
	case SIM_STATE_YIELDED:
		task_becomes(w, t, WATCH_READY, rec->time);
		break;
	case SIM_STATE_SLEEPS:
	case SIM_STATE_BLOCKED:
		task_becomes(w, t, WATCH_ASLEEP, rec->time);
		if (t->op != WATCH_OP_NONE)
			fold_lock_sleep(w, t);
		break;
	case SIM_STATE_EXITED:
		task_becomes(w, t, WATCH_GONE, rec->time);
		break;
	}
}

void fold_switch(struct watch *w, const struct sim_rec *rec)
{
	struct watch_task *t;

	if (w->nset)
		watch_moment(w, WATCH_ON_AFTER_SET, WATCH_NONE, WATCH_NONE);
	fold_cpu_switch(w, rec);
	if (rec->task) {
		sim_assert(rec->task <= w->nall);
		t = &w->task[rec->task - 1];
		task_becomes(w, t, WATCH_RUNNING, rec->time);
		t->cpu = rec->cpu;
		t->preempted = false;
		t->switches += rec->time >= w->from;
	}
	if (rec->obj) {
		sim_assert(rec->obj <= w->nall);
		switched_out(w, &w->task[rec->obj - 1], rec);
	}
}

void fold_wakeup(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1;
	struct watch_task *t = &w->task[task];

	sim_assert(task < w->nall);
	if (t->state != WATCH_ASLEEP && t->state != WATCH_AWAY)
		return; /* caught before it was switched out */
	if (t->state == WATCH_ASLEEP && t->op != WATCH_OP_NONE)
		fold_lock_wake(w, t);
	task_becomes(w, t, WATCH_READY, rec->time);
	watch_moment(w, WATCH_ON_WAKE, task, t->op == WATCH_OP_NONE ? WATCH_NONE : t->op_lock);
}

void fold_arrive(struct watch *w, const struct sim_rec *rec)
{
	sim_assert(rec->task && rec->task <= w->nall);
	if (w->task[rec->task - 1].state == WATCH_AWAY)
		task_becomes(w, &w->task[rec->task - 1], WATCH_READY, rec->time);
}

void fold_exit(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1;

	sim_assert(task < w->nall);
	w->rtask[task].exited = true;
	if (w->rtask[task].finish == SIM_NEVER)
		w->rtask[task].finish = rec->time;
	watch_moment(w, WATCH_ON_EXIT, task, WATCH_NONE);
}

static bool is_urgent(const struct watch_task *t)
{
	return t->prio < SIM_MAX_RT_PRIO || t->normal < SIM_MAX_RT_PRIO;
}

void fold_prio(struct watch *w, const struct sim_rec *rec)
{
	struct watch_task *t = &w->task[rec->task - 1];

	sim_assert(rec->task && rec->task <= w->nall);
	w->nurgent -= is_urgent(t);
	if (rec->type == SIM_REC_PRIO) {
		t->prio = (int)(int64_t)rec->val - 1;
	} else {
		t->normal = (int)rec->arg - 1;
		t->prio = (int)(int64_t)rec->val - 1;
	}
	w->nurgent += is_urgent(t);
	watch_moment(w, WATCH_ON_PRIO, rec->task - 1, WATCH_NONE);
}

void fold_throttle(struct watch *w, const struct sim_rec *rec)
{
	if (rec->task)
		w->task[rec->task - 1].throttled = rec->arg;
	else if (rec->cpu < w->ncpu)
		w->cpu[rec->cpu].throttled = rec->arg;
}

void fold_done(struct watch *w, const struct sim_rec *rec)
{
	if (rec->time < w->from)
		return;
	if (!rec->obj) {
		w->done++;
		w->rtask[rec->task - 1].done++;
	} else if (w->scn && rec->obj < w->scn->ndone_name) {
		w->done_count[rec->obj]++;
	}
}

/* `finish` is about the last job wherever it ends; the counts are those of the window. */
void fold_job(struct watch *w, const struct sim_rec *rec)
{
	struct run_task *r = &w->rtask[rec->task - 1];

	r->finish = rec->time;
	if (rec->time < w->from)
		return;
	r->jobs++;
	r->overruns += rec->arg == 1;
}

void fold_task_init(struct watch *w)
{
	w->task = g_aligned_alloc0(w->nall + 1, sizeof(*w->task), _Alignof(struct watch_task));
	w->rtask = g_new0(struct run_task, w->nall + 1);
	w->done_count = g_new0(uint64_t, (w->scn ? w->scn->ndone_name : 0) + 1);
	for (uint32_t i = 0; i < w->nall; i++) {
		const struct bound_task *b = &w->b->task[i];
		struct watch_task *t = &w->task[i];
		const struct sim_shared *s = (const struct sim_shared *)(const void *)b->shared;

		t->irq = i >= w->ntask;
		t->cpu = s ? (uint32_t)s->cpu : 0;
		t->statement = WATCH_NONE;
		t->next_wait = t->prev_wait = WATCH_NONE;
		t->prio = s ? s->prio : SIM_DEFAULT_PRIO;
		t->normal = s ? s->normal_prio : SIM_DEFAULT_PRIO;
		w->nurgent += is_urgent(t);
		w->rtask[i].name = b->name;
		w->rtask[i].group = b->decl;
		w->rtask[i].instance = b->instance;
		w->rtask[i].finish = SIM_NEVER;
		w->rtask[i].result = -1;
	}
}

void fold_task_finish(struct watch *w, sim_time end)
{
	for (uint32_t i = 0; i < w->nall; i++) {
		struct watch_task *t = &w->task[i];
		struct run_task *r = &w->rtask[i];

		watch_task_book(w, t, end);
		r->run = t->spent[WATCH_SPENT_RUNNING];
		r->preempted = t->spent[WATCH_SPENT_READY];
		r->slept = t->spent[WATCH_SPENT_SLEEPING];
		r->blocked = t->spent[WATCH_SPENT_BLOCKED];
		r->switches = t->switches;
		r->spin = t->spin;
		r->wait = t->wait;
		t->wait = (struct run_dist){0};
	}
}

void fold_task_free(struct watch *w)
{
	for (uint32_t i = 0; i < w->nall; i++) {
		if (w->rtask)
			run_dist_free(&w->rtask[i].wait);
		run_dist_free(&w->task[i].wait);
	}
	g_aligned_free(w->task);
	g_free(w->rtask);
	g_free(w->done_count);
}
