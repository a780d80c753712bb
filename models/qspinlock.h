/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word and the nodes of the qspinlock, and what other queue orders share with it (cna.c): see qspinlock.c. */
#ifndef MODELS_QSPINLOCK_H
#define MODELS_QSPINLOCK_H

#include "models/mcs.h"

#define _Q_LOCKED_VAL 1u
#define _Q_LOCKED_MASK 0xffu
#define _Q_PENDING_VAL 0x100u
#define _Q_PENDING_MASK 0xff00u
#define _Q_LOCKED_PENDING_MASK (_Q_LOCKED_MASK | _Q_PENDING_MASK)
#define _Q_TAIL_IDX_SHIFT 16
#define _Q_TAIL_CPU_SHIFT 18
#define _Q_TAIL_MASK 0xffff0000u
#define _Q_PENDING_LOOPS 1

struct qspinlock {
	union {
		atomic_t val;
		struct {
			u8 locked, pending;
		};
		struct {
			u16 locked_pending, tail;
		};
	};
};

#define QSPINLOCK_MAX_NODES 4

struct qnodes { /* for task, softirq, hardirq, NMI */
	struct mcs_spinlock mcs[QSPINLOCK_MAX_NODES];
};

DECLARE_PER_CPU_ALIGNED(struct qnodes, qspinlock_nodes);

struct qnodes_seen { /* the simulator's side, for view(): who queues with which node, and who is pending */
	struct mcs_seen node[QSPINLOCK_MAX_NODES];
	const struct qspinlock *pending; /* this CPU waits for it as the pending one */
	const struct task_struct *pending_task;
};

DECLARE_PER_CPU(struct qnodes_seen, qspinlock_seen);

/* First in the list of every lock that the functions below count for. */
#define QSPINLOCK_EVENTS(X)                                                                        \
	X(lock_pending)	 /* waited as the pending one */                                           \
	X(lock_slowpath) /* queued */                                                              \
	X(lock_use_node2) /* … with the second node: nested */                                     \
	X(lock_use_node3)                                                                          \
	X(lock_use_node4)                                                                          \
	X(lock_no_node)	 /* no node was left: polled unfairly */

static inline u32 queued_spin_tail(int cpu, int idx)
{
	return (u32)(cpu + 1) << _Q_TAIL_CPU_SHIFT | (u32)idx << _Q_TAIL_IDX_SHIFT;
}

bool queued_spin_trylock(struct qspinlock *lock);
/* Steps 3-7; @val: the word as last seen. True: acquired as the pending waiter; false: queue. */
bool queued_spin_pending(struct qspinlock *lock, u32 val);
/* Acquires when the fast path did not; @val: the word as last seen. */
void queued_spin_lock_slowpath(struct qspinlock *lock, u32 val);
void qspinlock_model_unlock(void *l, struct lock_req *req);
void qspinlock_model_view(const void *l, struct lock_view *view);
/* The whole lock, with preemption off already: what the kernel calls arch_spin_lock(). */
void queued_spin_lock(struct qspinlock *lock);
void queued_spin_unlock(struct qspinlock *lock);

#endif
