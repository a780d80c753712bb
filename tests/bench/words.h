/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_BENCH_WORDS_H
#define TESTS_BENCH_WORDS_H

#define BENCH_WORDS 3 /* accesses of a turn */

/* @turns times a load, an exchange and a compare-exchange of @word. On a fiber. */
void bench_words(unsigned long *word, unsigned long turns);

#endif
