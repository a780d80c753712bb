/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address space at fixed places: nothing depends on it, but pointers then look the same
 * in every run, which helps in a debugger. Private to sim/core.
 */
#ifndef SIM_CORE_REGION_H
#define SIM_CORE_REGION_H

#include <stddef.h>
#include <stdint.h>

#define SIM_REGION_PAGE ((size_t)4096)

/* Free in the layouts of plain processes, ASan and 47-bit hosts. */
#define SIM_REGION_STACKS UINT64_C(0x200000000000)
#define SIM_REGION_ARENA UINT64_C(0x300000000000)
#define SIM_REGION_FIBERS UINT64_C(0x2f0000000000)

/* Maps @bytes of zeroed memory, at @wanted if that is free. Exits with 3, naming @what, on failure. */
void *sim_region_map(uint64_t wanted, size_t bytes, const char *what);

#endif
