// SPDX-License-Identifier: GPL-2.0-or-later
/* The page docs/validation.md of `lockstep validate`. */
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/validate.h"

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

/* The beginnings of a row of the table, and of its notes: what finds them in an older page. */
static void put_row_head(GString *out, const struct target *t)
{
	g_string_append(out, "| ");
	put_cell(out, t->title);
}

static void put_notes_head(GString *out, const struct target *t)
{
	g_string_append_printf(out, "- **%s** (`%s`): ", t->title, t->name);
}

static void put_row(GString *out, const struct verdict_row *row)
{
	g_autofree char *seen = validate_seen(row), *error = validate_off(row), *accepted = validate_accepted(row->t);

	if (row->kept) {
		g_string_append(out, row->kept);
		return;
	}
	put_row_head(out, row->t);
	put_cell(out, row->t->published_text);
	put_cell(out, row->t->calibrated ? "this figure" : row->t->fitted ? row->t->fitted : "nothing");
	put_cell(out, seen);
	put_cell(out, error);
	put_cell(out, accepted);
	put_cell(out, validate_verdict(row));
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

	if (row->kept_notes) {
		g_string_append(out, row->kept_notes);
		return;
	}
	put_notes_head(out, row->t);
	g_string_append_printf(out, "`%s` of `%s`", row->t->measure, scenario);
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

/* -- an older page ------------------------------------------------------------------------------- */

/* What stands in @page from the line that begins with @head to where the item ends: its line, and indented ones below. */
static char *item_of(const char *page, const char *head)
{
	const char *at = page, *end;

	while (at && strncmp(at, head, strlen(head)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return NULL;
	for (end = at; *end && (end == at || *end == ' ');)
		end = strchr(end, '\n') ? strchr(end, '\n') + 1 : end + strlen(end);
	return g_strndup(at, (gsize)(end - at));
}

static bool keep(struct verdict_row *row, const char *page)
{
	g_autoptr(GString) table = g_string_new(NULL), notes = g_string_new(NULL);

	put_row_head(table, row->t);
	put_notes_head(notes, row->t);
	row->kept = item_of(page, table->str);
	row->kept_notes = item_of(page, notes->str);
	return row->kept && row->kept_notes;
}

bool validate_update(const char *path, const GPtrArray *file, const struct verdict_row *rows, unsigned n)
{
	g_autofree struct verdict_row *page = g_new0(struct verdict_row, file->len);
	g_autoptr(GString) out = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *old = NULL;
	bool whole = g_file_get_contents(path, &old, NULL, &error);

	for (unsigned i = 0, k = 0; whole && i < file->len; i++) {
		page[i].t = file->pdata[i];
		if (k < n && rows[k].t == page[i].t)
			page[i] = rows[k++];
		else if (!keep(&page[i], old))
			g_set_error(&error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s has no row %s: choose it too", path, page[i].t->name);
		whole = !error;
	}
	if (whole) {
		validate_markdown(out, page, file->len);
		whole = cli_write_file(path, out->str, out->len) == CLI_FINE;
	}
	for (unsigned i = 0; i < file->len; i++) {
		g_free(page[i].kept);
		g_free(page[i].kept_notes);
	}
	if (error)
		cli_error("%s", error->message);
	return whole;
}
