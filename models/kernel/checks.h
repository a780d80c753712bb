/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks: what a tree asserts becomes a finding; what it tells lockdep about orders of locks is not followed. */
#ifndef MODELS_KERNEL_CHECKS_H
#define MODELS_KERNEL_CHECKS_H

#include "sim/kernel/bug.h"
#include "sim/kernel/spinlock.h"

/* A check may stand before the first access of its function, and then no other place tells of it. */
#define kw_text_of(line) #line
#define kw_place_of(line) __FILE_NAME__ ":" kw_text_of(line) ": "
#undef KW_PLACE
#define KW_PLACE kw_place_of(__LINE__)

/*
 * Who holds a raw spinlock is known, and of the scenario's locks what a tree's annotations say of them. Other locks, such
 * as those inside of locks, would have maps, and there are none: of them everything is believed. @how: 0 any, 1 shared,
 * 2 exclusive.
 */
static inline bool kw_is_held(const void *lk, bool raw, int how)
{
	int is = raw ? 2 * kw_raw_spin_held(lk) : kw_lock_held(lk);

	return is < 0 || (how ? is == how : is);
}

static inline bool kw_is_not_held(const void *lk, bool raw)
{
	return raw ? !kw_raw_spin_held(lk) : kw_lock_held(lk) <= 0;
}

#define kw_is_raw(lk) _Generic((lk), raw_spinlock_t *: true, const raw_spinlock_t *: true, default: false)
#define kw_held(lk, how) kw_is_held((const void *)(lk), kw_is_raw(lk), how)
#undef lockdep_assert_held
#undef lockdep_assert_not_held
#undef assert_raw_spin_locked
#undef lockdep_is_held
#define lockdep_assert_held(lk) kw_lockdep(kw_held(lk, 0), "not held: " #lk)
#define lockdep_assert_held_once(lk) lockdep_assert_held(lk)
#define lockdep_assert_held_write(lk) kw_lockdep(kw_held(lk, 2), "not held for writing: " #lk)
#define lockdep_assert_held_read(lk) kw_lockdep(kw_held(lk, 1), "not held for reading: " #lk)
#define lockdep_assert_not_held(lk) kw_lockdep(kw_is_not_held((const void *)(lk), kw_is_raw(lk)), "held: " #lk)
#define lockdep_assert_none_held_once() kw_lockdep(kw_lock_held(NULL) <= 0, "a lock is held")
#define assert_raw_spin_locked(lk) lockdep_assert_held(lk)
#define lockdep_is_held(lk) kw_held(lk, 0)
#define lockdep_is_held_type(lk, type) ((type) < 0 ? kw_held(lk, 0) : kw_held(lk, 2 - (type))) /* lockdep: 0 write, 1 read */
#define lockdep_assert_in_irq() kw_lockdep(kw_in_irq(), "not in an interrupt")

/* Kernels are built without these checks, so what they read costs nothing. */
#undef lockdep_assert
#define lockdep_assert(cond)                                                                       \
	do {                                                                                       \
		bool kw_holds;                                                                     \
                                                                                                   \
		kw_checking();                                                                     \
		kw_holds = (cond);                                                                 \
		kw_checked();                                                                      \
		kw_lockdep(kw_holds, "lockdep_assert(" #cond ")");                                 \
	} while (0)
#define lockdep_assert_once(cond) lockdep_assert(cond)

#define lockdep_assert_preemption_enabled() kw_lockdep(!kw_preempt_off(), "preemption should be on")
#define lockdep_init_map_wait(...) ((void)0)
#define lockdep_init_map_type(...) ((void)0)
#define lockdep_copy_map(to, from) ((void)0)
#define lockdep_off() ((void)0)
#define lockdep_on() ((void)0)
#define lockdep_recursing(task) 0
#define lockdep_register_key(key) ((void)0)
#define lockdep_unregister_key(key) ((void)0)
#define lockdep_hardirqs_enabled() 1
#define lock_set_subclass(...) ((void)0)
#define lock_set_class(...) ((void)0)
#define lock_downgrade(...) kw_lock_note(KW_NOTE_DOWNGRADE)
#define lock_map_acquire(map) ((void)0)
#define lock_map_release(map) ((void)0)
#define might_lock(lk) ((void)0)
#define might_lock_read(lk) ((void)0)
#define might_lock_nested(lk, subclass) ((void)0)
#define SINGLE_DEPTH_NESTING 1
#define LD_WAIT_SLEEP 0
#define LD_WAIT_SPIN 0
#define LD_WAIT_CONFIG 0
#define LD_LOCK_PERCPU 0

/* The maps that these name do not exist: the arguments must vanish. They are about the lock of the operation. */
#define mutex_acquire(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define mutex_acquire_nest(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define mutex_release(...) kw_lock_note(KW_NOTE_RELEASE)
#define rwsem_acquire(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define rwsem_acquire_nest(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define rwsem_acquire_read(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define rwsem_release(...) kw_lock_note(KW_NOTE_RELEASE)
#define spin_acquire(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define spin_acquire_nest(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define spin_release(...) kw_lock_note(KW_NOTE_RELEASE)
#define rwlock_acquire(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define rwlock_acquire_read(...) kw_lock_note(KW_NOTE_ACQUIRE)
#define rwlock_release(...) kw_lock_note(KW_NOTE_RELEASE)

#define LOCK_CONTENDED(lk, try_fn, lock_fn)                                                        \
	do {                                                                                       \
		lock_fn(lk);                                                                       \
	} while (0)
#define LOCK_CONTENDED_RETURN(lk, try_fn, lock_fn) lock_fn(lk)
#define LOCK_CONTENDED_FLAGS(lk, try_fn, lock_fn, lock_flags_fn, flags) lock_fn(lk)

#define oops_in_progress 0
#define debug_locks 1
#define debug_locks_silent 0
#define printk(...) ((void)0)
#define printk_once(...) ((void)0)
#define pr_warn(...) ((void)0)
#define pr_err(...) ((void)0)
#define pr_info(...) ((void)0)
#define dump_stack() ((void)0)
#define debug_show_held_locks(task) ((void)0)

#define trace_sched_pi_setprio(...) ((void)0)
#define trace_contended_release(lk) ((void)(lk))
#define trace_contended_release_enabled() false
#define trace_call__contended_release(lk) ((void)(lk))

#endif
