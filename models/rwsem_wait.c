/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queueing for the rwsem: who waits in what order, who is let in by whom, and how a
 * waiter that waited too long keeps others from stealing (HANDOFF).
 *
 * Readers are granted the lock by the waker, who counts them in and clears their record.
 * Writers are only woken and take the lock themselves, or lose it to a thief.
 */
#include "models/rwsem_private.h"

static struct rwsem_waiter *first_waiter(struct rw_semaphore *sem)
{
	return list_first_entry(&sem->wait_list, struct rwsem_waiter, list);
}

static void init_waiter(struct rw_semaphore *sem, struct rwsem_waiter *waiter, enum rwsem_waiter_type type)
{
	waiter->task = current;
	waiter->type = type;
	waiter->timeout = jiffies + sem->wait_timeout;
	waiter->handoff_set = false;
}

/* A writer slipped in before the head reader: undo the bias, and ask for the hand-off if it is time. */
static void reader_handoff(struct rw_semaphore *sem, struct rwsem_waiter *waiter, long oldcount)
{
	long adjustment = -RWSEM_READER_BIAS;

	if (time_after(jiffies, waiter->timeout)) {
		if (!(oldcount & RWSEM_FLAG_HANDOFF)) {
			adjustment += RWSEM_FLAG_HANDOFF;
			lockevent_inc(rwsem_rlock_handoff);
		}
		waiter->handoff_set = true;
	}
	atomic_long_add(adjustment, &sem->count);
}

/* Step 4: takes readers off the queue wherever they stand, skipping writers. */
static long collect_readers(struct rw_semaphore *sem, struct list_head *granted)
{
	struct rwsem_waiter *waiter, *next;
	long n = 0;

	list_for_each_entry_safe(waiter, next, &sem->wait_list, list) {
		if (waiter->type == RWSEM_WAITING_FOR_WRITE)
			continue;
		list_move_tail(&waiter->list, granted);
		if (++n == MAX_READERS_WAKEUP)
			break;
	}
	return n;
}

/* Step 6: from the moment its record is cleared a reader may return and its stack be gone. */
static void grant_readers(struct list_head *granted, struct wake_q_head *wake_q)
{
	struct rwsem_waiter *waiter, *next;
	struct task_struct *task;

	list_for_each_entry_safe(waiter, next, granted, list) {
		task = waiter->task;
		smp_store_release(&waiter->task, NULL);
		wake_q_add(wake_q, task);
	}
}

/*
 * wait_lock held, queue not empty. 1 a writer at the head is only woken; 2 too many
 * readers; 3 count in the first reader, unless a writer was faster; 4 all other readers,
 * up to 256; 5 count them in, and drop the flags that no longer hold; 6 let them go.
 */
static void rwsem_mark_wake(struct rw_semaphore *sem, enum rwsem_wake_type type, struct wake_q_head *wake_q)
{
	struct rwsem_waiter *head = first_waiter(sem);
	long oldcount, counted = 0, adjustment, n;
	struct list_head granted;

	lockdep_assert_held(&sem->wait_lock);
	/* 1 */
	if (head->type == RWSEM_WAITING_FOR_WRITE) {
		if (type == RWSEM_WAKE_ANY) {
			wake_q_add(wake_q, head->task);
			lockevent_inc(rwsem_wake_writer);
		}
		return;
	}
	/* 2 */
	if (atomic_long_read(&sem->count) < 0)
		return;
	/* 3 */
	if (type != RWSEM_WAKE_READ_OWNED) {
		counted = RWSEM_READER_BIAS;
		oldcount = atomic_long_fetch_add(counted, &sem->count);
		if (oldcount & RWSEM_WRITER_LOCKED) {
			reader_handoff(sem, head, oldcount);
			return;
		}
		rwsem_set_reader_owned(sem, head->task);
	}
	/* 4 */
	INIT_LIST_HEAD(&granted);
	n = collect_readers(sem, &granted);
	lockevent_cond_inc(rwsem_wake_reader, n);
	/* 5 */
	adjustment = n * RWSEM_READER_BIAS - counted;
	oldcount = atomic_long_read(&sem->count);
	if (list_empty(&sem->wait_list))
		adjustment -= RWSEM_FLAG_WAITERS;
	if (oldcount & RWSEM_FLAG_HANDOFF)
		adjustment -= RWSEM_FLAG_HANDOFF;
	if (adjustment)
		atomic_long_add(adjustment, &sem->count);
	/* 6 */
	grant_readers(&granted, wake_q);
}

/* For one who has just queued and saw @count: is there somebody who could go in? */
static void rwsem_cond_wake(struct rw_semaphore *sem, long count, struct wake_q_head *wake_q)
{
	if (count & RWSEM_WRITER_LOCKED)
		return;
	if (count & RWSEM_READER_MASK) {
		rwsem_mark_wake(sem, RWSEM_WAKE_READERS, wake_q);
		return;
	}
	rwsem_clear_nonspinnable(sem);
	rwsem_mark_wake(sem, RWSEM_WAKE_ANY, wake_q);
}

static void mark_and_wake(struct rw_semaphore *sem, enum rwsem_wake_type type)
{
	DEFINE_WAKE_Q(wake_q);
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (!list_empty(&sem->wait_list))
		rwsem_mark_wake(sem, type, &wake_q);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	wake_up_q(&wake_q);
}

void rwsem_wake(struct rw_semaphore *sem)
{
	mark_and_wake(sem, RWSEM_WAKE_ANY);
}

void rwsem_downgrade_wake(struct rw_semaphore *sem)
{
	mark_and_wake(sem, RWSEM_WAKE_READ_OWNED);
}

/* Killed. wait_lock held on entry, dropped on return; the next in line must not be left waiting. */
static void leave_queue(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	bool first = first_waiter(sem) == waiter;
	DEFINE_WAKE_Q(wake_q);

	list_del(&waiter->list);
	if (list_empty(&sem->wait_list))
		atomic_long_andnot(RWSEM_FLAG_HANDOFF | RWSEM_FLAG_WAITERS, &sem->count);
	else if (first)
		rwsem_mark_wake(sem, RWSEM_WAKE_ANY, &wake_q);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
}

/* -- readers ------------------------------------------------------------------------------- */

/*
 * Steps 1 and 2. The bias is in the count already, so a reader that sees neither writer
 * nor HANDOFF owns the lock. The first reader past a queue brings in the others.
 */
static bool read_steal(struct rw_semaphore *sem, long count)
{
	long readers = count >> RWSEM_READER_SHIFT; /* including this one */

	/* 1: do not add to readers that keep a queue waiting */
	if ((atomic_long_read(&sem->owner) & RWSEM_READER_OWNED) && readers > 1 &&
	    !(count & RWSEM_WRITER_LOCKED))
		return false;
	if (sem->no_reader_steal && (count & RWSEM_FLAG_WAITERS))
		return false;
	/* 2 */
	if (count & (RWSEM_WRITER_LOCKED | RWSEM_FLAG_HANDOFF))
		return false;
	rwsem_set_reader_owned(sem, current);
	lockevent_inc(rwsem_rlock_steal);
	if (readers == 1 && (count & RWSEM_FLAG_WAITERS))
		rwsem_downgrade_wake(sem);
	return true;
}

/* Step 3. False: no need, the lock is free of writers. */
static bool read_queue(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	long count, adjustment = -RWSEM_READER_BIAS;
	DEFINE_WAKE_Q(wake_q);

	init_waiter(sem, waiter, RWSEM_WAITING_FOR_READ);
	raw_spin_lock_irq(&sem->wait_lock);
	if (list_empty(&sem->wait_list)) {
		if (!(atomic_long_read(&sem->count) & RWSEM_WRITER_LOCKED)) {
			raw_spin_unlock_irq(&sem->wait_lock);
			rwsem_set_reader_owned(sem, current);
			lockevent_inc(rwsem_rlock_fast);
			return false;
		}
		adjustment += RWSEM_FLAG_WAITERS;
	}
	list_add_tail(&waiter->list, &sem->wait_list);
	count = atomic_long_add_return(adjustment, &sem->count);
	rwsem_cond_wake(sem, count, &wake_q);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	return true;
}

/* Step 5. True: left the queue; false: was granted the lock just before. */
static bool read_give_up(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	raw_spin_lock_irq(&sem->wait_lock);
	if (!waiter->task) {
		raw_spin_unlock_irq(&sem->wait_lock);
		return false;
	}
	leave_queue(sem, waiter);
	return true;
}

int rwsem_down_read_slowpath(struct rw_semaphore *sem, long count, unsigned int state)
{
	struct rwsem_waiter waiter;
	int ret = 0;

	if (read_steal(sem, count) || !read_queue(sem, &waiter))
		return 0;
	trace_contention_begin(sem, LCB_F_READ);
	/* 4 */
	for (;;) {
		set_current_state(state);
		if (!smp_load_acquire(&waiter.task))
			break;
		if (signal_pending_state(state, current)) {
			if (read_give_up(sem, &waiter))
				ret = -EINTR;
			break;
		}
		schedule_preempt_disabled();
		lockevent_inc(rwsem_sleep_reader);
	}
	__set_current_state(TASK_RUNNING);
	lockevent_cond_inc(rwsem_rlock, !ret);
	lockevent_cond_inc(rwsem_rlock_fail, ret);
	trace_contention_end(sem, ret);
	return ret;
}

/* -- writers ------------------------------------------------------------------------------- */

/*
 * Step 3, wait_lock held. Takes the lock if it is free and not promised to somebody else;
 * if it is held and this waiter is past its time, or real-time, asks for the hand-off on
 * behalf of the first waiter, whoever that is.
 */
static bool write_trylock_queued(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	struct rwsem_waiter *first = first_waiter(sem);
	long new, count = atomic_long_read(&sem->count);

	lockdep_assert_held(&sem->wait_lock);
	do {
		bool handoff = count & RWSEM_FLAG_HANDOFF;

		if (handoff && first->handoff_set && waiter != first)
			return false;
		if (count & RWSEM_LOCK_MASK) {
			if (handoff)
				return false;
			if (!rt_task(waiter->task) && !time_after(jiffies, waiter->timeout))
				return false;
			new = count | RWSEM_FLAG_HANDOFF;
		} else {
			new = (count | RWSEM_WRITER_LOCKED) & ~RWSEM_FLAG_HANDOFF;
			if (list_is_singular(&sem->wait_list))
				new &= ~RWSEM_FLAG_WAITERS;
		}
	} while (!atomic_long_try_cmpxchg_acquire(&sem->count, &count, new));

	if (new & RWSEM_FLAG_HANDOFF) {
		first->handoff_set = true;
		lockevent_inc(rwsem_wlock_handoff);
		return false;
	}
	list_del(&waiter->list);
	rwsem_set_owner(sem);
	return true;
}

/* Step 2. wait_lock held on return. */
static void write_queue(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	DEFINE_WAKE_Q(wake_q);

	init_waiter(sem, waiter, RWSEM_WAITING_FOR_WRITE);
	raw_spin_lock_irq(&sem->wait_lock);
	list_add_tail(&waiter->list, &sem->wait_list);
	if (first_waiter(sem) == waiter) {
		atomic_long_or(RWSEM_FLAG_WAITERS, &sem->count);
		return;
	}
	rwsem_cond_wake(sem, atomic_long_read(&sem->count), &wake_q);
	if (wake_q_empty(&wake_q))
		return;
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	raw_spin_lock_irq(&sem->wait_lock);
}

/* The lock is promised to this waiter: rather than sleep, watch the owner. True: it is gone. */
static bool spin_for_handoff(struct rw_semaphore *sem)
{
	enum owner_state state;

	preempt_disable();
	state = rwsem_spin_on_owner(sem);
	preempt_enable();
	return state == OWNER_NULL;
}

int rwsem_down_write_slowpath(struct rw_semaphore *sem, unsigned int state)
{
	struct rwsem_waiter waiter;

	/* 1 */
	if (rwsem_spin_write(sem))
		return 0;
	/* 2 */
	write_queue(sem, &waiter);
	set_current_state(state);
	trace_contention_begin(sem, LCB_F_WRITE);
	/* 3 */
	while (!write_trylock_queued(sem, &waiter)) {
		raw_spin_unlock_irq(&sem->wait_lock);
		if (signal_pending_state(state, current)) {
			__set_current_state(TASK_RUNNING);
			raw_spin_lock_irq(&sem->wait_lock);
			leave_queue(sem, &waiter);
			lockevent_inc(rwsem_wlock_fail);
			trace_contention_end(sem, -EINTR);
			return -EINTR;
		}
		if (!waiter.handoff_set || !spin_for_handoff(sem)) {
			schedule();
			lockevent_inc(rwsem_sleep_writer);
			set_current_state(state);
		}
		raw_spin_lock_irq(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	raw_spin_unlock_irq(&sem->wait_lock);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
	return 0;
}
