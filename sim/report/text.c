// SPDX-License-Identifier: GPL-2.0-or-later
/* The text report of a run. The tables are in locks.c, tasks.c and compare.c. */
#include <stdarg.h>
#include <string.h>

#include "sim/report/parts.h"

#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

const char *report_end(enum run_end end)
{
	switch (end) {
	case RUN_END_TIME:
		return "its time was over";
	case RUN_END_DONE:
		return "all tasks have exited";
	case RUN_END_QUIET:
		return "nothing was left that could happen";
	case RUN_END_FINDING:
		return "a finding ended it";
	case RUN_END_STEPS:
		return "the limit of steps was reached";
	case RUN_END_INTERRUPTED:
		return "interrupted";
	}
	g_assert_not_reached();
}

void page_heading(const struct page *p, const char *fmt, ...)
{
	va_list args;

	g_string_append_c(p->out, '\n');
	if (p->colour)
		g_string_append(p->out, BOLD);
	va_start(args, fmt);
	g_string_append_vprintf(p->out, fmt, args);
	va_end(args);
	g_string_append(p->out, p->colour ? PLAIN "\n" : "\n");
}

void page_words(const struct page *p, char *const *words, const char *sep)
{
	size_t at = 2;

	g_string_append(p->out, "  ");
	for (unsigned i = 0; words[i]; i++) {
		size_t len = strlen(words[i]) + (words[i + 1] ? strlen(sep) : 0);

		if (at > 2 && at + len > p->width) {
			while (p->out->str[p->out->len - 1] == ' ')
				g_string_truncate(p->out, p->out->len - 1);
			g_string_append(p->out, "\n  ");
			at = 2;
		}
		g_string_append_printf(p->out, "%s%s", words[i], words[i + 1] ? sep : "");
		at += len;
	}
	g_string_append_c(p->out, '\n');
}

static void coloured(const struct page *p, const char *colour, const char *text)
{
	g_string_append_printf(p->out, "%s%s%s", p->colour ? colour : "", text, p->colour ? PLAIN : "");
}

/* -- header -------------------------------------------------------------------------------- */

static void throughput(const struct page *p, const struct run_result *r)
{
	if (!r->has_throughput)
		return;
	g_string_append_printf(p->out, "  throughput  %" G_GUINT64_FORMAT ".%03u /s  (%" G_GUINT64_FORMAT " done)\n",
			       r->throughput_milli / 1000, (unsigned)(r->throughput_milli % 1000), r->done);
}

/* A schedule that was recorded of something else. */
static void misfit(const struct page *p, const struct run_choice *c)
{
	char t[SIM_TIME_CHARS];

	if (c->left)
		g_string_append_printf(p->out, "  misfit      the run ended before the last %" G_GUINT64_FORMAT
					       " decisions of the schedule\n", c->left);
	if (!c->diverged)
		return;
	g_string_append_printf(p->out, "  misfit      the schedule does not fit at its decision %" G_GUINT64_FORMAT
				       ", at %s: ", c->diverged_at, sim_time_format(t, c->diverged_time));
	if (c->among)
		g_string_append_printf(p->out, "it chose among %u, here are %u;", c->among, c->found);
	else
		g_string_append_printf(p->out, "there are only %u to choose among;", c->found);
	g_string_append(p->out, "\n              it was recorded of another scenario, or other settings; from there on: the fixed order\n");
}

static void choices(const struct page *p, const struct run_choice *c)
{
	if (!c)
		return;
	g_string_append_printf(p->out, "  orders      %" G_GUINT64_FORMAT " open, %" G_GUINT64_FORMAT " not as by default\n",
			       c->open, c->turned);
	misfit(p, c);
	if (c->replay)
		g_string_append_printf(p->out, "  again       --choice %s\n", c->replay);
}

static void header(const struct page *p, const struct run_result *r)
{
	char from[SIM_TIME_CHARS], until[SIM_TIME_CHARS];
	bool named = r->scenario && *r->scenario;
	g_autofree char *title = g_strdup_printf("Scenario %s", named ? r->scenario : r->path);

	coloured(p, BOLD, title);
	g_string_append_c(p->out, '\n');
	for (unsigned i = 0; r->about && r->about[i]; i++)
		g_string_append_printf(p->out, "  %s\n", r->about[i]);
	g_string_append_printf(p->out, "  file        %s\n", r->path);
	g_string_append_printf(p->out, "  machine     %s\n", r->machine);
	g_string_append_printf(p->out, "  seed        %" G_GUINT64_FORMAT "\n", r->seed);
	choices(p, r->choice);
	g_string_append_printf(p->out, "  window      %s to %s; ended because %s\n", sim_time_format(from, r->from),
			       sim_time_format(until, r->until), report_end(r->end));
	g_string_append_printf(p->out, "  digest      %016" G_GINT64_MODIFIER "x  (%" G_GUINT64_FORMAT " records)\n",
			       r->digest, r->records);
	throughput(p, r);
	for (unsigned i = 0; i < r->ndone; i++)
		g_string_append_printf(p->out, "  done %s  %" G_GUINT64_FORMAT "\n", r->done_name[i], r->done_count[i]);
}

/* -- what was found -------------------------------------------------------------------------- */

static void finding(const struct page *p, const struct run_finding *f)
{
	char at[SIM_TIME_CHARS];
	g_auto(GStrv) lines = g_strsplit(f->text ? f->text : "", "\n", -1);

	g_string_append(p->out, "  ");
	coloured(p, f->expected ? BOLD : RED, run_finding_name[f->kind]);
	g_string_append_printf(p->out, " at %s", sim_time_format(at, f->at));
	if (f->task)
		g_string_append_printf(p->out, ", task %s", f->task);
	if (f->lock)
		g_string_append_printf(p->out, ", lock %s", f->lock);
	if (f->line)
		g_string_append_printf(p->out, ", %s:%u", f->file, f->line);
	g_string_append(p->out, f->expected ? " (expected)\n" : "\n");
	for (unsigned i = 0; lines[i]; i++)
		if (*lines[i])
			g_string_append_printf(p->out, "    %s\n", lines[i]);
}

static void watched(const struct page *p, const struct run_result *r)
{
	g_autoptr(GPtrArray) on = g_ptr_array_new(), off = g_ptr_array_new();

	for (unsigned i = 0; i < r->noracle; i++)
		g_ptr_array_add(r->oracle_watched[i] ? on : off, (void *)r->oracle[i]);
	g_ptr_array_add(on, NULL);
	g_ptr_array_add(off, NULL);
	if (on->len > 1) {
		page_heading(p, "Watched");
		page_words(p, (char *const *)on->pdata, ", ");
	}
	if (off->len > 1) {
		page_heading(p, "Not watched");
		page_words(p, (char *const *)off->pdata, ", ");
	}
}

void part_findings(const struct page *p, const struct run_result *r)
{
	watched(p, r);
	page_heading(p, "Findings");
	if (!r->nfinding)
		g_string_append(p->out, "  none\n");
	for (unsigned i = 0; i < r->nfinding; i++)
		finding(p, &r->finding[i]);
	for (unsigned c = 0; c < r->ncompare; c++) {
		const struct run_result *other = r->compare[c].result;

		for (unsigned i = 0; other && i < other->nfinding; i++) {
			g_string_append_printf(p->out, "  under %s:\n", r->compare[c].model);
			finding(p, &other->finding[i]);
		}
	}
}

/* On one line where that fits; what was seen goes below otherwise. */
static void verdict(const struct page *p, const struct run_verdict *v, const struct run_compare *under)
{
	g_autofree char *where = g_strdup_printf("%s:%u: ", v->file, v->line);
	g_autofree char *model = under ? g_strdup_printf("under %s: ", under->model) : g_strdup("");
	const char *seen = v->seen && *v->seen ? v->seen : NULL;
	size_t used = strlen("  PASS  ") + strlen(where) + strlen(model) + strlen(v->text);

	g_string_append(p->out, "  ");
	coloured(p, v->met ? GREEN : RED, v->met ? "PASS" : "FAIL");
	g_string_append_printf(p->out, "  %s%s%s", where, model, v->text);
	if (seen && v->met && used + strlen("  (seen: )") + strlen(seen) <= p->width)
		g_string_append_printf(p->out, "  (seen: %s)\n", seen);
	else if (seen)
		g_string_append_printf(p->out, "\n        seen: %s\n", seen);
	else
		g_string_append_c(p->out, '\n');
}

static void verdicts(const struct page *p, const struct run_result *r, bool only_missed)
{
	for (unsigned i = 0; i < r->nverdict; i++)
		if (!only_missed || !r->verdict[i].met)
			verdict(p, &r->verdict[i], NULL);
	for (unsigned c = 0; c < r->ncompare; c++)
		for (unsigned i = 0; i < r->compare[c].nverdict; i++)
			if (!only_missed || !r->compare[c].verdict[i].met)
				verdict(p, &r->compare[c].verdict[i], &r->compare[c]);
}

unsigned report_verdicts(const struct run_result *r, unsigned *missed)
{
	unsigned all = r->nverdict;

	*missed = 0;
	for (unsigned i = 0; i < r->nverdict; i++)
		*missed += !r->verdict[i].met;
	for (unsigned c = 0; c < r->ncompare; c++) {
		all += r->compare[c].nverdict;
		for (unsigned i = 0; i < r->compare[c].nverdict; i++)
			*missed += !r->compare[c].verdict[i].met;
	}
	return all;
}

void part_verdicts(const struct page *p, const struct run_result *r)
{
	unsigned missed, all = report_verdicts(r, &missed);

	if (!all)
		return;
	page_heading(p, "Expectations: %u met, %u missed", all - missed, missed);
	verdicts(p, r, false);
}

void report_misses(GString *out, const struct run_result *r)
{
	struct page p = { out, REPORT_WIDTH, false };

	for (unsigned i = 0; i < r->nfinding; i++)
		if (!r->finding[i].expected)
			finding(&p, &r->finding[i]);
	for (unsigned c = 0; c < r->ncompare; c++) {
		const struct run_result *other = r->compare[c].result;

		for (unsigned i = 0; other && i < other->nfinding; i++)
			if (!other->finding[i].expected)
				finding(&p, &other->finding[i]);
	}
	verdicts(&p, r, true);
	if (r->end == RUN_END_STEPS || r->end == RUN_END_INTERRUPTED)
		g_string_append_printf(out, "  no verdict: %s\n", report_end(r->end));
}

void report_text(GString *out, const struct run_result *r, const struct report_style *style)
{
	struct page p = { out, style->width ? MAX(style->width, 60) : REPORT_WIDTH, style->colour };

	header(&p, r);
	part_locks(&p, r);
	part_tasks(&p, r);
	part_cpus(&p, r);
	part_pieces(&p, r);
	part_compare(&p, r);
	part_findings(&p, r);
	part_verdicts(&p, r);
}
