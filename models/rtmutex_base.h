/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rt_mutex as others embed it, and the sleeping spinlock that PREEMPT_RT makes of it. */
#ifndef MODELS_RTMUTEX_BASE_H
#define MODELS_RTMUTEX_BASE_H

#include "sim/kernel/words.h"

#define RT_MUTEX_HAS_WAITERS 1UL

enum rtmutex_chainwalk {
	RT_MUTEX_MIN_CHAINWALK,	 /* walk only as far as priorities change */
	RT_MUTEX_FULL_CHAINWALK, /* walk to the end: deadlock detection */
};

struct rt_mutex_base {
	raw_spinlock_t wait_lock;
	struct rb_root_cached waiters; /* strongest first, FIFO among equals */
	struct task_struct *owner;     /* task | RT_MUTEX_HAS_WAITERS */
	struct rt_mutex_waiter *top;   /* leftmost of waiters, for those who spin without wait_lock */

	/* the simulator's side: tunables */
	enum rtmutex_chainwalk chwalk;
	unsigned int max_lock_depth;
	bool lateral; /* equal keys may steal unless RT: the spinlock flavour */
};

#define RT_MUTEX_MAX_LOCK_DEPTH 1024 /* the default: blocked tasks that a chain walk visits before it gives up */

/* Free, nobody waits; not `lateral`. (rtmutex_core.c) */
void rt_mutex_base_init(struct rt_mutex_base *lock, enum rtmutex_chainwalk chwalk, unsigned int max_lock_depth);
/* The prio_changed of every struct lock_model that waits through one. (rtmutex_chain.c) */
void rt_mutex_prio_changed(void *l, struct task_struct *p);

/*
 * A sleeping spinlock within another lock: its waits are waits for that one, its events are nobody's. (rtspinlock.c)
 */
void rt_spin_lock_init(struct rt_mutex_base *lock);
void rt_spin_lock(struct rt_mutex_base *lock);
void rt_spin_unlock(struct rt_mutex_base *lock);

#endif
