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
#include "base/hash.h"
#include "base/text.h"
#include "model/targets.h"
#include "policy/claims.h"
#include "policy/match.h"
#include "policy/names.h"
#include "policy/pairs.h"
#include "policy/parts.h"
#include "policy/records.h"
#include "policy/tell.h"

/* Names tried for one entry: at least the first; more where there are few lists. */
enum { EXAMPLES_LEAST = 16, EXAMPLES_TIMES_LISTS = 1 << 16, SCRATCH_NAMES = 256 };

/*
 * What is tried in all, so that no text of a megabyte costs minutes: globs that names are held against, kinds of nodes
 * inside cohorts by hash, by how many those are, pairs of exceptions, and pairs of groups.
 */
enum { GLOBS_TRIED = 1 << 24, HASHED_TRIED = 1 << 14, EXCEPTIONS_TRIED = 1 << 18, GROUPS_TRIED = 1 << 20 };

struct visitor {
	const struct policy *p;
	const struct catalog *c;
	policy_visit visit;
	void *arg;
	struct diags *d;
	struct arena *index;
	const struct names *names;
	struct pairs *pairs;		/* NULL: one node is judged */
	struct arena *scratch;		/* of the last names that were tried */
	size_t tried;
	size_t hashed;			/* cohorts by hash */
	size_t globs_left, hashed_left, exceptions_left, groups_left;
	bool *met;			/* by cohort: some name was in it */
	bool cut;			/* by one of those: not all is judged */
	struct hash_set seen;		/* sets of entries */
	int result;
};

/* --- sets of entries -------------------------------------------------------- */

static uint64_t mix_yaml(uint64_t h, const struct yaml *y)
{
	size_t n = y->shape == SHAPE_MAP ? 2 * (size_t)y->n : y->n;

	h = hash_number(h, (uint64_t)y->shape << 33 | (uint64_t)y->quoted << 32 | y->n);
	if (y->shape == SHAPE_SCALAR)
		return hash_add(h, y->text, y->n);
	for (size_t i = 0; i < n; i++)
		h = mix_yaml(h, &y->at[i]);
	return h;
}

/* What the entries say, labels apart: those select nothing here. */
static uint64_t signature(const struct resolved *r)
{
	uint64_t h = hash_seed();

	for (size_t i = 0; i < r->nentries; i++) {
		const struct yaml *profiles = yaml_get(r->entry[i]->body, schema_entry[ENTRY_PROFILES].key),
				  *set = yaml_get(r->entry[i]->body, schema_entry[ENTRY_SET].key);

		h = hash_number(h, r->entry[i]->hosts.rank);
		h = profiles ? mix_yaml(h, profiles) : hash_number(h, 0);
		h = set ? mix_yaml(h, set) : hash_number(h, 0);
	}
	for (size_t i = 0; i < r->ncohorts; i++)
		h = hash_add(h, &r->cohort[i], sizeof(r->cohort[i]));
	return h;
}

/* --- one kind of node ------------------------------------------------------- */

/* A group or the node, with the exceptions of @mask, for the imaginary port of @target. */
static void visit_asked(struct visitor *v, struct arena *a, const struct asked *asked, const struct target *target,
			struct policy_group *group)
{
	size_t from;

	if (asked->fabric && v->p->bad_fabric[asked->fabric - v->p->fabric])
		return;
	group->record = records_derive(asked, a, target, v->d);
	group->fabric = asked->fabric;
	group->optional = asked->optional;
	group->n = asked->n;
	if (!group->record)
		v->result = -EINVAL;
	if (!group->record || asked->part->bad)
		return;
	from = v->d->n;
	v->visit(group, v->arg, v->d);
	tell_again(v->d, from);
}

/* One that no node has, or no port of the group, would never apply. */
static void check_exception(struct visitor *v, const struct part_of_layer *part, const struct exception *e)
{
	const struct item *other = match_excluded(part, e->match);

	if (e->nodes.n && !pairs_any(v->pairs, e->nodes))
		diag_warning(v->d, &e->pos, "exception of group %s: none of its nodes is in nodes, so it never applies", part->name);
	if (other)
		diag_warning(v->d, &other->pos, "exception of group %s: the group itself has another %s, so it never applies",
			     part->name, other->key->path);
}

/* Do both apply to some port, as far as that can be said without a machine. */
static bool both_apply(struct visitor *v, const struct part_of_layer *part, const struct exception *x,
		       const struct exception *y)
{
	if (!match_within(x->match, y->match) && !match_within(y->match, x->match))
		return false;
	if (match_excluded(part, x->match) || match_excluded(part, y->match))
		return false;
	return !x->nodes.n || !y->nodes.n || pairs_meet(x->nodes, y->nodes, &v->exceptions_left);
}

/* Two exceptions that apply to one port must agree. */
static void visit_pairs(struct visitor *v, struct arena *a, const struct resolved *r, const struct part_of_layer *part,
			const struct exceptions *all)
{
	struct asked asked;

	for (size_t n = 0; n < all->n; n++)
		for (size_t k = 0; k < n; k++) {
			if (!v->exceptions_left) {
				v->cut = true;
				return;
			}
			v->exceptions_left--;
			if (both_apply(v, part, &all->at[k], &all->at[n]) &&
			    records_except(v->p, a, &r->layer, part, (uint64_t)1 << n | (uint64_t)1 << k, v->c, &asked, v->d) < 0)
				v->result = -EINVAL;
		}
}

static void visit_part(struct visitor *v, struct arena *a, const struct resolved *r, const struct part_of_layer *part)
{
	struct policy_group group = { .node = r->node, .group = "", .driver = "" };
	const struct exceptions *all = records_exceptions(part);
	struct target target;
	struct port port;
	struct asked asked;
	size_t from;

	records_imagine(part, v->c, &port, &target);
	if (part->name) {
		const struct item *rails = part->item[GROUP_RAILS];

		group.group = part->name;
		group.driver = port.driver;
		group.driver_pos = part->item[GROUP_DRIVER] ? &part->item[GROUP_DRIVER]->pos : NULL;
		group.rails_pos = item_says(rails) ? &rails->pos : NULL;
		group.port = &port;
	}
	if (records_of(v->p, a, &r->layer, part, v->c, &asked, v->d) < 0) {
		v->result = -EINVAL;
		return;
	}
	visit_asked(v, a, &asked, &target, &group);
	from = v->d->n;
	for (size_t n = 0; all && v->pairs && n < all->n; n++)
		check_exception(v, part, &all->at[n]);
	tell_again(v->d, from);
	for (size_t n = 0; all && n < all->n; n++) {	/* each by itself, whatever nodes it is for */
		if (records_except(v->p, a, &r->layer, part, (uint64_t)1 << n, v->c, &asked, v->d) < 0)
			v->result = -EINVAL;
		else
			visit_asked(v, a, &asked, &target, &group);
	}
	if (all && v->pairs)
		visit_pairs(v, a, r, part, all);
}

static bool is_bad(const struct policy *p, const struct entry *e)
{
	const struct yaml *names = e->bad ? NULL : yaml_get(e->body, schema_entry[ENTRY_PROFILES].key);

	for (size_t i = 0; names && i < names->n; i++) {
		const struct profile *profile = policy_profile(p, names->at[i].text, names->at[i].n);

		if (!profile || profile->bad)
			return true;
	}
	return e->bad;
}

static void visit_node(struct visitor *v, struct arena *a, struct resolved *r)
{
	struct pos pos;
	bool any;

	for (size_t i = 0; i < r->nentries; i++)
		if (is_bad(v->p, r->entry[i]))
			return;		/* told already; what it is to say is not known */
	if (policy_resolve(v->p, a, r, v->d) < 0) {
		v->result = -EINVAL;
		return;
	}
	any = r->layer.node.bad;
	visit_part(v, a, r, &r->layer.node);
	for (size_t i = 0; i < r->layer.groups.n; i++) {
		if (r->layer.groups.at[i]->removed)
			continue;
		any = true;
		visit_part(v, a, r, r->layer.groups.at[i]);
	}
	if (claims_check(&r->layer, a, r->node, &v->groups_left, v->d) < 0)
		v->result = -EINVAL;
	v->cut = v->cut || !v->groups_left;
	if (any || v->p->bad || layer_asks(&r->layer.node, v->p->schema))
		return;
	pos = yaml_pos(r->entry[r->nentries - 1]->source, r->entry[r->nentries - 1]->key);
	tell_error(v->d, &pos, "give its entry profiles or a set; a policy that asks for nothing is always in sync",
		   "the policy asks nothing of node %s", r->node);
	v->result = -EINVAL;
}

static void visit_kind(struct visitor *v, struct resolved *r)
{
	struct arena *a;

	if (!hash_set_add(&v->seen, v->index, signature(r)))
		return;
	a = arena_new();
	visit_node(v, a, r);
	arena_free(a);
}

/*
 * Who is in a cohort by hash depends on names that are not written anywhere: each kind of node is judged outside of all,
 * inside each, and inside all of them, since two that set one value are a conflict for some node.
 */
static void visit_hashed(struct visitor *v, struct arena *a, const struct resolved *r)
{
	const struct cohort **named = arena_array_of(a, const struct cohort *, v->p->ncohorts), **with;
	struct resolved kind = *r;
	size_t n = r->ncohorts;

	visit_kind(v, &kind);
	memcpy(named, r->cohort, n * sizeof(*named));
	with = arena_array_of(a, const struct cohort *, v->p->ncohorts);
	memcpy(with, named, n * sizeof(*with));
	kind.cohort = with;
	for (size_t i = 0, all = n; i < v->p->ncohorts; i++) {
		if (v->p->cohort[i].by != COHORT_HASH)
			continue;
		if (v->hashed_left < all + 1) {
			v->cut = true;
			return;
		}
		v->hashed_left -= all + 1;
		with[n] = named[all++] = &v->p->cohort[i];
		kind.ncohorts = n + 1;
		visit_kind(v, &kind);
		if (all > n + 1) {
			kind.cohort = named;
			kind.ncohorts = all;
			visit_kind(v, &kind);
			kind.cohort = with;
		}
	}
}

static void visit_name(const char *name, void *arg)
{
	struct visitor *v = arg;
	struct resolved r;
	size_t tried;

	if (v->tried++ % SCRATCH_NAMES == 0) {		/* the kernel takes longer to give an arena than a name to be looked up */
		arena_free(v->scratch);
		v->scratch = arena_new();
	}
	if (!v->globs_left) {
		v->cut = true;
		return;
	}
	tried = names_match(v->names, v->scratch, name, &r);
	v->globs_left -= tried < v->globs_left ? tried : v->globs_left;
	for (size_t i = 0; i < r.ncohorts; i++)
		v->met[r.cohort[i] - v->p->cohort] = true;
	if (r.nentries && !v->hashed)
		visit_kind(v, &r);
	else if (r.nentries)
		visit_hashed(v, v->scratch, &r);
}

static int visit_one(struct visitor *v, const char *node)
{
	struct resolved r;

	if (policy_find(v->p, v->index, node, &r, v->d) < 0)
		return -EINVAL;
	visit_node(v, v->index, &r);
	return v->result;
}

static void visit_list(struct visitor *v, struct hostlist hosts, const struct pos *pos)
{
	size_t most = EXAMPLES_TIMES_LISTS / (names_patterns(v->names) + 1);

	if (hostlist_examples(hosts, most > EXAMPLES_LEAST ? most : EXAMPLES_LEAST, visit_name, v))
		return;
	diag_note(v->d, pos, "this list has more ranges than are tried without a node; --node judges one");
}

static bool label_is(const struct entry *e, const struct yaml *key, const struct yaml *value)
{
	const struct yaml *have = resolved_label(&(struct resolved){ .entry = &e, .nentries = 1 }, key);

	return have && yaml_same(have, value);
}

static bool label_said(const struct policy *p, const struct yaml *key, const struct yaml *value)
{
	for (size_t i = 0; i < p->nentries; i++)
		if (label_is(&p->entry[i], key, value))
			return true;
	return false;
}

static bool label_missing(struct visitor *v, const struct cohort *c)
{
	for (size_t k = 0; k < c->labels->n; k++) {
		if (label_said(v->p, yaml_key(c->labels, k), yaml_value(c->labels, k)))
			continue;
		diag_warning(v->d, &c->pos, "cohort %s: no node has label %s: %s, so it never takes effect", c->name,
			     yaml_shown(v->d->arena, yaml_key(c->labels, k)),
			     yaml_shown(v->d->arena, yaml_value(c->labels, k)));
		return true;
	}
	return false;
}

/* A cohort that selects no node of the policy would never take effect. */
static void check_cohort(struct visitor *v, const struct cohort *c)
{
	if (c->by == COHORT_NODES && !pairs_any(v->pairs, c->nodes))
		diag_warning(v->d, &c->pos, "cohort %s: none of its nodes is in nodes, so it never takes effect", c->name);
	if (c->by == COHORT_LABELS && !label_missing(v, c) && !v->met[c - v->p->cohort] && !v->cut)
		diag_warning(v->d, &c->pos, "cohort %s: no node has all of its labels, so it never takes effect", c->name);
}

static void visit_all(struct visitor *v)
{
	const struct policy *p = v->p;
	bool all;

	v->met = arena_array_of(v->index, bool, p->ncohorts + 1);
	v->names = names_new(v->index, p);
	v->pairs = pairs_new(v->index, p);
	for (size_t i = 0; i < p->ncohorts; i++)
		v->hashed += p->cohort[i].by == COHORT_HASH;
	for (size_t i = 0; i < p->nentries; i++) {
		struct pos pos = yaml_pos(p->entry[i].source, p->entry[i].key);

		visit_list(v, p->entry[i].hosts, &pos);
	}
	for (size_t i = 0; i < p->ncohorts; i++) {
		if (p->cohort[i].by == COHORT_NODES)
			visit_list(v, p->cohort[i].nodes, &p->cohort[i].pos);
	}
	all = pairs_each(p, visit_name, v);
	for (size_t i = 0; i < p->ncohorts; i++)
		check_cohort(v, &p->cohort[i]);
	if (all && !v->cut)
		return;
	diag_note(v->d, &(struct pos){ .source = p->source },
		  "the policy has more host lists, exceptions, groups or cohorts than are held against each other without a node; "
		  "--node judges one");
}

int policy_each(struct policy *p, const char *node, const struct catalog *c, policy_visit visit, void *arg,
		struct diags *d)
{
	struct visitor v = { .p = p, .c = c, .visit = visit, .arg = arg, .d = d, .index = arena_new(),
			     .scratch = arena_new(), .globs_left = GLOBS_TRIED, .hashed_left = HASHED_TRIED,
			     .exceptions_left = EXCEPTIONS_TRIED, .groups_left = GROUPS_TRIED };

	if (node)
		v.result = visit_one(&v, node);
	else
		visit_all(&v);
	arena_free(v.scratch);
	arena_free(v.index);
	return v.result;
}
