/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: raw spinlocks. What runs behind them is the machine's `rawspin` model
 * (qspinlock or ticket, priced like everything else), a free one for logic tests, or
 * nothing but preemption control on a uniprocessor kernel. The holder is recorded, so
 * lockdep_assert_held() is a real check.
 */
#ifndef SIM_KERNEL_SPINLOCK_H
#define SIM_KERNEL_SPINLOCK_H

#include "sim/kernel/access.h"
#include "sim/kernel/bug.h"

struct task_struct;

typedef struct raw_spinlock {
	u64 word;		   /* the model's */
	struct task_struct *owner; /* plain; for checks and views */
} raw_spinlock_t;

#define __RAW_SPIN_LOCK_UNLOCKED(name) ((raw_spinlock_t){ 0, NULL })
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = { 0, NULL }

void raw_spin_lock_init(raw_spinlock_t *lock);
/* Preemption is off from here to the unlock. */
void raw_spin_lock(raw_spinlock_t *lock);
int raw_spin_trylock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);
void raw_spin_lock_irq(raw_spinlock_t *lock);
int raw_spin_trylock_irq(raw_spinlock_t *lock);
void raw_spin_unlock_irq(raw_spinlock_t *lock);
unsigned long kw_raw_spin_lock_irqsave(raw_spinlock_t *lock);
void raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags);
/* Does the current task hold it? Plain. */
bool kw_raw_spin_held(const raw_spinlock_t *lock);

#define raw_spin_lock_irqsave(lock, flags) ((void)((flags) = kw_raw_spin_lock_irqsave(lock)))
#define raw_spin_lock_nested(lock, subclass) raw_spin_lock(lock)
#define raw_spin_lock_bh(lock) raw_spin_lock(lock)
#define raw_spin_unlock_bh(lock) raw_spin_unlock(lock)
#define raw_spin_is_locked(lock) (READ_ONCE((lock)->owner) != NULL)

/* Outside PREEMPT_RT a spinlock_t is a raw one. */
typedef raw_spinlock_t spinlock_t;
#define spin_lock_init(lock) raw_spin_lock_init(lock)
#define spin_lock(lock) raw_spin_lock(lock)
#define spin_trylock(lock) raw_spin_trylock(lock)
#define spin_unlock(lock) raw_spin_unlock(lock)
#define spin_lock_irq(lock) raw_spin_lock_irq(lock)
#define spin_unlock_irq(lock) raw_spin_unlock_irq(lock)
#define spin_lock_irqsave(lock, flags) raw_spin_lock_irqsave(lock, flags)
#define spin_unlock_irqrestore(lock, flags) raw_spin_unlock_irqrestore(lock, flags)
#define DEFINE_SPINLOCK(name) DEFINE_RAW_SPINLOCK(name)

#define lockdep_assert_held(lock) kw_lockdep(kw_raw_spin_held(lock), "not held: " #lock)
#define lockdep_assert_not_held(lock) kw_lockdep(!kw_raw_spin_held(lock), "held: " #lock)
#define assert_raw_spin_locked(lock) lockdep_assert_held(lock)
#define lockdep_is_held(lock) kw_raw_spin_held(lock)

/* Interrupts; they nest like preempt_disable(). */
void local_irq_disable(void);
void local_irq_enable(void);
unsigned long kw_irq_save(void);
void local_irq_restore(unsigned long flags);
#define local_irq_save(flags) ((void)((flags) = kw_irq_save()))
#define irqs_disabled() kw_irqs_off()

#endif
