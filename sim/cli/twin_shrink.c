// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shrinking: every task and every statement is taken away, or its braces are, in turn; what
 * the divergence survives stays away. Round by round, until a round changes nothing.
 */
#include <string.h>

#include "sim/cli/twin_gen.h"

#define TRIES_MAX 2000

struct shrink {
	struct twin_program *p;
	bool (*fails)(const char *text, void *user);
	void *user;
	unsigned tries;
	bool changed;
};

static bool fails(struct shrink *s)
{
	g_autofree char *text = NULL;

	if (s->tries++ > TRIES_MAX)
		return false;
	text = twin_program_text(s->p);
	return s->fails(text, s->user);
}

/* Sets *@flag for good if the program still fails then. */
static void try_flag(struct shrink *s, bool *flag)
{
	if (*flag)
		return;
	*flag = true;
	if (fails(s))
		s->changed = true;
	else
		*flag = false;
}

/* A block must not become empty where the language wants something; it never does. */
static void shrink_node(struct shrink *s, struct twin_node *n, bool outermost)
{
	if (n->gone)
		return;
	if (!outermost) {
		try_flag(s, &n->gone);
		/* a lock's downgrade and the like would be left behind without their block: such texts do not fail */
		if (!n->gone && n->body && !strncmp(n->head, "preempt", 7))
			try_flag(s, &n->open);
	}
	for (unsigned i = 0; !n->gone && n->body && i < n->body->len; i++)
		shrink_node(s, n->body->pdata[i], false);
}

/* Fewer turns of a task's loop: "at 0us  loop 5". */
static void shrink_loop(struct shrink *s, struct twin_node *n)
{
	char *count = strstr(n->head, "loop ");
	char *old = n->head;

	if (!count || !strcmp(count, "loop 1"))
		return;
	n->head = g_strdup_printf("%.*sloop 1", (int)(count - old), old);
	if (fails(s)) {
		g_free(old);
		s->changed = true;
		return;
	}
	g_free(n->head);
	n->head = old;
}

void twin_program_shrink(struct twin_program *p, bool (*fails_fn)(const char *text, void *user), void *user)
{
	struct shrink s = { .p = p, .fails = fails_fn, .user = user, .changed = true };

	while (s.changed && s.tries < TRIES_MAX) {
		s.changed = false;
		for (unsigned i = 0; i < p->tasks->len; i++)
			try_flag(&s, &((struct twin_task *)p->tasks->pdata[i])->gone);
		for (unsigned i = 0; i < p->tasks->len; i++) {
			struct twin_task *t = p->tasks->pdata[i];

			if (t->gone)
				continue;
			shrink_loop(&s, t->body);
			shrink_node(&s, t->body, true);
		}
	}
}
