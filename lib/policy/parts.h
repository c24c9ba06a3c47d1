/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded policy is made of. Private to lib/policy. */
#ifndef POLICY_PARTS_H
#define POLICY_PARTS_H

#include "base/sha256.h"
#include "fabric/fabric.h"
#include "policy/decode.h"
#include "policy/hostlist.h"
#include "policy/layer.h"
#include "policy/policy.h"

struct profile {
	const char *name;
	struct pos pos;
	const struct yaml *extends;	/* list of names, or NULL */
	struct items items;
	enum { PROFILE_NEW, PROFILE_OPEN, PROFILE_DONE } walk;
	const struct profile **chain;	/* what it extends, each once, itself last */
	size_t nchain;
};

/* A key of nodes. Its `set` is checked when the policy is loaded, and decoded again only for nodes that it matches. */
struct entry {
	const struct yaml *key, *body;
	struct hostlist hosts;
};

struct policy {
	struct arena *a;
	const struct source *source;
	const struct schema *schema;
	char digest[SHA256_TEXT];
	const char *revision;
	struct fabric *fabric;
	size_t nfabrics;
	struct profile *profile;	/* by name */
	size_t nprofiles;
	struct entry *entry;		/* in order of the file */
	size_t nentries;
};

const struct profile *policy_profile(const struct policy *p, const char *name, size_t n);
const struct fabric *policy_fabric(const struct policy *p, const char *name);

/* What the policy asks of one node, before ports are looked at. */
struct resolved {
	const char *node;
	struct layer layer;
	const struct entry **entry;	/* that match, by rank */
	size_t nentries;
};

/** policy_matches - entries that @node matches, by rank, into @r; their number may be 0 */
void policy_matches(const struct policy *p, struct arena *a, const char *node, struct resolved *r);
/** policy_find - the same; -EINVAL if there are none, told with the nearest name */
int policy_find(const struct policy *p, struct arena *a, const char *node, struct resolved *r, struct diags *d);
/** resolved_sort - entries by rank, and by place in the file within one */
void resolved_sort(struct resolved *r);
/** policy_resolve - the layer of r->entry. Return: 0 or -EINVAL, told */
int policy_resolve(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d);

#endif
