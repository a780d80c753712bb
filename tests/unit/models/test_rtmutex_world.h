/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small world for golden traces of the rt_mutex family: tasks pinned to CPUs, one step
 * language, and a storyteller that turns records into the sentences of the golden traces.
 *
 * One unit of time is 1 us; nothing costs anything but a turn of a spin loop (1 ns).
 * A script is a list of words:
 *
 *	5	run 5 units		@7	sleep until time 7
 *	+L	lock L			+L/3	lock L, timeout 3	+L!	interruptible
 *	?L	trylock L		-L	unlock L, if it is held
 *	=B:30	make task B SCHED_FIFO 30 (from a CPU of its own, costs nothing)
 *	!B	send task B a signal	%B	wake_up_process(B)
 *	&L	get ready to sleep interruptibly, lock and unlock L, sleep if still asked to
 */
#ifndef TEST_RTMUTEX_WORLD_H
#define TEST_RTMUTEX_WORLD_H

#include "sim/machine/machine.h"
#include "sim/machine/sched.h"
#include "sim/model.h"

#define WORLD_UNIT SIM_US
#define WORLD_TASKS 16
#define WORLD_LOCKS 8

#define FAIR 0
#define DEADLINE(d) (1000 + (d))
#define NICE(n) (2000 + (n))

struct world_task {
	const char *name;
	int prio; /* FIFO priority 1..99, FAIR, NICE(nice) or DEADLINE(units) */
	unsigned cpu;
	sim_time at; /* units */
	const char *script;
};

/* Holds a task up: it does not go on before time @until. */
struct world_park {
	const char *task;
	const char *word; /* while it executes this word of its script */
	const char *step; /* at this step of the model, or NULL: */
	unsigned access;  /* before its access of this number, from 1 */
	sim_time until;	  /* ps */
};

struct world {
	const struct lock_model *model;
	uint64_t params[4];
	const struct world_park *parks; /* ended by a NULL task; NULL for none */
	bool poll;    /* no spin elision */
	bool loose;   /* the order of CPUs within one instant is left open */
	sim_time ipi; /* cost of a reschedule IPI, ps */
	unsigned nlocks, ntasks;
	void *locks[WORLD_LOCKS];
	char lock_names[WORLD_LOCKS][8];
	const struct world_task *cast[WORLD_TASKS];
	struct sim_task *tasks[WORLD_TASKS];
	int prio[WORLD_TASKS];	      /* as last told */
	bool told_grant[WORLD_TASKS]; /* of the lock operation in flight */
	int result[WORLD_TASKS];      /* of the last lock operation */
	unsigned long events[32];     /* sums by event number */
	const char *broken;	      /* what the model found broken, first thing */
	char *story;		      /* "t=0: …; …\n" */
	size_t len, room;
	sim_time told; /* time of the last line */
	struct sim_trace trace;
	struct sim_choice choice;
};

/*
 * Runs the cast (ended by a NULL name) on @model until time @until and tells the story.
 * A task whose name begins with # is a prompter: it acts, but is not told about.
 */
void world_run(struct world *w, const struct lock_model *model, const struct world_task *cast,
	       sim_time until);
/* Fails the test unless the story is @golden, in the form of the specification's traces. */
void world_expect(struct world *w, const char *golden);
void world_finish(struct world *w);
/* Subscribes to records; @user: the world. */
void world_tell(void *user, const struct sim_rec *rec);
/* All of it, up to time 40: with spins elided and with spins polled. */
void world_golden(struct world w, const struct lock_model *model, const struct world_task *cast,
		  const char *golden);
/* Fails unless the sentence was told, or if it was. */
void world_told(struct world *w, const char *sentence);
void world_not_told(struct world *w, const char *sentence);
/* For tests without a trace. */
int world_result(const struct world *w, const char *task);
int world_prio(const struct world *w, const char *task);
unsigned long world_events(const struct world *w, const char *event);

#endif
