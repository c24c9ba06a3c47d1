/* SPDX-License-Identifier: Apache-2.0 */
/* Host lists of a policy that have names in common. */
#ifndef POLICY_PAIRS_H
#define POLICY_PAIRS_H

#include "policy/parts.h"

typedef void (*pairs_found)(const char *name, void *arg);

/**
 * pairs_each - calls back with a name for each two host lists or globs, of entries and cohorts, that have one in common
 * Return: were all of them held against each other; there may be too many.
 */
bool pairs_each(const struct policy *p, pairs_found found, void *arg);

/* The entries of a policy, sorted. */
struct pairs;
/** pairs_new - in @a, which must outlive it */
struct pairs *pairs_new(struct arena *a, const struct policy *p);
/** pairs_any - may any entry be for a node of @hosts; yes, once more was asked than is looked up */
bool pairs_any(struct pairs *x, struct hostlist hosts);
/** pairs_meet - have two host lists, names or globs a name in common; counted down in @work, and no once it is 0 */
bool pairs_meet(struct hostlist x, struct hostlist y, size_t *work);

#endif
