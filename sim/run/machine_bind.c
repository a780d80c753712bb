// SPDX-License-Identifier: GPL-2.0-or-later
/* machine { } -> struct sim_config. The checker has seen names, units and ranges. */
#include <string.h>

#include <glib.h>

#include "sim/run/bind_impl.h"
#include "sim/run/registry.h"

static const char *const preempt_words[] = {"none", "voluntary", "full", "lazy", "rt", NULL};
static const char *const fair_words[] = {"cfs", "eevdf", NULL};
static const char *const kernel_words[] = {"smp", "up", NULL};

static unsigned word_index(const char *const *words, const char *word)
{
	for (unsigned i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	sim_assert(!"a word that the checker knows");
	return 0;
}

/* Fields that are words. False: @s is none of them. */
static bool set_word(struct sim_config *cfg, const struct scn_setting *s, const struct lock_model **rawspin)
{
	if (!strcmp(s->name, "preempt"))
		cfg->preempt = (enum sim_preempt)word_index(preempt_words, s->word);
	else if (!strcmp(s->name, "fair"))
		cfg->fair = (enum sim_fair)word_index(fair_words, s->word);
	else if (!strcmp(s->name, "kernel"))
		cfg->up = word_index(kernel_words, s->word) == 1;
	else if (!strcmp(s->name, "lazy_tlb"))
		cfg->lazy_tlb = !strcmp(s->word, "on");
	else if (!strcmp(s->name, "rawspin"))
		*rawspin = registry_find(s->word);
	else
		return false;
	return true;
}

static void set_number(struct sim_config *cfg, const struct scn_setting *s, uint64_t v)
{
	if (!strcmp(s->name, "sockets"))
		cfg->sockets = (unsigned)v;
	else if (!strcmp(s->name, "cores"))
		cfg->cores = (unsigned)v;
	else if (!strcmp(s->name, "threads"))
		cfg->threads = (unsigned)v;
	else if (!strcmp(s->name, "cluster"))
		cfg->cluster = (unsigned)v;
	else if (!strcmp(s->name, "hz"))
		cfg->hz = (unsigned)v;
	else if (!strcmp(s->name, "smt_share"))
		cfg->smt_share_ppm = (unsigned)v;
	else if (!strcmp(s->name, "rt_runtime"))
		cfg->rt_runtime = v;
	else if (!strcmp(s->name, "rt_period"))
		cfg->rt_period = v;
	else if (!strcmp(s->name, "clock"))
		cfg->clock_khz = v;
	else
		sim_assert(!"a machine field that the checker knows");
}

static void set_field(struct sim_config *cfg, const struct scenario *scn, const struct scn_setting *s,
		      const struct lock_model **rawspin)
{
	uint64_t v;

	if (!strcmp(s->name, "costs") || set_word(cfg, s, rawspin))
		return;
	v = value_once(scn, cfg->clock_khz, s->value, 0);
	if (strcmp(s->name, "cost"))
		set_number(cfg, s, v);
	else if (!sim_cost_set(&cfg->costs, s->cost, v))
		sim_assert(!"a cost that the checker knows");
}

static const struct scn_setting *find_setting(const struct scn_machine *m, const char *name)
{
	const struct scn_setting *found = NULL;

	for (unsigned i = 0; i < m->nset; i++)
		if (!strcmp(m->set[i].name, name))
			found = &m->set[i];
	return found;
}

static const char *preset_of(const struct scenario *scn)
{
	return scn->machine.preset ? scn->machine.preset : "uniform";
}

void bind_machine(const struct scenario *scn, struct sim_config *cfg, const struct lock_model **rawspin)
{
	const struct scn_machine *m = &scn->machine;
	const struct scn_setting *clock = find_setting(m, "clock"), *costs = find_setting(m, "costs");

	memset(cfg, 0, sizeof(*cfg));
	if (!sim_preset_load(preset_of(scn), cfg))
		sim_assert(!"a preset that the checker knows");
	*rawspin = registry_find("qspinlock");
	if (clock) /* other fields may be given in cycles */
		cfg->clock_khz = value_once(scn, 0, clock->value, 0);
	if (costs && !sim_preset_costs(costs->word, &cfg->costs))
		sim_assert(!"costs that the checker knows");
	for (unsigned i = 0; i < m->nset; i++)
		set_field(cfg, scn, &m->set[i], rawspin);
	if (cfg->cluster && cfg->cores % cfg->cluster)
		cfg->cluster = 0; /* a preset's clusters do not fit the cores asked for */
	if (cfg->rt_runtime && !cfg->rt_period)
		cfg->rt_period = SIM_S;
}

#define COSTS_TOLD 3

/* ", ipi 900ns": single costs that the scenario sets; how many, if they are more than a line would hold. */
static void put_costs(GString *out, const struct scenario *scn, const struct sim_config *cfg)
{
	const struct scn_machine *m = &scn->machine;
	char t[SIM_TIME_CHARS];
	unsigned n = 0;

	for (unsigned i = 0; i < m->nset; i++)
		n += !strcmp(m->set[i].name, "cost");
	if (n > COSTS_TOLD)
		g_string_append_printf(out, ", %u single costs", n);
	for (unsigned i = 0; i < m->nset && n <= COSTS_TOLD; i++)
		if (!strcmp(m->set[i].name, "cost"))
			g_string_append_printf(out, ", %s %s", m->set[i].cost,
					       sim_time_format(t, value_once(scn, cfg->clock_khz, m->set[i].value, 0)));
}

/* What is said of the machine that numbers depend on: its shape, whose costs, and what of them is set otherwise. */
char *bind_machine_text(const struct scenario *scn, const struct sim_config *cfg, struct bind_pool *pool)
{
	static const char *const words[] = {"fair", "kernel", "rawspin"};
	const struct scn_setting *costs = find_setting(&scn->machine, "costs");
	g_autoptr(GString) out = g_string_new(scn->machine.preset);

	g_string_append_printf(out, "%s%ux%ux%u", out->len ? " " : "", cfg->sockets, cfg->cores, cfg->threads);
	if (costs || !scn->machine.preset)
		g_string_append_printf(out, ", costs %s", costs ? costs->word : preset_of(scn));
	put_costs(out, scn, cfg);
	g_string_append_printf(out, ", preempt %s, %u Hz", preempt_words[cfg->preempt], cfg->hz);
	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
		const struct scn_setting *s = find_setting(&scn->machine, words[i]);

		if (s)
			g_string_append_printf(out, ", %s %s", s->name, s->word);
	}
	return bind_printf(pool, "%s", out->str);
}

/* -- values of declarations and expectations ------------------------------------------------ */

uint64_t bound_value(const struct run_bound *b, const struct scn_expr *e)
{
	return value_once(b->scn, b->machine ? b->machine->cfg.clock_khz : 0, e, 0);
}
