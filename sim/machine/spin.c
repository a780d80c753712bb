// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spin elision: a parked spinner behaves to the picosecond as if it had polled.
 *
 * A turn is what happens between two cpu_relax(). When a turn consisted of nothing but
 * loads, left the task as it found it (live stack, callee-saved registers), and what it read
 * still holds when the pause is over, then every further turn will read the same, all of it
 * hits, until a line of the turn is invalidated or the CPU is asked to look up. So the CPU
 * parks, without an event.
 *
 * It is woken by a key K (time and rank of what is being processed). Of the accesses that
 * it would have made meanwhile, those that a polling run would have processed before K are
 * skipped or, within the last turn, served from the record; the first that is not is
 * queued at the time at which it completes, and is real.
 *
 * "Processed before K" at one instant: a polling run has processed the event (t, r) when
 * something of higher rank was processed at t, because the queue always yields the lowest.
 * sim->high is the highest rank processed at this instant.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/internal.h"

#ifdef SIM_HAVE_VALGRIND
#include <valgrind/memcheck.h>
#define SIM_DEFINED(p, n) ((void)VALGRIND_MAKE_MEM_DEFINED(p, n))
#else
#define SIM_DEFINED(p, n) ((void)0)
#endif

struct sim_watch { /* a place in a line's list of watchers */
	struct sim_line *line;
	uint32_t next, prev; /* 1 + index; prev 0: first */
	const uint64_t *copy; /* what its bytes were, if the spinner compares */
};

#define WATCH_MAX (SIM_TURN_MAX + SIM_TOUCH_MAX)

static struct sim_watch *watches; /* WATCH_MAX per CPU */

void sim_spin_init(void)
{
	watches = calloc((size_t)sim->ncpus * WATCH_MAX, sizeof(*watches));
	sim_assert(watches);
	for (unsigned i = 0; i < sim->ncpus; i++) {
		sim->cpus[i].spin = calloc(1, sizeof(struct sim_spin));
		sim_assert(sim->cpus[i].spin);
		sim_spin_forget(&sim->cpus[i]);
	}
}

void sim_spin_finish(void)
{
	for (unsigned i = 0; i < sim->ncpus; i++) {
		free(sim->cpus[i].spin->live);
		free(sim->cpus[i].spin);
	}
	free(watches);
	watches = NULL;
}

/* -- what an operation accessed ------------------------------------------------------------ */

void sim_op_touch(struct sim_task *task, enum sim_touch how)
{
	if (!task->touched) {
		if (how == SIM_TOUCH_MARKED)
			return;
		task->touched = calloc(1, sizeof(*task->touched));
		sim_assert(task->touched);
	}
	if (how != SIM_TOUCH_MARKED) {
		sim->touching = true;
		sim_door_close();
	}
	if (sim->comparing && sim_fiber_current())
		sim_touch_settle();
	task->touched->how = how;
	task->touched->n = task->touched->ncopy = 0;
	task->touched->full = false;
}

void sim_touch(struct sim_line *line, const void *addr)
{
	struct sim_touched *t = sim_current()->touched;

	if (!t || t->how == SIM_TOUCH_MARKED)
		return;
	for (unsigned i = t->n; i > 0; i--)
		if (t->line[i - 1] == line)
			return;
	if (t->n == SIM_TOUCH_MAX) {
		t->full = true;
		return;
	}
	t->base[t->n] = NULL;
	if (t->how == SIM_TOUCH_COMPARE && sim_arena_has(&sim->arena, addr))
		t->base[t->n] = (uint64_t *)((uintptr_t)addr & ~(uintptr_t)(SIM_LINE_BYTES - 1));
	t->line[t->n++] = line;
}

static uint64_t stored(const struct sim_touched *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->n; i++)
		sum += t->line[i]->stored;
	return sum;
}

/* A turn of a loop begins that may read plainly: how it finds the lines. */
static void plain_reads_begin(struct sim_touched *t)
{
	if (!t || t->how == SIM_TOUCH_MARKED)
		return;
	t->stored = stored(t);
	t->ncopy = t->how == SIM_TOUCH_COMPARE ? t->n : 0;
	for (unsigned i = 0; i < t->ncopy; i++)
		if (t->base[i])
			memcpy(t->copy[i], t->base[i], SIM_LINE_BYTES);
}

static bool copy_holds(const struct sim_touched *t, unsigned i)
{
	return !t->base[i] || !memcmp(t->copy[i], t->base[i], SIM_LINE_BYTES);
}

/*
 * What is replayed happened before whatever woke the CPU. Its plain reads find the lines as they were then, if it
 * compares: nobody else runs until the replay ends.
 */
static void swap_lines(struct sim_touched *t)
{
	uint64_t was[SIM_LINE_BYTES / 8];

	for (unsigned i = 0; i < t->ncopy; i++) {
		if (copy_holds(t, i))
			continue;
		memcpy(was, t->copy[i], SIM_LINE_BYTES);
		memcpy(t->copy[i], t->base[i], SIM_LINE_BYTES);
		memcpy(t->base[i], was, SIM_LINE_BYTES);
	}
	t->swapped = !t->swapped;
}

/* It is over: is what it may have read plainly still so, and nothing on its way that would change it? */
static bool plain_reads_hold(const struct sim_touched *t)
{
	if (!t || t->how == SIM_TOUCH_MARKED)
		return true;
	if (t->full || t->stored != stored(t) || (t->how == SIM_TOUCH_COMPARE && t->ncopy != t->n))
		return false;
	for (unsigned i = 0; i < t->n; i++)
		if (t->line[i]->storing || (i < t->ncopy && !copy_holds(t, i)))
			return false;
	return true;
}

/* -- watching -------------------------------------------------------------------------- */

static void watch_add(struct sim_cpu *cpu, struct sim_line *line, const uint64_t *copy)
{
	uint32_t base = cpu->id * WATCH_MAX;

	for (unsigned i = 0; i < cpu->spin->nwatch; i++)
		if (watches[base + i].line == line) {
			watches[base + i].copy = copy;
			return;
		}

	uint32_t w = base + cpu->spin->nwatch++;

	watches[w] = (struct sim_watch){ line, line->watchers, 0, copy };
	if (line->watchers)
		watches[line->watchers - 1].prev = w + 1;
	line->watchers = w + 1;
}

static void watch_none(struct sim_cpu *cpu)
{
	for (unsigned i = 0; i < cpu->spin->nwatch; i++) {
		struct sim_watch *w = &watches[cpu->id * WATCH_MAX + i];

		if (w->next)
			watches[w->next - 1].prev = w->prev;
		if (w->prev)
			watches[w->prev - 1].next = w->next;
		else
			w->line->watchers = w->next;
		w->line = NULL;
	}
	cpu->spin->nwatch = 0;
}

void sim_unpark_watchers(struct sim_line *line)
{
	while (line->watchers)
		sim_unpark(&sim->cpus[(line->watchers - 1) / WATCH_MAX]);
}

/* Do those who are parked on @line and compare find it as it was? They have all the same copy. */
static bool watchers_find(const struct sim_line *line, const uint64_t *base)
{
	for (uint32_t w = line->watchers; w; w = watches[w - 1].next)
		if (watches[w - 1].copy)
			return !memcmp(watches[w - 1].copy, base, SIM_LINE_BYTES);
	return true;
}

void sim_touch_settle(void)
{
	const struct sim_touched *t = sim_current()->touched;

	if (!t || t->how != SIM_TOUCH_COMPARE)
		return;
	for (unsigned i = 0; i < t->n; i++)
		if (t->line[i]->watchers && t->base[i] && !watchers_find(t->line[i], t->base[i]))
			sim_unpark_watchers(t->line[i]);
}

/* -- waking ---------------------------------------------------------------------------- */

static bool processed(const struct sim_cpu *cpu, sim_time t)
{
	return t < sim->now || (t == sim->now && cpu->rank < sim->high);
}

static unsigned marked(const struct sim_turn *t)
{
	unsigned n = t->n;

	for (unsigned i = 0; i < t->n; i++)
		n -= t->read[i].free;
	return n;
}

/* Skips the turns that are over; returns when the first access that is not of the past completes. */
static sim_time skip(struct sim_cpu *cpu)
{
	struct sim_spin *s = cpu->spin;
	sim_time period = s->relax + marked(&s->last) * s->hit;
	uint64_t turns = (sim->now - s->since) / period;
	sim_time at;

	if (turns && !processed(cpu, s->since + turns * period))
		turns--;
	sim->relaxes += turns;
	at = s->since + turns * period;
	for (s->serve = 0; s->serve < s->last.n; s->serve++) {
		if (s->last.read[s->serve].free)
			continue; /* with the access before it */
		if (!processed(cpu, at + s->hit))
			break;
		at += s->hit;
	}
	s->relax_due = s->serve == s->last.n;
	return at + (s->relax_due ? s->relax : s->hit);
}

void sim_spin_settle(void)
{
	for (unsigned i = 0; i < sim->ncpus; i++) {
		if (sim->cpus[i].parked && sim->cpus[i].spin->since <= sim->now)
			skip(&sim->cpus[i]);
		if (sim->cpus[i].parked || sim->cpus[i].replaying) /* a pause counts when it begins */
			sim->relaxes += sim->cpus[i].spin->relax_due;
	}
}

void sim_unpark(struct sim_cpu *cpu)
{
	struct sim_spin *s = cpu->spin;
	sim_time at = skip(cpu);

	watch_none(cpu);
	cpu->parked = false;
	sim->comparing -= s->compares;
	s->compares = false;
	s->served = 0;
	cpu->replaying = true;
	sim_cpu_push(cpu, at);
}

void sim_unpark_task(struct sim_task *task)
{
	struct sim_cpu *cpu = &sim->cpus[task->shared->cpu];

	if (cpu->parked && cpu->curr == task)
		sim_unpark(cpu);
}

bool sim_replay_read(struct sim_cpu *cpu, uint64_t *value)
{
	struct sim_spin *s = cpu->spin;
	const struct sim_read *r = &s->last.read[s->served];

	if (s->served == s->serve)
		return false;
	*value = r->value;
	s->served++;
	sim_spin_read(cpu, r->line, r->addr, r->size, r->value);
	return true;
}

uint64_t sim_spin_peek(struct sim_cpu *cpu, const void *addr, unsigned size)
{
	struct sim_spin *s = cpu->spin;
	uint64_t value = 0;

	memcpy(&value, addr, size);
	if (cpu->replaying) {
		sim_assert(s->served < s->serve && s->last.read[s->served].addr == addr);
		value = s->last.read[s->served++].value;
	}
	if (cpu->recording)
		sim_spin_read(cpu, sim_line_of(addr), addr, size, value);
	if (cpu->recording)
		s->turn.read[s->turn.n - 1].free = true;
	return value;
}

/* -- the pause ------------------------------------------------------------------------- */

typedef uint64_t two_words __attribute__((vector_size(16), aligned(8), may_alias));

#define RECENT_WORDS 16

/*
 * Copies @words, an even number, of a live stack or of registers to @to; true if they were there already.
 * Unchecked, since the sanitizer's red zones are part of what is compared. The first words were written one by
 * one just now, and a host that has to read them in pairs waits until they are in its cache: hence volatile.
 */
__attribute__((no_sanitize("address"))) static bool same_words(uint64_t *to, const volatile uint64_t *from,
								size_t words)
{
	size_t recent = words < RECENT_WORDS ? words : RECENT_WORDS;
	two_words differ = { 0, 0 };

	for (size_t i = 0; i < recent; i++) {
		uint64_t is = from[i];

		differ[0] |= to[i] ^ is;
		to[i] = is;
	}
	for (size_t i = recent; i < words; i += 2) {
		two_words is = *(const volatile two_words *)(from + i);

		differ |= *(two_words *)(to + i) ^ is;
		*(two_words *)(to + i) = is;
	}
	SIM_DEFINED(&differ, sizeof(differ)); /* what was never written compares as well as anything */
	return !(differ[0] | differ[1]);
}

static void make_room(struct sim_spin *s, size_t words)
{
	s->live = realloc(s->live, words * sizeof(*s->live));
	sim_assert(s->live);
	memset(s->live + s->live_room, 0, (words - s->live_room) * sizeof(*s->live));
	s->live_room = words;
}

/* Keeps the live stack and registers of this pause; were they those of the last? The top word of a stack
 * belongs to nobody, so one more or less does no harm. */
static bool same_state(struct sim_spin *s, const char *from, const char *top, const uint64_t *regs, unsigned nregs)
{
	size_t words = (size_t)(top - from) / 16 * 2;
	bool same = s->have_last && s->live_words == words;

	if (__builtin_expect(words > s->live_room, 0))
		make_room(s, words);
	same &= same_words(s->live, (const volatile uint64_t *)(const volatile void *)from, words);
	same &= same_words(s->regs, regs, nregs);
	s->live_words = words;
	return same;
}

/*
 * What was read in the turn is still so, and nobody wants this CPU to look up. A reschedule
 * that was due before the turn began has had no effect on it, and will have none on the next;
 * nor will the task's own priority, or a signal that was pending.
 */
static bool still_holds(const struct sim_cpu *cpu)
{
	const struct sim_turn *t = &cpu->spin->turn;

	if (cpu->attention || sim_self_now() != cpu->self_then || !cpu->recording)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		uint64_t now = 0;

		memcpy(&now, t->read[i].addr, t->read[i].size);
		if (now != t->read[i].value || !(t->read[i].free || sim_line_has(t->read[i].line, cpu->id)))
			return false;
	}
	return true;
}

/* Only what the turn has: the room for a turn is fifteen times the usual one. */
static void turn_copy(struct sim_turn *to, const struct sim_turn *from)
{
	to->n = from->n;
	for (unsigned i = 0; i < from->n; i++)
		to->read[i] = from->read[i];
}

static void park(struct sim_cpu *cpu, bool declared)
{
	const struct sim_touched *touched = sim->touching ? sim_current()->touched : NULL;
	struct sim_spin *s = cpu->spin;
	bool compares = !declared && touched && touched->ncopy;

	turn_copy(&s->last, &s->turn);
	s->turn.n = 0;
	s->since = sim->now;
	s->hit = sim->cfg.costs.lat[SIM_OPC_LOAD][SIM_LINE_M][SIM_DIST_SELF];
	s->relax = sim->cfg.costs.scalar[SIM_COST_relax];
	for (unsigned i = 0; i < s->last.n; i++)
		watch_add(cpu, s->last.read[i].line, NULL);
	if (!declared && touched && touched->how != SIM_TOUCH_MARKED)
		for (unsigned i = 0; i < touched->n; i++)
			watch_add(cpu, touched->line[i], compares && touched->base[i] ? touched->copy[i] : NULL);
	cpu->parked = true;
	s->compares = compares;
	sim->comparing += compares;
	sim_yield(SIM_YIELD_PARK);
	if (compares)
		swap_lines(sim_current()->touched);
}

void sim_lines_of_now(void)
{
	struct sim_touched *t = sim_current()->touched;

	if (t && t->swapped)
		swap_lines(t);
}

static inline void turn_begins(struct sim_cpu *cpu, enum sim_spin_kind kind)
{
	cpu->spin->turn.n = 0;
	cpu->spin->kind = kind;
	cpu->recording = true;
	cpu->self_then = sim_self_now();
}

void sim_spin_begin(enum sim_spin_kind kind)
{
	if (!sim || !sim_fiber_current())
		return;
	sim_assert(!sim->cpu->replaying && "a spin within a turn of a spin that parked");
	turn_begins(sim->cpu, kind);
	sim->cpu->spin->have_last = false;
}

/*
 * Will the next turn be as this one was, if it finds all lines here and all values as they are? One of a
 * SIM_SPIN_SAME will. Any other if it left the task as it found it: live stack and registers at this pause are those
 * at the last, so that the next turn begins as this one did. (The first pause of a spin does not count: whether
 * what is left of the way to it is in a register or on the stack is the compiler's, and when a spin without end is
 * found is not to depend on it.)
 */
static bool turn_repeats(struct sim_cpu *cpu, enum sim_spin_kind kind, const char *frame, const char *top, const uint64_t *regs,
			 unsigned nregs)
{
	struct sim_spin *s = cpu->spin;
	bool same;

	if (!cpu->recording || !s->turn.n || kind != s->kind || kind == SIM_SPIN_SAME) {
		s->have_last = false;
		return cpu->recording && s->turn.n && kind == SIM_SPIN_SAME && s->kind == SIM_SPIN_SAME;
	}
	same = same_state(s, frame, top, regs, nregs);
	s->have_last = true;
	return same;
}

/*
 * The body of cpu_relax(). @frame: first byte of the caller's live stack; @regs: its
 * callee-saved registers. Entered through a stub (relax_*.S) that can see both.
 */
void sim_relax_at(enum sim_spin_kind kind, const char *frame, const uint64_t *regs, unsigned nregs)
	__attribute__((used));

void sim_relax_at(enum sim_spin_kind kind, const char *frame, const uint64_t *regs, unsigned nregs)
{
	struct sim_fiber *f = sim_fiber_current();

	if (!sim || !f)
		return;

	struct sim_cpu *cpu = sim->cpu;
	struct sim_spin *s = cpu->spin;
	bool fixed = false;

	sim->relaxes++;
	if (cpu->replaying) { /* the pause that was under way when we were woken completes now */
		sim_assert(s->relax_due && s->served == s->serve);
		sim_replay_ends(cpu);
	} else {
		if (__builtin_expect(sim->comparing, 0))
			sim_touch_settle();
		if (!sim->cfg.poll)
			fixed = turn_repeats(cpu, kind, frame, f->top, regs, nregs);
		sim_elapse(sim->cfg.costs.scalar[SIM_COST_relax]);
	}
	if (cpu->attention) { /* may come back on another CPU */
		sim_attend();
		fixed = sim->cpu->spin->have_last = false;
	}
	cpu = sim->cpu;
	s = cpu->spin;
	if (fixed && still_holds(cpu) && (kind != SIM_SPIN_PLAIN || !sim->touching || plain_reads_hold(sim_current()->touched))) {
		park(cpu, kind != SIM_SPIN_PLAIN);
		return;
	}
	turn_begins(cpu, kind);
	if (__builtin_expect(sim->touching && kind == SIM_SPIN_PLAIN, 0))
		plain_reads_begin(sim_current()->touched);
}

sim_time sim_clock(void)
{
	if (sim->cpu && sim->cpu->spin)
		sim_spin_impure(sim->cpu);
	return sim->now;
}
