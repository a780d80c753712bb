/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the scenario front end: what the files that parse and check share.
 *
 *   load.c ── text ──> parse.c ┬ parse_decl.c    locks, machine, tasks' headers
 *                              ├ parse_machine.c its fields
 *                              ├ parse_task.c    statements, parse_acquire.c those about locks
 *                              ├ parse_expr.c    numbers, parse_quantity.c their units
 *                              ├ parse_director.c steps of a director
 *                              ├ parse_expect.c  expectations
 *                              └ parse_compare.c compare blocks
 *                      then resolve.c (names), sets.c (--set), check*.c (meaning)
 *
 * A parse function returns false after it has reported; its caller resynchronises once,
 * at the next statement. Mistakes that leave the shape intact (a missing unit) report and
 * return true, so that parsing goes on undisturbed.
 */
#ifndef SIM_SCENARIO_PARSE_H
#define SIM_SCENARIO_PARSE_H

#include <glib.h>

#include "sim/scenario/lex.h"
#include "sim/scenario/memory.h"
#include "sim/scenario/scenario.h"

#define PARSE_MAX_STATEMENTS 200000 /* in all tasks together */
#define PARSE_MAX_DECLS 200000	    /* declarations and expectations */
#define PARSE_MAX_NAME 64
#define PARSE_MAX_COMPARES 256
#define PARSE_MAX_SETTINGS 256 /* in one block */
#define PARSE_MAX_LIST 65536	    /* entries of one list */
#define PARSE_MAX_TERMS 256	    /* operators in one expression */
#define PARSE_MAX_INCLUDES 64
#define PARSE_MAX_OBJECTS 1000000   /* locks with all their instances, data lines */

enum symbol_kind { SYM_PARAM, SYM_OBJECT, SYM_TASK, SYM_INTERRUPT };

struct symbol {
	enum symbol_kind kind;
	uint32_t index; /* in its list */
	const char *name;
	struct sim_pos pos;
};

enum ref_kind {
	REF_OBJECT, /* *index: of a lock, completion, … of one of @kinds */
	REF_TASK,   /* *index */
	REF_CYCLE,  /* expect: a task or an interrupt, *who */
	REF_SLEEPS, /* expect: a task or a lock */
	REF_DONE,   /* expect: a task or the name of a done */
};

struct ref { /* a name whose declaration may come later */
	enum ref_kind kind;
	const char *name;
	struct sim_pos pos;
	unsigned kinds;		 /* 1 << enum scn_object_kind */
	const char *verb;	 /* the statement, for messages: "lock" */
	uint32_t *index;
	struct scn_who *who;
	struct scn_expect *expect;
};

struct set { /* one --set */
	const char *name;
	const struct sim_source *source; /* the whole "name=value" */
	const char *value;		 /* behind the '=' */
	bool used;
};

struct parser {
	struct scenario *scn;
	struct scn_memory *mem;
	const struct scn_options *options;
	const struct scn_vocabulary *vocabulary; /* never NULL; its functions may be */
	struct scn_limits limits;		 /* no zeros */
	struct sim_diags *diags;
	unsigned errors_before; /* of @diags when parsing began */
	struct lexer lex;
	struct token tok;	/* the current one */
	struct token last;	/* the one before */
	unsigned depth;		/* of braces consumed */
	bool misnamed[KW_COUNT]; /* words that were declared as names, and reported there */
	unsigned nesting;	/* of blocks and parentheses being parsed */
	bool parentheses;	/* around the name of a lock, and reported */
	bool lost;		/* a declaration could not be read: a missing name says nothing */
	bool fatal;		/* a limit was passed: read no further */
	bool unclosed;		/* a block was not closed and that was reported: leave all blocks */

	GPtrArray *params, *locks, *tasks, *irqs, *expects, *compares; /* in order */
	GPtrArray *compare_expects; /* of each compare: a GPtrArray of struct scn_expect */
	GPtrArray *sources, *dones, *strings;
	GHashTable *symbols;	/* name -> struct symbol; looked up, never walked */
	GHashTable *missing;	/* names that were reported; a set */
	GHashTable *done_index, *string_index;
	GArray *refs;		/* struct ref */
	GPtrArray *cycles;	/* expressions in cycles, to be turned into time */
	struct set *sets;
	unsigned nsets;
	unsigned nstmt, nexpect; /* against the limits */

	const char *root;	/* no include above this folder; NULL until needed */
	uint64_t bytes;		/* of all sources */
	GPtrArray *including;	/* canonical paths of the files being read */
	GPtrArray *included;	/* … and of those that were included */

	struct sim_pos scenario_pos, run_pos, director_pos, seed_pos, about_pos, origin_pos, machine_pos; /* line 0: not there */
	unsigned loops;		/* around this statement */
	bool in_interrupt;
	struct scn_compare *compare; /* whose expectations are read, or NULL */
	struct scn_expr poison;	/* stands for a number that was wrong and reported */
};

/* -- tokens (parse.c) ----------------------------------------------------------------------- */

void parse_advance(struct parser *p);
/* The current token, re-read as a WORD. */
void parse_reread_word(struct parser *p);
bool parse_is(const struct parser *p, int punct);
bool parse_is_name(const struct parser *p, const char *word); /* that very word, reserved or not */
/* The token @ahead (1, 2) behind the current one. */
void parse_peek(const struct parser *p, struct token *t, unsigned ahead);
bool parse_take(struct parser *p, int punct);		      /* advances if it is there */
bool parse_take_name(struct parser *p, const char *word);
/* Advances, or reports "expected …" and returns false. */
bool parse_need(struct parser *p, int punct, const char *what);
/* "expected @what, found …" at the current token. Returns false. */
bool parse_expected(struct parser *p, const char *what);
bool parse_fail(struct parser *p, enum sim_diag_code code, struct sim_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* "more than @max @what": reports, and nothing more is read. Returns false. */
bool parse_too_many(struct parser *p, enum sim_diag_code code, struct sim_pos pos, const char *what, unsigned max);
/* A name that may be declared: not reserved. @what: "a name for the lock". */
bool parse_new_name(struct parser *p, const char *what, const char **name, struct sim_pos *pos);
/* A name that is used. */
bool parse_name(struct parser *p, const char *what, const char **name, struct sim_pos *pos);
bool parse_word(struct parser *p, const char *what, const char **word, struct sim_pos *pos);
bool parse_text(struct parser *p, const char *what, const char **text);
/* Skips to the next statement at brace depth @depth. @where: KW_TOP or KW_BODY. */
void parse_resync(struct parser *p, unsigned where, unsigned depth);
/* … to the next line that begins with a word, or the closing brace. */
void parse_resync_steps(struct parser *p, unsigned depth);
bool parse_nested(struct parser *p);			/* false and a message when that is too deep */
char *parse_slice(struct parser *p, const struct token *t);
const char *parse_also(const struct sim_pos *pos, char *buf, size_t room); /* "file:line" */
bool parse_failed(const struct parser *p);  /* some error was reported */
bool parse_stopped(const struct parser *p); /* there were ten, or nothing sensible can follow */

/* A statement outside tasks; consumes at least one token. */
void parse_top(struct parser *p);

/* -- declarations (parse_decl.c) ------------------------------------------------------------- */

bool parse_param(struct parser *p);
bool parse_lock(struct parser *p);
bool parse_completion(struct parser *p);
bool parse_condition(struct parser *p);
bool parse_semaphore(struct parser *p);
bool parse_barrier(struct parser *p);
/* Is @word one of those that stand between the name of a task and its body? */
bool parse_is_clause(const char *word);
bool parse_task(struct parser *p);
bool parse_interrupt(struct parser *p);
bool parse_sched(struct parser *p, struct scn_sched *sched, unsigned allow);
bool parse_at_sched(const struct parser *p);
/* Declares @name, or reports where it was declared before. */
bool parse_declare(struct parser *p, enum symbol_kind kind, uint32_t index, const char *name, struct sim_pos pos);
const struct symbol *parse_symbol(const struct parser *p, const char *name);
/* NAME value pairs up to '}' or `expect`, for locks and compare blocks. */
bool parse_lock_settings(struct parser *p, GArray *set, unsigned *data_lines);
bool parse_add_setting(struct parser *p, GArray *set, const struct scn_setting *s);
struct scn_setting *parse_settings_done(struct parser *p, GArray *set, unsigned *n);

/* -- the machine (parse_machine.c) ---------------------------------------------------------- */

enum field_kind { FIELD_COUNT, FIELD_TIME, FIELD_WORD, FIELD_PRESET, FIELD_MODEL, FIELD_SHARE, FIELD_FREQUENCY, FIELD_COST };

struct field {
	const char *name;
	enum field_kind kind;
	uint64_t min, max;	  /* FIELD_COUNT */
	const char *const *words; /* FIELD_WORD */
};

bool parse_machine(struct parser *p);
const struct field *parse_find_field(const char *name);
const char *const *parse_field_names(void);
/* The value of @f into @s; the name is set already. */
bool parse_field_value(struct parser *p, const struct field *f, struct scn_setting *s);
bool parse_cost(struct parser *p, struct scn_setting *s);

/* -- numbers (parse_expr.c, parse_quantity.c) ------------------------------------------------------------------ */

#define EXPR_INSTANCE 1u /* $i */
#define EXPR_TURN 2u	 /* $k */
#define EXPR_DONES 4u	 /* $K */
#define EXPR_RANDOM 8u
#define EXPR_CONST 0u
#define EXPR_BODY (EXPR_INSTANCE | EXPR_TURN | EXPR_DONES | EXPR_RANDOM)

enum want { WANT_TIME, WANT_COUNT, WANT_PART /* ratio or percent */, WANT_FREQUENCY, WANT_ANY };

/* Any number, in whatever unit; @sums: with + - * /. */
bool parse_number(struct parser *p, unsigned allow, const char *what, bool sums, struct scn_expr **out);
const char *parse_unit_name(enum scn_unit unit); /* "a time" */
/* @what: "the run time". A wrong unit is reported and gives &p->poison and true. */
bool parse_quantity(struct parser *p, enum want want, unsigned allow, const char *what, struct scn_expr **out);
/* As above without sums: a number, a name, $i or (…). For "0-79", "$K, N" and "100/s". */
bool parse_atom(struct parser *p, enum want want, unsigned allow, const char *what, struct scn_expr **out);
/* A constant count within min..max. */
bool parse_count(struct parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *out);
struct scn_expr *parse_literal(struct parser *p, enum scn_unit unit, uint64_t value, struct sim_pos pos);
bool parse_is_constant(const struct scn_expr *e);

/* -- statements (parse_task.c) ---------------------------------------------------------------- */

/* '{' statements '}' */
bool parse_block(struct parser *p, struct scn_stmt **body);
/* Whether the text goes on with something that can only stand outside: the block was not closed. */
bool parse_block_ran_out(struct parser *p);
/* parse_acquire.c: a statement about a lock or the like; false if @kw begins none. *@ok: it was read. */
bool parse_object_statement(struct parser *p, struct scn_stmt *s, enum keyword kw, bool *ok);
/* { how }: try, timeout … into @s. */
bool parse_acquire_how(struct parser *p, struct scn_stmt *s);
/* parse_director.c */
bool parse_director(struct parser *p, struct sim_pos pos);
/* NAME [ '[' index ']' ] */
bool parse_target(struct parser *p, enum ref_kind kind, unsigned kinds, const char *verb, unsigned allow,
		  struct scn_target *target);

/* -- expectations (parse_expect.c) ------------------------------------------------------------ */

bool parse_expectation(struct parser *p, GPtrArray *list);
/* Does one stand here, without its "expect"? */
bool parse_is_expectation(struct parser *p);
bool parse_expect(struct parser *p);
bool parse_relation(struct parser *p, enum scn_rel *rel);
/* The text from @from to @to, blanks and comments squeezed to one blank. */
const char *parse_source_text(struct parser *p, const char *from, const char *to);
bool parse_compare(struct parser *p);

/* -- after the text -------------------------------------------------------------------------- */

void resolve_names(struct parser *p);	    /* resolve.c */
const char *scn_object_kind_name(enum scn_object_kind kind);
bool sets_read(struct parser *p);	    /* sets.c: splits --set, before parsing */
struct scn_expr *sets_param(struct parser *p, const char *name, enum scn_unit unit);
void sets_apply(struct parser *p);	    /* the others, after parsing */
void check_scenario(struct parser *p);	    /* check.c: the table of checks */
bool load_include(struct parser *p, const char *path, struct sim_pos pos); /* load.c: parses it in place */

/* Whether @pos was set. */
static inline bool parse_seen(const struct sim_pos *pos)
{
	return pos->line != 0;
}

/* The number of the error whose name is the next word, which is taken; 0: told that no lock answers it. */
int parse_error_name(struct parser *p);
/* " ; did you mean …" for a name, or "". @buf is for the answer. */
const char *parse_meant(const char *word, const char *const *names, char *buf, size_t room);
enum parse_place { PARSE_IN_BODY, PARSE_AT_TOP, PARSE_IN_HEADER };
/* The same for a word that stands where a statement or a clause would; other languages' words are known (habits.c). */
const char *parse_instead(const char *word, enum parse_place place, const char *const *names, char *buf, size_t room);
/* True the first time that @name is said to be missing: who forgot a declaration is told once. */
bool parse_missing(struct parser *p, const char *name);

#endif
