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
 * Deviations: a trylock, which the kernel does not have; preemption is off, as by its users.
 *
 * Lock:    1. exchange the tail   2. link behind prev   3. spin on one's own node
 * Unlock:  1. no next: swap the tail back to NULL   2. else wait for next   3. its locked := 1
 */
#include "models/mcs.h"

static void mcs_spin_lock(struct mcs_lock *lock, struct mcs_hold *hold)
{
	struct mcs_spinlock *node = &hold->node, *prev;

	node->locked = 0;
	node->next = NULL;
	prev = xchg(&lock->tail, node);
	hold->seen.prev = prev;
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

void mcs_model_init(void *l, const uint64_t *params)
{
	struct mcs_lock *lock = l;

	WRITE_ONCE(lock->tail, NULL);
}

int mcs_model_lock(void *l, struct lock_req *req)
{
	struct mcs_lock *lock = l;
	struct mcs_hold *hold = req->hold;

	preempt_disable();
	mcs_seen_init(&hold->seen, &hold->node);
	if (!(req->how & LOCK_TRY)) {
		mcs_spin_lock(lock, hold);
		return 0;
	}
	if (!READ_ONCE(lock->tail) && !cmpxchg_acquire(&lock->tail, NULL, &hold->node)) {
		hold->seen.prev = NULL;
		return 0;
	}
	preempt_enable();
	return -EBUSY;
}

static void mcs_unlock(void *l, struct lock_req *req)
{
	struct mcs_hold *hold = req->hold;

	mcs_spin_unlock(l, &hold->node);
	preempt_enable();
}

/* Does it stand at the head? Whoever was handed the lock may have a prev that queues again by now. */
static bool mcs_is_head(const struct mcs_spinlock *node, const struct mcs_seen *seen)
{
	return node->locked || !seen->prev;
}

static const struct mcs_spinlock *mcs_before(const struct mcs_spinlock *node, const struct mcs_seen *seen)
{
	return mcs_is_head(node, seen) || seen->prev == node ? NULL : seen->prev;
}

void mcs_view_queue(struct lock_view *view, const struct mcs_spinlock *tail, bool head_waits, mcs_seen_fn seen)
{
	const struct mcs_spinlock *node;
	unsigned n = 0, first = view->nwaiters;

	for (node = tail; node && (head_waits || !mcs_is_head(node, seen(node))); node = mcs_before(node, seen(node)))
		n++;
	view->nwaiters += n;
	for (node = tail; n > 0; node = mcs_before(node, seen(node)))
		if (first + --n < view->waiters_room)
			view->waiters[first + n] = (struct lock_view_task){ seen(node)->task, LOCK_EXCLUSIVE };
}

static const struct mcs_seen *mcs_hold_seen(const struct mcs_spinlock *node)
{
	return &container_of(node, const struct mcs_hold, node)->seen;
}

void mcs_model_view(const void *l, struct lock_view *view)
{
	const struct mcs_lock *lock = l;

	mcs_view_queue(view, lock->tail, false, mcs_hold_seen);
	view->word = lock->tail != NULL; /* an address means nothing to a reader */
}

LOCK_MODEL(mcs) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mcs",
	.mirrors = "Linux 6.1.192 kernel/locking/mcs_spinlock.h",
	.summary = "queue spinlock: strict FIFO, every waiter on its own cache line",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_FIFO,
	.size = sizeof(struct mcs_lock),
	.hold_size = sizeof(struct mcs_hold),
	.init = mcs_model_init,
	.lock = mcs_model_lock,
	.unlock = mcs_unlock,
	.view = mcs_model_view,
};
