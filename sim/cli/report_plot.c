// SPDX-License-Identifier: GPL-2.0-or-later
/* A picture of a sweep, drawn by gnuplot. */
#include <glib/gstdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/report.h"
#include "sim/report/student.h"

/* More curves than this are not told apart. */
#define CURVES_MAX 16u

struct picture {
	const struct sweep_table *t;
	enum measure_id id;
	unsigned x;	   /* parameter on the axis */
	GPtrArray *curves; /* char *: label, by first appearance */
	GPtrArray *names;  /* values of the axis when they are no numbers, else NULL */
	uint64_t multiply, divide; /* from base units to thousandths of what is drawn */
	const char *unit;
};

/* -- what is drawn --------------------------------------------------------------------------------- */

/* Label of the curve that a point is on: the values of all parameters but the axis. */
static char *curve_of(const struct picture *d, const struct sweep_point *p)
{
	GString *label = g_string_new(NULL);

	for (unsigned k = 0; k < d->t->param->len; k++) {
		if (k == d->x)
			continue;
		if (label->len)
			g_string_append_c(label, ' ');
		if (d->t->param->len > 2)
			g_string_append_printf(label, "%s=", (char *)d->t->param->pdata[k]);
		g_string_append(label, p->value[k]);
	}
	return g_string_free(label, FALSE);
}

static bool is_in(const GPtrArray *list, const char *text)
{
	for (unsigned k = 0; k < list->len; k++)
		if (!strcmp(list->pdata[k], text))
			return true;
	return false;
}

static void find_curves(struct picture *d)
{
	d->curves = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < d->t->point->len; i++) {
		g_autofree char *label = curve_of(d, d->t->point->pdata[i]);

		if (!is_in(d->curves, label))
			g_ptr_array_add(d->curves, g_steal_pointer(&label));
	}
}

static void find_names(struct picture *d)
{
	bool numbers = true;

	d->names = g_ptr_array_new();
	for (unsigned i = 0; i < d->t->point->len; i++) {
		char *value = ((struct sweep_point *)d->t->point->pdata[i])->value[d->x];
		uint64_t n;

		numbers = numbers && sweep_number(value, &n);
		if (!is_in(d->names, value))
			g_ptr_array_add(d->names, value);
	}
	if (!numbers)
		return;
	g_ptr_array_free(d->names, TRUE);
	d->names = NULL;
}

static void find_unit(struct picture *d)
{
	d->multiply = d->divide = 1;
	d->unit = "";
	switch (measure_info[d->id].unit) {
	case MEASURE_COUNT:
		d->multiply = 1000;
		break;
	case MEASURE_TIME:
		d->divide = SIM_NS;
		d->unit = " (us)";
		break;
	case MEASURE_PPM:
		d->divide = 10;
		d->unit = " (%)";
		break;
	case MEASURE_MILLI:
		break;
	}
}

/* Where a value stands on the axis, in thousandths: its number, or for names its place among them. */
static uint64_t place_of(const struct picture *d, const char *value)
{
	uint64_t n = 0;

	if (!d->names)
		return sweep_number(value, &n) ? n : 0;
	while (n < d->names->len && strcmp(d->names->pdata[n], value) != 0)
		n++;
	return (n + 1) * 1000;
}

/* -- the script -------------------------------------------------------------------------------------- */

/* In single quotes gnuplot takes everything as it stands but the quote. */
static void put_text(GString *out, const char *text)
{
	g_string_append_c(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			g_string_append_c(out, '\'');
		g_string_append_c(out, (unsigned char)*text < ' ' ? ' ' : *text);
	}
	g_string_append_c(out, '\'');
}

static void put_milli(GString *out, uint64_t milli)
{
	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%03u ", milli / 1000, (unsigned)(milli % 1000));
}

/* A logarithmic axis where the values span much; a little room at both ends. */
static void put_range(GString *out, const struct picture *d, uint64_t least, uint64_t most)
{
	bool logarithmic = !d->names && least && most / least >= 16;
	uint64_t room = d->names ? 500 : (most - least) / 30;

	if (logarithmic)
		g_string_append(out, "set logscale x 2\n");
	g_string_append(out, "set xrange [");
	put_milli(out, logarithmic ? least - least / 10 : least - MIN(room, least));
	g_string_append_c(out, ':');
	put_milli(out, logarithmic ? most + most / 10 : most + MAX(room, 1));
	g_string_append(out, "]\n");
}

/* A tick for each value that occurs. */
static void put_axis(GString *out, const struct picture *d)
{
	g_autoptr(GPtrArray) seen = g_ptr_array_new();
	uint64_t least = UINT64_MAX, most = 0;

	g_string_append(out, "set xtics (");
	for (unsigned i = 0; i < d->t->point->len; i++) {
		char *value = ((struct sweep_point *)d->t->point->pdata[i])->value[d->x];
		uint64_t at = place_of(d, value);

		if (is_in(seen, value))
			continue;
		if (seen->len)
			g_string_append(out, ", ");
		g_ptr_array_add(seen, value);
		least = MIN(least, at);
		most = MAX(most, at);
		put_text(out, value);
		g_string_append_c(out, ' ');
		put_milli(out, at);
	}
	g_string_append(out, ")\n");
	put_range(out, d, least, most);
}

static void put_points(GString *out, const struct picture *d, const char *curve)
{
	for (unsigned i = 0; i < d->t->point->len; i++) {
		const struct sweep_point *p = d->t->point->pdata[i];
		g_autofree char *label = curve_of(d, p);
		g_autofree uint64_t *v = sweep_values(p, d->id);
		struct spread s = spread_of(v, p->m->len);

		if (strcmp(label, curve) != 0)
			continue;
		put_milli(out, place_of(d, p->value[d->x]));
		put_milli(out, s.mean * d->multiply / d->divide);
		put_milli(out, s.half * d->multiply / d->divide);
		g_string_append_c(out, '\n');
	}
}

static void put_label(GString *out, const char *what, const char *a, const char *b)
{
	g_autofree char *label = g_strconcat(a, b, NULL);

	g_string_append_printf(out, "set %s ", what);
	put_text(out, label);
	g_string_append(out, " noenhanced\n");
}

static GString *script_of(const struct picture *d)
{
	GString *out = g_string_new("set encoding utf8\nset terminal svg size 860,520 font 'sans,13' background rgb 'white'\n"
				    "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset yrange [0:*]\n"
				    "set key outside right top\nset format y '%.10g'\n");

	put_label(out, "title", *d->t->name ? d->t->name : "sweep", "");
	put_label(out, "xlabel", d->t->param->pdata[d->x], "");
	put_label(out, "ylabel", measure_info[d->id].title, d->unit);
	put_axis(out, d);
	for (unsigned k = 0; k < d->curves->len; k++) {
		g_string_append_printf(out, "$c%u << EOD\n", k);
		put_points(out, d, d->curves->pdata[k]);
		g_string_append(out, "EOD\n");
	}
	g_string_append(out, "plot ");
	for (unsigned k = 0; k < d->curves->len; k++) {
		g_string_append_printf(out, "%s$c%u using 1:2:3 with yerrorlines lw 2 pt %u ps 0.6 ", k ? ", " : "", k, k % 12 + 4);
		if (*(char *)d->curves->pdata[k]) {
			g_string_append(out, "title ");
			put_text(out, d->curves->pdata[k]);
			g_string_append(out, " noenhanced");
		} else {
			g_string_append(out, "notitle");
		}
	}
	g_string_append_c(out, '\n');
	return out;
}

/* -- drawing ----------------------------------------------------------------------------------------- */

static int feed_gnuplot(const char *gnuplot, const GString *script, const char *path)
{
	g_autofree char *file = NULL, *svg = NULL, *messages = NULL;
	g_autoptr(GError) error = NULL;
	int fd = g_file_open_tmp("lockstep-XXXXXX", &file, &error), status = 1;
	const char *argv[] = { gnuplot, file, NULL };
	bool good = fd >= 0 && g_close(fd, &error) && g_file_set_contents(file, script->str, (gssize)script->len, &error) &&
		    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &svg, &messages, &status, &error) &&
		    g_spawn_check_wait_status(status, &error);

	if (file)
		g_remove(file);
	if (good)
		return cli_write_file(path, svg, strlen(svg));
	cli_error("--svg: %s", messages && *messages ? messages : error->message);
	return CLI_WORLD;
}

int sweep_plot(const struct sweep_table *t, enum measure_id id, unsigned x, const char *path)
{
	struct picture d = { .t = t, .id = id, .x = x };
	g_autofree char *gnuplot = g_find_program_in_path("gnuplot");
	int status = CLI_WRONG;

	if (!gnuplot) {
		cli_error("--svg: gnuplot is not installed (Debian: gnuplot-nox); --csv has the same numbers");
		return CLI_WORLD;
	}
	find_curves(&d);
	find_names(&d);
	find_unit(&d);
	if (d.curves->len > CURVES_MAX) {
		cli_error("--svg: %u curves; a picture has room for %u", d.curves->len, CURVES_MAX);
	} else {
		g_autoptr(GString) script = script_of(&d);

		status = feed_gnuplot(gnuplot, script, path);
	}
	g_ptr_array_free(d.curves, TRUE);
	if (d.names)
		g_ptr_array_free(d.names, TRUE);
	return status;
}
