/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema has every key that the parser has: its tree of fields, and the words of maps that are no fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog.h"
#include "policy/json_schema.h"
#include "policy/schema.h"

struct both {
	struct arena *a;
	const struct schema *schema;
	struct json_object *json;
};

static int setup(void **state)
{
	static struct both b;
	TEXT_CLEANUP struct text t = { 0 };
	const char *why;
	struct json j;

	b.a = arena_new();
	b.schema = schema_new(b.a, catalog_default());
	json_init(&j, &t, false);
	json_schema(b.a, catalog_default(), &j);
	b.json = json_parse(text_str(&t), t.n, &why);
	*state = &b;
	return b.json ? 0 : -1;
}

static int teardown(void **state)
{
	struct both *b = *state;

	json_put(b->json);
	arena_free(b->a);
	return 0;
}

static struct json_object *definition(const struct both *b, const char *name)
{
	struct json_object *o = json_at(json_at(b->json, "definitions"), name);

	if (!o)
		fail_msg("no definition %s", name);
	return o;
}

/* The map among what a value may be. */
static struct json_object *map_in(struct json_object *o)
{
	size_t n = 0;
	struct json_object *any = json_list_at(o, "anyOf", &n);

	for (size_t i = 0; i < n; i++)
		if (json_at(json_entry(any, i), "properties"))
			return json_entry(any, i);
	return o;
}

static struct json_object *below(struct json_object *map, const char *word)
{
	struct json_object *of = json_at(map, strcmp(word, "*") ? "properties" : "patternProperties");

	if (!of)
		return NULL;
	if (strcmp(word, "*") != 0)
		return json_at(of, word);
	json_object_object_foreach(of, name, value) {
		(void)name;
		return value;
	}
	return NULL;
}

static void check_keys(struct json_object *map, const struct key *k, size_t *seen)
{
	for (size_t i = 0; i < k->n; i++) {
		struct json_object *o = below(map, k->child[i]->name);

		if (!o)
			fail_msg("the schema lacks %s", k->child[i]->path);
		if (!k->child[i]->field) {
			check_keys(map_in(o), k->child[i], seen);
			continue;
		}
		(*seen)++;
		if (json_text_at(o, "$ref"))
			continue;
		assert_string_not_equal(json_text_at(o, "description"), "");
		assert_true(json_has(o, "anyOf"));
	}
}

static void fields(void **state)
{
	const struct both *b = *state;
	size_t seen = 0;

	check_keys(definition(b, "node"), b->schema->node, &seen);
	check_keys(definition(b, "group"), b->schema->group, &seen);
	check_keys(definition(b, "class"), b->schema->class, &seen);
	check_keys(definition(b, "fabric"), b->schema->fabric, &seen);
	check_keys(definition(b, "tier"), schema_tiers(b->a).tier, &seen);
	check_keys(definition(b, "link"), schema_tiers(b->a).link, &seen);
	assert_true(seen >= b->schema->nleaves);	/* a tier's keys stand in its links as well */
}

static void check_words(struct json_object *map, const struct word *words, size_t n)
{
	size_t i;

	for (i = 0; words[i].key; i++) {
		struct json_object *o = below(map, words[i].key);

		if (!o || json_object_object_length(o) < 1)
			fail_msg("the schema lacks %s", words[i].key);
	}
	assert_int_equal(i, n);
}

static void words(void **state)
{
	const struct both *b = *state;
	struct json_object *items = json_at(definition(b, "except"), "items");

	check_words(b->json, schema_top, TOP_WORDS);
	check_words(definition(b, "profile"), schema_profile, PROFILE_WORDS);
	check_words(definition(b, "set"), schema_part, PART_WORDS);
	check_words(definition(b, "entry"), schema_entry, ENTRY_WORDS);
	check_words(definition(b, "cohort"), schema_cohort, COHORT_WORDS);
	check_words(items, schema_exception, EXCEPT_WORDS);
	check_words(definition(b, "fabric"), schema_fabric, FABRIC_WORDS);
	check_words(definition(b, "tier"), schema_tier, TIER_WORDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fields), cmocka_unit_test(words) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
