/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queueing for the rwsem of 5.4: see rwsem_5_4.c. Readers are granted the lock by the
 * waker; writers are only woken. A writer decides on the hand-off when it is woken, so
 * one that nobody wakes never asks.
 */
#include "models/rwsem_5_4.h"

static struct rwsem_waiter *first_waiter(struct rwsem_5_4 *sem)
{
	return list_first_entry(&sem->wait_list, struct rwsem_waiter, list);
}

static void init_waiter(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter, enum lock_mode mode)
{
	waiter->task = current;
	waiter->mode = mode;
	waiter->timeout = jiffies + sem->wait_timeout;
}

/* Step 3: counts in the first reader. False: a writer was faster; ask for the hand-off if it is time. */
static bool count_first_reader(struct rwsem_5_4 *sem, struct rwsem_waiter *head)
{
	long count = atomic_long_fetch_add(RWSEM_READER_BIAS, &sem->count), adjustment = -RWSEM_READER_BIAS;

	if (!(count & RWSEM_WRITER_LOCKED)) {
		rwsem_5_4_set_reader_owned(sem, (long)head->task | (head->last_rowner & RWSEM_RD_NONSPINNABLE));
		return true;
	}
	if (!(count & RWSEM_FLAG_HANDOFF) && time_after(jiffies, head->timeout)) {
		adjustment += RWSEM_FLAG_HANDOFF;
		lockevent_inc(rwsem_rlock_handoff);
	}
	atomic_long_add(adjustment, &sem->count);
	return false;
}

/* Step 4: takes readers off the queue wherever they stand, skipping writers. */
static long collect_readers(struct rwsem_5_4 *sem, struct list_head *granted)
{
	struct rwsem_waiter *waiter, *next;
	long n = 0;

	list_for_each_entry_safe(waiter, next, &sem->wait_list, list) {
		if (waiter->mode == LOCK_EXCLUSIVE)
			continue;
		list_move_tail(&waiter->list, granted);
		if (++n == MAX_READERS_WAKEUP)
			break;
	}
	return n;
}

/* wait_lock held, queue not empty. Numbers as in the steps of rwsem_wait.c. */
static void mark_wake(struct rwsem_5_4 *sem, enum rwsem_wake_type type, struct wake_q_head *wake_q)
{
	struct rwsem_waiter *head = first_waiter(sem), *waiter, *next;
	bool writer_first = head->mode == LOCK_EXCLUSIVE;
	long counted = 0, adjustment, n;
	LIST_HEAD(granted);

	lockdep_assert_held(&sem->wait_lock);
	/* 1 */
	if (writer_first && type == RWSEM_WAKE_ANY) {
		wake_q_add(wake_q, head->task);
		lockevent_inc(rwsem_wake_writer);
	}
	if (writer_first && (type != RWSEM_WAKE_READ_OWNED || !sem->wake_all))
		return;
	/* 2 */
	if (atomic_long_read(&sem->count) < 0)
		return;
	/* 3 */
	if (type != RWSEM_WAKE_READ_OWNED) {
		if (!count_first_reader(sem, head))
			return;
		counted = RWSEM_READER_BIAS;
	}
	/* 4 */
	n = collect_readers(sem, &granted);
	lockevent_cond_inc(rwsem_wake_reader, n);
	/* 5 */
	adjustment = n * RWSEM_READER_BIAS - counted;
	if (list_empty(&sem->wait_list))
		adjustment -= RWSEM_FLAG_WAITERS;
	if (n && !writer_first && (atomic_long_read(&sem->count) & RWSEM_FLAG_HANDOFF))
		adjustment -= RWSEM_FLAG_HANDOFF;
	if (adjustment)
		atomic_long_add(adjustment, &sem->count);
	/* 6 */
	list_for_each_entry_safe(waiter, next, &granted, list) {
		struct task_struct *task = waiter->task;

		smp_store_release(&waiter->task, NULL);
		wake_q_add(wake_q, task);
	}
}

void rwsem_5_4_wake(struct rwsem_5_4 *sem, enum rwsem_wake_type type)
{
	DEFINE_WAKE_Q(wake_q);
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (!list_empty(&sem->wait_list))
		mark_wake(sem, type, &wake_q);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	wake_up_q(&wake_q);
}

/* -- readers ------------------------------------------------------------------------------- */

/* `guard`: readers own the lock and keep others waiting. The bias of this one is in @count. */
static bool read_must_queue(struct rwsem_5_4 *sem, long count)
{
	return sem->guard && (atomic_long_read(&sem->owner) & RWSEM_READER_OWNED) &&
	       count >> RWSEM_READER_SHIFT > 1 && !(count & RWSEM_WRITER_LOCKED);
}

/* `steal`: the bias is in the count, so a lock without writer and HANDOFF is this reader's. */
static bool read_steal(struct rwsem_5_4 *sem, long count)
{
	if (!sem->steal || (count & (RWSEM_WRITER_LOCKED | RWSEM_FLAG_HANDOFF)) ||
	    (!sem->no_reader_spin && osq_is_locked(&sem->osq)))
		return false;
	rwsem_5_4_set_reader_owned(sem, (long)current);
	lockevent_inc(rwsem_rlock_steal);
	if (count >> RWSEM_READER_SHIFT == 1 && (count & RWSEM_FLAG_WAITERS))
		rwsem_5_4_wake(sem, RWSEM_WAKE_READ_OWNED);
	return true;
}

/* Steps 2 to 4. *adjustment: what is still to be undone in the count when this fails. */
static bool read_spin(struct rwsem_5_4 *sem, long last_rowner, long *adjustment)
{
	long owner;

	/* 2 */
	if (sem->no_reader_spin || !rwsem_5_4_can_spin(sem, LOCK_SHARED))
		return false;
	/* 3 */
	atomic_long_add(-RWSEM_READER_BIAS, &sem->count);
	*adjustment = 0;
	if (rwsem_5_4_spin(sem, LOCK_SHARED)) {
		if (atomic_long_read(&sem->count) & RWSEM_FLAG_WAITERS)
			rwsem_5_4_wake(sem, RWSEM_WAKE_READ_OWNED);
		return true;
	}
	/* 4: other readers came to own it meanwhile: they need not be waited for */
	owner = atomic_long_read(&sem->owner);
	if (!(owner & RWSEM_READER_OWNED) || !((owner ^ last_rowner) & ~RWSEM_OWNER_FLAGS) ||
	    !rwsem_5_4_try_read_unqueued(sem))
		return false;
	lockevent_inc(rwsem_opt_rlock2);
	return true;
}

/* Steps 5, 6. False: no need, the lock is this reader's already. */
static bool read_queue(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter, long adjustment)
{
	bool first;
	long count;
	DEFINE_WAKE_Q(wake_q);

	/* 5 */
	init_waiter(sem, waiter, LOCK_SHARED);
	raw_spin_lock_irq(&sem->wait_lock);
	first = list_empty(&sem->wait_list);
	if (first && adjustment &&
	    !(atomic_long_read(&sem->count) & (RWSEM_WRITER_LOCKED | RWSEM_FLAG_HANDOFF))) {
		raw_spin_unlock_irq(&sem->wait_lock);
		rwsem_5_4_set_reader_owned(sem, (long)current);
		lockevent_inc(rwsem_rlock_fast);
		return false;
	}
	if (first)
		adjustment += RWSEM_FLAG_WAITERS;
	list_add_tail(&waiter->list, &sem->wait_list);
	count = adjustment ? atomic_long_add_return(adjustment, &sem->count) : atomic_long_read(&sem->count);
	trace_contention_begin(sem, LCB_F_READ);
	/* 6 */
	if (!(count & RWSEM_LOCK_MASK))
		rwsem_5_4_clear_wr_nonspinnable(sem);
	if (!(count & RWSEM_LOCK_MASK) || (!(count & RWSEM_WRITER_LOCKED) && first))
		mark_wake(sem, RWSEM_WAKE_ANY, &wake_q);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	return true;
}

/* True: left the queue; false: was granted the lock just before. */
static bool read_give_up(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter)
{
	bool granted;

	raw_spin_lock_irq(&sem->wait_lock);
	granted = !waiter->task;
	if (!granted) {
		list_del(&waiter->list);
		if (list_empty(&sem->wait_list))
			atomic_long_andnot(RWSEM_FLAG_WAITERS | RWSEM_FLAG_HANDOFF, &sem->count);
	}
	raw_spin_unlock_irq(&sem->wait_lock);
	return !granted;
}

int rwsem_5_4_down_read_slow(struct rwsem_5_4 *sem, long count, unsigned int state)
{
	bool queue = read_must_queue(sem, count);
	struct rwsem_waiter waiter;
	long adjustment = -RWSEM_READER_BIAS;
	int ret = 0;

	/* 1 */
	waiter.last_rowner = atomic_long_read(&sem->owner);
	if (!(waiter.last_rowner & RWSEM_READER_OWNED))
		waiter.last_rowner &= RWSEM_RD_NONSPINNABLE;
	if (!queue && (read_steal(sem, count) || read_spin(sem, waiter.last_rowner, &adjustment)))
		return 0;
	if (!read_queue(sem, &waiter, adjustment))
		return 0;
	/* 7 */
	for (;;) {
		set_current_state(state);
		if (!smp_load_acquire(&waiter.task))
			break;
		if (signal_pending_state(state, current)) {
			if (read_give_up(sem, &waiter))
				ret = -EINTR;
			break;
		}
		schedule();
		lockevent_inc(rwsem_sleep_reader);
	}
	__set_current_state(TASK_RUNNING);
	lockevent_cond_inc(rwsem_rlock, !ret);
	lockevent_cond_inc(rwsem_rlock_fail, ret);
	trace_contention_end(sem, ret);
	return ret;
}

/* -- writers ------------------------------------------------------------------------------- */

enum writer_wait_state { WRITER_NOT_FIRST, WRITER_FIRST, WRITER_HANDOFF };

/* Step 3. wait_lock held on return. */
static enum writer_wait_state write_queue(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter)
{
	DEFINE_WAKE_Q(wake_q);
	long count;
	bool first;

	init_waiter(sem, waiter, LOCK_EXCLUSIVE);
	raw_spin_lock_irq(&sem->wait_lock);
	first = list_empty(&sem->wait_list);
	list_add_tail(&waiter->list, &sem->wait_list);
	trace_contention_begin(sem, LCB_F_WRITE);
	if (first) {
		atomic_long_or(RWSEM_FLAG_WAITERS, &sem->count);
		return WRITER_FIRST;
	}
	count = atomic_long_read(&sem->count);
	if (count & RWSEM_WRITER_LOCKED)
		return WRITER_NOT_FIRST;
	mark_wake(sem, count & RWSEM_READER_MASK ? RWSEM_WAKE_READERS : RWSEM_WAKE_ANY, &wake_q);
	if (!wake_q_empty(&wake_q)) {
		raw_spin_unlock_irq(&sem->wait_lock);
		wake_up_q(&wake_q);
		raw_spin_lock_irq(&sem->wait_lock);
	}
	return WRITER_NOT_FIRST;
}

/* Step 4, wait_lock held. */
static bool write_trylock_queued(struct rwsem_5_4 *sem, enum writer_wait_state wstate)
{
	long new, count = atomic_long_read(&sem->count);

	do {
		bool handoff = count & RWSEM_FLAG_HANDOFF;

		if (handoff && wstate == WRITER_NOT_FIRST)
			return false;
		new = count;
		if (count & RWSEM_LOCK_MASK) {
			if (handoff || wstate != WRITER_HANDOFF)
				return false;
			new |= RWSEM_FLAG_HANDOFF;
		} else {
			new = (new | RWSEM_WRITER_LOCKED) & ~RWSEM_FLAG_HANDOFF;
			if (list_is_singular(&sem->wait_list))
				new &= ~RWSEM_FLAG_WAITERS;
		}
	} while (!atomic_long_try_cmpxchg_acquire(&sem->count, &count, new));
	if (new & RWSEM_FLAG_HANDOFF) {
		lockevent_inc(rwsem_wlock_handoff);
		return false;
	}
	atomic_long_set(&sem->owner, (long)current);
	return true;
}

/*
 * Steps 5, 6, without wait_lock: until an attempt is worth making. 0 or -EINTR. Only here,
 * when it is woken, does a writer that is first and late, or real-time, ask for the hand-off.
 */
static int write_wait(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter, enum writer_wait_state *wstate,
		      unsigned int state)
{
	enum owner_state owner = OWNER_NONSPINNABLE;

	/* 5 */
	if (*wstate == WRITER_HANDOFF) {
		preempt_disable();
		owner = rwsem_5_4_spin_on_owner(sem, RWSEM_NONSPINNABLE);
		preempt_enable();
	}
	if (owner == OWNER_NULL)
		return 0;
	/* 6 */
	for (;;) {
		if (signal_pending_state(state, current))
			return -EINTR;
		schedule();
		lockevent_inc(rwsem_sleep_writer);
		set_current_state(state);
		if (*wstate == WRITER_HANDOFF)
			return 0;
		if (*wstate == WRITER_NOT_FIRST && first_waiter(sem) == waiter)
			*wstate = WRITER_FIRST;
		if (!(atomic_long_read(&sem->count) & RWSEM_LOCK_MASK))
			return 0;
		if (*wstate == WRITER_FIRST && (rt_task(current) || time_after(jiffies, waiter->timeout))) {
			*wstate = WRITER_HANDOFF;
			return 0;
		}
	}
}

/* Step 8. */
static void write_give_up(struct rwsem_5_4 *sem, struct rwsem_waiter *waiter, enum writer_wait_state wstate)
{
	DEFINE_WAKE_Q(wake_q);

	__set_current_state(TASK_RUNNING);
	raw_spin_lock_irq(&sem->wait_lock);
	list_del(&waiter->list);
	if (wstate == WRITER_HANDOFF)
		atomic_long_add(-RWSEM_FLAG_HANDOFF, &sem->count);
	if (list_empty(&sem->wait_list))
		atomic_long_andnot(RWSEM_FLAG_WAITERS, &sem->count);
	else
		mark_wake(sem, RWSEM_WAKE_ANY, &wake_q);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	lockevent_inc(rwsem_wlock_fail);
	trace_contention_end(sem, -EINTR);
}

int rwsem_5_4_down_write_slow(struct rwsem_5_4 *sem, unsigned int state)
{
	enum writer_wait_state wstate;
	struct rwsem_waiter waiter;
	bool disable_rspin;

	/* 1 */
	if (rwsem_5_4_can_spin(sem, LOCK_EXCLUSIVE) && rwsem_5_4_spin(sem, LOCK_EXCLUSIVE))
		return 0;
	/* 2: readers' spinning goes on being bad for this lock */
	disable_rspin = atomic_long_read(&sem->owner) & RWSEM_NONSPINNABLE;
	/* 3 */
	wstate = write_queue(sem, &waiter);
	set_current_state(state);
	/* 4 */
	while (!write_trylock_queued(sem, wstate)) {
		raw_spin_unlock_irq(&sem->wait_lock);
		if (write_wait(sem, &waiter, &wstate, state)) {
			write_give_up(sem, &waiter, wstate);
			return -EINTR;
		}
		raw_spin_lock_irq(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	/* 7 */
	list_del(&waiter.list);
	if (disable_rspin) {
		atomic_long_or(RWSEM_RD_NONSPINNABLE, &sem->owner);
		lockevent_inc(rwsem_opt_norspin);
	}
	raw_spin_unlock_irq(&sem->wait_lock);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
	return 0;
}
