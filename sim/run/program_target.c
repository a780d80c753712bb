// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiling statements that name a lock, a barrier or a task. */
#include "sim/run/program_compile.h"

/* -- targets ---------------------------------------------------------------------------------- */

static void aim(struct compiler *c, struct prog_insn *in, uint32_t first, uint32_t count,
		const struct scn_target *target)
{
	in->first = first;
	in->count = count;
	in->index = value_or_null(c, target->index);
}

static struct prog_insn lock_insn(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt)
{
	struct prog_insn in = {.op = (uint8_t)op, .stmt = stmt->id};
	uint32_t decl = stmt->target.object;

	aim(c, &in, c->b->lock_first[decl], c->b->scn->lock[decl].count, &stmt->target);
	return in;
}

static void emit_lock_op(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt)
{
	struct prog_insn in = lock_insn(c, op, stmt);

	g_array_append_val(c->code, in);
}

static void emit_task_op(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt, uint8_t how)
{
	struct prog_insn in = {.op = (uint8_t)op, .stmt = stmt->id, .how = how};
	uint32_t decl = stmt->target.object;

	aim(c, &in, c->b->task_first[decl], c->b->scn->task[decl].count, &stmt->target);
	g_array_append_val(c->code, in);
}

/* A model without a shared mode serves readers one by one: what a compare block may ask for. */
static uint8_t mode_of(const struct compiler *c, const struct scn_stmt *stmt, uint32_t first)
{
	if (stmt->mode != SCN_MODE_READ || !(c->b->lock[first].model->caps & LOCK_CAP_SHARED))
		return LOCK_EXCLUSIVE;
	return LOCK_SHARED;
}

static uint8_t how_of(const struct scn_stmt *stmt)
{
	return (uint8_t)((stmt->try ? LOCK_TRY : 0) | (stmt->interruptible ? LOCK_INTERRUPTIBLE : 0) |
			 (stmt->killable ? LOCK_KILLABLE : 0));
}

/* An instruction about the lock that a condition goes with. */
static struct prog_insn with_insn(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt)
{
	struct prog_insn in = {.op = (uint8_t)op, .stmt = stmt->id, .mode = LOCK_EXCLUSIVE};
	uint32_t decl = stmt->with->object;

	aim(c, &in, c->b->lock_first[decl], c->b->scn->lock[decl].count, stmt->with);
	return in;
}

static void emit_acquire(struct compiler *c, const struct scn_stmt *stmt)
{
	struct prog_insn in = lock_insn(c, PROG_LOCK, stmt);

	in.mode = mode_of(c, stmt, in.first);
	in.how = how_of(stmt);
	in.value = value_or_null(c, stmt->timeout);
	in.tells = in.how || in.value || stmt->orelse;
	in.ticketed = stmt->with;
	g_array_append_val(c->code, in);
}

/* wait C with L: a ticket of C, let L go, sleep unless somebody was woken since, take L again. */
static void emit_wait_with(struct compiler *c, const struct scn_stmt *stmt)
{
	struct prog_insn unlock, again;

	emit_lock_op(c, PROG_TICKET, stmt);
	unlock = with_insn(c, PROG_UNLOCK, stmt);
	g_array_append_val(c->code, unlock);
	emit_acquire(c, stmt);
	again = with_insn(c, PROG_LOCK, stmt);
	again.again = true;
	g_array_append_val(c->code, again);
}

/* -- locks ------------------------------------------------------------------------------------ */

/* lock … else { }: the other branch runs if it failed, then both go on behind it. */
static void compile_acquire(struct compiler *c, const struct scn_stmt *stmt)
{
	uint32_t failed, over;

	if (stmt->with)
		emit_wait_with(c, stmt);
	else
		emit_acquire(c, stmt);
	if (!stmt->orelse)
		return;
	failed = here(c);
	emit(c, PROG_FAILED, stmt);
	over = here(c);
	emit(c, PROG_JUMP, stmt);
	insn_at(c, failed)->jump = here(c);
	compile_list(c, stmt->orelse);
	insn_at(c, over)->jump = here(c);
}

/* hold L { … }: an index that is drawn at random is not drawn again; the newest acquisition is let go. */
void compile_hold_end(struct compiler *c, const struct block *block)
{
	uint32_t slot = c->scope.slot;
	struct prog_insn in;

	c->scope.slot = block->slot;
	in = lock_insn(c, PROG_UNLOCK, block->stmt);
	c->scope.slot = slot;
	if (in.index && in.index->kind != VALUE_CONST && in.index->kind != VALUE_INSTANCE)
		in.index = NULL;
	g_array_append_val(c->code, in);
}

static void compile_hold(struct compiler *c, const struct scn_stmt *stmt)
{
	struct block block = {.up = c->open, .kind = BLOCK_HOLD, .stmt = stmt, .slot = c->scope.slot};
	uint32_t failed, over;

	emit_acquire(c, stmt);
	failed = here(c);
	emit(c, PROG_FAILED, stmt);
	c->open = &block;
	compile_list(c, stmt->body);
	c->open = block.up;
	compile_hold_end(c, &block);
	over = here(c);
	if (stmt->orelse)
		emit(c, PROG_JUMP, stmt);
	insn_at(c, failed)->jump = here(c);
	if (!stmt->orelse)
		return;
	compile_list(c, stmt->orelse);
	insn_at(c, over)->jump = here(c);
}

/* -- tasks ------------------------------------------------------------------------------------ */

static const enum sim_policy policy_of[] = {
	[SCN_POLICY_FIFO] = SIM_FIFO,
	[SCN_POLICY_RR] = SIM_RR,
	[SCN_POLICY_NICE] = SIM_NORMAL,
	[SCN_POLICY_DEADLINE] = SIM_DEADLINE,
};

static void compile_set(struct compiler *c, const struct scn_stmt *stmt)
{
	const struct scn_sched *sched = &stmt->sched;
	struct prog_set *set = bind_alloc(c->pool, sizeof(*set));

	set->policy = policy_of[sched->policy];
	set->neg = sched->neg;
	set->priority = value_or_null(c, sched->priority);
	set->runtime = value_or_null(c, sched->runtime);
	set->period = value_or_null(c, sched->period);
	set->deadline = value_or_null(c, sched->deadline);
	emit_task_op(c, PROG_SET, stmt, 0);
	insn_at(c, here(c) - 1)->set = set;
}

bool compile_target(struct compiler *c, const struct scn_stmt *stmt)
{
	switch ((int)stmt->kind) {
	case SCN_ACQUIRE:
	case SCN_WAIT:
	case SCN_TAKE:
		compile_acquire(c, stmt);
		return true;
	case SCN_UNLOCK:
	case SCN_WAKE:
	case SCN_POST:
		emit_lock_op(c, PROG_UNLOCK, stmt);
		return true;
	case SCN_DOWNGRADE:
		emit_lock_op(c, PROG_DOWNGRADE, stmt);
		return true;
	case SCN_WAKEALL:
		emit_lock_op(c, PROG_WAKEALL, stmt);
		return true;
	case SCN_TOUCH:
		emit_lock_op(c, PROG_TOUCH, stmt);
		return true;
	case SCN_MEET:
		emit_lock_op(c, PROG_MEET, stmt); /* lock_first[] of a barrier counts in barrier[] */
		return true;
	case SCN_SIGNAL:
	case SCN_KILL:
		emit_task_op(c, PROG_SIGNAL, stmt, stmt->kind == SCN_KILL);
		return true;
	case SCN_SET:
		compile_set(c, stmt);
		return true;
	case SCN_HOLD:
		compile_hold(c, stmt);
		return true;
	}
	return false;
}
