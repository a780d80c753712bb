// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of targets: what they are called, and how they are printed. */
#include <string.h>

#include "sim/cli/targets.h"
#include "sim/report/measure.h"
#include "sim/report/student.h"

static bool is_lock(const struct run_lock *l, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return !name || (!strncmp(l->name, name, len) && strchr("[", l->name[len]));
}

static uint64_t count_event(const struct run_lock *l, const char *event)
{
	for (unsigned i = 0; l->event_name && l->event_name[i]; i++)
		if (!strcmp(l->event_name[i], event))
			return l->event[i];
	return 0;
}

/* Counts that the measures do not have; false if @term is none. */
static bool count_term(const struct run_result *r, const char *term, const char *lock, uint64_t *v)
{
	const char *colon = strchr(term, ':');
	uint64_t n = 0;

	if (strcmp(term, "done") != 0 && strcmp(term, "reads") != 0 && strcmp(term, "writes") != 0 &&
	    strcmp(term, "slept") != 0 && !g_str_has_prefix(term, "done:") && !g_str_has_prefix(term, "event:"))
		return false;
	if (r && !strcmp(term, "done"))
		n = r->done;
	for (unsigned i = 0; r && i < r->ndone; i++)
		if (g_str_has_prefix(term, "done:") && !strcmp(r->done_name[i], colon + 1))
			n = r->done_count[i];
	for (unsigned i = 0; r && i < r->nlock; i++) {
		const struct run_lock *l = &r->lock[i];

		if (!is_lock(l, lock))
			continue;
		if (!strcmp(term, "reads"))
			n += l->acquisitions[1];
		else if (!strcmp(term, "writes"))
			n += l->acquisitions[0];
		else if (!strcmp(term, "slept"))
			n += l->sleeps;
		else if (g_str_has_prefix(term, "event:"))
			n += count_event(l, colon + 1);
	}
	*v = n > UINT64_MAX / 1000 ? UINT64_MAX : n * 1000;
	return true;
}

/* "write.wait_p99": of one mode. */
static bool mode_term(const struct run_result *r, const char *term, const char *lock, uint64_t *v)
{
	unsigned mode = g_str_has_prefix(term, "read.");
	const char *what = strchr(term, '.');
	struct run_dist wait = { 0 }, hold = { 0 };
	sim_time longest = 0;
	bool known = true;

	if (!mode && !g_str_has_prefix(term, "write."))
		return false;
	for (unsigned i = 0; r && i < r->nlock; i++)
		if (is_lock(&r->lock[i], lock)) {
			run_dist_merge(&wait, &r->lock[i].wait[mode]);
			run_dist_merge(&hold, &r->lock[i].hold[mode]);
			longest = MAX(longest, r->lock[i].wait[mode].max);
		}
	what++;
	if (!strcmp(what, "wait_mean"))
		*v = run_dist_mean(&wait);
	else if (!strcmp(what, "wait_p50"))
		*v = run_dist_at(&wait, 500);
	else if (!strcmp(what, "wait_p99"))
		*v = run_dist_at(&wait, 990);
	else if (!strcmp(what, "wait_max"))
		*v = longest;
	else if (!strcmp(what, "hold_mean"))
		*v = run_dist_mean(&hold);
	else
		known = false;
	run_dist_free(&wait);
	run_dist_free(&hold);
	return known;
}

static enum target_unit unit_of(enum measure_unit unit)
{
	switch (unit) {
	case MEASURE_TIME:
		return TARGET_TIME;
	case MEASURE_PPM:
		return TARGET_SHARE;
	case MEASURE_COUNT:
	case MEASURE_MILLI:
		break;
	}
	return TARGET_NUMBER;
}

static bool value_of_term(const struct run_result *r, const char *term, const char *lock, enum target_unit *unit, uint64_t *v)
{
	enum measure_id id;
	struct measure m;

	if (count_term(r, term, lock, v)) {
		*unit = TARGET_NUMBER;
		return true;
	}
	if (mode_term(r, term, lock, v)) {
		*unit = TARGET_TIME;
		return true;
	}
	if (!measure_find(term, &id))
		return false;
	*unit = unit_of(measure_info[id].unit);
	if (r) {
		measure_take(&m, r, lock);
		*v = m.v[id];
	}
	return true;
}

/* time / count is a time; of the same kind, a ratio. */
static bool divide(enum target_unit *unit, uint64_t *v, enum target_unit by, uint64_t w)
{
	if (*unit == by) {
		*unit = TARGET_RATIO;
		*v = ppm_of(*v, w);
		return true;
	}
	if (*unit != TARGET_TIME || by != TARGET_NUMBER)
		return false;
	*v = w ? (uint64_t)((unsigned __int128)*v * 1000 / w) : 0;
	return true;
}

bool target_value(const struct run_result *r, const char *measure, const char *lock, enum target_unit *unit, uint64_t *v)
{
	g_auto(GStrv) term = g_strsplit(measure, "/", -1);
	enum target_unit by;
	uint64_t w = 0;

	*v = 0;
	if (!term[0] || (term[1] && term[2]) || !value_of_term(r, g_strstrip(term[0]), lock, unit, v))
		return false;
	if (!term[1])
		return true;
	return value_of_term(r, g_strstrip(term[1]), lock, &by, &w) && divide(unit, v, by, w);
}

void target_put(GString *out, enum target_unit unit, uint64_t v)
{
	char buf[SIM_TIME_CHARS];

	switch (unit) {
	case TARGET_TIME:
		g_string_append(out, sim_time_format_short(buf, v, 2));
		break;
	case TARGET_NUMBER:
		if (v % 1000 && v < 1000000)
			g_string_append_printf(out, "%u.%02u", (unsigned)((v + 5) / 1000), (unsigned)((v + 5) / 10 % 100));
		else
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, (v + 500) / 1000);
		break;
	case TARGET_SHARE:
		measure_put(out, MEASURE_PPM, v);
		break;
	case TARGET_RATIO:
		v = (v + 500) / 1000;
		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%03u", v / 1000, (unsigned)(v % 1000));
		break;
	}
}
