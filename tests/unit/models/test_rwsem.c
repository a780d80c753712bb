// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tests R61-A to R61-J of the reader-writer semaphore of Linux 6.1: the lock word,
 * the owner word and the queue after each step.
 *
 * What is seen of a lock reads "0x102 A|R [B! C]": count, owner (R reader-owned,
 * N nonspinnable), waiters in order (! HANDOFF was set for this one). An idle CPU takes
 * two units to wake up, so that there is time between a wake-up and what comes of it.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "tests/unit/models/harness.h"

#include "models/rwsem_private.h"

#define SEEN 32

static struct seen {
	char text[256];
	const char *wanted;
	unsigned at; /* ns */
} seen[SEEN];
static unsigned nseen;

static void describe(const struct rw_semaphore *sem, char *text, size_t room)
{
	long owner = sem->owner.counter;
	const struct task_struct *task = (const struct task_struct *)(owner & ~RWSEM_OWNER_FLAGS);
	const struct rwsem_waiter *w;
	size_t n;

	n = (size_t)snprintf(text, room, "0x%lx %s%s%s%s [", sem->count.counter,
			     task ? kernel_sim_task(task)->name : "-", owner & RWSEM_OWNER_FLAGS ? "|" : "",
			     owner & RWSEM_READER_OWNED ? "R" : "", owner & RWSEM_NONSPINNABLE ? "N" : "");
	list_for_each_entry(w, &sem->wait_list, list) {
		ck_assert_uint_lt(n, room - 32);
		n += (size_t)sprintf(text + n, "%s%s%s", text[n - 1] == '[' ? "" : " ",
				     kernel_sim_task(w->task)->name, w->handoff_set ? "!" : "");
	}
	strcpy(text + n, "]");
}

static void look(void *arg)
{
	struct seen *s = arg;

	describe(bench_lock_at("L"), s->text, sizeof(s->text));
}

/* At @ns the lock must look like @wanted. */
static void see(unsigned ns, const char *wanted)
{
	struct seen *s = &seen[nseen++];

	ck_assert_uint_le(nseen, SEEN);
	*s = (struct seen){ .wanted = wanted, .at = ns };
	bench_at(ns * SIM_NS, look, s);
}

/* Every test runs with spins elided (0) and polled (1). */
static void rwsem_bench(unsigned ncpus, int poll)
{
	nseen = 0;
	bench_open(ncpus);
	if (poll)
		bench_poll();
	bench_hz(1000);
	bench_preempt(SIM_PREEMPT_NONE);
	bench_cost("idle_exit", 2 * U);
}

/* At the end the lock must be free. */
static void run(int until)
{
	char text[256];

	bench_run(until);
	describe(bench_lock_at("L"), text, sizeof(text));
	ck_assert_msg(!strncmp(text, "0x0 ", 4) && strstr(text, "[]"), "in the end: %s", text);
	for (unsigned i = 0; i < nseen; i++)
		if (strcmp(seen[i].text, seen[i].wanted))
			ck_abort_msg("at %u ns: wanted %s, seen %s\n%s", seen[i].at, seen[i].wanted,
				     seen[i].text, bench_log());
	ck_assert_str_eq(bench_findings(), "");
	ck_assert_msg(bench_done(), "%s", bench_log());
}

/*
 * A writer that queues without spinning: it stands still before its first access from @at
 * to @at + 1, and a real-time task makes its CPU want to reschedule meanwhile.
 */
static void no_spin(const char *writer, const char *intruder, unsigned cpu, int at)
{
	bench_task(intruder, cpu, 99, at, "run 1");
	bench_stop_access(writer, 1, 1, at + 1);
}

/* R61-A: phase-fair: the readers of the whole queue go together, past the writer among them. */
START_TEST(r61_a)
{
	rwsem_bench(5, _i);
	bench_lock("L", "rwsem");
	bench_task("W0", 0, 0, 0, "lock L; park 10; run 1; unlock L");
	bench_task("R1", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W2", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("R3", 3, 0, 3, "read L; run 2; unlock L");
	bench_task("R4", 4, 0, 4, "read L; run 3; unlock L");
	see(500, "0x1 W0 []");
	see(1500, "0x3 W0 [R1]");
	see(4500, "0x3 W0 [R1 W2 R3 R4]");
	/* W0 was parked until 10, its CPU wakes up in 2 */
	see(13500, "0x302 R1|R [W2]");
	see(16500, "0x202 R1|R [W2]");
	see(17500, "0x102 R1|R [W2]");
	see(18500, "0x2 R1|R [W2]");
	see(20500, "0x1 W2 []");
	run(100);
	ck_assert_str_eq(bench_grants("L"), "W0 0, R1 15, R3 15, R4 15, W2 20");
	bench_close();
}
END_TEST

/* R61-B: the first reader steals from a woken writer; a second one may not join readers past a queue. */
START_TEST(r61_b)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	no_spin("B", "K", 1, 2);
	bench_task("C", 2, 0, 5, "read L; run 2; unlock L");
	bench_task("D", 3, 0, 11, "read L; run 3; unlock L");
	see(500, "0x100 A|R []");
	see(3500, "0x102 A|R [B]");
	see(5500, "0x102 A|R [B C]");
	see(10500, "0x2 A|R [B C]");
	see(11500, "0x102 D|R [B C]");
	see(12500, "0x102 D|R [B C]"); /* B ran, and sleeps again */
	see(14500, "0x2 D|R [B C]");
	see(16500, "0x3 B [C]");
	see(18500, "0x100 C|R []");
	run(100);
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_steal"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 2);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_handoff"), 0);
	bench_close();
}
END_TEST

/* The same as R61-B without reader stealing: D finds the lock free and B woken, queues, and B is next. */
START_TEST(no_reader_steal)
{
	rwsem_bench(4, _i);
	bench_lock_params("L", "rwsem", "reader_steal=0");
	bench_task("A", 0, 0, 0, "read L; run 10; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	no_spin("B", "K", 1, 2);
	bench_task("C", 2, 0, 5, "read L; run 2; unlock L");
	bench_task("D", 3, 0, 11, "read L; run 3; unlock L");
	see(5500, "0x102 A|R [B C]");
	see(10500, "0x2 A|R [B C]");
	see(11500, "0x2 A|R [B C D]");
	see(12500, "0x3 B [C D]");
	see(14500, "0x200 C|R []");
	run(100);
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_steal"), 0);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 1);
	bench_close();
}
END_TEST

/* R61-C: hand-off to a writer past its time, which spins instead of sleeping. */
START_TEST(r61_c)
{
	rwsem_bench(5, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 10; run 2; unlock L"); /* runs from 12 */
	bench_task("B", 1, 0, 1, "lock L; run 3; unlock L");
	bench_task("C", 2, 0, 13, "lock L; run 5198; unlock L");
	bench_stop_at("C", "rwsem_wake", 1, 5214);
	bench_task("D", 3, 0, 5200, "lock L; run 8; unlock L");
	bench_task("E", 4, 0, 5217, "lock L; run 1; unlock L");
	see(500, "0x1 A []");
	see(1500, "0x3 A [B]");
	see(13500, "0x3 A [B]"); /* C spins on A */
	see(14500, "0x3 C [B]");
	see(16500, "0x3 C [B]"); /* B ran, and sleeps again */
	see(5200500, "0x3 C [B]");
	see(5212500, "0x3 D [B]");
	see(5214500, "0x3 D [B]");
	see(5216500, "0x7 D [B!]");
	see(5217500, "0x7 D [B!]"); /* E spins, B too */
	see(5220500, "0x1 B []");
	see(5223500, "0x1 E []");
	run(6000);
	ck_assert_str_eq(bench_grants("L"), "A 0, C 14, D 5212, B 5220, E 5223");
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_handoff"), 1);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 2); /* at 1 and at 16 */
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_lock"), 3);     /* C, D, E */
	bench_close();
}
END_TEST

/* R61-D: 1 us per turn: the threshold of 11.5 us is looked at in turn 16, at 17 us. */
START_TEST(r61_d)
{
	rwsem_bench(3, _i);
	bench_cost("relax", U);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 18, "lock L; run 2; unlock L");
	see(1500, "0x100 A|R []");
	see(16500, "0x100 A|R []");
	see(17500, "0x102 A|RN [B]");
	see(18500, "0x102 A|RN [B C]");
	see(20500, "0x2 A|R [B C]");
	see(22500, "0x3 B [C]");
	see(24500, "0x2 - [C]");
	see(26500, "0x1 C []");
	run(100);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_nospin"), 1); /* the end of B's spin */
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_fail"), 2); /* B's, and C's that may not begin */
	bench_close();
}
END_TEST

/* R61-E: a real-time writer that is not first asks for the hand-off on behalf of the head. */
START_TEST(r61_e)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "read L; run 20; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 3; unlock L");
	no_spin("B", "K", 1, 2);
	bench_task("C", 2, 50, 5, "lock L; run 2; unlock L");
	bench_task("D", 3, 0, 6, "read L; run 1; unlock L");
	see(3500, "0x102 A|R [B]");
	see(5500, "0x106 A|R [B! C]");
	see(6500, "0x106 A|R [B! C D]");
	see(20500, "0x6 A|R [B! C D]");
	see(22500, "0x3 B [C D]");
	see(25500, "0x2 - [C D]");
	see(27500, "0x3 C [D]");
	see(29500, "0x100 D|R []");
	run(100);
	ck_assert_int_eq(bench_ran("C", 2), 27); /* it slept in between: it must not spin */
	bench_close();
}
END_TEST

/* R61-F: hand-off to a reader past its time, robbed in the moment of its grant. */
START_TEST(r61_f)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; run 5200; unlock L");
	bench_stop_at("A", "rwsem_wake", 1, 5203);
	bench_task("R", 1, 0, 1, "read L; run 30; unlock L");
	bench_task("S", 2, 0, 5150, "lock L; run 10; unlock L");
	bench_task("U", 3, 0, 5205, "lock L; run 1; unlock L");
	see(1500, "0x3 A [R]");
	see(5199500, "0x3 A [R]"); /* S spins */
	see(5201500, "0x3 S [R]");
	see(5203500, "0x7 S [R!]");
	see(5209500, "0x7 S [R!]");
	see(5210500, "0x100 R|R []");
	/* U, with a fresh threshold of 10.5 us, spins on the reader until 5220.5 */
	see(5220400, "0x100 R|R []");
	see(5220600, "0x102 R|RN [U]");
	see(5242500, "0x2 R|R [U]");
	see(5244500, "0x1 U []");
	run(6000);
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_handoff"), 1);
	bench_close();
}
END_TEST

/* R61-G: a reader steals from a writer that is woken too late. */
START_TEST(r61_g)
{
	rwsem_bench(3, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 8; run 2; unlock L"); /* runs from 10 */
	bench_stop_at("A", "rwsem_wake", 1, 15);
	bench_task("B", 1, 0, 1, "lock L; run 2; unlock L");
	bench_task("C", 2, 0, 13, "read L; run 7; unlock L");
	see(1500, "0x3 A [B]");
	see(12500, "0x2 - [B]");
	see(13500, "0x102 C|R [B]");
	see(17500, "0x102 C|R [B]"); /* B ran, and sleeps again */
	see(20500, "0x2 C|R [B]");
	see(22500, "0x1 B []");
	run(100);
	ck_assert_int_eq(bench_ran("B", 2), 17);
	ck_assert_uint_eq(bench_event("L", "rwsem_sleep_writer"), 2);
	bench_close();
}
END_TEST

/*
 * R61-H: B, for whom HANDOFF was set, is killed: the flag stays, C has not asked for it,
 * and so D, queueing second, may take the free lock.
 */
START_TEST(r61_h)
{
	rwsem_bench(5, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "read L; run 30; unlock L");
	bench_task("B", 1, 50, 1, "lock L kill");
	bench_task("C", 2, 0, 2, "lock L; run 1; unlock L");
	no_spin("C", "K", 2, 3);
	bench_task("X", 3, 0, 5, "kill B");
	bench_task("D", 4, 60, 31, "lock L; run 3; unlock L");
	see(1500, "0x106 A|R [B!]");
	see(4500, "0x106 A|R [B! C]");
	see(7500, "0x106 A|R [C]"); /* B is gone, its wish is not */
	see(9500, "0x106 A|R [C]"); /* C, woken in B's stead, finds the flag set and leaves it */
	see(30500, "0x6 A|R [C]");
	see(31500, "0x3 D [C]");
	see(36500, "0x1 C []");
	run(100);
	ck_assert_int_eq(bench_result("B", 1), -EINTR);
	ck_assert_uint_eq(bench_event("L", "rwsem_wlock_fail"), 1);
	ck_assert_str_eq(bench_grants("L"), "A 0, D 31, C 36");
	bench_close();
}
END_TEST

/* R61-I: with WAITERS set a newcomer gets in by spinning only; to the fast path the word looks taken. */
START_TEST(r61_i)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 8; run 2; unlock L");
	bench_stop_at("A", "rwsem_wake", 1, 20);
	bench_task("B", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("N", 2, 0, 13, "try L");
	bench_task("M", 3, 0, 14, "lock L; run 1; unlock L");
	see(12500, "0x2 - [B]");
	see(13500, "0x2 - [B]");
	see(14500, "0x3 M [B]");
	run(100);
	ck_assert_int_eq(bench_result("N", 1), -EBUSY);
	ck_assert_uint_eq(bench_event("L", "rwsem_opt_lock"), 1);
	bench_close();
}
END_TEST

/* -- R61-J has more tasks than the bench: a crowd with a script of its own ------------------------ */

#define CROWD 300
#define PEOPLE (CROWD + 2) /* the writer, the readers, one reader more */

static struct person {
	unsigned step;
	enum lock_mode mode;
	sim_time leave; /* lets go of the lock then */
	void *hold;
} people[PEOPLE];

extern const struct lock_model lock_model_rwsem;
static void *crowd_lock;

static void person_acts(struct sim_task *task, void *arg)
{
	struct person *p = arg;
	struct lock_req req = { .mode = p->mode, .timeout = SIM_NEVER, .hold = p->hold };

	kernel_op_enter(1);
	if (p->step == 1)
		ck_assert_int_eq(lock_model_rwsem.lock(crowd_lock, &req), 0);
	else
		lock_model_rwsem.unlock(crowd_lock, &req);
	kernel_op_leave();
}

static void person_program(struct sim_task *task, struct sim_act *act)
{
	struct person *p = task->user;

	if (p->step == 3)
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (p->step == 1)
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP, .t = p->leave };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = person_acts, .arg = p };
	p->step++;
}

static void person_arrives(unsigned i, enum lock_mode mode, sim_time at, sim_time leave)
{
	static const struct sim_attr attr = { .policy = SIM_NORMAL };
	static char names[PEOPLE][8];
	uint64_t only[SIM_CPUSET_WORDS(PEOPLE)] = { 0 };
	struct sim_task *t;

	only[i / 64] = UINT64_C(1) << (i % 64);
	people[i] = (struct person){ .mode = mode, .leave = leave };
	people[i].hold = sim_object_create("hold", lock_model_rwsem.hold_size, 0);
	snprintf(names[i], sizeof(names[i]), "T%u", i);
	t = sim_task_create(names[i], &attr, i, only, person_program, &people[i]);
	kernel_task_init(t);
	sim_task_start(t, at);
}

static void crowd_looks(uint64_t word, unsigned waiters)
{
	struct lock_view view = { 0 };

	lock_model_rwsem.view(crowd_lock, &view);
	ck_assert_uint_eq(view.word, word);
	ck_assert_uint_eq(view.nwaiters, waiters);
	ck_assert_ptr_null(lock_model_rwsem.broken(crowd_lock));
}

/* R61-J: one wake-up lets 256 readers in; the other 44 wait for the next who comes by, and go in with it. */
START_TEST(r61_j)
{
	struct sim_config cfg = { .sockets = 1, .cores = PEOPLE, .threads = 1, .hz = 1000, .poll = _i };
	uint64_t params[8];
	struct sim_trace trace = { 0 };
	struct sim_choice choice;

	for (unsigned i = 0; lock_model_rwsem.params[i].name; i++)
		params[i] = lock_model_rwsem.params[i].fallback;
	cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
	sim_choice_init(&choice, SIM_CHOICE_FIXED, 0);
	sim_machine_create(&cfg, kernel_task_bytes(), &trace, &choice);
	kernel_setup();
	crowd_lock = sim_object_create("L", lock_model_rwsem.size, 0);
	lock_model_rwsem.init(crowd_lock, params);
	person_arrives(0, LOCK_EXCLUSIVE, 0, 1000 * U);
	for (unsigned i = 1; i <= CROWD; i++)
		person_arrives(i, LOCK_SHARED, i * U, 3000 * U);
	person_arrives(CROWD + 1, LOCK_SHARED, 2000 * U, 3000 * U);

	sim_machine_run(999 * U, false);
	crowd_looks(0x3, CROWD);
	sim_machine_run(1999 * U, false);
	crowd_looks(256 * 0x100 + 0x2, CROWD - 256);
	sim_machine_run(2999 * U, false);
	crowd_looks((CROWD + 1) * 0x100, 0);
	sim_machine_run(4000 * U, true);
	crowd_looks(0, 0);
	sim_machine_destroy(sim);
	sim_choice_finish(&choice);
}
END_TEST

/* -- beyond the golden tests ------------------------------------------------------------------------ */

/* A downgrade with a reader at the head of the queue lets in all readers, no writer. */
START_TEST(downgrade)
{
	rwsem_bench(5, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 8; downgrade L; run 10; unlock L");
	bench_task("Q", 1, 0, 1, "read L; run 1; unlock L");
	bench_task("W", 2, 0, 2, "lock L; run 1; unlock L");
	bench_task("R", 3, 0, 3, "read L; run 1; unlock L");
	bench_task("S", 4, 0, 15, "read L; run 1; unlock L");
	see(3500, "0x3 A [Q W R]");
	see(10500, "0x302 A|R [W]"); /* the caller vouches for the readers: the hint stays */
	see(14500, "0x102 A|R [W]");
	see(15500, "0x102 A|R [W S]"); /* the guard: A reads and W waits */
	see(20500, "0x2 A|R [W S]");
	run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, Q 12, R 12, W 22, S 25");
	bench_close();
}
END_TEST

/* A downgrade with a writer at the head lets in nobody. */
START_TEST(downgrade_before_writer)
{
	rwsem_bench(3, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 8; downgrade L; run 10; unlock L");
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R", 2, 0, 2, "read L; run 1; unlock L");
	see(2500, "0x3 A [W R]");
	see(10500, "0x102 A|R [W R]");
	see(20500, "0x2 A|R [W R]");
	run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, W 22, R 25");
	bench_close();
}
END_TEST

/* The first waiter is killed: the next in line is woken in its stead and finds the readers' lock open. */
START_TEST(killed_writer_lets_readers_in)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "read L; run 30; unlock L");
	bench_task("W", 1, 50, 1, "lock L kill");
	bench_task("R", 2, 0, 2, "read L; run 1; unlock L");
	bench_task("X", 3, 0, 5, "kill W");
	see(2500, "0x106 A|R [W! R]");
	see(8500, "0x200 R|R []");
	run(100);
	ck_assert_int_eq(bench_result("W", 1), -EINTR);
	bench_close();
}
END_TEST

/* The only waiter is killed: both flags go with it. A plain signal does not end a killable wait. */
START_TEST(killed_alone)
{
	rwsem_bench(3, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 18; unlock L");
	bench_task("R", 1, 0, 1, "read L kill");
	bench_task("X", 2, 0, 3, "signal R; run 4; kill R");
	see(1500, "0x3 A [R]");
	see(5500, "0x3 A [R]");
	see(9500, "0x1 A []");
	run(100);
	ck_assert_int_eq(bench_result("R", 1), -EINTR);
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_fail"), 1);
	bench_close();
}
END_TEST

/* A reader in the slow path that finds the queue empty and the writer gone owns the lock. */
START_TEST(reader_without_queue)
{
	rwsem_bench(2, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; run 5; unlock L");
	bench_task("R", 1, 0, 1, "read L; run 1; unlock L");
	bench_stop_access("R", 1, 2, 7); /* its bias is in the count; next it reads the owner */
	see(1500, "0x101 A []");
	see(5500, "0x100 - []");
	run(100);
	ck_assert_uint_eq(bench_event("L", "rwsem_rlock_fast"), 1);
	ck_assert_str_eq(bench_grants("L"), "A 0, R 7");
	bench_close();
}
END_TEST

/* A reader's trylock joins readers, and does not go past a queue though the lock is free. */
START_TEST(read_trylock)
{
	rwsem_bench(4, _i);
	bench_lock("L", "rwsem");
	bench_task("A", 0, 0, 0, "lock L; park 8; run 2; unlock L");
	bench_stop_at("A", "rwsem_wake", 1, 20);
	bench_task("W", 1, 0, 1, "lock L; run 1; unlock L");
	bench_task("R", 2, 0, 13, "read L try; unlock L; park 30; read L try; run 2; unlock L");
	bench_task("S", 3, 0, 33, "read L try; run 2; unlock L");
	see(13500, "0x2 - [W]");
	see(33500, "0x200 S|R []");
	run(100);
	ck_assert_int_eq(bench_result("R", 1), -EBUSY);
	ck_assert_str_eq(bench_grants("L"), "A 0, W 22, R 32, S 33");
	bench_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rwsem");
	TCase *tc = tcase_create("R61");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, r61_a, 0, 2);
	tcase_add_loop_test(tc, r61_b, 0, 2);
	tcase_add_loop_test(tc, no_reader_steal, 0, 2);
	tcase_add_loop_test(tc, r61_c, 0, 2);
	tcase_add_loop_test(tc, r61_d, 0, 2);
	tcase_add_loop_test(tc, r61_e, 0, 2);
	tcase_add_loop_test(tc, r61_f, 0, 2);
	tcase_add_loop_test(tc, r61_g, 0, 2);
	tcase_add_loop_test(tc, r61_h, 0, 2);
	tcase_add_loop_test(tc, r61_i, 0, 2);
	tcase_add_loop_test(tc, r61_j, 0, 2);
	tcase_add_loop_test(tc, downgrade, 0, 2);
	tcase_add_loop_test(tc, downgrade_before_writer, 0, 2);
	tcase_add_loop_test(tc, killed_writer_lets_readers_in, 0, 2);
	tcase_add_loop_test(tc, killed_alone, 0, 2);
	tcase_add_loop_test(tc, reader_without_queue, 0, 2);
	tcase_add_loop_test(tc, read_trylock, 0, 2);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
