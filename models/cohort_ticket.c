// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cohort-ticket: a NUMA-aware spinlock made of ticket locks, one per node and one on top.
 *
 *     global   head, tail                            whose node
 *     node i   head, tail | global_held | passes     who of that node; a line of its own each
 *
 * A CPU takes its node's lock, and then the global one, unless it finds that its node has
 * that already. Who releases with others of its node waiting hands them both by releasing
 * the node's lock alone, but not more than `pass_bound` times in a row; then, or when it
 * is alone, it releases the global lock, too. That the global lock is released by another
 * CPU than took it is no matter to a ticket lock; that somebody waits is seen from the
 * node's word. FIFO among the CPUs of a node, and among nodes.
 *
 * Mirrors: C-TKT-TKT of Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012; never in Linux
 * Deviations: (1) all lines have the home of the lock, also the nodes' own; (2) nodes from 64 on share the
 * locks of the lower ones.
 *
 * Lock:   1 a ticket of the node's lock, its turn  2 the node has the global lock: done
 *         3 a ticket of the global one, its turn
 * Unlock: 4 somebody of the node waits, and passes are left: release the node's alone
 *         5 release the global lock  6 release the node's
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

#define COHORT_NODES 64
#define TICKET_SHIFT 16

struct cohort_ticket {
	union {
		atomic_t val;
		struct {
			u16 head, tail;
		};
	};
};

struct cohort_node { /* what follows the ticket lock is its holder's */
	struct cohort_ticket local;
	bool global_held;
	unsigned int passes; /* in a row */
} ____cacheline_aligned;

struct cohort_lock {
	struct cohort_ticket global;
	unsigned int pass_bound; /* constant after init */
	struct cohort_node node[COHORT_NODES];
} ____cacheline_aligned;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the halves of the word");

#define COHORT_EVENTS(X)                                                                           \
	X(cohort_pass)	/* handed on within the node, global lock and all */                       \
	X(cohort_bound) /* … not, though somebody waits there: pass_bound */                       \
	X(cohort_global) /* had to take the global lock */
LOCKEVENTS(COHORT_EVENTS)

static void ticket_lock(struct cohort_lock *lock, struct cohort_ticket *t)
{
	u32 old = (u32)atomic_fetch_add_acquire(1 << TICKET_SHIFT, &t->val);
	u16 mine = (u16)(old >> TICKET_SHIFT);

	if (mine == (u16)old)
		return;
	trace_contention_begin(lock, LCB_F_SPIN);
	smp_cond_load_acquire(&t->head, VAL == mine);
	trace_contention_end(lock, 0);
}

static bool ticket_trylock(struct cohort_ticket *t)
{
	int old = atomic_read(&t->val);

	if ((u16)old != (u16)((u32)old >> TICKET_SHIFT))
		return false;
	return atomic_try_cmpxchg_acquire(&t->val, &old, (int)((u32)old + (1u << TICKET_SHIFT)));
}

/* Only the holder writes this half. */
static void ticket_unlock(struct cohort_ticket *t)
{
	smp_store_release(&t->head, (u16)(t->head + 1));
}

static struct cohort_node *my_node(struct cohort_lock *lock)
{
	return &lock->node[numa_node_id() % COHORT_NODES];
}

static void cohort_lock_slow(struct cohort_lock *lock)
{
	struct cohort_node *node = my_node(lock);

	ticket_lock(lock, &node->local); /* 1 */
	if (node->global_held)		 /* 2 */
		return;
	lockevent_inc(cohort_global);
	model_step("cohort-global");
	ticket_lock(lock, &lock->global); /* 3 */
	node->global_held = true;
}

static bool cohort_trylock(struct cohort_lock *lock)
{
	struct cohort_node *node = my_node(lock);

	if (!ticket_trylock(&node->local))
		return false;
	if (ticket_trylock(&lock->global)) {
		lockevent_inc(cohort_global);
		node->global_held = true;
		return true;
	}
	ticket_unlock(&node->local);
	return false;
}

/* -- the simulator's side -------------------------------------------------------------------- */

static void cohort_init(void *l, const uint64_t *params)
{
	struct cohort_lock *lock = l;

	lock->pass_bound = (unsigned int)params[0];
}

static int cohort_model_lock(void *l, struct lock_req *req)
{
	preempt_disable();
	if (!(req->how & LOCK_TRY)) {
		cohort_lock_slow(l);
		return 0;
	}
	if (cohort_trylock(l))
		return 0;
	preempt_enable();
	return -EBUSY;
}

static void cohort_model_unlock(void *l, struct lock_req *req)
{
	struct cohort_lock *lock = l;
	struct cohort_node *node = my_node(lock);
	bool alone = (u16)(READ_ONCE(node->local.tail) - node->local.head) == 1;

	if (!alone && node->passes < lock->pass_bound) { /* 4 */
		node->passes++;
		lockevent_inc(cohort_pass);
	} else {
		lockevent_cond_inc(cohort_bound, !alone);
		node->passes = 0;
		node->global_held = false;
		ticket_unlock(&lock->global); /* 5 */
		model_step("cohort-released");
	}
	ticket_unlock(&node->local); /* 6 */
	preempt_enable();
}

static void cohort_view(const void *l, struct lock_view *view)
{
	const struct cohort_lock *lock = l;

	view->word = (uint32_t)lock->global.val.counter;
}

static const struct lock_param cohort_params[] = {
	{ "pass_bound", LOCK_PARAM_COUNT, 64, "hand-overs within a node in a row" },
	{ NULL },
};

LOCK_MODEL(cohort_ticket) = {
	.abi = LOCK_MODEL_ABI,
	.name = "cohort-ticket",
	.mirrors = "Dice, Marathe, Shavit 2012 (C-TKT-TKT)",
	.summary = "cohort lock: a ticket lock per node below a global one, passed on within the node",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct cohort_lock),
	.params = cohort_params,
	.events = lockevent_names,
	.init = cohort_init,
	.lock = cohort_model_lock,
	.unlock = cohort_model_unlock,
	.view = cohort_view,
};
