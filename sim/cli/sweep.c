// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockstep sweep FILE --vary …: many runs of one scenario, one row each in an SQLite file.
 *
 *   plan ──(rows that are not there yet)──> processes ──(a line of numbers each)──> store
 *
 * Killed at any point, the same command goes on with the rows that are missing.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/cli/build_id.h"
#include "sim/cli/cli.h"
#include "sim/cli/plan.h"
#include "sim/cli/store.h"
#include "sim/cli/workers.h"
#include "sim/report/report.h"

/* The simulator that made a row. */
#define MADE_BY LOCKSTEP_VERSION "+" LOCKSTEP_BUILD
/* Runs handed to the workers at a time. */
#define BATCH 512u
#define JOBS_MAX 1024

static struct {
	char **vary, *seeds, *out;
	gboolean list;
} own;

static const GOptionEntry own_options[] = {
	{ "vary", 'V', 0, G_OPTION_ARG_STRING_ARRAY, &own.vary,
	  "Values for something that --set can set: a,b,c or 1..80*2 or 10..50+20; with several, all combinations", "NAME=VALUES" },
	{ "seeds", 0, 0, G_OPTION_ARG_STRING, &own.seeds, "Run each N times, with N seeds", "N" },
	{ "jobs", 'j', 0, G_OPTION_ARG_INT, &opt.jobs, "Run N at a time (default: 1)", "N" },
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &own.out, "The SQLite file; rows that are in it are not run again", "FILE" },
	{ "list-runs", 0, 0, G_OPTION_ARG_NONE, &own.list, "List the runs and whether they are there, and run none", NULL },
	G_OPTION_ENTRY_NULL,
};

static struct sweep {
	const char *path;
	struct plan plan;
	struct store *store;
	char *hash;
	struct run_options options;
	uint64_t *todo; /* indices of runs, of the batch */
	unsigned ntodo;
	uint64_t total, there; /* runs in the plan; of them in the store */
	int status;
} sweep;

/* -- naming runs ---------------------------------------------------------------------------------- */

static uint64_t combination(uint64_t run)
{
	return run / sweep.plan.nseeds;
}

static uint64_t seed_of(uint64_t run)
{
	return sweep.plan.first_seed + run % sweep.plan.nseeds;
}

static struct store_key key_of(uint64_t run, char **params)
{
	*params = plan_params(&sweep.plan, combination(run), (const char *const *)opt.sets);
	return (struct store_key){ sweep.hash, *params, seed_of(run), MADE_BY };
}

/* Everything that a run depends on, but for its parameters and seed. */
static char *hash_of(const struct scenario *scn)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (unsigned i = 0; i < scn->nsources; i++) {
		g_checksum_update(sum, (const guchar *)scn->sources[i]->text, (gssize)scn->sources[i]->len);
		g_checksum_update(sum, (const guchar *)"", 1);
	}
	for (unsigned i = 0; opt.kernels && opt.kernels[i]; i++) {
		const char *equals = strchr(opt.kernels[i], '=');
		g_autofree char *text = NULL;
		gsize len;

		if (g_file_get_contents(equals ? equals + 1 : opt.kernels[i], &text, &len, NULL))
			g_checksum_update(sum, (const guchar *)text, (gssize)len);
	}
	if (opt.first)
		g_checksum_update(sum, (const guchar *)opt.first, -1);
	if (opt.max_steps)
		g_checksum_update(sum, (const guchar *)opt.max_steps, -1);
	return g_strndup(g_checksum_get_string(sum), 32);
}

/* The scenario with the parameters of a combination. */
static struct scenario *load(uint64_t i, FILE *messages, int *status)
{
	g_auto(GStrv) sets = plan_sets(&sweep.plan, i);
	char **fixed = opt.sets;
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	struct scenario *scn;

	for (unsigned k = 0; fixed && fixed[k]; k++)
		g_ptr_array_add(all, fixed[k]);
	for (unsigned k = 0; sets[k]; k++)
		g_ptr_array_add(all, sets[k]);
	g_ptr_array_add(all, NULL);
	opt.sets = (char **)all->pdata;
	scn = cli_load(sweep.path, messages, false, status);
	opt.sets = fixed;
	return scn;
}

/* -- in a child ------------------------------------------------------------------------------------- */

static void put_measure(GString *text, const struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_IDS; i++)
		g_string_append_printf(text, " %" G_GUINT64_FORMAT, m->v[i]);
	g_string_append_c(text, '\n');
}

static void put_result(GString *text, const struct run_result *r)
{
	struct measure m;
	unsigned missed, all = report_verdicts(r, &missed);

	g_string_append_printf(text, "run %d %u %u %u %" G_GUINT64_FORMAT, run_exit_status(r), all - missed, missed, r->nfinding,
			       r->digest);
	measure_take(&m, r, NULL);
	put_measure(text, &m);
	for (unsigned i = 0; i < r->nlock; i++) {
		g_autofree char *name = g_strndup(r->lock[i].name, strcspn(r->lock[i].name, "["));

		if (i && g_str_has_prefix(r->lock[i - 1].name, name) && strchr("[", r->lock[i - 1].name[strlen(name)]))
			continue; /* another instance of the same */
		measure_take(&m, r, name);
		g_string_append_printf(text, "lock %s", name);
		put_measure(text, &m);
	}
}

static void run_case(struct test_case *c)
{
	uint64_t run = g_ascii_strtoull(c->path, NULL, 10);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *error = NULL;
	struct run_result *result;
	struct scenario *scn;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c->status = CASE_BROKEN;
	scn = load(combination(run), stderr, &c->exit);
	if (!scn)
		return;
	sweep.options.has_seed = true;
	sweep.options.seed = seed_of(run);
	sweep.options.no_compare = true;
	result = run_scenario(scn, &sweep.options, &error);
	if (!result) {
		c->exit = CLI_WORLD;
		c->text = g_strdup_printf("%s\n", error);
		return;
	}
	c->exit = run_exit_status(result);
	if (c->exit != CLI_INTERRUPTED) {
		c->status = CASE_PASSED;
		put_result(text, result);
	}
	c->text = g_string_free(g_steal_pointer(&text), FALSE);
}

/* -- in the parent ------------------------------------------------------------------------------------ */

static bool take_measure(char **at, struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_IDS; i++) {
		if (**at != ' ')
			return false;
		m->v[i] = g_ascii_strtoull(*at, at, 10);
	}
	return *(*at)++ == '\n';
}

static bool take_row(struct store_row *row, char *text)
{
	if (strncmp(text, "run ", 4) != 0)
		return false;
	row->status = (int)strtol(text + 4, &text, 10);
	row->met = g_ascii_strtoull(text, &text, 10);
	row->missed = g_ascii_strtoull(text, &text, 10);
	row->findings = g_ascii_strtoull(text, &text, 10);
	row->digest = g_ascii_strtoull(text, &text, 10);
	if (!take_measure(&text, &row->all))
		return false;
	while (!strncmp(text, "lock ", 5)) {
		size_t len = strcspn(text + 5, " ");
		struct store_lock *l;

		row->lock = g_renew(struct store_lock, row->lock, row->nlock + 1);
		l = &row->lock[row->nlock++];
		l->name = g_strndup(text + 5, len);
		text += 5 + len;
		if (!take_measure(&text, &l->m))
			return false;
	}
	return true;
}

static void progress(void)
{
	if (opt.quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[Klockstep: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs", sweep.there, sweep.total);
	fflush(stderr);
}

static void progress_end(void)
{
	if (!opt.quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void take_case(void *user, const struct test_case *c, unsigned index)
{
	g_autofree char *params = NULL;
	struct store_key key = key_of(sweep.todo[index], &params);
	struct store_row row = { 0 };

	(void)user;
	if (c->status == CASE_PASSED && take_row(&row, c->text)) {
		if (!store_put(sweep.store, &key, &row))
			sweep.status = CLI_WORLD;
		sweep.there++;
		progress();
	} else if (c->exit != CLI_INTERRUPTED) {
		progress_end();
		cli_error("%s seed %" G_GUINT64_FORMAT ": %s", params, key.seed, c->text && *c->text ? c->text : "no result");
		sweep.status = CLI_WORLD;
	}
	store_row_clear(&row);
}

static void run_batch(void)
{
	struct test_case *cases = g_new0(struct test_case, sweep.ntodo);
	unsigned jobs = opt.jobs ? (unsigned)opt.jobs : 1;
	int done;

	for (unsigned i = 0; i < sweep.ntodo; i++)
		cases[i].path = g_strdup_printf("%" G_GUINT64_FORMAT, sweep.todo[i]);
	done = workers_run(cases, sweep.ntodo, jobs, run_case, take_case, NULL);
	if (done < 0) {
		cli_error("cannot start a process: %s", g_strerror(errno));
		sweep.status = CLI_WORLD;
	} else if (cli_interrupted) {
		sweep.status = CLI_INTERRUPTED;
	}
	for (unsigned i = 0; i < sweep.ntodo; i++) {
		g_free(cases[i].path);
		g_free(cases[i].text);
	}
	g_free(cases);
	sweep.ntodo = 0;
}

static bool is_there(uint64_t run)
{
	g_autofree char *params = NULL;
	struct store_key key = key_of(run, &params);

	return store_has(sweep.store, &key);
}

/* All combinations are checked before the first runs, unless everything of them is there. */
static bool check_all(void)
{
	for (uint64_t i = 0; i < sweep.plan.combinations; i++) {
		bool missing = false;
		struct scenario *scn;
		int status;

		for (uint64_t s = 0; s < sweep.plan.nseeds; s++) {
			bool there = is_there(i * sweep.plan.nseeds + s);

			sweep.there += there;
			missing = missing || !there;
		}
		if (!missing)
			continue;
		scn = load(i, stderr, &status);
		if (!scn) {
			sweep.status = status;
			return false;
		}
		scenario_free(scn);
	}
	return true;
}

static void go(void)
{
	sweep.todo = g_new(uint64_t, BATCH);
	progress();
	for (uint64_t run = 0; run < sweep.total && sweep.status == CLI_FINE; run++) {
		if (!is_there(run))
			sweep.todo[sweep.ntodo++] = run;
		if (sweep.ntodo == BATCH)
			run_batch();
	}
	if (sweep.ntodo && sweep.status == CLI_FINE)
		run_batch();
	progress_end();
	g_free(sweep.todo);
}

static int list_runs(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (uint64_t run = 0; run < sweep.total; run++) {
		g_autofree char *params = NULL;
		struct store_key key = key_of(run, &params);

		g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s %s seed=%" G_GUINT64_FORMAT "\n", run,
				       sweep.store && store_has(sweep.store, &key) ? "there" : "missing", params, key.seed);
	}
	return cli_write(out);
}

/* What the whole file has of this scenario, so that it is the same however many runs it took. */
static int sum_up(void)
{
	uint64_t missed = store_count(sweep.store, sweep.hash, MADE_BY, CLI_MISSED);
	uint64_t limited = store_count(sweep.store, sweep.hash, MADE_BY, CLI_WORLD);
	uint64_t others = store_count_others(sweep.store, sweep.hash, MADE_BY);

	if (!opt.quiet) {
		printf("%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs", own.out, sweep.there, sweep.total);
		if (missed)
			printf(", %" G_GUINT64_FORMAT " with a finding or an expectation missed", missed);
		if (limited)
			printf(", %" G_GUINT64_FORMAT " that reached a limit", limited);
		putchar('\n');
		if (others)
			printf("%" G_GUINT64_FORMAT " rows of it that another version of lockstep made stay beside them\n", others);
	}
	if (sweep.status != CLI_FINE)
		return sweep.status;
	return missed ? CLI_MISSED : limited ? CLI_WORLD : CLI_FINE;
}

/* -- the command line ------------------------------------------------------------------------------------ */

static bool make_plan(const struct scenario *scn)
{
	uint64_t seed = sweep.options.has_seed ? sweep.options.seed : scn->seed;

	sweep.plan.first_seed = seed;
	if (own.seeds && (!cli_parse_count(own.seeds, &sweep.plan.nseeds) || !sweep.plan.nseeds)) {
		cli_error("--seeds %s: not a positive number", own.seeds);
		return false;
	}
	if (sweep.plan.nseeds > PLAN_RUNS_MAX / sweep.plan.combinations) {
		cli_error("more than %" G_GUINT64_FORMAT " runs", PLAN_RUNS_MAX);
		return false;
	}
	if (seed > INT64_MAX - sweep.plan.nseeds) {
		cli_error("--seed: seeds of a sweep are below 2^63");
		return false;
	}
	sweep.total = sweep.plan.combinations * sweep.plan.nseeds;
	return true;
}

static bool read_vary(void)
{
	for (unsigned i = 0; own.vary && own.vary[i]; i++) {
		g_autofree char *error = plan_vary(&sweep.plan, own.vary[i]);

		if (!error && g_str_has_prefix(own.vary[i], "seed="))
			error = g_strdup("seeds are --seeds N, from --seed on");
		if (!error)
			continue;
		cli_error("--vary %s: %s", own.vary[i], error);
		return false;
	}
	return true;
}

static int with_store(const struct scenario *scn)
{
	sweep.hash = hash_of(scn);
	if (own.list && access(own.out, F_OK) != 0)
		return list_runs();
	sweep.store = store_open(own.out, !own.list);
	if (!sweep.store)
		return CLI_WORLD;
	if (own.list)
		return list_runs();
	if (!store_scenario(sweep.store, sweep.hash, scn->name ? scn->name : ""))
		return CLI_WORLD;
	if (!check_all())
		return sweep.status;
	go();
	return sum_up();
}

static int run(int argc, char **argv)
{
	struct scenario *scn;
	int status = CLI_WRONG;

	if (argc != 1 || !own.out) {
		cli_error(argc != 1 ? "one scenario, please" : "where to? Give -o FILE.sqlite");
		return CLI_WRONG;
	}
	if (opt.jobs < 0 || opt.jobs > JOBS_MAX) {
		cli_error("-j is a number from 1 to %d", JOBS_MAX);
		return CLI_WRONG;
	}
	plan_init(&sweep.plan);
	sweep.path = argv[0];
	if (cli_fill_run_options(&sweep.options) && read_vary()) {
		scn = load(0, stderr, &status);
		if (scn) {
			cli_catch_interrupt();
			status = make_plan(scn) ? with_store(scn) : CLI_WRONG;
			scenario_free(scn);
		}
	}
	store_close(sweep.store);
	g_free(sweep.hash);
	plan_finish(&sweep.plan);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_sweep = {
	.name = "sweep",
	.args = "FILE.lks",
	.summary = "Run a scenario over parameters and seeds, into an SQLite file",
	.more = "Every combination of the values of --vary, times the seeds, is a row; `lockstep report` prints them.\n"
		"A row is named by the scenario's text, its parameters, seed and the version with a digest of the\n"
		"simulator's and models' sources, and is run once: killed at any point, the same command goes on and\n"
		"ends with the same content; after a change to a model all runs again. Compare blocks are not run.\n\n"
		"Exit status: 0 fine; 1 a run in the file had a finding or missed an expectation; 2 the text is\n"
		"wrong; 3 a file, or a run without a result; 130 interrupted.\n",
	.groups = groups,
	.run = run,
};
