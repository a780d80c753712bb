// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A model as the text of a scenario. A critical section lies in the task's own computation: between such
 * points it runs, at them it locks and unlocks.
 */
#include <string.h>

#include "sim/cli/import_model.h"

#define LONGEST (60 * SIM_S) /* of a hyperperiod that is run through */
#define VALUE_SHOWN 60

/* -- printing -------------------------------------------------------------------------------------- */

static void put_time(GString *out, sim_time t)
{
	char text[SIM_TIME_CHARS];

	g_string_append(out, t ? sim_time_format(text, t) : "0ms");
}

struct point { /* where something is locked or unlocked */
	sim_time at;
	bool lock;
	sim_time other; /* the other end */
	guint resource;
	unsigned order;
};

/* Ends first; then the longer section opens first and the one that opened last closes first. */
static int by_time(gconstpointer a, gconstpointer b)
{
	const struct point *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->lock != y->lock)
		return x->lock ? 1 : -1;
	if (x->other != y->other)
		return x->other > y->other ? -1 : 1;
	return x->lock ? (int)x->order - (int)y->order : (int)y->order - (int)x->order;
}

static GArray *points_of(const struct model_task *t)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct point));

	for (guint i = 0; i < t->section->len; i++) {
		const struct model_section *s = &g_array_index(t->section, struct model_section, i);
		struct point from = {
			.at = s->from, .lock = true, .other = s->to, .resource = s->resource, .order = i};
		struct point to = {.at = s->to, .other = s->from, .resource = s->resource, .order = i};

		if (s->from == s->to) /* nothing is computed in it */
			continue;
		g_array_append_val(points, from);
		g_array_append_val(points, to);
	}
	g_array_sort(points, by_time);
	return points;
}

static void put_job(const struct model *m, GString *out, const struct model_task *t)
{
	g_autoptr(GArray) points = points_of(t);
	sim_time done = 0;

	for (guint i = 0; i < points->len; i++) {
		const struct point *p = &g_array_index(points, struct point, i);
		const struct model_resource *r = m->resource->pdata[p->resource];

		if (p->at > done) {
			g_string_append(out, " run ");
			put_time(out, p->at - done);
			done = p->at;
		}
		g_string_append_printf(out, " %s %s",
				       r->units == 1 ? (p->lock ? "lock" : "unlock")
				       : p->lock     ? "take"
						     : "post",
				       r->name);
	}
	if (t->capacity > done) {
		g_string_append(out, " run ");
		put_time(out, t->capacity - done);
	}
}

static void put_header(const struct model *m, GString *out, const struct model_task *t)
{
	g_string_append_printf(out, "task %s ", t->name);
	if (m->scheduler == MODEL_EDF && t->release != MODEL_ONCE) {
		g_string_append(out, "deadline "); /* there without a budget: one that is never used up */
		put_time(out, MIN(t->deadline, t->period));
		g_string_append_c(out, ' ');
		put_time(out, t->period);
		g_string_append_c(out, ' ');
		put_time(out, MIN(t->deadline, t->period));
	} else if (t->fair) {
		g_string_append(out, "nice 0");
	} else {
		g_string_append_printf(out, "%s %u", t->rr ? "rr" : "fifo", t->level);
	}
	if (m->cpus > 1 && t->ncpus == 1)
		g_string_append_printf(out, " cpu %u", t->cpu);
	else if (m->cpus > 1 && t->ncpus > 1)
		g_string_append_printf(out, " cpus %u-%u", t->cpu, t->cpu + t->ncpus - 1);
}

static void put_task(const struct model *m, GString *out, const struct model_task *t)
{
	put_header(m, out, t);
	g_string_append(out, " {");
	if (t->offset) {
		g_string_append(out, " at ");
		put_time(out, t->offset);
	}
	if (t->release != MODEL_ONCE)
		g_string_append(out, " loop {");
	put_job(m, out, t);
	if (t->release == MODEL_POISSON) {
		g_string_append(out, " period exp(");
		put_time(out, t->period);
		g_string_append(out, ") }");
	} else if (t->release != MODEL_ONCE) {
		g_string_append(out, " period ");
		put_time(out, t->period);
		g_string_append(out, " }");
	}
	g_string_append(out, " }\n");
}

static void put_resource(GString *out, const struct model_resource *r)
{
	static const char *const model[] = {[MODEL_NONE] = "mutex",
					    [MODEL_PIP] = "rtmutex",
					    [MODEL_PCP] = "pcp",
					    [MODEL_IPCP] = "futex-pp"};

	if (r->units != 1) {
		g_string_append_printf(out, "semaphore %s = %" G_GINT64_FORMAT "\n", r->name, r->units);
		return;
	}
	g_string_append_printf(out, "lock %s : %s", r->name, model[r->protocol]);
	if (r->ceiling > 0 && (r->protocol == MODEL_PCP || r->protocol == MODEL_IPCP))
		g_string_append_printf(out, " { ceiling %" G_GINT64_FORMAT " }", r->ceiling);
	g_string_append_c(out, '\n');
}

static sim_time gcd(sim_time a, sim_time b)
{
	while (b) {
		sim_time rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* How long until everything repeats. */
static void put_run(const struct model *m, GString *out)
{
	unsigned __int128 hyper = SIM_MS;
	sim_time offset = 0, longest = SIM_MS;
	bool endless = false, drawn = false;

	for (guint i = 0; i < m->task->len; i++) {
		const struct model_task *t = m->task->pdata[i];

		offset = MAX(offset, t->offset);
		if (t->release == MODEL_ONCE)
			continue;
		endless = true;
		drawn |= t->release == MODEL_POISSON;
		longest = MAX(longest, t->period);
		if (hyper <= LONGEST)
			hyper = hyper / gcd((sim_time)hyper, t->period) * t->period;
	}
	if (!endless) {
		g_string_append(out, "\nrun until done limit 3600s\n");
		return;
	}
	if (hyper > LONGEST || drawn)
		hyper = 10 * longest;
	g_string_append(out, hyper == 10 * longest
				     ? "\nrun for "
				     : "\n# the hyperperiod, from the last first release\nrun for ");
	put_time(out, (sim_time)hyper + offset);
	g_string_append_c(out, '\n');
}

/* -- what is left ---------------------------------------------------------------------------------- */

struct left { /* a name and value that nobody used, and how often */
	const char *name;
	char *value;
	unsigned times;
};

static void note_unused(void *user, const struct xml *x, const char *name, const char *value)
{
	GArray *list = user;
	struct left l = {.name = g_intern_string(name), .times = 1};

	if (g_str_has_suffix(name, "@id")) /* a handle for references, which are followed */
		return;

	for (guint i = 0; i < list->len; i++) {
		struct left *o = &g_array_index(list, struct left, i);

		if (o->name == l.name && !strcmp(o->value, value)) {
			o->times++;
			return;
		}
	}
	l.value = g_strdup(value);
	g_array_append_val(list, l);
}

static unsigned elements_in(const struct xml *x)
{
	unsigned n = 1;

	for (guint i = 0; i < x->child->len; i++)
		n += elements_in(x->child->pdata[i]);
	return n;
}

/* What is nothing anyway, in one line. */
static void put_zeros(GString *out, const GArray *list)
{
	bool any = false;

	for (guint i = 0; i < list->len; i++) {
		const struct left *l = &g_array_index(list, struct left, i);

		if (strcmp(l->value, "0"))
			continue;
		g_string_append_printf(out, "%s %s", any ? "," : "# not carried, and 0:", l->name);
		any = true;
	}
	if (any)
		g_string_append_c(out, '\n');
}

/* Nothing is dropped in silence: all elements and attributes that had no use; parts of other matters as a
 * whole. */
static void put_unused(GString *out, const struct model *m, struct xml *root)
{
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct left));

	for (guint i = 0; i < root->child->len; i++) {
		const struct xml *part = root->child->pdata[i];

		if (g_strv_contains(m->read, part->name))
			xml_unused(part, note_unused, list);
		else
			g_string_append_printf(out, "# not carried: all of %s (%u elements)\n", part->name,
					       elements_in(part));
	}
	g_ptr_array_set_size(root->child, 0); /* it was looked at; what is left is its own */
	xml_unused(root, note_unused, list);
	put_zeros(out, list);
	for (guint i = 0; i < list->len; i++) {
		struct left *l = &g_array_index(list, struct left, i);
		g_autofree char *text = import_quote(l->value);
		g_autofree char *shown = g_utf8_strlen(text, -1) > VALUE_SHOWN
						 ? g_utf8_substring(text, 0, VALUE_SHOWN)
						 : g_strdup(text);

		if (strcmp(l->value, "0"))
			g_string_append_printf(out, "# not carried: %s %s", l->name, shown);
		if (strcmp(l->value, "0") && l->times > 1)
			g_string_append_printf(out, " (%u times)", l->times);
		if (strcmp(l->value, "0"))
			g_string_append_c(out, '\n');
		g_free(l->value);
	}
}

static bool is_complete(struct model *m)
{
	if (!m->task->len && !m->src->errors)
		import_error(m->src, 1, 1, "expected at least one task, found none");
	return !m->src->errors;
}

static void remark_deadline(struct model *m, const struct model_task *t)
{
	char text[SIM_TIME_CHARS];

	if (m->scheduler == MODEL_EDF && t->deadline > t->period)
		model_remark(m, "not carried: deadline %s of %s: the period is the latest",
			     sim_time_format(text, t->deadline), t->original);
	if (m->scheduler != MODEL_EDF && t->release != MODEL_ONCE && t->deadline != t->period)
		model_remark(m, "not carried: deadline %s of %s: nothing watches it",
			     sim_time_format(text, t->deadline), t->original);
}

GString *model_print(struct model *m, struct xml *root, const struct model_ask *ask)
{
	g_autofree char *base = g_path_get_basename(m->src->path), *name = import_quote(base);
	GString *out;

	if (ask->scheduler >= 0)
		m->scheduler = (enum model_scheduler)ask->scheduler;
	for (guint i = 0; ask->protocol >= 0 && i < m->resource->len; i++)
		((struct model_resource *)m->resource->pdata[i])->protocol =
			(enum model_protocol)ask->protocol;
	if (!is_complete(m) || !model_set_levels(m))
		return NULL;
	for (guint i = 0; i < m->task->len; i++)
		remark_deadline(m, m->task->pdata[i]);
	out = g_string_new(NULL);
	g_string_append_printf(
		out, "# Imported by lockstep from a model of %s. A unit of its time is a millisecond here.\n",
		m->tool);
	g_string_append(out, m->remarks->str);
	put_unused(out, m, root);
	g_string_append_printf(out, "scenario \"%s\"\norigin \"%s model %s\"\n", name, m->tool, name);
	g_string_append_printf(out, "machine { sockets 1 cores %u costs zero preempt full hz 1000 }\n\n",
			       m->cpus);
	for (guint i = 0; i < m->resource->len; i++)
		put_resource(out, m->resource->pdata[i]);
	if (m->resource->len)
		g_string_append_c(out, '\n');
	for (guint i = 0; i < m->task->len; i++)
		put_task(m, out, m->task->pdata[i]);
	put_run(m, out);
	return out;
}
