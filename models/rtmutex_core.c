/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core of the rt_mutex family: taking a lock, blocking on it, leaving it, spinning
 * on its owner and releasing it. The flavours (rtmutex.c, rtspinlock.c) put their slow
 * paths around it.
 */
#include "models/rtmutex_private.h"

void rt_mutex_base_init(struct rt_mutex_base *lock, enum rtmutex_chainwalk chwalk, unsigned int max_lock_depth)
{
	raw_spin_lock_init(&lock->wait_lock);
	lock->waiters = RB_ROOT_CACHED;
	lock->chwalk = chwalk;
	lock->max_lock_depth = max_lock_depth;
	lock->lateral = false;
}

bool rt_mutex_cmpxchg_acquire(struct rt_mutex_base *lock, struct task_struct *old, struct task_struct *new)
{
	return try_cmpxchg_acquire(&lock->owner, &old, new);
}

static bool rt_mutex_cmpxchg_release(struct rt_mutex_base *lock, struct task_struct *old,
				     struct task_struct *new)
{
	return try_cmpxchg_release(&lock->owner, &old, new);
}

/* Sets bit 0, which sends everybody to the slow path: fast lock and unlock compare the whole word. */
static void mark_rt_mutex_waiters(struct rt_mutex_base *lock)
{
	struct task_struct *owner, *marked;

	do {
		owner = lock->owner;
		marked = (struct task_struct *)((unsigned long)owner | RT_MUTEX_HAS_WAITERS);
	} while (cmpxchg_relaxed(&lock->owner, owner, marked) != owner);
}

static void rt_mutex_set_owner(struct rt_mutex_base *lock, struct task_struct *owner)
{
	unsigned long word = (unsigned long)owner;

	if (rt_mutex_has_waiters(lock))
		word |= RT_MUTEX_HAS_WAITERS;
	(void)xchg_acquire(&lock->owner, (struct task_struct *)word);
}

/* try_to_take sets bit 0 whether or not somebody waits; the slow paths put that right before they leave. */
void fixup_rt_mutex_waiters(struct rt_mutex_base *lock)
{
	unsigned long word;

	if (rt_mutex_has_waiters(lock))
		return;
	word = (unsigned long)READ_ONCE(lock->owner);
	if (word & RT_MUTEX_HAS_WAITERS)
		(void)xchg_acquire(&lock->owner, (struct task_struct *)(word & ~RT_MUTEX_HAS_WAITERS));
}

/* May @task, queued as @waiter or not yet queued, take the free lock past the top waiter? */
static bool may_take(const struct rt_mutex_base *lock, const struct task_struct *task,
		     const struct rt_mutex_waiter *waiter)
{
	const struct rt_mutex_waiter *top = rt_mutex_top_waiter(lock);
	struct rt_waiter_node key;

	if (waiter == top)
		return true;
	if (waiter)
		return top && rt_mutex_steal(lock, &waiter->tree, top);
	rt_mutex_task_key(&key, task);
	return rt_mutex_steal(lock, &key, top);
}

static void note_steal(struct rt_mutex_base *lock, struct task_struct *task, struct rt_mutex_waiter *waiter)
{
	const struct rt_mutex_waiter *top = rt_mutex_top_waiter(lock);

	if (top && top != waiter) {
		kw_pi_event(KW_PI_STEAL, task, lock, top->task, 0);
		lockevent_inc(rtmutex_steal);
	}
}

/*
 * 1 mark the word; 2 owned: fail; 3 and 4 the top waiter, a thief, or anybody if there
 * are no waiters; 5 no longer blocked, and whoever waits now waits for the new owner;
 * 6 own it. The new owner's priority needs no adjusting: it is the top waiter or at
 * least as strong.
 */
bool try_to_take_rt_mutex(struct rt_mutex_base *lock, struct task_struct *task,
			  struct rt_mutex_waiter *waiter)
{
	lockdep_assert_held(&lock->wait_lock);
	/* 1 */
	mark_rt_mutex_waiters(lock);
	/* 2 */
	if (rt_mutex_owner(lock))
		return false;
	/* 3, 4 */
	if ((waiter || rt_mutex_has_waiters(lock)) && !may_take(lock, task, waiter))
		return false;
	note_steal(lock, task, waiter);
	if (waiter)
		rt_mutex_dequeue(lock, waiter);
	/* 5 */
	if (waiter || rt_mutex_has_waiters(lock)) {
		raw_spin_lock(&task->pi_lock);
		task->pi_blocked_on = NULL;
		if (rt_mutex_has_waiters(lock))
			rt_mutex_enqueue_pi(task, rt_mutex_top_waiter(lock));
		raw_spin_unlock(&task->pi_lock);
	}
	/* 6 */
	rt_mutex_set_owner(lock, task);
	return true;
}

/* The new top waiter takes the old one's place with the owner. True: the owner is blocked, walk on. */
static bool replace_top(struct task_struct *owner, struct rt_mutex_waiter *old, struct rt_mutex_waiter *new)
{
	if (old)
		rt_mutex_dequeue_pi(owner, old);
	if (new)
		rt_mutex_enqueue_pi(owner, new);
	rt_mutex_adjust_prio(owner);
	return owner->pi_blocked_on;
}

/*
 * 1 waiting for oneself; 2 both keys are the task's of now, queue; 3 a free lock needs
 * no boost; 4 boost the owner if this waiter is the strongest; 5, 6 walk on if the owner
 * is itself blocked and something changed, or if a deadlock is looked for.
 */
int task_blocks_on_rt_mutex(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter,
			    struct task_struct *task, enum rtmutex_chainwalk chwalk)
{
	struct task_struct *owner = rt_mutex_owner(lock);
	struct rt_mutex_waiter *top;
	struct rt_mutex_base *next_lock;
	bool walk = false, blocked;
	int ret;

	lockdep_assert_held(&lock->wait_lock);
	/* 1 */
	if (owner == task)
		return -EDEADLK;
	/* 2 */
	raw_spin_lock(&task->pi_lock);
	waiter->task = task;
	waiter->lock = lock;
	waiter_update_prio(waiter, task);
	waiter_clone_prio(waiter);
	top = rt_mutex_top_waiter(lock);
	rt_mutex_enqueue(lock, waiter);
	task->pi_blocked_on = waiter;
	raw_spin_unlock(&task->pi_lock);
	lockevent_inc(rtmutex_block);
	kw_pi_event(KW_PI_BLOCK, task, lock, owner, waiter->tree.prio);
	/* 3 */
	if (!owner)
		return 0;
	/* 4 */
	raw_spin_lock(&owner->pi_lock);
	if (waiter == rt_mutex_top_waiter(lock))
		walk = replace_top(owner, top, waiter);
	else if (chwalk == RT_MUTEX_FULL_CHAINWALK)
		walk = true;
	next_lock = task_blocked_on_lock(owner);
	blocked = owner->pi_blocked_on;
	raw_spin_unlock(&owner->pi_lock);
	/* 5 */
	if (!walk || !blocked)
		return 0;
	/* 6 */
	raw_spin_unlock_irq(&lock->wait_lock);
	ret = rt_mutex_adjust_prio_chain(owner, chwalk, lock, next_lock, waiter, task, lock->max_lock_depth);
	raw_spin_lock_irq(&lock->wait_lock);
	return ret;
}

/* Timeout, signal or deadlock: leaves the queue and takes back what was lent, up the chain. */
void remove_waiter(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter)
{
	/* 1 */
	bool was_top = waiter == rt_mutex_top_waiter(lock);
	struct task_struct *owner = rt_mutex_owner(lock), *task = waiter->task;
	struct rt_mutex_base *next_lock;
	bool blocked;

	lockdep_assert_held(&lock->wait_lock);
	if (!task)
		return;
	/* 2 */
	raw_spin_lock(&task->pi_lock);
	rt_mutex_dequeue(lock, waiter);
	task->pi_blocked_on = NULL;
	raw_spin_unlock(&task->pi_lock);
	/* 3 */
	if (!owner || !was_top)
		return;
	/* 4: the next in line enters with the key that its pi_tree node has, however old */
	raw_spin_lock(&owner->pi_lock);
	blocked = replace_top(owner, waiter, rt_mutex_top_waiter(lock));
	next_lock = task_blocked_on_lock(owner);
	raw_spin_unlock(&owner->pi_lock);
	/* 5 */
	if (!blocked)
		return;
	raw_spin_unlock_irq(&lock->wait_lock);
	rt_mutex_adjust_prio_chain(owner, RT_MUTEX_MIN_CHAINWALK, lock, next_lock, NULL, task,
				   lock->max_lock_depth);
	raw_spin_lock_irq(&lock->wait_lock);
}

bool rtmutex_spin_on_owner(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter,
			   struct task_struct *owner)
{
	bool spun = false;

	spin_begin();
	for (;;) {
		if (rt_mutex_owner(lock) != owner)
			return true;
		if (!owner_on_cpu(owner) || need_resched())
			return false;
		if (PEEK(lock->top) != waiter)
			return false;
		if (!spun)
			lockevent_inc(rtmutex_spin);
		spun = true;
		spin_cpu_relax();
	}
}

bool rt_mutex_slowtrylock(struct rt_mutex_base *lock)
{
	unsigned long flags;
	bool taken;

	if (rt_mutex_owner(lock)) /* needless to disturb the others */
		return false;
	raw_spin_lock_irqsave(&lock->wait_lock, flags);
	taken = try_to_take_rt_mutex(lock, current, NULL);
	fixup_rt_mutex_waiters(lock);
	raw_spin_unlock_irqrestore(&lock->wait_lock, flags);
	lockevent_cond_inc(rtmutex_lock_slow, taken);
	return taken;
}

/*
 * Step 3 of unlocking, under current's pi_lock: a the top waiter leaves pi_waiters; b
 * deboost, so that pi_top_task never points at a task about to run; c free, but bit 0
 * keeps newcomers out of the fast path; the waiter stays queued until it has taken the
 * lock; d preemption off until it is woken, so that nobody in between slips in here.
 */
static void mark_wakeup_next_waiter(struct rt_mutex_base *lock, struct wake_q_head *wake_q,
				    struct task_struct **rtlock_task)
{
	struct rt_mutex_waiter *top;

	raw_spin_lock(&current->pi_lock);
	/* a */
	top = rt_mutex_top_waiter(lock);
	kw_pi_event(KW_PI_WAKE_TOP, top->task, lock, current, 0);
	lockevent_inc(rtmutex_wake);
	rt_mutex_dequeue_pi(current, top);
	/* b */
	rt_mutex_adjust_prio(current);
	/* c */
	POKE(lock->owner, (struct task_struct *)RT_MUTEX_HAS_WAITERS);
	/* d */
	preempt_disable();
	if (top->wake_state == TASK_NORMAL)
		wake_q_add(wake_q, top->task);
	else
		*rtlock_task = top->task;
	raw_spin_unlock(&current->pi_lock);
}

void rt_mutex_mark_wakeup(struct rt_mutex_base *lock, struct wake_q_head *wake_q)
{
	mark_wakeup_next_waiter(lock, wake_q, NULL);
}

static void rt_mutex_slowunlock(struct rt_mutex_base *lock)
{
	DEFINE_WAKE_Q(wake_q);
	struct task_struct *rtlock_task = NULL;

	model_step("rt_mutex_slowunlock");
	raw_spin_lock_irq(&lock->wait_lock);
	/* 2: nobody there (any more): back to the fast word, unless somebody came meanwhile */
	while (!rt_mutex_has_waiters(lock)) {
		struct task_struct *owner = rt_mutex_owner(lock);

		POKE(lock->owner, owner);
		raw_spin_unlock_irq(&lock->wait_lock);
		model_step("rt_mutex_unlock_retry");
		if (rt_mutex_cmpxchg_release(lock, owner, NULL))
			return;
		raw_spin_lock_irq(&lock->wait_lock);
	}
	/* 3 */
	mark_wakeup_next_waiter(lock, &wake_q, &rtlock_task);
	/* 4 */
	raw_spin_unlock_irq(&lock->wait_lock);
	if (rtlock_task)
		wake_up_state(rtlock_task, TASK_RTLOCK_WAIT);
	wake_up_q(&wake_q);
	preempt_enable();
}

void rt_mutex_unlock_base(struct rt_mutex_base *lock)
{
	/* 1 */
	if (!rt_mutex_cmpxchg_release(lock, current, NULL))
		rt_mutex_slowunlock(lock);
}
