/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Twins: one scenario under two makes of the same locks, Lockstep's models and the files of
 * a kernel tree, or two trees. Same draws, same machine; then all records are compared.
 *
 *   exact      every access costs the same wherever its line is: schedule, waits, grants
 *              and wake-ups must be the same records at the same times, and at every grant
 *              the lock word, the owners and the queue must be the same too
 *   decisions  under priced presets, where layouts differ: who is granted which lock in
 *              which order
 *
 * Not compared: counters and walks of PI as records (models count what they like; counters
 * that both know by one name are compared at the end), contention tracepoints.
 */
#ifndef SIM_RUN_TWIN_H
#define SIM_RUN_TWIN_H

#include "sim/run/run.h"
#include "sim/run/twin_seen.h"

struct twin_options {
	const struct run_options *run; /* seed, limits */
	const char *first;	       /* NULL: Lockstep's models; else a plug-in's name: "v6.1" */
	const char *second;	       /* a plug-in's name, or NULL */
	bool second_polls;	       /* the second side's spinners poll: with one make on both sides, a test of elision */
};

enum twin_verdict {
	TWIN_SAME,
	TWIN_PARTED,   /* a record differs */
	TWIN_COUNTERS, /* the records are the same, a counter is not */
	TWIN_NOTHING,  /* no lock of the scenario has a model on both sides */
};

struct twin_result {
	enum twin_verdict verdict;
	bool exact;	   /* how it was compared */
	uint64_t compared; /* records */
	unsigned locks;	   /* that had two models */
	char *story;	   /* what differs, lines of text; NULL if nothing does */
	char *notes;	   /* what was not compared, differences that are allowed; or NULL */
	struct twin_seen seen; /* on the first side */
	int status[2];	   /* exit status of the two runs: findings, expectations */
};

/* Is a lock that a scenario calls @model one of both sides? */
bool twin_has(const char *model, const struct twin_options *options);

/* Runs @scn twice; its locks' models are what they were afterwards. NULL if the world failed (*@error). */
struct twin_result *twin_compare(struct scenario *scn, const struct twin_options *options, char **error);
void twin_result_free(struct twin_result *t);

#endif
