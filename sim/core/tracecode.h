/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What writer and reader of trace files share: the form of numbers, of records and of
 * the check sum. docs/trace.md describes the file. Private to sim/core.
 */
#ifndef SIM_CORE_TRACECODE_H
#define SIM_CORE_TRACECODE_H

#include <endian.h>
#include <string.h>

#include "sim/core/trace.h"

#define TRACE_MAGIC "LSTRACE"
#define TRACE_MAGIC_BYTES 8 /* with the version byte */
#define TRACE_BUFFER ((size_t)256 << 10)
#define TRACE_VARINT_MAX 10
#define TRACE_REC_MAX 64 /* more than any record or end mark takes */
#define TRACE_END 0      /* tag of the end mark; a record's is 1 + type */

/* Which fields follow; what does not follow is as in the record before, or 0 (arg, val). */
enum trace_flags {
	TRACE_TIME = 1,
	TRACE_CPU = 2,
	TRACE_TASK = 4,
	TRACE_OBJ = 8,
	TRACE_ARG = 16,
	TRACE_VAL = 32,
	TRACE_FLAGS_ALL = 63,
};

struct trace_last { /* of the record before; all 0 at the start */
	uint64_t time;
	uint32_t task, obj;
	uint16_t cpu;
};

/* 64 bits over the bytes of the file in words of 8, little-endian, the last padded with zeros. */
struct trace_sum {
	uint64_t hash, bytes;
};

static inline void trace_sum_word(struct trace_sum *s, uint64_t word)
{
	s->hash ^= word;
	s->hash = (s->hash << 29 | s->hash >> 35) * UINT64_C(0x9e3779b185ebca87);
}

/* Takes whole words; returns how many bytes of @len it took. */
static inline size_t trace_sum_add(struct trace_sum *s, const uint8_t *p, size_t len)
{
	size_t n = len / 8 * 8;
	uint64_t word;

	for (size_t i = 0; i < n; i += 8) {
		memcpy(&word, p + i, 8);
		trace_sum_word(s, le64toh(word));
	}
	s->bytes += n;
	return n;
}

/* The last 0..7 bytes and the length. */
static inline uint64_t trace_sum_end(struct trace_sum *s, const uint8_t *p, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)p[i] << 8 * i;
	trace_sum_word(s, word);
	trace_sum_word(s, s->bytes + len);
	return s->hash;
}

static inline uint8_t *trace_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* NULL when the number is cut off, above @max, or longer than a number can be. */
static inline const uint8_t *trace_get(const uint8_t *p, const uint8_t *end, uint64_t max, uint64_t *v)
{
	uint64_t value = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint64_t bits = *p & 0x7f;

		if (shift == 63 && bits > 1)
			return NULL;
		value |= bits << shift;
		if (!(*p++ & 0x80)) {
			*v = value;
			return value <= max ? p : NULL;
		}
	}
	return NULL;
}

static inline uint64_t trace_zigzag(uint64_t delta)
{
	return delta << 1 ^ (uint64_t)((int64_t)delta >> 63);
}

static inline uint64_t trace_unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif
