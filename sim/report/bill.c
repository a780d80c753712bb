// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bill of a model against that of the scenario's own: CPU time per acquisition by what it was
 * spent on, so that the differences sum to the whole difference; then which lines moved, in which
 * step of the algorithm, how far.
 */
#include <string.h>

#include "sim/report/parts.h"
#include "sim/report/student.h"
#include "sim/report/table.h"
#include "sim/report/versus.h"

/* Steps that waited for less than this share of all are summed up in one line. */
#define SMALL_PPM (STUDENT_PPM / 100)

static uint64_t per(uint64_t n, uint64_t whole, uint64_t scale)
{
	return whole ? (uint64_t)(((unsigned __int128)n * scale + whole / 2) / whole) : 0;
}

static void put_milli(struct table *t, uint64_t milli)
{
	uint64_t hundredths = (milli + 5) / 10;

	if (!hundredths)
		table_text(t, milli ? "0.00" : "-");
	else
		table_printf(t, "%" G_GUINT64_FORMAT ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
}

static void put_change(struct table *t, int64_t change)
{
	char buf[SIM_TIME_CHARS];

	if (!change)
		table_text(t, "-");
	else
		table_printf(t, "%c%s", change < 0 ? '-' : '+',
			     sim_time_format_short(buf, (sim_time)(change < 0 ? -change : change), 2));
}

/* -- the sums ------------------------------------------------------------------------------------ */

struct pair {
	const struct versus_side *a, *b;
};

static sim_time each(const struct versus_side *s, sim_time t)
{
	return per(t, s->acquired, 1);
}

static void put_item(struct table *t, const struct pair *p, const char *title, const uint64_t n[2], const sim_time time[2])
{
	sim_time a = each(p->a, time[0]), b = each(p->b, time[1]);

	table_row(t);
	table_text(t, title);
	put_milli(t, per(n[0], p->a->acquired, 1000));
	table_time(t, a);
	put_milli(t, per(n[1], p->b->acquired, 1000));
	table_time(t, b);
	put_change(t, (int64_t)(b - a));
}

static sim_time itemised(const struct run_bill *b)
{
	sim_time sum = 0;

	for (unsigned i = 0; i < RUN_BILL_COUNT; i++)
		sum += b->time[i];
	return sum;
}

/* What the items leave of the whole, as signed change per acquisition. */
static void put_remainder(struct table *t, const struct pair *p)
{
	const struct run_bill *x = p->a->bill, *y = p->b->bill;
	int64_t a = (int64_t)(each(p->a, x->total) - each(p->a, itemised(x)));
	int64_t b = (int64_t)(each(p->b, y->total) - each(p->b, itemised(y)));

	table_row(t);
	table_text(t, "not explained");
	table_text(t, "");
	put_change(t, a);
	table_text(t, "");
	put_change(t, b);
	put_change(t, b - a);
}

static void put_sums(const struct page *page, const struct pair *p)
{
	const struct run_bill *x = p->a->bill, *y = p->b->bill;
	struct table *t = table_new();

	table_column(t, NULL, "CPU time per acquisition", 0);
	table_column(t, p->a->model, "times", 0);
	table_column(t, p->a->model, "cost", TABLE_KEEP);
	table_column(t, p->b->model, "times", TABLE_KEEP);
	table_column(t, p->b->model, "cost", TABLE_KEEP);
	table_column(t, NULL, "change", TABLE_KEEP);
	for (unsigned i = 0; i < RUN_BILL_COUNT; i++)
		if (x->time[i] || y->time[i] || x->count[i] || y->count[i])
			put_item(t, p, run_bill_title[i], (uint64_t[]){ x->count[i], y->count[i] },
				 (sim_time[]){ x->time[i], y->time[i] });
	put_remainder(t, p);
	put_item(t, p, "all", (uint64_t[]){ 0, 0 }, (sim_time[]){ x->total, y->total });
	put_item(t, p, "sleeps in lock()", (uint64_t[]){ x->sleeps, y->sleeps }, (sim_time[]){ 0, 0 });
	put_item(t, p, "preemptions", (uint64_t[]){ x->preemptions, y->preemptions }, (sim_time[]){ 0, 0 });
	table_finish(t, page->out, page->width);
}

/* -- what moved -------------------------------------------------------------------------------------- */

static uint64_t moved(const struct run_bill_move *m)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < RUN_DISTS; d++)
		sum += m->moves[d];
	return sum;
}

static void move_add(struct run_bill_move *sum, const struct run_bill_move *m)
{
	for (unsigned d = 0; d < RUN_DISTS; d++)
		sum->moves[d] += m->moves[d];
	sum->waited += m->waited;
}

static void put_move(struct table *t, const struct versus_side *s, const struct run_bill_move *m, const char *step,
		     const char *line)
{
	uint64_t all = moved(m);

	table_row(t);
	table_text(t, step);
	table_text(t, line);
	put_milli(t, per(all, s->acquired, 1000));
	table_time(t, each(s, m->waited));
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_percent(t, m->moves[d], all);
}

static bool belongs(const struct run_bill_move *m, const char *lock)
{
	return m->lock && !strcmp(m->lock, lock);
}

static void put_moves(const struct page *page, const struct versus_side *s, const char *lock)
{
	struct run_bill_move small = { 0 };
	struct table *t = table_new();
	unsigned few = 0;
	sim_time all = 0;

	table_column(t, NULL, "step", 0);
	table_column(t, NULL, "line", TABLE_LEFT);
	table_column(t, NULL, "moves /acq", TABLE_KEEP);
	table_column(t, NULL, "cost /acq", TABLE_KEEP);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_column(t, "% of the moves, from", report_dist[d], TABLE_HIDE | TABLE_KEEP);
	for (unsigned i = 0; i < s->bill->nmove; i++)
		if (belongs(&s->bill->move[i], lock))
			all += s->bill->move[i].waited;
	for (unsigned i = 0; i < s->bill->nmove; i++) {
		const struct run_bill_move *m = &s->bill->move[i];

		if (!belongs(m, lock))
			continue;
		if (ppm_of(m->waited, all) >= SMALL_PPM) {
			put_move(t, s, m, m->step, m->line);
		} else {
			move_add(&small, m);
			few++;
		}
	}
	if (few)
		put_move(t, s, &small, "(all others)", "");
	g_string_append_printf(page->out, "\n  Lines that moved under %s\n", s->model);
	table_finish(t, page->out, page->width);
}

/* -- the sentence ---------------------------------------------------------------------------------------- */

/* Which item changed most in the direction of the whole, and by how much; RUN_BILL_COUNT: none. */
static unsigned most_changed(const struct pair *p, bool more, bool with_idle, uint64_t *by)
{
	unsigned best = RUN_BILL_COUNT;
	int64_t most = 0;

	for (unsigned i = 0; i < RUN_BILL_COUNT; i++) {
		int64_t d = (int64_t)(each(p->b, p->b->bill->time[i]) - each(p->a, p->a->bill->time[i]));

		d = more ? d : -d;
		if (d > most && (with_idle || i != RUN_BILL_idle)) {
			most = d;
			best = i;
		}
	}
	*by = (uint64_t)most;
	return best;
}

static void name_item(GString *out, const char *before, unsigned item, uint64_t by, sim_time whole, const char *of)
{
	g_string_append_printf(out, "%s%s (%s), %u %%%s", before, run_bill_title[item], run_bill_meaning[item],
			       (unsigned)((ppm_of(by, whole) + 5000) / 10000), of);
}

/* Idle time follows from something else: what changed most beside it is said too. */
static void put_share(GString *out, const struct pair *p, sim_time whole, bool more)
{
	uint64_t by;
	unsigned item = most_changed(p, more, true, &by);

	if (item == RUN_BILL_COUNT)
		return;
	name_item(out, "; most of the change is ", item, by, whole, " of it");
	if (item != RUN_BILL_idle)
		return;
	item = most_changed(p, more, false, &by);
	if (item != RUN_BILL_COUNT)
		name_item(out, ", and beside that ", item, by, whole, "");
}

static void sum_line(const struct versus_side *s, const char *lock, const char *line, struct run_bill_move *sum)
{
	for (unsigned i = 0; i < s->bill->nmove; i++)
		if (belongs(&s->bill->move[i], lock) && !strcmp(s->bill->move[i].line, line))
			move_add(sum, &s->bill->move[i]);
}

/* "line 0 moved 2.30 times per acquisition instead of 1.10, 61 % of them across sockets". */
static void put_line(GString *out, const struct pair *p, const char *lock)
{
	struct run_bill_move a = { 0 }, b = { 0 };
	uint64_t far, n[2];

	sum_line(p->a, lock, "line 0", &a);
	sum_line(p->b, lock, "line 0", &b);
	n[0] = (per(moved(&a), p->a->acquired, 1000) + 5) / 10;
	n[1] = (per(moved(&b), p->b->acquired, 1000) + 5) / 10;
	if (!n[1])
		return;
	far = b.moves[RUN_DISTS - 1] + b.moves[RUN_DISTS - 2];
	g_string_append_printf(out, ". The lock's first line moved %u.%02u times per acquisition instead of %u.%02u",
			       (unsigned)(n[1] / 100), (unsigned)(n[1] % 100), (unsigned)(n[0] / 100), (unsigned)(n[0] % 100));
	if (far)
		g_string_append_printf(out, ", %u %% of them across sockets",
				       (unsigned)((ppm_of(far, moved(&b)) + 5000) / 10000));
}

static void put_sentence(const struct page *page, const struct pair *p, const char *lock)
{
	sim_time a = each(p->a, p->a->bill->total), b = each(p->b, p->b->bill->total);
	sim_time change = b > a ? b - a : a - b;
	g_autoptr(GString) text = g_string_new(NULL);
	char buf[SIM_TIME_CHARS];

	if (change)
		g_string_append_printf(text, "An acquisition takes %s %s of the CPUs' time, idle time included",
				       sim_time_format_short(buf, change, 2), b > a ? "more" : "less");
	else
		g_string_append(text, "An acquisition takes as much of the CPUs' time, idle time included");
	if (change)
		put_share(text, p, change, b > a);
	put_line(text, p, lock);
	g_string_append_c(text, '.');
	g_string_append_c(page->out, '\n');
	versus_fold(page->out, text->str, page->width);
}

void versus_bill(GString *out, const struct versus_lock *l, unsigned k, const struct report_style *style)
{
	struct page page = { out, style->width ? style->width : REPORT_WIDTH, style->colour };
	struct pair p = { &l->side[0], &l->side[k] };

	if (!p.a->bill || !p.b->bill || !p.a->acquired || !p.b->acquired)
		return;
	page_heading(&page, "The bill of %s: %s against %s", l->lock, p.b->model, p.a->model);
	put_sums(&page, &p);
	put_sentence(&page, &p, l->lock);
	if (k == 1)
		put_moves(&page, p.a, l->lock);
	put_moves(&page, p.b, l->lock);
}
