// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storms: random tasks on a priced machine with ticks, preemption, real-time intruders and
 * signals, over every small model. Whatever happens: nobody is inside together, everybody
 * finishes, the lock is free and whole in the end, FIFO locks serve in the order in which
 * waiters announced themselves and list them so, and polling gives the very same run.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/kernel/host.h"
#include "sim/machine/machine.h"
#include "sim/model.h"

#define TASKS 14
#define LOOPS 40
#define U SIM_US

#define MODELS(X)                                                                                  \
	X(mutex, NULL, SIM_PREEMPT_FULL) X(mutex, &lock_model_ticket, SIM_PREEMPT_VOLUNTARY)       \
	X(mutex, &lock_model_qspinlock, SIM_PREEMPT_FULL) X(mutex, &lock_model_tas, SIM_PREEMPT_NONE) \
	X(semaphore, &lock_model_qspinlock, SIM_PREEMPT_FULL) X(fifo, &lock_model_ticket, SIM_PREEMPT_FULL) \
	X(osq, NULL, SIM_PREEMPT_FULL) X(osq, NULL, SIM_PREEMPT_NONE) X(tas, NULL, SIM_PREEMPT_FULL) \
	X(ticket, NULL, SIM_PREEMPT_FULL) X(mcs, NULL, SIM_PREEMPT_FULL) X(qspinlock, NULL, SIM_PREEMPT_LAZY) \
	X(qspinlock, NULL, SIM_PREEMPT_NONE)

/* The same under several settings: "name=value …", ended by NULL. */
#define VARIED(X)                                                                                  \
	X(mutex_2_6_16, NULL, SIM_PREEMPT_FULL, NULL)                                              \
	X(mutex_2_6_30, &lock_model_ticket, SIM_PREEMPT_FULL, "", "owner_change=1")                \
	X(mutex_3_10, &lock_model_ticket, SIM_PREEMPT_FULL, "", "once_more=1 osq=1 extra_resched=1") \
	X(mutex_3_13, &lock_model_ticket, SIM_PREEMPT_FULL, "", "can_spin_resched=1", "queue_once=1", "unlock_early=1", \
	  "osq=1", "extra_resched=1", "wake_q=1 keep_spinning=1")                                  \
	X(cna, NULL, SIM_PREEMPT_FULL, "", "shuffle_reduction=1", "threshold=1")                   \
	X(cohort_ticket, NULL, SIM_PREEMPT_FULL, "", "pass_bound=1")                               \
	X(hqlock, NULL, SIM_PREEMPT_FULL, "", "fairness=0", "fairness=2")                          \
	X(futex, &lock_model_qspinlock, SIM_PREEMPT_VOLUNTARY, "", "pthread=1", "pthread=1 adaptive=1") \
	X(futex_rt, &lock_model_qspinlock, SIM_PREEMPT_RT, "", "pthread=1", "pthread=1 adaptive=1") \
	X(futex_pp, &lock_model_qspinlock, SIM_PREEMPT_FULL, "", "ceiling=60", "ceiling=99")       \
	X(futex_pi, &lock_model_qspinlock, SIM_PREEMPT_FULL, "", "robust=1")                       \
	X(fmlp, &lock_model_qspinlock, SIM_PREEMPT_FULL, "")                                       \
	X(pcp, &lock_model_ticket, SIM_PREEMPT_FULL, "", "ceiling=99")                             \
	X(mutex_4_10, &lock_model_ticket, SIM_PREEMPT_FULL, "", "pickup=1", "handoff=0")           \
	X(mutex_3_15, &lock_model_qspinlock, SIM_PREEMPT_FULL, "", "keep_spinning=1", "keep_spinning=1 wake_q=1", \
	  "queue_once=0")

#define X(name, raw, preempt) extern const struct lock_model lock_model_##name;
MODELS(X)
#undef X
#define X(name, raw, preempt, ...) extern const struct lock_model lock_model_##name;
VARIED(X)
#undef X

static const struct setup {
	const struct lock_model *model, *raw;
	enum sim_preempt preempt;
	const char *params[8];
} setups[] = {
#define X(name, raw, preempt) { &lock_model_##name, raw, preempt, { NULL } },
	MODELS(X)
#undef X
#define X(name, raw, preempt, ...) { &lock_model_##name, raw, preempt, { __VA_ARGS__ } },
	VARIED(X)
#undef X
};

struct storm_task {
	unsigned id, step, got, failed;
	void *hold;
	struct sim_task *sim;
};

static const struct setup *now;
static struct storm_task task[TASKS];
static void *lock;
static uint64_t key, digest;
static unsigned inside, findings, queue_len, overtaken;
static unsigned queued, listed; /* waiters by records and by view(), of all storms of a setup */
static uint64_t event[32]; /* of all storms of a setup */
static uint32_t queue[TASKS];
static struct sim_trace trace;
static struct sim_choice choice;

/*
 * What view() lists against the queue by records. It may know fewer at the front (somebody's place is not known
 * to it yet), and one at the end whose record is still to come.
 */
static void compare_view(void)
{
	struct lock_view_task waiter[TASKS];
	struct lock_view view = { .waiters = waiter, .waiters_room = TASKS };
	unsigned known = 0, at;

	now->model->view(lock, &view);
	ck_assert_uint_le(view.nwaiters, TASKS);
	queued += queue_len;
	if (view.nwaiters && !waiter[0].task) { /* tickets carry no names */
		listed += view.nwaiters < queue_len ? view.nwaiters : queue_len;
		return;
	}
	for (unsigned i = 0; i < view.nwaiters; i++)
		for (unsigned k = 0; k < queue_len; k++)
			known += waiter[i].task == (const void *)sim->tasks[queue[k] - 1]->shared;
	at = queue_len - known;
	for (unsigned i = 0; i < known; i++)
		ck_assert_ptr_eq(waiter[i].task, (const void *)sim->tasks[queue[at + i] - 1]->shared);
	listed += known;
}

static void take(void *user, const struct sim_rec *rec)
{
	digest = sim_digest_add(digest, rec);
	if (rec->type == SIM_REC_EVENT)
		event[rec->arg] += rec->val;
	if (rec->type != SIM_REC_CONTENTION || !(now->model->caps & LOCK_CAP_FIFO))
		return;
	if (rec->arg == 0) {
		ck_assert_uint_lt(queue_len, TASKS);
		queue[queue_len++] = rec->task;
		return;
	}
	overtaken += rec->val == 0 && queue[0] != rec->task;
	for (unsigned i = 0; i < queue_len; i++)
		if (queue[i] == rec->task) {
			memmove(&queue[i], &queue[i + 1], (queue_len - i - 1) * sizeof(queue[0]));
			queue_len--;
			compare_view();
			return;
		}
	ck_abort_msg("a wait ends that never began");
}

static void found(int kind, const char *text)
{
	findings++;
}

static void critical(struct sim_task *t, void *arg)
{
	struct storm_task *s = arg;
	uint64_t u = sim_draw(key, s->id, s->step);
	unsigned signals = now->model->caps & LOCK_CAP_SIGNAL;
	struct lock_req req = { .timeout = SIM_NEVER, .hold = s->hold };

	if (u % 7 == 0 && (now->model->caps & LOCK_CAP_TRY))
		req.how = LOCK_TRY;
	else if (u % 5 == 0 && signals)
		req.how = LOCK_INTERRUPTIBLE;
	if (u % 11 == 0 && (now->model->caps & LOCK_CAP_TIMEOUT))
		req.timeout = u / 64 % 40 * U;
	if (s->hold)
		memset(s->hold, 0, now->model->hold_size);
	t->kernel_mode += !(now->model->caps & LOCK_CAP_USER);
	kernel_op_enter(1);
	if (now->model->lock(lock, &req)) {
		s->failed++;
		ck_assert(req.how || req.timeout != SIM_NEVER || now->model == &lock_model_osq);
	} else {
		ck_assert_uint_eq(inside++, 0);
		sim_spend(u / 128 % 3000 * SIM_NS);
		ck_assert_uint_eq(--inside, 0);
		now->model->unlock(lock, &req);
		s->got++;
	}
	kernel_op_leave();
	t->kernel_mode -= !(now->model->caps & LOCK_CAP_USER);
	t->sigpending = false;
}

static void program(struct sim_task *t, struct sim_act *act)
{
	struct storm_task *s = t->user;
	uint64_t u = sim_draw(key, 100 + s->id, ++s->step);

	if (s->step > 2 * LOOPS)
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (s->step % 2)
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = critical, .arg = s };
	else if (u % 6 == 0)
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + u / 8 % 20000 * SIM_NS };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = u / 8 % 5000 * SIM_NS };
}

/* Comes and goes at real-time priority, and signals somebody. */
static void poke(struct sim_task *t, void *arg)
{
	struct storm_task *s = arg;

	if (!task[s->step % TASKS].sim->exited)
		sim_signal(task[s->step % TASKS].sim, false);
}

static void intruder(struct sim_task *t, struct sim_act *act)
{
	struct storm_task *s = t->user;
	uint64_t u = sim_draw(key, 200 + s->id, ++s->step);

	if (s->step > 60)
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (s->step % 3 == 0)
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = poke, .arg = s };
	else if (s->step % 3 == 1)
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + u % 30000 * SIM_NS };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = u % 9000 * SIM_NS };
}

static void price(struct sim_costs *c)
{
	static const struct {
		const char *name;
		sim_time t;
	} costs[] = {
		{ "hit", 1500 }, { "line", 60 * SIM_NS }, { "load_m_hop1", 180 * SIM_NS }, { "rmw_s_hop1", 210 * SIM_NS },
		{ "relax", 5 * SIM_NS }, { "context_switch", 1200 * SIM_NS }, { "wake", 400 * SIM_NS },
		{ "ipi", 700 * SIM_NS }, { "idle_exit", 2 * SIM_US }, { "tick", 900 * SIM_NS }, { "preempt_on", 1 * SIM_NS },
	};

	memset(c, 0, sizeof(*c));
	for (unsigned i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		ck_assert(sim_cost_set(c, costs[i].name, costs[i].t));
}

static void set_params(uint64_t *value, const char *text)
{
	const struct lock_param *p = now->model->params;

	for (unsigned i = 0; p && p[i].name; i++) {
		const char *at = text ? strstr(text, p[i].name) : NULL;
		size_t len = strlen(p[i].name);

		ck_assert_uint_lt(i, 16);
		value[i] = at && at[len] == '=' ? strtoull(at + len + 1, NULL, 10) : p[i].fallback;
	}
}

static void build(bool poll, uint64_t seed, const char *params)
{
	struct sim_config cfg = { .sockets = 2, .cores = 3, .threads = 1, .preempt = now->preempt, .hz = 1000, .poll = poll };
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n" };
	struct sim_attr fair = { .policy = SIM_NORMAL }, rt = { .policy = SIM_FIFO, .rt_priority = 50 };
	static struct storm_task noise[3];
	uint64_t value[16] = { 0 };

	price(&cfg.costs);
	key = sim_stream(seed, now->model->name, 0);
	digest = SIM_DIGEST_SEED;
	inside = findings = queue_len = overtaken = 0;
	memset(&trace, 0, sizeof(trace));
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 1);
	sim_machine_create(&cfg, kernel_task_bytes(), &trace, &choice);
	sim_trace_subscribe(&trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK, take, NULL);
	kernel_setup();
	kernel_rawspin(now->raw);
	kernel_on_finding(found);
	lock = sim_object_create("L", now->model->size, 0);
	kernel_lock_bind(lock, now->model->size, 1);
	set_params(value, params);
	now->model->init(lock, value);
	for (unsigned i = 0; i < TASKS; i++) {
		task[i] = (struct storm_task){ .id = i };
		task[i].sim = sim_task_create(names[i], &fair, i % sim->ncpus, NULL, program, &task[i]);
		kernel_task_init(task[i].sim);
		if (now->model->hold_size)
			task[i].hold = sim_object_create("hold", now->model->hold_size, 0);
		sim_task_start(task[i].sim, sim_draw(key, 300, i) % 20000 * SIM_NS);
	}
	for (unsigned i = 0; i < 3; i++) {
		struct sim_task *t;

		noise[i] = (struct storm_task){ .id = i };
		t = sim_task_create("noise", &rt, 2 * i, NULL, intruder, &noise[i]);
		kernel_task_init(t);
		sim_task_start(t, 5 * U * i);
	}
}

static uint64_t storm(bool poll, uint64_t seed, const char *params)
{
	unsigned got = 0;
	struct lock_view view = { 0 };

	build(poll, seed, params);
	ck_assert_int_eq(sim_machine_run(10 * SIM_S, true), SIM_STOP_DONE);
	for (unsigned i = 0; i < TASKS; i++) {
		ck_assert_uint_eq(task[i].got + task[i].failed, LOOPS);
		got += task[i].got;
	}
	ck_assert_uint_gt(got, TASKS * LOOPS / 4);
	ck_assert_uint_eq(overtaken, 0);
	if (now->model->view)
		now->model->view(lock, &view);
	ck_assert_uint_eq(view.nowners, 0);
	ck_assert_uint_eq(view.nwaiters, 0);
	ck_assert(!now->model->broken || !now->model->broken(lock));
	ck_assert_uint_eq(findings, 0);
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
	return digest;
}

static bool is_forced_elsewhere(const char *counter)
{
	static const char *const names[] = { "node", "mutex_unlock_idle", "cna_flush", "above", "pcp_ceiling", "rtmutex_", "futex_pi_dead",
					     "futex_pi_owner_died", "futex_pi_fixup" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(counter, names[i]))
			return true;
	return false;
}

START_TEST(storms)
{
	const char *const *params;

	now = &setups[_i];
	queued = listed = 0;
	memset(event, 0, sizeof(event));
	params = now->params;
	do {
		for (uint64_t seed = 1; seed <= 6; seed++)
			ck_assert_uint_eq(storm(false, seed, *params), storm(true, seed, *params));
	} while (*params && *++params);
	if (now->model->caps & LOCK_CAP_FIFO) {
		ck_assert_uint_gt(queued, 1000);
		ck_assert_uint_gt(listed, queued / 100 * 98);
	}
	/* every counter is reached here, but for some that the golden tests force: those of nesting, … */
	for (unsigned i = 0; now->model->events && now->model->events[i]; i++)
		ck_assert_msg(event[i] || is_forced_elsewhere(now->model->events[i]), "no %s", now->model->events[i]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("storm");
	TCase *t = tcase_create("storms");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, storms, 0, (int)(sizeof(setups) / sizeof(setups[0])));
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
