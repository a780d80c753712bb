/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduler tests: tasks as short scripts on the real machine, and a log of who ran when
 * ("0 c0 A, 4ms c0 B, 6ms c0 -"). Costs are zero unless a test sets some.
 */
#ifndef TESTS_MACHINE_RIG_H
#define TESTS_MACHINE_RIG_H

#include <check.h>

#include "sim/machine/machine.h"
#include "sim/machine/sched.h"

enum op_kind { RUN_OP, SLEEP_OP, UNTIL_OP, WAIT_OP, YIELD_OP, RESCHED_OP, CALL_OP, DO_OP, KERNEL_OP, PREEMPT_OP, LOOP_OP };

struct op {
	enum op_kind kind;
	sim_time t;	      /* RUN, SLEEP: how long; UNTIL: when */
	int by;		      /* KERNEL, PREEMPT: +1 or -1; LOOP: 1 + how often, 0: for ever */
	void (*fn)(struct sim_task *task, void *arg);
	void *arg;
};

#define RUN(d) { .kind = RUN_OP, .t = (d) }
#define SLEEP(d) { .kind = SLEEP_OP, .t = (d) }
#define UNTIL(at) { .kind = UNTIL_OP, .t = (at) }
#define WAIT { .kind = WAIT_OP }
#define YIELD { .kind = YIELD_OP }
#define RESCHED { .kind = RESCHED_OP }
#define CALL(f) { .kind = CALL_OP, .fn = (f) }
#define DO(f) { .kind = DO_OP, .fn = (f) }
#define DO_WITH(f, a) { .kind = DO_OP, .fn = (f), .arg = (a) }
#define KERNEL(n) { .kind = KERNEL_OP, .by = (n) }
#define PREEMPT(n) { .kind = PREEMPT_OP, .by = (n) }
#define AGAIN { .kind = LOOP_OP } /* from the start, for ever */

/* A machine of @cpus cores on one socket, costs zero, hz 1000, preempt full. Change rig_cfg, then rig_start(). */
extern struct sim_config rig_cfg;
extern struct sim_trace rig_trace;
extern struct sim_choice rig_choice; /* fixed, unless a test initialises another; rewound by rig_start() */
extern uint64_t rig_digest; /* of all records so far */

void rig_config(unsigned cpus);
void rig_start(void);
void rig_stop(void);

#define ANY (-1)
/* A task that arrives at @at; pinned to @cpu, or free (ANY: starts on CPU 0). @ops: until it exits. */
struct sim_task *rig_task(const char *name, struct sim_attr attr, int cpu, sim_time at, const struct op *ops, unsigned n);
/* Free, but last on @cpu. */
struct sim_task *rig_task_near(const char *name, struct sim_attr attr, unsigned cpu, sim_time at, const struct op *ops,
			       unsigned n);
#define TASK(name, attr, cpu, at, ...)                                                                     \
	rig_task(name, attr, cpu, at, (const struct op[]){ __VA_ARGS__ },                                   \
		 sizeof((const struct op[]){ __VA_ARGS__ }) / sizeof(struct op))
#define TASK_NEAR(name, attr, cpu, at, ...)                                                                \
	rig_task_near(name, attr, cpu, at, (const struct op[]){ __VA_ARGS__ },                              \
		      sizeof((const struct op[]){ __VA_ARGS__ }) / sizeof(struct op))

#define FIFO(prio) ((struct sim_attr){ .policy = SIM_FIFO, .rt_priority = (prio) })
#define RR(prio) ((struct sim_attr){ .policy = SIM_RR, .rt_priority = (prio) })
#define FAIR ((struct sim_attr){ .policy = SIM_NORMAL })
#define NICE(n) ((struct sim_attr){ .policy = SIM_NORMAL, .nice = (n) })
#define POLICY(p) ((struct sim_attr){ .policy = (p) })
#define DL(runtime, deadline, period)                                                                      \
	((struct sim_attr){ .policy = SIM_DEADLINE, .dl_runtime = (runtime), .dl_deadline = (deadline), .dl_period = (period) })

/* Runs until @until; may be called again with a later time. */
enum sim_stop rig_run(sim_time until);
/* The log since the last call: switches, in order; with @cpu >= 0 of that CPU only, without its name. */
const char *rig_log(int cpu);
/* Asserts the log of one CPU. */
#define expect_log(cpu, text) ck_assert_str_eq(rig_log(cpu), text)
/* How long @task ran so far, by the log. */
sim_time rig_ran(const struct sim_task *task);

#endif
