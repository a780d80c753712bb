/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations: params, locks and their like, tasks, interrupts. Grammar: parse.c. */
#include <string.h>

#include "sim/scenario/parse.h"

const struct symbol *parse_symbol(const struct parser *p, const char *name)
{
	return g_hash_table_lookup(p->symbols, name);
}

bool parse_declare(struct parser *p, enum symbol_kind kind, uint32_t index, const char *name,
		   struct sim_pos pos)
{
	const struct symbol *old = parse_symbol(p, name);
	struct symbol *sym;
	char where[300];

	if (old) {
		parse_fail(p, SIM_DIAG_duplicate_name, pos, "\"%s\" is declared twice", name);
		sim_diag_note(p->diags, "also defined at %s", parse_also(&old->pos, where, sizeof(where)));
		return true;
	}
	if (g_hash_table_size(p->symbols) >= PARSE_MAX_DECLS) {
		p->fatal = true;
		return parse_fail(p, SIM_DIAG_too_many_declarations, pos, "more than %u declarations",
				  PARSE_MAX_DECLS);
	}
	sym = scn_new(p->mem, struct symbol);
	*sym = (struct symbol){.kind = kind, .index = index, .name = name, .pos = pos};
	g_hash_table_insert(p->symbols, (void *)name, sym);
	return true;
}

/* NAME [ "[" count "]" ] */
static bool parse_decl(struct parser *p, const char *what, const char **name, struct sim_pos *pos,
		       uint64_t *count, bool *indexed)
{
	*count = 1;
	if (!parse_new_name(p, what, name, pos))
		return false;
	if (!parse_take(p, '['))
		return true;
	*indexed = true;
	return parse_count(p, "the number of instances", 1, UINT64_MAX, count) && parse_need(p, ']', "\"]\"");
}

/* -- params ----------------------------------------------------------------------------------- */

bool parse_param(struct parser *p)
{
	struct scn_param *param = scn_new(p->mem, struct scn_param);
	struct scn_expr *set;

	param->value = &p->poison;
	if (!parse_new_name(p, "a name for the param", &param->name, &param->pos))
		return false;
	g_ptr_array_add(p->params, param);
	if (!parse_declare(p, SYM_PARAM, p->params->len - 1, param->name, param->pos))
		return false;
	if (!parse_need(p, '=', "\"=\" and a value") ||
	    !parse_quantity(p, WANT_ANY, EXPR_CONST, "a param", &param->value))
		return false;
	if (param->value == &p->poison)
		return true;
	set = sets_param(p, param->name, param->value->unit);
	if (set)
		param->value = set;
	return true;
}

/* -- locks and their like ------------------------------------------------------------------------ */

static uint32_t clamp_count(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count; /* checked against the limits at the end */
}

static struct scn_lock *new_object(struct parser *p, enum scn_object_kind kind, const char *model)
{
	struct scn_lock *lock = scn_new(p->mem, struct scn_lock);

	lock->kind = kind;
	lock->model = model;
	lock->count = 1;
	return lock;
}

static bool declare_object(struct parser *p, struct scn_lock *lock, const char *what)
{
	uint64_t count;

	if (!parse_decl(p, what, &lock->name, &lock->pos, &count, &lock->indexed)) {
		if (!lock->name)
			return false;
		count = 1;
		g_ptr_array_add(p->locks, lock); /* known all the same: its uses are no further mistakes */
		parse_declare(p, SYM_OBJECT, p->locks->len - 1, lock->name, lock->pos);
		return false;
	}
	lock->count = clamp_count(count);
	lock->model_pos = lock->pos;
	g_ptr_array_add(p->locks, lock);
	return parse_declare(p, SYM_OBJECT, p->locks->len - 1, lock->name, lock->pos);
}

static bool parse_data_lines(struct parser *p, unsigned *lines)
{
	uint64_t n;

	if (!parse_count(p, "the number of data lines", 1, 65536, &n))
		return false;
	*lines = (unsigned)n;
	if (!parse_take_name(p, "lines") && !parse_take_name(p, "line"))
		return parse_expected(p, "\"lines\"");
	return true;
}

static bool parse_setting(struct parser *p, struct scn_setting *s)
{
	if (p->tok.kind == TOK_NAME && (parse_is_name(p, "on") || parse_is_name(p, "off"))) {
		s->word = parse_slice(p, &p->tok);
		s->value = parse_literal(p, SCN_WORD, parse_is_name(p, "on"), p->tok.pos);
		parse_advance(p);
		return true;
	}
	if (p->tok.kind == TOK_NAME && !parse_symbol(p, parse_slice(p, &p->tok)) && !p->lost)
		return parse_expected(p, "a number, \"on\" or \"off\"");
	return parse_quantity(p, WANT_ANY, EXPR_CONST, "a value", &s->value);
}

static void check_repeated(struct parser *p, const GArray *set, const struct scn_setting *s)
{
	char where[300];

	for (unsigned i = 0; i < set->len; i++) {
		const struct scn_setting *old = &g_array_index(set, struct scn_setting, i);

		if (strcmp(old->name, s->name) || g_strcmp0(old->cost, s->cost))
			continue;
		parse_fail(p, SIM_DIAG_repeated_clause, s->pos, "\"%s\" is set twice",
			   s->cost ? s->cost : s->name);
		sim_diag_note(p->diags, "also set at %s", parse_also(&old->pos, where, sizeof(where)));
		return;
	}
}

bool parse_add_setting(struct parser *p, GArray *set, const struct scn_setting *s)
{
	if (set->len == PARSE_MAX_SETTINGS)
		return parse_too_many(p, SIM_DIAG_list_too_long, s->pos, "settings", PARSE_MAX_SETTINGS);
	check_repeated(p, set, s);
	g_array_append_val(set, *s);
	return true;
}

bool parse_lock_settings(struct parser *p, GArray *set, unsigned *data_lines)
{
	while (!parse_is(p, '}') && p->tok.kw != KW_expect) {
		struct scn_setting s = {.pos = p->tok.pos};

		if (p->tok.kind != TOK_NAME)
			return parse_expected(p, "the name of a parameter or \"}\"");
		if (p->compare && parse_is_expectation(p))
			return parse_fail(p, SIM_DIAG_syntax, s.pos, "expected a parameter, found \"%.*s\"; write \"expect %.*s ...\"",
					  (int)p->tok.len, p->tok.at, (int)p->tok.len, p->tok.at);
		s.name = parse_slice(p, &p->tok);
		parse_advance(p);
		if (data_lines && !strcmp(s.name, "data")) {
			if (!parse_data_lines(p, data_lines))
				return false;
			continue;
		}
		if (!parse_setting(p, &s) || !parse_add_setting(p, set, &s))
			return false;
	}
	return true;
}

struct scn_setting *parse_settings_done(struct parser *p, GArray *set, unsigned *n)
{
	struct scn_setting *all = scn_new_array(p->mem, struct scn_setting, set->len + 1);

	if (set->len)
		memcpy(all, set->data, sizeof(*all) * set->len);
	*n = set->len;
	return all;
}

bool parse_lock(struct parser *p)
{
	struct scn_lock *lock = new_object(p, SCN_LOCK, NULL);
	g_autoptr(GArray) set = g_array_new(FALSE, TRUE, sizeof(struct scn_setting));

	if (!declare_object(p, lock, "a name for the lock"))
		return false;
	if (!parse_is(p, ':'))
		return parse_expected(p, "\":\" and a lock model");
	parse_advance(p);
	if (!parse_word(p, "a lock model", &lock->model, &lock->model_pos))
		return false;
	if (!parse_take(p, '{'))
		return true;
	if (!parse_lock_settings(p, set, &lock->data_lines) || !parse_need(p, '}', "\"}\""))
		return false;
	lock->set = parse_settings_done(p, set, &lock->nset);
	return true;
}

bool parse_completion(struct parser *p)
{
	return declare_object(p, new_object(p, SCN_COMPLETION, "completion"), "a name for the completion");
}

bool parse_condition(struct parser *p)
{
	return declare_object(p, new_object(p, SCN_CONDITION, "condition"), "a name for the condition");
}

bool parse_semaphore(struct parser *p)
{
	struct scn_lock *lock = new_object(p, SCN_SEMAPHORE, "semaphore");

	return declare_object(p, lock, "a name for the semaphore") &&
	       parse_need(p, '=', "\"=\" and a count") &&
	       parse_quantity(p, WANT_COUNT, EXPR_CONST, "the count of the semaphore", &lock->value);
}

bool parse_barrier(struct parser *p)
{
	struct scn_lock *lock = new_object(p, SCN_BARRIER, NULL);

	return declare_object(p, lock, "a name for the barrier") &&
	       parse_quantity(p, WANT_COUNT, EXPR_CONST, "the number of tasks that meet", &lock->value);
}

/* -- tasks ------------------------------------------------------------------------------------ */

bool parse_at_sched(const struct parser *p)
{
	return p->tok.kind == TOK_NAME && (p->tok.kw == KW_fifo || p->tok.kw == KW_rr ||
					   p->tok.kw == KW_nice || p->tok.kw == KW_deadline);
}

static bool parse_deadline(struct parser *p, struct scn_sched *sched, unsigned allow)
{
	sched->policy = SCN_POLICY_DEADLINE;
	if (!parse_quantity(p, WANT_TIME, allow, "the runtime of a deadline task", &sched->runtime) ||
	    !parse_quantity(p, WANT_TIME, allow, "the period of a deadline task", &sched->period))
		return false;
	if (p->tok.kind != TOK_NUMBER && !(p->tok.kind == TOK_NAME && !p->tok.kw) && !parse_is(p, '('))
		return true;
	return parse_quantity(p, WANT_TIME, allow, "the relative deadline", &sched->deadline);
}

bool parse_sched(struct parser *p, struct scn_sched *sched, unsigned allow)
{
	enum keyword kw = p->tok.kw;

	parse_advance(p);
	if (kw == KW_deadline)
		return parse_deadline(p, sched, allow);
	sched->policy = kw == KW_fifo ? SCN_POLICY_FIFO : kw == KW_rr ? SCN_POLICY_RR : SCN_POLICY_NICE;
	sched->neg = kw == KW_nice && parse_take(p, '-');
	if (sched->neg) /* "nice -5 cpu 3": the sign belongs to the number */
		return parse_atom(p, WANT_COUNT, allow, "a nice value", &sched->priority);
	return parse_quantity(p, WANT_COUNT, allow, kw == KW_nice ? "a nice value" : "a priority",
			      &sched->priority);
}

static bool parse_ranges(struct parser *p, struct scn_task *task)
{
	g_autoptr(GArray) list = g_array_new(FALSE, TRUE, sizeof(struct scn_range));

	do {
		struct scn_range r = {0};

		if (list->len == PARSE_MAX_LIST)
			return parse_too_many(p, SIM_DIAG_list_too_long, p->tok.pos, "ranges",
					      PARSE_MAX_LIST);
		if (!parse_atom(p, WANT_COUNT, EXPR_INSTANCE, "a CPU number", &r.lo))
			return false;
		if (parse_take(p, '-') &&
		    !parse_atom(p, WANT_COUNT, EXPR_INSTANCE, "the last CPU of the range", &r.hi))
			return false;
		if (parse_is(p, PUNCT_DOTS))
			return parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "a range of CPUs is written with \"-\", as in 0-3");
		g_array_append_val(list, r);
	} while (parse_take(p, ','));
	task->ncpus = list->len;
	task->cpus = scn_new_array(p->mem, struct scn_range, list->len);
	memcpy(task->cpus, list->data, sizeof(*task->cpus) * list->len);
	return true;
}

static bool parse_one_cpu(struct parser *p, struct scn_task *task)
{
	task->ncpus = 1;
	task->cpus = scn_new(p->mem, struct scn_range);
	return parse_quantity(p, WANT_COUNT, EXPR_INSTANCE, "a CPU number", &task->cpus->lo);
}

struct header_seen {
	bool sched, cpus, spread, pin, group;
};

static bool repeat(struct parser *p, bool *seen, const char *what)
{
	if (!*seen) {
		*seen = true;
		return true;
	}
	return parse_fail(p, SIM_DIAG_repeated_clause, p->tok.pos, "a task has only one %s", what);
}

/* One clause of a task's header. *@end when there are no more. */
static bool parse_clause(struct parser *p, struct scn_task *task, struct header_seen *seen, bool *end)
{
	enum keyword kw = p->tok.kind == TOK_NAME ? p->tok.kw : KW_NONE;
	struct sim_pos pos;

	if (parse_at_sched(p))
		return repeat(p, &seen->sched, "policy") && parse_sched(p, &task->sched, EXPR_INSTANCE);
	switch ((int)kw) {
	case KW_cpu:
		if (!repeat(p, &seen->cpus, "set of CPUs"))
			return false;
		parse_advance(p);
		return parse_one_cpu(p, task);
	case KW_cpus:
		if (!repeat(p, &seen->cpus, "set of CPUs"))
			return false;
		parse_advance(p);
		return parse_ranges(p, task);
	case KW_socket:
		if (!repeat(p, &seen->cpus, "set of CPUs"))
			return false;
		parse_advance(p);
		return parse_quantity(p, WANT_COUNT, EXPR_INSTANCE, "a socket number", &task->socket);
	case KW_spread:
	case KW_pack:
		if (!repeat(p, &seen->spread, "\"spread\" or \"pack\""))
			return false;
		task->place = kw == KW_spread ? SCN_PLACE_SPREAD : SCN_PLACE_PACK;
		parse_advance(p);
		return true;
	case KW_pin:
		if (!repeat(p, &seen->pin, "\"pin\""))
			return false;
		task->pin = true;
		parse_advance(p);
		return true;
	case KW_group:
		if (!repeat(p, &seen->group, "group"))
			return false;
		parse_advance(p);
		return parse_new_name(p, "a name for the group", &task->group, &pos);
	}
	*end = true;
	return true;
}

static const char *const clauses[] = {"fifo",	"rr",	  "nice", "deadline", "cpu",   "cpus",
				      "socket", "spread", "pack", "pin",      "group", NULL};

bool parse_is_clause(const char *word)
{
	return g_strv_contains(clauses, word);
}

static bool bad_clause(struct parser *p)
{
	static const char what[] = "a policy, a place or \"{\"";
	g_autofree char *word = g_strndup(p->tok.at, MIN(p->tok.len, 40));
	char meant[80];

	if (p->tok.kind != TOK_NAME || p->tok.kw)
		return parse_expected(p, what);
	return parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "expected %s, found \"%s\"%s", what, word,
			  parse_instead(word, PARSE_IN_HEADER, clauses, meant, sizeof(meant)));
}

bool parse_task(struct parser *p)
{
	struct scn_task *task = scn_new(p->mem, struct scn_task);
	struct header_seen seen = {0};
	uint64_t count = 1;
	bool end = false, ok;

	task->sched.policy = SCN_POLICY_NICE;
	task->sched.priority = parse_literal(p, SCN_COUNT, 0, p->tok.pos);
	ok = parse_decl(p, "a name for the task", &task->name, &task->pos, &count, &task->indexed);
	if (!task->name)
		return false;
	task->count = clamp_count(count);
	g_ptr_array_add(p->tasks, task);
	if (!parse_declare(p, SYM_TASK, p->tasks->len - 1, task->name, task->pos) || !ok)
		return false;
	while (!end)
		if (!parse_clause(p, task, &seen, &end))
			return false;
	if (!parse_is(p, '{'))
		return bad_clause(p);
	return parse_block(p, &task->body);
}

bool parse_interrupt(struct parser *p)
{
	struct scn_interrupt *irq = scn_new(p->mem, struct scn_interrupt);

	if (!parse_new_name(p, "a name for the interrupt", &irq->name, &irq->pos))
		return false;
	g_ptr_array_add(p->irqs, irq);
	if (!parse_declare(p, SYM_INTERRUPT, p->irqs->len - 1, irq->name, irq->pos))
		return false;
	if (!parse_take_name(p, "cpu"))
		return parse_expected(p, "\"cpu\" and its number");
	if (!parse_quantity(p, WANT_COUNT, EXPR_CONST, "a CPU number", &irq->cpu))
		return false;
	if (!parse_take_name(p, "every"))
		return parse_expected(p, "\"every\" and a time");
	if (!parse_quantity(p, WANT_TIME, EXPR_RANDOM, "the time between interrupts", &irq->every))
		return false;
	if (parse_take_name(p, "from") &&
	    !parse_quantity(p, WANT_TIME, EXPR_CONST, "the time of the first interrupt", &irq->from))
		return false;
	p->in_interrupt = true;
	return parse_block(p, &irq->body);
}
