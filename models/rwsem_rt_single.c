/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-rt-single, rwsem-rt-single-nonest: the rwsem of PREEMPT_RT until 4.9-rt15: one
 * rt_mutex, so one reader at a time.
 *
 * Readers and writers take the same rt_mutex, by priority and with inheritance; only the
 * owner may take it again for reading (read_depth counts). Two readers never overlap, and
 * a reader that waits for something another reader must do deadlocks. A downgrade changes
 * the count and wakes nobody. The patch "Do not allow readers to nest" (2014) removed the
 * count: then reading twice in one task deadlocks, and the second trylock fails.
 *
 * Mirrors: Linux 4.1-rt kernel/locking/rt.c, include/linux/rwsem_rt.h
 * Deviations:
 *  1. The rt_mutex is that of 6.1: its top waiter spins while the owner runs.
 *  2. No killable waits.
 *  3. Waiters, and the readers of -nonest, are all shown as exclusive.
 *  4. -nonest has no downgrade: what it did there is not known.
 */
#include "models/holders.h"
#include "models/rtmutex_private.h"

extern const struct lock_model lock_model_rtmutex;

struct rt_rwsem {
	struct rt_mutex_base rtmutex;
	int read_depth; /* the owner's */

	/* the simulator's side */
	bool nest;
};

struct rt_rwsem_hold {
	enum lock_mode mode;
};

static bool own(const struct rt_rwsem *sem)
{
	return rt_mutex_owner(&sem->rtmutex) == current;
}

static int rtmutex_lock(struct rt_rwsem *sem, unsigned int how)
{
	struct lock_req req = { .how = how, .timeout = SIM_NEVER };

	return lock_model_rtmutex.lock(&sem->rtmutex, &req);
}

static int down_read(struct rt_rwsem *sem, unsigned int how)
{
	int ret = 0;

	if (!sem->nest)
		return rtmutex_lock(sem, how);
	if (!own(sem))
		ret = rtmutex_lock(sem, how);
	else if ((how & LOCK_TRY) && !sem->read_depth)
		ret = -EBUSY; /* owned for writing */
	if (!ret)
		sem->read_depth++;
	return ret;
}

static void up_read(struct rt_rwsem *sem)
{
	if (!sem->nest || !--sem->read_depth)
		rt_mutex_unlock_base(&sem->rtmutex);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void init(struct rt_rwsem *sem, bool nest, uint64_t depth)
{
	const uint64_t values[] = { 0, depth };

	lock_model_rtmutex.init(&sem->rtmutex, values);
	sem->nest = nest;
}

static void rwsem_rt_single_init(void *l, const uint64_t *values)
{
	init(l, true, values[0]);
}

static void rwsem_rt_single_nonest_init(void *l, const uint64_t *values)
{
	init(l, false, values[0]);
}

static int rwsem_rt_single_lock(void *l, struct lock_req *req)
{
	struct rt_rwsem_hold *hold = req->hold;

	hold->mode = req->mode;
	return req->mode == LOCK_SHARED ? down_read(l, req->how & LOCK_TRY) : rtmutex_lock(l, req->how & LOCK_TRY);
}

static void rwsem_rt_single_unlock(void *l, struct lock_req *req)
{
	struct rt_rwsem *sem = l;
	struct rt_rwsem_hold *hold = req->hold;

	if (hold->mode == LOCK_SHARED)
		up_read(sem);
	else
		rt_mutex_unlock_base(&sem->rtmutex);
}

static void rwsem_rt_single_downgrade(void *l, struct lock_req *req)
{
	struct rt_rwsem *sem = l;
	struct rt_rwsem_hold *hold = req->hold;

	BUG_ON(!own(sem));
	sem->read_depth = 1;
	hold->mode = LOCK_SHARED;
}

static void rwsem_rt_single_view(const void *l, struct lock_view *view)
{
	const struct rt_rwsem *sem = l;

	rt_mutex_view(&sem->rtmutex, view);
	if (sem->read_depth && view->nowners && view->owners_room)
		view->owners[0].mode = LOCK_SHARED;
}

static const char *rwsem_rt_single_broken(const void *l)
{
	const struct rt_rwsem *sem = l;

	if (sem->read_depth < 0)
		return "more reads ended than began";
	return rt_mutex_broken(&sem->rtmutex);
}

#define RT_SINGLE                                                                                            \
	.abi = LOCK_MODEL_ABI, .size = sizeof(struct rt_rwsem), .hold_size = sizeof(struct rt_rwsem_hold),   \
	.params = params, .events = lockevent_names, .lock = rwsem_rt_single_lock,                           \
	.unlock = rwsem_rt_single_unlock, .prio_changed = rt_mutex_prio_changed,                      \
	.view = rwsem_rt_single_view, .broken = rwsem_rt_single_broken

LOCK_MODEL(rwsem_rt_single) = {
	RT_SINGLE,
	.name = "rwsem-rt-single",
	.mirrors = "Linux 4.1-rt kernel/locking/rt.c",
	.summary = "rwsem of PREEMPT_RT with one reader at a time: an rt_mutex that its reader may take again",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_DOWNGRADE,
	.init = rwsem_rt_single_init,
	.downgrade = rwsem_rt_single_downgrade,
};

LOCK_MODEL(rwsem_rt_single_nonest) = {
	RT_SINGLE,
	.name = "rwsem-rt-single-nonest",
	.mirrors = "\"rwsem-rt: Do not allow readers to nest\", April 2014",
	.summary = "rwsem-rt-single whose reads do not nest: a plain rt_mutex",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.init = rwsem_rt_single_nonest_init,
};
