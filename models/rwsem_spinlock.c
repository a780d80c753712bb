/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-spinlock-2.6, rwsem-spinlock-3.9, rwsem-spinlock-4.15: the generic rwsem, for machines
 * without a compare-and-swap.
 *
 * `activity` is 0 when the lock is free, -1 for a writer, n for n readers; everything,
 * uncontended or not, happens under wait_lock. Readers queue behind any queue, and are
 * granted the lock by the waker in runs up to the next writer.
 *
 * 2.6: writers are granted the lock as well, so it is FIFO throughout. From 3.9 on a writer
 * at the head is only woken, and any writer that finds activity at 0, queued or not, at the
 * head or not, has the lock. Nobody spins. 4.15 is 3.9 with waits that can be killed: a reader just leaves the queue, a
 * writer lets the readers at the head in, if no writer is inside.
 *
 * Mirrors: Linux 2.6.18 and 3.9 lib/rwsem-spinlock.c, 4.15 kernel/locking/rwsem-spinlock.c
 * Deviations: (1) no debug checks; (2) killable waits heed any signal where the request asks for that.
 *
 * Read:    1. nobody writes, nobody queues: in   2. queue, sleep until granted
 * Write:   1. free, nobody queues: in   2. queue, sleep until granted (2.6)
 *          1. queue   2. free: in; else sleep, again (3.9)
 */
#include "models/holders.h"

struct spin_rwsem {
	int activity;
	raw_spinlock_t wait_lock;
	struct list_head wait_list;

	/* the simulator's side */
	bool steal; /* writers are woken, not granted */
	struct list_head holders;
};

struct spin_rwsem_waiter { /* on the waiting task's stack */
	struct list_head list;
	struct task_struct *task; /* cleared by whoever grants the lock */
	enum lock_mode mode;
};

/* X(name): of 2.6; 3.9 has the woken writers' in place of the last */
#define SPL_EVENTS(X)                                                                                        \
	X(rwsem_sleep_reader) /* reader sleeps */                                                            \
	X(rwsem_sleep_writer) /* writer sleeps */                                                            \
	X(rwsem_wake_reader)  /* grants to a run of readers */                                               \
	X(rwsem_rlock)	      /* read locks taken after queueing */                                          \
	X(rwsem_wlock)	      /* write locks taken after queueing */
#define SPL_2_6_EVENTS(X) X(rwsem_handoff_writer) /* grants to a writer */
#define SPL_3_9_EVENTS(X)                                                                                    \
	X(rwsem_wake_writer) /* wake-ups of a writer */                                                      \
	X(rwsem_wlock_steal) /* write locks taken past the queue */
enum {
	SPL_EVENTS(kw_lockevent_enum) SPL_FIRST,
	LOCKEVENT_rwsem_handoff_writer = SPL_FIRST,
	SPL_3_9_BEFORE = SPL_FIRST - 1,
	SPL_3_9_EVENTS(kw_lockevent_enum)
};
static const char *const event_names_2_6[] = { SPL_EVENTS(kw_lockevent_name) SPL_2_6_EVENTS(kw_lockevent_name) NULL };
static const char *const event_names_3_9[] = { SPL_EVENTS(kw_lockevent_name) SPL_3_9_EVENTS(kw_lockevent_name) NULL };

static struct spin_rwsem_waiter *first_waiter(struct spin_rwsem *sem)
{
	return list_first_entry(&sem->wait_list, struct spin_rwsem_waiter, list);
}

static void queue(struct spin_rwsem *sem, struct spin_rwsem_waiter *waiter, enum lock_mode mode)
{
	waiter->task = current;
	waiter->mode = mode;
	list_add_tail(&waiter->list, &sem->wait_list);
	trace_contention_begin(sem, mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE);
}

/* wait_lock held. From the moment its record is cleared a waiter may return and its stack be gone. */
static void grant(struct spin_rwsem_waiter *waiter)
{
	struct task_struct *task = waiter->task;

	list_del(&waiter->list);
	smp_store_release(&waiter->task, NULL);
	wake_up_process(task);
}

/* False: it was granted the lock just before. */
static bool leave_reader(struct spin_rwsem *sem, struct spin_rwsem_waiter *waiter)
{
	bool queued;

	raw_spin_lock_irq(&sem->wait_lock);
	queued = waiter->task;
	if (queued)
		list_del(&waiter->list);
	raw_spin_unlock_irq(&sem->wait_lock);
	return queued;
}

/* 0 or -EINTR. */
static int sleep_until_granted(struct spin_rwsem *sem, struct spin_rwsem_waiter *waiter, unsigned int state)
{
	int ret = 0;

	while (!ret) {
		set_current_state(state);
		if (!smp_load_acquire(&waiter->task))
			break;
		if (signal_pending_state(state, current)) {
			ret = leave_reader(sem, waiter) ? -EINTR : 0;
			continue;
		}
		if (waiter->mode == LOCK_SHARED)
			lockevent_inc(rwsem_sleep_reader);
		else
			lockevent_inc(rwsem_sleep_writer);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	trace_contention_end(sem, ret);
	return ret;
}

/* wait_lock held, queue not empty, its head a writer, nobody inside. */
static void wake_writer(struct spin_rwsem *sem)
{
	if (sem->steal) {
		lockevent_inc(rwsem_wake_writer);
		wake_up_process(first_waiter(sem)->task);
		return;
	}
	lockevent_inc(rwsem_handoff_writer);
	sem->activity = -1;
	grant(first_waiter(sem));
}

/* wait_lock held: the readers from the head to the first writer. */
static void wake_readers(struct spin_rwsem *sem)
{
	int n = 0;

	while (!list_empty(&sem->wait_list) && first_waiter(sem)->mode == LOCK_SHARED) {
		grant(first_waiter(sem));
		n++;
	}
	sem->activity += n;
	lockevent_cond_inc(rwsem_wake_reader, n);
}

/* wait_lock held, queue not empty, nobody inside. */
static void wake_head(struct spin_rwsem *sem)
{
	if (first_waiter(sem)->mode == LOCK_EXCLUSIVE)
		wake_writer(sem);
	else
		wake_readers(sem);
}

static int down_read(struct spin_rwsem *sem, unsigned int state)
{
	struct spin_rwsem_waiter waiter;
	int ret;

	raw_spin_lock_irq(&sem->wait_lock);
	/* 1 */
	if (sem->activity >= 0 && list_empty(&sem->wait_list)) {
		sem->activity++;
		raw_spin_unlock_irq(&sem->wait_lock);
		return 0;
	}
	/* 2 */
	queue(sem, &waiter, LOCK_SHARED);
	raw_spin_unlock_irq(&sem->wait_lock);
	ret = sleep_until_granted(sem, &waiter, state);
	lockevent_cond_inc(rwsem_rlock, !ret);
	return ret;
}

static void down_write_2_6(struct spin_rwsem *sem)
{
	struct spin_rwsem_waiter waiter;

	raw_spin_lock_irq(&sem->wait_lock);
	/* 1 */
	if (sem->activity == 0 && list_empty(&sem->wait_list)) {
		sem->activity = -1;
		raw_spin_unlock_irq(&sem->wait_lock);
		return;
	}
	/* 2 */
	queue(sem, &waiter, LOCK_EXCLUSIVE);
	raw_spin_unlock_irq(&sem->wait_lock);
	sleep_until_granted(sem, &waiter, TASK_UNINTERRUPTIBLE);
	lockevent_inc(rwsem_wlock);
}

/* Nobody is left waiting for the one who leaves. wait_lock held; dropped. */
static int leave_writer(struct spin_rwsem *sem, struct spin_rwsem_waiter *waiter)
{
	list_del(&waiter->list);
	if (!list_empty(&sem->wait_list) && sem->activity >= 0)
		wake_readers(sem);
	raw_spin_unlock_irq(&sem->wait_lock);
	__set_current_state(TASK_RUNNING);
	trace_contention_end(sem, -EINTR);
	return -EINTR;
}

static int down_write_3_9(struct spin_rwsem *sem, unsigned int state)
{
	struct spin_rwsem_waiter waiter;
	bool slept = false;

	raw_spin_lock_irq(&sem->wait_lock);
	/* 1 */
	waiter.task = current;
	waiter.mode = LOCK_EXCLUSIVE;
	list_add_tail(&waiter.list, &sem->wait_list);
	/* 2 */
	while (sem->activity != 0) {
		set_current_state(state);
		if (!slept)
			trace_contention_begin(sem, LCB_F_WRITE);
		slept = true;
		if (signal_pending_state(state, current))
			return leave_writer(sem, &waiter);
		raw_spin_unlock_irq(&sem->wait_lock);
		lockevent_inc(rwsem_sleep_writer);
		schedule();
		raw_spin_lock_irq(&sem->wait_lock);
	}
	sem->activity = -1;
	lockevent_cond_inc(rwsem_wlock_steal, !list_is_first(&waiter.list, &sem->wait_list));
	list_del(&waiter.list);
	raw_spin_unlock_irq(&sem->wait_lock);
	if (!slept)
		return 0;
	__set_current_state(TASK_RUNNING);
	lockevent_inc(rwsem_wlock);
	trace_contention_end(sem, 0);
	return 0;
}

static bool trylock(struct spin_rwsem *sem, enum lock_mode mode)
{
	unsigned long flags;
	bool taken;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (mode == LOCK_SHARED)
		taken = sem->activity >= 0 && list_empty(&sem->wait_list);
	else
		taken = sem->activity == 0 && (sem->steal || list_empty(&sem->wait_list));
	if (taken)
		sem->activity = mode == LOCK_SHARED ? sem->activity + 1 : -1;
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	return taken;
}

/* The head of a lock that readers hold is a writer: a reader would have been let in. */
static void up_read(struct spin_rwsem *sem)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	if (--sem->activity == 0 && !list_empty(&sem->wait_list))
		wake_writer(sem);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
}

static void up_write(struct spin_rwsem *sem)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	sem->activity = 0;
	if (!list_empty(&sem->wait_list))
		wake_head(sem);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void init(struct spin_rwsem *sem, bool steal)
{
	raw_spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
	holders_init(&sem->holders);
	sem->steal = steal;
}

static void rwsem_spinlock_2_6_init(void *l, const uint64_t *values)
{
	init(l, false);
}

static void rwsem_spinlock_3_9_init(void *l, const uint64_t *values)
{
	init(l, true);
}

static int rwsem_spinlock_lock(void *l, struct lock_req *req)
{
	struct spin_rwsem *sem = l;
	int ret = 0;

	if (req->how & LOCK_TRY)
		ret = trylock(sem, req->mode) ? 0 : -EBUSY;
	else if (req->mode == LOCK_SHARED)
		ret = down_read(sem, holders_sleep_state(req));
	else if (sem->steal)
		ret = down_write_3_9(sem, holders_sleep_state(req));
	else
		down_write_2_6(sem);
	if (!ret)
		holders_add(&sem->holders, req->hold, req->mode);
	return ret;
}

static void rwsem_spinlock_unlock(void *l, struct lock_req *req)
{
	struct holder *h = req->hold;

	holders_del(h);
	if (h->mode == LOCK_SHARED)
		up_read(l);
	else
		up_write(l);
}

static void rwsem_spinlock_downgrade(void *l, struct lock_req *req)
{
	struct spin_rwsem *sem = l;
	unsigned long flags;

	holders_del(req->hold);
	raw_spin_lock_irqsave(&sem->wait_lock, flags);
	sem->activity = 1;
	wake_readers(sem);
	raw_spin_unlock_irqrestore(&sem->wait_lock, flags);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

static void rwsem_spinlock_view(const void *l, struct lock_view *view)
{
	const struct spin_rwsem *sem = l;
	const struct spin_rwsem_waiter *waiter;

	holders_view(&sem->holders, view);
	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	view->word = (uint32_t)sem->activity;
}

static const char *rwsem_spinlock_broken(const void *l)
{
	const struct spin_rwsem *sem = l;
	const char *broken = holders_broken(&sem->holders);

	if (broken || sem->wait_lock.owner)
		return broken;
	if (holders_count(&sem->holders, LOCK_EXCLUSIVE) && sem->activity != -1)
		return "a writer owns the lock but activity does not say so";
	if ((int)holders_count(&sem->holders, LOCK_SHARED) > max(sem->activity, 0))
		return "more readers than activity knows";
	if (!sem->steal && sem->activity == 0 && !holders_list_empty(&sem->wait_list))
		return "the lock is free and somebody is queued";
	return NULL;
}

#define RWSEM_SPINLOCK                                                                                       \
	.abi = LOCK_MODEL_ABI, .size = sizeof(struct spin_rwsem), .hold_size = sizeof(struct holder),        \
	.lock = rwsem_spinlock_lock, .unlock = rwsem_spinlock_unlock, .downgrade = rwsem_spinlock_downgrade, \
	.view = rwsem_spinlock_view, .broken = rwsem_spinlock_broken

LOCK_MODEL(rwsem_spinlock_2_6) = {
	RWSEM_SPINLOCK,
	.name = "rwsem-spinlock-2.6",
	.mirrors = "Linux 2.6.18 lib/rwsem-spinlock.c",
	.summary = "generic rwsem under a spinlock: FIFO, everybody is granted the lock",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE | LOCK_CAP_FIFO,
	.events = event_names_2_6,
	.init = rwsem_spinlock_2_6_init,
};

LOCK_MODEL(rwsem_spinlock_3_9) = {
	RWSEM_SPINLOCK,
	.name = "rwsem-spinlock-3.9",
	.mirrors = "Linux 3.9 lib/rwsem-spinlock.c",
	.summary = "generic rwsem under a spinlock: writers are woken and race",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,
	.events = event_names_3_9,
	.init = rwsem_spinlock_3_9_init,
};

LOCK_MODEL(rwsem_spinlock_4_15) = {
	RWSEM_SPINLOCK,
	.name = "rwsem-spinlock-4.15",
	.mirrors = "Linux 4.15 kernel/locking/rwsem-spinlock.c",
	.summary = "rwsem-spinlock-3.9 with waits that can be killed",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.events = event_names_3_9,
	.init = rwsem_spinlock_3_9_init,
};
