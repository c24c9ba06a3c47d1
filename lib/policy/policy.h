/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy: YAML to desired state. Names no setting: walks the fields of the catalog. Strict: unknown and duplicate
 * keys, wrong types, out of range are errors with position; all errors of a policy are reported in one run.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "model/group.h"

struct arena;
struct cache;
struct catalog;
struct cell;
struct desired;
struct facts;
struct fabric;
struct policy;
struct record;
struct setting;
struct source;

#define POLICY_FILE_MAX (32u << 20)

/**
 * policy_load - read and check @path, every profile and node entry of it
 * @path: a file and what it includes, a directory whose *.yaml are read in the order of their names, "-": standard input
 * Return: 0; -EINVAL with errors in @d (unreadable, empty, malformed, wrong: exit status 65). *p is set all the same if
 *	policy_each() can judge what is right in it, else NULL.
 */
int policy_load(struct arena *a, const char *path, const struct catalog *c, struct policy **p, struct diags *d);
/** policy_load_for - the same, or what it asks of one node by its compiled form (cache.h), which says the same of it */
int policy_load_for(struct arena *a, const char *path, const struct catalog *c, struct cache *cache, struct policy **p,
		    struct diags *d);
/** policy_allows_later - may its comments allow findings (RULE_MARK), and its text was left out by a compiled form */
bool policy_allows_later(const struct policy *p);
/** policy_texts - reads the text of sources that a compiled form left out, for messages */
void policy_texts(struct policy *p);
/** policy_parse - the same from memory, for tests and fuzzing; @name is told in positions, and nothing is included */
int policy_parse(struct arena *a, const char *name, const char *text, size_t n, const struct catalog *c,
		 struct policy **p, struct diags *d);

/**
 * policy_compile - what it asks of one node: matches ports into groups, derives from classes
 * @node: --node or the host's name; short and full names match. A name that no entry matches: -EINVAL.
 * Return: 0 or -EINVAL, told in @d.
 */
int policy_compile(struct policy *p, const char *node, const struct facts *f, const struct catalog *c,
		   struct desired **out, struct diags *d);

/** policy_desired_digest - fills @des->digest; apart from compiling, since a check that is printed as text needs none */
void policy_desired_digest(const struct policy *p, struct desired *des);

/*
 * For lint, which has no machine: visits the desired state of each distinct set of entries (groups with one
 * imaginary port that matches), derive() included, so that errors of values show without a node.
 */
int policy_each(struct policy *p, const char *node, const struct catalog *c, policy_visit visit, void *arg,
		struct diags *d);

/* A place that says something of a value. */
struct policy_saying {
	struct pos pos;
	const char *value;		/* as it counts there: "9000", "fabric", "null" */
	const char *who;		/* "profile gpu, of nodes gpu[0001-1024]", "cohort canary" */
	const char *why;		/* why it is beaten; NULL: it counts */
	bool except;			/* it beats the others, for the ports that match it */
};

/* Where a value of one node comes from. */
struct policy_origin {
	const char *group;		/* "" of the node's own */
	const char *name;		/* "qos.pfc" */
	const struct cell *cell;	/* what it comes to, by the classes too; silent: unmanaged */
	const struct policy_saying *said;	/* what counts, then what it beat, the nearest first, then exceptions */
	size_t n;
};
typedef void (*policy_origin_visit)(const struct policy_origin *o, void *arg);

/**
 * policy_origins - visits all values that @key selects ("qos", "qos.pfc") and that the policy says something of
 * @group: of this group alone, or NULL: of all and of the node
 * Return: how many; -EINVAL if the policy cannot be compiled for @node, told.
 */
int policy_origins(struct policy *p, const char *node, const char *group, const char *key, const struct catalog *c,
		   policy_origin_visit visit, void *arg, struct diags *d);

/** policy_identity - fills @des->policy_file, revision and policy_digest, for a report that is of no node */
void policy_identity(const struct policy *p, struct desired *des);
/** policy_fabric_at - the @i-th fabric of those without an error, policy_source - the @i-th file that was read; NULL behind the last */
const struct fabric *policy_fabric_at(const struct policy *p, size_t i);
const struct source *policy_source(const struct policy *p, size_t i);

/** policy_sees_gpus - does any group number its ports by GPU, so that facts must have them (inventory_gpus) */
bool policy_sees_gpus(const struct policy *p);
/**
 * policy_trusted - every file of it, and all directories and links on the way to it, owned by root and writable by nobody
 *	else; standard input is trusted
 * Return: 0; -EPERM or another -errno, told in @d.
 */
int policy_trusted(const struct policy *p, struct diags *d);

#endif
