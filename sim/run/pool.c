// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of a bound run: small pieces out of chunks, freed together. */
#include <stdarg.h>
#include <stdio.h>

#include <glib.h>

#include "sim/run/draw.h"

#define CHUNK_BYTES (64 * 1024)

struct bind_chunk {
	struct bind_chunk *next;
	max_align_t data[];
};

void *bind_alloc(struct bind_pool *pool, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (!pool->chunk || pool->room - pool->used < bytes) {
		size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		struct bind_chunk *chunk = g_malloc0(sizeof(*chunk) + room);

		chunk->next = pool->chunk;
		pool->chunk = chunk;
		pool->used = 0;
		pool->room = room;
	}

	void *p = (char *)pool->chunk->data + pool->used;

	pool->used += bytes;
	return p;
}

char *bind_printf(struct bind_pool *pool, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);

	g_autofree char *text = g_strdup_vprintf(fmt, ap);

	va_end(ap);

	size_t bytes = strlen(text) + 1;
	char *copy = bind_alloc(pool, bytes);

	memcpy(copy, text, bytes);
	return copy;
}

void bind_pool_clear(struct bind_pool *pool)
{
	while (pool->chunk) {
		struct bind_chunk *next = pool->chunk->next;

		g_free(pool->chunk);
		pool->chunk = next;
	}
	pool->used = pool->room = 0;
}
