/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging expectations: what expect.c and expect_history.c share. Private to the watch. */
#ifndef SIM_RUN_EXPECT_H
#define SIM_RUN_EXPECT_H

#include "sim/run/watch_impl.h"

bool expect_rel(enum scn_rel rel, uint64_t seen, uint64_t value);
void expect_time(GString *s, sim_time t);
/* Standard deviation over mean, in ppm; 0 when all are 0. */
uint64_t expect_cv_ppm(const uint64_t *x, uint32_t n);

/* Those that were followed through the run (expect_history.c). */
bool expect_wait(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen);
bool expect_grants(const struct watch *w, const struct watch_ask *a, GString *seen);
bool expect_prio(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen);
bool expect_blocked(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen);
bool expect_never_runs(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen);

#endif
