/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner word of the rwsem of 5.4, and those who spin on it: writers and readers, in one
 * OSQ. See rwsem_5_4.c.
 */
#include "models/rwsem_5_4.h"

void rwsem_5_4_set_reader_owned(struct rwsem_5_4 *sem, long reader)
{
	long keep = atomic_long_read(&sem->owner) & RWSEM_RD_NONSPINNABLE;

	atomic_long_set(&sem->owner, reader | RWSEM_READER_OWNED | keep);
}

/* Nobody may spin on these readers, nor on the next ones; only while the lock is read-owned. */
static void set_nonspinnable(struct rwsem_5_4 *sem)
{
	long owner = atomic_long_read(&sem->owner);

	while ((owner & RWSEM_READER_OWNED) && (owner & RWSEM_NONSPINNABLE) != RWSEM_NONSPINNABLE &&
	       !atomic_long_try_cmpxchg(&sem->owner, &owner, owner | RWSEM_NONSPINNABLE))
		;
}

void rwsem_5_4_clear_wr_nonspinnable(struct rwsem_5_4 *sem)
{
	if (atomic_long_read(&sem->owner) & RWSEM_WR_NONSPINNABLE)
		atomic_long_andnot(RWSEM_WR_NONSPINNABLE, &sem->owner);
}

static struct task_struct *owner_task(long owner)
{
	return (struct task_struct *)(owner & ~RWSEM_OWNER_FLAGS);
}

static enum owner_state classify(long owner, long flags)
{
	if (owner & flags)
		return OWNER_NONSPINNABLE;
	if (owner & RWSEM_READER_OWNED)
		return OWNER_READER;
	return owner_task(owner) ? OWNER_WRITER : OWNER_NULL;
}

static long flag_of(enum lock_mode mode)
{
	return mode == LOCK_SHARED ? RWSEM_RD_NONSPINNABLE : RWSEM_WR_NONSPINNABLE;
}

bool rwsem_5_4_can_spin(struct rwsem_5_4 *sem, enum lock_mode mode)
{
	bool ret = !need_resched();
	long owner;

	if (ret) {
		preempt_disable();
		owner = atomic_long_read(&sem->owner);
		ret = !(owner & flag_of(mode)) &&
		      ((owner & RWSEM_READER_OWNED) || !owner_task(owner) || owner_on_cpu(owner_task(owner)));
		preempt_enable();
	}
	lockevent_cond_inc(rwsem_opt_nospin, !ret);
	return ret;
}

enum owner_state rwsem_5_4_spin_on_owner(struct rwsem_5_4 *sem, long flags)
{
	long owner = atomic_long_read(&sem->owner), now;

	if (classify(owner, flags) != OWNER_WRITER)
		return classify(owner, flags);
	spin_begin();
	for (;;) {
		now = atomic_long_read(&sem->owner);
		if (now != owner)
			return classify(now, flags);
		if (need_resched() || !owner_on_cpu(owner_task(owner)))
			return OWNER_NONSPINNABLE;
		spin_cpu_relax();
	}
}

static bool try_write_unqueued(struct rwsem_5_4 *sem)
{
	long count = atomic_long_read(&sem->count);

	while (!(count & (RWSEM_LOCK_MASK | RWSEM_FLAG_HANDOFF))) {
		if (atomic_long_try_cmpxchg_acquire(&sem->count, &count, count | RWSEM_WRITER_LOCKED)) {
			atomic_long_set(&sem->owner, (long)current);
			lockevent_inc(rwsem_opt_wlock);
			return true;
		}
	}
	return false;
}

bool rwsem_5_4_try_read_unqueued(struct rwsem_5_4 *sem)
{
	long count = atomic_long_read(&sem->count);

	if (count & (RWSEM_WRITER_LOCKED | RWSEM_FLAG_HANDOFF))
		return false;
	count = atomic_long_fetch_add_acquire(RWSEM_READER_BIAS, &sem->count);
	if (!(count & (RWSEM_WRITER_LOCKED | RWSEM_FLAG_HANDOFF))) {
		rwsem_5_4_set_reader_owned(sem, (long)current);
		return true;
	}
	atomic_long_add(-RWSEM_READER_BIAS, &sem->count);
	return false;
}

struct reader_spin { /* how long to wait for readers, of whom nobody knows whether they run */
	u64 threshold;
	unsigned int loop;
};

/* Step c. 10 us plus half a microsecond per reader, 25 us at most; the clock every 16th turn. */
static bool spin_on_readers(struct rwsem_5_4 *sem, struct reader_spin *spin, bool entered)
{
	if (entered) {
		long readers;

		if (atomic_long_read(&sem->owner) & RWSEM_WR_NONSPINNABLE)
			return false;
		readers = atomic_long_read(&sem->count) >> RWSEM_READER_SHIFT;
		spin->threshold = sched_clock() + (20 + min(readers, 30L)) * NSEC_PER_USEC / 2;
		spin->loop = 0;
		return true;
	}
	if (++spin->loop % 16 || sched_clock() <= spin->threshold)
		return true;
	set_nonspinnable(sem);
	lockevent_inc(rwsem_opt_nospin);
	return false;
}

/* At the head of the OSQ. */
static bool spin_as_head(struct rwsem_5_4 *sem, enum lock_mode mode)
{
	enum owner_state state, prev = OWNER_NULL;
	struct reader_spin spin = { 0 };

	for (;; prev = state) {
		/* a */
		state = rwsem_5_4_spin_on_owner(sem, flag_of(mode));
		/* b */
		if (state == OWNER_NONSPINNABLE)
			return false;
		if (mode == LOCK_SHARED ? rwsem_5_4_try_read_unqueued(sem) : try_write_unqueued(sem))
			return true;
		/* c */
		if (mode == LOCK_EXCLUSIVE && state == OWNER_READER &&
		    !spin_on_readers(sem, &spin, prev != OWNER_READER))
			return false;
		/* d: a real-time task may keep the owner-to-be from running; one more turn after a writer */
		if (state != OWNER_WRITER && (need_resched() || (rt_task(current) && prev != OWNER_WRITER)))
			return false;
		/* e */
		cpu_relax();
	}
}

bool rwsem_5_4_spin(struct rwsem_5_4 *sem, enum lock_mode mode)
{
	bool taken = false;

	preempt_disable();
	if (osq_lock(&sem->osq)) {
		taken = spin_as_head(sem, mode);
		osq_unlock(&sem->osq);
	}
	preempt_enable();
	lockevent_cond_inc(rwsem_opt_rlock, taken && mode == LOCK_SHARED);
	lockevent_cond_inc(rwsem_opt_fail, !taken);
	return taken;
}
