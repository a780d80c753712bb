// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replays a trace file into a watch that has no machine behind it. The names and facts of the
 * file stand in for the scenario; a record that does not fit what came before it is refused,
 * since a file may come from anywhere.
 */
#include "sim/run/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/sched.h"
#include "sim/run/bind_impl.h"
#include "sim/run/registry.h"
#include "sim/run/scene.h"
#include "sim/run/watch_impl.h"

#define CUTOFF_PRIO 1000

enum op { OP_NONE, OP_LOCK, OP_UNLOCK };

struct replay {
	const struct run_options *options;
	const struct sim_names *names;
	struct run_bound bound;
	struct bind_pool *pool;
	struct sim_trace trace;
	struct watch *watch;
	unsigned next_scene;
	sim_time now;
	struct {
		enum op op;
		uint32_t lock, holds;
	} *task; /* what the records said so far */
	uint64_t digest, records;
};

int replay_is_trace(const char *path)
{
	char magic[7] = "";
	FILE *f = fopen(path, "rb");
	size_t n;
	int error;

	if (!f)
		return -1;
	n = fread(magic, 1, sizeof(magic), f);
	error = ferror(f) ? errno : 0;
	fclose(f);
	errno = error;
	return error ? -1 : n == sizeof(magic) && !memcmp(magic, "LSTRACE", sizeof(magic));
}

/* -- facts ---------------------------------------------------------------------------------------- */

/* The text behind "key=", or NULL. */
static const char *fact(const struct sim_names *names, const char *key)
{
	size_t n = strlen(key);

	for (uint32_t i = 0; i < names->nfacts; i++)
		if (names->facts[i] && !strncmp(names->facts[i], key, n) && names->facts[i][n] == '=')
			return names->facts[i] + n + 1;
	return NULL;
}

/* "0-3,8": CPUs of a task. */
static void read_cpus(const char *text, uint64_t *set, unsigned ncpus)
{
	while (g_ascii_isdigit(*text)) {
		char *end;
		uint64_t lo = strtoull(text, &end, 10), hi = lo;

		if (*end == '-')
			hi = strtoull(end + 1, &end, 10);
		for (uint64_t c = lo; c <= hi && c < ncpus; c++)
			set[c / 64] |= UINT64_C(1) << c % 64;
		text = *end == ',' ? end + 1 : end;
	}
}

/* "task=INDEX PRIO POLICY [CPUS]", one for each task that is not plain. */
static void read_task_fact(struct replay *r, const char *text)
{
	unsigned policy = 0;
	uint32_t task;
	int prio, used = 0;

	if (sscanf(text, "%" SCNu32 " %d %u %n", &task, &prio, &policy, &used) < 3 || task >= r->names->ntasks ||
	    abs(prio) > CUTOFF_PRIO || policy > SIM_IDLE)
		return;
	r->bound.task[task].task->attr.policy = policy;
	r->bound.task[task].task->shared->prio = r->bound.task[task].task->shared->normal_prio = prio;
	if (used && text[used]) {
		r->bound.task[task].task->allowed =
			bind_alloc(r->pool, SIM_CPUSET_WORDS(r->names->ncpus) * sizeof(uint64_t));
		read_cpus(text + used, r->bound.task[task].task->allowed, r->names->ncpus);
	}
}

static void bind_replay_tasks(struct replay *r)
{
	const struct sim_names *n = r->names;
	const char *real = fact(n, "tasks");
	struct run_bound *b = &r->bound;

	b->ntask = real ? (uint32_t)MIN(strtoull(real, NULL, 10), n->ntasks) : n->ntasks;
	b->nirq = n->ntasks - b->ntask;
	b->task = bind_alloc(r->pool, (n->ntasks + 1) * sizeof(*b->task));
	for (uint32_t i = 0; i < n->ntasks; i++) {
		struct sim_task *t = bind_alloc(r->pool, sizeof(*t));
		struct sim_shared *s = bind_alloc(r->pool, sizeof(*s));

		s->prio = s->normal_prio = SIM_DEFAULT_PRIO;
		s->sim = t;
		*t = (struct sim_task){ .id = i, .shared = s, .attr = { .policy = SIM_NORMAL } };
		b->task[i] = (struct bound_task){ .name = n->task[i] ? n->task[i] : "?", .task = t,
						  .shared = (struct task_struct *)(void *)s, .decl = i };
	}
	for (uint32_t i = 0; i < n->nfacts; i++)
		if (n->facts[i] && !strncmp(n->facts[i], "task=", 5))
			read_task_fact(r, n->facts[i] + 5);
}

/* Models are those of this build by name; what an unknown one can do is unknown. */
static void bind_replay_locks(struct replay *r)
{
	const struct sim_names *n = r->names;
	struct run_bound *b = &r->bound;

	b->nlock = n->nlocks;
	b->lock = bind_alloc(r->pool, (n->nlocks + 1) * sizeof(*b->lock));
	for (uint32_t i = 0; i < n->nlocks; i++) {
		const char *name = n->lock_model && n->lock_model[i] ? n->lock_model[i] : "?";
		const struct lock_model *model = registry_find(name);
		struct lock_model *unknown;

		if (!model) {
			model = unknown = bind_alloc(r->pool, sizeof(*unknown));
			*unknown = (struct lock_model){ .abi = LOCK_MODEL_ABI, .name = name, .caps = LOCK_CAP_SHARED };
		}
		b->lock[i] = (struct bound_lock){ .name = n->lock[i] ? n->lock[i] : "?",
						   .model = model,
						   .lends = model->caps & LOCK_CAP_PI,
						   .decl = i };
	}
}

/* -- does a record fit? --------------------------------------------------------------------------- */

static bool task_fits(const struct replay *r, uint32_t task, bool may_be_none)
{
	return task ? task <= r->names->ntasks : may_be_none;
}

/* Records of a lock operation: the call before the grant, the hold before its end. */
static bool operation_fits(struct replay *r, const struct sim_rec *rec)
{
	uint32_t i = rec->task - 1, lock = rec->obj - 1;

	if (!task_fits(r, rec->task, false) || !rec->obj || lock >= r->names->nlocks)
		return false;
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_CALL:
	case SIM_REC_UNLOCK:
		if (r->task[i].op != OP_NONE || (rec->arg & 0xff) > LOCK_SHARED)
			return false;
		r->task[i].op = rec->type == SIM_REC_CALL ? OP_LOCK : OP_UNLOCK;
		r->task[i].lock = lock;
		return true;
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
	case SIM_REC_UNLOCKED:
		if (r->task[i].op != (rec->type == SIM_REC_UNLOCKED ? OP_UNLOCK : OP_LOCK) || r->task[i].lock != lock)
			return false;
		r->task[i].op = OP_NONE;
		return true;
	default:
		return true;
	}
}

static bool record_fits(struct replay *r, const struct sim_rec *rec)
{
	if (rec->time < r->now || rec->cpu >= MAX(r->names->ncpus, 1))
		return false;
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_SWITCH:
		return task_fits(r, rec->task, true) && task_fits(r, rec->obj, true) && rec->arg <= SIM_STATE_EXITED;
	case SIM_REC_WAKEUP:
	case SIM_REC_PRIO:
	case SIM_REC_SETSCHED:
	case SIM_REC_MIGRATE:
	case SIM_REC_ARRIVE:
	case SIM_REC_EXIT:
	case SIM_REC_DONE:
	case SIM_REC_JOB:
	case SIM_REC_RESULT:
		return task_fits(r, rec->task, false);
	case SIM_REC_IRQ:
	case SIM_REC_THROTTLE:
	case SIM_REC_FINDING:
		return task_fits(r, rec->task, true);
	case SIM_REC_CALL:
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
	case SIM_REC_UNLOCK:
	case SIM_REC_UNLOCKED:
	case SIM_REC_DOWNGRADE:
	case SIM_REC_BLOCK:
	case SIM_REC_EVENT:
		return operation_fits(r, rec);
	default:
		return true;
	}
}

/* -- reading -------------------------------------------------------------------------------------- */

static void scenes_before(struct replay *r, sim_time time)
{
	const struct scene_ask *ask = r->options->scene;

	for (; ask && r->next_scene < ask->n && ask->at[r->next_scene] < time; r->next_scene++)
		g_ptr_array_add(ask->scene, scene_take(r->watch, ask->at[r->next_scene]));
}

static void replay_start(struct replay *r)
{
	const struct run_options *o = r->options;
	const char *from = fact(r->names, "from");

	r->bound.trace = &r->trace;
	r->bound.ncpus = MAX(r->names->ncpus, 1);
	r->bound.from = from ? strtoull(from, NULL, 10) : 0;
	r->bound.until = SIM_NEVER;
	bind_replay_tasks(r);
	bind_replay_locks(r);
	r->task = bind_alloc(r->pool, (r->names->ntasks + 1) * sizeof(*r->task));
	r->watch = watch_create(&r->bound, o);
	watch_start(r->watch, &r->trace);
	if (o->names)
		o->names(o->listen_user, r->names);
	if (o->listen)
		sim_trace_subscribe(&r->trace, o->listen_classes, o->listen, o->listen_user);
}

/* 0, or -1 with *@why. */
static int replay_records(struct replay *r, struct sim_trace_reader *reader, const char **why)
{
	struct sim_rec rec;
	int got;

	while ((got = sim_trace_reader_next(reader, &rec, why)) == 1) {
		if (r->options->interrupted && *r->options->interrupted)
			return 0;
		if (rec.type >= SIM_REC_TYPE_COUNT || !record_fits(r, &rec)) {
			*why = "a record contradicts those before it";
			return -1;
		}
		scenes_before(r, rec.time);
		r->now = rec.time;
		r->records++;
		if (sim_rec_class_of[rec.type] & (SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK))
			r->digest = sim_digest_add(r->digest, &rec);
		sim_trace_emit(&r->trace, &rec);
	}
	return got;
}

static void replay_result(struct replay *r, struct run_result *res)
{
	const char *scenario = fact(r->names, "scenario"), *path = fact(r->names, "path"), *seed = fact(r->names, "seed"),
		   *machine = fact(r->names, "machine");

	watch_finish(r->watch, r->now, false, res);
	res->scenario = g_strdup(scenario ? scenario : "");
	res->path = g_strdup(path ? path : "");
	res->machine = g_strdup(machine ? machine : "");
	res->seed = seed ? strtoull(seed, NULL, 10) : 0;
	res->digest = r->digest;
	res->records = r->records;
	res->end = r->options->interrupted && *r->options->interrupted ? RUN_END_INTERRUPTED : RUN_END_TIME;
}

/* Names of the result outlive the reader. */
static void keep_names(struct replay *r, struct run_result *res)
{
	for (unsigned i = 0; i < res->ntask; i++)
		res->task[i].name = bind_printf(r->pool, "%s", res->task[i].name);
	for (unsigned i = 0; i < res->nlock; i++) {
		res->lock[i].name = bind_printf(r->pool, "%s", res->lock[i].name);
		res->lock[i].model = bind_printf(r->pool, "%s", res->lock[i].model);
		res->lock[i].event_name = NULL;
	}
}

struct run_result *run_replay(const char *path, const struct run_options *options, char **error)
{
	struct replay r = { .options = options, .digest = SIM_DIGEST_SEED };
	struct run_result *res = g_new0(struct run_result, 1);
	const char *why = NULL;
	struct sim_trace_reader *reader;
	int ret;

	errno = 0;
	reader = sim_trace_reader_open(path, &why);
	if (!reader) {
		*error = g_strdup_printf("%s: %s", path, why ? why : g_strerror(errno));
		g_free(res);
		return NULL;
	}
	r.names = sim_trace_reader_names(reader);
	res->memory = r.pool = g_new0(struct bind_pool, 1);
	replay_start(&r);
	ret = replay_records(&r, reader, &why);
	if (!ret) {
		scenes_before(&r, SIM_NEVER);
		replay_result(&r, res);
		keep_names(&r, res);
	} else {
		*error = g_strdup_printf("%s: %s", path, why ? why : "the file is damaged");
	}
	watch_free(r.watch);
	sim_trace_unsubscribe_all(&r.trace);
	sim_trace_reader_close(reader);
	if (!ret)
		return res;
	run_result_free(res);
	return NULL;
}
