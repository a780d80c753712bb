// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the verb, reads its options, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "sim/cli/cli.h"

struct cli_options opt;
const char *cli_verb_name = "";

const struct cli_verb *const cli_verbs[] = {
	&verb_run, &verb_compare, &verb_sweep, &verb_report, &verb_validate, &verb_test, &verb_check, &verb_list, &verb_explain, &verb_graph, &verb_trace, &verb_kernel, &verb_import, &verb_native, &verb_twin, &verb_help, NULL,
};

static const GOptionEntry every_verb[] = {
	{ "help", 'h', 0, G_OPTION_ARG_NONE, &opt.help, "Show this help", NULL },
	{ "list-options", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &opt.list_options, NULL, NULL },
	G_OPTION_ENTRY_NULL,
};

const struct cli_verb *cli_find_verb(const char *name)
{
	for (unsigned i = 0; cli_verbs[i]; i++)
		if (!strcmp(cli_verbs[i]->name, name))
			return cli_verbs[i];
	return NULL;
}

static void unknown_verb(const char *name)
{
	const char *names[G_N_ELEMENTS(cli_verbs)] = { NULL };
	const char *near;

	for (unsigned i = 0; cli_verbs[i]; i++)
		names[i] = cli_verbs[i]->name;
	near = sim_nearest(name, names);
	if (near)
		cli_error("there is no verb \"%s\"; did you mean \"%s\"?", name, near);
	else
		cli_error("there is no verb \"%s\"; `lockstep help` lists them", name);
}

static GOptionContext *context_of(const struct cli_verb *verb)
{
	GOptionContext *context = g_option_context_new(verb->args);

	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, verb->summary);
	g_option_context_set_description(context, verb->more);
	for (unsigned i = 0; verb->groups && verb->groups[i]; i++)
		g_option_context_add_main_entries(context, verb->groups[i], NULL);
	g_option_context_add_main_entries(context, every_verb, NULL);
	return context;
}

char *cli_help(const struct cli_verb *verb)
{
	GString *text;

	if (verb) {
		GOptionContext *context = context_of(verb);
		g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);
		g_autofree char *named = g_strdup_printf("lockstep %s ", verb->name);
		const char *usage = strstr(help, "  lockstep");
		const char *dots = strstr(help, "[OPTION\u2026]");

		/* GOption knows the program's name only; the verb belongs behind it */
		text = g_string_new_len(help, usage ? usage - help : 0);
		if (usage && dots) /* the help is plain ASCII, whatever the terminal */
			g_string_append_printf(text, "  %s[OPTION...]%s", named, dots + strlen("[OPTION\u2026]"));
		else
			g_string_append(text, help);
		g_option_context_free(context);
		return g_string_free(text, FALSE);
	}
	text = g_string_new("lockstep: a deterministic simulator of kernel lock algorithms\n\n"
			    "Usage:\n  lockstep VERB [OPTION...] [ARGUMENT...]\n\nVerbs:\n");
	for (unsigned i = 0; cli_verbs[i]; i++)
		g_string_append_printf(text, "  %-9s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
	g_string_append(text, "\n`lockstep VERB --help` tells about one of them, `lockstep --version` the version.\n"
			      "Exit status: 0 fine; 1 a finding or an expectation missed; 2 the command line or the\n"
			      "text is wrong; 3 a file or a limit; 130 interrupted.\n");
	return g_string_free(text, FALSE);
}

static void list_options(const struct cli_verb *verb)
{
	for (unsigned g = 0; verb->groups && verb->groups[g]; g++)
		for (const GOptionEntry *e = verb->groups[g]; e->long_name; e++)
			if (!(e->flags & G_OPTION_FLAG_HIDDEN) && *e->long_name)
				printf("--%s\n", e->long_name);
	puts("--help");
}

/* "Unknown option --jsonn" gets a suggestion. */
static void option_error(const struct cli_verb *verb, const GError *error)
{
	const char *names[64] = { NULL };
	const char *said = strstr(error->message, "--"), *near = NULL;
	unsigned n = 0;

	for (unsigned g = 0; verb->groups && verb->groups[g]; g++)
		for (const GOptionEntry *e = verb->groups[g]; e->long_name && n < G_N_ELEMENTS(names) - 1; e++)
			names[n++] = e->long_name;
	if (said && g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
		near = sim_nearest(said + 2, names);
	if (near)
		cli_error("%s; did you mean --%s?", error->message, near);
	else
		cli_error("%s; `lockstep %s --help` lists the options", error->message, verb->name);
}

/* GOption wants "-j 2"; people write "-j2". A new NULL-terminated array of @argv's and static strings. */
static char **split_short_options(int *argc, char **argv)
{
	GPtrArray *split = g_ptr_array_new();
	bool operands = false;

	for (int i = 0; i < *argc; i++) {
		char *arg = argv[i];

		operands = operands || !strcmp(arg, "--");
		if (!operands && (g_str_has_prefix(arg, "-j") || g_str_has_prefix(arg, "-s")) && arg[2]) {
			g_ptr_array_add(split, (void *)(arg[1] == 'j' ? "-j" : "-s"));
			g_ptr_array_add(split, arg[2] == '=' ? arg + 3 : arg + 2);
		} else if (!operands && !strcmp(arg, "--timeline")) { /* its value is optional, and never the next word */
			g_ptr_array_add(split, (void *)"--timeline=");
		} else {
			g_ptr_array_add(split, arg);
		}
	}
	*argc = (int)split->len;
	g_ptr_array_add(split, NULL);
	return (char **)g_ptr_array_free(split, FALSE);
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
	GOptionContext *context = context_of(verb);
	g_autoptr(GError) error = NULL;
	g_autofree char **split = split_short_options(&argc, argv);
	gboolean good;
	int status;

	argv = split;
	good = g_option_context_parse(context, &argc, &argv, &error);

	g_option_context_free(context);
	cli_verb_name = verb->name;
	if (!good) {
		option_error(verb, error);
		status = CLI_WRONG;
	} else if (opt.help) {
		g_autofree char *text = cli_help(verb);

		fputs(text, stdout);
		status = CLI_FINE;
	} else if (opt.list_options) {
		list_options(verb);
		status = CLI_FINE;
	} else if (!cli_check_options()) {
		status = CLI_WRONG;
	} else if (!cli_load_kernels()) {
		status = CLI_WORLD;
	} else {
		if (argc > 1 && !strcmp(argv[1], "--"))
			argc--, argv++;
		status = verb->run(argc - 1, argv + 1);
	}
	if (opt.bisect && status != CLI_FINE && status != CLI_MISSED && status != CLI_INTERRUPTED)
		status = CLI_SKIP;
	return status;
}

static int without_verb(const char *word)
{
	if (!strcmp(word, "--version")) {
		puts("lockstep " LOCKSTEP_VERSION);
	} else if (!strcmp(word, "--list-verbs")) { /* for completion */
		for (unsigned i = 0; cli_verbs[i]; i++)
			puts(cli_verbs[i]->name);
	} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		g_autofree char *text = cli_help(NULL);

		fputs(text, stdout);
	} else if (*word == '-') {
		cli_error("there is no option %s before a verb; `lockstep help` lists the verbs", word);
		return CLI_WRONG;
	} else {
		unknown_verb(word);
		return CLI_WRONG;
	}
	return CLI_FINE;
}

/*
 * Who starts a program with a standard stream closed would find the first file it opens, a pipe to a worker
 * for instance, in the stream's place. What stands there now still answers EBADF.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return; /* nothing can be opened: nothing will be mistaken */
}

int main(int argc, char **argv)
{
	const struct cli_verb *verb;
	int status;

	fill_standard_streams();
	/* GOption and its messages use this name, whatever the file is called */
	g_set_prgname("lockstep");
	if (argc < 2) {
		g_autofree char *text = cli_help(NULL);

		fputs(text, stderr);
		return CLI_WRONG;
	}
	verb = cli_find_verb(argv[1]);
	status = verb ? run_verb(verb, argc - 1, argv + 1) : without_verb(argv[1]);
	if (fflush(stdout) || ferror(stdout)) {
		cli_error("stdout: %s", g_strerror(errno));
		status = opt.bisect ? CLI_SKIP : CLI_WORLD;
	}
	return status;
}
