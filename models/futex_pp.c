// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * futex-pp: PTHREAD_PRIO_PROTECT, the immediate priority ceiling, as glibc builds it.
 *
 *     word   0 free   1 held, nobody sleeps   2 held, somebody may sleep
 *
 * Each lock has a ceiling. Whoever takes it runs at least at that ceiling from before it
 * has it until after it has let go, whether or not anybody waits; with several such locks, at
 * the strongest ceiling. A task that is itself stronger than the ceiling is refused with
 * -EINVAL. On one CPU, if no holder sleeps, nobody ever finds the lock taken: the wait is the
 * time before a task is let run at all, at most one critical section. On several CPUs,
 * sleepers queue FIFO, since all of them are at the ceiling, and newcomers may pass them.
 *
 * Mirrors: POSIX.1-2017 pthread_mutexattr_getprotocol (the rule); glibc nptl/tpp.c,
 * pthread_mutex_lock.c (the steps: from memory)
 * Deviations: those of futex.h; (4) the ceiling is not kept in the word; (5) a fair task is
 * raised, too, which glibc refuses to do; (6) a ceiling adds to the task's own priority, so
 * `set` does not cancel it; glibc lets the library's pthread_setschedparam() see to that.
 *
 * Lock:   1 stronger than the ceiling: -EINVAL   2 raise: a system call if it changes anything
 *         3 swap 0 -> 1   4 note that somebody sleeps: swap 1 -> 2   5 FUTEX_WAIT while it is 2
 *         6 swap 0 -> 2, else back to 4   7 failed: back to the old priority
 * Unlock: 1 exchange with 0   2 it was 2: FUTEX_WAKE, one   3 back to the old priority
 */
#define FUTEX_EVENTS(X)                                                                   \
	FUTEX_WAIT_EVENTS(X)                                                           \
	X(pp_raise)	/* a lock made its taker stronger: a system call */            \
	X(pp_contended) /* found taken: the holder slept, or is on another CPU */      \
	X(pp_above)	/* refused: the task is above the ceiling */
#include "models/ceiling.h"
#include "models/futex.h"

struct pp_lock {
	atomic_t word;
	int ceiling;		    /* kernel number, constant */
	struct task_struct *holder; /* for view() only */
	struct futex_bucket hb;
} ____cacheline_aligned;

/* The strongest of its own priority and the ceilings that it keeps, but for @except. */
static int level_without(const struct kw_ceiling *except)
{
	int level = ceiling_level(current->normal_prio);

	for (const struct kw_ceiling *c = current->ceilings; c; c = c->next)
		if (c != except)
			level = min(level, c->prio);
	return level;
}

static void pp_raise(struct pp_lock *lock, struct kw_ceiling *c)
{
	bool call = lock->ceiling < level_without(NULL);

	if (call)
		kw_syscall_enter();
	kw_ceiling_raise(c, lock->ceiling);
	if (call) {
		lockevent_inc(pp_raise);
		kw_syscall_exit();
	}
}

static void pp_lower(struct pp_lock *lock, struct kw_ceiling *c)
{
	bool call = lock->ceiling < level_without(c);

	if (call)
		kw_syscall_enter();
	kw_ceiling_drop(c);
	if (call)
		kw_syscall_exit();
}

static bool pp_swap(struct pp_lock *lock, int from, int to)
{
	return atomic_try_cmpxchg_acquire(&lock->word, &from, to);
}

/* 4 to 6 */
static int pp_lock_wait(struct pp_lock *lock, struct kw_timeout *timeout)
{
	int ret = 0;

	lockevent_inc(pp_contended);
	trace_contention_begin(lock, LCB_F_MUTEX);
	do {
		if (pp_swap(lock, 1, 2) || atomic_read(&lock->word) == 2)
			ret = futex_wait(&lock->hb, &lock->word, 2, lock->ceiling, timeout);
		if (ret == -ETIMEDOUT)
			break;
		ret = 0;
	} while (!pp_swap(lock, 0, 2));
	trace_contention_end(lock, ret);
	return ret;
}

/* ---- the simulator's side ---- */

static const struct lock_param pp_params[] = { CEILING_PARAM, { NULL } };

static void pp_init(void *l, const uint64_t *params)
{
	struct pp_lock *lock = l;

	lock->ceiling = ceiling_prio(params[0]);
	futex_bucket_init(&lock->hb, NULL);
}

static int pp_lock_slow(struct pp_lock *lock, struct lock_req *req)
{
	struct kw_timeout timeout;
	int ret;

	if (req->how & LOCK_TRY)
		return -EBUSY;
	kw_timeout_start(&timeout, req->timeout);
	ret = pp_lock_wait(lock, &timeout);
	kw_timeout_stop(&timeout);
	return ret;
}

static int pp_lock(void *l, struct lock_req *req)
{
	struct pp_lock *lock = l;
	int ret = 0;

	if (ceiling_level(current->normal_prio) < lock->ceiling) { /* 1 */
		lockevent_inc(pp_above);
		return -EINVAL;
	}
	pp_raise(lock, req->hold); /* 2 */
	if (!pp_swap(lock, 0, 1)) /* 3 */
		ret = pp_lock_slow(lock, req);
	if (ret)
		pp_lower(lock, req->hold); /* 7 */
	else
		lock->holder = current;
	return ret;
}

static void pp_unlock(void *l, struct lock_req *req)
{
	struct pp_lock *lock = l;

	lock->holder = NULL;
	if (atomic_xchg_release(&lock->word, 0) > 1) /* 1 */
		futex_wake(&lock->hb, 1); /* 2 */
	pp_lower(lock, req->hold); /* 3 */
}

static void pp_view(const void *l, struct lock_view *view)
{
	const struct pp_lock *lock = l;

	if (lock->holder)
		lock_view_owner(view, lock->holder, LOCK_EXCLUSIVE);
	futex_view_waiters(&lock->hb, view);
	view->word = (uint32_t)lock->word.counter;
}

static const char *pp_broken(const void *l)
{
	const struct pp_lock *lock = l;

	if (lock->word.counter < 0 || lock->word.counter > 2)
		return "the word is none of 0, 1, 2";
	if (lock->holder && !lock->word.counter)
		return "held, but the word is 0";
	if (lock->holder && lock->holder->prio > lock->ceiling)
		return "the holder runs below the ceiling";
	return NULL;
}

LOCK_MODEL(futex_pp) = {
	.abi = LOCK_MODEL_ABI,
	.name = "futex-pp",
	.mirrors = "POSIX PTHREAD_PRIO_PROTECT, glibc nptl/tpp.c (from memory), Linux 6.1 kernel/futex/waitwake.c",
	.summary = "immediate priority ceiling, in user mode: the holder runs at the ceiling at once",
	.caps = LOCK_CAP_TRY | LOCK_CAP_TIMEOUT | LOCK_CAP_USER,
	.size = sizeof(struct pp_lock),
	.hold_size = sizeof(struct kw_ceiling),
	.params = pp_params,
	.events = lockevent_names,
	.init = pp_init,
	.lock = pp_lock,
	.unlock = pp_unlock,
	.view = pp_view,
	.broken = pp_broken,
};
