// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HQ lock, the hierarchical NUMA-aware qspinlock: a queue per node, and a queue of nodes.
 *
 *     word     locked | pending, mode            the tail of the qspinlock is not used
 *     nodes    first | last | loan, lent         the queue of nodes that have waiters
 *     node i   head, loan | tail, before, after, detours      a line of its own each
 *
 * A waiter queues with its node only, and touches the nodes' line when it is the first
 * there: it then puts the node behind the last one. One waiter in all, the head, polls the
 * word. When it has the lock it makes the next of its node the head; after more than
 * `fairness` of these in a row, or when its node is empty and leaves the queue of nodes, the
 * first waiter of the node behind; from the last node it goes to the first again, and from
 * anywhere after a detour past every node.
 *
 * The first who has to queue borrows the queues and sets `mode`: from then on nobody but the
 * head takes the lock. Who finds that nobody waits gives them back. A queue's tail carries
 * the number of the loan, so that who is late does not join one that has ended.
 *
 * Mirrors: "Introduce Hierarchical Queued NUMA-aware spinlock", RFC v2, Stepanov and Fedorov,
 * December 2025: written from a reading of the patches, provisional; not merged
 * Deviations: (1) there a lock is a qspinlock, tail and all, until that drains after more
 * than 50 hand-overs; it is one with these queues from the start here; (2) the queues belong
 * to the lock: there they come from a pool, by a hash of its address, and a lock that finds
 * them lent to another one stays a qspinlock; (3) no paravirt;
 * (4) nodes from 64 on share the queues of the lower ones.
 *
 * With the step numbers of qspinlock.c:
 *   8a borrow the queues   10 queue with the node  10a the first: append the node
 *   11 wait to be head     12 wait for locked|pending
 *   13 nobody of the node is left: take it out  13a nobody at all: give the queues back
 *   14 hand on: a within the node  b to another one
 */
#include "models/hqlock.h"

#include "sim/model.h"

struct hq_waiters {
	struct hq_waiter waiter[QSPINLOCK_MAX_NODES];
};

DEFINE_PER_CPU_ALIGNED(struct hq_waiters, hq_waiters);

enum { HQ_LOCAL = 0, HQ_FIRST = -1 }; /* whom to hand on to; else the number of a node */

static struct hq_waiter *to_hq(struct mcs_spinlock *mcs)
{
	return container_of(mcs, struct hq_waiter, mcs);
}

static struct mcs_spinlock *hq_decode(u32 tail)
{
	int cpu = (int)(tail >> _Q_TAIL_CPU_SHIFT) - 1;

	return &per_cpu_ptr(&hq_waiters, cpu)
			->waiter[tail >> _Q_TAIL_IDX_SHIFT & (QSPINLOCK_MAX_NODES - 1)]
			.mcs;
}

/* -- 13 ------------------------------------------------------------------------------------------- */

/* A waiter came to the node after that had left the queue. Returns as hq_leave(). */
static bool hq_rejoin(struct hq_lock *lock, struct hq_queue *queue, struct hq_waiter *head, bool drained,
		      int *to)
{
	u16 last;

	lockevent_inc(hq_rejoin);
	WRITE_ONCE(queue->after, 0);
	WRITE_ONCE(queue->before, 0);
	last = hq_append_node(lock, head->node);
	*to = HQ_LOCAL;
	if (!last || !drained)
		return false;
	/* Another node found the queue empty: its waiter is the head by itself. */
	WRITE_ONCE(queue->head, to_hq(smp_cond_load_relaxed(&head->mcs.next, VAL != NULL)));
	return true;
}

/* The head has the lock. True: nobody is to be told; else @to says whom to hand the headship on to. */
static bool hq_leave(struct hq_lock *lock, struct hq_queue *queue, struct hq_waiter *head, int *to)
{
	bool out = false, drained = false;
	u16 before, after = 0, node = head->node;

	*to = HQ_LOCAL;
	if (READ_ONCE(queue->tail) != head->tail)
		return false;
	before = READ_ONCE(queue->before);
	if (before && READ_ONCE(lock->nodes.last) == node) {
		out = hq_take_out_last(lock, queue, node, before);
		if (!out)
			after = READ_ONCE(queue->after);
	}
	if (!before && READ_ONCE(lock->nodes.last) == node) /* the only one */
		drained = cmpxchg_release(&lock->nodes.both, (u32)node << 16 | node, 0) ==
			  ((u32)node << 16 | node);
	if (!out && !drained && !after)
		after = smp_cond_load_relaxed(&queue->after, VAL != 0);
	model_step("hq-leave");
	if (cmpxchg(&queue->tail, head->tail, 0) != head->tail)
		return (out || drained) && hq_rejoin(lock, queue, head, drained, to);
	if (drained)
		hq_return(lock);
	else if (!out)
		hq_take_out(lock, before, after);
	*to = out ? HQ_FIRST : after;
	return drained;
}

/* -- 14 ------------------------------------------------------------------------------------------- */

/* b */
static void hq_pass_remote(struct hq_lock *lock, struct hq_queue *queue, struct hq_waiter *head, int to)
{
	u16 detours = READ_ONCE(queue->detours), first = READ_ONCE(lock->nodes.first);
	struct hq_queue *next;

	if (to > 0 && detours < hq_nr_nodes()) {
		detours = (u16)(detours + (first != head->node));
	} else {
		to = first ? first : smp_cond_load_relaxed(&lock->nodes.first, VAL != 0);
		detours = 0;
	}
	next = hq_queue_of(lock, (u16)to);
	WRITE_ONCE(next->detours, detours);
	smp_store_release(&READ_ONCE(next->head)->mcs.locked, 1);
}

/* After too many of the own node: which other one is next? HQ_LOCAL: none is to be seen. */
static int hq_node_behind(struct hq_lock *lock, struct hq_queue *queue, struct hq_waiter *head)
{
	u16 after = READ_ONCE(queue->after);

	if (READ_ONCE(lock->nodes.last) != head->node)
		return after; /* 0: not linked yet, another time */
	if (READ_ONCE(lock->nodes.first) != head->node)
		return HQ_FIRST;
	head->handoffs = 0; /* alone */
	return HQ_LOCAL;
}

static void hq_pass(struct hq_lock *lock, struct hq_queue *queue, struct hq_waiter *head, int to)
{
	struct hq_waiter *next;

	if (to != HQ_LOCAL) {
		lockevent_inc(hq_remote);
		hq_pass_remote(lock, queue, head, to);
		return;
	}
	next = to_hq(smp_cond_load_relaxed(&head->mcs.next, VAL != NULL));
	WRITE_ONCE(queue->head, next);
	if (head->handoffs > lock->fairness) {
		to = hq_node_behind(lock, queue, head);
		if (to != HQ_LOCAL) {
			lockevent_inc(hq_bound);
			hq_pass_remote(lock, queue, head, to);
			return;
		}
	}
	lockevent_inc(hq_local);
	next->handoffs = (u16)min(head->handoffs + 1, 0xfffe); /* a */
	smp_store_release(&next->mcs.locked, 1);
}

/* -- queueing ------------------------------------------------------------------------------------- */

static void hq_init_waiter(struct hq_waiter *w, int idx)
{
	lockevent_cond_inc(lock_use_node2, idx == 1);
	lockevent_cond_inc(lock_use_node3, idx == 2);
	lockevent_cond_inc(lock_use_node4, idx == 3);
	w->mcs.locked = 0;
	w->mcs.next = NULL;
	w->node = (u16)(numa_node_id() % HQ_NODES + 1);
	w->handoffs = 0;
	w->tail = queued_spin_tail(smp_processor_id(), idx);
}

/* 10. Returns whether others are before it: then it waits to be made the head. */
static bool hq_enqueue(struct hq_lock *lock, struct hq_waiter *w)
{
	struct hq_queue *queue = hq_queue_of(lock, w->node);
	u64 loan_tail;
	u32 loan, old;

	do {
		loan = hq_borrow(lock);
		loan_tail = READ_ONCE(queue->loan_tail);
		while (loan_tail >> 32 == loan &&
		       !try_cmpxchg_relaxed(&queue->loan_tail, &loan_tail, hq_loan_tail(loan, w->tail)))
			;
	} while (loan_tail >> 32 != loan);
	old = (u32)loan_tail;
	if (old) {
		model_step("hq-link");
		WRITE_ONCE(hq_decode(old)->next, &w->mcs);
		return true;
	}
	WRITE_ONCE(queue->head, w);
	WRITE_ONCE(queue->detours, 0);
	WRITE_ONCE(queue->after, 0);
	WRITE_ONCE(queue->before, 0);
	return hq_append_node(lock, w->node) != 0; /* 10a */
}

static void hq_queue_up(struct hq_lock *lock, struct hq_waiter *w)
{
	int to;

	if (queued_spin_trylock(&lock->q)) /* 9 */
		return;
	trace_contention_begin(lock, LCB_F_SPIN);
	if (hq_enqueue(lock, w))
		smp_cond_load_acquire(&w->mcs.locked, VAL);                                      /* 11 */
	atomic_cond_read_acquire(&lock->q.val, !((u32)VAL & (_Q_LOCKED_MASK | _Q_PENDING_VAL))); /* 12 */
	WRITE_ONCE(lock->q.locked, (u8)_Q_LOCKED_VAL);
	if (!hq_leave(lock, hq_queue_of(lock, w->node), w, &to))  /* 13 */
		hq_pass(lock, hq_queue_of(lock, w->node), w, to); /* 14 */
	trace_contention_end(lock, 0);
}

static void hq_lock_slow(struct hq_lock *lock, u32 val)
{
	struct hq_waiters *mine;
	int idx;

	if (queued_spin_pending(&lock->q, val))
		return;
	lockevent_inc(lock_slowpath);
	mine = this_cpu_ptr(&hq_waiters); /* 8 */
	idx = mine->waiter[0].mcs.count++;
	if (idx < QSPINLOCK_MAX_NODES) {
		hq_init_waiter(&mine->waiter[idx], idx);
		hq_queue_up(lock, &mine->waiter[idx]);
	} else {
		lockevent_inc(lock_no_node);
		while (!queued_spin_trylock(&lock->q))
			cpu_relax();
	}
	mine->waiter[0].mcs.count--; /* 15 */
}

/* -- the simulator's side -------------------------------------------------------------------------- */

static const struct lock_param hq_params[] = {
	{"fairness", LOCK_PARAM_COUNT, 1000, "hand-overs within a node in a row that let other nodes wait"},
	{NULL},
};

static void hq_init(void *l, const uint64_t *params)
{
	struct hq_lock *lock = l;

	atomic_set(&lock->q.val, 0);
	lock->fairness = (u32)min(params[0], (uint64_t)60000);
}

static int hq_model_lock(void *l, struct lock_req *req)
{
	struct hq_lock *lock = l;

	preempt_disable();
	if (queued_spin_trylock(&lock->q)) /* 1: looks before it writes, unlike the qspinlock */
		return 0;
	if (req->how & LOCK_TRY) {
		preempt_enable();
		return -EBUSY;
	}
	hq_lock_slow(lock, (u32)atomic_read(&lock->q.val));
	return 0;
}

static void hq_model_unlock(void *l, struct lock_req *req)
{
	struct hq_lock *lock = l;

	smp_store_release(&lock->q.locked, 0);
	preempt_enable();
}

static void hq_view(const void *l, struct lock_view *view)
{
	const struct hq_lock *lock = l;

	view->word = (uint32_t)lock->q.val.counter;
}

LOCK_MODEL(hqlock) = {
	.abi = LOCK_MODEL_ABI,
	.name = "hqlock",
	.mirrors = "hierarchical queued spinlock, RFC v2 (Stepanov, Fedorov 2025); provisional",
	.summary = "qspinlock with a queue per node below a queue of nodes, handed on within the node",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct hq_lock),
	.params = hq_params,
	.events = lockevent_names,
	.init = hq_init,
	.lock = hq_model_lock,
	.unlock = hq_model_unlock,
	.view = hq_view,
};
