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

/*
 * The least of the children of a node, the first of which is @child. Branches, not conditional
 * moves: most are guessed right, and the next level is fetched meanwhile (hold model with 1,000
 * pending: 43 ns, without branches 55).
 */
static inline uint32_t least_child(const struct sim_evq *q, uint32_t child)
{
	const struct sim_evq_entry *h = q->heap;
	uint32_t end = child + ARITY, least = child;
	evq_key key = key_of(&h[child]);

	if (end > q->nheap)
		end = q->nheap;
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

		if (child >= q->nheap)
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
	*q = (struct sim_evq){.first_time = SIM_NEVER, .first_rank = UINT64_MAX};
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

/* The earliest key, after a change. */
static inline void note_first(struct sim_evq *q)
{
	if (q->front) {
		q->first_time = q->front->time;
		q->first_rank = q->front->rank;
	} else if (q->nheap > q->hole) {
		const struct sim_evq_entry *e = &q->heap[q->hole ? least_child(q, 1) : 0];

		q->first_time = e->time;
		q->first_rank = e->rank;
	} else {
		q->first_time = SIM_NEVER;
		q->first_rank = UINT64_MAX;
	}
}

static void heap_push(struct sim_evq *q, struct sim_event *ev)
{
	if (q->hole) {
		q->hole = false;
		sift_down(q, 0, (struct sim_evq_entry){ev->time, ev->rank, ev});
		return;
	}
	if (__builtin_expect(q->nheap == q->room, 0)) {
		sim_assert(q->room < UINT32_MAX / ARITY / 2); /* child indices stay in 32 bits */
		sim_evq_reserve(q, q->room ? q->room * 2 : 64);
	}
	sift_up(q, q->nheap++, (struct sim_evq_entry){ev->time, ev->rank, ev});
}

void sim_evq_push(struct sim_evq *q, struct sim_event *ev, sim_time time, uint64_t rank)
{
	sim_assert(!ev->slot);
	ev->time = time;
	ev->rank = rank;
	q->len++;
	if (time > q->first_time || (time == q->first_time && rank >= q->first_rank)) {
		sim_assert(time != q->first_time || rank != q->first_rank || q->len == 1);
		heap_push(q, ev);
		return;
	}
	if (q->front)
		heap_push(q, q->front);
	q->front = ev;
	ev->slot = SIM_SLOT_FRONT;
	q->first_time = time;
	q->first_rank = rank;
}

/* Nobody has come for the root: the last entry gets it. */
static void fill_hole(struct sim_evq *q)
{
	q->hole = false;
	if (--q->nheap)
		sift_down(q, 0, q->heap[q->nheap]);
}

static void heap_cancel(struct sim_evq *q, struct sim_event *ev)
{
	struct sim_evq_entry last;
	uint32_t i;

	if (q->hole)
		fill_hole(q);
	i = ev->slot - 1;
	sim_assert(i < q->nheap && q->heap[i].ev == ev);
	last = q->heap[--q->nheap];
	if (i == q->nheap)
		return;
	if (i && key_of(&last) < key_of(&q->heap[(i - 1) / ARITY]))
		sift_up(q, i, last);
	else
		sift_down(q, i, last);
}

void sim_evq_cancel(struct sim_evq *q, struct sim_event *ev)
{
	if (!ev->slot)
		return;
	if (ev->slot == SIM_SLOT_FRONT)
		q->front = NULL;
	else
		heap_cancel(q, ev);
	ev->slot = 0;
	q->len--;
	note_first(q);
}

/*
 * Two queued events with equal keys come out one after the other, so that comparing
 * what leaves with what is now first finds every such pair.
 */
struct sim_event *sim_evq_pop(struct sim_evq *q)
{
	struct sim_event *ev = q->front;

	if (!q->len)
		return NULL;
	q->len--;
	if (ev) {
		q->front = NULL;
	} else {
		if (q->hole)
			fill_hole(q);
		ev = q->heap[0].ev;
		q->hole = true;
	}
	ev->slot = 0;
	note_first(q);
	sim_assert(q->first_time != ev->time || q->first_rank != ev->rank);
	return ev;
}
