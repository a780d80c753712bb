/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small machine for tests of the machine: tasks whose programs are arrays of acts. */
#ifndef TESTS_UNIT_MACHINE_BENCH_H
#define TESTS_UNIT_MACHINE_BENCH_H

#include <check.h>
#include <string.h>

#include "sim/machine/machine.h"

#define US(n) ((sim_time)(n) * SIM_US)
#define NS(n) ((sim_time)(n) * SIM_NS)

struct script {
	unsigned n, next;
	struct sim_act act[24];
	sim_time began[24]; /* when each act began */
};

static struct sim_trace bench_trace;
static struct sim_choice bench_choice;
static struct sim_rec bench_rec[4096];
static unsigned bench_recs;

static inline void bench_take(void *user, const struct sim_rec *rec)
{
	(void)user;
	if (bench_recs < 4096)
		bench_rec[bench_recs++] = *rec;
}

static inline void bench_program(struct sim_task *task, struct sim_act *act)
{
	struct script *s = task->user;

	if (s->next == s->n) {
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
		s->next = task->is_irq ? 0 : s->n;
		return;
	}
	s->began[s->next] = sim->now;
	*act = s->act[s->next++];
}

static inline void bench_start(const struct sim_config *cfg)
{
	memset(&bench_trace, 0, sizeof(bench_trace));
	bench_recs = 0;
	sim_choice_init(&bench_choice, SIM_CHOICE_FIXED, 1);
	sim_trace_subscribe(&bench_trace, SIM_CLASS_REPORT, bench_take, NULL);
	sim_machine_create(cfg, 0, &bench_trace, &bench_choice);
}

static inline void bench_end(void)
{
	sim_machine_destroy(sim);
	sim_choice_finish(&bench_choice);
}

/* A FIFO (@prio > 0) or nice-0 task pinned to @cpu, arriving at @at. */
static inline struct sim_task *bench_task(const char *name, unsigned cpu, int prio, sim_time at, struct script *s)
{
	struct sim_attr attr = { .policy = prio ? SIM_FIFO : SIM_NORMAL, .rt_priority = prio };
	uint64_t set[SIM_CPUS_MAX / 64] = { 0 };
	struct sim_task *t;

	set[cpu / 64] |= UINT64_C(1) << cpu % 64;
	t = sim_task_create(name, &attr, cpu, set, bench_program, s);
	sim_task_start(t, at);
	return t;
}

/* The first record of @type for task @t (NULL: any) at or after @from; NULL: none. */
static inline const struct sim_rec *bench_find(enum sim_rec_type type, const struct sim_task *t, sim_time from)
{
	for (unsigned i = 0; i < bench_recs; i++)
		if (bench_rec[i].type == type && bench_rec[i].time >= from && (!t || bench_rec[i].task == t->id + 1))
			return &bench_rec[i];
	return NULL;
}

#define RUN(d) { .kind = SIM_ACT_RUN, .t = (d) }
#define CALL(f, a) { .kind = SIM_ACT_CALL, .fn = (f), .arg = (a) }
#define SLEEP(t_) { .kind = SIM_ACT_SLEEP, .t = (t_) }

static inline int bench_main(const char *name, void (*add)(TCase *tc))
{
	Suite *s = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 60);
	add(tc);
	suite_add_tcase(s, tc);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
