/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of nodes: what is a name, a list, a glob; what is refused; which names belong to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policy/hostlist.h"

static struct hostlist of(const char *s)
{
	return hostlist_of(s, strlen(s));
}

static void ranks(void **state)
{
	static const struct {
		const char *key;
		enum hostlist_rank rank;
	} rows[] = {
		{ "gpu01", RANK_EXACT },     { "gpu01.example.com", RANK_EXACT }, { "GPU_1-a", RANK_EXACT },
		{ "gpu[1-2]", RANK_LIST },   { "a,b", RANK_LIST },		 { "*", RANK_GLOB },
		{ "gpu?", RANK_GLOB },	     { "gpu*.example.com", RANK_GLOB },  { "r[1-2]n[01-16]", RANK_LIST },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at;

		assert_null(hostlist_check(of(rows[i].key), &at));
		assert_int_equal(of(rows[i].key).rank, rows[i].rank);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *key;
		size_t at;
		const char *says;
	} rows[] = {
		{ "", 0, "empty" },
		{ "@gpu", 0, "@group" },
		{ "gpu1,!gpu2", 5, "exclusions" },
		{ "a&b", 1, "intersections" },
		{ "^file", 0, "`^`" },
		{ "gpu1 gpu2", 4, "blank" },
		{ "gpu{1,2}", 3, "braces" },
		{ "gpu1]", 4, "] without" },
		{ "gpu[1-2", 7, "[ without" },
		{ "gpu[", 4, "no number" },
		{ "gpu[]", 4, "no number" },
		{ "gpu[a-c]", 4, "no number" },
		{ "gpu[1,,2]", 6, "no number" },
		{ "gpu[1-]", 4, "without its end" },
		{ "gpu[9-1]", 4, "ends before" },
		{ "gpu[01-64,1-064]", 10, "padded" },
		{ "gpu[001-10]", 4, "padded" },
		{ "gpu[08-008]", 4, "padded" },
		{ "gpu[0-8/0]", 4, "step" },
		{ "gpu[0-8/]", 4, "step" },
		{ "gpu[1-[2]]", 4, "without its end" },
		{ "gpu[1[2]]", 5, "inside a bracket" },
		{ "gpu[1;2]", 5, "something else" },
		{ "gpu[1234567890]", 4, "9 digits" },
		{ "a[1]b[1]c[1]d[1]e[1]", 17, "4 brackets" },
		{ "gpu[1-2]*", 3, "at once" },
		{ "gpu*,stor", 4, "at once" },
		{ ",a", 0, "comma" },
		{ "a,", 1, "comma" },
		{ "a,,b", 2, "comma" },
		{ "gpu/2", 3, "step stands inside" },
		{ "gpu\\1", 3, "backslash" },
		{ "gpu\xc3\xbc", 3, "character" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at = 99;
		const char *why = hostlist_check(of(rows[i].key), &at);

		if (!why || !strstr(why, rows[i].says) || at != rows[i].at)
			fail_msg("\"%s\": \"%s\" at %zu, expected \"%s\" at %zu", rows[i].key, why ? why : "(none)", at,
				 rows[i].says, rows[i].at);
	}
}

static void too_long(void **state)
{
	static char key[HOSTLIST_MAX + 2];
	size_t at;

	(void)state;
	memset(key, 'a', HOSTLIST_MAX + 1);
	assert_non_null(strstr(hostlist_check(of(key), &at), "4096"));
	key[HOSTLIST_MAX] = 0;
	assert_null(hostlist_check(of(key), &at));
	key[0] = '*';
	assert_false(hostlist_match(of("*"), key));	/* no host has such a name */
}

static void matches(void **state)
{
	static const struct {
		const char *key, *name;
		bool yes;
	} rows[] = {
		{ "gpu01", "gpu01", true },
		{ "gpu01", "gpu1", false },
		{ "gpu01", "GPU01", false },
		{ "gpu01", "gpu01.example.com", true },
		{ "gpu01.example.com", "gpu01", true },
		{ "gpu01.example.com", "gpu01.example.com", true },
		{ "gpu01.example.com", "gpu01.example.org", false },
		{ "gpu01.example.com", "gpu01.example", false },
		{ "gpu01.example", "gpu01.example.com", false },
		{ "gpu01", "gpu010", false },
		{ "gpu01", "gpu0", false },
		{ "gpu[0001-1024]", "gpu0001", true },
		{ "gpu[0001-1024]", "gpu1024", true },
		{ "gpu[0001-1024]", "gpu1025", false },
		{ "gpu[0001-1024]", "gpu1", false },
		{ "gpu[0001-1024]", "gpu00001", false },
		{ "gpu[0001-1024]", "gpu0001.example.com", true },
		{ "gpu[0001-1024].example.com", "gpu0001", true },
		{ "gpu[0001-1024].example.com", "gpu0001.example.org", false },
		{ "gpu[1-100]", "gpu01", false },
		{ "gpu[1-100]", "gpu100", true },
		{ "gpu[0-3]", "gpu0", true },
		{ "gpu[00-100]", "gpu07", true },
		{ "gpu[00-100]", "gpu007", false },
		{ "gpu[00-100]", "gpu100", true },
		{ "gpu[0-8/2]", "gpu4", true },
		{ "gpu[0-8/2]", "gpu5", false },
		{ "gpu[1-9/4,20]", "gpu9", true },
		{ "gpu[1-9/4,20]", "gpu20", true },
		{ "gpu[1-9/4,20]", "gpu2", false },
		{ "r[1-2]n[01-16]", "r2n16", true },
		{ "r[1-2]n[01-16]", "r3n16", false },
		{ "a[1-20][1-5]", "a115", true },	/* 11 and 5, or 1 and 15: one of them fits */
		{ "a[1-20][1-5]", "a25", true },
		{ "a[1-20][1-5]", "a256", false },
		{ "login1,gpu[1-2],stor[01-02]", "stor02", true },
		{ "login1,gpu[1-2],stor[01-02]", "login1", true },
		{ "login1,gpu[1-2],stor[01-02]", "login2", false },
		{ "gpu[1,2]x,b", "gpu2x", true },
		{ "gpu[1,2]x,b", "b", true },
		{ "gpu[1-999999999]", "gpu999999999", true },
		{ "gpu[1-999999999]", "gpu1000000000", false },
		{ "gpu*", "gpu01", true },
		{ "gpu*", "gpu", true },
		{ "gpu*", "xgpu", false },
		{ "gpu??", "gpu01.example.com", true },
		{ "*.example.com", "gpu01.example.com", true },
		{ "*.example.com", "gpu01", false },
		{ "*", "anything", true },
		{ "*", "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (hostlist_match(of(rows[i].key), rows[i].name) != rows[i].yes)
			fail_msg("%s %s %s", rows[i].key, rows[i].yes ? "must match" : "must not match", rows[i].name);
}

static void keep(const char *name, void *arg)
{
	strcat(arg, name);
	strcat(arg, " ");
}

static void examples(void **state)
{
	static const struct {
		const char *key;
		size_t max;
		const char *names;
	} rows[] = {
		{ "gpu01", 9, "gpu01 " },
		{ "a,b", 9, "a b " },
		{ "gpu[01-64]", 9, "gpu01 gpu64 gpu65 " },
		{ "gpu[0-9/4]", 9, "gpu0 gpu1 gpu8 gpu10 " },
		{ "r[1-2]n[07]", 9, "r1n07 r2n07 r3n07 r1n07 r1n08 " },
		{ "gpu[01-64]", 2, "gpu01 gpu64 " },
		{ "gpu*", 9, "gpu0 gpu " },
		{ "*", 9, "0 " },
		{ "g?", 9, "g0 g0 " },
	};
	char names[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		names[0] = 0;
		hostlist_examples(of(rows[i].key), rows[i].max, keep, names);
		assert_string_equal(names, rows[i].names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),   cmocka_unit_test(refusals), cmocka_unit_test(too_long),
		cmocka_unit_test(matches), cmocka_unit_test(examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
