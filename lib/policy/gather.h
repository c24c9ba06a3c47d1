/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of nodes put into groups, with what most of them have and which differ. Private to lib/policy (emit.c). */
#ifndef POLICY_GATHER_H
#define POLICY_GATHER_H

#include "model/catalog.h"
#include "policy/decode.h"
#include "policy/emit.h"
#include "policy/schema.h"

/* A field of the catalog that is no pattern for names. */
struct gather_key {
	const struct setting *setting;
	const struct field *field;
	unsigned index;			/* in its setting */
};

/* A port or a node, and its cell for each key. */
struct gather_object {
	const struct emit_node *node;
	const struct port *port;	/* NULL: the node */
	size_t number;			/* in the order in which they were read */
	const struct cell **cell;	/* NULL: not asked */
	const char **yaml;		/* the value as a policy writes it; NULL: there is none */
};

struct gather_group {
	const char *name;
	struct gather_object **at;	/* by node, then port; the first one's values are those of the most */
	size_t n, room;
	const struct gather_object *usual;	/* what the policy asks of all of them */
	unsigned match;			/* bit GROUP_*: criteria that select them */
	size_t *on;			/* how many there are on each node, by its number */
	size_t count;			/* ports on most nodes that have it */
};

struct gather {
	struct arena *a;
	const struct emit_node *node;
	size_t nnodes;
	const struct gather_key *key;	/* in the catalog's order */
	size_t nkeys;
	struct gather_object *nodes;
	bool *in;			/* by number of a port: is it of the group in hand */
	struct gather_group *group;
	size_t ngroups, rgroups;
};

/** gather_ports - all of it, from what was read */
void gather_ports(struct gather *g, struct arena *a, const struct catalog *c, const struct emit_node *node, size_t n);
/** gather_differs - does @o have another value than @usual */
bool gather_differs(const struct gather_object *usual, const struct gather_object *o, size_t key);
/** gather_criterion - what `match` says of a port for this GROUP_*; "" if it has none */
const char *gather_criterion(struct arena *a, const struct port *p, unsigned criterion);
/** gather_record - what was read of one setting of it, or NULL */
const struct record *gather_record(struct gather *g, const struct gather_object *o, const struct setting *s);

/** gather_yaml - a value as a policy writes it, or NULL if the language has no word for it (spell.c) */
const char *gather_yaml(struct arena *a, const struct field *f, const struct value *v);
/** gather_quoted - a text as YAML, in quotes where it needs them */
const char *gather_quoted(struct arena *a, const char *s);

#endif
