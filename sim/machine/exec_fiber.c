// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What code on a fiber asks of its CPU: time, interrupts and preemption between two
 * accesses, and schedule(). The other side, which takes it from there, is exec.c.
 */
#include "sim/machine/internal.h"

/*
 * If the next event is that of a CPU whose fiber waits for nothing else, the fiber to go on with.
 * What else there is to be seen to is the loop's.
 */
static struct sim_fiber *next_fiber(void)
{
	struct sim_machine *m = sim;
	struct sim_event *ev = sim_evq_first(&m->evq);
	struct sim_cpu *cpu;
	struct sim_fiber *f;

	if (!ev || ev->fire != sim_cpu_fire || m->stop || m->choosing || m->events + m->accesses >= m->max_accesses)
		return NULL;
	cpu = sim_cpu_of(ev);
	f = cpu->waits;
	if (!f)
		return NULL;
	sim_evq_pop(&m->evq);
	sim_event_begins(ev);
	m->cpu = cpu;
	cpu->waits = NULL;
	sim_door_open();
	return f;
}

void sim_yield(enum sim_yield why)
{
	struct sim_fiber *self = sim_fiber_current(), *next;

	sim->cpu->yield = why;
	if (why != SIM_YIELD_TIME && why != SIM_YIELD_PARK) {
		if (sim->comparing)
			sim_touch_settle();
		sim_fiber_yield();
		return;
	}
	sim->cpu->waits = self;
	next = next_fiber();
	if (!next)
		sim_fiber_yield();
	else if (next != self)
		sim_fiber_hand_over(next);
}

void sim_elapse_until(sim_time t)
{
	sim_cpu_push(sim->cpu, t);
	sim_yield(SIM_YIELD_TIME);
}

void sim_spend(sim_time d)
{
	if (!sim || !sim_fiber_current())
		return;
	sim_spin_impure(sim->cpu);
	if (__builtin_expect(sim->comparing, 0))
		sim_touch_settle();
	sim_elapse(d);
	if (sim->cpu->attention)
		sim_attend();
}

bool sim_may_preempt(const struct sim_cpu *cpu)
{
	const struct sim_task *t = cpu->curr;

	if (!t || cpu->irq_task || t->preempt_count || t->irq_off)
		return false;
	if (!t->kernel_mode)
		return cpu->need_resched || cpu->lazy_resched;
	switch (sim->cfg.preempt) {
	case SIM_PREEMPT_NONE:
	case SIM_PREEMPT_VOLUNTARY:
		return false;
	case SIM_PREEMPT_FULL:
	case SIM_PREEMPT_LAZY:
	case SIM_PREEMPT_RT:
		return cpu->need_resched;
	}
	return false;
}

void sim_attend(void)
{
	struct sim_cpu *cpu = sim->cpu;

	if (sim_current()->irq_off)
		return;
	cpu->attention = false;
	sim_spin_impure(cpu);
	while (cpu->irq_debt) {
		sim_time debt = cpu->irq_debt;

		cpu->irq_debt = 0;
		sim_elapse(debt);
	}
	while (cpu->irq_list && !cpu->irq_task) {
		cpu->attention = true;
		sim_yield(SIM_YIELD_ATTEND);
	}
	sim_preempt_point();
}

void sim_irq_enabled(void)
{
	if (sim && sim_fiber_current() && sim->cpu->attention)
		sim_attend();
}

void sim_preempt_point(void)
{
	if (sim && sim_fiber_current() && sim_may_preempt(sim->cpu))
		sim_yield(SIM_YIELD_PREEMPT);
}

bool sim_resched_acts(const struct sim_cpu *cpu, bool might_sleep)
{
	const struct sim_task *t = cpu->curr;

	if (!t || cpu->irq_task || t->preempt_count || t->irq_off || !cpu->need_resched)
		return false;
	return sim->cfg.preempt == SIM_PREEMPT_VOLUNTARY || (sim->cfg.preempt == SIM_PREEMPT_NONE && !might_sleep);
}

void sim_resched_point(bool might_sleep)
{
	if (sim && sim_fiber_current() && sim_resched_acts(sim->cpu, might_sleep))
		sim_yield(SIM_YIELD_PREEMPT);
}

void sim_schedule(void)
{
	struct sim_task *t = sim_current();

	sim_assert(!sim->cpu->irq_task && "schedule() in an interrupt");
	t->slept = false;
	sim_yield(SIM_YIELD_SCHEDULE);
	if (t->slept && t->op_lock)
		sim_emit(SIM_REC_BLOCK, t->id + 1, t->op_lock, 1, 0);
}
