// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole-program speed: scenarios as users write them, timed in CPU seconds of this
 * process, next to plain-C floors with the same events and no machine around them.
 *
 * Workloads: W1 (N tasks: think 10 us, lock, hold 1 us, unlock), W2 (40 periodic tasks,
 * rate-monotonic, 4 CPUs), a ticket storm polled and parked, 2000 tasks on one mutex.
 * Run records feed the folds and oracles; no trace file unless a line says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/machine/machine.h"
#include "sim/run/run.h"
#include "tests/bench/words.h"

struct sample {
	double seconds;
	uint64_t pairs, jobs, records, accesses;
	long rss_kib;
};

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static long peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

#define SETS 8

static bool here;	      /* do not fork: for callgrind; peak memory is then that of all rows */
static const char *asked_set; /* NAME=VALUE of the command line, after the workload's own */

static struct sample run_here(const char *text, const char *const *sets, const char *trace, bool poll)
{
	const char *all[SETS] = { NULL };
	struct scn_options so = { .vocabulary = run_vocabulary(), .sets = all };
	struct run_options ro = { .trace_path = trace, .poll = poll };
	struct sim_diags diags = { 0 };
	struct scenario *scn;
	struct sample s = { 0 };
	char *error = NULL;
	unsigned n = 0;

	for (; sets && sets[n] && n < SETS - 2; n++)
		all[n] = sets[n];
	all[n] = asked_set;
	scn = scenario_parse("bench.lks", text, strlen(text), &so, &diags);
	if (!scn) {
		sim_diag_print(stderr, &diags, false);
		exit(1);
	}
	s.seconds = cpu_seconds();

	struct run_result *r = run_scenario(scn, &ro, &error);

	s.seconds = cpu_seconds() - s.seconds;
	if (!r || r->nfinding) {
		fprintf(stderr, "bench: %s\n", r ? r->finding[0].text : error);
		exit(1);
	}
	for (unsigned i = 0; i < r->nlock; i++)
		s.pairs += r->lock[i].acquisitions[0] + r->lock[i].acquisitions[1];
	for (unsigned i = 0; i < r->ntask; i++)
		s.jobs += r->task[i].jobs;
	s.records = r->records;
	s.accesses = r->accesses;
	s.rss_kib = peak_kib();
	run_result_free(r);
	scenario_free(scn);
	return s;
}

/* In a child of its own, so that peak memory is that of the run. */
static struct sample run_text(const char *text, const char *const *sets, const char *trace, bool poll)
{
	struct sample s = { 0 };
	int fd[2];

	if (here)
		return run_here(text, sets, trace, poll);
	if (pipe(fd))
		exit(1);
	fflush(stdout);
	if (!fork()) {
		s = run_here(text, sets, trace, poll);
		_exit(write(fd[1], &s, sizeof(s)) != sizeof(s));
	}
	close(fd[1]);
	if (read(fd[0], &s, sizeof(s)) != sizeof(s)) {
		printf("  (did not run)\n");
		s.seconds = 1e9;
	}
	close(fd[0]);
	wait(NULL);
	return s;
}

/* -- floors ---------------------------------------------------------------------------- */

struct node {
	uint64_t at;
	unsigned id;
};

static struct node heap[4096];
static unsigned nheap;

static void heap_push(uint64_t at, unsigned id)
{
	unsigned i = nheap++;

	for (; i && heap[(i - 1) / 2].at > at; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = (struct node){ at, id };
}

static struct node heap_pop(void)
{
	struct node top = heap[0], last = heap[--nheap];
	unsigned i = 0, c;

	while ((c = 2 * i + 1) < nheap) {
		if (c + 1 < nheap && heap[c + 1].at < heap[c].at)
			c++;
		if (last.at <= heap[c].at)
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
	return top;
}

/* W1 without a machine: the same two timers and four lock events a pair. */
static double floor_w1(unsigned n, uint64_t pairs)
{
	static unsigned queue[4096], head, tail, left[4096];
	static unsigned char holding[4096];
	double t = cpu_seconds();
	uint64_t now = 0, done = 0;
	int owner = -1;

	head = tail = nheap = 0;
	memset(holding, 0, sizeof(holding));
	for (unsigned i = 0; i < n; i++) {
		left[i] = (unsigned)(pairs / n);
		heap_push(10000000, i);
	}
	while (nheap) {
		struct node e = heap_pop();
		now = e.at;
		if (holding[e.id]) {
			holding[e.id] = 0;
			done++;
			owner = -1;
			if (--left[e.id])
				heap_push(now + 10000000, e.id);
			if (head != tail) {
				owner = (int)queue[head++ % 4096];
				holding[owner] = 1;
				heap_push(now + 1000000, (unsigned)owner);
			}
		} else if (owner < 0) {
			owner = (int)e.id;
			holding[e.id] = 1;
			heap_push(now + 1000000, e.id);
		} else {
			queue[tail++ % 4096] = e.id;
		}
	}
	t = cpu_seconds() - t;
	return (double)done / t;
}

/* One heap pop and push with @n pending: the hold model. */
static double floor_hold(unsigned n)
{
	uint64_t x = 1, total = 4000000;
	double t;

	nheap = 0;
	for (unsigned i = 0; i < n; i++)
		heap_push(i, i);
	t = cpu_seconds();
	for (uint64_t k = 0; k < total; k++) {
		struct node e = heap_pop();

		x = x * 6364136223846793005u + 1442695040888963407u;
		heap_push(e.at + 1 + (x >> 33) % 100000, e.id);
	}
	return (double)total / (cpu_seconds() - t);
}

/* -- workloads ------------------------------------------------------------------------- */

static const char w1[] = "scenario \"W1\"\n"
			 "param n = 100\nparam turns = 20000\n"
			 "machine zero { sockets 1 cores 1000 }\n"
			 "lock l : fifo\n"
			 "task t[n] nice 0 spread pin { loop turns { run 10us  lock l  run 1us  unlock l } }\n"
			 "run until done limit 100s\n";

static const char w1_priced[] = "scenario \"W1 priced\"\n"
				"param turns = 5000\n"
				"machine westmere-ex-8s { preempt none }\n"
				"lock l : fifo\n"
				"task t[80] nice 0 spread pin { loop turns { run 10us  lock l  run 1us  unlock l } }\n"
				"run until done limit 100s\n";

static const char storm[] = "scenario \"ticket storm\"\n"
			    "param turns = 20\n"
			    "machine westmere-ex-8s { preempt none }\n"
			    "lock l : ticket\n"
			    "task t[80] nice 0 spread pin { loop turns { lock l  run 100us  unlock l } }\n"
			    "run until done limit 100s\n";

static const char many[] = "scenario \"2000 tasks on one mutex\"\n"
			   "machine westmere-ex-8s { preempt none }\n"
			   "lock l : mutex\n"
			   "task t[2000] nice 0 spread { loop { run exp(20us)  lock l  run exp(1us)  unlock l } }\n"
			   "run for 500ms\n";

static const char blocked[] = "scenario \"all blocked on one lock\"\n"
			      "machine zero { sockets 1 cores 64 }\n"
			      "param n = 100000\n"
			      "lock l : fifo\n"
			      "task holder nice 0 cpu 0 { lock l  sleep 1s  unlock l }\n"
			      "task t[n] nice 0 { at 1ms  lock l  unlock l }\n"
			      "run until done limit 100s\n";

static const char wide[] = "scenario \"4096 CPUs\"\n"
			   "machine zero { sockets 64 cores 32 threads 2 }\n"
			   "lock l : mcs\n"
			   "task t[4096] nice 0 spread pin { loop 5 { run 10us  lock l  run 1us  unlock l } }\n"
			   "run until done limit 100s\n";

static char *w2_text(void)
{
	static const unsigned period[] = { 10, 15, 20, 25, 30, 40, 50, 60, 75, 100 };
	char *text = malloc(16384), *p = text;

	p += sprintf(p, "scenario \"W2\"\nparam t = 2000s\nmachine zero { sockets 1 cores 4 preempt full }\n");
	for (unsigned i = 0; i < 40; i++) /* U = 40 * 0.08 = 3.2; rate-monotonic */
		p += sprintf(p, "task t%u fifo %u { loop { run %uus  period %ums } }\n", i, 90 - period[i % 10] / 2,
			     period[i % 10] * 80, period[i % 10]);
	sprintf(p, "run for t\n");
	return text;
}

static void line(const char *what, double rate, const char *unit, const char *note)
{
	printf("%-52s %10.3f M %s/s  %s\n", what, rate / 1e6, unit, note);
	fflush(stdout);
}

/* -- rows --------------------------------------------------------------------------------- */

static double hold_rate, floor_rate;

static void row_floors(void)
{
	line("floor: heap pop+push, 1000 pending", hold_rate, "ev", "");
	line("floor: W1 N=100 in plain C", floor_rate, "pairs", "");
}

static void row_w1(void)
{
	struct sample s = run_text(w1, NULL, NULL, false);
	char note[80];

	snprintf(note, sizeof(note), "target 5; %.3f of the floor; %ld KiB", (double)s.pairs / s.seconds / floor_rate, s.rss_kib);
	line("W1 N=100 fifo", (double)s.pairs / s.seconds, "pairs", note);
}

static void row_w1_1000(void)
{
	struct sample s = run_text(w1, (const char *const[]){ "n=1000", "turns=2000", NULL }, NULL, false);
	char note[80];

	snprintf(note, sizeof(note), "target 5; under 20 MB: %ld KiB", s.rss_kib);
	line("W1 N=1000 fifo", (double)s.pairs / s.seconds, "pairs", note);
}

static void priced(const char *set)
{
	struct sample s = run_text(w1_priced, (const char *const[]){ set, NULL }, NULL, false);
	char what[64], note[80];

	snprintf(what, sizeof(what), "W1 N=80 on 8x10 priced, %s", set + 2);
	snprintf(note, sizeof(note), "target 1; %.2f M accesses/s", (double)s.accesses / s.seconds / 1e6);
	line(what, (double)s.pairs / s.seconds, "pairs", note);
}

static void row_mutex(void)
{
	priced("l=mutex");
}

static void row_rwsem(void)
{
	priced("l=rwsem");
}

static void row_rtmutex(void)
{
	priced("l=rtmutex");
}

static void row_mcs(void)
{
	priced("l=mcs");
}

static void row_ticket(void)
{
	priced("l=ticket");
}

static void row_qspinlock(void)
{
	priced("l=qspinlock");
}

#define ACCESS_TURNS 2000000ul

static void make_accesses(struct sim_task *task, void *arg)
{
	bench_words(arg, ACCESS_TURNS);
}

static void access_program(struct sim_task *task, struct sim_act *act)
{
	bool over = act->kind == SIM_ACT_CALL;

	act->kind = over ? SIM_ACT_EXIT : SIM_ACT_CALL;
	act->fn = make_accesses;
	act->arg = task->user;
}

/* A task alone on its machine accesses a line that it owns: nothing else is ever due. */
static void row_access(void)
{
	struct sim_config cfg = { .sockets = 1, .cores = 1, .threads = 1, .hz = 0 };
	struct sim_attr attr = { .policy = SIM_NORMAL };
	struct sim_trace trace = { 0 };
	struct sim_choice choice;
	double best = 1e9;
	char note[80];

	for (unsigned o = 0; o < SIM_OPC_COUNT; o++)
		cfg.costs.lat[o][SIM_LINE_M][SIM_DIST_SELF] = 1500;
	for (unsigned turn = 0; turn < 5; turn++) {
		double t;

		sim_choice_init(&choice, SIM_CHOICE_FIXED, 1);
		sim_machine_create(&cfg, 0, &trace, &choice);
		sim_task_start(sim_task_create("t", &attr, 0, NULL, access_program, sim_object_create("word", 8, 0)), 0);
		t = cpu_seconds();
		sim_machine_run(SIM_NEVER, true);
		t = (cpu_seconds() - t) / (double)sim->accesses;
		best = t < best ? t : best;
		sim_machine_destroy(sim);
		sim_choice_finish(&choice);
	}
	snprintf(note, sizeof(note), "%.2f of a heap pop+push (target 0.33)", best * hold_rate);
	line("marked accesses with nothing else due", 1 / best, "acc", note);
}

static void row_w2(void)
{
	char *w2 = w2_text();
	struct sample s = run_text(w2, NULL, NULL, false);

	line("W2 40 periodic tasks, 4 CPUs", (double)s.jobs / s.seconds, "jobs", "target 3");
	free(w2);
}

static void row_trace(void)
{
	struct sample s = run_text(w1, NULL, "bench.trace", false);
	char note[80];

	snprintf(note, sizeof(note), "target 5 (aim 8.6); %ld KiB", s.rss_kib);
	line("W1 with trace of schedule and locks to a file", (double)s.records / s.seconds, "rec", note);
	s = run_text(w1, (const char *const[]){ "turns=80000", NULL }, "bench.trace", false);
	snprintf(note, sizeof(note), "four times as long: %ld KiB", s.rss_kib);
	line("  the same, memory flat in virtual time", (double)s.records / s.seconds, "rec", note);
	unlink("bench.trace");
}

static void row_many(void)
{
	struct sample s = run_text(many, NULL, NULL, false);
	char note[80];

	snprintf(note, sizeof(note), "target 10; %.2f M accesses", (double)s.accesses / 1e6);
	line("2000 tasks, 80 CPUs, one mutex: executed accesses", (double)s.accesses / s.seconds, "acc", note);
}

static void row_storm(void)
{
	struct sample s = run_text(storm, NULL, NULL, false);
	struct sample polled = run_text(storm, (const char *const[]){ "turns=1", NULL }, NULL, true);

	printf("%-52s %10.1f x       parked %.3f s for 20 turns, polled %.3f s for 1 (target 50)\n",
	       "ticket storm, 80 CPUs, 100 us: elision", 20 * polled.seconds / s.seconds, s.seconds, polled.seconds);
}

static void row_blocked(void)
{
	struct sample s = run_text(blocked, NULL, NULL, false);

	printf("%-52s %10.1f MiB     %.2f s (target: under 2048)\n", "100,000 tasks blocked on one lock",
	       (double)s.rss_kib / 1024, s.seconds);
}

static void row_wide(void)
{
	struct sample s = run_text(wide, NULL, NULL, false);

	printf("%-52s %10.1f MiB     %.2f s\n", "4096 CPUs, mcs", (double)s.rss_kib / 1024, s.seconds);
}

static const struct row {
	const char *name;
	void (*run)(void);
} rows[] = {
	{ "floors", row_floors }, { "w1", row_w1 },		{ "w1-1000", row_w1_1000 },	{ "mutex", row_mutex },
	{ "rwsem", row_rwsem },	  { "rtmutex", row_rtmutex },	{ "mcs", row_mcs },		{ "ticket", row_ticket },
	{ "w2", row_w2 },	  { "access", row_access },	{ "qspinlock", row_qspinlock }, { "trace", row_trace },	{ "many", row_many },
	{ "storm", row_storm },	  { "blocked", row_blocked },	{ "wide", row_wide },
};

/* bench_run [--here] [NAME=VALUE] [ROW...]: all of them, or those named, with a param of the workload set. */
int main(int argc, char **argv)
{
	int first = 1;

	if (first < argc && !strcmp(argv[first], "--here")) {
		here = true;
		first++;
	}
	if (first < argc && strchr(argv[first], '='))
		asked_set = argv[first++];
	hold_rate = here ? 0 : floor_hold(1000);
	floor_rate = here ? 0 : floor_w1(100, 4000000);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool wanted = first == argc;

		for (int a = first; a < argc; a++)
			wanted |= !strcmp(argv[a], rows[i].name);
		if (wanted)
			rows[i].run();
	}
	return 0;
}
