/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-3.12: the rwsem whose writers steal; rwsem-3.12-wakeup: the same with the flag that
 * keeps wakers from queueing for wait_lock.
 *
 * One word that readers and writers add themselves to (rwsem_xadd.h). Readers that find
 * the word negative queue, and are granted the lock in runs: from the head of the queue to
 * the next writer. A writer owns the lock if nobody was active, whether or not somebody
 * is queued, so a running writer passes the queue; queued writers are only woken, and
 * whichever of them, at the head or not, finds the word at "free, queued" first takes it.
 * Readers never steal, nobody spins, nothing bounds anybody's wait.
 *
 * A writer on its way to the queue still counts as active: until it has wait_lock nobody
 * can steal, and those who unlock believe that it will see to the queue.
 *
 * Mirrors: Linux 3.12 lib/rwsem.c, x86 fast paths; -wakeup: patch 9/9 of "rwsem performance
 * optimizations" v8 (2 October 2013), not merged in that form.
 * Deviations:
 *  1. The word has 32 bits (64 on x86-64; both halves are wider there, nothing else).
 *  2. No debug checks, no nested variants.
 *  3. -wakeup, as the original, clears the flag after it has woken a writer. If the waker
 *     is delayed exactly there, the woken writer may find the lock stolen and sleep again,
 *     and the thief's release see the flag: then the lock is free and the queue asleep
 *     until the next locker. The window closes within a store; it is kept.
 */
#include "models/rwsem_xadd.h"

#define RWSEM_EVENTS(X) XADD_EVENTS(X) XADD_RACE_EVENTS(X)
LOCKEVENTS(RWSEM_EVENTS)

#define WAKEUP_EVENTS(X) RWSEM_EVENTS(X) XADD_FLAG_EVENTS(X)
static const char *const wakeup_event_names[] = { WAKEUP_EVENTS(kw_lockevent_name) NULL };

/* Step 4. @count: the word as last seen. */
static bool try_write_lock(struct xadd_rwsem *sem, struct xadd_waiter *waiter, int count)
{
	int new = RWSEM_WRITE_BIAS;

	lockdep_assert_held(&sem->wait_lock);
	if (count & RWSEM_ACTIVE_MASK)
		return false;
	if (!list_is_singular(&sem->wait_list))
		new += RWSEM_WAITING_BIAS;
	if (atomic_read(&sem->count) != RWSEM_WAITING_BIAS ||
	    atomic_cmpxchg(&sem->count, RWSEM_WAITING_BIAS, new) != RWSEM_WAITING_BIAS)
		return false;
	lockevent_cond_inc(rwsem_wlock_steal, !list_is_first(&waiter->list, &sem->wait_list));
	return true;
}

/*
 * 1 wait_lock, the failed attempt still in the word; 2 queue, take it back; 3 behind others
 * on a lock that readers own: let in the readers at the head; 4 take it or sleep; 5 leave.
 */
static void down_write_slow(struct xadd_rwsem *sem)
{
	struct xadd_waiter waiter;
	int count, adjustment = -RWSEM_WRITE_BIAS;
	bool first;

	/* 1 */
	model_step("rwsem_down_write_failed");
	raw_spin_lock_irq(&sem->wait_lock);
	/* 2 */
	first = xadd_queue(sem, &waiter, LOCK_EXCLUSIVE);
	if (first)
		adjustment += RWSEM_WAITING_BIAS;
	count = atomic_add_return(adjustment, &sem->count);
	trace_contention_begin(sem, LCB_F_WRITE);
	/* 3 */
	if (count > RWSEM_WAITING_BIAS && !first)
		xadd_do_wake(sem, RWSEM_WAKE_READERS, NULL);
	/* 4 */
	set_current_state(TASK_UNINTERRUPTIBLE);
	while (!try_write_lock(sem, &waiter, count)) {
		xadd_sleep_writer(sem, TASK_UNINTERRUPTIBLE);
		count = RWSEM_WAITING_BIAS; /* nobody was active a moment ago */
	}
	__set_current_state(TASK_RUNNING);
	/* 5 */
	list_del(&waiter.list);
	raw_spin_unlock_irq(&sem->wait_lock);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
}

static bool down_write_fast(struct xadd_rwsem *sem)
{
	int count = xadd_down_write_begin(sem);

	if (count & RWSEM_ACTIVE_MASK)
		return false;
	lockevent_cond_inc(rwsem_wlock_steal, count);
	return true;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void rwsem_3_12_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .one_bias = true, .spin = SPIN_NEVER };

	xadd_init(l, &rules);
}

static void rwsem_3_12_wakeup_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .one_bias = true, .spin = SPIN_NEVER, .wake_flag = true };

	xadd_init(l, &rules);
}

static int rwsem_3_12_lock(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;

	if (req->how & LOCK_TRY) {
		if (!(req->mode == LOCK_SHARED ? xadd_down_read_trylock(sem) : xadd_down_write_trylock(sem)))
			return -EBUSY;
	} else if (req->mode == LOCK_SHARED) {
		if (!xadd_down_read_fast(sem))
			xadd_down_read_slow(sem, RWSEM_READ_BIAS, TASK_UNINTERRUPTIBLE);
	} else if (!down_write_fast(sem)) {
		down_write_slow(sem);
	}
	xadd_hold(sem, req);
	return 0;
}

static void rwsem_3_12_unlock(void *l, struct lock_req *req)
{
	if (xadd_up(l, xadd_unhold(req) == LOCK_SHARED ? RWSEM_READ_BIAS : RWSEM_WRITE_BIAS))
		xadd_wake(l);
}

static void rwsem_3_12_downgrade(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;

	xadd_unhold(req);
	if (atomic_add_return(-RWSEM_WAITING_BIAS, &sem->count) < 0)
		xadd_downgrade_wake(sem);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

#define RWSEM_3_12                                                                                           \
	.abi = LOCK_MODEL_ABI, .caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,                  \
	.size = sizeof(struct xadd_rwsem), .hold_size = sizeof(struct holder),                               \
	.lock = rwsem_3_12_lock, .unlock = rwsem_3_12_unlock, .downgrade = rwsem_3_12_downgrade,             \
	.view = xadd_view, .broken = xadd_broken

LOCK_MODEL(rwsem_3_12) = {
	RWSEM_3_12,
	.name = "rwsem-3.12",
	.mirrors = "Linux 3.12 lib/rwsem.c",
	.summary = "sleeping reader-writer lock: running writers steal, readers in runs, nobody spins",
	.events = lockevent_names,
	.init = rwsem_3_12_init,
};

LOCK_MODEL(rwsem_3_12_wakeup) = {
	RWSEM_3_12,
	.name = "rwsem-3.12-wakeup",
	.mirrors = "Linux 3.12 lib/rwsem.c, with v8 9/9 of October 2013",
	.summary = "rwsem-3.12 with one waker at a time",
	.events = wakeup_event_names,
	.init = rwsem_3_12_wakeup_init,
};
