/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All nodes of a policy, for a judge without a machine. Nodes that the same entries make are one; entries that say the
 * same are one, too: a hundred thousand nodes are a few kinds. Host lists are not expanded: names at the edges of their
 * ranges stand for all between them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/targets.h"
#include "policy/match.h"
#include "policy/parts.h"
#include "policy/records.h"
#include "policy/tell.h"

/* Names tried for one entry: at least the first; more where few lists have to be held against each of them. */
enum { EXAMPLES_LEAST = 16, EXAMPLES_TIMES_LISTS = 1 << 16 };

struct visitor {
	const struct policy *p;
	const struct catalog *c;
	policy_visit visit;
	void *arg;
	struct diags *d;
	struct arena *index;
	const struct entry **exact;	/* by short name */
	size_t nexact;
	const struct entry **pattern;	/* lists and globs */
	size_t npatterns;
	uint64_t *seen;			/* hash table of sets of entries; 0: free */
	size_t nseen, room;
	int result;
};

/* --- sets of entries -------------------------------------------------------- */

static uint64_t mix(uint64_t h, const void *s, size_t n)
{
	const uint8_t *u = s;

	for (size_t i = 0; i < n; i++)
		h = (h ^ u[i]) * 1099511628211u;
	return h;
}

static uint64_t mix_number(uint64_t h, uint64_t v)
{
	return mix(h, &v, sizeof(v));
}

static uint64_t mix_yaml(uint64_t h, const struct yaml *y)
{
	size_t n = y->shape == SHAPE_MAP ? 2 * (size_t)y->n : y->n;

	h = mix_number(h, (uint64_t)y->shape << 33 | (uint64_t)y->quoted << 32 | y->n);
	if (y->shape == SHAPE_SCALAR)
		return mix(h, y->text, y->n);
	for (size_t i = 0; i < n; i++)
		h = mix_yaml(h, &y->at[i]);
	return h;
}

/* What the entries say, labels apart: those select nothing here. */
static uint64_t signature(const struct resolved *r)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < r->nentries; i++) {
		const struct yaml *profiles = yaml_get(r->entry[i]->body, "profiles"),
				  *set = yaml_get(r->entry[i]->body, "set");

		h = mix_number(h, r->entry[i]->hosts.rank);
		h = profiles ? mix_yaml(h, profiles) : mix_number(h, 0);
		h = set ? mix_yaml(h, set) : mix_number(h, 0);
	}
	return h ? h : 1;
}

static uint64_t *seen_slot(uint64_t *table, size_t room, uint64_t h)
{
	for (size_t i = h;; i++) {
		uint64_t *slot = &table[i & (room - 1)];

		if (!*slot || *slot == h)
			return slot;
	}
}

/* Return: is it new. */
static bool seen_add(struct visitor *v, uint64_t h)
{
	uint64_t *slot;

	if (v->nseen * 2 >= v->room) {
		size_t room = v->room ? v->room * 2 : 256;
		uint64_t *table = arena_array_of(v->index, uint64_t, room);

		for (size_t i = 0; i < v->room; i++)
			if (v->seen[i])
				*seen_slot(table, room, v->seen[i]) = v->seen[i];
		v->seen = table;
		v->room = room;
	}
	slot = seen_slot(v->seen, v->room, h);
	if (*slot)
		return false;
	*slot = h;
	v->nseen++;
	return true;
}

/* --- an index of names ------------------------------------------------------ */

static size_t short_len(const char *s, size_t n)
{
	const char *dot = memchr(s, '.', n);

	return dot ? (size_t)(dot - s) : n;
}

static int compare_short(const char *s, size_t n, const struct entry *e)
{
	size_t m = short_len(e->key->text, e->key->n), least = n < m ? n : m;
	int order = memcmp(s, e->key->text, least);

	return order ? order : n < m ? -1 : n > m;
}

static int by_short_name(const void *x, const void *y)
{
	const struct entry *e = *(const struct entry *const *)x, *f = *(const struct entry *const *)y;
	int order = compare_short(e->key->text, short_len(e->key->text, e->key->n), f);

	return order ? order : e < f ? -1 : e > f;
}

static void index_entries(struct visitor *v)
{
	bool sorted = true;

	v->exact = arena_array_of(v->index, const struct entry *, v->p->nentries);
	v->pattern = arena_array_of(v->index, const struct entry *, v->p->nentries);
	for (size_t i = 0; i < v->p->nentries; i++) {
		const struct entry *e = &v->p->entry[i];

		if (e->hosts.rank != RANK_EXACT) {
			v->pattern[v->npatterns++] = e;
			continue;
		}
		v->exact[v->nexact++] = e;
		if (v->nexact > 1 && sorted)
			sorted = by_short_name(&v->exact[v->nexact - 2], &v->exact[v->nexact - 1]) < 0;
	}
	if (!sorted)
		qsort(v->exact, v->nexact, sizeof(*v->exact), by_short_name);
}

/* As policy_matches(), by the index. */
static void matches(struct visitor *v, struct arena *a, const char *node, struct resolved *r)
{
	size_t n = strcspn(node, "."), low = 0, high = v->nexact;
	struct {
		const struct entry **at;
		size_t n, room;
	} list = { 0 };

	for (size_t i = 0; i < v->npatterns; i++)
		if (hostlist_match(v->pattern[i]->hosts, node))
			list_add(&list, a) = v->pattern[i];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_short(node, n, v->exact[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < v->nexact && !compare_short(node, n, v->exact[low]); low++)
		if (hostlist_match(v->exact[low]->hosts, node))
			list_add(&list, a) = v->exact[low];
	*r = (struct resolved){ .node = node, .entry = list.at, .nentries = list.n };
	resolved_sort(r);
}

/* --- one kind of node ------------------------------------------------------- */

static void visit_part(struct visitor *v, struct arena *a, const struct resolved *r, const struct part_of_layer *part)
{
	struct target target = { .scope = SCOPE_NODE, .name = "node", .group = "", .ifname = "" };
	struct policy_group group = { .node = r->node, .group = "", .driver = "" };
	struct port port;
	struct asked asked;
	size_t from;

	if (part->name) {
		match_imagine(part, &port);
		port.vendor = catalog_vendor(v->c, port.driver);
		target = (struct target){
			.scope = SCOPE_WIRE,
			.name = part->name,
			.group = part->name,
			.port = &port,
			.ifname = port.ifname,
			.vendor = port.vendor,
		};
		group.group = part->name;
		group.driver = port.driver;
		group.port = &port;
	}
	if (records_of(v->p, a, &r->layer, part, v->c, &asked, v->d) < 0) {
		v->result = -EINVAL;
		return;
	}
	group.record = records_derive(&asked, a, &target, v->d);
	group.fabric = asked.fabric;
	group.n = asked.n;
	if (!group.record) {
		v->result = -EINVAL;
		return;
	}
	from = v->d->n;
	v->visit(&group, v->arg, v->d);
	tell_again(v->d, from);
}

static void visit_node(struct visitor *v, struct arena *a, struct resolved *r)
{
	struct pos pos = { .source = v->p->source };
	bool any = false;

	if (policy_resolve(v->p, a, r, v->d) < 0) {
		v->result = -EINVAL;
		return;
	}
	visit_part(v, a, r, &r->layer.node);
	for (size_t i = 0; i < r->layer.groups.n; i++) {
		if (r->layer.groups.at[i]->removed)
			continue;
		any = true;
		visit_part(v, a, r, r->layer.groups.at[i]);
	}
	if (any || layer_asks(&r->layer.node, v->p->schema))
		return;
	pos = yaml_pos(v->p->source, r->entry[r->nentries - 1]->key);
	tell_error(v->d, &pos, "give its entry profiles or a set; a policy that asks for nothing is always in sync",
		   "the policy asks nothing of node %s", r->node);
	v->result = -EINVAL;
}

static void visit_name(const char *name, void *arg)
{
	struct visitor *v = arg;
	struct arena *a = arena_new();
	struct resolved r;

	matches(v, a, name, &r);
	if (r.nentries && seen_add(v, signature(&r)))
		visit_node(v, a, &r);
	arena_free(a);
}

static int visit_one(struct visitor *v, const char *node)
{
	struct resolved r;

	if (policy_find(v->p, v->index, node, &r, v->d) < 0)
		return -EINVAL;
	visit_node(v, v->index, &r);
	return v->result;
}

static void visit_entry(struct visitor *v, const struct entry *e)
{
	size_t most = EXAMPLES_TIMES_LISTS / (v->npatterns + 1);
	struct pos pos = yaml_pos(v->p->source, e->key);

	if (hostlist_examples(e->hosts, most > EXAMPLES_LEAST ? most : EXAMPLES_LEAST, visit_name, v))
		return;
	diag_note(v->d, &pos, "this list has more ranges than are tried without a node; --node judges one");
}

int policy_each(struct policy *p, const char *node, const struct catalog *c, policy_visit visit, void *arg,
		struct diags *d)
{
	struct visitor v = { .p = p, .c = c, .visit = visit, .arg = arg, .d = d, .index = arena_new() };

	if (node) {
		v.result = visit_one(&v, node);
	} else {
		index_entries(&v);
		for (size_t i = 0; i < p->nentries; i++)
			visit_entry(&v, &p->entry[i]);
	}
	arena_free(v.index);
	return v.result;
}
