/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a node's name to the layer that counts for it: globs, then host lists, then exact names, then cohorts; in each
 * entry its profiles from left to right, then its set. What is of one rank stands side by side: where it disagrees, neither
 * wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/catalog.h"
#include "policy/parts.h"
#include "policy/tell.h"

/* Entries that @node matches, by rank; their number may be 0. */
static void matches(const struct policy *p, struct arena *a, const char *node, struct resolved *r)
{
	struct {
		const struct entry **at;
		size_t n, room;
	} list = { 0 };

	for (size_t i = 0; i < p->nentries; i++)
		if (hostlist_match(p->entry[i].hosts, node))
			list_add(&list, a) = &p->entry[i];
	*r = (struct resolved){ .node = node, .entry = list.at, .nentries = list.n };
	resolved_sort(r);
	cohorts_of(p, a, r, true);
}

static int by_rank(const void *x, const void *y)
{
	const struct entry *e = *(const struct entry *const *)x, *f = *(const struct entry *const *)y;

	if (e->hosts.rank != f->hosts.rank)
		return e->hosts.rank < f->hosts.rank ? -1 : 1;
	return e < f ? -1 : e > f;
}

void resolved_sort(struct resolved *r)
{
	if (r->nentries > 1)
		qsort(r->entry, r->nentries, sizeof(*r->entry), by_rank);
}

static void tell_nobody(const struct policy *p, const char *node, struct diags *d)
{
	struct pos pos = { .source = p->source };
	const char **names = arena_array_of(d->arena, const char *, p->nentries + 1), *near, *hint;

	for (size_t i = 0; i < p->nentries; i++)
		names[i] = yaml_dup(d->arena, p->entry[i].key);
	near = text_nearest(node, names);
	hint = near ? arena_printf(d->arena, "did you mean %s? Names match exactly, short or full", near)
		    : "a node finds itself by its host name, or by --node; the policy's nodes: must have a name that "
		      "fits";
	tell_error(d, &pos, hint, "no entry of nodes matches \"%s\"",
		   text_safe(d->arena, node, strlen(node), HOSTLIST_NAME_MAX));
}

int policy_find(const struct policy *p, struct arena *a, const char *node, struct resolved *r, struct diags *d)
{
	matches(p, a, node, r);
	if (r->nentries)
		return 0;
	tell_nobody(p, node, d);
	return -EINVAL;
}

/* For whoever asks where values come from: who speaks next. */
static void speaks(struct layer *l, struct origin from)
{
	struct origin *o;

	if (!l->trace)
		return;
	o = arena_new_of(l->trace->a, struct origin);
	*o = from;
	l->trace->from = o;
}

/* Each profile once, at its first place, though two of the entry's may extend it. */
static int apply_profiles(const struct policy *p, const struct entry *e, struct layer *l, struct diags *d)
{
	const struct yaml *names = yaml_get(e->body, schema_entry[ENTRY_PROFILES].key);
	bool *done = arena_array_of(l->a, bool, p->nprofiles);
	int r = 0;

	for (size_t i = 0; names && names->shape == SHAPE_LIST && i < names->n; i++) {
		const struct yaml *name = &names->at[i];
		const struct profile *profile = name->shape == SHAPE_SCALAR ? policy_profile(p, name->text, name->n) : NULL;

		for (size_t k = 0; profile && k < profile->nchain && r == 0; k++) {
			const struct profile *link = profile->chain[k];

			if (done[link - p->profile])
				continue;
			done[link - p->profile] = true;
			speaks(l, (struct origin){ .entry = e, .profile = link });
			r = layer_apply(l, &link->items, d);
		}
	}
	return r;
}

/* The items of a `set:`; errors in it were told when the policy was loaded. */
static void decode_set(const struct policy *p, const struct source *source, const struct yaml *set, struct arena *a,
		       struct items *items)
{
	struct diags told;
	struct decoder x = {
		.a = a, .source = source, .d = &told, .schema = p->schema, .out = items, .context = "", .where = "",
	};

	diags_init(&told, a);
	if (!set || set->shape != SHAPE_MAP)
		return;
	decode_enter(&x, set);
	decode_part(&x, set);
}

static int entry_layer(const struct policy *p, const struct entry *e, struct layer *l, struct diags *d)
{
	struct items items = { 0 };
	int r = apply_profiles(p, e, l, d);

	if (r < 0)
		return r;
	decode_set(p, e->source, yaml_get(e->body, schema_entry[ENTRY_SET].key), l->a, &items);
	speaks(l, (struct origin){ .entry = e });
	return layer_apply(l, &items, d);
}

static int resolve_entries(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d)
{
	int result = 0;

	for (size_t i = 0, next; i < r->nentries && result == 0; i = next) {
		struct layer rank;

		layer_init(&rank, a, p->schema);
		rank.trace = r->trace;
		result = entry_layer(p, r->entry[i], &rank, d);
		for (next = i + 1; next < r->nentries && r->entry[next]->hosts.rank == r->entry[i]->hosts.rank;
		     next++) {
			struct layer beside;

			layer_init(&beside, a, p->schema);
			beside.trace = r->trace;
			if (entry_layer(p, r->entry[next], &beside, d) < 0 || layer_unite(&rank, &beside, d) < 0)
				result = -EINVAL;
		}
		if (result == 0)
			result = layer_over(&r->layer, &rank, d);
	}
	return result;
}

/* --- cohorts ---------------------------------------------------------------- */

/* What nothing writes is in sync with the value that was asked for without the cohort, too. */
static void keep_old(const struct policy *p, const struct layer *below, struct items *items)
{
	for (size_t i = 0; i < items->n; i++) {
		struct item *item = &items->at[i];
		const struct item *old;

		if (!item->key || item->op != ITEM_VALUE || item->key->setting == &schema_group ||
		    catalog_writes(p->catalog, item->key->setting, item->key->field))
			continue;
		old = layer_find(below, item);
		item->also = item_says(old) ? old : NULL;
	}
}

static int cohort_layer(const struct policy *p, const struct cohort *c, const struct layer *below, struct layer *l,
			struct diags *d)
{
	struct items items = { 0 };

	decode_set(p, c->source, c->set, l->a, &items);
	keep_old(p, below, &items);
	speaks(l, (struct origin){ .cohort = c });
	return layer_apply(l, &items, d);
}

static int resolve_cohorts(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d)
{
	struct layer rank;
	int result;

	layer_init(&rank, a, p->schema);
	rank.trace = r->trace;
	result = cohort_layer(p, r->cohort[0], &r->layer, &rank, d);
	for (size_t i = 1; i < r->ncohorts; i++) {
		struct layer beside;

		layer_init(&beside, a, p->schema);
		beside.trace = r->trace;
		if (cohort_layer(p, r->cohort[i], &r->layer, &beside, d) < 0 || layer_unite(&rank, &beside, d) < 0)
			result = -EINVAL;
	}
	return result < 0 ? result : layer_over(&r->layer, &rank, d);
}

/* One label, two values in entries of one rank: which cohort the node belongs to would be a matter of chance. */
static int check_label(const struct resolved *r, const struct yaml *label, struct arena *a, struct diags *d)
{
	const struct yaml *last = NULL;
	const struct entry *from = NULL;

	for (size_t i = 0; i < r->nentries; i++) {
		const struct yaml *labels = yaml_get(r->entry[i]->body, schema_entry[ENTRY_LABELS].key), *value;
		struct pos first, second;

		value = labels && labels->shape == SHAPE_MAP ? yaml_get(labels, yaml_dup(a, label)) : NULL;
		if (!value || value->shape != SHAPE_SCALAR)
			continue;
		if (last && from->hosts.rank == r->entry[i]->hosts.rank &&
		    (last->n != value->n || memcmp(last->text, value->text, last->n) != 0)) {
			first = yaml_pos(from->source, last);
			second = yaml_pos(r->entry[i]->source, value);
			tell_both(d, &second, &first, "and here",
				  "two entries of one rank match this node and set label %s differently (%s)",
				  yaml_shown(a, label), tell_places(a, &first, &second));
			return -EINVAL;
		}
		last = value;
		from = r->entry[i];
	}
	return 0;
}

static int check_labels(const struct policy *p, struct arena *a, const struct resolved *r, struct diags *d)
{
	int result = 0;

	for (size_t i = 0; i < p->ncohorts; i++)
		for (size_t k = 0; p->cohort[i].by == COHORT_LABELS && k < p->cohort[i].labels->n; k++)
			if (check_label(r, yaml_key(p->cohort[i].labels, k), a, d) < 0)
				result = -EINVAL;
	return result;
}

int policy_resolve(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d)
{
	int result;

	layer_init(&r->layer, a, p->schema);
	result = resolve_entries(p, a, r, d);
	if (result == 0 && p->ncohorts)
		result = check_labels(p, a, r, d);
	return result < 0 || !r->ncohorts ? result : resolve_cohorts(p, a, r, d);
}
