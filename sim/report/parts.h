/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the text report; private to sim/report. */
#ifndef SIM_REPORT_PARTS_H
#define SIM_REPORT_PARTS_H

#include "sim/report/report.h"

/* More instances of one declaration than this are shown as a pool. */
#define REPORT_POOL 8

/* A page being written. */
struct page {
	GString *out;
	unsigned width;
	bool colour;
};

/* An empty line and a heading, bold where there is colour. */
void page_heading(const struct page *p, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Words separated by @sep, indented by two and folded at the page's width. */
void page_words(const struct page *p, char *const *words, const char *sep);

/* A row of the report: some instances of one declaration, by index into the result's array. */
struct pool {
	char *name;	   /* "worker[3]", or "worker[160]" for 160 of them */
	unsigned *member;
	unsigned n;
};

/* Tasks by declaration, locks by the name before "[". Free with pools_free(). */
GPtrArray *pools_of_tasks(const struct run_result *r);
GPtrArray *pools_of_locks(const struct run_result *r);

/* One lock, or the sum over a pool of them; owns its distributions when @owned. */
struct lock_sum {
	struct run_lock lock;
	bool owned;
};
void lock_sum_init(struct lock_sum *s, const struct run_result *r, const struct pool *pool);
void lock_sum_finish(struct lock_sum *s);
/* Has it a shared mode in use? Then it stands in two rows, NAME-W and NAME-R. */
bool lock_is_rw(const struct run_lock *l);

void part_locks(const struct page *p, const struct run_result *r);
void part_tasks(const struct page *p, const struct run_result *r);
void part_cpus(const struct page *p, const struct run_result *r);
void part_pieces(const struct page *p, const struct run_result *r);
void part_compare(const struct page *p, const struct run_result *r);
void part_findings(const struct page *p, const struct run_result *r);
void part_verdicts(const struct page *p, const struct run_result *r);

#endif
