/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-2.6.26, rwsem-2.6.36: the xadd rwsem before writers stole: everybody who queues is
 * granted the lock by the waker, in order.
 *
 * The word is that of rwsem_xadd.h. 2.6.26 (to 2.6.35): each waiter has its own
 * WAITING_BIAS in it. 2.6.36 (to 3.8): the queue as a whole has one, which whoever queues
 * first puts in and the grant that empties the queue takes out; so a reader can see that
 * only readers are active although somebody waits, and a writer that queues behind readers
 * on a lock that readers own lets them in. Nobody steals, nobody spins.
 *
 * Mirrors: Linux 2.6.26 and 2.6.36 lib/rwsem.c, x86 fast paths
 * Deviations:
 *  1. The word has 32 bits (64 on x86-64 from 2.6.35 on; nothing else differs).
 *  2. No debug checks, no nested variants.
 *
 * Slow: 1. queue, take the attempt back   2. nobody active: wake the head   3. sleep until granted
 * Wake: 1. claim the lock for the head; somebody active: undo, and again if it left meanwhile
 *       2. a writer: it has it   3. readers up to the first writer: count them in, let them go
 */
#include "models/rwsem_xadd.h"

#define RWSEM_EVENTS(X)                                                                                      \
	XADD_EVENTS(X)                                                                                       \
	X(rwsem_handoff_writer) /* grants to a writer */
LOCKEVENTS(RWSEM_EVENTS)

static struct xadd_waiter *first_waiter(struct xadd_rwsem *sem)
{
	return list_first_entry(&sem->wait_list, struct xadd_waiter, list);
}

static void grant(struct xadd_waiter *waiter)
{
	struct task_struct *task = waiter->task;

	list_del(&waiter->list);
	smp_store_release(&waiter->task, NULL);
	wake_up_process(task);
}

/*
 * Step 1: adds @bias if nobody is active. 2.6.26 looks at the whole word to see whether that
 * one left meanwhile; with somebody queued it is never 0, so it never tries again.
 */
static bool claim(struct xadd_rwsem *sem, int bias)
{
	const int active = sem->rules->one_bias ? RWSEM_ACTIVE_MASK : -1;

	do {
		if (!(atomic_fetch_add(bias, &sem->count) & RWSEM_ACTIVE_MASK))
			return true;
	} while (!(atomic_sub_return(bias, &sem->count) & active));
	return false;
}

/* *all: they are the whole queue. */
static int run_of_readers(struct xadd_rwsem *sem, bool *all)
{
	struct xadd_waiter *waiter;
	int n = 0;

	list_for_each_entry(waiter, &sem->wait_list, list) {
		if (waiter->mode == LOCK_EXCLUSIVE)
			break;
		n++;
	}
	*all = &waiter->list == &sem->wait_list;
	return n;
}

static void grant_readers(struct xadd_rwsem *sem, int n)
{
	lockevent_inc(rwsem_wake_reader);
	while (n--)
		grant(first_waiter(sem));
}

static void grant_writer(struct xadd_rwsem *sem)
{
	lockevent_inc(rwsem_handoff_writer);
	grant(first_waiter(sem));
}

/* -- 2.6.26: a bias for each waiter; wait_lock held, queue not empty ------------------------------- */

/* A downgrader is active itself, and lets in readers only. */
static void do_wake_2_6_26(struct xadd_rwsem *sem, enum xadd_wake type)
{
	int n, counted = 0;
	bool all;

	/* 1 */
	if (type != RWSEM_WAKE_READ_OWNED) {
		if (!claim(sem, RWSEM_ACTIVE_BIAS))
			return;
		counted = RWSEM_ACTIVE_BIAS;
	}
	/* 2: its WAITING part is in the word already */
	if (first_waiter(sem)->mode == LOCK_EXCLUSIVE) {
		if (counted)
			grant_writer(sem);
		return;
	}
	/* 3 */
	n = run_of_readers(sem, &all);
	atomic_add(n * (RWSEM_ACTIVE_BIAS - RWSEM_WAITING_BIAS) - counted, &sem->count);
	grant_readers(sem, n);
}

static void queue_2_6_26(struct xadd_rwsem *sem, struct xadd_waiter *waiter, enum lock_mode mode)
{
	int adjustment = -RWSEM_ACTIVE_BIAS, count;

	xadd_queue(sem, waiter, mode);
	if (mode == LOCK_SHARED)
		adjustment += RWSEM_WAITING_BIAS;
	count = atomic_add_return(adjustment, &sem->count);
	trace_contention_begin(sem, mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE);
	if (!(count & RWSEM_ACTIVE_MASK))
		do_wake_2_6_26(sem, RWSEM_WAKE_ANY);
}

/* -- 2.6.36: one bias for the queue; wait_lock held, queue not empty --------------------------------- */

/*
 * READERS: the caller has seen that readers own the lock, or is one of them. NO_ACTIVE: it
 * has seen, under this wait_lock, that nobody is active; whoever adds himself after that queues.
 */
static void do_wake_2_6_36(struct xadd_rwsem *sem, enum xadd_wake type)
{
	int n, adjustment;
	bool all;

	if (first_waiter(sem)->mode == LOCK_EXCLUSIVE) {
		if (type == RWSEM_WAKE_READERS || type == RWSEM_WAKE_READ_OWNED)
			return;
		/* 1 */
		adjustment = RWSEM_WRITE_BIAS;
		if (list_is_singular(&sem->wait_list))
			adjustment -= RWSEM_WAITING_BIAS;
		/* 2 */
		if (claim(sem, adjustment))
			grant_writer(sem);
		return;
	}
	/* 1: a writer that is active, or trying, will wake when it leaves, or queues */
	if (type == RWSEM_WAKE_ANY && atomic_add_return(0, &sem->count) < RWSEM_WAITING_BIAS)
		return;
	/* 3 */
	n = run_of_readers(sem, &all);
	adjustment = n * RWSEM_READ_BIAS;
	if (all)
		adjustment -= RWSEM_WAITING_BIAS;
	atomic_add(adjustment, &sem->count);
	grant_readers(sem, n);
}

static void queue_2_6_36(struct xadd_rwsem *sem, struct xadd_waiter *waiter, enum lock_mode mode)
{
	bool first = xadd_queue(sem, waiter, mode);
	int adjustment = -(mode == LOCK_SHARED ? RWSEM_READ_BIAS : RWSEM_WRITE_BIAS), count;

	if (first)
		adjustment += RWSEM_WAITING_BIAS;
	count = atomic_add_return(adjustment, &sem->count);
	trace_contention_begin(sem, mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE);
	if (count == RWSEM_WAITING_BIAS)
		do_wake_2_6_36(sem, RWSEM_WAKE_NO_ACTIVE);
	else if (count > RWSEM_WAITING_BIAS && mode == LOCK_EXCLUSIVE && !first)
		do_wake_2_6_36(sem, RWSEM_WAKE_READERS);
}

/* -- both -------------------------------------------------------------------------------------------- */

static void do_wake(struct xadd_rwsem *sem, enum xadd_wake type)
{
	unsigned long flags;

	model_step("rwsem_wake");
	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (!list_empty(&sem->wait_list)) {
		if (sem->rules->one_bias)
			do_wake_2_6_36(sem, type);
		else
			do_wake_2_6_26(sem, type);
	}
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
}

static void down_slow(struct xadd_rwsem *sem, enum lock_mode mode)
{
	struct xadd_waiter waiter;

	model_step("rwsem_down_failed");
	/* 1, 2 */
	raw_spin_lock_irq(&sem->wait_lock);
	if (sem->rules->one_bias)
		queue_2_6_36(sem, &waiter, mode);
	else
		queue_2_6_26(sem, &waiter, mode);
	raw_spin_unlock_irq(&sem->wait_lock);
	/* 3 */
	xadd_sleep_until_granted(sem, &waiter, TASK_UNINTERRUPTIBLE);
	if (mode == LOCK_SHARED)
		lockevent_inc(rwsem_rlock);
	else
		lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void rwsem_2_6_26_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .spin = SPIN_NEVER };

	xadd_init(l, &rules);
}

static void rwsem_2_6_36_init(void *l, const uint64_t *values)
{
	static const struct xadd_rules rules = { .spin = SPIN_NEVER, .one_bias = true };

	xadd_init(l, &rules);
}

static bool trylock(struct xadd_rwsem *sem, enum lock_mode mode)
{
	if (mode == LOCK_SHARED)
		return xadd_down_read_trylock(sem);
	return atomic_cmpxchg(&sem->count, 0, RWSEM_WRITE_BIAS) == 0;
}

static int rwsem_2_6_lock(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;

	if (req->how & LOCK_TRY) {
		if (!trylock(sem, req->mode))
			return -EBUSY;
	} else if (req->mode == LOCK_SHARED ? !xadd_down_read_fast(sem) : xadd_down_write_begin(sem) != 0) {
		down_slow(sem, req->mode);
	}
	xadd_hold(sem, req);
	return 0;
}

static void rwsem_2_6_unlock(void *l, struct lock_req *req)
{
	if (xadd_up(l, xadd_unhold(req) == LOCK_SHARED ? RWSEM_READ_BIAS : RWSEM_WRITE_BIAS))
		do_wake(l, RWSEM_WAKE_ANY);
}

static void rwsem_2_6_downgrade(void *l, struct lock_req *req)
{
	struct xadd_rwsem *sem = l;

	xadd_unhold(req);
	if (atomic_add_return(-RWSEM_WAITING_BIAS, &sem->count) < 0)
		do_wake(sem, RWSEM_WAKE_READ_OWNED);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

#define RWSEM_2_6                                                                                            \
	.abi = LOCK_MODEL_ABI, .caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE | LOCK_CAP_FIFO,  \
	.size = sizeof(struct xadd_rwsem), .hold_size = sizeof(struct holder), .events = lockevent_names,    \
	.lock = rwsem_2_6_lock, .unlock = rwsem_2_6_unlock, .downgrade = rwsem_2_6_downgrade,                \
	.view = xadd_view, .broken = xadd_broken

LOCK_MODEL(rwsem_2_6_26) = {
	RWSEM_2_6,
	.name = "rwsem-2.6.26",
	.mirrors = "Linux 2.6.26 – 2.6.35 lib/rwsem.c",
	.summary = "sleeping reader-writer lock: FIFO, everybody is granted the lock",
	.init = rwsem_2_6_26_init,
};

LOCK_MODEL(rwsem_2_6_36) = {
	RWSEM_2_6,
	.name = "rwsem-2.6.36",
	.mirrors = "Linux 2.6.36 – 3.8 lib/rwsem.c",
	.summary = "rwsem-2.6.26 with one bias for the whole queue; queueing writers let readers in",
	.init = rwsem_2_6_36_init,
};
