// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * qspinlock: an MCS queue folded into 32 bits.
 *
 *     31          18 17   16 15       8 7        0
 *     | tail CPU + 1 | index | pending  | locked |     (below 16384 CPUs)
 *
 * The first waiter sets `pending` and polls the locked byte; the others queue with
 * per-CPU MCS nodes, four per CPU for four nesting contexts. Only the pending waiter and
 * the head of the queue poll the word, everybody else its own node. A newcomer can take
 * the lock only while the whole word is 0. FIFO by the order of the operations that
 * announce the waiters, and the pending one cannot be overtaken.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/qspinlock.c
 * Deviations: no paravirt; interrupts do not nest, so two of the four nodes are used.
 *
 * The numbers of the steps below are those of the comments in the body:
 *   1 take a free lock          5 announce as pending, or fall back     10 exchange the tail
 *   3 let a pending one pass    6 wait for the locked byte              11 wait to be head
 *   4 anything there: queue     7 take over, one 16-bit store           12 wait for locked|pending
 *                               8 choose a node, 9 try once more        13 last: 14 hand on; 15 done
 */
#include "models/qspinlock.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the bytes of the word");

DEFINE_PER_CPU_ALIGNED(struct qnodes, qspinlock_nodes);
DEFINE_PER_CPU(struct qnodes_seen, qspinlock_seen);

LOCKEVENTS(QSPINLOCK_EVENTS)

static struct mcs_spinlock *decode_tail(u32 tail)
{
	int cpu = (int)(tail >> _Q_TAIL_CPU_SHIFT) - 1;

	return &per_cpu_ptr(&qspinlock_nodes, cpu)->mcs[tail >> _Q_TAIL_IDX_SHIFT & (QSPINLOCK_MAX_NODES - 1)];
}

bool queued_spin_trylock(struct qspinlock *lock)
{
	int val = atomic_read(&lock->val);

	return !val && atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL);
}

static void seen_pending(const struct qspinlock *lock)
{
	struct qnodes_seen *seen = this_cpu_ptr(&qspinlock_seen);

	seen->pending = lock;
	seen->pending_task = current;
}

/* The word when the lock has gone over to who has the pending bit, or when that took too long. */
static u32 pending_handed_over(struct qspinlock *lock)
{
	u32 val = (u32)atomic_read(&lock->val);

	for (int left = _Q_PENDING_LOOPS; val == _Q_PENDING_VAL && left; left--) {
		cpu_relax();
		val = (u32)atomic_read(&lock->val);
	}
	return val;
}

/* 3-7 */
bool queued_spin_pending(struct qspinlock *lock, u32 val)
{
	if (val == _Q_PENDING_VAL) /* 3 */
		val = pending_handed_over(lock);
	if (val & ~_Q_LOCKED_MASK) /* 4 */
		return false;
	model_step("qspinlock-pending");
	val = (u32)atomic_fetch_or_acquire(_Q_PENDING_VAL, &lock->val); /* 5 */
	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_VAL))
			WRITE_ONCE(lock->pending, (u8)(val >> 8)); /* 0, but for hqlock.c's mode */
		return false;
	}
	trace_contention_begin(lock, LCB_F_SPIN);
	seen_pending(lock);
	if (val & _Q_LOCKED_MASK)
		smp_cond_load_acquire(&lock->locked, !VAL);		/* 6 */
	WRITE_ONCE(lock->locked_pending, (u16)_Q_LOCKED_VAL);		/* 7 */
	lockevent_inc(lock_pending);
	seen_pending(NULL);
	trace_contention_end(lock, 0);
	return true;
}

/* 11. Returns when the node is the head of the queue: the next node, if it is there already. */
static struct mcs_spinlock *wait_for_headship(struct mcs_spinlock *prev, struct mcs_spinlock *node)
{
	model_step("qspinlock-link");
	WRITE_ONCE(prev->next, node);
	smp_cond_load_acquire(&node->locked, VAL);
	return READ_ONCE(node->next);
}

/* 12-14 */
static void take_as_head(struct qspinlock *lock, struct mcs_spinlock *node, struct mcs_spinlock *next, u32 tail)
{
	int val = atomic_cond_read_acquire(&lock->val, !((u32)VAL & _Q_LOCKED_PENDING_MASK)); /* 12 */

	if (((u32)val & _Q_TAIL_MASK) == tail &&
	    atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL)) /* 13 */
		return;
	WRITE_ONCE(lock->locked, (u8)_Q_LOCKED_VAL); /* 14 */
	if (!next)
		next = smp_cond_load_relaxed(&node->next, VAL != NULL);
	smp_store_release(&next->locked, 1);
}

static void queue_with_node(struct qspinlock *lock, struct mcs_spinlock *node, int idx)
{
	struct mcs_seen *seen = &this_cpu_ptr(&qspinlock_seen)->node[idx];
	u32 tail = queued_spin_tail(smp_processor_id(), idx), old;
	struct mcs_spinlock *next = NULL;

	lockevent_cond_inc(lock_use_node2, idx == 1);
	lockevent_cond_inc(lock_use_node3, idx == 2);
	lockevent_cond_inc(lock_use_node4, idx == 3);
	node->locked = 0;
	node->next = NULL;
	mcs_seen_init(seen, node);
	if (queued_spin_trylock(lock)) /* 9 */
		return;
	old = (u32)xchg_relaxed(&lock->tail, (u16)(tail >> _Q_TAIL_IDX_SHIFT)) << _Q_TAIL_IDX_SHIFT; /* 10 */
	seen->prev = old ? decode_tail(old) : NULL;
	trace_contention_begin(lock, LCB_F_SPIN);
	if (old)
		next = wait_for_headship(decode_tail(old), node);
	take_as_head(lock, node, next, tail);
	trace_contention_end(lock, 0);
}

void queued_spin_lock_slowpath(struct qspinlock *lock, u32 val)
{
	struct qnodes *nodes;
	int idx;

	if (queued_spin_pending(lock, val))
		return;
	lockevent_inc(lock_slowpath);
	nodes = this_cpu_ptr(&qspinlock_nodes); /* 8 */
	idx = nodes->mcs[0].count++;
	if (idx < QSPINLOCK_MAX_NODES) {
		queue_with_node(lock, &nodes->mcs[idx], idx);
	} else {
		lockevent_inc(lock_no_node);
		while (!queued_spin_trylock(lock))
			cpu_relax();
	}
	nodes->mcs[0].count--; /* 15 */
}

void queued_spin_lock(struct qspinlock *lock)
{
	int val = 0;

	if (!atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)) /* 1 */
		queued_spin_lock_slowpath(lock, (u32)val);
}

void queued_spin_unlock(struct qspinlock *lock)
{
	smp_store_release(&lock->locked, 0);
}

/* --------------------------------------------------------------------------------------- */

static void qspinlock_init(void *l, const uint64_t *params)
{
	struct qspinlock *lock = l;

	atomic_set(&lock->val, 0);
}

static int qspinlock_lock(void *l, struct lock_req *req)
{
	struct qspinlock *lock = l;

	preempt_disable();
	if (req->how & LOCK_TRY) {
		if (queued_spin_trylock(lock))
			return 0;
		preempt_enable();
		return -EBUSY;
	}
	queued_spin_lock(lock);
	return 0;
}

void qspinlock_model_unlock(void *l, struct lock_req *req)
{
	queued_spin_unlock(l);
	preempt_enable();
}

/* Its CPU's column is the same in both tables. */
static const struct mcs_seen *qnode_seen(const struct mcs_spinlock *node)
{
	size_t at = (size_t)((const char *)node - (const char *)per_cpu_ptr(&qspinlock_nodes, 0));
	const struct qnodes_seen *seen = per_cpu_ptr(&qspinlock_seen, at / kw_percpu_stride);

	return &seen->node[at % kw_percpu_stride / sizeof(*node)];
}

/* The pending bit alone could be of one who is about to give it up and queue. */
static void view_pending(const struct qspinlock *lock, struct lock_view *view)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct qnodes_seen *seen = per_cpu_ptr(&qspinlock_seen, cpu);

		if (seen->pending == lock)
			lock_view_waiter(view, seen->pending_task, LOCK_EXCLUSIVE);
	}
}

void qspinlock_model_view(const void *l, struct lock_view *view)
{
	const struct qspinlock *lock = l;
	u32 tail = (u32)lock->val.counter & _Q_TAIL_MASK;

	if (lock->pending)
		view_pending(lock, view);
	if (tail)
		mcs_view_queue(view, decode_tail(tail), true, qnode_seen);
	view->word = (uint32_t)lock->val.counter;
}

LOCK_MODEL(qspinlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = "qspinlock",
	.mirrors = "Linux 6.1.192 kernel/locking/qspinlock.c",
	.summary = "queued spinlock: pending bit, then an MCS queue of per-CPU nodes",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_RAW | LOCK_CAP_FIFO,
	.size = sizeof(struct qspinlock),
	.events = lockevent_names,
	.init = qspinlock_init,
	.lock = qspinlock_lock,
	.unlock = qspinlock_model_unlock,
	.view = qspinlock_model_view,
};
