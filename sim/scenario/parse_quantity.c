/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a number is of the kind that its place asks for: units, and what to write instead. */
#include "sim/scenario/parse.h"

static bool is_part(enum scn_unit unit)
{
	return unit == SCN_PERCENT || unit == SCN_RATIO;
}

/* A count where a time is wanted. "23 ms", with a blank, is told apart. */
static void missing_unit(struct parser *p, const struct scn_expr *e, const char *what)
{
	static const char *const times[] = {"ps", "ns", "us", "ms", "s", "cycles"};

	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
		if (e->kind == SCN_LITERAL && parse_is_name(p, times[i])) {
			parse_fail(p, SIM_DIAG_missing_unit, e->pos,
				   "%s: the unit belongs to the number; write \"%" G_GUINT64_FORMAT "%s\"",
				   what, e->value, times[i]);
			parse_advance(p);
			return;
		}
	if (e->kind == SCN_LITERAL)
		parse_fail(p, SIM_DIAG_missing_unit, e->pos,
			   "%s needs a unit: \"%" G_GUINT64_FORMAT "us\", or with ps, ns, ms, s", what,
			   e->value);
	else
		parse_fail(p, SIM_DIAG_missing_unit, e->pos, "%s needs a unit: multiply by \"1us\"", what);
}

static struct scn_expr *fit_part(struct parser *p, struct scn_expr *e, const char *what)
{
	if (is_part(e->unit))
		return e;
	if (e->unit == SCN_COUNT && parse_is_constant(e) && e->value < UINT64_MAX / 1000000)
		return parse_literal(p, SCN_RATIO, e->value * 1000000, e->pos);
	parse_fail(p, SIM_DIAG_wrong_unit, e->pos, "%s must be a ratio or a percentage, not %s", what,
		   parse_unit_name(e->unit));
	return &p->poison;
}

static struct scn_expr *fit(struct parser *p, enum want want, struct scn_expr *e, const char *what)
{
	if (e == &p->poison)
		return e;
	switch (want) {
	case WANT_ANY:
		return e;
	case WANT_PART:
		return fit_part(p, e, what);
	case WANT_TIME:
		if (e->unit == SCN_TIME || e->unit == SCN_CYCLES)
			return e;
		if (e->unit == SCN_COUNT)
			missing_unit(p, e, what);
		else
			parse_fail(p, SIM_DIAG_wrong_unit, e->pos, "%s must be a time, not %s", what,
				   parse_unit_name(e->unit));
		return &p->poison;
	case WANT_COUNT:
		if (e->unit == SCN_COUNT)
			return e;
		parse_fail(p, SIM_DIAG_wrong_unit, e->pos, "%s must be a count, not %s", what,
			   parse_unit_name(e->unit));
		return &p->poison;
	case WANT_FREQUENCY:
		if (e->unit == SCN_FREQUENCY)
			return e;
		parse_fail(p,
			   e->unit == SCN_COUNT || e->unit == SCN_RATIO ? SIM_DIAG_missing_unit
									: SIM_DIAG_wrong_unit,
			   e->pos, "%s must be a clock rate, such as \"2.4GHz\"", what);
		return &p->poison;
	}
	return e;
}

bool parse_quantity(struct parser *p, enum want want, unsigned allow, const char *what, struct scn_expr **out)
{
	if (!parse_number(p, allow, what, true, out))
		return false;
	*out = fit(p, want, *out, what);
	return true;
}

bool parse_atom(struct parser *p, enum want want, unsigned allow, const char *what, struct scn_expr **out)
{
	if (!parse_number(p, allow, what, false, out))
		return false;
	*out = fit(p, want, *out, what);
	return true;
}

bool parse_count(struct parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *out)
{
	struct scn_expr *e;

	if (!parse_quantity(p, WANT_COUNT, EXPR_CONST, what, &e))
		return false;
	*out = min;
	if (e == &p->poison)
		return true;
	*out = e->value;
	if (e->value >= min && e->value <= max)
		return true;
	if (max == UINT64_MAX)
		parse_fail(p, SIM_DIAG_out_of_range, e->pos, "%s must be at least %" G_GUINT64_FORMAT, what, min);
	else
		parse_fail(p, SIM_DIAG_out_of_range, e->pos,
			   "%s must be from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, what, min, max);
	*out = min;
	return true;
}
