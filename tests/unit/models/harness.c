// SPDX-License-Identifier: GPL-2.0-or-later
/* See harness.h. */
#include "tests/unit/models/harness.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "sim/machine/sched.h"

#define LOCKS 8
#define TASKS 16
#define OPS 48
#define STOPS 16
#define PROBES 64
#define NOTES 4096
#define TEXT 65536
#define ORIGIN (1000 * U) /* time 0 of the scripts */

enum op_kind { OP_LOCK, OP_UNLOCK, OP_DOWNGRADE, OP_WAKEALL, OP_RUN, OP_PARK, OP_SLEEP, OP_SIGNAL, OP_PRIO };

struct op {
	enum op_kind kind;
	int lock;
	char target[16];
	unsigned mode, how;
	sim_time t;
	int value;
};

struct bench_task {
	struct sim_task *sim;
	unsigned cpu, nops, next, nresults, ngot, nlet, nran;
	struct op op[OPS];
	int result[OPS];
	int got[OPS], let[OPS], ran[OPS];
	unsigned accesses; /* of the statement in progress */
	void *hold[LOCKS];
	enum lock_mode mode[LOCKS];
	int waits;	   /* lock + 1 */
	bool irq;
};

struct bench_lock {
	char name[16];
	const struct lock_model *model;
	void *lock;
	unsigned event[64];
	char grants[1024];
};

struct stop {
	const char *task, *step; /* step NULL: an access */
	unsigned op, nth, passed;
	int until;
};

struct probe {
	struct sim_event ev;
	int lock; /* -1: call fn */
	sim_time at;
	void (*fn)(void *arg);
	void *arg;
	uint64_t word;
	bool seen;
	char text[160];
};

static struct {
	struct sim_config cfg;
	bool started;
	const struct lock_model *raw;
	struct sim_trace trace;
	struct sim_choice choice;
	struct bench_lock lock[LOCKS];
	struct bench_task task[TASKS];
	struct stop stop[STOPS];
	struct probe probe[PROBES];
	unsigned nlocks, ntasks, nstops, nprobes;
	char log[TEXT], findings[2048], words[2048];
	const uint32_t *watched;
	uint32_t last_word;
	int log_time;
	char *open[TASKS]; /* where the "RELEASES" of an unlock in progress ends in the log */
} b;

extern const struct lock_model *const __start_lock_models[], *const __stop_lock_models[];

static int unit(sim_time t)
{
	return (int)(((int64_t)t - (int64_t)ORIGIN + (int64_t)U / 2) / (int64_t)U);
}

static int task_by_name(const char *name)
{
	for (unsigned i = 0; i < b.ntasks; i++)
		if (!strcmp(b.task[i].sim->name, name))
			return (int)i;
	ck_abort_msg("no task %s", name);
	return -1;
}

static int lock_by_name(const char *name)
{
	for (unsigned i = 0; i < b.nlocks; i++)
		if (!strcmp(b.lock[i].name, name))
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
	memset(&b, 0, sizeof(b));
	b.cfg = (struct sim_config){ .sockets = 1, .cores = ncpus, .threads = 1, .preempt = SIM_PREEMPT_FULL, .hz = 100 };
	b.cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
	b.log_time = -1000000;
}

void bench_cost(const char *name, sim_time value)
{
	ck_assert(sim_cost_set(&b.cfg.costs, name, value));
}

void bench_preempt(enum sim_preempt model)
{
	b.cfg.preempt = model;
}

void bench_hz(unsigned hz)
{
	b.cfg.hz = hz;
}

void bench_poll(void)
{
	b.cfg.poll = true;
}

void bench_rawspin(const char *model)
{
	b.raw = model_by_name(model);
}

static void on_finding(int kind, const char *text)
{
	if (strlen(b.findings) + strlen(text) + 3 < sizeof(b.findings)) {
		if (b.findings[0])
			strcat(b.findings, "; ");
		strcat(b.findings, text);
	}
}

static void take(void *user, const struct sim_rec *rec);

static void start(void)
{
	if (b.started)
		return;
	b.started = true;
	sim_choice_init(&b.choice, SIM_CHOICE_FIXED, 1);
	sim_machine_create(&b.cfg, kernel_task_bytes(), &b.trace, &b.choice);
	sim_trace_subscribe(&b.trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK, take, NULL);
	kernel_setup();
	kernel_rawspin(b.raw);
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
	struct bench_lock *l = &b.lock[b.nlocks++];
	uint64_t value[16] = { 0 };

	ck_assert_uint_le(b.nlocks, LOCKS);
	start();
	strncpy(l->name, name, sizeof(l->name) - 1);
	l->model = model_by_name(model);
	l->lock = sim_object_create(l->name, l->model->size, 0);
	kernel_lock_bind(l->lock, l->model->size, b.nlocks);
	for (unsigned i = 0; l->model->params && l->model->params[i].name; i++)
		value[i] = param_value(&l->model->params[i], params);
	l->model->init(l->lock, value);
	return l->lock;
}

void *bench_lock_at(const char *name)
{
	return b.lock[lock_by_name(name)].lock;
}

static void parse_lock(struct op *op, const char *verb, char *rest[], unsigned n)
{
	op->kind = OP_LOCK;
	op->lock = lock_by_name(rest[0]);
	op->mode = strcmp(verb, "read") ? LOCK_EXCLUSIVE : LOCK_SHARED;
	op->how = strcmp(verb, "try") ? 0 : LOCK_TRY;
	op->t = SIM_NEVER;
	for (unsigned i = 1; i < n; i++) {
		if (!strcmp(rest[i], "timeout"))
			op->t = (sim_time)atoi(rest[++i]) * U;
		else if (!strcmp(rest[i], "intr"))
			op->how |= LOCK_INTERRUPTIBLE;
		else if (!strcmp(rest[i], "kill"))
			op->how |= LOCK_KILLABLE;
		else if (!strcmp(rest[i], "try"))
			op->how |= LOCK_TRY;
		else
			ck_abort_msg("what is %s?", rest[i]);
	}
}

static void parse_op(struct op *op, char *text)
{
	static const struct {
		const char *verb;
		enum op_kind kind;
		enum { LOCK_NAME, TIME, TASK_NAME } what;
	} verbs[] = {
		{ "unlock", OP_UNLOCK, LOCK_NAME }, { "downgrade", OP_DOWNGRADE, LOCK_NAME },
		{ "wakeall", OP_WAKEALL, LOCK_NAME }, { "run", OP_RUN, TIME },
		{ "park", OP_PARK, TIME }, { "sleep", OP_SLEEP, TIME },
		{ "signal", OP_SIGNAL, TASK_NAME }, { "kill", OP_SIGNAL, TASK_NAME },
		{ "prio", OP_PRIO, TASK_NAME },
	};
	char *word[8], *save = NULL;
	unsigned n = 0;

	for (char *w = strtok_r(text, " ", &save); w && n < 8; w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	ck_assert_uint_ge(n, 2);
	if (!strcmp(word[0], "lock") || !strcmp(word[0], "read") || !strcmp(word[0], "try")) {
		parse_lock(op, word[0], word + 1, n - 1);
		return;
	}
	for (unsigned i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(word[0], verbs[i].verb))
			continue;
		op->kind = verbs[i].kind;
		if (verbs[i].what == LOCK_NAME)
			op->lock = lock_by_name(word[1]);
		else if (verbs[i].what == TIME)
			op->t = (sim_time)atoi(word[1]) * U;
		else
			strncpy(op->target, word[1], sizeof(op->target) - 1);
		op->value = n > 2 ? atoi(word[2]) : !strcmp(word[0], "kill");
		return;
	}
	ck_abort_msg("what is %s?", word[0]);
}

static void program(struct sim_task *task, struct sim_act *act);

static bool cpu_is_new(unsigned cpu)
{
	for (unsigned i = 0; i + 1 < b.ntasks; i++)
		if (b.task[i].cpu == cpu)
			return false;
	return true;
}

static void parse(struct bench_task *t, const char *script)
{
	char copy[1024], *save = NULL;

	ck_assert_uint_lt(strlen(script), sizeof(copy));
	strcpy(copy, script);
	for (char *s = strtok_r(copy, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
		ck_assert_uint_lt(t->nops, OPS);
		t->result[t->nops] = 1;
		parse_op(&t->op[t->nops++], s);
	}
}

struct sim_task *bench_task(const char *name, unsigned cpu, int prio, int at, const char *script)
{
	struct bench_task *t = &b.task[b.ntasks++];
	struct sim_attr attr = { .policy = prio ? SIM_FIFO : SIM_NORMAL, .rt_priority = prio };
	uint64_t only[SIM_CPUSET_WORDS(SIM_CPUS_MAX)] = { 0 };
	sim_time early;

	ck_assert_uint_le(b.ntasks, TASKS);
	start();
	only[cpu / 64] = UINT64_C(1) << (cpu % 64);
	t->cpu = cpu;
	t->sim = sim_task_create(name, &attr, cpu, only, program, t);
	kernel_task_init(t->sim);
	parse(t, script);
	early = cpu_is_new(cpu) && b.cfg.costs.nidle ? b.cfg.costs.idle[0].exit : 0;
	sim_task_start(t->sim, ORIGIN + (sim_time)at * U - early);
	return t->sim;
}

void bench_irq(const char *name, unsigned cpu, int at, const char *script)
{
	struct bench_task *t = &b.task[b.ntasks++];

	ck_assert_uint_le(b.ntasks, TASKS);
	start();
	t->cpu = cpu;
	t->irq = true;
	t->sim = sim_irq_create(name, cpu, ORIGIN + (sim_time)at * U, 0, program, t);
	kernel_task_init(t->sim);
	parse(t, script);
}

void bench_watch(const char *lock)
{
	b.watched = b.lock[lock_by_name(lock)].lock;
	b.last_word = *b.watched;
}

/* -- scripts ------------------------------------------------------------------------------------ */

/* A lock that was not got need not be held: on behind its unlock, if there is one. */
static void skip_hold(struct bench_task *t, int lock)
{
	for (unsigned i = t->next; i < t->nops; i++)
		if (t->op[i].kind == OP_UNLOCK && t->op[i].lock == lock) {
			t->next = i + 1;
			return;
		}
}

static struct lock_req request(struct bench_task *t, const struct op *op)
{
	const struct lock_model *m = b.lock[op->lock].model;

	if (m->hold_size && !t->hold[op->lock])
		t->hold[op->lock] = sim_object_create("hold", m->hold_size, 0);
	return (struct lock_req){ .mode = op->mode, .how = op->how, .timeout = op->t, .hold = t->hold[op->lock] };
}

static void do_lock(struct bench_task *t, const struct op *op)
{
	struct bench_lock *l = &b.lock[op->lock];
	struct lock_req req = request(t, op);
	uint32_t task = t->sim->id + 1, lock = (uint32_t)op->lock + 1, how = op->mode | op->how << 8;
	unsigned nth = t->nresults++;
	int ret;

	if (req.hold)
		memset(req.hold, 0, l->model->hold_size);
	t->sim->kernel_mode++;
	kernel_op_enter(lock);
	t->waits = op->lock + 1;
	sim_emit(SIM_REC_CALL, task, lock, how, 0);
	ret = l->model->lock(l->lock, &req);
	t->waits = 0;
	kernel_op_leave();
	t->result[nth] = ret;
	if (!ret) {
		t->mode[op->lock] = op->mode;
		sim_emit(SIM_REC_GRANT, task, lock, how, t->sim->op_waited);
	} else {
		sim_emit(SIM_REC_FAIL, task, lock, how, (uint64_t)-ret);
		skip_hold(t, op->lock);
	}
	if (ret || (l->model->caps & LOCK_CAP_ANYONE))
		t->sim->kernel_mode--;
	t->sim->sigpending = t->sim->sigfatal = false;
}

static void do_unlock(struct bench_task *t, const struct op *op)
{
	struct bench_lock *l = &b.lock[op->lock];
	struct lock_req req = request(t, op);
	uint32_t task = t->sim->id + 1, lock = (uint32_t)op->lock + 1;

	req.mode = l->model->caps & LOCK_CAP_ANYONE ? LOCK_EXCLUSIVE : t->mode[op->lock];
	sim_emit(SIM_REC_UNLOCK, task, lock, req.mode, 0);
	kernel_op_enter(lock);
	l->model->unlock(l->lock, &req);
	kernel_op_leave();
	sim_emit(SIM_REC_UNLOCKED, task, lock, req.mode, 0);
	if (!(l->model->caps & LOCK_CAP_ANYONE))
		t->sim->kernel_mode--;
}

static void do_prio(const struct op *op)
{
	struct bench_task *t = &b.task[task_by_name(op->target)];
	struct sim_attr attr = { .policy = op->value ? SIM_FIFO : SIM_NORMAL, .rt_priority = op->value };
	struct bench_lock *l = t->waits ? &b.lock[t->waits - 1] : NULL;

	sim_setscheduler(t->sim, &attr);
	if (l && l->model->prio_changed) {
		kernel_op_enter((uint32_t)t->waits);
		l->model->prio_changed(l->lock, kernel_task(t->sim));
		kernel_op_leave();
	}
}

static void call(struct sim_task *task, void *arg)
{
	struct bench_task *t = task->user;
	const struct op *op = arg;
	struct bench_lock *l = &b.lock[op->lock];
	struct lock_req req = { 0 };

	t->accesses = 0;
	switch (op->kind) {
	case OP_LOCK:
		do_lock(t, op);
		break;
	case OP_UNLOCK:
		do_unlock(t, op);
		break;
	case OP_DOWNGRADE:
		req = request(t, op);
		kernel_op_enter((uint32_t)op->lock + 1);
		l->model->downgrade(l->lock, &req);
		kernel_op_leave();
		t->mode[op->lock] = LOCK_SHARED;
		sim_emit(SIM_REC_DOWNGRADE, task->id + 1, (uint32_t)op->lock + 1, 0, 0);
		break;
	case OP_WAKEALL:
		kernel_op_enter((uint32_t)op->lock + 1);
		l->model->wakeall(l->lock);
		kernel_op_leave();
		break;
	case OP_SIGNAL:
		sim_signal(b.task[task_by_name(op->target)].sim, op->value);
		break;
	case OP_PRIO:
		do_prio(op);
		break;
	case OP_RUN:
	case OP_PARK:
	case OP_SLEEP:
		break;
	}
}

static void program(struct sim_task *task, struct sim_act *act)
{
	struct bench_task *t = task->user;
	struct op *op;

	if (t->next == t->nops) {
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
		return;
	}
	op = &t->op[t->next++];
	if (op->kind == OP_RUN)
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = op->t };
	else if (op->kind == OP_PARK)
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = ORIGIN + op->t };
	else if (op->kind == OP_SLEEP)
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = sim->now + op->t };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = call, .arg = op };
}

/* -- standing still ------------------------------------------------------------------------------- */

uint64_t __real_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t v);
uint64_t __wrap_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t v);
void __wrap_kw_step(const char *name);

void bench_stop_at(const char *task, const char *step, unsigned nth, int until)
{
	ck_assert_uint_lt(b.nstops, STOPS);
	b.stop[b.nstops++] = (struct stop){ .task = task, .step = step, .nth = nth, .until = until };
}

void bench_stop_access(const char *task, unsigned op, unsigned nth, int until)
{
	ck_assert_uint_lt(b.nstops, STOPS);
	b.stop[b.nstops++] = (struct stop){ .task = task, .op = op, .nth = nth, .until = until };
}

static void stand_still(int until)
{
	sim_time t = ORIGIN + (sim_time)until * U;

	if (t > sim->now)
		sim_spend(t - sim->now);
}

void __wrap_kw_step(const char *name)
{
	for (unsigned i = 0; i < b.nstops; i++) {
		struct stop *s = &b.stop[i];

		if (s->step && !strcmp(s->step, name) && !strcmp(s->task, sim_current()->name) && ++s->passed == s->nth)
			stand_still(s->until);
	}
}

uint64_t __wrap_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t v)
{
	uint64_t old;

	if (b.nstops && sim_fiber_current()) {
		struct bench_task *t = sim_current()->user;

		t->accesses++;
		for (unsigned i = 0; i < b.nstops; i++)
			if (!b.stop[i].step && b.stop[i].op == t->next && b.stop[i].nth == t->accesses &&
			    !strcmp(b.stop[i].task, t->sim->name))
				stand_still(b.stop[i].until);
	}
	old = __real_kw_access(op, addr, size, a, v);
	if (b.watched && *b.watched != b.last_word) {
		size_t n = strlen(b.words);

		b.last_word = *b.watched;
		if (n < sizeof(b.words) - 16)
			sprintf(b.words + n, "%s%08x", n ? " " : "", b.last_word);
	}
	return old;
}

/* -- probes ------------------------------------------------------------------------------------------ */

static void describe(struct bench_lock *l, char *text, size_t room, uint64_t *word)
{
	struct lock_view_task owners[TASKS], waiters[TASKS];
	struct lock_view v = { .owners_room = TASKS, .waiters_room = TASKS, .owners = owners, .waiters = waiters };
	size_t n;

	if (l->model->view)
		l->model->view(l->lock, &v);
	*word = v.word;
	n = (size_t)snprintf(text, room, "%s", v.nowners ? kernel_sim_task(owners[0].task)->name : "NULL");
	for (unsigned i = 1; i < v.nowners; i++)
		n += (size_t)snprintf(text + n, room - n, ",%s", kernel_sim_task(owners[i].task)->name);
	if (v.flags[0])
		n += (size_t)snprintf(text + n, room - n, "|%s", v.flags);
	for (unsigned i = 0; i < v.nwaiters; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? " " : " [", kernel_sim_task(waiters[i].task)->name);
	if (v.nwaiters)
		snprintf(text + n, room - n, "]");
}

static void probe_fire(struct sim_event *ev)
{
	struct probe *p = (struct probe *)ev;

	p->seen = true;
	if (p->fn)
		p->fn(p->arg);
	else
		describe(&b.lock[p->lock], p->text, sizeof(p->text), &p->word);
}

static struct probe *add_probe(sim_time at)
{
	struct probe *p = &b.probe[b.nprobes];

	ck_assert_uint_lt(b.nprobes, PROBES);
	start();
	p->at = at;
	p->ev.fire = probe_fire;
	sim_evq_push(&sim->evq, &p->ev, ORIGIN + at, sim_rank(SIM_PHASE_WORLD, 0, SIM_KIND_HARNESS, b.nprobes++));
	return p;
}

void bench_at(sim_time at, void (*fn)(void *arg), void *arg)
{
	struct probe *p = add_probe(at);

	p->fn = fn;
	p->arg = arg;
}

void bench_probe(const char *lock, sim_time at)
{
	int l = lock_by_name(lock);

	add_probe(at)->lock = l;
}

static struct probe *probe_of(const char *lock, sim_time at)
{
	int l = lock_by_name(lock);

	for (unsigned i = 0; i < b.nprobes; i++)
		if (!b.probe[i].fn && b.probe[i].lock == l && b.probe[i].at == at)
			return &b.probe[i];
	ck_abort_msg("%s was not probed at %s", lock, sim_time_format((char[SIM_TIME_CHARS]){ 0 }, at));
	return NULL;
}

const char *bench_probed(const char *lock, sim_time at)
{
	return probe_of(lock, at)->text;
}

uint64_t bench_word(const char *lock, sim_time at)
{
	ck_assert(probe_of(lock, at)->seen);
	return probe_of(lock, at)->word;
}

const char *bench_state(const char *lock)
{
	static char text[160];
	uint64_t word;

	describe(&b.lock[lock_by_name(lock)], text, sizeof(text), &word);
	return text;
}

/* -- the log ------------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t task)
{
	return task ? sim->tasks[task - 1]->name : "none";
}

static struct bench_task *task_of(uint32_t task)
{
	for (unsigned i = 0; task && i < b.ntasks; i++)
		if (b.task[i].sim->id == task - 1)
			return &b.task[i];
	return NULL;
}

/* Where the next item begins, after its separator. */
static char *item(const struct sim_rec *rec)
{
	char *end = b.log + strlen(b.log);
	int now = unit(rec->time);

	ck_assert_uint_lt((size_t)(end - b.log), TEXT - 512);
	if (now != b.log_time)
		end += sprintf(end, "%st=%d: ", b.log[0] ? "\n" : "", now);
	else
		end += sprintf(end, "; ");
	b.log_time = now;
	return end;
}

static void note_waiters(char *at, uint32_t lock)
{
	char text[160], *list;
	uint64_t word;

	describe(&b.lock[lock - 1], text, sizeof(text), &word);
	list = strchr(text, '[');
	sprintf(at + strlen(at), " order %s", list ? list : "[]");
}

static void append_grant(const struct sim_rec *rec)
{
	struct bench_lock *l = &b.lock[rec->obj - 1];
	size_t n = strlen(l->grants);
	struct bench_task *t = task_of(rec->task);

	if (n < sizeof(l->grants) - 32)
		sprintf(l->grants + n, "%s%s %d", n ? ", " : "", name_of(rec->task), unit(rec->time));
	if (t && t->ngot < OPS)
		t->got[t->ngot++] = unit(rec->time);
	if (!rec->val)
		sprintf(item(rec), "%s GETS %s fast", name_of(rec->task), l->name);
	else
		sprintf(item(rec), "%s GETS %s prio=%d", name_of(rec->task), l->name,
			sim->tasks[rec->task - 1]->shared->prio);
}

/* Inserts into the "RELEASES" item of the unlock in progress. */
static void patch(uint32_t task, const char *text, const char *more)
{
	char *at = b.open[task - 1];
	size_t len = strlen(text) + strlen(more);

	if (!at)
		return;
	memmove(at + len, at, strlen(at) + 1);
	memcpy(at, text, strlen(text));
	memcpy(at + strlen(text), more, strlen(more));
	b.open[task - 1] = at + len;
}

static void take_lock(const struct sim_rec *rec)
{
	const char *lock = rec->obj ? b.lock[rec->obj - 1].name : "?";
	struct bench_task *t = task_of(rec->task);

	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_GRANT:
		append_grant(rec);
		break;
	case SIM_REC_FAIL:
		sprintf(item(rec), "%s FAILS on %s %s", name_of(rec->task), lock, strerrorname_np((int)rec->val));
		break;
	case SIM_REC_UNLOCK:
		sprintf(item(rec), "%s RELEASES %s", name_of(rec->task), lock);
		b.open[rec->task - 1] = b.log + strlen(b.log);
		if (t && t->nlet < OPS)
			t->let[t->nlet++] = unit(rec->time);
		break;
	case SIM_REC_UNLOCKED:
		if (b.open[rec->task - 1] && b.open[rec->task - 1][-1] == lock[strlen(lock) - 1])
			patch(rec->task, " fast", "");
		b.open[rec->task - 1] = NULL;
		break;
	case SIM_REC_EVENT:
		if (rec->obj && rec->arg < 64)
			b.lock[rec->obj - 1].event[rec->arg] += (unsigned)rec->val;
		break;
	case SIM_REC_PI_BLOCK:
		sprintf(item(rec), "%s blocks on %s owner %s", name_of(rec->task), lock, name_of(rec->arg));
		note_waiters(b.log, rec->obj);
		break;
	case SIM_REC_PI_REQUEUE:
		sprintf(item(rec), "requeue %s on %s as %d", name_of(rec->task), lock, (int)rec->val - 1);
		note_waiters(b.log, rec->obj);
		break;
	case SIM_REC_PI_STEAL:
		sprintf(item(rec), "%s STEALS %s from %s", name_of(rec->task), lock, name_of(rec->arg));
		break;
	default: /* the other types say nothing in a golden trace */
		break;
	}
}

static void take_sched(const struct sim_rec *rec)
{
	struct bench_task *t = task_of(rec->task);

	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_SWITCH:
		if (!rec->task)
			break;
		sprintf(item(rec), "cpu%u runs %s prio=%d", rec->cpu, name_of(rec->task), (int)rec->val - 1);
		if (t && t->nran < OPS)
			t->ran[t->nran++] = unit(rec->time);
		break;
	case SIM_REC_WAKEUP:
		if (rec->obj && b.open[rec->obj - 1])
			patch(rec->obj, " -> wakes ", name_of(rec->task));
		break;
	case SIM_REC_PRIO:
		sprintf(item(rec), "effprio %s %d->%d (%s%s)", name_of(rec->task), (int)rec->arg - 1, (int)rec->val - 1,
			rec->obj ? "donor " : "", name_of(rec->obj));
		break;
	case SIM_REC_TIMER:
		if (rec->arg == 1)
			sprintf(item(rec), "timer fires for %s", name_of(rec->task));
		break;
	default:
		break;
	}
}

static void take(void *user, const struct sim_rec *rec)
{
	if (sim_rec_class_of[rec->type] == SIM_CLASS_SCHED)
		take_sched(rec);
	else if (sim_rec_class_of[rec->type] == SIM_CLASS_LOCK)
		take_lock(rec);
}

/* -- running ---------------------------------------------------------------------------------------------- */

void bench_run(int until)
{
	start();
	sim_machine_run(ORIGIN + (sim_time)until * U, true);
}

void bench_close(void)
{
	if (getenv("BENCH_LOG"))
		fprintf(stderr, "%s\n\n", b.log);
	sim_machine_destroy(sim);
	sim_choice_finish(&b.choice);
	sim_trace_unsubscribe_all(&b.trace);
}

const char *bench_grants(const char *lock)
{
	return b.lock[lock_by_name(lock)].grants;
}

int bench_granted(const char *task, unsigned nth)
{
	struct bench_task *t = &b.task[task_by_name(task)];

	return nth <= t->ngot ? t->got[nth - 1] : BENCH_NONE;
}

int bench_released(const char *task, unsigned nth)
{
	struct bench_task *t = &b.task[task_by_name(task)];

	return nth <= t->nlet ? t->let[nth - 1] : BENCH_NONE;
}

int bench_ran(const char *task, unsigned nth)
{
	struct bench_task *t = &b.task[task_by_name(task)];

	return nth <= t->nran ? t->ran[nth - 1] : BENCH_NONE;
}

int bench_result(const char *task, unsigned nth)
{
	return b.task[task_by_name(task)].result[nth - 1];
}

unsigned bench_event(const char *lock, const char *event)
{
	struct bench_lock *l = &b.lock[lock_by_name(lock)];

	for (unsigned i = 0; l->model->events && l->model->events[i]; i++)
		if (!strcmp(l->model->events[i], event))
			return l->event[i];
	ck_abort_msg("%s counts no %s", lock, event);
	return 0;
}

const char *bench_words(void)
{
	return b.words;
}

const char *bench_log(void)
{
	return b.log;
}

const char *bench_findings(void)
{
	return b.findings;
}

bool bench_done(void)
{
	for (unsigned i = 0; i < b.ntasks; i++)
		if (!b.task[i].irq && !b.task[i].sim->exited)
			return false;
	return true;
}
