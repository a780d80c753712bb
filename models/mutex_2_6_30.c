// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutex-2.6.30: adaptive spinning. Whoever finds the owner running on another CPU spins.
 *
 * All spinners poll the owner field, and swap at once when it changes: no order among
 * them, and sleepers are passed. A spin ends when the lock is won, the owner leaves its
 * CPU, a reschedule is due, or, with `owner_change`, somebody else got the lock first. See
 * mutex_count.h for word and steps.
 *
 * Mirrors: Linux 2.6.31 kernel/mutex.c and mutex_spin_on_owner() of kernel/sched.c;
 * `owner_change`: 2.6.36 - 2.6.39
 * Deviations: (1) x86 fast paths only; (2) no debug checks; (3) "the owner runs" is read
 * from its on_cpu word, as from 3.0 on, not from the run queue of the CPU it was seen on;
 * (4) no Big Kernel Lock, whose holders do not spin in 2.6.38.
 */
#include "models/mutex_count.h"

static const char *const event_names[] = { MUTEX_SLEEP_EVENTS(kw_lockevent_name)
					   MUTEX_SPIN_EVENTS(kw_lockevent_name) NULL };

static const struct lock_param mutex_2_6_30_params[] = {
	{ "spin_on_owner", LOCK_PARAM_FLAG, 1, "spin while the owner runs (scheduler feature OWNER_SPIN)" },
	{ "owner_change", LOCK_PARAM_FLAG, 0, "2.6.36: a new owner ends the spin" },
	{ NULL }
};

static void mutex_2_6_30_init(void *l, const uint64_t *params)
{
	unsigned int rules = MUTEX_PREEMPT_OFF | MUTEX_TEST_TWICE;

	if (params[0])
		rules |= MUTEX_SPIN;
	if (!params[1])
		rules |= MUTEX_KEEP_SPINNING;
	mutex_count_init(l, rules);
}

LOCK_MODEL(mutex_2_6_30) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mutex-2.6.30",
	.mirrors = "Linux 2.6.31 kernel/mutex.c",
	.summary = "the mutex that learnt to spin: all newcomers poll while the owner runs",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct mutex_count),
	.params = mutex_2_6_30_params,
	.events = event_names,
	.init = mutex_2_6_30_init,
	.lock = mutex_count_lock,
	.unlock = mutex_count_unlock,
	.view = mutex_count_view,
	.broken = mutex_count_broken,
};
