/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chain walk: carries a changed priority from a task to the owner of the lock it is
 * blocked on, to that owner's lock's owner, and so on; finds deadlocks on the way.
 *
 *  step  locks held at the end     what
 *   [1]  task.pi_lock              lock the task
 *   [2]                            w: through what is it blocked
 *   [3]                            exits: chain gone, changed, or nothing to do
 *   [4]                            lock: where w waits
 *   [5]  + lock.wait_lock          wrong order, so only try; else let go and begin again
 *   [6]                            exit: deadlock
 *   [7]                            w gets the task's key and a new place
 *   [8]  lock.wait_lock            the task cannot unblock meanwhile
 *   [9]                            exit: free lock; a new top waiter is woken
 *  [10]  + owner.pi_lock           step up to the owner
 *  [11]                            its pi_waiters get the lock's new top; adjust it
 *  [12]                            where it is blocked; the lock's top, for [3]
 *  [13]  none                      exits: end of chain, nothing changed; else [1]
 *
 * Never more than two locks at a time; between two rounds everything may change, which
 * is what next_lock (never followed, only compared) is for.
 */
#include "models/rtmutex_private.h"

struct pi_walk {
	struct task_struct *task;     /* looked at next */
	struct task_struct *top_task; /* who began it all: meeting it again is a deadlock */
	struct rt_mutex_base *orig_lock, *next_lock;
	struct rt_mutex_waiter *orig_waiter, *top_waiter;
	bool detect;  /* walk to the end though nothing changes */
	bool requeue; /* still changing priorities; false: only looking for a deadlock */

	/* this round */
	unsigned int retries;
	struct rt_mutex_waiter *waiter; /* w */
	struct rt_mutex_base *lock;
};

enum walk_result { WALK_ON, WALK_RETRY, WALK_END, WALK_DEADLOCK };

struct rt_mutex_base *task_blocked_on_lock(const struct task_struct *task)
{
	return task->pi_blocked_on ? task->pi_blocked_on->lock : NULL;
}

/* The donor's own priority counts, not the key of its waiter. */
void rt_mutex_adjust_prio(struct task_struct *task)
{
	struct rt_mutex_waiter *top;

	lockdep_assert_held(&task->pi_lock);
	top = task_top_pi_waiter(task);
	rt_mutex_setprio(task, top ? top->task : NULL);
}

void rt_mutex_lend(struct task_struct *task, struct rt_mutex_waiter *lent)
{
	waiter_update_prio(lent, lent->task);
	waiter_clone_prio(lent);
	raw_spin_lock(&task->pi_lock);
	rt_mutex_enqueue_pi(task, lent);
	rt_mutex_adjust_prio(task);
	raw_spin_unlock(&task->pi_lock);
}

void rt_mutex_take_back(struct task_struct *task, struct rt_mutex_waiter *lent)
{
	raw_spin_lock(&task->pi_lock);
	rt_mutex_dequeue_pi(task, lent);
	rt_mutex_adjust_prio(task);
	raw_spin_unlock(&task->pi_lock);
}

void rt_mutex_block_on(struct rt_mutex_waiter *waiter)
{
	raw_spin_lock(&current->pi_lock);
	current->pi_blocked_on = waiter;
	raw_spin_unlock(&current->pi_lock);
}

void rt_mutex_unblock(struct task_struct *task)
{
	raw_spin_lock(&task->pi_lock);
	task->pi_blocked_on = NULL;
	raw_spin_unlock(&task->pi_lock);
}

static enum walk_result walk_stop(struct pi_walk *walk, enum kw_pi_stop why)
{
	kw_pi_event(KW_PI_STOP, walk->task, walk->lock, NULL, why);
	return WALK_END;
}

/* Nothing to change here: the end, or from now on a mere search. */
static enum walk_result walk_idle(struct pi_walk *walk, enum kw_pi_stop why)
{
	if (!walk->detect)
		return walk_stop(walk, why);
	walk->requeue = false;
	return WALK_ON;
}

/* [2] to [4], under the task's pi_lock. */
static enum walk_result walk_look(struct pi_walk *walk)
{
	struct task_struct *task = walk->task;
	struct rt_mutex_waiter *w = task->pi_blocked_on;
	enum walk_result result = WALK_ON;

	walk->waiter = w;
	walk->lock = w ? w->lock : NULL;
	if (!walk->lock)
		return walk_stop(walk, KW_PI_STOP_NOT_BLOCKED);
	if (walk->orig_waiter && !rt_mutex_owner(walk->orig_lock))
		return walk_stop(walk, KW_PI_STOP_FREE);
	if (walk->lock != walk->next_lock)
		return walk_stop(walk, KW_PI_STOP_MOVED_ON);
	if (walk->top_waiter) {
		if (!task_top_pi_waiter(task))
			return walk_stop(walk, KW_PI_STOP_NO_PI_WAITERS);
		if (walk->top_waiter != task_top_pi_waiter(task))
			result = walk_idle(walk, KW_PI_STOP_NOT_TOP);
	}
	if (result == WALK_ON && waiter_prio_equals(w, task))
		result = walk_idle(walk, KW_PI_STOP_EQUAL);
	return result;
}

/* [1] to [5]. WALK_ON: pi_lock of the task and wait_lock are held, interrupts off. */
static enum walk_result walk_lock(struct pi_walk *walk)
{
	enum walk_result result;

	raw_spin_lock_irq(&walk->task->pi_lock);
	result = walk_look(walk);
	if (result == WALK_ON && !raw_spin_trylock(&walk->lock->wait_lock))
		result = WALK_RETRY;
	if (result != WALK_ON)
		raw_spin_unlock_irq(&walk->task->pi_lock);
	if (result == WALK_RETRY) {
		walk->retries++;
		cpu_relax();
	}
	return result;
}

/* [6] */
static enum walk_result walk_deadlock(struct pi_walk *walk)
{
	if (walk->lock != walk->orig_lock && rt_mutex_owner(walk->lock) != walk->top_task)
		return WALK_ON;
	kw_pi_event(KW_PI_DEADLOCK, walk->top_task, walk->lock, walk->task, 0);
	raw_spin_unlock(&walk->lock->wait_lock);
	raw_spin_unlock_irq(&walk->task->pi_lock);
	return WALK_DEADLOCK;
}

/* [12] and the unlocking of [13]: the owner, whose pi_lock is held, is the next task. */
static void walk_up(struct pi_walk *walk)
{
	struct rt_mutex_base *lock = walk->lock;

	walk->next_lock = task_blocked_on_lock(walk->task);
	walk->top_waiter = rt_mutex_top_waiter(lock);
	raw_spin_unlock(&walk->task->pi_lock);
	raw_spin_unlock_irq(&lock->wait_lock);
}

/* Pure search: step up to the owner, touching nothing. */
static enum walk_result walk_past(struct pi_walk *walk)
{
	raw_spin_unlock(&walk->task->pi_lock);
	if (!rt_mutex_owner(walk->lock)) {
		raw_spin_unlock_irq(&walk->lock->wait_lock);
		return WALK_END;
	}
	walk->task = rt_mutex_owner(walk->lock);
	raw_spin_lock(&walk->task->pi_lock);
	walk_up(walk);
	return walk->next_lock ? WALK_ON : WALK_END;
}

/* [7], [8]. Returns the top waiter of before. */
static struct rt_mutex_waiter *walk_requeue(struct pi_walk *walk)
{
	struct rt_mutex_waiter *before = rt_mutex_top_waiter(walk->lock);

	rt_mutex_dequeue(walk->lock, walk->waiter);
	waiter_update_prio(walk->waiter, walk->task);
	rt_mutex_enqueue(walk->lock, walk->waiter);
	kw_pi_event(KW_PI_REQUEUE, walk->task, walk->lock, NULL, walk->waiter->tree.prio);
	lockevent_inc(rtmutex_requeue);
	raw_spin_unlock(&walk->task->pi_lock);
	return before;
}

/* [9]: nobody to boost, but the lock is there for the taking. */
static enum walk_result walk_wake(struct pi_walk *walk, struct rt_mutex_waiter *before)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(walk->lock);

	if (top != before) {
		kw_pi_event(KW_PI_WAKE_TOP, top->task, walk->lock, NULL, 0);
		lockevent_inc(rtmutex_wake_top);
		wake_up_state(top->task, top->wake_state);
	}
	raw_spin_unlock_irq(&walk->lock->wait_lock);
	return WALK_END;
}

/*
 * [11]: of the waiters of this lock the owner's pi_waiters hold the top one, with the
 * key it has now. If w neither is nor was the top, the owner is untouched, and the
 * pi_tree key of w stays as old as it was.
 */
static void walk_boost(struct pi_walk *walk, struct task_struct *owner, struct rt_mutex_waiter *before)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(walk->lock);

	if (walk->waiter != top && walk->waiter != before)
		return;
	rt_mutex_dequeue_pi(owner, before);
	waiter_clone_prio(top);
	rt_mutex_enqueue_pi(owner, top);
	rt_mutex_adjust_prio(owner);
	walk->waiter = top;
}

/* [7] to [13] */
static enum walk_result walk_adjust(struct pi_walk *walk)
{
	struct rt_mutex_waiter *before = walk_requeue(walk);

	if (!rt_mutex_owner(walk->lock))
		return walk_wake(walk, before);
	/* [10] */
	walk->task = rt_mutex_owner(walk->lock);
	raw_spin_lock(&walk->task->pi_lock);
	walk_boost(walk, walk->task, before);
	/* [12], [13] */
	walk_up(walk);
	if (!walk->next_lock)
		return WALK_END;
	if (!walk->detect && walk->waiter != walk->top_waiter)
		return walk_stop(walk, KW_PI_STOP_OWNER_UNTOUCHED);
	return WALK_ON;
}

/* 0 or -EDEADLK; walk->task is the last that was come to. */
static int walk_chain(struct pi_walk *walk, unsigned int max_lock_depth)
{
	enum walk_result result = WALK_ON;
	unsigned int depth;

	for (depth = 1; result == WALK_ON; depth++) {
		if (depth > max_lock_depth) {
			walk->lock = walk->next_lock;
			walk_stop(walk, KW_PI_STOP_DEPTH);
			lockevent_inc(rtmutex_depth);
			return -EDEADLK;
		}
		walk->retries = 0;
		lockevent_inc(rtmutex_walk);
		model_step("rt_mutex_chain_again");
		do {
			result = walk_lock(walk);
		} while (result == WALK_RETRY);
		if (walk->retries)
			lockevent_add(rtmutex_walk_retry, walk->retries);
		if (result == WALK_ON)
			result = walk_deadlock(walk);
		if (result == WALK_ON)
			result = walk->requeue ? walk_adjust(walk) : walk_past(walk);
	}
	return result == WALK_DEADLOCK ? -EDEADLK : 0;
}

/* What no kernel has: a lock that lends by rules of its own, and is not looked into by walks. Plain, so without cost elsewhere. */
void rt_mutex_pass_on(struct task_struct *task)
{
	while (task) {
		struct rt_mutex_waiter *w = task->pi_blocked_on;
		struct pi_walk walk = { .task = task, .top_task = task, .requeue = true };

		if (!w || waiter_prio_equals(w, task))
			return;
		if (!w->lock) {
			task = w->told(w->elsewhere, task);
			continue;
		}
		walk.next_lock = w->lock;
		walk_chain(&walk, w->lock->max_lock_depth);
		task = walk.task;
		if (task->pi_blocked_on && task->pi_blocked_on->lock)
			return; /* the walk ended before */
	}
}

int rt_mutex_adjust_prio_chain(struct task_struct *task, enum rtmutex_chainwalk chwalk,
			       struct rt_mutex_base *orig_lock, struct rt_mutex_base *next_lock,
			       struct rt_mutex_waiter *orig_waiter, struct task_struct *top_task,
			       unsigned int max_lock_depth)
{
	struct pi_walk walk = {
		.task = task,
		.top_task = top_task,
		.orig_lock = orig_lock,
		.next_lock = next_lock,
		.orig_waiter = orig_waiter,
		.top_waiter = orig_waiter,
		.detect = chwalk == RT_MUTEX_FULL_CHAINWALK,
		.requeue = true,
	};
	int ret = walk_chain(&walk, max_lock_depth);

	if (walk.task->pi_blocked_on && !walk.task->pi_blocked_on->lock)
		rt_mutex_pass_on(walk.task);
	return ret;
}

/*
 * The normal priority of @task was changed. If it is blocked, its waiter moves and the
 * change goes up the chain. The top-waiter exits do not apply in the first round: no
 * waiter began it.
 */
void rt_mutex_adjust_pi(struct task_struct *task)
{
	struct rt_mutex_waiter *waiter;
	struct rt_mutex_base *next_lock;
	unsigned long flags;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	waiter = task->pi_blocked_on;
	if (!waiter || !waiter->lock || waiter_prio_equals(waiter, task)) {
		raw_spin_unlock_irqrestore(&task->pi_lock, flags);
		return;
	}
	next_lock = waiter->lock;
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	rt_mutex_adjust_prio_chain(task, RT_MUTEX_MIN_CHAINWALK, NULL, next_lock, NULL, task,
				   next_lock->max_lock_depth);
}

void rt_mutex_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_adjust_pi(p);
}
