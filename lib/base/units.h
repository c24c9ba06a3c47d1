/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with units: "4us", "30m", "150KiB", "400Gb/s", "60%", "32GT/s". A bare number is in the base unit.
 * Base units: "us", "ms", "Mb/s", "bytes", "%", "m", "MT/s" (printed GT/s), "connections" and the like (no suffix).
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct text;

enum units_result {
	UNITS_OK,
	UNITS_NOT_A_NUMBER,
	UNITS_LEADING_ZERO,
	UNITS_TOO_LARGE,
	UNITS_WRONG_UNIT,
	UNITS_NOT_WHOLE,
	UNITS_POINT
};

/**
 * units_parse - @s as a number of the base unit @unit (NULL or a plain noun: no suffix is taken)
 * "010" is UNITS_LEADING_ZERO, "1e3", "0x10" and "+1" are UNITS_NOT_A_NUMBER, "2.5" of a whole unit UNITS_NOT_WHOLE,
 * "26.0" without a unit UNITS_POINT: a whole number that was written as another kind of number.
 * A minus sign is taken only where the caller's range allows it.
 */
enum units_result units_parse(const char *s, const char *unit, int64_t *v);
/** units_print - in the largest unit that shows @v exactly: 400000 Mb/s is "400Gb/s", 32000 MT/s "32GT/s" */
void units_print(int64_t v, const char *unit, struct text *out);
/** units_suffixed - true if values of this unit carry a suffix and are strings in JSON ("Mb/s", "MT/s", "us", …) */
bool units_suffixed(const char *unit);
/** units_suffixes - all that values of this unit may carry, with @between between them; nothing for a noun */
void units_suffixes(const char *unit, const char *between, struct text *out);

enum { UNITS_UTC = 32 };
/** units_utc - seconds since the epoch as "2026-11-29T14:00:00Z"; reads no time zone file, as strftime does */
void units_utc(int64_t seconds, char text[UNITS_UTC]);
/** units_now - the time now, written so */
void units_now(char text[UNITS_UTC]);

#endif
