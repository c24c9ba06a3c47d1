/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups of a node that say one value of one port: found without a machine where the one's ports are the other's, too. */
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

static void judge(struct arena *a, const char *text, struct diags *d, struct text *told)
{
	struct policy *p = NULL;
	struct lint l;

	diags_init(d, a);
	lint_init(&l, catalog_default(), d);
	policy_parse(a, "p", text, strlen(text), catalog_default(), &p, d);
	if (p)
		judge_policy(&l, p, NULL);
	diags_print(d, false, told);
}

static const struct {
	const char *groups;
	const char *told;		/* NULL: nothing */
} rows[] = {
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core}, mtu: 4200}",
	  "groups a and b both say mtu of the same ports (lines 1 and 1)\n" },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core}, mtu: 9000}", "groups a and b both say mtu" },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core, function: pf}, mtu: 4200}",
	  "hint: each port of group b is one of group a; make one match narrower" },
	{ "a: {match: {driver: mlx5_core, function: pf}, mtu: 9000}, b: {match: {driver: mlx5_core}, mtu: 4200}",
	  "hint: each port of group a is one of group b" },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {function: pf}, mtu: 4200}", NULL },
	{ "a: {match: {driver: mlx5_core, function: vf}, mtu: 9000}, b: {match: {driver: mlx5_core, function: pf}, mtu: 4200}", NULL },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core}, count: 8}", NULL },
	{ "a: {match: {driver: mlx5_core}, count: 8}, b: {match: {driver: mlx5_core}, count: 9}", NULL },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core}, mtu: null}", NULL },
	/* names are globs */
	{ "a: {match: {ifname: \"ens*\"}, mtu: 9000}, b: {match: {ifname: ens1f0}, mtu: 4200}", "groups a and b both say mtu" },
	{ "a: {match: {ifname: \"ens*\"}, mtu: 9000}, b: {match: {ifname: \"ens*\"}, mtu: 4200}", "groups a and b both say mtu" },
	{ "a: {match: {ifname: \"*\"}, mtu: 9000}, b: {match: {ifname: \"ens?\"}, mtu: 4200}", "groups a and b both say mtu" },
	{ "a: {match: {ifname: \"ens*\"}, mtu: 9000}, b: {match: {ifname: \"*f0\"}, mtu: 4200}", NULL },
	{ "a: {match: {ifname: ens1}, mtu: 9000}, b: {match: {ifname: ENS1}, mtu: 4200}", NULL },
	{ "a: {match: {pci: \"0000:9a:00.0\"}, mtu: 9000}, b: {match: {pci: \"00000000:9A:00.0\"}, mtu: 4200}", "groups a and b" },
	{ "a: {match: {pci: \"0000:9a:00.0\"}, mtu: 9000}, b: {match: {pci: \"0001:9a:00.0\"}, mtu: 4200}", NULL },
	{ "a: {match: {id: \"15b3:101d\"}, mtu: 9000}, b: {match: {id: \"15B3:101D\"}, mtu: 4200}", "groups a and b both say mtu" },
	/* numbers of ports are a group's own */
	{ "a: {match: {driver: mlx5_core, rail: 0}, rails: {by: pci}, mtu: 9000}, b: {match: {driver: mlx5_core, rail: 0}, rails: {by: pci}, mtu: 4200}",
	  "groups a and b both say mtu" },
	{ "a: {match: {driver: mlx5_core, rail: 0}, rails: {by: pci}, mtu: 9000}, b: {match: {driver: mlx5_core, rail: 0}, rails: {by: gpu}, mtu: 4200}", NULL },
	{ "a: {match: {driver: mlx5_core, rail: 0}, rails: {by: pci}, mtu: 9000}, b: {match: {driver: mlx5_core, rail: 1}, rails: {by: pci}, mtu: 4200}", NULL },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core, rail: 0}, rails: {by: pci}, mtu: 4200}",
	  "groups a and b both say mtu" },
	/* one fault, however many values */
	{ "a: {match: {driver: mlx5_core}, mtu: 9000, pause: {rx: false, tx: false}, link: {state: up}}, "
	  "b: {match: {driver: mlx5_core}, mtu: 9000, pause: {rx: false, tx: false}}",
	  "both say mtu, pause.rx and pause.tx of the same ports" },
	/* exceptions */
	{ "a: {match: {driver: mlx5_core}, link: {state: up}, except: [{match: {numa: 0}, set: {mtu: 4200}, because: x}]}, "
	  "b: {match: {driver: mlx5_core}, mtu: 9000}", "groups a and b both say mtu" },
	{ "a: {match: {driver: mlx5_core}, mtu: 9000, except: [{match: {ifname: ens1}, set: {mtu: null}, because: x}]}, "
	  "b: {match: {driver: mlx5_core, ifname: ens1}, mtu: 4200}", NULL },
	{ "a: {match: {driver: mlx5_core}, link: {state: up}, except: [{nodes: n2, set: {mtu: 4200}, because: x}]}, "
	  "b: {match: {driver: mlx5_core}, mtu: 9000}", NULL },
	/* what had an error is not judged further */
	{ "a: {match: {driver: mlx5_core}, mtu: 9000}, b: {match: {driver: mlx5_core}, mtu: 1}", "mtu is out of range" },
};

static void rows_of_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *a = arena_new();
		TEXT_CLEANUP struct text told = { 0 };
		char text[2048];
		struct diags d;
		size_t clashes = 0;

		snprintf(text, sizeof(text), "{version: 1, nodes: {\"n[1-2]\": {set: {ports: {%s}}}}}\n", rows[i].groups);
		judge(a, text, &d, &told);
		for (size_t k = 0; k < d.n; k++)
			clashes += strstr(d.at[k].what, " both say ") != NULL;
		if (rows[i].told ? !strstr(text_str(&told), rows[i].told) || d.errors != 1 : clashes)
			fail_msg("%s\n%s", rows[i].groups, text_str(&told));
		arena_free(a);
	}
}

/* Of two entries, and a group of one beside that of the other: both lines. */
static void of_two_entries(void **state)
{
	static const char text[] = "version: 1\n"
				   "nodes:\n"
				   "  n*: {set: {ports: {a: {match: {driver: mlx5_core}, qos: {pfc: [3]}}}}}\n"
				   "  n1: {set: {ports: {b: {match: {driver: mlx5_core}, qos: {pfc: [4]}}}}}\n";
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text told = { 0 };
	struct diags d;

	(void)state;
	judge(a, text, &d, &told);
	assert_int_equal(d.errors, 1);
	assert_non_null(strstr(text_str(&told), "error: groups a and b both say qos.pfc of the same ports (lines 3 and 4)"));
	assert_non_null(strstr(text_str(&told), "note: and here\n    3 |"));
	arena_free(a);
}

/* Many that clash are cut off with a note, and take no time. */
static void many(void **state)
{
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text text = { 0 }, told = { 0 };
	struct diags d;

	(void)state;
	text_add(&text, "version: 1\nprofiles:\n  p:\n    ports:\n");
	for (int i = 0; i < 200; i++)
		text_printf(&text, "      g%d: {match: {driver: mlx5_core}, mtu: 9000}\n", i);
	text_add(&text, "nodes:\n");
	for (int i = 0; i < 100; i++)
		text_printf(&text, "  n%d: {profiles: [p], set: {node: {max_backlog: %d}}}\n", i, 1000 + i);
	judge(a, text_str(&text), &d, &told);
	assert_true(d.errors >= 1000);
	assert_non_null(strstr(text_str(&told), "than are held against each other without a node"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_groups), cmocka_unit_test(of_two_entries), cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
