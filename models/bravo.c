/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bravo-rwsem: BRAVO around the rwsem of Linux 6.1.
 *
 *   rbias          readers may publish themselves in the table instead of taking the lock
 *   inhibit_until  until then they may not
 *   table          of visible readers; a slot is empty or names the task that reads
 *
 * While the lock is biased a reader writes no word that others write: it puts its name into
 * the slot that its hash gives, and looks at rbias again. Occupied slot, or no bias: the rwsem.
 * A writer that has the rwsem revokes the bias if it is set, scans the whole table, and
 * waits for every reader in it; then it forbids the bias for nine times as long as that
 * took. A reader that had to take the rwsem sets the bias again when that time is over.
 *
 * Mirrors: Dice and Kogan, USENIX ATC 2019; the rwsem underneath: see rwsem.c
 * Deviations:
 *  1. Each lock has its own table, instead of one for all: no collisions between locks.
 *  2. Every slow reader may set the bias again (TCLocks: every 16th).
 *  3. A writer that downgrades leaves the bias off; one that only tries puts it back.
 *  4. While a reader in the table does not run, the writer sleeps from tick to tick.
 *  5. A writer that waits for readers in the table is deaf to signals: it has the rwsem already.
 *
 * Read:   1. biased: publish; still biased: in   2. else take it back, the rwsem   3. bias again?
 * Write:  1. the rwsem   2. biased: revoke, wait for every slot   3. forbid for N times that
 */
#include <stdio.h>

#include "models/holders.h"
#include "models/rwsem_private.h"

extern const struct lock_model lock_model_rwsem;

#define BRAVO_SLOTS 1024 /* 8 KiB */

struct bravo {
	int rbias;
	u64 inhibit_until; /* ns */
	u64 multiplier;
	unsigned int slots;
	struct rw_semaphore sem __cacheline_aligned;
	const struct task_struct *table[BRAVO_SLOTS] __cacheline_aligned;

	/* the simulator's side */
	struct list_head fast;		      /* holders that are in the table */
	const struct task_struct *revoker; /* a writer that has the rwsem and waits for them */
};

struct bravo_hold {
	struct holder holder;	 /* while in the table */
	int slot;		 /* -1: in the rwsem */
	struct rwsem_hold under; /* the rwsem's */
};

/* X(name): after those of the rwsem */
#define BRAVO_EVENTS(X)                                                                                      \
	X(bravo_read_fast)    /* readers in the table */                                                     \
	X(bravo_read_occupied) /* readers whose slot was taken */                                            \
	X(bravo_read_raced)   /* readers that found the bias revoked after they had published */             \
	X(bravo_bias)	      /* times the bias was set again */                                             \
	X(bravo_revoke)	      /* writers that revoked the bias */                                            \
	X(bravo_revoke_wait)  /* slots that a writer had to wait for */
enum { BRAVO_BEFORE = LOCKEVENT_COUNT - 1, BRAVO_EVENTS(kw_lockevent_enum) };
static const char *const bravo_event_names[] = {
	RWSEM_EVENTS(kw_lockevent_name) BRAVO_EVENTS(kw_lockevent_name) NULL
};

static unsigned int hash(const struct bravo *lock)
{
	return (unsigned int)current->pid * 0x9e3779b1u >> 16 & (lock->slots - 1);
}

/* Step 1. The slot, or -1. */
static int read_fast(struct bravo *lock)
{
	unsigned int slot = hash(lock);

	if (!READ_ONCE(lock->rbias))
		return -1;
	if (cmpxchg(&lock->table[slot], NULL, current)) {
		lockevent_inc(bravo_read_occupied);
		return -1;
	}
	model_step("bravo-published");
	if (READ_ONCE(lock->rbias)) {
		lockevent_inc(bravo_read_fast);
		return (int)slot;
	}
	lockevent_inc(bravo_read_raced);
	WRITE_ONCE(lock->table[slot], NULL);
	return -1;
}

/* Step 3, with the rwsem held for reading: no writer is about. */
static void bias_again(struct bravo *lock)
{
	if (READ_ONCE(lock->rbias) || sched_clock() < READ_ONCE(lock->inhibit_until))
		return;
	WRITE_ONCE(lock->rbias, 1);
	lockevent_inc(bravo_bias);
}

/* Until the slot is empty: spins while its reader runs, else looks again after a tick. */
static void wait_for_slot(const struct task_struct **slot)
{
	struct task_struct *reader;

	lockevent_inc(bravo_revoke_wait);
	while ((reader = (struct task_struct *)READ_ONCE(*slot))) {
		if (owner_on_cpu(reader) && !need_resched()) {
			cpu_relax();
			continue;
		}
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout(1);
	}
}

/* Steps 2, 3 of writing, with the rwsem held for writing. False: somebody reads, and the caller only tries. */
static bool revoke(struct bravo *lock, bool try)
{
	u64 start, end;

	if (!READ_ONCE(lock->rbias))
		return true;
	lockevent_inc(bravo_revoke);
	lock->revoker = current;
	WRITE_ONCE(lock->rbias, 0);
	start = sched_clock();
	for (unsigned int i = 0; i < lock->slots; i++) {
		if (!READ_ONCE(lock->table[i]))
			continue;
		if (try) {
			WRITE_ONCE(lock->rbias, 1);
			lock->revoker = NULL;
			return false;
		}
		wait_for_slot(&lock->table[i]);
	}
	end = sched_clock();
	WRITE_ONCE(lock->inhibit_until, end + (end - start) * lock->multiplier);
	lock->revoker = NULL;
	return true;
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "multiplier", LOCK_PARAM_COUNT, 9, "no bias for so many times the time that revoking it took" },
	{ "slots", LOCK_PARAM_COUNT, BRAVO_SLOTS, "slots of the table: a power of two, 1024 at most" },
	{ "handoff", LOCK_PARAM_TIME, 4 * SIM_MS, "of the rwsem: wait after which a hand-off is asked for" },
	{ "reader_steal", LOCK_PARAM_FLAG, 1, "of the rwsem: a first reader takes a free lock past the queue" },
	{ "owner_window", LOCK_PARAM_FLAG, 0, "of the rwsem: a task can be preempted between taking it and saying so" },
	{ NULL },
};

static void bravo_init(void *l, const uint64_t *values)
{
	struct bravo *lock = l;

	lock->multiplier = values[0];
	for (lock->slots = 1; lock->slots < BRAVO_SLOTS && lock->slots * 2 <= values[1];)
		lock->slots *= 2;
	holders_init(&lock->fast);
	lock_model_rwsem.init(&lock->sem, &values[2]);
}

static struct lock_req under(struct lock_req *req)
{
	struct bravo_hold *hold = req->hold;
	struct lock_req r = *req;

	r.hold = &hold->under;
	return r;
}

static int bravo_lock(void *l, struct lock_req *req)
{
	struct bravo *lock = l;
	struct bravo_hold *hold = req->hold;
	struct lock_req r = under(req);
	int ret;

	hold->slot = req->mode == LOCK_SHARED ? read_fast(lock) : -1;
	if (hold->slot >= 0) {
		holders_add(&lock->fast, &hold->holder, LOCK_SHARED);
		return 0;
	}
	ret = lock_model_rwsem.lock(&lock->sem, &r);
	if (!ret && req->mode == LOCK_SHARED) {
		bias_again(lock);
	} else if (!ret && !revoke(lock, req->how & LOCK_TRY)) {
		lock_model_rwsem.unlock(&lock->sem, &r);
		return -EBUSY;
	}
	return ret;
}

static void bravo_unlock(void *l, struct lock_req *req)
{
	struct bravo *lock = l;
	struct bravo_hold *hold = req->hold;
	struct lock_req r = under(req);

	if (hold->slot < 0) {
		lock_model_rwsem.unlock(&lock->sem, &r);
		return;
	}
	holders_del(&hold->holder);
	smp_store_release(&lock->table[hold->slot], NULL);
}

static void bravo_downgrade(void *l, struct lock_req *req)
{
	struct bravo *lock = l;
	struct lock_req r = under(req);

	lock_model_rwsem.downgrade(&lock->sem, &r);
}

/* The rwsem shows the revoking writer as its owner. */
static void show_revoker(const struct bravo *lock, struct lock_view *view)
{
	if (!lock->revoker || !view->nowners)
		return;
	view->nowners = 0;
	lock_view_waiter(view, lock->revoker, LOCK_EXCLUSIVE);
}

static void bravo_view(const void *l, struct lock_view *view)
{
	const struct bravo *lock = l;

	lock_model_rwsem.view(&lock->sem, view);
	show_revoker(lock, view);
	holders_view(&lock->fast, view);
	if (lock->rbias) {
		size_t used = strlen(view->flags);

		snprintf(view->flags + used, sizeof(view->flags) - used, "%s", used ? "|BIAS" : "BIAS");
	}
}

/* A writer inside lock() may own the rwsem while it waits for readers in the table. */
static const char *bravo_broken(const void *l)
{
	const struct bravo *lock = l;

	return lock_model_rwsem.broken(&lock->sem);
}

LOCK_MODEL(bravo_rwsem) = {
	.abi = LOCK_MODEL_ABI,
	.name = "bravo-rwsem",
	.mirrors = "Dice and Kogan 2019, over Linux 6.1 rwsem",
	.summary = "readers publish themselves in a table instead of writing the lock; writers revoke that",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_DOWNGRADE,
	.size = sizeof(struct bravo),
	.hold_size = sizeof(struct bravo_hold),
	.params = params,
	.events = bravo_event_names,
	.init = bravo_init,
	.lock = bravo_lock,
	.unlock = bravo_unlock,
	.downgrade = bravo_downgrade,
	.view = bravo_view,
	.broken = bravo_broken,
};
