// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden traces of the rt_mutex: who lends whom what priority, and takes it back.
 * Named as in the specification of the lock algorithms; every sentence of every trace is
 * compared, with spins elided and polled. The traces were derived from the rules of Linux
 * 6.1.192, not recorded on hardware. golden_cpus: several CPUs act at one instant, in an
 * order that the trace leaves open; each CPU's own order is compared.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/models/test_rtmutex_world.h"

extern const struct lock_model lock_model_rtmutex, lock_model_rtspinlock;

static void golden(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ 0 }, &lock_model_rtmutex, cast, story);
}

static void golden_cpus(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ .loose = true }, &lock_model_rtmutex, cast, story);
}

/* R1: classic bounded inversion; Q9: the same with an RT spinlock, the same trace */
static void bounded_inversion(const struct lock_model *model)
{
	static const struct world_task cast[] = {
		{ "Lo", 10, 0, 0, "+L 5 -L 2" },
		{ "Hi", 30, 0, 1, "+L 1 -L 1" },
		{ "Me", 20, 0, 2, "10" },
		{ NULL },
	};

	world_golden((struct world){ 0 }, model, cast,
		"t=0: cpu0 runs Lo prio=89; Lo GETS L fast\n"
		"t=1: cpu0 runs Hi prio=69; Hi blocks on L owner Lo order [Hi]; "
		"effprio Lo 89->69 (donor Hi); cpu0 runs Lo prio=69\n"
		"t=5: Lo RELEASES L -> wakes Hi; effprio Lo 69->89 (none); cpu0 runs Hi prio=69; "
		"Hi GETS L prio=69\n"
		"t=6: Hi RELEASES L fast\n"
		"t=7: cpu0 runs Me prio=79\n"
		"t=17: cpu0 runs Lo prio=89");
}

START_TEST(r1)
{
	bounded_inversion(&lock_model_rtmutex);
}
END_TEST

START_TEST(q9)
{
	bounded_inversion(&lock_model_rtspinlock);
}
END_TEST

/* R2: chain of four locks */
START_TEST(r2)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 20 -L1" },
		{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "C", 30, 0, 2, "+L3 +L2 1 -L2 -L3" },
		{ "D", 40, 0, 3, "+L4 +L3 1 -L3 -L4" },
		{ "E", 50, 0, 4, "+L4 1 -L4" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast; B blocks on L1 owner A order [B]; "
		"effprio A 89->79 (donor B); cpu0 runs A prio=79\n"
		"t=2: cpu0 runs C prio=69; C GETS L3 fast; C blocks on L2 owner B order [C]; "
		"effprio B 79->69 (donor C); requeue B on L1 as 69 order [B]; "
		"effprio A 79->69 (donor B); cpu0 runs A prio=69\n"
		"t=3: cpu0 runs D prio=59; D GETS L4 fast; D blocks on L3 owner C order [D]; "
		"effprio C 69->59 (donor D); requeue C on L2 as 59 order [C]; "
		"effprio B 69->59 (donor C); requeue B on L1 as 59 order [B]; "
		"effprio A 69->59 (donor B); cpu0 runs A prio=59\n"
		"t=4: cpu0 runs E prio=49; E blocks on L4 owner D order [E]; "
		"effprio D 59->49 (donor E); requeue D on L3 as 49 order [D]; "
		"effprio C 59->49 (donor D); requeue C on L2 as 49 order [C]; "
		"effprio B 59->49 (donor C); requeue B on L1 as 49 order [B]; "
		"effprio A 59->49 (donor B); cpu0 runs A prio=49\n"
		"t=20: A RELEASES L1 -> wakes B; effprio A 49->89 (none); cpu0 runs B prio=49; "
		"B GETS L1 prio=49\n"
		"t=21: B RELEASES L1 fast; B RELEASES L2 -> wakes C; effprio B 49->79 (none); "
		"cpu0 runs C prio=49; C GETS L2 prio=49\n"
		"t=22: C RELEASES L2 fast; C RELEASES L3 -> wakes D; effprio C 49->69 (none); "
		"cpu0 runs D prio=49; D GETS L3 prio=49\n"
		"t=23: D RELEASES L3 fast; D RELEASES L4 -> wakes E; effprio D 49->59 (none); "
		"cpu0 runs E prio=49; E GETS L4 prio=49\n"
		"t=24: E RELEASES L4 fast; cpu0 runs D prio=59; cpu0 runs C prio=69; "
		"cpu0 runs B prio=79; cpu0 runs A prio=89");
}
END_TEST

/* R3: nested locks, stepwise deboost */
START_TEST(r3)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L1 +L2 4 -L2 3 -L1 1" },
		{ "X", 20, 0, 1, "+L1 1 -L1" },
		{ "Y", 40, 0, 2, "+L2 1 -L2" },
		{ "Z", 15, 0, 3, "2" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=89; O GETS L1 fast; O GETS L2 fast\n"
		"t=1: cpu0 runs X prio=79; X blocks on L1 owner O order [X]; "
		"effprio O 89->79 (donor X); cpu0 runs O prio=79\n"
		"t=2: cpu0 runs Y prio=59; Y blocks on L2 owner O order [Y]; "
		"effprio O 79->59 (donor Y); cpu0 runs O prio=59\n"
		"t=4: O RELEASES L2 -> wakes Y; effprio O 59->79 (donor X); cpu0 runs Y prio=59; "
		"Y GETS L2 prio=59\n"
		"t=5: Y RELEASES L2 fast; cpu0 runs O prio=79\n"
		"t=8: O RELEASES L1 -> wakes X; effprio O 79->89 (none); cpu0 runs X prio=79; "
		"X GETS L1 prio=79\n"
		"t=9: X RELEASES L1 fast; cpu0 runs Z prio=84\n"
		"t=11: cpu0 runs O prio=89");
}
END_TEST

/* R4: releasing the weaker-waiter lock first keeps the boost */
START_TEST(r4)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L1 +L2 4 -L1 3 -L2 1" },
		{ "X", 20, 0, 1, "+L1 1 -L1" },
		{ "Y", 40, 0, 2, "+L2 1 -L2" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=89; O GETS L1 fast; O GETS L2 fast\n"
		"t=1: cpu0 runs X prio=79; X blocks on L1 owner O order [X]; "
		"effprio O 89->79 (donor X); cpu0 runs O prio=79\n"
		"t=2: cpu0 runs Y prio=59; Y blocks on L2 owner O order [Y]; "
		"effprio O 79->59 (donor Y); cpu0 runs O prio=59\n"
		"t=4: O RELEASES L1 -> wakes X\n"
		"t=7: O RELEASES L2 -> wakes Y; effprio O 59->89 (none); cpu0 runs Y prio=59; "
		"Y GETS L2 prio=59\n"
		"t=8: Y RELEASES L2 fast; cpu0 runs X prio=79; X GETS L1 prio=79\n"
		"t=9: X RELEASES L1 fast; cpu0 runs O prio=89");
}
END_TEST

/* R5: timeout of the boosting waiter */
START_TEST(r5)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L 1" },
		{ "M", 20, 0, 1, "+L 1 -L" },
		{ "K", 60, 0, 2, "1" },
		{ "N", 30, 0, 3, "2" },
		{ "H", 40, 1, 2, "+L/3 1 -L" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs M prio=79; M blocks on L owner O order [M]; "
		"effprio O 89->79 (donor M); cpu0 runs O prio=79\n"
		"t=2: cpu0 runs K prio=39; cpu1 runs H prio=59; H blocks on L owner O order [H M]; "
		"effprio O 79->59 (donor H)\n"
		"t=3: cpu0 runs O prio=59\n"
		"t=5: timer fires for H; cpu1 runs H prio=59; H FAILS on L ETIMEDOUT; "
		"effprio O 59->79 (donor M); cpu0 runs N prio=69\n"
		"t=7: cpu0 runs O prio=79\n"
		"t=13: O RELEASES L -> wakes M; effprio O 79->89 (none); cpu0 runs M prio=79; "
		"M GETS L prio=79\n"
		"t=14: M RELEASES L fast; cpu0 runs O prio=89");
}
END_TEST

/*
 * R5b: the same on one CPU: the expired waiter cannot run before the equal-priority
 * boosted owner, and then finds the lock free: it succeeds instead of timing out
 */
START_TEST(r5b)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L 1" },
		{ "H", 40, 0, 2, "+L/3 1 -L" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=2: cpu0 runs H prio=59; H blocks on L owner O order [H]; "
		"effprio O 89->59 (donor H); cpu0 runs O prio=59\n"
		"t=5: timer fires for H\n"
		"t=10: O RELEASES L -> wakes H; effprio O 59->89 (none); cpu0 runs H prio=59; "
		"H GETS L prio=59\n"
		"t=11: H RELEASES L fast; cpu0 runs O prio=89");
}
END_TEST

/* R6: timeout deboost propagates through a chain */
START_TEST(r6)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 10 -L1" },
		{ "B", 20, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "D", 30, 0, 3, "+L2 1 -L2" },
		{ "C", 50, 1, 2, "+L2/4 -L2" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast; B blocks on L1 owner A order [B]; "
		"effprio A 89->79 (donor B); cpu0 runs A prio=79\n"
		"t=2: cpu1 runs C prio=49; C blocks on L2 owner B order [C]; "
		"effprio B 79->49 (donor C); requeue B on L1 as 49 order [B]; "
		"effprio A 79->49 (donor B)\n"
		"t=6: timer fires for C; cpu1 runs C prio=49; C FAILS on L2 ETIMEDOUT; "
		"effprio B 49->79 (none); requeue B on L1 as 79 order [B]; "
		"effprio A 49->79 (donor B); cpu0 runs D prio=69; D blocks on L2 owner B order [D]; "
		"effprio B 79->69 (donor D); requeue B on L1 as 69 order [B]; "
		"effprio A 79->69 (donor B); cpu0 runs A prio=69\n"
		"t=10: A RELEASES L1 -> wakes B; effprio A 69->89 (none); cpu0 runs B prio=69; "
		"B GETS L1 prio=69\n"
		"t=11: B RELEASES L1 fast; B RELEASES L2 -> wakes D; effprio B 69->79 (none); "
		"cpu0 runs D prio=69; D GETS L2 prio=69\n"
		"t=12: D RELEASES L2 fast; cpu0 runs B prio=79; cpu0 runs A prio=89");
}
END_TEST

/* R7: a non-top waiter times out: no priority changes */
START_TEST(r7)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 8 -L 1" },
		{ "H", 40, 0, 1, "+L 1 -L" },
		{ "M", 20, 1, 2, "+L/3 -L" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs H prio=59; H blocks on L owner O order [H]; "
		"effprio O 89->59 (donor H); cpu0 runs O prio=59\n"
		"t=2: cpu1 runs M prio=79; M blocks on L owner O order [H M]\n"
		"t=5: timer fires for M; cpu1 runs M prio=79; M FAILS on L ETIMEDOUT\n"
		"t=8: O RELEASES L -> wakes H; effprio O 59->89 (none); cpu0 runs H prio=59; "
		"H GETS L prio=59\n"
		"t=9: H RELEASES L fast; cpu0 runs O prio=89");
}
END_TEST

/* R8: setscheduler on a blocked waiter (raise, then lower) */
START_TEST(r8)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L 10 -L" },
		{ "B", 20, 0, 1, "+L 1 -L" },
		{ "C", 25, 0, 2, "+L 1 -L" },
		{ "#1", 99, 1, 4, "=B:60 @6 =B:5" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L fast\n"
		"t=1: cpu0 runs B prio=79; B blocks on L owner A order [B]; "
		"effprio A 89->79 (donor B); cpu0 runs A prio=79\n"
		"t=2: cpu0 runs C prio=74; C blocks on L owner A order [C B]; "
		"effprio A 79->74 (donor C); cpu0 runs A prio=74\n"
		"t=4: setscheduler B normal_prio=39 eff 79 -> 39; requeue B on L as 39 order [B C]; "
		"effprio A 74->39 (donor B)\n"
		"t=6: setscheduler B normal_prio=94 eff 39 -> 94; requeue B on L as 94 order [C B]; "
		"effprio A 39->74 (donor C)\n"
		"t=10: A RELEASES L -> wakes C; effprio A 74->89 (none); cpu0 runs C prio=74; "
		"C GETS L prio=74\n"
		"t=11: C RELEASES L -> wakes B; cpu0 runs A prio=89; cpu0 runs B prio=94; "
		"B GETS L prio=94\n"
		"t=12: B RELEASES L fast");
}
END_TEST

/* R9: setscheduler on the boosted owner */
START_TEST(r9)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L 10 -L 2" },
		{ "B", 30, 0, 1, "+L 1 -L" },
		{ "#1", 99, 1, 2, "=A:20 @4 =A:50 @6 =A:5" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L fast\n"
		"t=1: cpu0 runs B prio=69; B blocks on L owner A order [B]; "
		"effprio A 89->69 (donor B); cpu0 runs A prio=69\n"
		"t=2: setscheduler A normal_prio=79 eff 69 -> 69\n"
		"t=4: setscheduler A normal_prio=49 eff 69 -> 49\n"
		"t=6: setscheduler A normal_prio=94 eff 49 -> 69\n"
		"t=10: A RELEASES L -> wakes B; effprio A 69->94 (none); cpu0 runs B prio=69; "
		"B GETS L prio=69\n"
		"t=11: B RELEASES L fast; cpu0 runs A prio=94");
}
END_TEST

/* R17: a boost that does not reach the top of the next lock stops there */
START_TEST(r17)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 10 -L1 1" },
		{ "B", 15, 0, 1, "+L2 +L1 1 -L1 -L2" },
		{ "F", 40, 0, 2, "+L1 1 -L1" },
		{ "G", 25, 1, 3, "+L2 1 -L2" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=84; B GETS L2 fast; B blocks on L1 owner A order [B]; "
		"effprio A 89->84 (donor B); cpu0 runs A prio=84\n"
		"t=2: cpu0 runs F prio=59; F blocks on L1 owner A order [F B]; "
		"effprio A 84->59 (donor F); cpu0 runs A prio=59\n"
		"t=3: cpu1 runs G prio=74; G blocks on L2 owner B order [G]; "
		"effprio B 84->74 (donor G); requeue B on L1 as 74 order [F B]\n"
		"t=10: A RELEASES L1 -> wakes F; effprio A 59->89 (none); cpu0 runs F prio=59; "
		"F GETS L1 prio=59\n"
		"t=11: F RELEASES L1 -> wakes B; cpu0 runs B prio=74; B GETS L1 prio=74\n"
		"t=12: B RELEASES L1 fast; B RELEASES L2 -> wakes G; effprio B 74->84 (none); "
		"cpu1 runs G prio=74; G GETS L2 prio=74; cpu0 runs A prio=89\n"
		"t=13: G RELEASES L2 fast");
}
END_TEST

/* R19: FIFO among equals; a re-queued waiter goes behind its new equals */
START_TEST(r19)
{
	static const struct world_task cast[] = {
		{ "O", 50, 0, 0, "+L 9 -L" },
		{ "K", 60, 0, 1, "4" },
		{ "P", 20, 1, 2, "+L 1 -L" },
		{ "Q", 10, 1, 3, "+L 1 -L" },
		{ "R", 20, 1, 4, "+L 1 -L" },
		{ "#1", 99, 2, 6, "=Q:20" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs O prio=49; O GETS L fast\n"
		"t=1: cpu0 runs K prio=39\n"
		"t=2: cpu1 runs P prio=79; P blocks on L owner O order [P]\n"
		"t=3: cpu1 runs Q prio=89; Q blocks on L owner O order [P Q]\n"
		"t=4: cpu1 runs R prio=79; R blocks on L owner O order [P R Q]\n"
		"t=5: cpu0 runs O prio=49\n"
		"t=6: setscheduler Q normal_prio=79 eff 89 -> 79; "
		"requeue Q on L as 79 order [P R Q]\n"
		"t=13: O RELEASES L -> wakes P; cpu1 runs P prio=79; P GETS L prio=79\n"
		"t=14: P RELEASES L -> wakes R; cpu1 runs R prio=79; R GETS L prio=79\n"
		"t=15: R RELEASES L -> wakes Q; cpu1 runs Q prio=79; Q GETS L prio=79\n"
		"t=16: Q RELEASES L fast");
}
END_TEST

/* R23: stale pi key (quirk of 4.10; literal reading of 6.1.192) */
START_TEST(r23)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L1 +L2 12 -L1 -L2" },
		{ "K", 90, 0, 1, "3" },
		{ "B", 11, 1, 2, "+L1 1 -L1" },
		{ "C", 40, 1, 3, "+L1/5" },
		{ "X", 15, 2, 2, "+L2 1 -L2" },
		{ "#1", 99, 3, 6, "=B:30" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=89; O GETS L1 fast; O GETS L2 fast\n"
		"t=1: cpu0 runs K prio=9\n"
		"t=2: cpu1 runs B prio=88; cpu2 runs X prio=84; B blocks on L1 owner O order [B]; "
		"effprio O 89->88 (donor B); X blocks on L2 owner O order [X]; "
		"effprio O 88->84 (donor X)\n"
		"t=3: cpu1 runs C prio=59; C blocks on L1 owner O order [C B]; "
		"effprio O 84->59 (donor C)\n"
		"t=4: cpu0 runs O prio=59\n"
		"t=6: setscheduler B normal_prio=69 eff 88 -> 69; requeue B on L1 as 69 order [C B]\n"
		"t=8: timer fires for C; cpu1 runs C prio=59; C FAILS on L1 ETIMEDOUT; "
		"effprio O 59->84 (donor X)\n"
		"t=15: O RELEASES L1 -> wakes B; cpu1 runs B prio=69; O RELEASES L2 -> wakes X; "
		"effprio O 84->89 (none); B GETS L1 prio=69; cpu2 runs X prio=84; X GETS L2 prio=84\n"
		"t=16: B RELEASES L1 fast; X RELEASES L2 fast");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rt_mutex: boosts");
	TCase *tc = tcase_create("traces");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, r1);
	tcase_add_test(tc, q9);
	tcase_add_test(tc, r2);
	tcase_add_test(tc, r3);
	tcase_add_test(tc, r4);
	tcase_add_test(tc, r5);
	tcase_add_test(tc, r5b);
	tcase_add_test(tc, r6);
	tcase_add_test(tc, r7);
	tcase_add_test(tc, r8);
	tcase_add_test(tc, r9);
	tcase_add_test(tc, r17);
	tcase_add_test(tc, r19);
	tcase_add_test(tc, r23);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
