/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs every NAME.lks of this folder, which must be refused or warned about, and compares
 * what is said with NAME.err, byte for byte.
 *
 *   run FOLDER             compares
 *   LOCKSTEP_UPDATE_GOLDEN=1 run FOLDER   writes NAME.err anew
 *
 * A line "# set: NAME=VALUE" in a text stands for --set. Names of models and presets are
 * those of tests/unit/scenario/fake.c, so that a new model changes no message here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "tests/unit/scenario/fake.h"

static const char **find_sets(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GPtrArray *sets = g_ptr_array_new();

	for (unsigned i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "# set: "))
			g_ptr_array_add(sets, g_strdup(lines[i] + 7));
	g_ptr_array_add(sets, NULL);
	return (const char **)g_ptr_array_free(sets, FALSE);
}

/* What is said about @path. */
static char *messages(const char *path, bool *seen)
{
	g_autofree char *text = NULL;
	struct sim_diags diags = { 0 };
	struct scn_options options = { .vocabulary = &fake_vocabulary };
	const char *path_error = NULL;
	struct scenario *scn;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (!g_file_get_contents(path, &text, NULL, NULL))
		text = g_strdup("");
	options.sets = find_sets(text);
	scn = scenario_load(path, &options, &diags, &path_error);
	if (path_error)
		fprintf(f, "%s: %s\n", path_error, strerror(errno));
	sim_diag_print(f, &diags, false);
	fclose(f);
	for (unsigned i = 0; i < diags.count; i++)
		seen[diags.list[i].code] = true;
	scenario_free(scn);
	scenario_diags_finish(&diags);
	g_strfreev((char **)options.sets);
	return out;
}

static bool compare(const char *name, bool update, bool *seen)
{
	g_autofree char *base = g_strndup(name, strlen(name) - 4);
	g_autofree char *err = g_strconcat(base, ".err", NULL);
	g_autofree char *want = NULL;
	char *got = messages(name, seen);
	bool same;

	if (update)
		g_file_set_contents(err, got, -1, NULL);
	g_file_get_contents(err, &want, NULL, NULL);
	same = want && *got && !strcmp(want, got);
	printf("%sok - %s\n", same ? "" : "not ", base);
	if (!same)
		printf("--- %s\n%s+++ what was said\n%s---\n", err, want ? want : "(missing)\n", got);
	free(got);
	return same;
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every code of the registry must be provoked by some text, but for those that @text lists. */
static unsigned unseen_codes(const bool *seen)
{
	g_autofree char *text = NULL;
	unsigned n, missing = 0;
	const struct sim_diag_info *all = sim_diag_all(&n);

	g_file_get_contents("elsewhere.txt", &text, NULL, NULL);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *line = g_strdup_printf("\nLS-%u ", all[i].code);

		if (seen[all[i].code] == !!(text && strstr(text, line))) {
			printf("not ok - LS-%u %s: %s\n", all[i].code, all[i].id,
			       seen[all[i].code] ? "has a text here and is listed in elsewhere.txt" : "no text here provokes it");
			missing++;
		}
	}
	return missing;
}

int main(int argc, char **argv)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	bool update = getenv("LOCKSTEP_UPDATE_GOLDEN"), seen[1000] = { false };
	unsigned failed = 0;
	const char *name;
	GDir *dir;

	if (argc != 2 || chdir(argv[1]) || !(dir = g_dir_open(".", 0, NULL))) {
		fprintf(stderr, "usage: run FOLDER\n");
		return 2;
	}
	while ((name = g_dir_read_name(dir)))
		if (g_str_has_suffix(name, ".lks"))
			g_ptr_array_add(names, g_strdup(name));
	g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	for (unsigned i = 0; i < names->len; i++)
		failed += !compare(names->pdata[i], update, seen);
	failed += unseen_codes(seen);
	printf("1..%u\n", names->len);
	if (names->len < 60) {
		printf("only %u texts\n", names->len);
		failed++;
	}
	return failed > 0;
}
