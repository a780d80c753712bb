/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Did you mean": the distance of Damerau and Levenshtein in its restricted form
 * (insert, drop, replace, exchange two neighbours; no part edited twice).
 */
#include <string.h>

#include "sim/core/diag.h"

#define WORD_MAX 64

/* "Mutex" is "mutex": a capital is no mistake worth counting. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, size_t alen, const char *b, size_t blen)
{
	unsigned row[3][WORD_MAX + 1]; /* two before, before, this */
	unsigned *older = row[0], *old = row[1], *now = row[2];

	for (size_t j = 0; j <= blen; j++)
		old[j] = (unsigned)j;
	for (size_t i = 1; i <= alen; i++) {
		unsigned *swap;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= blen; j++) {
			now[j] = least(old[j] + 1, now[j - 1] + 1);
			now[j] = least(now[j], old[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], older[j - 2] + 1);
		}
		swap = older;
		older = old;
		old = now;
		now = swap;
	}
	return old[blen];
}

/* "westmere" means "westmere-ex-8s" however much longer that is. */
static const char *begins_with(const char *word, size_t len, const char *const *names)
{
	for (; len >= 3 && *names; names++)
		if (!strncmp(*names, word, len))
			return *names;
	return NULL;
}

/* Of equally near names the first in @names. A word that would be edited all over is near nothing. */
const char *sim_nearest(const char *word, const char *const *names)
{
	size_t len = strlen(word);
	unsigned best = (unsigned)(len / 3 + 2);
	const char *nearest = NULL, *const *all = names;

	if (!len || len > WORD_MAX)
		return NULL;
	if (best > len)
		best = (unsigned)len;
	for (; *names; names++) {
		size_t nlen = strlen(*names);
		unsigned d;

		if (nlen > WORD_MAX)
			continue;
		d = distance(word, len, *names, nlen);
		if (d < best) {
			best = d;
			nearest = *names;
		}
	}
	return nearest ? nearest : begins_with(word, len, all);
}
