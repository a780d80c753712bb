// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/run/text_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void keep(void *user, const struct sim_rec *rec)
{
	struct text_run *t = user;

	if (t->nrec < TEXT_RECORDS)
		t->rec[t->nrec++] = *rec;
}

struct text_run *text_run(const char *text, const struct run_options *options)
{
	struct text_run *t = calloc(1, sizeof(*t));
	struct scn_options read = {.vocabulary = run_vocabulary()};
	struct run_options o = {0};
	struct sim_diags diags = {0};

	ck_assert_ptr_nonnull(t);
	if (options)
		o = *options;
	o.listen = keep;
	o.listen_user = t;
	o.listen_classes = SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK | SIM_CLASS_DETAIL;
	t->scn = scenario_parse("test.lks", text, strlen(text), &read, &diags);
	if (!t->scn)
		sim_diag_print(stderr, &diags, false);
	ck_assert_ptr_nonnull(t->scn);
	t->result = run_scenario(t->scn, &o, &t->error);
	return t;
}

void text_free(struct text_run *t)
{
	run_result_free(t->result);
	scenario_free(t->scn);
	free(t->error);
	free(t);
}

const struct sim_rec *text_find(const struct text_run *t, enum sim_rec_type type, uint32_t task, unsigned n)
{
	for (unsigned i = 0; i < t->nrec; i++)
		if (t->rec[i].type == type && (!task || t->rec[i].task == task) && !n--)
			return &t->rec[i];
	return NULL;
}

unsigned text_count(const struct text_run *t, enum sim_rec_type type, uint32_t task)
{
	unsigned n = 0;

	while (text_find(t, type, task, n))
		n++;
	return n;
}
