/* SPDX-License-Identifier: Apache-2.0 */
/* Comments of a policy that allow findings: whatever the text, they lie inside it, and reasons are safe to print. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "lint/allow.h"

static size_t lines_of(const struct source *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->len; i++)
		n += s->text[i] == '\n';
	return n;
}

static void check(const struct allows *all, size_t i, const struct source *s)
{
	const struct allow *one = &all->at[i];

	if (one->pos.source != s || !one->pos.line || one->pos.line > lines_of(s) || !one->pos.col ||
	    one->line < one->pos.line)
		abort();
	if (!one->rule != !one->because)
		abort();
	if (one->rule && (!*one->rule || !*one->because || !text_is_utf8(one->because, strlen(one->because))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *a = arena_new();
	const struct source s = { "policy.yaml", arena_strndup(a, (const char *)data, n), n };
	struct allows all = { 0 };

	allows_of(&all, &s, a);
	for (size_t i = 0; i < all.n; i++) {
		const struct pos at = { .source = &s, .line = all.at[i].line, .col = 1, .len = 1 };

		check(&all, i, &s);
		if (all.at[i].rule && !allows_find(&all, &at, all.at[i].rule, a))
			abort();
	}
	arena_free(a);
	return 0;
}
