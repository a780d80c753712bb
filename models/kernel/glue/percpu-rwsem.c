// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's percpu-rwsem.c as a lock. Its rcu_sync (sim/kernel/) and wait queue (models/kernel/wait.c) are the simulator's. */
#include TREE_FILE(percpu-rwsem.c)

#include "models/kernel/glue.h"

struct percpu_lock {
	struct percpu_rw_semaphore sem; /* first */
	struct kw_holders holders;
};

static void percpu_lock_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;
	struct percpu_lock *lock = l;

	(void)__percpu_init_rwsem(&lock->sem, "percpu-rwsem", &key);
	rcu_sync_set_gp(&lock->sem.rss, params[0]);
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
	int sum = 0;

	kw_holders_view(&lock->holders, view);
	list_for_each_entry(entry, &lock->sem.waiters.head, entry)
		lock_view_waiter(view, entry->private,
				 entry->flags & WQ_FLAG_CUSTOM ? LOCK_SHARED : LOCK_EXCLUSIVE);
	for (unsigned int cpu = 0; cpu < kw_nr_cpus(); cpu++)
		sum += *per_cpu_ptr(lock->sem.read_count, cpu);
	view->word = (uint32_t)sum;
	if (lock->sem.block.counter)
		strcpy(view->flags, "BLOCK");
}

static const struct lock_param percpu_lock_params[] = {
	{ "gp", LOCK_PARAM_TIME, 10 * SIM_MS, "an RCU grace period; whole jiffies, one at least" },
	{ NULL },
};

KERNEL_MODEL(percpu_rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("percpu-rwsem"),
	.mirrors = MIRRORS("percpu-rwsem.c"),
	.summary = "the tree's own per-CPU reader-writer semaphore",
	.twin = "percpu-rwsem",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.size = sizeof(struct percpu_lock),
	.hold_size = sizeof(struct kw_hold),
	.params = percpu_lock_params,
	.events = kw_plugin_events,
	.init = percpu_lock_init,
	.lock = percpu_lock_lock,
	.unlock = percpu_lock_unlock,
	.view = percpu_lock_view,
};
