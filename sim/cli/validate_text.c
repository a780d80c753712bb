// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of `lockstep validate`, for terminals, for docs/validation.md and for programs. */
#include <string.h>

#include "sim/cli/validate.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

static char *seen_text(const struct verdict_row *row)
{
	GString *text = g_string_new(NULL);

	if (!row->has)
		return g_string_free(g_string_append(text, "none"), FALSE);
	target_put(text, row->t->unit, row->seen.mean);
	if (row->seen.known) {
		g_string_append(text, " +- ");
		target_put(text, row->t->unit, row->seen.half);
	}
	return g_string_free(text, FALSE);
}

static char *range_text(enum target_unit unit, const uint64_t range[2])
{
	GString *text = g_string_new(NULL);

	target_put(text, unit, range[0]);
	if (range[1] != range[0]) {
		g_string_append(text, "..");
		target_put(text, unit, range[1]);
	}
	return g_string_free(text, FALSE);
}

static char *error_text(const struct verdict_row *row)
{
	int64_t e = validate_error(row);

	if (!row->has)
		return g_strdup("-");
	if (!e)
		return g_strdup("0.0 %");
	return g_strdup_printf("%c%" G_GINT64_FORMAT ".%u %%", e < 0 ? '-' : '+', ABS(e) / 10, (unsigned)(ABS(e) % 10));
}

static const char *verdict_text(const struct verdict_row *row)
{
	if (row->broken)
		return "no result";
	if (row->met)
		return row->t->known_miss ? "met (was a known miss)" : "met";
	return row->t->known_miss ? "miss (known)" : "MISS";
}

/* -- for a terminal -------------------------------------------------------------------------------- */

static void put_note(GString *out, const char *what, const char *text)
{
	if (text && *text)
		g_string_append_printf(out, "      %s: %s\n", what, text);
}

void validate_text(GString *out, const struct verdict_row *rows, unsigned n)
{
	struct table *t = table_new();
	unsigned met = 0, known = 0;

	table_column(t, NULL, "row", 0);
	table_column(t, NULL, "published", 0);
	table_column(t, NULL, "here", TABLE_KEEP);
	table_column(t, NULL, "error", TABLE_KEEP);
	table_column(t, NULL, "accepted", TABLE_KEEP);
	table_column(t, NULL, "verdict", TABLE_LEFT | TABLE_KEEP);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *seen = seen_text(&rows[i]), *error = error_text(&rows[i]);
		g_autofree char *accepted = range_text(rows[i].t->unit, rows[i].t->accepted);

		table_row(t);
		table_printf(t, "%s %s", rows[i].t->result, rows[i].t->name);
		table_text(t, rows[i].t->published_text);
		table_text(t, seen);
		table_text(t, error);
		table_text(t, accepted);
		table_printf(t, "%s%s", verdict_text(&rows[i]), rows[i].t->calibrated ? ", calibrated" : "");
		met += rows[i].met;
		known += !rows[i].met && !rows[i].broken && rows[i].t->known_miss;
	}
	table_finish(t, out, REPORT_WIDTH);
	g_string_append_c(out, '\n');
	for (unsigned i = 0; i < n; i++) {
		const struct target *g = rows[i].t;

		g_string_append_printf(out, "  %s: %s\n", g->name, g->title);
		put_note(out, "source", g->source);
		put_note(out, "calibrated", g->fitted);
		put_note(out, "no result", rows[i].broken);
		put_note(out, "not explained by a lock alone", g->unexplained);
		put_note(out, "analysis", rows[i].met ? NULL : g->analysis);
	}
	g_string_append_printf(out, "\n%u of %u met, %u known to miss\n", met, n, known);
}

/* -- the page ------------------------------------------------------------------------------------------ */

/* In a cell of a table: no bars, no line ends. */
static void put_cell(GString *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text == '\n' ? ' ' : *text);
	}
	g_string_append(out, " | ");
}

static void put_row(GString *out, const struct verdict_row *row)
{
	g_autofree char *seen = seen_text(row), *error = error_text(row), *accepted = range_text(row->t->unit, row->t->accepted);

	g_string_append(out, "| ");
	put_cell(out, row->t->title);
	put_cell(out, row->t->published_text);
	put_cell(out, row->t->calibrated ? "this figure" : row->t->fitted ? row->t->fitted : "nothing");
	put_cell(out, seen);
	put_cell(out, error);
	put_cell(out, accepted);
	put_cell(out, verdict_text(row));
	g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
}

static void put_item(GString *out, const char *what, const char *text)
{
	if (text && *text)
		g_string_append_printf(out, " %s %s\n", what, text);
}

static void put_notes(GString *out, const struct verdict_row *row)
{
	g_autofree char *scenario = g_path_get_basename(row->t->scenario);
	g_autofree char *set = row->t->set ? g_strjoinv(" ", row->t->set) : g_strdup("");
	g_autofree char *against = row->t->against ? g_strjoinv(" ", row->t->against) : g_strdup("");

	g_string_append_printf(out, "- **%s** (`%s`): `%s` of `%s`", row->t->title, row->t->name, row->t->measure, scenario);
	if (*set)
		g_string_append_printf(out, " with `%s`", set);
	if (row->t->against || row->t->against_scenario)
		g_string_append_printf(out, ", against `%s`", *against ? against : "the scenario as it stands");
	g_string_append_printf(out, ", %u seed%s.\n", row->t->seeds, row->t->seeds == 1 ? "" : "s");
	put_item(out, " Source:", row->t->source);
	put_item(out, " No result:", row->broken);
	put_item(out, " Not explained by a lock alone:", row->t->unexplained);
	put_item(out, " Why it misses:", row->met ? NULL : row->t->analysis);
}

static void put_section(GString *out, const struct verdict_row *rows, unsigned n)
{
	g_string_append_printf(out, "\n## Result %s\n\n", rows[0].t->result);
	g_string_append(out, "| what | published | calibrated on | here | error | accepted | verdict |\n"
			     "|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < n; i++)
		put_row(out, &rows[i]);
	g_string_append_c(out, '\n');
	for (unsigned i = 0; i < n; i++)
		put_notes(out, &rows[i]);
}

void validate_markdown(GString *out, const struct verdict_row *rows, unsigned n)
{
	g_string_append(out, "<!-- Generated: lockstep validate --markdown >docs/validation.md -->\n"
			     "# How close the models come\n\n"
			     "Figures that others measured on real machines, and what the scenarios in `scenarios/results/` show. "
			     "`here` is the\nmean over seeds with half of its 95 % interval (Student's t); the error is that of the mean, "
			     "against the nearer end\nwhere a range was published. At most one figure of a result is calibrated on; it is "
			     "named. A miss stays in the\ntable with its analysis. `lockstep validate` makes this page; "
			     "`scenarios/results/targets` has a stanza for each row.\n");
	for (unsigned i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && !strcmp(rows[i].t->result, rows[i + k].t->result);)
			k++;
		put_section(out, &rows[i], k);
	}
}

/* -- for programs ------------------------------------------------------------------------------------------ */

static const char *unit_name(enum target_unit unit)
{
	switch (unit) {
	case TARGET_TIME:
		return "ps";
	case TARGET_NUMBER:
		return "milli";
	case TARGET_SHARE:
	case TARGET_RATIO:
		break;
	}
	return "ppm";
}

void validate_json(GString *out, const struct verdict_row *rows, unsigned n)
{
	struct json j = { .out = out, .first = true };

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "validation");
	json_open(&j, "rows", '[');
	for (unsigned i = 0; i < n; i++) {
		const struct target *t = rows[i].t;

		json_open(&j, NULL, '{');
		json_string(&j, "name", t->name);
		json_string(&j, "result", t->result);
		json_string(&j, "title", t->title);
		json_string(&j, "source", t->source);
		json_bool(&j, "calibrated", t->calibrated);
		json_string(&j, "unit", unit_name(t->unit));
		json_count(&j, "published_from", t->published[0]);
		json_count(&j, "published_to", t->published[1]);
		json_count(&j, "accepted_from", t->accepted[0]);
		json_count(&j, "accepted_to", t->accepted[1]);
		if (rows[i].has) {
			json_count(&j, "mean", rows[i].seen.mean);
			json_int(&j, "error_permille", validate_error(&rows[i]));
		}
		if (rows[i].has && rows[i].seen.known)
			json_count(&j, "half", rows[i].seen.half);
		json_string(&j, "verdict", verdict_text(&rows[i]));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}
