// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counting semaphore: a count and a FIFO list under a raw lock.
 *
 * up() hands its unit to the first waiter and wakes it, so nobody can steal and the
 * unit lies idle until the waiter runs; the count rises only when nobody waits. No
 * owner, no inheritance; up() is legal from any context.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/semaphore.c
 * Deviations: (1) timeouts are whole jiffies, rounded up, and give -ETIMEDOUT, not -ETIME.
 *
 * Down:  1. count > 0: take one   2. else queue at the tail   3. sleep until `up` is set
 * Up:    1. nobody queued: count += 1   2. else unlink the first, set its `up`   3. wake it
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct semaphore {
	raw_spinlock_t lock;
	unsigned int count;
	struct list_head wait_list;
};

struct semaphore_waiter {
	struct list_head list;
	struct task_struct *task;
	bool up;
};

#define SEMAPHORE_EVENTS(X)                                                                        \
	X(sem_queued)  /* downs that had to sleep */                                               \
	X(sem_handoff) /* ups that gave their unit to a waiter */
LOCKEVENTS(SEMAPHORE_EVENTS)

/* 2-3. The lock is held on entry and return, but not in between. */
static int down_common(struct semaphore *sem, unsigned int state, long timeout)
{
	struct semaphore_waiter waiter = { .task = current };

	lockevent_inc(sem_queued);
	list_add_tail(&waiter.list, &sem->wait_list);
	trace_contention_begin(sem, 0);
	for (;;) {
		int ret = signal_pending_state(state, current) ? -EINTR : timeout <= 0 ? -ETIMEDOUT : 0;

		if (ret) {
			list_del(&waiter.list);
			trace_contention_end(sem, ret);
			return ret;
		}
		__set_current_state(state);
		raw_spin_unlock_irq(&sem->lock);
		timeout = schedule_timeout(timeout);
		raw_spin_lock_irq(&sem->lock);
		if (waiter.up) {
			trace_contention_end(sem, 0);
			return 0;
		}
	}
}

static int down(struct semaphore *sem, unsigned int state, sim_time timeout)
{
	long ticks = timeout == SIM_NEVER ? MAX_SCHEDULE_TIMEOUT : (long)DIV_ROUND_UP(timeout, SIM_S / HZ);
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&sem->lock, flags);
	if (sem->count > 0) {
		sem->count--; /* 1 */
	} else {
		ret = down_common(sem, state, ticks);
	}
	raw_spin_unlock_irqrestore(&sem->lock, flags);
	return ret;
}

static bool down_trylock(struct semaphore *sem)
{
	unsigned long flags;
	bool got;

	raw_spin_lock_irqsave(&sem->lock, flags);
	got = sem->count > 0;
	if (got)
		sem->count--;
	raw_spin_unlock_irqrestore(&sem->lock, flags);
	return got;
}

static void up(struct semaphore *sem)
{
	struct semaphore_waiter *waiter;
	unsigned long flags;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irqsave(&sem->lock, flags);
	if (list_empty(&sem->wait_list)) {
		sem->count++; /* 1 */
	} else {
		waiter = list_first_entry(&sem->wait_list, struct semaphore_waiter, list); /* 2 */
		list_del(&waiter->list);
		waiter->up = true;
		lockevent_inc(sem_handoff);
		wake_q_add(&wake_q, waiter->task);
	}
	raw_spin_unlock_irqrestore(&sem->lock, flags);
	wake_up_q(&wake_q); /* 3 */
}

/* --------------------------------------------------------------------------------------- */

static void semaphore_init(void *l, const uint64_t *params)
{
	struct semaphore *sem = l;

	raw_spin_lock_init(&sem->lock);
	sem->count = (unsigned int)params[0];
	INIT_LIST_HEAD(&sem->wait_list);
}

static int semaphore_lock(void *l, struct lock_req *req)
{
	unsigned int state = TASK_UNINTERRUPTIBLE;

	if (req->how & LOCK_TRY)
		return down_trylock(l) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	return down(l, state, req->timeout);
}

static void semaphore_unlock(void *l, struct lock_req *req)
{
	up(l);
}

static void semaphore_view(const void *l, struct lock_view *view)
{
	const struct semaphore *sem = l;
	const struct semaphore_waiter *waiter;

	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = sem->count;
}

static const char *semaphore_broken(const void *l)
{
	const struct semaphore *sem = l;

	if (!sem->lock.owner && sem->count > 0 && sem->wait_list.next != &sem->wait_list)
		return "tasks are queued though the count is not 0";
	return NULL;
}

static const struct lock_param semaphore_params[] = {
	{ "count", LOCK_PARAM_COUNT, 1, "units at the start" },
	{ NULL }
};

LOCK_MODEL(semaphore) = {
	.abi = LOCK_MODEL_ABI,
	.name = "semaphore",
	.mirrors = "Linux 6.1.192 kernel/locking/semaphore.c",
	.summary = "counting semaphore: FIFO, each unit handed over, no owner",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_ANYONE | LOCK_CAP_COUNTING | LOCK_CAP_FIFO,
	.size = sizeof(struct semaphore),
	.params = semaphore_params,
	.events = lockevent_names,
	.init = semaphore_init,
	.lock = semaphore_lock,
	.unlock = semaphore_unlock,
	.view = semaphore_view,
	.broken = semaphore_broken,
};
