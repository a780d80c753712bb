// SPDX-License-Identifier: GPL-2.0-or-later
/* Setting up the bench, and what can be asked afterwards. See harness.h. */
#include "tests/unit/models/harness_impl.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"

struct bench bench;

extern const struct lock_model *const __start_lock_models[], *const __stop_lock_models[];

int bench_task_by_name(const char *name)
{
	for (unsigned i = 0; i < bench.ntasks; i++)
		if (!strcmp(bench.task[i].sim->name, name))
			return (int)i;
	ck_abort_msg("no task %s", name);
	return -1;
}

int bench_lock_by_name(const char *name)
{
	for (unsigned i = 0; i < bench.nlocks; i++)
		if (!strcmp(bench.lock[i].name, name))
			return (int)i;
	ck_abort_msg("no lock %s", name);
	return -1;
}

static const struct lock_model *model_by_name(const char *name)
{
	for (const struct lock_model *const *m = __start_lock_models; m < __stop_lock_models; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	ck_abort_msg("no model %s", name);
	return NULL;
}

/* -- setting up ------------------------------------------------------------------------------- */

void bench_open(unsigned ncpus)
{
	memset(&bench, 0, sizeof(bench));
	bench.cfg = (struct sim_config){ .sockets = 1, .cores = ncpus, .threads = 1, .preempt = SIM_PREEMPT_FULL, .hz = 100 };
	bench.cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
	bench.log_time = -1000000;
}

void bench_cost(const char *name, sim_time value)
{
	ck_assert(sim_cost_set(&bench.cfg.costs, name, value));
}

void bench_preempt(enum sim_preempt model)
{
	bench.cfg.preempt = model;
}

void bench_hz(unsigned hz)
{
	bench.cfg.hz = hz;
}

void bench_poll(void)
{
	bench.cfg.poll = true;
}

void bench_rawspin(const char *model)
{
	bench.raw = model_by_name(model);
}

static void on_finding(int kind, const char *text)
{
	if (strlen(bench.findings) + strlen(text) + 3 < sizeof(bench.findings)) {
		if (bench.findings[0])
			strcat(bench.findings, "; ");
		strcat(bench.findings, text);
	}
}

void bench_start(void)
{
	if (bench.started)
		return;
	bench.started = true;
	sim_choice_init(&bench.choice, SIM_CHOICE_FIXED, 1);
	sim_machine_create(&bench.cfg, kernel_task_bytes(), &bench.trace, &bench.choice);
	sim_trace_subscribe(&bench.trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK, bench_take, NULL);
	kernel_setup();
	kernel_rawspin(bench.raw);
	kernel_on_finding(on_finding);
}

static uint64_t param_value(const struct lock_param *p, const char *params)
{
	size_t len = strlen(p->name);

	for (const char *at = params; at && (at = strstr(at, p->name)); at++)
		if (at[len] == '=' && (at == params || at[-1] == ' '))
			return strtoull(at + len + 1, NULL, 10);
	return p->fallback;
}

void *bench_lock_params(const char *name, const char *model, const char *params)
{
	struct bench_lock *l = &bench.lock[bench.nlocks++];
	uint64_t value[16] = { 0 };

	ck_assert_uint_le(bench.nlocks, LOCKS);
	bench_start();
	strncpy(l->name, name, sizeof(l->name) - 1);
	l->model = model_by_name(model);
	l->lock = sim_object_create(l->name, l->model->size, 0);
	kernel_lock_bind(l->lock, l->model->size, bench.nlocks);
	for (unsigned i = 0; l->model->params && l->model->params[i].name; i++)
		value[i] = param_value(&l->model->params[i], params);
	l->model->init(l->lock, value);
	return l->lock;
}

void *bench_lock_at(const char *name)
{
	return bench.lock[bench_lock_by_name(name)].lock;
}

static bool cpu_is_new(unsigned cpu)
{
	for (unsigned i = 0; i + 1 < bench.ntasks; i++)
		if (bench.task[i].cpu == cpu)
			return false;
	return true;
}

struct sim_task *bench_task(const char *name, unsigned cpu, int prio, int at, const char *script)
{
	struct bench_task *t = &bench.task[bench.ntasks++];
	struct sim_attr attr = { .policy = prio ? SIM_FIFO : SIM_NORMAL, .rt_priority = prio };
	uint64_t only[SIM_CPUSET_WORDS(SIM_CPUS_MAX)] = { 0 };
	sim_time early;

	ck_assert_uint_le(bench.ntasks, TASKS);
	bench_start();
	only[cpu / 64] = UINT64_C(1) << (cpu % 64);
	t->cpu = cpu;
	t->sim = sim_task_create(name, &attr, cpu, only, bench_program, t);
	kernel_task_init(t->sim);
	bench_parse(t, script);
	early = cpu_is_new(cpu) && bench.cfg.costs.nidle ? bench.cfg.costs.idle[0].exit : 0;
	sim_task_start(t->sim, ORIGIN + (sim_time)at * U - early);
	return t->sim;
}

void bench_irq(const char *name, unsigned cpu, int at, const char *script)
{
	struct bench_task *t = &bench.task[bench.ntasks++];

	ck_assert_uint_le(bench.ntasks, TASKS);
	bench_start();
	t->cpu = cpu;
	t->irq = true;
	t->sim = sim_irq_create(name, cpu, ORIGIN + (sim_time)at * U, 0, bench_program, t);
	kernel_task_init(t->sim);
	bench_parse(t, script);
}

void bench_watch(const char *lock)
{
	bench.watched = bench.lock[bench_lock_by_name(lock)].lock;
	bench.last_word = *bench.watched;
}

/* -- running ---------------------------------------------------------------------------------------------- */

void bench_run(int until)
{
	bench_start();
	sim_machine_run(ORIGIN + (sim_time)until * U, true);
}

void bench_close(void)
{
	if (getenv("BENCH_LOG"))
		fprintf(stderr, "%s\n\n", bench.log);
	sim_machine_destroy(sim);
	sim_choice_finish(&bench.choice);
	sim_trace_unsubscribe_all(&bench.trace);
}

const char *bench_grants(const char *lock)
{
	return bench.lock[bench_lock_by_name(lock)].grants;
}

int bench_granted(const char *task, unsigned nth)
{
	struct bench_task *t = &bench.task[bench_task_by_name(task)];

	return nth <= t->ngot ? t->got[nth - 1] : BENCH_NONE;
}

int bench_released(const char *task, unsigned nth)
{
	struct bench_task *t = &bench.task[bench_task_by_name(task)];

	return nth <= t->nlet ? t->let[nth - 1] : BENCH_NONE;
}

int bench_ran(const char *task, unsigned nth)
{
	struct bench_task *t = &bench.task[bench_task_by_name(task)];

	return nth <= t->nran ? t->ran[nth - 1] : BENCH_NONE;
}

int bench_result(const char *task, unsigned nth)
{
	return bench.task[bench_task_by_name(task)].result[nth - 1];
}

unsigned bench_event(const char *lock, const char *event)
{
	struct bench_lock *l = &bench.lock[bench_lock_by_name(lock)];

	for (unsigned i = 0; l->model->events && l->model->events[i]; i++)
		if (!strcmp(l->model->events[i], event))
			return l->event[i];
	ck_abort_msg("%s counts no %s", lock, event);
	return 0;
}

const char *bench_words(void)
{
	return bench.words;
}

const char *bench_log(void)
{
	return bench.log;
}

const char *bench_findings(void)
{
	return bench.findings;
}

bool bench_done(void)
{
	for (unsigned i = 0; i < bench.ntasks; i++)
		if (!bench.task[i].irq && !bench.task[i].sim->exited)
			return false;
	return true;
}
