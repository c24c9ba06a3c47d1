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
	bool *bad;			/* by setting: some value of it had an error, and nothing is derived */
	size_t n;
	bool patterns;			/* some value differs from port to port */
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

/**
 * records_except - what the ports of a group are asked for to which these of its exceptions apply
 * @mask: bit n: exception n of the group's list
 * Return: 0, or -EINVAL if two of them disagree, told.
 */
int records_except(const struct policy *p, struct arena *a, const struct layer *l, const struct part_of_layer *part,
		   uint64_t mask, const struct catalog *c, struct asked *out, struct diags *d);
/** records_says_nothing - an item of a map whose keys all went back to unmanaged: no map, while {} is one without entries */
bool records_says_nothing(const struct item *i);
/** records_value - the value of an item that holds one, its map in one piece */
struct value records_value(const struct item *i, struct arena *a);
/** records_imagine - a port that a group would claim, and its target, for what is judged without a machine */
void records_imagine(const struct part_of_layer *part, const struct catalog *c, struct port *port, struct target *target);
/** records_fabric - the one that a group names, else the one named default; NULL: there is none, or the group says null */
const struct fabric *records_fabric(const struct policy *p, const struct part_of_layer *part);
/** records_count - how many ports the group is to match; 0: it does not say */
int64_t records_count(const struct asked *out);
/** records_exceptions - the exceptions of a group, or NULL */
const struct exceptions *records_exceptions(const struct part_of_layer *part);

#endif
