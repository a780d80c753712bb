/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the core is: rates, and ratios to a floor in the same run.
 *
 *   floor    the hold model (N pending events, each popped and pushed again 1..100,000 ns
 *            ahead) on the plainest binary heap, with nothing around it
 *   evq      the same events through the event queue
 *   fiber    one switch: half of a resume and yield
 *   trace    records to a file
 *
 * Each figure is the best of several turns of CPU time. Usage: bench_core [scale], where
 * scale 10 takes ten times as long. For callgrind (instructions.sh), which counts what the host's
 * caches do not blur: bench_core hold PENDING OPERATIONS, bench_core switch OPERATIONS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/core/evq.h"
#include "sim/core/fiber.h"
#include "sim/core/prng.h"
#include "sim/core/trace.h"

#define TURNS 5

static uint64_t scale = 1;

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds per operation, best of TURNS. */
static double best(void (*turn)(uint64_t operations), uint64_t operations)
{
	double least = 1e9;

	for (unsigned i = 0; i < TURNS; i++) {
		double start = cpu_seconds(), ns;

		turn(operations);
		ns = (cpu_seconds() - start) * 1e9 / (double)operations;
		least = ns < least ? ns : least;
	}
	return least;
}

/* The same times for floor and queue: the generator of the published workload, an LCG. */
static uint64_t lcg;

static inline sim_time ahead(void)
{
	lcg = lcg * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (1 + (lcg >> 33) % 100000) * SIM_NS;
}

/* -- the floor ------------------------------------------------------------------------------ */

struct floor_event {
	sim_time time;
	uint32_t id;
};

static struct floor_event *floor_heap;
static unsigned pending;

static void floor_push(unsigned *len, struct floor_event e)
{
	unsigned i = (*len)++;

	while (i && floor_heap[(i - 1) / 2].time > e.time) {
		floor_heap[i] = floor_heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	floor_heap[i] = e;
}

static struct floor_event floor_pop(unsigned *len)
{
	struct floor_event top = floor_heap[0], last = floor_heap[--*len];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < *len) {
		if (child + 1 < *len && floor_heap[child + 1].time < floor_heap[child].time)
			child++;
		if (floor_heap[child].time >= last.time)
			break;
		floor_heap[i] = floor_heap[child];
		i = child;
	}
	floor_heap[i] = last;
	return top;
}

static void hold_on_floor(uint64_t operations)
{
	unsigned len = 0;

	lcg = 1;
	for (unsigned i = 0; i < pending; i++)
		floor_push(&len, (struct floor_event){ahead(), i});
	while (operations--) {
		struct floor_event e = floor_pop(&len);

		e.time += ahead();
		floor_push(&len, e);
	}
}

/* -- the event queue ------------------------------------------------------------------------ */

static struct sim_event *events;

static void hold_on_evq(uint64_t operations)
{
	struct sim_evq q;

	lcg = 1;
	sim_evq_init(&q);
	sim_evq_reserve(&q, pending);
	for (unsigned i = 0; i < pending; i++) {
		events[i].slot = 0; /* queued where the last turn ended */
		sim_evq_push(&q, &events[i], ahead(), i);
	}
	while (operations--) {
		struct sim_event *e = sim_evq_pop(&q);

		sim_evq_push(&q, e, e->time + ahead(), e->rank);
	}
	sim_evq_finish(&q);
}

static void hold_reserve(unsigned n)
{
	pending = n;
	floor_heap = calloc(n, sizeof(*floor_heap));
	events = calloc(n, sizeof(*events));
}

static double hold(unsigned n)
{
	double base, ours;

	hold_reserve(n);
	base = best(hold_on_floor, 1000000 * scale);
	ours = best(hold_on_evq, 1000000 * scale);
	printf("hold model, %7u pending: floor %6.1f ns %6.2f M/s   evq %6.1f ns %6.2f M/s   ratio %.2f\n", n,
	       base, 1e3 / base, ours, 1e3 / ours, ours / base);
	free(floor_heap);
	free(events);
	return ours;
}

/* -- fibers --------------------------------------------------------------------------------- */

static struct sim_fiber **fibers;
static unsigned nfibers;

static void endless(void *arg)
{
	for (;;)
		sim_fiber_yield();
}

static void switch_around(uint64_t operations)
{
	for (unsigned at = 0; operations; operations--) {
		sim_fiber_resume(fibers[at]);
		at = at + 1 == nfibers ? 0 : at + 1;
	}
}

static void switches_reserve(unsigned n)
{
	sim_fiber_pool_reset();
	nfibers = n;
	fibers = calloc(n, sizeof(struct sim_fiber *));
	for (unsigned i = 0; i < n; i++)
		fibers[i] = sim_fiber_create(endless, NULL, NULL);
}

static void switches(unsigned n, double heap_ns)
{
	double ns;

	switches_reserve(n);
	ns = best(switch_around, 2000000 * scale) / 2; /* an operation is a resume and a yield */
	printf("fiber switch, %6u fibers: %5.1f ns %6.1f M/s   %.3f of an evq pop+push\n", n, ns, 1e3 / ns,
	       ns / heap_ns);
	free(fibers);
}

/* -- traces --------------------------------------------------------------------------------- */

static char path[] = "bench-trace-XXXXXX";

/* What a contended lock writes: the fields that change from record to record are those of real traces. */
static void write_records(uint64_t operations)
{
	static const enum sim_rec_type cycle[] = {SIM_REC_CALL,     SIM_REC_BLOCK,  SIM_REC_SWITCH,
						  SIM_REC_UNLOCK,   SIM_REC_WAKEUP, SIM_REC_GRANT,
						  SIM_REC_UNLOCKED, SIM_REC_RUN};
	static const struct sim_names names = {.ncpus = 80};
	struct sim_trace_writer *w = sim_trace_writer_open(path, &names);
	struct sim_rec rec = {0};

	if (!w) {
		perror(path);
		exit(1);
	}
	for (uint64_t i = 0; i < operations; i++) {
		rec.time += 125000 + (i & 7) * 1500;
		rec.type = (uint16_t)cycle[i & 7];
		rec.cpu = (uint16_t)(i * 7 % 80);
		rec.task = (uint32_t)(i * 13 % 160) + 1;
		rec.obj = 1;
		rec.arg = i & 1;
		rec.val = i & 2 ? rec.task : 0;
		sim_trace_writer_take(w, &rec);
	}
	if (sim_trace_writer_close(w) != 0) {
		perror(path);
		exit(1);
	}
}

static void read_records(uint64_t operations)
{
	const char *error;
	struct sim_trace_reader *r = sim_trace_reader_open(path, &error);
	struct sim_rec rec;

	while (operations--)
		if (sim_trace_reader_next(r, &rec, &error) != 1)
			abort();
	sim_trace_reader_close(r);
}

static void traces(void)
{
	int fd = mkstemp(path);
	double ns;

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	ns = best(write_records, 2000000 * scale);
	printf("trace records written:     %5.1f ns %6.1f M/s   %.1f bytes each\n", ns, 1e3 / ns,
	       (double)lseek(fd, 0, SEEK_END) / (2e6 * (double)scale));
	ns = best(read_records, 2000000 * scale);
	printf("trace records read:        %5.1f ns %6.1f M/s\n", ns, 1e3 / ns);
	close(fd);
	unlink(path);
}

/* -- distributions -------------------------------------------------------------------------- */

static volatile uint64_t sink;

static void draw_exp(uint64_t operations)
{
	while (operations--)
		sink = sim_dist_exp(sim_draw(1, 2, operations), SIM_US);
}

static void draw_lognormal(uint64_t operations)
{
	while (operations--)
		sink = sim_dist_lognormal(sim_draw(1, 2, operations), SIM_US, 500000);
}

/* One thing only, to be counted. */
static int counted(int argc, char **argv)
{
	bool queue = !strcmp(argv[1], "hold");
	uint64_t operations = strtoull(argv[argc - 1], NULL, 10);

	if (argc != (queue ? 4 : 3))
		return 2;
	if (queue) {
		hold_reserve((unsigned)strtoul(argv[2], NULL, 10));
		hold_on_evq(operations);
		return 0;
	}
	sim_fiber_pool_init(1);
	switches_reserve(1);
	switch_around(operations);
	return 0;
}

int main(int argc, char **argv)
{
	double heap_ns;

	if (argc > 1 && (!strcmp(argv[1], "hold") || !strcmp(argv[1], "switch")))
		return counted(argc, argv);
	if (argc > 1)
		scale = strtoull(argv[1], NULL, 10);
	hold(100);
	heap_ns = hold(1000);
	hold(10000);
	hold(100000);
	hold(1000000);
	sim_fiber_pool_init(10000);
	switches(1, heap_ns);
	switches(1000, heap_ns);
	switches(10000, heap_ns);
	traces();
	printf("exponential draw:          %5.1f ns\n", best(draw_exp, 1000000 * scale));
	printf("lognormal draw:            %5.1f ns\n", best(draw_lognormal, 300000 * scale));
	return 0;
}
