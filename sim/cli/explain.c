// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep explain LS-NNN: what a message means. lockstep explain FILE: where the worst waits went. */
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/look.h"
#include "sim/report/report.h"
#include "sim/report/story.h"

#define WORST 3
#define WORST_MAX 10000

static struct {
	char *worst, *task, *lock;
} own;

static const GOptionEntry own_options[] = {
	{ "worst", 'n', 0, G_OPTION_ARG_STRING, &own.worst, "Tell of the N longest waits (default 3)", "N" },
	{ "task", 0, 0, G_OPTION_ARG_STRING, &own.task, "Only waits of this task, or of all its instances", "NAME" },
	{ "lock", 0, 0, G_OPTION_ARG_STRING, &own.lock, "Only waits for this lock, or for all its instances", "NAME" },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print JSON", NULL },
	G_OPTION_ENTRY_NULL,
};

/* -- messages ------------------------------------------------------------------------------------ */

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

/* A file of that name goes before all but a code as it is printed. */
static bool is_code(const char *word)
{
	if (!g_ascii_strncasecmp(word, "LS-", 3) && code_of(word))
		return true;
	return !strpbrk(word, "./") && !g_file_test(word, G_FILE_TEST_EXISTS);
}

static int explain_codes(int argc, char **argv)
{
	g_autoptr(GString) out = g_string_new(NULL);

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

/* -- waits ----------------------------------------------------------------------------------------- */

static int explain_waits(const char *path)
{
	struct story story = { .worst = WORST, .only_task = own.task, .only_lock = own.lock };
	struct report_style style = { .colour = cli_colour(stdout) };
	struct run_options options = { .story = &story };
	g_autoptr(GString) out = g_string_new(NULL);
	struct run_result *r;
	uint64_t worst = WORST;
	int status;

	if (own.worst && (!cli_parse_count(own.worst, &worst) || !worst || worst > WORST_MAX)) {
		cli_error("--worst %s: not a number from 1 to %d", own.worst, WORST_MAX);
		return CLI_WRONG;
	}
	story.worst = (unsigned)worst;
	r = cli_look(path, &options, &status);
	if (!r)
		return status;
	if (!cli_story_known(&story)) {
		status = CLI_WRONG;
	} else {
		if (opt.json)
			report_story_json(out, &story, cli_run_title(r, path));
		else
			report_story(out, &story, cli_run_title(r, path), &style);
		if (cli_write(out) != CLI_FINE)
			status = CLI_WORLD;
	}
	story_clear(&story);
	run_result_free(r);
	return status;
}

static int run(int argc, char **argv)
{
	if (!argc) {
		cli_error("what? Give a scenario, a trace file, or a code such as LS-100 (`lockstep list codes`)");
		return CLI_WRONG;
	}
	if (is_code(argv[0]))
		return explain_codes(argc, argv);
	if (argc > 1) {
		cli_error("one run at a time");
		return CLI_WRONG;
	}
	return explain_waits(argv[0]);
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options,
					      cli_output_options, NULL };

const struct cli_verb verb_explain = {
	.name = "explain",
	.args = "FILE | LS-NNN...",
	.summary = "Tell where the worst waits of a run went, or what a message means",
	.more = "FILE is a scenario, which is run, or what `lockstep run --trace` wrote. LS-NNN is the code of\n"
		"a message.\n"
		"Exit status: 0 told; 2 the text or an argument is wrong; 3 a file or a limit; 130 interrupted.\n",
	.groups = groups,
	.run = run,
};
