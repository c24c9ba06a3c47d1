/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a node's name to the layer that counts for it: globs, then host lists, then exact names; in each entry its
 * profiles from left to right, then its set. Entries of one rank stand side by side: where they disagree, neither wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/parts.h"
#include "policy/tell.h"

void policy_matches(const struct policy *p, struct arena *a, const char *node, struct resolved *r)
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
	policy_matches(p, a, node, r);
	if (r->nentries)
		return 0;
	tell_nobody(p, node, d);
	return -EINVAL;
}

/* Each profile once, at its first place, though two of the entry's may extend it. */
static int apply_profiles(const struct policy *p, const struct yaml *names, struct layer *l, struct diags *d)
{
	bool *done = arena_array_of(l->a, bool, p->nprofiles);
	int r = 0;

	for (size_t i = 0; names && i < names->n; i++) {
		const struct profile *profile = policy_profile(p, names->at[i].text, names->at[i].n);

		for (size_t k = 0; profile && k < profile->nchain && r == 0; k++) {
			const struct profile *link = profile->chain[k];

			if (!done[link - p->profile])
				r = layer_apply(l, &link->items, d);
			done[link - p->profile] = true;
		}
	}
	return r;
}

static int apply_set(const struct policy *p, const struct yaml *set, struct layer *l, struct diags *d)
{
	struct items items = { 0 };
	struct decoder x = {
		.a = l->a, .source = p->source, .d = d, .schema = p->schema, .out = &items, .context = "", .where = "",
	};

	if (!set)
		return 0;
	decode_part(&x, set);
	return layer_apply(l, &items, d);
}

static int entry_layer(const struct policy *p, const struct entry *e, struct layer *l, struct diags *d)
{
	int r = apply_profiles(p, yaml_get(e->body, "profiles"), l, d);

	return r < 0 ? r : apply_set(p, yaml_get(e->body, "set"), l, d);
}

int policy_resolve(const struct policy *p, struct arena *a, struct resolved *r, struct diags *d)
{
	int result = 0;

	layer_init(&r->layer, a, p->schema);
	for (size_t i = 0, next; i < r->nentries && result == 0; i = next) {
		struct layer rank;

		layer_init(&rank, a, p->schema);
		result = entry_layer(p, r->entry[i], &rank, d);
		for (next = i + 1; next < r->nentries && r->entry[next]->hosts.rank == r->entry[i]->hosts.rank;
		     next++) {
			struct layer beside;

			layer_init(&beside, a, p->schema);
			if (entry_layer(p, r->entry[next], &beside, d) < 0 || layer_unite(&rank, &beside, d) < 0)
				result = -EINVAL;
		}
		if (result == 0)
			result = layer_over(&r->layer, &rank, d);
	}
	return result;
}
