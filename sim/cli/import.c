// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep import FILE: other tools' tests and workloads as scenarios. */
#include "sim/cli/import.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "sim/cli/cli.h"

#define MOST_ERRORS 10

static struct {
	char *output, *generation;
} asked;

static const GOptionEntry own_options[] = {
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &asked.output, "Write the scenario to this file (default: stdout)", "OUT.lks" },
	{ "generation", 0, 0, G_OPTION_ARG_STRING, &asked.generation, "rt-tester: \"top\" (default), or \"pending\": the rt_mutex up to 2.6.38", "WHICH" },
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

bool import_is_tst(const char *path)
{
	return g_str_has_suffix(path, ".tst");
}

bool import_is_rtapp(const char *path)
{
	return g_str_has_suffix(path, ".json");
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

static int write_out(const GString *out)
{
	FILE *f;
	bool good;

	if (!asked.output)
		return cli_write(out);
	f = fopen(asked.output, "w");
	good = f && fwrite(out->str, 1, out->len, f) == out->len;
	if (f && fclose(f))
		good = false;
	if (good)
		return CLI_FINE;
	cli_error("%s: %s", asked.output, g_strerror(errno));
	return CLI_WORLD;
}

static int run(int argc, char **argv)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) out = NULL;
	struct import_source src = { .messages = stderr };
	const char *model;

	if (argc != 1) {
		cli_error(argc ? "one file at a time" : "which file? Give a FILE.tst (rt-tester) or FILE.json (rt-app)");
		return CLI_WRONG;
	}
	if (!import_is_tst(argv[0]) && !import_is_rtapp(argv[0])) {
		cli_error("%s: neither .tst (rt-tester) nor .json (rt-app)", argv[0]);
		return CLI_WRONG;
	}
	model = model_asked();
	if (!model)
		return CLI_WRONG;
	if (!g_file_get_contents(argv[0], &text, &src.len, &error)) {
		cli_error("%s", error->message);
		return CLI_WORLD;
	}
	src.path = argv[0];
	src.text = text;
	out = import_is_tst(argv[0]) ? import_tst(&src, model, false) : import_rtapp(&src);
	return out ? write_out(out) : CLI_WRONG;
}

static const GOptionEntry *const groups[] = { own_options, cli_output_options, NULL };

const struct cli_verb verb_import = {
	.name = "import",
	.args = "FILE.tst|FILE.json",
	.summary = "Print a test or workload of another tool as a scenario",
	.more = "FILE.tst is a script of the kernel's rt-tester, FILE.json a workload of rt-app. What a\n"
		"simulator cannot carry is told in comments. `run` and `test` take FILE.tst directly.\n"
		"Exit status: 0 fine; 2 the text is wrong; 3 a file.\n",
	.groups = groups,
	.run = run,
};
