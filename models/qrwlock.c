/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qrwlock: the queued reader-writer spinlock.
 *
 *   cnts   0…7 _QW_LOCKED a writer owns   8 _QW_WAITING a writer is next   9… readers
 *   wait_lock: a qspinlock, the queue; its holder is the one who waits at the head
 *
 * Uncontended it is one atomic operation. Whoever fails takes itself out of the word and
 * queues on wait_lock, readers and writers in one FIFO; only the head watches the word. A
 * writer at the head waits for the readers to leave and marks itself as waiting, so that
 * no new ones get in; a reader at the head waits for the writer, then lets the next one
 * to the head. An interrupt cannot queue (it might have interrupted the head): its readers
 * stay in the word and wait for a writer that owns the lock, not for one that waits.
 * Preemption is off from lock to unlock.
 *
 * qrwlock-3.16, the first form, keeps all that writers say in one byte (1 waiting, 0xff owning; readers from bit 8 on). A
 * reader at the head waits for any writer to leave before it adds itself, and again if one slipped in; a writer at the
 * head says that it waits only once no other writer is there.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/qrwlock.c, Linux 3.16
 * Deviations: (1) counters of its own beside those of the qspinlock; (2) the numbers of 3.16 are recollections.
 *
 * Read:   1. add a reader; no writer: acquired   2. in an interrupt: wait for an owning
 *         writer   3. take it back, wait_lock   4. add it, wait for an owning writer   5. let go of wait_lock
 * Write:  1. 0 -> locked: acquired   2. wait_lock; the same once more   3. waiting; when
 *         nobody is left, locked   4. let go of wait_lock
 */
#include "models/holders.h"
#include "models/qspinlock.h"

#define _QW_LOCKED 0x0ff

struct qrwlock_rules { /* by release */
	int waiting, writers, reader; /* a writer waits; any writer; one reader */
	bool first;		      /* who is at the head looks before it leaves a mark */
};

struct qrwlock {
	union {
		atomic_t cnts;
		u8 wlocked;
	};
	struct qspinlock wait_lock;

	/* the simulator's side */
	const struct qrwlock_rules *rules;
	struct list_head holders;
};

#define QRWLOCK_EVENTS(X)                                                                                    \
	X(qrw_read_slow)      /* readers that queued */                                                      \
	X(qrw_read_irq)	      /* readers in interrupts that found a writer owning or waiting */              \
	X(qrw_write_slow)     /* writers that queued */                                                      \
	X(qrw_write_waiting)  /* writers that waited at the head */                                          \
	X(qrw_write_lost)     /* writers at the head that saw a free lock and lost it to a newcomer */
#define ALL_EVENTS(X) QSPINLOCK_EVENTS(X) QRWLOCK_EVENTS(X)
LOCKEVENTS(ALL_EVENTS)

/* The writer that owns the lock leaves; one that only waits does not matter. */
static void wait_for_writer(struct qrwlock *lock)
{
	atomic_cond_read_acquire(&lock->cnts, (VAL & _QW_LOCKED) == lock->rules->waiting || !(VAL & _QW_LOCKED));
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
	atomic_sub(lock->rules->reader, &lock->cnts);
	lockevent_inc(qrw_read_slow);
	trace_contention_begin(lock, LCB_F_SPIN | LCB_F_READ);
	queued_spin_lock(&lock->wait_lock);
	/* 4 */
	if (lock->rules->first)
		atomic_cond_read_relaxed(&lock->cnts, !(VAL & lock->rules->writers));
	atomic_add(lock->rules->reader, &lock->cnts);
	wait_for_writer(lock);
	/* 5 */
	queued_spin_unlock(&lock->wait_lock);
	trace_contention_end(lock, 0);
}

static void read_lock(struct qrwlock *lock)
{
	/* 1 */
	if (atomic_add_return_acquire(lock->rules->reader, &lock->cnts) & lock->rules->writers)
		queued_read_lock_slowpath(lock);
}

static bool read_trylock(struct qrwlock *lock)
{
	if (atomic_read(&lock->cnts) & lock->rules->writers)
		return false;
	if (!(atomic_add_return_acquire(lock->rules->reader, &lock->cnts) & lock->rules->writers))
		return true;
	atomic_sub(lock->rules->reader, &lock->cnts);
	return false;
}

static bool try_locked(struct qrwlock *lock, int from)
{
	return atomic_cmpxchg_acquire(&lock->cnts, from, _QW_LOCKED) == from;
}

static void mark_waiting(struct qrwlock *lock)
{
	int cnts;

	if (!lock->rules->first) {
		atomic_or(lock->rules->waiting, &lock->cnts);
		return;
	}
	do {
		cnts = atomic_cond_read_relaxed(&lock->cnts, !(VAL & lock->rules->writers));
	} while (atomic_cmpxchg_acquire(&lock->cnts, cnts, cnts | lock->rules->waiting) != cnts);
}

static void queued_write_lock_slowpath(struct qrwlock *lock)
{
	/* 2 */
	lockevent_inc(qrw_write_slow);
	trace_contention_begin(lock, LCB_F_SPIN | LCB_F_WRITE);
	model_step("qrw_write_slow");
	queued_spin_lock(&lock->wait_lock);
	if (!atomic_read(&lock->cnts)) {
		model_step("qrw_write_free");
		if (try_locked(lock, 0))
			goto unlock;
		lockevent_inc(qrw_write_lost);
	}
	/* 3 */
	lockevent_inc(qrw_write_waiting);
	mark_waiting(lock);
	do {
		atomic_cond_read_relaxed(&lock->cnts, VAL == lock->rules->waiting);
	} while (!try_locked(lock, lock->rules->waiting));
unlock:
	/* 4 */
	queued_spin_unlock(&lock->wait_lock);
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

static void init(struct qrwlock *lock, const struct qrwlock_rules *rules)
{
	atomic_set(&lock->wait_lock.val, 0);
	holders_init(&lock->holders);
	lock->rules = rules;
}

static void qrwlock_init(void *l, const uint64_t *values)
{
	static const struct qrwlock_rules rules = { .waiting = 0x100, .writers = 0x1ff, .reader = 0x200 };

	init(l, &rules);
}

static void qrwlock_3_16_init(void *l, const uint64_t *values)
{
	static const struct qrwlock_rules rules = { .waiting = 0x1, .writers = 0xff, .reader = 0x100, .first = true };

	init(l, &rules);
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
		atomic_sub_return_release(lock->rules->reader, &lock->cnts);
	else
		smp_store_release(&lock->wlocked, 0);
	preempt_enable();
}

static bool writer_waits(const struct qrwlock *lock)
{
	const struct qrwlock_rules *rules = lock->rules;

	return rules->first ? (lock->cnts.counter & rules->writers) == rules->waiting : lock->cnts.counter & rules->waiting;
}

static void qrwlock_view(const void *l, struct lock_view *view)
{
	const struct qrwlock *lock = l;

	holders_view(&lock->holders, view);
	view->word = (uint32_t)lock->cnts.counter;
	if (writer_waits(lock))
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
	if (holders_count(&lock->holders, LOCK_SHARED) > cnts / (unsigned int)lock->rules->reader)
		return "more readers than the word knows";
	if (writer_waits(lock) && !lock->wait_lock.val.counter)
		return "a writer waits but is not at the head of the queue";
	return NULL;
}

#define QRWLOCK                                                                                              \
	.abi = LOCK_MODEL_ABI, .caps = LOCK_CAP_SHARED | LOCK_CAP_SPIN | LOCK_CAP_TRY,                       \
	.size = sizeof(struct qrwlock), .hold_size = sizeof(struct holder), .events = lockevent_names,       \
	.lock = qrwlock_lock, .unlock = qrwlock_unlock, .view = qrwlock_view, .broken = qrwlock_broken

LOCK_MODEL(qrwlock) = {
	QRWLOCK,
	.name = "qrwlock",
	.mirrors = "Linux 6.1.192 kernel/locking/qrwlock.c",
	.summary = "queued reader-writer spinlock: one FIFO of readers and writers",
	.init = qrwlock_init,
};

LOCK_MODEL(qrwlock_3_16) = {
	QRWLOCK,
	.name = "qrwlock-3.16",
	.mirrors = "Linux 3.16 kernel/locking/qrwlock.c",
	.summary = "qrwlock whose head of the queue looks for other writers before it leaves a mark",
	.init = qrwlock_3_16_init,
};
