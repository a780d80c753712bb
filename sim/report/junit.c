// SPDX-License-Identifier: GPL-2.0-or-later
/* Test results as JUnit XML. */
#include <string.h>

#include "sim/report/cases.h"

/* XML 1.0 has no place for most control characters, not even escaped. */
static void escape(GString *out, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	for (const unsigned char *c = (const unsigned char *)valid; *c; c++) {
		if (*c == '&')
			g_string_append(out, "&amp;");
		else if (*c == '<')
			g_string_append(out, "&lt;");
		else if (*c == '>')
			g_string_append(out, "&gt;");
		else if (*c == '"')
			g_string_append(out, "&quot;");
		else if (*c >= 0x20 || *c == '\n' || *c == '\t')
			g_string_append_c(out, (char)*c);
		else
			g_string_append_c(out, '?');
	}
}

static void one_case(GString *out, const struct test_case *c)
{
	g_autofree char *class = g_path_get_dirname(c->path);
	g_autofree char *name = g_path_get_basename(c->path);
	const char *kind = c->status == CASE_FAILED ? "failure" : "error";

	g_string_append(out, "    <testcase classname=\"");
	escape(out, class);
	g_string_append(out, "\" name=\"");
	escape(out, name);
	g_string_append_printf(out, "\" assertions=\"%u\"", c->met + c->missed);
	if (c->status == CASE_PASSED) {
		g_string_append(out, "/>\n");
		return;
	}
	g_string_append_printf(out, ">\n      <%s message=\"exit %d, %u of %u expectations missed\">", kind, c->exit,
			       c->missed, c->met + c->missed);
	escape(out, c->text ? c->text : "");
	g_string_append_printf(out, "</%s>\n    </testcase>\n", kind);
}

void cases_junit(GString *out, const struct test_case *cases, unsigned n)
{
	unsigned failed = 0, broken = 0;

	for (unsigned i = 0; i < n; i++) {
		failed += cases[i].status == CASE_FAILED;
		broken += cases[i].status == CASE_BROKEN;
	}
	g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	g_string_append_printf(out, "  <testsuite name=\"lockstep\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n", n,
			       failed, broken);
	for (unsigned i = 0; i < n; i++)
		one_case(out, &cases[i]);
	g_string_append(out, "  </testsuite>\n</testsuites>\n");
}
