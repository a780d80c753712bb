// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiling the steps of a director. */
#include "sim/run/bind_impl.h"
#include "sim/run/director_impl.h"
#include "sim/run/program_compile.h"

static uint32_t place(const struct scenario *scn, const struct scn_target *t, uint32_t first)
{
	return first + (t->index ? (uint32_t)scn_constant(scn, t->index) : 0);
}

/* Kernel number of a policy: deadline -1, fifo and rr 99 - p, nice 120 + n. */
static int prio_of(const struct run_bound *b, const struct scn_sched *sched)
{
	struct sim_attr attr;

	bound_attr(b, sched, &attr);
	switch (sched->policy) {
	case SCN_POLICY_FIFO:
	case SCN_POLICY_RR:
		return 99 - attr.rt_priority;
	case SCN_POLICY_NICE:
		return 120 + attr.nice;
	case SCN_POLICY_DEADLINE:
		break;
	}
	return -1;
}

/* The order as an instruction of the task that is told: compiled here, kept apart. */
static const struct prog_insn *take_last(struct compiler *c)
{
	struct prog_insn *in = bind_alloc(c->pool, sizeof(*in));

	*in = *insn_at(c, here(c) - 1);
	in->tells = true;
	g_array_set_size(c->code, here(c) - 1);
	return in;
}

static void compile_tell(struct compiler *c, const struct scn_stmt *stmt)
{
	const struct prog_insn *told = NULL;
	struct prog_insn *in;

	if (stmt->body) {
		struct scn_stmt order = *stmt->body;
		bool own = order.kind == SCN_ACQUIRE || order.kind == SCN_UNLOCK;

		if (!own)
			order.target = stmt->target;
		compile_target(c, &order);
		if (!own) /* the director does it itself */
			return;
		told = take_last(c);
	}
	in = emit(c, PROG_TELL, stmt);
	in->first = place(c->b->scn, &stmt->target, c->b->task_first[stmt->target.object]);
	in->count = 1;
	in->told = told;
	in->how = (uint8_t)stmt->step->order;
	in->slot = stmt->step->park;
}

static void compile_fact(struct compiler *c, const struct scn_stmt *stmt, enum prog_op op)
{
	struct prog_asked *asked = bind_alloc(c->pool, sizeof(*asked));

	asked->stmt = stmt;
	asked->task = place(c->b->scn, &stmt->target, c->b->task_first[stmt->target.object]);
	if (stmt->step->fact == SCN_FACT_STATE)
		asked->lock = place(c->b->scn, &stmt->step->lock, c->b->lock_first[stmt->step->lock.object]);
	if (stmt->step->fact == SCN_FACT_PRIO || stmt->step->fact == SCN_FACT_NORMAL)
		asked->prio = prio_of(c->b, &stmt->step->sched);
	emit(c, op, stmt)->asked = asked;
}

bool compile_step(struct compiler *c, const struct scn_stmt *stmt)
{
	if (stmt->kind != SCN_TELL && stmt->kind != SCN_AWAIT && stmt->kind != SCN_CHECK)
		return false;
	emit(c, PROG_SETTLE, stmt);
	if (stmt->kind == SCN_TELL)
		compile_tell(c, stmt);
	else
		compile_fact(c, stmt, stmt->kind == SCN_AWAIT ? PROG_AWAIT : PROG_CHECK);
	return true;
}
