// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execution: the event loop and what a CPU does when it is its turn.
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

#define FULL_PPM 1000000u

static void cpu_go(struct sim_cpu *cpu);

/* -- time -------------------------------------------------------------------------------- */

void sim_cpu_push(struct sim_cpu *cpu, sim_time at)
{
	sim_evq_push(&sim->evq, &cpu->ev, at, cpu->rank);
}

/* In engine context: true when @d is over, false when the CPU's event is queued for it. */
static bool cpu_wait(struct sim_cpu *cpu, sim_time d)
{
	if (sim_jump(cpu, sim->now + d))
		return true;
	sim_cpu_push(cpu, sim->now + d);
	return false;
}

void sim_yield(enum sim_yield why)
{
	sim->cpu->yield = why;
	sim_fiber_yield();
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
	sim_elapse(d);
	if (sim->cpu->attention)
		sim_attend();
}

/* -- interrupts and preemption on a fiber ------------------------------------------------ */

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

/* cond_resched(): acts where kernel code is not preempted anyway; might_sleep() only under voluntary. */
static bool resched_point_acts(const struct sim_cpu *cpu, bool might_sleep)
{
	const struct sim_task *t = cpu->curr;

	if (!t || cpu->irq_task || t->preempt_count || t->irq_off || !cpu->need_resched)
		return false;
	return sim->cfg.preempt == SIM_PREEMPT_VOLUNTARY || (sim->cfg.preempt == SIM_PREEMPT_NONE && !might_sleep);
}

void sim_resched_point(bool might_sleep)
{
	if (sim && sim_fiber_current() && resched_point_acts(sim->cpu, might_sleep))
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

/* -- RUN: time that can be interrupted anywhere ------------------------------------------- */

static unsigned run_rate(const struct sim_cpu *cpu)
{
	unsigned half = sim->cfg.sockets * sim->cfg.cores;

	if (!sim->cfg.smt_share_ppm || sim->cfg.threads < 2)
		return FULL_PPM;
	for (unsigned id = cpu->id % half; id < sim->ncpus; id += half)
		if (id != cpu->id && sim->cpus[id].mode != SIM_CPU_IDLE)
			return sim->cfg.smt_share_ppm;
	return FULL_PPM;
}

/* Books the progress of the stretch that ends now. */
static void run_account(struct sim_cpu *cpu)
{
	sim_time done = sim->now - cpu->run_since;

	if (!cpu->in_run)
		return;
	cpu->in_run = false;
	if (sim->now >= cpu->run_end) {
		cpu->curr->left = 0;
		return;
	}
	if (cpu->run_ppm != FULL_PPM)
		done = (sim_time)((unsigned __int128)done * cpu->run_ppm / FULL_PPM);
	cpu->curr->left -= done;
}

/* Starts or goes on with RUN; true when nothing is left of it. */
static bool run_go(struct sim_cpu *cpu)
{
	struct sim_task *t = cpu->curr;
	sim_time need = t->left;

	if (!need)
		return true;
	cpu->run_ppm = run_rate(cpu);
	if (cpu->run_ppm != FULL_PPM)
		need = (sim_time)(((unsigned __int128)need * FULL_PPM + cpu->run_ppm - 1) / cpu->run_ppm);
	cpu->run_since = sim->now;
	cpu->run_end = sim->now + need;
	if (cpu_wait(cpu, need)) {
		t->left = 0;
		return true;
	}
	cpu->in_run = true;
	return false;
}

/* Interrupts a stretch of RUN, so that the CPU looks around now. */
static void run_break(struct sim_cpu *cpu)
{
	if (cpu->in_run && sim_event_queued(&cpu->ev) && cpu->ev.time > sim->now) {
		sim_evq_cancel(&sim->evq, &cpu->ev);
		sim_cpu_push(cpu, sim->now);
	}
}

/* The sibling's load changed: its progress does. */
static void siblings_changed(struct sim_cpu *cpu)
{
	unsigned half = sim->cfg.sockets * sim->cfg.cores;

	if (!sim->cfg.smt_share_ppm)
		return;
	for (unsigned id = cpu->id % half; id < sim->ncpus; id += half)
		if (id != cpu->id)
			run_break(&sim->cpus[id]);
}

void sim_kick(struct sim_cpu *cpu)
{
	cpu->attention = true;
	if (cpu->parked)
		sim_unpark(cpu);
	else
		run_break(cpu);
}

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
	siblings_changed(cpu);
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
	sim_tick_arm(cpu);
	cpu->mode = SIM_CPU_SWITCH;
	return cpu_wait(cpu, sim->cfg.costs.scalar[SIM_COST_context_switch]);
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
	cpu_leave(cpu, state & SIM_TASK_INTERRUPTIBLE ? SIM_STATE_SLEEPS : SIM_STATE_BLOCKED, true);
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

/* Runs the fiber of @t until it has to wait; false: the CPU waits too. */
static bool fiber_go(struct sim_cpu *cpu, struct sim_task *t)
{
	sim_fiber_resume(t->fiber);
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
		if (resched_point_acts(cpu, false))
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
	return !d || cpu_wait(cpu, d);
}

/* -- the CPU ------------------------------------------------------------------------------ */

/* Interrupt time and bodies before the task goes on; false: the CPU waits. */
static bool cpu_attend(struct sim_cpu *cpu)
{
	if (cpu->irq_debt) {
		sim_time debt = cpu->irq_debt;

		cpu->irq_debt = 0;
		if (!cpu_wait(cpu, debt))
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
		if (t->is_irq ? !spend_go(cpu, t) : !run_go(cpu))
			return false;
		t->exec = SIM_EXEC_PROGRAM;
		return true;
	case SIM_EXEC_SPEND:
		if (!spend_go(cpu, t))
			return false;
		t->exec = SIM_EXEC_PROGRAM;
		return true;
	case SIM_EXEC_FIBER:
		return fiber_go(cpu, t);
	}
	return false;
}

static bool cpu_task(struct sim_cpu *cpu)
{
	struct sim_task *t = cpu->irq_task ? cpu->irq_task : cpu->curr;

	if (cpu->in_run)
		run_account(cpu);
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
		if (t->exec != SIM_EXEC_FIBER && sim_may_preempt(cpu)) {
			cpu_leave(cpu, SIM_STATE_PREEMPTED, false);
			return true;
		}
	}
	return cpu_step(cpu);
}

static void cpu_go(struct sim_cpu *cpu)
{
	bool on = true;

	while (on && !sim->stop) {
		switch (cpu->mode) {
		case SIM_CPU_IDLE:
			return;
		case SIM_CPU_IDLE_EXIT:
			siblings_changed(cpu);
			cpu->mode = cpu->irq_list ? SIM_CPU_TASK : SIM_CPU_PICK;
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

static void cpu_fire(struct sim_event *ev)
{
	struct sim_cpu *cpu = (struct sim_cpu *)((char *)ev - offsetof(struct sim_cpu, ev));

	sim->cpu = cpu;
	sim->in_world = false;
	cpu_go(cpu);
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

/* -- ticks -------------------------------------------------------------------------------- */

void sim_tick_arm(struct sim_cpu *cpu)
{
	if (!sim->tick_ps || sim_event_queued(&cpu->tick) || cpu->mode == SIM_CPU_IDLE || !cpu->curr)
		return;
	if (!sim->cfg.costs.scalar[SIM_COST_tick] && !sim_sched_tick_needed(cpu))
		return;
	sim->ticks++;
	sim_evq_push(&sim->evq, &cpu->tick, (sim->now / sim->tick_ps + 1) * sim->tick_ps,
		     sim_rank(SIM_PHASE_WORLD, cpu->id, SIM_KIND_TICK, 0));
}

/* Nothing but ticks is queued, and no tick can change who runs: only a finding is left. */
static bool only_ticks(void)
{
	if (sim->evq.len != sim->ticks + (sim_event_queued(&sim->end) ? 1 : 0))
		return false;
	for (unsigned i = 0; i < sim->ncpus; i++)
		if (sim->cpus[i].mode != SIM_CPU_IDLE && sim_sched_tick_needed(&sim->cpus[i]))
			return false;
	return true;
}

static void tick_fire(struct sim_event *ev)
{
	struct sim_cpu *cpu = (struct sim_cpu *)((char *)ev - offsetof(struct sim_cpu, tick));
	sim_time cost = sim->cfg.costs.scalar[SIM_COST_tick];

	sim->cpu = cpu;
	sim->in_world = true;
	sim->ticks--;
	if (cpu->mode == SIM_CPU_IDLE || !cpu->curr)
		return;
	if (only_ticks()) {
		sim->quiet = true;
		return;
	}
	sim_sched_tick(cpu);
	if (cost) {
		cpu->irq_debt += cost;
		sim_emit(SIM_REC_IRQ, cpu->curr->id + 1, 0, SIM_IRQ_TICK, cost);
		sim_kick(cpu);
	}
	sim_tick_arm(cpu);
}

/* -- the loop ----------------------------------------------------------------------------- */

static void end_fire(struct sim_event *ev)
{
	(void)ev;
	sim_machine_stop(SIM_STOP_END);
}

void sim_exec_init(void)
{
	for (unsigned i = 0; i < sim->ncpus; i++) {
		sim->cpus[i].ev.fire = cpu_fire;
		sim->cpus[i].tick.fire = tick_fire;
	}
	sim->end.fire = end_fire;
}

void sim_machine_stop(enum sim_stop why)
{
	if (sim->stop)
		return;
	sim->stop = true;
	sim->why = why;
}

/* Nothing can happen any more though tasks are alive. True: go on, somebody added something. */
static bool quiet(void)
{
	sim->quiet = false;
	if (!sim->alive) {
		sim_machine_stop(SIM_STOP_DONE);
		return false;
	}
	if (sim->on_quiet)
		sim->on_quiet();
	sim_machine_stop(SIM_STOP_QUIET);
	return false;
}

enum sim_stop sim_machine_run(sim_time until, bool until_done)
{
	struct sim_event *ev;

	sim->stop = false;
	sim->until_done = until_done;
	if (until != SIM_NEVER)
		sim_evq_push(&sim->evq, &sim->end, until, sim_rank(SIM_PHASE_WORLD, 0, SIM_KIND_END, 0));
	while (!sim->stop) {
		if (sim->quiet || sim->evq.len == (sim_event_queued(&sim->end) ? 1u : 0u)) {
			quiet();
			break;
		}
		ev = sim_evq_pop(&sim->evq);
		if (ev->time != sim->now || ev->rank > sim->high)
			sim->high = ev->rank;
		sim->now = ev->time;
		sim->rank = ev->rank;
		sim->events++;
		if (sim->events + sim->accesses > sim->max_accesses)
			sim_machine_stop(SIM_STOP_STEPS);
		ev->fire(ev);
	}
	sim_evq_cancel(&sim->evq, &sim->end);
	sim_spin_settle();
	return sim->why;
}
