/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's half of a futex, for locks of user mode that are built on one: a bucket in
 * which those who wait for a word sleep, RT tasks first by priority, the rest FIFO.
 *
 * Mirrors: Linux 6.1 kernel/futex/waitwake.c
 * Deviations: (1) each word has a hash bucket of its own, whose count of waiters goes down once its lock is
 * free again, where the kernel still holds it; (2) the bucket's lock is a raw
 * spinlock under PREEMPT_RT, too, where it is a sleeping one in the kernel; only futex-rt has
 * that; (3) a private futex: no lookup of the page.
 *
 * FUTEX_WAIT: a count a waiter  b bucket lock  c word changed: back  d queue, sleep
 *         e leave, unless the waker has taken me out
 * FUTEX_WAKE: a nobody waits: back  b bucket lock  c take out the first  d wake it
 */
#ifndef MODELS_FUTEX_H
#define MODELS_FUTEX_H

#include "models/futex_bucket.h"
#include "sim/model.h"

/* X(name): counters of the kernel's half, first in the table of every model that uses it. */
#define FUTEX_WAIT_EVENTS(X)                                                                       \
	X(futex_wait)	    /* slept in FUTEX_WAIT */                                              \
	X(futex_wait_again) /* the word had changed before it slept */                             \
	X(futex_wake)	    /* FUTEX_WAKE woke somebody */                                         \
	X(futex_wake_none)  /* FUTEX_WAKE found nobody */                                          \
	X(futex_signal)	    /* a signal ended the sleep, not the wait */

/* A model defines its whole list before it includes this. */
#ifndef FUTEX_EVENTS
#define FUTEX_EVENTS FUTEX_WAIT_EVENTS
#endif
LOCKEVENTS(FUTEX_EVENTS)

/* @rt_lock: PREEMPT_RT's sleeping spinlock for it, or NULL. */
void futex_bucket_init(struct futex_bucket *hb, struct rt_mutex_base *rt_lock);
/*
 * Sleeps if *@word is @val, queued as @prio (a kernel number; all that are no RT ones are
 * equal). 0: FUTEX_WAKE, -EAGAIN: the word had changed, -ETIMEDOUT, -EINTR. A system call.
 */
int futex_wait(struct futex_bucket *hb, atomic_t *word, int val, int prio, struct kw_timeout *timeout);
/* Wakes at most @n; how many. A system call. */
unsigned int futex_wake(struct futex_bucket *hb, unsigned int n);
/* For view(): who sleeps there, in order. */
void futex_view_waiters(const struct futex_bucket *hb, struct lock_view *view);

#endif
