/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the rwsem of 5.4 to 5.10 share.
 *
 *   rwsem_5_4.c       fast paths, the model
 *   rwsem_5_4_wait.c  queueing, waking, handing off
 *   rwsem_5_4_spin.c  the owner word, optimistic spinning of readers and writers
 */
#ifndef MODELS_RWSEM_5_4_H
#define MODELS_RWSEM_5_4_H

#include <string.h>

#include "models/holders.h"
#include "models/osq.h"

/* count */
#define RWSEM_WRITER_LOCKED 0x1L
#define RWSEM_FLAG_WAITERS 0x2L
#define RWSEM_FLAG_HANDOFF 0x4L
#define RWSEM_FLAG_READFAIL ((long)(1UL << 63))
#define RWSEM_READER_SHIFT 8
#define RWSEM_READER_BIAS (1L << RWSEM_READER_SHIFT)
#define RWSEM_READER_MASK (~(RWSEM_READER_BIAS - 1))
#define RWSEM_LOCK_MASK (RWSEM_WRITER_LOCKED | RWSEM_READER_MASK)
#define RWSEM_READ_FAILED_MASK                                                                               \
	(RWSEM_WRITER_LOCKED | RWSEM_FLAG_WAITERS | RWSEM_FLAG_HANDOFF | RWSEM_FLAG_READFAIL)

/* owner: low bits; the rest is a task */
#define RWSEM_READER_OWNED 0x1L
#define RWSEM_RD_NONSPINNABLE 0x2L
#define RWSEM_WR_NONSPINNABLE 0x4L
#define RWSEM_NONSPINNABLE (RWSEM_RD_NONSPINNABLE | RWSEM_WR_NONSPINNABLE)
#define RWSEM_OWNER_FLAGS (RWSEM_READER_OWNED | RWSEM_NONSPINNABLE)

#define MAX_READERS_WAKEUP 0x100

struct rwsem_5_4 {
	atomic_long_t count;
	atomic_long_t owner;
	struct optimistic_spin_queue osq;
	raw_spinlock_t wait_lock;
	struct list_head wait_list;

	/* the simulator's side */
	unsigned long wait_timeout; /* jiffies in the queue after which a waiter asks for the hand-off */
	bool guard, steal, wake_all, no_reader_spin; /* the patches of November 2020 */
	struct list_head holders;
};

struct rwsem_waiter { /* on the waiting task's stack */
	struct list_head list;
	struct task_struct *task; /* a reader's is cleared by whoever grants it the lock */
	enum lock_mode mode;
	unsigned long timeout; /* jiffies */
	long last_rowner;      /* reader: the owner word when it came, if readers owned the lock then */
};

enum rwsem_wake_type { RWSEM_WAKE_ANY, RWSEM_WAKE_READERS, RWSEM_WAKE_READ_OWNED };
enum owner_state { OWNER_NULL, OWNER_WRITER, OWNER_READER, OWNER_NONSPINNABLE };

/* X(name): counters, named as the kernel's */
#define RWSEM_EVENTS(X)                                                                                      \
	X(rwsem_sleep_reader)  /* reader sleeps */                                                           \
	X(rwsem_sleep_writer)  /* writer sleeps */                                                           \
	X(rwsem_wake_reader)   /* wake-ups of a batch of readers */                                          \
	X(rwsem_wake_writer)   /* wake-ups of a writer */                                                    \
	X(rwsem_opt_rlock)     /* read locks taken by optimistic spinning */                                 \
	X(rwsem_opt_rlock2)    /* read locks taken after spinning, because other readers own it now */       \
	X(rwsem_opt_wlock)     /* write locks taken by optimistic spinning */                                \
	X(rwsem_opt_fail)      /* optimistic spins that ended without the lock */                            \
	X(rwsem_opt_nospin)    /* optimistic spins not begun, or ended by the reader threshold */            \
	X(rwsem_opt_norspin)   /* writers that switched readers' spinning off */                             \
	X(rwsem_rlock)	       /* read locks taken after queueing */                                         \
	X(rwsem_rlock_steal)   /* read locks taken past the queue without spinning */                        \
	X(rwsem_rlock_fast)    /* read locks taken in the slow path without queueing or spinning */          \
	X(rwsem_rlock_fail)    /* read locks given up */                                                     \
	X(rwsem_rlock_handoff) /* hand-offs asked for by a reader */                                         \
	X(rwsem_wlock)	       /* write locks taken after queueing */                                        \
	X(rwsem_wlock_fail)    /* write locks given up */                                                    \
	X(rwsem_wlock_handoff) /* hand-offs asked for by a writer */
LOCKEVENTS(RWSEM_EVENTS)

/* -- rwsem_5_4_spin.c: the owner word, and spinning on it ------------------------------------ */

/* A hint: one reader of perhaps many, its own flags included. Keeps RD_NONSPINNABLE. */
void rwsem_5_4_set_reader_owned(struct rwsem_5_4 *sem, long reader);
void rwsem_5_4_clear_wr_nonspinnable(struct rwsem_5_4 *sem);
/* Stays while a running writer owns the lock; @flags: what ends the spin. Preemption off. */
enum owner_state rwsem_5_4_spin_on_owner(struct rwsem_5_4 *sem, long flags);
bool rwsem_5_4_can_spin(struct rwsem_5_4 *sem, enum lock_mode mode);
/* True: the lock was taken by spinning. A reader's bias is not in the count on entry. */
bool rwsem_5_4_spin(struct rwsem_5_4 *sem, enum lock_mode mode);
/* One attempt past the queue. */
bool rwsem_5_4_try_read_unqueued(struct rwsem_5_4 *sem);

/* -- rwsem_5_4_wait.c ------------------------------------------------------------------------- */

/* 0 or -EINTR. A reader's bias is in the count, which was @count right after that. */
int rwsem_5_4_down_read_slow(struct rwsem_5_4 *sem, long count, unsigned int state);
int rwsem_5_4_down_write_slow(struct rwsem_5_4 *sem, unsigned int state);
/* After a release, or a downgrade: wakes the head of the queue. */
void rwsem_5_4_wake(struct rwsem_5_4 *sem, enum rwsem_wake_type type);

#endif
