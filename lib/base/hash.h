/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of texts that others choose. Seeded with what the kernel gave this process, so that nobody can write beforehand
 * what collides: neither to cost hours, nor to be taken for what was seen.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/** hash_seed - what a hash begins with: another number in each process */
uint64_t hash_seed(void);

/* FNV-1a; the lower half alone depends on fewer bits of the seed, so that a table folds both. */
static inline uint64_t hash_add(uint64_t h, const void *s, size_t n)
{
	const uint8_t *u = s;

	for (size_t i = 0; i < n; i++)
		h = (h ^ u[i]) * 1099511628211u;
	return h;
}

static inline uint64_t hash_number(uint64_t h, uint64_t v)
{
	return hash_add(h, &v, sizeof(v));
}

/** hash_slot - where to begin in a table of @room slots, a power of two */
static inline size_t hash_slot(uint64_t h, size_t room)
{
	return (size_t)(h ^ h >> 32) & (room - 1);
}

/* What was seen, by its hash alone. { 0 } is empty. */
struct hash_set {
	uint64_t *slot;			/* 0: free */
	size_t n, room;
};

/** hash_set_add - is it new; memory is @a's */
bool hash_set_add(struct hash_set *set, struct arena *a, uint64_t h);

#endif
