/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy file: its top level, profiles and node entries, each checked whether a node uses it or not. What it asks of
 * one node is compile.c's business.
 */
#include "policy/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "policy/classes.h"
#include "policy/parts.h"
#include "policy/requires.h"
#include "policy/tell.h"

enum { TEXT_MAX = 128, SCRATCH_ENTRIES = 256, CHAIN_MAX = 64 };

struct loader {
	struct policy *p;
	const struct yaml *root;
	struct diags *d;
	struct decoder x;
};

/* --- names ------------------------------------------------------------------ */

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct profile *)x)->name, ((const struct profile *)y)->name);
}

const struct profile *policy_profile(const struct policy *p, const char *name, size_t n)
{
	size_t low = 0, high = p->nprofiles;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *have = p->profile[middle].name;
		int order = strncmp(have, name, n);

		if (!order && !have[n])
			return &p->profile[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct fabric *policy_fabric(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->nfabrics; i++)
		if (!strcmp(p->fabric[i].name, name))
			return &p->fabric[i];
	return NULL;
}

static const char *did_you_mean(struct arena *a, const char *near)
{
	return near ? arena_printf(a, "did you mean %s?", near) : NULL;
}

static const char *nearest_profile(const struct loader *l, const char *name)
{
	const char **names = arena_array_of(l->p->a, const char *, l->p->nprofiles + 1);

	for (size_t i = 0; i < l->p->nprofiles; i++)
		names[i] = l->p->profile[i].name;
	return did_you_mean(l->p->a, text_nearest(name, names));
}

/* --- references ------------------------------------------------------------- */

static void check_profiles(struct loader *l, const struct yaml *list, const char *what, const struct yaml *key)
{
	if (!decode_is(&l->x, list, SHAPE_LIST, key, what))
		return;
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml *name = &list->at[i];
		struct pos pos = yaml_pos(l->p->source, name);

		if (!decode_is(&l->x, name, SHAPE_SCALAR, key, what))
			continue;
		if (!policy_profile(l->p, name->text, name->n))
			tell_error(l->d, &pos, nearest_profile(l, yaml_dup(l->p->a, name)),
				   "there is no profile \"%s\"", yaml_shown(l->p->a, name));
		for (size_t k = 0; k < i; k++)
			if (list->at[k].shape == SHAPE_SCALAR && list->at[k].n == name->n &&
			    !memcmp(list->at[k].text, name->text, name->n))
				tell_error(l->d, &pos, NULL, "profile \"%s\" stands twice in one list",
					   yaml_shown(l->p->a, name));
	}
}

static void check_fabric(struct loader *l, const struct item *i)
{
	const char **names;

	if (policy_fabric(l->p, i->value.text))
		return;
	names = arena_array_of(l->p->a, const char *, l->p->nfabrics + 1);
	for (size_t k = 0; k < l->p->nfabrics; k++)
		names[k] = l->p->fabric[k].name;
	tell_error(l->d, &i->pos, did_you_mean(l->p->a, text_nearest(i->value.text, names)),
		   "there is no fabric \"%s\"", text_safe(l->p->a, i->value.text, strlen(i->value.text), TEXT_MAX));
}

static bool selects(const char *selector, const char *path)
{
	size_t n = strlen(selector);

	return !strncmp(selector, path, n) && (!path[n] || path[n] == '.');
}

static bool selects_any(const struct schema *s, const char *selector)
{
	for (size_t i = 0; i < s->nleaves; i++)
		if (s->leaf[i]->setting->scope != SCOPE_NODE && selects(selector, s->leaf[i]->path))
			return true;
	return false;
}

static void check_optional(struct loader *l, const struct item *i)
{
	const struct schema *s = l->p->schema;

	for (size_t k = 0; i->value.texts[k]; k++) {
		const char *selector = i->value.texts[k];
		const char *shown = text_safe(l->p->a, selector, strlen(selector), TEXT_MAX);

		if (selects_any(s, selector))
			continue;
		if (schema_later(arena_printf(l->p->a, "ports.%s", selector)))
			tell_error(l->d, &i->pos, NULL, "optional: %s is not supported by this version of rdmactl",
				   shown);
		else
			tell_error(l->d, &i->pos, schema_hint(s, l->p->a, "ports", s->group, selector, NULL),
				   "optional: there is no setting \"%s\" of ports", shown);
	}
}

static void check_items(struct loader *l, const struct items *items)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct item *one = &items->at[i];

		if (!one->key || one->key->setting != &schema_group || one->op != ITEM_VALUE)
			continue;
		if (one->key->index == GROUP_FABRIC)
			check_fabric(l, one);
		else if (one->key->index == GROUP_OPTIONAL)
			check_optional(l, one);
	}
}

/* Keys of @map that are none of @words. */
static void check_words(struct loader *l, const struct yaml *map, const char *const *words)
{
	l->x.context = "";
	for (size_t i = 0; i < map->n; i++) {
		bool known = false;

		for (const char *const *w = words; *w && !known; w++)
			known = yaml_is(yaml_key(map, i), *w);
		if (!known)
			decode_unknown(&l->x, NULL, yaml_key(map, i), words);
	}
}

/* --- profiles --------------------------------------------------------------- */

static void load_profile(struct loader *l, const struct yaml *key, const struct yaml *map, struct profile *profile)
{
	static const char *const words[] = { "extends", "node", "ports", NULL };

	*profile = (struct profile){ .name = yaml_dup(l->p->a, key), .pos = yaml_pos(l->p->source, key) };
	l->x.where = arena_printf(l->p->a, "profile %s: ", yaml_shown(l->p->a, key));
	l->x.out = &profile->items;
	if (!decode_is(&l->x, map, SHAPE_MAP, key, ""))
		return;
	check_words(l, map, words);
	profile->extends = yaml_get(map, "extends");
	l->x.where = "";
	decode_part(&l->x, map);
}

static void add_to_chain(struct loader *l, struct profile *p, const struct profile *link)
{
	for (size_t i = 0; i < p->nchain; i++)
		if (p->chain[i] == link)
			return;
	if (p->nchain == CHAIN_MAX) {
		tell_error(l->d, &p->pos, NULL, "profile %s extends more than %d others", p->name, CHAIN_MAX);
		return;
	}
	if (!(p->nchain & (p->nchain - 1)))	/* full at each power of two */
		p->chain = arena_grow(l->p->a, p->chain, p->nchain, p->nchain + 1, sizeof(struct profile *));
	p->chain[p->nchain++] = link;
}

/* What @p extends, from left to right, each profile once; @p itself comes last. */
static void chain_profile(struct loader *l, struct profile *p, unsigned depth)
{
	p->walk = PROFILE_OPEN;
	if (depth > CHAIN_MAX)
		tell_error(l->d, &p->pos, NULL, "profiles extend each other more than %d deep", CHAIN_MAX);
	for (size_t i = 0; p->extends && p->extends->shape == SHAPE_LIST && i < p->extends->n; i++) {
		const struct yaml *name = &p->extends->at[i];
		struct pos pos = yaml_pos(l->p->source, name);
		struct profile *base;

		if (name->shape != SHAPE_SCALAR)
			continue;
		base = (struct profile *)policy_profile(l->p, name->text, name->n);
		if (base && base->walk == PROFILE_OPEN)
			tell_error(l->d, &pos, NULL, "profile %s extends itself, by way of %s",
				   text_safe(l->p->a, base->name, strlen(base->name), TEXT_MAX),
				   text_safe(l->p->a, p->name, strlen(p->name), TEXT_MAX));
		if (!base || base->walk == PROFILE_OPEN || depth > CHAIN_MAX)
			continue;
		if (base->walk == PROFILE_NEW)
			chain_profile(l, base, depth + 1);
		for (size_t k = 0; k < base->nchain; k++)
			add_to_chain(l, p, base->chain[k]);
	}
	add_to_chain(l, p, p);
	p->walk = PROFILE_DONE;
}

static void load_profiles(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	if (!decode_is(&l->x, map, SHAPE_MAP, key, "profiles"))
		return;
	l->p->profile = arena_array_of(l->p->a, struct profile, map->n);
	for (size_t i = 0; i < map->n; i++)
		load_profile(l, yaml_key(map, i), yaml_value(map, i), &l->p->profile[i]);
	l->p->nprofiles = map->n;
	qsort(l->p->profile, l->p->nprofiles, sizeof(*l->p->profile), by_name);
	for (size_t i = 0; i < l->p->nprofiles; i++) {
		struct profile *p = &l->p->profile[i];

		l->x.where =
			arena_printf(l->p->a, "profile %s: ", text_safe(l->p->a, p->name, strlen(p->name), TEXT_MAX));
		if (p->extends)
			check_profiles(l, p->extends, "extends", p->extends);
		check_items(l, &p->items);
		if (p->walk == PROFILE_NEW)
			chain_profile(l, p, 1);
	}
	l->x.where = "";
}

/* --- nodes ------------------------------------------------------------------ */

static void check_labels(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	if (!decode_is(&l->x, map, SHAPE_MAP, key, "labels"))
		return;
	for (size_t i = 0; i < map->n; i++)
		decode_is(&l->x, yaml_value(map, i), SHAPE_SCALAR, yaml_key(map, i), "a label");
}

static void check_hosts(struct loader *l, const struct yaml *key, struct hostlist hosts)
{
	size_t at;
	const char *why = hostlist_check(hosts, &at);
	struct pos pos = yaml_pos(l->p->source, key);

	if (!why)
		return;
	if (!key->quoted && at < key->n) {
		pos.col += (uint32_t)at;
		pos.len = 1;
	}
	tell_error(l->d, &pos, NULL, "the node name \"%s\" %s", yaml_shown(l->x.a, key), why);
}

static void check_entry(struct loader *l, const struct entry *e)
{
	static const char *const words[] = { "profiles", "labels", "set", NULL };
	struct items items = { 0 };

	check_hosts(l, e->key, e->hosts);
	l->x.out = &items;
	if (!decode_is(&l->x, e->body, SHAPE_MAP, e->key, "a node"))
		return;
	for (size_t i = 0; i < e->body->n; i++) {
		const struct yaml *key = yaml_key(e->body, i), *y = yaml_value(e->body, i);
		static const char *const parts[] = { "node", "ports", NULL };

		if (yaml_is(key, "profiles")) {
			check_profiles(l, y, "profiles", key);
		} else if (yaml_is(key, "labels")) {
			check_labels(l, key, y);
		} else if (!yaml_is(key, "set")) {
			l->x.context = "";
			decode_unknown(&l->x, NULL, key, words);
		} else if (decode_is(&l->x, y, SHAPE_MAP, key, "set")) {
			check_words(l, y, parts);
			decode_part(&l->x, y);
		}
	}
	check_items(l, &items);
}

/* Every entry is checked, in memory that is given back: a hundred thousand of them keep only their text. */
static void load_nodes(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	struct pos pos = yaml_pos(l->p->source, key);

	if (!decode_is(&l->x, map, SHAPE_MAP, key, "nodes"))
		return;
	if (!map->n)
		tell_error(l->d, &pos, NULL, "nodes is empty: the policy would ask nothing of any node");
	l->p->entry = arena_array_of(l->p->a, struct entry, map->n);
	l->p->nentries = map->n;
	for (size_t i = 0; i < map->n; i++) {
		if (i % SCRATCH_ENTRIES == 0) {
			if (i)
				arena_free(l->x.a);
			l->x.a = arena_new();
		}
		l->p->entry[i] = (struct entry){
			yaml_key(map, i), yaml_value(map, i), hostlist_of(yaml_key(map, i)->text, yaml_key(map, i)->n),
		};
		check_entry(l, &l->p->entry[i]);
	}
	if (map->n)
		arena_free(l->x.a);
	l->x.a = l->p->a;
}

/* --- the top level ---------------------------------------------------------- */

/* Return: is this rdmactl one that may read the policy. */
static bool check_requires(struct loader *l)
{
	const struct yaml *y = yaml_get(l->root, "requires");
	struct pos pos;
	bool met = false;

	if (!y)
		return true;
	pos = yaml_pos(l->p->source, y);
	if (y->shape != SHAPE_SCALAR || requires_met(yaml_dup(l->p->a, y), VERSION, &met) < 0) {
		tell_error(l->d, &pos, "write \">=0.1\", or \">=0.1 <2\"", "requires: %s is no condition on a version",
			   yaml_what(l->p->a, y));
		return true;
	}
	if (!met)
		tell_error(l->d, &pos, "install a version that the policy takes",
			   "the policy requires rdmactl %s, and this is %s", yaml_shown(l->p->a, y), VERSION);
	return met;
}

static bool check_version(struct loader *l)
{
	const struct yaml *y = yaml_get(l->root, "version");
	struct pos pos = yaml_pos(l->p->source, y ? y : l->root);

	if (y && yaml_is(y, "1"))
		return true;
	if (!y)
		tell_error(l->d, &pos, "write `version: 1` at the top",
			   "the policy does not say its version of the language");
	else
		tell_error(l->d, &pos, NULL, "version: this rdmactl knows version 1 of the language, and this is %s",
			   yaml_what(l->p->a, y));
	return !y;
}

static const char *load_text(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	struct pos pos = yaml_pos(l->p->source, y);

	if (!decode_is(&l->x, y, SHAPE_SCALAR, key, yaml_shown(l->p->a, key)))
		return "";
	if (y->n > TEXT_MAX)
		tell_error(l->d, &pos, NULL, "%s is longer than %d bytes", yaml_shown(l->p->a, key), TEXT_MAX);
	return text_safe(l->p->a, y->text, y->n, TEXT_MAX);
}

static void load_revision(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	l->p->revision = load_text(l, key, y);
}

static void check_cluster(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	load_text(l, key, y);
}

static void add_fabric(struct loader *l, const struct yaml *key, const char *name, const struct yaml *map)
{
	const struct fabric *same = policy_fabric(l->p, name);
	struct fabric *f = &l->p->fabric[l->p->nfabrics];

	classes_decode(&l->x, name, key, map, f);
	l->x.where = "";
	if (same)
		tell_both(l->d, &f->pos, &same->pos, "the other one", "two fabrics are named %s", name);
	l->p->nfabrics++;
}

static void load_fabric(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	add_fabric(l, key, "default", y);
}

static void load_fabrics(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	if (!decode_is(&l->x, map, SHAPE_MAP, key, "fabrics"))
		return;
	for (size_t i = 0; i < map->n; i++)
		add_fabric(l, yaml_key(map, i), yaml_dup(l->p->a, yaml_key(map, i)), yaml_value(map, i));
}

static size_t count_fabrics(const struct yaml *root)
{
	const struct yaml *map = yaml_get(root, "fabrics");

	return 1 + (map && map->shape == SHAPE_MAP ? map->n : 0);
}

/* In the order in which one needs the other; those without a function are checked before. */
static const struct {
	const char *key;
	void (*load)(struct loader *l, const struct yaml *key, const struct yaml *y);
} top[] = {
	{ "version", NULL },	       { "requires", NULL },	      { "revision", load_revision },
	{ "cluster", check_cluster },   { "fabric", load_fabric },     { "fabrics", load_fabrics },
	{ "profiles", load_profiles }, { "nodes", load_nodes },
};

enum { TOP = sizeof(top) / sizeof(top[0]) };

static void load_top(struct loader *l)
{
	const char *words[TOP + 1] = { NULL };

	for (size_t t = 0; t < TOP; t++)
		words[t] = top[t].key;
	check_words(l, l->root, words);
	for (size_t t = 0; t < TOP; t++)
		for (size_t i = 0; top[t].load && i < l->root->n; i++)
			if (yaml_is(yaml_key(l->root, i), top[t].key))
				top[t].load(l, yaml_key(l->root, i), yaml_value(l->root, i));
}

static void load_root(struct loader *l)
{
	struct pos pos = yaml_pos(l->p->source, l->root);

	if (l->root->shape != SHAPE_MAP) {
		tell_error(l->d, &pos, "it begins with `version: 1`", "a policy is a map of keys, and this is %s",
			   yaml_what(l->p->a, l->root));
		return;
	}
	if (!check_requires(l) || !check_version(l))
		return;
	l->p->fabric = arena_array_of(l->p->a, struct fabric, count_fabrics(l->root));
	load_top(l);
	if (!yaml_get(l->root, "nodes"))
		tell_error(l->d, &pos, "add nodes: with a name, a host list or a glob for each kind of node",
			   "the policy names no nodes");
}

static size_t mark_len(const struct source *file)
{
	return file->len >= 3 && !memcmp(file->text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static int parse(struct arena *a, const struct source *file, const struct catalog *c, struct policy **out,
		 struct diags *d)
{
	struct source *source = arena_new_of(a, struct source);
	size_t mark = mark_len(file);
	struct policy *p = arena_new_of(a, struct policy);
	struct yaml *root = arena_new_of(a, struct yaml);
	struct schema *schema = schema_new(a, c);
	size_t errors = d->errors;
	struct loader l = {
		.p = p, .root = root, .d = d,
		.x = { .a = a, .source = source, .d = d, .schema = schema, .context = "", .where = "" },
	};

	*source = (struct source){ file->name, file->text + mark, file->len - mark };
	*p = (struct policy){ .a = a, .source = source, .schema = schema, .revision = "" };
	sha256_text(file->text, file->len, p->digest);
	if (yaml_parse(a, source, root, d) == 0)
		load_root(&l);
	if (d->errors > errors)
		return -EINVAL;
	*out = p;
	return 0;
}

int policy_parse(struct arena *a, const char *name, const char *text, size_t n, const struct catalog *c,
		 struct policy **p, struct diags *d)
{
	struct source *source = arena_new_of(a, struct source);

	*source = (struct source){ arena_strdup(a, name), arena_strndup(a, text, n), n };
	if (n > POLICY_FILE_MAX) {
		diag_error(d, &(struct pos){ .source = source }, "is longer than %u bytes, the most that is taken",
			   POLICY_FILE_MAX);
		return -EINVAL;
	}
	return parse(a, source, c, p, d);
}

int policy_load(struct arena *a, const char *path, const struct catalog *c, struct policy **p, struct diags *d)
{
	const struct source *file;

	return file_load(a, path, POLICY_FILE_MAX, &file, d) < 0 ? -EINVAL : parse(a, file, c, p, d);
}

const struct fabric *policy_fabric_at(const struct policy *p, size_t i)
{
	return i < p->nfabrics ? &p->fabric[i] : NULL;
}

const struct source *policy_source(const struct policy *p, size_t i)
{
	return i ? NULL : p->source;
}

const char *policy_digest(const struct policy *p)
{
	return p->digest;
}

const char *policy_revision(const struct policy *p)
{
	return p->revision;
}

/* --- trust ------------------------------------------------------------------ */

static int check_owner(const char *path, struct diags *d)
{
	struct stat st;
	struct diag *one;

	if (stat(path, &st) < 0) {
		int err = errno;

		one = diag_error(d, NULL, "cannot look at %s", path);
		one->err = err;
		return -err;
	}
	if (st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	if (st.st_uid)
		diag_error(d, NULL, "%s is not owned by root but by user %u", path, st.st_uid);
	else
		diag_error(d, NULL, "%s can be written by others than root (mode %04o)", path, st.st_mode & 07777);
	diag_hint(d, "whoever can write a policy decides what root does; chown and chmod it, or say --trust-policy");
	return -EPERM;
}

static const char *directory_of(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

int policy_trusted(const char *path, struct diags *d)
{
	char real[PATH_MAX];
	int r = check_owner(path, d);

	if (r == 0)
		r = check_owner(directory_of(path, d->arena), d);
	if (r == 0 && realpath(path, real))	/* where a symbolic link leads */
		r = check_owner(directory_of(real, d->arena), d);
	return r;
}
