// SPDX-License-Identifier: GPL-2.0-or-later
/* What a compare block is called where results stand side by side. */
#include <glib.h>
#include <string.h>

#include "sim/scenario/scenario.h"

static char *with_settings(const struct scenario *scn, const struct scn_compare *c)
{
	GString *label = g_string_new(c->model);

	for (unsigned i = 0; i < c->nset; i++) {
		const struct scn_setting *s = &c->set[i];
		char buf[SIM_TIME_CHARS];
		uint64_t v = s->value ? scn_constant(scn, s->value) : 0;

		g_string_append_printf(label, "%c%s ", i ? ' ' : '{', s->name);
		if (s->word || !s->value)
			g_string_append(label, s->word ? s->word : "");
		else if (s->value->unit == SCN_TIME)
			g_string_append(label, sim_time_format(buf, v));
		else
			g_string_append_printf(label, "%" G_GUINT64_FORMAT, v);
	}
	if (c->nset)
		g_string_append_c(label, '}');
	return g_string_free(label, FALSE);
}

char *scn_compare_label(const struct scenario *scn, unsigned block)
{
	const struct scn_compare *c = &scn->compare[block];
	char *label = with_settings(scn, c);
	unsigned before = !strcmp(label, scn->lock[c->lock].model);

	for (unsigned i = 0; i < block; i++) {
		g_autofree char *other = with_settings(scn, &scn->compare[i]);

		before += scn->compare[i].lock == c->lock && !strcmp(label, other);
	}
	if (before) {
		char *numbered = g_strdup_printf("%s (%u)", label, before + 1);

		g_free(label);
		label = numbered;
	}
	return label;
}

/* The scenario's own settings are not those of the block, whose model may have the same name. */
static bool is_known(const struct scenario *scn, unsigned block, unsigned kept)
{
	const struct scn_compare *c = &scn->compare[block];
	const struct scn_lock *own = &scn->lock[c->lock];
	bool known = !c->nset && !own->nset && !strcmp(c->model, own->model);
	g_autofree char *label = with_settings(scn, c);

	for (unsigned i = 0; i < kept && !known; i++) {
		g_autofree char *other = with_settings(scn, &scn->compare[i]);

		known = scn->compare[i].lock == c->lock && !strcmp(label, other);
	}
	return known;
}

void scn_compare_once(struct scenario *scn)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < scn->ncompare; i++)
		if (scn->compare[i].nexpect || !is_known(scn, i, kept))
			scn->compare[kept++] = scn->compare[i];
	if (kept)
		scn->ncompare = kept;
	else if (scn->ncompare)
		scn->ncompare = 1;
}
