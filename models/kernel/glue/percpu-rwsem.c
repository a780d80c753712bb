// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's percpu-rwsem.c as a lock. Its rcu_sync and wait queue are the simulator's (models/kernel/wait.c). */
#include TREE_FILE(percpu-rwsem.c)

#include "models/kernel/glue.h"

struct percpu_lock {
	struct percpu_rw_semaphore sem; /* first */
	struct kw_holders holders;
};

static void percpu_lock_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;

	(void)__percpu_init_rwsem(&((struct percpu_lock *)l)->sem, "percpu-rwsem", &key);
}

static int percpu_lock_lock(void *l, struct lock_req *req)
{
	struct percpu_lock *lock = l;

	if (req->how & LOCK_TRY) {
		/* writers cannot try */
		if (req->mode == LOCK_EXCLUSIVE || !percpu_down_read_trylock(&lock->sem))
			return -EBUSY;
	} else if (req->mode == LOCK_SHARED) {
		percpu_down_read(&lock->sem);
	} else {
		percpu_down_write(&lock->sem);
	}
	kw_holders_add(&lock->holders, req->hold, req->mode);
	return 0;
}

static void percpu_lock_unlock(void *l, struct lock_req *req)
{
	struct percpu_lock *lock = l;

	kw_holders_del(&lock->holders, req->hold);
	if (req->mode == LOCK_SHARED)
		percpu_up_read(&lock->sem);
	else
		percpu_up_write(&lock->sem);
}

static void percpu_lock_view(const void *l, struct lock_view *view)
{
	const struct percpu_lock *lock = l;
	const struct wait_queue_entry *entry;

	kw_holders_view(&lock->holders, view);
	list_for_each_entry(entry, &lock->sem.waiters.head, entry)
		lock_view_waiter(view, entry->private,
				 entry->flags & WQ_FLAG_CUSTOM ? LOCK_SHARED : LOCK_EXCLUSIVE);
	view->word = (uint64_t)lock->sem.block.counter;
}

KERNEL_MODEL(percpu_rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("percpu-rwsem"),
	.mirrors = MIRRORS("percpu-rwsem.c"),
	.summary = "the tree's own per-CPU reader-writer semaphore",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.size = sizeof(struct percpu_lock),
	.hold_size = sizeof(struct kw_hold),
	.events = kw_plugin_events,
	.init = percpu_lock_init,
	.lock = percpu_lock_lock,
	.unlock = percpu_lock_unlock,
	.view = percpu_lock_view,
};
