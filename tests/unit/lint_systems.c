/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint and switch say the same of a tier: at each bound of a system, on both sides of it, lint finds exactly what lib/nos
 * refuses or leaves out. Neither knows the other's table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "catalog.h"
#include "judge.h"
#include "nos/nos.h"
#include "policy/policy.h"

/* Multiples of what each system rounds to: what is rounded is told by switch, and is no finding. */
struct bound {
	const char *nos, *watchdog, *ecn;
	bool is_refused;
};

#define FINE "kmin: 150KiB, kmax: 1500KiB"

static const struct bound bounds[] = {
	{ "sonic", "detect: 99ms, restore: 400ms, action: drop", FINE, true },
	{ "sonic", "detect: 100ms, restore: 100ms, action: drop", FINE, false },
	{ "sonic", "detect: 200ms, restore: 60s, action: forward", FINE, false },
	{ "sonic", "detect: 5s, restore: 60001ms, action: drop", FINE, true },
	{ "sonic", "detect: 5001ms, restore: 60s, action: drop", FINE, true },
	{ "sonic", "detect: 200ms, restore: 400ms, action: drop", "kmin: 1, kmax: 1GiB", false },
	{ "cumulus", "detect: 99ms", FINE, true },
	{ "cumulus", "detect: 100ms, action: drop", FINE, false },
	{ "cumulus", "detect: 60s", FINE, false },
	{ "cumulus", "detect: 200ms, restore: 400ms", FINE, true },
	{ "cumulus", "detect: 200ms, action: forward", FINE, true },
	{ "cumulus", "detect: 200ms", "kmin: 1, kmax: 1GiB", false },
	{ "eos", "detect: 9ms, restore: 400ms, action: drop", FINE, true },
	{ "eos", "detect: 10ms, restore: 10ms, action: drop", FINE, false },
	{ "eos", "detect: 60s, restore: 60s, action: drop", FINE, false },
	{ "eos", "detect: 200ms, restore: 60010ms, action: drop", FINE, true },
	{ "eos", "detect: 200ms, restore: 400ms, action: forward", FINE, true },
	{ "eos", "detect: 200ms, restore: 400ms, action: drop", "kmin: 1, kmax: 256000000", false },
	{ "eos", "detect: 200ms, restore: 400ms, action: drop", "kmin: 150KiB, kmax: 256000001", true },
	{ "nxos", "detect: 99ms, restore: 400ms, action: drop", FINE, true },
	{ "nxos", "detect: 100ms, restore: 100ms, action: drop", FINE, false },
	{ "nxos", "detect: 60s, restore: 600s, action: drop", FINE, false },
	{ "nxos", "detect: 200ms, restore: 400ms, action: forward", FINE, true },
	{ "nxos", "detect: 200ms, restore: 400ms, action: drop", "kmin: 1023, kmax: 1500KiB", true },
	{ "nxos", "detect: 200ms, restore: 400ms, action: drop", "kmin: 1KiB, kmax: 1GiB", false },
	{ "junos", "detect: 99ms, restore: 400ms", FINE, true },
	{ "junos", "detect: 100ms, restore: 200ms", FINE, false },
	{ "junos", "detect: 60s, restore: 600s", FINE, false },
	{ "os10", NULL, "kmin: 1023, kmax: 1500KiB", true },
	{ "os10", NULL, "kmin: 1KiB, kmax: 12480KiB", false },
	{ "os10", NULL, "kmin: 1KiB, kmax: 12481KiB", true },
	{ "os10", "detect: 200ms", FINE, true },
};

static struct policy *policy_of(struct arena *a, const struct bound *b, struct diags *d)
{
	const char *text = arena_printf(a,
		"version: 1\n"
		"fabric:\n"
		"  mtu: 9000\n"
		"  classes: {rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%%},\n"
		"            default: {priority: 0, bandwidth: 40%%}}\n"
		"  tiers:\n"
		"    leaf:\n"
		"      nos: %s\n"
		"      queue_buffer: 3000KiB\n"
		"      %s%s%s\n"
		"      links: {all: {ports: \"Ethernet1/1\", speed: 400Gb/s, cable: 30m, ecn: {rdma: {%s, pmax: 20%%}}}}\n"
		"nodes: {n1: {set: {node: {sysctl: {kernel.panic: 1}}}}}\n",
		b->nos, b->watchdog ? "watchdog: {" : "", b->watchdog ? b->watchdog : "", b->watchdog ? "}" : "", b->ecn);
	struct policy *p = NULL;

	if (policy_parse(a, "policy.yaml", text, strlen(text), catalog_default(), &p, d) < 0) {
		TEXT_CLEANUP struct text t = { 0 };

		diags_print(d, false, &t);
		fail_msg("%s", text_str(&t));
	}
	return p;
}

static bool lint_finds(struct arena *a, struct policy *p)
{
	struct diags d;
	struct lint l;
	bool found = false;

	diags_init(&d, a);
	lint_init(&l, catalog_default(), &d);
	assert_int_equal(judge_policy(&l, p, NULL), 0);
	for (size_t i = 0; i < d.n; i++)
		found |= d.at[i].rule && (!strcmp(d.at[i].rule, "watchdog-not-of-nos") || !strcmp(d.at[i].rule, "ecn-not-of-nos"));
	return found;
}

/* What it says of a tier that it takes as it stands is nothing. */
static bool switch_tells(struct arena *a, struct policy *p, const struct bound *b)
{
	const struct fabric *f = policy_fabric_at(p, 0);
	struct switch_tier *t;
	struct diags d;
	int r;

	diags_init(&d, a);
	r = nos_tier(a, nos_find(b->nos), f, fabric_tier(f, "leaf"), &t, &d);
	return r < 0 || d.n;
}

static void test_both_say_the_same(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		const struct bound *b = &bounds[i];
		struct arena *a = arena_new();
		struct diags d;
		struct policy *p;
		bool found, told;

		diags_init(&d, a);
		p = policy_of(a, b, &d);
		found = lint_finds(a, p);
		told = switch_tells(a, p, b);
		if (found != b->is_refused || told != b->is_refused) {
			printf("%s {%s} {%s}: lint %s, switch %s\n", b->nos, b->watchdog ? b->watchdog : "", b->ecn,
			       found ? "finds it" : "finds nothing", told ? "tells it" : "takes it");
			wrong++;
		}
		arena_free(a);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_both_say_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
