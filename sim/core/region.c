/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>

#include "sim/core/check.h"
#include "sim/core/region.h"

void *sim_region_map(uint64_t wanted, size_t bytes, const char *what)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *p;

	p = mmap((void *)(uintptr_t)wanted, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1,
		 0);
	if (p == MAP_FAILED)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p == MAP_FAILED)
		sim_no_memory(what, bytes);
	return p;
}
