// SPDX-License-Identifier: GPL-2.0-or-later
/* Wait queues, rcuwait, per-CPU memory: part of every plug-in, compiled with its words. */
#include <stdio.h>
#include <stdlib.h>

#include "models/kernel/glue.h"

char *kw_plugin_percpu_base;
size_t kw_plugin_percpu_stride;

/* -- per-CPU memory: never NULL -------------------------------------------------------------------- */

#define POOL_BYTES 4096

DEFINE_PER_CPU_ALIGNED(char[POOL_BYTES], kw_percpu_pool);
static size_t pool_used; /* restored to 0 before every run, as all statics are */

void *kw_alloc_percpu(size_t bytes, size_t align)
{
	size_t at = (pool_used + align - 1) / align * align;

	if (bytes > POOL_BYTES || at > POOL_BYTES - bytes) {
		/* initialisers of locks cannot fail */
		fprintf(stderr, "lockstep: more than %d bytes of per-CPU memory for the locks of a plug-in\n", POOL_BYTES);
		exit(3);
	}
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
