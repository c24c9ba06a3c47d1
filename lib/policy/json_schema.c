/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language as JSON Schema, draft-07. Maps of fields come from the key tree, the others from the words of schema.h;
 * what each word holds is the one thing said here. A reader of YAML has given scalars a type before a schema sees them:
 * a text may be a number (28.39) or a boolean (on), and a number with a unit is a text.
 */
#include "policy/json_schema.h"

#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/decode.h"
#include "policy/schema.h"

/* What names are made of that become parts of paths and lines of files (decode.c), and host lists (hostlist.c). */
#define STAR_NAME  "^(?!/)(?!.*\\.\\.)[!-~]{1,255}$"
#define GROUP_NAME "^[^/]{1,64}$"
#define SOME_NAME  "^.+$"
#define HOSTLIST   "^[^@!&^\\s]+$"

/* --- pieces ------------------------------------------------------------------- */

static void type(struct json *j, const char *const *names)
{
	json_array_open(j, "type");
	for (; *names; names++)
		json_string(j, NULL, *names);
	json_array_close(j);
}

#define TYPE(j, ...) type(j, (const char *const[]){ __VA_ARGS__, NULL })

static void ref(struct json *j, const char *key, const char *definition)
{
	json_object_open(j, key);
	json_string(j, "$ref", definition);
	json_object_close(j);
}

/* One of several things that a value may be: { "WORD": "IS" }. */
static void either(struct json *j, const char *word, const char *is)
{
	json_object_open(j, NULL);
	json_string(j, word, is);
	json_object_close(j);
}

/* A map whose keys are names of the policy's own, each of them like @definition. */
static void map_of(struct json *j, const char *names, const char *definition)
{
	json_string(j, "type", "object");
	json_object_open(j, "patternProperties");
	ref(j, names, definition);
	json_object_close(j);
	json_boolean(j, "additionalProperties", false);
}

static void list_of_texts(struct json *j)
{
	json_string(j, "type", "array");
	json_object_open(j, "items");
	TYPE(j, "string", "number", "boolean");
	json_object_close(j);
}

/* --- fields ------------------------------------------------------------------- */

static void whole(struct json *j, const char *key, int64_t min, int64_t max)
{
	json_object_open(j, key);
	json_string(j, "type", "integer");
	json_int(j, "minimum", min);
	json_int(j, "maximum", max);
	json_object_close(j);
}

/* "400Gb/s", "60%"; without a unit too, as a number in quotes is one all the same. */
static void measured(struct json *j, const char *unit)
{
	TEXT_CLEANUP struct text pattern = { 0 };

	text_add(&pattern, unit && !strcmp(unit, "%") ? "^(100|[1-9]?[0-9])(\\.0+)?(" : "^(0|[1-9][0-9]*)(\\.[0-9]+)?(");
	units_suffixes(unit, "|", &pattern);
	text_add(&pattern, ")?$");
	json_object_open(j, NULL);
	json_string(j, "type", "string");
	json_string(j, "pattern", text_str(&pattern));
	json_object_close(j);
}

static void words(struct json *j, const char *const *list)
{
	json_object_open(j, NULL);
	json_array_open(j, "enum");
	for (; *list; list++)
		json_string(j, NULL, *list);
	json_array_close(j);
	json_object_close(j);
}

/* "[0-7]", "[0-9]|[1-5][0-9]|6[0-3]": the numbers below @span, which is 100 at most. */
static const char *numbers_below(unsigned span, struct text *t)
{
	unsigned tens = (span - 1) / 10, last = (span - 1) % 10;

	if (!tens) {
		text_printf(t, "[0-%u]", last);
		return text_str(t);
	}
	text_add(t, "[0-9]");
	if (tens > 1)
		text_printf(t, "|[1-%u][0-9]", tens - 1);
	text_printf(t, "|%u[0-%u]", tens, last);
	return text_str(t);
}

static void set(struct json *j, const struct field *f)
{
	TEXT_CLEANUP struct text pattern = { 0 };

	json_object_open(j, NULL);
	json_string(j, "type", "array");
	json_boolean(j, "uniqueItems", true);
	text_add(&pattern, "^(");
	numbers_below((unsigned)f->max + 1, &pattern);
	text_add(&pattern, ")$");
	json_object_open(j, "items");
	json_array_open(j, "anyOf");
	whole(j, NULL, 0, f->max);
	json_object_open(j, NULL);
	json_string(j, "type", "string");
	json_string(j, "pattern", text_str(&pattern));
	json_object_close(j);
	json_array_close(j);
	json_object_close(j);
	json_object_close(j);
}

static unsigned span_of(const struct field *f)
{
	return f->kind == KIND_MAP ? f->span : AMOUNTS;
}

/* {26: 3, 0-63: 0}: single keys and ranges. */
static void keyed(struct json *j, const struct field *f)
{
	TEXT_CLEANUP struct text one = { 0 }, pattern = { 0 };
	const char *number = numbers_below(span_of(f), &one);

	text_printf(&pattern, "^(%s)(-(%s))?$", number, number);
	json_object_open(j, NULL);
	json_string(j, "type", "object");
	if (!decode_may_be_empty(f))
		json_int(j, "minProperties", 1);
	json_object_open(j, "propertyNames");
	json_string(j, "pattern", text_str(&pattern));
	json_object_close(j);
	json_object_open(j, "additionalProperties");
	json_array_open(j, "anyOf");
	whole(j, NULL, f->min, f->kind == KIND_SHARES ? 100 : f->max);
	if (f->kind == KIND_SHARES) {
		measured(j, "%");
		either(j, "const", "strict");
		either(j, "const", "vendor");
	}
	if (f->kind == KIND_AMOUNTS)
		measured(j, f->unit);
	either(j, "type", "null");
	json_array_close(j);
	json_object_close(j);
	json_object_close(j);
}

static void texts(struct json *j)
{
	json_object_open(j, NULL);
	list_of_texts(j);
	json_object_close(j);
}

static void text(struct json *j)
{
	json_object_open(j, NULL);
	TYPE(j, "string", "number", "boolean");
	json_object_close(j);
}

/* A field with a spelling of its own: of it a schema knows no more than that it is one value. */
static void scalar(struct json *j, const struct field *f)
{
	if (f->kind == KIND_WORD)
		words(j, f->words);
	if (f->kind != KIND_WORD || f->parse)
		text(j);
}

static void of_kind(struct json *j, const struct field *f)
{
	static const char *const booleans[] = { "on", "off", "yes", "no", NULL };

	if (f->kind == KIND_BOOL) {
		either(j, "type", "boolean");
		words(j, booleans);
	} else if (f->kind == KIND_UINT && !f->parse) {
		whole(j, NULL, f->min, f->max);
		measured(j, f->unit);
	} else if (f->kind == KIND_SET) {
		set(j, f);
	} else if (f->kind == KIND_MAP || f->kind == KIND_SHARES || f->kind == KIND_AMOUNTS) {
		keyed(j, f);
	} else if (f->kind == KIND_TEXTS) {
		texts(j);
	}
	if (f->parse || f->kind == KIND_TEXT || f->kind == KIND_WORD)
		scalar(j, f);
}

static bool derives(const struct key *k)
{
	bool any = false;

	if (k->field)
		return key_derives(k);
	for (size_t i = 0; i < k->n && !any; i++)
		any = derives(k->child[i]);
	return any;
}

static void describe(struct json *j, const struct field *f)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_add(&t, f->doc);
	if (f->unit)
		text_printf(&t, " (%s)", f->unit);
	if (f->verify_only)
		text_add(&t, "; verified, not set");
	json_string(j, "description", text_str(&t));
}

/* --- keys --------------------------------------------------------------------- */

static void children(struct json *j, const struct key *k, const struct word *others, const char *const *other_refs);

static void value(struct json *j, const char *name, const struct key *k)
{
	json_object_open(j, name);
	if (k->setting == &schema_group && k->index == GROUP_EXCEPT && k->field) {
		json_string(j, "$ref", "#/definitions/except");
		json_object_close(j);
		return;
	}
	if (k->field)
		describe(j, k->field);
	json_array_open(j, "anyOf");
	if (k->field) {
		of_kind(j, k->field);
	} else {
		json_object_open(j, NULL);
		children(j, k, NULL, NULL);
		json_object_close(j);
	}
	if (derives(k))
		either(j, "const", "fabric");
	either(j, "type", "null");
	json_array_close(j);
	json_object_close(j);
}

/* May an exception set any field at or below this key. */
static bool excepted(const struct key *k)
{
	bool any = false;

	if (k->field)
		return !key_is_of_group(k);
	for (size_t i = 0; i < k->n && !any; i++)
		any = excepted(k->child[i]);
	return any;
}

/* A map of fields. @others: words that stand beside them, each like its entry of @other_refs */
static void children(struct json *j, const struct key *k, const struct word *others, const char *const *other_refs)
{
	json_string(j, "type", "object");
	json_object_open(j, "properties");
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->child[i]->name, "*") != 0)
			value(j, k->child[i]->name, k->child[i]);
	for (size_t i = 0; others && others[i].key; i++)
		ref(j, others[i].key, other_refs[i]);
	json_object_close(j);
	json_object_open(j, "patternProperties");
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->child[i]->name, "*"))
			value(j, STAR_NAME, k->child[i]);
	json_object_close(j);
	json_boolean(j, "additionalProperties", false);
}

/* --- words -------------------------------------------------------------------- */

/* What the words of the language hold, by kind. */
static void holds_version(struct json *j)
{
	json_array_open(j, "enum");
	json_int(j, NULL, 1);
	json_string(j, NULL, "1");
	json_array_close(j);
}

static void holds_text(struct json *j)
{
	TYPE(j, "string", "number", "boolean");
}

static void holds_names(struct json *j)
{
	list_of_texts(j);
}

static void holds_labels(struct json *j)
{
	json_string(j, "type", "object");
	json_object_open(j, "additionalProperties");
	TYPE(j, "string", "number", "boolean");
	json_object_close(j);
}

static void holds_hosts(struct json *j)
{
	json_string(j, "type", "string");
	json_string(j, "pattern", HOSTLIST);
}

static void holds_share(struct json *j)
{
	json_string(j, "type", "string");
	json_string(j, "pattern", "^(?!0+(\\.0+)?%)(0*100(\\.0{1,2})?|[0-9]{1,2}(\\.[0-9]{1,2})?)%$");
}

static void holds_date(struct json *j)
{
	json_string(j, "type", "string");
	json_string(j, "pattern", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$");
}

static void holds_reason(struct json *j)
{
	TYPE(j, "string", "number", "boolean");
	json_int(j, "minLength", 1);
}

static void holds_fabrics(struct json *j)
{
	map_of(j, SOME_NAME, "#/definitions/fabric");
}

static void holds_profiles(struct json *j)
{
	map_of(j, SOME_NAME, "#/definitions/profile");
}

static void holds_nodes(struct json *j)
{
	json_int(j, "minProperties", 1);
	map_of(j, HOSTLIST, "#/definitions/entry");
}

static void holds_cohorts(struct json *j)
{
	map_of(j, GROUP_NAME, "#/definitions/cohort");
}

static void holds_ports(struct json *j)
{
	json_string(j, "type", "object");
	json_object_open(j, "patternProperties");
	json_object_open(j, GROUP_NAME);
	json_array_open(j, "anyOf");
	ref(j, NULL, "#/definitions/group");
	either(j, "type", "null");
	json_array_close(j);
	json_object_close(j);
	json_object_close(j);
	json_boolean(j, "additionalProperties", false);
}

struct holds {
	void (*say)(struct json *j);	/* or: */
	const char *ref;
};

static const struct holds top[TOP_WORDS] = {
	[TOP_VERSION] = { holds_version, NULL },   [TOP_REQUIRES] = { holds_text, NULL },
	[TOP_INCLUDE] = { holds_names, NULL },	   [TOP_REVISION] = { holds_text, NULL },
	[TOP_CLUSTER] = { holds_text, NULL },	   [TOP_FABRIC] = { NULL, "#/definitions/fabric" },
	[TOP_FABRICS] = { holds_fabrics, NULL },   [TOP_PROFILES] = { holds_profiles, NULL },
	[TOP_NODES] = { holds_nodes, NULL },	   [TOP_COHORTS] = { holds_cohorts, NULL },
};
static const struct holds part[PROFILE_WORDS] = {
	[PART_NODE] = { NULL, "#/definitions/node" },
	[PART_PORTS] = { holds_ports, NULL },
	[PROFILE_EXTENDS] = { holds_names, NULL },
};
static const struct holds entry[ENTRY_WORDS] = {
	[ENTRY_PROFILES] = { holds_names, NULL },
	[ENTRY_LABELS] = { holds_labels, NULL },
	[ENTRY_SET] = { NULL, "#/definitions/set" },
};
static const struct holds cohort[COHORT_WORDS] = {
	[COHORT_BY_NODES] = { holds_hosts, NULL },
	[COHORT_BY_LABELS] = { holds_labels, NULL },
	[COHORT_BY_HASH] = { holds_share, NULL },
	[COHORT_SET] = { NULL, "#/definitions/set" },
};
static const struct holds exception[EXCEPT_WORDS] = {
	[EXCEPT_NODES] = { holds_hosts, NULL },	  [EXCEPT_MATCH] = { NULL, "#/definitions/match" },
	[EXCEPT_SET] = { NULL, "#/definitions/odd" }, [EXCEPT_BECAUSE] = { holds_reason, NULL },
	[EXCEPT_UNTIL] = { holds_date, NULL },
};

/* A map of words. @required: those it must have, NULL at the end */
static void map_of_words(struct json *j, const struct word *words, const struct holds *holds, const char *const *required)
{
	json_string(j, "type", "object");
	json_object_open(j, "properties");
	for (size_t i = 0; words[i].key; i++) {
		json_object_open(j, words[i].key);
		json_string(j, holds[i].ref ? "title" : "description", words[i].doc);
		if (holds[i].ref)
			json_string(j, "$ref", holds[i].ref);
		else
			holds[i].say(j);
		json_object_close(j);
	}
	json_object_close(j);
	json_array_open(j, "required");
	for (; *required; required++)
		json_string(j, NULL, *required);
	json_array_close(j);
	json_boolean(j, "additionalProperties", false);
}

#define NEEDS(...) ((const char *const[]){ __VA_ARGS__ NULL })

/* --- definitions -------------------------------------------------------------- */

static void define_words(struct json *j, const char *name, const struct word *words, const struct holds *holds,
			 const char *const *required)
{
	json_object_open(j, name);
	map_of_words(j, words, holds, required);
	json_object_close(j);
}

/* @required: a key that it must have, or NULL */
static void define_keys(struct json *j, const char *name, const struct key *k, const struct word *others,
			const char *const *refs, const char *required)
{
	json_object_open(j, name);
	children(j, k, others, refs);
	if (required) {
		json_array_open(j, "required");
		json_string(j, NULL, required);
		json_array_close(j);
	}
	json_object_close(j);
}

static void define_map(struct json *j, const char *name, const char *definition)
{
	json_object_open(j, name);
	json_int(j, "minProperties", 1);
	map_of(j, "^[^/\\s]{1,64}$", definition);
	json_object_close(j);
}

static void needs(struct json *j, const char *key)
{
	json_object_open(j, NULL);
	json_array_open(j, "required");
	json_string(j, NULL, key);
	json_array_close(j);
	json_object_close(j);
}

static void define_except(struct json *j)
{
	json_object_open(j, "except");
	json_string(j, "description", schema_group.fields[GROUP_EXCEPT].doc);
	TYPE(j, "array", "null");
	json_int(j, "maxItems", DECODE_EXCEPTIONS_MAX);
	json_object_open(j, "items");
	map_of_words(j, schema_exception, exception,
		     NEEDS(schema_exception[EXCEPT_SET].key, schema_exception[EXCEPT_BECAUSE].key, ));
	json_array_open(j, "anyOf");
	needs(j, schema_exception[EXCEPT_NODES].key);
	needs(j, schema_exception[EXCEPT_MATCH].key);
	json_array_close(j);
	json_object_close(j);
	json_object_close(j);
}

/* What an exception sets: the keys of a group that do not say which ports it has. */
static void define_odd(struct arena *a, struct json *j, const struct schema *s)
{
	struct key odd = { .name = "", .path = "", .child = arena_array_of(a, struct key *, s->group->n) };

	for (size_t i = 0; i < s->group->n; i++)
		if (excepted(s->group->child[i]))
			odd.child[odd.n++] = s->group->child[i];
	json_object_open(j, "odd");
	json_int(j, "minProperties", 1);
	children(j, &odd, NULL, NULL);
	json_object_close(j);
}

static void define_classes(struct json *j)
{
	json_object_open(j, "classes");
	map_of(j, "^(?!([0-9]+|fabric|null|~)$).{1,64}$", "#/definitions/class");
	json_object_close(j);
}

/* Exactly one of the ways to pick nodes is the parser's to say: a schema that says it too gives unreadable errors. */
void json_schema(struct arena *a, const struct catalog *c, struct json *j)
{
	static const char *const fabric_refs[FABRIC_WORDS] = { "#/definitions/classes", "#/definitions/tiers" };
	static const char *const tier_refs[TIER_WORDS] = { "#/definitions/links" };
	const struct schema *s = schema_new(a, c);
	struct tier_keys tiers = schema_tiers(a);

	json_object_open(j, NULL);
	json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
	json_string(j, "title", "policy of rdmactl");
	map_of_words(j, schema_top, top, NEEDS(schema_top[TOP_VERSION].key, ));
	json_object_open(j, "definitions");
	define_words(j, "profile", schema_profile, part, NEEDS());
	define_words(j, "set", schema_part, part, NEEDS());
	define_words(j, "entry", schema_entry, entry, NEEDS());
	define_words(j, "cohort", schema_cohort, cohort, NEEDS(schema_cohort[COHORT_SET].key, ));
	define_except(j);
	define_keys(j, "node", s->node, NULL, NULL, NULL);
	define_keys(j, "group", s->group, NULL, NULL, NULL);
	define_odd(a, j, s);
	define_keys(j, "match", key_child(s->group, "match", 5), NULL, NULL, NULL);
	define_keys(j, "fabric", s->fabric, schema_fabric, fabric_refs, NULL);
	define_classes(j);
	define_keys(j, "class", s->class, NULL, NULL, key_child(s->class, "priority", 8)->name);
	define_map(j, "tiers", "#/definitions/tier");
	define_keys(j, "tier", tiers.tier, schema_tier, tier_refs, schema_tier[TIER_LINKS].key);
	define_map(j, "links", "#/definitions/link");
	define_keys(j, "link", tiers.link, NULL, NULL, NULL);
	json_object_close(j);
	json_object_close(j);
}
