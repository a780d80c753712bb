/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario bound to a machine: what one run consists of. Made by run.c, read by the
 * watchers (folds, oracles, expectations). Lives exactly as long as the machine.
 *
 *   scn->lock[decl]  --instances-->  lock[lock_first[decl] + instance]
 *   scn->task[decl]  --instances-->  task[task_first[decl] + instance]   == sim->tasks[same index]
 *   scn->irq[decl]   ------------->  task[ntask + decl]                  pseudo-tasks
 *
 * In records, task is 1 + index in task[], and obj of a lock record is 1 + index in lock[].
 * The obj of LINE_SUM, LINE and ACCESS records is 1 + index in sim->objects.
 */
#ifndef SIM_RUN_BIND_H
#define SIM_RUN_BIND_H

#include "sim/core/trace.h"
#include "sim/machine/machine.h"
#include "sim/model.h"
#include "sim/scenario/scenario.h"

#define BOUND_NONE UINT32_MAX

struct bound_lock {       /* one instance of a lock, completion or semaphore */
	const char *name; /* "mm", "bus[3]" */
	const struct lock_model *model;
	void *lock;           /* simulated memory, model->size bytes */
	bool lends;           /* waiters lend their priority to owners, by inheritance or as proxies */
	uint32_t decl;        /* index in scn->lock */
	uint32_t instance;    /* 0 .. count - 1 */
	uint32_t number;      /* 1 + index in the run's locks, as records tell it */
	uint32_t object;      /* index in sim->objects of the lock's own lines */
	uint32_t data_object; /* of the lines it protects (`data N lines`), or BOUND_NONE */
	char *data;           /* those lines, or NULL */
	unsigned data_lines;
	struct bound_trail { /* of the last release, if the model is a kernel's own file (places.h) */
		uint32_t task; /* 1 + index, 0: none */
		unsigned n;
		const void *site[SIM_TRAIL];
	} released;
};

struct bound_barrier {
	const char *name;
	uint32_t decl, instance;
	uint32_t parties;
	uint32_t waiting;         /* how many are there now */
	struct sim_task **waiter; /* room for two rounds: the last of one may still be waking others */
	uint32_t round;           /* 0 or 1 */
};

struct bound_task {       /* one instance of a task, or an interrupt */
	const char *name; /* "worker[3]" */
	struct sim_task *task;
	struct task_struct *shared; /* what models see: the same memory as task->shared */
	uint32_t decl;              /* index in scn->task, or in scn->irq for pseudo-tasks */
	uint32_t instance;          /* $i */
};

struct run_bound {
	const struct scenario *scn;
	struct sim_machine *machine;
	struct sim_trace *trace;
	struct sim_choice *choice;
	uint64_t seed;
	unsigned ncpus;
	sim_time from,
		until; /* the window [warm-up, end); until is SIM_NEVER for `until done` without limit */
	bool until_done;
	const struct scn_compare *compared; /* the block whose run it is, or NULL */
	uint64_t done; /* unnamed `done`s so far: $K */

	struct bound_lock *lock;
	uint32_t nlock;
	uint32_t *lock_first; /* by declaration: first index in lock[] (in barrier[] for barriers) */
	struct bound_barrier *barrier;
	uint32_t nbarrier;
	struct bound_task *task;
	uint32_t ntask; /* real tasks */
	uint32_t nirq;  /* pseudo-tasks, at task[ntask ...] */
	uint32_t *task_first;
	uint32_t *object_lock; /* by index in sim->objects: index in lock[], or BOUND_NONE */
	uint32_t nobject_lock;

	const struct sim_pos *statement; /* by statement id: where it stands */
	uint32_t nstatement;
	const char *machine_text; /* "westmere-ex-8s 8x10x1, preempt none, 1000 Hz" */
	struct sim_names names;   /* what traces call things; same indexing */

	struct program *program; /* compiled bodies (program.h) */
	void *memory;            /* owned: everything above */
};

/* Index in task[] of what a model calls a task_struct. */
static inline uint32_t bound_task_index(const struct task_struct *p)
{
	return ((const struct sim_shared *)(const void *)p)->sim->id;
}

/* The lock whose own lines are sim->objects[@object], or BOUND_NONE. */
uint32_t bound_lock_of_object(const struct run_bound *b, uint32_t object);

/* Id of the statement that task[@task] is at; 0 .. nstatement - 1. */
uint32_t bound_statement(const struct run_bound *b, uint32_t task);
/* How many locks task[@task] holds now by its program (acquired and not yet unlocked). */
unsigned bound_holds(const struct run_bound *b, uint32_t task);

/*
 * The value of an expression without random parts, in base units; cycles are converted
 * to ps with the machine's clock. For the times and numbers of expectations.
 */
uint64_t bound_value(const struct run_bound *b, const struct scn_expr *e);
/* The scheduling parameters that a header, `set` or `prio T at` names. $i counts as 0. */
void bound_attr(const struct run_bound *b, const struct scn_sched *sched, struct sim_attr *attr);

#endif
