/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mutexes of 2.6.16 to 4.9, whose word is a count: what they share, and by which rules
 * they differ.
 *
 *     count   1 free   0 held, nobody waits   negative: held, somebody may wait
 *
 * Lock: decrement, mine if the result is not negative. Unlock: increment, done if the
 * result is positive. A failed lock leaves the count lower, so that the next unlock goes
 * the slow way; sleepers put -1 there each time they look. The first sleeper is woken, not
 * served: until it runs the mutex is free for whoever comes. `owner` is written after the
 * count was won and cleared before it is let go, so "held by nobody" is a normal sight.
 *
 * Steps of the comments, see mutex_count.c for 1-6 and mutex_count_spin.c for S:
 *   1 fast           S spin                 4 loop: exchange; signal; sleep
 *   2 preemption off 3 wait_lock; queue     5 leave the list; none left: count 0   6 done
 */
#ifndef MODELS_MUTEX_COUNT_H
#define MODELS_MUTEX_COUNT_H

#include "models/osq.h"

#include "sim/model.h"

/* What a version does; constant after init. */
#define MUTEX_PREEMPT_OFF 0x1u	   /* 2.6.30: preemption off in the slow path */
#define MUTEX_SPIN 0x2u		   /* 2.6.30: spin while the owner runs */
#define MUTEX_TEST_TWICE 0x4u	   /* 2.6.30: look at the count once before the loop of 4 */
#define MUTEX_KEEP_SPINNING 0x8u   /* 2.6.30 - 2.6.35, 4.0: a new owner does not end the spin */
#define MUTEX_SPIN_QUEUE 0x10u	   /* 3.10: spinners queue; look before they queue, and before each swap */
#define MUTEX_LATE_LOOK 0x20u	   /* 3.0: whatever ended the spin, no owner is good news */
#define MUTEX_ONCE_MORE 0x40u	   /* 3.12: try under wait_lock before queueing */
#define MUTEX_SPIN_RESCHED 0x80u   /* 3.15, 2/8: a task that is to reschedule does not begin to spin */
#define MUTEX_QUEUE_ONCE 0x100u	   /* 3.15, 3/8: spinners queue once, not per look */
#define MUTEX_UNLOCK_EARLY 0x200u  /* 3.15, 4/8: free before wait_lock is taken */
#define MUTEX_OSQ 0x400u	   /* 3.15, 5/8: a queue that spinners can leave */
#define MUTEX_EXTRA_RESCHED 0x800u /* 3.15, 6/8: reschedule between spinning and queueing */
#define MUTEX_WAKE_Q 0x1000u	   /* 4.6: wake after wait_lock is dropped */

struct mspin_node { /* on the spinner's stack */
	struct mspin_node *next;
	int locked; /* 1: head */
};

struct mutex_count {
	atomic_t count;
	struct optimistic_spin_queue osq;
	raw_spinlock_t wait_lock;
	struct list_head wait_list;
	struct task_struct *owner;
	struct mspin_node *spin_mlock; /* tail of the queue of spinners */
	unsigned int rules;
} ____cacheline_aligned;

struct mutex_count_waiter { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
};

/* Each later list is of no use to earlier versions: their tables end before it. */
#define MUTEX_SLEEP_EVENTS(X)                                                                      \
	X(mutex_queued)	     /* joined wait_list */                                                \
	X(mutex_lost)	     /* woken, found the lock taken */                                     \
	X(mutex_steal)	     /* taken past sleepers */                                             \
	X(mutex_unlock_slow) /* unlock went the slow way */                                        \
	X(mutex_unlock_idle) /* … and found nobody to wake */                                      \
	X(mutex_eintr)	     /* a signal ended the wait */
#define MUTEX_SPIN_EVENTS(X)                                                                       \
	X(mutex_spin)	       /* began to spin */                                                 \
	X(mutex_spin_acquired) /* … and got the lock */                                            \
	X(mutex_spin_fail)     /* … and gave up: owner off CPU, replaced, or reschedule due */     \
	X(mutex_spin_null)     /* … and gave up: no owner to look at, and RT or reschedule due */
#define MUTEX_QUEUE_EVENTS(X)                                                                      \
	X(mutex_spin_refused) /* did not begin to spin: owner off CPU, or reschedule due */        \
	X(mutex_requeue)      /* queued for spinning again, at the tail */                         \
	X(mutex_once_more)    /* taken under wait_lock, without queueing */                        \
	X(mutex_osq_cancel)   /* left the queue of spinners: reschedule due */                     \
	X(mutex_resched)      /* rescheduled between spinning and queueing */
#define MUTEX_COUNT_EVENTS(X) MUTEX_SLEEP_EVENTS(X) MUTEX_SPIN_EVENTS(X) MUTEX_QUEUE_EVENTS(X)
LOCKEVENTS(MUTEX_COUNT_EVENTS)

/* mutex_count_spin.c, step S. True: acquired. Preemption is off. */
bool mutex_count_spin(struct mutex_count *lock);

/* mutex_count.c: the count was won. @stolen: without having queued. */
void mutex_count_won(struct mutex_count *lock, bool stolen);
void mutex_count_init(struct mutex_count *lock, unsigned int rules);

/* For struct lock_model. */
int mutex_count_lock(void *l, struct lock_req *req);
void mutex_count_unlock(void *l, struct lock_req *req);
void mutex_count_view(const void *l, struct lock_view *view);
const char *mutex_count_broken(const void *l);

#endif
