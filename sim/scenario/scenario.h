/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario as a checked tree. Knows no machine and no model: names of presets, costs,
 * models and their parameters are resolved through struct scn_vocabulary, which the
 * caller fills. All strings and nodes live in the scenario's own memory.
 */
#ifndef SIM_SCENARIO_SCENARIO_H
#define SIM_SCENARIO_SCENARIO_H

#include "sim/core/clock.h"
#include "sim/core/diag.h"

/* -- quantities ---------------------------------------------------------------------------- */

enum scn_unit { SCN_COUNT, SCN_TIME /* ps */, SCN_CYCLES, SCN_PERCENT /* ppm */, SCN_RATIO /* ppm */, SCN_WORD /* a name: value is its index or flag */, SCN_FREQUENCY /* kHz */ };

enum scn_expr_kind {
	SCN_LITERAL,
	SCN_PARAM,   /* a: param index */
	SCN_INSTANCE, /* $i */
	SCN_TURN,    /* $k: this task's turns of the innermost loop */
	SCN_DONES,   /* $K: done count of the whole scenario */
	SCN_ADD, SCN_SUB, SCN_MUL, SCN_DIV, /* left, right */
	SCN_UNIFORM, /* left..right */
	SCN_EXP,     /* mean: left */
	SCN_NORMAL,  /* left, right: mean, sd */
	SCN_LOGNORMAL, /* left: mean, right: cv (ratio, ppm) */
	SCN_CHOICE_D, /* alternatives with weights */
};

/*
 * Constants are folded while parsing: a number without $ and random parts is a
 * SCN_LITERAL, params included. `cycles` become SCN_TIME before the checks.
 */
struct scn_expr {
	enum scn_expr_kind kind;
	enum scn_unit unit;
	struct sim_pos pos;
	uint64_t value; /* literal in base unit (ps, count, cycles, ppm); param index */
	struct scn_expr *left, *right;
	struct scn_expr **alt; /* SCN_CHOICE_D */
	uint64_t *weight;
	unsigned nalt;
	uint32_t draw; /* number of this random expression in the scenario: part of the draw's key */
};

/* -- declarations --------------------------------------------------------------------------- */

struct scn_param {
	const char *name;
	struct scn_expr *value; /* after --set: a literal */
	struct sim_pos pos;
};

struct scn_setting { /* one name/value pair: machine field, cost, lock parameter */
	const char *name;  /* "sockets", "preempt", "cost" entries have name "cost" and cost set */
	const char *cost;
	const char *word;  /* a word value ("full"), or NULL */
	struct scn_expr *value; /* or a quantity */
	struct sim_pos pos;
};

struct scn_machine {
	const char *preset; /* NULL: "uniform" */
	struct scn_setting *set;
	unsigned nset;
	struct sim_pos pos;
};

enum scn_object_kind { SCN_LOCK, SCN_COMPLETION, SCN_SEMAPHORE, SCN_BARRIER, SCN_CONDITION };

struct scn_lock { /* everything that lock-like statements can name */
	const char *name;
	enum scn_object_kind kind;
	unsigned count;	   /* NAME[N]: number of instances, 1 if not indexed */
	bool indexed;
	const char *model; /* "completion", "condition", "semaphore" for those kinds; NULL for barriers */
	struct scn_setting *set; /* model parameters; semaphore: count; barrier: parties in value */
	unsigned nset;
	struct scn_expr *value;
	unsigned data_lines; /* data N lines: what `touch` moves; 0 none */
	struct sim_pos pos, model_pos;
};

enum scn_policy { SCN_POLICY_FIFO, SCN_POLICY_RR, SCN_POLICY_NICE, SCN_POLICY_DEADLINE };

struct scn_sched {
	enum scn_policy policy;
	struct scn_expr *priority; /* fifo, rr 1..99; nice -20..19 (negative: see neg) */
	bool neg;		   /* nice was written with a minus sign */
	struct scn_expr *runtime, *period, *deadline; /* deadline policy; deadline may be NULL */
};

enum scn_place { SCN_PLACE_NONE, SCN_PLACE_SPREAD, SCN_PLACE_PACK };

struct scn_range { struct scn_expr *lo, *hi; }; /* hi NULL: one CPU */

struct scn_task {
	const char *name;
	unsigned count; /* NAME[N] after evaluation; 1 if not indexed */
	bool indexed;
	struct scn_sched sched;
	struct scn_range *cpus; /* cpu N, cpus LIST */
	unsigned ncpus;
	struct scn_expr *socket; /* or socket N, or NULL */
	enum scn_place place;
	bool pin;
	const char *group; /* group NAME: address space for shootdown; NULL: the default group of all */
	struct scn_stmt *body;
	bool director;	   /* the steps of a director block */
	bool directed;	   /* is told what to do by one: no body of its own */
	struct sim_pos pos;
};

struct scn_interrupt {
	const char *name;
	struct scn_expr *cpu, *every, *from; /* from: first firing, NULL: one period */
	struct scn_stmt *body;
	struct sim_pos pos;
};

/* -- statements ----------------------------------------------------------------------------- */

enum scn_stmt_kind {
	SCN_RUN, SCN_SLEEP, SCN_AT, SCN_PERIOD,
	SCN_ACQUIRE,  /* lock, read, write: target, mode, how, timeout, orelse */
	SCN_UNLOCK, SCN_DOWNGRADE,
	SCN_HOLD,     /* hold, reading, writing: as ACQUIRE with body; orelse runs instead of the body */
	SCN_LOOP,     /* arg: count or NULL (forever); body */
	SCN_UNTIL,    /* arg: absolute time; body */
	SCN_BREAK,
	SCN_CHOOSE,   /* branches */
	SCN_SIGNAL, SCN_KILL, /* task target */
	SCN_SET,      /* task target, sched */
	SCN_WAIT,     /* completion, or condition (and its lock, with): target, how, timeout, orelse */
	SCN_WAKE, SCN_WAKEALL,
	SCN_POST, SCN_TAKE, /* semaphore; take like ACQUIRE */
	SCN_MEET,     /* barrier */
	SCN_PREEMPT_OFF, SCN_IRQ_OFF, SCN_KERNEL, SCN_FAULT, /* body */
	SCN_YIELD, SCN_EXIT, SCN_MARK /* text */, SCN_DONE /* text or NULL */, SCN_RESCHED,
	SCN_TOUCH, SCN_SHOOTDOWN,
	/* in a director only; step */
	SCN_TELL,     /* task target; body: the order as a statement, or step->order */
	SCN_AWAIT, SCN_CHECK, /* task target, step; text: its own words */
};

enum scn_order { SCN_ORDER_STATEMENT, SCN_ORDER_CONTINUE, SCN_ORDER_RESET, SCN_ORDER_RESET_EVENTS };
enum scn_fact { SCN_FACT_STATE, SCN_FACT_PRIO, SCN_FACT_NORMAL, SCN_FACT_RESULT, SCN_FACT_EVENT };
enum scn_lock_state { SCN_LOCK_FREE, SCN_LOCK_TRYING, SCN_LOCK_BLOCKED, SCN_LOCK_PARKED, SCN_LOCK_HELD };
#define SCN_RESULT_BUSY 1 /* an order is being carried out */

enum scn_mode { SCN_MODE_LOCK /* the model's exclusive mode */, SCN_MODE_READ, SCN_MODE_WRITE };

struct scn_branch { struct scn_expr *weight; bool decay; struct scn_expr *decay_k, *decay_n; bool otherwise; struct scn_stmt *body; struct sim_pos pos; };

struct scn_target { /* NAME or NAME[expr] */
	uint32_t object;       /* index of lock or task */
	struct scn_expr *index; /* NULL: instance 0, or for tasks: all instances */
	struct sim_pos pos;
};

enum scn_rel { SCN_LE, SCN_LT, SCN_EQ, SCN_GE, SCN_GT, SCN_NE };

struct scn_step { /* of a director */
	enum scn_order order;
	bool park; /* order to lock: stop behind every wake-up until told to continue */
	enum scn_fact fact;
	enum scn_lock_state state; /* SCN_FACT_STATE, with lock */
	struct scn_target lock;
	enum scn_rel rel;	/* the others */
	struct scn_sched sched; /* SCN_FACT_PRIO, NORMAL */
	int value;		/* RESULT: 0, negative errno, SCN_RESULT_BUSY; EVENT: a count */
};

struct scn_stmt {
	enum scn_stmt_kind kind;
	uint32_t id;	/* number of the statement in the scenario: key of draws, names the place in records */
	struct sim_pos pos;
	struct scn_stmt *next;
	struct scn_expr *arg;
	struct scn_target target;
	struct scn_target *with; /* SCN_WAIT on a condition: the lock that is let go meanwhile; else NULL */
	enum scn_mode mode;
	bool try, interruptible, killable;
	bool reset;	/* SCN_PERIOD: a late one begins the grid anew; text: name of the grid, NULL: the task's own */
	bool has_else; /* an `else` was written; orelse is NULL if it is empty */
	struct scn_expr *timeout;
	struct scn_sched sched;
	struct scn_step *step; /* SCN_TELL, AWAIT, CHECK */
	const char *text;
	uint32_t text_index; /* SCN_MARK: in string; SCN_DONE: in done_name, 0 if unnamed */
	struct scn_stmt *body, *orelse;
	struct scn_branch *branch;
	unsigned nbranch;
};

/* -- expectations --------------------------------------------------------------------------- */

enum scn_stat { SCN_STAT_MAX, SCN_STAT_P99, SCN_STAT_P50, SCN_STAT_MEAN, SCN_STAT_MIN };

enum scn_expect_kind {
	SCN_EXPECT_NO_DEADLOCK,
	SCN_EXPECT_DEADLOCK,	/* who[]: the tasks of the cycle */
	SCN_EXPECT_WAIT,	/* task, lock, stat, rel, value */
	SCN_EXPECT_GRANTS,	/* lock, who[]: order of grants from the start; the run may grant more */
	SCN_EXPECT_PRIO,	/* task, at, sched: effective */
	SCN_EXPECT_BLOCKED,	/* task, from, to: blocked (waiting for a lock) throughout */
	SCN_EXPECT_FINISH,	/* task, rel, value */
	SCN_EXPECT_NEVER_RUNS,	/* task, from, to */
	SCN_EXPECT_INVERSION,	/* task, rel, value: sum of `inversion` pieces */
	SCN_EXPECT_DONE,	/* task or NULL, rel, value; text: name of the done */
	SCN_EXPECT_FAIR,	/* task.done cv rel percent */
	SCN_EXPECT_RATIO,	/* throughput ratio from..to, in compare only */
	SCN_EXPECT_COUNT,	/* lock, mode, rel, value */
	SCN_EXPECT_EVENT,	/* text: event name, rel, value; lock optional */
	SCN_EXPECT_RESULT,	/* task, errno value */
	SCN_EXPECT_FINDING,	/* text: kind */
	SCN_EXPECT_NO_FINDING,
	SCN_EXPECT_THROUGHPUT,	/* rel, value per second */
	SCN_EXPECT_BUSY,	/* busy CPUs (mean), rel, value in ppm of one CPU */
	SCN_EXPECT_SLEEPS,	/* task or lock: sleeps, rel, value */
	SCN_EXPECT_STEPS,	/* steps of the director that were missed, rel, value */
};

struct scn_who { uint32_t task; int32_t instance; bool irq; struct sim_pos pos; }; /* instance -1: any, pooled; irq: task is an interrupt's index */

struct scn_expect {
	enum scn_expect_kind kind;
	struct sim_pos pos;
	const char *source; /* its text behind the word `expect`, blanks squeezed: "wait distribution bus max <= 33ms" */
	bool has_task, has_lock;
	struct scn_who task;
	struct scn_target lock;
	int32_t lock_instance; /* -1: pooled */
	enum scn_stat stat;
	enum scn_rel rel;
	enum scn_mode mode;
	struct scn_expr *value, *from, *to, *at;
	struct scn_sched sched;
	struct scn_who *who;
	unsigned nwho;
	const char *text;
	uint32_t done_index; /* SCN_EXPECT_DONE, FAIR: index in done_name; 0: the unnamed done */
	int error; /* SCN_EXPECT_RESULT: positive errno, 0 success */
};

struct scn_compare {
	uint32_t lock; /* index */
	const char *model;
	struct scn_setting *set;
	unsigned nset;
	struct scn_expect *expect;
	unsigned nexpect;
	bool expects_findings; /* as in struct scenario, for the run with this model */
	struct sim_pos pos, model_pos;
};

struct scenario {
	const char *name, *about, *origin;
	struct sim_source **sources; /* the file and what it includes */
	unsigned nsources;
	struct scn_param *param; unsigned nparam;
	struct scn_machine machine;
	struct scn_lock *lock; unsigned nlock;
	struct scn_task *task; unsigned ntask;
	struct scn_interrupt *irq; unsigned nirq;
	struct scn_expect *expect; unsigned nexpect;
	struct scn_compare *compare; unsigned ncompare;
	bool until_done;
	struct scn_expr *run_for, *warmup, *limit; /* NULL where not given */
	uint64_t seed;	 /* 1 if not given */
	bool has_seed;
	uint32_t nstmt, ndraw; /* numbers given out */
	bool directed;	       /* has a director block */
	bool expects_findings; /* some expectation is about a finding or a deadlock */
	const char *const *done_name; /* names used in `done NAME`; index as in records, from 1; [0] is "" */
	unsigned ndone_name;
	const char *const *string; unsigned nstring; /* texts of marks, same indexing */
	void *memory; /* owned */
};

/* What the checker may ask about the world outside the text. All lists NULL-terminated, fixed order. */
struct scn_vocabulary {
	const char *const *presets;
	const char *const *costs;
	const char *const *models;
	/* Capabilities of model (LOCK_CAP_*), and its parameter names; unit: 0 count 1 time 2 flag. False: unknown. */
	bool (*model_info)(const char *model, unsigned *caps, const char *const **params, const unsigned char **units);
	const char *const *(*model_events)(const char *model); /* event counter names or NULL */
	const char *const *findings;				   /* kinds */
	/* CPUs of a preset: sockets, cores, threads. False: unknown. */
	bool (*preset_shape)(const char *preset, unsigned *sockets, unsigned *cores, unsigned *threads);
	/* Clock rate of a preset in kHz, 0 if unknown; turns `cycles` into time. May be NULL. */
	uint64_t (*preset_clock)(const char *preset);
};

/* Bits of model_info()'s caps: the same values as LOCK_CAP_* of sim/model.h, which this layer cannot see. */
#define SCN_CAP_SHARED 0x1u
#define SCN_CAP_TRY 0x2u
#define SCN_CAP_SIGNAL 0x4u
#define SCN_CAP_TIMEOUT 0x8u
#define SCN_CAP_DOWNGRADE 0x10u
#define SCN_CAP_SPIN 0x80u
#define SCN_CAP_ANYONE 0x100u
#define SCN_CAP_RAW 0x400u
#define SCN_CAP_WAKEALL 0x800u

struct scn_limits { /* raised by options; 0 = default */
	uint64_t max_tasks, max_cpus, max_loop, max_nesting, max_bytes;
};

struct scn_options {
	const struct scn_vocabulary *vocabulary;
	struct scn_limits limits;
	const char *const *sets; /* "name=value" from --set, NULL-terminated, or NULL */
	const char *include_root; /* NULL: the folder of the first file */
};

/*
 * Reads, parses and checks. NULL if there were errors; warnings may be in @diags either
 * way. A file that cannot be read is a GError (*@path_error names it, errno set) and no diagnostic.
 */
struct scenario *scenario_load(const char *path, const struct scn_options *options, struct sim_diags *diags,
			       const char **path_error);
/* The same from memory; @path is for messages and includes. */
struct scenario *scenario_parse(const char *path, const char *text, size_t len, const struct scn_options *options,
				struct sim_diags *diags);
void scenario_free(struct scenario *scn);
/* A scenario's value of an expression that depends on params only (no random, no $): in base units. */
uint64_t scn_constant(const struct scenario *scn, const struct scn_expr *e);

/* Name of a column: the block's model with what it sets, "rwsem{handoff off}"; "mutex (2)" where the lock has a
 * column of that name already, which may be its own model's. To be freed. */
char *scn_compare_label(const struct scenario *scn, unsigned block);
/* Takes out blocks that repeat another one, or the lock as it is, and expect nothing. One stays in any case. */
void scn_compare_once(struct scenario *scn);
/* The same for instance @instance of a task ($i). False if the value changes during the run. */
bool scn_instance_value(const struct scenario *scn, const struct scn_expr *e, uint64_t instance, uint64_t *value);
/*
 * The priority ceiling of an instance of @lock (index) by the text: the strongest real-time priority, 1 to 99,
 * among the tasks that acquire it or are told to, also of those that they are `set` to; 0: none is a real-time
 * task. An index that is not a plain number counts for all instances.
 */
uint64_t scn_ceiling(const struct scenario *scn, uint32_t lock, uint32_t instance);
/*
 * One step of arithmetic for @e of kind SCN_ADD, SUB, MUL or DIV, from the values of its
 * sides: saturates at UINT64_MAX and at 0, never wraps. A ratio or percent on either side of a
 * product, or as a divisor, scales by 10^6; a division by zero gives UINT64_MAX.
 */
uint64_t scn_arith(const struct scn_expr *e, uint64_t left, uint64_t right);
/*
 * Frees the texts of scenarios that failed to load: until then, the positions in @diags
 * point into them. Call it after printing.
 */
void scenario_diags_finish(struct sim_diags *diags);

#endif
