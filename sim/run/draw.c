// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/run/draw.h"

#include "sim/core/check.h"
#include "sim/core/prng.h"

#define PPM 1000000u

/* No value is above this; it leaves room for adding two times. */
#define VALUE_MAX (SIM_NEVER / 2)

static uint64_t clamp(unsigned __int128 x)
{
	return x > VALUE_MAX ? VALUE_MAX : (uint64_t)x;
}

static uint64_t compute(enum value_kind kind, uint64_t a, uint64_t b)
{
	switch (kind) {
	case VALUE_ADD:
		return clamp((unsigned __int128)a + b);
	case VALUE_SUB:
		return a > b ? a - b : 0;
	case VALUE_MUL:
		return clamp((unsigned __int128)a * b);
	case VALUE_MUL_PPM:
		return clamp((unsigned __int128)a * b / PPM);
	case VALUE_DIV:
		return b ? a / b : VALUE_MAX;
	case VALUE_DIV_PPM:
		return b ? clamp((unsigned __int128)a * PPM / b) : VALUE_MAX;
	case VALUE_CONST:
	case VALUE_INSTANCE:
	case VALUE_TURN:
	case VALUE_DONES:
	case VALUE_UNIFORM:
	case VALUE_EXP:
	case VALUE_NORMAL:
	case VALUE_LOGNORMAL:
	case VALUE_CHOICE:
		break;
	}
	sim_assert(!"an operation");
	return 0;
}

static uint64_t cycles_to_ps(uint64_t cycles, uint64_t clock_khz)
{
	return clock_khz ? clamp((unsigned __int128)cycles * 1000000000u / clock_khz) : 0;
}

static bool in_ppm(const struct scn_expr *e)
{
	return e->unit == SCN_PERCENT || e->unit == SCN_RATIO;
}

static struct value *node(struct value_scope *s, enum value_kind kind)
{
	struct value *v = bind_alloc(s->memory, sizeof(*v));

	v->kind = kind;
	return v;
}

const struct value *value_constant(struct value_scope *s, uint64_t n)
{
	struct value *v = node(s, VALUE_CONST);

	v->n = clamp(n);
	return v;
}

static const struct value *compile_arithmetic(struct value_scope *s, enum value_kind kind,
					      const struct scn_expr *e)
{
	const struct value *left = value_compile(s, e->left), *right = value_compile(s, e->right);

	if (left->kind == VALUE_CONST && right->kind == VALUE_CONST)
		return value_constant(s, compute(kind, left->n, right->n));

	struct value *v = node(s, kind);

	v->left = left;
	v->right = right;
	return v;
}

static const struct value *compile_draw(struct value_scope *s, enum value_kind kind, const struct scn_expr *e)
{
	struct value *v = node(s, kind);

	v->draw = s->ndraw++;
	v->left = value_compile(s, e->left);
	v->right = e->right ? value_compile(s, e->right) : NULL;
	return v;
}

static const struct value *compile_choice(struct value_scope *s, const struct scn_expr *e)
{
	struct value *v = node(s, VALUE_CHOICE);

	v->draw = s->ndraw++;
	v->nalt = e->nalt;
	v->alt = bind_alloc(s->memory, e->nalt * sizeof(v->alt[0]));
	v->weight = bind_alloc(s->memory, e->nalt * sizeof(v->weight[0]));
	for (unsigned i = 0; i < e->nalt; i++) {
		v->alt[i] = value_compile(s, e->alt[i]);
		v->weight[i] = e->weight[i];
		v->total += e->weight[i];
	}
	return v;
}

const struct value *value_compile(struct value_scope *s, const struct scn_expr *e)
{
	struct value *v;

	switch (e->kind) {
	case SCN_LITERAL:
		return value_constant(s, e->unit == SCN_CYCLES ? cycles_to_ps(e->value, s->clock_khz)
							       : e->value);
	case SCN_PARAM:
		return value_compile(s, s->scn->param[e->value].value);
	case SCN_INSTANCE:
		return node(s, VALUE_INSTANCE);
	case SCN_TURN:
		if (s->slot == VALUE_NO_SLOT)
			return value_constant(s, 0);
		v = node(s, VALUE_TURN);
		v->n = s->slot;
		return v;
	case SCN_DONES:
		return node(s, VALUE_DONES);
	case SCN_ADD:
		return compile_arithmetic(s, VALUE_ADD, e);
	case SCN_SUB:
		return compile_arithmetic(s, VALUE_SUB, e);
	case SCN_MUL:
		return compile_arithmetic(s, in_ppm(e->left) || in_ppm(e->right) ? VALUE_MUL_PPM : VALUE_MUL,
					  e);
	case SCN_DIV:
		return compile_arithmetic(s, in_ppm(e->right) ? VALUE_DIV_PPM : VALUE_DIV, e);
	case SCN_UNIFORM:
		return compile_draw(s, VALUE_UNIFORM, e);
	case SCN_EXP:
		return compile_draw(s, VALUE_EXP, e);
	case SCN_NORMAL:
		return compile_draw(s, VALUE_NORMAL, e);
	case SCN_LOGNORMAL:
		return compile_draw(s, VALUE_LOGNORMAL, e);
	case SCN_CHOICE_D:
		return compile_choice(s, e);
	}
	sim_assert(!"an expression");
	return NULL;
}

uint64_t value_bits(const struct value_env *env, uint32_t draw)
{
	return sim_draw(env->stream, draw, env->visit[draw]++);
}

static uint64_t eval_draw(const struct value *v, const struct value_env *env)
{
	uint64_t bits = value_bits(env, v->draw), a = value_of(v->left, env);

	switch (v->kind) {
	case VALUE_UNIFORM: {
		uint64_t b = value_of(v->right, env);

		return a <= b ? sim_dist_uniform(bits, a, b) : sim_dist_uniform(bits, b, a);
	}
	case VALUE_EXP:
		return sim_dist_exp(bits, a);
	case VALUE_NORMAL:
		return sim_dist_normal(bits, a, value_of(v->right, env));
	case VALUE_LOGNORMAL:
		return sim_dist_lognormal(bits, a, value_of(v->right, env));
	case VALUE_CONST:
	case VALUE_INSTANCE:
	case VALUE_TURN:
	case VALUE_DONES:
	case VALUE_ADD:
	case VALUE_SUB:
	case VALUE_MUL:
	case VALUE_MUL_PPM:
	case VALUE_DIV:
	case VALUE_DIV_PPM:
	case VALUE_CHOICE:
		break;
	}
	sim_assert(!"a draw");
	return 0;
}

uint64_t value_eval(const struct value *v, const struct value_env *env)
{
	switch (v->kind) {
	case VALUE_CONST:
		return v->n;
	case VALUE_INSTANCE:
		return env->instance;
	case VALUE_TURN:
		return env->turn[v->n];
	case VALUE_DONES:
		return *env->done;
	case VALUE_ADD:
	case VALUE_SUB:
	case VALUE_MUL:
	case VALUE_MUL_PPM:
	case VALUE_DIV:
	case VALUE_DIV_PPM: {
		uint64_t a = value_of(v->left, env); /* the order in which draws are visited */
		uint64_t b = value_of(v->right, env);

		return compute(v->kind, a, b);
	}
	case VALUE_UNIFORM:
	case VALUE_EXP:
	case VALUE_NORMAL:
	case VALUE_LOGNORMAL:
		return clamp(eval_draw(v, env));
	case VALUE_CHOICE: {
		unsigned i = sim_dist_weighted(value_bits(env, v->draw), v->weight, v->nalt, v->total);

		return value_of(v->alt[i], env);
	}
	}
	sim_assert(!"a value");
	return 0;
}

uint64_t value_once(const struct scenario *scn, uint64_t clock_khz, const struct scn_expr *e,
		    uint64_t instance)
{
	uint64_t a, b;

	switch (e->kind) {
	case SCN_LITERAL:
		return clamp(e->unit == SCN_CYCLES ? cycles_to_ps(e->value, clock_khz) : e->value);
	case SCN_PARAM:
		return value_once(scn, clock_khz, scn->param[e->value].value, instance);
	case SCN_INSTANCE:
		return instance;
	case SCN_TURN:
	case SCN_DONES:
		return 0;
	case SCN_EXP:
	case SCN_NORMAL:
	case SCN_LOGNORMAL:
		return value_once(scn, clock_khz, e->left, instance);
	case SCN_CHOICE_D:
		return value_once(scn, clock_khz, e->alt[0], instance);
	case SCN_ADD:
	case SCN_SUB:
	case SCN_MUL:
	case SCN_DIV:
	case SCN_UNIFORM:
		break;
	}
	a = value_once(scn, clock_khz, e->left, instance);
	b = value_once(scn, clock_khz, e->right, instance);
	if (e->kind == SCN_ADD)
		return compute(VALUE_ADD, a, b);
	if (e->kind == SCN_SUB)
		return compute(VALUE_SUB, a, b);
	if (e->kind == SCN_MUL)
		return compute(in_ppm(e->left) || in_ppm(e->right) ? VALUE_MUL_PPM : VALUE_MUL, a, b);
	if (e->kind == SCN_DIV)
		return compute(in_ppm(e->right) ? VALUE_DIV_PPM : VALUE_DIV, a, b);
	return (a + b) / 2; /* uniform */
}
