/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where host lists are looked for by the name of a node: under numbers that a list has, and a name asks for, so that of a
 * hundred thousand lists only those are held against a name that may be for it. An item without brackets stands under its
 * short name. One with brackets stands under what comes before the first of them, for each of its ranges, together with its
 * numbers divided by a power of two that leaves one or two of them; a name asks for each such power.
 */
#ifndef POLICY_NAMES_H
#define POLICY_NAMES_H

#include "policy/parts.h"

typedef void (*names_found)(uint64_t key, void *arg);

enum { NAMES_SCALES = 8 };		/* a bit each: powers that any list uses */

/**
 * names_of_list - calls back with each key of a list or exact name that passed hostlist_check; a glob has none
 * @scales: bits are added for what the keys use
 */
void names_of_list(struct hostlist h, uint64_t seed, uint32_t *scales, names_found found, void *arg);
/** names_of_node - calls back with each key under which a list may stand that @node belongs to */
void names_of_node(const char *node, uint64_t seed, uint32_t scales, names_found found, void *arg);

/* All entries of a policy, by key. */
struct names;

/** names_new - an index of @p's entries, in @a; entries that have errors (hosts.n 0) are in none */
struct names *names_new(struct arena *a, const struct policy *p);
/** names_patterns - how many of them are host lists or globs */
size_t names_patterns(const struct names *x);
/** names_match - as policy_find(), without looking at all entries or at cohorts by hash. Return: how many globs were looked at */
size_t names_match(const struct names *x, struct arena *a, const char *node, struct resolved *r);

#endif
