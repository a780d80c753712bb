// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CNA, the compact NUMA-aware qspinlock: waiters of the holder's node go first.
 *
 * Word, fast path and pending waiter are those of the qspinlock. Only the order of the
 * queue is another: its head, while it waits for the lock, moves waiters of other nodes
 * to a secondary queue until one of its own node is next.
 *
 *     primary     head ─> local ─> … <── tail (in the word)
 *     secondary   remote ─> remote ─> remote ─┐    head->locked: code of the last one;
 *                    ^────────────────────────┘    its next is the first: one pointer does
 *
 * The secondary queue travels with the headship. It becomes the primary one when that is
 * empty, and goes before it when its first waiter was put there more than `threshold`
 * ago. Waiters in interrupts, with interrupts off, and RT tasks are not moved.
 *
 * Mirrors: "Add NUMA-awareness to qspinlock", patches 1, 4-6 of v13 and 5 of v14 (Kogan
 * 2020/21; Kogan and Dice, arXiv 1810.05600); never merged
 * Deviations: (1) no paravirt; (2) the threshold is looked at where the headship is handed
 * on, too, not only where it is taken; (3) `shuffle_reduction` draws from a congruential
 * sequence per CPU, seeded with its number; (4) the head goes on moving waiters for as long
 * as it waits, as in v15, where v13 and v14 move one at most and then take the next one for local; as in v15, too,
 * the preferred node is passed on only along with a secondary queue.
 *
 * Head of the queue, with the step numbers of qspinlock.c:
 *   11a order the queue   12 wait for locked|pending   13 last: or the secondary queue's turn
 *   14 hand on: a no secondary queue  b to the next, with it  c its turn: before the next
 */
#include "models/qspinlock.h"

#include "sim/model.h"

#define CNA_PRIORITY_NODE 0xffffu
#define CNA_SHUFFLE_BITS 7

struct cna_lock {
	struct qspinlock q;
	u16 threshold; /* ms; constant after init, like the next */
	bool shuffle_reduction;
};

static_assert(sizeof(struct cna_lock) == 8, "fits into a raw_spinlock_t");

struct cna_node {
	struct mcs_spinlock mcs; /* locked: 0 no head; 1 head; else head, and the last of the secondary queue */
	u16 numa_node;		 /* or CNA_PRIORITY_NODE; of a head: the node that is preferred */
	u32 tail;		 /* its code */
	unsigned long start;	 /* 1 + jiffy in which the secondary queue began */
};

struct cna_nodes {
	struct cna_node node[QSPINLOCK_MAX_NODES];
	u32 random;
};

DEFINE_PER_CPU_ALIGNED(struct cna_nodes, cna_nodes);

#define CNA_EVENTS(X)                                                                              \
	QSPINLOCK_EVENTS(X)                                                                        \
	X(cna_move)   /* a waiter was moved to the secondary queue */                              \
	X(cna_skip)   /* the queue was not looked at: shuffle reduction */                         \
	X(cna_local)  /* handed on past the secondary queue */                                     \
	X(cna_splice) /* the primary queue was empty: the secondary one took its place */          \
	X(cna_flush)  /* the threshold was reached: the secondary queue went first */
LOCKEVENTS(CNA_EVENTS)

static struct cna_node *cna_decode(u32 tail)
{
	int cpu = (int)(tail >> _Q_TAIL_CPU_SHIFT) - 1;

	return &per_cpu_ptr(&cna_nodes, cpu)->node[tail >> _Q_TAIL_IDX_SHIFT & (QSPINLOCK_MAX_NODES - 1)];
}

static struct cna_node *to_cna(struct mcs_spinlock *node)
{
	return container_of(node, struct cna_node, mcs);
}

static u32 secondary_of(const struct cna_node *head)
{
	u32 code = (u32)head->mcs.locked;

	return code > 1 ? code : 0;
}

/* Older than the threshold, by the jiffy; as old is not enough. */
static bool threshold_reached(const struct cna_lock *lock, const struct cna_node *head)
{
	return secondary_of(head) && jiffies + 1 - head->start > msecs_to_jiffies(lock->threshold);
}

/* -- ordering ---------------------------------------------------------------------------------- */

/* Moves @next, behind which is @nnext, from behind the head to the end of the secondary queue. */
static void cna_splice_next(struct cna_node *head, struct cna_node *next, struct mcs_spinlock *nnext)
{
	u32 last = secondary_of(head);

	lockevent_inc(cna_move);
	WRITE_ONCE(head->mcs.next, nnext);
	if (!last) {
		WRITE_ONCE(next->mcs.next, &next->mcs);
		head->start = jiffies + 1;
	} else {
		struct cna_node *tail = cna_decode(last);
		struct mcs_spinlock *first = READ_ONCE(tail->mcs.next);

		WRITE_ONCE(tail->mcs.next, &next->mcs);
		WRITE_ONCE(next->mcs.next, first);
	}
	head->mcs.locked = (int)READ_ONCE(next->tail);
}

/* One step. True: a waiter of the preferred node, or one that is not to be moved, is next. */
static bool cna_order_queue(struct cna_node *head)
{
	struct mcs_spinlock *next = READ_ONCE(head->mcs.next), *nnext;
	u16 node;

	if (!next)
		return false;
	node = READ_ONCE(to_cna(next)->numa_node);
	if (node == head->numa_node || node == CNA_PRIORITY_NODE)
		return true;
	nnext = READ_ONCE(next->next);
	if (nnext)
		cna_splice_next(head, to_cna(next), nnext);
	return false; /* the last one stays: its link is the newcomers' */
}

static bool cna_skip_shuffle(const struct cna_lock *lock, const struct cna_node *head)
{
	struct cna_nodes *mine;

	if (!lock->shuffle_reduction || secondary_of(head))
		return false;
	mine = this_cpu_ptr(&cna_nodes);
	if (!mine->random)
		mine->random = (u32)smp_processor_id() + 1;
	mine->random = mine->random * 1664525u + 1013904223u;
	return mine->random & ((1u << CNA_SHUFFLE_BITS) - 1);
}

/* 11a. The time would be spent polling the word anyway. */
static void cna_order(struct cna_lock *lock, struct cna_node *head)
{
	if (head->numa_node == CNA_PRIORITY_NODE)
		head->numa_node = (u16)numa_node_id();
	if (threshold_reached(lock, head))
		return;
	if (cna_skip_shuffle(lock, head)) {
		lockevent_inc(cna_skip);
		return;
	}
	while (((u32)atomic_read(&lock->q.val) & _Q_LOCKED_PENDING_MASK) && !cna_order_queue(head))
		cpu_relax();
}

/* -- handing on -------------------------------------------------------------------------------- */

/* 13: nobody is behind the head in the primary queue, as of @val. */
static bool cna_try_clear_tail(struct cna_lock *lock, int val, struct cna_node *head)
{
	u32 last = secondary_of(head);
	struct cna_node *tail;
	struct mcs_spinlock *first;

	if (!last)
		return atomic_try_cmpxchg_relaxed(&lock->q.val, &val, _Q_LOCKED_VAL);
	tail = cna_decode(last);
	first = READ_ONCE(tail->mcs.next);
	WRITE_ONCE(tail->mcs.next, NULL); /* as newcomers may link behind it from the swap on */
	model_step("cna-splice");
	if (!atomic_try_cmpxchg_relaxed(&lock->q.val, &val, (int)(last | _Q_LOCKED_VAL))) {
		WRITE_ONCE(tail->mcs.next, first);
		return false;
	}
	lockevent_inc(cna_splice);
	smp_store_release(&first->locked, 1);
	return true;
}

/* 14 */
static void cna_pass(struct cna_lock *lock, struct cna_node *head, struct mcs_spinlock *next)
{
	u32 last = secondary_of(head);
	struct cna_node *tail;
	struct mcs_spinlock *first;

	if (!last) {
		smp_store_release(&next->locked, 1); /* a */
		return;
	}
	if (!threshold_reached(lock, head)) {
		lockevent_inc(cna_local);
		WRITE_ONCE(to_cna(next)->numa_node, head->numa_node); /* b */
		to_cna(next)->start = head->start;
		smp_store_release(&next->locked, (int)last);
		return;
	}
	lockevent_inc(cna_flush);
	tail = cna_decode(last); /* c */
	first = READ_ONCE(tail->mcs.next);
	WRITE_ONCE(tail->mcs.next, next);
	smp_store_release(&first->locked, 1);
}

/* 12-14 */
static void cna_take_as_head(struct cna_lock *lock, struct cna_node *head)
{
	int val = atomic_cond_read_acquire(&lock->q.val, !((u32)VAL & _Q_LOCKED_PENDING_MASK)); /* 12 */
	struct mcs_spinlock *next;

	if (((u32)val & _Q_TAIL_MASK) == head->tail && cna_try_clear_tail(lock, val, head)) /* 13 */
		return;
	WRITE_ONCE(lock->q.locked, (u8)_Q_LOCKED_VAL);
	next = smp_cond_load_relaxed(&head->mcs.next, VAL != NULL);
	cna_pass(lock, head, next);
}

/* -- queueing: as qspinlock.c ------------------------------------------------------------------ */

static void cna_init_node(struct cna_node *node, int idx)
{
	bool priority = !in_task() || irqs_disabled() || rt_task(current);

	lockevent_cond_inc(lock_use_node2, idx == 1);
	lockevent_cond_inc(lock_use_node3, idx == 2);
	lockevent_cond_inc(lock_use_node4, idx == 3);
	node->mcs.locked = 0;
	node->mcs.next = NULL;
	node->numa_node = priority ? CNA_PRIORITY_NODE : (u16)numa_node_id();
	node->tail = queued_spin_tail(smp_processor_id(), idx);
	node->start = 0;
}

static void cna_queue(struct cna_lock *lock, struct cna_node *node)
{
	u32 old;

	if (queued_spin_trylock(&lock->q)) /* 9 */
		return;
	old = (u32)xchg_relaxed(&lock->q.tail, (u16)(node->tail >> _Q_TAIL_IDX_SHIFT)); /* 10 */
	old <<= _Q_TAIL_IDX_SHIFT;
	trace_contention_begin(lock, LCB_F_SPIN);
	if (old) { /* 11 */
		model_step("cna-link");
		WRITE_ONCE(cna_decode(old)->mcs.next, &node->mcs);
		smp_cond_load_acquire(&node->mcs.locked, VAL);
	}
	cna_order(lock, node); /* 11a */
	cna_take_as_head(lock, node);
	trace_contention_end(lock, 0);
}

static void cna_lock_slow(struct cna_lock *lock, u32 val)
{
	struct cna_nodes *nodes;
	int idx;

	if (queued_spin_pending(&lock->q, val))
		return;
	lockevent_inc(lock_slowpath);
	nodes = this_cpu_ptr(&cna_nodes); /* 8 */
	idx = nodes->node[0].mcs.count++;
	if (idx < QSPINLOCK_MAX_NODES) {
		cna_init_node(&nodes->node[idx], idx);
		cna_queue(lock, &nodes->node[idx]);
	} else {
		lockevent_inc(lock_no_node);
		while (!queued_spin_trylock(&lock->q))
			cpu_relax();
	}
	nodes->node[0].mcs.count--; /* 15 */
}

/* --------------------------------------------------------------------------------------- */

static const struct lock_param cna_params[] = {
	{ "threshold", LOCK_PARAM_TIME, 10 * SIM_MS, "how long other nodes are passed: whole ms, 1..100" },
	{ "shuffle_reduction", LOCK_PARAM_FLAG, 0, "without a secondary queue, order in 1 of 128 cases" },
	{ NULL }
};

static void cna_init(void *l, const uint64_t *params)
{
	struct cna_lock *lock = l;

	atomic_set(&lock->q.val, 0);
	lock->threshold = (u16)clamp(params[0] / SIM_MS, (uint64_t)1, (uint64_t)100);
	lock->shuffle_reduction = params[1];
}

static int cna_lock(void *l, struct lock_req *req)
{
	struct cna_lock *lock = l;
	int val = 0;

	preempt_disable();
	if (req->how & LOCK_TRY) {
		if (queued_spin_trylock(&lock->q))
			return 0;
		preempt_enable();
		return -EBUSY;
	}
	if (!atomic_try_cmpxchg_acquire(&lock->q.val, &val, _Q_LOCKED_VAL)) /* 1 */
		cna_lock_slow(lock, (u32)val);
	return 0;
}

static void cna_unlock(void *l, struct lock_req *req)
{
	struct cna_lock *lock = l;

	smp_store_release(&lock->q.locked, 0);
	preempt_enable();
}

static void cna_view(const void *l, struct lock_view *view)
{
	const struct cna_lock *lock = l;

	view->word = (uint32_t)lock->q.val.counter;
}

LOCK_MODEL(cna) = {
	.abi = LOCK_MODEL_ABI,
	.name = "cna",
	.mirrors = "NUMA-aware qspinlock, v13 and v14 (Kogan 2020/21)",
	.summary = "qspinlock whose queue serves the holder's node first, within a time limit",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY | LOCK_CAP_RAW,
	.size = sizeof(struct cna_lock),
	.params = cna_params,
	.events = lockevent_names,
	.init = cna_init,
	.lock = cna_lock,
	.unlock = cna_unlock,
	.view = cna_view,
};
