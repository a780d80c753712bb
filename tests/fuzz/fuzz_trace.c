/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace file: they must be refused, or be read to their end record by
 * record, each printable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/core/check.h"
#include "sim/core/trace.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS 100000 /* enough; more is only slower */

static void read_all(struct sim_trace_reader *r)
{
	const struct sim_names *names = sim_trace_reader_names(r);
	const char *error = NULL;
	struct sim_rec rec;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);
	int got = 1;

	for (unsigned i = 0; i < names->ntasks; i++)
		fprintf(f, "%s\n", names->task[i]);
	for (unsigned i = 0; i < names->nlocks; i++)
		fprintf(f, "%s %s\n", names->lock[i], names->lock_model[i]);
	for (unsigned i = 0; i < names->nfacts; i++)
		fprintf(f, "%s\n", names->facts[i]);
	for (unsigned n = 0; got == 1 && n < RECORDS; n++) {
		got = sim_trace_reader_next(r, &rec, &error);
		if (got == 1) {
			rewind(f);
			sim_rec_print(f, &rec, names);
		}
	}
	sim_assert(got != -1 || error);
	fclose(f);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *error = NULL;
	struct sim_trace_reader *r;
	char path[64];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	sim_assert(fd >= 0);
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, data + done, size - done);

		sim_assert(n > 0);
		done += (size_t)n;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = sim_trace_reader_open(path, &error);
	if (r) {
		read_all(r);
		sim_trace_reader_close(r);
	}
	close(fd);
	return 0;
}
