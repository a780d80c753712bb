// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks in order of (key, id): a treap whose heap priorities are hashes of the ids, so
 * that its shape depends on what is in it and on nothing else. Left and right are the
 * task's rq_prev and rq_next. Depth is logarithmic in expectation; nothing is allocated.
 *
 * Every node also knows the smallest vruntime below it: EEVDF looks for the earliest
 * virtual deadline among the tasks whose vruntime is small enough.
 */
#include "sim/machine/sched_rq.h"

/* A bijection of 32-bit numbers: no two tasks share a priority. */
static inline uint32_t treap_prio(const struct sim_task *task)
{
	uint32_t x = task->id + 1;

	x ^= x >> 16;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	x *= 0xc2b2ae35u;
	return x ^ x >> 16;
}

/* Keys are clocks: compared by their distance, so that they may wrap. */
static inline bool before(const struct sim_task *a, const struct sim_task *b)
{
	if (a->key != b->key)
		return (int64_t)((uint64_t)a->key - (uint64_t)b->key) < 0;
	return a->id < b->id;
}

static void update_min(struct sim_task *t)
{
	int64_t min = t->vruntime;

	if (t->rq_prev && t->rq_prev->key_min - min < 0)
		min = t->rq_prev->key_min;
	if (t->rq_next && t->rq_next->key_min - min < 0)
		min = t->rq_next->key_min;
	t->key_min = min;
}

/* Parts @t into what is before @pivot and what is behind it. */
static void split(struct sim_task *t, const struct sim_task *pivot, struct sim_task **left, struct sim_task **right)
{
	if (!t) {
		*left = *right = NULL;
	} else if (before(t, pivot)) {
		split(t->rq_next, pivot, &t->rq_next, right);
		update_min(t);
		*left = t;
	} else {
		split(t->rq_prev, pivot, left, &t->rq_prev);
		update_min(t);
		*right = t;
	}
}

static struct sim_task *merge(struct sim_task *left, struct sim_task *right)
{
	if (!left)
		return right;
	if (!right)
		return left;
	if (treap_prio(left) > treap_prio(right)) {
		left->rq_next = merge(left->rq_next, right);
		update_min(left);
		return left;
	}
	right->rq_prev = merge(left, right->rq_prev);
	update_min(right);
	return right;
}

static struct sim_task *add(struct sim_task *t, struct sim_task *task)
{
	if (!t || treap_prio(task) > treap_prio(t)) {
		split(t, task, &task->rq_prev, &task->rq_next);
		update_min(task);
		return task;
	}
	if (before(task, t))
		t->rq_prev = add(t->rq_prev, task);
	else
		t->rq_next = add(t->rq_next, task);
	update_min(t);
	return t;
}

static struct sim_task *del(struct sim_task *t, struct sim_task *task)
{
	sim_assert(t && "task is not in the tree");
	if (t == task)
		return merge(t->rq_prev, t->rq_next);
	if (before(task, t))
		t->rq_prev = del(t->rq_prev, task);
	else
		t->rq_next = del(t->rq_next, task);
	update_min(t);
	return t;
}

void sim_tree_add(struct sim_tree *tree, struct sim_task *task, int64_t key)
{
	task->key = key;
	tree->root = add(tree->root, task);
	tree->nr++;
}

void sim_tree_del(struct sim_tree *tree, struct sim_task *task)
{
	tree->root = del(tree->root, task);
	task->rq_prev = task->rq_next = NULL;
	tree->nr--;
}

struct sim_task *sim_tree_first(const struct sim_tree *tree)
{
	struct sim_task *t = tree->root;

	while (t && t->rq_prev)
		t = t->rq_prev;
	return t;
}

struct sim_task *sim_tree_next(const struct sim_tree *tree, const struct sim_task *task)
{
	struct sim_task *t = tree->root, *best = NULL;

	while (t) {
		if (before(task, t)) {
			best = t;
			t = t->rq_prev;
		} else {
			t = t->rq_next;
		}
	}
	return best;
}
