// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "sim/cli/cli.h"

static volatile sig_atomic_t due;
static bool shown;
static char until[SIM_TIME_CHARS];

static void on_alarm(int signal)
{
	due = 1;
}

static void listen(void *user, const struct sim_rec *rec)
{
	char now[SIM_TIME_CHARS];

	if (!due)
		return;
	due = 0;
	shown = true;
	fprintf(stderr, "\r\033[Klockstep: at %s%s%s", sim_time_format_short(now, rec->time, 3), *until ? " of " : "", until);
	fflush(stderr);
}

static void set_timer(unsigned seconds)
{
	struct itimerval timer = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_start(const struct scenario *scn, struct run_options *o)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	if (opt.quiet || o->listen || !isatty(STDERR_FILENO)) /* one listener: a timeline goes first */
		return;
	if (scn->run_for)
		sim_time_format(until, scn_constant(scn, scn->run_for));
	o->listen = listen;
	o->listen_classes = SIM_CLASS_SCHED | SIM_CLASS_LOCK;
	sigaction(SIGALRM, &action, NULL);
	set_timer(1);
}

void progress_stop(void)
{
	set_timer(0);
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
