// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execution: what a CPU does when it is its turn.
 *
 * A CPU goes on until it has to wait: then its one event is queued and control goes back
 * to the loop. Waiting is skipped when nothing comes before its end (the clock jumps
 * forward), on a fiber as well as here.
 *
 *   IDLE --wake-up--> IDLE_EXIT --latency--> PICK --switch cost--> SWITCH --> TASK
 *                                             ^                                |
 *                                             +---- schedule(), preemption ----+
 */
#include "sim/machine/internal.h"
#include "sim/machine/sched.h"

/* -- switching ---------------------------------------------------------------------------- */

static void set_on_cpu(struct sim_task *t, int on)
{
	t->shared->on_cpu = on;
	sim_poke(&t->shared->on_cpu);
}

static void go_idle(struct sim_cpu *cpu)
{
	cpu->mode = SIM_CPU_IDLE;
	cpu->idle_since = sim->now;
	sim_siblings_changed(cpu);
}

/* schedule() is due: false when the CPU has to wait for the end of the switch, or is idle. */
static bool cpu_pick(struct sim_cpu *cpu)
{
	struct sim_task *prev = cpu->prev ? cpu->prev : cpu->curr;
	struct sim_task *next = sim_sched_pick(cpu);

	cpu->need_resched = cpu->lazy_resched = false;
	sim_spin_forget(cpu);
	cpu->curr = next;
	if (next == prev) {
		cpu->prev = NULL;
		if (!next) {
			go_idle(cpu);
			return false;
		}
		cpu->mode = SIM_CPU_TASK;
		return true;
	}
	cpu->prev = prev;
	sim_emit(SIM_REC_SWITCH, next ? next->id + 1 : 0, prev ? prev->id + 1 : 0, prev ? cpu->prev_state : 0,
		 next ? (uint64_t)(int64_t)next->shared->prio + 1 : 0);
	if (next)
		set_on_cpu(next, 1);
	else
		cpu->lazy = prev;
	sim_tick_arm(cpu);
	cpu->mode = SIM_CPU_SWITCH;
	return sim_cpu_wait(cpu, sim->cfg.costs.scalar[SIM_COST_context_switch]);
}

/* The switch is complete. */
static bool cpu_switched(struct sim_cpu *cpu)
{
	struct sim_task *prev = cpu->prev;

	cpu->prev = NULL;
	if (prev)
		set_on_cpu(prev, 0);
	sim_sched_switched(cpu);
	if (cpu->curr) {
		cpu->mode = SIM_CPU_TASK;
		cpu->yield = SIM_YIELD_ATTEND; /* its fiber is between two accesses, whatever the last one here was */
		return true;
	}
	if (cpu->need_resched || cpu->irq_list) { /* somebody was woken while we switched to idle */
		cpu->mode = cpu->irq_list ? SIM_CPU_TASK : SIM_CPU_PICK;
		return true;
	}
	go_idle(cpu);
	return false;
}

/* The current task leaves the CPU: it blocks, or was preempted and stays queued. */
static void cpu_leave(struct sim_cpu *cpu, enum sim_rec_state state, bool block)
{
	cpu->prev_state = state;
	if (block) {
		sim_sched_block(cpu);
		cpu->prev = cpu->curr;
		cpu->curr = NULL;
	}
	cpu->mode = SIM_CPU_PICK;
}

static bool signal_keeps_awake(const struct sim_task *t, unsigned state)
{
	if (t->sigpending && (state & SIM_TASK_INTERRUPTIBLE))
		return true;
	return t->sigfatal && (state & SIM_TASK_WAKEKILL);
}

/* schedule() of the current task: sleeps if its state word says so. */
static void cpu_schedule(struct sim_cpu *cpu)
{
	struct sim_task *t = cpu->curr;
	unsigned state = t->shared->__state;

	if (state != SIM_TASK_RUNNING && signal_keeps_awake(t, state))
		state = t->shared->__state = SIM_TASK_RUNNING;
	if (state == SIM_TASK_RUNNING) {
		cpu_leave(cpu, SIM_STATE_YIELDED, false);
		return;
	}
	t->slept = true;
	if (t->op_lock)
		sim_emit(SIM_REC_BLOCK, t->id + 1, t->op_lock, 0, 0);
	t->donates = t->blocked_on;
	cpu_leave(cpu, state & SIM_TASK_INTERRUPTIBLE ? SIM_STATE_SLEEPS : SIM_STATE_BLOCKED, !t->donates);
}

/* -- fibers ------------------------------------------------------------------------------- */

static void fiber_main(void *arg)
{
	struct sim_task *t = arg;

	t->act.fn(t, t->act.arg);
}

static void fiber_start(struct sim_task *t)
{
	t->fiber = sim_fiber_create(fiber_main, t, t);
	sim_assert(t->fiber && "out of stacks");
	t->exec = SIM_EXEC_FIBER;
}

/*
 * Runs the fiber of the current task until it has to wait, and those that it hands over to. That may end on another
 * CPU than it began: false, that one waits.
 */
static bool fiber_go(struct sim_fiber *f)
{
	struct sim_cpu *cpu = sim->cpu;
	struct sim_task *t;

	cpu->waits = NULL;
	sim_door_open();
	sim_fiber_resume(f);
	sim_door_close();
	cpu = sim->cpu;
	t = sim_current();
	if (t->fiber->done) {
		sim_fiber_free(t->fiber);
		t->fiber = NULL;
		t->exec = SIM_EXEC_PROGRAM;
		sim_spin_forget(cpu);
		return true;
	}
	switch (cpu->yield) {
	case SIM_YIELD_TIME:
	case SIM_YIELD_PARK:
		return false;
	case SIM_YIELD_SCHEDULE:
		cpu_schedule(cpu);
		return true;
	case SIM_YIELD_PREEMPT:
		cpu_leave(cpu, SIM_STATE_PREEMPTED, false);
		return true;
	case SIM_YIELD_ATTEND:
		return true;
	}
	return false;
}

/* -- programs ----------------------------------------------------------------------------- */

static void task_exit(struct sim_cpu *cpu, struct sim_task *t)
{
	t->exited = true;
	t->shared->__state = SIM_TASK_DEAD;
	cpu_leave(cpu, SIM_STATE_EXITED, true);
	if (!--sim->alive && sim->until_done)
		sim_machine_stop(SIM_STOP_DONE);
}

static void task_sleep(struct sim_cpu *cpu, struct sim_task *t, unsigned state, sim_time until)
{
	if (until != SIM_NEVER) {
		if (until <= sim->now)
			return;
		sim_evq_push(&sim->evq, &t->timer, until,
			     sim_rank(SIM_PHASE_WORLD, cpu->id, SIM_KIND_TIMER, t->id));
	}
	t->shared->__state = state;
	cpu_schedule(cpu);
	if (t->shared->__state == SIM_TASK_RUNNING)
		sim_evq_cancel(&sim->evq, &t->timer);
}

/* An interrupt body is over. */
static void irq_end(struct sim_cpu *cpu)
{
	cpu->irq_task = NULL;
	cpu->attention = cpu->attention || cpu->need_resched || cpu->irq_list;
	sim_spin_forget(cpu);
}

/* Asks the program of @t what to do and begins it. */
static void program_go(struct sim_cpu *cpu, struct sim_task *t)
{
	t->program(t, &t->act);
	switch (t->act.kind) {
	case SIM_ACT_RUN:
		t->left = t->act.t;
		t->exec = SIM_EXEC_RUN;
		return;
	case SIM_ACT_SPEND:
		t->left = t->act.t;
		t->exec = SIM_EXEC_SPEND;
		return;
	case SIM_ACT_CALL:
		fiber_start(t);
		return;
	case SIM_ACT_SLEEP:
		sim_assert(!t->is_irq);
		task_sleep(cpu, t, SIM_TASK_INTERRUPTIBLE, t->act.t);
		return;
	case SIM_ACT_WAIT:
		sim_assert(!t->is_irq);
		task_sleep(cpu, t, SIM_TASK_UNINTERRUPTIBLE, SIM_NEVER);
		return;
	case SIM_ACT_YIELD:
		if (!t->is_irq) {
			sim_sched_yield(cpu);
			cpu_leave(cpu, SIM_STATE_YIELDED, false);
		}
		return;
	case SIM_ACT_RESCHED:
		if (sim_resched_acts(cpu, false))
			cpu_leave(cpu, SIM_STATE_PREEMPTED, false);
		return;
	case SIM_ACT_EXIT:
		if (t->is_irq)
			irq_end(cpu);
		else
			task_exit(cpu, t);
		return;
	}
}

/* SPEND: true when over. Its end is not moved by interrupts; their time is added behind. */
static bool spend_go(struct sim_cpu *cpu, struct sim_task *t)
{
	sim_time d = t->left;

	t->left = 0;
	return !d || sim_cpu_wait(cpu, d);
}

/* -- the CPU ------------------------------------------------------------------------------ */

/* Interrupt time and bodies before the task goes on; false: the CPU waits. */
static bool cpu_attend(struct sim_cpu *cpu)
{
	if (cpu->irq_debt) {
		sim_time debt = cpu->irq_debt;

		cpu->irq_debt = 0;
		if (!sim_cpu_wait(cpu, debt))
			return false;
	}
	if (cpu->irq_list && !cpu->irq_task) {
		struct sim_task *body = cpu->irq_list;

		cpu->irq_list = body->rq_next;
		body->rq_next = NULL;
		body->exec = SIM_EXEC_PROGRAM;
		cpu->irq_task = body;
		sim_spin_forget(cpu);
	}
	return true;
}

/* One step of whoever executes; false: the CPU waits. */
static bool cpu_step(struct sim_cpu *cpu)
{
	struct sim_task *t = cpu->irq_task ? cpu->irq_task : cpu->curr;

	switch (t->exec) {
	case SIM_EXEC_PROGRAM:
		program_go(cpu, t);
		return true;
	case SIM_EXEC_RUN:
		if (t->is_irq ? !spend_go(cpu, t) : !sim_run_go(cpu))
			return false;
		t->exec = SIM_EXEC_PROGRAM;
		return true;
	case SIM_EXEC_SPEND:
		if (!spend_go(cpu, t))
			return false;
		t->exec = SIM_EXEC_PROGRAM;
		return true;
	case SIM_EXEC_FIBER:
		return fiber_go(t->fiber);
	}
	return false;
}

static bool cpu_task(struct sim_cpu *cpu)
{
	struct sim_task *t = cpu->irq_task ? cpu->irq_task : cpu->curr;

	if (cpu->in_run)
		sim_run_account(cpu);
	if (!t) { /* the interrupted CPU was idle */
		if (cpu->irq_debt || cpu->irq_list)
			return cpu_attend(cpu);
		cpu->mode = SIM_CPU_PICK;
		return true;
	}
	/* a fiber in the middle of an access attends by itself when the access is over */
	if (t->exec != SIM_EXEC_FIBER || cpu->yield == SIM_YIELD_ATTEND || !t->fiber) {
		if ((cpu->attention || cpu->irq_list) && !t->irq_off) {
			cpu->attention = false;
			if (!cpu_attend(cpu)) {
				cpu->attention = cpu->attention || cpu->irq_list;
				return false;
			}
			if (cpu->attention || cpu->irq_task != (t->is_irq ? t : NULL))
				return true;
		}
		if ((cpu->need_resched || cpu->lazy_resched) && t->exec != SIM_EXEC_FIBER && sim_may_preempt(cpu)) {
			cpu_leave(cpu, SIM_STATE_PREEMPTED, false);
			return true;
		}
	}
	return cpu_step(cpu);
}

static void cpu_go(bool on)
{
	while (on && !sim->stop) {
		struct sim_cpu *cpu = sim->cpu;

		switch (cpu->mode) {
		case SIM_CPU_IDLE:
			return;
		case SIM_CPU_IDLE_EXIT:
			sim_siblings_changed(cpu);
			cpu->mode = cpu->irq_list || cpu->irq_debt ? SIM_CPU_TASK : SIM_CPU_PICK;
			break;
		case SIM_CPU_PICK:
			on = cpu_pick(cpu);
			break;
		case SIM_CPU_SWITCH:
			on = cpu_switched(cpu);
			break;
		case SIM_CPU_TASK:
			on = cpu_task(cpu);
			break;
		}
	}
}

void sim_cpu_fire(struct sim_event *ev)
{
	struct sim_cpu *cpu = sim_cpu_of(ev);

	sim->cpu = cpu;
	sim->in_world = false;
	cpu_go(!cpu->waits || sim->stop || fiber_go(cpu->waits));
}

void sim_leave_idle(struct sim_cpu *cpu)
{
	sim_time asleep = sim->now - cpu->idle_since;
	const struct sim_costs *c = &sim->cfg.costs;
	unsigned depth = 0;
	sim_time delay = 0;

	while (depth < c->nidle && c->idle[depth].residency <= asleep)
		depth++;
	if (depth) {
		delay = c->idle[depth - 1].exit;
		if (cpu != sim->cpu)
			delay += c->scalar[SIM_COST_ipi];
	}
	sim_emit(SIM_REC_IDLE_EXIT, 0, 0, depth, delay);
	cpu->mode = SIM_CPU_IDLE_EXIT;
	sim_cpu_push(cpu, sim->now + delay);
}
