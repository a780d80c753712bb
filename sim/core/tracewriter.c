/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/core/tracecode.h"

_Static_assert(SIM_REC_TYPE_COUNT < 255, "a record's tag is one byte");

struct sim_trace_writer {
	int fd;
	int error; /* errno of what failed first; nothing is written after it */
	uint64_t count, digest;
	struct trace_last last;
	struct trace_sum sum;
	uint8_t *next; /* free place in buf */
	uint8_t buf[TRACE_BUFFER + TRACE_REC_MAX];
};

static void write_all(struct sim_trace_writer *w, const uint8_t *p, size_t len)
{
	while (len && !w->error) {
		ssize_t n = write(w->fd, p, len);

		if (n < 0) {
			if (errno != EINTR)
				w->error = errno;
			continue;
		}
		p += n;
		len -= (size_t)n;
	}
}

/* Writes whole words only, so that the sum of the file does not depend on how it was buffered. */
static void flush(struct sim_trace_writer *w)
{
	size_t len = (size_t)(w->next - w->buf), n = trace_sum_add(&w->sum, w->buf, len);

	write_all(w, w->buf, n);
	memmove(w->buf, w->buf + n, len - n);
	w->next = w->buf + len - n;
}

static inline void flush_if_full(struct sim_trace_writer *w)
{
	if (w->next >= w->buf + TRACE_BUFFER)
		flush(w);
}

static void put_number(struct sim_trace_writer *w, uint64_t v)
{
	w->next = trace_put(w->next, v);
	flush_if_full(w);
}

static void put_bytes(struct sim_trace_writer *w, const char *s, size_t len)
{
	while (len) {
		size_t room = (size_t)(w->buf + TRACE_BUFFER - w->next), n = len < room ? len : room;

		memcpy(w->next, s, n);
		w->next += n;
		s += n;
		len -= n;
		flush_if_full(w);
	}
}

/* 0 is NULL, else 1 + length and the bytes. */
static void put_string(struct sim_trace_writer *w, const char *s)
{
	if (!s) {
		put_number(w, 0);
		return;
	}
	put_number(w, strlen(s) + 1);
	put_bytes(w, s, strlen(s));
}

static void put_strings(struct sim_trace_writer *w, uint32_t n, const char *const *list)
{
	put_number(w, n);
	for (uint32_t i = 0; i < n; i++)
		put_string(w, list ? list[i] : NULL);
}

static void put_names(struct sim_trace_writer *w, const struct sim_names *names)
{
	put_number(w, names->ncpus);
	put_strings(w, names->ntasks, names->task);
	put_strings(w, names->nlocks, names->lock);
	for (uint32_t i = 0; i < names->nlocks; i++) {
		const char *const *events = names->lock_events ? names->lock_events[i] : NULL;
		uint32_t n = 0;

		put_string(w, names->lock_model ? names->lock_model[i] : NULL);
		while (events && events[n])
			n++;
		put_strings(w, n, events);
	}
	put_strings(w, names->nstrings, names->string);
	put_strings(w, names->nfacts, names->facts);
}

struct sim_trace_writer *sim_trace_writer_open(const char *path, const struct sim_names *names)
{
	struct sim_trace_writer *w = malloc(sizeof(*w));

	if (!w)
		return NULL;
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (w->fd < 0) {
		int error = errno;

		free(w);
		errno = error;
		return NULL;
	}
	w->error = 0;
	w->count = 0;
	w->digest = SIM_DIGEST_SEED;
	w->last = (struct trace_last){0};
	w->sum = (struct trace_sum){0};
	w->next = w->buf;
	put_bytes(w, TRACE_MAGIC, TRACE_MAGIC_BYTES - 1);
	*w->next++ = SIM_TRACE_VERSION;
	put_names(w, names);
	return w;
}

void sim_trace_writer_take(void *user, const struct sim_rec *rec)
{
	struct sim_trace_writer *w = user;
	uint8_t *p = w->next, *flags;

	*p++ = (uint8_t)(1 + rec->type);
	flags = p++;
	*flags = 0;
	if (rec->time != w->last.time) {
		*flags |= TRACE_TIME;
		p = trace_put(p, trace_zigzag(rec->time - w->last.time));
		w->last.time = rec->time;
	}
	if (rec->cpu != w->last.cpu) {
		*flags |= TRACE_CPU;
		p = trace_put(p, rec->cpu);
		w->last.cpu = rec->cpu;
	}
	if (rec->task != w->last.task) {
		*flags |= TRACE_TASK;
		p = trace_put(p, rec->task);
		w->last.task = rec->task;
	}
	if (rec->obj != w->last.obj) {
		*flags |= TRACE_OBJ;
		p = trace_put(p, rec->obj);
		w->last.obj = rec->obj;
	}
	if (rec->arg) {
		*flags |= TRACE_ARG;
		p = trace_put(p, rec->arg);
	}
	if (rec->val) {
		*flags |= TRACE_VAL;
		p = trace_put(p, rec->val);
	}
	w->next = p;
	w->count++;
	w->digest = sim_digest_add(w->digest, rec);
	flush_if_full(w);
}

static void put_word(struct sim_trace_writer *w, uint64_t v)
{
	uint64_t le = htole64(v);

	memcpy(w->next, &le, 8);
	w->next += 8;
}

/* The end mark: tag, count, digest, and the sum of all bytes before the sum. */
int sim_trace_writer_close(struct sim_trace_writer *w)
{
	int error;

	*w->next++ = TRACE_END;
	w->next = trace_put(w->next, w->count);
	put_word(w, w->digest);
	flush(w);
	put_word(w, trace_sum_end(&w->sum, w->buf, (size_t)(w->next - w->buf)));
	write_all(w, w->buf, (size_t)(w->next - w->buf));
	if (close(w->fd) != 0 && !w->error)
		w->error = errno;
	error = w->error;
	free(w);
	errno = error;
	return error ? -1 : 0;
}
