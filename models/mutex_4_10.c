// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutex-4.10: the first mutex whose word is its owner, and whose first sleeper may ask for
 * a hand-off.
 *
 *     owner word   task | WAITERS 1 | HANDOFF 2 | PICKUP 4 (4.11 on)
 *
 * As the mutex of 6.1 (mutex.c), but a first waiter sets HANDOFF with a plain OR, once, when
 * it finds itself first, whatever the state of the lock. What becomes of a flag that is set
 * on a free mutex is the difference between the versions:
 *
 *   4.10           a thief keeps it in the word, and its own unlock hands over
 *   4.11 - 5.13    whoever takes the lock clears it: the waiter, who does not set it again,
 *   (`pickup`)     may lose any number of races
 *
 * In 4.10 the lock is taken up by whoever finds its own name in the word and is first; 4.11
 * marks a lock that was handed over with PICKUP. Without `handoff` it is the first step of
 * the rework, in which sleepers neither ask nor spin.
 *
 * `signal_leaves` is a mistake of 4.10 - 5.12: if a signal ends the wait of the last waiter, its
 * flags stay behind, and every lock and unlock goes the slow way until somebody queues again.
 *
 * Mirrors: Linux 4.10 kernel/locking/mutex.c; `pickup`: 4.11 - 5.13; `handoff off`: the first
 * patch alone, as in trees of 4.9
 * Deviations: (1) no ww contexts; (2) no debug checks; (3) without `signal_leaves` the flags
 * go with the last waiter whatever ended its wait, as from 5.13 on; (4) a first waiter tries, then spins, as from 4.11 on: 4.10 spins, then
 * tries; (5) `handoff off` frees by compare-and-swap, where the first patch has one atomic and.
 *
 * Lock:   1 fast: word 0 -> me  2 preemption off  3 try  4 spin as a newcomer  5 wait_lock; try
 *         6 queue  7 loop: a try; b signal; c sleep; d first: ask; e state; f try; g first: spin
 *         8 wait_lock  9 leave the list
 * Unlock: 1 fast: word me -> 0  2 free the word, unless HANDOFF  3 the first waiter  4 hand off  5 wake
 */
#include "models/osq.h"

#include "sim/model.h"

#define MUTEX_FLAG_WAITERS 1UL
#define MUTEX_FLAG_HANDOFF 2UL
#define MUTEX_FLAG_PICKUP 4UL
#define MUTEX_FLAGS 7UL

struct mutex_4_10 {
	atomic_long_t owner;
	raw_spinlock_t wait_lock;
	struct optimistic_spin_queue osq;
	bool handoff, pickup, signal_leaves; /* the tunables */
	struct list_head wait_list;
} ____cacheline_aligned;

struct mutex_waiter { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
};

#define MUTEX_EVENTS(X)                                                                            \
	X(mutex_spin)	       /* newcomers that joined the osq */                                 \
	X(mutex_spin_acquired) /* … and got the lock spinning */                                   \
	X(mutex_spin_fail)     /* … and gave up as its head: owner off CPU, or reschedule due */   \
	X(mutex_osq_cancel)    /* … and left the osq: reschedule due */                            \
	X(mutex_steal)	       /* taken past queued waiters */                                     \
	X(mutex_queued)	       /* joined wait_list */                                              \
	X(mutex_waiter_spin)   /* the first waiter spun on the owner */                            \
	X(mutex_ask)	       /* a waiter found itself first and set HANDOFF */                   \
	X(mutex_ask_lost)      /* … which somebody cleared by taking the lock */                   \
	X(mutex_handoff)       /* unlock gave the lock to the first waiter */                      \
	X(mutex_pickup)	       /* … which took it up */                                            \
	X(mutex_unlock_slow)   /* unlock had somebody to wake */                                   \
	X(mutex_eintr)	       /* a signal ended the wait */
LOCKEVENTS(MUTEX_EVENTS)

static struct task_struct *owner_task(unsigned long owner)
{
	return (struct task_struct *)(owner & ~MUTEX_FLAGS);
}

static struct task_struct *mutex_owner(struct mutex_4_10 *lock)
{
	return owner_task((unsigned long)atomic_long_read(&lock->owner));
}

/* -- the word ------------------------------------------------------------------------------ */

/* Is the lock mine although it has an owner: was it handed to me? */
static bool is_handed_to_me(const struct mutex_4_10 *lock, unsigned long word, bool first)
{
	if (owner_task(word) != current)
		return false;
	return lock->pickup ? word & MUTEX_FLAG_PICKUP : first;
}

/* The flags that stay when the lock is taken. */
static unsigned long flags_kept(const struct mutex_4_10 *lock, unsigned long word, bool first)
{
	unsigned long flags = word & MUTEX_FLAGS & ~MUTEX_FLAG_PICKUP;

	if (first || lock->pickup)
		flags &= ~MUTEX_FLAG_HANDOFF;
	return flags;
}

/* NULL if the lock is mine now, else the owner. @first: the caller is the first waiter, and knows. */
static struct task_struct *mutex_trylock_or_owner(struct mutex_4_10 *lock, bool first, bool waiter)
{
	long word = atomic_long_read(&lock->owner);

	for (;;) {
		unsigned long seen = (unsigned long)word, want;
		bool handed = is_handed_to_me(lock, seen, first);

		if (owner_task(seen) && !handed)
			return owner_task(seen);
		if (handed && !lock->pickup) {
			lockevent_inc(mutex_pickup);
			return NULL; /* nothing to change */
		}
		want = (unsigned long)current | flags_kept(lock, seen, first);
		if (!atomic_long_try_cmpxchg_acquire(&lock->owner, &word, (long)want))
			continue;
		lockevent_cond_inc(mutex_pickup, handed);
		lockevent_cond_inc(mutex_steal, (seen & MUTEX_FLAG_WAITERS) && !waiter);
		lockevent_cond_inc(mutex_ask_lost, (seen & ~want & MUTEX_FLAG_HANDOFF) && !waiter);
		return NULL;
	}
}

static bool mutex_trylock(struct mutex_4_10 *lock, bool first, bool waiter)
{
	return !mutex_trylock_or_owner(lock, first, waiter);
}

static void mutex_handoff(struct mutex_4_10 *lock, struct task_struct *next)
{
	long word = atomic_long_read(&lock->owner);
	unsigned long want;

	do {
		want = ((unsigned long)word & MUTEX_FLAG_WAITERS) | (unsigned long)next;
		if (next && lock->pickup)
			want |= MUTEX_FLAG_PICKUP;
	} while (!atomic_long_try_cmpxchg_release(&lock->owner, &word, (long)want));
	lockevent_cond_inc(mutex_handoff, next);
}

/* -- spinning: as in mutex.c --------------------------------------------------------------------- */

static bool mutex_can_spin_on_owner(struct mutex_4_10 *lock)
{
	struct task_struct *owner;

	if (need_resched())
		return false;
	owner = mutex_owner(lock);
	return !owner || owner_on_cpu(owner);
}

static bool mutex_spin_on_owner(struct mutex_4_10 *lock, struct task_struct *owner)
{
	spin_begin();
	while (mutex_owner(lock) == owner) {
		if (!owner_on_cpu(owner) || need_resched())
			return false;
		spin_cpu_relax();
	}
	return true;
}

static bool mutex_spin(struct mutex_4_10 *lock, bool waiter)
{
	struct task_struct *owner;

	while ((owner = mutex_trylock_or_owner(lock, waiter, waiter))) {
		if (!mutex_spin_on_owner(lock, owner))
			return false;
		cpu_relax();
	}
	return true;
}

static bool mutex_spin_newcomer(struct mutex_4_10 *lock)
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

static bool mutex_optimistic_spin(struct mutex_4_10 *lock, bool waiter)
{
	lockevent_cond_inc(mutex_waiter_spin, waiter);
	if (waiter ? mutex_spin(lock, true) : mutex_spin_newcomer(lock))
		return true;
	if (need_resched()) {
		__set_current_state(TASK_RUNNING);
		schedule_preempt_disabled();
	}
	return false;
}

/* -- lock and unlock ---------------------------------------------------------------------------- */

static bool mutex_is_first(struct mutex_4_10 *lock, struct mutex_waiter *waiter)
{
	return list_first_entry(&lock->wait_list, struct mutex_waiter, list) == waiter;
}

/* 7: wait_lock is held on entry, and on return. */
static int mutex_wait(struct mutex_4_10 *lock, struct mutex_waiter *waiter, unsigned int state)
{
	bool first = false;

	for (;;) {
		if (mutex_trylock(lock, first, true)) /* a */
			return 0;
		if (signal_pending_state(state, current)) /* b */
			return -EINTR;
		raw_spin_unlock(&lock->wait_lock);
		model_step("mutex-sleep");
		schedule_preempt_disabled(); /* c */
		model_step("mutex-woken");
		if (lock->handoff && !first && mutex_is_first(lock, waiter)) { /* d */
			first = true;
			lockevent_inc(mutex_ask);
			atomic_long_or(MUTEX_FLAG_HANDOFF, &lock->owner);
			model_step("mutex-asked");
		}
		set_current_state(state);	       /* e */
		if (mutex_trylock(lock, first, true)) /* f */
			break;
		if (first && mutex_optimistic_spin(lock, true)) /* g */
			break;
		raw_spin_lock(&lock->wait_lock);
	}
	raw_spin_lock(&lock->wait_lock); /* 8 */
	return 0;
}

/* 6 to 9, under wait_lock. */
static int mutex_queue_and_wait(struct mutex_4_10 *lock, unsigned int state)
{
	struct mutex_waiter waiter = { .task = current };
	int ret;

	lockevent_inc(mutex_queued);
	list_add_tail(&waiter.list, &lock->wait_list); /* 6 */
	if (mutex_is_first(lock, &waiter))
		atomic_long_or(MUTEX_FLAG_WAITERS, &lock->owner);
	trace_contention_begin(lock, LCB_F_MUTEX);
	set_current_state(state);
	ret = mutex_wait(lock, &waiter, state);
	lockevent_cond_inc(mutex_eintr, ret);
	__set_current_state(TASK_RUNNING); /* 9 */
	list_del(&waiter.list);
	if (list_empty(&lock->wait_list) && !(ret && lock->signal_leaves))
		atomic_long_andnot(MUTEX_FLAGS, &lock->owner);
	return ret;
}

static int mutex_lock_slow(struct mutex_4_10 *lock, unsigned int state)
{
	int ret = 0;

	preempt_disable(); /* 2 */
	trace_contention_begin(lock, LCB_F_MUTEX | LCB_F_SPIN);
	if (!mutex_trylock(lock, false, false) && !mutex_optimistic_spin(lock, false)) { /* 3, 4 */
		raw_spin_lock(&lock->wait_lock);		     /* 5 */
		if (!mutex_trylock(lock, false, false))
			ret = mutex_queue_and_wait(lock, state);
		raw_spin_unlock(&lock->wait_lock);
	}
	trace_contention_end(lock, ret);
	preempt_enable();
	return ret;
}

static void mutex_unlock_slow(struct mutex_4_10 *lock)
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
	wake_up_q(&wake_q); /* 5 */
}

/* --------------------------------------------------------------------------------------------- */

static const struct lock_param mutex_4_10_params[] = {
	{ "handoff", LOCK_PARAM_FLAG, 1, "off: the first patch of the rework, nobody asks" },
	{ "pickup", LOCK_PARAM_FLAG, 0, "4.11: mark a hand-over; whoever takes the lock clears HANDOFF" },
	{ "signal_leaves", LOCK_PARAM_FLAG, 0, "4.10 - 5.12: a last waiter that a signal ends leaves its flags behind" },
	{ NULL }
};

static void mutex_4_10_init(void *l, const uint64_t *params)
{
	struct mutex_4_10 *lock = l;

	raw_spin_lock_init(&lock->wait_lock);
	osq_lock_init(&lock->osq);
	INIT_LIST_HEAD(&lock->wait_list);
	lock->handoff = params[0];
	lock->pickup = params[1];
	lock->signal_leaves = params[2];
}

static int mutex_4_10_lock(void *l, struct lock_req *req)
{
	struct mutex_4_10 *lock = l;
	unsigned int state = TASK_UNINTERRUPTIBLE;
	long free = 0;

	if (req->how & LOCK_TRY)
		return mutex_trylock(lock, false, false) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	if (atomic_long_try_cmpxchg_acquire(&lock->owner, &free, (long)current)) /* 1 */
		return 0;
	return mutex_lock_slow(lock, state);
}

static void mutex_4_10_unlock(void *l, struct lock_req *req)
{
	struct mutex_4_10 *lock = l;
	long mine = (long)current;

	if (!atomic_long_try_cmpxchg_release(&lock->owner, &mine, 0)) /* 1 */
		mutex_unlock_slow(lock);
}

static void mutex_4_10_view(const void *l, struct lock_view *view)
{
	static const char *const names[] = { "WAITERS", "HANDOFF", "PICKUP", NULL };
	const struct mutex_4_10 *lock = l;
	const struct mutex_waiter *waiter;
	unsigned long word = (unsigned long)lock->owner.counter;

	if (owner_task(word))
		lock_view_owner(view, owner_task(word), LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = word & MUTEX_FLAGS;
	kw_flags(view->flags, sizeof(view->flags), word, names);
}

static const char *mutex_4_10_broken(const void *l)
{
	const struct mutex_4_10 *lock = l;
	unsigned long word = (unsigned long)lock->owner.counter;
	bool empty = lock->wait_list.next == &lock->wait_list;

	if (lock->wait_lock.owner)
		return NULL;
	if (empty && (word & MUTEX_FLAG_WAITERS))
		return "WAITERS is set, but nobody is queued";
	if (!empty && !(word & MUTEX_FLAG_WAITERS))
		return "tasks are queued, but WAITERS is clear";
	if (!owner_task(word) && (word & MUTEX_FLAG_PICKUP))
		return "PICKUP on a free mutex";
	return NULL;
}

/* With `pickup` the mark gets lost, and is not set again. */
static sim_time mutex_4_10_patience(const void *l)
{
	const struct mutex_4_10 *lock = l;

	return lock->handoff && !lock->pickup ? 0 : SIM_NEVER;
}

LOCK_MODEL(mutex_4_10) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mutex-4.10",
	.mirrors = "Linux 4.10 kernel/locking/mutex.c",
	.summary = "the first owner-word mutex: a first waiter asks for the lock once, with a plain OR",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct mutex_4_10),
	.params = mutex_4_10_params,
	.events = lockevent_names,
	.init = mutex_4_10_init,
	.lock = mutex_4_10_lock,
	.unlock = mutex_4_10_unlock,
	.view = mutex_4_10_view,
	.broken = mutex_4_10_broken,
	.patience = mutex_4_10_patience,
};
