// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waking: wake-ups, signals, timers, IPIs and arrivals. World events run on behalf of the
 * CPU in their key, as the interrupt handlers they stand for would.
 */
#include <stdlib.h>

#include "sim/machine/internal.h"
#include "sim/machine/sched.h"

static struct sim_cpu *task_cpu(const struct sim_task *t)
{
	return &sim->cpus[t->shared->cpu];
}

/* Enters a world event on behalf of @cpu. */
static void world(struct sim_cpu *cpu)
{
	sim->cpu = cpu;
	sim->in_world = true;
}

/* An interrupt took @cost of @cpu's time; nothing on an idle CPU, whose exit latency stands for it. */
static void charge(struct sim_cpu *cpu, enum sim_rec_irq kind, sim_time cost)
{
	if (!cost || cpu->mode == SIM_CPU_IDLE)
		return;
	cpu->irq_debt += cost;
	sim_emit(SIM_REC_IRQ, cpu->curr ? cpu->curr->id + 1 : 0, 0, kind, cost);
	sim_kick(cpu);
}

bool sim_wake(struct sim_task *task, unsigned mask)
{
	struct sim_shared *s = task->shared;

	if (!(s->__state & mask)) {
		/* it waits for an RT spinlock: the wake-up is for the state that it will go back to */
		if (s->__state == SIM_TASK_RTLOCK_WAIT && (s->saved_state & mask))
			s->saved_state = SIM_TASK_RUNNING;
		return false;
	}
	if (task->donates) {
		sim_proxy_wake(task);
		return true;
	}
	s->__state = SIM_TASK_RUNNING;
	sim_evq_cancel(&sim->evq, &task->timer);
	if (task->on_rq) { /* it did not get as far as sleeping */
		if (task_cpu(task)->curr != task)
			sim_sched_check_preempt(task);
		return true;
	}
	sim_sched_wake(task, sim->cpu, false);
	sim_tick_arm(task_cpu(task));
	return true;
}

void sim_task_wake_program(struct sim_task *task)
{
	sim_wake(task, SIM_TASK_UNINTERRUPTIBLE);
}

void sim_signal(struct sim_task *task, bool fatal)
{
	task->sigpending = true;
	task->sigfatal |= fatal;
	sim_unpark_task(task);
	sim_emit(SIM_REC_SIGNAL, task->id + 1, 0, fatal, 0);
	sim_wake(task, SIM_TASK_INTERRUPTIBLE | (fatal ? SIM_TASK_WAKEKILL : 0));
}

/* -- rescheduling --------------------------------------------------------------------------- */

void sim_resched_cpu(struct sim_cpu *cpu, bool lazy)
{
	if (cpu->need_resched || (lazy && cpu->lazy_resched && cpu->mode != SIM_CPU_IDLE))
		return;
	if (cpu->mode == SIM_CPU_IDLE) {
		sim_leave_idle(cpu);
		return;
	}
	if (cpu->mode == SIM_CPU_IDLE_EXIT || cpu->mode == SIM_CPU_PICK)
		return; /* it is about to look anyway */
	if (lazy) {
		cpu->lazy_resched = true;
		if (cpu == sim->cpu)
			sim_kick(cpu);
		return;
	}
	cpu->need_resched = true;
	sim_emit(SIM_REC_RESCHED, cpu->curr ? cpu->curr->id + 1 : 0, 0, cpu->id, 0);
	if (cpu->parked) /* it polls the flag */
		sim_unpark(cpu);
	if (cpu == sim->cpu)
		sim_kick(cpu);
	else if (!sim_event_queued(&cpu->ipi))
		sim_evq_push(&sim->evq, &cpu->ipi, sim->now + sim->cfg.costs.scalar[SIM_COST_ipi],
			     sim_rank(SIM_PHASE_WORLD, cpu->id, SIM_KIND_IPI, 0));
}

static void ipi_fire(struct sim_event *ev)
{
	struct sim_cpu *cpu = (struct sim_cpu *)((char *)ev - offsetof(struct sim_cpu, ipi));

	world(cpu);
	charge(cpu, SIM_IRQ_IPI, sim->cfg.costs.scalar[SIM_COST_ipi_handler]);
	sim_kick(cpu);
}

/* -- function-call IPIs ---------------------------------------------------------------------- */

struct call {
	struct sim_event ev;
	struct sim_cpu *cpu;
	void (*fn)(struct sim_cpu *cpu, void *arg);
	void *arg;
	struct call *next;
	bool late; /* it waited for an idle CPU */
};

static struct call *free_calls;

/* An idle CPU answers when it has woken up. */
static bool wait_for_exit(struct call *c)
{
	if (c->cpu->mode == SIM_CPU_IDLE && !c->late)
		sim_leave_idle(c->cpu);
	if (c->cpu->mode != SIM_CPU_IDLE_EXIT || c->late)
		return false;
	c->late = true;
	sim_evq_push(&sim->evq, &c->ev, c->cpu->ev.time, c->ev.rank);
	return true;
}

static void call_fire(struct sim_event *ev)
{
	struct call *c = (struct call *)((char *)ev - offsetof(struct call, ev));

	world(c->cpu);
	if (wait_for_exit(c))
		return;
	charge(c->cpu, SIM_IRQ_CALL, sim->cfg.costs.scalar[SIM_COST_ipi_handler]);
	if (c->fn)
		c->fn(c->cpu, c->arg);
	c->next = free_calls;
	free_calls = c;
}

void sim_call_cpu(unsigned cpu, void (*fn)(struct sim_cpu *cpu, void *arg), void *arg)
{
	struct call *c = free_calls;
	uint64_t subject = (uint64_t)(sim->cpu->call_seq++ & 0xffffff) << 16 | sim->cpu->id;

	if (c)
		free_calls = c->next;
	else
		c = calloc(1, sizeof(*c));
	sim_assert(c);
	c->ev = (struct sim_event){ .fire = call_fire };
	c->late = false;
	c->cpu = &sim->cpus[cpu];
	c->fn = fn;
	c->arg = arg;
	sim_evq_push(&sim->evq, &c->ev, sim->now + sim->cfg.costs.scalar[SIM_COST_ipi],
		     sim_rank(SIM_PHASE_WORLD, cpu, SIM_KIND_CALL, subject));
}

/* -- timers ----------------------------------------------------------------------------------- */

static void timer_fire(struct sim_event *ev)
{
	struct sim_task *t = (struct sim_task *)((char *)ev - offsetof(struct sim_task, timer));

	world(task_cpu(t));
	sim_emit(SIM_REC_TIMER, t->id + 1, 0, 0, 0);
	charge(sim->cpu, SIM_IRQ_DEVICE, sim->cfg.costs.scalar[SIM_COST_timer_irq]);
	sim_wake(t, SIM_TASK_NORMAL);
}

static void timeout_fire(struct sim_event *ev)
{
	struct sim_task *t = (struct sim_task *)((char *)ev - offsetof(struct sim_task, timeout));

	world(task_cpu(t));
	sim_emit(SIM_REC_TIMER, t->id + 1, 0, 1, 0);
	charge(sim->cpu, SIM_IRQ_DEVICE, sim->cfg.costs.scalar[SIM_COST_timer_irq]);
	t->on_timeout(t);
}

void sim_timeout_start(struct sim_task *task, sim_time at, void (*fn)(struct sim_task *task), void *arg)
{
	task->on_timeout = fn;
	task->timeout_arg = arg;
	if (at < sim->now)
		at = sim->now;
	sim_evq_push(&sim->evq, &task->timeout, at,
		     sim_rank(SIM_PHASE_WORLD, sim->cpu->id, SIM_KIND_TIMEOUT, task->id));
}

void sim_timeout_cancel(struct sim_task *task)
{
	sim_evq_cancel(&sim->evq, &task->timeout);
}

static void arrival_fire(struct sim_event *ev)
{
	struct sim_task *t = (struct sim_task *)((char *)ev - offsetof(struct sim_task, arrival));

	world(task_cpu(t));
	t->arrived = true;
	sim_emit(SIM_REC_ARRIVE, t->id + 1, 0, 0, 0);
	sim_sched_wake(t, sim->cpu, true);
	sim_tick_arm(task_cpu(t));
}

void sim_task_start(struct sim_task *task, sim_time at)
{
	sim_evq_push(&sim->evq, &task->arrival, at,
		     sim_rank(SIM_PHASE_WORLD, (unsigned)task->shared->cpu, SIM_KIND_ARRIVAL, task->id));
}

/* -- device interrupts ------------------------------------------------------------------------ */

static void device_fire(struct sim_event *ev)
{
	struct sim_task *body = (struct sim_task *)((char *)ev - offsetof(struct sim_task, arrival));
	struct sim_cpu *cpu = task_cpu(body);
	struct sim_task **tail = &cpu->irq_list;

	world(cpu);
	if (body->irq_period)
		sim_evq_push(&sim->evq, &body->arrival, sim->now + body->irq_period, ev->rank);
	while (*tail && *tail != body)
		tail = &(*tail)->rq_next;
	if (*tail || cpu->irq_task == body) /* the last one has not been served: this one is lost, as on hardware */
		return;
	*tail = body;
	body->rq_next = NULL;
	charge(cpu, SIM_IRQ_DEVICE, sim->cfg.costs.scalar[SIM_COST_irq_entry]);
	if (cpu->mode == SIM_CPU_IDLE)
		sim_leave_idle(cpu);
	else
		sim_kick(cpu);
}

/* -- wiring ------------------------------------------------------------------------------------ */

void sim_wake_init_cpu(struct sim_cpu *cpu)
{
	cpu->ipi.fire = ipi_fire;
}

void sim_wake_init_task(struct sim_task *task)
{
	task->arrival.fire = task->is_irq ? device_fire : arrival_fire;
	task->timer.fire = timer_fire;
	task->timeout.fire = timeout_fire;
}

void sim_wake_finish(void)
{
	while (free_calls) {
		struct call *next = free_calls->next;

		free(free_calls);
		free_calls = next;
	}
}
