/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qrwlock: the queued reader-writer spinlock.
 *
 *   cnts   0…7 _QW_LOCKED a writer owns   8 _QW_WAITING a writer is next   9… readers
 *   wait_lock: a fair spinlock, the queue; its holder is the one who waits at the head
 *
 * Uncontended it is one atomic operation. Whoever fails takes itself out of the word and
 * queues on wait_lock, readers and writers in one FIFO; only the head watches the word. A
 * writer at the head waits for the readers to leave and marks itself as waiting, so that
 * no new ones get in; a reader at the head waits for the writer, then lets the next one
 * to the head. An interrupt cannot queue (it might have interrupted the head): its readers
 * stay in the word and wait for a writer that owns the lock, not for one that waits.
 * Preemption is off from lock to unlock.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/qrwlock.c
 * Deviations: (1) wait_lock is what stands behind raw spinlocks, fair or not.
 *
 * Read:   1. add a reader; no writer: acquired   2. in an interrupt: wait for an owning
 *         writer   3. take it back, wait_lock   4. add it, wait for an owning writer   5. let go of wait_lock
 * Write:  1. 0 -> locked: acquired   2. wait_lock; the same once more   3. waiting; when
 *         nobody is left, locked   4. let go of wait_lock
 */
#include "models/holders.h"

#define _QW_WAITING 0x100
#define _QW_LOCKED 0x0ff
#define _QW_WMASK 0x1ff
#define _QR_BIAS 0x200

struct qrwlock {
	union {
		atomic_t cnts;
		u8 wlocked;
	};
	raw_spinlock_t wait_lock;

	/* the simulator's side */
	struct list_head holders;
};

#define QRWLOCK_EVENTS(X)                                                                                    \
	X(qrw_read_slow)      /* readers that queued */                                                      \
	X(qrw_read_irq)	      /* readers in interrupts that found a writer owning or waiting */              \
	X(qrw_write_slow)     /* writers that queued */                                                      \
	X(qrw_write_waiting)  /* writers that waited at the head */                                          \
	X(qrw_write_lost)     /* writers at the head that saw a free lock and lost it to a newcomer */
LOCKEVENTS(QRWLOCK_EVENTS)

/* The writer that owns the lock leaves; one that only waits does not matter. */
static void wait_for_writer(struct qrwlock *lock)
{
	atomic_cond_read_acquire(&lock->cnts, !(VAL & _QW_LOCKED));
}

static void queued_read_lock_slowpath(struct qrwlock *lock)
{
	/* 2 */
	if (in_interrupt()) {
		lockevent_inc(qrw_read_irq);
		trace_contention_begin(lock, LCB_F_SPIN | LCB_F_READ);
		wait_for_writer(lock);
		trace_contention_end(lock, 0);
		return;
	}
	/* 3 */
	atomic_sub(_QR_BIAS, &lock->cnts);
	lockevent_inc(qrw_read_slow);
	trace_contention_begin(lock, LCB_F_SPIN | LCB_F_READ);
	raw_spin_lock(&lock->wait_lock);
	/* 4 */
	atomic_add(_QR_BIAS, &lock->cnts);
	wait_for_writer(lock);
	/* 5 */
	raw_spin_unlock(&lock->wait_lock);
	trace_contention_end(lock, 0);
}

static void read_lock(struct qrwlock *lock)
{
	/* 1 */
	if (atomic_add_return_acquire(_QR_BIAS, &lock->cnts) & _QW_WMASK)
		queued_read_lock_slowpath(lock);
}

static bool read_trylock(struct qrwlock *lock)
{
	if (atomic_read(&lock->cnts) & _QW_WMASK)
		return false;
	if (!(atomic_add_return_acquire(_QR_BIAS, &lock->cnts) & _QW_WMASK))
		return true;
	atomic_sub(_QR_BIAS, &lock->cnts);
	return false;
}

static bool try_locked(struct qrwlock *lock, int from)
{
	return atomic_cmpxchg_acquire(&lock->cnts, from, _QW_LOCKED) == from;
}

static void queued_write_lock_slowpath(struct qrwlock *lock)
{
	/* 2 */
	lockevent_inc(qrw_write_slow);
	trace_contention_begin(lock, LCB_F_SPIN | LCB_F_WRITE);
	model_step("qrw_write_slow");
	raw_spin_lock(&lock->wait_lock);
	if (!atomic_read(&lock->cnts)) {
		model_step("qrw_write_free");
		if (try_locked(lock, 0))
			goto unlock;
		lockevent_inc(qrw_write_lost);
	}
	/* 3 */
	lockevent_inc(qrw_write_waiting);
	atomic_or(_QW_WAITING, &lock->cnts);
	do {
		atomic_cond_read_relaxed(&lock->cnts, VAL == _QW_WAITING);
	} while (!try_locked(lock, _QW_WAITING));
unlock:
	/* 4 */
	raw_spin_unlock(&lock->wait_lock);
	trace_contention_end(lock, 0);
}

static void write_lock(struct qrwlock *lock)
{
	/* 1 */
	if (!try_locked(lock, 0))
		queued_write_lock_slowpath(lock);
}

static bool write_trylock(struct qrwlock *lock)
{
	return !atomic_read(&lock->cnts) && try_locked(lock, 0);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void qrwlock_init(void *l, const uint64_t *values)
{
	struct qrwlock *lock = l;

	raw_spin_lock_init(&lock->wait_lock);
	holders_init(&lock->holders);
}

static int qrwlock_lock(void *l, struct lock_req *req)
{
	struct qrwlock *lock = l;
	bool taken = true;

	preempt_disable();
	if (req->how & LOCK_TRY)
		taken = req->mode == LOCK_SHARED ? read_trylock(lock) : write_trylock(lock);
	else if (req->mode == LOCK_SHARED)
		read_lock(lock);
	else
		write_lock(lock);
	if (!taken) {
		preempt_enable();
		return -EBUSY;
	}
	holders_add(&lock->holders, req->hold, req->mode);
	return 0;
}

static void qrwlock_unlock(void *l, struct lock_req *req)
{
	struct qrwlock *lock = l;
	struct holder *h = req->hold;

	holders_del(h);
	if (h->mode == LOCK_SHARED)
		atomic_sub_return_release(_QR_BIAS, &lock->cnts);
	else
		smp_store_release(&lock->wlocked, 0);
	preempt_enable();
}

static void qrwlock_view(const void *l, struct lock_view *view)
{
	const struct qrwlock *lock = l;

	holders_view(&lock->holders, view);
	view->word = (uint32_t)lock->cnts.counter;
	if ((view->word & _QW_WMASK) >= _QW_WAITING)
		strcpy(view->flags, "WAITING");
}

static const char *qrwlock_broken(const void *l)
{
	const struct qrwlock *lock = l;
	unsigned int cnts = (unsigned int)lock->cnts.counter;
	const char *broken = holders_broken(&lock->holders);

	if (broken)
		return broken;
	if (holders_count(&lock->holders, LOCK_EXCLUSIVE) && !(cnts & _QW_LOCKED))
		return "a writer owns the lock but the word does not say so";
	if (holders_count(&lock->holders, LOCK_SHARED) > cnts / _QR_BIAS)
		return "more readers than the word knows";
	if ((cnts & _QW_WAITING) && !lock->wait_lock.owner)
		return "a writer waits but is not at the head of the queue";
	return NULL;
}

LOCK_MODEL(qrwlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = "qrwlock",
	.mirrors = "Linux 6.1.192 kernel/locking/qrwlock.c",
	.summary = "queued reader-writer spinlock: one FIFO of readers and writers",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct qrwlock),
	.hold_size = sizeof(struct holder),
	.events = lockevent_names,
	.init = qrwlock_init,
	.lock = qrwlock_lock,
	.unlock = qrwlock_unlock,
	.view = qrwlock_view,
	.broken = qrwlock_broken,
};
