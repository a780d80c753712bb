// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open orders: what is due at one instant in one phase may happen in any order. The event
 * queue has a fixed one; under any other policy the choice says which event comes first,
 * and is asked again for the rest and for what came up meanwhile.
 *
 * That covers who wins a line: requests of one instant queue at its home in the order in
 * which the CPUs come to issue them, each of which is an event here.
 */
#include <stdlib.h>

#include "sim/machine/internal.h"

static unsigned phase_of(uint64_t rank)
{
	return rank >> 63;
}

/* Function-call IPIs to one CPU arrive in the order in which they were sent. */
static bool overtakes(const struct sim_event *first, const struct sim_event *ev)
{
	static const uint64_t kind = UINT64_C(0x7f) << 40, cpu_and_kind = ~SIM_SUBJECT_MAX;

	return (ev->rank & kind) == (uint64_t)SIM_KIND_CALL << 40 &&
	       (ev->rank & cpu_and_kind) == (first->rank & cpu_and_kind);
}

/* Takes out all that is due together with @first, which was taken out: in the order of keys. Returns how many. */
static unsigned take_ties(struct sim_event *first)
{
	struct sim_evq *q = &sim->evq;
	unsigned n = 0;

	for (struct sim_event *ev = first; ev; n++) {
		if (n == sim->ties_room) {
			sim->ties_room = n ? 2 * n : 64;
			sim->ties = realloc(sim->ties, sim->ties_room * sizeof(struct sim_event *));
			sim_assert(sim->ties);
		}
		sim->ties[n] = ev;
		ev = q->first_time == first->time && phase_of(q->first_rank) == phase_of(first->rank) ?
			     sim_evq_pop(q) :
			     NULL;
	}
	return n;
}

static unsigned choose(const struct sim_event *first, unsigned open)
{
	bool before = sim->choice->diverged;
	unsigned chosen = sim_choose(sim->choice, open);

	if (sim->choice->diverged && !before)
		sim->choice->diverged_time = first->time;
	return chosen;
}

struct sim_event *sim_order_pop(void)
{
	struct sim_event *first = sim_evq_pop(&sim->evq);
	unsigned n, open = 0, chosen;

	if (first == &sim->end) /* what is due at the end of the run does not happen any more */
		return first;
	n = take_ties(first);
	for (unsigned i = 0; i < n; i++) { /* those that may come first move to the front */
		struct sim_event *ev = sim->ties[i];

		if (open && overtakes(sim->ties[open - 1], ev))
			continue;
		sim->ties[i] = sim->ties[open];
		sim->ties[open++] = ev;
	}
	chosen = open > 1 ? choose(first, open) : 0;
	for (unsigned i = 0; i < n; i++)
		if (i != chosen)
			sim_evq_push(&sim->evq, sim->ties[i], sim->ties[i]->time, sim->ties[i]->rank);
	return sim->ties[chosen];
}
