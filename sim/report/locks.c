// SPDX-License-Identifier: GPL-2.0-or-later
/* The locks of the text report, with the columns of /proc/lock_stat and the simulator's own. */
#include <string.h>

#include "sim/report/parts.h"
#include "sim/report/table.h"

const char *const report_dist[RUN_DISTS] = { "self", "smt", "cluster", "socket", "hop1", "hop2" };

static void dist_columns(struct table *t, const char *top)
{
	static const char *const title[] = { "min", "mean", "p50", "p99", "max" };

	for (unsigned i = 0; i < G_N_ELEMENTS(title); i++)
		table_column(t, top, title[i], i ? TABLE_KEEP : 0);
}

static void dist_cells(struct table *t, const struct run_dist *d)
{
	table_time(t, d->count ? d->min : 0);
	table_time(t, run_dist_mean(d));
	table_time(t, run_dist_at(d, 500));
	table_time(t, run_dist_at(d, 990));
	table_time(t, d->max);
}

/* Rows NAME-W and NAME-R for a lock that is used in both modes, as lock_stat has them. */
static void row_name(struct table *t, const struct run_lock *l, unsigned mode)
{
	table_row(t);
	if (lock_is_rw(l))
		table_printf(t, "%s-%c", l->name, mode ? 'R' : 'W');
	else
		table_text(t, l->name);
}

static void wait_rows(struct table *t, const struct run_lock *l)
{
	for (unsigned mode = 0; mode <= (unsigned)lock_is_rw(l); mode++) {
		row_name(t, l, mode);
		table_text(t, mode == 0 ? l->model : "");
		table_count(t, l->acquisitions[mode]);
		table_percent(t, l->contended[mode], l->acquisitions[mode]);
		dist_cells(t, &l->wait[mode]);
		table_count(t, mode == 0 ? l->failed : 0);
		table_count(t, mode == 0 ? l->open : 0);
	}
}

static void hold_rows(struct table *t, const struct run_lock *l)
{
	for (unsigned mode = 0; mode <= (unsigned)lock_is_rw(l); mode++) {
		row_name(t, l, mode);
		dist_cells(t, &l->hold[mode]);
		table_time(t, mode == 0 ? l->spin : 0);
		table_count(t, mode == 0 ? l->sleeps : 0);
		table_count(t, mode == 0 ? l->steals : 0);
		table_count(t, mode == 0 ? l->handoffs : 0);
	}
}

static struct table *wait_table(void)
{
	struct table *t = table_new();

	table_column(t, NULL, "lock", 0);
	table_column(t, NULL, "model", TABLE_LEFT);
	table_column(t, NULL, "acquired", 0);
	table_column(t, NULL, "cont %", 0);
	dist_columns(t, "wait");
	table_column(t, NULL, "failed", TABLE_HIDE);
	table_column(t, NULL, "open", TABLE_HIDE);
	return t;
}

static struct table *hold_table(void)
{
	struct table *t = table_new();

	table_column(t, NULL, "lock", 0);
	dist_columns(t, "hold");
	table_column(t, NULL, "spin", 0);
	table_column(t, NULL, "sleeps", 0);
	table_column(t, NULL, "steals", 0);
	table_column(t, NULL, "hand-offs", 0);
	return t;
}

static struct table *line_table(void)
{
	struct table *t = table_new();

	table_column(t, NULL, "lock", 0);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_column(t, "line transfers", report_dist[d], TABLE_HIDE);
	table_column(t, NULL, "per acq.", TABLE_HIDE);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_column(t, "hand-overs between CPUs", report_dist[d], TABLE_HIDE);
	return t;
}

static bool line_row(struct table *t, const struct run_lock *l)
{
	uint64_t moved = 0, handed = 0;

	for (unsigned d = 0; d < RUN_DISTS; d++) {
		moved += l->transfers[d];
		handed += l->handover[d];
	}
	if (!moved && !handed)
		return false;
	table_row(t);
	table_text(t, l->name);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_count(t, l->transfers[d]);
	if (moved)
		table_ratio(t, moved, l->acquisitions[0] + l->acquisitions[1]);
	else
		table_text(t, "-");
	for (unsigned d = 0; d < RUN_DISTS; d++)
		table_count(t, l->handover[d]);
	return true;
}

static void events(const struct page *p, const struct run_lock *l)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; l->event && l->event_name && l->event_name[i]; i++)
		if (l->event[i])
			g_ptr_array_add(words, g_strdup_printf("%s %" G_GUINT64_FORMAT, l->event_name[i], l->event[i]));
	if (!words->len)
		return;
	g_ptr_array_add(words, NULL);
	page_heading(p, "Events of %s", l->name);
	page_words(p, (char *const *)words->pdata, ", ");
}

void part_locks(const struct page *p, const struct run_result *r)
{
	g_autoptr(GPtrArray) rows = pools_of_locks(r);
	struct table *wait = wait_table(), *hold = hold_table(), *line = line_table();
	struct lock_sum *sums = g_new0(struct lock_sum, rows->len);
	bool any_line = false;

	for (unsigned i = 0; i < rows->len; i++) {
		lock_sum_init(&sums[i], r, rows->pdata[i]);
		wait_rows(wait, &sums[i].lock);
		hold_rows(hold, &sums[i].lock);
		any_line = line_row(line, &sums[i].lock) || any_line;
	}
	if (rows->len)
		page_heading(p, "Locks");
	table_finish(wait, p->out, p->width);
	if (rows->len)
		g_string_append_c(p->out, '\n');
	table_finish(hold, p->out, p->width);
	if (any_line)
		g_string_append_c(p->out, '\n');
	table_finish(line, p->out, p->width);
	for (unsigned i = 0; i < rows->len; i++) {
		events(p, &sums[i].lock);
		lock_sum_finish(&sums[i]);
	}
	g_free(sums);
}
