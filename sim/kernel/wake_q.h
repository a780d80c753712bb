/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: wake queues. Tasks to wake are collected under a lock and woken, in
 * order of insertion, after it is dropped. Adding is one compare-and-swap on the task's
 * own link; a task already in some queue will be woken by that queue's owner.
 */
#ifndef SIM_KERNEL_WAKE_Q_H
#define SIM_KERNEL_WAKE_Q_H

#include "sim/kernel/sched.h"

struct wake_q_head {
	struct wake_q_node *first;
	struct wake_q_node **lastp;
};

#define WAKE_Q_TAIL ((struct wake_q_node *)0x01)
#define WAKE_Q_HEAD_INITIALIZER(name) { WAKE_Q_TAIL, &(name).first }
#define DEFINE_WAKE_Q(name) struct wake_q_head name = WAKE_Q_HEAD_INITIALIZER(name)
#define WAKE_Q(name) DEFINE_WAKE_Q(name)

static inline void wake_q_init(struct wake_q_head *head)
{
	head->first = WAKE_Q_TAIL;
	head->lastp = &head->first;
}

static inline bool wake_q_empty(const struct wake_q_head *head)
{
	return head->first == WAKE_Q_TAIL;
}

/* Takes a reference on @task. */
void wake_q_add(struct wake_q_head *head, struct task_struct *task);
/* The caller's reference moves into the queue (or is dropped if @task is queued already). */
void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task);
void wake_up_q(struct wake_q_head *head);

#endif
