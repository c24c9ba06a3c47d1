/* SPDX-License-Identifier: Apache-2.0 */
/* The policies that are there to copy: each loads, asks something of every node it names, and has no finding. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "lint/lint.h"
#include "policy/policy.h"

struct visits {
	struct lint lint;
	size_t cells, groups;
};

static void visit(const struct policy_group *g, void *arg, struct diags *d)
{
	struct visits *v = arg;

	lint_visit(g, &v->lint, d);
	v->groups += *g->group != 0;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->record[i]->n; k++) {
			assert_int_not_equal(g->record[i]->at[k].state, CELL_FABRIC);
			v->cells += g->record[i]->at[k].state == CELL_VALUE;
		}
}

static void check(const char *path)
{
	TEXT_CLEANUP struct text told = { 0 };
	struct arena *a = arena_new();
	struct visits v = { 0 };
	struct policy *p;
	struct diags d;
	int r;

	diags_init(&d, a);
	lint_init(&v.lint, catalog_default(), &d);
	r = policy_load(a, path, catalog_default(), &p, &d);
	if (r == 0)
		r = policy_each(p, NULL, catalog_default(), visit, &v, &d);
	diags_print(&d, false, &told);
	if (r < 0 || d.errors || d.warnings)
		fail_msg("%s", text_str(&told));
	assert_true(v.groups > 0);
	assert_true(v.cells > 2);
	arena_free(a);
}

static void policies(void **state)
{
	glob_t g;

	(void)state;
	assert_int_equal(glob("policies/*.yaml", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 4);
	for (size_t i = 0; i < g.gl_pathc; i++)
		check(g.gl_pathv[i]);
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(policies) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
