/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by twin.c, which runs and judges, and twin_story.c, which tells. */
#ifndef SIM_RUN_TWIN_IMPL_H
#define SIM_RUN_TWIN_IMPL_H

#include <glib.h>

#include "sim/run/bind.h"
#include "sim/run/twin.h"

#define TWIN_LOOK 8  /* waiters of a queue that are compared by name */
#define TWIN_LINES 4 /* of a lock that are told apart */
#define TWIN_TELL 12 /* records that a story tells from where its sides part */

struct twin_look { /* at a lock, at the moment of a grant */
	uint64_t word;
	uint32_t nowners, nwaiters;
	uint16_t waiter[TWIN_LOOK]; /* 1 + task, in order of service; 0: none */
	bool looked, no_queue;
};

struct twin_rec {
	struct sim_rec rec;
	struct twin_look look;
};

struct twin {
	struct scenario *scn;
	struct twin_lock {
		const char *own;      /* what the text says */
		const char *model[2]; /* NULL: not both */
	} *lock;
	const struct run_bound *bound; /* of the run in progress */
	unsigned side;
	bool one_make; /* on both sides, the second polls: layouts are the same, too */
	bool exact, parted;
	sim_time until; /* compared are the records up to here */
	unsigned at, at_other; /* where the sides part: index in rec[0], rec[1] */
	unsigned extra;
	bool placing; /* a side runs once more, to see where it is when it parts */
	unsigned passed;
	struct twin_place {
		char *task;
		unsigned n;
		const void *site[SIM_TRAIL];
	} place[2];
	uint32_t bound_locks;
	GArray *rec[2]; /* of struct twin_rec */
	struct twin_lines { /* accesses of all tasks to a lock's own lines; those behind the last one count for it */
		uint64_t n[TWIN_LINES], missed[TWIN_LINES];
	} *lines[2];      /* by lock; NULL: not counted */
	struct twin_seen seen;
	struct run_result *result[2];
	GString *notes;
};

/* Both sides of where the twins part. */
char *twin_story(const struct twin *t);
/* Counters that both sides know by one name and that differ, or NULL. */
char *twin_counters(const struct twin *t);
/* Begins to count accesses to the lines of @b's locks. */
void twin_count_lines(struct twin *t, const struct run_bound *b);
/* Notes where the sides differ in accesses and moves per acquisition, by lock and line. */
void twin_note_lines(struct twin *t);

#endif
