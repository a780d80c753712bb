// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fmlp: the flexible multiprocessor locking protocol, long resources, global scheduling.
 *
 * Waiters sleep in one FIFO queue whatever their priorities, and the holder inherits the
 * strongest of them. So a request waits for at most one section of each other task, and
 * strangers cannot get in between; a weak task is served in its turn, before a strong one that
 * came later. Each release hands the lock to the first waiter, who is the holder before
 * it runs. Resources that are taken inside each other form a group and are one lock: there
 * are no chains.
 *
 * Short resources are spun for, without preemption, FIFO: that is `ticket` or `mcs`.
 *
 * Mirrors: A. Block, H. Leontyev, B. Brandenburg, J. Anderson, "A flexible real-time locking protocol
 * for multiprocessors", RTCSA 2007 (the rule: from memory; a comparator, not a reference)
 * Deviations: (1) groups are the scenario's: nothing looks for them. Where the holder waits for
 * another lock, of this kind or one that inherits, boosts are passed on; (2) no partitioned variant
 * with boosting above all others.
 *
 * Lock:   1 free: take it   2 queue at the tail, lend to the holder   3 what it waits for itself
 *         gets to know; sleep until the lock is mine   4 timeout, signal: leave, take back what was lent
 * Unlock: 1 nobody waits: free   2 the first waiter is the holder, and gets what the others lend
 *         3 back to the own priority   4 wake it
 */
#define RTMUTEX_EVENTS(X)                                                      \
	X(fmlp_queued)	/* requests that had to sleep */                       \
	X(fmlp_handoff) /* releases that gave the lock to a waiter */          \
	X(fmlp_gave_up) /* waits that a timeout or a signal ended */
#include "models/rtmutex_private.h"

struct fmlp_lock {
	raw_spinlock_t lock;
	struct task_struct *owner;
	struct list_head queue;
};

struct fmlp_waiter {
	struct list_head list;
	struct rt_mutex_waiter lent; /* in the owner's pi_waiters */
};

/* @p waits: its priority of now is lent. */
static struct task_struct *fmlp_told(void *lock, struct task_struct *p)
{
	struct fmlp_lock *l = lock;
	struct task_struct *owner = NULL;
	struct fmlp_waiter *w;

	raw_spin_lock_irq(&l->lock);
	list_for_each_entry(w, &l->queue, list) {
		if (w->lent.task != p)
			continue;
		owner = l->owner;
		rt_mutex_take_back(owner, &w->lent);
		rt_mutex_lend(owner, &w->lent);
	}
	raw_spin_unlock_irq(&l->lock);
	return owner;
}

/* 2 to 4; the lock's lock is held on entry, and not on return. */
static int fmlp_wait(struct fmlp_lock *l, unsigned int state, struct kw_timeout *timeout)
{
	struct task_struct *owner = l->owner;
	struct fmlp_waiter w;
	int ret = 0;

	lockevent_inc(fmlp_queued);
	rt_mutex_init_waiter(&w.lent, TASK_NORMAL);
	w.lent.task = current;
	w.lent.told = fmlp_told;
	w.lent.elsewhere = l;
	rt_mutex_block_on(&w.lent);
	list_add_tail(&w.list, &l->queue);
	trace_contention_begin(l, LCB_F_RT);
	kw_pi_event(KW_PI_BLOCK, current, l, owner, current->prio);
	rt_mutex_lend(owner, &w.lent);
	for (;;) {
		set_current_state(state);
		if (l->owner == current) /* handed over: already out of the queue */
			break;
		ret = signal_pending_state(state, current) ? -EINTR : kw_timed_out(timeout) ? -ETIMEDOUT : 0;
		if (ret)
			break;
		raw_spin_unlock_irq(&l->lock);
		rt_mutex_pass_on(owner);
		schedule();
		raw_spin_lock_irq(&l->lock);
	}
	__set_current_state(TASK_RUNNING);
	if (ret) {
		lockevent_inc(fmlp_gave_up);
		list_del(&w.list);
		owner = l->owner;
		rt_mutex_take_back(owner, &w.lent);
		rt_mutex_unblock(current);
	}
	trace_contention_end(l, ret);
	raw_spin_unlock_irq(&l->lock);
	if (ret)
		rt_mutex_pass_on(owner);
	return ret;
}

/* 2 and 3. Returns the new holder. */
static struct task_struct *fmlp_hand_over(struct fmlp_lock *l)
{
	struct fmlp_waiter *first = list_first_entry(&l->queue, struct fmlp_waiter, list), *w;
	struct task_struct *old = l->owner, *next = first->lent.task;

	lockevent_inc(fmlp_handoff);
	list_del(&first->list);
	rt_mutex_unblock(next);
	rt_mutex_take_back(old, &first->lent);
	l->owner = next;
	list_for_each_entry(w, &l->queue, list) {
		rt_mutex_take_back(old, &w->lent);
		rt_mutex_lend(next, &w->lent);
	}
	return next;
}

/* ---- the simulator's side ---- */

static void fmlp_init(void *lock, const uint64_t *params)
{
	struct fmlp_lock *l = lock;

	raw_spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->queue);
}

static unsigned int sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

static int fmlp_acquire(void *lock, struct lock_req *req)
{
	struct fmlp_lock *l = lock;
	struct kw_timeout timeout;
	int ret = 0;

	if (!(req->how & LOCK_TRY))
		might_sleep();
	raw_spin_lock_irq(&l->lock);
	if (!l->owner) {
		l->owner = current; /* 1 */
	} else if (l->owner == current) {
		ret = -EDEADLK;
	} else if (req->how & LOCK_TRY) {
		ret = -EBUSY;
	} else {
		kw_timeout_start(&timeout, req->timeout);
		ret = fmlp_wait(l, sleep_state(req), &timeout);
		kw_timeout_stop(&timeout);
		return ret;
	}
	raw_spin_unlock_irq(&l->lock);
	return ret;
}

static void fmlp_release(void *lock, struct lock_req *req)
{
	struct fmlp_lock *l = lock;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irq(&l->lock);
	if (list_empty(&l->queue))
		l->owner = NULL; /* 1 */
	else
		wake_q_add(&wake_q, fmlp_hand_over(l));
	preempt_disable();
	raw_spin_unlock_irq(&l->lock);
	wake_up_q(&wake_q); /* 4 */
	preempt_enable();
}

static void fmlp_prio_changed(void *lock, struct task_struct *p)
{
	rt_mutex_pass_on(fmlp_told(lock, p));
}

static void fmlp_view(const void *lock, struct lock_view *view)
{
	const struct fmlp_lock *l = lock;
	const struct fmlp_waiter *w;

	if (l->owner)
		lock_view_owner(view, l->owner, LOCK_EXCLUSIVE);
	list_for_each_entry(w, &l->queue, list)
		lock_view_waiter(view, w->lent.task, LOCK_EXCLUSIVE);
	view->word = l->owner ? (uint64_t)l->owner->pid : 0;
}

static const char *fmlp_broken(const void *lock)
{
	const struct fmlp_lock *l = lock;
	const struct fmlp_waiter *w;

	if (l->lock.owner)
		return NULL;
	if (!l->owner && l->queue.next != &l->queue)
		return "tasks are queued though nobody holds the lock";
	list_for_each_entry(w, &l->queue, list)
		if (w->lent.tree.prio < MAX_RT_PRIO && l->owner->prio > w->lent.tree.prio)
			return "the holder is weaker than a waiter";
	return NULL;
}

LOCK_MODEL(fmlp) = {
	.abi = LOCK_MODEL_ABI,
	.name = "fmlp",
	.mirrors = "Block, Leontyev, Brandenburg, Anderson 2007, long resources, global (from memory)",
	.summary = "FIFO queue of sleepers, the holder inherits the strongest: one section of each other task at most",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_FIFO,
	.size = sizeof(struct fmlp_lock),
	.events = lockevent_names,
	.init = fmlp_init,
	.lock = fmlp_acquire,
	.unlock = fmlp_release,
	.prio_changed = fmlp_prio_changed,
	.view = fmlp_view,
	.broken = fmlp_broken,
};
