/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard(kind)(lock) and scoped_guard(kind, lock) { … }: released at the end of the scope,
 * however it is left. A kind is a type, a begin and an end.
 */
#ifndef MODELS_KERNEL_GUARDS_H
#define MODELS_KERNEL_GUARDS_H

#include "sim/kernel/sched.h"
#include "sim/kernel/spinlock.h"

#define KW_GUARD(kind, type, enter, leave)                                                         \
	struct kw_guard_##kind {                                                                   \
		type *held;                                                                        \
		unsigned turns;                                                                    \
		unsigned long flags;                                                               \
	};                                                                                         \
	static inline struct kw_guard_##kind kw_guard_##kind##_begin(type *what)                   \
	{                                                                                          \
		struct kw_guard_##kind g = { what, 0, 0 };                                         \
                                                                                                   \
		enter;                                                                             \
		return g;                                                                          \
	}                                                                                          \
	static inline void kw_guard_##kind##_end(struct kw_guard_##kind *p)                        \
	{                                                                                          \
		struct kw_guard_##kind g = *p;                                                     \
                                                                                                   \
		leave;                                                                             \
	}

KW_GUARD(raw_spinlock, raw_spinlock_t, raw_spin_lock(g.held), raw_spin_unlock(g.held))
KW_GUARD(raw_spinlock_init, raw_spinlock_t, raw_spin_lock_init(g.held), (void)0)
KW_GUARD(raw_spinlock_irq, raw_spinlock_t, raw_spin_lock_irq(g.held), raw_spin_unlock_irq(g.held))
KW_GUARD(raw_spinlock_irqsave, raw_spinlock_t, raw_spin_lock_irqsave(g.held, g.flags),
	 raw_spin_unlock_irqrestore(g.held, g.flags))
KW_GUARD(preempt, void, preempt_disable(), preempt_enable())
KW_GUARD(irq, void, local_irq_disable(), local_irq_enable())
KW_GUARD(rcu, void, (void)0, (void)0)
KW_GUARD(migrate, void, migrate_disable(), migrate_enable())

/* Kinds without a lock: guard(preempt)() */
#define kw_guard_arg(junk, arg, ...) arg
#define kw_guard_preempt_begin(...) kw_guard_preempt_begin(kw_guard_arg(0, ##__VA_ARGS__, NULL))
#define kw_guard_irq_begin(...) kw_guard_irq_begin(kw_guard_arg(0, ##__VA_ARGS__, NULL))
#define kw_guard_rcu_begin(...) kw_guard_rcu_begin(kw_guard_arg(0, ##__VA_ARGS__, NULL))
#define kw_guard_migrate_begin(...) kw_guard_migrate_begin(kw_guard_arg(0, ##__VA_ARGS__, NULL))

#define kw_guard_var(kind, var)                                                                    \
	struct kw_guard_##kind var __attribute__((__cleanup__(kw_guard_##kind##_end))) = kw_guard_##kind##_begin
#define guard(kind) kw_guard_var(kind, kw_cat(kw_guard_, __COUNTER__))
#define scoped_guard(kind, ...)                                                                    \
	for (kw_guard_var(kind, kw_scope)(kw_guard_arg(0, ##__VA_ARGS__, NULL)); !kw_scope.turns; kw_scope.turns++)

#endif
