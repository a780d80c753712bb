/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percpu-rwsem: readers that touch only a counter of their own CPU; writers that pay.
 *
 *   read_count[cpu]  readers that came here minus those that left here; only the sum means anything
 *   block            a writer owns the lock, or waits for the readers inside
 *   rss              rcu_sync: idle, or writers are about (or were, a grace period ago)
 *
 * While rss is idle a reader counts itself and looks no further. A writer makes it not
 * idle, which takes a grace period, takes `block`, and sleeps until the sum is 0; readers
 * then look at `block` after counting themselves, and if it is set take that back and
 * queue. A release walks the queue from its head: readers are counted in, and the first
 * writer gets `block` at once and waits for them. A running writer may take `block` before
 * that walk; then nobody is let in. Writers in a row wait for a grace period only once.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/percpu-rwsem.c, kernel/rcu/sync.c
 * Deviations:
 *  1. A grace period takes `gp`; see rcu_sync.h.
 *  2. Counters of CPUs from 1024 on share those of the lower ones.
 *  3. The counters lie in the memory of the lock's socket, and not each in that of its CPU: with costs, a CPU elsewhere
 *     pays for more distance when its counter comes from memory.
 *  4. A release walks the queue under waiters_lock to the end; 6.1 (not 6.12) lets go of it for a moment after each 65
 *     entries, so that a writer may take `block` there.
 *
 * Read:   1. idle: count   2. count; no block: in   3. take it back, prod the writer, queue
 * Write:  1. rss not idle   2. block, or queue   3. until the sum is 0
 * Unlock: a reader: take the count back, prod the writer unless idle
 *         a writer: 1. no block   2. walk the queue   3. rss idle, after a grace period
 */
#include "models/holders.h"
#include "models/rcu_sync.h"

#define COUNTERS 1024

struct percpu_rwsem {
	/* in the kernel's order, so that the same words share lines */
	struct rcu_sync rss;
	void *where_read_count;
	struct task_struct *writer; /* that waits for readers */
	raw_spinlock_t waiters_lock;
	struct list_head waiters;
	atomic_t block;

	/* the simulator's side */
	struct list_head holders;

	struct {
		int n __cacheline_aligned;
	} read_count[COUNTERS];
};

struct percpu_waiter { /* on the waiting task's stack */
	struct list_head list;
	struct task_struct *task; /* cleared by whoever grants */
	enum lock_mode mode;
};

#define PERCPU_EVENTS(X)                                                                                     \
	X(percpu_read_slow)   /* readers that found writers about */                                         \
	X(percpu_read_queued) /* readers that queued */                                                      \
	X(percpu_write_queued) /* writers that queued */                                                     \
	X(percpu_grace)	      /* writers that waited for a grace period */                                   \
	X(percpu_drain)	      /* writers that slept until readers had left */                                \
	X(percpu_walk_lost)   /* releases whose walk let nobody in: a running writer was faster */
LOCKEVENTS(PERCPU_EVENTS)

/* -- readers and writers ------------------------------------------------------------------------ */

/* One instruction on this CPU's own line: no other CPU writes it, so it need not be an atomic one. */
static void count(struct percpu_rwsem *sem, int by)
{
	int *mine = &sem->read_count[smp_processor_id() % COUNTERS].n;

	WRITE_ONCE(*mine, *mine + by);
}

static void prod_writer(struct percpu_rwsem *sem)
{
	struct task_struct *writer = READ_ONCE(sem->writer);

	if (writer)
		wake_up_process(writer);
}

/* Preemption off. The count may be taken on behalf of another task. */
static bool read_try(struct percpu_rwsem *sem)
{
	count(sem, 1);
	if (!atomic_read(&sem->block))
		return true;
	count(sem, -1);
	prod_writer(sem);
	return false;
}

static bool write_try(struct percpu_rwsem *sem)
{
	return !atomic_read(&sem->block) && !atomic_xchg(&sem->block, 1);
}

static bool try(struct percpu_rwsem *sem, enum lock_mode mode)
{
	bool taken;

	if (mode == LOCK_EXCLUSIVE)
		return write_try(sem);
	preempt_disable();
	taken = read_try(sem);
	preempt_enable();
	return taken;
}

static void sleep_until_granted(struct percpu_rwsem *sem, struct percpu_waiter *waiter)
{
	bool reads = waiter->mode == LOCK_SHARED;

	lockevent_cond_inc(percpu_read_queued, reads);
	lockevent_cond_inc(percpu_write_queued, !reads);
	trace_contention_begin(sem, LCB_F_PERCPU | (reads ? LCB_F_READ : LCB_F_WRITE));
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!smp_load_acquire(&waiter->task))
			break;
		schedule();
	}
	trace_contention_end(sem, 0);
}

static void wait(struct percpu_rwsem *sem, enum lock_mode mode)
{
	struct percpu_waiter waiter = { .task = current, .mode = mode };
	bool taken;

	raw_spin_lock_irq(&sem->waiters_lock);
	taken = try(sem, mode);
	if (!taken)
		list_add_tail(&waiter.list, &sem->waiters);
	raw_spin_unlock_irq(&sem->waiters_lock);
	if (!taken)
		sleep_until_granted(sem, &waiter);
	__set_current_state(TASK_RUNNING);
}

static int down_read(struct percpu_rwsem *sem, bool tries)
{
	bool taken = true;

	if (!tries)
		might_sleep();
	preempt_disable();
	/* 1 */
	if (rcu_sync_is_idle(&sem->rss)) {
		model_step("percpu-idle");
		count(sem, 1);
	} else {
		/* 2 */
		lockevent_inc(percpu_read_slow);
		taken = read_try(sem);
	}
	if (!taken && !tries) {
		/* 3 */
		preempt_enable();
		wait(sem, LOCK_SHARED);
		preempt_disable();
		taken = true;
	}
	preempt_enable();
	return taken ? 0 : -EBUSY;
}

static void up_read(struct percpu_rwsem *sem)
{
	preempt_disable();
	if (rcu_sync_is_idle(&sem->rss)) {
		count(sem, -1);
	} else {
		count(sem, -1);
		prod_writer(sem);
	}
	preempt_enable();
}

static bool readers_gone(struct percpu_rwsem *sem)
{
	unsigned int n = min(num_possible_cpus(), (unsigned int)COUNTERS);
	int sum = 0;

	for (unsigned int cpu = 0; cpu < n; cpu++)
		sum += READ_ONCE(sem->read_count[cpu].n);
	return !sum;
}

static void down_write(struct percpu_rwsem *sem)
{
	bool slept;

	might_sleep();
	/* 1 */
	slept = rcu_sync_enter(&sem->rss);
	lockevent_cond_inc(percpu_grace, slept);
	/* 2 */
	if (!write_try(sem))
		wait(sem, LOCK_EXCLUSIVE);
	/* 3 */
	WRITE_ONCE(sem->writer, current);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (readers_gone(sem))
			break;
		lockevent_inc(percpu_drain);
		schedule();
	}
	WRITE_ONCE(sem->writer, NULL);
	__set_current_state(TASK_RUNNING);
}

/* Tries on behalf of each, in order; ends behind the first writer that succeeds, or who does not. */
static void walk(struct percpu_rwsem *sem)
{
	struct percpu_waiter *waiter, *next;
	bool any = false, writer = false;
	unsigned long flags;

	raw_spin_lock_irqsave(&sem->waiters_lock, flags);
	list_for_each_entry_safe(waiter, next, &sem->waiters, list) {
		struct task_struct *task = waiter->task;

		if (writer)
			break;
		if (!try(sem, waiter->mode)) {
			lockevent_cond_inc(percpu_walk_lost, !any);
			break;
		}
		any = true;
		writer = waiter->mode == LOCK_EXCLUSIVE;
		list_del_init(&waiter->list);
		smp_store_release(&waiter->task, NULL);
		wake_up_process(task);
	}
	raw_spin_unlock_irqrestore(&sem->waiters_lock, flags);
}

static void up_write(struct percpu_rwsem *sem)
{
	/* 1 */
	atomic_set_release(&sem->block, 0);
	model_step("percpu-unblocked");
	/* 2 */
	walk(sem);
	/* 3 */
	rcu_sync_exit(&sem->rss);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	RCU_SYNC_PARAMS,
	{ NULL },
};

static void percpu_init(void *l, const uint64_t *values)
{
	struct percpu_rwsem *sem = l;

	rcu_sync_init(&sem->rss);
	rcu_sync_set_gp(&sem->rss, values[0]);
	raw_spin_lock_init(&sem->waiters_lock);
	INIT_LIST_HEAD(&sem->waiters);
	holders_init(&sem->holders);
}

static int percpu_lock(void *l, struct lock_req *req)
{
	struct percpu_rwsem *sem = l;
	int ret = 0;

	if (req->mode == LOCK_SHARED)
		ret = down_read(sem, req->how & LOCK_TRY);
	else if (req->how & LOCK_TRY)
		ret = -EBUSY; /* writers cannot try */
	else
		down_write(sem);
	if (!ret)
		holders_add(&sem->holders, req->hold, req->mode);
	return ret;
}

static void percpu_unlock(void *l, struct lock_req *req)
{
	struct holder *h = req->hold;

	holders_del(h);
	if (h->mode == LOCK_SHARED)
		up_read(l);
	else
		up_write(l);
}

static void percpu_view(const void *l, struct lock_view *view)
{
	const struct percpu_rwsem *sem = l;
	const struct percpu_waiter *waiter;
	int sum = 0;

	holders_view(&sem->holders, view);
	list_for_each_entry(waiter, &sem->waiters, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	for (unsigned int cpu = 0; cpu < COUNTERS; cpu++)
		sum += sem->read_count[cpu].n;
	view->word = (uint32_t)sum;
	if (sem->block.counter)
		strcpy(view->flags, "BLOCK");
}

static const char *percpu_broken(const void *l)
{
	const struct percpu_rwsem *sem = l;
	const char *broken = holders_broken(&sem->holders);

	if (!broken && holders_count(&sem->holders, LOCK_EXCLUSIVE) && !sem->block.counter)
		return "a writer owns the lock but readers are not blocked";
	return broken;
}

LOCK_MODEL(percpu_rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = "percpu-rwsem",
	.mirrors = "Linux 6.1.192 kernel/locking/percpu-rwsem.c",
	.summary = "readers count on their own CPU; a writer waits for a grace period and for all of them",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.size = sizeof(struct percpu_rwsem),
	.hold_size = sizeof(struct holder),
	.params = params,
	.events = lockevent_names,
	.init = percpu_init,
	.lock = percpu_lock,
	.unlock = percpu_unlock,
	.view = percpu_view,
	.broken = percpu_broken,
};
