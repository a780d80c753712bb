/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct lock_model: the only thing between the engine and a lock algorithm, besides
 * the kernel words. A model is one file and one line (models/meson.build).
 *
 * A model's functions run on a fiber, on a CPU, as the current task. They use kernel
 * words (sim/kernel/) only. They keep all state in the lock, in the task, in
 * req->hold and on their stack: no writable statics.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/clock.h"

#define LOCK_MODEL_ABI 3

struct task_struct;

enum lock_mode {
	LOCK_EXCLUSIVE,
	LOCK_SHARED,
};

/* struct lock_req.how */
#define LOCK_TRY 1u	      /* do not wait: 0 or -EBUSY */
#define LOCK_INTERRUPTIBLE 2u /* any signal ends the wait: -EINTR */
#define LOCK_KILLABLE 4u      /* a fatal signal ends the wait: -EINTR */

struct lock_req {
	enum lock_mode mode;
	unsigned how;
	sim_time timeout; /* relative to the call; SIM_NEVER: none. -ETIMEDOUT */
	void *ctx;	  /* ww contexts, a condition's struct lock_wait; NULL elsewhere */
	void *hold;	  /* hold_size bytes of simulated memory, zeroed at lock(), alive until unlock() returns */
};

struct lock_model;

struct lock_wait { /* req->ctx of a condition's lock() */
	uint64_t ticket;
	void *mutex; /* what was let go, and will be taken again */
	const struct lock_model *model;
};

/* struct lock_model.caps */
#define LOCK_CAP_SHARED 0x1u	/* has a shared mode */
#define LOCK_CAP_TRY 0x2u
#define LOCK_CAP_SIGNAL 0x4u	/* interruptible, killable */
#define LOCK_CAP_TIMEOUT 0x8u
#define LOCK_CAP_DOWNGRADE 0x10u
#define LOCK_CAP_PI 0x20u	/* boosts its owner: the PI oracle watches */
#define LOCK_CAP_FIFO 0x40u	/* promises grants in order of arrival: the FIFO oracle watches */
#define LOCK_CAP_SPIN 0x80u	/* waiters never sleep; held with preemption off */
#define LOCK_CAP_ANYONE 0x100u	/* unlock() by a non-owner is legal: semaphore, completion */
#define LOCK_CAP_COUNTING 0x200u /* several exclusive holders are legal: semaphore, completion */
#define LOCK_CAP_RAW 0x400u	/* fits into a raw_spinlock_t: may be named by machine { rawspin … } */
#define LOCK_CAP_WAKEALL 0x800u	/* has wakeall(): completion */
#define LOCK_CAP_USER 0x1000u	/* lives in user mode: holding it is not kernel mode */
#define LOCK_CAP_BUSTED 0x2000u	/* deliberately wrong; a test of an oracle */
#define LOCK_CAP_CONDITION 0x8000u /* a wake-up that nobody waits for is lost: condition; has ticket() */
#define LOCK_CAP_PLAIN 0x4000u	/* also reads shared words unmarked: the kernel's own files (set by their loader) */
#define LOCK_CAP_STORES 0x10000u /* … and stores some unmarked that its spinners read */
/* All locks of the model are one system with one queue: free ones may be closed, a release wakes who waits for another. */
#define LOCK_CAP_SYSTEM 0x20000u

enum lock_param_unit { LOCK_PARAM_COUNT, LOCK_PARAM_TIME /* ps */, LOCK_PARAM_FLAG /* off, on */ };

struct lock_param {
	const char *name;
	enum lock_param_unit unit;
	uint64_t fallback; /* the default */
	const char *help;
};

/* What can be seen of a lock without touching it. Filled by view(). */
struct lock_view {
	unsigned nowners, nwaiters;	/* how many there are, also beyond the room below */
	unsigned owners_room, waiters_room;
	struct lock_view_task {
		const struct task_struct *task; /* NULL: the lock does not know who */
		enum lock_mode mode;
	} *owners, *waiters;	/* waiters in the order in which they would be served */
	bool no_queue;		/* nobody can tell who waits */
	uint64_t word;		/* the lock word, as the field prints it */
	char flags[64];		/* names of set flags, "WAITERS|HANDOFF" */
};

static inline void lock_view_owner(struct lock_view *v, const struct task_struct *task, enum lock_mode mode)
{
	if (v->nowners < v->owners_room)
		v->owners[v->nowners] = (struct lock_view_task){ task, mode };
	v->nowners++;
}

static inline void lock_view_waiter(struct lock_view *v, const struct task_struct *task, enum lock_mode mode)
{
	if (v->nwaiters < v->waiters_room)
		v->waiters[v->nwaiters] = (struct lock_view_task){ task, mode };
	v->nwaiters++;
}

struct lock_model {
	unsigned abi;	     /* LOCK_MODEL_ABI */
	const char *name;    /* [a-z0-9.:_-]+ */
	const char *mirrors; /* version or paper: "Linux 6.1.192 kernel/locking/rwsem.c" */
	const char *summary; /* one line */
	const char *twin;    /* of a lock made of a kernel's own file: which model mirrors it; NULL: none */
	unsigned caps;
	size_t size;	  /* bytes of the lock */
	size_t hold_size; /* bytes from lock() to unlock(), 0 for none */
	const struct lock_param *params; /* ended by a NULL name; NULL for none */
	const char *const *events;	 /* names for lockevent_inc, NULL-terminated; NULL for none */

	/* @params: values in the order of declaration. The lock is zeroed. Free of cost. */
	void (*init)(void *lock, const uint64_t *params);
	/* 0, or -EINTR, -ETIMEDOUT, -EDEADLK, -EBUSY (for LOCK_TRY). */
	int (*lock)(void *lock, struct lock_req *req);
	void (*unlock)(void *lock, struct lock_req *req);
	void (*downgrade)(void *lock, struct lock_req *req); /* exclusive -> shared, or NULL */
	void (*wakeall)(void *lock);			     /* complete_all, or NULL */
	/* A condition: drawn with the mutex still held; lock() gets it in a struct lock_wait as req->ctx, and sleeps only
	 * if nobody was woken since. */
	uint64_t (*ticket)(void *lock);
	/* The holder, which is current, exits. False: the lock stays held by a task that is no more. @req NULL: only
	 * asks. Or NULL: it stays held. */
	bool (*owner_died)(void *lock, struct lock_req *req);
	/* The normal priority of @p, which waits for this lock, was changed. Runs on a fiber. */
	void (*prio_changed)(void *lock, struct task_struct *p);
	/* Looks, touches nothing; costs nothing. May be NULL for locks that know no owner. */
	void (*view)(const void *lock, struct lock_view *view);
	/* The model's own invariant, checked between operations when the lock is quiet: NULL or what is broken. */
	const char *(*broken)(const void *lock);
	/* With prio_changed: the form of what it keeps in tasks about who waits for whom, which chain walks of other locks
	 * read. NULL: that of 6.1's rt_mutex. Locks of two forms cannot be in one run. */
	const char *pi_form;
	/* For locks that let others pass their first waiter, and promise that this ends: how long at most from when it is
	 * first and asleep until it asks for a hand-off whenever it finds the lock taken, jiffies included. From then on
	 * nobody who calls later gets the lock before it; the hand-off oracle watches. SIM_NEVER: not with these
	 * parameters. NULL: no such promise. */
	sim_time (*patience)(const void *lock);
};

/*
 * Defines and registers a model:  LOCK_MODEL(rwsem) = { .abi = LOCK_MODEL_ABI, … };
 * The linker collects the pointers; the run layer sorts them by name and validates them.
 */
#define LOCK_MODEL(ident)                                                                                    \
	extern const struct lock_model lock_model_##ident;                                                   \
	static const struct lock_model *const lock_model_ptr_##ident                                         \
		__attribute__((section("lock_models"), used)) = &lock_model_##ident;                         \
	const struct lock_model lock_model_##ident

#endif
