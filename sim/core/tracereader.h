/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a trace file through a buffer, and its names. What is read may be anything:
 * nothing is allocated that the bytes present do not pay for. Private to sim/core.
 */
#ifndef SIM_CORE_TRACEREADER_H
#define SIM_CORE_TRACEREADER_H

#include "sim/core/tracecode.h"

struct trace_input {
	int fd;
	bool end;    /* of the file, all of it is in buf */
	bool failed; /* read() did; errno says why */
	struct trace_sum sum;
	const uint8_t *next; /* not yet consumed */
	const uint8_t *stop; /* of what is in buf */
	uint8_t buf[TRACE_BUFFER];
};

/* Tries to have @want bytes (up to TRACE_REC_MAX) at in->next; fewer only at the end of the file. */
void trace_input_fill(struct trace_input *in, size_t want);

struct trace_names { /* struct sim_names and what it points to */
	struct sim_names names;
	char *text;
	const char **strings;
	const char *const **events;
};

/* NULL, or what is wrong. */
const char *trace_names_read(struct trace_names *t, struct trace_input *in);
void trace_names_finish(struct trace_names *t);

#endif
