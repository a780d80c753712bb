// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of `lockstep compare`, and which of its lines moved most. */
#include "sim/report/versus.h"

#include <string.h>

#include "sim/report/parts.h"
#include "sim/report/student.h"
#include "sim/report/table.h"

/* -- cells -------------------------------------------------------------------------------------- */

static uint64_t *values_of(const struct versus_side *s, unsigned id, unsigned n)
{
	uint64_t *x = g_new(uint64_t, n);

	for (unsigned i = 0; i < n; i++)
		x[i] = s->m[i].v[id];
	return x;
}

static void put_value(struct table *t, enum measure_unit unit, uint64_t v)
{
	g_autoptr(GString) text = g_string_new(NULL);

	measure_put(text, unit, v);
	table_text(t, v ? text->str : "-");
}

/* Half of the interval in percent of the mean. */
static void put_half(struct table *t, const struct spread *s)
{
	uint64_t permille = (ppm_of(s->half, s->mean) + 500) / 1000;

	if (!s->known || !s->mean)
		table_text(t, "-");
	else if (permille > 9999)
		table_text(t, ">999%");
	else
		table_printf(t, "%u.%u%%", (unsigned)permille / 10, (unsigned)permille % 10);
}

static void put_ppm(struct table *t, uint64_t ppm)
{
	uint64_t hundredths = (ppm + 5000) / 10000;

	if (hundredths > 99999999)
		table_text(t, ">999999");
	else
		table_printf(t, "%" G_GUINT64_FORMAT ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
}

static void put_side(struct table *t, const struct versus *v, const struct versus_lock *l, unsigned k, unsigned id)
{
	g_autofree uint64_t *x = values_of(&l->side[k], id, v->nseed), *base = values_of(&l->side[0], id, v->nseed);
	struct spread s = spread_of(x, v->nseed);

	put_value(t, measure_info[id].unit, s.mean);
	put_half(t, &s);
	if (!k)
		return;
	if (!spread_of_ratios(x, base, v->nseed, &s)) {
		table_text(t, "-");
		table_text(t, "-");
		return;
	}
	put_ppm(t, s.mean);
	if (s.known)
		put_ppm(t, s.half);
	else
		table_text(t, "-");
}

static bool all_zero(const struct versus *v, const struct versus_lock *l, unsigned id)
{
	for (unsigned k = 0; k < l->nside; k++)
		for (unsigned i = 0; i < v->nseed; i++)
			if (l->side[k].m[i].v[id])
				return false;
	return true;
}

static void put_table(const struct page *p, const struct versus *v, const struct versus_lock *l)
{
	struct table *t = table_new();

	table_column(t, NULL, "", 0);
	for (unsigned k = 0; k < l->nside; k++) {
		table_column(t, k ? NULL : "", l->side[k].model, 0);
		table_column(t, NULL, "+-", TABLE_HIDE | TABLE_KEEP);
		if (!k)
			continue;
		table_column(t, NULL, "ratio", TABLE_KEEP);
		table_column(t, NULL, "+-", TABLE_HIDE | TABLE_KEEP);
	}
	for (unsigned id = 0; id < MEASURE_IDS; id++) {
		if (all_zero(v, l, id))
			continue;
		table_row(t);
		table_text(t, measure_info[id].title);
		for (unsigned k = 0; k < l->nside; k++)
			put_side(t, v, l, k, id);
	}
	table_finish(t, p->out, p->width);
}

/* -- what moved most ------------------------------------------------------------------------------ */

/* Too little to speak of, whatever its ratio. */
static bool negligible(unsigned id, uint64_t a, uint64_t b)
{
	uint64_t most = MAX(a, b);

	switch (measure_info[id].unit) {
	case MEASURE_COUNT:
		return !most;
	case MEASURE_TIME:
		return most < 100 * SIM_NS;
	case MEASURE_PPM:
		return most < STUDENT_PPM / 100;
	case MEASURE_MILLI:
		return most < 20;
	}
	return true;
}

/* How far a ratio is from 1, either way; what came from or went to nothing counts as a thousandfold. */
static uint64_t distance(uint64_t a, uint64_t b)
{
	uint64_t ppm = ppm_of(MAX(a, b), MIN(a, b));

	return !MIN(a, b) || ppm > 1000 * STUDENT_PPM ? 1000 * STUDENT_PPM : ppm;
}

/* Do the seeds leave open whether it moved at all? */
static bool in_doubt(const uint64_t *base, const uint64_t *x, unsigned n, struct spread *ratio)
{
	if (!spread_of_ratios(x, base, n, ratio))
		return false;
	return ratio->known && ratio->mean - MIN(ratio->half, ratio->mean) <= STUDENT_PPM &&
	       ratio->mean + ratio->half >= STUDENT_PPM;
}

static bool moved(const struct versus *v, const struct versus_lock *l, unsigned k, unsigned id, uint64_t *far)
{
	g_autofree uint64_t *base = values_of(&l->side[0], id, v->nseed), *x = values_of(&l->side[k], id, v->nseed);
	uint64_t a = spread_of(base, v->nseed).mean, b = spread_of(x, v->nseed).mean;
	struct spread ratio;

	*far = distance(a, b);
	return !negligible(id, a, b) && *far > STUDENT_PPM + STUDENT_PPM / 100 && /* less than a hundredth is no move */
	       !in_doubt(base, x, v->nseed, &ratio);
}

static bool find_most(const struct versus *v, const struct versus_lock *l, unsigned k, unsigned *most)
{
	uint64_t farthest = 0, far;

	for (unsigned id = 0; id < MEASURE_IDS; id++) {
		/* where the lock went next is a symptom of something else that moved */
		if (id >= MEASURE_ho_self && id <= MEASURE_ho_hop2)
			continue;
		if (!moved(v, l, k, id, &far) || far <= farthest)
			continue;
		farthest = far;
		*most = id;
	}
	return farthest != 0;
}

static void put_times(GString *out, uint64_t ppm)
{
	uint64_t hundredths = (ppm + 5000) / 10000;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
}

/* "1250 -> 830, times 0.66 (95 % interval 0.61..0.71)" */
static void put_move(GString *out, const struct versus *v, const struct versus_lock *l, unsigned k, unsigned id)
{
	g_autofree uint64_t *base = values_of(&l->side[0], id, v->nseed), *x = values_of(&l->side[k], id, v->nseed);
	struct spread ratio = { 0 };

	measure_put(out, measure_info[id].unit, spread_of(base, v->nseed).mean);
	g_string_append(out, " -> ");
	measure_put(out, measure_info[id].unit, spread_of(x, v->nseed).mean);
	if (spread_of_ratios(x, base, v->nseed, &ratio)) {
		g_string_append(out, ", times ");
		put_times(out, ratio.mean);
	}
	if (ratio.known) {
		g_string_append(out, " (95 % interval ");
		put_times(out, ratio.mean - MIN(ratio.half, ratio.mean));
		g_string_append(out, "..");
		put_times(out, ratio.mean + ratio.half);
		g_string_append_c(out, ')');
	}
}

/* What was done per second comes first where it moved: that is what one asks. Without it, how long it all took. */
static void put_most(const struct page *p, const struct versus *v, const struct versus_lock *l, unsigned k)
{
	unsigned id = 0, first = l->side[0].m[0].v[MEASURE_throughput] ? MEASURE_throughput : MEASURE_span;
	g_autoptr(GString) out = g_string_new(NULL);
	uint64_t far;

	g_string_append_printf(out, "Under %s ", l->side[k].model);
	if (!find_most(v, l, k, &id)) {
		g_string_append(out, "nothing moved that these runs can tell from chance");
	} else {
		if (id != first && moved(v, l, k, first, &far)) {
			g_string_append_printf(out, "the %s moved, ", measure_info[first].title);
			put_move(out, v, l, k, first);
			g_string_append(out, ", and ");
		}
		g_string_append_printf(out, "the %s moved most: ", measure_info[id].title);
		put_move(out, v, l, k, id);
	}
	g_string_append_c(out, '.');
	versus_fold(p->out, out->str, p->width);
}

void versus_fold(GString *out, const char *text, unsigned width)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	unsigned at = 0;

	for (unsigned i = 0; words[i]; i++) {
		unsigned len = (unsigned)strlen(words[i]);

		if (at && at + 1 + len > width) {
			g_string_append_c(out, '\n');
			at = 0;
		}
		g_string_append(out, at ? " " : "  ");
		g_string_append(out, words[i]);
		at += len + (at ? 1 : 2);
	}
	g_string_append_c(out, '\n');
}

/* -- the page --------------------------------------------------------------------------------------- */

static void put_seeds(GString *out, const struct versus *v)
{
	if (v->nseed == 1) {
		g_string_append_printf(out, "seed %" G_GUINT64_FORMAT ": one run of each, so there is no confidence interval; "
				       "--seeds N gives one\n", v->seed[0]);
		return;
	}
	g_string_append_printf(out, "seeds %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
			       ": means of %u runs; +- is half of the 95 %% interval (Student's t), of ratios that of the pairs\n",
			       v->seed[0], v->seed[v->nseed - 1], v->nseed);
}

void versus_text(GString *out, const struct versus *v, const struct report_style *style)
{
	struct page p = { out, style->width ? style->width : REPORT_WIDTH, style->colour };

	g_string_append_printf(out, "%s%s%s\n", v->path, *v->scenario ? ": " : "", v->scenario);
	g_string_append_printf(out, "machine %s\n", v->machine);
	put_seeds(out, v);
	for (unsigned i = 0; i < v->nlock; i++) {
		const struct versus_lock *l = &v->lock[i];

		page_heading(&p, "Lock %s", l->lock);
		put_table(&p, v, l);
		g_string_append_c(out, '\n');
		for (unsigned k = 1; k < l->nside; k++)
			put_most(&p, v, l, k);
		for (unsigned k = 1; k < l->nside; k++)
			versus_bill(out, l, k, style);
	}
}

/* -- for programs -------------------------------------------------------------------------------------- */

void versus_values(const struct versus *v, void (*take)(void *user, const char *name, enum measure_unit unit, uint64_t value),
		   void *user)
{
	for (unsigned i = 0; i < v->nlock; i++)
		for (unsigned k = 0; k < v->lock[i].nside; k++)
			for (unsigned id = 0; id < MEASURE_IDS; id++) {
				const struct versus_side *s = &v->lock[i].side[k];
				g_autofree char *name =
					g_strdup_printf("%s/%s/%s", v->lock[i].lock, s->model, measure_info[id].id);
				g_autofree uint64_t *x = values_of(s, id, v->nseed);

				take(user, name, measure_info[id].unit, spread_of(x, v->nseed).mean);
			}
}
