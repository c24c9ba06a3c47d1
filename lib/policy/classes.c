/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fabrics of a policy. Two class names have a meaning: `cnp` marks congestion notifications, so it has one DSCP;
 * `default` takes every DSCP that no other class names, so it lists none.
 */
#include "policy/classes.h"

#include <string.h>

#include "base/arena.h"
#include "policy/tell.h"
#include "policy/tiers.h"

enum { CLASSES_MAX = 8 };

/* --- one class -------------------------------------------------------------- */

static void class_set(struct traffic_class *c, const struct item *i, bool *has_priority)
{
	int64_t num = i->value.num;

	if (!item_says(i))
		return;
	switch (i->key->index) {
	case CLASS_PRIORITY:
		c->priority = (int)num;
		*has_priority = true;
		break;
	case CLASS_DSCP:
		c->dscp = (uint64_t)num;
		break;
	case CLASS_LOSSLESS:
		c->lossless = num;
		break;
	case CLASS_STRICT:
		c->strict = num;
		break;
	case CLASS_BANDWIDTH:
		c->bandwidth_percent = (int)num;
		break;
	case CLASS_TC:
		c->tc = (int)num;
		break;
	}
}

static unsigned bits(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}

static void check_class(struct decoder *x, const struct traffic_class *c)
{
	bool cnp = !strcmp(c->name, schema_classes[CLASSES_CNP].key), other = !strcmp(c->name, schema_classes[CLASSES_DEFAULT].key);

	if (c->strict && c->bandwidth_percent >= 0)
		tell_error(x->d, &c->pos, "strict traffic is served first, whatever it takes",
			   "%sstrict and a bandwidth exclude each other", x->where);
	if (cnp && bits(c->dscp) != 1)
		tell_error(x->d, &c->pos, "congestion notifications are sent with one DSCP, usually 48",
			   "%sthis class names %u DSCPs, but it must name one", x->where, bits(c->dscp));
	if (other && c->dscp)
		tell_error(x->d, &c->pos, "remove its dscp",
			   "%sthis class takes every DSCP that no other class names; it lists none itself", x->where);
}

/* Return: is there a class with a priority, so that it can be held against the others. */
static bool class_decode(struct decoder *x, const struct yaml *key, const struct yaml *map, struct traffic_class *c)
{
	struct items items = { 0 };
	bool has_priority = false;
	size_t errors = tell_seen(x->d);

	*c = (struct traffic_class){
		.name = yaml_dup(x->a, key), .pos = decode_pos(x, key), .tc = -1, .bandwidth_percent = -1,
	};
	x->where = arena_printf(x->a, "class %s: ", yaml_shown(x->a, key));
	x->context = "class";
	x->out = &items;
	if (!decode_is(x, map, SHAPE_MAP, key, ""))
		return false;
	decode_map(x, x->schema->class, map, NULL);
	for (size_t i = 0; i < items.n; i++)
		class_set(c, &items.at[i], &has_priority);
	if (!has_priority && tell_seen(x->d) == errors)
		tell_error(x->d, &c->pos, "add priority: 0 to 7", "%sit has no priority", x->where);
	if (c->tc < 0)
		c->tc = c->priority;
	if (tell_seen(x->d) == errors)
		check_class(x, c);
	return has_priority;
}

static bool class_entered(struct decoder *x, const struct yaml *key, const struct yaml *map, struct traffic_class *c)
{
	const struct yaml *above = decode_enter(x, map);
	bool any = class_decode(x, key, map, c);

	x->used = above;
	return any;
}

/* --- classes against each other --------------------------------------------- */

static void check_pair(struct decoder *x, const struct traffic_class *first, const struct traffic_class *second)
{
	uint64_t both = first->dscp & second->dscp;
	bool one_tc = first->tc == second->tc && first->priority != second->priority;

	if (first->priority == second->priority)
		tell_both(x->d, &second->pos, &first->pos, "the other one",
			  "classes %s and %s have the same priority %d (lines %u and %u)", first->name, second->name,
			  second->priority, first->pos.line, second->pos.line);
	if (both)
		tell_both(x->d, &second->pos, &first->pos, "the other one",
			  "classes %s and %s both take DSCP %d (lines %u and %u)", first->name, second->name,
			  __builtin_ctzll(both), first->pos.line, second->pos.line);
	if (one_tc && first->strict != second->strict)
		tell_both(x->d, &second->pos, &first->pos, "the other one",
			  "classes %s and %s share traffic class %d, but only one of them is strict (lines %u and %u)",
			  first->name, second->name, second->tc, first->pos.line, second->pos.line);
}

static void check_bandwidth(struct decoder *x, const struct fabric *f)
{
	const struct traffic_class *last = NULL;
	bool all = true;
	int sum = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->at[i].bandwidth_percent >= 0) {
			sum += f->at[i].bandwidth_percent;
			last = &f->at[i];
		} else if (!f->at[i].strict) {
			all = false;
		}
	}
	if (!last || sum == 100 || (sum < 100 && !all))
		return;
	tell_error(x->d, &last->pos, "the shares of all classes that are not strict make 100% together",
		   "the bandwidths of fabric %s sum up to %d%%, not 100%%", f->name, sum);
}

static void default_dscp(struct fabric *f)
{
	struct traffic_class *other = NULL;
	uint64_t named = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->at[i].name, schema_classes[CLASSES_DEFAULT].key))
			other = &f->at[i];
		else
			named |= f->at[i].dscp;
	}
	if (other)
		other->dscp = ~named;
}

/* A ToS is a number, a class, or a word that stands for one of the fabric's or none: a name must not be taken for those. */
static bool class_name_ok(struct decoder *x, const struct yaml *key)
{
	struct pos pos = decode_pos(x, key);
	size_t digits = 0;

	if (!key->n || key->n > DECODE_NAME_MAX) {
		tell_error(x->d, &pos, NULL, "%sa class needs a name of 1 to %d bytes", x->where, DECODE_NAME_MAX);
		return false;
	}
	while (digits < key->n && key->text[digits] >= '0' && key->text[digits] <= '9')
		digits++;
	if (digits < key->n && !yaml_is(key, "fabric") && !yaml_is(key, "null") && !yaml_is(key, "~"))
		return true;
	tell_error(x->d, &pos, "begin it with a letter", "%sa class cannot have the name \"%s\": roce.tos means something else by it",
		   x->where, yaml_shown(x->a, key));
	return false;
}

static void classes_map(struct decoder *x, const struct yaml *map, struct fabric *f)
{
	size_t errors = tell_seen(x->d);

	f->at = arena_array_of(x->a, struct traffic_class, CLASSES_MAX);
	for (size_t i = 0; i < map->n; i++) {
		struct pos pos = decode_pos(x, yaml_key(map, i));

		x->where = arena_printf(x->a, "fabric %s: ", f->name);
		if (f->n == CLASSES_MAX) {
			tell_error(x->d, &pos, NULL, "%smore than %d classes: there are no more priorities", x->where,
				   CLASSES_MAX);
			break;
		}
		if (class_name_ok(x, yaml_key(map, i)) && class_entered(x, yaml_key(map, i), yaml_value(map, i), &f->at[f->n]))
			f->n++;
	}
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < i; k++)
			check_pair(x, &f->at[k], &f->at[i]);
	if (tell_seen(x->d) == errors)		/* the share of a class that was refused would be missed */
		check_bandwidth(x, f);
	default_dscp(f);
}

void classes_decode(struct decoder *x, const char *name, const struct yaml *key, const struct yaml *map,
		    struct fabric *f)
{
	const struct yaml *classes, *tiers, *above;
	struct items items = { 0 };
	size_t errors;

	*f = (struct fabric){ .name = name, .pos = decode_pos(x, key) };
	x->where = arena_printf(x->a, "fabric %s: ", name);
	x->context = "fabric";
	x->out = &items;
	if (!decode_is(x, map, SHAPE_MAP, key, ""))
		return;
	decode_map(x, x->schema->fabric, map, schema_fabric);
	for (size_t i = 0; i < items.n; i++)
		if (items.at[i].op == ITEM_VALUE) {
			f->mtu = items.at[i].value.num;
			f->mtu_pos = items.at[i].pos;
		}
	errors = tell_seen(x->d);
	classes = yaml_get(map, schema_fabric[FABRIC_CLASSES].key);
	above = classes ? decode_enter(x, classes) : x->used;
	if (classes && decode_is(x, classes, SHAPE_MAP, key, "classes"))
		classes_map(x, classes, f);
	x->used = above;
	x->where = arena_printf(x->a, "fabric %s: ", name);
	tiers = yaml_get(map, schema_fabric[FABRIC_TIERS].key);
	above = tiers ? decode_enter(x, tiers) : x->used;
	if (tiers && decode_is(x, tiers, SHAPE_MAP, key, "tiers"))
		tiers_decode(x, tiers, f, tell_seen(x->d) == errors);
	x->used = above;
}
