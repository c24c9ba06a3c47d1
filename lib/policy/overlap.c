/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do two items of host lists have a name in common, and which one. Brackets give digits only, so both must have the same
 * letters in the same order, and each number can be looked at by itself: the numbers that two ranges give are two
 * arithmetic progressions, and whether those meet is the Chinese remainder theorem. Nothing is expanded.
 */
#include <string.h>

#include "policy/hostlist.h"
#include "policy/ranges.h"

/* Digits in a row: literal ones, those of a bracket, literal ones. */
struct run {
	const char *before, *after;
	size_t nbefore, nafter;
	const char *ranges, *end;	/* NULL: no bracket */
};

enum { RUN_MAX = 2 * HOSTLIST_LITERAL_MAX + HOSTLIST_DIGITS_MAX };

typedef unsigned __int128 number;	/* of RUN_MAX digits */

/* Numbers first, first + step … up to last, all written with the same number of digits. */
struct progression {
	number first, last, step;
};

/* --- arithmetic ------------------------------------------------------------- */

static number power_of_ten(size_t n)
{
	number v = 1;

	while (n--)
		v *= 10;
	return v;
}

static number literal(const char *s, size_t n, number v)
{
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (unsigned)(s[i] - '0');
	return v;
}

/* x * y modulo m, for m below 2^126 */
static number multiply(number x, number y, number m)
{
	number sum = 0;

	for (x %= m; y; y >>= 1) {
		if (y & 1)
			sum = (sum + x) % m;
		x = x * 2 % m;
	}
	return sum;
}

/* The greatest common divisor of @x and @m; *inverse: of x/gcd modulo m/gcd. */
static number invert(number x, number m, number *inverse)
{
	__int128 r0 = (__int128)m, r1 = (__int128)(x % m), t0 = 0, t1 = 1, rest;

	while (r1) {
		__int128 q = r0 / r1;

		rest = r0 - q * r1;
		r0 = r1;
		r1 = rest;
		rest = t0 - q * t1;
		t0 = t1;
		t1 = rest;
	}
	rest = (__int128)m / r0;
	*inverse = (number)(t0 < 0 ? t0 + rest : t0);
	return (number)r0;
}

/* The least number of both. */
static bool meet(struct progression x, struct progression y, number *v)
{
	number last = x.last < y.last ? x.last : y.last, gcd, inverse, rest, times;

	if (x.first < y.first) {
		struct progression swap = x;

		x = y;
		y = swap;
	}
	if (x.first > last)
		return false;
	gcd = invert(x.step, y.step, &inverse);
	rest = (x.first - y.first) % y.step;	/* x.first + times * x.step must be a whole number of steps behind y.first */
	if (rest % gcd)
		return false;
	rest = rest ? (y.step - rest) / gcd : 0;
	times = multiply(rest, inverse, y.step / gcd);
	if (times > (last - x.first) / x.step)
		return false;
	*v = x.first + times * x.step;
	return true;
}

/* --- runs of digits --------------------------------------------------------- */

static size_t digits(const char **s, const char *end)
{
	const char *start = *s;

	while (*s < end && is_digit(**s))
		++*s;
	return (size_t)(*s - start);
}

static struct run run_at(const char **s, const char *end)
{
	struct run r = { .before = *s };

	r.nbefore = digits(s, end);
	r.after = *s;
	if (*s == end || **s != '[')
		return r;
	r.ranges = ++*s;
	r.end = memchr(*s, ']', (size_t)(end - *s));
	*s = r.after = r.end + 1;
	r.nafter = digits(s, end);
	return r;
}

/* Numbers of @range that are written with @n digits. */
static bool numbers_in(const struct range *range, size_t n, number *first, number *last)
{
	number low = n > 1 && !range->width ? power_of_ten(n - 1) : 0, high = power_of_ten(n) - 1;

	if (range->width && range->width != n)
		return false;
	low = low > range->first ? low : range->first;
	high = high < range->last ? high : range->last;
	low = range->first + (low - range->first + range->step - 1) / range->step * range->step;
	if (low > high)
		return false;
	*first = low;
	*last = high - (high - low) % range->step;
	return true;
}

/* The numbers of the run that have @n digits in all, if its bracket holds @range. */
static bool numbers_of(const struct run *r, const struct range *range, size_t n, struct progression *p)
{
	size_t other = r->nbefore + r->nafter, own = n - other;
	number unit = power_of_ten(r->nafter), first, last;

	if (n <= other || own > HOSTLIST_DIGITS_MAX || !numbers_in(range, own, &first, &last))
		return false;
	p->first = literal(r->after, r->nafter, literal(r->before, r->nbefore, 0) * power_of_ten(own) + first);
	p->last = p->first + (last - first) * unit;
	p->step = range->step * unit;
	return true;
}

/* A number of @n digits that both ranges give. */
static bool ranges_meet(const struct run *x, const struct range *rx, const struct run *y, const struct range *ry, size_t n,
			number *v)
{
	struct progression px, py;

	return numbers_of(x, rx, n, &px) && numbers_of(y, ry, n, &py) && meet(px, py, v);
}

static bool range_meets(const struct run *x, const struct range *rx, const struct run *y, size_t *n, number *v, size_t *work)
{
	struct range ry;

	for (const char *s = y->ranges; s < y->end && *work && !range_parse(s, y->end, &ry); s += ry.len + 1) {
		--*work;
		for (size_t own = 1; own <= HOSTLIST_DIGITS_MAX; own++) {
			*n = x->nbefore + own + x->nafter;
			if (ranges_meet(x, rx, y, &ry, *n, v))
				return true;
		}
	}
	return false;
}

static size_t write_number(number v, size_t n, char *out)
{
	for (size_t i = n; i-- > 0; v /= 10)
		out[i] = (char)('0' + (unsigned)(v % 10));
	return n;
}

/* Does the run with a bracket give the literal one; which is short enough then. */
static bool gives(const struct run *x, const struct run *y)
{
	size_t own = y->nbefore - x->nbefore - x->nafter;

	return y->nbefore > x->nbefore + x->nafter && own <= HOSTLIST_DIGITS_MAX &&
	       !memcmp(y->before, x->before, x->nbefore) &&
	       !memcmp(y->before + y->nbefore - x->nafter, x->after, x->nafter) &&
	       ranges_have(x->ranges, x->end, y->before + x->nbefore, own,
			   (uint32_t)literal(y->before + x->nbefore, own, 0));
}

/* Digits that both runs give, to @out. Return: how many, 0: none. */
static size_t runs_meet(const struct run *x, const struct run *y, char *out, size_t *work)
{
	struct range r;
	number v;
	size_t n;

	if (!y->ranges) {
		if (x->ranges ? !gives(x, y) : x->nbefore != y->nbefore || memcmp(x->before, y->before, x->nbefore) != 0)
			return 0;
		memcpy(out, y->before, y->nbefore);
		return y->nbefore;
	}
	if (!x->ranges)
		return runs_meet(y, x, out, work);
	for (const char *s = x->ranges; s < x->end && *work && !range_parse(s, x->end, &r); s += r.len + 1)
		if (range_meets(x, &r, y, &n, &v, work))
			return write_number(v, n, out);
	return 0;
}

/* --- whole names ------------------------------------------------------------ */

static bool starts_run(const char *s, const char *end)
{
	return s < end && (is_digit(*s) || *s == '[');
}

/* Up to the first dot outside brackets. */
static const char *short_end(const char *s, const char *end)
{
	while (s < end && *s != '.')
		s = *s == '[' ? (const char *)memchr(s, ']', (size_t)(end - s)) : s + 1;
	return s;
}

bool hostlist_overlap(struct hostlist x, struct hostlist y, char name[HOSTLIST_NAME_MAX + 1], size_t *work)
{
	const char *s = x.s, *end = s + x.n, *t = y.s, *tend = t + y.n;
	const char *brief = short_end(s, end), *tbrief = short_end(t, tend);
	size_t n = 0;

	if ((brief == end) != (tbrief == tend)) {	/* a short name belongs to both */
		end = brief;
		tend = tbrief;
	}
	while (s < end && t < tend && n + RUN_MAX < HOSTLIST_NAME_MAX) {
		if (starts_run(s, end) && starts_run(t, tend)) {
			struct run rx = run_at(&s, end), ry = run_at(&t, tend);
			size_t room = HOSTLIST_NAME_MAX - n, put;

			if (rx.nbefore > room || ry.nbefore > room)
				return false;
			put = runs_meet(&rx, &ry, name + n, work);
			if (!put)
				return false;
			n += put;
		} else if (*s++ == *t) {
			name[n++] = *t++;
		} else {
			return false;
		}
	}
	name[n] = 0;
	return s == end && t == tend;
}
