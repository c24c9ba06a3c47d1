/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of kinds that are in use: no rule says a word of them, and of the same with one mistake, one says one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "judge.h"
#include "policy/policy.h"

#define TOP "version: 1\nfabric: {mtu: 9000, classes: {"
#define RDMA "rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}, "
#define CNP "cnp: {priority: 6, dscp: [48], strict: true}, "
#define REST "default: {priority: 0, bandwidth: 40%}}"
#define NODES(group) "}\nnodes: {n: {set: {ports: {g: {match: {driver: bnxt_en}, mtu: 9000, " group "}}}}}\n"
#define SPELLED "version: 1\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, roce: {tos: 104}, ecn: {cnp: {dscp: 48}}, qos: {pfc: [3], "
#define LEAF(more) ", tiers: {leaf: {watchdog: {detect: 200ms, restore: 400ms, action: drop}, speed: 25Gb/s, cable: 3m" more "}}"
#define DOWN "links: {down: {ecn: {rdma: {kmin: 8KiB, kmax: 200KiB, pmax: 5%}}}}"

static const struct { const char *text, *rule; } policies[] = {
	/* network control before the CNPs, as 802.1Q has it; and voice */
	{ TOP RDMA CNP "control: {priority: 7, dscp: [56], strict: true}, " REST NODES("qos: fabric"), NULL },
	{ TOP RDMA CNP "control: {priority: 7, strict: true}, " REST NODES("qos: fabric"), NULL },
	{ TOP RDMA CNP "voice: {priority: 7, dscp: [46], strict: true}, " REST NODES("qos: fabric"), "cnp-behind-strict" },
	/* sorted by VLAN tag */
	{ TOP "rdma: {priority: 3, lossless: true, bandwidth: 60%}, " REST NODES("qos: {trust: pcp, pfc: fabric, tc: fabric, ets: fabric}"),
	  NULL },
	{ TOP "rdma: {priority: 3, lossless: true, bandwidth: 60%}, " REST NODES("qos: fabric"), "lossless-without-dscp" },
	/* by precedence, as adapters come */
	{ SPELLED "dscp: {0-7: 0, 8-15: 1, 16-23: 2, 24-31: 3, 32-39: 4, 40-47: 5, 48-55: 6, 56-63: 7}}}}}}}\n", NULL },
	{ SPELLED "dscp: {0-7: 0, 8-15: 1, 16-23: 2, 24-31: 3, 32-39: 4, 40-47: 6, 48-55: 6, 56-63: 7}}}}}}}\n", "cnp-with-others" },
	/* a jumbo MTU for TCP; RoCE has 4096 */
	{ TOP RDMA CNP REST LEAF(", lossless_mtu: 4200, " DOWN) NODES("qos: fabric"), NULL },
	{ TOP RDMA CNP REST LEAF(", " DOWN) NODES("qos: fabric"), "ecn-kmin-below-frame" },
	/* one fault, though two rules see it */
	{ "version: 1\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, roce: {tos: 104}, ecn: {cnp: {dscp: 26}}, "
	  "qos: {dscp: {0-63: 0, 26: 3, 48: 6}, pfc: [3]}}}}}}\n", "data-with-cnp" },
	/* ports of a maker that nobody looked at, told at the word itself */
	{ "version: 1\nnodes: {n: {set: {ports: {g: {match: {driver: igb}, mtu: 1500}}}}}\n", "driver-not-known" },
};

static void judge(struct arena *a, const char *text, struct diags *d)
{
	struct policy *p = NULL;
	struct lint l;

	diags_init(d, a);
	lint_init(&l, catalog_default(), d);
	if (policy_parse(a, "p", text, strlen(text), catalog_default(), &p, d) == 0)
		judge_policy(&l, p, NULL);
}

static void one_word_for_one_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct arena *a = arena_new();
		TEXT_CLEANUP struct text told = { 0 };
		struct diags d;

		judge(a, policies[i].text, &d);
		diags_print(&d, false, &told);
		if (d.n != (policies[i].rule != NULL) || (d.n && (!d.at[0].rule || strcmp(d.at[0].rule, policies[i].rule) != 0)))
			fail_msg("%s\n%s is due\n%s", policies[i].text, policies[i].rule ? policies[i].rule : "nothing", text_str(&told));
		arena_free(a);
	}
}

static void a_driver_is_told_where_it_stands(void **state)
{
	struct arena *a = arena_new();
	struct diags d;

	(void)state;
	judge(a, "version: 1\nnodes: {n: {set: {ports: {g: {match: {driver: igb}, mtu: 1500}}}}}\n", &d);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.at[0].pos.line, 2);
	assert_int_equal(d.at[0].pos.col, 47);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_word_for_one_fault), cmocka_unit_test(a_driver_is_told_where_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
