// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden traces of the rt_mutex: deadlocks, stealing, free locks, deadlines, spinning.
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

/* An IPI takes 1 ns, so that a waiter looks at the owner before the owner runs because of its boost. */
static void golden_cpus_ipi(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ .loose = true, .ipi = SIM_NS }, &lock_model_rtmutex, cast, story);
}

/* With the full chain walk. */
static void golden_full(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ .params = { 1 } }, &lock_model_rtmutex, cast, story);
}

/* The RT spinlock. */
static void golden_cpus_spin(const struct world_task *cast, const char *story)
{
	world_golden((struct world){ .loose = true }, &lock_model_rtspinlock, cast, story);
}

/* R10: deadlock, cycle length 1 (FULL) */
START_TEST(r10)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L +L 1 -L" },
		{ NULL },
	};

	golden_full(cast,
		"t=0: cpu0 runs A prio=89; A GETS L fast; A FAILS on L EDEADLK\n"
		"t=1: A RELEASES L fast");
}
END_TEST

/* R11: deadlock, cycle length 2 (FULL) */
START_TEST(r11)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L1 1 -L1 -L2" },
		{ NULL },
	};

	golden_full(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast\n"
		"t=10: cpu0 runs A prio=89; A blocks on L2 owner B order [A]\n"
		"t=11: cpu0 runs B prio=79; B blocks on L1 owner A order [B]; "
		"effprio A 89->79 (donor B); chain: deadlock found at lock L2; "
		"B FAILS on L1 EDEADLK; effprio A 79->89 (none); "
		"chain stop at A: waiter prio equals task prio\n"
		"t=12: B RELEASES L2 -> wakes A; cpu0 runs A prio=89; A GETS L2 prio=89\n"
		"t=13: A RELEASES L2 fast; A RELEASES L1 fast");
}
END_TEST

/* R12: deadlock, cycle length 3 (FULL) */
START_TEST(r12)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L3 1 -L3 -L2" },
		{ "C", 30, 0, 2, "+L3 @12 +L1 1 -L1 -L3" },
		{ NULL },
	};

	golden_full(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast\n"
		"t=2: cpu0 runs C prio=69; C GETS L3 fast\n"
		"t=10: cpu0 runs A prio=89; A blocks on L2 owner B order [A]\n"
		"t=11: cpu0 runs B prio=79; B blocks on L3 owner C order [B]\n"
		"t=12: cpu0 runs C prio=69; C blocks on L1 owner A order [C]; "
		"effprio A 89->69 (donor C); requeue A on L2 as 69 order [A]; "
		"effprio B 79->69 (donor A); chain: deadlock found at lock L3; "
		"C FAILS on L1 EDEADLK; effprio A 69->89 (none); requeue A on L2 as 89 order [A]; "
		"effprio B 69->79 (donor A); chain stop at B: waiter prio equals task prio\n"
		"t=13: C RELEASES L3 -> wakes B; cpu0 runs B prio=79; B GETS L3 prio=79\n"
		"t=14: B RELEASES L3 fast; B RELEASES L2 -> wakes A; cpu0 runs A prio=89; "
		"A GETS L2 prio=89\n"
		"t=15: A RELEASES L2 fast; A RELEASES L1 fast");
}
END_TEST

/* R13: deadlock, cycle length 4 (FULL) */
START_TEST(r13)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L3 1 -L3 -L2" },
		{ "C", 30, 0, 2, "+L3 @12 +L4 1 -L4 -L3" },
		{ "D", 40, 0, 3, "+L4 @13 +L1 1 -L1 -L4" },
		{ NULL },
	};

	golden_full(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast\n"
		"t=2: cpu0 runs C prio=69; C GETS L3 fast\n"
		"t=3: cpu0 runs D prio=59; D GETS L4 fast\n"
		"t=10: cpu0 runs A prio=89; A blocks on L2 owner B order [A]\n"
		"t=11: cpu0 runs B prio=79; B blocks on L3 owner C order [B]\n"
		"t=12: cpu0 runs C prio=69; C blocks on L4 owner D order [C]\n"
		"t=13: cpu0 runs D prio=59; D blocks on L1 owner A order [D]; "
		"effprio A 89->59 (donor D); requeue A on L2 as 59 order [A]; "
		"effprio B 79->59 (donor A); requeue B on L3 as 59 order [B]; "
		"effprio C 69->59 (donor B); chain: deadlock found at lock L4; "
		"D FAILS on L1 EDEADLK; effprio A 59->89 (none); requeue A on L2 as 89 order [A]; "
		"effprio B 59->79 (donor A); requeue B on L3 as 79 order [B]; "
		"effprio C 59->69 (donor B); chain stop at C: waiter prio equals task prio\n"
		"t=14: D RELEASES L4 -> wakes C; cpu0 runs C prio=69; C GETS L4 prio=69\n"
		"t=15: C RELEASES L4 fast; C RELEASES L3 -> wakes B; cpu0 runs B prio=79; "
		"B GETS L3 prio=79\n"
		"t=16: B RELEASES L3 fast; B RELEASES L2 -> wakes A; cpu0 runs A prio=89; "
		"A GETS L2 prio=89\n"
		"t=17: A RELEASES L2 fast; A RELEASES L1 fast");
}
END_TEST

/* R14a: the same cycle of 2 with MIN chain walk */
START_TEST(r14a)
{
	static const struct world_task cast[] = {
		{ "A", 10, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 20, 0, 1, "+L2 @11 +L1 1 -L1 -L2" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=89; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=79; B GETS L2 fast\n"
		"t=10: cpu0 runs A prio=89; A blocks on L2 owner B order [A]\n"
		"t=11: cpu0 runs B prio=79; B blocks on L1 owner A order [B]; "
		"effprio A 89->79 (donor B); chain: deadlock found at lock L2; "
		"B FAILS on L1 EDEADLK; effprio A 79->89 (none); "
		"chain stop at A: waiter prio equals task prio");
}
END_TEST

/* R14b: the same cycle of 2 with MIN chain walk */
START_TEST(r14b)
{
	static const struct world_task cast[] = {
		{ "A", 20, 0, 0, "+L1 @10 +L2 1 -L2 -L1" },
		{ "B", 10, 0, 1, "+L2 @11 +L1 1 -L1 -L2" },
		{ NULL },
	};

	golden(cast,
		"t=0: cpu0 runs A prio=79; A GETS L1 fast\n"
		"t=1: cpu0 runs B prio=89; B GETS L2 fast\n"
		"t=10: cpu0 runs A prio=79; A blocks on L2 owner B order [A]; "
		"effprio B 89->79 (donor A)\n"
		"t=11: cpu0 runs B prio=79; B blocks on L1 owner A order [B]; "
		"chain stop at A: waiter prio equals task prio");
}
END_TEST

/* R15a: top-waiter stealing, newcomer 30 */
START_TEST(r15a)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L 5" },
		{ "K", 50, 0, 1, "2" },
		{ "H", 30, 0, 7, "+L 2 -L" },
		{ "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu1 runs M2 prio=54; cpu0 runs O prio=79\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none)\n"
		"t=7: cpu0 runs H prio=69; H STEALS L from woken top W1; H GETS L slow-trylock\n"
		"t=9: H RELEASES L -> wakes W1; cpu0 runs O prio=89\n"
		"t=11: cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=12: W1 RELEASES L fast");
}
END_TEST

/* R15b: top-waiter stealing, newcomer 20 */
START_TEST(r15b)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L 5" },
		{ "K", 50, 0, 1, "2" },
		{ "H", 20, 0, 7, "+L 2 -L" },
		{ "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu1 runs M2 prio=54; cpu0 runs O prio=79\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none)\n"
		"t=7: cpu0 runs H prio=79; H blocks on L owner None order [W1 H]; "
		"cpu0 runs O prio=89\n"
		"t=11: cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=12: W1 RELEASES L -> wakes H; cpu0 runs H prio=79; H GETS L prio=79\n"
		"t=14: H RELEASES L fast");
}
END_TEST

/* R16a: lateral steal, mutex flavour */
START_TEST(r16a)
{
	static const struct world_task cast[] = {
		{ "O", FAIR, 0, 0, "+L 4 -L +L 1 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "W1", FAIR, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=120; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=120; W1 blocks on L owner O order [W1]\n"
		"t=3: cpu1 runs M2 prio=54; cpu0 runs O prio=120\n"
		"t=6: O RELEASES L -> wakes W1; O blocks on L owner None order [W1 O]\n"
		"t=11: cpu1 runs W1 prio=120; W1 GETS L prio=120\n"
		"t=12: W1 RELEASES L -> wakes O; cpu0 runs O prio=120; O GETS L prio=120\n"
		"t=13: O RELEASES L fast");
}
END_TEST

/* R16b: lateral steal, RT spinlock flavour */
START_TEST(r16b)
{
	static const struct world_task cast[] = {
		{ "O", FAIR, 0, 0, "+L 4 -L +L 1 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "W1", FAIR, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ NULL },
	};

	golden_cpus_spin(cast,
		"t=0: cpu0 runs O prio=120; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=120; W1 blocks on L owner O order [W1]\n"
		"t=3: cpu1 runs M2 prio=54; cpu0 runs O prio=120\n"
		"t=6: O RELEASES L -> wakes W1; O STEALS L from woken top W1; O GETS L slow-trylock\n"
		"t=7: O RELEASES L -> wakes W1\n"
		"t=11: cpu1 runs W1 prio=120; W1 GETS L prio=120\n"
		"t=12: W1 RELEASES L fast");
}
END_TEST

/* R18: requeue on an owner-less lock wakes the new top */
START_TEST(r18)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 4 -L" },
		{ "K", 50, 0, 1, "2" },
		{ "W2", 15, 0, 2, "+L 1 -L" },
		{ "W1", 20, 1, 2, "+L 1 -L" },
		{ "M2", 45, 1, 3, "8" },
		{ "#1", 99, 2, 7, "=W2:30" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=89; O GETS L fast\n"
		"t=1: cpu0 runs K prio=49\n"
		"t=2: cpu1 runs W1 prio=79; W1 blocks on L owner O order [W1]; "
		"effprio O 89->79 (donor W1)\n"
		"t=3: cpu1 runs M2 prio=54; cpu0 runs O prio=79\n"
		"t=6: O RELEASES L -> wakes W1; effprio O 79->89 (none); cpu0 runs W2 prio=84; "
		"W2 blocks on L owner None order [W1 W2]; cpu0 runs O prio=89\n"
		"t=7: setscheduler W2 normal_prio=69 eff 84 -> 69; "
		"requeue W2 on L as 69 order [W2 W1]; wake new top W2; cpu0 runs W2 prio=69; "
		"W2 GETS L prio=69\n"
		"t=8: W2 RELEASES L -> wakes W1\n"
		"t=11: cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=12: W1 RELEASES L fast");
}
END_TEST

/* R20: deadline waiters: earlier deadline first, all before FIFO */
START_TEST(r20)
{
	static const struct world_task cast[] = {
		{ "O", FAIR, 0, 0, "+L 9 -L 1" },
		{ "K", 60, 0, 1, "3" },
		{ "D1", DEADLINE(100), 1, 2, "+L 1 -L" },
		{ "D2", DEADLINE(50), 1, 3, "+L 1 -L" },
		{ "F", 99, 1, 3, "+L 1 -L" },
		{ NULL },
	};

	golden_cpus_ipi(cast,
		"t=0: cpu0 runs O prio=120; O GETS L fast\n"
		"t=1: cpu0 runs K prio=39\n"
		"t=2: cpu1 runs D1 prio=-1; D1 blocks on L owner O order [D1]; "
		"effprio O 120->-1 (donor D1); cpu0 runs O prio=-1\n"
		"t=3: cpu1 runs D2 prio=-1; D2 blocks on L owner O order [D2 D1]; "
		"D2 spins on running owner O\n"
		"t=10: O RELEASES L -> wakes D2; effprio O -1->120 (none); D2 GETS L prio=-1; "
		"cpu0 runs K prio=39\n"
		"t=11: D2 RELEASES L -> wakes D1; cpu1 runs D1 prio=-1; D1 GETS L prio=-1\n"
		"t=12: D1 RELEASES L fast; cpu0 runs O prio=120; cpu1 runs F prio=0; F GETS L fast\n"
		"t=13: F RELEASES L fast");
}
END_TEST

/* R21: boost across CPUs */
START_TEST(r21)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 3 -L 1" },
		{ "M", 20, 0, 1, "4" },
		{ "H", 30, 1, 0, "2 +L 1 -L" },
		{ NULL },
	};

	golden_cpus_ipi(cast,
		"t=0: cpu0 runs O prio=89; cpu1 runs H prio=69; O GETS L fast\n"
		"t=1: cpu0 runs M prio=79\n"
		"t=2: H blocks on L owner O order [H]; effprio O 89->69 (donor H); "
		"cpu0 runs O prio=69\n"
		"t=4: O RELEASES L -> wakes H; effprio O 69->89 (none); cpu1 runs H prio=69; "
		"cpu0 runs M prio=79; H GETS L prio=69\n"
		"t=5: H RELEASES L fast\n"
		"t=7: cpu0 runs O prio=89");
}
END_TEST

/* R22: adaptive spinning */
START_TEST(r22)
{
	static const struct world_task cast[] = {
		{ "O", 10, 0, 0, "+L 10 -L" },
		{ "K", 50, 0, 4, "2" },
		{ "W1", 20, 1, 0, "1 +L 1 -L" },
		{ "W2", 30, 2, 0, "2 +L 1 -L" },
		{ NULL },
	};

	golden_cpus(cast,
		"t=0: cpu0 runs O prio=89; cpu1 runs W1 prio=79; cpu2 runs W2 prio=69; "
		"O GETS L fast\n"
		"t=1: W1 blocks on L owner O order [W1]; effprio O 89->79 (donor W1); "
		"W1 spins on running owner O\n"
		"t=2: W2 blocks on L owner O order [W2 W1]; effprio O 79->69 (donor W2); "
		"W2 spins on running owner O\n"
		"t=4: cpu0 runs K prio=49\n"
		"t=6: cpu0 runs O prio=69\n"
		"t=12: O RELEASES L -> wakes W2; effprio O 69->89 (none); cpu2 runs W2 prio=69; "
		"W2 GETS L prio=69\n"
		"t=13: W2 RELEASES L -> wakes W1; cpu1 runs W1 prio=79; W1 GETS L prio=79\n"
		"t=14: W1 RELEASES L fast");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rt_mutex: deadlocks, steals, spins");
	TCase *tc = tcase_create("traces");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, r10);
	tcase_add_test(tc, r11);
	tcase_add_test(tc, r12);
	tcase_add_test(tc, r13);
	tcase_add_test(tc, r14a);
	tcase_add_test(tc, r14b);
	tcase_add_test(tc, r15a);
	tcase_add_test(tc, r15b);
	tcase_add_test(tc, r16a);
	tcase_add_test(tc, r16b);
	tcase_add_test(tc, r18);
	tcase_add_test(tc, r20);
	tcase_add_test(tc, r21);
	tcase_add_test(tc, r22);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
