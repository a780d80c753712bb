/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who sleeps in a futex: what the plain half (futex.h) and the requeueing one (futex_pi.h) share. */
#ifndef MODELS_FUTEX_BUCKET_H
#define MODELS_FUTEX_BUCKET_H

#include "sim/kernel/words.h"

struct rt_mutex_base;

struct futex_bucket { /* the kernel's, on a line of its own */
	atomic_t waiters;
	raw_spinlock_t lock;
	struct rt_mutex_base *rt_lock; /* constant: what is its lock under PREEMPT_RT, or NULL */
	struct list_head chain;
} ____cacheline_aligned;

struct futex_q { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
	int prio;
	struct futex_bucket *lock_ptr; /* NULL: the waker has taken it out */
};

/*
 * Steps a to e of FUTEX_WAIT with the caller's @q, inside a system call: 0: taken out of the bucket by somebody
 * (woken, or moved elsewhere), -EAGAIN: the word had changed, -ETIMEDOUT, -EINTR.
 */
int futex_wait_queued(struct futex_bucket *hb, atomic_t *word, int val, struct futex_q *q, int prio,
		      struct kw_timeout *timeout);

#endif
