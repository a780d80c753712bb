/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A director tells tasks what to do, one step after the other, and looks at what became of it.
 *
 *   director (a task, fifo 99)                 a directed task
 *     TELL t: leaves the order, wakes it  ──>  DIRECTED: carries it out on a fiber,
 *     SETTLE: sleeps until nobody runs         then waits for the next one
 *     CHECK, AWAIT: looks
 *
 * What it knows of a task and a lock are the five states of struct directed, kept by the lock calls
 * and by a hook around schedule(), where a task also parks.
 */
#ifndef SIM_RUN_DIRECTOR_H
#define SIM_RUN_DIRECTOR_H

#include "sim/run/program.h"
#include "sim/run/result.h"

struct directed { /* of every task of a scenario with a director */
	uint8_t *state;	/* enum scn_lock_state by lock */
	const struct prog_insn *told; /* an order that it has not begun, or NULL */
	bool busy;	/* an order is being carried out */
	bool park, parked, go;
	int result;	/* of the last order: 0 or negative errno */
	uint64_t event;	/* number of its last change of state, over all tasks */
	sim_time since;	/* the order was given */
};

/* After tasks and locks are bound. Does nothing without a director. */
void director_bind(struct run_bound *b, struct bind_pool *pool);
void director_free(struct run_bound *b);
/* Adds a verdict per check and await to the result's. */
void director_verdicts(const struct run_bound *b, struct run_result *r);

/* How many of its checks and awaits were missed; *@first, *@how: the first of them and what was seen. */
unsigned director_missed(const struct run_bound *b, const struct scn_stmt **first, const char **how);

/* A task's state towards lock number @lock (1 + index) changes. */
void director_change(struct prog_task *t, uint32_t lock, enum scn_lock_state state);

static inline void director_mark(struct prog_task *t, uint32_t lock, enum scn_lock_state state)
{
	if (t->directed)
		director_change(t, lock, state);
}

/* Does task[@task] sleep because it was told to park? */
bool director_parked(const struct run_bound *b, uint32_t task);

/* Steps of programs. */
bool director_step_directed(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);
bool director_step_tell(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);
bool director_step_settle(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);
bool director_step_fact(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);
bool director_step_over(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);

#endif
