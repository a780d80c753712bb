// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/cases.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/table.h"
#include "tests/unit/report/results.h"

static const struct report_style plain = { 0, false };

static GString *text_of(const struct run_result *r)
{
	GString *out = g_string_new(NULL);

	report_text(out, r, &plain);
	return out;
}

static void assert_has(const GString *out, const char *part)
{
	ck_assert_msg(strstr(out->str, part) != NULL, "\"%s\" is missing in:\n%s", part, out->str);
}

static void assert_width(const GString *out, size_t width)
{
	g_auto(GStrv) lines = g_strsplit(out->str, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		size_t len = strlen(lines[i]);

		ck_assert_msg(len <= width, "%zu columns: %s", len, lines[i]);
		ck_assert_msg(!len || lines[i][len - 1] != ' ', "trailing blank: %s", lines[i]);
	}
}

/* -- tables ---------------------------------------------------------------------------------- */

START_TEST(table_aligns)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t = table_new();

	table_column(t, NULL, "lock", 0);
	table_column(t, "wait", "min", 0);
	table_column(t, "wait", "max", TABLE_KEEP);
	table_column(t, NULL, "never", TABLE_HIDE);
	table_row(t);
	table_text(t, "a");
	table_time(t, 1500 * SIM_PS);
	table_time(t, 0);
	table_count(t, 0);
	table_row(t);
	table_text(t, "longer");
	table_count(t, 5);
	table_percent(t, 1, 3);
	table_finish(t, out, 100);
	ck_assert_str_eq(out->str, "          wait\n"
				   "  lock      min   max\n"
				   "  a       1.5ns     -\n"
				   "  longer      5  33.3\n");
}
END_TEST

START_TEST(table_is_cut_at_the_page)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t = table_new();

	table_column(t, NULL, "name", 0);
	for (unsigned i = 0; i < 10; i++)
		table_column(t, NULL, "12345678", i == 5 ? TABLE_KEEP : 0);
	table_row(t);
	table_text(t, "row");
	for (unsigned i = 0; i < 10; i++)
		table_count(t, i + 1);
	table_finish(t, out, 60);
	assert_width(out, 60);
	for (unsigned i = 1; i <= 10; i++) {
		g_autofree char *cell = g_strdup_printf(" %u", i);

		assert_has(out, cell);
	}
	/* 5 fit; the sixth is kept with the fifth, so the cut comes before both */
	ck_assert_ptr_eq(strstr(out->str, " 5\n"), NULL);
	assert_has(out, " 4\n\n  name");
}
END_TEST

START_TEST(table_ratio_rounds)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t = table_new();

	table_column(t, NULL, "", 0);
	for (unsigned i = 0; i < 4; i++)
		table_column(t, NULL, "r", 0);
	table_row(t);
	table_text(t, "x");
	table_ratio(t, 2, 3);
	table_ratio(t, 0, 3);
	table_ratio(t, 3, 0);
	table_ratio(t, UINT64_MAX, UINT64_MAX);
	table_finish(t, out, 100);
	assert_has(out, "x  0.67  0.00  -  1.00\n");
}
END_TEST

/* -- text ---------------------------------------------------------------------------------- */

START_TEST(small_report)
{
	g_autoptr(GString) out = text_of(result_small());

	assert_width(out, REPORT_WIDTH);
	assert_has(out, "Scenario pathfinder\n");
	assert_has(out, "0123456789abcdef  (42 records)");
	assert_has(out, "0 to 500ms; ended because its time was over");
	assert_has(out, "bus   rtmutex        10    30.0  1ms  5.5ms");
	assert_has(out, "Watched\n  mutual-exclusion\n");
	assert_has(out, "Not watched\n  fifo\n");
	assert_has(out, "Findings\n  none\n");
	assert_has(out, "Expectations: 1 met, 1 missed\n");
	assert_has(out, "  PASS  pi/pathfinder.lks:18: no deadlock\n");
	assert_has(out, "  FAIL  pi/pathfinder.lks:19: wait distribution bus max <= 5ms\n        seen: 10ms at 40ms\n");
	ck_assert_ptr_eq(strchr(out->str, '\033'), NULL);
}
END_TEST

START_TEST(colour_only_when_asked)
{
	g_autoptr(GString) out = g_string_new(NULL), bare = g_string_new(NULL);
	g_autoptr(GString) plain_out = text_of(result_small());
	struct report_style style = { 0, true };

	report_text(out, result_small(), &style);
	assert_has(out, "\033[31mFAIL\033[0m");
	for (const char *c = out->str; *c; c++) { /* without the colours it is the same report */
		if (*c == '\033')
			c = strchr(c, 'm');
		else
			g_string_append_c(bare, *c);
	}
	ck_assert_str_eq(bare->str, plain_out->str);
}
END_TEST

START_TEST(wide_report_pools)
{
	g_autoptr(GString) out = text_of(result_wide());

	assert_width(out, REPORT_WIDTH);
	assert_has(out, "worker[160]  mean  179.5us");
	assert_has(out, "               min     100us");
	assert_has(out, "               max     259us");
	ck_assert_ptr_eq(strstr(out->str, "worker[3]"), NULL);
	assert_has(out, "CPUs (80)");
	assert_has(out, "busiest");
	assert_has(out, "mm-W  rwsem       100    50.0");
	assert_has(out, "mm-R              900     1.0");
	assert_has(out, "rwsem_rlock_steal 12, rwsem_wake_reader 34\n");
	ck_assert_ptr_eq(strstr(out->str, "rwsem_never"), NULL);
	assert_has(out, "1234.567 /s");
	assert_has(out, "Where waits went");
}
END_TEST

START_TEST(compare_has_ratios)
{
	g_autoptr(GString) out = text_of(result_compared());

	assert_has(out, "Side by side: bus\n");
	assert_has(out, "rtmutex  mutex  ratio\n");
	assert_has(out, "bus wait max        10ms   20ms   2.00\n");
	assert_has(out, "bus hold max        10ms   10ms   1.00\n");
	/* tasks that do not differ are left out */
	ck_assert_ptr_eq(strstr(out->str, "distribution blocked"), NULL);
}
END_TEST

START_TEST(misses_only)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct run_result *r = result_small();
	struct run_finding f = { .kind = RUN_FINDING_deadlock, .at = SIM_MS, .task = "meteo", .file = "a.lks", .line = 3,
				 .text = (char *)"meteo waits for bus\nbus is held by meteo" };

	r->finding = &f;
	r->nfinding = 1;
	report_misses(out, r);
	assert_has(out, "deadlock at 1ms, task meteo, a.lks:3\n    meteo waits for bus\n    bus is held by meteo\n");
	assert_has(out, "FAIL");
	ck_assert_ptr_eq(strstr(out->str, "PASS"), NULL);
	g_string_truncate(out, 0);
	f.expected = true;
	r->verdict[1].met = true;
	report_misses(out, r);
	ck_assert_str_eq(out->str, "");
}
END_TEST

/* -- JSON ---------------------------------------------------------------------------------- */

START_TEST(json_escapes)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "a\"b", "tab\t nl\n bs\\ bell\a bad\xff");
	json_time(&j, "never", SIM_NEVER);
	json_open(&j, "empty", '[');
	json_close(&j, ']');
	json_open(&j, "list", '[');
	json_count(&j, NULL, UINT64_MAX);
	json_int(&j, NULL, -35);
	json_bool(&j, NULL, true);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
	ck_assert_str_eq(out->str, "{\n"
				   "  \"a\\\"b\": \"tab\\t nl\\n bs\\\\ bell\\u0007 bad\xef\xbf\xbd\",\n"
				   "  \"never\": null,\n"
				   "  \"empty\": [],\n"
				   "  \"list\": [\n    18446744073709551615,\n    -35,\n    true\n  ]\n"
				   "}\n");
}
END_TEST

START_TEST(json_of_a_result)
{
	g_autoptr(GString) out = g_string_new(NULL);

	report_json(out, result_compared());
	ck_assert(g_str_has_prefix(out->str, "{\n  \"lockstep\": 1,\n  \"kind\": \"run\",\n  \"scenario\": \"pathfinder\",\n"));
	assert_has(out, "\"digest\": \"0123456789abcdef\"");
	assert_has(out, "\"until_ps\": 500000000000,");
	assert_has(out, "\"max_ps\": 20000000000");
	assert_has(out, "\"finish_ps\": null");
	assert_has(out, "\"model\": \"mutex\"");
	assert_has(out, "\"status\": 0\n}\n");
}
END_TEST

/* -- test results ------------------------------------------------------------------------------ */

static struct test_case cases[] = {
	{ (char *)"pi/a.lks", CASE_PASSED, 3, 0, 0, (char *)"" },
	{ (char *)"pi/b#1.lks", CASE_FAILED, 1, 1, 1, (char *)"  FAIL  b.lks:3: x < 3 & \"y\"\n" },
	{ (char *)"c.lks", CASE_BROKEN, 0, 0, 134, (char *)"it crashed: signal 6\n" },
};

START_TEST(tap)
{
	g_autoptr(GString) out = g_string_new(NULL);

	cases_tap_head(out, 3);
	for (unsigned i = 0; i < 3; i++)
		case_tap(out, &cases[i], i + 1);
	ck_assert_str_eq(out->str, "TAP version 13\n1..3\n"
				   "ok 1 - pi/a.lks\n"
				   "not ok 2 - pi/b\\#1.lks\n"
				   "  ---\n  exit: 1\n  met: 1\n  missed: 1\n  message: |\n"
				   "      FAIL  b.lks:3: x < 3 & \"y\"\n  ...\n"
				   "not ok 3 - c.lks\n"
				   "  ---\n  exit: 134\n  met: 0\n  missed: 0\n  message: |\n"
				   "    it crashed: signal 6\n  ...\n");
}
END_TEST

START_TEST(ktap)
{
	g_autoptr(GString) out = g_string_new(NULL);

	cases_ktap_head(out, 3);
	for (unsigned i = 0; i < 3; i++)
		case_ktap(out, &cases[i], i + 1);
	ck_assert_str_eq(out->str, "KTAP version 1\n1..3\n"
				   "ok 1 pi/a.lks\n"
				   "#   FAIL  b.lks:3: x < 3 & \"y\"\n"
				   "not ok 2 pi/b_1.lks\n"
				   "# it crashed: signal 6\n"
				   "not ok 3 c.lks # ERROR\n");
}
END_TEST

START_TEST(junit)
{
	g_autoptr(GString) out = g_string_new(NULL);

	cases_junit(out, cases, 3);
	assert_has(out, "<testsuite name=\"lockstep\" tests=\"3\" failures=\"1\" errors=\"1\">");
	assert_has(out, "<testcase classname=\"pi\" name=\"a.lks\" assertions=\"3\"/>");
	assert_has(out, "x &lt; 3 &amp; &quot;y&quot;");
	assert_has(out, "<error message=\"exit 134, 0 of 0 expectations missed\">");
}
END_TEST

START_TEST(summary)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (unsigned i = 0; i < 3; i++)
		case_text(out, &cases[i], false, false);
	cases_summary(out, cases, 3);
	assert_has(out, "ok      pi/a.lks  (3 met)\n");
	assert_has(out, "FAILED  pi/b#1.lks  (1 met, 1 missed, exit 1)\n");
	ck_assert(g_str_has_suffix(out->str, "\n1 passed, 2 failed\n"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report");
	TCase *t = tcase_create("report");
	SRunner *runner;
	int failed;

	tcase_add_test(t, table_aligns);
	tcase_add_test(t, table_is_cut_at_the_page);
	tcase_add_test(t, table_ratio_rounds);
	tcase_add_test(t, small_report);
	tcase_add_test(t, colour_only_when_asked);
	tcase_add_test(t, wide_report_pools);
	tcase_add_test(t, compare_has_ratios);
	tcase_add_test(t, misses_only);
	tcase_add_test(t, json_escapes);
	tcase_add_test(t, json_of_a_result);
	tcase_add_test(t, tap);
	tcase_add_test(t, ktap);
	tcase_add_test(t, junit);
	tcase_add_test(t, summary);
	suite_add_tcase(s, t);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
