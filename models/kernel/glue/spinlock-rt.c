// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's spinlock_rt.c: spinlock_t and rwlock_t of PREEMPT_RT, which sleep, keep the task's state and (the first) inherit. */
#include TREE_FILE(spinlock_rt.c)

#include "models/kernel/glue.h"
#include "models/kernel/glue/rtmutex_view.h"

static void spinlock_lock_init(void *l, const uint64_t *params)
{
	rt_mutex_base_init(&((spinlock_t *)l)->lock);
}

static int spinlock_lock_lock(void *l, struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return rt_spin_trylock(l) ? 0 : -EBUSY;
	rt_spin_lock(l);
	return 0;
}

static void spinlock_lock_unlock(void *l, struct lock_req *req)
{
	rt_spin_unlock(l);
}

static void spinlock_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_adjust_pi(p);
}

static void spinlock_lock_view(const void *l, struct lock_view *view)
{
	rtmutex_view_base(&((const spinlock_t *)l)->lock, view);
}

static const char *spinlock_lock_broken(const void *l)
{
	return rtmutex_broken_base(&((const spinlock_t *)l)->lock);
}

KERNEL_MODEL(spinlock_rt) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("spinlock"),
	.mirrors = MIRRORS("spinlock_rt.c"),
	.summary = "the tree's own spinlock_t of PREEMPT_RT: sleeps and inherits",
	.twin = "rtspinlock",
	.caps = LOCK_CAP_TRY | LOCK_CAP_PI | LOCK_CAP_STORES,
	.size = sizeof(spinlock_t),
	.events = kw_plugin_events,
	.init = spinlock_lock_init,
	.lock = spinlock_lock_lock,
	.unlock = spinlock_lock_unlock,
	.prio_changed = spinlock_prio_changed,
	.view = spinlock_lock_view,
	.broken = spinlock_lock_broken,
};

/* -- rwlock_t -------------------------------------------------------------------------------- */

struct rwlock_lock {
	rwlock_t rw; /* first */
	struct kw_holders holders;
};

static void rwlock_lock_init(void *l, const uint64_t *params)
{
	init_rwbase_rt(&((struct rwlock_lock *)l)->rw.rwbase);
}

static int rwlock_lock_lock(void *l, struct lock_req *req)
{
	struct rwlock_lock *lock = l;
	bool shared = req->mode == LOCK_SHARED;

	if (req->how & LOCK_TRY) {
		if (!(shared ? rt_read_trylock(&lock->rw) : rt_write_trylock(&lock->rw)))
			return -EBUSY;
	} else if (shared) {
		rt_read_lock(&lock->rw);
	} else {
		rt_write_lock(&lock->rw);
	}
	kw_holders_add(&lock->holders, req->hold, req->mode);
	return 0;
}

static void rwlock_lock_unlock(void *l, struct lock_req *req)
{
	struct rwlock_lock *lock = l;

	kw_holders_del(&lock->holders, req->hold);
	if (req->mode == LOCK_SHARED)
		rt_read_unlock(&lock->rw);
	else
		rt_write_unlock(&lock->rw);
}

static void rwlock_lock_view(const void *l, struct lock_view *view)
{
	const struct rwlock_lock *lock = l;

	kw_holders_view(&lock->holders, view);
	rtmutex_view_rwbase(&lock->rw.rwbase, view);
}

static const char *rwlock_lock_broken(const void *l)
{
	const struct rwlock_lock *lock = l;

	return rtmutex_broken_rwbase(&lock->rw.rwbase, &lock->holders);
}

KERNEL_MODEL(rwlock_rt) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("rwlock"),
	.mirrors = MIRRORS("spinlock_rt.c"),
	.summary = "the tree's own rwlock_t of PREEMPT_RT: sleeps",
	.twin = RWLOCK_TWIN,
	.caps = LOCK_CAP_TRY | LOCK_CAP_SHARED | LOCK_CAP_STORES,
	.size = sizeof(struct rwlock_lock),
	.hold_size = sizeof(struct kw_hold),
	.events = kw_plugin_events,
	.init = rwlock_lock_init,
	.lock = rwlock_lock_lock,
	.unlock = rwlock_lock_unlock,
	.prio_changed = spinlock_prio_changed,
	.view = rwlock_lock_view,
	.broken = rwlock_lock_broken,
};
