/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/json: what is written is what json-c reads, and hostile JSON is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/json.h"

static void fill(struct json *j)
{
	json_object_open(j, NULL);
	json_string(j, "s", "a\"b");
	json_int(j, "i", -42);
	json_int(j, "least", INT64_MIN);
	json_boolean(j, "yes", true);
	json_null(j, "none");
	json_string(j, "null", NULL);
	json_array_open(j, "list");
	json_int(j, NULL, 1);
	json_object_open(j, NULL);
	json_object_close(j);
	json_array_open(j, NULL);
	json_array_close(j);
	json_array_close(j);
	json_object_close(j);
}

static void writes(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct json j;

	(void)state;
	json_init(&j, &t, false);
	fill(&j);
	assert_string_equal(text_str(&t), "{\"s\":\"a\\\"b\",\"i\":-42,\"least\":-9223372036854775808,\"yes\":true,"
					  "\"none\":null,\"null\":null,\"list\":[1,{},[]]}");
	text_reset(&t);
	json_init(&j, &t, true);
	fill(&j);
	assert_string_equal(text_str(&t), "{\n"
					  "  \"s\": \"a\\\"b\",\n"
					  "  \"i\": -42,\n"
					  "  \"least\": -9223372036854775808,\n"
					  "  \"yes\": true,\n"
					  "  \"none\": null,\n"
					  "  \"null\": null,\n"
					  "  \"list\": [\n"
					  "    1,\n"
					  "    {},\n"
					  "    []\n"
					  "  ]\n"
					  "}");
}

static void escapes(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "\"\"" },
		{ "\\ \" / \b\f\n\r\t", "\"\\\\ \\\" / \\b\\f\\n\\r\\t\"" },
		{ "\001\033\177", "\"\\u0001\\u001b\\u007f\"" },
		{ "caf\xc3\xa9 \xe4\xb8\xad", "\"caf\xc3\xa9 \xe4\xb8\xad\"" },
		{ "a\xff" "b\xc3", "\"a\xef\xbf\xbd" "b\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x80\xae", "\"\\u202e\"" },		/* would turn a terminal's line around */
		{ "\xc2\x9b", "\"\\u009b\"" },
		{ "\xf3\xa0\x81\x81", "\"\\udb40\\udc41\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		const char *why = NULL;
		struct json_object *o;
		struct json j;

		json_init(&j, &t, false);
		json_string(&j, NULL, cases[i].in);
		assert_string_equal(text_str(&t), cases[i].out);
		o = json_parse(t.s, t.n, &why);
		assert_non_null(o);
		if (text_is_utf8(cases[i].in, strlen(cases[i].in)))
			assert_string_equal(json_object_get_string(o), cases[i].in);
		json_object_put(o);
	}
}

static void parses_or_says_why(void **state)
{
	static const struct {
		const char *s;
		enum json_type type;
		bool good;
	} cases[] = {
		{ "{\"a\": [1, 2]}", json_type_object, true },
		{ " 12 \n", json_type_int, true },
		{ "12", json_type_int, true },
		{ "\"x\"", json_type_string, true },
		{ "[]", json_type_array, true },
		{ "", json_type_null, false },
		{ "   ", json_type_null, false },
		{ "null", json_type_null, false },
		{ "{\"a\": 1", json_type_null, false },
		{ "{\"a\": 1} x", json_type_null, false },
		{ "{\"a\": 1}{}", json_type_null, false },
		{ "[1,]", json_type_null, false },
		{ "\"\xff\"", json_type_null, false },
		{ "hello", json_type_null, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = NULL;
		struct json_object *o = json_parse(cases[i].s, strlen(cases[i].s), &why);

		if (cases[i].good) {
			assert_non_null(o);
			assert_int_equal(json_object_get_type(o), cases[i].type);
			json_object_put(o);
		} else {
			if (o)
				fail_msg("taken: %s", cases[i].s);
			assert_non_null(why);
		}
	}
}

static void keeps_to_its_bytes(void **state)
{
	const char *why = NULL;
	struct json_object *o = json_parse("[1] [2]", 3, &why);

	(void)state;
	assert_non_null(o);
	json_object_put(o);
	o = json_parse("123", 2, &why);
	assert_int_equal(json_object_get_int(o), 12);
	json_object_put(o);
	assert_null(json_parse("[1]\0[2]", 7, &why));
	assert_null(json_parse("\"a\0b\"", 5, &why));
}

static void bounds_depth(void **state)
{
	char deep[400];
	const char *why = NULL;

	(void)state;
	memset(deep, '[', 200);
	memset(deep + 200, ']', 200);
	assert_null(json_parse(deep, sizeof(deep), &why));
	assert_non_null(why);
	memset(deep, '[', 60);
	memset(deep + 60, ']', 60);
	json_object_put(json_parse(deep, 120, &why));
}

/* A member of another type, or out of its range, is as good as none. */
static void members(void **state)
{
	static const char text[] = "{\"s\":\"two\",\"n\":7,\"real\":7.5,\"nul\":\"a\\u0000b\",\"list\":[\"x\",3,{}]}";
	const char *why = NULL;
	struct json_object *o = json_parse(text, sizeof(text) - 1, &why), *list;
	int64_t v = -1;
	size_t n = 0;

	(void)state;
	assert_true(json_is_object(o));
	assert_string_equal(json_text_at(o, "s"), "two");
	assert_null(json_text_at(o, "n"));
	assert_null(json_text_at(o, "nul"));
	assert_null(json_text_at(o, "none"));
	assert_true(json_has(o, "n"));
	assert_false(json_has(o, "none"));
	assert_true(json_int_at(o, "n", 7, 7, &v));
	assert_int_equal(v, 7);
	assert_false(json_int_at(o, "n", 8, 9, &v));
	assert_false(json_int_at(o, "s", 0, 9, &v));
	assert_false(json_int_at(o, "real", 0, 9, &v));
	assert_null(json_list_at(o, "s", &n));
	list = json_list_at(o, "list", &n);
	assert_int_equal(n, 3);
	assert_string_equal(json_text_of(json_entry(list, 0)), "x");
	assert_null(json_text_of(json_entry(list, 1)));
	assert_true(json_is_object(json_entry(list, 2)));
	assert_false(json_has(list, "s"));
	json_put(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes),
		cmocka_unit_test(escapes),
		cmocka_unit_test(parses_or_says_why),
		cmocka_unit_test(keeps_to_its_bytes),
		cmocka_unit_test(bounds_depth),
		cmocka_unit_test(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
