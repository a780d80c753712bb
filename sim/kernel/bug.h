/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: checks. A check that fails is a finding of the run, told to the run
 * layer; the simulator goes on (WARN) or stops the task for good (BUG).
 */
#ifndef SIM_KERNEL_BUG_H
#define SIM_KERNEL_BUG_H

#include "sim/kernel/types.h"

enum kw_finding { KW_FINDING_WARN, KW_FINDING_BUG, KW_FINDING_LOCKDEP };

void kw_finding(enum kw_finding kind, const char *text) __attribute__((cold));
/* As above, once per text and run. */
void kw_finding_once(enum kw_finding kind, const char *text) __attribute__((cold));
/* A finding, and the task never goes on. */
void kw_bug(const char *text) __attribute__((noreturn, cold));
/* Is interrupt delivery off for the current task? Is it inside a preempt_disable() section? */
bool kw_irqs_off(void);
bool kw_preempt_off(void);

/*
 * What a kernel's own file says to lockdep about the lock of the operation that it is in: acquired, to be released, made
 * shared. And what lockdep would know of it: how does the current task hold the lock at @lock, 0: not, 1: shared,
 * 2: exclusive; -1: it is no lock of the scenario, or one that belongs to nobody. NULL: any lock.
 */
enum kw_note { KW_NOTE_RELEASE, KW_NOTE_ACQUIRE, KW_NOTE_DOWNGRADE };
void kw_lock_note(enum kw_note note);
int kw_lock_held(const void *lock);

/* Where the check stands, before its text: nothing here; plug-ins tell file and line. */
#define KW_PLACE ""

#define kw_warn(report, cond, text) (unlikely(cond) ? (report(KW_FINDING_WARN, KW_PLACE text), true) : false)

#define WARN_ON(cond) kw_warn(kw_finding, cond, "WARN_ON(" #cond ")")
#define WARN_ON_ONCE(cond) kw_warn(kw_finding_once, cond, "WARN_ON_ONCE(" #cond ")")
#define WARN(cond, text, ...) kw_warn(kw_finding, cond, text)
#define WARN_ONCE(cond, text, ...) kw_warn(kw_finding_once, cond, text)
#define BUG_ON(cond) (unlikely(cond) ? kw_bug(KW_PLACE "BUG_ON(" #cond ")") : (void)0)
#define BUG() kw_bug(KW_PLACE "BUG()")
#define DEBUG_LOCKS_WARN_ON(cond) kw_warn(kw_finding, cond, "DEBUG_LOCKS_WARN_ON(" #cond ")")

#define kw_lockdep(cond, text) (unlikely(!(cond)) ? kw_finding(KW_FINDING_LOCKDEP, KW_PLACE text) : (void)0)

#define lockdep_assert(cond) kw_lockdep(cond, "lockdep_assert(" #cond ")")
#define lockdep_assert_irqs_disabled() kw_lockdep(kw_irqs_off(), "interrupts should be off")
#define lockdep_assert_irqs_enabled() kw_lockdep(!kw_irqs_off(), "interrupts should be on")
#define lockdep_assert_preemption_disabled() kw_lockdep(kw_preempt_off(), "preemption should be off")

/* Lockdep's own bookkeeping is not modelled. */
struct lock_class_key {
	char unused;
};
struct lockdep_map {
	char unused;
};
#define lockdep_init_map(map, name, key, subclass) do { } while (0)
#define lockdep_set_class(lock, key) do { } while (0)
#define lock_acquire(...) do { } while (0)
#define lock_release(...) do { } while (0)
#define lock_acquired(...) do { } while (0)
#define lock_contended(...) do { } while (0)
#define debug_check_no_locks_freed(...) do { } while (0)
#define lock_is_held(map) 1
#define debug_locks_off() 0

#endif
