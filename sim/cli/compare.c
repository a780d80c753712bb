// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockstep compare FILE: the same workload, with the same draws, under other models.
 *
 *   compare blocks of FILE ─┐
 *                           ├─> one scenario ──> one run of each per seed ──> table, bill, baseline
 *   --lock L=M1,M2 ─────────┘
 */
#include <errno.h>
#include <string.h>

#include "sim/cli/baseline.h"
#include "sim/cli/cli.h"
#include "sim/cli/compare_runs.h"
#include "sim/report/versus.h"

#define SEEDS_MAX 10000u
#define JOBS_MAX 1024

static struct {
	char **locks, *seeds, *save, *baseline, *tolerance;
	gboolean no_bill;
} own;

static const GOptionEntry own_options[] = {
	{ "lock", 'l', 0, G_OPTION_ARG_STRING_ARRAY, &own.locks,
	  "Models beside the scenario's own, with parameters in braces: mm=rwlock,rwsem{handoff off}", "LOCK=MODEL,..." },
	{ "seeds", 0, 0, G_OPTION_ARG_STRING, &own.seeds, "Run each N times, with N seeds, for confidence intervals", "N" },
	{ "jobs", 'j', 0, G_OPTION_ARG_INT, &opt.jobs, "Run N at a time (default: 1); what is printed is the same", "N" },
	{ "no-bill", 0, 0, G_OPTION_ARG_NONE, &own.no_bill, "Leave out which step cost what", NULL },
	{ "save", 0, 0, G_OPTION_ARG_FILENAME, &own.save, "Write the comparison as JSON to this file", "FILE" },
	{ "baseline", 0, 0, G_OPTION_ARG_FILENAME, &own.baseline, "Say what differs from a saved comparison", "FILE" },
	{ "tolerance", 0, 0, G_OPTION_ARG_STRING, &own.tolerance,
	  "Differences up to this many percent are none (default 0)", "PERCENT" },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print the comparison as JSON", NULL },
	G_OPTION_ENTRY_NULL,
};

/* -- from the options to compare blocks ------------------------------------------------------------ */

/* "rwlock,rwsem{handoff off}" at commas that are not in braces. */
static bool add_models(GString *text, const char *lock, size_t len, const char *models)
{
	while (*models) {
		size_t name = strcspn(models, ",{"), all = name;

		if (models[name] == '{')
			all += strcspn(models + name, "}") + 1;
		if (!name || all > strlen(models) || (models[all] && models[all] != ','))
			return false;
		g_string_append_printf(text, "compare %.*s : %.*s { %.*s }\n", (int)len, lock, (int)name, models,
				       all > name ? (int)(all - name - 2) : 0, models + name + 1);
		models += all + (models[all] == ',');
	}
	return true;
}

/* Text to put behind the scenario; NULL after a message. */
static GString *blocks_of_options(void)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; own.locks && own.locks[i]; i++) {
		const char *equals = strchr(own.locks[i], '=');

		if (!equals || equals == own.locks[i] || !equals[1] ||
		    strcspn(own.locks[i], "\n\r#") != strlen(own.locks[i]) ||
		    !add_models(text, own.locks[i], (size_t)(equals - own.locks[i]), equals + 1)) {
			cli_error("--lock %s: not LOCK=MODEL,MODEL{param value}", own.locks[i]);
			g_string_free(text, TRUE);
			return NULL;
		}
	}
	return text;
}

/* -- from results to the comparison -------------------------------------------------------------------- */

static struct versus_lock *lock_of(struct versus *v, const struct scenario *scn, uint32_t lock)
{
	const char *name = scn->lock[lock].name;
	struct versus_lock *l;

	for (unsigned i = 0; i < v->nlock; i++)
		if (!strcmp(v->lock[i].lock, name))
			return &v->lock[i];
	v->lock = g_renew(struct versus_lock, v->lock, v->nlock + 1);
	l = &v->lock[v->nlock++];
	*l = (struct versus_lock){ .lock = g_strdup(name) };
	return l;
}

static struct versus_side *add_side(struct versus_lock *l, char *model, unsigned nseed)
{
	struct versus_side *s;

	l->side = g_renew(struct versus_side, l->side, l->nside + 1);
	s = &l->side[l->nside++];
	*s = (struct versus_side){ .model = model, .m = g_new0(struct measure, nseed) };
	return s;
}

static struct compare_place *make_sides(struct versus *v, const struct scenario *scn)
{
	struct compare_place *place = g_new(struct compare_place, scn->ncompare);

	for (unsigned i = 0; i < scn->ncompare; i++) {
		const struct scn_compare *c = &scn->compare[i];
		struct versus_lock *l = lock_of(v, scn, c->lock);

		if (!l->nside)
			add_side(l, g_strdup(scn->lock[c->lock].model), v->nseed);
		place[i] = (struct compare_place){ (unsigned)(l - v->lock), l->nside };
		add_side(l, scn_compare_label(scn, i), v->nseed);
	}
	return place;
}

static void free_versus(struct versus *v)
{
	for (unsigned i = 0; i < v->nlock; i++) {
		for (unsigned k = 0; k < v->lock[i].nside; k++) {
			g_free(v->lock[i].side[k].model);
			g_free(v->lock[i].side[k].m);
		}
		g_free(v->lock[i].side);
		g_free(v->lock[i].lock);
	}
	g_free(v->lock);
	g_free(v->seed);
}

/* -- running ----------------------------------------------------------------------------------------- */

struct comparison {
	struct versus v;
	GString *misses;
	int status;
};

/* False: there is nothing to print. */
static bool run_all(struct comparison *c, const struct scenario *scn, const struct run_options *o,
		    const struct compare_place *place, struct compare_runs *runs)
{
	bool whole;

	*runs = (struct compare_runs){ .scn = scn, .options = o, .place = place, .bill = !own.no_bill,
				       .jobs = opt.jobs ? (unsigned)opt.jobs : 1, .v = &c->v, .misses = c->misses };
	runs->memory = g_ptr_array_new_with_free_func(g_free);
	runs->parts = g_ptr_array_new_with_free_func((GDestroyNotify)g_variant_unref);
	c->v.scenario = scn->name ? scn->name : "";
	c->v.path = scn->nsources ? scn->sources[0]->path : "";
	c->status = compare_runs(runs, &whole);
	return whole;
}

static int print(struct comparison *c)
{
	struct report_style style = { .colour = cli_colour(stdout) };
	g_autoptr(GString) out = g_string_new(NULL);

	if (opt.json) {
		versus_json(out, &c->v);
	} else {
		if (!opt.quiet)
			versus_text(out, &c->v, &style);
		if (!opt.quiet && (c->v.met || c->v.missed))
			g_string_append_printf(out, "\nExpectations: %u met, %u missed\n", c->v.met, c->v.missed);
		g_string_append(out, c->misses->str);
	}
	return cli_write(out);
}

static int save(const struct versus *v)
{
	g_autoptr(GString) out = g_string_new(NULL);

	versus_json(out, v);
	return cli_write_file(own.save, out->str, out->len);
}

static int finish(struct comparison *c, struct baseline *baseline, uint64_t tolerance)
{
	int status = print(c);

	if (status == CLI_FINE && baseline) {
		g_autoptr(GString) out = g_string_new(NULL);

		if (baseline_diff(out, baseline, &c->v, tolerance))
			c->status = MAX(c->status, CLI_MISSED);
		if (opt.json)
			fputs(out->str, stderr);
		else
			status = cli_write(out);
	}
	if (status == CLI_FINE && own.save)
		status = save(&c->v);
	return status == CLI_FINE ? c->status : status;
}

static bool make_seeds(struct versus *v, const struct scenario *scn, const struct run_options *o)
{
	uint64_t n = 1, first = o->has_seed ? o->seed : scn->seed;

	if (own.seeds && (!cli_parse_count(own.seeds, &n) || !n || n > SEEDS_MAX || first > UINT64_MAX - n)) {
		cli_error("--seeds %s: not a number from 1 to %u", own.seeds, SEEDS_MAX);
		return false;
	}
	v->nseed = (unsigned)n;
	v->seed = g_new(uint64_t, n);
	for (unsigned i = 0; i < n; i++)
		v->seed[i] = first + i;
	return true;
}

static int compare(const struct scenario *scn, struct run_options *o)
{
	struct comparison c = { .status = CLI_FINE };
	struct baseline *baseline = NULL;
	uint64_t tolerance = 0;
	int status = CLI_WRONG;

	if (!scn->ncompare) {
		cli_error("nothing to compare: the scenario has no compare block, and there is no --lock LOCK=MODEL");
		return CLI_WRONG;
	}
	if (own.tolerance && !baseline_parse_percent(own.tolerance, &tolerance)) {
		cli_error("--tolerance %s: not a number of percent", own.tolerance);
		return CLI_WRONG;
	}
	if (own.baseline && !(baseline = baseline_read(own.baseline)))
		return CLI_WORLD;
	if (make_seeds(&c.v, scn, o)) {
		g_autofree struct compare_place *place = make_sides(&c.v, scn);
		struct compare_runs runs;

		c.misses = g_string_new(NULL);
		status = run_all(&c, scn, o, place, &runs) ? finish(&c, baseline, tolerance) : c.status;
		g_string_free(c.misses, TRUE);
		g_ptr_array_free(runs.memory, TRUE);
		g_ptr_array_free(runs.parts, TRUE);
	}
	free_versus(&c.v);
	baseline_free(baseline);
	return status;
}

static int run(int argc, char **argv)
{
	struct run_options options = { 0 };
	g_autoptr(GString) blocks = NULL;
	struct scenario *scn;
	int status;

	if (argc != 1) {
		cli_error(argc ? "one scenario at a time" : "which scenario? Give a FILE.lks");
		return CLI_WRONG;
	}
	if (opt.jobs < 0 || opt.jobs > JOBS_MAX) {
		cli_error("-j is a number from 1 to %d", JOBS_MAX);
		return CLI_WRONG;
	}
	if (!cli_fill_run_options(&options) || !(blocks = blocks_of_options()))
		return CLI_WRONG;
	scn = cli_load_with(argv[0], blocks->len ? blocks->str : NULL, stderr, cli_colour(stderr), &status);
	if (!scn)
		return status;
	cli_catch_interrupt();
	scn_compare_once(scn);
	status = compare(scn, &options);
	scenario_free(scn);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_compare = {
	.name = "compare",
	.args = "FILE.lks",
	.summary = "Run a workload under several lock models, side by side",
	.more = "The scenario's own model comes first; compare blocks and --lock add others. Every ratio is to\n"
		"the first, of runs with the same seed. The bill says which step of the algorithm cost what.\n\n"
		"Exit status: 0 fine; 1 a finding, an expectation missed, or a difference from --baseline;\n"
		"2 the text is wrong; 3 a file or a limit; 130 interrupted. For git bisect run:\n"
		"  lockstep compare --bisect --quiet --baseline good.json FILE.lks\n",
	.groups = groups,
	.run = run,
};
