/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of optimistic spinners: see osq.c. */
#ifndef MODELS_OSQ_H
#define MODELS_OSQ_H

#include "sim/kernel/words.h"

struct optimistic_spin_queue {
	atomic_t tail; /* CPU number of the last spinner + 1; 0: empty */
};

struct optimistic_spin_node {
	struct optimistic_spin_node *next, *prev;
	int locked; /* 1: the node's CPU is the head */
	int cpu;    /* its CPU + 1 */
};

/* One per CPU, whatever the lock. */
DECLARE_PER_CPU_ALIGNED(struct optimistic_spin_node, osq_node);

#define OSQ_UNLOCKED_VAL 0
#define OSQ_LOCK_UNLOCKED { ATOMIC_INIT(OSQ_UNLOCKED_VAL) }

static inline void osq_lock_init(struct optimistic_spin_queue *lock)
{
	atomic_set(&lock->tail, OSQ_UNLOCKED_VAL);
}

static inline bool osq_is_locked(struct optimistic_spin_queue *lock)
{
	return atomic_read(&lock->tail) != OSQ_UNLOCKED_VAL;
}

/* Waits with preemption off to become the head. False if it had to leave: a reschedule is due. */
bool osq_lock(struct optimistic_spin_queue *lock);
void osq_unlock(struct optimistic_spin_queue *lock);

#endif
