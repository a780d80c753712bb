/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of locks -> struct run_lock, and who owns and waits for what.
 *
 * The meanings are those of the semantics: a wait is from the call of lock() to its
 * return, a hold from there to the call of unlock(). What ends before the warm-up is over
 * changes ownership but no statistics.
 */
#include "sim/run/watch_impl.h"

#define HOLDS_PER_CHUNK 128

/* -- holds ----------------------------------------------------------------------------------- */

static inline struct watch_hold *hold_get(struct watch *w)
{
	struct watch_hold *h = w->free_hold;

	if (!h) {
		struct watch_hold *chunk = g_new0(struct watch_hold, HOLDS_PER_CHUNK);

		g_ptr_array_add(w->chunks, chunk);
		for (unsigned i = 0; i < HOLDS_PER_CHUNK; i++) {
			chunk[i].next_task = w->free_hold;
			w->free_hold = &chunk[i];
		}
		h = w->free_hold;
	}
	w->free_hold = h->next_task;
	return h;
}

static inline void hold_add(struct watch *w, uint32_t task, uint32_t lock, enum lock_mode mode, sim_time now)
{
	struct watch_lock *l = &w->lock[lock];
	struct watch_task *t = &w->task[task];
	struct watch_hold *h = hold_get(w);

	h->task = task;
	h->lock = lock;
	h->mode = mode;
	h->statement = t->statement;
	h->since = now;
	h->next_task = t->holds;
	t->holds = h;
	h->next_lock = NULL;
	h->prev_lock = l->newest;
	if (l->newest)
		l->newest->next_lock = h;
	else
		l->oldest = h;
	l->newest = h;
	if (mode == LOCK_EXCLUSIVE)
		l->nexcl++;
	else
		l->nshared++;
}

/* The hold that an unlock by @task ends: its own latest; for locks that anyone may release, else the oldest.
 */
static struct watch_hold *hold_find(struct watch *w, uint32_t task, uint32_t lock)
{
	struct watch_hold *h;

	for (h = w->task[task].holds; h; h = h->next_task)
		if (h->lock == lock)
			return h;
	return w->lock[lock].caps & LOCK_CAP_ANYONE ? w->lock[lock].oldest : NULL;
}

static inline void hold_remove(struct watch *w, struct watch_hold *h)
{
	struct watch_lock *l = &w->lock[h->lock];
	struct watch_hold **p = &w->task[h->task].holds;

	while (*p != h)
		p = &(*p)->next_task;
	*p = h->next_task;
	if (h->prev_lock)
		h->prev_lock->next_lock = h->next_lock;
	else
		l->oldest = h->next_lock;
	if (h->next_lock)
		h->next_lock->prev_lock = h->prev_lock;
	else
		l->newest = h->prev_lock;
	if (h->mode == LOCK_EXCLUSIVE)
		l->nexcl--;
	else
		l->nshared--;
	h->next_task = w->free_hold;
	w->free_hold = h;
}

/* -- open waits -------------------------------------------------------------------------------- */

static inline void wait_add(struct watch *w, struct watch_task *t, struct watch_lock *l)
{
	uint32_t task = watch_task_index(w, t), last = l->last_wait[t->op_mode];

	t->prev_wait = last;
	t->next_wait = WATCH_NONE;
	if (last == WATCH_NONE)
		l->first_wait[t->op_mode] = task;
	else
		w->task[last].next_wait = task;
	l->last_wait[t->op_mode] = task;
	l->nwait++;
	t->op_waits = true;
	t->op_barrier = WATCH_NONE;
	t->op_holding = t->holds;
	l->nwait_holding += t->op_holding;
}

static inline void wait_remove(struct watch *w, struct watch_task *t, struct watch_lock *l)
{
	uint32_t prev = t->prev_wait, next = t->next_wait;

	if (!t->op_waits)
		return;
	if (prev == WATCH_NONE)
		l->first_wait[t->op_mode] = next;
	else
		w->task[prev].next_wait = next;
	if (next == WATCH_NONE)
		l->last_wait[t->op_mode] = prev;
	else
		w->task[next].prev_wait = prev;
	l->nwait--;
	l->nwait_holding -= t->op_holding;
	t->op_waits = false;
}

/* Was a wait that cannot share the lock with @t open before @t called? */
static inline bool wait_robbed(const struct watch *w, const struct watch_lock *l, const struct watch_task *t)
{
	uint32_t first = l->first_wait[LOCK_EXCLUSIVE];

	if (first != WATCH_NONE && w->task[first].op_seq < t->op_seq)
		return true;
	if (t->op_mode == LOCK_SHARED)
		return false;
	first = l->first_wait[LOCK_SHARED];
	return first != WATCH_NONE && w->task[first].op_seq < t->op_seq;
}

/* -- inside an operation ------------------------------------------------------------------------ */

static inline void op_enter(struct watch_task *t, struct watch_lock *l, uint32_t lock, enum watch_op op)
{
	sim_assert(t->op == WATCH_OP_NONE);
	t->op = op;
	t->op_lock = lock;
	t->op_at = l;
	l->inside++;
	l->awake_inside++;
}

static inline void op_leave(struct watch *w, struct watch_task *t, struct watch_lock *l)
{
	wait_remove(w, t, l);
	t->op = WATCH_OP_NONE;
	l->inside--;
	l->awake_inside--;
}

/* Small runs are looked at at every quiet moment. */
static inline bool quiet_due(const struct watch_lock *l)
{
	return l->wants_quiet && (l->quiet <= 4096 || l->quiet % 256 == 0);
}

/* After an operation ended, or a task fell asleep in one: is that a moment of rest? */
static inline void op_rest(struct watch *w, struct watch_lock *l)
{
	if (!l->inside) {
		l->quiet++;
		if (quiet_due(l))
			watch_moment(w, WATCH_ON_LULL, WATCH_NONE, watch_lock_index(w, l));
	} else if (!l->awake_inside && l->sleepers && watch_free_lock(l)) {
		watch_moment(w, WATCH_ON_STRANDED, WATCH_NONE, watch_lock_index(w, l));
	}
}

/*
 * May a wait that just began close a cycle? Not behind a free lock, nor behind one owner that
 * waits for nothing: the common cases.
 */
static inline bool may_close(const struct watch *w, const struct watch_task *t, const struct watch_lock *l)
{
	const struct watch_hold *h = l->oldest;

	if (!h)
		return t->op_mode == LOCK_SHARED; /* behind a queued writer */
	return h->mode != LOCK_EXCLUSIVE || h->next_lock || w->task[h->task].op == WATCH_OP_LOCK;
}

void fold_lock_sleep(struct watch *w, struct watch_task *t)
{
	struct watch_lock *l = t->op_at;

	l->awake_inside--;
	if (t->op == WATCH_OP_LOCK) {
		t->op_contended = true;
		l->sleepers++;
		l->sleeps++;
		if (w->now >= w->from) {
			l->sum->sleeps++;
			t->sleeps++;
		}
		if (may_close(w, t, l))
			watch_moment(w, WATCH_ON_CHAINED, watch_task_index(w, t), t->op_lock);
	}
	watch_moment(w, WATCH_ON_SLEEP, watch_task_index(w, t), t->op_lock);
	op_rest(w, l);
}

void fold_lock_wake(struct watch *w, struct watch_task *t)
{
	struct watch_lock *l = t->op_at;

	l->awake_inside++;
	if (t->op == WATCH_OP_LOCK) {
		l->sleepers--;
		l->wakeups++;
		l->sum->wakeups += w->now >= w->from;
	}
}

/* -- records ------------------------------------------------------------------------------------ */

static inline bool lock_compatible(const struct watch_lock *l, enum lock_mode mode)
{
	if (l->counting)
		return l->open || l->avail > 0;
	return !l->nexcl && (mode == LOCK_SHARED || !l->nshared);
}

void fold_call(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = &w->lock[lock];

	sim_assert(task < w->nall && lock < w->nlock);
	op_enter(t, l, lock, WATCH_OP_LOCK);
	t->statement = (uint32_t)rec->val;
	t->op_mode = (enum lock_mode)(rec->arg & 0xff);
	t->op_how = rec->arg >> 8;
	t->op_since = rec->time;
	t->op_ran = watch_task_spent(w, t, WATCH_SPENT_RUNNING, rec->time);
	t->op_slept = t->spent[WATCH_SPENT_BLOCKED];
	t->op_passed = 0;
	t->op_ahead = 0;
	t->op_seq = ++l->seq;
	t->op_contended = !lock_compatible(l, t->op_mode);
	if (!(t->op_how & LOCK_TRY)) {
		wait_add(w, t, l);
		if (w->accounting)
			account_open(w, task);
	}
	if (l->caps & LOCK_CAP_SPIN && t->op_contended && (t->holds || t->irq))
		watch_moment(w, WATCH_ON_CHAINED, task, lock);
	if (l->seq >= l->count_due)
		watch_moment(w, WATCH_ON_COUNT, task, lock);
	if (t->state == WATCH_ASLEEP) /* a condition moved it here */
		fold_lock_sleep(w, t);
}

/* What a wait came to, whichever way it ended. */
static inline void wait_close(struct watch *w, struct watch_task *t, struct watch_lock *l, sim_time now)
{
	uint32_t task = watch_task_index(w, t);

	l->sum->asleep += t->spent[WATCH_SPENT_BLOCKED] - t->op_slept;
	if (t->op_contended) {
		sim_time ran = watch_task_spent(w, t, WATCH_SPENT_RUNNING, now) - t->op_ran;

		l->sum->spin += ran;
		t->spin += ran;
	}
	if (w->accounting && t->op_waits)
		account_close(w, task, now >= w->from);
}

static inline void count_handover(struct watch *w, struct watch_lock *l, uint32_t cpu, bool counts)
{
	uint32_t last = l->last_cpu;

	l->last_cpu = cpu;
	if (last == WATCH_NONE || !counts)
		return;
	if (w->distance)
		l->sum->handover[w->distance[last * w->ncpu + cpu]]++;
	else
		l->sum->handover[w->b->machine ? sim_distance(last, cpu) : SIM_DIST_SELF]++;
}

/* Is a lock that was just granted shared in a way that its mode forbids? */
static inline bool overlaps(const struct watch_lock *l)
{
	if (l->counting)
		return !l->open && l->avail < 0;
	return l->nexcl + (l->nshared > 0) > 1;
}

static inline void grant_counts(struct watch *w, struct watch_task *t, struct watch_lock *l, sim_time now)
{
	struct run_lock *r = l->sum;
	sim_time wait = now - t->op_since;

	r->acquisitions[t->op_mode]++;
	r->contended[t->op_mode] += t->op_contended;
	run_dist_add(&r->wait[t->op_mode], wait);
	run_dist_add(&t->wait, wait);
}

void fold_grant(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = t->op_at;
	bool counts = rec->time >= w->from;

	sim_assert(task < w->nall && t->op == WATCH_OP_LOCK && t->op_lock == lock);
	t->op_contended |= rec->val & 1;
	wait_close(w, t, l, rec->time);
	if (counts)
		grant_counts(w, t, l, rec->time);
	if (t->state == WATCH_ASLEEP) /* to be moved to another lock */
		fold_lock_wake(w, t);
	op_leave(w, t, l);
	l->grants++;
	if (counts && l->nwait && wait_robbed(w, l, t))
		l->sum->steals++;
	if (l->counting && (l->avail > 0 || !(l->caps & LOCK_CAP_CONDITION)))
		l->avail--; /* a wake-up may be heard twice: by a sleeper, and by one on its way to sleep */
	if (!l->holdless)
		hold_add(w, task, lock, t->op_mode, rec->time);
	if (t->op_mode == LOCK_EXCLUSIVE)
		count_handover(w, l, rec->cpu, counts);
	if (overlaps(l))
		watch_moment(w, WATCH_ON_OVERLAP, task, lock);
	if (l->grants + l->fails <= t->op_ahead)
		watch_moment(w, WATCH_ON_PASSED, task, lock);
	watch_moment(w, WATCH_ON_GRANT, task, lock);
	op_rest(w, l);
}

void fold_fail(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = t->op_at;

	sim_assert(task < w->nall && t->op == WATCH_OP_LOCK && t->op_lock == lock);
	wait_close(w, t, l, rec->time);
	if (rec->time >= w->from) {
		l->sum->failed++;
		if (!(t->op_how & LOCK_TRY)) { /* a wait that ended, if not with the lock */
			run_dist_add(&l->sum->wait[t->op_mode], rec->time - t->op_since);
			run_dist_add(&t->wait, rec->time - t->op_since);
		}
	}
	op_leave(w, t, l);
	if (l->caps & LOCK_CAP_CONDITION)
		l->avail = MIN(l->avail, (int64_t)l->nwait);
	l->fails++;
	watch_moment(w, WATCH_ON_FAIL, task, lock);
	op_rest(w, l);
}

static bool is_wakeall(const struct watch *w, uint32_t statement)
{
	return statement < w->b->nstatement && w->wakeall && w->wakeall[statement];
}

void fold_unlock(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = &w->lock[lock];
	struct watch_hold *h;

	sim_assert(task < w->nall && lock < w->nlock);
	if (w->nset)
		watch_moment(w, WATCH_ON_AFTER_SET, WATCH_NONE, WATCH_NONE);
	t->statement = (uint32_t)rec->val;
	h = l->holdless ? NULL : hold_find(w, task, lock);
	if (!h && !(l->caps & LOCK_CAP_ANYONE)) { /* the model is not asked: no UNLOCKED will come */
		watch_moment(w, WATCH_ON_NO_HOLD, task, lock);
		return;
	}
	op_enter(t, l, lock, WATCH_OP_UNLOCK);
	l->releases++;
	if (l->caps & LOCK_CAP_CONDITION)
		l->avail = is_wakeall(w, (uint32_t)rec->val) ? l->nwait : MIN(l->avail + 1, (int64_t)l->nwait);
	else if (l->counting)
		l->avail++;
	if (l->holdless && !(l->caps & LOCK_CAP_CONDITION) && is_wakeall(w, (uint32_t)rec->val))
		l->open = true;
	if (h) {
		if (rec->time >= w->from)
			run_dist_add(&l->sum->hold[h->mode], rec->time - h->since);
		hold_remove(w, h);
		if (!l->nexcl && !l->nshared)
			l->free_since = rec->time;
	}
}

void fold_unlocked(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = t->op_at;

	sim_assert(task < w->nall && t->op == WATCH_OP_UNLOCK && t->op_lock == lock);
	op_leave(w, t, l);
	watch_moment(w, WATCH_ON_UNLOCKED, task, lock);
	op_rest(w, l);
}

/* The exclusive part of the hold ends at the call and a shared one begins. */
void fold_downgrade(struct watch *w, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;
	struct watch_task *t = &w->task[task];
	struct watch_lock *l = &w->lock[lock];
	struct watch_hold *h = hold_find(w, task, lock);

	if (rec->arg) { /* it returned */
		op_leave(w, t, l);
		op_rest(w, l);
		return;
	}
	op_enter(t, l, lock, WATCH_OP_UNLOCK);
	if (!h || h->mode != LOCK_EXCLUSIVE)
		return;
	if (rec->time >= w->from)
		run_dist_add(&l->sum->hold[LOCK_EXCLUSIVE], rec->time - h->since);
	h->mode = LOCK_SHARED;
	h->since = rec->time;
	l->nexcl--;
	l->nshared++;
}

void fold_event(struct watch *w, const struct sim_rec *rec)
{
	uint32_t lock = rec->obj - 1;
	struct watch_lock *l = &w->lock[lock];

	if (lock >= w->nlock || rec->arg >= l->nevents || rec->time < w->from)
		return;
	w->rlock[lock].event[rec->arg] += rec->val;
	if (l->is_handoff[rec->arg])
		w->rlock[lock].handoffs += rec->val;
}

/* Sums of the whole run: lines keep no history. */
void fold_line_sum(struct watch *w, const struct sim_rec *rec)
{
	uint32_t lock = w->nlock ? bound_lock_of_object(w->b, rec->obj - 1) : BOUND_NONE;

	if (lock != BOUND_NONE && lock < w->nlock && rec->arg < RUN_DISTS)
		w->rlock[lock].transfers[rec->arg] += rec->val;
}
