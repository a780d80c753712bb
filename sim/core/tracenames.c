/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of a trace file. Strings are gathered in one growing text and remembered by
 * offset, in the order of the file; pointers are made when all of them are there.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/tracereader.h"

#define NO_STRING SIZE_MAX /* a NULL pointer */
#define CPUS_MAX 65536u    /* cpu is 16 bits in a record */

static const char cut_off[] = "the file ends within the names";
static const char bad_number[] = "a number in the names is malformed";
static const char bad_string[] = "a name contains a zero byte";
static const char no_name[] = "an event of a lock has no name";
static const char no_memory[] = "no memory for the names";

struct gather {
	struct trace_input *in;
	char *text;
	size_t len, room;
	size_t *offset; /* per string */
	size_t nstrings, strings_room;
	const char *error;
};

/* Doubles *@list until @need elements fit. */
static bool grow(void **list, size_t *room, size_t need, size_t element)
{
	size_t wanted = *room ? *room : 64;
	void *bigger;

	if (need <= *room)
		return true;
	while (wanted < need)
		wanted *= 2;
	bigger = realloc(*list, wanted * element);
	if (!bigger)
		return false;
	*list = bigger;
	*room = wanted;
	return true;
}

static uint64_t get_number(struct gather *g, uint64_t max)
{
	const uint8_t *p;
	uint64_t v;

	if (g->error)
		return 0;
	trace_input_fill(g->in, TRACE_VARINT_MAX);
	p = trace_get(g->in->next, g->in->stop, max, &v);
	if (!p) {
		g->error = g->in->stop - g->in->next < TRACE_VARINT_MAX ? cut_off : bad_number;
		return 0;
	}
	g->in->next = p;
	return v;
}

static void add_offset(struct gather *g, size_t offset)
{
	if (!grow((void **)&g->offset, &g->strings_room, g->nstrings + 1, sizeof(*g->offset))) {
		g->error = no_memory;
		return;
	}
	g->offset[g->nstrings++] = offset;
}

static void add_bytes(struct gather *g, uint64_t left)
{
	while (left && !g->error) {
		size_t n;

		trace_input_fill(g->in, 1);
		n = (size_t)(g->in->stop - g->in->next);
		n = n < left ? n : (size_t)left;
		if (!n)
			g->error = cut_off;
		else if (memchr(g->in->next, 0, n))
			g->error = bad_string;
		else if (!grow((void **)&g->text, &g->room, g->len + n + 1, 1))
			g->error = no_memory;
		if (g->error)
			return;
		memcpy(g->text + g->len, g->in->next, n);
		g->len += n;
		g->in->next += n;
		left -= n;
	}
}

static void get_string(struct gather *g)
{
	uint64_t len = get_number(g, UINT64_MAX);

	if (g->error)
		return;
	if (!len) {
		add_offset(g, NO_STRING);
		return;
	}
	add_offset(g, g->len);
	add_bytes(g, len - 1);
	if (!g->error && !grow((void **)&g->text, &g->room, g->len + 1, 1))
		g->error = no_memory;
	if (!g->error)
		g->text[g->len++] = '\0';
}

static uint32_t get_strings(struct gather *g)
{
	uint32_t n = (uint32_t)get_number(g, UINT32_MAX);

	for (uint32_t i = 0; i < n && !g->error; i++)
		get_string(g);
	return n;
}

/* A list with an end, in which no other NULL may stand. */
static void get_events(struct gather *g)
{
	size_t first = g->nstrings;

	get_strings(g);
	for (size_t i = first; i < g->nstrings && !g->error; i++)
		if (g->offset[i] == NO_STRING)
			g->error = no_name;
	if (!g->error)
		add_offset(g, NO_STRING);
}

/* Per lock: its model, its events, and an end to the list of events. Returns where these begin. */
static size_t get_locks(struct gather *g, uint32_t n)
{
	size_t first = g->nstrings;

	for (uint32_t i = 0; i < n && !g->error; i++) {
		get_string(g);
		get_events(g);
	}
	return first;
}

static bool make_pointers(struct trace_names *t, struct gather *g)
{
	t->text = g->text;
	g->text = NULL;
	t->strings = malloc((g->nstrings + t->names.nlocks + 1) * sizeof(*t->strings));
	t->events = malloc((t->names.nlocks + (size_t)1) * sizeof(*t->events));
	if (!t->strings || !t->events)
		return false;
	for (size_t i = 0; i < g->nstrings; i++)
		t->strings[i] = g->offset[i] == NO_STRING ? NULL : t->text + g->offset[i];
	return true;
}

/* Splits what get_locks() gathered: models go behind all other strings, events stay where they are. */
static void share_out_locks(struct trace_names *t, size_t first, size_t nstrings)
{
	const char **model = t->strings + nstrings, **s = t->strings + first;

	for (uint32_t i = 0; i < t->names.nlocks; i++) {
		model[i] = *s++;
		t->events[i] = *s ? s : NULL;
		while (*s)
			s++;
		s++;
	}
	t->names.lock_model = model;
	t->names.lock_events = t->events;
}

/* A file without this fact is older than it, and its strings are texts of marks. */
static void count_marks(struct sim_names *names)
{
	names->nmarks = names->nstrings;
	for (uint32_t i = 0; i < names->nfacts; i++) {
		unsigned long n;

		if (!names->facts[i] || strncmp(names->facts[i], "marks=", 6))
			continue;
		n = strtoul(names->facts[i] + 6, NULL, 10);
		if (n < names->nstrings)
			names->nmarks = (uint32_t)n;
	}
}

static const char *gather_names(struct trace_names *t, struct gather *g)
{
	struct sim_names *names = &t->names;
	size_t locks;

	names->ncpus = (unsigned)get_number(g, CPUS_MAX);
	names->ntasks = get_strings(g);
	names->nlocks = get_strings(g);
	locks = get_locks(g, names->nlocks);
	names->nstrings = get_strings(g);
	names->nfacts = get_strings(g);
	if (g->error)
		return g->error;
	if (!make_pointers(t, g))
		return no_memory;
	names->task = t->strings;
	names->lock = t->strings + names->ntasks;
	names->facts = t->strings + g->nstrings - names->nfacts;
	names->string = names->facts - names->nstrings;
	share_out_locks(t, locks, g->nstrings);
	count_marks(names);
	return NULL;
}

const char *trace_names_read(struct trace_names *t, struct trace_input *in)
{
	struct gather g = {.in = in};
	const char *error = gather_names(t, &g);

	free(g.text);
	free(g.offset);
	return error;
}

void trace_names_finish(struct trace_names *t)
{
	free(t->text);
	free(t->strings);
	free(t->events);
}
