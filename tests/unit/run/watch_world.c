// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/run/watch_world.h"

#include "sim/machine/sched.h"

struct run_bound world;
struct scenario world_scn;
struct watch *watch;
struct run_result result;
struct sim_shared world_shared[WORLD_TASKS];
struct sim_task world_task[WORLD_TASKS];
uint64_t world_allowed[WORLD_TASKS];
struct lock_model world_model[WORLD_LOCKS];
struct run_options world_options;
sim_time world_now;

static struct bound_task tasks[WORLD_TASKS];
static struct bound_lock locks[WORLD_LOCKS];
static struct scn_task task_decl[WORLD_TASKS];

struct scn_task *world_task_decl(uint32_t task)
{
	return &task_decl[task];
}

static struct scn_lock lock_decl[WORLD_LOCKS];
static uint32_t first[WORLD_TASKS];
static uint32_t object_lock[WORLD_LOCKS];
static struct sim_trace trace;
static struct sim_source source = { .path = "world.lks" };
static struct sim_source *sources[] = { &source };
static struct sim_pos statement[8];
static const char *const task_name[WORLD_TASKS] = { "a", "b", "c", "d", "e", "f", "g", "h",
						     "i", "j", "k", "l", "m", "n", "o", "p" };
static const char *const lock_name[WORLD_LOCKS] = { "L0", "L1", "L2", "L3" };
static int running[WORLD_CPUS];

void world_reset(unsigned ntask, unsigned nlock)
{
	memset(&world_scn, 0, sizeof(world_scn));
	memset(&trace, 0, sizeof(trace));
	memset(&world_options, 0, sizeof(world_options));
	memset(lock_decl, 0, sizeof(lock_decl));
	world_now = 0;
	for (unsigned i = 0; i < WORLD_CPUS; i++)
		running[i] = IDLE;
	for (unsigned i = 0; i < 8; i++)
		statement[i] = (struct sim_pos){ &source, i + 1, 1, 1 };
	for (unsigned i = 0; i < ntask; i++) {
		first[i] = i;
		world_shared[i] = (struct sim_shared){ .prio = SIM_DEFAULT_PRIO, .normal_prio = SIM_DEFAULT_PRIO };
		world_allowed[i] = ~UINT64_C(0);
		world_task[i] = (struct sim_task){ .id = i, .allowed = &world_allowed[i], .shared = &world_shared[i],
						   .ceiling = SIM_NO_CEILING };
		world_shared[i].sim = &world_task[i];
		tasks[i] = (struct bound_task){ task_name[i], &world_task[i], (void *)&world_shared[i], i, 0 };
		task_decl[i] = (struct scn_task){ .name = task_name[i], .count = 1 };
	}
	for (unsigned i = 0; i < nlock; i++) {
		object_lock[i] = i;
		world_model[i] = (struct lock_model){ .abi = LOCK_MODEL_ABI, .name = "plain", .caps = LOCK_CAP_SHARED };
		locks[i] = (struct bound_lock){ .name = lock_name[i], .model = &world_model[i], .decl = i };
		lock_decl[i] = (struct scn_lock){ .name = lock_name[i], .count = 1, .model = "plain" };
	}
	world_scn = (struct scenario){ .task = task_decl, .ntask = ntask, .lock = lock_decl, .nlock = nlock,
				       .sources = sources, .nsources = 1 };
	world = (struct run_bound){ .scn = &world_scn, .seed = 7, .ncpus = WORLD_CPUS, .lock = locks, .nlock = nlock,
				    .lock_first = first, .task = tasks, .ntask = ntask, .task_first = first,
				    .statement = statement, .nstatement = 8, .object_lock = object_lock,
				    .nobject_lock = nlock };
}

void world_start(void)
{
	watch = watch_create(&world, &world_options);
	watch_start(watch, &trace);
	for (unsigned i = 0; i < world.ntask; i++)
		rec(SIM_REC_ARRIVE, 0, i, -1u, 0, 0);
}

void world_finish(uint64_t end)
{
	memset(&result, 0, sizeof(result));
	watch_finish(watch, end * SIM_US, true, &result);
}

void world_free(void)
{
	watch_result_clear(&result);
	watch_free(watch);
	watch = NULL;
}

/* -- records ----------------------------------------------------------------------------------- */

void at(uint64_t us)
{
	ck_assert_uint_ge(us * SIM_US, world_now);
	world_now = us * SIM_US;
}

/* @task, @obj from 0; -1 is none. */
void rec(enum sim_rec_type type, unsigned cpu, unsigned task, unsigned obj, uint32_t arg, uint64_t val)
{
	struct sim_rec r = { world_now, (uint16_t)type, (uint16_t)cpu, task + 1, obj + 1, arg, val };

	sim_trace_emit(&trace, &r);
}

static void switches(unsigned cpu, int next, enum sim_rec_state state)
{
	rec(SIM_REC_SWITCH, cpu, (unsigned)next, (unsigned)running[cpu], running[cpu] == IDLE ? 0 : state, 0);
	running[cpu] = next;
}

void runs(unsigned cpu, int task)
{
	if (running[cpu] != task)
		switches(cpu, task, SIM_STATE_PREEMPTED);
}

void sleeps(unsigned cpu, int next)
{
	switches(cpu, next, SIM_STATE_BLOCKED);
}

void exits(unsigned cpu, int next)
{
	rec(SIM_REC_EXIT, cpu, (unsigned)running[cpu], -1u, 0, 0);
	switches(cpu, next, SIM_STATE_EXITED);
}

void wakes(unsigned task)
{
	rec(SIM_REC_WAKEUP, 0, task, -1u, 0, 0);
}

void set_prio(unsigned task, int prio)
{
	int old = world_shared[task].prio;

	world_shared[task].prio = prio;
	rec(SIM_REC_PRIO, 0, task, -1u, (uint32_t)(old + 1), (uint64_t)(int64_t)(prio + 1));
}

void set_sched(unsigned task, int prio)
{
	world_shared[task].prio = world_shared[task].normal_prio = prio;
	rec(SIM_REC_SETSCHED, 0, task, -1u, (uint32_t)(prio + 1), (uint64_t)(int64_t)(prio + 1));
}

static unsigned cpu_of(unsigned task)
{
	for (unsigned i = 0; i < WORLD_CPUS; i++)
		if (running[i] == (int)task)
			return i;
	return 0;
}

void call_how(unsigned task, unsigned lock, enum lock_mode mode, unsigned how)
{
	rec(SIM_REC_CALL, cpu_of(task), task, lock, mode | how << 8, 3);
}

void call(unsigned task, unsigned lock, enum lock_mode mode)
{
	call_how(task, lock, mode, 0);
}

void grant(unsigned task, unsigned lock)
{
	rec(SIM_REC_GRANT, cpu_of(task), task, lock, watch->task[task].op_mode, 0);
}

void fails(unsigned task, unsigned lock, int error)
{
	rec(SIM_REC_FAIL, cpu_of(task), task, lock, watch->task[task].op_mode, (uint64_t)error);
}

void unlock_begin(unsigned task, unsigned lock)
{
	rec(SIM_REC_UNLOCK, cpu_of(task), task, lock, EX, 5);
}

void unlock_end(unsigned task, unsigned lock)
{
	rec(SIM_REC_UNLOCKED, cpu_of(task), task, lock, EX, 0);
}

void unlock(unsigned task, unsigned lock)
{
	unlock_begin(task, lock);
	unlock_end(task, lock);
}

void take(unsigned task, unsigned lock, enum lock_mode mode)
{
	call(task, lock, mode);
	grant(task, lock);
}

unsigned found(enum run_finding_kind kind)
{
	return watch->per_kind[kind];
}

unsigned found_any(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < RUN_FINDING_COUNT; i++)
		n += watch->per_kind[i];
	return n;
}
