// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deliberately wrong locks, one for each oracle: a watcher that never barks is worth
 * nothing. Each is a small sleeping or spinning lock with one mistake, which is made
 * whenever the lock is contended (or, the last of the table, whenever it is not), so that a
 * scenario needs no luck to meet it; but busted-race shows only where the order of one
 * instant is chosen (--choice).
 *
 *   model                 its mistake                                        must be found as
 *   busted-exclusion      tests the word, and sets it a moment later         mutual-exclusion
 *   busted-race           tests the word, and sets it at once                mutual-exclusion
 *   busted-wakeup         takes a list of one waiter for an empty one        lost-wakeup
 *   busted-spin           serves one ticket too many                         stuck-spinner
 *   busted-preempt        spins for an owner who can be preempted            live-lock
 *   busted-broken         never takes a waiter out of its count              broken
 *   busted-pi             keeps the boost after unlock                       pi-integrity
 *   busted-proxy          lets the first owner execute (busted_proxy.c)      pi-integrity
 *   busted-fifo           serves the latest first, but promises FIFO         fifo
 *   busted-mcs            a queue spinlock that does (busted_queue.c)        fifo
 *   busted-handoff        lets others pass the first waiter without end         hand-off
 *   busted-lifo           serves the latest first                            starvation
 *   busted-starve         lets readers in past waiting writers               writer-starved
 *   busted-conservation   loses a release that nobody waits for              conservation
 *
 * Unlocking as a non-owner, deadlock and exit while holding are mistakes of scenarios,
 * not of locks.
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct busted_lock {
	raw_spinlock_t lock;
	struct task_struct *owner; /* exclusive */
	unsigned int readers;
	unsigned int count;	   /* waiters, or the word */
	struct list_head wait_list;
};

struct busted_waiter {
	struct list_head list;
	struct task_struct *task;
	enum lock_mode mode;
	bool granted;
};

static void busted_init(void *l, const uint64_t *params)
{
	struct busted_lock *lock = l;

	raw_spin_lock_init(&lock->lock);
	INIT_LIST_HEAD(&lock->wait_list);
}

static void busted_view(const void *l, struct lock_view *view)
{
	const struct busted_lock *lock = l;
	const struct busted_waiter *waiter;

	if (lock->owner)
		lock_view_owner(view, lock->owner, LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &lock->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	view->word = lock->count;
}

/* Sleeps until granted. The raw lock is held on entry and return. */
static void busted_wait(struct busted_lock *lock, enum lock_mode mode, bool latest_first)
{
	struct busted_waiter waiter = { .task = current, .mode = mode };

	if (latest_first)
		list_add(&waiter.list, &lock->wait_list);
	else
		list_add_tail(&waiter.list, &lock->wait_list);
	trace_contention_begin(lock, 0);
	while (!waiter.granted) {
		__set_current_state(TASK_UNINTERRUPTIBLE);
		raw_spin_unlock(&lock->lock);
		schedule();
		raw_spin_lock(&lock->lock);
	}
	trace_contention_end(lock, 0);
}

static struct busted_waiter *busted_first(struct busted_lock *lock)
{
	return list_empty(&lock->wait_list) ? NULL : list_first_entry(&lock->wait_list, struct busted_waiter, list);
}

static void busted_grant(struct busted_waiter *waiter, struct wake_q_head *wake_q)
{
	list_del(&waiter->list);
	waiter->granted = true;
	wake_q_add(wake_q, waiter->task);
}

/* An exclusive lock(), right in itself. */
static void busted_take(struct busted_lock *lock, bool latest_first)
{
	raw_spin_lock(&lock->lock);
	if (lock->owner)
		busted_wait(lock, LOCK_EXCLUSIVE, latest_first);
	else
		lock->owner = current;
	raw_spin_unlock(&lock->lock);
}

/* Its unlock(): hands over to the first waiter. */
static void busted_pass_on(struct busted_lock *lock)
{
	struct busted_waiter *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = busted_first(lock);
	lock->owner = next ? next->task : NULL;
	if (next)
		busted_grant(next, &wake_q);
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

static int busted_lock_fifo(void *l, struct lock_req *req)
{
	busted_take(l, false);
	return 0;
}

static int busted_lock_lifo(void *l, struct lock_req *req)
{
	busted_take(l, true);
	return 0;
}

static void busted_unlock(void *l, struct lock_req *req)
{
	busted_pass_on(l);
}

#define BUSTED(ident, text, ...)                                                                   \
	LOCK_MODEL(busted_##ident) = {                                                             \
		.abi = LOCK_MODEL_ABI,                                                             \
		.name = "busted-" #ident,                                                          \
		.mirrors = "nothing: deliberately wrong",                                          \
		.summary = text,                                                                   \
		.size = sizeof(struct busted_lock),                                                \
		.init = busted_init,                                                               \
		__VA_ARGS__                                                                        \
	}

/* -- mutual exclusion ------------------------------------------------------------------------ */

static int exclusion_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	preempt_disable();
	smp_cond_load_relaxed(&lock->count, !VAL);
	cpu_relax(); /* the mistake: by now somebody else may have set it */
	WRITE_ONCE(lock->count, 1);
	return 0;
}

static void exclusion_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	WRITE_ONCE(lock->count, 0);
	preempt_enable();
}

BUSTED(exclusion, "wrong: two can enter at once", .caps = LOCK_CAP_BUSTED | LOCK_CAP_SPIN, .lock = exclusion_lock,
       .unlock = exclusion_unlock);

static int race_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	preempt_disable();
	while (READ_ONCE(lock->count))
		cpu_relax();
	WRITE_ONCE(lock->count, 1); /* the mistake: test and set are two steps */
	return 0;
}

BUSTED(race, "wrong: two can enter at once, but only in some orders", .caps = LOCK_CAP_BUSTED | LOCK_CAP_SPIN,
       .lock = race_lock, .unlock = exclusion_unlock);

/* -- lost wake-up ------------------------------------------------------------------------------ */

static void wakeup_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = busted_first(lock);
	if (next && list_is_singular(&lock->wait_list))
		next = NULL; /* the mistake */
	lock->owner = next ? next->task : NULL;
	if (next)
		busted_grant(next, &wake_q);
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

BUSTED(wakeup, "wrong: the last waiter is never woken", .caps = LOCK_CAP_BUSTED, .lock = busted_lock_fifo,
       .unlock = wakeup_unlock, .view = busted_view);

/* -- a spinner that nobody releases --------------------------------------------------------------- */

struct busted_tickets {
	u32 serving, next;
};

static int spin_lock_ticket(void *l, struct lock_req *req)
{
	struct busted_tickets *lock = l;
	u32 old, mine;

	preempt_disable();
	do {
		old = READ_ONCE(lock->next);
		mine = old;
	} while (!try_cmpxchg(&lock->next, &old, mine + 1));
	smp_cond_load_acquire(&lock->serving, VAL == mine);
	return 0;
}

static void spin_unlock_ticket(void *l, struct lock_req *req)
{
	struct busted_tickets *lock = l;
	u32 serving = READ_ONCE(lock->serving), waiting = READ_ONCE(lock->next) - serving - 1;

	WRITE_ONCE(lock->serving, serving + (waiting ? 2 : 1)); /* the mistake */
	preempt_enable();
}

static void spin_init(void *l, const uint64_t *params)
{
	*(struct busted_tickets *)l = (struct busted_tickets){ 0, 0 };
}

LOCK_MODEL(busted_spin) = {
	.abi = LOCK_MODEL_ABI,
	.name = "busted-spin",
	.mirrors = "nothing: deliberately wrong",
	.summary = "wrong: serves one ticket too many, and its owner spins for ever",
	.caps = LOCK_CAP_BUSTED | LOCK_CAP_SPIN,
	.size = sizeof(struct busted_tickets),
	.init = spin_init,
	.lock = spin_lock_ticket,
	.unlock = spin_unlock_ticket,
};

/* -- a spinner that keeps the owner off its CPU ----------------------------------------------------- */

static int preempt_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	while (xchg(&lock->count, 1)) /* the mistake: preemption stays on */
		smp_cond_load_relaxed(&lock->count, !VAL);
	return 0;
}

static void preempt_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	smp_store_release(&lock->count, 0);
}

BUSTED(preempt, "wrong: who spins may keep the owner off its CPU", .caps = LOCK_CAP_BUSTED | LOCK_CAP_SPIN,
       .lock = preempt_lock, .unlock = preempt_unlock);

/* -- the model's own invariant ---------------------------------------------------------------------- */

static int broken_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	raw_spin_lock(&lock->lock);
	if (lock->owner) {
		lock->count++; /* the mistake: nobody ever takes it back */
		busted_wait(lock, LOCK_EXCLUSIVE, false);
	}
	lock->owner = current;
	raw_spin_unlock(&lock->lock);
	return 0;
}

static const char *broken_broken(const void *l)
{
	const struct busted_lock *lock = l;
	const struct busted_waiter *waiter;
	unsigned int n = 0;

	list_for_each_entry(waiter, &lock->wait_list, list)
		n++;
	return n == lock->count ? NULL : "the count of waiters is not that of the list";
}

BUSTED(broken, "wrong: its count of waiters only grows", .caps = LOCK_CAP_BUSTED, .lock = broken_lock,
       .unlock = busted_unlock, .view = busted_view, .broken = broken_broken);

/* -- priority inheritance ------------------------------------------------------------------------------ */

/* Boosts the owner to the best waiter, as long as there is one. */
static void pi_adjust(struct busted_lock *lock)
{
	struct task_struct *top = NULL;
	struct busted_waiter *waiter;

	list_for_each_entry(waiter, &lock->wait_list, list)
		if (!top || waiter->task->prio < top->prio)
			top = waiter->task;
	if (lock->owner && top)
		rt_mutex_setprio(lock->owner, top);
}

static int pi_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter waiter = { .task = current };

	raw_spin_lock(&lock->lock);
	if (!lock->owner) {
		lock->owner = current;
	} else {
		list_add_tail(&waiter.list, &lock->wait_list);
		pi_adjust(lock);
		while (!waiter.granted) {
			__set_current_state(TASK_UNINTERRUPTIBLE);
			raw_spin_unlock(&lock->lock);
			schedule();
			raw_spin_lock(&lock->lock);
		}
	}
	raw_spin_unlock(&lock->lock);
	return 0;
}

static void pi_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter *next, *waiter;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = busted_first(lock);
	list_for_each_entry(waiter, &lock->wait_list, list)
		if (waiter->task->prio < next->task->prio)
			next = waiter;
	lock->owner = next ? next->task : NULL;
	if (next)
		busted_grant(next, &wake_q);
	pi_adjust(lock); /* the mistake: the task that lets go keeps its boost */
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

BUSTED(pi, "wrong: boosts its owner for good", .caps = LOCK_CAP_BUSTED | LOCK_CAP_PI, .lock = pi_lock,
       .unlock = pi_unlock, .view = busted_view);

/* -- order and starvation -------------------------------------------------------------------------------- */

BUSTED(fifo, "wrong: promises FIFO and serves the latest first", .caps = LOCK_CAP_BUSTED | LOCK_CAP_FIFO,
       .lock = busted_lock_lifo, .unlock = busted_unlock, .view = busted_view);

BUSTED(lifo, "wrong: serves the latest first, so the first can wait for ever", .caps = LOCK_CAP_BUSTED,
       .lock = busted_lock_lifo, .unlock = busted_unlock, .view = busted_view);

/* A first waiter that was woken tries again. */
static int handoff_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter waiter = { .task = current };

	raw_spin_lock(&lock->lock);
	if (lock->owner) {
		list_add_tail(&waiter.list, &lock->wait_list);
		while (lock->owner) { /* the mistake: it tries as one of many, whatever it promises */
			__set_current_state(TASK_UNINTERRUPTIBLE);
			raw_spin_unlock(&lock->lock);
			schedule();
			raw_spin_lock(&lock->lock);
		}
		list_del(&waiter.list);
	}
	lock->owner = current;
	raw_spin_unlock(&lock->lock);
	return 0;
}

static void handoff_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = busted_first(lock);
	lock->owner = NULL;
	if (next)
		wake_q_add(&wake_q, next->task);
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

static sim_time handoff_patience(const void *l)
{
	return 0;
}

BUSTED(handoff, "wrong: promises a hand-off to a first waiter that came too late, and forgets it", .caps = LOCK_CAP_BUSTED,
       .lock = handoff_lock, .unlock = handoff_unlock, .view = busted_view, .patience = handoff_patience);

/* A reader gets in whenever no writer is inside. */
static int starve_lock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;

	raw_spin_lock(&lock->lock);
	if (req->mode == LOCK_SHARED ? !lock->owner : !lock->owner && !lock->readers) {
		if (req->mode == LOCK_SHARED)
			lock->readers++; /* the mistake: past the writers that wait */
		else
			lock->owner = current;
	} else {
		busted_wait(lock, req->mode, false);
	}
	raw_spin_unlock(&lock->lock);
	return 0;
}

static void starve_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter *waiter, *n;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	if (req->mode == LOCK_SHARED)
		lock->readers--;
	else
		lock->owner = NULL;
	list_for_each_entry_safe(waiter, n, &lock->wait_list, list) { /* readers first */
		if (waiter->mode == LOCK_SHARED && !lock->owner) {
			lock->readers++;
			busted_grant(waiter, &wake_q);
		}
	}
	waiter = busted_first(lock);
	if (waiter && waiter->mode == LOCK_EXCLUSIVE && !lock->owner && !lock->readers) {
		lock->owner = waiter->task;
		busted_grant(waiter, &wake_q);
	}
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

BUSTED(starve, "wrong: readers pass waiting writers without end", .caps = LOCK_CAP_BUSTED | LOCK_CAP_SHARED,
       .lock = starve_lock, .unlock = starve_unlock);

/* -- conservation ------------------------------------------------------------------------------------------- */

static void conservation_unlock(void *l, struct lock_req *req)
{
	struct busted_lock *lock = l;
	struct busted_waiter *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	next = busted_first(lock);
	if (next) { /* the mistake: with nobody waiting it remains owned */
		lock->owner = next->task;
		busted_grant(next, &wake_q);
	}
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

BUSTED(conservation, "wrong: a release with nobody waiting is lost", .caps = LOCK_CAP_BUSTED, .lock = busted_lock_fifo,
       .unlock = conservation_unlock, .view = busted_view);
