/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two patterns meet if a walk through both reaches both ends. A table says from which pairs of places that can be done, so
 * that the walk never turns back. A bracket of a list stands for any digits here: what the walk gives is tried, and if it
 * is no name of the list, so are the list's own names.
 */
#include "policy/globs.h"

#include <string.h>

#include "policy/ranges.h"

enum { TOKENS_MAX = HOSTLIST_NAME_MAX, NAMES_TRIED = 4096 };

/* What a place of a pattern takes: itself, or one of these. */
enum { ANY = '?', STAR = '*', DIGITS = '#' };

struct tokens {
	char at[TOKENS_MAX + 1];
	size_t n;
};

size_t glob_prefix(struct hostlist glob)
{
	size_t n = 0;

	while (n < glob.n && glob.s[n] != ANY && glob.s[n] != STAR)
		n++;
	return n;
}

static bool tokens_of(struct hostlist h, struct tokens *t)
{
	t->n = 0;
	for (size_t i = 0; i < h.n; i++) {
		const char *close = h.s[i] == '[' ? memchr(h.s + i, ']', h.n - i) : NULL;

		if (t->n == TOKENS_MAX)
			return false;
		t->at[t->n++] = close ? DIGITS : h.s[i];
		if (close)
			i = (size_t)(close - h.s);
	}
	return true;
}

static bool repeats(char token)
{
	return token == STAR || token == DIGITS;
}

/* A character that both take; 0: none. */
static char common(char x, char y)
{
	bool open = x == ANY || x == STAR, also = y == ANY || y == STAR;

	if (open)
		return also || y == DIGITS ? '0' : y;
	if (also)
		return x == DIGITS ? '0' : x;
	if (x == DIGITS)
		return y == DIGITS ? '0' : is_digit(y) ? y : 0;
	if (y == DIGITS)
		return is_digit(x) ? x : 0;
	return x == y ? x : 0;
}

struct table {
	struct tokens x, y;
	bool can[TOKENS_MAX + 1][TOKENS_MAX + 1];	/* get from these two places to both ends */
};

/* Where a character that both take leads: a token that repeats stays, but not both. Return: is there one. */
static bool step(const struct table *t, size_t i, size_t k, size_t *ni, size_t *nk, char *c)
{
	if (i == t->x.n || k == t->y.n)
		return false;
	*c = common(t->x.at[i], t->y.at[k]);
	*ni = i + (repeats(t->x.at[i]) && !repeats(t->y.at[k]) ? 0 : 1);
	*nk = k + (repeats(t->y.at[k]) && !repeats(t->x.at[i]) ? 0 : 1);
	return *c;
}

static void fill(struct table *t)
{
	size_t ni, nk;
	char c;

	for (size_t i = t->x.n + 1; i-- > 0;)
		for (size_t k = t->y.n + 1; k-- > 0;)
			t->can[i][k] = (i == t->x.n && k == t->y.n) ||
				       (i < t->x.n && repeats(t->x.at[i]) && t->can[i + 1][k]) ||
				       (k < t->y.n && repeats(t->y.at[k]) && t->can[i][k + 1]) ||
				       (step(t, i, k, &ni, &nk, &c) && t->can[ni][nk]);
}

/* The name of the way to both ends, which is there. */
static bool walk(const struct table *t, char *name)
{
	size_t i = 0, k = 0, n = 0, ni, nk;
	char c;

	while (i < t->x.n || k < t->y.n) {
		if (step(t, i, k, &ni, &nk, &c) && t->can[ni][nk]) {
			if (n == HOSTLIST_NAME_MAX)
				return false;
			name[n++] = c;
			i = ni;
			k = nk;
		} else if (i < t->x.n && repeats(t->x.at[i]) && t->can[i + 1][k]) {
			i++;
		} else {
			k++;
		}
	}
	name[n] = 0;
	return n;
}

struct trying {
	struct hostlist glob;
	char *name;
	size_t *work;
	bool found;
};

static void try_name(const char *name, void *arg)
{
	struct trying *t = arg;

	if (t->found || !*t->work)
		return;
	--*t->work;
	t->found = hostlist_match(t->glob, name);
	if (t->found)
		memcpy(t->name, name, strlen(name) + 1);
}

static bool has_dot(struct hostlist h)
{
	return memchr(h.s, '.', h.n);
}

/* Of "*a" and "*.rack1" the one takes a host by its short name, the other by the full one: the short one goes on behind a dot. */
static bool meets_by_short(struct table *t, struct tokens *brief, struct hostlist x, struct hostlist y, char *name)
{
	size_t n = brief->n;
	bool meet;

	if (n + 2 > TOKENS_MAX)
		return false;
	brief->at[brief->n++] = '.';
	brief->at[brief->n++] = STAR;
	fill(t);
	meet = t->can[0][0] && walk(t, name) && hostlist_match(x, name) && hostlist_match(y, name);
	brief->n = n;
	return meet;
}

bool glob_meets(struct hostlist glob, struct hostlist other, char name[HOSTLIST_NAME_MAX + 1], size_t *work)
{
	struct trying trying = { .glob = glob, .name = name, .work = work };
	struct table t;

	if (!*work || !tokens_of(glob, &t.x) || !tokens_of(other, &t.y))
		return false;
	--*work;
	fill(&t);
	if (t.can[0][0] && walk(&t, name) && hostlist_match(glob, name) && hostlist_match(other, name))
		return true;
	if (t.can[0][0])
		hostlist_each(other, NAMES_TRIED < *work ? NAMES_TRIED : *work, try_name, &trying);
	return trying.found || (has_dot(other) && !has_dot(glob) && meets_by_short(&t, &t.x, glob, other, name)) ||
	       (has_dot(glob) && !has_dot(other) && meets_by_short(&t, &t.y, glob, other, name));
}
