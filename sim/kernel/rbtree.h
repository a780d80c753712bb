/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: red-black trees, linked by the user, with an optional cached leftmost
 * node. All accesses are plain: trees live under a lock.
 */
#ifndef SIM_KERNEL_RBTREE_H
#define SIM_KERNEL_RBTREE_H

#include "sim/kernel/types.h"

struct rb_node {
	struct rb_node *rb_left, *rb_right, *rb_parent; /* rb_parent is the node itself while it is in no tree */
	unsigned long rb_black;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT ((struct rb_root){ NULL })
#define RB_ROOT_CACHED ((struct rb_root_cached){ { NULL }, NULL })
#define RB_EMPTY_ROOT(root) (!(root)->rb_node)
#define RB_EMPTY_NODE(node) ((node)->rb_parent == (node))
#define RB_CLEAR_NODE(node) ((void)((node)->rb_parent = (node)))
#define rb_parent(node) ((node)->rb_parent)

#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define rb_entry_safe(ptr, type, member)                                                           \
	__extension__({                                                                            \
		__typeof__(ptr) kw_rbp = (ptr);                                                    \
		kw_rbp ? rb_entry(kw_rbp, type, member) : NULL;                                    \
	})

/* Hangs @node, red, into the empty place *@link below @parent; rebalance afterwards. */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	node->rb_left = node->rb_right = NULL;
	node->rb_parent = parent;
	node->rb_black = 0;
	*link = node;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_erase(struct rb_node *node, struct rb_root *root);
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

static inline struct rb_node *rb_first_cached(const struct rb_root_cached *root)
{
	return root->rb_leftmost;
}

static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root, bool leftmost)
{
	if (leftmost)
		root->rb_leftmost = node;
	rb_insert_color(node, &root->rb_root);
}

/* Returns the new leftmost node if @node was it, else NULL. */
static inline struct rb_node *rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node *leftmost = NULL;

	if (root->rb_leftmost == node)
		leftmost = root->rb_leftmost = rb_next(node);
	rb_erase(node, &root->rb_root);
	return leftmost;
}

/* Inserts behind equals. rb_add_cached() returns @node if it is the new leftmost, else NULL. */
void rb_add(struct rb_node *node, struct rb_root *root, bool (*less)(struct rb_node *, const struct rb_node *));
struct rb_node *rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
			      bool (*less)(struct rb_node *, const struct rb_node *));

#endif
