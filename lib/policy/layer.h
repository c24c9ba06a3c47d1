/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of items: what a profile says over what another said. A layer holds, for the node and each group of ports,
 * the item that counts for each key. Maps unite by key, everything else is replaced.
 */
#ifndef POLICY_LAYER_H
#define POLICY_LAYER_H

#include "policy/decode.h"

struct part_of_layer {			/* the node's part, or a group's */
	const char *name;		/* of the group; NULL: the node's */
	struct pos pos;			/* where the group was named last */
	bool removed;			/* the last word on it was null */
	bool wiped;			/* some word on it was null: nothing of lower layers stays */
	bool bad;			/* errors were told of some word on it */
	const struct item **item;	/* by leaf of the schema; NULL: not said; starred ones are below */
	struct {
		const struct item **at;
		size_t n, room;
		uint32_t *slot;		/* hash table of them by key and names, number + 1; NULL: they are few */
		size_t nslots;
		bool all;		/* one of them is for all names */
	} stars;			/* in order of their first mention */
};

/* Who says what, in the order in which one beats the other; for people who ask where a value comes from. */
struct trace {
	struct arena *a;
	const void *from;		/* who is speaking: whatever the caller keeps of it */
	struct {
		const struct item *item;
		const void *from;
	} *at;
	size_t n, room;
};

struct layer {
	struct arena *a;
	struct trace *trace;		/* NULL: nobody asks */
	const char *sides;		/* what stands side by side in it, for messages; NULL: entries of one rank */
	const struct schema *schema;
	struct part_of_layer node;
	struct {
		struct part_of_layer **at;
		size_t n, room;
	} groups;			/* in order of their first mention */
};

void layer_init(struct layer *l, struct arena *a, const struct schema *schema);
/** layer_apply - @items over what is there, in their order. Return: 0; -EINVAL if there are too many of them, told */
int layer_apply(struct layer *l, const struct items *items, struct diags *d);
/** layer_over - all of @upper over @l */
int layer_over(struct layer *l, const struct layer *upper, struct diags *d);
/** layer_part - one part of @from over @l */
int layer_part(struct layer *l, const struct layer *from, const struct part_of_layer *part, struct diags *d);
/** layer_find - what counts for the key of @item, or NULL */
const struct item *layer_find(const struct layer *l, const struct item *item);
/** layer_unite - @other, of the same rank, into @l: one value that both set differently is an error, both lines told */
int layer_unite(struct layer *l, const struct layer *other, struct diags *d);
/** layer_asks - is anything in this part managed */
bool layer_asks(const struct part_of_layer *part, const struct schema *schema);

/** keyed_map - what an item's map comes to, one entry a key; VALUE_UNSET where nothing is said */
void keyed_map(const struct keyed *keyed, unsigned span, uint8_t *map);

#endif
