/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the brackets of a host list: "01-64,70,80-98/2". Private to hostlist.c and overlap.c. */
#ifndef POLICY_RANGES_H
#define POLICY_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint32_t first, last, step;
	unsigned width;			/* digits of every number of it, padded with zeros; 0: no padding */
	size_t len;			/* bytes of its text */
};

/** range_parse - one range at @s: "7", "01-64", "0-62/2". Return: NULL, or what is wrong */
const char *range_parse(const char *s, const char *end, struct range *r);
/**
 * ranges_check - the ranges behind a [, up to and with their ]
 * @after: set behind the ], or to the byte that is wrong
 * Return: NULL, or what is wrong.
 */
const char *ranges_check(const char *s, const char *end, const char **after);
/** ranges_have - is the number @v, written as the @n digits at @digits, in the ranges from @s to @end */
bool ranges_have(const char *s, const char *end, const char *digits, size_t n, uint32_t v);

/** range_digits - of a number without padding */
unsigned range_digits(uint32_t v);

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
