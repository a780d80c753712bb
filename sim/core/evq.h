/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event queue: the first of the two doors through which two runs can differ.
 *
 * Events are ordered by (time, phase, CPU, kind, subject), packed into a time and a
 * rank. Insertion order decides nothing; two queued events with equal keys are a bug
 * of ours and an assertion. Nodes are embedded in their owners and cancelled in
 * place; pushing allocates nothing once the queue has been reserved.
 *
 *      rank: | phase 1 | cpu 16 | kind 7 | subject 40 |
 */
#ifndef SIM_CORE_EVQ_H
#define SIM_CORE_EVQ_H

#include <stdbool.h>

#include "sim/core/clock.h"

enum sim_phase {
	SIM_PHASE_WORLD = 0, /* timers, wake-ups, IPIs, arrivals, signals, director steps */
	SIM_PHASE_CPU = 1,   /* progress of CPUs */
};

#define SIM_SUBJECT_MAX ((UINT64_C(1) << 40) - 1)

static inline uint64_t sim_rank(enum sim_phase phase, unsigned cpu, unsigned kind, uint64_t subject)
{
	return (uint64_t)phase << 63 | (uint64_t)cpu << 47 | (uint64_t)kind << 40 | subject;
}

struct sim_event {
	sim_time time;
	uint64_t rank;
	uint32_t slot; /* 1 + place in the heap, SIM_SLOT_NEAR in front of it; 0 while not queued */
	void (*fire)(struct sim_event *ev);
};

struct sim_evq_entry {
	sim_time time;
	uint64_t rank;
	struct sim_event *ev;
};

struct sim_evq_near { /* ranks decide between equal times only: they stay with the events */
	sim_time time;
	struct sim_event *ev;
};

#define SIM_SLOT_NEAR UINT32_MAX
#define SIM_NEAR 24

/*
 * Most events are due soon: a line arrives, a pause is over, a hand-over at this very
 * instant. They wait in a short sorted list and never enter the heap, which holds what comes
 * later: the ends of runs and sleeps. When the list is empty it is filled with what the heap
 * has for the next stretch of time, whose length adapts itself.
 *
 *      near: all before `split`, latest first      heap: all others
 */
struct sim_evq {
	sim_time first_time;  /* key of the earliest event; SIM_NEVER, ~0 when empty */
	uint64_t first_rank;
	sim_time split_time;  /* a key: the list holds what is before it, the heap the rest */
	uint64_t split_rank;
	sim_time stretch;     /* how far the list should reach */
	struct sim_evq_near near[SIM_NEAR];
	uint32_t nnear;	      /* 0 only when the queue is empty */
	uint32_t nheap, room;
	uint32_t len;	      /* in all */
	struct sim_evq_entry *heap; /* 4-ary */
};

void sim_evq_init(struct sim_evq *q);
/* Looks at no event: the owners of those still queued may be gone, or must zero them before they are used again. */
void sim_evq_finish(struct sim_evq *q);
/* Makes room for @n events at once, so that no push allocates before. */
void sim_evq_reserve(struct sim_evq *q, uint32_t n);
/* Queues @ev, which must not be queued. */
void sim_evq_push(struct sim_evq *q, struct sim_event *ev, sim_time time, uint64_t rank);
/* Takes @ev out; does nothing if it is not queued. */
void sim_evq_cancel(struct sim_evq *q, struct sim_event *ev);
/* Takes the earliest event out, or returns NULL. */
struct sim_event *sim_evq_pop(struct sim_evq *q);

/* The earliest event, or NULL. */
static inline struct sim_event *sim_evq_first(const struct sim_evq *q)
{
	return q->nnear ? q->near[q->nnear - 1].ev : NULL;
}

static inline bool sim_event_queued(const struct sim_event *ev)
{
	return ev->slot != 0;
}

/* Is anything queued that comes before (@time, @rank)? The test behind jump-forward. */
static inline bool sim_evq_before(const struct sim_evq *q, sim_time time, uint64_t rank)
{
	return q->first_time < time || (q->first_time == time && q->first_rank < rank);
}

#endif
