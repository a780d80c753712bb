// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks, preemption, sleeping and waking on top of the machine. */
#include "sim/kernel/host.h"

#include <string.h>

#include "sim/machine/sched.h"

#include "sim/kernel/words.h"

static struct task_struct *task_of(const struct sim_task *t)
{
	return (struct task_struct *)t->shared;
}

static void pay(enum sim_scalar cost)
{
	if (sim->cfg.costs.scalar[cost])
		sim_spend(sim->cfg.costs.scalar[cost]);
}

/* -- tasks ------------------------------------------------------------------------------- */

size_t kernel_task_bytes(void)
{
	return sizeof(struct task_struct);
}

struct task_struct *kernel_task_init(struct sim_task *task)
{
	struct task_struct *p = task_of(task);
	size_t len = strnlen(task->name, sizeof(p->comm) - 1);

	sim_assert(sim->shared_bytes >= sizeof(struct task_struct));
	memcpy(p->comm, task->name, len);
	p->comm[len] = '\0';
	p->pid = (int)task->id + 1;
	p->usage = 1;
	raw_spin_lock_init(&p->pi_lock);
	p->pi_waiters = RB_ROOT_CACHED;
	return p;
}

struct task_struct *kernel_task(const struct sim_task *task)
{
	return task_of(task);
}

struct sim_task *kernel_sim_task(const struct task_struct *p)
{
	return p->sim;
}

struct task_struct *kw_current(void)
{
	return task_of(sim_current());
}

struct task_struct *find_task_by_vpid(int pid)
{
	const struct sim_task *t = pid > 0 && (uint32_t)pid <= sim->ntasks ? sim->tasks[pid - 1] : NULL;

	return t && !t->exited ? task_of(t) : NULL;
}

int kw_cpu(void)
{
	return (int)sim->cpu->id;
}

unsigned kw_nr_cpus(void)
{
	return sim->ncpus;
}

int cpu_to_node(int cpu)
{
	return (int)sim->cpus[cpu].socket;
}

int numa_node_id(void)
{
	return (int)sim->cpu->socket;
}

unsigned kw_nr_nodes(void)
{
	return sim->cfg.sockets;
}

/* -- preemption and interrupts ----------------------------------------------------------- */

void preempt_disable(void)
{
	sim_current()->preempt_count++;
	pay(SIM_COST_preempt_off);
}

void preempt_enable_no_resched(void)
{
	pay(SIM_COST_preempt_on);
	if (!kw_warn(kw_finding, !sim_current()->preempt_count, "preempt_enable() without preempt_disable()"))
		sim_current()->preempt_count--;
}

void preempt_enable(void)
{
	preempt_enable_no_resched();
	sim_preempt_point();
}

void migrate_disable(void)
{
	sim_current()->migrate_off++;
}

void migrate_enable(void)
{
	if (!kw_warn(kw_finding, !sim_current()->migrate_off, "migrate_enable() without migrate_disable()"))
		sim_current()->migrate_off--;
}

bool kw_preempt_off(void)
{
	return sim_current()->preempt_count;
}

bool kw_irqs_off(void)
{
	return sim_current()->irq_off;
}

bool kw_in_irq(void)
{
	return sim_current()->is_irq;
}

void local_irq_disable(void)
{
	sim_current()->irq_off++;
}

void local_irq_enable(void)
{
	if (kw_warn(kw_finding, !sim_current()->irq_off, "local_irq_enable() without local_irq_disable()"))
		return;
	if (!--sim_current()->irq_off)
		sim_irq_enabled();
}

unsigned long kw_irq_save(void)
{
	local_irq_disable();
	return 0;
}

void local_irq_restore(unsigned long flags)
{
	(void)flags;
	local_irq_enable();
}

bool need_resched(void)
{
	return sim_need_resched();
}

void might_sleep(void)
{
	sim_resched_point(true);
}

int cond_resched(void)
{
	bool pending = sim_need_resched();

	sim_resched_point(false);
	return pending;
}

void kw_syscall_enter(void)
{
	sim_current()->kernel_mode++;
	sim_spend(sim->cfg.costs.scalar[SIM_COST_syscall] / 2);
}

void kw_syscall_exit(void)
{
	sim_time cost = sim->cfg.costs.scalar[SIM_COST_syscall];
	struct sim_task *task = sim_current();

	sim_spend(cost - cost / 2);
	if (!--task->kernel_mode && !task->is_irq)
		task->sigpending = task->sigfatal = false;
	sim_preempt_point();
}

/* -- sleeping ------------------------------------------------------------------------------ */

static void (*on_schedule)(struct sim_task *task, bool before);

void kernel_on_schedule(void (*fn)(struct sim_task *task, bool before))
{
	on_schedule = fn;
}

static void schedule_from(const void *site)
{
	kernel_step(site);
	if (on_schedule)
		on_schedule(sim_current(), true);
	sim_schedule();
	if (sim_current()->slept)
		sim_current()->op_waited = true;
	if (on_schedule)
		on_schedule(sim_current(), false);
}

void schedule(void)
{
	schedule_from(__builtin_return_address(0));
}

void schedule_preempt_disabled(void)
{
	preempt_enable_no_resched();
	schedule_from(__builtin_return_address(0));
	preempt_disable();
}

void schedule_rtlock(void)
{
	schedule_from(__builtin_return_address(0));
}

void io_schedule(void)
{
	schedule_from(__builtin_return_address(0));
}

void kw_blocked_on(const atomic_long_t *owner, unsigned long flags)
{
	struct sim_task *task = sim_current();

	task->blocked_on = owner ? &owner->counter : NULL;
	task->blocked_flags = flags;
}

void current_save_and_set_rtlock_wait_state(void)
{
	struct task_struct *p = current;

	raw_spin_lock(&p->pi_lock);
	p->saved_state = p->__state;
	WRITE_ONCE(p->__state, TASK_RTLOCK_WAIT);
	raw_spin_unlock(&p->pi_lock);
}

void current_restore_rtlock_saved_state(void)
{
	struct task_struct *p = current;

	raw_spin_lock(&p->pi_lock);
	WRITE_ONCE(p->__state, p->saved_state);
	p->saved_state = TASK_RUNNING;
	raw_spin_unlock(&p->pi_lock);
}

/* Of the current task the machine knows better: while a spin is replayed, what was so then. */
static uint32_t self_of(const struct task_struct *p)
{
	if (sim && sim_fiber_current() && p == current)
		return sim_self();
	return (p->sim->sigpending ? SIM_SELF_SIGNAL : 0) | (p->sim->sigfatal ? SIM_SELF_FATAL : 0) |
	       (uint32_t)(p->prio + 1) << SIM_SELF_PRIO_SHIFT;
}

int signal_pending(struct task_struct *p)
{
	return (self_of(p) & SIM_SELF_SIGNAL) != 0;
}

int fatal_signal_pending(struct task_struct *p)
{
	return (self_of(p) & (SIM_SELF_SIGNAL | SIM_SELF_FATAL)) == (SIM_SELF_SIGNAL | SIM_SELF_FATAL);
}

int rt_task(const struct task_struct *p)
{
	return rt_prio((int)(self_of(p) >> SIM_SELF_PRIO_SHIFT) - 1);
}

/* -- waking -------------------------------------------------------------------------------- */

/*
 * The whole wake-up is one section with interrupts off, as under the task's pi_lock, and
 * its price holds the lines it moves. Nobody to wake, or oneself: free.
 */
static int wake_from(struct task_struct *p, unsigned int mask, const void *site)
{
	struct sim_task *waker = sim_current();
	bool woken;

	kernel_step(site);
	if (!(p->__state & mask) || p->sim == waker)
		return sim_wake(p->sim, mask);
	waker->irq_off++;
	pay(SIM_COST_wake);
	woken = sim_wake(p->sim, mask);
	if (!--waker->irq_off)
		sim_irq_enabled();
	return woken;
}

int try_to_wake_up(struct task_struct *p, unsigned int mask, int flags)
{
	(void)flags;
	return wake_from(p, mask, __builtin_return_address(0));
}

int wake_up_state(struct task_struct *p, unsigned int state)
{
	return wake_from(p, state, __builtin_return_address(0));
}

int wake_up_process(struct task_struct *p)
{
	return wake_from(p, TASK_NORMAL, __builtin_return_address(0));
}

/* True if @task was in no queue. */
static bool wake_q_claim(struct wake_q_head *head, struct task_struct *task)
{
	struct wake_q_node *node = &task->wake_q;

	if (cmpxchg_relaxed(&node->next, NULL, WAKE_Q_TAIL))
		return false;
	*head->lastp = node;
	head->lastp = &node->next;
	return true;
}

void wake_q_add(struct wake_q_head *head, struct task_struct *task)
{
	kernel_step(__builtin_return_address(0));
	if (wake_q_claim(head, task))
		get_task_struct(task);
}

void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task)
{
	kernel_step(__builtin_return_address(0));
	if (!wake_q_claim(head, task))
		put_task_struct(task);
}

void wake_up_q(struct wake_q_head *head)
{
	struct wake_q_node *node = head->first;

	while (node != WAKE_Q_TAIL) {
		struct task_struct *task = container_of(node, struct task_struct, wake_q);

		node = node->next;
		task->wake_q.next = NULL; /* from here another waker may queue it again */
		wake_from(task, TASK_NORMAL, __builtin_return_address(0));
		put_task_struct(task);
	}
}
