/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What expectations ask to be remembered while the run goes: waits of one task for one
 * lock, the order of grants, a priority at an instant, gaps in a blocking. Nothing is
 * kept that nobody asked for, and only the record types that somebody needs come here.
 */
#include <string.h>

#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

#define BIT(type) (UINT64_C(1) << SIM_REC_##type)

static uint64_t ask_types(const struct scn_expect *e)
{
	switch (e->kind) {
	case SCN_EXPECT_WAIT:
		return BIT(GRANT) | BIT(FAIL);
	case SCN_EXPECT_GRANTS:
		return BIT(GRANT);
	case SCN_EXPECT_PRIO:
		return BIT(PRIO) | BIT(SETSCHED);
	case SCN_EXPECT_BLOCKED:
		return BIT(GRANT) | BIT(FAIL);
	case SCN_EXPECT_NEVER_RUNS:
		return BIT(SWITCH);
	case SCN_EXPECT_DONE:
		return e->text && e->has_task ? BIT(DONE) : 0;
	case SCN_EXPECT_NO_DEADLOCK:
	case SCN_EXPECT_DEADLOCK:
	case SCN_EXPECT_FINISH:
	case SCN_EXPECT_INVERSION:
	case SCN_EXPECT_FAIR:
	case SCN_EXPECT_RATIO:
	case SCN_EXPECT_COUNT:
	case SCN_EXPECT_EVENT:
	case SCN_EXPECT_RESULT:
	case SCN_EXPECT_FINDING:
	case SCN_EXPECT_NO_FINDING:
	case SCN_EXPECT_THROUGHPUT:
	case SCN_EXPECT_BUSY:
	case SCN_EXPECT_SLEEPS:
	case SCN_EXPECT_STEPS:
		break;
	}
	return 0;
}

static int attr_prio(const struct sim_attr *attr)
{
	switch (attr->policy) {
	case SIM_STOP:
		return SIM_STOP_PRIO;
	case SIM_DEADLINE:
		return SIM_DL_PRIO;
	case SIM_FIFO:
	case SIM_RR:
		return SIM_MAX_RT_PRIO - 1 - attr->rt_priority;
	case SIM_NORMAL:
	case SIM_BATCH:
	case SIM_IDLE:
		break;
	}
	return SIM_DEFAULT_PRIO + attr->nice;
}

/* -- who and what an expectation names ----------------------------------------------------------- */

static void ask_task(const struct watch *w, struct watch_ask *a, const struct scn_who *who)
{
	a->task = w->b->task_first[who->task];
	a->ntask = w->scn->task[who->task].count;
	if (who->instance >= 0) {
		a->task += (uint32_t)who->instance;
		a->ntask = 1;
	}
}

static void ask_lock(const struct watch *w, struct watch_ask *a, const struct scn_expect *e)
{
	const struct scn_lock *decl = &w->scn->lock[e->lock.object];

	if (decl->kind == SCN_BARRIER)
		return;
	a->lock = w->b->lock_first[e->lock.object];
	a->nlock = decl->count;
	if (e->lock_instance >= 0) {
		a->lock += (uint32_t)e->lock_instance;
		a->nlock = 1;
	}
}

static uint64_t ask_value(const struct watch *w, const struct scn_expr *e)
{
	return e ? bound_value(w->b, e) : 0;
}

static void ask_init(struct watch *w, struct watch_ask *a, const struct scn_expect *e)
{
	struct sim_attr attr;

	a->e = e;
	a->worst_task = WATCH_NONE;
	a->value = ask_value(w, e->value);
	a->from = ask_value(w, e->from);
	a->to = ask_value(w, e->to);
	a->at = ask_value(w, e->at);
	if (e->has_task)
		ask_task(w, a, &e->task);
	if (e->has_lock)
		ask_lock(w, a, e);
	if (e->kind == SCN_EXPECT_PRIO) {
		bound_attr(w->b, &e->sched, &attr);
		a->prio = attr_prio(&attr);
	}
	if (e->kind == SCN_EXPECT_GRANTS)
		a->grant = g_new0(uint32_t, e->nwho + 1);
	a->inst = g_new0(struct watch_ask_task, a->ntask + 1);
	for (uint32_t i = 0; i < a->ntask; i++) {
		a->inst[i].covered = a->from;
		a->inst[i].prio = w->task[a->task + i].prio;
	}
	w->track_types |= ask_types(e);
}

static bool list_expects_findings(const struct scn_expect *e, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (expect_wants(&e[i], RUN_FINDING_COUNT))
			return true;
	return false;
}

void track_init(struct watch *w)
{
	const struct scenario *scn = w->scn;
	const struct scn_compare *c = w->b->compared;
	unsigned n = 0;

	if (!scn)
		return;
	w->nask = scn->nexpect;
	w->expects_findings = c ? list_expects_findings(c->expect, c->nexpect) :
				  list_expects_findings(scn->expect, scn->nexpect);
	for (unsigned i = 0; i < scn->ncompare; i++)
		w->nask += scn->compare[i].nexpect;
	w->ask = g_new0(struct watch_ask, w->nask + 1);
	for (unsigned i = 0; i < scn->nexpect; i++)
		ask_init(w, &w->ask[n++], &scn->expect[i]);
	for (unsigned i = 0; i < scn->ncompare; i++)
		for (unsigned k = 0; k < scn->compare[i].nexpect; k++)
			ask_init(w, &w->ask[n++], &scn->compare[i].expect[k]);
}

void track_free(struct watch *w)
{
	for (unsigned i = 0; i < w->nask; i++) {
		run_dist_free(&w->ask[i].dist);
		g_free(w->ask[i].grant);
		g_free(w->ask[i].inst);
	}
	g_free(w->ask);
}

/* -- records --------------------------------------------------------------------------------------- */

static bool about_task(const struct watch_ask *a, uint32_t task)
{
	return task - a->task < a->ntask;
}

static bool about_lock(const struct watch_ask *a, uint32_t lock)
{
	return lock - a->lock < a->nlock;
}

/* A wait ended: the folds have just taken it in, and op_since still tells when it began. */
static void take_wait(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	const struct watch_task *t = &w->task[rec->task - 1];
	sim_time wait = rec->time - t->op_since;

	if (!about_task(a, rec->task - 1) || !about_lock(a, rec->obj - 1) || rec->time < w->from)
		return;
	if (rec->type == SIM_REC_FAIL && t->op_how & LOCK_TRY)
		return;
	if (!a->dist.count || wait > a->dist.max) {
		a->worst_at = rec->time;
		a->worst_task = rec->task - 1;
	}
	run_dist_add(&a->dist, wait);
}

static void take_blocked(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	const struct watch_task *t = &w->task[rec->task - 1];
	struct watch_ask_task *i;

	if (!about_task(a, rec->task - 1) || (a->e->has_lock && !about_lock(a, rec->obj - 1)))
		return;
	i = &a->inst[rec->task - 1 - a->task];
	if (t->op_since <= i->covered && rec->time > i->covered)
		i->covered = rec->time;
}

static void take_grant(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	if (!about_lock(a, rec->obj - 1) || a->ngrant == a->e->nwho)
		return;
	a->grant[a->ngrant++] = rec->task - 1;
	a->grant_at = rec->time;
}

static void take_prio(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	struct watch_ask_task *i;

	if (!about_task(a, rec->task - 1) || rec->time > a->at)
		return;
	i = &a->inst[rec->task - 1 - a->task];
	i->prio = w->task[rec->task - 1].prio;
	i->prio_since = rec->time;
}

/* It ran from hit_at (while !hit) to now, if it was the one that is switched out. */
static void take_switch(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	struct watch_ask_task *i;

	if (rec->obj && about_task(a, rec->obj - 1)) {
		i = &a->inst[rec->obj - 1 - a->task];
		if (!i->hit && rec->time > a->from && i->hit_at < a->to && rec->time > i->hit_at) {
			i->hit = true;
			if (i->hit_at < a->from)
				i->hit_at = a->from;
		}
	}
	if (rec->task && about_task(a, rec->task - 1)) {
		i = &a->inst[rec->task - 1 - a->task];
		if (!i->hit)
			i->hit_at = rec->time;
	}
}

static void take_done(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	if (about_task(a, rec->task - 1) && rec->time >= w->from && rec->obj &&
	    rec->obj < w->scn->ndone_name && !strcmp(w->scn->done_name[rec->obj], a->e->text))
		a->inst[rec->task - 1 - a->task].done++;
}

static void ask_take(struct watch *w, struct watch_ask *a, const struct sim_rec *rec)
{
	switch (a->e->kind) {
	case SCN_EXPECT_WAIT:
		take_wait(w, a, rec);
		break;
	case SCN_EXPECT_GRANTS:
		take_grant(w, a, rec);
		break;
	case SCN_EXPECT_PRIO:
		take_prio(w, a, rec);
		break;
	case SCN_EXPECT_BLOCKED:
		take_blocked(w, a, rec);
		break;
	case SCN_EXPECT_NEVER_RUNS:
		take_switch(w, a, rec);
		break;
	case SCN_EXPECT_DONE:
		take_done(w, a, rec);
		break;
	case SCN_EXPECT_NO_DEADLOCK:
	case SCN_EXPECT_DEADLOCK:
	case SCN_EXPECT_FINISH:
	case SCN_EXPECT_INVERSION:
	case SCN_EXPECT_FAIR:
	case SCN_EXPECT_RATIO:
	case SCN_EXPECT_COUNT:
	case SCN_EXPECT_EVENT:
	case SCN_EXPECT_RESULT:
	case SCN_EXPECT_FINDING:
	case SCN_EXPECT_NO_FINDING:
	case SCN_EXPECT_THROUGHPUT:
	case SCN_EXPECT_BUSY:
	case SCN_EXPECT_SLEEPS:
	case SCN_EXPECT_STEPS:
		break;
	}
}

void track_take(struct watch *w, const struct sim_rec *rec)
{
	for (unsigned i = 0; i < w->nask; i++)
		if (ask_types(w->ask[i].e) >> rec->type & 1)
			ask_take(w, &w->ask[i], rec);
}
