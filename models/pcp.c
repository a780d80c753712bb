// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcp: the original priority ceiling protocol.
 *
 * Priority inheritance, and a rule that keeps tasks out of locks that are free: a task may
 * take one only if its priority is higher than the ceiling of every lock that other tasks
 * hold. Who is kept out waits for the holder of the lock with the highest of those ceilings,
 * and lends it its priority. So a task waits at most once, for one critical section of a
 * weaker one; there are no chains and no deadlocks. What it costs is that tasks wait for locks
 * that nobody has.
 *
 * All locks of this model are one system with one raw lock, which holds the locks that
 * are held and those who wait. A release wakes the strongest waiter that the rule now lets
 * in; it stays queued until it has taken its lock itself, so that somebody stronger
 * may still come first. The rule is made for one CPU; on several it still excludes deadlocks,
 * but a task can wait more than once.
 *
 * Mirrors: L. Sha, R. Rajkumar, J. P. Lehoczky, "Priority inheritance protocols", IEEE
 * Trans. Computers 39(9), 1990 (the rule: from memory)
 * Deviations: (1) a task above the ceiling is refused with -EINVAL, as in POSIX: the protocol
 * assumes that there is none; (2) a lock that the task holds itself: -EDEADLK.
 *
 * Lock:   1 is it let in? take it   2 queue, and lend to whoever keeps it out   3 sleep
 *         4 again from 1   5 timeout, signal: leave, take back what was lent, wake who may now
 * Unlock: 1 free   2 take back what was lent   3 wake the strongest of those that are let in
 */
#define RTMUTEX_EVENTS(X)                                                      \
	X(pcp_ceiling) /* waits for a lock that was free */                    \
	X(pcp_held)    /* waits for a lock that was held */                    \
	X(pcp_retry)   /* woken, and kept out again */                         \
	X(pcp_timeout) /* waits that ended by their timeout */                 \
	X(pcp_signal)  /* waits that a signal ended */                         \
	X(pcp_above)   /* refused: the task is above the ceiling */
#include "models/ceiling.h"
#include "models/rtmutex_private.h"

#define PCP_ROUNDS 1000000 /* no chain is that long */

struct pcp_lock {
	int ceiling; /* kernel number, constant */
	struct task_struct *owner;
	struct pcp_lock *next; /* of all that are held, latest first */
};

struct pcp_waiter { /* on the waiting task's stack */
	struct pcp_waiter *next; /* of all that wait, in order of arrival */
	struct pcp_lock *lock;
	struct task_struct *barrier;   /* who keeps it out, and has its priority; NULL: it may come in */
	struct rt_mutex_waiter lent;   /* in the barrier's pi_waiters; what the task is blocked on */
};

struct pcp_system {
	raw_spinlock_t lock;
	struct pcp_lock *held;
	struct pcp_waiter *waiting;
};

/* The first CPU's copy is everybody's. */
static DEFINE_PER_CPU_ALIGNED(struct pcp_system, pcp_everywhere);

static struct pcp_system *pcp_system(void)
{
	return per_cpu_ptr(&pcp_everywhere, 0);
}

/* -- the rule, under the system's lock ---------------------------------------------------------- */

/* The lock that keeps @task out of @wanted, or NULL. */
static struct pcp_lock *pcp_barrier(struct pcp_system *sys, const struct task_struct *task,
				    struct pcp_lock *wanted)
{
	struct pcp_lock *highest = NULL;

	if (wanted->owner)
		return wanted; /* its ceiling is at least the task's priority: the strictest there is, if all are right */
	for (struct pcp_lock *l = sys->held; l; l = l->next)
		if (l->owner != task && (!highest || l->ceiling < highest->ceiling))
			highest = l;
	return highest && ceiling_level(task->prio) >= highest->ceiling ? highest : NULL;
}

static void pcp_lend(struct pcp_waiter *w, struct task_struct *to)
{
	if (w->barrier)
		rt_mutex_take_back(w->barrier, &w->lent);
	w->barrier = to;
	if (to)
		rt_mutex_lend(to, &w->lent);
}

static bool pcp_refresh(struct pcp_system *sys, struct pcp_waiter *w)
{
	struct task_struct *task = w->lent.task;
	struct pcp_lock *lock = pcp_barrier(sys, task, w->lock);
	struct task_struct *to = lock ? lock->owner : NULL;

	if (w->barrier == to && (!to || waiter_prio_equals(&w->lent, task)))
		return false;
	if (w->barrier != to)
		kw_pi_event(KW_PI_BLOCK, task, w->lock, to, task->prio);
	pcp_lend(w, to);
	return true;
}

/*
 * Who keeps whom out may have changed, and whoever is lent to may wait itself: until nothing
 * changes any more. Each round settles at least the next task of every chain of waits.
 */
static void pcp_settle(struct pcp_system *sys)
{
	unsigned int rounds = 1;
	bool changed;

	do {
		changed = false;
		for (struct pcp_waiter *w = sys->waiting; w; w = w->next) {
			changed |= pcp_refresh(sys, w);
			rounds++;
		}
		/* only ceilings below their users' priorities make circles */
	} while (changed && !WARN_ON_ONCE(rounds > PCP_ROUNDS));
}

/* The strongest that is let in, the first of equals. */
static void pcp_wake(struct pcp_system *sys, struct wake_q_head *wake_q)
{
	struct pcp_waiter *best = NULL;

	for (struct pcp_waiter *w = sys->waiting; w; w = w->next)
		if (!w->barrier && (!best || w->lent.task->prio < best->lent.task->prio))
			best = w;
	if (best)
		wake_q_add(wake_q, best->lent.task);
}

/* A holder, other than @but, that waits in a lock of another kind, which does not know its priority yet. */
static struct task_struct *pcp_outdated(const struct pcp_system *sys, const struct task_struct *but)
{
	for (const struct pcp_lock *l = sys->held; l; l = l->next) {
		const struct rt_mutex_waiter *w = l->owner->pi_blocked_on;

		if (w && w->elsewhere != sys && l->owner != but && !waiter_prio_equals(w, l->owner))
			return l->owner;
	}
	return NULL;
}

/* Lets go of the system. Such holders pass on what they have; the last one is left to the caller. */
static struct task_struct *pcp_unlock_system(struct pcp_system *sys)
{
	struct task_struct *last = pcp_outdated(sys, NULL), *other;

	while (last && (other = pcp_outdated(sys, last))) {
		raw_spin_unlock_irq(&sys->lock);
		rt_mutex_pass_on(other);
		raw_spin_lock_irq(&sys->lock);
		last = pcp_outdated(sys, NULL);
	}
	raw_spin_unlock_irq(&sys->lock);
	return last;
}

/* A waiter has another priority: that of a lock of another kind, or its own. */
static struct task_struct *pcp_told(void *elsewhere, struct task_struct *p)
{
	struct pcp_system *sys = elsewhere;
	struct task_struct *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irq(&sys->lock);
	pcp_settle(sys);
	pcp_wake(sys, &wake_q);
	next = pcp_unlock_system(sys);
	wake_up_q(&wake_q);
	return next;
}

static void pcp_take(struct pcp_system *sys, struct pcp_lock *lock)
{
	lock->owner = current;
	lock->next = sys->held;
	sys->held = lock;
}

static void pcp_queue(struct pcp_system *sys, struct pcp_waiter *w)
{
	struct pcp_waiter **p = &sys->waiting;

	while (*p)
		p = &(*p)->next;
	*p = w;
}

static void pcp_leave(struct pcp_system *sys, struct pcp_waiter *w)
{
	struct pcp_waiter **p = &sys->waiting;

	while (*p != w)
		p = &(*p)->next;
	*p = w->next;
	pcp_lend(w, NULL);
}

/* -- lock and unlock ----------------------------------------------------------------------------- */

/* 2 to 5; the system's lock is held on entry and return. */
static int pcp_wait(struct pcp_system *sys, struct pcp_lock *lock, unsigned int state, struct kw_timeout *timeout,
		    struct wake_q_head *wake_q)
{
	struct pcp_waiter w = { .lock = lock };
	bool slept = false;
	int ret = 0;

	rt_mutex_init_waiter(&w.lent, TASK_NORMAL);
	w.lent.task = current;
	w.lent.told = pcp_told;
	w.lent.elsewhere = sys;
	rt_mutex_block_on(&w.lent);
	pcp_queue(sys, &w);
	trace_contention_begin(lock, LCB_F_RT);
	for (;;) {
		set_current_state(state);
		pcp_settle(sys);
		if (!w.barrier)
			break;
		if (slept)
			lockevent_inc(pcp_retry);
		ret = signal_pending_state(state, current) ? -EINTR : kw_timed_out(timeout) ? -ETIMEDOUT : 0;
		if (ret)
			break;
		rt_mutex_pass_on(pcp_unlock_system(sys));
		schedule();
		raw_spin_lock_irq(&sys->lock);
		slept = true;
	}
	__set_current_state(TASK_RUNNING);
	pcp_leave(sys, &w);
	rt_mutex_unblock(current);
	if (!ret)
		pcp_take(sys, lock);
	pcp_settle(sys);
	if (ret)
		pcp_wake(sys, wake_q); /* it may have been woken, and does not take what it was woken for */
	trace_contention_end(lock, ret);
	return ret;
}

static int pcp_acquire(struct pcp_lock *lock, struct lock_req *req, unsigned int state)
{
	struct pcp_system *sys = pcp_system();
	struct kw_timeout timeout;
	DEFINE_WAKE_Q(wake_q);
	int ret = 0;

	if (ceiling_level(current->normal_prio) < lock->ceiling) {
		lockevent_inc(pcp_above);
		return -EINVAL;
	}
	raw_spin_lock_irq(&sys->lock);
	if (lock->owner == current) {
		ret = -EDEADLK;
	} else if (!pcp_barrier(sys, current, lock)) {
		pcp_take(sys, lock); /* 1 */
		pcp_settle(sys);
	} else if (req->how & LOCK_TRY) {
		ret = -EBUSY;
	} else {
		lockevent_cond_inc(pcp_held, lock->owner);
		lockevent_cond_inc(pcp_ceiling, !lock->owner);
		kw_timeout_start(&timeout, req->timeout);
		ret = pcp_wait(sys, lock, state, &timeout, &wake_q);
		kw_timeout_stop(&timeout);
	}
	rt_mutex_pass_on(pcp_unlock_system(sys));
	wake_up_q(&wake_q);
	lockevent_cond_inc(pcp_timeout, ret == -ETIMEDOUT);
	lockevent_cond_inc(pcp_signal, ret == -EINTR);
	return ret;
}

static void pcp_release(struct pcp_lock *lock)
{
	struct pcp_system *sys = pcp_system();
	struct pcp_lock **p = &sys->held;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irq(&sys->lock);
	while (*p != lock)
		p = &(*p)->next;
	*p = lock->next;
	lock->owner = NULL; /* 1 */
	pcp_settle(sys); /* 2 */
	pcp_wake(sys, &wake_q); /* 3 */
	preempt_disable(); /* as rt_mutex: nobody in between slips in */
	rt_mutex_pass_on(pcp_unlock_system(sys));
	wake_up_q(&wake_q);
	preempt_enable();
}

/* ---- the simulator's side ---- */

static const struct lock_param pcp_params[] = { CEILING_PARAM, { NULL } };

static void pcp_init(void *l, const uint64_t *params)
{
	struct pcp_lock *lock = l;
	struct pcp_system *sys = pcp_system();

	lock->ceiling = ceiling_prio(params[0]);
	raw_spin_lock_init(&sys->lock);
	sys->held = NULL;
	sys->waiting = NULL;
}

static int pcp_lock(void *l, struct lock_req *req)
{
	unsigned int state = TASK_UNINTERRUPTIBLE;

	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	if (!(req->how & LOCK_TRY))
		might_sleep();
	return pcp_acquire(l, req, state);
}

static void pcp_unlock(void *l, struct lock_req *req)
{
	pcp_release(l);
}

static void pcp_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_pass_on(pcp_told(pcp_system(), p));
}

static void pcp_view(const void *l, struct lock_view *view)
{
	const struct pcp_lock *lock = l;

	if (lock->owner)
		lock_view_owner(view, lock->owner, LOCK_EXCLUSIVE);
	for (const struct pcp_waiter *w = pcp_system()->waiting; w; w = w->next)
		if (w->lock == lock)
			lock_view_waiter(view, w->lent.task, LOCK_EXCLUSIVE);
	view->word = lock->owner ? (uint64_t)lock->owner->pid : 0;
}

static const char *pcp_broken(const void *l)
{
	const struct pcp_lock *lock = l;
	const struct pcp_system *sys = pcp_system();
	bool listed = false;

	if (sys->lock.owner)
		return NULL;
	for (const struct pcp_lock *h = sys->held; h; h = h->next) {
		listed |= h == lock;
		if (!h->owner)
			return "a lock without an owner is among those that are held";
	}
	if (listed != !!lock->owner)
		return "the lock is held and not in the system, or the other way round";
	for (const struct pcp_waiter *w = sys->waiting; w; w = w->next)
		if (w->barrier && rt_prio(w->lent.tree.prio) && w->barrier->prio > w->lent.tree.prio)
			return "a task waits for a weaker one that has not inherited its priority";
	return NULL;
}

LOCK_MODEL(pcp) = {
	.abi = LOCK_MODEL_ABI,
	.name = "pcp",
	.mirrors = "Sha, Rajkumar, Lehoczky 1990 (from memory)",
	.summary = "original priority ceiling protocol: inherits, and is kept out of free locks by a ceiling",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_SYSTEM,
	.size = sizeof(struct pcp_lock),
	.params = pcp_params,
	.events = lockevent_names,
	.init = pcp_init,
	.lock = pcp_lock,
	.unlock = pcp_unlock,
	.prio_changed = pcp_prio_changed,
	.view = pcp_view,
	.broken = pcp_broken,
};
