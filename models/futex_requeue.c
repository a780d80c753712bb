// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requeueing: those who wait for a condition are moved on to its PI futex while they sleep,
 * instead of being woken only to find it held. The holder, mostly the very task that says
 * wake, is boosted during its own call; each of them runs when the lock is its own.
 *
 * Mirrors: Linux 6.1.192 kernel/futex/requeue.c
 * Deviations: (1) a signal behind the move sends the task round by a call of its own, where the
 * kernel answers -EWOULDBLOCK and leaves that to the library; (2) a deadlock that the walk meets
 * ends the move there: who is left stays with the condition; (3) a move takes place under
 * both buckets' locks, so the states in between are not needed.
 *
 * Wait:    1 queue in the condition's bucket, sleep   2 not moved: back   3 moved with the lock: mine
 *          4 moved: wait for the rt_mutex as any waiter (steps 6 to 9 of FUTEX_LOCK_PI)
 * Requeue: for each, strongest first: 1 the word is free: it is its own, wake it   2 no state: make one
 *          3 take the rt_mutex for it, wake it   4 or block it there, asleep as it is
 */
#include "models/futex_pi.h"

struct requeue_q { /* on the waiter's stack */
	struct futex_q q; /* first */
	struct pi_q pi;
	bool moved, owned;
};

/* 4 */
static int wait_moved(struct pi_futex *f, struct requeue_q *rq, struct kw_timeout *timeout)
{
	int ret = pi_wait(f, &rq->pi, timeout);

	raw_spin_lock(&f->hb.lock);
	if (ret && pi_cleanup(f, &rq->pi))
		ret = 0;
	if (pi_fixup(f, !ret))
		ret = 0;
	pi_unqueue(f, &rq->pi);
	raw_spin_unlock(&f->hb.lock);
	lockevent_cond_inc(rtmutex_timeout, ret == -ETIMEDOUT);
	lockevent_cond_inc(rtmutex_signal, ret == -EINTR);
	return ret;
}

int futex_wait_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, atomic_t *word, int val,
			  struct kw_timeout *timeout)
{
	struct lock_req again = { .mode = LOCK_EXCLUSIVE, .timeout = SIM_NEVER };
	struct requeue_q rq = { .moved = false };
	int ret;

	kw_syscall_enter();
	ret = futex_wait_queued(hb, word, val, &rq.q, current->normal_prio, timeout);
	if (rq.owned)
		kw_requeued(current, f); /* 3 */
	else if (rq.moved)
		ret = wait_moved(f, &rq, timeout);
	else if (!ret)
		ret = -EAGAIN;
	kw_syscall_exit();
	if (rq.moved && ret == -EINTR)
		ret = futex_pi_lock(f, &again);
	if (rq.moved && !ret)
		f->holder = current;
	return ret;
}

/* 1. The word is the waiter's: nobody else needs to know. False: it is held. */
static bool take_free_word(struct pi_futex *f, const struct task_struct *p)
{
	unsigned int word;

	do {
		word = word_of(f);
		if (word & FUTEX_TID_MASK || pi_has_waiters(f))
			return false;
	} while (!word_swap(f, word, tid_of(p) | (word & FUTEX_OWNER_DIED)));
	return true;
}

/* 2 to 4. 0, or an error: it stays where it is. */
static int move_one(struct pi_futex *f, struct requeue_q *rq)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	struct task_struct *p = rq->q.task;
	int ret = 0;

	while (!pi_has_waiters(f)) {
		ret = pi_attach_to_owner(f, word_of(f));
		if (!ret)
			break;
		if (ret != -EAGAIN)
			return ret;
	}
	rt_mutex_init_waiter(&rq->pi.waiter, TASK_NORMAL);
	pi_queue(f, &rq->pi, p);
	raw_spin_lock_irq(&rtm->wait_lock);
	if (try_to_take_rt_mutex(rtm, p, NULL)) {
		pi_name(f, p, 0, 0);
		rq->owned = true;
	} else {
		ret = task_blocks_on_rt_mutex(rtm, &rq->pi.waiter, p, RT_MUTEX_FULL_CHAINWALK);
		if (ret)
			remove_waiter(rtm, &rq->pi.waiter);
	}
	fixup_rt_mutex_waiters(rtm);
	raw_spin_unlock_irq(&rtm->wait_lock);
	if (ret || rq->owned)
		pi_unqueue(f, &rq->pi);
	return ret;
}

/* Out of the condition's bucket. */
static void moved(struct pi_futex *f, struct futex_bucket *hb, struct requeue_q *rq, struct wake_q_head *wake_q)
{
	list_del(&rq->q.list);
	atomic_dec(&hb->waiters);
	rq->moved = true;
	if (rq->owned) /* says so itself when it runs */
		wake_q_add(wake_q, rq->q.task);
	else
		kw_requeued(rq->q.task, f);
	smp_store_release(&rq->q.lock_ptr, NULL);
}

void futex_cmp_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, unsigned int n)
{
	DEFINE_WAKE_Q(wake_q);
	unsigned int op;

	kw_syscall_enter();
	raw_spin_lock(&hb->lock);
	op = kw_op_on(f);
	raw_spin_lock(&f->hb.lock);
	while (n-- && !list_empty(&hb->chain)) {
		struct futex_q *q = list_first_entry(&hb->chain, struct futex_q, list);
		struct requeue_q *rq = container_of(q, struct requeue_q, q);

		rq->owned = take_free_word(f, q->task);
		if (!rq->owned && move_one(f, rq))
			break;
		moved(f, hb, rq, &wake_q);
	}
	raw_spin_unlock(&f->hb.lock);
	kw_op_back(op);
	raw_spin_unlock(&hb->lock);
	wake_up_q(&wake_q);
	kw_syscall_exit();
}
