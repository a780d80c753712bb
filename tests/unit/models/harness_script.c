// SPDX-License-Identifier: GPL-2.0-or-later
/* Scripts of the bench: parsing, executing, standing still. See harness.h. */
#include "tests/unit/models/harness_impl.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "sim/machine/sched.h"

/* -- parsing ---------------------------------------------------------------------------------- */

static void parse_lock(struct op *op, const char *verb, char *rest[], unsigned n)
{
	op->kind = OP_LOCK;
	op->lock = bench_lock_by_name(rest[0]);
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
			op->lock = bench_lock_by_name(word[1]);
		else if (verbs[i].what == TIME)
			op->t = (sim_time)atoi(word[1]) * U;
		else
			strncpy(op->target, word[1], sizeof(op->target) - 1);
		op->value = n > 2 ? atoi(word[2]) : !strcmp(word[0], "kill");
		return;
	}
	ck_abort_msg("what is %s?", word[0]);
}

void bench_parse(struct bench_task *t, const char *script)
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
	const struct lock_model *m = bench.lock[op->lock].model;

	if (m->hold_size && !t->hold[op->lock])
		t->hold[op->lock] = sim_object_create("hold", m->hold_size, 0);
	return (struct lock_req){ .mode = op->mode, .how = op->how, .timeout = op->t, .hold = t->hold[op->lock] };
}

static void do_lock(struct bench_task *t, const struct op *op)
{
	struct bench_lock *l = &bench.lock[op->lock];
	struct lock_req req = request(t, op);
	uint32_t task = t->sim->id + 1, lock = (uint32_t)op->lock + 1, how = op->mode | op->how << 8;
	unsigned nth = t->nresults++;
	int ret;

	if (req.hold)
		memset(req.hold, 0, l->model->hold_size);
	t->sim->kernel_mode += !(l->model->caps & LOCK_CAP_USER);
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
	if ((ret || (l->model->caps & LOCK_CAP_ANYONE)) && !(l->model->caps & LOCK_CAP_USER))
		t->sim->kernel_mode--;
	t->sim->sigpending = t->sim->sigfatal = false;
}

static void do_unlock(struct bench_task *t, const struct op *op)
{
	struct bench_lock *l = &bench.lock[op->lock];
	struct lock_req req = request(t, op);
	uint32_t task = t->sim->id + 1, lock = (uint32_t)op->lock + 1;

	req.mode = l->model->caps & LOCK_CAP_ANYONE ? LOCK_EXCLUSIVE : t->mode[op->lock];
	sim_emit(SIM_REC_UNLOCK, task, lock, req.mode, 0);
	kernel_op_enter(lock);
	l->model->unlock(l->lock, &req);
	kernel_op_leave();
	sim_emit(SIM_REC_UNLOCKED, task, lock, req.mode, 0);
	if (!(l->model->caps & (LOCK_CAP_ANYONE | LOCK_CAP_USER)))
		t->sim->kernel_mode--;
}

static void do_prio(const struct op *op)
{
	struct bench_task *t = &bench.task[bench_task_by_name(op->target)];
	struct sim_attr attr = { .policy = op->value ? SIM_FIFO : SIM_NORMAL, .rt_priority = op->value };
	struct bench_lock *l = t->waits ? &bench.lock[t->waits - 1] : NULL;

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
	struct bench_lock *l = &bench.lock[op->lock];
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
		sim_signal(bench.task[bench_task_by_name(op->target)].sim, op->value);
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

void bench_program(struct sim_task *task, struct sim_act *act)
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
	ck_assert_uint_lt(bench.nstops, STOPS);
	bench.stop[bench.nstops++] = (struct stop){ .task = task, .step = step, .nth = nth, .until = until };
}

void bench_stop_access(const char *task, unsigned op, unsigned nth, int until)
{
	ck_assert_uint_lt(bench.nstops, STOPS);
	bench.stop[bench.nstops++] = (struct stop){ .task = task, .op = op, .nth = nth, .until = until };
}

static void stand_still(int until)
{
	sim_time t = ORIGIN + (sim_time)until * U;

	if (t > sim->now)
		sim_spend(t - sim->now);
}

void __wrap_kw_step(const char *name)
{
	for (unsigned i = 0; i < bench.nstops; i++) {
		struct stop *s = &bench.stop[i];

		if (s->step && !strcmp(s->step, name) && !strcmp(s->task, sim_current()->name) && ++s->passed == s->nth)
			stand_still(s->until);
	}
}

uint64_t __wrap_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t v)
{
	uint64_t old;

	if (bench.nstops && sim_fiber_current()) {
		struct bench_task *t = sim_current()->user;

		t->accesses++;
		for (unsigned i = 0; i < bench.nstops; i++)
			if (!bench.stop[i].step && bench.stop[i].op == t->next && bench.stop[i].nth == t->accesses &&
			    !strcmp(bench.stop[i].task, t->sim->name))
				stand_still(bench.stop[i].until);
	}
	old = __real_kw_access(op, addr, size, a, v);
	if (bench.watched && *bench.watched != bench.last_word) {
		size_t n = strlen(bench.words);

		bench.last_word = *bench.watched;
		if (n < sizeof(bench.words) - 16)
			sprintf(bench.words + n, "%s%08x", n ? " " : "", bench.last_word);
	}
	return old;
}
