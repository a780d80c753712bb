/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rt_mutex family shares: the lock, the waiter, the two trees, the chain walk.
 *
 *   task W ── pi_blocked_on ──> waiter ── lock ──> rt_mutex_base ── owner ──> task O
 *                                 │ tree                 │                      │
 *                                 └──── in ── waiters <──┘                      │
 *                                 │ pi_tree                                     │
 *                                 └──── in ── pi_waiters <──────────────────────┘
 *                                       (only the top waiter of each lock O owns)
 *
 * wait_lock protects waiters, the keys in waiter.tree and bit 0 of owner; a task's
 * pi_lock protects its pi_waiters, the keys in the pi_tree nodes queued there, and its
 * pi_blocked_on. Order: wait_lock, then pi_lock; the chain walk goes the other way and
 * therefore only tries wait_lock.
 */
#ifndef MODELS_RTMUTEX_PRIVATE_H
#define MODELS_RTMUTEX_PRIVATE_H

#include <string.h>

#include "sim/model.h"
#include "models/rtmutex_base.h"

/* One tree node with its own copy of the sort key: the two trees of a waiter may disagree. */
struct rt_waiter_node {
	struct rb_node entry;
	int prio; /* the task's if RT or deadline, else 120 */
	u64 deadline;
};

struct rt_mutex_waiter { /* on the blocked task's stack */
	struct rt_waiter_node tree;    /* in lock->waiters */
	struct rt_waiter_node pi_tree; /* in the owner's pi_waiters */
	struct task_struct *task;      /* NULL until queued */
	struct rt_mutex_base *lock;
	unsigned int wake_state; /* TASK_NORMAL or TASK_RTLOCK_WAIT */

	/* Of a lock that lends by rules of its own, @lock is NULL, and this is told of a new priority of @task. Without
	 * locks. Returns whom it lent to, or took from, on that account: who may have to pass it on. Or NULL. */
	struct task_struct *(*told)(void *elsewhere, struct task_struct *task);
	void *elsewhere;
};

/* X(name): counters of both flavours, in the order of the event table. An older generation has its own. */
#ifndef RTMUTEX_EVENTS
#define RTMUTEX_EVENTS(X)                                                                                    \
	X(rtmutex_lock_fast)	/* taken by the fast compare-and-swap */                                     \
	X(rtmutex_lock_slow)	/* taken in the slow path without queueing */                                \
	X(rtmutex_block)	/* queued as a waiter */                                                     \
	X(rtmutex_steal)	/* taken past a woken top waiter */                                          \
	X(rtmutex_spin)		/* the top waiter began to spin on a running owner */                        \
	X(rtmutex_sleep)	/* a waiter went to sleep */                                                 \
	X(rtmutex_wake)		/* an unlock woke the top waiter */                                          \
	X(rtmutex_requeue)	/* a chain walk gave a waiter a new place */                                 \
	X(rtmutex_wake_top)	/* a chain walk on a free lock woke a new top waiter */                      \
	X(rtmutex_walk)		/* blocked tasks that chain walks looked at */                               \
	X(rtmutex_walk_retry)	/* wait_lock was taken when a chain walk tried it */                         \
	X(rtmutex_deadlock)	/* waits that a deadlock or the depth limit ended */                         \
	X(rtmutex_depth)	/* chain walks that hit max_lock_depth */                                    \
	X(rtmutex_timeout)	/* waits that ended by their timeout */                                      \
	X(rtmutex_signal)	/* waits that a signal ended */                                              \
	X(rtmutex_parked)	/* tasks parked for ever after a deadlock nobody had asked to detect */
#endif
LOCKEVENTS(RTMUTEX_EVENTS)

static inline struct task_struct *rt_mutex_owner(const struct rt_mutex_base *lock)
{
	return (struct task_struct *)((unsigned long)READ_ONCE(lock->owner) & ~RT_MUTEX_HAS_WAITERS);
}

/* -- rtmutex_tree.c: keys and trees ------------------------------------------------------ */

static inline bool rt_mutex_has_waiters(const struct rt_mutex_base *lock)
{
	return !RB_EMPTY_ROOT(&lock->waiters.rb_root);
}

void rt_mutex_init_waiter(struct rt_mutex_waiter *waiter, unsigned int wake_state);
/* The leftmost waiter; NULL if there is none. */
struct rt_mutex_waiter *rt_mutex_top_waiter(const struct rt_mutex_base *lock);
/* The leftmost of @task's pi_waiters; NULL if there is none. */
struct rt_mutex_waiter *task_top_pi_waiter(const struct task_struct *task);
/* Takes the key of waiter->tree from the task as it is now. */
void waiter_update_prio(struct rt_mutex_waiter *waiter, struct task_struct *task);
/* Copies the key of waiter->tree to waiter->pi_tree. */
void waiter_clone_prio(struct rt_mutex_waiter *waiter);
/* Is the key of waiter->tree still that of @task? */
bool waiter_prio_equals(const struct rt_mutex_waiter *waiter, const struct task_struct *task);
/* Insertion goes behind equals; removing what is not queued does nothing. */
void rt_mutex_enqueue(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter);
void rt_mutex_dequeue(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter);
void rt_mutex_enqueue_pi(struct task_struct *task, struct rt_mutex_waiter *waiter);
void rt_mutex_dequeue_pi(struct task_struct *task, struct rt_mutex_waiter *waiter);
/* May the task with the key of @thief pass @top? */
bool rt_mutex_steal(const struct rt_mutex_base *lock, const struct rt_waiter_node *thief,
		    const struct rt_mutex_waiter *top);
void rt_mutex_task_key(struct rt_waiter_node *key, const struct task_struct *task);
/* What the struct lock_model of both flavours offers. */
void rt_mutex_view(const struct rt_mutex_base *lock, struct lock_view *view);
const char *rt_mutex_broken(const struct rt_mutex_base *lock);

/* -- rtmutex_chain.c --------------------------------------------------------------------- */

/* The lock that the waiter of @task waits for, or NULL. Under task->pi_lock. */
struct rt_mutex_base *task_blocked_on_lock(const struct task_struct *task);
/* Gives @task the priority that its top pi waiter's task lends it. Under task->pi_lock. */
void rt_mutex_adjust_prio(struct task_struct *task);
/* For locks that lend without a walk, under task->pi_lock: @task gets the priority that lent->task has now; and loses it. */
void rt_mutex_lend(struct task_struct *task, struct rt_mutex_waiter *lent);
void rt_mutex_take_back(struct task_struct *task, struct rt_mutex_waiter *lent);
/* For such locks too: what current waits through, @told and @elsewhere are set; and no longer. */
void rt_mutex_block_on(struct rt_mutex_waiter *waiter);
void rt_mutex_unblock(struct task_struct *task);
/* The priority of @task (NULL: nobody's) has changed: whoever it waits for gets to know, over locks of all kinds. Without locks. */
void rt_mutex_pass_on(struct task_struct *task);
/*
 * Walks from @task up the chain of owners. @next_lock is what @task was seen to wait
 * for (only compared). @orig_waiter is NULL when nobody blocks: deboost, setscheduler.
 * 0 or -EDEADLK. Called without locks.
 */
int rt_mutex_adjust_prio_chain(struct task_struct *task, enum rtmutex_chainwalk chwalk,
			       struct rt_mutex_base *orig_lock, struct rt_mutex_base *next_lock,
			       struct rt_mutex_waiter *orig_waiter, struct task_struct *top_task,
			       unsigned int max_lock_depth);
/* The priority of @task was set: its place in the queue, and its chain. */
void rt_mutex_adjust_pi(struct task_struct *task);

/* -- rtmutex_core.c: take, block, wake; wait_lock held ------------------------------------ */

bool try_to_take_rt_mutex(struct rt_mutex_base *lock, struct task_struct *task,
			  struct rt_mutex_waiter *waiter);
int task_blocks_on_rt_mutex(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter,
			    struct task_struct *task, enum rtmutex_chainwalk chwalk);
void remove_waiter(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter);
void fixup_rt_mutex_waiters(struct rt_mutex_base *lock);
/* Without locks. True: the owner changed, try again; false: sleep. */
bool rtmutex_spin_on_owner(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter,
			   struct task_struct *owner);
bool rt_mutex_cmpxchg_acquire(struct rt_mutex_base *lock, struct task_struct *old, struct task_struct *new);
/*
 * Step 5 of the slow path, queued as @waiter; wait_lock held on entry and return: 0, -ETIMEDOUT,
 * -EINTR. (rtmutex.c)
 */
int rt_mutex_slowlock_block(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter, unsigned int state,
			    struct kw_timeout *timeout);
/* Step 3 of unlocking, with waiters: deboosts current, frees, queues the top waiter for wake_up_q(); preemption stays
 * off until the caller has woken it. */
void rt_mutex_mark_wakeup(struct rt_mutex_base *lock, struct wake_q_head *wake_q);
bool rt_mutex_slowtrylock(struct rt_mutex_base *lock);
void rt_mutex_unlock_base(struct rt_mutex_base *lock);

#endif
