/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form as bytes, of one machine and one version of rdmactl: a struct cache_head; the section that every
 * check reads (sources, the tree but for profiles and nodes, where each profile is, globs); pages of an index from keys
 * of names (names.h) to entries; blocks, each a profile or an entry. Numbers of the section and of blocks have 7 bits a
 * byte, the least first. Private to cache.c and cache_make.c.
 */
#ifndef POLICY_CACHE_FORM_H
#define POLICY_CACHE_FORM_H

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE_MAGIC_BYTES { 'r', 'd', 'm', 'a', 'P', 'O', 'L', '1' }

enum {
	CACHE_FORMAT = 2,
	CACHE_PAGE = 4096,
	CACHE_SECTION_MAX = 4 << 20,
	CACHE_BLOCK_MAX = 1 << 20,
	CACHE_DEPTH_MAX = 64,		/* of a tree, aliases resolved */
};

struct cache_head {
	char magic[8];
	uint32_t format, section;	/* bytes of the section */
	uint32_t pages, scales;
	uint64_t seed;
	uint64_t sum;			/* of this, without the sum, and the section */
};

struct cache_slot {			/* one key of one entry */
	uint64_t key;
	uint32_t at, n;			/* its block */
};

enum { CACHE_SLOTS = (CACHE_PAGE - 2 * sizeof(uint64_t)) / sizeof(struct cache_slot) };

struct cache_page {			/* of the keys that have its number as their rest, divided by the number of pages */
	uint64_t sum;			/* of what follows, with the page's number */
	uint64_t n;
	struct cache_slot slot[CACHE_SLOTS];
};

struct cache_block {			/* before the bytes of a block */
	uint64_t sum;			/* of them, with the block's place */
};

enum { CACHE_STAT = 7 };

/* What a file is known by: who changes it changes one of these. */
static inline void cache_stat(const struct stat *st, uint64_t is[CACHE_STAT])
{
	is[0] = st->st_dev;
	is[1] = st->st_ino;
	is[2] = (uint64_t)st->st_size;
	is[3] = (uint64_t)st->st_mtim.tv_sec;
	is[4] = (uint64_t)st->st_mtim.tv_nsec;
	is[5] = (uint64_t)st->st_ctim.tv_sec;
	is[6] = (uint64_t)st->st_ctim.tv_nsec;
}

/* Against bits that changed, not against people: who can write the file can write the policy. */
static inline uint64_t cache_sum(uint64_t sum, const void *data, size_t n)
{
	const char *s = data;
	uint64_t word;

	for (sum ^= n; n; s += sizeof(word), n -= sizeof(word)) {
		word = 0;
		memcpy(&word, s, n < sizeof(word) ? n : sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
		if (n < sizeof(word))
			break;
	}
	return sum;
}

static inline uint64_t cache_head_sum(struct cache_head h, const void *section)
{
	h.sum = 0;
	return cache_sum(cache_sum(1, &h, sizeof(h)), section, h.section);
}

#endif
