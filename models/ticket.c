// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ticket spinlock: x86 from 2.6.25 to 4.1, and the generic one since.
 *
 *     31           16 15            0
 *     | tail: next   | head: served  |    free: head == tail
 *
 * Taking a ticket is one atomic add in the upper half; strict FIFO by its order. A
 * ticket cannot be given back, so preemption is off while spinning. All waiters poll
 * the one word, and each unlock takes the line from all of them.
 *
 * Mirrors: Linux 2.6.31 arch/x86/include/asm/spinlock.h, 6.1.192 include/asm-generic/spinlock.h
 * Deviations: the halves always have 16 bits, as x86 has them from 256 CPUs on.
 *
 * Lock:    1. ticket := tail, tail += 1   2. poll head until it is the ticket
 * Unlock:  1. head += 1, a plain store: nobody else writes that half
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

#define TICKET_SHIFT 16

struct ticket_lock {
	union {
		atomic_t val;
		struct {
			u16 head, tail;
		};
	};
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the halves of the word");

static void ticket_spin(struct ticket_lock *lock)
{
	u32 old = (u32)atomic_fetch_add_acquire(1 << TICKET_SHIFT, &lock->val);
	u16 mine = (u16)(old >> TICKET_SHIFT);

	if (mine == (u16)old)
		return;
	trace_contention_begin(lock, LCB_F_SPIN);
	smp_cond_load_acquire(&lock->head, VAL == mine);
	trace_contention_end(lock, 0);
}

static bool ticket_try(struct ticket_lock *lock)
{
	int old = atomic_read(&lock->val);

	if ((u16)old != (u16)((u32)old >> TICKET_SHIFT))
		return false;
	return atomic_try_cmpxchg_acquire(&lock->val, &old, (int)((u32)old + (1u << TICKET_SHIFT)));
}

/* --------------------------------------------------------------------------------------- */

static void ticket_init(void *l, const uint64_t *params)
{
	struct ticket_lock *lock = l;

	atomic_set(&lock->val, 0);
}

static int ticket_lock(void *l, struct lock_req *req)
{
	preempt_disable();
	if (!(req->how & LOCK_TRY)) {
		ticket_spin(l);
		return 0;
	}
	if (ticket_try(l))
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void ticket_unlock(void *l, struct lock_req *req)
{
	struct ticket_lock *lock = l;

	smp_store_release(&lock->head, (u16)(lock->head + 1));
	preempt_enable();
}

static void ticket_view(const void *l, struct lock_view *view)
{
	const struct ticket_lock *lock = l;
	u16 ticket;

	for (ticket = lock->head + 1; (s16)(lock->tail - ticket) > 0; ticket++)
		lock_view_waiter(view, NULL, LOCK_EXCLUSIVE); /* tickets carry no names */
	view->word = (uint32_t)lock->val.counter;
}

LOCK_MODEL(ticket) = {
	.abi = LOCK_MODEL_ABI,
	.name = "ticket",
	.mirrors = "Linux 6.1.192 include/asm-generic/spinlock.h",
	.summary = "ticket spinlock: strict FIFO, all waiters on one line",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_RAW | LOCK_CAP_FIFO,
	.size = sizeof(struct ticket_lock),
	.init = ticket_init,
	.lock = ticket_lock,
	.unlock = ticket_unlock,
	.view = ticket_view,
};
