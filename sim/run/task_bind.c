// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks and interrupts of a scenario -> tasks of the machine, with their places and priorities. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/kernel/host.h"
#include "sim/run/bind_impl.h"

/* -- scheduling parameters -------------------------------------------------------------------- */

static void make_attr(const struct run_bound *b, const struct scn_sched *s, uint64_t instance,
		      struct sim_attr *attr)
{
	uint64_t khz = b->machine ? b->machine->cfg.clock_khz : 0; /* none in tests of the watchers */
	int priority = s->priority ? (int)value_once(b->scn, khz, s->priority, instance) : 0;

	*attr = (struct sim_attr){.policy = SIM_NORMAL};
	switch (s->policy) {
	case SCN_POLICY_FIFO:
		attr->policy = SIM_FIFO;
		attr->rt_priority = priority;
		return;
	case SCN_POLICY_RR:
		attr->policy = SIM_RR;
		attr->rt_priority = priority;
		return;
	case SCN_POLICY_NICE:
		attr->nice = s->neg ? -priority : priority;
		return;
	case SCN_POLICY_DEADLINE:
		attr->policy = SIM_DEADLINE;
		attr->dl_runtime = value_once(b->scn, khz, s->runtime, instance);
		attr->dl_period = value_once(b->scn, khz, s->period, instance);
		attr->dl_deadline =
			s->deadline ? value_once(b->scn, khz, s->deadline, instance) : attr->dl_period;
		return;
	}
}

void bound_attr(const struct run_bound *b, const struct scn_sched *sched, struct sim_attr *attr)
{
	make_attr(b, sched, 0, attr);
}

/* -- places ----------------------------------------------------------------------------------- */

struct places { /* the CPUs of one declaration, in the order in which instances take them */
	unsigned *cpu;
	unsigned n;
	uint64_t *set;
};

static void allow(struct places *p, uint64_t cpu)
{
	if (cpu < sim->ncpus)
		p->set[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static void allow_listed(struct places *p, const struct run_bound *b, const struct scn_task *decl,
			 uint64_t instance)
{
	uint64_t khz = b->machine ? b->machine->cfg.clock_khz : 0; /* none in tests of the watchers */

	for (unsigned i = 0; i < decl->ncpus; i++) {
		uint64_t lo = value_once(b->scn, khz, decl->cpus[i].lo, instance);
		uint64_t hi = decl->cpus[i].hi ? value_once(b->scn, khz, decl->cpus[i].hi, instance) : lo;

		for (uint64_t cpu = lo; cpu <= hi && cpu < sim->ncpus; cpu++)
			allow(p, cpu);
	}
}

static void allow_socket(struct places *p, uint64_t socket)
{
	for (unsigned i = 0; i < sim->ncpus; i++)
		if (sim->cpus[i].socket == socket)
			allow(p, i);
}

/* pack: neighbours first (sibling threads, then cores, then sockets). */
static int by_nearness(const void *a, const void *b)
{
	const struct sim_cpu *x = &sim->cpus[*(const unsigned *)a], *y = &sim->cpus[*(const unsigned *)b];

	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* spread: as far from each other as possible (sockets in turn, then cores, then sibling threads). */
static int by_distance(const void *a, const void *b)
{
	const struct sim_cpu *x = &sim->cpus[*(const unsigned *)a], *y = &sim->cpus[*(const unsigned *)b];

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->socket < y->socket ? -1 : x->socket > y->socket;
}

static void find_places(struct places *p, const struct run_bound *b, const struct scn_task *decl,
			uint64_t instance)
{
	memset(p->set, 0, SIM_CPUSET_WORDS(sim->ncpus) * sizeof(p->set[0]));
	if (decl->ncpus)
		allow_listed(p, b, decl, instance);
	else if (decl->socket)
		allow_socket(p, value_once(b->scn, b->machine->cfg.clock_khz, decl->socket, instance));
	else
		for (unsigned i = 0; i < sim->ncpus; i++)
			allow(p, i);
	p->n = 0;
	for (unsigned i = 0; i < sim->ncpus; i++)
		if (sim_cpuset_has(p->set, i))
			p->cpu[p->n++] = i;
	sim_assert(p->n && "CPUs that the checker knows");
	switch (decl->place) {
	case SCN_PLACE_NONE:
		return;
	case SCN_PLACE_SPREAD:
		qsort(p->cpu, p->n, sizeof(p->cpu[0]), by_distance);
		return;
	case SCN_PLACE_PACK:
		qsort(p->cpu, p->n, sizeof(p->cpu[0]), by_nearness);
		return;
	}
}

/* Does the set of CPUs depend on $i? Then every instance has its own. */
static bool depends(const struct scenario *scn, const struct scn_expr *e)
{
	uint64_t zero, one;

	return e &&
	       (!scn_instance_value(scn, e, 0, &zero) || !scn_instance_value(scn, e, 1, &one) || zero != one);
}

static bool own_places(const struct scenario *scn, const struct scn_task *decl)
{
	bool own = depends(scn, decl->socket);

	for (unsigned i = 0; i < decl->ncpus; i++)
		own = own || depends(scn, decl->cpus[i].lo) || depends(scn, decl->cpus[i].hi);
	return own;
}

/* -- creation ---------------------------------------------------------------------------------- */

static void create_task(struct run_bound *b, struct bind_pool *pool, uint32_t index,
			const struct places *places)
{
	struct bound_task *bt = &b->task[index];
	const struct scn_task *decl = &b->scn->task[bt->decl];
	bool turns = decl->place != SCN_PLACE_NONE || decl->pin;
	unsigned cpu = places->cpu[turns ? bt->instance % places->n : 0];
	g_autofree uint64_t *only = NULL;
	struct sim_attr attr;

	if (decl->pin) {
		only = g_new0(uint64_t, SIM_CPUSET_WORDS(sim->ncpus));
		only[cpu / 64] = UINT64_C(1) << cpu % 64;
	}
	make_attr(b, &decl->sched, bt->instance, &attr);
	bt->name = bind_name(pool, decl->name, decl->indexed, bt->instance);
	program_task_init(b, pool, index, &b->program->body[bt->decl], decl->name, bt->instance);
	bt->task = sim_task_create(bt->name, &attr, cpu, only ? only : places->set, program_step,
				   &b->program->task[index]);
	sim_assert(bt->task->id == index);
	b->program->task[index].sim = bt->task;
	b->program->task[index].atomic = bt->task->preempt_count;
	bt->shared = kernel_task_init(bt->task);
}

static void create_group(struct run_bound *b, struct bind_pool *pool, uint32_t decl, struct places *places)
{
	const struct scn_task *d = &b->scn->task[decl];
	bool own = own_places(b->scn, d);

	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t index = b->task_first[decl] + i;

		if (!i || own)
			find_places(places, b, d, i);
		b->task[index].decl = decl;
		b->task[index].instance = i;
		create_task(b, pool, index, places);
	}
}

static void create_interrupt(struct run_bound *b, struct bind_pool *pool, uint32_t decl)
{
	const struct scn_interrupt *d = &b->scn->irq[decl];
	uint32_t index = b->ntask + decl;
	struct bound_task *bt = &b->task[index];
	sim_time every = bound_value(b, d->every), from = d->from ? bound_value(b, d->from) : every;

	bt->decl = decl;
	bt->name = bind_printf(pool, "%s", d->name);
	program_task_init(b, pool, index, &b->program->body[b->scn->ntask + decl], d->name, 0);
	bt->task = sim_irq_create(bt->name, (unsigned)bound_value(b, d->cpu), from, every, program_step,
				  &b->program->task[index]);
	sim_assert(bt->task->id == index);
	b->program->task[index].sim = bt->task;
	b->program->task[index].atomic = bt->task->preempt_count;
	bt->shared = kernel_task_init(bt->task);
}

void bind_tasks(struct run_bound *b, struct bind_pool *pool)
{
	const struct scenario *scn = b->scn;
	g_autofree unsigned *cpu = g_new0(unsigned, sim->ncpus);
	g_autofree uint64_t *set = g_new0(uint64_t, SIM_CPUSET_WORDS(sim->ncpus));
	struct places places = {.cpu = cpu, .set = set};

	b->task_first = bind_alloc(pool, scn->ntask * sizeof(b->task_first[0]));
	for (uint32_t i = 0; i < scn->ntask; i++) {
		b->task_first[i] = b->ntask;
		b->ntask += scn->task[i].count;
	}
	b->nirq = scn->nirq;
	b->task = bind_alloc(pool, (b->ntask + b->nirq) * sizeof(b->task[0]));
	b->program = bind_alloc(pool, sizeof(*b->program));
	program_compile(b, pool);
	program_prepare(b);
	for (uint32_t i = 0; i < scn->ntask; i++)
		create_group(b, pool, i, &places);
	for (uint32_t i = 0; i < scn->nirq; i++)
		create_interrupt(b, pool, i);
}

void bind_start(struct run_bound *b)
{
	for (uint32_t i = 0; i < b->ntask; i++)
		sim_task_start(b->task[i].task, program_arrival(b, i));
}
