/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that differ in the last number of their first word alone are a range. Numbers of one width with a zero in front
 * are one list, those without are another: other readers of host lists take a mixed one differently.
 */
#include "policy/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/hostlist.h"

enum { ROOM = HOSTLIST_MAX - HOSTLIST_NAME_MAX - 32 };

struct name {
	const char *s;
	size_t before, digits;		/* bytes in front of the number, and of it; 0: the name has none */
	uint64_t number;
	size_t width;			/* 0: without zeros in front */
};

static struct name name_of(const char *s)
{
	size_t end = strcspn(s, "."), digits = 0;
	struct name n = { .s = s };

	while (end && (s[end - 1] < '0' || s[end - 1] > '9'))
		end--;
	while (digits < end && s[end - digits - 1] >= '0' && s[end - digits - 1] <= '9')
		digits++;
	n.before = end - digits;
	if (!digits || digits > HOSTLIST_DIGITS_MAX)
		return n;
	n.digits = digits;
	for (size_t i = 0; i < digits; i++)
		n.number = n.number * 10 + (uint64_t)(s[n.before + i] - '0');
	n.width = digits > 1 && s[n.before] == '0' ? digits : 0;
	return n;
}

/* All but the number. */
static int by_rest(const struct name *a, const struct name *b)
{
	int order;

	if (!a->digits != !b->digits)
		return a->digits ? 1 : -1;
	if (!a->digits)
		return strcmp(a->s, b->s);
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	order = memcmp(a->s, b->s, a->before);
	return order ? order : strcmp(a->s + a->before + a->digits, b->s + b->before + b->digits);
}

static int by_digits(const void *x, const void *y)
{
	const struct name *a = x, *b = y;
	int order = by_rest(a, b);

	return order ? order : (int)a->digits - (int)b->digits;
}

static int by_frame(const struct name *a, const struct name *b)
{
	int order = by_rest(a, b);

	return order ? order : (int)a->width - (int)b->width;
}

static int by_number(const void *x, const void *y)
{
	const struct name *a = x, *b = y;
	int order = by_frame(a, b);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

/* 10 stands among 08 and 09, not by itself. */
static void widen(struct name *name, size_t n)
{
	qsort(name, n, sizeof(*name), by_digits);
	for (size_t i = 0, end; i < n; i = end) {
		size_t width = 0;

		for (end = i; end < n && !by_digits(&name[i], &name[end]); end++)
			width = name[end].width ? name[end].width : width;
		for (; width && i < end; i++)
			name[i].width = width;
	}
}

static void add_range(struct text *t, const struct name *first, const struct name *last)
{
	text_printf(t, "%.*s", (int)first->digits, first->s + first->before);
	if (first != last)
		text_printf(t, "-%.*s", (int)last->digits, last->s + last->before);
}

/* Names of one frame from @n on, as many as have room; returns how many. */
static size_t add_item(struct text *t, const struct name *n, size_t left)
{
	const struct name *first = n, *end = n + 1;
	size_t ranges = 0;

	while (end < n + left && !by_frame(n, end))
		end++;
	if (!n->digits || end == n + 1) {
		text_add(t, n->s);
		return 1;
	}
	text_printf(t, "%.*s[", (int)n->before, n->s);
	while (first < end && t->n < ROOM) {
		const struct name *last = first;

		while (last + 1 < end && last[1].number == last->number + 1)
			last++;
		text_add(t, ranges++ ? "," : "");
		add_range(t, first, last);
		first = last + 1;
	}
	text_printf(t, "]%s", n->s + n->before + n->digits);
	return (size_t)(first - n);
}

const char *const *fold_hosts(struct arena *a, const char *const *name, size_t n)
{
	struct { const char **at; size_t n, room; } lists = { 0 };
	struct name *sorted = arena_array_of(a, struct name, n + 1);

	for (size_t i = 0; i < n; i++)
		sorted[i] = name_of(name[i]);
	widen(sorted, n);
	qsort(sorted, n, sizeof(*sorted), by_number);
	for (size_t i = 0; i < n;) {
		TEXT_CLEANUP struct text t = { 0 };

		while (i < n && t.n < ROOM) {
			text_add(&t, t.n ? "," : "");
			i += add_item(&t, &sorted[i], n - i);
		}
		list_add(&lists, a) = arena_strdup(a, text_str(&t));
	}
	list_add(&lists, a) = NULL;
	return lists.at;
}
