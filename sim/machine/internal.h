/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the machine share. Not for anybody else.
 */
#ifndef SIM_MACHINE_INTERNAL_H
#define SIM_MACHINE_INTERNAL_H

#include "sim/machine/machine.h"

#define SIM_SHARERS_INLINE 4

/*
 * The directory's view of one line. State changes at the start of service; the requester
 * cannot use its copy before its access completes, because a CPU does one thing at a time.
 */
struct sim_line {
	sim_time busy_until;	/* home occupied: the next request is served then */
	uint64_t *set;		/* sharers as a bitmap, when more than fit inline */
	uint32_t object;	/* index in sim->objects */
	uint32_t watchers;	/* 1 + index of the first watch (spin.c); 0 none */
	uint16_t owner;		/* 1 + CPU with the only copy; 0: none */
	uint16_t nsharers;	/* copies besides; 0 while there is an owner */
	uint16_t sharer[SIM_SHARERS_INLINE];
	uint16_t q_head, q_tail; /* 1 + CPU: requests that wait for the home, in order */
	uint16_t home;		/* socket */
	uint16_t storing;	/* stores under way, counted while sim->touching */
	uint64_t stored;	/* stores whose value is there, counted while sim->touching */
	uint64_t to_64_bytes;
};

/* So that its place in the array is the memory's in the arena (door.h). */
_Static_assert(sizeof(struct sim_line) == SIM_LINE_BYTES, "a line of a line");

struct sim_line *sim_line_of(const void *addr);
void sim_lines_init(void);
void sim_lines_finish(void);

/* -- exec*.c, loop.c -- */

static inline void sim_cpu_push(struct sim_cpu *cpu, sim_time at)
{
	sim_evq_push(&sim->evq, &cpu->ev, at, cpu->rank);
}

/* It is @t now, on the way of @cpu, with nothing in between. */
static inline void sim_clock_move(struct sim_machine *m, const struct sim_cpu *cpu, sim_time t)
{
	if (t == m->now)
		return;
	m->now = t;
	m->high = cpu->rank;
	m->still = m->accesses;
}

/* Moves the clock to @t if nothing comes before (@t, this CPU). */
static inline bool sim_jump(struct sim_cpu *cpu, sim_time t)
{
	struct sim_machine *m = sim;

	if (__builtin_expect(m->stop, 0) || sim_evq_before(&m->evq, t, cpu->yields_to))
		return false;
	sim_clock_move(m, cpu, t);
	return true;
}

static inline enum sim_opclass sim_opclass_of(enum sim_op op)
{
	return op == SIM_LOAD ? SIM_OPC_LOAD : op == SIM_STORE ? SIM_OPC_STORE : SIM_OPC_RMW;
}

/* In engine context: true when @d is over, false when the CPU's event is queued for it. */
static inline bool sim_cpu_wait(struct sim_cpu *cpu, sim_time d)
{
	if (sim_jump(cpu, sim->now + d))
		return true;
	sim_cpu_push(cpu, sim->now + d);
	return false;
}

/* The CPU's event at @t, and a yield until then. */
void sim_elapse_until(sim_time t);

/* Time is about to pass on the fiber of an operation that compares: what it stored plainly is there now. */
void sim_touch_settle(void);
/* The current task's replay is over: plain reads, too, are of now. */
void sim_lines_of_now(void);

static inline void sim_replay_ends(struct sim_cpu *cpu)
{
	cpu->replaying = false;
	if (sim->touching)
		sim_lines_of_now();
	sim_door_open();
}

/* Spends @d on a fiber without looking at interrupts afterwards. */
static inline void sim_elapse(sim_time d)
{
	if (__builtin_expect(!sim_jump(sim->cpu, sim->now + d), 0))
		sim_elapse_until(sim->now + d);
}

/* Books an event that was taken out of the queue; the clock moves to it. */
static inline void sim_event_begins(const struct sim_event *ev)
{
	struct sim_machine *m = sim;

	if (ev->time != m->now) {
		m->now = ev->time;
		m->still = m->accesses;
		m->high = ev->rank;
	} else if (ev->rank > m->high) {
		m->high = ev->rank;
	}
	m->rank = ev->rank;
	m->events++;
}

/* Waits for the CPU's next event on a fiber: somebody will push it. */
void sim_yield(enum sim_yield why);
/* Interrupt debt, bodies and preemption, between two accesses. */
void sim_attend(void);
/* cond_resched(): acts where kernel code is not preempted anyway; might_sleep() only under voluntary. */
bool sim_resched_acts(const struct sim_cpu *cpu, bool might_sleep);

/* Starts or goes on with RUN of the current task; true when nothing is left of it. */
bool sim_run_go(struct sim_cpu *cpu);
/* Books the progress of the stretch that ends now. */
void sim_run_account(struct sim_cpu *cpu);
/* @cpu got busy or idle: the progress of its siblings changes. */
void sim_siblings_changed(struct sim_cpu *cpu);

/* It is the turn of the CPU that @ev belongs to. */
void sim_cpu_fire(struct sim_event *ev);
static inline struct sim_cpu *sim_cpu_of(struct sim_event *ev)
{
	return (struct sim_cpu *)((char *)ev - offsetof(struct sim_cpu, ev));
}
/* An idle CPU starts to wake up. */
void sim_leave_idle(struct sim_cpu *cpu);
/* Queues the next tick of a busy CPU if it could matter. */
void sim_tick_arm(struct sim_cpu *cpu);
void sim_exec_init(void);

/* -- order.c -- */

/* The next event where the order is open: one of those due first, taken out of the queue. */
struct sim_event *sim_order_pop(void);

/* -- wake.c -- */
void sim_wake_init_cpu(struct sim_cpu *cpu);
void sim_wake_init_task(struct sim_task *task);
void sim_wake_finish(void);

/* -- spin.c -- */

#define SIM_TURN_MAX 24

struct sim_turn { /* the marked loads and the peeks between two cpu_relax() */
	unsigned n;
	struct sim_read {
		struct sim_line *line;
		const void *addr;
		uint64_t value;
		uint8_t size;
		bool free; /* a peek: no access, no time */
	} read[SIM_TURN_MAX];
};

#define SIM_TOUCH_MAX 40

struct sim_touched { /* what an operation accessed so far */
	enum sim_touch how;
	bool full; /* more than fit: its loops poll */
	unsigned n;
	struct sim_line *line[SIM_TOUCH_MAX];
	uint64_t stored;		     /* by all of these lines when the turn began */
	uint64_t *base[SIM_TOUCH_MAX]; /* COMPARE: the lines' bytes, NULL for a stack's */
	uint64_t copy[SIM_TOUCH_MAX][SIM_LINE_BYTES / 8]; /* … as they were then; while parked, too */
	unsigned ncopy;
	bool swapped; /* replay: the lines are as they were, and the copies as they are */
};

struct sim_spin {
	struct sim_turn turn;	    /* this turn */
	struct sim_turn last;	    /* while parked or replaying: what every turn reads */
	enum sim_spin_kind kind;    /* of the spin at whose beginning or pause this turn began */
	bool have_last;		    /* what follows is of the pause at which this turn began, and which ended a turn of loads */
	uint64_t regs[16];	    /* callee-saved registers then */
	uint64_t *live;		    /* copy of the live stack then */
	size_t live_words, live_room;
	sim_time since;		    /* parked: the turn boundary at which it parked */
	sim_time hit, relax;	    /* costs of one load and of cpu_relax() */
	unsigned served, serve;	    /* replay: loads given from the record, and how many in all */
	bool relax_due;		    /* replay: all loads were given, cpu_relax() is what completes */
	unsigned nwatch;
	bool compares; /* parked: counted in sim->comparing */
};

void sim_spin_init(void);
/* The operation of the current task accesses @addr, in @line. */
void sim_touch(struct sim_line *line, const void *addr);
void sim_spin_finish(void);
/* End of a run: counts the polls that parked CPUs would have made. */
void sim_spin_settle(void);

/* Notes a completed load, in a turn that is recorded. */
static inline void sim_spin_read(struct sim_cpu *cpu, struct sim_line *line, const void *addr, unsigned size,
				 uint64_t value)
{
	struct sim_turn *t = &cpu->spin->turn;

	if (t->n < SIM_TURN_MAX)
		t->read[t->n++] = (struct sim_read){ line, addr, value, (uint8_t)size, false };
	else
		cpu->recording = false;
}

/* Something other than a load happened in this turn. */
static inline void sim_spin_impure(struct sim_cpu *cpu)
{
	cpu->recording = false;
}

/* Another task runs here now, or the operation ended: what was recorded means nothing any more. The next pause
 * begins a turn. */
static inline void sim_spin_forget(struct sim_cpu *cpu)
{
	cpu->recording = false;
	cpu->spin->have_last = false;
}

/* The value of a peek, from the record while replaying, and noted. */
uint64_t sim_spin_peek(struct sim_cpu *cpu, const void *addr, unsigned size);

/* Queues the next access of a parked CPU as if it had polled all the time. */
void sim_unpark(struct sim_cpu *cpu);
/* @task's own priority or signals changed: if it spins parked, it polls again. */
void sim_unpark_task(struct sim_task *task);
/* A store to @line was issued: whoever watches it polls again. */
void sim_unpark_watchers(struct sim_line *line);
/* During a replay: is the load at @addr one of the past? Then *@value is what it was. */
bool sim_replay_read(struct sim_cpu *cpu, uint64_t *value);

bool sim_line_has(const struct sim_line *line, unsigned cpu);

#endif
