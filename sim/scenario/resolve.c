/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names to indices, once all declarations are known. */
#include <string.h>

#include "sim/scenario/parse.h"

const char *scn_object_kind_name(enum scn_object_kind kind)
{
	switch (kind) {
	case SCN_LOCK:
		return "lock";
	case SCN_COMPLETION:
		return "completion";
	case SCN_SEMAPHORE:
		return "semaphore";
	case SCN_BARRIER:
		return "barrier";
	case SCN_CONDITION:
		return "condition";
	}
	return "";
}

/* The nearest declared name of an object of @kinds, or of a task if @tasks. */
static const char *meant(struct parser *p, const char *name, unsigned kinds, bool tasks, char *buf,
			 size_t room)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (unsigned i = 0; i < p->locks->len; i++) {
		const struct scn_lock *lock = p->locks->pdata[i];

		if (kinds & 1u << lock->kind)
			g_ptr_array_add(names, (void *)lock->name);
	}
	for (unsigned i = 0; tasks && i < p->tasks->len; i++)
		g_ptr_array_add(names, (void *)((struct scn_task *)p->tasks->pdata[i])->name);
	g_ptr_array_add(names, NULL);
	return parse_meant(name, (const char *const *)names->pdata, buf, room);
}

static const char *symbol_noun(const struct parser *p, const struct symbol *sym)
{
	switch (sym->kind) {
	case SYM_PARAM:
		return "param";
	case SYM_TASK:
		return "task";
	case SYM_INTERRUPT:
		return "interrupt";
	case SYM_OBJECT:
		break;
	}
	return scn_object_kind_name(((struct scn_lock *)p->locks->pdata[sym->index])->kind);
}

/* What to write instead, where the verb does not fit the kind of object. */
static const char *verbs_of(enum scn_object_kind kind)
{
	switch (kind) {
	case SCN_LOCK:
		return "use lock, read, write, unlock, hold";
	case SCN_COMPLETION:
		return "use wait, wake, wakeall";
	case SCN_SEMAPHORE:
		return "use take and post";
	case SCN_BARRIER:
		return "use meet";
	case SCN_CONDITION:
		return "use wait ... with its lock, wake, wakeall";
	}
	return "";
}

static const char *noun_of_kinds(unsigned kinds)
{
	for (int k = SCN_LOCK; k <= SCN_CONDITION; k++)
		if (kinds & 1u << k)
			return scn_object_kind_name(k);
	return "lock";
}

static void resolve_object(struct parser *p, const struct ref *ref)
{
	const struct symbol *sym = parse_symbol(p, ref->name);
	const struct scn_lock *lock = sym && sym->kind == SYM_OBJECT ? p->locks->pdata[sym->index] : NULL;
	char buf[80];

	if (lock && ref->kinds & 1u << lock->kind) {
		*ref->index = sym->index;
	} else if (lock) {
		parse_fail(p, SIM_DIAG_wrong_kind, ref->pos, "\"%s\" is a %s; %s", ref->name,
			   scn_object_kind_name(lock->kind), verbs_of(lock->kind));
	} else if (sym) {
		parse_fail(p, SIM_DIAG_wrong_kind, ref->pos, "\"%s\" is a %s, not a %s", ref->name,
			   symbol_noun(p, sym), noun_of_kinds(ref->kinds));
	} else if (!p->lost && parse_missing(p, ref->name)) {
		meant(p, ref->name, ref->kinds, false, buf, sizeof(buf));
		if (!*buf && ref->kinds & 1u << SCN_LOCK)
			g_snprintf(buf, sizeof(buf), "; declare it: \"lock %.40s : MODEL\"", ref->name);
		parse_fail(p, SIM_DIAG_unknown_lock, ref->pos, "no %s \"%s\"%s", noun_of_kinds(ref->kinds), ref->name, buf);
	}
}

static void resolve_task(struct parser *p, const struct ref *ref)
{
	const struct symbol *sym = parse_symbol(p, ref->name);
	char buf[80];

	if (sym && ref->kind == REF_CYCLE && sym->kind == SYM_INTERRUPT)
		ref->who->irq = true;
	if (sym && (sym->kind == SYM_TASK || (ref->who && ref->who->irq)))
		*ref->index = sym->index;
	else if (sym)
		parse_fail(p, SIM_DIAG_wrong_kind, ref->pos, "\"%s\" is a %s, not a task", ref->name,
			   symbol_noun(p, sym));
	else if (!p->lost && parse_missing(p, ref->name))
		parse_fail(p, SIM_DIAG_unknown_task, ref->pos, "no task \"%s\"%s", ref->name,
			   meant(p, ref->name, 0, true, buf, sizeof(buf)));
}

static void resolve_sleeps(struct parser *p, const struct ref *ref)
{
	const struct symbol *sym = parse_symbol(p, ref->name);
	struct scn_expect *x = ref->expect;
	char buf[80];

	if (sym && sym->kind == SYM_TASK) {
		x->has_task = true;
		x->task.task = sym->index;
	} else if (sym && sym->kind == SYM_OBJECT) {
		x->has_lock = true;
		x->lock.object = sym->index;
	} else if (sym) {
		parse_fail(p, SIM_DIAG_wrong_kind, ref->pos, "\"%s\" is a %s, not a task or a lock",
			   ref->name, symbol_noun(p, sym));
	} else if (!p->lost && parse_missing(p, ref->name)) {
		parse_fail(p, SIM_DIAG_unknown_name, ref->pos, "no task and no lock \"%s\"%s", ref->name,
			   meant(p, ref->name, ref->kinds, true, buf, sizeof(buf)));
	}
}

static uint32_t done_index(const struct parser *p, const char *name)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(p->done_index, name));
}

static void unknown_done(struct parser *p, const char *name, struct sim_pos pos)
{
	char buf[80];

	g_ptr_array_add(p->dones, NULL);
	parse_fail(p, SIM_DIAG_unknown_done, pos, "no task says \"done %s\"%s", name,
		   parse_meant(name, (const char *const *)p->dones->pdata + 1, buf, sizeof(buf)));
	g_ptr_array_set_size(p->dones, (gint)p->dones->len - 1);
}

static void resolve_done(struct parser *p, const struct ref *ref)
{
	const struct symbol *sym = parse_symbol(p, ref->name);
	struct scn_expect *x = ref->expect;
	char buf[80];

	if (sym && sym->kind == SYM_TASK) {
		x->has_task = true;
		x->task.task = sym->index;
		x->done_index = x->text ? done_index(p, x->text) : 0;
		if (x->text && !x->done_index)
			unknown_done(p, x->text, x->lock.pos);
	} else if (!x->text && x->task.instance < 0 && done_index(p, ref->name)) {
		x->text = ref->name;
		x->done_index = done_index(p, ref->name);
	} else if (!p->lost) {
		parse_fail(p, SIM_DIAG_unknown_task, ref->pos, "no task \"%s\"%s", ref->name,
			   meant(p, ref->name, 0, true, buf, sizeof(buf)));
	}
}

void resolve_names(struct parser *p)
{
	for (unsigned i = 0; i < p->refs->len && !parse_stopped(p); i++) {
		const struct ref *ref = &g_array_index(p->refs, struct ref, i);

		switch (ref->kind) {
		case REF_OBJECT:
			resolve_object(p, ref);
			break;
		case REF_TASK:
		case REF_CYCLE:
			resolve_task(p, ref);
			break;
		case REF_SLEEPS:
			resolve_sleeps(p, ref);
			break;
		case REF_DONE:
			resolve_done(p, ref);
			break;
		}
	}
}
