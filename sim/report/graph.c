// SPDX-License-Identifier: GPL-2.0-or-later
/* Scenes as DOT. */
#include "sim/report/graph.h"

#include <string.h>

#include "sim/report/story.h"

#define CROWD 16     /* waiters or owners of a lock that get a node of their own */
#define CPUS_SHOWN 8 /* on larger machines only those who matter are shown running */

struct drawing {
	GString *out;
	const struct scene *s;
	unsigned number;  /* of the scene, part of the nodes' names */
	bool *shown;	  /* by task */
	bool *in_circle;  /* by task */
	bool *keeps_off;  /* by task: runs instead of the end of a chain */
};

void graph_quote(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

static void put_html(GString *out, const char *text)
{
	g_autofree char *safe = g_markup_escape_text(text, -1);

	g_string_append(out, safe);
}

static void put_time(GString *out, sim_time t)
{
	char text[SIM_TIME_CHARS];

	g_string_append(out, sim_time_format(text, t));
}

/* -- circles --------------------------------------------------------------------------------------- */

static bool waits_for_circle(const struct drawing *d, uint32_t task)
{
	const struct scene_task *t = &d->s->task[task];

	if (t->lock == STORY_NONE || d->s->lock[t->lock].ownerless)
		return false;
	for (uint32_t i = 0; i < d->s->lock[t->lock].nowner; i++)
		if (d->in_circle[d->s->lock[t->lock].owner[i].task])
			return true;
	return false;
}

/* Takes away who waits for nobody that is left, until nothing changes; then who nobody left waits for. */
static void find_circles(struct drawing *d)
{
	const struct scene *s = d->s;
	g_autofree bool *wanted = g_new0(bool, s->ntask + 1);
	bool again = true;

	for (uint32_t i = 0; i < s->ntask; i++)
		d->in_circle[i] = s->task[i].lock != STORY_NONE;
	while (again) {
		again = false;
		memset(wanted, 0, s->ntask + 1);
		for (uint32_t i = 0; i < s->ntask; i++) {
			const struct scene_lock *l;

			if (!d->in_circle[i])
				continue;
			l = &s->lock[s->task[i].lock];
			for (uint32_t k = 0; k < l->nowner; k++)
				wanted[l->owner[k].task] = true;
		}
		for (uint32_t i = 0; i < s->ntask; i++)
			if (d->in_circle[i] && (!wanted[i] || !waits_for_circle(d, i))) {
				d->in_circle[i] = false;
				again = true;
			}
	}
}

/* -- tasks ------------------------------------------------------------------------------------------- */

static bool is_waiter_shown(const struct scene_lock *l, uint32_t task)
{
	for (uint32_t i = 0; i < MIN(l->nwaiter, CROWD); i++)
		if (l->waiter[i] == task)
			return true;
	return false;
}

/* Everybody who waits, owns something that others wait for, keeps somebody off, or (on small machines) runs. */
static void choose_tasks(struct drawing *d)
{
	const struct scene *s = d->s;

	for (uint32_t i = 0; i < s->nlock; i++) {
		const struct scene_lock *l = &s->lock[i];

		for (uint32_t k = 0; k < MIN(l->nowner, CROWD); k++)
			d->shown[l->owner[k].task] = true;
		for (uint32_t k = 0; k < MIN(l->nwaiter, CROWD); k++)
			d->shown[l->waiter[k]] = true;
	}
	for (unsigned i = 0; i < s->nrival; i++)
		d->shown[s->rival[i].runner] = d->keeps_off[s->rival[i].runner] = true;
	for (uint32_t i = 0; i < s->ncpu && s->ncpu <= CPUS_SHOWN; i++)
		if (s->curr[i] != STORY_NONE)
			d->shown[s->curr[i]] = true;
}

static const char *state_text(const struct scene_task *t)
{
	switch (t->state) {
	case STORY_AWAY:
		return "not yet here";
	case STORY_READY:
		return t->throttled ? "throttled" : "runnable, off its CPU";
	case STORY_RUNNING:
		return t->lock == STORY_NONE ? "runs" : "spins";
	case STORY_ASLEEP:
		return "sleeps";
	case STORY_GONE:
		return "has exited";
	}
	return "";
}

static const char *state_colour(const struct scene_task *t)
{
	switch (t->state) {
	case STORY_READY:
		return "#fff2b3";
	case STORY_RUNNING:
		return "#cdeccd";
	case STORY_ASLEEP:
		return "#dfe6f0";
	case STORY_AWAY:
	case STORY_GONE:
		break;
	}
	return "#eeeeee";
}

/* What holds a waiter up. */
static const char *piece_text(enum run_piece piece)
{
	static const char *const text[RUN_PIECE_COUNT] = {
		[RUN_PIECE_holder] = "while the owner runs",
		[RUN_PIECE_chain] = "while the end of the chain runs",
		[RUN_PIECE_preempted] = "behind more urgent work",
		[RUN_PIECE_inversion] = "priority inversion",
		[RUN_PIECE_asleep] = "while the owner sleeps",
		[RUN_PIECE_hand_over] = "hand-over",
		[RUN_PIECE_dispatch] = "while the owner gets its CPU",
		[RUN_PIECE_irq] = "while the owner is interrupted",
		[RUN_PIECE_throttled] = "while the owner is throttled",
		[RUN_PIECE_self] = "about to take it",
	};

	return text[piece];
}

/* "rr 5", boosted "fifo 6, lent; by itself fifo 1" */
static void put_urgency(GString *out, const struct scene_task *t)
{
	g_autoptr(GString) normal = g_string_new(NULL);

	report_prio(normal, t->normal);
	if (g_str_has_prefix(normal->str, "fifo") && !strcmp(t->policy, "rr")) {
		g_string_erase(normal, 0, (gssize)strlen("fifo"));
		g_string_prepend(normal, "rr");
	}
	if (t->prio != t->normal) {
		g_string_append(out, "<font color=\"#d55e00\"><b>");
		report_prio(out, t->prio);
		g_string_append_printf(out, "</b></font>, by itself %s", normal->str);
	} else {
		g_string_append(out, normal->str);
	}
}

static void put_task(const struct drawing *d, uint32_t i)
{
	const struct scene_task *t = &d->s->task[i];
	GString *out = d->out;
	bool bad = d->in_circle[i] || d->keeps_off[i];

	g_string_append_printf(out, "    s%ut%u [shape=box, style=\"rounded,filled\", fillcolor=\"%s\"%s, label=<<b>", d->number, i,
			       d->keeps_off[i] ? "#ffd9d9" : state_colour(t), bad ? ", color=\"#cc0000\", penwidth=2" : "");
	put_html(out, t->name);
	g_string_append(out, "</b><br/>");
	put_urgency(out, t);
	g_string_append_printf(out, "<br/>%s", state_text(t));
	if (t->state == STORY_RUNNING)
		g_string_append_printf(out, " on cpu%u", t->cpu);
	if (t->lock != STORY_NONE) {
		g_string_append(out, "<br/>");
		if (t->piece == RUN_PIECE_inversion)
			g_string_append(out, "<font color=\"#cc0000\"><b>priority inversion</b></font>");
		else
			g_string_append_printf(out, "<i>%s</i>", d->in_circle[i] ? "deadlock" : piece_text(t->piece));
	}
	g_string_append(out, ">];\n");
}

/* -- locks ------------------------------------------------------------------------------------------- */

static void put_lock(const struct drawing *d, uint32_t i)
{
	const struct scene_lock *l = &d->s->lock[i];
	GString *out = d->out;

	g_string_append_printf(out, "    s%ul%u [shape=box, style=filled, fillcolor=white, label=<<b>", d->number, i);
	put_html(out, l->name);
	g_string_append(out, "</b><br/>");
	put_html(out, l->model);
	if (l->seen) {
		g_string_append(out, "<br/><font face=\"Courier\" point-size=\"10\">");
		put_html(out, *l->flags ? l->flags : "no flags");
		g_string_append(out, "</font>");
	}
	if (!l->nowner)
		g_string_append(out, l->ownerless ? "<br/><i>nobody owns it</i>" : "<br/><i>free</i>");
	g_string_append(out, ">];\n");
}

static void put_waiters(const struct drawing *d, uint32_t i)
{
	const struct scene_lock *l = &d->s->lock[i];
	GString *out = d->out;

	for (uint32_t k = 0; k < MIN(l->nwaiter, CROWD); k++) {
		const struct scene_task *t = &d->s->task[l->waiter[k]];
		bool circle = d->in_circle[l->waiter[k]];

		g_string_append_printf(out, "    s%ut%u -> s%ul%u [color=\"%s\"%s, label=\"%u.%s since ", d->number, l->waiter[k],
				       d->number, i, circle ? "#cc0000" : "#0060b0", circle ? ", penwidth=2" : "", k + 1,
				       t->shared ? " shared," : "");
		put_time(out, t->since);
		g_string_append(out, "\"];\n");
	}
	if (l->nwaiter <= CROWD)
		return;
	g_string_append_printf(out, "    s%um%u [shape=plaintext, label=\"%u more\"];\n", d->number, i, l->nwaiter - CROWD);
	g_string_append_printf(out, "    s%um%u -> s%ul%u [color=\"#0060b0\", style=dotted];\n", d->number, i, d->number, i);
}

/* What a label says of the priority that @task has from somebody else. */
static void put_loan(const struct drawing *d, uint32_t task)
{
	g_string_append(d->out, "\\nlends ");
	report_prio(d->out, d->s->task[task].prio);
}

/* Who is kept out of a free lock by a ceiling: by whom, and whether it lends that one its priority. */
static void put_barriers(const struct drawing *d)
{
	const struct scene *s = d->s;

	for (uint32_t i = 0; i < s->ntask; i++) {
		uint32_t by = s->task[i].barrier;
		bool boost;

		if (!d->shown[i] || by == STORY_NONE || !d->shown[by])
			continue;
		boost = s->task[by].prio < s->task[by].normal && s->task[by].prio == s->task[i].prio;
		g_string_append_printf(d->out, "    s%ut%u -> s%ut%u [color=\"%s\"%s, label=\"kept out by the ceiling of what it holds",
				       d->number, i, d->number, by, boost ? "#d55e00" : "#0060b0",
				       boost ? ", penwidth=2, fontcolor=\"#d55e00\"" : "");
		if (boost)
			put_loan(d, by);
		g_string_append(d->out, "\"];\n");
	}
}

/* Does @owner run with the priority of a waiter of @l? */
static bool boosts(const struct drawing *d, const struct scene_lock *l, uint32_t owner)
{
	const struct scene_task *t = &d->s->task[owner];

	if (!l->inherits || t->prio >= t->normal)
		return false;
	for (uint32_t k = 0; k < l->nwaiter; k++)
		if (d->s->task[l->waiter[k]].prio == t->prio)
			return true;
	return false;
}

static void put_owners(const struct drawing *d, uint32_t i)
{
	const struct scene_lock *l = &d->s->lock[i];
	GString *out = d->out;

	for (uint32_t k = 0; k < MIN(l->nowner, CROWD); k++) {
		const struct scene_owner *o = &l->owner[k];
		bool boost = boosts(d, l, o->task), circle = d->in_circle[o->task] && l->nwaiter;

		g_string_append_printf(out, "    s%ul%u -> s%ut%u [color=\"%s\"%s, label=\"%s since ", d->number, i, d->number,
				       o->task, boost ? "#d55e00" : circle ? "#cc0000" : "#000000",
				       boost || circle ? ", penwidth=2" : "", o->shared ? "held shared" : "held");
		put_time(out, o->since);
		if (boost)
			put_loan(d, o->task);
		g_string_append(out, boost ? "\", fontcolor=\"#d55e00\"];\n" : "\"];\n");
	}
	if (l->nowner > CROWD)
		g_string_append_printf(out, "    s%uo%u [shape=plaintext, label=\"%u more\"];\n    s%ul%u -> s%uo%u [style=dotted];\n",
				       d->number, i, l->nowner - CROWD, d->number, i, d->number, i);
}

/* One arrow from who runs to whom it keeps off, however many wait behind that one. */
static void put_rivals(const struct drawing *d)
{
	for (unsigned i = 0; i < d->s->nrival; i++) {
		const struct scene_rival *r = &d->s->rival[i];
		bool told = false;

		for (unsigned k = 0; k < i; k++)
			told |= d->s->rival[k].runner == r->runner && d->s->rival[k].end == r->end;
		if (!told && d->shown[r->end])
			g_string_append_printf(d->out, "    s%ut%u -> s%ut%u [color=\"#cc0000\", fontcolor=\"#cc0000\", style=dashed, "
					       "dir=back, label=\"kept off cpu%u by\"];\n",
					       d->number, r->end, d->number, r->runner, r->cpu);
	}
}

static void put_scene(struct drawing *d)
{
	const struct scene *s = d->s;
	GString *out = d->out;

	g_string_append_printf(out, "  subgraph cluster_%u {\n    style=\"rounded\"; color=\"#bbbbbb\"; labeljust=l; fontsize=13;\n"
			       "    label=", d->number);
	graph_quote(out, s->title ? s->title : "");
	g_string_append(out, ";\n");
	find_circles(d);
	choose_tasks(d);
	for (uint32_t i = 0; i < s->ntask; i++)
		if (d->shown[i] && (s->task[i].lock == STORY_NONE || is_waiter_shown(&s->lock[s->task[i].lock], i) ||
				    d->keeps_off[i] || d->in_circle[i]))
			put_task(d, i);
		else
			d->shown[i] = false;
	for (uint32_t i = 0; i < s->nlock; i++)
		if (s->lock[i].nowner || s->lock[i].nwaiter)
			put_lock(d, i);
	for (uint32_t i = 0; i < s->nlock; i++) {
		put_waiters(d, i);
		put_owners(d, i);
	}
	put_barriers(d);
	put_rivals(d);
	g_string_append(out, "  }\n");
}

void graph_scenes(GString *out, struct scene *const *scene, unsigned n, const char *title)
{
	g_string_append(out, "digraph ");
	graph_quote(out, title);
	g_string_append(out, " {\n  graph [rankdir=LR, fontname=\"Helvetica\", labelloc=t, label=<");
	put_html(out, title);
	g_string_append(out, "<br/><font point-size=\"10\" color=\"#555555\">task &#8594; lock: waits; lock &#8594; task: is held by; "
			"orange: lends its priority; red: a circle; red, dashed: runs instead, though less urgent"
			"</font>>];\n  node [fontname=\"Helvetica\", fontsize=12];\n  edge [fontname=\"Helvetica\", fontsize=10];\n");
	/* dot stacks what is not connected from the bottom up */
	for (unsigned i = n; i-- > 0;) {
		struct drawing d = { .out = out, .s = scene[i], .number = i + 1 };

		d.shown = g_new0(bool, scene[i]->ntask + 1);
		d.in_circle = g_new0(bool, scene[i]->ntask + 1);
		d.keeps_off = g_new0(bool, scene[i]->ntask + 1);
		put_scene(&d);
		g_free(d.shown);
		g_free(d.in_circle);
		g_free(d.keeps_off);
	}
	g_string_append(out, "}\n");
}
