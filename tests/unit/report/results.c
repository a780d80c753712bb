// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/report/results.h"

#include <stdio.h>
#include <string.h>

static void fill_waits(struct run_dist *d, sim_time step, unsigned n)
{
	memset(d, 0, sizeof(*d));
	for (unsigned i = 1; i <= n; i++)
		run_dist_add(d, i * step);
}

static struct run_lock *one_lock(const char *model, sim_time step)
{
	static struct run_lock locks[4];
	static unsigned used;
	struct run_lock *l = &locks[used++ % 4];

	memset(l, 0, sizeof(*l));
	l->name = "bus";
	l->model = model;
	l->acquisitions[0] = 10;
	l->contended[0] = 3;
	l->sleeps = l->wakeups = 3;
	fill_waits(&l->wait[0], step, 10);
	fill_waits(&l->hold[0], SIM_MS, 10);
	return l;
}

static void set_task(struct run_task *t, const char *name, uint32_t group, sim_time run)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->group = group;
	t->run = run;
	t->finish = SIM_NEVER;
	t->result = -1;
	t->switches = 7;
}

static struct run_result *base(struct run_result *r, const char *model, sim_time step)
{
	static struct run_task tasks[2];
	static struct run_cpu cpu = { 100 * SIM_MS, 400 * SIM_MS, 0, 14 };
	static const char *oracle[] = { "mutual-exclusion", "fifo" };
	static bool watched[] = { true, false };

	set_task(&tasks[0], "meteo", 0, 23 * SIM_MS);
	set_task(&tasks[1], "distribution", 1, 77 * SIM_MS);
	tasks[1].blocked = 33 * SIM_MS;
	*r = (struct run_result){
		.scenario = "pathfinder", .path = "pi/pathfinder.lks", .machine = "zero 1x1x1, preempt full, 1000 Hz",
		.seed = 1, .end = RUN_END_TIME, .until = 500 * SIM_MS, .digest = UINT64_C(0x0123456789abcdef), .records = 42,
		.lock = one_lock(model, step), .nlock = 1, .task = tasks, .ntask = 2, .cpu = &cpu, .ncpu = 1,
		.oracle = oracle, .oracle_watched = watched, .noracle = 2,
	};
	return r;
}

struct run_result *result_small(void)
{
	static struct run_result r;
	static struct run_verdict v[2];

	base(&r, "rtmutex", SIM_MS);
	v[0] = (struct run_verdict){ "no deadlock", "pi/pathfinder.lks", 18, true, NULL };
	v[1] = (struct run_verdict){ "wait distribution bus max <= 5ms", "pi/pathfinder.lks", 19, false,
				     (char *)"10ms at 40ms" };
	r.verdict = v;
	r.nverdict = 2;
	return &r;
}

struct run_result *result_compared(void)
{
	static struct run_result r, other;
	static struct run_compare c;

	base(&r, "rtmutex", SIM_MS);
	base(&other, "mutex", 2 * SIM_MS);
	c = (struct run_compare){ .lock = "bus", .model = "mutex", .label = "mutex", .result = &other };
	r.compare = &c;
	r.ncompare = 1;
	return &r;
}

struct run_result *result_wide(void)
{
	static struct run_result r;
	static struct run_task tasks[160];
	static char names[160][16];
	static struct run_cpu cpus[80];
	static struct run_lock lock;
	static const char *const event_name[] = { "rwsem_rlock_steal", "rwsem_wake_reader", "rwsem_never", NULL };
	static uint64_t event[] = { 12, 34, 0 };

	for (unsigned i = 0; i < 160; i++) {
		snprintf(names[i], sizeof(names[i]), "worker[%u]", i);
		set_task(&tasks[i], names[i], 0, (100 + i) * SIM_US);
		tasks[i].instance = i;
		tasks[i].done = 1000 + i;
	}
	for (unsigned i = 0; i < 80; i++)
		cpus[i] = (struct run_cpu){ .busy = (50 + i % 3) * SIM_US, .idle = SIM_US };
	lock = (struct run_lock){ .name = "mm", .model = "rwsem", .acquisitions = { 100, 900 }, .contended = { 50, 9 },
				  .event_name = event_name, .event = event, .transfers = { 0, 0, 0, 400, 1600, 0 } };
	fill_waits(&lock.wait[0], SIM_US, 100);
	fill_waits(&lock.wait[1], SIM_NS, 900);
	r = (struct run_result){
		.scenario = "whack", .path = "whack.lks", .machine = "westmere-ex-8s 8x10x1, preempt none, 1000 Hz",
		.seed = 7, .from = 10 * SIM_US, .until = 110 * SIM_US, .has_throughput = true, .throughput_milli = 1234567,
		.lock = &lock, .nlock = 1, .task = tasks, .ntask = 160, .cpu = cpus, .ncpu = 80, .accounted = true,
	};
	lock.piece[RUN_PIECE_holder] = 3 * SIM_US;
	lock.piece[RUN_PIECE_hand_over] = SIM_US;
	tasks[3].piece[RUN_PIECE_holder] = 3 * SIM_US;
	tasks[3].piece[RUN_PIECE_hand_over] = SIM_US;
	return &r;
}
