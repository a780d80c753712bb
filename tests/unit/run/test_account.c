// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a wait went: each piece from a stream that must show it, and exact sums on random ones. */
#include "sim/core/prng.h"
#include "sim/machine/sched.h"
#include "tests/unit/run/watch_world.h"

#define US(n) ((n) * (uint64_t)SIM_US)
#define FIFO(p) (SIM_MAX_RT_PRIO - 1 - (p))

static void reset(unsigned ntask, unsigned nlock)
{
	world_reset(ntask, nlock);
	world_options.pieces = true;
}

static void prio(unsigned task, int p)
{
	world_shared[task].prio = world_shared[task].normal_prio = p;
}

/* The pieces of task @t, in us; names and values alternate, NULL ends. All others must be 0. */
static void pieces_are(unsigned t, ...)
{
	uint64_t want[RUN_PIECE_COUNT] = { 0 };
	va_list ap;
	int p;

	va_start(ap, t);
	while ((p = va_arg(ap, int)) >= 0)
		want[p] = US(va_arg(ap, unsigned));
	va_end(ap);
	for (p = 0; p < RUN_PIECE_COUNT; p++)
		ck_assert_msg(result.task[t].piece[p] == want[p], "%s: %" PRIu64 " us, not %" PRIu64, run_piece_name[p],
			      result.task[t].piece[p] / SIM_US, want[p] / SIM_US);
}

#define P(name) RUN_PIECE_##name
#define END_OF_PIECES (-1)

/* The holder runs 3, is preempted by a middle task 4, sleeps 5, runs 2; then 6 until the waiter has it. */
START_TEST(by_the_state_of_the_holder)
{
	reset(3, 1);
	prio(0, FIFO(1));
	prio(1, FIFO(50));
	prio(2, FIFO(20));
	world_allowed[0] = world_allowed[2] = 1;
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	at(10); call(1, 0, EX); sleeps(1, IDLE);
	at(13); runs(0, 2);
	at(17); runs(0, 0);
	sleeps(0, IDLE);
	at(22); wakes(0); runs(0, 0);
	at(24); unlock_begin(0, 0); wakes(1); unlock_end(0, 0);
	at(30); runs(1, 1); grant(1, 0);
	world_finish(40);
	pieces_are(1, P(holder), 5, P(inversion), 4, P(asleep), 5, P(hand_over), 6, END_OF_PIECES);
	ck_assert_uint_eq(result.lock[0].piece[P(inversion)], US(4));
	world_free();
}
END_TEST

/* A task as urgent as the waiter keeps the holder off: that is legitimate. So are fair tasks among themselves. */
START_TEST(preempted_by_higher)
{
	static const int cases[][3] = { /* holder, waiter, middle */
		{ FIFO(1), FIFO(50), FIFO(60) }, { FIFO(1), FIFO(50), FIFO(50) },
		{ 120, 120, 120 }, { 139, 100, 120 }, { 120, FIFO(50), SIM_DL_PRIO },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		reset(3, 1);
		for (unsigned t = 0; t < 3; t++)
			prio(t, cases[i][t]);
		world_allowed[0] = 1;
		world_start();
		runs(0, 0); runs(1, 1);
		take(0, 0, EX);
		call(1, 0, EX); sleeps(1, IDLE);
		at(5); runs(0, 2);
		at(9); runs(0, 0);
		at(10); unlock_begin(0, 0); wakes(1); unlock_end(0, 0);
		runs(1, 1); grant(1, 0);
		world_finish(10);
		pieces_are(1, P(holder), 6, P(preempted), 4, END_OF_PIECES);
		world_free();
	}
}
END_TEST

/* Between deadlines, the earlier is the more urgent. */
START_TEST(urgency_by_deadline)
{
	for (unsigned later = 0; later < 2; later++) {
		reset(3, 1);
		prio(1, SIM_DL_PRIO);
		prio(2, SIM_DL_PRIO);
		world_shared[1].dl_deadline = 100;
		world_shared[2].dl_deadline = later ? 200 : 50;
		world_allowed[0] = 1;
		world_start();
		runs(0, 0); runs(1, 1);
		take(0, 0, EX);
		call(1, 0, EX); sleeps(1, IDLE);
		runs(0, 2);
		at(9); runs(0, 0);
		world_finish(9);
		pieces_are(1, later ? P(inversion) : P(preempted), 9, END_OF_PIECES);
		world_free();
	}
}
END_TEST

/* An allowed CPU stands idle: nobody keeps the holder off, it is only not there yet. */
START_TEST(dispatch)
{
	reset(3, 1);
	prio(1, FIFO(50));
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	call(1, 0, EX); sleeps(1, IDLE);
	runs(0, 2);
	at(4); runs(2, 0);
	world_finish(4);
	pieces_are(1, P(dispatch), 4, END_OF_PIECES);
	world_free();
}
END_TEST

/* c waits for b, who waits for a: asleep first, spinning later. The end of the chain is a. */
START_TEST(chains_through_sleepers_and_spinners)
{
	reset(4, 2);
	prio(0, FIFO(1)); prio(1, FIFO(20)); prio(2, FIFO(50)); prio(3, FIFO(30));
	world_allowed[0] = 1;
	world_start();
	runs(0, 0); runs(1, 1); runs(2, 2);
	take(0, 0, EX);
	take(1, 1, EX);
	call(1, 0, EX); sleeps(1, IDLE);
	call(2, 1, EX); sleeps(2, IDLE);
	at(3); runs(0, 3); /* a is kept off by d, who is less urgent than c */
	at(5); runs(0, 0);
	at(7); wakes(1); runs(1, 1); /* b spins now */
	at(9); runs(0, 3);
	at(10); runs(0, 0);
	unlock(0, 0); runs(0, IDLE);
	grant(1, 0);
	at(12); unlock(1, 0);
	at(14); unlock_begin(1, 1); wakes(2); unlock_end(1, 1);
	at(15); runs(2, 2);
	at(16); grant(2, 1);
	world_finish(20);
	/* chain 3+2+2, inversion 2+1, then b runs 4, 1 asleep on a free lock, 1 running towards it */
	pieces_are(2, P(chain), 7, P(inversion), 3, P(holder), 4, P(hand_over), 1, P(self), 1, END_OF_PIECES);
	world_free();
}
END_TEST

/* A less urgent task on the chain itself is no inversion: it is what is waited for. */
START_TEST(the_chain_does_not_invert_itself)
{
	reset(2, 1);
	prio(0, FIFO(1)); prio(1, FIFO(50));
	world_allowed[0] = 1;
	world_start();
	runs(0, 0);
	take(0, 0, EX);
	at(1); runs(0, 1); call(1, 0, EX); /* spins on the holder's CPU */
	at(6);
	world_finish(6);
	pieces_are(1, P(preempted), 5, END_OF_PIECES);
	world_free();
}
END_TEST

/* Three readers own it: the piece is that of the one furthest from letting go. */
START_TEST(the_worst_of_several_owners)
{
	reset(5, 1);
	prio(3, FIFO(50));
	world_allowed[1] = 1;
	world_start();
	runs(0, 0); runs(1, 1); runs(2, 2); runs(3, 3);
	take(0, 0, SH); take(1, 0, SH); take(2, 0, SH);
	at(1); call(3, 0, EX); sleeps(3, IDLE);
	at(3); runs(0, IDLE); runs(1, IDLE); runs(0, 4); /* a and b are runnable; c runs. b may use cpu 0 only */
	at(5); sleeps(2, IDLE);
	at(9); wakes(2); runs(2, 2);
	world_finish(10);
	pieces_are(3, P(holder), 2, P(inversion), 3, P(asleep), 4, END_OF_PIECES);
	world_free();
}
END_TEST

START_TEST(interrupted)
{
	reset(2, 1);
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	call(1, 0, EX); sleeps(1, IDLE);
	at(5); rec(SIM_REC_IRQ, 0, 0, -1u, SIM_IRQ_DEVICE, US(3));
	world_finish(20);
	pieces_are(1, P(holder), 17, P(irq), 3, END_OF_PIECES);
	world_free();
}
END_TEST

START_TEST(throttled)
{
	reset(2, 1);
	prio(0, FIFO(1));
	world_allowed[0] = 1;
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	call(1, 0, EX); sleeps(1, IDLE);
	at(5); rec(SIM_REC_THROTTLE, 0, -1u, -1u, 1, 0); runs(0, IDLE);
	at(8); rec(SIM_REC_THROTTLE, 0, -1u, -1u, 0, 0); runs(0, 0);
	world_finish(20);
	pieces_are(1, P(holder), 17, P(throttled), 3, END_OF_PIECES);
	world_free();
}
END_TEST

/* Preempted while it spun for a free lock: its own affair. Woken and not yet running: the hand-over. */
START_TEST(self_and_hand_over)
{
	reset(3, 1);
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	call(1, 0, EX);
	at(2); unlock(0, 0);
	at(3); runs(1, 2);
	at(7); runs(1, 1);
	at(8); grant(1, 0);
	world_finish(20);
	pieces_are(1, P(holder), 2, P(self), 6, END_OF_PIECES);
	world_free();
}
END_TEST

/* A wait that is still open counts up to the end; one that ended in the warm-up does not. */
START_TEST(the_window)
{
	reset(2, 1);
	world.from = US(10);
	world_start();
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	at(1); call(1, 0, EX);
	at(5); unlock(0, 0); grant(1, 0);
	at(6); unlock(1, 0);
	take(0, 0, EX);
	at(8); call(1, 0, EX);
	world_finish(20);
	pieces_are(1, P(holder), 12, END_OF_PIECES);
	world_free();
}
END_TEST

/* Accounting is off unless asked for, and then only for the tasks that are asked about. */
START_TEST(only_who_is_asked_about)
{
	static struct scn_expr zero = { .kind = SCN_LITERAL, .unit = SCN_TIME };
	static const struct scn_expect expect = { .kind = SCN_EXPECT_INVERSION, .has_task = true,
						  .task = { .task = 2, .instance = -1 }, .rel = SCN_EQ, .value = &zero,
						  .source = "inversion c = 0ms" };

	for (unsigned asked = 0; asked < 2; asked++) {
		reset(3, 1);
		world_options.pieces = false;
		world_scn.expect = (struct scn_expect *)&expect;
		world_scn.nexpect = asked;
		world_start();
		runs(0, 0); runs(1, 1); runs(2, 2);
		take(0, 0, EX);
		call(1, 0, EX);
		call(2, 0, EX);
		world_finish(10);
		ck_assert(result.accounted == asked);
		pieces_are(1, END_OF_PIECES);
		if (asked)
			pieces_are(2, P(holder), 10, END_OF_PIECES);
		else
			pieces_are(2, END_OF_PIECES);
		world_free();
	}
}
END_TEST

/* -- random streams ----------------------------------------------------------------------------------------- */

static uint64_t seed, step;

static unsigned dice(unsigned n)
{
	return (unsigned)(sim_draw(seed, step++, 0) % n);
}

/* One legal step of task @t, which runs on cpu @c. */
static void random_step(unsigned c, unsigned t)
{
	struct watch_task *x = &watch->task[t];
	unsigned lock = dice(WORLD_LOCKS);

	if (x->op == WATCH_OP_LOCK) {
		struct watch_lock *l = &watch->lock[x->op_lock];

		if (!l->nexcl && (x->op_mode == SH || !l->nshared))
			grant(t, x->op_lock);
		else if (dice(2))
			sleeps(c, IDLE);
		else if (!dice(8))
			fails(t, x->op_lock, 110);
	} else if (x->holds && dice(2)) {
		unlock(t, x->holds->lock);
	} else if (dice(2)) {
		call(t, lock, dice(3) ? EX : SH);
	} else if (dice(4)) {
		sleeps(c, IDLE);
	}
}

static void random_stream(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		unsigned c = dice(WORLD_CPUS), t = dice(WORLD_TASKS);
		uint32_t curr = watch->cpu[c].curr;

		at(world_now / SIM_US + dice(3));
		if (watch->task[t].state == WATCH_ASLEEP)
			wakes(t);
		else if (watch->task[t].state == WATCH_READY)
			runs(c, (int)t);
		else if (!dice(20))
			rec(SIM_REC_IRQ, c, curr == WATCH_NONE ? -1u : curr, -1u, SIM_IRQ_TICK, US(dice(4)));
		else if (curr != WATCH_NONE)
			random_step(c, curr);
	}
}

START_TEST(pieces_sum_exactly)
{
	uint64_t kinds[RUN_PIECE_COUNT] = { 0 };

	for (seed = 1; seed <= 60; seed++) {
		uint64_t by_task = 0, by_lock = 0;

		step = 0;
		reset(WORLD_TASKS, WORLD_LOCKS);
		/* deadlocks come and go in these streams: they are findings, and are let pass */
		for (unsigned t = 0; t < WORLD_TASKS; t++) {
			prio(t, t % 3 ? FIFO(t) : 120);
			world_allowed[t] = t % 2 ? 3 : 15;
		}
		world_start();
		watch->expects_findings = true;
		random_stream(3000);
		world_finish(world_now / SIM_US + 1);
		for (unsigned t = 0; t < WORLD_TASKS; t++) {
			const struct watch_task *x = &watch->task[t];
			uint64_t sum = 0, open = x->op_waits ? result.until - x->op_since : 0;

			for (unsigned p = 0; p < RUN_PIECE_COUNT; p++) {
				sum += result.task[t].piece[p];
				kinds[p] += result.task[t].piece[p];
			}
			ck_assert_uint_eq(sum, result.task[t].wait.sum + open);
			by_task += sum;
		}
		for (unsigned l = 0; l < WORLD_LOCKS; l++)
			for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
				by_lock += result.lock[l].piece[p];
		ck_assert_uint_eq(by_task, by_lock);
		world_free();
	}
	for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
		ck_assert_msg(kinds[p] || p == RUN_PIECE_throttled, "no stream shows %s", run_piece_name[p]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/account");
	TCase *t = tcase_create("account");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, by_the_state_of_the_holder);
	tcase_add_test(t, preempted_by_higher);
	tcase_add_test(t, urgency_by_deadline);
	tcase_add_test(t, dispatch);
	tcase_add_test(t, chains_through_sleepers_and_spinners);
	tcase_add_test(t, the_chain_does_not_invert_itself);
	tcase_add_test(t, the_worst_of_several_owners);
	tcase_add_test(t, interrupted);
	tcase_add_test(t, throttled);
	tcase_add_test(t, self_and_hand_over);
	tcase_add_test(t, the_window);
	tcase_add_test(t, only_who_is_asked_about);
	tcase_add_test(t, pieces_sum_exactly);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
