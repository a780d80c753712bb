/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/choice.h"
#include "sim/core/prng.h"

/* A replay string asks for at most this many decisions. */
#define PARSE_MAX ((size_t)1 << 24)

void sim_choice_init(struct sim_choice *c, enum sim_choice_policy policy, uint64_t seed)
{
	*c = (struct sim_choice){.policy = policy, .stream = sim_stream(seed, "choice", 0)};
}

void sim_choice_finish(struct sim_choice *c)
{
	free(c->taken);
	free(c->limit);
	*c = (struct sim_choice){0};
}

static void *resized(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	if (!p) {
		fprintf(stderr, "lockstep: no memory for %zu bytes of decisions\n", bytes);
		abort();
	}
	return p;
}

static void make_room(struct sim_choice *c, size_t room)
{
	if (room <= c->room)
		return;
	if (room < 2 * c->room)
		room = 2 * c->room;
	c->taken = resized(c->taken, room * sizeof(*c->taken));
	c->limit = resized(c->limit, room * sizeof(*c->limit));
	c->room = room;
}

static uint32_t prescribed(struct sim_choice *c, uint32_t n)
{
	if (c->taken[c->len] < n)
		return c->taken[c->len];
	c->diverged = true;
	return 0;
}

/* SIM_CHOICE_FIXED keeps nothing: a long run has no end of decisions, all of them 0. */
uint32_t sim_choose(struct sim_choice *c, uint32_t n)
{
	uint32_t value = 0;

	sim_assert(n >= 1);
	if (c->policy == SIM_CHOICE_FIXED) {
		c->len++;
		return 0;
	}
	if (c->len < c->prefix)
		value = prescribed(c, n);
	else if (c->policy == SIM_CHOICE_SEEDED)
		value = (uint32_t)((sim_draw(c->stream, c->len, 0) >> 32) * n >> 32);
	make_room(c, c->len + 64);
	c->taken[c->len] = value;
	c->limit[c->len] = n;
	c->len++;
	return value;
}

void sim_choice_rewind(struct sim_choice *c)
{
	c->len = 0;
	c->diverged = false;
}

/* The last decision that has a value left takes it; what comes after starts again at 0. */
bool sim_choice_next(struct sim_choice *c)
{
	sim_assert(c->policy == SIM_CHOICE_ODOMETER);
	while (c->len) {
		c->len--;
		if (c->taken[c->len] + 1 < c->limit[c->len]) {
			c->taken[c->len]++;
			c->prefix = c->len + 1;
			sim_choice_rewind(c);
			return true;
		}
	}
	c->prefix = 0;
	sim_choice_rewind(c);
	return false;
}

char *sim_choice_print(const struct sim_choice *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	sim_assert(out);
	for (size_t i = 0, run; i < c->len; i += run) {
		uint32_t value = c->policy == SIM_CHOICE_FIXED ? 0 : c->taken[i];

		for (run = 1; i + run < c->len; run++)
			if (c->policy != SIM_CHOICE_FIXED && c->taken[i + run] != value)
				break;
		fputs(i ? "," : "", out);
		if (run > 1)
			fprintf(out, "%zux", run);
		fprintf(out, "%u", value);
	}
	sim_assert(fclose(out) == 0);
	return text;
}

/* A decimal number up to @max, without sign or leading space; moves *@p behind it. */
static bool number(const char **p, uint64_t max, uint64_t *value)
{
	const char *s = *p;

	*value = 0;
	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		*value = *value * 10 + (uint64_t)(*s - '0');
		if (*value > max)
			return false;
	}
	*p = s;
	return true;
}

/* One VALUE or COUNTxVALUE. */
static bool parse_run(const char **p, uint64_t *count, uint64_t *value)
{
	*count = 1;
	if (!number(p, UINT32_MAX, value))
		return false;
	if (**p != 'x')
		return true;
	*count = *value;
	++*p;
	return *count > 0 && number(p, UINT32_MAX, value);
}

static bool parse(struct sim_choice *c, const char *text)
{
	uint64_t count, value;

	while (*text) {
		if (!parse_run(&text, &count, &value) || count > PARSE_MAX - c->prefix)
			return false;
		make_room(c, c->prefix + count);
		while (count--)
			c->taken[c->prefix++] = (uint32_t)value;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return false;
	}
	return true;
}

/* Under the fixed policy a prescription would be ignored: it becomes a replay. */
bool sim_choice_parse(struct sim_choice *c, const char *text)
{
	sim_choice_rewind(c);
	c->prefix = 0;
	if (!parse(c, text)) {
		c->prefix = 0;
		return false;
	}
	if (c->policy == SIM_CHOICE_FIXED)
		c->policy = SIM_CHOICE_REPLAY;
	return true;
}
