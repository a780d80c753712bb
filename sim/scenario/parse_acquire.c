/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements about locks, completions, semaphores and barriers. Grammar: parse.c. */
#include "sim/scenario/parse.h"

bool parse_target(struct parser *p, enum ref_kind kind, unsigned kinds, const char *verb, unsigned allow,
		  struct scn_target *target)
{
	struct ref ref = {.kind = kind, .kinds = kinds, .verb = verb, .index = &target->object};
	g_autofree char *what = g_strdup_printf("the %s to %s",
						kind == REF_TASK               ? "task"
						: kinds & 1u << SCN_SEMAPHORE  ? "semaphore"
						: kinds & 1u << SCN_COMPLETION ? "completion"
						: kinds & 1u << SCN_BARRIER    ? "barrier"
									       : "lock",
						verb);

	if (!parse_name(p, what, &ref.name, &ref.pos))
		return false;
	target->pos = ref.pos;
	g_array_append_val(p->refs, ref);
	if (!parse_take(p, '['))
		return true;
	return parse_quantity(p, WANT_COUNT, allow, "an instance number", &target->index) &&
	       parse_need(p, ']', "\"]\"");
}

static bool parse_object(struct parser *p, struct scn_stmt *s, unsigned kinds, const char *verb)
{
	return parse_target(p, REF_OBJECT, kinds, verb, EXPR_BODY, &s->target);
}

/* -- acquiring ------------------------------------------------------------------------------- */

static bool repeated(struct parser *p, bool seen)
{
	if (!seen)
		return false;
	parse_fail(p, SIM_DIAG_repeated_clause, p->tok.pos, "\"%.*s\" is given twice", (int)p->tok.len,
		   p->tok.at);
	return true;
}

bool parse_acquire_how(struct parser *p, struct scn_stmt *s)
{
	for (;;) {
		switch ((int)p->tok.kw) {
		case KW_timeout:
			if (repeated(p, s->timeout))
				return false;
			parse_advance(p);
			if (!parse_quantity(p, WANT_TIME, EXPR_BODY, "the timeout", &s->timeout))
				return false;
			break;
		case KW_try:
			if (repeated(p, s->try))
				return false;
			s->try = true;
			parse_advance(p);
			break;
		case KW_interruptible:
			if (repeated(p, s->interruptible))
				return false;
			s->interruptible = true;
			parse_advance(p);
			break;
		case KW_killable:
			if (repeated(p, s->killable))
				return false;
			s->killable = true;
			parse_advance(p);
			break;
		default:
			return true;
		}
	}
}

static bool parse_else(struct parser *p, struct scn_stmt *s)
{
	if (p->tok.kind != TOK_NAME || p->tok.kw != KW_else)
		return true;
	parse_advance(p);
	s->has_else = true;
	return parse_block(p, &s->orelse);
}

static const char *mode_verb(enum scn_mode mode)
{
	switch (mode) {
	case SCN_MODE_LOCK:
		return "lock";
	case SCN_MODE_READ:
		return "read";
	case SCN_MODE_WRITE:
		return "write";
	}
	return "";
}

static bool parse_acquire(struct parser *p, struct scn_stmt *s, enum scn_mode mode)
{
	s->kind = SCN_ACQUIRE;
	s->mode = mode;
	return parse_object(p, s, 1u << SCN_LOCK, mode_verb(mode)) && parse_acquire_how(p, s) && parse_else(p, s);
}

static bool parse_hold(struct parser *p, struct scn_stmt *s, enum scn_mode mode)
{
	s->kind = SCN_HOLD;
	s->mode = mode;
	return parse_object(p, s, 1u << SCN_LOCK, mode_verb(mode)) && parse_acquire_how(p, s) &&
	       parse_block(p, &s->body) && parse_else(p, s);
}

static bool parse_wait(struct parser *p, struct scn_stmt *s)
{
	guint ref = p->refs->len;

	s->kind = SCN_WAIT;
	if (!parse_object(p, s, 1u << SCN_COMPLETION, "wait for"))
		return false;
	if (parse_take_name(p, "with")) {
		g_array_index(p->refs, struct ref, ref).kinds = 1u << SCN_CONDITION;
		s->with = scn_new(p->mem, struct scn_target);
		if (!parse_target(p, REF_OBJECT, 1u << SCN_LOCK, "wait with", EXPR_BODY, s->with))
			return false;
	}
	return parse_acquire_how(p, s) && parse_else(p, s);
}

static bool parse_take_stmt(struct parser *p, struct scn_stmt *s)
{
	s->kind = SCN_TAKE;
	return parse_object(p, s, 1u << SCN_SEMAPHORE, "take") && parse_acquire_how(p, s) && parse_else(p, s);
}

/* -- what can be said of locks and their like -------------------------------------------------- */

static bool parse_plain_object(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind, unsigned kinds,
			       const char *verb)
{
	s->kind = kind;
	return parse_object(p, s, kinds, verb);
}

bool parse_object_statement(struct parser *p, struct scn_stmt *s, enum keyword kw, bool *ok)
{
	switch ((int)kw) {
	case KW_lock:
		*ok = parse_acquire(p, s, SCN_MODE_LOCK);
		return true;
	case KW_read:
		*ok = parse_acquire(p, s, SCN_MODE_READ);
		return true;
	case KW_write:
		*ok = parse_acquire(p, s, SCN_MODE_WRITE);
		return true;
	case KW_hold:
		*ok = parse_hold(p, s, SCN_MODE_LOCK);
		return true;
	case KW_reading:
		*ok = parse_hold(p, s, SCN_MODE_READ);
		return true;
	case KW_writing:
		*ok = parse_hold(p, s, SCN_MODE_WRITE);
		return true;
	case KW_wait:
		*ok = parse_wait(p, s);
		return true;
	case KW_take:
		*ok = parse_take_stmt(p, s);
		return true;
	case KW_unlock:
		*ok = parse_plain_object(p, s, SCN_UNLOCK, 1u << SCN_LOCK, "unlock");
		return true;
	case KW_downgrade:
		*ok = parse_plain_object(p, s, SCN_DOWNGRADE, 1u << SCN_LOCK, "downgrade");
		return true;
	case KW_touch:
		*ok = parse_plain_object(p, s, SCN_TOUCH, 1u << SCN_LOCK, "touch");
		return true;
	case KW_wake:
		*ok = parse_plain_object(p, s, SCN_WAKE, 1u << SCN_COMPLETION | 1u << SCN_CONDITION, "wake");
		return true;
	case KW_wakeall:
		*ok = parse_plain_object(p, s, SCN_WAKEALL, 1u << SCN_COMPLETION | 1u << SCN_CONDITION, "wakeall");
		return true;
	case KW_post:
		*ok = parse_plain_object(p, s, SCN_POST, 1u << SCN_SEMAPHORE, "post");
		return true;
	case KW_meet:
		*ok = parse_plain_object(p, s, SCN_MEET, 1u << SCN_BARRIER, "meet");
		return true;
	}
	return false;
}
