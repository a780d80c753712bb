/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fuzz target is: one function over bytes. libFuzzer calls it, or driver.c over files. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
