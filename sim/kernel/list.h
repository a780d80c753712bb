/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: circular doubly linked lists. A head is a node that belongs to no
 * entry. As in the kernel, the forward pointer that publishes a change is written with
 * a mark and list_empty() reads with one; all else is plain, under the list's lock.
 */
#ifndef SIM_KERNEL_LIST_H
#define SIM_KERNEL_LIST_H

#include "sim/kernel/access.h"

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
#define LIST_POISON1 ((struct list_head *)0x100)
#define LIST_POISON2 ((struct list_head *)0x122)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	WRITE_ONCE(list->next, list);
	list->prev = list;
}

static inline void kw_list_insert(struct list_head *node, struct list_head *prev, struct list_head *next)
{
	node->prev = prev;
	node->next = next;
	next->prev = node;
	WRITE_ONCE(prev->next, node);
}

static inline void kw_list_join(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	WRITE_ONCE(prev->next, next);
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	kw_list_insert(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	kw_list_insert(node, head->prev, head);
}

static inline void __list_del_entry(struct list_head *node)
{
	kw_list_join(node->prev, node->next);
}

static inline void list_del(struct list_head *node)
{
	__list_del_entry(node);
	node->next = LIST_POISON1;
	node->prev = LIST_POISON2;
}

static inline void list_del_init(struct list_head *node)
{
	__list_del_entry(node);
	INIT_LIST_HEAD(node);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	__list_del_entry(node);
	list_add(node, head);
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	__list_del_entry(node);
	list_add_tail(node, head);
}

static inline void list_replace(struct list_head *old, struct list_head *node)
{
	kw_list_insert(node, old->prev, old->next);
}

static inline bool list_empty(const struct list_head *head)
{
	return READ_ONCE(head->next) == head;
}

/* list_del_init() seen from another CPU: both pointers are back. */
static inline bool list_empty_careful(const struct list_head *head)
{
	struct list_head *next = smp_load_acquire(&head->next);

	return next == head && next == READ_ONCE(head->prev);
}

static inline bool list_is_first(const struct list_head *node, const struct list_head *head)
{
	return node->prev == head;
}

static inline bool list_is_last(const struct list_head *node, const struct list_head *head)
{
	return node->next == head;
}

static inline bool list_is_head(const struct list_head *node, const struct list_head *head)
{
	return node == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline void kw_list_splice(const struct list_head *list, struct list_head *prev, struct list_head *next)
{
	struct list_head *first = list->next, *last = list->prev;

	first->prev = prev;
	last->next = next;
	next->prev = last;
	WRITE_ONCE(prev->next, first);
}

static inline void list_splice(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		kw_list_splice(list, head, head->next);
}

static inline void list_splice_tail(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		kw_list_splice(list, head->prev, head);
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	if (!list_empty(list)) {
		kw_list_splice(list, head, head->next);
		INIT_LIST_HEAD(list);
	}
}

static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	if (!list_empty(list)) {
		kw_list_splice(list, head->prev, head);
		INIT_LIST_HEAD(list);
	}
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member)                                               \
	((head)->next != (head) ? list_entry((head)->next, type, member) : NULL)
#define list_next_entry(pos, member) list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_entry_is_head(pos, head, member) (&(pos)->member == (head))

#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_prev(pos, head) for (pos = (head)->prev; pos != (head); pos = pos->prev)
#define list_for_each_safe(pos, n, head)                                                           \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)
#define list_for_each_entry(pos, head, member)                                                     \
	for (pos = list_first_entry(head, __typeof__(*pos), member); !list_entry_is_head(pos, head, member); \
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member)                                             \
	for (pos = list_last_entry(head, __typeof__(*pos), member); !list_entry_is_head(pos, head, member); \
	     pos = list_prev_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)                                             \
	for (pos = list_first_entry(head, __typeof__(*pos), member), n = list_next_entry(pos, member); \
	     !list_entry_is_head(pos, head, member); pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_from(pos, head, member)                                                \
	for (; !list_entry_is_head(pos, head, member); pos = list_next_entry(pos, member))
#define list_for_each_entry_continue_reverse(pos, head, member)                                    \
	for (pos = list_prev_entry(pos, member); !list_entry_is_head(pos, head, member);           \
	     pos = list_prev_entry(pos, member))
#define list_for_each_entry_continue(pos, head, member)                                            \
	for (pos = list_next_entry(pos, member); !list_entry_is_head(pos, head, member);           \
	     pos = list_next_entry(pos, member))

#endif
