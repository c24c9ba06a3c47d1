/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a policy: what files.c, policy.c, nodes.c and cohorts.c share while they check it. Private to lib/policy. */
#ifndef POLICY_LOAD_H
#define POLICY_LOAD_H

#include "policy/cache.h"
#include "policy/parts.h"

enum { POLICY_TEXT_MAX = 128, POLICY_FILES_MAX = 256, POLICY_INCLUDE_DEPTH_MAX = 16, CACHE_PAYS = 32 << 10,
       POLICY_LABELS_MAX = 64 };

struct loader {
	struct policy *p;
	struct diags *d;
	struct decoder x;		/* its source is that of the file in hand */
	struct sha256 sha;		/* of all texts so far */
	size_t bytes;
	struct pos revision, cluster;	/* where they were said */
	bool from_memory;		/* no other file is read */
	bool nodes;			/* some file has the key */
	unsigned lost;			/* bit TOP_*: not there, but another key is spelled like it, or a file that has it was not read */
	struct cache *cache;		/* NULL: only the text */
	struct policy *compiled;	/* what it gave: nothing else is read */
	size_t compared;		/* names that were tried for a "did you mean" */
	bool stop;			/* a file is for another rdmactl, or there are too many: nothing else is told */
};

/* files.c */
/** files_read - @path and what it includes, or the *.yaml of a directory, into the policy; errors are told */
void files_read(struct loader *l, const char *path);
/** files_texts - the text of sources that a compiled form left out, for messages */
void files_texts(struct policy *p);
/** files_take - a text in memory as the only file */
void files_take(struct loader *l, const struct source *text);

/* policy.c */
struct loader *loader_new(struct arena *a, const char *name, const struct catalog *c, const struct schema *schema, struct diags *d);
/** load_top - all keys of the files' maps, once those are there */
void load_top(struct loader *l);
/** load_check_words - tells keys of @map that are none of @words */
void load_check_words(struct loader *l, const struct yaml *map, const struct word *words);
/** load_check_profiles - is this a list of profiles that exist. Return: it is */
bool load_check_profiles(struct loader *l, const struct yaml *list, const char *what, const struct yaml *key);
/** load_check_labels - is this a map of labels to values. Return: it is */
bool load_check_labels(struct loader *l, const struct yaml *key, const struct yaml *map);
/** load_check_set - a `set:` of node: and ports:, decoded and forgotten again */
void load_check_set(struct loader *l, const struct yaml *key, const struct yaml *set);
struct pos load_pos(const struct loader *l, const struct yaml *y);

/* nodes.c */
void load_nodes(struct loader *l, const struct yaml *key, const struct yaml *map);
void nodes_finish(struct loader *l);

/* cohorts.c */
void load_cohorts(struct loader *l, const struct yaml *key, const struct yaml *map);

#endif
