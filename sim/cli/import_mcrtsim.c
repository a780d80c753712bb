// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workloads of MCRTsim. They say who computes what and when; the scheduler, the protocol and the
 * cores are chosen beside them, in a processor file and in the tool: rate monotonic and inheritance
 * on one core where nothing else is asked for. Until its version 2 the elements began with capital letters
 * and had values where attributes are now: <Resources><ResourceAmount>, <Task><EnterTime>, <CriticalSection>
 * with <Resource>, <StartTime> and <EndTime>.
 */
#include <string.h>

#include "sim/cli/import_model.h"

struct mcrtsim {
	struct model m;
	struct xml *root;
};

/* The attribute of today or the element of then. */
static const char *value_of(struct xml *x, const char *attribute, const char *element)
{
	const char *value = xml_attribute(x, attribute);

	return value ? value : xml_text(x, element);
}

static void add_resource(struct mcrtsim *c, struct xml *x)
{
	const char *id = xml_attribute(x, "ID"), *quantity = value_of(x, "quantity", "ResourceAmount");
	g_autofree char *name = NULL;
	struct model_resource *r;

	if (!id) {
		import_error_at(c->m.src, x->at, "expected <%s ID=… quantity=…>", x->name);
		return;
	}
	name = g_strdup_printf("R%s", id);
	r = model_add_resource(&c->m, x, name);
	r->protocol = MODEL_PIP;
	if (quantity)
		model_integer(&c->m, x, quantity, "a quantity", 1, 1000000, &r->units);
}

static bool find_resource(const struct mcrtsim *c, const char *id, guint *index)
{
	for (*index = 0; id && *index < c->m.resource->len; ++*index)
		if (!strcmp(((struct model_resource *)c->m.resource->pdata[*index])->original + 1, id))
			return true;
	return false;
}

static void add_section(struct mcrtsim *c, struct model_task *t, struct xml *x)
{
	const char *id = value_of(x, "resourceID", "Resource"),
		   *start = value_of(x, "startTime", "StartTime"), *end = value_of(x, "endTime", "EndTime");
	sim_time from, to;
	guint r;

	if (!start || !end) {
		import_error_at(c->m.src, x->at, "expected startTime and endTime in <%s>", x->name);
		return;
	}
	if (!find_resource(c, id, &r)) {
		import_error_at(c->m.src, x->at, "expected the ID of a resource as resourceID, found \"%s\"",
				id ? id : "");
		return;
	}
	if (model_time(&c->m, x, start, "startTime", &from) && model_time(&c->m, x, end, "endTime", &to))
		model_add_section(&c->m, t, r, from, to, x->at);
}

/* @then: what the element was called once. */
static bool time_in(struct mcrtsim *c, struct xml *x, const char *now, const char *then, sim_time *t)
{
	const char *name = xml_child(x, now) ? now : then, *text = xml_text(x, name);

	return !text || model_time(&c->m, xml_child(x, name), text, name, t);
}

/* A task may have variants, <criticalityLevel value=…> or <priorityLevel value=…>: that which it is at. */
static struct xml *variant(struct mcrtsim *c, struct xml *task, const char *name)
{
	const char *now = xml_attribute(task, name);

	for (guint i = 0; i < task->child->len; i++) {
		struct xml *x = task->child->pdata[i];
		const char *value = strcmp(x->name, name) ? NULL : xml_attribute(x, "value");

		if (value && (!now || !strcmp(now, value))) {
			model_remark(&c->m, "task %s: only %s %s", xml_attribute(task, "ID"), name, value);
			return x;
		}
	}
	return NULL;
}

static void add_task(struct mcrtsim *c, struct xml *x)
{
	const char *id = xml_attribute(x, "ID"), *type = xml_attribute(x, "type"), *priority;
	g_autofree char *name = NULL;
	struct xml *body, *sections;
	struct model_task *t;

	if (!id) {
		import_error_at(c->m.src, x->at, "expected <%s ID=…>", x->name);
		return;
	}
	name = g_strdup_printf("T%s", id);
	t = model_add_task(&c->m, x, name);
	if (!t)
		return;
	t->release = !type || !g_ascii_strcasecmp(type, "periodic") ? MODEL_PERIODIC
		     : !g_ascii_strcasecmp(type, "sporadic")        ? MODEL_SPORADIC
								    : MODEL_ONCE;
	body = variant(c, x, "criticalityLevel");
	body = body ? body : variant(c, x, "priorityLevel");
	body = body ? body : x;
	priority = xml_text(body, "priority");
	if (!time_in(c, body, "arrivalTime", "EnterTime", &t->offset) ||
	    !time_in(c, body, "period", "Period", &t->period) ||
	    !time_in(c, body, "relativeDeadline", "RelativeDeadline", &t->deadline) ||
	    !time_in(c, body, "computationAmount", "ComputationAmount", &t->capacity) ||
	    (priority && !model_integer(&c->m, xml_child(body, "priority"), priority, "a priority", -1000000,
					1000000, &t->priority)))
		return;
	if (!t->capacity || (!t->period && t->release != MODEL_ONCE)) {
		import_error_at(c->m.src, x->at,
				"expected <computationAmount> and <period> above 0 for task %s", id);
		return;
	}
	t->deadline = t->deadline ? t->deadline : t->period;
	sections = xml_child(body, "criticalSections");
	for (guint i = 0; sections && i < sections->child->len && !c->m.src->errors; i++)
		add_section(c, t, sections->child->pdata[i]);
	for (guint i = 0; i < body->child->len && !c->m.src->errors; i++)
		if (!strcmp(((struct xml *)body->child->pdata[i])->name, "CriticalSection"))
			add_section(c, t, body->child->pdata[i]);
}

/* Its own counts are often wrong. */
static void count(struct mcrtsim *c, const char *name, guint found)
{
	const char *text = xml_attribute(c->root, name);

	if (text && g_ascii_strtoull(text, NULL, 10) != found)
		model_remark(&c->m, "not as it says: %s=\"%s\", and there are %u", name, text, found);
}

static void each(struct mcrtsim *c, const char *name, void (*take)(struct mcrtsim *c, struct xml *x))
{
	for (guint i = 0; i < c->root->child->len && !c->m.src->errors; i++) {
		struct xml *x = c->root->child->pdata[i];

		if (!strcmp(x->name, name))
			take(c, x);
	}
}

GString *import_mcrtsim(struct import_source *src, struct xml *root, const struct model_ask *ask)
{
	static const char *const read[] = {"resources", "task", "Resources", "Task", NULL};
	struct mcrtsim c = {.root = root};
	GString *out = NULL;

	model_init(&c.m, src, "MCRTsim");
	c.m.read = read;
	c.m.scheduler = MODEL_RM;
	c.m.cpus = ask->cores;
	if (ask->scheduler < 0 || ask->protocol < 0)
		model_remark(&c.m, "The workload names no %s: %s (--scheduler, --protocol).",
			     ask->scheduler >= 0  ? "protocol"
			     : ask->protocol >= 0 ? "scheduler"
						  : "scheduler and no protocol",
			     ask->scheduler >= 0  ? "inheritance"
			     : ask->protocol >= 0 ? "rate monotonic"
						  : "rate monotonic and inheritance");
	each(&c, "resources", add_resource);
	each(&c, "Resources", add_resource);
	each(&c, "task", add_task);
	each(&c, "Task", add_task);
	count(&c, "numTask", c.m.task->len);
	count(&c, "numTasks", c.m.task->len);
	count(&c, "numResource", c.m.resource->len);
	count(&c, "numResources", c.m.resource->len);
	count(&c, "TaskNumber", c.m.task->len);
	count(&c, "ResourceNumber", c.m.resource->len);
	if (!src->errors)
		out = model_print(&c.m, root, ask);
	model_finish(&c.m);
	return out;
}
