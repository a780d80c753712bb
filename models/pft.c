/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pft: the phase-fair ticket lock.
 *
 *   rin    readers that came, in units of 0x100; low bits: 2 a writer is there, 1 its phase
 *   rout   readers that left, in the same units
 *   win, wout  the writers' ticket lock
 *
 * Reader and writer phases alternate: when a writer leaves, all readers that wait go in,
 * even if writers wait before and behind them; when those readers have left, the next
 * writer does. So a reader waits for one writer at most (and the readers before that), and
 * writers are served in order. A waiting reader watches the low bits of rin change; the
 * phase bit makes two writers in a row look different. Everybody spins, with preemption off.
 *
 * Mirrors: Brandenburg and Anderson, ECRTS 2009; Concurrency Kit include/ck_pflock.h
 * Deviations: none.
 *
 * Read:   1. come; no writer: acquired   2. until the low bits have changed
 * Write:  1. ticket, wait for it   2. announce the phase; readers that came so far
 *         3. until they have left
 * Unlock: a reader leaves; a writer clears the low bits, then serves the next ticket
 */
#include "models/holders.h"

#define PFT_READER 0x100
#define PFT_PRESENT 0x2
#define PFT_PHASE 0x1
#define PFT_WRITER (PFT_PRESENT | PFT_PHASE)

struct pft_lock {
	atomic_t rin, rout, win, wout;

	/* the simulator's side */
	struct list_head holders;
};

#define PFT_EVENTS(X)                                                                                        \
	X(pft_read_slow)     /* readers that waited for a writer */                                          \
	X(pft_write_queued)  /* writers that waited for another writer */                                    \
	X(pft_write_drained) /* writers that waited for readers */
LOCKEVENTS(PFT_EVENTS)

static void pft_read_lock(struct pft_lock *pf)
{
	/* 1 */
	int writer = atomic_fetch_add_acquire(PFT_READER, &pf->rin) & PFT_WRITER;

	if (!writer)
		return;
	/* 2 */
	lockevent_inc(pft_read_slow);
	trace_contention_begin(pf, LCB_F_SPIN | LCB_F_READ);
	atomic_cond_read_acquire(&pf->rin, (VAL & PFT_WRITER) != writer);
	trace_contention_end(pf, 0);
}

static void pft_write_lock(struct pft_lock *pf)
{
	/* 1 */
	int ticket = atomic_fetch_inc(&pf->win), served = atomic_read(&pf->wout), came, left;
	bool waits = served != ticket;

	if (waits) {
		lockevent_inc(pft_write_queued);
		trace_contention_begin(pf, LCB_F_SPIN | LCB_F_WRITE);
		atomic_cond_read_acquire(&pf->wout, VAL == ticket);
	}
	/* 2 */
	came = atomic_fetch_add(PFT_PRESENT | (ticket & PFT_PHASE), &pf->rin) & ~PFT_WRITER;
	/* 3 */
	left = atomic_read(&pf->rout);
	if (left != came) {
		lockevent_inc(pft_write_drained);
		if (!waits)
			trace_contention_begin(pf, LCB_F_SPIN | LCB_F_WRITE);
		waits = true;
		atomic_cond_read_acquire(&pf->rout, VAL == came);
	}
	if (waits)
		trace_contention_end(pf, 0);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void pft_init(void *l, const uint64_t *values)
{
	struct pft_lock *pf = l;

	holders_init(&pf->holders);
}

static int pft_lock(void *l, struct lock_req *req)
{
	struct pft_lock *pf = l;

	preempt_disable();
	if (req->mode == LOCK_SHARED)
		pft_read_lock(pf);
	else
		pft_write_lock(pf);
	holders_add(&pf->holders, req->hold, req->mode);
	return 0;
}

static void pft_unlock(void *l, struct lock_req *req)
{
	struct pft_lock *pf = l;
	struct holder *h = req->hold;

	holders_del(h);
	if (h->mode == LOCK_SHARED) {
		atomic_add(PFT_READER, &pf->rout);
	} else {
		atomic_and(~PFT_WRITER, &pf->rin);
		atomic_inc(&pf->wout);
	}
	preempt_enable();
}

static void pft_view(const void *l, struct lock_view *view)
{
	const struct pft_lock *pf = l;

	holders_view(&pf->holders, view);
	view->word = (uint32_t)pf->rin.counter;
}

static const char *pft_broken(const void *l)
{
	const struct pft_lock *pf = l;
	u32 inside = ((u32)pf->rin.counter & ~(u32)PFT_WRITER) - (u32)pf->rout.counter;
	const char *broken = holders_broken(&pf->holders);

	if (broken)
		return broken;
	if (holders_count(&pf->holders, LOCK_SHARED) > inside / PFT_READER)
		return "more readers than have come and not left";
	if (holders_count(&pf->holders, LOCK_EXCLUSIVE) && !(pf->rin.counter & PFT_PRESENT))
		return "a writer owns the lock but readers are not told";
	return NULL;
}

LOCK_MODEL(pft) = {
	.abi = LOCK_MODEL_ABI,
	.name = "pft",
	.mirrors = "Brandenburg and Anderson 2009, phase-fair ticket lock",
	.summary = "phase-fair reader-writer spinlock: readers and writers take turns",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_SPIN,
	.size = sizeof(struct pft_lock),
	.hold_size = sizeof(struct holder),
	.events = lockevent_names,
	.init = pft_init,
	.lock = pft_lock,
	.unlock = pft_unlock,
	.view = pft_view,
	.broken = pft_broken,
};
