/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two groups that say one value of one port: no group beats another. Seen on a machine port by port (compile.c), and without
 * one where whatever the one matches the other must match as well. Of two groups it is one fault, however many values. Private
 * to lib/policy.
 */
#ifndef POLICY_CLAIMS_H
#define POLICY_CLAIMS_H

#include "policy/layer.h"

struct clash {
	const char *first, *second;	/* names of the groups */
	struct pos pos, other;		/* of the first value that both say: the second group's, the first one's */
	const char *hint;
	struct {
		const char **at;
		size_t n, room;
	} names;			/* of the values, each once */
};

struct clashes {
	struct clash *at;
	size_t n, room;
};

/** clash_of - of these two groups, empty if it is new; its hint is the caller's */
struct clash *clash_of(struct clashes *all, struct arena *a, const char *first, const char *second);
/** clash_add - a value that both say, with its places in the first and the second group */
void clash_add(struct clash *c, struct arena *a, const char *name, const struct pos *first, const struct pos *second);
/** clashes_tell - an error for each */
void clashes_tell(const struct clashes *all, struct arena *a, struct diags *d);

/**
 * claims_check - groups of one node that certainly claim a port together, and say the same of it; told
 * @work: pairs of groups that may still be looked at; counted down
 * Return: 0; -EINVAL if there are any.
 */
int claims_check(const struct layer *l, struct arena *a, const char *node, size_t *work, struct diags *d);

#endif
