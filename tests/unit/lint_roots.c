/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fault, one finding: a policy that says everything (tests/cases/lint-roots), spoilt in one place, is told one
 * thing, by the rule that names the place. Other rules see the same fault from elsewhere, and must keep quiet.
 */
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

static const struct {
	const char *from, *to, *rule;	/* rule NULL: nothing to find; "": refused by the language, before any rule */
} faults[] = {
	{ "", "", NULL },
	{ "tos: 104", "tos: 26", "tos-taken-for-dscp" },
	{ "tos: 104", "tos: 106", NULL },
	{ "tos: 104", "tos: 100", "data-dscp-not-lossless" },
	{ "26: 3, 48: 6}", "26: 4, 48: 6}", "data-dscp-not-lossless" },
	{ "26: 3, 48: 6}", "48: 6}", "data-dscp-not-lossless" },
	{ "{0-63: 0, 26: 3, 48: 6}", "{0-63: 3, 26: 3, 48: 6}", "dscp-not-of-class" },
	{ "26: 3, 48: 6}", "26: 3, 48: 3}", "dscp-not-of-class" },
	{ "26: 3, 48: 6}", "26: 3, 48: 0}", "dscp-not-of-class" },
	{ "26: 3, 48: 6}", "26: 3, 48: 5}", "dscp-not-of-class" },
	{ "pfc: [3]", "pfc: [4]", "data-dscp-not-lossless" },
	{ "pfc: [3]", "pfc: []", "data-dscp-not-lossless" },
	{ "pfc: [3]", "pfc: [3, 4]", "pfc-not-of-classes" },
	{ "pfc: [3]", "pfc: [3, 6]", "pfc-not-of-classes" },
	{ "pfc: [3]", "pfc: [3, 4, 5]", "too-many-lossless" },
	{ "trust: dscp", "trust: pcp", "" },
	{ "ets: {0: 40%", "ets: {0: 41%", "ets-not-100" },
	{ "6: strict}", "6: 0%}", "tc-starved" },
	{ "ets: {0: 40%, 3: 60%", "ets: {0: 60%, 3: 40%", "shares-not-of-classes" },
	{ "tc: {0: 0, 3: 3, 6: 6}", "tc: {0: 0, 3: 3, 6: 5}", "tc-without-share" },
	{ "tc: {0: 0, 3: 3, 6: 6}", "tc: {0: 0, 3: 6, 6: 6}", "lossless-shares-tc" },
	{ "rx: false", "rx: true", "pause-with-pfc" },
	{ "np: [3]", "np: [4]", "ecn-misses-lossless" },
	{ "cnp: {dscp: 48, p", "cnp: {dscp: 46, p", "cnp-not-of-class" },
	{ "cnp: {dscp: 48, priority: 6}", "cnp: {dscp: 48, priority: 7}", "cnp-not-of-class" },
	{ "mode: v2", "mode: v1", "roce-v1-has-no-tos" },
	{ "version: v2", "version: v1", "gid-of-other-version" },
	{ "enabled: true", "enabled: false", "roce-disabled" },
	{ "          mtu: 9000", "          mtu: 9001", "mtu-not-of-fabric" },
	{ "          mtu: 9000", "          mtu: 4096", "mtu-not-of-fabric" },
	{ ">=28.39.1002", ">=22.39.1002", "firmware-spans-families" },
	{ "1021", "101d", "firmware-of-other-card" },
	{ "width: 16", "width: 17", "pcie-no-such-link" },
	{ "speed: 32GT/s", "speed: 8000", NULL },
	{ "state: up, speed: 400Gb/s", "state: up, speed: 401Gb/s", "speed-no-such-link" },
	{ "state: up, speed: 400Gb/s", "state: up, speed: 200Gb/s", "speed-not-in-fabric" },
	{ "max_backlog: 8192", "max_backlog: 81", "backlog-not-sane" },
	{ "rdma_ucm: {load", "ib_ucm: {load", "module-missing" },
	/* the classes themselves: the group still says what they said */
	{ "lossless: true", "lossless: false", "pfc-not-of-classes" },
	{ "cnp:     {priority: 6", "cnp:     {priority: 5", "cnp-not-of-class" },
	{ "dscp: [48]", "dscp: [47]", "cnp-not-of-class" },
	{ "strict: true}", "strict: false}", "cnp-not-strict" },
	{ "strict: true}", "strict: true, lossless: true}", "cnp-class-lossless" },
	{ "bandwidth: 60%", "bandwidth: 61%", "" },
	/* the switches */
	{ "frame: 9216", "frame: 9000", "switch-frame-below-mtu" },
	{ "frame: 9216", "frame: 921", "switch-frame-below-mtu" },
	{ "kmin: 40KiB, kmax: 1500KiB", "kmin: 1500KiB, kmax: 40KiB", "ecn-kmin-above-kmax" },
	{ "kmin: 40KiB, kmax: 1500KiB", "kmin: 40KiB, kmax: 1500MiB", "ecn-kmax-above-share" },
	{ "kmin: 40KiB, kmax: 1500KiB", "kmin: 45KiB, kmax: 1500KiB", "ecn-kmin-above-bound" },
	{ "40KiB, kmax: 1500KiB, pmax: 20%", "40KiB, kmax: 1500KiB, pmax: 200%", "ecn-pmax-range" },
	{ "kmin: 40KiB, kmax: 1500KiB, pmax: 20%", "kmin: 40KiB, kmax: 1500KiB", "ecn-half-said" },
	{ ", ecn: {rdma: {kmin: 40KiB, kmax: 1500KiB, pmax: 20%}}", "", "ecn-missing" },
	{ "detect: 200ms", "detect: 20ms", "watchdog-not-of-nos" },
	{ "detect: 200ms, restore: 400ms", "detect: 400ms, restore: 200ms", "watchdog-restore-short" },
	{ "asic: Spectrum-4", "asic: Spectrum-44", "asic-not-known" },
	{ "speed: 400Gb/s, cable", "speed: 40GB/s, cable", "" },
	{ "alpha: 1/8", "alpha: 1/7", "" },
	{ "{rdma: {kmin: 40KiB, kmax: 1500KiB", "{rdm: {kmin: 40KiB, kmax: 1500KiB", "" },
};

enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

static void spoil(struct text *t, const char *text, size_t i)
{
	const char *at = strstr(text, faults[i].from);

	if (!at)
		fail_msg("the policy has no \"%s\"", faults[i].from);
	text_addn(t, text, (size_t)(at - text));
	text_add(t, faults[i].to);
	text_add(t, at + strlen(faults[i].from));
}

/* Return: was it told as it should be. */
static bool check(const char *text, size_t i)
{
	TEXT_CLEANUP struct text policy = { 0 }, told = { 0 };
	const char *rule = faults[i].rule;
	struct arena *a = arena_new();
	struct policy *p = NULL;
	struct diags d;
	struct lint l;
	bool good;

	diags_init(&d, a);
	lint_init(&l, catalog_default(), &d);
	spoil(&policy, text, i);
	if (policy_parse(a, "policy.yaml", text_str(&policy), policy.n, catalog_default(), &p, &d) == 0)
		judge_policy(&l, p, NULL);
	good = rule ? d.n == 1 && !strcmp(d.at[0].rule ? d.at[0].rule : "", rule) : d.n == 0;
	diags_print(&d, false, &told);
	if (!good)
		printf("%s -> %s: not %s alone:\n%s", faults[i].from, faults[i].to, rule ? rule : "nothing",
		       text_str(&told));
	arena_free(a);
	return good;
}

static void one_fault_one_finding(void **state)
{
	struct arena *a = arena_new();
	const struct source *s = NULL;
	unsigned wrong = 0;
	struct diags d;

	(void)state;
	diags_init(&d, a);
	assert_int_equal(file_load(a, "tests/cases/lint-roots/policy.yaml", 1 << 20, &s, &d), 0);
	for (size_t i = 0; i < FAULTS; i++)
		wrong += !check(s->text, i);
	printf("lint: %d faults, each told once\n", FAULTS);
	assert_int_equal(wrong, 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_fault_one_finding) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
