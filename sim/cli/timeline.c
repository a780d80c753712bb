// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/timeline.h"

#include <string.h>

#include "sim/cli/look.h"
#include "sim/report/timeline.h"
#include "sim/run/story.h"

#define WAITS_MARKED 10000 /* whose inversions are marked, the longest first */

static struct {
	char *where, *span;
	sim_time from, to;
	struct timeline *timeline;
	struct story story;
} own;

const GOptionEntry cli_timeline_options[] = {
	{ "timeline", 0, 0, G_OPTION_ARG_FILENAME, &own.where,
	  "Draw the schedule, in text below the report, or into an .svg", "[FILE.svg]" },
	{ "span", 0, 0, G_OPTION_ARG_STRING, &own.span, "Draw only from one time to another, e.g. 90ms..180ms", "FROM..TO" },
	G_OPTION_ENTRY_NULL,
};

static bool parse_span(void)
{
	const char *dots = own.span ? strstr(own.span, "..") : NULL;
	g_autofree char *from = dots ? g_strndup(own.span, (gsize)(dots - own.span)) : NULL;

	own.from = 0;
	own.to = SIM_NEVER;
	if (!own.span)
		return true;
	if (dots && (!*from || !strcmp(from, "0") || cli_parse_time(from, &own.from)) &&
	    (!dots[2] || cli_parse_time(dots + 2, &own.to)) && own.from < own.to)
		return true;
	cli_error("--span %s: not two times such as 90ms..180ms", own.span);
	return false;
}

static void take_names(void *user, const struct sim_names *names)
{
	timeline_names(user, names);
}

static void take(void *user, const struct sim_rec *rec)
{
	timeline_take(user, rec);
}

bool timeline_prepare(struct run_options *o)
{
	if (!own.where && own.span) {
		cli_error("--span goes with --timeline");
		return false;
	}
	if (!own.where)
		return true;
	if (*own.where && !g_str_has_suffix(own.where, ".svg")) {
		cli_error("--timeline=%s: not an .svg", own.where);
		return false;
	}
	if (!*own.where && opt.json) {
		cli_error("--json leaves no room for a timeline in text; --timeline=FILE.svg goes with it");
		return false;
	}
	if (!parse_span())
		return false;
	own.timeline = timeline_new();
	own.story.worst = WAITS_MARKED;
	o->story = &own.story;
	o->names = take_names;
	o->listen = take;
	o->listen_classes = TIMELINE_CLASSES;
	o->listen_user = own.timeline;
	return true;
}

int timeline_draw(const struct run_result *r, const char *path)
{
	g_autoptr(GString) out = g_string_new(NULL);
	int status;

	if (!own.timeline)
		return CLI_FINE;
	timeline_finish(own.timeline, r->until, &own.story);
	if (*own.where) {
		timeline_svg(out, own.timeline, cli_run_title(r, path), own.from, own.to);
		status = cli_write_file(own.where, out->str, out->len);
	} else {
		g_string_append(out, opt.quiet ? "" : "\n");
		timeline_text(out, own.timeline, cli_run_title(r, path), own.from, own.to, 0);
		status = cli_write(out);
	}
	timeline_free(own.timeline);
	story_clear(&own.story);
	own.timeline = NULL;
	return status;
}
