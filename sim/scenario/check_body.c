/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of statements, one at a time. What is held where: check_flow.c. */
#include <string.h>

#include "sim/scenario/check.h"

static bool acquires(const struct scn_stmt *s)
{
	return s->kind == SCN_ACQUIRE || s->kind == SCN_HOLD || s->kind == SCN_TAKE || s->kind == SCN_WAIT;
}

/* -- capabilities of models ------------------------------------------------------------------------- */

struct lack {
	enum sim_diag_code code;
	const char *text;
};

/* What @s asks of a model with @caps that it does not have. */
static bool lacks(const struct scn_stmt *s, unsigned caps, struct lack *lack)
{
	if (acquires(s) && s->mode == SCN_MODE_READ && !(caps & SCN_CAP_SHARED))
		*lack = (struct lack){SIM_DIAG_no_shared_mode, "has no shared mode"};
	else if (s->kind == SCN_DOWNGRADE && !(caps & SCN_CAP_DOWNGRADE))
		*lack = (struct lack){SIM_DIAG_no_downgrade, "cannot be downgraded"};
	else if (s->timeout && !(caps & SCN_CAP_TIMEOUT))
		*lack = (struct lack){SIM_DIAG_no_timeout, "has no timeout"};
	else if ((s->interruptible || s->killable) && !(caps & SCN_CAP_SIGNAL))
		*lack = (struct lack){SIM_DIAG_no_signal, "cannot be interrupted while waiting"};
	else if (s->try && !(caps & SCN_CAP_TRY))
		*lack = (struct lack){SIM_DIAG_no_try, "has no try"};
	else if (s->kind == SCN_WAKEALL && !(caps & SCN_CAP_WAKEALL))
		*lack = (struct lack){SIM_DIAG_no_wakeall, "cannot wake all"};
	else
		return false;
	return true;
}

static bool names_object(const struct scn_stmt *s)
{
	switch (s->kind) {
	case SCN_ACQUIRE:
	case SCN_UNLOCK:
	case SCN_DOWNGRADE:
	case SCN_HOLD:
	case SCN_WAIT:
	case SCN_WAKE:
	case SCN_WAKEALL:
	case SCN_POST:
	case SCN_TAKE:
	case SCN_MEET:
	case SCN_TOUCH:
		return true;
	case SCN_RUN:
	case SCN_SLEEP:
	case SCN_AT:
	case SCN_PERIOD:
	case SCN_LOOP:
	case SCN_UNTIL:
	case SCN_BREAK:
	case SCN_CHOOSE:
	case SCN_SIGNAL:
	case SCN_KILL:
	case SCN_SET:
	case SCN_PREEMPT_OFF:
	case SCN_IRQ_OFF:
	case SCN_KERNEL:
	case SCN_FAULT:
	case SCN_YIELD:
	case SCN_EXIT:
	case SCN_MARK:
	case SCN_DONE:
	case SCN_RESCHED:
	case SCN_SHOOTDOWN:
	case SCN_TELL:
	case SCN_AWAIT:
	case SCN_CHECK:
		break;
	}
	return false;
}

struct told { /* what was said already, one bit per kind of lack: one mistake, one message */
	unsigned char *lock, *compare;
};

static bool first_time(unsigned char *told, const struct lack *lack)
{
	unsigned char bit = (unsigned char)(1u << (lack->code - SIM_DIAG_no_shared_mode));

	if (*told & bit)
		return false;
	*told |= bit;
	return true;
}

static void visit_capabilities(struct check_walk *w, const struct scn_stmt *s)
{
	struct parser *p = w->p;
	struct told *told = w->user;
	const struct scn_lock *lock;
	struct lack lack;
	unsigned caps;
	char where[300];

	if (!names_object(s))
		return;
	lock = &p->scn->lock[s->target.object];
	if (check_model_caps(p, lock->model, &caps) && lacks(s, caps, &lack) &&
	    first_time(&told->lock[s->target.object], &lack))
		parse_fail(p, lack.code, s->pos, "\"%.60s\" is a %.60s, which %s", lock->name, lock->model,
			   lack.text);
	for (unsigned i = 0; i < p->scn->ncompare; i++) {
		const struct scn_compare *c = &p->scn->compare[i];

		if (c->lock != s->target.object || !check_model_caps(p, c->model, &caps) ||
		    !lacks(s, caps, &lack) || !first_time(&told->compare[i], &lack))
			continue;
		parse_fail(p, lack.code, c->model_pos, "%.60s, which %s, cannot take the place of \"%.60s\"",
			   c->model, lack.text, lock->name);
		sim_diag_note(p->diags, "the scenario asks for it at %s",
			      parse_also(&s->pos, where, sizeof(where)));
	}
}

void check_capabilities(struct parser *p)
{
	g_autofree unsigned char *lock = g_new0(unsigned char, p->scn->nlock + 1);
	g_autofree unsigned char *compare = g_new0(unsigned char, p->scn->ncompare + 1);
	struct told told = {.lock = lock, .compare = compare};

	check_walk_all(p, visit_capabilities, &told);
}

/* -- failures that nothing deals with ------------------------------------------------------------------ */

static void visit_failures(struct check_walk *w, const struct scn_stmt *s)
{
	const char *how = s->try             ? "try"
			  : s->timeout       ? "timeout"
			  : s->interruptible ? "interruptible"
			  : s->killable      ? "killable"
					     : NULL;

	if (acquires(s) && how && !s->has_else)
		parse_fail(w->p, SIM_DIAG_no_else, s->pos, "\"%s\" can fail; say what then: else { ... }",
			   how);
}

void check_failures(struct parser *p)
{
	check_walk_all(p, visit_failures, NULL);
}

/* -- indices --------------------------------------------------------------------------------------------- */

static bool below(uint64_t value, const void *user)
{
	return value < *(const uint64_t *)user;
}

static void check_index(struct check_walk *w, const struct scn_target *t, const char *name, bool indexed,
			uint64_t count)
{
	uint64_t bad, instances = w->task ? w->task->count : 1;

	if (!indexed)
		parse_fail(w->p, SIM_DIAG_not_indexed, t->pos, "\"%.60s\" is a single one and takes no index",
			   name);
	else if (!check_at_instances(w->p, t->index, instances, below, &count, &bad))
		parse_fail(w->p, SIM_DIAG_no_such_instance, t->index->pos,
			   "no %.60s[%" G_GUINT64_FORMAT "]; there are 0 to %" G_GUINT64_FORMAT, name, bad,
			   count - 1);
}

/* The lock of a condition: an index as anywhere, and somebody who owns it. */
static void check_with(struct check_walk *w, const struct scn_stmt *s)
{
	const struct scn_lock *lock = &w->p->scn->lock[s->with->object];
	unsigned caps;

	if (s->with->index)
		check_index(w, s->with, lock->name, lock->indexed, lock->count);
	else if (lock->indexed)
		parse_fail(w->p, SIM_DIAG_not_indexed, s->with->pos,
			   "\"%.60s\" is an array of %u; say which: %.60s[0] or %.60s[$i]", lock->name, lock->count,
			   lock->name, lock->name);
	if (check_model_caps(w->p, lock->model, &caps) && caps & (SCN_CAP_ANYONE | SCN_CAP_SPIN))
		parse_fail(w->p, SIM_DIAG_wrong_kind, s->with->pos,
			   "a condition goes with a lock that has an owner and sleeping waiters; \"%.60s\" is a %.60s",
			   lock->name, lock->model);
}

static void visit_targets(struct check_walk *w, const struct scn_stmt *s)
{
	const struct scenario *scn = w->p->scn;

	if (s->kind == SCN_SIGNAL || s->kind == SCN_KILL || s->kind == SCN_SET) {
		const struct scn_task *task = &scn->task[s->target.object];

		if (s->target.index)
			check_index(w, &s->target, task->name, task->indexed, task->count);
	} else if (names_object(s)) {
		const struct scn_lock *lock = &scn->lock[s->target.object];

		if (s->target.index)
			check_index(w, &s->target, lock->name, lock->indexed, lock->count);
		else if (lock->indexed)
			parse_fail(w->p, SIM_DIAG_not_indexed, s->target.pos,
				   "\"%.60s\" is an array of %u; say which: %.60s[0] or %.60s[$i]",
				   lock->name, lock->count, lock->name, lock->name);
		if (s->with)
			check_with(w, s);
		if (s->kind == SCN_TOUCH && !lock->data_lines)
			parse_fail(w->p, SIM_DIAG_no_data_lines, s->target.pos,
				   "\"%.60s\" protects no data; declare it with { data 1 line }", lock->name);
	}
}

void check_targets(struct parser *p)
{
	check_walk_all(p, visit_targets, NULL);
}

/* -- times ----------------------------------------------------------------------------------------------- */

static void visit_periods(struct check_walk *w, const struct scn_stmt *s)
{
	if (s->kind == SCN_PERIOD && parse_is_constant(s->arg) && !s->arg->value)
		parse_fail(w->p, SIM_DIAG_out_of_range, s->arg->pos, "a period cannot be zero");
}

void check_periods(struct parser *p)
{
	check_walk_all(p, visit_periods, NULL);
}

/* -- loops ----------------------------------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
	unsigned __int128 v = (unsigned __int128)a * b;

	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

/* Stops at the outermost loop that is too much, so that each nest is told once. */
static void check_turns_of(struct parser *p, const struct scn_stmt *list, uint64_t around)
{
	for (const struct scn_stmt *s = list; s && !parse_stopped(p); s = s->next) {
		uint64_t turns = around;

		if (s->kind == SCN_LOOP && s->arg && parse_is_constant(s->arg))
			turns = times(around, s->arg->value);
		if (turns > p->limits.max_loop) {
			parse_fail(p, SIM_DIAG_too_many_turns, s->arg->pos,
				   "more than %" G_GUINT64_FORMAT " turns, with the loops around it",
				   p->limits.max_loop);
			continue;
		}
		check_turns_of(p, s->body, turns);
		check_turns_of(p, s->orelse, turns);
		for (unsigned i = 0; i < s->nbranch; i++)
			check_turns_of(p, s->branch[i].body, turns);
	}
}

void check_turns(struct parser *p)
{
	for (unsigned i = 0; i < p->scn->ntask; i++)
		check_turns_of(p, p->scn->task[i].body, 1);
	for (unsigned i = 0; i < p->scn->nirq; i++)
		check_turns_of(p, p->scn->irq[i].body, 1);
}

static bool is_zero(const struct scn_expr *e)
{
	return e && parse_is_constant(e) && !e->value;
}

static bool takes_time(const struct scn_stmt *list);

static bool some_branch_takes_time(const struct scn_stmt *s)
{
	for (unsigned i = 0; i < s->nbranch; i++)
		if (takes_time(s->branch[i].body))
			return true;
	return false;
}

static bool statement_takes_time(const struct scn_stmt *s)
{
	switch (s->kind) {
	case SCN_RUN:
	case SCN_SLEEP:
		return !is_zero(s->arg);
	case SCN_LOOP:
	case SCN_UNTIL:
		return !is_zero(s->arg) && takes_time(s->body);
	case SCN_CHOOSE:
		return some_branch_takes_time(s);
	case SCN_PREEMPT_OFF:
	case SCN_IRQ_OFF:
		return takes_time(s->body);
	case SCN_PERIOD:
	case SCN_ACQUIRE: /* on priced machines; where all costs are zero the run itself is on guard */
	case SCN_UNLOCK:
	case SCN_DOWNGRADE:
	case SCN_HOLD:
	case SCN_WAIT:
	case SCN_WAKE:
	case SCN_WAKEALL:
	case SCN_POST:
	case SCN_TAKE:
	case SCN_MEET:
	case SCN_KERNEL:
	case SCN_FAULT:
	case SCN_YIELD:
	case SCN_TOUCH:
	case SCN_SHOOTDOWN:
	case SCN_TELL:
	case SCN_AWAIT:
	case SCN_CHECK:
	case SCN_SIGNAL:
	case SCN_KILL:
	case SCN_SET:
		return true;
	case SCN_AT: /* once */
	case SCN_BREAK:
	case SCN_EXIT:
	case SCN_MARK:
	case SCN_DONE:
	case SCN_RESCHED:
		break;
	}
	return false;
}

static bool takes_time(const struct scn_stmt *list)
{
	for (const struct scn_stmt *s = list; s; s = s->next)
		if (statement_takes_time(s))
			return true;
	return false;
}

/* Whether some statement of @list leaves the loop around it: by exit, or by a break that is not an inner
 * loop's. */
static bool leaves(const struct scn_stmt *list, bool inner)
{
	for (const struct scn_stmt *s = list; s; s = s->next) {
		if (s->kind == SCN_EXIT || (s->kind == SCN_BREAK && !inner))
			return true;
		if (leaves(s->body, inner || s->kind == SCN_LOOP || s->kind == SCN_UNTIL) ||
		    leaves(s->orelse, inner))
			return true;
		for (unsigned i = 0; i < s->nbranch; i++)
			if (leaves(s->branch[i].body, inner))
				return true;
	}
	return false;
}

bool check_is_endless(const struct scn_stmt *s)
{
	return s->kind == SCN_LOOP && !s->arg && !leaves(s->body, false);
}

static void visit_idle(struct check_walk *w, const struct scn_stmt *s)
{
	bool endless = (s->kind == SCN_LOOP && !s->arg) || s->kind == SCN_UNTIL;

	if (endless && !takes_time(s->body) && !leaves(s->body, false))
		parse_fail(w->p, SIM_DIAG_idle_loop, s->pos,
			   "no time passes in this loop: the run would never get beyond it");
}

void check_idle_loops(struct parser *p)
{
	check_walk_all(p, visit_idle, NULL);
}

static void visit_ends(struct check_walk *w, const struct scn_stmt *s)
{
	bool *told = w->user;

	if (w->irq || *told || !check_is_endless(s))
		return;
	*told = true;
	parse_fail(w->p, SIM_DIAG_never_ends, s->pos,
		   "task \"%.60s\" never ends here, and the run lasts until all are done; add \"limit TIME\" "
		   "to it",
		   w->task->name);
}

void check_ends(struct parser *p)
{
	bool told = false;

	if (p->scn->until_done && !p->scn->limit)
		check_walk_all(p, visit_ends, &told);
}
