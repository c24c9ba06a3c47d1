/* SPDX-License-Identifier: Apache-2.0 */
/* Names of nodes folded into host lists, the way back of hostlist.h. */
#ifndef POLICY_FOLD_H
#define POLICY_FOLD_H

#include <stddef.h>

struct arena;

/**
 * fold_hosts - @n names as host lists of at most HOSTLIST_MAX bytes, such as "gpu[0001-0008]"
 * @name: exact names that pass hostlist_check()
 * Return: lists in the arena, NULL at the end; together they are just these names.
 */
const char *const *fold_hosts(struct arena *a, const char *const *name, size_t n);

#endif
