// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache lines: price by operation, state and distance; the queue at the home; who keeps a copy. */
#include "bench.h"

#include "sim/core/prng.h"

/* Every cell of the table differs, so that a wrong one shows. */
static struct sim_config priced(unsigned sockets, unsigned cores, unsigned threads)
{
	struct sim_config cfg = { .sockets = sockets, .cores = cores, .threads = threads, .hz = 1000 };

	for (unsigned o = 0; o < SIM_OPC_COUNT; o++)
		for (unsigned s = 0; s < SIM_LSTATE_COUNT; s++)
			for (unsigned d = 0; d < SIM_DIST_COUNT; d++)
				cfg.costs.lat[o][s][d] = NS(1 + d * 100 + s * 10 + o * 1000);
	cfg.costs.scalar[SIM_COST_relax] = NS(1);
	return cfg;
}

static sim_time cell(enum sim_opclass o, enum sim_lstate s, enum sim_dist d)
{
	return NS(1 + (unsigned)d * 100 + (unsigned)s * 10 + (unsigned)o * 1000);
}

static uint64_t *word;

static void load(struct sim_task *t, void *arg)
{
	sim_access(SIM_LOAD, word, 8, 0, 0);
}

static void store(struct sim_task *t, void *arg)
{
	sim_access(SIM_STORE, word, 8, 7, 0);
}

static void add(struct sim_task *t, void *arg)
{
	sim_access(SIM_ADD, word, 8, 1, 0);
}

/* Costs of a chain of accesses, each by its own CPU, well apart in time. */
static void chain(const struct sim_config *cfg, unsigned n, const unsigned *cpu, void (*const *op)(struct sim_task *, void *),
		  const sim_time *want)
{
	static struct script s[16];

	bench_start(cfg);
	word = sim_object_create("word", 8, 0);
	for (unsigned i = 0; i < n; i++) {
		s[i] = (struct script){ 2, 0, { CALL(op[i], NULL), RUN(1) }, { 0 } };
		bench_task("t", cpu[i], 0, US(100) * i, &s[i]);
	}
	sim_machine_run(SIM_NEVER, true);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(s[i].began[1] - s[i].began[0] == want[i], "access %u took %llu, not %llu", i,
			      (unsigned long long)(s[i].began[1] - s[i].began[0]), (unsigned long long)want[i]);
	bench_end();
}

START_TEST(price_follows_state_and_distance)
{
	/* 8 sockets x 2 cores x 2 threads: cpu = thread * 16 + socket * 2 + core */
	struct sim_config cfg = priced(8, 2, 2);
	const unsigned cpu[] = { 0, 0, 16, 1, 2, 6, 0, 14, 14 };
	void (*const op[])(struct sim_task *, void *) = { load, store, add, add, store, load, load, store, load };
	const sim_time want[] = {
		cell(SIM_OPC_LOAD, SIM_LINE_MEM, SIM_DIST_SELF),  /* memory at home; exclusive */
		cell(SIM_OPC_STORE, SIM_LINE_M, SIM_DIST_SELF),	  /* hit */
		cell(SIM_OPC_RMW, SIM_LINE_M, SIM_DIST_SMT),	  /* sibling of 0 */
		cell(SIM_OPC_RMW, SIM_LINE_M, SIM_DIST_SOCKET),	  /* other core */
		cell(SIM_OPC_STORE, SIM_LINE_M, SIM_DIST_HOP1),	  /* socket 1 from socket 0 */
		cell(SIM_OPC_LOAD, SIM_LINE_M, SIM_DIST_HOP1),	  /* socket 3 from 1: one bit apart */
		cell(SIM_OPC_LOAD, SIM_LINE_S, SIM_DIST_HOP1),	  /* nearest copy: socket 1 */
		cell(SIM_OPC_STORE, SIM_LINE_S, SIM_DIST_HOP2),	  /* socket 7: farthest copy is socket 0 */
		cell(SIM_OPC_LOAD, SIM_LINE_M, SIM_DIST_SELF),	  /* hit */
	};

	chain(&cfg, 9, cpu, op, want);
}
END_TEST

START_TEST(clusters_are_nearer_than_sockets)
{
	struct sim_config cfg = priced(1, 8, 1);
	const unsigned cpu[] = { 0, 3, 4 };
	void (*const op[])(struct sim_task *, void *) = { store, add, add };
	const sim_time want[] = { cell(SIM_OPC_STORE, SIM_LINE_MEM, SIM_DIST_SELF),
				  cell(SIM_OPC_RMW, SIM_LINE_M, SIM_DIST_CLUSTER),
				  cell(SIM_OPC_RMW, SIM_LINE_M, SIM_DIST_SOCKET) };

	cfg.cluster = 4;
	chain(&cfg, 3, cpu, op, want);
}
END_TEST

START_TEST(requests_queue_at_the_home)
{
	/* 40 CPUs read a line at one instant: each is served one occupancy after the one before, in CPU order */
	struct sim_config cfg = priced(1, 64, 1);
	static struct script s[64];

	cfg.costs.occ[SIM_OPC_LOAD][SIM_DIST_SOCKET] = NS(30);
	cfg.costs.occ[SIM_OPC_LOAD][SIM_DIST_SELF] = 0;
	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	for (unsigned i = 0; i < 41; i++) {
		s[i] = (struct script){ 2, 0, { CALL(i ? load : store, NULL), RUN(1) }, { 0 } };
		bench_task("t", i, 0, i ? US(50) : 0, &s[i]);
	}
	sim_machine_run(SIM_NEVER, true);
	for (unsigned i = 1; i < 41; i++) {
		sim_time lat = cell(SIM_OPC_LOAD, i == 1 ? SIM_LINE_M : SIM_LINE_S, SIM_DIST_SOCKET);

		ck_assert_uint_eq(s[i].began[1] - s[i].began[0], NS(30) * (i - 1) + lat);
	}
	ck_assert_uint_eq(sim->objects[1].transfers[SIM_DIST_SOCKET], 40);
	bench_end();
}
END_TEST

static enum sim_dist distance_of_socket(unsigned a, unsigned b)
{
	return a == b ? SIM_DIST_SELF : __builtin_popcount(a ^ b) == 1 ? SIM_DIST_HOP1 : SIM_DIST_HOP2;
}

static enum sim_dist distance_of(unsigned a, unsigned b, unsigned sockets, unsigned cores, unsigned cluster)
{
	unsigned ca = a % (sockets * cores), cb = b % (sockets * cores);

	if (ca == cb)
		return SIM_DIST_SMT;
	if (ca / cores != cb / cores)
		return distance_of_socket(ca / cores, cb / cores);
	return cluster && ca % cores / cluster == cb % cores / cluster ? SIM_DIST_CLUSTER : SIM_DIST_SOCKET;
}

static enum sim_dist least(enum sim_dist a, enum sim_dist b)
{
	return a < b ? a : b;
}

START_TEST(sharers_beyond_the_inline_ones)
{
	/* 4096 CPUs share a line; the store that follows finds the farthest, and all must ask again */
	struct sim_config cfg = priced(64, 32, 2);
	static struct script s[2 * 4096 + 1];

	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	for (unsigned i = 0; i < 4096; i++) {
		s[i] = (struct script){ 1, 0, { CALL(load, NULL) }, { 0 } };
		bench_task("t", i, 0, US(10) * (i + 1), &s[i]);
	}
	s[8192] = (struct script){ 2, 0, { CALL(store, NULL), RUN(1) }, { 0 } };
	bench_task("w", 0, 0, SIM_S, &s[8192]);
	sim_machine_run(SIM_NEVER, true);
	ck_assert_uint_eq(s[8192].began[1] - s[8192].began[0], cell(SIM_OPC_STORE, SIM_LINE_S, SIM_DIST_HOP2));
	bench_end();
}
END_TEST

/* The price of a read is that of the nearest copy, however the CPUs are numbered and whoever has one. */
START_TEST(nearest_of_many)
{
	static const struct { unsigned sockets, cores, threads, cluster; } shape[] = {
		{ 1, 70, 1, 0 }, { 1, 40, 2, 4 }, { 3, 5, 4, 0 }, { 5, 7, 2, 3 }, { 8, 10, 1, 2 }, { 2, 33, 2, 1 }, { 64, 1, 2, 0 } };
	const unsigned sockets = shape[_i].sockets, cores = shape[_i].cores, threads = shape[_i].threads;
	struct sim_config cfg = priced(sockets, cores, threads);
	void (*op[16])(struct sim_task *, void *);
	sim_time want[16];
	unsigned cpu[16];

	cfg.cluster = shape[_i].cluster;
	for (uint64_t round = 0; round < 60; round++) {
		for (unsigned i = 0; i < 16; i++) {
			enum sim_dist d = SIM_DIST_COUNT;
			uint64_t tries = 0;

			op[i] = load;
			do {
				cpu[i] = (unsigned)(sim_draw(round, i, tries++) % (sockets * cores * threads));
				for (unsigned k = 0; k < i; k++)
					if (cpu[k] == cpu[i])
						cpu[i] = UINT32_MAX;
			} while (cpu[i] == UINT32_MAX);
			for (unsigned k = 0; k < i; k++)
				d = least(d, distance_of(cpu[i], cpu[k], sockets, cores, cfg.cluster));
			want[i] = i ? cell(SIM_OPC_LOAD, i == 1 ? SIM_LINE_M : SIM_LINE_S, d) : 0;
		}
		op[0] = store;
		want[0] = cell(SIM_OPC_STORE, SIM_LINE_MEM,
			       distance_of_socket(cpu[0] % (sockets * cores) / cores, 0));
		chain(&cfg, 16, cpu, op, want);
	}
}
END_TEST

static uint64_t seen;

static void late_reader(struct sim_task *t, void *arg)
{
	seen = sim_access(SIM_LOAD, word, 8, 0, 0);
}

START_TEST(store_shows_at_its_completion)
{
	/* a store served at 100us is complete 1101 ns later; a read served meanwhile still sees the old value */
	struct sim_config cfg = priced(1, 4, 1);
	static struct script s[4];

	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	s[0] = (struct script){ 1, 0, { CALL(add, NULL) }, { 0 } };
	s[1] = (struct script){ 1, 0, { CALL(store, NULL) }, { 0 } };
	s[2] = (struct script){ 1, 0, { CALL(late_reader, NULL) }, { 0 } };
	bench_task("a", 0, 0, 0, &s[0]);
	bench_task("w", 1, 0, US(100), &s[1]);
	bench_task("r", 2, 0, US(100) + NS(10), &s[2]);
	sim_machine_run(SIM_NEVER, true);
	ck_assert_uint_eq(seen, 1);
	ck_assert_uint_eq(*word, 7);
	/* the reader's copy went when the store completed: cpu 1 owns the line */
	bench_end();
}
END_TEST

static void widths(struct sim_task *t, void *arg)
{
	uint8_t *b = (uint8_t *)word;

	sim_access(SIM_STORE, word, 8, 0, 0);
	sim_access(SIM_STORE, b + 1, 1, 0xab, 0);
	sim_access(SIM_OR, b, 4, 0x10000, 0);
	ck_assert_uint_eq(sim_access(SIM_LOAD, word, 8, 0, 0), 0x1ab00);
	ck_assert_uint_eq(sim_access(SIM_CMPXCHG, b, 2, 0xffffab00, 0x1234), 0xab00);
	ck_assert_uint_eq(sim_access(SIM_LOAD, word, 4, 0, 0), 0x11234);
	ck_assert_uint_eq(sim_access(SIM_CMPXCHG, b, 2, 1, 2), 0x1234);
	ck_assert_uint_eq(sim_access(SIM_XCHG, b + 2, 2, 5, 0), 1);
	ck_assert_uint_eq(sim_access(SIM_ADD, word, 8, (uint64_t)-1, 0), 0x51234);
	ck_assert_uint_eq(sim_access(SIM_AND, word, 4, 0xff, 0), 0x51233);
	ck_assert_uint_eq(sim_access(SIM_XOR, word, 8, 0x30, 0), 0x33);
	ck_assert_uint_eq(sim_access(SIM_LOAD, word, 8, 0, 0), 0x03);
}

START_TEST(operations_by_width)
{
	struct sim_config cfg = priced(1, 1, 1);
	static struct script s;

	s = (struct script){ 1, 0, { CALL(widths, NULL) }, { 0 } };
	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	bench_task("t", 0, 0, 0, &s);
	sim_machine_run(SIM_NEVER, true);
	bench_end();
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, price_follows_state_and_distance);
	tcase_add_test(tc, clusters_are_nearer_than_sockets);
	tcase_add_test(tc, requests_queue_at_the_home);
	tcase_add_test(tc, sharers_beyond_the_inline_ones);
	tcase_add_loop_test(tc, nearest_of_many, 0, 7);
	tcase_add_test(tc, store_shows_at_its_completion);
	tcase_add_test(tc, operations_by_width);
}

int main(void)
{
	return bench_main("line", add_tests);
}
