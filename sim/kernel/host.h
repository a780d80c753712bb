/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run layer's side of the kernel words: set-up of tasks, per-CPU data and the lock
 * behind raw spinlocks; where checks that fail are heard. Speaks the engine's language.
 */
#ifndef SIM_KERNEL_HOST_H
#define SIM_KERNEL_HOST_H

#include "sim/machine/machine.h"

struct lock_model;
struct task_struct;

/* What to give sim_machine_create() as shared_bytes: the size of struct task_struct. */
size_t kernel_task_bytes(void);

/* After sim_machine_create(), before tasks and locks: per-CPU copies, and forgets everything about the last run.
 * Raw spinlocks are free of cost until kernel_rawspin(). */
void kernel_setup(void);

/* What runs behind raw_spin_lock(): a model with LOCK_CAP_RAW, or NULL for one that is free of cost (still exclusive,
 * in order of arrival). Under sim->cfg.up only preemption is disabled, whatever was set here. */
void kernel_rawspin(const struct lock_model *m);

/* After sim_task_create() (and sim_irq_create()): the rest of its task_struct. */
struct task_struct *kernel_task_init(struct sim_task *task);
struct task_struct *kernel_task(const struct sim_task *task);
/* The machine's side of a task that a model names. */
struct sim_task *kernel_sim_task(const struct task_struct *p);

/* Tells which lock lies at @lock, so that records about it carry its number (1 + index, as in records). In rising
 * order of address, which is the order of allocation. */
void kernel_lock_bind(const void *lock, size_t bytes, uint32_t obj);

/* Around every call of a model's lock(), unlock() … on a fiber: events are counted for lock @obj. */
void kernel_op_enter(uint32_t obj);
void kernel_op_leave(void);

/* Failed checks: @kind is enum kw_finding (0 WARN, 1 BUG, 2 lockdep). NULL: an assertion. Called on the fiber or in
 * the event that failed. */
void kernel_on_finding(void (*fn)(int kind, const char *text));

/* What tasks say of locks in operations, and what is known of them (sim/kernel/bug.h); NULL: nobody listens, nothing is
 * known. @note: enum kw_note; @lock: 1 + index, 0 for any. Forgotten by kernel_setup(). */
struct kernel_lockdep {
	void (*note)(struct sim_task *task, int note);
	int (*held)(const struct sim_task *task, uint32_t lock);
};
void kernel_on_lockdep(const struct kernel_lockdep *fn);

/* A sleeping task was moved from the operation that it is in to one on lock @lock (1 + index); NULL: nobody cares.
 * Forgotten by kernel_setup(). */
void kernel_on_requeue(void (*fn)(struct sim_task *task, uint32_t lock));

/* Around every sleep of schedule() and its like, on the fiber that sleeps; NULL: none. Forgotten by kernel_setup(). */
void kernel_on_schedule(void (*fn)(struct sim_task *task, bool before));

/* For words that are no accesses: a step of the operation, said at @site. */
static inline void kernel_step(const void *site)
{
	if (__builtin_expect(sim_booking, 0) && sim_current()->trailing)
		sim_trail_add(sim_current(), site);
}

#endif
