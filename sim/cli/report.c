// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep report FILE.sqlite: what a sweep came to, as tables, as CSV and as a picture. */
#include "sim/cli/report.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/student.h"
#include "sim/report/table.h"

static struct {
	char *measures, *lock, *svg, *x, *plot;
	gboolean csv;
} own;

static const GOptionEntry own_options[] = {
	{ "measure", 'm', 0, G_OPTION_ARG_STRING, &own.measures, "Columns, or \"all\" (default: the most asked for)", "NAME,..." },
	{ "lock", 'l', 0, G_OPTION_ARG_STRING, &own.lock, "Numbers of this lock (default: of all together)", "NAME" },
	{ "csv", 0, 0, G_OPTION_ARG_NONE, &own.csv, "Comma-separated, in base units: ps, ppm, thousandths", NULL },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print the tables as JSON, in base units", NULL },
	{ "svg", 0, 0, G_OPTION_ARG_FILENAME, &own.svg, "Draw a picture into this file (with gnuplot)", "FILE" },
	{ "plot", 0, 0, G_OPTION_ARG_STRING, &own.plot, "What the picture shows (default: throughput)", "NAME" },
	{ "x", 'x', 0, G_OPTION_ARG_STRING, &own.x, "Against which varied parameter (default: the first with numbers)", "NAME" },
	G_OPTION_ENTRY_NULL,
};

/* -- which columns ----------------------------------------------------------------------------- */

struct columns {
	enum measure_id id[MEASURE_IDS];
	unsigned n;
};

static void unknown_measure(const char *option, const char *name)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (unsigned k = 0; k < MEASURE_IDS; k++)
		g_string_append_printf(all, " %s", measure_info[k].id);
	cli_error("%s: there is no measure \"%s\"; there are%s", option, name, all->str);
}

static bool read_columns(struct columns *c)
{
	const char *usual = "throughput,wait_p50,wait_p99,wait_max,spin,sleep,unfair,busy";
	g_auto(GStrv) words = g_strsplit(own.measures ? own.measures : usual, ",", -1);

	if (own.measures && !strcmp(own.measures, "all")) {
		for (c->n = 0; c->n < MEASURE_IDS; c->n++)
			c->id[c->n] = (enum measure_id)c->n;
		return true;
	}
	for (unsigned i = 0; words[i] && c->n < MEASURE_IDS; i++) {
		if (!measure_find(words[i], &c->id[c->n])) {
			unknown_measure("--measure", words[i]);
			return false;
		}
		c->n++;
	}
	return true;
}

/* -- tables -------------------------------------------------------------------------------------- */

static void put_cell(struct table *t, const struct sweep_point *p, enum measure_id id)
{
	g_autofree uint64_t *x = sweep_values(p, id);
	g_autoptr(GString) text = g_string_new(NULL);
	struct spread s = spread_of(x, p->m->len);
	uint64_t permille = (ppm_of(s.half, s.mean) + 500) / 1000;

	measure_put(text, measure_info[id].unit, s.mean);
	table_text(t, s.mean ? text->str : "-");
	if (!s.known || !s.mean)
		table_text(t, "-");
	else
		table_printf(t, "%u.%u%%", (unsigned)(permille / 10), (unsigned)(permille % 10));
}

static void put_head(GString *out, const struct sweep_table *st)
{
	g_string_append_printf(out, "%s%s  (%s, version %s)\n", out->len ? "\n" : "", *st->name ? st->name : "scenario", st->hash,
			       st->version);
	if (*st->fixed)
		g_string_append_printf(out, "with %s\n", st->fixed);
	if (own.lock)
		g_string_append_printf(out, "lock %s\n", own.lock);
	g_string_append(out, "means; +- is half of the 95 % interval in percent of the mean (Student's t)\n\n");
}

static void put_table(GString *out, const struct sweep_table *st, const struct columns *c)
{
	struct table *t = table_new();

	/* the first column is repeated when the table is cut: all parameters are in it */
	const char *title = st->param->len ? st->param->pdata[0] : "";

	table_column(t, NULL, st->param->len > 1 ? "parameters" : title, 0);
	table_column(t, NULL, "runs", TABLE_KEEP);
	table_column(t, NULL, "missed", TABLE_HIDE | TABLE_KEEP);
	for (unsigned i = 0; i < c->n; i++) {
		table_column(t, NULL, measure_info[c->id[i]].title, TABLE_HIDE);
		table_column(t, NULL, "+-", TABLE_HIDE | TABLE_KEEP);
	}
	for (unsigned i = 0; i < st->point->len; i++) {
		const struct sweep_point *p = st->point->pdata[i];
		g_autoptr(GString) name = g_string_new(NULL);

		for (unsigned k = 0; k < st->param->len; k++)
			g_string_append_printf(name, "%s%s%s%s", k ? " " : "",
					       st->param->len > 1 ? (char *)st->param->pdata[k] : "",
					       st->param->len > 1 ? "=" : "", p->value[k]);
		table_row(t);
		table_text(t, name->str);
		table_count(t, p->m->len);
		table_count(t, p->missed);
		for (unsigned k = 0; k < c->n; k++)
			put_cell(t, p, c->id[k]);
	}
	put_head(out, st);
	table_finish(t, out, REPORT_WIDTH);
}

/* -- CSV and JSON ----------------------------------------------------------------------------------- */

static void put_field(GString *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		g_string_append(out, text);
		return;
	}
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

static void put_csv_row(GString *out, const struct sweep_table *st, const struct sweep_point *p, const struct columns *c)
{
	put_field(out, *st->name ? st->name : st->hash);
	g_string_append_printf(out, ",%s", st->version);
	for (unsigned k = 0; k < st->param->len; k++) {
		g_string_append_c(out, ',');
		put_field(out, p->value[k]);
	}
	g_string_append_printf(out, ",%u,%u", p->m->len, p->missed);
	for (unsigned k = 0; k < c->n; k++) {
		g_autofree uint64_t *x = sweep_values(p, c->id[k]);
		struct spread s = spread_of(x, p->m->len);

		g_string_append_printf(out, ",%" G_GUINT64_FORMAT ",", s.mean);
		if (s.known)
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, s.half);
	}
	g_string_append_c(out, '\n');
}

static void put_csv(GString *out, const struct sweep_table *st, const struct columns *c)
{
	g_string_append(out, "scenario,version");
	for (unsigned k = 0; k < st->param->len; k++) {
		g_string_append_c(out, ',');
		put_field(out, st->param->pdata[k]);
	}
	g_string_append(out, ",runs,missed");
	for (unsigned k = 0; k < c->n; k++)
		g_string_append_printf(out, ",%s,%s_half", measure_info[c->id[k]].id, measure_info[c->id[k]].id);
	g_string_append_c(out, '\n');
	for (unsigned i = 0; i < st->point->len; i++)
		put_csv_row(out, st, st->point->pdata[i], c);
}

static void put_point(struct json *j, const struct sweep_table *st, const struct sweep_point *p, const struct columns *c)
{
	json_open(j, NULL, '{');
	json_open(j, "params", '{');
	for (unsigned k = 0; k < st->param->len; k++)
		json_string(j, st->param->pdata[k], p->value[k]);
	json_close(j, '}');
	json_count(j, "runs", p->m->len);
	json_count(j, "missed", p->missed);
	for (unsigned k = 0; k < c->n; k++) {
		g_autofree uint64_t *x = sweep_values(p, c->id[k]);
		struct spread s = spread_of(x, p->m->len);

		json_open(j, measure_info[c->id[k]].id, '{');
		json_count(j, "mean", s.mean);
		if (s.known)
			json_count(j, "half", s.half);
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void put_json(GString *out, const GPtrArray *tables, const struct columns *c)
{
	struct json j = { .out = out, .first = true };

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "sweep");
	json_open(&j, "tables", '[');
	for (unsigned i = 0; i < tables->len; i++) {
		const struct sweep_table *st = tables->pdata[i];

		json_open(&j, NULL, '{');
		json_string(&j, "scenario", st->name);
		json_string(&j, "hash", st->hash);
		json_string(&j, "version", st->version);
		json_string(&j, "fixed", st->fixed);
		json_open(&j, "points", '[');
		for (unsigned k = 0; k < st->point->len; k++)
			put_point(&j, st, st->point->pdata[k], c);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}

/* -- the picture ------------------------------------------------------------------------------------- */

static bool find_axis(const struct sweep_table *t, unsigned *x)
{
	uint64_t n;

	for (unsigned pass = 0; pass < 2; pass++)
		for (*x = 0; *x < t->param->len; ++*x) {
			const struct sweep_point *p = t->point->pdata[0];

			if (own.x ? !strcmp(t->param->pdata[*x], own.x) : pass || sweep_number(p->value[*x], &n))
				return true;
		}
	if (own.x)
		cli_error("--x %s: no parameter of that name differs between the runs", own.x);
	else
		cli_error("--svg: no parameter differs between the runs");
	return false;
}

static int draw(const GPtrArray *tables)
{
	enum measure_id id = MEASURE_throughput;
	unsigned x;

	if (own.plot && !measure_find(own.plot, &id)) {
		unknown_measure("--plot", own.plot);
		return CLI_WRONG;
	}
	if (tables->len != 1) {
		cli_error("--svg: the file has %u scenarios or versions; a picture shows one", tables->len);
		return CLI_WRONG;
	}
	return find_axis(tables->pdata[0], &x) ? sweep_plot(tables->pdata[0], id, x, own.svg) : CLI_WRONG;
}

static int print(const GPtrArray *tables, const struct columns *c)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (opt.json)
		put_json(out, tables, c);
	for (unsigned i = 0; i < tables->len && !opt.json; i++) {
		if (own.csv)
			put_csv(out, tables->pdata[i], c);
		else
			put_table(out, tables->pdata[i], c);
	}
	return cli_write(out);
}

static int run(int argc, char **argv)
{
	struct columns columns = { .n = 0 };
	struct store *store;
	GPtrArray *tables;
	int status;

	if (argc != 1) {
		cli_error("which file of `lockstep sweep`?");
		return CLI_WRONG;
	}
	if (!read_columns(&columns))
		return CLI_WRONG;
	store = store_open(argv[0], false);
	if (!store)
		return CLI_WORLD;
	tables = sweep_tables(store, own.lock);
	store_close(store);
	if (!tables)
		return CLI_WORLD;
	if (!tables->len) {
		cli_error("%s: no rows%s%s", argv[0], own.lock ? " of lock " : "", own.lock ? own.lock : "");
		status = CLI_WRONG;
	} else {
		status = print(tables, &columns);
		if (status == CLI_FINE && own.svg)
			status = draw(tables);
	}
	sweep_tables_free(tables);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, NULL };

const struct cli_verb verb_report = {
	.name = "report",
	.args = "FILE.sqlite",
	.summary = "Print what a sweep came to: tables, CSV, JSON, a picture",
	.more = "Rows of the same parameters are put together over their seeds: mean and 95 % interval.\n",
	.groups = groups,
	.run = run,
};
