/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiling task bodies: what program.c, program_flow.c (blocks, loops, branches) and
 * program_target.c (statements that name a lock or a task) share. Blocks that must be closed
 * (hold, preempt off, kernel …) are kept on a list while they are open, so that a `break`
 * closes those it leaves.
 */
#ifndef SIM_RUN_PROGRAM_COMPILE_H
#define SIM_RUN_PROGRAM_COMPILE_H

#include <glib.h>

#include "sim/run/program.h"

enum block_kind { BLOCK_LOOP, BLOCK_HOLD, BLOCK_REGION };

struct block { /* a block that is open where we are */
	struct block *up;
	enum block_kind kind;
	const struct scn_stmt *stmt;
	uint32_t slot;    /* of the innermost loop outside it (HOLD), its own (LOOP) */
	enum prog_op end; /* REGION: closes it … */
	sim_time cost;    /* … after this time */
	GArray *breaks;   /* LOOP: instructions that jump past it */
};

struct compiler {
	struct run_bound *b;
	struct bind_pool *pool;
	struct value_scope scope;
	GArray *code; /* of struct prog_insn */
	struct block *open;
	uint32_t nslots;
	GPtrArray *grids; /* names that `period D on` uses in this body */
};

/* program.c */
void compile_list(struct compiler *c, const struct scn_stmt *list);

/* program_flow.c: true if @stmt is a block, a loop or a branch */
bool compile_flow(struct compiler *c, const struct scn_stmt *stmt);

/* program_target.c: true if @stmt names a lock or a task */
bool compile_target(struct compiler *c, const struct scn_stmt *stmt);
/* director_compile.c: true if @stmt is a step of a director */
bool compile_step(struct compiler *c, const struct scn_stmt *stmt);
/* The unlock at the end of a hold block. */
void compile_hold_end(struct compiler *c, const struct block *block);

/* -- emitting --------------------------------------------------------------------------------- */

static inline uint32_t here(const struct compiler *c)
{
	return c->code->len;
}

static inline struct prog_insn *insn_at(const struct compiler *c, uint32_t i)
{
	return &g_array_index(c->code, struct prog_insn, i);
}

/* Appends an instruction; the pointer is good until the next one. */
static inline struct prog_insn *emit(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt)
{
	struct prog_insn in = {.op = (uint8_t)op, .stmt = stmt ? stmt->id : 0};

	g_array_append_val(c->code, in);
	return insn_at(c, c->code->len - 1);
}

static inline const struct value *value_or_null(struct compiler *c, const struct scn_expr *e)
{
	return e ? value_compile(&c->scope, e) : NULL;
}

#endif
