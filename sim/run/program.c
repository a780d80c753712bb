// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiling task bodies, and the state of tasks that run them. */
#include <string.h>

#include "sim/core/prng.h"
#include "sim/run/program_compile.h"

/* -- statements ------------------------------------------------------------------------- */

static void emit_value(struct compiler *c, enum prog_op op, const struct scn_stmt *stmt)
{
	const struct value *v = value_compile(&c->scope, stmt->arg);

	emit(c, op, stmt)->value = v;
}

/* 1 + index of the grid of that name in this body. */
static uint32_t grid_of(struct compiler *c, const char *name)
{
	for (guint i = 0; i < c->grids->len; i++)
		if (!strcmp(c->grids->pdata[i], name))
			return i + 1;
	g_ptr_array_add(c->grids, (void *)(uintptr_t)name);
	return c->grids->len;
}

/* Statements that stand alone. */
static void compile_point(struct compiler *c, const struct scn_stmt *stmt)
{
	switch ((int)stmt->kind) {
	case SCN_RUN:
		emit_value(c, PROG_RUN, stmt);
		emit(c, PROG_RAN, stmt);
		return;
	case SCN_SLEEP:
		emit_value(c, PROG_SLEEP, stmt);
		return;
	case SCN_AT:
		emit_value(c, PROG_AT, stmt);
		return;
	case SCN_PERIOD:
		emit_value(c, PROG_PERIOD, stmt);
		insn_at(c, here(c) - 1)->slot = stmt->text ? grid_of(c, stmt->text) : 0;
		insn_at(c, here(c) - 1)->how = stmt->reset;
		return;
	case SCN_YIELD:
		emit(c, PROG_YIELD, stmt);
		return;
	case SCN_EXIT:
		emit(c, PROG_EXIT, stmt);
		return;
	case SCN_RESCHED:
		emit(c, PROG_RESCHED, stmt);
		return;
	case SCN_SHOOTDOWN:
		emit(c, PROG_SHOOTDOWN, stmt);
		return;
	case SCN_MARK:
		emit(c, PROG_MARK, stmt)->slot = stmt->text_index;
		return;
	case SCN_DONE:
		emit(c, PROG_DONE, stmt)->slot = stmt->text_index;
		return;
	}
	sim_assert(!"a statement");
}

void compile_list(struct compiler *c, const struct scn_stmt *list)
{
	for (; list; list = list->next)
		if (!compile_target(c, list) && !compile_flow(c, list) && !compile_step(c, list))
			compile_point(c, list);
}

/* -- bodies ----------------------------------------------------------------------------------- */

static void compile_body(struct run_bound *b, struct bind_pool *pool, const struct scn_stmt *list,
			 const struct scn_task *task, struct prog_body *body)
{
	bool is_irq = !task;
	struct compiler c = {
		.b = b,
		.pool = pool,
		.scope = {.scn = b->scn,
			  .clock_khz = b->machine->cfg.clock_khz,
			  .slot = VALUE_NO_SLOT,
			  .memory = pool},
		.code = g_array_new(FALSE, FALSE, sizeof(struct prog_insn)),
		.grids = g_ptr_array_new(),
	};
	struct prog_insn *code;

	body->is_irq = is_irq;
	if (list && list->kind == SCN_AT && !is_irq) {
		body->arrival = value_compile(&c.scope, list->arg);
		list = list->next;
	}
	compile_list(&c, list);
	if (task && task->directed)
		emit(&c, PROG_DIRECTED, NULL);
	if (task && task->director)
		emit(&c, PROG_OVER, NULL);
	emit(&c, PROG_END, NULL);
	code = bind_alloc(pool, c.code->len * sizeof(*code));
	memcpy(code, c.code->data, c.code->len * sizeof(*code));
	body->code = code;
	body->ncode = c.code->len;
	body->nslots = c.nslots;
	body->ndraws = c.scope.ndraw;
	body->ngrids = c.grids->len;
	g_ptr_array_unref(c.grids);
	g_array_free(c.code, TRUE);
}

/* Address spaces by name; tasks without one share the first. */
static uint32_t group_of(const struct scenario *scn, uint32_t decl)
{
	const char *name = scn->task[decl].group;

	if (!name)
		return 0;
	for (uint32_t i = 0; i < decl; i++)
		if (scn->task[i].group && !strcmp(scn->task[i].group, name))
			return i + 1;
	return decl + 1;
}

void program_compile(struct run_bound *b, struct bind_pool *pool)
{
	const struct scenario *scn = b->scn;
	struct program *p = b->program;

	p->body = bind_alloc(pool, (scn->ntask + scn->nirq) * sizeof(p->body[0]));
	p->task = bind_alloc(pool, (b->ntask + b->nirq) * sizeof(p->task[0]));
	for (uint32_t i = 0; i < scn->ntask; i++) {
		compile_body(b, pool, scn->task[i].body, &scn->task[i], &p->body[i]);
		p->body[i].group = group_of(scn, i);
	}
	for (uint32_t i = 0; i < scn->nirq; i++)
		compile_body(b, pool, scn->irq[i].body, NULL, &p->body[scn->ntask + i]);
}

static bool uses(const struct program *p, unsigned nbody, enum prog_op op)
{
	for (unsigned i = 0; i < nbody; i++)
		for (uint32_t j = 0; j < p->body[i].ncode; j++)
			if (p->body[i].code[j].op == op)
				return true;
	return false;
}

void program_prepare(struct run_bound *b)
{
	struct program *p = b->program;

	if (uses(p, b->scn->ntask + b->scn->nirq, PROG_SHOOTDOWN))
		p->csd = sim_percpu_create("shootdown", sizeof(uint64_t), &p->csd_stride);
}

void program_task_init(struct run_bound *b, struct bind_pool *pool, uint32_t index,
		       const struct prog_body *body, const char *stream, uint32_t instance)
{
	struct prog_task *t = &b->program->task[index];

	t->pc = body->code;
	t->body = body;
	t->bound = b;
	t->program = b->program;
	t->limit = bind_alloc(pool, body->nslots * sizeof(uint64_t));
	t->grid = bind_alloc(pool, body->ngrids * sizeof(sim_time));
	for (uint32_t i = 0; i < body->ngrids; i++)
		t->grid[i] = SIM_NEVER;
	t->env = (struct value_env){
		.instance = instance,
		.stream = sim_stream(b->seed, stream, instance),
		.turn = bind_alloc(pool, body->nslots * sizeof(uint64_t)),
		.visit = bind_alloc(pool, body->ndraws * sizeof(uint64_t)),
		.done = &b->done,
	};
}

sim_time program_arrival(struct run_bound *b, uint32_t index)
{
	struct prog_task *t = &b->program->task[index];

	t->release = t->body->arrival ? value_of(t->body->arrival, &t->env) : 0;
	return t->release;
}

uint32_t bound_statement(const struct run_bound *b, uint32_t task)
{
	const struct prog_task *t = &b->program->task[task];

	/* pc is one ahead while an instruction is being worked on; the end of a body has no statement */
	return t->pc == t->body->code ? t->pc->stmt : t->pc[-1].stmt;
}

unsigned bound_holds(const struct run_bound *b, uint32_t task)
{
	return b->program->task[task].holds;
}
