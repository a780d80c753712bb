/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: event counters and tracepoints of locks. A model lists its counters in
 * an X-macro and gets an enum and the table of names for struct lock_model:
 *
 *	#define MUTEX_EVENTS(X) X(mutex_spin) X(mutex_handoff)
 *	LOCKEVENTS(MUTEX_EVENTS)
 *	… .events = lockevent_names,
 */
#ifndef SIM_KERNEL_LOCKEVENT_H
#define SIM_KERNEL_LOCKEVENT_H

#include "sim/kernel/types.h"

#define kw_lockevent_enum(name) LOCKEVENT_##name,
#define kw_lockevent_name(name) #name,
#define LOCKEVENTS(list)                                                                           \
	enum { list(kw_lockevent_enum) LOCKEVENT_COUNT };                                          \
	static const char *const lockevent_names[] = { list(kw_lockevent_name) NULL };

/* Counts @n of event number @event for the lock operation that the current task is in. */
void kw_lockevent(unsigned event, unsigned long n);

/* From here on, or no more: what the current task does is to a lock within its lock, whose events are nobody's. */
void kw_lockevents_hide(bool hide);

#define lockevent_inc(ev) kw_lockevent(LOCKEVENT_##ev, 1)
#define lockevent_add(ev, n) kw_lockevent(LOCKEVENT_##ev, n)
#define lockevent_cond_inc(ev, cond) ((cond) ? lockevent_inc(ev) : (void)0)

/* The kernel's contention tracepoints. */
#define LCB_F_SPIN 1u
#define LCB_F_READ 2u
#define LCB_F_WRITE 4u
#define LCB_F_RT 8u
#define LCB_F_PERCPU 16u
#define LCB_F_MUTEX 32u
void trace_contention_begin(const void *lock, unsigned flags);
void trace_contention_end(const void *lock, int ret);

/* For views: the names of the set bits of @word, lowest first, joined by "|". @names: by bit, NULL-terminated. */
void kw_flags(char *buf, size_t size, unsigned long word, const char *const *names);

#endif
