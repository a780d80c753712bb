// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * futex-pi: PTHREAD_PRIO_INHERIT, a user word in front of an rt_mutex.
 *
 *     bits 0-29   TID of the holder; 0: free
 *     bit  30     OWNER_DIED: a holder exited with it
 *     bit  31     WAITERS: the kernel has a state for it, and must be asked
 *
 * Free and held by nobody else's will: one compare-and-swap in user mode, 0 -> TID, and TID
 * -> 0 back. Whoever finds it held asks the kernel, which sets WAITERS, makes a state whose
 * rt_mutex the holder owns although it never took it, and blocks there: from here on boosting,
 * chains, stealing and the order are those of rtmutex, with the full chain walk, so that a
 * deadlock is an answer. An unlock with WAITERS set names the strongest waiter in the word
 * before that one has run. A stronger task may still take the rt_mutex first: then it puts
 * its own TID there.
 *
 * A holder that exits: with `robust`, the word gets OWNER_DIED and the next in line; whoever
 * gets it next keeps the bit until its unlock. Without, it stays as it is (the exit is a
 * finding), and who asks gets -ESRCH.
 *
 * Mirrors: Linux 6.1.192 kernel/futex/pi.c; glibc nptl/pthread_mutex_lock.c for the user
 * Deviations: those of rtmutex; (6) a lock has a hash bucket of its own, which is a raw spinlock
 * under PREEMPT_RT, too; (7) a signal restarts the call at once; (8) the state is part of the
 * lock and never fails to be allocated; (9) the exit path is from memory, and a robust lock that
 * was recovered counts as consistent; (10) who was named in the word and left while nobody had the rt_mutex names
 * the top waiter, where the kernel lets go of its locks and looks again.
 *
 * Lock:   0 swap 0 -> TID   1 bucket; mine: -EDEADLK   2 somebody waits: join the state   3 no holder: take
 *         4 set WAITERS, make the state   5 queue; rt_mutex: take or block   6 wait   7 failed: try once
 *         more, leave   8 the word names whom it should?   9 leave the bucket, drop the state
 * Unlock: 0 swap TID -> 0   1 not mine: -EPERM   2 nobody waits: word := 0   3 word := top waiter,
 *         state's owner too; rt_mutex: deboost, free, wake
 */
#include "models/futex_pi.h"

static const char *const pi_event_names[] = { RTMUTEX_EVENTS(kw_lockevent_name) PI_FUTEX_EVENTS(kw_lockevent_name) NULL };

/* -- the bucket and the state; hb.lock is held ----------------------------------------------------- */

bool pi_has_waiters(const struct pi_futex *f)
{
	return f->hb.state.users;
}

void pi_queue(struct pi_futex *f, struct pi_q *q, const struct task_struct *p)
{
	struct pi_q *at;

	q->prio = min(p->normal_prio, MAX_RT_PRIO);
	list_for_each_entry(at, &f->hb.chain, list)
		if (at->prio > q->prio)
			break;
	list_add_tail(&q->list, &at->list);
	f->hb.state.users++;
}

/* 9. With the last user the state goes: who holds the lock then owns it by the word alone. */
void pi_unqueue(struct pi_futex *f, struct pi_q *q)
{
	struct pi_state *state = &f->hb.state;

	list_del(&q->list);
	if (--state->users)
		return;
	state->owner = NULL;
	raw_spin_lock_irq(&state->pi_mutex.wait_lock);
	POKE(state->pi_mutex.owner, NULL);
	raw_spin_unlock_irq(&state->pi_mutex.wait_lock);
}

/* 4. 0, -EAGAIN: the word has changed, -ESRCH: no such task (any more). */
int pi_attach_to_owner(struct pi_futex *f, unsigned int word)
{
	struct task_struct *owner = find_task_by_vpid((int)(word & FUTEX_TID_MASK));

	if (!owner)
		return -ESRCH;
	if (!(word & FUTEX_WAITERS) && !word_swap(f, word, word | FUTEX_WAITERS))
		return -EAGAIN;
	f->hb.state.owner = owner;
	POKE(f->hb.state.pi_mutex.owner, owner);
	lockevent_inc(futex_pi_state);
	return 0;
}

/* 1 to 4. 1: acquired; 0: there is a state to wait in; else an error. */
static int pi_lock_atomic(struct pi_futex *f)
{
	unsigned int word = word_of(f), tid = tid_of(current);

	if ((word & FUTEX_TID_MASK) == tid) /* 1 */
		return -EDEADLK;
	if (pi_has_waiters(f)) /* 2 */
		return 0;
	if (word & FUTEX_TID_MASK) /* 4 */
		return pi_attach_to_owner(f, word);
	if (!word_swap(f, word, tid | (word & FUTEX_OWNER_DIED))) /* 3 */
		return -EAGAIN;
	return 1;
}

/* -- the word and who owns the rt_mutex; wait_lock is held -------------------------------------------- */

/* The word names @owner from now on. @drop: bits that go. */
void pi_name(struct pi_futex *f, struct task_struct *owner, unsigned int drop, unsigned int add)
{
	unsigned int word;

	do {
		word = word_of(f);
	} while (!word_swap(f, word, (word & ~(FUTEX_TID_MASK | drop)) | FUTEX_WAITERS | tid_of(owner) | add));
	f->hb.state.owner = owner;
}

/* 8. True: current owns it after all. */
bool pi_fixup(struct pi_futex *f, bool locked)
{
	struct pi_state *state = &f->hb.state;
	struct rt_mutex_base *rtm = &state->pi_mutex;

	raw_spin_lock_irq(&rtm->wait_lock);
	if (!locked && state->owner == current && !rt_mutex_owner(rtm))
		locked = try_to_take_rt_mutex(rtm, current, NULL);
	if (locked && state->owner != current) { /* stolen */
		pi_name(f, current, 0, 0);
		lockevent_inc(futex_pi_fixup);
	} else if (!locked && state->owner == current) { /* meant for me, and I did not come in time */
		struct task_struct *next = rt_mutex_owner(rtm);

		pi_name(f, next ? next : rt_mutex_top_waiter(rtm)->task, 0, 0);
		lockevent_inc(futex_pi_fixup);
	}
	fixup_rt_mutex_waiters(rtm);
	raw_spin_unlock_irq(&rtm->wait_lock);
	return locked;
}

/* -- FUTEX_LOCK_PI -------------------------------------------------------------------------------------- */

/* 5. The bucket's lock goes, wait_lock stays: nobody comes in between. 1: taken, 0: blocked, else an error. */
static int pi_start_proxy(struct pi_futex *f, struct pi_q *q)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	int ret;

	raw_spin_lock_irq(&rtm->wait_lock);
	raw_spin_unlock(&f->hb.lock);
	if (try_to_take_rt_mutex(rtm, current, NULL)) {
		lockevent_inc(rtmutex_lock_slow);
		fixup_rt_mutex_waiters(rtm);
		raw_spin_unlock_irq(&rtm->wait_lock);
		return 1;
	}
	ret = task_blocks_on_rt_mutex(rtm, &q->waiter, current, RT_MUTEX_FULL_CHAINWALK);
	if (ret && !rt_mutex_owner(rtm))
		ret = 0; /* it became free meanwhile: the error says nothing */
	raw_spin_unlock_irq(&rtm->wait_lock);
	return ret;
}

/* 6 */
int pi_wait(struct pi_futex *f, struct pi_q *q, struct kw_timeout *timeout)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	int ret;

	raw_spin_lock_irq(&rtm->wait_lock);
	set_current_state(TASK_INTERRUPTIBLE);
	ret = rt_mutex_slowlock_block(rtm, &q->waiter, TASK_INTERRUPTIBLE, timeout);
	fixup_rt_mutex_waiters(rtm);
	raw_spin_unlock_irq(&rtm->wait_lock);
	return ret;
}

/* 7. True: it has become mine; the error does not count. */
bool pi_cleanup(struct pi_futex *f, struct pi_q *q)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	bool mine;

	raw_spin_lock_irq(&rtm->wait_lock);
	mine = try_to_take_rt_mutex(rtm, current, &q->waiter);
	if (!mine)
		remove_waiter(rtm, &q->waiter);
	fixup_rt_mutex_waiters(rtm);
	raw_spin_unlock_irq(&rtm->wait_lock);
	return mine;
}

static void pi_count_failure(int ret)
{
	lockevent_cond_inc(rtmutex_timeout, ret == -ETIMEDOUT);
	lockevent_cond_inc(rtmutex_signal, ret == -EINTR);
	lockevent_cond_inc(rtmutex_deadlock, ret == -EDEADLK);
}

/* 5 to 9: queued on the state. The bucket's lock is held on entry and return. */
static int pi_lock_state(struct pi_futex *f, bool try, struct kw_timeout *timeout)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	struct pi_q q;
	int ret;

	rt_mutex_init_waiter(&q.waiter, TASK_NORMAL);
	pi_queue(f, &q, current);
	trace_contention_begin(f, LCB_F_RT);
	if (try) {
		raw_spin_lock_irq(&rtm->wait_lock);
		ret = try_to_take_rt_mutex(rtm, current, NULL) ? 0 : -EBUSY;
		fixup_rt_mutex_waiters(rtm);
		raw_spin_unlock_irq(&rtm->wait_lock);
	} else {
		ret = pi_start_proxy(f, &q);
		if (!ret)
			ret = pi_wait(f, &q, timeout);
		else if (ret > 0)
			ret = 0;
		raw_spin_lock(&f->hb.lock);
		if (ret && pi_cleanup(f, &q))
			ret = 0;
	}
	if (pi_fixup(f, !ret)) /* 8 */
		ret = 0;
	pi_unqueue(f, &q); /* 9 */
	trace_contention_end(f, ret);
	return ret;
}

static int futex_lock_pi(struct pi_futex *f, bool try, struct kw_timeout *timeout)
{
	int ret;

	kw_syscall_enter();
	raw_spin_lock(&f->hb.lock);
	do {
		ret = pi_lock_atomic(f);
	} while (ret == -EAGAIN);
	if (ret > 0) {
		lockevent_inc(rtmutex_lock_slow);
		ret = 0;
	} else if (!ret) {
		ret = pi_lock_state(f, try, timeout);
	}
	raw_spin_unlock(&f->hb.lock);
	pi_count_failure(ret);
	kw_syscall_exit();
	return ret;
}

/* -- FUTEX_UNLOCK_PI --------------------------------------------------------------------------------------- */

/* 3. The bucket's lock is held on entry, not on return. False: who waits in the bucket has left the rt_mutex; again. */
static bool pi_wake(struct pi_futex *f, unsigned int drop, unsigned int add)
{
	struct rt_mutex_base *rtm = &f->hb.state.pi_mutex;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irq(&rtm->wait_lock);
	raw_spin_unlock(&f->hb.lock);
	if (!rt_mutex_has_waiters(rtm)) {
		raw_spin_unlock_irq(&rtm->wait_lock);
		return false;
	}
	pi_name(f, rt_mutex_top_waiter(rtm)->task, drop, add);
	rt_mutex_mark_wakeup(rtm, &wake_q);
	raw_spin_unlock_irq(&rtm->wait_lock);
	wake_up_q(&wake_q);
	preempt_enable(); /* off since the mark */
	return true;
}

/* @add: OWNER_DIED at the exit of the holder; else 0. */
static void futex_unlock_pi(struct pi_futex *f, unsigned int add)
{
	bool done = false;

	kw_syscall_enter();
	while (!done) {
		raw_spin_lock(&f->hb.lock);
		if (pi_has_waiters(f)) {
			done = pi_wake(f, FUTEX_OWNER_DIED, add);
			if (!done)
				cpu_relax();
			continue;
		}
		done = word_swap(f, word_of(f), add); /* 2 */
		raw_spin_unlock(&f->hb.lock);
	}
	kw_syscall_exit();
}

/* -- the user ------------------------------------------------------------------------------------------------ */

static int pi_user_lock_slow(struct pi_futex *f, struct lock_req *req)
{
	struct kw_timeout timeout;
	int ret;

	if (req->how & LOCK_TRY && !(word_of(f) & FUTEX_OWNER_DIED))
		return -EBUSY;
	kw_timeout_start(&timeout, req->timeout);
	do {
		ret = futex_lock_pi(f, req->how & LOCK_TRY, &timeout);
	} while (ret == -EINTR);
	kw_timeout_stop(&timeout);
	if (!ret && word_of(f) & FUTEX_OWNER_DIED)
		lockevent_inc(futex_pi_owner_died);
	return ret;
}

/* ---- the simulator's side ---- */

static const struct lock_param pi_params[] = {
	{ "robust", LOCK_PARAM_FLAG, 0, "on: a holder that exits leaves OWNER_DIED, and the next goes on" },
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void pi_init(void *l, const uint64_t *params)
{
	struct pi_futex *f = l;

	f->robust = params[0];
	raw_spin_lock_init(&f->hb.lock);
	INIT_LIST_HEAD(&f->hb.chain);
	rt_mutex_base_init(&f->hb.state.pi_mutex, RT_MUTEX_FULL_CHAINWALK, (unsigned int)params[1]);
}

int futex_pi_lock(void *l, struct lock_req *req)
{
	struct pi_futex *f = l;
	int ret = 0;

	if (word_swap(f, 0, tid_of(current))) /* 0 */
		lockevent_inc(rtmutex_lock_fast);
	else
		ret = pi_user_lock_slow(f, req);
	if (!ret)
		f->holder = current;
	return ret;
}

static void pi_unlock(void *l, struct lock_req *req)
{
	struct pi_futex *f = l;

	f->holder = NULL;
	if (word_swap(f, tid_of(current), 0)) /* 0 */
		lockevent_inc(futex_pi_user_free);
	else
		futex_unlock_pi(f, 0);
}

static bool pi_owner_died(void *l, struct lock_req *req)
{
	struct pi_futex *f = l;

	if (!f->robust || !req)
		return f->robust;
	f->holder = NULL;
	lockevent_inc(futex_pi_dead);
	futex_unlock_pi(f, FUTEX_OWNER_DIED);
	return true;
}

static void pi_view(const void *l, struct lock_view *view)
{
	const struct pi_futex *f = l;
	unsigned int word = (unsigned int)f->word.counter;

	rt_mutex_view(&f->hb.state.pi_mutex, view);
	view->nowners = 0; /* the rt_mutex may be owned by proxy, or not at all */
	if (f->holder)
		lock_view_owner(view, f->holder, LOCK_EXCLUSIVE);
	view->word = word;
	kw_flags(view->flags, sizeof(view->flags), word >> 30, (const char *const[]){ "OWNER_DIED", "WAITERS", NULL });
}

static const char *pi_broken(const void *l)
{
	const struct pi_futex *f = l;
	unsigned int word = (unsigned int)f->word.counter;
	const struct pi_state *state = &f->hb.state;

	if (f->hb.lock.owner || state->pi_mutex.wait_lock.owner)
		return NULL;
	if (f->holder && (word & FUTEX_TID_MASK) != (unsigned int)f->holder->pid)
		return "the word does not name the holder";
	if (state->users && !(word & FUTEX_WAITERS))
		return "somebody waits, and WAITERS is clear";
	if (state->users && state->owner && (word & FUTEX_TID_MASK) != (unsigned int)state->owner->pid)
		return "the word and the state name different owners";
	return rt_mutex_broken(&state->pi_mutex);
}

LOCK_MODEL(futex_pi) = {
	.abi = LOCK_MODEL_ABI,
	.name = "futex-pi",
	.mirrors = "Linux 6.1.192 kernel/futex/pi.c, glibc PTHREAD_PRIO_INHERIT",
	.summary = "a user word in front of an rt_mutex: free of the kernel while nobody waits; robust",
	.caps = LOCK_CAP_TRY | LOCK_CAP_TIMEOUT | LOCK_CAP_PI | LOCK_CAP_USER,
	.size = sizeof(struct pi_futex),
	.params = pi_params,
	.events = pi_event_names,
	.init = pi_init,
	.lock = futex_pi_lock,
	.unlock = pi_unlock,
	.owner_died = pi_owner_died,
	.prio_changed = rt_mutex_prio_changed,
	.view = pi_view,
	.broken = pi_broken,
};
