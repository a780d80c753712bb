/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine for tests of kernel words: tasks are functions that run on fibers. */
#ifndef TESTS_KERNEL_WORLD_H
#define TESTS_KERNEL_WORLD_H

#include "sim/machine/machine.h"

/* Zero costs but for cpu_relax(), 100 Hz, full preemption; change world_cfg in between. */
extern struct sim_config world_cfg;
void world_config(unsigned ncpus);
void world_open(void);
/* @prio: 1..99 FIFO, 0 fair; pinned. @fn runs at @at. */
struct sim_task *world_task(const char *name, unsigned cpu, int prio, sim_time at, void (*fn)(void *arg), void *arg);
struct sim_task *world_irq(unsigned cpu, sim_time at, void (*fn)(void *arg), void *arg);
void world_run(sim_time until);
void world_close(void);
/* Records of the lock class, in order: the last ones seen. */
extern struct sim_rec world_rec[64];
extern unsigned world_nrec;
extern char world_findings[512]; /* texts, joined by ";" */

#endif
