/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small words of a tree's files: compiler, scheduler, interrupts, timers. */
#ifndef MODELS_KERNEL_SCHED_WORDS_H
#define MODELS_KERNEL_SCHED_WORDS_H

#include "sim/kernel/sched.h"
#include "sim/kernel/time.h"


#define asmlinkage
#define __visible
#define __weak __attribute__((__weak__))
#define __cold __attribute__((__cold__))
#define __pure __attribute__((__pure__))
#define __packed __attribute__((__packed__))
#define __aligned(bytes) __attribute__((__aligned__(bytes)))
#define __randomize_layout
#define __rcu
#define __kernel
#define __iomem
#define __force
#define __ref
#define __initdata
#define __ro_after_init
#define __noreturn __attribute__((__noreturn__))
#define __no_sanitize_or_inline static inline
#define noinstr
#define notrace
#define __cpuidle
#define __cond_lock(what, expr) (expr)
#define __deprecated
#define __flatten
#define typeof __typeof__
#define TYPEOF_UNQUAL(what) __typeof__((__typeof__(what))0) /* a cast drops qualifiers */
#define typeof_member(type, member) __typeof__(((type *)0)->member)
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define _THIS_IP_ 0UL
#define _RET_IP_ 0UL
#define __stringify_1(...) #__VA_ARGS__
#define __stringify(...) __stringify_1(__VA_ARGS__)
#define __UNIQUE_ID(prefix) kw_cat(kw_cat(kw_unique_, prefix), __COUNTER__)
#define EXPORT_SYMBOL_NS_GPL(sym, ns)
#define EXPORT_PER_CPU_SYMBOL(sym)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(sym)
#define early_param(word, fn)
#define core_initcall(fn)
#define fs_initcall(fn)
#define late_initcall(fn)
#define MODULE_LICENSE(text)
#define BUILD_BUG_ON_ZERO(cond) 0
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUILD_BUG_ON((n) == 0 || (((n) & ((n) - 1)) != 0))

/* Scope-based clean-up: the short forms that a tree's headers define are used by no lock's own file. */
#define __cleanup(fn) __attribute__((__cleanup__(fn)))
#define DEFINE_FREE(...)
#define DEFINE_CLASS(...)
#define EXTEND_CLASS(...)
#define DEFINE_GUARD(...)
#define DEFINE_GUARD_COND(...)
#define DEFINE_LOCK_GUARD_0(...)
#define DEFINE_LOCK_GUARD_1(...)
#define DEFINE_LOCK_GUARD_1_COND(...)
#define DECLARE_LOCK_GUARD_1_ATTRS(...)

#define compiletime_assert(cond, text) ((void)0)
#define compiletime_assert_atomic_type(type) ((void)0)
#define compiletime_assert_rwonce_type(type) ((void)0)
#define ASSERT_EXCLUSIVE_WRITER(var) ((void)0)
#define ASSERT_EXCLUSIVE_ACCESS(var) ((void)0)
#define kcsan_release() ((void)0)
#define instrumentation_begin() ((void)0)
#define instrumentation_end() ((void)0)

#define MAX_NICE 19
#define MIN_NICE (-20)
#define CONFIG_NR_CPUS 4096
#define NR_CPUS CONFIG_NR_CPUS
#define TASK_ANY 0xffffu
#define TASK_FREEZABLE 0u
#define PF_KTHREAD 0

#define cpu_online(cpuno) ((unsigned)(cpuno) < kw_nr_cpus())
#define cpu_possible(cpuno) cpu_online(cpuno)
#define preempt_count() (kw_preempt_off() ? 1 : 0)
#define might_sleep_if(cond) ((cond) ? might_sleep() : (void)0)
#define __might_sleep(where, what) ((void)0)
#define __might_resched(where, what, offsets) ((void)0)
#define rtlock_might_resched() ((void)0)
#define might_fault() ((void)0)
#define cant_sleep() ((void)0)
#define cant_migrate() ((void)0)
#define task_pid_nr(task) ((task)->pid)
#define rt_or_dl_prio(number) rt_prio(number)
#define rt_or_dl_task(task) rt_task(task)
#define realtime_prio(number) rt_prio(number)
#define realtime_task(task) rt_task(task)
#define set_tsk_need_resched(task) ((void)(task))


/* Deadlines are absolute ps here, ns there; only their order is asked for. */
static inline bool dl_time_before(u64 first, u64 second)
{
	return (s64)(first - second) < 0;
}

#define rt_mutex_pre_schedule() ((void)0)
#define rt_mutex_schedule() schedule()
#define rt_mutex_post_schedule() ((void)0)
#define rt_mutex_futex_pre_schedule() ((void)0)
#define rt_mutex_futex_post_schedule() ((void)0)
#define io_schedule_prepare() 0
#define io_schedule_finish(token) ((void)(token))
#define sched_submit_work(task) ((void)0)
#define sched_update_worker(task) ((void)0)

/* With preemption off until the others are woken. */
#define raw_spin_unlock_irq_wake(lk, wq)                                                           \
	do {                                                                                       \
		preempt_disable();                                                                 \
		raw_spin_unlock_irq(lk);                                                           \
		kw_wake_up_list(wq);                                                               \
		preempt_enable();                                                                  \
	} while (0)
#define raw_spin_unlock_irqrestore_wake(lk, flags, wq)                                             \
	do {                                                                                       \
		preempt_disable();                                                                 \
		raw_spin_unlock_irqrestore(lk, flags);                                             \
		kw_wake_up_list(wq);                                                               \
		preempt_enable();                                                                  \
	} while (0)
#define raw_spin_unlock_wake(lk, wq)                                                               \
	do {                                                                                       \
		preempt_disable();                                                                 \
		raw_spin_unlock(lk);                                                               \
		kw_wake_up_list(wq);                                                               \
		preempt_enable();                                                                  \
	} while (0)

static inline void kw_wake_up_list(struct wake_q_head *wq)
{
	if (!wq)
		return;
	wake_up_q(wq);
	wake_q_init(wq);
}

/* A control of /proc that is not there. */
struct ctl_table {
	const char *procname;
	void *data;
	int maxlen, mode;
	int (*proc_handler)(const struct ctl_table *table);
};
#define proc_dointvec NULL
#define register_sysctl_init(path, table) ((void)(table))
#define subsys_initcall(fn) static int (*const kw_cat(kw_init_, fn))(void) __maybe_unused = fn

/*
 * What a task of a tree with proxy execution waits for. It is switched off, so nobody donates; the lock of the pointer is
 * one that a mutex does not use otherwise.
 */
#define sched_proxy_exec() false
#ifdef LOCKSTEP_RT
#define clear_task_blocked_on(task, lk) ((void)(lk))
#define __clear_task_blocked_on(task, lk) ((void)(lk))
#else
#define blocked_lock pi_lock
#define blocked_donor blocked_on
#define __get_task_blocked_on(task) ((task)->blocked_on)
#define __set_task_blocked_on(task, lk) ((void)((task)->blocked_on = (lk)))
#define __clear_task_blocked_on(task, lk) ((void)((task)->blocked_on = NULL))
#define clear_task_blocked_on(task, lk)                                                            \
	do {                                                                                       \
		guard(raw_spinlock_irqsave)(&(task)->pi_lock);                                     \
		__clear_task_blocked_on(task, lk);                                                 \
	} while (0)
#endif

/* Who is in the way of a task that hangs: for a report that nobody writes here. */
#define hung_task_set_blocker(lk, type) ((void)(lk))
#define hung_task_clear_blocker() ((void)0)

/* Timers that a lock's own file sets up. */
#define ktime_get() ((ktime_t)sched_clock())
#define ktime_add_ns(kt, ns) ((kt) + (ktime_t)(ns))
#define ktime_sub(a, b) ((a) - (b))
#define ktime_to_ns(kt) (kt)
#define ktime_compare(a, b) ((a) < (b) ? -1 : (a) > (b))

/* References to tasks. */
typedef struct {
	int refs;
} refcount_t;

#define tryget_task_struct(task) get_task_struct(task)

/* Interrupts and bottom halves. */
#define local_bh_disable() preempt_disable()
#define local_bh_enable() preempt_enable()
#define __local_bh_disable_ip(ip, count) preempt_disable()
#define __local_bh_enable_ip(ip, count) preempt_enable()
#define SOFTIRQ_DISABLE_OFFSET 0
#define SOFTIRQ_LOCK_OFFSET 0
#define in_softirq() false
#define in_serving_softirq() false
#define in_atomic() kw_preempt_off()

/* RCU: nothing that a lock's file protects with it ever goes away here. */
#define rcu_read_lock_sched() preempt_disable()
#define rcu_read_unlock_sched() preempt_enable()
#define rcu_read_lock_held() 1
#define rcu_read_lock_any_held() 1
#define rcu_dereference(ptr) READ_ONCE(ptr)
#define rcu_access_pointer(ptr) READ_ONCE(ptr)
#define rcu_assign_pointer(ptr, val) smp_store_release(&(ptr), val)
#define RCU_LOCKDEP_WARN(cond, text) ((void)0)
#define RCU_INIT_POINTER(ptr, val) ((void)((ptr) = (val)))

#endif
