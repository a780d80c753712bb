/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwlock-x86: the unqueued reader-writer spinlock of x86 up to 3.15.
 *
 * One counter: RW_LOCK_BIAS is free, each reader takes 1, a writer all of it. Whoever comes
 * out below zero (a writer: not at zero) puts back what it took and reads the word until it
 * looks right. A waiting writer leaves no mark, so overlapping readers keep it out for
 * ever; and while it has taken the bias and not yet put it back, readers fail although
 * only readers own the lock. Among several whose turn it might be, the one whose atomic
 * operation comes first wins. Preemption is off from lock to unlock.
 *
 * Mirrors: Linux 2.6.18 include/asm-i386/rwlock.h, to Linux 3.0
 * Deviations: (1) the bias is the 0x01000000 of up to 3.0; later ones differ in the width
 * only; (2) preemption stays off while spinning, as without CONFIG_PREEMPT.
 *
 * Read:   1. take 1; not negative: acquired   2. put it back   3. read until positive; again
 * Write:  1. take all; zero: acquired   2. put it back   3. read until free; again
 */
#include "models/holders.h"

#define RW_LOCK_BIAS 0x01000000

struct rwlock {
	atomic_t lock;

	/* the simulator's side */
	struct list_head holders;
};

#define RWLOCK_EVENTS(X)                                                                                     \
	X(rwlock_read_slow)   /* readers that had to spin */                                                 \
	X(rwlock_write_slow)  /* writers that had to spin */                                                 \
	X(rwlock_read_retry)  /* readers that lost a race after the lock had looked right */                 \
	X(rwlock_write_retry) /* writers likewise */
LOCKEVENTS(RWLOCK_EVENTS)

static void read_lock_failed(struct rwlock *rw)
{
	bool again = false;

	lockevent_inc(rwlock_read_slow);
	trace_contention_begin(rw, LCB_F_SPIN | LCB_F_READ);
	do {
		lockevent_cond_inc(rwlock_read_retry, again);
		again = true;
		/* 2 */
		atomic_inc(&rw->lock);
		/* 3 */
		atomic_cond_read_relaxed(&rw->lock, VAL >= 1);
	} while (atomic_dec_return(&rw->lock) < 0);
	trace_contention_end(rw, 0);
}

static void read_lock(struct rwlock *rw)
{
	/* 1 */
	if (atomic_dec_return(&rw->lock) < 0)
		read_lock_failed(rw);
}

static void write_lock_failed(struct rwlock *rw)
{
	bool again = false;

	lockevent_inc(rwlock_write_slow);
	trace_contention_begin(rw, LCB_F_SPIN | LCB_F_WRITE);
	do {
		lockevent_cond_inc(rwlock_write_retry, again);
		again = true;
		/* 2 */
		model_step("write_lock_failed");
		atomic_add(RW_LOCK_BIAS, &rw->lock);
		/* 3 */
		atomic_cond_read_relaxed(&rw->lock, VAL == RW_LOCK_BIAS);
	} while (!atomic_sub_and_test(RW_LOCK_BIAS, &rw->lock));
	trace_contention_end(rw, 0);
}

static void write_lock(struct rwlock *rw)
{
	/* 1 */
	if (!atomic_sub_and_test(RW_LOCK_BIAS, &rw->lock))
		write_lock_failed(rw);
}

static bool read_trylock(struct rwlock *rw)
{
	if (atomic_dec_return(&rw->lock) >= 0)
		return true;
	atomic_inc(&rw->lock);
	return false;
}

static bool write_trylock(struct rwlock *rw)
{
	if (atomic_sub_and_test(RW_LOCK_BIAS, &rw->lock))
		return true;
	atomic_add(RW_LOCK_BIAS, &rw->lock);
	return false;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void rwlock_x86_init(void *l, const uint64_t *values)
{
	struct rwlock *rw = l;

	atomic_set(&rw->lock, RW_LOCK_BIAS);
	holders_init(&rw->holders);
}

static int rwlock_x86_lock(void *l, struct lock_req *req)
{
	struct rwlock *rw = l;
	bool taken = true;

	preempt_disable();
	if (req->how & LOCK_TRY)
		taken = req->mode == LOCK_SHARED ? read_trylock(rw) : write_trylock(rw);
	else if (req->mode == LOCK_SHARED)
		read_lock(rw);
	else
		write_lock(rw);
	if (!taken) {
		preempt_enable();
		return -EBUSY;
	}
	holders_add(&rw->holders, req->hold, req->mode);
	return 0;
}

static void rwlock_x86_unlock(void *l, struct lock_req *req)
{
	struct rwlock *rw = l;
	struct holder *h = req->hold;

	holders_del(h);
	atomic_add(h->mode == LOCK_SHARED ? 1 : RW_LOCK_BIAS, &rw->lock);
	preempt_enable();
}

static void rwlock_x86_view(const void *l, struct lock_view *view)
{
	const struct rwlock *rw = l;

	holders_view(&rw->holders, view);
	view->word = (uint32_t)rw->lock.counter;
}

/* Those who try are in the word as well, so it may be lower than the holders make it. */
static const char *rwlock_x86_broken(const void *l)
{
	const struct rwlock *rw = l;
	int left = RW_LOCK_BIAS - (int)holders_count(&rw->holders, LOCK_SHARED);
	const char *broken = holders_broken(&rw->holders);

	if (holders_count(&rw->holders, LOCK_EXCLUSIVE))
		left = 0;
	return broken ? broken : rw->lock.counter > left ? "more holders than the word knows" : NULL;
}

LOCK_MODEL(rwlock_x86) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rwlock-x86",
	.mirrors = "Linux 2.6.18 include/asm-i386/rwlock.h",
	.summary = "reader-writer spinlock without a queue: readers first, writers may starve",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct rwlock),
	.hold_size = sizeof(struct holder),
	.events = lockevent_names,
	.init = rwlock_x86_init,
	.lock = rwlock_x86_lock,
	.unlock = rwlock_x86_unlock,
	.view = rwlock_x86_view,
	.broken = rwlock_x86_broken,
};
