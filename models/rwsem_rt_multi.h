/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rwsem_rt_multi.c and rwsem_rt_multi_boost.c share; rwsem_rt_multi.c tells what it is. */
#ifndef MODELS_RWSEM_RT_MULTI_H
#define MODELS_RWSEM_RT_MULTI_H

#include "models/rtmutex_private.h"

#define RT_RWLOCK_CHECK 1UL
#define RT_RWLOCK_WRITER 2UL
#define RT_RWLOCK_FLAGS 3UL
#define RT_RW_READER 0x100UL
#define RT_RW_PENDING_READ 0x200UL
#define RT_RW_PENDING_WRITE 0x400UL
#define RT_RW_WORDS (RT_RW_READER | RT_RW_PENDING_READ | RT_RW_PENDING_WRITE)

struct rw_record { /* in req->hold */
	struct list_head list;	      /* in readers; list.next NULL: not there */
	struct rt_mutex_waiter proxy; /* lends the strongest waiter's priority */
	struct task_struct *task;
	enum lock_mode mode;
	bool walk; /* blocked itself: its chain is to be walked */
};

struct rw_mutex {
	unsigned long owner;
	atomic_t count; /* read holds */
	struct rt_mutex_base mutex;
	struct list_head readers;
	int owners;			    /* distinct tasks in readers */
	struct task_struct *pending;	    /* woken to own the lock */
	enum lock_mode pending_mode;

	/* the simulator's side */
	int limit;		   /* readers at a time; 0: any number */
	struct rw_record *writer; /* for view() */
};

struct rw_waiter {
	struct rt_mutex_waiter rt;
	enum lock_mode mode;
	bool queued; /* until a waker takes it off */
};

/* X(name): after those of the rt_mutex */
#define MULTI_EVENTS(X)                                                                                      \
	X(rwpi_read_nest)   /* read locks of tasks that read already */                                      \
	X(rwpi_read_pass)   /* readers that went in past waiters */                                          \
	X(rwpi_read_limit)  /* readers that the limit kept out */                                            \
	X(rwpi_boost)	    /* readers that were lent another priority */                                    \
	X(rwpi_rob)	    /* pending owners that lost the lock to a stronger one */                        \
	X(rwpi_sleep)	    /* waiters that slept */                                                         \
	X(rwpi_wake_reader) /* readers that were woken */                                                    \
	X(rwpi_wake_writer) /* writers that were woken */
enum { MULTI_FIRST = LOCKEVENT_COUNT - 1, MULTI_EVENTS(kw_lockevent_enum) };
static inline struct rw_waiter *rwm_top_waiter(const struct rw_mutex *rwm)
{
	struct rt_mutex_waiter *top = rt_mutex_top_waiter(&rwm->mutex);

	return top ? container_of(top, struct rw_waiter, rt) : NULL;
}

/* All with wait_lock held. */

/* Is @task among the readers of the list? */
bool rwm_reads(const struct rw_mutex *rwm, const struct task_struct *task);
/* @rec's task reads from now on, and is lent what the strongest waiter has. */
void rwm_link_reader(struct rw_mutex *rwm, struct rw_record *rec);
void rwm_unlink_reader(struct rw_mutex *rwm, struct rw_record *rec);
/* Goes over all readers, then up the chains of those that are blocked, dropping wait_lock meanwhile. */
void rwm_adjust_readers(struct rw_mutex *rwm);

#endif
