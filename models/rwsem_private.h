/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the rwsem model share: the two words, the waiter record, the lock.
 *
 *   rwsem.c       fast paths, the model
 *   rwsem_wait.c  queueing, waking, handing off
 *   rwsem_spin.c  the owner word, optimistic spinning
 */
#ifndef MODELS_RWSEM_PRIVATE_H
#define MODELS_RWSEM_PRIVATE_H

#include <string.h>

#include "models/osq.h"
#include "sim/model.h"
#include "sim/kernel/words.h"

/* count */
#define RWSEM_WRITER_LOCKED 0x1L
#define RWSEM_FLAG_WAITERS 0x2L
#define RWSEM_FLAG_HANDOFF 0x4L
#define RWSEM_FLAG_READFAIL ((long)(1UL << 63)) /* too many readers; shows as a negative count */
#define RWSEM_READER_SHIFT 8
#define RWSEM_READER_BIAS (1L << RWSEM_READER_SHIFT)
#define RWSEM_READER_MASK (~(RWSEM_READER_BIAS - 1))
#define RWSEM_LOCK_MASK (RWSEM_WRITER_LOCKED | RWSEM_READER_MASK)
#define RWSEM_READ_FAILED_MASK                                                                               \
	(RWSEM_WRITER_LOCKED | RWSEM_FLAG_WAITERS | RWSEM_FLAG_HANDOFF | RWSEM_FLAG_READFAIL)

/* owner: low bits; the rest is a task */
#define RWSEM_READER_OWNED 0x1L
#define RWSEM_NONSPINNABLE 0x2L
#define RWSEM_OWNER_FLAGS (RWSEM_READER_OWNED | RWSEM_NONSPINNABLE)

#define MAX_READERS_WAKEUP 0x100

struct rw_semaphore {
	atomic_long_t count;
	atomic_long_t owner;
	struct optimistic_spin_queue osq;
	raw_spinlock_t wait_lock;
	struct list_head wait_list;

	/* the simulator's side */
	unsigned long wait_timeout; /* jiffies in the queue after which a waiter asks for the hand-off */
	bool no_reader_steal;	    /* readers queue behind whoever waits */
	bool owner_window;	    /* a task that got the lock may be preempted before it says so */
	struct list_head holders;   /* of struct rwsem_hold: who returned from lock(); for view() only */
};

struct rwsem_hold {
	struct list_head node;
	const struct task_struct *task;
	enum lock_mode mode;
};

enum rwsem_waiter_type { RWSEM_WAITING_FOR_WRITE, RWSEM_WAITING_FOR_READ };

struct rwsem_waiter { /* on the waiting task's stack */
	struct list_head list;
	struct task_struct *task; /* a reader's is cleared by whoever grants it the lock */
	enum rwsem_waiter_type type;
	unsigned long timeout; /* jiffies */
	bool handoff_set;      /* HANDOFF was set for this waiter */
};

enum rwsem_wake_type {
	RWSEM_WAKE_ANY,	       /* whoever is at the head */
	RWSEM_WAKE_READERS,    /* readers only */
	RWSEM_WAKE_READ_OWNED, /* readers only; the caller vouches that the lock is read-owned */
};

/* X(name): counters, named as the kernel's */
#define RWSEM_EVENTS(X)                                                                                      \
	X(rwsem_sleep_reader)	/* reader sleeps */                                                          \
	X(rwsem_sleep_writer)	/* writer sleeps */                                                          \
	X(rwsem_wake_reader)	/* wake-ups of a batch of readers */                                         \
	X(rwsem_wake_writer)	/* wake-ups of a writer */                                                   \
	X(rwsem_opt_lock)	/* write locks taken by optimistic spinning */                               \
	X(rwsem_opt_fail)	/* optimistic spins not begun, or ended without the lock */                  \
	X(rwsem_opt_nospin)	/* optimistic spins ended by the reader threshold */                         \
	X(rwsem_rlock)		/* read locks taken after queueing */                                        \
	X(rwsem_rlock_steal)	/* read locks stolen past the queue */                                       \
	X(rwsem_rlock_fast)	/* read locks taken in the slow path without queueing */                     \
	X(rwsem_rlock_fail)	/* read locks given up */                                                    \
	X(rwsem_rlock_handoff)	/* hand-offs asked for by a reader */                                        \
	X(rwsem_wlock)		/* write locks taken after queueing */                                       \
	X(rwsem_wlock_fail)	/* write locks given up */                                                   \
	X(rwsem_wlock_handoff)	/* hand-offs asked for by a writer */
LOCKEVENTS(RWSEM_EVENTS)

/* -- rwsem_spin.c -------------------------------------------------------------------------- */

enum owner_state { OWNER_NULL, OWNER_WRITER, OWNER_READER, OWNER_NONSPINNABLE };

void rwsem_set_owner(struct rw_semaphore *sem);
void rwsem_clear_owner(struct rw_semaphore *sem);
/* A hint only: one reader of perhaps many. Keeps NONSPINNABLE. */
void rwsem_set_reader_owned(struct rw_semaphore *sem, struct task_struct *reader);
/* No writer may spin on these readers; only while the lock is read-owned. */
void rwsem_set_nonspinnable(struct rw_semaphore *sem);
void rwsem_clear_nonspinnable(struct rw_semaphore *sem);
/* Stays while a running writer owns the lock; what stands there afterwards. Preemption off. */
enum owner_state rwsem_spin_on_owner(struct rw_semaphore *sem);
/* True: the write lock was taken by spinning. */
bool rwsem_spin_write(struct rw_semaphore *sem);

/* -- rwsem_wait.c -------------------------------------------------------------------------- */

/* 0 or -EINTR. @count: what the failed fast path saw, its own reader bias included. Preemption off. */
int rwsem_down_read_slowpath(struct rw_semaphore *sem, long count, unsigned int state);
int rwsem_down_write_slowpath(struct rw_semaphore *sem, unsigned int state);
/* After a release: wakes the head of the queue. */
void rwsem_wake(struct rw_semaphore *sem);
void rwsem_downgrade_wake(struct rw_semaphore *sem);

#endif
