// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition: the condition variable of user programs, as a futex of one word.
 *
 *     word   counts the wake-ups
 *
 * Whoever waits draws the word while it still holds the mutex, lets the mutex go, and sleeps
 * in FUTEX_WAIT if the word is still the same; then it takes the mutex again. A wake-up
 * counts and wakes one or all; it is lost if nobody waits. One that is on its way to sleep hears
 * any wake-up since its ticket, besides the sleeper that it was for: waits may end though
 * nothing was meant for them, as POSIX allows. RT tasks are woken first, by priority. It
 * inherits nothing, and a waiter is bound to no owner.
 *
 * With a PI futex as its mutex, a wake-up moves sleepers over to that (futex_requeue.c).
 *
 * Mirrors: POSIX.1-2017 pthread_cond_wait (the rule); the simplest of its constructions, a
 * sequence number (bionic, from memory)
 * Deviations: those of futex.h; (4) 31 bits of the count are not reused within a wait.
 *
 * Wait: 1 one more waits; ticket := word   2 [mutex let go]   3 FUTEX_WAIT while the word is the
 *       ticket; a signal: again   4 one less waits   5 [mutex taken]
 * Wake: 1 nobody waits: back   2 word += 1   3 FUTEX_WAKE, one or all
 */
#define FUTEX_EVENTS(X)                                                        \
	FUTEX_WAIT_EVENTS(X)                                                   \
	X(condition_lost)    /* a wake-up that nobody waited for */            \
	X(condition_timeout) /* waits that ended by their timeout */
#include "models/futex.h"

struct pi_futex; /* of futex_pi.h, whose list of counters is another */
int futex_wait_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, atomic_t *word, int val, struct kw_timeout *timeout);
void futex_cmp_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, unsigned int n);
extern const struct lock_model lock_model_futex_pi;

struct condition {
	atomic_t word;
	atomic_t waiters; /* in user mode: from ticket to return */
	struct pi_futex *pi; /* its mutex, if that is one, as the last to wait said */
	struct futex_bucket hb;
} ____cacheline_aligned;

static uint64_t condition_ticket(void *l)
{
	struct condition *c = l;

	atomic_inc(&c->waiters);
	return (uint64_t)atomic_read(&c->word);
}

static void condition_wake_some(struct condition *c, unsigned int n)
{
	if (!atomic_read(&c->waiters)) { /* 1 */
		lockevent_inc(condition_lost);
		return;
	}
	atomic_inc(&c->word); /* 2 */
	model_step("condition-wake");
	if (c->pi)
		futex_cmp_requeue_pi(c->pi, &c->hb, n);
	else
		futex_wake(&c->hb, n); /* 3 */
}

/* ---- the simulator's side ---- */

static void condition_init(void *l, const uint64_t *params)
{
	struct condition *c = l;

	futex_bucket_init(&c->hb, NULL);
}

static int condition_lock(void *l, struct lock_req *req)
{
	struct condition *c = l;
	const struct lock_wait *w = req->ctx;
	int ticket = (int)(w ? w->ticket : condition_ticket(c));
	struct kw_timeout timeout;
	int ret;

	kw_timeout_start(&timeout, req->timeout);
	trace_contention_begin(c, 0);
	c->pi = w && w->model == &lock_model_futex_pi ? w->mutex : NULL;
	do {
		ret = c->pi ? futex_wait_requeue_pi(w->mutex, &c->hb, &c->word, ticket, &timeout) :
			      futex_wait(&c->hb, &c->word, ticket, current->normal_prio, &timeout);
	} while (ret == -EINTR);
	if (ret == -EAGAIN)
		ret = 0;
	trace_contention_end(c, ret);
	kw_timeout_stop(&timeout);
	atomic_dec(&c->waiters); /* 4 */
	lockevent_cond_inc(condition_timeout, ret);
	return ret;
}

static void condition_unlock(void *l, struct lock_req *req)
{
	condition_wake_some(l, 1);
}

static void condition_wakeall(void *l)
{
	condition_wake_some(l, UINT_MAX);
}

static void condition_view(const void *l, struct lock_view *view)
{
	const struct condition *c = l;

	futex_view_waiters(&c->hb, view);
	view->word = (uint32_t)c->word.counter;
}

LOCK_MODEL(condition) = {
	.abi = LOCK_MODEL_ABI,
	.name = "condition",
	.mirrors = "POSIX pthread_cond_wait, a sequence number as in bionic (from memory), Linux 6.1 kernel/futex/waitwake.c",
	.summary = "condition variable, in user mode: a wake-up that nobody waits for is lost",
	.caps = LOCK_CAP_TIMEOUT | LOCK_CAP_ANYONE | LOCK_CAP_COUNTING | LOCK_CAP_WAKEALL | LOCK_CAP_USER | LOCK_CAP_CONDITION,
	.size = sizeof(struct condition),
	.events = lockevent_names,
	.init = condition_init,
	.lock = condition_lock,
	.unlock = condition_unlock,
	.wakeall = condition_wakeall,
	.ticket = condition_ticket,
	.view = condition_view,
};
