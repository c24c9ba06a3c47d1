/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, host lists and globs as keys of nodes. A match walks pattern and name together; the digits of a number may be
 * cut in several places where digits follow its bracket, and both are bounded.
 */
#include "policy/hostlist.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "policy/ranges.h"

/* --- is it one -------------------------------------------------------------- */

static bool name_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

static const char *refuse_char(char c)
{
	static const struct {
		char c;
		const char *why;
	} of[] = {
		{ '@', "uses an @group: host lists have none, name the hosts" },
		{ '!', "uses `!`: host lists have no exclusions" },
		{ '&', "uses `&`: host lists have no intersections" },
		{ '^', "uses `^`: host lists are not read from files and have no exclusions" },
		{ ' ', "holds a blank: the names of a list are separated by commas" },
		{ '{', "uses braces: ranges stand in brackets, such as gpu[01-64]" },
		{ ']', "has a ] without its [" },
		{ '\\', "holds a backslash" },
		{ '/', "holds a /: a step stands inside brackets, such as [0-62/2]" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i].c == c)
			return of[i].why;
	return "holds a character that is in no host name";
}

struct hostlist hostlist_of(const char *s, size_t n)
{
	struct hostlist h = { s, (uint32_t)n, RANK_EXACT };

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '*' || s[i] == '?') {
			h.rank = RANK_GLOB;
			return h;
		}
		if (s[i] == '[' || s[i] == ',')
			h.rank = RANK_LIST;
	}
	return h;
}

/*
 * Digits beside a bracket: nodeset takes them into both ends of a range and counts between those (1[8-12] is 18 to 112),
 * Slurm puts them beside each number. They agree where the numbers of the bracket have one length.
 */
static const char *check_lengths(const char *start, const char *s, const char *after, const char *end)
{
	unsigned length = 0;
	struct range r;

	if (!(s > start && is_digit(s[-1])) && !(after < end && is_digit(*after)))
		return NULL;
	for (s++; s < after && !range_parse(s, after, &r); s += r.len + 1) {
		unsigned first = r.width ? r.width : range_digits(r.first), last = r.width ? r.width : range_digits(r.last);

		if (first != last || (length && first != length))
			return "has digits beside a bracket whose numbers differ in length, which nodeset and Slurm read "
			       "differently: write n1[8-9],n1[10-12] as n[18-19,110-112]";
		length = first;
	}
	return NULL;
}

static bool has_step(const char *s, const char *end)
{
	while (s < end && *s != ']' && *s != '/')
		s++;
	return s < end && *s == '/';
}

_Static_assert(HOSTLIST_MAX == 4096 && HOSTLIST_NAME_MAX == 253 && HOSTLIST_BRACKETS_MAX == 4 && HOSTLIST_DIGITS_MAX == 9 &&
	       HOSTLIST_LITERAL_MAX == 14, "what is said below, in texts that need no memory");

/* Digits behind a bracket, up to the next one, if there is one: what nodeset refuses and Slurm reads. */
static const char *check_behind(const char *bracket, const char *s, const char *end)
{
	const char *start = s;

	while (s < end && is_digit(*s))
		s++;
	if (s - start > HOSTLIST_LITERAL_MAX)
		return "has a number of more than 14 digits behind its bracket";
	if (s > start && has_step(bracket, start))
		return "has digits behind a range with a step, which nodeset refuses: put a letter or a dash between them";
	return s < end && *s == '[' ? "has a bracket right behind another, or with only digits between them, which nodeset "
				      "refuses: put a letter or a dash between them" : NULL;
}

/* A run of digits that is longer than any comparison of two lists takes. */
static bool is_long_number(const char *s, const char *start)
{
	size_t n = 0;

	for (; s > start && is_digit(s[-1]); s--)
		n++;
	return n > HOSTLIST_LITERAL_MAX;
}

static const char *check_bracket(const char *s, const char *start, const char *end, unsigned *brackets, const char **after)
{
	const char *why;

	*after = s;
	if (++*brackets > HOSTLIST_BRACKETS_MAX)
		return "has more than 4 brackets";
	if (is_long_number(s, start))
		return "has a number of more than 14 digits before its bracket";
	why = ranges_check(s + 1, end, after);
	if (!why)
		why = check_behind(s, *after, end);
	if (why)
		return why;
	why = check_lengths(start, s, *after, end);
	if (why)
		*after = s;
	return why;
}

const char *hostlist_check(struct hostlist h, size_t *at)
{
	const char *s = h.s, *end = h.s + h.n, *start = s, *why = NULL;
	bool glob = h.rank == RANK_GLOB;
	unsigned brackets = 0;
	size_t length = 0;		/* of the longest name that the item may give */

	*at = 0;
	if (!h.n)
		return "is empty";
	if (h.n > HOSTLIST_MAX)
		return "is longer than 4096 bytes: split it into several entries";
	while (s < end && !why) {
		if (name_char(*s) || (glob && (*s == '*' || *s == '?'))) {
			s++;
			length++;
		} else if (glob && (*s == '[' || *s == ',')) {
			why = "is a glob (* or ?) and a host list at once: make two entries of it";
		} else if (*s == '[') {
			why = check_bracket(s, start, end, &brackets, &s);
			length += HOSTLIST_DIGITS_MAX;
		} else if (*s == ',') {
			why = s == start || s + 1 == end ? "has a comma without a name on both sides" : NULL;
			brackets = 0;
			length = 0;
			start = s = why ? s : s + 1;
		} else {
			why = refuse_char(*s);
		}
		if (!why && length > HOSTLIST_NAME_MAX)
			why = "has a name of more than 253 bytes, nine of them for each bracket, and no host has one";
		if (why)
			*at = (size_t)(s - h.s);
	}
	return why;
}

/* --- does a name belong to it ----------------------------------------------- */

static const char *find(const char *s, const char *end, char c)
{
	const char *p = memchr(s, c, (size_t)(end - s));

	return p ? p : end;
}

/* Ends of both: equal, or one is the short form of the other. */
static bool ends_match(const char *item, const char *s, const char *end, const char *name, const char *rest)
{
	if (s == end)
		return !*rest || (*rest == '.' && !memchr(item, '.', (size_t)(end - item)));
	return *s == '.' && !*rest && !strchr(name, '.');
}

static uint32_t number(const char *s, size_t n)
{
	uint32_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v * 10 + (uint32_t)(s[i] - '0');
	return v;
}

static bool item_match(const char *item, const char *s, const char *end, const char *name, const char *rest)
{
	const char *close;
	size_t run = 0, least;

	for (; s < end && *s != '['; s++, rest++)
		if (*s != *rest)
			return ends_match(item, s, end, name, rest);
	if (s == end)
		return ends_match(item, s, end, name, rest);
	close = find(s, end, ']');
	while (is_digit(rest[run]))
		run++;
	least = close + 1 < end && is_digit(close[1]) ? 1 : run;	/* only digits behind it leave a choice */
	for (size_t n = least; n && n <= run && n <= HOSTLIST_DIGITS_MAX; n++)
		if (ranges_have(s + 1, close, rest, n, number(rest, n)) && item_match(item, close + 1, end, name, rest + n))
			return true;
	return false;
}

/* End of the item of a list that begins at @s: a comma outside brackets. */
static const char *item_end(const char *s, const char *end)
{
	while (s < end && *s != ',')
		s = *s == '[' ? find(s, end, ']') : s + 1;
	return s;
}

bool hostlist_item(struct hostlist h, size_t *at, struct hostlist *item)
{
	const char *s = h.s + *at, *end = h.s + h.n, *stop;

	if (s >= end)
		return false;
	stop = item_end(s, end);
	*item = (struct hostlist){ s, (uint32_t)(stop - s), h.rank };
	*at = (size_t)(stop - h.s) + 1;
	return true;
}

static bool glob_match(struct hostlist h, const char *name)
{
	char pattern[HOSTLIST_MAX + 1], brief[HOSTLIST_NAME_MAX + 1];
	size_t n = strcspn(name, ".");

	memcpy(pattern, h.s, h.n);
	pattern[h.n] = 0;
	if (!fnmatch(pattern, name, 0))
		return true;
	memcpy(brief, name, n);
	brief[n] = 0;
	return name[n] && !fnmatch(pattern, brief, 0);
}

bool hostlist_match(struct hostlist h, const char *name)
{
	const char *end = h.s + h.n;

	if (!*name || h.n > HOSTLIST_MAX)
		return false;
	if (h.rank == RANK_EXACT)
		return item_match(h.s, h.s, end, name, name);
	if (strlen(name) > HOSTLIST_NAME_MAX)
		return false;
	if (h.rank == RANK_GLOB)
		return glob_match(h, name);
	for (const char *s = h.s, *stop; s < end; s = stop + 1) {
		stop = item_end(s, end);
		if (item_match(s, s, stop, name, name))
			return true;
	}
	return false;
}

/* --- examples --------------------------------------------------------------- */

struct examples {
	const char *item, *end;
	size_t left;
	void (*found)(const char *name, void *arg);
	void *arg;
};

/* The item with @v in bracket @which and the first number in every other one. */
static void example(struct examples *x, unsigned which, uint32_t v)
{
	char name[HOSTLIST_NAME_MAX + 1];
	struct range r;
	size_t n = 0;
	unsigned bracket = 0;

	for (const char *s = x->item; s < x->end && n < sizeof(name) - 12; s++) {
		if (*s != '[') {
			name[n++] = *s;
			continue;
		}
		if (range_parse(s + 1, x->end, &r))
			return;
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%0*u", r.width ? (int)r.width : 1,
				      bracket++ == which ? v : r.first);
		s = find(s, x->end, ']');
	}
	if (!x->left)
		return;
	x->left--;
	name[n] = 0;
	x->found(name, x->arg);
}

static void bracket_examples(struct examples *x, const char *s, const char *close, unsigned which)
{
	struct range r;

	for (; s < close && x->left && !range_parse(s, close, &r); s += r.len + 1) {
		example(x, which, r.first);
		if (r.step > 1)
			example(x, which, r.first + 1);
		if (r.last > r.first)
			example(x, which, r.last - (r.last - r.first) % r.step);
		example(x, which, r.last + 1);
	}
}

static void item_examples(struct examples *x)
{
	unsigned which = 0;

	for (const char *s = x->item, *close; s < x->end; s++) {
		if (*s != '[')
			continue;
		close = find(s, x->end, ']');
		bracket_examples(x, s + 1, close, which++);
		s = close;
	}
	if (!which)
		example(x, 0, 0);
}

static void glob_example(struct hostlist h, const char *star, struct examples *x)
{
	char name[HOSTLIST_NAME_MAX + 1];
	size_t n = 0;

	for (size_t i = 0; i < h.n && n + 2 < sizeof(name); i++) {
		if (h.s[i] == '*')
			n += (size_t)snprintf(name + n, sizeof(name) - n, "%s", star);
		else
			name[n++] = h.s[i] == '?' ? '0' : h.s[i];
	}
	name[n] = 0;
	if (n && x->left) {
		x->left--;
		x->found(name, x->arg);
	}
}

bool hostlist_examples(struct hostlist h, size_t max, void (*found)(const char *name, void *arg), void *arg)
{
	struct examples x = { .left = max, .found = found, .arg = arg };
	const char *end = h.s + h.n;

	if (h.rank == RANK_GLOB) {
		glob_example(h, "0", &x);
		glob_example(h, "", &x);
		return true;
	}
	for (const char *s = h.s; s < end && x.left; s = x.end + 1) {
		x.item = s;
		x.end = item_end(s, end);
		item_examples(&x);
	}
	return x.left;
}

/* --- all names ---------------------------------------------------------------- */

/* @n bytes of the name are made, up to @s of the item. Return: was there room for all. */
static bool each_name(struct examples *x, char *name, size_t n, const char *s)
{
	const char *close;
	struct range r;

	for (; s < x->end && *s != '[' && n < HOSTLIST_NAME_MAX; s++)
		name[n++] = *s;
	if (s >= x->end || n + HOSTLIST_DIGITS_MAX > HOSTLIST_NAME_MAX) {
		name[n] = 0;
		if (!x->left)
			return false;
		x->left--;
		x->found(name, x->arg);
		return true;
	}
	close = find(s, x->end, ']');
	for (s++; s < close && !range_parse(s, close, &r); s += r.len + 1)
		for (uint64_t v = r.first; v <= r.last; v += r.step)
			if (!each_name(x, name,
				       n + (size_t)sprintf(name + n, "%0*u", r.width ? (int)r.width : 1, (uint32_t)v), close + 1))
				return false;
	return true;
}

bool hostlist_each(struct hostlist h, size_t max, void (*found)(const char *name, void *arg), void *arg)
{
	struct examples x = { .left = max, .found = found, .arg = arg };
	char name[HOSTLIST_NAME_MAX + HOSTLIST_DIGITS_MAX + 1];
	const char *end = h.s + h.n;

	for (const char *s = h.s; h.rank != RANK_GLOB && s < end; s = x.end + 1) {
		x.end = item_end(s, end);
		if (!each_name(&x, name, 0, s))
			return false;
	}
	return true;
}
