/* SPDX-License-Identifier: Apache-2.0 */
/* From a resolved layer to records of wishes: of the node, and of a group for one kind of port. */
#ifndef POLICY_RECORDS_H
#define POLICY_RECORDS_H

#include "model/catalog.h"
#include "policy/parts.h"

/* What is asked of the node, or of a group, before its classes are looked at. */
struct asked {
	const struct part_of_layer *part;
	const struct fabric *fabric;
	const char *const *optional;	/* selectors, or NULL */
	struct record **record;		/* one for each setting of the catalog, in its order */
	size_t n;
};

/** records_of - the node's (no name) or a group's; errors of the group itself are told: no match, an unknown fabric */
int records_of(const struct policy *p, struct arena *a, const struct layer *l, const struct part_of_layer *part,
	       const struct catalog *c, struct asked *out, struct diags *d);
/**
 * records_derive - the same, completed from the classes for the port of @target
 * Return: as many records in @out as asked->n; NULL if an error was told.
 */
struct record **records_derive(const struct asked *asked, struct arena *a, const struct target *target,
			       struct diags *d);

#endif
