// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"

struct worker {
	pid_t pid;    /* 0: not started, -1: finished */
	int result;   /* memory file: what the child came to */
	int messages; /* memory file: its stderr */
};

/* What a child writes into its result file, then the text. */
struct verdict {
	enum case_status status;
	unsigned met, missed;
	int exit;
};

/* The file's text from byte @from on. */
static char *slurp(int fd, off_t from)
{
	GString *text = g_string_new(NULL);
	char buf[4096];
	ssize_t n;

	lseek(fd, from, SEEK_SET);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		g_string_append_len(text, buf, n);
	return g_string_free(text, FALSE);
}

static bool write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static void child(struct worker *w, struct test_case *c, worker_fn fn)
{
	struct verdict v;
	bool good;

	dup2(w->messages, STDERR_FILENO);
	fn(c);
	fflush(NULL);
	v = (struct verdict){ c->status, c->met, c->missed, c->exit };
	good = write_all(w->result, &v, sizeof(v)) && (!c->text || write_all(w->result, c->text, strlen(c->text)));
	_exit(good ? 0 : 1);
}

static bool start(struct worker *w, struct test_case *c, worker_fn fn)
{
	w->result = memfd_create("result", MFD_CLOEXEC);
	w->messages = memfd_create("messages", MFD_CLOEXEC);
	fflush(NULL);
	w->pid = w->result < 0 || w->messages < 0 ? -1 : fork();
	if (w->pid == 0)
		child(w, c, fn);
	return w->pid > 0;
}

static void crashed(struct test_case *c, int status, const char *messages)
{
	c->status = CASE_BROKEN;
	c->exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 3;
	if (WIFSIGNALED(status))
		c->text = g_strdup_printf("the simulator crashed, signal %d\n%s", WTERMSIG(status), messages);
	else
		c->text = g_strdup_printf("the simulator gave up, status %d\n%s", WEXITSTATUS(status), messages);
}

static void finish(struct worker *w, struct test_case *c, int status)
{
	struct verdict v;

	lseek(w->result, 0, SEEK_SET);
	if (WIFEXITED(status) && !WEXITSTATUS(status) && read(w->result, &v, sizeof(v)) == (ssize_t)sizeof(v)) {
		c->status = v.status;
		c->met = v.met;
		c->missed = v.missed;
		c->exit = v.exit;
		c->text = slurp(w->result, sizeof(v));
	} else {
		g_autofree char *messages = slurp(w->messages, 0);

		crashed(c, status, messages);
	}
	close(w->result);
	close(w->messages);
	w->pid = -1;
}

/* Waits for one child of ours and files its result; false when interrupted or none is left. */
static bool reap(struct worker *w, struct test_case *cases, unsigned started)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (unsigned i = 0; i < started && pid > 0; i++)
		if (w[i].pid == pid) {
			finish(&w[i], &cases[i], status);
			return true;
		}
	return pid > 0 || errno == EINTR;
}

static void interrupt_children(const struct worker *w, unsigned started)
{
	for (unsigned i = 0; i < started; i++)
		if (w[i].pid > 0)
			kill(w[i].pid, SIGINT);
}

int workers_run(struct test_case *cases, unsigned n, unsigned jobs, worker_fn fn, worker_done_fn done, void *user)
{
	struct worker *w = g_new0(struct worker, n);
	unsigned started = 0, running = 0, told = 0;
	bool passed_on = false, failed = false;

	while (told < n && !failed) {
		while (started < n && running < jobs && !cli_interrupted && !failed) {
			failed = !start(&w[started], &cases[started], fn);
			started += !failed;
			running += !failed;
		}
		if (!running)
			break;
		if (cli_interrupted && !passed_on) {
			interrupt_children(w, started);
			passed_on = true;
		}
		if (!reap(w, cases, started))
			failed = true;
		running = 0;
		for (unsigned i = told; i < started; i++)
			running += w[i].pid > 0;
		for (; told < started && w[told].pid == -1; told++)
			done(user, &cases[told], told);
	}
	g_free(w);
	return failed && !told ? -1 : (int)told;
}
