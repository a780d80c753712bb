// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run from set-up to teardown, and the runs of its compare blocks.
 *
 *   text ── bind ──> machine, locks, tasks ── run ──> records ──> watch ──> result
 *
 * The machine and the kernel words are one per process, so runs follow each other.
 */
#include "sim/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/kernel/host.h"
#include "sim/run/bind_impl.h"
#include "sim/run/director.h"
#include "sim/run/plugin.h"
#include "sim/run/run_impl.h"
#include "sim/run/scene.h"
#include "sim/run/watch_impl.h"

#define DEFAULT_MAX_STEPS UINT64_C(10000000000)

/* No run gets beyond 106 days: now plus any duration stays below SIM_NEVER. */
#define TIME_MAX (SIM_NEVER / 2)

static struct run
	*now_running; /* for the machine's and the kernel words' call-backs, which carry no pointer */

/* -- call-backs --------------------------------------------------------------------------------- */

/*
 * The run ends when the last thing happened: how many turns of a spin go by until it is known that it never ends
 * depends on the compiler.
 */
static void on_quiet(void)
{
	if (now_running->watch)
		sim->now = watch_quiet(now_running->watch);
}

static uint32_t current_task(void)
{
	const struct sim_task *t = sim->cpu ? sim_current() : NULL;

	return t ? t->id + 1 : 0;
}

static uint32_t current_lock(void)
{
	return current_task() ? sim_current()->op_lock : 0;
}

/* @kind: enum kw_finding of the kernel words. */
static void on_kernel_finding(int kind, const char *text)
{
	static const enum run_finding_kind kind_of[] = {RUN_FINDING_warning, RUN_FINDING_broken,
							RUN_FINDING_lockdep};

	sim_assert(kind >= 0 && kind < (int)G_N_ELEMENTS(kind_of));
	if (now_running->watch)
		watch_finding(now_running->watch, kind_of[kind], current_task(), current_lock(), text);
}

static void on_warning(uint32_t lock, const char *text)
{
	if (now_running->watch)
		watch_finding(now_running->watch, RUN_FINDING_warning, current_task(), lock, text);
}

/* -- set-up ---------------------------------------------------------------------------------------- */

static void walk_statements(struct sim_pos *pos, uint32_t n, const struct scn_stmt *list)
{
	for (; list; list = list->next) {
		if (list->id < n)
			pos[list->id] = list->pos;
		walk_statements(pos, n, list->body);
		walk_statements(pos, n, list->orelse);
		for (unsigned i = 0; i < list->nbranch; i++)
			walk_statements(pos, n, list->branch[i].body);
	}
}

static void bind_statements(struct run *r)
{
	const struct scenario *scn = r->bound.scn;
	uint32_t n = scn->nstmt + 1; /* whether they are counted from 0 or from 1 */
	struct sim_pos *pos = bind_alloc(r->pool, n * sizeof(*pos));

	for (unsigned i = 0; i < scn->ntask; i++)
		walk_statements(pos, n, scn->task[i].body);
	for (unsigned i = 0; i < scn->nirq; i++)
		walk_statements(pos, n, scn->irq[i].body);
	r->bound.statement = pos;
	r->bound.nstatement = n;
}

static void bind_window(struct run_bound *b, sim_time max_time)
{
	const struct scenario *scn = b->scn;

	b->until_done = scn->until_done;
	b->from = scn->warmup ? bound_value(b, scn->warmup) : 0;
	b->until = SIM_NEVER;
	if (scn->run_for)
		b->until = bound_value(b, scn->run_for);
	else if (scn->limit)
		b->until = bound_value(b, scn->limit);
	if (max_time && b->until > max_time)
		b->until = max_time;
}

/* Is a lock a kernel's own file? Then stories tell places in it. */
static bool has_tree_lock(const struct run_bound *b)
{
	for (uint32_t i = 0; i < b->nlock; i++)
		if (b->lock[i].model->caps & LOCK_CAP_PLAIN)
			return true;
	return false;
}

static void run_bind(struct run *r, const struct scenario *scn)
{
	const struct run_options *o = r->options;
	struct run_bound *b = &r->bound;
	const struct lock_model *rawspin;
	struct sim_config cfg;

	b->scn = scn;
	b->trace = &r->trace;
	b->memory = r->pool;
	b->compared = r->compare;
	b->seed = o->has_seed ? o->seed : scn->seed;
	bind_machine(scn, &cfg, &rawspin);
	cfg.seed = b->seed;
	cfg.poll = o->poll;
	cfg.max_steps = o->max_steps ? o->max_steps : DEFAULT_MAX_STEPS;
	sim_choice_init(&r->fixed, SIM_CHOICE_FIXED, b->seed);
	b->choice = o->choice ? o->choice : &r->fixed;
	sim_choice_rewind(b->choice);
	b->machine = sim_machine_create(&cfg, kernel_task_bytes(), &r->trace, b->choice);
	b->ncpus = sim->ncpus;
	b->machine_text = bind_machine_text(scn, &cfg, r->pool);
	kernel_setup();
	plugin_restore();
	kernel_rawspin(rawspin);
	kernel_on_finding(on_kernel_finding);
	sim->on_quiet = on_quiet;
	bind_window(b, o->max_time);
	bind_statements(r);
	bind_locks(b, r->pool, r->compare);
	sim_booking = has_tree_lock(b);
	bind_tasks(b, r->pool);
	bind_names(b, r->pool);
	b->program->interrupted = o->interrupted;
	b->program->warn = on_warning;
	director_bind(b, r->pool);
	kernel_on_requeue(lockop_requeued);
	kernel_on_lockdep(&lockop_lockdep);
}

/* The listeners; 0, or -1 with @error when the trace cannot be written. */
static int run_listen(struct run *r, char **error)
{
	const struct run_options *o = r->options;
	unsigned classes =
		o->trace_classes ? o->trace_classes : SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK;

	if (!o->bare) {
		r->watch = watch_create(&r->bound, o);
		watch_start(r->watch, &r->trace);
	}
	if (r->compare)
		return 0;
	if (o->bound)
		o->bound(o->listen_user, &r->bound);
	if (o->names)
		o->names(o->listen_user, &r->bound.names);
	if (o->listen)
		sim_trace_subscribe(&r->trace, o->listen_classes, o->listen, o->listen_user);
	if (!o->trace_path)
		return 0;
	r->writer = sim_trace_writer_open(o->trace_path, &r->bound.names);
	if (!r->writer) {
		*error = g_strdup_printf("%s: %s", o->trace_path, g_strerror(errno));
		return -1;
	}
	sim_trace_subscribe(&r->trace, classes, sim_trace_writer_take, r->writer);
	return 0;
}

/* -- running ------------------------------------------------------------------------------------------ */

static void endless_instant(struct run *r)
{
	char t[SIM_TIME_CHARS];
	g_autofree char *text = g_strdup_printf("%u steps at one instant (%s): time cannot end this loop",
						PROG_STILL_MAX, sim_time_format(t, sim->now));

	if (r->watch)
		watch_finding(r->watch, RUN_FINDING_endless_instant, current_task(), current_lock(), text);
}

/* How far to go next: in pieces of @step, and up to the next instant that is to be pictured. */
static sim_time run_step(const struct run *r, sim_time at, sim_time until, sim_time step)
{
	const struct scene_ask *ask = r->compare ? NULL : r->options->scene;
	sim_time end = (at / step + 1) * step, to = MIN(end, until);

	if (ask && r->scenes < ask->n && ask->at[r->scenes] < to)
		to = ask->at[r->scenes] + 1;
	return MAX(to, at);
}

/* Pictures the instants that lie behind: all of them once nothing more will happen. */
static void run_scenes(struct run *r, sim_time at, bool over)
{
	const struct scene_ask *ask = r->compare ? NULL : r->options->scene;

	for (; ask && r->watch && r->scenes < ask->n && (over || ask->at[r->scenes] < at); r->scenes++)
		g_ptr_array_add(ask->scene, scene_take(r->watch, ask->at[r->scenes]));
}

/* In pieces, so that SIGINT is noticed also while no program takes a step. */
static void run_go(struct run *r)
{
	const volatile int *flag = r->options->interrupted;
	sim_time until = MIN(r->bound.until, TIME_MAX), step = until == TIME_MAX ? SIM_S : MAX((until + 63) / 64, 1),
		 to = 0;

	do {
		to = run_step(r, to, until, step);
		r->why = sim_machine_run(to, r->bound.until_done);
		run_scenes(r, to, false);
		if (r->watch && r->why == SIM_STOP_END && to < until && to % step == 0) {
			watch_piece(r->watch, to);
			if (watch_stopped(r->watch))
				r->why = SIM_STOP_ASKED;
		}
		if (flag && *flag)
			r->why = SIM_STOP_SIGNAL;
	} while (r->why == SIM_STOP_END && to < until);
	run_scenes(r, to, true);
	if (r->why == SIM_STOP_STILL)
		endless_instant(r);
}

static void run_finish(struct run *r, struct run_result *res)
{
	bool whole = run_to_end(r) && !r->bound.until_done;

	r->end = whole ? r->bound.until : sim->now;
	sim_machine_sum_lines();
	if (r->watch) {
		watch_finish(r->watch, r->end, run_complete(r), res);
		director_verdicts(&r->bound, res);
	}
	run_fill_result(r, res);
}

/* 0, or -1 with @error: the trace could not be written in full. */
static int run_close(struct run *r, char **error)
{
	int ret = 0;

	if (r->writer && sim_trace_writer_close(r->writer)) {
		*error = g_strdup_printf("%s: %s", r->options->trace_path, g_strerror(errno));
		ret = -1;
	}
	watch_free(r->watch);
	director_free(&r->bound);
	sim_trace_unsubscribe_all(&r->trace);
	if (r->bound.machine)
		sim_machine_destroy(r->bound.machine);
	sim_choice_finish(&r->fixed);
	now_running = NULL;
	return ret;
}

/* The run under the other model answers to its own block only. */
static void judge_compare(struct run *r, unsigned block, const struct run_result *own,
			  struct run_compare *cmp)
{
	const struct scn_compare *c = r->compare;
	struct run_result *res = cmp->result;

	watch_verdicts_free(res->verdict, res->nverdict);
	res->verdict = NULL;
	res->nverdict = 0;
	watch_judge_compare(r->watch, block, own, cmp);
	for (unsigned i = 0; i < res->nfinding; i++) {
		res->finding[i].expected = false;
		for (unsigned e = 0; e < c->nexpect; e++)
			res->finding[i].expected |= expect_wants(&c->expect[e], res->finding[i].kind);
	}
}

/* One run into @res. @own and @cmp: for a compare block, what to judge it against. */
static int run_once(const struct scenario *scn, const struct run_options *options, unsigned block,
		    const struct run_result *own, struct run_compare *cmp, struct run_result *res,
		    char **error)
{
	struct run *r = g_new0(struct run, 1);
	int ret;

	r->options = options;
	res->memory = r->pool = g_new0(struct bind_pool, 1);
	r->compare = cmp ? &scn->compare[block] : NULL;
	now_running = r;
	run_bind(r, scn);
	*error = bind_conflict(&r->bound);
	ret = *error ? -1 : run_listen(r, error);
	if (!ret) {
		bind_start(&r->bound);
		run_go(r);
		run_finish(r, res);
		if (cmp && r->watch)
			judge_compare(r, block, own, cmp);
	}
	if (run_close(r, ret ? &(char *){NULL} : error))
		ret = -1;
	g_free(r);
	return ret;
}

/* Compare block @block under the same options, judged against @own. */
static int run_block(const struct scenario *scn, const struct run_options *options, unsigned block,
		     const struct run_result *own, struct run_compare *cmp, char **error)
{
	const struct scn_compare *c = &scn->compare[block];

	cmp->lock = g_strdup(scn->lock[c->lock].name);
	cmp->model = g_strdup(c->model);
	cmp->label = scn_compare_label(scn, block);
	cmp->result = g_new0(struct run_result, 1);
	return run_once(scn, options, block, own, cmp, cmp->result, error);
}

static int run_compares(const struct scenario *scn, const struct run_options *options, struct run_result *res,
			char **error)
{
	res->compare = g_new0(struct run_compare, scn->ncompare);
	for (unsigned i = 0; i < scn->ncompare; i++) {
		struct run_compare *cmp = &res->compare[res->ncompare++];

		if (run_block(scn, options, i, res, cmp, error))
			return -1;
		if (cmp->result->end == RUN_END_INTERRUPTED)
			return 0;
	}
	return 0;
}

struct run_result *run_compare_block(const struct scenario *scn, const struct run_options *options, unsigned block,
				     const struct run_result *own, char **error)
{
	struct run_result *res = g_new0(struct run_result, 1);

	res->seed = own->seed;
	res->end = RUN_END_TIME;
	res->compare = g_new0(struct run_compare, 1);
	res->ncompare = 1;
	if (!run_block(scn, options, block, own, res->compare, error))
		return res;
	run_result_free(res);
	return NULL;
}

struct run_result *run_scenario(const struct scenario *scn, const struct run_options *options, char **error)
{
	struct run_result *res = g_new0(struct run_result, 1);
	struct run_options none = {0};
	int ret;

	if (!options)
		options = &none;
	ret = run_once(scn, options, 0, NULL, NULL, res, error);
	if (!ret && !options->no_compare && !options->bare && res->end != RUN_END_INTERRUPTED)
		ret = run_compares(scn, options, res, error);
	if (!ret)
		return res;
	run_result_free(res);
	return NULL;
}
