// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/measure.h"

#include <string.h>

#include "sim/report/student.h"

__extension__ typedef unsigned __int128 wide;

const struct measure_info measure_info[MEASURE_IDS] = {
#define X(id, unit, title, meaning) { #id, title, meaning, MEASURE_##unit },
	MEASURES(X)
#undef X
};

bool measure_find(const char *name, enum measure_id *id)
{
	for (unsigned i = 0; i < MEASURE_IDS; i++)
		if (!strcmp(measure_info[i].id, name)) {
			*id = (enum measure_id)i;
			return true;
		}
	return false;
}

void measure_put(GString *out, enum measure_unit unit, uint64_t v)
{
	char buf[SIM_TIME_CHARS];

	switch (unit) {
	case MEASURE_COUNT:
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, v);
		break;
	case MEASURE_TIME:
		g_string_append(out, sim_time_format_short(buf, v, 2));
		break;
	case MEASURE_PPM:
		v = (v + 500) / 1000;
		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%u%%", v / 10, (unsigned)(v % 10));
		break;
	case MEASURE_MILLI:
		if (v >= 1000000) {
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, (v + 500) / 1000);
		} else {
			v = (v + 5) / 10;
			g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%02u", v / 100, (unsigned)(v % 100));
		}
		break;
	}
}

/* -- taking them ------------------------------------------------------------------------------- */

struct sums { /* over the instances of a lock */
	struct run_dist wait, hold;
	uint64_t acquired, sleeps, moves, handover[RUN_DISTS], handovers;
	sim_time spin, asleep, longest;
};

static bool is_lock(const struct run_lock *l, const char *name)
{
	size_t len;

	if (!name)
		return true;
	len = strlen(name);
	return !strncmp(l->name, name, len) && (!l->name[len] || l->name[len] == '[');
}

static void sums_add(struct sums *s, const struct run_lock *l)
{
	for (unsigned m = 0; m < 2; m++) {
		run_dist_merge(&s->wait, &l->wait[m]);
		run_dist_merge(&s->hold, &l->hold[m]);
		s->longest = MAX(s->longest, l->wait[m].max);
		s->acquired += l->acquisitions[m];
	}
	s->sleeps += l->sleeps;
	s->spin += l->spin;
	s->asleep += l->asleep;
	for (unsigned d = 0; d < RUN_DISTS; d++) {
		s->moves += l->transfers[d];
		s->handover[d] += l->handover[d];
		s->handovers += l->handover[d];
	}
}

static uint64_t per(uint64_t n, uint64_t whole, uint64_t scale)
{
	wide v = whole ? ((wide)n * scale + whole / 2) / whole : 0;

	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

static uint64_t per_second(uint64_t n, sim_time span)
{
	wide v = span ? (wide)n * SIM_S * 1000 / span : 0;

	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

/* Over the greatest group of tasks of one declaration that did something. */
static uint64_t unfairness(const struct run_result *r)
{
	unsigned best = 0, size = 0;
	g_autofree uint64_t *x = NULL;

	for (unsigned i = 0, n; i < r->ntask; i += n) {
		uint64_t done = 0;

		for (n = 0; i + n < r->ntask && r->task[i + n].group == r->task[i].group; n++)
			done += r->task[i + n].done;
		if (done && n > size) {
			best = i;
			size = n;
		}
	}
	if (size < 2)
		return 0;
	x = g_new(uint64_t, size);
	for (unsigned i = 0; i < size; i++)
		x[i] = r->task[best + i].done;
	return cv_ppm_of(x, size);
}

static uint64_t busy_milli(const struct run_result *r, sim_time span)
{
	wide busy = 0;

	for (unsigned i = 0; i < r->ncpu; i++)
		busy += r->cpu[i].busy;
	return span ? (uint64_t)((busy * 1000 + span / 2) / span) : 0;
}

void measure_take(struct measure *m, const struct run_result *r, const char *lock)
{
	sim_time span = r->until > r->from ? r->until - r->from : 0;
	struct sums s = { 0 };
	uint64_t *v = m->v;

	for (unsigned i = 0; i < r->nlock; i++)
		if (is_lock(&r->lock[i], lock))
			sums_add(&s, &r->lock[i]);
	v[MEASURE_throughput] = r->has_throughput ? r->throughput_milli : 0;
	v[MEASURE_acquired] = per_second(s.acquired, span);
	v[MEASURE_span] = span;
	v[MEASURE_wait_mean] = run_dist_mean(&s.wait);
	v[MEASURE_wait_p50] = run_dist_at(&s.wait, 500);
	v[MEASURE_wait_p99] = run_dist_at(&s.wait, 990);
	v[MEASURE_wait_max] = s.longest;
	v[MEASURE_hold_mean] = run_dist_mean(&s.hold);
	v[MEASURE_spin] = MIN(ppm_of(s.spin, s.wait.sum), STUDENT_PPM);
	v[MEASURE_sleep] = MIN(ppm_of(s.asleep, s.wait.sum), STUDENT_PPM);
	v[MEASURE_sleeps] = per(s.sleeps, s.acquired, 1000);
	v[MEASURE_unfair] = unfairness(r);
	for (unsigned d = 0; d < RUN_DISTS; d++)
		v[MEASURE_ho_self + d] = ppm_of(s.handover[d], s.handovers);
	v[MEASURE_moves] = per(s.moves, s.acquired, 1000);
	v[MEASURE_busy] = busy_milli(r, span);
	run_dist_free(&s.wait);
	run_dist_free(&s.hold);
}
