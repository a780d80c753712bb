/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core/prng.h"
#include "tests/unit/core/run.h"

/* Golden: a change here changes every seeded run of every user. */
static const struct {
	uint64_t key, a, b, draw;
} draws[] = {
	{0, 0, 0, UINT64_C(0x5cfcc391b726f0d3)},
	{1, 0, 0, UINT64_C(0x2c81a64177c1767b)},
	{1, 0, 1, UINT64_C(0x104f0e6087cc8027)},
	{1, 1, 0, UINT64_C(0x87a66450e7910021)},
	{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_C(0xc1a2cf2be9e4167d)},
};

START_TEST(test_golden_draws)
{
	ck_assert_uint_eq(sim_draw(draws[_i].key, draws[_i].a, draws[_i].b), draws[_i].draw);
}
END_TEST

static const struct {
	uint64_t seed;
	const char *name;
	uint64_t instance, key;
} streams[] = {
	{1, "", 0, UINT64_C(0x26f21c114de32a44)},       {1, "worker", 0, UINT64_C(0x13112fd2477ef626)},
	{1, "worker", 3, UINT64_C(0x19f4fdf5704bf438)}, {2, "worker", 3, UINT64_C(0x4a843482b32562b5)},
	{1, "choice", 0, UINT64_C(0xc3a7dd663e0e43a5)},
};

START_TEST(test_golden_streams)
{
	ck_assert_uint_eq(sim_stream(streams[_i].seed, streams[_i].name, streams[_i].instance),
			  streams[_i].key);
}
END_TEST

/* Each of 64 bits is set in half of 2^16 draws, within five standard deviations. @_i: which counter runs. */
START_TEST(test_bits_are_fair)
{
	unsigned set[64] = {0}, n = 1 << 16;

	for (unsigned i = 0; i < n; i++) {
		uint64_t u = sim_draw(_i == 0 ? i : 9, _i == 1 ? i : 9, _i == 2 ? i : 9);

		for (unsigned bit = 0; bit < 64; bit++)
			set[bit] += u >> bit & 1;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		ck_assert_msg(set[bit] > n / 2 - 640 && set[bit] < n / 2 + 640, "bit %u: %u of %u", bit,
			      set[bit], n);
}
END_TEST

/* Flipping one bit of an input flips each bit of the draw with probability one half: 192 x 64 pairs. */
START_TEST(test_avalanche)
{
	for (unsigned flip = 0; flip < 192; flip++) {
		unsigned changed = 0, n = 512;

		for (unsigned i = 0; i < n; i++) {
			uint64_t in[3] = {sim_draw(5, i, 0), sim_draw(5, i, 1), i};
			uint64_t before = sim_draw(in[0], in[1], in[2]);

			in[flip / 64] ^= UINT64_C(1) << flip % 64;
			changed += (unsigned)__builtin_popcountll(before ^ sim_draw(in[0], in[1], in[2]));
		}
		ck_assert_msg(changed > n * 32 - 600 && changed < n * 32 + 600, "input bit %u: %u", flip,
			      changed);
	}
}
END_TEST

/* 256 cells of two neighbouring draws' top nibbles: chi square with 255 degrees stays below 340 (p < 0.0003).
 */
START_TEST(test_neighbours_are_independent)
{
	unsigned cell[256] = {0}, n = 256 * 400;
	double chi = 0;

	for (unsigned i = 0; i < n; i++)
		cell[sim_draw(3, 4, i) >> 60 << 4 | (_i ? sim_draw(3, 5, i) : sim_draw(3, 4, i + 1)) >> 60]++;
	for (unsigned c = 0; c < 256; c++)
		chi += (cell[c] - 400.0) * (cell[c] - 400.0) / 400.0;
	ck_assert_msg(chi < 340, "chi square %f", chi);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prng");
	TCase *tc = tcase_create("prng");

	tcase_add_loop_test(tc, test_golden_draws, 0, sizeof(draws) / sizeof(draws[0]));
	tcase_add_loop_test(tc, test_golden_streams, 0, sizeof(streams) / sizeof(streams[0]));
	tcase_add_loop_test(tc, test_bits_are_fair, 0, 3);
	tcase_add_test(tc, test_avalanche);
	tcase_add_loop_test(tc, test_neighbours_are_independent, 0, 2);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
