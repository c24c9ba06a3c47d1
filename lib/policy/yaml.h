/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML text as a light tree with positions, built from libyaml's events. It knows no types: a scalar is its text,
 * and what it means is its key's business. Hostile input is bounded: bytes, depth, nodes, and what aliases stand for.
 */
#ifndef POLICY_YAML_H
#define POLICY_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct arena;

enum {
	YAML_DEPTH_MAX = 32,
	YAML_NODES_MAX = 8 << 20,	/* in the text; 32 bytes each */
	YAML_ANCHORS_MAX = 1 << 16,
	YAML_EXPANDED_MAX = 4 << 20,	/* nodes that all aliases and merge keys together may stand for */
};

enum yaml_shape { SHAPE_SCALAR, SHAPE_LIST, SHAPE_MAP };

/*
 * A node. Children lie behind each other, those of a map as key, value, key, value …; aliases and merge keys are
 * resolved: an alias has the children of its anchor, and the position where they are written; it knows where it stands
 * itself (use_line), its children, which all its aliases share, do not.
 */
struct yaml {
	union {
		const char *text;	/* scalar; not terminated, of @n bytes; mostly in the source itself */
		const struct yaml *at;
	};
	uint32_t n;			/* bytes; children of a list; pairs of a map */
	uint32_t line, col;		/* from 1, in characters */
	uint32_t use_line, use_col;	/* of the alias that this is or that a merge key took it from; 0: none */
	uint16_t len;			/* characters to underline */
	uint8_t shape;			/* enum yaml_shape */
	uint8_t quoted : 1,		/* scalar in quotes, or a block scalar */
		flow : 1;		/* stands inside { } or [ ] */
};

/**
 * yaml_parse - the one document of @source, its root in *root
 * Everything wrong with the text as YAML is told: no UTF-8, syntax, a second document, duplicate keys, tags, bounds.
 * Return: 0 if there is a tree, also if duplicate keys (of which the first stays) and the like were told; -EINVAL.
 */
int yaml_parse(struct arena *a, const struct source *source, struct yaml *root, struct diags *d);

static inline const struct yaml *yaml_key(const struct yaml *map, size_t i)
{
	return &map->at[2 * i];
}

static inline const struct yaml *yaml_value(const struct yaml *map, size_t i)
{
	return &map->at[2 * i + 1];
}

struct pos yaml_pos(const struct source *source, const struct yaml *y);
/** yaml_is - is this scalar the word @s, in quotes or not */
bool yaml_is(const struct yaml *y, const char *s);
/** yaml_same - two scalars of the same text, in quotes or not */
bool yaml_same(const struct yaml *x, const struct yaml *y);
/** yaml_null - null or ~, written out */
bool yaml_null(const struct yaml *y);
/** yaml_empty - nothing at all stands where a value is due */
bool yaml_empty(const struct yaml *y);
/** yaml_get - value of a map's key, or NULL; of what is no map NULL, too */
const struct yaml *yaml_get(const struct yaml *map, const char *key);
/** yaml_dup - a scalar's text, terminated; yaml_shown - the same made safe and short, for messages */
char *yaml_dup(struct arena *a, const struct yaml *y);
const char *yaml_shown(struct arena *a, const struct yaml *y);
/** yaml_what - "a map", "a list", "nothing", "null" or "\"9000\"", for messages */
const char *yaml_what(struct arena *a, const struct yaml *y);

#endif
