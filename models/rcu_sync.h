/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rcu_sync: whether writers are about. Idle readers need not look further; the first writer
 * waits for a grace period, so that all of them do, and the last one leaves with another.
 *
 * Mirrors: Linux 6.1.192 kernel/rcu/sync.c
 * Deviations: (1) a grace period takes the same number of jiffies whatever the CPUs do.
 */
#ifndef MODELS_RCU_SYNC_H
#define MODELS_RCU_SYNC_H

#include "sim/kernel/words.h"
#include "sim/model.h"

struct rcu_sync {
	raw_spinlock_t lock;
	int gp_count;		 /* writers about */
	unsigned long passed_at; /* jiffies: the grace period of the first of them is over */
	unsigned long idle_at;	 /* jiffies: that of the last one to leave */

	/* the simulator's side */
	unsigned long gp; /* jiffies */
};

#define RCU_SYNC_PARAMS { "gp", LOCK_PARAM_TIME, 10 * SIM_MS, "an RCU grace period; whole jiffies, one at least" }

static inline void rcu_sync_init(struct rcu_sync *rss, sim_time gp)
{
	sim_time jiffy = SIM_S / HZ;

	raw_spin_lock_init(&rss->lock);
	rss->gp = max(DIV_ROUND_UP(gp, jiffy), 1UL);
}

static inline bool rcu_sync_is_idle(const struct rcu_sync *rss)
{
	return !READ_ONCE(rss->gp_count) && time_after_eq(jiffies, rss->idle_at);
}

/* True: it had to wait for a grace period. */
static inline bool rcu_sync_enter(struct rcu_sync *rss)
{
	bool idle, waits;

	raw_spin_lock_irq(&rss->lock);
	idle = rcu_sync_is_idle(rss);
	if (idle)
		rss->passed_at = jiffies + rss->gp + 1; /* this one has begun */
	WRITE_ONCE(rss->gp_count, rss->gp_count + 1);
	raw_spin_unlock_irq(&rss->lock);
	waits = time_before(jiffies, rss->passed_at);
	while (time_before(jiffies, rss->passed_at)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout((long)(rss->passed_at - jiffies));
	}
	return waits;
}

static inline void rcu_sync_exit(struct rcu_sync *rss)
{
	raw_spin_lock_irq(&rss->lock);
	if (rss->gp_count == 1)
		rss->idle_at = jiffies + rss->gp + 1;
	WRITE_ONCE(rss->gp_count, rss->gp_count - 1);
	raw_spin_unlock_irq(&rss->lock);
}

#endif
