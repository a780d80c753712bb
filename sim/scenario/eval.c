/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of expressions, in integers only. */
#include "sim/core/check.h"
#include "sim/scenario/scenario.h"

static bool is_part(enum scn_unit unit)
{
	return unit == SCN_RATIO || unit == SCN_PERCENT;
}

static uint64_t saturate(unsigned __int128 v)
{
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

static uint64_t multiply(const struct scn_expr *e, uint64_t left, uint64_t right)
{
	unsigned __int128 v = (unsigned __int128)left * right;

	if (is_part(e->left->unit) || is_part(e->right->unit))
		v /= 1000000;
	return saturate(v);
}

static uint64_t divide(const struct scn_expr *e, uint64_t left, uint64_t right)
{
	unsigned __int128 v = left;

	if (!right)
		return UINT64_MAX;
	if (is_part(e->right->unit))
		v *= 1000000;
	return saturate(v / right);
}

uint64_t scn_arith(const struct scn_expr *e, uint64_t left, uint64_t right)
{
	switch (e->kind) {
	case SCN_ADD:
		return saturate((unsigned __int128)left + right);
	case SCN_SUB:
		return left > right ? left - right : 0;
	case SCN_MUL:
		return multiply(e, left, right);
	case SCN_DIV:
		return divide(e, left, right);
	case SCN_LITERAL:
	case SCN_PARAM:
	case SCN_INSTANCE:
	case SCN_TURN:
	case SCN_DONES:
	case SCN_UNIFORM:
	case SCN_EXP:
	case SCN_NORMAL:
	case SCN_LOGNORMAL:
	case SCN_CHOICE_D:
		break;
	}
	sim_assert(!"scn_arith() is for sums and products");
	return 0;
}

bool scn_instance_value(const struct scenario *scn, const struct scn_expr *e, uint64_t instance,
			uint64_t *value)
{
	uint64_t left, right;

	switch (e->kind) {
	case SCN_LITERAL:
		*value = e->value;
		return true;
	case SCN_PARAM:
		return scn_instance_value(scn, scn->param[e->value].value, instance, value);
	case SCN_INSTANCE:
		*value = instance;
		return true;
	case SCN_ADD:
	case SCN_SUB:
	case SCN_MUL:
	case SCN_DIV:
		if (!scn_instance_value(scn, e->left, instance, &left) ||
		    !scn_instance_value(scn, e->right, instance, &right))
			return false;
		*value = scn_arith(e, left, right);
		return true;
	case SCN_TURN:
	case SCN_DONES:
	case SCN_UNIFORM:
	case SCN_EXP:
	case SCN_NORMAL:
	case SCN_LOGNORMAL:
	case SCN_CHOICE_D:
		return false;
	}
	return false;
}

uint64_t scn_constant(const struct scenario *scn, const struct scn_expr *e)
{
	uint64_t value = 0;

	if (!scn_instance_value(scn, e, 0, &value))
		sim_assert(!"scn_constant() of a number that changes during the run");
	return value;
}
