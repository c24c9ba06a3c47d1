/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of items, one over the other. */
#include "policy/layer.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "policy/tell.h"

enum { STARS_FEW = 16 };		/* of a part, among which one is found by looking at each */

static void part_init(struct part_of_layer *p, const struct layer *l, const char *name)
{
	*p = (struct part_of_layer){ .name = name };
	p->item = arena_array_of(l->a, const struct item *, l->schema->nleaves);
}

void layer_init(struct layer *l, struct arena *a, const struct schema *schema)
{
	*l = (struct layer){ .a = a, .schema = schema };
	part_init(&l->node, l, NULL);
}

/* By name, or NULL. */
static struct part_of_layer *group_named(const struct layer *l, const char *name)
{
	for (size_t i = 0; i < l->groups.n; i++)
		if (!strcmp(l->groups.at[i]->name, name))
			return l->groups.at[i];
	return NULL;
}

bool layer_asks(const struct part_of_layer *part, const struct schema *schema)
{
	for (size_t i = 0; i < schema->nleaves; i++)
		if (part->item[i] && part->item[i]->op != ITEM_NULL)
			return true;
	for (size_t i = 0; i < part->stars.n; i++)
		if (part->stars.at[i]->op != ITEM_NULL)
			return true;
	return false;
}

/* The part that @item belongs to, made if it is missing; NULL if there are too many. */
static struct part_of_layer *part_of(struct layer *l, const struct item *item, struct diags *d)
{
	struct part_of_layer *p = item->group ? group_named(l, item->group) : &l->node;

	if (p)
		return p;
	if (l->groups.n == DECODE_GROUPS_MAX) {
		tell_error(d, &item->pos, NULL, "more than %d groups of ports for one node", DECODE_GROUPS_MAX);
		return NULL;
	}
	p = arena_new_of(l->a, struct part_of_layer);
	part_init(p, l, item->group);
	p->pos = item->pos;
	list_add(&l->groups, l->a) = p;
	return p;
}

/* --- one item over another -------------------------------------------------- */

static void keyed_over(uint8_t *lower, const uint8_t *upper)
{
	for (unsigned k = 0; k < 64; k++)
		if (upper[k] != VALUE_UNSET)
			lower[k] = upper[k];
}

static const struct item *amounts_over(struct arena *a, const struct item *lower, const struct item *upper)
{
	int64_t *amount = arena_array_of(a, int64_t, AMOUNTS);
	struct item *both = arena_new_of(a, struct item);

	for (unsigned k = 0; k < AMOUNTS; k++)
		amount[k] = upper->value.amount[k] != AMOUNT_UNSET ? upper->value.amount[k] : lower->value.amount[k];
	*both = *upper;
	both->value.amount = amount;
	return both;
}

static const struct item *item_over(struct arena *a, const struct item *lower, const struct item *upper)
{
	struct item *both;
	struct keyed *keyed;

	if (!item_says(lower) || !item_says(upper))
		return upper;
	if (upper->value.amount)
		return amounts_over(a, lower, upper);
	if (!upper->keyed || upper->keyed->whole)
		return upper;
	keyed = arena_new_of(a, struct keyed);
	*keyed = *lower->keyed;
	keyed->whole = false;
	keyed_over(keyed->one, upper->keyed->one);
	keyed_over(keyed->range, upper->keyed->range);
	both = arena_new_of(a, struct item);
	*both = *upper;
	both->keyed = keyed;
	return both;
}

void keyed_map(const struct keyed *keyed, unsigned span, uint8_t *map)
{
	for (unsigned k = 0; k < span; k++) {
		uint8_t v = keyed->one[k] != VALUE_UNSET ? keyed->one[k] : keyed->range[k];

		map[k] = v == KEYED_NULL ? VALUE_UNSET : v;
	}
}

/* --- into a part ------------------------------------------------------------ */

static bool same_star(const struct item *x, const struct item *y)
{
	return x->key == y->key && text_same(x->star[0], y->star[0]) && text_same(x->star[1], y->star[1]);
}

/* Where the item stands in the table of a part, or may stand. */
static uint32_t *star_slot(const struct part_of_layer *p, const struct item *item)
{
	uint64_t h = hash_number(hash_seed(), item->key->leaf);

	for (unsigned s = 0; s < 2 && item->star[s]; s++)
		h = hash_add(h, item->star[s], strlen(item->star[s]) + 1);
	for (size_t i = hash_slot(h, p->stars.nslots);; i = (i + 1) & (p->stars.nslots - 1)) {
		uint32_t *slot = &p->stars.slot[i];

		if (!*slot || same_star(p->stars.at[*slot - 1], item))
			return slot;
	}
}

static const struct item **star_find(const struct part_of_layer *p, const struct item *item)
{
	uint32_t *slot = p->stars.slot ? star_slot(p, item) : NULL;

	if (slot)
		return *slot ? &p->stars.at[*slot - 1] : NULL;
	for (size_t i = 0; i < p->stars.n; i++)
		if (same_star(p->stars.at[i], item))
			return &p->stars.at[i];
	return NULL;
}

/* An item that is not there yet. */
static void star_add(struct layer *l, struct part_of_layer *p, const struct item *item)
{
	list_add(&p->stars, l->a) = item;
	if (p->stars.n <= STARS_FEW)
		return;
	if (p->stars.n * 2 <= p->stars.nslots) {
		*star_slot(p, item) = (uint32_t)p->stars.n;
		return;
	}
	p->stars.nslots = p->stars.nslots ? p->stars.nslots * 2 : 4 * STARS_FEW;
	p->stars.slot = arena_array_of(l->a, uint32_t, p->stars.nslots);
	for (size_t i = 0; i < p->stars.n; i++)
		*star_slot(p, p->stars.at[i]) = (uint32_t)i + 1;
}

static unsigned stars_in(const struct key *k)
{
	unsigned n = 0;

	for (const char *s = k->path; *s; s++)
		n += *s == '*';
	return n;
}

/* null for all names, or for all names under one: "sysctl: null", "modules: {ib_core: null}" */
static bool is_all(const struct item *item)
{
	return item->key->starred && !item->star[stars_in(item->key) - 1];
}

static void null_all(struct layer *l, struct part_of_layer *p, const struct item *item)
{
	for (size_t i = 0; i < p->stars.n; i++) {
		const struct item *have = p->stars.at[i];
		struct item *null;

		if (have->key != item->key || is_all(have) ||
		    (item->star[0] && !text_same(have->star[0], item->star[0])))
			continue;
		null = arena_new_of(l->a, struct item);
		*null = *have;
		null->op = ITEM_NULL;
		null->pos = item->pos;
		p->stars.at[i] = null;
	}
}

static int star_put(struct layer *l, struct part_of_layer *p, const struct item *item, struct diags *d)
{
	const struct item **have = star_find(p, item);

	if (is_all(item)) {
		p->stars.all = true;
		null_all(l, p, item);
	}
	if (have) {
		*have = item_over(l->a, *have, item);
		return 0;
	}
	if (p->stars.n == DECODE_STARS_MAX) {
		tell_error(d, &item->pos, NULL, "more than %d names of %s for one node", DECODE_STARS_MAX,
			   item->key->path);
		return -EINVAL;
	}
	star_add(l, p, item);
	return 0;
}

static int put(struct layer *l, const struct item *item, struct diags *d)
{
	struct part_of_layer *p = part_of(l, item, d);

	if (!p)
		return -EINVAL;
	if (item->op == ITEM_BAD)
		p->bad = true;
	if (!item->key && item->op == ITEM_BAD)
		return 0;
	if (!item->key) {
		p->pos = item->pos;
		p->removed = item->op == ITEM_NULL;
		if (p->removed) {
			p->wiped = true;
			memset(p->item, 0, l->schema->nleaves * sizeof(*p->item));
			p->stars.n = 0;
			p->stars.slot = NULL;
			p->stars.nslots = 0;
			p->stars.all = false;
		}
		return 0;
	}
	if (item->key->starred)
		return star_put(l, p, item, d);
	p->item[item->key->leaf] = item_over(l->a, p->item[item->key->leaf], item);
	return 0;
}

int layer_apply(struct layer *l, const struct items *items, struct diags *d)
{
	int r = 0;

	for (size_t i = 0; i < items->n && r == 0; i++) {
		if (l->trace)
			list_add(l->trace, l->trace->a) = (__typeof__(*l->trace->at)){ &items->at[i], l->trace->from };
		r = put(l, &items->at[i], d);
	}
	return r;
}

const struct item *layer_find(const struct layer *l, const struct item *item)
{
	const struct part_of_layer *p = item->group ? group_named(l, item->group) : &l->node;
	const struct item **star;

	if (!p || !item->key)
		return NULL;
	if (!item->key->starred)
		return p->item[item->key->leaf];
	star = star_find(p, item);
	return star ? *star : NULL;
}

/* --- all of a layer --------------------------------------------------------- */

/* Every item of a part; those for all names first, since what is named beside them came later or was nulled. */
static int each_item(const struct layer *l, const struct part_of_layer *p,
		     int (*each)(struct layer *to, const struct item *item, struct diags *d), struct layer *to,
		     struct diags *d)
{
	int r = 0;

	for (size_t i = 0; i < p->stars.n && r == 0; i++)
		if (is_all(p->stars.at[i]))
			r = each(to, p->stars.at[i], d);
	for (size_t i = 0; i < p->stars.n && r == 0; i++)
		if (!is_all(p->stars.at[i]))
			r = each(to, p->stars.at[i], d);
	for (size_t i = 0; i < l->schema->nleaves && r == 0; i++)
		if (p->item[i])
			r = each(to, p->item[i], d);
	return r;
}

static int each_of_group(const struct layer *l, const struct part_of_layer *p,
			 int (*each)(struct layer *to, const struct item *item, struct diags *d), struct layer *to, struct diags *d)
{
	struct item named = { .group = p->name, .op = ITEM_NULL, .pos = p->pos };
	int r = p->wiped ? each(to, &named, d) : 0;

	named.op = ITEM_VALUE;
	if (r == 0 && !p->removed)
		r = each(to, &named, d);
	named.op = ITEM_BAD;
	if (r == 0 && p->bad)
		r = each(to, &named, d);
	return r == 0 ? each_item(l, p, each, to, d) : r;
}

static int each_part(const struct layer *l, int (*each)(struct layer *to, const struct item *item, struct diags *d),
		     struct layer *to, struct diags *d)
{
	struct item bad = { .op = ITEM_BAD };
	int r = l->node.bad ? each(to, &bad, d) : 0;

	if (r == 0)
		r = each_item(l, &l->node, each, to, d);
	for (size_t i = 0; i < l->groups.n && r == 0; i++)
		r = each_of_group(l, l->groups.at[i], each, to, d);
	return r;
}

int layer_part(struct layer *l, const struct layer *from, const struct part_of_layer *part, struct diags *d)
{
	return each_of_group(from, part, put, l, d);
}

int layer_over(struct layer *l, const struct layer *upper, struct diags *d)
{
	return each_part(upper, put, l, d);
}

/* --- one rank --------------------------------------------------------------- */

static bool same_texts(const char *const *x, const char *const *y)
{
	for (; *x && *y && !strcmp(*x, *y); x++, y++)
		;
	return !*x && !*y;
}

static bool same_keyed(const struct keyed *x, const struct keyed *y)
{
	for (unsigned k = 0; k < 64; k++)
		if ((x->one[k] != VALUE_UNSET && y->one[k] != VALUE_UNSET && x->one[k] != y->one[k]) ||
		    (x->range[k] != VALUE_UNSET && y->range[k] != VALUE_UNSET && x->range[k] != y->range[k]))
			return false;
	return x->whole == y->whole;
}

static bool same_amounts(const int64_t *x, const int64_t *y)
{
	for (unsigned k = 0; k < AMOUNTS; k++)
		if (x[k] != AMOUNT_UNSET && y[k] != AMOUNT_UNSET && x[k] != y[k])
			return false;
	return true;
}

static bool agree(const struct item *x, const struct item *y)
{
	if (x->op == ITEM_BAD || y->op == ITEM_BAD)
		return true;			/* told already */
	if (x->op != y->op)
		return false;
	if (x->op != ITEM_VALUE)
		return true;
	if (x->except || y->except)
		return pos_same(&x->pos, &y->pos);
	if (x->keyed && y->keyed)
		return same_keyed(x->keyed, y->keyed);
	if (x->value.amount && y->value.amount)
		return same_amounts(x->value.amount, y->value.amount);
	if (x->value.texts && y->value.texts)
		return same_texts(x->value.texts, y->value.texts);
	return x->value.num == y->value.num && text_same(x->value.text, y->value.text);
}

static void differ(const struct layer *l, const struct item *x, const struct item *y, struct diags *d)
{
	struct arena *a = l->a;

	tell_both(d, &y->pos, &x->pos, "and here",
		  "%s and set %s%s%s differently (%s)", l->sides ? l->sides : "two entries of one rank match this node",
		  x->key ? item_name(a, x) : "group ", x->group ? (x->key ? " of group " : "") : "",
		  x->group ? x->group : "", tell_places(a, &x->pos, &y->pos));
}

/* Null for all names, where @item gives one of them a value; or the other way round. */
static const struct item *star_across(const struct part_of_layer *p, const struct item *item)
{
	for (size_t i = 0; (p->stars.all || is_all(item)) && i < p->stars.n; i++) {
		const struct item *other = p->stars.at[i];

		if ((is_all(other) || is_all(item)) && other->key == item->key && other->op != item->op &&
		    (!other->star[0] || !item->star[0] || text_same(other->star[0], item->star[0])))
			return other;
	}
	return NULL;
}

static int unite(struct layer *l, const struct item *item, struct diags *d)
{
	struct part_of_layer *p = item->group ? group_named(l, item->group) : &l->node;
	const struct item *have = NULL, **star;

	if (!item->key && item->op == ITEM_BAD)
		return put(l, item, d);
	if (p && !item->key) {
		struct item named = { .group = p->name, .pos = p->pos };

		if (p->removed != (item->op == ITEM_NULL))
			differ(l, &named, item, d);
		return 0;
	}
	if (p && item->key->starred) {
		star = star_find(p, item);
		have = star ? *star : NULL;
		have = have ? have : star_across(p, item);
	} else if (p) {
		have = p->item[item->key->leaf];
	}
	if (!have || agree(have, item))
		return put(l, item, d);
	differ(l, have, item, d);
	return 0;
}

int layer_unite(struct layer *l, const struct layer *other, struct diags *d)
{
	size_t errors = tell_seen(d);
	int r = each_part(other, unite, l, d);

	return tell_seen(d) > errors ? -EINVAL : r;
}
