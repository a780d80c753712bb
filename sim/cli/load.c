// SPDX-License-Identifier: GPL-2.0-or-later
/* From a path and the options to a checked scenario and a way to run it. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/import.h"

volatile int cli_interrupted;

static void on_interrupt(int signal)
{
	cli_interrupted = 1;
}

void cli_catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
}

static bool fill_limits(struct scn_limits *limits, FILE *messages)
{
	struct {
		const char *name;
		uint64_t *value;
	} limit[] = { { "tasks", &limits->max_tasks }, { "cpus", &limits->max_cpus }, { "loop", &limits->max_loop },
		      { "nesting", &limits->max_nesting }, { "bytes", &limits->max_bytes } };

	for (unsigned i = 0; opt.limits && opt.limits[i]; i++) {
		const char *equals = strchr(opt.limits[i], '=');
		size_t len = equals ? (size_t)(equals - opt.limits[i]) : 0;
		unsigned k;

		for (k = 0; k < G_N_ELEMENTS(limit); k++)
			if (strlen(limit[k].name) == len && !strncmp(limit[k].name, opt.limits[i], len))
				break;
		if (k == G_N_ELEMENTS(limit) || !cli_parse_count(equals + 1, limit[k].value) || !*limit[k].value) {
			fprintf(messages, "lockstep: --limit %s: not tasks, cpus, loop, nesting or bytes = N\n", opt.limits[i]);
			return false;
		}
	}
	return true;
}

/* A scenario whose text goes on behind its file. */
static struct scenario *load_longer(const char *path, const char *more, const struct scn_options *options,
				    struct sim_diags *diags, const char **path_error)
{
	g_autofree char *text = NULL, *whole = NULL;
	g_autoptr(GError) error = NULL;
	gsize len;

	/* a directory, a device or a file beyond the limit: the loader has the words for it */
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents(path, &text, &len, &error))
		return scenario_load(path, options, diags, path_error);
	if (strlen(text) != len)
		return scenario_load(path, options, diags, path_error);
	whole = g_strconcat(text, len && text[len - 1] != '\n' ? "\n" : "", more, NULL);
	return scenario_parse(path, whole, strlen(whole), options, diags);
}

/* An rt-tester script: its steps keep their lines, so that messages and verdicts name them. */
static struct scenario *load_tst(const char *path, const char *more, FILE *messages, const struct scn_options *options,
				 struct sim_diags *diags, const char **path_error)
{
	struct import_source src = { .path = path, .messages = messages };
	g_autofree char *text = NULL;
	g_autoptr(GString) out = NULL;

	if (g_file_test(path, G_FILE_TEST_IS_DIR) || !g_file_get_contents(path, &text, &src.len, NULL)) {
		*path_error = path;
		if (!errno)
			errno = EISDIR;
		return NULL;
	}
	src.text = text;
	out = import_tst(&src, "rtmutex", true);
	if (out && more)
		g_string_append(out, more);
	return out ? scenario_parse(path, out->str, out->len, options, diags) : NULL;
}

struct scenario *cli_load(const char *path, FILE *messages, bool colour, int *status)
{
	return cli_load_with(path, NULL, messages, colour, status);
}

struct scenario *cli_load_with(const char *path, const char *more, FILE *messages, bool colour, int *status)
{
	struct scn_options options = { .vocabulary = run_vocabulary(), .sets = (const char *const *)opt.sets,
				       .include_root = opt.include_root };
	struct sim_diags diags = { .count = 0 };
	const char *path_error = NULL;
	struct scenario *scn;

	*status = CLI_WRONG;
	if (!fill_limits(&options.limits, messages))
		return NULL;
	errno = 0;
	if (import_is_tst(path))
		scn = load_tst(path, more, messages, &options, &diags, &path_error);
	else
		scn = more ? load_longer(path, more, &options, &diags, &path_error) :
			     scenario_load(path, &options, &diags, &path_error);
	if (path_error) {
		fprintf(messages, "lockstep: %s: %s\n", path_error, g_strerror(errno));
		*status = CLI_WORLD;
	}
	sim_diag_print(messages, &diags, colour);
	scenario_diags_finish(&diags);
	if (scn)
		*status = CLI_FINE;
	return scn;
}

/* The policy of --choice; a schedule that is too long for a command line may stand in a file. */
static bool read_choice(struct sim_choice *choice)
{
	static const char from_file[] = "replay:@";
	g_autofree char *text = NULL, *spec = NULL;
	g_autoptr(GError) error = NULL;

	if (g_str_has_prefix(opt.choice, from_file)) {
		if (!g_file_get_contents(opt.choice + strlen(from_file), &text, NULL, &error)) {
			cli_error("--choice: %s", error->message);
			return false;
		}
		spec = g_strconcat("replay:", g_strstrip(text), NULL);
	}
	if (sim_choice_read(choice, spec ? spec : opt.choice))
		return true;
	cli_error("--choice %s: not fixed, seed:N, replay:SCHEDULE (as a run prints it) or replay:@FILE", opt.choice);
	return false;
}

bool cli_fill_run_options(struct run_options *o)
{
	static struct sim_choice choice; /* kept to the end, for run after run */

	if (opt.seed) {
		o->has_seed = true;
		if (!cli_parse_count(opt.seed, &o->seed)) {
			cli_error("--seed %s: not a number from 0 to 2^64-1", opt.seed);
			return false;
		}
	}
	if (opt.max_steps && (!cli_parse_count(opt.max_steps, &o->max_steps) || !o->max_steps)) {
		cli_error("--max-steps %s: not a positive number", opt.max_steps);
		return false;
	}
	if (opt.first && (!cli_parse_time(opt.first, &o->max_time) || !o->max_time)) {
		cli_error("--first %s: not a time with its unit (ps, ns, us, ms, s)", opt.first);
		return false;
	}
	if (opt.choice) {
		if (!read_choice(&choice))
			return false;
		o->choice = &choice;
	}
	o->again = cli_again();
	o->poll = opt.spin && !strcmp(opt.spin, "poll");
	o->pieces = opt.pieces;
	o->no_compare = opt.no_compare;
	o->interrupted = &cli_interrupted;
	return true;
}

int cli_write(const GString *text)
{
	static bool told;

	fwrite(text->str, 1, text->len, stdout);
	if (!fflush(stdout) && !ferror(stdout))
		return CLI_FINE;
	if (!told)
		cli_error("stdout: %s", g_strerror(errno));
	told = true;
	clearerr(stdout);
	return CLI_WORLD;
}

int cli_write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	bool good = f && fwrite(text, 1, len, f) == len;

	if (f && fclose(f))
		good = false;
	if (good)
		return CLI_FINE;
	cli_error("%s: %s", path, g_strerror(errno));
	return CLI_WORLD;
}
