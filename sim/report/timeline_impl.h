/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fold keeps and both drawings read. Private to sim/report. */
#ifndef SIM_REPORT_TIMELINE_IMPL_H
#define SIM_REPORT_TIMELINE_IMPL_H

#include "sim/report/timeline.h"

#define TIMELINE_NONE UINT32_MAX

enum timeline_kind {
	TIMELINE_AWAY,	/* not there, asleep by its program, or gone */
	TIMELINE_READY, /* runnable, not running */
	TIMELINE_RUN,
	TIMELINE_SPIN,	/* on a CPU, waiting for a lock that is held */
	TIMELINE_WAIT,	/* asleep in a lock */
};

struct timeline_look { /* how a stretch is drawn */
	enum timeline_kind kind;
	uint32_t lock; /* that it waits for, or that it took last and holds; TIMELINE_NONE */
	uint32_t cpu;
	int prio;
	bool boosted;
};

struct timeline_stretch {
	sim_time from, to;
	struct timeline_look look;
};

struct timeline_span {
	sim_time from, to;
};

struct timeline_row { /* a task */
	char *name;
	int normal;
	GArray *stretch;  /* struct timeline_stretch, gap-free from the task's first */
	GArray *inverted; /* struct timeline_span, ascending */

	/* the fold */
	enum { ROW_AWAY, ROW_READY, ROW_RUNNING, ROW_ASLEEP, ROW_GONE } state;
	uint32_t cpu, op; /* op: the lock it is in lock() for */
	bool op_contended, op_sleeps;
	int prio;
	GArray *holds; /* uint32_t, latest last */
	sim_time since;
	struct timeline_look look;
};

struct timeline {
	struct timeline_row *row;
	uint32_t nrow, ntask; /* nrow: with interrupts */
	char **lock;
	uint32_t nlock, *holders; /* by lock: how many hold it */
	unsigned ncpus;
	sim_time end;
	uint64_t stretches;
	bool full; /* too many: nothing was kept after end */
};

/* Does the row show anything in [@from, @to)? */
bool timeline_shows(const struct timeline_row *row, sim_time from, sim_time to);
/* Is the lock held or waited for in [@from, @to)? */
bool timeline_uses(const struct timeline *t, uint32_t lock, sim_time from, sim_time to);

#endif
