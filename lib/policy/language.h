/* SPDX-License-Identifier: Apache-2.0 */
/* Where each key of the language stands, settings included: for hints, and for people who ask what one means. */
#ifndef POLICY_LANGUAGE_H
#define POLICY_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/language.h"

struct arena;
struct catalog;
struct key;
struct schema;

/** language_keys - all that are no settings of the catalog; *n: how many */
const struct language_key *language_keys(struct arena *a, const struct catalog *c, size_t *n);
/**
 * language_elsewhere - "`mtu: …` belongs in a group of ports: ports: {NAME: {mtu: …}}", or NULL
 * @map: where the key stands and is not known, or NULL; @in_fabric: that is a fabric or below one
 */
const char *language_elsewhere(const struct schema *s, struct arena *a, const struct key *map, bool in_fabric, const char *name);

#endif
