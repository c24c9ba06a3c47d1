/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host lists, one a line: what is refused has a place inside its text; of what is taken, every name that a list gives
 * belongs to it, and what two lists are said to have in common belongs to both.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policy/hostlist.h"

enum { LISTS_MAX = 8, NAMES_MAX = 200, WORK_MAX = 2000 };

static void of_list(const char *name, void *arg)
{
	const struct hostlist *h = arg;

	if (!hostlist_match(*h, name))
		abort();
}

static void any(const char *name, void *arg)
{
	const struct hostlist *h = arg;

	if (strlen(name) <= HOSTLIST_NAME_MAX)
		hostlist_match(*h, name);
}

static void alone(struct hostlist h)
{
	hostlist_each(h, NAMES_MAX, of_list, &h);
	hostlist_examples(h, NAMES_MAX, any, &h);
}

static void together(struct hostlist x, struct hostlist y)
{
	char name[HOSTLIST_NAME_MAX + 1];
	struct hostlist xi, yi;
	size_t work = WORK_MAX;

	if (x.rank == RANK_GLOB || y.rank == RANK_GLOB)
		return;
	for (size_t i = 0; hostlist_item(x, &i, &xi);)
		for (size_t k = 0; hostlist_item(y, &k, &yi) && work;)
			if (hostlist_overlap(xi, yi, name, &work) && (!hostlist_match(x, name) || !hostlist_match(y, name)))
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *a = arena_new();
	struct hostlist list[LISTS_MAX];
	const char *s = arena_strndup(a, (const char *)data, n), *end = s + n;
	size_t lists = 0, at = 0;

	for (const char *stop; s < end && lists < LISTS_MAX; s = stop + 1) {
		struct hostlist h;

		stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		h = hostlist_of(s, (size_t)(stop - s));
		if (!hostlist_check(h, &at))
			list[lists++] = h;
		else if (at > h.n)
			abort();
	}
	for (size_t i = 0; i < lists; i++) {
		alone(list[i]);
		for (size_t k = 0; k <= i; k++)
			together(list[i], list[k]);
	}
	arena_free(a);
	return 0;
}
