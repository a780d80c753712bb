// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/places.h"
#include "sim/run/twin_impl.h"

#define COMMON 8 /* records before the parting */
#define WIDTH 64 /* of the left column */

/* -- records as text ---------------------------------------------------------------------------- */

/* Enough of the names for what is printed; results keep tasks and locks by name. */
static void names_of(const struct run_result *r, struct sim_names *names)
{
	const char **task = g_new0(const char *, r->ntask + 1), **lock = g_new0(const char *, r->nlock + 1);

	for (unsigned i = 0; i < r->ntask; i++)
		task[i] = r->task[i].name;
	for (unsigned i = 0; i < r->nlock; i++)
		lock[i] = r->lock[i].name;
	*names = (struct sim_names){ .ncpus = r->ncpu, .ntasks = r->ntask, .nlocks = r->nlock, .task = task, .lock = lock };
}

static void append_look(GString *out, const struct twin_look *l, const struct sim_names *names)
{
	if (!l->looked)
		return;
	g_string_append_printf(out, "  word %#" G_GINT64_MODIFIER "x owners %u queue", (guint64)l->word, l->nowners);
	for (unsigned i = 0; i < TWIN_LOOK && i < l->nwaiters; i++)
		g_string_append_printf(out, " %s", l->waiter[i] && l->waiter[i] <= names->ntasks ? names->task[l->waiter[i] - 1] : "?");
	if (!l->nwaiters)
		g_string_append(out, " -");
}

static char *one_line(const struct twin_rec *r, const struct sim_names *names)
{
	GString *out = g_string_new(NULL);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	sim_assert(f);
	sim_rec_print(f, &r->rec, names);
	fclose(f);
	g_string_append_len(out, text, (gssize)len);
	free(text);
	append_look(out, &r->look, names);
	return g_string_free(out, FALSE);
}

static char *line_at(const struct twin *t, unsigned side, unsigned at, const struct sim_names *names)
{
	if (at >= t->rec[side]->len)
		return g_strdup("");
	return one_line(&g_array_index(t->rec[side], struct twin_rec, at), names);
}

/* -- the story ------------------------------------------------------------------------------------- */

static void append_heads(GString *out, const struct twin *t)
{
	for (unsigned i = 0; i < t->scn->nlock; i++)
		if (t->lock[i].model[0])
			g_string_append_printf(out, "  %s: %s and %s\n", t->scn->lock[i].name, t->lock[i].model[0],
					       t->lock[i].model[1]);
}

static void append_findings(GString *out, const struct twin *t)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; t->result[side] && i < t->result[side]->nfinding; i++) {
			const struct run_finding *f = &t->result[side]->finding[i];
			char at[SIM_TIME_CHARS];

			g_string_append_printf(out, "  %s side, finding %s at %s: %s\n", side ? "second" : "first",
					       run_finding_name[f->kind], sim_time_format(at, f->at), f->text);
		}
}

/* In the tree's files, at the first record that differs. */
static void append_where(GString *out, const struct twin *t)
{
	GString *lines = g_string_new(NULL);

	for (unsigned side = 0; side < 2; side++) {
		const struct twin_place *p = &t->place[side];
		g_autofree char *head = g_strdup_printf("%s side, %s had come through", side ? "second" : "first", p->task);

		if (p->n)
			places_append(lines, head, p->site, p->n);
	}
	if (lines->len)
		g_string_append_printf(out, "%s\n", lines->str + 1);
	g_string_free(lines, TRUE);
}

/* Is a model of Lockstep's held against a tree? Two trees mostly have one layout. */
static bool with_model(const struct twin *t)
{
	for (unsigned i = 0; i < t->scn->nlock; i++)
		for (unsigned side = 0; t->lock[i].model[0] && side < 2; side++)
			if (!strchr(t->lock[i].model[side], ':'))
				return true;
	return false;
}

char *twin_story(const struct twin *t)
{
	struct sim_names names;
	GString *out = g_string_new("the twins part\n");
	unsigned from = t->at > COMMON ? t->at - COMMON : 0;

	names_of(t->result[0], &names);
	append_heads(out, t);
	append_findings(out, t);
	if (t->exact) {
		g_string_append_printf(out, "  %u records in common, the last of them:\n", t->at);
		for (unsigned i = from; i < t->at; i++) {
			g_autofree char *line = line_at(t, 0, i, &names);

			g_string_append_printf(out, "    %s\n", line);
		}
	} else {
		g_string_append(out, "  grants of one lock in another order\n");
		if (with_model(t))
			g_string_append(out, "  (where words lie on other lines, or in another socket's memory, calls take other times, and who\n"
					"  comes first may change: see the accesses by line; on machine zero the sides must not part)\n");
	}
	g_string_append_printf(out, "  %-*s | %s\n", WIDTH, "then on the first side", "and on the second");
	for (unsigned i = 0; i < TWIN_TELL; i++) {
		g_autofree char *left = line_at(t, 0, t->at + i, &names), *right = line_at(t, 1, t->at_other + i, &names);

		if (!*left && !*right)
			break;
		g_string_append_printf(out, "%c %-*s | %s\n", strcmp(left, right) ? '*' : ' ', WIDTH, *left ? left : "(ended)",
				       *right ? right : "(ended)");
	}
	append_where(out, t);
	g_free((gpointer)names.task);
	g_free((gpointer)names.lock);
	return g_string_free(out, FALSE);
}

/* -- counters ------------------------------------------------------------------------------------------ */

static const uint64_t *counter(const struct run_lock *l, const char *name)
{
	for (unsigned i = 0; l->event_name && l->event_name[i]; i++)
		if (!strcmp(l->event_name[i], name))
			return &l->event[i];
	return NULL;
}

char *twin_counters(const struct twin *t)
{
	GString *out = g_string_new(NULL);

	for (unsigned i = 0; i < t->result[0]->nlock && i < t->result[1]->nlock; i++) {
		const struct run_lock *a = &t->result[0]->lock[i], *b = &t->result[1]->lock[i];

		for (unsigned e = 0; a->event_name && a->event_name[e]; e++) {
			const uint64_t *other = counter(b, a->event_name[e]);

			if (other && *other != a->event[e])
				g_string_append_printf(out, "  %s: %s is %" G_GUINT64_FORMAT " of %s, %" G_GUINT64_FORMAT " of %s\n",
						       a->name, a->event_name[e], (guint64)a->event[e], a->model, (guint64)*other,
						       b->model);
		}
	}
	if (out->len)
		g_string_prepend(out, "the same records, but other counters\n");
	return g_string_free(out, out->len == 0);
}

static void count_access(void *user, const struct sim_rec *rec)
{
	struct twin *t = user;
	uint32_t object = rec->obj - 1, line = MIN(rec->arg >> 16, TWIN_LINES - 1);

	for (uint32_t i = 0; i < t->bound->nlock; i++)
		if (t->bound->lock[i].object == object) {
			t->lines[t->side][i].n[line]++;
			t->lines[t->side][i].missed[line] += !(rec->arg >> 8 & 0xff);
			return;
		}
}

void twin_count_lines(struct twin *t, const struct run_bound *b)
{
	t->lines[t->side] = g_new0(struct twin_lines, b->nlock + 1);
	sim_trace_subscribe(b->trace, SIM_CLASS_ACCESS, count_access, t);
}

/* @n a grant, in hundredths. */
static void put_per_grant(GString *out, uint64_t n, uint64_t grants)
{
	uint64_t hundredths = grants ? (n * 100 + grants / 2) / grants : 0;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%02u", (guint64)(hundredths / 100), (unsigned)(hundredths % 100));
}

static void note_lock(struct twin *t, unsigned i)
{
	uint64_t got[2];

	for (unsigned side = 0; side < 2; side++)
		got[side] = t->result[side]->lock[i].acquisitions[0] + t->result[side]->lock[i].acquisitions[1];
	for (unsigned line = 0; line < TWIN_LINES; line++) {
		const struct twin_lines *l[2] = { &t->lines[0][i], &t->lines[1][i] };

		if (l[0]->n[line] * got[1] == l[1]->n[line] * got[0] && l[0]->missed[line] * got[1] == l[1]->missed[line] * got[0])
			continue;
		g_string_append_printf(t->notes, "%s line %u: accesses (of them misses) per acquisition ",
				       t->result[0]->lock[i].name, line);
		for (unsigned side = 0; side < 2; side++) {
			put_per_grant(t->notes, l[side]->n[line], got[side]);
			g_string_append(t->notes, " (");
			put_per_grant(t->notes, l[side]->missed[line], got[side]);
			g_string_append_printf(t->notes, ") in %s%s", t->result[side]->lock[i].model, side ? "\n" : ", ");
		}
	}
}

void twin_note_lines(struct twin *t)
{
	for (unsigned i = 0; i < t->result[0]->nlock && i < t->result[1]->nlock; i++)
		note_lock(t, i);
}
