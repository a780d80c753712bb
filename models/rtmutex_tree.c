/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trees of the rt_mutex family. A waiter is queued in up to two: by waiter.tree in
 * the lock's waiters, and, while it is the lock's top waiter, by waiter.pi_tree in the
 * owner's pi_waiters. Each node keeps its own copy of the sort key. The copies are made
 * at definite moments only, so they may differ: a waiter that was requeued while it was
 * not the top keeps an old key in pi_tree and enters pi_waiters with it later.
 */
#include "models/rtmutex_private.h"

#define __node_2_waiter(node) rb_entry((node), struct rt_mutex_waiter, tree.entry)
#define __node_2_pi_waiter(node) rb_entry((node), struct rt_mutex_waiter, pi_tree.entry)

void rt_mutex_init_waiter(struct rt_mutex_waiter *waiter, unsigned int wake_state)
{
	memset(waiter, 0, sizeof(*waiter));
	RB_CLEAR_NODE(&waiter->tree.entry);
	RB_CLEAR_NODE(&waiter->pi_tree.entry);
	waiter->wake_state = wake_state;
}

struct rt_mutex_waiter *rt_mutex_top_waiter(const struct rt_mutex_base *lock)
{
	struct rb_node *leftmost = rb_first_cached(&lock->waiters);

	return leftmost ? __node_2_waiter(leftmost) : NULL;
}

struct rt_mutex_waiter *task_top_pi_waiter(const struct task_struct *task)
{
	struct rb_node *leftmost = rb_first_cached(&task->pi_waiters);

	return leftmost ? __node_2_pi_waiter(leftmost) : NULL;
}

/* Niceness does not count: all fair tasks are equal. */
void rt_mutex_task_key(struct rt_waiter_node *key, const struct task_struct *task)
{
	key->prio = rt_prio(task->prio) ? task->prio : DEFAULT_PRIO;
	key->deadline = task->dl_deadline;
}

void waiter_update_prio(struct rt_mutex_waiter *waiter, struct task_struct *task)
{
	rt_mutex_task_key(&waiter->tree, task);
}

void waiter_clone_prio(struct rt_mutex_waiter *waiter)
{
	waiter->pi_tree.prio = waiter->tree.prio;
	waiter->pi_tree.deadline = waiter->tree.deadline;
}

static bool key_less(const struct rt_waiter_node *a, const struct rt_waiter_node *b)
{
	if (a->prio != b->prio)
		return a->prio < b->prio;
	return dl_prio(a->prio) && a->deadline < b->deadline;
}

static bool key_equal(const struct rt_waiter_node *a, const struct rt_waiter_node *b)
{
	return a->prio == b->prio && (!dl_prio(a->prio) || a->deadline == b->deadline);
}

bool waiter_prio_equals(const struct rt_mutex_waiter *waiter, const struct task_struct *task)
{
	struct rt_waiter_node key;

	rt_mutex_task_key(&key, task);
	return key_equal(&waiter->tree, &key);
}

/* Lateral steal: an equal that is neither RT nor deadline may pass, in the spinlock flavour. */
bool rt_mutex_steal(const struct rt_mutex_base *lock, const struct rt_waiter_node *thief,
		    const struct rt_mutex_waiter *top)
{
	if (key_less(thief, &top->tree))
		return true;
	if (!lock->lateral || rt_prio(thief->prio))
		return false;
	return key_equal(thief, &top->tree);
}

static bool tree_less(struct rb_node *a, const struct rb_node *b)
{
	return key_less(rb_entry(a, struct rt_waiter_node, entry), rb_entry(b, struct rt_waiter_node, entry));
}

static void tree_erase(struct rt_waiter_node *node, struct rb_root_cached *root)
{
	if (RB_EMPTY_NODE(&node->entry))
		return;
	rb_erase_cached(&node->entry, root);
	RB_CLEAR_NODE(&node->entry);
}

/* The one thing about the tree that is read without wait_lock, so its change is a marked store. */
static void publish_top(struct rt_mutex_base *lock)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(lock);

	if (lock->top != top)
		POKE(lock->top, top);
}

void rt_mutex_enqueue(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter)
{
	lockdep_assert_held(&lock->wait_lock);
	rb_add_cached(&waiter->tree.entry, &lock->waiters, tree_less);
	publish_top(lock);
}

void rt_mutex_dequeue(struct rt_mutex_base *lock, struct rt_mutex_waiter *waiter)
{
	lockdep_assert_held(&lock->wait_lock);
	tree_erase(&waiter->tree, &lock->waiters);
	publish_top(lock);
}

void rt_mutex_enqueue_pi(struct task_struct *task, struct rt_mutex_waiter *waiter)
{
	lockdep_assert_held(&task->pi_lock);
	rb_add_cached(&waiter->pi_tree.entry, &task->pi_waiters, tree_less);
}

void rt_mutex_dequeue_pi(struct task_struct *task, struct rt_mutex_waiter *waiter)
{
	lockdep_assert_held(&task->pi_lock);
	tree_erase(&waiter->pi_tree, &task->pi_waiters);
}

/* -- what can be seen from outside -------------------------------------------------------- */

void rt_mutex_view(const struct rt_mutex_base *lock, struct lock_view *view)
{
	unsigned long word = (unsigned long)lock->owner;
	const struct task_struct *owner = (const struct task_struct *)(word & ~RT_MUTEX_HAS_WAITERS);
	struct rb_node *node;

	if (owner)
		lock_view_owner(view, owner, LOCK_EXCLUSIVE);
	for (node = rb_first_cached(&lock->waiters); node; node = rb_next(node))
		lock_view_waiter(view, __node_2_waiter(node)->task, LOCK_EXCLUSIVE);
	view->word = (owner ? (uint64_t)owner->pid << 1 : 0) | (word & RT_MUTEX_HAS_WAITERS);
	if (word & RT_MUTEX_HAS_WAITERS)
		strcpy(view->flags, "HAS_WAITERS");
}

/* Is exactly the top waiter of @lock queued in the pi_waiters of its owner? */
static const char *pi_waiters_broken(const struct rt_mutex_base *lock, const struct task_struct *owner)
{
	const struct rt_mutex_waiter *top = rt_mutex_top_waiter(lock), *last = NULL;
	unsigned int mine = 0;
	struct rb_node *node;

	for (node = rb_first_cached(&owner->pi_waiters); node; node = rb_next(node)) {
		const struct rt_mutex_waiter *w = __node_2_pi_waiter(node);

		if (last && key_less(&w->pi_tree, &last->pi_tree))
			return "pi_waiters of the owner are out of order";
		last = w;
		if (w->lock != lock)
			continue;
		mine++;
		if (w != top)
			return "a waiter that is not the top is in the owner's pi_waiters";
	}
	return mine == (top ? 1 : 0) ? NULL : "the top waiter is not in the owner's pi_waiters";
}

/* Only meaningful while nobody is inside wait_lock; bit 0 without waiters is a legal transient. */
const char *rt_mutex_broken(const struct rt_mutex_base *lock)
{
	unsigned long word = (unsigned long)lock->owner;
	const struct task_struct *owner = (const struct task_struct *)(word & ~RT_MUTEX_HAS_WAITERS);
	const struct rt_mutex_waiter *last = NULL;
	struct rb_node *node;

	if (lock->wait_lock.owner)
		return NULL;
	if (rt_mutex_has_waiters(lock) && !(word & RT_MUTEX_HAS_WAITERS))
		return "waiters are queued but HAS_WAITERS is clear";
	if (rb_first_cached(&lock->waiters) != rb_first(&lock->waiters.rb_root) ||
	    lock->top != rt_mutex_top_waiter(lock))
		return "the cached top waiter is not the leftmost";
	for (node = rb_first_cached(&lock->waiters); node; node = rb_next(node)) {
		const struct rt_mutex_waiter *w = __node_2_waiter(node);

		if (last && key_less(&w->tree, &last->tree))
			return "waiters are out of order";
		if (w->lock != lock || w->task->pi_blocked_on != w)
			return "a queued waiter is not what its task is blocked on";
		last = w;
	}
	return owner ? pi_waiters_broken(lock, owner) : NULL;
}
