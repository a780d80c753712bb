/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds a reader-writer lock, for view() and broken(): a list of what the holders keep
 * in req->hold. It is the simulator's, not the algorithm's: plain accesses, which cost
 * nothing and let nobody in between. list_add() and list_del() would have marked ones.
 */
#ifndef MODELS_HOLDERS_H
#define MODELS_HOLDERS_H

#include <string.h>

#include "sim/model.h"
#include "sim/kernel/words.h"

struct holder { /* at the beginning of req->hold */
	struct list_head node;
	const struct task_struct *task;
	enum lock_mode mode;
};

static inline void holders_init(struct list_head *holders)
{
	holders->next = holders->prev = holders;
}

/* The current task holds the lock in @mode from now on. */
static inline void holders_add(struct list_head *holders, struct holder *h, enum lock_mode mode)
{
	h->task = current;
	h->mode = mode;
	h->node.next = holders;
	h->node.prev = holders->prev;
	holders->prev->next = &h->node;
	holders->prev = &h->node;
}

static inline void holders_del(struct holder *h)
{
	h->node.prev->next = h->node.next;
	h->node.next->prev = h->node.prev;
}

static inline void holders_view(const struct list_head *holders, struct lock_view *view)
{
	const struct holder *h;

	list_for_each_entry(h, holders, node)
		lock_view_owner(view, h->task, h->mode);
}

static inline unsigned int holders_count(const struct list_head *holders, enum lock_mode mode)
{
	const struct holder *h;
	unsigned int n = 0;

	list_for_each_entry(h, holders, node)
		n += h->mode == mode;
	return n;
}

/* NULL, or what is wrong whatever the algorithm. */
static inline const char *holders_broken(const struct list_head *holders)
{
	unsigned int writers = holders_count(holders, LOCK_EXCLUSIVE);

	if (writers > 1 || (writers && holders_count(holders, LOCK_SHARED)))
		return "a writer is not alone";
	return NULL;
}

/* list_empty() for view() and broken(): not a marked access. */
static inline bool holders_list_empty(const struct list_head *list)
{
	return list->next == list;
}

/* The state in which a request that can be interrupted, or killed, sleeps. */
static inline unsigned int holders_sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_INTERRUPTIBLE)
		return TASK_INTERRUPTIBLE;
	return req->how & LOCK_KILLABLE ? TASK_KILLABLE : TASK_UNINTERRUPTIBLE;
}

#endif
