// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/run/places.h"

#include <string.h>

#include "sim/run/plugin.h"

struct place {
	char *function, *file; /* NULL: not in a tree's file */
	unsigned line;
};

/* "/home/me/linux/kernel/locking/rwsem.c" is "kernel/locking/rwsem.c". Words of the simulator are no place. */
static const char *in_tree(const char *file)
{
	static const char *const below[] = { "/kernel/locking/", "/include/linux/", "/include/asm-generic/" };

	for (unsigned i = 0; i < G_N_ELEMENTS(below); i++) {
		const char *at = g_strrstr(file, below[i]);

		if (at)
			return at + 1;
	}
	return NULL;
}

/* addr2line's answers to one address: pairs of lines, a function and FILE:LINE, the innermost of inlined ones first. */
static void read_answer(char **line, unsigned n, struct place *p)
{
	for (unsigned i = 0; i + 1 < n; i += 2) {
		const char *file = in_tree(line[i + 1]);
		char *colon;

		if (!file)
			continue;
		p->function = g_strdup(line[i]);
		p->file = g_strdup(file);
		colon = strchr(p->file, ':');
		if (colon) {
			p->line = (unsigned)g_ascii_strtoull(colon + 1, NULL, 10);
			*colon = '\0';
		}
		return;
	}
}

/* Asks for @n offsets of one plug-in. "-a" has every answer begin with its address. */
static void ask(const char *path, const uintptr_t *offset, unsigned n, struct place *place)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *said = NULL;
	g_auto(GStrv) line = NULL;
	unsigned nlines, at = 0;

	for (const char *const *word = (const char *const[]){ "addr2line", "-a", "-f", "-i", "-e", path, NULL }; *word; word++)
		g_ptr_array_add(argv, g_strdup(*word));
	for (unsigned i = 0; i < n; i++) /* a step is where the call is, not where it returns to */
		g_ptr_array_add(argv, g_strdup_printf("%#zx", (size_t)offset[i] - 1));
	g_ptr_array_add(argv, NULL);
	if (!g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &said,
			  NULL, NULL, NULL) || !said)
		return;
	line = g_strsplit(said, "\n", -1);
	nlines = g_strv_length(line);
	for (unsigned i = 0; i < n && at < nlines; i++) {
		unsigned end = ++at;

		while (end < nlines && !g_str_has_prefix(line[end], "0x"))
			end++;
		read_answer(line + at, end - at, &place[i]);
		at = end;
	}
}

static void append_places(GString *out, const struct place *place, unsigned n)
{
	const struct place *last = NULL;

	for (unsigned i = 0; i < n; i++) {
		const struct place *p = &place[i];
		const char *name;

		if (!p->function)
			continue;
		name = strrchr(p->file, '/') + 1;
		if (last && !strcmp(last->function, p->function) && !strcmp(last->file, p->file)) {
			if (last->line != p->line)
				g_string_append_printf(out, ",%u", p->line);
		} else {
			g_string_append_printf(out, "%s%s() %s:%u", last ? ", " : " ", p->function, name, p->line);
		}
		last = p;
	}
}

void places_append(GString *out, const char *head, const void *const trail[SIM_TRAIL], unsigned ntrail)
{
	struct place place[SIM_TRAIL] = { { NULL, NULL, 0 } };
	uintptr_t offset[SIM_TRAIL];
	const char *path = NULL;
	unsigned n = 0;
	bool any = false;

	for (unsigned i = ntrail > SIM_TRAIL ? ntrail - SIM_TRAIL : 0; i < ntrail; i++) {
		const char *its = NULL;
		uintptr_t at = plugin_code(trail[i % SIM_TRAIL], &its);

		if (at) {
			offset[n++] = at;
			path = its;
		}
	}
	if (n)
		ask(path, offset, n, place);
	for (unsigned i = 0; i < n; i++)
		any |= place[i].function != NULL;
	if (any) {
		g_string_append_printf(out, "\n  %s", head);
		append_places(out, place, n);
	}
	for (unsigned i = 0; i < n; i++) {
		g_free(place[i].function);
		g_free(place[i].file);
	}
}

/* "NAME@what went through …"; @task: 1 + index, or 0. */
static void append_task(GString *out, const struct run_bound *b, uint32_t task, const char *what)
{
	const struct sim_task *t = task ? b->task[task - 1].task : NULL; /* a trace file has only the name */
	g_autofree char *head = NULL;

	if (!t)
		return;
	head = g_strdup_printf("%s%s went through", b->task[task - 1].name, what);
	places_append(out, head, t->trail, t->ntrail);
}

void places_append_finding(GString *out, const struct run_bound *b, uint32_t task, uint32_t actor, uint32_t lock)
{
	const struct bound_trail *last = lock ? &b->lock[lock - 1].released : NULL;

	append_task(out, b, task, "");
	if (actor != task)
		append_task(out, b, actor, ", at work then,");
	if (last && last->task && last->task != task) {
		g_autofree char *head = g_strdup_printf("the last release, by %s, went through", b->task[last->task - 1].name);

		places_append(out, head, last->site, last->n);
	}
}
