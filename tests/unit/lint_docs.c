/* SPDX-License-Identifier: Apache-2.0 */
/* The list of rules in docs/lint.md is that of the tables; UPDATE=1 writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "lint/lint.h"

#define DOCUMENT "docs/lint.md"

static const char begin[] = "<!-- rules: made from the tables by tests/unit/lint_docs.c (UPDATE=1) -->\n";
static const char end[] = "<!-- end of rules -->\n";

/* A | would end the cell of a table. */
static void cell(struct text *t, const char *s)
{
	for (; *s; s++)
		text_printf(t, *s == '|' ? "\\|" : "%c", *s);
	text_add(t, " | ");
}

static void row(struct text *t, const struct rule *r)
{
	text_printf(t, "| `%s` | ", r->name);
	cell(t, severity_name(r->severity));
	cell(t, r->reason);
	cell(t, r->needs);
	cell(t, r->source);
	t->n--;
	text_char(t, '\n');
}

static void rules(struct text *t)
{
	const struct lint_rule *r;

	text_add(t, "\n| rule | severity | otherwise | needs | source |\n|---|---|---|---|---|\n");
	for (size_t i = 0; (r = lint_rule(i)) != NULL; i++)
		row(t, &r->is);
	text_char(t, '\n');
}

static void the_document_has_the_rules(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct arena *a = arena_new();
	const struct source *s = NULL;
	const char *from, *to;
	struct diags d;

	(void)state;
	diags_init(&d, a);
	assert_int_equal(file_load(a, DOCUMENT, 1 << 20, &s, &d), 0);
	from = strstr(s->text, begin);
	to = strstr(s->text, end);
	assert_true(from && to && from < to);
	text_addn(&t, s->text, (size_t)(from - s->text) + strlen(begin));
	rules(&t);
	text_add(&t, to);
	if (getenv("UPDATE")) {
		FILE *f = fopen(DOCUMENT, "w");

		assert_non_null(f);
		assert_int_equal(fwrite(text_str(&t), 1, t.n, f), t.n);
		assert_int_equal(fclose(f), 0);
	} else if (strcmp(text_str(&t), s->text) != 0) {
		fail_msg(DOCUMENT " does not have the rules of the tables: run UPDATE=1 build/unit/lint_docs");
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_document_has_the_rules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
