/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the bench share: harness.c sets up and asks, harness_script.c executes, harness_log.c listens. */
#ifndef TESTS_MODELS_HARNESS_IMPL_H
#define TESTS_MODELS_HARNESS_IMPL_H

#include "tests/unit/models/harness.h"

#define LOCKS 8
#define TASKS 16
#define OPS 48
#define STOPS 16
#define PROBES 64
#define TEXT 65536
#define ORIGIN (1000 * U) /* time 0 of the scripts */

enum op_kind { OP_LOCK, OP_UNLOCK, OP_DOWNGRADE, OP_WAKEALL, OP_RUN, OP_PARK, OP_SLEEP, OP_SIGNAL, OP_PRIO };

struct op {
	enum op_kind kind;
	int lock;
	char target[16];
	unsigned mode, how;
	sim_time t;
	int value;
};

struct bench_task {
	struct sim_task *sim;
	unsigned cpu, nops, next, nresults, ngot, nlet, nran;
	struct op op[OPS];
	int result[OPS];
	int got[OPS], let[OPS], ran[OPS];
	unsigned accesses; /* of the statement in progress */
	void *hold[LOCKS];
	enum lock_mode mode[LOCKS];
	int waits;	   /* lock + 1 */
	bool irq;
};

struct bench_lock {
	char name[16];
	const struct lock_model *model;
	void *lock;
	unsigned event[64];
	char grants[1024];
};

struct stop {
	const char *task, *step; /* step NULL: an access */
	unsigned op, nth, passed;
	int until;
};

struct probe {
	struct sim_event ev;
	int lock; /* -1: call fn */
	sim_time at;
	void (*fn)(void *arg);
	void *arg;
	uint64_t word;
	bool seen;
	char text[160];
};

struct bench {
	struct sim_config cfg;
	bool started;
	const struct lock_model *raw;
	struct sim_trace trace;
	struct sim_choice choice;
	struct bench_lock lock[LOCKS];
	struct bench_task task[TASKS];
	struct stop stop[STOPS];
	struct probe probe[PROBES];
	unsigned nlocks, ntasks, nstops, nprobes;
	char log[TEXT], findings[2048], words[2048];
	const uint32_t *watched;
	uint32_t last_word;
	int log_time;
	char *open[TASKS]; /* where the "RELEASES" of an unlock in progress ends in the log */
};

extern struct bench bench;

int bench_task_by_name(const char *name);
int bench_lock_by_name(const char *name);
/* Creates the machine, once. */
void bench_start(void);

/* harness_script.c */
void bench_parse(struct bench_task *t, const char *script);
void bench_program(struct sim_task *task, struct sim_act *act);

/* harness_log.c: subscriber to SCHED, LOCK and TASK. */
void bench_take(void *user, const struct sim_rec *rec);

#endif
