// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Red-black trees. The invariants, checked by the tests: no red node has a red child;
 * every path from the root to an empty place has the same number of black nodes; the
 * root is black.
 */
#include "sim/kernel/rbtree.h"

static bool is_red(const struct rb_node *n)
{
	return n && !n->rb_black;
}

/* The place that points at @n: in its parent or in the root. */
static struct rb_node **place_of(struct rb_node *n, struct rb_root *root)
{
	if (!n->rb_parent)
		return &root->rb_node;
	return n->rb_parent->rb_left == n ? &n->rb_parent->rb_left : &n->rb_parent->rb_right;
}

/* @up's right child takes its place; @up becomes that child's left one. */
static void rotate_left(struct rb_node *up, struct rb_root *root)
{
	struct rb_node *r = up->rb_right;

	up->rb_right = r->rb_left;
	if (r->rb_left)
		r->rb_left->rb_parent = up;
	*place_of(up, root) = r;
	r->rb_parent = up->rb_parent;
	r->rb_left = up;
	up->rb_parent = r;
}

static void rotate_right(struct rb_node *up, struct rb_root *root)
{
	struct rb_node *l = up->rb_left;

	up->rb_left = l->rb_right;
	if (l->rb_right)
		l->rb_right->rb_parent = up;
	*place_of(up, root) = l;
	l->rb_parent = up->rb_parent;
	l->rb_right = up;
	up->rb_parent = l;
}

void rb_insert_color(struct rb_node *n, struct rb_root *root)
{
	struct rb_node *parent, *grand, *uncle;

	while (is_red(parent = n->rb_parent)) {
		bool left = parent == parent->rb_parent->rb_left;

		grand = parent->rb_parent;
		uncle = left ? grand->rb_right : grand->rb_left;
		if (is_red(uncle)) { /* recolour and look further up */
			parent->rb_black = uncle->rb_black = 1;
			grand->rb_black = 0;
			n = grand;
			continue;
		}
		if (n == (left ? parent->rb_right : parent->rb_left)) { /* bring an inner node outside */
			(left ? rotate_left : rotate_right)(parent, root);
			swap(n, parent);
		}
		parent->rb_black = 1;
		grand->rb_black = 0;
		(left ? rotate_right : rotate_left)(grand, root);
	}
	root->rb_node->rb_black = 1;
}

/* The subtree at @n (which may be empty) below @parent lacks one black node. */
static void erase_fixup(struct rb_node *n, struct rb_node *parent, struct rb_root *root)
{
	while (n != root->rb_node && !is_red(n)) {
		bool left = n == parent->rb_left;
		struct rb_node *sibling = left ? parent->rb_right : parent->rb_left;
		struct rb_node *far;

		if (is_red(sibling)) {
			sibling->rb_black = 1;
			parent->rb_black = 0;
			(left ? rotate_left : rotate_right)(parent, root);
			sibling = left ? parent->rb_right : parent->rb_left;
		}
		if (!is_red(sibling->rb_left) && !is_red(sibling->rb_right)) {
			sibling->rb_black = 0;
			n = parent;
			parent = n->rb_parent;
			continue;
		}
		far = left ? sibling->rb_right : sibling->rb_left;
		if (!is_red(far)) { /* make the outer nephew the red one */
			(left ? sibling->rb_left : sibling->rb_right)->rb_black = 1;
			sibling->rb_black = 0;
			(left ? rotate_right : rotate_left)(sibling, root);
			sibling = left ? parent->rb_right : parent->rb_left;
			far = left ? sibling->rb_right : sibling->rb_left;
		}
		sibling->rb_black = parent->rb_black;
		parent->rb_black = far->rb_black = 1;
		(left ? rotate_left : rotate_right)(parent, root);
		return;
	}
	if (n)
		n->rb_black = 1;
}

static void replace(struct rb_node *old, struct rb_node *n, struct rb_root *root)
{
	*place_of(old, root) = n;
	if (n)
		n->rb_parent = old->rb_parent;
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *child, *parent, *next;
	bool black = node->rb_black;

	if (!node->rb_left || !node->rb_right) {
		child = node->rb_left ? node->rb_left : node->rb_right;
		parent = node->rb_parent;
		replace(node, child, root);
	} else { /* the in-order successor takes its place and colour */
		for (next = node->rb_right; next->rb_left; next = next->rb_left)
			;
		black = next->rb_black;
		child = next->rb_right;
		parent = next;
		if (next->rb_parent != node) {
			parent = next->rb_parent;
			replace(next, child, root);
			next->rb_right = node->rb_right;
			next->rb_right->rb_parent = next;
		}
		replace(node, next, root);
		next->rb_left = node->rb_left;
		next->rb_left->rb_parent = next;
		next->rb_black = node->rb_black;
	}
	if (black)
		erase_fixup(child, parent, root);
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *n = root->rb_node;

	while (n && n->rb_left)
		n = n->rb_left;
	return n;
}

struct rb_node *rb_last(const struct rb_root *root)
{
	struct rb_node *n = root->rb_node;

	while (n && n->rb_right)
		n = n->rb_right;
	return n;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *n = node->rb_right;

	if (RB_EMPTY_NODE(node))
		return NULL;
	if (n) {
		while (n->rb_left)
			n = n->rb_left;
		return n;
	}
	for (n = node->rb_parent; n && node == n->rb_right; n = n->rb_parent)
		node = n;
	return n;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *n = node->rb_left;

	if (RB_EMPTY_NODE(node))
		return NULL;
	if (n) {
		while (n->rb_right)
			n = n->rb_right;
		return n;
	}
	for (n = node->rb_parent; n && node == n->rb_left; n = n->rb_parent)
		node = n;
	return n;
}

/* Hangs @node behind its equals, without rebalancing; true if it is the first of all. */
static bool link_sorted(struct rb_node *node, struct rb_root *root,
			bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &root->rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(node, parent, link);
	return leftmost;
}

void rb_add(struct rb_node *node, struct rb_root *root, bool (*less)(struct rb_node *, const struct rb_node *))
{
	link_sorted(node, root, less);
	rb_insert_color(node, root);
}

struct rb_node *rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
			      bool (*less)(struct rb_node *, const struct rb_node *))
{
	bool leftmost = link_sorted(node, &root->rb_root, less);

	rb_insert_color_cached(node, root, leftmost);
	return leftmost ? node : NULL;
}
