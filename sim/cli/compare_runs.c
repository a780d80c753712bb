// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/compare_runs.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/workers.h"

/* What a process hands back for each run, a line each, as GVariant text. */
#define MOVE "(msssbatt)"		  /* lock, step, line, own, moves, waited */
#define BILL "(tatattta" MOVE ")"	  /* total, time, count, sleeps, preemptions, moves */
#define SIDE "(uutatm" BILL ")"		  /* lock, side, acquired, measures, bill */
#define PART "(iuuaysua" SIDE ")"	  /* exit status, met, missed, misses, machine, CPUs, sides */

static struct compare_runs *all;
static struct {
	unsigned turn;
	const struct run_result *own;
} here; /* in the process of a seed */

/* -- in the children: a result becomes text ------------------------------------------------------- */

static GVariant *counts(const uint64_t *v, gsize n)
{
	return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT64, v, n, sizeof(*v));
}

static GVariant *bill_out(const struct run_bill *b)
{
	GVariantBuilder moves;

	if (!b)
		return NULL;
	g_variant_builder_init(&moves, G_VARIANT_TYPE("a" MOVE));
	for (unsigned i = 0; i < b->nmove; i++) {
		const struct run_bill_move *m = &b->move[i];

		g_variant_builder_add(&moves, "(msssb@att)", m->lock, m->step, m->line, (gboolean)m->own,
				      counts(m->moves, RUN_DISTS), m->waited);
	}
	return g_variant_new("(t@at@attt@a" MOVE ")", b->total, counts(b->time, RUN_BILL_COUNT), counts(b->count, RUN_BILL_COUNT),
			     b->sleeps, b->preemptions, g_variant_builder_end(&moves));
}

static uint64_t acquired_of(const struct run_result *r, const char *lock)
{
	size_t len = strlen(lock);
	uint64_t n = 0;

	for (unsigned i = 0; i < r->nlock; i++)
		if (!strncmp(r->lock[i].name, lock, len) && strchr("[", r->lock[i].name[len]))
			n += r->lock[i].acquisitions[0] + r->lock[i].acquisitions[1];
	return n;
}

static GVariant *side_out(struct compare_place at, const struct run_result *r)
{
	const char *lock = all->v->lock[at.lock].lock;
	struct measure m;

	measure_take(&m, r, lock);
	return g_variant_new("(uut@at@m" BILL ")", at.lock, at.side, acquired_of(r, lock), counts(m.v, MEASURE_IDS),
			     g_variant_new_maybe(G_VARIANT_TYPE(BILL), bill_out(r->bill)));
}

/* @judged: whose verdicts and status count; @r: the run; @sides: of that run. */
static char *part_out(const struct run_result *judged, const struct run_result *r, GVariant *sides)
{
	g_autoptr(GString) misses = g_string_new(NULL);
	g_autoptr(GVariant) part = NULL;
	g_autofree char *text = NULL;
	unsigned missed, of = report_verdicts(judged, &missed);
	int status = run_exit_status(judged);

	if (status)
		report_misses(misses, judged);
	part = g_variant_ref_sink(g_variant_new("(iuu@aysu@a" SIDE ")", status, of - missed, missed,
						g_variant_new_bytestring(misses->str), r->machine, r->ncpu, sides));
	text = g_variant_print(part, false);
	return g_strconcat(text, "\n", NULL);
}

static struct run_options options_of(unsigned turn)
{
	struct run_options o = *all->options;

	o.has_seed = true;
	o.seed = all->v->seed[turn];
	o.bill = all->bill && !turn;
	o.no_compare = true;
	return o;
}

static void run_block_case(struct test_case *c)
{
	unsigned block = (unsigned)g_ascii_strtoull(c->path, NULL, 10);
	struct run_options o = options_of(here.turn);
	g_autofree char *error = NULL;
	struct run_result *r;
	GVariantBuilder sides;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r = run_compare_block(all->scn, &o, block, here.own, &error);
	c->status = r ? CASE_PASSED : CASE_BROKEN;
	c->text = g_steal_pointer(&error);
	if (!r)
		return;
	g_variant_builder_init(&sides, G_VARIANT_TYPE("a" SIDE));
	g_variant_builder_add_value(&sides, side_out(all->place[block], r->compare[0].result));
	c->text = part_out(r, r->compare[0].result, g_variant_builder_end(&sides));
}

/* The parts of blocks go behind that of the seed; the first that came to nothing is the seed's failure. */
static void take_block(void *user, const struct test_case *c, unsigned index)
{
	struct test_case *seed = user;
	char *text;

	(void)index;
	if (seed->status != CASE_PASSED)
		return;
	text = c->status == CASE_PASSED ? g_strconcat(seed->text, c->text, NULL) : g_strdup(c->text);
	g_free(seed->text);
	seed->text = text;
	seed->status = c->status;
}

static void run_blocks(struct test_case *seed, unsigned jobs)
{
	unsigned n = all->scn->ncompare;
	struct test_case *cases = g_new0(struct test_case, n);

	for (unsigned i = 0; i < n; i++)
		cases[i].path = g_strdup_printf("%u", i);
	if (workers_run(cases, n, jobs, run_block_case, take_block, seed) < 0) {
		g_free(seed->text);
		seed->text = g_strdup(g_strerror(errno));
		seed->status = CASE_BROKEN;
	}
}

static void run_seed_case(struct test_case *c)
{
	struct run_options o;
	g_autofree char *error = NULL;
	GVariantBuilder sides;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	here.turn = (unsigned)g_ascii_strtoull(c->path, NULL, 10);
	o = options_of(here.turn);
	here.own = run_scenario(all->scn, &o, &error);
	c->status = here.own ? CASE_PASSED : CASE_BROKEN;
	c->text = g_steal_pointer(&error);
	if (!here.own)
		return;
	g_variant_builder_init(&sides, G_VARIANT_TYPE("a" SIDE));
	for (unsigned i = 0; i < all->v->nlock; i++)
		g_variant_builder_add_value(&sides, side_out((struct compare_place){ i, 0 }, here.own));
	c->text = part_out(here.own, here.own, g_variant_builder_end(&sides));
	if (here.own->end != RUN_END_INTERRUPTED)
		run_blocks(c, MAX(all->jobs / all->v->nseed, 1));
}

/* -- in the parent: text becomes sides ------------------------------------------------------------ */

static void take_counts(GVariant *from, uint64_t *to, gsize n)
{
	gsize got;
	const uint64_t *v = g_variant_get_fixed_array(from, &got, sizeof(*v));

	memcpy(to, v, MIN(got, n) * sizeof(*v));
	g_variant_unref(from);
}

static const struct run_bill *bill_in(GVariant *bill)
{
	struct run_bill *b = g_new0(struct run_bill, 1);
	GVariant *time, *count, *moves, *dists;
	gboolean mine;

	g_variant_get(bill, "(t@at@attt@a" MOVE ")", &b->total, &time, &count, &b->sleeps, &b->preemptions, &moves);
	take_counts(time, b->time, RUN_BILL_COUNT);
	take_counts(count, b->count, RUN_BILL_COUNT);
	b->nmove = (unsigned)g_variant_n_children(moves);
	b->move = g_new0(struct run_bill_move, b->nmove + 1);
	for (unsigned i = 0; i < b->nmove; i++) {
		struct run_bill_move *m = &b->move[i];

		g_variant_get_child(moves, i, "(m&s&s&sb@att)", &m->lock, &m->step, &m->line, &mine, &dists, &m->waited);
		m->own = mine;
		take_counts(dists, m->moves, RUN_DISTS);
	}
	g_variant_unref(moves);
	g_ptr_array_add(all->memory, b->move);
	g_ptr_array_add(all->memory, b);
	return b;
}

static void side_in(GVariant *side, unsigned turn)
{
	GVariant *measures, *bill;
	struct versus_side *s;
	uint64_t acquired;
	unsigned lock, k;

	g_variant_get(side, "(uut@at@m" BILL ")", &lock, &k, &acquired, &measures, &bill);
	s = &all->v->lock[lock].side[k];
	take_counts(measures, s->m[turn].v, MEASURE_IDS);
	if (!turn) {
		g_autoptr(GVariant) there = g_variant_get_maybe(bill);

		s->acquired = acquired;
		s->bill = there ? bill_in(there) : NULL;
	}
	g_variant_unref(bill);
}

/* One run; the variant stays, since names point into it. */
static int part_in(GVariant *part, unsigned turn, bool first)
{
	unsigned met, missed;
	const char *misses;
	GVariant *sides;
	int status;

	g_variant_get(part, "(iuu^&ay&su@a" SIDE ")", &status, &met, &missed, &misses, &all->v->machine, &all->v->ncpu, &sides);
	all->v->met += met;
	all->v->missed += missed;
	if (*misses && first)
		g_string_append_printf(all->misses, "seed %" G_GUINT64_FORMAT ":\n", all->v->seed[turn]);
	g_string_append(all->misses, misses);
	for (gsize i = 0; i < g_variant_n_children(sides); i++) {
		g_autoptr(GVariant) side = g_variant_get_child_value(sides, i);

		side_in(side, turn);
	}
	g_variant_unref(sides);
	return status;
}

static void take_seed(void *user, const struct test_case *c, unsigned turn)
{
	g_auto(GStrv) lines = NULL;
	int *status = user;
	gsize told = all->misses->len;

	if (c->status != CASE_PASSED) {
		cli_error("seed %" G_GUINT64_FORMAT ": %s", all->v->seed[turn], c->text && *c->text ? c->text : "no result");
		*status = CLI_WORLD;
		all->broken = true;
		return;
	}
	lines = g_strsplit(c->text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++) {
		GVariant *part = *lines[i] ? g_variant_parse(G_VARIANT_TYPE(PART), lines[i], NULL, NULL, NULL) : NULL;
		int part_status;

		if (!part)
			continue;
		g_ptr_array_add(all->parts, part);
		part_status = part_in(part, turn, all->misses->len == told);
		/* a limit or an interrupt is no verdict, whatever else there is */
		*status = MAX(*status, part_status);
	}
	if (!opt.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Klockstep: %u of %u seeds", turn + 1, all->v->nseed);
}

int compare_runs(struct compare_runs *c, bool *whole)
{
	struct test_case *cases = g_new0(struct test_case, c->v->nseed);
	int status = CLI_FINE, done;

	all = c;
	for (unsigned i = 0; i < c->v->nseed; i++)
		cases[i].path = g_strdup_printf("%u", i);
	done = workers_run(cases, c->v->nseed, c->jobs, run_seed_case, take_seed, &status);
	if (!opt.quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (done < 0) {
		cli_error("cannot start a process: %s", g_strerror(errno));
		status = CLI_WORLD;
	}
	for (unsigned i = 0; i < c->v->nseed; i++) {
		g_free(cases[i].path);
		g_free(cases[i].text);
	}
	g_free(cases);
	if (cli_interrupted)
		status = CLI_INTERRUPTED;
	*whole = done == (int)c->v->nseed && status != CLI_INTERRUPTED && !c->broken;
	return status;
}
