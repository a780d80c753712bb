// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rtmutex-2.6.31: the chain walk, and joining and leaving the queue. The walk is the later
 * one (rtmutex_chain.c) without what was added in 2014: no test whether the chain has moved
 * on to another lock, no mode that only searches.
 *
 *   1 lock the task   2 exits: not blocked, or made pending owner; the walk's waiter too;
 *   nothing to pass on; its key is right   3 try wait_lock, else begin again   4 deadlock?
 *   5 a new place for the waiter   6 the owner: its pi_waiters, its priority   7 on, if the
 *   waiter is the lock's top
 */
#include "models/rtmutex_pending.h"

struct pending_walk {
	struct task_struct *task; /* looked at next */
	struct task_struct *top_task;
	struct rt_mutex_base *orig_lock, *lock;
	struct rt_mutex_waiter *orig_waiter, *top_waiter, *waiter;
	bool detect;
};

enum pending_step { STEP_ON, STEP_RETRY, STEP_END, STEP_DEADLOCK };

/* 2, under the task's pi_lock. */
static bool has_business(struct pending_walk *walk)
{
	struct task_struct *task = walk->task;

	walk->waiter = task->pi_blocked_on;
	if (!walk->waiter || !walk->waiter->task)
		return false;
	if (walk->orig_waiter && !walk->orig_waiter->task)
		return false;
	if (walk->top_waiter && walk->top_waiter != task_top_pi_waiter(task))
		return false;
	if (!walk->detect && walk->waiter->tree.prio == task->prio)
		return false;
	walk->lock = walk->waiter->lock;
	return true;
}

/* 1 to 4. STEP_ON: the task's pi_lock and wait_lock are held. */
static enum pending_step lock_step(struct pending_walk *walk)
{
	enum pending_step result = STEP_ON;

	raw_spin_lock_irq(&walk->task->pi_lock);
	if (!has_business(walk)) {
		result = STEP_END;
	} else if (!raw_spin_trylock(&walk->lock->wait_lock)) {
		result = STEP_RETRY;
	} else if (walk->lock == walk->orig_lock || pending_owner(walk->lock) == walk->top_task) {
		kw_pi_event(KW_PI_DEADLOCK, walk->top_task, walk->lock, walk->task, 0);
		raw_spin_unlock(&walk->lock->wait_lock);
		result = STEP_DEADLOCK;
	}
	if (result != STEP_ON)
		raw_spin_unlock_irq(&walk->task->pi_lock);
	if (result == STEP_RETRY) {
		lockevent_inc(rtmutex_walk_retry);
		cpu_relax();
	}
	return result;
}

/* 6. @before: the lock's top waiter of before. */
static void boost_owner(struct pending_walk *walk, struct rt_mutex_waiter *before)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(walk->lock);
	struct task_struct *owner = walk->task;

	if (walk->waiter != top && walk->waiter != before)
		return;
	rt_mutex_dequeue_pi(owner, before);
	waiter_clone_prio(top);
	rt_mutex_enqueue_pi(owner, top);
	rt_mutex_adjust_prio(owner);
	walk->waiter = top;
}

/* 5 to 7 */
static enum pending_step adjust_step(struct pending_walk *walk)
{
	struct rt_mutex_base *lock = walk->lock;
	struct rt_mutex_waiter *before = rt_mutex_top_waiter(lock);

	rt_mutex_dequeue(lock, walk->waiter);
	pending_key(walk->waiter, walk->task);
	rt_mutex_enqueue(lock, walk->waiter);
	kw_pi_event(KW_PI_REQUEUE, walk->task, lock, NULL, walk->waiter->tree.prio);
	lockevent_inc(rtmutex_requeue);
	raw_spin_unlock(&walk->task->pi_lock);

	walk->task = pending_owner(lock);
	raw_spin_lock(&walk->task->pi_lock);
	boost_owner(walk, before);
	raw_spin_unlock(&walk->task->pi_lock);

	walk->top_waiter = rt_mutex_top_waiter(lock);
	raw_spin_unlock_irq(&lock->wait_lock);
	return walk->detect || walk->waiter == walk->top_waiter ? STEP_ON : STEP_END;
}

int pending_adjust_prio_chain(struct task_struct *task, bool detect, struct rt_mutex_base *orig_lock,
			      struct rt_mutex_waiter *orig_waiter, struct task_struct *top_task,
			      unsigned int max_depth)
{
	struct pending_walk walk = {
		.task = task,
		.top_task = top_task,
		.orig_lock = orig_lock,
		.orig_waiter = orig_waiter,
		.top_waiter = orig_waiter,
		.detect = detect,
	};
	enum pending_step result = STEP_ON;

	for (unsigned int depth = 1; result == STEP_ON; depth++) {
		if (depth > max_depth) {
			lockevent_inc(rtmutex_depth);
			return detect ? -EDEADLK : 0;
		}
		lockevent_inc(rtmutex_walk);
		model_step("rt_mutex_chain_again");
		do {
			result = lock_step(&walk);
		} while (result == STEP_RETRY);
		if (result == STEP_ON)
			result = adjust_step(&walk);
	}
	return result == STEP_DEADLOCK && detect ? -EDEADLK : 0;
}

void pending_adjust_pi(struct task_struct *task)
{
	struct rt_mutex_waiter *waiter;
	unsigned int max_depth = 0;

	raw_spin_lock_irq(&task->pi_lock);
	waiter = task->pi_blocked_on;
	if (waiter && waiter->tree.prio != task->prio)
		max_depth = waiter->lock->max_lock_depth;
	raw_spin_unlock_irq(&task->pi_lock);
	if (max_depth)
		pending_adjust_prio_chain(task, false, NULL, NULL, task, max_depth);
}

/* -- queueing: wait_lock held ------------------------------------------------------------------ */

/* @waiter, gone from the queue, hangs in the owner's pi_waiters only if it is the owner's own. */
static void pending_lends(struct rt_mutex_base *lock, struct task_struct *owner, struct rt_mutex_waiter *waiter)
{
	raw_spin_lock(&owner->pi_lock);
	rt_mutex_dequeue_pi(owner, waiter);
	if (rt_mutex_has_waiters(lock))
		rt_mutex_enqueue_pi(owner, rt_mutex_top_waiter(lock));
	raw_spin_unlock(&owner->pi_lock);
}

/* 3 of rtmutex_2_6_31.c. May let go of wait_lock for a walk; the waiter may be pending owner afterwards. */
int pending_block_on(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter)
{
	struct task_struct *owner = pending_owner(lock), *task = current;
	struct rt_mutex_waiter *top;
	bool detect = lock->chwalk == RT_MUTEX_FULL_CHAINWALK, walk = detect;
	int ret = 0;

	raw_spin_lock(&task->pi_lock);
	rt_mutex_adjust_prio(task);
	waiter->task = task;
	waiter->lock = lock;
	pending_key(waiter, task);
	waiter_clone_prio(waiter);
	top = rt_mutex_top_waiter(lock);
	rt_mutex_enqueue(lock, waiter);
	task->pi_blocked_on = waiter;
	raw_spin_unlock(&task->pi_lock);
	lockevent_inc(rtmutex_block);
	kw_pi_event(KW_PI_BLOCK, task, lock, owner, waiter->tree.prio);
	if (waiter == rt_mutex_top_waiter(lock)) {
		raw_spin_lock(&owner->pi_lock);
		if (top)
			rt_mutex_dequeue_pi(owner, top);
		rt_mutex_enqueue_pi(owner, waiter);
		rt_mutex_adjust_prio(owner);
		walk = owner->pi_blocked_on;
		raw_spin_unlock(&owner->pi_lock);
	}
	if (walk) {
		raw_spin_unlock_irq(&lock->wait_lock);
		ret = pending_adjust_prio_chain(owner, detect, lock, waiter, task, lock->max_lock_depth);
		raw_spin_lock_irq(&lock->wait_lock);
	}
	return ret;
}

/* 6 of rtmutex_2_6_31.c. May let go of wait_lock. */
void pending_leave(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter)
{
	bool was_top = waiter == rt_mutex_top_waiter(lock), walk;
	struct task_struct *owner = pending_owner(lock);
	struct rt_mutex_waiter *next;

	raw_spin_lock(&current->pi_lock);
	rt_mutex_dequeue(lock, waiter);
	waiter->task = NULL;
	current->pi_blocked_on = NULL;
	raw_spin_unlock(&current->pi_lock);
	if (!was_top)
		return;
	if (owner == current) { /* stolen while queued; or it waited for itself, and lent itself */
		pending_lends(lock, current, waiter);
		return;
	}
	raw_spin_lock(&owner->pi_lock);
	rt_mutex_dequeue_pi(owner, waiter);
	next = rt_mutex_top_waiter(lock);
	if (next)
		rt_mutex_enqueue_pi(owner, next);
	rt_mutex_adjust_prio(owner);
	walk = owner->pi_blocked_on;
	raw_spin_unlock(&owner->pi_lock);
	if (!walk)
		return;
	raw_spin_unlock_irq(&lock->wait_lock);
	pending_adjust_prio_chain(owner, false, lock, NULL, current, lock->max_lock_depth);
	raw_spin_lock_irq(&lock->wait_lock);
}
