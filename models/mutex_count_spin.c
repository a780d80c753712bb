// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count mutexes: spinning on a running owner. See mutex_count.h.
 *
 *   S1 worth it?     S2 queue for the right to look   S3 wait for the owner to let go
 *   S4 take it       S5 let the next one look          S6 nobody to look at: give up if
 *                       (unless queued once)              RT or a reschedule is due
 *
 * A task that waits in the MCS queue sees neither need_resched() nor the owner; the OSQ
 * that replaced it can be left.
 */
#include "models/mutex_count.h"

/* -- the queue of spinners ------------------------------------------------------------------- */

static void mspin_lock(struct mutex_count *lock, struct mspin_node *node)
{
	struct mspin_node *prev;

	node->locked = 0;
	node->next = NULL;
	prev = xchg(&lock->spin_mlock, node);
	if (!prev)
		return;
	model_step("mspin-link");
	WRITE_ONCE(prev->next, node);
	smp_cond_load_acquire(&node->locked, VAL);
}

static void mspin_unlock(struct mutex_count *lock, struct mspin_node *node)
{
	struct mspin_node *next = READ_ONCE(node->next);

	if (!next) {
		if (cmpxchg(&lock->spin_mlock, node, NULL) == node)
			return;
		next = smp_cond_load_relaxed(&node->next, VAL != NULL);
	}
	smp_store_release(&next->locked, 1);
}

/* False: it had to leave, a reschedule is due. */
static bool queue_enter(struct mutex_count *lock, struct mspin_node *node)
{
	if (lock->rules & MUTEX_OSQ) {
		if (osq_lock(&lock->osq))
			return true;
		lockevent_inc(mutex_osq_cancel);
		return false;
	}
	if (lock->rules & MUTEX_SPIN_QUEUE)
		mspin_lock(lock, node);
	return true;
}

static void queue_leave(struct mutex_count *lock, struct mspin_node *node)
{
	if (lock->rules & MUTEX_OSQ)
		osq_unlock(&lock->osq);
	else if (lock->rules & MUTEX_SPIN_QUEUE)
		mspin_unlock(lock, node);
}

/* -- the owner --------------------------------------------------------------------------------- */

/* S1 */
static bool can_spin(struct mutex_count *lock)
{
	struct task_struct *owner;

	if (!(lock->rules & MUTEX_SPIN_QUEUE))
		return true;
	if ((lock->rules & MUTEX_SPIN_RESCHED) && need_resched())
		return false;
	owner = READ_ONCE(lock->owner);
	return !owner || owner_on_cpu(owner);
}

/* S3. False: stop spinning. True: look again whether the lock is free. */
static bool spin_on_owner(struct mutex_count *lock, struct task_struct *owner)
{
	bool changed = false;

	spin_begin();
	while (!(changed = READ_ONCE(lock->owner) != owner)) {
		if (!owner_on_cpu(owner) || need_resched())
			break;
		spin_cpu_relax();
	}
	if (lock->rules & MUTEX_KEEP_SPINNING)
		return changed;
	if (!changed && !(lock->rules & MUTEX_LATE_LOOK))
		return false;
	return !READ_ONCE(lock->owner);
}

/* S4 */
static bool take(struct mutex_count *lock)
{
	if ((lock->rules & MUTEX_SPIN_QUEUE) && atomic_read(&lock->count) != 1)
		return false;
	if (atomic_cmpxchg(&lock->count, 1, 0) != 1)
		return false;
	mutex_count_won(lock, true);
	return true;
}

enum look { LOOK_TAKEN, LOOK_STOP, LOOK_NULL, LOOK_AGAIN };

/* S3, S4, and S6 without the letting go before it */
static enum look look(struct mutex_count *lock, struct task_struct **owner)
{
	*owner = READ_ONCE(lock->owner);
	if (*owner && !spin_on_owner(lock, *owner))
		return LOOK_STOP;
	return take(lock) ? LOOK_TAKEN : LOOK_AGAIN;
}

/* S6: the owner may have been preempted between the count and its name; by this task, if it is RT. */
static bool is_hopeless(const struct task_struct *owner)
{
	return !owner && (need_resched() || rt_task(current));
}

/* Queues, looks, and lets the next one look, each time anew. */
static enum look spin_requeueing(struct mutex_count *lock)
{
	struct mspin_node node;
	struct task_struct *owner;
	enum look seen;

	for (;;) {
		if (!queue_enter(lock, &node))
			return LOOK_STOP;
		seen = look(lock, &owner);
		queue_leave(lock, &node);
		if (seen != LOOK_AGAIN)
			return seen;
		if (is_hopeless(owner))
			return LOOK_NULL;
		cpu_relax();
		lockevent_cond_inc(mutex_requeue, lock->rules & MUTEX_SPIN_QUEUE);
	}
}

/* Queues, and is the one to look until it is over. */
static enum look spin_queued_once(struct mutex_count *lock)
{
	struct mspin_node node;
	struct task_struct *owner;
	enum look seen;

	if (!queue_enter(lock, &node))
		return LOOK_STOP;
	while ((seen = look(lock, &owner)) == LOOK_AGAIN) {
		if (is_hopeless(owner)) {
			seen = LOOK_NULL;
			break;
		}
		cpu_relax();
	}
	queue_leave(lock, &node);
	return seen;
}

bool mutex_count_spin(struct mutex_count *lock)
{
	enum look seen;

	if (!can_spin(lock)) {
		lockevent_inc(mutex_spin_refused);
		return false;
	}
	lockevent_inc(mutex_spin);
	seen = lock->rules & MUTEX_QUEUE_ONCE ? spin_queued_once(lock) : spin_requeueing(lock);
	lockevent_cond_inc(mutex_spin_acquired, seen == LOOK_TAKEN);
	lockevent_cond_inc(mutex_spin_fail, seen == LOOK_STOP);
	lockevent_cond_inc(mutex_spin_null, seen == LOOK_NULL);
	return seen == LOOK_TAKEN;
}
