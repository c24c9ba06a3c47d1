/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of what a policy asks of one node. */
#ifndef POLICY_DIGEST_H
#define POLICY_DIGEST_H

#include "policy/parts.h"

/**
 * digest_of - SHA-256 over a canonical text of what @l asks of @node, as "sha256:…"
 * Of the policy alone: the same on a machine whose ports are not all there yet, so that a boot unit can compare it.
 */
void digest_of(const struct policy *p, const struct layer *l, const char *node, char text[SHA256_TEXT]);

#endif
