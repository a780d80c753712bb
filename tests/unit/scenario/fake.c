/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/scenario/fake.h"

#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <glib.h>

#define FIFO 0x40u /* capability bits that the checker does not ask for */
#define ANYONE 0x300u

static const char *const no_names[] = { NULL };
static const char *const mutex_params[] = { "handoff", "spin", "starve", "proxy", NULL };
static const unsigned char mutex_units[] = { 1, 2, 1, 2 };
static const char *const rtmutex_params[] = { "deadlock", "max_lock_depth", NULL };
static const unsigned char rtmutex_units[] = { 2, 0 };
static const char *const ceiling_params[] = { "ceiling", NULL };
static const unsigned char ceiling_units[] = { 0 };
static const char *const rwsem_params[] = { "handoff", "batch", "starve", NULL };
static const unsigned char rwsem_units[] = { 1, 0, 1 };
static const char *const mutex_events[] = { "mutex_handoff", "mutex_spin", NULL };
static const char *const rwsem_events[] = { "rwsem_rlock_steal", "rwsem_wlock_handoff", NULL };

#define RWSEM_CAPS (SCN_CAP_SHARED | SCN_CAP_TRY | SCN_CAP_SIGNAL | SCN_CAP_DOWNGRADE)

static const struct {
	const char *name;
	unsigned caps;
	const char *const *params;
	const unsigned char *units;
	const char *const *events;
} models[] = {
	{ "completion", SCN_CAP_TIMEOUT | SCN_CAP_SIGNAL | SCN_CAP_TRY | SCN_CAP_WAKEALL | ANYONE, no_names, NULL, NULL },
	{ "condition", SCN_CAP_TIMEOUT | SCN_CAP_WAKEALL | ANYONE, no_names, NULL, NULL },
	{ "futex", SCN_CAP_TRY | SCN_CAP_TIMEOUT, no_names, NULL, NULL },
	{ "futex-pp", SCN_CAP_TRY | SCN_CAP_TIMEOUT, ceiling_params, ceiling_units, NULL },
	{ "mutex", SCN_CAP_TRY | SCN_CAP_SIGNAL, mutex_params, mutex_units, mutex_events },
	{ "pcp", SCN_CAP_TRY | SCN_CAP_SIGNAL | SCN_CAP_TIMEOUT, ceiling_params, ceiling_units, NULL },
	{ "qspinlock", SCN_CAP_TRY | SCN_CAP_SPIN | SCN_CAP_RAW, no_names, NULL, NULL },
	{ "rtmutex", SCN_CAP_TRY | SCN_CAP_SIGNAL | SCN_CAP_TIMEOUT, rtmutex_params, rtmutex_units, NULL },
	{ "rwsem", RWSEM_CAPS, rwsem_params, rwsem_units, rwsem_events },
	{ "rwsem-3.12", RWSEM_CAPS, rwsem_params, rwsem_units, rwsem_events },
	{ "rwsem-3.16", RWSEM_CAPS, rwsem_params, rwsem_units, rwsem_events },
	{ "semaphore", SCN_CAP_TRY | SCN_CAP_SIGNAL | SCN_CAP_TIMEOUT | ANYONE, no_names, NULL, NULL },
	{ "tas", SCN_CAP_SPIN, no_names, NULL, NULL },
	{ "ticket", SCN_CAP_TRY | SCN_CAP_SPIN | SCN_CAP_RAW | FIFO, no_names, NULL, NULL },
};

static const char *const model_names[] = {
	"completion", "condition", "futex", "futex-pp",   "mutex",      "pcp",       "qspinlock", "rtmutex",
	"rwsem",      "rwsem-3.12", "rwsem-3.16", "semaphore", "tas",	    "ticket",  NULL,
};

static const char *const presets[] = { "uniform", "westmere-ex-8s", "zero", NULL };
static const char *const costs[] = { "context_switch", "hit", "ipi", "line", "relax", "wake", NULL };
static const char *const findings[] = { "mutual-exclusion", "lost-wakeup", "deadlock", "exit-holding", NULL };

static bool model_info(const char *model, unsigned *caps, const char *const **params, const unsigned char **units)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(models); i++)
		if (!strcmp(models[i].name, model)) {
			*caps = models[i].caps;
			*params = models[i].params;
			*units = models[i].units;
			return true;
		}
	return false;
}

bool fake_poor_info(const char *model, unsigned *caps, const char *const **params, const unsigned char **units)
{
	*caps = 0;
	*params = no_names;
	*units = NULL;
	return *model != '\0';
}

static const char *const *model_events(const char *model)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(models); i++)
		if (!strcmp(models[i].name, model))
			return models[i].events;
	return NULL;
}

static bool preset_shape(const char *preset, unsigned *sockets, unsigned *cores, unsigned *threads)
{
	bool big = !strcmp(preset, "westmere-ex-8s");

	*sockets = big ? 8 : 1;
	*cores = big ? 10 : 4;
	*threads = 1;
	return big || !strcmp(preset, "uniform") || !strcmp(preset, "zero");
}

static uint64_t preset_clock(const char *preset)
{
	return strcmp(preset, "westmere-ex-8s") ? 0 : 2400000;
}

const struct scn_vocabulary fake_vocabulary = {
	.presets = presets,
	.costs = costs,
	.models = model_names,
	.model_info = model_info,
	.model_events = model_events,
	.findings = findings,
	.preset_shape = preset_shape,
	.preset_clock = preset_clock,
};

struct scenario *fake_parse(const char *text, const char *const *sets, struct sim_diags *diags)
{
	struct scn_options options = { .vocabulary = &fake_vocabulary, .sets = sets };

	return scenario_parse("test.lks", text, strlen(text), &options, diags);
}

struct scenario *fake_good_set(const char *text, const char *set)
{
	const char *sets[] = { set, NULL };
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, sets, &diags);

	if (!scn || diags.count) {
		sim_diag_print(stderr, &diags, false);
		ck_abort_msg("a good text was refused or warned about:\n%.400s", text);
	}
	return scn;
}

struct scenario *fake_good(const char *text)
{
	return fake_good_set(text, NULL);
}

unsigned fake_one(const char *text)
{
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, NULL, &diags);
	unsigned code = diags.count ? diags.list[0].code : 0;

	if (diags.count != 1)
		sim_diag_print(stderr, &diags, false);
	ck_assert_msg(diags.count == 1, "%u messages instead of one:\n%.400s", diags.count, text);
	scenario_free(scn);
	scenario_diags_finish(&diags);
	return code;
}

char *fake_messages(const char *text, const char *const *sets)
{
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, sets, &diags);
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	sim_diag_print(f, &diags, false);
	fclose(f);
	scenario_free(scn);
	scenario_diags_finish(&diags);
	return out;
}

char *fake_task(const char *body)
{
	return g_strdup_printf("lock m : mutex lock r : rwsem { data 2 lines } lock s : ticket lock arr[4] : mutex lock pi : rtmutex\n"
			       "completion c semaphore sem = 1 barrier b 2\n"
			       "task t[4] { %s }\n"
			       "task other nice 0 { run 1us done }\n"
			       "run for 10ms\n",
			       body);
}
