/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percpu-rwsem-4.8: the percpu rwsem on rcu_sync, with an rwsem for those who must wait.
 *
 *   read_count[cpu]  readers that came here minus those that left here; only the sum means anything
 *   readers_block    a writer owns the lock, or waits for the readers inside
 *   rss              rcu_sync: idle, or writers are about (or were, a grace period ago)
 *   rw_sem           an rwsem (4.8): writers, and readers that found readers_block set
 *
 * A reader counts itself and looks whether writers are about; if so and readers_block is set it takes that back, prods
 * the writer, and counts itself under the rwsem, which the writer holds until it is done. Fairness among those who wait
 * is that of the rwsem: readers behind a writer come in as a batch, and writers steal.
 *
 * Mirrors: Linux 4.8 – 5.6 kernel/locking/percpu-rwsem.c (4.19)
 * Deviations:
 *  1. Counters of CPUs from 1024 on share those of the lower ones; counting is atomic.
 *  2. A prodded writer may count the same twice, as the kernel's may.
 *
 * Read:   1. count; idle: in   2. no block: in   3. take it back, prod the writer   4. the rwsem, count, let go of it
 *         one who only tries gives up after 3
 * Write:  1. rss not idle   2. the rwsem   3. block   4. until the sum is 0
 * Unlock: a reader: take the count back, prod the writer unless idle
 *         a writer: 1. no block   2. the rwsem   3. rss idle, after a grace period
 */
#include "models/percpu_rwsem_inner.h"
#include "models/rcu_sync.h"

extern const struct lock_model lock_model_rwsem_4_8;

struct percpu_rwsem_4_8 {
	struct rcu_sync rss;
	struct xadd_rwsem rw_sem;
	struct task_struct *writer; /* that waits for readers */
	int readers_block;

	/* the simulator's side */
	struct list_head holders;

	struct {
		atomic_t n __cacheline_aligned;
	} read_count[PERCPU_COUNTERS];
};

/* X(name): the rwsem's, then these */
#define RWSEM_4_8_EVENTS(X) XADD_EVENTS(X) XADD_RACE_EVENTS(X) XADD_FLAG_EVENTS(X) XADD_SPIN_EVENTS(X)
#define PERCPU_EVENTS(X)                                                                                     \
	X(percpu_read_slow)   /* readers that found writers about */                                         \
	X(percpu_read_queued) /* readers that went through the rwsem */                                      \
	X(percpu_grace)	      /* writers that waited for a grace period */                                   \
	X(percpu_drain)	      /* writers that slept until readers had left */
#define ALL_EVENTS(X) RWSEM_4_8_EVENTS(X) PERCPU_EVENTS(X)
LOCKEVENTS(ALL_EVENTS)

static atomic_t *my_count(struct percpu_rwsem_4_8 *sem)
{
	return &sem->read_count[smp_processor_id() % PERCPU_COUNTERS].n;
}

static void prod_writer(struct percpu_rwsem_4_8 *sem)
{
	struct task_struct *writer = READ_ONCE(sem->writer);

	if (writer)
		wake_up_process(writer);
}

/* Steps 1 to 3. False: a writer keeps readers out. */
static bool read_try(struct percpu_rwsem_4_8 *sem)
{
	bool in = true;

	preempt_disable();
	/* 1 */
	atomic_inc(my_count(sem));
	model_step("percpu-counted");
	if (!rcu_sync_is_idle(&sem->rss)) {
		lockevent_inc(percpu_read_slow);
		/* 2 */
		in = !READ_ONCE(sem->readers_block);
		/* 3 */
		if (!in) {
			atomic_dec(my_count(sem));
			prod_writer(sem);
		}
	}
	preempt_enable();
	return in;
}

static int down_read(struct percpu_rwsem_4_8 *sem, struct percpu_hold *hold, bool tries)
{
	if (read_try(sem))
		return 0;
	if (tries)
		return -EBUSY;
	/* 4 */
	lockevent_inc(percpu_read_queued);
	percpu_inner_lock(&lock_model_rwsem_4_8, &sem->rw_sem, LOCK_SHARED, hold);
	preempt_disable();
	atomic_inc(my_count(sem));
	preempt_enable();
	percpu_inner_unlock(&lock_model_rwsem_4_8, &sem->rw_sem, hold);
	return 0;
}

static void up_read(struct percpu_rwsem_4_8 *sem)
{
	preempt_disable();
	atomic_dec(my_count(sem));
	if (!rcu_sync_is_idle(&sem->rss))
		prod_writer(sem);
	preempt_enable();
}

static bool readers_gone(struct percpu_rwsem_4_8 *sem)
{
	unsigned int n = min(num_possible_cpus(), (unsigned int)PERCPU_COUNTERS);
	int sum = 0;

	for (unsigned int cpu = 0; cpu < n; cpu++)
		sum += atomic_read(&sem->read_count[cpu].n);
	return !sum;
}

static void down_write(struct percpu_rwsem_4_8 *sem, struct percpu_hold *hold)
{
	/* 1 */
	lockevent_cond_inc(percpu_grace, rcu_sync_enter(&sem->rss));
	/* 2 */
	percpu_inner_lock(&lock_model_rwsem_4_8, &sem->rw_sem, LOCK_EXCLUSIVE, hold);
	/* 3 */
	WRITE_ONCE(sem->readers_block, 1);
	/* 4 */
	WRITE_ONCE(sem->writer, current);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (readers_gone(sem))
			break;
		lockevent_inc(percpu_drain);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(sem->writer, NULL);
}

static void up_write(struct percpu_rwsem_4_8 *sem, struct percpu_hold *hold)
{
	/* 1 */
	smp_store_release(&sem->readers_block, 0);
	/* 2 */
	percpu_inner_unlock(&lock_model_rwsem_4_8, &sem->rw_sem, hold);
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
	static const uint64_t shortcut = 1;
	struct percpu_rwsem_4_8 *sem = l;

	rcu_sync_init(&sem->rss);
	rcu_sync_set_gp(&sem->rss, values[0]);
	lock_model_rwsem_4_8.init(&sem->rw_sem, &shortcut);
	holders_init(&sem->holders);
}

static int percpu_lock(void *l, struct lock_req *req)
{
	struct percpu_rwsem_4_8 *sem = l;
	struct percpu_hold *hold = req->hold;
	int ret = 0;

	if (req->mode == LOCK_SHARED)
		ret = down_read(sem, hold, req->how & LOCK_TRY);
	else if (req->how & LOCK_TRY)
		ret = -EBUSY; /* writers cannot try */
	else
		down_write(sem, hold);
	if (!ret)
		holders_add(&sem->holders, &hold->holder, req->mode);
	return ret;
}

static void percpu_unlock(void *l, struct lock_req *req)
{
	struct percpu_hold *hold = req->hold;

	holders_del(&hold->holder);
	if (hold->holder.mode == LOCK_SHARED)
		up_read(l);
	else
		up_write(l, hold);
}

static void percpu_view(const void *l, struct lock_view *view)
{
	const struct percpu_rwsem_4_8 *sem = l;
	int sum = 0;

	percpu_inner_view(&sem->holders, sem->writer, &sem->rw_sem, view);
	for (unsigned int cpu = 0; cpu < PERCPU_COUNTERS; cpu++)
		sum += sem->read_count[cpu].n.counter;
	view->word = (uint32_t)sum;
	if (sem->readers_block)
		strcpy(view->flags, "BLOCK");
}

static const char *percpu_broken(const void *l)
{
	const struct percpu_rwsem_4_8 *sem = l;
	const char *broken = holders_broken(&sem->holders);

	if (!broken && holders_count(&sem->holders, LOCK_EXCLUSIVE) && !sem->readers_block)
		return "a writer owns the lock but readers are not blocked";
	return broken ? broken : xadd_broken(&sem->rw_sem);
}

LOCK_MODEL(percpu_rwsem_4_8) = {
	.abi = LOCK_MODEL_ABI,
	.name = "percpu-rwsem-4.8",
	.mirrors = "Linux 4.8 – 5.6 kernel/locking/percpu-rwsem.c",
	.summary = "readers count on their own CPU; those whom a writer keeps out wait in an rwsem",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.size = sizeof(struct percpu_rwsem_4_8),
	.hold_size = sizeof(struct percpu_hold),
	.params = params,
	.events = lockevent_names,
	.init = percpu_init,
	.lock = percpu_lock,
	.unlock = percpu_unlock,
	.view = percpu_view,
	.broken = percpu_broken,
};
