// SPDX-License-Identifier: GPL-2.0-or-later
/* Test results as TAP 13, and as the kernel's dialect of it. */
#include <string.h>

#include "sim/report/cases.h"

void cases_tap_head(GString *out, unsigned n)
{
	g_string_append_printf(out, "TAP version 13\n1..%u\n", n);
	if (!n)
		g_string_append(out, "# no scenario was found\n");
}

/* '#' begins a directive and '\' escapes in a description. */
static void description(GString *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '#' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text == '\n' ? ' ' : *text);
	}
}

void case_tap(GString *out, const struct test_case *c, unsigned number)
{
	g_auto(GStrv) lines = g_strsplit(c->text ? c->text : "", "\n", -1);

	g_string_append_printf(out, "%s %u - ", c->status == CASE_PASSED ? "ok" : "not ok", number);
	description(out, c->path);
	g_string_append_c(out, '\n');
	if (c->status == CASE_PASSED)
		return;
	g_string_append_printf(out, "  ---\n  exit: %d\n  met: %u\n  missed: %u\n  message: |\n", c->exit, c->met, c->missed);
	for (unsigned i = 0; lines[i]; i++)
		if (*lines[i])
			g_string_append_printf(out, "    %s\n", lines[i]);
	g_string_append(out, "  ...\n");
}

void cases_ktap_head(GString *out, unsigned n)
{
	g_string_append_printf(out, "KTAP version 1\n1..%u\n", n);
}

/* No YAML there, and no escapes: reasons are remarks in front of the line that they belong to. */
void case_ktap(GString *out, const struct test_case *c, unsigned number)
{
	g_auto(GStrv) lines = g_strsplit(c->text ? c->text : "", "\n", -1);
	g_autofree char *name = g_strdelimit(g_strdup(c->path), "#\n", '_');

	for (unsigned i = 0; c->status != CASE_PASSED && lines[i]; i++)
		if (*lines[i])
			g_string_append_printf(out, "# %s\n", lines[i]);
	g_string_append_printf(out, "%s %u %s%s\n", c->status == CASE_PASSED ? "ok" : "not ok", number, name,
			       c->status == CASE_BROKEN ? " # ERROR" : "");
}
