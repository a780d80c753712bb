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
	uint32_t slot; /* 1 + place in the heap, SIM_SLOT_FRONT in front of it; 0 while not queued */
	void (*fire)(struct sim_event *ev);
};

struct sim_evq_entry {
	sim_time time;
	uint64_t rank;
	struct sim_event *ev;
};

#define SIM_SLOT_FRONT UINT32_MAX

/*
 * An event that comes before all others often comes next (a hand-over at this very
 * instant): it waits in front of the heap and never sinks into it. And whoever is taken out
 * usually queues itself again soon: the root stays vacant until then, so that a pop and a
 * push sift once, from the root down, as far as the new event is late.
 */
struct sim_evq {
	sim_time first_time;  /* key of the earliest event; SIM_NEVER, ~0 when empty */
	uint64_t first_rank;
	struct sim_event *front; /* the earliest event, or NULL: then it is heap[0] */
	struct sim_evq_entry *heap; /* 4-ary */
	uint32_t nheap, room; /* in the heap, the hole included */
	uint32_t len;	      /* in all */
	bool hole;	      /* heap[0] was taken out and not yet replaced */
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
