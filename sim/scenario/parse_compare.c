/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare LOCK : MODEL { … }: the same scenario again with another model. Grammar: parse.c. */
#include "sim/scenario/parse.h"

static bool parse_compare_body(struct parser *p, struct scn_compare *c, GPtrArray *list)
{
	g_autoptr(GArray) set = g_array_new(FALSE, TRUE, sizeof(struct scn_setting));
	unsigned inside = p->depth;

	if (!parse_lock_settings(p, set, NULL))
		return false;
	c->set = parse_settings_done(p, set, &c->nset);
	while (!parse_is(p, '}') && !parse_stopped(p)) {
		if (p->tok.kind == TOK_END) {
			p->unclosed = true;
			return parse_fail(p, SIM_DIAG_open_block, c->pos,
					  "the block of this compare is not closed");
		}
		if (!parse_take_name(p, "expect"))
			return parse_expected(p, "\"expect\" or \"}\"");
		if (!parse_expectation(p, list))
			parse_resync(p, KW_TOP, inside);
	}
	return parse_need(p, '}', "\"}\"");
}

bool parse_compare(struct parser *p)
{
	struct scn_compare *c = scn_new(p->mem, struct scn_compare);
	struct ref ref = {.kind = REF_OBJECT, .kinds = 1u << SCN_LOCK, .verb = "compare", .index = &c->lock};
	GPtrArray *list;
	struct sim_pos pos;
	bool ok;

	if (!parse_name(p, "the lock to compare", &ref.name, &ref.pos))
		return false;
	c->pos = ref.pos;
	g_array_append_val(p->refs, ref);
	if (!parse_is(p, ':'))
		return parse_expected(p, "\":\" and a lock model");
	parse_advance(p);
	if (!parse_word(p, "a lock model", &c->model, &pos))
		return false;
	c->model_pos = pos;
	if (p->compares->len == PARSE_MAX_COMPARES)
		return parse_too_many(p, SIM_DIAG_list_too_long, ref.pos, "compare blocks",
				      PARSE_MAX_COMPARES);
	if (!parse_need(p, '{', "\"{\" and expectations"))
		return false;
	list = g_ptr_array_new();
	g_ptr_array_add(p->compares, c);
	g_ptr_array_add(p->compare_expects, list);
	p->compare = c;
	ok = parse_compare_body(p, c, list);
	p->compare = NULL;
	return ok;
}
