// SPDX-License-Identifier: GPL-2.0-or-later
/* Wait queues, rcuwait, rcu_sync, per-CPU memory: part of every plug-in, compiled with its words. */
#include "models/kernel/glue.h"

char *kw_plugin_percpu_base;
size_t kw_plugin_percpu_stride;

/* -- per-CPU memory -------------------------------------------------------------------------- */

#define POOL_BYTES 4096

DEFINE_PER_CPU_ALIGNED(char[POOL_BYTES], kw_percpu_pool);
static size_t pool_used; /* restored to 0 before every run, as all statics are */

void *kw_alloc_percpu(size_t bytes, size_t align)
{
	size_t at = (pool_used + align - 1) / align * align;

	if (bytes > POOL_BYTES || at > POOL_BYTES - bytes)
		return NULL;
	pool_used = at + bytes;
	return kw_percpu_pool + at;
}

/* -- wait queues ------------------------------------------------------------------------------- */

void init_waitqueue_head(struct wait_queue_head *wq)
{
	raw_spin_lock_init(&wq->lock);
	INIT_LIST_HEAD(&wq->head);
}

void __add_wait_queue_entry_tail(struct wait_queue_head *wq, struct wait_queue_entry *entry)
{
	list_add_tail(&entry->entry, &wq->head);
}

int default_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	return try_to_wake_up(entry->private, mode, flags);
}

void __wake_up(struct wait_queue_head *wq, unsigned int mode, int nr, void *key)
{
	struct wait_queue_entry *entry, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&wq->lock, flags);
	list_for_each_entry_safe(entry, next, &wq->head, entry) {
		unsigned int how = entry->flags;
		int woken = entry->func(entry, mode, 0, key);

		if (woken < 0)
			break;
		if (woken && (how & WQ_FLAG_EXCLUSIVE) && !--nr)
			break;
	}
	raw_spin_unlock_irqrestore(&wq->lock, flags);
}

int rcuwait_wake_up(struct rcuwait *rw)
{
	struct task_struct *task = READ_ONCE(rw->task);

	return task ? wake_up_process(task) : 0;
}

/* -- rcu_sync ------------------------------------------------------------------------------------ */

/*
 * A grace period ends when every CPU has been seen outside of a reader, and readers run with
 * preemption off: the writer sleeps a few ticks, as synchronize_rcu() mostly takes.
 */
#define GP_IDLE 0
#define GP_PASSED 2
#define GP_TICKS 3

void rcu_sync_init(struct rcu_sync *rss)
{
	rss->gp_state = GP_IDLE;
	rss->gp_count = 0;
	init_waitqueue_head(&rss->gp_wait);
}

void rcu_sync_enter(struct rcu_sync *rss)
{
	bool first;

	raw_spin_lock_irq(&rss->gp_wait.lock);
	first = !rss->gp_count++;
	WRITE_ONCE(rss->gp_state, GP_PASSED);
	raw_spin_unlock_irq(&rss->gp_wait.lock);
	if (!first)
		return; /* somebody's grace period is over, or will be before the lock is his */
	__set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_timeout(GP_TICKS);
}

/* The way back to the fast path waits for another grace period; here it is taken at once. */
void rcu_sync_exit(struct rcu_sync *rss)
{
	raw_spin_lock_irq(&rss->gp_wait.lock);
	if (!--rss->gp_count)
		WRITE_ONCE(rss->gp_state, GP_IDLE);
	raw_spin_unlock_irq(&rss->gp_wait.lock);
}
