/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wait queues and rcuwait: what percpu-rwsem sleeps on. Written for the simulator, with the
 * kernel's interface: a wait queue is a list under a lock.
 */
#ifndef MODELS_KERNEL_WAIT_H
#define MODELS_KERNEL_WAIT_H

#include "sim/kernel/list.h"
#include "sim/kernel/rcu_sync.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/spinlock.h"

#define WQ_FLAG_EXCLUSIVE 0x01u
#define WQ_FLAG_WOKEN 0x02u
#define WQ_FLAG_CUSTOM 0x04u
#define WQ_FLAG_BOOKMARK 0x08u
#define WQ_FLAG_DONE 0x10u

struct wait_queue_entry;
typedef int (*wait_queue_func_t)(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key);

struct wait_queue_entry {
	unsigned int flags;
	void *private;
	wait_queue_func_t func; /* > 0: woken and, if exclusive, enough; < 0: stop */
	struct list_head entry;
};

struct wait_queue_head {
	raw_spinlock_t lock;
	struct list_head head;
};

typedef struct wait_queue_entry wait_queue_entry_t;
typedef struct wait_queue_head wait_queue_head_t;

#define DEFINE_WAIT_FUNC(var, fn)                                                                  \
	struct wait_queue_entry var = { .private = current, .func = fn, .entry = LIST_HEAD_INIT((var).entry) }
#define DEFINE_WAIT(var) DEFINE_WAIT_FUNC(var, default_wake_function)

#define __WAIT_QUEUE_HEAD_INITIALIZER(var) { .head = LIST_HEAD_INIT((var).head) }

void init_waitqueue_head(struct wait_queue_head *wq);
void __add_wait_queue_entry_tail(struct wait_queue_head *wq, struct wait_queue_entry *entry);
/* Calls entries' functions in order, until @nr exclusive ones were woken or one says stop. */
void __wake_up(struct wait_queue_head *wq, unsigned int mode, int nr, void *key);
int default_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key);
#define wake_up(wq) __wake_up(wq, TASK_NORMAL, 1, NULL)
#define wake_up_all(wq) __wake_up(wq, TASK_NORMAL, 0, NULL)

static inline bool waitqueue_active(struct wait_queue_head *wq)
{
	return !list_empty(&wq->head);
}

static inline bool wq_has_sleeper(struct wait_queue_head *wq)
{
	return waitqueue_active(wq);
}

struct rcu_head {
	void *unused;
};

struct rcuwait {
	struct task_struct *task;
};

#define __RCUWAIT_INITIALIZER(var) { .task = NULL }

static inline void rcuwait_init(struct rcuwait *rw)
{
	rw->task = NULL;
}

static inline bool rcuwait_active(struct rcuwait *rw)
{
	return READ_ONCE(rw->task);
}

/* 1 if the task that waits was woken. */
int rcuwait_wake_up(struct rcuwait *rw);

#define rcuwait_wait_event(rw, condition, how)                                                     \
	__extension__({                                                                            \
		int kw_rc = 0;                                                                     \
                                                                                                   \
		smp_store_release(&(rw)->task, current);                                           \
		for (;;) {                                                                         \
			set_current_state(how);                                                    \
			if (condition)                                                             \
				break;                                                             \
			if (signal_pending_state(how, current)) {                                  \
				kw_rc = -EINTR;                                                    \
				break;                                                             \
			}                                                                          \
			schedule();                                                                \
		}                                                                                  \
		WRITE_ONCE((rw)->task, NULL);                                                      \
		__set_current_state(TASK_RUNNING);                                                 \
		kw_rc;                                                                             \
	})

#define rcu_sync_dtor(rss) ((void)(rss))

#endif
