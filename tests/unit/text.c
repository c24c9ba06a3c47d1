/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/text: growing, decoding, made safe, numbers, misspelled words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"

static void grows(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };

	(void)state;
	assert_string_equal(text_str(&t), "");
	text_add(&t, "a");
	text_char(&t, 'b');
	text_printf(&t, "%s-%d", "c", 4);
	text_uint(&t, 0);
	text_uint(&t, UINT64_MAX);
	assert_string_equal(text_str(&t), "abc-4018446744073709551615");
	text_reset(&t);
	assert_string_equal(text_str(&t), "");
	assert_int_equal(t.n, 0);
	for (int i = 0; i < 100000; i++)
		text_char(&t, 'x');
	assert_int_equal(t.n, 100000);
	assert_int_equal(strlen(t.s), 100000);
	memcpy(text_room(&t, 3), "\0yz", 3);
	text_used(&t, 3);
	assert_int_equal(t.n, 100003);
	assert_memory_equal(t.s + 100000, "\0yz", 4);
	text_printf(&t, "%070000d", 1);
	assert_int_equal(t.n, 170003);
}

static void decodes_utf8(void **state)
{
	static const struct {
		const char *s;
		size_t len;
		uint32_t cp;
	} cases[] = {
		{ "a", 1, 'a' },
		{ "\xc3\xa9", 2, 0xe9 },
		{ "\xe2\x80\xa6", 3, 0x2026 },
		{ "\xf0\x9f\x98\x80", 4, 0x1f600 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
		{ "\x80", 0, 0 },			/* continuation alone */
		{ "\xc3", 0, 0 },			/* cut off */
		{ "\xc3(", 0, 0 },
		{ "\xc0\xaf", 0, 0 },			/* overlong '/' */
		{ "\xe0\x80\xaf", 0, 0 },
		{ "\xed\xa0\x80", 0, 0 },		/* surrogate */
		{ "\xf4\x90\x80\x80", 0, 0 },		/* above U+10FFFF */
		{ "\xff", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t cp = 0;

		assert_int_equal(text_utf8(cases[i].s, strlen(cases[i].s), &cp), cases[i].len);
		if (cases[i].len)
			assert_int_equal(cp, cases[i].cp);
	}
	assert_int_equal(text_utf8("a", 0, &(uint32_t){ 0 }), 0);
	assert_true(text_is_utf8("caf\xc3\xa9", 5));
	assert_true(text_is_utf8("", 0));
	assert_false(text_is_utf8("a\0b", 3));
	assert_false(text_is_utf8("\xed\xa0\x80", 3));
	assert_int_equal(text_columns('a'), 1);
	assert_int_equal(text_columns(0x4e2d), 2);
	assert_int_equal(text_columns(0x301), 0);
}

static void made_safe(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} cases[] = {
		{ "ens1f0np0", 100, "ens1f0np0" },
		{ "caf\xc3\xa9", 100, "caf\xc3\xa9" },
		{ "\033[31mred\n", 100, "\\x1b[31mred\\x0a" },
		{ "a\xff\xfe"
		  "b",
		  100, "a\\xff\\xfeb" },
		{ "\xc2\x9b"
		  "1m",
		  100, "\\xc2\\x9b1m" }, /* C1 CSI */
		{ "a\xe2\x80\xae"
		  "b",
		  100, "a\\xe2\\x80\\xaeb" }, /* right-to-left override */
		{ "a\xe2\x80\x8b"
		  "b",
		  100, "a\\xe2\\x80\\x8bb" }, /* zero width space */
		{ "\xef\xbb\xbf"
		  "x",
		  100, "\\xef\\xbb\\xbfx" }, /* byte order mark */
		{ "\xf3\xa0\x81\x81", 100, "\\xf3\\xa0\\x81\\x81" }, /* tag character */
		{ "0123456789", 10, "0123456789" },
		{ "0123456789a", 10, "0123456\xe2\x80\xa6" },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 7,
		  "\xc3\xa9\xc3\xa9\xe2\x80\xa6" }, /* never inside a character */
		{ "abc\033defghi", 10, "abc\\x1b\xe2\x80\xa6" },
		{ "abc", 2, "" },
		{ "", 0, "" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_safe(a, cases[i].in, strlen(cases[i].in), cases[i].max), cases[i].out);
	assert_string_equal(text_safe(a, "a\0b", 3, 100), "a\\x00b");
	arena_free(a);
}

static void trims(void **state)
{
	(void)state;
	assert_int_equal(text_trim("ab \t\r\n", 6), 2);
	assert_int_equal(text_trim(" \n", 2), 0);
	assert_int_equal(text_trim("", 0), 0);
	assert_int_equal(text_trim("a b", 3), 3);
}

static void reads_numbers(void **state)
{
	static const struct {
		const char *s;
		bool good;
		uint64_t v;
	} cases[] = {
		{ "0", true, 0 },	{ "42", true, 42 },	{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },		{ "99999999999999999999999", false, 0 },
		{ "", false, 0 },	{ "010", false, 0 },	{ "00", false, 0 },	{ "+1", false, 0 },
		{ "-1", false, 0 },	{ " 1", false, 0 },	{ "1 ", false, 0 },	{ "0x10", false, 0 },
		{ "1e3", false, 0 },	{ "\xb2", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = 7;

		assert_int_equal(text_u64(cases[i].s, &v), cases[i].good);
		assert_int_equal(v, cases[i].good ? cases[i].v : 7);
	}
}

static void finds_the_nearest(void **state)
{
	static const char *const words[] = { "mtu", "qos", "pause", "profiles", "max_read_request", "priority", "Spectrum",
					     "Spectrum-4", NULL };
	static const struct {
		const char *s, *nearest;
	} cases[] = {
		{ "mut", "mtu" },		{ "MTU", "mtu" },	{ "proflies", "profiles" },
		{ "profile", "profiles" },	{ "prio", "priority" }, { "max-read-request", "max_read_request" },
		{ "paus", "pause" },		{ "xyz", NULL },	{ "", NULL },
		{ "m", NULL },			{ "bananas", NULL },	{ "Spectrum4", "Spectrum-4" },
	};
	char longer[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = text_nearest(cases[i].s, words);

		if (cases[i].nearest)
			assert_string_equal(got ? got : "(none)", cases[i].nearest);
		else
			assert_null(got);
	}
	memset(longer, 'p', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_null(text_nearest(longer, words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows), cmocka_unit_test(decodes_utf8),  cmocka_unit_test(made_safe),
		cmocka_unit_test(trims), cmocka_unit_test(reads_numbers), cmocka_unit_test(finds_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
