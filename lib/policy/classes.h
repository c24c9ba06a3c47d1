/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics of a policy: MTU and classes of traffic, checked among themselves. */
#ifndef POLICY_CLASSES_H
#define POLICY_CLASSES_H

#include "fabric/fabric.h"
#include "policy/decode.h"

/**
 * classes_decode - one fabric from its map; errors are told, what is right is decoded all the same
 * @name: the key under fabrics:, or FABRIC_DEFAULT of a single fabric:
 */
void classes_decode(struct decoder *x, const char *name, const struct yaml *key, const struct yaml *map,
		    struct fabric *f);

#endif
