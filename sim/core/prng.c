/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counter-based numbers: two rounds of the splitmix64 finaliser (Steele, Lea, Flood 2014;
 * constants of Stafford's variant 13) over the key and the two halves of the counter.
 * For a fixed key and a, the map from b to the draw is a bijection of 64 bits, and so is
 * the map from the key for fixed (a, b). Golden values stand in tests/unit/core/prng.c.
 */
#include "sim/core/prng.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */
#define SECOND UINT64_C(0xd1342543de82ef95) /* odd; a multiplier of Steele and Vigna's list */

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t sim_draw(uint64_t key, uint64_t a, uint64_t b)
{
	uint64_t x = mix(key + GOLDEN * a + SECOND);

	return mix(x + GOLDEN + SECOND * b);
}

uint64_t sim_stream(uint64_t seed, const char *name, uint64_t instance)
{
	uint64_t h = mix(seed + GOLDEN);

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		h = (h ^ *c) * UINT64_C(0x100000001b3) + GOLDEN;
	return sim_draw(h, instance, 0);
}
