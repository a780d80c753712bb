/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 4-ary heap of (time, rank, event) with a back index in the event, and a sorted list of
 * what comes before. Keys lie in the heap itself, so that a comparison touches no event; four
 * children of 24 bytes share two cache lines.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/evq.h"

#define ARITY 4
#define STRETCH_MIN (16 * SIM_NS)
#define STRETCH_MAX SIM_S
#define FILL (SIM_NEAR / 3) /* at most so many at once: room is left for what comes */

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
	*q = (struct sim_evq){.first_time = SIM_NEVER, .first_rank = UINT64_MAX, .stretch = STRETCH_MIN};
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
	if (!heap)
		sim_no_memory("events", n * sizeof(*heap));
	q->heap = heap;
	q->room = n;
}

static void heap_push(struct sim_evq *q, struct sim_evq_entry e)
{
	if (__builtin_expect(q->nheap == q->room, 0)) {
		sim_assert(q->room < UINT32_MAX / ARITY / 2); /* child indices stay in 32 bits */
		sim_evq_reserve(q, q->room ? q->room * 2 : 64);
	}
	sift_up(q, q->nheap++, e);
}

static void heap_cancel(struct sim_evq *q, struct sim_event *ev)
{
	struct sim_evq_entry last;
	uint32_t i = ev->slot - 1;

	sim_assert(i < q->nheap && q->heap[i].ev == ev);
	last = q->heap[--q->nheap];
	if (i == q->nheap)
		return;
	if (i && key_of(&last) < key_of(&q->heap[(i - 1) / ARITY]))
		sift_up(q, i, last);
	else
		sift_down(q, i, last);
}

static inline void note_first(struct sim_evq *q)
{
	if (q->nnear) {
		q->first_time = q->near[q->nnear - 1].time;
		q->first_rank = q->near[q->nnear - 1].ev->rank;
	} else {
		q->first_time = SIM_NEVER;
		q->first_rank = UINT64_MAX;
	}
}

static inline void near_put(struct sim_evq *q, uint32_t i, struct sim_event *ev)
{
	q->near[i] = (struct sim_evq_near){ev->time, ev};
	ev->slot = SIM_SLOT_NEAR;
}

static inline bool comes_before(const struct sim_evq_near *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->ev->rank < b->rank);
}

static void split_at(struct sim_evq *q, sim_time time, uint64_t rank)
{
	q->split_time = time;
	q->split_rank = rank;
}

/* A stretch from @time on. */
static void split_after(struct sim_evq *q, sim_time time)
{
	split_at(q, time < SIM_NEVER - q->stretch ? time + q->stretch : SIM_NEVER, 0);
}

/* The list is empty: it gets what the heap has for the next stretch. */
static __attribute__((noinline)) void fill(struct sim_evq *q)
{
	struct sim_event *first[FILL];
	uint32_t n = 0;

	split_after(q, q->heap[0].time);
	do {
		struct sim_evq_entry last = q->heap[--q->nheap];

		first[n++] = q->heap[0].ev;
		if (q->nheap)
			sift_down(q, 0, last);
	} while (n < FILL && q->nheap && q->heap[0].time < q->split_time);
	q->nnear = n;
	for (uint32_t i = 0; i < n; i++)
		near_put(q, n - 1 - i, first[i]);
	if (q->nheap && q->heap[0].time < q->split_time) {
		split_at(q, q->heap[0].time, q->heap[0].rank);
		if (q->stretch > STRETCH_MIN)
			q->stretch /= 2;
	} else if (n < FILL / 4 && q->stretch < STRETCH_MAX) {
		q->stretch *= 2;
	}
}

/* Room for @ev: the latest leaves for the heap. False: that is @ev. */
static __attribute__((noinline)) bool make_room(struct sim_evq *q, struct sim_event *ev)
{
	struct sim_event *latest = comes_before(&q->near[0], ev) ? ev : q->near[0].ev;

	split_at(q, latest->time, latest->rank);
	heap_push(q, (struct sim_evq_entry){latest->time, latest->rank, latest});
	if (latest == ev)
		return false;
	memmove(&q->near[0], &q->near[1], (SIM_NEAR - 1) * sizeof(q->near[0]));
	q->nnear--;
	return true;
}

static inline void near_push(struct sim_evq *q, struct sim_event *ev)
{
	uint32_t i;

	if (__builtin_expect(q->nnear == SIM_NEAR, 0) && !make_room(q, ev))
		return;
	for (i = q->nnear++; i && comes_before(&q->near[i - 1], ev); i--)
		q->near[i] = q->near[i - 1];
	near_put(q, i, ev);
	if (i == q->nnear - 1) {
		q->first_time = ev->time;
		q->first_rank = ev->rank;
	}
}

void sim_evq_push(struct sim_evq *q, struct sim_event *ev, sim_time time, uint64_t rank)
{
	sim_assert(!ev->slot);
	ev->time = time;
	ev->rank = rank;
	if (!q->len++)
		split_after(q, time);
	else if (time > q->split_time || (time == q->split_time && rank >= q->split_rank)) {
		heap_push(q, (struct sim_evq_entry){time, rank, ev});
		return;
	}
	near_push(q, ev);
}

static void near_cancel(struct sim_evq *q, struct sim_event *ev)
{
	uint32_t i = 0;

	while (q->near[i].ev != ev)
		i++;
	q->nnear--;
	memmove(&q->near[i], &q->near[i + 1], (q->nnear - i) * sizeof(q->near[0]));
	if (!q->nnear && q->nheap)
		fill(q);
	note_first(q);
}

void sim_evq_cancel(struct sim_evq *q, struct sim_event *ev)
{
	if (!ev->slot)
		return;
	if (ev->slot == SIM_SLOT_NEAR)
		near_cancel(q, ev);
	else
		heap_cancel(q, ev);
	ev->slot = 0;
	q->len--;
}

/*
 * Two queued events with equal keys come out one after the other, so that comparing
 * what leaves with what is now first finds every such pair.
 */
struct sim_event *sim_evq_pop(struct sim_evq *q)
{
	struct sim_event *ev;

	if (!q->len)
		return NULL;
	q->len--;
	ev = q->near[--q->nnear].ev;
	if (!q->nnear && q->nheap)
		fill(q);
	ev->slot = 0;
	note_first(q);
	sim_assert(q->first_time != ev->time || q->first_rank != ev->rank);
	return ev;
}
