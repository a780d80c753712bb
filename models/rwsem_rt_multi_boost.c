/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rwsem-rt-multi-2008: the records of readers, and the priority that each of them is lent. */
#include "models/rwsem_rt_multi.h"

bool rwm_reads(const struct rw_mutex *rwm, const struct task_struct *task)
{
	const struct rw_record *rec;

	list_for_each_entry(rec, &rwm->readers, list)
		if (rec->task == task)
			return true;
	return false;
}

/* Under the reader's pi_lock. True: its priority is no longer what it should be. */
static bool lend(struct rw_mutex *rwm, struct rw_record *rec)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(&rwm->mutex), *proxy = &rec->proxy;
	struct task_struct *donor = top ? top->task : NULL;

	if (proxy->task == donor && (!top || proxy->pi_tree.prio == top->tree.prio))
		return false;
	rt_mutex_dequeue_pi(rec->task, proxy);
	proxy->task = donor;
	if (!top)
		return true;
	proxy->tree.prio = top->tree.prio;
	proxy->tree.deadline = top->tree.deadline;
	waiter_clone_prio(proxy);
	rt_mutex_enqueue_pi(rec->task, proxy);
	return true;
}

void rwm_link_reader(struct rw_mutex *rwm, struct rw_record *rec)
{
	if (!rwm_reads(rwm, rec->task))
		rwm->owners++;
	rt_mutex_init_waiter(&rec->proxy, TASK_NORMAL);
	rec->proxy.lock = &rwm->mutex;
	list_add_tail(&rec->list, &rwm->readers);
	raw_spin_lock(&rec->task->pi_lock);
	lend(rwm, rec);
	raw_spin_unlock(&rec->task->pi_lock);
}

void rwm_unlink_reader(struct rw_mutex *rwm, struct rw_record *rec)
{
	list_del(&rec->list);
	if (!rwm_reads(rwm, rec->task))
		rwm->owners--;
	rt_mutex_take_back(rec->task, &rec->proxy);
}

static struct rw_record *next_to_walk(struct rw_mutex *rwm)
{
	struct rw_record *rec;

	list_for_each_entry(rec, &rwm->readers, list)
		if (rec->walk)
			return rec;
	return NULL;
}

void rwm_adjust_readers(struct rw_mutex *rwm)
{
	struct rt_mutex_base *next_lock;
	struct task_struct *task;
	bool blocked;
	struct rw_record *rec;

	list_for_each_entry(rec, &rwm->readers, list) {
		raw_spin_lock(&rec->task->pi_lock);
		if (lend(rwm, rec)) {
			lockevent_inc(rwpi_boost);
			rt_mutex_adjust_prio(rec->task);
			rec->walk = rec->task->pi_blocked_on;
		}
		raw_spin_unlock(&rec->task->pi_lock);
	}
	while ((rec = next_to_walk(rwm))) {
		rec->walk = false;
		task = rec->task;
		raw_spin_lock(&task->pi_lock);
		next_lock = task_blocked_on_lock(task);
		blocked = task->pi_blocked_on;
		raw_spin_unlock(&task->pi_lock);
		if (!blocked)
			continue;
		raw_spin_unlock_irq(&rwm->mutex.wait_lock);
		rt_mutex_adjust_prio_chain(task, RT_MUTEX_MIN_CHAINWALK, NULL, next_lock, NULL, task,
					   rwm->mutex.max_lock_depth);
		raw_spin_lock_irq(&rwm->mutex.wait_lock);
	}
}
