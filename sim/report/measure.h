/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as a row of numbers: what `compare` sets side by side, `sweep` stores and
 * `validate` holds against published figures. About one lock (all its instances together), or
 * about all locks of the run together.
 */
#ifndef SIM_REPORT_MEASURE_H
#define SIM_REPORT_MEASURE_H

#include <glib.h>
#include <stdbool.h>

#include "sim/run/result.h"

enum measure_unit {
	MEASURE_COUNT,
	MEASURE_TIME,  /* ps */
	MEASURE_PPM,   /* a share */
	MEASURE_MILLI, /* thousandths */
};

/* X(id, unit, title, meaning). Ids are the names in JSON, in the store and in targets; they stay. */
#define MEASURES(X)                                                                                         \
	X(throughput, MILLI, "throughput /s", "unnamed `done`s per second")                                 \
	X(acquired, MILLI, "acquired /s", "acquisitions per second, both modes")                            \
	X(span, TIME, "time", "the window; of a run `until done`, how long it took")                        \
	X(wait_mean, TIME, "wait mean", "from the call of lock() to its return")                            \
	X(wait_p50, TIME, "wait p50", "median")                                                             \
	X(wait_p99, TIME, "wait p99", "99th percentile")                                                    \
	X(wait_max, TIME, "wait max", "longest, open waits included")                                       \
	X(hold_mean, TIME, "hold mean", "from the grant to the call of unlock()")                           \
	X(spin, PPM, "spin share", "of the time waited: waiters burned a CPU")                              \
	X(sleep, PPM, "sleep share", "of the time waited: waiters slept")                                   \
	X(sleeps, MILLI, "sleeps /acq", "sleeps per acquisition")                                           \
	X(unfair, PPM, "unfairness (cv)", "standard deviation over mean of the tasks' done counts")         \
	X(ho_self, PPM, "hand-over same cpu", "of the exclusive hand-overs, by distance")                   \
	X(ho_smt, PPM, "hand-over smt", "sibling thread")                                                   \
	X(ho_cluster, PPM, "hand-over cluster", "same last-level cache")                                    \
	X(ho_socket, PPM, "hand-over socket", "same socket")                                                \
	X(ho_hop1, PPM, "hand-over 1 hop", "a socket one hop away")                                         \
	X(ho_hop2, PPM, "hand-over 2 hops", "further away")                                                 \
	X(moves, MILLI, "line moves /acq", "transfers of the lock's own lines per acquisition")             \
	X(busy, MILLI, "busy CPUs", "mean number of CPUs that ran a task")

enum measure_id {
#define X(id, unit, title, meaning) MEASURE_##id,
	MEASURES(X)
#undef X
	MEASURE_IDS
};

struct measure {
	uint64_t v[MEASURE_IDS];
};

struct measure_info {
	const char *id, *title, *meaning;
	enum measure_unit unit;
};
extern const struct measure_info measure_info[MEASURE_IDS];

/* @lock: its name without "[i]"; NULL: all locks. */
void measure_take(struct measure *m, const struct run_result *r, const char *lock);
/* Its id by name; false if there is none. */
bool measure_find(const char *name, enum measure_id *id);
/* "12.5us", "31.2 %", "1.85": a value with its unit, for people. */
void measure_put(GString *out, enum measure_unit unit, uint64_t v);

#endif
