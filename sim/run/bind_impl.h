/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binding a scenario, step by step; run.c calls these in this order.
 */
#ifndef SIM_RUN_BIND_IMPL_H
#define SIM_RUN_BIND_IMPL_H

#include "sim/machine/machine.h"
#include "sim/run/bind.h"
#include "sim/run/draw.h"
#include "sim/run/program.h"

/* The machine { } block: the preset, then the fields over it. *@rawspin: what raw spinlocks are, or NULL. */
void bind_machine(const struct scenario *scn, struct sim_config *cfg, const struct lock_model **rawspin);
/* "westmere-ex-8s 8x10x1, preempt none, 1000 Hz" */
char *bind_machine_text(const struct scenario *scn, const struct sim_config *cfg, struct bind_pool *pool);

/* Locks, completions, semaphores and barriers into simulated memory. @compare: the block whose model replaces
 * that of its lock, or NULL. */
void bind_locks(struct run_bound *b, struct bind_pool *pool, const struct scn_compare *compare);
/* NULL, or why these locks cannot be in one run; the caller frees. */
char *bind_conflict(const struct run_bound *b);

/* Compiles the programs, creates tasks and interrupts. */
void bind_tasks(struct run_bound *b, struct bind_pool *pool);
/* Queues the arrivals. */
void bind_start(struct run_bound *b);

/* What traces call things. */
void bind_names(struct run_bound *b, struct bind_pool *pool);

/* "name", or "name[i]" of an indexed declaration. */
char *bind_name(struct bind_pool *pool, const char *name, bool indexed, uint32_t instance);

#endif
