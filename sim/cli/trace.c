// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep trace FILE: the records of a trace file, or of a scenario that is run for it, as text. */
#include <errno.h>
#include <string.h>

#include "sim/cli/cli.h"

static const GOptionEntry own_options[] = {
	{ "class", 0, 0, G_OPTION_ARG_STRING, &opt.class,
	  "Which records: sched,lock,task,sum (default: all of these), lines, access", "LIST" },
	G_OPTION_ENTRY_NULL,
};

struct dump {
	const struct sim_names *names;
	unsigned classes;
};

static void take_names(void *user, const struct sim_names *names)
{
	struct dump *dump = user;

	dump->names = names;
}

static void take(void *user, const struct sim_rec *rec)
{
	struct dump *dump = user;

	if (rec->type >= SIM_REC_TYPE_COUNT || !(sim_rec_class_of[rec->type] & dump->classes))
		return;
	sim_rec_print(stdout, rec, dump->names);
	putchar('\n');
}

/* 1: a trace file; 0: something else; -1: cannot be read, errno set. */
static int is_trace(const char *path)
{
	char magic[7] = "";
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return -1;
	n = fread(magic, 1, sizeof(magic), f);
	if (ferror(f)) {
		int error = errno;

		fclose(f);
		errno = error;
		return -1;
	}
	fclose(f);
	return n == sizeof(magic) && !memcmp(magic, "LSTRACE", sizeof(magic));
}

static int dump_file(const char *path, struct dump *dump)
{
	const char *error = NULL;
	struct sim_trace_reader *reader;
	struct sim_rec rec;
	int got = 0;

	errno = 0;
	reader = sim_trace_reader_open(path, &error);
	if (!reader) {
		cli_error("%s: %s", path, error ? error : g_strerror(errno));
		return CLI_WORLD;
	}
	dump->names = sim_trace_reader_names(reader);
	while (!cli_interrupted && (got = sim_trace_reader_next(reader, &rec, &error)) == 1)
		take(dump, &rec);
	if (got < 0)
		cli_error("%s: %s", path, error ? error : "the file is damaged");
	sim_trace_reader_close(reader);
	if (cli_interrupted)
		return CLI_INTERRUPTED;
	return got < 0 ? CLI_WORLD : CLI_FINE;
}

static int dump_scenario(const char *path, struct dump *dump)
{
	struct run_options options = { 0 };
	g_autofree char *error = NULL;
	struct run_result *result;
	struct scenario *scn;
	int status;

	if (!cli_fill_run_options(&options))
		return CLI_WRONG;
	options.no_compare = true;
	options.listen = take;
	options.listen_classes = dump->classes;
	options.listen_user = dump;
	options.names = take_names;
	scn = cli_load(path, stderr, cli_colour(stderr), &status);
	if (!scn)
		return status;
	result = run_scenario(scn, &options, &error);
	if (!result) {
		cli_error("%s", error);
		status = CLI_WORLD;
	} else {
		/* what was asked for are the records; whether the run was good is for `run` to say */
		status = run_exit_status(result);
		status = status == CLI_MISSED ? CLI_FINE : status;
		run_result_free(result);
	}
	scenario_free(scn);
	return status;
}

static int run(int argc, char **argv)
{
	struct dump dump = { .classes = SIM_CLASS_REPORT };
	g_autofree char *bad = NULL;
	int kind;

	if (argc != 1) {
		cli_error("which run? Give one scenario or one trace file");
		return CLI_WRONG;
	}
	if (opt.class && !cli_parse_classes(opt.class, &dump.classes, &bad)) {
		cli_error("--class: there is no class \"%s\"", bad ? bad : "");
		return CLI_WRONG;
	}
	kind = is_trace(argv[0]);
	if (kind < 0) {
		cli_error("%s: %s", argv[0], g_strerror(errno));
		return CLI_WORLD;
	}
	cli_catch_interrupt();
	return kind ? dump_file(argv[0], &dump) : dump_scenario(argv[0], &dump);
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_trace = {
	.name = "trace",
	.args = "FILE",
	.summary = "Print the records of a scenario's run, or of a trace file",
	.more = "FILE is a scenario, which is run, or what `lockstep run --trace` wrote.\n"
		"Exit status: 0 printed to the end; 2 the text is wrong; 3 a file or a limit.\n",
	.groups = groups,
	.run = run,
};
