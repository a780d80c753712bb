// SPDX-License-Identifier: GPL-2.0-or-later
/* Count mutexes: the count, the sleepers, unlocking. See mutex_count.h. */
#include "models/mutex_count.h"

/* Plain: it decides nothing but counters. */
static bool has_sleepers(const struct mutex_count *lock)
{
	return lock->wait_list.next != &lock->wait_list;
}

static void set_owner(struct mutex_count *lock, struct task_struct *owner)
{
	if (lock->rules & MUTEX_PREEMPT_OFF) /* the field came with it, and stays if nobody spins */
		WRITE_ONCE(lock->owner, owner);
	else
		lock->owner = owner; /* no such field: for view() only */
}

void mutex_count_won(struct mutex_count *lock, bool stolen)
{
	lockevent_cond_inc(mutex_steal, stolen && has_sleepers(lock));
	set_owner(lock, current);
}

/* 4: the -1 stays behind, so that whoever holds the mutex has to come to wait_lock to let go. */
static bool exchange_count(struct mutex_count *lock)
{
	if ((lock->rules & MUTEX_SPIN_QUEUE) && atomic_read(&lock->count) < 0)
		return false;
	return atomic_xchg(&lock->count, -1) == 1;
}

static void sleep_unlocked(struct mutex_count *lock)
{
	raw_spin_unlock(&lock->wait_lock);
	model_step("mutex-sleep");
	if (lock->rules & MUTEX_PREEMPT_OFF)
		schedule_preempt_disabled();
	else
		schedule();
	model_step("mutex-woken");
	raw_spin_lock(&lock->wait_lock);
}

/* 4, with wait_lock held on entry and return. */
static int wait_for_count(struct mutex_count *lock, unsigned int state)
{
	bool woken = false;

	if ((lock->rules & MUTEX_TEST_TWICE) && exchange_count(lock))
		return 0;
	while (!exchange_count(lock)) {
		lockevent_cond_inc(mutex_lost, woken);
		if (signal_pending_state(state, current)) {
			lockevent_inc(mutex_eintr);
			return -EINTR; /* the count stays at -1 */
		}
		__set_current_state(state);
		sleep_unlocked(lock);
		woken = true;
	}
	return 0;
}

/* 3 to 5 */
static int queue_and_wait(struct mutex_count *lock, unsigned int state)
{
	struct mutex_count_waiter waiter = { .task = current };
	int ret;

	model_step("mutex-queue");
	raw_spin_lock(&lock->wait_lock); /* 3 */
	if ((lock->rules & MUTEX_ONCE_MORE) && atomic_read(&lock->count) >= 0 &&
	    atomic_xchg(&lock->count, 0) == 1) {
		lockevent_inc(mutex_once_more);
		mutex_count_won(lock, true);
		raw_spin_unlock(&lock->wait_lock);
		return 0;
	}
	lockevent_inc(mutex_queued);
	list_add_tail(&waiter.list, &lock->wait_list);
	trace_contention_begin(lock, LCB_F_MUTEX);
	ret = wait_for_count(lock, state); /* 4 */
	list_del(&waiter.list);		   /* 5 */
	if (!ret) {
		mutex_count_won(lock, false);
		if (list_empty(&lock->wait_list))
			atomic_set(&lock->count, 0);
	}
	raw_spin_unlock(&lock->wait_lock);
	return ret;
}

/* S and what comes of it. True: acquired. */
static bool spin_first(struct mutex_count *lock)
{
	if (!(lock->rules & MUTEX_SPIN))
		return false;
	if (mutex_count_spin(lock))
		return true;
	if ((lock->rules & MUTEX_EXTRA_RESCHED) && need_resched()) {
		lockevent_inc(mutex_resched);
		schedule_preempt_disabled();
	}
	return false;
}

static int lock_slow(struct mutex_count *lock, unsigned int state)
{
	unsigned int rules = lock->rules;
	int ret = 0;

	if (rules & MUTEX_PREEMPT_OFF)
		preempt_disable(); /* 2 */
	model_step("mutex-slow");
	trace_contention_begin(lock, LCB_F_MUTEX | (rules & MUTEX_SPIN ? LCB_F_SPIN : 0));
	if (!spin_first(lock))
		ret = queue_and_wait(lock, state);
	trace_contention_end(lock, ret);
	if (rules & MUTEX_PREEMPT_OFF)
		preempt_enable(); /* 6 */
	return ret;
}

/* x86: the slow path frees the mutex, the fast one having only taken back one decrement. */
static void unlock_slow(struct mutex_count *lock)
{
	struct mutex_count_waiter *first;
	DEFINE_WAKE_Q(wake_q);

	lockevent_inc(mutex_unlock_slow);
	if (lock->rules & MUTEX_UNLOCK_EARLY)
		atomic_set(&lock->count, 1);
	model_step("mutex-unlock-wake");
	raw_spin_lock(&lock->wait_lock);
	if (!(lock->rules & MUTEX_UNLOCK_EARLY))
		atomic_set(&lock->count, 1);
	if (list_empty(&lock->wait_list)) {
		lockevent_inc(mutex_unlock_idle);
	} else {
		first = list_first_entry(&lock->wait_list, struct mutex_count_waiter, list);
		if (lock->rules & MUTEX_WAKE_Q)
			wake_q_add(&wake_q, first->task);
		else
			wake_up_process(first->task);
	}
	raw_spin_unlock(&lock->wait_lock);
	wake_up_q(&wake_q);
}

/* ---- the simulator's side ---- */

void mutex_count_init(struct mutex_count *lock, unsigned int rules)
{
	atomic_set(&lock->count, 1);
	raw_spin_lock_init(&lock->wait_lock);
	osq_lock_init(&lock->osq);
	INIT_LIST_HEAD(&lock->wait_list);
	lock->rules = rules;
}

int mutex_count_lock(void *l, struct lock_req *req)
{
	struct mutex_count *lock = l;
	unsigned int state = TASK_UNINTERRUPTIBLE;

	if (req->how & LOCK_TRY) {
		if (atomic_cmpxchg(&lock->count, 1, 0) != 1)
			return -EBUSY;
		mutex_count_won(lock, true);
		return 0;
	}
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	if (atomic_dec_return(&lock->count) < 0) /* 1 */
		return lock_slow(lock, state);
	mutex_count_won(lock, true);
	return 0;
}

void mutex_count_unlock(void *l, struct lock_req *req)
{
	struct mutex_count *lock = l;

	set_owner(lock, NULL);
	if (atomic_inc_return(&lock->count) <= 0)
		unlock_slow(lock);
}

void mutex_count_view(const void *l, struct lock_view *view)
{
	const struct mutex_count *lock = l;
	const struct mutex_count_waiter *waiter;

	if (lock->owner)
		lock_view_owner(view, lock->owner, LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = (uint32_t)lock->count.counter;
}

const char *mutex_count_broken(const void *l)
{
	const struct mutex_count *lock = l;

	if (lock->count.counter > 1)
		return "count is above 1";
	if (lock->count.counter == 1 && lock->owner)
		return "a free mutex has an owner";
	return NULL;
}
