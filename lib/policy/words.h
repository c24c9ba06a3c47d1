/* SPDX-License-Identifier: Apache-2.0 */
/* Names that stand in a policy, for the completion of command lines. Hostile until the caller has checked them. */
#ifndef POLICY_WORDS_H
#define POLICY_WORDS_H

#include <stddef.h>

struct arena;
struct policy;

typedef void (*policy_words_visit)(const char *name, void *arg);

/** policy_words_nodes - names of nodes; lists are expanded, at most @max of each entry, and globs left out */
void policy_words_nodes(const struct policy *p, size_t max, policy_words_visit found, void *arg);
/** policy_words_groups - names of groups of ports, in all profiles, entries and cohorts; the same may come again */
void policy_words_groups(const struct policy *p, struct arena *a, policy_words_visit found, void *arg);

#endif
