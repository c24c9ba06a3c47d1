/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds from the auxiliary vector (AT_RANDOM), which costs no system call; a set of hashes. */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>

#include "base/arena.h"

uint64_t hash_seed(void)
{
	uint64_t seed;

	memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));	/* 16 bytes, in every process */
	return seed;
}

static uint64_t *slot_of(uint64_t *table, size_t room, uint64_t h)
{
	size_t i = hash_slot(h, room);

	while (table[i] && table[i] != h)
		i = (i + 1) & (room - 1);
	return &table[i];
}

bool hash_set_add(struct hash_set *set, struct arena *a, uint64_t h)
{
	uint64_t *slot;

	h = h ? h : 1;
	if (set->n * 2 >= set->room) {
		size_t room = set->room ? set->room * 2 : 64;
		uint64_t *table = arena_array_of(a, uint64_t, room);

		for (size_t i = 0; i < set->room; i++)
			if (set->slot[i])
				*slot_of(table, room, set->slot[i]) = set->slot[i];
		set->slot = table;
		set->room = room;
	}
	slot = slot_of(set->slot, set->room, h);
	if (*slot)
		return false;
	*slot = h;
	set->n++;
	return true;
}
