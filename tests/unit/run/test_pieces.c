// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random scenarios: chains over locks and CPUs, sleeping and spinning locks, fixed, fair and deadline
 * tasks, one CPU and many. Every wait, from the call to its answer as the records have it, is cut into
 * pieces that follow each other without a gap and add up to it exactly. argv: number of scenarios.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/core/prng.h"
#include "sim/run/run.h"
#include "sim/run/story.h"

static unsigned scenarios = 150;
static uint64_t key, drawn;
static GString *out;

static unsigned below(unsigned n)
{
	return (unsigned)(sim_draw(key, drawn++, 0) % n);
}

/* -- scenarios --------------------------------------------------------------------------------------- */

#define SPIN_FROM 6
static const char *const models[] = {"rtmutex", "mutex",  "rwsem",     "futex-pi", "mutex { proxy on }",
				     "fifo",    "ticket", "qspinlock", "mcs"};
static const char *const times[] = {"run exp(20us)", "run uniform(1us, 60us)", "run 7us", "sleep exp(40us)",
				    "sleep 30us"};

static unsigned lock[6], nlock, ncpu;

static void put_machine(void)
{
	static const char *const preset[] = {"zero", "uniform", "westmere-ex-8s", "sandybridge-ep-2s"};
	static const char *const preempt[] = {"none", "voluntary", "full", "lazy", "rt"};
	unsigned sockets = 1 + below(2), cores = 1 + below(3);

	ncpu = sockets * cores;
	g_string_append_printf(out, "machine %s { sockets %u cores %u threads 1 preempt %s hz 1000%s }\n",
			       preset[below(G_N_ELEMENTS(preset))], sockets, cores,
			       preempt[below(G_N_ELEMENTS(preempt))],
			       below(4) ? "" : " rt_runtime 700us rt_period 1ms");
	if (!below(3))
		g_string_append_printf(out, "interrupt device cpu %u every exp(150us) { run 4us }\n",
				       below(ncpu));
}

/* In the order in which they may nest: those that spin are innermost. */
static void put_locks(void)
{
	nlock = 2 + below(3);
	for (unsigned i = 0; i < nlock; i++)
		lock[i] = below(SPIN_FROM);
	if (below(2))
		lock[nlock++] = SPIN_FROM + below(G_N_ELEMENTS(models) - SPIN_FROM);
	for (unsigned i = 0; i < nlock; i++)
		g_string_append_printf(out, "lock l%u : %s\n", i, models[lock[i]]);
}

static void put_nest(unsigned from)
{
	unsigned i = from + below(nlock - from);
	bool spins = lock[i] >= SPIN_FROM,
	     timed = !strcmp(models[lock[i]], "rtmutex") || !strcmp(models[lock[i]], "futex-pi");
	bool fails = timed && !below(3);

	g_string_append_printf(out, " %s l%u%s {",
			       !strcmp(models[lock[i]], "rwsem") && below(2) ? "reading" : "hold", i,
			       fails ? " timeout 25us" : "");
	g_string_append_printf(out, " %s", times[below(spins ? 3 : G_N_ELEMENTS(times))]);
	if (!spins && i + 1 < nlock && below(2))
		put_nest(i + 1);
	g_string_append(out, fails ? " } else { }" : " }");
}

static void put_task(unsigned n)
{
	unsigned kind = below(5);

	g_string_append_printf(out, "task t%u ", n);
	if (kind < 3)
		g_string_append_printf(out, "fifo %u", 1 + below(9));
	else if (kind < 4)
		g_string_append_printf(out, "nice %s%u", below(2) ? "-" : "", below(10));
	else
		g_string_append_printf(out, "deadline %uus 2ms", 100 + below(300));
	if (kind < 4 && below(2)) /* deadline tasks may not be bound */
		g_string_append_printf(out, " cpu %u", below(ncpu));
	g_string_append_printf(out, " { loop %u {", 5 + below(20));
	put_nest(0);
	g_string_append_printf(out, " %s", times[below(G_N_ELEMENTS(times))]);
	if (below(2))
		put_nest(0);
	g_string_append(out, " } }\n");
}

static char *draw_scenario(void)
{
	unsigned ntask = 3 + below(6);

	out = g_string_new(NULL);
	put_machine();
	put_locks();
	for (unsigned i = 0; i < ntask; i++)
		put_task(i);
	g_string_append(out, "run until done limit 1s\n");
	return g_string_free(out, FALSE);
}

/* -- waits by the records ---------------------------------------------------------------------------- */

struct wait {
	uint32_t task, lock;
	sim_time from, to;
};

static struct {
	GArray *wait; /* that are over */
	struct wait open[16];
} seen;

static void take(void *user, const struct sim_rec *rec)
{
	if (rec->type == SIM_REC_CALL)
		seen.open[rec->task - 1] = (struct wait){rec->task - 1, rec->obj - 1, rec->time, SIM_NEVER};
	if (rec->type != SIM_REC_GRANT && rec->type != SIM_REC_FAIL)
		return;
	seen.open[rec->task - 1].to = rec->time;
	if (seen.open[rec->task - 1].from < rec->time) /* the others are no waits */
		g_array_append_val(seen.wait, seen.open[rec->task - 1]);
}

static bool is_seen(const struct story_wait *w)
{
	for (guint i = 0; i < seen.wait->len; i++) {
		const struct wait *s = &g_array_index(seen.wait, struct wait, i);

		if (s->task == w->task && s->lock == w->lock && s->from == w->from && s->to == w->to)
			return true;
	}
	return false;
}

/* -- the law ----------------------------------------------------------------------------------------- */

/* @cut: waits that the end of the window cut off have no end in the records. */
static void adds_up(const struct story_wait *w, sim_time cut, const char *text)
{
	sim_time at = w->from, sum = 0;

	ck_assert_msg(w->to == cut || is_seen(w), "a wait of t%u from %" PRIu64 " that no record has, in\n%s", w->task,
		      w->from, text);
	for (unsigned i = 0; i < w->npiece; i++) {
		ck_assert_msg(w->piece[i].from == at && w->piece[i].to > at, "a gap in\n%s", text);
		at = w->piece[i].to;
	}
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		sum += w->sum[i];
	ck_assert_msg(at == w->to && sum == w->to - w->from,
		      "t%u waits %" PRIu64 ", pieces %" PRIu64 ", in\n%s", w->task, w->to - w->from, sum,
		      text);
}

/*
 * Linux 6.1's rt_mutex lets a boost go too early at times, and so does its model: scenarios/pi/stale-pi-node.lks. It takes
 * somebody who gives up, and what is lost is a boost by somebody who still waits.
 */
static bool only_stale_nodes(const struct run_result *r, const char *text)
{
	for (unsigned i = 0; i < r->nfinding; i++)
		if (r->finding[i].kind != RUN_FINDING_pi || !strstr(r->finding[i].text, ", who waits for "))
			return false;
	return strstr(text, " timeout ");
}

/*
 * Linux 6.1's rwsem can come to a live-lock (scenarios/oracles/live-lock.lks), and programs are drawn that do. What is
 * called one never ends: the same program does not come to its end when it may go on.
 */
static bool a_live_lock(const struct run_result *r, const char *text)
{
	struct run_options o = {0};
	struct scn_options read = {.vocabulary = run_vocabulary()};
	g_autofree char *on = g_strconcat(text, "expect finding live-lock\n", NULL), *error = NULL;
	struct sim_diags diags = {0};
	struct scenario *scn;
	struct run_result *again;
	bool stays;

	if (r->nfinding != 1 || r->finding[0].kind != RUN_FINDING_live_lock || !strstr(text, ": rwsem"))
		return false;
	scn = scenario_parse("pieces.lks", on, strlen(on), &read, &diags);
	again = run_scenario(scn, &o, &error);
	stays = again->end != RUN_END_DONE;
	run_result_free(again);
	scenario_free(scn);
	return stays;
}

static uint64_t kinds[RUN_PIECE_COUNT];

static void one_scenario(unsigned seed)
{
	struct story story = {.worst = 1000000};
	struct run_options o = {
		.story = &story, .pieces = true, .listen = take, .listen_classes = SIM_CLASS_LOCK};
	struct scn_options read = {.vocabulary = run_vocabulary()};
	g_autofree char *text = NULL, *error = NULL;
	struct sim_diags diags = {0};
	sim_time waited = 0, of_locks = 0;
	struct scenario *scn;
	struct run_result *r;

	key = sim_stream(seed, "pieces", 0);
	drawn = 0;
	text = draw_scenario();
	seen.wait = g_array_new(FALSE, FALSE, sizeof(struct wait));
	scn = scenario_parse("pieces.lks", text, strlen(text), &read, &diags);
	sim_diag_print(stderr, &diags, false);
	ck_assert_msg(scn != NULL, "%s", text);
	r = run_scenario(scn, &o, &error);
	ck_assert_msg(r && (!r->nfinding || only_stale_nodes(r, text) || a_live_lock(r, text)), "a finding in\n%s", text);
	ck_assert_msg(r->end != RUN_END_TIME, "does not come to an end, and nobody says why:\n%s", text);
	for (unsigned i = 0; i < story.nwait; i++)
		adds_up(story.wait[i], r->end == RUN_END_DONE ? SIM_NEVER : r->until, text);
	for (unsigned i = 0; i < r->ntask; i++)
		for (unsigned p = 0; p < RUN_PIECE_COUNT; p++) {
			waited += r->task[i].piece[p];
			kinds[p] += r->task[i].piece[p];
		}
	for (unsigned i = 0; i < r->nlock; i++)
		for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
			of_locks += r->lock[i].piece[p];
	ck_assert_uint_eq(waited, of_locks);
	for (guint i = 0; i < seen.wait->len; i++)
		waited -= g_array_index(seen.wait, struct wait, i).to -
			  g_array_index(seen.wait, struct wait, i).from;
	if (r->end == RUN_END_DONE) {
		ck_assert_msg(!waited, "pieces and waits differ by %" PRId64 " in\n%s", (int64_t)waited,
			      text);
		ck_assert_msg(story.nwait == seen.wait->len, "%u waits told, %u seen, in\n%s", story.nwait,
			      seen.wait->len, text);
	}
	g_array_unref(seen.wait);
	story_clear(&story);
	run_result_free(r);
	scenario_free(scn);
}

START_TEST(pieces_are_the_wait)
{
	for (unsigned i = 0; i < scenarios; i++)
		one_scenario(i);
	for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
		ck_assert_msg(kinds[p], "no scenario shows %s", run_piece_name[p]);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("pieces");
	TCase *tc = tcase_create("random scenarios");
	SRunner *sr;
	int failed;

	if (argc > 1)
		scenarios = (unsigned)strtoul(argv[1], NULL, 10);
	tcase_set_timeout(tc, 0); /* Meson has one */
	tcase_add_test(tc, pieces_are_the_wait);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
