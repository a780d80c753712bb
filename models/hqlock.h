/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the HQ lock share.
 *
 *   hqlock.c        queueing, leaving, handing on, the model
 *   hqlock_nodes.c  the loan of the queues, the queue of nodes
 */
#ifndef MODELS_HQLOCK_H
#define MODELS_HQLOCK_H

#include "models/qspinlock.h"

#define HQ_NODES 64
#define HQ_MODE 0x200u /* in the byte of the pending bit */

struct hq_waiter {
	struct mcs_spinlock mcs;
	u16 node;     /* 1 + number of its NUMA node, like all that name one here; 0: none */
	u16 handoffs; /* within the node in a row, up to its becoming the head */
	u32 tail;     /* its code */
};

struct hq_queue {
	struct hq_waiter *head;
	union {
		u64 loan_tail;
		struct {
			u32 tail, loan;
		};
	};
	u16 after, before;
	u16 detours; /* handed on to another node than the first one so often since that had its turn */
} ____cacheline_aligned;

struct hq_nodes { /* the queue of nodes */
	union {
		u32 both;
		struct {
			u16 last, first;
		};
	};
	atomic_t lent, loan; /* whether the queues are; the number of this loan, or of the last one */
} ____cacheline_aligned;

struct hq_lock {
	struct qspinlock q;
	u32 fairness; /* constant after init */
	struct hq_nodes nodes;
	struct hq_queue queue[HQ_NODES];
} ____cacheline_aligned;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the halves of the words");

#define HQ_EVENTS(X)                                                                                         \
	QSPINLOCK_EVENTS(X)                                                                                  \
	X(hq_local)  /* handed on within the node */                                                         \
	X(hq_remote) /* … to another node, its own being empty */                                          \
	X(hq_bound)  /* … though somebody of its own waits: fairness */                                    \
	X(hq_borrow) /* the first to queue */                                                                \
	X(hq_return) /* nobody waited any more */                                                            \
	X(hq_late)   /* … but then somebody came: the queues stay lent */                                  \
	X(hq_rejoin) /* its node was out of the queue already when another waiter came */
LOCKEVENTS(HQ_EVENTS)

static inline struct hq_queue *hq_queue_of(struct hq_lock *lock, u16 node)
{
	return &lock->queue[node - 1];
}

static inline u64 hq_loan_tail(u32 loan, u32 tail)
{
	return (u64)loan << 32 | tail;
}

static inline u32 hq_nr_nodes(void)
{
	return min(kw_nr_nodes(), (unsigned int)HQ_NODES);
}

/* -- hqlock_nodes.c --------------------------------------------------------------------------------- */

/* 8a. Returns the number of the loan. */
u32 hq_borrow(struct hq_lock *lock);
/* 13a. The lock is held. Gives the queues back, unless somebody waits in one. */
void hq_return(struct hq_lock *lock);
/* 10a. Returns the node that was last: 0, the queue was empty. */
u16 hq_append_node(struct hq_lock *lock, u16 node);
/* The last of several, behind @before. False: another one came behind it meanwhile. */
bool hq_take_out_last(struct hq_lock *lock, struct hq_queue *queue, u16 node, u16 before);
/* One from between two, or the first of several (@before: 0). */
void hq_take_out(struct hq_lock *lock, u16 before, u16 after);

#endif
