// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stories of waits: listens to the accounting, and keeps what it says of the worst waits.
 *
 * Intervals that show the same chain in the same state are one piece. A wait that does not
 * make it among the worst is forgotten when it closes; who caused inversions is booked as
 * time passes, for all waits that were asked about.
 */
#include "sim/run/story.h"

#include <string.h>

#include "sim/run/story_impl.h"
#include "sim/run/watch_impl.h"

#define LOG_SHRINK 4096u
#define LOG_MAX 65536u

struct story_book {
	GArray **open; /* by task: struct story_piece of its open wait, or NULL */
	bool *task, *lock; /* asked about */
	GArray *log;   /* struct story_boost of all tasks, as long as an open wait may need them */
	uint32_t nopen;
	uint32_t log_shrink;
	struct story_culprit *tally; /* by task */
	struct stretch { /* by victim: of one culprit, without a gap */
		uint32_t culprit;
		sim_time since, until;
	} *stretch;
	struct story_wait *header; /* by task: of the open wait */
};

/* -- what was asked about --------------------------------------------------------------------- */

/* "worker" is all of worker[0], worker[1], …; "worker[3]" is that one. */
static bool bears(const char *name, const char *wish)
{
	size_t n = wish ? strlen(wish) : 0;

	return !wish || (!strncmp(name, wish, n) && (!name[n] || name[n] == '['));
}

static void copy_names(struct watch *w, struct story *s)
{
	s->ntask = w->nall;
	s->nlock = w->nlock;
	s->task_name = g_new0(char *, w->nall + 1);
	s->lock_name = g_new0(char *, w->nlock + 1);
	s->model_name = g_new0(char *, w->nlock + 1);
	s->inherits = g_new0(bool, w->nlock + 1);
	s->ownerless = g_new0(bool, w->nlock + 1);
	for (uint32_t i = 0; i < w->nall; i++)
		s->task_name[i] = g_strdup(w->b->task[i].name);
	for (uint32_t i = 0; i < w->nlock; i++) {
		s->lock_name[i] = g_strdup(w->b->lock[i].name);
		s->model_name[i] = g_strdup(w->lock[i].model->name);
		s->inherits[i] = w->b->lock[i].lends;
		s->ownerless[i] = w->lock[i].counting;
	}
}

void story_init(struct watch *w, struct story *s)
{
	struct story_book *b = g_new0(struct story_book, 1);

	copy_names(w, s);
	b->open = g_new0(GArray *, w->nall + 1);
	b->header = g_new0(struct story_wait, w->nall + 1);
	b->task = g_new0(bool, w->nall + 1);
	b->lock = g_new0(bool, w->nlock + 1);
	b->tally = g_new0(struct story_culprit, w->nall + 1);
	b->stretch = g_new0(struct stretch, w->nall + 1);
	b->log = g_array_new(FALSE, FALSE, sizeof(struct story_boost));
	b->log_shrink = LOG_SHRINK;
	for (uint32_t i = 0; i < w->nall; i++)
		b->task[i] = bears(s->task_name[i], s->only_task);
	for (uint32_t i = 0; i < w->nlock; i++)
		b->lock[i] = bears(s->lock_name[i], s->only_lock);
	s->book = b;
	w->story = s;
}

const char *story_unknown(const struct story *s)
{
	bool task = !s->only_task, lock = !s->only_lock;

	for (uint32_t i = 0; i < s->ntask; i++)
		task |= bears(s->task_name[i], s->only_task);
	for (uint32_t i = 0; i < s->nlock; i++)
		lock |= bears(s->lock_name[i], s->only_lock);
	return !task ? s->only_task : !lock ? s->only_lock : NULL;
}

/* -- a piece ---------------------------------------------------------------------------------- */

enum story_state story_state_of(const struct watch_task *t)
{
	if (t->irq)
		return STORY_RUNNING;
	switch (t->state) {
	case WATCH_AWAY:
		return STORY_AWAY;
	case WATCH_READY:
		return STORY_READY;
	case WATCH_RUNNING:
		return STORY_RUNNING;
	case WATCH_ASLEEP:
		return STORY_ASLEEP;
	case WATCH_GONE:
		return STORY_GONE;
	}
	return STORY_AWAY;
}

static void fill_link(const struct watch *w, uint32_t task, bool waits, struct story_link *link)
{
	const struct watch_task *t = &w->task[task];

	*link = (struct story_link){ .task = task, .lock = waits ? t->op_lock : STORY_NONE, .prio = t->prio,
				     .normal = t->normal, .cpu = t->cpu, .state = story_state_of(t),
				     .shared = waits && t->op_mode == LOCK_SHARED,
				     .barred = waits && watch_barrier(w, t) != WATCH_NONE };
}

static bool met_before(const struct story_link *link, unsigned n, uint32_t task)
{
	for (unsigned i = 0; i < n; i++)
		if (link[i].task == task)
			return true;
	return false;
}

/* The chain that account_piece() left. A circle ends with the task that closes it. */
static unsigned fill_links(const struct watch *w, uint32_t task, struct story_link *link, unsigned *left_out)
{
	unsigned n = 0;
	uint32_t at = task;

	*left_out = 0;
	for (uint32_t steps = 0; at != WATCH_NONE && steps <= w->nall; steps++) {
		const struct watch_task *t = &w->task[at];
		bool waits = t->op == WATCH_OP_LOCK && t->op_waits && (t->chain_next != WATCH_NONE || at == task);
		bool closed = met_before(link, n, at);

		if (n == STORY_LINKS) {
			n--;
			++*left_out;
		}
		fill_link(w, at, waits, &link[n++]);
		if (!waits || closed)
			break;
		at = t->chain_next;
	}
	return n;
}

static bool may_use(const struct watch *w, uint32_t task, uint32_t cpu)
{
	const struct sim_task *s = w->b->task[task].task;

	return !s || !s->allowed || sim_cpuset_has(s->allowed, cpu);
}

static unsigned fill_runners(struct watch *w, uint32_t waiter, uint32_t end, struct story_runner *runner)
{
	unsigned n = 0;

	/* first those to blame, then the others */
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t c = 0; c < w->ncpu && n < STORY_RUNNERS; c++) {
			uint32_t curr = w->cpu[c].curr;
			bool culprit;

			if (curr == WATCH_NONE || curr == end || !may_use(w, end, c))
				continue;
			culprit = w->task[curr].stamp != w->stamp && account_less_urgent(w, waiter, curr);
			if (culprit == (pass == 1))
				continue;
			runner[n++] = (struct story_runner){
				.cpu = c, .task = curr, .prio = w->task[curr].prio, .culprit = culprit,
				.holds = w->task[curr].holds ? w->task[curr].holds->lock : STORY_NONE,
			};
		}
	return n;
}

static bool same_link(const struct story_link *a, const struct story_link *b)
{
	return a->task == b->task && a->lock == b->lock && a->barred == b->barred && a->prio == b->prio && a->normal == b->normal &&
	       a->state == b->state && (a->state != STORY_RUNNING || a->cpu == b->cpu);
}

static bool same_piece(const struct story_piece *a, const struct story_piece *b)
{
	if (a->piece != b->piece || a->nlink != b->nlink || a->nrunner != b->nrunner || a->left_out != b->left_out)
		return false;
	for (unsigned i = 0; i < a->nlink; i++)
		if (!same_link(&a->link[i], &b->link[i]))
			return false;
	for (unsigned i = 0; i < a->nrunner; i++)
		if (a->runner[i].cpu != b->runner[i].cpu || a->runner[i].task != b->runner[i].task ||
		    a->runner[i].holds != b->runner[i].holds)
			return false;
	return true;
}

static void keep_piece(GArray *list, struct story_piece *p)
{
	struct story_piece *last = list->len ? &g_array_index(list, struct story_piece, list->len - 1) : NULL;

	if (last && (same_piece(last, p) || list->len >= STORY_PIECES)) {
		last->to = p->to;
		return;
	}
	p->link = g_memdup2(p->link, p->nlink * sizeof(*p->link));
	p->runner = p->nrunner ? g_memdup2(p->runner, p->nrunner * sizeof(*p->runner)) : NULL;
	g_array_append_val(list, *p);
}

/* -- culprits --------------------------------------------------------------------------------- */

/* The least urgent of them; of equals the one on the lowest CPU. */
static const struct story_runner *to_blame(const struct story_piece *p)
{
	const struct story_runner *worst = NULL;

	for (unsigned i = 0; i < p->nrunner; i++)
		if (p->runner[i].culprit && (!worst || p->runner[i].prio > worst->prio))
			worst = &p->runner[i];
	return worst;
}

static void blame(struct story *s, uint32_t victim, uint32_t lock, const struct story_piece *p)
{
	struct story_book *b = s->book;
	const struct story_runner *r = to_blame(p);
	struct story_wait *wait = &b->header[victim];
	struct stretch *now = &b->stretch[victim];
	struct story_culprit *c;

	if (!r)
		return;
	c = &b->tally[r->task];
	c->task = r->task;
	c->total += p->to - p->from;
	if (r->holds == STORY_NONE)
		wait->strangers += p->to - p->from;
	if (now->culprit != r->task || now->until != p->from) {
		*now = (struct stretch){ .culprit = r->task, .since = p->from };
		c->times++;
	}
	now->until = p->to;
	if (now->until - now->since > c->longest) {
		c->longest = now->until - now->since;
		c->longest_at = now->since;
		c->victim = victim;
		c->lock = lock;
	}
}

/* -- an open wait ----------------------------------------------------------------------------- */

void story_open(struct watch *w, uint32_t task)
{
	struct story_book *b = w->story->book;
	const struct watch_task *t = &w->task[task];

	if (!b->task[task] || !b->lock[t->op_lock])
		return;
	b->nopen++;
	b->open[task] = g_array_new(FALSE, FALSE, sizeof(struct story_piece));
	b->header[task] = (struct story_wait){ .task = task, .lock = t->op_lock, .shared = t->op_mode == LOCK_SHARED,
					       .prio = t->prio, .from = t->op_since };
}

static bool is_ready_end(enum run_piece piece)
{
	return piece == RUN_PIECE_inversion || piece == RUN_PIECE_preempted || piece == RUN_PIECE_throttled;
}

void story_interval(struct watch *w, uint32_t task, enum run_piece piece, sim_time from, sim_time to)
{
	struct story_book *b = w->story->book;
	struct story_link link[STORY_LINKS];
	struct story_runner runner[STORY_RUNNERS];
	struct story_piece p = { .from = from, .to = to, .piece = piece, .link = link, .runner = runner };
	const struct story_link *end;

	if (!b->open[task])
		return;
	p.nlink = fill_links(w, task, link, &p.left_out);
	end = &link[p.nlink - 1];
	if (is_ready_end(piece) || (end->state == STORY_READY && p.nlink == 1))
		p.nrunner = fill_runners(w, task, end->task, runner);
	if (piece == RUN_PIECE_inversion)
		blame(w->story, task, w->task[task].op_lock, &p);
	if ((piece == RUN_PIECE_holder || piece == RUN_PIECE_chain) && end->normal > w->task[task].prio)
		b->header[task].bounded += to - from;
	keep_piece(b->open[task], &p);
}

/* -- changes of priority ------------------------------------------------------------------------ */

static void log_shrink(struct watch *w)
{
	struct story_book *b = w->story->book;
	sim_time oldest = w->now;
	guint n = 0;

	for (uint32_t i = 0; i < w->naccount; i++)
		if (b->open[w->account[i]])
			oldest = MIN(oldest, b->header[w->account[i]].from);
	while (n < b->log->len && (g_array_index(b->log, struct story_boost, n).at < oldest || b->log->len - n > LOG_MAX))
		n++;
	if (n)
		g_array_remove_range(b->log, 0, n);
	b->log_shrink = MAX(LOG_SHRINK, 2 * b->log->len);
}

void story_prio(struct watch *w, const struct sim_rec *rec)
{
	struct story_book *b = w->story->book;
	struct story_boost change = { .at = rec->time, .task = rec->task - 1 };

	if (!b->nopen || !rec->task)
		return;
	change.donor = rec->type == SIM_REC_PRIO && rec->obj ? rec->obj - 1 : STORY_NONE;
	change.from = w->task[change.task].prio;
	change.to = (int)(int64_t)rec->val - 1;
	if (change.from == change.to)
		return;
	g_array_append_val(b->log, change);
	if (b->log->len > b->log_shrink)
		log_shrink(w);
}

static bool on_chain(const struct story_wait *wait, uint32_t task)
{
	for (unsigned i = 0; i < wait->npiece; i++)
		for (unsigned k = 1; k < wait->piece[i].nlink; k++)
			if (wait->piece[i].link[k].task == task)
				return true;
	return false;
}

static void fill_boosts(const struct story_book *b, struct story_wait *wait)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct story_boost));

	for (guint i = 0; i < b->log->len; i++) {
		const struct story_boost *c = &g_array_index(b->log, struct story_boost, i);

		if (c->at >= wait->from && c->at <= wait->to && c->task != wait->task && on_chain(wait, c->task))
			g_array_append_val(list, *c);
	}
	wait->nboost = list->len;
	wait->boost = (struct story_boost *)(void *)g_array_free(list, FALSE);
}

/* -- a wait is over ----------------------------------------------------------------------------- */

static void fill_place(const struct watch *w, struct story_wait *wait)
{
	uint32_t id = w->task[wait->task].statement;
	const struct sim_pos *pos = w->b->statement && id < w->b->nstatement ? &w->b->statement[id] : NULL;

	if (!pos || !pos->source)
		return;
	wait->file = g_strdup(pos->source->path);
	wait->line = pos->line;
}

void story_close(struct watch *w, uint32_t task, bool counts)
{
	struct story *s = w->story;
	struct story_book *b = s->book;
	struct story_wait *wait;
	GArray *list = b->open[task];

	if (!list)
		return;
	wait = g_memdup2(&b->header[task], sizeof(*wait));
	wait->to = w->now;
	wait->npiece = list->len;
	wait->piece = (struct story_piece *)(void *)g_array_free(list, FALSE);
	b->open[task] = NULL;
	memcpy(wait->sum, w->task[task].piece, sizeof(wait->sum));
	wait->end = w->ended ? STORY_OPEN : w->rec->type == SIM_REC_GRANT ? STORY_GRANTED : STORY_FAILED;
	wait->error = wait->end == STORY_FAILED ? (int)w->rec->val : 0;
	if (counts && wait->to > wait->from) {
		s->waits++;
		s->waited += wait->to - wait->from;
	}
	if (counts && wait->to > wait->from && story_worth(s, wait)) {
		fill_boosts(b, wait);
		fill_place(w, wait);
		story_keep(s, wait);
	} else {
		story_wait_free(wait);
	}
	if (!--b->nopen)
		g_array_set_size(b->log, 0);
}

/* -- the end ------------------------------------------------------------------------------------ */

static gint by_total(gconstpointer a, gconstpointer b)
{
	const struct story_culprit *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

void story_book_free(struct story_book *b, uint32_t ntask)
{
	for (uint32_t i = 0; i < ntask; i++)
		if (b->open[i]) {
			guint n = b->open[i]->len;

			story_pieces_free((struct story_piece *)(void *)g_array_free(b->open[i], FALSE), n);
		}
	g_free(b->open);
	g_free(b->header);
	g_free(b->task);
	g_free(b->lock);
	g_free(b->tally);
	g_free(b->stretch);
	g_array_free(b->log, TRUE);
	g_free(b);
}

void story_finish(struct watch *w)
{
	struct story *s = w->story;
	GArray *culprit = g_array_new(FALSE, FALSE, sizeof(struct story_culprit));

	for (uint32_t i = 0; i < w->nall; i++)
		if (s->book->tally[i].total)
			g_array_append_val(culprit, s->book->tally[i]);
	g_array_sort(culprit, by_total);
	s->nculprit = culprit->len;
	s->culprit = (struct story_culprit *)(void *)g_array_free(culprit, FALSE);
	story_book_free(s->book, w->nall);
	s->book = NULL;
	w->story = NULL;
}
