// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockstep graph FILE: who waited for whom at an instant, as DOT or as a picture.
 *
 * Which instant may depend on the run, so a run is made to find it and, since runs are exactly
 * repeatable, another to look at it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/look.h"
#include "sim/report/graph.h"
#include "sim/report/story.h"

#define EPISODE_MAX 24 /* scenes */

static struct {
	char **at, *task, *lock, *out;
	gboolean worst, finding, episode, order;
} own;

static const GOptionEntry own_options[] = {
	{ "at", 0, 0, G_OPTION_ARG_STRING_ARRAY, &own.at, "The state at this time; may be given several times", "TIME" },
	{ "worst", 0, 0, G_OPTION_ARG_NONE, &own.worst, "The state in the wait with most inversion, else in the longest", NULL },
	{ "finding", 0, 0, G_OPTION_ARG_NONE, &own.finding, "The state at the first finding", NULL },
	{ "episode", 0, 0, G_OPTION_ARG_NONE, &own.episode, "That wait from beginning to end, one state below the other", NULL },
	{ "order", 0, 0, G_OPTION_ARG_NONE, &own.order, "The order in which locks were taken in the whole run", NULL },
	{ "task", 0, 0, G_OPTION_ARG_STRING, &own.task, "Only waits of this task, or of all its instances", "NAME" },
	{ "lock", 0, 0, G_OPTION_ARG_STRING, &own.lock, "Only waits for this lock, or for all its instances", "NAME" },
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &own.out, "Write a .dot, or (by Graphviz's dot) an .svg or .png", "FILE" },
	G_OPTION_ENTRY_NULL,
};

/* -- output ---------------------------------------------------------------------------------------- */

static int feed(int fd, const GString *dot)
{
	size_t done = 0;

	while (done < dot->len) {
		ssize_t n = write(fd, dot->str + done, dot->len - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return done == dot->len;
}

/* dot reads the graph from its standard input and writes the picture itself. */
static int run_dot(const GString *dot, const char *format)
{
	g_autofree char *type = g_strdup_printf("-T%s", format);
	char *argv[] = { (char *)"dot", type, (char *)"-o", own.out, NULL };
	void (*pipe_was)(int) = signal(SIGPIPE, SIG_IGN);
	g_autoptr(GError) error = NULL;
	int fd, status = 0, fed;
	GPid pid;

	if (!g_spawn_async_with_pipes(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &fd,
				      NULL, NULL, &error)) {
		cli_error("dot, of Graphviz, is needed for .%s: %s", format, error->message);
		signal(SIGPIPE, pipe_was);
		return CLI_WORLD;
	}
	fed = feed(fd, dot);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	g_spawn_close_pid(pid);
	signal(SIGPIPE, pipe_was);
	if (fed && WIFEXITED(status) && !WEXITSTATUS(status))
		return CLI_FINE;
	cli_error("dot could not write %s", own.out);
	return CLI_WORLD;
}

static bool is_format_known(void)
{
	return !own.out || g_str_has_suffix(own.out, ".dot") || g_str_has_suffix(own.out, ".gv") ||
	       g_str_has_suffix(own.out, ".svg") || g_str_has_suffix(own.out, ".png");
}

static int print(const GString *dot)
{
	if (!own.out)
		return cli_write(dot);
	if (g_str_has_suffix(own.out, ".svg") || g_str_has_suffix(own.out, ".png"))
		return run_dot(dot, own.out + strlen(own.out) - 3);
	return cli_write_file(own.out, dot->str, dot->len);
}

/* -- which instants -------------------------------------------------------------------------------- */

struct search { /* the first run */
	struct story story;
	bool found; /* a finding */
	sim_time found_at;
	char *found_text;
};

static void look_for_finding(void *user, const struct sim_rec *rec)
{
	struct search *s = user;

	if (rec->type != SIM_REC_FINDING || s->found)
		return;
	s->found = true;
	s->found_at = rec->time;
	s->found_text = g_strdup(rec->arg < RUN_FINDING_COUNT ? run_finding_name[rec->arg] : "finding");
}

struct instants {
	GArray *at;	    /* sim_time, ascending, no two alike */
	GPtrArray *title;   /* by instant */
};

static void add_instant(struct instants *in, sim_time at, char *title)
{
	g_array_append_val(in->at, at);
	g_ptr_array_add(in->title, title);
}

/* "120ms: priority inversion: distribution waits for buffer since 110ms, camera runs instead" */
static char *wait_title(const struct story *s, const struct story_wait *w, const struct story_piece *p)
{
	g_autoptr(GString) t = g_string_new(NULL);

	report_time(t, p->from);
	g_string_append_printf(t, ": %s%s waits for %s since ", p->piece == RUN_PIECE_inversion ? "priority inversion: " : "",
			       s->task_name[w->task], s->lock_name[w->lock]);
	report_time(t, w->from);
	if (p->piece == RUN_PIECE_inversion && p->nrunner)
		g_string_append_printf(t, ", %s runs instead of %s", s->task_name[p->runner[0].task],
				       s->task_name[p->link[p->nlink - 1].task]);
	return g_string_free(g_steal_pointer(&t), FALSE);
}

/* The longest piece of inversion, or the longest piece. */
static void choose_worst(const struct story *s, struct instants *in)
{
	const struct story_wait *w = s->inverted;
	const struct story_piece *best = &w->piece[0];

	for (unsigned i = 1; i < w->npiece; i++) {
		const struct story_piece *p = &w->piece[i];
		bool more = p->to - p->from > best->to - best->from;

		if ((p->piece == RUN_PIECE_inversion) == (best->piece == RUN_PIECE_inversion) ? more : p->piece == RUN_PIECE_inversion)
			best = p;
	}
	add_instant(in, best->from, wait_title(s, w, best));
}

static void choose_episode(const struct story *s, struct instants *in)
{
	const struct story_wait *w = s->inverted;
	unsigned last = w->npiece < EPISODE_MAX ? w->npiece : EPISODE_MAX - 1;

	for (unsigned i = 0; i < last; i++)
		add_instant(in, w->piece[i].from, wait_title(s, w, &w->piece[i]));
	if (w->end != STORY_OPEN) {
		g_autoptr(GString) t = g_string_new(NULL);

		report_time(t, w->to);
		g_string_append_printf(t, ": the wait of %s for %s is over", s->task_name[w->task], s->lock_name[w->lock]);
		add_instant(in, w->to, g_string_free(g_steal_pointer(&t), FALSE));
	}
}

static int by_time(const void *a, const void *b)
{
	sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;

	return x < y ? -1 : x > y;
}

static bool choose_given(struct instants *in)
{
	for (unsigned i = 0; own.at[i]; i++) {
		sim_time t;

		if (!cli_parse_time(own.at[i], &t)) {
			cli_error("--at %s: not a time with its unit (ps, ns, us, ms, s)", own.at[i]);
			return false;
		}
		g_array_append_val(in->at, t);
	}
	g_array_sort(in->at, by_time);
	for (guint i = 0; i < in->at->len; i++) {
		g_autoptr(GString) t = g_string_new(NULL);

		report_time(t, g_array_index(in->at, sim_time, i));
		g_ptr_array_add(in->title, g_string_free(g_steal_pointer(&t), FALSE));
	}
	return true;
}

/* CLI_FINE with instants, or why there are none. */
static int search(const char *path, struct instants *in)
{
	struct search s = { .story = { .worst = 1, .only_task = own.task, .only_lock = own.lock } };
	struct run_options o = { .story = &s.story, .listen = look_for_finding, .listen_classes = SIM_CLASS_TASK, .listen_user = &s };
	struct run_result *r;
	int status;

	r = cli_look(path, &o, &status);
	if (!r)
		return status;
	if (!cli_story_known(&s.story)) {
		status = CLI_WRONG;
	} else if (s.found && !own.worst && !own.episode) {
		g_autoptr(GString) t = g_string_new(NULL);

		report_time(t, s.found_at);
		g_string_append_printf(t, ": %s", s.found_text);
		add_instant(in, s.found_at, g_string_free(g_steal_pointer(&t), FALSE));
	} else if (own.finding) {
		cli_error("nothing was found in this run");
		status = CLI_MISSED;
	} else if (!s.story.inverted) {
		cli_error("nobody waited in this run; --at pictures any time");
		status = CLI_MISSED;
	} else if (own.episode) {
		choose_episode(&s.story, in);
	} else {
		choose_worst(&s.story, in);
	}
	g_free(s.found_text);
	story_clear(&s.story);
	run_result_free(r);
	return status;
}

/* -- pictures --------------------------------------------------------------------------------------- */

static void free_scene(gpointer s)
{
	scene_free(s);
}

static int draw_scenes(const char *path, const struct instants *in)
{
	g_autoptr(GPtrArray) scenes = g_ptr_array_new_with_free_func(free_scene);
	struct scene_ask ask = { (const sim_time *)(const void *)in->at->data, in->at->len, scenes };
	struct run_options o = { .scene = &ask };
	g_autoptr(GString) dot = g_string_new(NULL);
	struct run_result *r;
	int status, printed;

	r = cli_look(path, &o, &status);
	if (!r)
		return status;
	for (guint i = 0; i < scenes->len; i++)
		((struct scene *)scenes->pdata[i])->title = g_strdup(in->title->pdata[i]);
	graph_scenes(dot, (struct scene *const *)scenes->pdata, scenes->len, cli_run_title(r, path));
	if (own.at && g_array_index(in->at, sim_time, in->at->len - 1) > r->until)
		cli_error("the run was over before the last of these times; its last state stands for what was not reached");
	printed = print(dot);
	run_result_free(r);
	return printed != CLI_FINE ? printed : status;
}

static void take_order_names(void *user, const struct sim_names *names)
{
	order_names(user, names);
}

static void take_order(void *user, const struct sim_rec *rec)
{
	order_take(user, rec);
}

static int draw_order(const char *path)
{
	struct order *order = order_new();
	struct run_options o = { .names = take_order_names, .listen = take_order, .listen_classes = SIM_CLASS_LOCK,
				 .listen_user = order };
	g_autoptr(GString) dot = g_string_new(NULL);
	struct run_result *r;
	int status, printed;

	r = cli_look(path, &o, &status);
	if (r) {
		order_dot(dot, order, cli_run_title(r, path));
		printed = print(dot);
		status = printed != CLI_FINE ? printed : status;
		run_result_free(r);
	}
	order_free(order);
	return status;
}

static int run(int argc, char **argv)
{
	struct instants in;
	int status = CLI_FINE;

	if (argc != 1) {
		cli_error("which run? Give one scenario or one trace file");
		return CLI_WRONG;
	}
	if (!is_format_known()) {
		cli_error("-o %s: neither .dot nor .svg nor .png", own.out);
		return CLI_WRONG;
	}
	if (!!own.at + own.worst + own.finding + own.episode + own.order > 1) {
		cli_error("only one of --at, --worst, --finding, --episode and --order");
		return CLI_WRONG;
	}
	if (own.order)
		return draw_order(argv[0]);
	in = (struct instants){ g_array_new(FALSE, FALSE, sizeof(sim_time)), g_ptr_array_new_with_free_func(g_free) };
	if (own.at)
		status = choose_given(&in) ? CLI_FINE : CLI_WRONG;
	else
		status = search(argv[0], &in);
	if (status == CLI_FINE)
		status = draw_scenes(argv[0], &in);
	g_array_free(in.at, TRUE);
	g_ptr_array_free(in.title, TRUE);
	return status;
}

static const GOptionEntry *const groups[] = { own_options, cli_run_options, cli_kernel_options, cli_text_options,
					      cli_output_options, NULL };

const struct cli_verb verb_graph = {
	.name = "graph",
	.args = "FILE",
	.summary = "Draw who waited for whom, or the order in which locks were taken",
	.more = "FILE is a scenario, which is run, or what `lockstep run --trace` wrote. Without a choice the\n"
		"first finding is drawn or, if there is none, the worst wait. Without -o the graph goes to\n"
		"stdout as DOT.\n"
		"Exit status: 0 drawn; 1 there was nothing to draw; 2 the text or an argument is wrong; 3 a file,\n"
		"a limit, or Graphviz; 130 interrupted.\n",
	.groups = groups,
	.run = run,
};
