/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: rcu_sync, the switch that sends the readers of a percpu-rwsem to their slow
 * path and back. Idle: readers need not look. Both ways take an RCU grace period, which
 * here is a time: @gp jiffies and what is left of the present one, whatever the CPUs do.
 */
#ifndef SIM_KERNEL_RCU_SYNC_H
#define SIM_KERNEL_RCU_SYNC_H

#include "sim/core/clock.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/spinlock.h"

struct rcu_sync {
	raw_spinlock_t lock;
	int gp_count;		 /* writers about */
	unsigned long passed_at; /* jiffies: the grace period of the first of them is over */
	unsigned long idle_at;	 /* jiffies: that of the last one to leave */
	unsigned long gp;	 /* jiffies, one at least */
};

/* A grace period of 10 ms; rcu_sync_set_gp() takes another, in ps. */
void rcu_sync_init(struct rcu_sync *rss);
void rcu_sync_set_gp(struct rcu_sync *rss, sim_time gp);
bool rcu_sync_is_idle(struct rcu_sync *rss);
/* Sleeps until the grace period of the first writer about is over. True: it had to. */
bool rcu_sync_enter(struct rcu_sync *rss);
void rcu_sync_exit(struct rcu_sync *rss);

#endif
