// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel mutex of 6.1: owner word, optimistic spinning, bounded stealing.
 *
 * Word `owner`: task pointer and three flags. Locked iff the pointer is not NULL.
 *
 *     WAITERS  1   somebody is in wait_list: unlock must go the slow way and wake
 *     HANDOFF  2   the first waiter asks that unlock gives it the lock directly
 *     PICKUP   4   the lock was given to the task in the word, which has not noticed yet
 *
 * Newcomers spin as long as the owner runs, one at a time: they queue in `osq`, whose
 * head polls the word. Those that give up sleep in wait_list, first come, first served.
 * A free lock can be stolen from a woken waiter; but a first waiter that loses a race
 * sets HANDOFF, in the same step that tells it so, and spins beside the head of the
 * osq; the next unlock must serve it. No priorities, no owner tracking beyond the word.
 *
 * Protection: the word by atomics alone; wait_list and the decision to hand off by
 * wait_lock. Preemption is off in the whole slow path except while asleep.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/mutex.c, CONFIG_MUTEX_SPIN_ON_OWNER
 * With `proxy`: 6.17's CONFIG_SCHED_PROXY_EXEC, of which only who sleeps for whom is told
 *    here; the rest of the code stays that of 6.1.
 * Deviations: (1) no ww contexts; (2) no debug checks.
 *
 * Lock, with the step numbers of the comments below:
 *   1 fast: word 0 -> me            6 queue at the tail, set WAITERS, set the state
 *   2 preemption off                7 loop: a try; b signal; c sleep; d am I first?
 *   3 try                                   e state; f try, or ask for a hand-off;
 *   4 spin as a newcomer                    g first: spin as a waiter; h wait_lock
 *   5 wait_lock; try                8 wait_lock   9 leave the list
 * Unlock:
 *   1 fast: word me -> 0   2 free the word, unless HANDOFF   3 pick the first waiter
 *   4 hand off   5 wake
 */
#include "models/osq.h"

#include "sim/model.h"

#define MUTEX_FLAG_WAITERS 1UL
#define MUTEX_FLAG_HANDOFF 2UL
#define MUTEX_FLAG_PICKUP 4UL
#define MUTEX_FLAGS 7UL

struct mutex {
	atomic_long_t owner;
	raw_spinlock_t wait_lock;
	struct optimistic_spin_queue osq;
	bool spin_on_owner; /* the tunable */
	bool proxy;	    /* CONFIG_SCHED_PROXY_EXEC */
	struct list_head wait_list;
} ____cacheline_aligned;

static_assert(sizeof(struct mutex) == 64, "a mutex is one cache line");

struct mutex_waiter { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
};

#define MUTEX_EVENTS(X)                                                                            \
	X(mutex_spin)	      /* newcomers that joined the osq */                                  \
	X(mutex_spin_acquired) /* … and got the lock spinning */                                   \
	X(mutex_spin_fail)    /* … and gave up as its head: owner off CPU, or reschedule due */    \
	X(mutex_osq_cancel)   /* … and left the osq: reschedule due */                             \
	X(mutex_steal)	      /* taken past queued waiters */                                      \
	X(mutex_queued)	      /* joined wait_list */                                               \
	X(mutex_waiter_spin)  /* the first waiter spun on the owner */                             \
	X(mutex_starving)     /* … after losing a race: it set HANDOFF */                                 \
	X(mutex_handoff)      /* unlock gave the lock to the first waiter */                       \
	X(mutex_pickup)	      /* … which took it up */                                             \
	X(mutex_unlock_slow)  /* unlock had somebody to wake */                                    \
	X(mutex_eintr)	      /* a signal ended the wait */
LOCKEVENTS(MUTEX_EVENTS)

static struct task_struct *owner_task(unsigned long owner)
{
	return (struct task_struct *)(owner & ~MUTEX_FLAGS);
}

static struct task_struct *mutex_owner(struct mutex *lock)
{
	return owner_task((unsigned long)atomic_long_read(&lock->owner));
}

/* -- the word ------------------------------------------------------------------------------ */

static bool mutex_trylock_fast(struct mutex *lock)
{
	long free = 0;

	return atomic_long_try_cmpxchg_acquire(&lock->owner, &free, (long)current);
}

static bool mutex_unlock_fast(struct mutex *lock)
{
	long mine = (long)current;

	return atomic_long_try_cmpxchg_release(&lock->owner, &mine, 0);
}

static void count_acquired(unsigned long flags, bool waiter)
{
	lockevent_cond_inc(mutex_pickup, flags & MUTEX_FLAG_PICKUP);
	lockevent_cond_inc(mutex_steal, (flags & MUTEX_FLAG_WAITERS) && !waiter);
}

/*
 * One attempt, repeated only while flags race: NULL if the lock is mine now, else the
 * owner. @handoff: the caller is the first waiter and, where it fails, leaves HANDOFF
 * behind; so HANDOFF is only ever set while the mutex is owned. @waiter: queued or about
 * to be told the outcome under wait_lock; for the count of steals only.
 */
static struct task_struct *mutex_trylock_common(struct mutex *lock, bool handoff, bool waiter)
{
	struct task_struct *me = current;
	long word = atomic_long_read(&lock->owner);

	for (;;) {
		unsigned long flags = (unsigned long)word & MUTEX_FLAGS, want = flags;
		struct task_struct *task = owner_task((unsigned long)word);

		if (!task) {
			WARN_ON_ONCE(flags & (MUTEX_FLAG_HANDOFF | MUTEX_FLAG_PICKUP));
			task = me;
		} else if (flags & MUTEX_FLAG_PICKUP) {
			if (task != me)
				return task;
			want &= ~MUTEX_FLAG_PICKUP;
		} else if (handoff && !(flags & MUTEX_FLAG_HANDOFF)) {
			want |= MUTEX_FLAG_HANDOFF;
		} else {
			return task;
		}
		if (!atomic_long_try_cmpxchg_acquire(&lock->owner, &word, (long)((unsigned long)task | want)))
			continue;
		if (task != me) {
			lockevent_inc(mutex_starving);
			return task;
		}
		count_acquired(flags, waiter);
		return NULL;
	}
}

static bool mutex_trylock(struct mutex *lock, bool waiter)
{
	return !mutex_trylock_common(lock, false, waiter);
}

/* Gives the lock to @next, or frees it if there is none. */
static void mutex_handoff(struct mutex *lock, struct task_struct *next)
{
	long word = atomic_long_read(&lock->owner);
	unsigned long want;

	do {
		want = ((unsigned long)word & MUTEX_FLAG_WAITERS) | (unsigned long)next;
		if (next)
			want |= MUTEX_FLAG_PICKUP;
	} while (!atomic_long_try_cmpxchg_release(&lock->owner, &word, (long)want));
	lockevent_cond_inc(mutex_handoff, next);
}

/* -- the list: under wait_lock ---------------------------------------------------------------- */

static bool mutex_is_first(struct mutex *lock, struct mutex_waiter *waiter)
{
	return list_first_entry(&lock->wait_list, struct mutex_waiter, list) == waiter;
}

static void mutex_add_waiter(struct mutex *lock, struct mutex_waiter *waiter)
{
	lockdep_assert_held(&lock->wait_lock);
	lockevent_inc(mutex_queued);
	list_add_tail(&waiter->list, &lock->wait_list);
	if (mutex_is_first(lock, waiter))
		atomic_long_or(MUTEX_FLAG_WAITERS, &lock->owner);
}

static void mutex_remove_waiter(struct mutex *lock, struct mutex_waiter *waiter)
{
	lockdep_assert_held(&lock->wait_lock);
	list_del(&waiter->list);
	if (list_empty(&lock->wait_list))
		atomic_long_andnot(MUTEX_FLAGS, &lock->owner);
}

/* -- spinning --------------------------------------------------------------------------------- */

static bool mutex_can_spin_on_owner(struct mutex *lock)
{
	struct task_struct *owner;

	if (need_resched())
		return false;
	owner = mutex_owner(lock);
	return !owner || owner_on_cpu(owner);
}

/* False: stop spinning. True: the owner has changed. */
static bool mutex_spin_on_owner(struct mutex *lock, struct task_struct *owner)
{
	spin_begin();
	while (mutex_owner(lock) == owner) {
		if (!owner_on_cpu(owner) || need_resched())
			return false;
		spin_cpu_relax();
	}
	return true;
}

static bool mutex_spin(struct mutex *lock, bool waiter)
{
	struct task_struct *owner;

	while ((owner = mutex_trylock_common(lock, false, waiter))) {
		if (!mutex_spin_on_owner(lock, owner))
			return false;
		cpu_relax();
	}
	return true;
}

/* 4a-c */
static bool mutex_spin_newcomer(struct mutex *lock)
{
	bool acquired;

	if (!mutex_can_spin_on_owner(lock))
		return false;
	lockevent_inc(mutex_spin);
	if (!osq_lock(&lock->osq)) {
		lockevent_inc(mutex_osq_cancel);
		return false;
	}
	acquired = mutex_spin(lock, false);
	osq_unlock(&lock->osq);
	if (acquired)
		lockevent_inc(mutex_spin_acquired);
	else
		lockevent_inc(mutex_spin_fail);
	return acquired;
}

static bool mutex_optimistic_spin(struct mutex *lock, bool waiter)
{
	if (!lock->spin_on_owner) /* 4d is part of the spinning */
		return false;
	if (!waiter && mutex_spin_newcomer(lock))
		return true;
	if (waiter) {
		lockevent_inc(mutex_waiter_spin);
		if (mutex_spin(lock, true))
			return true;
	}
	if (need_resched()) { /* 4d: before queueing, lest the lock is ours while we are preempted */
		__set_current_state(TASK_RUNNING);
		schedule_preempt_disabled();
	}
	return false;
}

/* -- lock and unlock ---------------------------------------------------------------------------- */

/* 7c, as a donor where that is asked for */
static void mutex_sleep(const struct mutex *lock)
{
	if (!lock->proxy) {
		schedule_preempt_disabled();
		return;
	}
	kw_blocked_on(&lock->owner, MUTEX_FLAGS);
	schedule_preempt_disabled();
	kw_blocked_on(NULL, 0);
}

/* 7: wait_lock is held on entry, and on return. */
static int mutex_wait(struct mutex *lock, struct mutex_waiter *waiter, unsigned int state)
{
	for (;;) {
		bool first;

		if (mutex_trylock(lock, true)) /* a */
			return 0;
		if (signal_pending_state(state, current)) /* b */
			return -EINTR;
		raw_spin_unlock(&lock->wait_lock);
		model_step("mutex-sleep");
		mutex_sleep(lock); /* c */
		model_step("mutex-woken");
		first = mutex_is_first(lock, waiter); /* d */
		set_current_state(state);	      /* e */
		if (!mutex_trylock_common(lock, first, true)) /* f */
			break;
		if (first && mutex_optimistic_spin(lock, true)) /* g */
			break;
		model_step("mutex-retry");
		raw_spin_lock(&lock->wait_lock); /* h */
	}
	raw_spin_lock(&lock->wait_lock); /* 8 */
	return 0;
}

static int mutex_lock_slow(struct mutex *lock, unsigned int state)
{
	struct mutex_waiter waiter = { .task = current };
	int ret = 0;

	might_sleep();
	preempt_disable(); /* 2 */
	trace_contention_begin(lock, LCB_F_MUTEX | LCB_F_SPIN);
	if (mutex_trylock(lock, false) || mutex_optimistic_spin(lock, false)) { /* 3, 4 */
		trace_contention_end(lock, 0);
		preempt_enable();
		return 0;
	}
	raw_spin_lock(&lock->wait_lock); /* 5 */
	if (!mutex_trylock(lock, false)) {
		mutex_add_waiter(lock, &waiter); /* 6 */
		trace_contention_begin(lock, LCB_F_MUTEX);
		set_current_state(state);
		ret = mutex_wait(lock, &waiter, state);
		lockevent_cond_inc(mutex_eintr, ret);
		__set_current_state(TASK_RUNNING); /* 9 */
		mutex_remove_waiter(lock, &waiter);
	}
	raw_spin_unlock(&lock->wait_lock);
	trace_contention_end(lock, ret);
	preempt_enable();
	return ret;
}

static void mutex_unlock_slow(struct mutex *lock)
{
	struct task_struct *next = NULL;
	long word = atomic_long_read(&lock->owner);
	DEFINE_WAKE_Q(wake_q);

	while (!((unsigned long)word & MUTEX_FLAG_HANDOFF)) { /* 2 */
		unsigned long flags = (unsigned long)word & MUTEX_FLAGS;

		if (!atomic_long_try_cmpxchg_release(&lock->owner, &word, (long)flags))
			continue;
		if (!(flags & MUTEX_FLAG_WAITERS))
			return;
		break;
	}
	model_step("mutex-unlock-wake");
	raw_spin_lock(&lock->wait_lock); /* 3 */
	lockevent_inc(mutex_unlock_slow);
	if (!list_empty(&lock->wait_list)) {
		next = list_first_entry(&lock->wait_list, struct mutex_waiter, list)->task;
		wake_q_add(&wake_q, next);
	}
	if ((unsigned long)word & MUTEX_FLAG_HANDOFF)
		mutex_handoff(lock, next); /* 4 */
	raw_spin_unlock(&lock->wait_lock);
	model_step("mutex-wake-up");
	wake_up_q(&wake_q); /* 5 */
}

/* --------------------------------------------------------------------------------------------- */

static void mutex_model_init(void *l, const uint64_t *params)
{
	struct mutex *lock = l;

	raw_spin_lock_init(&lock->wait_lock);
	osq_lock_init(&lock->osq);
	INIT_LIST_HEAD(&lock->wait_list);
	lock->spin_on_owner = params[0];
	lock->proxy = params[1];
}

static int mutex_model_lock(void *l, struct lock_req *req)
{
	unsigned int state = TASK_UNINTERRUPTIBLE;

	if (req->how & LOCK_TRY)
		return mutex_trylock(l, false) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	return mutex_trylock_fast(l) ? 0 : mutex_lock_slow(l, state); /* 1 */
}

static void mutex_model_unlock(void *l, struct lock_req *req)
{
	if (!mutex_unlock_fast(l)) /* 1 */
		mutex_unlock_slow(l);
}

static const char *const flag_names[] = { "WAITERS", "HANDOFF", "PICKUP", NULL };

static void mutex_model_view(const void *l, struct lock_view *view)
{
	const struct mutex *lock = l;
	const struct mutex_waiter *waiter;
	unsigned long word = (unsigned long)lock->owner.counter;
	struct task_struct *owner = owner_task(word);

	if (owner)
		lock_view_owner(view, owner, LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = word & MUTEX_FLAGS; /* an address means nothing to a reader */
	kw_flags(view->flags, sizeof(view->flags), word, flag_names);
}

static const char *mutex_model_broken(const void *l)
{
	const struct mutex *lock = l;
	unsigned long word = (unsigned long)lock->owner.counter;
	bool empty = lock->wait_list.next == &lock->wait_list;

	if (lock->wait_lock.owner)
		return NULL; /* in the middle of a change */
	if (empty && (word & MUTEX_FLAG_WAITERS))
		return "WAITERS is set, but nobody is queued";
	if (!empty && !(word & MUTEX_FLAG_WAITERS))
		return "tasks are queued, but WAITERS is clear";
	if (!owner_task(word) && (word & (MUTEX_FLAG_HANDOFF | MUTEX_FLAG_PICKUP)))
		return "HANDOFF or PICKUP on a free mutex";
	return NULL;
}

static const struct lock_param mutex_params[] = {
	{ "spin_on_owner", LOCK_PARAM_FLAG, 1, "newcomers and the first waiter spin while the owner runs" },
	{ "proxy", LOCK_PARAM_FLAG, 0, "sleepers let the owner run in their turn, as 6.17 does on one run queue" },
	{ NULL }
};

/* The first try as the first waiter sets HANDOFF if it fails. */
static sim_time mutex_patience(const void *l)
{
	return 0;
}

LOCK_MODEL(mutex) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mutex",
	.mirrors = "Linux 6.1.192 kernel/locking/mutex.c",
	.summary = "the kernel mutex of 6.1: optimistic spinning, stealing, hand-off to a first waiter that lost a race",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct mutex),
	.params = mutex_params,
	.events = lockevent_names,
	.init = mutex_model_init,
	.lock = mutex_model_lock,
	.unlock = mutex_model_unlock,
	.view = mutex_model_view,
	.broken = mutex_model_broken,
	.patience = mutex_patience,
};
