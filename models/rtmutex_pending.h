/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rt_mutex of 2.6.18 to 2.6.38, whose unlock names the next owner: see rtmutex_2_6_31.c. */
#ifndef MODELS_RTMUTEX_PENDING_H
#define MODELS_RTMUTEX_PENDING_H

#define RTMUTEX_EVENTS(X)                                                                                    \
	X(rtmutex_lock_fast)	/* taken by the fast compare-and-swap */                                     \
	X(rtmutex_lock_slow)	/* taken in the slow path without queueing */                                \
	X(rtmutex_block)	/* queued as a waiter */                                                     \
	X(rtmutex_pending)	/* unlock made the top waiter pending owner */                               \
	X(rtmutex_pickup)	/* … which took the lock up */                                               \
	X(rtmutex_steal)	/* taken from a pending owner */                                             \
	X(rtmutex_robbed)	/* … which found out */                                                      \
	X(rtmutex_spin)		/* a waiter began to spin on a running owner */                              \
	X(rtmutex_sleep)	/* a waiter went to sleep */                                                 \
	X(rtmutex_requeue)	/* a chain walk gave a waiter a new place */                                 \
	X(rtmutex_walk)		/* blocked tasks that chain walks looked at */                               \
	X(rtmutex_walk_retry)	/* wait_lock was taken when a chain walk tried it */                         \
	X(rtmutex_deadlock)	/* waits that a deadlock or the depth limit ended */                         \
	X(rtmutex_depth)	/* chain walks that hit max_lock_depth */                                    \
	X(rtmutex_timeout)	/* waits that ended by their timeout */                                      \
	X(rtmutex_signal)	/* waits that a signal ended */

/* The lock, the waiter, the trees and rt_mutex_adjust_prio() are the same as later. */
#include "models/rtmutex_private.h"

#define RT_MUTEX_OWNER_PENDING 1UL
#define RT_MUTEX_WAITERS 2UL
#define RT_MUTEX_OWNER_MASK 3UL

struct rt_mutex_pending {
	struct rt_mutex_base base; /* its `lateral`: equals that are not RT may steal */
	bool adaptive;		   /* waiters spin while the owner runs */
};

static inline struct task_struct *pending_owner(struct rt_mutex_base *lock)
{
	return (struct task_struct *)((unsigned long)READ_ONCE(lock->owner) & ~RT_MUTEX_OWNER_MASK);
}

/* The key of @waiter is the priority of @task as it is now; niceness counts. */
static inline void pending_key(struct rt_mutex_waiter *waiter, const struct task_struct *task)
{
	waiter->tree.prio = task->prio;
	waiter->tree.deadline = task->dl_deadline;
}

/*
 * rtmutex_2_6_31_chain.c. Walks from @task, blocked or not, up the chain of owners; called
 * without locks. @orig_waiter: the new waiter, or NULL when nobody blocks. 0 or -EDEADLK,
 * which only @detect asks for.
 */
int pending_adjust_prio_chain(struct task_struct *task, bool detect, struct rt_mutex_base *orig_lock,
			      struct rt_mutex_waiter *orig_waiter, struct task_struct *top_task,
			      unsigned int max_depth);
void pending_adjust_pi(struct task_struct *task);
/* Queues @waiter, boosts the owner; current may be pending owner then. 0 or -EDEADLK. wait_lock held. */
int pending_block_on(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter);
/* Takes @waiter out again, and back what it lent. wait_lock held. */
void pending_leave(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter);

#endif
