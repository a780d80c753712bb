/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/core/trace.h"
#include "tests/unit/core/run.h"

static const char *const list_names[] = {
#define X(name, cls, doc) #name,
	SIM_REC_TYPES(X)
#undef X
};

START_TEST(test_names)
{
	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++) {
		ck_assert_uint_eq(strlen(sim_rec_name[i]), strlen(list_names[i]));
		for (unsigned c = 0; list_names[i][c]; c++)
			ck_assert_int_eq(sim_rec_name[i][c], tolower(list_names[i][c]));
	}
	ck_assert_str_eq(sim_rec_name[SIM_REC_SWITCH], "switch");
	ck_assert_str_eq(sim_rec_name[SIM_REC_PI_WAKE_TOP], "pi_wake_top");
	ck_assert_uint_eq(sim_rec_class_of[SIM_REC_GRANT], SIM_CLASS_LOCK);
	ck_assert_uint_eq(sim_rec_class_of[SIM_REC_LINE], SIM_CLASS_LINES);
}
END_TEST

static char seen[256];

static void see_a(void *user, const struct sim_rec *rec)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "a%s ", sim_rec_name[rec->type]);
	++*(unsigned *)user;
}

static void see_b(void *user, const struct sim_rec *rec)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "b%s ", sim_rec_name[rec->type]);
}

START_TEST(test_dispatch)
{
	static const enum sim_rec_type types[] = {SIM_REC_SWITCH, SIM_REC_GRANT, SIM_REC_LINE,
						  SIM_REC_ARRIVE};
	struct sim_trace t = {0};
	unsigned count = 0;

	sim_trace_subscribe(&t, SIM_CLASS_SCHED | SIM_CLASS_LOCK, see_a, &count);
	ck_assert_uint_eq(t.classes, SIM_CLASS_SCHED | SIM_CLASS_LOCK);
	sim_trace_subscribe(&t, SIM_CLASS_LOCK | SIM_CLASS_TASK, see_b, NULL);
	ck_assert_uint_eq(t.classes, SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK);
	for (unsigned i = 0; i < 4; i++)
		sim_trace_emit(&t, &(struct sim_rec){.type = types[i]});
	ck_assert_str_eq(seen, "aswitch agrant bgrant barrive ");
	ck_assert_uint_eq(count, 2);
	sim_trace_unsubscribe_all(&t);
	ck_assert_uint_eq(t.classes, 0);
	sim_trace_emit(&t, &(struct sim_rec){.type = SIM_REC_SWITCH});
	ck_assert_uint_eq(count, 2);
}
END_TEST

/* A function per type, a second listener for one of them, and the count that the trace keeps by itself. */
START_TEST(test_each_and_count)
{
	static const sim_take_fn each[SIM_REC_TYPE_COUNT] = {[SIM_REC_GRANT] = see_a, [SIM_REC_EXIT] = see_a};
	static const enum sim_rec_type types[] = {SIM_REC_GRANT, SIM_REC_UNLOCK, SIM_REC_EXIT, SIM_REC_LINE_SUM,
						  SIM_REC_LINE};
	struct sim_trace t = {0};
	unsigned count = 0;
	uint64_t digest = SIM_DIGEST_SEED;

	seen[0] = '\0';
	sim_trace_subscribe_each(&t, each, &count);
	ck_assert_uint_eq(t.types, UINT64_C(1) << SIM_REC_GRANT | UINT64_C(1) << SIM_REC_EXIT);
	sim_trace_subscribe(&t, SIM_CLASS_TASK, see_b, NULL);
	sim_trace_count(&t);
	for (unsigned i = 0; i < 5; i++) {
		struct sim_rec rec = {.time = i, .type = types[i], .cpu = 7, .task = i + 1, .obj = 9, .arg = 3, .val = 5};

		sim_trace_emit(&t, &rec);
		digest = sim_digest_add(digest, &rec);
	}
	ck_assert_str_eq(seen, "agrant aexit bexit ");
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(t.count, 3); /* sums and lines are not part of digests */
	ck_assert_uint_eq(t.digest, digest);
	ck_assert_uint_eq(t.types >> SIM_REC_LINE & 1, 0);
	ck_assert_uint_eq(t.types >> SIM_REC_SWITCH & 1, 1);
}
END_TEST

static struct sim_rec got;

static void keep(void *user, const struct sim_rec *rec)
{
	got = *rec;
}

/* What goes in as four words comes out as fields, each at its widest. */
START_TEST(test_words_are_fields)
{
	struct sim_trace t = {0};
	struct sim_rec rec = {UINT64_MAX - 1, SIM_REC_GRANT, 4095, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2, UINT64_MAX - 3};

	sim_trace_subscribe(&t, SIM_CLASS_LOCK, keep, NULL);
	sim_trace_put(&t, rec.time, sim_rec_who(&rec), sim_rec_what(&rec), rec.val);
	ck_assert_uint_eq(got.time, rec.time);
	ck_assert_uint_eq(got.type, rec.type);
	ck_assert_uint_eq(got.cpu, rec.cpu);
	ck_assert_uint_eq(got.task, rec.task);
	ck_assert_uint_eq(got.obj, rec.obj);
	ck_assert_uint_eq(got.arg, rec.arg);
	ck_assert_uint_eq(got.val, rec.val);
}
END_TEST

START_TEST(test_too_many_subscribers_abort)
{
	struct sim_trace t = {0};

	for (unsigned i = 0; i <= SIM_TRACE_SUBS; i++)
		sim_trace_subscribe(&t, SIM_CLASS_SCHED, see_b, NULL);
}
END_TEST

/* Of the classes that digests are over: schedule and locks. */
static struct sim_rec sample(unsigned i)
{
	return (struct sim_rec){
		.time = sim_draw(1, i, 0),
		.type = (uint16_t)(sim_draw(1, i, 1) % SIM_REC_ARRIVE),
		.cpu = (uint16_t)sim_draw(1, i, 2),
		.task = (uint32_t)sim_draw(1, i, 3),
		.obj = (uint32_t)sim_draw(1, i, 4),
		.arg = (uint32_t)sim_draw(1, i, 5),
		.val = sim_draw(1, i, 6),
	};
}

/* Golden. Types are named, since a new type may move the numbers of others. */
START_TEST(test_digest_is_stable)
{
	static const struct sim_rec recs[] = {
		{.time = 0, .type = SIM_REC_SWITCH, .task = 1, .val = 99},
		{.time = 12500000,
		 .type = SIM_REC_WAKEUP,
		 .cpu = 3,
		 .task = 2,
		 .obj = 1,
		 .arg = 65535,
		 .val = 0},
		{.time = UINT64_MAX - 1,
		 .type = SIM_REC_PRIO,
		 .cpu = 4095,
		 .task = UINT32_MAX,
		 .val = UINT64_MAX},
	};
	uint64_t digest = SIM_DIGEST_SEED;

	for (unsigned i = 0; i < 3; i++)
		digest = sim_digest_add(digest, &recs[i]);
	ck_assert_uint_eq(digest, UINT64_C(18339271988620856781));
}
END_TEST

static bool digest_differs(const struct sim_rec *a, struct sim_rec b)
{
	return sim_digest_add(SIM_DIGEST_SEED, a) != sim_digest_add(SIM_DIGEST_SEED, &b);
}

/* Does each single bit of each field matter? */
static bool every_bit_matters(const struct sim_rec *a)
{
	struct sim_rec c = *a;
	bool matters = true;

	c.type = (uint16_t)((a->type + 1) % SIM_REC_ARRIVE);
	matters &= digest_differs(a, c);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t flip = UINT64_C(1) << bit;

		c = *a, c.time ^= flip, matters &= digest_differs(a, c);
		c = *a, c.val ^= flip, matters &= digest_differs(a, c);
		if (bit >= 32)
			continue;
		c = *a, c.task ^= (uint32_t)flip, matters &= digest_differs(a, c);
		c = *a, c.obj ^= (uint32_t)flip, matters &= digest_differs(a, c);
		c = *a, c.arg ^= (uint32_t)flip, matters &= digest_differs(a, c);
		if (bit < 16)
			c = *a, c.cpu ^= (uint16_t)flip, matters &= digest_differs(a, c);
	}
	return matters;
}

START_TEST(test_digest_sees_every_field_and_the_order)
{
	for (unsigned i = 0; i < 1000; i++) {
		struct sim_rec a = sample(i), b = sample(i + 1);
		uint64_t of_a = sim_digest_add(SIM_DIGEST_SEED, &a),
			 of_b = sim_digest_add(SIM_DIGEST_SEED, &b);

		ck_assert_uint_ne(sim_digest_add(of_a, &b), sim_digest_add(of_b, &a));
		ck_assert_msg(every_bit_matters(&a), "sample %u", i);
	}
}
END_TEST

START_TEST(test_digest_skips_lines)
{
	static const enum sim_rec_type types[] = {SIM_REC_LINE_SUM, SIM_REC_LINE, SIM_REC_ACCESS};

	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(sim_digest_add(77, &(struct sim_rec){.type = types[i], .val = 5}), 77);
}
END_TEST

static const char *const tasks[] = {"meteo", "worker[3]"};
static const char *const locks[] = {"mm", "bus"};
static const char *const strings[] = {"half time", "left"};
static const char *const mm_events[] = {"rwsem_rlock_steal", "rwsem_wlock_handoff", NULL};
static const char *const *const events[] = {mm_events, NULL};
static const struct sim_names names = {
	.ncpus = 4,
	.ntasks = 2,
	.nlocks = 2,
	.nstrings = 2,
	.nmarks = 1,
	.task = tasks,
	.lock = locks,
	.string = strings,
	.lock_events = events,
};

#define US12 (12500 * SIM_NS)

static const struct {
	struct sim_rec rec;
	const char *text;
} prints[] = {
	{{US12, SIM_REC_GRANT, 3, 2, 1, 0, 0}, "12.5us cpu3 grant worker[3] mm write"},
	{{US12, SIM_REC_GRANT, 3, 2, 1, 1, 1}, "12.5us cpu3 grant worker[3] mm read waited"},
	{{0, SIM_REC_SWITCH, 0, 1, 2, SIM_STATE_PREEMPTED, 100},
	 "0 cpu0 switch meteo from worker[3] R+ prio 99"},
	{{0, SIM_REC_SWITCH, 0, 0, 2, SIM_STATE_BLOCKED, 0}, "0 cpu0 switch idle from worker[3] D"},
	{{0, SIM_REC_SWITCH, 0, 1, 0, SIM_STATE_EXITED, 0}, "0 cpu0 switch meteo from idle X prio -1"},
	{{0, SIM_REC_SWITCH, 0, 1, 0, 9, 1}, "0 cpu0 switch meteo from idle #9 prio 0"},
	{{1, SIM_REC_WAKEUP, 1, 1, 0, 2, 0}, "1ps cpu1 wakeup meteo by - on cpu2"},
	{{1, SIM_REC_PRIO, 1, 1, 2, 98, 17}, "1ps cpu1 prio meteo 97 -> 16 by worker[3]"},
	{{1, SIM_REC_PRIO, 1, 1, 0, 17, 0}, "1ps cpu1 prio meteo 16 -> -1 by -"},
	{{1, SIM_REC_SETSCHED, 1, 1, 0, 121, 50}, "1ps cpu1 setsched meteo normal 120 effective 49"},
	{{1, SIM_REC_MIGRATE, 1, 1, 0, 0, 3}, "1ps cpu1 migrate meteo cpu0 -> cpu3"},
	{{1, SIM_REC_RESCHED, 1, 1, 0, 2, 0}, "1ps cpu1 resched meteo on cpu2"},
	{{1, SIM_REC_IDLE_EXIT, 1, 0, 0, 2, 2000000}, "1ps cpu1 idle_exit depth 2 2us"},
	{{1, SIM_REC_IRQ, 1, 1, 0, SIM_IRQ_IPI, 900000}, "1ps cpu1 irq meteo ipi 900ns"},
	{{1, SIM_REC_SIGNAL, 1, 1, 0, 1, 0}, "1ps cpu1 signal meteo fatal"},
	{{1, SIM_REC_TIMER, 1, 1, 0, 1, 0}, "1ps cpu1 timer meteo timeout"},
	{{1, SIM_REC_TIMER, 1, 1, 0, 7, 0}, "1ps cpu1 timer meteo #7"},
	{{1, SIM_REC_THROTTLE, 1, 1, 0, 1, 0}, "1ps cpu1 throttle meteo begins"},
	{{1, SIM_REC_CALL, 1, 2, 1, 1 | 3 << 8, 12},
	 "1ps cpu1 call worker[3] mm read try interruptible statement 12"},
	{{1, SIM_REC_CALL, 1, 2, 1, 2 | 16 << 8, 0}, "1ps cpu1 call worker[3] mm #2 how 0x10 statement 0"},
	{{1, SIM_REC_FAIL, 1, 2, 1, 0, 110}, "1ps cpu1 fail worker[3] mm write -ETIMEDOUT"},
	{{1, SIM_REC_UNLOCK, 1, 2, 1, 0, 4}, "1ps cpu1 unlock worker[3] mm write statement 4"},
	{{1, SIM_REC_UNLOCKED, 1, 2, 1, 1, 0}, "1ps cpu1 unlocked worker[3] mm read"},
	{{1, SIM_REC_DOWNGRADE, 1, 2, 1, 0, 0}, "1ps cpu1 downgrade worker[3] mm"},
	{{1, SIM_REC_BLOCK, 1, 2, 1, 0, 0}, "1ps cpu1 block worker[3] mm sleeps"},
	{{1, SIM_REC_BLOCK, 1, 2, 1, 1, 0}, "1ps cpu1 block worker[3] mm runs"},
	{{1, SIM_REC_EVENT, 1, 2, 1, 1, 3}, "1ps cpu1 event worker[3] mm rwsem_wlock_handoff +3"},
	{{1, SIM_REC_EVENT, 1, 2, 1, 2, 1}, "1ps cpu1 event worker[3] mm #2 +1"},
	{{1, SIM_REC_EVENT, 1, 2, 2, 0, 1}, "1ps cpu1 event worker[3] bus #0 +1"},
	{{1, SIM_REC_CONTENTION, 1, 2, 1, 0, 2}, "1ps cpu1 contention worker[3] mm begin 2"},
	{{1, SIM_REC_PI_BLOCK, 1, 2, 2, 1, 18}, "1ps cpu1 pi_block worker[3] bus owner meteo prio 17"},
	{{1, SIM_REC_PI_REQUEUE, 1, 2, 2, 0, 18}, "1ps cpu1 pi_requeue worker[3] bus prio 17"},
	{{1, SIM_REC_PI_DEADLOCK, 1, 2, 2, 1, 0}, "1ps cpu1 pi_deadlock worker[3] bus waiter meteo"},
	{{1, SIM_REC_PI_STOP, 1, 2, 0, 4, 0}, "1ps cpu1 pi_stop worker[3] - no-pi-waiters"},
	{{1, SIM_REC_PI_STEAL, 1, 2, 2, 1, 0}, "1ps cpu1 pi_steal worker[3] bus from meteo"},
	{{1, SIM_REC_PI_WAKE_TOP, 1, 2, 2, 0, 0}, "1ps cpu1 pi_wake_top worker[3] bus by -"},
	{{1, SIM_REC_ARRIVE, 1, 9, 0, 0, 0}, "1ps cpu1 arrive #9"},
	{{1, SIM_REC_RUN, 1, 2, 0, 0, 5000}, "1ps cpu1 run worker[3] begins 5ns"},
	{{1, SIM_REC_RUN, 1, 2, 0, 1, 17}, "1ps cpu1 run worker[3] ends statement 17"},
	{{1, SIM_REC_DONE, 1, 2, 0, 0, 0}, "1ps cpu1 done worker[3] -"},
	{{1, SIM_REC_DONE, 1, 2, 1, 0, 0}, "1ps cpu1 done worker[3] left"},
	{{1, SIM_REC_DONE, 1, 2, 2, 0, 0}, "1ps cpu1 done worker[3] #2"},
	{{1, SIM_REC_MARK, 1, 2, 1, 0, 0}, "1ps cpu1 mark worker[3] half time"},
	{{1, SIM_REC_MARK, 1, 2, 2, 0, 0}, "1ps cpu1 mark worker[3] #2"},
	{{1, SIM_REC_JOB, 1, 2, 0, 1, SIM_MS}, "1ps cpu1 job worker[3] released 1ms overrun"},
	{{1, SIM_REC_RESULT, 1, 2, 1, 0, 4}, "1ps cpu1 result worker[3] mm -EINTR"},
	{{1, SIM_REC_RESULT, 1, 2, 1, 0, 0}, "1ps cpu1 result worker[3] mm ok"},
	{{1, SIM_REC_RESULT, 1, 2, 3, 0, 77}, "1ps cpu1 result worker[3] #3 -77"},
	{{1, SIM_REC_EXIT, 1, 2, 0, 1, 0}, "1ps cpu1 exit worker[3] holds 1"},
	{{1, SIM_REC_FINDING, 1, 0, 1, 3, 8}, "1ps cpu1 finding - mm kind 3 statement 8"},
	{{1, SIM_REC_LINE_SUM, 1, 0, 5, 2, 800}, "1ps cpu1 line_sum object #5 distance 2 800"},
	{{1, SIM_REC_LINE, 1, 2, 5, 2 | 1 << 8 | 3 << 16, 800},
	 "1ps cpu1 line worker[3] object #5 line 3 distance 2 op 1 800ps"},
	{{1, SIM_REC_ACCESS, 1, 2, 5, 2 | 1 << 8 | 3 << 16, 800},
	 "1ps cpu1 access worker[3] object #5 line 3 op 2 hit 1 800"},
	{{1, SIM_REC_STEP, 1, 2, 1, 2, 5000}, "1ps cpu1 step worker[3] sets #1 5ns"},
	{{1, 999, 1, 2, 5, 2, 800}, "1ps cpu1 #999"},
};

START_TEST(test_print)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	sim_rec_print(out, &prints[_i].rec, &names);
	fclose(out);
	ck_assert_str_eq(text, prints[_i].text);
	free(text);
}
END_TEST

/* Whatever a file contains can be printed. */
START_TEST(test_print_anything)
{
	static const struct sim_names none;
	FILE *out = fopen("/dev/null", "w");

	for (unsigned i = 0; i < 20000; i++) {
		struct sim_rec rec = sample(i);

		rec.type = (uint16_t)(i % (SIM_REC_TYPE_COUNT + 2));
		sim_rec_print(out, &rec, &none);
		rec.arg &= 0x3ff;
		rec.obj &= 3;
		sim_rec_print(out, &rec, &names);
	}
	ck_assert_int_eq(fclose(out), 0);
}
END_TEST

/* Every type has been printed above: a new one needs a pattern. */
START_TEST(test_every_type_is_printed)
{
	bool printed[SIM_REC_TYPE_COUNT] = {false};

	for (unsigned i = 0; i < sizeof(prints) / sizeof(prints[0]); i++)
		if (prints[i].rec.type < SIM_REC_TYPE_COUNT)
			printed[prints[i].rec.type] = true;
	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++)
		ck_assert_msg(printed[i], "no line for %s", sim_rec_name[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tc = tcase_create("dispatch"), *digest = tcase_create("digest"),
	      *print = tcase_create("print");

	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_dispatch);
	tcase_add_test(tc, test_each_and_count);
	tcase_add_test(tc, test_words_are_fields);
	tcase_add_test_raise_signal(tc, test_too_many_subscribers_abort, SIGABRT);
	tcase_add_test(digest, test_digest_is_stable);
	tcase_add_test(digest, test_digest_sees_every_field_and_the_order);
	tcase_add_test(digest, test_digest_skips_lines);
	tcase_add_loop_test(print, test_print, 0, sizeof(prints) / sizeof(prints[0]));
	tcase_add_test(print, test_print_anything);
	tcase_add_test(print, test_every_type_is_printed);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, digest);
	suite_add_tcase(suite, print);
	return run_suite(suite);
}
