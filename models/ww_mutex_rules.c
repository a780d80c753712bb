// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ww_mutex: who gives way. Both rules let the younger context lose, and only one that holds
 * locks: nobody else can be part of a cycle.
 *
 *   wait-die    a younger one does not wait for an older one: it gives up (dies). The older waits.
 *   wound-wait  an older one that has to wait for a younger one wounds it. The younger gives up
 *               when it would next sleep, and not if that never happens.
 */
#include "models/ww_mutex.h"

static bool is_younger(const struct kw_ww_ctx *a, const struct kw_ww_ctx *b)
{
	return a->stamp > b->stamp;
}

static int kill(const struct kw_ww_ctx *ctx)
{
	return ctx->acquired ? -EDEADLK : 0;
}

/* Wait-die: wakes a waiter to see that it has to give way to @ctx. False: the other rule holds. */
static bool let_die(struct ww_mutex *lock, struct ww_waiter *waiter, const struct kw_ww_ctx *ctx)
{
	if (!lock->wait_die)
		return false;
	if (waiter->ctx->acquired && is_younger(waiter->ctx, ctx)) {
		lockevent_inc(ww_wake_to_die);
		wake_up_process(waiter->task);
	}
	return true;
}

/* Wound-wait: @ctx waits for @hold. True: wounded. */
static bool wound(struct ww_mutex *lock, const struct kw_ww_ctx *ctx, struct kw_ww_ctx *hold)
{
	struct task_struct *owner = ww_owner_task((unsigned long)atomic_long_read(&lock->owner));

	if (!hold || !owner)
		return false; /* not set yet, and whoever sets it looks at the waiters; or on its way out */
	if (!ctx->acquired || !is_younger(hold, ctx))
		return false;
	lockevent_inc(ww_wound);
	hold->wounded = true;
	if (owner != current)
		wake_up_process(owner); /* it may sleep on another lock */
	return true;
}

int ww_add_waiter(struct ww_mutex *lock, struct ww_waiter *waiter)
{
	struct list_head *pos = &lock->wait_list;
	struct ww_waiter *cur;

	lockdep_assert_held(&lock->wait_lock);
	list_for_each_entry_reverse(cur, &lock->wait_list, list) {
		if (is_younger(waiter->ctx, cur->ctx)) {
			if (lock->wait_die && kill(waiter->ctx))
				return -EDEADLK;
			break;
		}
		pos = &cur->list;
		let_die(lock, cur, waiter->ctx);
	}
	lockevent_inc(ww_queued);
	lockevent_cond_inc(ww_queued_before, pos != &lock->wait_list);
	list_add_tail(&waiter->list, pos);
	if (ww_is_first(lock, waiter))
		atomic_long_or(MUTEX_FLAG_WAITERS, &lock->owner);
	if (!lock->wait_die)
		wound(lock, waiter->ctx, lock->ctx);
	return 0;
}

int ww_check_kill(struct ww_mutex *lock, const struct ww_waiter *waiter)
{
	const struct kw_ww_ctx *ctx = waiter->ctx, *hold = READ_ONCE(lock->ctx);

	if (!ctx->acquired)
		return 0;
	if (!lock->wait_die)
		return ctx->wounded ? kill(ctx) : 0;
	if (hold && is_younger(ctx, hold))
		return kill(ctx);
	return ww_is_first(lock, waiter) ? 0 : kill(ctx); /* whoever is in front is older */
}

void ww_check_waiters(struct ww_mutex *lock, struct kw_ww_ctx *ctx)
{
	struct ww_waiter *cur;

	lockdep_assert_held(&lock->wait_lock);
	list_for_each_entry(cur, &lock->wait_list, list)
		if (let_die(lock, cur, ctx) || wound(lock, cur->ctx, ctx))
			break;
}
