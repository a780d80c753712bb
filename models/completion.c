// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The completion: a saturating counter `done` and a FIFO simple wait queue.
 *
 * lock() waits for it, unlock() is complete(), wakeall() is complete_all(). complete()
 * unlinks and wakes the first waiter but gives it nothing: whoever comes first while
 * `done` is not 0 takes it, and a woken waiter that comes too late queues again, at the
 * tail. complete_all() sets `done` to its maximum for good.
 *
 * Mirrors: Linux 6.1.192 kernel/sched/completion.c, swait.c
 * Deviations: (1) timeouts are exact, not in jiffies.
 *
 * Wait:      1. done is 0: queue (if unlinked), sleep, again   2. done -= 1 unless at its maximum
 * Complete:  1. done += 1 unless at its maximum   2. unlink and wake the first, inside the lock
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct completion {
	raw_spinlock_t lock;
	unsigned int done;
	struct list_head wait;
};

struct swait_queue {
	struct list_head list; /* empty while unlinked */
	struct task_struct *task;
};

#define COMPLETION_EVENTS(X)                                                                       \
	X(completion_queued)   /* waits that had to sleep */                                       \
	X(completion_requeued) /* woken, but somebody else took it: queued again */
LOCKEVENTS(COMPLETION_EVENTS)

/* 1. The lock is held on entry and return, but not in between. */
static int wait_until_done(struct completion *x, unsigned int state, struct kw_timeout *timeout)
{
	struct swait_queue wait = { .task = current };
	int ret = 0;

	INIT_LIST_HEAD(&wait.list);
	trace_contention_begin(x, 0);
	lockevent_inc(completion_queued);
	do {
		if (signal_pending_state(state, current)) {
			ret = -EINTR;
			break;
		}
		if (list_empty(&wait.list))
			list_add_tail(&wait.list, &x->wait);
		__set_current_state(state);
		raw_spin_unlock_irq(&x->lock);
		if (!kw_timed_out(timeout)) /* it may have fired while we were awake */
			schedule();
		raw_spin_lock_irq(&x->lock);
		lockevent_cond_inc(completion_requeued, !x->done && list_empty(&wait.list));
		ret = kw_timed_out(timeout) ? -ETIMEDOUT : 0;
	} while (!x->done && !ret);
	__set_current_state(TASK_RUNNING);
	if (!list_empty(&wait.list))
		list_del_init(&wait.list);
	ret = ret == -EINTR || !x->done ? ret : 0;
	trace_contention_end(x, ret);
	return ret;
}

static int wait_for_completion(struct completion *x, unsigned int state, sim_time timeout_ps)
{
	struct kw_timeout timeout;
	int ret = 0;

	raw_spin_lock_irq(&x->lock);
	if (!x->done) {
		kw_timeout_start(&timeout, timeout_ps);
		ret = wait_until_done(x, state, &timeout);
		kw_timeout_stop(&timeout);
	}
	if (!ret && x->done != UINT_MAX)
		x->done--; /* 2 */
	raw_spin_unlock_irq(&x->lock);
	return ret;
}

static bool try_wait_for_completion(struct completion *x)
{
	unsigned long flags;
	bool got;

	if (!READ_ONCE(x->done))
		return false;
	raw_spin_lock_irqsave(&x->lock, flags);
	got = x->done;
	if (got && x->done != UINT_MAX)
		x->done--;
	raw_spin_unlock_irqrestore(&x->lock, flags);
	return got;
}

static void swake_up_first(struct completion *x)
{
	struct swait_queue *wait;

	if (list_empty(&x->wait))
		return;
	wait = list_first_entry(&x->wait, struct swait_queue, list);
	wake_up_process(wait->task);
	list_del_init(&wait->list);
}

static void complete(struct completion *x)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&x->lock, flags);
	if (x->done != UINT_MAX)
		x->done++; /* 1 */
	swake_up_first(x); /* 2 */
	raw_spin_unlock_irqrestore(&x->lock, flags);
}

static void complete_all(void *l)
{
	struct completion *x = l;
	unsigned long flags;

	raw_spin_lock_irqsave(&x->lock, flags);
	x->done = UINT_MAX;
	while (!list_empty(&x->wait))
		swake_up_first(x);
	raw_spin_unlock_irqrestore(&x->lock, flags);
}

/* --------------------------------------------------------------------------------------- */

static void completion_init(void *l, const uint64_t *params)
{
	struct completion *x = l;

	raw_spin_lock_init(&x->lock);
	x->done = (unsigned int)params[0];
	INIT_LIST_HEAD(&x->wait);
}

static int completion_lock(void *l, struct lock_req *req)
{
	unsigned int state = TASK_UNINTERRUPTIBLE;

	if (req->how & LOCK_TRY)
		return try_wait_for_completion(l) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	return wait_for_completion(l, state, req->timeout);
}

static void completion_unlock(void *l, struct lock_req *req)
{
	complete(l);
}

static void completion_view(const void *l, struct lock_view *view)
{
	const struct completion *x = l;
	const struct swait_queue *wait;

	list_for_each_entry(wait, &x->wait, list)
		lock_view_waiter(view, wait->task, LOCK_EXCLUSIVE);
	view->word = x->done;
}

static const struct lock_param completion_params[] = {
	{ "done", LOCK_PARAM_COUNT, 0, "completions at the start" },
	{ NULL }
};

LOCK_MODEL(completion) = {
	.abi = LOCK_MODEL_ABI,
	.name = "completion",
	.mirrors = "Linux 6.1.192 kernel/sched/completion.c",
	.summary = "completion: lock waits, unlock completes, wakeall is complete_all; a woken waiter can come too late",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_ANYONE | LOCK_CAP_COUNTING | LOCK_CAP_WAKEALL,
	.size = sizeof(struct completion),
	.params = completion_params,
	.events = lockevent_names,
	.init = completion_init,
	.lock = completion_lock,
	.unlock = completion_unlock,
	.wakeall = complete_all,
	.view = completion_view,
};
