// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Carrying a plan out: a process of its own with a thread per task, so that nothing is left
 * behind when it ends, however it ends.
 *
 *	parent    waits, and kills the child when its time is over
 *	child     main thread: prepares, then sleeps
 *	          a thread per task
 *	          watchers, FIFO 99: one per CPU in use, which notices when the CPU is withheld (by the
 *	          hypervisor, by the fair server), and one that looks at priorities and ends it all
 *
 * Computing is burning the thread's own CPU time, so that preemption stretches it as in the
 * simulation; all pauses are until absolute times, so that lateness does not add up.
 */
#include "sim/cli/native.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"

#define NS_PER_S 1000000000
#define STRONGEST 99
#define HEARTBEAT_NS 5000000
#define START_NS 50000000         /* from the barrier to time 0 */
#define GRACE_NS (3ll * NS_PER_S) /* to start and to end */
#define STACK_BYTES (256u << 10)
#define RT_PRIOS 100
#define NICE_0 120

struct worker {
	const struct native_task *task;
	pid_t tid;
	int stat_fd;
};

static struct {
	const struct native_plan *plan;
	const struct native_how *how;
	struct native_log *log;
	struct worker *worker;
	pthread_mutex_t *mutex;
	pthread_barrier_t ready;
	int64_t start; /* CLOCK_MONOTONIC */
	uint32_t order;
} the;

/* -- time ------------------------------------------------------------------------------------------ */

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static int64_t elapsed(void)
{
	return read_clock(CLOCK_MONOTONIC) - the.start;
}

static void sleep_until(int64_t ns)
{
	struct timespec t = timespec_of(the.start + ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

int64_t native_scale(const struct native_how *how, sim_time t)
{
	return (int64_t)((unsigned __int128)t * how->ns_per_ms / SIM_MS);
}

/* -- tasks ----------------------------------------------------------------------------------------- */

static int lock_within(pthread_mutex_t *m, int64_t ns)
{
	struct timespec t = timespec_of(read_clock(CLOCK_MONOTONIC) + ns);
	int error = pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &t);

	if (error != EINVAL) /* kernels before 5.14 time PI futexes by the wall clock only */
		return error;
	t = timespec_of(read_clock(CLOCK_REALTIME) + ns);
	return pthread_mutex_timedlock(m, &t);
}

static int acquire(const struct native_act *act, int64_t extra)
{
	pthread_mutex_t *m = &the.mutex[act->obj];

	if (act->try)
		return pthread_mutex_trylock(m);
	if (act->time == SIM_NEVER)
		return pthread_mutex_lock(m);
	return lock_within(m, native_scale(the.how, act->time) + extra);
}

static int set_policy(pid_t tid, int prio)
{
	struct sched_param param = {.sched_priority = prio < RT_PRIOS ? RT_PRIOS - 1 - prio : 0};

	if (sched_setscheduler(tid, prio < RT_PRIOS ? SCHED_FIFO : SCHED_OTHER, &param))
		return errno;
	return prio >= RT_PRIOS && setpriority(PRIO_PROCESS, (id_t)tid, prio - NICE_0) ? errno : 0;
}

/* @burned: CPU time that the thread is to have used when it has computed all so far. */
static int perform(const struct native_act *act, int64_t *burned)
{
	int64_t extra = act->stagger * the.how->stagger_ns;

	switch (act->kind) {
	case NATIVE_RUN:
		*burned += native_scale(the.how, act->time) + extra;
		while (read_clock(CLOCK_THREAD_CPUTIME_ID) < *burned)
			;
		return 0;
	case NATIVE_SLEEP:
		sleep_until(native_scale(the.how, act->time) + extra);
		*burned = read_clock(CLOCK_THREAD_CPUTIME_ID);
		return 0;
	case NATIVE_LOCK:
		return acquire(act, extra);
	case NATIVE_UNLOCK:
		return pthread_mutex_unlock(&the.mutex[act->obj]);
	case NATIVE_SET:
		return set_policy(the.worker[act->obj].tid, act->prio);
	case NATIVE_YIELD:
		return sched_yield();
	}
	return EINVAL;
}

static bool is_brief(enum native_kind kind)
{
	return kind == NATIVE_UNLOCK || kind == NATIVE_SET || kind == NATIVE_YIELD;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int64_t burned = 0;

	w->tid = gettid();
	if (w->task->fair)
		setpriority(PRIO_PROCESS, (id_t)w->tid, w->task->prio - NICE_0);
	pthread_barrier_wait(&the.ready); /* all are there */
	pthread_barrier_wait(&the.ready); /* the start is known */
	for (guint i = 0; i < w->task->act->len; i++) {
		const struct native_act *act = &g_array_index(w->task->act, struct native_act, i);
		struct native_outcome *out = &the.log->out[act->index];

		if (is_brief(act->kind)) /* afterwards another one may run first */
			out->end_ns = elapsed();
		out->result = perform(act, &burned);
		out->order = __atomic_fetch_add(&the.order, 1, __ATOMIC_SEQ_CST);
		if (!is_brief(act->kind))
			out->end_ns = elapsed();
		/* a different answer: the rest of the script was written for another story */
		if (out->result != act->result && act->kind == NATIVE_LOCK && act->end != SIM_NEVER)
			break;
	}
	for (;;) /* the watcher still looks at it */
		pause();
	return NULL;
}

/* -- watchers -------------------------------------------------------------------------------------- */

static void *watch_cpu(void *arg)
{
	unsigned cpu = GPOINTER_TO_UINT(arg);
	int64_t next = 0, late;

	pthread_barrier_wait(&the.ready);
	pthread_barrier_wait(&the.ready);
	for (;;) {
		sleep_until(next);
		late = elapsed() - next;
		if (late > the.log->late_ns) {
			the.log->late_ns = late;
			the.log->late_cpu = cpu;
		}
		next += (late / HEARTBEAT_NS + 1) * HEARTBEAT_NS;
	}
	return NULL;
}

/* Field 18 of /proc/self/task/TID/stat: the effective priority, 100 below the kernel's number. */
static int32_t read_prio(int fd)
{
	char text[1024], *at;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return NATIVE_ABSENT;
	text[n] = 0;
	at = strrchr(text, ')'); /* field 2, which may hold anything */
	for (unsigned field = 2; at && field < 18; field++)
		at = strchr(at + 1, ' ');
	return at ? (int32_t)strtol(at, NULL, 10) + RT_PRIOS : NATIVE_ABSENT;
}

static int64_t look_at(guint i)
{
	const struct native_plan *p = the.plan;
	sim_time at = g_array_index(p->at, sim_time, i);
	sim_time next = i + 1 < p->at->len ? g_array_index(p->at, sim_time, i + 1) : at + p->gap;

	return native_scale(the.how, at + (next - at) / 2);
}

static void *look(void *arg)
{
	const struct native_plan *p = the.plan;

	pthread_barrier_wait(&the.ready);
	pthread_barrier_wait(&the.ready);
	for (guint i = 0; i < p->at->len; i++) {
		sleep_until(look_at(i));
		for (uint32_t t = 0; t < p->ntask; t++)
			if (g_array_index(p->prio, int, i * p->ntask + t) != NATIVE_ABSENT)
				the.log->seen[i * p->ntask + t] = read_prio(the.worker[t].stat_fd);
	}
	the.log->state = NATIVE_DONE;
	_exit(0);
	return arg;
}

/* -- the child ------------------------------------------------------------------------------------- */

static void forbidden(const char *doing, int error)
{
	the.log->doing = doing; /* a constant: at the same place in the parent */
	the.log->error = error;
	the.log->state = NATIVE_FORBIDDEN;
	_exit(0);
}

static void make_mutexes(void)
{
	static const int protocol[] = {[NATIVE_PLAIN] = PTHREAD_PRIO_NONE,
				       [NATIVE_INHERIT] = PTHREAD_PRIO_INHERIT,
				       [NATIVE_PROTECT] = PTHREAD_PRIO_PROTECT};
	const struct native_plan *p = the.plan;

	the.mutex = g_new0(pthread_mutex_t, p->nlock + 1);
	for (uint32_t i = 0; i < p->nlock; i++) {
		pthread_mutexattr_t attr;

		pthread_mutexattr_init(&attr);
		pthread_mutexattr_setprotocol(&attr, protocol[p->lock[i].kind]);
		if (p->lock[i].kind == NATIVE_PROTECT)
			pthread_mutexattr_setprioceiling(&attr, p->lock[i].ceiling);
		pthread_mutex_init(&the.mutex[i], &attr);
		pthread_mutexattr_destroy(&attr);
	}
}

static void start_thread(void *(*fn)(void *), void *arg, int fifo, const cpu_set_t *cpus)
{
	struct sched_param param = {.sched_priority = fifo};
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, fifo ? SCHED_FIFO : SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &param);
	pthread_attr_setaffinity_np(&attr, sizeof(*cpus), cpus);
	error = pthread_create(&thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	if (error)
		forbidden("starting a thread with a real-time policy", error);
}

static void start_task(uint32_t i)
{
	const struct native_task *t = &the.plan->task[i];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (unsigned c = 0; c < the.plan->ncpus; c++)
		if (t->cpu[c])
			CPU_SET(the.how->cpu[c], &cpus);
	the.worker[i] = (struct worker){.task = t, .stat_fd = -1};
	start_thread(work, &the.worker[i], t->fair ? 0 : RT_PRIOS - 1 - t->prio, &cpus);
}

static void start_watchers(void)
{
	cpu_set_t one;

	for (unsigned c = 0; c < the.plan->ncpus; c++) {
		if (!the.plan->used[c])
			continue;
		CPU_ZERO(&one);
		CPU_SET(the.how->cpu[c], &one);
		start_thread(watch_cpu, GUINT_TO_POINTER(the.how->cpu[c]), STRONGEST, &one);
	}
	CPU_ZERO(&one);
	CPU_SET(the.how->watcher, &one);
	start_thread(look, NULL, STRONGEST, &one);
}

static void open_stats(void)
{
	for (uint32_t i = 0; i < the.plan->ntask; i++) {
		g_autofree char *path = g_strdup_printf("/proc/self/task/%d/stat", (int)the.worker[i].tid);

		the.worker[i].stat_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (the.worker[i].stat_fd < 0)
			forbidden("reading /proc/self/task", errno);
	}
}

/* What a child may use at most: the last net below the look that ends it and the parent that kills it. */
static void limit(int64_t ns)
{
	rlim_t s = (rlim_t)(ns / NS_PER_S + 1) * (the.plan->nused + 1);
	struct rlimit cpu = {s, s + 1};

	setrlimit(RLIMIT_CPU, &cpu);
	signal(SIGINT, SIG_IGN); /* the parent kills it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void child(int64_t budget_ns)
{
	const struct native_plan *p = the.plan;
	struct sched_param param = {.sched_priority = STRONGEST};

	limit(budget_ns);
	/* the threads that start must not keep this one from starting the others */
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		forbidden("SCHED_FIFO", errno);
	the.worker = g_new0(struct worker, p->ntask + 1);
	pthread_barrier_init(&the.ready, NULL, p->ntask + p->nused + 2);
	make_mutexes();
	for (uint32_t i = 0; i < p->ntask; i++)
		start_task(i);
	start_watchers();
	pthread_barrier_wait(&the.ready);
	open_stats();
	the.start = read_clock(CLOCK_MONOTONIC) + START_NS;
	pthread_barrier_wait(&the.ready);
	for (;;)
		pause();
}

/* -- the parent ------------------------------------------------------------------------------------ */

static size_t log_size(const struct native_plan *p)
{
	return sizeof(struct native_log) + (size_t)(p->nacts + 1) * sizeof(struct native_outcome) +
	       (size_t)(p->prio->len + 1) * sizeof(int32_t);
}

struct native_log *native_log_new(const struct native_plan *p)
{
	size_t size = log_size(p);
	struct native_log *log = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (log == MAP_FAILED)
		return NULL;
	log->size = size;
	log->out = (struct native_outcome *)(log + 1);
	log->seen = (int32_t *)(log->out + p->nacts + 1);
	for (uint32_t i = 0; i < p->nacts; i++)
		log->out[i].end_ns = -1;
	for (guint i = 0; i < p->prio->len; i++)
		log->seen[i] = NATIVE_ABSENT;
	return log;
}

void native_log_free(struct native_log *log)
{
	if (log)
		munmap(log, log->size);
}

/* True: it ended by itself. */
static bool wait_for(pid_t pid, int64_t budget_ns)
{
	int64_t until = read_clock(CLOCK_MONOTONIC) + budget_ns;
	bool in_time = true;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (cli_interrupted || read_clock(CLOCK_MONOTONIC) > until) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			in_time = false;
			break;
		}
		g_usleep(10000);
	}
	return in_time;
}

bool native_perform(const struct native_plan *p, const struct native_how *how, struct native_log *log)
{
	int64_t budget = native_scale(how, p->end) + START_NS + GRACE_NS;
	pid_t pid;

	the.plan = p;
	the.how = how;
	the.log = log;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(budget);
	if (pid < 0) {
		log->state = NATIVE_FORBIDDEN;
		log->doing = "fork";
		log->error = errno;
		return true;
	}
	wait_for(pid, budget);
	if (log->state == NATIVE_STARTED)
		log->state = NATIVE_STUCK;
	return !cli_interrupted;
}
