// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's qrwlock.c, with the generic qrwlock.h in front of it, as a lock; waiters queue in the tree's qspinlock. */
#include <asm-generic/qspinlock.h>
#define arch_spin_lock(spin) queued_spin_lock(spin)
#define arch_spin_unlock(spin) queued_spin_unlock(spin)
#define arch_spin_is_locked(spin) queued_spin_is_locked(spin)
#include <asm-generic/qrwlock.h>
#include TREE_FILE(qrwlock.c)

#include "models/kernel/glue.h"

struct qrwlock_lock {
	struct qrwlock rw; /* first */
	struct kw_holders holders;
};

static void qrwlock_model_init(void *l, const uint64_t *params)
{
	atomic_set(&((struct qrwlock_lock *)l)->rw.cnts, 0);
}

static bool qrwlock_take(struct qrwlock *rw, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return req->mode == LOCK_SHARED ? queued_read_trylock(rw) : queued_write_trylock(rw);
	if (req->mode == LOCK_SHARED)
		queued_read_lock(rw);
	else
		queued_write_lock(rw);
	return true;
}

static int qrwlock_model_lock(void *l, struct lock_req *req)
{
	struct qrwlock_lock *lock = l;

	preempt_disable();
	if (!qrwlock_take(&lock->rw, req)) {
		preempt_enable();
		return -EBUSY;
	}
	kw_holders_add(&lock->holders, req->hold, req->mode);
	return 0;
}

static void qrwlock_model_unlock(void *l, struct lock_req *req)
{
	struct qrwlock_lock *lock = l;

	kw_holders_del(&lock->holders, req->hold);
	if (req->mode == LOCK_SHARED)
		queued_read_unlock(&lock->rw);
	else
		queued_write_unlock(&lock->rw);
	preempt_enable();
}

static void qrwlock_model_view(const void *l, struct lock_view *view)
{
	const struct qrwlock_lock *lock = l;

	kw_holders_view(&lock->holders, view);
	view->word = (uint32_t)lock->rw.cnts.counter;
	view->no_queue = true;
}

KERNEL_MODEL(qrwlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("qrwlock"),
	.mirrors = MIRRORS("qrwlock.c"),
	.summary = "the tree's own queued reader-writer spinlock",
	.twin = "qrwlock",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_SHARED,
	.size = sizeof(struct qrwlock_lock),
	.hold_size = sizeof(struct kw_hold),
	.events = kw_plugin_events,
	.init = qrwlock_model_init,
	.lock = qrwlock_model_lock,
	.unlock = qrwlock_model_unlock,
	.view = qrwlock_model_view,
};
