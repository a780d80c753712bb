/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The MCS lock, for mcs.c and its wrong twin; the qspinlock queues with its nodes, too. */
#ifndef MODELS_MCS_H
#define MODELS_MCS_H

#include "sim/kernel/words.h"
#include "sim/model.h"

struct mcs_spinlock {
	struct mcs_spinlock *next;
	int locked; /* 1: handed over */
	int count;  /* qspinlock: nesting, in the CPU's first node */
};

struct mcs_lock {
	struct mcs_spinlock *tail;
};

/* The simulator's side of a node, for view(): the queue itself can be followed from its unknown head only. */
struct mcs_seen {
	const struct task_struct *task;
	struct mcs_spinlock *prev; /* it queued behind this one; NULL: behind nobody; itself: not known yet */
};

struct mcs_hold { /* in req->hold */
	struct mcs_spinlock node;
	struct mcs_seen seen;
};

/* The node is about to queue: whom it will find is not known yet. */
static inline void mcs_seen_init(struct mcs_seen *seen, struct mcs_spinlock *node)
{
	seen->task = current;
	seen->prev = node;
}

void mcs_model_init(void *l, const uint64_t *params);
int mcs_model_lock(void *l, struct lock_req *req);
void mcs_model_view(const void *l, struct lock_view *view);

typedef const struct mcs_seen *(*mcs_seen_fn)(const struct mcs_spinlock *node);
/* Lists the queue that ends in @tail, its first node first. @head_waits: so does the head; else it has the lock. */
void mcs_view_queue(struct lock_view *view, const struct mcs_spinlock *tail, bool head_waits, mcs_seen_fn seen);

#endif
