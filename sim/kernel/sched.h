/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: tasks, sleeping, waking, preemption. schedule() and preemption are two
 * doors: a preempted task stays runnable whatever its state word says.
 */
#ifndef SIM_KERNEL_SCHED_H
#define SIM_KERNEL_SCHED_H

#include "sim/core/taskwords.h"
#include "sim/kernel/atomic.h"
#include "sim/kernel/bug.h"
#include "sim/kernel/rbtree.h"
#include "sim/kernel/spinlock.h"

#define TASK_RUNNING SIM_TASK_RUNNING
#define TASK_INTERRUPTIBLE SIM_TASK_INTERRUPTIBLE
#define TASK_UNINTERRUPTIBLE SIM_TASK_UNINTERRUPTIBLE
#define TASK_DEAD SIM_TASK_DEAD
#define TASK_WAKEKILL SIM_TASK_WAKEKILL
#define TASK_NOLOAD SIM_TASK_NOLOAD
#define TASK_RTLOCK_WAIT SIM_TASK_RTLOCK_WAIT
#define TASK_KILLABLE (TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_NORMAL SIM_TASK_NORMAL

#define MAX_RT_PRIO 100
#define MAX_DL_PRIO 0
#define MAX_PRIO 140
#define DEFAULT_PRIO 120
#define NICE_TO_PRIO(nice) ((nice) + DEFAULT_PRIO)

struct kw_ceiling;
struct rt_mutex_waiter;

struct wake_q_node {
	struct wake_q_node *next;
};

/* What a task brings to locks that settle deadlocks by age: see models/ww_mutex.h. */
struct kw_ww_ctx {
	u64 stamp;		/* smaller is older; 0: none yet */
	unsigned int acquired;	/* locks held in it */
	bool wounded, backoff;
};

struct task_struct {
	SIM_TASK_WORDS
	struct wake_q_node wake_q; /* NULL while in no wake queue */
	int pid;		   /* from 1 */
	int usage;		   /* references; plain */

	/* priority inheritance: under pi_lock */
	raw_spinlock_t pi_lock;
	struct rb_root_cached pi_waiters; /* per held lock its top waiter, strongest first */
	struct task_struct *pi_top_task;
	struct rt_mutex_waiter *pi_blocked_on;
	struct kw_ceiling *ceilings; /* its own */

	void *blocked_on; /* for models: the lock waited for */
	struct kw_ww_ctx ww;
	char comm[16];
} __attribute__((aligned(64)));

static_assert(offsetof(struct task_struct, pi_lock) == 64, "the scheduler's words and the PI words are on two lines");

/* -- who and where ----------------------------------------------------------------------- */

struct task_struct *kw_current(void);
#define current kw_current()
#define get_current() kw_current()

/* The task with this pid, or NULL: never was, or has exited. */
struct task_struct *find_task_by_vpid(int pid);

int kw_cpu(void);
#define smp_processor_id() kw_cpu()
#define raw_smp_processor_id() kw_cpu()
unsigned kw_nr_cpus(void);
#define nr_cpu_ids kw_nr_cpus()
#define num_online_cpus() kw_nr_cpus()
#define num_possible_cpus() kw_nr_cpus()
/* The NUMA node (socket) of a CPU, and of the one that runs this. */
int cpu_to_node(int cpu);
int numa_node_id(void);
unsigned kw_nr_nodes(void);

static inline int task_cpu(const struct task_struct *p)
{
	return READ_ONCE(p->cpu);
}

#define vcpu_is_preempted(cpu) ((void)(cpu), false)

/* Is @owner executing right now? A marked read; when 0, it is not. */
static inline bool owner_on_cpu(struct task_struct *owner)
{
	return READ_ONCE(owner->on_cpu);
}

#define task_is_running(p) (READ_ONCE((p)->__state) == TASK_RUNNING)

/* -- priorities: kernel numbers, smaller is stronger; plain reads -- */

static inline int rt_prio(int prio)
{
	return prio < MAX_RT_PRIO; /* deadline included */
}

static inline int dl_prio(int prio)
{
	return prio < MAX_DL_PRIO;
}

int rt_task(const struct task_struct *p);

static inline int dl_task(const struct task_struct *p)
{
	return dl_prio(p->prio);
}

/* -- references -- */

static inline struct task_struct *get_task_struct(struct task_struct *p)
{
	p->usage++;
	return p;
}

static inline void put_task_struct(struct task_struct *p)
{
	WARN_ON_ONCE(p->usage <= 1); /* the run itself holds one */
	p->usage--;
}

/* -- preemption -- */

void preempt_disable(void);
void preempt_enable(void);	      /* acts on a pending reschedule when the count drops to 0 */
void preempt_enable_no_resched(void); /* does not */
#define sched_preempt_enable_no_resched() preempt_enable_no_resched()
void migrate_disable(void);
void migrate_enable(void);
bool need_resched(void);
/* Points where a pending reschedule is acted on even without full preemption. */
void might_sleep(void);
int cond_resched(void);
#define get_cpu() (preempt_disable(), smp_processor_id())
#define put_cpu() preempt_enable()
#define preemptible() (!kw_preempt_off() && !kw_irqs_off())

/* An interrupt body is not a task. */
bool kw_in_irq(void);
#define in_task() (!kw_in_irq())
#define in_interrupt() kw_in_irq()
#define in_hardirq() kw_in_irq()
#define in_irq() kw_in_irq()
#define in_nmi() false
#define rcu_read_lock() do { } while (0)
#define rcu_read_unlock() do { } while (0)

/* -- sleeping -- */

/* Sleeps unless the state word says running; returns when the task runs again. */
void schedule(void);
void schedule_preempt_disabled(void);
void schedule_rtlock(void);
void io_schedule(void);

/*
 * Proxy execution: when current sleeps from now on, the task whose address is in @owner, but
 * for the bits @flags, may execute in its turn. NULL: no more. Costs nothing: the kernel's
 * own word for it is in the task.
 */
void kw_blocked_on(const atomic_long_t *owner, unsigned long flags);

#define set_current_state(state) smp_store_mb(current->__state, (state))
#define __set_current_state(state) WRITE_ONCE(current->__state, (state))
#define set_special_state(state)                                                                   \
	do {                                                                                       \
		raw_spin_lock_irq(&current->pi_lock);                                              \
		WRITE_ONCE(current->__state, (state));                                             \
		raw_spin_unlock_irq(&current->pi_lock);                                            \
	} while (0)
#define get_current_state() READ_ONCE(current->__state)

/* RT spinlocks: keep the state of the sleep that the lock interrupts, and go back to it. */
void current_save_and_set_rtlock_wait_state(void);
void current_restore_rtlock_saved_state(void);

int signal_pending(struct task_struct *p);
int fatal_signal_pending(struct task_struct *p);
#define __fatal_signal_pending(p) fatal_signal_pending(p)

static inline int signal_pending_state(unsigned int state, struct task_struct *p)
{
	if (!(state & (TASK_INTERRUPTIBLE | TASK_WAKEKILL)) || !signal_pending(p))
		return 0;
	return (state & TASK_INTERRUPTIBLE) || fatal_signal_pending(p);
}

/* -- waking: costs `wake` on the waker when there is somebody to wake -- */

/* 1 if @p's state was in @mask: it is runnable now. */
int try_to_wake_up(struct task_struct *p, unsigned int mask, int flags);
int wake_up_state(struct task_struct *p, unsigned int state);
int wake_up_process(struct task_struct *p);

/*
 * For locks of user mode (LOCK_CAP_USER): into the kernel and back. Each way costs half of
 * `syscall`; in between the preemption model decides. On the way back signals are taken.
 */
void kw_syscall_enter(void);
void kw_syscall_exit(void);

/* A step of the specification, for a test harness to stop at. Does nothing. */
void kw_step(const char *name);
#define model_step(name) kw_step(name)

#endif
