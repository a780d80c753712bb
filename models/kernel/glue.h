/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the glue files share. A glue file includes one file of the tree, whole and
 * unchanged, and says below it how a lock of the simulator is made of what it defines;
 * being one translation unit with it, its view() reads the tree's private structures.
 *
 * NAME(word) is the model's name: "kernel:" or, for PREEMPT_RT, "kernel-rt:" before the word.
 */
#ifndef MODELS_KERNEL_GLUE_H
#define MODELS_KERNEL_GLUE_H

#include "sim/model.h"

#ifdef LOCKSTEP_RT
#define NAME(word) "kernel-rt:" word
#define CONFIG_TEXT ", PREEMPT_RT"
#else
#define NAME(word) "kernel:" word
#define CONFIG_TEXT ""
#endif
#define MIRRORS(file) "Linux " TREE_VERSION " kernel/locking/" file CONFIG_TEXT

/* As LOCK_MODEL(), but into the plug-in's own section and local to the file. */
#define KERNEL_MODEL(ident)                                                                        \
	static const struct lock_model kernel_model_##ident;                                       \
	static const struct lock_model *const kernel_model_ptr_##ident                             \
		__attribute__((section("kw_plugin_models"), used)) = &kernel_model_##ident;        \
	static const struct lock_model kernel_model_##ident

/* The queue of a lock with a list of waiters, and of one that points to the first in a ring of them. */
#define kw_for_each_headed(pos, lock) list_for_each_entry(pos, &(lock)->wait_list, list)
#define kw_for_each_ring(pos, lock)                                                                \
	for (const void *kw_first = pos = (lock)->first_waiter; pos;                               \
	     pos = list_next_entry(pos, list) == kw_first ? NULL : list_next_entry(pos, list))

static inline unsigned int kw_sleep_state(const struct lock_req *req)
{
	if (req->how & LOCK_KILLABLE)
		return TASK_KILLABLE;
	return req->how & LOCK_INTERRUPTIBLE ? TASK_INTERRUPTIBLE : TASK_UNINTERRUPTIBLE;
}

/* Who holds a lock that keeps no record of it: the simulator's own list, plain accesses only. */
struct kw_holders {
	struct kw_hold *first, *last;
};

struct kw_hold { /* in req->hold */
	struct kw_hold *next, *prev;
	const struct task_struct *task;
	enum lock_mode mode;
};

static inline void kw_holders_add(struct kw_holders *all, struct kw_hold *hold, enum lock_mode mode)
{
	hold->task = current;
	hold->mode = mode;
	hold->next = NULL;
	hold->prev = all->last;
	if (all->last)
		all->last->next = hold;
	else
		all->first = hold;
	all->last = hold;
}

static inline void kw_holders_del(struct kw_holders *all, struct kw_hold *hold)
{
	if (hold->prev)
		hold->prev->next = hold->next;
	else
		all->first = hold->next;
	if (hold->next)
		hold->next->prev = hold->prev;
	else
		all->last = hold->prev;
}

static inline void kw_holders_view(const struct kw_holders *all, struct lock_view *view)
{
	for (const struct kw_hold *hold = all->first; hold; hold = hold->next)
		lock_view_owner(view, hold->task, hold->mode);
}

#endif
