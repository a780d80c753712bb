// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep help [VERB] */
#include "sim/cli/cli.h"

static int run(int argc, char **argv)
{
	const struct cli_verb *verb = argc ? cli_find_verb(argv[0]) : NULL;
	g_autofree char *text = NULL;

	if (argc && !verb) {
		cli_error("there is no verb \"%s\"; `lockstep help` lists them", argv[0]);
		return CLI_WRONG;
	}
	text = cli_help(verb);
	fputs(text, stdout);
	return CLI_FINE;
}

const struct cli_verb verb_help = {
	.name = "help",
	.args = "[VERB]",
	.summary = "Tell about the verbs, or about one",
	.run = run,
};
