/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups that say one value of one port. */
#include "policy/claims.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/match.h"
#include "policy/records.h"
#include "policy/tell.h"

enum { NAMES_SHOWN = 4, CLASH_COSTS = 256 /* pairs of groups that do not */ };

/* --- telling ---------------------------------------------------------------- */

struct clash *clash_of(struct clashes *all, struct arena *a, const char *first, const char *second)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].first, first) && !strcmp(all->at[i].second, second))
			return &all->at[i];
	list_add(all, a) = (struct clash){ .first = first, .second = second };
	return &all->at[all->n - 1];
}

void clash_add(struct clash *c, struct arena *a, const char *name, const struct pos *first, const struct pos *second)
{
	for (size_t i = 0; i < c->names.n; i++)
		if (!strcmp(c->names.at[i], name))
			return;
	if (!c->names.n) {
		c->pos = *second;
		c->other = *first;
	}
	list_add(&c->names, a) = name;
}

/* "mtu, qos.pfc and pcie.width", "mtu, qos.trust, qos.dscp, qos.tc and 3 more" */
static const char *names_of(const struct clash *c, struct arena *a)
{
	size_t shown = c->names.n > NAMES_SHOWN + 1 ? NAMES_SHOWN : c->names.n;
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < shown; i++)
		text_printf(&t, "%s%s", !i ? "" : i + 1 == c->names.n ? " and " : ", ", c->names.at[i]);
	if (shown < c->names.n)
		text_printf(&t, " and %zu more", c->names.n - shown);
	return arena_strdup(a, text_str(&t));
}

static void clash_tell(const struct clash *c, struct arena *a, struct diags *d)
{
	if (c->names.n && tell_both(d, &c->pos, &c->other, "and here", "groups %s and %s both say %s of the same ports (%s)", c->first,
				    c->second, names_of(c, a), tell_places(a, &c->other, &c->pos)))
		diag_hint(d, "%s; make one match narrower, or say it in one group only", c->hint);
}

void clashes_tell(const struct clashes *all, struct arena *a, struct diags *d)
{
	for (size_t i = 0; i < all->n; i++)
		clash_tell(&all->at[i], a, d);
}

/* --- what both say ---------------------------------------------------------- */

static bool says(const struct item *i)
{
	return i && (i->op == ITEM_FABRIC || (i->op == ITEM_VALUE && !records_says_nothing(i)));
}

static bool same_key(const struct item *x, const struct item *y)
{
	for (unsigned s = 0; s < 2; s++)
		if (x->star[s] != y->star[s] && (!x->star[s] || !y->star[s] || strcmp(x->star[s], y->star[s]) != 0))
			return false;
	return x->key == y->key;
}

/* An exception that takes the value back makes room for the other group, for ports of which nothing is known here. */
static bool makes_room(const struct part_of_layer *part, const struct item *item)
{
	const struct exceptions *all = records_exceptions(part);

	for (size_t n = 0; all && n < all->n; n++)
		for (size_t i = 0; i < all->at[n].set.n; i++)
			if (all->at[n].set.at[i].op == ITEM_NULL && same_key(&all->at[n].set.at[i], item))
				return true;
	return false;
}

struct pair {
	const struct layer *l;
	struct arena *a;
	const struct part_of_layer *first, *second;
	struct clash *clash;
};

/* Does @other say, too, what @item says of @of. */
static void hold(struct pair *p, const struct item *item, const struct part_of_layer *of, const struct part_of_layer *other)
{
	struct item like = *item;
	const struct item *have;

	if (key_is_of_group(item->key) || item->key->setting == &schema_group || !says(item))
		return;
	like.group = other->name;
	have = layer_find(p->l, &like);
	if (!says(have) || makes_room(of, item) || makes_room(other, item))
		return;
	clash_add(p->clash, p->a, item_name(p->a, item), of == p->first ? &item->pos : &have->pos,
		  of == p->first ? &have->pos : &item->pos);
}

/* What the exceptions say that are for this node, of ports that the other group claims as well. */
static void hold_exceptions(struct pair *p, const char *node, const struct part_of_layer *of, const struct part_of_layer *other)
{
	const struct exceptions *all = records_exceptions(of);

	for (size_t n = 0; all && n < all->n; n++) {
		const struct exception *e = &all->at[n];

		if (e->nodes.n && !hostlist_match(e->nodes, node))
			continue;
		if (!match_within(of->item, other->item) && !match_within(other->item, e->match))
			continue;
		for (size_t i = 0; i < e->set.n; i++)
			hold(p, &e->set.at[i], of, other);
	}
}

static void hold_all(struct pair *p, const char *node)
{
	for (size_t i = 0; i < p->l->schema->nleaves; i++)
		if (p->first->item[i])
			hold(p, p->first->item[i], p->first, p->second);
	for (size_t i = 0; i < p->first->stars.n; i++)
		hold(p, p->first->stars.at[i], p->first, p->second);
	hold_exceptions(p, node, p->first, p->second);
	hold_exceptions(p, node, p->second, p->first);
}

/* --- which groups ----------------------------------------------------------- */

/* Numbers of ports are a group's own: of two groups they are the same where both number the same ports alike. */
static bool same_numbers(const struct part_of_layer *x, const struct part_of_layer *y)
{
	const struct item *rx = x->item[GROUP_RAILS], *ry = y->item[GROUP_RAILS];

	return item_says(rx) && item_says(ry) && rx->value.num == ry->value.num && match_within(x->item, y->item) &&
	       match_within(y->item, x->item);
}

/* Is each port of @narrow one of @wide. */
static bool is_within(const struct part_of_layer *narrow, const struct part_of_layer *wide)
{
	if (!match_any(wide) || !match_within(narrow->item, wide->item))
		return false;
	return !item_says(wide->item[GROUP_RAIL]) || same_numbers(narrow, wide);
}

/* Return: do they clash. */
static bool check_pair(const struct layer *l, struct arena *a, const char *node, const struct part_of_layer *first,
		       const struct part_of_layer *second, struct diags *d)
{
	struct clash clash = { .first = first->name, .second = second->name };
	struct pair p = { l, a, first, second, &clash };
	bool within = is_within(second, first);

	if (!within && !is_within(first, second))
		return false;
	hold_all(&p, node);
	clash.hint = arena_printf(a, "each port of group %s is one of group %s", within ? second->name : first->name,
				  within ? first->name : second->name);
	clash_tell(&clash, a, d);
	return clash.names.n;
}

int claims_check(const struct layer *l, struct arena *a, const char *node, size_t *work, struct diags *d)
{
	bool any = false;

	for (size_t i = 1; i < l->groups.n; i++)
		for (size_t k = 0; k < i && *work; k++) {
			const struct part_of_layer *first = l->groups.at[k], *second = l->groups.at[i];

			--*work;
			if (first->removed || second->removed || first->bad || second->bad ||
			    !check_pair(l, a, node, first, second, d))
				continue;
			any = true;
			*work -= *work < CLASH_COSTS ? *work : CLASH_COSTS;
		}
	return any ? -EINVAL : 0;
}
