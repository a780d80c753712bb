// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A storm on one reader-writer semaphore: readers and writers, fair and real-time, with
 * trylocks, killed waits and downgrades, on a machine where everything has its price and
 * wait_lock is a real spinlock. Writers are alone, nothing is broken after any operation,
 * and in the end the lock is free and the count is 0.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/kernel/host.h"
#include "sim/machine/sched.h"

#include "models/rwsem_private.h"

extern const struct lock_model lock_model_rwsem, lock_model_qspinlock;

#define CPUS 6
#define TASKS 14
#define ROUNDS 150

static struct storm {
	struct rw_semaphore *sem;
	struct sim_task *tasks[TASKS];
	unsigned readers, writers; /* inside */
	unsigned done, killed, busy, together;
	unsigned long events[16];
} storm;

static struct member {
	uint64_t stream, draws;
	unsigned step, rounds;
	bool inside;
	struct lock_req req;
} members[TASKS];

static unsigned draw(struct member *m, unsigned n)
{
	return (unsigned)(sim_draw(m->stream, m->draws++, 0) % n);
}

static void check_lock(void)
{
	const char *broken = lock_model_rwsem.broken(storm.sem);

	if (broken)
		ck_abort_msg("at %llu ps: %s", (unsigned long long)sim->now, broken);
	ck_assert_uint_le(storm.writers, 1);
	ck_assert(!storm.writers || !storm.readers);
}

static void get_in(struct sim_task *task, void *arg)
{
	struct member *m = arg;
	int ret;

	m->req.mode = draw(m, 3) ? LOCK_SHARED : LOCK_EXCLUSIVE;
	m->req.how = draw(m, 3) ? 0 : LOCK_KILLABLE;
	m->req.timeout = SIM_NEVER;
	if (!draw(m, 10))
		m->req.how |= LOCK_TRY;
	memset(m->req.hold, 0, lock_model_rwsem.hold_size);
	kernel_op_enter(1);
	ret = lock_model_rwsem.lock(storm.sem, &m->req);
	kernel_op_leave();
	task->sigpending = task->sigfatal = false;
	storm.killed += ret == -EINTR;
	storm.busy += ret == -EBUSY;
	m->inside = !ret;
	if (!ret && m->req.mode == LOCK_SHARED)
		storm.together += ++storm.readers > 1;
	else if (!ret)
		storm.writers++;
	check_lock();
}

static void get_out(struct sim_task *task, void *arg)
{
	struct member *m = arg;

	if (!m->inside)
		return;
	m->inside = false;
	if (m->req.mode == LOCK_SHARED)
		storm.readers--;
	else
		storm.writers--;
	kernel_op_enter(1);
	lock_model_rwsem.unlock(storm.sem, &m->req);
	kernel_op_leave();
	check_lock();
}

/* A writer becomes a reader; others kill somebody. */
static void turn(struct sim_task *task, void *arg)
{
	struct member *m = arg;

	if (m->inside && m->req.mode == LOCK_EXCLUSIVE && draw(m, 2)) {
		storm.writers--;
		storm.readers++;
		m->req.mode = LOCK_SHARED;
		kernel_op_enter(1);
		lock_model_rwsem.downgrade(storm.sem, &m->req);
		kernel_op_leave();
		check_lock();
	} else if (!draw(m, 4)) {
		struct sim_task *victim = storm.tasks[draw(m, TASKS)];

		if (!victim->exited)
			sim_signal(victim, true);
	}
}

static void program(struct sim_task *task, struct sim_act *act)
{
	static void (*const calls[])(struct sim_task *, void *) = { get_in, turn, get_out };
	struct member *m = task->user;
	unsigned step = m->step++ % 6;

	if (m->rounds == ROUNDS) {
		storm.done++;
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	} else if (step == 5) {
		m->rounds++;
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + draw(m, 20) * SIM_US };
	} else if (step % 2) {
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = (1 + draw(m, 8)) * SIM_US };
		if (!draw(m, 50)) /* long enough for hand-offs */
			act->t = 6 * SIM_MS;
	} else {
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = calls[step / 2], .arg = m };
	}
}

static void take(void *user, const struct sim_rec *rec)
{
	uint64_t *digest = user;

	*digest = sim_digest_add(*digest, rec);
	if (rec->type == SIM_REC_EVENT && rec->obj)
		storm.events[rec->arg] += rec->val;
}

static void create_tasks(uint64_t seed)
{
	static char names[TASKS][8];

	for (unsigned i = 0; i < TASKS; i++) {
		struct sim_attr attr = { .policy = SIM_NORMAL };

		if (i % 5 == 4)
			attr = (struct sim_attr){ .policy = SIM_FIFO, .rt_priority = 1 + (int)i };
		snprintf(names[i], sizeof(names[i]), "T%u", i);
		members[i] = (struct member){ .stream = sim_stream(seed, "storm", i) };
		members[i].req.hold = sim_object_create("hold", lock_model_rwsem.hold_size, 0);
		storm.tasks[i] = sim_task_create(names[i], &attr, i % CPUS, NULL, program, &members[i]);
		kernel_task_init(storm.tasks[i]);
		sim_task_start(storm.tasks[i], i * SIM_US);
	}
}

static uint64_t blow_once(uint64_t seed, bool poll)
{
	struct sim_config cfg = { .sockets = 2, .cores = CPUS / 2, .threads = 1, .hz = 1000 };
	uint64_t params[8];
	uint64_t digest = SIM_DIGEST_SEED;
	struct sim_trace trace = { 0 };
	struct sim_choice choice;

	for (unsigned i = 0; lock_model_rwsem.params[i].name; i++)
		params[i] = lock_model_rwsem.params[i].fallback;
	storm = (struct storm){ 0 };
	cfg.preempt = seed % 2 ? SIM_PREEMPT_FULL : SIM_PREEMPT_NONE;
	cfg.poll = poll;
	cfg.costs.scalar[SIM_COST_relax] = 4 * SIM_NS;
	ck_assert(sim_cost_set(&cfg.costs, "line", 40 * SIM_NS));
	ck_assert(sim_cost_set(&cfg.costs, "hit", SIM_NS));
	ck_assert(sim_cost_set(&cfg.costs, "ipi", 300 * SIM_NS));
	ck_assert(sim_cost_set(&cfg.costs, "context_switch", 700 * SIM_NS));
	ck_assert(sim_cost_set(&cfg.costs, "wake", 200 * SIM_NS));
	sim_trace_subscribe(&trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK, take, &digest);
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 0);
	sim_machine_create(&cfg, kernel_task_bytes(), &trace, &choice);
	kernel_setup();
	kernel_rawspin(&lock_model_qspinlock);
	storm.sem = sim_object_create("sem", lock_model_rwsem.size, 0);
	lock_model_rwsem.init(storm.sem, params);
	kernel_lock_bind(storm.sem, lock_model_rwsem.size, 1);
	create_tasks(seed);
	sim_machine_run(100 * SIM_S, true);
	ck_assert_uint_eq(storm.done, TASKS);
	ck_assert_int_eq(storm.sem->count.counter, 0);
	check_lock();
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
	return digest;
}

/* The storm reaches every counter but two; with spins polled every record is the same. */
START_TEST(readers_and_writers)
{
	uint64_t elided = blow_once((uint64_t)_i + 1, false);

	ck_assert_uint_gt(storm.together, 0);
	ck_assert_uint_gt(storm.busy, 0);
	ck_assert_uint_gt(storm.killed, 0);
	for (unsigned i = 0; lock_model_rwsem.events[i]; i++) {
		const char *rare[] = { "rwsem_rlock_handoff", "rwsem_rlock_fast" };

		if (strcmp(lock_model_rwsem.events[i], rare[0]) && strcmp(lock_model_rwsem.events[i], rare[1]))
			ck_assert_msg(storm.events[i], "%s never happened", lock_model_rwsem.events[i]);
	}
	if (_i == 0)
		ck_assert_uint_eq(elided, blow_once((uint64_t)_i + 1, true));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem storm");
	TCase *tc = tcase_create("storm");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, readers_and_writers, 0, 6);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
