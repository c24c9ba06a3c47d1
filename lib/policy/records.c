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
#include "policy/tell.h"

/* --- items to cells --------------------------------------------------------- */

static void fill(struct cell *cell, const struct item *i, struct arena *a)
{
	const struct field *f = i->key->field;
	unsigned span = f->kind == KIND_SHARES ? 8 : f->span;

	if (i->op == ITEM_NULL)
		return;
	cell->state = i->op == ITEM_FABRIC ? CELL_FABRIC : CELL_VALUE;
	cell->pos = i->pos;
	cell->value = i->value;
	if (i->keyed) {
		uint8_t *map = arena_array_of(a, uint8_t, span);

		keyed_map(i->keyed, span, map);
		cell->value.map = map;
	}
}

static void put(struct asked *out, const struct item *i, struct arena *a)
{
	for (size_t s = 0; s < out->n; s++) {
		struct record *r = out->record[s];

		if (r->setting != i->key->setting)
			continue;
		if (!i->key->starred)
			fill(&r->at[i->key->index], i, a);
		else if (i->op != ITEM_NULL)
			fill(record_named(r, i->key->index, i->star[0], i->star[1]), i, a);
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

static int group_of(const struct policy *p, struct arena *a, const struct layer *l, struct asked *out, struct diags *d)
{
	const struct part_of_layer *part = out->part;
	const struct item *fabric = part->item[GROUP_FABRIC], *optional = part->item[GROUP_OPTIONAL];

	out->fabric = policy_fabric(p, fabric && fabric->op == ITEM_VALUE ? fabric->value.text : "default");
	out->optional = optional && optional->op == ITEM_VALUE ? optional->value.texts : NULL;
	if (match_any(part))
		return 0;
	tell_error(d, &part->pos, nearest_group(l, part, a), "group %s says of no port that it means it", part->name);
	return -EINVAL;
}

int records_of(const struct policy *p, struct arena *a, const struct layer *l, const struct part_of_layer *part,
	       const struct catalog *c, struct asked *out, struct diags *d)
{
	*out = (struct asked){ .part = part, .n = c->nsettings };
	out->record = arena_array_of(a, struct record *, c->nsettings);
	for (size_t s = 0; s < c->nsettings; s++)
		out->record[s] = record_new(a, c->setting[s]);
	for (size_t i = 0; i < l->schema->nleaves; i++)
		if (part->item[i])
			put(out, part->item[i], a);
	for (size_t i = 0; i < part->stars.n; i++)
		put(out, part->stars.at[i], a);
	return part->name ? group_of(p, a, l, out, d) : 0;
}

/* --- classes to cells ------------------------------------------------------- */

static bool open_cells(const struct record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].state == CELL_FABRIC)
			return true;
	return false;
}

static int refuse_open(const struct asked *asked, const struct record *r, struct diags *d)
{
	int result = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->at[i].state != CELL_FABRIC)
			continue;
		if (asked->fabric)
			tell_error(d, &r->at[i].pos, "add it to the fabric, or write the value here",
				   "the fabric %s does not say %s", asked->fabric->name, r->at[i].name);
		else
			tell_error(d, &r->at[i].pos,
				   "say fabric: NAME in the group, or give the policy a single fabric:",
				   "%s: group %s belongs to no fabric", r->at[i].name, asked->part->name);
		result = -EINVAL;
		if (!asked->fabric)
			break;
	}
	return result;
}

static int derive(const struct asked *asked, const struct wishes *w, struct record *want, struct diags *d)
{
	size_t from = d->n, errors = d->errors;
	int r;

	if (!want->setting->derive || !record_managed(want))
		return 0;
	if (!asked->fabric && open_cells(want))
		return refuse_open(asked, want, d);
	r = want->setting->derive(w, want, d);
	if (r < 0 && d->errors == errors)
		diag_error(d, NULL, "%s cannot be derived from the classes", want->setting->name);
	tell_again(d, from);
	return r < 0 ? r : refuse_open(asked, want, d);
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
		good = derive(asked, &w, out[i], d) == 0 && good;
	return good ? out : NULL;
}
