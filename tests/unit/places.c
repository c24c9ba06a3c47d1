/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where things stand: what YAML's anchors bring in is told at its own place and at that of its use; a key at the wrong place
 * is told where it belongs; explain knows each key of the language and each rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog.h"
#include "explain/command.h"
#include "judge.h"
#include "policy/language.h"
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

static void expect(const char *text, size_t findings, const char *const *clues)
{
	struct arena *a = arena_new();
	TEXT_CLEANUP struct text told = { 0 };
	struct diags d;

	judge(a, text, &d, &told);
	for (; *clues; clues++)
		if (!strstr(text_str(&told), *clues))
			fail_msg("%s\nlacks: %s\n%s", text, *clues, text_str(&told));
	if (d.n != findings)
		fail_msg("%s\n%zu findings\n%s", text, d.n, text_str(&told));
	arena_free(a);
}

#define EXPECT(text, findings, ...) expect(text, findings, (const char *const[]){ __VA_ARGS__, NULL })
#define TOP "version: 1\n"
#define NODES "nodes: {n: {profiles: [p]}}\n"

/* --- anchors ------------------------------------------------------------------ */

static void aliases(void **state)
{
	(void)state;
	/* the key is right where it stands, and wrong where it is used */
	EXPECT(TOP "profiles:\n"
	       "  p: {ports: {g: &g {match: {driver: mlx5_core}, mtu: 9000}}}\n"
	       "  q: {node: *g}\n" NODES,
	       2, "p:3:22: error: unknown key \"match\"", "p:3:50: error: unknown key \"mtu\"", "p:4:13: note: used here\n    4 |   q: {node: *g}");
	/* a merge key */
	EXPECT(TOP "profiles:\n"
	       "  p: {ports: {g: &g {match: {driver: mlx5_core}, mtu: 9000}}}\n"
	       "  q: {node: {<<: *g}}\n" NODES,
	       2, "p:3:22: error: unknown key \"match\"", "p:4:18: note: used here");
	/* of uses inside each other the outermost, which is where somebody wrote it */
	EXPECT(TOP "profiles:\n"
	       "  p: {ports: {g: {match: {driver: mlx5_core}, qos: &q {pfc: &l [3]}}, h: {match: {driver: x}, qos: *q}}}\n"
	       "  q: {node: {sysctl: &s {vm.swappiness: *l}}}\n"
	       "  r: {node: {sysctl: *s}}\n" NODES,
	       2, "p:3:61: error: sysctl.vm.swappiness takes a text but is a list", "p:4:41: note: used here", "driver x");
	/* a scalar, and a finding of lint */
	EXPECT(TOP "profiles:\n"
	       "  o: {node: {sysctl: {vm.x: &v 4096}}}\n"
	       "  p: {ports: {g: {match: {driver: mlx5_core}, mtu: *v}}}\n" NODES,
	       1, "p:3:29: warning: g: netdev MTU 4096 yields RoCE MTU 2048", "p:4:52: note: used here");
	/* without an alias there is nothing of it */
	EXPECT(TOP "profiles:\n"
	       "  p: {ports: {g: &g {match: {driver: mlx5_core}, mtuu: 9000}}}\n" NODES,
	       1, "p:3:50: error: unknown key \"mtuu\"\n    3 |   p: {ports: {g: &g {match: {driver: mlx5_core}, mtuu: 9000}}}\n"
		  "      |                                                  ^~~~\n  hint: did you mean mtu?\n");
}

/* An error in what an anchor names is told for each fabric, class, tier or cohort that uses it, and where. */
static void aliases_everywhere(void **state)
{
	static const struct {
		const char *part, *first, *second;	/* second NULL: the same words, told once, and nothing that follows from them */
	} parts[] = {
		{ "fabrics: {a: &f {mtu: 60}, b: *f}\n", "p:3:23: error: fabric a: mtu is out of range", "fabric b: mtu is out of range" },
		{ "fabrics: {a: {classes: {x: &c {priority: 8}}}, b: {classes: {y: *c}}}\n",
		  "p:3:42: error: class x: priority is out of range", "class y: priority is out of range" },
		{ "fabrics: {a: {classes: &c {x: {priority: 8}}}, b: {classes: *c}}\n",
		  "p:3:42: error: class x: priority is out of range", NULL },
		{ "fabrics: {a: {tiers: &t {leaf: {nos: x, links: {all: {lanes: 1}}}}}, b: {tiers: *t}}\n",
		  "p:3:38: error: fabric a: tier leaf: nos is not one of", "fabric b: tier leaf: nos is not one of" },
		{ "fabrics: {a: {tiers: {leaf: {links: {all: &l {lanes: -1}}}}}, b: {tiers: {leaf: {links: {all: *l}}}}}\n",
		  "p:3:54: error: fabric a: tier leaf: link all: lanes is out of range", "fabric b: tier leaf: link all: lanes is out of range" },
		{ "cohorts: {a: {hash: 1%, set: &s {node: {max_backlog: 0}}}, b: {hash: 1%, set: *s}}\n",
		  "p:3:54: error: cohort a: max_backlog is out of range", "cohort b: max_backlog is out of range" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		TEXT_CLEANUP struct text policy = { 0 };
		const char *second = parts[i].second;

		text_printf(&policy, TOP "nodes: {n: {set: {node: {max_backlog: 1024, modules: {rdma_ucm: {load: true}}}}}}\n%s", parts[i].part);
		EXPECT(text_str(&policy), second ? 2 : 1, parts[i].first, second ? second : "error", second ? "note: used here" : "error");
	}
}

static void no_ranges(void **state)
{
	(void)state;
	EXPECT(TOP "fabric: {classes: {rdma: {priority: 3, dscp: [24-31]}}}\n"
	       "nodes: {n: {set: {node: {max_backlog: 1024, modules: {rdma_ucm: {load: true}}}}}}\n", 1,
	       "p:2:47: error: class rdma: dscp is a range: write its numbers one by one");
}

/* --- keys at the wrong place -------------------------------------------------- */

static void belongs(void **state)
{
	(void)state;
	EXPECT(TOP "mtu: 9000\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "p:2:1: error: unknown key \"mtu\"", "hint: `mtu: …` belongs in a group of ports: ports: {NAME: {mtu: …}}\n");
	EXPECT(TOP "nodes: {n: {mtu: 9000, set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`mtu: …` belongs in a group of ports");
	EXPECT(TOP "nodes: {n: {set: {mtu: 9000, ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`mtu: …` belongs in a group of ports");
	EXPECT(TOP "max_backlog: 1\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`max_backlog: …` belongs in the settings of the node: node: {max_backlog: …}");
	EXPECT(TOP "pfc: [3]\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "ports: {NAME: {qos: {pfc: …}}}");
	EXPECT(TOP "nodes: {n: {set: {until: x, ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`until: …` belongs in an exception of a group: ports: {NAME: {except: [{until: …}]}}");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, lossless: true, mtu: 9000}}}}}\n", 1,
	       "`lossless: …` belongs in a class of a fabric: fabrics: {NAME: {classes: {NAME: {lossless: …}}}}");
	EXPECT(TOP "fabric: {kmin: 3, mtu: 9000}\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`ecn: {NAME: {kmin: …}}` belongs in a tier of a fabric");
	EXPECT(TOP "fabric: {tiers: {l: {links: {a: {mtu: 9000}}}}}\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`mtu: …` belongs in a fabric: fabrics: {NAME: {mtu: …}}");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, qos: {mtu: 9000}}}}}}\n", 1,
	       "`mtu: …` belongs in a group of ports");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, tos: 104}}}}}\n", 1,
	       "hint: it is written roce: {tos: …}; or did you mean qos?");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, speed: 400Gb/s}}}}}\n", 1,
	       "hint: it is written link: {speed: …}");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, ecn: {dscp: 48}}}}}}\n", 1,
	       "hint: it is written ecn: {cnp: {dscp: …}}");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, roce: {cnp: {dscp: 48}}}}}}}\n", 1,
	       "`ecn: {cnp: …}` belongs in a group of ports: ports: {NAME: {ecn: {cnp: …}}}");
}

/* Maps, whose name alone says where they belong. */
static void maps_belong(void **state)
{
	(void)state;
	EXPECT(TOP "match: {driver: x}\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`match: …` belongs in a group of ports: ports: {NAME: {match: …}}");
	EXPECT(TOP "node: {max_backlog: 3}\nnodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`node: …` belongs in a profile: profiles: {NAME: {node: …}}");
	EXPECT(TOP "profiles: {p: {qos: {pfc: [3]}}}\nnodes: {n: {profiles: [p], set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`qos: …` belongs in a group of ports: ports: {NAME: {qos: …}}");
	EXPECT(TOP "profiles: {p: {sysctl: {a.b: 1}}}\nnodes: {n: {profiles: [p], set: {ports: {g: {match: {driver: mlx5_core}, mtu: 9000}}}}}\n", 1,
	       "`sysctl: …` belongs in the settings of the node: node: {sysctl: …}");
}

/* --- rails that no port has --------------------------------------------------- */

static void the_last_rail(void **state)
{
	(void)state;
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, count: 8, rails: {by: pci}, mtu: 9000,\n"
		   "except: [{match: {rail: 8}, set: {mtu: 4200}, because: x}]}}}}}\n", 1,
	       "p:3:25: error: except: match.rail: group g has 8 ports: its last rail is 7", "hint: rails are numbered from 0");
	EXPECT(TOP "nodes: {n: {set: {ports: {g: {match: {driver: mlx5_core}, count: 8, rails: {by: pci}, mtu: 9000,\n"
		   "except: [{match: {rail: 7}, set: {mtu: 4200}, because: x}]}}}}}\n", 0, "");
}

/* --- ports of another network ------------------------------------------------- */

#define ONE_FABRIC "fabric: {mtu: 9000, classes: {rdma: {priority: 3, dscp: [26], lossless: true}, default: {priority: 0}}}\n"

static void no_fabric(void **state)
{
	(void)state;
	EXPECT(TOP ONE_FABRIC "nodes: {n: {set: {ports: {f: {match: {driver: ice}, mtu: 1500, qos: {pfc: []}}}}}}\n", 2,
	       "mtu 1500 differs from the fabric's 9000", "ports of another network say fabric: null");
	EXPECT(TOP ONE_FABRIC "nodes: {n: {set: {ports: {f: {match: {driver: ice}, fabric: null, mtu: 1500, qos: {pfc: []}}}}}}\n", 0, "");
	EXPECT(TOP ONE_FABRIC "nodes: {n: {set: {ports: {f: {match: {driver: ice}, fabric: null, mtu: fabric}}}}}\n", 1, "fabric");
}

/* --- a file that was not read ------------------------------------------------- */

static void one_root(void **state)
{
	(void)state;
	EXPECT(TOP "include: [other.yaml]\n", 1, "include: \"other.yaml\" is relative to a file");
	EXPECT(TOP "include: other.yaml\n", 1, "include: a list");
	EXPECT(TOP "include: [other.yaml]\nnodes: {n: {profiles: [q]}}\n", 1, "include: \"other.yaml\" is relative to a file");
	EXPECT(TOP "include: [other.yaml]\nnodes: {n: {set: {ports: {g: {match: {driver: x}, fabric: q, mtu: fabric}}}}}\n", 1, "include");
	EXPECT(TOP "profiles: {}\n", 1, "the policy names no nodes");
}

/* --- explain ------------------------------------------------------------------ */

static struct explain_lists lists_of(struct arena *a)
{
	struct explain_lists l = { 0 };
	const struct rule **rule = arena_array_of(a, const struct rule *, LINT_RULES_MAX);

	l.key = language_keys(a, catalog_default(), &l.nkeys);
	l.rule = rule;
	l.nrules = lint_rules(rule);
	return l;
}

static int explains(struct arena *a, const struct explain_lists *l, const char *what, struct text *out, struct json *j)
{
	struct diags d;

	diags_init(&d, a);
	return explain_any(catalog_default(), l, what, out, j, &d);
}

static void explain_knows_all(void **state)
{
	struct arena *a = arena_new();
	struct explain_lists l = lists_of(a);

	(void)state;
	assert_true(l.nkeys > 60 && l.nrules > 60);
	for (size_t i = 0; i < l.nkeys; i++) {
		TEXT_CLEANUP struct text t = { 0 };

		if (explains(a, &l, l.key[i].key, &t, NULL) != 0 || !strstr(text_str(&t), l.key[i].written) || !l.key[i].doc ||
		    !*l.key[i].doc)
			fail_msg("%s: %s", l.key[i].key, text_str(&t));
	}
	for (size_t i = 0; i < l.nrules; i++) {
		TEXT_CLEANUP struct text t = { 0 };

		if (explains(a, &l, l.rule[i]->name, &t, NULL) != 0 || !strstr(text_str(&t), severity_name(l.rule[i]->severity)))
			fail_msg("%s: %s", l.rule[i]->name, text_str(&t));
	}
	arena_free(a);
}

static void explain_finds(void **state)
{
	static const struct { const char *what, *clue; } rows[] = {
		{ "match.driver", "ports: {NAME: {match: {driver: …}}}" }, { "match", "match: {function: …}" },
		{ "except", "odd NICs and nodes" }, { "because", "except: [{because: …}]" }, { "until", "2027-01-31" },
		{ "cohorts", "nodes that take new values first" }, { "cohorts.hash", "1%" }, { "rails", "by: …" },
		{ "tiers", "switches of one kind" }, { "include", "further files" }, { "requires", ">=0.1" },
		{ "revision", "every report" }, { "labels", "cohorts" }, { "optional", "whose lack is no drift" },
		{ "profiles", "nodes of one kind" }, { "nodes", "host list" }, { "fabrics", "both ends of the wire" },
		{ "{rail}", "in its group" }, { "{node}", "short name" }, { "{ifname}", "neighbor.system" },
		{ "kmin", "ecn: {NAME: {kmin: …}}" }, { "watchdog", "detect: …" }, { "bandwidth", "classes" },
		{ "cnp", "one DSCP" }, { "default", "no other one names" }, { "mtu", "fabrics: {NAME: {mtu: …}}" },
		{ "lossless-shares-tc", "# rdmactl: allow lossless-shares-tc because …" },
		{ "fabrics.backend.classes.rdma.lossless", "PFC protects it" }, { "ports.compute.match.driver", "match: {driver: …}" },
		{ "fabrics.backend.tiers.leaf.links.down.speed", "links: {NAME: {speed: …}}" },
		{ "profiles.gpu.ports.compute.qos.pfc", "paused one by one" }, { "node.max_backlog", "largest backlog" },
	};
	struct arena *a = arena_new();
	struct explain_lists l = lists_of(a);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 }, json = { 0 };
		struct json j;

		if (explains(a, &l, rows[i].what, &t, NULL) != 0 || !strstr(text_str(&t), rows[i].clue))
			fail_msg("%s: %s", rows[i].what, text_str(&t));
		json_init(&j, &json, true);
		json_array_open(&j, NULL);
		assert_int_equal(explains(a, &l, rows[i].what, NULL, &j), 0);
		json_array_close(&j);
		assert_true(json.n > 8);
	}
	arena_free(a);
}

static void explain_suggests(void **state)
{
	static const struct { const char *what, *clue; } rows[] = {
		{ "cohrts", "did you mean 'cohorts'" }, { "match.drivr", "did you mean 'match.driver'" },
		{ "lossless-share-tc", "did you mean 'lossless-shares-tc'" },
	};
	struct arena *a = arena_new();
	struct explain_lists l = lists_of(a);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text out = { 0 }, told = { 0 };
		struct diags d;

		diags_init(&d, a);
		assert_true(explain_any(catalog_default(), &l, rows[i].what, &out, NULL, &d) < 0);
		diags_print(&d, false, &told);
		if (!strstr(text_str(&told), rows[i].clue))
			fail_msg("%s: %s", rows[i].what, text_str(&told));
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aliases), cmocka_unit_test(aliases_everywhere), cmocka_unit_test(no_ranges), cmocka_unit_test(belongs), cmocka_unit_test(maps_belong),
		cmocka_unit_test(the_last_rail), cmocka_unit_test(no_fabric), cmocka_unit_test(one_root),
		cmocka_unit_test(explain_knows_all), cmocka_unit_test(explain_finds), cmocka_unit_test(explain_suggests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
