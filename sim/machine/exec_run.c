// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN: time that can be interrupted anywhere. A stretch lasts from when the CPU begins or
 * goes on with it to its end, or to when something makes the CPU look up; a busy sibling
 * makes it longer where `smt_share` says so.
 */
#include "sim/machine/internal.h"

#define FULL_PPM 1000000u

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

void sim_run_account(struct sim_cpu *cpu)
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

bool sim_run_go(struct sim_cpu *cpu)
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
	if (sim_cpu_wait(cpu, need)) {
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

void sim_siblings_changed(struct sim_cpu *cpu)
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
