/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form of a policy: its tree, cut into pieces, and an index of them, so that a check of one node reads the
 * pieces that it needs and nothing else. What is put together from them is a small policy that goes the way of every
 * other; so reports and messages are the same. It holds while no source file has changed, and is not believed beyond
 * that: each piece has a checksum, and all that is read is bounded.
 */
#ifndef POLICY_CACHE_H
#define POLICY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct catalog;
struct policy;
struct schema;
struct text;

enum { CACHE_BEGIN = 8 };		/* bytes, see cache_begins() */

/* Where a compiled form may be, and who asks. */
struct cache {
	/* as kernel_read_at(): bytes read, 0 at the end, or -errno */
	int (*read_at)(void *arg, uint32_t offset, void *to, size_t n);
	const char *(*node)(void *arg);	/* asked once the form is known to hold; NULL: read the text */
	void *arg;
	const char *why;		/* set if there is one and it is not used, else NULL */
};

/** cache_pays - is the policy so long that its compiled form is worth a file */
bool cache_pays(const struct policy *p);
/**
 * cache_make - the compiled form of a policy that was loaded without a word told
 * Return: 0; -errno if it has none, and the text serves as well. -ESTALE: standard input, or a file that changed since or
 *	just now; -E2BIG: a profile, an entry or all of it is too large, or too many lists meet in one place; -EINVAL: @p has
 *	errors, or comes from a compiled form itself; -EIO: the kernel has no random number
 */
int cache_make(const struct policy *p, struct text *out);
/** cache_load - what the policy @path asks of one node, from its compiled form. Return: NULL: read the text */
struct policy *cache_load(struct cache *c, struct arena *a, const char *path, const struct catalog *catalog,
			  const struct schema *schema);
/** cache_holds - is there one of @path that would be used */
bool cache_holds(struct cache *c, struct arena *a, const char *path);

/** cache_begins - do @n bytes begin as a compiled form does, of whatever version; CACHE_BEGIN are enough */
bool cache_begins(const char *s, size_t n);

#endif
