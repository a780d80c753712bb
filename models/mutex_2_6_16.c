// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutex-2.6.16: the first mutex. Waiters sleep, nobody spins.
 *
 * FIFO among sleepers, but a woken one finds the lock free at best: tasks that come
 * meanwhile pass it, without bound. No owner is known. See mutex_count.h for word and steps.
 *
 * Mirrors: Linux 2.6.18 kernel/mutex.c, include/asm-i386/mutex.h (2.6.16 is the same)
 * Deviations: (1) x86 fast paths only; (2) no debug checks; (3) the view knows the owner.
 */
#include "models/mutex_count.h"

static const char *const event_names[] = { MUTEX_SLEEP_EVENTS(kw_lockevent_name) NULL };

static void mutex_2_6_16_init(void *l, const uint64_t *params)
{
	mutex_count_init(l, 0);
}

LOCK_MODEL(mutex_2_6_16) = {
	.abi = LOCK_MODEL_ABI,
	.name = "mutex-2.6.16",
	.mirrors = "Linux 2.6.18 kernel/mutex.c",
	.summary = "the first mutex: count 1/0/-1, waiters sleep, unlock frees and wakes",
	.caps = LOCK_CAP_TRY | LOCK_CAP_SIGNAL,
	.size = sizeof(struct mutex_count),
	.events = event_names,
	.init = mutex_2_6_16_init,
	.lock = mutex_count_lock,
	.unlock = mutex_count_unlock,
	.view = mutex_count_view,
	.broken = mutex_count_broken,
};
