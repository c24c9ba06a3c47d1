/* SPDX-License-Identifier: Apache-2.0 */
/* Where each key of the language stands: the maps of the schema, each with the way that leads to it. */
#include "policy/language.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/catalog.h"
#include "policy/pattern.h"
#include "policy/schema.h"

enum { PLACES_MAX = 16 };

struct place {
	const char *name, *what;	/* "cohorts"; "a cohort" */
	const char *before, *behind;	/* of a key there: "cohorts: {NAME: {", "}}" */
	const struct word *words;	/* NULL: none */
	const struct key *map;		/* NULL: none */
};

/* In the order in which a key that stands elsewhere is looked for. Return: how many. */
static size_t places_of(const struct schema *s, struct arena *a, struct place p[PLACES_MAX])
{
	const struct tier_keys tiers = schema_tiers(a);
	const struct place all[] = {
		{ "ports", "a group of ports", "ports: {NAME: {", "}}", NULL, s->group },
		{ "node", "the settings of the node", "node: {", "}", NULL, s->node },
		{ "", "the top of the file", "", "", schema_top, NULL },
		{ "profiles", "a profile", "profiles: {NAME: {", "}}", schema_profile, NULL },
		{ "nodes", "an entry of nodes", "nodes: {NAME: {", "}}", schema_entry, NULL },
		{ "cohorts", "a cohort", "cohorts: {NAME: {", "}}", schema_cohort, NULL },
		{ "except", "an exception of a group", "ports: {NAME: {except: [{", "}]}}", schema_exception, NULL },
		{ "classes", "a class of a fabric", "fabrics: {NAME: {classes: {NAME: {", "}}}}", NULL, s->class },
		{ "classes", "the classes of a fabric", "fabrics: {NAME: {classes: {", "}}}", schema_classes, NULL },
		{ "fabrics", "a fabric", "fabrics: {NAME: {", "}}", schema_fabric, s->fabric },
		{ "tiers", "a tier of a fabric", "fabrics: {NAME: {tiers: {NAME: {", "}}}}", schema_tier, tiers.tier },
		{ "links", "a link of a tier", "fabrics: {NAME: {tiers: {NAME: {links: {NAME: {", "}}}}}}", NULL, tiers.link },
	};

	_Static_assert(sizeof(all) <= PLACES_MAX * sizeof(all[0]), "a place for each");
	memcpy(p, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* "qos.pfc" as it is written: `qos: {pfc: …}`; a `*` is a name of the policy's own */
static const char *nested(struct arena *a, const char *path)
{
	TEXT_CLEANUP struct text t = { 0 };
	unsigned depth = 0;

	for (; *path; path++) {
		if (*path == '.') {
			text_add(&t, ": {");
			depth++;
		} else if (*path == '*') {
			text_add(&t, "NAME");
		} else {
			text_char(&t, *path);
		}
	}
	text_add(&t, ": …");
	while (depth--)
		text_char(&t, '}');
	return arena_strdup(a, text_str(&t));
}

static const char *written(struct arena *a, const struct place *p, const char *path)
{
	return arena_printf(a, "%s%s%s", p->before, nested(a, path), p->behind);
}

/* --- a key that stands elsewhere -------------------------------------------- */

/* Which of two of one name is rather meant: one that can be set, one that is looked at, one that picks ports; a map of others. */
static int rank(const struct key *k)
{
	return !k ? 0 : !k->field ? 1 : k->setting == &schema_group ? 2 : k->field->verify_only ? 3 : 4;
}

/* A key below @k with that path or last word. */
static const struct key *namesake(const struct key *k, const char *name, const struct key *best)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct key *child = k->child[i];
		bool same = strcmp(name, "*") != 0 && (!strcmp(child->path, name) || !strcmp(child->name, name));

		if (same && rank(child) > rank(best))
			best = child;
		if (!child->field)
			best = namesake(child, name, best);
	}
	return best;
}

static const struct word *word_named(const struct word *w, const char *name)
{
	for (; w && w->key; w++)
		if (!strcmp(w->key, name))
			return w;
	return NULL;
}

static const char *elsewhere(const struct place *p, size_t n, struct arena *a, const struct key *map, bool in_fabric,
			     const char *name)
{
	const struct key *below = map ? namesake(map, name, NULL) : NULL;
	size_t first = 0;

	if (below)
		return arena_printf(a, "it is written %s", nested(a, below->path));
	while (in_fabric && strcmp(p[first].name, "classes") != 0)
		first++;
	for (size_t k = 0; k < n; k++) {
		size_t i = (first + k) % n;
		const struct word *word = word_named(p[i].words, name);
		const struct key *field = word || !p[i].map ? NULL : namesake(p[i].map, name, NULL);
		const char *path = word ? word->key : field ? field->path : NULL;

		if (path)
			return arena_printf(a, "`%s` belongs in %s: %s", nested(a, path), p[i].what, written(a, &p[i], path));
	}
	return NULL;
}

/* Somebody may misspell a hundred thousand keys: the list of places is not kept for each. */
const char *language_elsewhere(const struct schema *s, struct arena *a, const struct key *map, bool in_fabric, const char *name)
{
	struct arena *scratch = arena_new();
	struct place p[PLACES_MAX];
	const char *said = elsewhere(p, places_of(s, scratch, p), a, map, in_fabric, name);

	arena_free(scratch);
	return said;
}

/* --- what each means -------------------------------------------------------- */

struct keys {
	struct arena *a;
	struct language_key *at;
	size_t n, room;
};

static void add_words(struct keys *k, const struct place *p)
{
	for (const struct word *w = p->words; w && w->key; w++)
		list_add(k, k->a) = (struct language_key){
			.place = p->name, .key = w->key, .written = written(k->a, p, w->key), .doc = w->doc,
		};
}

static bool is_setting(const struct catalog *c, const struct setting *s)
{
	for (size_t i = 0; i < c->nsettings; i++)
		if (c->setting[i] == s)
			return true;
	return false;
}

/* A list of maps, which no kind of field is. */
static bool is_exceptions(const struct key *k)
{
	return k->setting == &schema_group && k->index == GROUP_EXCEPT;
}

static void add_fields(struct keys *k, const struct place *p, const struct key *map, const struct catalog *c)
{
	for (size_t i = 0; map && i < map->n; i++) {
		const struct key *child = map->child[i];

		if (!child->field)
			add_fields(k, p, child, c);
		else if (!is_setting(c, child->setting))
			list_add(k, k->a) = (struct language_key){
				.place = p->name, .key = child->path, .written = written(k->a, p, child->path),
				.doc = child->field->doc, .field = is_exceptions(child) ? NULL : child->field,
			};
	}
}

/* "neighbor.system, neighbor.port" */
static const char *fields_with_patterns(struct arena *a, const struct catalog *c)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++)
			if (f->pattern)
				text_printf(&t, "%s%s", t.n ? ", " : "", f->name);
	return arena_strdup(a, text_str(&t));
}

static void add_patterns(struct keys *k, const struct catalog *c)
{
	const char *fields = fields_with_patterns(k->a, c);

	for (const struct word *w = pattern_names; w->key; w++)
		list_add(k, k->a) = (struct language_key){
			.place = "", .key = w->key, .written = arena_printf(k->a, "in values of %s", fields), .doc = w->doc,
		};
}

const struct language_key *language_keys(struct arena *a, const struct catalog *c, size_t *n)
{
	const struct schema *s = schema_new(a, c);
	struct keys k = { .a = a };
	struct place p[PLACES_MAX];
	size_t places = places_of(s, a, p);

	for (size_t i = 0; i < places; i++) {
		add_words(&k, &p[i]);
		add_fields(&k, &p[i], p[i].map, c);
	}
	add_patterns(&k, c);
	*n = k.n;
	return k.at;
}
