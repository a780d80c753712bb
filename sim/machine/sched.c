// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run queue of a CPU and what the machine asks of it. Classes in order: stop,
 * deadline, RT, fair; a CPU with nothing queued is idle.
 *
 * Only exec.c gives time to tasks; here it is booked, when somebody needs to know it: at
 * ticks, picks, blocking, yielding, changes of priority, and wake-ups in the same class.
 */
#include <stdlib.h>

#include "sim/machine/sched_rq.h"

struct sim_sched sim_sched;

/* -- setting up ------------------------------------------------------------------------------- */

static void give_set(struct sim_cpus *set, uint64_t **mem)
{
	set->bits = *mem;
	set->nr = 0;
	*mem += sim_sched.words;
}

static void init_sets(void)
{
	unsigned words = sim_sched.words = SIM_CPUSET_WORDS(sim->ncpus);
	uint64_t *mem = calloc((size_t)words * (SIM_LEVELS + 5), sizeof(*mem));

	sim_assert(mem && "out of memory");
	sim_sched.sets = sim_sched.all = mem;
	mem += words;
	give_set(&sim_sched.idle, &mem);
	give_set(&sim_sched.rt_over, &mem);
	give_set(&sim_sched.dl_over, &mem);
	give_set(&sim_sched.fair_over, &mem);
	for (unsigned l = 0; l < SIM_LEVELS; l++)
		give_set(&sim_sched.level[l], &mem);
	sim_sched.levels[0] = 1;
	sim_sched.levels[1] = 0;
	for (unsigned i = 0; i < sim->ncpus; i++) {
		sim_sched.all[i / 64] |= UINT64_C(1) << (i % 64);
		sim_cpus_put(&sim_sched.idle, i, true);
		sim_cpus_put(&sim_sched.level[0], i, true);
	}
}

void sim_sched_init(void)
{
	const struct sim_config *cfg = &sim->cfg;
	sim_time tick = sim->tick_ps;

	sim_sched.per_socket = cfg->cores;
	sim_sched.per_cluster = cfg->cluster ? cfg->cluster : cfg->cores;
	sim_sched.ncores = cfg->sockets * cfg->cores;
	init_sets();
	sim_fair_tunables();
	/* RR_TIMESLICE: 100 ms in whole ticks, at least one */
	sim_sched.rr_slice = tick && 100 * SIM_MS / tick ? 100 * SIM_MS / tick * tick : tick ? tick : 100 * SIM_MS;
	sim_sched.rqs = calloc(sim->ncpus, sizeof(*sim_sched.rqs));
	sim_assert(sim_sched.rqs && "out of memory");
	for (unsigned i = 0; i < sim->ncpus; i++) {
		sim_sched.rqs[i].cpu = &sim->cpus[i];
		sim->cpus[i].rq = &sim_sched.rqs[i];
		sim_rt_init(&sim_sched.rqs[i]);
	}
}

void sim_sched_finish(void)
{
	free(sim_sched.rqs);
	free(sim_sched.sets);
	sim_sched = (struct sim_sched){ 0 };
}

void sim_sched_task_init(struct sim_task *task)
{
	struct sim_shared *s = task->shared;

	task->weight = sim_fair_weight(&task->attr);
	task->slice_left = sim_sched.rr_slice;
	sim_dl_task_init(task);
	s->static_prio = SIM_DEFAULT_PRIO + task->attr.nice;
	s->normal_prio = s->prio = sim_normal_prio(&task->attr);
	s->policy = task->attr.policy;
	task->ceiling = SIM_NO_CEILING;
}

/* -- order ------------------------------------------------------------------------------------ */

bool sim_more_urgent(const struct sim_task *a, const struct sim_task *b)
{
	enum sim_sched_class ca = sim_class_of(a), cb = sim_class_of(b);

	if (ca != cb)
		return ca < cb;
	switch (ca) {
	case SIM_SC_STOP:
	case SIM_SC_FAIR:
		return false;
	case SIM_SC_DL:
		return sim_dl_before(a, b);
	case SIM_SC_RT:
		return a->shared->prio < b->shared->prio;
	}
	return false;
}

bool sim_task_allowed(const struct sim_task *task, unsigned cpu)
{
	if (task->migrate_off || (task->fiber && task->preempt_count))
		return cpu == (unsigned)task->shared->cpu;
	return sim_cpuset_has(sim_allowed(task), cpu);
}

/* -- the run queue ----------------------------------------------------------------------------- */

void sim_rq_account(struct sim_rq *rq)
{
	struct sim_task *t = rq->curr;
	sim_time d = sim->now - t->exec_start;

	if (!d)
		return;
	t->exec_start = sim->now;
	t->slice_exec += d;
	switch (sim_class_of(t)) {
	case SIM_SC_STOP:
		return;
	case SIM_SC_DL:
		sim_dl_charge(rq, d);
		return;
	case SIM_SC_RT:
		sim_rt_charge(rq, d);
		return;
	case SIM_SC_FAIR:
		sim_fair_charge(rq, t, d);
		return;
	}
}

void sim_rq_count(struct sim_rq *rq, int by)
{
	unsigned cpu = rq->cpu->id;

	rq->nr += (unsigned)by;
	if (rq->nr < 2)
		sim_cpus_put(&sim_sched.idle, cpu, !rq->nr);
	sim_cpus_put(&sim_sched.fair_over, cpu, rq->nr > 1 && rq->fair.nr);
	if (by > 0 && rq->nr > 1)
		sim_tick_arm(rq->cpu);
}

static unsigned level_of(const struct sim_rq *rq)
{
	if (rq->stop.head)
		return SIM_LEVEL_STOP;
	if (rq->dl.tree.root)
		return SIM_LEVEL_DL;
	return rq->rt.nr ? (unsigned)(SIM_MAX_RT_PRIO - 1 - sim_rt_top(rq)) : 0;
}

void sim_rq_level(struct sim_rq *rq)
{
	unsigned was = rq->level, is = level_of(rq), cpu = rq->cpu->id;

	if (is == was)
		return;
	rq->level = (uint16_t)is;
	sim_cpus_put(&sim_sched.level[was], cpu, false);
	if (!sim_sched.level[was].nr)
		sim_sched.levels[was / 64] &= ~(UINT64_C(1) << (was % 64));
	sim_cpus_put(&sim_sched.level[is], cpu, true);
	sim_sched.levels[is / 64] |= UINT64_C(1) << (is % 64);
}

void sim_rq_enqueue(struct sim_rq *rq, struct sim_task *task, unsigned flags)
{
	task->on_rq = true;
	switch (sim_class_of(task)) {
	case SIM_SC_FAIR:
		sim_fair_enqueue(rq, task, flags & SIM_ENQ_WAKE);
		sim_rq_count(rq, 1);
		return;
	case SIM_SC_DL:
		sim_dl_enqueue(rq, task, flags);
		break;
	case SIM_SC_STOP:
	case SIM_SC_RT:
		sim_rt_enqueue(rq, task, flags & SIM_ENQ_HEAD);
		sim_rq_count(rq, 1);
		break;
	}
	sim_rq_level(rq);
}

void sim_rq_dequeue(struct sim_rq *rq, struct sim_task *task, bool sleep)
{
	task->on_rq = false;
	switch (sim_class_of(task)) {
	case SIM_SC_FAIR:
		sim_fair_dequeue(rq, task, sleep);
		sim_rq_count(rq, -1);
		return;
	case SIM_SC_DL:
		sim_dl_dequeue(rq, task);
		break;
	case SIM_SC_STOP:
	case SIM_SC_RT:
		sim_rt_dequeue(rq, task);
		sim_rq_count(rq, -1);
		break;
	}
	sim_rq_level(rq);
}

void sim_rq_move(struct sim_rq *from, struct sim_task *task, struct sim_rq *to)
{
	sim_assert(task != from->curr && !task->shared->on_cpu);
	sim_rq_dequeue(from, task, false);
	task->shared->cpu = (int)to->cpu->id;
	sim_emit(SIM_REC_MIGRATE, task->id + 1, 0, from->cpu->id, to->cpu->id);
	sim_rq_enqueue(to, task, 0);
}

void sim_rq_emit_throttle(struct sim_rq *rq, const struct sim_task *task, bool begins)
{
	struct sim_cpu *cpu = sim->cpu;

	sim->cpu = rq->cpu;
	sim_emit(SIM_REC_THROTTLE, task ? task->id + 1 : 0, 0, begins, 0);
	sim->cpu = cpu;
}

void sim_rq_check_preempt(struct sim_rq *rq, struct sim_task *task)
{
	enum sim_sched_class woken, running;

	if (task == rq->curr || task->throttled)
		return;
	if (!rq->curr) {
		sim_resched_cpu(rq->cpu, false);
		return;
	}
	woken = sim_class_of(task);
	running = sim_class_of(rq->curr);
	if (woken != running) {
		if (woken < running && !(woken == SIM_SC_RT && rq->rt.throttled))
			sim_resched_cpu(rq->cpu, false);
		return;
	}
	switch (woken) {
	case SIM_SC_STOP:
		return;
	case SIM_SC_DL:
		if (sim_dl_before(task, rq->curr) || rq->curr->throttled)
			sim_resched_cpu(rq->cpu, false);
		return;
	case SIM_SC_RT:
		sim_rt_check_preempt(rq, task);
		return;
	case SIM_SC_FAIR:
		sim_fair_check_preempt(rq, task);
		return;
	}
}

/* -- blocking, picking --------------------------------------------------------------------------- */

void sim_sched_block(struct sim_cpu *cpu)
{
	struct sim_rq *rq = cpu->rq;
	struct sim_task *t = cpu->curr;

	sim_assert(t && t->on_rq);
	sim_rq_account(rq);
	if (t != rq->curr) { /* it executed for a donor, which stays */
		sim_rq_dequeue(rq, t, true);
		return;
	}
	if (sim->cfg.fair == SIM_FAIR_EEVDF && sim_class_of(t) == SIM_SC_FAIR && !t->exited &&
	    !sim_eevdf_eligible(rq, t)) {
		rq->curr = NULL;
		t->on_rq = false;
		t->delayed = true;
		sim_fair_put(rq, t);
		sim_rq_count(rq, -1);
		return;
	}
	sim_rq_dequeue(rq, t, true);
	rq->curr = NULL;
}

static struct sim_task *pick_fair(struct sim_rq *rq)
{
	struct sim_task *t;

	while ((t = sim_fair_pick(rq)) && t->delayed)
		sim_eevdf_undelay(rq, t);
	return t;
}

static struct sim_task *pick_class(struct sim_rq *rq)
{
	struct sim_task *t;

	if (rq->level) {
		if (rq->stop.head)
			return rq->stop.head;
		t = sim_tree_first(&rq->dl.tree);
		if (!t && !rq->rt.throttled)
			t = sim_rt_pick(rq);
		if (t)
			return t;
	}
	t = pick_fair(rq);
	if (!t && sim_sched.fair_over.nr && sim_balance_idle(rq))
		t = pick_fair(rq);
	return t;
}

static void push_waiting(struct sim_rq *rq)
{
	if (rq->rt.evict || sim_sched.rt_over.nr + sim_sched.dl_over.nr)
		sim_push(rq);
}

static struct sim_task *pick(struct sim_rq *rq)
{
	struct sim_task *prev = rq->curr, *next;

	if (prev)
		sim_rq_account(rq);
	if (sim_sched.rt_over.nr + sim_sched.dl_over.nr)
		sim_pull(rq);
	next = pick_class(rq);
	if (next == prev)
		return next;
	if (prev && sim_class_of(prev) == SIM_SC_FAIR)
		sim_fair_put(rq, prev);
	if (next) {
		if (sim_class_of(next) == SIM_SC_FAIR)
			sim_fair_set(rq, next);
		next->exec_start = sim->now;
		next->slice_exec = 0;
	}
	rq->curr = next;
	if (next && !prev) /* coming from idle there is nothing to wait for: push what else came here meanwhile */
		push_waiting(rq);
	return next;
}

struct sim_task *sim_sched_pick(struct sim_cpu *cpu)
{
	struct sim_rq *rq = cpu->rq;

	for (;;) {
		struct sim_task *next = pick(rq), *task;

		if (!rq->proxy && !(next && next->donates))
			return next;
		task = sim_proxy_find(rq);
		if (task || !next)
			return task;
	}
}

void sim_sched_switched(struct sim_cpu *cpu)
{
	push_waiting(cpu->rq);
}

void sim_sched_yield(struct sim_cpu *cpu)
{
	struct sim_rq *rq = cpu->rq;

	sim_rq_account(rq);
	switch (sim_class_of(rq->curr)) {
	case SIM_SC_STOP:
		return;
	case SIM_SC_DL:
		sim_dl_yield(rq);
		return;
	case SIM_SC_RT:
		sim_rt_yield(rq);
		return;
	case SIM_SC_FAIR:
		sim_fair_yield(rq);
		return;
	}
}

/* -- ticks --------------------------------------------------------------------------------------- */

void sim_sched_tick(struct sim_cpu *cpu)
{
	struct sim_rq *rq = cpu->rq;

	if (!rq->curr)
		return;
	if (cpu->lazy_resched) /* it was asked a tick ago, or in between */
		sim_resched_cpu(cpu, false);
	sim_rq_account(rq);
	switch (sim_class_of(rq->curr)) {
	case SIM_SC_STOP:
	case SIM_SC_DL: /* accounting decides */
		break;
	case SIM_SC_RT:
		sim_rt_tick(rq);
		break;
	case SIM_SC_FAIR:
		sim_fair_tick(rq);
		break;
	}
	if (sim_cpuset_has(sim_sched.fair_over.bits, cpu->id))
		sim_balance_tick(rq);
}

bool sim_sched_tick_needed(const struct sim_cpu *cpu)
{
	const struct sim_rq *rq = cpu->rq;

	if (!rq->curr)
		return false;
	if (cpu->lazy_resched || sim_cpuset_has(sim_sched.fair_over.bits, cpu->id))
		return true;
	switch (sim_class_of(rq->curr)) {
	case SIM_SC_STOP:
		return false;
	case SIM_SC_DL:
		return true;
	case SIM_SC_RT:
		return rq->curr->attr.policy == SIM_RR || sim->cfg.rt_runtime;
	case SIM_SC_FAIR:
		return rq->fair.nr > 1;
	}
	return false;
}
