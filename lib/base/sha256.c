/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 as FIPS 180-4 has it; names of variables are the standard's. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One round; the caller turns the names instead of moving eight words. */
#define ROUND(a, b, c, d, e, f, g, h, t) \
	do { \
		uint32_t t1 = (h) + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((g) ^ ((e) & ((f) ^ (g)))) + K[t] + w[t]; \
\
		(d) += t1; \
		(h) = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + (((a) & (b)) | ((c) & ((a) | (b)))); \
	} while (0)

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7], w[64];

	for (int t = 0; t < 16; t++)
		w[t] = big_endian(block + 4 * t);
	for (int t = 16; t < 64; t++) {
		uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
	for (int t = 0; t < 64; t += 8) {
		ROUND(a, b, c, d, e, f, g, h, t);
		ROUND(h, a, b, c, d, e, f, g, t + 1);
		ROUND(g, h, a, b, c, d, e, f, t + 2);
		ROUND(f, g, h, a, b, c, d, e, t + 3);
		ROUND(e, f, g, h, a, b, c, d, t + 4);
		ROUND(d, e, f, g, h, a, b, c, t + 5);
		ROUND(c, d, e, f, g, h, a, b, t + 6);
		ROUND(b, c, d, e, f, g, h, a, t + 7);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *s)
{
	*s = (struct sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
				     0x5be0cd19 } };
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t have = s->n % sizeof(s->block);

	s->n += n;
	if (have && have + n >= sizeof(s->block)) {
		memcpy(s->block + have, p, sizeof(s->block) - have);
		compress(s->h, s->block);
		p += sizeof(s->block) - have;
		n -= sizeof(s->block) - have;
		have = 0;
	}
	for (; n >= sizeof(s->block); n -= sizeof(s->block), p += sizeof(s->block))
		compress(s->h, p);
	if (n)
		memcpy(s->block + have, p, n);
}

void sha256_done(struct sha256 *s, uint8_t digest[32])
{
	static const uint8_t padding[64] = { 0x80 };
	uint64_t bits = s->n * 8;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, padding, 1 + (64 + 55 - s->n % 64) % 64);
	sha256_add(s, length, sizeof(length));
	for (int i = 0; i < 32; i++)
		digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_done_text(struct sha256 *s, char text[SHA256_TEXT])
{
	static const char hex[] = "0123456789abcdef";
	uint8_t digest[32];
	char *p = text + strlen("sha256:");

	sha256_done(s, digest);
	memcpy(text, "sha256:", strlen("sha256:"));
	for (int i = 0; i < 32; i++) {
		*p++ = hex[digest[i] >> 4];
		*p++ = hex[digest[i] & 15];
	}
	*p = '\0';
}

void sha256_text(const void *data, size_t n, char text[SHA256_TEXT])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, n);
	sha256_done_text(&s, text);
}
