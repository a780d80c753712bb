// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Models of Cheddar, old (.xml: <processor>, <task task_type=…>, <resource_user> T 1 10) and new
 * (.xmlv3: <core_unit>, <periodic_task>, <critical_section>). Sections count ticks of the task's own
 * capacity from 1, both ends included.
 */
#include <string.h>

#include "sim/cli/import_model.h"

#define TICKS_MAX 1000000

struct processor {
	const char *name;
	unsigned first, n; /* CPUs */
};

struct cheddar {
	struct model m;
	struct xml *root;
	GArray *processor; /* struct processor */
	bool mixed;        /* told that schedulers differ */
	bool scheduled;    /* a scheduler was named */
};

/* -- schedulers and processors --------------------------------------------------------------------- */

static void scheduler(struct cheddar *c, const char *name)
{
	static const struct {
		const char *name;
		enum model_scheduler scheduler;
	} known[] = {{"RATE_MONOTONIC_PROTOCOL", MODEL_RM},
		     {"DEADLINE_MONOTONIC_PROTOCOL", MODEL_DM},
		     {"EARLIEST_DEADLINE_FIRST_PROTOCOL", MODEL_EDF},
		     {"POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL", MODEL_GIVEN}};
	enum model_scheduler s = MODEL_GIVEN;
	bool found = false;

	for (unsigned i = 0; i < G_N_ELEMENTS(known) && !found; i++)
		if (!g_ascii_strcasecmp(name, known[i].name)) {
			s = known[i].scheduler;
			found = true;
		}
	if (!found)
		model_remark(&c->m, "not carried: scheduler %s; the priorities of the tasks count", name);
	if (c->scheduled && s != c->m.scheduler) {
		model_remark(&c->m, "not carried: scheduler %s of a further core; all have that of the first",
			     name);
		return;
	}
	c->m.scheduler = s;
	c->scheduled = true;
}

static struct xml *core_of(const struct cheddar *c, const char *id)
{
	const struct xml *units = xml_child(c->root, "core_units");

	for (guint i = 0; units && i < units->child->len; i++) {
		const char *own = xml_attribute(units->child->pdata[i], "id");

		if (own && !strcmp(own, id))
			return units->child->pdata[i];
	}
	return NULL;
}

static void core(struct cheddar *c, struct xml *ref)
{
	const char *id = xml_attribute(ref, "ref"), *text, *preemptive;
	struct xml *unit = id ? core_of(c, id) : NULL,
		   *scheduling = unit ? xml_child(unit, "scheduling") : NULL;
	struct xml *parameters = xml_child(scheduling, "scheduling_parameters");

	/* exporters leave out one wrapping, or both */
	parameters = parameters ? parameters : scheduling ? scheduling : unit;
	if (!unit) {
		import_error_at(c->m.src, ref->at, "expected <core ref=…> of a <core_unit>, found \"%s\"",
				id ? id : "");
		return;
	}
	xml_text(unit, "name");
	xml_text(unit, "object_type");
	text = xml_text(parameters, "scheduler_type");
	if (text)
		scheduler(c, text);
	preemptive = xml_text(parameters, "preemptive_type");
	if (preemptive && g_ascii_strcasecmp(preemptive, "PREEMPTIVE"))
		model_remark(&c->m, "not carried: preemptive_type %s; all tasks can be preempted here",
			     preemptive);
}

static void processor(struct cheddar *c, struct xml *x)
{
	struct processor p = {.name = xml_text(x, "name"), .first = c->m.cpus};
	struct xml *cores = xml_child(x, "cores"), *one = xml_child(x, "core");
	const char *text = xml_text(x, "scheduler");

	if (!p.name) {
		import_error_at(c->m.src, x->at, "expected <name> in <%s>", x->name);
		return;
	}
	xml_text(x, "object_type");
	xml_text(x, "processor_type");
	if (text) {
		const char *preemptive = xml_attribute(xml_child(x, "scheduler"), "is_preemptive");

		scheduler(c, text);
		if (preemptive && g_ascii_strcasecmp(preemptive, "PREEMPTIVE"))
			model_remark(&c->m, "not carried: is_preemptive %s; all tasks can be preempted here",
				     preemptive);
	}
	if (one)
		core(c, one);
	for (guint i = 0; cores && i < cores->child->len && !c->m.src->errors; i++)
		core(c, cores->child->pdata[i]);
	p.n = cores ? MAX(cores->child->len, 1) : 1;
	c->m.cpus += p.n;
	g_array_append_val(c->processor, p);
}

static void processors(struct cheddar *c)
{
	struct xml *list = xml_child(c->root, "processors");

	c->m.cpus = 0;
	for (guint i = 0; list && i < list->child->len && !c->m.src->errors; i++)
		processor(c, list->child->pdata[i]);
	if (!c->processor->len && !c->m.src->errors)
		import_error_at(c->m.src, list ? list->at : c->root->at,
				"expected <processors> with at least one processor");
	if (c->m.cpus > 4096 && !c->m.src->errors)
		import_error_at(c->m.src, list->at, "expected at most 4096 cores, found %u", c->m.cpus);
}

static void place(struct cheddar *c, struct model_task *t)
{
	const char *name = xml_text(t->x, "cpu_name");

	if (c->processor->len == 1 && c->m.cpus == 1 && !name)
		return;
	for (guint i = 0; i < c->processor->len; i++) {
		const struct processor *p = &g_array_index(c->processor, struct processor, i);

		if (name && !strcmp(name, p->name)) {
			t->cpu = p->first;
			t->ncpus = p->n;
			return;
		}
	}
	model_remark(&c->m, "not carried: processor %s of task %s, which is not declared: it may run on any",
		     name ? name : "(none)", t->original);
}

/* -- tasks ----------------------------------------------------------------------------------------- */

static bool time_in(struct cheddar *c, struct xml *x, const char *name, sim_time *t)
{
	const char *text = xml_text(x, name);

	return !text || model_time(&c->m, xml_child(x, name), text, name, t);
}

static enum model_release release_of(struct cheddar *c, struct xml *x)
{
	const char *type = xml_attribute(x, "task_type");

	if (!type)
		type = xml_text(x, "task_type");
	if (!type)
		type = x->name;
	if (!g_ascii_strncasecmp(type, "periodic", 8))
		return MODEL_PERIODIC;
	if (!g_ascii_strncasecmp(type, "sporadic", 8)) {
		model_remark(&c->m, "%s is sporadic: it comes as often as it may", xml_text(x, "name"));
		return MODEL_SPORADIC;
	}
	if (!g_ascii_strncasecmp(type, "poisson", 7))
		return MODEL_POISSON;
	if (g_ascii_strncasecmp(type, "aperiodic", 9))
		model_remark(&c->m, "not carried: type %s of %s, which runs once here", type,
			     xml_text(x, "name"));
	return MODEL_ONCE;
}

static bool times(struct cheddar *c, struct model_task *t)
{
	if (!time_in(c, t->x, "capacity", &t->capacity) || !time_in(c, t->x, "period", &t->period) ||
	    !time_in(c, t->x, "start_time", &t->offset) || !time_in(c, t->x, "deadline", &t->deadline))
		return false;
	if (!t->capacity) {
		import_error_at(c->m.src, t->x->at, "expected a <capacity> above 0 for \"%s\"", t->original);
		return false;
	}
	if (!t->period && t->release != MODEL_ONCE) {
		import_error_at(c->m.src, t->x->at, "expected a <period> above 0 for \"%s\"", t->original);
		return false;
	}
	if (!t->deadline)
		t->deadline = t->period;
	return true;
}

static void task(struct cheddar *c, struct xml *x)
{
	const char *name = xml_text(x, "name"), *priority = xml_text(x, "priority"),
		   *policy = xml_text(x, "policy");
	struct model_task *t;

	if (!name || !*name) {
		import_error_at(c->m.src, x->at, "expected <name> in <%s>", x->name);
		return;
	}
	t = model_add_task(&c->m, x, name);
	if (!t)
		return;
	xml_text(x, "object_type");
	t->release = release_of(c, x);
	if (!times(c, t) || (priority && !model_integer(&c->m, xml_child(x, "priority"), priority,
							"a priority", -1000000, 1000000, &t->priority)))
		return;
	if (policy && c->m.scheduler == MODEL_GIVEN) {
		t->rr = !g_ascii_strcasecmp(policy, "SCHED_RR");
		t->fair = !g_ascii_strncasecmp(policy, "SCHED_OTHER", 11);
	}
	place(c, t);
}

/* -- resources ------------------------------------------------------------------------------------- */

static bool protocol(struct cheddar *c, struct model_resource *r)
{
	static const struct {
		const char *name;
		enum model_protocol protocol;
	} known[] = {{"NO_PROTOCOL", MODEL_NONE},
		     {"PRIORITY_INHERITANCE_PROTOCOL", MODEL_PIP},
		     {"PRIORITY_CEILING_PROTOCOL", MODEL_PCP},
		     {"IMMEDIATE_PRIORITY_CEILING_PROTOCOL", MODEL_IPCP}};
	const char *text = xml_text(r->x, "protocol");

	for (unsigned i = 0; text && i < G_N_ELEMENTS(known); i++)
		if (!g_ascii_strcasecmp(text, known[i].name)) {
			r->protocol = known[i].protocol;
			return true;
		}
	import_error_at(c->m.src, text ? xml_child(r->x, "protocol")->at : r->x->at,
			"expected <protocol> NO_, PRIORITY_INHERITANCE_, PRIORITY_CEILING_ or "
			"IMMEDIATE_PRIORITY_CEILING_PROTOCOL, found \"%s\"",
			text ? text : "none");
	return false;
}

/* Ticks of the task's own capacity, from 1, both ends included. */
static void section(struct cheddar *c, guint resource, const char *who, const char *from, const char *to,
		    const struct xml *x)
{
	struct model_task *t = model_find_task(&c->m, who);
	gint64 a, b;

	if (!t) {
		import_error_at(c->m.src, x->at, "expected the name of a task, found \"%s\"", who);
		return;
	}
	if (!model_integer(&c->m, x, from, "the first tick of a section", 0, TICKS_MAX, &a) ||
	    !model_integer(&c->m, x, to, "the last tick of a section", 0, TICKS_MAX, &b))
		return;
	if (!a && !b) {
		model_remark(&c->m, "%s uses %s in no tick (0 to 0)", who,
			     ((struct model_resource *)c->m.resource->pdata[resource])->original);
		return;
	}
	model_add_section(&c->m, t, resource, (sim_time)(MAX(a, 1) - 1) * SIM_MS, (sim_time)b * SIM_MS,
			  x->at);
}

/* <resource_user> T 1 10 </resource_user> */
static void old_sections(struct cheddar *c, guint resource, struct xml *users)
{
	for (guint i = 0; users && i < users->child->len && !c->m.src->errors; i++) {
		struct xml *x = users->child->pdata[i];
		char name[256];
		char from[16], to[16];

		x->used = true;
		if (sscanf(x->text, "%255s %15s %15s", name, from, to) == 3)
			section(c, resource, name, from, to, x);
		else
			import_error_at(c->m.src, x->at,
					"expected a task, its first and its last tick, found \"%.60s\"",
					x->text);
	}
}

/* <task_name> T, and the <critical_section>s of it that follow. */
static void new_sections(struct cheddar *c, guint resource, struct xml *list)
{
	const char *who = NULL;

	for (guint i = 0; list && i < list->child->len && !c->m.src->errors; i++) {
		struct xml *x = list->child->pdata[i];
		const char *from = xml_text(x, "task_begin"), *to = xml_text(x, "task_end");

		if (!strcmp(x->name, "task_name")) {
			x->used = true;
			who = x->text;
		} else if (strcmp(x->name, "critical_section") || !who || !from || !to) {
			import_error_at(c->m.src, x->at,
					"expected <task_name>, then <critical_section> with <task_begin> and "
					"<task_end>, found <%s>",
					x->name);
		} else {
			section(c, resource, who, from, to, x);
		}
	}
}

static void resource(struct cheddar *c, struct xml *x)
{
	const char *name = xml_text(x, "name"), *state = xml_text(x, "state"), *assignment, *priority;
	struct model_resource *r;

	if (!name || !*name) {
		import_error_at(c->m.src, x->at, "expected <name> in <%s>", x->name);
		return;
	}
	r = model_add_resource(&c->m, x, name);
	xml_text(x, "object_type");
	xml_text(x, "cpu_name"); /* tasks say where they run */
	if (!protocol(c, r) ||
	    (state && !model_integer(&c->m, xml_child(x, "state"), state, "units", 0, 1000000, &r->units)))
		return;
	assignment = xml_text(x, "priority_assignment");
	priority = xml_text(x, "priority");
	if (assignment && priority && !g_ascii_strncasecmp(assignment, "MANUAL", 6) &&
	    !model_integer(&c->m, xml_child(x, "priority"), priority, "a ceiling", -1000000, 1000000,
			   &r->ceiling))
		return;
	old_sections(c, c->m.resource->len - 1, xml_child(x, "resource_used_by"));
	new_sections(c, c->m.resource->len - 1, xml_child(x, "critical_sections"));
}

/* -- the whole ------------------------------------------------------------------------------------- */

static void each(struct cheddar *c, const char *list, void (*take)(struct cheddar *c, struct xml *x))
{
	struct xml *x = xml_child(c->root, list);

	for (guint i = 0; x && i < x->child->len && !c->m.src->errors; i++)
		take(c, x->child->pdata[i]);
}

GString *import_cheddar(struct import_source *src, struct xml *root, const struct model_ask *ask)
{
	struct cheddar c = {.root = root, .processor = g_array_new(FALSE, FALSE, sizeof(struct processor))};
	static const char *const read[] = {"core_units", "processors", "tasks", "resources", NULL};
	GString *out = NULL;

	model_init(&c.m, src, "Cheddar");
	c.m.read = read;
	processors(&c);
	if (ask->scheduler >= 0)
		c.m.scheduler = (enum model_scheduler)ask->scheduler;
	each(&c, "tasks", task);
	each(&c, "resources", resource);
	if (!src->errors)
		out = model_print(&c.m, root, ask);
	model_finish(&c.m);
	g_array_unref(c.processor);
	return out;
}
