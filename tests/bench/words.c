/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marked accesses as a model makes them, for the row of bench_run that prices one. */
#include "sim/kernel/words.h"

#include "tests/bench/words.h"

void bench_words(unsigned long *word, unsigned long turns)
{
	while (turns--) {
		if (READ_ONCE(*word) == turns)
			WRITE_ONCE(*word, turns + 1);
		xchg(word, turns);
		cmpxchg(word, turns, turns + 2);
	}
}
