/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the folds, oracles, accounting and expectations share. Private to them.
 *
 * The folds keep who owns what, who waits where, and who runs, from records alone. The
 * oracles look at moments: a record after the folds have taken it in, or a state that the
 * folds notice in passing ("nobody is inside this lock any more"). Nothing here hashes or
 * allocates per record: tasks and locks are indices, holds come from a free list.
 */
#ifndef SIM_RUN_WATCH_IMPL_H
#define SIM_RUN_WATCH_IMPL_H

#include <inttypes.h>
#include <limits.h>

#include <glib.h>

#include "sim/core/check.h"
#include "sim/model.h"
#include "sim/run/bind.h"
#include "sim/run/story.h"
#include "sim/run/watch.h"

#define WATCH_NONE UINT32_MAX

enum watch_state {
	WATCH_AWAY,    /* has not arrived */
	WATCH_READY,   /* runnable, not running */
	WATCH_RUNNING, /* on a CPU */
	WATCH_ASLEEP,
	WATCH_GONE, /* exited */
};

enum watch_op { WATCH_OP_NONE, WATCH_OP_LOCK, WATCH_OP_UNLOCK };

struct watch_hold { /* one granted and not yet released lock */
	uint32_t task, lock;
	enum lock_mode mode;
	uint32_t statement;
	sim_time since;
	struct watch_hold *next_task;		 /* of the same task, latest first */
	struct watch_hold *next_lock, *prev_lock; /* of the same lock, oldest first */
};

enum watch_spent { /* what a task's time is booked to */
	WATCH_SPENT_NOWHERE, /* away or gone */
	WATCH_SPENT_READY,
	WATCH_SPENT_RUNNING,
	WATCH_SPENT_SLEEPING, /* the program does */
	WATCH_SPENT_BLOCKED,  /* asleep in a lock operation */
	WATCH_SPENTS
};

struct watch_lock;
struct watch_heir;

struct watch_task { /* what every record touches comes first */
	sim_time since;	  /* booked up to here */
	enum watch_state state;
	enum watch_spent spends; /* by state and op */
	enum watch_op op; /* the lock operation in flight */
	uint32_t op_lock;
	struct watch_lock *op_at; /* the same */
	sim_time op_since;
	sim_time op_ran, op_slept; /* spent so far when it was called */
	struct watch_hold *holds;
	sim_time spent[WATCH_SPENTS]; /* in the window */
	uint64_t switches;
	uint32_t next_wait, prev_wait; /* open waits of this lock and mode, by call; WATCH_NONE ends */
	uint64_t op_seq;	       /* order of calls at this lock */
	enum lock_mode op_mode;
	unsigned op_how;
	uint64_t op_ahead; /* grants and failures that the FIFO promise demands before its own; 0: not counted */
	uint32_t cpu;	   /* where it runs or ran last */
	uint32_t statement; /* last one that a record named */
	bool op_waits;	   /* is in the list of open waits */
	bool op_holding;   /* and counts in nwait_holding */
	bool op_contended; /* an incompatible holder existed at the call, or it slept */
	bool preempted;	   /* READY because it was preempted, not because it was woken */
	bool throttled;
	bool irq;	   /* a pseudo-task: always awake */
	bool deadlocked;   /* is in a cycle that was told, or stuck behind a live-lock */
	bool starved;	   /* was told of this wait */
	struct run_dist wait; /* the result's until the end, to be near what else a grant touches */
	sim_time spin;	   /* likewise */
	uint32_t op_barrier; /* who keeps it out though the lock is free (a ceiling), or WATCH_NONE */
	uint64_t op_passed; /* later shared grants while this wait was open (starvation) */
	uint64_t sleeps;   /* inside lock(), in the window */
	int prio, normal;  /* kernel numbers, as the records tell */
	uint32_t stamp;	   /* graph walks */
	uint32_t account_slot;
	uint32_t chain_next;	/* after account_piece(): who holds what it waits for, on the chain taken; WATCH_NONE */
	sim_time piece[RUN_PIECE_COUNT]; /* of the open wait; used while accounting is on */
} __attribute__((aligned(64)));	/* whole lines of the host's cache: thousands of them take turns in it */

struct watch_lock {
	struct run_lock *sum;
	uint32_t inside;       /* tasks inside an operation */
	uint32_t awake_inside; /* of them, not asleep */
	uint32_t sleepers;     /* asleep inside lock() */
	uint32_t nwait;
	uint32_t first_wait[2], last_wait[2]; /* open waits by mode; WATCH_NONE */
	struct watch_hold *oldest, *newest;
	uint32_t nexcl, nshared; /* holds */
	uint32_t nwait_holding; /* waits of tasks that held something when they called */
	uint32_t last_cpu;     /* of the latest exclusive holder; WATCH_NONE */
	unsigned caps;
	bool counting;
	bool holdless;	 /* a completion: a grant gives nothing that could be held */
	bool open;	 /* counting: wakeall() let everybody through */
	bool wants_quiet;      /* some oracle looks at quiet moments of this lock */
	uint64_t seq;	       /* calls so far */
	uint64_t count_due;    /* FIFO: from this call on the moment COUNT is told; never: UINT64_MAX */
	uint64_t count_at;     /* FIFO: the call at which the queue is counted next */
	uint64_t grants, fails, releases;
	uint64_t sleeps, wakeups; /* of the whole run */
	uint64_t quiet;	       /* quiet moments so far */
	sim_time free_since;   /* when the last holder let go */
	int64_t avail;	 /* counting: units left, as the records tell */
	const struct lock_model *model;
	const struct bound_lock *bound;
	uint32_t nevents;
	uint32_t stamp;	       /* graph walks */
	const bool *is_handoff; /* by event */
	sim_time patience;	/* with heir */
	struct watch_heir *heir; /* who is first in the queue, where the model promises it a hand-off, or NULL */
	sim_time starve_bound; /* lock parameter `starve`; 0: off */
};

struct watch_cpu {
	uint32_t curr; /* task index, WATCH_NONE: idle */
	bool throttled; /* its RT bandwidth is used up */
	sim_time since, irq_until;
	sim_time idle, busy; /* in the window, up to since */
	uint64_t switches;
};

/*
 * Moments. The comment says what task and lock are. Those of the first group come as often as
 * records do; those of the second only when a fold sees that there may be something to see.
 */
#define WATCH_MOMENTS(X)                                                                           \
	X(GRANT)    /* lock() returned 0 */                                                        \
	X(FAIL)	    /* lock() returned an error */                                                 \
	X(UNLOCKED) /* unlock() returned */                                                        \
	X(SLEEP)    /* the task fell asleep inside an operation on the lock */                     \
	X(WAKE)	    /* a task was woken; lock or WATCH_NONE */                                     \
	X(PRIO)	    /* the task's effective or normal priority changed */                          \
	X(EXIT)	    /* the task exited */                                                          \
	X(AFTER_SET) /* a switch or a call of unlock() since a priority was set; none, none */     \
                                                                                                   \
	X(NO_HOLD)  /* unlock() was called by a task without a hold */                             \
	X(OVERLAP)  /* the task was granted a lock that it does not go together with */            \
	X(CHAINED)  /* the task, which began to wait, may have closed a cycle of waits */          \
	X(COUNT)    /* lock() was called, and the queue of the lock is due to be counted */        \
	X(PASSED)   /* the task was granted the lock before those that stood in the queue */       \
	X(STRANDED) /* the lock is free, nobody awake is inside, and somebody sleeps there */      \
	X(LULL)	    /* nobody is inside the lock; the first times, then now and then */            \
	X(PIECE)    /* a piece of the run is over: at the same instants in every run of a scenario */ \
	X(STILL)    /* no event is left */                                                         \
	X(END)	    /* the run is over */

enum watch_moment {
#define X(name) WATCH_ON_##name,
	WATCH_MOMENTS(X)
#undef X
	WATCH_MOMENT_COUNT
};

#define WATCH_BIT(name) (1u << WATCH_ON_##name)

struct watch_oracle {
	const char *name;  /* as findings are called */
	unsigned moments;  /* WATCH_BIT()s it listens to */
	/* Is there anything to watch in this run? May mark locks. NULL: always. */
	bool (*attach)(struct watch *w);
	/* @task, @lock: index or WATCH_NONE. */
	void (*look)(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock);
};

struct bill;

#define WATCH_ORACLES 14
#define WATCH_SETS 16


/* What one expectation needs remembered, and the values in it. */
struct watch_ask {
	const struct scn_expect *e;
	uint64_t value, from, to, at; /* base units; 0 where not given */
	int prio;		      /* SCN_EXPECT_PRIO: kernel number */
	uint32_t task, ntask;	      /* instances: [task, task + ntask) */
	uint32_t lock, nlock;
	struct run_dist dist;	      /* WAIT */
	sim_time worst_at;	      /* WAIT: end of the longest, and whose it was */
	uint32_t worst_task;
	uint32_t *grant, ngrant;      /* GRANTS: the first nwho */
	sim_time grant_at;	      /* GRANTS: of the latest kept */
	struct watch_ask_task {	      /* by instance */
		sim_time covered;     /* BLOCKED: without a gap up to here */
		bool hit;	      /* NEVER_RUNS: it ran */
		sim_time hit_at;
		int prio;	      /* PRIO: at the time asked about */
		sim_time prio_since;
		uint64_t done;	      /* DONE NAME */
	} *inst;
};


struct watch {
	struct run_bound *b;
	const struct scenario *scn;
	struct sim_trace *trace; /* for FINDING records, digest and count; NULL before start */
	sim_time from;		 /* statistics begin */
	sim_time now;		 /* of the latest record */
	bool accounting;	 /* some waits are cut into pieces */
	bool stopped;		 /* a finding ended the run */
	const char *again;	 /* as in struct run_options */
	bool ended;		 /* between END and free */
	bool complete;		 /* the run was not cut short */
	bool handed;		 /* the result owns rtask, rlock, rcpu */
	uint32_t ntask, nall, nlock, ncpu; /* nall: with pseudo-tasks */
	struct watch_task *task;
	struct watch_lock *lock;
	struct watch_cpu *cpu;
	struct run_task *rtask; /* nall of them */
	struct run_lock *rlock;
	struct run_cpu *rcpu;
	struct watch_hold *free_hold;
	GPtrArray *chunks; /* of holds */
	bool *wakeall;	   /* by statement; NULL without completions */
	uint64_t done, *done_count; /* [name], 0 is the unnamed */
	struct {
		unsigned n;
		void (*look[WATCH_ORACLES])(struct watch *, enum watch_moment, uint32_t, uint32_t);
	} on[WATCH_MOMENT_COUNT];
	bool watched[RUN_FINDING_COUNT]; /* oracles that attached, by place in the table */
	GArray *finding;	/* struct run_finding */
	GArray *cycle;		/* struct watch_cycle: the deadlocks' tasks */
	uint32_t per_kind[RUN_FINDING_COUNT];
	uint32_t stamp, *walk_from, *walk_todo; /* deadlock: by task */
	uint8_t *stuck; /* live-lock: by task */
	struct watch_stuck {
		uint32_t inside, taker, owner; /* of the stuck: in its operations, about to take it, holding it */
	} *stuck_at; /* live-lock: by lock */
	uint8_t *signalled; /* deadlock: by declaration, which ways to wait a signal may end; NULL: any */
	const struct sim_rec *rec; /* being folded in */
	uint32_t actor;		   /* 1 + task whose step an oracle looks at, for findings that another one shows; or 0 */
	struct { uint32_t task, setter; } set[WATCH_SETS]; /* PI: priorities that were set just now */
	unsigned nset;
	uint32_t nurgent;	/* PI: tasks above the fair classes, by themselves or boosted, as the records tell, and ceilings */
	uint32_t pi_turn;
	bool *account_task;	/* whose waits are cut; by task */
	uint32_t *account, naccount; /* tasks whose open wait is being cut, in no particular order */
	sim_time accounted_to;
	struct story *story;	/* keeps the worst waits piece by piece, or NULL */
	uint8_t *distance;	/* between CPUs, [from * ncpu + to]; NULL: ask the machine, or there is none */
	struct watch_ask *ask; /* of all expectations, those of compare blocks last */
	unsigned nask;
	uint64_t track_types; /* record types that track_take() wants: 1 << type */
	bool expects_findings;
	struct bill *bill;	 /* being booked, or NULL */
};

struct watch_cycle {
	sim_time at;
	uint32_t n, *task;
};

/* -- little helpers ------------------------------------------------------------------------ */

static inline void watch_moment(struct watch *w, enum watch_moment m, uint32_t task, uint32_t lock)
{
	for (unsigned i = 0; i < w->on[m].n; i++)
		w->on[m].look[i](w, m, task, lock);
}

/* The part of [a, b) that lies in the window. */
static inline sim_time watch_span(const struct watch *w, sim_time a, sim_time b)
{
	if (a < w->from)
		a = w->from;
	return b > a ? b - a : 0;
}

/* Brings what the task spent up to @now. */
static inline void watch_task_book(const struct watch *w, struct watch_task *t, sim_time now)
{
	t->spent[t->spends] += watch_span(w, t->since, now);
	t->since = now;
}

/* What it will have spent at @now, the present or later. */
static inline sim_time watch_task_spent(const struct watch *w, const struct watch_task *t, enum watch_spent what,
					sim_time now)
{
	return t->spent[what] + (t->spends == what ? watch_span(w, t->since, now) : 0);
}

static inline uint32_t watch_task_index(const struct watch *w, const struct watch_task *t)
{
	return (uint32_t)(t - w->task);
}

static inline uint32_t watch_lock_index(const struct watch *w, const struct watch_lock *l)
{
	return (uint32_t)(l - w->lock);
}

static inline bool watch_free_lock(const struct watch_lock *l)
{
	if (l->counting)
		return l->open || l->avail > 0;
	return !l->nexcl && !l->nshared;
}

/* Who keeps @t out of a lock that is free, by the ceiling of what it holds; or WATCH_NONE. */
static inline uint32_t watch_barrier(const struct watch *w, const struct watch_task *t)
{
	bool waits = t->op == WATCH_OP_LOCK && t->op_waits;

	return waits && watch_free_lock(&w->lock[t->op_lock]) ? t->op_barrier : WATCH_NONE;
}

/* The words of a task that the machine and the models see; NULL in tests without a machine. */
static inline const struct sim_shared *watch_shared(const struct watch *w, uint32_t task)
{
	return (const struct sim_shared *)(const void *)w->b->task[task].shared;
}

static inline const char *watch_task_name(const struct watch *w, uint32_t task)
{
	return task == WATCH_NONE ? NULL : w->b->task[task].name;
}

static inline const char *watch_lock_name(const struct watch *w, uint32_t lock)
{
	return lock == WATCH_NONE ? NULL : w->b->lock[lock].name;
}

/* Raises max without counting: a wait that is still open. */
void watch_dist_raise(struct run_dist *d, sim_time t);

/* -- folds ---------------------------------------------------------------------------------- */

void fold_lock_init(struct watch *w);
void fold_lock_finish(struct watch *w, sim_time end);
void fold_lock_free(struct watch *w);
void fold_call(struct watch *w, const struct sim_rec *rec);
void fold_grant(struct watch *w, const struct sim_rec *rec);
void fold_fail(struct watch *w, const struct sim_rec *rec);
void fold_unlock(struct watch *w, const struct sim_rec *rec);
void fold_unlocked(struct watch *w, const struct sim_rec *rec);
void fold_downgrade(struct watch *w, const struct sim_rec *rec);
void fold_event(struct watch *w, const struct sim_rec *rec);
void fold_line_sum(struct watch *w, const struct sim_rec *rec);

/* The lock side of a task falling asleep and being woken inside an operation. */
void fold_lock_sleep(struct watch *w, struct watch_task *t);
void fold_lock_wake(struct watch *w, struct watch_task *t);

void fold_task_init(struct watch *w);
void fold_task_finish(struct watch *w, sim_time end);
void fold_task_free(struct watch *w);
void fold_switch(struct watch *w, const struct sim_rec *rec);
void fold_wakeup(struct watch *w, const struct sim_rec *rec);
void fold_arrive(struct watch *w, const struct sim_rec *rec);
void fold_exit(struct watch *w, const struct sim_rec *rec);
void fold_prio(struct watch *w, const struct sim_rec *rec);
void fold_throttle(struct watch *w, const struct sim_rec *rec);
void fold_done(struct watch *w, const struct sim_rec *rec);
void fold_job(struct watch *w, const struct sim_rec *rec);

void fold_cpu_init(struct watch *w);
void fold_cpu_switch(struct watch *w, const struct sim_rec *rec);
void fold_cpu_irq(struct watch *w, const struct sim_rec *rec);
void fold_cpu_finish(struct watch *w, sim_time end);

/* -- pieces of waits (account.c) -------------------------------------------------------------- */

/* @all: cut every wait, whoever asks. */
void account_init(struct watch *w, bool all);
/* The state so far held from accounted_to to @now. Before a record is folded in. */
void account_advance(struct watch *w, sim_time now);
/* The wait of @task opened, closed (@counts: inside the window). */
void account_open(struct watch *w, uint32_t task);
void account_close(struct watch *w, uint32_t task, bool counts);
/* Waits that are still open go into the sums. */
void account_finish(struct watch *w);
void account_free(struct watch *w);
/* The piece that the open wait of @task shows now. Leaves the chain in chain_next, its tasks stamped with w->stamp. */
enum run_piece account_piece(struct watch *w, uint32_t task);
/* Is @task less urgent than @waiter? Class, then deadline or effective priority; all fair tasks are equal. */
bool account_less_urgent(struct watch *w, uint32_t waiter, uint32_t task);

/* -- stories of the worst waits (story.c) ------------------------------------------------------ */

void story_init(struct watch *w, struct story *story);
/* The open wait of @task showed @piece from @from to @to; right after account_piece(). */
void story_interval(struct watch *w, uint32_t task, enum run_piece piece, sim_time from, sim_time to);
void story_open(struct watch *w, uint32_t task);
void story_close(struct watch *w, uint32_t task, bool counts);
void story_prio(struct watch *w, const struct sim_rec *rec);
/* Sorts what was kept. */
void story_finish(struct watch *w);
enum story_state story_state_of(const struct watch_task *t);

/* The state as it stands at @at, which is not before the latest record (scene.c). The caller frees. */
struct scene *scene_take(struct watch *w, sim_time at);

/* -- the bill (fold_bill.c) -- */

void bill_init(struct watch *w);
/* Subscribes before the watch does: a record is booked before the folds take it in. */
void bill_listen(struct watch *w, struct sim_trace *trace);
struct run_bill *bill_finish(struct watch *w, sim_time end);
void bill_free(struct watch *w);
void run_bill_free(struct run_bill *b);

/* -- oracles ------------------------------------------------------------------------------- */

extern const struct watch_oracle oracle_exclusion, oracle_owner, oracle_livelock, oracle_wakeup, oracle_deadlock, oracle_spinner,
	oracle_broken, oracle_pi, oracle_fifo, oracle_starvation, oracle_writer, oracle_conservation, oracle_exit, oracle_handoff;

void oracle_init(struct watch *w);
/* Fills the result's list of what watched. */
void oracle_list(const struct watch *w, struct run_result *r);
/* May a timeout, or a signal that some statement sends, end the open wait of @task? (oracle_deadlock.c) */
bool watch_abortable(const struct watch *w, uint32_t task);
bool watch_any_caps(const struct watch *w, unsigned caps);
void watch_put_time(GString *s, sim_time t);
/* Lines of who holds @lock. */
void watch_put_owners(const struct watch *w, GString *s, uint32_t lock);

/* -- findings (finding.c) --------------------------------------------------------------------- */

/* @task, @lock: index or WATCH_NONE. @text is taken over. */
void watch_report(struct watch *w, enum run_finding_kind kind, uint32_t task, uint32_t lock, char *text);
/* The same with the tasks of a deadlock's cycle. */
void watch_report_cycle(struct watch *w, uint32_t lock, const uint32_t *task, uint32_t n, char *text);
/* Should the lock still be reported for this kind? Cheap test before a text is made. */
bool watch_wants(const struct watch *w, enum run_finding_kind kind);
/* "file:7" of a statement, for texts; borrowed from a static ring of the watch's caller: @buf. */
const char *watch_place(const struct watch *w, uint32_t statement, char *buf, size_t room);
void finding_init(struct watch *w);
void finding_fill(struct watch *w, struct run_result *r);
void finding_free(struct watch *w);

/* -- expectations (expect_track.c, expect.c) --------------------------------------------------- */

/* Prepares what the expectations need remembered, and sets track_types. */
void track_init(struct watch *w);
void track_take(struct watch *w, const struct sim_rec *rec);
void track_free(struct watch *w);
/* Judges @list against @r; @own: the result to compare with, or NULL. */
void expect_judge(struct watch *w, const struct scn_expect *list, unsigned n, const struct run_result *r,
		  const struct run_result *own, struct run_verdict *out);
/* Does @e ask for findings of @kind, or (RUN_FINDING_COUNT) of any? */
bool expect_wants(const struct scn_expect *e, enum run_finding_kind kind);

#endif
