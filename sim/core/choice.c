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
	free(c->want);
	free(c->among);
	*c = (struct sim_choice){0};
}

static void *resized(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	if (!p)
		sim_no_memory("decisions", bytes);
	return p;
}

static void make_room(uint32_t **value, uint32_t **limit, size_t *have, size_t room)
{
	if (room <= *have)
		return;
	if (room < 2 * *have)
		room = 2 * *have;
	*value = resized(*value, room * sizeof(**value));
	*limit = resized(*limit, room * sizeof(**limit));
	*have = room;
}

/* The odometer counts in what it has taken. What a schedule says is kept apart, for run after run. */
static bool prescribed(struct sim_choice *c, uint32_t n, uint32_t *value)
{
	size_t i = c->len;
	uint32_t among;

	if (i >= c->prefix || c->diverged)
		return false;
	*value = c->want ? c->want[i] : c->taken[i];
	among = c->want ? c->among[i] : c->limit[i];
	if (*value < n && (!among || among == n))
		return true;
	*value = 0;
	c->diverged = true;
	c->diverged_at = i;
	c->found = n;
	return false;
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
	if (!prescribed(c, n, &value) && c->policy == SIM_CHOICE_SEEDED)
		value = (uint32_t)((sim_draw(c->stream, c->len, 0) >> 32) * n >> 32);
	if (c->len < SIM_CHOICES_KEPT) {
		make_room(&c->taken, &c->limit, &c->room, c->len + 64);
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

size_t sim_choice_left(const struct sim_choice *c)
{
	return c->want && !c->diverged && c->len < c->prefix ? c->prefix - c->len : 0;
}

/* The first, out of however many, is one decision: most are that. */
static bool same_decision(const struct sim_choice *c, size_t a, size_t b)
{
	return c->taken[a] == c->taken[b] && (!c->taken[a] || c->limit[a] == c->limit[b]);
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
		for (run = 1; i + run < len && same_decision(c, i, i + run); run++)
			;
		fputs(i ? "," : "", out);
		if (run > 1)
			fprintf(out, "%zux", run);
		fprintf(out, "%u", c->taken[i]);
		if (c->taken[i])
			fprintf(out, "/%u", c->limit[i]);
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

/* [COUNTx]VALUE[/LIMIT] */
static bool parse_run(const char **p, uint64_t *count, uint64_t *value, uint64_t *limit)
{
	*count = 1;
	*limit = 0;
	if (!number(p, UINT32_MAX, value))
		return false;
	if (**p == 'x') {
		*count = *value;
		++*p;
		if (!*count || !number(p, UINT32_MAX, value))
			return false;
	}
	if (**p != '/')
		return true;
	++*p;
	return number(p, UINT32_MAX, limit) && *value < *limit;
}

static bool parse(struct sim_choice *c, const char *text)
{
	uint64_t count, value, limit;

	while (*text) {
		if (!parse_run(&text, &count, &value, &limit) || count > SIM_CHOICES_KEPT - c->prefix)
			return false;
		make_room(&c->want, &c->among, &c->want_room, c->prefix + count);
		for (; count; count--, c->prefix++) {
			c->want[c->prefix] = (uint32_t)value;
			c->among[c->prefix] = (uint32_t)limit;
		}
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
