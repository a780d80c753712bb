/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-3.16, rwsem-4.2, rwsem-4.8: the word and the queue of rwsem-3.12, and writers that
 * spin while a writer owns the lock and runs.
 *
 * A writer whose fast path fails takes itself out of the word first, so that spinners
 * leave no trace there, and spins in the OSQ; only if that leads nowhere does it queue.
 * What it spins on is the owner word, which names the writer that owns the lock:
 *
 *            stored                      no writer named          the owner changed
 *   3.16     after down_write()          do not spin              a new writer: stop
 *   4.2      when the word is taken      spin if nobody is active a new writer: go on
 *   4.8      when the word is taken;     spin, unless readers     as 4.2
 *            readers leave a mark        had the lock last
 *
 * From 4.2 on a waker that sees a spinner only tries wait_lock (`shortcut`): the spinner
 * will take the lock, and wake when it lets go of it. Readers never spin, never steal.
 * Nothing bounds the wait of a queued writer behind spinners.
 *
 * Mirrors: Linux 3.16, 4.2, 4.8 kernel/locking/rwsem-xadd.c, x86 fast paths.
 * Deviations:
 *  1. The word has 32 bits (64 on x86-64; both halves are wider there, nothing else).
 *  2. No debug checks, no nested and non-owner variants, no anonymous owners (4.17), no
 *     virtual CPUs. Waits of rwsem-4.8 can be killed, as those of writers from 4.7 and of readers from 4.15 on; they
 *     heed any signal where the request asks for that.
 *  3. Readers are let go one by one, as up to 5.1.
 */
#include "models/rwsem_xadd.h"

#define RWSEM_EVENTS(X) XADD_EVENTS(X) XADD_RACE_EVENTS(X) XADD_FLAG_EVENTS(X) XADD_SPIN_EVENTS(X)
LOCKEVENTS(RWSEM_EVENTS)

static void set_owner(struct xadd_rwsem *sem)
{
	WRITE_ONCE(sem->owner, (long)current);
}

/* A mark that stays when they leave; needless stores would move the line. */
static void set_reader_owned(struct xadd_rwsem *sem)
{
	if (sem->rules->reader_owned && READ_ONCE(sem->owner) != RWSEM_READER_OWNED)
		WRITE_ONCE(sem->owner, RWSEM_READER_OWNED);
}

/* Step 5. wait_lock held; the caller is queued. */
static bool try_write_lock(struct xadd_rwsem *sem, struct xadd_waiter *waiter)
{
	bool alone = list_is_singular(&sem->wait_list);
	int new = RWSEM_WRITE_BIAS + (alone || sem->rules->two_steps ? 0 : RWSEM_WAITING_BIAS);

	if (atomic_read(&sem->count) != RWSEM_WAITING_BIAS ||
	    atomic_cmpxchg(&sem->count, RWSEM_WAITING_BIAS, new) != RWSEM_WAITING_BIAS)
		return false;
	if (!alone && sem->rules->two_steps)
		atomic_add(RWSEM_WAITING_BIAS, &sem->count);
	if (sem->rules->early_owner)
		set_owner(sem);
	lockevent_cond_inc(rwsem_wlock_steal, !list_is_first(&waiter->list, &sem->wait_list));
	return true;
}

/* Step 4: the first puts the queue's bias into the word, another one lets readers at the head in. */
static void write_queue(struct xadd_rwsem *sem, struct xadd_waiter *waiter)
{
	DEFINE_WAKE_Q(wake_q);

	if (xadd_queue(sem, waiter, LOCK_EXCLUSIVE)) {
		atomic_add(RWSEM_WAITING_BIAS, &sem->count);
	} else if (atomic_read(&sem->count) > RWSEM_WAITING_BIAS) {
		xadd_do_wake(sem, RWSEM_WAKE_READERS, sem->rules->wake_q ? &wake_q : NULL);
		wake_up_q(&wake_q);
	}
	trace_contention_begin(sem, LCB_F_WRITE);
}

/* 1 out of the word; 2 spin; 3, 4 queue; 5 take it or sleep; 6 leave the queue. 0 or -EINTR. */
static int down_write_slow(struct xadd_rwsem *sem, unsigned int state)
{
	struct xadd_waiter waiter;

	/* 1 */
	atomic_sub(RWSEM_WRITE_BIAS, &sem->count);
	/* 2 */
	if (xadd_spin_write(sem))
		return 0;
	/* 3, 4 */
	raw_spin_lock_irq(&sem->wait_lock);
	write_queue(sem, &waiter);
	/* 5 */
	set_current_state(state);
	while (!try_write_lock(sem, &waiter)) {
		if (xadd_sleep_writer(sem, state))
			continue;
		xadd_leave_writer(sem, &waiter);
		trace_contention_end(sem, -EINTR);
		return -EINTR;
	}
	__set_current_state(TASK_RUNNING);
	/* 6 */
	list_del(&waiter.list);
	raw_spin_unlock_irq(&sem->wait_lock);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
	return 0;
}

static int down_write(struct xadd_rwsem *sem, unsigned int state)
{
	int count = xadd_down_write_begin(sem);

	if (!(count & RWSEM_ACTIVE_MASK))
		lockevent_cond_inc(rwsem_wlock_steal, count);
	else if (down_write_slow(sem, state))
		return -EINTR;
	model_step("rwsem_set_owner");
	set_owner(sem);
	return 0;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params_3_16[] = {
	{ "shortcut", LOCK_PARAM_FLAG, 0, "on: while somebody spins, wakers only try wait_lock (4.2)" },
	{ NULL },
};
static const struct lock_param params_4_2[] = {
	{ "shortcut", LOCK_PARAM_FLAG, 1, "on: while somebody spins, wakers only try wait_lock; off: as in 3.16" },
	{ NULL },
};

static void init(struct xadd_rwsem *sem, const struct xadd_rules *rules, uint64_t shortcut)
{
	xadd_init(sem, rules);
	sem->shortcut = shortcut;
}

static void rwsem_3_16_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .one_bias = true, .spin = SPIN_OWNED, .two_steps = true };

	init(l, &rules, values[0]);
}

static void rwsem_4_2_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .one_bias = true, .spin = SPIN_NEW_OWNER, .early_owner = true };

	init(l, &rules, values[0]);
}

static void rwsem_4_8_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = {
		.one_bias = true, .spin = SPIN_NOT_READERS, .early_owner = true, .reader_owned = true, .wake_q = true
	};

	init(l, &rules, values[0]);
}

static int lock_read(struct xadd_rwsem *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY) {
		if (!xadd_down_read_trylock(sem))
			return -EBUSY;
	} else if (!xadd_down_read_fast(sem) && xadd_down_read_slow(sem, RWSEM_READ_BIAS, holders_sleep_state(req))) {
		return -EINTR;
	}
	set_reader_owned(sem);
	return 0;
}

static int lock_write(struct xadd_rwsem *sem, const struct lock_req *req)
{
	if (!(req->how & LOCK_TRY))
		return down_write(sem, holders_sleep_state(req));
	if (!xadd_down_write_trylock(sem))
		return -EBUSY;
	set_owner(sem);
	return 0;
}

static int rwsem_3_16_lock(void *l, struct lock_req *req)
{
	int ret = req->mode == LOCK_SHARED ? lock_read(l, req) : lock_write(l, req);

	if (!ret)
		xadd_hold(l, req);
	return ret;
}

/* The writer's name goes before the lock is free. */
static void rwsem_3_16_unlock(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;
	int bias = RWSEM_READ_BIAS;

	if (xadd_unhold(req) == LOCK_EXCLUSIVE) {
		WRITE_ONCE(sem->owner, 0);
		bias = RWSEM_WRITE_BIAS;
	}
	if (xadd_up(sem, bias))
		xadd_wake(sem);
}

static void rwsem_3_16_downgrade(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;

	xadd_unhold(req);
	WRITE_ONCE(sem->owner, sem->rules->reader_owned ? RWSEM_READER_OWNED : 0);
	if (atomic_add_return(-RWSEM_WAITING_BIAS, &sem->count) < 0)
		xadd_downgrade_wake(sem);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

#define RWSEM_3_16                                                                                           \
	.abi = LOCK_MODEL_ABI,                                                                               \
	.size = sizeof(struct xadd_rwsem), .hold_size = sizeof(struct holder), .events = lockevent_names,    \
	.lock = rwsem_3_16_lock, .unlock = rwsem_3_16_unlock, .downgrade = rwsem_3_16_downgrade,             \
	.view = xadd_view, .broken = xadd_broken

LOCK_MODEL(rwsem_3_16) = {
	RWSEM_3_16,
	.name = "rwsem-3.16",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,
	.mirrors = "Linux 3.16 kernel/locking/rwsem-xadd.c",
	.summary = "rwsem-3.12 with writers that spin while a writer owns it and runs",
	.params = params_3_16,
	.init = rwsem_3_16_init,
};

LOCK_MODEL(rwsem_4_2) = {
	RWSEM_3_16,
	.name = "rwsem-4.2",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,
	.mirrors = "Linux 4.2 kernel/locking/rwsem-xadd.c",
	.summary = "rwsem-3.16 that spins on from writer to writer, and leaves waking to spinners",
	.params = params_4_2,
	.init = rwsem_4_2_init,
};

LOCK_MODEL(rwsem_4_8) = {
	RWSEM_3_16,
	.name = "rwsem-4.8",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.mirrors = "Linux 4.8 – 4.20 kernel/locking/rwsem-xadd.c",
	.summary = "rwsem-4.2 whose readers mark the lock as theirs, so that nobody spins on them",
	.params = params_4_2,
	.init = rwsem_4_8_init,
};
