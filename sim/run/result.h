/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run came to: a fold over its records, judged. Reports see this and nothing else.
 * Plain data, all owned by the result.
 */
#ifndef SIM_RUN_RESULT_H
#define SIM_RUN_RESULT_H

#include <stdbool.h>

#include "sim/core/clock.h"

/* Distances, in the order of enum sim_dist. */
#define RUN_DISTS 6

/* A distribution of times: exact count, sum, min, max; percentiles from a log-linear histogram (error below 1.6 %). */
struct run_dist {
	uint64_t count;
	sim_time sum, min, max;
	uint32_t **octave; /* dist.c's: counters by octave, or NULL; read it with run_dist_at() */
};
#define RUN_DIST_OCTAVES 58

void run_dist_add(struct run_dist *d, sim_time t);
/* @permille 0..1000; 0 when empty. The upper edge of the bucket, never above max. */
sim_time run_dist_at(const struct run_dist *d, unsigned permille);
sim_time run_dist_mean(const struct run_dist *d);
void run_dist_merge(struct run_dist *into, const struct run_dist *from);
void run_dist_free(struct run_dist *d);

/* Where a wait went (design §10, completed by semantics.md). */
#define RUN_PIECES(X)                                                                              \
	X(holder, "the holder runs")                                                               \
	X(chain, "the end of the chain runs, more than one lock away")                             \
	X(preempted, "kept off its CPUs by tasks at least as urgent")                              \
	X(inversion, "kept off its CPUs by a task less urgent than the waiter")                    \
	X(asleep, "the end of the chain sleeps while it holds")                                    \
	X(hand_over, "the lock is free or granted and the waiter is not yet running")              \
	X(dispatch, "runnable, and an allowed CPU is idle or switching")                           \
	X(irq, "interrupted")                                                                      \
	X(throttled, "throttled")                                                                  \
	X(self, "the waiter itself is spinning or granted but off its CPU")

enum run_piece {
#define X(name, meaning) RUN_PIECE_##name,
	RUN_PIECES(X)
#undef X
	RUN_PIECE_COUNT
};

/* X(identifier, name, meaning). Digests hash the numbers: new ones come last. */
#define RUN_FINDINGS(X)                                                                                      \
	X(mutual_exclusion, "mutual-exclusion", "two tasks own a lock in modes that do not go together")     \
	X(unlock_by_non_owner, "unlock-by-non-owner", "a task unlocks what it does not hold")                \
	X(lost_wakeup, "lost-wakeup", "a task sleeps in a lock that is free, and nothing will wake it")      \
	X(deadlock, "deadlock", "a circle of tasks of which each waits for the next")                        \
	X(stuck_spinner, "stuck-spinner", "a task spins in a lock and nothing can release it")               \
	X(broken, "broken", "a lock breaks a rule of its own model")                                         \
	X(pi, "pi-integrity", "an effective priority is not the best of its own and those that wait")        \
	X(fifo, "fifo", "a lock that promises the order of arrival lets somebody pass")                      \
	X(starvation, "starvation", "a wait is longer than the lock's `starve`")                             \
	X(writer_starved, "writer-starved", "the same of a writer, past whom readers were let in")           \
	X(conservation, "conservation", "grants and releases, or sleeps and wake-ups, do not add up")        \
	X(exit_holding, "exit-holding", "a task exits while it holds a lock")                                \
	X(endless_instant, "endless-instant", "a million accesses at one instant: time cannot end the loop") \
	X(warning, "warning", "a model or a kernel's own file warns (WARN_ON)")                              \
	X(lockdep, "lockdep", "what lockdep_assert_* asks for does not hold")                                \
	X(live_lock, "live-lock", "spinners keep off its CPU who could end their wait")                      \
	X(hand_off, "hand-off", "the first waiter, owed the lock, is passed by who called later")

enum run_finding_kind {
#define X(id, name, meaning) RUN_FINDING_##id,
	RUN_FINDINGS(X)
#undef X
	RUN_FINDING_COUNT
};

extern const char *const run_finding_name[RUN_FINDING_COUNT], *const run_finding_meaning[RUN_FINDING_COUNT];
extern const char *const run_piece_name[RUN_PIECE_COUNT];
extern const char *const run_bill_title[], *const run_bill_meaning[];

struct run_finding {
	enum run_finding_kind kind;
	sim_time at;
	const char *task, *lock; /* or NULL */
	const char *file;
	uint32_t line;		 /* scenario line of the task's statement, 0 unknown */
	char *text;		 /* one or more lines: what, the cycle, the queue */
	bool expected;
};

struct run_lock { /* one lock instance */
	const char *name, *model;
	uint64_t acquisitions[2], contended[2], failed; /* [exclusive, shared] */
	struct run_dist wait[2], hold[2];		 /* of those that ended in the window */
	sim_time spin;			 /* time waiters burned a CPU */
	sim_time asleep;		 /* time waiters slept */
	uint64_t sleeps, wakeups, steals, handoffs; /* handoffs: events named *handoff* */
	uint64_t transfers[RUN_DISTS];	 /* line transfers of the lock's own lines, by distance */
	uint64_t handover[RUN_DISTS];	 /* exclusive hand-overs by distance of the CPUs */
	uint64_t open;			 /* waits still open at the end */
	sim_time piece[RUN_PIECE_COUNT]; /* summed over waits; zero unless accounting was on */
	const char *const *event_name;	 /* NULL-terminated or NULL */
	uint64_t *event;
};

struct run_task { /* one task instance */
	const char *name;
	uint32_t group;		 /* index of its declaration */
	uint32_t instance;
	sim_time run, spin, blocked, preempted, slept; /* on CPU; of it spinning in lock(); asleep in lock(); runnable, not running; program sleeps */
	uint64_t switches, preemptions, migrations;
	uint64_t done, jobs, overruns;
	sim_time finish;	 /* end of the last job or of the task; SIM_NEVER */
	bool exited;
	struct run_dist wait;
	sim_time piece[RUN_PIECE_COUNT];
	int result;		 /* last errno of a lock statement that can fail, positive; 0 success; -1 none */
};

/*
 * The bill: all CPU time of the window, by what it was spent on. Shares of one whole: they
 * sum to CPUs times window exactly, since "inside", "own" and "idle" are what is left of the time in
 * lock operations, outside of them, and without a task.
 */
#define RUN_BILL_ITEMS(X)                                                                          \
	X(lines, "lock's lines", "waiting for lines of the lock itself")                           \
	X(nodes, "other lines inside", "waiting in lock operations for queue nodes, task words, other lines") \
	X(wakes, "wake-ups", "waking, on the waker")                                               \
	X(inside, "spinning and steps", "the rest of the time on a CPU in lock operations")        \
	X(data, "data lines", "waiting for lines outside of lock operations")                      \
	X(own, "own work", "the rest of the time on a CPU outside of lock operations")             \
	X(ipis, "IPIs", "handling reschedule and call IPIs")                                       \
	X(irqs, "ticks, interrupts", "timer ticks, timers and devices")                            \
	X(switches, "context switches", "to another task and to idle")                             \
	X(exits, "idle exits", "leaving idle states")                                              \
	X(idle, "idle", "the rest of the time without a task")

enum run_bill_item {
#define X(id, title, meaning) RUN_BILL_##id,
	RUN_BILL_ITEMS(X)
#undef X
	RUN_BILL_COUNT
};

struct run_bill_move { /* lines that moved for one step of an algorithm */
	const char *lock;   /* whose operation it was, or NULL: none */
	const char *step;   /* function of the model that issued the access; "?" without symbols */
	const char *line;   /* "line 0" of that lock, "queue nodes", "task words", "stacks", … */
	bool own;	    /* of the lock itself */
	uint64_t moves[RUN_DISTS];
	sim_time waited;
};

struct run_bill {
	sim_time total; /* CPUs times window */
	sim_time time[RUN_BILL_COUNT];
	uint64_t count[RUN_BILL_COUNT]; /* how often; 0 where that means nothing */
	uint64_t sleeps, preemptions;	/* in lock operations; of all tasks */
	struct run_bill_move *move;	/* by lock, own first, step, line */
	unsigned nmove;
};

struct run_cpu {
	sim_time busy, idle, irq;
	uint64_t switches;
};

struct run_verdict { /* of one expectation */
	const char *text, *file;
	uint32_t line;
	bool met;
	char *seen;   /* what was seen, and when */
};

struct run_compare {
	const char *lock, *model;
	const char *label;		 /* the model with what the block sets; no two sides of a lock have the same */
	struct run_result *result;	 /* of the same workload under that model */
	struct run_verdict *verdict;
	unsigned nverdict;
};

/* A schedule longer than this is named by its seed where a person reads it. */
#define RUN_REPLAY_MAX 2000

struct run_choice { /* what a policy other than the fixed one decided */
	uint64_t open, turned; /* orders that were open; of them (as far as kept) not decided as the fixed one would */
	bool diverged;	       /* a prescribed decision did not fit: */
	uint64_t diverged_at;  /* which, from 1 */
	sim_time diverged_time;
	uint32_t found, among; /* how many could come first; how many when it was recorded, 0: not told */
	uint64_t left;	       /* prescribed decisions that the run did not come to */
	char *schedule;	       /* all decisions, in the form that --choice=replay: takes; NULL: too many */
	char *replay;	       /* "replay:2x0,1/2" or "seed:7": what brings the run back; NULL: only the same file does */
};

enum run_end { RUN_END_TIME, RUN_END_DONE, RUN_END_QUIET, RUN_END_FINDING, RUN_END_STEPS, RUN_END_INTERRUPTED };

struct run_result {
	const char *scenario, *path, *machine; /* machine: "westmere-ex-8s 8x10x1, preempt none, 1000 Hz" */
	const char *const *about;
	uint64_t seed;
	enum run_end end;
	sim_time from, until;	 /* the window: [warm-up, end) */
	uint64_t digest;	 /* over SCHED | LOCK | TASK */
	uint64_t records, accesses, events;
	bool accounted;		 /* pieces were kept */
	struct run_lock *lock; unsigned nlock;
	struct run_task *task; unsigned ntask;
	struct run_cpu *cpu; unsigned ncpu;
	struct run_finding *finding; unsigned nfinding;
	struct run_verdict *verdict; unsigned nverdict;
	struct run_compare *compare; unsigned ncompare;
	uint64_t done;		 /* unnamed `done`s in the window */
	uint64_t throughput_milli; /* per second, in thousandths */
	bool has_throughput;
	const char **done_name; uint64_t *done_count; unsigned ndone; /* named ones */
	struct run_choice *choice; /* NULL under the fixed order */
	struct run_bill *bill;	 /* NULL unless asked for */
	const char **oracle; bool *oracle_watched; unsigned noracle; /* which oracles watched this run */
	void *memory;		 /* owned: names above that are not constants or the scenario's */
};

/* 0: fine. 1: an unexpected finding, or an expectation missed. 3: a limit was reached without a verdict. 130: interrupted. */
int run_exit_status(const struct run_result *r);

#endif
