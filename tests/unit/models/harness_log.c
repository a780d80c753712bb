// SPDX-License-Identifier: GPL-2.0-or-later
/* What the bench sees: probes of locks, and the log of records. See harness.h. */
#include "tests/unit/models/harness_impl.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "sim/kernel/host.h"

static int unit(sim_time t)
{
	return (int)(((int64_t)t - (int64_t)ORIGIN + (int64_t)U / 2) / (int64_t)U);
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
		describe(&bench.lock[p->lock], p->text, sizeof(p->text), &p->word);
}

static struct probe *add_probe(sim_time at)
{
	struct probe *p = &bench.probe[bench.nprobes];

	ck_assert_uint_lt(bench.nprobes, PROBES);
	bench_start();
	p->at = at;
	p->ev.fire = probe_fire;
	sim_evq_push(&sim->evq, &p->ev, ORIGIN + at, sim_rank(SIM_PHASE_WORLD, 0, SIM_KIND_HARNESS, bench.nprobes++));
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
	int l = bench_lock_by_name(lock);

	add_probe(at)->lock = l;
}

static struct probe *probe_of(const char *lock, sim_time at)
{
	int l = bench_lock_by_name(lock);

	for (unsigned i = 0; i < bench.nprobes; i++)
		if (!bench.probe[i].fn && bench.probe[i].lock == l && bench.probe[i].at == at)
			return &bench.probe[i];
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

	describe(&bench.lock[bench_lock_by_name(lock)], text, sizeof(text), &word);
	return text;
}

/* -- the log ------------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t task)
{
	return task ? sim->tasks[task - 1]->name : "none";
}

static struct bench_task *task_of(uint32_t task)
{
	for (unsigned i = 0; task && i < bench.ntasks; i++)
		if (bench.task[i].sim->id == task - 1)
			return &bench.task[i];
	return NULL;
}

/* Where the next item begins, after its separator. */
static char *item(const struct sim_rec *rec)
{
	char *end = bench.log + strlen(bench.log);
	int now = unit(rec->time);

	ck_assert_uint_lt((size_t)(end - bench.log), TEXT - 512);
	if (now != bench.log_time)
		end += sprintf(end, "%st=%d: ", bench.log[0] ? "\n" : "", now);
	else
		end += sprintf(end, "; ");
	bench.log_time = now;
	return end;
}

static void note_waiters(char *at, uint32_t lock)
{
	char text[160], *list;
	uint64_t word;

	describe(&bench.lock[lock - 1], text, sizeof(text), &word);
	list = strchr(text, '[');
	sprintf(at + strlen(at), " order %s", list ? list : "[]");
}

static void append_grant(const struct sim_rec *rec)
{
	struct bench_lock *l = &bench.lock[rec->obj - 1];
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
	char *at = bench.open[task - 1];
	size_t len = strlen(text) + strlen(more);

	if (!at)
		return;
	memmove(at + len, at, strlen(at) + 1);
	memcpy(at, text, strlen(text));
	memcpy(at + strlen(text), more, strlen(more));
	bench.open[task - 1] = at + len;
}

static void take_lock(const struct sim_rec *rec)
{
	const char *lock = rec->obj ? bench.lock[rec->obj - 1].name : "?";
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
		bench.open[rec->task - 1] = bench.log + strlen(bench.log);
		if (t && t->nlet < OPS)
			t->let[t->nlet++] = unit(rec->time);
		break;
	case SIM_REC_UNLOCKED:
		if (bench.open[rec->task - 1] && bench.open[rec->task - 1][-1] == lock[strlen(lock) - 1])
			patch(rec->task, " fast", "");
		bench.open[rec->task - 1] = NULL;
		break;
	case SIM_REC_EVENT:
		if (rec->obj && rec->arg < 64)
			bench.lock[rec->obj - 1].event[rec->arg] += (unsigned)rec->val;
		break;
	case SIM_REC_PI_BLOCK:
		sprintf(item(rec), "%s blocks on %s owner %s", name_of(rec->task), lock, name_of(rec->arg));
		note_waiters(bench.log, rec->obj);
		break;
	case SIM_REC_PI_REQUEUE:
		sprintf(item(rec), "requeue %s on %s as %d", name_of(rec->task), lock, (int)rec->val - 1);
		note_waiters(bench.log, rec->obj);
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
		if (rec->obj && bench.open[rec->obj - 1])
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

void bench_take(void *user, const struct sim_rec *rec)
{
	if (sim_rec_class_of[rec->type] == SIM_CLASS_SCHED)
		take_sched(rec);
	else if (sim_rec_class_of[rec->type] == SIM_CLASS_LOCK)
		take_lock(rec);
}
