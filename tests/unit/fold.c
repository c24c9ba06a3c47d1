/* SPDX-License-Identifier: Apache-2.0 */
/* Names folded into host lists, and back: whatever they are, the lists are just these names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "policy/fold.h"
#include "policy/hostlist.h"

enum { ROUNDS = 300, NAMES_MAX = 400 };

static void examples(void **state)
{
	static const struct {
		const char *names[8], *lists[4];
	} of[] = {
		{ { "gpu0001", "gpu0002", "gpu0003" }, { "gpu[0001-0003]" } },
		{ { "gpu0003", "gpu0001", "gpu0002", "gpu0012" }, { "gpu[0001-0003,0012]" } },
		{ { "n8", "n9", "n10", "n12" }, { "n[8-10,12]" } },
		{ { "n08", "n09", "n10", "n100" }, { "n100,n[08-10]" } },
		{ { "n1", "n01" }, { "n1,n01" } },
		{ { "login", "gpu1" }, { "login,gpu1" } },
		{ { "a1.x.org", "a2.x.org", "a3.y.org" }, { "a[1-2].x.org,a3.y.org" } },
		{ { "r1n1", "r1n2", "r2n1" }, { "r1n[1-2],r2n1" } },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const char *const *lists;
		size_t n = 0;

		while (n < 8 && of[i].names[n])
			n++;
		lists = fold_hosts(a, of[i].names, n);
		for (n = 0; of[i].lists[n]; n++)
			assert_string_equal(lists[n], of[i].lists[n]);
		assert_null(lists[n]);
	}
	arena_free(a);
}

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

static const char *random_name(struct arena *a)
{
	static const char *const before[] = { "gpu", "r1n", "stor-", "a", "x9y" }, *const behind[] = { "", "", ".dc1", "b", "-ib0" };
	const char *prefix = before[below(5)], *suffix = behind[below(5)];

	switch (below(4)) {
	case 0:
		return arena_printf(a, "%s%u%s", prefix, below(120), suffix);
	case 1:
		return arena_printf(a, "%s%03u%s", prefix, below(120), suffix);
	case 2:
		return arena_printf(a, "%s%02u%s", prefix, below(120), suffix);
	default:
		return arena_printf(a, "%sq%s", prefix, suffix);
	}
}

struct seen {
	const char **name;
	bool *back;
	size_t n, extra;
};

static void found(const char *name, void *arg)
{
	struct seen *s = arg;

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name) && !s->back[i]) {
			s->back[i] = true;
			return;
		}
	s->extra++;
}

static void round_trip(struct arena *a)
{
	const char *name[NAMES_MAX];
	bool back[NAMES_MAX] = { false };
	struct seen s = { name, back, 0, 0 };

	for (unsigned tries = 1 + below(NAMES_MAX); tries; tries--) {
		const char *one = random_name(a);
		bool twice = false;

		for (size_t i = 0; i < s.n; i++)
			twice = twice || !strcmp(name[i], one);
		if (!twice)
			name[s.n++] = one;
	}
	for (const char *const *list = fold_hosts(a, name, s.n); *list; list++) {
		struct hostlist h = hostlist_of(*list, strlen(*list));
		const char *why;
		size_t at;

		why = hostlist_check(h, &at);
		if (why)
			fail_msg("%s: %s", *list, why);
		assert_true(hostlist_each(h, 100000, found, &s));
	}
	assert_int_equal(s.extra, 0);
	for (size_t i = 0; i < s.n; i++)
		assert_true(back[i]);
}

static void random_names(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		struct arena *a = arena_new();

		round_trip(a);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(examples), cmocka_unit_test(random_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
