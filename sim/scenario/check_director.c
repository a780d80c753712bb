/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a director tells its tasks, and what it asks about them. */
#include <string.h>

#include "sim/scenario/check.h"

static struct scn_task *task_of(struct parser *p, const struct scn_stmt *s)
{
	return &p->scn->task[s->target.object];
}

/* Orders that the task carries out itself; the others reach whatever it does. */
static bool is_directing(const struct scn_stmt *s)
{
	if (s->kind != SCN_TELL)
		return false;
	return !s->body || s->body->kind == SCN_ACQUIRE || s->body->kind == SCN_UNLOCK;
}

static void check_one(struct parser *p, const struct scn_target *t, const char *name, bool indexed,
		      unsigned count)
{
	if (t->index && !indexed)
		parse_fail(p, SIM_DIAG_not_indexed, t->pos, "\"%.60s\" is a single one and takes no index", name);
	else if (!t->index && indexed)
		parse_fail(p, SIM_DIAG_not_indexed, t->pos, "\"%.60s\" is an array of %u; say which: %.60s[0]",
			   name, count, name);
	else if (t->index && parse_is_constant(t->index) && t->index->value >= count)
		parse_fail(p, SIM_DIAG_no_such_instance, t->index->pos,
			   "no %.60s[%" G_GUINT64_FORMAT "]; there are 0 to %u", name, t->index->value, count - 1);
}

static void check_park(struct parser *p, const struct scn_stmt *s)
{
	const struct scn_lock *lock = &p->scn->lock[s->body->target.object];
	unsigned caps;

	if (check_model_caps(p, lock->model, &caps) && caps & SCN_CAP_SPIN)
		parse_fail(p, SIM_DIAG_park_awake, s->body->target.pos,
			   "\"%.60s\" is a %.60s, whose waiters never sleep: there is no wake-up to park behind",
			   lock->name, lock->model);
}

static void check_step(struct parser *p, const struct scn_stmt *s)
{
	struct scn_task *task = task_of(p, s);

	if (task->director) {
		parse_fail(p, SIM_DIAG_directed_body, s->target.pos, "the director does not direct itself");
		return;
	}
	check_one(p, &s->target, task->name, task->indexed, task->count);
	if (s->kind == SCN_TELL) {
		if (s->step->park)
			check_park(p, s);
		if (is_directing(s) && task->body && !task->directed)
			parse_fail(p, SIM_DIAG_directed_body, s->target.pos,
				   "\"%.60s\" has a body of its own and cannot be told what to do", task->name);
		task->directed |= is_directing(s);
		return;
	}
	if (s->step->fact == SCN_FACT_STATE) {
		const struct scn_lock *lock = &p->scn->lock[s->step->lock.object];

		check_one(p, &s->step->lock, lock->name, lock->indexed, lock->count);
	}
	if (s->step->fact == SCN_FACT_PRIO || s->step->fact == SCN_FACT_NORMAL)
		check_sched(p, &s->step->sched, 1);
}

void check_director(struct parser *p)
{
	for (unsigned i = 0; i < p->scn->ntask; i++) {
		const struct scn_task *task = &p->scn->task[i];

		if (!task->director)
			continue;
		p->scn->directed = true;
		for (const struct scn_stmt *s = task->body; s && !parse_stopped(p); s = s->next)
			check_step(p, s);
	}
}
