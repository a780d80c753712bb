/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rwsem-rt-multi-2008: readers together, and priority inheritance to all of them.
 *
 *   owner    the record of the first reader, or the writer's | WRITER; or one of
 *            READER many, PENDING_READ, PENDING_WRITE released and given to a woken one
 *            | CHECK: no fast paths
 *   readers  records of all readers that own the lock, once there was contention
 *   mutex    an rt_mutex whose tree queues readers and writers by priority; its owner is
 *            the writer that owns the lock, nobody while readers do
 *
 * While readers own the lock and others wait, the strongest waiter lends its priority to
 * every reader: each record has a waiter of its own (proxy) that hangs in its task's
 * pi_waiters on behalf of the strongest. Those lists are gone over whenever the strongest
 * waiter changes, and the chains of readers that are themselves blocked are walked. A
 * reader that comes while others wait goes in (a waiting writer does not keep readers
 * out), unless `readers` of them are inside already; its proxy hangs there at once, but
 * its priority changes only when it is next computed.
 *
 * Releases make the strongest waiter the pending owner, take it off the queue and wake it;
 * until it runs, a stronger one may rob it, and it queues again. The last writer's release
 * wakes all readers before the next writer, one of them pending. The last reader's wakes
 * one; with the limit, every reader's that makes room does.
 *
 * Stands in for "rwsem: The return of multi-reader PI rwsems" (2014), whose code was not
 * found: PROVISIONAL as such. It is the algorithm of 2008 that the title refers to.
 *
 * Mirrors: Linux 2.6.24-rt kernel/rtmutex.c, rw_mutex
 * Deviations:
 *  1. The tree and the chain walk are those of 6.1; the owner word holds a record, not a task.
 *  2. A walk that passes through this lock while readers own it stops here, and goes on
 *     when its waiter, which it wakes, has run.
 *  3. Nobody spins, no killable waits, no downgrade.
 *  4. The limit is the lock's, not a global one.
 *  5. A pending owner is lent nothing. It outranks whoever waits, so that shows only if it is weakened before it runs.
 *  6. A reader of the fast path looks once, and is among `owners` when it is linked: contention begins there.
 */
#include "models/rwsem_rt_multi.h"

static const char *const multi_event_names[] = {
	RTMUTEX_EVENTS(kw_lockevent_name) MULTI_EVENTS(kw_lockevent_name) NULL
};

static bool outranks(const struct task_struct *a, const struct task_struct *b)
{
	struct rt_waiter_node x, y;

	rt_mutex_task_key(&x, a);
	rt_mutex_task_key(&y, b);
	return x.prio < y.prio;
}

static struct rw_record *word_record(unsigned long word)
{
	word &= ~RT_RWLOCK_FLAGS;
	return word & ~RT_RW_WORDS ? (struct rw_record *)word : NULL;
}

static void set_word(struct rw_mutex *rwm, unsigned long word)
{
	WRITE_ONCE(rwm->owner, word);
}

/* Step 1: from here to the end of wait_lock fast paths fail. */
static unsigned long mark_check(struct rw_mutex *rwm)
{
	unsigned long word = READ_ONCE(rwm->owner);

	while (!(word & RT_RWLOCK_CHECK) && !try_cmpxchg(&rwm->owner, &word, word | RT_RWLOCK_CHECK))
		;
	return word & ~RT_RWLOCK_CHECK;
}

/* The first reader came by the fast path; from now on it is one of the list. */
static void link_first(struct rw_mutex *rwm, unsigned long word)
{
	if (!(word & RT_RWLOCK_WRITER) && word_record(word))
		rwm_link_reader(rwm, word_record(word));
}

/* -- taking it; wait_lock held -------------------------------------------------------------------- */

static bool rob(struct rw_mutex *rwm)
{
	if (!outranks(current, rwm->pending))
		return false;
	kw_pi_event(KW_PI_STEAL, current, rwm, rwm->pending, 0);
	lockevent_inc(rwpi_rob);
	rwm->pending = NULL;
	return true;
}

/* Step 6: somebody was woken to own the lock. */
static bool pass_pending(struct rw_mutex *rwm)
{
	struct rw_waiter *top = rwm_top_waiter(rwm);

	if (!rwm->pending || rwm->pending == current || rob(rwm))
		return true;
	if (rwm->pending_mode == LOCK_EXCLUSIVE)
		return false;
	return !top || top->rt.task == current || outranks(current, top->rt.task);
}

static bool try_read(struct rw_mutex *rwm, struct rw_record *rec)
{
	/* 1 */
	unsigned long word = mark_check(rwm);

	if (word & RT_RWLOCK_WRITER)
		return false;
	/* 4 */
	link_first(rwm, word);
	if (!list_empty(&rwm->readers))
		set_word(rwm, RT_RW_READER | RT_RWLOCK_CHECK);
	/* 2 */
	if (rwm_reads(rwm, current)) {
		lockevent_inc(rwpi_read_nest);
	} else if (word || rwm->pending) { /* 3: else nobody there */
		/* 5 */
		if (rwm->limit && rwm->owners >= rwm->limit) {
			lockevent_inc(rwpi_read_limit);
			if (rwm->pending == current) /* late: readers who leave choose again */
				rwm->pending = NULL;
			return false;
		}
		/* 6 */
		if (!pass_pending(rwm))
			return false;
	}
	/* 7 */
	if (rwm->pending == current)
		rwm->pending = NULL;
	else
		lockevent_cond_inc(rwpi_read_pass, rt_mutex_has_waiters(&rwm->mutex));
	set_word(rwm, RT_RW_READER | RT_RWLOCK_CHECK);
	rwm_link_reader(rwm, rec);
	atomic_inc(&rwm->count);
	return true;
}

static void own_for_writing(struct rw_mutex *rwm, struct rw_record *rec)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(&rwm->mutex);

	rwm->mutex.owner = current;
	rwm->writer = rec;
	set_word(rwm, (unsigned long)rec | RT_RWLOCK_WRITER | RT_RWLOCK_CHECK);
	if (!top)
		return;
	raw_spin_lock(&current->pi_lock);
	rt_mutex_enqueue_pi(current, top);
	rt_mutex_adjust_prio(current);
	raw_spin_unlock(&current->pi_lock);
}

static void dequeue(struct rw_mutex *rwm, struct rw_waiter *waiter)
{
	raw_spin_lock(&waiter->rt.task->pi_lock);
	rt_mutex_dequeue(&rwm->mutex, &waiter->rt);
	waiter->rt.task->pi_blocked_on = NULL;
	raw_spin_unlock(&waiter->rt.task->pi_lock);
	waiter->queued = false;
}

static bool try_write(struct rw_mutex *rwm, struct rw_record *rec, struct rw_waiter *waiter)
{
	unsigned long word = mark_check(rwm);
	struct rw_waiter *top;

	link_first(rwm, word);
	if (!list_empty(&rwm->readers)) {
		set_word(rwm, RT_RW_READER | RT_RWLOCK_CHECK);
		return false;
	}
	if (word & RT_RWLOCK_WRITER)
		return false;
	/* whoever robs must outrank those who wait too: or nobody would be left who was woken */
	top = rwm_top_waiter(rwm);
	if (rwm->pending != current && top && top != waiter && !outranks(current, top->rt.task))
		return false;
	if (rwm->pending && rwm->pending != current && !rob(rwm))
		return false;
	rwm->pending = NULL;
	if (waiter && waiter->queued)
		dequeue(rwm, waiter);
	own_for_writing(rwm, rec);
	return true;
}

/* -- waiting ----------------------------------------------------------------------------------------- */

static void block(struct rw_mutex *rwm, struct rw_waiter *waiter)
{
	unsigned long word = READ_ONCE(rwm->owner);

	if (word & RT_RWLOCK_WRITER) /* one that came by the fast path is not the rt_mutex's owner yet */
		rwm->mutex.owner = word_record(word)->task;
	rt_mutex_init_waiter(&waiter->rt, TASK_NORMAL);
	waiter->queued = true;
	if (task_blocks_on_rt_mutex(&rwm->mutex, &waiter->rt, current, RT_MUTEX_MIN_CHAINWALK)) {
		waiter->queued = false; /* it owns the lock itself, and waits for ever */
		if (waiter->rt.task)
			dequeue(rwm, waiter);
	}
}

static bool try_lock(struct rw_mutex *rwm, struct rw_record *rec, struct rw_waiter *waiter)
{
	if (rec->mode == LOCK_EXCLUSIVE)
		return try_write(rwm, rec, waiter);
	if (!try_read(rwm, rec))
		return false;
	if (waiter && waiter->queued)
		dequeue(rwm, waiter);
	return true;
}

/* Fast paths are open only while nobody waits, is woken, or is in the list. */
static void fixup(struct rw_mutex *rwm)
{
	unsigned long word = READ_ONCE(rwm->owner) & ~RT_RWLOCK_CHECK;

	if (!word && !rwm->pending && !rt_mutex_has_waiters(&rwm->mutex))
		set_word(rwm, 0);
}

static void slow_lock(struct rw_mutex *rwm, struct rw_record *rec)
{
	struct rw_waiter waiter = { .mode = rec->mode };
	bool waits = false;

	raw_spin_lock_irq(&rwm->mutex.wait_lock);
	while (!try_lock(rwm, rec, &waiter)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!waiter.queued)
			block(rwm, &waiter);
		if (!waits)
			trace_contention_begin(rwm, LCB_F_RT | (rec->mode == LOCK_SHARED ? LCB_F_READ : LCB_F_WRITE));
		waits = true;
		if (rwm_top_waiter(rwm) == &waiter)
			rwm_adjust_readers(rwm);
		raw_spin_unlock_irq(&rwm->mutex.wait_lock);
		lockevent_inc(rwpi_sleep);
		schedule();
		raw_spin_lock_irq(&rwm->mutex.wait_lock);
	}
	if (waits)
		__set_current_state(TASK_RUNNING);
	rwm_adjust_readers(rwm); /* whoever left the queue may have been the strongest */
	raw_spin_unlock_irq(&rwm->mutex.wait_lock);
	if (waits)
		trace_contention_end(rwm, 0);
}

static bool slow_trylock(struct rw_mutex *rwm, struct rw_record *rec)
{
	bool taken;

	raw_spin_lock_irq(&rwm->mutex.wait_lock);
	taken = try_lock(rwm, rec, NULL);
	fixup(rwm);
	raw_spin_unlock_irq(&rwm->mutex.wait_lock);
	return taken;
}

/* -- releasing --------------------------------------------------------------------------------------- */

static void wake(struct rw_mutex *rwm, struct rw_waiter *waiter, struct wake_q_head *wake_q)
{
	if (waiter->mode == LOCK_SHARED)
		lockevent_inc(rwpi_wake_reader);
	else
		lockevent_inc(rwpi_wake_writer);
	dequeue(rwm, waiter);
	wake_q_add(wake_q, waiter->rt.task);
}

/* The strongest waiter becomes the pending owner; after a writer, readers behind it are woken too (@run). */
static void wake_next(struct rw_mutex *rwm, bool run, struct wake_q_head *wake_q)
{
	struct rw_waiter *top = rwm_top_waiter(rwm);
	bool free = list_empty(&rwm->readers);

	if (rwm->pending || !top) {
		if (free)
			set_word(rwm, !rwm->pending ? 0 : RT_RWLOCK_CHECK |
				 (rwm->pending_mode == LOCK_SHARED ? RT_RW_PENDING_READ : RT_RW_PENDING_WRITE));
		return;
	}
	if (top->mode == LOCK_EXCLUSIVE && !free)
		return;
	rwm->pending = top->rt.task;
	rwm->pending_mode = top->mode;
	if (free)
		set_word(rwm, RT_RWLOCK_CHECK | (top->mode == LOCK_SHARED ? RT_RW_PENDING_READ : RT_RW_PENDING_WRITE));
	wake(rwm, top, wake_q);
	while (run && rwm->pending_mode == LOCK_SHARED && (top = rwm_top_waiter(rwm)) && top->mode == LOCK_SHARED)
		wake(rwm, top, wake_q);
}

static void read_unlock(struct rw_mutex *rwm, struct rw_record *rec)
{
	unsigned long word = (unsigned long)rec;
	DEFINE_WAKE_Q(wake_q);

	atomic_dec(&rwm->count);
	if (try_cmpxchg(&rwm->owner, &word, 0))
		return;
	raw_spin_lock_irq(&rwm->mutex.wait_lock);
	link_first(rwm, mark_check(rwm));
	rwm_unlink_reader(rwm, rec);
	if (list_empty(&rwm->readers) || (rwm->limit && rwm->owners < rwm->limit)) {
		wake_next(rwm, false, &wake_q);
		rwm_adjust_readers(rwm);
	} else {
		set_word(rwm, RT_RW_READER | RT_RWLOCK_CHECK);
	}
	raw_spin_unlock_irq(&rwm->mutex.wait_lock);
	wake_up_q(&wake_q);
}

static void write_unlock(struct rw_mutex *rwm, struct rw_record *rec)
{
	unsigned long word = (unsigned long)rec | RT_RWLOCK_WRITER;
	struct rt_mutex_waiter *top;
	DEFINE_WAKE_Q(wake_q);

	rwm->writer = NULL;
	if (try_cmpxchg(&rwm->owner, &word, 0))
		return;
	raw_spin_lock_irq(&rwm->mutex.wait_lock);
	top = rt_mutex_top_waiter(&rwm->mutex);
	raw_spin_lock(&current->pi_lock);
	if (top)
		rt_mutex_dequeue_pi(current, top);
	rt_mutex_adjust_prio(current);
	raw_spin_unlock(&current->pi_lock);
	rwm->mutex.owner = NULL;
	wake_next(rwm, true, &wake_q);
	raw_spin_unlock_irq(&rwm->mutex.wait_lock);
	wake_up_q(&wake_q);
}

/* -- the simulator's side ------------------------------------------------------------------ */

static const struct lock_param params[] = {
	{ "readers", LOCK_PARAM_COUNT, 0, "readers at a time; 0: any number" },
	{ "max_lock_depth", LOCK_PARAM_COUNT, RT_MUTEX_MAX_LOCK_DEPTH, "blocked tasks a chain walk visits before it gives up" },
	{ NULL },
};

static void multi_init(void *l, const uint64_t *values)
{
	struct rw_mutex *rwm = l;

	rt_mutex_base_init(&rwm->mutex, RT_MUTEX_MIN_CHAINWALK, (unsigned int)values[1]);
	rwm->limit = (int)values[0];
	INIT_LIST_HEAD(&rwm->readers);
}

static int multi_lock(void *l, struct lock_req *req)
{
	struct rw_mutex *rwm = l;
	struct rw_record *rec = req->hold;
	unsigned long word = (unsigned long)rec, none = 0;

	rec->task = current;
	rec->mode = req->mode;
	if (req->mode == LOCK_EXCLUSIVE)
		word |= RT_RWLOCK_WRITER;
	if (try_cmpxchg(&rwm->owner, &none, word)) {
		if (req->mode == LOCK_EXCLUSIVE)
			rwm->writer = rec;
		else
			atomic_inc(&rwm->count);
		return 0;
	}
	if (req->how & LOCK_TRY)
		return slow_trylock(rwm, rec) ? 0 : -EBUSY;
	slow_lock(rwm, rec);
	return 0;
}

static void multi_unlock(void *l, struct lock_req *req)
{
	struct rw_record *rec = req->hold;

	if (rec->mode == LOCK_SHARED)
		read_unlock(l, rec);
	else
		write_unlock(l, rec);
}

/* The waiter moves; if it was the strongest already, the walk has not told the readers. */
static void multi_prio_changed(void *l, struct task_struct *p)
{
	struct rw_mutex *rwm = l;

	rt_mutex_adjust_pi(p);
	raw_spin_lock_irq(&rwm->mutex.wait_lock);
	rwm_adjust_readers(rwm);
	raw_spin_unlock_irq(&rwm->mutex.wait_lock);
}

static void multi_view(const void *l, struct lock_view *view)
{
	const struct rw_mutex *rwm = l;
	unsigned long word = rwm->owner & ~RT_RWLOCK_CHECK;
	const struct rw_record *rec = word_record(word);
	struct rb_node *node;

	if (rec)
		lock_view_owner(view, rec->task, word & RT_RWLOCK_WRITER ? LOCK_EXCLUSIVE : LOCK_SHARED);
	list_for_each_entry(rec, &rwm->readers, list)
		lock_view_owner(view, rec->task, LOCK_SHARED);
	if (rwm->pending)
		lock_view_waiter(view, rwm->pending, rwm->pending_mode);
	for (node = rb_first_cached(&rwm->mutex.waiters); node; node = rb_next(node)) {
		const struct rw_waiter *w = rb_entry(node, struct rw_waiter, rt.tree.entry);

		lock_view_waiter(view, w->rt.task, w->mode);
	}
	view->word = word_record(word) ? ((uint64_t)word_record(word)->task->pid << 2) | (word & RT_RWLOCK_FLAGS) : word;
	if (rwm->pending)
		strcpy(view->flags, rwm->pending_mode == LOCK_SHARED ? "PENDING_READ" : "PENDING_WRITE");
}

static const char *multi_broken(const void *l)
{
	const struct rw_mutex *rwm = l;
	unsigned long word = rwm->owner & ~RT_RWLOCK_CHECK;
	bool readers = rwm->readers.next != &rwm->readers;

	if (rwm->mutex.wait_lock.owner)
		return NULL;
	if (readers && word != RT_RW_READER)
		return "readers own the lock but the word does not say so";
	if (!word && rt_mutex_has_waiters(&rwm->mutex))
		return "the lock is free and somebody waits";
	if (rt_mutex_has_waiters(&rwm->mutex) && !(rwm->owner & RT_RWLOCK_CHECK))
		return "somebody waits and fast paths are open";
	return NULL;
}

LOCK_MODEL(rwsem_rt_multi_2008) = {
	.abi = LOCK_MODEL_ABI,
	.name = "rwsem-rt-multi-2008",
	.mirrors = "Linux 2.6.24-rt kernel/rtmutex.c rw_mutex; stands in for the 2014 RFC (provisional)",
	.summary = "rwsem of PREEMPT_RT with many readers, all of which inherit the strongest waiter's priority",
	.caps = LOCK_CAP_SHARED | LOCK_CAP_TRY,
	.size = sizeof(struct rw_mutex),
	.hold_size = sizeof(struct rw_record),
	.params = params,
	.events = multi_event_names,
	.init = multi_init,
	.lock = multi_lock,
	.unlock = multi_unlock,
	.prio_changed = multi_prio_changed,
	.view = multi_view,
	.broken = multi_broken,
};
