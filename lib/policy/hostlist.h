/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of nodes in a policy: an exact name, a host list ("gpu[0001-1024,2000-2100/2]x[1-2],login1") or a glob with `*`
 * and `?`. Lists are never expanded: a name is matched against the text itself, whatever its ranges hold.
 */
#ifndef POLICY_HOSTLIST_H
#define POLICY_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HOSTLIST_MAX = 4096,		/* bytes of one key of nodes */
	HOSTLIST_NAME_MAX = 253,	/* of a host name (RFC 1035) */
	HOSTLIST_BRACKETS_MAX = 4,	/* in one name of a list: bounds the work of a match */
	HOSTLIST_DIGITS_MAX = 9,	/* of one number in brackets */
	HOSTLIST_LITERAL_MAX = 14,	/* digits in a row beside a bracket */
};

/* In order of precedence: each beats those before it. */
enum hostlist_rank { RANK_GLOB, RANK_LIST, RANK_EXACT };

/* A key of nodes; the text belongs to the caller and is not terminated. */
struct hostlist {
	const char *s;
	uint32_t n;
	enum hostlist_rank rank;
};

struct hostlist hostlist_of(const char *s, size_t n);

/**
 * hostlist_check - is this a name, a host list or a glob
 * @at: set to the byte that is wrong
 * Return: NULL, or what is wrong, a static text that follows the name in a sentence.
 */
const char *hostlist_check(struct hostlist h, size_t *at);

/**
 * hostlist_match - does @name belong to it; it must have passed hostlist_check
 * Short and full names match both ways: node "gpu01" is "gpu01.example.com" of an exact name or a list, and the
 * reverse. A glob must match the name as it is given, or its short form.
 */
bool hostlist_match(struct hostlist h, const char *name);

/**
 * hostlist_examples - calls back with names at the edges of its ranges and just beyond, at most @max of them
 * Return: were these all; of several brackets one moves at a time, and the others keep their first number.
 */
bool hostlist_examples(struct hostlist h, size_t max, void (*found)(const char *name, void *arg), void *arg);

/**
 * hostlist_overlap - is there a name that belongs to both, of an item (a name without commas) each
 * @name: set to one; a short one, which belongs to both, if only one of the two has a domain
 * @work: counted down by one for each comparison of two ranges; nothing is found once it is 0
 */
bool hostlist_overlap(struct hostlist x, struct hostlist y, char name[HOSTLIST_NAME_MAX + 1], size_t *work);
/** hostlist_item - the item of a list that begins at byte *at; *at goes behind its comma. Return: false behind the last */
bool hostlist_item(struct hostlist h, size_t *at, struct hostlist *item);

/**
 * hostlist_each - calls back with every name of a list or exact name that passed hostlist_check; none for a glob
 * Return: false if there were more than @max, which are all that were called.
 */
bool hostlist_each(struct hostlist h, size_t max, void (*found)(const char *name, void *arg), void *arg);

#endif
