/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario on the machine at hand. The simulation is run first; what its tasks did, with all
 * draws, loops and branches resolved, is the plan that threads then carry out:
 *
 *	records -> native_plan_*  -> struct native_plan: a script per task, a look at all
 *	                             priorities between any two instants at which something happens
 *	        -> native_perform -> struct native_log: what the kernel did
 *	        -> native_judge   -> where they differ
 */
#ifndef SIM_CLI_NATIVE_H
#define SIM_CLI_NATIVE_H

#include <glib.h>
#include <stdbool.h>

#include "sim/core/trace.h"
#include "sim/run/bind.h"

#define NATIVE_TASKS 128
#define NATIVE_ACTS 100000      /* of all tasks */
#define NATIVE_ABSENT INT32_MIN /* the priority of a task that is not there */

enum native_kind { NATIVE_RUN, NATIVE_SLEEP, NATIVE_LOCK, NATIVE_UNLOCK, NATIVE_SET, NATIVE_YIELD };

struct native_act {
	enum native_kind kind;
	bool try;
	uint32_t obj;     /* index of the lock, or of the task that is set */
	sim_time time;    /* RUN: how much; SLEEP: until when; LOCK: timeout, SIM_NEVER: none */
	unsigned stagger; /* what else happened at the same instant, and earlier */
	int prio;         /* SET: kernel number */
	/* as simulated */
	sim_time end;   /* SIM_NEVER: never came back */
	int result;     /* LOCK: errno */
	uint32_t order; /* LOCK: among all that came back */
	uint32_t index; /* of its outcome in the log */
};

struct native_task {
	const char *name;
	int prio; /* at the start, kernel number */
	bool fair;
	bool *cpu;   /* allowed, by simulated CPU */
	GArray *act; /* struct native_act */
};

enum native_mutex { NATIVE_PLAIN, NATIVE_INHERIT, NATIVE_PROTECT };

struct native_lock {
	const char *name;
	enum native_mutex kind;
	int ceiling; /* NATIVE_PROTECT: 1..99 */
};

/* What a lock of that model becomes, by its LOCK_CAP_*; false: mutexes of POSIX are not like it. */
bool native_mutex_of(const char *model, unsigned caps, enum native_mutex *kind);

struct native_plan {
	uint32_t ntask, nlock, nacts;
	unsigned ncpus, nused; /* nused: of them, which some task may use */
	bool *used;
	struct native_task *task;
	struct native_lock *lock;
	GArray *at;   /* sim_time: the instants at which something happens, ascending */
	GArray *prio; /* int: effective priorities behind each, ntask per instant; NATIVE_ABSENT */
	sim_time end;
	sim_time gap, gap_at; /* the smallest between two instants, and the first of them */
	unsigned staggers;    /* the most that happen at one instant by themselves */
	char *unclear;        /* why the order is not decided by the scenario, or NULL */
	struct native_fold *fold;
};

struct native_plan *native_plan_new(void);
void native_plan_bound(void *user, const struct run_bound *b); /* run_options.bound */
#define NATIVE_CLASSES (SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK | SIM_CLASS_DETAIL)
void native_plan_take(void *user, const struct sim_rec *rec); /* run_options.listen */
void native_plan_finish(struct native_plan *p, sim_time end);
void native_plan_free(struct native_plan *p);

/* -- performing -- */

struct native_outcome { /* of an act */
	int64_t end_ns; /* since the start; -1: not over */
	int32_t result; /* errno */
	uint32_t order;
};

struct native_log { /* shared with the process that performs */
	enum { NATIVE_STARTED, NATIVE_FORBIDDEN, NATIVE_DONE, NATIVE_STUCK } state;
	int error;                  /* NATIVE_FORBIDDEN: errno */
	const char *doing;          /* what was forbidden */
	int64_t late_ns;            /* the longest that a used CPU was withheld from its watcher */
	unsigned late_cpu;          /* of the host */
	struct native_outcome *out; /* by native_act.index */
	int32_t *seen;              /* priorities, as native_plan.prio */
	size_t size;
};

struct native_how {
	uint64_t ns_per_ms; /* host ns that a simulated ms takes */
	int64_t stagger_ns;
	const unsigned *cpu; /* host CPUs, by simulated CPU */
	unsigned watcher;    /* host CPU of who looks */
};

/* Host ns of a simulated time. */
int64_t native_scale(const struct native_how *how, sim_time t);
/* Room for one performance; NULL with errno set. */
struct native_log *native_log_new(const struct native_plan *p);
void native_log_free(struct native_log *log);
/* Carries the plan out in a process of its own, which is over when this returns. False: interrupted. */
bool native_perform(const struct native_plan *p, const struct native_how *how, struct native_log *log);

/* -- judging -- */

struct native_verdict {
	GPtrArray *difference; /* char * */
	unsigned grants, failures, looks, boosts, deboosts;
	int64_t off_ns;    /* the largest distance in time */
	char *grants_text; /* "m: low high low", a line per lock */
};

/* @tolerance_ns: in time; order has none. */
struct native_verdict *native_judge(const struct native_plan *p, const struct native_how *how,
				    const struct native_log *log, int64_t tolerance_ns);
void native_verdict_free(struct native_verdict *v);

#endif
