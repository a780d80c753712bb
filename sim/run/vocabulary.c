// SPDX-License-Identifier: GPL-2.0-or-later
/* What the checker of the language may know about this build: names, units, shapes. */
#include <string.h>

#include <glib.h>

#include "sim/machine/machine.h"
#include "sim/run/registry.h"
#include "sim/run/run.h"

/* The checker may not include sim/model.h; its copies of the capabilities are these. */
_Static_assert((int)SCN_CAP_SHARED == (int)LOCK_CAP_SHARED && (int)SCN_CAP_TRY == (int)LOCK_CAP_TRY &&
		       (int)SCN_CAP_SIGNAL == (int)LOCK_CAP_SIGNAL && (int)SCN_CAP_TIMEOUT == (int)LOCK_CAP_TIMEOUT &&
		       (int)SCN_CAP_DOWNGRADE == (int)LOCK_CAP_DOWNGRADE && (int)SCN_CAP_SPIN == (int)LOCK_CAP_SPIN &&
		       (int)SCN_CAP_ANYONE == (int)LOCK_CAP_ANYONE &&
		       (int)SCN_CAP_RAW == (int)LOCK_CAP_RAW && (int)SCN_CAP_WAKEALL == (int)LOCK_CAP_WAKEALL,
	       "capabilities of scenario.h and model.h differ");

static struct scn_vocabulary vocabulary;

struct model_params { /* what model_info() hands out about one model */
	const char **name;
	unsigned char *unit;
};

static struct model_params *params_of; /* by index in the registry */

static void fill_params(const struct lock_model *m, struct model_params *out)
{
	unsigned n = 0;

	while (m->params && m->params[n].name)
		n++;
	out->name = g_new0(const char *, n + 2);
	out->unit = g_new0(unsigned char, n + 2);
	for (unsigned i = 0; i < n; i++) {
		out->name[i] = m->params[i].name;
		out->unit[i] = (unsigned char)m->params[i].unit;
	}
	/* of every lock, for the oracles: a wait longer than this is a finding */
	out->name[n] = "starve";
	out->unit[n] = LOCK_PARAM_TIME;
}

static bool model_info(const char *model, unsigned *caps, const char *const **params,
		       const unsigned char **units)
{
	unsigned n;
	const struct lock_model *const *all = registry_all(&n);
	const struct lock_model *m = registry_find(model);

	if (!m)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (all[i] != m)
			continue;
		if (caps)
			*caps = m->caps;
		if (params)
			*params = (const char *const *)params_of[i].name;
		if (units)
			*units = params_of[i].unit;
	}
	return true;
}

static const char *const *model_events(const char *model)
{
	const struct lock_model *m = registry_find(model);

	return m ? m->events : NULL;
}

static bool preset_shape(const char *preset, unsigned *sockets, unsigned *cores, unsigned *threads)
{
	g_autofree struct sim_config *cfg = g_new0(struct sim_config, 1);

	if (!sim_preset_load(preset, cfg))
		return false;
	*sockets = cfg->sockets;
	*cores = cfg->cores;
	*threads = cfg->threads;
	return true;
}

static uint64_t preset_clock(const char *preset)
{
	g_autofree struct sim_config *cfg = g_new0(struct sim_config, 1);

	return sim_preset_load(preset, cfg) ? cfg->clock_khz : 0;
}

static const char *const *preset_names(void)
{
	unsigned n;
	const struct sim_preset *all = sim_preset_all(&n);
	const char **list = g_new0(const char *, n + 1);

	for (unsigned i = 0; i < n; i++)
		list[i] = all[i].name;
	return list;
}

static const char *const finding_names[] = {
#define X(id, name, meaning) name,
	RUN_FINDINGS(X)
#undef X
		NULL};

const struct scn_vocabulary *run_vocabulary(void)
{
	unsigned n;
	const struct lock_model *const *all;

	if (vocabulary.models)
		return &vocabulary;
	all = registry_all(&n);
	params_of = g_new0(struct model_params, n + 1);
	for (unsigned i = 0; i < n; i++)
		fill_params(all[i], &params_of[i]);
	vocabulary = (struct scn_vocabulary){
		.presets = preset_names(),
		.costs = sim_cost_names(),
		.models = registry_names(),
		.model_info = model_info,
		.model_events = model_events,
		.findings = finding_names,
		.preset_shape = preset_shape,
		.preset_clock = preset_clock,
	};
	return &vocabulary;
}
