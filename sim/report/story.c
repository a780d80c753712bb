// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The story of a wait as text.
 *
 *   1. distribution (fifo 6) waited 33ms for buffer (mutex), from 110ms to 143ms
 *        110ms  +10ms  inversion   weather (fifo 1) holds it and is kept off its CPU
 *                                  cpu0 runs radio (fifo 4) instead
 *        ...
 *      20ms inversion, 13ms holder
 *      what it means, in sentences
 *
 * The chain is told again only where its tasks and locks have changed.
 */
#include "sim/report/story.h"

#include <string.h>

#include "sim/report/parts.h"
#include "sim/report/table.h"

#define RT_PRIOS 100 /* kernel numbers below are FIFO, RR */
#define NICE_0 120
#define PIECES_SHOWN 40 /* of a longer wait, the beginning and the end */
#define PIECES_TAIL 8
#define NAMES_SHOWN 8

void report_prio(GString *out, int prio)
{
	if (prio < 0)
		g_string_append(out, "deadline");
	else if (prio < RT_PRIOS)
		g_string_append_printf(out, "fifo %d", RT_PRIOS - 1 - prio);
	else
		g_string_append_printf(out, "nice %d", prio - NICE_0);
}

void report_time(GString *out, sim_time t)
{
	char text[SIM_TIME_CHARS];

	g_string_append(out, sim_time_format_short(text, t, 3));
}

const char *report_piece(enum run_piece piece)
{
	static const char *const name[RUN_PIECE_COUNT] = {
#define X(id, meaning) [RUN_PIECE_##id] = #id,
		RUN_PIECES(X)
#undef X
	};

	return piece == RUN_PIECE_hand_over ? "hand-over" : name[piece];
}

/* -- a page of one story ---------------------------------------------------------------------- */

struct telling {
	const struct page *page;
	const struct story *s;
	const struct story_wait *wait;
	const struct story_piece *before; /* the piece told last, or NULL */
	unsigned from, len, kind;	  /* columns of the table of pieces */
};

static const char *task_of(const struct story *s, uint32_t task)
{
	return task < s->ntask ? s->task_name[task] : "?";
}

static const char *lock_of(const struct story *s, uint32_t lock)
{
	return lock < s->nlock ? s->lock_name[lock] : "?";
}

static void put_task(GString *out, const struct story *s, uint32_t task, int prio)
{
	g_string_append_printf(out, "%s (", task_of(s, task));
	report_prio(out, prio);
	g_string_append_c(out, ')');
}

/* "weather (fifo 6, by itself fifo 1)" */
static void put_link(GString *out, const struct story *s, const struct story_link *l)
{
	g_string_append_printf(out, "%s (", task_of(s, l->task));
	report_prio(out, l->prio);
	if (l->prio < l->normal) {
		g_string_append(out, ", boosted from ");
		report_prio(out, l->normal);
	}
	g_string_append_c(out, ')');
}

/* Begins a line of the right column. */
static void new_line(struct telling *t)
{
	g_string_append_printf(t->page->out, "\n%*s", (int)(4 + t->from + 2 + t->len + 2 + t->kind + 2), "");
}

static bool same_chain(const struct story_piece *a, const struct story_piece *b)
{
	if (!a || a->nlink != b->nlink || a->left_out != b->left_out)
		return false;
	for (unsigned i = 0; i < a->nlink; i++)
		if (a->link[i].task != b->link[i].task || a->link[i].lock != b->link[i].lock ||
		    (i && a->link[i].prio != b->link[i].prio) ||
		    (a->link[i].lock != STORY_NONE && a->link[i].state != b->link[i].state))
			return false;
	return true;
}

/* What the end of the chain does. */
static void put_state(GString *out, const struct story_piece *p, const struct story_link *end)
{
	switch (p->piece) {
	case RUN_PIECE_holder:
	case RUN_PIECE_chain:
		g_string_append_printf(out, " runs on cpu%u", end->cpu);
		return;
	case RUN_PIECE_inversion:
	case RUN_PIECE_preempted:
		g_string_append(out, " is runnable and does not run");
		return;
	case RUN_PIECE_asleep:
		g_string_append(out, end->state == STORY_GONE ? " has exited" : " sleeps");
		return;
	case RUN_PIECE_dispatch:
		g_string_append(out, " is runnable and about to run");
		return;
	case RUN_PIECE_irq:
		g_string_append_printf(out, " is interrupted on cpu%u", end->cpu);
		return;
	case RUN_PIECE_throttled:
		g_string_append(out, " is throttled");
		return;
	case RUN_PIECE_hand_over:
	case RUN_PIECE_self:
	case RUN_PIECE_COUNT:
		return;
	}
}

/* Nobody is in the way: the lock is free, or the waiter is not told, or it spins. */
static void put_alone(struct telling *t, const struct story_piece *p)
{
	const struct story_link *l = &p->link[0];
	GString *out = t->page->out;
	const char *lock = lock_of(t->s, t->wait->lock), *name = task_of(t->s, l->task);

	if (p->piece == RUN_PIECE_asleep && t->s->ownerless[t->wait->lock]) {
		g_string_append_printf(out, "nobody owns %s: it waits for whoever gives it", lock);
	} else if (p->piece == RUN_PIECE_asleep) {
		g_string_append_printf(out, "%s waits for itself", name);
	} else if (l->state == STORY_RUNNING) {
		g_string_append_printf(out, "%s is free, %s runs on cpu%u to take it", lock, name, l->cpu);
	} else if (l->state == STORY_READY) {
		g_string_append_printf(out, "%s is free, %s is awake and not yet running", lock, name);
	} else {
		g_string_append_printf(out, "%s is free, %s sleeps still", lock, name);
	}
}

static const char *waits_how(const struct story_link *l)
{
	if (l->state == STORY_ASLEEP)
		return "sleeps in";
	return l->state == STORY_RUNNING ? "spins for" : "is awake, off its CPU, and waits for";
}

/* a waits for L held by b (fifo 1), who waits for M held by c (fifo 3) */
static void put_chain(struct telling *t, const struct story_piece *p)
{
	GString *out = t->page->out;
	bool again = same_chain(t->before, p);

	for (unsigned i = 0; !again && i + 1 < p->nlink; i++) {
		const struct story_link *l = &p->link[i];

		if (i)
			new_line(t);
		if (p->left_out && i + 2 == p->nlink) {
			g_string_append_printf(out, "... %u more links ...", p->left_out);
			new_line(t);
		}
		g_string_append_printf(out, "%s %s %s%s, %s ", task_of(t->s, l->task), waits_how(l), lock_of(t->s, l->lock),
				       l->shared ? " (shared)" : "",
				       l->barred ? "which is free but for the ceiling of what is held by" : "held by");
		put_link(out, t->s, &p->link[i + 1]);
	}
	if (!again)
		new_line(t);
	if (p->link[p->nlink - 1].lock != STORY_NONE && p->nlink > 1) {
		g_string_append(out, "the chain closes here: nobody in it will ever run");
		return;
	}
	g_string_append(out, task_of(t->s, p->link[p->nlink - 1].task));
	put_state(out, p, &p->link[p->nlink - 1]);
}

static void put_runners(struct telling *t, const struct story_piece *p)
{
	GString *out = t->page->out;

	for (unsigned i = 0; i < p->nrunner; i++) {
		const struct story_runner *r = &p->runner[i];

		if (!r->culprit && p->piece == RUN_PIECE_inversion)
			continue;
		new_line(t);
		g_string_append_printf(out, "cpu%u runs ", r->cpu);
		put_task(out, t->s, r->task, r->prio);
		if (r->culprit && r->holds != STORY_NONE)
			g_string_append_printf(out, ", in its section of %s", lock_of(t->s, r->holds));
		else if (r->culprit)
			g_string_append(out, ", a stranger to this wait");
	}
}

static void put_piece(struct telling *t, const struct story_piece *p)
{
	g_autoptr(GString) from = g_string_new(NULL), len = g_string_new("+");
	GString *out = t->page->out;
	const char *on = t->page->colour && p->piece == RUN_PIECE_inversion ? "\033[31m" : "";

	report_time(from, p->from);
	report_time(len, p->to - p->from);
	g_string_append_printf(out, "\n    %*s  %*s  %s%-*s%s  ", (int)t->from, from->str, (int)t->len, len->str, on,
			       (int)t->kind, report_piece(p->piece), *on ? "\033[0m" : "");
	if (p->nlink > 1)
		put_chain(t, p);
	else
		put_alone(t, p);
	put_runners(t, p);
	t->before = p;
}

static void put_boost(struct telling *t, const struct story_boost *b)
{
	g_autoptr(GString) at = g_string_new(NULL);
	GString *out = t->page->out;

	report_time(at, b->at);
	g_string_append_printf(out, "\n    %*s  %*s  %-*s  %s from ", (int)t->from, at->str, (int)t->len, "", (int)t->kind,
			       b->to < b->from ? "boost" : "unboost", task_of(t->s, b->task));
	report_prio(out, b->from);
	g_string_append(out, " to ");
	report_prio(out, b->to);
	if (b->donor != STORY_NONE && b->donor < t->s->ntask)
		g_string_append_printf(out, ", lent by %s", task_of(t->s, b->donor));
}

static void put_skipped(struct telling *t, const struct story_piece *from, const struct story_piece *to, unsigned n)
{
	g_string_append_printf(t->page->out, "\n    %*s  ... %u more changes in ", (int)t->from, "", n);
	report_time(t->page->out, to->from - from->from);
	g_string_append(t->page->out, " ...");
	t->before = NULL;
}

static void put_pieces(struct telling *t)
{
	unsigned b = 0, n = t->wait->npiece;

	for (unsigned i = 0; i < n; i++) {
		const struct story_piece *p = &t->wait->piece[i];

		if (n > PIECES_SHOWN && i == PIECES_SHOWN - PIECES_TAIL) {
			i = n - PIECES_TAIL;
			put_skipped(t, p, &t->wait->piece[i], n - PIECES_SHOWN);
			p = &t->wait->piece[i];
			while (b < t->wait->nboost && t->wait->boost[b].at < p->from)
				b++;
		}
		for (; b < t->wait->nboost && t->wait->boost[b].at <= p->from; b++)
			put_boost(t, &t->wait->boost[b]);
		put_piece(t, p);
	}
	for (; b < t->wait->nboost; b++)
		put_boost(t, &t->wait->boost[b]);
	g_string_append_c(t->page->out, '\n');
}

static void measure_columns(struct telling *t)
{
	for (unsigned i = 0; i < t->wait->npiece; i++) {
		const struct story_piece *p = &t->wait->piece[i];
		g_autoptr(GString) text = g_string_new(NULL);

		report_time(text, p->from);
		t->from = MAX(t->from, (unsigned)text->len);
		g_string_truncate(text, 0);
		report_time(text, p->to - p->from);
		t->len = MAX(t->len, (unsigned)text->len + 1);
		t->kind = MAX(t->kind, (unsigned)strlen(report_piece(p->piece)));
	}
	if (t->wait->nboost)
		t->kind = MAX(t->kind, (unsigned)strlen("unboost"));
}

/* -- what it means ------------------------------------------------------------------------------ */

enum part { PART_STRANGERS, PART_OTHER_SECTIONS, PART_BOUNDED };

/* Who is answerable for @p as far as @part goes, or STORY_NONE. */
static uint32_t answers(const struct story_piece *p, enum part part)
{
	const struct story_link *end = &p->link[p->nlink - 1];
	const struct story_runner *worst = NULL;

	if (part == PART_BOUNDED) {
		bool runs = p->piece == RUN_PIECE_holder || p->piece == RUN_PIECE_chain;

		return runs && end->normal > p->link[0].prio ? end->task : STORY_NONE;
	}
	for (unsigned k = 0; p->piece == RUN_PIECE_inversion && k < p->nrunner; k++)
		if (p->runner[k].culprit && (!worst || p->runner[k].prio > worst->prio))
			worst = &p->runner[k];
	return worst && (worst->holds == STORY_NONE) == (part == PART_STRANGERS) ? worst->task : STORY_NONE;
}

/* "radio 10ms, camera 10ms", in the order in which they appeared. */
static void put_answerable(struct telling *t, enum part part)
{
	const struct story_wait *w = t->wait;
	g_autofree sim_time *sum = g_new0(sim_time, t->s->ntask + 1);
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (unsigned i = 0; i < w->npiece; i++) {
		uint32_t task = answers(&w->piece[i], part);

		if (task == STORY_NONE)
			continue;
		if (!sum[task])
			g_array_append_val(order, task);
		sum[task] += w->piece[i].to - w->piece[i].from;
	}
	for (guint i = 0; i < MIN(order->len, NAMES_SHOWN); i++) {
		uint32_t task = g_array_index(order, uint32_t, i);

		g_string_append_printf(t->page->out, "%s%s ", i ? ", " : "", task_of(t->s, task));
		report_time(t->page->out, sum[task]);
	}
	if (order->len > NAMES_SHOWN)
		g_string_append_printf(t->page->out, ", %u more", order->len - NAMES_SHOWN);
}

static bool inherits(const struct story *s, const struct story_wait *w)
{
	return s->inherits[w->lock];
}

static void put_inversion(struct telling *t)
{
	const struct story_wait *w = t->wait;
	sim_time all = w->sum[RUN_PIECE_inversion];
	GString *out = t->page->out;

	if (w->strangers) {
		g_string_append(out, "\n    Not bounded: for ");
		report_time(out, w->strangers);
		g_string_append(out, " strangers' work came first (");
		put_answerable(t, PART_STRANGERS);
		g_string_append_printf(out, "), which is in no critical\n    section and could go on for any time.%s",
				       inherits(t->s, w) ? "" : " The lock does not inherit priorities.");
	}
	if (all > w->strangers) {
		g_string_append(out, "\n    For ");
		report_time(out, all - w->strangers);
		g_string_append(out, " less urgent tasks ran inside sections of other locks (");
		put_answerable(t, PART_OTHER_SECTIONS);
		g_string_append(out, ").");
	}
}

static const char *end_of(const struct story_wait *w)
{
	const struct story_piece *last = &w->piece[w->npiece - 1];

	if (w->end != STORY_OPEN)
		return NULL;
	if (last->nlink > 1 && last->link[last->nlink - 1].lock != STORY_NONE)
		return "\n    It never ends: the chain is a circle.";
	return "\n    It was not over at the end of the run.";
}

static void put_meaning(struct telling *t)
{
	const struct story_wait *w = t->wait;
	GString *out = t->page->out;
	const char *end = end_of(w);

	if (w->sum[RUN_PIECE_inversion])
		put_inversion(t);
	if (w->bounded) {
		g_string_append(out, "\n    Bounded: for ");
		report_time(out, w->bounded);
		g_string_append(out, " less urgent tasks ran inside the critical sections that were waited for (");
		put_answerable(t, PART_BOUNDED);
		g_string_append(out, ").");
	}
	if (!w->sum[RUN_PIECE_inversion] && !w->bounded && !end)
		g_string_append(out, "\n    No priority inversion.");
	if (end)
		g_string_append(out, end);
	g_string_append_c(out, '\n');
}

static void put_sums(struct telling *t)
{
	GString *out = t->page->out;
	bool any = false;

	g_string_append(out, "\n    In all");
	for (unsigned p = 0; p < RUN_PIECE_COUNT; p++) {
		if (!t->wait->sum[p])
			continue;
		g_string_append(out, any ? ", " : ": ");
		report_time(out, t->wait->sum[p]);
		g_string_append_printf(out, " %s", report_piece(p));
		any = true;
	}
	g_string_append_c(out, '.');
}

static void put_wait(const struct page *page, const struct story *s, unsigned i)
{
	const struct story_wait *w = s->wait[i];
	struct telling t = { .page = page, .s = s, .wait = w };
	GString *out = page->out;

	g_string_append_printf(out, "\n%s%u. ", page->colour ? "\033[1m" : "", i + 1);
	put_task(out, s, w->task, w->prio);
	g_string_append(out, w->end == STORY_OPEN ? " has waited " : " waited ");
	report_time(out, w->to - w->from);
	g_string_append_printf(out, " for %s (%s%s), from ", lock_of(s, w->lock), s->model_name[w->lock],
			       w->shared ? ", shared" : "");
	report_time(out, w->from);
	g_string_append(out, " to ");
	report_time(out, w->to);
	g_string_append(out, w->end == STORY_FAILED ? ", in vain" : "");
	g_string_append(out, page->colour ? "\033[0m" : "");
	if (w->file)
		g_string_append_printf(out, "\n   %s:%u", w->file, w->line);
	measure_columns(&t);
	put_pieces(&t);
	put_sums(&t);
	put_meaning(&t);
}

/* -- the whole ---------------------------------------------------------------------------------- */

static void put_table(const struct page *page, const struct story *s)
{
	struct table *t = table_new();

	table_column(t, NULL, "task", TABLE_LEFT);
	table_column(t, NULL, "total", 0);
	table_column(t, NULL, "times", 0);
	table_column(t, NULL, "longest", 0);
	table_column(t, NULL, "at", 0);
	table_column(t, NULL, "victim", TABLE_LEFT);
	table_column(t, NULL, "lock", TABLE_LEFT);
	for (unsigned i = 0; i < s->nculprit; i++) {
		const struct story_culprit *c = &s->culprit[i];

		table_row(t);
		table_text(t, task_of(s, c->task));
		table_time(t, c->total);
		table_count(t, c->times);
		table_time(t, c->longest);
		table_time(t, c->longest_at);
		table_text(t, task_of(s, c->victim));
		table_text(t, lock_of(s, c->lock));
	}
	table_finish(t, page->out, page->width);
}

void report_story(GString *out, const struct story *s, const char *title, const struct report_style *style)
{
	struct page page = { .out = out, .width = style->width ? style->width : REPORT_WIDTH, .colour = style->colour };

	g_string_append_printf(out, "Where the worst waits of %s went\n", title);
	if (!s->nwait)
		g_string_append(out, "\n  Nobody waited.\n");
	for (unsigned i = 0; i < s->nwait; i++)
		put_wait(&page, s, i);
	if (s->waits > s->nwait) {
		g_string_append_printf(out, "\n%" G_GUINT64_FORMAT " waits of ", s->waits);
		report_time(out, s->waited);
		g_string_append_printf(out, " in all; the %u longest are told.\n", s->nwait);
	}
	page_heading(&page, "Inversions by culprit");
	if (s->nculprit)
		put_table(&page, s);
	else
		g_string_append(out, "  none\n");
}
