/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and includes: what is found, what is confined. Works in a folder of its own under /tmp. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "fake.h"
#include "run.h"

static char folder[64];

static void put(const char *name, const char *text)
{
	g_autofree char *dir = g_path_get_dirname(name);

	g_mkdir_with_parents(dir, 0700);
	ck_assert(g_file_set_contents(name, text, -1, NULL));
}

static void enter(void)
{
	strcpy(folder, "/tmp/lockstep-include-XXXXXX");
	ck_assert_ptr_nonnull(g_mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
	char *argv[] = { "rm", "-rf", folder, NULL };

	ck_assert_int_eq(chdir("/"), 0);
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Loads @path; the first message's code, or 0. */
static unsigned load(const char *path, const char *root)
{
	struct scn_options options = { .vocabulary = &fake_vocabulary, .include_root = root };
	struct sim_diags diags = { 0 };
	const char *path_error;
	struct scenario *scn = scenario_load(path, &options, &diags, &path_error);
	unsigned code = diags.count ? diags.list[0].code : 0;

	ck_assert_ptr_null(path_error);
	ck_assert((scn != NULL) == !diags.errors);
	ck_assert_uint_le(diags.count, 1);
	scenario_free(scn);
	scenario_diags_finish(&diags);
	return code;
}

#define BODY "task t { run think }\nrun for 1ms\n"

START_TEST(relative)
{
	put("a/main.lks", "include \"parts/one.lks\"\n" BODY);
	put("a/parts/one.lks", "include \"two.lks\"\n");
	put("a/parts/two.lks", "param think = 5us\n");
	ck_assert_uint_eq(load("a/main.lks", NULL), 0);
	ck_assert_int_eq(chdir("a/parts"), 0);
	ck_assert_uint_eq(load("../main.lks", NULL), 0);
}
END_TEST

START_TEST(shown_path)
{
	struct scn_options options = { .vocabulary = &fake_vocabulary };
	struct sim_diags diags = { 0 };
	const char *path_error;

	put("a/main.lks", "include \"parts/one.lks\"\n" BODY);
	put("a/parts/one.lks", "\nparam think = 5uss\n");
	ck_assert_ptr_null(scenario_load("a/main.lks", &options, &diags, &path_error));
	ck_assert_str_eq(diags.list[0].pos.source->path, "a/parts/one.lks");
	ck_assert_uint_eq(diags.list[0].pos.line, 2);
	scenario_diags_finish(&diags);
}
END_TEST

START_TEST(confined)
{
	put("a/main.lks", "include \"../b.lks\"\n" BODY);
	put("b.lks", "param think = 5us\n");
	ck_assert_uint_eq(load("a/main.lks", NULL), SIM_DIAG_include_outside);
	ck_assert_uint_eq(load("a/main.lks", "."), 0);
	ck_assert_uint_eq(load("a/main.lks", "nowhere"), SIM_DIAG_include_outside);
	put("a/inner.lks", "include \"sub/up.lks\"\n" BODY);
	put("a/sub/up.lks", "include \"../think.lks\"\n"); /* up, but not above the first file's folder */
	put("a/think.lks", "param think = 5us\n");
	ck_assert_uint_eq(load("a/inner.lks", NULL), 0);
	put("ab/x.lks", "param think = 5us\n");
	put("a/prefix.lks", "include \"../ab/x.lks\"\n" BODY); /* "ab" is not below "a" */
	ck_assert_uint_eq(load("a/prefix.lks", NULL), SIM_DIAG_include_outside);
}
END_TEST

START_TEST(links)
{
	put("b.lks", "param think = 5us\n");
	put("a/main.lks", "include \"link.lks\"\n" BODY);
	ck_assert_int_eq(symlink("../b.lks", "a/link.lks"), 0);
	ck_assert_uint_eq(load("a/main.lks", NULL), SIM_DIAG_include_outside);
}
END_TEST

START_TEST(cycles)
{
	put("self.lks", "include \"self.lks\"\n" BODY);
	ck_assert_uint_eq(load("self.lks", NULL), SIM_DIAG_include_cycle);
	put("twice.lks", "include \"p.lks\"\ninclude \"p.lks\"\n" BODY);
	put("p.lks", "param think = 5us\n");
	ck_assert_uint_eq(load("twice.lks", NULL), 0);
}
END_TEST

START_TEST(unreadable)
{
	put("a.lks", "include \"none.lks\"\nparam think = 1us\n" BODY);
	ck_assert_uint_eq(load("a.lks", NULL), SIM_DIAG_include_unreadable);
	put("b.lks", "include \"folder\"\nparam think = 1us\n" BODY);
	ck_assert_int_eq(mkdir("folder", 0700), 0);
	ck_assert_uint_eq(load("b.lks", NULL), SIM_DIAG_include_unreadable);
	put("c.lks", "include \"pipe\"\nparam think = 1us\n" BODY);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0); /* must not wait for a writer */
	ck_assert_uint_eq(load("c.lks", NULL), SIM_DIAG_include_unreadable);
}
END_TEST

START_TEST(world)
{
	struct scn_options options = { 0 };
	struct sim_diags diags = { 0 };
	const char *path_error;

	ck_assert_ptr_null(scenario_load("missing.lks", &options, &diags, &path_error));
	ck_assert_str_eq(path_error, "missing.lks");
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(scenario_load(".", &options, &diags, &path_error));
	ck_assert_str_eq(path_error, ".");
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_uint_eq(diags.count, 0);
	scenario_diags_finish(&diags);
}
END_TEST

START_TEST(many)
{
	g_autoptr(GString) text = g_string_new("param think = 1us\n");

	for (int i = 0; i < 100; i++) {
		g_autofree char *name = g_strdup_printf("p%d.lks", i);

		put(name, "");
		g_string_append_printf(text, "include \"%s\"\n", name);
	}
	g_string_append(text, BODY);
	put("many.lks", text->str);
	{
		struct scn_options options = { .vocabulary = &fake_vocabulary };
		struct sim_diags diags = { 0 };
		const char *path_error;

		ck_assert_ptr_null(scenario_load("many.lks", &options, &diags, &path_error));
		ck_assert_uint_eq(diags.list[0].code, SIM_DIAG_too_many_includes);
		scenario_diags_finish(&diags);
	}
}
END_TEST

/* The device never ends; reading stops at the limit. */
START_TEST(endless_file)
{
	ck_assert_uint_eq(load("/dev/zero", NULL), SIM_DIAG_file_too_big);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { relative, shown_path, confined, links, cycles, unreadable, world, many, endless_file };
	Suite *suite = suite_create("include");
	TCase *tcase = tcase_create("include");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, enter, leave);
	for (unsigned i = 0; i < G_N_ELEMENTS(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
