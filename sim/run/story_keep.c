// SPDX-License-Identifier: GPL-2.0-or-later
/* Which waits a story keeps: the longest, and the one with most inversion. */
#include <string.h>

#include <glib.h>

#include "sim/run/story_impl.h"

void story_pieces_free(struct story_piece *piece, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		g_free(piece[i].link);
		g_free(piece[i].runner);
	}
	g_free(piece);
}

void story_wait_free(struct story_wait *wait)
{
	if (!wait)
		return;
	story_pieces_free(wait->piece, wait->npiece);
	g_free(wait->boost);
	g_free((char *)(uintptr_t)wait->file);
	g_free(wait);
}

static bool longer(const struct story_wait *a, const struct story_wait *b)
{
	sim_time x = a->to - a->from, y = b->to - b->from;

	if (x != y)
		return x > y;
	if (a->from != b->from)
		return a->from < b->from;
	return a->task < b->task;
}

static bool more_inverted(const struct story_wait *a, const struct story_wait *b)
{
	sim_time x = a->sum[RUN_PIECE_inversion], y = b->sum[RUN_PIECE_inversion];

	if (x != y)
		return x > y;
	return x && a->prio != b->prio ? a->prio < b->prio : longer(a, b);
}

static struct story_wait *wait_copy(const struct story_wait *wait)
{
	struct story_wait *copy = g_memdup2(wait, sizeof(*wait));

	copy->file = g_strdup(wait->file);
	copy->boost = wait->nboost ? g_memdup2(wait->boost, wait->nboost * sizeof(*wait->boost)) : NULL;
	copy->piece = g_memdup2(wait->piece, wait->npiece * sizeof(*wait->piece));
	for (unsigned i = 0; i < wait->npiece; i++) {
		struct story_piece *p = &copy->piece[i];

		p->link = g_memdup2(p->link, p->nlink * sizeof(*p->link));
		p->runner = p->nrunner ? g_memdup2(p->runner, p->nrunner * sizeof(*p->runner)) : NULL;
	}
	return copy;
}

void story_keep(struct story *s, struct story_wait *wait)
{
	unsigned at = s->nwait;

	if (!s->inverted || more_inverted(wait, s->inverted)) {
		story_wait_free(s->inverted);
		s->inverted = wait_copy(wait);
	}
	while (at && longer(wait, s->wait[at - 1]))
		at--;
	if (at >= s->worst) {
		story_wait_free(wait);
		return;
	}
	if (s->nwait == s->worst)
		story_wait_free(s->wait[--s->nwait]);
	s->wait = g_renew(struct story_wait *, s->wait, s->nwait + 1);
	memmove(&s->wait[at + 1], &s->wait[at], (s->nwait - at) * sizeof(s->wait[0]));
	s->wait[at] = wait;
	s->nwait++;
}

bool story_worth(const struct story *s, const struct story_wait *wait)
{
	if (s->nwait < s->worst || !s->inverted || more_inverted(wait, s->inverted))
		return true;
	return s->worst && longer(wait, s->wait[s->nwait - 1]);
}

void story_clear(struct story *s)
{
	for (unsigned i = 0; i < s->nwait; i++)
		story_wait_free(s->wait[i]);
	story_wait_free(s->inverted);
	for (uint32_t i = 0; i < s->ntask; i++)
		g_free(s->task_name[i]);
	for (uint32_t i = 0; i < s->nlock; i++) {
		g_free(s->lock_name[i]);
		g_free(s->model_name[i]);
	}
	if (s->book)
		story_book_free(s->book, s->ntask);
	g_free(s->wait);
	g_free(s->culprit);
	g_free(s->task_name);
	g_free(s->lock_name);
	g_free(s->model_name);
	g_free(s->inherits);
	g_free(s->ownerless);
	*s = (struct story){ .worst = s->worst, .only_task = s->only_task, .only_lock = s->only_lock };
}
