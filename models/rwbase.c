/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwbase-5.15, rwbase-6.4: the rwsem of PREEMPT_RT; rtrwlock, rtrwlock-6.4: its rwlock_t.
 *
 *   readers  80000000+n READER_BIAS: n readers, the fast path is open
 *                     n n readers, a writer waits for them to leave
 *              40000000 WRITER_BIAS: a writer owns the lock
 *   rtmutex  an rt_mutex: held by the writer that owns the lock or is next; queues the rest
 *
 * Readers add themselves while the word is negative. A writer takes the rt_mutex, takes the
 * bias away, which sends readers to the slow path, and sleeps until those inside have left;
 * the last one wakes it. It is a plain sleeper: nobody boosts the readers that it waits
 * for, so a weak preempted reader holds up a strong writer. Readers that block on the
 * rt_mutex boost its owner. They are let in one after the other, each taking the rt_mutex
 * and letting go of it, in order of priority among readers and writers.
 *
 * Up to 6.1 (and 6.3) a reader in the slow path goes in as long as no writer owns the lock,
 * though one waits: overlapping readers starve it. From 6.4 on it queues (`fair`).
 *
 * An rtrwlock differs in how one sleeps: TASK_RTLOCK_WAIT, with the former state kept aside,
 * deaf to signals; equals that are not real-time steal; the holder is pinned to its CPU.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/rwbase_rt.c, rwsem.c (RT), spinlock_rt.c; 6.4 for `fair`
 * Deviations:
 *  1. Block plugs, RCU sections and debug checks are left out.
 *  2. max_lock_depth is the lock's at which a walk begins, not a global sysctl.
 *  3. A task that deadlocks on itself is parked for ever (rwsem), or waits on (rwlock).
 */
#include "models/holders.h"
#include "models/rtmutex_private.h"

#define READER_BIAS ((int)(1U << 31))
#define WRITER_BIAS (1 << 30)

struct rwbase_rt {
	atomic_t readers;
	struct rt_mutex_base rtmutex;

	/* the simulator's side */
	bool fair, rtlock;
	struct list_head holders;
};

struct rwbase_waiter {
	struct rt_mutex_waiter rt;
	enum lock_mode mode;
};

/* X(name): after those of the rt_mutex */
#define RWBASE_EVENTS(X)                                                                                     \
	X(rwbase_read_block)  /* readers that queued on the rt_mutex */                                      \
	X(rwbase_write_drain) /* writers that slept until readers had left */                                \
	X(rwbase_last_reader) /* last readers that woke a writer */
#define RWBASE_STEAL_EVENTS(X) X(rwbase_read_pass) /* readers that went in past a waiting writer */

enum {
	RWBASE_FIRST = LOCKEVENT_COUNT - 1,
	RWBASE_EVENTS(kw_lockevent_enum) RWBASE_STEAL_EVENTS(kw_lockevent_enum)
};
static const char *const rwbase_event_names[] = {
	RTMUTEX_EVENTS(kw_lockevent_name) RWBASE_EVENTS(kw_lockevent_name) RWBASE_STEAL_EVENTS(kw_lockevent_name) NULL
};
static const char *const fair_event_names[] = {
	RTMUTEX_EVENTS(kw_lockevent_name) RWBASE_EVENTS(kw_lockevent_name) NULL
};

/* -- sleeping, in two flavours ---------------------------------------------------------------- */

static void begin_sleep(struct rwbase_rt *rwb, unsigned int state)
{
	if (rwb->rtlock)
		current_save_and_set_rtlock_wait_state();
	else
		set_current_state(state);
}

static void end_sleep(struct rwbase_rt *rwb)
{
	if (rwb->rtlock)
		current_restore_rtlock_saved_state();
	else
		__set_current_state(TASK_RUNNING);
}

static bool hears_signal(struct rwbase_rt *rwb, unsigned int state)
{
	return !rwb->rtlock && signal_pending_state(state, current);
}

/* -- the rt_mutex underneath; wait_lock held ---------------------------------------------------- */

static int wait_for_rtmutex(struct rwbase_rt *rwb, struct rt_mutex_waiter *waiter, unsigned int state)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;
	struct task_struct *owner;

	while (!try_to_take_rt_mutex(rtm, current, waiter)) {
		if (hears_signal(rwb, state)) {
			lockevent_inc(rtmutex_signal);
			return -EINTR;
		}
		owner = waiter == rt_mutex_top_waiter(rtm) ? rt_mutex_owner(rtm) : NULL;
		raw_spin_unlock_irq(&rtm->wait_lock);
		if (!owner || !rtmutex_spin_on_owner(rtm, waiter, owner)) {
			lockevent_inc(rtmutex_sleep);
			schedule();
		}
		raw_spin_lock_irq(&rtm->wait_lock);
		set_current_state(state);
	}
	return 0;
}

static void park_for_ever(struct rt_mutex_base *rtm)
{
	lockevent_inc(rtmutex_deadlock);
	lockevent_inc(rtmutex_parked);
	raw_spin_unlock_irq(&rtm->wait_lock);
	for (;;) {
		set_current_state(signal_pending(current) ? TASK_UNINTERRUPTIBLE : TASK_INTERRUPTIBLE);
		schedule();
	}
}

static int slowlock_locked(struct rwbase_rt *rwb, unsigned int state, enum lock_mode mode)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;
	struct rwbase_waiter waiter = { .mode = mode };
	int ret;

	if (try_to_take_rt_mutex(rtm, current, NULL)) {
		lockevent_inc(rtmutex_lock_slow);
		return 0;
	}
	rt_mutex_init_waiter(&waiter.rt, rwb->rtlock ? TASK_RTLOCK_WAIT : TASK_NORMAL);
	begin_sleep(rwb, state);
	lockevent_cond_inc(rwbase_read_block, mode == LOCK_SHARED);
	trace_contention_begin(rwb, LCB_F_RT | (mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE));
	ret = task_blocks_on_rt_mutex(rtm, &waiter.rt, current, RT_MUTEX_MIN_CHAINWALK);
	if (!ret || rwb->rtlock) {
		ret = wait_for_rtmutex(rwb, &waiter.rt, state);
		end_sleep(rwb);
	}
	if (ret) {
		__set_current_state(TASK_RUNNING);
		remove_waiter(rtm, &waiter.rt);
		if (ret == -EDEADLK)
			park_for_ever(rtm);
	}
	fixup_rt_mutex_waiters(rtm);
	trace_contention_end(rwb, ret);
	return ret;
}

static int lock_rtmutex(struct rwbase_rt *rwb, unsigned int state)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;
	unsigned long flags;
	int ret;

	if (rt_mutex_cmpxchg_acquire(rtm, NULL, current)) {
		lockevent_inc(rtmutex_lock_fast);
		return 0;
	}
	raw_spin_lock_irqsave(&rtm->wait_lock, flags);
	ret = slowlock_locked(rwb, state, LOCK_EXCLUSIVE);
	raw_spin_unlock_irqrestore(&rtm->wait_lock, flags);
	return ret;
}

/* -- readers -------------------------------------------------------------------------------------- */

/* Step 1, also the trylock. */
static bool read_trylock(struct rwbase_rt *rwb)
{
	int readers = atomic_read(&rwb->readers);

	while (readers < 0)
		if (atomic_try_cmpxchg_acquire(&rwb->readers, &readers, readers + 1))
			return true;
	return false;
}

/*
 * 2 past a writer that only waits (not if `fair`); 3 block, beginning under the same
 * wait_lock, so that this reader cannot end up behind the next writer; count oneself in
 * before the rt_mutex goes to the next waiter.
 */
static int read_lock_slow(struct rwbase_rt *rwb, unsigned int state)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;
	int ret;

	raw_spin_lock_irq(&rtm->wait_lock);
	/* 2 */
	if (!rwb->fair && atomic_read(&rwb->readers) != WRITER_BIAS) {
		atomic_inc(&rwb->readers);
		raw_spin_unlock_irq(&rtm->wait_lock);
		lockevent_inc(rwbase_read_pass);
		return 0;
	}
	/* 3 */
	ret = slowlock_locked(rwb, state, LOCK_SHARED);
	if (!ret)
		atomic_inc(&rwb->readers);
	raw_spin_unlock_irq(&rtm->wait_lock);
	if (!ret)
		rt_mutex_unlock_base(rtm);
	return ret;
}

/* Zero is possible only when a writer has taken the bias away: it waits. */
static void read_unlock(struct rwbase_rt *rwb)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;
	struct task_struct *writer;
	DEFINE_WAKE_Q(wake_q);

	if (!atomic_dec_and_test(&rwb->readers))
		return;
	model_step("rwbase_last_reader");
	raw_spin_lock_irq(&rtm->wait_lock);
	writer = rt_mutex_owner(rtm);
	lockevent_cond_inc(rwbase_last_reader, writer);
	if (writer && !rwb->rtlock)
		wake_q_add(&wake_q, writer);
	preempt_disable();
	raw_spin_unlock_irq(&rtm->wait_lock);
	if (writer && rwb->rtlock)
		wake_up_state(writer, TASK_RTLOCK_WAIT);
	wake_up_q(&wake_q);
	preempt_enable();
}

/* -- writers -------------------------------------------------------------------------------------- */

/* Opens the fast path, taking back @bias, and lets go of wait_lock and the rt_mutex. */
static void write_release(struct rwbase_rt *rwb, int bias)
{
	atomic_add((int)((u32)READER_BIAS - (u32)bias), &rwb->readers);
	raw_spin_unlock_irq(&rwb->rtmutex.wait_lock);
	model_step("rwbase_write_unlock");
	rt_mutex_unlock_base(&rwb->rtmutex);
}

static void write_unlock(struct rwbase_rt *rwb, int bias)
{
	raw_spin_lock_irq(&rwb->rtmutex.wait_lock);
	write_release(rwb, bias);
}

static bool write_own(struct rwbase_rt *rwb)
{
	lockdep_assert_held(&rwb->rtmutex.wait_lock);
	if (atomic_read(&rwb->readers))
		return false;
	atomic_set(&rwb->readers, WRITER_BIAS);
	return true;
}

/* Step 3, wait_lock held on entry; dropped if it fails. */
static int write_drain(struct rwbase_rt *rwb, unsigned int state)
{
	lockevent_inc(rwbase_write_drain);
	begin_sleep(rwb, state);
	trace_contention_begin(rwb, LCB_F_RT | LCB_F_WRITE);
	for (;;) {
		if (hears_signal(rwb, state)) {
			end_sleep(rwb);
			lockevent_inc(rtmutex_signal);
			write_release(rwb, 0);
			trace_contention_end(rwb, -EINTR);
			return -EINTR;
		}
		if (write_own(rwb))
			break;
		raw_spin_unlock_irq(&rwb->rtmutex.wait_lock);
		schedule();
		raw_spin_lock_irq(&rwb->rtmutex.wait_lock);
		set_current_state(state);
	}
	end_sleep(rwb);
	trace_contention_end(rwb, 0);
	return 0;
}

/* 1 the rt_mutex; 2 close the fast path; 3 nobody inside: own it, else wait for them. */
static int write_lock(struct rwbase_rt *rwb, unsigned int state)
{
	int ret;

	/* 1 */
	ret = lock_rtmutex(rwb, state);
	if (ret)
		return ret;
	/* 2 */
	atomic_sub(READER_BIAS, &rwb->readers);
	/* 3 */
	raw_spin_lock_irq(&rwb->rtmutex.wait_lock);
	if (!write_own(rwb)) {
		ret = write_drain(rwb, state);
		if (ret)
			return ret;
	}
	raw_spin_unlock_irq(&rwb->rtmutex.wait_lock);
	return 0;
}

static bool write_trylock(struct rwbase_rt *rwb)
{
	struct rt_mutex_base *rtm = &rwb->rtmutex;

	if (rt_mutex_cmpxchg_acquire(rtm, NULL, current))
		lockevent_inc(rtmutex_lock_fast);
	else if (!rt_mutex_slowtrylock(rtm))
		return false;
	atomic_sub(READER_BIAS, &rwb->readers);
	raw_spin_lock_irq(&rtm->wait_lock);
	if (write_own(rwb)) {
		raw_spin_unlock_irq(&rtm->wait_lock);
		return true;
	}
	write_release(rwb, 0);
	return false;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void init(struct rwbase_rt *rwb, bool fair, bool rtlock, uint64_t depth)
{
	atomic_set(&rwb->readers, READER_BIAS);
	rt_mutex_base_init(&rwb->rtmutex, RT_MUTEX_MIN_CHAINWALK, (unsigned int)depth);
	rwb->rtmutex.lateral = rtlock;
	rwb->fair = fair;
	rwb->rtlock = rtlock;
	holders_init(&rwb->holders);
}

static void rwbase_5_15_init(void *l, const uint64_t *values)
{
	init(l, false, false, values[0]);
}

static void rwbase_6_4_init(void *l, const uint64_t *values)
{
	init(l, true, false, values[0]);
}

static void rtrwlock_init(void *l, const uint64_t *values)
{
	init(l, false, true, values[0]);
}

static void rtrwlock_6_4_init(void *l, const uint64_t *values)
{
	init(l, true, true, values[0]);
}

static unsigned int sleep_state(const struct rwbase_rt *rwb, const struct lock_req *req)
{
	if (rwb->rtlock)
		return TASK_RTLOCK_WAIT;
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

static int rwbase_lock(void *l, struct lock_req *req)
{
	struct rwbase_rt *rwb = l;
	int ret;

	if (!rwb->rtlock && !(req->how & LOCK_TRY))
		might_sleep();
	if (req->mode == LOCK_SHARED) {
		ret = read_trylock(rwb) ? 0 : -EBUSY;
		if (ret && !(req->how & LOCK_TRY))
			ret = read_lock_slow(rwb, sleep_state(rwb, req));
	} else if (req->how & LOCK_TRY) {
		ret = write_trylock(rwb) ? 0 : -EBUSY;
	} else {
		ret = write_lock(rwb, sleep_state(rwb, req));
	}
	if (ret)
		return ret;
	if (rwb->rtlock)
		migrate_disable();
	holders_add(&rwb->holders, req->hold, req->mode);
	return 0;
}

static void rwbase_unlock(void *l, struct lock_req *req)
{
	struct rwbase_rt *rwb = l;
	struct holder *h = req->hold;

	holders_del(h);
	if (rwb->rtlock)
		migrate_enable();
	if (h->mode == LOCK_SHARED)
		read_unlock(rwb);
	else
		write_unlock(rwb, WRITER_BIAS);
}

/* The writer stays, as a reader. */
static void rwbase_downgrade(void *l, struct lock_req *req)
{
	struct rwbase_rt *rwb = l;

	holders_del(req->hold);
	write_unlock(rwb, WRITER_BIAS - 1);
	holders_add(&rwb->holders, req->hold, LOCK_SHARED);
}

static void rwbase_view(const void *l, struct lock_view *view)
{
	const struct rwbase_rt *rwb = l;
	const struct task_struct *owner =
		(const struct task_struct *)((unsigned long)rwb->rtmutex.owner & ~RT_MUTEX_HAS_WAITERS);
	int readers = rwb->readers.counter;
	struct rb_node *node;

	holders_view(&rwb->holders, view);
	if (readers >= 0 && readers != WRITER_BIAS && owner) /* has closed the fast path and waits for readers */
		lock_view_waiter(view, owner, LOCK_EXCLUSIVE);
	for (node = rb_first_cached(&rwb->rtmutex.waiters); node; node = rb_next(node)) {
		const struct rwbase_waiter *w = rb_entry(node, struct rwbase_waiter, rt.tree.entry);

		lock_view_waiter(view, w->rt.task, w->mode);
	}
	view->word = (uint32_t)readers;
}

static const char *rwbase_broken(const void *l)
{
	const struct rwbase_rt *rwb = l;
	unsigned int inside = (unsigned int)rwb->readers.counter & ~(unsigned int)READER_BIAS;
	const char *broken = holders_broken(&rwb->holders);

	if (!broken)
		broken = rt_mutex_broken(&rwb->rtmutex);
	if (broken)
		return broken;
	if (holders_count(&rwb->holders, LOCK_EXCLUSIVE))
		return inside == WRITER_BIAS ? NULL : "a writer owns the lock but the word does not say so";
	if (holders_count(&rwb->holders, LOCK_SHARED) > inside)
		return "more readers than the word knows";
	return NULL;
}

#define RWBASE                                                                                               \
	.abi = LOCK_MODEL_ABI, .size = sizeof(struct rwbase_rt), .hold_size = sizeof(struct holder),         \
	.lock = rwbase_lock, .unlock = rwbase_unlock, .prio_changed = rt_mutex_prio_changed,                   \
	.view = rwbase_view, .broken = rwbase_broken

LOCK_MODEL(rwbase_5_15) = {
	RWBASE,
	.name = "rwbase-5.15",
	.mirrors = "Linux 6.1.192 kernel/locking/rwbase_rt.c (5.15 – 6.3)",
	.summary = "rwsem of PREEMPT_RT: writers wait for readers without boosting them, readers pass waiting writers",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.params = params,
	.events = rwbase_event_names,
	.init = rwbase_5_15_init,
	.downgrade = rwbase_downgrade,
};

LOCK_MODEL(rwbase_6_4) = {
	RWBASE,
	.name = "rwbase-6.4",
	.mirrors = "Linux 6.4 kernel/locking/rwbase_rt.c",
	.summary = "rwbase-5.15 whose readers queue behind a waiting writer",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.params = params,
	.events = fair_event_names,
	.init = rwbase_6_4_init,
	.downgrade = rwbase_downgrade,
};

LOCK_MODEL(rtrwlock) = {
	RWBASE,
	.name = "rtrwlock",
	.mirrors = "Linux 6.1.192 kernel/locking/rwbase_rt.c, spinlock_rt.c (5.15 – 6.3)",
	.summary = "rwlock_t of PREEMPT_RT: rwbase-5.15 that sleeps deaf to signals, pinned to its CPU",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.params = params,
	.events = rwbase_event_names,
	.init = rtrwlock_init,
};

LOCK_MODEL(rtrwlock_6_4) = {
	RWBASE,
	.name = "rtrwlock-6.4",
	.mirrors = "Linux 6.4 kernel/locking/rwbase_rt.c, spinlock_rt.c",
	.summary = "rtrwlock whose readers queue behind a waiting writer",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.params = params,
	.events = fair_event_names,
	.init = rtrwlock_6_4_init,
};
