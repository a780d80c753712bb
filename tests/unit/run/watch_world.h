/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run without a machine: tasks, locks and records made up by hand, for the folds,
 * oracles, accounting and expectations. Tasks and locks are numbered from 0 here.
 */
#ifndef TESTS_UNIT_RUN_WATCH_WORLD_H
#define TESTS_UNIT_RUN_WATCH_WORLD_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/watch_impl.h"

#define WORLD_TASKS 16
#define WORLD_LOCKS 4
#define WORLD_CPUS 4
#define EX LOCK_EXCLUSIVE
#define SH LOCK_SHARED
#define IDLE (-1)

extern struct run_bound world;
extern struct scenario world_scn;
/* The declaration of a task, to give it statements before world_start(). */
struct scn_task *world_task_decl(uint32_t task);
extern struct watch *watch;
extern struct run_result result;
extern struct sim_shared world_shared[WORLD_TASKS];
extern struct sim_task world_task[WORLD_TASKS];
extern uint64_t world_allowed[WORLD_TASKS];
extern struct lock_model world_model[WORLD_LOCKS]; /* by lock; change before world_start() */
extern struct run_options world_options;
extern sim_time world_now;

/* Fresh tables: @ntask fair tasks that may run anywhere, @nlock plain locks. */
void world_reset(unsigned ntask, unsigned nlock);
/* The watch starts; every task has arrived and is runnable. */
void world_start(void);
/* The run is over at @end us. */
void world_finish(uint64_t end);
void world_free(void);

/* The clock, in us from 0. */
void at(uint64_t us);
void rec(enum sim_rec_type type, unsigned cpu, unsigned task, unsigned obj, uint32_t arg, uint64_t val);

/* cpu runs @task (IDLE: nobody) from now on; who ran there before is preempted. */
void runs(unsigned cpu, int task);
/* As above, but who ran there falls asleep, or exits. */
void sleeps(unsigned cpu, int next);
void exits(unsigned cpu, int next);
void wakes(unsigned task);
void set_prio(unsigned task, int prio); /* PRIO: inherited; the shared word too */
void set_sched(unsigned task, int prio);

void call(unsigned task, unsigned lock, enum lock_mode mode);
void call_how(unsigned task, unsigned lock, enum lock_mode mode, unsigned how);
void grant(unsigned task, unsigned lock);
void fails(unsigned task, unsigned lock, int error);
void unlock(unsigned task, unsigned lock);	/* called and returned */
void unlock_begin(unsigned task, unsigned lock);
void unlock_end(unsigned task, unsigned lock);
/* A wait of no length. */
void take(unsigned task, unsigned lock, enum lock_mode mode);

/* How many findings of @kind there are. */
unsigned found(enum run_finding_kind kind);
unsigned found_any(void);

#endif
