/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a scenario: they must be refused with at most ten messages, or give a tree
 * whose constants can be evaluated. No crash, no hang, no memory without bound.
 *
 * Lines "# set: NAME=VALUE" stand for --set, so that its values are fuzzed as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/core/check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/scenario/fake.h"

#define SETS 8

static void collect_sets(const char *text, size_t len, char *sets[SETS + 1])
{
	static const char mark[] = "# set: ";
	unsigned n = 0;
	const char *end = text + len;

	for (const char *line = text; line && line < end && n < SETS;) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		size_t room = (size_t)((eol ? eol : end) - line);

		if (room > strlen(mark) && !memcmp(line, mark, strlen(mark)))
			sets[n++] = g_strndup(line + strlen(mark), room - strlen(mark));
		line = eol ? eol + 1 : NULL;
	}
}

static uint64_t touch_list(const struct scenario *scn, const struct scn_stmt *list)
{
	uint64_t sum = 0, value;

	for (const struct scn_stmt *s = list; s; s = s->next) {
		if (s->arg && scn_instance_value(scn, s->arg, 3, &value))
			sum += value;
		if (s->timeout && scn_instance_value(scn, s->timeout, 3, &value))
			sum += value;
		sim_assert(s->id && s->id <= scn->nstmt);
		sum += touch_list(scn, s->body) + touch_list(scn, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			sum += touch_list(scn, s->branch[i].body);
	}
	return sum;
}

static volatile uint64_t sink; /* so that the reading is not optimised away */

/* Reads what a run would read. */
static void touch(const struct scenario *scn)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < scn->ntask; i++)
		sum += touch_list(scn, scn->task[i].body);
	for (unsigned i = 0; i < scn->nirq; i++)
		sum += touch_list(scn, scn->irq[i].body);
	for (unsigned i = 0; i < scn->nparam; i++)
		sum += scn_constant(scn, scn->param[i].value);
	for (unsigned i = 0; i < scn->nexpect; i++) {
		const struct scn_expect *x = &scn->expect[i];

		sim_assert(x->source && *x->source);
		sim_assert(!x->has_task || x->task.task < scn->ntask);
		sim_assert(!x->has_lock || x->lock.object < scn->nlock);
		if (x->value)
			sum += scn_constant(scn, x->value);
	}
	for (unsigned i = 0; i < scn->ncompare; i++)
		sim_assert(scn->compare[i].lock < scn->nlock);
	sim_assert(scn->run_for || scn->until_done);
	sink = sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *sets[SETS + 1] = { NULL };
	struct scn_options options = { .vocabulary = &fake_vocabulary, .include_root = "/nonexistent" };
	struct sim_diags diags = { 0 };
	struct scenario *scn;
	char *out = NULL;
	size_t len;
	FILE *f;

	collect_sets((const char *)data, size, sets);
	options.sets = (const char *const *)sets;
	scn = scenario_parse("fuzz.lks", (const char *)data, size, &options, &diags);
	sim_assert((scn != NULL) == !diags.errors);
	sim_assert(diags.count <= SIM_DIAG_MAX);
	f = open_memstream(&out, &len);
	sim_diag_print(f, &diags, size & 1);
	fclose(f);
	sim_assert(len < 100000);
	free(out);
	if (scn)
		touch(scn);
	scenario_free(scn);
	scenario_diags_finish(&diags);
	for (unsigned i = 0; i < SETS; i++)
		g_free(sets[i]);
	return 0;
}
