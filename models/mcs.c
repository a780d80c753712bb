// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The MCS lock: a queue of waiters, each spinning on its own cache line.
 *
 *     tail ──────────────────────┐
 *     holder's node ─next─> node ─next─> node (polls its own ->locked)
 *
 * The word is the tail pointer; NULL is free. FIFO by the order of the exchanges on
 * the tail. A hand-over writes exactly one foreign line. Between its exchange and its
 * link a waiter is not yet visible to the holder, whose unlock waits for it.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/mcs_spinlock.h; Mellor-Crummey and Scott 1991
 *
 * Lock:    1. exchange the tail   2. link behind prev   3. spin on one's own node
 * Unlock:  1. no next: swap the tail back to NULL   2. else wait for next   3. its locked := 1
 */
#include "models/mcs.h"

#include "sim/model.h"

struct mcs_lock {
	struct mcs_spinlock *tail;
};

static void mcs_spin_lock(struct mcs_lock *lock, struct mcs_spinlock *node)
{
	struct mcs_spinlock *prev;

	node->locked = 0;
	node->next = NULL;
	prev = xchg(&lock->tail, node);
	if (!prev)
		return;
	trace_contention_begin(lock, LCB_F_SPIN);
	model_step("mcs-link");
	WRITE_ONCE(prev->next, node);
	smp_cond_load_acquire(&node->locked, VAL);
	trace_contention_end(lock, 0);
}

static void mcs_spin_unlock(struct mcs_lock *lock, struct mcs_spinlock *node)
{
	struct mcs_spinlock *next = READ_ONCE(node->next);

	if (!next) {
		if (cmpxchg_release(&lock->tail, node, NULL) == node)
			return;
		next = smp_cond_load_relaxed(&node->next, VAL != NULL);
	}
	smp_store_release(&next->locked, 1);
}

/* --------------------------------------------------------------------------------------- */

static void mcs_init(void *l, const uint64_t *params)
{
	struct mcs_lock *lock = l;

	WRITE_ONCE(lock->tail, NULL);
}

static int mcs_lock(void *l, struct lock_req *req)
{
	struct mcs_lock *lock = l;
	struct mcs_spinlock *node = req->hold;

	preempt_disable();
	if (!(req->how & LOCK_TRY)) {
		mcs_spin_lock(lock, node);
		return 0;
	}
	if (!READ_ONCE(lock->tail) && !cmpxchg_acquire(&lock->tail, NULL, node))
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void mcs_unlock(void *l, struct lock_req *req)
{
	mcs_spin_unlock(l, req->hold);
	preempt_enable();
}

static void mcs_view(const void *l, struct lock_view *view)
{
	const struct mcs_lock *lock = l;

	view->word = lock->tail != NULL; /* an address means nothing to a reader */
}

LOCK_MODEL(mcs) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mcs",
	.mirrors = "Linux 6.1.192 kernel/locking/mcs_spinlock.h",
	.summary = "queue spinlock: strict FIFO, every waiter on its own cache line",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_FIFO,
	.size = sizeof(struct mcs_lock),
	.hold_size = sizeof(struct mcs_spinlock),
	.init = mcs_init,
	.lock = mcs_lock,
	.unlock = mcs_unlock,
	.view = mcs_view,
};
