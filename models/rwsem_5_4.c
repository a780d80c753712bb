/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-5.4: the rewritten rwsem as it was from 5.4 to 5.10, whose readers spin.
 *
 *   count   0 writer  1 WAITERS  2 HANDOFF  8… readers, owning or trying  63 too many
 *   owner   0 READER_OWNED  1 RD_NONSPINNABLE  2 WR_NONSPINNABLE  the rest: a task
 *   osq     readers and writers that spin; wait_list: readers and writers that sleep, FIFO
 *
 * The words and the phase-fair grants are those of rwsem (6.1). It differs in who passes
 * the queue: readers spin as writers do, in the same OSQ, while a writer owns the lock and
 * runs, and then join whatever readers own it. Writers spin on readers for 10–25 us; one
 * that gives up forbids spinning on these readers to both kinds. The ban for writers ends
 * with the last reader, the ban for readers is handed on through queued readers and by
 * writers that had to queue because of it, until a writer comes that had not. A first
 * waiter asks for the hand-off only when it is woken, so that readers that spin and
 * overlap keep a writer out for good: why this was removed again in 5.11.
 *
 * A reader on its way to spin is in the count for a moment, and then leaves it without
 * waking anybody. If the last reader unlocks in that moment and HANDOFF is set, nobody is
 * woken, and the reader spins in vain until a reschedule is due: on a machine with nothing
 * else to do, for ever.
 *
 * Nor is the hand-off a promise: a late waiter that wakes to a free lock and is then beaten sleeps without asking, each
 * time; so the hand-off oracle does not watch.
 *
 * The series "Rework reader optimistic spinning" of November 2020, patch by patch: `guard`
 * a reader that finds other readers inside queues; `steal` one that finds neither writer
 * nor HANDOFF takes the lock, the first one lets in others; `wake_all` also past a writer
 * at the head of the queue, for good then: this patch, the fourth, was in what was
 * measured, and was not merged; `reader_spin off` readers do not spin, and steal even if
 * writers do.
 *
 * Mirrors: Linux 5.4 kernel/locking/rwsem.c, and that series as posted
 * Deviations:
 *  1. No debug checks, no tracepoints but contention, no nested or non-owner variants.
 *  2. No virtual CPUs, so spinning does not end because of a preempted one.
 *  3. The hand-off time is a parameter; the kernel fixes it at 4 ms, rounded up to jiffies.
 *  4. The spin of a handed-to writer on the owner (91d2a812dfb9) is that of the fix 39e7234f00bc.
 */
#include "models/rwsem_5_4.h"

static int down_read(struct rwsem_5_4 *sem, unsigned int state)
{
	long count = atomic_long_add_return_acquire(RWSEM_READER_BIAS, &sem->count);

	if (count & RWSEM_READ_FAILED_MASK)
		return rwsem_5_4_down_read_slow(sem, count, state);
	rwsem_5_4_set_reader_owned(sem, (long)current);
	return 0;
}

static bool down_read_trylock(struct rwsem_5_4 *sem)
{
	long count = 0; /* free, most likely */

	do {
		if (!atomic_long_try_cmpxchg_acquire(&sem->count, &count, count + RWSEM_READER_BIAS))
			continue;
		rwsem_5_4_set_reader_owned(sem, (long)current);
		return true;
	} while (!(count & RWSEM_READ_FAILED_MASK));
	return false;
}

/* Also the trylock. */
static bool write_fast(struct rwsem_5_4 *sem)
{
	long free = 0;

	if (!atomic_long_try_cmpxchg_acquire(&sem->count, &free, RWSEM_WRITER_LOCKED))
		return false;
	atomic_long_set(&sem->owner, (long)current);
	return true;
}

static void up_read(struct rwsem_5_4 *sem)
{
	long count = atomic_long_add_return_release(-RWSEM_READER_BIAS, &sem->count);

	if ((count & (RWSEM_LOCK_MASK | RWSEM_FLAG_WAITERS)) == RWSEM_FLAG_WAITERS) {
		rwsem_5_4_clear_wr_nonspinnable(sem);
		rwsem_5_4_wake(sem, RWSEM_WAKE_ANY);
	}
}

static void up_write(struct rwsem_5_4 *sem)
{
	long count;

	atomic_long_set(&sem->owner, 0);
	count = atomic_long_fetch_add_release(-RWSEM_WRITER_LOCKED, &sem->count);
	model_step("rwsem_wake");
	if (count & RWSEM_FLAG_WAITERS)
		rwsem_5_4_wake(sem, RWSEM_WAKE_ANY);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "handoff", LOCK_PARAM_TIME, 4 * SIM_MS, "wait after which a hand-off is asked for; whole jiffies" },
	{ "guard", LOCK_PARAM_FLAG, 0, "readers that others keep waiting for get no more of them: 2f06f702925b" },
	{ "steal", LOCK_PARAM_FLAG, 0, "a reader takes a lock free of writers at once: 1a728dff855a" },
	{ "wake_all", LOCK_PARAM_FLAG, 0, "… and lets in all readers, past a writer at the head: 4/5, not merged" },
	{ "reader_spin", LOCK_PARAM_FLAG, 1, "off: 617f3ef95177" },
	{ NULL },
};

static void rwsem_5_4_init(void *l, const uint64_t *values)
{
	struct rwsem_5_4 *sem = l;
	sim_time jiffy = SIM_S / HZ;

	osq_lock_init(&sem->osq);
	raw_spin_lock_init(&sem->wait_lock);
	INIT_LIST_HEAD(&sem->wait_list);
	holders_init(&sem->holders);
	sem->wait_timeout = DIV_ROUND_UP(values[0], jiffy);
	sem->guard = values[1];
	sem->steal = values[2];
	sem->wake_all = values[3];
	sem->no_reader_spin = !values[4];
}

static unsigned int sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

static int take(struct rwsem_5_4 *sem, const struct lock_req *req)
{
	if (req->mode == LOCK_SHARED) {
		if (req->how & LOCK_TRY)
			return down_read_trylock(sem) ? 0 : -EBUSY;
		return down_read(sem, sleep_state(req));
	}
	if (write_fast(sem))
		return 0;
	return req->how & LOCK_TRY ? -EBUSY : rwsem_5_4_down_write_slow(sem, sleep_state(req));
}

static int rwsem_5_4_lock(void *l, struct lock_req *req)
{
	struct rwsem_5_4 *sem = l;
	int ret = take(sem, req);

	if (!ret)
		holders_add(&sem->holders, req->hold, req->mode);
	return ret;
}

static void rwsem_5_4_unlock(void *l, struct lock_req *req)
{
	struct holder *h = req->hold;

	holders_del(h);
	if (h->mode == LOCK_SHARED)
		up_read(l);
	else
		up_write(l);
}

static void rwsem_5_4_downgrade(void *l, struct lock_req *req)
{
	struct rwsem_5_4 *sem = l;
	long count;

	holders_del(req->hold);
	count = atomic_long_fetch_add_release(RWSEM_READER_BIAS - RWSEM_WRITER_LOCKED, &sem->count);
	rwsem_5_4_set_reader_owned(sem, (long)current);
	if (count & RWSEM_FLAG_WAITERS)
		rwsem_5_4_wake(sem, RWSEM_WAKE_READ_OWNED);
	holders_add(&sem->holders, req->hold, LOCK_SHARED);
}

static void rwsem_5_4_view(const void *l, struct lock_view *view)
{
	static const char *const names[] = { "WAITERS", "HANDOFF", "RD_NONSPIN", "WR_NONSPIN", NULL };
	const struct rwsem_5_4 *sem = l;
	const struct rwsem_waiter *waiter;
	unsigned long flags = (unsigned long)sem->count.counter >> 1 & 3;

	flags |= ((unsigned long)sem->owner.counter & RWSEM_NONSPINNABLE) << 1;
	holders_view(&sem->holders, view);
	list_for_each_entry(waiter, &sem->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
	view->word = (uint64_t)sem->count.counter;
	kw_flags(view->flags, sizeof(view->flags), flags, names);
}

static const char *rwsem_5_4_broken(const void *l)
{
	const struct rwsem_5_4 *sem = l;
	long count = sem->count.counter;
	bool waiters = !holders_list_empty(&sem->wait_list);
	const char *broken = holders_broken(&sem->holders);

	if (broken)
		return broken;
	if (holders_count(&sem->holders, LOCK_EXCLUSIVE) && !(count & RWSEM_WRITER_LOCKED))
		return "a writer owns the lock but its bit is clear";
	if (holders_count(&sem->holders, LOCK_SHARED) > count >> RWSEM_READER_SHIFT)
		return "more readers than the count knows";
	if (!sem->wait_lock.owner && waiters != !!(count & RWSEM_FLAG_WAITERS))
		return "WAITERS does not say whether somebody waits";
	if (!sem->wait_lock.owner && (count & RWSEM_FLAG_HANDOFF) && !waiters)
		return "HANDOFF to nobody";
	return NULL;
}

LOCK_MODEL(rwsem_5_4) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rwsem-5.4",
	.mirrors = "Linux 5.4 – 5.10 kernel/locking/rwsem.c",
	.summary = "sleeping reader-writer lock: readers and writers spin, hand-off after 4 ms",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.size = sizeof(struct rwsem_5_4),
	.hold_size = sizeof(struct holder),
	.params = params,
	.events = lockevent_names,
	.init = rwsem_5_4_init,
	.lock = rwsem_5_4_lock,
	.unlock = rwsem_5_4_unlock,
	.downgrade = rwsem_5_4_downgrade,
	.view = rwsem_5_4_view,
	.broken = rwsem_5_4_broken,
};
