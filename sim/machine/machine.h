/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine: CPUs, cache lines, tasks and the clock that drives them. No lock is
 * known here.
 *
 *   world events (timers, IPIs, ticks, arrivals) ──┐
 *                                                  ├─> event queue ─> cpu_go()
 *   progress of each CPU (one event per CPU) ──────┘        │
 *                                                           ├─ program step (no stack)
 *                                                           ├─ run time (preemptible)
 *                                                           └─ fiber: lock algorithm,
 *                                                              each marked access -> line
 *
 * One machine exists per process at a time: `sim`. loop.c and exec*.c run CPUs, line.c prices
 * accesses, spin.c elides polling, sched*.c chooses tasks, wake.c puts them to sleep and
 * wakes them.
 */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include "sim/core/arena.h"
#include "sim/core/check.h"
#include "sim/core/choice.h"
#include "sim/core/evq.h"
#include "sim/core/fiber.h"
#include "sim/core/taskwords.h"
#include "sim/core/trace.h"
#include "sim/machine/costs.h"

#define SIM_CPUS_MAX 4096

enum sim_preempt { SIM_PREEMPT_NONE, SIM_PREEMPT_VOLUNTARY, SIM_PREEMPT_FULL, SIM_PREEMPT_LAZY, SIM_PREEMPT_RT };
enum sim_fair { SIM_FAIR_CFS, SIM_FAIR_EEVDF };
enum sim_policy { SIM_STOP, SIM_DEADLINE, SIM_FIFO, SIM_RR, SIM_NORMAL, SIM_BATCH, SIM_IDLE };

struct sim_config { /* the machine { } block, checked */
	unsigned sockets, cores, threads; /* cores per socket, threads per core */
	unsigned cluster;		  /* cores that share a last-level cache; 0: the whole socket */
	struct sim_costs costs;
	enum sim_preempt preempt;
	unsigned hz;
	enum sim_fair fair;
	bool up;		 /* kernel up: raw spinlocks only disable preemption */
	bool lazy_tlb;		 /* idle CPUs keep the last task's address space, and are part of its shootdowns */
	unsigned smt_share_ppm;	 /* progress of `run` while the sibling is busy; 0: unaffected */
	sim_time rt_period, rt_runtime; /* rt_runtime 0: no throttling */
	uint64_t clock_khz;	 /* 0: unknown; converts `cycles` */
	uint64_t seed;
	bool poll;		 /* --spin=poll: no elision */
	uint64_t max_steps;	 /* accesses + events; 0: no limit */
	size_t arena_bytes;	 /* 0: default */
};

/* Event kinds, the third part of the order. World kinds and CPU kinds share the space. */
enum sim_kind {
	SIM_KIND_END,	   /* end of the run: nothing at T or later is processed */
	SIM_KIND_ARRIVAL,  /* subject: task */
	SIM_KIND_TIMER,	   /* subject: task; sleep */
	SIM_KIND_TIMEOUT,  /* subject: task; timed lock */
	SIM_KIND_SIGNAL,   /* subject: task */
	SIM_KIND_DEVICE,   /* subject: interrupt source */
	SIM_KIND_TICK,	   /* subject: 0 */
	SIM_KIND_IPI,	   /* subject: 0 */
	SIM_KIND_CALL,	   /* subject: sender cpu: function-call IPI */
	SIM_KIND_THROTTLE, /* subject: 0 or task */
	SIM_KIND_HARNESS,  /* subject: the user's: unit tests, director steps */
	SIM_KIND_CPU,	   /* phase 1: progress of a CPU; subject 0 */
};

struct sim_task;
struct sim_cpu;

/* The first members of the kernel layer's struct task_struct, in simulated memory (the task's own lines). */
struct sim_shared {
	SIM_TASK_WORDS
};

enum sim_act_kind {
	SIM_ACT_RUN,	/* compute for t: preemptible by class and preemption model */
	SIM_ACT_SPEND,	/* t of kernel time that nothing preempts (syscall entry, fault entry) */
	SIM_ACT_CALL,	/* run fn(task, arg) on a fiber; it returns when done */
	SIM_ACT_SLEEP,	/* until the absolute time t, interruptible by signals */
	SIM_ACT_WAIT,	/* until sim_task_wake_program() */
	SIM_ACT_YIELD,
	SIM_ACT_RESCHED, /* cond_resched / might_sleep point */
	SIM_ACT_EXIT,
};

struct sim_act {
	enum sim_act_kind kind;
	sim_time t;
	void (*fn)(struct sim_task *task, void *arg);
	void *arg;
};

/* The next action of @task, asked for in engine context on its CPU at sim->now. Must not touch simulated memory. */
typedef void (*sim_program_fn)(struct sim_task *task, struct sim_act *act);

struct sim_attr { /* scheduling parameters */
	enum sim_policy policy;
	int rt_priority;  /* FIFO, RR: 1..99 */
	int nice;	  /* -20..19 */
	sim_time dl_runtime, dl_period, dl_deadline;
};

enum sim_exec { SIM_EXEC_PROGRAM, SIM_EXEC_RUN, SIM_EXEC_SPEND, SIM_EXEC_FIBER };

#define SIM_TRAIL 16

struct sim_task {
	uint32_t id;		    /* from 0; subject of its events; record number is id + 1 */
	const char *name;	    /* "worker[3]" */
	struct sim_shared *shared;  /* in the arena */
	struct sim_line *stack_line; /* its whole stack is one line */
	void *user;		    /* the run layer's program state */
	sim_program_fn program;

	/* execution */
	enum sim_exec exec;
	struct sim_fiber *fiber;    /* while in SIM_EXEC_FIBER */
	struct sim_act act;	    /* what it is doing */
	sim_time left;		    /* of RUN or SPEND, as if alone on its core */
	unsigned preempt_count;	    /* nesting of preempt_disable() */
	unsigned irq_off;	    /* nesting of local_irq_save() */
	unsigned migrate_off;	    /* nesting of migrate_disable() */
	unsigned kernel_mode;	    /* nesting of kernel locks held, kernel { }, fault { }, lock calls */
	bool is_irq;		    /* a pseudo-task: interrupt body */
	bool arrived, exited;

	/* sleeping */
	bool on_rq;		    /* queued on cpu's run queue (or running) */
	bool donates;		    /* sleeps, but stays queued, for the owner to execute in its turn (sched_proxy.c) */
	const long *blocked_on;	    /* the word that holds the owner's task_struct; NULL: it leaves the queue to sleep */
	unsigned long blocked_flags; /* its bits that are no address */
	bool sigpending, sigfatal;
	bool throttled;
	struct sim_event arrival;   /* SIM_KIND_ARRIVAL */
	struct sim_event timer;	    /* SIM_KIND_TIMER */
	struct sim_event timeout;   /* SIM_KIND_TIMEOUT, for timed locks */
	void (*on_timeout)(struct sim_task *task);
	void *timeout_arg;

	/* where it may run: a CPU set, bit per CPU */
	uint64_t *allowed;
	unsigned nallowed;

	/* trace: which lock operation is in flight (1 + lock index, 0 none) */
	uint32_t op_lock;
	bool op_hidden; /* its events are nobody's: they are of a lock within the lock */
	struct sim_touched *touched; /* lines of the operation, for models that also read shared words unmarked (spin.c); or NULL */
	const void *site, *site_outer; /* while sim_booking: code that issued the access in flight; raw lock words book to their caller */
	bool trailing;		    /* while sim_booking: the steps of the operation are kept, too */
	unsigned ntrail;
	const void *trail[SIM_TRAIL]; /* a ring of the last ones; ntrail counts on */
	bool op_waited;		    /* spun (sim_relax) or blocked since op_lock was set; the run layer clears it */

	/* scheduling (sched*.c) */
	struct sim_attr attr;	    /* normal parameters */
	struct sim_task *pi_top;    /* donor: top of pi_waiters' task, or NULL */
	int ceiling;		    /* strongest priority ceiling of the locks it holds, or SIM_NO_CEILING */
	struct sim_task *rq_next, *rq_prev; /* list of its RT priority; right and left in a tree; list of interrupt bodies */
	int64_t key, key_min;	    /* in a tree: its place, and the smallest vruntime from here down */
	int64_t vruntime, lag;	    /* weighted ps */
	int64_t vdeadline;	    /* EEVDF: weighted ps */
	unsigned weight;	    /* of its nice */
	sim_time slice_left;	    /* RR */
	sim_time exec_start, slice_exec; /* accounting: since when; run since it was picked */
	int64_t dl_left;	    /* deadline: runtime left in this period, ps; overrun is negative */
	struct sim_event dl_timer;  /* SIM_KIND_THROTTLE: replenishment */
	struct sim_task *dl_donor;  /* boosted: whose parameters it runs with */
	bool dl_yielded;	    /* deadline: gave the rest of its runtime away */
	bool delayed;		    /* EEVDF: sleeps, but stays in the tree until it is eligible again */
	bool slept;		    /* blocked since the last schedule() */
	sim_time irq_period;	    /* interrupt bodies: every so often */
};

/* Is it off the CPU until somebody wakes it, queued for its owner's sake or not? */
static inline bool sim_task_asleep(const struct sim_task *task)
{
	return !task->on_rq || task->delayed || task->donates;
}

enum sim_cpu_mode {
	SIM_CPU_IDLE,
	SIM_CPU_IDLE_EXIT, /* leaving idle; event at the end of the exit latency */
	SIM_CPU_PICK,	   /* schedule() is due */
	SIM_CPU_SWITCH,	   /* switch cost is being paid */
	SIM_CPU_TASK,	   /* executing curr */
};

/* Why a fiber came back to the CPU. */
enum sim_yield { SIM_YIELD_TIME, SIM_YIELD_SCHEDULE, SIM_YIELD_PREEMPT, SIM_YIELD_PARK, SIM_YIELD_ATTEND };

struct sim_cpu {
	uint32_t id, socket, core, thread;
	uint64_t place;		    /* socket << 32 | cluster << 16 | core: what differs tells the distance (line.c) */
	struct sim_event ev;	    /* SIM_KIND_CPU */
	uint64_t rank;		    /* of ev */
	uint64_t yields_to;	    /* what is due up to this rank at an instant comes before it goes on there */
	enum sim_cpu_mode mode;
	enum sim_yield yield;
	struct sim_fiber *waits;    /* in the middle of an access or a pause: the CPU's event resumes it and does nothing else */
	struct sim_task *curr;	    /* executing or being switched to; NULL: idle */
	struct sim_task *prev;	    /* being switched away from, until the switch is over */
	struct sim_task *lazy;	    /* idle: whose address space is still loaded; NULL: nobody's */
	enum sim_rec_state prev_state;
	bool preempting;	    /* the PICK is a preemption: curr stays queued whatever its state */
	bool need_resched;	    /* TIF_NEED_RESCHED of curr */
	bool lazy_resched;	    /* NEED_RESCHED_LAZY */
	bool attention;		    /* something to look at between two accesses: debt, resched, interrupt */
	sim_time irq_debt;	    /* interrupt time to be charged before curr goes on */
	bool in_run;		    /* a stretch of RUN is in progress and its end is queued */
	sim_time run_since, run_end; /* that stretch */
	unsigned run_ppm;	    /* its progress, 1000000 = full */
	sim_time idle_since;
	struct sim_task *irq_list;  /* interrupt bodies waiting to run, linked by rq_next */
	struct sim_task *irq_task;  /* the interrupt body that runs on top of curr, or NULL */
	struct sim_event tick;	    /* SIM_KIND_TICK */
	struct sim_event ipi;	    /* SIM_KIND_IPI */
	struct sim_spin *spin;	    /* elision: record of the current turn (spin.c) */
	bool parked;		    /* spinning without events */
	bool replaying;		    /* running forward from the past: what was read then still holds */
	bool recording;		    /* a turn of a spin is under way, and was nothing but loads so far */
	uint32_t self_then;	    /* sim_self_now() when the turn of a spin began that is being made or replayed */
	uint16_t line_next;	    /* 1 + CPU behind this one in a line's queue of requests */
	uint32_t call_seq;	    /* function-call IPIs sent so far */
	struct sim_rq *rq;	    /* sched.h */
};

struct sim_object { /* a named piece of simulated memory: unit of the line statistics */
	const char *name;
	uint32_t first_line, lines;
	uint64_t transfers[SIM_DIST_COUNT];
};

struct sim_machine {
	sim_time now;
	uint64_t rank;		    /* of what is being processed: with now, the current key */
	struct sim_cpu *cpu;	    /* on whose behalf code runs (world events: the event's CPU) */
	bool in_world;		    /* a phase-0 event is being processed */
	struct sim_evq evq;
	struct sim_config cfg;
	struct sim_trace *trace;
	struct sim_choice *choice;
	struct sim_event **ties;    /* order.c: what is due at one instant */
	uint32_t ties_room;
	bool choosing;		    /* open orders are asked for: the policy is not fixed (order.c) */
	struct sim_cpu *cpus;
	unsigned ncpus;
	struct sim_task **tasks;
	uint32_t ntasks, tasks_room, alive; /* alive: not exited, not pseudo-tasks */
	struct sim_arena arena;
	struct sim_line *lines;	    /* one per line of the arena */
	struct sim_object *objects;
	uint32_t nobjects, objects_room;
	size_t shared_bytes;	    /* size of the kernel layer's task_struct */
	sim_time tick_ps;	    /* 1/hz */
	uint64_t high;		    /* highest rank processed at this instant: what a polling run would have done by now */
	uint64_t accesses, misses, events, relaxes; /* relaxes: polls, skipped ones included */
	uint32_t ticks;		    /* tick events queued */
	uint64_t still;		    /* accesses made when this instant began: a spin that time cannot end */
	sim_time hit[8];	    /* enum sim_op: what it costs where the line allows it at once */
	uint64_t max_accesses;	    /* cfg.max_steps, or no limit */
	struct sim_event end;
	bool touching;		    /* sim_op_touch() was used: stores tell who watches plainly read lines */
	unsigned comparing;	    /* parked spinners of COMPARE operations: so do plain stores */
	bool until_done, quiet;
	bool stop;		    /* leave the loop: end of run, finding, limit, SIGINT */
	enum sim_stop { SIM_STOP_END, SIM_STOP_DONE, SIM_STOP_QUIET, SIM_STOP_ASKED, SIM_STOP_STEPS, SIM_STOP_STILL, SIM_STOP_SIGNAL } why;
	/* the run layer's ears; may be NULL */
	void (*on_quiet)(void);	    /* no event is left though tasks are alive */
};

extern struct sim_machine *sim;

/* Somebody books what accesses cost to the code that issued them: sim_task.site is kept. Host addresses: they may
 * name a function and nothing else. */
extern bool sim_booking;

/*
 * The CPU whose fiber is running, or NULL while something has to be looked at before or after every access: no
 * fiber runs, an elided spin is made up for, the run is to stop, or somebody listens to single accesses.
 */
extern struct sim_cpu *sim_door;
/* Closes it; opens it for a fiber if nothing speaks against it. */
static inline void sim_door_close(void)
{
	sim_door = NULL;
}
void sim_door_open(void);

/* A step of @t's operation in code at @site; turns of a loop are one. */
static inline void sim_trail_add(struct sim_task *t, const void *site)
{
	for (unsigned back = 1; back <= 4 && back <= t->ntrail; back++)
		if (t->trail[(t->ntrail - back) % SIM_TRAIL] == site)
			return;
	t->trail[t->ntrail++ % SIM_TRAIL] = site;
}

/* -- setting up -------------------------------------------------------------------------- */

/* A machine ready for tasks and locks. @shared_bytes: size of struct task_struct, 0 for sizeof(struct sim_shared).
 * @choice decides every open order and outlives the machine; unless its policy is fixed, spins are polled. The
 * previous machine, if any, must have been destroyed. */
struct sim_machine *sim_machine_create(const struct sim_config *cfg, size_t shared_bytes, struct sim_trace *trace,
				       struct sim_choice *choice);
void sim_machine_destroy(struct sim_machine *m);

/* Named simulated memory. @home: socket whose memory it lies in. NULL when the arena is full. */
void *sim_object_create(const char *name, size_t bytes, unsigned home);

/* Per-CPU simulated memory of @bytes each: cpu i's part is at base + i * stride (whole lines, homed there). */
void *sim_percpu_create(const char *name, size_t bytes, size_t *stride);

/* A task; not yet arrived. @cpu: where it starts (its first wake-up's previous CPU). @allowed: CPU set or NULL for all. */
struct sim_task *sim_task_create(const char *name, const struct sim_attr *attr, unsigned cpu, const uint64_t *allowed,
				 sim_program_fn program, void *user);
/* Queues the arrival; 0 is legal. */
void sim_task_start(struct sim_task *task, sim_time at);

/* An interrupt body: a pseudo-task that runs on top of whatever @cpu does. Fires at @first and then every @period. */
struct sim_task *sim_irq_create(const char *name, unsigned cpu, sim_time first, sim_time period, sim_program_fn program,
				void *user);

/* -- running ----------------------------------------------------------------------------- */

/* Processes events before @until (SIM_NEVER: none), or until stop. @until_done: also ends when all tasks exited. */
enum sim_stop sim_machine_run(sim_time until, bool until_done);
/* Ends the run after the current step. */
void sim_machine_stop(enum sim_stop why);
/* Emits SIM_REC_LINE_SUM records for all objects. */
void sim_machine_sum_lines(void);

/* Does anybody want records of @type? */
static inline bool sim_listened(enum sim_rec_type type)
{
	return sim->trace->types >> type & 1;
}

static inline void sim_emit(enum sim_rec_type type, uint32_t task, uint32_t obj, uint32_t arg, uint64_t val)
{
	if (sim_listened(type))
		sim_trace_put(sim->trace, sim->now,
			      (uint64_t)type | (uint64_t)(sim->cpu ? sim->cpu->id : 0) << 16 | (uint64_t)task << 32,
			      (uint64_t)obj | (uint64_t)arg << 32, val);
}

/* -- on a fiber: what kernel words are made of ------------------------------------------- */

enum sim_op { SIM_LOAD, SIM_STORE, SIM_XCHG, SIM_ADD, SIM_AND, SIM_OR, SIM_XOR, SIM_CMPXCHG };

/*
 * One marked access to @size (1, 2, 4, 8) bytes at @addr: waits for the line, performs
 * the operation in one step at its completion, and attends to interrupts and preemption
 * afterwards. Returns the old value (for STORE too). CMPXCHG: stores @b if the old value is @a.
 * Outside a fiber (init, view, unit tests of data structures) it performs the operation free of cost.
 */
uint64_t sim_access(enum sim_op op, void *addr, unsigned size, uint64_t a, uint64_t b);
/* The same where door.h has been tried and could not help. */
uint64_t sim_access_slowly(enum sim_op op, void *addr, unsigned size, uint64_t a, uint64_t b);

/*
 * An unmarked read inside a spin loop: costs nothing, is no point of decision, takes no
 * copy of the line; but the loop may be elided, because the word is watched. Stores to it
 * are marked, or sim_plain_stored() follows them.
 */
uint64_t sim_peek(const void *addr, unsigned size);
void sim_plain_stored(const void *addr);

/* What is known of a spin, that is of what decides at each of its turns. */
enum sim_spin_kind {
	SIM_SPIN_PLAIN, /* nothing: the machine compares the task's state from turn to turn, and sees to plain reads */
	SIM_SPIN_LOADS, /* besides the state marked loads and what wakes a parked CPU anyway (need_resched), and no spin is in it */
	SIM_SPIN_SAME,	/* these alone: it parks at its first pause */
};

/* A spin begins; not needed for plain ones. */
void sim_spin_begin(enum sim_spin_kind kind);

/* cpu_relax(): spends the cost, and parks the CPU when the loop proved to be at a fixed point. */
void sim_relax(enum sim_spin_kind kind);

/* Time of the current task on its CPU, not preemptible in itself. */
void sim_spend(sim_time d);

/* schedule(): sleeps if the state word says so; returns when the task runs again. */
void sim_schedule(void);

/* A point where a pending reschedule is acted on if model and counts allow (preempt_enable(), end of an access). */
void sim_preempt_point(void);
/* cond_resched(), might_sleep(): acts under none/voluntary only as semantics.md says. */
void sim_resched_point(bool might_sleep);

/* The task that code runs for: the interrupt body if one runs, else the CPU's task. */
static inline struct sim_task *sim_current(void)
{
	return sim->cpu->irq_task ? sim->cpu->irq_task : sim->cpu->curr;
}

/* What code that spins reads of its own task without an access: bits of sim_self_now(). */
#define SIM_SELF_RESCHED 1u
#define SIM_SELF_SIGNAL 2u
#define SIM_SELF_FATAL 4u
#define SIM_SELF_PRIO_SHIFT 8 /* effective priority + 1 */

static inline uint32_t sim_self_now(void)
{
	const struct sim_task *t = sim_current();

	return (sim->cpu->need_resched ? SIM_SELF_RESCHED : 0) | (t->sigpending ? SIM_SELF_SIGNAL : 0) |
	       (t->sigfatal ? SIM_SELF_FATAL : 0) | (uint32_t)(t->shared->prio + 1) << SIM_SELF_PRIO_SHIFT;
}

/* The same as code on this CPU may see it: in a replay, as it was then. */
static inline uint32_t sim_self(void)
{
	return sim->cpu->replaying ? sim->cpu->self_then : sim_self_now();
}

static inline bool sim_need_resched(void)
{
	return sim_self() & SIM_SELF_RESCHED;
}

/* A read of the clock or of anything else that no watched line guards: a loop with one polls. */
sim_time sim_clock(void);

/* local_irq_restore() to enabled: takes interrupts that waited. */
void sim_irq_enabled(void);

/* -- waking, signals, timers (wake.c) ----------------------------------------------------- */

/* try_to_wake_up(): true if @task's state was in @mask and it is now runnable. Free of cost; the caller pays `wake`. */
bool sim_wake(struct sim_task *task, unsigned mask);
/* A signal: wakes an interruptible (fatal: also a killable) sleeper. */
void sim_signal(struct sim_task *task, bool fatal);
/* Ends a SIM_ACT_WAIT. */
void sim_task_wake_program(struct sim_task *task);
/* Arms the task's timed-lock timer for the absolute time @at; @fn runs as a world event. */
void sim_timeout_start(struct sim_task *task, sim_time at, void (*fn)(struct sim_task *task), void *arg);
void sim_timeout_cancel(struct sim_task *task);
/* A function-call IPI to @cpu: charges `ipi_handler` there; @fn (may be NULL) runs on arrival as a world event. */
void sim_call_cpu(unsigned cpu, void (*fn)(struct sim_cpu *cpu, void *arg), void *arg);

/* Marks @cpu for rescheduling and makes it notice (IPI, idle exit) as resched_curr() does. @lazy: only lazily. */
void sim_resched_cpu(struct sim_cpu *cpu, bool lazy);

/* Kernel-mode reschedule allowed here and now? */
bool sim_may_preempt(const struct sim_cpu *cpu);

/* Makes @cpu look at its attention word as soon as it can (between accesses; at once in RUN; un-parks a spinner). */
void sim_kick(struct sim_cpu *cpu);

/*
 * How the spin loops of @task's operation are elided from here on. Models read every shared
 * word with a mark; the kernel's own files do not: some of their loops also read, plainly,
 * words of lines that the operation accessed before. WATCH: such lines are watched as well.
 * COMPARE: some of those words are also stored plainly, by operations that accessed their
 * line before. What such a line holds is compared whenever one of them lets time pass.
 */
enum sim_touch { SIM_TOUCH_MARKED, SIM_TOUCH_WATCH, SIM_TOUCH_COMPARE };
void sim_op_touch(struct sim_task *task, enum sim_touch how);

/* Memory outside the arena (@start, @bytes; an image that was loaded) whose lines are those of @shadow, an object of
 * the same size. Forgotten with the machine. */
void sim_alias(const void *start, size_t bytes, void *shadow);

/* A machine-side store to simulated memory, free of cost: invalidates all copies and wakes spinners on that line. */
void sim_poke(void *addr);

/* Distance class between two CPUs: same CPU, sibling, cluster, socket, hops = min(popcount(i ^ j), 2) of socket numbers. */
enum sim_dist sim_distance(unsigned a, unsigned b);

/* -- cpu sets ------------------------------------------------------------------------------ */
static inline bool sim_cpuset_has(const uint64_t *set, unsigned cpu)
{
	return set[cpu / 64] >> (cpu % 64) & 1;
}

#define SIM_CPUSET_WORDS(ncpus) (((ncpus) + 63) / 64)

#endif
