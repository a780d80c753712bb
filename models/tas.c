// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The test-and-test-and-set spinlock that x86 had up to 2.6.24.
 *
 * Word: 1 is free, 0 and below is held. Waiters poll it as readers until it is positive
 * and then all try at once. No order at all: who gets the line first wins, which is the
 * nearest CPU, the lowest numbered one of several that ask at one instant, or the last
 * holder itself. All waiters share one line.
 *
 * Mirrors: Linux 2.6.18 include/asm-i386/spinlock.h
 * Deviations: (1) the counter has 32 bits, not 8, so that more than 127 CPUs can try at
 * once; (2) preemption is off while spinning, as without CONFIG_PREEMPT.
 *
 * Lock:  1. decrement; not negative: acquired   2. read until positive   3. back to 1
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct tas_lock {
	atomic_t slock;
};

static void tas_init(void *l, const uint64_t *params)
{
	struct tas_lock *lock = l;

	atomic_set(&lock->slock, 1);
}

static void tas_spin(struct tas_lock *lock)
{
	if (atomic_dec_return_acquire(&lock->slock) >= 0)
		return;
	trace_contention_begin(lock, LCB_F_SPIN);
	do
		atomic_cond_read_relaxed(&lock->slock, VAL > 0);
	while (atomic_dec_return_acquire(&lock->slock) < 0);
	trace_contention_end(lock, 0);
}

static int tas_lock(void *l, struct lock_req *req)
{
	struct tas_lock *lock = l;

	preempt_disable();
	if (!(req->how & LOCK_TRY)) {
		tas_spin(lock);
		return 0;
	}
	if (atomic_xchg_acquire(&lock->slock, 0) > 0)
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void tas_unlock(void *l, struct lock_req *req)
{
	struct tas_lock *lock = l;

	atomic_set_release(&lock->slock, 1);
	preempt_enable();
}

static void tas_view(const void *l, struct lock_view *view)
{
	const struct tas_lock *lock = l;

	view->word = (uint32_t)lock->slock.counter;
}

LOCK_MODEL(tas) = {
	.abi = LOCK_MODEL_ABI,
	.name = "tas",
	.mirrors = "Linux 2.6.18 include/asm-i386/spinlock.h",
	.summary = "test-and-test-and-set spinlock: one line, no order, the nearest wins",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_RAW,
	.size = sizeof(struct tas_lock),
	.init = tas_init,
	.lock = tas_lock,
	.unlock = tas_unlock,
	.view = tas_view,
};
