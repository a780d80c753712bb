/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a set of tests came to: one case per scenario file. No clock of the host is in
 * it, so the output is the same however many processes ran the cases.
 */
#ifndef SIM_REPORT_CASES_H
#define SIM_REPORT_CASES_H

#include <glib.h>
#include <stdbool.h>

enum case_status {
	CASE_PASSED,
	CASE_FAILED, /* a finding, or an expectation missed */
	CASE_BROKEN, /* no verdict: the text is wrong, a file is missing, a limit was reached, a crash */
};

struct test_case {
	char *path;
	enum case_status status;
	unsigned met, missed; /* expectations */
	int exit;	      /* what `run` would have exited with; 128 + signal for a crash */
	char *text;	      /* lines: why it did not pass, or what was asked for beside; may be empty */
};

/* One line for people, and the text below it. @quiet: nothing if it passed. */
void case_text(GString *out, const struct test_case *c, bool colour, bool quiet);
/* "N passed, N failed", alone on its line. */
void cases_summary(GString *out, const struct test_case *cases, unsigned n);
/* TAP version 13, flat, with the reasons in YAML blocks. */
void cases_tap_head(GString *out, unsigned n);
void case_tap(GString *out, const struct test_case *c, unsigned number);
/* KTAP version 1, as the kernel's own tests print it, with the reasons as remarks. */
void cases_ktap_head(GString *out, unsigned n);
void case_ktap(GString *out, const struct test_case *c, unsigned number);
/* A JUnit XML document. */
void cases_junit(GString *out, const struct test_case *cases, unsigned n);

#endif
