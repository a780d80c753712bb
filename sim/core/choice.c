/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/choice.h"
#include "sim/core/prng.h"

void sim_choice_init(struct sim_choice *c, enum sim_choice_policy policy, uint64_t seed)
{
	*c = (struct sim_choice){.policy = policy, .seed = seed, .stream = sim_stream(seed, "choice", 0)};
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
	if (c->len < SIM_CHOICES_KEPT) {
		make_room(c, c->len + 64);
		c->taken[c->len] = value;
		c->limit[c->len] = n;
	}
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
	sim_assert(c->policy == SIM_CHOICE_ODOMETER && c->len <= SIM_CHOICES_KEPT);
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
	size_t len = c->policy == SIM_CHOICE_FIXED ? 0 : c->len, size;
	char *text = NULL;
	FILE *out;

	if (len > SIM_CHOICES_KEPT)
		return NULL;
	while (len && !c->taken[len - 1])
		len--;
	out = open_memstream(&text, &size);
	sim_assert(out);
	for (size_t i = 0, run; i < len; i += run) {
		for (run = 1; i + run < len && c->taken[i + run] == c->taken[i]; run++)
			;
		fputs(i ? "," : "", out);
		if (run > 1)
			fprintf(out, "%zux", run);
		fprintf(out, "%u", c->taken[i]);
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
		uint64_t digit = (uint64_t)(*s - '0');

		if (*value > (max - digit) / 10)
			return false;
		*value = *value * 10 + digit;
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
		if (!parse_run(&text, &count, &value) || count > SIM_CHOICES_KEPT - c->prefix)
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

bool sim_choice_read(struct sim_choice *c, const char *spec)
{
	const char *text = strchr(spec, ':');
	uint64_t seed = 0;

	sim_choice_init(c, SIM_CHOICE_FIXED, 0);
	if (!strcmp(spec, "fixed"))
		return true;
	if (!text)
		return false;
	text++;
	if (!strncmp(spec, "replay:", 7)) {
		sim_choice_init(c, SIM_CHOICE_REPLAY, 0);
		return sim_choice_parse(c, text);
	}
	if (strncmp(spec, "seed:", 5) || !number(&text, UINT64_MAX, &seed) || *text)
		return false;
	sim_choice_init(c, SIM_CHOICE_SEEDED, seed);
	return true;
}

char *sim_choice_spec(const struct sim_choice *c, size_t max)
{
	char *schedule = sim_choice_print(c), *spec = NULL;

	if (schedule && strlen(schedule) <= max)
		sim_assert(asprintf(&spec, "replay:%s", schedule) >= 0);
	else if (c->policy == SIM_CHOICE_SEEDED)
		sim_assert(asprintf(&spec, "seed:%llu", (unsigned long long)c->seed) >= 0);
	free(schedule);
	return spec;
}
