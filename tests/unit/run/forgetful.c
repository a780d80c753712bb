// SPDX-License-Identifier: GPL-2.0-or-later
/* A model for tests: excludes, but its unlock() forgets to enable preemption again. */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct forgetful {
	atomic_t word;
};

static void forgetful_init(void *l, const uint64_t *params)
{
}

static int forgetful_lock(void *l, struct lock_req *req)
{
	struct forgetful *lock = l;

	preempt_disable();
	while (atomic_xchg(&lock->word, 1))
		cpu_relax();
	return 0;
}

static void forgetful_unlock(void *l, struct lock_req *req)
{
	struct forgetful *lock = l;

	atomic_set(&lock->word, 0);
}

LOCK_MODEL(forgetful) = {
	.abi = LOCK_MODEL_ABI,
	.name = "forgetful",
	.mirrors = "nothing",
	.summary = "a test",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_BUSTED,
	.size = sizeof(struct forgetful),
	.init = forgetful_init,
	.lock = forgetful_lock,
	.unlock = forgetful_unlock,
};
