/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "sim/core/diag.h"
#include "tests/unit/core/run.h"

#define CODE any_error()

static struct sim_diags d;

/* The first error of the registry: these tests outlive every code. */
static enum sim_diag_code any_error(void)
{
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);

	while (all->severity != SIM_ERROR)
		all++;
	return (enum sim_diag_code)all->code;
}

static char *printed(bool colour)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	sim_diag_print(out, &d, colour);
	fclose(out);
	return text;
}

/* @expected, in which "HEAD" stands for "error[LS-… …]:". */
static void check_printed(const char *expected)
{
	const struct sim_diag_info *info = sim_diag_info(CODE);
	char *text = printed(false), head[80], filled[4096] = "";
	const char *at;

	snprintf(head, sizeof(head), "error[LS-%u %s]:", info->code, info->id);
	while ((at = strstr(expected, "HEAD"))) {
		strncat(filled, expected, (size_t)(at - expected));
		strcat(filled, head);
		expected = at + 4;
	}
	strcat(filled, expected);
	ck_assert_str_eq(text, filled);
	free(text);
	d = (struct sim_diags){0};
}

static struct sim_source source_of(const char *text)
{
	return (struct sim_source){"bus.lks", text, strlen(text)};
}

static void complain(const struct sim_source *s, uint32_t line, uint32_t column, uint32_t width)
{
	sim_diag_add(&d, CODE, (struct sim_pos){s, line, column, width}, "no lock \"%s\"", "bsu");
}

START_TEST(test_caret)
{
	struct sim_source s = source_of("# one\n  lock bsu\n");

	complain(&s, 2, 8, 3);
	check_printed("bus.lks:2:8: HEAD no lock \"bsu\"\n"
		      "    2 |   lock bsu\n"
		      "      |        ^~~\n");
}
END_TEST

START_TEST(test_tabs_are_kept)
{
	struct sim_source s = source_of("\tlock\tbsu # x");

	complain(&s, 1, 7, 3);
	check_printed("bus.lks:1:7: HEAD no lock \"bsu\"\n"
		      "    1 | \tlock\tbsu # x\n"
		      "      | \t    \t^~~\n");
}
END_TEST

/* Columns are bytes, carets stand under characters. */
START_TEST(test_utf8)
{
	struct sim_source s = source_of("mark \"Übergabe\" bsü x\r\nnext");

	complain(&s, 1, 18, 4);
	check_printed("bus.lks:1:18: HEAD no lock \"bsu\"\n"
		      "    1 | mark \"Übergabe\" bsü x\n"
		      "      |                 ^~~\n");
}
END_TEST

START_TEST(test_end_of_line_and_file)
{
	struct sim_source s = source_of("ab\ncd");

	complain(&s, 1, 3, 1);
	complain(&s, 2, 3, 9);
	complain(&s, 3, 1, 1);
	complain(&s, 0, 0, 0);
	check_printed("bus.lks:1:3: HEAD no lock \"bsu\"\n    1 | ab\n      |   ^\n"
		      "bus.lks:2:3: HEAD no lock \"bsu\"\n    2 | cd\n      |   ^\n"
		      "bus.lks:3:1: HEAD no lock \"bsu\"\n    3 | \n      | ^\n"
		      "bus.lks: HEAD no lock \"bsu\"\n");
}
END_TEST

START_TEST(test_tildes_end_with_the_line)
{
	struct sim_source s = source_of("abc\n");

	complain(&s, 1, 2, 4000000000u);
	check_printed("bus.lks:1:2: HEAD no lock \"bsu\"\n    1 | abc\n      |  ^~\n");
}
END_TEST

START_TEST(test_command_line)
{
	complain(NULL, 0, 0, 0);
	check_printed("command line: HEAD no lock \"bsu\"\n");
}
END_TEST

/* Escape sequences, zero bytes and broken UTF-8 of the user's text do not reach a terminal. */
START_TEST(test_text_is_made_harmless)
{
	static const char text[] = "a\033[31m\0b\xff\xc2\x9b c\x7f\xe2\x82";
	struct sim_source s = {"e\nvil.lks", text, sizeof(text) - 1};

	sim_diag_add(&d, CODE, (struct sim_pos){&s, 1, 1, 1}, "what is \"\033[2J\"?");
	check_printed("e?vil.lks:1:1: HEAD what is \"?[2J\"?\n"
		      "    1 | a?[31m?b??? c???\n"
		      "      | ^\n");
}
END_TEST

START_TEST(test_long_line)
{
	static char text[1000001];
	struct sim_source s;
	char *out;

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + 500000, "bsu", 3);
	s = source_of(text);
	complain(&s, 1, 500001, 3);
	out = printed(false);
	ck_assert_uint_lt(strlen(out), 500);
	ck_assert_ptr_nonnull(strstr(out, "    1 | ...xxx"));
	ck_assert_ptr_nonnull(strstr(out, "xxx...\n      | "));
	/* the caret stands below the b */
	ck_assert_int_eq(strstr(out, "bsu"
				     "xxx") -
				 strstr(out, "    1 | "),
			 strchr(out, '^') - strstr(out, "      | "));
	free(out);
}
END_TEST

START_TEST(test_note)
{
	struct sim_source s = source_of("lock bsu");

	complain(&s, 1, 6, 3);
	sim_diag_note(&d, "also defined at line %d", 9);
	check_printed("bus.lks:1:6: HEAD no lock \"bsu\"\n"
		      "    1 | lock bsu\n"
		      "      |      ^~~\n"
		      "bus.lks:1:6: note: also defined at line 9\n");
}
END_TEST

START_TEST(test_ten_at_most)
{
	struct sim_source s = source_of("lock bsu");
	char *out;

	sim_diag_note(&d, "a note for nothing is nothing");
	for (unsigned i = 0; i < 13; i++) {
		ck_assert(d.stopped == (i >= 10));
		sim_diag_add(&d, CODE, (struct sim_pos){&s, 1, 1, 1}, "message %u", i);
		sim_diag_note(&d, "note %u", i);
	}
	ck_assert_uint_eq(d.count, 10);
	ck_assert_uint_eq(d.errors, 13);
	out = printed(false);
	ck_assert_ptr_nonnull(strstr(out, "message 9\n"));
	ck_assert_ptr_nonnull(strstr(out, "note 9\n"));
	ck_assert_ptr_null(strstr(out, "message 10"));
	ck_assert_ptr_null(strstr(out, "note 10"));
	ck_assert_ptr_nonnull(strstr(out, "stopped after 10 messages\n"));
	free(out);
}
END_TEST

START_TEST(test_long_message)
{
	char word[1000], *out;

	memset(word, 'w', 999);
	word[999] = '\0';
	sim_diag_add(&d, CODE, (struct sim_pos){NULL, 0, 0, 0}, "no lock \"%s\"", word);
	sim_diag_note(&d, "%s", word);
	out = printed(false);
	ck_assert_uint_lt(strlen(out), 700);
	free(out);
}
END_TEST

START_TEST(test_colour)
{
	struct sim_source s = source_of("lock bsu");
	char *out;

	complain(&s, 1, 6, 3);
	out = printed(true);
	ck_assert_ptr_nonnull(strstr(out, "\033[1;31merror"));
	ck_assert_ptr_nonnull(strstr(out, "\033[1;32m^~~\033[0m"));
	free(out);
}
END_TEST

START_TEST(test_registry)
{
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);

	ck_assert_uint_gt(n, 0);
	for (unsigned i = 0; i < n; i++) {
		ck_assert(all[i].code >= 100 && all[i].code <= 999);
		ck_assert_msg(!i || all[i - 1].code < all[i].code, "LS-%u is out of order", all[i].code);
		ck_assert_ptr_eq(sim_diag_info(all[i].code), &all[i]);
		ck_assert_msg(!strchr(all[i].id, '_') && strlen(all[i].id) < 47, "%s", all[i].id);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(all[i].id, all[j].id);
		ck_assert_msg(all[i].meaning[0], "LS-%u means nothing", all[i].code);
	}
	ck_assert_ptr_null(sim_diag_info(1));
}
END_TEST

static const char *const words[] = {"bus", "mutex", "rwsem", "rtmutex", "unlock", "downgrade", "x", NULL};

static const struct {
	const char *word, *nearest;
} near[] = {
	{"bsu", "bus"},
	{"buss", "bus"},
	{"mutx", "mutex"},
	{"rtmutx", "rtmutex"},
	{"rwsm", "rwsem"},
	{"unlokc", "unlock"},
	{"downgarde", "downgrade"},
	{"dwngrad", "downgrade"},
	{"mutex", "mutex"},
	{"down", "downgrade"}, /* its beginning */
	{"condition", NULL},
	{"y", NULL},
	{"", NULL},
	{"qqqqqq", NULL},
	{"b", NULL},
	{"wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", NULL},
};

START_TEST(test_nearest)
{
	ck_assert_pstr_eq(sim_nearest(near[_i].word, words), near[_i].nearest);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diag");
	TCase *tc = tcase_create("print"), *names = tcase_create("names");

	tcase_add_test(tc, test_caret);
	tcase_add_test(tc, test_tabs_are_kept);
	tcase_add_test(tc, test_utf8);
	tcase_add_test(tc, test_end_of_line_and_file);
	tcase_add_test(tc, test_tildes_end_with_the_line);
	tcase_add_test(tc, test_command_line);
	tcase_add_test(tc, test_text_is_made_harmless);
	tcase_add_test(tc, test_long_line);
	tcase_add_test(tc, test_note);
	tcase_add_test(tc, test_ten_at_most);
	tcase_add_test(tc, test_long_message);
	tcase_add_test(tc, test_colour);
	tcase_add_test(names, test_registry);
	tcase_add_loop_test(names, test_nearest, 0, sizeof(near) / sizeof(near[0]));
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, names);
	return run_suite(suite);
}
