// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The timeline as SVG, written by hand: a rectangle per stretch, coloured by CSS classes.
 *
 *	full height   runs; in a critical section with the colour of the lock
 *	thin, grey    runnable
 *	hatched       waits for a lock; red while that is priority inversion
 *	orange edge   runs with a lent priority
 *
 * All numbers are integers, so that the bytes do not depend on a host's rounding.
 */
#include "sim/report/timeline_impl.h"

#include <inttypes.h>
#include <string.h>

#include "sim/report/story.h"

#define LEFT 150
#define DRAWN 1000 /* width of the time axis */
#define ROW 34
#define BAR 22
#define TOP 58
#define ROWS_MAX 400
#define COLOURS 8
#define LETTER 7 /* width of one, roughly */

struct svg {
	GString *out;
	const struct timeline *t;
	sim_time from, to;
	unsigned colours; /* locks that got one */
	unsigned *colour; /* by lock: 1 + its class */
};

static const char style[] =
	"<style>\n"
	"text{font:12px Helvetica,Arial,sans-serif;fill:#222}\n"
	".back{fill:#fff}.title{font-size:15px;font-weight:bold}.small{font-size:10px}.in{font-size:11px}\n"
	".axis{stroke:#888}.grid{stroke:#e4e4e4}.lane{stroke:#d0d0d0}\n"
	".run{fill:#c9ced6;stroke:#7d8694}.ready{fill:#d9d9d9}\n"
	".wait{fill:#eef3fa;stroke:#6d8fb8;stroke-dasharray:3 2}.spin{fill:#f6eefa;stroke:#8d6db8;stroke-dasharray:3 2}\n"
	".inv{fill:#ffd4d4;stroke:#cc0000;stroke-width:1.5}.invtext{fill:#b00000;font-weight:bold}\n"
	".boost{fill:#d55e00}.boosttext{fill:#b34700;font-size:10px;font-weight:bold}\n"
	".l1{fill:#56b4e9}.l2{fill:#f0e442}.l3{fill:#009e73}.l4{fill:#cc79a7}.l5{fill:#0072b2}.l6{fill:#b9a44c}"
	".l7{fill:#8fbc5a}.l8{fill:#a98bd1}\n"
	"@media (prefers-color-scheme:dark){text{fill:#ddd}.back{fill:#1c1e22}.grid{stroke:#33363c}.lane{stroke:#444}"
	".run{fill:#59616e}.ready{fill:#44474d}.wait{fill:#222c3a}.spin{fill:#2d2438}.inv{fill:#5a1f1f}.in{fill:#eee}"
	".invtext{fill:#ff8a8a}.boosttext{fill:#ff9b4a}}\n"
	"</style>\n";

static void put_safe(GString *out, const char *text)
{
	g_autofree char *safe = g_markup_escape_text(text, -1);

	g_string_append(out, safe);
}

/* Tenths of a unit of the drawing. */
static uint64_t place(const struct svg *x, sim_time t)
{
	unsigned __int128 p = (unsigned __int128)(t - x->from) * DRAWN * 10;

	return LEFT * 10 + (uint64_t)(p / (x->to - x->from));
}

static void put_tenths(GString *out, const char *name, uint64_t tenths)
{
	g_string_append_printf(out, " %s=\"%" PRIu64 ".%u\"", name, tenths / 10, (unsigned)(tenths % 10));
}

static void put_rect(struct svg *x, const char *class, sim_time from, sim_time to, unsigned y, unsigned height)
{
	uint64_t a = place(x, MAX(from, x->from)), b = place(x, MIN(to, x->to));

	g_string_append_printf(x->out, "<rect class=\"%s\"", class);
	put_tenths(x->out, "x", a);
	put_tenths(x->out, "width", MAX(b - a, 1));
	g_string_append_printf(x->out, " y=\"%u\" height=\"%u\"/>", y, height);
}

static uint64_t room(const struct svg *x, sim_time from, sim_time to)
{
	return (place(x, MIN(to, x->to)) - place(x, MAX(from, x->from))) / 10;
}

/* @text in the middle of the stretch, if there is room for it. */
static bool put_inside(struct svg *x, const char *class, sim_time from, sim_time to, unsigned y, const char *text)
{
	uint64_t a = place(x, MAX(from, x->from)), b = place(x, MIN(to, x->to));

	if (room(x, from, to) < strlen(text) * LETTER + 4)
		return false;
	g_string_append_printf(x->out, "<text class=\"in %s\" text-anchor=\"middle\" y=\"%u\"", class, y);
	put_tenths(x->out, "x", (a + b) / 2);
	g_string_append_c(x->out, '>');
	put_safe(x->out, text);
	g_string_append(x->out, "</text>");
	return true;
}

/* -- stretches -------------------------------------------------------------------------------------- */

/* The longest part of the stretch that no inversion is drawn over. */
static struct timeline_span uncovered(const struct timeline_row *r, const struct timeline_stretch *s)
{
	struct timeline_span best = { s->from, s->from };
	sim_time from = s->from;

	for (guint i = 0; i <= r->inverted->len; i++) {
		const struct timeline_span *inv = i < r->inverted->len ? &g_array_index(r->inverted, struct timeline_span, i) : NULL;
		sim_time to = inv ? CLAMP(inv->from, from, s->to) : s->to;

		if (to > from && to - from > best.to - best.from)
			best = (struct timeline_span){ from, to };
		from = inv ? CLAMP(inv->to, from, s->to) : s->to;
	}
	return best;
}

static void put_waiting(struct svg *x, const struct timeline_row *r, const struct timeline_stretch *s, unsigned y, bool spins)
{
	g_autofree char *text = g_strdup_printf("waits for %s", x->t->lock[s->look.lock]);
	struct timeline_span part = uncovered(r, s);

	put_rect(x, spins ? "spin" : "wait", s->from, s->to, y, BAR);
	if (part.to <= x->from || part.from >= x->to)
		return;
	if (!put_inside(x, "", part.from, part.to, y + 15, text))
		put_inside(x, "", part.from, part.to, y + 15, "waits");
}

static void put_running(struct svg *x, const struct timeline_stretch *s, unsigned y)
{
	g_autofree char *cpu = g_strdup_printf("cpu%u", s->look.cpu);
	const char *text = x->t->ncpus > 1 ? cpu : "";

	put_rect(x, "run", s->from, s->to, y, BAR);
	if (s->look.lock != TIMELINE_NONE) {
		g_autofree char *class = g_strdup_printf("l%u", x->colour[s->look.lock]);

		put_rect(x, class, s->from, s->to, y, BAR);
		text = x->t->lock[s->look.lock];
	}
	if (*text)
		put_inside(x, "", s->from, s->to, y + 15, text);
}

/* The task holds something while it does not run: a line in the lock's colour. */
static void put_held(struct svg *x, const struct timeline_stretch *s, unsigned y)
{
	g_autofree char *class = NULL;

	if (s->look.lock == TIMELINE_NONE)
		return;
	class = g_strdup_printf("l%u", x->colour[s->look.lock]);
	put_rect(x, class, s->from, s->to, y + BAR - 4, 4);
}

static void put_boost(struct svg *x, const struct timeline_stretch *s, unsigned y)
{
	g_autoptr(GString) prio = g_string_new(NULL);

	report_prio(prio, s->look.prio);
	put_rect(x, "boost", s->from, s->to, y - 3, 3);
	put_inside(x, "boosttext", s->from, s->to, y - 4, prio->str);
}

static void put_stretch(struct svg *x, const struct timeline_row *r, const struct timeline_stretch *s, unsigned y)
{
	switch (s->look.kind) {
	case TIMELINE_AWAY:
		put_held(x, s, y);
		break;
	case TIMELINE_READY:
		put_rect(x, "ready", s->from, s->to, y + 8, 6);
		put_held(x, s, y);
		break;
	case TIMELINE_RUN:
		put_running(x, s, y);
		break;
	case TIMELINE_SPIN:
		put_waiting(x, r, s, y, true);
		break;
	case TIMELINE_WAIT:
		put_waiting(x, r, s, y, false);
		break;
	}
	if (s->look.boosted)
		put_boost(x, s, y);
	g_string_append_c(x->out, '\n');
}

static void put_inversions(struct svg *x, const struct timeline_row *r, unsigned y)
{
	for (guint i = 0; i < r->inverted->len; i++) {
		const struct timeline_span *s = &g_array_index(r->inverted, struct timeline_span, i);

		if (s->from >= x->to || s->to <= x->from)
			continue;
		put_rect(x, "inv", s->from, s->to, y, BAR);
		if (!put_inside(x, "invtext", s->from, s->to, y + 15, "priority inversion"))
			put_inside(x, "invtext", s->from, s->to, y + 15, "inversion");
		g_string_append_c(x->out, '\n');
	}
}

static void put_row(struct svg *x, const struct timeline_row *r, unsigned y)
{
	g_autoptr(GString) prio = g_string_new(NULL);

	report_prio(prio, r->normal);
	g_string_append_printf(x->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", LEFT - 8, y + 11);
	put_safe(x->out, r->name);
	g_string_append_printf(x->out, "</text><text class=\"small\" x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>", LEFT - 8,
			       y + 23, prio->str);
	g_string_append_printf(x->out, "<path class=\"lane\" d=\"M%u %uH%u\"/>\n", LEFT, y + BAR, LEFT + DRAWN);
	for (guint i = 0; i < r->stretch->len; i++) {
		const struct timeline_stretch *s = &g_array_index(r->stretch, struct timeline_stretch, i);

		if (s->from < x->to && s->to > x->from)
			put_stretch(x, r, s, y);
	}
	put_inversions(x, r, y);
}

/* -- around them ------------------------------------------------------------------------------------ */

/* 1, 2, 5, 10, ... so that there are at most 12 marks. */
static sim_time tick_of(const struct svg *x)
{
	sim_time tick = 1, first = 1;

	while ((x->to - x->from) / tick > 12) {
		tick = first == 2 ? tick / 2 * 5 : tick * 2;
		first = tick;
		while (first >= 10)
			first /= 10;
	}
	return tick;
}

static void put_axis(struct svg *x, unsigned bottom)
{
	sim_time tick = tick_of(x);

	for (sim_time at = (x->from + tick - 1) / tick * tick; at <= x->to; at += tick) {
		char text[SIM_TIME_CHARS];
		uint64_t p = place(x, at);

		g_string_append_printf(x->out, "<path class=\"grid\" d=\"M%" PRIu64 ".%u %uV%u\"/><text class=\"small\" "
				       "text-anchor=\"middle\" y=\"%u\"", p / 10, (unsigned)(p % 10), TOP - 12, bottom, TOP - 16);
		put_tenths(x->out, "x", p);
		g_string_append_printf(x->out, ">%s</text>\n", sim_time_format(text, at));
	}
	g_string_append_printf(x->out, "<path class=\"axis\" d=\"M%u %uH%u\"/>\n", LEFT, TOP - 12, LEFT + DRAWN);
}

static unsigned legend_item(struct svg *x, unsigned at, unsigned y, const char *class, unsigned height, const char *text)
{
	g_string_append_printf(x->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"22\" height=\"%u\"/><text class=\"small\" x=\"%u\" "
			       "y=\"%u\">", class, at, y + (14 - height) / 2, height, at + 27, y + 11);
	put_safe(x->out, text);
	g_string_append(x->out, "</text>\n");
	return at + 27 + (unsigned)strlen(text) * 6 + 18;
}

static void put_legend(struct svg *x, unsigned y)
{
	unsigned at = LEFT;

	at = legend_item(x, at, y, "run", 14, "runs");
	at = legend_item(x, at, y, "ready", 6, "runnable");
	at = legend_item(x, at, y, "wait", 14, "sleeps for a lock");
	at = legend_item(x, at, y, "spin", 14, "spins for a lock");
	at = legend_item(x, at, y, "inv", 14, "waits in priority inversion");
	legend_item(x, at, y, "boost", 3, "lent priority");
	at = LEFT;
	for (uint32_t i = 0; i < x->t->nlock && at < LEFT + DRAWN - 100; i++) {
		g_autofree char *class = g_strdup_printf("l%u", x->colour[i]), *text = g_strdup_printf("holds %s", x->t->lock[i]);

		if (x->colour[i])
			at = legend_item(x, at, y + 20, class, 14, text);
	}
}

static void choose_colours(struct svg *x)
{
	x->colour = g_new0(unsigned, x->t->nlock + 1);
	for (uint32_t i = 0; i < x->t->nlock; i++)
		if (timeline_uses(x->t, i, x->from, x->to))
			x->colour[i] = 1 + x->colours++ % COLOURS;
}

void timeline_svg(GString *out, const struct timeline *t, const char *title, sim_time from, sim_time to)
{
	struct svg x = { .out = out, .t = t, .from = from, .to = MIN(to, t->end) };
	unsigned n = 0, y = TOP, bottom;

	if (x.to <= x.from)
		x.to = x.from + 1;
	choose_colours(&x);
	for (uint32_t i = 0; i < t->nrow && n < ROWS_MAX; i++)
		n += timeline_shows(&t->row[i], x.from, x.to);
	bottom = TOP + n * ROW;
	g_string_append_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n%s"
			       "<rect class=\"back\" width=\"%u\" height=\"%u\"/>\n<text class=\"title\" x=\"%u\" y=\"22\">",
			       LEFT + DRAWN + 40, bottom + 60, LEFT + DRAWN + 40, bottom + 60, style, LEFT + DRAWN + 40, bottom + 60, LEFT);
	put_safe(out, title);
	g_string_append(out, t->full ? " (cut: too many changes)</text>\n" : "</text>\n");
	put_axis(&x, bottom);
	for (uint32_t i = 0, rows = 0; i < t->nrow && rows < n; i++)
		if (timeline_shows(&t->row[i], x.from, x.to)) {
			put_row(&x, &t->row[i], y);
			y += ROW;
			rows++;
		}
	put_legend(&x, bottom + 12);
	g_string_append(out, "</svg>\n");
	g_free(x.colour);
}
