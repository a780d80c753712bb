/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers that spin on a running owner before they queue, 3.16 to 4.20: see rwsem_3_16.c.
 * All spinners queue in the OSQ; only its head looks at the owner and at the word.
 */
#include "models/rwsem_xadd.h"

enum {
	XADD_EVENTS(kw_lockevent_enum) XADD_RACE_EVENTS(kw_lockevent_enum) XADD_FLAG_EVENTS(kw_lockevent_enum)
	XADD_SPIN_EVENTS(kw_lockevent_enum)
};

static bool on_cpu(long owner)
{
	return owner_on_cpu((struct task_struct *)owner);
}

/* The releases differ in what they make of an owner word that names no writer. */
static bool may_spin(struct xadd_rwsem *sem)
{
	long owner;

	if (need_resched())
		return false;
	owner = READ_ONCE(sem->owner);
	if (owner & RWSEM_READER_OWNED)
		return false;
	if (owner)
		return on_cpu(owner);
	switch (sem->rules->spin) {
	case SPIN_NEVER:
	case SPIN_OWNED:
		return false; /* readers may own it */
	case SPIN_NEW_OWNER:
		return !(atomic_read(&sem->count) & RWSEM_ACTIVE_MASK);
	case SPIN_NOT_READERS:
		return true;
	}
	return false;
}

/* Is it worth going on now that the owner is no longer the one it was? */
static bool owner_changed(struct xadd_rwsem *sem, long owner)
{
	int count;

	switch (sem->rules->spin) {
	case SPIN_NEVER:
	case SPIN_OWNED:
		return !owner; /* another writer was faster: too many of us */
	case SPIN_NEW_OWNER:
		if (owner)
			return true;
		count = atomic_read(&sem->count);
		return count == 0 || count == RWSEM_WAITING_BIAS;
	case SPIN_NOT_READERS:
		return !(owner & RWSEM_READER_OWNED);
	}
	return false;
}

/* Step a. */
static bool spin_on_owner(struct xadd_rwsem *sem, long owner)
{
	long now;

	if (owner & RWSEM_READER_OWNED)
		return false;
	if (!owner)
		return true;
	spin_begin();
	while ((now = READ_ONCE(sem->owner)) == owner) {
		if (need_resched() || !on_cpu(owner))
			return false;
		spin_cpu_relax();
	}
	return owner_changed(sem, now);
}

/* Step b. */
static bool try_write_lock_unqueued(struct xadd_rwsem *sem)
{
	int count = atomic_read(&sem->count);

	while (count == 0 || count == RWSEM_WAITING_BIAS) {
		if (!atomic_try_cmpxchg(&sem->count, &count, count + RWSEM_WRITE_BIAS))
			continue;
		if (sem->rules->early_owner)
			WRITE_ONCE(sem->owner, (long)current);
		lockevent_inc(rwsem_opt_lock);
		lockevent_cond_inc(rwsem_wlock_steal, count);
		return true;
	}
	return false;
}

/* At the head of the OSQ. */
static bool spin_as_head(struct xadd_rwsem *sem)
{
	long owner;

	for (;;) {
		/* a */
		owner = READ_ONCE(sem->owner);
		if (!spin_on_owner(sem, owner))
			return false;
		/* b */
		if (try_write_lock_unqueued(sem))
			return true;
		/*
		 * c: somebody owns the lock and has not said so yet. A real-time task may have
		 * preempted it on this very CPU, and would wait for ever.
		 */
		if (!owner && (need_resched() || rt_task(current)))
			return false;
		/* d */
		cpu_relax();
	}
}

bool xadd_spin_write(struct xadd_rwsem *sem)
{
	bool taken = false;

	preempt_disable();
	if (!may_spin(sem)) {
		lockevent_inc(rwsem_opt_nospin);
		preempt_enable();
		return false;
	}
	if (osq_lock(&sem->osq)) {
		taken = spin_as_head(sem);
		osq_unlock(&sem->osq);
	}
	preempt_enable();
	lockevent_cond_inc(rwsem_opt_fail, !taken);
	return taken;
}
