// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The figures of every preset, with where each comes from. "measured", "derived" and
 * "prior" are explained in presets.h; docs/machine.md says how derived figures are made.
 */
#include "sim/machine/presets.h"

#define CYC(cycles, mhz) ((sim_time)(cycles) * 1000000 / (mhz))
#define NS10(tenths) ((sim_time)(tenths) * 100) /* 0.1 ns */
#define END { NULL, 0, NULL }

/* Latencies of one distance: load, store, RMW of a line that is modified / shared there. */
#define CELLS(dist, lm, sm, rm, ls, ss, rs, source)                                                             \
	{ "load_m_" dist, lm, source }, { "store_m_" dist, sm, source }, { "rmw_m_" dist, rm, source },         \
	{ "load_s_" dist, ls, source }, { "store_s_" dist, ss, source }, { "rmw_s_" dist, rs, source }

/* Accesses that the own cache serves. */
#define LOCAL(load, store, rmw, source, rmw_source)                                                             \
	{ "load_m_self", load, source }, { "load_s_self", load, source }, { "store_m_self", store, source },    \
	{ "store_s_self", store, source }, { "rmw_m_self", rmw, rmw_source }, { "rmw_s_self", rmw, rmw_source }

#define MEMORY(dist, v, source) { "load_mem_" dist, v, source }, { "store_mem_" dist, v, source }, { "rmw_mem_" dist, v, source }

/*
 * Where only a ping-pong of compare-exchanges was measured (one way = what one RMW waits
 * for a line modified elsewhere), the other five cells keep the proportions that libslock
 * measured on Westmere-EX at the same kind of distance.
 */
#define RATIO " (rmw_m; the rest in libslock's Westmere-EX proportions)"
#define PART(x, num, den) ((x) * (num) / (den))
#define PING(dist, x, source)                                                                                   \
	CELLS(dist, PART(x, 109, 120), PART(x, 115, 120), x, PART(x, 44, 120), PART(x, 116, 120),               \
	      PART(x, 113, 120), source RATIO)
#define PING_HOP1(x, source)                                                                                    \
	CELLS("hop1", PART(x, 289, 324), PART(x, 320, 324), x, PART(x, 223, 324), PART(x, 318, 324),            \
	      PART(x, 312, 324), source RATIO)
#define PING_HOP2(x, source)                                                                                    \
	CELLS("hop2", PART(x, 400, 430), PART(x, 431, 430), x, PART(x, 334, 430), PART(x, 428, 430),            \
	      PART(x, 423, 430), source RATIO)
/* Siblings share the first-level cache: what only they share costs as much as an own line (extrapolate()). */
#define PING_SMT(x, source) { "load_m_smt", x, source }, { "store_m_smt", x, source }, { "rmw_m_smt", x, source }

/* Where only part of the table could be checked, against a lecture that quotes it, the rest is "as recalled". */
#define LIBSLOCK "measured: libslock, SOSP'13, tables 2-3"
#define RECALLED " (as recalled)"
#define PARTLY " (modified lines checked against a quotation, shared ones as recalled)"
#define PINGPONG "measured: core-to-core CAS ping-pong, one way, "

/* -- scheduler side ---------------------------------------------------------------------- */

static const struct sim_figure scheduling[] = {
	{ "relax", NS10(30), "prior: PAUSE before Skylake, about 10 cycles" },
	{ "preempt_off", 870, "derived: half of 1.74 ns a pair, 500-fd select() with and without PREEMPT, LKML July 2005" },
	{ "preempt_on", 870, "derived: as preempt_off" },
	{ "context_switch", 1250 * SIM_NS, "derived: perf bench sched pipe on one CPU, 2.79 us for two switches and two calls" },
	{ "wake", 1000 * SIM_NS, "derived: the waker's 0.8-1.2 us of published sleeping hand-overs" },
	{ "ipi", 900 * SIM_NS, "derived: 100000 unicast IPIs in 131.7-145.9 ms, 2/3 of 1.35 us; guests on Xeon, idle=poll" },
	{ "ipi_handler", 450 * SIM_NS, "derived: the other third of ipi" },
	{ "tick", 2000 * SIM_NS, "prior: 1-3 us" },
	{ "timer_irq", 1000 * SIM_NS, "prior: a tick without its accounting" },
	{ "irq_entry", 500 * SIM_NS, "prior" },
	{ "syscall", 80 * SIM_NS, "prior: 60-100 ns, servers of 2014" },
	{ "fault", 300 * SIM_NS, "derived: 715 + 330 cycles of fault and return, Haswell, LKML 2014, at 3.5 GHz" },
	{ "sched_clock", 10 * SIM_NS, "prior: rdtsc and scaling" },
	END
};

#define IDLE(name, where, ...)                                                                                  \
	static const struct sim_idle_state name##_states[] = { __VA_ARGS__ };                                   \
	static const struct sim_idle_table name = { name##_states, sizeof(name##_states) / sizeof(name##_states[0]), where }
#define IS(residency_us, exit_us) { (residency_us) * SIM_US, (exit_us) * SIM_US }
#define INTEL_IDLE "measured: exit latency and target residency as the kernel's intel_idle assumes them, "

IDLE(idle_nehalem, INTEL_IDLE "nehalem", IS(6, 3), IS(20, 10), IS(80, 20), IS(800, 200));
IDLE(idle_snb, INTEL_IDLE "snb", IS(2, 2), IS(20, 10), IS(211, 80), IS(345, 104));
IDLE(idle_ivb, INTEL_IDLE "ivb", IS(1, 1), IS(20, 10), IS(156, 59), IS(300, 80));
IDLE(idle_ivt_8s, INTEL_IDLE "ivt, 8 sockets", IS(1, 1), IS(500, 10), IS(600, 59), IS(700, 88));
IDLE(idle_skx, INTEL_IDLE "skx", IS(2, 2), IS(20, 10), IS(600, 133));
IDLE(idle_c1, "prior: halt only; deeper states of this machine have no published figures here", IS(1, 1));

/* -- Intel ---------------------------------------------------------------------------------- */

static const struct sim_figure westmere_ex[] = {
	LOCAL(CYC(5, 2130), CYC(5, 2130), CYC(16, 2130), LIBSLOCK ", L1 5 cycles" RECALLED,
	      "derived: L1 5 cycles + 11, what an atomic adds to a load on the same die (libslock)"),
	PING_SMT(NS10(89), "derived: CAS ping-pong of Westmere-EP X5650, 7.1 ns x 2.67/2.13 GHz"),
	CELLS("socket", CYC(109, 2130), CYC(115, 2130), CYC(120, 2130), CYC(44, 2130), CYC(116, 2130), CYC(113, 2130),
	      LIBSLOCK ", Xeon E7-8867L, same die" PARTLY),
	CELLS("hop1", CYC(289, 2130), CYC(320, 2130), CYC(324, 2130), CYC(223, 2130), CYC(318, 2130), CYC(312, 2130),
	      LIBSLOCK ", Xeon E7-8867L, one hop" PARTLY),
	CELLS("hop2", CYC(400, 2130), CYC(431, 2130), CYC(430, 2130), CYC(334, 2130), CYC(428, 2130), CYC(423, 2130),
	      LIBSLOCK ", Xeon E7-8867L, two hops" RECALLED),
	MEMORY("self", CYC(355, 2130), LIBSLOCK ", load of an uncached line, 355 cycles"),
	MEMORY("hop1", CYC(492, 2130), LIBSLOCK ", 492 cycles" RECALLED),
	MEMORY("hop2", CYC(601, 2130), LIBSLOCK ", 601 cycles" RECALLED),
	{ "context_switch", 1500 * SIM_NS, "prior: pinned futex switch 1.3-1.9 us, Woodcrest to Sandy Bridge (2010)" },
	{ "relax", CYC(10, 2130), "prior: PAUSE before Skylake, about 10 cycles" },
	END
};

#define IVB_EP "prior: Ivy Bridge-EP parameters of Schweizer, Besta, Hoefler, PACT'15"

static const struct sim_figure sandybridge_ep[] = {
	LOCAL(NS10(18), NS10(18), NS10(71), IVB_EP ", L1 1.8 ns", IVB_EP ", L1 1.8 + CAS 5.3 ns"),
	PING_SMT(NS10(89), PINGPONG "E5-2690 x2"),
	PING("socket", NS10(320), PINGPONG "E5-2690 x2, 23-63 ns"),
	PING_HOP1(NS10(1140), PINGPONG "E5-2690 x2, median, 99-172 ns"),
	MEMORY("self", NS10(800), IVB_EP ", memory 80 ns"),
	MEMORY("hop1", NS10(1460), IVB_EP ", memory 80 + hop 66 ns"),
	END
};

static const struct sim_figure sandybridge_en[] = {
	LOCAL(NS10(24), NS10(24), NS10(94), IVB_EP ", L1 1.8 ns x 2.9/2.2", IVB_EP ", 7.1 ns x 2.9/2.2"),
	PING_SMT(NS10(110), "derived: E5-2690's ping-pong, core-clocked part x 2.9/2.2 GHz"),
	PING("socket", NS10(400), "derived: E5-2690's ping-pong, core-clocked part x 2.9/2.2 GHz, 38-42 ns"),
	MEMORY("self", NS10(850), "prior: as sandybridge-ep-2s, slower clock"),
	{ "context_switch", 1500 * SIM_NS, "prior: pinned futex switch 1.3-1.9 us, Woodcrest to Sandy Bridge" },
	END
};

static const struct sim_figure ivybridge_4c8t[] = {
	LOCAL(NS10(11), NS10(11), NS10(50), "derived: 4 cycles at 3.7 GHz", "prior: between i7-4930K and i5-4590"),
	PING_SMT(NS10(65), "derived: 6-7 ns, CAS ping-pong of i7-4930K (Ivy Bridge-E)"),
	PING("socket", NS10(250), "derived: 22-28 ns, between the ping-pongs of i7-4930K and i5-4590"),
	MEMORY("self", NS10(650), "prior: desktop memory, 65 ns (Haswell, PACT'15)"),
	{ "syscall", 80 * SIM_NS, "prior: 60-100 ns" },
	END
};

static const struct sim_figure ivybridge_ex[] = {
	LOCAL(NS10(18), NS10(18), NS10(71), IVB_EP ", L1 1.8 ns", IVB_EP ", L1 1.8 + CAS 5.3 ns"),
	PING_SMT(NS10(89), "prior: as E5-2690"),
	PING("socket", NS10(450), "prior: a ring of 15 cores, as the 14 of Broadwell E5-2680 v4 (45 ns)"),
	PING_HOP1(NS10(1280), "prior: as Broadwell E5-2680 v4 (128 ns)"),
	PING_HOP2(NS10(1700), "derived: one hop x 430/324, libslock's Westmere-EX"),
	MEMORY("self", NS10(800), IVB_EP ", memory 80 ns"),
	MEMORY("hop1", NS10(1460), IVB_EP ", memory 80 + hop 66 ns"),
	MEMORY("hop2", NS10(2120), "derived: one hop more"),
	END
};

static const struct sim_figure cascadelake[] = {
	LOCAL(NS10(12), NS10(12), NS10(59), "prior: Haswell L1 1.17 ns, PACT'15", "prior: Haswell L1 + CAS 4.7 ns, PACT'15"),
	PING_SMT(NS10(76), PINGPONG "Xeon 8275CL x2"),
	PING("socket", NS10(470), PINGPONG "Xeon 8275CL x2"),
	PING_HOP1(NS10(1340), PINGPONG "Xeon 8275CL x2"),
	MEMORY("self", NS10(800), "prior: 80 ns"),
	MEMORY("hop1", NS10(1400), "prior: 140 ns"),
	{ "relax", CYC(44, 3000), "prior: 44 cycles; Skylake's 140 contradict 617f3ef95177: 100 pauses in less than 2.69 us" },
	{ "syscall", 300 * SIM_NS, "prior: about 300 ns after the 2018 mitigations" },
	END
};

/* -- AMD -------------------------------------------------------------------------------------- */

#define MCM RECALLED " (mean of one die in the package and two on other packages)"

static const struct sim_figure opteron[] = {
	LOCAL(CYC(3, 2100), CYC(3, 2100), CYC(32, 2100), LIBSLOCK ", L1 3 cycles" RECALLED,
	      "derived: L1 3 cycles + 29, what an atomic adds to a load on the same die (libslock)"),
	CELLS("socket", CYC(81, 2100), CYC(83, 2100), CYC(110, 2100), CYC(83, 2100), CYC(246, 2100), CYC(272, 2100),
	      LIBSLOCK ", Opteron 6172, same die" RECALLED),
	CELLS("hop1", CYC(168, 2100), CYC(185, 2100), CYC(210, 2100), CYC(172, 2100), CYC(276, 2100), CYC(302, 2100),
	      LIBSLOCK ", Opteron 6172" MCM),
	CELLS("hop2", CYC(252, 2100), CYC(273, 2100), CYC(296, 2100), CYC(254, 2100), CYC(296, 2100), CYC(332, 2100),
	      LIBSLOCK ", Opteron 6172, two hops" RECALLED),
	MEMORY("self", CYC(136, 2100), LIBSLOCK ", load of an uncached line, 136 cycles" RECALLED),
	MEMORY("hop1", CYC(244, 2100), LIBSLOCK ", 237 and 247 cycles" MCM),
	MEMORY("hop2", CYC(327, 2100), LIBSLOCK ", 327 cycles" RECALLED),
	{ "occ_load_socket", CYC(83, 2100), "derived: probe broadcasts hold the line at its home until all have answered: load_s" },
	{ "occ_load_hop1", CYC(172, 2100), "derived: as occ_load_socket" },
	{ "occ_load_hop2", CYC(254, 2100), "derived: as occ_load_socket" },
	{ "context_switch", 1500 * SIM_NS, "prior: pinned futex switch 1.3-1.9 us (2010)" },
	{ "relax", CYC(10, 2100), "prior: PAUSE, about 10 cycles" },
	END
};

#define ZEN_ATOMIC "prior: Zen 4 virtual machine, user-mode CAS 3.4-4.2 ns"

static const struct sim_figure milan[] = {
	LOCAL(NS10(11), NS10(11), NS10(42), "prior: 4 cycles at 3.6 GHz", ZEN_ATOMIC),
	PING_SMT(NS10(98), PINGPONG "EPYC 7R13 x2"),
	PING("cluster", NS10(230), PINGPONG "EPYC 7R13 x2, same CCX"),
	PING("socket", NS10(1510), PINGPONG "EPYC 7R13 x2, median, 84-207 ns"),
	PING_HOP1(NS10(1970), PINGPONG "EPYC 7R13 x2, median, 182-208 ns"),
	MEMORY("self", NS10(1000), "prior: 100 ns"),
	MEMORY("hop1", NS10(1900), "prior: 190 ns"),
	{ "relax", CYC(65, 3600), "prior: PAUSE of Zen 2 and later, about 65 cycles" },
	{ "syscall", 100 * SIM_NS, "prior: about 100 ns" },
	END
};

static const struct sim_figure genoa[] = {
	LOCAL(NS10(11), NS10(11), NS10(34), "prior: 4 cycles at 3.7 GHz", ZEN_ATOMIC ", low end"),
	PING_SMT(NS10(68), "derived: Ryzen 7950X's ping-pong, 5 ns x 5.0/3.7 GHz"),
	PING("cluster", NS10(220), "prior: same CCX 20-25 ns"),
	PING("socket", NS10(1200), "prior: same socket 110-130 ns"),
	PING_HOP1(NS10(2100), "prior: other socket 200-220 ns"),
	MEMORY("self", NS10(1100), "prior: 110 ns"),
	MEMORY("hop1", NS10(2000), "prior: 200 ns"),
	{ "relax", CYC(65, 3700), "prior: PAUSE of Zen 2 and later, about 65 cycles" },
	{ "syscall", 100 * SIM_NS, "prior: about 100 ns" },
	END
};

/* -- ARM --------------------------------------------------------------------------------------- */

static const struct sim_figure kunpeng[] = {
	LOCAL(NS10(15), NS10(15), NS10(60), "prior: 4 cycles at 2.6 GHz", "prior: LSE atomic in the own cache"),
	PING("socket", NS10(360), PINGPONG "Kunpeng 920, same die"),
	PING_HOP1(NS10(810), PINGPONG "Kunpeng 920, other die"),
	PING_HOP2(NS10(1110), "derived: one hop x 296/216, libslock's Opteron; no measured figure"),
	MEMORY("self", NS10(1000), "prior: 100 ns"),
	{ "relax", NS10(10), "prior: YIELD is a hint that costs about a cycle or two" },
	{ "syscall", 100 * SIM_NS, "prior: about 100 ns" },
	END
};

static const struct sim_figure graviton3[] = {
	LOCAL(NS10(15), NS10(15), NS10(50), "prior: 4 cycles at 2.6 GHz", "prior: LSE atomic in the own cache"),
	PING("socket", NS10(460), PINGPONG "Graviton3, 30-58 ns"),
	MEMORY("self", NS10(1100), "prior: 110 ns"),
	{ "relax", NS10(10), "prior: YIELD is a hint that costs about a cycle or two" },
	{ "syscall", 100 * SIM_NS, "prior: about 100 ns" },
	END
};

/* -- single processors of 2005 ------------------------------------------------------------------ */

#define ONLY_CPU "prior: another CPU does not exist on this machine; memory latency stands in"

static const struct sim_figure of_2005[] = {
	{ "context_switch", 2000 * SIM_NS, "prior: processors of 2005" },
	{ "syscall", 200 * SIM_NS, "measured: 432 cycles of getpid() and 820 of gettimeofday(), Pentium 4, Linux Journal 6516" },
	{ "fault", 500 * SIM_NS, "prior: processors of 2005" },
	{ "sched_clock", 30 * SIM_NS, "prior: processors of 2005" },
	END
};

static const struct sim_figure k8[] = {
	LOCAL(CYC(3, 2000), CYC(3, 2000), CYC(20, 2000), "prior: K8 L1, 3 cycles",
	      "prior: locked operation of K8, about 20 cycles at 2 GHz"),
	CELLS("socket", NS10(700), NS10(700), NS10(700), NS10(700), NS10(700), NS10(700), ONLY_CPU),
	MEMORY("self", NS10(700), "prior: on-die memory controller, 70 ns"),
	{ "relax", CYC(2, 2000), "prior: PAUSE of K8 is nearly free" },
	END
};

static const struct sim_figure pentium4[] = {
	LOCAL(CYC(4, 2800), CYC(4, 2800), CYC(100, 2800), "prior: Prescott L1, 4 cycles",
	      "prior: locked operation of Pentium 4, 70-120 cycles"),
	CELLS("socket", NS10(1400), NS10(1400), NS10(1400), NS10(1400), NS10(1400), NS10(1400), ONLY_CPU),
	MEMORY("self", NS10(1400), "prior: front-side bus, 140 ns"),
	{ "relax", CYC(40, 2800), "prior: PAUSE of Pentium 4, about 40 cycles" },
	END
};

/* -- machines that do not exist --------------------------------------------------------------------- */

#define TEN "defined: every action on this machine costs 10 ns, interrupts nothing"
#define TEN_NS(name) { name, 10 * SIM_NS, TEN }

static const struct sim_figure uniform[] = {
	TEN_NS("line"), TEN_NS("relax"), TEN_NS("preempt_off"), TEN_NS("preempt_on"), TEN_NS("context_switch"),
	TEN_NS("wake"), TEN_NS("ipi"), TEN_NS("syscall"), TEN_NS("fault"), TEN_NS("sched_clock"), TEN_NS("idle_exit"),
	END
};

static const struct sim_figure zero[] = {
	{ "relax", SIM_NS, "defined: a spin loop has to make progress" },
	END
};

/* -- the table ---------------------------------------------------------------------------------------- */

#define ABOUT(n, s, w) .about = { .name = n, .summary = s, .source = w }
#define SHAPE(s, c, t, l) .sockets = s, .cores = c, .threads = t, .cluster = l
#define SOFTWARE(mhz, ticks, model) .clock_khz = (mhz) * 1000u, .hz = ticks, .preempt = SIM_PREEMPT_##model
#define COSTS(figs, idle_table) .figures = { scheduling, figs }, .idle = &idle_table

const struct sim_preset_data sim_preset_data[] = {
	{ ABOUT("uniform", "4 CPUs on which every action costs 10 ns, interrupts nothing: for teaching", "defined"),
	  SHAPE(1, 4, 1, 0), SOFTWARE(1000, 1000, FULL), .figures = { uniform }, .bare = true },
	{ ABOUT("zero", "4 CPUs on which nothing costs anything but a spin's turn (1 ns): for logic", "defined"),
	  SHAPE(1, 4, 1, 0), SOFTWARE(1000, 1000, FULL), .figures = { zero }, .bare = true },
	{ ABOUT("westmere-ex-8s", "8 x 10 cores Xeon E7-8867L (2011), Hyper-Threading off: AIM7 on 80 cores",
		"libslock, SOSP'13, tables 2-3; HT state of the AIM7 machine was not published, node controllers cost extra there"),
	  SHAPE(8, 10, 1, 0), SOFTWARE(2130, 1000, VOLUNTARY), COSTS(westmere_ex, idle_nehalem) },
	{ ABOUT("sandybridge-ep-2s", "2 x 8 cores x 2 threads Xeon E5-2690 (2012): multi-reader PI rwsem, 32 CPUs",
		"core-to-core CAS ping-pong of E5-2690 x2"),
	  SHAPE(2, 8, 2, 0), SOFTWARE(2900, 1000, VOLUNTARY), COSTS(sandybridge_ep, idle_snb) },
	{ ABOUT("sandybridge-en", "6 cores x 2 threads Xeon E5-2430 (2012): multi-reader PI rwsem, 12 CPUs",
		"ping-pong of E5-2690, scaled by the clock"),
	  SHAPE(1, 6, 2, 0), SOFTWARE(2200, 1000, VOLUNTARY), COSTS(sandybridge_en, idle_snb) },
	{ ABOUT("ivybridge-4c8t", "4 cores x 2 threads i7-3770K (2012): malloc1 with spinning readers",
		"ping-pongs of its neighbours i7-4930K and i5-4590"),
	  SHAPE(1, 4, 2, 0), SOFTWARE(3690, 1000, VOLUNTARY), COSTS(ivybridge_4c8t, idle_ivb) },
	{ ABOUT("ivybridge-ex-8s", "8 x 15 cores x 2 threads Xeon E7 v2 (2014): rwsem micro-benchmark, 240 CPUs",
		"no measurement of this machine: Ivy Bridge-EP, Broadwell-EP and Westmere-EX combined"),
	  SHAPE(8, 15, 2, 0), SOFTWARE(2800, 1000, VOLUNTARY), COSTS(ivybridge_ex, idle_ivt_8s) },
	{ ABOUT("opteron-48", "8 dies x 6 cores Opteron 6172 (2010), dies as sockets: ticket-lock collapse",
		"libslock, SOSP'13, tables 2-3"),
	  SHAPE(8, 6, 1, 0), SOFTWARE(2100, 1000, VOLUNTARY), COSTS(opteron, idle_c1) },
	{ ABOUT("cascadelake-2s", "2 x 24 cores x 2 threads Xeon 8275CL (2019): rwsem without reader spinning",
		"core-to-core CAS ping-pong of 8275CL x2"),
	  SHAPE(2, 24, 2, 0), SOFTWARE(3000, 250, VOLUNTARY), COSTS(cascadelake, idle_skx) },
	{ ABOUT("epyc-milan-2s", "2 x 48 cores x 2 threads EPYC 7R13 (2021), 8 cores per L3",
		"core-to-core CAS ping-pong of 7R13 x2"),
	  SHAPE(2, 48, 2, 8), SOFTWARE(2650, 250, VOLUNTARY), COSTS(milan, idle_c1) },
	{ ABOUT("epyc-9654-2s", "2 x 96 cores x 2 threads EPYC 9654 (2022), 8 cores per L3: NUMA qspinlock",
		"priors only: no measurement of this machine was found"),
	  SHAPE(2, 96, 2, 8), SOFTWARE(2400, 250, VOLUNTARY), COSTS(genoa, idle_c1) },
	{ ABOUT("kunpeng-920", "4 dies x 32 cores Kunpeng 920 (2019), dies as sockets: NUMA qspinlock",
		"core-to-core CAS ping-pong; between packages extrapolated"),
	  SHAPE(4, 32, 1, 0), SOFTWARE(2600, 250, VOLUNTARY), COSTS(kunpeng, idle_c1) },
	{ ABOUT("graviton3", "64 cores Graviton3 (2022)", "core-to-core CAS ping-pong"),
	  SHAPE(1, 64, 1, 0), SOFTWARE(2600, 250, VOLUNTARY), COSTS(graviton3, idle_c1) },
	{ ABOUT("k8-up", "one Athlon 64 class CPU (2005), kernel up: cost of uncontended locks",
		"locked operations as 500-fd select(), LKML July 2005, suggests"),
	  SHAPE(1, 1, 1, 0), SOFTWARE(2000, 1000, NONE), .up = true, .figures = { scheduling, of_2005, k8 },
	  .idle = &idle_c1 },
	{ ABOUT("pentium4-up", "one Pentium 4 2.8 GHz (2004), kernel up: cost of uncontended locks",
		"recalled latencies of Prescott; Linux Journal 6516 for system calls"),
	  SHAPE(1, 1, 1, 0), SOFTWARE(2800, 1000, NONE), .up = true, .figures = { scheduling, of_2005, pentium4 },
	  .idle = &idle_c1 },
};

const unsigned sim_preset_count = sizeof(sim_preset_data) / sizeof(sim_preset_data[0]);
