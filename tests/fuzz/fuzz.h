/* SPDX-License-Identifier: Apache-2.0 */
/* An entry point as libFuzzer has it; driver.c stands in for libFuzzer where there is none. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput - one input; whatever it is, nothing may be touched that is not ours. Return: 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
