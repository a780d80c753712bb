// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock-order graph of a run.
 *
 *	A ──> B	   somebody who held A asked for B
 *
 * A circle is an order that can deadlock, whether it did or not. Trylocks give up rather than
 * wait, so they make no arrow. A circle that one task makes all by itself cannot close.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/report/graph.h"

#define HOW_TRY 1u

struct held {
	uint32_t lock;
	uint32_t next; /* in the pool of holds, of the same task; 0 ends */
};

struct arrow {
	uint32_t from, to;
	uint64_t times;
	sim_time first;
	uint32_t task;	/* that made it first */
	bool many;	/* others did too */
	bool circle;
};

struct order {
	char **task, **lock, **model;
	uint32_t ntask, nlock;
	uint32_t *holds, *wants; /* by task: index in pool, 0 none; the lock of its call + 1 */
	bool *trying;
	GArray *pool;  /* struct held; [0] is unused */
	GArray *spare; /* free places of it */
	GArray *arrow; /* in the order of appearance */
	GHashTable *place; /* (from << 32 | to) -> 1 + index in arrow; only ever looked up */
};

static struct arrow *arrow_at(const struct order *o, guint i)
{
	return &g_array_index(o->arrow, struct arrow, i);
}

struct order *order_new(void)
{
	struct order *o = g_new0(struct order, 1);
	struct held none = { 0 };

	o->pool = g_array_new(FALSE, FALSE, sizeof(struct held));
	o->spare = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	o->arrow = g_array_new(FALSE, FALSE, sizeof(struct arrow));
	o->place = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	g_array_append_val(o->pool, none);
	return o;
}

static char **copy_names(const char *const *name, uint32_t n)
{
	char **copy = g_new0(char *, n + 1);

	for (uint32_t i = 0; i < n; i++)
		copy[i] = g_strdup(name && name[i] ? name[i] : "?");
	return copy;
}

void order_names(struct order *o, const struct sim_names *names)
{
	o->ntask = names->ntasks;
	o->nlock = names->nlocks;
	o->task = copy_names(names->task, names->ntasks);
	o->lock = copy_names(names->lock, names->nlocks);
	o->model = copy_names(names->lock_model, names->nlocks);
	o->holds = g_new0(uint32_t, o->ntask + 1);
	o->wants = g_new0(uint32_t, o->ntask + 1);
	o->trying = g_new0(bool, o->ntask + 1);
}

void order_free(struct order *o)
{
	if (!o)
		return;
	g_strfreev(o->task);
	g_strfreev(o->lock);
	g_strfreev(o->model);
	g_free(o->holds);
	g_free(o->wants);
	g_free(o->trying);
	g_array_free(o->pool, TRUE);
	g_array_free(o->spare, TRUE);
	g_array_free(o->arrow, TRUE);
	g_hash_table_destroy(o->place);
	g_free(o);
}

/* -- the fold ------------------------------------------------------------------------------------- */

static void hold_add(struct order *o, uint32_t task, uint32_t lock)
{
	struct held h = { lock, o->holds[task] };

	if (o->spare->len) {
		o->holds[task] = g_array_index(o->spare, uint32_t, o->spare->len - 1);
		g_array_set_size(o->spare, o->spare->len - 1);
		g_array_index(o->pool, struct held, o->holds[task]) = h;
	} else {
		o->holds[task] = o->pool->len;
		g_array_append_val(o->pool, h);
	}
}

static void hold_remove(struct order *o, uint32_t task, uint32_t lock)
{
	uint32_t *at = &o->holds[task];

	while (*at && g_array_index(o->pool, struct held, *at).lock != lock)
		at = &g_array_index(o->pool, struct held, *at).next;
	if (!*at)
		return; /* somebody else's: a semaphore, or a finding */
	g_array_append_val(o->spare, *at);
	*at = g_array_index(o->pool, struct held, *at).next;
}

static void arrow_add(struct order *o, uint32_t from, uint32_t to, uint32_t task, sim_time now)
{
	gint64 key = (gint64)((uint64_t)from << 32 | to);
	guint i = GPOINTER_TO_UINT(g_hash_table_lookup(o->place, &key));
	struct arrow *a;

	if (!i) {
		struct arrow first = { .from = from, .to = to, .first = now, .task = task };

		g_array_append_val(o->arrow, first);
		i = o->arrow->len;
		g_hash_table_insert(o->place, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(i));
	}
	a = arrow_at(o, i - 1);
	a->times++;
	a->many |= a->task != task;
}

void order_take(struct order *o, const struct sim_rec *rec)
{
	uint32_t task = rec->task - 1, lock = rec->obj - 1;

	if (!rec->task || !rec->obj || task >= o->ntask || lock >= o->nlock)
		return;
	if (rec->type == SIM_REC_GRANT) {
		hold_add(o, task, lock);
	} else if (rec->type == SIM_REC_UNLOCK) {
		hold_remove(o, task, lock);
	} else if (rec->type == SIM_REC_CALL && !(rec->arg >> 8 & HOW_TRY)) {
		for (uint32_t h = o->holds[task]; h; h = g_array_index(o->pool, struct held, h).next)
			arrow_add(o, g_array_index(o->pool, struct held, h).lock, lock, task, rec->time);
	}
}

/* -- circles -------------------------------------------------------------------------------------- */

/* Locks that have an arrow in and an arrow out among those left; what never falls away lies on a circle or between two. */
static void find_circles(const struct order *o)
{
	g_autofree bool *in = g_new0(bool, o->nlock + 1), *out = g_new0(bool, o->nlock + 1);
	bool again = true;

	for (guint i = 0; i < o->arrow->len; i++)
		arrow_at(o, i)->circle = true;
	while (again) {
		again = false;
		memset(in, 0, o->nlock + 1);
		memset(out, 0, o->nlock + 1);
		for (guint i = 0; i < o->arrow->len; i++) {
			const struct arrow *a = arrow_at(o, i);

			if (a->circle)
				out[a->from] = in[a->to] = true;
		}
		for (guint i = 0; i < o->arrow->len; i++) {
			struct arrow *a = arrow_at(o, i);

			if (a->circle && (!in[a->from] || !out[a->to])) {
				a->circle = false;
				again = true;
			}
		}
	}
}

/* All arrows of circles come from one and the same task. */
static bool alone(const struct order *o)
{
	uint32_t task = UINT32_MAX;

	for (guint i = 0; i < o->arrow->len; i++) {
		const struct arrow *a = arrow_at(o, i);

		if (!a->circle)
			continue;
		if (a->many || (task != UINT32_MAX && task != a->task))
			return false;
		task = a->task;
	}
	return true;
}

/* -- DOT ------------------------------------------------------------------------------------------ */

static void put_locks(GString *out, const struct order *o)
{
	g_autofree bool *used = g_new0(bool, o->nlock + 1);

	for (guint i = 0; i < o->arrow->len; i++)
		used[arrow_at(o, i)->from] = used[arrow_at(o, i)->to] = true;
	for (uint32_t i = 0; i < o->nlock; i++) {
		g_autofree char *label = g_strdup_printf("%s\n%s", o->lock[i], o->model[i]);

		if (!used[i])
			continue;
		g_string_append_printf(out, "  l%u [label=", i);
		graph_quote(out, label);
		g_string_append(out, "];\n");
	}
}

static void put_arrow(GString *out, const struct order *o, const struct arrow *a)
{
	char at[SIM_TIME_CHARS];
	g_autofree char *times = a->times == 1 ? g_strdup("once") : g_strdup_printf("%" PRIu64 " times, first", a->times);
	g_autofree char *label = g_strdup_printf("%s%s\n%s at %s", o->task[a->task], a->many ? " and others" : "", times,
						 sim_time_format(at, a->first));

	g_string_append_printf(out, "  l%u -> l%u [%slabel=", a->from, a->to, a->circle ? "color=\"#cc0000\", penwidth=2, " : "");
	graph_quote(out, label);
	g_string_append(out, "];\n");
}

void order_dot(GString *out, struct order *o, const char *title)
{
	g_autoptr(GString) label = g_string_new(title);
	bool any = false;

	find_circles(o);
	for (guint i = 0; i < o->arrow->len; i++)
		any |= arrow_at(o, i)->circle;
	g_string_append(label, ": order in which locks were taken\n");
	if (!o->arrow->len)
		g_string_append(label, "no lock was asked for while another was held");
	else if (!any)
		g_string_append(label, "no circle");
	else
		g_string_append(label, alone(o) ? "a circle, but of one task alone" : "a circle: this order can deadlock");
	g_string_append(out, "digraph ");
	graph_quote(out, title);
	g_string_append(out, " {\n  graph [fontname=\"Helvetica\", labelloc=t, label=");
	graph_quote(out, label->str);
	g_string_append(out, "];\n  node [shape=box, style=filled, fillcolor=white, fontname=\"Helvetica\", fontsize=12];\n"
			"  edge [fontname=\"Helvetica\", fontsize=10];\n");
	put_locks(out, o);
	for (guint i = 0; i < o->arrow->len; i++)
		put_arrow(out, o, arrow_at(o, i));
	g_string_append(out, "}\n");
}
