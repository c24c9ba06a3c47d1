/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of the language as a tree. Names of fields are cut at their dots ("qos.ets" stands in the map qos), so that
 * a setting adds its keys by being in the catalog. Maps of the language itself (match, a class, a fabric) are tables
 * of fields as well, with a setting of their own that has no home.
 */
#ifndef POLICY_SCHEMA_H
#define POLICY_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "model/setting.h"

struct arena;
struct catalog;

struct key {
	const char *name;		/* one word, or "*" for any */
	const char *path;		/* "qos.ets"; of a map "qos"; "" of a root */
	const struct field *field;	/* NULL: a map of further keys */
	const struct setting *setting;	/* whose field */
	unsigned index;			/* number of the field in its setting */
	unsigned leaf;			/* number among all fields of the schema */
	bool starred;			/* the field's name has a `*` */
	struct key **child;
	size_t n, room;
};

struct schema {
	struct key *node, *group;	/* what may stand in `node:`, and in a group of `ports:` */
	struct key *class, *fabric;
	const struct key **leaf;
	size_t nleaves, room;
};

/* Of a fabric's switches: tables of fabric/fabric.h. No leaves of the schema: no layer has them. */
struct tier_keys {
	struct key *tier, *link;
};

/* Fields of a group that are the language's own, and no setting. */
enum {
	GROUP_DRIVER,
	GROUP_IFNAME,
	GROUP_IBDEV,
	GROUP_PCI,
	GROUP_ID,
	GROUP_BOARD,
	GROUP_LINK,
	GROUP_NUMA,
	GROUP_FUNCTION,
	GROUP_SPEED,
	GROUP_RAIL,
	GROUP_FABRIC,
	GROUP_OPTIONAL,
	GROUP_RAILS,
	GROUP_EXCEPT,
	GROUP_FIELDS,
	GROUP_MATCHES = GROUP_FABRIC,
};
enum { RAILS_BY_PCI, RAILS_BY_GPU, RAILS_BY_IFNAME };
extern const struct setting schema_group;

enum { CLASS_PRIORITY, CLASS_DSCP, CLASS_LOSSLESS, CLASS_STRICT, CLASS_BANDWIDTH, CLASS_TC };
enum { FABRIC_MTU };

/*
 * Maps of the language that are no tables of fields: their keys, for the parser, its hints and the JSON Schema. Those of a
 * fabric and a tier stand beside fields.
 */
struct word {
	const char *key, *doc;
};
enum { TOP_VERSION, TOP_REQUIRES, TOP_INCLUDE, TOP_REVISION, TOP_CLUSTER, TOP_FABRIC, TOP_FABRICS, TOP_PROFILES, TOP_NODES,
       TOP_COHORTS, TOP_WORDS };
enum { PART_NODE, PART_PORTS, PART_WORDS };		/* of a set; the first words of a profile */
enum { PROFILE_EXTENDS = PART_WORDS, PROFILE_WORDS };
enum { ENTRY_PROFILES, ENTRY_LABELS, ENTRY_SET, ENTRY_WORDS };
enum { COHORT_BY_NODES, COHORT_BY_LABELS, COHORT_BY_HASH, COHORT_WAYS, COHORT_SET = COHORT_WAYS, COHORT_WORDS };
enum { EXCEPT_NODES, EXCEPT_MATCH, EXCEPT_SET, EXCEPT_BECAUSE, EXCEPT_UNTIL, EXCEPT_WORDS };
enum { CLASSES_CNP, CLASSES_DEFAULT };			/* names of classes that have a meaning */
enum { FABRIC_CLASSES, FABRIC_TIERS, FABRIC_WORDS };
enum { TIER_LINKS, TIER_WORDS };
/* each with a key NULL at the end */
extern const struct word schema_top[], schema_part[], schema_profile[], schema_entry[], schema_cohort[], schema_exception[],
	schema_classes[], schema_fabric[], schema_tier[];

/** schema_new - from the catalog's fields and the language's own */
struct schema *schema_new(struct arena *a, const struct catalog *c);
/**
 * schema_tiers - the keys of tiers and links, apart since few policies have any
 * A tier speaks for its links too, but only a link has ports, and all switches of a tier run one system on one chip. What
 * both have is one key.
 */
struct tier_keys schema_tiers(struct arena *a);
/** key_child - by one word of @n bytes, also a `*`; NULL if there is none */
const struct key *key_child(const struct key *k, const char *name, size_t n);
/** key_derives - can the cell be left to the fabric's classes */
bool key_derives(const struct key *k);
/** key_is_of_group - does a field say which ports a group has, or how many: no exception sets it */
bool key_is_of_group(const struct key *k);

/** schema_later - is this path ("ports.rails", "include") a key of the language that this version does not know yet */
bool schema_later(const char *path);
/**
 * schema_hint - what to write instead of an unknown key
 * @context: "ports", "node", or the path of a map of the language ("class")
 * @map: where it stands, or NULL if that is not in the schema; @words: further keys that may stand there, or NULL
 */
const char *schema_hint(const struct schema *s, struct arena *a, const char *context, const struct key *map,
			const char *name, const struct word *words);

#endif
