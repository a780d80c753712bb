// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ww-mutex: mutexes that are taken in any order, several at a time, by transactions.
 *
 * A transaction (context) has a stamp from the moment it began. When two of them wait for
 * each other, the younger is told -EDEADLK, gives all its locks back and starts again with the
 * stamp that it has, so that it will be the oldest some day. By which rule: ww_mutex_rules.c.
 * Word, spinning, stealing and hand-off are those of mutex.c, except that waiters queue by age, and
 * that nobody spins who might have to give way: a context that holds locks stops when
 * the owner's context is known, a newcomer when somebody is queued.
 *
 * The task is the context: a transaction begins with its first lock of this kind and ends
 * when it has given back the last one, unless it was told -EDEADLK: then the next one goes on
 * with its stamp. A caller may bring another context in req->ctx (in simulated memory).
 *
 * Mirrors: Linux 6.1.192 kernel/locking/ww_mutex.h and mutex.c
 * Deviations: (1) no waiters without a context; (2) no PREEMPT_RT flavour, which
 * looks at priorities first; (3) no debug checks.
 *
 * Lock, as in mutex.c:  0 own it already?  1 fast  2 preemption off  3 try  4 spin  5 wait_lock; try
 *   6 queue by age, or give up  7 loop: a try; b signal; k give up?; c sleep; d first?; e state;
 *   f try or ask; g first: spin  9 leave the list  10 tell the waiters whom they wait for
 */
#include "models/ww_mutex.h"

/* -- contexts ---------------------------------------------------------------------------------- */

/* The counters of the two classes, all locks' together: the first CPU's copy is the one that counts. */
struct ww_stamps {
	atomic_long_t of[2]; /* wound-wait, wait-die */
};
static DEFINE_PER_CPU_ALIGNED(struct ww_stamps, ww_stamps);

static struct kw_ww_ctx *ctx_of(const struct ww_mutex *lock, const struct lock_req *req)
{
	struct kw_ww_ctx *ctx = req->ctx ? req->ctx : &current->ww;

	if (!ctx->stamp) { /* a new transaction */
		ctx->stamp = (u64)atomic_long_inc_return_relaxed(&per_cpu_ptr(&ww_stamps, 0)->of[lock->wait_die]);
		ctx->wounded = false;
	}
	return ctx;
}

/* Nobody can wound who holds nothing. The fast path leaves an old wound as it is. */
static void ctx_heal(struct kw_ww_ctx *ctx)
{
	if (!ctx->acquired)
		ctx->wounded = false;
}

static void ctx_gave_up(struct kw_ww_ctx *ctx)
{
	lockevent_inc(ww_deadlk);
	ctx->backoff = true;
}

static void ctx_acquired(struct ww_mutex *lock, struct kw_ww_ctx *ctx)
{
	if (!ctx->acquired++)
		ctx->backoff = false;
	POKE(lock->ctx, ctx);
}

static void ctx_released(struct kw_ww_ctx *ctx)
{
	if (!--ctx->acquired && !ctx->backoff)
		ctx->stamp = 0;
}

/* 10, without wait_lock. */
static void set_context(struct ww_mutex *lock, struct kw_ww_ctx *ctx)
{
	model_step("ww-set-context");
	ctx_acquired(lock, ctx);
	if (!(atomic_long_read(&lock->owner) & (long)MUTEX_FLAG_WAITERS))
		return;
	raw_spin_lock(&lock->wait_lock);
	ww_check_waiters(lock, ctx);
	raw_spin_unlock(&lock->wait_lock);
}

/* -- the word: as in mutex.c ------------------------------------------------------------------- */

static struct task_struct *ww_owner(struct ww_mutex *lock)
{
	return ww_owner_task((unsigned long)atomic_long_read(&lock->owner));
}

/* NULL if the lock is mine now, else the owner. @handoff: ask for it where that fails. */
static struct task_struct *ww_trylock_common(struct ww_mutex *lock, bool handoff)
{
	struct task_struct *me = current;
	long word = atomic_long_read(&lock->owner);

	for (;;) {
		unsigned long flags = (unsigned long)word & MUTEX_FLAGS;
		struct task_struct *task = ww_owner_task((unsigned long)word);

		if (!task) {
			task = me;
		} else if (flags & MUTEX_FLAG_PICKUP) {
			if (task != me)
				return task;
			flags &= ~MUTEX_FLAG_PICKUP;
		} else if (handoff && !(flags & MUTEX_FLAG_HANDOFF)) {
			flags |= MUTEX_FLAG_HANDOFF;
		} else {
			return task;
		}
		if (atomic_long_try_cmpxchg_acquire(&lock->owner, &word, (long)((unsigned long)task | flags)))
			return task == me ? NULL : task;
	}
}

static bool ww_trylock(struct ww_mutex *lock)
{
	return !ww_trylock_common(lock, false);
}

static void ww_remove_waiter(struct ww_mutex *lock, struct ww_waiter *waiter)
{
	list_del(&waiter->list);
	if (list_empty(&lock->wait_list))
		atomic_long_andnot(MUTEX_FLAGS, &lock->owner);
}

/* -- spinning ---------------------------------------------------------------------------------- */

/* @waiter: NULL for a newcomer. */
static bool may_spin(struct ww_mutex *lock, const struct kw_ww_ctx *ctx, const struct ww_waiter *waiter)
{
	if (ctx->acquired && READ_ONCE(lock->ctx))
		return false;
	if (waiter)
		return ww_is_first(lock, waiter);
	return !(atomic_long_read(&lock->owner) & (long)MUTEX_FLAG_WAITERS);
}

static bool ww_spin(struct ww_mutex *lock, const struct kw_ww_ctx *ctx, const struct ww_waiter *waiter)
{
	struct task_struct *owner;

	while ((owner = ww_trylock_common(lock, false))) {
		while (ww_owner(lock) == owner) {
			if (!owner_on_cpu(owner) || need_resched() || !may_spin(lock, ctx, waiter))
				return false;
			cpu_relax();
		}
		cpu_relax();
	}
	return true;
}

static bool ww_spin_newcomer(struct ww_mutex *lock, const struct kw_ww_ctx *ctx)
{
	struct task_struct *owner;
	bool acquired;

	if (need_resched())
		return false;
	owner = ww_owner(lock);
	if (owner && !owner_on_cpu(owner))
		return false;
	lockevent_inc(ww_spin);
	if (!osq_lock(&lock->osq)) {
		lockevent_inc(ww_osq_cancel);
		return false;
	}
	acquired = ww_spin(lock, ctx, NULL);
	osq_unlock(&lock->osq);
	if (acquired)
		lockevent_inc(ww_spin_acquired);
	else
		lockevent_inc(ww_spin_fail);
	return acquired;
}

static bool ww_optimistic_spin(struct ww_mutex *lock, const struct kw_ww_ctx *ctx,
			       const struct ww_waiter *waiter)
{
	lockevent_cond_inc(ww_waiter_spin, waiter);
	if (waiter ? ww_spin(lock, ctx, waiter) : ww_spin_newcomer(lock, ctx))
		return true;
	if (need_resched()) {
		__set_current_state(TASK_RUNNING);
		schedule_preempt_disabled();
	}
	return false;
}

/* -- lock and unlock --------------------------------------------------------------------------- */

/* 7: wait_lock is held on entry, and on return. */
static int ww_wait(struct ww_mutex *lock, struct ww_waiter *waiter, unsigned int state)
{
	int ret;

	for (;;) {
		bool first;

		if (ww_trylock(lock)) /* a */
			return 0;
		if (signal_pending_state(state, current)) /* b */
			return -EINTR;
		ret = ww_check_kill(lock, waiter); /* k */
		if (ret)
			return ret;
		raw_spin_unlock(&lock->wait_lock);
		model_step("ww-sleep");
		schedule_preempt_disabled(); /* c */
		first = ww_is_first(lock, waiter); /* d */
		set_current_state(state);	   /* e */
		if (!ww_trylock_common(lock, first)) /* f */
			break;
		if (first && ww_optimistic_spin(lock, waiter->ctx, waiter)) /* g */
			break;
		raw_spin_lock(&lock->wait_lock);
	}
	raw_spin_lock(&lock->wait_lock);
	return 0;
}

/* 6 to 9, under wait_lock. */
static int ww_queue_and_wait(struct ww_mutex *lock, struct kw_ww_ctx *ctx, unsigned int state)
{
	struct ww_waiter waiter = { .task = current, .ctx = ctx };
	int ret = ww_add_waiter(lock, &waiter); /* 6 */

	if (ret)
		return ret;
	trace_contention_begin(lock, LCB_F_MUTEX);
	set_current_state(state);
	ret = ww_wait(lock, &waiter, state);
	__set_current_state(TASK_RUNNING);
	if (!ret && !lock->wait_die && !ww_is_first(lock, &waiter))
		ww_check_waiters(lock, ctx); /* stolen: an older one may be waiting */
	ww_remove_waiter(lock, &waiter); /* 9 */
	return ret;
}

/* 5 to 10 */
static int ww_lock_sleeping(struct ww_mutex *lock, struct kw_ww_ctx *ctx, unsigned int state)
{
	int ret = 0;

	raw_spin_lock(&lock->wait_lock); /* 5 */
	if (ww_trylock(lock))
		ww_check_waiters(lock, ctx);
	else
		ret = ww_queue_and_wait(lock, ctx, state);
	if (!ret)
		ctx_acquired(lock, ctx); /* 10 */
	raw_spin_unlock(&lock->wait_lock);
	return ret;
}

static int ww_lock_slow(struct ww_mutex *lock, struct kw_ww_ctx *ctx, unsigned int state)
{
	int ret = 0;

	might_sleep();
	if (ctx == READ_ONCE(lock->ctx)) { /* 0 */
		lockevent_inc(ww_already);
		return -EALREADY;
	}
	ctx_heal(ctx);
	preempt_disable(); /* 2 */
	trace_contention_begin(lock, LCB_F_MUTEX | LCB_F_SPIN);
	if (ww_trylock(lock) || ww_optimistic_spin(lock, ctx, NULL)) /* 3, 4 */
		set_context(lock, ctx);
	else
		ret = ww_lock_sleeping(lock, ctx, state);
	trace_contention_end(lock, ret);
	preempt_enable();
	lockevent_cond_inc(ww_eintr, ret == -EINTR);
	if (ret == -EDEADLK)
		ctx_gave_up(ctx);
	return ret;
}

static void ww_handoff(struct ww_mutex *lock, struct task_struct *next)
{
	long word = atomic_long_read(&lock->owner);
	unsigned long want;

	do {
		want = ((unsigned long)word & MUTEX_FLAG_WAITERS) | (unsigned long)next;
		if (next)
			want |= MUTEX_FLAG_PICKUP;
	} while (!atomic_long_try_cmpxchg_release(&lock->owner, &word, (long)want));
	lockevent_cond_inc(ww_handoff, next);
}

static void ww_unlock_slow(struct ww_mutex *lock)
{
	struct task_struct *next = NULL;
	long word = atomic_long_read(&lock->owner);
	DEFINE_WAKE_Q(wake_q);

	while (!((unsigned long)word & MUTEX_FLAG_HANDOFF)) {
		unsigned long flags = (unsigned long)word & MUTEX_FLAGS;

		if (!atomic_long_try_cmpxchg_release(&lock->owner, &word, (long)flags))
			continue;
		if (!(flags & MUTEX_FLAG_WAITERS))
			return;
		break;
	}
	raw_spin_lock(&lock->wait_lock);
	if (!list_empty(&lock->wait_list)) {
		next = list_first_entry(&lock->wait_list, struct ww_waiter, list)->task;
		wake_q_add(&wake_q, next);
	}
	if ((unsigned long)word & MUTEX_FLAG_HANDOFF)
		ww_handoff(lock, next);
	raw_spin_unlock(&lock->wait_lock);
	wake_up_q(&wake_q);
}

/* ---- the simulator's side ---- */

static const struct lock_param ww_params[] = {
	{ "wait_die", LOCK_PARAM_FLAG, 0, "the younger gives up rather than wait; off: wound-wait" },
	{ NULL }
};

static void ww_init(void *l, const uint64_t *params)
{
	struct ww_mutex *lock = l;

	raw_spin_lock_init(&lock->wait_lock);
	osq_lock_init(&lock->osq);
	INIT_LIST_HEAD(&lock->wait_list);
	lock->wait_die = params[0];
}

static int ww_lock(struct ww_mutex *lock, struct lock_req *req, struct kw_ww_ctx *ctx)
{
	unsigned int state = TASK_UNINTERRUPTIBLE;
	long free = 0;

	if (req->how & LOCK_TRY) {
		ctx_heal(ctx);
		if (!ww_trylock(lock))
			return -EBUSY;
		set_context(lock, ctx);
		return 0;
	}
	if (req->how & LOCK_KILLABLE)
		state = TASK_KILLABLE;
	else if (req->how & LOCK_INTERRUPTIBLE)
		state = TASK_INTERRUPTIBLE;
	might_sleep();
	if (!atomic_long_try_cmpxchg_acquire(&lock->owner, &free, (long)current)) /* 1 */
		return ww_lock_slow(lock, ctx, state);
	set_context(lock, ctx);
	return 0;
}

static int ww_model_lock(void *l, struct lock_req *req)
{
	struct kw_ww_ctx *ctx = ctx_of(l, req);
	int ret = ww_lock(l, req, ctx);

	if (ret && !ctx->acquired && !ctx->backoff)
		ctx->stamp = 0; /* nothing has begun */
	return ret;
}

static void ww_model_unlock(void *l, struct lock_req *req)
{
	struct ww_mutex *lock = l;
	long mine = (long)current;

	ctx_released(lock->ctx);
	POKE(lock->ctx, NULL);
	if (!atomic_long_try_cmpxchg_release(&lock->owner, &mine, 0))
		ww_unlock_slow(lock);
}

static void ww_view(const void *l, struct lock_view *view)
{
	static const char *const names[] = { "WAITERS", "HANDOFF", "PICKUP", NULL };
	const struct ww_mutex *lock = l;
	const struct ww_waiter *waiter;
	unsigned long word = (unsigned long)lock->owner.counter;

	if (ww_owner_task(word))
		lock_view_owner(view, ww_owner_task(word), LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = word & MUTEX_FLAGS;
	kw_flags(view->flags, sizeof(view->flags), word, names);
}

static const char *ww_broken(const void *l)
{
	const struct ww_mutex *lock = l;
	const struct ww_waiter *waiter, *last = NULL;
	unsigned long word = (unsigned long)lock->owner.counter;

	if (lock->wait_lock.owner)
		return NULL;
	if ((lock->wait_list.next == &lock->wait_list) == !!(word & MUTEX_FLAG_WAITERS))
		return "WAITERS and the list disagree";
	list_for_each_entry(waiter, &lock->wait_list, list) {
		if (last && last->ctx->stamp > waiter->ctx->stamp)
			return "an older waiter is behind a younger one";
		last = waiter;
	}
	return NULL;
}

LOCK_MODEL(ww_mutex) = {
	.abi = LOCK_MODEL_ABI,
	.name = "ww-mutex",
	.mirrors = "Linux 6.1.192 kernel/locking/ww_mutex.h",
	.summary = "mutex for transactions: the younger of two that wait for each other gives up, -EDEADLK",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct ww_mutex),
	.params = ww_params,
	.events = lockevent_names,
	.init = ww_init,
	.lock = ww_model_lock,
	.unlock = ww_model_unlock,
	.view = ww_view,
	.broken = ww_broken,
};
