/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtspinlock: what spinlock_t is on PREEMPT_RT, a sleeping lock on the rt_mutex core.
 *
 * Same word, trees, chain walk and owner spinning as rtmutex. It differs in how one waits:
 * the sleep state that the task had is kept aside (saved_state) and the task waits in
 * TASK_RTLOCK_WAIT, which only the lock's own wake-up ends; an ordinary wake-up meanwhile
 * changes saved_state. No signals, no timeouts, no result. A fair task may pass a woken
 * fair top waiter (lateral steal); RT tasks must be strictly stronger, as in rtmutex. The
 * holder stays preemptible but is pinned to its CPU.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/spinlock_rt.c and rtmutex.c (rtlock part).
 * Deviations:
 *  1. The read-side RCU section around the critical section costs nothing and is left out.
 *  2. A deadlock is not reported: the task waits on, as in the kernel.
 *  3. max_lock_depth is the lock's at which a walk begins, not a global sysctl.
 */
#include "models/rtmutex_private.h"

/* wait_lock held on entry and return. */
static void rtlock_slowlock_locked(struct rt_mutex_base *lock)
{
	struct rt_mutex_waiter waiter;
	struct task_struct *owner;

	if (try_to_take_rt_mutex(lock, current, NULL)) {
		lockevent_inc(rtmutex_lock_slow);
		return;
	}
	rt_mutex_init_waiter(&waiter, TASK_RTLOCK_WAIT);
	current_save_and_set_rtlock_wait_state();
	trace_contention_begin(lock, LCB_F_RT);
	task_blocks_on_rt_mutex(lock, &waiter, current, RT_MUTEX_MIN_CHAINWALK);
	while (!try_to_take_rt_mutex(lock, current, &waiter)) {
		owner = &waiter == rt_mutex_top_waiter(lock) ? rt_mutex_owner(lock) : NULL;
		raw_spin_unlock_irq(&lock->wait_lock);
		if (!owner || !rtmutex_spin_on_owner(lock, &waiter, owner)) {
			lockevent_inc(rtmutex_sleep);
			schedule_rtlock();
		}
		raw_spin_lock_irq(&lock->wait_lock);
		set_current_state(TASK_RTLOCK_WAIT);
	}
	current_restore_rtlock_saved_state();
	fixup_rt_mutex_waiters(lock);
	trace_contention_end(lock, 0);
}

static void rtlock_slowlock(struct rt_mutex_base *lock)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock->wait_lock, flags);
	rtlock_slowlock_locked(lock);
	raw_spin_unlock_irqrestore(&lock->wait_lock, flags);
}

static bool rtlock_fastlock(struct rt_mutex_base *lock)
{
	if (!rt_mutex_cmpxchg_acquire(lock, NULL, current))
		return false;
	lockevent_inc(rtmutex_lock_fast);
	return true;
}

/* -- within another lock ------------------------------------------------------------------- */

void rt_spin_lock_init(struct rt_mutex_base *lock)
{
	rt_mutex_base_init(lock, RT_MUTEX_MIN_CHAINWALK, RT_MUTEX_MAX_LOCK_DEPTH);
	lock->lateral = true;
}

void rt_spin_lock(struct rt_mutex_base *lock)
{
	kw_lockevents_hide(true);
	if (!rtlock_fastlock(lock))
		rtlock_slowlock(lock);
	kw_lockevents_hide(false);
	migrate_disable();
}

void rt_spin_unlock(struct rt_mutex_base *lock)
{
	migrate_enable();
	kw_lockevents_hide(true);
	rt_mutex_unlock_base(lock);
	kw_lockevents_hide(false);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void rtspinlock_init(void *l, const uint64_t *values)
{
	struct rt_mutex_base *lock = l;

	rt_spin_lock_init(lock);
	lock->max_lock_depth = (unsigned int)values[0];
}

static int rtspinlock_lock(void *l, struct lock_req *req)
{
	struct rt_mutex_base *lock = l;

	if (!rtlock_fastlock(lock)) {
		if (!(req->how & LOCK_TRY))
			rtlock_slowlock(lock);
		else if (!rt_mutex_slowtrylock(lock))
			return -EBUSY;
	}
	migrate_disable();
	return 0;
}

static void rtspinlock_unlock(void *l, struct lock_req *req)
{
	migrate_enable();
	rt_mutex_unlock_base(l);
}

static void rtspinlock_view(const void *l, struct lock_view *view)
{
	rt_mutex_view(l, view);
}

static const char *rtspinlock_broken(const void *l)
{
	return rt_mutex_broken(l);
}

LOCK_MODEL(rtspinlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rtspinlock",
	.mirrors = "Linux 6.1.192 kernel/locking/spinlock_rt.c",
	.summary = "spinlock_t of PREEMPT_RT: sleeps, inherits priorities, steals laterally",
	.caps = LOCK_CAP_TRY | LOCK_CAP_PI,
	.size = sizeof(struct rt_mutex_base),
	.params = params,
	.events = lockevent_names,
	.init = rtspinlock_init,
	.lock = rtspinlock_lock,
	.unlock = rtspinlock_unlock,
	.prio_changed = rt_mutex_prio_changed,
	.view = rtspinlock_view,
	.broken = rtspinlock_broken,
};
