/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the journal's lines: the first 16 hex digits of SHA-256 over the sum before and the line without its own. */
#ifndef ENGINE_SUMS_H
#define ENGINE_SUMS_H

#include <string.h>

#include "base/sha256.h"

enum { SUM_TEXT = 17 };

static inline void sum_of(const char before[SUM_TEXT], const char *line, size_t n, char sum[SUM_TEXT])
{
	struct sha256 s;
	char text[SHA256_TEXT];

	sha256_init(&s);
	sha256_add(&s, before, strlen(before));
	sha256_add(&s, line, n);
	sha256_done_text(&s, text);
	memcpy(sum, strchr(text, ':') + 1, SUM_TEXT - 1);
	sum[SUM_TEXT - 1] = '\0';
}

#endif
