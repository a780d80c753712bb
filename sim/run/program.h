/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs: task bodies as step machines.
 *
 * A body is compiled once per declaration into an array of instructions; a task is a
 * place in it plus a few words. It has no C stack: program_step() is asked for the next
 * action at each point of virtual time and walks over the instructions that take none. What
 * touches simulated memory (lock calls and the like) is handed out as SIM_ACT_CALL and
 * runs on a fiber.
 *
 *	loop 3 { hold bus { run 1ms } }        0 LOOP   slot 0, 3
 *	                                       1 LOCK   bus
 *	                                       2 FAILED -> 5
 *	                                       3 RUN 1ms    (and RAN, its end)
 *	                                       4 UNLOCK bus
 *	                                       5 NEXT   slot 0 -> 1
 *	                                       6 END
 */
#ifndef SIM_RUN_PROGRAM_H
#define SIM_RUN_PROGRAM_H

#include "sim/machine/machine.h"
#include "sim/model.h"
#include "sim/run/bind.h"
#include "sim/run/draw.h"

enum prog_op {
	/* time */
	PROG_RUN,    /* value */
	PROG_RAN,    /* the end of a RUN */
	PROG_SLEEP,  /* value */
	PROG_AT,     /* value: absolute */
	PROG_PERIOD, /* value; slot: 1 + index of the grid, 0: the task's own; how: 1: a late one begins it anew */
	/* control */
	PROG_LOOP,   /* slot, value: turns or NULL; jump: past the loop */
	PROG_NEXT,   /* slot; jump: first of the body */
	PROG_UNTIL,  /* slot, value: absolute time; jump: past the loop. The head of each turn */
	PROG_TURN,   /* slot; jump: back to the UNTIL */
	PROG_JUMP,   /* jump */
	PROG_CHOOSE, /* choose */
	PROG_FAILED, /* jump: if the last lock call failed */
	/* locks: target, stmt; on a fiber */
	PROG_LOCK, /* mode, how, value: timeout or NULL */
	PROG_UNLOCK,
	PROG_DOWNGRADE,
	PROG_WAKEALL,
	PROG_TOUCH,
	PROG_TICKET, /* of a condition, before its lock is let go */
	/* other tasks: on a fiber */
	PROG_SIGNAL, /* how: 1 is fatal */
	PROG_SET,    /* set */
	PROG_MEET,
	PROG_SHOOTDOWN,
	/* regions */
	PROG_PREEMPT_OFF, /* cost */
	PROG_PREEMPT_ON,
	PROG_IRQ_OFF,
	PROG_IRQ_ON,
	PROG_ENTER, /* cost: kernel mode begins */
	PROG_LEAVE,
	PROG_SPEND, /* cost: of what is about to end */
	/* points */
	PROG_YIELD,
	PROG_RESCHED,
	PROG_MARK, /* slot: index of the text */
	PROG_DONE, /* slot: index of the name, 0 unnamed */
	PROG_EXIT,
	/* a director's: directed.h */
	PROG_DIRECTED, /* the whole body of a task that is told what to do */
	PROG_TELL,     /* target task; told, how: enum scn_order, slot: park */
	PROG_SETTLE,   /* until all that was told has been done, as far as it goes */
	PROG_AWAIT,    /* asked */
	PROG_CHECK,
	PROG_OVER, /* the director's last step */
	PROG_END,  /* of the body */
	PROG_OP_COUNT
};

struct prog_choose {
	unsigned n;
	bool decays;                 /* branches are tried in order, by decay(k, n) */
	const struct value **value;  /* weights, all constant: NULL */
	uint64_t *weight, total;     /* scratch if the weights are not constant */
	const struct value **k, **d; /* decay(k, d) of a branch; NULL: the other branch */
	uint32_t *draw;              /* draw[0] for weights, draw[i] for decays */
	uint32_t *jump;
};

struct prog_set { /* scheduling parameters, maybe computed */
	enum sim_policy policy;
	bool neg;
	const struct value *priority, *runtime, *period, *deadline; /* or NULL */
};

struct prog_insn {
	uint8_t op;   /* enum prog_op */
	uint8_t mode; /* enum lock_mode */
	uint8_t how;  /* LOCK_TRY ... */
	bool tells;   /* a RESULT is recorded even on success */
	bool ticketed; /* PROG_LOCK of a condition: with the ticket drawn before */
	bool again;    /* PROG_LOCK behind one: on success the result is that of the wait */
	uint32_t stmt;
	uint32_t jump;
	uint32_t slot;
	uint32_t first, count; /* target: instances [first, first + count) of lock[], barrier[] or task[] */
	const struct value *index; /* which of them; NULL: see the operation */
	const struct value *value;
	union {
		const struct prog_choose *choose;
		const struct prog_set *set;
		const struct prog_insn *told;	/* PROG_LOCK or PROG_UNLOCK */
		const struct prog_asked *asked; /* director_impl.h */
		sim_time cost;
	};
};

struct prog_body {
	const struct prog_insn *code;
	uint32_t ncode;
	uint32_t nslots, ndraws, ngrids;
	const struct value *arrival; /* a leading `at`, or NULL */
	uint32_t group;              /* address space, for shootdown */
	bool is_irq;
};

struct prog_hold { /* one acquisition */
	struct prog_hold *next;
	struct bound_lock *lock;
	void *memory; /* the model's hold_size bytes, or NULL */
	uint32_t size;
	uint8_t mode, how;
};

struct prog_task { /* sim_task->user */
	const struct prog_insn *pc;
	const struct prog_body *body;
	struct run_bound *bound;
	struct program *program;
	struct sim_task *sim;
	struct value_env env;
	uint64_t *limit;       /* turns of the loop in this slot */
	int result;            /* of the last lock call */
	struct lock_wait wait; /* for the condition it is about to wait for */
	bool moved;            /* from a condition to its lock, while it slept */
	uint32_t waiting;      /* inside a lock() that may wait: 1 + index of the lock; 0: no */
	unsigned atomic, irqs; /* regions that are open: preempt off, irq off */
	uint32_t holds;
	struct prog_hold *held; /* newest first */
	struct prog_hold *at;	/* of the operation in flight, or NULL */
	int noted;		/* … and what lockdep was told of it, as kw_lock_held() */
	struct prog_hold *spare;
	sim_time release;  /* of the current job: the grid of `period` */
	sim_time *grid;    /* of `period D on NAME`; SIM_NEVER: it has not begun */
	sim_time still_at; /* loop turns that took no time */
	uint32_t still;
	struct sim_task **meet; /* whom the last to come wakes, and how many */
	uint32_t nmeet;
	struct directed *directed; /* what a director sees of it; NULL without one (director.h) */
};

struct program {
	struct prog_body *body; /* by task declaration, then by interrupt */
	struct prog_task *task; /* by index in bound->task */
	char *csd;              /* per-CPU words of shootdowns in flight, or NULL */
	size_t csd_stride;
	uint64_t steps; /* of all tasks: host time, though nothing may happen in the machine */
	const volatile int *interrupted; /* or NULL */
	struct director *director;	 /* or NULL */
	/* Something is wrong with a model, though no oracle sees it; or NULL. @lock: 1 + index. */
	void (*warn)(uint32_t lock, const char *text);
};

/* Loop turns of one task at one instant: beyond, time cannot end the loop. */
#define PROG_STILL_MAX 1000000u

/* -- program.c: compiling -- */

/* Compiles all bodies of b->scn into b->program. Locks, barriers and index tables must be bound. */
void program_compile(struct run_bound *b, struct bind_pool *pool);
/* Creates what the bodies need of the machine (shootdown words). After sim_machine_create(). */
void program_prepare(struct run_bound *b);
/* Fills the program state of task[@index], which runs @body as instance @instance. */
void program_task_init(struct run_bound *b, struct bind_pool *pool, uint32_t index,
		       const struct prog_body *body, const char *stream, uint32_t instance);
/* When task[@index] arrives. */
sim_time program_arrival(struct run_bound *b, uint32_t index);

/* -- program_step.c: the step machine, a sim_program_fn -- */
void program_step(struct sim_task *task, struct sim_act *act);

/* Which of the target's instances: first + index modulo count. */
static inline uint32_t prog_target(const struct prog_task *t, const struct prog_insn *in)
{
	return in->first + (in->index ? (uint32_t)(value_of(in->index, &t->env) % in->count) : 0);
}

/* Which branch is taken this time. */
unsigned prog_choose_branch(const struct prog_choose *c, const struct value_env *env);

/* -- program_ops.c: what runs on a fiber; @arg is the instruction -- */
void progop_signal(struct sim_task *task, void *arg);
void progop_set(struct sim_task *task, void *arg);
void progop_meet(struct sim_task *task, void *arg);
void progop_shootdown(struct sim_task *task, void *arg);
void progop_irq_on(struct sim_task *task, void *arg);

/* -- lockop.c: lock calls, on a fiber; @arg is the instruction -- */
void lockop_lock(struct sim_task *task, void *arg);
void lockop_unlock(struct sim_task *task, void *arg);
void lockop_downgrade(struct sim_task *task, void *arg);
void lockop_wakeall(struct sim_task *task, void *arg);
void lockop_touch(struct sim_task *task, void *arg);
void lockop_died(struct sim_task *task, void *arg);
/* Does the lock outlive a holder that exits? */
bool lockop_survives(const struct bound_lock *bl);
/* For kernel_on_requeue(). */
void lockop_requeued(struct sim_task *task, uint32_t lock);
extern const struct kernel_lockdep lockop_lockdep;
void lockop_ticket(struct sim_task *task, void *arg);

#endif
