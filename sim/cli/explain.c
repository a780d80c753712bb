// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep explain LS-NNN: what a message means and what to do about it. */
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/report/report.h"

/* "LS-104", "ls-104", "104" or "unknown-lock"; 0 if it is none of them. */
static unsigned code_of(const char *word)
{
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);
	uint64_t code;

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(all[i].id, word))
			return all[i].code;
	if (!g_ascii_strncasecmp(word, "LS-", 3))
		word += 3;
	return cli_parse_count(word, &code) && code < 100000 ? (unsigned)code : 0;
}

static int run(int argc, char **argv)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (!argc) {
		cli_error("which message? Give a code such as LS-100; `lockstep list codes` has them all");
		return CLI_WRONG;
	}
	for (int i = 0; i < argc; i++) {
		if (i)
			g_string_append_c(out, '\n');
		if (!report_explain(out, code_of(argv[i]))) {
			cli_error("there is no message \"%s\"; `lockstep list codes` has them all", argv[i]);
			return CLI_WRONG;
		}
	}
	return cli_write(out);
}

const struct cli_verb verb_explain = {
	.name = "explain",
	.args = "LS-NNN...",
	.summary = "Tell more about a message",
	.run = run,
};
