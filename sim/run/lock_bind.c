// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks and barriers of a scenario -> simulated memory and models. */
#include <inttypes.h>
#include <string.h>

#include <glib.h>

#include "sim/kernel/host.h"
#include "sim/machine/sched.h"
#include "sim/run/bind_impl.h"
#include "sim/run/registry.h"

char *bind_name(struct bind_pool *pool, const char *name, bool indexed, uint32_t instance)
{
	return indexed ? bind_printf(pool, "%s[%u]", name, instance) : bind_printf(pool, "%s", name);
}

static unsigned count_params(const struct lock_model *m)
{
	unsigned n = 0;

	while (m->params && m->params[n].name)
		n++;
	return n;
}

static uint64_t param_value(const struct run_bound *b, const struct scn_setting *s)
{
	if (s->value)
		return bound_value(b, s->value);
	return s->word && (!strcmp(s->word, "on") || !strcmp(s->word, "yes"));
}

/* The model's parameters: its defaults, then what the text sets. */
static uint64_t *make_params(struct run_bound *b, struct bind_pool *pool, const struct lock_model *m,
			     const struct scn_setting *set, unsigned nset)
{
	unsigned n = count_params(m);
	uint64_t *params = bind_alloc(pool, (n + 1) * sizeof(*params));

	for (unsigned i = 0; i < n; i++)
		params[i] = m->params[i].fallback;
	for (unsigned j = 0; j < nset; j++)
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(m->params[i].name, set[j].name))
				params[i] = param_value(b, &set[j]);
	return params;
}

/* Instances of an indexed lock go round the sockets, as per-node data does. */
static unsigned home_of(uint32_t instance)
{
	return instance % sim->cfg.sockets;
}

static void bind_instance(struct run_bound *b, struct bind_pool *pool, struct bound_lock *bl,
			  const struct scn_lock *decl, const uint64_t *params)
{
	bl->name = bind_name(pool, decl->name, decl->indexed, bl->instance);
	bl->object = sim->nobjects;
	bl->lock = sim_object_create(bl->name, bl->model->size, home_of(bl->instance));
	sim_assert(bl->lock && "simulated memory for the locks");
	kernel_lock_bind(bl->lock, bl->model->size, (uint32_t)(bl - b->lock) + 1);
	bl->model->init(bl->lock, params);
	bl->data_object = BOUND_NONE;
	if (!decl->data_lines)
		return;
	bl->data_object = sim->nobjects;
	bl->data_lines = decl->data_lines;
	bl->data = sim_object_create(bind_printf(pool, "%s.data", bl->name),
				     (size_t)decl->data_lines * SIM_LINE_BYTES, home_of(bl->instance));
	sim_assert(bl->data && "simulated memory for the locks' data");
}

static bool lends(const struct lock_model *m, const uint64_t *params)
{
	for (unsigned i = 0; m->params && m->params[i].name; i++)
		if (!strcmp(m->params[i].name, "proxy") && params[i])
			return true;
	return m->caps & LOCK_CAP_PI;
}

/* A priority ceiling that the text does not give is its users'. Where it is among the parameters, or NULL. */
static uint64_t *open_ceiling(const struct lock_model *m, uint64_t *params)
{
	for (unsigned i = 0; m->params && m->params[i].name; i++)
		if (!strcmp(m->params[i].name, "ceiling") && !params[i])
			return &params[i];
	return NULL;
}

static void bind_decl(struct run_bound *b, struct bind_pool *pool, uint32_t index,
		      const struct scn_compare *compare)
{
	const struct scn_lock *decl = &b->scn->lock[index];
	bool other = compare && compare->lock == index;
	const struct lock_model *m = registry_find(other ? compare->model : decl->model);
	uint64_t *params, *ceiling;

	sim_assert(m && "a model that the checker knows");
	if (other)
		params = make_params(b, pool, m, compare->set, compare->nset);
	else
		params = make_params(b, pool, m, decl->set, decl->nset);
	if (decl->kind == SCN_SEMAPHORE && decl->value && count_params(m))
		params[0] = bound_value(b, decl->value);
	ceiling = open_ceiling(m, params);
	for (uint32_t i = 0; i < decl->count; i++) {
		struct bound_lock *bl = &b->lock[b->lock_first[index] + i];

		bl->model = m;
		bl->lends = lends(m, params);
		bl->decl = index;
		bl->instance = i;
		bl->number = b->lock_first[index] + i + 1;
		if (ceiling)
			*ceiling = scn_ceiling(b->scn, index, i);
		bind_instance(b, pool, bl, decl, params);
	}
}

static void bind_barrier(struct run_bound *b, struct bind_pool *pool, uint32_t index)
{
	const struct scn_lock *decl = &b->scn->lock[index];

	for (uint32_t i = 0; i < decl->count; i++) {
		struct bound_barrier *bar = &b->barrier[b->lock_first[index] + i];

		bar->name = bind_name(pool, decl->name, decl->indexed, i);
		bar->decl = index;
		bar->instance = i;
		bar->parties = (uint32_t)bound_value(b, decl->value);
		bar->waiter = bind_alloc(pool, 2 * (size_t)bar->parties * sizeof(bar->waiter[0]));
	}
}

static void map_objects(struct run_bound *b, struct bind_pool *pool)
{
	b->nobject_lock = sim->nobjects;
	b->object_lock = bind_alloc(pool, b->nobject_lock * sizeof(b->object_lock[0]));
	for (uint32_t i = 0; i < b->nobject_lock; i++)
		b->object_lock[i] = BOUND_NONE;
	for (uint32_t i = 0; i < b->nlock; i++)
		b->object_lock[b->lock[i].object] = i;
}

void bind_locks(struct run_bound *b, struct bind_pool *pool, const struct scn_compare *compare)
{
	const struct scenario *scn = b->scn;

	b->lock_first = bind_alloc(pool, scn->nlock * sizeof(b->lock_first[0]));
	for (uint32_t i = 0; i < scn->nlock; i++) {
		uint32_t *n = scn->lock[i].kind == SCN_BARRIER ? &b->nbarrier : &b->nlock;

		b->lock_first[i] = *n;
		*n += scn->lock[i].count;
	}
	b->lock = bind_alloc(pool, b->nlock * sizeof(b->lock[0]));
	b->barrier = bind_alloc(pool, b->nbarrier * sizeof(b->barrier[0]));
	for (uint32_t i = 0; i < scn->nlock; i++) {
		if (scn->lock[i].kind == SCN_BARRIER)
			bind_barrier(b, pool, i);
		else
			bind_decl(b, pool, i, compare);
	}
	map_objects(b, pool);
}

/* A plug-in's locks keep what its tree keeps. */
static char *pi_form(const struct lock_model *m)
{
	const char *colon = strchr(m->name, ':');

	return colon ? g_strndup(m->name, (gsize)(colon - m->name)) : g_strdup(m->pi_form ? m->pi_form : "6.1");
}

char *bind_conflict(const struct run_bound *b)
{
	const struct bound_lock *first = NULL;
	g_autofree char *form = NULL;

	for (uint32_t i = 0; i < b->nlock; i++) {
		const struct bound_lock *bl = &b->lock[i];
		g_autofree char *other = bl->model->prio_changed ? pi_form(bl->model) : NULL;

		if (!other)
			continue;
		if (first && strcmp(form, other) != 0)
			return g_strdup_printf("%s is a %s and %s a %s: priorities cannot be inherited through both in one run",
					       first->name, first->model->name, bl->name, bl->model->name);
		if (!first)
			form = g_steal_pointer(&other);
		first = first ? first : bl;
	}
	return NULL;
}

uint32_t bound_lock_of_object(const struct run_bound *b, uint32_t object)
{
	return object < b->nobject_lock ? b->object_lock[object] : BOUND_NONE;
}

/* "0-3,8": the CPUs that @t may use; nothing where it may use all. */
static void put_cpus(GString *out, const struct sim_task *t, unsigned ncpus)
{
	const char *before = " ";
	unsigned n = 0, to;

	for (unsigned c = 0; c < ncpus; c++)
		n += !t->allowed || sim_cpuset_has(t->allowed, c);
	for (unsigned c = 0; n < ncpus && c < ncpus; c = to + 1) {
		to = c;
		if (!sim_cpuset_has(t->allowed, c))
			continue;
		while (to + 1 < ncpus && sim_cpuset_has(t->allowed, to + 1))
			to++;
		g_string_append_printf(out, "%s%u", before, c);
		if (to > c)
			g_string_append_printf(out, "-%u", to);
		before = ",";
	}
}

/* What a reader of the trace needs to know of a task that is not plain: "task=INDEX PRIO POLICY [CPUS]". */
static uint32_t put_task_facts(const struct run_bound *b, struct bind_pool *pool, const char **facts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->ntask + b->nirq; i++) {
		const struct sim_task *t = b->task[i].task;
		g_autoptr(GString) cpus = g_string_new(NULL);

		put_cpus(cpus, t, b->ncpus);
		if (t->shared->normal_prio != SIM_DEFAULT_PRIO || cpus->len)
			facts[n++] = bind_printf(pool, "task=%" PRIu32 " %d %u%s", i, t->shared->normal_prio,
						 (unsigned)t->attr.policy, cpus->str);
	}
	return n;
}

/* Texts of marks, then names of dones. The scenario's lists have an empty one at 0: records count from 1. */
static void bind_strings(const struct scenario *scn, struct bind_pool *pool, struct sim_names *names)
{
	uint32_t ndone = scn->ndone_name ? scn->ndone_name - 1 : 0;
	const char **string;

	names->nmarks = scn->nstring ? scn->nstring - 1 : 0;
	names->nstrings = names->nmarks + ndone;
	names->string = string = bind_alloc(pool, (names->nstrings + 1) * sizeof(*string));
	for (uint32_t i = 0; i < names->nmarks; i++)
		string[i] = scn->string[i + 1];
	for (uint32_t i = 0; i < ndone; i++)
		string[names->nmarks + i] = scn->done_name[i + 1];
}

void bind_names(struct run_bound *b, struct bind_pool *pool)
{
	const struct scenario *scn = b->scn;
	uint32_t n = b->ntask + b->nirq;
	const char **task = bind_alloc(pool, n * sizeof(*task));
	const char **lock = bind_alloc(pool, b->nlock * sizeof(*lock));
	const char **model = bind_alloc(pool, b->nlock * sizeof(*model));
	const char *const **events = bind_alloc(pool, b->nlock * sizeof(*events));
	const char **facts = bind_alloc(pool, (8 + n) * sizeof(*facts));
	uint32_t nfacts = 8;

	for (uint32_t i = 0; i < n; i++)
		task[i] = b->task[i].name;
	for (uint32_t i = 0; i < b->nlock; i++) {
		lock[i] = b->lock[i].name;
		model[i] = b->lock[i].model->name;
		events[i] = b->lock[i].model->events;
	}
	facts[0] = bind_printf(pool, "scenario=%s", scn->name ? scn->name : "");
	facts[1] = bind_printf(pool, "path=%s", scn->nsources ? scn->sources[0]->path : "");
	facts[2] = bind_printf(pool, "seed=%" G_GUINT64_FORMAT, b->seed);
	facts[3] = bind_printf(pool, "machine=%s", b->machine_text);
	facts[4] = "version=" LOCKSTEP_VERSION;
	facts[5] = bind_printf(pool, "tasks=%" PRIu32, b->ntask);
	facts[6] = bind_printf(pool, "from=%" PRIu64, b->from);
	nfacts += put_task_facts(b, pool, facts + nfacts);
	b->names = (struct sim_names){
		.ncpus = b->ncpus,
		.ntasks = n,
		.nlocks = b->nlock,
		.nfacts = nfacts,
		.facts = facts,
		.task = task,
		.lock = lock,
		.lock_model = model,
		.lock_events = events,
	};
	bind_strings(scn, pool, &b->names);
	facts[7] = bind_printf(pool, "marks=%" PRIu32, b->names.nmarks);
}
