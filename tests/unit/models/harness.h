/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bench for lock models: a machine on which nothing costs anything except what a test
 * says, tasks pinned to CPUs that follow short scripts, and a log in the words of the
 * golden traces. Times are whole units of U; the log rounds to them, so the nanosecond
 * of a cpu_relax() does not show.
 *
 *	bench_open(4);
 *	bench_cost("idle_exit", 2 * U);
 *	bench_lock("L", "mutex");
 *	bench_task("A", 0, 0, 0, "lock L; park 10; run 1; unlock L");
 *	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
 *	bench_run(100);
 *	ck_assert_str_eq(bench_grants("L"), "A 0, B 15");
 *	bench_close();
 *
 * Scripts: statements separated by ";":
 *	lock L | read L | try L | unlock L | downgrade L | wakeall L
 *	lock L timeout 3 | lock L intr | lock L kill | read L …
 *	run 5        computes
 *	park 12      sleeps until 12 (it is woken then)
 *	sleep 3
 *	signal B | kill B
 *	prio B 40    FIFO 40 (0: fair), and tells the lock that B waits for
 * A lock that fails skips everything up to its unlock.
 *
 * Stopping: the test links with -Wl,--wrap=kw_access,--wrap=kw_step, so a task can be
 * made to stand still, keeping its CPU, before an access or at a model_step(). Accesses
 * of skipped turns of a spin loop are not counted; use bench_poll() with counts in loops.
 */
#ifndef TESTS_MODELS_HARNESS_H
#define TESTS_MODELS_HARNESS_H

#include "sim/core/clock.h"
#include "sim/machine/machine.h"
#include "sim/model.h"

#define U SIM_US
#define BENCH_NONE (-1)

/* Costs are zero, preemption is `full`, hz 100, spins are elided until something below is called. */
void bench_open(unsigned ncpus);
/* Before the first lock or task. */
void bench_cost(const char *name, sim_time value);
void bench_preempt(enum sim_preempt model);
void bench_hz(unsigned hz);
void bench_poll(void);
void bench_rawspin(const char *model); /* default: free of cost */

/* @model as registered; params: "name=value …" or NULL. Returns the lock. */
void *bench_lock_params(const char *name, const char *model, const char *params);
#define bench_lock(name, model) bench_lock_params(name, model, NULL)
void *bench_lock_at(const char *name); /* its memory */

/* @prio: 1..99 FIFO, 0 fair. It runs at @at if its CPU is idle or weaker then: the first task of a CPU arrives the
 * idle exit earlier. */
struct sim_task *bench_task(const char *name, unsigned cpu, int prio, int at, const char *script);

/* An interrupt on @cpu at @at, whose body is the script (run, lock, unlock). */
void bench_irq(const char *name, unsigned cpu, int at, const char *script);

/* Keeps every value that the lock's first 4 bytes take. */
void bench_watch(const char *lock);

/* @task stands still from its @nth pass of the step (from 1) until @until. */
void bench_stop_at(const char *task, const char *step, unsigned nth, int until);
/* … from just before the @nth marked access of its @op-th statement (both from 1). */
void bench_stop_access(const char *task, unsigned op, unsigned nth, int until);
/* Calls @fn at time @at (in ps, so that half units can be said), before CPUs make progress. */
void bench_at(sim_time at, void (*fn)(void *arg), void *arg);
/* Notes the lock's word, as view() tells, at @at. */
void bench_probe(const char *lock, sim_time at);

void bench_run(int until);
void bench_close(void);

/* -- afterwards, valid until bench_close() -- */

/* "A 0, B 15": who was granted, when. */
const char *bench_grants(const char *lock);
/* Time of the n-th (from 1) grant, release, end of the script of a task; BENCH_NONE. */
int bench_granted(const char *task, unsigned nth);
int bench_released(const char *task, unsigned nth);
/* What the n-th lock statement of the task returned; 1 if it did not. */
int bench_result(const char *task, unsigned nth);
/* Sum of a counter of the lock's model. */
unsigned bench_event(const char *lock, const char *event);
/* What bench_probe() saw: "B|WAITERS [C D]": owner, flags, waiters. "" if nothing was seen. */
const char *bench_probed(const char *lock, sim_time at);
/* The word of view() at that probe. */
uint64_t bench_word(const char *lock, sim_time at);
const char *bench_state(const char *lock); /* the same of now */
/* "00000001 00000101 …": what bench_watch() saw. */
const char *bench_words(void);
/* When @task got its CPU for the n-th time. */
int bench_ran(const char *task, unsigned nth);
/* The log: "t=5: cpu0 runs Hi prio=69; Hi GETS L fast\n…". */
const char *bench_log(void);
/* Findings of the kernel words so far, joined by "; ". */
const char *bench_findings(void);
/* Did everybody finish? */
bool bench_done(void);

#endif
