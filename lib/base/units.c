/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with units, from one table. Arithmetic is exact: "0.5us" of a whole number of microseconds is refused, not
 * rounded. Bytes take B, KiB, MiB, GiB (powers of 1024) and kB, MB, GB (powers of 1000). They are printed bare, as
 * MTUs are written, but from 64 KiB on in the largest of KiB, MiB, GiB that is exact; in JSON they are numbers.
 */
#include "base/units.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum dimension { TIME, RATE, TRANSFERS, BYTES, LENGTH, PERCENT };

static const struct unit {
	const char *suffix;
	enum dimension dimension;
	uint64_t factor;		/* in the dimension's smallest unit */
	bool printed;			/* chosen by units_print; others are only understood */
	bool decimal;			/* one decimal is usual: "2.5GT/s" */
} units[] = {				/* within a dimension from large to small */
	{ "s", TIME, 1000000000, .printed = true },
	{ "ms", TIME, 1000000, .printed = true },
	{ "us", TIME, 1000, .printed = true },
	{ "ns", TIME, 1, .printed = true },
	{ "Tb/s", RATE, 1000000000, .printed = false },
	{ "Gb/s", RATE, 1000000, .printed = true, .decimal = true },
	{ "Mb/s", RATE, 1000, .printed = true },
	{ "kb/s", RATE, 1, .printed = true },
	{ "GT/s", TRANSFERS, 1000, .printed = true, .decimal = true },
	{ "MT/s", TRANSFERS, 1, .printed = true },
	{ "GiB", BYTES, 1 << 30, .printed = true },
	{ "MiB", BYTES, 1 << 20, .printed = true },
	{ "KiB", BYTES, 1 << 10, .printed = true },
	{ "GB", BYTES, 1000000000, .printed = false },
	{ "MB", BYTES, 1000000, .printed = false },
	{ "kB", BYTES, 1000, .printed = false },
	{ "B", BYTES, 1, .printed = false },
	{ "bytes", BYTES, 1, .printed = false },
	{ "km", LENGTH, 1000, .printed = false },
	{ "m", LENGTH, 1, .printed = true },
	{ "%", PERCENT, 1, .printed = true },
};

enum { NUNITS = sizeof(units) / sizeof(units[0]), BYTES_BARE_BELOW = 64 << 10 };

static const struct unit *unit_find(const char *name)
{
	for (size_t i = 0; name && i < NUNITS; i++)
		if (units[i].suffix[0] == name[0] && strcmp(units[i].suffix, name) == 0)
			return &units[i];
	return NULL;
}

bool units_suffixed(const char *unit)
{
	const struct unit *u = unit_find(unit);

	return u && u->dimension != BYTES;
}

void units_suffixes(const char *unit, const char *between, struct text *out)
{
	const struct unit *u = unit_find(unit);

	for (size_t i = 0, n = 0; u && i < NUNITS; i++)
		if (units[i].dimension == u->dimension)
			text_printf(out, "%s%s", n++ ? between : "", units[i].suffix);
}

/* Digits of @s into *sum; returns where they end, NULL if the sum does not fit. */
static const char *digits(const char *s, uint64_t *sum)
{
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(*sum, 10u, sum) || __builtin_add_overflow(*sum, (unsigned)(*s - '0'), sum))
			return NULL;
	}
	return s;
}

/* "us" is a unit, if a wrong one; "e3", "x10" and ".1002" are what makes a text no number. */
static bool looks_like_unit(const char *s)
{
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '/' || *s == '%'))
			return false;
	return true;
}

static enum units_result scale(uint64_t mantissa, uint64_t tens, const struct unit *base, const struct unit *given,
			       uint64_t *v)
{
	unsigned __int128 num = (unsigned __int128)mantissa * (given ? given->factor : 1);
	unsigned __int128 den = (unsigned __int128)tens * (given ? base->factor : 1);

	if (num % den)
		return UNITS_NOT_WHOLE;
	if (num / den > INT64_MAX)
		return UNITS_TOO_LARGE;
	*v = (uint64_t)(num / den);
	return UNITS_OK;
}

enum units_result units_parse(const char *s, const char *unit, int64_t *v)
{
	const struct unit *base = unit_find(unit), *given = NULL;
	uint64_t mantissa = 0, tens = 1, n;
	bool minus = *s == '-';
	const char *end;
	enum units_result r;

	s += minus;
	if (*s < '0' || *s > '9')
		return UNITS_NOT_A_NUMBER;
	end = digits(s, &mantissa);
	if (!end)
		return UNITS_TOO_LARGE;
	if (*s == '0' && end > s + 1)
		return UNITS_LEADING_ZERO;
	if (*end == '.') {
		const char *point = end;

		end = digits(point + 1, &mantissa);
		if (!end || end - point > 10)
			return UNITS_NOT_WHOLE;
		if (end == point + 1)
			return UNITS_NOT_A_NUMBER;
		for (; point + 1 < end; point++)
			tens *= 10;
	}
	if (*end) {
		if (!looks_like_unit(end))
			return UNITS_NOT_A_NUMBER;
		given = unit_find(end);
		if (!given || !base || given->dimension != base->dimension)
			return UNITS_WRONG_UNIT;
	}
	if (minus && !mantissa)
		return UNITS_NOT_A_NUMBER;		/* -0 */
	r = scale(mantissa, tens, base, given, &n);
	if (r == UNITS_OK && !given && tens > 1)
		return UNITS_POINT;
	if (r == UNITS_OK)
		*v = minus ? -(int64_t)n : (int64_t)n;
	return r;
}

void units_print(int64_t v, const char *unit, struct text *out)
{
	const struct unit *base = unit_find(unit), *best = base;
	uint64_t n = v < 0 ? -(uint64_t)v : (uint64_t)v, whole, rest;
	unsigned __int128 small = base ? (unsigned __int128)n * base->factor : n;

	if (v < 0)
		text_char(out, '-');
	if (!base || (base->dimension == BYTES && n < BYTES_BARE_BELOW)) {
		text_uint(out, n);
		return;
	}
	for (size_t i = 0; n && i < NUNITS; i++) {
		uint64_t step = units[i].decimal ? units[i].factor / 10 : units[i].factor;

		if (units[i].dimension != base->dimension || !units[i].printed || small % step ||
		    small < units[i].factor)
			continue;
		best = &units[i];
		break;
	}
	whole = (uint64_t)(small / best->factor);
	rest = (uint64_t)(small % best->factor);
	text_uint(out, whole);
	if (rest) {
		text_char(out, '.');
		text_uint(out, rest / (best->factor / 10));
	}
	if (best->dimension != BYTES || best->printed)
		text_add(out, best->suffix);
}

/* Days are counted in years that begin in March, so that the leap day is their last. */
void units_utc(int64_t seconds, char text[UNITS_UTC])
{
	const int64_t day = 86400, era_days = 146097;	/* 400 years */
	int64_t days = seconds / day - (seconds % day < 0), rest = seconds - days * day;
	int64_t era, in_era, year, in_year, month;

	days += 719468;				/* from 0000-03-01 */
	era = days / era_days - (days % era_days < 0);
	in_era = days - era * era_days;
	year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	in_year = in_era - (365 * year + year / 4 - year / 100);
	month = (5 * in_year + 2) / 153;	/* 0: March */
	snprintf(text, UNITS_UTC, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)(year + era * 400 + (month >= 10)),
		 (int)(month < 10 ? month + 3 : month - 9), (int)(in_year - (153 * month + 2) / 5 + 1), (int)(rest / 3600),
		 (int)(rest / 60 % 60), (int)(rest % 60));
}

void units_now(char text[UNITS_UTC])
{
	units_utc(time(NULL), text);
}
