/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/core/region.h"

void *sim_region_map(uint64_t wanted, size_t bytes, const char *what)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *p;

	p = mmap((void *)(uintptr_t)wanted, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1,
		 0);
	if (p == MAP_FAILED)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p == MAP_FAILED) {
		fprintf(stderr, "lockstep: cannot reserve %zu MiB of address space for %s: %s\n", bytes >> 20,
			what, strerror(errno));
		abort();
	}
	return p;
}
