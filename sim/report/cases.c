// SPDX-License-Identifier: GPL-2.0-or-later
/* Test results for people. */
#include "sim/report/cases.h"

static const char *word(enum case_status status)
{
	switch (status) {
	case CASE_PASSED:
		return "ok    ";
	case CASE_FAILED:
		return "FAILED";
	case CASE_BROKEN:
		return "BROKEN";
	}
	g_assert_not_reached();
}

void case_text(GString *out, const struct test_case *c, bool colour, bool quiet)
{
	g_auto(GStrv) lines = g_strsplit(c->text ? c->text : "", "\n", -1);
	const char *begin = c->status == CASE_PASSED ? "\033[32m" : "\033[31m";

	if (c->status == CASE_PASSED && quiet)
		return;
	g_string_append_printf(out, "%s%s%s  %s", colour ? begin : "", word(c->status), colour ? "\033[0m" : "", c->path);
	if (c->status == CASE_PASSED)
		g_string_append_printf(out, "  (%u met)\n", c->met);
	else
		g_string_append_printf(out, "  (%u met, %u missed, exit %d)\n", c->met, c->missed, c->exit);
	for (unsigned i = 0; lines[i]; i++)
		if (*lines[i])
			g_string_append_printf(out, "  %s\n", lines[i]);
}

void cases_summary(GString *out, const struct test_case *cases, unsigned n)
{
	unsigned passed = 0;

	for (unsigned i = 0; i < n; i++)
		passed += cases[i].status == CASE_PASSED;
	g_string_append_printf(out, "%u passed, %u failed\n", passed, n - passed);
}
