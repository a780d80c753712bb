// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison for programs; docs/json.md lists the keys. */
#include "sim/report/json.h"
#include "sim/report/student.h"
#include "sim/report/versus.h"

static void put_value(struct json *j, const struct versus *v, const struct versus_lock *l, unsigned k, unsigned id)
{
	g_autofree uint64_t *x = g_new(uint64_t, v->nseed), *base = g_new(uint64_t, v->nseed);
	struct spread s;

	for (unsigned i = 0; i < v->nseed; i++) {
		x[i] = l->side[k].m[i].v[id];
		base[i] = l->side[0].m[i].v[id];
	}
	s = spread_of(x, v->nseed);
	json_open(j, measure_info[id].id, '{');
	json_count(j, "mean", s.mean);
	if (s.known)
		json_count(j, "half", s.half);
	if (k && spread_of_ratios(x, base, v->nseed, &s)) {
		json_count(j, "ratio_ppm", s.mean);
		if (s.known)
			json_count(j, "ratio_half_ppm", s.half);
	}
	json_close(j, '}');
}

static void put_bill(struct json *j, const struct run_bill *b)
{
	static const char *const id[] = {
#define X(name, title, meaning) #name,
		RUN_BILL_ITEMS(X)
#undef X
	};

	json_open(j, "bill", '{');
	json_time(j, "total_ps", b->total);
	for (unsigned i = 0; i < RUN_BILL_COUNT; i++) {
		json_open(j, id[i], '{');
		json_count(j, "count", b->count[i]);
		json_time(j, "time_ps", b->time[i]);
		json_close(j, '}');
	}
	json_count(j, "sleeps", b->sleeps);
	json_count(j, "preemptions", b->preemptions);
	json_open(j, "moves", '[');
	for (unsigned i = 0; i < b->nmove; i++) {
		const struct run_bill_move *m = &b->move[i];

		json_open(j, NULL, '{');
		json_string(j, "lock", m->lock);
		json_string(j, "step", m->step);
		json_string(j, "line", m->line);
		json_open(j, "moves", '{');
		for (unsigned d = 0; d < RUN_DISTS; d++)
			if (m->moves[d])
				json_count(j, report_dist[d], m->moves[d]);
		json_close(j, '}');
		json_time(j, "waited_ps", m->waited);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void put_side(struct json *j, const struct versus *v, const struct versus_lock *l, unsigned k)
{
	json_open(j, NULL, '{');
	json_string(j, "model", l->side[k].model);
	json_count(j, "acquired", l->side[k].acquired);
	for (unsigned id = 0; id < MEASURE_IDS; id++)
		put_value(j, v, l, k, id);
	if (l->side[k].bill)
		put_bill(j, l->side[k].bill);
	json_close(j, '}');
}

static void put_baseline(void *user, const char *name, enum measure_unit unit, uint64_t value)
{
	json_count(user, name, value);
}

void versus_json(GString *out, const struct versus *v)
{
	struct json j = { .out = out, .first = true };

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "compare");
	json_string(&j, "scenario", v->scenario);
	json_string(&j, "path", v->path);
	json_string(&j, "machine", v->machine);
	json_open(&j, "seeds", '[');
	for (unsigned i = 0; i < v->nseed; i++)
		json_count(&j, NULL, v->seed[i]);
	json_close(&j, ']');
	json_count(&j, "expectations_met", v->met);
	json_count(&j, "expectations_missed", v->missed);
	json_open(&j, "locks", '[');
	for (unsigned i = 0; i < v->nlock; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "lock", v->lock[i].lock);
		json_open(&j, "models", '[');
		for (unsigned k = 0; k < v->lock[i].nside; k++)
			put_side(&j, v, &v->lock[i], k);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "values", '{');
	versus_values(v, put_baseline, &j);
	json_close(&j, '}');
	json_close(&j, '}');
	json_end(&j);
}
