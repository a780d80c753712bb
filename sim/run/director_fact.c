// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking at a task for the director, and saying what was seen. */
#include <string.h>

#include "sim/machine/sched.h"
#include "sim/run/director_impl.h"

static const char *const state_name[] = {
	[SCN_LOCK_FREE] = "free", [SCN_LOCK_TRYING] = "trying", [SCN_LOCK_BLOCKED] = "blocked",
	[SCN_LOCK_PARKED] = "parked", [SCN_LOCK_HELD] = "holds",
};

static bool related(enum scn_rel rel, int64_t seen, int64_t value)
{
	switch (rel) {
	case SCN_LE:
		return seen <= value;
	case SCN_LT:
		return seen < value;
	case SCN_EQ:
		return seen == value;
	case SCN_GE:
		return seen >= value;
	case SCN_GT:
		return seen > value;
	case SCN_NE:
		return seen != value;
	}
	return false;
}

static void put_prio(GString *s, int prio)
{
	if (prio < 0)
		g_string_append(s, "deadline");
	else if (prio < SIM_MAX_RT_PRIO)
		g_string_append_printf(s, "fifo %d", 99 - prio);
	else
		g_string_append_printf(s, "nice %d", prio - 120);
}

static void put_result(GString *s, int result)
{
	const char *name = result < 0 ? strerrorname_np(-result) : NULL;

	if (name)
		g_string_append_printf(s, "-%s", name);
	else if (result == SCN_RESULT_BUSY)
		g_string_append(s, "busy");
	else
		g_string_append_printf(s, "%d", result);
}

/* What T did last, or that it is still at it. A parked task takes orders. */
static int result_of(const struct directed *d)
{
	return (d->busy && !d->parked) || d->told ? SCN_RESULT_BUSY : d->result;
}

static bool state_is(const struct run_bound *b, const struct prog_asked *asked, const struct directed *d, GString *seen)
{
	enum scn_lock_state state = d->state[asked->lock];

	g_string_append_printf(seen, "%s %s %s", b->task[asked->task].name, state_name[state], b->lock[asked->lock].name);
	return state == asked->stmt->step->state;
}

bool director_is_so(const struct run_bound *b, const struct prog_asked *asked, GString *seen)
{
	const struct scn_step *step = asked->stmt->step;
	const struct directed *d = b->program->task[asked->task].directed;
	const struct sim_shared *s = b->task[asked->task].task->shared;
	int prio = s->prio;

	switch (step->fact) {
	case SCN_FACT_STATE:
		return state_is(b, asked, d, seen);
	case SCN_FACT_NORMAL:
		prio = s->normal_prio;
		__attribute__((fallthrough));
	case SCN_FACT_PRIO: /* the stronger is the greater */
		put_prio(seen, prio);
		return related(step->rel, -prio, -asked->prio);
	case SCN_FACT_RESULT:
		put_result(seen, result_of(d));
		return related(step->rel, result_of(d), step->value);
	case SCN_FACT_EVENT:
		g_string_append_printf(seen, "event %" G_GUINT64_FORMAT, d->event);
		return related(step->rel, (int64_t)d->event, step->value);
	}
	return false;
}
