// SPDX-License-Identifier: GPL-2.0-or-later
/* Records -> stretches: from when to when a task did what. */
#include "sim/report/timeline_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRETCHES_MAX 400000u
#define HOW_TRY 1u
#define NICE_0 120

struct timeline *timeline_new(void)
{
	return g_new0(struct timeline, 1);
}

/* "tasks=N" and "task=INDEX PRIO POLICY [CPUS]" */
static void read_facts(struct timeline *t, const struct sim_names *names)
{
	for (uint32_t i = 0; i < names->nfacts; i++) {
		const char *fact = names->facts[i];
		unsigned task;
		int prio;

		if (!fact)
			continue;
		if (!strncmp(fact, "tasks=", 6))
			t->ntask = (uint32_t)MIN(strtoul(fact + 6, NULL, 10), t->nrow);
		else if (sscanf(fact, "task=%u %d", &task, &prio) == 2 && task < t->nrow)
			t->row[task].normal = t->row[task].prio = prio;
	}
}

void timeline_names(struct timeline *t, const struct sim_names *names)
{
	t->nrow = t->ntask = names->ntasks;
	t->nlock = names->nlocks;
	t->ncpus = names->ncpus;
	t->row = g_new0(struct timeline_row, t->nrow + 1);
	t->lock = g_new0(char *, t->nlock + 1);
	t->holders = g_new0(uint32_t, t->nlock + 1);
	for (uint32_t i = 0; i < t->nrow; i++) {
		struct timeline_row *r = &t->row[i];

		r->name = g_strdup(names->task[i] ? names->task[i] : "?");
		r->stretch = g_array_new(FALSE, FALSE, sizeof(struct timeline_stretch));
		r->inverted = g_array_new(FALSE, FALSE, sizeof(struct timeline_span));
		r->holds = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		r->normal = r->prio = NICE_0;
		r->op = TIMELINE_NONE;
		r->look = (struct timeline_look){ .lock = TIMELINE_NONE };
	}
	for (uint32_t i = 0; i < t->nlock; i++)
		t->lock[i] = g_strdup(names->lock[i] ? names->lock[i] : "?");
	read_facts(t, names);
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nrow; i++) {
		g_free(t->row[i].name);
		g_array_free(t->row[i].stretch, TRUE);
		g_array_free(t->row[i].inverted, TRUE);
		g_array_free(t->row[i].holds, TRUE);
	}
	g_strfreev(t->lock);
	g_free(t->row);
	g_free(t->holders);
	g_free(t);
}

/* -- the fold ------------------------------------------------------------------------------------- */

static struct timeline_look look_of(const struct timeline_row *r)
{
	struct timeline_look look = { .lock = TIMELINE_NONE, .cpu = r->cpu, .prio = r->prio };
	bool waits = r->op != TIMELINE_NONE && r->op_contended;

	switch (r->state) {
	case ROW_AWAY:
	case ROW_GONE:
		look.kind = TIMELINE_AWAY;
		break;
	case ROW_READY:
		look.kind = TIMELINE_READY;
		break;
	case ROW_RUNNING:
		look.kind = waits ? TIMELINE_SPIN : TIMELINE_RUN;
		break;
	case ROW_ASLEEP:
		look.kind = r->op_sleeps ? TIMELINE_WAIT : TIMELINE_AWAY;
		break;
	}
	if (look.kind == TIMELINE_WAIT || look.kind == TIMELINE_SPIN)
		look.lock = r->op;
	else if (r->holds->len)
		look.lock = g_array_index(r->holds, uint32_t, r->holds->len - 1);
	look.boosted = r->prio < r->normal;
	if (look.kind == TIMELINE_AWAY && look.lock == TIMELINE_NONE)
		look.cpu = 0, look.prio = 0, look.boosted = false;
	return look;
}

static bool same_look(const struct timeline_look *a, const struct timeline_look *b)
{
	return a->kind == b->kind && a->lock == b->lock && a->boosted == b->boosted && a->prio == b->prio &&
	       (a->cpu == b->cpu || (a->kind != TIMELINE_RUN && a->kind != TIMELINE_SPIN));
}

static void stretch_end(struct timeline *t, struct timeline_row *r, sim_time now)
{
	struct timeline_stretch s = { r->since, now, r->look }, *last;

	r->since = now;
	if (s.from == s.to)
		return;
	last = r->stretch->len ? &g_array_index(r->stretch, struct timeline_stretch, r->stretch->len - 1) : NULL;
	if (last && same_look(&last->look, &s.look)) {
		last->to = now;
		return;
	}
	g_array_append_val(r->stretch, s);
	if (++t->stretches >= STRETCHES_MAX && !t->full) {
		t->full = true;
		t->end = now;
	}
}

static void look_again(struct timeline *t, uint32_t task, sim_time now)
{
	struct timeline_row *r = &t->row[task];
	struct timeline_look look = look_of(r);

	if (same_look(&look, &r->look))
		return;
	stretch_end(t, r, now);
	r->look = look;
}

static void take_switch(struct timeline *t, const struct sim_rec *rec)
{
	if (rec->obj && rec->obj <= t->nrow) {
		struct timeline_row *r = &t->row[rec->obj - 1];

		r->state = rec->arg <= SIM_STATE_YIELDED ? ROW_READY : rec->arg == SIM_STATE_EXITED ? ROW_GONE : ROW_ASLEEP;
		if (r->state == ROW_ASLEEP && r->op != TIMELINE_NONE)
			r->op_contended = r->op_sleeps = true;
		look_again(t, rec->obj - 1, rec->time);
	}
	if (rec->task && rec->task <= t->nrow) {
		t->row[rec->task - 1].state = ROW_RUNNING;
		t->row[rec->task - 1].cpu = rec->cpu;
		look_again(t, rec->task - 1, rec->time);
	}
}

static void hold_end(struct timeline *t, uint32_t task, uint32_t lock)
{
	GArray *holds = t->row[task].holds;

	for (guint i = holds->len; i-- > 0;)
		if (g_array_index(holds, uint32_t, i) == lock) {
			g_array_remove_index(holds, i);
			t->holders[lock] -= t->holders[lock] > 0;
			return;
		}
}

static void take_lock(struct timeline *t, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct timeline_row *r;

	if (!rec->task || task >= t->nrow || !rec->obj || lock >= t->nlock)
		return;
	r = &t->row[task];
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_CALL:
		r->op = lock;
		r->op_contended = t->holders[lock] && !(rec->arg >> 8 & HOW_TRY);
		r->op_sleeps = false;
		break;
	case SIM_REC_GRANT:
		g_array_append_val(r->holds, lock);
		t->holders[lock]++;
		r->op = TIMELINE_NONE;
		break;
	case SIM_REC_FAIL:
		r->op = TIMELINE_NONE;
		break;
	case SIM_REC_UNLOCK:
		hold_end(t, task, lock);
		break;
	default:
		return;
	}
	look_again(t, task, rec->time);
}

static void take_task(struct timeline *t, const struct sim_rec *rec)
{
	struct timeline_row *r;

	if (!rec->task || rec->task > t->nrow)
		return;
	r = &t->row[rec->task - 1];
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_ARRIVE:
		r->state = r->state == ROW_AWAY ? ROW_READY : r->state;
		break;
	case SIM_REC_WAKEUP:
		r->state = r->state == ROW_ASLEEP || r->state == ROW_AWAY ? ROW_READY : r->state;
		r->op_sleeps = false;
		break;
	case SIM_REC_PRIO:
		r->prio = (int)(int64_t)rec->val - 1;
		break;
	case SIM_REC_SETSCHED:
		r->normal = (int)rec->arg - 1;
		r->prio = (int)(int64_t)rec->val - 1;
		break;
	case SIM_REC_EXIT:
		g_array_set_size(r->holds, 0);
		break;
	default:
		return;
	}
	look_again(t, rec->task - 1, rec->time);
}

void timeline_take(struct timeline *t, const struct sim_rec *rec)
{
	if (t->full)
		return;
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_SWITCH:
		take_switch(t, rec);
		break;
	case SIM_REC_CALL:
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
	case SIM_REC_UNLOCK:
		take_lock(t, rec);
		break;
	default:
		take_task(t, rec);
		break;
	}
}

/* -- the end -------------------------------------------------------------------------------------- */

static void mark_inversions(struct timeline *t, const struct story_wait *w)
{
	for (unsigned i = 0; i < w->npiece; i++) {
		const struct story_piece *p = &w->piece[i];
		struct timeline_span span = { p->from, p->to }, *last;
		GArray *list;

		if (p->piece != RUN_PIECE_inversion || w->task >= t->nrow)
			continue;
		list = t->row[w->task].inverted;
		last = list->len ? &g_array_index(list, struct timeline_span, list->len - 1) : NULL;
		if (last && last->to == span.from)
			last->to = span.to;
		else
			g_array_append_val(list, span);
	}
}

static int by_from(const void *a, const void *b)
{
	const struct timeline_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

void timeline_finish(struct timeline *t, sim_time end, const struct story *story)
{
	if (!t->full)
		t->end = end;
	for (uint32_t i = 0; i < t->nrow; i++)
		if (t->end > t->row[i].since)
			stretch_end(t, &t->row[i], t->end);
	for (unsigned i = 0; story && i < story->nwait; i++)
		mark_inversions(t, story->wait[i]);
	for (uint32_t i = 0; i < t->nrow; i++)
		g_array_sort(t->row[i].inverted, by_from);
}

bool timeline_shows(const struct timeline_row *row, sim_time from, sim_time to)
{
	for (guint i = 0; i < row->stretch->len; i++) {
		const struct timeline_stretch *s = &g_array_index(row->stretch, struct timeline_stretch, i);

		if (s->look.kind != TIMELINE_AWAY && s->from < to && s->to > from)
			return true;
	}
	return false;
}

bool timeline_uses(const struct timeline *t, uint32_t lock, sim_time from, sim_time to)
{
	for (uint32_t r = 0; r < t->nrow; r++)
		for (guint i = 0; i < t->row[r].stretch->len; i++) {
			const struct timeline_stretch *s = &g_array_index(t->row[r].stretch, struct timeline_stretch, i);

			if (s->look.lock == lock && s->from < to && s->to > from)
				return true;
		}
	return false;
}
