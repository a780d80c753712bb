// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OSQ: the cancellable MCS queue in which optimistic spinners wait.
 *
 *     tail ─────────────────────────────┐        tail: CPU + 1 of the last node, 0: empty
 *                                       v
 *     head: node[cpu 4] <─> node[cpu 1] <─> node[cpu 7]
 *           locked = 1      locked = 0      locked = 0
 *
 * One node per CPU, not per lock: a CPU spins in one queue at a time, with preemption
 * off. Each waiter polls its own node. Unlike MCS a waiter can leave, which it does when
 * a reschedule is due; the owner's state and signals do not end the wait. FIFO among
 * those who stay.
 *
 * Mirrors: Linux 6.1.192 kernel/locking/osq_lock.c
 * Deviations: (1) a predecessor's virtual CPU is never preempted.
 *
 * Leaving:  A  take oneself out of prev->next, so that prev's owner cannot unlock past us
 *           B  settle who is next: move the tail back, or take node->next
 *           C  link prev and next
 */
#include "models/osq.h"

#include "sim/model.h"

DEFINE_PER_CPU_ALIGNED(struct optimistic_spin_node, osq_node);

static int encode_cpu(int cpu)
{
	return cpu + 1;
}

static struct optimistic_spin_node *decode_cpu(int code)
{
	return per_cpu_ptr(&osq_node, code - 1);
}

/*
 * Settles who follows @node: takes its successor, or moves the tail back to @old if
 * there is none and returns NULL. The successor is exchanged out: left in place, it
 * could finish its own step A against a node that is going away.
 */
static struct optimistic_spin_node *osq_wait_next(struct optimistic_spin_queue *lock,
						  struct optimistic_spin_node *node, int old)
{
	int curr = encode_cpu(smp_processor_id());

	for (;;) {
		struct optimistic_spin_node *next;

		if (atomic_read(&lock->tail) == curr && atomic_cmpxchg_acquire(&lock->tail, curr, old) == curr)
			return NULL;
		if (PEEK(node->next)) {
			next = xchg(&node->next, NULL);
			if (next)
				return next;
		}
		cpu_relax();
	}
}

/* True: acquired after all. @prev: the predecessor when @node queued; it may be another by now. */
static bool osq_unqueue(struct optimistic_spin_queue *lock, struct optimistic_spin_node *node,
			struct optimistic_spin_node *prev)
{
	struct optimistic_spin_node *next;

	model_step("osq-A");
	for (;;) {
		if (PEEK(prev->next) == node && cmpxchg(&prev->next, node, NULL) == node)
			break;
		if (smp_load_acquire(&node->locked))
			return true;
		cpu_relax();
		prev = READ_ONCE(node->prev); /* a neighbour's step C may have changed it */
	}
	model_step("osq-B");
	next = osq_wait_next(lock, node, prev->cpu);
	if (!next)
		return false;
	model_step("osq-C");
	WRITE_ONCE(next->prev, prev);
	WRITE_ONCE(prev->next, next);
	return false;
}

bool osq_lock(struct optimistic_spin_queue *lock)
{
	struct optimistic_spin_node *node = this_cpu_ptr(&osq_node), *prev;
	int curr = encode_cpu(smp_processor_id()), old;

	node->locked = 0;
	node->next = NULL;
	node->cpu = curr;
	old = atomic_xchg(&lock->tail, curr);
	if (old == OSQ_UNLOCKED_VAL)
		return true;

	model_step("osq-link");
	prev = decode_cpu(old);
	node->prev = prev;
	smp_wmb(); /* before prev->next, or a neighbour's step C could be overwritten */
	WRITE_ONCE(prev->next, node);

	if (smp_cond_load_relaxed(&node->locked, VAL || need_resched()))
		return true;
	return osq_unqueue(lock, node, prev);
}

void osq_unlock(struct optimistic_spin_queue *lock)
{
	int curr = encode_cpu(smp_processor_id());
	struct optimistic_spin_node *node, *next;

	if (atomic_cmpxchg_release(&lock->tail, curr, OSQ_UNLOCKED_VAL) == curr)
		return;
	node = this_cpu_ptr(&osq_node);
	next = xchg(&node->next, NULL);
	if (!next) {
		model_step("osq-unlock-wait");
		next = osq_wait_next(lock, node, OSQ_UNLOCKED_VAL);
	}
	if (next)
		WRITE_ONCE(next->locked, 1);
}

/* ---------------------------------------------------------------------------------------
 * The simulator's side: the queue as a lock of its own. A waiter that had to leave
 * reports -EBUSY.
 */

#define OSQ_EVENTS(X)                                                                              \
	X(osq_cancelled) /* left the queue: a reschedule was due */
LOCKEVENTS(OSQ_EVENTS)

static void osq_model_init(void *l, const uint64_t *params)
{
	osq_lock_init(l);
}

static bool osq_trylock(struct optimistic_spin_queue *lock)
{
	struct optimistic_spin_node *node = this_cpu_ptr(&osq_node);
	int curr = encode_cpu(smp_processor_id());

	node->next = NULL;
	node->cpu = curr;
	return atomic_cmpxchg_acquire(&lock->tail, OSQ_UNLOCKED_VAL, curr) == OSQ_UNLOCKED_VAL;
}

static int osq_model_lock(void *l, struct lock_req *req)
{
	preempt_disable();
	if (req->how & LOCK_TRY ? osq_trylock(l) : osq_lock(l))
		return 0;
	if (!(req->how & LOCK_TRY))
		lockevent_inc(osq_cancelled);
	preempt_enable();
	return -EBUSY;
}

static void osq_model_unlock(void *l, struct lock_req *req)
{
	osq_unlock(l);
	preempt_enable();
}

static void osq_model_view(const void *l, struct lock_view *view)
{
	const struct optimistic_spin_queue *lock = l;

	view->word = (uint64_t)lock->tail.counter;
}

LOCK_MODEL(osq) = {
	.abi = LOCK_MODEL_ABI,
	.name = "osq",
	.mirrors = "Linux 6.1.192 kernel/locking/osq_lock.c",
	.summary = "the cancellable MCS queue of optimistic spinners, as a lock of its own; -EBUSY when it had to leave",
	.caps = LOCK_CAP_SPIN | LOCK_CAP_TRY,
	.size = sizeof(struct optimistic_spin_queue),
	.events = lockevent_names,
	.init = osq_model_init,
	.lock = osq_model_lock,
	.unlock = osq_model_unlock,
	.view = osq_model_view,
};
