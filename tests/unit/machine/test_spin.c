// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spin elision is exact: random programs of spinners, writers, ticks and preemptions give
 * the same times, polled and parked. Each task logs (time, what it saw) at every step.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/machine/machine.h"

#define TASKS 12
#define WORDS 4
#define LOG 4096

static uint64_t *word[WORDS];
static struct entry {
	sim_time at;
	uint64_t task;
	uint64_t what;
} log_of[2][LOG];
static unsigned logged, pass;
static uint64_t key;

static void note(uint64_t what)
{
	ck_assert_uint_lt(logged, LOG);
	log_of[pass][logged++] = (struct entry){ sim->now, sim_current()->id, what };
}

static uint64_t load(uint64_t *w)
{
	return sim_access(SIM_LOAD, w, 8, 0, 0);
}

/* Loops of several shapes, as lock algorithms have them. */
static void spin_plain(uint64_t *w, uint64_t until)
{
	while (load(w) < until)
		sim_relax(SIM_SPIN_PLAIN);
}

static void spin_two(uint64_t *a, uint64_t *b, uint64_t until)
{
	while (load(a) < until && load(b) < until)
		sim_relax(SIM_SPIN_PLAIN);
}

static void spin_need_resched(uint64_t *a, uint64_t *b, uint64_t until)
{
	for (;;) {
		if (load(a) >= until || sim_need_resched())
			return;
		if (load(b) >= until)
			return;
		sim_relax(SIM_SPIN_PLAIN);
	}
}

static void spin_counted(uint64_t *w, uint64_t until, unsigned turns)
{
	for (unsigned i = 0; i < turns && load(w) < until; i++)
		sim_relax(SIM_SPIN_PLAIN);
}

static void spin_clock(uint64_t *w, uint64_t until, sim_time end)
{
	while (load(w) < until && sim_clock() < end)
		sim_relax(SIM_SPIN_PLAIN);
}

static void spin_declared(uint64_t *w, uint64_t until)
{
	sim_spin_begin(SIM_SPIN_SAME);
	while (load(w) < until)
		sim_relax(SIM_SPIN_SAME);
}

static void spin_declared_counted(uint64_t *w, uint64_t until, unsigned turns)
{
	sim_spin_begin(SIM_SPIN_LOADS);
	for (unsigned i = 0; i < turns && load(w) < until; i++)
		sim_relax(SIM_SPIN_LOADS);
}

/* As a lock waits for its owner to go off its CPU: two words, and a reschedule. */
static void spin_declared_owner(uint64_t *a, uint64_t *b, uint64_t until)
{
	sim_spin_begin(SIM_SPIN_SAME);
	while (load(a) < until) {
		if (load(b) >= until || sim_need_resched())
			return;
		sim_relax(SIM_SPIN_SAME);
	}
}

/* A spin that is not declared, with one in it that is; it may end at its first look. */
static void spin_within(uint64_t *a, uint64_t *b, uint64_t until)
{
	while (load(a) < until) {
		spin_declared(b, until - 1);
		sim_relax(SIM_SPIN_PLAIN);
	}
}

struct prog {
	unsigned step;
	unsigned id;
};

static void op(struct sim_task *task, void *arg)
{
	struct prog *p = arg;
	uint64_t u = sim_draw(key, p->id, p->step);
	uint64_t *a = word[u % WORDS], *b = word[u / 7 % WORDS];
	uint64_t until = load(a) + 1 + u / 64 % 2;
	bool pinned = u / 1024 % 3;

	if (pinned)
		task->preempt_count++;
	switch (u / 4096 % 12) {
	case 0:
		spin_plain(a, until);
		break;
	case 1:
		spin_two(a, b, until);
		break;
	case 2:
		spin_need_resched(a, b, until);
		break;
	case 3:
		spin_counted(a, until, 5 + u / 16384 % 500);
		break;
	case 4:
		spin_clock(a, until, sim->now + (u / 16384 % 5000) * SIM_NS);
		break;
	case 5:
		spin_declared(a, until);
		break;
	case 6:
	case 7:
		sim_access(SIM_ADD, a, 8, 1, 0);
		break;
	case 8:
		sim_access(SIM_STORE, b, 8, load(b) + 1, 0);
		break;
	case 9:
		spin_declared_owner(a, b, until);
		break;
	case 11:
		spin_declared_counted(a, until, u / 16384 % 2 ? 5 + u / 32768 % 500 : UINT_MAX);
		break;
	case 10:
		spin_within(a, b, until);
		break;
	}
	if (pinned) {
		task->preempt_count--;
		sim_preempt_point();
	}
	note(u);
}

static void program(struct sim_task *task, struct sim_act *act)
{
	struct prog *p = task->user;
	uint64_t u = sim_draw(key, 1000 + p->id, ++p->step);

	if (p->step > 60) {
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	} else if (p->step % 3 == 0) {
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = u % 3000 * (u / 8192 % 2 ? SIM_NS : 1000) };
	} else if (p->step % 7 == 0) {
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + u % 9000 * SIM_NS };
	} else {
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = op, .arg = p };
	}
}

/* Keeps every word moving until the run is over, so that no spin is without end. */
static void mover(struct sim_task *task, struct sim_act *act)
{
	struct prog *p = task->user;

	if (++p->step > 12000)
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (p->step % 2)
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = sim_draw(key, 7, p->step) % 4000 * SIM_NS };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = NULL, .arg = p };
	if (act->kind == SIM_ACT_CALL) {
		extern void move(struct sim_task *, void *);
		act->fn = move;
	}
}

void move(struct sim_task *task, void *arg);
void move(struct sim_task *task, void *arg)
{
	struct prog *p = arg;

	sim_access(SIM_ADD, word[p->step / 2 % WORDS], 8, 1, 0);
}

static void random_costs(struct sim_config *cfg)
{
	for (unsigned o = 0; o < SIM_OPC_COUNT; o++)
		for (unsigned d = 0; d < SIM_DIST_COUNT; d++) {
			for (unsigned s = 0; s < SIM_LSTATE_COUNT; s++)
				cfg->costs.lat[o][s][d] = d ? 20 * SIM_NS * d + sim_draw(key, 50 + o, d * 3 + s) % 9000 :
							      sim_draw(key, 60, 0) % 3 * 700;
			cfg->costs.occ[o][d] = sim_draw(key, 70 + o, d) % 3 * 4 * SIM_NS;
		}
	for (unsigned i = 0; i < SIM_SCALAR_COUNT; i++)
		cfg->costs.scalar[i] = sim_draw(key, 80, i) % 2 * (sim_draw(key, 81, i) % 900) * SIM_NS;
	cfg->costs.scalar[SIM_COST_relax] = (1 + sim_draw(key, 82, 0) % 4) * SIM_NS;
	if (sim_draw(key, 83, 0) % 4 == 0) /* no costs at all: everything at one instant */
		memset(&cfg->costs, 0, sizeof(cfg->costs));
}

static uint64_t digest, polls[2];

static void take(void *user, const struct sim_rec *rec)
{
	digest = sim_digest_add(digest, rec);
}

static uint64_t run_once(bool poll)
{
	struct sim_config cfg = { .sockets = 2, .cores = 3, .threads = 1, .hz = sim_draw(key, 9, 0) % 2 ? 100000 : 1000,
				  .preempt = (enum sim_preempt)(sim_draw(key, 10, 0) % 5), .poll = poll,
				  .max_steps = 50000000 };
	static struct prog progs[TASKS + 1];
	struct sim_trace trace = { 0 };
	struct sim_choice choice;

	random_costs(&cfg);
	pass = poll;
	logged = 0;
	digest = SIM_DIGEST_SEED;
	memset(progs, 0, sizeof(progs));
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 1);
	sim_trace_subscribe(&trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK, take, NULL);
	sim_machine_create(&cfg, 0, &trace, &choice);
	for (unsigned i = 0; i < WORDS; i++)
		word[i] = sim_object_create("word", 8, i % 2);
	for (unsigned i = 0; i <= TASKS; i++) {
		uint64_t u = sim_draw(key, 20, i);
		struct sim_attr attr = { .policy = i == TASKS ? SIM_FIFO : u % 3 ? SIM_NORMAL : SIM_FIFO,
					 .rt_priority = i == TASKS ? 90 : 1 + (int)(u / 16 % 50) };
		uint64_t cpus = i == TASKS ? 1u << 5 : 1u << u / 1024 % 6;

		progs[i].id = i;
		sim_task_start(sim_task_create("t", &attr, (unsigned)__builtin_ctzll(cpus), &cpus,
					       i == TASKS ? mover : program, &progs[i]),
			       i == TASKS ? 0 : u % 5000 * SIM_NS);
	}
	sim_machine_run(4 * SIM_MS, true);
	ck_assert_int_ne(sim->why, SIM_STOP_STEPS);
	polls[poll] = sim->relaxes;
	ck_assert_int_ne(sim->why, SIM_STOP_QUIET);
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
	return digest;
}

START_TEST(parked_as_if_polled)
{
	key = sim_stream(42, "spin", (uint64_t)_i);

	uint64_t parked = run_once(false);
	unsigned n = logged;
	uint64_t polled = run_once(true);

	for (unsigned i = 0; i < n && i < logged; i++)
		if (memcmp(&log_of[0][i], &log_of[1][i], sizeof(struct entry)))
			ck_abort_msg("seed %d, entry %u: parked %llu ps task %llu, polled %llu ps task %llu", _i, i,
				     (unsigned long long)log_of[0][i].at, (unsigned long long)log_of[0][i].task,
				     (unsigned long long)log_of[1][i].at, (unsigned long long)log_of[1][i].task);
	ck_assert_uint_eq(n, logged);
	ck_assert_uint_eq(parked, polled);
	ck_assert_uint_eq(polls[0], polls[1]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("spin");
	TCase *tc = tcase_create("elision");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, parked_as_if_polled, 0, getenv("LOCKSTEP_LONG") ? 2000 : 60);
	suite_add_tcase(s, tc);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
