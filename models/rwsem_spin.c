/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rwsem's owner word, and the writers that spin on it. All spinners queue in the OSQ;
 * only its head looks at the lock.
 */
#include "models/rwsem_private.h"

void rwsem_set_owner(struct rw_semaphore *sem)
{
	atomic_long_set(&sem->owner, (long)current);
}

void rwsem_clear_owner(struct rw_semaphore *sem)
{
	atomic_long_set(&sem->owner, 0);
}

void rwsem_set_reader_owned(struct rw_semaphore *sem, struct task_struct *reader)
{
	long nonspinnable = atomic_long_read(&sem->owner) & RWSEM_NONSPINNABLE;

	atomic_long_set(&sem->owner, (long)reader | RWSEM_READER_OWNED | nonspinnable);
}

void rwsem_set_nonspinnable(struct rw_semaphore *sem)
{
	long owner = atomic_long_read(&sem->owner);

	while ((owner & RWSEM_READER_OWNED) && !(owner & RWSEM_NONSPINNABLE) &&
	       !atomic_long_try_cmpxchg(&sem->owner, &owner, owner | RWSEM_NONSPINNABLE))
		;
}

void rwsem_clear_nonspinnable(struct rw_semaphore *sem)
{
	if (atomic_long_read(&sem->owner) & RWSEM_NONSPINNABLE)
		atomic_long_andnot(RWSEM_NONSPINNABLE, &sem->owner);
}

static struct task_struct *owner_task(long owner)
{
	return (struct task_struct *)(owner & ~RWSEM_OWNER_FLAGS);
}

static enum owner_state classify(long owner)
{
	if (owner & RWSEM_NONSPINNABLE)
		return OWNER_NONSPINNABLE;
	if (owner & RWSEM_READER_OWNED)
		return OWNER_READER;
	return owner ? OWNER_WRITER : OWNER_NULL;
}

/* Readers may sleep behind one's back, so only a writer is asked whether it runs. */
static bool can_spin(struct rw_semaphore *sem)
{
	bool ret;
	long owner;

	if (need_resched())
		return false;
	preempt_disable();
	owner = atomic_long_read(&sem->owner);
	ret = classify(owner) == OWNER_WRITER ? owner_on_cpu(owner_task(owner)) :
						classify(owner) != OWNER_NONSPINNABLE;
	preempt_enable();
	return ret;
}

enum owner_state rwsem_spin_on_owner(struct rw_semaphore *sem)
{
	long owner = atomic_long_read(&sem->owner), now;

	if (classify(owner) != OWNER_WRITER)
		return classify(owner);
	spin_begin();
	for (;;) {
		now = atomic_long_read(&sem->owner);
		if (now != owner)
			return classify(now);
		if (need_resched() || !owner_on_cpu(owner_task(owner)))
			return OWNER_NONSPINNABLE;
		spin_cpu_relax();
	}
}

/* HANDOFF keeps spinners out, WAITERS does not. */
static bool try_write_lock_unqueued(struct rw_semaphore *sem)
{
	long count = atomic_long_read(&sem->count);

	while (!(count & (RWSEM_LOCK_MASK | RWSEM_FLAG_HANDOFF))) {
		if (atomic_long_try_cmpxchg_acquire(&sem->count, &count, count | RWSEM_WRITER_LOCKED)) {
			rwsem_set_owner(sem);
			lockevent_inc(rwsem_opt_lock);
			return true;
		}
	}
	return false;
}

struct reader_spin { /* how long to wait for readers, of whom nobody knows whether they run */
	u64 threshold;
	unsigned int loop;
};

/* Another turn on a read-owned lock? 10 us plus half a microsecond per reader, 25 us at most. */
static bool spin_on_readers(struct rw_semaphore *sem, struct reader_spin *spin, bool entered)
{
	if (entered) {
		long readers;

		if (atomic_long_read(&sem->owner) & RWSEM_NONSPINNABLE)
			return false;
		readers = atomic_long_read(&sem->count) >> RWSEM_READER_SHIFT;
		spin->threshold = sched_clock() + (20 + min(readers, 30L)) * NSEC_PER_USEC / 2;
		spin->loop = 0;
		return true;
	}
	/* the clock is dear: look at it every 16th turn */
	if (++spin->loop % 16 || sched_clock() <= spin->threshold)
		return true;
	rwsem_set_nonspinnable(sem);
	lockevent_inc(rwsem_opt_nospin);
	return false;
}

/* At the head of the OSQ. */
static bool spin_as_head(struct rw_semaphore *sem)
{
	enum owner_state state, prev = OWNER_NULL;
	struct reader_spin spin = { 0 };

	for (;; prev = state) {
		/* a */
		state = rwsem_spin_on_owner(sem);
		/* b */
		if (state == OWNER_NONSPINNABLE)
			return false;
		if (try_write_lock_unqueued(sem))
			return true;
		/* c */
		if (state == OWNER_READER && !spin_on_readers(sem, &spin, prev != OWNER_READER))
			return false;
		/*
		 * d: nobody seen running. A real-time task may have preempted, on this very
		 * CPU, the one that is about to store its name; it gets one more turn after
		 * a writer, and no more.
		 */
		if (state != OWNER_WRITER) {
			if (need_resched())
				return false;
			if (rt_task(current) && prev != OWNER_WRITER)
				return false;
		}
		/* e */
		cpu_relax();
	}
}

bool rwsem_spin_write(struct rw_semaphore *sem)
{
	bool taken = false;

	if (!can_spin(sem)) {
		lockevent_inc(rwsem_opt_fail);
		return false;
	}
	preempt_disable();
	if (osq_lock(&sem->osq)) {
		taken = spin_as_head(sem);
		osq_unlock(&sem->osq);
	}
	preempt_enable();
	lockevent_cond_inc(rwsem_opt_fail, !taken);
	return taken;
}
