/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which host lists have names in common. Two items can have one only if they begin with the same letters and their first
 * numbers lie in the same range; sorted by both, few have to be held against each other (overlap.c does that exactly).
 */
#include "policy/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policy/ranges.h"

enum { PAIRS_MAX = 1 << 20, RANGES_MAX = 1 << 22 };	/* that are compared in all */

struct one {
	struct hostlist item;
	size_t list;			/* items of one list are not held against each other */
	size_t letters;			/* bytes before its first digit, bracket or dot */
	double low, high;		/* of its first number, rounded outwards */
};

struct ones {
	struct arena *a;
	struct one *at;
	size_t n, room;
};

static void widen(struct one *o, double before, unsigned width, double v, double unit, double after)
{
	double scale = 1, all;

	for (; width; width--)
		scale *= 10;
	all = (before * scale + v) * unit + after;
	o->low = all * (1 - 1e-12) < o->low ? all * (1 - 1e-12) : o->low;
	o->high = all * (1 + 1e-12) > o->high ? all * (1 + 1e-12) : o->high;
}

static double digits(const char **s, const char *end, double *unit)
{
	double v = 0;

	for (*unit = 1; *s < end && is_digit(**s); ++*s, *unit *= 10)
		v = v * 10 + (**s - '0');
	return v;
}

/* The least and the greatest number that the first run of digits gives. */
static void measure(struct one *o)
{
	const char *end = o->item.s + o->item.n, *s = o->item.s + o->letters, *ranges, *close;
	double unit, before = digits(&s, end, &unit), after;
	struct range r;

	o->low = o->high = before;
	if (s == end || *s != '[')
		return;
	ranges = s + 1;
	close = memchr(s, ']', (size_t)(end - s));
	s = close + 1;
	after = digits(&s, end, &unit);
	o->low = 1e300;
	for (s = ranges; s < close && !range_parse(s, close, &r); s += r.len + 1) {
		widen(o, before, r.width ? r.width : range_digits(r.first), r.first, unit, after);
		widen(o, before, r.width ? r.width : range_digits(r.last), r.last, unit, after);
	}
}

static void add_list(struct ones *l, struct hostlist h, size_t list)
{
	struct hostlist item;

	for (size_t at = 0; hostlist_item(h, &at, &item);) {
		struct one o = { .item = item, .list = list };

		while (o.letters < item.n && !is_digit(item.s[o.letters]) && item.s[o.letters] != '[' &&
		       item.s[o.letters] != '.')
			o.letters++;
		measure(&o);
		list_add(l, l->a) = o;
	}
}

static int by_letters(const struct one *x, const struct one *y)
{
	size_t least = x->letters < y->letters ? x->letters : y->letters;
	int order = memcmp(x->item.s, y->item.s, least);

	if (order || x->letters == y->letters)
		return order;
	return x->letters < y->letters ? -1 : 1;
}

static int in_order(const void *one, const void *other)
{
	const struct one *x = one, *y = other;
	int order = by_letters(x, y);

	if (order)
		return order;
	return x->low < y->low ? -1 : x->low > y->low ? 1 : x < y ? -1 : x > y;
}

static bool compare(const struct ones *l, void (*found)(const char *name, void *arg), void *arg)
{
	char name[HOSTLIST_NAME_MAX + 1];
	size_t pairs = PAIRS_MAX, work = RANGES_MAX;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = i + 1; k < l->n; k++) {
			const struct one *x = &l->at[i], *y = &l->at[k];

			if (by_letters(x, y) || y->low > x->high)
				break;
			if (!pairs-- || !work)
				return false;
			if (x->list != y->list && hostlist_overlap(x->item, y->item, name, &work))
				found(name, arg);
		}
	return work;
}

bool pairs_each(const struct policy *p, void (*found)(const char *name, void *arg), void *arg)
{
	struct ones l = { .a = arena_new() };
	bool all;

	for (size_t i = 0; i < p->nentries; i++)
		if (p->entry[i].hosts.rank == RANK_LIST && p->entry[i].hosts.n)
			add_list(&l, p->entry[i].hosts, i);
	for (size_t i = 0; i < p->ncohorts; i++)
		if (p->cohort[i].by == COHORT_NODES && p->cohort[i].nodes.rank == RANK_LIST)
			add_list(&l, p->cohort[i].nodes, p->nentries + i);
	if (l.n)
		qsort(l.at, l.n, sizeof(*l.at), in_order);
	all = compare(&l, found, arg);
	arena_free(l.a);
	return all;
}

static bool lists_meet(struct hostlist x, struct hostlist y, size_t *work)
{
	char name[HOSTLIST_NAME_MAX + 1];
	struct hostlist xi, yi;

	for (size_t i = 0; hostlist_item(x, &i, &xi);)
		for (size_t k = 0; hostlist_item(y, &k, &yi);)
			if (hostlist_overlap(xi, yi, name, work))
				return true;
	return false;
}

bool pairs_any(const struct policy *p, struct hostlist hosts)
{
	size_t work = RANGES_MAX;

	for (size_t i = 0; i < p->nentries; i++) {
		struct hostlist entry = p->entry[i].hosts;

		if (hosts.rank == RANK_GLOB || entry.rank == RANK_GLOB || (entry.n && lists_meet(hosts, entry, &work)))
			return true;
	}
	return !work;
}
