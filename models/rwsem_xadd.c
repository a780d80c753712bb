/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of the xadd rwsems. Readers are counted in and let go by the waker; from 3.10
 * on a writer at the head is only woken, and takes the lock itself or loses it to a thief.
 */
#include "models/rwsem_xadd.h"

enum { XADD_EVENTS(kw_lockevent_enum) XADD_RACE_EVENTS(kw_lockevent_enum) XADD_FLAG_EVENTS(kw_lockevent_enum) };

static struct xadd_waiter *first_waiter(struct xadd_rwsem *sem)
{
	return list_first_entry(&sem->wait_list, struct xadd_waiter, list);
}

bool xadd_queue(struct xadd_rwsem *sem, struct xadd_waiter *waiter, enum lock_mode mode)
{
	bool first = list_empty(&sem->wait_list);

	waiter->task = current;
	waiter->mode = mode;
	list_add_tail(&waiter->list, &sem->wait_list);
	return first;
}

/* wait_lock held. The last one takes the queue's bias along. */
static void leave_queue(struct xadd_rwsem *sem, struct xadd_waiter *waiter)
{
	list_del(&waiter->list);
	if (list_empty(&sem->wait_list))
		atomic_sub(RWSEM_WAITING_BIAS, &sem->count);
}

/* False: it was granted the lock just before. */
static bool leave_reader(struct xadd_rwsem *sem, struct xadd_waiter *waiter)
{
	bool queued;

	raw_spin_lock_irq(&sem->wait_lock);
	queued = waiter->task;
	if (queued)
		leave_queue(sem, waiter);
	raw_spin_unlock_irq(&sem->wait_lock);
	if (queued)
		__set_current_state(TASK_RUNNING);
	return queued;
}

bool xadd_sleep_until_granted(struct xadd_rwsem *sem, struct xadd_waiter *waiter, unsigned int state)
{
	for (;;) {
		set_current_state(state);
		if (!smp_load_acquire(&waiter->task))
			break;
		if (signal_pending_state(state, current)) {
			if (leave_reader(sem, waiter))
				return false;
			continue;
		}
		if (waiter->mode == LOCK_SHARED)
			lockevent_inc(rwsem_sleep_reader);
		else
			lockevent_inc(rwsem_sleep_writer);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return true;
}

/* -- waking, from 3.10 on -------------------------------------------------------------------- */

static void wake(struct task_struct *task, struct wake_q_head *wake_q)
{
	if (wake_q)
		wake_q_add(wake_q, task);
	else
		wake_up_process(task);
}

/* Any of those who ask until the flag is cleared may leave their wake-up to this one. */
static void set_wakeup(struct xadd_rwsem *sem, int on)
{
	if (sem->rules->wake_flag)
		WRITE_ONCE(sem->wakeup, on);
}

/* Step 2: counts in the first reader. False: a writer was faster, and will wake when it leaves. */
static bool count_first_reader(struct xadd_rwsem *sem)
{
	int count;

	do {
		if (atomic_fetch_add(RWSEM_READ_BIAS, &sem->count) >= RWSEM_WAITING_BIAS)
			return true;
		count = atomic_sub_return(RWSEM_READ_BIAS, &sem->count);
	} while (sem->rules->reader_owned ? count >= RWSEM_WAITING_BIAS : !(count & RWSEM_ACTIVE_MASK));
	return false;
}

/* Readers from the head to the first writer. *end: what follows them. */
static int count_run(struct xadd_rwsem *sem, struct list_head **end)
{
	struct xadd_waiter *waiter;
	int n = 0;

	list_for_each_entry(waiter, &sem->wait_list, list) {
		if (waiter->mode == LOCK_EXCLUSIVE)
			break;
		n++;
	}
	*end = &waiter->list;
	return n;
}

/* Step 4. A reader whose record is cleared may return, and its stack be gone. */
static void grant_run(struct xadd_rwsem *sem, struct list_head *end, struct wake_q_head *wake_q)
{
	struct list_head *node = sem->wait_list.next, *next;

	for (; node != end; node = next) {
		struct xadd_waiter *waiter = list_entry(node, struct xadd_waiter, list);
		struct task_struct *task = waiter->task;

		next = node->next;
		if (wake_q)
			wake_q_add(wake_q, task);
		smp_store_release(&waiter->task, NULL);
		if (!wake_q)
			wake_up_process(task);
	}
	kw_list_join(&sem->wait_list, end);
}

/*
 * 1 a writer at the head is woken, and stays queued; 2 count in the first reader, unless
 * the caller owns the lock for reading; 3 count in those behind it up to a writer, and
 * drop the queue's bias if nobody is left; 4 let them go.
 */
void xadd_do_wake(struct xadd_rwsem *sem, enum xadd_wake type, struct wake_q_head *wake_q)
{
	struct xadd_waiter *head = first_waiter(sem);
	struct list_head *end;
	int counted = 0, adjustment;

	lockdep_assert_held(&sem->wait_lock);
	set_wakeup(sem, 1);
	/* 1 */
	if (head->mode == LOCK_EXCLUSIVE) {
		if (type == RWSEM_WAKE_ANY) {
			lockevent_inc(rwsem_wake_writer);
			wake(head->task, wake_q);
		}
		model_step("wakeup-clear");
		set_wakeup(sem, 0);
		return;
	}
	set_wakeup(sem, 0); /* before the word: whoever sees this reader's bias sees the flag clear */
	/* 2 */
	if (type != RWSEM_WAKE_READ_OWNED) {
		if (!count_first_reader(sem))
			return;
		counted = RWSEM_READ_BIAS;
		if (sem->rules->reader_owned)
			WRITE_ONCE(sem->owner, RWSEM_READER_OWNED);
	}
	/* 3 */
	adjustment = count_run(sem, &end) * RWSEM_READ_BIAS - counted;
	if (end == &sem->wait_list)
		adjustment -= RWSEM_WAITING_BIAS;
	if (adjustment)
		atomic_add(adjustment, &sem->count);
	lockevent_inc(rwsem_wake_reader);
	/* 4 */
	grant_run(sem, end, wake_q);
}

static void wake_locked(struct xadd_rwsem *sem, enum xadd_wake type, unsigned long flags)
{
	DEFINE_WAKE_Q(wake_q);

	if (!list_empty(&sem->wait_list))
		xadd_do_wake(sem, type, sem->rules->wake_q ? &wake_q : NULL);
	else if (type == RWSEM_WAKE_ANY)
		set_wakeup(sem, 0);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	wake_up_q(&wake_q);
}

/*
 * With the shortcut: a spinner will take the lock, and wake when it lets go of it; or it
 * gives up, and then tries under wait_lock before it sleeps. If wait_lock is busy as well,
 * there is nothing to gain here.
 */
static bool leave_it_to_spinner(struct xadd_rwsem *sem)
{
	return sem->shortcut && osq_is_locked(&sem->osq);
}

void xadd_wake(struct xadd_rwsem *sem)
{
	unsigned long flags;

	model_step("rwsem_wake");
	if (sem->rules->wake_flag) {
		if (READ_ONCE(sem->wakeup)) {
			lockevent_inc(rwsem_wake_skipped);
			return;
		}
		set_wakeup(sem, 1);
		model_step("wakeup-set");
	}
	if (leave_it_to_spinner(sem)) {
		local_irq_save(flags);
		if (!raw_spin_trylock(&sem->wait_lock)) {
			local_irq_restore(flags);
			lockevent_inc(rwsem_wake_skipped);
			return;
		}
	} else {
		raw_spin_lock_irqsave(&sem->wait_lock, flags);
	}
	wake_locked(sem, RWSEM_WAKE_ANY, flags);
}

void xadd_downgrade_wake(struct xadd_rwsem *sem)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	wake_locked(sem, RWSEM_WAKE_READ_OWNED, flags);
}

/*
 * 1 queue, and take the failed attempt back; 2 nobody is active, or only readers are and
 * this one is the first: the lock is for the head to have; 3 sleep until granted.
 */
int xadd_down_read_slow(struct xadd_rwsem *sem, int bias, unsigned int state)
{
	struct xadd_waiter waiter;
	int count, adjustment = -bias, ret;
	bool first;
	DEFINE_WAKE_Q(wake_q);

	/* 1 */
	raw_spin_lock_irq(&sem->wait_lock);
	first = xadd_queue(sem, &waiter, LOCK_SHARED);
	if (first)
		adjustment += RWSEM_WAITING_BIAS;
	count = atomic_add_return(adjustment, &sem->count);
	trace_contention_begin(sem, LCB_F_READ);
	/* 2 */
	if (count == RWSEM_WAITING_BIAS || (count > RWSEM_WAITING_BIAS && first))
		xadd_do_wake(sem, RWSEM_WAKE_ANY, sem->rules->wake_q ? &wake_q : NULL);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	/* 3 */
	ret = xadd_sleep_until_granted(sem, &waiter, state) ? 0 : -EINTR;
	lockevent_cond_inc(rwsem_rlock, !ret);
	trace_contention_end(sem, ret);
	return ret;
}

bool xadd_sleep_writer(struct xadd_rwsem *sem, unsigned int state)
{
	bool signal = false;

	raw_spin_unlock_irq(&sem->wait_lock);
	do {
		signal = signal_pending_state(state, current);
		if (signal)
			break;
		lockevent_inc(rwsem_sleep_writer);
		schedule();
		set_current_state(state);
	} while (atomic_read(&sem->count) & RWSEM_ACTIVE_MASK);
	raw_spin_lock_irq(&sem->wait_lock);
	return !signal;
}

void xadd_leave_writer(struct xadd_rwsem *sem, struct xadd_waiter *waiter)
{
	DEFINE_WAKE_Q(wake_q);

	__set_current_state(TASK_RUNNING);
	leave_queue(sem, waiter);
	if (!list_empty(&sem->wait_list))
		xadd_do_wake(sem, RWSEM_WAKE_ANY, sem->rules->wake_q ? &wake_q : NULL);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
}

/* -- the simulator's side ------------------------------------------------------------------- */

void xadd_init(struct xadd_rwsem *sem, const struct xadd_rules *rules)
{
	raw_spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
	osq_lock_init(&sem->osq);
	holders_init(&sem->holders);
	sem->rules = rules;
}

void xadd_hold(struct xadd_rwsem *sem, struct lock_req *req)
{
	holders_add(&sem->holders, req->hold, req->mode);
}

enum lock_mode xadd_unhold(struct lock_req *req)
{
	struct holder *h = req->hold;

	holders_del(h);
	return h->mode;
}

void xadd_view(const void *l, struct lock_view *view)
{
	const struct xadd_rwsem *sem = l;
	const struct xadd_waiter *waiter;

	holders_view(&sem->holders, view);
	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	view->word = (uint32_t)sem->count.counter;
	if (sem->owner & RWSEM_READER_OWNED)
		strcpy(view->flags, "READER_OWNED");
}

/* Those who are just trying are in the word too, so it may say more than the list of holders, never less. */
const char *xadd_broken(const void *l)
{
	const struct xadd_rwsem *sem = l;
	int count = sem->count.counter;
	unsigned int holders = holders_count(&sem->holders, LOCK_EXCLUSIVE) + holders_count(&sem->holders, LOCK_SHARED);
	const char *broken = holders_broken(&sem->holders);

	if (broken)
		return broken;
	if (holders > (unsigned int)(count & RWSEM_ACTIVE_MASK))
		return "more holders than the word knows";
	if (holders_count(&sem->holders, LOCK_EXCLUSIVE) && count >= 0)
		return "a writer owns the lock but the word is not negative";
	if (!sem->wait_lock.owner && !holders_list_empty(&sem->wait_list) && count >= 0)
		return "the word does not say that somebody waits";
	return NULL;
}
