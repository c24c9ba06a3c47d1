/* SPDX-License-Identifier: Apache-2.0 */
/* The switches of a fabric: tiers and their links, checked among themselves and against the classes. */
#ifndef POLICY_TIERS_H
#define POLICY_TIERS_H

#include "fabric/fabric.h"
#include "policy/decode.h"

enum { TIERS_MAX = 16, LINKS_MAX = 64, TIER_PORTS_MAX = 4096 };
/* of all fabrics of a policy: a short text must not stand for gigabytes */
enum { ALL_LINKS_MAX = 4096, ALL_PORTS_MAX = 1 << 18 };

/**
 * tiers_decode - the map `tiers` of @f; errors are told, what is right is decoded all the same
 * @whole: all classes of @f are there; else a name that it lacks may be one that was refused, and is not told
 */
void tiers_decode(struct decoder *x, const struct yaml *map, struct fabric *f, bool whole);

#endif
