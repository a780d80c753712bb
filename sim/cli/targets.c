// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the file of targets. */
#include "sim/cli/targets.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/report/student.h"

#define SEEDS 3u /* where a stanza does not say */
#define SEEDS_MAX 1000u
#define CALIBRATED_PPM 50000u /* calibrated figures are met within 5 % */

struct reader {
	GKeyFile *file;
	const char *path, *stanza;
	char *dir;
};

static bool wrong(const struct reader *r, const char *key, const char *what)
{
	cli_error("%s: [%s]%s%s: %s", r->path, r->stanza, *key ? " " : "", key, what);
	return false;
}

static char *text_of(const struct reader *r, const char *key)
{
	char *text = g_key_file_get_string(r->file, r->stanza, key, NULL);

	return text ? g_strstrip(text) : NULL;
}

/* -- numbers ------------------------------------------------------------------------------------ */

/* Digits with a point, times @scale; where it ends. */
static const char *decimal(const char *at, uint64_t scale, uint64_t *v)
{
	char *end;

	if (!g_ascii_isdigit(*at))
		return NULL;
	*v = g_ascii_strtoull(at, &end, 10);
	if (*v > UINT64_MAX / scale)
		return NULL;
	*v *= scale;
	if (*end == '.')
		for (end++; g_ascii_isdigit(*end); end++) {
			scale /= 10;
			*v += (uint64_t)(*end - '0') * scale;
		}
	return end;
}

static bool number_of(const char *text, enum target_unit unit, uint64_t *v)
{
	const char *end = NULL;

	switch (unit) {
	case TARGET_TIME:
		return cli_parse_time(text, v);
	case TARGET_NUMBER:
		end = decimal(text, 1000, v);
		break;
	case TARGET_SHARE:
		end = decimal(text, STUDENT_PPM / 100, v);
		return end && !strcmp(end, "%");
	case TARGET_RATIO:
		end = decimal(text, STUDENT_PPM, v);
		break;
	}
	return end && !*end;
}

/* "2.93" or "1.09..1.28". */
static bool range_of(const char *text, enum target_unit unit, uint64_t range[2])
{
	g_auto(GStrv) ends = g_strsplit(text, "..", 2);

	if (!ends[0] || !number_of(g_strstrip(ends[0]), unit, &range[0]))
		return false;
	range[1] = range[0];
	return (!ends[1] || number_of(g_strstrip(ends[1]), unit, &range[1])) && range[0] <= range[1];
}

/* Around the published figure. */
static void widen(struct target *t, uint64_t ppm)
{
	t->accepted[0] = (uint64_t)((unsigned __int128)t->published[0] * (STUDENT_PPM - MIN(ppm, STUDENT_PPM)) / STUDENT_PPM);
	t->accepted[1] = (uint64_t)((unsigned __int128)t->published[1] * (STUDENT_PPM + ppm) / STUDENT_PPM);
}

static bool read_accepted(const struct reader *r, struct target *t)
{
	g_autofree char *accepted = text_of(r, "accepted"), *tolerance = text_of(r, "tolerance");
	const char *end;
	uint64_t ppm;

	if (t->reported)
		return (!accepted && !tolerance) || wrong(r, "", "a figure that is only reported has no accepted range");
	if (accepted)
		return range_of(accepted, t->unit, t->accepted) || wrong(r, "accepted", "not FROM..TO in the measure's unit");
	if (!tolerance) {
		widen(t, CALIBRATED_PPM);
		return t->calibrated || wrong(r, "", "a prediction has tolerance = N% or accepted = FROM..TO");
	}
	end = decimal(tolerance, STUDENT_PPM / 100, &ppm);
	if (!end || strcmp(end, "%") != 0)
		return wrong(r, "tolerance", "not a number of percent");
	widen(t, ppm);
	return true;
}

/* -- a stanza ------------------------------------------------------------------------------------------ */

static char **words_of(const struct reader *r, const char *key)
{
	g_autofree char *text = text_of(r, key);
	g_auto(GStrv) words = NULL;
	GPtrArray *list;

	if (!text)
		return NULL;
	words = g_strsplit_set(text, " \t", -1);
	list = g_ptr_array_new();
	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			g_ptr_array_add(list, g_strdup(words[i]));
	g_ptr_array_add(list, NULL);
	return (char **)g_ptr_array_free(list, FALSE);
}

static char *path_of(const struct reader *r, const char *key)
{
	g_autofree char *name = text_of(r, key);

	return name && *name ? g_build_filename(r->dir, name, NULL) : NULL;
}

static bool check_keys(const struct reader *r)
{
	static const char *const known[] = { "result", "title", "scenario", "set", "measure", "lock", "against",
					     "against-scenario", "published", "source", "role", "fitted", "tolerance", "accepted",
					     "seeds", "unexplained", "known-miss", "analysis", NULL };
	g_auto(GStrv) keys = g_key_file_get_keys(r->file, r->stanza, NULL, NULL);

	for (unsigned i = 0; keys && keys[i]; i++) {
		const char *near = sim_nearest(keys[i], known);
		g_autofree char *hint = near ? g_strdup_printf("no such key; did you mean \"%s\"?", near) : NULL;

		if (!g_strv_contains(known, keys[i]))
			return wrong(r, keys[i], hint ? hint : "no such key");
	}
	return true;
}

static void read_texts(const struct reader *r, struct target *t)
{
	t->name = g_strdup(r->stanza);
	t->result = text_of(r, "result");
	t->title = text_of(r, "title");
	t->scenario = path_of(r, "scenario");
	t->measure = text_of(r, "measure");
	t->lock = text_of(r, "lock");
	t->set = words_of(r, "set");
	t->against = words_of(r, "against");
	t->against_scenario = path_of(r, "against-scenario");
	t->source = text_of(r, "source");
	t->fitted = text_of(r, "fitted");
	t->unexplained = text_of(r, "unexplained");
	t->analysis = text_of(r, "analysis");
	t->published_text = text_of(r, "published");
}

static bool read_choices(const struct reader *r, struct target *t)
{
	g_autofree char *role = text_of(r, "role"), *miss = text_of(r, "known-miss"), *seeds = text_of(r, "seeds");
	uint64_t n = SEEDS;

	if (role && strcmp(role, "calibrated") != 0 && strcmp(role, "predicted") != 0 && strcmp(role, "reported") != 0)
		return wrong(r, "role", "calibrated, predicted or reported");
	if (miss && strcmp(miss, "yes") != 0)
		return wrong(r, "known-miss", "yes, or not there");
	if (seeds && (!cli_parse_count(seeds, &n) || !n || n > SEEDS_MAX))
		return wrong(r, "seeds", "not a number of runs");
	t->calibrated = role && !strcmp(role, "calibrated");
	t->reported = role && !strcmp(role, "reported");
	t->known_miss = miss != NULL;
	t->seeds = (unsigned)n;
	if (t->known_miss && !t->analysis)
		return wrong(r, "known-miss", "a miss comes with its analysis");
	return true;
}

static bool read_stanza(const struct reader *r, struct target *t)
{
	uint64_t v;

	if (!check_keys(r))
		return false;
	read_texts(r, t);
	if (!t->title || !t->scenario || !t->measure || !t->published_text || !t->source || !t->result)
		return wrong(r, "", "needs result, title, scenario, measure, published and source");
	if (!target_value(NULL, t->measure, t->lock, &t->unit, &v))
		return wrong(r, "measure", "no such measure");
	if (t->against || t->against_scenario)
		t->unit = TARGET_RATIO;
	if (!range_of(t->published_text, t->unit, t->published))
		return wrong(r, "published", "not a number, or FROM..TO, in the measure's unit");
	return read_choices(r, t) && read_accepted(r, t);
}

/* -- the file ------------------------------------------------------------------------------------------ */

static void target_free(struct target *t)
{
	char *const texts[] = { t->name, t->result, t->title, t->scenario, t->measure, t->lock, t->against_scenario,
				t->source, t->fitted, t->unexplained, t->analysis, t->published_text };

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
	g_strfreev(t->set);
	g_strfreev(t->against);
	g_free(t);
}

void targets_free(GPtrArray *targets)
{
	for (unsigned i = 0; targets && i < targets->len; i++)
		target_free(targets->pdata[i]);
	if (targets)
		g_ptr_array_free(targets, TRUE);
}

GPtrArray *targets_read(const char *path)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = g_path_get_dirname(path);
	struct reader r = { file, path, NULL, dir };
	GPtrArray *targets = g_ptr_array_new();
	g_auto(GStrv) stanzas = NULL;

	if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &error)) {
		cli_error("%s: %s", path, error->message);
		targets_free(targets);
		return NULL;
	}
	stanzas = g_key_file_get_groups(file, NULL);
	for (unsigned i = 0; stanzas[i]; i++) {
		struct target *t = g_new0(struct target, 1);

		g_ptr_array_add(targets, t);
		r.stanza = stanzas[i];
		if (!read_stanza(&r, t)) {
			targets_free(targets);
			return NULL;
		}
	}
	return targets;
}
