/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percpu-rwsem-3.8: the percpu rwsem with two grace periods for each writer.
 *
 *   fast_read_ctr[cpu]  readers that came here minus those that left here, without writers
 *   write_ctr           writers about: readers must take the slow path
 *   slow_read_ctr       readers inside that a writer has counted together, or slow ones
 *   rw_sem              an rwsem (2.6.36): writers, and readers while writers are about
 *
 * A writer announces itself, waits for a grace period, so that no reader is still about to
 * use the fast path, takes the rwsem, adds all fast counters up in the slow one and sleeps
 * until that is 0. Readers meanwhile go through the rwsem, just to count themselves. After
 * the release another grace period passes before the fast path opens again.
 *
 * Mirrors: Linux 3.8 lib/percpu-rwsem.c
 * Deviations:
 *  1. An expedited grace period takes `gp` (1 us at least), whatever the CPUs do.
 *  2. Counters of CPUs from 1024 on share those of the lower ones; counting is atomic.
 *  3. write_waitq is the one writer that can be in it: nobody takes the queue's lock.
 *
 * Read:   1. no writer: count on this CPU   2. rwsem for reading; count slowly
 * Write:  1. announce   2. grace period   3. rwsem   4. collect   5. until none is left
 */
#include "models/percpu_rwsem_inner.h"

extern const struct lock_model lock_model_rwsem_2_6_36;

struct percpu_rwsem_3_8 {
	atomic_t write_ctr, slow_read_ctr;
	struct xadd_rwsem rw_sem;
	struct task_struct *drainer; /* the one in write_waitq */

	/* the simulator's side */
	sim_time gp;
	struct list_head holders;

	struct {
		atomic_t n __cacheline_aligned;
	} fast_read_ctr[PERCPU_COUNTERS];
};

/* X(name): the rwsem's, then these */
#define RWSEM_2_6_36_EVENTS(X) XADD_EVENTS(X) X(rwsem_handoff_writer)
#define PERCPU_EVENTS(X)                                                                                     \
	X(percpu_read_slow) /* readers that found writers about */                                           \
	X(percpu_drain)	    /* writers that slept until readers had left */
#define ALL_EVENTS(X) RWSEM_2_6_36_EVENTS(X) PERCPU_EVENTS(X)
LOCKEVENTS(ALL_EVENTS)

static void grace_period(struct percpu_rwsem_3_8 *sem)
{
	struct kw_timeout timeout;

	kw_timeout_start(&timeout, sem->gp);
	while (!kw_timed_out(&timeout)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!kw_timed_out(&timeout))
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	kw_timeout_stop(&timeout);
}

/* True: no writer about; @n is added to this CPU's counter. */
static bool update_fast(struct percpu_rwsem_3_8 *sem, int n)
{
	bool fast;

	preempt_disable();
	fast = !atomic_read(&sem->write_ctr);
	if (fast)
		atomic_add(n, &sem->fast_read_ctr[smp_processor_id() % PERCPU_COUNTERS].n);
	preempt_enable();
	return fast;
}

static void down_read(struct percpu_rwsem_3_8 *sem, struct percpu_hold *hold)
{
	/* 1 */
	if (update_fast(sem, 1))
		return;
	/* 2 */
	lockevent_inc(percpu_read_slow);
	percpu_inner_lock(&lock_model_rwsem_2_6_36, &sem->rw_sem, LOCK_SHARED, hold);
	atomic_inc(&sem->slow_read_ctr);
	percpu_inner_unlock(&lock_model_rwsem_2_6_36, &sem->rw_sem, hold);
}

static void up_read(struct percpu_rwsem_3_8 *sem)
{
	struct task_struct *drainer;

	if (update_fast(sem, -1) || !atomic_dec_and_test(&sem->slow_read_ctr))
		return;
	drainer = READ_ONCE(sem->drainer);
	if (drainer)
		wake_up_process(drainer);
}

/* Step 4: takes what the CPUs have counted. */
static int clear_fast(struct percpu_rwsem_3_8 *sem)
{
	unsigned int n = min(num_possible_cpus(), (unsigned int)PERCPU_COUNTERS);
	int sum = 0;

	for (unsigned int cpu = 0; cpu < n; cpu++)
		sum += atomic_xchg(&sem->fast_read_ctr[cpu].n, 0);
	return sum;
}

static void down_write(struct percpu_rwsem_3_8 *sem, struct percpu_hold *hold)
{
	/* 1 */
	atomic_inc(&sem->write_ctr);
	/* 2 */
	grace_period(sem);
	/* 3 */
	percpu_inner_lock(&lock_model_rwsem_2_6_36, &sem->rw_sem, LOCK_EXCLUSIVE, hold);
	/* 4 */
	atomic_add(clear_fast(sem), &sem->slow_read_ctr);
	/* 5 */
	WRITE_ONCE(sem->drainer, current);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!atomic_read(&sem->slow_read_ctr))
			break;
		lockevent_inc(percpu_drain);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(sem->drainer, NULL);
}

static void up_write(struct percpu_rwsem_3_8 *sem, struct percpu_hold *hold)
{
	percpu_inner_unlock(&lock_model_rwsem_2_6_36, &sem->rw_sem, hold);
	grace_period(sem);
	atomic_dec(&sem->write_ctr);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "gp", LOCK_PARAM_TIME, 50 * SIM_US, "an expedited RCU-sched grace period" },
	{ NULL },
};

static void percpu_init(void *l, const uint64_t *values)
{
	struct percpu_rwsem_3_8 *sem = l;

	lock_model_rwsem_2_6_36.init(&sem->rw_sem, NULL);
	holders_init(&sem->holders);
	sem->gp = max(values[0], (uint64_t)SIM_US);
}

static int percpu_lock(void *l, struct lock_req *req)
{
	struct percpu_rwsem_3_8 *sem = l;
	struct percpu_hold *hold = req->hold;

	if (req->mode == LOCK_SHARED)
		down_read(sem, hold);
	else
		down_write(sem, hold);
	holders_add(&sem->holders, &hold->holder, req->mode);
	return 0;
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
	const struct percpu_rwsem_3_8 *sem = l;
	int sum = sem->slow_read_ctr.counter;

	percpu_inner_view(&sem->holders, sem->drainer, &sem->rw_sem, view);
	for (unsigned int cpu = 0; cpu < PERCPU_COUNTERS; cpu++)
		sum += sem->fast_read_ctr[cpu].n.counter;
	view->word = (uint32_t)sum;
	if (sem->write_ctr.counter)
		strcpy(view->flags, "WRITERS");
}

static const char *percpu_broken(const void *l)
{
	const struct percpu_rwsem_3_8 *sem = l;
	const char *broken = holders_broken(&sem->holders);

	return broken ? broken : xadd_broken(&sem->rw_sem);
}

LOCK_MODEL(percpu_rwsem_3_8) = {
	.abi = LOCK_MODEL_ABI,
	.name = "percpu-rwsem-3.8",
	.mirrors = "Linux 3.8 lib/percpu-rwsem.c",
	.summary = "readers count on their own CPU; each writer waits for two grace periods",
	.caps = LOCK_CAP_SHARED,
	.size = sizeof(struct percpu_rwsem_3_8),
	.hold_size = sizeof(struct percpu_hold),
	.params = params,
	.events = lockevent_names,
	.init = percpu_init,
	.lock = percpu_lock,
	.unlock = percpu_unlock,
	.view = percpu_view,
	.broken = percpu_broken,
};
