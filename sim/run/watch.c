/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watch itself: takes records, hands them to the folds, and collects the result. */
#include "sim/run/watch_impl.h"

/* -- records ----------------------------------------------------------------------------------- */

static void fold_migrate(struct watch *w, const struct sim_rec *rec)
{
	if (rec->time >= w->from)
		w->rtask[rec->task - 1].migrations++;
}

static void fold_result(struct watch *w, const struct sim_rec *rec)
{
	w->rtask[rec->task - 1].result = (int)rec->val;
}

/* A lock that is free may be closed by a rule of its protocol: then the record names whom the task waits for. */
static void fold_pi_block(struct watch *w, const struct sim_rec *rec)
{
	struct watch_task *t = &w->task[rec->task - 1];

	if (t->op == WATCH_OP_LOCK && t->op_lock == rec->obj - 1 && w->lock[t->op_lock].caps & LOCK_CAP_SYSTEM)
		t->op_barrier = rec->arg ? rec->arg - 1 : WATCH_NONE;
}

/* Types that tell the folds nothing are not listed: they are counted, and nobody is called. */
#define WATCH_FOLDS(X)                                                                             \
	X(SWITCH, fold_switch)                                                                     \
	X(WAKEUP, fold_wakeup)                                                                     \
	X(PRIO, fold_prio)                                                                         \
	X(SETSCHED, fold_prio)                                                                     \
	X(MIGRATE, fold_migrate)                                                                   \
	X(IRQ, fold_cpu_irq)                                                                       \
	X(THROTTLE, fold_throttle)                                                                 \
	X(CALL, fold_call)                                                                         \
	X(GRANT, fold_grant)                                                                       \
	X(FAIL, fold_fail)                                                                         \
	X(UNLOCK, fold_unlock)                                                                     \
	X(UNLOCKED, fold_unlocked)                                                                 \
	X(DOWNGRADE, fold_downgrade)                                                               \
	X(EVENT, fold_event)                                                                       \
	X(PI_BLOCK, fold_pi_block)                                                                 \
	X(ARRIVE, fold_arrive)                                                                     \
	X(DONE, fold_done)                                                                         \
	X(JOB, fold_job)                                                                           \
	X(RESULT, fold_result)                                                                     \
	X(EXIT, fold_exit)                                                                         \
	X(LINE_SUM, fold_line_sum)

/* Nobody asked for pieces of waits or histories: the fold is the only thing that happens. */
#define X(type, fold)                                                                              \
	static void take_##type(void *user, const struct sim_rec *rec)                             \
	{                                                                                          \
		struct watch *w = user;                                                            \
                                                                                                   \
		w->now = rec->time;                                                                \
		w->rec = rec;                                                                      \
		fold(w, rec);                                                                      \
	}
WATCH_FOLDS(X)
#undef X

static const sim_take_fn folds[SIM_REC_TYPE_COUNT] = {
#define X(type, fold) [SIM_REC_##type] = take_##type,
	WATCH_FOLDS(X)
#undef X
};

static void watch_take_all(void *user, const struct sim_rec *rec)
{
	struct watch *w = user;

	if (w->accounting && rec->time > w->accounted_to)
		account_advance(w, rec->time);
	if (w->story && (rec->type == SIM_REC_PRIO || rec->type == SIM_REC_SETSCHED))
		story_prio(w, rec);
	w->now = rec->time;
	w->rec = rec;
	if (folds[rec->type])
		folds[rec->type](w, rec);
	if (w->track_types >> rec->type & 1)
		track_take(w, rec);
}

struct watch *watch_create(struct run_bound *bound, const struct run_options *options)
{
	struct watch *w = g_new0(struct watch, 1);

	w->b = bound;
	w->scn = bound->scn;
	w->from = bound->from;
	w->ntask = bound->ntask;
	w->nall = bound->ntask + bound->nirq;
	w->nlock = bound->nlock;
	w->ncpu = bound->ncpus;
	fold_lock_init(w);
	fold_task_init(w);
	fold_cpu_init(w);
	finding_init(w);
	track_init(w);
	w->again = options ? options->again : NULL;
	account_init(w, options && (options->pieces || options->story));
	if (options && options->story && !bound->compared)
		story_init(w, options->story);
	if (options && options->bill)
		bill_init(w);
	if (bound->scn) /* a trace file has its findings in the records */
		oracle_init(w);
	return w;
}

void watch_start(struct watch *w, struct sim_trace *trace)
{
	w->trace = trace;
	if (w->bill)
		bill_listen(w, trace);
	sim_trace_count(trace);
	if (w->accounting || w->track_types)
		sim_trace_subscribe(trace, SIM_CLASS_REPORT, watch_take_all, w);
	else
		sim_trace_subscribe_each(trace, folds, w);
}

bool watch_stopped(const struct watch *w)
{
	return w->stopped;
}

void watch_piece(struct watch *w, sim_time at)
{
	w->now = MAX(w->now, at);
	watch_moment(w, WATCH_ON_PIECE, WATCH_NONE, WATCH_NONE);
}

sim_time watch_quiet(struct watch *w)
{
	watch_moment(w, WATCH_ON_STILL, WATCH_NONE, WATCH_NONE);
	return w->now;
}

/* -- the result -------------------------------------------------------------------------------- */

static uint64_t rate_milli(uint64_t n, sim_time span)
{
	unsigned __int128 x = (unsigned __int128)n * SIM_S * 1000;

	return span ? (uint64_t)(x / span) : 0;
}

static void result_done(struct watch *w, struct run_result *r)
{
	unsigned n = w->scn && w->scn->ndone_name > 1 ? w->scn->ndone_name - 1 : 0;

	r->done = w->done;
	r->has_throughput = w->done > 0;
	r->throughput_milli = rate_milli(w->done, r->until > r->from ? r->until - r->from : 0);
	r->ndone = n;
	r->done_name = g_new0(const char *, n + 1);
	r->done_count = g_new0(uint64_t, n + 1);
	for (unsigned i = 0; i < n; i++) {
		r->done_name[i] = g_strdup(w->scn->done_name[i + 1]);
		r->done_count[i] = w->done_count[i + 1];
	}
}

static void watch_end(struct watch *w, sim_time end)
{
	if (w->accounting && end > w->accounted_to)
		account_advance(w, end);
	w->now = end > w->now ? end : w->now;
	w->ended = true;
	watch_moment(w, WATCH_ON_END, WATCH_NONE, WATCH_NONE);
	fold_lock_finish(w, end);
	fold_task_finish(w, end);
	fold_cpu_finish(w, end);
	if (w->accounting)
		account_finish(w);
	if (w->story)
		story_finish(w);
}

/* A finding was expected only if an expectation asked for its kind. */
static void mark_expected(const struct watch *w, struct run_result *r)
{
	for (unsigned i = 0; i < r->nfinding; i++) {
		struct run_finding *f = &r->finding[i];

		f->expected = false;
		for (unsigned e = 0; w->scn && e < w->scn->nexpect; e++)
			f->expected |= expect_wants(&w->scn->expect[e], f->kind);
	}
}

void watch_finish(struct watch *w, sim_time end, bool complete, struct run_result *r)
{
	w->complete = complete;
	watch_end(w, end);
	r->from = w->from;
	r->until = end;
	r->accounted = w->accounting;
	r->digest = w->trace->digest;
	r->records = w->trace->count;
	r->bill = w->bill ? bill_finish(w, end) : NULL;
	r->task = w->rtask;
	r->ntask = w->ntask;
	r->lock = w->rlock;
	r->nlock = w->nlock;
	r->cpu = w->rcpu;
	r->ncpu = w->ncpu;
	result_done(w, r);
	finding_fill(w, r);
	mark_expected(w, r);
	oracle_list(w, r);
	if (w->scn && w->scn->nexpect) {
		r->nverdict = w->scn->nexpect;
		r->verdict = g_new0(struct run_verdict, r->nverdict);
		expect_judge(w, w->scn->expect, w->scn->nexpect, r, NULL, r->verdict);
	}
	/* the result owns them now; the pseudo-tasks' sums are told to nobody */
	for (uint32_t i = w->ntask; i < w->nall; i++)
		run_dist_free(&w->rtask[i].wait);
	w->handed = true;
}

void watch_judge_compare(struct watch *w, unsigned block, const struct run_result *own,
			 struct run_compare *cmp)
{
	const struct scn_compare *c = &w->scn->compare[block];

	sim_assert(w->handed && cmp->result && block < w->scn->ncompare);
	cmp->nverdict = c->nexpect;
	cmp->verdict = g_new0(struct run_verdict, c->nexpect + 1);
	expect_judge(w, c->expect, c->nexpect, cmp->result, own, cmp->verdict);
}

void watch_verdicts_free(struct run_verdict *v, unsigned n)
{
	for (unsigned i = 0; v && i < n; i++) {
		g_free((char *)(uintptr_t)v[i].text);
		g_free((char *)(uintptr_t)v[i].file);
		g_free(v[i].seen);
	}
	g_free(v);
}

void watch_result_clear(struct run_result *r)
{
	for (unsigned i = 0; i < r->nlock; i++) {
		for (unsigned m = 0; m < 2; m++) {
			run_dist_free(&r->lock[i].wait[m]);
			run_dist_free(&r->lock[i].hold[m]);
		}
		g_free(r->lock[i].event);
	}
	for (unsigned i = 0; i < r->ntask; i++)
		run_dist_free(&r->task[i].wait);
	for (unsigned i = 0; i < r->nfinding; i++) {
		g_free((char *)(uintptr_t)r->finding[i].file);
		g_free(r->finding[i].text);
	}
	for (unsigned i = 0; i < r->ndone; i++)
		g_free((char *)(uintptr_t)r->done_name[i]);
	g_free(r->lock);
	g_free(r->task);
	g_free(r->cpu);
	g_free(r->finding);
	g_free(r->done_name);
	g_free(r->done_count);
	g_free(r->oracle);
	g_free(r->oracle_watched);
	watch_verdicts_free(r->verdict, r->nverdict);
	run_bill_free(r->bill);
	r->bill = NULL;
	r->nlock = r->ntask = r->ncpu = r->nfinding = r->ndone = r->noracle = r->nverdict = 0;
	r->lock = NULL;
	r->task = NULL;
	r->cpu = NULL;
	r->finding = NULL;
	r->done_name = NULL;
	r->done_count = NULL;
	r->oracle = NULL;
	r->oracle_watched = NULL;
	r->verdict = NULL;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	if (w->handed) {
		w->rtask = NULL;
		w->rlock = NULL;
		w->rcpu = NULL;
	}
	fold_lock_free(w);
	fold_task_free(w);
	g_free(w->walk_from);
	g_free(w->walk_todo);
	g_free(w->signalled);
	g_free(w->stuck);
	g_free(w->stuck_at);
	g_free(w->cpu);
	g_free(w->rcpu);
	account_free(w);
	bill_free(w);
	track_free(w);
	finding_free(w);
	g_free(w);
}
