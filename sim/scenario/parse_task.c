/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements of tasks and interrupts. Grammar: parse.c. */
#include <string.h>

#include "sim/scenario/parse.h"

/* -- loops and branches ------------------------------------------------------------------------ */

static bool parse_loop(struct parser *p, struct scn_stmt *s)
{
	bool ok;

	s->kind = SCN_LOOP;
	if (!parse_is(p, '{') && !parse_quantity(p, WANT_COUNT, EXPR_BODY, "the number of turns", &s->arg))
		return false;
	p->loops++;
	ok = parse_block(p, &s->body);
	p->loops--;
	return ok;
}

static bool parse_until(struct parser *p, struct scn_stmt *s)
{
	bool ok;

	s->kind = SCN_UNTIL;
	if (!parse_quantity(p, WANT_TIME, EXPR_BODY, "the time until which to loop", &s->arg))
		return false;
	p->loops++;
	ok = parse_block(p, &s->body);
	p->loops--;
	return ok;
}

static bool parse_branch(struct parser *p, struct scn_branch *b)
{
	b->pos = p->tok.pos;
	if (parse_is_name(p, "else")) {
		parse_advance(p);
		b->otherwise = true;
	} else if (parse_is_name(p, "decay")) {
		parse_advance(p);
		b->decay = true;
		if (!parse_need(p, '(', "\"($K, N)\"") ||
		    !parse_quantity(p, WANT_COUNT, EXPR_INSTANCE | EXPR_TURN | EXPR_DONES, "what decays",
				    &b->decay_k) ||
		    !parse_need(p, ',', "\",\" and the constant of the decay") ||
		    !parse_quantity(p, WANT_COUNT, EXPR_CONST, "the constant of the decay", &b->decay_n) ||
		    !parse_need(p, ')', "\")\""))
			return false;
		if (b->decay_n != &p->poison && !b->decay_n->value)
			parse_fail(p, SIM_DIAG_divides_by_zero, b->decay_n->pos,
				   "the constant of the decay cannot be zero");
	} else if (!parse_quantity(p, WANT_ANY, EXPR_CONST, "a weight, \"decay\" or \"else\"", &b->weight)) {
		return false;
	}
	return parse_need(p, ':', "\":\" and a block") && parse_block(p, &b->body);
}

/* Weights are of one kind; decay comes with else, and both stand where they are read so. */
static void check_branches(struct parser *p, struct scn_stmt *s)
{
	const struct scn_expr *first = NULL;
	uint64_t sum = 0;
	bool decay = false, otherwise = false;

	for (unsigned i = 0; i < s->nbranch; i++) {
		const struct scn_branch *b = &s->branch[i];
		const struct scn_expr *w = b->weight;

		decay |= b->decay;
		otherwise |= b->otherwise;
		if ((b->decay && (i || s->nbranch != 2)) || (b->otherwise && (i != 1 || !decay))) {
			parse_fail(p, SIM_DIAG_decay_shape, b->pos,
				   "%s: choose { decay($K, N): { ... } else: { ... } }",
				   b->otherwise ? "\"else\" belongs to \"decay\""
						: "\"decay\" takes one \"else\" and no weights");
			return;
		}
		if (!w || w == &p->poison)
			continue;
		if ((w->unit != SCN_COUNT && w->unit != SCN_PERCENT) || (first && first->unit != w->unit)) {
			parse_fail(p, SIM_DIAG_wrong_unit, w->pos,
				   "weights are all counts or all percentages");
			return;
		}
		first = first ? first : w;
		sum = sum + w->value < sum ? UINT64_MAX : sum + w->value;
	}
	if (decay && !otherwise)
		parse_fail(p, SIM_DIAG_decay_shape, s->pos,
			   "\"decay\" needs an \"else\": choose { decay($K, N): { ... } else: { ... } }");
	else if (first && (!sum || sum > UINT32_MAX))
		parse_fail(p, SIM_DIAG_bad_weights, s->pos,
			   sum ? "these weights sum to more than 2^32" : "all weights are zero");
}

static bool parse_choose(struct parser *p, struct scn_stmt *s)
{
	g_autoptr(GArray) branches = g_array_new(FALSE, TRUE, sizeof(struct scn_branch));
	unsigned errors = p->diags->errors;

	s->kind = SCN_CHOOSE;
	if (!parse_need(p, '{', "\"{\" and weighted blocks"))
		return false;
	while (!parse_is(p, '}')) {
		struct scn_branch b = {0};

		if (branches->len == PARSE_MAX_LIST)
			return parse_too_many(p, SIM_DIAG_list_too_long, p->tok.pos, "branches",
					      PARSE_MAX_LIST);
		if (!parse_branch(p, &b))
			return false;
		g_array_append_val(branches, b);
	}
	parse_advance(p);
	s->nbranch = branches->len;
	s->branch = scn_new_array(p->mem, struct scn_branch, branches->len);
	if (branches->len)
		memcpy(s->branch, branches->data, sizeof(*s->branch) * branches->len);
	if (!branches->len)
		parse_fail(p, SIM_DIAG_bad_weights, s->pos, "nothing to choose from");
	else if (p->diags->errors == errors)
		check_branches(p, s);
	return true;
}

/* -- the others --------------------------------------------------------------------------------- */

static bool parse_set(struct parser *p, struct scn_stmt *s)
{
	s->kind = SCN_SET;
	if (!parse_target(p, REF_TASK, 0, "set", EXPR_BODY, &s->target))
		return false;
	if (!parse_at_sched(p))
		return parse_expected(p, "\"fifo\", \"rr\", \"nice\" or \"deadline\"");
	return parse_sched(p, &s->sched, EXPR_BODY & ~EXPR_RANDOM);
}

static bool parse_off(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind)
{
	s->kind = kind;
	if (!parse_take_name(p, "off"))
		return parse_expected(p, "\"off\" and a block");
	return parse_block(p, &s->body);
}

static uint32_t intern(struct parser *p, GPtrArray *list, GHashTable *index, const char *text)
{
	uint32_t i = GPOINTER_TO_UINT(g_hash_table_lookup(index, text));

	if (i)
		return i;
	g_ptr_array_add(list, (void *)text);
	i = list->len - 1; /* [0] is "" */
	g_hash_table_insert(index, (void *)text, GUINT_TO_POINTER(i));
	return i;
}

static bool parse_done(struct parser *p, struct scn_stmt *s)
{
	struct sim_pos pos;

	s->kind = SCN_DONE;
	if (p->tok.kind != TOK_NAME || p->tok.kw != KW_NONE)
		return true;
	if (!parse_new_name(p, "a name", &s->text, &pos))
		return false;
	s->text_index = intern(p, p->dones, p->done_index, s->text);
	return true;
}

static bool parse_mark(struct parser *p, struct scn_stmt *s)
{
	s->kind = SCN_MARK;
	if (!parse_text(p, "the text of the mark, in double quotes", &s->text))
		return false;
	s->text_index = intern(p, p->strings, p->string_index, s->text);
	return true;
}

static bool parse_timed(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind, const char *what)
{
	s->kind = kind;
	return parse_quantity(p, WANT_TIME, EXPR_BODY, what, &s->arg);
}

/* period D [ on GRID ] [ reset ] */
static bool parse_period(struct parser *p, struct scn_stmt *s)
{
	struct sim_pos pos;

	if (!parse_timed(p, s, SCN_PERIOD, "the period"))
		return false;
	if (parse_take_name(p, "on") && !parse_new_name(p, "a name for the grid", &s->text, &pos))
		return false;
	s->reset = parse_take_name(p, "reset");
	return true;
}

static bool parse_braced(struct parser *p, struct scn_stmt *s, enum scn_stmt_kind kind)
{
	s->kind = kind;
	return parse_block(p, &s->body);
}

static bool parse_plain(struct scn_stmt *s, enum scn_stmt_kind kind)
{
	s->kind = kind;
	return true;
}

/* What stands behind the statement's first word. */
static bool parse_rest(struct parser *p, struct scn_stmt *s, enum keyword kw)
{
	bool ok;

	if (parse_object_statement(p, s, kw, &ok))
		return ok;
	switch ((int)kw) {
	case KW_run:
		return parse_timed(p, s, SCN_RUN, "the run time");
	case KW_sleep:
		return parse_timed(p, s, SCN_SLEEP, "the time to sleep");
	case KW_at:
		return parse_timed(p, s, SCN_AT, "the time of the start");
	case KW_period:
		return parse_period(p, s);
	case KW_loop:
		return parse_loop(p, s);
	case KW_until:
		return parse_until(p, s);
	case KW_break:
		if (!p->loops)
			parse_fail(p, SIM_DIAG_break_outside_loop, s->pos,
				   "\"break\" leaves a loop, and there is no loop here");
		return parse_plain(s, SCN_BREAK);
	case KW_choose:
		return parse_choose(p, s);
	case KW_signal:
		s->kind = SCN_SIGNAL;
		return parse_target(p, REF_TASK, 0, "signal", EXPR_BODY, &s->target);
	case KW_kill:
		s->kind = SCN_KILL;
		return parse_target(p, REF_TASK, 0, "kill", EXPR_BODY, &s->target);
	case KW_set:
		return parse_set(p, s);
	case KW_preempt:
		return parse_off(p, s, SCN_PREEMPT_OFF);
	case KW_irq:
		return parse_off(p, s, SCN_IRQ_OFF);
	case KW_kernel:
		return parse_braced(p, s, SCN_KERNEL);
	case KW_fault:
		return parse_braced(p, s, SCN_FAULT);
	case KW_yield:
		return parse_plain(s, SCN_YIELD);
	case KW_exit:
		return parse_plain(s, SCN_EXIT);
	case KW_resched:
		return parse_plain(s, SCN_RESCHED);
	case KW_mark:
		return parse_mark(p, s);
	case KW_done:
		return parse_done(p, s);
	case KW_shootdown:
		return parse_plain(s, SCN_SHOOTDOWN);
	}
	return false;
}

/* Not a statement: says what it may have been, and consumes it. */
static bool bad_statement(struct parser *p)
{
	struct token t = p->tok;
	g_autofree char *word = g_strndup(t.at, MIN(t.len, 40));
	char meant[80];

	if (t.kind != TOK_NAME) {
		parse_expected(p, "a statement or \"}\"");
		parse_advance(p);
		return false;
	}
	parse_advance(p);
	if (t.kw == KW_else)
		return parse_fail(p, SIM_DIAG_misplaced_statement, t.pos,
				  "\"else\" follows an acquisition or the block of a hold");
	if (t.kw)
		return parse_fail(p, SIM_DIAG_misplaced_statement, t.pos,
				  lex_keyword_where(t.kw) ? "\"%s\" stands outside tasks"
							  : "\"%s\" begins no statement",
				  word);
	return parse_fail(p, SIM_DIAG_unknown_statement, t.pos, "no statement \"%s\"%s", word,
			  parse_instead(word, PARSE_IN_BODY, lex_keywords(KW_BODY), meant, sizeof(meant)));
}

/* A statement; NULL in *@out where it was wrong. */
static bool parse_statement(struct parser *p, struct scn_stmt **out)
{
	struct scn_stmt *s;
	enum keyword kw = p->tok.kw;

	*out = NULL;
	if (p->tok.kind != TOK_NAME || !(lex_keyword_where(kw) & KW_BODY))
		return bad_statement(p);
	if (p->nstmt == PARSE_MAX_STATEMENTS) {
		parse_fail(p, SIM_DIAG_too_many_statements, p->tok.pos, "more than %u statements",
			   PARSE_MAX_STATEMENTS);
		p->fatal = true;
		return false;
	}
	p->nstmt++;
	s = scn_new(p->mem, struct scn_stmt);
	s->id = ++p->scn->nstmt;
	s->pos = p->tok.pos;
	parse_advance(p);
	if (!parse_rest(p, s, kw))
		return false;
	*out = s;
	return true;
}

bool parse_block_ran_out(struct parser *p)
{
	struct token next, third;

	if (p->tok.kind == TOK_END)
		return true;
	if (p->tok.kind != TOK_NAME || !p->tok.first)
		return false;
	if (p->tok.kw != KW_run && p->tok.kw != KW_lock)
		return lex_keyword_where(p->tok.kw) == KW_TOP;
	parse_peek(p, &next, 1);
	if (p->tok.kw == KW_run) /* "run for", "run until" */
		return next.kind == TOK_NAME &&
		       ((next.len == 3 && !memcmp(next.at, "for", 3)) || next.kw == KW_until);
	parse_peek(p, &third, 2);
	return next.kind == TOK_NAME && third.kind == TOK_PUNCT && third.punct == ':'; /* "lock NAME :" */
}

bool parse_block(struct parser *p, struct scn_stmt **body)
{
	struct scn_stmt **tail = body, *s;
	struct sim_pos open = p->tok.pos;
	unsigned inside;

	if (!parse_is(p, '{'))
		return parse_expected(p, "\"{\" and a block of statements");
	if (!parse_nested(p))
		return false;
	parse_advance(p);
	inside = p->depth;
	while (!parse_is(p, '}') && !parse_stopped(p)) {
		if (parse_block_ran_out(p)) {
			if (!p->unclosed)
				parse_fail(p, SIM_DIAG_open_block, open, "this block is not closed");
			p->unclosed = true; /* one message, however many blocks are open */
			p->nesting--;
			p->depth = 0;
			return false;
		}
		if (!parse_statement(p, &s)) {
			if (p->unclosed)
				break;
			parse_resync(p, KW_BODY, inside);
			continue;
		}
		*tail = s;
		tail = &s->next;
	}
	p->nesting--;
	if (p->unclosed || parse_stopped(p))
		return false;
	parse_advance(p);
	return true;
}
