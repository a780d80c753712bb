/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two parts of the ww_mutex share: see ww_mutex.c. */
#ifndef MODELS_WW_MUTEX_H
#define MODELS_WW_MUTEX_H

#include "models/osq.h"

#include "sim/model.h"

#define MUTEX_FLAG_WAITERS 1UL
#define MUTEX_FLAG_HANDOFF 2UL
#define MUTEX_FLAG_PICKUP 4UL
#define MUTEX_FLAGS 7UL

struct ww_mutex {
	atomic_long_t owner; /* task | flags, as in mutex.c */
	raw_spinlock_t wait_lock;
	struct optimistic_spin_queue osq;
	bool wait_die; /* the tunable */
	struct list_head wait_list; /* older first */
	struct kw_ww_ctx *ctx;	    /* the owner's; set a little after it became owner */
} ____cacheline_aligned;

struct ww_waiter { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
	struct kw_ww_ctx *ctx;
};

#define WW_EVENTS(X)                                                                               \
	X(ww_spin)	    /* newcomers that joined the osq */                                    \
	X(ww_spin_acquired) /* … and got the lock spinning */                                      \
	X(ww_spin_fail)	    /* … and gave up as its head */                                        \
	X(ww_osq_cancel)    /* … and left the osq: reschedule due */                               \
	X(ww_waiter_spin)   /* the first waiter spun on the owner */                               \
	X(ww_queued)	    /* joined wait_list */                                                 \
	X(ww_queued_before) /* … in front of a younger one */                                      \
	X(ww_handoff)	    /* unlock gave the lock to the first waiter */                         \
	X(ww_wound)	    /* an older waiter wounded the holder */                               \
	X(ww_wake_to_die)   /* a younger waiter that holds locks was woken to give up */           \
	X(ww_deadlk)	    /* gave up: -EDEADLK */                                                \
	X(ww_already)	    /* the context owns the lock already: -EALREADY */                     \
	X(ww_eintr)	    /* a signal ended the wait */
LOCKEVENTS(WW_EVENTS)

static inline struct task_struct *ww_owner_task(unsigned long owner)
{
	return (struct task_struct *)(owner & ~MUTEX_FLAGS);
}

static inline bool ww_is_first(const struct ww_mutex *lock, const struct ww_waiter *waiter)
{
	return PEEK(lock->wait_list.next) == &waiter->list; /* also asked while spinning */
}

/* -- ww_mutex_rules.c: under wait_lock -- */

/* Queues @waiter by age. -EDEADLK: it did not, there is no point. */
int ww_add_waiter(struct ww_mutex *lock, struct ww_waiter *waiter);
/* -EDEADLK: the task that waits as @waiter has to give up. */
int ww_check_kill(struct ww_mutex *lock, const struct ww_waiter *waiter);
/* @ctx got the lock: younger waiters die, or an older one wounds it. */
void ww_check_waiters(struct ww_mutex *lock, struct kw_ww_ctx *ctx);

#endif
