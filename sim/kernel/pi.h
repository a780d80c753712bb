/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words of priority inheritance: the scheduler's half of a boost, and what the
 * trace is told about waiters and chain walks.
 */
#ifndef SIM_KERNEL_PI_H
#define SIM_KERNEL_PI_H

struct task_struct;

/*
 * Gives @p the better of its own normal priority and the present priority of @donor, the
 * task of its strongest pi waiter (NULL: none). Re-queues @p, at the head of its new
 * equals when it falls and at the tail when it rises, and checks preemption. Under
 * p->pi_lock. Free of cost: the run queue's own lock and lines are not priced.
 */
void rt_mutex_setprio(struct task_struct *p, struct task_struct *donor);

/* A priority ceiling that a task keeps, in the memory of what it holds: req->hold. */
struct kw_ceiling {
	struct kw_ceiling *next;
	int prio; /* kernel number */
};

/*
 * current runs at least at @prio from now on, until the same ceiling is dropped; several
 * are kept at once, in any order. As rt_mutex_setprio() free of cost, and besides whatever is
 * inherited.
 */
void kw_ceiling_raise(struct kw_ceiling *c, int prio);
void kw_ceiling_drop(struct kw_ceiling *c);

/*
 * @p, which sleeps in an operation on another lock, waits for the lock at @lock from now on: that operation has
 * ended, one on @lock has begun.
 */
void kw_requeued(struct task_struct *p, const void *lock);
/* The current operation does something on another lock, for which its events count meanwhile. */
unsigned kw_op_on(const void *lock);
void kw_op_back(unsigned op);

enum kw_pi_rec {
	KW_PI_BLOCK,	/* @task queues on @lock, owned by @other (NULL: free), with key @prio */
	KW_PI_REQUEUE,	/* @task was given the key @prio on @lock */
	KW_PI_DEADLOCK, /* the walk of @task met itself at @lock, coming from @other */
	KW_PI_STOP,	/* the walk ends at @task, blocked on @lock; @prio is an enum kw_pi_stop */
	KW_PI_STEAL,	/* @task takes @lock past its top waiter @other */
	KW_PI_WAKE_TOP, /* @task, the top waiter of @lock, is woken by the unlock of @other, or by a walk (NULL) */
};

/* Why a chain walk ended; numbers appear in traces. */
enum kw_pi_stop {
	KW_PI_STOP_NOT_BLOCKED = 1,	 /* no (longer) blocked */
	KW_PI_STOP_FREE = 2,		 /* the lock it all began with is free */
	KW_PI_STOP_MOVED_ON = 3,	 /* blocked on another lock than it was seen at */
	KW_PI_STOP_NO_PI_WAITERS = 4,	 /* nobody waits for the task any more */
	KW_PI_STOP_NOT_TOP = 5,		 /* the waiter below is not the strongest of those who wait for the task */
	KW_PI_STOP_EQUAL = 6,		 /* the task's waiter has the task's priority already */
	KW_PI_STOP_OWNER_UNTOUCHED = 7,	 /* @task owns @lock, whose top waiter is still another one */
	KW_PI_STOP_DEPTH = 8,		 /* max_lock_depth */
};

/* Tells the trace. @lock is the lock of the lock model, or NULL. */
void kw_pi_event(enum kw_pi_rec rec, const struct task_struct *task, const void *lock,
		 const struct task_struct *other, int prio);

#endif
