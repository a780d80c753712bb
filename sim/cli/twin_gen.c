// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/twin_gen.h"

#include <string.h>

#include "sim/core/prng.h"

#define SHARED 1u	/* reads and writes */
#define DOWNGRADES 2u
#define SIGNALS 4u
#define TIMEOUTS 8u
#define PRIORITIES 16u	/* more real-time tasks */
#define COUNTS 32u	/* a semaphore: take and post */
#define SPINS 64u	/* held with preemption off */
#define FLAT 128u	/* one at a time: a CPU has one node for all of them */
#define ANY_ORDER 256u	/* settles deadlocks itself, -EDEADLK */
#define READS_TRY 512u	/* writers cannot try */
#define NO_SLEEP 1024u	/* sleeps, but its holder does not */
#define SLOW 2048u	/* waits for grace periods */
#define DEADLOCKS 4096u /* has `deadlock on` */
#define INTERRUPTS 8192u /* interrupts read it */

/* What a program of a lock may do. */
struct twin_kind {
	const char *name;
	unsigned may;
};

static const struct twin_kind kinds[] = {
	{ "mutex", SIGNALS },
	{ "rwsem", SHARED | DOWNGRADES | SIGNALS },
	{ "rtmutex", SIGNALS | TIMEOUTS | PRIORITIES | DEADLOCKS },
	{ "semaphore", SIGNALS | TIMEOUTS | COUNTS },
	{ "osq", SPINS | FLAT },
	{ "qspinlock", SPINS },
	{ "qrwlock", SPINS | SHARED | INTERRUPTS },
	{ "percpu-rwsem", SHARED | READS_TRY | SLOW },
	{ "ww-mutex", SIGNALS | ANY_ORDER },
	{ "rt:mutex", SIGNALS | PRIORITIES },
	{ "rt:rtmutex", SIGNALS | TIMEOUTS | PRIORITIES | DEADLOCKS },
	{ "rt:rwsem", SHARED | DOWNGRADES | SIGNALS | PRIORITIES },
	{ "rt:spinlock", PRIORITIES | NO_SLEEP },
	{ "rt:rwlock", SHARED | PRIORITIES | NO_SLEEP },
	{ "rt:ww-mutex", SIGNALS | ANY_ORDER | PRIORITIES },
};

const char *twin_gen_lock(unsigned i)
{
	return i < G_N_ELEMENTS(kinds) ? kinds[i].name : NULL;
}

char *twin_gen_model(const char *lock)
{
	return g_str_has_prefix(lock, "rt:") ? g_strconcat("kernel-", lock, NULL) : g_strdup(lock);
}

static bool may(const struct twin_program *p, unsigned what)
{
	return p->kind->may & what;
}

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

/* How a wait may end before it is over. @tries: nothing may sleep here. */
static char *some_limit(struct twin_program *p, bool reads, bool tries)
{
	bool can_try = reads || !may(p, READS_TRY);
	unsigned die = draw(p, 10);
	g_autofree char *time = some_time(p);
	const char *signal = die < 5 ? " interruptible" : " killable";

	if (tries)
		return g_strdup(" try");
	if (die < 2)
		return g_strdup(can_try ? " try" : "");
	if (die < 5 && may(p, TIMEOUTS))
		return g_strdup_printf(" timeout %s%s", time, may(p, SIGNALS) && chance(p, 40) ? signal : "");
	if (die < 8 && may(p, SIGNALS))
		return g_strdup(signal);
	return g_strdup("");
}

/* With the `else` that it needs. */
static void limit(struct twin_program *p, struct twin_node *n, bool reads, bool tries)
{
	g_autofree char *head = n->head, *how = some_limit(p, reads, tries);

	n->head = g_strconcat(head, how, NULL);
	if (*how || may(p, ANY_ORDER) || p->cycles)
		n->tail = g_strdup(chance(p, 50) ? "else { }" : "else { run 2us }");
}

static struct twin_node *take_unit(struct twin_program *p, const char *name, bool atomic)
{
	struct twin_node *n = node(g_strdup_printf("take %s", name), NULL, -1);

	limit(p, n, false, atomic);
	return n;
}

/* An interrupt must not find its own CPU writing. */
static struct twin_node *without_interrupts(struct twin_node *n)
{
	GPtrArray *body = g_ptr_array_new();

	g_ptr_array_add(body, n);
	return node(g_strdup("irq off"), body, -1);
}

/* Takes a lock that comes behind those that are held; those that settle deadlocks come in any order. */
static struct twin_node *acquire(struct twin_program *p, unsigned depth, unsigned first_lock, bool atomic)
{
	bool any_order = may(p, ANY_ORDER) || p->cycles;
	unsigned lock = any_order ? draw(p, p->nlocks) : first_lock + draw(p, p->nlocks - first_lock);
	unsigned inner = may(p, FLAT) ? p->nlocks : any_order ? 0 : lock + 1;
	bool tries = atomic && !may(p, SPINS), reads = false;
	g_autofree char *name = lock_name(lock);
	const char *how = "hold";
	struct twin_node *n;

	if (may(p, COUNTS))
		return take_unit(p, name, atomic);
	if (may(p, SHARED)) {
		reads = chance(p, 60) || (tries && may(p, READS_TRY));
		how = reads ? "reading" : "writing";
	}
	n = node(g_strdup_printf("%s %s", how, name), block(p, depth + 1, inner, atomic || may(p, SPINS)), -1);
	if (may(p, DOWNGRADES) && !reads && chance(p, 30))
		g_ptr_array_add(n->body, node(g_strdup_printf("downgrade %s", name), NULL, -1));
	limit(p, n, reads, tries);
	return p->interrupts && !reads ? without_interrupts(n) : n;
}

static struct twin_node *to_others(struct twin_program *p)
{
	int target = (int)draw(p, p->ntasks);
	unsigned die = draw(p, 10);

	if (die < 5)
		return node(g_strdup_printf("signal t%d", target), NULL, target);
	if (die < 7)
		return node(g_strdup_printf("kill t%d", target), NULL, target);
	if (die < 9)
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
	if (die < 80 && !atomic && !(depth && may(p, NO_SLEEP)))
		return node(g_strdup_printf("sleep %s", time), NULL, -1);
	if (die < 84 && !atomic && !(depth && may(p, NO_SLEEP)))
		return node(g_strdup("yield"), NULL, -1);
	if (die < 87) /* those that sleep may be tried in it */
		return node(g_strdup("preempt off"), block(p, depth + 2, may(p, NO_SLEEP) ? p->nlocks : first_lock, true), -1);
	if (die < 90 && may(p, COUNTS)) {
		g_autofree char *name = lock_name(draw(p, p->nlocks));

		return node(g_strdup_printf("post %s", name), NULL, -1);
	}
	if (die < 98 && !atomic)
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
	if (may(p, COUNTS) && !depth) /* so that those who take find something */
		g_ptr_array_add(body, node(g_strdup("post a"), NULL, -1));
	return body;
}

/* -- the rest ------------------------------------------------------------------------------------------ */

/* Every access costs the same and none waits for another, so that it does not matter what shares a line. */
#define EQUAL "uniform cost occ_load 0ns cost occ_store 0ns cost occ_rmw 0ns"

const char *const twin_gen_preempt[] = { "none", "voluntary", "full", "rt", "lazy", NULL };
const char *const twin_gen_shape[] = { "1x1", "1x2", "1x4", "2x2", "2x4", "1x8", NULL };

static char *some_machine(struct twin_program *p)
{
	static const unsigned shape[][2] = { { 1, 1 }, { 1, 2 }, { 1, 4 }, { 2, 2 }, { 2, 4 }, { 1, 8 } };
	static const unsigned often[] = { 0, 1, 2, 2, 3, 4 };

	p->shape = draw(p, G_N_ELEMENTS(shape));
	p->ncpus = shape[p->shape][0] * shape[p->shape][1];
	p->preempt = often[draw(p, G_N_ELEMENTS(often))];
	return g_strdup_printf("machine { sockets %u cores %u threads 1 costs %s preempt %s hz %u fair %s%s }",
			       shape[p->shape][0], shape[p->shape][1], chance(p, 30) ? "zero" : EQUAL,
			       twin_gen_preempt[p->preempt], chance(p, 50) ? 1000 : 250, chance(p, 50) ? "cfs" : "eevdf",
			       chance(p, 40) ? " rawspin qspinlock" : "");
}

static char *some_locks(struct twin_program *p)
{
	GString *out = g_string_new(NULL);
	g_autofree char *model = twin_gen_model(p->kind->name);
	bool die = chance(p, 50); /* a class is one or the other */

	p->cycles = may(p, DEADLOCKS) && chance(p, 20);
	p->nlocks = 1 + draw(p, 3);
	for (unsigned i = 0; i < p->nlocks; i++) {
		if (may(p, COUNTS)) {
			g_string_append_printf(out, "semaphore %c = %u\n", 'a' + (int)i, draw(p, 3));
			continue;
		}
		g_string_append_printf(out, "lock %c : %s", 'a' + (int)i, model);
		if (p->cycles || (may(p, DEADLOCKS) && chance(p, 20)))
			g_string_append(out, " { deadlock on }");
		if (may(p, ANY_ORDER) && die)
			g_string_append(out, " { wait_die on }");
		if (may(p, SLOW))
			g_string_append_printf(out, " { gp %ums }", 1 + draw(p, 6));
		g_string_append_c(out, '\n');
	}
	p->interrupts = may(p, INTERRUPTS) && chance(p, 40);
	if (p->interrupts)
		g_string_append_printf(out, "interrupt dev cpu %u every %uus from 1us { reading a { run 300ns } }\n",
				       draw(p, p->ncpus), 3 + draw(p, 20));
	return g_string_free(out, FALSE);
}

static struct twin_task *some_task(struct twin_program *p, unsigned index)
{
	struct twin_task *t = g_new0(struct twin_task, 1);
	bool fifo = chance(p, may(p, PRIORITIES) ? 70 : 25), bound = chance(p, 40);
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
	p->end = g_strdup_printf("run until done limit %s\n", may(p, SLOW) ? "200ms" : "20ms");
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
