/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tft: the task-fair ticket lock.
 *
 * Two words, requests and completions, each with a number of writers (low half) and one of
 * readers (high half). A newcomer adds itself to the requests and keeps what was there. A
 * reader waits until as many writers have completed as had come before it, a writer until
 * all who had come before it have. So requests are served strictly in order, and adjacent
 * readers share. Everybody spins on one word, with preemption off.
 *
 * Mirrors: Mellor-Crummey and Scott 1991; Concurrency Kit include/ck_tflock.h
 * Deviations: (1) halves of 32 bits, so that none overflows into the other.
 *
 * Lock:   1. add to requests   2. until the completions that matter are those of then
 * Unlock: add to completions
 */
#include "models/holders.h"

#define TFT_WRITER 1LL
#define TFT_READER (1LL << 32)
#define TFT_WRITERS (TFT_READER - 1)

struct tft_lock {
	atomic64_t request, completion;

	/* the simulator's side */
	struct list_head holders;
};

#define TFT_EVENTS(X)                                                                                        \
	X(tft_read_slow)  /* readers that waited */                                                          \
	X(tft_write_slow) /* writers that waited */
LOCKEVENTS(TFT_EVENTS)

static void tft_read_lock(struct tft_lock *tf)
{
	/* 1 */
	s64 before = atomic64_fetch_add_acquire(TFT_READER, &tf->request) & TFT_WRITERS;

	/* 2 */
	if ((atomic64_read(&tf->completion) & TFT_WRITERS) == before)
		return;
	lockevent_inc(tft_read_slow);
	trace_contention_begin(tf, LCB_F_SPIN | LCB_F_READ);
	smp_cond_load_acquire(&tf->completion.counter, (VAL & TFT_WRITERS) == before);
	trace_contention_end(tf, 0);
}

static void tft_write_lock(struct tft_lock *tf)
{
	/* 1 */
	s64 before = atomic64_fetch_add_acquire(TFT_WRITER, &tf->request);

	/* 2 */
	if (atomic64_read(&tf->completion) == before)
		return;
	lockevent_inc(tft_write_slow);
	trace_contention_begin(tf, LCB_F_SPIN | LCB_F_WRITE);
	smp_cond_load_acquire(&tf->completion.counter, VAL == before);
	trace_contention_end(tf, 0);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static void tft_init(void *l, const uint64_t *values)
{
	struct tft_lock *tf = l;

	holders_init(&tf->holders);
}

static int tft_lock(void *l, struct lock_req *req)
{
	struct tft_lock *tf = l;

	preempt_disable();
	if (req->mode == LOCK_SHARED)
		tft_read_lock(tf);
	else
		tft_write_lock(tf);
	holders_add(&tf->holders, req->hold, req->mode);
	return 0;
}

static void tft_unlock(void *l, struct lock_req *req)
{
	struct tft_lock *tf = l;
	struct holder *h = req->hold;

	atomic64_add(h->mode == LOCK_SHARED ? TFT_READER : TFT_WRITER, &tf->completion);
	holders_del(h);
	preempt_enable();
}

static void tft_view(const void *l, struct lock_view *view)
{
	const struct tft_lock *tf = l;
	s64 inside = tf->request.counter - tf->completion.counter;
	u64 come = (u64)(inside / TFT_READER + (inside & TFT_WRITERS));

	holders_view(&tf->holders, view);
	for (u64 i = view->nowners; i < come; i++)
		lock_view_waiter(view, NULL, LOCK_EXCLUSIVE); /* tickets carry no names */
	view->word = (uint64_t)(tf->request.counter - tf->completion.counter);
}

static const char *tft_broken(const void *l)
{
	const struct tft_lock *tf = l;
	s64 inside = tf->request.counter - tf->completion.counter;
	const char *broken = holders_broken(&tf->holders);

	if (broken)
		return broken;
	if (holders_count(&tf->holders, LOCK_SHARED) > inside / TFT_READER ||
	    holders_count(&tf->holders, LOCK_EXCLUSIVE) > (inside & TFT_WRITERS))
		return "more holders than have come and not left";
	return NULL;
}

LOCK_MODEL(tft) = {
	.abi = LOCK_MODEL_ABI,
	.name = "tft",
	.mirrors = "Mellor-Crummey and Scott 1991, task-fair ticket lock",
	.summary = "task-fair reader-writer spinlock: strictly in order, adjacent readers share",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_SPIN | LOCK_CAP_FIFO,
	.size = sizeof(struct tft_lock),
	.hold_size = sizeof(struct holder),
	.events = lockevent_names,
	.init = tft_init,
	.lock = tft_lock,
	.unlock = tft_unlock,
	.view = tft_view,
	.broken = tft_broken,
};
