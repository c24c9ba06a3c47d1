/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy: its top level, fabrics and profiles, checked whether a node uses them or not; nodes.c and cohorts.c do the
 * same for theirs, files.c reads. Maps of several files unite, and a name that two of them define is an error. What the
 * policy asks of one node is compile.c's business.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "policy/classes.h"
#include "policy/load.h"
#include "policy/tell.h"

enum { TEXT_MAX = POLICY_TEXT_MAX, CHAIN_MAX = 64, FABRICS_MAX = 256, OPTIONAL_MAX = 256 };

/* Names that are tried for a "did you mean" in all: a thousand errors of a policy of many names must not cost minutes. */
enum { NEAREST_MAX = 1 << 16 };

struct pos load_pos(const struct loader *l, const struct yaml *y)
{
	return decode_pos(&l->x, y);
}

/* --- names ------------------------------------------------------------------ */

/* Of two with one name the one that was read first comes first. */
static int by_name(const void *x, const void *y)
{
	const struct profile *p = x, *q = y;
	int order = strcmp(p->name, q->name);

	return order ? order : p->number < q->number ? -1 : p->number > q->number;
}

const struct profile *policy_profile(const struct policy *p, const char *name, size_t n)
{
	size_t low = 0, high = p->nprofiles;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *have = p->profile[middle].name;
		size_t length = strlen(have);
		int order = memcmp(have, name, length < n ? length : n);

		if (!order && length == n)
			return &p->profile[middle];
		if (order < 0 || (!order && length < n))
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

static const char *profile_name(const struct policy *p, size_t i)
{
	return p->profile[i].name;
}

static const char *fabric_name(const struct policy *p, size_t i)
{
	return p->fabric[i].name;
}

/* "did you mean …?" of @n names, or NULL */
static const char *did_you_mean(struct loader *l, const char *name, size_t n,
				const char *(*name_of)(const struct policy *p, size_t i))
{
	const char **names, *near;

	if (n > NEAREST_MAX - l->compared)
		return NULL;
	l->compared += n;
	names = arena_array_of(l->p->a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		names[i] = name_of(l->p, i);
	near = text_nearest(name, names);
	return near ? arena_printf(l->p->a, "did you mean %s?", near) : NULL;
}

/* Is it not there because its key at the top is misspelt, or its file was not read: that was told. */
static bool is_missing(const struct loader *l, unsigned word)
{
	return l->lost >> word & 1;
}

/* --- references ------------------------------------------------------------- */

/* Is a profile that stands at @k of @list there. */
static bool check_profile(struct loader *l, const struct yaml *list, size_t k)
{
	const struct yaml *name = &list->at[k];
	struct pos pos = load_pos(l, name);

	for (size_t i = 0; i < k; i++)
		if (list->at[i].shape == SHAPE_SCALAR && list->at[i].n == name->n &&
		    !memcmp(list->at[i].text, name->text, name->n)) {
			tell_error(l->d, &pos, NULL, "profile \"%s\" stands twice in one list", yaml_shown(l->p->a, name));
			return true;
		}
	if (policy_profile(l->p, name->text, name->n))
		return true;
	tell_error(l->d, &pos, did_you_mean(l, yaml_dup(l->p->a, name), l->p->nprofiles, profile_name),
		   "there is no profile \"%s\"", yaml_shown(l->p->a, name));
	return false;
}

bool load_check_profiles(struct loader *l, const struct yaml *list, const char *what, const struct yaml *key)
{
	bool good = true;

	if (!decode_is(&l->x, list, SHAPE_LIST, key, what))
		return false;
	if (list->n > CHAIN_MAX) {
		struct pos pos = load_pos(l, &list->at[CHAIN_MAX]);

		tell_error(l->d, &pos, NULL, "%s names more than %d profiles", what, CHAIN_MAX);
		return false;
	}
	for (size_t i = 0; i < list->n; i++)
		good = decode_is(&l->x, &list->at[i], SHAPE_SCALAR, key, what) &&
		       (is_missing(l, TOP_PROFILES) || check_profile(l, list, i)) && good;
	return good;
}

static void check_fabric(struct loader *l, const struct item *i)
{
	if (is_missing(l, TOP_FABRICS) || policy_fabric(l->p, i->value.text))
		return;
	tell_error(l->d, &i->pos, did_you_mean(l, i->value.text, l->p->nfabrics, fabric_name),
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

/* Is it one of the first @n. */
static bool is_among(const char *const *texts, size_t n, const char *one)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(texts[i], one))
			return true;
	return false;
}

static void check_optional(struct loader *l, const struct item *i)
{
	const struct schema *s = l->p->schema;

	for (size_t k = 0; i->value.texts[k]; k++) {
		const char *selector = i->value.texts[k];
		const char *shown = text_safe(l->p->a, selector, strlen(selector), TEXT_MAX);

		if (k == OPTIONAL_MAX) {
			tell_error(l->d, &i->pos, NULL, "optional names more than %d settings", OPTIONAL_MAX);
			return;
		}
		if (is_among(i->value.texts, k, selector)) {
			tell_error(l->d, &i->pos, NULL, "optional names %s twice", shown);
			continue;
		}
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

/* Names in items that lead elsewhere: fabrics, settings under optional. */
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
		else if (one->key->index == GROUP_RAILS && one->value.num == RAILS_BY_GPU)
			l->p->gpus = true;
	}
}

/* Keys of @map that are none of @words. */
void load_check_words(struct loader *l, const struct yaml *map, const struct word *words)
{
	l->x.context = "";
	for (size_t i = 0; i < map->n; i++) {
		bool known = false;

		for (const struct word *w = words; w->key && !known; w++)
			known = yaml_is(yaml_key(map, i), w->key);
		if (!known)
			decode_unknown(&l->x, NULL, yaml_key(map, i), words);
	}
}

/* --- profiles --------------------------------------------------------------- */

static void load_profile(struct loader *l, const struct yaml *key, const struct yaml *map, struct profile *profile)
{
	*profile = (struct profile){
		.name = yaml_dup(l->p->a, key), .pos = load_pos(l, key), .source = l->x.source,
		.number = l->p->nprofiles,
	};
	l->x.where = arena_printf(l->p->a, "profile %s: ", yaml_shown(l->p->a, key));
	l->x.out = &profile->items;
	l->x.used = NULL;
	decode_enter(&l->x, map);
	if (decode_is(&l->x, map, SHAPE_MAP, key, "")) {
		load_check_words(l, map, schema_profile);
		profile->extends = yaml_get(map, schema_profile[PROFILE_EXTENDS].key);
		l->x.where = "";
		decode_part(&l->x, map);
	}
	l->x.used = NULL;
	l->x.where = "";
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
		struct pos pos = yaml_pos(p->source, name);
		struct profile *base;

		if (name->shape != SHAPE_SCALAR)
			continue;
		base = (struct profile *)policy_profile(l->p, name->text, name->n);
		p->bad = p->bad || !base || base->walk == PROFILE_OPEN;
		if (base && base->walk == PROFILE_OPEN)
			tell_error(l->d, &pos, NULL, "profile %s extends itself, by way of %s",
				   text_safe(l->p->a, base->name, strlen(base->name), TEXT_MAX),
				   text_safe(l->p->a, p->name, strlen(p->name), TEXT_MAX));
		if (!base || base->walk == PROFILE_OPEN || depth > CHAIN_MAX)
			continue;
		if (base->walk == PROFILE_NEW)
			chain_profile(l, base, depth + 1);
		p->bad = p->bad || base->bad;
		for (size_t k = 0; k < base->nchain; k++)
			add_to_chain(l, p, base->chain[k]);
	}
	add_to_chain(l, p, p);
	p->walk = PROFILE_DONE;
}

static void load_profiles(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	struct policy *p = l->p;

	if (!decode_is(&l->x, map, SHAPE_MAP, key, schema_top[TOP_PROFILES].key))
		return;
	p->profile = arena_grow(p->a, p->profile, p->nprofiles, map->n, sizeof(*p->profile));
	for (size_t i = 0; i < map->n; i++, p->nprofiles++)
		load_profile(l, yaml_key(map, i), yaml_value(map, i), &p->profile[p->nprofiles]);
}

static void check_profile_names(struct loader *l)
{
	for (size_t i = 1; i < l->p->nprofiles; i++) {
		const struct profile *first = &l->p->profile[i - 1], *second = &l->p->profile[i];

		if (!strcmp(first->name, second->name))
			tell_both(l->d, &second->pos, &first->pos, "and here", "profile %s is defined in two files (%s)",
				  text_safe(l->p->a, first->name, strlen(first->name), TEXT_MAX),
				  tell_places(l->p->a, &first->pos, &second->pos));
	}
}

/* What profiles say of each other, once all are there. */
static void profiles_finish(struct loader *l)
{
	if (l->p->nprofiles)
		qsort(l->p->profile, l->p->nprofiles, sizeof(*l->p->profile), by_name);
	check_profile_names(l);
	for (size_t i = 0; i < l->p->nprofiles; i++) {
		struct profile *p = &l->p->profile[i];

		l->x.source = p->source;
		l->x.where =
			arena_printf(l->p->a, "profile %s: ", text_safe(l->p->a, p->name, strlen(p->name), TEXT_MAX));
		p->bad = p->extends && !load_check_profiles(l, p->extends, schema_profile[PROFILE_EXTENDS].key, p->extends);
		check_items(l, &p->items);
	}
	l->x.where = "";
	for (size_t i = 0; i < l->p->nprofiles; i++)
		if (l->p->profile[i].walk == PROFILE_NEW)
			chain_profile(l, &l->p->profile[i], 1);
}

/* --- the top level ---------------------------------------------------------- */

static const char *load_text(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	struct pos pos = load_pos(l, y);

	if (!decode_is(&l->x, y, SHAPE_SCALAR, key, yaml_shown(l->p->a, key)))
		return "";
	if (y->n > TEXT_MAX)
		tell_error(l->d, &pos, NULL, "%s is longer than %d bytes", yaml_shown(l->p->a, key), TEXT_MAX);
	return text_safe(l->p->a, y->text, y->n, TEXT_MAX);
}

/* What a policy says once, in whatever file. */
static void check_once(struct loader *l, const struct yaml *key, struct pos *first)
{
	struct pos pos = load_pos(l, key);

	if (first->source)
		tell_both(l->d, &pos, first, "and here", "%s is said in two files (%s)", yaml_shown(l->p->a, key),
			  tell_places(l->p->a, first, &pos));
	*first = pos;
}

static void load_revision(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	check_once(l, key, &l->revision);
	l->p->revision = load_text(l, key, y);
}

static void load_cluster(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	check_once(l, key, &l->cluster);
	load_text(l, key, y);
}

static void add_fabric(struct loader *l, const struct yaml *key, const char *name, const struct yaml *map)
{
	struct policy *p = l->p;
	const struct fabric *same = policy_fabric(p, name);
	size_t errors = tell_seen(l->d);
	struct pos pos = load_pos(l, key);

	if (p->nfabrics == FABRICS_MAX) {
		tell_error(l->d, &pos, NULL, "the policy has more than %d fabrics", FABRICS_MAX);
		return;
	}
	if (same)
		tell_both(l->d, &pos, &same->pos, "the other one", "two fabrics are named %s (%s)",
			  text_safe(p->a, name, strlen(name), TEXT_MAX), tell_places(p->a, &same->pos, &pos));
	if (p->nfabrics == p->rfabrics) {
		p->fabric = arena_grow(p->a, p->fabric, p->nfabrics, p->nfabrics + 2, sizeof(*p->fabric));
		p->bad_fabric = arena_grow(p->a, p->bad_fabric, p->nfabrics, p->nfabrics + 2, sizeof(*p->bad_fabric));
		p->rfabrics += p->nfabrics + 2;
	}
	decode_enter(&l->x, map);
	classes_decode(&l->x, name, key, map, &p->fabric[p->nfabrics]);
	l->x.used = NULL;
	l->x.where = "";
	p->bad_fabric[p->nfabrics++] = tell_seen(l->d) > errors;
}

static void load_fabric(struct loader *l, const struct yaml *key, const struct yaml *y)
{
	add_fabric(l, key, FABRIC_DEFAULT, y);
}

static void load_fabrics(struct loader *l, const struct yaml *key, const struct yaml *map)
{
	if (!decode_is(&l->x, map, SHAPE_MAP, key, "fabrics"))
		return;
	for (size_t i = 0; i < map->n; i++)
		add_fabric(l, yaml_key(map, i), yaml_dup(l->p->a, yaml_key(map, i)), yaml_value(map, i));
}

void load_check_set(struct loader *l, const struct yaml *key, const struct yaml *set)
{
	const struct yaml *above = decode_enter(&l->x, set);
	struct items items = { 0 };

	if (decode_is(&l->x, set, SHAPE_MAP, key, schema_entry[ENTRY_SET].key)) {
		load_check_words(l, set, schema_part);
		l->x.out = &items;
		decode_part(&l->x, set);
		check_items(l, &items);
	}
	l->x.used = above;
}

/* In the order in which one needs the other; those without a function are looked at where the file is read. */
static const struct top {
	void (*load)(struct loader *l, const struct yaml *key, const struct yaml *y);
	void (*finish)(struct loader *l);	/* once all files are loaded */
} top[TOP_WORDS] = {
	[TOP_REVISION] = { load_revision, NULL },
	[TOP_CLUSTER] = { load_cluster, NULL },
	[TOP_FABRIC] = { load_fabric, NULL },
	[TOP_FABRICS] = { load_fabrics, NULL },
	[TOP_PROFILES] = { load_profiles, profiles_finish },
	[TOP_NODES] = { load_nodes, nodes_finish },
	[TOP_COHORTS] = { load_cohorts, NULL },
};

static void load_key(struct loader *l, const struct word *word, const struct top *t)
{
	for (size_t f = 0; f < l->p->files.n; f++) {
		const struct yaml *root = l->p->files.at[f]->root;

		l->x.source = l->p->files.at[f]->source;
		for (size_t i = 0; root && t->load && i < root->n; i++)
			if (yaml_is(yaml_key(root, i), word->key))
				t->load(l, yaml_key(root, i), yaml_value(root, i));
	}
	if (t->finish)
		t->finish(l);
}

static bool has_key(const struct loader *l, const char *key)
{
	for (size_t f = 0; f < l->p->files.n; f++)
		if (l->p->files.at[f]->root && yaml_get(l->p->files.at[f]->root, key))
			return true;
	return false;
}

static bool is_word(const struct yaml *key)
{
	for (size_t t = 0; t < TOP_WORDS; t++)
		if (yaml_is(key, schema_top[t].key))
			return true;
	return false;
}

static void find_misspelt_in(struct loader *l, const struct yaml *root, unsigned missing)
{
	for (size_t i = 0; i < root->n; i++)
		for (size_t t = 0; t < TOP_WORDS && !is_word(yaml_key(root, i)); t++) {
			const char *const word[] = { schema_top[t].key, NULL };

			if ((missing & ~l->lost) >> t & 1 && text_nearest(yaml_dup(l->p->a, yaml_key(root, i)), word))
				l->lost |= 1u << t;
		}
}

/* Of the words that no file has, those that an unknown key of the top is spelled like. */
static void find_misspelt(struct loader *l)
{
	unsigned missing = 0;

	for (size_t t = 0; t < TOP_WORDS; t++)
		missing |= has_key(l, schema_top[t].key) ? 0 : 1u << t;
	for (size_t f = 0; f < l->p->files.n; f++)
		if (l->p->files.at[f]->root)
			find_misspelt_in(l, l->p->files.at[f]->root, missing);
}

void load_top(struct loader *l)
{
	for (size_t f = 0; f < l->p->files.n; f++) {
		l->x.source = l->p->files.at[f]->source;
		if (l->p->files.at[f]->root)
			load_check_words(l, l->p->files.at[f]->root, schema_top);
	}
	find_misspelt(l);
	for (size_t t = 0; t < TOP_WORDS; t++)
		load_key(l, &schema_top[t], &top[t]);
}

struct loader *loader_new(struct arena *a, const char *name, const struct catalog *c, const struct schema *schema, struct diags *d)
{
	struct loader *l = arena_new_of(a, struct loader);
	struct policy *p = arena_new_of(a, struct policy);

	*p = (struct policy){ .a = a, .name = arena_strdup(a, name), .schema = schema, .catalog = c,
			     .revision = "" };
	*l = (struct loader){ .p = p, .d = d, .x = { .a = a, .d = d, .schema = schema, .context = "", .where = "" } };
	sha256_init(&l->sha);
	return l;
}

/* *out: also of a policy with errors, if there is anything in it to judge. */
static int loaded(struct loader *l, size_t errors, struct policy **out)
{
	bool any = false;

	for (size_t i = 0; i < l->p->files.n; i++)
		any = any || l->p->files.at[i]->root;
	if (any && !l->stop) {
		l->p->source = l->p->files.at[0]->source;
		sha256_done_text(&l->sha, l->p->digest);
		load_top(l);
		l->p->bad = tell_seen(l->d) > errors;
		if (l->lost)
			l->p->nentries = 0;	/* what nodes get would lack it */
		*out = l->p;
	}
	return tell_seen(l->d) > errors ? -EINVAL : 0;
}

int policy_parse(struct arena *a, const char *name, const char *text, size_t n, const struct catalog *c,
		 struct policy **p, struct diags *d)
{
	struct source *source = arena_new_of(a, struct source);
	struct loader *l = loader_new(a, name, c, schema_new(a, c), d);
	size_t errors = tell_seen(d);

	*p = NULL;
	*source = (struct source){ arena_strdup(a, name), arena_strndup(a, text, n), n };
	if (n > POLICY_FILE_MAX) {
		diag_error(d, &(struct pos){ .source = source }, "is longer than %u bytes, the most that is taken",
			   POLICY_FILE_MAX);
		return -EINVAL;
	}
	files_take(l, source);
	return loaded(l, errors, p);
}

int policy_load_for(struct arena *a, const char *path, const struct catalog *c, struct cache *cache, struct policy **p,
		    struct diags *d)
{
	struct loader *l = loader_new(a, strcmp(path, "-") != 0 ? path : "<stdin>", c, schema_new(a, c), d);
	size_t errors = tell_seen(d);

	*p = NULL;
	l->cache = cache;
	files_read(l, path);
	if (!l->compiled)
		return loaded(l, errors, p);
	*p = l->compiled;
	return 0;
}

int policy_load(struct arena *a, const char *path, const struct catalog *c, struct policy **p, struct diags *d)
{
	return policy_load_for(a, path, c, NULL, p, d);
}

bool policy_allows_later(const struct policy *p)
{
	for (size_t i = 0; p->partial && i < p->files.n; i++)
		if (p->files.at[i]->speaks && !p->files.at[i]->source->text)
			return true;
	return false;
}

void policy_texts(struct policy *p)
{
	files_texts(p);
}

const struct fabric *policy_fabric_at(const struct policy *p, size_t i)
{
	for (size_t k = 0; k < p->nfabrics; k++)
		if (!p->bad_fabric[k] && i-- == 0)
			return &p->fabric[k];
	return NULL;
}

const struct source *policy_source(const struct policy *p, size_t i)
{
	return i < p->files.n ? p->files.at[i]->source : NULL;
}

bool policy_sees_gpus(const struct policy *p)
{
	return p->gpus;
}
