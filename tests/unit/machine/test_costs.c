// SPDX-License-Identifier: GPL-2.0-or-later
/* Costs by name, and what every preset must hold. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/machine.h"
#include "tests/unit/core/run.h"

static sim_time get(const struct sim_costs *c, const char *name)
{
	sim_time v;

	ck_assert_msg(sim_cost_get(c, name, &v), "%s", name);
	return v;
}

START_TEST(every_name_sets)
{
	const char *const *names = sim_cost_names();
	unsigned n = 0, cells = 0;

	for (; names[n]; n++) {
		struct sim_costs c = { 0 };
		static const struct sim_costs nothing;
		sim_time v;

		ck_assert(sim_cost_set(&c, names[n], 7 + n));
		ck_assert_msg(memcmp(&c, &nothing, sizeof(c)), "%s sets nothing", names[n]);
		ck_assert_ptr_nonnull(sim_cost_meaning(names[n]));
		ck_assert_uint_gt(strlen(sim_cost_meaning(names[n])), 4);
		if (sim_cost_get(&c, names[n], &v)) {
			ck_assert_uint_eq(v, 7 + n);
			cells++;
		}
		for (unsigned m = 0; m < n; m++)
			ck_assert_str_ne(names[n], names[m]);
	}
	ck_assert_uint_eq(cells, SIM_SCALAR_COUNT + 3 * 3 * 6 + 3 * 6);
	ck_assert_uint_eq(n, cells + 3 + 9 + 3);
}
END_TEST

START_TEST(unknown_names)
{
	struct sim_costs c = { 0 };
	sim_time v;

	ck_assert(!sim_cost_set(&c, "load_m_hop3", 1));
	ck_assert(!sim_cost_set(&c, "", 1));
	ck_assert(!sim_cost_get(&c, "load_m", &v));
	ck_assert(!sim_cost_get(&c, "nonsense", &v));
	ck_assert_ptr_null(sim_cost_meaning("nonsense"));
}
END_TEST

START_TEST(rows_and_groups)
{
	struct sim_costs c = { 0 };

	sim_cost_set(&c, "load_m", 5);
	ck_assert_uint_eq(get(&c, "load_m_self"), 0);
	ck_assert_uint_eq(get(&c, "load_m_smt"), 5);
	ck_assert_uint_eq(get(&c, "load_m_hop2"), 5);
	ck_assert_uint_eq(get(&c, "load_s_hop2"), 0);
	sim_cost_set(&c, "load_mem", 6);
	ck_assert_uint_eq(get(&c, "load_mem_self"), 6);
	sim_cost_set(&c, "hit", 2);
	ck_assert_uint_eq(get(&c, "rmw_m_self"), 2);
	ck_assert_uint_eq(get(&c, "store_s_self"), 2);
	ck_assert_uint_eq(get(&c, "load_mem_self"), 6);
	ck_assert_uint_eq(get(&c, "load_m_smt"), 5);
	sim_cost_set(&c, "occ_rmw", 9);
	ck_assert_uint_eq(get(&c, "occ_rmw_self"), 9);
	ck_assert_uint_eq(get(&c, "occ_rmw_hop1"), 9);
	ck_assert_uint_eq(get(&c, "occ_load_hop1"), 0);
	sim_cost_set(&c, "line", 3);
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++)
		for (unsigned d = 0; d < SIM_DIST_COUNT; d++) {
			ck_assert_uint_eq(c.occ[op][d], 3);
			for (unsigned s = 0; s < SIM_LSTATE_COUNT; s++)
				ck_assert_uint_eq(c.lat[op][s][d], 3);
		}
	sim_cost_set(&c, "idle_exit", 11);
	ck_assert_uint_eq(c.nidle, 1);
	ck_assert_uint_eq(c.idle[0].residency, 0);
	ck_assert_uint_eq(c.idle[0].exit, 11);
	sim_cost_set(&c, "ipi", 12);
	ck_assert_uint_eq(c.scalar[SIM_COST_ipi], 12);
}
END_TEST

static const char *const wanted[] = {
	"uniform", "zero", "westmere-ex-8s", "sandybridge-ep-2s", "sandybridge-en", "ivybridge-4c8t", "ivybridge-ex-8s",
	"opteron-48", "cascadelake-2s", "epyc-milan-2s", "epyc-9654-2s", "kunpeng-920", "graviton3", "k8-up", "pentium4-up",
};

START_TEST(all_presets_are_there)
{
	unsigned n;
	const struct sim_preset *all = sim_preset_all(&n);
	struct sim_config cfg;

	ck_assert_uint_eq(n, sizeof(wanted) / sizeof(wanted[0]));
	for (unsigned i = 0; i < n; i++) {
		ck_assert_str_eq(all[i].name, wanted[i]);
		ck_assert_uint_gt(strlen(all[i].summary), 10);
		ck_assert_uint_gt(strlen(all[i].source), 5);
		ck_assert(sim_preset_load(all[i].name, &cfg));
		ck_assert_uint_ge(cfg.sockets * cfg.cores * cfg.threads, 1);
		ck_assert_uint_le(cfg.sockets * cfg.cores * cfg.threads, SIM_CPUS_MAX);
		ck_assert_uint_gt(cfg.hz, 0);
		ck_assert_uint_gt(cfg.clock_khz, 0);
		ck_assert_uint_gt(cfg.costs.scalar[SIM_COST_relax], 0);
		ck_assert_uint_eq(cfg.rt_runtime, 0);
		if (cfg.cluster)
			ck_assert_uint_eq(cfg.cores % cfg.cluster, 0);
	}
	ck_assert(!sim_preset_load("vax", &cfg));
	ck_assert(!sim_preset_costs("vax", &cfg.costs));
	ck_assert(!sim_preset_print(stdout, "vax"));
}
END_TEST

/* Farther is never cheaper, a miss never cheaper than a hit, a home never busy for longer than a modified line travels. */
static void check_lines(const char *name, const struct sim_costs *c)
{
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++) {
		for (unsigned s = 0; s < SIM_LSTATE_COUNT; s++)
			for (unsigned d = 0; d < SIM_DIST_COUNT; d++) {
				ck_assert_msg(c->lat[op][s][d], "%s op %u state %u dist %u is free", name, op, s, d);
				if (d && !(s == SIM_LINE_MEM && d < SIM_DIST_HOP1))
					ck_assert_msg(c->lat[op][s][d] >= c->lat[op][s][d - 1], "%s op %u state %u dist %u",
						      name, op, s, d);
			}
		for (unsigned d = 1; d < SIM_DIST_COUNT; d++) {
			sim_time m = c->lat[op][SIM_LINE_M][d], sh = c->lat[op][SIM_LINE_S][d];

			ck_assert_msg(c->occ[op][d] && c->occ[op][d] <= (m > sh ? m : sh), "%s occ op %u dist %u", name,
				      op, d);
		}
	}
}

START_TEST(presets_are_plausible)
{
	for (unsigned i = 2; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct sim_costs c;

		ck_assert(sim_preset_costs(wanted[i], &c));
		check_lines(wanted[i], &c);
		for (unsigned s = 0; s < SIM_SCALAR_COUNT; s++)
			ck_assert_msg(c.scalar[s], "%s scalar %u", wanted[i], s);
		ck_assert_uint_ge(c.nidle, 1);
		for (unsigned k = 1; k < c.nidle; k++) {
			ck_assert_uint_gt(c.idle[k].residency, c.idle[k - 1].residency);
			ck_assert_uint_gt(c.idle[k].exit, c.idle[k - 1].exit);
		}
	}
}
END_TEST

START_TEST(zero_costs_nothing)
{
	struct sim_costs c, nothing = { 0 };

	ck_assert(sim_preset_costs("zero", &c));
	ck_assert_uint_eq(c.scalar[SIM_COST_relax], SIM_NS);
	c.scalar[SIM_COST_relax] = 0;
	ck_assert(!memcmp(&c, &nothing, sizeof(c)));
}
END_TEST

START_TEST(published_figures)
{
	struct sim_costs c;

	ck_assert(sim_preset_costs("westmere-ex-8s", &c));
	ck_assert_uint_eq(get(&c, "load_m_socket"), 51173);	/* 109 cycles of 2.13 GHz */
	ck_assert_uint_eq(get(&c, "rmw_m_hop2"), 201877);	/* 430 */
	ck_assert(sim_preset_costs("opteron-48", &c));
	ck_assert_uint_eq(get(&c, "store_s_socket"), 117142);	/* 246 of 2.1 */
	ck_assert(sim_preset_costs("sandybridge-ep-2s", &c));
	ck_assert_uint_eq(get(&c, "rmw_m_hop1"), 114 * SIM_NS);
	/* 500-fd select(): three locked operations make 29.84 ns on an Athlon 64, and do not on a Pentium 4 */
	ck_assert(sim_preset_costs("k8-up", &c));
	ck_assert_uint_le(3 * get(&c, "rmw_m_self"), 29840 * 5 / 4);
	ck_assert_uint_ge(3 * get(&c, "rmw_m_self"), 29840 * 3 / 4);
	ck_assert(sim_preset_costs("pentium4-up", &c));
	ck_assert_uint_gt(3 * get(&c, "rmw_m_self"), 29840 * 5 / 4);
}
END_TEST

START_TEST(printing_gives_every_source)
{
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		char *text = NULL, *line, *save;
		size_t len = 0;
		unsigned lines = 0;
		FILE *f = open_memstream(&text, &len);

		ck_assert(sim_preset_print(f, wanted[i]));
		fclose(f);
		ck_assert_ptr_nonnull(strstr(text, "relax"));
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), lines++)
			ck_assert_msg(!lines || strstr(line, "measured") || strstr(line, "derived") ||
					      strstr(line, "prior") || strstr(line, "defined") || strstr(line, "extrapolated"),
				      "%s: %s", wanted[i], line);
		ck_assert_uint_gt(lines, 1);
		free(text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("costs");
	TCase *t = tcase_create("costs");

	tcase_add_test(t, every_name_sets);
	tcase_add_test(t, unknown_names);
	tcase_add_test(t, rows_and_groups);
	tcase_add_test(t, all_presets_are_there);
	tcase_add_test(t, presets_are_plausible);
	tcase_add_test(t, zero_costs_nothing);
	tcase_add_test(t, published_figures);
	tcase_add_test(t, printing_gives_every_source);
	suite_add_tcase(s, t);
	return run_suite(s);
}
