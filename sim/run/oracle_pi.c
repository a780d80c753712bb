/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PI integrity: the effective priority of a task is the best of its own normal priority
 * and those of the tasks that sleep in the PI locks it holds; those are boosted
 * themselves, so the rule is transitive.
 *
 * It need not hold while a chain walk is under way: while somebody awake is inside an
 * operation on a lock of the chain, or a `set` has changed a priority and not told the
 * locks yet. Such tasks are looked at later, when the operation has ended.
 *
 * Proxy execution promises no priorities: there it is looked at who executes in whose turn.
 */
#include <string.h>

#include "sim/machine/machine.h"
#include "sim/machine/sched.h"
#include "sim/run/watch_impl.h"

/* All fair tasks are equal: which of several nice levels is inherited is left open. */
static int urgency(int prio)
{
	return prio < SIM_MAX_RT_PRIO ? prio : SIM_DEFAULT_PRIO;
}

#define WALK_MAX 64 /* tasks and locks that one check may visit */
#define QUEUE_MAX 64u /* of longer queues so few are looked through that it comes to so many steps per check */

static bool is_pi(const struct watch *w, const struct watch_hold *h)
{
	return w->lock[h->lock].caps & LOCK_CAP_PI && h->mode == LOCK_EXCLUSIVE;
}

/* A lock that lends priority by rules of its own: it is told of changes, and claims nothing. */
static bool has_own_rules(const struct watch *w, uint32_t lock)
{
	return w->lock[lock].model->prio_changed && !(w->lock[lock].caps & LOCK_CAP_PI);
}

/* Is a walk under way on anything that leads to @task? Undecided counts as yes. */
static bool in_flight(const struct watch *w, uint32_t task, unsigned *budget)
{
	for (const struct watch_hold *h = w->task[task].holds; h; h = h->next_task) {
		const struct watch_lock *l = &w->lock[h->lock];

		if (!is_pi(w, h) && !has_own_rules(w, h->lock))
			continue;
		if (l->awake_inside || !(*budget)--)
			return true;
		if (!l->nwait_holding) /* nothing leads further */
			continue;
		for (unsigned m = 0; m < 2; m++)
			for (uint32_t i = l->first_wait[m]; i != WATCH_NONE; i = w->task[i].next_wait) {
				if (*budget == 0)
					return true;
				(*budget)--;
				if (in_flight(w, i, budget))
					return true;
			}
	}
	return false;
}

/* The best priority among those who wait for what @task holds; *@who, *@lock: whose, where. */
static int inherited(const struct watch *w, uint32_t task, uint32_t *who, uint32_t *lock)
{
	int best = INT_MAX;

	for (const struct watch_hold *h = w->task[task].holds; h; h = h->next_task) {
		if (!is_pi(w, h))
			continue;
		for (uint32_t i = w->lock[h->lock].first_wait[LOCK_EXCLUSIVE]; i != WATCH_NONE;
		     i = w->task[i].next_wait) {
			int prio = urgency(watch_shared(w, i)->prio);

			if (prio < best) {
				best = prio;
				*who = i;
				*lock = h->lock;
			}
		}
	}
	return best;
}

/* Does it hold one, or have a part of one already while it waits for the rest (a writer that waits for readers)? */
static bool lent_otherwise(const struct watch *w, uint32_t task)
{
	if (w->task[task].op == WATCH_OP_LOCK && has_own_rules(w, w->task[task].op_lock))
		return true;
	for (const struct watch_hold *h = w->task[task].holds; h; h = h->next_task)
		if (has_own_rules(w, h->lock))
			return true;
	return false;
}

/* Is it not the turn of a long queue? */
static bool too_long(struct watch *w, uint32_t task)
{
	unsigned n = 0;

	for (const struct watch_hold *h = w->task[task].holds; h; h = h->next_task)
		n += w->lock[h->lock].nwait;
	return n > QUEUE_MAX && w->pi_turn++ % (n / QUEUE_MAX + 1);
}

static void check_task(struct watch *w, uint32_t task)
{
	const struct sim_shared *s = watch_shared(w, task);
	uint32_t who = WATCH_NONE, lock = WATCH_NONE;
	unsigned budget = WALK_MAX;
	int best, ceiling;

	if (!s || w->task[task].state == WATCH_GONE)
		return;
	if (w->task[task].op != WATCH_OP_NONE && w->task[task].state != WATCH_ASLEEP)
		return; /* its own unlock may be deboosting it right now */
	if (w->task[task].op == WATCH_OP_LOCK && watch_free_lock(&w->lock[w->task[task].op_lock]))
		return; /* it may be the pending owner, to whom the others lend already */
	if (in_flight(w, task, &budget) || lent_otherwise(w, task) || too_long(w, task))
		return;
	best = inherited(w, task, &who, &lock);
	ceiling = w->b->task[task].task ? w->b->task[task].task->ceiling : SIM_NO_CEILING;
	if (ceiling < best) {
		best = ceiling;
		who = WATCH_NONE;
	}
	if (urgency(s->prio) == MIN(best, urgency(s->normal_prio)) || !watch_wants(w, RUN_FINDING_pi))
		return;
	if (best < urgency(s->normal_prio) && who == WATCH_NONE)
		watch_report(w, RUN_FINDING_pi, task, WATCH_NONE,
			     g_strdup_printf("%s has priority %d but should have %d, the ceiling of what it holds\n"
					     "  kernel numbers: smaller is stronger; its own is %d",
					     w->b->task[task].name, s->prio, best, s->normal_prio));
	else if (best < urgency(s->normal_prio))
		watch_report(w, RUN_FINDING_pi, task, lock,
			     g_strdup_printf(
				     "%s has priority %d but should have %d, that of %s, who waits for %s\n"
				     "  kernel numbers: smaller is stronger; its own is %d",
				     w->b->task[task].name, s->prio, best, w->b->task[who].name,
				     w->b->lock[lock].name, s->normal_prio));
	else
		watch_report(w, RUN_FINDING_pi, task, WATCH_NONE,
			     g_strdup_printf("%s has priority %d but should have its own, %d: nobody more "
					     "urgent waits for "
					     "what it holds\n  kernel numbers: smaller is stronger",
					     w->b->task[task].name, s->prio, s->normal_prio));
}

/* The exclusive owners of @lock, and whoever they wait for, as far as the chain goes. */
static void check_chain(struct watch *w, uint32_t lock)
{
	for (unsigned depth = 0; depth < WALK_MAX; depth++) {
		const struct watch_hold *h = w->lock[lock].oldest;
		const struct watch_task *t;

		if (!h || !(w->lock[lock].caps & LOCK_CAP_PI) || h->mode != LOCK_EXCLUSIVE)
			return;
		check_task(w, h->task);
		t = &w->task[h->task];
		if (t->op != WATCH_OP_LOCK || t->state != WATCH_ASLEEP)
			return;
		lock = t->op_lock;
	}
}

/* -- proxy execution ------------------------------------------------------------------------------------ */

/*
 * A donor of proxy execution lets @task execute in its turn: that has to be on the donor's chain. Who is inside an
 * operation, may own by its word what the records do not know yet.
 */
static void check_proxy(struct watch *w, uint32_t task, uint32_t donor)
{
	uint32_t end = donor;

	for (uint32_t n = 0; n < w->nall && w->task[end].op == WATCH_OP_LOCK; n++) {
		const struct watch_hold *h = w->lock[w->task[end].op_lock].oldest;

		if (!h || !w->b->lock[w->task[end].op_lock].lends || w->lock[w->task[end].op_lock].caps & LOCK_CAP_PI)
			return;
		end = h->task;
		if (end == task)
			return;
	}
	if (end == donor || w->task[end].op != WATCH_OP_NONE || w->task[task].op != WATCH_OP_NONE ||
	    !watch_wants(w, RUN_FINDING_pi))
		return;
	watch_report(w, RUN_FINDING_pi, task, w->task[donor].op_lock,
		     g_strdup_printf("%s executes in the turn of %s, who waits for %s and not for it",
				     w->b->task[task].name, w->b->task[donor].name, w->b->task[end].name));
}

/* -- priorities that were set ------------------------------------------------------------------------- */

/* `set` runs on a fiber of the setting task; until that returns, the locks may not have been told. */
static bool still_setting(const struct watch *w, uint32_t setter)
{
	const struct sim_task *s = setter == WATCH_NONE ? NULL : w->b->task[setter].task;

	return s && s->exec == SIM_EXEC_FIBER && w->task[setter].op == WATCH_OP_NONE;
}

static void note_set(struct watch *w, uint32_t task)
{
	uint32_t cpu = w->rec->cpu;

	if (w->nset == WATCH_SETS)
		w->nset--; /* forget one: it is looked at when its locks are used next */
	w->set[w->nset].task = task;
	w->set[w->nset++].setter = cpu < w->ncpu ? w->cpu[cpu].curr : WATCH_NONE;
}

/* Looks at those whose `set` is over. True: some are not. */
static bool pending_sets(struct watch *w)
{
	for (unsigned i = 0; i < w->nset;) {
		if (still_setting(w, w->set[i].setter)) {
			i++;
			continue;
		}
		uint32_t due = w->set[i].task;

		w->set[i] = w->set[--w->nset];
		if (!w->nset)
			check_task(w, due);
	}
	return w->nset > 0;
}

static void look_after(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_PRIO) {
		if (w->rec->type == SIM_REC_SETSCHED)
			note_set(w, task);
		else if (w->rec->obj && w->rec->obj <= w->b->ntask)
			check_proxy(w, task, w->rec->obj - 1);
		return;
	}
	if (!w->nurgent) /* nothing to inherit, and nobody who has more than the others */
		return;
	if (w->nset && pending_sets(w))
		return;
	if (moment == WATCH_ON_WAKE || moment == WATCH_ON_AFTER_SET)
		return;
	if (moment == WATCH_ON_STILL || moment == WATCH_ON_END) {
		for (uint32_t i = 0; i < w->ntask; i++)
			check_task(w, i);
		return;
	}
	if (!(w->lock[lock].caps & LOCK_CAP_PI))
		return;
	if (moment == WATCH_ON_UNLOCKED || moment == WATCH_ON_GRANT)
		check_task(w, task);
	if (moment == WATCH_ON_FAIL || (moment != WATCH_ON_UNLOCKED && w->lock[lock].nwait))
		check_chain(w, lock);
}

/* With a ceiling, a task of the fair classes can be owed priority though nobody else has any. */
static bool has_ceiling(const struct lock_model *m)
{
	for (const struct lock_param *p = m->params; p && p->name; p++)
		if (!strcmp(p->name, "ceiling"))
			return true;
	return false;
}

static bool lends_any(const struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		if (w->b->lock[i].lends)
			return true;
	return false;
}

static bool attach_pi(struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		w->nurgent += has_ceiling(w->lock[i].model);
	return (watch_any_caps(w, LOCK_CAP_PI) || lends_any(w)) && w->nall && watch_shared(w, 0);
}

static void look_pi(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	w->actor = task == WATCH_NONE ? 0 : task + 1;
	look_after(w, moment, task, lock);
	w->actor = 0;
}

const struct watch_oracle oracle_pi = {
	.name = "pi-integrity",
	.moments = WATCH_BIT(GRANT) | WATCH_BIT(FAIL) | WATCH_BIT(UNLOCKED) | WATCH_BIT(SLEEP) |
		   WATCH_BIT(WAKE) | WATCH_BIT(PRIO) | WATCH_BIT(AFTER_SET) | WATCH_BIT(STILL) | WATCH_BIT(END),
	.attach = attach_pi,
	.look = look_pi,
};
