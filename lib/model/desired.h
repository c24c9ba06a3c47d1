/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy asks of this node: made by policy/compile, read by the engine. */
#ifndef MODEL_DESIRED_H
#define MODEL_DESIRED_H

#include "model/setting.h"

struct layer;

struct wish {
	const struct target *target;
	const struct setting *setting;
	const struct record *want;	/* at least one managed cell */
	const char *const *optional;	/* selectors whose lack is no drift; NULL at the end; may be NULL */
};

/* The policy that is installed for the boot unit, when another one is judged. */
struct installed {
	const char *why, *remedy;	/* how it differs in what it asks of this node; NULL: it asks the same */
};

struct desired {
	const char *node;		/* the name that matched */
	const char *policy_file;	/* as given */
	const char *revision;		/* "" if the policy has none */
	const char *policy_digest;	/* "sha256:…" over the text */
	const char *digest;		/* "sha256:…" of this node's desired state; NULL until policy_desired_digest() */
	const struct layer *layer;	/* what all entries of the node came to; the policy room's own */
	const struct installed *installed;	/* NULL: it is this policy itself, or nobody asked */
	size_t findings;		/* told as warnings, that a check of this node must not pass over (an expired exception, unsure rails) */
	struct wish *wish;		/* by target (node, groups, ports in order of facts), then setting */
	size_t n, room;
	bool limited;			/* --port: wishes of other ports are left out here, which is no silence */
	const char **unsure;		/* names of values that ports' numbers decide, which are not sure: left out here, which is no silence either */
	size_t nunsure;
	const struct target **target;	/* all targets, also those without a wish */
	size_t ntargets;
};

#endif
