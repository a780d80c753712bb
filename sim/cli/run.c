// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep run FILE: runs a scenario and prints its report. */
#include "sim/cli/cli.h"
#include "sim/cli/progress.h"
#include "sim/cli/timeline.h"
#include "sim/report/report.h"

static const GOptionEntry own_options[] = {
	{ "trace", 0, 0, G_OPTION_ARG_FILENAME, &opt.trace, "Write the run's records to this file", "FILE" },
	{ "class", 0, 0, G_OPTION_ARG_STRING, &opt.class, "Which: sched,lock,task (default), sum, lines, access", "LIST" },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print the report as JSON", NULL },
	G_OPTION_ENTRY_NULL,
};

static int print(const struct run_result *r)
{
	struct report_style style = { .colour = cli_colour(stdout) };
	g_autoptr(GString) out = g_string_new(NULL);

	if (opt.json)
		report_json(out, r);
	else if (opt.quiet)
		report_misses(out, r);
	else
		report_text(out, r, &style);
	return cli_write(out);
}

static int run(int argc, char **argv)
{
	struct run_options options = { 0 };
	g_autofree char *error = NULL, *bad = NULL;
	struct run_result *result;
	struct scenario *scn;
	int status;

	if (argc != 1) {
		cli_error(argc ? "one scenario at a time; `lockstep test` takes many" : "which scenario? Give a FILE.lks");
		return CLI_WRONG;
	}
	if (!cli_fill_run_options(&options))
		return CLI_WRONG;
	if (opt.class && !cli_parse_classes(opt.class, &options.trace_classes, &bad)) {
		cli_error("--class: there is no class \"%s\"", bad ? bad : "");
		return CLI_WRONG;
	}
	if (!timeline_prepare(&options))
		return CLI_WRONG;
	options.trace_path = opt.trace;
	scn = cli_load(argv[0], stderr, cli_colour(stderr), &status);
	if (!scn)
		return status;
	cli_catch_interrupt();
	progress_start(scn, &options);
	result = run_scenario(scn, &options, &error);
	progress_stop();
	if (result) {
		status = run_exit_status(result);
		if (print(result) != CLI_FINE || timeline_draw(result, argv[0]) != CLI_FINE)
			status = CLI_WORLD;
		run_result_free(result);
	} else {
		cli_error("%s", error);
		status = CLI_WORLD;
	}
	scenario_free(scn);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_timeline_options, cli_run_options, cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_run = {
	.name = "run",
	.args = "FILE.lks",
	.summary = "Run a scenario and print its report",
	.more = "Exit status: 0 fine; 1 a finding or an expectation missed; 2 the text is wrong;\n"
		"3 a file or a limit; 130 interrupted (what was measured so far is printed).\n",
	.groups = groups,
	.run = run,
};
