/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <string.h>

#include "sim/core/evq.h"
#include "sim/core/prng.h"
#include "tests/unit/core/run.h"

static struct sim_evq q;

static void set_up(void)
{
	sim_evq_init(&q);
}

static void tear_down(void)
{
	sim_evq_finish(&q);
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->rank < b->rank);
}

/* The heap holds together: parents come first, back indices are right. */
static void check_heap(void)
{
	ck_assert_uint_eq(q.len, q.nheap + q.nnear);
	for (uint32_t i = 0; i < q.nnear; i++) {
		ck_assert_uint_eq(q.near[i].ev->slot, SIM_SLOT_NEAR);
		ck_assert(q.near[i].time == q.near[i].ev->time);
		ck_assert(!i || before(q.near[i].ev, q.near[i - 1].ev));
		ck_assert(!q.nheap || before(q.near[i].ev, q.heap[0].ev));
	}
	ck_assert(q.nnear || !q.len);
	for (uint32_t i = 0; i < q.nheap; i++) {
		ck_assert_uint_eq(q.heap[i].ev->slot, i + 1);
		ck_assert(q.heap[i].time == q.heap[i].ev->time && q.heap[i].rank == q.heap[i].ev->rank);
		if (i)
			ck_assert(before(q.heap[(i - 1) / 4].ev, q.heap[i].ev));
	}
}

START_TEST(test_rank_order)
{
	/* phase, then CPU, then kind, then subject */
	ck_assert(sim_rank(SIM_PHASE_WORLD, 65535, 127, SIM_SUBJECT_MAX) < sim_rank(SIM_PHASE_CPU, 0, 0, 0));
	ck_assert(sim_rank(SIM_PHASE_WORLD, 1, 127, SIM_SUBJECT_MAX) < sim_rank(SIM_PHASE_WORLD, 2, 0, 0));
	ck_assert(sim_rank(SIM_PHASE_CPU, 1, 5, SIM_SUBJECT_MAX) < sim_rank(SIM_PHASE_CPU, 1, 6, 0));
	ck_assert(sim_rank(SIM_PHASE_CPU, 1, 5, 7) < sim_rank(SIM_PHASE_CPU, 1, 5, 8));
}
END_TEST

START_TEST(test_rank_breaks_ties)
{
	struct sim_event ev[100] = {0};

	for (unsigned i = 0; i < 100; i++)
		sim_evq_push(&q, &ev[i], 5, (i * 37) % 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(sim_evq_pop(&q)->rank, i);
	ck_assert_ptr_null(sim_evq_pop(&q));
}
END_TEST

/* Every order of pushing 6 events, and from each the cancellation of each one. */
START_TEST(test_all_orders_and_cancellations)
{
	unsigned orders = 0;

	for (unsigned code = 0; code < 46656; code++) {
		unsigned order[6], seen = 0;

		for (unsigned i = 0, c = code; i < 6; i++, c /= 6)
			seen |= 1u << (order[i] = c % 6);
		if (seen != 63)
			continue;
		orders++;
		for (unsigned gone = 0; gone < 6; gone++) {
			struct sim_event ev[6] = {0};

			for (unsigned i = 0; i < 6; i++)
				sim_evq_push(&q, &ev[order[i]], order[i] / 2, order[i]);
			sim_evq_cancel(&q, &ev[gone]);
			ck_assert(!sim_event_queued(&ev[gone]));
			for (unsigned i = 0; i < 6; i++)
				if (i != gone)
					ck_assert_ptr_eq(sim_evq_pop(&q), &ev[i]);
			ck_assert_ptr_null(sim_evq_pop(&q));
		}
	}
	ck_assert_uint_eq(orders, 720);
}
END_TEST

/* Cancels all of @n events in the order (start + i * step) mod n, checking the heap each time. */
static void cancel_in_order(unsigned n, unsigned start, unsigned step)
{
	struct sim_event ev[256] = {0};

	for (unsigned i = 0; i < n; i++)
		sim_evq_push(&q, &ev[i], sim_draw(n, i, 0) % 64, i);
	for (unsigned i = 0; i < n; i++) {
		sim_evq_cancel(&q, &ev[(start + i * step) % n]);
		check_heap();
	}
	ck_assert_uint_eq(q.len, 0);
}

START_TEST(test_cancel_orders)
{
	cancel_in_order(256, 0, 1);
	cancel_in_order(256, 255, 255);
	cancel_in_order(256, 7, 101);
	cancel_in_order(97, 3, 5);
	cancel_in_order(1, 0, 1);
}
END_TEST

START_TEST(test_cancel_unqueued)
{
	struct sim_event ev = {0};

	sim_evq_cancel(&q, &ev);
	sim_evq_push(&q, &ev, 1, 1);
	ck_assert(sim_event_queued(&ev));
	sim_evq_cancel(&q, &ev);
	sim_evq_cancel(&q, &ev);
	ck_assert_uint_eq(q.len, 0);
	sim_evq_push(&q, &ev, 1, 1);
	ck_assert_ptr_eq(sim_evq_pop(&q), &ev);
	ck_assert(!sim_event_queued(&ev));
}
END_TEST

/* Against a list that is searched from end to end. */
START_TEST(test_random_against_list)
{
	static struct sim_event ev[500];
	uint64_t now = 0;

	memset(ev, 0, sizeof(ev));
	for (unsigned step = 0; step < 60000; step++) {
		struct sim_event *e = &ev[sim_draw(1, step, 0) % 500], *first = NULL, *popped;

		if (e->slot && sim_draw(1, step, 1) % 3 == 0)
			sim_evq_cancel(&q, e);
		else if (!e->slot)
			sim_evq_push(&q, e, now + sim_draw(1, step, 2) % 50, (uint64_t)(e - ev));
		if (step % 4)
			continue;
		for (unsigned i = 0; i < 500; i++)
			if (ev[i].slot && (!first || before(&ev[i], first)))
				first = &ev[i];
		popped = sim_evq_pop(&q);
		ck_assert_ptr_eq(popped, first);
		if (popped)
			now = popped->time;
	}
	check_heap();
}
END_TEST

START_TEST(test_before)
{
	struct sim_event ev = {0};

	ck_assert(!sim_evq_before(&q, SIM_NEVER, UINT64_MAX));
	sim_evq_push(&q, &ev, 10, 5);
	ck_assert(!sim_evq_before(&q, 9, UINT64_MAX));
	ck_assert(!sim_evq_before(&q, 10, 5));
	ck_assert(sim_evq_before(&q, 10, 6));
	ck_assert(sim_evq_before(&q, 11, 0));
}
END_TEST

START_TEST(test_reserve)
{
	static struct sim_event ev[1000];
	const struct sim_evq_entry *heap;

	sim_evq_reserve(&q, 1000);
	heap = q.heap;
	for (unsigned i = 0; i < 1000; i++)
		sim_evq_push(&q, &ev[i], 1000 - i, 0);
	ck_assert_ptr_eq(q.heap, heap);
	check_heap();
}
END_TEST

START_TEST(test_equal_keys_abort)
{
	struct sim_event ev[5] = {0};

	for (unsigned i = 0; i < 4; i++)
		sim_evq_push(&q, &ev[i], i, 7);
	sim_evq_push(&q, &ev[4], 2, 7);
	for (unsigned i = 0; i < 5; i++)
		sim_evq_pop(&q);
}
END_TEST

START_TEST(test_push_queued_aborts)
{
	struct sim_event ev = {0};

	sim_evq_push(&q, &ev, 1, 1);
	sim_evq_push(&q, &ev, 2, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("evq");
	TCase *tc = tcase_create("order");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_rank_order);
	tcase_add_test(tc, test_rank_breaks_ties);
	tcase_add_test(tc, test_all_orders_and_cancellations);
	tcase_add_test(tc, test_cancel_orders);
	tcase_add_test(tc, test_cancel_unqueued);
	tcase_add_test(tc, test_random_against_list);
	tcase_add_test(tc, test_before);
	tcase_add_test(tc, test_reserve);
	tcase_add_test_raise_signal(tc, test_equal_keys_abort, SIGABRT);
	tcase_add_test_raise_signal(tc, test_push_queued_aborts, SIGABRT);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
