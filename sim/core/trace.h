/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace records: all that reports, pictures, oracles and checks ever see of a run.
 *
 * A run emits records to subscribers by class. The machine never looks at them; nothing
 * printed is read from the machine. docs/trace.md describes the file form.
 */
#ifndef SIM_CORE_TRACE_H
#define SIM_CORE_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/clock.h"

/* What @task, @obj, @arg, @val of a record mean. "-" is unused and 0. task and obj are 1 + index, 0 is none. */
/* X(name, class, "task; obj; arg; val") */
#define SIM_REC_TYPES(X)                                                                           \
	/* schedule */                                                                             \
	X(SWITCH, SCHED, "next task (0: idle); prev task; prev state: enum sim_rec_state; next's prio + 1") \
	X(WAKEUP, SCHED, "woken task; waking task (0: timer, interrupt); target cpu; -")            \
	X(PRIO, SCHED, "task; donor task or 0; old prio + 1; new prio + 1")                       \
	X(SETSCHED, SCHED, "task; -; new normal prio + 1; new effective prio + 1")                \
	X(MIGRATE, SCHED, "task; -; from cpu; to cpu")                                            \
	X(RESCHED, SCHED, "task running there; -; cpu; -")                                        \
	X(IDLE_EXIT, SCHED, "-; -; depth; exit latency ps")                                       \
	X(IRQ, SCHED, "task interrupted or 0; -; enum sim_rec_irq; ps it took")                    \
	X(SIGNAL, SCHED, "task; -; 1: fatal; -")                                                  \
	X(TIMER, SCHED, "task; -; 0: sleep 1: timeout of a lock 2: arrival; -")                   \
	X(THROTTLE, SCHED, "task or 0; -; 1: begins 0: ends; -")                                  \
	/* locks: obj is the lock */                                                               \
	X(CALL, LOCK, "task; lock; mode | how << 8; statement")                                   \
	X(GRANT, LOCK, "task; lock; mode | how << 8; 1: slept or spun on the way")                \
	X(FAIL, LOCK, "task; lock; mode | how << 8; -errno as positive")                          \
	X(UNLOCK, LOCK, "task; lock; mode; statement")                                            \
	X(UNLOCKED, LOCK, "task; lock; mode; - (unlock() returned)")                              \
	X(DOWNGRADE, LOCK, "task; lock; 0: called 1: returned; -")                                \
	X(BLOCK, LOCK, "task; lock; 0: sleeps 1: woken, running again; -")                        \
	X(EVENT, LOCK, "task; lock; event index in its model; increment")                         \
	X(CONTENTION, LOCK, "task; lock; 0: begin 1: end; flags or ret")                          \
	/* rt_mutex detail: what golden traces tell */                                             \
	X(PI_BLOCK, LOCK, "task; lock; owner task or 0; waiter's prio + 1")                       \
	X(PI_REQUEUE, LOCK, "task; lock; -; new waiter prio + 1")                                 \
	X(PI_DEADLOCK, LOCK, "task that asked; lock where the walk met itself; its waiter; -")    \
	X(PI_STOP, LOCK, "task where the walk stopped; lock or 0; reason: enum kw_pi_stop; -")    \
	X(PI_STEAL, LOCK, "task; lock; robbed top waiter; -")                                     \
	X(PI_WAKE_TOP, LOCK, "top waiter; lock; task that unlocks, or 0: by a chain walk; -")     \
	/* programs */                                                                             \
	X(ARRIVE, TASK, "task; -; -; -")                                                          \
	X(RUN, DETAIL, "task; -; 0: begins 1: ends; ps asked (begin) or statement")                 \
	X(DONE, TASK, "task; name index or 0; -; -")                                              \
	X(MARK, TASK, "task; string index; -; -")                                                 \
	X(JOB, TASK, "task; -; 1: overrun; release time of the job that ended")                   \
	X(RESULT, TASK, "task; lock; -; -errno as positive, 0: success")                          \
	X(EXIT, TASK, "task; -; locks held; -")                                                   \
	X(FINDING, TASK, "task or 0; lock or 0; enum finding kind; statement")                    \
	/* lines: aggregated, emitted once at the end unless the class LINES is on */              \
	X(LINE_SUM, SUM, "-; object; distance class; transfers")                                  \
	X(LINE, LINES, "task; object; distance class | op << 8 | line in object << 16; ps waited") \
	X(ACCESS, ACCESS, "task; object; op | hit << 8 | line in object << 16; value")               \
	/* programs, appended: digests hash the numbers */                                         \
	X(STEP, DETAIL, "task; lock or other task; enum sim_rec_step; time")

enum sim_rec_type {
#define X(name, cls, doc) SIM_REC_##name,
	SIM_REC_TYPES(X)
#undef X
	SIM_REC_TYPE_COUNT
};

enum sim_rec_class {
	SIM_CLASS_SCHED = 1,
	SIM_CLASS_LOCK = 2,
	SIM_CLASS_TASK = 4,
	SIM_CLASS_SUM = 8,
	SIM_CLASS_LINES = 16,
	SIM_CLASS_ACCESS = 32,
	SIM_CLASS_DETAIL = 64, /* what programs do between lock operations; not folded, not in digests */
	SIM_CLASS_DIGEST = SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK,
	SIM_CLASS_REPORT = SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK | SIM_CLASS_SUM,
};

enum sim_rec_state { /* what became of the task that was switched out */
	SIM_STATE_PREEMPTED, /* still runnable, "R+" */
	SIM_STATE_YIELDED,   /* still runnable */
	SIM_STATE_SLEEPS,    /* interruptible, "S" */
	SIM_STATE_BLOCKED,   /* uninterruptible, "D" */
	SIM_STATE_EXITED,    /* "X" */
};

enum sim_rec_step { /* what a program asks for that no other record tells */
	SIM_STEP_SLEEP,	  /* val: until when; may be past */
	SIM_STEP_TIMEOUT, /* obj: of the lock() that follows; val: how long */
	SIM_STEP_SET,	  /* obj: the task whose parameters are set */
	SIM_STEP_YIELD,
};

enum sim_rec_irq { SIM_IRQ_TICK, SIM_IRQ_IPI, SIM_IRQ_CALL, SIM_IRQ_DEVICE };

struct sim_rec {
	sim_time time;
	uint16_t type; /* enum sim_rec_type */
	uint16_t cpu;
	uint32_t task, obj, arg;
	uint64_t val;
};

typedef void (*sim_take_fn)(void *user, const struct sim_rec *rec);

struct sim_trace_sub {
	uint64_t types;		 /* 1 << type that it takes */
	sim_take_fn take;	 /* all of them, or NULL: */
	const sim_take_fn *each; /* by type */
	void *user;
};

#define SIM_TRACE_SUBS 8

/*
 * The way of a record is short: a bit says whether anybody wants its type, the digest is made of
 * its words while they are in registers, and the one who takes the type is called directly.
 */
struct sim_trace {
	uint64_t types;	  /* 1 << type that is counted or taken: cheap test before a record is built */
	uint64_t counted; /* types in digest and count; see sim_trace_count() */
	uint64_t digest, count;
	struct sim_trace_ear { /* by type: who takes it; NULL: nobody */
		sim_take_fn take;
		void *user;
	} ear[SIM_REC_TYPE_COUNT];
	unsigned classes; /* of the subscribers; cheap test for what is not told by records alone */
	unsigned nsubs;
	struct sim_trace_sub subs[SIM_TRACE_SUBS];
};

extern const uint8_t sim_rec_class_of[SIM_REC_TYPE_COUNT]; /* enum sim_rec_class */
extern const char *const sim_rec_name[SIM_REC_TYPE_COUNT]; /* "switch", "wakeup", ... lower case */

/* @take gets every record of @classes. Of several subscribers the first one is called first. */
void sim_trace_subscribe(struct sim_trace *t, unsigned classes, sim_take_fn take, void *user);
/* The same with a function per type; NULL where a type is not wanted. @each is borrowed. */
void sim_trace_subscribe_each(struct sim_trace *t, const sim_take_fn each[SIM_REC_TYPE_COUNT], void *user);
void sim_trace_unsubscribe_all(struct sim_trace *t);
/* From here on t->digest and t->count are kept of the records that digests are made of. */
void sim_trace_count(struct sim_trace *t);

/*
 * A record in its four words, of a type in t->types: counts it and hands it to its subscribers.
 * @who: type | cpu << 16 | task << 32. @what: obj | arg << 32.
 */
void sim_trace_put(struct sim_trace *t, sim_time time, uint64_t who, uint64_t what, uint64_t val);
/* The same for a record that was made otherwise; of any type. */
void sim_trace_emit(struct sim_trace *t, const struct sim_rec *rec);

/*
 * Digest: a 64-bit hash over the records of SCHED | LOCK | TASK, independent of byte
 * order and of file form. Start with SIM_DIGEST_SEED.
 */
#define SIM_DIGEST_SEED UINT64_C(0x9e3779b97f4a7c15)
uint64_t sim_digest_add(uint64_t digest, const struct sim_rec *rec);

/*
 * The same for a record of these classes, in its words. One dependent multiplication
 * per record: its four words are first summed with odd multipliers, so that a change of any
 * one word changes the sum. Words are made of values, never of memory: the byte order of the
 * host does not matter.
 */
static inline uint64_t sim_digest_mix(uint64_t digest, sim_time time, uint64_t who, uint64_t what, uint64_t val)
{
	uint64_t sum = time * UINT64_C(0x9e3779b185ebca87);

	sum += who * UINT64_C(0xc2b2ae3d27d4eb4f);
	sum += what * UINT64_C(0x165667b19e3779f9);
	sum += val * UINT64_C(0x85ebca77c2b2ae63);
	digest ^= sum;
	digest = digest << 31 | digest >> 33;
	return digest * UINT64_C(0x27d4eb2f165667c5);
}

static inline uint64_t sim_rec_who(const struct sim_rec *rec)
{
	return (uint64_t)rec->type | (uint64_t)rec->cpu << 16 | (uint64_t)rec->task << 32;
}

static inline uint64_t sim_rec_what(const struct sim_rec *rec)
{
	return (uint64_t)rec->obj | (uint64_t)rec->arg << 32;
}

/*
 * The file: "LSTRACE" + version byte, a name table (tasks, locks, models' events, cpus,
 * strings, and key=value facts), then records as delta-coded varints, then an end mark
 * with count and digest. All little-endian.
 */
#define SIM_TRACE_VERSION 1

struct sim_names { /* borrowed strings; index = task - 1, obj - 1, ... */
	unsigned ncpus;
	uint32_t ntasks, nlocks, nstrings, nfacts;
	const char *const *task, *const *lock, *const *string;
	const char *const *lock_model;	     /* per lock */
	const char *const *const *lock_events; /* per lock: NULL-terminated event names or NULL */
	uint32_t nmarks;		     /* of the strings: texts of marks; the others are names of dones */
	const char *const *facts;	     /* "scenario=…", "seed=…", "version=…" */
};

struct sim_trace_writer;
/* Opens @path for writing; NULL with errno set on failure. The names are written at once. */
struct sim_trace_writer *sim_trace_writer_open(const char *path, const struct sim_names *names);
/* A subscriber callback: @user is the writer. Errors stick and show at close. */
void sim_trace_writer_take(void *user, const struct sim_rec *rec);
/* 0, or -1 with errno when anything could not be written (full disk). Frees. */
int sim_trace_writer_close(struct sim_trace_writer *w);

struct sim_trace_reader;
/* NULL with *@error set to a static text on a bad file, or NULL text and errno set. */
struct sim_trace_reader *sim_trace_reader_open(const char *path, const char **error);
const struct sim_names *sim_trace_reader_names(const struct sim_trace_reader *r);
/* 1: a record; 0: the end, complete and digest right; -1: truncated or corrupt (*@error). */
int sim_trace_reader_next(struct sim_trace_reader *r, struct sim_rec *rec, const char **error);
void sim_trace_reader_close(struct sim_trace_reader *r);

/* One line of text for a record, without newline: "12.5us cpu3 grant worker[3] mm write". */
void sim_rec_print(FILE *out, const struct sim_rec *rec, const struct sim_names *names);

#endif
