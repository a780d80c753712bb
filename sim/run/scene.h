/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scene: who held what, who waited for what and who ran, at one instant. What the graphs
 * are drawn from. Plain data with its own names, valid after the run.
 */
#ifndef SIM_RUN_SCENE_H
#define SIM_RUN_SCENE_H

#include <glib.h>

#include "sim/run/story.h"

struct scene_task {
	char *name;
	const char *policy;	/* "fifo", "rr", "deadline", "nice" */
	int prio, normal;	/* kernel numbers */
	enum story_state state;
	uint32_t cpu;		/* where it runs or ran last */
	uint32_t lock;		/* that it waits for, or STORY_NONE */
	uint32_t barrier;	/* the lock is free, but the ceiling of what this task holds keeps it out; or STORY_NONE */
	bool shared;		/* it wants it shared */
	bool throttled, irq;
	sim_time since;		/* it waits or, if it does not, undefined */
	enum run_piece piece;	/* while it waits */
	uint32_t end;		/* the last task of its chain, or STORY_NONE */
};

struct scene_owner {
	uint32_t task;
	bool shared;
	sim_time since;
};

struct scene_lock {
	char *name, *model;
	char flags[64];		/* of the lock word, as the kernel names them */
	bool seen;		/* the model could be looked at: flags say something */
	bool inherits;		/* it boosts owners */
	bool ownerless;		/* anybody may give it: semaphore, completion */
	struct scene_owner *owner;
	uint32_t nowner;
	uint32_t *waiter, nwaiter; /* in the order in which they would be served */
};

struct scene_rival { /* who runs on a CPU that the end of a chain could use, less urgent than the waiter */
	uint32_t cpu, runner, end, waiter;
};

struct scene {
	sim_time at;
	char *title;		/* what is to be seen; may be NULL, set by who asked */
	struct scene_task *task;
	uint32_t ntask;
	struct scene_lock *lock;
	uint32_t nlock;
	uint32_t *curr, ncpu;	/* by CPU: the task that runs there, or STORY_NONE */
	struct scene_rival *rival;
	unsigned nrival;
};

/* What a run is asked for: the state at each of the instants, after all that happened then. */
struct scene_ask {
	const sim_time *at; /* ascending */
	unsigned n;
	GPtrArray *scene;   /* struct scene *, as many as were reached; a run that ends early gives its last state once */
};

void scene_free(struct scene *s);

#endif
