// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rtmutex-2.6.31: the first generation of rt_mutex, with pending owners.
 *
 *     owner word   task | PENDING 1 | WAITERS 2
 *
 * Unlock hands the lock over: the top waiter leaves the queue and becomes pending owner,
 * and is woken. Until it has run and taken the lock up, a strictly stronger task may steal
 * it; the robbed one queues again, behind its equals. Those who stay queued lend their priority to
 * the pending owner. Owner and chain of boosts otherwise as in the present rtmutex.
 *
 * Three policies of PREEMPT_RT in 2008 are three settings: strict hand-off is the default;
 * `lateral` lets tasks that are not real-time steal from equals; `adaptive` lets every waiter
 * spin while the owner runs, awake, so that a pending owner that spins is not woken.
 *
 * Mirrors: Linux 2.6.31 kernel/rtmutex.c; `lateral` and `adaptive`: "adaptive locks",
 * Haskins, Morreale, Dietrich, February to May 2008 (2.6.25-rt)
 * Deviations:
 *  1. No debug checks, no proxy locking.
 *  2. A boost takes the donor's priority of the moment, not the key of its waiter.
 *  3. `deadlock on` gives every caller what only PI futexes ask for. It misses cycles, as the
 *     original does: a walk ends where what it carries is not the strongest pi waiter.
 *  4. A queued waiter that steals gets what the next one lends; it is lost in the original.
 *     Who waited for itself takes back what it lent itself; in the original its waiter stays there.
 *  5. Timeouts and fatal signals end waits in any state that the caller chose.
 *
 * Lock:   1 fast  2 wait_lock; free, or to be had from a pending owner  3 queue, boost  4 sleep,
 *         or spin  5 take it up; robbed: 3  6 failed: leave, take back what was lent
 * Unlock: 1 fast  2 nobody waits: free  3 the top waiter becomes pending owner, the next one
 *         lends to it; wake  4 take back what was lent to me
 */
#include "models/rtmutex_pending.h"

/* -- the word ---------------------------------------------------------------------------------- */

/* Closes the fast paths. */
static void mark_waiters(struct rt_mutex_base *lock)
{
	struct task_struct *owner = READ_ONCE(lock->owner), *marked;

	do {
		marked = (struct task_struct *)((unsigned long)owner | RT_MUTEX_WAITERS);
	} while (!try_cmpxchg_relaxed(&lock->owner, &owner, marked));
}

static void set_owner(struct rt_mutex_base *lock, struct task_struct *owner, unsigned long mask)
{
	if (rt_mutex_has_waiters(lock))
		mask |= RT_MUTEX_WAITERS;
	WRITE_ONCE(lock->owner, (struct task_struct *)((unsigned long)owner | mask));
}

static void fixup_waiters(struct rt_mutex_base *lock)
{
	if (!rt_mutex_has_waiters(lock))
		WRITE_ONCE(lock->owner,
			   (struct task_struct *)((unsigned long)READ_ONCE(lock->owner) & ~RT_MUTEX_WAITERS));
}

static void adjust_prio(struct task_struct *task)
{
	raw_spin_lock_irq(&task->pi_lock);
	rt_mutex_adjust_prio(task);
	raw_spin_unlock_irq(&task->pi_lock);
}

/* -- taking: wait_lock held -------------------------------------------------------------------- */

static bool is_stealable(const struct rt_mutex_base *lock, const struct task_struct *from)
{
	if (lock->lateral && !rt_task(current))
		return current->prio <= from->prio;
	return current->prio < from->prio;
}

/* What the next waiter lends follows the lock, from the robbed one to the thief. */
static bool steal_from(struct rt_mutex_base *lock, struct task_struct *from)
{
	struct rt_mutex_waiter *next = rt_mutex_top_waiter(lock);

	raw_spin_lock(&from->pi_lock);
	if (!is_stealable(lock, from)) {
		raw_spin_unlock(&from->pi_lock);
		return false;
	}
	if (next) {
		rt_mutex_dequeue_pi(from, next);
		rt_mutex_adjust_prio(from);
	}
	raw_spin_unlock(&from->pi_lock);
	kw_pi_event(KW_PI_STEAL, current, lock, from, 0);
	lockevent_inc(rtmutex_steal);
	if (next && next->task != current) {
		raw_spin_lock(&current->pi_lock);
		rt_mutex_enqueue_pi(current, next);
		rt_mutex_adjust_prio(current);
		raw_spin_unlock(&current->pi_lock);
	}
	return true;
}

static bool try_to_take(struct rt_mutex_base *lock)
{
	struct task_struct *owner;
	unsigned long word;

	lockdep_assert_held(&lock->wait_lock);
	mark_waiters(lock);
	word = (unsigned long)READ_ONCE(lock->owner);
	owner = (struct task_struct *)(word & ~RT_MUTEX_OWNER_MASK);
	if (owner && !(word & RT_MUTEX_OWNER_PENDING))
		return false;
	if (owner && owner != current && !steal_from(lock, owner))
		return false;
	lockevent_cond_inc(rtmutex_pickup, owner == current);
	set_owner(lock, current, 0);
	return true;
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* True: look again. False: the owner does not run, sleep. Who spins is awake, and needs nobody to wake it. */
static bool adaptive_wait(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter,
			  struct task_struct *owner)
{
	lockevent_inc(rtmutex_spin);
	while (READ_ONCE(waiter->task) && pending_owner(lock) == owner) {
		if (!owner_on_cpu(owner))
			return false;
		cpu_relax();
	}
	return true;
}

/* 4 */
static void wait_a_turn(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter, unsigned int state)
{
	struct rt_mutex_pending *whole = container_of(lock, struct rt_mutex_pending, base);
	struct task_struct *owner = pending_owner(lock);
	bool spun = false;

	raw_spin_unlock_irq(&lock->wait_lock);
	model_step("rt_mutex_wait");
	if (whole->adaptive) {
		__set_current_state(TASK_RUNNING);
		spun = adaptive_wait(lock, waiter, owner);
		if (!spun)
			set_current_state(state);
	}
	if (!spun && READ_ONCE(waiter->task)) {
		lockevent_inc(rtmutex_sleep);
		schedule();
	}
	raw_spin_lock_irq(&lock->wait_lock);
}

static int wait_failed(struct kw_timeout *timeout, unsigned int state)
{
	if (kw_timed_out(timeout))
		return -ETIMEDOUT;
	return signal_pending_state(state, current) ? -EINTR : 0;
}

/* 3 to 5; wait_lock held on entry and return. */
static int wait_for_lock(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter, unsigned int state,
			 struct kw_timeout *timeout)
{
	bool queued = false;
	int ret;

	while (!try_to_take(lock)) {
		ret = wait_failed(timeout, state);
		if (ret)
			return ret;
		if (!waiter->task) {
			lockevent_cond_inc(rtmutex_robbed, queued);
			queued = true;
			ret = pending_block_on(lock, waiter);
			if (!waiter->task)
				continue; /* it is the pending owner by now */
			if (ret)
				return ret;
		}
		wait_a_turn(lock, waiter, state);
		set_current_state(state);
	}
	return 0;
}

static int slowlock(struct rt_mutex_base *lock, unsigned int state, struct kw_timeout *timeout)
{
	struct rt_mutex_waiter waiter;
	int ret = 0;

	rt_mutex_init_waiter(&waiter, TASK_NORMAL);
	raw_spin_lock_irq(&lock->wait_lock); /* 2 */
	if (try_to_take(lock)) {
		lockevent_inc(rtmutex_lock_slow);
	} else {
		set_current_state(state);
		trace_contention_begin(lock, LCB_F_RT);
		ret = wait_for_lock(lock, &waiter, state, timeout);
		__set_current_state(TASK_RUNNING);
		if (waiter.task)
			pending_leave(lock, &waiter);
		trace_contention_end(lock, ret);
	}
	fixup_waiters(lock);
	raw_spin_unlock_irq(&lock->wait_lock);
	if (ret)
		adjust_prio(current); /* it may have been boosted as pending owner */
	lockevent_cond_inc(rtmutex_timeout, ret == -ETIMEDOUT);
	lockevent_cond_inc(rtmutex_signal, ret == -EINTR);
	lockevent_cond_inc(rtmutex_deadlock, ret == -EDEADLK);
	return ret;
}

static bool slowtrylock(struct rt_mutex_base *lock)
{
	bool taken = false;

	raw_spin_lock_irq(&lock->wait_lock);
	if (pending_owner(lock) != current) {
		taken = try_to_take(lock);
		fixup_waiters(lock);
	}
	raw_spin_unlock_irq(&lock->wait_lock);
	lockevent_cond_inc(rtmutex_lock_slow, taken);
	return taken;
}

/* -- unlocking --------------------------------------------------------------------------------- */

/* 3. Woken while boosts are still in place. */
static void wakeup_next(struct rt_mutex_base *lock)
{
	struct rt_mutex_waiter *waiter = rt_mutex_top_waiter(lock), *next;
	struct task_struct *pending = waiter->task;

	raw_spin_lock(&current->pi_lock);
	rt_mutex_dequeue(lock, waiter);
	rt_mutex_dequeue_pi(current, waiter);
	WRITE_ONCE(waiter->task, NULL);
	set_owner(lock, pending, RT_MUTEX_OWNER_PENDING);
	raw_spin_unlock(&current->pi_lock);
	lockevent_inc(rtmutex_pending);
	kw_pi_event(KW_PI_WAKE_TOP, pending, lock, current, 0);
	raw_spin_lock(&pending->pi_lock);
	pending->pi_blocked_on = NULL;
	next = rt_mutex_top_waiter(lock);
	if (next)
		rt_mutex_enqueue_pi(pending, next);
	raw_spin_unlock(&pending->pi_lock);
	wake_up_process(pending); /* nothing, if it spins */
}

static void slowunlock(struct rt_mutex_base *lock)
{
	model_step("rt_mutex_slowunlock");
	raw_spin_lock_irq(&lock->wait_lock);
	if (!rt_mutex_has_waiters(lock)) {
		WRITE_ONCE(lock->owner, NULL); /* 2 */
		raw_spin_unlock_irq(&lock->wait_lock);
		return;
	}
	wakeup_next(lock); /* 3 */
	raw_spin_unlock_irq(&lock->wait_lock);
	adjust_prio(current); /* 4 */
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "deadlock", LOCK_PARAM_FLAG, 0, "on: walk to the end, deadlocks return -EDEADLK" },
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ "lateral", LOCK_PARAM_FLAG, 0, "tasks that are not real-time steal from equals, too" },
	{ "adaptive", LOCK_PARAM_FLAG, 0, "waiters spin while the owner runs" },
	{ NULL },
};

static void pending_init(void *l, const uint64_t *values)
{
	struct rt_mutex_pending *lock = l;

	rt_mutex_base_init(&lock->base, values[0] ? RT_MUTEX_FULL_CHAINWALK : RT_MUTEX_MIN_CHAINWALK, (unsigned int)values[1]);
	lock->base.lateral = values[2];
	lock->adaptive = values[3];
}

static int pending_lock(void *l, struct lock_req *req)
{
	struct rt_mutex_base *lock = &((struct rt_mutex_pending *)l)->base;
	struct task_struct *none = NULL;
	unsigned int state = TASK_UNINTERRUPTIBLE;
	struct kw_timeout timeout;
	int ret;

	if (try_cmpxchg_acquire(&lock->owner, &none, current)) { /* 1 */
		lockevent_inc(rtmutex_lock_fast);
		return 0;
	}
	if (req->how & LOCK_TRY)
		return slowtrylock(lock) ? 0 : -EBUSY;
	if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	else if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	kw_timeout_start(&timeout, req->timeout);
	ret = slowlock(lock, state, &timeout);
	kw_timeout_stop(&timeout);
	return ret;
}

static void pending_unlock(void *l, struct lock_req *req)
{
	struct rt_mutex_base *lock = &((struct rt_mutex_pending *)l)->base;
	struct task_struct *me = current;

	if (!try_cmpxchg_release(&lock->owner, &me, NULL)) /* 1 */
		slowunlock(lock);
}

static void pending_prio_changed(void *l, struct task_struct *p)
{
	pending_adjust_pi(p);
}

static struct rt_mutex_waiter *waiter_of(struct rb_node *node)
{
	return rb_entry(node, struct rt_mutex_waiter, tree.entry);
}

static void pending_view(const void *l, struct lock_view *view)
{
	static const char *const names[] = { "PENDING", "WAITERS", NULL };
	const struct rt_mutex_base *lock = &((const struct rt_mutex_pending *)l)->base;
	unsigned long word = (unsigned long)lock->owner;
	const struct task_struct *owner = (const struct task_struct *)(word & ~RT_MUTEX_OWNER_MASK);

	/* a pending owner is still waiting, and first in line */
	if (owner && word & RT_MUTEX_OWNER_PENDING)
		lock_view_waiter(view, owner, LOCK_EXCLUSIVE);
	else if (owner)
		lock_view_owner(view, owner, LOCK_EXCLUSIVE);
	for (struct rb_node *node = rb_first_cached(&lock->waiters); node; node = rb_next(node))
		lock_view_waiter(view, waiter_of(node)->task, LOCK_EXCLUSIVE);
	view->word = (owner ? (uint64_t)owner->pid << 2 : 0) | (word & RT_MUTEX_OWNER_MASK);
	kw_flags(view->flags, sizeof(view->flags), word & RT_MUTEX_OWNER_MASK, names);
}

/* Is exactly the top waiter in the pi_waiters of @owner? */
static const char *lends_broken(const struct rt_mutex_base *lock, const struct task_struct *owner)
{
	const struct rt_mutex_waiter *top = rt_mutex_top_waiter(lock);
	unsigned int mine = 0;

	for (struct rb_node *node = rb_first_cached(&owner->pi_waiters); node; node = rb_next(node)) {
		const struct rt_mutex_waiter *w = rb_entry(node, struct rt_mutex_waiter, pi_tree.entry);

		if (w->lock != lock)
			continue;
		mine++;
		if (w != top)
			return "a waiter that is not the top is in the owner's pi_waiters";
	}
	return mine == (top ? 1 : 0) ? NULL : "the top waiter is not in the owner's pi_waiters";
}

static const char *pending_broken(const void *l)
{
	const struct rt_mutex_base *lock = &((const struct rt_mutex_pending *)l)->base;
	unsigned long word = (unsigned long)lock->owner;
	const struct task_struct *owner = (const struct task_struct *)(word & ~RT_MUTEX_OWNER_MASK);

	if (lock->wait_lock.owner)
		return NULL;
	if (!owner && word)
		return "flags without an owner";
	if (rt_mutex_has_waiters(lock) && !(word & RT_MUTEX_WAITERS))
		return "waiters are queued but WAITERS is clear";
	return owner ? lends_broken(lock, owner) : NULL;
}

LOCK_MODEL(rtmutex_2_6_31) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rtmutex-2.6.31",
	.mirrors = "Linux 2.6.31 kernel/rtmutex.c",
	.summary = "the first rt_mutex: unlock names a pending owner, which only stronger tasks rob",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_PI,
	.size = sizeof(struct rt_mutex_pending),
	.params = params,
	.events = lockevent_names,
	.init = pending_init,
	.lock = pending_lock,
	.unlock = pending_unlock,
	.prio_changed = pending_prio_changed,
	.view = pending_view,
	.broken = pending_broken,
	.pi_form = "2.6",
};
