/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the xadd generations of the rwsem share: one signed word that everybody adds to.
 *
 *   low half   active lockers: owners, and those who are just trying
 *   high half  negative: a writer is active or trying, or somebody is queued, or both
 *
 *   00000000 free            0000000n n readers          ffff0001 a writer, or a reader and a queue
 *   ffff0000 free, queued    fffe0001 a writer and a queue
 *
 *   rwsem_2_6.c            2.6.26 and 2.6.36: everybody is granted the lock, in order
 *   rwsem_3_12.c           3.10 to 3.15: writers are woken and race for it
 *   rwsem_3_16.c, _spin.c  3.16 to 4.20: writers spin first
 *   rwsem_xadd.c           the queue and the waking from 3.10 on, the view of all
 */
#ifndef MODELS_RWSEM_XADD_H
#define MODELS_RWSEM_XADD_H

#include <string.h>

#include "models/holders.h"
#include "models/osq.h"

/* 32 bits, as on i386 and in most descriptions; with 64 both halves are wider, nothing else. */
#define RWSEM_ACTIVE_MASK 0x0000ffff
#define RWSEM_ACTIVE_BIAS 1
#define RWSEM_WAITING_BIAS (-0x00010000)
#define RWSEM_READ_BIAS RWSEM_ACTIVE_BIAS
#define RWSEM_WRITE_BIAS (RWSEM_WAITING_BIAS + RWSEM_ACTIVE_BIAS)

/* owner, from 4.8 on: no writer's, readers had the lock last. Never cleared by readers. */
#define RWSEM_READER_OWNED 1L

struct xadd_rules { /* by release */
	bool one_bias;	   /* the queue has one bias in the word, not each waiter: from 2.6.36 on */
	bool wake_flag;	   /* one waker at a time: 2013's "reduce spinlock contention in wakeup code path" */
	bool reader_owned; /* readers leave a mark in the owner word */
	bool wake_q;	   /* wake after wait_lock is dropped */
	bool early_owner;  /* the owner is stored together with the count, not after the slow path */
	bool two_steps;	   /* a queued writer takes the word and then puts the queue's bias back */
	enum { SPIN_NEVER, SPIN_OWNED, SPIN_NEW_OWNER, SPIN_NOT_READERS } spin;
};

struct xadd_rwsem {
	atomic_t count;
	int wakeup; /* a waker is about to look at the queue (rules->wake_flag) */
	raw_spinlock_t wait_lock;
	struct list_head wait_list;
	struct optimistic_spin_queue osq; /* from 3.16 on, as owner */
	long owner;			  /* the writer, or 0, or RWSEM_READER_OWNED */

	/* the simulator's side */
	const struct xadd_rules *rules;
	bool shortcut; /* wakers leave the waking to spinners */
	struct list_head holders;
};

struct xadd_waiter { /* on the waiting task's stack */
	struct list_head list;
	struct task_struct *task; /* cleared by whoever grants the lock */
	enum lock_mode mode;
};

/* NO_ACTIVE: only of 2.6.36 */
enum xadd_wake { RWSEM_WAKE_ANY, RWSEM_WAKE_NO_ACTIVE, RWSEM_WAKE_READERS, RWSEM_WAKE_READ_OWNED };

/* X(name): counters that all have; a model's own follow them */
#define XADD_EVENTS(X)                                                                                       \
	X(rwsem_sleep_reader) /* reader sleeps */                                                            \
	X(rwsem_sleep_writer) /* writer sleeps */                                                            \
	X(rwsem_wake_reader)  /* grants to a run of readers */                                               \
	X(rwsem_rlock)	      /* read locks taken after queueing */                                          \
	X(rwsem_wlock)	      /* write locks taken after queueing */
/* X(name): where writers are only woken */
#define XADD_RACE_EVENTS(X)                                                                                  \
	X(rwsem_wake_writer) /* wake-ups of a writer */                                                      \
	X(rwsem_wlock_steal) /* write locks taken past the queue */

/* X(name): with rules->wake_flag, or where spinners may be left the waking */
#define XADD_FLAG_EVENTS(X) X(rwsem_wake_skipped) /* wake-ups left to another waker, or to a spinner */
/* X(name): where writers spin */
#define XADD_SPIN_EVENTS(X)                                                                                  \
	X(rwsem_opt_lock)   /* write locks taken by optimistic spinning */                                   \
	X(rwsem_opt_fail)   /* optimistic spins that ended without the lock */                               \
	X(rwsem_opt_nospin) /* optimistic spins not begun */

/* -- fast paths -------------------------------------------------------------------------- */

static inline bool xadd_down_read_fast(struct xadd_rwsem *sem)
{
	return atomic_add_return(RWSEM_READ_BIAS, &sem->count) >= 0;
}

static inline bool xadd_down_read_trylock(struct xadd_rwsem *sem)
{
	int count = atomic_read(&sem->count);

	while (count + RWSEM_READ_BIAS > 0)
		if (atomic_try_cmpxchg(&sem->count, &count, count + RWSEM_READ_BIAS))
			return true;
	return false;
}

/* What the word was before this writer added itself. */
static inline int xadd_down_write_begin(struct xadd_rwsem *sem)
{
	return atomic_fetch_add(RWSEM_WRITE_BIAS, &sem->count);
}

static inline bool xadd_down_write_trylock(struct xadd_rwsem *sem)
{
	int count = atomic_read(&sem->count);

	while (!(count & RWSEM_ACTIVE_MASK))
		if (atomic_try_cmpxchg(&sem->count, &count, count + RWSEM_WRITE_BIAS))
			return true;
	return false;
}

/* Drops @bias. True: a queue is left and nobody is active, so the caller must wake. */
static inline bool xadd_up(struct xadd_rwsem *sem, int bias)
{
	int count = atomic_sub_return(bias, &sem->count);

	return count < 0 && !(count & RWSEM_ACTIVE_MASK);
}

/* -- rwsem_xadd.c: from 3.10 on ------------------------------------------------------------ */

/* wait_lock held, queue not empty. Wakes at once if @wake_q is NULL. */
void xadd_do_wake(struct xadd_rwsem *sem, enum xadd_wake type, struct wake_q_head *wake_q);
/* After a release, and after a downgrade. */
void xadd_wake(struct xadd_rwsem *sem);
void xadd_downgrade_wake(struct xadd_rwsem *sem);
/* The reader queues, and returns when it was granted the lock. @bias: what its failed attempt left in the word. */
int xadd_down_read_slow(struct xadd_rwsem *sem, int bias, unsigned int state); /* 0 or -EINTR */
/* Sleeps, with wait_lock held before and after, until nobody is active. The state was set before. */
bool xadd_sleep_writer(struct xadd_rwsem *sem, unsigned int state); /* false: a signal came */
/* A writer gives up: whoever is next is not left waiting. wait_lock held; dropped. */
void xadd_leave_writer(struct xadd_rwsem *sem, struct xadd_waiter *waiter);

/* -- rwsem_3_16_spin.c ----------------------------------------------------------------------- */

/* True: the write lock was taken by spinning. This writer is not in the word. */
bool xadd_spin_write(struct xadd_rwsem *sem);

/* -- rwsem_xadd.c: of all -------------------------------------------------------------------- */

void xadd_init(struct xadd_rwsem *sem, const struct xadd_rules *rules);
/* Queues the current task. wait_lock held. True: it is the first. */
bool xadd_queue(struct xadd_rwsem *sem, struct xadd_waiter *waiter, enum lock_mode mode);
/* Sleeps until the record is cleared; false: a signal that @state heeds came first, and the queue is left. */
bool xadd_sleep_until_granted(struct xadd_rwsem *sem, struct xadd_waiter *waiter, unsigned int state);
/* Notes a grant, an unlock, a downgrade in the list of holders. */
void xadd_hold(struct xadd_rwsem *sem, struct lock_req *req);
enum lock_mode xadd_unhold(struct lock_req *req);
void xadd_view(const void *l, struct lock_view *view);
const char *xadd_broken(const void *l);

#endif
