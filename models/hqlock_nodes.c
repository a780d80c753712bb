/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queues of the HQ lock: how they are borrowed and given back, and in what order the nodes
 * stand. See hqlock.c.
 */
#include "models/hqlock.h"

#include "sim/model.h"

/* -- the loan ------------------------------------------------------------------------------------- */

/* Whoever sets or clears the mode waits for the pending one first, who overwrites it. */
static void hq_change_mode(struct hq_lock *lock, u32 mode)
{
	int val;

	do {
		val = atomic_cond_read_relaxed(&lock->q.val, !((u32)VAL & _Q_PENDING_VAL));
	} while (!atomic_try_cmpxchg_relaxed(&lock->q.val, &val, (int)(((u32)val & ~HQ_MODE) | mode)));
}

u32 hq_borrow(struct hq_lock *lock)
{
	u32 loan, node;

	for (;; cpu_relax()) {
		if ((u32)atomic_read(&lock->q.val) & HQ_MODE) {
			loan = (u32)atomic_read(&lock->nodes.loan);
			if ((u32)atomic_read(&lock->q.val) & HQ_MODE) /* of the loan that it was read under */
				return loan;
		} else if (!atomic_read(&lock->nodes.lent) && !atomic_cmpxchg(&lock->nodes.lent, 0, 1)) {
			break;
		}
	}
	lockevent_inc(hq_borrow);
	do {
		loan = (u32)atomic_inc_return_relaxed(&lock->nodes.loan);
	} while (!loan); /* 0: not lent */
	for (node = 0; node < hq_nr_nodes(); node++)
		WRITE_ONCE(lock->queue[node].loan, loan);
	hq_change_mode(lock, HQ_MODE);
	return loan;
}

void hq_return(struct hq_lock *lock)
{
	u32 loan = (u32)atomic_read(&lock->nodes.loan), node;

	if (READ_ONCE(lock->nodes.both))
		return;
	for (node = 0; node < hq_nr_nodes(); node++) {
		if (READ_ONCE(lock->queue[node].tail))
			return;
	}
	model_step("hq-return");
	for (node = 0; node < hq_nr_nodes(); node++) {
		u64 free = hq_loan_tail(loan, 0);

		if (cmpxchg_relaxed(&lock->queue[node].loan_tail, free, 0) != free)
			break;
	}
	if (node == hq_nr_nodes()) {
		lockevent_inc(hq_return);
		hq_change_mode(lock, 0);
		atomic_set_release(&lock->nodes.lent, 0);
		return;
	}
	lockevent_inc(hq_late);
	for (node = 0; node < hq_nr_nodes(); node++)
		WRITE_ONCE(lock->queue[node].loan, loan);
}

/* -- the queue of nodes ------------------------------------------------------------------------- */

u16 hq_append_node(struct hq_lock *lock, u16 node)
{
	u16 last = xchg(&lock->nodes.last, node);

	if (!last) {
		WRITE_ONCE(lock->nodes.first, node);
		return 0;
	}
	model_step("hq-append");
	WRITE_ONCE(hq_queue_of(lock, node)->before, last);
	WRITE_ONCE(hq_queue_of(lock, last)->after, node); /* who sees this sees `before` */
	return last;
}

bool hq_take_out_last(struct hq_lock *lock, struct hq_queue *queue, u16 node, u16 before)
{
	WRITE_ONCE(hq_queue_of(lock, before)->after,
		   0); /* as a newcomer may link behind it from the exchange on */
	if (cmpxchg_release(&lock->nodes.last, node, before) != node) {
		WRITE_ONCE(hq_queue_of(lock, before)->after, node);
		return false;
	}
	WRITE_ONCE(queue->after, 0);
	WRITE_ONCE(queue->before, 0);
	return true;
}

void hq_take_out(struct hq_lock *lock, u16 before, u16 after)
{
	if (before)
		WRITE_ONCE(hq_queue_of(lock, before)->after, after);
	WRITE_ONCE(hq_queue_of(lock, after)->before, before);
	if (!before)
		WRITE_ONCE(lock->nodes.first, after);
}
