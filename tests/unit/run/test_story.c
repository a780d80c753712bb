// SPDX-License-Identifier: GPL-2.0-or-later
/* Stories of waits: by hand from records, and over whole runs that must add up. */
#include <check.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/run/replay.h"
#include "sim/run/scene.h"
#include "sim/run/story.h"
#include "tests/unit/run/text_run.h"

#define MS(n) ((n) * (uint64_t)SIM_MS)
#define FIFO(p) (99 - (p))

static const char pathfinder[] =
	"machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\n"
	"lock l : %s\n"
	"task high fifo 6 { at 3ms lock l run 1ms unlock l }\n"
	"task mid  fifo 4 { at 4ms run 5ms }\n"
	"task low  fifo 1 { lock l run 6ms unlock l }\n"
	"run until done\n";

/* Runs @text with a story of everybody's waits; the caller clears and frees. */
static struct text_run *told(const char *text, struct story *s)
{
	struct run_options o = { .story = s };

	s->worst = 100000;
	return text_run(text, &o);
}

static struct text_run *told_with(const char *model, struct story *s)
{
	g_autofree char *text = g_strdup_printf(pathfinder, model);

	return told(text, s);
}

static void piece_is(const struct story_piece *p, sim_time from, sim_time to, enum run_piece piece)
{
	ck_assert_uint_eq(p->from, from);
	ck_assert_uint_eq(p->to, to);
	ck_assert_str_eq(run_piece_name[p->piece], run_piece_name[piece]);
}

/* high waits from 3 on: low runs 1, mid keeps it off for 5, low runs its last 2. */
START_TEST(inversion_is_told)
{
	struct story s = { 0 };
	struct text_run *t = told_with("mutex", &s);
	const struct story_wait *w;

	ck_assert_uint_eq(s.nwait, 1);
	w = s.wait[0];
	ck_assert_str_eq(s.task_name[w->task], "high");
	ck_assert_uint_eq(w->npiece, 3);
	piece_is(&w->piece[0], MS(3), MS(4), RUN_PIECE_holder);
	piece_is(&w->piece[1], MS(4), MS(9), RUN_PIECE_inversion);
	piece_is(&w->piece[2], MS(9), MS(11), RUN_PIECE_holder);
	ck_assert_uint_eq(w->piece[1].nlink, 2);
	ck_assert_str_eq(s.task_name[w->piece[1].link[1].task], "low");
	ck_assert_uint_eq(w->piece[1].nrunner, 1);
	ck_assert(w->piece[1].runner[0].culprit);
	ck_assert_str_eq(s.task_name[w->piece[1].runner[0].task], "mid");
	ck_assert_uint_eq(w->strangers, MS(5));
	ck_assert_uint_eq(w->bounded, MS(3));
	ck_assert_uint_eq(w->nboost, 0);
	ck_assert_uint_eq(s.nculprit, 1);
	ck_assert_uint_eq(s.culprit[0].total, MS(5));
	ck_assert_uint_eq(s.culprit[0].longest_at, MS(4));
	ck_assert_uint_eq(s.culprit[0].times, 1);
	ck_assert(s.inverted && s.inverted->from == MS(3));
	story_clear(&s);
	text_free(t);
}
END_TEST

/* With inheritance: only the section; the boost set in with the wait and ended with the section. */
START_TEST(boost_is_told)
{
	struct story s = { 0 };
	struct text_run *t = told_with("rtmutex", &s);
	const struct story_wait *w;

	ck_assert_uint_eq(s.nwait, 1);
	w = s.wait[0];
	ck_assert_uint_eq(w->npiece, 1);
	piece_is(&w->piece[0], MS(3), MS(6), RUN_PIECE_holder);
	ck_assert_int_eq(w->piece[0].link[1].prio, FIFO(6));
	ck_assert_int_eq(w->piece[0].link[1].normal, FIFO(1));
	ck_assert_uint_eq(w->bounded, MS(3));
	ck_assert_uint_eq(w->strangers, 0);
	ck_assert_uint_eq(w->nboost, 2);
	ck_assert_uint_eq(w->boost[0].at, MS(3));
	ck_assert_int_eq(w->boost[0].to, FIFO(6));
	ck_assert_str_eq(s.task_name[w->boost[0].donor], "high");
	ck_assert_uint_eq(w->boost[1].at, MS(6));
	ck_assert_int_eq(w->boost[1].to, FIFO(1));
	ck_assert_uint_eq(s.nculprit, 0);
	story_clear(&s);
	text_free(t);
}
END_TEST

/* A culprit that is itself in a section of another lock is no stranger. */
START_TEST(section_of_another_lock)
{
	struct story s = { 0 };
	struct text_run *t = told("machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\n"
				  "lock l : mutex\nlock k : mutex\n"
				  "task high fifo 6 { at 3ms lock l run 1ms unlock l }\n"
				  "task mid  fifo 4 { at 4ms lock k run 5ms unlock k }\n"
				  "task low  fifo 1 { lock l run 6ms unlock l }\n"
				  "run until done\n", &s);

	ck_assert_uint_eq(s.nwait, 1);
	ck_assert_uint_eq(s.wait[0]->sum[RUN_PIECE_inversion], MS(5));
	ck_assert_uint_eq(s.wait[0]->strangers, 0);
	ck_assert_str_eq(s.lock_name[s.wait[0]->piece[1].runner[0].holds], "k");
	story_clear(&s);
	text_free(t);
}
END_TEST

/* Two who wait for each other: the chain of each ends where it began. */
START_TEST(circle_closes)
{
	struct story s = { 0 };
	struct text_run *t = told("machine { sockets 1 cores 2 costs zero preempt full hz 1000 }\n"
				  "lock l : mutex\nlock k : mutex\n"
				  "task a fifo 1 cpu 0 { lock l run 2ms lock k }\n"
				  "task b fifo 1 cpu 1 { lock k run 3ms lock l }\n"
				  "run for 20ms\nexpect deadlock a b\n", &s);

	ck_assert_uint_eq(s.nwait, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct story_wait *w = s.wait[i];
		const struct story_piece *last = &w->piece[w->npiece - 1];

		ck_assert_int_eq(w->end, STORY_OPEN);
		ck_assert_uint_eq(last->nlink, 3);
		ck_assert_uint_eq(last->link[2].task, w->task);
		ck_assert_uint_ne(last->link[2].lock, STORY_NONE);
	}
	story_clear(&s);
	text_free(t);
}
END_TEST

START_TEST(only_what_was_asked)
{
	struct story s = { .only_task = "mid" };
	struct text_run *t = told_with("mutex", &s);

	ck_assert_uint_eq(s.nwait, 0);
	ck_assert_ptr_null(story_unknown(&s));
	story_clear(&s);
	text_free(t);
	s.only_task = "nobody";
	t = told_with("mutex", &s);
	ck_assert_str_eq(story_unknown(&s), "nobody");
	story_clear(&s);
	text_free(t);
}
END_TEST

/* -- whole runs ------------------------------------------------------------------------------------- */

/* Chains over two locks, sleeping and spinning, fixed and fair priorities, one CPU and several, real costs. */
static const char *const busy[] = {
	"machine westmere-ex-8s { sockets 1 cores 3 preempt full }\n"
	"lock l : rtmutex\nlock k : mutex\n"
	"task a[3] fifo 5 { loop 40 { lock l run exp(20us) lock k run exp(10us) unlock k unlock l run exp(60us) } }\n"
	"task b[2] fifo 3 { loop 40 { lock k run exp(30us) unlock k sleep exp(50us) } }\n"
	"task c[3] nice 0 { loop 40 { lock l run exp(40us) unlock l run exp(100us) } }\n"
	"task d fifo 4 { loop 60 { run exp(50us) sleep exp(40us) } }\n"
	"run until done\n",
	"machine uniform { sockets 1 cores 1 preempt full }\n"
	"lock l : rtmutex\nlock k : rtmutex\nlock r : rwsem\n"
	"task a[2] fifo 9 { loop 40 { sleep exp(90us) lock l run exp(9us) lock k run exp(9us) unlock k unlock l } }\n"
	"task b[2] fifo 6 { loop 40 { sleep exp(70us) write r run exp(9us) unlock r } }\n"
	"task c[2] fifo 2 { loop 40 { lock k run exp(20us) unlock k read r run exp(30us) unlock r } }\n"
	"task d[2] fifo 4 { loop 40 { run exp(30us) sleep exp(60us) } }\n"
	"run until done\n",
	"machine westmere-ex-8s { sockets 2 cores 2 preempt none }\n"
	"lock l : ticket\nlock m : rwsem\n"
	"task w[6] { loop 50 { write m run exp(3us) unlock m lock l run exp(1us) unlock l run exp(9us) } }\n"
	"task r[4] { loop 50 { read m run exp(5us) unlock m run exp(9us) } }\n"
	"run until done\n",
};

static void adds_up(const struct story_wait *w)
{
	sim_time sum[RUN_PIECE_COUNT] = { 0 }, at = w->from, all = 0;

	for (unsigned i = 0; i < w->npiece; i++) {
		const struct story_piece *p = &w->piece[i];

		ck_assert_uint_eq(p->from, at);
		ck_assert_uint_gt(p->to, p->from);
		ck_assert_uint_ge(p->nlink, 1);
		ck_assert_uint_eq(p->link[0].task, w->task);
		if (p->piece == RUN_PIECE_inversion)
			ck_assert(p->nrunner && p->runner[0].culprit);
		sum[p->piece] += p->to - p->from;
		at = p->to;
	}
	ck_assert_uint_eq(at, w->to);
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++) {
		ck_assert_uint_eq(sum[i], w->sum[i]);
		all += sum[i];
	}
	ck_assert_uint_eq(all, w->to - w->from);
	ck_assert_uint_le(w->strangers, w->sum[RUN_PIECE_inversion]);
}

START_TEST(pieces_add_up)
{
	struct story s = { 0 };
	struct text_run *t = told(busy[_i], &s);
	sim_time inverted = 0, blamed = 0, waited = 0, of_tasks = 0;

	ck_assert_uint_gt(s.nwait, 20);
	ck_assert_uint_eq(s.waits, s.nwait);
	for (unsigned i = 0; i < s.nwait; i++) {
		adds_up(s.wait[i]);
		inverted += s.wait[i]->sum[RUN_PIECE_inversion];
		waited += s.wait[i]->to - s.wait[i]->from;
		ck_assert(!i || s.wait[i - 1]->to - s.wait[i - 1]->from >= s.wait[i]->to - s.wait[i]->from);
	}
	for (unsigned i = 0; i < s.nculprit; i++)
		blamed += s.culprit[i].total;
	for (unsigned i = 0; i < t->result->ntask; i++)
		of_tasks += t->result->task[i].wait.sum;
	ck_assert_uint_eq(blamed, inverted);
	ck_assert_uint_eq(waited, of_tasks);
	ck_assert_uint_eq(waited, s.waited);
	ck_assert(_i == 2 || inverted > 0);
	story_clear(&s);
	text_free(t);
}
END_TEST

/* -- a trace file in place of the run ---------------------------------------------------------------- */

static void same_wait(const struct story_wait *a, const struct story_wait *b)
{
	ck_assert_uint_eq(a->task, b->task);
	ck_assert_uint_eq(a->from, b->from);
	ck_assert_uint_eq(a->to, b->to);
	ck_assert_uint_eq(a->npiece, b->npiece);
	ck_assert_uint_eq(a->nboost, b->nboost);
	for (unsigned i = 0; i < a->npiece; i++) {
		ck_assert_int_eq(a->piece[i].piece, b->piece[i].piece);
		ck_assert_uint_eq(a->piece[i].nlink, b->piece[i].nlink);
		ck_assert_uint_eq(a->piece[i].nrunner, b->piece[i].nrunner);
	}
}

START_TEST(trace_tells_the_same)
{
	g_autofree char *dir = g_dir_make_tmp("story-XXXXXX", NULL), *path = g_build_filename(dir, "trace", NULL);
	struct story run = { .worst = 100000 }, file = { .worst = 100000 };
	struct run_options o = { .story = &run, .trace_path = path }, again = { .story = &file };
	struct text_run *t = text_run(busy[_i], &o);
	struct run_result *r;
	char *error = NULL;

	ck_assert_int_eq(replay_is_trace(path), 1);
	r = run_replay(path, &again, &error);
	ck_assert_msg(r != NULL, "%s", error);
	ck_assert_uint_eq(r->digest, t->result->digest);
	ck_assert_uint_eq(run.nwait, file.nwait);
	for (unsigned i = 0; i < run.nwait; i++)
		same_wait(run.wait[i], file.wait[i]);
	run_result_free(r);
	story_clear(&run);
	story_clear(&file);
	text_free(t);
	g_remove(path);
	g_rmdir(dir);
}
END_TEST

/* A whole file whose records make no sense is refused, not believed. */
START_TEST(trace_with_nonsense)
{
	static const char *const task[] = { "a" }, *const lock[] = { "l" }, *const model[] = { "mutex" };
	static const struct sim_rec bad[] = {
		{ 5, SIM_REC_GRANT, 0, 1, 1, 0, 0 },  { 5, SIM_REC_UNLOCKED, 0, 1, 1, 0, 0 }, { 5, SIM_REC_CALL, 0, 2, 1, 0, 0 },
		{ 5, SIM_REC_CALL, 0, 1, 2, 0, 0 },   { 5, SIM_REC_SWITCH, 9, 1, 0, 0, 0 },   { 5, SIM_REC_CALL, 0, 1, 1, 7, 0 },
		{ 5, SIM_REC_MIGRATE, 0, 0, 0, 0, 0 }, { 5, SIM_REC_SWITCH, 0, 0, 1, 99, 0 },
	};
	struct sim_names names = { .ncpus = 1, .ntasks = 1, .nlocks = 1, .task = task, .lock = lock, .lock_model = model };
	g_autofree char *dir = g_dir_make_tmp("story-XXXXXX", NULL), *path = g_build_filename(dir, "trace", NULL);
	struct run_options o = { .pieces = true };
	g_autofree char *error = NULL;
	struct sim_trace_writer *w = sim_trace_writer_open(path, &names);

	sim_trace_writer_take(w, &bad[_i]);
	ck_assert_int_eq(sim_trace_writer_close(w), 0);
	ck_assert_ptr_null(run_replay(path, &o, &error));
	ck_assert_ptr_nonnull(strstr(error, "contradicts"));
	g_remove(path);
	g_rmdir(dir);
}
END_TEST

/* -- scenes ------------------------------------------------------------------------------------------ */

START_TEST(scenes_are_taken)
{
	static const sim_time at[] = { MS(2), MS(3), MS(5), MS(11), MS(11) };
	g_autoptr(GPtrArray) scenes = g_ptr_array_new();
	struct scene_ask ask = { at, G_N_ELEMENTS(at), scenes };
	struct run_options o = { .scene = &ask, .pieces = true };
	g_autofree char *text = g_strdup_printf(pathfinder, "mutex");
	struct text_run *t = text_run(text, &o), *plain = text_run(text, NULL);
	const struct scene *s;

	ck_assert_uint_eq(t->result->digest, plain->result->digest);
	ck_assert_uint_eq(scenes->len, G_N_ELEMENTS(at));
	s = scenes->pdata[0];
	ck_assert_uint_eq(s->lock[0].nowner, 1);
	ck_assert_str_eq(s->task[s->lock[0].owner[0].task].name, "low");
	ck_assert_uint_eq(s->lock[0].nwaiter, 0);
	s = scenes->pdata[1]; /* after all that happened at 3ms */
	ck_assert_uint_eq(s->lock[0].nwaiter, 1);
	ck_assert_str_eq(s->lock[0].flags, "WAITERS");
	ck_assert_int_eq(s->task[0].piece, RUN_PIECE_holder);
	s = scenes->pdata[2];
	ck_assert_int_eq(s->task[0].piece, RUN_PIECE_inversion);
	ck_assert_uint_eq(s->nrival, 1);
	ck_assert_str_eq(s->task[s->rival[0].runner].name, "mid");
	s = scenes->pdata[4];
	ck_assert_str_eq(s->task[s->lock[0].owner[0].task].name, "high");
	ck_assert_uint_eq(s->task[0].lock, STORY_NONE);
	for (guint i = 0; i < scenes->len; i++)
		scene_free(scenes->pdata[i]);
	text_free(plain);
	text_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("story");
	TCase *tc = tcase_create("story");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, inversion_is_told);
	tcase_add_test(tc, boost_is_told);
	tcase_add_test(tc, section_of_another_lock);
	tcase_add_test(tc, circle_closes);
	tcase_add_test(tc, only_what_was_asked);
	tcase_add_loop_test(tc, pieces_add_up, 0, (int)G_N_ELEMENTS(busy));
	tcase_add_loop_test(tc, trace_tells_the_same, 0, (int)G_N_ELEMENTS(busy));
	tcase_add_loop_test(tc, trace_with_nonsense, 0, 8);
	tcase_add_test(tc, scenes_are_taken);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
