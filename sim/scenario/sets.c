/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --set name=value. Params take theirs when they are declared, since later numbers build on
 * them; everything else is set after the text was read and before it is checked.
 */
#include <string.h>

#include "sim/scenario/parse.h"

static struct sim_pos set_pos(const struct set *set)
{
	return (struct sim_pos){
		.source = set->source, .line = 1, .column = 1, .width = (uint32_t)strlen(set->name)};
}

bool sets_read(struct parser *p)
{
	const char *const *all = p->options->sets;
	unsigned n = all ? g_strv_length((char **)all) : 0;
	bool ok = true;

	p->sets = scn_new_array(p->mem, struct set, n + 1);
	for (unsigned i = 0; i < n; i++) {
		struct set *set = &p->sets[i];
		struct sim_source *source = scn_new(p->mem, struct sim_source);
		size_t len = strlen(all[i]);
		const char *eq = strchr(all[i], '='), *text = scn_strndup(p->mem, all[i], len);

		*source = (struct sim_source){.path = "--set", .text = text, .len = len};
		set->source = source;
		set->name = eq ? scn_strndup(p->mem, text, (size_t)(eq - all[i])) : text;
		set->value = eq ? text + (eq - all[i]) + 1 : NULL;
		if (!eq || eq == all[i] || !set->value[0] || len > LEX_LINE_MAX)
			ok = parse_fail(p, SIM_DIAG_set_syntax, set_pos(set),
					"--set takes name=value, such as \"think=5us\"");
	}
	p->nsets = n;
	return ok;
}

/* Reads the value of @set with the ordinary parser. */
static void begin_value(struct parser *p, const struct set *set, struct parser *saved)
{
	*saved = *p;
	lex_begin(&p->lex, set->source, p->diags);
	p->lex.next = set->value;
	parse_advance(p);
}

static void end_value(struct parser *p, const struct parser *saved, bool ok)
{
	if (ok && p->tok.kind != TOK_END)
		parse_expected(p, "the end of the value");
	p->lex = saved->lex;
	p->tok = saved->tok;
	p->last = saved->last;
	p->depth = saved->depth;
	p->nesting = saved->nesting;
}

static bool same_unit(enum scn_unit a, enum scn_unit b)
{
	bool a_part = a == SCN_RATIO || a == SCN_PERCENT, b_part = b == SCN_RATIO || b == SCN_PERCENT;
	bool a_time = a == SCN_TIME || a == SCN_CYCLES, b_time = b == SCN_TIME || b == SCN_CYCLES;

	return a == b || (a_part && b_part) || (a_time && b_time);
}

static enum want want_of(enum scn_unit unit)
{
	switch (unit) {
	case SCN_COUNT:
		return WANT_COUNT;
	case SCN_TIME:
	case SCN_CYCLES:
		return WANT_TIME;
	case SCN_PERCENT:
	case SCN_RATIO:
		return WANT_PART;
	case SCN_FREQUENCY:
		return WANT_FREQUENCY;
	case SCN_WORD:
		break;
	}
	return WANT_ANY;
}

struct scn_expr *sets_param(struct parser *p, const char *name, enum scn_unit unit)
{
	struct scn_expr *value = NULL;
	struct parser saved;

	for (unsigned i = 0; i < p->nsets; i++) { /* the last one counts */
		if (strcmp(p->sets[i].name, name) || !p->sets[i].value)
			continue;
		p->sets[i].used = true;
		begin_value(p, &p->sets[i], &saved);
		value = NULL;
		end_value(p, &saved, parse_quantity(p, want_of(unit), EXPR_CONST, name, &value));
		if (value && value != &p->poison && !same_unit(value->unit, unit))
			value = NULL;
	}
	return value;
}

/* -- settings --------------------------------------------------------------------------------------- */

/* Puts @s in place of the one of its name, or behind the last. */
static void replace_setting(struct parser *p, struct scn_setting **set, unsigned *n,
			    const struct scn_setting *s)
{
	struct scn_setting *grown;

	for (unsigned i = 0; i < *n; i++)
		if (!strcmp((*set)[i].name, s->name) && !g_strcmp0((*set)[i].cost, s->cost)) {
			(*set)[i] = *s;
			return;
		}
	grown = scn_new_array(p->mem, struct scn_setting, *n + 1);
	if (*n)
		memcpy(grown, *set, sizeof(*grown) * *n);
	grown[(*n)++] = *s;
	*set = grown;
}

static void unknown_set(struct parser *p, const struct set *set, const char *word, const char *const *names)
{
	char meant[80];

	parse_fail(p, SIM_DIAG_unknown_set, set_pos(set), "nothing named \"%.80s\" can be set%s", set->name,
		   parse_meant(word, names, meant, sizeof(meant)));
}

static void set_machine(struct parser *p, const struct set *set, const char *field)
{
	const struct field *f = parse_find_field(field);
	struct scn_machine *m = &p->scn->machine;
	struct scn_setting s = {.name = field, .pos = set_pos(set)};
	struct parser saved;
	bool ok;

	if (!f || f->kind == FIELD_COST) {
		unknown_set(p, set, field, parse_field_names());
		return;
	}
	begin_value(p, set, &saved);
	ok = parse_field_value(p, f, &s);
	end_value(p, &saved, ok);
	if (ok)
		replace_setting(p, &m->set, &m->nset, &s);
}

static void set_preset(struct parser *p, const struct set *set)
{
	struct parser saved;

	begin_value(p, set, &saved);
	end_value(p, &saved,
		  parse_word(p, "the name of a preset", &p->scn->machine.preset, &p->scn->machine.pos));
}

static void set_cost(struct parser *p, const struct set *set, const char *cost)
{
	struct scn_machine *m = &p->scn->machine;
	struct scn_setting s = {.name = "cost", .cost = cost, .pos = set_pos(set)};
	struct parser saved;
	bool ok;

	s.pos.column += 5; /* behind "cost." */
	s.pos.width = (uint32_t)strlen(cost);
	begin_value(p, set, &saved);
	ok = parse_quantity(p, WANT_TIME, EXPR_CONST, "a cost", &s.value);
	end_value(p, &saved, ok);
	if (ok)
		replace_setting(p, &m->set, &m->nset, &s);
}

/* Another model for a lock; parameters that only the old one has go with it. */
static void set_model(struct parser *p, const struct set *set, struct scn_lock *lock)
{
	const char *const *params = NULL;
	const unsigned char *units;
	struct parser saved;
	unsigned caps, kept = 0;
	bool ok;

	begin_value(p, set, &saved);
	ok = parse_word(p, "a lock model", &lock->model, &lock->model_pos);
	end_value(p, &saved, ok);
	if (!ok || !p->vocabulary->model_info ||
	    !p->vocabulary->model_info(lock->model, &caps, &params, &units))
		return;
	for (unsigned i = 0; i < lock->nset; i++)
		if (params && g_strv_contains(params, lock->set[i].name))
			lock->set[kept++] = lock->set[i];
	lock->nset = kept;
}

static void set_lock_param(struct parser *p, const struct set *set, struct scn_lock *lock, const char *name)
{
	struct scn_setting s = {.name = name, .pos = set_pos(set)};
	struct parser saved;
	bool ok = true;

	s.pos.column += (uint32_t)(name - set->name);
	s.pos.width = (uint32_t)strlen(name);
	begin_value(p, set, &saved);
	if (parse_is_name(p, "on") || parse_is_name(p, "off")) {
		s.word = parse_slice(p, &p->tok);
		s.value = parse_literal(p, SCN_WORD, parse_is_name(p, "on"), p->tok.pos);
		parse_advance(p);
	} else {
		ok = parse_quantity(p, WANT_ANY, EXPR_CONST, "a value", &s.value);
	}
	end_value(p, &saved, ok);
	if (ok)
		replace_setting(p, &lock->set, &lock->nset, &s);
}

static void set_count(struct parser *p, const struct set *set, struct scn_task *task)
{
	struct parser saved;
	uint64_t count = 1;

	if (!task->indexed) {
		parse_fail(p, SIM_DIAG_not_indexed, set_pos(set),
			   "\"%s\" is one task; declare it as %s[N] to set its count", task->name,
			   task->name);
		return;
	}
	begin_value(p, set, &saved);
	end_value(p, &saved, parse_count(p, "the number of instances", 1, UINT64_MAX, &count));
	task->count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static void set_seed(struct parser *p, const struct set *set)
{
	struct parser saved;

	p->scn->has_seed = true;
	begin_value(p, set, &saved);
	end_value(p, &saved, parse_count(p, "the seed", 0, UINT64_MAX, &p->scn->seed));
}

/* All names that stand alone in a --set. */
static void unknown_name(struct parser *p, const struct set *set, const char *word)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (unsigned i = 0; i < p->params->len; i++)
		g_ptr_array_add(names, (void *)((struct scn_param *)p->params->pdata[i])->name);
	for (unsigned i = 0; i < p->locks->len; i++)
		g_ptr_array_add(names, (void *)((struct scn_lock *)p->locks->pdata[i])->name);
	for (unsigned i = 0; i < p->tasks->len; i++)
		g_ptr_array_add(names, (void *)((struct scn_task *)p->tasks->pdata[i])->name);
	for (unsigned i = 0; i < 3; i++)
		g_ptr_array_add(names, (void *)(const char *[]){"machine", "cost", "seed"}[i]);
	g_ptr_array_add(names, NULL);
	unknown_set(p, set, word, (const char *const *)names->pdata);
}

static void set_dotted(struct parser *p, const struct set *set, const char *head, const char *tail)
{
	const struct symbol *sym = parse_symbol(p, head);
	struct scn_lock *lock = sym && sym->kind == SYM_OBJECT ? p->locks->pdata[sym->index] : NULL;

	if (!strcmp(head, "machine"))
		set_machine(p, set, tail);
	else if (!strcmp(head, "cost"))
		set_cost(p, set, tail);
	else if (lock && lock->kind == SCN_LOCK)
		set_lock_param(p, set, lock, tail);
	else if (sym && sym->kind == SYM_TASK && !strcmp(tail, "count"))
		set_count(p, set, p->tasks->pdata[sym->index]);
	else if (sym)
		unknown_set(p, set, tail, (const char *const[]){"count", NULL});
	else
		unknown_name(p, set, head);
}

static void apply(struct parser *p, struct set *set)
{
	const struct symbol *sym = parse_symbol(p, set->name);
	const char *dot = strchr(set->name, '.');
	struct scn_lock *lock = sym && sym->kind == SYM_OBJECT ? p->locks->pdata[sym->index] : NULL;

	set->used = true;
	if (dot)
		set_dotted(p, set, scn_strndup(p->mem, set->name, (size_t)(dot - set->name)), dot + 1);
	else if (!strcmp(set->name, "seed"))
		set_seed(p, set);
	else if (!strcmp(set->name, "machine"))
		set_preset(p, set);
	else if (lock && lock->kind == SCN_LOCK)
		set_model(p, set, lock);
	else if (!sym || sym->kind != SYM_PARAM)
		unknown_name(p, set, set->name);
}

void sets_apply(struct parser *p)
{
	for (int dotted = 0; dotted < 2; dotted++) /* models first: their parameters depend on them */
		for (unsigned i = 0; i < p->nsets && !parse_stopped(p); i++)
			if (!p->sets[i].used && !strchr(p->sets[i].name, '.') == !dotted)
				apply(p, &p->sets[i]);
}
