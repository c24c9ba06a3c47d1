/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of numbers in the brackets of a host list. What nodeset, Slurm and pdsh read differently is refused: ends that
 * are padded differently, numbers of one bracket that are, and a step without a range.
 */
#include "policy/ranges.h"

#include "policy/hostlist.h"

/* Digits at @s, at most up to @end, to a number; 0: there are none, or too many. */
static size_t number(const char *s, const char *end, uint32_t *v)
{
	size_t n = 0;

	for (*v = 0; s + n < end && is_digit(s[n]) && n <= HOSTLIST_DIGITS_MAX; n++)
		*v = n < HOSTLIST_DIGITS_MAX ? *v * 10 + (uint32_t)(s[n] - '0') : 0;
	return n > HOSTLIST_DIGITS_MAX ? 0 : n;
}

/* Why number() found none: @none, or too many digits. */
static const char *no_number(const char *s, const char *end, const char *none)
{
	return s < end && is_digit(*s) ? "has a number of more than 9 digits" : none;
}

static bool is_padded(const char *s, size_t n)
{
	return n > 1 && *s == '0';
}

static const char *range_end(const char *start, size_t nlow, const char **s, const char *end, struct range *r)
{
	const char *high = ++*s;
	size_t n = number(high, end, &r->last);

	if (!n)
		return no_number(high, end, "has a range without its end");
	if (n != nlow && (is_padded(start, nlow) || is_padded(high, n)))
		return "has a padded range whose two ends differ in length: nodeset refuses it, other tools read it each in "
		       "their own way; write [001-100] or [01-99,100]";
	if (r->last < r->first)
		return "has a range that ends before it begins";
	*s += n;
	return NULL;
}

_Static_assert(HOSTLIST_DIGITS_MAX == 9, "what is said below");

const char *range_parse(const char *s, const char *end, struct range *r)
{
	const char *start = s, *why;
	size_t n = number(s, end, &r->first);
	bool range;

	if (!n)
		return no_number(s, end, "has no number where one is due: brackets hold ranges such as [01-64,70]");
	r->width = is_padded(s, n) ? (unsigned)n : 0;
	r->last = r->first;
	r->step = 1;
	s += n;
	range = s < end && *s == '-';
	why = range ? range_end(start, n, &s, end, r) : NULL;
	if (why)
		return why;
	if (s < end && *s == '/') {
		if (!range)
			return "has a step behind a single number: a step belongs to a range, such as [0-62/2]";
		n = number(++s, end, &r->step);
		if (!n || !r->step)
			return "has a step that is no number above 0";
		s += n;
	}
	r->len = (size_t)(s - start);
	return NULL;
}

unsigned range_digits(uint32_t v)
{
	unsigned n = 1;

	for (; v > 9; v /= 10)
		n++;
	return n;
}

/* Is a number of @r shorter than the padding of its bracket, or padded to another width? */
static bool is_odd(const struct range *r, unsigned width)
{
	return width && (r->width ? r->width != width : range_digits(r->first) < width);
}

/* The first padded width of the ranges from @s to @end, or 0. */
static unsigned padding(const char *s, const char *end)
{
	struct range r;

	for (; s < end && !range_parse(s, end, &r); s += r.len + 1)
		if (r.width)
			return r.width;
	return 0;
}

static const char *check_padding(const char *s, const char *end, const char **after)
{
	unsigned width = padding(s, end);
	struct range r;

	for (; s < end && !range_parse(s, end, &r); s += r.len + 1) {
		*after = s;
		if (is_odd(&r, width))
			return "has numbers in one bracket that are padded differently: some tools pad them all alike, others "
			       "do not; write two names, such as gpu[01-09],gpu[1-9]";
	}
	return NULL;
}

const char *ranges_check(const char *s, const char *end, const char **after)
{
	const char *start = s, *why;
	struct range r;

	for (;;) {
		*after = s;
		why = range_parse(s, end, &r);
		if (why)
			return why;
		s += r.len;
		*after = s;
		if (s == end)
			return "has a [ without its ]";
		if (*s != ',' && *s != ']')
			return *s == '[' ? "has a bracket inside a bracket" :
					   "has something else than ranges in its brackets: [01-64,70] or [0-62/2]";
		if (*s++ == ']')
			break;
	}
	why = check_padding(start, s - 1, after);
	if (!why)
		*after = s;
	return why;
}

static bool range_has(const struct range *r, const char *digits, size_t n, uint32_t v)
{
	if (r->width ? n != r->width : is_padded(digits, n))
		return false;
	return v >= r->first && v <= r->last && (v - r->first) % r->step == 0;
}

bool ranges_have(const char *s, const char *end, const char *digits, size_t n, uint32_t v)
{
	struct range r;

	for (; s < end && !range_parse(s, end, &r); s += r.len + 1)
		if (range_has(&r, digits, n, v))
			return true;
	return false;
}
