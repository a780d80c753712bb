// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep test PATH…: runs scenarios and says which kept their expectations. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/workers.h"
#include "sim/report/report.h"

static const GOptionEntry own_options[] = {
	{ "jobs", 'j', 0, G_OPTION_ARG_INT, &opt.jobs, "Processes at a time (default: one per CPU)", "N" },
	{ "tap", 0, 0, G_OPTION_ARG_NONE, &opt.tap, "Print TAP 13; exit 0 once it is printed", NULL },
	{ "ktap", 0, 0, G_OPTION_ARG_NONE, &opt.ktap, "Print KTAP 1, as kernel tests do; exit 0 once it is printed", NULL },
	{ "junit", 0, 0, G_OPTION_ARG_FILENAME, &opt.junit, "Also write JUnit XML to this file", "FILE" },
	{ "digest", 0, 0, G_OPTION_ARG_NONE, &opt.digest, "Also print the digests of each run's records", NULL },
	G_OPTION_ENTRY_NULL,
};

/* -- which files --------------------------------------------------------------------------------- */

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All *.lks below @dir, in sorted order of their paths within each folder. Folders behind links are not entered. */
static bool collect_dir(GPtrArray *paths, const char *dir)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool good = true;

	if (!d) {
		cli_error("%s: %s", dir, g_strerror(errno));
		return false;
	}
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			g_ptr_array_add(names, g_strdup(entry->d_name));
	closedir(d);
	g_ptr_array_sort(names, by_name);
	for (unsigned i = 0; i < names->len && good; i++) {
		g_autofree char *path = g_build_filename(dir, names->pdata[i], NULL);
		struct stat st;

		if (lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			good = collect_dir(paths, path);
		else if (g_str_has_suffix(path, ".lks"))
			g_ptr_array_add(paths, g_steal_pointer(&path));
	}
	return good;
}

static bool collect(GPtrArray *paths, const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		cli_error("%s: %s", path, g_strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode))
		return collect_dir(paths, path);
	g_ptr_array_add(paths, g_strdup(path));
	return true;
}

/* -- one case, in a process of its own --------------------------------------------------------------- */

static struct run_options run_options;

static void append_digests(GString *text, const struct run_result *r)
{
	g_string_append_printf(text, "digest %016" G_GINT64_MODIFIER "x", r->digest);
	for (unsigned i = 0; i < r->ncompare; i++)
		if (r->compare[i].result)
			g_string_append_printf(text, " %016" G_GINT64_MODIFIER "x", r->compare[i].result->digest);
	g_string_append_c(text, '\n');
}

static bool unexpected(const struct run_result *r)
{
	for (unsigned i = 0; i < r->nfinding; i++)
		if (!r->finding[i].expected)
			return true;
	for (unsigned i = 0; i < r->ncompare; i++)
		if (r->compare[i].result && unexpected(r->compare[i].result))
			return true;
	return false;
}

static void judge(struct test_case *c, const struct run_result *r, GString *text)
{
	unsigned all = report_verdicts(r, &c->missed);

	c->met = all - c->missed;
	c->exit = run_exit_status(r);
	c->status = c->exit == CLI_FINE ? CASE_PASSED : c->exit == CLI_MISSED ? CASE_FAILED : CASE_BROKEN;
	if (opt.first && c->status == CASE_FAILED && !unexpected(r)) {
		/* expectations are about whole runs */
		c->status = CASE_PASSED;
		c->exit = CLI_FINE;
	}
	if (opt.first)
		c->met = c->missed = 0;
	if (opt.digest)
		append_digests(text, r);
	if (c->status != CASE_PASSED)
		report_misses(text, r);
}

static void run_case(struct test_case *c)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char *messages = NULL, *error = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&messages, &len);
	struct scenario *scn = cli_load(c->path, f, false, &c->exit);
	struct run_result *result = scn ? run_scenario(scn, &run_options, &error) : NULL;

	fclose(f);
	c->status = CASE_BROKEN;
	if (!scn) {
		g_string_append(text, messages);
	} else if (!result) {
		g_string_append_printf(text, "%s\n", error);
		c->exit = CLI_WORLD;
	} else {
		judge(c, result, text);
		run_result_free(result);
	}
	if (scn)
		scenario_free(scn);
	free(messages);
	g_free(error);
	c->text = g_string_free(g_steal_pointer(&text), FALSE);
}

/* -- all of them ------------------------------------------------------------------------------------- */

static bool lost; /* some line could not be printed */

static void print_case(void *user, const struct test_case *c, unsigned index)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (opt.ktap)
		case_ktap(out, c, index + 1);
	else if (opt.tap)
		case_tap(out, c, index + 1);
	else
		case_text(out, c, cli_colour(stdout), opt.quiet);
	lost |= cli_write(out) != CLI_FINE;
}

static int write_junit(const struct test_case *cases, unsigned n)
{
	g_autoptr(GString) out = g_string_new(NULL);

	cases_junit(out, cases, n);
	return cli_write_file(opt.junit, out->str, out->len);
}

static int worst_of(const struct test_case *cases, unsigned n)
{
	int worst = CLI_FINE;

	for (unsigned i = 0; i < n; i++)
		if (cases[i].status == CASE_BROKEN)
			worst = MAX(worst, cases[i].exit == CLI_WRONG ? CLI_WRONG : CLI_WORLD);
		else if (cases[i].status == CASE_FAILED)
			worst = MAX(worst, CLI_MISSED);
	return worst;
}

static int run_all(struct test_case *cases, unsigned n)
{
	g_autoptr(GString) out = g_string_new(NULL);
	unsigned jobs = opt.jobs ? (unsigned)opt.jobs : g_get_num_processors();
	int finished, status;

	if (opt.ktap)
		cases_ktap_head(out, n);
	else if (opt.tap)
		cases_tap_head(out, n);
	lost = cli_write(out) != CLI_FINE;
	cli_catch_interrupt();
	finished = workers_run(cases, n, jobs, run_case, print_case, NULL);
	if (finished < 0) {
		cli_error("cannot start a process: %s", g_strerror(errno));
		return CLI_WORLD;
	}
	g_string_truncate(out, 0);
	if (!opt.tap && !opt.ktap)
		cases_summary(out, cases, (unsigned)finished);
	status = opt.tap || opt.ktap ? CLI_FINE : worst_of(cases, (unsigned)finished);
	if (cli_write(out) != CLI_FINE || lost || (opt.junit && write_junit(cases, (unsigned)finished) != CLI_FINE))
		status = CLI_WORLD;
	if ((unsigned)finished < n) {
		cli_error("%u of %u were not run", n - (unsigned)finished, n);
		status = CLI_WORLD;
	}
	return cli_interrupted ? CLI_INTERRUPTED : status;
}

static int run(int argc, char **argv)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	struct test_case *cases;
	int status;

	if (!argc) {
		cli_error("which scenarios? Give files or folders");
		return CLI_WRONG;
	}
	if (opt.jobs < 0 || opt.jobs > 4096) {
		cli_error("--jobs is from 1 to 4096");
		return CLI_WRONG;
	}
	if (!cli_fill_run_options(&run_options))
		return CLI_WRONG;
	for (int i = 0; i < argc; i++)
		if (!collect(paths, argv[i]))
			return CLI_WORLD;
	if (!paths->len) {
		cli_error("there is no *.lks file in what was given");
		return CLI_WRONG;
	}
	cases = g_new0(struct test_case, paths->len);
	for (unsigned i = 0; i < paths->len; i++)
		cases[i].path = paths->pdata[i];
	status = run_all(cases, paths->len);
	for (unsigned i = 0; i < paths->len; i++)
		g_free(cases[i].text);
	g_free(cases);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options, cli_output_options, NULL };

const struct cli_verb verb_test = {
	.name = "test",
	.args = "FILE.lks|FOLDER...",
	.summary = "Run scenarios and say which kept their expectations",
	.more = "Folders are searched for *.lks files, in sorted order. The last line is \"N passed, N failed\".\n"
		"With --first, expectations are not judged: only findings and crashes fail.\n"
		"Exit status: 0 all passed; 1 some failed; 2 a text is wrong; 3 a file or a limit.\n",
	.groups = groups,
	.run = run,
};
