/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header in front of every file of a kernel tree: the kernel words of the engine, and
 * what the tree's own files want beyond those. Read before the file itself (-include); the
 * <linux/…> headers that a file asks for afterwards are either the tree's own (those that
 * define locks) or empty, because everything they would bring is here.
 *
 * What is not here is not there: a word that a tree wants and that this file lacks is an
 * error of `lockstep kernel build`, with the file and line that wanted it.
 *
 * Macro parameters bear names that no structure member has.
 */
#ifndef MODELS_KERNEL_WORDS_H
#define MODELS_KERNEL_WORDS_H

/* -- configuration --------------------------------------------------------------------------- */

#define CONFIG_SMP 1
#define CONFIG_64BIT 1
#define CONFIG_RT_MUTEXES 1
#define CONFIG_QUEUED_SPINLOCKS 1
#define CONFIG_QUEUED_RWLOCKS 1
#define CONFIG_LOCK_EVENT_COUNTS 1
#define CONFIG_LOCK_SPIN_ON_OWNER 1
#ifdef LOCKSTEP_RT
#define CONFIG_PREEMPT_RT 1
#define CONFIG_PREEMPTION 1
#else
#define CONFIG_MUTEX_SPIN_ON_OWNER 1
#define CONFIG_RWSEM_SPIN_ON_OWNER 1
#endif

#define __KERNEL__ 1
#define __LITTLE_ENDIAN 1234
#define KBUILD_MODNAME "lockstep"

/* -- the engine's words ------------------------------------------------------------------------ */

#include <limits.h>
#include <string.h>

#include "sim/kernel/types.h"

/* The engine's models know no options; a tree's files do. */
#undef IS_ENABLED
#define kw_enabled_1 0,
#define kw_enabled_second(first, second, ...) second
#define kw_enabled_pick(junk) kw_enabled_second(junk 1, 0, 0)
#define kw_enabled_value(option) kw_enabled_pick(kw_enabled_##option)
#define IS_ENABLED(option) kw_enabled_value(option)
#define IS_BUILTIN(option) IS_ENABLED(option)
#define IS_REACHABLE(option) IS_ENABLED(option)

#include "sim/kernel/access.h"
#include "sim/kernel/atomic.h"
#include "sim/kernel/bug.h"
#include "sim/kernel/list.h"
#include "sim/kernel/rbtree.h"
#ifdef LOCKSTEP_RT
#define spinlock_t kw_raw_spinlock_by_its_other_name
#endif
#include "sim/kernel/spinlock.h"
#undef spinlock_t
#include "sim/kernel/sched.h"
#include "sim/kernel/pi.h"
#include "sim/kernel/wake_q.h"
#include "sim/kernel/time.h"
#include "sim/kernel/lockevent.h"

/* Words that only an analysis by clang reads: without it, the tree itself says that they are nothing. */
#if __has_include(<linux/compiler-context-analysis.h>)
#undef __acquires
#undef __releases
#undef __must_hold
#include <linux/compiler-context-analysis.h>
#else
#define __acquire(what) ((void)0)
#define __release(what) ((void)0)
#define __cond_acquires(what)
#endif

#include "models/kernel/percpu.h"
#include "models/kernel/sched_words.h"
#include "models/kernel/guards.h"
#include "models/kernel/checks.h"
#include "models/kernel/wait.h"
#include "models/kernel/events.h"

/* The tree's rt_mutex becomes its spinlock_t: linux/spinlock_types.h of the tree says so. */
#if defined(LOCKSTEP_RT)
#undef spin_lock_init
#undef spin_lock
#undef spin_trylock
#undef spin_unlock
#undef spin_lock_irq
#undef spin_unlock_irq
#undef spin_lock_irqsave
#undef spin_unlock_irqrestore
#undef DEFINE_SPINLOCK
#endif

#endif
