/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4), for digests of policies and desired states. Our own: a library's start costs more than all
 * reads.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t n;			/* bytes so far */
	uint8_t block[64];
};

enum { SHA256_TEXT = sizeof("sha256:") + 64 };	/* "sha256:<64 hex digits>" and its NUL */

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
/** sha256_done - the digest; @s is to be initialised before it is used again */
void sha256_done(struct sha256 *s, uint8_t digest[32]);
/** sha256_done_text - the same as "sha256:…" */
void sha256_done_text(struct sha256 *s, char text[SHA256_TEXT]);
/** sha256_text - of one piece of data */
void sha256_text(const void *data, size_t n, char text[SHA256_TEXT]);

#endif
