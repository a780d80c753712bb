// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockstep validate: published figures against what the scenarios in scenarios/results show.
 *
 * Rows often look at the same run. So the runs that all rows need are listed first, each once, and
 * every run hands back the values of all rows that look at it.
 */
#include "sim/cli/validate.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/workers.h"
#include "sim/report/report.h"

#define JOBS_MAX 1024

static struct {
	char *rows, *check, *update, *add_seed;
	gboolean markdown;
} own;

static const GOptionEntry own_options[] = {
	{ "rows", 0, 0, G_OPTION_ARG_STRING, &own.rows, "Only the rows of these names or results", "NAME,..." },
	{ "add-seed", 0, 0, G_OPTION_ARG_STRING, &own.add_seed, "Add N to every seed: do the figures hang on them?", "N" },
	{ "jobs", 'j', 0, G_OPTION_ARG_INT, &opt.jobs, "Run N at a time (default: 1)", "N" },
	{ "markdown", 0, 0, G_OPTION_ARG_NONE, &own.markdown, "Print the page docs/validation.md", NULL },
	{ "check", 0, 0, G_OPTION_ARG_FILENAME, &own.check, "Exit with 1 if that page is not what this file has", "FILE" },
	{ "update", 0, 0, G_OPTION_ARG_FILENAME, &own.update, "Write that page, with the rows not chosen as this file has them", "FILE" },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print the rows as JSON", NULL },
	G_OPTION_ENTRY_NULL,
};

struct vrun { /* one scenario with parameters and one seed */
	const char *scenario;
	char **set; /* or NULL */
	uint64_t turn; /* added to the scenario's seed */
};

static struct validate {
	GPtrArray *file;    /* all there are */
	GPtrArray *targets; /* the chosen */
	GArray *run;	    /* struct vrun */
	uint64_t add_seed;
	uint64_t **value;   /* [row * 2 + side][turn] */
	char **broken;	    /* by row: the first reason */
	unsigned done;
	int status;
} all;

/* -- which runs ------------------------------------------------------------------------------------- */

static const char *scenario_of(const struct target *t, unsigned side)
{
	return side && t->against_scenario ? t->against_scenario : t->scenario;
}

static char **set_of(const struct target *t, unsigned side)
{
	return side ? t->against : t->set;
}

static unsigned sides_of(const struct target *t)
{
	return t->against || t->against_scenario ? 2 : 1;
}

static bool same_sets(char **a, char **b)
{
	unsigned n = a ? g_strv_length(a) : 0, m = b ? g_strv_length(b) : 0;

	if (n != m)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

static bool looks_at(const struct target *t, unsigned side, const struct vrun *run)
{
	return run->turn < t->seeds && !strcmp(scenario_of(t, side), run->scenario) && same_sets(set_of(t, side), run->set);
}

static void need_run(const struct target *t, unsigned side, uint64_t turn)
{
	struct vrun run = { scenario_of(t, side), set_of(t, side), turn };

	for (unsigned i = 0; i < all.run->len; i++) {
		const struct vrun *known = &g_array_index(all.run, struct vrun, i);

		if (known->turn == turn && looks_at(t, side, known))
			return;
	}
	g_array_append_val(all.run, run);
}

static void list_runs(void)
{
	all.run = g_array_new(FALSE, FALSE, sizeof(struct vrun));
	all.value = g_new0(uint64_t *, 2 * all.targets->len);
	all.broken = g_new0(char *, all.targets->len);
	for (unsigned i = 0; i < all.targets->len; i++) {
		const struct target *t = all.targets->pdata[i];

		for (unsigned side = 0; side < sides_of(t); side++) {
			all.value[2 * i + side] = g_new0(uint64_t, t->seeds);
			for (unsigned turn = 0; turn < t->seeds; turn++)
				need_run(t, side, turn);
		}
	}
}

/* -- in a child -------------------------------------------------------------------------------------- */

/* Findings that nobody expected: the run is not the one that the row is about. */
static bool is_sound(const struct run_result *r)
{
	for (unsigned i = 0; i < r->nfinding; i++)
		if (!r->finding[i].expected)
			return false;
	return r->end != RUN_END_STEPS && r->end != RUN_END_INTERRUPTED;
}

static void put_values(GString *text, const struct vrun *run, const struct run_result *r)
{
	for (unsigned i = 0; i < all.targets->len; i++) {
		const struct target *t = all.targets->pdata[i];

		for (unsigned side = 0; side < sides_of(t); side++) {
			enum target_unit unit;
			uint64_t v;

			if (looks_at(t, side, run) && target_value(r, t->measure, t->lock, &unit, &v))
				g_string_append_printf(text, "%u %u %" G_GUINT64_FORMAT "\n", i, side, v);
		}
	}
}

static void run_case(struct test_case *c)
{
	const struct vrun *run = &g_array_index(all.run, struct vrun, g_ascii_strtoull(c->path, NULL, 10));
	struct run_options options = { .no_compare = true, .has_seed = true, .interrupted = &cli_interrupted };
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *error = NULL;
	struct run_result *r;
	struct scenario *scn;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c->status = CASE_BROKEN;
	opt.sets = run->set;
	scn = cli_load(run->scenario, stderr, false, &c->exit);
	if (!scn) {
		c->text = g_strdup("the scenario is wrong; `lockstep check` says why");
		return;
	}
	options.seed = scn->seed + run->turn + all.add_seed;
	r = run_scenario(scn, &options, &error);
	if (r && is_sound(r)) {
		put_values(text, run, r);
		c->status = CASE_PASSED;
	} else if (r) {
		g_string_printf(text, "the run is no evidence: it ended %s", report_end(r->end));
		for (unsigned i = 0; i < r->nfinding && i < 1; i++)
			g_string_append_printf(text, ", %s", run_finding_name[r->finding[i].kind]);
	} else {
		g_string_assign(text, error);
	}
	c->text = g_string_free(g_steal_pointer(&text), FALSE);
}

/* -- in the parent ------------------------------------------------------------------------------------- */

static void progress(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Klockstep: %u of %u runs", all.done, all.run->len);
}

static void mark_broken(const struct vrun *run, const char *why)
{
	for (unsigned i = 0; i < all.targets->len; i++) {
		const struct target *t = all.targets->pdata[i];

		for (unsigned side = 0; side < sides_of(t); side++)
			if (looks_at(t, side, run) && !all.broken[i])
				all.broken[i] = g_strdup_printf("%s (seed + %" G_GUINT64_FORMAT ")", why, run->turn);
	}
}

static void take_case(void *user, const struct test_case *c, unsigned index)
{
	const struct vrun *run = &g_array_index(all.run, struct vrun, index);
	char *at = c->text;

	(void)user;
	all.done++;
	progress();
	if (c->status != CASE_PASSED) {
		mark_broken(run, c->text && *c->text ? g_strchomp(c->text) : "no result");
		return;
	}
	while (at && *at) {
		uint64_t row = g_ascii_strtoull(at, &at, 10), side = g_ascii_strtoull(at, &at, 10);

		if (row >= all.targets->len || side > 1 || !all.value[2 * row + side])
			break;
		all.value[2 * row + side][run->turn] = g_ascii_strtoull(at, &at, 10);
		at += *at == '\n';
	}
}

static bool run_all(void)
{
	struct test_case *cases = g_new0(struct test_case, all.run->len);
	int done;

	for (unsigned i = 0; i < all.run->len; i++)
		cases[i].path = g_strdup_printf("%u", i);
	progress();
	done = workers_run(cases, all.run->len, opt.jobs ? (unsigned)opt.jobs : 1, run_case, take_case, NULL);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	for (unsigned i = 0; i < all.run->len; i++) {
		g_free(cases[i].path);
		g_free(cases[i].text);
	}
	g_free(cases);
	if (done < 0)
		cli_error("cannot start a process: %s", g_strerror(errno));
	all.status = cli_interrupted ? CLI_INTERRUPTED : CLI_WORLD;
	return done == (int)all.run->len && !cli_interrupted;
}

static struct verdict_row judge(unsigned i)
{
	const struct target *t = all.targets->pdata[i];
	struct verdict_row row = { .t = t, .broken = all.broken[i] };

	if (row.broken)
		return row;
	row.has = true;
	if (sides_of(t) == 1)
		row.seen = spread_of(all.value[2 * i], t->seeds);
	else if (!spread_of_ratios(all.value[2 * i], all.value[2 * i + 1], t->seeds, &row.seen))
		row.has = false;
	if (!row.has)
		row.broken = all.broken[i] = g_strdup("the other side came to nothing");
	row.met = row.has && !t->reported && row.seen.mean >= t->accepted[0] && row.seen.mean <= t->accepted[1];
	return row;
}

int64_t validate_error(const struct verdict_row *row)
{
	const struct target *t = row->t;
	uint64_t v = row->seen.mean, edge = v < t->published[0] ? t->published[0] : t->published[1];

	if (v >= t->published[0] && v <= t->published[1])
		return 0;
	if (v > edge)
		return (int64_t)((ppm_of(v - edge, edge) + 500) / 1000);
	return -(int64_t)((ppm_of(edge - v, edge) + 500) / 1000);
}

/* -- the command line ------------------------------------------------------------------------------------ */

static bool is_chosen(const struct target *t)
{
	g_auto(GStrv) words = own.rows ? g_strsplit(own.rows, ",", -1) : NULL;

	return !words || g_strv_contains((const char *const *)words, t->name) ||
	       g_strv_contains((const char *const *)words, t->result);
}

static char *default_path(void)
{
	if (g_file_test("scenarios/results/targets", G_FILE_TEST_EXISTS))
		return g_strdup("scenarios/results/targets");
	return g_strdup(LOCKSTEP_DATADIR "/scenarios/results/targets");
}

static int check_page(const GString *page)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!g_file_get_contents(own.check, &text, NULL, &error)) {
		cli_error("%s", error->message);
		return CLI_WORLD;
	}
	if (!strcmp(text, page->str))
		return CLI_FINE;
	cli_error("%s is not what `lockstep validate --markdown` prints now", own.check);
	return CLI_MISSED;
}

static int print(const struct verdict_row *rows, unsigned n)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (own.markdown || own.check)
		validate_markdown(out, rows, n);
	else if (opt.json)
		validate_json(out, rows, n);
	else
		validate_text(out, rows, n);
	if (own.check)
		return check_page(out);
	return own.update && !validate_update(own.update, all.file, rows, n) ? CLI_WORLD : cli_write(out);
}

static int conclude(void)
{
	g_autofree struct verdict_row *rows = g_new0(struct verdict_row, all.targets->len + 1);
	int status = CLI_FINE, printed;

	for (unsigned i = 0; i < all.targets->len; i++) {
		rows[i] = judge(i);
		if (rows[i].broken)
			status = CLI_WORLD;
		else if (!rows[i].met && !rows[i].t->reported && !rows[i].t->known_miss && status == CLI_FINE)
			status = CLI_MISSED;
	}
	printed = print(rows, all.targets->len);
	return printed == CLI_FINE ? status : printed;
}

static void free_all(void)
{
	for (unsigned i = 0; all.value && i < all.targets->len; i++) {
		g_free(all.value[2 * i]);
		g_free(all.value[2 * i + 1]);
		g_free(all.broken[i]);
	}
	g_free(all.value);
	g_free(all.broken);
	if (all.run)
		g_array_free(all.run, TRUE);
	g_ptr_array_free(all.targets, TRUE);
}

/* The page is that of the rows' own seeds. */
static bool take_add_seed(void)
{
	if (!own.add_seed)
		return true;
	if (own.check || own.update || own.markdown) {
		cli_error("--add-seed: the page is of the seeds that the rows say");
		return false;
	}
	if (cli_parse_count(own.add_seed, &all.add_seed) && all.add_seed <= UINT32_MAX)
		return true;
	cli_error("--add-seed %s: not a number up to %u", own.add_seed, UINT32_MAX);
	return false;
}

static int run(int argc, char **argv)
{
	g_autofree char *path = argc ? g_strdup(argv[0]) : default_path();
	GPtrArray *targets;
	int status;

	if (argc > 1 || opt.jobs < 0 || opt.jobs > JOBS_MAX) {
		cli_error(argc > 1 ? "one file of targets" : "-j is a number from 1 to %d", JOBS_MAX);
		return CLI_WRONG;
	}
	if (!take_add_seed())
		return CLI_WRONG;
	targets = targets_read(path);
	if (!targets)
		return CLI_WRONG;
	all.file = targets;
	all.targets = g_ptr_array_new();
	for (unsigned i = 0; i < targets->len; i++)
		if (is_chosen(targets->pdata[i]))
			g_ptr_array_add(all.targets, targets->pdata[i]);
	if (all.targets->len) {
		list_runs();
		cli_catch_interrupt();
		status = run_all() ? conclude() : all.status;
	} else {
		cli_error("no row of that name in %s", path);
		status = CLI_WRONG;
	}
	free_all();
	targets_free(targets);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_output_options, NULL };

const struct cli_verb verb_validate = {
	.name = "validate",
	.args = "[TARGETS]",
	.summary = "Hold the models against published figures",
	.more = "TARGETS is scenarios/results/targets unless given; its head describes its form. Every row runs with\n"
		"several seeds; a prediction is met when the mean lies in what the row accepts.\n\n"
		"Exit status: 0 every row is met or a known miss; 1 a row missed, or --check found another page;\n"
		"2 the file of targets is wrong; 3 a run without a result; 130 interrupted.\n",
	.groups = groups,
	.run = run,
};
