/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 4-ary heap of (time, rank, event) with a back index in the event. Keys lie in the
 * heap itself, so that a comparison touches no event; four children of 24 bytes share
 * two cache lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/check.h"
#include "sim/core/evq.h"

#define ARITY 4

__extension__ typedef unsigned __int128 evq_key;

static inline evq_key key_of(const struct sim_evq_entry *e)
{
	return (evq_key)e->time << 64 | e->rank;
}

static inline void put(struct sim_evq *q, uint32_t i, struct sim_evq_entry e)
{
	q->heap[i] = e;
	e.ev->slot = i + 1;
}

/* Places @e at or above the hole @i. */
static inline void sift_up(struct sim_evq *q, uint32_t i, struct sim_evq_entry e)
{
	evq_key key = key_of(&e);

	while (i) {
		uint32_t parent = (i - 1) / ARITY;

		if (key_of(&q->heap[parent]) < key)
			break;
		put(q, i, q->heap[parent]);
		i = parent;
	}
	put(q, i, e);
}

/* The least of the children of a node, the first of which is @child. */
static inline uint32_t least_child(const struct sim_evq *q, uint32_t child)
{
	const struct sim_evq_entry *h = q->heap;
	uint32_t end = child + ARITY, least = child;
	evq_key key = key_of(&h[child]);

	if (end > q->len)
		end = q->len;
	for (uint32_t c = child + 1; c < end; c++) {
		evq_key k = key_of(&h[c]);

		if (k < key) {
			key = k;
			least = c;
		}
	}
	return least;
}

/* Places @e at or below the hole @i. */
static inline void sift_down(struct sim_evq *q, uint32_t i, struct sim_evq_entry e)
{
	evq_key key = key_of(&e);

	for (;;) {
		uint32_t child = i * ARITY + 1;

		if (child >= q->len)
			break;
		child = least_child(q, child);
		if (key < key_of(&q->heap[child]))
			break;
		put(q, i, q->heap[child]);
		i = child;
	}
	put(q, i, e);
}

void sim_evq_init(struct sim_evq *q)
{
	*q = (struct sim_evq){0};
}

void sim_evq_finish(struct sim_evq *q)
{
	free(q->heap);
	*q = (struct sim_evq){0};
}

void sim_evq_reserve(struct sim_evq *q, uint32_t n)
{
	struct sim_evq_entry *heap;

	if (n <= q->room)
		return;
	heap = realloc(q->heap, n * sizeof(*heap));
	if (!heap) {
		fprintf(stderr, "lockstep: no memory for %u events\n", n);
		abort();
	}
	q->heap = heap;
	q->room = n;
}

void sim_evq_push(struct sim_evq *q, struct sim_event *ev, sim_time time, uint64_t rank)
{
	sim_assert(!ev->slot);
	if (__builtin_expect(q->len == q->room, 0)) {
		sim_assert(q->room < UINT32_MAX / ARITY / 2); /* child indices stay in 32 bits */
		sim_evq_reserve(q, q->room ? q->room * 2 : 64);
	}
	ev->time = time;
	ev->rank = rank;
	sift_up(q, q->len++, (struct sim_evq_entry){time, rank, ev});
}

void sim_evq_cancel(struct sim_evq *q, struct sim_event *ev)
{
	struct sim_evq_entry last;
	uint32_t i;

	if (!ev->slot)
		return;
	i = ev->slot - 1;
	sim_assert(i < q->len && q->heap[i].ev == ev);
	ev->slot = 0;
	last = q->heap[--q->len];
	if (i == q->len)
		return;
	if (i && key_of(&last) < key_of(&q->heap[(i - 1) / ARITY]))
		sift_up(q, i, last);
	else
		sift_down(q, i, last);
}

/*
 * Two queued events with equal keys come out one after the other, so that comparing
 * what leaves with what is now first finds every such pair.
 */
struct sim_event *sim_evq_pop(struct sim_evq *q)
{
	struct sim_evq_entry top;

	if (!q->len)
		return NULL;
	top = q->heap[0];
	top.ev->slot = 0;
	if (--q->len) {
		sift_down(q, 0, q->heap[q->len]);
		sim_assert(key_of(&q->heap[0]) != key_of(&top));
	}
	return top.ev;
}
