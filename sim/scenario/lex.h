/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of the scenario language. Tokens are slices of the text: nothing is copied.
 *
 * The lexer works on demand, because two contexts read letters differently: a model,
 * preset or finding is one WORD ("rwsem-3.12", "kernel:rwsem", "exit-holding"), while
 * everywhere else "0-79" is a number, a minus sign and a number.
 */
#ifndef SIM_SCENARIO_LEX_H
#define SIM_SCENARIO_LEX_H

#include "sim/scenario/scenario.h"

#define LEX_LINE_MAX 4096 /* bytes of one line */

/* Where a reserved word may begin a statement. */
#define KW_TOP 1u
#define KW_BODY 2u

/* Reserved words that begin a statement outside tasks */
#define SCN_TOP_WORDS(X) \
	X(scenario) X(about) X(origin) X(include) X(param) X(machine) X(completion) \
	X(semaphore) X(barrier) X(condition) X(task) X(interrupt) X(director) X(seed) \
	X(expect) X(compare)

/* … inside tasks */
#define SCN_BODY_WORDS(X) \
	X(sleep) X(at) X(period) X(read) X(write) X(unlock) X(downgrade) X(hold) X(reading) \
	X(writing) X(loop) X(until) X(break) X(choose) X(signal) X(kill) X(set) X(wait) \
	X(wake) X(wakeall) X(post) X(take) X(meet) X(preempt) X(irq) X(kernel) X(fault) \
	X(yield) X(exit) X(mark) X(done) X(resched) X(touch) X(shootdown)

/* … in both */
#define SCN_BOTH_WORDS(X) \
	X(lock) X(run)

/* … and those that begin none */
#define SCN_OTHER_WORDS(X) \
	X(else) X(timeout) X(interruptible) X(killable) X(try) X(with) X(fifo) X(rr) X(nice) \
	X(deadline) X(cpu) X(cpus) X(socket) X(spread) X(pack) X(pin) X(group) X(every) \
	X(cost) X(uniform) X(exp) X(normal) X(lognormal) X(choice) X(decay)

enum keyword {
	KW_NONE,
#define X(word) KW_##word,
	SCN_TOP_WORDS(X) SCN_BODY_WORDS(X) SCN_BOTH_WORDS(X) SCN_OTHER_WORDS(X)
#undef X
	KW_COUNT
};

enum token_kind {
	TOK_END,    /* of this text */
	TOK_NAME,   /* letters, digits, '_'; kw says if it is reserved */
	TOK_WORD,   /* only from lex_word() */
	TOK_NUMBER, /* value and unit */
	TOK_STRING, /* at and len are inside the quotes */
	TOK_VAR,    /* "$i": at and len without the '$' */
	TOK_PUNCT,  /* punct: the character, or one of enum punct */
	TOK_BAD,    /* was reported already */
};

enum punct { PUNCT_LE = 256, PUNCT_GE, PUNCT_NE, PUNCT_EQEQ, PUNCT_EQLT, PUNCT_EQGT, PUNCT_DOTS };

struct token {
	enum token_kind kind;
	int punct;
	enum keyword kw;
	bool first;	     /* the first of its line */
	const char *at;	     /* the slice */
	uint32_t len;
	struct sim_pos pos;
	uint64_t value;	     /* base units: ps, cycles, ppm, kHz; a plain count */
	enum scn_unit unit;
};

struct lexer {
	const struct sim_source *source;
	struct sim_diags *diags;
	const char *next, *end, *line_start;
	uint32_t line;
	bool first; /* no token of this line was delivered yet */
	bool quiet; /* report nothing: skipping after an error */
	bool semicolons; /* the first was reported; the others are blanks */
	bool comments;	 /* as above, of those in the manner of C */
};

void lex_begin(struct lexer *lx, const struct sim_source *source, struct sim_diags *diags);
/* The next token. Something that is no token is reported and delivered as TOK_BAD. */
void lex_next(struct lexer *lx, struct token *t);
/* The next token, read as a WORD [a-z0-9.:_-]+ if there is one, else as by lex_next(). */
void lex_word(struct lexer *lx, struct token *t);

/* KW_TOP, KW_BODY. */
unsigned lex_keyword_where(enum keyword kw);
/* The words that may have been meant by a misspelled one at @where, NULL-terminated. */
const char *const *lex_keywords(unsigned where);

#endif
