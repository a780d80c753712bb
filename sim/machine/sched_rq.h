/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the scheduler share. Not for anybody else.
 *
 *   struct sim_rq (one per CPU)
 *     stop   one list
 *     dl     tree by (deadline, task)          running task stays in it
 *     rt     100 lists and a bitmap            running task stays at its place
 *     fair   tree by (vruntime or virtual deadline, task), the running task outside
 *
 *   struct sim_sched (one per machine): sets of CPUs that make searches short
 *     idle      nothing is queued there
 *     level[l]  strongest queued work is l: 0 fair or none, 1..99 RT, 100 deadline, 101 stop
 *     rt_over, dl_over, fair_over   more is queued than can run, and some of it might move
 *
 * `curr` of a run queue is the task that was picked last and did not block since; it
 * differs from the CPU's own only between a pick and the CPU taking notice, and while
 * somebody executes for it (sched_proxy.c).
 */
#ifndef SIM_MACHINE_SCHED_RQ_H
#define SIM_MACHINE_SCHED_RQ_H

#include "sim/machine/internal.h"
#include "sim/machine/sched.h"

enum sim_sched_class { SIM_SC_STOP, SIM_SC_DL, SIM_SC_RT, SIM_SC_FAIR }; /* strongest first */

enum sim_enqueue { /* why, and how */
	SIM_ENQ_WAKE = 1,	/* it slept */
	SIM_ENQ_HEAD = 2,	/* RT: before its equals */
	SIM_ENQ_REPLENISH = 4,	/* deadline: a new period */
};

struct sim_list {
	struct sim_task *head, *tail;
};

struct sim_tree {
	struct sim_task *root;
	unsigned nr;
};

struct sim_rt_rq {
	uint64_t bitmap[2];
	struct sim_list list[SIM_MAX_RT_PRIO];
	unsigned nr, movable; /* queued; of these allowed on several CPUs */
	bool throttled;
	bool skip_curr;	      /* the next pick leaves the current task out, to push it */
	struct sim_task *evict; /* it was left out: push it when the switch is over */
	sim_time time;	      /* RT run time charged to this period */
	uint64_t period;      /* number of the period that `time` belongs to */
	struct sim_event timer;
};

struct sim_dl_rq {
	struct sim_tree tree;
	unsigned movable;
};

struct sim_fair_rq {
	struct sim_tree tree; /* all but the running one */
	unsigned nr;	      /* with the running one */
	uint64_t load;	      /* sum of weights */
	int64_t min_vruntime; /* CFS: never goes back. EEVDF: V when somebody last left */
	__int128 sum;	      /* EEVDF: sum of weight * vruntime, the running one included */
	int64_t parity;	      /* EEVDF: the running task's virtual deadline when it was picked */
	struct sim_task *next, *last, *skip; /* CFS buddies */
};

struct sim_rq {
	struct sim_cpu *cpu;
	struct sim_task *curr;
	struct sim_task *proxy; /* executes for curr, which is stronger; NULL: nobody */
	int proxy_prio;		/* curr's priority, as it was told */
	unsigned nr;	      /* runnable tasks of all classes, throttled ones left out */
	uint16_t level;	      /* see above */
	struct sim_fair_rq fair;
	struct sim_dl_rq dl;
	struct sim_list stop;
	struct sim_rt_rq rt;
	uint64_t crowded_tick, crowded; /* balance: latest tick at which a stronger class kept fair tasks waiting; how many in a row before */
};

#define SIM_LEVELS 102
#define SIM_LEVEL_DL 100
#define SIM_LEVEL_STOP 101

struct sim_cpus { /* a set of CPUs that knows its size */
	uint64_t *bits;
	unsigned nr;
};

struct sim_sched {
	struct sim_rq *rqs;
	unsigned words;		 /* of a set of CPUs */
	uint64_t *sets;		 /* memory of all sets */
	uint64_t *all;
	struct sim_cpus idle, rt_over, dl_over, fair_over;
	struct sim_cpus level[SIM_LEVELS];
	uint64_t levels[2];	 /* those that are not empty */
	/* topology: cores are numbered socket * cores + core; CPU = thread * ncores + that */
	unsigned ncores, per_socket, per_cluster;
	/* tunables of the fair class, ps */
	sim_time latency, min_granularity, wakeup_granularity, base_slice;
	sim_time rr_slice;
};

extern struct sim_sched sim_sched;

/* Weight of nice 0: at this weight virtual time is time. */
#define SIM_NICE0_WEIGHT 1024u
#define SIM_IDLE_WEIGHT 3u

/* -- small things ------------------------------------------------------------------------- */

static inline enum sim_sched_class sim_class_of_prio(int prio)
{
	if (prio >= SIM_MAX_RT_PRIO)
		return SIM_SC_FAIR;
	if (prio >= 0)
		return SIM_SC_RT;
	return prio == SIM_DL_PRIO ? SIM_SC_DL : SIM_SC_STOP;
}

static inline enum sim_sched_class sim_class_of(const struct sim_task *task)
{
	return sim_class_of_prio(task->shared->prio);
}

static inline struct sim_rq *sim_rq_of(const struct sim_task *task)
{
	return &sim_sched.rqs[task->shared->cpu];
}

static inline bool sim_time_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* Time as virtual time of a task of that weight. */
static inline int64_t sim_virtual(sim_time d, unsigned weight)
{
	if (weight == SIM_NICE0_WEIGHT)
		return (int64_t)d;
	return (int64_t)((unsigned __int128)d * SIM_NICE0_WEIGHT / weight);
}

static inline void sim_cpus_put(struct sim_cpus *set, unsigned cpu, bool in)
{
	uint64_t bit = UINT64_C(1) << (cpu % 64), *word = &set->bits[cpu / 64];

	if (!(*word & bit) == !in)
		return;
	*word ^= bit;
	set->nr += in ? 1 : -1u;
}

static inline const uint64_t *sim_allowed(const struct sim_task *task)
{
	return task->allowed ? task->allowed : sim_sched.all;
}

/* It may not leave its CPU now, whatever its allowed set says. */
static inline bool sim_task_stuck(const struct sim_task *task)
{
	return task->migrate_off || task->shared->on_cpu || task->donates || (task->fiber && task->preempt_count);
}

/* The same of the task that is `curr`, which is on its CPU anyway. */
static inline bool sim_curr_stuck(const struct sim_task *curr)
{
	return curr->migrate_off || curr->donates;
}

static inline bool sim_task_movable(const struct sim_task *task)
{
	return task->nallowed > 1;
}

/* -- sched.c: the run queue ---------------------------------------------------------------- */

/* Books the current task's time up to now. May throttle it or ask for a reschedule. */
void sim_rq_account(struct sim_rq *rq);
/* Puts a runnable task on / takes it off the queue of its class; @flags: enum sim_enqueue. */
void sim_rq_enqueue(struct sim_rq *rq, struct sim_task *task, unsigned flags);
void sim_rq_dequeue(struct sim_rq *rq, struct sim_task *task, bool sleep);
/* The number of runnable tasks changed by @by: keeps the CPU sets. */
void sim_rq_count(struct sim_rq *rq, int by);
/* The strongest queued work may have changed: keeps `level`. */
void sim_rq_level(struct sim_rq *rq);
/* Moves a queued task that does not run to another CPU's queue; whether it preempts there is the caller's to ask. */
void sim_rq_move(struct sim_rq *from, struct sim_task *task, struct sim_rq *to);
/* The CPU's RT tasks (NULL) or one deadline task used up their time, or may run again. */
void sim_rq_emit_throttle(struct sim_rq *rq, const struct sim_task *task, bool begins);
/* A task on the queue got here or got stronger: asks for a reschedule if it should run instead. */
void sim_rq_check_preempt(struct sim_rq *rq, struct sim_task *task);

/* -- sched_prio.c -- */

int sim_normal_prio(const struct sim_attr *attr);

/* -- sched_proxy.c -- */

/* Who executes now that rq->curr is picked: itself, or the owner of what it waits for. If nobody here can, it is off
 * the queue, curr is NULL and so is the answer: pick again. */
struct sim_task *sim_proxy_find(struct sim_rq *rq);

/* -- sched_tree.c: tasks ordered by (key, id), one shape for one set of keys ----------------- */

void sim_tree_add(struct sim_tree *tree, struct sim_task *task, int64_t key);
void sim_tree_del(struct sim_tree *tree, struct sim_task *task);
struct sim_task *sim_tree_first(const struct sim_tree *tree);
/* The one behind @task, which must be in the tree; NULL: none. */
struct sim_task *sim_tree_next(const struct sim_tree *tree, const struct sim_task *task);

/* -- sched_place.c: searching for a CPU ------------------------------------------------------ */

/* The CPU of @set allowed to @task that is nearest to @cpu; lowest number first among equals; -1: none. */
int sim_place_near(const uint64_t *set, const struct sim_task *task, unsigned cpu);
/* Where a woken fair task should go. */
unsigned sim_place_fair(const struct sim_task *task, const struct sim_cpu *waker);

/* -- sched_rt.c ----------------------------------------------------------------------------- */

void sim_rt_init(struct sim_rq *rq);
void sim_rt_enqueue(struct sim_rq *rq, struct sim_task *task, bool head);
void sim_rt_dequeue(struct sim_rq *rq, struct sim_task *task);
/* Strongest queued priority; SIM_MAX_RT_PRIO: none. */
int sim_rt_top(const struct sim_rq *rq);
struct sim_task *sim_rt_pick(struct sim_rq *rq);
void sim_rt_charge(struct sim_rq *rq, sim_time d);
void sim_rt_tick(struct sim_rq *rq);
void sim_rt_yield(struct sim_rq *rq);
void sim_rt_check_preempt(struct sim_rq *rq, struct sim_task *task);
/* The first queued task but @but; NULL: none. */
struct sim_task *sim_rt_first_but(struct sim_rq *rq, const struct sim_task *but);
/* Strongest waiting task that may leave, for CPU @to or (-1) for anywhere; not @but. */
struct sim_task *sim_rt_waiting(struct sim_rq *rq, int to, const struct sim_task *but);

/* -- sched_dl.c ------------------------------------------------------------------------------ */

void sim_dl_task_init(struct sim_task *task);
void sim_dl_enqueue(struct sim_rq *rq, struct sim_task *task, unsigned flags);
void sim_dl_dequeue(struct sim_rq *rq, struct sim_task *task);
void sim_dl_charge(struct sim_rq *rq, sim_time d);
void sim_dl_yield(struct sim_rq *rq);
/* It leaves the class: forgets throttling. */
void sim_dl_leave(struct sim_task *task);
struct sim_task *sim_dl_waiting(struct sim_rq *rq, int to, const struct sim_task *but);

static inline bool sim_dl_before(const struct sim_task *a, const struct sim_task *b)
{
	return sim_time_before(a->shared->dl_deadline, b->shared->dl_deadline);
}

/* -- sched_push.c ---------------------------------------------------------------------------- */

/* The allowed CPU with the weakest work, all of it weaker than @task; -1: none. */
int sim_push_target(const struct sim_task *task, unsigned near, int waker);
/* Moves waiting deadline and RT tasks of @rq to CPUs that run weaker ones. */
void sim_push(struct sim_rq *rq);
/* Brings here the strongest task that waits elsewhere, if nothing here is as strong. */
void sim_pull(struct sim_rq *rq);

/* -- sched_fair.c ----------------------------------------------------------------------------- */

void sim_fair_tunables(void);
unsigned sim_fair_weight(const struct sim_attr *attr);
void sim_fair_enqueue(struct sim_rq *rq, struct sim_task *task, bool wake);
void sim_fair_dequeue(struct sim_rq *rq, struct sim_task *task, bool sleep);
/* The task to run, which may be the current one; NULL: none. */
struct sim_task *sim_fair_pick(struct sim_rq *rq);
/* Into the tree: it ran and stays runnable. Out of it: it will run. */
void sim_fair_put(struct sim_rq *rq, struct sim_task *task);
void sim_fair_set(struct sim_rq *rq, struct sim_task *task);
void sim_fair_charge(struct sim_rq *rq, struct sim_task *task, sim_time d);
void sim_fair_tick(struct sim_rq *rq);
void sim_fair_yield(struct sim_rq *rq);
void sim_fair_check_preempt(struct sim_rq *rq, struct sim_task *task);
/* A sleeping or queued task changes class: virtual time relative to its queue and back. */
void sim_fair_leave(struct sim_rq *rq, struct sim_task *task);
void sim_fair_join(struct sim_rq *rq, struct sim_task *task);
/* A sleeping task goes from the queue of one CPU to that of another. */
void sim_fair_migrate(struct sim_rq *from, struct sim_task *task, struct sim_rq *to);
void sim_fair_reweigh(struct sim_rq *rq, struct sim_task *task, unsigned weight);
/* Reschedules for a fair reason: lazily under that preemption model. */
void sim_fair_resched(struct sim_rq *rq);

/* -- sched_eevdf.c: the same for EEVDF, called by sched_fair.c ---------------------------------- */

void sim_eevdf_place(struct sim_rq *rq, struct sim_task *task, bool wake);
/* Remembers how much service it is owed. */
void sim_eevdf_lag(struct sim_rq *rq, struct sim_task *task);
bool sim_eevdf_eligible(const struct sim_rq *rq, const struct sim_task *task);
struct sim_task *sim_eevdf_pick(struct sim_rq *rq);
/* After time was charged: a new virtual deadline if the old one is reached. */
void sim_eevdf_charged(struct sim_rq *rq, struct sim_task *task);
/* DELAY_DEQUEUE: takes a sleeper out that stayed for its lag; true if @task was one. */
bool sim_eevdf_undelay(struct sim_rq *rq, struct sim_task *task);

/* -- sched_balance.c -------------------------------------------------------------------------- */

/* At a tick: gives waiting fair tasks to idle CPUs, now and then to less loaded ones. */
void sim_balance_tick(struct sim_rq *rq);
/* This CPU would go idle: takes a waiting fair task; NULL: none. */
bool sim_balance_idle(struct sim_rq *rq);

#endif
