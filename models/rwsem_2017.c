/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-2017-rspin: the rwsem of 4.8 with the series "Enable reader optimistic spinning"
 * (v5, June 2017). PROVISIONAL: its text was not found; this follows recollections of its
 * outline and constants, and what the verified successor of 2019 does.
 *
 *   count   low half: active lockers; high half: WRITE_BIAS for each writer, active or
 *           trying; WAITING_BIAS, so far below that "only waiters" and "a writer" differ
 *   owner   the writer, or 1 READER_OWNED | 2 SPIN_DISABLED
 *
 *   00000000 free   0000000n n readers   ffff0001 a writer   c000000n n readers and a queue
 *
 * Readers and writers whose fast path fails take themselves out of the word at once and
 * spin in one OSQ while a writer owns the lock and runs. A reader takes a lock that is free
 * or that readers own, past the queue, and then lets in the readers at the queue's head.
 * A writer at the head of the OSQ spins on readers for a number of turns, which starts
 * again whenever their number changes; when it runs out, spinning is disabled, for both
 * kinds, until a writer has owned the lock. Then everybody queues as in 3.12. FIFO in the OSQ
 * across kinds keeps readers apart: they wait behind a writer that waits for readers.
 *
 * `on_readers off` is the series without its last four patches: nobody spins on readers or
 * joins them past the queue.
 *
 * Mirrors: "locking/rwsem: Enable reader optimistic spinning" v5 on Linux 4.12 (provisional)
 * Deviations:
 *  1. The word has 32 bits; the biases and both turn counts are recollections.
 *  2. A reader that takes back a passing attempt looks whether it kept somebody from waking.
 *  3. No killable waits, no debug checks.
 */
#include "models/holders.h"
#include "models/osq.h"

#define RWSEM_ACTIVE_MASK 0x0000ffff
#define RWSEM_READ_BIAS 1
#define RWSEM_WRITE_BIAS (-0x0000ffff)
#define RWSEM_WAITING_BIAS (-0x40000000)

#define RWSEM_READER_OWNED 1L
#define RWSEM_SPIN_DISABLED 2L

struct rwsem_2017 {
	atomic_t count;
	raw_spinlock_t wait_lock;
	struct list_head wait_list;
	struct optimistic_spin_queue osq;
	atomic_long_t owner;

	/* the simulator's side */
	unsigned int turns, turns_max;
	long no_spin; /* owner bits on which nobody spins */
	struct list_head holders;
};

struct rwsem_2017_waiter {
	struct list_head list;
	struct task_struct *task; /* a reader's is cleared by whoever grants it the lock */
	enum lock_mode mode;
};

#define RWSEM_EVENTS(X)                                                                                      \
	X(rwsem_sleep_reader) /* reader sleeps */                                                            \
	X(rwsem_sleep_writer) /* writer sleeps */                                                            \
	X(rwsem_wake_reader)  /* grants to a run of readers */                                               \
	X(rwsem_wake_writer)  /* wake-ups of a writer */                                                     \
	X(rwsem_opt_rlock)    /* read locks taken by optimistic spinning */                                  \
	X(rwsem_opt_wlock)    /* write locks taken by optimistic spinning */                                 \
	X(rwsem_opt_fail)     /* optimistic spins that ended without the lock */                             \
	X(rwsem_opt_nospin)   /* optimistic spins not begun */                                               \
	X(rwsem_opt_disable)  /* times that spinning on readers was disabled */                              \
	X(rwsem_rlock)	      /* read locks taken after queueing */                                          \
	X(rwsem_wlock)	      /* write locks taken after queueing */
LOCKEVENTS(RWSEM_EVENTS)

static bool has_writer(int count)
{
	return count < 0 && !(count >= RWSEM_WAITING_BIAS && count <= RWSEM_WAITING_BIAS + RWSEM_ACTIVE_MASK);
}

static void set_reader_owned(struct rwsem_2017 *sem)
{
	if (!(atomic_long_read(&sem->owner) & RWSEM_READER_OWNED))
		atomic_long_set(&sem->owner, RWSEM_READER_OWNED);
}

/* -- waking; wait_lock held, queue not empty --------------------------------------------------- */

static struct rwsem_2017_waiter *first_waiter(struct rwsem_2017 *sem)
{
	return list_first_entry(&sem->wait_list, struct rwsem_2017_waiter, list);
}

/* False: a writer was faster, and will wake when it leaves. */
static bool count_first_reader(struct rwsem_2017 *sem)
{
	do {
		if (!has_writer(atomic_fetch_add(RWSEM_READ_BIAS, &sem->count)))
			return true;
	} while (!has_writer(atomic_sub_return(RWSEM_READ_BIAS, &sem->count)));
	return false;
}

static void grant_run(struct rwsem_2017 *sem, int n, struct wake_q_head *wake_q)
{
	while (n--) {
		struct rwsem_2017_waiter *waiter = first_waiter(sem);
		struct task_struct *task = waiter->task;

		wake_q_add(wake_q, task);
		list_del(&waiter->list);
		smp_store_release(&waiter->task, NULL);
	}
}

/* @read_owned: the caller reads. A writer at the head is woken only if @any. */
static void do_wake(struct rwsem_2017 *sem, bool any, bool read_owned, struct wake_q_head *wake_q)
{
	struct rwsem_2017_waiter *waiter;
	int n = 0, adjustment = 0;

	if (first_waiter(sem)->mode == LOCK_EXCLUSIVE) {
		if (any) {
			lockevent_inc(rwsem_wake_writer);
			wake_q_add(wake_q, first_waiter(sem)->task);
		}
		return;
	}
	if (!read_owned) {
		if (!count_first_reader(sem))
			return;
		adjustment = -RWSEM_READ_BIAS;
		set_reader_owned(sem);
	}
	list_for_each_entry(waiter, &sem->wait_list, list) {
		if (waiter->mode == LOCK_EXCLUSIVE)
			break;
		n++;
	}
	adjustment += n * RWSEM_READ_BIAS;
	if (&waiter->list == &sem->wait_list)
		adjustment -= RWSEM_WAITING_BIAS;
	if (adjustment)
		atomic_add(adjustment, &sem->count);
	lockevent_inc(rwsem_wake_reader);
	grant_run(sem, n, wake_q);
}

static void rwsem_wake(struct rwsem_2017 *sem, bool any, bool read_owned)
{
	unsigned long flags;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (!list_empty(&sem->wait_list))
		do_wake(sem, any, read_owned, &wake_q);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	wake_up_q(&wake_q);
}

/* -- spinning ------------------------------------------------------------------------------------ */

static bool try_read_unqueued(struct rwsem_2017 *sem)
{
	if (has_writer(atomic_read(&sem->count)))
		return false;
	if (!has_writer(atomic_add_return(RWSEM_READ_BIAS, &sem->count)))
		return true;
	if (atomic_sub_return(RWSEM_READ_BIAS, &sem->count) == RWSEM_WAITING_BIAS)
		rwsem_wake(sem, true, false);
	return false;
}

static bool try_write_unqueued(struct rwsem_2017 *sem)
{
	int count = atomic_read(&sem->count);

	while (count == 0 || count == RWSEM_WAITING_BIAS) {
		if (!atomic_try_cmpxchg(&sem->count, &count, count + RWSEM_WRITE_BIAS))
			continue;
		atomic_long_set(&sem->owner, (long)current);
		return true;
	}
	return false;
}

static bool is_writer(long owner)
{
	return owner && !(owner & RWSEM_READER_OWNED);
}

static bool may_spin(struct rwsem_2017 *sem)
{
	long owner = atomic_long_read(&sem->owner);

	if (need_resched() || (owner & sem->no_spin))
		return false;
	return !is_writer(owner) || owner_on_cpu((struct task_struct *)owner);
}

/* Until that writer is gone. False: it does not run, a reschedule is due, or nobody spins on who came next. */
static bool spin_on_writer(struct rwsem_2017 *sem, long owner)
{
	long now;

	spin_begin();
	while ((now = atomic_long_read(&sem->owner)) == owner) {
		if (need_resched() || !owner_on_cpu((struct task_struct *)owner))
			return false;
		spin_cpu_relax();
	}
	return !(now & sem->no_spin);
}

struct reader_spin {
	unsigned int left, left_in_all;
	int readers;
};

/* One more turn of a writer on a lock that readers own? */
static bool spin_on_readers(struct rwsem_2017 *sem, struct reader_spin *spin)
{
	int readers = atomic_read(&sem->count) & RWSEM_ACTIVE_MASK;
	long owner = RWSEM_READER_OWNED;

	if (readers != spin->readers)
		spin->left = sem->turns;
	spin->readers = readers;
	if (spin->left && spin->left_in_all) {
		spin->left--;
		spin->left_in_all--;
		return true;
	}
	if (atomic_long_try_cmpxchg(&sem->owner, &owner, RWSEM_READER_OWNED | RWSEM_SPIN_DISABLED))
		lockevent_inc(rwsem_opt_disable);
	return false;
}

static bool spin_as_head(struct rwsem_2017 *sem, enum lock_mode mode)
{
	struct reader_spin spin = { sem->turns, sem->turns_max, -1 };
	long owner;

	for (;;) {
		owner = atomic_long_read(&sem->owner);
		if (owner & sem->no_spin)
			return false;
		if (is_writer(owner) && !spin_on_writer(sem, owner))
			return false;
		if (mode == LOCK_SHARED ? try_read_unqueued(sem) : try_write_unqueued(sem))
			return true;
		if (mode == LOCK_EXCLUSIVE && (owner & RWSEM_READER_OWNED) && !spin_on_readers(sem, &spin))
			return false;
		if (!is_writer(owner) && (need_resched() || rt_task(current)))
			return false;
		cpu_relax();
	}
}

static bool spin(struct rwsem_2017 *sem, enum lock_mode mode)
{
	bool taken = false;

	preempt_disable();
	if (!may_spin(sem)) {
		lockevent_inc(rwsem_opt_nospin);
		preempt_enable();
		return false;
	}
	if (osq_lock(&sem->osq)) {
		taken = spin_as_head(sem, mode);
		osq_unlock(&sem->osq);
	}
	preempt_enable();
	lockevent_cond_inc(rwsem_opt_fail, !taken);
	lockevent_cond_inc(rwsem_opt_rlock, taken && mode == LOCK_SHARED);
	lockevent_cond_inc(rwsem_opt_wlock, taken && mode == LOCK_EXCLUSIVE);
	return taken;
}

/* -- the slow paths: 1 out of the word; 2 spin; 3 queue; 4 sleep ------------------------------------ */

static bool queue(struct rwsem_2017 *sem, struct rwsem_2017_waiter *waiter, enum lock_mode mode)
{
	bool first = list_empty(&sem->wait_list);

	waiter->task = current;
	waiter->mode = mode;
	list_add_tail(&waiter->list, &sem->wait_list);
	trace_contention_begin(sem, mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE);
	return first;
}

static void down_read_slow(struct rwsem_2017 *sem)
{
	struct rwsem_2017_waiter waiter;
	DEFINE_WAKE_Q(wake_q);
	bool first;
	int count;

	/* 1 */
	atomic_sub(RWSEM_READ_BIAS, &sem->count);
	/* 2 */
	if (spin(sem, LOCK_SHARED)) {
		set_reader_owned(sem);
		if (atomic_read(&sem->count) < 0)
			rwsem_wake(sem, false, true);
		return;
	}
	/* 3 */
	raw_spin_lock_irq(&sem->wait_lock);
	first = queue(sem, &waiter, LOCK_SHARED);
	count = first ? atomic_add_return(RWSEM_WAITING_BIAS, &sem->count) : atomic_read(&sem->count);
	if (count == RWSEM_WAITING_BIAS || (first && !has_writer(count)))
		do_wake(sem, true, false, &wake_q);
	raw_spin_unlock_irq(&sem->wait_lock);
	wake_up_q(&wake_q);
	/* 4 */
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!smp_load_acquire(&waiter.task))
			break;
		lockevent_inc(rwsem_sleep_reader);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	lockevent_inc(rwsem_rlock);
	trace_contention_end(sem, 0);
	set_reader_owned(sem);
}

static bool try_write_queued(struct rwsem_2017 *sem)
{
	int new = RWSEM_WRITE_BIAS + (list_is_singular(&sem->wait_list) ? 0 : RWSEM_WAITING_BIAS);

	if (atomic_read(&sem->count) != RWSEM_WAITING_BIAS ||
	    atomic_cmpxchg(&sem->count, RWSEM_WAITING_BIAS, new) != RWSEM_WAITING_BIAS)
		return false;
	atomic_long_set(&sem->owner, (long)current);
	return true;
}

static void down_write_slow(struct rwsem_2017 *sem)
{
	struct rwsem_2017_waiter waiter;
	DEFINE_WAKE_Q(wake_q);

	/* 1 */
	atomic_sub(RWSEM_WRITE_BIAS, &sem->count);
	/* 2 */
	if (spin(sem, LOCK_EXCLUSIVE))
		return;
	/* 3 */
	raw_spin_lock_irq(&sem->wait_lock);
	if (queue(sem, &waiter, LOCK_EXCLUSIVE)) {
		atomic_add(RWSEM_WAITING_BIAS, &sem->count);
	} else if (!has_writer(atomic_read(&sem->count))) {
		do_wake(sem, false, false, &wake_q);
		wake_up_q(&wake_q);
	}
	/* 4 */
	set_current_state(TASK_UNINTERRUPTIBLE);
	while (!try_write_queued(sem)) {
		raw_spin_unlock_irq(&sem->wait_lock);
		do {
			lockevent_inc(rwsem_sleep_writer);
			schedule();
			set_current_state(TASK_UNINTERRUPTIBLE);
		} while (atomic_read(&sem->count) & RWSEM_ACTIVE_MASK);
		raw_spin_lock_irq(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&waiter.list);
	raw_spin_unlock_irq(&sem->wait_lock);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "turns", LOCK_PARAM_COUNT, 512, "of a writer that spins on readers, while their number stays the same" },
	{ "turns_max", LOCK_PARAM_COUNT, 4096, "of a writer that spins on readers, in all" },
	{ "on_readers", LOCK_PARAM_FLAG, 1, "off: patches 1-5 only, nobody spins on readers or joins them past the queue" },
	{ NULL },
};

static void rwsem_2017_init(void *l, const uint64_t *values)
{
	struct rwsem_2017 *sem = l;

	raw_spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
	osq_lock_init(&sem->osq);
	holders_init(&sem->holders);
	sem->turns = (unsigned int)values[0];
	sem->turns_max = (unsigned int)values[1];
	sem->no_spin = RWSEM_SPIN_DISABLED | (values[2] ? 0 : RWSEM_READER_OWNED);
}

static bool read_trylock(struct rwsem_2017 *sem)
{
	int count = atomic_read(&sem->count);

	while (count >= 0)
		if (atomic_try_cmpxchg(&sem->count, &count, count + RWSEM_READ_BIAS))
			return true;
	return false;
}

static int lock_read(struct rwsem_2017 *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY) {
		if (!read_trylock(sem))
			return -EBUSY;
	} else if (atomic_add_return(RWSEM_READ_BIAS, &sem->count) < 0) {
		down_read_slow(sem);
		return 0;
	}
	set_reader_owned(sem);
	return 0;
}

static int lock_write(struct rwsem_2017 *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return try_write_unqueued(sem) ? 0 : -EBUSY;
	if (atomic_fetch_add(RWSEM_WRITE_BIAS, &sem->count) & RWSEM_ACTIVE_MASK)
		down_write_slow(sem);
	else
		atomic_long_set(&sem->owner, (long)current);
	return 0;
}

static int rwsem_2017_lock(void *l, struct lock_req *req)
{
	struct rwsem_2017 *sem = l;
	int ret = req->mode == LOCK_SHARED ? lock_read(sem, req) : lock_write(sem, req);

	if (!ret)
		holders_add(&sem->holders, req->hold, req->mode);
	return ret;
}

static void rwsem_2017_unlock(void *l, struct lock_req *req)
{
	struct rwsem_2017 *sem = l;
	struct holder *h = req->hold;
	int bias = RWSEM_READ_BIAS, count;

	holders_del(h);
	if (h->mode == LOCK_EXCLUSIVE) {
		atomic_long_set(&sem->owner, 0);
		bias = RWSEM_WRITE_BIAS;
	}
	count = atomic_sub_return(bias, &sem->count);
	if (count < 0 && !(count & RWSEM_ACTIVE_MASK))
		rwsem_wake(sem, true, false);
}

static void rwsem_2017_downgrade(void *l, struct lock_req *req)
{
	struct rwsem_2017 *sem = l;

	holders_del(req->hold);
	atomic_long_set(&sem->owner, RWSEM_READER_OWNED);
	if (atomic_add_return(RWSEM_READ_BIAS - RWSEM_WRITE_BIAS, &sem->count) < 0)
		rwsem_wake(sem, false, true);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

static void rwsem_2017_view(const void *l, struct lock_view *view)
{
	const struct rwsem_2017 *sem = l;
	const struct rwsem_2017_waiter *waiter;

	holders_view(&sem->holders, view);
	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	view->word = (uint32_t)sem->count.counter;
	if (sem->owner.counter & RWSEM_READER_OWNED)
		strcpy(view->flags, sem->owner.counter & RWSEM_SPIN_DISABLED ? "READER_OWNED|NOSPIN" : "READER_OWNED");
}

static const char *rwsem_2017_broken(const void *l)
{
	const struct rwsem_2017 *sem = l;
	int count = sem->count.counter;
	const char *broken = holders_broken(&sem->holders);

	if (broken)
		return broken;
	if (holders_count(&sem->holders, LOCK_EXCLUSIVE) && !has_writer(count))
		return "a writer owns the lock but the word does not say so";
	if (holders_count(&sem->holders, LOCK_SHARED) > (unsigned int)(count & RWSEM_ACTIVE_MASK))
		return "more readers than the word knows";
	if (!sem->wait_lock.owner && !holders_list_empty(&sem->wait_list) && count >= 0)
		return "the word does not say that somebody waits";
	return NULL;
}

LOCK_MODEL(rwsem_2017_rspin) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rwsem-2017-rspin",
	.mirrors = "reader optimistic spinning v5, June 2017 (provisional: from recollections)",
	.summary = "rwsem-4.8 whose readers spin and steal, and whose writers spin on readers for some turns",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,
	.size = sizeof(struct rwsem_2017),
	.hold_size = sizeof(struct holder),
	.params = params,
	.events = lockevent_names,
	.init = rwsem_2017_init,
	.lock = rwsem_2017_lock,
	.unlock = rwsem_2017_unlock,
	.downgrade = rwsem_2017_downgrade,
	.view = rwsem_2017_view,
	.broken = rwsem_2017_broken,
};
