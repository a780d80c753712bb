// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's rwsem.c as a lock; without PREEMPT_RT. */
#ifdef TREE_RWSEM_OWNER_ON_CPU
#define owner_on_cpu tree_owner_on_cpu /* it has its own */
#endif
#include TREE_FILE(rwsem.c)

#include "models/kernel/glue.h"

#ifdef TREE_RWSEM_FIRST_WAITER
#define kw_for_each_waiter kw_for_each_ring
#define kw_has_waiters(lock) ((lock)->first_waiter != NULL)
#else
#define kw_for_each_waiter kw_for_each_headed
#define kw_has_waiters(lock) ((lock)->wait_list.next != &(lock)->wait_list)
#endif

struct rwsem_lock {
	struct rw_semaphore sem; /* first: the lock's address is the semaphore's */
	struct kw_holders holders;
};

static void rwsem_lock_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;

	__init_rwsem(&((struct rwsem_lock *)l)->sem, "rwsem", &key);
}

static int rwsem_lock_read(struct rw_semaphore *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return down_read_trylock(sem) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		return down_read_killable(sem);
	if (req->how & LOCK_INTERRUPTIBLE)
		return down_read_interruptible(sem);
	down_read(sem);
	return 0;
}

#ifndef TREE_RWSEM_WRITES_BY_STATE
static int __down_write_common(struct rw_semaphore *sem, int state)
{
	return __down_write_trylock(sem) || !IS_ERR(rwsem_down_write_slowpath(sem, state)) ? 0 : -EINTR;
}
#endif

/* The kernel has no interruptible write; a killable one is what comes next. */
static int rwsem_lock_write(struct rw_semaphore *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return down_write_trylock(sem) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		return down_write_killable(sem);
	if (req->how & LOCK_INTERRUPTIBLE) {
		might_sleep();
		kw_lock_note(KW_NOTE_ACQUIRE);
		return __down_write_common(sem, TASK_INTERRUPTIBLE);
	}
	down_write(sem);
	return 0;
}

static int rwsem_lock_lock(void *l, struct lock_req *req)
{
	struct rwsem_lock *lock = l;
	int ret = req->mode == LOCK_SHARED ? rwsem_lock_read(&lock->sem, req) : rwsem_lock_write(&lock->sem, req);

	if (!ret)
		kw_holders_add(&lock->holders, req->hold, req->mode);
	return ret;
}

static void rwsem_lock_unlock(void *l, struct lock_req *req)
{
	struct rwsem_lock *lock = l;
	enum lock_mode mode = ((struct kw_hold *)req->hold)->mode;

	kw_holders_del(&lock->holders, req->hold);
	if (mode == LOCK_SHARED)
		up_read(&lock->sem);
	else
		up_write(&lock->sem);
}

static void rwsem_lock_downgrade(void *l, struct lock_req *req)
{
	struct rwsem_lock *lock = l;

	kw_holders_del(&lock->holders, req->hold);
	downgrade_write(&lock->sem);
	kw_holders_add(&lock->holders, req->hold, LOCK_SHARED);
}

static void rwsem_lock_view(const void *l, struct lock_view *view)
{
	static const char *const flags[] = { "WRITER", "WAITERS", "HANDOFF", NULL };
	const struct rwsem_lock *lock = l;
	const struct rwsem_waiter *waiter;
	unsigned long count = (unsigned long)lock->sem.count.counter;

	kw_holders_view(&lock->holders, view);
	kw_for_each_waiter(waiter, &lock->sem)
		lock_view_waiter(view, waiter->task,
				 waiter->type == RWSEM_WAITING_FOR_READ ? LOCK_SHARED : LOCK_EXCLUSIVE);
	view->word = count;
	kw_flags(view->flags, sizeof(view->flags), count, flags);
}

/* What must hold of the count whenever nobody is in the middle of changing it. */
static const char *rwsem_lock_broken(const void *l)
{
	const struct rwsem_lock *lock = l;
	long count = lock->sem.count.counter, readers = 0, writers = 0;
	bool waiters = kw_has_waiters(&lock->sem);

	for (const struct kw_hold *hold = lock->holders.first; hold; hold = hold->next) {
		readers += hold->mode == LOCK_SHARED;
		writers += hold->mode == LOCK_EXCLUSIVE;
	}
	if (writers > 1 || (writers && readers))
		return "a writer is not alone";
	if (writers && !(count & RWSEM_WRITER_LOCKED))
		return "a writer owns the lock but its bit is clear";
	if (readers > count >> RWSEM_READER_SHIFT)
		return "more readers than the count knows";
	if (lock->sem.wait_lock.owner)
		return NULL;
	if (waiters != !!(count & RWSEM_FLAG_WAITERS))
		return "WAITERS does not say whether somebody waits";
	return NULL;
}

#ifdef TREE_RWSEM_PROMISES /* since 5.16; before, a late writer that was beaten to a free lock did not ask */
static sim_time rwsem_lock_patience(const void *l)
{
	return (RWSEM_WAIT_TIMEOUT + 2) * (SIM_S / HZ); /* from a jiffy to the first one after it */
}
#else
#define rwsem_lock_patience NULL
#endif

KERNEL_MODEL(rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("rwsem"),
	.mirrors = MIRRORS("rwsem.c"),
	.summary = "the tree's own reader-writer semaphore",
#ifdef TREE_RWSEM_PROMISES
	.twin = "rwsem",
#else
	.twin = "rwsem-5.4",
#endif
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.size = sizeof(struct rwsem_lock),
	.hold_size = sizeof(struct kw_hold),
	.events = kw_plugin_events,
	.init = rwsem_lock_init,
	.lock = rwsem_lock_lock,
	.unlock = rwsem_lock_unlock,
	.downgrade = rwsem_lock_downgrade,
	.view = rwsem_lock_view,
	.broken = rwsem_lock_broken,
	.patience = rwsem_lock_patience,
};
