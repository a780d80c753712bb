// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutex-3.10, mutex-3.13, mutex-3.15: spinners queue, and one at a time looks at the lock.
 *
 * 3.10 queues them in an MCS lock that cannot be left, and lets the head of the queue go
 * back to its tail after each look. 3.12 (here named after 3.13) tries once more under
 * wait_lock. The series "locking/core patches" of February 2014, merged for 3.15, changed
 * five things; each is a parameter, so any subset of it can be had of any of the three
 * models, which differ in nothing but the defaults:
 *
 *	2/8 can_spin_resched	3/8 queue_once		4/8 unlock_early
 *	5/8 osq			6/8 extra_resched	(1/8 moved code, 7/8 and 8/8 are qrwlock)
 *
 * Spinners pass sleepers, without bound. See mutex_count.h for word and steps.
 *
 * Mirrors: Linux 3.10 kernel/mutex.c; 3.13 and 3.15 kernel/locking/mutex.c; `keep_spinning`
 * 4.0 - 4.9; `wake_q` 4.6 - 4.9
 * Deviations: (1) x86 fast paths only; (2) no debug checks, no ww contexts; (3) the node of
 * 3.15's OSQ is named by its CPU, as from 3.17 on; (4) `once_more` exchanges any count that is not negative, as
 * in 3.13; 3.18 only one that is 1.
 */
#include "models/mutex_count.h"

#define MUTEX_3_10 (MUTEX_PREEMPT_OFF | MUTEX_SPIN_QUEUE | MUTEX_LATE_LOOK)

#define FLAG(name, on, help) { name, LOCK_PARAM_FLAG, on, help }
#define PARAMS(once_more, feb_2014)                                                                \
	{                                                                                          \
		FLAG("spin_on_owner", 1, "spin while the owner runs"),                             \
		FLAG("once_more", once_more, "3.12: try under wait_lock before queueing"),         \
		FLAG("can_spin_resched", feb_2014, "2/8: no spinning if a reschedule is due"),     \
		FLAG("queue_once", feb_2014, "3/8: spinners queue once, not for each look"),       \
		FLAG("unlock_early", feb_2014, "4/8: unlock frees before it takes wait_lock"),     \
		FLAG("osq", feb_2014, "5/8: spinners leave the queue if a reschedule is due"),     \
		FLAG("extra_resched", feb_2014, "6/8: reschedule before joining the sleepers"),    \
		FLAG("keep_spinning", 0, "4.0: a new owner does not end the spin"),                \
		FLAG("wake_q", 0, "4.6: wake after wait_lock is dropped"),                         \
		{ NULL }                                                                           \
	}

static const struct lock_param params_3_10[] = PARAMS(0, 0);
static const struct lock_param params_3_13[] = PARAMS(1, 0);
static const struct lock_param params_3_15[] = PARAMS(1, 1);

/* In the order of the parameters. */
static const unsigned int rule_of[] = {
	MUTEX_SPIN,	    MUTEX_ONCE_MORE, MUTEX_SPIN_RESCHED,  MUTEX_QUEUE_ONCE,
	MUTEX_UNLOCK_EARLY, MUTEX_OSQ,	     MUTEX_EXTRA_RESCHED, MUTEX_KEEP_SPINNING,
	MUTEX_WAKE_Q,
};

static void mutex_3_10_init(void *l, const uint64_t *params)
{
	unsigned int rules = MUTEX_3_10;

	for (unsigned int i = 0; i < ARRAY_SIZE(rule_of); i++)
		if (params[i])
			rules |= rule_of[i];
	if (!(rules & MUTEX_ONCE_MORE))
		rules |= MUTEX_TEST_TWICE; /* the one replaced the other */
	mutex_count_init(l, rules);
}

#define MODEL(version, file, text, its_params)                                                     \
	{                                                                                          \
		.abi = LOCK_MODEL_ABI,                                                             \
		.name = "mutex-" version,                                                          \
		.mirrors = "Linux " version " " file,                                              \
		.summary = text,                                                                   \
		.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,                                            \
		.size = sizeof(struct mutex_count),                                                \
		.params = its_params,                                                              \
		.events = lockevent_names,                                                         \
		.init = mutex_3_10_init,                                                           \
		.lock = mutex_count_lock,                                                          \
		.unlock = mutex_count_unlock,                                                      \
		.view = mutex_count_view,                                                          \
		.broken = mutex_count_broken,                                                      \
	}

LOCK_MODEL(mutex_3_10) =
	MODEL("3.10", "kernel/mutex.c", "count mutex whose spinners queue for each look", params_3_10);
LOCK_MODEL(mutex_3_13) = MODEL("3.13", "kernel/locking/mutex.c",
			       "as mutex-3.10, and tries once more before queueing", params_3_13);
LOCK_MODEL(mutex_3_15) = MODEL("3.15", "kernel/locking/mutex.c",
			       "count mutex with the patches of February 2014: OSQ, early unlock, one more "
			       "reschedule point",
			       params_3_15);
