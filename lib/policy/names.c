/* SPDX-License-Identifier: Apache-2.0 */
/* Host lists by keys that a node's name leads to, and a hash table of them. What is found is matched as any list is. */
#include "policy/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "policy/globs.h"
#include "policy/ranges.h"

/* Bits that a number is divided by, by scale; the last scale takes all ranges, also those that digits follow. */
static const unsigned bits[NAMES_SCALES] = { 0, 5, 10, 15, 20, 25, 30, 63 };

enum { ALL = NAMES_SCALES - 1, BRACKET = 1 << 8, EXACT = 2 << 8 };

static uint64_t key_of(uint64_t h, unsigned kind, uint64_t cell)
{
	h = (h ^ kind ^ cell << 16) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* --- keys ------------------------------------------------------------------- */

/* The least that makes one number of a range, or two that follow each other. */
static unsigned scale_of(const struct range *r)
{
	unsigned scale = 0;

	while ((r->last >> bits[scale]) - (r->first >> bits[scale]) > 1)
		scale++;
	return scale;
}

static void keys_of_bracket(uint64_t h, const char *s, const char *end, uint32_t *scales, names_found found, void *arg)
{
	const char *close = memchr(s, ']', (size_t)(end - s));
	struct range r;

	if (close + 1 < end && is_digit(close[1])) {	/* where its number ends is not known without the list */
		*scales |= 1u << ALL;
		found(key_of(h, BRACKET | ALL, 0), arg);
		return;
	}
	for (; s < close && !range_parse(s, close, &r); s += r.len + 1) {
		unsigned scale = scale_of(&r);

		*scales |= 1u << scale;
		for (uint32_t cell = r.first >> bits[scale]; cell <= r.last >> bits[scale]; cell++)
			found(key_of(h, BRACKET | scale, cell), arg);
	}
}

void names_of_list(struct hostlist h, uint64_t seed, uint32_t *scales, names_found found, void *arg)
{
	struct hostlist item;

	for (size_t at = 0; h.rank != RANK_GLOB && hostlist_item(h, &at, &item);) {
		const char *s = item.s, *end = s + item.n;

		while (s < end && *s != '[' && *s != '.')
			s++;
		if (s < end && *s == '[')
			keys_of_bracket(hash_add(seed, item.s, (size_t)(s - item.s)), s + 1, end, scales, found, arg);
		else
			found(key_of(hash_add(seed, item.s, (size_t)(s - item.s)), EXACT, 0), arg);
	}
}

/* Keys of brackets that would begin at the digit @s; @h is of what comes before it. */
static void keys_of_digits(uint64_t h, const char *s, uint32_t scales, names_found found, void *arg)
{
	uint64_t v = 0;
	size_t n = 0;

	for (; is_digit(s[n]) && n <= HOSTLIST_DIGITS_MAX; n++)
		v = v * 10 + (uint64_t)(s[n] - '0');
	for (unsigned scale = 0; scale < NAMES_SCALES; scale++)
		if (scales >> scale & 1 && (scale == ALL || n <= HOSTLIST_DIGITS_MAX))
			found(key_of(h, BRACKET | scale, scale == ALL ? 0 : v >> bits[scale]), arg);
}

void names_of_node(const char *node, uint64_t seed, uint32_t scales, names_found found, void *arg)
{
	size_t i = 0;

	for (; i < HOSTLIST_NAME_MAX && node[i] && node[i] != '.'; i++) {
		if (scales && is_digit(node[i]))
			keys_of_digits(seed, node + i, scales, found, arg);
		seed = hash_add(seed, node + i, 1);
	}
	found(key_of(seed, EXACT, 0), arg);
}

/* --- a table of them -------------------------------------------------------- */

struct one {
	uint64_t key;
	uint32_t entry, next;		/* number + 1 */
};

struct names {
	const struct policy *p;
	struct arena *a;
	uint64_t seed;
	uint32_t scales;
	uint32_t adding;		/* the entry in hand */
	struct {
		struct one *at;
		size_t n, room;
	} all;
	uint32_t *slot;
	size_t nslots;			/* a power of two */
	const struct entry **glob;	/* by what comes before the first * or ? */
	size_t nglobs, nlists;
};

static void take_key(uint64_t key, void *arg)
{
	struct names *x = arg;
	const struct one *last = x->all.n ? &x->all.at[x->all.n - 1] : NULL;

	if (!last || last->key != key || last->entry != x->adding)
		list_add(&x->all, x->a) = (struct one){ .key = key, .entry = x->adding };
}

static void link_all(struct names *x)
{
	for (x->nslots = 64; x->nslots < x->all.n; x->nslots *= 2)
		;
	x->slot = arena_array_of(x->a, uint32_t, x->nslots);
	for (size_t i = 0; i < x->all.n; i++) {
		uint32_t *slot = &x->slot[x->all.at[i].key & (x->nslots - 1)];

		x->all.at[i].next = *slot;
		*slot = (uint32_t)i + 1;
	}
}

/* Of two prefixes the bytes; of one with which the other begins, the length. */
static int order_of(const char *s, size_t n, const char *t, size_t m)
{
	int order = memcmp(s, t, n < m ? n : m);

	return order ? order : n < m ? -1 : n > m;
}

static int by_prefix(const void *x, const void *y)
{
	struct hostlist g = (*(const struct entry *const *)x)->hosts, h = (*(const struct entry *const *)y)->hosts;

	return order_of(g.s, glob_prefix(g), h.s, glob_prefix(h));
}

struct names *names_new(struct arena *a, const struct policy *p)
{
	struct names *x = arena_new_of(a, struct names);

	*x = (struct names){ .p = p, .a = a, .seed = hash_seed() };
	for (size_t i = 0; i < p->nentries; i++)
		x->nglobs += p->entry[i].hosts.rank == RANK_GLOB;
	x->glob = arena_array_of(a, const struct entry *, x->nglobs);
	x->all.at = arena_array_of(a, struct one, p->nentries);
	x->all.room = p->nentries;
	x->nglobs = 0;
	for (size_t i = 0; i < p->nentries; i++) {
		const struct entry *e = &p->entry[i];

		x->adding = (uint32_t)i;
		x->nlists += e->hosts.rank == RANK_LIST;
		if (e->hosts.rank == RANK_GLOB)
			x->glob[x->nglobs++] = e;
		else if (e->hosts.n)
			names_of_list(e->hosts, x->seed, &x->scales, take_key, x);
	}
	if (x->nglobs)
		qsort(x->glob, x->nglobs, sizeof(struct entry *), by_prefix);
	link_all(x);
	return x;
}

size_t names_patterns(const struct names *x)
{
	return x->nlists + x->nglobs;
}

/* --- looking -------------------------------------------------------------------- */

struct look {
	const struct names *x;
	struct arena *a;
	const char *node;
	struct {
		const struct entry **at;
		size_t n, room;
	} list;
};

static void take_entry(struct look *l, const struct entry *e)
{
	if (hostlist_match(e->hosts, l->node))
		list_add(&l->list, l->a) = e;
}

static void look_up(uint64_t key, void *arg)
{
	struct look *l = arg;
	const struct names *x = l->x;

	for (uint32_t at = x->slot[key & (x->nslots - 1)]; at; at = x->all.at[at - 1].next)
		if (x->all.at[at - 1].key == key)
			take_entry(l, &x->p->entry[x->all.at[at - 1].entry]);
}

/* A list may stand under several keys. */
static void take_out_doubles(struct resolved *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nentries; i++)
		if (!n || r->entry[i] != r->entry[n - 1])
			r->entry[n++] = r->entry[i];
	r->nentries = n;
}

/* Of the globs from @from on, the first whose prefix is not before @s. */
static size_t glob_from(const struct names *x, size_t from, const char *s, size_t n)
{
	size_t high = x->nglobs;

	while (from < high) {
		size_t middle = from + (high - from) / 2;
		struct hostlist g = x->glob[middle]->hosts;

		if (order_of(g.s, glob_prefix(g), s, n) < 0)
			from = middle + 1;
		else
			high = middle;
	}
	return from;
}

/* Only a glob whose prefix the name begins with can match it. Return: how many were tried. */
static size_t look_at_globs(struct look *l)
{
	const struct names *x = l->x;
	size_t tried = 0;

	for (size_t n = 0, i = 0; i < x->nglobs && n <= HOSTLIST_NAME_MAX; n++) {
		for (i = glob_from(x, i, l->node, n); i < x->nglobs; i++, tried++) {
			struct hostlist g = x->glob[i]->hosts;

			if (order_of(g.s, glob_prefix(g), l->node, n) != 0)
				break;
			take_entry(l, x->glob[i]);
		}
		if (!l->node[n])
			break;
	}
	return tried;
}

size_t names_match(const struct names *x, struct arena *a, const char *node, struct resolved *r)
{
	struct look l = { .x = x, .a = a, .node = node };
	size_t tried = look_at_globs(&l);

	names_of_node(node, x->seed, x->scales, look_up, &l);
	*r = (struct resolved){ .node = node, .entry = l.list.at, .nentries = l.list.n };
	resolved_sort(r);
	take_out_doubles(r);
	cohorts_of(x->p, a, r, false);
	return tried;
}
