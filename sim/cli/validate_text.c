// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of `lockstep validate`, for terminals and for programs. */
#include <string.h>

#include "sim/cli/validate.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

char *validate_seen(const struct verdict_row *row)
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

char *validate_accepted(const struct target *t)
{
	GString *text = g_string_new(t->reported ? "-" : NULL);

	if (!t->reported)
		target_put(text, t->unit, t->accepted[0]);
	if (t->accepted[1] != t->accepted[0]) {
		g_string_append(text, "..");
		target_put(text, t->unit, t->accepted[1]);
	}
	return g_string_free(text, FALSE);
}

char *validate_off(const struct verdict_row *row)
{
	int64_t e = validate_error(row);

	if (!row->has)
		return g_strdup("-");
	if (!e)
		return g_strdup("0.0 %");
	return g_strdup_printf("%c%" G_GINT64_FORMAT ".%u %%", e < 0 ? '-' : '+', ABS(e) / 10, (unsigned)(ABS(e) % 10));
}

const char *validate_verdict(const struct verdict_row *row)
{
	if (row->broken)
		return "no result";
	if (row->t->reported)
		return "reported";
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
	unsigned met = 0, known = 0, judged = 0;

	table_column(t, NULL, "row", 0);
	table_column(t, NULL, "published", 0);
	table_column(t, NULL, "here", TABLE_KEEP);
	table_column(t, NULL, "error", TABLE_KEEP);
	table_column(t, NULL, "accepted", TABLE_KEEP);
	table_column(t, NULL, "verdict", TABLE_LEFT | TABLE_KEEP);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *seen = validate_seen(&rows[i]), *error = validate_off(&rows[i]);
		g_autofree char *accepted = validate_accepted(rows[i].t);

		table_row(t);
		table_printf(t, "%s %s", rows[i].t->result, rows[i].t->name);
		table_text(t, rows[i].t->published_text);
		table_text(t, seen);
		table_text(t, error);
		table_text(t, accepted);
		table_printf(t, "%s%s", validate_verdict(&rows[i]), rows[i].t->calibrated ? ", calibrated" : "");
		judged += !rows[i].t->reported;
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
	g_string_append_printf(out, "\n%u of %u met, %u known to miss\n", met, judged, known);
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
		if (!t->reported) {
			json_count(&j, "accepted_from", t->accepted[0]);
			json_count(&j, "accepted_to", t->accepted[1]);
		}
		if (rows[i].has) {
			json_count(&j, "mean", rows[i].seen.mean);
			json_int(&j, "error_permille", validate_error(&rows[i]));
		}
		if (rows[i].has && rows[i].seen.known)
			json_count(&j, "half", rows[i].seen.half);
		json_string(&j, "verdict", validate_verdict(&rows[i]));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}
