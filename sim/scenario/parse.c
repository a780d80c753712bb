/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scenario language. This file: tokens, messages, recovery.
 *
 *   scenario   = { top } ;
 *   top        = "scenario" STRING | "about" STRING { STRING } | "origin" STRING { STRING }
 *              | "include" STRING | "param" NAME "=" constant | "seed" constant
 *              | "machine" [ PRESET ] [ "{" { field } "}" ]
 *              | "lock" decl ":" MODEL [ "{" { setting } "}" ]
 *              | "completion" decl | "condition" decl | "semaphore" decl "=" constant | "barrier" NAME constant
 *              | "task" decl { header } block
 *              | "interrupt" NAME "cpu" constant "every" number [ "from" constant ] block
 *              | "run" "for" constant [ "warmup" constant ]
 *              | "run" "until" "done" [ "limit" constant ]
 *              | "expect" expectation | director
 *              | "compare" NAME ":" MODEL "{" { setting | "expect" expectation } "}" ;
 *   decl       = NAME [ "[" constant "]" ] ;
 *   field      = FIELD ( number | WORD | PRESET ) | "cost" NAME number ;
 *   setting    = NAME ( number | "on" | "off" ) | "data" constant ( "line" | "lines" ) ;
 *
 *   header     = sched | "cpu" number | "cpus" range { "," range } | "socket" number
 *              | "spread" | "pack" | "pin" | "group" NAME ;
 *   sched      = "fifo" number | "rr" number | "nice" [ "-" ] number
 *              | "deadline" number number [ number ] ;
 *   range      = atom [ "-" atom ] ;
 *
 *   block      = "{" { statement } "}" ;
 *   statement  = "run" number | "sleep" number | "at" number
 *              | "period" number [ "on" NAME ] [ "reset" ]
 *              | ( "lock" | "read" | "write" ) target { how } [ "else" block ]
 *              | ( "hold" | "reading" | "writing" ) target { how } block [ "else" block ]
 *              | "unlock" target | "downgrade" target | "touch" target
 *              | ( "take" | "wait" ) target [ "with" target ] { how } [ "else" block ]
 *              | "post" target | "wake" target | "wakeall" target | "meet" target
 *              | "loop" [ number ] block | "until" number block | "break"
 *              | "choose" "{" { branch } "}"
 *              | "signal" target | "kill" target | "set" target sched
 *              | ( "preempt" | "irq" ) "off" block | ( "kernel" | "fault" ) block
 *              | "yield" | "resched" | "exit" | "shootdown" | "mark" STRING | "done" [ NAME ] ;
 *   target     = NAME [ "[" number "]" ] ;
 *   how        = "try" | "interruptible" | "killable" | "timeout" number ;
 *   branch     = ( constant | "decay" "(" number "," constant ")" | "else" ) ":" block ;
 *
 *   number     = product { ( "+" | "-" ) product } ;
 *   product    = atom { ( "*" | "/" ) atom } ;
 *   atom       = DIGITS [ "." DIGITS ] [ UNIT ] | NAME | "$i" | "$k" | "$K" | "(" number ")"
 *              | ( "uniform" | "normal" | "lognormal" ) "(" number "," number ")"
 *              | "exp" "(" number ")"
 *              | "choice" "(" number ":" constant { "," number ":" constant } ")" ;
 *   constant   = number ;       without $ and distributions
 *
 * The grammar of expectations heads parse_expect.c, that of director blocks parse_director.c. NAME = letters, digits, "_"; MODEL, PRESET
 * and WORD = [a-z0-9.:_-]+; "#" begins a comment; a newline only helps recovery.
 *
 * Recovery: a parse function that fails leaves the tokens where it stopped; the loop that
 * called it skips to the next word that begins a statement, at the brace depth at which the
 * failed statement began. So one mistake gives one message.
 */
#include "sim/scenario/parse.h"

#include <stdarg.h>
#include <string.h>

/* -- tokens ----------------------------------------------------------------------------------- */

void parse_advance(struct parser *p)
{
	if (p->tok.kind == TOK_PUNCT && p->tok.punct == '{')
		p->depth++;
	else if (p->tok.kind == TOK_PUNCT && p->tok.punct == '}' && p->depth)
		p->depth--;
	p->last = p->tok;
	lex_next(&p->lex, &p->tok);
}

void parse_reread_word(struct parser *p)
{
	bool first = p->tok.first;

	if (p->tok.kind != TOK_NAME && p->tok.kind != TOK_NUMBER && p->tok.kind != TOK_PUNCT &&
	    p->tok.kind != TOK_BAD)
		return;
	p->lex.next = p->tok.kind == TOK_BAD ? p->lex.next : p->tok.at;
	lex_word(&p->lex, &p->tok);
	p->tok.first = first;
}

bool parse_is(const struct parser *p, int punct)
{
	return p->tok.kind == TOK_PUNCT && p->tok.punct == punct;
}

static bool token_is(const struct token *t, const char *word)
{
	return (t->kind == TOK_NAME || t->kind == TOK_WORD) && !strncmp(t->at, word, t->len) && !word[t->len];
}

bool parse_is_name(const struct parser *p, const char *word)
{
	return token_is(&p->tok, word);
}

void parse_peek(const struct parser *p, struct token *t, unsigned ahead)
{
	struct lexer lx = p->lex;

	for (lx.quiet = true; ahead; ahead--)
		lex_next(&lx, t);
}

bool parse_take(struct parser *p, int punct)
{
	if (!parse_is(p, punct))
		return false;
	parse_advance(p);
	return true;
}

bool parse_take_name(struct parser *p, const char *word)
{
	if (!parse_is_name(p, word))
		return false;
	parse_advance(p);
	return true;
}

bool parse_need(struct parser *p, int punct, const char *what)
{
	return parse_take(p, punct) || parse_expected(p, what);
}

/* -- messages --------------------------------------------------------------------------------- */

bool parse_failed(const struct parser *p)
{
	return p->diags->errors > p->errors_before;
}

bool parse_stopped(const struct parser *p)
{
	return p->fatal || p->diags->stopped;
}

bool parse_fail(struct parser *p, enum sim_diag_code code, struct sim_pos pos, const char *fmt, ...)
{
	char text[sizeof(p->diags->list[0].text)];
	va_list args;

	va_start(args, fmt);
	g_vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	sim_diag_add(p->diags, code, pos, "%s", text);
	return false;
}

bool parse_too_many(struct parser *p, enum sim_diag_code code, struct sim_pos pos, const char *what,
		    unsigned max)
{
	p->fatal = true;
	return parse_fail(p, code, pos, "more than %u %s", max, what);
}

/* Habits of other languages. */
static const char *habit(const struct parser *p, const char *what)
{
	if (parse_is(p, '('))
		return strstr(what, "\"{\"") ? "; blocks stand in { }" : "";
	if (parse_is(p, ','))
		return "; blanks separate, no commas";
	if (parse_is(p, '=') && strstr(what, "\":\""))
		return "; write \":\"";
	if (parse_is(p, '='))
		return "; a value follows its name without \"=\"";
	return "";
}

bool parse_expected(struct parser *p, const char *what)
{
	const struct token *t = &p->tok;
	int len = (int)MIN(t->len, 40);

	switch (t->kind) {
	case TOK_BAD:
		return false; /* reported when it was read */
	case TOK_END:
		return parse_fail(p, SIM_DIAG_syntax, t->pos, "expected %s, but the text ends", what);
	case TOK_STRING:
		return parse_fail(p, SIM_DIAG_syntax, t->pos, "expected %s, found a string", what);
	case TOK_NUMBER:
	case TOK_VAR:
	case TOK_NAME:
	case TOK_WORD:
	case TOK_PUNCT:
		break;
	}
	return parse_fail(p, SIM_DIAG_syntax, t->pos, "expected %s, found \"%.*s\"%s", what, len,
			  t->kind == TOK_VAR ? t->at - 1 : t->at, habit(p, what));
}

const char *parse_meant(const char *word, const char *const *names, char *buf, size_t room)
{
	const char *near = sim_nearest(word, names);

	buf[0] = '\0';
	if (near && strcmp(near, word))
		g_snprintf(buf, room, "; did you mean \"%.60s\"?", near);
	return buf;
}

bool parse_missing(struct parser *p, const char *name)
{
	return g_hash_table_add(p->missing, (void *)name);
}

const char *parse_also(const struct sim_pos *pos, char *buf, size_t room)
{
	g_snprintf(buf, room, "%s:%u:%u", pos->source ? pos->source->path : "command line", pos->line,
		   pos->column);
	return buf;
}

char *parse_slice(struct parser *p, const struct token *t)
{
	return scn_strndup(p->mem, t->at, t->len);
}

/* -- names and words -------------------------------------------------------------------------- */

bool parse_new_name(struct parser *p, const char *what, const char **name, struct sim_pos *pos)
{
	if (p->tok.kind == TOK_NAME && p->tok.kw && !p->tok.first) { /* first: the name was left out */
		parse_fail(p, SIM_DIAG_reserved_word, p->tok.pos,
			   "\"%.*s\" is a word of the language and cannot be a name", (int)p->tok.len,
			   p->tok.at);
		p->misnamed[p->tok.kw] = true;
		parse_advance(p);
		return false;
	}
	if (p->tok.kind != TOK_NAME || p->tok.kw)
		return parse_expected(p, what);
	if (p->tok.len > PARSE_MAX_NAME)
		return parse_fail(p, SIM_DIAG_bad_name, p->tok.pos, "names have at most %u characters",
				  PARSE_MAX_NAME);
	*name = parse_slice(p, &p->tok);
	*pos = p->tok.pos;
	parse_advance(p);
	return true;
}

/* "lock(m)" is read as "lock m", and said once. */
static bool in_parentheses(struct parser *p)
{
	struct token name, close;

	if (!parse_is(p, '('))
		return false;
	parse_peek(p, &name, 1);
	parse_peek(p, &close, 2);
	if (name.kind != TOK_NAME || close.kind != TOK_PUNCT || close.punct != ')')
		return false;
	if (!p->parentheses)
		parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "no parentheses; write a blank and \"%.*s\"",
			   (int)MIN(name.len, 40), name.at);
	p->parentheses = true;
	parse_advance(p);
	return true;
}

bool parse_name(struct parser *p, const char *what, const char **name, struct sim_pos *pos)
{
	bool close = in_parentheses(p);

	if (p->tok.kind != TOK_NAME || (p->tok.kw && !p->misnamed[p->tok.kw]))
		return parse_expected(p, what);
	*name = parse_slice(p, &p->tok);
	*pos = p->tok.pos;
	parse_advance(p);
	if (close)
		parse_take(p, ')');
	return true;
}

bool parse_word(struct parser *p, const char *what, const char **word, struct sim_pos *pos)
{
	parse_reread_word(p);
	if (p->tok.kind != TOK_WORD)
		return parse_expected(p, what);
	*word = parse_slice(p, &p->tok);
	*pos = p->tok.pos;
	parse_advance(p);
	return true;
}

bool parse_text(struct parser *p, const char *what, const char **text)
{
	if (p->tok.kind != TOK_STRING)
		return parse_expected(p, what);
	*text = parse_slice(p, &p->tok);
	parse_advance(p);
	return true;
}

/* -- recovery --------------------------------------------------------------------------------- */

/* Whether a statement seems to begin here. An unknown word that heads a line counts: it is another mistake.
 */
static bool statement_begins(const struct parser *p, unsigned where)
{
	if (p->tok.kind != TOK_NAME)
		return false;
	if (!p->tok.kw)
		return p->tok.first;
	return lex_keyword_where(p->tok.kw) & (where | KW_TOP);
}

void parse_resync(struct parser *p, unsigned where, unsigned depth)
{
	unsigned parens = 0; /* what stands in those is no statement, unless they were left open */

	p->lex.quiet = true;
	while (p->tok.kind != TOK_END) {
		bool closes = parse_is(p, '}'), inside = parens && p->tok.pos.column > 1;

		if (p->depth == depth && (closes || (!inside && statement_begins(p, where))))
			break;
		parens += parse_is(p, '(');
		parens -= parens && parse_is(p, ')');
		parse_advance(p);
		if (closes && !parens && p->depth == depth && !parse_is_name(p, "else"))
			break;
	}
	p->lex.quiet = false;
}

void parse_resync_steps(struct parser *p, unsigned depth)
{
	p->lex.quiet = true;
	while (p->tok.kind != TOK_END && !(p->depth == depth && (parse_is(p, '}') || (p->tok.first && p->tok.kind == TOK_NAME))))
		parse_advance(p);
	p->lex.quiet = false;
}

bool parse_nested(struct parser *p)
{
	if (p->nesting >= p->limits.max_nesting) {
		parse_fail(p, SIM_DIAG_nested_too_deep, p->tok.pos,
			   "more than %" G_GUINT64_FORMAT " levels of nesting", p->limits.max_nesting);
		p->fatal = true; /* nothing sensible can follow */
		return false;
	}
	p->nesting++;
	return true;
}
