/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded policy is made of. Private to lib/policy. */
#ifndef POLICY_PARTS_H
#define POLICY_PARTS_H

#include <sys/stat.h>

#include "base/sha256.h"
#include "fabric/fabric.h"
#include "policy/decode.h"
#include "policy/hostlist.h"
#include "policy/layer.h"
#include "policy/policy.h"

struct catalog;

/* A file that was read. */
struct policy_file {
	const char *path;		/* as it was opened; "-" */
	const struct source *source;	/* without a byte order mark */
	const struct yaml *root;	/* NULL: no map that could be read */
	struct stat st;			/* when it was opened; of mode 0: no file */
	bool speaks;			/* of a compiled form: its comments hold RULE_MARK */
};

struct profile {
	const char *name;
	struct pos pos;
	const struct source *source;
	size_t number;			/* in the order in which they were read */
	bool bad;			/* extends what is not there: nothing is judged that uses it */
	const struct yaml *extends;	/* list of names, or NULL */
	struct items items;
	enum { PROFILE_NEW, PROFILE_OPEN, PROFILE_DONE } walk;
	const struct profile **chain;	/* what it extends, each once, itself last */
	size_t nchain;
};

/* A key of nodes. Its `set` is checked when the policy is loaded, and decoded again only for nodes that it matches. */
struct entry {
	const struct yaml *key, *body;
	const struct source *source;
	struct hostlist hosts;
	bool bad;			/* uses a profile that is not there */
};

/* A part of the nodes that takes new values first. */
struct cohort {
	const char *name;
	struct pos pos;
	const struct source *source;
	enum { COHORT_NODES, COHORT_LABELS, COHORT_HASH } by;
	struct hostlist nodes;
	const struct yaml *labels;
	unsigned hundredths;		/* of a percent */
	const struct yaml *set;
};

struct policy {
	struct arena *a;
	const char *name;		/* as given: a file, a directory, "<stdin>" */
	const struct source *source;	/* the first file */
	struct {
		struct policy_file **at;
		size_t n, room;
	} files;			/* in the order in which they were read */
	struct policy_file *directory;	/* NULL: it was given as a file */
	const struct schema *schema;
	const struct catalog *catalog;
	char digest[SHA256_TEXT];
	const char *revision;
	bool bad;			/* errors were told while it was loaded */
	bool gpus;			/* some group numbers its ports by GPU */
	bool partial;			/* of a compiled form: what one node needs, and sources without their text */
	struct fabric *fabric;
	bool *bad_fabric;		/* errors were told of it: nothing is derived from it */
	size_t nfabrics, rfabrics;
	struct profile *profile;	/* by name */
	size_t nprofiles;
	struct entry *entry;		/* in order of the files */
	size_t nentries;
	struct cohort *cohort;		/* likewise */
	size_t ncohorts;
};

const struct profile *policy_profile(const struct policy *p, const char *name, size_t n);
const struct fabric *policy_fabric(const struct policy *p, const char *name);

/* Who says a value: an entry, itself or by a profile, a cohort, or an exception. */
struct origin {
	const struct entry *entry;
	const struct profile *profile;
	const struct cohort *cohort;
	const struct exception *except;
};

/* What the policy asks of one node, before ports are looked at. */
struct resolved {
	const char *node;
	struct layer layer;
	const struct entry **entry;	/* that match, by rank */
	size_t nentries;
	const struct cohort **cohort;	/* that it belongs to */
	size_t ncohorts;
	struct trace *trace;		/* for explain: who says what; else NULL */
};

/** policy_find - entries that @node matches, by rank, into @r. Return: 0; -EINVAL: none, told with the nearest name */
int policy_find(const struct policy *p, struct arena *a, const char *node, struct resolved *r, struct diags *d);
/** resolved_sort - entries by rank, and by place in the file within one */
void resolved_sort(struct resolved *r);
/** resolved_label - what the entries of a node say of a label, the last word of the highest rank; or NULL */
const struct yaml *resolved_label(const struct resolved *r, const struct yaml *label);
/** cohorts_of - the cohorts of r->node, once r->entry is known; those by hash only if @hashed, since hashes take their time */
void cohorts_of(const struct policy *p, struct arena *a, struct resolved *r, bool hashed);
/** policy_resolve - the layer of r->entry and r->cohort. Return: 0 or -EINVAL, told */
int policy_resolve(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d);

#endif
