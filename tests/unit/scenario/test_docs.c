/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * docs/language.md and docs/errors.md against the program: every ```lks block is a whole
 * scenario without fault, every ```lks-fragment has words of the language only, and the
 * table of codes is complete. The first argument is the folder of the documents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

static char *docs;

static char *document(const char *name)
{
	g_autofree char *path = g_build_filename(docs, name, NULL);
	char *text = NULL;

	ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "cannot read %s", path);
	return text;
}

/* The blocks fenced by "```@kind", in order. */
static GPtrArray *blocks(const char *text, const char *kind)
{
	g_autofree char *open = g_strdup_printf("\n```%s\n", kind);
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	while ((text = strstr(text, open))) {
		const char *end;

		text += strlen(open);
		end = strstr(text, "```");
		ck_assert_ptr_nonnull(end);
		g_ptr_array_add(all, g_strndup(text, (gsize)(end - text)));
		text = end;
	}
	return all;
}

START_TEST(examples)
{
	g_autofree char *text = document("language.md");
	g_autoptr(GPtrArray) all = blocks(text, "lks");

	ck_assert_uint_ge(all->len, 10);
	for (unsigned i = 0; i < all->len; i++)
		scenario_free(fake_good(all->pdata[i]));
}
END_TEST

/* Fragments cannot be parsed alone; they are put where they belong: at the top, or into a task. */
START_TEST(fragments)
{
	g_autofree char *text = document("language.md");
	g_autoptr(GPtrArray) all = blocks(text, "lks-fragment");

	ck_assert_uint_ge(all->len, 3);
	for (unsigned i = 0; i < all->len; i++) {
		g_autofree char *in_task = fake_task(all->pdata[i]);
		g_autofree char *at_top = g_strdup_printf("%s\n%s", (char *)all->pdata[i],
						    "task some_task { run 1us done }\nrun for 10ms\n");
		struct sim_diags diags = { 0 }, other = { 0 };
		struct scenario *scn = fake_parse(in_task, NULL, &diags), *top = NULL;

		if (!scn)
			top = fake_parse(at_top, NULL, &other);
		ck_assert_msg(scn || top, "neither at the top nor in a task:\n%s", (char *)all->pdata[i]);
		scenario_free(scn);
		scenario_free(top);
		scenario_diags_finish(&diags);
		scenario_diags_finish(&other);
	}
}
END_TEST

/* docs/errors.md is what "lockstep list codes" knows, written by the same hand as here. */
static char *table_of_codes(void)
{
	GString *s = g_string_new("| code | id | | meaning |\n|---|---|---|---|\n");
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(s, "| LS-%u | %s | %s | %s |\n", all[i].code, all[i].id,
				       all[i].severity == SIM_ERROR ? "error" : "warning", all[i].meaning);
	return g_string_free(s, FALSE);
}

START_TEST(codes)
{
	g_autofree char *text = document("errors.md");
	g_autofree char *table = table_of_codes();

	if (!strstr(text, table))
		fprintf(stderr, "docs/errors.md should have this table:\n%s", table);
	ck_assert(strstr(text, table) != NULL);
}
END_TEST

START_TEST(registry)
{
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);

	for (unsigned i = 0; i < n; i++) {
		ck_assert_uint_ge(all[i].code, 100);
		ck_assert_uint_le(all[i].code, 999);
		ck_assert(!i || all[i].code > all[i - 1].code);
		ck_assert_ptr_null(strchr(all[i].id, '_'));
		ck_assert_ptr_null(strchr(all[i].meaning, '|'));
		ck_assert_uint_gt(strlen(all[i].meaning), 10);
		ck_assert_uint_gt(strlen(all[i].more), 10);
	}
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = { examples, fragments, codes, registry };

	if (argc == 2 && !strcmp(argv[1], "--table")) {
		g_autofree char *table = table_of_codes();

		fputs(table, stdout);
		return 0;
	}
	docs = argv[argc - 1];
	return run_tests("docs", tests, G_N_ELEMENTS(tests));
}
