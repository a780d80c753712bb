// SPDX-License-Identifier: GPL-2.0-or-later
/* A director at work: orders, waiting for their end, verdicts. */
#include "sim/run/director_impl.h"

#include <errno.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "sim/machine/sched.h"
#include "sim/run/bind_impl.h"

/* How often the director looks whether all have settled: first and at the longest. */
#define GRAIN_MIN SIM_US
#define GRAIN_MAX SIM_MS
/* Whoever is inside a lock call for so long after its order spins there. */
#define SPIN_SETTLED (100 * SIM_US)

/* -- states ------------------------------------------------------------------------------------------ */

void director_change(struct prog_task *t, uint32_t lock, enum scn_lock_state state)
{
	t->directed->state[lock - 1] = (uint8_t)state;
	t->directed->event = ++t->program->director->events;
}

bool director_parked(const struct run_bound *b, uint32_t task)
{
	const struct prog_task *t = b->program ? &b->program->task[task] : NULL;

	return t && t->directed && t->directed->parked;
}

/* Behind a wake-up: waits until it is told to continue. The lock may wake it meanwhile, in vain. */
static void park(struct prog_task *t, uint32_t lock)
{
	struct directed *d = t->directed;

	director_change(t, lock, SCN_LOCK_PARKED);
	d->parked = true;
	d->result = 0;
	while (!d->go) {
		t->sim->shared->__state = SIM_TASK_UNINTERRUPTIBLE;
		sim_schedule();
	}
	d->go = d->parked = false;
	director_change(t, lock, SCN_LOCK_TRYING);
}

static void on_schedule(struct sim_task *task, bool before)
{
	struct prog_task *t = task->user;
	uint32_t lock = t->waiting;

	if (!lock || !t->directed)
		return;
	if (before) {
		director_change(t, lock, SCN_LOCK_BLOCKED);
		return;
	}
	if (t->directed->state[lock - 1] != SCN_LOCK_BLOCKED)
		return;
	if (t->directed->park)
		park(t, lock);
	else
		director_change(t, lock, SCN_LOCK_TRYING);
}

/* -- set-up ------------------------------------------------------------------------------------------ */

void director_bind(struct run_bound *b, struct bind_pool *pool)
{
	struct program *p = b->program;

	if (!b->scn->directed)
		return;
	p->director = bind_alloc(pool, sizeof(*p->director));
	p->director->said = g_array_new(FALSE, TRUE, sizeof(struct said));
	p->director->grain = GRAIN_MIN;
	for (uint32_t i = 0; i < b->ntask; i++) {
		struct directed *d = bind_alloc(pool, sizeof(*d));

		d->state = bind_alloc(pool, b->nlock + 1);
		p->task[i].directed = d;
	}
	kernel_on_schedule(on_schedule);
}

void director_free(struct run_bound *b)
{
	struct director *dir = b->program ? b->program->director : NULL;

	for (guint i = 0; dir && i < dir->said->len; i++)
		g_free(g_array_index(dir->said, struct said, i).seen);
	if (dir)
		g_array_free(dir->said, TRUE);
}

/* -- verdicts ---------------------------------------------------------------------------------------- */

void director_say(struct run_bound *b, const struct scn_stmt *stmt, bool met, char *seen)
{
	char at[SIM_TIME_CHARS];
	struct said said = {.stmt = stmt, .met = met};

	said.seen = g_strdup_printf("%s at %s", seen, sim_time_format(at, sim->now));
	g_free(seen);
	g_array_append_val(b->program->director->said, said);
}

static void add_verdict(struct run_result *r, const struct scn_stmt *stmt, bool met, const char *seen)
{
	r->verdict = g_renew(struct run_verdict, r->verdict, r->nverdict + 1);
	r->verdict[r->nverdict++] = (struct run_verdict){
		.text = g_strdup(stmt->text), .file = stmt->pos.source ? g_strdup(stmt->pos.source->path) : NULL,
		.line = stmt->pos.line, .met = met, .seen = g_strdup(seen)};
}

/* The first step that was never judged, if the run ended too early. */
static const struct scn_stmt *unjudged(const struct run_bound *b)
{
	const struct director *dir = b->program->director;
	guint n = dir->said->len;

	for (unsigned i = 0; i < b->scn->ntask; i++)
		for (const struct scn_stmt *s = b->scn->task[i].director ? b->scn->task[i].body : NULL; s; s = s->next) {
			bool said = false;

			for (guint k = 0; k < n && !said; k++)
				said = g_array_index(dir->said, struct said, k).stmt == s;
			if (!said && s->kind != SCN_TELL)
				return s;
		}
	return NULL;
}

#define NEVER_CAME "the run ended before the director came here"

unsigned director_missed(const struct run_bound *b, const struct scn_stmt **first, const char **how)
{
	const struct director *dir = b->program->director;
	unsigned n = 0;

	for (guint i = 0; dir && i < dir->said->len; i++) {
		const struct said *s = &g_array_index(dir->said, struct said, i);

		if (s->met || n++)
			continue;
		*first = s->stmt;
		*how = s->seen;
	}
	if (!dir || dir->over || !unjudged(b))
		return n;
	if (!n) {
		*first = unjudged(b);
		*how = NEVER_CAME;
	}
	return n + 1;
}

void director_verdicts(const struct run_bound *b, struct run_result *r)
{
	const struct director *dir = b->program->director;
	const struct scn_stmt *stmt;

	if (!dir)
		return;
	for (guint i = 0; i < dir->said->len; i++) {
		const struct said *s = &g_array_index(dir->said, struct said, i);

		add_verdict(r, s->stmt, s->met, s->seen);
	}
	stmt = dir->over ? NULL : unjudged(b);
	if (stmt)
		add_verdict(r, stmt, false, NEVER_CAME);
}

/* -- directed tasks ---------------------------------------------------------------------------------- */

/* Lets go of all that @t holds, newest first. */
static void let_go(struct sim_task *task, uint32_t stmt)
{
	struct prog_task *t = task->user;

	while (t->held) {
		struct prog_insn unlock = {.op = PROG_UNLOCK, .stmt = stmt, .count = 1,
					   .first = (uint32_t)(t->held->lock - t->bound->lock)};

		lockop_unlock(task, &unlock);
	}
}

static void carry_out(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct directed *d = t->directed;
	const struct prog_insn *told = in->told;

	d->park = in->slot;
	d->result = 0;
	if (in->how == SCN_ORDER_RESET) {
		let_go(task, in->stmt);
	} else if (told->op == PROG_LOCK) {
		lockop_lock(task, (void *)(uintptr_t)told);
		d->result = t->result;
	} else if (d->state[prog_target(t, told)] != SCN_LOCK_HELD) {
		d->result = -EINVAL;
	} else {
		lockop_unlock(task, (void *)(uintptr_t)told);
	}
	d->park = false;
}

static void leave(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;

	let_go(task, in->stmt);
}

static bool call(struct sim_act *act, const struct prog_insn *in, void (*fn)(struct sim_task *, void *))
{
	act->kind = SIM_ACT_CALL;
	act->fn = fn;
	act->arg = (void *)(uintptr_t)in;
	return true;
}

bool director_step_directed(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	struct directed *d = t->directed;
	const struct prog_insn *told = d->told;

	t->sim->sigpending = t->sim->sigfatal = false; /* of signals that found it idle */
	d->busy = told;
	d->told = NULL;
	if (!told && t->program->director->over && !t->held)
		return false;
	t->pc = in; /* comes back here */
	if (told)
		return call(act, told, carry_out);
	if (t->program->director->over)
		return call(act, in, leave);
	act->kind = SIM_ACT_WAIT;
	return true;
}

/* -- the director ------------------------------------------------------------------------------------ */

static void wake(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;

	task->kernel_mode++;
	sim_spend(sim->cfg.costs.scalar[SIM_COST_wake]);
	sim_task_wake_program(t->bound->task[in->first].task);
	task->kernel_mode--;
}

static bool refuse(struct prog_task *t, const struct prog_insn *in, const char *why)
{
	const struct scn_task *decl = NULL;
	const struct scn_stmt *s = NULL;

	for (unsigned i = 0; i < t->bound->scn->ntask; i++)
		if (t->bound->scn->task[i].director)
			decl = &t->bound->scn->task[i];
	for (s = decl->body; s && s->id != in->stmt;)
		s = s->next;
	director_say(t->bound, s, false, g_strdup_printf("%s %s", t->bound->task[in->first].name, why));
	return false;
}

static bool tell_continue(struct prog_task *t, const struct prog_insn *in, struct directed *d, struct sim_act *act)
{
	if (!d->parked) {
		if (d->busy)
			return refuse(t, in, "is not parked");
		d->result = -EINVAL;
		return false;
	}
	d->go = true;
	return call(act, in, wake);
}

bool director_step_tell(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	struct directed *d = t->program->task[in->first].directed;

	d->since = sim->now;
	if (in->how == SCN_ORDER_RESET_EVENTS) {
		t->program->director->events = 0;
		return false;
	}
	if (in->how == SCN_ORDER_CONTINUE)
		return tell_continue(t, in, d, act);
	if (d->parked) {
		d->result = -EINVAL;
		return false;
	}
	if (d->busy || d->told)
		return refuse(t, in, "is still busy with its last order");
	d->told = in;
	return call(act, in, wake);
}

static bool is_settled(const struct run_bound *b, uint32_t i)
{
	const struct sim_task *s = b->task[i].task;
	const struct prog_task *t = s->user;

	if (s->exited || t->body->code->op != PROG_DIRECTED)
		return true;
	if (!s->arrived || t->directed->told)
		return false;
	return sim_task_asleep(s) || (t->waiting && sim->now - t->directed->since >= SPIN_SETTLED);
}

bool director_step_settle(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	struct director *dir = t->program->director;
	bool settled = true;

	for (uint32_t i = 0; i < t->bound->ntask && settled; i++)
		settled = is_settled(t->bound, i);
	if (settled) {
		dir->grain = GRAIN_MIN;
		return false;
	}
	t->pc = in;
	act->kind = SIM_ACT_SLEEP;
	act->t = sim->now + dir->grain;
	dir->grain = MIN(2 * dir->grain, GRAIN_MAX);
	return true;
}

bool director_nothing_moves(const struct run_bound *b)
{
	if (b->nirq) /* who knows what an interrupt does */
		return false;
	for (uint32_t i = 0; i < b->ntask; i++) {
		const struct sim_task *s = b->task[i].task;
		const struct prog_task *t = s->user;

		if (s->exited || t->body->code[t->body->ncode - 2].op == PROG_OVER)
			continue;
		if (sim_event_queued(&s->timeout) || sim_event_queued(&s->timer) || sim_event_queued(&s->arrival))
			return false;
		if (!sim_task_asleep(s) && !(t->waiting && is_settled(b, i)))
			return false;
	}
	return true;
}

static void hang(struct prog_task *t, const struct prog_insn *in, char *seen)
{
	struct director *dir = t->program->director;
	unsigned left = 0;

	for (const struct scn_stmt *s = in->asked->stmt->next; s; s = s->next)
		left++;
	director_say(t->bound, in->asked->stmt, false,
		     g_strdup_printf("a hang: nothing moves any more; %s; %u step%s not reached", seen, left,
				     left == 1 ? " was" : "s were"));
	g_free(seen);
	dir->hung = in->asked->stmt;
}

bool director_step_fact(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	struct director *dir = t->program->director;
	GString *seen = g_string_new(NULL);
	bool so = director_is_so(t->bound, in->asked, seen);

	if (so || in->op == PROG_CHECK) {
		director_say(t->bound, in->asked->stmt, so, g_string_free(seen, FALSE));
		dir->grain = GRAIN_MIN;
		return false;
	}
	if (director_nothing_moves(t->bound)) {
		hang(t, in, g_string_free(seen, FALSE));
		t->pc = &t->body->code[t->body->ncode - 2]; /* PROG_OVER */
		return false;
	}
	g_string_free(seen, TRUE);
	t->pc = in;
	act->kind = SIM_ACT_SLEEP;
	act->t = sim->now + dir->grain;
	dir->grain = MIN(2 * dir->grain, GRAIN_MAX);
	return true;
}

/* The others let go of what they hold and exit; who is parked goes on. */
static void dismiss(struct sim_task *task, void *arg)
{
	struct prog_task *t = task->user;

	task->kernel_mode++;
	for (uint32_t i = 0; i < t->bound->ntask; i++) {
		struct sim_task *s = t->bound->task[i].task;
		struct prog_task *other = s->user;

		if (s->exited || other->body->code->op != PROG_DIRECTED)
			continue;
		other->directed->park = false;
		other->directed->go = other->directed->parked;
		if (!other->directed->busy || other->directed->parked)
			sim_task_wake_program(s);
	}
	task->kernel_mode--;
}

bool director_step_over(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->program->director->over = true;
	return call(act, in, dismiss);
}
