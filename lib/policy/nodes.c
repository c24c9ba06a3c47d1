/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of nodes. Every one is checked, in memory that is given back: a hundred thousand of them keep only their text,
 * and what they set is decoded again for the nodes that match.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/load.h"
#include "policy/tell.h"

enum { SCRATCH_ENTRIES = 256 };

bool load_check_labels(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	struct pos pos = load_pos(l, key);
	bool good = true;

	if (!decode_is(&l->x, map, SHAPE_MAP, key, schema_entry[ENTRY_LABELS].key))
		return false;
	if (map->n > POLICY_LABELS_MAX) {
		tell_error(l->d, &pos, NULL, "%smore than %d labels", l->x.where, POLICY_LABELS_MAX);
		return false;
	}
	for (size_t i = 0; i < map->n; i++)
		good = decode_is(&l->x, yaml_value(map, i), SHAPE_SCALAR, yaml_key(map, i), "a label") && good;
	return good;
}

static void check_hosts(struct loader *l, const struct yaml *key, struct hostlist hosts)
{
	size_t at;
	const char *why = hostlist_check(hosts, &at);
	struct pos pos = load_pos(l, key);

	if (!why)
		return;
	if (!key->quoted && at < key->n) {
		pos.col += (uint32_t)at;
		pos.len = 1;
	}
	tell_error(l->d, &pos, NULL, "the node name \"%s\" %s", yaml_shown(l->x.a, key), why);
}

static void check_entry(struct loader *l, struct entry *e)
{
	size_t errors = tell_seen(l->d);

	check_hosts(l, e->key, e->hosts);
	if (tell_seen(l->d) > errors)
		e->hosts.n = 0;		/* of no name: what follows need not look at it again */
	if (!decode_is(&l->x, e->body, SHAPE_MAP, e->key, "a node")) {
		e->bad = true;
		return;
	}
	for (size_t i = 0; i < e->body->n; i++) {
		const struct yaml *key = yaml_key(e->body, i), *y = yaml_value(e->body, i);

		if (yaml_is(key, schema_entry[ENTRY_PROFILES].key)) {
			e->bad = !load_check_profiles(l, y, schema_entry[ENTRY_PROFILES].key, key);
		} else if (yaml_is(key, schema_entry[ENTRY_LABELS].key)) {
			load_check_labels(l, key, y);
		} else if (yaml_is(key, schema_entry[ENTRY_SET].key)) {
			load_check_set(l, key, y);
		} else {
			l->x.context = "";
			decode_unknown(&l->x, NULL, key, schema_entry);
		}
	}
}

void load_nodes(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	struct policy *p = l->p;
	struct pos pos = load_pos(l, key);

	l->nodes = true;
	if (!decode_is(&l->x, map, SHAPE_MAP, key, schema_top[TOP_NODES].key))
		return;
	if (!map->n)
		tell_error(l->d, &pos, NULL, "nodes is empty: the policy would ask nothing of any node");
	p->entry = arena_grow(p->a, p->entry, p->nentries, map->n, sizeof(*p->entry));
	for (size_t i = 0; i < map->n; i++)
		p->entry[p->nentries++] = (struct entry){
			.key = yaml_key(map, i), .body = yaml_value(map, i), .source = l->x.source,
			.hosts = hostlist_of(yaml_key(map, i)->text, yaml_key(map, i)->n),
		};
}

static int by_key(const void *x, const void *y)
{
	const struct entry *e = *(const struct entry *const *)x, *f = *(const struct entry *const *)y;
	size_t least = e->key->n < f->key->n ? e->key->n : f->key->n;
	int order = memcmp(e->key->text, f->key->text, least);

	if (!order && e->key->n != f->key->n)
		return e->key->n < f->key->n ? -1 : 1;
	return order ? order : e < f ? -1 : e > f;
}

/* Within a file YAML has looked already. */
static void check_keys(struct loader *l)
{
	struct policy *p = l->p;
	struct arena *a = arena_new();
	const struct entry **e = arena_array_of(a, const struct entry *, p->nentries + 1);

	for (size_t i = 0; i < p->nentries; i++)
		e[i] = &p->entry[i];
	qsort(e, p->nentries, sizeof(*e), by_key);
	for (size_t i = 1; i < p->nentries; i++) {
		struct pos first = yaml_pos(e[i - 1]->source, e[i - 1]->key), second = yaml_pos(e[i]->source, e[i]->key);

		if (e[i - 1]->key->n == e[i]->key->n && !memcmp(e[i - 1]->key->text, e[i]->key->text, e[i]->key->n))
			tell_both(l->d, &second, &first, "and here", "node %s is defined in two files (%s)",
				  yaml_shown(p->a, e[i]->key), tell_places(p->a, &first, &second));
	}
	arena_free(a);
}

void nodes_finish(struct loader *l)
{
	struct policy *p = l->p;
	struct pos pos = { .source = p->source, .line = 1, .col = 1, .len = 1 };

	if (!l->nodes && !(l->lost >> TOP_NODES & 1))
		tell_error(l->d, &pos, "add nodes: with a name, a host list or a glob for each kind of node",
			   "the policy names no nodes");
	for (size_t i = 0; i < p->nentries; i++) {
		if (i % SCRATCH_ENTRIES == 0)
			l->x.a = arena_new();
		l->x.source = p->entry[i].source;
		decode_enter(&l->x, p->entry[i].body);
		check_entry(l, &p->entry[i]);
		l->x.used = NULL;
		if (i % SCRATCH_ENTRIES == SCRATCH_ENTRIES - 1 || i + 1 == p->nentries)
			arena_free(l->x.a);
	}
	l->x.a = p->a;
	if (p->files.n > 1 && p->nentries)
		check_keys(l);
}
