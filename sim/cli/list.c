// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep list WHAT: what this build knows. */
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/machine/costs.h"
#include "sim/report/json.h"
#include "sim/run/registry.h"

static const GOptionEntry own_options[] = {
	{ "json", 0, 0, G_OPTION_ARG_NONE, &opt.json, "Print as JSON", NULL },
	{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &opt.verbose, "presets: every constant with its source", NULL },
	G_OPTION_ENTRY_NULL,
};

/* -- models ---------------------------------------------------------------------------------- */

static const struct {
	unsigned bit;
	const char *name;
} cap[] = {
	{ LOCK_CAP_SHARED, "shared" },	     { LOCK_CAP_TRY, "try" },	      { LOCK_CAP_SIGNAL, "signal" },
	{ LOCK_CAP_TIMEOUT, "timeout" },     { LOCK_CAP_DOWNGRADE, "downgrade" }, { LOCK_CAP_PI, "pi" },
	{ LOCK_CAP_FIFO, "fifo" },	     { LOCK_CAP_SPIN, "spin" },	      { LOCK_CAP_ANYONE, "anyone" },
	{ LOCK_CAP_COUNTING, "counting" },   { LOCK_CAP_RAW, "raw" },	      { LOCK_CAP_WAKEALL, "wakeall" },
	{ LOCK_CAP_USER, "user" },	     { LOCK_CAP_BUSTED, "busted" },
	{ LOCK_CAP_SYSTEM, "system" },
};

static const char *unit_name(enum lock_param_unit unit)
{
	switch (unit) {
	case LOCK_PARAM_COUNT:
		return "count";
	case LOCK_PARAM_TIME:
		return "time";
	case LOCK_PARAM_FLAG:
		return "flag";
	}
	g_assert_not_reached();
}

static void param_text(GString *out, const struct lock_param *p)
{
	char buf[SIM_TIME_CHARS];

	g_string_append_printf(out, "    param %s = ", p->name);
	switch (p->unit) {
	case LOCK_PARAM_COUNT:
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, p->fallback);
		break;
	case LOCK_PARAM_TIME:
		g_string_append(out, sim_time_format(buf, p->fallback));
		break;
	case LOCK_PARAM_FLAG:
		g_string_append(out, p->fallback ? "on" : "off");
		break;
	}
	g_string_append_printf(out, ": %s\n", p->help);
}

static void model_text(GString *out, const struct lock_model *m)
{
	g_string_append_printf(out, "%s: %s\n    mirrors %s\n    can:", m->name, m->summary, m->mirrors);
	for (unsigned i = 0; i < G_N_ELEMENTS(cap); i++)
		if (m->caps & cap[i].bit)
			g_string_append_printf(out, " %s", cap[i].name);
	g_string_append_c(out, '\n');
	for (const struct lock_param *p = m->params; p && p->name; p++)
		param_text(out, p);
}

static void model_json(struct json *j, const struct lock_model *m)
{
	json_open(j, NULL, '{');
	json_string(j, "name", m->name);
	json_string(j, "summary", m->summary);
	json_string(j, "mirrors", m->mirrors);
	json_open(j, "caps", '[');
	for (unsigned i = 0; i < G_N_ELEMENTS(cap); i++)
		if (m->caps & cap[i].bit)
			json_string(j, NULL, cap[i].name);
	json_close(j, ']');
	json_open(j, "params", '[');
	for (const struct lock_param *p = m->params; p && p->name; p++) {
		json_open(j, NULL, '{');
		json_string(j, "name", p->name);
		json_string(j, "unit", unit_name(p->unit));
		json_count(j, p->unit == LOCK_PARAM_TIME ? "default_ps" : "default", p->fallback);
		json_string(j, "help", p->help);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void models(GString *out, struct json *j)
{
	unsigned n;
	const struct lock_model *const *all = registry_all(&n);

	for (unsigned i = 0; i < n; i++) {
		if (j)
			model_json(j, all[i]);
		else
			model_text(out, all[i]);
	}
}

static void events(GString *out, struct json *j)
{
	unsigned n;
	const struct lock_model *const *all = registry_all(&n);

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; all[i]->events && all[i]->events[k]; k++) {
			if (!j) {
				g_string_append_printf(out, "%-16s %s\n", all[i]->name, all[i]->events[k]);
				continue;
			}
			json_open(j, NULL, '{');
			json_string(j, "model", all[i]->name);
			json_string(j, "name", all[i]->events[k]);
			json_close(j, '}');
		}
}

/* -- machines ---------------------------------------------------------------------------------- */

static void append_constants(GString *out, const char *preset)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		sim_preset_print(f, preset);
		fclose(f);
		g_string_append(out, text);
	}
	free(text);
}

static void presets(GString *out, struct json *j)
{
	unsigned n;
	const struct sim_preset *all = sim_preset_all(&n);

	for (unsigned i = 0; i < n; i++) {
		if (j) {
			json_open(j, NULL, '{');
			json_string(j, "name", all[i].name);
			json_string(j, "summary", all[i].summary);
			json_string(j, "source", all[i].source);
			json_close(j, '}');
			continue;
		}
		g_string_append_printf(out, "%s: %s\n    source: %s\n", all[i].name, all[i].summary, all[i].source);
		if (opt.verbose)
			append_constants(out, all[i].name);
	}
}

static void costs(GString *out, struct json *j)
{
	const char *const *names = sim_cost_names();

	for (unsigned i = 0; names[i]; i++) {
		const char *meaning = sim_cost_meaning(names[i]);

		if (!j) {
			g_string_append_printf(out, "%-22s %s\n", names[i], meaning ? meaning : "");
			continue;
		}
		json_open(j, NULL, '{');
		json_string(j, "name", names[i]);
		json_string(j, "meaning", meaning);
		json_close(j, '}');
	}
}

/* -- messages ---------------------------------------------------------------------------------- */

static void codes(GString *out, struct json *j)
{
	unsigned n;
	const struct sim_diag_info *all = sim_diag_all(&n);

	for (unsigned i = 0; i < n; i++) {
		if (!j) {
			g_string_append_printf(out, "LS-%03u %-24s %s\n", all[i].code, all[i].id, all[i].meaning);
			continue;
		}
		json_open(j, NULL, '{');
		json_count(j, "code", all[i].code);
		json_string(j, "id", all[i].id);
		json_string(j, "severity", all[i].severity == SIM_ERROR ? "error" : "warning");
		json_string(j, "meaning", all[i].meaning);
		json_string(j, "more", all[i].more);
		json_close(j, '}');
	}
}

/* -- what oracles report ----------------------------------------------------------------------- */

static void findings(GString *out, struct json *j)
{
	for (unsigned i = 0; i < RUN_FINDING_COUNT; i++) {
		if (!j) {
			g_string_append_printf(out, "%-20s %s\n", run_finding_name[i], run_finding_meaning[i]);
			continue;
		}
		json_open(j, NULL, '{');
		json_string(j, "name", run_finding_name[i]);
		json_string(j, "meaning", run_finding_meaning[i]);
		json_close(j, '}');
	}
}

static const struct {
	const char *name;
	void (*list)(GString *out, struct json *j); /* j is NULL for text */
} lists[] = { { "models", models }, { "presets", presets },	{ "costs", costs },
	      { "events", events }, { "findings", findings }, { "codes", codes } };

static int run(int argc, char **argv)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct json j = { .out = out };
	unsigned i;

	if (argc != 1) {
		cli_error("list what? models, presets, costs, events, findings or codes");
		return CLI_WRONG;
	}
	for (i = 0; i < G_N_ELEMENTS(lists) && strcmp(lists[i].name, argv[0]); i++)
		;
	if (i == G_N_ELEMENTS(lists)) {
		cli_error("there is no list of \"%s\"; there are models, presets, costs, events, findings and codes", argv[0]);
		return CLI_WRONG;
	}
	if (!opt.json) {
		lists[i].list(out, NULL);
		return cli_write(out);
	}
	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "list");
	json_open(&j, lists[i].name, '[');
	lists[i].list(out, &j);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
	return cli_write(out);
}

static const GOptionEntry *const groups[] = { own_options, cli_kernel_options, NULL };

const struct cli_verb verb_list = {
	.name = "list",
	.args = "models|presets|costs|events|findings|codes",
	.summary = "List what this build knows",
	.groups = groups,
	.run = run,
};
