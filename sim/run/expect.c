/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judging expectations. Each kind has one function that says whether it is met and writes
 * what was seen, and when. Unindexed names pool the instances: counts and waits are taken
 * together; what can only be said of one task (a priority, a finish) must hold for each.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/run/director.h"
#include "sim/run/expect.h"

#define PPM 1000000u

bool expect_rel(enum scn_rel rel, uint64_t seen, uint64_t value)
{
	switch (rel) {
	case SCN_LE:
		return seen <= value;
	case SCN_LT:
		return seen < value;
	case SCN_EQ:
		return seen == value;
	case SCN_GE:
		return seen >= value;
	case SCN_GT:
		return seen > value;
	case SCN_NE:
		return seen != value;
	}
	return false;
}

void expect_time(GString *s, sim_time t)
{
	char buf[SIM_TIME_CHARS];

	g_string_append(s, sim_time_format(buf, t));
}

/* @ppm with up to three places: 12500 of a percent is 1.25. */
static void put_ppm(GString *s, uint64_t ppm, unsigned unit)
{
	uint64_t milli = ppm / (unit / 1000);

	g_string_append_printf(s, "%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
}

static uint64_t isqrt(unsigned __int128 x)
{
	unsigned __int128 lo = 0, hi = (unsigned __int128)1 << 63;

	while (lo < hi) {
		unsigned __int128 mid = (lo + hi + 1) / 2;

		if (mid * mid <= x)
			lo = mid;
		else
			hi = mid - 1;
	}
	return (uint64_t)lo;
}

/* Standard deviation over mean of the instances' done counts, in ppm. Integers throughout. */
uint64_t expect_cv_ppm(const uint64_t *x, uint32_t n)
{
	unsigned __int128 sum = 0, squares = 0, spread;

	for (uint32_t i = 0; i < n; i++) {
		sum += x[i];
		squares += (unsigned __int128)x[i] * x[i];
	}
	if (!sum)
		return 0;
	spread = squares * n - sum * sum;
	/* sqrt(spread) / sum, with the root taken of spread * 2^2k that fits */
	if (spread < (unsigned __int128)1 << 80)
		return (uint64_t)((unsigned __int128)isqrt(spread << 40) * PPM / (sum << 20));
	return (uint64_t)((unsigned __int128)isqrt(spread) * PPM / sum);
}

/* -- findings -------------------------------------------------------------------------------------- */

bool expect_wants(const struct scn_expect *e, enum run_finding_kind kind)
{
	if (e->kind == SCN_EXPECT_DEADLOCK)
		return kind == RUN_FINDING_deadlock || kind == RUN_FINDING_COUNT;
	if (e->kind != SCN_EXPECT_FINDING)
		return false;
	return kind == RUN_FINDING_COUNT || (e->text && !strcmp(e->text, run_finding_name[kind]));
}

static void put_finding(GString *s, const struct run_finding *f)
{
	const char *end = strchr(f->text, '\n');

	g_string_append_printf(s, "%s at ", run_finding_name[f->kind]);
	expect_time(s, f->at);
	g_string_append_printf(s, ": %.*s", (int)(end ? end - f->text : (gssize)strlen(f->text)), f->text);
}

static const struct run_finding *finding_first(const struct run_result *r, const char *kind)
{
	for (unsigned i = 0; i < r->nfinding; i++)
		if (!kind || !strcmp(run_finding_name[r->finding[i].kind], kind))
			return &r->finding[i];
	return NULL;
}

static bool judge_finding(const struct run_result *r, const char *kind, bool wanted, GString *seen)
{
	const struct run_finding *f = finding_first(r, kind);

	if (f)
		put_finding(seen, f);
	else if ((f = finding_first(r, NULL)) != NULL) {
		g_string_append_printf(seen, "no %s, but ", kind);
		put_finding(seen, f);
		f = NULL;
	} else {
		g_string_append(seen, "no finding");
	}
	return (f != NULL) == wanted;
}

static bool who_is(const struct watch *w, const struct scn_who *who, uint32_t task)
{
	const struct bound_task *b = &w->b->task[task];

	return (task >= w->ntask) == who->irq && b->decl == who->task &&
	       (who->instance < 0 || b->instance == (uint32_t)who->instance);
}

/* Everybody in the cycle was named, and everybody named is in it. */
static bool cycle_is(const struct watch *w, const struct scn_expect *e, const struct watch_cycle *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		bool named = !e->nwho;

		for (unsigned k = 0; k < e->nwho; k++)
			named |= who_is(w, &e->who[k], c->task[i]);
		if (!named)
			return false;
	}
	for (unsigned k = 0; k < e->nwho; k++) {
		bool found = false;

		for (uint32_t i = 0; i < c->n; i++)
			found |= who_is(w, &e->who[k], c->task[i]);
		if (!found)
			return false;
	}
	return true;
}

static bool judge_deadlock(const struct watch *w, const struct scn_expect *e, GString *seen)
{
	for (guint i = 0; i < w->cycle->len; i++) {
		const struct watch_cycle *c = &g_array_index(w->cycle, struct watch_cycle, i);

		g_string_append(seen, i ? "; deadlock of" : "deadlock of");
		for (uint32_t k = 0; k < c->n; k++)
			g_string_append_printf(seen, " %s", watch_task_name(w, c->task[k]));
		g_string_append(seen, " at ");
		expect_time(seen, c->at);
		if (cycle_is(w, e, c))
			return true;
	}
	if (!w->cycle->len)
		g_string_append(seen, "no deadlock");
	return false;
}

/* -- sums of the result ------------------------------------------------------------------------------ */

static bool judge_inversion(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	sim_time sum = 0, most = 0;
	uint32_t whose = a->task;

	for (uint32_t i = a->task; i < a->task + a->ntask; i++) {
		sum += r->task[i].piece[RUN_PIECE_inversion];
		if (r->task[i].piece[RUN_PIECE_inversion] > most) {
			most = r->task[i].piece[RUN_PIECE_inversion];
			whose = i;
		}
	}
	expect_time(seen, sum);
	if (a->ntask > 1 && sum) {
		g_string_append_printf(seen, " in all, most of it by %s: ", r->task[whose].name);
		expect_time(seen, most);
	}
	return expect_rel(a->e->rel, sum, a->value);
}

static bool judge_finish(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	bool met = true;

	for (uint32_t i = a->task; i < a->task + a->ntask; i++) {
		sim_time t = r->task[i].finish;
		bool ok = t != SIM_NEVER && expect_rel(a->e->rel, t, a->value);

		if ((!ok && met) || i == a->task) {
			g_string_truncate(seen, 0);
			if (t == SIM_NEVER) {
				g_string_append_printf(seen, "%s had not finished at ", r->task[i].name);
				t = r->until;
			} else {
				g_string_append_printf(seen, "%s finished at ", r->task[i].name);
			}
			expect_time(seen, t);
		}
		met &= ok;
	}
	return met;
}

static bool judge_result(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	bool met = true;

	for (uint32_t i = a->task; i < a->task + a->ntask; i++) {
		int result = r->task[i].result;
		bool ok = result == a->e->error;

		if ((!ok && met) || i == a->task) {
			g_string_truncate(seen, 0);
			if (result < 0)
				g_string_append_printf(seen,
						       "%s: no lock statement that can fail came to an end",
						       r->task[i].name);
			else if (!result)
				g_string_append_printf(seen, "%s: success", r->task[i].name);
			else
				g_string_append_printf(seen, "%s: -%s", r->task[i].name,
						       strerrorname_np(result));
		}
		met &= ok;
	}
	return met;
}

static bool judge_done(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	uint64_t n = 0;

	if (!a->e->has_task && !a->e->text)
		n = r->done;
	for (unsigned i = 0; !a->e->has_task && a->e->text && i < r->ndone; i++)
		if (!strcmp(r->done_name[i], a->e->text))
			n = r->done_count[i];
	for (uint32_t i = 0; a->e->has_task && i < a->ntask; i++)
		n += a->e->text ? a->inst[i].done : r->task[a->task + i].done;
	g_string_append_printf(seen, "%" PRIu64, n);
	return expect_rel(a->e->rel, n, a->value);
}

static bool judge_fair(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	g_autofree uint64_t *x = g_new0(uint64_t, a->ntask + 1);
	uint64_t cv, lo = UINT64_MAX, hi = 0;

	for (uint32_t i = 0; i < a->ntask; i++) {
		x[i] = r->task[a->task + i].done;
		lo = MIN(lo, x[i]);
		hi = MAX(hi, x[i]);
	}
	cv = expect_cv_ppm(x, a->ntask);
	g_string_append(seen, "cv ");
	put_ppm(seen, cv, PPM / 100);
	g_string_append_printf(seen, "%%, done %" PRIu64 "..%" PRIu64, lo, hi);
	if (!hi) {
		g_string_append(seen, " (nothing was done)");
		return false;
	}
	return expect_rel(a->e->rel, cv, a->value);
}

static bool judge_count(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	uint64_t n[2] = {0, 0}, all;

	for (uint32_t i = a->lock; i < a->lock + a->nlock; i++) {
		n[0] += r->lock[i].acquisitions[0];
		n[1] += r->lock[i].acquisitions[1];
	}
	all = a->e->mode == SCN_MODE_READ ? n[1] : a->e->mode == SCN_MODE_WRITE ? n[0] : n[0] + n[1];
	g_string_append_printf(seen, "%" PRIu64, all);
	return expect_rel(a->e->rel, all, a->value);
}

static bool judge_event(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	uint32_t first = a->e->has_lock ? a->lock : 0, last = a->e->has_lock ? a->lock + a->nlock : r->nlock;
	uint64_t n = 0;

	for (uint32_t i = first; i < last; i++)
		for (unsigned k = 0; r->lock[i].event_name && r->lock[i].event_name[k]; k++)
			if (!strcmp(r->lock[i].event_name[k], a->e->text))
				n += r->lock[i].event[k];
	g_string_append_printf(seen, "%" PRIu64, n);
	return expect_rel(a->e->rel, n, a->value);
}

static bool judge_throughput(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	bool exact = r->throughput_milli % 1000 == 0;
	uint64_t value = a->value > UINT64_MAX / 1000 ? UINT64_MAX : a->value * 1000;

	g_string_append_printf(seen, "%" PRIu64, r->throughput_milli / 1000);
	if (!exact)
		g_string_append_printf(seen, ".%03" PRIu64, r->throughput_milli % 1000);
	g_string_append_printf(seen, " per second (%" PRIu64 " done)", r->done);
	return expect_rel(a->e->rel, r->throughput_milli, value);
}

static bool judge_ratio(const struct watch_ask *a, const struct run_result *r, const struct run_result *own,
			GString *seen)
{
	uint64_t ppm;

	if (!own || !own->throughput_milli) {
		g_string_append(seen,
				"nothing to compare with: no throughput under the scenario's own model");
		return false;
	}
	ppm = (uint64_t)((unsigned __int128)r->throughput_milli * PPM / own->throughput_milli);
	put_ppm(seen, ppm, PPM);
	g_string_append_printf(seen, " (%" PRIu64 " against %" PRIu64 " per second)",
			       r->throughput_milli / 1000, own->throughput_milli / 1000);
	return ppm >= a->from && ppm <= a->to;
}

static bool judge_busy(const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	unsigned __int128 busy = 0;
	uint64_t ppm;

	for (unsigned i = 0; i < r->ncpu; i++)
		busy += r->cpu[i].busy;
	ppm = r->until > r->from ? (uint64_t)(busy * PPM / (r->until - r->from)) : 0;
	put_ppm(seen, ppm, PPM);
	g_string_append(seen, " CPUs");
	return expect_rel(a->e->rel, ppm, a->value);
}

static bool judge_sleeps(const struct watch *w, const struct watch_ask *a, const struct run_result *r,
			 GString *seen)
{
	uint64_t n = 0;

	if (a->e->has_task)
		for (uint32_t i = a->task; i < a->task + a->ntask; i++)
			n += w->task[i].sleeps;
	else
		for (uint32_t i = a->lock; i < a->lock + a->nlock; i++)
			n += r->lock[i].sleeps;
	g_string_append_printf(seen, "%" PRIu64, n);
	return expect_rel(a->e->rel, n, a->value);
}

static bool judge_steps(const struct watch *w, const struct watch_ask *a, GString *seen)
{
	const struct scn_stmt *first;
	const char *how;
	unsigned n = director_missed(w->b, &first, &how);

	g_string_append_printf(seen, "%u", n);
	if (n)
		g_string_append_printf(seen, ", the first at line %u: %s  (%s)", first->pos.line, first->text, how);
	return expect_rel(a->e->rel, n, a->value);
}

/* -- one expectation ------------------------------------------------------------------------------- */

static bool judge(struct watch *w, const struct watch_ask *a, const struct run_result *r,
		  const struct run_result *own, GString *seen)
{
	switch (a->e->kind) {
	case SCN_EXPECT_NO_DEADLOCK:
		return judge_finding(r, run_finding_name[RUN_FINDING_deadlock], false, seen);
	case SCN_EXPECT_DEADLOCK:
		return judge_deadlock(w, a->e, seen);
	case SCN_EXPECT_FINDING:
		return judge_finding(r, a->e->text, true, seen);
	case SCN_EXPECT_NO_FINDING:
		return judge_finding(r, NULL, false, seen);
	case SCN_EXPECT_WAIT:
		return expect_wait(w, a, r, seen);
	case SCN_EXPECT_GRANTS:
		return expect_grants(w, a, seen);
	case SCN_EXPECT_PRIO:
		return expect_prio(w, a, r, seen);
	case SCN_EXPECT_BLOCKED:
		return expect_blocked(w, a, r, seen);
	case SCN_EXPECT_NEVER_RUNS:
		return expect_never_runs(w, a, r, seen);
	case SCN_EXPECT_FINISH:
		return judge_finish(a, r, seen);
	case SCN_EXPECT_INVERSION:
		return judge_inversion(a, r, seen);
	case SCN_EXPECT_DONE:
		return judge_done(a, r, seen);
	case SCN_EXPECT_FAIR:
		return judge_fair(a, r, seen);
	case SCN_EXPECT_RATIO:
		return judge_ratio(a, r, own, seen);
	case SCN_EXPECT_COUNT:
		return judge_count(a, r, seen);
	case SCN_EXPECT_EVENT:
		return judge_event(a, r, seen);
	case SCN_EXPECT_RESULT:
		return judge_result(a, r, seen);
	case SCN_EXPECT_THROUGHPUT:
		return judge_throughput(a, r, seen);
	case SCN_EXPECT_BUSY:
		return judge_busy(a, r, seen);
	case SCN_EXPECT_SLEEPS:
		return judge_sleeps(w, a, r, seen);
	case SCN_EXPECT_STEPS:
		return judge_steps(w, a, seen);
	}
	return false;
}

/* A run that was cut short has still shown what it found; it has not shown that nothing would have come. */
static bool cut_matters(const struct scn_expect *e)
{
	return e->kind != SCN_EXPECT_DEADLOCK && e->kind != SCN_EXPECT_FINDING;
}

void expect_judge(struct watch *w, const struct scn_expect *list, unsigned n, const struct run_result *r,
		  const struct run_result *own, struct run_verdict *out)
{
	for (unsigned i = 0; i < n; i++) {
		const struct scn_expect *e = &list[i];
		const struct watch_ask *a = NULL;
		GString *seen = g_string_new(NULL);

		for (unsigned k = 0; k < w->nask && !a; k++)
			if (w->ask[k].e == e)
				a = &w->ask[k];
		sim_assert(a);
		out[i].text = g_strdup(e->source);
		out[i].file = e->pos.source ? g_strdup(e->pos.source->path) : NULL;
		out[i].line = e->pos.line;
		out[i].met = judge(w, a, r, own, seen);
		if (!w->complete && cut_matters(e)) {
			out[i].met = false;
			g_string_append(seen, " (the run was cut short at ");
			expect_time(seen, r->until);
			g_string_append_c(seen, ')');
		}
		out[i].seen = g_string_free(seen, FALSE);
	}
}
