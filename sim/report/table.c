// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/table.h"

#include <stdarg.h>
#include <string.h>

#define INDENT 2
#define GAP 2

struct column {
	char *top, *title;
	unsigned flags;
	unsigned width;
	bool hidden;
};

struct table {
	GArray *columns;  /* struct column */
	GPtrArray *cells; /* char *, row by row */
	unsigned rows, at; /* at: next cell of the current row */
};

static struct column *column(struct table *t, unsigned i)
{
	return &g_array_index(t->columns, struct column, i);
}

static const char *cell(struct table *t, unsigned row, unsigned col)
{
	const char *text = g_ptr_array_index(t->cells, row * t->columns->len + col);

	return text ? text : "";
}

struct table *table_new(void)
{
	struct table *t = g_new0(struct table, 1);

	t->columns = g_array_new(FALSE, TRUE, sizeof(struct column));
	t->cells = g_ptr_array_new_with_free_func(g_free);
	return t;
}

void table_column(struct table *t, const char *top, const char *title, unsigned flags)
{
	struct column c = { g_strdup(top), g_strdup(title), flags, 0, false };

	g_assert(t->rows == 0);
	g_array_append_val(t->columns, c);
}

void table_row(struct table *t)
{
	for (unsigned i = 0; i < t->columns->len; i++)
		g_ptr_array_add(t->cells, NULL);
	t->rows++;
	t->at = 0;
}

static void take(struct table *t, char *text)
{
	g_assert(t->rows > 0 && t->at < t->columns->len);
	t->cells->pdata[(t->rows - 1) * t->columns->len + t->at++] = text;
}

void table_text(struct table *t, const char *text)
{
	take(t, g_strdup(text));
}

void table_printf(struct table *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	take(t, g_strdup_vprintf(fmt, args));
	va_end(args);
}

void table_count(struct table *t, uint64_t n)
{
	if (n)
		table_printf(t, "%" G_GUINT64_FORMAT, n);
	else
		table_text(t, "-");
}

void table_time(struct table *t, sim_time d)
{
	char buf[SIM_TIME_CHARS];

	table_text(t, d && d != SIM_NEVER ? sim_time_format_short(buf, d, 2) : "-");
}

void table_percent(struct table *t, uint64_t part, uint64_t whole)
{
	uint64_t permille;

	if (!part || !whole) {
		table_text(t, "-");
		return;
	}
	permille = (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole);
	table_printf(t, "%" G_GUINT64_FORMAT ".%u", permille / 10, (unsigned)(permille % 10));
}

void table_ratio(struct table *t, uint64_t part, uint64_t whole)
{
	unsigned __int128 hundredths;

	if (!whole) {
		table_text(t, "-");
		return;
	}
	hundredths = ((unsigned __int128)part * 100 + whole / 2) / whole;
	if (hundredths >= 100000000)
		table_text(t, ">999999");
	else
		table_printf(t, "%u.%02u", (unsigned)(hundredths / 100), (unsigned)(hundredths % 100));
}

static void measure(struct table *t)
{
	for (unsigned c = 0; c < t->columns->len; c++) {
		struct column *col = column(t, c);
		bool empty = true;

		col->width = (unsigned)strlen(col->title);
		for (unsigned r = 0; r < t->rows; r++) {
			const char *text = cell(t, r, c);

			col->width = MAX(col->width, (unsigned)strlen(text));
			empty = empty && (!*text || !strcmp(text, "-"));
		}
		col->hidden = empty && (col->flags & TABLE_HIDE);
	}
}

static void pad(GString *out, unsigned n)
{
	while (n--)
		g_string_append_c(out, ' ');
}

static void put(GString *out, const struct column *col, bool first, const char *text)
{
	unsigned len = (unsigned)strlen(text);
	unsigned fill = col->width > len ? col->width - len : 0;

	pad(out, first ? INDENT : GAP);
	if (first || (col->flags & TABLE_LEFT)) {
		g_string_append(out, text);
		pad(out, fill);
	} else {
		pad(out, fill);
		g_string_append(out, text);
	}
}

static void end_line(GString *out)
{
	gsize len = out->len;

	while (len && out->str[len - 1] == ' ')
		len--;
	g_string_truncate(out, len);
	g_string_append_c(out, '\n');
}

/* A label stands at the left edge of its group and may reach over the columns that follow. */
static void put_tops(struct table *t, GString *out, unsigned from, unsigned to)
{
	unsigned at = INDENT + column(t, 0)->width;
	GString *line = g_string_new(NULL);
	const char *last = NULL;

	for (unsigned c = from; c < to; c++) {
		struct column *col = column(t, c);

		if (col->hidden)
			continue;
		if (col->top && g_strcmp0(col->top, last)) {
			pad(line, line->len < at + GAP ? (unsigned)(at + GAP - line->len) : 1);
			g_string_append(line, col->top);
		}
		last = col->top;
		at += GAP + col->width;
	}
	if (line->len) {
		g_string_append(out, line->str);
		end_line(out);
	}
	g_string_free(line, TRUE);
}

static void put_part(struct table *t, GString *out, unsigned from, unsigned to)
{
	put_tops(t, out, from, to);
	put(out, column(t, 0), true, column(t, 0)->title);
	for (unsigned c = from; c < to; c++)
		if (!column(t, c)->hidden)
			put(out, column(t, c), false, column(t, c)->title);
	end_line(out);
	for (unsigned r = 0; r < t->rows; r++) {
		put(out, column(t, 0), true, cell(t, r, 0));
		for (unsigned c = from; c < to; c++)
			if (!column(t, c)->hidden)
				put(out, column(t, c), false, cell(t, r, c));
		end_line(out);
	}
}

/* The columns from @from on that fit on the page; at least one. */
static unsigned fit(struct table *t, unsigned from, unsigned width)
{
	unsigned used = INDENT + column(t, 0)->width, last_cut = from, c;

	for (c = from; c < t->columns->len; c++) {
		if (column(t, c)->hidden)
			continue;
		if (!(column(t, c)->flags & TABLE_KEEP))
			last_cut = c;
		used += GAP + column(t, c)->width;
		if (used > width && c > from)
			return last_cut > from ? last_cut : c;
	}
	return c;
}

static void table_free(struct table *t)
{
	for (unsigned c = 0; c < t->columns->len; c++) {
		g_free(column(t, c)->top);
		g_free(column(t, c)->title);
	}
	g_array_free(t->columns, TRUE);
	g_ptr_array_free(t->cells, TRUE);
	g_free(t);
}

void table_finish(struct table *t, GString *out, unsigned width)
{
	unsigned from = 1;

	if (t->rows) {
		measure(t);
		do {
			unsigned to = fit(t, from, width);

			while (to < t->columns->len && column(t, to)->hidden)
				to++;
			put_part(t, out, from, to);
			from = to;
			if (from < t->columns->len)
				g_string_append_c(out, '\n');
		} while (from < t->columns->len);
	}
	table_free(t);
}
