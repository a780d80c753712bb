/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is held where. Every body is walked once, along all its paths, with a small table of
 * locks: held on no path, on some, on all. Only "no" and "all" lead to a message, so what
 * cannot be known from the text is passed over in silence and left to the run.
 *
 *   loops      a lock that the body takes or drops is held "on some paths" when a turn begins
 *   branches   the tables of those that go on are joined
 *   L[$k]      an index that is neither fixed nor $i means some instance of L
 */
#include <string.h>

#include "sim/scenario/check.h"

#define FLOW_LOCKS 64 /* held at once, before the walk gives up */

enum held { HELD_NO, HELD_MAYBE, HELD_YES };

#define KEY_NONE (UINT64_MAX - 2) /* no index */
#define KEY_SELF (UINT64_MAX - 1) /* $i */
#define KEY_SOME UINT64_MAX

struct flow_lock {
	uint32_t object;
	uint64_t key;
	enum held held;
};

struct flow { /* at one place of the text */
	unsigned n;
	bool lost;       /* too many locks: nothing is known any more */
	unsigned atomic; /* preempt off, irq off, interrupt */
	const char *why; /* the innermost of these */
	struct flow_lock lock[FLOW_LOCKS];
};

struct flow_walk {
	struct parser *p;
};

static bool flow_list(struct flow_walk *w, const struct scn_stmt *list, struct flow *f);

/* -- the table ------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct scn_target *t)
{
	if (!t->index)
		return KEY_NONE;
	if (parse_is_constant(t->index))
		return t->index->value;
	return t->index->kind == SCN_INSTANCE ? KEY_SELF : KEY_SOME;
}

static struct flow_lock *find(struct flow *f, uint32_t object, uint64_t key, bool add)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->lock[i].object == object && f->lock[i].key == key)
			return &f->lock[i];
	if (!add)
		return NULL;
	if (f->n == FLOW_LOCKS) {
		f->lost = true;
		return NULL;
	}
	f->lock[f->n] = (struct flow_lock){.object = object, .key = key};
	return &f->lock[f->n++];
}

static void set_held(struct flow *f, const struct scn_target *t, enum held held)
{
	uint64_t key = key_of(t);
	struct flow_lock *l = find(f, t->object, key, true);

	if (l)
		l->held = key == KEY_SOME ? HELD_MAYBE : held;
	if (key != KEY_SOME || held != HELD_NO)
		return;
	for (unsigned i = 0; i < f->n; i++) /* one of them was dropped */
		if (f->lock[i].object == t->object)
			f->lock[i].held = HELD_MAYBE;
}

/* Whether @t is held on no path at all. */
static bool surely_free(struct flow *f, const struct scn_target *t)
{
	uint64_t key = key_of(t);

	if (f->lost)
		return false;
	for (unsigned i = 0; i < f->n; i++) {
		const struct flow_lock *l = &f->lock[i];
		bool same = l->key == key || l->key == KEY_SOME || key == KEY_SOME || l->key == KEY_SELF ||
			    key == KEY_SELF;

		if (l->object == t->object && same && l->held != HELD_NO)
			return false;
	}
	return true;
}

static void join(struct flow *f, struct flow *other)
{
	f->lost |= other->lost;
	for (unsigned i = 0; i < f->n; i++) {
		struct flow_lock *l = find(other, f->lock[i].object, f->lock[i].key, false);

		if (f->lock[i].held != (l ? l->held : HELD_NO))
			f->lock[i].held = HELD_MAYBE;
	}
	for (unsigned i = 0; i < other->n; i++) {
		const struct flow_lock *l = &other->lock[i];
		struct flow_lock *mine = find(f, l->object, l->key, false);

		if (mine || l->held == HELD_NO)
			continue;
		mine = find(f, l->object, l->key, true);
		if (mine)
			mine->held = HELD_MAYBE;
	}
}

/* -- where sleeping is forbidden --------------------------------------------------------------------- */

static bool is_spinlock(const struct parser *p, uint32_t object, bool *known)
{
	unsigned caps = 0;

	*known = check_model_caps(p, p->scn->lock[object].model, &caps);
	return *known && caps & SCN_CAP_SPIN;
}

/* The spinlock that is surely held here, or NULL. */
static const struct scn_lock *spinning_under(const struct parser *p, const struct flow *f)
{
	bool known;

	for (unsigned i = 0; i < f->n; i++)
		if (f->lock[i].held == HELD_YES && is_spinlock(p, f->lock[i].object, &known))
			return &p->scn->lock[f->lock[i].object];
	return NULL;
}

static void may_sleep(struct flow_walk *w, const struct scn_stmt *s, const struct flow *f, const char *what)
{
	const struct scn_lock *spin = spinning_under(w->p, f);

	if (f->atomic)
		parse_fail(w->p, SIM_DIAG_sleeps_in_atomic, s->pos, "%s may sleep, and this is %s", what,
			   f->why);
	else if (spin)
		parse_fail(w->p, SIM_DIAG_sleeps_in_atomic, s->pos,
			   "%s may sleep, and spinlock \"%.60s\" is held", what, spin->name);
}

/* -- statements ---------------------------------------------------------------------------------------- */

static void flow_acquire(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	const struct scn_lock *lock = &w->p->scn->lock[s->target.object];
	bool known, spin = is_spinlock(w->p, s->target.object, &known);
	g_autofree char *what = g_strdup_printf("taking \"%.60s\"", lock->name);

	if (known && !spin && !s->try)
		may_sleep(w, s, f, what);
}

/* lock, read, write, take: the else is a path of its own. */
static bool flow_lock(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	struct flow failed = *f;
	bool ends;

	flow_acquire(w, s, f);
	if (s->kind == SCN_ACQUIRE)
		set_held(f, &s->target, HELD_YES);
	if (!s->has_else)
		return false;
	ends = flow_list(w, s->orelse, &failed);
	if (!ends)
		join(f, &failed);
	return false;
}

static bool flow_hold(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	struct flow failed = *f;
	bool body_ends, else_ends;

	flow_acquire(w, s, f);
	set_held(f, &s->target, HELD_YES);
	body_ends = flow_list(w, s->body, f);
	set_held(f, &s->target, HELD_NO);
	if (!s->has_else)
		return body_ends;
	else_ends = flow_list(w, s->orelse, &failed);
	if (body_ends)
		*f = failed;
	else if (!else_ends)
		join(f, &failed);
	return body_ends && else_ends;
}

static void flow_drop(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	const char *verb = s->kind == SCN_UNLOCK ? "unlocks" : "downgrades";

	if (surely_free(f, &s->target))
		parse_fail(w->p, SIM_DIAG_not_held, s->pos, "this %s \"%.60s\", which is not held here", verb,
			   w->p->scn->lock[s->target.object].name);
	if (s->kind == SCN_UNLOCK)
		set_held(f, &s->target, HELD_NO);
}

/* Marks as uncertain what @list takes or drops: it may have happened in an earlier turn, or not yet. */
static void unsettle(struct flow *f, const struct scn_stmt *list)
{
	for (const struct scn_stmt *s = list; s; s = s->next) {
		if (s->kind == SCN_ACQUIRE || s->kind == SCN_UNLOCK) {
			struct flow_lock *l = find(f, s->target.object, key_of(&s->target), true);

			if (l && (l->held == HELD_NO) == (s->kind == SCN_ACQUIRE))
				l->held = HELD_MAYBE;
		}
		unsettle(f, s->body);
		unsettle(f, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			unsettle(f, s->branch[i].body);
	}
}

static bool flow_loop(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	struct flow before = *f;

	unsettle(f, s->body);
	flow_list(w, s->body, f);
	if (check_is_endless(s))
		return true;
	join(f, &before);
	unsettle(f, s->body); /* a break may leave from anywhere */
	return false;
}

static bool flow_choose(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	struct flow before = *f, branch;
	bool ends = true;

	for (unsigned i = 0; i < s->nbranch; i++) {
		branch = before;
		if (flow_list(w, s->branch[i].body, &branch))
			continue;
		if (ends)
			*f = branch;
		else
			join(f, &branch);
		ends = false;
	}
	return ends;
}

static bool flow_atomic(struct flow_walk *w, const struct scn_stmt *s, struct flow *f, const char *why)
{
	const char *outer = f->why;
	bool ends;

	f->atomic++;
	f->why = why;
	ends = flow_list(w, s->body, f);
	f->atomic--;
	f->why = outer;
	return ends;
}

/* The lock of a condition is let go and taken again, also if the wait fails. */
static bool flow_wait(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	if (s->with && surely_free(f, s->with)) {
		parse_fail(w->p, SIM_DIAG_not_held, s->pos, "this waits with \"%.60s\", which is not held here",
			   w->p->scn->lock[s->with->object].name);
		set_held(f, s->with, HELD_MAYBE); /* said once */
	}
	return flow_lock(w, s, f);
}

/* True if control does not go on behind @s. */
static bool flow_statement(struct flow_walk *w, const struct scn_stmt *s, struct flow *f)
{
	switch (s->kind) {
	case SCN_SLEEP:
		may_sleep(w, s, f, "\"sleep\"");
		return false;
	case SCN_AT:
		may_sleep(w, s, f, "\"at\"");
		return false;
	case SCN_PERIOD:
		may_sleep(w, s, f, "\"period\"");
		return false;
	case SCN_YIELD:
		may_sleep(w, s, f, "\"yield\"");
		return false;
	case SCN_RESCHED:
		may_sleep(w, s, f, "\"resched\"");
		return false;
	case SCN_MEET:
		may_sleep(w, s, f, "\"meet\"");
		return false;
	case SCN_ACQUIRE:
	case SCN_TAKE:
		return flow_lock(w, s, f);
	case SCN_WAIT:
		return flow_wait(w, s, f);
	case SCN_HOLD:
		return flow_hold(w, s, f);
	case SCN_UNLOCK:
	case SCN_DOWNGRADE:
		flow_drop(w, s, f);
		return false;
	case SCN_LOOP:
	case SCN_UNTIL:
		return flow_loop(w, s, f);
	case SCN_CHOOSE:
		return flow_choose(w, s, f);
	case SCN_PREEMPT_OFF:
		return flow_atomic(w, s, f, "under \"preempt off\"");
	case SCN_IRQ_OFF:
		return flow_atomic(w, s, f, "under \"irq off\"");
	case SCN_KERNEL:
	case SCN_FAULT:
		return flow_list(w, s->body, f);
	case SCN_BREAK:
	case SCN_EXIT:
		return true;
	case SCN_RUN:
	case SCN_SIGNAL:
	case SCN_KILL:
	case SCN_SET:
	case SCN_WAKE:
	case SCN_WAKEALL:
	case SCN_POST:
	case SCN_MARK:
	case SCN_DONE:
	case SCN_TOUCH:
	case SCN_SHOOTDOWN:
	case SCN_TELL: /* what others are told */
	case SCN_AWAIT:
	case SCN_CHECK:
		break;
	}
	return false;
}

static bool flow_list(struct flow_walk *w, const struct scn_stmt *list, struct flow *f)
{
	for (const struct scn_stmt *s = list; s && !parse_stopped(w->p); s = s->next) {
		if (!flow_statement(w, s, f))
			continue;
		if (s->next)
			parse_fail(w->p, SIM_DIAG_never_reached, s->next->pos, "this is never reached");
		return true;
	}
	return false;
}

void check_flow(struct parser *p)
{
	struct flow_walk w = {.p = p};

	for (unsigned i = 0; i < p->scn->ntask && !parse_stopped(p); i++) {
		struct flow f = {0};

		flow_list(&w, p->scn->task[i].body, &f);
	}
	for (unsigned i = 0; i < p->scn->nirq && !parse_stopped(p); i++) {
		struct flow f = {.atomic = 1, .why = "an interrupt"};

		flow_list(&w, p->scn->irq[i].body, &f);
	}
}
