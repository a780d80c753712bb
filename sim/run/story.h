/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The story of a wait: its pieces one after the other, each with the blocking chain as it
 * stood, and who ran instead.
 *
 *	piece     110ms..120ms inversion
 *	link[0]   distribution  waits for buffer
 *	link[1]   weather       preempted                <- the end of the chain
 *	runner[0] cpu0: radio, less urgent than distribution and not on the chain
 *
 * A story keeps the longest waits, the one with most inversion in it, and a table of who
 * made inversions. Plain data, owned by the story; task and lock are indices into its names.
 */
#ifndef SIM_RUN_STORY_H
#define SIM_RUN_STORY_H

#include "sim/run/result.h"

#define STORY_NONE UINT32_MAX
#define STORY_LINKS 32	  /* of a longer chain the middle is left out */
#define STORY_RUNNERS 8	  /* CPUs that are told of */
#define STORY_PIECES 4096 /* of one wait; what comes later is told as one */

enum story_state { STORY_AWAY, STORY_READY, STORY_RUNNING, STORY_ASLEEP, STORY_GONE };

struct story_link { /* a task on the chain, and the lock it waits for */
	uint32_t task;
	uint32_t lock;	  /* STORY_NONE: the end of the chain */
	int prio, normal; /* kernel numbers */
	uint32_t cpu;	  /* where it runs or ran last */
	enum story_state state;
	bool shared;	  /* it wants the lock shared */
	bool barred;	  /* the lock is free: the ceiling of what the next one holds keeps it out */
};

struct story_runner { /* somebody on a CPU that the end of the chain could use */
	uint32_t cpu, task;
	int prio;
	bool culprit;	/* less urgent than the waiter and not on the chain */
	uint32_t holds; /* a lock that it holds, or STORY_NONE */
};

struct story_piece {
	sim_time from, to;
	enum run_piece piece;
	struct story_link *link; /* [0] is the waiter */
	unsigned nlink, left_out; /* left_out: links before the last that are not kept */
	struct story_runner *runner; /* only where the end of the chain is runnable and off its CPUs */
	unsigned nrunner;
};

struct story_boost { /* a change of the effective priority of a task on the chain */
	sim_time at;
	uint32_t task, donor; /* donor: STORY_NONE if none was told */
	int from, to;
};

enum story_end { STORY_GRANTED, STORY_FAILED, STORY_OPEN };

struct story_wait {
	uint32_t task, lock;
	bool shared;
	int prio;		 /* of the waiter when it called */
	sim_time from, to;
	enum story_end end;
	int error;		 /* STORY_FAILED: a positive Linux number */
	const char *file;	 /* of the statement, or NULL; the story's */
	uint32_t line;
	sim_time sum[RUN_PIECE_COUNT]; /* add up to @to - @from */
	sim_time bounded;	 /* the end ran, less urgent by itself than the waiter: inside a critical section */
	sim_time strangers;	 /* of the inversion: culprits that held no lock */
	struct story_piece *piece;
	unsigned npiece;
	struct story_boost *boost;
	unsigned nboost;
};

struct story_culprit { /* who made inversions; each moment is booked to the least urgent culprit that ran */
	uint32_t task;
	sim_time total, longest, longest_at;
	uint64_t times;		/* stretches without a gap, each of one wait */
	uint32_t victim, lock;	/* of the longest */
};

struct story { /* @worst, @only_task and @only_lock are the caller's wish; the rest is filled by the run */
	unsigned worst;			   /* how many waits to keep */
	const char *only_task, *only_lock; /* "worker" or "worker[3]"; NULL: all */
	char **task_name, **lock_name, **model_name;
	bool *inherits;			   /* by lock: its model boosts owners */
	bool *ownerless;		   /* by lock: nobody owns it, so chains end there */
	uint32_t ntask, nlock;
	uint64_t waits;			   /* that took any time, of the tasks and locks asked about */
	sim_time waited;		   /* their sum */
	struct story_wait **wait;	   /* the longest first */
	unsigned nwait;
	struct story_wait *inverted;	   /* most inversion, of equals the most urgent; the longest if none has any; or NULL */
	struct story_culprit *culprit;	   /* with the most first */
	unsigned nculprit;
	struct story_book *book;	   /* while the run goes */
};

/* Is there anything of the name asked for? Call after the run. NULL, or the name that nothing bears. */
const char *story_unknown(const struct story *s);
void story_clear(struct story *s);

#endif
