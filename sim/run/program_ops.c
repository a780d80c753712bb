// SPDX-License-Identifier: GPL-2.0-or-later
/* What tasks do to other tasks and CPUs. Runs on a fiber, in kernel mode. */
#include "sim/kernel/host.h"
#include "sim/machine/sched.h"
#include "sim/run/program.h"

static bool is_alive(const struct sim_task *task)
{
	return task->arrived && !task->exited;
}

/* The tasks that a statement names: @first and *@n. */
static uint32_t named_tasks(const struct prog_task *t, const struct prog_insn *in, uint32_t *n)
{
	*n = in->index ? 1 : in->count;
	return prog_target(t, in);
}

void progop_signal(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	uint32_t n, first = named_tasks(t, in, &n);

	task->kernel_mode++;
	for (uint32_t i = first; i < first + n; i++) {
		struct sim_task *target = t->bound->task[i].task;
		bool slept = sim_task_asleep(target);

		if (!is_alive(target))
			continue;
		sim_signal(target, in->how != 0);
		if (slept && !sim_task_asleep(target))
			sim_spend(sim->cfg.costs.scalar[SIM_COST_wake]);
	}
	task->kernel_mode--;
}

static void set_attr(const struct prog_set *set, const struct value_env *env, struct sim_attr *attr)
{
	int priority = set->priority ? (int)value_of(set->priority, env) : 0;

	*attr = (struct sim_attr){.policy = set->policy};
	if (set->policy == SIM_NORMAL)
		attr->nice = set->neg ? -priority : priority;
	else
		attr->rt_priority = priority;
	if (set->policy != SIM_DEADLINE)
		return;
	attr->dl_runtime = value_of(set->runtime, env);
	attr->dl_period = value_of(set->period, env);
	attr->dl_deadline = set->deadline ? value_of(set->deadline, env) : attr->dl_period;
}

/* The scheduler's half, then the lock's: a waiter's new priority has to reach its queue and its chain. */
static void set_one(struct prog_task *t, uint32_t index, const struct sim_attr *attr)
{
	struct sim_task *target = t->bound->task[index].task;
	const struct prog_task *other = target->user;

	if (target->exited)
		return;
	sim_emit(SIM_REC_STEP, t->sim->id + 1, target->id + 1, SIM_STEP_SET, 0);
	sim_setscheduler(target, attr);
	if (!other->waiting)
		return;

	uint32_t obj = other->waiting; /* op_lock is hidden inside raw locks */
	const struct bound_lock *bl = &t->bound->lock[obj - 1];

	if (!bl->model->prio_changed)
		return;
	kernel_op_enter(obj);
	bl->model->prio_changed(bl->lock, t->bound->task[index].shared);
	kernel_op_leave();
}

void progop_set(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	uint32_t n, first = named_tasks(t, in, &n);
	struct sim_attr attr;

	task->kernel_mode++;
	set_attr(in->set, &t->env, &attr);
	for (uint32_t i = first; i < first + n; i++)
		set_one(t, i, &attr);
	task->kernel_mode--;
}

/* The last to come to a barrier lets the others go. */
void progop_meet(struct sim_task *task, void *arg)
{
	struct prog_task *t = task->user;

	task->kernel_mode++;
	for (uint32_t i = 0; i < t->nmeet; i++) {
		sim_spend(sim->cfg.costs.scalar[SIM_COST_wake]);
		sim_task_wake_program(t->meet[i]);
	}
	task->kernel_mode--;
}

void progop_irq_on(struct sim_task *task, void *arg)
{
	struct prog_task *t = task->user;

	t->irqs--;
	if (!--task->irq_off)
		sim_irq_enabled();
	sim_preempt_point();
}

/* -- shootdown ------------------------------------------------------------------------------ */

/* Is the address space of @group loaded on @cpu? */
static bool has_group(const struct sim_cpu *cpu, uint32_t group)
{
	const struct sim_task *task = cpu->curr;
	const struct prog_task *t;

	if (!task && sim->cfg.lazy_tlb)
		task = cpu->lazy;
	t = task ? task->user : NULL;
	return t && t->body->group == group;
}

static void acknowledge(struct sim_cpu *cpu, void *arg)
{
	uint64_t *pending = arg;

	if (!cpu->curr)
		cpu->lazy = NULL;
	--*pending;
	sim_poke(pending);
}

/* smp_call_function_many() with wait: preemption stays off until every CPU has answered. */
void progop_shootdown(struct sim_task *task, void *arg)
{
	struct prog_task *t = task->user;
	const struct program *p = t->bound->program;

	task->kernel_mode++;
	task->preempt_count++;

	unsigned self = sim->cpu->id;
	uint64_t *pending = (uint64_t *)(void *)(p->csd + self * p->csd_stride);

	for (unsigned i = 0; i < sim->ncpus; i++)
		*pending += i != self && has_group(&sim->cpus[i], t->body->group);
	for (unsigned i = 0; i < sim->ncpus; i++)
		if (i != self && has_group(&sim->cpus[i], t->body->group))
			sim_call_cpu(i, acknowledge, pending);
	sim_spin_begin(SIM_SPIN_SAME);
	while (sim_access(SIM_LOAD, pending, sizeof(*pending), 0, 0))
		sim_relax(SIM_SPIN_SAME);
	task->preempt_count--;
	sim_preempt_point();
	task->kernel_mode--;
}
