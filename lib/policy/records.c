/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From items to records, and from classes to values. Names no setting: each one's derive() knows its part of
 * `qos: fabric`, and what it leaves open is an error here.
 */
#include "policy/records.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/match.h"
#include "policy/pattern.h"
#include "policy/tell.h"

/* --- items to cells --------------------------------------------------------- */

static const int64_t *amounts(const int64_t *said, struct arena *a)
{
	int64_t *amount = arena_grow(a, said, AMOUNTS, 0, sizeof(*said));

	for (unsigned i = 0; i < AMOUNTS; i++)
		amount[i] = amount[i] == AMOUNT_NULL ? AMOUNT_UNSET : amount[i];
	return amount;
}

struct value records_value(const struct item *i, struct arena *a)
{
	const struct field *f = i->key->field;
	unsigned span = value_span(f);
	struct value v = i->value;

	if (i->keyed) {
		uint8_t *map = arena_array_of(a, uint8_t, span);

		keyed_map(i->keyed, span, map);
		v.map = map;
	}
	if (v.amount)
		v.amount = amounts(v.amount, a);
	return v;
}

bool records_says_nothing(const struct item *i)
{
	const int64_t *amount = i->value.amount;
	unsigned n = value_span(i->key->field);
	uint8_t map[64];

	if (i->op != ITEM_VALUE || (i->keyed ? i->keyed->whole : !amount))
		return false;
	if (i->keyed)
		keyed_map(i->keyed, n, map);
	for (unsigned k = 0; k < n; k++)
		if (amount ? amount[k] != AMOUNT_UNSET && amount[k] != AMOUNT_NULL : map[k] != VALUE_UNSET)
			return false;
	return true;
}

static void fill(struct cell *cell, const struct item *i, struct arena *a)
{
	struct value *also;

	if (i->op == ITEM_NULL || records_says_nothing(i))
		return;
	cell->state = i->op == ITEM_FABRIC ? CELL_FABRIC : CELL_VALUE;
	cell->pos = i->pos;
	cell->value = records_value(i, a);
	if (!i->also)
		return;
	also = arena_new_of(a, struct value);
	*also = records_value(i->also, a);
	cell->also = also;
}

static void put(struct asked *out, const struct item *i, struct arena *a)
{
	for (size_t s = 0; s < out->n; s++) {
		struct record *r = out->record[s];

		if (r->setting != i->key->setting)
			continue;
		if (i->op == ITEM_BAD)
			out->bad[s] = true;
		else if (!i->key->starred)
			fill(&r->at[i->key->index], i, a);
		else if (i->op != ITEM_NULL)	/* a part has each name once */
			fill(record_add(r, i->key->index, i->star[0], i->star[1]), i, a);
	}
}

static const char *nearest_group(const struct layer *l, const struct part_of_layer *part, struct arena *a)
{
	const char **names = arena_array_of(a, const char *, l->groups.n + 1), *near;
	size_t n = 0;

	for (size_t i = 0; i < l->groups.n; i++)
		if (l->groups.at[i] != part && match_any(l->groups.at[i]))
			names[n++] = l->groups.at[i]->name;
	near = text_nearest(part->name, names);
	return near ? arena_printf(a, "did you mean group %s?", near) : "add match: {driver: …} or another criterion";
}

const struct exceptions *records_exceptions(const struct part_of_layer *part)
{
	const struct item *i = part->name ? part->item[GROUP_EXCEPT] : NULL;

	return item_says(i) ? i->except : NULL;
}

/* Ports that the group must match; 0: it does not say. */
int64_t records_count(const struct asked *out)
{
	for (size_t s = 0; s < out->n; s++)
		for (size_t i = 0; i < out->record[s]->n; i++)
			if (out->record[s]->at[i].state == CELL_VALUE && !strcmp(out->record[s]->at[i].name, "count"))
				return out->record[s]->at[i].value.num;
	return 0;
}

/* Of eight ports the last one is rail 7. */
static void check_numbers(const struct asked *out, const struct exceptions *all, struct diags *d)
{
	int64_t count = records_count(out);

	for (size_t n = 0; all && n < all->n; n++) {
		const struct item *rail = all->at[n].match[GROUP_RAIL];

		if (count && item_says(rail) && rail->value.num >= count)
			tell_error(d, &rail->pos, "rails are numbered from 0",
				   "except: match.rail: group %s has %d ports: its last rail is %d", out->part->name, (int)count,
				   (int)count - 1);
	}
}

/* What needs the numbers of ports, in a group that gives them none. */
static void check_rails(const struct asked *out, struct diags *d)
{
	const struct part_of_layer *part = out->part;
	const struct exceptions *all = records_exceptions(part);
	static const char hint[] = "add rails: {by: pci}";

	if (part->bad)
		return;
	if (item_says(part->item[GROUP_RAILS])) {
		check_numbers(out, all, d);
		return;
	}
	if (item_says(part->item[GROUP_RAIL]))
		tell_error(d, &part->item[GROUP_RAIL]->pos, hint, "match.rail: group %s does not number its ports", part->name);
	for (size_t n = 0; all && n < all->n; n++)
		if (item_says(all->at[n].match[GROUP_RAIL]))
			tell_error(d, &all->at[n].match[GROUP_RAIL]->pos, hint,
				   "except: match.rail: group %s does not number its ports", part->name);
	for (size_t s = 0; s < out->n && out->patterns; s++)
		for (size_t i = 0; i < out->record[s]->n; i++) {
			const struct cell *c = &out->record[s]->at[i];

			if (pattern_names_rail(c))
				tell_error(d, &c->pos, hint, "%s names {rail}, but group %s does not number its ports", c->name,
					   part->name);
		}
}

/* A name without a glob is one netdev; a PCI address or an RDMA device may have several ports. */
static void check_one(const struct asked *out, struct diags *d)
{
	const struct item *ifname = out->part->item[GROUP_IFNAME];
	int64_t count = records_count(out);

	if (count > 1 && item_says(ifname) && !strpbrk(ifname->value.text, "*?["))
		tell_error(d, &ifname->pos, "write a glob, such as \"ens*f0np0\", or match something that all of them have",
			   "match.ifname: %s is one port, but group %s has count: %d", ifname->value.text, out->part->name, (int)count);
}

const struct fabric *records_fabric(const struct policy *p, const struct part_of_layer *part)
{
	const struct item *named = part->item[GROUP_FABRIC];

	if (named && named->op == ITEM_NULL)
		return NULL;
	return policy_fabric(p, item_says(named) ? named->value.text : FABRIC_DEFAULT);
}

static int group_of(const struct policy *p, struct arena *a, const struct layer *l, struct asked *out, struct diags *d)
{
	const struct part_of_layer *part = out->part;
	const struct item *fabric = part->item[GROUP_FABRIC], *optional = part->item[GROUP_OPTIONAL];
	size_t errors = tell_seen(d);
	bool rail = false;

	out->fabric = records_fabric(p, part);
	for (size_t s = 0; s < out->n && !out->fabric && (item_says(fabric) || part->bad); s++)
		out->bad[s] = true;	/* it was told that there is none: not again for each class and value */
	out->optional = item_says(optional) ? optional->value.texts : NULL;
	for (size_t s = 0; s < out->n; s++)
		out->patterns = pattern_in(out->record[s], &rail) || out->patterns;
	check_rails(out, d);
	check_one(out, d);
	if (!match_any(part) && !part->bad)
		tell_error(d, &part->pos, nearest_group(l, part, a), "group %s says of no port that it means it", part->name);
	return tell_seen(d) > errors ? -EINVAL : 0;
}

int records_of(const struct policy *p, struct arena *a, const struct layer *l, const struct part_of_layer *part,
	       const struct catalog *c, struct asked *out, struct diags *d)
{
	*out = (struct asked){ .part = part, .n = c->nsettings };
	out->record = arena_array_of(a, struct record *, c->nsettings);
	out->bad = arena_array_of(a, bool, c->nsettings);
	for (size_t s = 0; s < c->nsettings; s++)
		out->record[s] = record_new(a, c->setting[s]);
	for (size_t i = 0; i < l->schema->nleaves; i++)
		if (part->item[i])
			put(out, part->item[i], a);
	for (size_t i = 0; i < part->stars.n; i++)
		put(out, part->stars.at[i], a);
	return part->name ? group_of(p, a, l, out, d) : 0;
}

void records_imagine(const struct part_of_layer *part, const struct catalog *c, struct port *port, struct target *target)
{
	*target = (struct target){ .scope = SCOPE_NODE, .name = "node", .group = "", .ifname = "" };
	if (!part->name)
		return;
	match_imagine(part, port);
	port->vendor = catalog_vendor(c, port->driver);
	*target = (struct target){
		.scope = SCOPE_WIRE, .name = part->name, .group = part->name, .port = port, .ifname = port->ifname,
		.vendor = port->vendor,
	};
}

/* --- exceptions ------------------------------------------------------------- */

/* The exceptions of @mask side by side, over what the group says. */
int records_except(const struct policy *p, struct arena *a, const struct layer *l, const struct part_of_layer *part,
		   uint64_t mask, const struct catalog *c, struct asked *out, struct diags *d)
{
	const struct exceptions *all = records_exceptions(part);
	struct layer *group = arena_new_of(a, struct layer), over, beside;
	int r;

	layer_init(group, a, p->schema);
	layer_init(&over, a, p->schema);
	over.sides = "two exceptions match one port";
	r = layer_part(group, l, part, d);
	for (size_t i = 0; all && i < all->n && r == 0; i++) {
		if (!(mask >> i & 1))
			continue;
		layer_init(&beside, a, p->schema);
		r = layer_apply(&beside, &all->at[i].set, d);
		r = r < 0 ? r : layer_unite(&over, &beside, d);
	}
	r = r < 0 ? r : layer_over(group, &over, d);
	if (r < 0)
		return r;
	group->groups.at[0]->pos = part->pos;
	return records_of(p, a, group, group->groups.at[0], c, out, d);
}

/* --- classes to cells ------------------------------------------------------- */

static bool open_cells(const struct record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].state == CELL_FABRIC)
			return true;
	return false;
}

/* All cells that one word `fabric` left open: "qos.dscp, qos.ets and qos.pfc". */
static const char *open_at(struct record *const *record, size_t n, const struct pos *pos, struct arena *a)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *last = NULL;

	for (size_t s = 0; s < n; s++)
		for (size_t i = 0; i < record[s]->n; i++) {
			const struct cell *c = &record[s]->at[i];

			if (c->state != CELL_FABRIC || !pos_same(&c->pos, pos))
				continue;
			if (last)
				text_printf(&t, "%s%s", t.n ? ", " : "", last);
			last = c->name;
		}
	return t.n ? arena_printf(a, "%s and %s", text_str(&t), last) : last;
}

/* What no derive() filled is an error, one for each place where the policy says fabric. */
static void refuse_open(const struct asked *asked, struct record *const *record, struct arena *a, struct diags *d)
{
	for (size_t s = 0; s < asked->n; s++)
		for (size_t i = 0; i < record[s]->n; i++) {
			const struct cell *c = &record[s]->at[i];
			const char *names;

			if (c->state != CELL_FABRIC || asked->bad[s])
				continue;
			names = open_at(record, asked->n, &c->pos, a);
			if (asked->fabric)
				tell_error(d, &c->pos, "add it to the fabric, or write the value here",
					   "the fabric %s does not say %s", asked->fabric->name, names);
			else
				tell_error(d, &c->pos, "say fabric: NAME in the group, or give the policy a single fabric:",
					   "%s: group %s belongs to no fabric", names, asked->part->name);
		}
}

/* Of a fabric without classes no map follows: a whole map or list would come out empty, which means something else. */
static bool tell_no_classes(const struct asked *asked, const struct record *r, struct diags *d)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->at[i].state != CELL_FABRIC || r->at[i].field->kind == KIND_UINT)
			continue;
		tell_error(d, &r->at[i].pos, "add classes to the fabric, or write the values here", "the fabric %s has no classes",
			   asked->fabric->name);
		return true;
	}
	return false;
}

static int derive(const struct asked *asked, const struct wishes *w, struct record *want, struct diags *d)
{
	size_t from = d->n, errors = tell_seen(d);
	int r;

	if (!want->setting->derive || !record_managed(want) || (!asked->fabric && open_cells(want)))
		return 0;
	if (asked->fabric && !asked->fabric->n && tell_no_classes(asked, want, d))
		return -EINVAL;
	r = want->setting->derive(w, want, d);
	if (r < 0 && tell_seen(d) == errors)
		diag_error(d, NULL, "%s cannot be derived from the classes", want->setting->name);
	tell_again(d, from);
	return r;
}

struct record **records_derive(const struct asked *asked, struct arena *a, const struct target *target, struct diags *d)
{
	struct record **out = arena_array_of(a, struct record *, asked->n);
	struct wishes w = { .target = target, .fabric = asked->fabric, .record = out, .n = asked->n, .arena = a };
	bool good = true;

	for (size_t i = 0; i < asked->n; i++)
		out[i] = asked->record[i]->setting->derive && record_managed(asked->record[i]) ?
				 record_copy(a, asked->record[i]) : asked->record[i];
	for (size_t i = 0; i < asked->n; i++)
		good = (asked->bad[i] || derive(asked, &w, out[i], d) == 0) && good;
	if (good)
		refuse_open(asked, out, a, d);
	for (size_t i = 0; i < asked->n && good; i++)
		good = !open_cells(out[i]);
	return good ? out : NULL;
}
