// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The timeline in letters.
 *
 *	                     0         10ms
 *	                     |         |
 *	  j1         fifo 5         =--S=
 *	  j4         fifo 2    =ss.----S
 *
 * A column is one unit of time, from the series 1, 2, 5: the largest in which the run can be
 * drawn exactly, if that fits; else the smallest that fits, and a column shows what lasted
 * longest in it.
 */
#include "sim/report/timeline_impl.h"

#include <string.h>

#include "sim/report/story.h"

#define ROWS_MAX 60
#define NAME_COLUMNS 24u
#define BANDS 2 /* an exact drawing may go over so many */
#define TICK 10 /* columns between two times on the axis */

struct text {
	GString *out;
	const struct timeline *t;
	sim_time from, to, unit;
	unsigned name, prio, columns; /* widths */
	char *letter;		      /* by lock */
	bool exact;
	bool used[128];
};

/* -- the unit ------------------------------------------------------------------------------------- */

static sim_time gcd(sim_time a, sim_time b)
{
	while (b) {
		sim_time c = a % b;

		a = b;
		b = c;
	}
	return a;
}

/* The next of 1, 2, 5, 10, ... */
static sim_time next_unit(sim_time unit)
{
	sim_time first = unit;

	while (first >= 10)
		first /= 10;
	return first == 2 ? unit / 2 * 5 : unit * 2;
}

/* What all changes that are to be drawn are multiples of, counted from @from. */
static sim_time grain(const struct text *x)
{
	sim_time g = x->to - x->from;

	for (uint32_t r = 0; r < x->t->nrow; r++)
		for (guint i = 0; i < x->t->row[r].stretch->len && g > 1; i++) {
			const struct timeline_stretch *s = &g_array_index(x->t->row[r].stretch, struct timeline_stretch, i);

			if (s->from > x->from && s->from < x->to)
				g = gcd(g, s->from - x->from);
		}
	return g;
}

static void choose_unit(struct text *x)
{
	sim_time span = x->to - x->from, whole = grain(x), unit = 1, exact = 1;

	for (sim_time u = 1; u <= whole && u <= SIM_NEVER / 10; u = next_unit(u))
		if (whole % u == 0)
			exact = u;
	x->exact = (span + exact - 1) / exact <= (sim_time)BANDS * x->columns;
	if (x->exact) {
		x->unit = exact;
		return;
	}
	while ((span + unit - 1) / unit > x->columns)
		unit = next_unit(unit);
	x->unit = unit;
}

/* -- letters -------------------------------------------------------------------------------------- */

/* The first letter of each lock's name, if no two begin alike; else a, b, c, ... in their order. */
static void choose_letters(struct text *x)
{
	const struct timeline *t = x->t;
	bool taken[128] = { false }, clash = false;
	unsigned next = 0;

	x->letter = g_new0(char, t->nlock + 1);
	for (uint32_t i = 0; i < t->nlock; i++) {
		unsigned char c = (unsigned char)g_ascii_tolower(t->lock[i][0]);

		if (!timeline_uses(t, i, x->from, x->to))
			continue;
		clash |= !g_ascii_islower((char)c) || taken[c & 127];
		taken[c & 127] = true;
		x->letter[i] = (char)c;
	}
	for (uint32_t i = 0; clash && i < t->nlock; i++)
		if (x->letter[i])
			x->letter[i] = next < 26 ? (char)('a' + next++) : '*';
}

static char letter_of(const struct text *x, const struct timeline_look *l)
{
	switch (l->kind) {
	case TIMELINE_AWAY:
		return l->lock == TIMELINE_NONE ? ' ' : '_';
	case TIMELINE_READY:
		return l->lock == TIMELINE_NONE ? '.' : ':';
	case TIMELINE_SPIN:
		return '~';
	case TIMELINE_WAIT:
		return '-';
	case TIMELINE_RUN:
		break;
	}
	if (l->lock != TIMELINE_NONE)
		return l->boosted ? g_ascii_toupper(x->letter[l->lock]) : x->letter[l->lock];
	return x->t->ncpus > 1 && l->cpu < 10 ? (char)('0' + l->cpu) : '=';
}

static sim_time overlap(sim_time a, sim_time b, sim_time from, sim_time to)
{
	from = MAX(a, from);
	to = MIN(b, to);
	return to > from ? to - from : 0;
}

/* What lasted longest in [@from, @to), the first of equals. *@at: a stretch that may still matter later. */
static char cell(const struct text *x, const struct timeline_row *r, sim_time from, sim_time to, guint *at)
{
	sim_time sum[128] = { 0 }, inverted = 0, best = 0;
	char letter = ' ';

	while (*at < r->stretch->len && g_array_index(r->stretch, struct timeline_stretch, *at).to <= from)
		++*at;
	for (guint i = *at; i < r->stretch->len; i++) {
		const struct timeline_stretch *s = &g_array_index(r->stretch, struct timeline_stretch, i);
		char c = letter_of(x, &s->look);

		if (s->from >= to)
			break;
		sum[c & 127] += overlap(s->from, s->to, from, to);
		if (sum[c & 127] > best) {
			best = sum[c & 127];
			letter = c;
		}
	}
	for (guint i = 0; i < r->inverted->len; i++) {
		const struct timeline_span *s = &g_array_index(r->inverted, struct timeline_span, i);

		inverted += overlap(s->from, s->to, from, to);
	}
	return inverted && inverted * 2 >= best ? '!' : letter;
}

/* -- lines ---------------------------------------------------------------------------------------- */

static void end_line(GString *out)
{
	while (out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
}

static void put_axis(struct text *x, unsigned first, unsigned n)
{
	g_autoptr(GString) times = g_string_new(NULL), ticks = g_string_new(NULL);

	for (unsigned c = 0; c < n; c += TICK) {
		char text[SIM_TIME_CHARS];

		sim_time_format_short(text, x->from + (first + c) * x->unit, 3);
		if (times->len > c)
			continue;
		g_string_append_printf(times, "%*s%s ", (int)(c - times->len), "", text);
		g_string_append_printf(ticks, "%*s|", (int)(c - ticks->len), "");
	}
	g_string_append_printf(x->out, "%*s%s", (int)(2 + x->name + 2 + x->prio + 2), "", times->str);
	end_line(x->out);
	g_string_append_printf(x->out, "%*s%s", (int)(2 + x->name + 2 + x->prio + 2), "", ticks->str);
	end_line(x->out);
}

static void put_row(struct text *x, const struct timeline_row *r, unsigned first, unsigned n)
{
	g_autoptr(GString) prio = g_string_new(NULL);
	guint at = 0;

	report_prio(prio, r->normal);
	g_string_append_printf(x->out, "  %-*.*s  %-*s  ", (int)x->name, (int)x->name, r->name, (int)x->prio, prio->str);
	for (unsigned c = first; c < first + n; c++) {
		char letter = cell(x, r, x->from + c * x->unit, MIN(x->from + (c + 1) * x->unit, x->to), &at);

		x->used[letter & 127] = true;
		g_string_append_c(x->out, letter);
	}
	end_line(x->out);
}

static void put_legend(struct text *x)
{
	static const struct {
		char letter;
		const char *text;
	} fixed[] = { { '=', "runs" }, { '.', "runnable" }, { ':', "runnable, holds a lock" },
		      { '_', "sleeps, holds a lock" }, { '-', "sleeps for a lock" }, { '~', "spins for a lock" },
		      { '!', "the same, in priority inversion" } };
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
	bool digits = false;

	for (char c = '0'; c <= '9'; c++)
		digits |= x->used[(int)c];
	if (digits)
		g_ptr_array_add(words, g_strdup("0 1 2: runs on that CPU"));
	for (unsigned i = 0; i < G_N_ELEMENTS(fixed); i++)
		if (x->used[(int)fixed[i].letter])
			g_ptr_array_add(words, g_strdup_printf("%c %s", fixed[i].letter, fixed[i].text));
	for (uint32_t i = 0; i < x->t->nlock; i++) {
		char low = x->letter[i], up = g_ascii_toupper(low);

		if (!low || low == '*' || !(x->used[(int)low] || x->used[(int)up]))
			continue;
		g_ptr_array_add(words, x->used[(int)up] ? g_strdup_printf("%c holds %s (%c: boosted)", low, x->t->lock[i], up) :
							  g_strdup_printf("%c holds %s", low, x->t->lock[i]));
	}
	g_string_append(x->out, "\n ");
	for (guint i = 0, at = 1; i < words->len; i++) {
		guint len = (guint)strlen(words->pdata[i]) + 2;

		if (i && at + len > 2 + x->name + 2 + x->prio + 2 + x->columns) {
			g_string_append(x->out, "\n ");
			at = 1;
		}
		g_string_append_printf(x->out, " %s%s", (char *)words->pdata[i], i + 1 < words->len ? ";" : "");
		at += len;
	}
	g_string_append_c(x->out, '\n');
}

static void measure(struct text *x, const GPtrArray *rows, unsigned width)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct timeline_row *r = rows->pdata[i];
		g_autoptr(GString) prio = g_string_new(NULL);

		report_prio(prio, r->normal);
		x->name = MAX(x->name, MIN((unsigned)strlen(r->name), NAME_COLUMNS));
		x->prio = MAX(x->prio, (unsigned)prio->len);
	}
	x->columns = (MAX(width, 60) - (2 + x->name + 2 + x->prio + 2)) / TICK * TICK;
}

static GPtrArray *choose_rows(const struct timeline *t, sim_time from, sim_time to)
{
	GPtrArray *rows = g_ptr_array_new();

	for (uint32_t i = 0; i < t->nrow; i++)
		if (timeline_shows(&t->row[i], from, to))
			g_ptr_array_add(rows, &t->row[i]);
	return rows;
}

void timeline_text(GString *out, const struct timeline *t, const char *title, sim_time from, sim_time to, unsigned width)
{
	struct text x = { .out = out, .t = t, .from = from, .to = MIN(to, t->end) };
	char unit[SIM_TIME_CHARS];
	unsigned total;
	GPtrArray *rows;

	if (x.to <= x.from) {
		g_string_append(out, "Timeline: nothing happened there\n");
		return;
	}
	rows = choose_rows(t, x.from, x.to);
	measure(&x, rows, width ? width : REPORT_WIDTH);
	choose_unit(&x);
	choose_letters(&x);
	total = (unsigned)((x.to - x.from + x.unit - 1) / x.unit);
	g_string_append_printf(out, "Timeline of %s; a column is %s%s\n", title, sim_time_format(unit, x.unit),
			       x.exact ? "" : " and shows what lasted longest in it");
	for (unsigned c = 0; c < total; c += x.columns) {
		unsigned n = MIN(x.columns, total - c);

		g_string_append_c(out, '\n');
		put_axis(&x, c, n);
		for (guint i = 0; i < MIN(rows->len, ROWS_MAX); i++)
			put_row(&x, rows->pdata[i], c, n);
	}
	if (rows->len > ROWS_MAX)
		g_string_append_printf(out, "  ... and %u more tasks\n", rows->len - ROWS_MAX);
	put_legend(&x);
	if (t->full)
		g_string_append(out, "  The run has more changes than a timeline keeps: it ends early.\n");
	g_ptr_array_free(rows, TRUE);
	g_free(x.letter);
}
