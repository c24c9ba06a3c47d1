/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of common mistakes, and docs/messages.md, which shows it (UPDATE=1 writes it). Each mistake is made in one
 * policy that is right; what is told holds the clue that a person needs to put it right again.
 */
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
#include "catalog.h"
#include "judge.h"
#include "policy/policy.h"

#define DOCUMENT "docs/messages.md"

static const char right[] =
	"version: 1\n"
	"fabric:\n"
	"  mtu: 9000\n"
	"  classes:\n"
	"    rdma:    {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}\n"
	"    cnp:     {priority: 6, dscp: [48], strict: true}\n"
	"    default: {priority: 0, bandwidth: 40%}\n"
	"profiles:\n"
	"  base:\n"
	"    node: {max_backlog: 8192, modules: {rdma_ucm: {load: true}}}\n"
	"  gpu:\n"
	"    extends: [base]\n"
	"    ports:\n"
	"      rail:\n"
	"        match: {driver: mlx5_core, link: ethernet}\n"
	"        count: 8\n"
	"        mtu: fabric\n"
	"        roce: {mode: v2, tos: rdma}\n"
	"        qos: fabric\n"
	"        pause: {rx: false, tx: false}\n"
	"        ecn: {cnp: fabric, np_min_time_between_cnps: 4us}\n"
	"        firmware: {version: \">=28.39.1002 <28.44\"}\n"
	"        pcie: {width: 16, speed: 32GT/s}\n"
	"        link: {state: up, speed: 400Gb/s}\n"
	"        except:\n"
	"          - {nodes: gpu0913, set: {pcie: {width: 8}}, because: \"riser RMA 4711\", until: 2027-01-31}\n"
	"nodes:\n"
	"  gpu[0001-1024]: {profiles: [gpu], labels: {row: a}}\n"
	"cohorts:\n"
	"  canary: {hash: 1%, set: {node: {max_backlog: 16384}}}\n";

static const struct mistake {
	const char *what, *instead, *wrong, *clue;
} mistakes[] = {
	{ "A letter is missing in a key", "lossless: true", "losless: true", "did you mean lossless?" },
	{ "A letter is missing at the top", "profiles:\n", "profles:\n", "did you mean profiles?" },
	{ "A profile has another name", "profiles: [gpu]", "profiles: [gpus]", "did you mean gpu?" },
	{ "A class has another name", "tos: rdma", "tos: rmda", "did you mean rdma?" },
	{ "A word that is none of those that are due", "link: ethernet", "link: ehternet", "did you mean ethernet?" },
	{ "A driver that nobody knows", "mlx5_core", "mlx5_cor", "did you mean mlx5_core?" },
	{ "A key stands too high", "count: 8", "pfc: [3]", "qos: {pfc: …}" },
	{ "A setting of the node among those of ports", "count: 8", "max_backlog: 8192", "belongs in the settings of the node" },
	{ "A setting of ports at the top", "profiles:\n", "mtu: 9000\nprofiles:\n", "ports: {NAME: {mtu: …}}" },
	{ "The kernel's name of a key", "cnp: fabric, ", "np_cnp_dscp: 48, ", "ecn: {cnp: {dscp: 48}}" },
	{ "A zero in front", "priority: 3", "priority: 03", "write it without" },
	{ "A number as programs write it", "8192", "8e3", "whole decimal number" },
	{ "A number with a point", "width: 16", "width: 16.0", "write it without" },
	{ "A number that is too large", "priority: 6", "priority: 8", "0 to 7" },
	{ "The unit of something else", "4us", "4KiB", "not one of this key's: s, ms, us, ns" },
	{ "A speed that no slot has", "32GT/s", "33GT/s", "2.5, 5, 8, 16, 32, 64, 128 GT/s" },
	{ "No boolean", "rx: false", "rx: never", "write true or false" },
	{ "One value where a list is due", "dscp: [26]", "dscp: 26", "a list, such as [3]" },
	{ "No blank behind a colon", "rx: false", "rx:false", "a blank must stand behind the colon" },
	{ "No value, as of a template's empty variable", "count: 8", "count:", "write null to leave it unmanaged" },
	{ "A key twice", "count: 8\n", "count: 8\n        count: 9\n", "lines 16 and 17" },
	{ "A tab", "        count: 8", "\tcount: 8", "tab" },
	{ "A host list inside of braces", "nodes: gpu0913", "nodes: gpu[0913-0914]", "must be quoted" },
	{ "A range of two widths", "gpu[0001-1024]", "gpu[0001-124]", "write [001-100]" },
	{ "The syntax of another tool", "gpu[0001-1024]", "\"@gpu\"", "group" },
	{ "Shares that are more than the whole", "bandwidth: 60%", "bandwidth: 70%", "make 100% together" },
	{ "Two classes on one priority", "priority: 6", "priority: 3", "the same priority 3" },
	{ "Two groups with the same ports", "      rail:\n",
	  "      all: {match: {driver: mlx5_core}, pause: {rx: false, tx: false}}\n      rail:\n",
	  "each port of group rail is one of group all" },
	{ "Lossless for whatever nobody marked", "default: {priority: 0", "default: {priority: 0, lossless: true", "every packet that nobody marked" },
	{ "CNPs that can be paused", "[48], strict: true", "[48], lossless: true", "make it strict" },
	{ "A DSCP where the whole byte is due", "tos: rdma", "tos: 26", "104" },
	{ "RoCE that is not marked", "tos: rdma", "tos: 0", "roce.tos: rdma" },
	{ "Switches where numbers are due", "qos: fabric", "qos: {pfc: [0, 0, 0, 1, 0, 0, 0, 0]}", "[3]" },
	{ "An index where a GID is meant", "pause: {", "gid: {index: 3}\n        pause: {", "gid: {version: v2, family: ipv4}" },
	{ "A VLAN in the name of a sysctl", "node: {max", "node: {sysctl: {net.ipv4.conf.eth0.100.rp_filter: 2}, max",
	  "net/ipv4/conf/eth0.100/rp_filter" },
	{ "Global pause beside PFC", "rx: false", "rx: true", "pause: {rx: false, tx: false}" },
	{ "A range of versions that no version is in", ">=28.39.1002 <28.44", ">=28.44 <28.39", "no version" },
	{ "An exception without a reason", "because: \"riser RMA 4711\", ", "", "add because:" },
	{ "A day that no month has", "2027-01-31", "2027-02-30", "2027-01-31" },
	{ "A share of the nodes without a sign", "hash: 1%", "hash: 1", "write 1%" },
	{ "A profile that extends itself", "extends: [base]", "extends: [gpu]", "extends itself" },
	{ "A policy for a later rdmactl", "version: 1\n", "version: 1\nrequires: \">=2\"\n", "install a version" },
};

static void judge(const char *text, struct arena *a, struct diags *d)
{
	struct policy *p;
	struct lint l;

	diags_init(d, a);
	lint_init(&l, catalog_default(), d);
	policy_parse(a, "policy.yaml", text, strlen(text), catalog_default(), &p, d);
	if (p)
		judge_policy(&l, p, NULL);
}

static const char *make(struct arena *a, const struct mistake *m)
{
	const char *at = strstr(right, m->instead);

	assert_non_null(at);
	return arena_printf(a, "%.*s%s%s", (int)(at - right), right, m->wrong, at + strlen(m->instead));
}

/* What is told of it, made once, with a place, and with what it takes to put it right. */
static void tell(const struct mistake *m, struct text *out)
{
	TEXT_CLEANUP struct text told = { 0 };
	struct arena *a = arena_new();
	struct diags d;

	judge(make(a, m), a, &d);
	diags_print(&d, false, &told);
	if (!strstr(text_str(&told), m->clue))
		fail_msg("%s: it does not say \"%s\":\n%s", m->what, m->clue, text_str(&told));
	if (d.errors + d.warnings > 1)
		fail_msg("%s: it is told more than once:\n%s", m->what, text_str(&told));
	assert_true(d.n && d.at[0].pos.line);
	text_printf(out, "## %s\n\n```\n%s```\n\n", m->what, text_str(&told));
	arena_free(a);
}

static void messages(void **state)
{
	static const char head[] = "<!-- made by tests/unit/messages.c (UPDATE=1) -->\n\n";
	TEXT_CLEANUP struct text t = { 0 };
	struct arena *a = arena_new();
	const struct source *s;
	const char *from;
	struct diags d;

	(void)state;
	judge(right, a, &d);
	assert_int_equal(d.errors + d.warnings + d.notes, 0);
	assert_int_equal(file_load(a, DOCUMENT, 1 << 20, &s, &d), 0);
	from = strstr(s->text, head);
	assert_non_null(from);
	text_addn(&t, s->text, (size_t)(from - s->text) + strlen(head));
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		tell(&mistakes[i], &t);
	t.s[--t.n] = 0;				/* no blank line at the end */
	if (getenv("UPDATE")) {
		FILE *f = fopen(DOCUMENT, "w");

		assert_non_null(f);
		assert_int_equal(fwrite(text_str(&t), 1, t.n, f), t.n);
		assert_int_equal(fclose(f), 0);
	} else if (strcmp(text_str(&t), s->text) != 0) {
		fail_msg(DOCUMENT " is not what is told: run UPDATE=1 build/unit/messages");
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(messages) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
