// SPDX-License-Identifier: GPL-2.0-or-later
/* FUTEX_WAIT and FUTEX_WAKE: see futex.h, also for the steps. */
#include "models/futex.h"
#include "models/rtmutex_base.h"

void futex_bucket_init(struct futex_bucket *hb, struct rt_mutex_base *rt_lock)
{
	raw_spin_lock_init(&hb->lock);
	INIT_LIST_HEAD(&hb->chain);
	hb->rt_lock = rt_lock;
	if (rt_lock)
		rt_spin_lock_init(rt_lock);
}

static void bucket_lock(struct futex_bucket *hb)
{
	if (hb->rt_lock)
		rt_spin_lock(hb->rt_lock);
	else
		raw_spin_lock(&hb->lock);
}

static void bucket_unlock(struct futex_bucket *hb)
{
	if (hb->rt_lock)
		rt_spin_unlock(hb->rt_lock);
	else
		raw_spin_unlock(&hb->lock);
}

/* d. Behind those that are at least as strong; all fair tasks are equal. */
static void futex_queue(struct futex_bucket *hb, struct futex_q *q, int prio)
{
	struct futex_q *at;

	q->task = current;
	q->prio = min(prio, MAX_RT_PRIO);
	q->lock_ptr = hb;
	list_for_each_entry(at, &hb->chain, list)
		if (at->prio > q->prio)
			break;
	list_add_tail(&q->list, &at->list);
	model_step("futex-queue");
	bucket_unlock(hb);
}

/* e. False: the waker was first. */
static bool futex_unqueue(struct futex_bucket *hb, struct futex_q *q)
{
	bool queued = false;

	if (READ_ONCE(q->lock_ptr)) {
		bucket_lock(hb);
		queued = q->lock_ptr;
		if (queued)
			list_del(&q->list);
		bucket_unlock(hb);
	}
	if (queued)
		atomic_dec(&hb->waiters);
	return queued;
}

/* d and e; the bucket's lock is held on entry. */
static int futex_sleep(struct futex_bucket *hb, struct futex_q *q, int prio, struct kw_timeout *timeout)
{
	lockevent_inc(futex_wait);
	set_current_state(TASK_INTERRUPTIBLE);
	futex_queue(hb, q, prio);
	model_step("futex-sleep");
	if (READ_ONCE(q->lock_ptr) && !kw_timed_out(timeout))
		schedule();
	__set_current_state(TASK_RUNNING);
	if (!futex_unqueue(hb, q))
		return 0;
	if (kw_timed_out(timeout))
		return -ETIMEDOUT;
	lockevent_inc(futex_signal);
	return -EINTR;
}

int futex_wait_queued(struct futex_bucket *hb, atomic_t *word, int val, struct futex_q *q, int prio,
		      struct kw_timeout *timeout)
{
	atomic_inc(&hb->waiters);     /* a */
	bucket_lock(hb);	      /* b */
	if (atomic_read(word) == val) /* c */
		return futex_sleep(hb, q, prio, timeout);
	bucket_unlock(hb);
	atomic_dec(&hb->waiters);
	lockevent_inc(futex_wait_again);
	return -EAGAIN;
}

int futex_wait(struct futex_bucket *hb, atomic_t *word, int val, int prio, struct kw_timeout *timeout)
{
	struct futex_q q;
	int ret;

	kw_syscall_enter();
	ret = futex_wait_queued(hb, word, val, &q, prio, timeout);
	kw_syscall_exit();
	return ret;
}

unsigned int futex_wake(struct futex_bucket *hb, unsigned int n)
{
	unsigned int woken = 0;
	DEFINE_WAKE_Q(wake_q);

	kw_syscall_enter();
	if (atomic_read(&hb->waiters)) { /* a */
		bucket_lock(hb); /* b */
		for (; woken < n && !list_empty(&hb->chain); woken++) {
			struct futex_q *first = list_first_entry(&hb->chain, struct futex_q, list);

			wake_q_add(&wake_q, first->task);
			list_del(&first->list); /* c */
			smp_store_release(&first->lock_ptr, NULL);
		}
		bucket_unlock(hb);
		if (woken)
			atomic_sub((int)woken, &hb->waiters);
		wake_up_q(&wake_q); /* d */
	}
	if (woken)
		lockevent_add(futex_wake, woken);
	else
		lockevent_inc(futex_wake_none);
	kw_syscall_exit();
	return woken;
}

void futex_view_waiters(const struct futex_bucket *hb, struct lock_view *view)
{
	const struct futex_q *q;

	list_for_each_entry(q, &hb->chain, list)
		lock_view_waiter(view, q->task, LOCK_EXCLUSIVE);
}
