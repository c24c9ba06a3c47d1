/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which host lists have names in common. Two items can have one only if they begin with the same letters and their first
 * numbers lie in the same range; sorted by both, few have to be held against each other (overlap.c does that exactly).
 * Globs are few, and are held against all whose first letters allow it (globs.c).
 */
#include "policy/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policy/globs.h"
#include "policy/ranges.h"

enum { PAIRS_MAX = 1 << 20, RANGES_MAX = 1 << 22 };	/* that are compared in all */
enum { LOOKS_MAX = 1 << 24, GLOBS_MAX = 1 << 18 };	/* at first letters; walks through two patterns, and names tried */

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
	if (x->low < y->low || x->low > y->low)
		return x->low < y->low ? -1 : 1;
	return x->list != y->list ? x->list < y->list ? -1 : 1 : x->item.s < y->item.s ? -1 : x->item.s > y->item.s;
}

static bool compare(const struct ones *l, pairs_found found, void *arg)
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

static void sort(struct ones *l)
{
	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), in_order);
}

static void add_glob(struct ones *l, struct hostlist h, size_t list)
{
	list_add(l, l->a) = (struct one){ .item = h, .list = list, .letters = glob_prefix(h) };
}

static void add_hosts(struct ones *lists, struct ones *globs, struct hostlist h, size_t list)
{
	if (h.n && h.rank == RANK_GLOB)
		add_glob(globs, h, list);
	else if (h.n)
		add_list(lists, h, list);
}

/* --- globs ------------------------------------------------------------------ */

/* Do the letters before the first * or bracket of one begin as those of the other. */
static bool letters_agree(const struct one *x, const struct one *y)
{
	return !memcmp(x->item.s, y->item.s, x->letters < y->letters ? x->letters : y->letters);
}

static void is_in(const char *name, void *glob)
{
	struct hostlist *h = glob;

	if (h->n && hostlist_match(*h, name))
		h->n = 0;
}

/* Is the first name of the list, which is tried anyway, one of the glob's. */
static bool has_first(struct hostlist glob, struct hostlist item)
{
	hostlist_each(item, 1, is_in, &glob);
	return !glob.n;
}

struct globbing {
	size_t looks, work;
	pairs_found found;
	void *arg;
};

/* Return: may there be more. */
static bool compare_glob(struct globbing *g, const struct one *glob, const struct ones *with, size_t from)
{
	char name[HOSTLIST_NAME_MAX + 1];

	for (size_t i = from; i < with->n; i++) {
		const struct one *other = &with->at[i];

		if (!g->looks-- || !g->work)
			return false;
		if (other->list == glob->list || !letters_agree(glob, other))
			continue;
		if (other->item.rank != RANK_GLOB && has_first(glob->item, other->item))
			continue;
		if (glob_meets(glob->item, other->item, name, &g->work))
			g->found(name, g->arg);
	}
	return true;
}

static bool compare_globs(const struct ones *globs, const struct ones *lists, pairs_found found, void *arg)
{
	struct globbing g = { .looks = LOOKS_MAX, .work = GLOBS_MAX, .found = found, .arg = arg };
	bool all = true;

	for (size_t i = 0; i < globs->n && all; i++)
		all = compare_glob(&g, &globs->at[i], globs, i + 1) && compare_glob(&g, &globs->at[i], lists, 0);
	return all;
}

/* --- all of a policy -------------------------------------------------------- */

bool pairs_each(const struct policy *p, pairs_found found, void *arg)
{
	struct ones lists = { .a = arena_new() }, globs = { .a = lists.a };
	bool all;

	for (size_t i = 0; i < p->nentries; i++)
		add_hosts(&lists, &globs, p->entry[i].hosts, i);
	for (size_t i = 0; i < p->ncohorts; i++)
		if (p->cohort[i].by == COHORT_NODES)
			add_hosts(&lists, &globs, p->cohort[i].nodes, p->nentries + i);
	sort(&lists);
	all = compare(&lists, found, arg);
	all = compare_globs(&globs, &lists, found, arg) && all;
	arena_free(lists.a);
	return all;
}

static bool one_meets(struct hostlist x, struct hostlist y, size_t *work)
{
	char name[HOSTLIST_NAME_MAX + 1];

	if (x.rank == RANK_GLOB)
		return glob_meets(x, y, name, work);
	return y.rank == RANK_GLOB ? glob_meets(y, x, name, work) : hostlist_overlap(x, y, name, work);
}

bool pairs_meet(struct hostlist x, struct hostlist y, size_t *work)
{
	struct hostlist xi, yi;

	for (size_t i = 0; hostlist_item(x, &i, &xi);)
		for (size_t k = 0; hostlist_item(y, &k, &yi) && *work; --*work)
			if (one_meets(xi, yi, work))
				return true;
	return false;
}

/* --- is there any ----------------------------------------------------------- */

struct pairs {
	struct ones lists, globs;
	size_t work;
};

struct pairs *pairs_new(struct arena *a, const struct policy *p)
{
	struct pairs *x = arena_new_of(a, struct pairs);

	*x = (struct pairs){ .lists.a = a, .globs.a = a, .work = RANGES_MAX };
	for (size_t i = 0; i < p->nentries; i++)
		add_hosts(&x->lists, &x->globs, p->entry[i].hosts, i);
	sort(&x->lists);
	return x;
}

/* The first one whose letters are those of @o, or the place where it would stand. */
static size_t first_of(const struct ones *l, const struct one *o)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_letters(&l->at[middle], o) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool meets_list(struct pairs *x, const struct one *o)
{
	char name[HOSTLIST_NAME_MAX + 1];

	for (size_t i = first_of(&x->lists, o); i < x->lists.n; i++) {
		const struct one *other = &x->lists.at[i];

		if (by_letters(other, o) || other->low > o->high || !x->work)
			break;
		if (other->high >= o->low && hostlist_overlap(other->item, o->item, name, &x->work))
			return true;
	}
	return false;
}

static bool meets_glob(struct pairs *x, const struct one *glob, const struct ones *with)
{
	char name[HOSTLIST_NAME_MAX + 1];

	for (size_t i = 0; i < with->n && x->work; i++, x->work--)
		if (letters_agree(glob, &with->at[i]) && glob_meets(glob->item, with->at[i].item, name, &x->work))
			return true;
	return false;
}

bool pairs_any(struct pairs *x, struct hostlist hosts)
{
	struct ones lists = { .a = arena_new() }, globs = { .a = lists.a };
	bool any = false;

	add_hosts(&lists, &globs, hosts, 0);
	for (size_t i = 0; i < lists.n && !any; i++) {
		any = meets_list(x, &lists.at[i]);
		for (size_t k = 0; k < x->globs.n && !any; k++)
			any = meets_glob(x, &x->globs.at[k], &lists);
	}
	for (size_t i = 0; i < globs.n && !any; i++)
		any = meets_glob(x, &globs.at[i], &x->lists) || meets_glob(x, &globs.at[i], &x->globs);
	arena_free(lists.a);
	return any || !x->work;
}
