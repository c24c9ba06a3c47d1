/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of tests/cases judged by lint, without a machine; what they must say is in their expected.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "catalog.h"
#include "fabric/fabric.h"
#include "judge.h"
#include "policy/policy.h"

enum { CASE_MAX = 1 << 20 };

static void assert_judged(const char *path, const char *expected)
{
	struct arena *a = arena_new();
	const struct catalog *c = catalog_default();
	TEXT_CLEANUP struct text t = { 0 };
	const struct source *s = NULL;
	struct policy *p = NULL;
	struct diags d;
	struct lint l;

	diags_init(&d, a);
	assert_int_equal(file_load(a, path, CASE_MAX, &s, &d), 0);
	assert_int_equal(policy_parse(a, "policy.yaml", s->text, s->len, c, &p, &d), 0);
	lint_init(&l, c, &d);
	judge_policy(&l, p, NULL);
	diags_print(&d, false, &t);
	assert_string_equal(text_str(&t), expected);
	arena_free(a);
}

static void pfc_misses_roce_dscp(void **state)
{
	(void)state;
	assert_judged(
		"tests/cases/lint-pfc-misses-roce-dscp/policy.yaml",
		"policy.yaml:12:11: error: data: RoCE DSCP 26 goes to priority 3 (line 11), but PFC is on for {4} "
		"only: "
		"RoCE would be lossy [data-dscp-not-lossless]\n"
		"   12 |           pfc: [4]\n"
		"      |           ^~~\n"
		"  hint: turn PFC on for priority 3 (qos.pfc: [3]), or map DSCP 26 to one of {4} (qos.dscp: {26: 4})\n"
		"policy.yaml:11:11: note: DSCP 26 goes to priority 3 here\n"
		"   11 |           dscp: {26: 3, 48: 6}\n"
		"      |           ^~~~\n");
}

/* InfiniBand in a policy with one fabric belongs to it unless it says no, and its MTU is none of IPoIB's. */
static void mtu_of_ipoib(void **state)
{
	(void)state;
	assert_judged("tests/cases/lint-ipoib-mtu/policy.yaml",
		      "policy.yaml:10:16: error: hca: mtu 9000 is that of the Ethernet fabric default; IPoIB takes 4092 at most, but in "
		      "connected mode [ethernet-on-infiniband]\n"
		      "   10 |           mtu: fabric\n"
		      "      |                ^~~~~~\n"
		      "  hint: say fabric: null in the group, and the MTU of IPoIB if it matters: 2044 or 4092\n");
}

/* Tier and both numbers of each fault, in one run; the leaf is right. */
static void kmin_above_kmax(void **state)
{
	(void)state;
	assert_judged("tests/cases/ecn-kmin-above-kmax/policy.yaml",
		      "policy.yaml:7:73: error: tier spine, link all: kmin 123KiB of class rdma is not below its kmax 122KiB "
		      "[ecn-kmin-above-kmax]\n"
		      "    7 | \xe2\x80\xa6" "inks: {all: {ecn: {rdma: {kmin: 123KiB, kmax: 122KiB, pmax: 5%}}}}}\n"
		      "      |                                  ^~~~~~\n"
		      "  hint: make kmin less than kmax; on a live switch raise kmax before kmin, and lower kmin before kmax\n"
		      "policy.yaml:8:102: error: tier core, link all: pmax 101 of class rdma is outside 0 to 100 percent "
		      "[ecn-pmax-range]\n"
		      "    8 | \xe2\x80\xa6" "n: 300KiB, kmax: 3000KiB, pmax: 101}}}}}\n"
		      "      |                                  ^~~\n"
		      "  hint: write a percent from 1 to 100, such as 20%\n");
}

static void mtu_4096_gives_2048(void **state)
{
	(void)state;
	assert_judged("tests/cases/mtu-4096-gives-2048/policy.yaml",
		      "policy.yaml:7:14: warning: data: netdev MTU 4096 yields RoCE MTU 2048; set 4200 "
		      "[roce-mtu-below-step]\n"
		      "    7 |         mtu: 4096\n"
		      "      |              ^~~~\n"
		      "  hint: RoCE headers come on top of the RoCE MTU; the switches' frame size must hold the larger "
		      "one too\n");
}

static void mtu_table(void **state)
{
	struct arena *a = arena_new();
	const struct source *s = NULL;
	struct diags d;
	unsigned rows = 0;

	(void)state;
	diags_init(&d, a);
	assert_int_equal(file_load(a, "tests/cases/mtu-4096-gives-2048/table.tsv", CASE_MAX, &s, &d), 0);
	for (const char *line = s->text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned netdev, roce;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%u %u", &netdev, &roce), 2);
		assert_int_equal(frames_roce_mtu(netdev, 96), roce);
		rows++;
	}
	assert_int_equal(rows, 14);
	assert_int_equal(frames_roce_mtu(351, 96), 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc_misses_roce_dscp),
		cmocka_unit_test(mtu_of_ipoib),
		cmocka_unit_test(kmin_above_kmax),
		cmocka_unit_test(mtu_4096_gives_2048),
		cmocka_unit_test(mtu_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
