// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/twin_gen.h"

#include <string.h>

#include "sim/core/prng.h"

const char *const twin_gen_locks[] = { "mutex", "rwsem", "rtmutex", "semaphore", "osq", "qspinlock", NULL };

/* What a program of a lock may do. */
struct twin_kind {
	const char *name;
	bool shared, fails, timeout, spins, counts, priorities;
	bool flat; /* one at a time: a CPU has one node for all of them */
};

static const struct twin_kind kinds[] = {
	{ "mutex", .fails = true },
	{ "rwsem", .fails = true, .shared = true },
	{ "rtmutex", .fails = true, .timeout = true, .priorities = true },
	{ "semaphore", .fails = true, .counts = true }, /* the kernel's timeouts end at ticks, the model's do not */
	{ "osq", .spins = true, .flat = true },
	{ "qspinlock", .spins = true },
};

/* -- draws ----------------------------------------------------------------------------------------- */

static unsigned draw(struct twin_program *p, unsigned below)
{
	return (unsigned)(sim_draw(p->key, p->draws++, 0) % below);
}

static bool chance(struct twin_program *p, unsigned percent)
{
	return draw(p, 100) < percent;
}

/* Few values of times, so that things happen at one instant. */
static char *some_time(struct twin_program *p)
{
	static const char *const unit[] = { "ns", "us", "us", "us" };
	static const unsigned value[] = { 1, 2, 3, 5, 10, 20, 50, 100, 200, 500 };

	return g_strdup_printf("%u%s", value[draw(p, 8)] * (chance(p, 10) ? 10 : 1), unit[draw(p, 4)]);
}

/* -- statements -------------------------------------------------------------------------------------- */

static struct twin_node *node(char *head, GPtrArray *body, int target)
{
	struct twin_node *n = g_new0(struct twin_node, 1);

	n->head = head;
	n->body = body;
	n->target = target;
	return n;
}

static GPtrArray *block(struct twin_program *p, unsigned depth, unsigned first_lock, bool atomic);

static char *lock_name(unsigned i)
{
	return g_strdup_printf("%c", 'a' + (int)i);
}

/* "interruptible", … with the `else` that it needs. */
static void limit(struct twin_program *p, struct twin_node *n, bool atomic)
{
	g_autofree char *head = n->head, *time = some_time(p);
	const char *how = "";
	unsigned die = draw(p, 10);

	if (die < 3 || p->kind->spins || atomic)
		how = die < 2 || atomic ? " try" : "";
	else if (!p->kind->fails)
		how = "";
	else if (die < 5)
		how = " interruptible";
	else if (die < 6)
		how = " killable";
	else if (die < 8 && p->kind->timeout)
		how = " timeout ";
	n->head = g_strconcat(head, how, !strcmp(how, " timeout ") ? time : "", NULL);
	if (*how)
		n->tail = g_strdup(chance(p, 50) ? "else { }" : "else { run 2us }");
}

/* Takes a lock that comes behind those that are held. */
static struct twin_node *acquire(struct twin_program *p, unsigned depth, unsigned first_lock, bool atomic)
{
	unsigned lock = first_lock + draw(p, p->nlocks - first_lock);
	g_autofree char *name = lock_name(lock);
	const char *how = "hold";
	struct twin_node *n;

	if (p->kind->counts) {
		n = node(g_strdup_printf("take %s", name), NULL, -1);
		limit(p, n, atomic);
		return n;
	}
	if (p->kind->shared)
		how = chance(p, 60) ? "reading" : "writing";
	n = node(g_strdup_printf("%s %s", how, name), block(p, depth + 1, p->kind->flat ? p->nlocks : lock + 1, atomic || p->kind->spins), -1);
	if (!strcmp(how, "writing") && chance(p, 30))
		g_ptr_array_add(n->body, node(g_strdup_printf("downgrade %s", name), NULL, -1));
	limit(p, n, atomic);
	return n;
}

static struct twin_node *to_others(struct twin_program *p)
{
	int target = (int)draw(p, p->ntasks);
	unsigned die = draw(p, 10);

	if (die < 4)
		return node(g_strdup_printf("signal t%d", target), NULL, target);
	if (die < 5)
		return node(g_strdup_printf("kill t%d", target), NULL, target);
	if (die < 8)
		return node(g_strdup_printf("set t%d fifo %u", target, 1 + draw(p, 20)), NULL, target);
	return node(g_strdup_printf("set t%d nice %d", target, (int)draw(p, 20) - 10), NULL, target);
}

static struct twin_node *statement(struct twin_program *p, unsigned depth, unsigned first_lock, bool atomic)
{
	g_autofree char *time = some_time(p);
	unsigned die = draw(p, 100);

	if (die < 45 && first_lock < p->nlocks && depth < 4)
		return acquire(p, depth, first_lock, atomic);
	if (die < 70)
		return node(g_strdup_printf("run %s", time), NULL, -1);
	if (die < 80 && !atomic)
		return node(g_strdup_printf("sleep %s", time), NULL, -1);
	if (die < 84 && !atomic)
		return node(g_strdup("yield"), NULL, -1);
	if (die < 87)
		return node(g_strdup("preempt off"), block(p, depth + 2, p->nlocks, true), -1);
	if (die < 90 && p->kind->counts) {
		g_autofree char *name = lock_name(draw(p, p->nlocks));

		return node(g_strdup_printf("post %s", name), NULL, -1);
	}
	if (die < 96 && !atomic)
		return to_others(p);
	return node(g_strdup_printf("run %s", time), NULL, -1);
}

static GPtrArray *block(struct twin_program *p, unsigned depth, unsigned first_lock, bool atomic)
{
	GPtrArray *body = g_ptr_array_new();
	unsigned n = 1 + draw(p, depth ? 2 : 4);

	for (unsigned i = 0; i < n && p->statements < 60; i++) {
		p->statements++;
		g_ptr_array_add(body, statement(p, depth, first_lock, atomic));
	}
	if (p->kind->counts && !depth) /* so that those who take find something */
		g_ptr_array_add(body, node(g_strdup("post a"), NULL, -1));
	return body;
}

/* -- the rest ------------------------------------------------------------------------------------------ */

/* Every access costs the same and none waits for another, so that it does not matter what shares a line. */
#define EQUAL "uniform cost occ_load 0ns cost occ_store 0ns cost occ_rmw 0ns"

static char *some_machine(struct twin_program *p)
{
	static const char *const preempt[] = { "none", "voluntary", "full", "full", "rt", "lazy" };
	static const unsigned shape[][2] = { { 1, 1 }, { 1, 2 }, { 1, 4 }, { 2, 2 }, { 2, 4 }, { 1, 8 } };
	unsigned s = draw(p, G_N_ELEMENTS(shape));

	p->ncpus = shape[s][0] * shape[s][1];
	return g_strdup_printf("machine { sockets %u cores %u threads 1 costs %s preempt %s hz %u fair %s%s }", shape[s][0],
			       shape[s][1], chance(p, 30) ? "zero" : EQUAL, preempt[draw(p, G_N_ELEMENTS(preempt))],
			       chance(p, 50) ? 1000 : 250, chance(p, 50) ? "cfs" : "eevdf",
			       chance(p, 40) ? " rawspin qspinlock" : "");
}

static char *some_locks(struct twin_program *p)
{
	GString *out = g_string_new(NULL);

	p->nlocks = 1 + draw(p, 3);
	for (unsigned i = 0; i < p->nlocks; i++) {
		if (p->kind->counts)
			g_string_append_printf(out, "semaphore %c = %u\n", 'a' + (int)i, draw(p, 3));
		else
			g_string_append_printf(out, "lock %c : %s%s\n", 'a' + (int)i, p->kind->name,
					       p->kind->priorities && chance(p, 20) ? " { deadlock on }" : "");
	}
	return g_string_free(out, FALSE);
}

static struct twin_task *some_task(struct twin_program *p, unsigned index)
{
	struct twin_task *t = g_new0(struct twin_task, 1);
	bool fifo = chance(p, p->kind->priorities ? 70 : 25), bound = chance(p, 40);
	g_autofree char *policy = fifo ? g_strdup_printf("fifo %u", 1 + draw(p, 20)) :
				  chance(p, 70) ? g_strdup("nice 0") : g_strdup_printf("nice %d", (int)draw(p, 30) - 15);
	g_autofree char *cpu = bound ? g_strdup_printf(" cpu %u", draw(p, p->ncpus)) : g_strdup("");
	g_autofree char *start = chance(p, 50) ? some_time(p) : g_strdup("0us");

	t->name = g_strdup_printf("t%u", index);
	t->header = g_strdup_printf("%s%s", policy, cpu);
	t->body = node(g_strdup_printf("at %s  loop %u", start, 1 + draw(p, 6)), block(p, 0, 0, false), -1);
	return t;
}

struct twin_program *twin_program_make(const char *lock, uint64_t seed, uint64_t index)
{
	struct twin_program *p = g_new0(struct twin_program, 1);

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (!strcmp(kinds[i].name, lock))
			p->kind = &kinds[i];
	g_assert(p->kind);
	p->key = sim_stream(seed, lock, index);
	p->title = g_strdup_printf("twin of %s, seed %" G_GUINT64_FORMAT ", program %" G_GUINT64_FORMAT, lock, (guint64)seed,
				   (guint64)index);
	p->machine = some_machine(p);
	p->locks = some_locks(p);
	p->ntasks = 2 + draw(p, 8);
	p->tasks = g_ptr_array_new();
	for (unsigned i = 0; i < p->ntasks; i++) {
		p->statements = 0;
		g_ptr_array_add(p->tasks, some_task(p, i));
	}
	p->end = g_strdup("run until done limit 20ms\n");
	return p;
}

static void node_free(struct twin_node *n)
{
	for (unsigned i = 0; n->body && i < n->body->len; i++)
		node_free(n->body->pdata[i]);
	if (n->body)
		g_ptr_array_free(n->body, TRUE);
	g_free(n->head);
	g_free(n->tail);
	g_free(n);
}

void twin_program_free(struct twin_program *p)
{
	for (unsigned i = 0; i < p->tasks->len; i++) {
		struct twin_task *t = p->tasks->pdata[i];

		node_free(t->body);
		g_free(t->name);
		g_free(t->header);
		g_free(t);
	}
	g_ptr_array_free(p->tasks, TRUE);
	g_free(p->title);
	g_free(p->machine);
	g_free(p->locks);
	g_free(p->end);
	g_free(p);
}

/* -- text ------------------------------------------------------------------------------------------------ */

static void print_node(const struct twin_program *p, const struct twin_node *n, unsigned depth, GString *out)
{
	bool braces = n->body && !n->open;

	if (n->gone || (n->target >= 0 && ((struct twin_task *)p->tasks->pdata[n->target])->gone))
		return;
	if (!n->open)
		g_string_append_printf(out, "%*s%s%s\n", (int)(4 * depth), "", n->head, n->body ? " {" : "");
	if (!n->body && n->tail) {
		g_string_truncate(out, out->len - 1);
		g_string_append_printf(out, " %s\n", n->tail);
	}
	for (unsigned i = 0; n->body && i < n->body->len; i++)
		print_node(p, n->body->pdata[i], depth + braces, out);
	if (braces)
		g_string_append_printf(out, "%*s}%s%s\n", (int)(4 * depth), "", n->tail ? " " : "", n->tail ? n->tail : "");
}

char *twin_program_text(const struct twin_program *p)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "scenario \"%s\"\n%s\n%s", p->title, p->machine, p->locks);
	for (unsigned i = 0; i < p->tasks->len; i++) {
		const struct twin_task *t = p->tasks->pdata[i];

		if (t->gone)
			continue;
		g_string_append_printf(out, "task %s %s {\n", t->name, t->header);
		print_node(p, t->body, 1, out);
		g_string_append(out, "}\n");
	}
	g_string_append(out, p->end);
	return g_string_free(out, FALSE);
}
