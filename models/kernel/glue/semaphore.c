// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's semaphore.c as a lock. */
#undef jiffies /* the name of a parameter there */
#include TREE_FILE(semaphore.c)

#include "models/kernel/glue.h"

#ifdef TREE_SEMAPHORE_FIRST_WAITER
#define kw_for_each_waiter kw_for_each_ring
#define kw_has_waiters(lock) ((lock)->first_waiter != NULL)
#else
#define kw_for_each_waiter kw_for_each_headed
#define kw_has_waiters(lock) ((lock)->wait_list.next != &(lock)->wait_list)
#endif

static void semaphore_lock_init(void *l, const uint64_t *params)
{
	sema_init(l, (int)params[0]);
}

/* The kernel's door for timeouts hears no signals; this is it for a task that would. */
static int semaphore_timed(struct semaphore *sem, const struct lock_req *req)
{
	long ticks = (long)DIV_ROUND_UP(req->timeout, SIM_S / HZ);
	unsigned long flags;
	int ret = 0;

	if (!(req->how & (LOCK_KILLABLE | LOCK_INTERRUPTIBLE)))
		return down_timeout(sem, ticks);
	might_sleep();
	raw_spin_lock_irqsave(&sem->lock, flags);
	if (sem->count > 0)
		sem->count--;
	else
		ret = __down_common(sem, kw_sleep_state(req), ticks);
	raw_spin_unlock_irqrestore(&sem->lock, flags);
	return ret;
}

static int semaphore_lock_lock(void *l, struct lock_req *req)
{
	if (req->how & LOCK_TRY)
		return down_trylock(l) ? -EBUSY : 0;
	if (req->timeout != SIM_NEVER) {
		int ret = semaphore_timed(l, req);

		return ret == -ETIME ? -ETIMEDOUT : ret;
	}
	if (req->how & LOCK_KILLABLE)
		return down_killable(l);
	if (req->how & LOCK_INTERRUPTIBLE)
		return down_interruptible(l);
	down(l);
	return 0;
}

static void semaphore_lock_unlock(void *l, struct lock_req *req)
{
	up(l);
}

static void semaphore_lock_view(const void *l, struct lock_view *view)
{
	const struct semaphore *sem = l;
	const struct semaphore_waiter *waiter;

	kw_for_each_waiter(waiter, sem)
		lock_view_waiter(view, waiter->task, LOCK_EXCLUSIVE);
	view->word = sem->count;
}

static const char *semaphore_lock_broken(const void *l)
{
	const struct semaphore *sem = l;

	if (!sem->lock.owner && sem->count > 0 && kw_has_waiters(sem))
		return "tasks are queued though the count is not 0";
	return NULL;
}

static const struct lock_param semaphore_lock_params[] = {
	{ "count", LOCK_PARAM_COUNT, 1, "units at the start" },
	{ NULL }
};

KERNEL_MODEL(semaphore) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("semaphore"),
	.mirrors = MIRRORS("semaphore.c"),
	.summary = "the tree's own counting semaphore",
	.twin = "semaphore",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT | LOCK_CAP_ANYONE | LOCK_CAP_COUNTING | LOCK_CAP_FIFO,
	.size = sizeof(struct semaphore),
	.params = semaphore_lock_params,
	.events = kw_plugin_events,
	.init = semaphore_lock_init,
	.lock = semaphore_lock_lock,
	.unlock = semaphore_lock_unlock,
	.view = semaphore_lock_view,
	.broken = semaphore_lock_broken,
};
