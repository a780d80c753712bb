/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PI futex: what its own calls (futex_pi.c) and the requeueing of conditions (futex_requeue.c) share. */
#ifndef MODELS_FUTEX_PI_H
#define MODELS_FUTEX_PI_H

#include "models/futex_bucket.h"
#include "models/rtmutex_private.h"

#define FUTEX_WAITERS 0x80000000u
#define FUTEX_OWNER_DIED 0x40000000u
#define FUTEX_TID_MASK 0x3fffffffu

struct pi_state {
	struct rt_mutex_base pi_mutex;
	struct task_struct *owner; /* whom the word names */
	unsigned int users;	   /* futex_qs; 0: there is no state */
};

struct pi_futex {
	atomic_t word;
	bool robust;		    /* constant */
	struct task_struct *holder; /* for view() only */
	struct {
		raw_spinlock_t lock;
		struct list_head chain; /* of struct pi_q: RT by priority, the rest FIFO */
		struct pi_state state;
	} hb ____cacheline_aligned; /* the kernel's */
} ____cacheline_aligned;

struct pi_q { /* on the waiter's stack */
	struct list_head list;
	int prio;
	struct rt_mutex_waiter waiter;
};

/* X(name): after those of the rt_mutex, whose fast path is the user's here, and whose signals send a wait round again */
#define PI_FUTEX_EVENTS(X)                                                                         \
	X(futex_pi_user_free)  /* released in user mode */                                         \
	X(futex_pi_state)      /* states made for a holder that had not asked for one */           \
	X(futex_pi_fixup)      /* words put right after a steal, or after a wait that failed */    \
	X(futex_pi_owner_died) /* taken after a holder had exited with it */                       \
	X(futex_pi_dead)       /* words marked at the exit of a holder */

enum { PI_FUTEX_FIRST = LOCKEVENT_COUNT - 1, PI_FUTEX_EVENTS(kw_lockevent_enum) };

static inline unsigned int word_of(struct pi_futex *f)
{
	return (unsigned int)atomic_read(&f->word);
}

static inline bool word_swap(struct pi_futex *f, unsigned int from, unsigned int to)
{
	int old = (int)from;

	return atomic_try_cmpxchg_acquire(&f->word, &old, (int)to);
}

static inline unsigned int tid_of(const struct task_struct *p)
{
	return (unsigned int)p->pid;
}

/* -- futex_pi.c: steps of FUTEX_LOCK_PI; hb.lock is held, but for pi_wait() and pi_cleanup() -- */

bool pi_has_waiters(const struct pi_futex *f);
/* @q, of @p, joins the state. */
void pi_queue(struct pi_futex *f, struct pi_q *q, const struct task_struct *p);
void pi_unqueue(struct pi_futex *f, struct pi_q *q);
int pi_attach_to_owner(struct pi_futex *f, unsigned int word);
void pi_name(struct pi_futex *f, struct task_struct *owner, unsigned int drop, unsigned int add);
bool pi_fixup(struct pi_futex *f, bool locked);
int pi_wait(struct pi_futex *f, struct pi_q *q, struct kw_timeout *timeout);
bool pi_cleanup(struct pi_futex *f, struct pi_q *q);
int futex_pi_lock(void *l, struct lock_req *req);

/* -- futex_requeue.c -- */

extern const struct lock_model lock_model_futex_pi;

/*
 * FUTEX_WAIT_REQUEUE_PI: sleeps in @hb while *@word is @val, until it is woken or moved on to @f. 0: it holds @f;
 * -EAGAIN: it does not, and was never moved: as a wait that ended; -ETIMEDOUT: it does not.
 */
int futex_wait_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, atomic_t *word, int val,
			  struct kw_timeout *timeout);
/* FUTEX_CMP_REQUEUE_PI: moves the first @n of @hb on to @f; who finds it free has it, and is woken. */
void futex_cmp_requeue_pi(struct pi_futex *f, struct futex_bucket *hb, unsigned int n);

#endif
