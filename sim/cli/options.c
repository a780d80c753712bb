// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that several verbs share, and how they are read. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/run/plugin.h"

const GOptionEntry cli_text_options[] = {
	{ "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &opt.sets,
	  "Set a param, lock=model, lock.parameter, machine.field, cost.name or task.count", "NAME=VALUE" },
	{ "include-root", 0, 0, G_OPTION_ARG_FILENAME, &opt.include_root,
	  "Let includes reach as far up as this folder", "DIR" },
	{ "limit", 0, 0, G_OPTION_ARG_STRING_ARRAY, &opt.limits,
	  "Raise a limit of the text: tasks, cpus, loop, nesting, bytes", "NAME=N" },
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_run_options[] = {
	{ "seed", 0, 0, G_OPTION_ARG_STRING, &opt.seed, "Seed of all random draws (default: the scenario's)", "N" },
	{ "choice", 0, 0, G_OPTION_ARG_STRING, &opt.choice,
	  "Who goes first where the order is open: fixed (default), seed:N, replay:SCHEDULE or replay:@FILE", "POLICY" },
	{ "spin", 0, 0, G_OPTION_ARG_STRING, &opt.spin,
	  "How spinning is simulated: elide (fast, default) or poll (every turn)", "poll|elide" },
	{ "max-steps", 0, 0, G_OPTION_ARG_STRING, &opt.max_steps, "Give up after N events and accesses", "N" },
	{ "first", 0, 0, G_OPTION_ARG_STRING, &opt.first, "Run only the first part, e.g. 2ms", "TIME" },
	{ "pieces", 0, 0, G_OPTION_ARG_NONE, &opt.pieces, "Account where waits went", NULL },
	{ "no-compare", 0, 0, G_OPTION_ARG_NONE, &opt.no_compare, "Skip compare blocks", NULL },
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_output_options[] = {
	{ "color", 0, 0, G_OPTION_ARG_STRING, &opt.color, "auto (default), always or never", "WHEN" },
	{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &opt.quiet, "Print only what is wrong", NULL },
	{ "bisect", 0, 0, G_OPTION_ARG_NONE, &opt.bisect, "Exit 125 where there is no verdict, for git bisect run", NULL },
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_bisect_options[] = {
	{ "bisect", 0, 0, G_OPTION_ARG_NONE, &opt.bisect, "Exit 125 where there is no verdict, for git bisect run", NULL },
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry cli_kernel_options[] = {
	{ "kernel", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &opt.kernels,
	  "Load a plug-in of `lockstep kernel build`; its locks are kernel:rwsem and NAME:rwsem", "[NAME=]PLUGIN" },
	G_OPTION_ENTRY_NULL,
};

bool cli_load_kernels(void)
{
	for (unsigned i = 0; opt.kernels && opt.kernels[i]; i++) {
		g_autofree char *error = NULL;

		if (!plugin_load(opt.kernels[i], &error)) {
			cli_error("--kernel: %s", error);
			return false;
		}
	}
	return true;
}

/* Quotes appear where a shell would ask for them. */
static void put_option(GString *s, const char *name, const char *value)
{
	static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z "0123456789" "@%+=:,./-_";
	g_autofree char *quoted = NULL;

	if (!value)
		return;
	quoted = value[strspn(value, plain)] || !*value ? g_shell_quote(value) : g_strdup(value);
	g_string_append_printf(s, " --%s %s", name, quoted);
}

static void put_options(GString *s, const char *name, char *const *values)
{
	for (; values && *values; values++)
		put_option(s, name, *values);
}

const char *cli_again(void)
{
	static GString *s; /* to the end of the process, as all options */

	s = g_string_truncate(s ? s : g_string_new(NULL), 0);
	put_options(s, "kernel", opt.kernels);
	put_options(s, "set", opt.sets);
	put_option(s, "include-root", opt.include_root);
	put_options(s, "limit", opt.limits);
	put_option(s, "spin", opt.spin);
	put_option(s, "max-steps", opt.max_steps);
	put_option(s, "first", opt.first);
	return s->str;
}

void cli_error(const char *fmt, ...)
{
	va_list args;

	fputs("lockstep", stderr);
	if (*cli_verb_name)
		fprintf(stderr, " %s", cli_verb_name);
	fputs(": ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

bool cli_check_options(void)
{
	if (opt.color && strcmp(opt.color, "auto") && strcmp(opt.color, "always") && strcmp(opt.color, "never")) {
		cli_error("--color is auto, always or never, not \"%s\"", opt.color);
		return false;
	}
	if (opt.spin && strcmp(opt.spin, "poll") && strcmp(opt.spin, "elide")) {
		cli_error("--spin is poll or elide, not \"%s\"", opt.spin);
		return false;
	}
	return true;
}

bool cli_colour(FILE *f)
{
	const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

	if (opt.color && strcmp(opt.color, "auto") != 0)
		return !strcmp(opt.color, "always");
	return !(no && *no) && !(term && !strcmp(term, "dumb")) && isatty(fileno(f));
}

bool cli_parse_count(const char *text, uint64_t *n)
{
	char *end;

	if (!g_ascii_isdigit(*text))
		return false;
	errno = 0;
	*n = g_ascii_strtoull(text, &end, g_str_has_prefix(text, "0x") ? 16 : 10);
	return !errno && !*end;
}

/* Digits after the point of a time: @scale is 1 of the unit, in ps. */
static bool parse_fraction(const char **text, sim_time scale, sim_time *t)
{
	bool any = false;

	for (; g_ascii_isdigit(**text); (*text)++) {
		any = true;
		if (scale % 10)
			return false; /* finer than a picosecond */
		scale /= 10;
		*t += (sim_time)(**text - '0') * scale;
	}
	return any;
}

bool cli_parse_time(const char *text, sim_time *t)
{
	static const struct {
		const char *name;
		sim_time ps;
	} unit[] = { { "ps", SIM_PS }, { "ns", SIM_NS }, { "us", SIM_US }, { "ms", SIM_MS }, { "s", SIM_S } };
	const char *word = text + strspn(text, "0123456789.");
	char *end;
	uint64_t whole;

	if (!g_ascii_isdigit(*text))
		return false;
	errno = 0;
	whole = g_ascii_strtoull(text, &end, 10);
	for (unsigned i = 0; i < G_N_ELEMENTS(unit); i++) {
		const char *rest = end;

		if (strcmp(word, unit[i].name) != 0)
			continue;
		if (errno || whole > SIM_NEVER / 2 / unit[i].ps)
			return false;
		*t = whole * unit[i].ps;
		if (*rest == '.') {
			rest++;
			if (!parse_fraction(&rest, unit[i].ps, t))
				return false;
		}
		return rest == word;
	}
	return false;
}

bool cli_parse_classes(const char *text, unsigned *classes, char **bad)
{
	static const struct {
		const char *name;
		unsigned bit;
	} class[] = { { "sched", SIM_CLASS_SCHED }, { "lock", SIM_CLASS_LOCK },	  { "task", SIM_CLASS_TASK },
		      { "sum", SIM_CLASS_SUM },	    { "lines", SIM_CLASS_LINES }, { "access", SIM_CLASS_ACCESS }, { "detail", SIM_CLASS_DETAIL },
		      { "report", SIM_CLASS_REPORT } };
	g_auto(GStrv) words = g_strsplit(text, ",", -1);

	*classes = 0;
	for (unsigned i = 0; words[i]; i++) {
		unsigned k;

		for (k = 0; k < G_N_ELEMENTS(class) && strcmp(words[i], class[k].name); k++)
			;
		if (k == G_N_ELEMENTS(class)) {
			*bad = g_strdup(words[i]);
			return false;
		}
		*classes |= class[k].bit;
	}
	return *classes != 0;
}
