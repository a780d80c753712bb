// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run's end says to the shell. */
#include "sim/run/result.h"

static bool failed(const struct run_result *r)
{
	for (unsigned i = 0; i < r->nfinding; i++)
		if (!r->finding[i].expected)
			return true;
	for (unsigned i = 0; i < r->nverdict; i++)
		if (!r->verdict[i].met)
			return true;
	for (unsigned i = 0; i < r->ncompare; i++) {
		const struct run_compare *c = &r->compare[i];

		if (c->result && failed(c->result))
			return true;
		for (unsigned k = 0; k < c->nverdict; k++)
			if (!c->verdict[k].met)
				return true;
	}
	return false;
}

static bool ended_by(const struct run_result *r, enum run_end end)
{
	if (r->end == end)
		return true;
	for (unsigned i = 0; i < r->ncompare; i++)
		if (r->compare[i].result && ended_by(r->compare[i].result, end))
			return true;
	return false;
}

int run_exit_status(const struct run_result *r)
{
	if (ended_by(r, RUN_END_INTERRUPTED))
		return 130;
	if (ended_by(r, RUN_END_STEPS))
		return 3;
	return failed(r);
}
