// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's qspinlock.c, with the generic qspinlock.h in front of it, as a lock. */
#include TREE_FILE(qspinlock.c)

#include "models/kernel/glue.h"

static void qspinlock_model_init(void *l, const uint64_t *params)
{
	atomic_set(&((struct qspinlock *)l)->val, 0);
}

static int qspinlock_model_lock(void *l, struct lock_req *req)
{
	preempt_disable();
	if (!(req->how & LOCK_TRY)) {
		queued_spin_lock(l);
		return 0;
	}
	if (queued_spin_trylock(l))
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void qspinlock_model_unlock(void *l, struct lock_req *req)
{
	queued_spin_unlock(l);
	preempt_enable();
}

static void qspinlock_model_view(const void *l, struct lock_view *view)
{
	view->word = (uint32_t)((const struct qspinlock *)l)->val.counter;
	view->no_queue = true;
}

KERNEL_MODEL(qspinlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("qspinlock"),
	.mirrors = MIRRORS("qspinlock.c"),
	.summary = "the tree's own queued spinlock",
	.twin = "qspinlock",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_RAW | LOCK_CAP_FIFO,
	.size = sizeof(struct qspinlock),
	.events = kw_plugin_events,
	.init = qspinlock_model_init,
	.lock = qspinlock_model_lock,
	.unlock = qspinlock_model_unlock,
	.view = qspinlock_model_view,
};
