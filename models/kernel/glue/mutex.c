// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's mutex.c as a lock; without PREEMPT_RT. Its ww_mutex is made of the same file: glue/ww.h. */
#include TREE_FILE(mutex.c)

#include "models/kernel/glue.h"

#ifdef TREE_MUTEX_FIRST_WAITER
#define kw_for_each_waiter kw_for_each_ring
#define kw_has_waiters(lock) ((lock)->first_waiter != NULL)
#else
#define kw_for_each_waiter kw_for_each_headed
#define kw_has_waiters(lock) ((lock)->wait_list.next != &(lock)->wait_list)
#endif

static void mutex_lock_init(void *l, const uint64_t *params)
{
	static struct lock_class_key key;

	__mutex_init(l, "mutex", &key);
}

static int mutex_lock_lock(void *l, struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return mutex_trylock(l) ? 0 : -EBUSY;
	if (req->how & LOCK_KILLABLE)
		return mutex_lock_killable(l);
	if (req->how & LOCK_INTERRUPTIBLE)
		return mutex_lock_interruptible(l);
	mutex_lock(l);
	return 0;
}

static void mutex_lock_unlock(void *l, struct lock_req *req)
{
	mutex_unlock(l);
}

static void mutex_lock_view(const void *l, struct lock_view *view)
{
	static const char *const flags[] = { "WAITERS", "HANDOFF", "PICKUP", NULL };
	const struct mutex *lock = l;
	const struct mutex_waiter *waiter;
	unsigned long word = (unsigned long)lock->owner.counter;

	if (word & ~MUTEX_FLAGS)
		lock_view_owner(view, (const struct task_struct *)(word & ~MUTEX_FLAGS), LOCK_EXCLUSIVE);
	kw_for_each_waiter(waiter, lock)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = word & MUTEX_FLAGS; /* an address means nothing to a reader */
	kw_flags(view->flags, sizeof(view->flags), word, flags);
}

static const char *mutex_lock_broken(const void *l)
{
	const struct mutex *lock = l;
	unsigned long word = (unsigned long)lock->owner.counter;
	bool empty = !kw_has_waiters(lock);

	if (lock->wait_lock.owner)
		return NULL; /* in the middle of a change */
	if (empty && (word & MUTEX_FLAG_WAITERS))
		return "WAITERS is set, but nobody is queued";
	if (!empty && !(word & MUTEX_FLAG_WAITERS))
		return "tasks are queued, but WAITERS is clear";
	return NULL;
}

#ifdef TREE_MUTEX_PROMISES /* since 5.14; before, a mark could get lost */
static sim_time mutex_lock_patience(const void *l)
{
	return 0;
}
#else
#define mutex_lock_patience NULL
#endif

KERNEL_MODEL(mutex) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("mutex"),
	.mirrors = MIRRORS("mutex.c"),
	.summary = "the tree's own mutex",
	.twin = "mutex",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct mutex),
	.events = kw_plugin_events,
	.init = mutex_lock_init,
	.lock = mutex_lock_lock,
	.unlock = mutex_lock_unlock,
	.view = mutex_lock_view,
	.broken = mutex_lock_broken,
	.patience = mutex_lock_patience,
};

#ifdef TREE_HAS_WW_TRYLOCK_CTX
#define WW_TWIN "ww-mutex"
#define WW_MIRRORS "ww_mutex.h"
#define WW_CAPS (LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_STORES) /* ww->ctx is written plainly */
#define WW_PRIO_CHANGED
#define ww_base_view(base, view) mutex_lock_view(base, view)
#define ww_base_broken(base) mutex_lock_broken(base)

/* The kernel has no such door; this is the interruptible one in another state. */
static int ww_lock_killable(struct ww_mutex *ww, struct ww_acquire_ctx *ctx)
{
	might_sleep();
	if (!__mutex_trylock_fast(&ww->base))
		return __ww_mutex_lock(&ww->base, TASK_KILLABLE, 0, _RET_IP_, ctx);
	ww_mutex_set_context_fastpath(ww, ctx);
	return 0;
}

#include "models/kernel/glue/ww.h"
#endif
