/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers: units, params, arithmetic, distributions. Grammar: parse.c. */
#include <string.h>

#include "sim/scenario/parse.h"

struct expr_state {
	unsigned allow; /* EXPR_* */
	unsigned terms; /* operators so far */
	const char *what;
};

static bool parse_sum(struct parser *p, struct expr_state *st, struct scn_expr **out);

bool parse_is_constant(const struct scn_expr *e)
{
	return e->kind == SCN_LITERAL;
}

static struct scn_expr *new_expr(struct parser *p, enum scn_expr_kind kind, enum scn_unit unit,
				 struct sim_pos pos)
{
	struct scn_expr *e = scn_new(p->mem, struct scn_expr);

	e->kind = kind;
	e->unit = unit;
	e->pos = pos;
	if (unit == SCN_CYCLES)
		g_ptr_array_add(p->cycles, e);
	return e;
}

struct scn_expr *parse_literal(struct parser *p, enum scn_unit unit, uint64_t value, struct sim_pos pos)
{
	struct scn_expr *e = new_expr(p, SCN_LITERAL, unit, pos);

	e->value = value;
	return e;
}

const char *parse_unit_name(enum scn_unit unit)
{
	switch (unit) {
	case SCN_COUNT:
		return "a count";
	case SCN_TIME:
		return "a time";
	case SCN_CYCLES:
		return "a number of cycles";
	case SCN_PERCENT:
		return "a percentage";
	case SCN_RATIO:
		return "a ratio";
	case SCN_WORD:
		return "a word";
	case SCN_FREQUENCY:
		return "a clock rate";
	}
	return "";
}

static bool is_part(enum scn_unit unit)
{
	return unit == SCN_PERCENT || unit == SCN_RATIO;
}

static bool is_scale(enum scn_unit unit)
{
	return unit == SCN_COUNT || is_part(unit);
}

/* -- arithmetic ------------------------------------------------------------------------------ */

/* The unit of "left op right", or false. */
static bool result_unit(enum scn_expr_kind op, enum scn_unit left, enum scn_unit right, enum scn_unit *unit)
{
	*unit = left;
	if (op == SCN_ADD || op == SCN_SUB)
		return left == right;
	if (is_part(left) && op == SCN_MUL)
		*unit = is_part(right) ? SCN_RATIO : right;
	else if (left == SCN_COUNT && op == SCN_MUL && !is_part(right))
		*unit = right;
	return op == SCN_MUL ? is_scale(left) || is_scale(right) : is_scale(right);
}

static struct scn_expr *fold(struct parser *p, const struct scn_expr *e)
{
	uint64_t value = scn_arith(e, e->left->value, e->right->value);

	if (e->kind == SCN_DIV && !e->right->value)
		parse_fail(p, SIM_DIAG_divides_by_zero, e->right->pos, "this divides by zero");
	else if (e->kind == SCN_SUB && e->left->value < e->right->value)
		parse_fail(p, SIM_DIAG_out_of_range, e->pos, "this comes to less than zero");
	else if (value == UINT64_MAX)
		parse_fail(p, SIM_DIAG_number_too_big, e->pos, "this comes to more than a number can hold");
	else
		return parse_literal(p, e->unit, value, e->pos);
	return &p->poison;
}

static struct scn_expr *combine(struct parser *p, enum scn_expr_kind op, struct scn_expr *left,
				struct scn_expr *right, struct sim_pos pos)
{
	struct scn_expr *e;
	enum scn_unit unit;

	if (left == &p->poison || right == &p->poison)
		return &p->poison;
	if (!result_unit(op, left->unit, right->unit, &unit)) {
		parse_fail(p, SIM_DIAG_unit_clash, pos, "%s and %s cannot be %s", parse_unit_name(left->unit),
			   parse_unit_name(right->unit),
			   op == SCN_MUL   ? "multiplied"
			   : op == SCN_DIV ? "divided"
			   : op == SCN_ADD ? "added"
					   : "subtracted");
		return &p->poison;
	}
	e = new_expr(p, op, unit, pos);
	e->left = left;
	e->right = right;
	if (parse_is_constant(left) && parse_is_constant(right))
		return fold(p, e);
	if (op == SCN_DIV && !parse_is_constant(right)) {
		parse_fail(p, SIM_DIAG_not_constant, right->pos, "a divisor must be a fixed number");
		return &p->poison;
	}
	return e;
}

/* -- factors --------------------------------------------------------------------------------- */

static bool may(struct parser *p, const struct expr_state *st, unsigned need, struct sim_pos pos,
		const char *text)
{
	if (st->allow & need)
		return true;
	return parse_fail(p, SIM_DIAG_not_constant, pos, "%s cannot depend on %s", st->what, text);
}

static bool parse_var(struct parser *p, struct expr_state *st, struct scn_expr **out)
{
	struct token t = p->tok;
	enum scn_expr_kind kind;

	parse_advance(p);
	*out = &p->poison;
	if (t.len == 1 && *t.at == 'i')
		kind = SCN_INSTANCE;
	else if (t.len == 1 && *t.at == 'k')
		kind = SCN_TURN;
	else if (t.len == 1 && *t.at == 'K')
		kind = SCN_DONES;
	else {
		parse_fail(p, SIM_DIAG_unknown_variable, t.pos,
			   "there is no $%.*s; $i is the instance, $k the turn of the loop, $K the number of "
			   "dones",
			   (int)MIN(t.len, 40), t.at);
		return true;
	}
	if (kind == SCN_INSTANCE && p->in_interrupt) {
		parse_fail(p, SIM_DIAG_not_constant, t.pos,
			   "$i is a task's instance number; an interrupt has none");
	} else if (kind == SCN_INSTANCE ? may(p, st, EXPR_INSTANCE, t.pos, "$i")
		   : kind == SCN_TURN   ? may(p, st, EXPR_TURN, t.pos, "$k")
					: may(p, st, EXPR_DONES, t.pos, "$K")) {
		if (kind == SCN_TURN && !p->loops)
			parse_fail(p, SIM_DIAG_turn_outside_loop, t.pos,
				   "$k counts turns of a loop, and there is no loop here");
		else
			*out = new_expr(p, kind, SCN_COUNT, t.pos);
	}
	return true;
}

/* The params that a misspelled name may have meant. */
static const char *meant_param(struct parser *p, const char *name, char *buf, size_t room)
{
	g_autofree const char **names = g_new0(const char *, p->params->len + 1);

	for (unsigned i = 0; i < p->params->len; i++)
		names[i] = ((struct scn_param *)p->params->pdata[i])->name;
	return parse_meant(name, names, buf, room);
}

static bool parse_param_use(struct parser *p, struct scn_expr **out)
{
	struct token t = p->tok;
	const char *name = parse_slice(p, &t);
	const struct symbol *sym = parse_symbol(p, name);
	const struct scn_param *param;
	char meant[80];

	parse_advance(p);
	*out = &p->poison;
	if (parse_is(p, '(')) {
		static const char *const functions[] = {"uniform",   "exp",    "normal",
							"lognormal", "choice", NULL};

		parse_fail(p, SIM_DIAG_unknown_function, t.pos, "no distribution \"%s\"%s", name,
			   parse_meant(name, functions, meant, sizeof(meant)));
		sim_diag_note(p->diags, "known: uniform(low, high), exp(mean), normal(mean, sd), lognormal(mean, cv), "
					"choice(value: weight, ...)");
		return false;
	}
	if (sym && sym->kind != SYM_PARAM) {
		parse_fail(p, SIM_DIAG_wrong_kind, t.pos, "\"%s\" is no param and has no value", name);
	} else if (!sym) {
		if (!p->lost && parse_missing(p, name)) /* else its declaration was reported */
			parse_fail(p, SIM_DIAG_unknown_param, t.pos, "no param \"%s\" above this place%s",
				   name, meant_param(p, name, meant, sizeof(meant)));
	} else {
		param = p->params->pdata[sym->index];
		if (param->value != &p->poison)
			*out = parse_literal(p, param->value->unit, param->value->value, t.pos);
	}
	return true;
}

/* The arguments of a distribution; @n of them, in one unit unless @cv. */
static bool parse_args(struct parser *p, struct expr_state *st, struct scn_expr *e, unsigned n, bool cv)
{
	if (!parse_need(p, '(', "\"(\"") || !parse_sum(p, st, &e->left))
		return false;
	e->unit = e->left->unit;
	if (n == 2) {
		if (!parse_need(p, ',', "\",\" and the second argument"))
			return false;
		if (cv ? !parse_quantity(p, WANT_PART, EXPR_CONST, "the coefficient of variation", &e->right)
		       : !parse_sum(p, st, &e->right))
			return false;
		if (!cv && e->left != &p->poison && e->right != &p->poison && e->right->unit != e->left->unit)
			parse_fail(p, SIM_DIAG_unit_clash, e->right->pos,
				   "both arguments must have one unit; these are %s and %s",
				   parse_unit_name(e->left->unit), parse_unit_name(e->right->unit));
		else if (e->kind == SCN_UNIFORM && parse_is_constant(e->left) &&
			 parse_is_constant(e->right) && e->left->value > e->right->value &&
			 e->right != &p->poison)
			parse_fail(p, SIM_DIAG_bad_distribution, e->pos,
				   "uniform(low, high): the low end is above the high end");
	}
	return parse_need(p, ')', "\")\"");
}

static bool parse_choice(struct parser *p, struct expr_state *st, struct scn_expr *e)
{
	g_autoptr(GPtrArray) alt = g_ptr_array_new();
	g_autoptr(GArray) weight = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	enum scn_unit weight_unit = SCN_COUNT;
	struct scn_expr *a, *w;
	uint64_t sum = 0;
	unsigned errors = p->diags->errors;

	if (!parse_need(p, '(', "\"(\""))
		return false;
	do {
		if (alt->len == PARSE_MAX_LIST)
			return parse_too_many(p, SIM_DIAG_list_too_long, p->tok.pos, "alternatives",
					      PARSE_MAX_LIST);
		if (!parse_sum(p, st, &a) || !parse_need(p, ':', "\":\" and a weight") ||
		    !parse_quantity(p, WANT_ANY, EXPR_CONST, "a weight", &w))
			return false;
		if (!alt->len) {
			e->unit = a->unit;
			weight_unit = w->unit;
		} else if (a != &p->poison && a->unit != e->unit) {
			parse_fail(p, SIM_DIAG_unit_clash, a->pos,
				   "all alternatives must have one unit; these are %s and %s",
				   parse_unit_name(e->unit), parse_unit_name(a->unit));
		}
		if (w != &p->poison && (w->unit != weight_unit || !is_scale(w->unit)))
			parse_fail(p, SIM_DIAG_wrong_unit, w->pos,
				   "weights are all counts or all percentages; this is %s",
				   parse_unit_name(w->unit));
		g_ptr_array_add(alt, a);
		g_array_append_val(weight, w->value);
		sum = sum + w->value < sum ? UINT64_MAX : sum + w->value;
	} while (parse_take(p, ','));
	if ((!sum || sum > UINT32_MAX) && p->diags->errors == errors)
		parse_fail(p, SIM_DIAG_bad_weights, e->pos,
			   sum ? "these weights sum to more than 2^32" : "all weights are zero");
	e->nalt = alt->len;
	e->alt = scn_new_array(p->mem, struct scn_expr *, alt->len);
	memcpy(e->alt, alt->pdata, sizeof(*e->alt) * alt->len);
	e->weight = scn_new_array(p->mem, uint64_t, alt->len);
	memcpy(e->weight, weight->data, sizeof(*e->weight) * alt->len);
	return parse_need(p, ')', "\",\" or \")\"");
}

static bool parse_random(struct parser *p, struct expr_state *st, struct scn_expr **out)
{
	struct scn_expr *e = scn_new(p->mem, struct scn_expr);
	unsigned errors = p->diags->errors;
	bool ok = false;

	e->pos = p->tok.pos;
	parse_advance(p);
	if (!may(p, st, EXPR_RANDOM, e->pos, "chance"))
		return false;
	e->draw = ++p->scn->ndraw;
	switch ((int)p->last.kw) {
	case KW_uniform:
		e->kind = SCN_UNIFORM;
		ok = parse_args(p, st, e, 2, false);
		break;
	case KW_exp:
		e->kind = SCN_EXP;
		ok = parse_args(p, st, e, 1, false);
		break;
	case KW_normal:
		e->kind = SCN_NORMAL;
		ok = parse_args(p, st, e, 2, false);
		break;
	case KW_lognormal:
		e->kind = SCN_LOGNORMAL;
		ok = parse_args(p, st, e, 2, true);
		break;
	case KW_choice:
		e->kind = SCN_CHOICE_D;
		ok = parse_choice(p, st, e);
		break;
	}
	if (e->unit == SCN_CYCLES)
		g_ptr_array_add(p->cycles, e);
	*out = p->diags->errors > errors ? &p->poison : e;
	return ok;
}

static bool bare_point(struct parser *p, const char *what)
{
	struct token t;

	parse_peek(p, &t, 1);
	if (t.kind != TOK_NUMBER)
		return parse_expected(p, what);
	return parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "digits on both sides of the point: \"0.%.*s\"",
			  (int)MIN(t.len, 40), t.at);
}

static bool parse_factor(struct parser *p, struct expr_state *st, struct scn_expr **out)
{
	bool ok;

	switch (p->tok.kind) {
	case TOK_NUMBER:
		*out = parse_literal(p, p->tok.unit, p->tok.value, p->tok.pos);
		parse_advance(p);
		return true;
	case TOK_VAR:
		return parse_var(p, st, out);
	case TOK_NAME:
		if (p->tok.kw == KW_uniform || p->tok.kw == KW_exp || p->tok.kw == KW_normal ||
		    p->tok.kw == KW_lognormal || p->tok.kw == KW_choice) {
			if (!parse_nested(p))
				return false;
			ok = parse_random(p, st, out);
			p->nesting--;
			return ok;
		}
		if (p->tok.kw == KW_NONE || p->misnamed[p->tok.kw])
			return parse_param_use(p, out);
		break;
	case TOK_PUNCT:
		if (parse_is(p, '.'))
			return bare_point(p, st->what);
		if (parse_is(p, '-'))
			return parse_fail(p, SIM_DIAG_out_of_range, p->tok.pos, "%s cannot be negative",
					  st->what);
		if (!parse_is(p, '('))
			break;
		if (!parse_nested(p))
			return false;
		parse_advance(p);
		ok = parse_sum(p, st, out) && parse_need(p, ')', "\")\"");
		p->nesting--;
		return ok;
	case TOK_END:
	case TOK_WORD:
	case TOK_STRING:
	case TOK_BAD:
		break;
	}
	return parse_expected(p, st->what);
}

static bool one_more_term(struct parser *p, struct expr_state *st)
{
	if (++st->terms <= PARSE_MAX_TERMS)
		return true;
	return parse_fail(p, SIM_DIAG_expression_too_long, p->tok.pos, "more than %u operators in one number",
			  PARSE_MAX_TERMS);
}

static bool parse_product(struct parser *p, struct expr_state *st, struct scn_expr **out)
{
	struct scn_expr *right;

	if (!parse_factor(p, st, out))
		return false;
	while (parse_is(p, '*') || parse_is(p, '/')) {
		enum scn_expr_kind op = parse_is(p, '*') ? SCN_MUL : SCN_DIV;
		struct sim_pos pos = p->tok.pos;

		if (!one_more_term(p, st))
			return false;
		parse_advance(p);
		if (!parse_factor(p, st, &right))
			return false;
		*out = combine(p, op, *out, right, pos);
	}
	return true;
}

static bool parse_sum(struct parser *p, struct expr_state *st, struct scn_expr **out)
{
	struct scn_expr *right;

	if (!parse_product(p, st, out))
		return false;
	while (parse_is(p, '+') || parse_is(p, '-')) {
		enum scn_expr_kind op = parse_is(p, '+') ? SCN_ADD : SCN_SUB;
		struct sim_pos pos = p->tok.pos;

		if (!one_more_term(p, st))
			return false;
		parse_advance(p);
		if (!parse_product(p, st, &right))
			return false;
		*out = combine(p, op, *out, right, pos);
	}
	return true;
}

bool parse_number(struct parser *p, unsigned allow, const char *what, bool sums, struct scn_expr **out)
{
	struct expr_state st = {.allow = allow, .what = what};

	return sums ? parse_sum(p, &st, out) : parse_factor(p, &st, out);
}
