// SPDX-License-Identifier: GPL-2.0-or-later
/* Held side by side: answers of locks, order of grants, priorities, and times. */
#include "sim/cli/native.h"

#include <inttypes.h>
#include <string.h>

#include "sim/report/story.h"

#define DIFFERENCES 20

struct grant {
	uint32_t order, task, lock;
};

struct judge {
	const struct native_plan *p;
	const struct native_how *how;
	const struct native_log *log;
	struct native_verdict *v;
};

static void differs(struct judge *j, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void differs(struct judge *j, const char *fmt, ...)
{
	va_list args;

	if (j->v->difference->len >= DIFFERENCES)
		return;
	va_start(args, fmt);
	g_ptr_array_add(j->v->difference, g_strdup_vprintf(fmt, args));
	va_end(args);
}

static const char *answer(int error)
{
	return error == ETIMEDOUT ? "-ETIMEDOUT"
	       : error == EBUSY   ? "-EBUSY"
	       : error == EDEADLK ? "-EDEADLK"
	       : error            ? "an error"
				  : "the lock";
}

/* -- answers --------------------------------------------------------------------------------------- */

static void judge_lock(struct judge *j, const struct native_task *t, const struct native_act *act)
{
	const struct native_outcome *out = &j->log->out[act->index];
	const char *lock = j->p->lock[act->obj].name;
	char text[SIM_TIME_CHARS];

	if (act->end == SIM_NEVER) {
		if (out->end_ns >= 0)
			differs(j, "%s got %s of %s, where the simulation waits to the end", t->name,
				answer(out->result), lock);
		return;
	}
	sim_time_format(text, act->end);
	if (out->end_ns < 0)
		differs(j, "%s never came back from %s; in the simulation at %s", t->name, lock, text);
	else if (out->result != act->result)
		differs(j, "%s got %s of %s; in the simulation %s, at %s", t->name, answer(out->result), lock,
			answer(act->result), text);
	else if (act->result)
		j->v->failures++;
	else
		j->v->grants++;
}

static void judge_time(struct judge *j, const struct native_task *t, const struct native_act *act,
		       int64_t tolerance_ns)
{
	const struct native_outcome *out = &j->log->out[act->index];
	char text[SIM_TIME_CHARS];
	int64_t off;

	if (act->end == SIM_NEVER || out->end_ns < 0)
		return;
	off = out->end_ns - native_scale(j->how, act->end);
	if (ABS(off) > ABS(j->v->off_ns))
		j->v->off_ns = off;
	if (ABS(off) > tolerance_ns)
		differs(j, "%s: what ends at %s in the simulation ended %" PRId64 " us %s", t->name,
			sim_time_format(text, act->end), ABS(off) / 1000, off < 0 ? "early" : "late");
}

/* -- order ----------------------------------------------------------------------------------------- */

static int by_order(gconstpointer a, gconstpointer b)
{
	const struct grant *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Grants in the order of the simulation, or in that of the log. */
static GArray *grants_of(const struct judge *j, bool native)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct grant));

	for (uint32_t t = 0; t < j->p->ntask; t++)
		for (guint i = 0; i < j->p->task[t].act->len; i++) {
			const struct native_act *act =
				&g_array_index(j->p->task[t].act, struct native_act, i);
			const struct native_outcome *out = &j->log->out[act->index];
			struct grant g = {
				.order = native ? out->order : act->order, .task = t, .lock = act->obj};

			if (act->kind == NATIVE_LOCK && (native ? out->end_ns >= 0 && !out->result
								: act->end != SIM_NEVER && !act->result))
				g_array_append_val(list, g);
		}
	g_array_sort(list, by_order);
	return list;
}

static char *sequence(const struct native_plan *p, const GArray *grants, uint32_t lock)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < grants->len; i++) {
		const struct grant *g = &g_array_index(grants, struct grant, i);

		if (g->lock == lock)
			g_string_append_printf(s, "%s%s", s->len ? " " : "", p->task[g->task].name);
	}
	return g_string_free(s, FALSE);
}

static void judge_order(struct judge *j)
{
	g_autoptr(GArray) wanted = grants_of(j, false), seen = grants_of(j, true);
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < j->p->nlock; i++) {
		g_autofree char *a = sequence(j->p, wanted, i), *b = sequence(j->p, seen, i);

		if (strcmp(a, b))
			differs(j, "%s was granted to: %s; in the simulation to: %s", j->p->lock[i].name, b,
				a);
		g_string_append_printf(text, "%s%s: %s", text->len ? "\n" : "", j->p->lock[i].name, b);
	}
	j->v->grants_text = g_string_free(text, FALSE);
}

/* -- priorities ------------------------------------------------------------------------------------ */

static void judge_prios(struct judge *j)
{
	const struct native_plan *p = j->p;

	for (guint i = 0; i < p->at->len; i++)
		for (uint32_t t = 0; t < p->ntask; t++) {
			int wanted = g_array_index(p->prio, int, i * p->ntask + t),
			    seen = j->log->seen[i * p->ntask + t];
			int before = i ? g_array_index(p->prio, int, (i - 1) * p->ntask + t) : NATIVE_ABSENT;
			g_autoptr(GString) a = g_string_new(NULL), b = g_string_new(NULL);
			char text[SIM_TIME_CHARS];

			if (wanted == NATIVE_ABSENT)
				continue;
			j->v->looks++;
			j->v->boosts += before != NATIVE_ABSENT && wanted < before;
			j->v->deboosts += before != NATIVE_ABSENT && wanted > before;
			if (wanted == seen)
				continue;
			report_prio(a, wanted);
			report_prio(b, seen);
			differs(j, "%s had %s behind %s; in the simulation %s", p->task[t].name,
				seen == NATIVE_ABSENT ? "no priority" : b->str,
				sim_time_format(text, g_array_index(p->at, sim_time, i)), a->str);
		}
}

struct native_verdict *native_judge(const struct native_plan *p, const struct native_how *how,
				    const struct native_log *log, int64_t tolerance_ns)
{
	struct native_verdict *v = g_new0(struct native_verdict, 1);
	struct judge j = {.p = p, .how = how, .log = log, .v = v};

	v->difference = g_ptr_array_new_with_free_func(g_free);
	judge_order(&j);
	for (uint32_t t = 0; t < p->ntask; t++)
		for (guint i = 0; i < p->task[t].act->len; i++) {
			const struct native_act *act = &g_array_index(p->task[t].act, struct native_act, i);

			if (act->kind == NATIVE_LOCK)
				judge_lock(&j, &p->task[t], act);
		}
	judge_prios(&j);
	for (uint32_t t = 0; t < p->ntask; t++)
		for (guint i = 0; i < p->task[t].act->len; i++)
			judge_time(&j, &p->task[t], &g_array_index(p->task[t].act, struct native_act, i),
				   tolerance_ns);
	return v;
}

void native_verdict_free(struct native_verdict *v)
{
	if (!v)
		return;
	g_ptr_array_unref(v->difference);
	g_free(v->grants_text);
	g_free(v);
}
