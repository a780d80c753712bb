/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine block. Grammar: parse.c; meanings: docs/machine.md. */
#include <string.h>

#include "sim/scenario/parse.h"

static const char *const preempt_words[] = {"none", "voluntary", "full", "lazy", "rt", NULL};
static const char *const fair_words[] = {"cfs", "eevdf", NULL};
static const char *const kernel_words[] = {"smp", "up", NULL};
static const char *const lazy_tlb_words[] = {"off", "on", NULL};

/* Upper ends are the text's; how many CPUs there may be together is checked later. */
static const struct field fields[] = {
	{.name = "sockets", .kind = FIELD_COUNT, .min = 1, .max = UINT32_MAX},
	{.name = "cores", .kind = FIELD_COUNT, .min = 1, .max = UINT32_MAX},
	{.name = "threads", .kind = FIELD_COUNT, .min = 1, .max = UINT32_MAX},
	{.name = "cluster", .kind = FIELD_COUNT, .min = 0, .max = UINT32_MAX},
	{.name = "costs", .kind = FIELD_PRESET},
	{.name = "cost", .kind = FIELD_COST},
	{.name = "preempt", .kind = FIELD_WORD, .words = preempt_words},
	{.name = "hz", .kind = FIELD_COUNT, .min = 1, .max = 100000},
	{.name = "fair", .kind = FIELD_WORD, .words = fair_words},
	{.name = "rawspin", .kind = FIELD_MODEL},
	{.name = "kernel", .kind = FIELD_WORD, .words = kernel_words},
	{.name = "lazy_tlb", .kind = FIELD_WORD, .words = lazy_tlb_words},
	{.name = "smt_share", .kind = FIELD_SHARE},
	{.name = "rt_runtime", .kind = FIELD_TIME},
	{.name = "rt_period", .kind = FIELD_TIME},
	{.name = "clock", .kind = FIELD_FREQUENCY},
};

static const char *const field_names[] = {
	"sockets", "cores",   "threads", "cluster",  "costs",     "cost",       "preempt",   "hz",
	"fair",    "rawspin", "kernel",  "lazy_tlb", "smt_share", "rt_runtime", "rt_period", "clock",
	NULL,
};

const struct field *parse_find_field(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

const char *const *parse_field_names(void)
{
	return field_names;
}

static bool parse_field_word(struct parser *p, const struct field *f, struct scn_setting *s)
{
	struct sim_pos pos;
	char meant[80];
	g_autofree char *all = g_strjoinv(", ", (char **)f->words);

	if (!parse_word(p, all, &s->word, &pos))
		return false;
	for (unsigned i = 0; f->words[i]; i++)
		if (!strcmp(f->words[i], s->word)) {
			s->value = parse_literal(p, SCN_WORD, i, pos);
			return true;
		}
	parse_fail(p, SIM_DIAG_unknown_word, pos, "%s cannot be \"%.40s\"%s", f->name, s->word,
		   parse_meant(s->word, f->words, meant, sizeof(meant)));
	sim_diag_note(p->diags, "it can be %s", all);
	return true;
}

static bool check_share(struct parser *p, const struct scn_setting *s)
{
	if (s->value != &p->poison && (!s->value->value || s->value->value > 1000000))
		parse_fail(p, SIM_DIAG_out_of_range, s->value->pos,
			   "smt_share must be above 0 and at most 1");
	return true;
}

bool parse_cost(struct parser *p, struct scn_setting *s)
{
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "the name of a cost");
	s->cost = parse_slice(p, &p->tok);
	s->pos = p->tok.pos;
	parse_advance(p);
	return parse_quantity(p, WANT_TIME, EXPR_CONST, "a cost", &s->value);
}

/* The next field where a value should be: the value was left out. */
static bool at_next_field(struct parser *p)
{
	g_autofree char *word = g_strndup(p->tok.at, p->tok.len);

	return p->tok.kind == TOK_NAME && parse_find_field(word) && !parse_symbol(p, word);
}

bool parse_field_value(struct parser *p, const struct field *f, struct scn_setting *s)
{
	uint64_t value;
	struct sim_pos pos = p->tok.pos;

	if (f->kind != FIELD_COST && at_next_field(p))
		return parse_expected(p, f->kind == FIELD_WORD || f->kind == FIELD_PRESET ||
							 f->kind == FIELD_MODEL
						 ? "a word"
						 : "a number");
	switch (f->kind) {
	case FIELD_COUNT:
		if (!parse_count(p, f->name, f->min, f->max, &value))
			return false;
		s->value = parse_literal(p, SCN_COUNT, value, pos);
		return true;
	case FIELD_TIME:
		return parse_quantity(p, WANT_TIME, EXPR_CONST, f->name, &s->value);
	case FIELD_WORD:
		return parse_field_word(p, f, s);
	case FIELD_PRESET:
		return parse_word(p, "the name of a preset", &s->word, &s->pos);
	case FIELD_MODEL:
		return parse_word(p, "a spinlock model", &s->word, &s->pos);
	case FIELD_SHARE:
		return parse_quantity(p, WANT_PART, EXPR_CONST, "smt_share", &s->value) && check_share(p, s);
	case FIELD_FREQUENCY:
		return parse_quantity(p, WANT_FREQUENCY, EXPR_CONST, "the clock", &s->value);
	case FIELD_COST:
		return parse_cost(p, s);
	}
	return false;
}

/* After a mistake: on to the next field, so that each mistake is told. */
static void resync_fields(struct parser *p, unsigned depth)
{
	p->lex.quiet = true;
	while (p->tok.kind != TOK_END && p->depth >= depth) {
		g_autofree char *word = g_strndup(p->tok.at, p->tok.len);
		bool field = p->tok.kind == TOK_NAME &&
			     (p->tok.first || p->last.kind != TOK_NAME || parse_find_field(word));

		if (p->depth == depth && (parse_is(p, '}') || field))
			break;
		parse_advance(p);
	}
	p->lex.quiet = false;
}

static bool parse_field(struct parser *p, GArray *set)
{
	struct scn_setting s = {.pos = p->tok.pos};
	const struct field *f;
	char meant[80];

	if (p->tok.kind != TOK_NAME) {
		parse_expected(p, "a field of the machine or \"}\"");
		parse_advance(p);
		return false;
	}
	s.name = parse_slice(p, &p->tok);
	f = parse_find_field(s.name);
	parse_advance(p);
	if (!f) {
		g_autofree char *all = g_strjoinv(", ", (char **)field_names);

		parse_fail(p, SIM_DIAG_unknown_field, s.pos, "a machine has no \"%.40s\"%s", s.name,
			   parse_meant(s.name, field_names, meant, sizeof(meant)));
		sim_diag_note(p->diags, "known: %s", all);
		return false;
	}
	return parse_field_value(p, f, &s) && parse_add_setting(p, set, &s);
}

bool parse_machine(struct parser *p)
{
	g_autoptr(GArray) set = g_array_new(FALSE, TRUE, sizeof(struct scn_setting));
	struct scn_machine *m = &p->scn->machine;
	unsigned depth;

	m->pos = p->last.pos;
	if (!parse_is(p, '{')) {
		if (!parse_word(p, "the name of a preset or \"{\"", &m->preset, &m->pos))
			return false;
		if (!parse_is(p, '{'))
			return true;
	}
	parse_advance(p);
	depth = p->depth;
	while (!parse_is(p, '}') && !parse_stopped(p)) {
		if (p->tok.kind == TOK_END ||
		    (p->tok.first && lex_keyword_where(p->tok.kw) == KW_TOP && p->tok.kind == TOK_NAME)) {
			p->unclosed = true;
			return parse_fail(p, SIM_DIAG_open_block, m->pos,
					  "the block of this machine is not closed");
		}
		if (!parse_field(p, set))
			resync_fields(p, depth);
	}
	parse_take(p, '}');
	m->set = parse_settings_done(p, set, &m->nset);
	return true;
}
