// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop: takes the earliest event and lets its owner act, until the run ends. And
 * ticks, the events that the machine itself keeps going.
 */
#include "sim/machine/internal.h"
#include "sim/machine/sched.h"

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
		sim->cpus[i].ev.fire = sim_cpu_fire;
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
	sim_door_close();
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
		ev = __builtin_expect(sim->choosing, 0) ? sim_order_pop() : sim_evq_pop(&sim->evq);
		sim_event_begins(ev);
		if (sim->events + sim->accesses > sim->max_accesses)
			sim_machine_stop(SIM_STOP_STEPS);
		ev->fire(ev);
	}
	sim_evq_cancel(&sim->evq, &sim->end);
	sim_spin_settle();
	return sim->why;
}
