/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be seen of the rt_mutex that all locks of PREEMPT_RT are made of; below a glue file's TREE_FILE(). */
#ifndef MODELS_KERNEL_GLUE_RTMUTEX_VIEW_H
#define MODELS_KERNEL_GLUE_RTMUTEX_VIEW_H

#ifdef TREE_HAS_RT_WAITER_NODE
#define rtmutex_entry(node) rb_entry(node, struct rt_mutex_waiter, tree.entry)
#else
#define rtmutex_entry(node) rb_entry(node, struct rt_mutex_waiter, tree_entry)
#endif

extern void rt_mutex_adjust_pi(struct task_struct *p); /* rtmutex_api.c */

static inline struct task_struct *rtmutex_owner_of(const struct rt_mutex_base *lock)
{
	return (struct task_struct *)((unsigned long)lock->owner & ~RT_MUTEX_HAS_WAITERS);
}

static inline void rtmutex_view_waiters(const struct rt_mutex_base *lock, struct lock_view *view)
{
	for (struct rb_node *node = lock->waiters.rb_leftmost; node; node = rb_next(node))
		lock_view_waiter(view, rtmutex_entry(node)->task, LOCK_EXCLUSIVE);
}

static inline void rtmutex_view_base(const struct rt_mutex_base *lock, struct lock_view *view)
{
	const struct task_struct *owner = rtmutex_owner_of(lock);

	if (owner)
		lock_view_owner(view, owner, LOCK_EXCLUSIVE);
	rtmutex_view_waiters(lock, view);
	view->word = (unsigned long)lock->owner & RT_MUTEX_HAS_WAITERS;
	if (view->word)
		strcpy(view->flags, "HAS_WAITERS");
	if (owner) /* an address means nothing to a reader */
		view->word |= (uint64_t)owner->pid << 1;
}

static inline const char *rtmutex_broken_base(const struct rt_mutex_base *lock)
{
	const struct task_struct *owner = rtmutex_owner_of(lock);
	const struct rb_node *node;

	if (lock->wait_lock.owner || (owner && owner->pi_lock.owner))
		return NULL; /* in the middle of a change */
	if (lock->waiters.rb_leftmost && !((unsigned long)lock->owner & RT_MUTEX_HAS_WAITERS))
		return "tasks are queued, but the owner word does not say so";
	for (node = lock->waiters.rb_leftmost; node; node = rb_next(node))
		if (rtmutex_entry(node)->lock != lock)
			return "a waiter in the tree waits for another lock";
	return NULL;
}

#ifdef READER_BIAS /* of the tree's rwbase_rt.h */
#ifdef TREE_RWBASE_READERS_PASS
#define RWSEM_TWIN "rwbase-5.15"
#define RWLOCK_TWIN "rtrwlock"
#else
#define RWSEM_TWIN "rwbase-6.4"
#define RWLOCK_TWIN "rtrwlock-6.4"
#endif

/* An rwbase: the writer that owns the rt_mutex and waits for the readers inside, and those that queue for it. */
static inline void rtmutex_view_rwbase(const struct rwbase_rt *rwb, struct lock_view *view)
{
	int readers = rwb->readers.counter;

	if (readers >= 0 && readers != WRITER_BIAS && rtmutex_owner_of(&rwb->rtmutex))
		lock_view_waiter(view, rtmutex_owner_of(&rwb->rtmutex), LOCK_EXCLUSIVE);
	rtmutex_view_waiters(&rwb->rtmutex, view);
	view->word = (uint32_t)readers;
}

/* With the simulator's own list of holders. */
static inline const char *rtmutex_broken_rwbase(const struct rwbase_rt *rwb, const struct kw_holders *holders)
{
	unsigned int inside = (unsigned int)rwb->readers.counter & ~(unsigned int)READER_BIAS;
	unsigned int readers = 0, writers = 0;

	for (const struct kw_hold *hold = holders->first; hold; hold = hold->next) {
		readers += hold->mode == LOCK_SHARED;
		writers += hold->mode == LOCK_EXCLUSIVE;
	}
	if (writers > 1 || (writers && readers))
		return "a writer is not alone";
	if (writers && inside != WRITER_BIAS)
		return "a writer owns the lock but the word does not say so";
	if (readers > inside)
		return "more readers than the word knows";
	return rtmutex_broken_base(&rwb->rtmutex);
}
#endif

#endif
