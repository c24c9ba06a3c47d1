/* SPDX-License-Identifier: Apache-2.0 */
/* Host lists of a policy that have names in common. */
#ifndef POLICY_PAIRS_H
#define POLICY_PAIRS_H

#include "policy/parts.h"

/**
 * pairs_each - calls back with a name for each two host lists, of entries and cohorts, that have one in common
 * Return: were all of them held against each other; there may be too many.
 */
bool pairs_each(const struct policy *p, void (*found)(const char *name, void *arg), void *arg);

/** pairs_any - may any entry be for a node of @hosts; globs are not told apart and may be for all */
bool pairs_any(const struct policy *p, struct hostlist hosts);

#endif
