/* SPDX-License-Identifier: Apache-2.0 */
/* Records back to YAML: what was read on one node, or on many, as one policy. */
#ifndef POLICY_EMIT_H
#define POLICY_EMIT_H

#include <stddef.h>

struct arena;
struct catalog;
struct diags;
struct facts;
struct record;
struct target;
struct text;

struct emit_record {
	const struct target *target;
	const struct record *live;
};

/* What was read on one node. */
struct emit_node {
	const char *name;
	const struct facts *facts;
	const struct emit_record *record;	/* of targets without a group, each setting once */
	size_t n;
};

/**
 * emit_policy - a policy that asks of these nodes what was read on them; everything foreign in it is made safe
 * @node: of names that differ
 * @out: the text; what was not read stands in comments
 * @d: nodes and ports that differ from the most are told as notes
 * Return: 0; -EINVAL, told, if a node has no name that a policy can have.
 */
int emit_policy(struct arena *a, const struct catalog *c, const struct emit_node *node, size_t n, struct text *out,
		struct diags *d);

#endif
