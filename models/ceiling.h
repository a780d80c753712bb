/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priority ceilings of locks. A ceiling is the priority of the strongest task that ever
 * takes the lock; the language gives it as users count, 1 to 99, and 0 where no real-time
 * task does. Models keep the kernel's number.
 */
#ifndef MODELS_CEILING_H
#define MODELS_CEILING_H

#include "sim/kernel/words.h"
#include "sim/model.h"

#define CEILING_PARAM                                                                                        \
	{                                                                                                    \
		"ceiling", LOCK_PARAM_COUNT, 0,                                                              \
			"its priority ceiling, 1 to 99; 0: the strongest real-time task whose text names it" \
	}

static inline int ceiling_prio(uint64_t ceiling)
{
	return ceiling ? MAX_RT_PRIO - 1 - (int)ceiling : MAX_PRIO;
}

/* A priority as ceilings see it: fair tasks have none. */
static inline int ceiling_level(int prio)
{
	return rt_prio(prio) ? prio : MAX_PRIO;
}

#endif
