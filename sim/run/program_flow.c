// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiling blocks, loops and branches. */
#include "sim/core/prng.h"
#include "sim/run/program_compile.h"

/* -- loops and branches ----------------------------------------------------------------------- */

/* The price of leaving is paid inside, then the block is over. */
static void close_region(struct compiler *c, const struct block *block)
{
	if (block->cost)
		emit(c, PROG_SPEND, block->stmt)->cost = block->cost;
	emit(c, block->end, block->stmt);
}

static void close_block(struct compiler *c, const struct block *block)
{
	if (block->kind == BLOCK_HOLD)
		compile_hold_end(c, block);
	else if (block->kind == BLOCK_REGION)
		close_region(c, block);
}

static void compile_break(struct compiler *c, const struct scn_stmt *stmt)
{
	const struct block *block = c->open;
	uint32_t at;

	for (; block && block->kind != BLOCK_LOOP; block = block->up)
		close_block(c, block);
	sim_assert(block); /* the checker saw that a loop is around it */
	at = here(c);
	emit(c, PROG_JUMP, stmt);
	g_array_append_val(block->breaks, at);
}

static uint32_t open_loop(struct compiler *c, struct block *block, const struct scn_stmt *stmt)
{
	uint32_t depth = 0;

	for (const struct block *b = c->open; b; b = b->up)
		depth += b->kind == BLOCK_LOOP;
	*block = (struct block){
		.up = c->open,
		.kind = BLOCK_LOOP,
		.stmt = stmt,
		.slot = depth,
		.breaks = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	};
	if (c->nslots <= depth)
		c->nslots = depth + 1;
	c->open = block;
	return depth;
}

static void close_loop(struct compiler *c, struct block *block)
{
	for (guint i = 0; i < block->breaks->len; i++)
		insn_at(c, g_array_index(block->breaks, uint32_t, i))->jump = here(c);
	g_array_free(block->breaks, TRUE);
	c->open = block->up;
}

static void compile_loop(struct compiler *c, const struct scn_stmt *stmt)
{
	const struct value *turns = value_or_null(c, stmt->arg);
	uint32_t head = here(c), outer = c->scope.slot;
	struct block block;
	struct prog_insn *in = emit(c, PROG_LOOP, stmt);

	in->value = turns;
	in->slot = open_loop(c, &block, stmt);
	c->scope.slot = block.slot;
	compile_list(c, stmt->body);
	c->scope.slot = outer;
	in = emit(c, PROG_NEXT, stmt);
	in->slot = block.slot;
	in->jump = head + 1;
	insn_at(c, head)->jump = here(c);
	close_loop(c, &block);
}

static void compile_until(struct compiler *c, const struct scn_stmt *stmt)
{
	const struct value *end = value_compile(&c->scope, stmt->arg), *none;
	uint32_t head, outer = c->scope.slot;
	struct block block;
	struct prog_insn *in;

	/* the turns are counted like those of a loop without end */
	none = value_constant(&c->scope, UINT64_MAX / 2);
	in = emit(c, PROG_LOOP, stmt);
	in->value = none;
	in->slot = open_loop(c, &block, stmt);
	head = here(c);
	emit(c, PROG_UNTIL, stmt)->value = end;
	c->scope.slot = block.slot;
	compile_list(c, stmt->body);
	c->scope.slot = outer;
	in = emit(c, PROG_TURN, stmt);
	in->slot = block.slot;
	in->jump = head;
	insn_at(c, head)->jump = here(c);
	close_loop(c, &block);
}

static void fill_weights(struct compiler *c, struct prog_choose *ch, const struct scn_stmt *stmt)
{
	bool constant = true;

	ch->draw[0] = c->scope.ndraw++;
	for (unsigned i = 0; i < ch->n; i++) {
		ch->value[i] = value_compile(&c->scope, stmt->branch[i].weight);
		constant = constant && ch->value[i]->kind == VALUE_CONST;
	}
	if (!constant)
		return;
	for (unsigned i = 0; i < ch->n; i++)
		ch->total += ch->weight[i] = ch->value[i]->n;
	ch->value = NULL;
}

static void fill_decays(struct compiler *c, struct prog_choose *ch, const struct scn_stmt *stmt)
{
	for (unsigned i = 0; i < ch->n; i++) {
		if (!stmt->branch[i].decay)
			continue;
		ch->draw[i] = c->scope.ndraw++;
		ch->k[i] = value_compile(&c->scope, stmt->branch[i].decay_k);
		ch->d[i] = value_compile(&c->scope, stmt->branch[i].decay_n);
	}
}

static struct prog_choose *make_choose(struct compiler *c, const struct scn_stmt *stmt)
{
	struct prog_choose *ch = bind_alloc(c->pool, sizeof(*ch));

	ch->n = stmt->nbranch;
	ch->value = bind_alloc(c->pool, ch->n * sizeof(ch->value[0]));
	ch->weight = bind_alloc(c->pool, ch->n * sizeof(ch->weight[0]));
	ch->k = bind_alloc(c->pool, ch->n * sizeof(ch->k[0]));
	ch->d = bind_alloc(c->pool, ch->n * sizeof(ch->d[0]));
	ch->draw = bind_alloc(c->pool, ch->n * sizeof(ch->draw[0]));
	ch->jump = bind_alloc(c->pool, (ch->n + 1) * sizeof(ch->jump[0]));
	for (unsigned i = 0; i < ch->n; i++)
		ch->decays = ch->decays || stmt->branch[i].decay || stmt->branch[i].otherwise;
	if (ch->decays)
		fill_decays(c, ch, stmt);
	else
		fill_weights(c, ch, stmt);
	return ch;
}

static void compile_choose(struct compiler *c, const struct scn_stmt *stmt)
{
	struct prog_choose *ch = make_choose(c, stmt);
	g_autofree uint32_t *over = g_new(uint32_t, ch->n);

	emit(c, PROG_CHOOSE, stmt)->choose = ch;
	for (unsigned i = 0; i < ch->n; i++) {
		ch->jump[i] = here(c);
		compile_list(c, stmt->branch[i].body);
		over[i] = here(c);
		emit(c, PROG_JUMP, stmt);
	}
	ch->jump[ch->n] = here(c); /* no branch was taken */
	for (unsigned i = 0; i < ch->n; i++)
		insn_at(c, over[i])->jump = here(c);
}

unsigned prog_choose_branch(const struct prog_choose *ch, const struct value_env *env)
{
	if (ch->decays) {
		for (unsigned i = 0; i < ch->n; i++) {
			if (!ch->k[i])
				return i;
			if (sim_dist_decay(value_bits(env, ch->draw[i]), value_of(ch->k[i], env),
					   value_of(ch->d[i], env)))
				return i;
		}
		return ch->n;
	}

	uint64_t total = ch->total;

	if (ch->value) {
		total = 0;
		for (unsigned i = 0; i < ch->n; i++)
			total += ch->weight[i] = value_of(ch->value[i], env) & UINT32_MAX;
	}
	if (!total)
		return ch->n;
	return sim_dist_weighted(value_bits(env, ch->draw[0]), ch->weight, ch->n, total);
}

/* -- regions ---------------------------------------------------------------------------------- */

static void compile_region(struct compiler *c, const struct scn_stmt *stmt, enum prog_op begin,
			   enum prog_op end, sim_time cost_begin, sim_time cost_end)
{
	struct block block = {
		.up = c->open,
		.kind = BLOCK_REGION,
		.stmt = stmt,
		.end = end,
		.cost = cost_end,
	};

	emit(c, begin, stmt)->cost = cost_begin;
	c->open = &block;
	compile_list(c, stmt->body);
	c->open = block.up;
	close_region(c, &block);
}

/* A system call or fault: half of the price on the way in, the rest on the way out. */
static void compile_kernel(struct compiler *c, const struct scn_stmt *stmt, enum sim_scalar which)
{
	sim_time cost = c->b->machine->cfg.costs.scalar[which];

	compile_region(c, stmt, PROG_ENTER, PROG_LEAVE, cost / 2, cost - cost / 2);
}

static void compile_preempt_off(struct compiler *c, const struct scn_stmt *stmt)
{
	const sim_time *cost = c->b->machine->cfg.costs.scalar;

	compile_region(c, stmt, PROG_PREEMPT_OFF, PROG_PREEMPT_ON, cost[SIM_COST_preempt_off],
		       cost[SIM_COST_preempt_on]);
}

bool compile_flow(struct compiler *c, const struct scn_stmt *stmt)
{
	switch ((int)stmt->kind) {
	case SCN_LOOP:
		compile_loop(c, stmt);
		return true;
	case SCN_UNTIL:
		compile_until(c, stmt);
		return true;
	case SCN_BREAK:
		compile_break(c, stmt);
		return true;
	case SCN_CHOOSE:
		compile_choose(c, stmt);
		return true;
	case SCN_PREEMPT_OFF:
		compile_preempt_off(c, stmt);
		return true;
	case SCN_IRQ_OFF:
		compile_region(c, stmt, PROG_IRQ_OFF, PROG_IRQ_ON, 0, 0);
		return true;
	case SCN_KERNEL:
		compile_kernel(c, stmt, SIM_COST_syscall);
		return true;
	case SCN_FAULT:
		compile_kernel(c, stmt, SIM_COST_fault);
		return true;
	}
	return false;
}
