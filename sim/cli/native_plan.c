// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the records of a simulated run to scripts for threads: a fold. Things that come to pass
 * by themselves at one instant (timers, ends of computations) get places in the order in which
 * their tasks went on, since threads cannot hit an instant: they are staggered.
 */
#include "sim/cli/native.h"

#include <errno.h>
#include <string.h>

#include "sim/run/result.h"

#define SAME_INSTANT (10 * SIM_NS) /* a poll of a spinner */
#define RT_PRIOS 100

struct spontaneous { /* at the present instant */
	uint32_t task;
	guint act;
	unsigned went_on; /* when its task did the next thing, in records; UINT_MAX: not yet */
};

struct fold_task {
	bool there;
	int prio;
	sim_time timeout; /* of the next lock() */
	bool spent;       /* has computed all, and was put off at that instant */
	bool running;     /* its act is NATIVE_RUN and it has a CPU */
	bool queued;      /* runnable, without a CPU */
	sim_time since, ran;
};

struct native_fold {
	struct fold_task *task;
	uint32_t *on_cpu; /* task that a CPU runs, 1 + index */
	sim_time now;
	bool begun;
	unsigned records, order;
	GArray *spontaneous;
	bool deadlocked; /* the kernel notices, and the C library then waits outside of the lock */
	uint32_t setter; /* 1 + index of the task whose SET comes next */
};

struct native_plan *native_plan_new(void)
{
	struct native_plan *p = g_new0(struct native_plan, 1);

	p->at = g_array_new(FALSE, FALSE, sizeof(sim_time));
	p->prio = g_array_new(FALSE, FALSE, sizeof(int));
	p->gap = SIM_NEVER;
	return p;
}

bool native_mutex_of(const char *model, unsigned caps, enum native_mutex *kind)
{
	if (caps & LOCK_CAP_PI && !(caps & (LOCK_CAP_SHARED | LOCK_CAP_SPIN)))
		*kind = NATIVE_INHERIT;
	else if (!strcmp(model, "futex-pp"))
		*kind = NATIVE_PROTECT;
	else if (!strcmp(model, "futex"))
		*kind = NATIVE_PLAIN;
	else
		return false;
	return true;
}

static void plan_lock(struct native_lock *lock, const struct run_bound *b, const struct bound_lock *bl)
{
	const struct scn_lock *decl = &b->scn->lock[bl->decl];

	lock->name = g_strdup(bl->name);
	native_mutex_of(bl->model->name, bl->model->caps, &lock->kind);
	for (unsigned i = 0; i < decl->nset; i++)
		if (!strcmp(decl->set[i].name, "ceiling") && decl->set[i].value)
			lock->ceiling = (int)decl->set[i].value->value;
	if (!lock->ceiling)
		lock->ceiling = (int)scn_ceiling(b->scn, bl->decl, bl->instance);
}

void native_plan_bound(void *user, const struct run_bound *b)
{
	struct native_plan *p = user;
	struct native_fold *f = p->fold = g_new0(struct native_fold, 1);

	p->ntask = b->ntask;
	p->nlock = b->nlock;
	p->ncpus = b->ncpus;
	p->task = g_new0(struct native_task, p->ntask + 1);
	p->lock = g_new0(struct native_lock, p->nlock + 1);
	f->task = g_new0(struct fold_task, p->ntask + 1);
	f->on_cpu = g_new0(uint32_t, p->ncpus);
	p->used = g_new0(bool, p->ncpus);
	f->spontaneous = g_array_new(FALSE, FALSE, sizeof(struct spontaneous));
	for (uint32_t i = 0; i < p->ntask; i++) {
		const struct sim_task *t = b->task[i].task;

		p->task[i].name = g_strdup(b->task[i].name);
		p->task[i].prio = f->task[i].prio = t->shared->normal_prio;
		p->task[i].fair = t->shared->normal_prio >= RT_PRIOS;
		p->task[i].cpu = g_new0(bool, p->ncpus);
		for (unsigned c = 0; c < p->ncpus; c++) {
			p->task[i].cpu[c] = !t->allowed || sim_cpuset_has(t->allowed, c);
			p->used[c] |= p->task[i].cpu[c];
		}
		p->task[i].act = g_array_new(FALSE, FALSE, sizeof(struct native_act));
		f->task[i].timeout = SIM_NEVER;
	}
	for (unsigned c = 0; c < p->ncpus; c++)
		p->nused += p->used[c];
	for (uint32_t i = 0; i < p->nlock; i++)
		plan_lock(&p->lock[i], b, &b->lock[i]);
}

/* -- acts ------------------------------------------------------------------------------------------ */

static struct native_act *last_act(const struct native_plan *p, uint32_t task)
{
	GArray *acts = p->task[task].act;

	return acts->len ? &g_array_index(acts, struct native_act, acts->len - 1) : NULL;
}

static struct native_act *add_act(struct native_plan *p, uint32_t task, enum native_kind kind, sim_time time)
{
	struct native_act act = {.kind = kind, .time = time, .end = SIM_NEVER, .index = p->nacts++};

	g_array_append_val(p->task[task].act, act);
	return last_act(p, task);
}

/* The task's latest act came to an end by itself: a timer, or all was computed. */
static void spontaneous(struct native_plan *p, uint32_t task)
{
	struct spontaneous s = {.task = task, .act = p->task[task].act->len - 1, .went_on = UINT_MAX};

	g_array_append_val(p->fold->spontaneous, s);
}

/* The task does its next thing: a pause is over not when its timer fires, but when the task has a CPU. */
static void goes_on(struct native_plan *p, uint32_t task)
{
	struct native_act *act = last_act(p, task);
	GArray *list = p->fold->spontaneous;

	if (act && act->kind == NATIVE_SLEEP && act->end == SIM_NEVER)
		act->end = p->fold->now;
	for (guint i = 0; i < list->len; i++) {
		struct spontaneous *s = &g_array_index(list, struct spontaneous, i);

		if (s->task == task && s->went_on == UINT_MAX)
			s->went_on = p->fold->records;
	}
}

static int earlier(gconstpointer a, gconstpointer b)
{
	const struct spontaneous *x = a, *y = b;

	return x->went_on < y->went_on ? -1 : x->went_on > y->went_on;
}

/* -- instants -------------------------------------------------------------------------------------- */

static bool is_fair_now(const struct native_plan *p, uint32_t task)
{
	return p->fold->task[task].prio >= RT_PRIOS;
}

/* Which of two fair tasks runs is a matter of slices, even if the one that runs here is never preempted. */
static void look_for_rivals(struct native_plan *p)
{
	struct native_fold *f = p->fold;

	for (uint32_t i = 0; i < p->ntask && !p->unclear; i++) {
		if (!f->task[i].queued || !is_fair_now(p, i))
			continue;
		for (unsigned c = 0; c < p->ncpus && !p->unclear; c++) {
			uint32_t other = f->on_cpu[c];

			if (p->task[i].cpu[c] && other && other <= p->ntask && is_fair_now(p, other - 1))
				p->unclear = g_strdup_printf("%s and %s share a CPU, and both are fair tasks",
							     p->task[i].name, p->task[other - 1].name);
		}
	}
}

static void close_instant(struct native_plan *p)
{
	struct native_fold *f = p->fold;

	look_for_rivals(p);
	g_array_append_val(p->at, f->now);
	for (uint32_t i = 0; i < p->ntask; i++) {
		int prio = f->task[i].there && !f->deadlocked ? f->task[i].prio : NATIVE_ABSENT;

		g_array_append_val(p->prio, prio);
	}
	g_array_sort(f->spontaneous, earlier); /* a stable sort, GLib promises */
	for (guint i = 0; i < f->spontaneous->len; i++) {
		const struct spontaneous *s = &g_array_index(f->spontaneous, struct spontaneous, i);

		g_array_index(p->task[s->task].act, struct native_act, s->act).stagger = i;
	}
	p->staggers = MAX(p->staggers, f->spontaneous->len);
	g_array_set_size(f->spontaneous, 0);
}

static void to_instant(struct native_plan *p, sim_time t)
{
	struct native_fold *f = p->fold;

	if (f->begun && t - f->now <= SAME_INSTANT)
		return;
	if (f->begun) {
		close_instant(p);
		if (t - f->now < p->gap) {
			p->gap = t - f->now;
			p->gap_at = f->now;
		}
	}
	f->begun = true;
	f->now = t;
}

/* -- records --------------------------------------------------------------------------------------- */

static void take_switch(struct native_plan *p, const struct sim_rec *rec)
{
	struct native_fold *f = p->fold;
	uint32_t next = rec->task, prev = rec->obj;

	if (prev && prev <= p->ntask) {
		struct fold_task *t = &f->task[prev - 1];
		const struct native_act *act = last_act(p, prev - 1);

		if (t->running)
			t->ran += rec->time - t->since;
		if (t->running && !t->spent && act->kind == NATIVE_RUN && act->end == SIM_NEVER &&
		    t->ran >= act->time) {
			t->spent = true;
			spontaneous(p, prev - 1);
		}
		t->running = false;
		t->queued = rec->arg == SIM_STATE_PREEMPTED;
	}
	if (next && next <= p->ntask) {
		const struct native_act *act = last_act(p, next - 1);

		f->task[next - 1].running = act && act->kind == NATIVE_RUN && act->end == SIM_NEVER;
		f->task[next - 1].since = rec->time;
		f->task[next - 1].queued = false;
	}
	f->on_cpu[rec->cpu] = next;
}

static void take_run(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	struct fold_task *t = &p->fold->task[task];

	goes_on(p, task);
	if (!rec->arg) {
		add_act(p, task, NATIVE_RUN, rec->val);
		t->running = true;
		t->since = rec->time;
		t->ran = 0;
		t->spent = false;
		if (!rec->val)
			last_act(p, task)->end = rec->time;
		return;
	}
	t->running = false;
	if (last_act(p, task)->end == SIM_NEVER) {
		last_act(p, task)->end = rec->time;
		if (!t->spent)
			spontaneous(p, task);
	}
}

static void take_timer(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	if (p->task[task].act->len && rec->arg != 2) /* an arrival has its own record */
		spontaneous(p, task);
}

static void take_step(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	if (rec->arg != SIM_STEP_TIMEOUT) /* that is of the CALL which follows */
		goes_on(p, task);
	switch ((enum sim_rec_step)rec->arg) {
	case SIM_STEP_SLEEP:
		if (rec->val > rec->time)
			add_act(p, task, NATIVE_SLEEP, rec->val);
		return;
	case SIM_STEP_TIMEOUT:
		p->fold->task[task].timeout = rec->val;
		return;
	case SIM_STEP_SET:
		add_act(p, task, NATIVE_SET, 0)->obj = rec->obj - 1;
		p->fold->setter = task + 1;
		return;
	case SIM_STEP_YIELD:
		add_act(p, task, NATIVE_YIELD, 0)->end = rec->time;
		return;
	}
}

static void take_setsched(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	struct native_fold *f = p->fold;

	f->task[task].prio = (int)(int64_t)rec->val - 1;
	if (!f->setter)
		return;
	last_act(p, f->setter - 1)->prio = (int)rec->arg - 1;
	last_act(p, f->setter - 1)->end = rec->time;
	f->setter = 0;
}

static void take_call(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	struct fold_task *t = &p->fold->task[task];
	struct native_act *act;

	goes_on(p, task);
	act = add_act(p, task, NATIVE_LOCK, t->timeout);
	act->obj = rec->obj - 1;
	act->try = rec->arg >> 8 & LOCK_TRY;
	t->timeout = SIM_NEVER;
}

static void take_answer(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	struct native_act *act = last_act(p, task);

	goes_on(p, task);
	act->end = rec->time;
	act->result = rec->type == SIM_REC_FAIL ? (int)rec->val : 0;
	act->order = p->fold->order++;
	if (act->result == EDEADLK && !p->unclear)
		p->unclear =
			g_strdup_printf("%s answers %s with -EDEADLK, which the C library keeps to itself",
					p->lock[act->obj].name, p->task[task].name);
}

static bool has_cpu(const struct native_plan *p, uint32_t task)
{
	for (unsigned c = 0; c < p->ncpus; c++)
		if (p->fold->on_cpu[c] == task + 1)
			return true;
	return false;
}

static void take_task(struct native_plan *p, const struct sim_rec *rec, uint32_t task)
{
	struct native_act *act;

	switch (rec->type) {
	case SIM_REC_ARRIVE:
		p->fold->task[task].there = true;
		add_act(p, task, NATIVE_SLEEP, rec->time);
		spontaneous(p, task);
		return;
	case SIM_REC_EXIT:
		goes_on(p, task);
		p->fold->task[task].there = false;
		return;
	case SIM_REC_WAKEUP:
		p->fold->task[task].queued = !has_cpu(p, task);
		return;
	case SIM_REC_RUN:
		take_run(p, rec, task);
		return;
	case SIM_REC_STEP:
		take_step(p, rec, task);
		return;
	case SIM_REC_TIMER:
		take_timer(p, rec, task);
		return;
	case SIM_REC_PRIO:
		p->fold->task[task].prio = (int)(int64_t)rec->val - 1;
		return;
	case SIM_REC_SETSCHED:
		take_setsched(p, rec, task);
		return;
	case SIM_REC_CALL:
		take_call(p, rec, task);
		return;
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
		take_answer(p, rec, task);
		return;
	case SIM_REC_UNLOCK:
		goes_on(p, task);
		act = add_act(p, task, NATIVE_UNLOCK, 0);
		act->obj = rec->obj - 1;
		act->end = rec->time;
		return;
	}
}

static bool is_instant(uint16_t type)
{
	return type != SIM_REC_IRQ && type != SIM_REC_RESCHED && type != SIM_REC_THROTTLE &&
	       type != SIM_REC_IDLE_EXIT;
}

void native_plan_take(void *user, const struct sim_rec *rec)
{
	struct native_plan *p = user;

	if (!is_instant(rec->type) || p->nacts >= NATIVE_ACTS)
		return;
	to_instant(p, rec->time);
	p->fold->records++;
	if (rec->type == SIM_REC_FINDING)
		p->fold->deadlocked |= rec->arg == RUN_FINDING_deadlock;
	else if (rec->type == SIM_REC_SWITCH)
		take_switch(p, rec);
	else if (rec->task && rec->task <= p->ntask)
		take_task(p, rec, rec->task - 1);
}

void native_plan_finish(struct native_plan *p, sim_time end)
{
	p->end = end;
	if (p->fold->begun)
		close_instant(p);
	if (p->nacts >= NATIVE_ACTS && !p->unclear)
		p->unclear = g_strdup_printf("more than %d steps", NATIVE_ACTS);
}

void native_plan_free(struct native_plan *p)
{
	for (uint32_t i = 0; i < p->ntask; i++) {
		g_free((char *)p->task[i].name);
		g_free(p->task[i].cpu);
		g_array_unref(p->task[i].act);
	}
	for (uint32_t i = 0; i < p->nlock; i++)
		g_free((char *)p->lock[i].name);
	if (p->fold) {
		g_free(p->fold->task);
		g_free(p->fold->on_cpu);
		g_array_unref(p->fold->spontaneous);
		g_free(p->fold);
	}
	g_array_unref(p->at);
	g_array_unref(p->prio);
	g_free(p->unclear);
	g_free(p->used);
	g_free(p->task);
	g_free(p->lock);
	g_free(p);
}
