// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A deliberately wrong MCS lock, beside those of busted.c: unlock() hands over to the second
 * waiter and puts the first one behind it. It must be found as a broken FIFO promise, by what
 * view() lists: spinners sleep nowhere.
 */
#include "models/mcs.h"

static struct mcs_seen *seen_of(struct mcs_spinlock *node)
{
	return &container_of(node, struct mcs_hold, node)->seen;
}

/* Exchanges the first waiter and the second; returns who is first now. */
static struct mcs_spinlock *swap_first(struct mcs_lock *lock, struct mcs_spinlock *first)
{
	struct mcs_spinlock *second = READ_ONCE(first->next), *third;

	if (!second)
		return first;
	WRITE_ONCE(first->next, NULL);
	third = READ_ONCE(second->next);
	if (!third && cmpxchg(&lock->tail, second, first) != second)
		third = smp_cond_load_relaxed(&second->next, VAL != NULL);
	seen_of(first)->prev = second;
	if (third) {
		seen_of(third)->prev = first;
		WRITE_ONCE(first->next, third);
	}
	WRITE_ONCE(second->next, first);
	return second;
}

static void busted_mcs_unlock(void *l, struct lock_req *req)
{
	struct mcs_spinlock *node = &((struct mcs_hold *)req->hold)->node, *next = READ_ONCE(node->next);
	struct mcs_lock *lock = l;

	if (!next && cmpxchg_release(&lock->tail, node, NULL) == node) {
		preempt_enable();
		return;
	}
	if (!next)
		next = smp_cond_load_relaxed(&node->next, VAL != NULL);
	next = swap_first(lock, next); /* the mistake */
	smp_store_release(&next->locked, 1);
	preempt_enable();
}

LOCK_MODEL(busted_mcs) = {
	.abi = LOCK_MODEL_ABI,
	.name = "busted-mcs",
	.mirrors = "nothing: deliberately wrong",
	.summary = "wrong: a queue spinlock that promises FIFO and serves the second first",
	.caps = LOCK_CAP_BUSTED | LOCK_CAP_SPIN | LOCK_CAP_FIFO,
	.size = sizeof(struct mcs_lock),
	.hold_size = sizeof(struct mcs_hold),
	.init = mcs_model_init,
	.lock = mcs_model_lock,
	.unlock = busted_mcs_unlock,
	.view = mcs_model_view,
};
