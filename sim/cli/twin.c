// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep twin: one scenario, or many random ones, under two makes of the same locks. */
#include <errno.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/twin_gen.h"
#include "sim/run/twin.h"

static struct {
	char *first, *second, *programs, *lock, *keep;
	gboolean polls;
} asked;

static const GOptionEntry own_options[] = {
	{ "with", 0, 0, G_OPTION_ARG_STRING, &asked.second, "The second side: a plug-in's name (default: kernel)", "NAME" },
	{ "from", 0, 0, G_OPTION_ARG_STRING, &asked.first, "The first side: a plug-in's name (default: Lockstep's models)",
	  "NAME" },
	{ "polled", 0, 0, G_OPTION_ARG_NONE, &asked.polls,
	  "Both sides are the first one's make; the second one's spinners poll: a test of elision", NULL },
	{ "random", 0, 0, G_OPTION_ARG_STRING, &asked.programs, "Instead of a FILE: N random programs", "N" },
	{ "lock", 0, 0, G_OPTION_ARG_STRING, &asked.lock, "Random programs of this lock (default: all that both sides have)",
	  "MODEL" },
	{ "keep", 0, 0, G_OPTION_ARG_FILENAME, &asked.keep, "Write the shrunk program that diverged to this file", "FILE" },
	{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &opt.verbose, "Also tell what happened in random programs", NULL },
	G_OPTION_ENTRY_NULL,
};

static int verdict(const struct twin_result *t)
{
	return t->verdict == TWIN_SAME ? CLI_FINE : t->verdict == TWIN_NOTHING ? CLI_WRONG : CLI_MISSED;
}

static void print(const struct twin_result *t, const char *what)
{
	if (t->verdict == TWIN_NOTHING)
		cli_error("%s: no lock of it has a model on both sides; --kernel loads a plug-in", what);
	else if (t->verdict == TWIN_SAME)
		printf("%s: the same, %s (%" G_GUINT64_FORMAT " records)\n", what,
		       t->exact ? "to the picosecond" : "by its grants", (guint64)t->compared);
	else
		printf("%s: %s", what, t->story);
	if (t->notes)
		printf("%s", t->notes);
}

/* -- one file ------------------------------------------------------------------------------------ */

static int twin_file(const char *path, const struct twin_options *o)
{
	g_autofree char *error = NULL;
	struct twin_result *t;
	struct scenario *scn;
	int status;

	scn = cli_load(path, stderr, cli_colour(stderr), &status);
	if (!scn)
		return status;
	t = twin_compare(scn, o, &error);
	if (t) {
		print(t, path);
		status = verdict(t);
	} else {
		cli_error("%s", error);
		status = CLI_WORLD;
	}
	twin_result_free(t);
	scenario_free(scn);
	return status;
}

/* -- random programs ------------------------------------------------------------------------------ */

/* NULL: @text is no scenario; a message unless @quiet, as a shrunk text may well be none. */
static struct twin_result *try_text(const char *text, const struct twin_options *o, bool quiet)
{
	struct scn_options options = { .vocabulary = run_vocabulary() };
	struct sim_diags diags = { .count = 0 };
	g_autofree char *error = NULL;
	struct scenario *scn = scenario_parse("random.lks", text, strlen(text), &options, &diags);
	struct twin_result *t = NULL;

	if (!scn) {
		if (!quiet) {
			sim_diag_print(stderr, &diags, false);
			fprintf(stderr, "%s", text);
		}
		return NULL;
	}
	t = twin_compare(scn, o, &error);
	scenario_free(scn);
	if (!t)
		cli_error("%s", error);
	return t;
}

static bool still_diverges(const char *text, void *user)
{
	struct twin_result *t = try_text(text, user, true);
	bool diverges = t && (t->verdict == TWIN_PARTED || t->verdict == TWIN_COUNTERS);

	twin_result_free(t);
	return diverges;
}

static void tell_divergence(struct twin_program *p, const char *what, const struct twin_options *o)
{
	g_autofree char *text = NULL;
	struct twin_result *t;

	twin_program_shrink(p, still_diverges, (void *)o);
	text = twin_program_text(p);
	t = try_text(text, o, false);
	if (t)
		print(t, what);
	twin_result_free(t);
	printf("\n%s\n", text);
	if (asked.keep)
		cli_write_file(asked.keep, text, strlen(text));
}

/* What happened in the programs of a lock. */
struct coverage {
	struct twin_seen seen;
	uint64_t preempt[8], shape[8], records;
};

static void cover(struct coverage *c, const struct twin_program *p, const struct twin_result *t)
{
	for (unsigned i = 0; i < TWIN_SEEN_COUNT; i++)
		c->seen.n[i] += t->seen.n[i];
	c->preempt[p->preempt]++;
	c->shape[p->shape]++;
	c->records += t->compared;
}

static void print_coverage(const char *lock, const struct coverage *c)
{
	printf("  %s happened:", lock);
	for (unsigned i = 0; i < TWIN_SEEN_COUNT; i++)
		printf(" %s %" G_GUINT64_FORMAT, twin_seen_name[i], (guint64)c->seen.n[i]);
	printf("\n  %s programs:", lock);
	for (unsigned i = 0; twin_gen_preempt[i]; i++)
		printf(" %s %" G_GUINT64_FORMAT, twin_gen_preempt[i], (guint64)c->preempt[i]);
	for (unsigned i = 0; twin_gen_shape[i]; i++)
		printf(" %s %" G_GUINT64_FORMAT, twin_gen_shape[i], (guint64)c->shape[i]);
	printf("\n");
}

static int twin_program(const char *lock, uint64_t seed, uint64_t index, const struct twin_options *o, struct coverage *c)
{
	struct twin_program *p = twin_program_make(lock, seed, index);
	g_autofree char *text = twin_program_text(p);
	g_autofree char *what = g_strdup_printf("%s, seed %" G_GUINT64_FORMAT ", program %" G_GUINT64_FORMAT, lock,
						(guint64)seed, (guint64)index);
	struct twin_result *t = try_text(text, o, false);
	int status = t ? verdict(t) : CLI_WORLD;

	if (t)
		cover(c, p, t);
	twin_result_free(t);
	if (status == CLI_MISSED)
		tell_divergence(p, what, o);
	twin_program_free(p);
	return status;
}

static int twin_random_lock(const char *lock, uint64_t n, uint64_t seed, const struct twin_options *o)
{
	struct coverage c = { .records = 0 };
	int status = CLI_FINE;

	for (uint64_t i = 0; i < n && status == CLI_FINE && !cli_interrupted; i++)
		status = twin_program(lock, seed, i, o, &c);
	if (status != CLI_FINE)
		return status;
	printf("%s: %" G_GUINT64_FORMAT " random programs, all the same (%" G_GUINT64_FORMAT " records)\n", lock, (guint64)n,
	       (guint64)c.records);
	if (opt.verbose)
		print_coverage(lock, &c);
	fflush(stdout);
	return cli_interrupted ? CLI_INTERRUPTED : CLI_FINE;
}

static int twin_random(const struct twin_options *o)
{
	uint64_t n, seed = 1;
	int worst = CLI_FINE;
	bool any = false;
	const char *lock;

	if (!cli_parse_count(asked.programs, &n) || (opt.seed && !cli_parse_count(opt.seed, &seed))) {
		cli_error("--random and --seed take numbers");
		return CLI_WRONG;
	}
	cli_catch_interrupt();
	for (unsigned i = 0; (lock = twin_gen_lock(i)) && worst != CLI_INTERRUPTED; i++) {
		g_autofree char *model = twin_gen_model(lock);
		int status;

		if (asked.lock && strcmp(asked.lock, lock) != 0)
			continue;
		if (!twin_has(model, o)) {
			if (opt.verbose)
				printf("%s: not a lock of both sides\n", lock);
			continue;
		}
		any = true;
		status = twin_random_lock(lock, n, seed, o);
		worst = MAX(worst, status);
	}
	if (any)
		return worst;
	cli_error("%s: not a lock of both sides; --kernel loads a plug-in", asked.lock ? asked.lock : "--random");
	return CLI_WRONG;
}

static bool lock_is_known(void)
{
	g_autoptr(GString) known = g_string_new(NULL);
	const char *lock;

	for (unsigned i = 0; (lock = twin_gen_lock(i)); i++) {
		if (!asked.lock || !strcmp(asked.lock, lock))
			return true;
		g_string_append_printf(known, "%s%s", i ? ", " : "", lock);
	}
	cli_error("--lock %s: the generator knows %s", asked.lock, known->str);
	return false;
}

static int run(int argc, char **argv)
{
	struct run_options run_options = { 0 };
	struct twin_options o = { .run = &run_options, .first = asked.first, .second = asked.second ? asked.second : "kernel" };
	int worst = CLI_FINE;

	if (asked.polls && asked.second) {
		cli_error("--polled compares one make with itself: --from says which");
		return CLI_WRONG;
	}
	if (asked.polls) {
		o.second = asked.first;
		o.second_polls = true;
	}
	if (!argc == !asked.programs) {
		cli_error(argc ? "--random and a FILE do not go together" : "which scenario? Give a FILE.lks, or --random N");
		return CLI_WRONG;
	}
	if (!lock_is_known() || !cli_fill_run_options(&run_options))
		return CLI_WRONG;
	if (asked.programs) {
		run_options.has_seed = false; /* it is the generator's; programs have their own */
		return twin_random(&o);
	}
	for (int i = 0; i < argc; i++) {
		int status = twin_file(argv[i], &o);

		worst = MAX(worst, status);
	}
	return worst;
}

static const GOptionEntry *const groups[] = { own_options,	cli_kernel_options, cli_run_options,
					      cli_text_options, cli_bisect_options, NULL };

const struct cli_verb verb_twin = {
	.name = "twin",
	.args = "FILE.lks…",
	.summary = "Compare Lockstep's locks with a kernel tree's, record by record",
	.more = "  lockstep twin --kernel v6.1.so scenario.lks\n"
		"  lockstep twin --kernel v6.1.so --random 500 --seed 7 --lock rwsem\n"
		"  lockstep twin --kernel v6.1.so --kernel v6.12.so --from v6.1 --with v6.12 scenario.lks\n"
		"Exit status: 0 the same; 1 they part; 2 the text is wrong or has no such lock; 3 a file or a limit.\n",
	.groups = groups,
	.run = run,
};
