// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep import FILE: other tools' tests and workloads as scenarios. */
#include "sim/cli/import.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/import_model.h"
#include "sim/scenario/lex.h"

#define MOST_ERRORS 10

static struct {
	char *output, *generation, *scheduler, *protocol, *cores;
} asked;

static const GOptionEntry own_options[] = {
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &asked.output, "Write the scenario to this file (default: stdout)", "OUT.lks" },
	{ "generation", 0, 0, G_OPTION_ARG_STRING, &asked.generation, "rt-tester: \"top\" (default), or \"pending\": the rt_mutex up to 2.6.38", "WHICH" },
	{ "scheduler", 0, 0, G_OPTION_ARG_STRING, &asked.scheduler, "Models in XML: \"given\" priorities, \"rm\", \"dm\" or \"edf\"", "WHICH" },
	{ "protocol", 0, 0, G_OPTION_ARG_STRING, &asked.protocol, "Models in XML: of all resources: \"none\", \"pip\", \"pcp\" or \"ipcp\"", "WHICH" },
	{ "cores", 0, 0, G_OPTION_ARG_STRING, &asked.cores, "MCRTsim: how many (default 1)", "N" },
	G_OPTION_ENTRY_NULL,
};

/* -- messages ---------------------------------------------------------------------------------------- */

static void tell(struct import_source *src, unsigned line, unsigned column, const char *text)
{
	const char *at = src->text, *end;
	g_autofree char *shown = NULL;

	if (++src->errors > MOST_ERRORS)
		return;
	fprintf(src->messages, "%s:%u:%u: error: %s\n", src->path, line, column, text);
	for (unsigned i = 1; i < line && at; i++)
		at = (at = strchr(at, '\n')) ? at + 1 : NULL;
	if (at && strlen(at) < 1 << 24) {
		end = strchr(at, '\n');
		shown = g_strndup(at, MIN(end ? (gsize)(end - at) : strlen(at), 160));
		for (char *c = shown; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 127)
				*c = ' ';
		fprintf(src->messages, "%5u | %s\n", line, shown);
		if (column <= 160)
			fprintf(src->messages, "      | %*s^\n", (int)column - 1, "");
	}
	if (src->errors == MOST_ERRORS)
		fprintf(src->messages, "%s: ten errors; the rest is not looked at\n", src->path);
}

void import_error(struct import_source *src, unsigned line, unsigned column, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	tell(src, line, column, text);
}

void import_error_at(struct import_source *src, const char *at, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	unsigned line = 1, column = 1;
	va_list args;

	for (const char *c = src->text; c < at; c++) {
		column = *c == '\n' ? 1 : column + 1;
		line += *c == '\n';
	}
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	tell(src, line, column, text);
}

char *import_quote(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);

	for (char *c = valid; *c; c++)
		if (*c == '"')
			*c = '\'';
		else if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
	return valid;
}

static bool is_word(const char *name)
{
	static const unsigned where[] = {KW_TOP, KW_BODY};

	for (unsigned w = 0; w < G_N_ELEMENTS(where); w++)
		for (const char *const *k = lex_keywords(where[w]); *k; k++)
			if (!strcmp(*k, name))
				return true;
	return false;
}

#define NAME_MAX_BYTES 100 /* exporters put the whole path of a task into its name */

char *import_name(const char *original, const char *suffix, bool (*taken)(const void *user, const char *name), const void *user)
{
	GString *name = g_string_new(g_ascii_isdigit(*original) ? "n" : "");

	for (const char *c = original; *c && name->len < NAME_MAX_BYTES; c++)
		g_string_append_c(name, g_ascii_isalnum(*c) ? *c : '_');
	if (is_word(name->str) || taken(user, name->str))
		g_string_append(name, suffix);
	for (gsize len = name->len, i = 2; taken(user, name->str); i++) {
		g_string_truncate(name, len);
		g_string_append_printf(name, "%u", (unsigned)i);
	}
	return g_string_free(name, FALSE);
}

GString *import_xml(struct import_source *src, const struct model_ask *ask)
{
	g_autofree char *converted = NULL;
	struct xml *root = xml_read(src, &converted);
	GString *out = NULL;

	if (root && !strcmp(root->name, "cheddar"))
		out = import_cheddar(src, root, ask);
	else if (root && (!strcmp(root->name, "workload") || !strcmp(root->name, "Workload")))
		out = import_mcrtsim(src, root, ask);
	else if (root)
		import_error_at(src, root->at, "expected <cheddar> (Cheddar) or <workload> (MCRTsim), found <%s>", root->name);
	xml_free(root);
	return out;
}

bool import_is_tst(const char *path)
{
	return g_str_has_suffix(path, ".tst");
}

bool import_is_rtapp(const char *path)
{
	return g_str_has_suffix(path, ".json");
}

bool import_is_xml(const char *path)
{
	return g_str_has_suffix(path, ".xml") || g_str_has_suffix(path, ".xmlv3");
}

/* -- the verb ---------------------------------------------------------------------------------------- */

/* The model of the mutexes, or NULL after a message. */
static const char *model_asked(void)
{
	const char *const *models = run_vocabulary()->models;

	if (!asked.generation || !strcmp(asked.generation, "top"))
		return "rtmutex";
	if (strcmp(asked.generation, "pending")) {
		cli_error("--generation is \"top\" or \"pending\", not \"%s\"", asked.generation);
		return NULL;
	}
	for (unsigned i = 0; models[i]; i++)
		if (!strcmp(models[i], "rtmutex-2.6.31"))
			return models[i];
	cli_error("--generation pending: this build has no model rtmutex-2.6.31");
	return NULL;
}

/* The place of @word in @words, -1 without a word, -2 after a message. */
static int choice(const char *option, const char *word, const char *const *words)
{
	g_autofree char *all = g_strjoinv(", ", (char **)(void *)words);

	for (int i = 0; word && words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	if (!word)
		return -1;
	cli_error("--%s is one of %s, not \"%s\"", option, all, word);
	return -2;
}

static bool model_options(struct model_ask *ask)
{
	static const char *const schedulers[] = { "given", "rm", "dm", "edf", NULL };
	static const char *const protocols[] = { "none", "pip", "pcp", "ipcp", NULL };
	uint64_t cores = 1;

	ask->scheduler = choice("scheduler", asked.scheduler, schedulers);
	ask->protocol = choice("protocol", asked.protocol, protocols);
	if (asked.cores && (!cli_parse_count(asked.cores, &cores) || !cores || cores > 4096)) {
		cli_error("--cores %s: not a number from 1 to 4096", asked.cores);
		return false;
	}
	ask->cores = (unsigned)cores;
	return ask->scheduler != -2 && ask->protocol != -2;
}

static int write_out(const GString *out)
{
	return asked.output ? cli_write_file(asked.output, out->str, out->len) : cli_write(out);
}

static int run(int argc, char **argv)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) out = NULL;
	struct import_source src = { .messages = stderr };
	struct model_ask ask;
	const char *model;

	if (argc != 1) {
		cli_error(argc ? "one file at a time" : "which file? Give a FILE.tst (rt-tester), FILE.json (rt-app), FILE.xml or FILE.xmlv3 (Cheddar, MCRTsim)");
		return CLI_WRONG;
	}
	if (!import_is_tst(argv[0]) && !import_is_rtapp(argv[0]) && !import_is_xml(argv[0])) {
		cli_error("%s: neither .tst (rt-tester) nor .json (rt-app) nor .xml or .xmlv3 (Cheddar, MCRTsim)", argv[0]);
		return CLI_WRONG;
	}
	model = model_asked();
	if (!model || !model_options(&ask))
		return CLI_WRONG;
	if (!g_file_get_contents(argv[0], &text, &src.len, &error)) {
		cli_error("%s", error->message);
		return CLI_WORLD;
	}
	src.path = argv[0];
	src.text = text;
	if (import_is_tst(argv[0]))
		out = import_tst(&src, model, false);
	else
		out = import_is_rtapp(argv[0]) ? import_rtapp(&src) : import_xml(&src, &ask);
	return out ? write_out(out) : CLI_WRONG;
}

static const GOptionEntry *const groups[] = { own_options, cli_output_options, NULL };

const struct cli_verb verb_import = {
	.name = "import",
	.args = "FILE.tst|FILE.json|FILE.xml|FILE.xmlv3",
	.summary = "Print a test or workload of another tool as a scenario",
	.more = "FILE.tst is a script of the kernel's rt-tester, FILE.json a workload of rt-app,\n"
		"FILE.xml or FILE.xmlv3 a model of Cheddar or MCRTsim. What a simulator cannot carry is told in\n"
		"comments. `run` and `test` take FILE.tst directly.\n"
		"Exit status: 0 fine; 2 the text is wrong; 3 a file.\n",
	.groups = groups,
	.run = run,
};
