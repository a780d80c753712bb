// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/kernel/world.h"

#include <check.h>
#include <string.h>

#include "sim/kernel/host.h"

struct sim_config world_cfg;
struct sim_rec world_rec[64];
unsigned world_nrec;
char world_findings[512];

static struct body {
	void (*fn)(void *arg);
	void *arg;
	bool over;
} body[32];
static unsigned nbody;
static struct sim_trace trace;
static struct sim_choice choice;

void world_config(unsigned ncpus)
{
	world_cfg = (struct sim_config){ .sockets = 1, .cores = ncpus, .threads = 1, .preempt = SIM_PREEMPT_FULL, .hz = 100 };
	world_cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
}

static void take(void *user, const struct sim_rec *rec)
{
	if (world_nrec < 64)
		world_rec[world_nrec++] = *rec;
}

static void found(int kind, const char *text)
{
	if (strlen(world_findings) + strlen(text) + 2 < sizeof(world_findings)) {
		strcat(world_findings, text);
		strcat(world_findings, ";");
	}
}

void world_open(void)
{
	memset(&trace, 0, sizeof(trace));
	world_nrec = nbody = 0;
	world_findings[0] = '\0';
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 1);
	sim_machine_create(&world_cfg, kernel_task_bytes(), &trace, &choice);
	sim_trace_subscribe(&trace, SIM_CLASS_LOCK, take, NULL);
	kernel_setup();
	kernel_on_finding(found);
}

static void call(struct sim_task *task, void *arg)
{
	struct body *b = arg;

	b->fn(b->arg);
}

static void program(struct sim_task *task, struct sim_act *act)
{
	struct body *b = task->user;

	*act = (struct sim_act){ .kind = b->over ? SIM_ACT_EXIT : SIM_ACT_CALL, .fn = call, .arg = b };
	b->over = true;
}

struct sim_task *world_task(const char *name, unsigned cpu, int prio, sim_time at, void (*fn)(void *arg), void *arg)
{
	struct sim_attr attr = { .policy = prio ? SIM_FIFO : SIM_NORMAL, .rt_priority = prio };
	uint64_t only[SIM_CPUSET_WORDS(SIM_CPUS_MAX)] = { 0 };
	struct sim_task *t;

	ck_assert_uint_lt(nbody, 32);
	body[nbody] = (struct body){ fn, arg, false };
	only[cpu / 64] = UINT64_C(1) << (cpu % 64);
	t = sim_task_create(name, &attr, cpu, only, program, &body[nbody++]);
	kernel_task_init(t);
	sim_task_start(t, at);
	return t;
}

struct sim_task *world_irq(unsigned cpu, sim_time at, void (*fn)(void *arg), void *arg)
{
	struct sim_task *t;

	body[nbody] = (struct body){ fn, arg, false };
	t = sim_irq_create("irq", cpu, at, 0, program, &body[nbody++]);
	kernel_task_init(t);
	return t;
}

void world_run(sim_time until)
{
	sim_machine_run(until, true);
}

void world_close(void)
{
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
}
