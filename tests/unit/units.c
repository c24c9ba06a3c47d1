/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/units: what is understood, what is refused and how, and that what is printed is read back as the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/units.h"

static void parses(void **state)
{
	static const struct {
		const char *s, *unit;
		enum units_result result;
		int64_t v;
	} cases[] = {
		{ "4us", "us", UNITS_OK, 4 },
		{ "30ms", "us", UNITS_OK, 30000 },
		{ "2s", "us", UNITS_OK, 2000000 },
		{ "4000ns", "us", UNITS_OK, 4 },
		{ "4001ns", "us", UNITS_NOT_WHOLE, 0 },
		{ "0.5ms", "us", UNITS_OK, 500 },
		{ "0.5us", "us", UNITS_NOT_WHOLE, 0 },
		{ "200ms", "ms", UNITS_OK, 200 },
		{ "7", "us", UNITS_OK, 7 },
		{ "400Gb/s", "Mb/s", UNITS_OK, 400000 },
		{ "1.6Tb/s", "Mb/s", UNITS_OK, 1600000 },
		{ "2.5Gb/s", "Mb/s", UNITS_OK, 2500 },
		{ "32GT/s", "MT/s", UNITS_OK, 32000 },
		{ "2.5GT/s", "MT/s", UNITS_OK, 2500 },
		{ "60%", "%", UNITS_OK, 60 },
		{ "60", "%", UNITS_OK, 60 },
		{ "30m", "m", UNITS_OK, 30 },
		{ "2km", "m", UNITS_OK, 2000 },
		{ "150KiB", "bytes", UNITS_OK, 153600 },
		{ "1.5MiB", "bytes", UNITS_OK, 1572864 },
		{ "150kB", "bytes", UNITS_OK, 150000 },
		{ "9216", "bytes", UNITS_OK, 9216 },
		{ "9216bytes", "bytes", UNITS_OK, 9216 },
		{ "150KB", "bytes", UNITS_WRONG_UNIT, 0 },
		{ "150k", "bytes", UNITS_WRONG_UNIT, 0 },
		{ "8192", "connections", UNITS_OK, 8192 },
		{ "8192", NULL, UNITS_OK, 8192 },
		{ "8us", "connections", UNITS_WRONG_UNIT, 0 },
		{ "8us", NULL, UNITS_WRONG_UNIT, 0 },
		{ "8m", "us", UNITS_WRONG_UNIT, 0 },
		{ "4 us", "us", UNITS_NOT_A_NUMBER, 0 },
		{ "4usec", "us", UNITS_WRONG_UNIT, 0 },
		{ "-5", NULL, UNITS_OK, -5 },
		{ "-5us", "us", UNITS_OK, -5 },
		{ "0", NULL, UNITS_OK, 0 },
		{ "0.5s", "ms", UNITS_OK, 500 },
		{ "010", NULL, UNITS_LEADING_ZERO, 0 },
		{ "010us", "us", UNITS_LEADING_ZERO, 0 },
		{ "00", NULL, UNITS_LEADING_ZERO, 0 },
		{ "1e3", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "0x10", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "+1", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "-", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "-0", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "-0.0us", "us", UNITS_NOT_A_NUMBER, 0 },
		{ "--1", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ ".5s", "us", UNITS_NOT_A_NUMBER, 0 },
		{ "1.", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "1.s", "us", UNITS_NOT_A_NUMBER, 0 },
		{ "28.39.1002", NULL, UNITS_NOT_A_NUMBER, 0 },
		{ "2.5", NULL, UNITS_NOT_WHOLE, 0 },
		{ "2.0", NULL, UNITS_POINT, 0 },
		{ "26.00", "us", UNITS_POINT, 0 },
		{ "32.0GT/s", "MT/s", UNITS_OK, 32000 },
		{ "0.0000000001s", "us", UNITS_NOT_WHOLE, 0 },
		{ "9223372036854775807", NULL, UNITS_OK, INT64_MAX },
		{ "9223372036854775808", NULL, UNITS_TOO_LARGE, 0 },
		{ "99999999999999999999", NULL, UNITS_TOO_LARGE, 0 },
		{ "9223372036854775807s", "us", UNITS_TOO_LARGE, 0 },
		{ "on", NULL, UNITS_NOT_A_NUMBER, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t v = 77;

		if (units_parse(cases[i].s, cases[i].unit, &v) != cases[i].result)
			fail_msg("\"%s\" in %s", cases[i].s, cases[i].unit ? cases[i].unit : "(none)");
		assert_int_equal(v, cases[i].result == UNITS_OK ? cases[i].v : 77);
	}
}

static void prints_and_reads_back(void **state)
{
	static const struct {
		int64_t v;
		const char *unit, *printed;
	} cases[] = {
		{ 4, "us", "4us" },
		{ 30000, "us", "30ms" },
		{ 30001, "us", "30001us" },
		{ 2500, "us", "2500us" },		/* no fraction where none is usual */
		{ 2000000, "us", "2s" },
		{ 0, "us", "0us" },
		{ 200, "ms", "200ms" },
		{ 400000, "Mb/s", "400Gb/s" },
		{ 1600000, "Mb/s", "1600Gb/s" },
		{ 2500, "Mb/s", "2.5Gb/s" },
		{ 100, "Mb/s", "100Mb/s" },
		{ 10001, "Mb/s", "10001Mb/s" },
		{ 100000000, "kb/s", "100Gb/s" },
		{ 32000, "MT/s", "32GT/s" },
		{ 2500, "MT/s", "2.5GT/s" },
		{ 133, "MT/s", "133MT/s" },
		{ 60, "%", "60%" },
		{ 2000, "m", "2000m" },
		{ 9216, "bytes", "9216" },
		{ 65536, "bytes", "64KiB" },
		{ 153600, "bytes", "150KiB" },
		{ 16777216, "bytes", "16MiB" },
		{ 150001, "bytes", "150001" },
		{ 8192, "connections", "8192" },
		{ 8192, NULL, "8192" },
		{ -5, NULL, "-5" },
		{ -5000, "us", "-5ms" },
		{ INT64_MAX, NULL, "9223372036854775807" },
		{ INT64_MAX, "us", "9223372036854775807us" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		int64_t v = 0;

		units_print(cases[i].v, cases[i].unit, &t);
		assert_string_equal(text_str(&t), cases[i].printed);
		assert_int_equal(units_parse(t.s, cases[i].unit, &v), UNITS_OK);
		assert_int_equal(v, cases[i].v);
	}
}

static void says_which_are_strings(void **state)
{
	(void)state;
	assert_true(units_suffixed("us"));
	assert_true(units_suffixed("Mb/s"));
	assert_true(units_suffixed("MT/s"));
	assert_true(units_suffixed("%"));
	assert_true(units_suffixed("m"));
	assert_false(units_suffixed("bytes"));
	assert_false(units_suffixed("connections"));
	assert_false(units_suffixed(NULL));
}

static void tells_utc(void **state)
{
	static const struct { int64_t seconds; const char *text; } cases[] = {
		{ 0, "1970-01-01T00:00:00Z" },		  { -1, "1969-12-31T23:59:59Z" },
		{ 951782399, "2000-02-28T23:59:59Z" },	  { 951782400, "2000-02-29T00:00:00Z" },
		{ 951868800, "2000-03-01T00:00:00Z" },	  { 1735689599, "2024-12-31T23:59:59Z" },
		{ 1795960800, "2026-11-29T14:00:00Z" },	  { 4107542400, "2100-03-01T00:00:00Z" },
		{ INT64_C(1) << 40, "36812-02-20T00:36:16Z" },
	};
	char text[UNITS_UTC];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		units_utc(cases[i].seconds, text);
		assert_string_equal(text, cases[i].text);
	}
	for (time_t t = -86400 * 1000; t < (time_t)86400 * 366 * 500; t += 86400 * 3 + 1) {
		char other[UNITS_UTC];
		struct tm tm;

		units_utc(t, text);
		strftime(other, sizeof(other), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
		assert_string_equal(text, other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(prints_and_reads_back),
		cmocka_unit_test(says_which_are_strings),
		cmocka_unit_test(tells_utc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
