/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of oracles share: a world whose locks are as the test says. */
#ifndef TEST_ORACLE_WORLD_H
#define TEST_ORACLE_WORLD_H

#include "tests/unit/run/watch_world.h"

/* What a lock says of itself; locks are told apart by the address given in bound->lock. */
struct lock_view_counts { unsigned owners, waiters; };

static struct lock_view_counts seen[WORLD_LOCKS];

static inline void reset(unsigned ntask, unsigned nlock)
{
	memset(seen, 0, sizeof(seen));
	world_reset(ntask, nlock);
	for (unsigned i = 0; i < nlock; i++)
		world.lock[i].lock = &seen[i];
}

static inline void all_run(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		runs(i, (int)i);
}

static inline const struct run_finding *first_finding(void)
{
	ck_assert_uint_gt(watch->finding->len, 0);
	return &g_array_index(watch->finding, struct run_finding, 0);
}

#endif
