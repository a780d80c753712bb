// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree's rtmutex_api.c (which includes rtmutex.c) as a lock. Under PREEMPT_RT the
 * same file also holds that configuration's mutex.
 *
 * rt_mutex_lock() and its like know neither timeouts nor -EDEADLK; the kernel has both behind
 * the doors of PI futexes only, in pieces. Timed requests, and all to a lock with `deadlock
 * on`, are put together here of the steps that all doors share.
 */
#include TREE_FILE(rtmutex_api.c)

#include "models/kernel/glue.h"
#include "models/kernel/glue/rtmutex_view.h"

struct rtmutex_lock {
	struct rt_mutex mutex; /* first */
	enum rtmutex_chainwalk walk;
};

static void rtmutex_lock_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;
	struct rtmutex_lock *lock = l;

	__rt_mutex_init(&lock->mutex, "rtmutex", &key);
	lock->walk = params[0] ? RT_MUTEX_FULL_CHAINWALK : RT_MUTEX_MIN_CHAINWALK;
}

#ifdef TREE_RTMUTEX_PASSES_WAKE_Q
#define rtmutex_blocks(lock, waiter, walk, wq) task_blocks_on_rt_mutex(lock, waiter, current, NULL, walk, wq)
#define rtmutex_sleep(lock, state, to, waiter, wq) rt_mutex_slowlock_block(lock, NULL, state, to, waiter, wq)
#else
#define rtmutex_blocks(lock, waiter, walk, wq) task_blocks_on_rt_mutex(lock, waiter, current, NULL, walk)
#define rtmutex_sleep(lock, state, to, waiter, wq) rt_mutex_slowlock_block(lock, NULL, state, to, waiter)
#endif

#ifdef TREE_RTMUTEX_FIXUP_SAYS_HOW
#define rtmutex_fixup(lock) fixup_rt_mutex_waiters(lock, true)
#else
#define rtmutex_fixup(lock) fixup_rt_mutex_waiters(lock)
#endif

static int rtmutex_wait(struct rt_mutex_base *lock, enum rtmutex_chainwalk walk, unsigned int state,
			struct hrtimer_sleeper *to, struct wake_q_head *wq)
{
	struct rt_mutex_waiter waiter = { .task = NULL }; /* no ww_ctx, where there is such a thing */
	int ret;

	rt_mutex_init_waiter(&waiter);
	set_current_state(state);
	trace_contention_begin(lock, LCB_F_RT);
	ret = rtmutex_blocks(lock, &waiter, walk, wq);
	if (!ret)
		ret = rtmutex_sleep(lock, state, to, &waiter, wq);
	if (ret) {
		__set_current_state(TASK_RUNNING);
		remove_waiter(lock, &waiter);
	}
	rtmutex_fixup(lock);
	trace_contention_end(lock, ret);
	return ret;
}

static int rtmutex_lock_in_steps(struct rt_mutex_base *lock, enum rtmutex_chainwalk walk, const struct lock_req *req)
{
	struct kw_timeout timeout;
	unsigned long flags;
	DEFINE_WAKE_Q(wq);
	int ret = 0;

	might_sleep();
	kw_lock_note(KW_NOTE_ACQUIRE);
	if (rt_mutex_cmpxchg_acquire(lock, NULL, current))
		return 0;
	kw_timeout_start(&timeout, req->timeout);
	raw_spin_lock_irqsave(&lock->wait_lock, flags);
	if (!try_to_take_rt_mutex(lock, current, NULL))
		ret = rtmutex_wait(lock, walk, kw_sleep_state(req), &timeout.sleeper, &wq);
	raw_spin_unlock_irqrestore(&lock->wait_lock, flags);
	wake_up_q(&wq);
	kw_timeout_stop(&timeout);
	return ret;
}

static int rtmutex_lock_lock(void *l, struct lock_req *req)
{
	struct rtmutex_lock *lock = l;

	if (req->how & LOCK_TRY)
		return rt_mutex_trylock(&lock->mutex) ? 0 : -EBUSY;
	if (lock->walk == RT_MUTEX_FULL_CHAINWALK || req->timeout != SIM_NEVER)
		return rtmutex_lock_in_steps(&lock->mutex.rtmutex, lock->walk, req);
	if (req->how & LOCK_KILLABLE)
		return rt_mutex_lock_killable(&lock->mutex);
	if (req->how & LOCK_INTERRUPTIBLE)
		return rt_mutex_lock_interruptible(&lock->mutex);
	rt_mutex_lock(&lock->mutex);
	return 0;
}

static void rtmutex_lock_unlock(void *l, struct lock_req *req)
{
	rt_mutex_unlock(&((struct rtmutex_lock *)l)->mutex);
}

static void rtmutex_lock_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_adjust_pi(p);
}

static void rtmutex_lock_view(const void *l, struct lock_view *view)
{
	rtmutex_view_base(&((const struct rtmutex_lock *)l)->mutex.rtmutex, view);
}

static const char *rtmutex_lock_broken(const void *l)
{
	return rtmutex_broken_base(&((const struct rtmutex_lock *)l)->mutex.rtmutex);
}

static const struct lock_param rtmutex_params[] = {
	{ "deadlock", LOCK_PARAM_FLAG, 0, "on: full chain walk, deadlocks return -EDEADLK, as for PI futexes" },
	{ NULL }
};

KERNEL_MODEL(rtmutex) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("rtmutex"),
	.mirrors = MIRRORS("rtmutex.c"),
	.summary = "the tree's own rt_mutex",
	.twin = "rtmutex",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_PI | LOCK_CAP_STORES,
	.size = sizeof(struct rtmutex_lock),
	.params = rtmutex_params,
	.events = kw_plugin_events,
	.init = rtmutex_lock_init,
	.lock = rtmutex_lock_lock,
	.unlock = rtmutex_lock_unlock,
	.prio_changed = rtmutex_lock_prio_changed,
	.view = rtmutex_lock_view,
	.broken = rtmutex_lock_broken,
};

#ifdef LOCKSTEP_RT
/* The mutex of PREEMPT_RT is an rt_mutex with the mutex's interface. */

static void rt_mutex_type_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;

	__mutex_init((struct mutex *)l, "mutex", &key);
}

static int rt_mutex_type_lock(void *l, struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return mutex_trylock(l) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		return mutex_lock_killable(l);
	if (req->how & LOCK_INTERRUPTIBLE)
		return mutex_lock_interruptible(l);
	mutex_lock(l);
	return 0;
}

static void rt_mutex_type_unlock(void *l, struct lock_req *req)
{
	mutex_unlock(l);
}

static void rt_mutex_type_view(const void *l, struct lock_view *view)
{
	rtmutex_view_base(&((const struct mutex *)l)->rtmutex, view);
}

static const char *rt_mutex_type_broken(const void *l)
{
	return rtmutex_broken_base(&((const struct mutex *)l)->rtmutex);
}

KERNEL_MODEL(rt_mutex_type) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("mutex"),
	.mirrors = MIRRORS("rtmutex_api.c"),
	.summary = "the tree's own mutex of PREEMPT_RT: an rt_mutex",
	.twin = "rtmutex",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_PI | LOCK_CAP_STORES,
	.size = sizeof(struct mutex),
	.events = kw_plugin_events,
	.init = rt_mutex_type_init,
	.lock = rt_mutex_type_lock,
	.unlock = rt_mutex_type_unlock,
	.prio_changed = rtmutex_lock_prio_changed,
	.view = rt_mutex_type_view,
	.broken = rt_mutex_type_broken,
};
#endif
