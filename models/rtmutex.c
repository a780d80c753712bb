/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtmutex: a sleeping lock with priority inheritance.
 *
 * The owner word is the owning task; bit 0 says that somebody waits (or is just looking)
 * and closes the fast paths, which are one compare-and-swap each. Waiters queue in a tree
 * by priority, FIFO among equals, all fair tasks being equal. The top waiter of each lock
 * also hangs in its owner's pi_waiters, and the owner runs at the priority of the
 * strongest of those; a blocked owner passes it on to the owner of the lock it waits for,
 * and so on: the chain walk (rtmutex_chain.c).
 *
 * Unlocking takes back what was lent first, leaves the lock free with bit 0 set, and then
 * wakes the top waiter, which stays queued until it has taken the lock itself; meanwhile
 * a strictly stronger task may take it (steal), an equal one not. The top waiter spins
 * while the owner runs; nobody else spins. Fair by priority only: a weak waiter starves
 * behind strong ones.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/rtmutex.c.
 * Deviations:
 *  1. No ww_mutex flavour, no debug checks, no tracepoints but contention.
 *  2. Tasks are never freed, so the walk takes no references.
 *  3. `deadlock on` gives every caller what only PI futexes ask for: the full walk, and
 *     -EDEADLK instead of being parked for ever.
 *  4. max_lock_depth is the lock's at which a walk begins, not a global sysctl.
 *  5. A signal puts a parked task into an uninterruptible sleep; the kernel's then turns
 *     into a busy loop.
 */
#include "models/rtmutex_private.h"

/* Asked only after a failed try: a lock that became free first is taken. */
static int wait_failed(struct kw_timeout *timeout, unsigned int state)
{
	if (kw_timed_out(timeout))
		return -ETIMEDOUT;
	if (signal_pending_state(state, current))
		return -EINTR;
	return 0;
}

/* Step 5; wait_lock held on entry and return. */
int rt_mutex_slowlock_block(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter, unsigned int state,
			    struct kw_timeout *timeout)
{
	struct task_struct *owner;
	int ret;

	for (;;) {
		/* a */
		if (try_to_take_rt_mutex(lock, current, waiter)) {
			ret = 0;
			break;
		}
		/* b */
		ret = wait_failed(timeout, state);
		if (ret)
			break;
		/* c */
		owner = waiter == rt_mutex_top_waiter(lock) ? rt_mutex_owner(lock) : NULL;
		raw_spin_unlock_irq(&lock->wait_lock);
		/* d */
		if (!owner || !rtmutex_spin_on_owner(lock, waiter, owner)) {
			lockevent_inc(rtmutex_sleep);
			schedule();
		}
		/* e */
		raw_spin_lock_irq(&lock->wait_lock);
		set_current_state(state);
	}
	__set_current_state(TASK_RUNNING);
	return ret;
}

static void count_failure(int ret)
{
	lockevent_cond_inc(rtmutex_timeout, ret == -ETIMEDOUT);
	lockevent_cond_inc(rtmutex_signal, ret == -EINTR);
	lockevent_cond_inc(rtmutex_deadlock, ret == -EDEADLK);
}

/* A deadlock that the caller did not ask to hear of: it can neither go on nor go back. */
static void park_for_ever(struct rt_mutex_base *lock)
{
	lockevent_inc(rtmutex_parked);
	raw_spin_unlock_irq(&lock->wait_lock);
	for (;;) {
		set_current_state(signal_pending(current) ? TASK_UNINTERRUPTIBLE : TASK_INTERRUPTIBLE);
		schedule();
	}
}

/* Steps 3 to 7 of the slow path; wait_lock held on entry and return. */
static int rt_mutex_slowlock_queue(struct rt_mutex_base *lock, unsigned int state, struct kw_timeout *timeout)
{
	struct rt_mutex_waiter waiter;
	int ret;

	rt_mutex_init_waiter(&waiter, TASK_NORMAL);
	/* 3 */
	set_current_state(state);
	trace_contention_begin(lock, LCB_F_RT);
	/* 4 */
	ret = task_blocks_on_rt_mutex(lock, &waiter, current, lock->chwalk);
	/* 5 */
	if (!ret)
		ret = rt_mutex_slowlock_block(lock, &waiter, state, timeout);
	/* 6 */
	if (ret) {
		__set_current_state(TASK_RUNNING);
		count_failure(ret);
		remove_waiter(lock, &waiter);
		if (ret == -EDEADLK && lock->chwalk == RT_MUTEX_MIN_CHAINWALK)
			park_for_ever(lock);
	}
	/* 7 */
	fixup_rt_mutex_waiters(lock);
	trace_contention_end(lock, ret);
	return ret;
}

static int rt_mutex_slowlock(struct rt_mutex_base *lock, unsigned int state, struct kw_timeout *timeout)
{
	unsigned long flags;
	int ret = 0;

	/* 1 */
	raw_spin_lock_irqsave(&lock->wait_lock, flags);
	/* 2 */
	if (try_to_take_rt_mutex(lock, current, NULL)) {
		lockevent_inc(rtmutex_lock_slow);
	} else {
		ret = rt_mutex_slowlock_queue(lock, state, timeout);
	}
	raw_spin_unlock_irqrestore(&lock->wait_lock, flags);
	return ret;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "deadlock", LOCK_PARAM_FLAG, 0, "on: full chain walk, deadlocks return -EDEADLK; off: minimal walk" },
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void rtmutex_init(void *l, const uint64_t *values)
{
	rt_mutex_base_init(l, values[0] ? RT_MUTEX_FULL_CHAINWALK : RT_MUTEX_MIN_CHAINWALK, (unsigned int)values[1]);
}

static unsigned int sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

static int rtmutex_lock(void *l, struct lock_req *req)
{
	struct rt_mutex_base *lock = l;
	struct kw_timeout timeout;
	int ret;

	if (!(req->how & LOCK_TRY))
		might_sleep();
	/* 0 */
	if (rt_mutex_cmpxchg_acquire(lock, NULL, current)) {
		lockevent_inc(rtmutex_lock_fast);
		return 0;
	}
	if (req->how & LOCK_TRY)
		return rt_mutex_slowtrylock(lock) ? 0 : -EBUSY;
	kw_timeout_start(&timeout, req->timeout);
	ret = rt_mutex_slowlock(lock, sleep_state(req), &timeout);
	kw_timeout_stop(&timeout);
	return ret;
}

static void rtmutex_unlock(void *l, struct lock_req *req)
{
	rt_mutex_unlock_base(l);
}

static void rtmutex_view(const void *l, struct lock_view *view)
{
	rt_mutex_view(l, view);
}

static const char *rtmutex_broken(const void *l)
{
	return rt_mutex_broken(l);
}

LOCK_MODEL(rtmutex) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rtmutex",
	.mirrors = "Linux 6.1.192 kernel/locking/rtmutex.c",
	.summary = "sleeping lock with priority inheritance",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_PI,
	.size = sizeof(struct rt_mutex_base),
	.params = params,
	.events = lockevent_names,
	.init = rtmutex_init,
	.lock = rtmutex_lock,
	.unlock = rtmutex_unlock,
	.prio_changed = rt_mutex_prio_changed,
	.view = rtmutex_view,
	.broken = rtmutex_broken,
};
