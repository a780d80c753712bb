// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storms on every reader-writer model: readers and writers, fair and real-time, with
 * trylocks, killed waits and downgrades where the model has them, on a machine where
 * everything has its price and raw spinlocks are real. Writers are alone, nothing is broken
 * after any operation, everybody finishes, polling gives the very same run, and every
 * counter of the model is reached.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/kernel/host.h"
#include "sim/machine/sched.h"
#include "sim/model.h"

extern const struct lock_model lock_model_qspinlock;
extern const struct lock_model *const __start_lock_models[], *const __stop_lock_models[];

#define CPUS 6
#define TASKS 14
#define ROUNDS 100
#define SEEDS 4

/* Chains need a second lock, deadlocks end in one: the tests of the rt_mutex and test_rwbase.c. */
#define CHAINS "rtmutex_requeue rtmutex_wake_top rtmutex_walk rtmutex_walk_retry rtmutex_deadlock rtmutex_depth " \
	       "rtmutex_timeout rtmutex_parked "

static const struct setup {
	const char *model;
	const char *rare; /* counters that a storm need not reach: golden tests do */
	const char *flags; /* parameters that are turned over */
} setups[] = {
	{ "rwsem", "rwsem_rlock_handoff rwsem_rlock_fast" },
	{ "rwsem-spinlock-2.6", "" },
	{ "rwsem-spinlock-3.9", "" },
	{ "rwsem-spinlock-4.15", "" },
	{ "rwsem-2.6.26", "" },
	{ "rwsem-2.6.36", "" },
	{ "rwsem-3.12", "" },
	{ "rwsem-3.12-wakeup", "rwsem_wake_skipped" },
	{ "rwsem-3.16", "rwsem_wake_skipped" },
	{ "rwsem-4.2", "rwsem_wake_skipped" },
	{ "rwsem-4.8", "rwsem_wake_skipped" },
	{ "rwsem-2017-rspin", "" },
	{ "rwsem-5.4", "rwsem_rlock_handoff rwsem_rlock_fast rwsem_rlock_steal" },
	{ "rwsem-5.4", "rwsem_rlock_handoff rwsem_rlock_fast", "guard steal wake_all" },
	{ "rwsem-5.4", "rwsem_rlock_handoff rwsem_rlock_fast rwsem_opt_rlock rwsem_opt_rlock2 rwsem_opt_norspin",
	  "guard steal reader_spin" },
	{ "bravo-rwsem", "rwsem_rlock_handoff rwsem_rlock_fast bravo_read_raced bravo_read_occupied" },
	{ "percpu-rwsem", "percpu_walk_lost" },
	{ "percpu-rwsem-3.8", "" },
	{ "percpu-rwsem-4.8", "rwsem_wake_skipped" },
	{ "rwlock-x86", "" },
	/* tasks wait with preemption off, and no interrupt queues: one node is enough */
	{ "qrwlock", "qrw_read_irq qrw_write_lost lock_use_node2 lock_use_node3 lock_use_node4 lock_no_node" },
	{ "qrwlock-3.16", "qrw_read_irq qrw_write_lost lock_use_node2 lock_use_node3 lock_use_node4 lock_no_node" },
	{ "pft", "" },
	{ "tft", "" },
	{ "rwbase-5.15", CHAINS },
	{ "rwbase-6.4", CHAINS },
	{ "rwsem-rt-single", CHAINS "rtmutex_signal" },
	{ "rwsem-rt-single-nonest", CHAINS "rtmutex_signal" },
	/* of the rt_mutex it uses the queue and the walk only */
	{ "rwsem-rt-multi-2008", CHAINS "rtmutex_signal rtmutex_lock_fast rtmutex_lock_slow rtmutex_steal rtmutex_spin "
				 "rtmutex_sleep rtmutex_wake rwpi_read_nest rwpi_read_limit" },
	{ "rtrwlock", CHAINS "rtmutex_signal" },
	{ "rtrwlock-6.4", CHAINS "rtmutex_signal" },
};

static struct storm {
	const struct lock_model *model;
	void *lock;
	struct sim_task *tasks[TASKS];
	unsigned readers, writers; /* inside */
	unsigned done, together, findings;
	uint64_t got;
} storm;
static unsigned long events[32]; /* of all seeds */

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

static void found(int kind, const char *text)
{
	storm.findings++;
	fprintf(stderr, "%s: %s\n", storm.model->name, text);
}

static void check_lock(void)
{
	const char *broken = storm.model->broken ? storm.model->broken(storm.lock) : NULL;

	if (broken)
		ck_abort_msg("%s at %llu ps: %s", storm.model->name, (unsigned long long)sim->now, broken);
	ck_assert_uint_le(storm.writers, 1);
	ck_assert(!storm.writers || !storm.readers);
}

static void get_in(struct sim_task *task, void *arg)
{
	struct member *m = arg;
	unsigned caps = storm.model->caps;
	int ret;

	m->req.mode = draw(m, 3) ? LOCK_SHARED : LOCK_EXCLUSIVE;
	m->req.how = draw(m, 3) || !(caps & LOCK_CAP_SIGNAL) ? 0 : LOCK_KILLABLE;
	m->req.timeout = SIM_NEVER;
	if (!draw(m, 10) && (caps & LOCK_CAP_TRY))
		m->req.how |= LOCK_TRY;
	memset(m->req.hold, 0, storm.model->hold_size);
	kernel_op_enter(1);
	ret = storm.model->lock(storm.lock, &m->req);
	kernel_op_leave();
	ck_assert(!ret || m->req.how);
	task->sigpending = task->sigfatal = false;
	m->inside = !ret;
	if (!ret && m->req.mode == LOCK_SHARED)
		storm.together += ++storm.readers > 1;
	else if (!ret)
		storm.writers++;
	storm.got += !ret;
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
	storm.model->unlock(storm.lock, &m->req);
	kernel_op_leave();
	check_lock();
}

/* A writer becomes a reader; others kill somebody. */
static void turn(struct sim_task *task, void *arg)
{
	struct member *m = arg;

	if (m->inside && m->req.mode == LOCK_EXCLUSIVE && storm.model->downgrade && draw(m, 2)) {
		storm.writers--;
		storm.readers++;
		m->req.mode = LOCK_SHARED;
		kernel_op_enter(1);
		storm.model->downgrade(storm.lock, &m->req);
		kernel_op_leave();
		check_lock();
	} else if ((storm.model->caps & LOCK_CAP_SIGNAL) && !draw(m, 4)) {
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
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = draw(m, 8000) * SIM_NS };
		if (!draw(m, 50) && !(storm.model->caps & LOCK_CAP_SPIN)) /* long enough for hand-offs */
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
		events[rec->arg] += rec->val;
}

static void create_tasks(uint64_t seed)
{
	static char names[TASKS][8];

	for (unsigned i = 0; i < TASKS; i++) {
		struct sim_attr attr = { .policy = SIM_NORMAL };

		if (i % 5 == 4)
			attr = (struct sim_attr){ .policy = SIM_FIFO, .rt_priority = 1 + (int)i };
		snprintf(names[i], sizeof(names[i]), "T%u", i);
		members[i] = (struct member){ .stream = sim_stream(seed, storm.model->name, i) };
		if (storm.model->hold_size)
			members[i].req.hold = sim_object_create("hold", storm.model->hold_size, 0);
		storm.tasks[i] = sim_task_create(names[i], &attr, i % CPUS, NULL, program, &members[i]);
		kernel_task_init(storm.tasks[i]);
		sim_task_start(storm.tasks[i], i * SIM_US);
	}
}

/*
 * What every machine has: something else to do on every CPU now and then. It matters: a
 * spinning reader of rwsem-5.4 that finds HANDOFF set spins until a reschedule is due, and
 * may have kept, by trying, the last reader from waking the one the lock is promised to.
 */
static void noise(struct sim_task *task, struct sim_act *act)
{
	uintptr_t *step = task->user;

	if (storm.done == TASKS)
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (++*step % 2)
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = SIM_US };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + 5 * SIM_MS };
}

static void create_noise(void)
{
	static const struct sim_attr attr = { .policy = SIM_FIFO, .rt_priority = 90 };
	static uintptr_t steps[CPUS];

	for (unsigned i = 0; i < CPUS; i++) {
		uint64_t only = UINT64_C(1) << i;
		struct sim_task *t;

		steps[i] = 0;
		t = sim_task_create("noise", &attr, i, &only, noise, &steps[i]);
		kernel_task_init(t);
		sim_task_start(t, i * SIM_MS);
	}
}

static void create_lock(const char *flags)
{
	uint64_t params[16] = { 0 };

	for (unsigned i = 0; storm.model->params && storm.model->params[i].name; i++)
		params[i] = storm.model->params[i].fallback ^ (flags && strstr(flags, storm.model->params[i].name));
	storm.lock = sim_object_create("L", storm.model->size, 0);
	storm.model->init(storm.lock, params);
	kernel_lock_bind(storm.lock, storm.model->size, 1);
}

static void price(struct sim_costs *c)
{
	c->scalar[SIM_COST_relax] = 40 * SIM_NS; /* few turns: polled spins are dear */
	ck_assert(sim_cost_set(c, "line", 40 * SIM_NS));
	ck_assert(sim_cost_set(c, "hit", SIM_NS));
	ck_assert(sim_cost_set(c, "ipi", 300 * SIM_NS));
	ck_assert(sim_cost_set(c, "context_switch", 700 * SIM_NS));
	ck_assert(sim_cost_set(c, "wake", 200 * SIM_NS));
}

static uint64_t blow_once(const struct lock_model *model, const char *flags, uint64_t seed, bool poll)
{
	struct sim_config cfg = { .sockets = 2, .cores = CPUS / 2, .threads = 1, .hz = 1000, .poll = poll };
	uint64_t digest = SIM_DIGEST_SEED;
	struct sim_trace trace = { 0 };
	struct sim_choice choice;
	struct lock_view view = { 0 };

	storm = (struct storm){ .model = model };
	cfg.preempt = seed % 2 ? SIM_PREEMPT_FULL : SIM_PREEMPT_NONE;
	price(&cfg.costs);
	sim_trace_subscribe(&trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK, take, &digest);
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 0);
	sim_machine_create(&cfg, kernel_task_bytes(), &trace, &choice);
	kernel_setup();
	kernel_rawspin(&lock_model_qspinlock);
	kernel_on_finding(found);
	create_lock(flags);
	create_tasks(seed);
	create_noise();
	sim_machine_run(100 * SIM_S, true);
	model->view(storm.lock, &view);
	ck_assert_msg(storm.done == TASKS, "%s, seed %u: %u of %u finished; word %llx %s, %u owners, %u waiters",
		      model->name, (unsigned)seed, storm.done, TASKS, (unsigned long long)view.word, view.flags,
		      view.nowners, view.nwaiters);
	check_lock();
	ck_assert_uint_eq(view.nowners, 0);
	ck_assert_uint_eq(view.nwaiters, 0);
	ck_assert_uint_eq(storm.findings, 0);
	ck_assert_uint_gt(storm.got, TASKS * ROUNDS / 2);
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
	return digest;
}

static const struct lock_model *model_by_name(const char *name)
{
	for (const struct lock_model *const *m = __start_lock_models; m < __stop_lock_models; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	ck_abort_msg("no model %s", name);
	return NULL;
}

START_TEST(storms)
{
	const struct lock_model *model = model_by_name(setups[_i].model);
	const char *flags = setups[_i].flags;

	memset(events, 0, sizeof(events));
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		ck_assert_uint_eq(blow_once(model, flags, seed, false), blow_once(model, flags, seed, true));
	for (unsigned i = 0; model->events && model->events[i]; i++)
		ck_assert_msg(events[i] || strstr(setups[_i].rare, model->events[i]), "%s: no %s", model->name,
			      model->events[i]);
}
END_TEST

static bool has_storm(const char *name)
{
	for (unsigned i = 0; i < sizeof(setups) / sizeof(setups[0]); i++)
		if (!strcmp(setups[i].model, name))
			return true;
	return false;
}

/* No model that readers share goes without. */
START_TEST(all)
{
	for (const struct lock_model *const *m = __start_lock_models; m < __stop_lock_models; m++)
		if (((*m)->caps & LOCK_CAP_SHARED) && !((*m)->caps & LOCK_CAP_BUSTED))
			ck_assert_msg(has_storm((*m)->name), "no storm for %s", (*m)->name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rw-storm");
	TCase *every = tcase_create("every model");
	SRunner *runner = srunner_create(suite);
	int failed;

	/* a case of its own for each: CK_RUN_CASE=qrwlock */
	for (unsigned i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		TCase *tc = tcase_create(setups[i].model);

		tcase_set_timeout(tc, 120);
		tcase_add_loop_test(tc, storms, (int)i, (int)i + 1);
		suite_add_tcase(suite, tc);
	}
	tcase_add_test(every, all);
	suite_add_tcase(suite, every);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
