/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parser makes of every statement, declaration and expectation. */
#include <errno.h>
#include <string.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

static const struct scn_stmt *nth(const struct scn_stmt *s, unsigned n)
{
	while (n-- && s)
		s = s->next;
	ck_assert_ptr_nonnull(s);
	return s;
}

START_TEST(pathfinder)
{
	struct scenario *scn = fake_good(
		"scenario \"pathfinder\"\norigin \"published\"\n"
		"machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\nparam meteo_hold = 23ms\n"
		"lock bus : rtmutex\n"
		"task meteo fifo 1 { at 0ms loop { lock bus run meteo_hold unlock bus sleep 2s } }\n"
		"task camera fifo 3 { at 5ms loop { run 10ms period 100ms } }\n"
		"task distribution fifo 6 { at 2ms loop { lock bus run 10ms unlock bus period 50ms } }\n"
		"run for 500ms\nexpect no deadlock\nexpect wait distribution bus max <= 33ms\n"
		"compare bus : mutex { expect inversion distribution >= 10ms }\n");
	const struct scn_stmt *loop = nth(scn->task[0].body, 1);
	const struct scn_expect *x = &scn->expect[1];

	ck_assert_str_eq(scn->name, "pathfinder");
	ck_assert_str_eq(scn->origin, "published");
	ck_assert_uint_eq(scn->ntask, 3);
	ck_assert_uint_eq(scn->machine.nset, 5);
	ck_assert_str_eq(scn->machine.set[3].name, "preempt");
	ck_assert_str_eq(scn->machine.set[3].word, "full");
	ck_assert_uint_eq(scn->machine.set[3].value->value, 2);
	ck_assert_int_eq(scn->task[2].sched.policy, SCN_POLICY_FIFO);
	ck_assert_uint_eq(scn_constant(scn, scn->task[2].sched.priority), 6);
	ck_assert_int_eq(loop->kind, SCN_LOOP);
	ck_assert_ptr_null(loop->arg);
	ck_assert_int_eq(loop->body->kind, SCN_ACQUIRE);
	ck_assert_uint_eq(loop->body->target.object, 0);
	ck_assert_uint_eq(nth(loop->body, 1)->arg->value, 23 * SIM_MS);
	ck_assert_uint_eq(scn_constant(scn, scn->run_for), 500 * SIM_MS);
	ck_assert_int_eq(x->kind, SCN_EXPECT_WAIT);
	ck_assert_uint_eq(x->task.task, 2);
	ck_assert_int_eq(x->task.instance, -1);
	ck_assert_int_eq(x->stat, SCN_STAT_MAX);
	ck_assert_int_eq(x->rel, SCN_LE);
	ck_assert_uint_eq(x->value->value, 33 * SIM_MS);
	ck_assert_str_eq(x->source, "wait distribution bus max <= 33ms");
	ck_assert_uint_eq(scn->ncompare, 1);
	ck_assert_str_eq(scn->compare[0].model, "mutex");
	ck_assert_int_eq(scn->compare[0].expect[0].kind, SCN_EXPECT_INVERSION);
	ck_assert_uint_eq(scn->compare[0].expect[0].task.task, 2);
	ck_assert(!scn->expects_findings);
	scenario_free(scn);
}
END_TEST

/* The kind of the only statement "@text" of a task. */
static const struct scn_stmt *statement(struct scenario **scn, const char *text)
{
	g_autofree char *all = fake_task(text);

	*scn = fake_good(all);
	ck_assert_str_eq((*scn)->task[0].name, "t");
	return (*scn)->task[0].body;
}

START_TEST(statements)
{
	static const struct {
		const char *text;
		enum scn_stmt_kind kind;
	} table[] = {
		{ "run 5us", SCN_RUN },
		{ "sleep 5us", SCN_SLEEP },
		{ "at 5us", SCN_AT },
		{ "period 5us", SCN_PERIOD },
		{ "lock m unlock m", SCN_ACQUIRE },
		{ "read r downgrade r unlock r", SCN_ACQUIRE },
		{ "hold m { run 1us }", SCN_HOLD },
		{ "loop { run 1us }", SCN_LOOP },
		{ "until 3ms { run 1us }", SCN_UNTIL },
		{ "choose { 1: { run 1us } 2: { } }", SCN_CHOOSE },
		{ "signal t[1]", SCN_SIGNAL },
		{ "kill other", SCN_KILL },
		{ "set other fifo 50", SCN_SET },
		{ "wait c", SCN_WAIT },
		{ "wake c", SCN_WAKE },
		{ "wakeall c", SCN_WAKEALL },
		{ "post sem", SCN_POST },
		{ "take sem", SCN_TAKE },
		{ "meet b", SCN_MEET },
		{ "preempt off { run 1us }", SCN_PREEMPT_OFF },
		{ "irq off { run 1us }", SCN_IRQ_OFF },
		{ "kernel { run 1us }", SCN_KERNEL },
		{ "fault { run 1us }", SCN_FAULT },
		{ "yield", SCN_YIELD },
		{ "exit", SCN_EXIT },
		{ "mark \"here\"", SCN_MARK },
		{ "done", SCN_DONE },
		{ "resched", SCN_RESCHED },
		{ "touch r", SCN_TOUCH },
		{ "shootdown", SCN_SHOOTDOWN },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++) {
		struct scenario *scn;

		ck_assert_int_eq(statement(&scn, table[i].text)->kind, table[i].kind);
		scenario_free(scn);
	}
}
END_TEST

START_TEST(acquisitions)
{
	struct scenario *scn;
	const struct scn_stmt *s = statement(&scn, "write r killable else { run 1us } unlock r "
						   "lock pi timeout 5ms interruptible else { exit } unlock pi "
						   "reading r try { run 2us } else { } hold arr[$i] { run 1us }");

	ck_assert_int_eq(s->mode, SCN_MODE_WRITE);
	ck_assert(s->killable && s->has_else && !s->try);
	ck_assert_int_eq(s->orelse->kind, SCN_RUN);
	s = nth(s, 2);
	ck_assert_uint_eq(s->timeout->value, 5 * SIM_MS);
	ck_assert(s->interruptible);
	s = nth(s, 2);
	ck_assert_int_eq(s->kind, SCN_HOLD);
	ck_assert_int_eq(s->mode, SCN_MODE_READ);
	ck_assert(s->try && s->has_else && !s->orelse);
	ck_assert_int_eq(s->body->kind, SCN_RUN);
	s = s->next;
	ck_assert_int_eq(s->target.index->kind, SCN_INSTANCE);
	ck_assert_uint_eq(s->target.object, 3);
	scenario_free(scn);
}
END_TEST

START_TEST(branches)
{
	struct scenario *scn;
	const struct scn_stmt *s = statement(&scn, "loop 5 { choose { decay($K, 1000): { run 1us } else: { run 2us } } "
						   "choose { 90%: { break } 10%: { run $k * 1us } } }");
	const struct scn_branch *b = s->body->branch;

	ck_assert_uint_eq(s->arg->value, 5);
	ck_assert_uint_eq(s->body->nbranch, 2);
	ck_assert(b[0].decay && !b[0].otherwise);
	ck_assert_int_eq(b[0].decay_k->kind, SCN_DONES);
	ck_assert_uint_eq(b[0].decay_n->value, 1000);
	ck_assert(b[1].otherwise);
	b = s->body->next->branch;
	ck_assert_uint_eq(b[0].weight->value, 900000);
	ck_assert_int_eq(b[0].body->kind, SCN_BREAK);
	scenario_free(scn);
}
END_TEST

START_TEST(headers)
{
	struct scenario *scn = fake_good("machine westmere-ex-8s { smt_share 60% rt_runtime 950ms cost ipi 900ns rawspin ticket }\n"
					 "task a[160] nice -5 cpus 0-79 spread { run 1us }\n"
					 "task b rr 3 cpu 5 pin { run 1us }\n"
					 "task c[4] cpus 0, 8-10, $i pack group db { run 1us }\n"
					 "task d deadline 1ms 10ms socket 7 { run 1us }\n"
					 "task e deadline 1ms 10ms 5ms { run 1us }\n"
					 "interrupt net cpu 3 every exp(1ms) from 2ms { run 2us }\n"
					 "run for 10ms warmup 1ms seed 42\n");
	const struct scn_task *t = scn->task;

	ck_assert_uint_eq(t[0].count, 160);
	ck_assert(t[0].sched.neg && t[0].place == SCN_PLACE_SPREAD);
	ck_assert_uint_eq(t[0].cpus[0].hi->value, 79);
	ck_assert(t[1].pin && t[1].sched.policy == SCN_POLICY_RR && !t[1].indexed);
	ck_assert_uint_eq(t[2].ncpus, 3);
	ck_assert_ptr_null(t[2].cpus[0].hi);
	ck_assert_uint_eq(t[2].cpus[1].hi->value, 10);
	ck_assert_str_eq(t[2].group, "db");
	ck_assert_uint_eq(t[3].socket->value, 7);
	ck_assert_ptr_null(t[3].sched.deadline);
	ck_assert_uint_eq(t[4].sched.deadline->value, 5 * SIM_MS);
	ck_assert_int_eq(scn->irq[0].every->kind, SCN_EXP);
	ck_assert_uint_eq(scn->irq[0].from->value, 2 * SIM_MS);
	ck_assert_uint_eq(scn->seed, 42);
	ck_assert_uint_eq(scn->warmup->value, SIM_MS);
	ck_assert_str_eq(scn->machine.set[2].cost, "ipi");
	ck_assert_str_eq(scn->machine.set[3].word, "ticket");
	scenario_free(scn);
}
END_TEST

START_TEST(objects)
{
	struct scenario *scn = fake_good("param k = 2\nlock a[k] : rwsem-3.12 { handoff 4ms data 4 lines batch 16 }\n"
					 "lock b : rtmutex { deadlock on }\ncompletion c\nsemaphore s = k + 1\nbarrier meetup k\n"
					 "task t[2] { run 1us meet meetup }\nrun until done limit 1s");

	ck_assert_uint_eq(scn->lock[0].count, 2);
	ck_assert_uint_eq(scn->lock[0].data_lines, 4);
	ck_assert_uint_eq(scn->lock[0].nset, 2);
	ck_assert_uint_eq(scn->lock[0].set[0].value->value, 4 * SIM_MS);
	ck_assert_str_eq(scn->lock[1].set[0].word, "on");
	ck_assert_uint_eq(scn->lock[1].set[0].value->value, 1);
	ck_assert_int_eq(scn->lock[2].kind, SCN_COMPLETION);
	ck_assert_uint_eq(scn_constant(scn, scn->lock[3].value), 3);
	ck_assert_int_eq(scn->lock[4].kind, SCN_BARRIER);
	ck_assert(scn->until_done);
	ck_assert_uint_eq(scn->limit->value, SIM_S);
	scenario_free(scn);
}
END_TEST

static struct scenario *expecting(const char *expectation)
{
	g_autofree char *text = g_strdup_printf("lock m[3] : rwsem lock n : rtmutex\n"
						"task a[3] { loop { read m[$i] run 1us unlock m[$i] done } }\n"
						"task b fifo 3 { run 1us lock n run 1us unlock n done reads sleep 1us }\n"
						"run for 10ms\nexpect %s\n",
						expectation);

	return fake_good(text);
}

START_TEST(expectations)
{
	static const struct {
		const char *text;
		enum scn_expect_kind kind;
	} table[] = {
		{ "no deadlock", SCN_EXPECT_NO_DEADLOCK },
		{ "no finding", SCN_EXPECT_NO_FINDING },
		{ "deadlock a[0] b", SCN_EXPECT_DEADLOCK },
		{ "wait a m p99 < 10us", SCN_EXPECT_WAIT },
		{ "grants m[1] = a[1] b a[2]", SCN_EXPECT_GRANTS },
		{ "prio b at 5ms = fifo 82", SCN_EXPECT_PRIO },
		{ "prio a[0] at 5ms = nice -3", SCN_EXPECT_PRIO },
		{ "blocked a[2] from 1ms to 2ms", SCN_EXPECT_BLOCKED },
		{ "finish b <= 5ms", SCN_EXPECT_FINISH },
		{ "never b runs from 1ms to 2ms", SCN_EXPECT_NEVER_RUNS },
		{ "inversion b = 0ms", SCN_EXPECT_INVERSION },
		{ "done a >= 10", SCN_EXPECT_DONE },
		{ "done >= 10", SCN_EXPECT_DONE },
		{ "done reads = 1", SCN_EXPECT_DONE },
		{ "done b reads = 1", SCN_EXPECT_DONE },
		{ "fair a.done cv < 50%", SCN_EXPECT_FAIR },
		{ "count m read >= 5", SCN_EXPECT_COUNT },
		{ "count n = 1", SCN_EXPECT_COUNT },
		{ "event rwsem_rlock_steal m[0] >= 0", SCN_EXPECT_EVENT },
		{ "event rwsem_rlock_steal >= 0", SCN_EXPECT_EVENT },
		{ "result b = -ETIMEDOUT", SCN_EXPECT_RESULT },
		{ "result b = 0", SCN_EXPECT_RESULT },
		{ "finding exit-holding", SCN_EXPECT_FINDING },
		{ "throughput >= 1000/s", SCN_EXPECT_THROUGHPUT },
		{ "throughput >= 1000", SCN_EXPECT_THROUGHPUT },
		{ "busy cpus > 1.5", SCN_EXPECT_BUSY },
		{ "sleeps n = 0", SCN_EXPECT_SLEEPS },
		{ "sleeps a[1] != 3", SCN_EXPECT_SLEEPS },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++) {
		struct scenario *scn = expecting(table[i].text);

		ck_assert_int_eq(scn->expect[0].kind, table[i].kind);
		ck_assert_str_eq(scn->expect[0].source, table[i].text);
		scenario_free(scn);
	}
}
END_TEST

START_TEST(expectation_parts)
{
	struct scenario *scn = expecting("grants m[1] = a[1]   b # a comment\n a");
	const struct scn_expect *x = scn->expect;

	ck_assert_str_eq(x->source, "grants m[1] = a[1] b a");
	ck_assert_uint_eq(x->nwho, 3);
	ck_assert_uint_eq(x->who[1].task, 1);
	ck_assert_int_eq(x->who[0].instance, 1);
	ck_assert_int_eq(x->who[2].instance, -1);
	ck_assert_int_eq(x->lock_instance, 1);
	scenario_free(scn);
	scn = expecting("done b reads = 1");
	x = scn->expect;
	ck_assert(x->has_task && x->done_index == 1);
	ck_assert_str_eq(scn->done_name[1], "reads");
	scenario_free(scn);
	scn = expecting("done reads = 1");
	ck_assert(!scn->expect[0].has_task && scn->expect[0].done_index == 1);
	scenario_free(scn);
	scn = expecting("result b = -EDEADLK");
	ck_assert_int_eq(scn->expect[0].error, EDEADLK);
	scenario_free(scn);
	scn = expecting("busy cpus > 2");
	ck_assert_uint_eq(scn->expect[0].value->value, 2000000);
	scenario_free(scn);
	scn = expecting("deadlock");
	ck_assert(scn->expects_findings && !scn->expect[0].nwho);
	scenario_free(scn);
	scn = expecting("no deadlock compare n : mutex { handoff 1ms expect throughput ratio 1.2..1.6 expect finding deadlock }");
	ck_assert(!scn->expects_findings && scn->compare[0].expects_findings);
	ck_assert_uint_eq(scn->compare[0].expect[0].from->value, 1200000);
	ck_assert_uint_eq(scn->compare[0].nset, 1);
	scenario_free(scn);
}
END_TEST

START_TEST(strings)
{
	struct scenario *scn = fake_good("about \"first line\" \"second, with \xc3\xa9\"\n"
					 "task t { mark \"a\" run 1us mark \"b\" mark \"a\" done x done y done x done }\nrun for 1ms");
	const struct scn_stmt *s = scn->task[0].body;

	ck_assert_str_eq(scn->about, "first line\nsecond, with \xc3\xa9");
	ck_assert_uint_eq(scn->nstring, 3);
	ck_assert_uint_eq(s->text_index, 1);
	ck_assert_uint_eq(nth(s, 2)->text_index, 2);
	ck_assert_uint_eq(nth(s, 3)->text_index, 1);
	ck_assert_uint_eq(nth(s, 4)->text_index, 1);
	ck_assert_uint_eq(nth(s, 5)->text_index, 2);
	ck_assert_uint_eq(nth(s, 6)->text_index, 1);
	ck_assert_uint_eq(nth(s, 7)->text_index, 0);
	ck_assert_uint_eq(scn->ndone_name, 3);
	ck_assert_str_eq(scn->done_name[0], "");
	scenario_free(scn);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { pathfinder, statements, acquisitions, branches, headers,
				       objects,	   expectations, expectation_parts, strings };

	return run_tests("tree", tests, G_N_ELEMENTS(tests));
}
