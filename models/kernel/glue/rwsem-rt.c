// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's rwsem.c under PREEMPT_RT: an rwbase over an rt_mutex. Readers do not inherit, writers boost one owner. */
#include TREE_FILE(rwsem.c)

#include "models/kernel/glue.h"
#include "models/kernel/glue/rtmutex_view.h"

struct rwsem_lock {
	struct rw_semaphore sem; /* first */
	struct kw_holders holders;
};

static void rwsem_lock_init(void *l, const uint64_t *params)
{
	init_rwbase_rt(&((struct rwsem_lock *)l)->sem.rwbase);
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

static int rwsem_lock_write(struct rw_semaphore *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return down_write_trylock(sem) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		return down_write_killable(sem);
	if (req->how & LOCK_INTERRUPTIBLE) {
		might_sleep();
		kw_lock_note(KW_NOTE_ACQUIRE);
		return rwbase_write_lock(&sem->rwbase, TASK_INTERRUPTIBLE);
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
	const struct rwsem_lock *lock = l;

	kw_holders_view(&lock->holders, view);
	rtmutex_view_rwbase(&lock->sem.rwbase, view);
}

static const char *rwsem_lock_broken(const void *l)
{
	const struct rwsem_lock *lock = l;

	return rtmutex_broken_rwbase(&lock->sem.rwbase, &lock->holders);
}

static void rwsem_lock_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_adjust_pi(p);
}

KERNEL_MODEL(rwsem_rt) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("rwsem"),
	.mirrors = MIRRORS("rwbase_rt.c"),
	.summary = "the tree's own reader-writer semaphore of PREEMPT_RT",
	.twin = RWSEM_TWIN,
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE | LOCK_CAP_STORES,
	.size = sizeof(struct rwsem_lock),
	.hold_size = sizeof(struct kw_hold),
	.events = kw_plugin_events,
	.init = rwsem_lock_init,
	.lock = rwsem_lock_lock,
	.unlock = rwsem_lock_unlock,
	.downgrade = rwsem_lock_downgrade,
	.prio_changed = rwsem_lock_prio_changed,
	.view = rwsem_lock_view,
	.broken = rwsem_lock_broken,
};
