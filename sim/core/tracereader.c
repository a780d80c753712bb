/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/core/tracereader.h"

struct sim_trace_reader {
	uint64_t count, digest;
	struct trace_last last;
	struct trace_names names;
	bool ended;        /* the end mark was right */
	const char *error; /* sticks */
	struct trace_input in;
};

static const char cut_off[] = "the file is cut off";
static const char corrupt[] = "the file is corrupt";
static const char unreadable[] = "the file cannot be read";

/* Sums what was consumed and moves the rest to the front. */
static void make_space(struct trace_input *in)
{
	size_t n = trace_sum_add(&in->sum, in->buf, (size_t)(in->next - in->buf));
	size_t kept = (size_t)(in->stop - in->buf) - n;

	memmove(in->buf, in->buf + n, kept);
	in->next -= n;
	in->stop = in->buf + kept;
}

void trace_input_fill(struct trace_input *in, size_t want)
{
	if (in->end || (size_t)(in->stop - in->next) >= want)
		return;
	make_space(in);
	while (!in->end && in->stop < in->buf + TRACE_BUFFER) {
		ssize_t n = read(in->fd, in->buf + (in->stop - in->buf),
				 (size_t)(in->buf + TRACE_BUFFER - in->stop));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			in->failed = true;
		if (n <= 0)
			in->end = true;
		else
			in->stop += n;
	}
}

static const char *read_head(struct sim_trace_reader *r)
{
	struct trace_input *in = &r->in;
	const char *error;

	trace_input_fill(in, TRACE_MAGIC_BYTES);
	if (in->failed)
		return NULL;
	if (in->stop - in->next < TRACE_MAGIC_BYTES ||
	    memcmp(in->next, TRACE_MAGIC, TRACE_MAGIC_BYTES - 1) != 0)
		return "this is not a trace file";
	if (in->next[TRACE_MAGIC_BYTES - 1] != SIM_TRACE_VERSION)
		return "the trace file has a version that this program does not know";
	in->next += TRACE_MAGIC_BYTES;
	error = trace_names_read(&r->names, in);
	return in->failed ? NULL : error;
}

struct sim_trace_reader *sim_trace_reader_open(const char *path, const char **error)
{
	struct sim_trace_reader *r = malloc(sizeof(*r));
	int saved;

	*error = NULL;
	if (!r)
		return NULL;
	memset(r, 0, offsetof(struct sim_trace_reader, in.buf));
	r->digest = SIM_DIGEST_SEED;
	r->in.next = r->in.stop = r->in.buf;
	r->in.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->in.fd >= 0) {
		*error = read_head(r);
		if (!*error && !r->in.failed)
			return r;
	}
	saved = errno;
	sim_trace_reader_close(r);
	errno = saved;
	return NULL;
}

void sim_trace_reader_close(struct sim_trace_reader *r)
{
	if (!r)
		return;
	if (r->in.fd >= 0)
		close(r->in.fd);
	trace_names_finish(&r->names);
	free(r);
}

const struct sim_names *sim_trace_reader_names(const struct sim_trace_reader *r)
{
	return &r->names.names;
}

/* The fields that @flags announces. NULL when they are cut off or too large. */
static const uint8_t *get_fields(const uint8_t *p, const uint8_t *stop, unsigned flags,
				 struct trace_last *last, struct sim_rec *rec)
{
	uint64_t v = 0;

	if (flags & TRACE_TIME && p && (p = trace_get(p, stop, UINT64_MAX, &v)))
		last->time += trace_unzigzag(v);
	if (flags & TRACE_CPU && p && (p = trace_get(p, stop, UINT16_MAX, &v)))
		last->cpu = (uint16_t)v;
	if (flags & TRACE_TASK && p && (p = trace_get(p, stop, UINT32_MAX, &v)))
		last->task = (uint32_t)v;
	if (flags & TRACE_OBJ && p && (p = trace_get(p, stop, UINT32_MAX, &v)))
		last->obj = (uint32_t)v;
	if (flags & TRACE_ARG && p && (p = trace_get(p, stop, UINT32_MAX, &v)))
		rec->arg = (uint32_t)v;
	if (flags & TRACE_VAL && p && (p = trace_get(p, stop, UINT64_MAX, &v)))
		rec->val = v;
	rec->time = last->time;
	rec->cpu = last->cpu;
	rec->task = last->task;
	rec->obj = last->obj;
	return p;
}

/* The end mark, of which the tag was seen. The sum covers all before itself, and nothing may follow. */
static const char *read_end(struct sim_trace_reader *r)
{
	struct trace_input *in = &r->in;
	uint64_t count, digest, sum;
	const uint8_t *p = trace_get(in->next + 1, in->stop, UINT64_MAX, &count);

	if (!p || in->stop - p < 16)
		return cut_off;
	memcpy(&digest, p, 8);
	memcpy(&sum, p + 8, 8);
	in->next = p + 8;
	make_space(in);
	if (trace_sum_end(&in->sum, in->buf, (size_t)(in->next - in->buf)) != le64toh(sum))
		return "the check sum of the file is wrong: it is corrupt";
	if (count != r->count || le64toh(digest) != r->digest)
		return "the records are not those that the end mark counts: the file is corrupt";
	in->next += 8;
	trace_input_fill(in, 1);
	return in->next < in->stop ? "something follows the end of the trace" : NULL;
}

static const char *read_record(struct sim_trace_reader *r, struct sim_rec *rec)
{
	struct trace_input *in = &r->in;
	const uint8_t *p = in->next;
	size_t left = (size_t)(in->stop - p);

	if (left < 2)
		return cut_off;
	if (p[0] > SIM_REC_TYPE_COUNT || p[1] & ~TRACE_FLAGS_ALL)
		return corrupt;
	*rec = (struct sim_rec){.type = (uint16_t)(p[0] - 1)};
	p = get_fields(p + 2, in->stop, p[1], &r->last, rec);
	if (!p)
		return left < TRACE_REC_MAX ? cut_off : corrupt;
	in->next = p;
	r->count++;
	r->digest = sim_digest_add(r->digest, rec);
	return NULL;
}

int sim_trace_reader_next(struct sim_trace_reader *r, struct sim_rec *rec, const char **error)
{
	if (!r->error && !r->ended) {
		trace_input_fill(&r->in, TRACE_REC_MAX);
		if (r->in.next == r->in.stop) {
			r->error = cut_off;
		} else if (*r->in.next == TRACE_END) {
			r->error = read_end(r);
			r->ended = !r->error;
		} else {
			r->error = read_record(r, rec);
			if (!r->error)
				return 1;
		}
		if (r->in.failed)
			r->error = unreadable;
	}
	*error = r->error;
	return r->error ? -1 : 0;
}
