// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep native FILE: a scenario in threads on the machine at hand, held against its simulation. */
#include "sim/cli/native.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>

#include "sim/cli/cli.h"
#include "sim/cli/native_text.h"
#include "sim/report/json.h"
#include "sim/run/run.h"

#define NS_PER_MS 1000000
#define GAP_NS (10ll * NS_PER_MS)      /* host time between two instants, if that does not take too long */
#define GAP_LEAST_NS (3ll * NS_PER_MS) /* what it takes at least to tell them apart */
#define STAGGER_NS 100000
#define CALM_NS (800ll * NS_PER_MS) /* so long real-time tasks may keep all others out unhindered */
#define WITHIN (10 * SIM_S)
#define ATTEMPTS 3
#define SCALE_MAX 1000000

static struct {
	char *scale, *within, *attempts;
} asked;

static const GOptionEntry own_options[] = {
	{"scale", 0, 0, G_OPTION_ARG_STRING, &asked.scale,
	 "A simulated second takes N seconds (default: as the closest two events need)", "N"},
	{"within", 0, 0, G_OPTION_ARG_STRING, &asked.within,
	 "The longest that one attempt may take (default 10s)", "TIME"},
	{"attempts", 0, 0, G_OPTION_ARG_STRING, &asked.attempts,
	 "So many, each at half the speed of the one before, until one agrees (default 3)", "N"},
	{"json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print JSON", NULL},
	G_OPTION_ENTRY_NULL,
};

struct native {
	const char *path;
	struct native_plan *plan;
	struct native_how how;
	unsigned *cpu; /* of the host, by simulated CPU */
	int64_t within_ns;
	unsigned attempts, attempt; /* attempt: from 1 */
	int64_t late_ns;            /* of the last one */
	unsigned late_cpu;
	struct native_verdict *verdict; /* of the last one */
};

/* -- the simulation -------------------------------------------------------------------------------- */

/* Costs would hide what is asked here, and only a kernel that preempts is like threads in user mode. */
static void force_machine(void)
{
	static const char *const forced[] = {"machine.costs=zero", "machine.preempt=full"};
	GPtrArray *sets = g_ptr_array_new();

	for (unsigned i = 0; opt.sets && opt.sets[i]; i++)
		g_ptr_array_add(sets, opt.sets[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(forced); i++)
		g_ptr_array_add(sets, (void *)forced[i]);
	g_ptr_array_add(sets, NULL);
	opt.sets = (char **)g_ptr_array_free(sets, FALSE); /* to the end of the process, as all options */
}

static int simulate(struct native *n)
{
	struct run_options o = {
		.bound = native_plan_bound, .listen = native_plan_take, .listen_classes = NATIVE_CLASSES};
	g_autofree char *error = NULL;
	struct scenario *scn;
	struct run_result *r;
	int status;

	if (!cli_fill_run_options(&o))
		return CLI_WRONG;
	o.no_compare = true;
	scn = cli_load(n->path, stderr, cli_colour(stderr), &status);
	if (!scn)
		return status;
	if (!native_can_carry(scn, stderr)) {
		scenario_free(scn);
		return CLI_WRONG;
	}
	n->plan = native_plan_new();
	o.listen_user = n->plan; /* also of bound() */
	r = run_scenario(scn, &o, &error);
	scenario_free(scn);
	if (!r) {
		cli_error("%s", error);
		return CLI_WORLD;
	}
	native_plan_finish(n->plan, r->until);
	status = r->end == RUN_END_INTERRUPTED ? CLI_INTERRUPTED
		 : r->end == RUN_END_STEPS     ? CLI_WORLD
					       : CLI_FINE;
	run_result_free(r);
	return status;
}

/* -- the machine at hand --------------------------------------------------------------------------- */

/* The last CPUs, since the first has the host's own work; who looks has another one where there is one. */
static bool choose_cpus(struct native *n)
{
	unsigned host[CPU_SETSIZE], count = 0;
	cpu_set_t mine;

	if (sched_getaffinity(0, sizeof(mine), &mine)) {
		cli_error("sched_getaffinity: %s", g_strerror(errno));
		return false;
	}
	for (unsigned c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &mine))
			host[count++] = c;
	if (n->plan->nused > count) {
		cli_error("skipped: the tasks of %s use %u CPUs, this process may use %u (--set "
			  "machine.cores=%u?)",
			  n->path, n->plan->nused, count, count);
		return false;
	}
	n->cpu = g_new0(unsigned, n->plan->ncpus);
	for (unsigned c = 0, next = 0; c < n->plan->ncpus; c++)
		if (n->plan->used[c])
			n->cpu[c] = host[count - 1 - next++];
	n->how.cpu = n->cpu;
	n->how.watcher = host[0];
	return true;
}

static sim_time last_instant(const struct native_plan *p)
{
	return p->at->len ? g_array_index(p->at, sim_time, p->at->len - 1) : 0;
}

/* Host ns of the whole, if the closest two instants are @gap_ns apart. */
static int64_t length(const struct native_plan *p, int64_t gap_ns)
{
	return p->gap == SIM_NEVER
		       ? gap_ns
		       : (int64_t)MIN((unsigned __int128)last_instant(p) * (uint64_t)gap_ns / p->gap,
				      INT64_MAX);
}

static bool choose_scale(struct native *n)
{
	const struct native_plan *p = n->plan;
	int64_t least = MAX(GAP_LEAST_NS, 4 * STAGGER_NS * (int64_t)(p->staggers + 1)),
		gap = MAX(GAP_NS, least);
	char apart[SIM_TIME_CHARS], at[SIM_TIME_CHARS];

	n->how.stagger_ns = STAGGER_NS;
	if (n->how.ns_per_ms)
		return true;
	while (gap / 2 >= least && length(p, gap) > CALM_NS)
		gap /= 2;
	if (length(p, gap) > n->within_ns)
		gap = least;
	if (length(p, gap) > n->within_ns) {
		cli_error(
			"at %s two events are %s apart: to tell them apart a run would take %" G_GINT64_FORMAT
			" s; --within allows it",
			sim_time_format(at, p->gap_at), sim_time_format(apart, p->gap),
			length(p, gap) / 1000 / NS_PER_MS + 1);
		return false;
	}
	n->how.ns_per_ms = p->gap == SIM_NEVER ? NS_PER_MS
					       : MAX((uint64_t)((unsigned __int128)gap * SIM_MS / p->gap), 1);
	return true;
}

/* -- attempts -------------------------------------------------------------------------------------- */

static int64_t tolerance(const struct native *n)
{
	return n->plan->gap == SIM_NEVER ? GAP_NS / 2 : native_scale(&n->how, n->plan->gap) / 2;
}

/* CLI_FINE: there is a verdict. */
static int attempt(struct native *n)
{
	struct native_log *log = native_log_new(n->plan);
	int status = CLI_WORLD;

	if (!log) {
		cli_error("%s", g_strerror(errno));
		return CLI_WORLD;
	}
	if (!native_perform(n->plan, &n->how, log)) {
		status = CLI_INTERRUPTED;
	} else if (log->state == NATIVE_FORBIDDEN) {
		cli_error("skipped: %s: %s", log->doing, g_strerror(log->error));
	} else if (log->state == NATIVE_STUCK) {
		cli_error("%s: the threads were not done in time and were killed", n->path);
	} else {
		native_verdict_free(n->verdict);
		n->verdict = native_judge(n->plan, &n->how, log, tolerance(n));
		n->late_ns = log->late_ns;
		n->late_cpu = log->late_cpu;
		status = CLI_FINE;
	}
	native_log_free(log);
	return status;
}

static bool agrees(const struct native *n)
{
	return !n->verdict->difference->len;
}

/* A CPU was away for so long that the order of events is not the scenario's any more. */
static bool disturbed(const struct native *n)
{
	return n->late_ns > tolerance(n) / 2;
}

/* Half the speed, unless that is too long, or so long that the kernel lets others in. */
static void slow_down(struct native *n)
{
	int64_t now = native_scale(&n->how, last_instant(n->plan));

	if (2 * now <= n->within_ns && (2 * now <= CALM_NS || now > CALM_NS))
		n->how.ns_per_ms *= 2;
}

static int attempts(struct native *n)
{
	int status;

	for (n->attempt = 1;; n->attempt++) {
		status = attempt(n);
		if (status != CLI_FINE || agrees(n) || n->attempt == n->attempts)
			return status;
		slow_down(n);
	}
}

/* -- output ---------------------------------------------------------------------------------------- */

static void put_text(GString *out, const struct native *n)
{
	const struct native_verdict *v = n->verdict;
	struct utsname host;

	uname(&host);
	g_string_append_printf(out, "%s on %s %s, %" G_GUINT64_FORMAT ".%03u times as long, attempt %u\n",
			       n->path, host.sysname, host.release, (guint64)n->how.ns_per_ms / NS_PER_MS,
			       (unsigned)(n->how.ns_per_ms % NS_PER_MS / 1000), n->attempt);
	if (*v->grants_text)
		g_string_append_printf(out, "%s\n", v->grants_text);
	for (guint i = 0; i < v->difference->len; i++)
		g_string_append_printf(out, "differs: %s\n", (const char *)v->difference->pdata[i]);
	g_string_append_printf(out,
			       "%s: grants %u, failures %u, locks %u; priorities seen %u, raised %u, lowered "
			       "%u; times within %" G_GINT64_FORMAT "us of %" G_GINT64_FORMAT "us allowed\n",
			       agrees(n) ? "agrees" : "differs", v->grants, v->failures, n->plan->nlock,
			       v->looks, v->boosts, v->deboosts, ABS(v->off_ns) / 1000, tolerance(n) / 1000);
	if (!agrees(n) && disturbed(n))
		g_string_append_printf(
			out, "No verdict: cpu%u of this machine was withheld for %" G_GINT64_FORMAT " us.\n",
			n->late_cpu, n->late_ns / 1000);
}

static void put_json(GString *out, const struct native *n)
{
	const struct native_verdict *v = n->verdict;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "native");
	json_string(&j, "scenario", n->path);
	json_string(&j, "verdict", agrees(n) ? "agrees" : disturbed(n) ? "none" : "differs");
	json_count(&j, "attempt", n->attempt);
	json_count(&j, "host_ns_per_ms", n->how.ns_per_ms);
	json_count(&j, "grants", v->grants);
	json_count(&j, "failures", v->failures);
	json_count(&j, "looks", v->looks);
	json_count(&j, "boosts", v->boosts);
	json_count(&j, "deboosts", v->deboosts);
	json_int(&j, "off_ns", v->off_ns);
	json_int(&j, "tolerance_ns", tolerance(n));
	json_int(&j, "withheld_ns", n->late_ns);
	json_open(&j, "differences", '[');
	for (guint i = 0; i < v->difference->len; i++)
		json_string(&j, NULL, v->difference->pdata[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}

static int print(const struct native *n)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (opt.json)
		put_json(out, n);
	else if (!opt.quiet || !agrees(n))
		put_text(out, n);
	if (cli_write(out) != CLI_FINE)
		return CLI_WORLD;
	return agrees(n) ? CLI_FINE : disturbed(n) ? CLI_WORLD : CLI_MISSED;
}

/* -- the verb -------------------------------------------------------------------------------------- */

static bool read_options(struct native *n)
{
	uint64_t scale = 0, tries = ATTEMPTS;
	sim_time within = WITHIN;

	if (asked.scale && (!cli_parse_count(asked.scale, &scale) || !scale || scale > SCALE_MAX)) {
		cli_error("--scale %s: not a number from 1 to %d", asked.scale, SCALE_MAX);
		return false;
	}
	if (asked.within && (!cli_parse_time(asked.within, &within) || !within)) {
		cli_error("--within %s: not a time with its unit (ms, s)", asked.within);
		return false;
	}
	if (asked.attempts && (!cli_parse_count(asked.attempts, &tries) || !tries || tries > 100)) {
		cli_error("--attempts %s: not a number from 1 to 100", asked.attempts);
		return false;
	}
	n->how.ns_per_ms = scale * NS_PER_MS;
	n->within_ns = (int64_t)(within / SIM_NS);
	n->attempts = (unsigned)tries;
	return true;
}

static int prepare(struct native *n)
{
	int status;

	force_machine();
	status = simulate(n);
	if (status != CLI_FINE)
		return status;
	if (n->plan->unclear) {
		cli_error("%s: a native run could not be judged: %s", n->path, n->plan->unclear);
		return CLI_WRONG;
	}
	if (n->plan->ntask > NATIVE_TASKS) {
		cli_error("%s: %u tasks; a native run has %d threads at most", n->path, n->plan->ntask,
			  NATIVE_TASKS);
		return CLI_WRONG;
	}
	return choose_cpus(n) && choose_scale(n) ? CLI_FINE : CLI_WORLD;
}

static int run(int argc, char **argv)
{
	struct native n = {0};
	int status;

	if (argc != 1) {
		cli_error(argc ? "one scenario at a time" : "which scenario? Give a FILE.lks");
		return CLI_WRONG;
	}
	n.path = argv[0];
	if (!read_options(&n))
		return CLI_WRONG;
	cli_catch_interrupt();
	status = prepare(&n);
	if (status == CLI_FINE)
		status = attempts(&n);
	if (status == CLI_FINE)
		status = print(&n);
	native_verdict_free(n.verdict);
	g_free(n.cpu);
	if (n.plan)
		native_plan_free(n.plan);
	return status;
}

static const GOptionEntry *const groups[] = {own_options, cli_kernel_options, cli_text_options,
					     cli_output_options, NULL};

const struct cli_verb verb_native = {
	.name = "native",
	.args = "FILE.lks",
	.summary = "Run a scenario in threads on this machine and compare with the simulation",
	.more = "Tasks become threads with SCHED_FIFO and pinned CPUs, rtmutex locks PTHREAD_PRIO_INHERIT "
		"mutexes.\n"
		"Compared are the order of grants, answers, and effective priorities; times with a "
		"tolerance.\n"
		"Exit status: 0 agrees; 1 differs; 2 the text is wrong or has what threads cannot do; 3 not "
		"allowed here\n"
		"(no root, too few CPUs), or this machine was too busy for a verdict; 130 interrupted.\n",
	.groups = groups,
	.run = run,
};
