/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of nodes: what is a name, a list, a glob; what is refused; which names belong to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
		{ "gpu[00-100]", 4, "padded" },
		{ "gpu[01,1]", 7, "padded differently" },
		{ "gpu[1-3,02]", 4, "padded differently" },
		{ "gpu[01,001]", 7, "padded differently" },
		{ "gpu[08-12,100,5]", 14, "padded differently" },
		{ "gpu[5/2]", 4, "step behind a single number" },
		{ "r[1-2][3-4]", 6, "behind another" },
		{ "r[1-2]0[3-4]", 6, "only digits between" },
		{ "r1[8-12]", 2, "beside a bracket whose numbers differ in length" },
		{ "r[0-11]8", 1, "beside a bracket whose numbers differ" },
		{ "r0[9,10]", 2, "beside a bracket whose numbers differ" },
		{ "r[1-20/3]7", 9, "behind a range with a step" },
		{ "r123456789012345[1-2]", 16, "14 digits before" },
		{ "r[1-2]123456789012345", 6, "14 digits behind" },
		{ "gpu[0-8/0]", 4, "step" },
		{ "gpu[0-8/]", 4, "step" },
		{ "gpu[1-[2]]", 4, "without its end" },
		{ "gpu[1[2]]", 5, "inside a bracket" },
		{ "gpu[1;2]", 5, "something else" },
		{ "gpu[1234567890]", 4, "9 digits" },
		{ "gpu[1-1234567890]", 4, "9 digits" },
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
	assert_false(hostlist_match(of("*"), key));	/* no host has such a name */
	for (size_t i = HOSTLIST_NAME_MAX; i < HOSTLIST_MAX; i += HOSTLIST_NAME_MAX + 1)
		key[i] = ',';
	assert_null(hostlist_check(of(key), &at));
	key[HOSTLIST_NAME_MAX] = 'a';
	assert_non_null(strstr(hostlist_check(of(key), &at), "253"));
	assert_int_equal(at, HOSTLIST_NAME_MAX + 1);
	strcpy(key + HOSTLIST_NAME_MAX - HOSTLIST_DIGITS_MAX, "[1-9]");
	assert_null(hostlist_check(of(key), &at));
	strcpy(key + HOSTLIST_NAME_MAX - HOSTLIST_DIGITS_MAX + 1, "[1-9]");
	key[HOSTLIST_NAME_MAX - HOSTLIST_DIGITS_MAX] = 'a';
	assert_non_null(strstr(hostlist_check(of(key), &at), "253"));
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
		{ "gpu[00-99,100]", "gpu07", true },
		{ "gpu[00-99,100]", "gpu007", false },
		{ "gpu[00-99,100]", "gpu100", true },
		{ "gpu[0-8/2]", "gpu4", true },
		{ "gpu[0-8/2]", "gpu5", false },
		{ "gpu[1-9/4,20]", "gpu9", true },
		{ "gpu[1-9/4,20]", "gpu20", true },
		{ "gpu[1-9/4,20]", "gpu2", false },
		{ "r[1-2]n[01-16]", "r2n16", true },
		{ "r[1-2]n[01-16]", "r3n16", false },
		{ "a1[10-20]5", "a1155", true },
		{ "a1[1-9]5", "a115", true },
		{ "a1[1-9]5", "a15", false },
		{ "a1[01-20]", "a108", true },
		{ "a[10-11]0", "a110", true },
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

static void overlaps(void **state)
{
	static const struct {
		const char *x, *y, *name;	/* NULL: none */
	} rows[] = {
		{ "gpu[1-5]", "gpu[5-9]", "gpu5" },
		{ "gpu[1-5]", "gpu[6-9]", NULL },
		{ "gpu[1-5]", "cpu[1-5]", NULL },
		{ "gpu[01-05]", "gpu[1-5]", NULL },
		{ "gpu[08-12]", "gpu[9-11]", "gpu10" },
		{ "gpu[0-8/2]", "gpu[1-9/2]", NULL },
		{ "gpu[0-100/6]", "gpu[4-100/10]", "gpu24" },
		{ "gpu[0-100/6]", "gpu[5-100/10]", NULL },
		{ "gpu[0-999999999/99999989]", "gpu[3-999999999/99999971]", NULL },
		{ "gpu[0-999999999/99991]", "gpu[3-999999999/99989]", NULL },
		{ "gpu[0-999999999/9973]", "gpu[3-999999999/9967]", "gpu49705432" },
		{ "gpu[1-64]", "gpu7", "gpu7" },
		{ "gpu[1-64]", "gpu07", NULL },
		{ "gpu7", "gpu7", "gpu7" },
		/* crossing brackets: neither first number is in the other */
		{ "x[1,5]y[1,5]", "x[2,5]y[2,5]", "x5y5" },
		{ "r[1-2]n[01-32]", "r[2-3]n[16-20]", "r2n16" },
		{ "r[1-2]n[01-32]", "r[2-3]m[16-20]", NULL },
		{ "r[1-2]n[01-15]", "r[2-3]n[16-20]", NULL },
		/* literal digits beside a bracket */
		{ "gpu0[1-9]", "gpu[01-64]", "gpu01" },
		{ "gpu[1-20]0", "gpu1[1-20]", "gpu110" },
		{ "gpu[1-20]5", "gpu1[1-4]", NULL },
		{ "gpu[1-20]5", "gpu1[1-5]", "gpu15" },
		{ "gpu99999999999999[1-2]", "gpu9[999999999]99999", NULL },
		{ "a12345678[1-2]345", "a1234[567800000-567899999/1000]1345", NULL },
		{ "a1234567[81-82]345", "a1234[567813-567820]45", "a123456781345" },
		/* short and full names */
		{ "gpu[1-5].a.org", "gpu[5-9]", "gpu5" },
		{ "gpu[1-5].a.org", "gpu[5-9].a.org", "gpu5.a.org" },
		{ "gpu[1-5].a.org", "gpu[5-9].b.org", NULL },
		{ "gpu[1-5].a[1-2].org", "gpu[5-9].a[2-3].org", "gpu5.a2.org" },
		{ "gpu[1-5].a.org", "gpu", NULL },
	};
	char name[HOSTLIST_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int turn = 0; turn < 2; turn++) {
			struct hostlist x = of(turn ? rows[i].y : rows[i].x), y = of(turn ? rows[i].x : rows[i].y);
			size_t work = 1000;
			bool found = hostlist_overlap(x, y, name, &work);

			if (found != (rows[i].name != NULL) || (found && strcmp(name, rows[i].name) != 0))
				fail_msg("%s and %s: %s, expected %s", rows[i].x, rows[i].y, found ? name : "none",
					 rows[i].name ? rows[i].name : "none");
			if (found)
				assert_true(hostlist_match(x, name) && hostlist_match(y, name));
		}
}

/* Small lists, all of them held against what matching says of every name that could be in both. */
static void overlaps_by_trial(void **state)
{
	static const char *const parts[] = {
		"[1-3]", "[2-20/3]", "[01-12]", "[0-9,15]", "[10-30/7]", "1[0-5]", "1[1-12]", "[1-12]1", "0[1-9]", "[7]", "2", "15", "[01]",
	};
	enum { N = sizeof(parts) / sizeof(parts[0]) };
	char x[64], y[64], name[HOSTLIST_NAME_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < N; k++) {
			bool expected = false;
			size_t work = 1000;

			snprintf(x, sizeof(x), "n%s", parts[i]);
			snprintf(y, sizeof(y), "n%s", parts[k]);
			for (unsigned v = 0; v < 1300 && !expected; v++)
				for (int width = 1; width < 5 && !expected; width++) {
					snprintf(name, sizeof(name), "n%0*u", width, v);
					expected = hostlist_match(of(x), name) && hostlist_match(of(y), name);
				}
			if (hostlist_overlap(of(x), of(y), name, &work) != expected)
				fail_msg("%s and %s: expected %d", x, y, expected);
		}
}

static void overlap_is_bounded(void **state)
{
	char name[HOSTLIST_NAME_MAX + 1];
	size_t work = 3;

	(void)state;
	assert_false(hostlist_overlap(of("n[1,3,5,7]"), of("n[2,4,6,7]"), name, &work));
	assert_int_equal(work, 0);
}

/* For tests/long/hostlist-oracle: LIST, a tab and NAME a line; writes y or n for each, or ! and why the list is none. */
static int match_lines(void)
{
	static char line[HOSTLIST_MAX + HOSTLIST_NAME_MAX + 8];

	while (fgets(line, sizeof(line), stdin)) {
		char *tab = strchr(line, '\t');
		const char *why;
		size_t at;

		if (!tab)
			return 1;
		*tab = 0;
		tab[1 + strcspn(tab + 1, "\n")] = 0;
		why = hostlist_check(of(line), &at);
		if (why)
			printf("! %s\n", why);
		else
			puts(hostlist_match(of(line), tab + 1) ? "y" : "n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),   cmocka_unit_test(refusals), cmocka_unit_test(too_long),
		cmocka_unit_test(matches), cmocka_unit_test(examples), cmocka_unit_test(overlaps),
		cmocka_unit_test(overlaps_by_trial), cmocka_unit_test(overlap_is_bounded),
	};

	if (argc > 1 && !strcmp(argv[1], "match"))
		return match_lines();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
