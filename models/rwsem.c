/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem: the sleeping reader-writer lock behind mmap_lock and many others.
 *
 *   count   0 writer  1 WAITERS  2 HANDOFF  8… readers, owning or trying  63 too many
 *   owner   0 READER_OWNED  1 NONSPINNABLE  the rest: the writer, or one of the readers
 *   osq     writers that spin; wait_list: readers and writers that sleep, FIFO
 *
 * Readers add themselves first and look afterwards; writers compare-and-swap, so a failed
 * writer leaves no trace. Any flag fails a fast reader. A reader that finds neither writer
 * nor HANDOFF steals the lock past the queue, unless others read already; otherwise it
 * queues, and is granted the lock together with all other queued readers when its turn
 * comes. Readers never spin. Writers spin while a writer owns and runs, and for 10–25 us
 * while readers own; then they queue, and when woken race with spinners and stealing
 * readers. Whoever has waited for 4 ms, or a real-time writer, sets HANDOFF: from then on
 * only the first waiter gets the lock.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/rwsem.c.
 * Deviations:
 *  1. No debug checks, no tracepoints but contention, no nested or non-owner variants.
 *  2. No virtual CPUs, so spinning does not end because of a preempted one.
 *  3. The hand-off time is a parameter; the kernel fixes it at 4 ms, rounded up to jiffies.
 *  4. `reader_steal off` is no kernel's: readers that see somebody wait queue behind, as before 5.11. It stands in for
 *     fixes to the starvation of writers that were proposed in 2026.
 *  5. `owner_window on` is 5.16 – 6.0 for writers and up to 6.2 for readers: preemption was on in the fast paths. A
 *     real-time writer that was promised the lock then watches an owner that is not there, and keeps the task that
 *     has the lock off its CPU for good (48dfb5d2560d, 3f5245538a19).
 */
#include "models/rwsem_private.h"

/* Between the count and the owner. */
static void window(const struct rw_semaphore *sem)
{
	if (sem->owner_window) {
		preempt_enable();
		preempt_disable();
	}
}

static int down_read(struct rw_semaphore *sem, unsigned int state)
{
	long count;
	int ret = 0;

	preempt_disable();
	count = atomic_long_add_return_acquire(RWSEM_READER_BIAS, &sem->count);
	if (count < 0)
		rwsem_set_nonspinnable(sem);
	if (count & RWSEM_READ_FAILED_MASK) {
		ret = rwsem_down_read_slowpath(sem, count, state);
	} else {
		window(sem);
		rwsem_set_reader_owned(sem, current);
	}
	preempt_enable();
	return ret;
}

static bool down_read_trylock(struct rw_semaphore *sem)
{
	long count;
	bool taken = false;

	preempt_disable();
	count = atomic_long_read(&sem->count);
	while (!taken && !(count & RWSEM_READ_FAILED_MASK))
		taken = atomic_long_try_cmpxchg_acquire(&sem->count, &count, count + RWSEM_READER_BIAS);
	if (taken)
		rwsem_set_reader_owned(sem, current);
	preempt_enable();
	return taken;
}

/* Also the trylock. Preemption is off so that a count with a writer and no owner is short-lived. */
static bool write_fast(struct rw_semaphore *sem)
{
	long free = 0;
	bool taken;

	preempt_disable();
	taken = atomic_long_try_cmpxchg_acquire(&sem->count, &free, RWSEM_WRITER_LOCKED);
	if (taken) {
		window(sem);
		rwsem_set_owner(sem);
	}
	preempt_enable();
	return taken;
}

/* The owner hint stays; the last of the readers sees to the queue. */
static void up_read(struct rw_semaphore *sem)
{
	long count;

	preempt_disable();
	count = atomic_long_add_return_release(-RWSEM_READER_BIAS, &sem->count);
	if ((count & (RWSEM_LOCK_MASK | RWSEM_FLAG_WAITERS)) == RWSEM_FLAG_WAITERS) {
		rwsem_clear_nonspinnable(sem);
		rwsem_wake(sem);
	}
	preempt_enable();
}

/* The owner goes before the lock is free: nobody may spin on a task that owns it no more. */
static void up_write(struct rw_semaphore *sem)
{
	long count;

	preempt_disable();
	rwsem_clear_owner(sem);
	count = atomic_long_fetch_add_release(-RWSEM_WRITER_LOCKED, &sem->count);
	preempt_enable();
	model_step("rwsem_wake");
	if (count & RWSEM_FLAG_WAITERS)
		rwsem_wake(sem);
}

static void downgrade_write(struct rw_semaphore *sem)
{
	long count = atomic_long_fetch_add_release(RWSEM_READER_BIAS - RWSEM_WRITER_LOCKED, &sem->count);

	rwsem_set_reader_owned(sem, current);
	if (count & RWSEM_FLAG_WAITERS)
		rwsem_downgrade_wake(sem);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "handoff", LOCK_PARAM_TIME, 4 * SIM_MS, "wait after which a hand-off is asked for; whole jiffies" },
	{ "reader_steal", LOCK_PARAM_FLAG, 1, "a first reader takes a free lock past the queue" },
	{ "owner_window", LOCK_PARAM_FLAG, 0, "a task can be preempted between taking the lock and saying so" },
	{ NULL },
};

static void rwsem_init(void *l, const uint64_t *values)
{
	struct rw_semaphore *sem = l;
	sim_time jiffy = SIM_S / HZ;

	osq_lock_init(&sem->osq);
	raw_spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
	INIT_LIST_HEAD(&sem->holders);
	sem->wait_timeout = DIV_ROUND_UP(values[0], jiffy);
	sem->no_reader_steal = !values[1];
	sem->owner_window = values[2];
}

static unsigned int sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

static int lock_read(struct rw_semaphore *sem, const struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return down_read_trylock(sem) ? 0 : -EBUSY;
	return down_read(sem, sleep_state(req));
}

static int lock_write(struct rw_semaphore *sem, const struct lock_req *req)
{
	if (write_fast(sem))
		return 0;
	if (req->how & LOCK_TRY)
		return -EBUSY;
	return rwsem_down_write_slowpath(sem, sleep_state(req));
}

/*
 * The list of holders is the simulator's: plain accesses, which cost nothing and let
 * nobody in between. list_add() and list_del() have marked ones.
 */
static void holders_add(struct rw_semaphore *sem, struct rwsem_hold *hold)
{
	hold->node.next = &sem->holders;
	hold->node.prev = sem->holders.prev;
	sem->holders.prev->next = &hold->node;
	sem->holders.prev = &hold->node;
}

static void holders_del(struct rwsem_hold *hold)
{
	hold->node.prev->next = hold->node.next;
	hold->node.next->prev = hold->node.prev;
}

static int rwsem_lock(void *l, struct lock_req *req)
{
	struct rw_semaphore *sem = l;
	struct rwsem_hold *hold = req->hold;
	int ret;

	if (!(req->how & LOCK_TRY))
		might_sleep();
	ret = req->mode == LOCK_SHARED ? lock_read(sem, req) : lock_write(sem, req);
	if (!ret) {
		hold->task = current;
		hold->mode = req->mode;
		holders_add(sem, hold);
	}
	return ret;
}

static void rwsem_unlock(void *l, struct lock_req *req)
{
	struct rwsem_hold *hold = req->hold;

	holders_del(hold);
	if (hold->mode == LOCK_SHARED)
		up_read(l);
	else
		up_write(l);
}

static void rwsem_downgrade(void *l, struct lock_req *req)
{
	struct rw_semaphore *sem = l;
	struct rwsem_hold *hold = req->hold;

	holders_del(hold);
	downgrade_write(sem);
	hold->mode = LOCK_SHARED;
	holders_add(sem, hold);
}

static void rwsem_view(const void *l, struct lock_view *view)
{
	const struct rw_semaphore *sem = l;
	const struct rwsem_hold *hold;
	const struct rwsem_waiter *waiter;
	static const char *const flags[] = { "", "WAITERS", "HANDOFF", "WAITERS|HANDOFF" };
	unsigned set = (unsigned)sem->count.counter & (RWSEM_FLAG_WAITERS | RWSEM_FLAG_HANDOFF);

	list_for_each_entry(hold, &sem->holders, node)
		lock_view_owner(view, hold->task, hold->mode);
	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task,
				 waiter->type == RWSEM_WAITING_FOR_READ ? LOCK_SHARED : LOCK_EXCLUSIVE);
	view->word = (uint64_t)sem->count.counter;
	strcpy(view->flags, flags[set / RWSEM_FLAG_WAITERS]);
}

/* Readers who only try, and grants on their way, are in the count before they are in the list of holders. */
static const char *rwsem_broken(const void *l)
{
	const struct rw_semaphore *sem = l;
	long count = sem->count.counter, readers = 0, writers = 0;
	bool waiters = sem->wait_list.next != &sem->wait_list; /* list_empty() would be a marked access */
	const struct rwsem_hold *hold;

	list_for_each_entry(hold, &sem->holders, node) {
		if (hold->mode == LOCK_SHARED)
			readers++;
		else
			writers++;
	}
	if (writers > 1 || (writers && readers))
		return "a writer is not alone";
	if (writers && !(count & RWSEM_WRITER_LOCKED))
		return "a writer owns the lock but its bit is clear";
	if (readers > count >> RWSEM_READER_SHIFT)
		return "more readers than the count knows";
	if (sem->wait_lock.owner)
		return NULL;
	if (waiters != !!(count & RWSEM_FLAG_WAITERS))
		return "WAITERS does not say whether somebody waits";
	if ((count & RWSEM_FLAG_HANDOFF) && !waiters)
		return "HANDOFF to nobody";
	return NULL;
}

/* The deadline is the first jiffy after the time in the queue, which began within one. */
static sim_time rwsem_patience(const void *l)
{
	return (((const struct rw_semaphore *)l)->wait_timeout + 2) * (SIM_S / HZ);
}

LOCK_MODEL(rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rwsem",
	.mirrors = "Linux 6.1.192 kernel/locking/rwsem.c",
	.summary = "sleeping reader-writer lock: writers spin, readers steal, hand-off after 4 ms",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.size = sizeof(struct rw_semaphore),
	.hold_size = sizeof(struct rwsem_hold),
	.params = params,
	.events = lockevent_names,
	.init = rwsem_init,
	.lock = rwsem_lock,
	.unlock = rwsem_unlock,
	.downgrade = rwsem_downgrade,
	.view = rwsem_view,
	.broken = rwsem_broken,
	.patience = rwsem_patience,
};
