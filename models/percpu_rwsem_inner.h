/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the percpu rwsems that stand on another rwsem share: their hold, and how they take and release that one. */
#ifndef MODELS_PERCPU_RWSEM_INNER_H
#define MODELS_PERCPU_RWSEM_INNER_H

#include "models/rwsem_xadd.h"

#define PERCPU_COUNTERS 1024

struct percpu_hold {
	struct holder holder, under;
};

static inline void percpu_inner_lock(const struct lock_model *inner, struct xadd_rwsem *rw_sem, enum lock_mode mode,
				     struct percpu_hold *hold)
{
	struct lock_req req = { .mode = mode, .timeout = SIM_NEVER, .hold = &hold->under };

	inner->lock(rw_sem, &req);
}

static inline void percpu_inner_unlock(const struct lock_model *inner, struct xadd_rwsem *rw_sem, struct percpu_hold *hold)
{
	struct lock_req req = { .mode = hold->under.mode, .timeout = SIM_NEVER, .hold = &hold->under };

	inner->unlock(rw_sem, &req);
}

/* Who owns it, and who waits: the one that drains it, then those in the inner one. */
static inline void percpu_inner_view(const struct list_head *holders, struct task_struct *drainer,
				     const struct xadd_rwsem *rw_sem, struct lock_view *view)
{
	const struct xadd_waiter *waiter;

	holders_view(holders, view);
	if (drainer)
		lock_view_waiter(view, drainer, LOCK_EXCLUSIVE);
	list_for_each_entry(waiter, &rw_sem->wait_list, list)
		lock_view_waiter(view, waiter->task, waiter->mode);
}

#endif
