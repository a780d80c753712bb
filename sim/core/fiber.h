/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fibers: stacks for straight C code that has to wait in virtual time.
 *
 * A task borrows a fiber only while it is inside a lock algorithm. All stacks lie in
 * one region at a fixed address where the host allows it; the slot number of an
 * address tells whose stack it is, so that a cache line is never derived from a host
 * address. Slots are reused last in, first out.
 */
#ifndef SIM_CORE_FIBER_H
#define SIM_CORE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 KiB of stack, and a page that shifts the next slot and leaves room to shift the top within a page: what fibers
 * use of their stacks would else lie in the same few sets of the host's caches. */
#define SIM_FIBER_SLOT_BYTES (64 * 1024 + 4096)

struct sim_fiber {
	void *sp;	      /* saved stack pointer while not running */
	char *stack, *top;    /* lowest address of the slot; one past the highest of the stack, which grows down */
	uint32_t slot;
	bool done;	      /* fn returned; the fiber may be freed */
	bool at_ease;	      /* free, and its stack stands where the next fn can begin */
	void (*fn)(void *arg);
	void *arg;
	void *owner;	      /* for the user: the task that borrowed it */
	struct sim_fiber *next_free;
	void *asan_fake;      /* sanitizer bookkeeping */
	unsigned valgrind_id;
};

/* Maps room for @max stacks (address space only). Once per process; aborts on failure. */
void sim_fiber_pool_init(uint32_t max);
/* Gives all slots back; pages stay mapped. */
void sim_fiber_pool_reset(void);
/* Borrows a slot. @fn starts at the first resume; when it returns, done is set and control
 * goes back to the resumer. NULL when the pool is exhausted. */
struct sim_fiber *sim_fiber_create(void (*fn)(void *arg), void *arg, void *owner);
/* Runs @f until it yields or is done. Only from outside any fiber. */
void sim_fiber_resume(struct sim_fiber *f);
/* Back to whoever resumed the current fiber. */
void sim_fiber_yield(void);
/* From the current fiber straight to @to, which has yielded. Whoever resumed the current one waits for @to. */
void sim_fiber_hand_over(struct sim_fiber *to);
void sim_fiber_free(struct sim_fiber *f);
/* The fiber that is running, or NULL. */
struct sim_fiber *sim_fiber_current(void);
/* The fiber on whose stack @p lies, or NULL. */
struct sim_fiber *sim_fiber_of(const void *p);

#endif
