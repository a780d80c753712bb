/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What percpu rwsems on rcu_sync share: see sim/kernel/rcu_sync.h. */
#ifndef MODELS_RCU_SYNC_H
#define MODELS_RCU_SYNC_H

#include "sim/kernel/rcu_sync.h"
#include "sim/kernel/words.h"
#include "sim/model.h"

#define RCU_SYNC_PARAMS { "gp", LOCK_PARAM_TIME, 10 * SIM_MS, "an RCU grace period; whole jiffies, one at least" }

#endif
