/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The director: steps given to tasks from outside, in logic time.
 *
 *   director = "director" "{" { step } "}" ;
 *   step     = "tell" target order | "await" fact | "check" fact ;
 *   order    = ( "lock" | "read" | "write" ) target { how } [ "park" ] | "unlock" target
 *            | "continue" | "signal" | "kill" | "set" sched | "reset" | "resetevents" ;
 *   fact     = target ( "free" | "trying" | "blocked" | "parked" | "holds" ) target
 *            | ( "prio" | "normal" ) target rel sched
 *            | "result" target rel ( "busy" | [ "-" ] ( ERROR | DIGITS ) ) | "event" target rel constant ;
 *
 * The block becomes the body of one more task, "director", which no other can outrun. None of the
 * words above is reserved elsewhere.
 */
#include <string.h>

#include "sim/scenario/parse.h"

static const char *const step_words[] = {"tell", "await", "check", NULL};
static const char *const order_words[] = {"lock", "read", "write", "unlock",      "continue", "signal",
					  "kill", "set",  "reset", "resetevents", NULL};
static const char *const state_words[] = {"free", "trying", "blocked", "parked", "holds", NULL};

/* Index of the current word in @words, or -1. */
static int word_index(const struct parser *p, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (parse_is_name(p, words[i]))
			return i;
	return -1;
}

/* "expected @what, found …", with the nearest of @words. */
static bool expected_word(struct parser *p, const char *what, const char *const *words)
{
	g_autofree char *word = g_strndup(p->tok.at, MIN(p->tok.len, 40));
	char meant[80];

	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, what);
	return parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "expected %s, found \"%s\"%s", what, word,
			  parse_meant(word, words, meant, sizeof(meant)));
}

static struct scn_stmt *new_statement(struct parser *p, enum scn_stmt_kind kind)
{
	struct scn_stmt *s = scn_new(p->mem, struct scn_stmt);

	p->nstmt++;
	s->id = ++p->scn->nstmt;
	s->pos = p->tok.pos;
	s->kind = kind;
	return s;
}

/* -- orders ----------------------------------------------------------------------------------------- */

static bool order_acquire(struct parser *p, struct scn_stmt *s, struct scn_stmt *told, enum scn_mode mode)
{
	static const char *const verbs[] = {"lock", "read", "write"};

	told->mode = mode;
	told->has_else = true; /* its result is there to be checked */
	if (!parse_target(p, REF_OBJECT, 1u << SCN_LOCK, verbs[mode], EXPR_CONST, &told->target) ||
	    !parse_acquire_how(p, told))
		return false;
	if (told->timeout && told->timeout != &p->poison && !parse_is_constant(told->timeout))
		parse_fail(p, SIM_DIAG_not_constant, told->timeout->pos,
			   "the timeout of an order must be a fixed time");
	s->step->park = parse_take_name(p, "park");
	return true;
}

static bool order_sched(struct parser *p, struct scn_sched *sched)
{
	if (!parse_at_sched(p))
		return parse_expected(p, "\"fifo\", \"rr\", \"nice\" or \"deadline\"");
	return parse_sched(p, sched, EXPR_CONST);
}

/* An order that another statement expresses: it becomes the body. */
static struct scn_stmt *told(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind)
{
	s->body = new_statement(p, kind);
	return s->body;
}

static bool parse_tell(struct parser *p, struct scn_stmt *s)
{
	int order;

	s->kind = SCN_TELL;
	if (!parse_target(p, REF_TASK, 0, "tell", EXPR_CONST, &s->target))
		return false;
	order = word_index(p, order_words);
	if (order < 0)
		return expected_word(p, "an order such as \"lock\", \"unlock\", \"continue\", \"signal\" or \"set\"",
				     order_words);
	parse_advance(p);
	switch (order) {
	case 0:
	case 1:
	case 2:
		return order_acquire(p, s, told(p, s, SCN_ACQUIRE), (enum scn_mode)order);
	case 3:
		return parse_target(p, REF_OBJECT, 1u << SCN_LOCK, "unlock", EXPR_CONST,
				    &told(p, s, SCN_UNLOCK)->target);
	case 4:
		s->step->order = SCN_ORDER_CONTINUE;
		return true;
	case 5:
		told(p, s, SCN_SIGNAL);
		return true;
	case 6:
		told(p, s, SCN_KILL);
		return true;
	case 7:
		return order_sched(p, &told(p, s, SCN_SET)->sched);
	case 8:
		s->step->order = SCN_ORDER_RESET;
		return true;
	case 9:
		s->step->order = SCN_ORDER_RESET_EVENTS;
		return true;
	}
	return false;
}

/* -- facts ------------------------------------------------------------------------------------------ */

static bool fact_state(struct parser *p, struct scn_stmt *s)
{
	int state;

	if (!parse_target(p, REF_TASK, 0, "look at", EXPR_CONST, &s->target))
		return false;
	state = word_index(p, state_words);
	if (state < 0)
		return expected_word(p, "\"free\", \"trying\", \"blocked\", \"parked\" or \"holds\"", state_words);
	s->step->fact = SCN_FACT_STATE;
	s->step->state = (enum scn_lock_state)state;
	parse_advance(p);
	return parse_target(p, REF_OBJECT, 1u << SCN_LOCK, "look at", EXPR_CONST, &s->step->lock);
}

static bool fact_prio(struct parser *p, struct scn_stmt *s, enum scn_fact fact)
{
	s->step->fact = fact;
	return parse_target(p, REF_TASK, 0, "look at", EXPR_CONST, &s->target) &&
	       parse_relation(p, &s->step->rel) && order_sched(p, &s->step->sched);
}

static bool fact_event(struct parser *p, struct scn_stmt *s)
{
	uint64_t n;

	s->step->fact = SCN_FACT_EVENT;
	if (!parse_target(p, REF_TASK, 0, "look at", EXPR_CONST, &s->target) ||
	    !parse_relation(p, &s->step->rel) || !parse_count(p, "a number of events", 0, INT32_MAX, &n))
		return false;
	s->step->value = (int)n;
	return true;
}

static bool fact_result(struct parser *p, struct scn_stmt *s)
{
	int sign = 1;
	uint64_t n;

	s->step->fact = SCN_FACT_RESULT;
	if (!parse_target(p, REF_TASK, 0, "look at", EXPR_CONST, &s->target) ||
	    !parse_relation(p, &s->step->rel))
		return false;
	if (parse_take_name(p, "busy")) {
		s->step->value = SCN_RESULT_BUSY;
		return true;
	}
	if (parse_take(p, '-'))
		sign = -1;
	if (sign < 0 && p->tok.kind == TOK_NAME) {
		s->step->value = -parse_error_name(p);
		return true;
	}
	if (p->tok.kind != TOK_NUMBER)
		return parse_expected(p, "\"busy\", \"0\" or an error such as \"-EINTR\"");
	if (!parse_count(p, "a result", 0, 4095, &n))
		return false;
	s->step->value = sign * (int)n;
	return true;
}

static bool parse_fact(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind)
{
	struct token next;

	s->kind = kind;
	parse_peek(p, &next, 1);
	if (next.kind == TOK_NAME) { /* "prio T = …", not "prio blocked L" */
		static const char *const facts[] = {"prio", "normal", "result", "event", NULL};
		bool task = true;

		for (unsigned i = 0; state_words[i]; i++)
			if (strlen(state_words[i]) == next.len && !memcmp(state_words[i], next.at, next.len))
				task = false;
		switch (task ? word_index(p, facts) : -1) {
		case 0:
			parse_advance(p);
			return fact_prio(p, s, SCN_FACT_PRIO);
		case 1:
			parse_advance(p);
			return fact_prio(p, s, SCN_FACT_NORMAL);
		case 2:
			parse_advance(p);
			return fact_result(p, s);
		case 3:
			parse_advance(p);
			return fact_event(p, s);
		}
	}
	return fact_state(p, s);
}

/* -- the block -------------------------------------------------------------------------------------- */

static bool parse_step(struct parser *p, struct scn_stmt **out)
{
	struct scn_stmt *s;
	struct token t = p->tok;
	int word = word_index(p, step_words);
	bool ok;

	if (word < 0 && lex_keyword_where(t.kw) & KW_BODY) {
		parse_advance(p);
		return parse_fail(p, SIM_DIAG_misplaced_statement, t.pos,
				  "\"%.*s\" is a statement of tasks; a director writes \"tell TASK ORDER\"", (int)t.len, t.at);
	}
	if (word < 0) {
		expected_word(p, "\"tell\", \"await\" or \"check\"", step_words);
		parse_advance(p);
		return false;
	}
	if (p->nstmt >= PARSE_MAX_STATEMENTS) {
		p->fatal = true;
		return parse_fail(p, SIM_DIAG_too_many_statements, t.pos, "more than %u statements",
				  PARSE_MAX_STATEMENTS);
	}
	s = new_statement(p, SCN_TELL);
	s->step = scn_new(p->mem, struct scn_step);
	parse_advance(p);
	ok = !word ? parse_tell(p, s) : parse_fact(p, s, word == 1 ? SCN_AWAIT : SCN_CHECK);
	if (!ok)
		return false;
	s->text = parse_source_text(p, t.at, p->last.at + p->last.len);
	*out = s;
	return true;
}

static struct scn_task *director_task(struct parser *p, struct sim_pos pos)
{
	struct scn_task *task = scn_new(p->mem, struct scn_task);

	task->name = "director";
	task->count = 1;
	task->pos = pos;
	task->director = true;
	task->sched.policy = SCN_POLICY_FIFO;
	task->sched.priority = parse_literal(p, SCN_COUNT, 99, pos);
	return task;
}

bool parse_director(struct parser *p, struct sim_pos pos)
{
	struct scn_task *task = director_task(p, pos);
	struct scn_stmt **tail = &task->body, *s = NULL;
	struct sim_pos open = p->tok.pos;
	unsigned inside;

	if (!parse_need(p, '{', "\"{\" and the director's steps"))
		return false;
	inside = p->depth;
	while (!parse_is(p, '}') && !parse_stopped(p)) {
		if (parse_block_ran_out(p)) {
			p->unclosed = true;
			return parse_fail(p, SIM_DIAG_open_block, open, "this block is not closed");
		}
		if (!parse_step(p, &s)) {
			parse_resync_steps(p, inside);
			continue;
		}
		*tail = s;
		tail = &s->next;
	}
	if (parse_stopped(p))
		return false;
	parse_advance(p);
	g_ptr_array_add(p->tasks, task);
	return true;
}
