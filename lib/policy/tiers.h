/* SPDX-License-Identifier: Apache-2.0 */
/* The switches of a fabric: tiers and their links, checked among themselves and against the classes. */
#ifndef POLICY_TIERS_H
#define POLICY_TIERS_H

#include "fabric/fabric.h"
#include "policy/decode.h"

enum { TIERS_MAX = 16, LINKS_MAX = 64, TIER_PORTS_MAX = 4096 };

/** tiers_decode - the map `tiers` of @f, whose classes are there; errors are told, what is right is decoded all the same */
void tiers_decode(struct decoder *x, const struct yaml *map, struct fabric *f);

#endif
