// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's osq_lock.c: part of its mutex and rwsem, and a lock of its own; -EBUSY when the waiter had to leave. */
#include TREE_FILE(osq_lock.c)

#include "models/kernel/glue.h"

static void osq_model_init(void *l, const uint64_t *params)
{
	osq_lock_init(l);
}

/* The kernel has no such thing: what osq_lock() does when nobody is there. */
static bool osq_try(struct optimistic_spin_queue *lock)
{
	struct optimistic_spin_node *node = this_cpu_ptr(&osq_node);
	int me = encode_cpu(smp_processor_id());

	node->next = NULL;
	node->cpu = me;
	return atomic_cmpxchg_acquire(&lock->tail, OSQ_UNLOCKED_VAL, me) == OSQ_UNLOCKED_VAL;
}

static int osq_model_lock(void *l, struct lock_req *req)
{
	preempt_disable();
	if (req->how & LOCK_TRY ? osq_try(l) : osq_lock(l))
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void osq_model_unlock(void *l, struct lock_req *req)
{
	osq_unlock(l);
	preempt_enable();
}

static void osq_model_view(const void *l, struct lock_view *view)
{
	view->word = (uint64_t)((const struct optimistic_spin_queue *)l)->tail.counter;
	view->no_queue = true;
}

KERNEL_MODEL(osq) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("osq"),
	.mirrors = MIRRORS("osq_lock.c"),
	.summary = "the tree's own queue of optimistic spinners; -EBUSY when a waiter had to leave it",
	.twin = "osq",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct optimistic_spin_queue),
	.events = kw_plugin_events,
	.init = osq_model_init,
	.lock = osq_model_lock,
	.unlock = osq_model_unlock,
	.view = osq_model_view,
};
