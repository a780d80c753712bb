// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * futex: the mutex of user programs, as glibc builds it from a word and two system calls.
 *
 *     word   0 free   1 held, nobody sleeps   2 held, somebody may sleep
 *
 * glibc takes this lock around random(), malloc arenas and stdio; pthread_mutex_t is the
 * same with two fields more. Free: one swap in user mode. Held: exchange with 2 and sleep
 * in the kernel, unless the word has changed by the time the kernel looks; again after each
 * wake-up. So whoever has slept leaves 2 behind, and its unlock enters the kernel even if
 * nobody is left. Unlock frees, then wakes one: anybody who comes meanwhile takes the lock
 * (barging, unbounded). Nobody spins, but for `adaptive`. Sleepers are woken in order of
 * arrival, RT tasks first by priority. Whoever holds it can be preempted like any user code.
 *
 * Mirrors: glibc 2.34 nptl/lowlevellock.c, sysdeps/nptl/lowlevellock.h, and
 * nptl/pthread_mutex_lock.c for `pthread` and `adaptive`; Linux 6.1 kernel/futex/waitwake.c
 * Deviations: (1) each lock has a hash bucket of its own; (2) the bucket's lock is a raw
 * spinlock under PREEMPT_RT, too, where it is a sleeping one in the kernel; (3) a private
 * futex: no lookup of the page; (4) as in glibc when it runs several threads.
 *
 * Lock:   1 swap 0 -> 1   2 adaptive: swap again for some turns   3 exchange with 2, old 0:
 *         mine   4 FUTEX_WAIT while the word is 2   5 back to 3
 * Unlock: 1 exchange with 0   2 it was 2: FUTEX_WAKE, one
 * FUTEX_WAIT: a count a waiter  b bucket lock  c word changed: back  d queue, sleep
 *         e leave, unless the waker has taken me out
 * FUTEX_WAKE: a nobody waits: back  b bucket lock  c take out the first  d wake it
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

#define FUTEX_MAX_ADAPTIVE 100

struct futex_bucket { /* the kernel's, on a line of its own */
	atomic_t waiters;
	raw_spinlock_t lock;
	struct list_head chain;
} ____cacheline_aligned;

struct futex_lock {
	atomic_t word;
	int owner; /* pthread: the holder's thread id, the number of users, the guess of turns */
	unsigned int nusers;
	int spins;
	bool pthread, adaptive;	    /* constant after init */
	struct task_struct *holder; /* for view() only */
	struct futex_bucket hb;
} ____cacheline_aligned;

struct futex_q { /* on the sleeper's stack */
	struct list_head list;
	struct task_struct *task;
	int prio;
	struct futex_bucket *lock_ptr; /* NULL: the waker has taken it out */
};

#define FUTEX_EVENTS(X)                                                                            \
	X(futex_spin)	    /* adaptive: acquired by spinning */                                   \
	X(futex_contended)  /* went for the word with 2 */                                         \
	X(futex_wait)	    /* slept in FUTEX_WAIT */                                              \
	X(futex_wait_again) /* the word had changed before it slept */                             \
	X(futex_lost)	    /* was woken and found the lock taken */                               \
	X(futex_steal)	    /* taken past sleepers */                                              \
	X(futex_wake)	    /* FUTEX_WAKE woke somebody */                                         \
	X(futex_wake_none)  /* FUTEX_WAKE found nobody */                                          \
	X(futex_signal)	    /* a signal ended the sleep, not the wait */
LOCKEVENTS(FUTEX_EVENTS)

/* -- the kernel -------------------------------------------------------------------------------- */

/* d. Behind those that are at least as strong; all fair tasks are equal. */
static void futex_queue(struct futex_bucket *hb, struct futex_q *q)
{
	struct futex_q *at;

	q->task = current;
	q->prio = min(current->normal_prio, MAX_RT_PRIO);
	q->lock_ptr = hb;
	list_for_each_entry(at, &hb->chain, list)
		if (at->prio > q->prio)
			break;
	list_add_tail(&q->list, &at->list);
	raw_spin_unlock(&hb->lock);
}

/* e. False: the waker was first. */
static bool futex_unqueue(struct futex_bucket *hb, struct futex_q *q)
{
	bool queued = false;

	if (READ_ONCE(q->lock_ptr)) {
		raw_spin_lock(&hb->lock);
		queued = q->lock_ptr;
		if (queued)
			list_del(&q->list);
		raw_spin_unlock(&hb->lock);
	}
	if (queued)
		atomic_dec(&hb->waiters);
	return queued;
}

/* True: slept, and was woken by FUTEX_WAKE. */
static bool futex_wait(struct futex_lock *lock, int val)
{
	struct futex_bucket *hb = &lock->hb;
	struct futex_q q;
	bool woken = false;

	kw_syscall_enter();
	atomic_inc(&hb->waiters);	 /* a */
	raw_spin_lock(&hb->lock);	 /* b */
	if (atomic_read(&lock->word) != val) { /* c */
		raw_spin_unlock(&hb->lock);
		atomic_dec(&hb->waiters);
		lockevent_inc(futex_wait_again);
	} else {
		lockevent_inc(futex_wait);
		set_current_state(TASK_INTERRUPTIBLE);
		futex_queue(hb, &q);
		model_step("futex-sleep");
		if (READ_ONCE(q.lock_ptr))
			schedule();
		__set_current_state(TASK_RUNNING);
		woken = !futex_unqueue(hb, &q);
		lockevent_cond_inc(futex_signal, !woken);
	}
	kw_syscall_exit();
	return woken;
}

static void futex_wake(struct futex_lock *lock)
{
	struct futex_bucket *hb = &lock->hb;
	struct futex_q *first = NULL;
	DEFINE_WAKE_Q(wake_q);

	kw_syscall_enter();
	if (atomic_read(&hb->waiters)) { /* a */
		raw_spin_lock(&hb->lock); /* b */
		if (!list_empty(&hb->chain)) {
			first = list_first_entry(&hb->chain, struct futex_q, list);
			wake_q_add(&wake_q, first->task);
			list_del(&first->list); /* c */
			smp_store_release(&first->lock_ptr, NULL);
		}
		raw_spin_unlock(&hb->lock);
		if (first)
			atomic_dec(&hb->waiters);
		wake_up_q(&wake_q); /* d */
	}
	if (first)
		lockevent_inc(futex_wake);
	else
		lockevent_inc(futex_wake_none);
	kw_syscall_exit();
}

/* -- the user ---------------------------------------------------------------------------------- */

static bool lll_trylock(struct futex_lock *lock)
{
	int free = 0;

	return atomic_try_cmpxchg_acquire(&lock->word, &free, 1);
}

/* 3 to 5 */
static void lll_lock_wait(struct futex_lock *lock)
{
	bool woken = false;

	lockevent_inc(futex_contended);
	trace_contention_begin(lock, LCB_F_MUTEX);
	if (atomic_read(&lock->word) == 2)
		woken = futex_wait(lock, 2);
	while (atomic_xchg_acquire(&lock->word, 2)) {
		lockevent_cond_inc(futex_lost, woken);
		woken = futex_wait(lock, 2);
	}
	trace_contention_end(lock, 0);
}

/* 2. At most twice as many turns as were of use lately. */
static bool adaptive_spin(struct futex_lock *lock)
{
	int turns = min(FUTEX_MAX_ADAPTIVE, READ_ONCE(lock->spins) * 2 + 10), count = 0;
	bool acquired = false;

	while (!acquired && count++ < turns) {
		cpu_relax();
		acquired = lll_trylock(lock);
	}
	if (!acquired)
		lll_lock_wait(lock);
	WRITE_ONCE(lock->spins, lock->spins + (count - lock->spins) / 8);
	return acquired;
}

static void futex_acquired(struct futex_lock *lock, bool barged)
{
	lockevent_cond_inc(futex_steal, barged && lock->hb.chain.next != &lock->hb.chain);
	lock->holder = current;
	if (!lock->pthread)
		return;
	WRITE_ONCE(lock->owner, current->pid);
	WRITE_ONCE(lock->nusers, lock->nusers + 1);
}

/* ---- the simulator's side ---- */

static const struct lock_param futex_params[] = {
	{ "pthread", LOCK_PARAM_FLAG, 0, "pthread_mutex_t: also notes owner and users" },
	{ "adaptive", LOCK_PARAM_FLAG, 0, "PTHREAD_MUTEX_ADAPTIVE_NP: spin up to 100 turns first" },
	{ NULL }
};

static void futex_init(void *l, const uint64_t *params)
{
	struct futex_lock *lock = l;

	raw_spin_lock_init(&lock->hb.lock);
	INIT_LIST_HEAD(&lock->hb.chain);
	lock->pthread = params[0];
	lock->adaptive = params[1];
}

static int futex_lock(void *l, struct lock_req *req)
{
	struct futex_lock *lock = l;
	bool barged = true;

	if (!lll_trylock(lock)) { /* 1 */
		if (req->how & LOCK_TRY)
			return -EBUSY;
		if (lock->adaptive) {
			barged = adaptive_spin(lock);
			lockevent_cond_inc(futex_spin, barged);
		} else {
			lll_lock_wait(lock);
			barged = false;
		}
	}
	futex_acquired(lock, barged);
	return 0;
}

static void futex_unlock(void *l, struct lock_req *req)
{
	struct futex_lock *lock = l;

	if (lock->pthread) {
		WRITE_ONCE(lock->owner, 0);
		WRITE_ONCE(lock->nusers, lock->nusers - 1);
	}
	lock->holder = NULL;
	if (atomic_xchg_release(&lock->word, 0) > 1) { /* 1 */
		model_step("futex-unlock-wake");
		futex_wake(lock); /* 2 */
	}
}

static void futex_view(const void *l, struct lock_view *view)
{
	const struct futex_lock *lock = l;
	const struct futex_q *q;

	if (lock->holder)
		lock_view_owner(view, lock->holder, LOCK_EXCLUSIVE);
	list_for_each_entry(q, &lock->hb.chain, list)
		lock_view_waiter(view, q->task, LOCK_EXCLUSIVE);
	view->word = (uint32_t)lock->word.counter;
}

static const char *futex_broken(const void *l)
{
	const struct futex_lock *lock = l;

	if (lock->word.counter < 0 || lock->word.counter > 2)
		return "the word is none of 0, 1, 2";
	if (lock->holder && !lock->word.counter)
		return "held, but the word is 0";
	return NULL;
}

LOCK_MODEL(futex) = {
	.abi = LOCK_MODEL_ABI,
	.name = "futex",
	.mirrors = "glibc 2.34 nptl/lowlevellock.c, Linux 6.1 kernel/futex/waitwake.c",
	.summary = "glibc's low-level lock, in user mode: barging; waiters sleep in FUTEX_WAIT",
	.caps = LOCK_CAP_TRY | LOCK_CAP_USER,
	.size = sizeof(struct futex_lock),
	.params = futex_params,
	.events = lockevent_names,
	.init = futex_init,
	.lock = futex_lock,
	.unlock = futex_unlock,
	.view = futex_view,
	.broken = futex_broken,
};
