/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cases/lint/RULE: a policy where the rule fires, alone, and one where it just does not. A rule without both, a
 * directory without a rule, and a fixture that wakes another rule fail; so does a rule that is judged in several views and
 * fires in one: fires-fabric.yaml, fires-link.yaml or fires-group.yaml is then due too. What a comment allows is no finding.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "catalog.h"
#include "judge.h"
#include "policy/policy.h"

#define CASES "tests/cases/lint"

enum { CASE_MAX = 1 << 20 };

struct judged {
	struct arena *a;
	struct diags d;
	struct lint l;
	size_t findings;		/* that no comment allows */
};

static void judge(struct judged *j, const char *rule, const char *file)
{
	const struct source *s = NULL;
	struct policy *p = NULL;
	char path[256];

	snprintf(path, sizeof(path), CASES "/%s/%s", rule, file);
	j->a = arena_new();
	diags_init(&j->d, j->a);
	lint_init(&j->l, catalog_default(), &j->d);
	j->findings = 0;
	if (file_load(j->a, path, CASE_MAX, &s, &j->d) < 0)
		fail_msg("%s is missing", path);
	if (policy_parse(j->a, path, s->text, s->len, catalog_default(), &p, &j->d) == 0)
		judge_policy(&j->l, p, NULL);
	for (size_t i = 0; i < j->d.n; i++)
		j->findings += !j->d.at[i].allowed;
}

/* All of them are told, so that one run shows what a new rule wakes. */
static void blame(struct judged *j, const char *rule, const char *why, unsigned *wrong)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(&j->d, false, &t);
	printf("%s: %s\n%s", rule, why, text_str(&t));
	++*wrong;
}

enum { VIEW_FABRIC, VIEW_LINK, VIEW_GROUP, VIEWS };

/* Of a fabric and of the node's own settings a finding names nothing. */
static int view_of(const struct lint_rule *r, const struct diag *d)
{
	if (!d->object)
		return r->fabric ? VIEW_FABRIC : VIEW_GROUP;
	return !strncmp(d->object, "tier ", 5) ? VIEW_LINK : VIEW_GROUP;
}

/* Return: the view in which it does. */
static int fires(const char *rule, const char *file, unsigned *wrong)
{
	struct judged j;
	int view;

	judge(&j, rule, file);
	view = j.d.n ? view_of(lint_named(rule), &j.d.at[0]) : VIEWS;
	if (j.findings != 1)
		blame(&j, rule, "does not fire alone", wrong);
	else if (!j.d.at[0].rule || strcmp(j.d.at[0].rule, rule) != 0 ||
		 j.d.at[0].severity != lint_named(rule)->is.severity)
		blame(&j, rule, "another one fires", wrong);
	else if (!j.d.at[0].hint || !j.d.at[0].pos.source || !j.d.at[0].pos.line)
		blame(&j, rule, "has no place or no hint", wrong);
	else if (!j.l.judged[lint_number(rule)])
		blame(&j, rule, "does not count as judged", wrong);
	arena_free(j.a);
	return view;
}

static void fires_in_each_view(const struct lint_rule *r, unsigned *wrong)
{
	static const char *const files[] = { "fires-fabric.yaml", "fires-link.yaml", "fires-group.yaml" };
	const bool has[VIEWS] = { r->fabric != NULL, r->link != NULL, r->group != NULL };
	int first = fires(r->is.name, "fires.yaml", wrong);

	for (int v = 0; v < VIEWS; v++)
		if (has[v] && v != first && fires(r->is.name, files[v], wrong) != v) {
			printf("%s: %s is about something else\n", r->is.name, files[v]);
			++*wrong;
		}
}

static void just_not(const char *rule, unsigned *wrong)
{
	struct judged j;

	judge(&j, rule, "just-not.yaml");
	if (j.findings)
		blame(&j, rule, "something fires where nothing should", wrong);
	else if (!j.l.judged[lint_number(rule)])
		blame(&j, rule, "was not judged: the fixture lacks what it needs", wrong);
	arena_free(j.a);
}

static void every_rule_fires_alone_and_just_does_not(void **state)
{
	const struct lint_rule *r;
	unsigned wrong = 0;
	size_t n = 0;

	(void)state;
	for (; (r = lint_rule(n)) != NULL; n++) {
		fires_in_each_view(r, &wrong);
		just_not(r->is.name, &wrong);
	}
	assert_int_equal(wrong, 0);
	assert_true(n <= LINT_RULES_MAX);
	printf("lint: %zu rules, each with a fixture where it fires alone and one where it just does not\n", n);
}

static void every_fixture_has_a_rule(void **state)
{
	DIR *dir = opendir(CASES);
	struct dirent *e;

	(void)state;
	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		if (*e->d_name != '.' && !lint_named(e->d_name))
			fail_msg(CASES "/%s belongs to no rule", e->d_name);
	closedir(dir);
}

/* What a rule says of itself is whole, and those that explain it are judged before it. */
static void every_rule_tells_its_reason(void **state)
{
	const struct lint_rule *r;

	(void)state;
	for (size_t i = 0; (r = lint_rule(i)) != NULL; i++) {
		assert_true(*r->is.reason && *r->is.source && *r->is.needs);
		assert_true(strspn(r->is.name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(r->is.name));
		assert_int_equal(lint_number(r->is.name), i);
		for (const char *const *name = r->after; name && *name; name++)
			if (!lint_named(*name) || lint_number(*name) >= i)
				fail_msg("%s is after %s, which is not before it", r->is.name, *name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_fires_alone_and_just_does_not), cmocka_unit_test(every_fixture_has_a_rule),
		cmocka_unit_test(every_rule_tells_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
