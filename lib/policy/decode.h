/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to items: one for each key that a profile or a node entry gives, with its value in the key's own kind. Items are
 * what layers are made of (layer.h); they are never changed once they are made.
 */
#ifndef POLICY_DECODE_H
#define POLICY_DECODE_H

#include <stdint.h>

#include "policy/hostlist.h"
#include "policy/schema.h"
#include "policy/yaml.h"

enum {
	DECODE_NAME_MAX = 64,		/* bytes of the name of a group, class, tier, link or cohort */
	DECODE_GROUPS_MAX = 256,	/* groups of ports in one map, and on one node */
	DECODE_STARS_MAX = 4096,	/* names under one `*` in one map, and on one node */
	DECODE_EXCEPTIONS_MAX = 64,	/* of one group: a bit each */
};

enum item_op {
	ITEM_VALUE,
	ITEM_FABRIC,			/* to be derived from the classes */
	ITEM_NULL,			/* back to unmanaged */
	ITEM_BAD,			/* said, but wrong: an error was told, and what follows from it is not */
};

/* A map as a policy writes it. Layers unite maps by key, and a single key beats a range of whatever layer. */
struct keyed {
	bool whole;			/* {}: no entries at all, whatever was there */
	uint8_t one[64], range[64];	/* VALUE_UNSET: not said; KEYED_NULL: back to unmanaged */
};
enum { KEYED_NULL = 254, AMOUNT_NULL = -2 };	/* AMOUNT_NULL: the same in value.amount of an item */

struct item {
	const char *group;		/* NULL: the node's */
	const struct key *key;		/* NULL: the group itself; named (VALUE), taken away (NULL), or with errors (BAD) */
	const char *star[2];		/* both NULL though the key is starred: all names (ITEM_NULL) */
	enum item_op op;
	struct value value;
	const struct keyed *keyed;	/* KIND_MAP, KIND_SHARES: instead of value.map */
	const struct exceptions *except;	/* of GROUP_EXCEPT */
	const struct item *also;	/* a verified setting of a cohort: what was asked for without it is in sync as well */
	struct pos pos;
};

/** item_says - is there an item with a value of its own, whatever an item of null or of `fabric` asks for */
static inline bool item_says(const struct item *i)
{
	return i && i->op == ITEM_VALUE;
}

struct items {
	struct item *at;
	size_t n, room;
};

/* One odd NIC or node: what it is asked for instead of what its group is. */
struct exception {
	struct pos pos;
	struct hostlist nodes;		/* of no bytes: all nodes */
	const struct item *match[GROUP_MATCHES];	/* by field; all NULL: all ports of the group */
	struct items set;
	const char *because;
	int64_t until_s;		/* the end of its last day, since the epoch; INT64_MAX: no end */
	struct pos until_pos;
};

struct exceptions {
	struct exception *at;
	size_t n;
};

struct decoder {
	struct arena *a;
	const struct source *source;
	struct diags *d;
	const struct schema *schema;
	struct items *out;
	const char *context;		/* of paths: "node", "ports", "class", "fabric" */
	const char *where;		/* before a key in messages: "class rdma: ", or "" */
	const char *group;
	size_t links, ports;		/* of switches, in all so far */
	const struct yaml *used;	/* the outermost alias that what is decoded was taken by, or NULL */
};

/** decode_pos - where @y stands, and by which alias it counts here */
struct pos decode_pos(const struct decoder *x, const struct yaml *y);
/** decode_enter - what follows is below @y. Return: what x->used is set to behind it */
const struct yaml *decode_enter(struct decoder *x, const struct yaml *y);

/**
 * decode_map - the keys of @map by those of @key, to items
 * @others: words that may stand there too and are the caller's business, or NULL
 * Everything wrong is told; what is right is decoded all the same.
 */
void decode_map(struct decoder *x, const struct key *key, const struct yaml *map, const struct word *others);
/** decode_part - a profile's or a `set`'s node: and ports:, as far as @map has them */
void decode_part(struct decoder *x, const struct yaml *map);
/** decode_is - is it of this shape; else told as "@what: a map of keys is due here …" */
bool decode_is(struct decoder *x, const struct yaml *y, enum yaml_shape shape, const struct yaml *key,
	       const char *what);
/** decode_unknown - tells that @key is not known in @map; @others as above */
void decode_unknown(struct decoder *x, const struct key *map, const struct yaml *key, const struct word *others);
/** decode_may_be_empty - does {} say something of this field: that there are no entries */
bool decode_may_be_empty(const struct field *f);
/** decode_except - the list of exceptions of a group, into @i. Return: is it right; else it was told */
bool decode_except(struct decoder *x, struct item *i, const struct yaml *list);
/** item_name - "qos.ets", "sysctl.net.core.rmem_max" */
const char *item_name(struct arena *a, const struct item *i);

#endif
