/* SPDX-License-Identifier: Apache-2.0 */
/* The `requires:` of a policy: which versions of rdmactl may read it. */
#ifndef POLICY_REQUIRES_H
#define POLICY_REQUIRES_H

#include <stdbool.h>

/**
 * requires_met - does @version ("0.1.0") satisfy @text (">=0.1 <2"), all conditions of it
 * Return: 0 with *met set; -EINVAL if @text is no such thing.
 */
int requires_met(const char *text, const char *version, bool *met);

#endif
