// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/kernel/rcu_sync.h"

#include "sim/kernel/access.h"
#include "sim/kernel/time.h"

#define GP_DEFAULT (10 * SIM_MS)

void rcu_sync_set_gp(struct rcu_sync *rss, sim_time gp)
{
	sim_time jiffy = SIM_S / HZ;

	rss->gp = max((unsigned long)DIV_ROUND_UP(gp, jiffy), 1UL);
}

void rcu_sync_init(struct rcu_sync *rss)
{
	raw_spin_lock_init(&rss->lock);
	rss->gp_count = 0;
	rss->passed_at = rss->idle_at = 0;
	rcu_sync_set_gp(rss, GP_DEFAULT);
}

bool rcu_sync_is_idle(struct rcu_sync *rss)
{
	return !READ_ONCE(rss->gp_count) && time_after_eq(jiffies, rss->idle_at);
}

bool rcu_sync_enter(struct rcu_sync *rss)
{
	bool slept;

	raw_spin_lock_irq(&rss->lock);
	if (rcu_sync_is_idle(rss))
		rss->passed_at = jiffies + rss->gp + 1; /* this one has begun */
	WRITE_ONCE(rss->gp_count, rss->gp_count + 1);
	raw_spin_unlock_irq(&rss->lock);
	slept = time_before(jiffies, rss->passed_at);
	while (time_before(jiffies, rss->passed_at)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout((long)(rss->passed_at - jiffies));
	}
	return slept;
}

void rcu_sync_exit(struct rcu_sync *rss)
{
	raw_spin_lock_irq(&rss->lock);
	if (rss->gp_count == 1)
		rss->idle_at = jiffies + rss->gp + 1;
	WRITE_ONCE(rss->gp_count, rss->gp_count - 1);
	raw_spin_unlock_irq(&rss->lock);
}
