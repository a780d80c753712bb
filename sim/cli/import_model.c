// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks of real-time theory as tasks of a scenario. A unit of time is shown as a millisecond. A
 * critical section lies in the task's own computation: between such points it runs, at them it locks
 * and unlocks.
 */
#include "sim/cli/import_model.h"

#include <string.h>

#define LEVELS 98	     /* fifo 99 is left to whoever watches */
#define LONGEST (60 * SIM_S) /* of a hyperperiod that is run through */
#define VALUE_SHOWN 60

void model_init(struct model *m, struct import_source *src, const char *tool)
{
	*m = (struct model){ .src = src, .tool = tool, .cpus = 1 };
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

bool model_add_section(struct model *m, struct model_task *t, guint resource, sim_time from, sim_time to, const char *at)
{
	struct model_section s = { .from = from, .to = to, .resource = resource, .at = at };
	char a[SIM_TIME_CHARS], b[SIM_TIME_CHARS], c[SIM_TIME_CHARS];

	sim_time_format(a, from);
	sim_time_format(b, to);
	sim_time_format(c, t->capacity);
	if (from > to || to > t->capacity) {
		import_error_at(m->src, at, "expected a section inside of the %s that \"%s\" computes, found %s to %s", c, t->original, a, b);
		return false;
	}
	for (guint i = 0; i < t->section->len; i++) {
		const struct model_section *o = &g_array_index(t->section, struct model_section, i);

		if (o->resource == resource && o->from < to && from < o->to) {
			import_error_at(m->src, at, "expected sections of one resource to be apart, but %s to %s of \"%s\" meets another", a, b,
					t->original);
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
	import_error_at(m->src, x->at, "expected %s, a number such as 10 or 2.5, found \"%.40s\"", what, text);
	return false;
}

bool model_integer(struct model *m, const struct xml *x, const char *text, const char *what, gint64 min, gint64 max, gint64 *n)
{
	char *end;

	*n = g_ascii_strtoll(text, &end, 10);
	if (end != text && !*end && *n >= min && *n <= max)
		return true;
	import_error_at(m->src, x->at, "expected %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", found \"%.40s\"", what, min, max, text);
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
		model_remark(m, "not carried: the ceiling protocol of %s: deadlines have no ceiling; it inherits", r->original);
		r->protocol = MODEL_PIP;
	}
	if (r->ceiling > 0 && (!given || r->ceiling > 99)) {
		model_remark(m, "not carried: ceiling %" G_GINT64_FORMAT " of %s: computed from its users", r->ceiling, r->original);
		r->ceiling = -1;
	}
}

/* Levels from 1: those of the model where fifo has them, else by rank. */
static bool set_levels(struct model *m)
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
		model_remark(m, "Priorities are ranks here: those of the model do not all lie from 1 to %d.", LEVELS);
	for (guint i = 0; i < m->resource->len; i++)
		set_ceiling(m, m->resource->pdata[i], given);
	return true;
}

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
		struct point from = { .at = s->from, .lock = true, .other = s->to, .resource = s->resource, .order = i };
		struct point to = { .at = s->to, .other = s->from, .resource = s->resource, .order = i };

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
		g_string_append_printf(out, " %s %s", r->units == 1 ? (p->lock ? "lock" : "unlock") : p->lock ? "take" : "post", r->name);
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
	static const char *const model[] = { [MODEL_NONE] = "mutex", [MODEL_PIP] = "rtmutex", [MODEL_PCP] = "pcp", [MODEL_IPCP] = "futex-pp" };

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
	g_string_append(out, hyper == 10 * longest ? "\nrun for " : "\n# the hyperperiod, from the last first release\nrun for ");
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
	struct left l = { .name = g_intern_string(name), .times = 1 };

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

/* Nothing is dropped in silence: all elements and attributes that had no use; parts of other matters as a whole. */
static void put_unused(GString *out, const struct model *m, struct xml *root)
{
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct left));

	for (guint i = 0; i < root->child->len; i++) {
		const struct xml *part = root->child->pdata[i];

		if (g_strv_contains(m->read, part->name))
			xml_unused(part, note_unused, list);
		else
			g_string_append_printf(out, "# not carried: all of %s (%u elements)\n", part->name, elements_in(part));
	}
	g_ptr_array_set_size(root->child, 0); /* it was looked at; what is left is its own */
	xml_unused(root, note_unused, list);
	put_zeros(out, list);
	for (guint i = 0; i < list->len; i++) {
		struct left *l = &g_array_index(list, struct left, i);
		g_autofree char *text = import_quote(l->value);
		g_autofree char *shown = g_utf8_strlen(text, -1) > VALUE_SHOWN ? g_utf8_substring(text, 0, VALUE_SHOWN) : g_strdup(text);

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
		model_remark(m, "not carried: deadline %s of %s: the period is the latest", sim_time_format(text, t->deadline), t->original);
	if (m->scheduler != MODEL_EDF && t->release != MODEL_ONCE && t->deadline != t->period)
		model_remark(m, "not carried: deadline %s of %s: nothing watches it", sim_time_format(text, t->deadline), t->original);
}

GString *model_print(struct model *m, struct xml *root, const struct model_ask *ask)
{
	g_autofree char *base = g_path_get_basename(m->src->path), *name = import_quote(base);
	GString *out;

	if (ask->scheduler >= 0)
		m->scheduler = (enum model_scheduler)ask->scheduler;
	for (guint i = 0; ask->protocol >= 0 && i < m->resource->len; i++)
		((struct model_resource *)m->resource->pdata[i])->protocol = (enum model_protocol)ask->protocol;
	if (!is_complete(m) || !set_levels(m))
		return NULL;
	for (guint i = 0; i < m->task->len; i++)
		remark_deadline(m, m->task->pdata[i]);
	out = g_string_new(NULL);
	g_string_append_printf(out, "# Imported by lockstep from a model of %s. A unit of its time is a millisecond here.\n", m->tool);
	g_string_append(out, m->remarks->str);
	put_unused(out, m, root);
	g_string_append_printf(out, "scenario \"%s\"\norigin \"%s model %s\"\n", name, m->tool, name);
	g_string_append_printf(out, "machine { sockets 1 cores %u costs zero preempt full hz 1000 }\n\n", m->cpus);
	for (guint i = 0; i < m->resource->len; i++)
		put_resource(out, m->resource->pdata[i]);
	if (m->resource->len)
		g_string_append_c(out, '\n');
	for (guint i = 0; i < m->task->len; i++)
		put_task(m, out, m->task->pdata[i]);
	put_run(m, out);
	return out;
}
