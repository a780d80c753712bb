// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/look.h"

#include <errno.h>

#include "sim/run/replay.h"
#include "sim/run/story.h"

static struct run_result *look_at_scenario(const char *path, struct run_options *o, int *status)
{
	struct scenario *scn = cli_load(path, stderr, cli_colour(stderr), status);
	g_autofree char *error = NULL;
	struct run_result *r;

	if (!scn)
		return NULL;
	r = run_scenario(scn, o, &error);
	scenario_free(scn);
	if (!r) {
		cli_error("%s", error);
		*status = CLI_WORLD;
		return NULL;
	}
	*status = run_exit_status(r);
	*status = *status == CLI_MISSED ? CLI_FINE : *status;
	return r;
}

static struct run_result *look_at_trace(const char *path, struct run_options *o, int *status)
{
	g_autofree char *error = NULL;
	struct run_result *r = run_replay(path, o, &error);

	*status = CLI_FINE;
	if (!r) {
		cli_error("%s", error);
		*status = CLI_WORLD;
	} else if (r->end == RUN_END_INTERRUPTED) {
		*status = CLI_INTERRUPTED;
	}
	return r;
}

struct run_result *cli_look(const char *path, struct run_options *o, int *status)
{
	int kind = replay_is_trace(path);

	if (kind < 0) {
		cli_error("%s: %s", path, g_strerror(errno));
		*status = CLI_WORLD;
		return NULL;
	}
	if (!cli_fill_run_options(o)) {
		*status = CLI_WRONG;
		return NULL;
	}
	o->no_compare = true;
	o->pieces = true;
	cli_catch_interrupt();
	return kind ? look_at_trace(path, o, status) : look_at_scenario(path, o, status);
}

bool cli_story_known(const struct story *story)
{
	const char *unknown = story_unknown(story);

	if (unknown)
		cli_error("there is no %s \"%s\" in this run", unknown == story->only_task ? "task" : "lock", unknown);
	return !unknown;
}

const char *cli_run_title(const struct run_result *r, const char *path)
{
	return r->scenario && *r->scenario ? r->scenario : path;
}
