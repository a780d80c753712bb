// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of tasks: order, the augmented minimum, and a shape that depends on its members alone. */
#include <stdlib.h>

#include "sim/core/prng.h"
#include "sim/machine/sched_rq.h"
#include "tests/unit/core/run.h"

#define N 500

static struct sim_task task[N];
static bool in[N];

static bool in_order(const struct sim_task *a, const struct sim_task *b)
{
	return a->key < b->key || (a->key == b->key && a->id < b->id);
}

/* Checks order and minima below @t; returns the number of nodes. */
static unsigned check_node(const struct sim_task *t, int64_t *min, unsigned depth)
{
	int64_t left, right;
	unsigned n = 1;

	if (depth > 64)
		ck_abort();
	*min = t->vruntime;
	if (t->rq_prev) {
		if (!in_order(t->rq_prev, t))
			ck_abort();
		n += check_node(t->rq_prev, &left, depth + 1);
		*min = left < *min ? left : *min;
	}
	if (t->rq_next) {
		if (!in_order(t, t->rq_next))
			ck_abort();
		n += check_node(t->rq_next, &right, depth + 1);
		*min = right < *min ? right : *min;
	}
	if (t->key_min != *min)
		ck_abort();
	return n;
}

static void check_tree(const struct sim_tree *tree)
{
	const struct sim_task *last = NULL;
	unsigned n = 0, inside = 0;
	int64_t min;

	for (const struct sim_task *t = sim_tree_first(tree); t; t = sim_tree_next(tree, t)) {
		if ((last && !in_order(last, t)) || !in[t->id]) /* an assertion that passes costs a system call */
			ck_abort();
		last = t;
		n++;
	}
	for (unsigned i = 0; i < N; i++)
		inside += in[i];
	ck_assert_uint_eq(n, inside);
	ck_assert_uint_eq(n, tree->nr);
	if (tree->root)
		ck_assert_uint_eq(check_node(tree->root, &min, 0), n);
}

START_TEST(random_adds_and_deletes)
{
	struct sim_tree tree = { 0 };

	for (unsigned i = 0; i < N; i++)
		task[i].id = i;
	for (unsigned step = 0; step < 20000; step++) {
		uint64_t u = sim_draw(1, step, 0);
		unsigned i = (unsigned)(u % N);

		if (in[i]) {
			sim_tree_del(&tree, &task[i]);
		} else {
			task[i].vruntime = (int64_t)(u >> 20 & 0xff) - 100;
			sim_tree_add(&tree, &task[i], (int64_t)(u >> 32 & 0x3f) - 32);
		}
		in[i] = !in[i];
		if (step % 97 == 0)
			check_tree(&tree);
	}
	check_tree(&tree);
}
END_TEST

static uint64_t shape(const struct sim_task *t)
{
	return t ? (t->id + 1 + 31 * shape(t->rq_prev) + 1009 * shape(t->rq_next)) * UINT64_C(0x9e3779b97f4a7c15) : 7;
}

START_TEST(insertion_order_does_not_show)
{
	uint64_t seen = 0;

	for (unsigned round = 0; round < 20; round++) {
		struct sim_tree tree = { 0 };
		unsigned order[N];

		for (unsigned i = 0; i < N; i++) {
			order[i] = i;
			task[i] = (struct sim_task){ .id = i, .vruntime = i % 7 };
		}
		for (unsigned i = N - 1; i; i--) {
			unsigned j = (unsigned)(sim_draw(round, i, 0) % (i + 1)), swap = order[i];

			order[i] = order[j];
			order[j] = swap;
		}
		for (unsigned i = 0; i < N; i++)
			sim_tree_add(&tree, &task[order[i]], (int64_t)(order[i] / 10));
		for (unsigned i = 0; i < N; i += 3)
			sim_tree_del(&tree, &task[i]);
		if (round)
			ck_assert_uint_eq(shape(tree.root), seen);
		seen = shape(tree.root);
	}
}
END_TEST

static unsigned depth(const struct sim_task *t)
{
	unsigned l = t->rq_prev ? depth(t->rq_prev) : 0, r = t->rq_next ? depth(t->rq_next) : 0;

	return 1 + (l > r ? l : r);
}

START_TEST(equal_keys_stay_shallow)
{
	static struct sim_task many[20000];
	struct sim_tree tree = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		many[i].id = i;
		sim_tree_add(&tree, &many[i], 0);
	}
	ck_assert_uint_lt(depth(tree.root), 48); /* about 2.5 log2 n */
	ck_assert_ptr_eq(sim_tree_first(&tree), &many[0]);
}
END_TEST

START_TEST(keys_wrap)
{
	struct sim_tree tree = { 0 };

	task[0] = (struct sim_task){ .id = 0 };
	task[1] = (struct sim_task){ .id = 1 };
	sim_tree_add(&tree, &task[0], INT64_MIN + 5); /* later: the clock went over the top */
	sim_tree_add(&tree, &task[1], INT64_MAX - 5);
	ck_assert_ptr_eq(sim_tree_first(&tree), &task[1]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tree");
	TCase *t = tcase_create("tree");

	tcase_add_test(t, random_adds_and_deletes);
	tcase_add_test(t, insertion_order_does_not_show);
	tcase_add_test(t, equal_keys_stay_shallow);
	tcase_add_test(t, keys_wrap);
	suite_add_tcase(s, t);
	return run_suite(s);
}
