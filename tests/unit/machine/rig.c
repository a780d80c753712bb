// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine/rig.h"

#define LOG_MAX 65536

struct script {
	struct op *ops;
	unsigned n, at;
};

struct sim_config rig_cfg;
struct sim_trace rig_trace;
uint64_t rig_digest;

struct sim_choice rig_choice;

static struct sim_rec log_recs[LOG_MAX];
static unsigned nlog, log_from;
static char text[1 << 20];
static sim_time ran[4096], since[SIM_CPUS_MAX];
static uint32_t on[SIM_CPUS_MAX];

void rig_config(unsigned cpus)
{
	ck_assert(sim_preset_load("zero", &rig_cfg));
	rig_cfg.cores = cpus;
	rig_cfg.seed = 1;
	rig_cfg.arena_bytes = (size_t)16 << 20;
}

static void take(void *user, const struct sim_rec *rec)
{
	(void)user;
	rig_digest = sim_digest_add(rig_digest, rec);
	if (rec->type != SIM_REC_SWITCH)
		return;
	if (on[rec->cpu] && on[rec->cpu] < 4096)
		ran[on[rec->cpu]] += rec->time - since[rec->cpu];
	on[rec->cpu] = rec->task;
	since[rec->cpu] = rec->time;
	if (nlog < LOG_MAX)
		log_recs[nlog++] = *rec;
}

void rig_start(void)
{
	memset(&rig_trace, 0, sizeof(rig_trace));
	memset(ran, 0, sizeof(ran));
	memset(on, 0, sizeof(on));
	nlog = log_from = 0;
	rig_digest = SIM_DIGEST_SEED;
	sim_trace_subscribe(&rig_trace, SIM_CLASS_SCHED, take, NULL);
	sim_choice_rewind(&rig_choice);
	sim_machine_create(&rig_cfg, 0, &rig_trace, &rig_choice);
}

void rig_stop(void)
{
	for (uint32_t i = 0; i < sim->ntasks; i++) {
		struct script *s = sim->tasks[i]->user;

		if (s)
			free(s->ops);
		free(s);
	}
	sim_machine_destroy(sim);
}

static void program(struct sim_task *task, struct sim_act *act)
{
	struct script *s = task->user;

	while (s->at < s->n) {
		const struct op *op = &s->ops[s->at++];

		switch (op->kind) {
		case RUN_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = op->t };
			return;
		case SLEEP_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + op->t };
			return;
		case UNTIL_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = op->t };
			return;
		case WAIT_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_WAIT };
			return;
		case YIELD_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_YIELD };
			return;
		case RESCHED_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_RESCHED };
			return;
		case CALL_OP:
			*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = op->fn, .arg = op->arg };
			return;
		case DO_OP:
			op->fn(task, op->arg);
			break;
		case KERNEL_OP:
			task->kernel_mode += (unsigned)op->by;
			break;
		case PREEMPT_OP:
			task->preempt_count += (unsigned)op->by;
			break;
		case LOOP_OP:
			s->at = 0;
			break;
		}
	}
	*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
}

static struct sim_task *create(const char *name, struct sim_attr attr, unsigned cpu, const uint64_t *allowed, sim_time at,
			       const struct op *ops, unsigned n)
{
	struct script *s = calloc(1, sizeof(*s));
	struct sim_task *t;

	s->ops = calloc(n ? n : 1, sizeof(*ops));
	memcpy(s->ops, ops, n * sizeof(*ops));
	s->n = n;
	t = sim_task_create(name, &attr, cpu, allowed, program, s);
	if (at != SIM_NEVER)
		sim_task_start(t, at);
	return t;
}

struct sim_task *rig_task(const char *name, struct sim_attr attr, int cpu, sim_time at, const struct op *ops, unsigned n)
{
	uint64_t set[SIM_CPUS_MAX / 64] = { 0 };

	if (cpu == ANY)
		return create(name, attr, 0, NULL, at, ops, n);
	set[cpu / 64] = UINT64_C(1) << (cpu % 64);
	return create(name, attr, (unsigned)cpu, set, at, ops, n);
}

struct sim_task *rig_task_near(const char *name, struct sim_attr attr, unsigned cpu, sim_time at, const struct op *ops,
			       unsigned n)
{
	return create(name, attr, cpu, NULL, at, ops, n);
}

enum sim_stop rig_run(sim_time until)
{
	return sim_machine_run(until, false);
}

const char *rig_log(int cpu)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = cpu >= 0 ? 0 : log_from; i < nlog; i++) {
		const struct sim_rec *r = &log_recs[i];
		const char *name = r->task ? sim->tasks[r->task - 1]->name : "-";
		char at[SIM_TIME_CHARS];

		if (cpu >= 0 && r->cpu != cpu)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s ", len ? ", " : "",
					sim_time_format(at, r->time));
		if (cpu < 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "c%u ", r->cpu);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", name);
		ck_assert_uint_lt(len, sizeof(text));
	}
	log_from = nlog;
	return text;
}

sim_time rig_ran(const struct sim_task *task)
{
	sim_time t = ran[task->id + 1];

	for (unsigned i = 0; i < sim->ncpus; i++)
		if (on[i] == task->id + 1)
			t += sim->now - since[i];
	return t;
}
