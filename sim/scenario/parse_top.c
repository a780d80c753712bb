/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements outside tasks. Grammar: parse.c. */
#include <string.h>

#include "sim/scenario/parse.h"

/* For what may stand only once: reports the second. */
static bool once(struct parser *p, struct sim_pos *seen, struct sim_pos pos, const char *what)
{
	char where[300];

	if (!parse_seen(seen)) {
		*seen = pos;
		return true;
	}
	parse_fail(p, SIM_DIAG_duplicate_statement, pos, "a second \"%s\"", what);
	sim_diag_note(p->diags, "the first is at %s", parse_also(seen, where, sizeof(where)));
	return true;
}

static bool parse_title(struct parser *p, struct sim_pos pos)
{
	return once(p, &p->scenario_pos, pos, "scenario") &&
	       parse_text(p, "the name of the scenario, in double quotes", &p->scn->name);
}

/* One or several strings; each is a line. */
static bool parse_lines(struct parser *p, struct sim_pos pos, struct sim_pos *seen, const char *what,
			const char **out)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const char *line;

	once(p, seen, pos, what);
	if (!parse_text(p, "a string", &line))
		return false;
	g_string_append(text, line);
	while (p->tok.kind == TOK_STRING && parse_text(p, "", &line))
		g_string_append_printf(text, "\n%s", line);
	*out = scn_strndup(p->mem, text->str, text->len);
	return true;
}

static bool parse_include(struct parser *p)
{
	struct token t = p->tok;
	const char *path;

	if (!parse_text(p, "the file to include, in double quotes", &path))
		return false;
	return load_include(p, path, t.pos);
}

static bool parse_seed(struct parser *p, struct sim_pos pos)
{
	once(p, &p->seed_pos, pos, "seed");
	p->scn->has_seed = true;
	return parse_count(p, "the seed", 0, UINT64_MAX, &p->scn->seed);
}

static bool parse_run_line(struct parser *p, struct sim_pos pos)
{
	struct scenario *scn = p->scn;

	once(p, &p->run_pos, pos, "run");
	if (parse_take_name(p, "for")) {
		if (!parse_quantity(p, WANT_TIME, EXPR_CONST, "the length of the run", &scn->run_for))
			return false;
		return !parse_take_name(p, "warmup") ||
		       parse_quantity(p, WANT_TIME, EXPR_CONST, "the warm-up", &scn->warmup);
	}
	if (!parse_take_name(p, "until"))
		return parse_expected(p, "\"for TIME\" or \"until done\"");
	if (!parse_take_name(p, "done"))
		return parse_expected(p, "\"done\"");
	scn->until_done = true;
	return !parse_take_name(p, "limit") ||
	       parse_quantity(p, WANT_TIME, EXPR_CONST, "the limit", &scn->limit);
}

static bool parse_top_rest(struct parser *p, enum keyword kw, struct sim_pos pos)
{
	switch ((int)kw) {
	case KW_scenario:
		return parse_title(p, pos);
	case KW_about:
		return parse_lines(p, pos, &p->about_pos, "about", &p->scn->about);
	case KW_origin:
		return parse_lines(p, pos, &p->origin_pos, "origin", &p->scn->origin);
	case KW_include:
		return parse_include(p);
	case KW_param:
		return parse_param(p);
	case KW_machine:
		once(p, &p->machine_pos, pos, "machine");
		return parse_machine(p);
	case KW_lock:
		return parse_lock(p);
	case KW_completion:
		return parse_completion(p);
	case KW_semaphore:
		return parse_semaphore(p);
	case KW_barrier:
		return parse_barrier(p);
	case KW_condition:
		return parse_condition(p);
	case KW_director:
		once(p, &p->director_pos, pos, "director");
		return parse_director(p, pos);
	case KW_task:
		return parse_task(p);
	case KW_interrupt:
		return parse_interrupt(p);
	case KW_run:
		return parse_run_line(p, pos);
	case KW_seed:
		return parse_seed(p, pos);
	case KW_expect:
		return parse_expect(p);
	case KW_compare:
		return parse_compare(p);
	}
	return false;
}

/* Not a statement: says what it may have been, and consumes it. */
static bool bad_top(struct parser *p)
{
	struct token t = p->tok;
	g_autofree char *word = g_strndup(t.at, MIN(t.len, 40));
	char meant[80];

	p->lost = true;
	if (parse_is(p, '}')) {
		parse_advance(p);
		return parse_fail(p, SIM_DIAG_stray_brace, t.pos, "this \"}\" closes nothing");
	}
	if (t.kind != TOK_NAME) {
		parse_expected(p, "a statement");
		parse_advance(p);
		return false;
	}
	parse_advance(p);
	if (lex_keyword_where(t.kw) & KW_BODY)
		return parse_fail(p, SIM_DIAG_misplaced_statement, t.pos,
				  "\"%s\" is a statement of tasks; it stands inside task ... { }", word);
	if (t.kw && parse_is_clause(word))
		return parse_fail(p, SIM_DIAG_misplaced_statement, t.pos, "\"%s\" stands before the \"{\" of its task", word);
	return parse_fail(p, SIM_DIAG_unknown_statement, t.pos, "no statement \"%s\"%s", word,
			  parse_instead(word, PARSE_AT_TOP, lex_keywords(KW_TOP), meant, sizeof(meant)));
}

static bool declares(enum keyword kw)
{
	return kw == KW_param || kw == KW_lock || kw == KW_completion || kw == KW_semaphore ||
	       kw == KW_barrier || kw == KW_condition || kw == KW_task || kw == KW_interrupt ||
	       kw == KW_include;
}

void parse_top(struct parser *p)
{
	struct sim_pos pos = p->tok.pos;
	enum keyword kw = p->tok.kw;
	guint symbols = g_hash_table_size(p->symbols);
	bool ok;

	if (p->tok.kind != TOK_NAME || !(lex_keyword_where(kw) & KW_TOP)) {
		ok = bad_top(p);
	} else {
		parse_advance(p);
		ok = parse_top_rest(p, kw, pos);
	}
	p->loops = 0;
	p->nesting = 0;
	p->in_interrupt = false;
	p->compare = NULL;
	if (ok)
		return;
	if (declares(kw) && g_hash_table_size(p->symbols) == symbols)
		p->lost = true;
	if (p->unclosed)
		p->depth = 0;
	else if (!parse_stopped(p))
		parse_resync(p, KW_TOP, 0);
	p->unclosed = false;
}
