/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bill: where the CPUs' time went. Every stretch of a CPU's time lies in a lock
 * operation, outside of one, or has no task; costs that the records tell are taken out of the
 * stretch that they fall into, and what is left of it has a name too. So the items sum
 * to CPUs times window whatever happened, and bills of two runs subtract.
 *
 * Lines that moved are booked to the function that issued the access. Its address never
 * leaves this file: it is a name before it is compared with anything.
 */
#include <string.h>

#include "sim/core/symbols.h"
#include "sim/machine/machine.h"
#include "sim/run/watch_impl.h"

enum bill_where { BILL_INSIDE, BILL_OUTSIDE, BILL_IDLE, BILL_WHERES };

enum bill_line { BILL_LOCK, BILL_NODES, BILL_STACKS, BILL_TASKS, BILL_PERCPU, BILL_DATA, BILL_OTHER };

struct bill_key { /* what moves are booked under, as numbers */
	uint32_t lock; /* index + 1 of the lock's first instance, 0: no operation */
	uint32_t step; /* in steps */
	uint32_t kind; /* enum bill_line */
	uint32_t line; /* BILL_LOCK: which */
};

struct bill_move {
	struct bill_key key;
	uint64_t moves[RUN_DISTS];
	sim_time waited;
};

struct bill_cpu {
	enum bill_where where;
	sim_time since;
};

struct bill {
	struct bill_cpu *cpu;
	sim_time time[BILL_WHERES]; /* all of it */
	sim_time part[BILL_WHERES][RUN_BILL_COUNT]; /* taken out of it */
	uint64_t count[RUN_BILL_COUNT], sleeps, preemptions;
	sim_time wake, context_switch; /* what one costs */
	uint32_t *lock_of; /* by lock index: the first instance of its declaration */
	uint8_t *line_of; /* by object: enum bill_line */
	uint32_t nobjects;
	GPtrArray *steps; /* const char *, in order of appearance */
	const void *last_site; /* cache of one: loops ask again and again */
	uint32_t last_step;
	GHashTable *moves; /* struct bill_move by key; never walked: see order */
	GPtrArray *order;
};

const char *const run_bill_title[] = {
#define X(id, title, meaning) title,
	RUN_BILL_ITEMS(X)
#undef X
};

const char *const run_bill_meaning[] = {
#define X(id, title, meaning) meaning,
	RUN_BILL_ITEMS(X)
#undef X
};

/* -- names of lines ---------------------------------------------------------------------------- */

static const char *const line_name[] = { "line", "queue nodes", "stacks", "task words", "per-CPU words", "data", "other" };

static enum bill_line kind_of_object(const struct watch *w, uint32_t object)
{
	const char *name = sim->objects[object].name;

	if (!object)
		return BILL_STACKS;
	if (bound_lock_of_object(w->b, object) != BOUND_NONE)
		return BILL_LOCK;
	if (!strcmp(name, "percpu"))
		return BILL_PERCPU;
	for (uint32_t i = 0; i < w->nlock; i++)
		if (w->b->lock[i].data_object == object)
			return BILL_DATA;
	for (uint32_t i = 0; i < w->nall; i++)
		if (!strcmp(name, w->b->task[i].name)) /* its task_struct is the first of that name */
			return sim->objects[object].first_line == sim_arena_line(&sim->arena, w->b->task[i].shared) ?
				       BILL_TASKS :
				       BILL_NODES;
	return BILL_OTHER;
}

/* Objects come into being during the run: queue nodes do. */
static enum bill_line line_kind(struct watch *w, uint32_t object)
{
	struct bill *b = w->bill;

	if (object >= b->nobjects) {
		b->line_of = g_realloc(b->line_of, sim->nobjects);
		memset(b->line_of + b->nobjects, 0xff, sim->nobjects - b->nobjects);
		b->nobjects = sim->nobjects;
	}
	if (b->line_of[object] == 0xff)
		b->line_of[object] = (uint8_t)kind_of_object(w, object);
	return (enum bill_line)b->line_of[object];
}

static uint32_t step_of(struct bill *b, const void *site)
{
	const char *name;
	uint32_t i;

	if (site == b->last_site && b->steps->len)
		return b->last_step;
	name = site ? sim_symbol(site) : NULL;
	if (!name)
		name = "?";
	for (i = 0; i < b->steps->len; i++)
		if (!strcmp(b->steps->pdata[i], name))
			break;
	if (i == b->steps->len)
		g_ptr_array_add(b->steps, (void *)name);
	b->last_site = site;
	b->last_step = i;
	return i;
}

/* -- booking ----------------------------------------------------------------------------------- */

static guint key_hash(gconstpointer p)
{
	const struct bill_key *k = p;

	return ((k->lock * 31 + k->step) * 31 + k->kind) * 31 + k->line;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	return !memcmp(a, b, sizeof(struct bill_key));
}

static struct bill_move *move_of(struct bill *b, struct bill_key key)
{
	struct bill_move *m = g_hash_table_lookup(b->moves, &key);

	if (m)
		return m;
	m = g_new0(struct bill_move, 1);
	m->key = key;
	g_hash_table_insert(b->moves, &m->key, m);
	g_ptr_array_add(b->order, m);
	return m;
}

static void book(struct bill *b, enum bill_where where, enum run_bill_item item, sim_time cost)
{
	b->part[where][item] += cost;
	b->count[item]++;
}

static void book_line(struct watch *w, const struct sim_rec *rec)
{
	struct bill *b = w->bill;
	const struct watch_task *t = &w->task[rec->task - 1];
	uint32_t object = rec->obj - 1, dist = rec->arg & 0xff;
	bool inside = t->op != WATCH_OP_NONE;
	uint32_t lock = inside ? b->lock_of[t->op_lock] : BOUND_NONE, whose;
	enum bill_line kind = line_kind(w, object);
	struct bill_key key = { .step = step_of(b, sim->tasks[rec->task - 1]->site), .kind = kind };
	struct bill_move *m;
	bool own;

	whose = kind == BILL_LOCK ? b->lock_of[bound_lock_of_object(w->b, object)] : BOUND_NONE;
	own = whose != BOUND_NONE && (!inside || whose == lock);
	if (own)
		lock = whose;
	if (kind == BILL_LOCK && !own)
		key.kind = BILL_OTHER;
	key.lock = lock == BOUND_NONE ? 0 : lock + 1;
	key.line = own ? rec->arg >> 16 : 0;
	m = move_of(b, key);
	m->waited += rec->val;
	if (dist < RUN_DISTS)
		m->moves[dist]++;
	book(b, inside ? BILL_INSIDE : BILL_OUTSIDE, !inside ? RUN_BILL_data : own ? RUN_BILL_lines : RUN_BILL_nodes,
	     rec->val);
}

/* -- where each CPU is ---------------------------------------------------------------------------- */

static enum bill_where where_is(const struct watch *w, uint32_t task)
{
	if (task == WATCH_NONE)
		return BILL_IDLE;
	return w->task[task].op == WATCH_OP_NONE ? BILL_OUTSIDE : BILL_INSIDE;
}

static void cpu_goes(struct watch *w, uint32_t cpu, enum bill_where where, sim_time now)
{
	struct bill_cpu *c = &w->bill->cpu[cpu];

	w->bill->time[c->where] += watch_span(w, c->since, now);
	c->since = now;
	c->where = where;
}

/* A lock operation of @task begins or ends here: the CPU's stretch does too. */
static void task_goes(struct watch *w, uint32_t task, enum bill_where where, sim_time now)
{
	uint32_t cpu = w->task[task].cpu;

	if (w->task[task].state == WATCH_RUNNING && cpu < w->ncpu && w->cpu[cpu].curr == task)
		cpu_goes(w, cpu, where, now);
}

static void take_switch(struct watch *w, const struct sim_rec *rec, bool counts)
{
	struct bill *b = w->bill;
	enum bill_where to = where_is(w, rec->task ? rec->task - 1 : WATCH_NONE);
	const struct watch_task *prev = rec->obj ? &w->task[rec->obj - 1] : NULL;

	cpu_goes(w, rec->cpu, to, rec->time);
	if (!counts)
		return;
	book(b, to, RUN_BILL_switches, b->context_switch);
	b->preemptions += prev && rec->arg == SIM_STATE_PREEMPTED;
	b->sleeps += prev && prev->op == WATCH_OP_LOCK && (rec->arg == SIM_STATE_BLOCKED || rec->arg == SIM_STATE_SLEEPS);
}

static void take_cost(struct watch *w, const struct sim_rec *rec)
{
	struct bill *b = w->bill;
	enum bill_where here = b->cpu[rec->cpu].where;

	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_WAKEUP:
		if (rec->obj) /* not a timer's or an interrupt's */
			book(b, where_is(w, rec->obj - 1), RUN_BILL_wakes, b->wake);
		break;
	case SIM_REC_IDLE_EXIT:
		book(b, BILL_IDLE, RUN_BILL_exits, rec->val);
		break;
	case SIM_REC_IRQ:
		book(b, here, rec->arg == SIM_IRQ_IPI || rec->arg == SIM_IRQ_CALL ? RUN_BILL_ipis : RUN_BILL_irqs, rec->val);
		break;
	case SIM_REC_LINE:
		book_line(w, rec);
		break;
	default:
		break;
	}
}

static void bill_take(void *user, const struct sim_rec *rec)
{
	struct watch *w = user;
	bool counts = rec->time >= w->from;

	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_SWITCH:
		take_switch(w, rec, counts);
		break;
	case SIM_REC_CALL:
	case SIM_REC_UNLOCK:
		task_goes(w, rec->task - 1, BILL_INSIDE, rec->time);
		break;
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
	case SIM_REC_UNLOCKED:
		task_goes(w, rec->task - 1, BILL_OUTSIDE, rec->time);
		break;
	case SIM_REC_DOWNGRADE:
		task_goes(w, rec->task - 1, rec->arg ? BILL_OUTSIDE : BILL_INSIDE, rec->time);
		break;
	default:
		if (counts)
			take_cost(w, rec);
		break;
	}
}

void bill_listen(struct watch *w, struct sim_trace *trace)
{
	sim_trace_subscribe(trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_LINES, bill_take, w);
}

/* -- the result ---------------------------------------------------------------------------------- */

static int move_order(gconstpointer a, gconstpointer b)
{
	const struct run_bill_move *x = a, *y = b;
	int c = g_strcmp0(x->lock, y->lock);

	if (!c)
		c = (int)y->own - (int)x->own;
	if (!c)
		c = strcmp(x->step, y->step);
	return c ? c : strcmp(x->line, y->line);
}

static char *base_name(const char *name)
{
	return g_strndup(name, strcspn(name, "["));
}

static void fill_moves(const struct watch *w, struct run_bill *r)
{
	const struct bill *b = w->bill;

	r->move = g_new0(struct run_bill_move, b->order->len + 1);
	for (unsigned i = 0; i < b->order->len; i++) {
		const struct bill_move *m = b->order->pdata[i];
		struct run_bill_move *out = &r->move[r->nmove++];

		out->lock = m->key.lock ? base_name(w->b->lock[m->key.lock - 1].name) : NULL;
		out->step = g_strdup(b->steps->pdata[m->key.step]);
		out->own = m->key.kind == BILL_LOCK;
		out->line = out->own ? g_strdup_printf("line %" PRIu32, m->key.line) : g_strdup(line_name[m->key.kind]);
		memcpy(out->moves, m->moves, sizeof(out->moves));
		out->waited = m->waited;
	}
	qsort(r->move, r->nmove, sizeof(*r->move), move_order);
}

/* What the known costs leave of a stretch. They may reach over its end: then nothing. */
static sim_time rest(const struct bill *b, enum bill_where where)
{
	sim_time sum = 0;

	for (unsigned i = 0; i < RUN_BILL_COUNT; i++)
		sum += b->part[where][i];
	return b->time[where] > sum ? b->time[where] - sum : 0;
}

struct run_bill *bill_finish(struct watch *w, sim_time end)
{
	struct run_bill *r = g_new0(struct run_bill, 1);
	struct bill *b = w->bill;

	for (uint32_t i = 0; i < w->ncpu; i++)
		cpu_goes(w, i, b->cpu[i].where, end);
	r->total = (end > w->from ? end - w->from : 0) * w->ncpu;
	for (unsigned i = 0; i < RUN_BILL_COUNT; i++) {
		r->count[i] = b->count[i];
		for (unsigned where = 0; where < BILL_WHERES; where++)
			r->time[i] += b->part[where][i];
	}
	r->time[RUN_BILL_inside] = rest(b, BILL_INSIDE);
	r->time[RUN_BILL_own] = rest(b, BILL_OUTSIDE);
	r->time[RUN_BILL_idle] = rest(b, BILL_IDLE);
	r->sleeps = b->sleeps;
	r->preemptions = b->preemptions;
	fill_moves(w, r);
	return r;
}

void run_bill_free(struct run_bill *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->nmove; i++) {
		g_free((char *)r->move[i].lock);
		g_free((char *)r->move[i].step);
		g_free((char *)r->move[i].line);
	}
	g_free(r->move);
	g_free(r);
}

/* Instances of one lock are booked together, under the first. */
void bill_init(struct watch *w)
{
	struct bill *b = g_new0(struct bill, 1);

	w->bill = b;
	sim_booking = true;
	b->cpu = g_new0(struct bill_cpu, w->ncpu + 1);
	for (uint32_t i = 0; i < w->ncpu; i++)
		b->cpu[i].where = BILL_IDLE;
	b->wake = sim->cfg.costs.scalar[SIM_COST_wake];
	b->context_switch = sim->cfg.costs.scalar[SIM_COST_context_switch];
	b->lock_of = g_new0(uint32_t, w->nlock + 1);
	for (uint32_t i = 0; i < w->nlock; i++)
		b->lock_of[i] = i - w->b->lock[i].instance;
	b->steps = g_ptr_array_new();
	b->moves = g_hash_table_new(key_hash, key_equal);
	b->order = g_ptr_array_new_with_free_func(g_free);
}

void bill_free(struct watch *w)
{
	struct bill *b = w->bill;

	if (!b)
		return;
	sim_booking = false;
	g_hash_table_destroy(b->moves);
	g_ptr_array_free(b->order, TRUE);
	g_ptr_array_free(b->steps, TRUE);
	g_free(b->cpu);
	g_free(b->lock_of);
	g_free(b->line_of);
	g_free(b);
	w->bill = NULL;
}
