// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sleeping lock with strict FIFO hand-over: the yardstick against which stealing,
 * spinning and hand-off policies are measured. Not the kernel's.
 *
 * An owner and a list under a raw lock. unlock() makes the first waiter the owner before
 * it wakes it, so a contended hand-over always costs one whole wake-up.
 *
 * Mirrors: nothing; the textbook
 *
 * Lock:    1. free: mine   2. else queue at the tail   3. sleep until granted
 * Unlock:  1. the first waiter, or nobody, is the owner   2. wake it
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct fifo_lock {
	raw_spinlock_t lock;
	struct task_struct *owner;
	struct list_head wait_list;
};

struct fifo_waiter {
	struct list_head list;
	struct task_struct *task;
};

static void fifo_wait(struct fifo_lock *lock)
{
	struct fifo_waiter waiter = { .task = current };

	list_add_tail(&waiter.list, &lock->wait_list); /* 2 */
	trace_contention_begin(lock, 0);
	__set_current_state(TASK_UNINTERRUPTIBLE);
	raw_spin_unlock(&lock->lock);
	schedule(); /* 3 */
	while (smp_load_acquire(&lock->owner) != waiter.task) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (READ_ONCE(lock->owner) != waiter.task)
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	trace_contention_end(lock, 0);
}

static int fifo_lock(void *l, struct lock_req *req)
{
	struct fifo_lock *lock = l;

	raw_spin_lock(&lock->lock);
	if (lock->owner && !(req->how & LOCK_TRY)) {
		fifo_wait(lock);
		return 0;
	}

	int ret = lock->owner ? -EBUSY : 0;

	if (!ret)
		WRITE_ONCE(lock->owner, current); /* 1 */
	raw_spin_unlock(&lock->lock);
	return ret;
}

static void fifo_unlock(void *l, struct lock_req *req)
{
	struct fifo_lock *lock = l;
	struct fifo_waiter *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = list_empty(&lock->wait_list) ? NULL : list_first_entry(&lock->wait_list, struct fifo_waiter, list);
	if (next) {
		list_del(&next->list);
		wake_q_add(&wake_q, next->task);
	}
	smp_store_release(&lock->owner, next ? next->task : NULL); /* 1 */
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q); /* 2 */
}

static void fifo_init(void *l, const uint64_t *params)
{
	struct fifo_lock *lock = l;

	raw_spin_lock_init(&lock->lock);
	INIT_LIST_HEAD(&lock->wait_list);
}

static void fifo_view(const void *l, struct lock_view *view)
{
	const struct fifo_lock *lock = l;
	const struct fifo_waiter *waiter;

	if (lock->owner)
		lock_view_owner(view, lock->owner, LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
}

static const char *fifo_broken(const void *l)
{
	const struct fifo_lock *lock = l;

	if (!lock->lock.owner && !lock->owner && lock->wait_list.next != &lock->wait_list)
		return "tasks are queued on a free lock";
	return NULL;
}

LOCK_MODEL(fifo) = {
	.abi = LOCK_MODEL_ABI,
	.name = "fifo",
	.mirrors = "the textbook monitor with direct hand-over",
	.summary = "sleeping lock, strict FIFO, ownership handed over before the wake-up",
	.caps = LOCK_CAP_TRY | LOCK_CAP_FIFO,
	.size = sizeof(struct fifo_lock),
	.init = fifo_init,
	.lock = fifo_lock,
	.unlock = fifo_unlock,
	.view = fifo_view,
	.broken = fifo_broken,
};
