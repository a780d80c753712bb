/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand for the tests of reports. */
#ifndef TESTS_UNIT_REPORT_RESULTS_H
#define TESTS_UNIT_REPORT_RESULTS_H

#include "sim/run/result.h"

/* Two tasks, one rtmutex, one CPU; one expectation met, one missed. Static; do not free. */
struct run_result *result_small(void);
/* As above, with a compare block under "mutex" whose waits are twice as long. */
struct run_result *result_compared(void);
/* 160 tasks of one declaration, 80 CPUs, a reader-writer lock with events and transfers. */
struct run_result *result_wide(void);

#endif
