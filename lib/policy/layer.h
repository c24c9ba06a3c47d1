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
	const struct item **item;	/* by leaf of the schema; NULL: not said; starred ones are below */
	struct {
		const struct item **at;
		size_t n, room;
	} stars;			/* in order of their first mention */
};

struct layer {
	struct arena *a;
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
/** layer_unite - @other, of the same rank, into @l: one value that both set differently is an error, both lines told */
int layer_unite(struct layer *l, const struct layer *other, struct diags *d);
/** layer_asks - is anything in this part managed */
bool layer_asks(const struct part_of_layer *part, const struct schema *schema);

/** keyed_map - what an item's map comes to, one entry a key; VALUE_UNSET where nothing is said */
void keyed_map(const struct keyed *keyed, unsigned span, uint8_t *map);

#endif
