// SPDX-License-Identifier: GPL-2.0-or-later
/* Setting a machine up and taking it down; named memory; tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/internal.h"
#include "sim/machine/sched.h"

#define DEFAULT_ARENA_BYTES ((size_t)1 << 30)
#define MAX_STACKS (1u << 18)

struct sim_machine *sim;
bool sim_booking;
struct sim_cpu *sim_door;

static void print_context(void)
{
	char t[SIM_TIME_CHARS];

	if (!sim)
		return;
	fprintf(stderr, "  at %s, cpu %u, task %s, seed %llu\n", sim_time_format(t, sim->now),
		sim->cpu ? sim->cpu->id : 0, sim->cpu && sim_current() ? sim_current()->name : "-",
		(unsigned long long)sim->cfg.seed);
}

static void cpus_create(struct sim_machine *m)
{
	unsigned half = m->cfg.sockets * m->cfg.cores;

	m->ncpus = half * m->cfg.threads;
	sim_assert(m->ncpus && m->ncpus <= SIM_CPUS_MAX);
	m->cpus = calloc(m->ncpus, sizeof(*m->cpus));
	sim_assert(m->cpus);
	for (unsigned i = 0; i < m->ncpus; i++) {
		struct sim_cpu *cpu = &m->cpus[i];

		cpu->id = i;
		cpu->thread = i / half;
		cpu->socket = i % half / m->cfg.cores;
		cpu->core = i % m->cfg.cores;
		cpu->place = (uint64_t)cpu->socket << 32 | cpu->core |
			     (m->cfg.cluster ? cpu->core / m->cfg.cluster : cpu->core) << 16;
		cpu->rank = sim_rank(SIM_PHASE_CPU, i, SIM_KIND_CPU, 0);
		cpu->yields_to = m->choosing ? UINT64_MAX : cpu->rank;
		sim_wake_init_cpu(cpu);
	}
}

struct sim_machine *sim_machine_create(const struct sim_config *cfg, size_t shared_bytes, struct sim_trace *trace,
				       struct sim_choice *choice)
{
	static bool pool;
	struct sim_machine *m = calloc(1, sizeof(*m));

	sim_assert(m && !sim);
	if (!pool)
		sim_fiber_pool_init(MAX_STACKS);
	pool = true;
	sim_assert_context(print_context);
	sim = m;
	m->cfg = *cfg;
	if (!m->cfg.costs.scalar[SIM_COST_relax])
		m->cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
	m->trace = trace;
	m->choice = choice;
	m->choosing = choice->policy != SIM_CHOICE_FIXED;
	m->cfg.poll |= m->choosing;
	m->shared_bytes = shared_bytes ? shared_bytes : sizeof(struct sim_shared);
	m->tick_ps = cfg->hz ? SIM_S / cfg->hz : 0;
	m->max_accesses = cfg->max_steps ? cfg->max_steps : UINT64_MAX;
	sim_evq_init(&m->evq);
	sim_arena_init(&m->arena, cfg->arena_bytes ? cfg->arena_bytes : DEFAULT_ARENA_BYTES);
	cpus_create(m);
	m->cpu = &m->cpus[0];
	for (unsigned op = 0; op <= SIM_CMPXCHG; op++)
		m->hit[op] = m->cfg.costs.lat[sim_opclass_of((enum sim_op)op)][SIM_LINE_M][SIM_DIST_SELF];
	sim_evq_reserve(&m->evq, 4 * m->ncpus + 64);
	sim_lines_init();
	sim_spin_init();
	sim_exec_init();
	sim_sched_init();
	sim_object_create("stacks", 1, 0); /* object 0: the tasks' stack lines */
	return m;
}

static void task_destroy(struct sim_task *t)
{
	free(t->allowed);
	free((char *)t->name);
	free(t->stack_line);
	free(t->touched);
	free(t);
}

void sim_machine_destroy(struct sim_machine *m)
{
	sim_assert(m == sim);
	sim_sched_finish();
	sim_fiber_pool_reset();
	sim_spin_finish();
	sim_lines_finish();
	sim_wake_finish();
	for (uint32_t i = 0; i < m->ntasks; i++)
		task_destroy(m->tasks[i]);
	for (uint32_t i = 0; i < m->nobjects; i++)
		free((char *)m->objects[i].name);
	free(m->objects);
	free(m->tasks);
	free(m->cpus);
	free(m->ties);
	sim_arena_finish(&m->arena);
	sim_evq_finish(&m->evq);
	free(m);
	sim = NULL;
	sim_assert_context(NULL);
}

/* -- memory ------------------------------------------------------------------------------ */

static uint32_t object_add(const char *name, uint32_t first_line, uint32_t lines)
{
	if (sim->nobjects == sim->objects_room) {
		sim->objects_room = sim->objects_room ? 2 * sim->objects_room : 64;
		sim->objects = realloc(sim->objects, sim->objects_room * sizeof(*sim->objects));
		sim_assert(sim->objects);
	}
	sim->objects[sim->nobjects] = (struct sim_object){ .name = strdup(name), .first_line = first_line, .lines = lines };
	return sim->nobjects++;
}

void *sim_object_create(const char *name, size_t bytes, unsigned home)
{
	void *p = sim_arena_alloc(&sim->arena, bytes);
	uint32_t first, lines, object;

	if (!p)
		return NULL;
	first = sim_arena_line(&sim->arena, p);
	lines = (uint32_t)((bytes + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES);
	object = object_add(name, first, lines);
	for (uint32_t i = 0; i < lines; i++) {
		sim->lines[first + i].object = object;
		sim->lines[first + i].home = (uint16_t)home;
	}
	return p;
}

void *sim_percpu_create(const char *name, size_t bytes, size_t *stride)
{
	size_t lines = (bytes + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES;
	char *base;

	*stride = lines * SIM_LINE_BYTES;
	base = sim_object_create(name, *stride * sim->ncpus, 0);
	if (!base)
		return NULL;
	for (unsigned cpu = 0; cpu < sim->ncpus; cpu++)
		for (size_t i = 0; i < lines; i++)
			sim_line_of(base + cpu * *stride + i * SIM_LINE_BYTES)->home = (uint16_t)sim->cpus[cpu].socket;
	return base;
}

void sim_machine_sum_lines(void)
{
	for (uint32_t i = 0; i < sim->nobjects; i++)
		for (unsigned d = 0; d < SIM_DIST_COUNT; d++)
			if (sim->objects[i].transfers[d])
				sim_emit(SIM_REC_LINE_SUM, 0, i + 1, d, sim->objects[i].transfers[d]);
}

/* -- tasks ------------------------------------------------------------------------------- */

static void allow(struct sim_task *t, const uint64_t *allowed)
{
	size_t words = SIM_CPUSET_WORDS(sim->ncpus);

	t->allowed = calloc(words, sizeof(*t->allowed));
	sim_assert(t->allowed);
	for (unsigned i = 0; i < sim->ncpus; i++)
		if (!allowed || sim_cpuset_has(allowed, i)) {
			t->allowed[i / 64] |= UINT64_C(1) << i % 64;
			t->nallowed++;
		}
	sim_assert(t->nallowed);
}

static struct sim_task *task_create(const char *name, unsigned cpu, const uint64_t *allowed, sim_program_fn program,
				    void *user, bool is_irq)
{
	struct sim_task *t = calloc(1, sizeof(*t));

	sim_assert(t);
	if (sim->ntasks == sim->tasks_room) {
		sim->tasks_room = sim->tasks_room ? 2 * sim->tasks_room : 64;
		sim->tasks = realloc(sim->tasks, sim->tasks_room * sizeof(*sim->tasks));
		sim_assert(sim->tasks);
	}
	t->id = sim->ntasks;
	sim->tasks[sim->ntasks++] = t;
	t->name = strdup(name);
	t->program = program;
	t->user = user;
	t->is_irq = is_irq;
	allow(t, allowed);
	t->stack_line = calloc(1, sizeof(*t->stack_line));
	t->shared = sim_object_create(name, sim->shared_bytes, sim->cpus[cpu].socket);
	sim_assert(t->name && t->stack_line && t->shared && "out of simulated memory");
	t->stack_line->home = (uint16_t)sim->cpus[cpu].socket;
	t->shared->sim = t;
	t->shared->cpu = (int)cpu;
	sim_wake_init_task(t);
	sim_evq_reserve(&sim->evq, 4 * sim->ncpus + 64 + 2 * sim->ntasks);
	return t;
}

struct sim_task *sim_task_create(const char *name, const struct sim_attr *attr, unsigned cpu, const uint64_t *allowed,
				 sim_program_fn program, void *user)
{
	struct sim_task *t = task_create(name, cpu, allowed, program, user, false);

	t->attr = *attr;
	sim_sched_task_init(t);
	sim->alive++;
	return t;
}

struct sim_task *sim_irq_create(const char *name, unsigned cpu, sim_time first, sim_time period, sim_program_fn program,
				void *user)
{
	struct sim_task *t = task_create(name, cpu, NULL, program, user, true);

	t->irq_period = period;
	t->shared->prio = SIM_STOP_PRIO;
	t->preempt_count = 1;
	t->kernel_mode = 1;
	sim_evq_push(&sim->evq, &t->arrival, first, sim_rank(SIM_PHASE_WORLD, cpu, SIM_KIND_DEVICE, t->id));
	return t;
}
