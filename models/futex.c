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
 * futex-rt is the same on a kernel with PREEMPT_RT: the lock of the hash bucket sleeps.
 * Whoever finds the word taken queues there before it has looked at the word again, so that
 * behind one that is preempted in the bucket all stand who would else have got the lock.
 *
 * Mirrors: glibc 2.34 nptl/lowlevellock.c, sysdeps/nptl/lowlevellock.h, and
 * nptl/pthread_mutex_lock.c for `pthread` and `adaptive`; Linux 6.1 kernel/futex/waitwake.c
 * Deviations: those of futex.h; (4) as in glibc when it runs several threads; (5) futex-rt:
 * the bucket's lock lies on lines of its own, and who waits for it counts, and is shown, as
 * one who waits for the futex.
 *
 * Lock:   1 swap 0 -> 1   2 adaptive: swap again for some turns, and once   3 exchange with 2, old 0:
 *         mine   4 FUTEX_WAIT while the word is 2   5 back to 3
 * Unlock: 1 exchange with 0   2 it was 2: FUTEX_WAKE, one
 */
#define FUTEX_EVENTS(X)                                                                            \
	FUTEX_WAIT_EVENTS(X)                                                                       \
	X(futex_spin)	    /* adaptive: acquired by spinning */                                   \
	X(futex_contended)  /* went for the word with 2 */                                         \
	X(futex_lost)	    /* was woken and found the lock taken */                               \
	X(futex_steal)	    /* taken past sleepers */
#include "models/futex.h"
#include "models/rtmutex_base.h"

#define FUTEX_MAX_ADAPTIVE 100

struct futex_lock {
	atomic_t word;
	int owner; /* pthread: the holder's thread id, the number of users, the guess of turns */
	unsigned int nusers;
	int spins;
	bool pthread, adaptive;	    /* constant after init */
	struct task_struct *holder; /* for view() only */
	struct futex_bucket hb;
} ____cacheline_aligned;

struct futex_rt_lock {
	struct futex_lock futex;
	struct rt_mutex_base bucket ____cacheline_aligned;
};

/* -- the user ---------------------------------------------------------------------------------- */

static bool lll_trylock(struct futex_lock *lock)
{
	int free = 0;

	return atomic_try_cmpxchg_acquire(&lock->word, &free, 1);
}

/* 3 to 5: 0 or -ETIMEDOUT. */
static int lll_lock_wait(struct futex_lock *lock, struct kw_timeout *timeout)
{
	int ret = -EAGAIN;

	lockevent_inc(futex_contended);
	trace_contention_begin(lock, LCB_F_MUTEX);
	if (atomic_read(&lock->word) == 2)
		ret = futex_wait(&lock->hb, &lock->word, 2, current->normal_prio, timeout);
	while (ret != -ETIMEDOUT && atomic_xchg_acquire(&lock->word, 2)) {
		lockevent_cond_inc(futex_lost, !ret);
		ret = futex_wait(&lock->hb, &lock->word, 2, current->normal_prio, timeout);
	}
	ret = ret == -ETIMEDOUT ? ret : 0;
	trace_contention_end(lock, ret);
	return ret;
}

/* 2. At most twice as many turns as were of use lately. */
static int adaptive_spin(struct futex_lock *lock, struct kw_timeout *timeout, bool *barged)
{
	int turns = min(FUTEX_MAX_ADAPTIVE, READ_ONCE(lock->spins) * 2 + 10), count = 0, ret = 0;

	while (!*barged && count++ < turns) {
		cpu_relax();
		*barged = lll_trylock(lock);
	}
	if (!*barged) { /* 1 again, as whoever does not spin: a lock that is free by now is taken with 1 */
		model_step("futex-spun");
		*barged = lll_trylock(lock);
	}
	if (!*barged)
		ret = lll_lock_wait(lock, timeout);
	WRITE_ONCE(lock->spins, lock->spins + (count - lock->spins) / 8);
	return ret;
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

static void futex_setup(struct futex_lock *lock, const uint64_t *params, struct rt_mutex_base *bucket)
{
	futex_bucket_init(&lock->hb, bucket);
	lock->pthread = params[0];
	lock->adaptive = params[1];
}

static void futex_init(void *l, const uint64_t *params)
{
	futex_setup(l, params, NULL);
}

static void futex_rt_init(void *l, const uint64_t *params)
{
	struct futex_rt_lock *lock = l;

	futex_setup(&lock->futex, params, &lock->bucket);
}

static int futex_lock_slow(struct futex_lock *lock, sim_time limit, bool *barged)
{
	struct kw_timeout timeout;
	int ret;

	kw_timeout_start(&timeout, limit);
	if (lock->adaptive) {
		ret = adaptive_spin(lock, &timeout, barged);
		lockevent_cond_inc(futex_spin, *barged);
	} else {
		ret = lll_lock_wait(lock, &timeout);
	}
	kw_timeout_stop(&timeout);
	return ret;
}

static int futex_lock(void *l, struct lock_req *req)
{
	struct futex_lock *lock = l;
	bool barged = false;
	int ret = 0;

	if (lll_trylock(lock)) /* 1 */
		barged = true;
	else if (req->how & LOCK_TRY)
		return -EBUSY;
	else
		ret = futex_lock_slow(lock, req->timeout, &barged);
	if (!ret)
		futex_acquired(lock, barged);
	return ret;
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
		futex_wake(&lock->hb, 1); /* 2 */
	}
}

static void futex_view(const void *l, struct lock_view *view)
{
	const struct futex_lock *lock = l;

	if (lock->holder)
		lock_view_owner(view, lock->holder, LOCK_EXCLUSIVE);
	futex_view_waiters(&lock->hb, view);
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

#define FUTEX_COMMON                                                                                                                  \
	.abi = LOCK_MODEL_ABI, .mirrors = "glibc 2.34 nptl/lowlevellock.c, Linux 6.1 kernel/futex/waitwake.c",                       \
	.caps = LOCK_CAP_TRY | LOCK_CAP_TIMEOUT | LOCK_CAP_USER, .params = futex_params, .events = lockevent_names,                  \
	.lock = futex_lock, .unlock = futex_unlock, .view = futex_view, .broken = futex_broken

LOCK_MODEL(futex) = {
	FUTEX_COMMON,
	.name = "futex",
	.summary = "glibc's low-level lock, in user mode: barging; waiters sleep in FUTEX_WAIT",
	.size = sizeof(struct futex_lock),
	.init = futex_init,
};

LOCK_MODEL(futex_rt) = {
	FUTEX_COMMON,
	.name = "futex-rt",
	.summary = "futex on PREEMPT_RT: the lock of the hash bucket is a sleeping one",
	.size = sizeof(struct futex_rt_lock),
	.init = futex_rt_init,
	.prio_changed = rt_mutex_prio_changed,
};
