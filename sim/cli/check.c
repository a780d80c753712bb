// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep check FILE…: syntax and meaning only, nothing runs. */
#include "sim/cli/cli.h"

static int check_one(const char *path)
{
	int status;
	struct scenario *scn = cli_load(path, stderr, cli_colour(stderr), &status);

	if (!scn)
		return status;
	if (!opt.quiet) {
		unsigned long long tasks = 0;

		for (unsigned i = 0; i < scn->ntask; i++)
			tasks += scn->task[i].count;
		printf("%s: fine: %llu task%s, %u lock declaration%s, %u expectation%s, %u compare block%s\n", path, tasks,
		       tasks == 1 ? "" : "s", scn->nlock, scn->nlock == 1 ? "" : "s", scn->nexpect,
		       scn->nexpect == 1 ? "" : "s", scn->ncompare, scn->ncompare == 1 ? "" : "s");
	}
	scenario_free(scn);
	return CLI_FINE;
}

static int run(int argc, char **argv)
{
	int worst = CLI_FINE;

	if (!argc) {
		cli_error("which scenario? Give at least one FILE.lks");
		return CLI_WRONG;
	}
	for (int i = 0; i < argc; i++) {
		int status = check_one(argv[i]);

		worst = MAX(worst, status); /* which evaluates twice */
	}
	return worst;
}

static const GOptionEntry *const groups[] = { cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_check = {
	.name = "check",
	.args = "FILE.lks...",
	.summary = "Check syntax and meaning of scenarios, run nothing",
	.more = "Exit status: 0 fine; 2 the text is wrong; 3 a file cannot be read.\n",
	.groups = groups,
	.run = run,
};
