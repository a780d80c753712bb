/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values: the expressions of a program, compiled. Constants are folded, params are
 * replaced by what they stand for, cycles become picoseconds. What remains depends on $i, $k,
 * $K or on a random draw.
 *
 * A draw is keyed by (seed, task name and instance, number of the draw within the task's
 * body, visit), so that it depends neither on other tasks nor on branches taken before.
 */
#ifndef SIM_RUN_DRAW_H
#define SIM_RUN_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/clock.h"
#include "sim/scenario/scenario.h"

#define VALUE_NO_SLOT UINT32_MAX

enum value_kind {
	VALUE_CONST,
	VALUE_INSTANCE,
	VALUE_TURN, /* n: loop slot, VALUE_NO_SLOT outside loops */
	VALUE_DONES,
	VALUE_ADD,
	VALUE_SUB, /* stops at 0 */
	VALUE_MUL,
	VALUE_MUL_PPM, /* one side is a percentage or ratio in millionths */
	VALUE_DIV,     /* by 0 gives the largest value */
	VALUE_DIV_PPM, /* the right side is in millionths */
	VALUE_UNIFORM,
	VALUE_EXP,
	VALUE_NORMAL,
	VALUE_LOGNORMAL,
	VALUE_CHOICE,
};

struct value {
	enum value_kind kind;
	uint32_t draw; /* number within the body */
	uint64_t n;
	const struct value *left, *right;
	const struct value **alt;
	uint64_t *weight, total;
	unsigned nalt;
};

/* Where a body is being compiled. Memory is g_malloc'ed and owned by @memory. */
struct value_scope {
	const struct scenario *scn;
	uint64_t clock_khz; /* of the machine; 0: unknown, cycles count as 0 */
	uint32_t slot;      /* of the innermost loop, or VALUE_NO_SLOT */
	uint32_t ndraw;     /* draws numbered so far */
	struct bind_pool *memory;
};

/* What a value may depend on. Part of every task's program state. */
struct value_env {
	uint64_t instance;
	uint64_t stream; /* key of the task's random numbers */
	uint64_t *turn;  /* by loop slot */
	uint64_t *visit; /* by draw number */
	const uint64_t *done;
};

const struct value *value_compile(struct value_scope *s, const struct scn_expr *e);
/* A constant as a value. */
const struct value *value_constant(struct value_scope *s, uint64_t n);
uint64_t value_eval(const struct value *v, const struct value_env *env);
/* 64 uniform bits for draw number @draw of this task; counts the visit. */
uint64_t value_bits(const struct value_env *env, uint32_t draw);

static inline uint64_t value_of(const struct value *v, const struct value_env *env)
{
	return v->kind == VALUE_CONST ? v->n : value_eval(v, env);
}

/*
 * The value of an expression that needs no task: constants and params; $i is @instance, $k
 * and $K are 0, distributions give their mean. For declarations.
 */
uint64_t value_once(const struct scenario *scn, uint64_t clock_khz, const struct scn_expr *e,
		    uint64_t instance);

/* Memory that lives as long as a bound run. */
struct bind_pool {
	struct bind_chunk *chunk;
	size_t used, room; /* of the newest chunk */
};

/* Zeroed, aligned to 16 bytes. */
void *bind_alloc(struct bind_pool *pool, size_t bytes);
char *bind_printf(struct bind_pool *pool, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bind_pool_clear(struct bind_pool *pool);

#endif
