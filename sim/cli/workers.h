/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test cases in parallel processes. Each case has a process of its own, so that a crash
 * is one failed case; results are handed over in the order of the cases, so that the
 * output does not depend on how many ran at a time.
 */
#ifndef SIM_CLI_WORKERS_H
#define SIM_CLI_WORKERS_H

#include "sim/report/cases.h"

/* Runs in the child: fills @c but for its path. */
typedef void (*worker_fn)(struct test_case *c);
/* Called in the parent, in order, as soon as a case and all before it are finished. */
typedef void (*worker_done_fn)(void *user, const struct test_case *c, unsigned index);

/*
 * Runs @n cases, at most @jobs at a time. Returns how many were finished: fewer than @n
 * only after SIGINT. -1 with errno set if no process could be started.
 */
int workers_run(struct test_case *cases, unsigned n, unsigned jobs, worker_fn fn, worker_done_fn done, void *user);

#endif
