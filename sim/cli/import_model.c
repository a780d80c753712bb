// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks of real-time theory and their parts. A unit of time is shown as a millisecond. */
#include "sim/cli/import_model.h"

#include <string.h>

#define LEVELS 98 /* fifo 99 is left to whoever watches */

void model_init(struct model *m, struct import_source *src, const char *tool)
{
	*m = (struct model){.src = src, .tool = tool, .cpus = 1};
	m->task = g_ptr_array_new();
	m->resource = g_ptr_array_new();
	m->remarks = g_string_new(NULL);
}

void model_finish(struct model *m)
{
	for (guint i = 0; i < m->task->len; i++) {
		struct model_task *t = m->task->pdata[i];

		g_free(t->original);
		g_free(t->name);
		g_array_unref(t->section);
		g_free(t);
	}
	for (guint i = 0; i < m->resource->len; i++) {
		struct model_resource *r = m->resource->pdata[i];

		g_free(r->original);
		g_free(r->name);
		g_free(r);
	}
	g_ptr_array_unref(m->task);
	g_ptr_array_unref(m->resource);
	g_string_free(m->remarks, TRUE);
}

/* -- parts ----------------------------------------------------------------------------------------- */

static bool is_taken(const void *user, const char *name)
{
	const struct model *m = user;

	for (guint i = 0; i < m->task->len; i++)
		if (!strcmp(((struct model_task *)m->task->pdata[i])->name, name))
			return true;
	for (guint i = 0; i < m->resource->len; i++)
		if (!strcmp(((struct model_resource *)m->resource->pdata[i])->name, name))
			return true;
	return false;
}

struct model_task *model_find_task(const struct model *m, const char *original)
{
	for (guint i = 0; i < m->task->len; i++)
		if (!strcmp(((struct model_task *)m->task->pdata[i])->original, original))
			return m->task->pdata[i];
	return NULL;
}

struct model_task *model_add_task(struct model *m, struct xml *x, const char *name)
{
	struct model_task *t;

	if (model_find_task(m, name)) {
		import_error_at(m->src, x->at, "a second task \"%s\"", name);
		return NULL;
	}
	t = g_new0(struct model_task, 1);
	t->original = g_strdup(name);
	t->name = import_name(name, "_task", is_taken, m);
	t->x = x;
	t->section = g_array_new(FALSE, FALSE, sizeof(struct model_section));
	g_ptr_array_add(m->task, t);
	return t;
}

struct model_resource *model_add_resource(struct model *m, struct xml *x, const char *name)
{
	struct model_resource *r = g_new0(struct model_resource, 1);

	r->original = g_strdup(name);
	r->name = import_name(name, "_lock", is_taken, m);
	r->x = x;
	r->units = 1;
	r->ceiling = -1;
	g_ptr_array_add(m->resource, r);
	return r;
}

bool model_add_section(struct model *m, struct model_task *t, guint resource, sim_time from, sim_time to,
		       const char *at)
{
	struct model_section s = {.from = from, .to = to, .resource = resource, .at = at};
	char a[SIM_TIME_CHARS], b[SIM_TIME_CHARS], c[SIM_TIME_CHARS];

	sim_time_format(a, from);
	sim_time_format(b, to);
	sim_time_format(c, t->capacity);
	if (from > to || to > t->capacity) {
		import_error_at(m->src, at,
				"expected a section inside of the %s that \"%s\" computes, found %s to %s", c,
				t->original, a, b);
		return false;
	}
	for (guint i = 0; i < t->section->len; i++) {
		const struct model_section *o = &g_array_index(t->section, struct model_section, i);

		if (o->resource == resource && o->from < to && from < o->to) {
			import_error_at(m->src, at,
					"expected sections of one resource to be apart, but %s to %s of "
					"\"%s\" meets another",
					a, b, t->original);
			return false;
		}
	}
	g_array_append_val(t->section, s);
	return true;
}

void model_remark(struct model *m, const char *fmt, ...)
{
	g_autofree char *text = NULL, *clean = NULL;
	va_list args;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	clean = import_quote(text);
	g_string_append_printf(m->remarks, "# %s\n", clean);
}

/* -- values ---------------------------------------------------------------------------------------- */

bool model_time(struct model *m, const struct xml *x, const char *text, const char *what, sim_time *t)
{
	sim_time unit = SIM_MS;
	const char *c = text;
	bool digits = false, point = false;

	*t = 0;
	for (; *c && *t < SIM_S * 1000000; c++) {
		if (*c == '.' && !point) {
			point = true;
			continue;
		}
		if (!g_ascii_isdigit(*c) || (point && unit == SIM_PS))
			break;
		digits = true;
		if (point)
			unit /= 10;
		*t = point ? *t + (sim_time)(*c - '0') * unit : *t * 10 + (sim_time)(*c - '0') * SIM_MS;
	}
	if (digits && !*c)
		return true;
	import_error_at(m->src, x->at, "expected %s, a number such as 10 or 2.5, found \"%.40s\"", what,
			text);
	return false;
}

bool model_integer(struct model *m, const struct xml *x, const char *text, const char *what, gint64 min,
		   gint64 max, gint64 *n)
{
	char *end;

	*n = g_ascii_strtoll(text, &end, 10);
	if (end != text && !*end && *n >= min && *n <= max)
		return true;
	import_error_at(m->src, x->at,
			"expected %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", found \"%.40s\"",
			what, min, max, text);
	return false;
}

/* -- priorities ------------------------------------------------------------------------------------ */

/* Is @a to have the stronger priority? */
static int stronger(const struct model *m, const struct model_task *a, const struct model_task *b)
{
	sim_time x = 0, y = 0;

	if (m->scheduler == MODEL_RM) {
		x = a->period;
		y = b->period;
	} else if (m->scheduler == MODEL_DM) {
		x = a->deadline;
		y = b->deadline;
	}
	if (x != y)
		return x < y ? 1 : -1;
	return a->priority > b->priority ? 1 : a->priority < b->priority ? -1 : 0;
}

static bool fits_as_it_is(const struct model *m)
{
	for (guint i = 0; i < m->task->len; i++) {
		const struct model_task *t = m->task->pdata[i];

		if (t->priority < 1 || t->priority > LEVELS)
			return false;
	}
	return m->scheduler == MODEL_GIVEN;
}

/* Ceilings of the model mean something only beside its own priorities; deadlines have none. */
static void set_ceiling(struct model *m, struct model_resource *r, bool given)
{
	if (m->scheduler == MODEL_EDF && (r->protocol == MODEL_PCP || r->protocol == MODEL_IPCP)) {
		model_remark(
			m, "not carried: the ceiling protocol of %s: deadlines have no ceiling; it inherits",
			r->original);
		r->protocol = MODEL_PIP;
	}
	if (r->ceiling > 0 && (!given || r->ceiling > 99)) {
		model_remark(m, "not carried: ceiling %" G_GINT64_FORMAT " of %s: computed from its users",
			     r->ceiling, r->original);
		r->ceiling = -1;
	}
}

/* Levels from 1: those of the model where fifo has them, else by rank. */
bool model_set_levels(struct model *m)
{
	bool given = fits_as_it_is(m);

	for (guint i = 0; i < m->task->len; i++) {
		struct model_task *t = m->task->pdata[i];
		GPtrArray *below = g_ptr_array_new();

		for (guint k = 0; k < m->task->len; k++) {
			struct model_task *o = m->task->pdata[k];
			bool known = stronger(m, t, o) <= 0;

			for (guint j = 0; j < below->len && !known; j++)
				known = !stronger(m, below->pdata[j], o);
			if (!known)
				g_ptr_array_add(below, o);
		}
		t->level = given ? (unsigned)t->priority : below->len + 1;
		g_ptr_array_unref(below);
		if (t->level > LEVELS) {
			import_error_at(m->src, t->x->at, "more than %d different priorities", LEVELS);
			return false;
		}
	}
	if (!given && m->scheduler == MODEL_GIVEN && m->task->len)
		model_remark(m, "Priorities are ranks here: those of the model do not all lie from 1 to %d.",
			     LEVELS);
	for (guint i = 0; i < m->resource->len; i++)
		set_ceiling(m, m->resource->pdata[i], given);
	return true;
}
