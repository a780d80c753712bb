/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priority ceilings from the text: who takes a lock, and how strong can it become? */
#include <glib.h>

#include "sim/scenario/scenario.h"

#define STRONGEST 99u

/* What is said of instances beyond the first ones of an array is left out: their numbers seldom differ. */
#define INSTANCES 1024u

static uint64_t strength(const struct scenario *scn, const struct scn_sched *sched, uint64_t count)
{
	uint64_t best = 0, value;

	if (sched->policy != SCN_POLICY_FIFO && sched->policy != SCN_POLICY_RR)
		return 0;
	for (uint64_t i = 0; i < count && i < INSTANCES; i++) {
		if (!scn_instance_value(scn, sched->priority, i, &value))
			return STRONGEST; /* drawn or counted while it runs */
		best = MAX(best, value);
	}
	return best;
}

struct which {
	uint32_t lock, instance;
};

/* An index that is not a plain number may mean any instance. */
static bool names(const struct scn_target *target, const struct which *w)
{
	return target->object == w->lock &&
	       (!target->index || target->index->kind != SCN_LITERAL || target->index->value == w->instance);
}

static bool acquires(const struct scn_stmt *list, const struct which *w)
{
	for (const struct scn_stmt *s = list; s; s = s->next) {
		if ((s->kind == SCN_ACQUIRE || s->kind == SCN_HOLD) && names(&s->target, w))
			return true;
		if (acquires(s->orelse, w) || (s->kind != SCN_TELL && acquires(s->body, w)))
			return true;
		for (unsigned i = 0; i < s->nbranch; i++)
			if (acquires(s->branch[i].body, w))
				return true;
	}
	return false;
}

/* The director's orders are its own statements, one after the other. */
static bool is_told(const struct scenario *scn, uint32_t task, const struct which *w)
{
	for (uint32_t i = 0; i < scn->ntask; i++)
		for (const struct scn_stmt *s = scn->task[i].director ? scn->task[i].body : NULL; s; s = s->next)
			if (s->kind == SCN_TELL && s->target.object == task && acquires(s->body, w))
				return true;
	return false;
}

/* The strongest priority that @list sets @task to. */
static uint64_t set_to(const struct scenario *scn, const struct scn_stmt *list, uint32_t task, uint64_t count)
{
	uint64_t best = 0;

	for (const struct scn_stmt *s = list; s; s = s->next) {
		if (s->kind == SCN_SET && s->target.object == task)
			best = MAX(best, strength(scn, &s->sched, count));
		best = MAX(best, set_to(scn, s->body, task, count));
		best = MAX(best, set_to(scn, s->orelse, task, count));
		for (unsigned i = 0; i < s->nbranch; i++)
			best = MAX(best, set_to(scn, s->branch[i].body, task, count));
	}
	return best;
}

uint64_t scn_ceiling(const struct scenario *scn, uint32_t lock, uint32_t instance)
{
	struct which w = {lock, instance};
	uint64_t best = 0;

	for (uint32_t i = 0; i < scn->ntask; i++) {
		const struct scn_task *task = &scn->task[i];

		if (!acquires(task->body, &w) && !is_told(scn, i, &w))
			continue;
		best = MAX(best, strength(scn, &task->sched, task->count));
		for (uint32_t j = 0; j < scn->ntask; j++)
			best = MAX(best, set_to(scn, scn->task[j].body, i, scn->task[j].count));
	}
	return best;
}
