/* SPDX-License-Identifier: Apache-2.0 */
/* Policies with the settings of the product: what is refused, where, and with which hint; the cases yaml-*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "catalog.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "model/desired.h"
#include "model/facts.h"
#include "policy/policy.h"
#include "policy/requires.h"

/* Loads, and judges all nodes if it could be loaded; what was told, in @told. */
struct loaded {
	struct arena *a;
	struct policy *p;
	struct diags d;
	struct text told;
	unsigned visits;
	int r;
};

static void visit(const struct policy_group *g, void *arg, struct diags *d)
{
	(void)d;
	assert_non_null(g->node);
	++*(unsigned *)arg;
}

static void judge(struct loaded *l)
{
	if (l->p && policy_each(l->p, NULL, catalog_default(), visit, &l->visits, &l->d) < 0)
		l->r = -22;
	diags_print(&l->d, false, &l->told);
}

static struct loaded load(const char *text)
{
	struct loaded l = { .a = arena_new() };

	diags_init(&l.d, l.a);
	l.r = policy_parse(l.a, "p", text, strlen(text), catalog_default(), &l.p, &l.d);
	return l;
}

static void done(struct loaded *l)
{
	text_done(&l->told);
	arena_free(l->a);
}

#define TOP "version: 1\n"
#define NODES "nodes: {n: {profiles: [g]}}\n"
/* line 6 is the first one of @body, at column 9; the group is named c */
#define GROUP(body) \
	TOP "profiles:\n  g:\n    ports:\n      c:\n" body "        match: {driver: mlx5_core}\n" NODES
/* line 5, column 7 */
#define NODE(body) TOP "profiles:\n  g:\n    node:\n" body NODES
/* line 4, column 5 */
#define CLASSES(body) TOP "fabric:\n  classes:\n" body "profiles: {g: {node: {max_backlog: 5}}}\n" NODES
#define SPELLED "        qos: {trust: dscp, dscp: {0-63: 0, 26: 3}, tc: {3: 3}, ets: {0: 40%, 3: 60%}, pfc: [3]}\n"

static void good(void **state)
{
	static const char *const texts[] = {
		NODE("      max_backlog: 5\n"),
		NODE("      max_backlog: \"5\"\n"),
		NODE("      max_backlog: null\n      sysctl: {net.core.rmem_max: 212992, net.ipv4.tcp_rmem: 4096 131072 6291456}\n"),
		NODE("      sysctl: null\n      max_backlog: 5\n"),
		NODE("      modules: {ib_core: {options: {netns_mode: 0}}, rdma_ucm: {load: true}}\n"),
		GROUP(SPELLED),
		GROUP("        qos: {pfc: [], dscp: {}}\n"),
		GROUP("        mtu: 9000\n        count: 8\n        optional: [qos, ecn.np]\n"),
		GROUP("        roce: {enabled: no}\n"),
		GROUP("        firmware: {version: 28.39, deny: []}\n"),
		CLASSES("    x: {priority: 0}\n"),
		CLASSES("    x: {priority: 3, dscp: [26], bandwidth: 60}\n    default: {priority: 0, bandwidth: 40%}\n"),
		CLASSES("    x: {priority: 3, bandwidth: 60%}\n    y: {priority: 0}\n"),
		TOP "requires: \">=0.1 <99\"\nrevision: x\ncluster: y\n" "nodes: {n: {set: {node: {max_backlog: 5}}}}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct loaded l = load(texts[i]);

		judge(&l);
		if (l.r < 0 || l.d.errors)
			fail_msg("%s\n%s", texts[i], text_str(&l.told));
		assert_true(l.visits > 0);
		done(&l);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *text;
		const char *says[5];	/* all of them */
	} rows[] = {
		/* the top level */
		{ "a\n", { "p:1:1: error: a policy is a map of keys, and this is \"a\"" } },
		{ "[version]\n", { "a policy is a map of keys, and this is a list" } },
		{ "nodes: {n: {set: {node: {max_backlog: 5}}}}\n", { "p:1:1: error: the policy does not say its version" } },
		{ "version: 2\nnew_key: 1\n", { "p:1:10: error: version: this rdmactl knows version 1 of the language" } },
		{ "version: [1]\n", { "and this is a list" } },
		{ "bad: 1\nrequires: \">=9\"\nversion: 1\n", { "p:2:11: error: the policy requires rdmactl >=9, and this is " VERSION } },
		{ TOP "requires: newest\n", { "p:2:11: error: requires: \"newest\" is no condition on a version" } },
		{ TOP "requires: 0.1\n" NODES, { "no condition on a version", "write \">=0.1\"" } },
		{ TOP "profile: {}\n" NODES, { "p:2:1: error: unknown key \"profile\"", "did you mean profiles?" } },
		{ TOP "include: [x.yaml]\n" NODES, { "p:2:11: error: include: \"x.yaml\" is relative to a file, and this policy is none" } },
		{ TOP "include: x.yaml\n" NODES, { "p:2:10: error: include: a list" } },
		{ TOP "profiles: {}\n", { "p:1:1: error: the policy names no nodes" } },
		{ TOP "nodes: {}\n", { "p:2:1: error: nodes is empty" } },
		{ TOP "nodes: [a]\n", { "p:2:8: error: nodes: a map of keys is due here, found a list" } },
		{ TOP "nodes:\n", { "p:2:1: error: nodes: a map of keys is due here, found nothing" } },
		{ TOP "revision: {}\n" NODES, { "p:2:11: error: revision: a value is due here, found a map" } },
		{ TOP "revision:\n" NODES, { "p:2:1: error: revision: a value is due here, found nothing" } },

		/* profiles */
		{ TOP "profiles: {g: [x]}\n" NODES, { "p:2:15: error: profile g: a map of keys is due here, found a list" } },
		{ TOP "profiles: {g: null}\n" NODES, { "profile g: a map of keys is due here, found null" } },
		{ TOP "profiles: {g: {port: {}}}\n" NODES, { "p:2:16: error: profile g: unknown key \"port\"", "did you mean ports?" } },
		{ TOP "profiles: {g: {extends: base}}\n" NODES, { "extends: a list", "found \"base\"" } },
		{ TOP "profiles: {g: {extends: [bse]}, base: {}}\n" NODES, { "p:2:26: error: there is no profile \"bse\"", "did you mean base?" } },
		{ TOP "profiles: {g: {extends: [h]}, h: {extends: [g]}}\n" NODES, { "extends itself" } },
		{ TOP "profiles: {g: {extends: [g]}}\n" NODES, { "profile g extends itself, by way of g" } },
		{ TOP "profiles: {g: {extends: [b, b]}, b: {}}\n" NODES, { "\"b\" stands twice in one list" } },
		{ TOP "profiles: {g: {ports: {c: 5}}}\n" NODES, { "p:2:27: error: group c: a map of keys is due here, found \"5\"" } },
		{ TOP "profiles: {g: {ports: null}}\n" NODES, { "ports: a map of keys is due here, found null" } },
		{ TOP "profiles: {g: {node: {max_backlog: 5}}, unused: {node: {max_backlog: 0}}}\n" NODES, { "p:2:70: error: max_backlog is out of range" } },

		/* nodes */
		{ TOP "profiles: {g: {node: {max_backlog: 5}}}\nnodes: {n: {profiles: [gg]}}\n", { "p:3:24: error: there is no profile \"gg\"", "did you mean g?" } },
		{ TOP "nodes: {n: {profile: [g]}}\n", { "p:2:13: error: unknown key \"profile\"", "did you mean profiles?" } },
		{ TOP "nodes: {n: {profiles: g}}\n", { "p:2:23: error: profiles: a list", "found \"g\"" } },
		{ TOP "nodes: {n: }\n", { "p:2:9: error: a node: a map of keys is due here, found nothing" } },
		{ TOP "nodes: {n: {}}\n", { "p:2:9: error: the policy asks nothing of node n" } },
		{ TOP "nodes: {n: {labels: {row: [a]}}}\n", { "p:2:27: error: a label: a value is due here, found a list" } },
		{ TOP "nodes: {n: {set: {mtu: 9000}}}\n", { "p:2:19: error: unknown key \"mtu\"" } },
		{ TOP "nodes:\n  gpu[1-2: {set: {node: {max_backlog: 5}}}\n", { "p:3:3: error: the node name \"gpu[1-2\" has a [ without its ]" } },
		{ TOP "nodes:\n  a b: {set: {node: {max_backlog: 5}}}\n", { "p:3:4: error: the node name \"a b\" holds a blank" } },
		{ TOP "nodes:\n  \"@gpu\": {set: {node: {max_backlog: 5}}}\n", { "p:3:3: error: the node name \"@gpu\" uses an @group" } },

		/* settings: keys */
		{ GROUP("        mtuu: 9000\n"), { "p:6:9: error: unknown key \"mtuu\"", "did you mean mtu?" } },
		{ GROUP("        qos: {pcf: [3]}\n"), { "p:6:15: error: unknown key \"pcf\" in qos", "did you mean pfc?" } },
		{ GROUP("        pfc: [3]\n"), { "p:6:9: error: unknown key \"pfc\"", "it is written qos: {pfc: …}" } },
		{ GROUP("        qos.pfc: [3]\n"), { "it is written qos: {pfc: …}" } },
		{ GROUP("        max_backlog: 5\n"), { "p:6:9: error: unknown key \"max_backlog\"", "belongs in the settings of the node" } },
		{ NODE("      mtu: 9000\n"), { "p:5:7: error: unknown key \"mtu\"", "belongs in a group of ports" } },
		{ GROUP("        mtu:9000:\n          x: 1\n"), { "a blank must stand behind the colon" } },
		{ GROUP("        ecn: {np_cnp_dscp: 48}\n"), { "write ecn: {cnp: {dscp: 48}}" } },
		{ GROUP("        ecn: {np_cnp_prio_mode: 0}\n"), { "write ecn: {cnp: {priority: 6}}" } },
		{ GROUP("        buffer: {cable: 0m}\n"), { "cable is out of range: 1m to 999m" } },
		{ GROUP("        buffer: {sizes: {8: 1KiB}}\n"), { "has the key \"8\", which is out of range: 0 to 7" } },
		{ GROUP("        buffer: {sizes: {0-2: 1KiB, 2: 2KiB}}\n"), { "sizes names 2 twice in one map" } },
		{ GROUP("        buffer: {sizes: {0: 5GiB}}\n"), { "of 0 is out of range: 0 to 4294967295" } },
		{ GROUP("        buffer: {sizes: {0: }}\n"), { "has \"0\" without a value" } },
		{ GROUP("        buffer: {sizes: {}}\n"), { "sizes is empty" } },
		{ GROUP("        buffer: {sizes: [1]}\n"), { "a map, such as {1: 96KiB}," } },
		{ GROUP("        dcbx: {mode: host}\n"), { "mode is not supported by this version" } },
		{ GROUP("        affinity: {gpu: PXB}\n"), { "affinity is not supported by this version" } },
		{ GROUP("        dcbx: host\n"), { "dcbx takes a map of keys but is" } },
		{ GROUP("        qos: {rate: {0: 10Gb/s}}\n"), { "p:6:15: error: rate is not supported by this version" } },
		{ GROUP("        pcie: {max_read_request: 4096}\n"), { "max_read_request is not supported by this version" } },
		{ GROUP("        optional: [bufer]\n"), { "p:6:9: error: optional: there is no setting \"bufer\" of ports" } },
		{ GROUP("        optional: [qoss]\n"), { "optional: there is no setting \"qoss\" of ports", "did you mean qos?" } },
		{ GROUP("        optional: [affinity]\n"), { "optional: affinity is not supported by this version" } },
		{ GROUP("        optional: qos\n"), { "optional takes a list" } },

		/* settings: values */
		{ GROUP("        mtu: 1500.5\n"), { "p:6:14: error: mtu is not a whole number" } },
		{ GROUP("        mtu: 1e3\n"), { "mtu is not" } },
		{ GROUP("        mtu: 010\n"), { "mtu has a leading zero" } },
		{ GROUP("        mtu: 99999999999999999999\n"), { "mtu is too large" } },
		{ GROUP("        mtu: 4\n"), { "mtu is out of range: 68 to 65535" } },
		{ GROUP("        mtu: -1\n"), { "mtu is out of range" } },
		{ GROUP("        mtu: 0x2000\n"), { "mtu is not" } },
		{ GROUP("        mtu: 9000mm\n"), { "mtu has a unit that is not one of this key's" } },
		{ GROUP("        mtu: [9000]\n"), { "p:6:14: error: mtu takes a number but is a list" } },
		{ GROUP("        mtu: {a: 1}\n"), { "mtu takes a number but is a map" } },
		{ GROUP("        mtu:\n"), { "p:6:9: error: mtu has no value", "write null to leave it unmanaged" } },
		{ GROUP("        mtu: \"\"\n"), { "mtu is not" } },
		{ GROUP("        qos: {tc: {}}\n"), { "qos.tc is empty", "leave the key out, or write null" } },
		{ GROUP("        qos: {ets: {}}\n"), { "qos.ets is empty" } },
		{ GROUP("        buffer: {prio: {}}\n"), { "buffer.prio is empty" } },
		{ GROUP("        mtu: \"fabric\"\n"), { "mtu is not", "write fabric without quotes" } },
		{ GROUP("        roce: true\n"), { "p:6:15: error: roce takes a map of keys but is \"true\"" } },
		{ GROUP("        roce: [enabled]\n"), { "roce takes a map of keys but is a list" } },
		{ GROUP("        roce: {enabled: maybe}\n"), { "roce.enabled is not a boolean" } },
		{ GROUP("        roce: {mode: v3}\n"), { "roce.mode is not one of" } },
		{ GROUP("        qos: {pfc: 3}\n"), { "qos.pfc takes a list, such as [3]", "is \"3\"" } },
		{ GROUP("        qos: {pfc: [8]}\n"), { "p:6:21: error: qos.pfc is out of range: 0 to 7" } },
		{ GROUP("        qos: {pfc: [3, 3]}\n"), { "p:6:24: error: qos.pfc names 3 twice" } },
		{ GROUP("        qos: {pfc: [0, 0, 0, 1, 1, 0, 0, 0]}\n"), { "p:6:20: error: qos.pfc holds eight switches", "that are on: [3, 4]" } },
		{ GROUP("        qos: {pfc: [0, 0, 0, 1, 0, 0, 0]}\n"), { "names 0 twice" } },
		{ GROUP("        gid: {index: 3}\n"), { "unknown key \"index\" in gid", "write gid: {version: v2, family: ipv4}" } },
		{ GROUP("        qos: {pfc: [[3]]}\n"), { "qos.pfc holds a list where a value is due" } },
		{ GROUP("        qos: {dscp: [26]}\n"), { "qos.dscp takes a map, such as {26: 3}, but is a list" } },
		{ GROUP("        qos: {dscp: {26:3}}\n"), { "p:6:22: error: qos.dscp has \"26:3\" without a value", "a blank must stand behind the colon: {26: 3}" } },
		{ GROUP("        qos: {dscp: {64: 3}}\n"), { "qos.dscp has the key \"64\", which is out of range: 0 to 63" } },
		{ GROUP("        qos: {dscp: {26: 8}}\n"), { "p:6:26: error: qos.dscp of 26 is out of range: 0 to 7" } },
		{ GROUP("        qos: {dscp: {5-3: 1}}\n"), { "ends before it begins" } },
		{ GROUP("        qos: {dscp: {0-9: 1, 5-12: 2}}\n"), { "qos.dscp names 5 twice in one map" } },
		{ GROUP("        qos: {dscp: {26: 1, 26-26: 2}}\n"), { "qos.dscp names 26 twice in one map" } },
		{ GROUP("        qos: {ets: {0: 101%}}\n"), { "qos.ets of 0 is out of range: 0% to 100%" } },
		{ GROUP("        qos: {ets: {0: fast}}\n"), { "qos.ets of 0", "a share of bandwidth such as 40%, strict, or vendor" } },
		{ GROUP("        qos: {ets: {8: strict}}\n"), { "out of range: 0 to 7" } },
		{ GROUP("        firmware: {deny: 28.40.1000}\n"), { "firmware.deny takes a list" } },
		{ NODE("      sysctl: {net.core.rmem_max: \"1\\nkernel.x = 1\"}\n"), { "sysctl.net.core.rmem_max holds a line break" } },
		{ NODE("      sysctl: {net.core.rmem_max: \"1\\u0001\"}\n"), { "sysctl.net.core.rmem_max holds a control character" } },
		{ NODE("      sysctl: {\"../x\": 1}\n"), { "cannot have the name \"../x\"" } },
		{ NODE("      sysctl: {\"\": 1}\n"), { "cannot have the name \"\"" } },
		{ NODE("      sysctl: {net: {core: {rmem_max: 1}}}\n"), { "sysctl.net takes a text but is a map" } },
		{ NODE("      modules: {ib_core: {optons: {netns_mode: 0}}}\n"), { "unknown key \"optons\"", "did you mean options?" } },
		{ NODE("      modules: {ib_core: 1}\n"), { "takes a map of keys but is \"1\"" } },
		{ NODE("      max_backlog: fabric\n"), { "max_backlog is not" } },
		{ NODE("      modules: fabric\n"), { "does not follow from the classes of a fabric" } },

		/* match */
		{ GROUP("        match: {drivr: x}\n") , { "duplicate key \"match\"", "unknown key \"drivr\" in match", "did you mean driver?" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {pci: \"9a:00.0\"}}}}}}\n", { "match.pci is not a whole PCI address" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {id: 15b3}}}}}}\n", { "match.id is not a PCI vendor and device" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {link: roce}}}}}}\n", { "match.link is not one of ethernet or infiniband" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {psid: x}}}}}}\n", { "write match: {board: …}" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {rail: 0, driver: x}}}}}}\n", { "p:2:45: error: match.rail: group c does not number its ports", "add rails: {by: pci}" } },
		{ TOP "nodes: {n: {set: {ports: {c: {count: 2, match: {ifname: eth0}, mtu: 9000}}}}}\n",
		  { "match.ifname: eth0 is one port, but group c has count: 2", "write a glob" } },
		{ GROUP("        rails: {by: slot}\n"), { "p:6:21: error: rails.by is not one of pci, gpu or ifname" } },
		{ GROUP("        rails: pci\n"), { "p:6:16: error: rails takes a map of keys but is \"pci\"" } },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {}, mtu: 9000}}}}}\n", { "p:2:27: error: group c says of no port that it means it" } },
		{ TOP "profiles: {g: {ports: {compute: {match: {driver: x}}}}}\nnodes: {n: {profiles: [g], set: {ports: {compte: {mtu: 9000}}}}}\n", { "p:3:42: error: group compte says of no port", "did you mean group compute?" } },

		/* classes */
		{ CLASSES("    x: {prioritee: 3}\n"), { "p:4:9: error: class x: unknown key \"prioritee\"", "did you mean priority?" } },
		{ CLASSES("    x: {dscp: [26]}\n"), { "p:4:5: error: class x: it has no priority" } },
		{ CLASSES("    x: {priority: 8}\n"), { "class x: priority is out of range: 0 to 7" } },
		{ CLASSES("    x: {priority: 3, dscp: 26}\n"), { "class x: dscp takes a list" } },
		{ CLASSES("    x: {priority: 3, dscp: [64]}\n"), { "class x: dscp is out of range: 0 to 63" } },
		{ CLASSES("    x: {priority: 3, pfc: true}\n"), { "write lossless: true" } },
		{ CLASSES("    x: {priority: 3, strict: true, bandwidth: 5%}\n"), { "strict and a bandwidth exclude each other" } },
		{ CLASSES("    x: {priority: 3}\n    y: {priority: 3}\n"), { "p:5:5: error: classes x and y have the same priority 3 (lines 4 and 5)", "p:4:5: note: the other one" } },
		{ CLASSES("    x: {priority: 3, dscp: [26]}\n    y: {priority: 4, dscp: [1, 26]}\n"), { "classes x and y both take DSCP 26 (lines 4 and 5)" } },
		{ CLASSES("    x: {priority: 3, bandwidth: 60%}\n    y: {priority: 4, bandwidth: 41%}\n"), { "p:5:5: error: the bandwidths of fabric default sum up to 101%, not 100%" } },
		{ CLASSES("    x: {priority: 3, bandwidth: 60%}\n    y: {priority: 4, bandwidth: 39%}\n"), { "sum up to 99%, not 100%" } },
		{ CLASSES("    x: {priority: 3, tc: 1, strict: true}\n    y: {priority: 1}\n"), { "classes x and y share traffic class 1, but only one of them is strict" } },
		{ CLASSES("    cnp: {priority: 6}\n"), { "class cnp: this class names 0 DSCPs, but it must name one" } },
		{ CLASSES("    cnp: {priority: 6, dscp: [48, 49]}\n"), { "class cnp: this class names 2 DSCPs" } },
		{ CLASSES("    default: {priority: 0, dscp: [0]}\n"), { "class default: this class takes every DSCP that no other class names" } },
		{ TOP "fabric: {mtu: 10}\nprofiles: {g: {}}\n" NODES, { "fabric default: mtu is out of range: 68 to 65535" } },
		{ TOP "fabric: {tiers: {}}\nprofiles: {g: {}}\n" NODES, { "fabric default: tiers is empty: leave it out where the switches are not described" } },
		{ TOP "fabric: {clases: {}}\nprofiles: {g: {}}\n" NODES, { "fabric default: unknown key \"clases\"", "did you mean classes?" } },
		{ TOP "fabric: {mtu: 9000}\nfabrics: {default: {mtu: 1500}}\nprofiles: {g: {}}\n" NODES, { "two fabrics are named default" } },

		/* fabric in a group */
		{ GROUP("        mtu: fabric\n"), { "p:6:14: error: mtu: group c belongs to no fabric", "say fabric: NAME" } },
		{ GROUP("        fabric: bckend\n") "fabrics: {backend: {mtu: 9000}}\n", { "p:6:17: error: there is no fabric \"bckend\"", "did you mean backend?" } },
		{ GROUP("        qos: fabric\n        fabric: f\n") "fabrics: {f: {mtu: 9000}}\n", { "p:6:14: error:", "f" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct loaded l = load(rows[i].text);

		judge(&l);
		if (l.r == 0 || !l.d.errors)
			fail_msg("accepted: %s", rows[i].text);
		for (size_t k = 0; k < 5 && rows[i].says[k]; k++)
			if (!strstr(text_str(&l.told), rows[i].says[k]))
				fail_msg("%s\ntold: %s\nexpected: %s", rows[i].text, text_str(&l.told), rows[i].says[k]);
		done(&l);
	}
}

/* All errors of a policy in one run, each once, also where an anchor or a profile is used many times. */
static void all_once(void **state)
{
	static const char text[] = TOP "bad: 1\n"
				       "profiles:\n"
				       "  g: {node: &n {max_backlog: 0, nope: 1}, ports: {c: {match: {driver: x}, mtu: 1}}}\n"
				       "  h: {node: *n}\n"
				       "nodes:\n"
				       "  a: {profiles: [g, h, i]}\n"
				       "  b: {profiles: [g, h], set: {node: *n}}\n";
	struct loaded l = load(text);

	(void)state;
	judge(&l);
	assert_int_equal(l.d.errors, 5);
	assert_int_equal(l.d.n, 5);
	assert_int_equal(l.visits, 0);
	assert_non_null(strstr(text_str(&l.told), "p:2:1: error: unknown key \"bad\""));
	assert_non_null(strstr(text_str(&l.told), "p:4:30: error: max_backlog is out of range"));
	assert_non_null(strstr(text_str(&l.told), "p:4:33: error: unknown key \"nope\""));
	assert_non_null(strstr(text_str(&l.told), "mtu is out of range"));
	assert_non_null(strstr(text_str(&l.told), "p:7:24: error: there is no profile \"i\""));
	done(&l);
}

static void header(void **state)
{
	static const struct facts facts = { .hostname = "n" };
	struct desired *desired;
	struct loaded l = load(TOP "revision: 2026-11-29.2\nnodes: {n: {set: {node: {max_backlog: 5}}}}\n");

	(void)state;
	assert_int_equal(l.r, 0);
	assert_int_equal(policy_compile(l.p, "n", &facts, catalog_default(), &desired, &l.d), 0);
	assert_string_equal(desired->revision, "2026-11-29.2");
	/* sha256sum of the text */
	assert_string_equal(desired->policy_digest, "sha256:e1bc4c963cef485e284f19d5720b59a2a02bda676d45444795de1a0af114f8bf");
	done(&l);
}

/* Names are whole, however long; two that differ in their last letter are two. */
static void long_names(void **state)
{
#define LONG "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopq"
	struct loaded l = load(TOP "fabrics: {" LONG "1: {mtu: 9000}, " LONG "2: {mtu: 4200}}\n"
				   "profiles: {" LONG "1: {ports: {c: {match: {driver: x}, fabric: " LONG "2, mtu: fabric}}}}\n"
				   "nodes: {n: {profiles: [" LONG "1]}}\n");

	(void)state;
	judge(&l);
	assert_string_equal(text_str(&l.told), "");
	assert_int_equal(l.r, 0);
	done(&l);
}

static void requires(void **state)
{
	static const struct {
		const char *text;
		int r;
		bool met;
	} rows[] = {
		{ ">=0.1", 0, true },	     { ">=0.2", 0, false },	    { ">0.1", 0, true },   { ">0.1.5", 0, false },
		{ "<1", 0, true },	     { ">=0.1 <0.1.5", 0, false },  { "==0.1.5", 0, true }, { "=0.1.5.0", 0, true },
		{ ">= 0.1, < 2", 0, true },  { "<=0.1.5", 0, true },	    { ">=0.10", 0, false }, { "0.1", -22, false },
		{ ">=", -22, false },	     { "", -22, false },	    { ">=0.1 x", -22, false },
		{ ">=1.2.3.4.5", -22, false }, { ">=1..2", -22, false },   { ">=9999999", -22, false }, { ">=1.", -22, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool met = false;

		if (requires_met(rows[i].text, "0.1.5", &met) != rows[i].r || met != rows[i].met)
			fail_msg("requires %s", rows[i].text);
	}
}

/* --- files ------------------------------------------------------------------ */

static struct loaded load_case(const char *path)
{
	struct loaded l = { .a = arena_new() };

	diags_init(&l.d, l.a);
	l.r = policy_load(l.a, path, catalog_default(), &l.p, &l.d);
	judge(&l);
	return l;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* tests/cases/yaml-alias-bomb: an error, soon, and in little memory */
static void alias_bomb(void **state)
{
	struct rusage before, after;
	double start = seconds();
	struct loaded l;

	(void)state;
	getrusage(RUSAGE_SELF, &before);
	l = load_case("tests/cases/yaml-alias-bomb/policy.yaml");
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(l.r, -22);
	assert_true(seconds() - start < 5);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10);
	assert_non_null(strstr(text_str(&l.told), "stand for more than"));
	done(&l);
}

static void duplicate_key(void **state)
{
	struct loaded l = load_case("tests/cases/yaml-duplicate-key/policy.yaml");

	(void)state;
	assert_int_equal(l.r, -22);
	assert_int_equal(l.d.errors, 1);
	assert_non_null(strstr(text_str(&l.told), "duplicate key \"mtu\" (lines 4 and 6)"));
	done(&l);
}

static void empty_policy(void **state)
{
	struct loaded l = load_case("tests/cases/yaml-empty-policy/policy.yaml");

	(void)state;
	assert_int_equal(l.r, -22);
	assert_int_equal(l.d.errors, 1);
	assert_non_null(strstr(text_str(&l.told), "policy is empty"));
	done(&l);
}

static void no_octal_bigint(void **state)
{
	static const char *const says[] = {
		":8:18: error: count has a leading zero", ":11:19: error: roce.mode is not one of",
		":13:19: error: qos.pfc has a leading zero", ":15:22: error: max_backlog is too large",
		":19:22: error: max_backlog is out of range: 1 to 2147483647",
	};
	struct loaded l = load_case("tests/cases/yaml-no-octal-bigint/policy.yaml");

	(void)state;
	assert_int_equal(l.r, -22);
	assert_int_equal(l.d.errors, 5);	/* enabled: no is false, and no error */
	for (size_t i = 0; i < 5; i++)
		if (!strstr(text_str(&l.told), says[i]))
			fail_msg("%s\nexpected: %s", text_str(&l.told), says[i]);
	done(&l);
}

static void unreadable(void **state)
{
	struct loaded l = load_case("tests/cases/no-such-file.yaml");

	(void)state;
	assert_int_equal(l.r, -22);
	assert_non_null(strstr(text_str(&l.told), "tests/cases/no-such-file.yaml: error: cannot be read: No such file"));
	done(&l);
	l = load_case("tests/cases");
	assert_non_null(strstr(text_str(&l.told), "tests/cases: error: holds no *.yaml: there is no policy"));
	done(&l);
	l = load_case("/dev/zero");
	assert_non_null(strstr(text_str(&l.told), "longer than 33554432 bytes"));
	done(&l);
}

static void too_long(void **state)
{
	struct loaded l = { .a = arena_new() };
	size_t n = POLICY_FILE_MAX + 1;
	char *text = malloc(n);

	(void)state;
	memset(text, '#', n);
	diags_init(&l.d, l.a);
	assert_int_equal(policy_parse(l.a, "p", text, n, catalog_default(), &l.p, &l.d), -22);
	assert_int_equal(policy_parse(l.a, "p", text, n - 1, catalog_default(), &l.p, &l.d), -22);
	diags_print(&l.d, false, &l.told);
	assert_non_null(strstr(text_str(&l.told), "is longer than 33554432 bytes"));
	assert_non_null(strstr(text_str(&l.told), "policy is empty"));
	free(text);
	done(&l);
}

/* --- several files ---------------------------------------------------------- */

static char folder[] = "/tmp/rdmactl-policy-XXXXXX";

static int folder_new(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_gone(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const char *in_folder(const char *name)
{
	static char path[4][96];
	static unsigned turn;

	snprintf(path[++turn % 4], sizeof(path[0]), "%s/%s", folder, name);
	return path[turn % 4];
}

static void put_at(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put(const char *name, const char *text)
{
	put_at(in_folder(name), text);
}

#define BACKLOG(n) TOP "nodes: {" n ": {set: {node: {max_backlog: 5}}}}\n"

static void expect_load(const char *path, const char *const *says, size_t errors)
{
	struct loaded l = load_case(path);

	for (; *says; says++)
		if (!strstr(text_str(&l.told), *says))
			fail_msg("%s\nexpected: %s", text_str(&l.told), *says);
	if (l.d.errors != errors)
		fail_msg("%s\nerrors: %zu, expected %zu", text_str(&l.told), l.d.errors, errors);
	done(&l);
}

#define SAYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void includes(void **state)
{
	struct loaded l;

	(void)state;
	mkdir(in_folder("sub"), 0755);
	put("a.yaml", TOP "include: [sub/b.yaml, c.yaml]\nnodes: {n: {profiles: [g, h]}}\n");
	put("sub/b.yaml", TOP "include: [../c.yaml]\nprofiles: {g: {node: {max_backlog: 5}}}\n");	/* c is read once */
	put("c.yaml", TOP "profiles: {h: {node: {sysctl: {vm.swappiness: 5}}}}\n");
	l = load_case(in_folder("a.yaml"));
	assert_string_equal(text_str(&l.told), "");
	assert_int_equal(l.r, 0);
	assert_int_equal(l.visits, 1);
	done(&l);

	put("sub/b.yaml", TOP "include: [../a.yaml]\n");
	expect_load(in_folder("a.yaml"), SAYS("sub/b.yaml:2:11: error: include: ", "a.yaml includes itself, by way of ", "there is no profile \"g\""), 2);
	put("sub/b.yaml", TOP "include: [b.yaml]\nprofiles: {g: {}}\n");
	expect_load(in_folder("a.yaml"), SAYS("sub/b.yaml:2:11: error: include: ", "b.yaml includes itself\n"), 1);
	put("sub/b.yaml", "profiles: {g: {node: {max_backlog: 5}}}\n");
	expect_load(in_folder("a.yaml"), SAYS("sub/b.yaml:1:1: error: the policy does not say its version of the language: each file does"), 1);
	put("sub/b.yaml", "version: 1\nrequires: \">=99\"\nnew: 1\n");
	expect_load(in_folder("a.yaml"), SAYS("sub/b.yaml:2:11: error: the policy requires rdmactl >=99"), 1);
	put("sub/b.yaml", TOP "profiles: {h: {node: {max_backlog: 5}}, g: {}}\n");
	expect_load(in_folder("a.yaml"), SAYS("c.yaml:2:12: error: profile h is defined in two files (", "/sub/b.yaml:2 and ", "/c.yaml:2)", "sub/b.yaml:2:12: note: and here"), 1);
	put("sub/b.yaml", TOP "profiles: {g: {}}\nnodes: {n: {profiles: [h]}}\nrevision: x\n");
	expect_load(in_folder("a.yaml"), SAYS("sub/b.yaml:3:9: error: node n is defined in two files (", "a.yaml:3:9: note: and here"), 1);
	put("c.yaml", TOP "profiles: {h: {node: {max_backlog: 5}}}\nrevision: y\nfabrics: {f: {mtu: 9000}}\ncohorts: {c: {hash: 1%, set: {node: {max_backlog: 5}}}}\n");
	put("sub/b.yaml", TOP "profiles: {g: {}}\nrevision: x\nfabrics: {f: {mtu: 1500}}\ncohorts: {c: {hash: 1%, set: {node: {max_backlog: 5}}}}\n");
	expect_load(in_folder("a.yaml"), SAYS("c.yaml:3:1: error: revision is said in two files", "two fabrics are named f (", "cohort c is defined in two files ("), 3);
	unlink(in_folder("c.yaml"));
	expect_load(in_folder("a.yaml"), SAYS("c.yaml: error: cannot be read: No such file", "a.yaml:2:23: note: included here"), 1);
	put("c.yaml", "");
	expect_load(in_folder("a.yaml"), SAYS("c.yaml: error: policy is empty"), 1);
	put("c.yaml", TOP "profiles: {h: {node: {max_backlog: 0}}}\n");	/* the snippet is of its own file */
	expect_load(in_folder("a.yaml"), SAYS("c.yaml:2:36: error: max_backlog is out of range", "2 | profiles: {h: {node: {max_backlog: 0}}}"), 1);
}

static void include_depth(void **state)
{
	char name[32], text[128];

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "d%d.yaml", i);
		snprintf(text, sizeof(text), TOP "include: [d%d.yaml]\n", i + 1);
		put(name, text);
	}
	put("d20.yaml", BACKLOG("n"));
	expect_load(in_folder("d0.yaml"), SAYS("d15.yaml:2:11: error: include: ", "include each other more than 16 deep"), 1);
	expect_load(in_folder("d5.yaml"), SAYS(""), 0);
	snprintf(text, sizeof(text), "%s", TOP "nodes: {n: {}}\ninclude: [");
	put("many.yaml", text);
	for (int i = 0; i < 300; i++) {
		FILE *f = fopen(in_folder("many.yaml"), "a");

		fprintf(f, "m%d.yaml%s", i, i < 299 ? ", " : "]\n");
		fclose(f);
		snprintf(name, sizeof(name), "m%d.yaml", i);
		put(name, TOP);
	}
	expect_load(in_folder("many.yaml"), SAYS("many.yaml:3:2706: error: the policy has more than 256 files"), 1);
}

static void directories(void **state)
{
	struct loaded l;
	char first[80];

	(void)state;
	mkdir(in_folder("d"), 0755);
	expect_load(in_folder("d"), SAYS("holds no *.yaml: there is no policy"), 1);
	put("d/10-base.yaml", TOP "profiles: {g: {node: {max_backlog: 5}}}\n");
	put("d/20-nodes.yaml", TOP "nodes: {n: {profiles: [g]}}\n");
	put("d/.hidden.yaml", "bad");
	put("d/notes.txt", "bad");
	l = load_case(in_folder("d"));
	assert_string_equal(text_str(&l.told), "");
	assert_int_equal(l.r, 0);
	done(&l);
	put("d/15-more.yaml", TOP "bad: 1\n");
	expect_load(in_folder("d/"), SAYS("d/15-more.yaml:2:1: error: unknown key \"bad\""), 1);
	unlink(in_folder("d/15-more.yaml"));
	/* the digest is that of all texts, one behind the other */
	put("joined", TOP "profiles: {g: {node: {max_backlog: 5}}}\n" TOP "nodes: {n: {profiles: [g]}}\n");
	for (int i = 0; i < 2; i++) {
		static const struct facts facts = { .hostname = "n" };
		struct desired *desired;
		struct arena *a = arena_new();
		const struct source *text;
		char digest[SHA256_TEXT];
		struct policy *p;
		struct diags d;

		diags_init(&d, a);
		assert_int_equal(policy_load(a, in_folder("d"), catalog_default(), &p, &d), 0);
		assert_int_equal(policy_compile(p, "n", &facts, catalog_default(), &desired, &d), 0);
		assert_int_equal(file_load(a, in_folder("joined"), 1000, &text, &d), 0);
		sha256_text(text->text, text->len, digest);
		if (i == 0) {
			assert_string_equal(desired->policy_digest, digest);
			strcpy(first, digest);
		} else {
			assert_string_not_equal(desired->policy_digest, first);
		}
		assert_string_equal(desired->policy_file, in_folder("d"));
		arena_free(a);
		put("d/20-nodes.yaml", TOP "nodes: {n: {profiles: [g]}} # changed\n");
	}
}

static void together_too_long(void **state)
{
	FILE *f;

	(void)state;
	put("half.yaml", TOP "profiles: {}\n#");
	for (int i = 0; i < 2; i++) {
		f = fopen(in_folder(i ? "half2.yaml" : "half.yaml"), "w");
		fprintf(f, i ? TOP "#" : TOP "nodes: {n: {set: {node: {max_backlog: 5}}}}\ninclude: [half2.yaml]\n#");
		for (size_t n = 0; n < POLICY_FILE_MAX / 2; n++)
			fputc('#', f);
		fclose(f);
	}
	expect_load(in_folder("half.yaml"), SAYS("half2.yaml: error: is the file with which the policy gets longer than 33554432 bytes"), 1);
}

/* Owner and modes need root to be set; what is refused for its mode can be seen by anybody. */
static struct loaded load_at(const char *path)
{
	struct loaded l = { .a = arena_new() };

	diags_init(&l.d, l.a);
	l.r = policy_load(l.a, path, catalog_default(), &l.p, &l.d);
	if (l.r < 0) {
		diags_print(&l.d, false, &l.told);
		fail_msg("%s", text_str(&l.told));
	}
	return l;
}

static void expect_trust(const char *path, const char *refusal)
{
	struct loaded l = load_at(path);
	int r = policy_trusted(l.p, &l.d);

	diags_print(&l.d, false, &l.told);
	if (refusal ? r != -1 || !strstr(text_str(&l.told), refusal) || l.d.errors != 1 : r != 0)
		fail_msg("%s: %d\n%s\nexpected: %s", path, r, text_str(&l.told), refusal ? refusal : "trust");
	done(&l);
}

/* Every step of the way: /tmp itself can be written by all, so a chain below it never holds. */
static void trusted(void **state)
{
	static char root[] = "/root/rdmactl-policy-XXXXXX";
	char path[64], other[64], link[64], command[96];

	(void)state;
	put("t.yaml", BACKLOG("n"));
	expect_trust(in_folder("t.yaml"), geteuid() ? "" : "/tmp can be written by others than root (mode 1777)");
	if (geteuid() || !mkdtemp(root)) {
		print_message("SKIP: %s\n", "only root owns what is to be trusted");
		skip();
	}
	snprintf(path, sizeof(path), "%s/d", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/d/p.yaml", root);
	snprintf(other, sizeof(other), "%s/i.yaml", root);
	snprintf(link, sizeof(link), "%s/l.yaml", root);
	snprintf(command, sizeof(command), TOP "include: [%s]\n", other);	/* a link's own folder is where it would look */
	put_at(path, command);
	put_at(other, BACKLOG("n"));
	assert_int_equal(symlink("d/../d/./p.yaml", link), 0);
	expect_trust(path, NULL);
	expect_trust(link, NULL);
	chmod(other, 0664);			/* a file that is included counts as well */
	expect_trust(path, "i.yaml can be written by others than root (mode 0664)");
	chmod(other, 0644);
	chmod(root, 0777);			/* and a directory further up */
	expect_trust(path, "can be written by others than root (mode 0777)");
	chmod(root, 0755);
	assert_int_equal(chown(other, 12345, 0), 0);
	expect_trust(link, "is not owned by root but by user 12345");
	assert_int_equal(chown(other, 0, 0), 0);
	unlink(link);				/* a link on the way leads through a directory that others can write */
	assert_int_equal(symlink(path, in_folder("hop")), 0);
	assert_int_equal(symlink(in_folder("hop"), link), 0);
	expect_trust(link, "/tmp can be written by others than root");
	unlink(link);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),		cmocka_unit_test(refusals),	cmocka_unit_test(all_once),
		cmocka_unit_test(header), cmocka_unit_test(long_names),	cmocka_unit_test(requires),	cmocka_unit_test(alias_bomb),
		cmocka_unit_test(duplicate_key), cmocka_unit_test(empty_policy), cmocka_unit_test(no_octal_bigint),
		cmocka_unit_test(unreadable),	cmocka_unit_test(too_long),
		cmocka_unit_test(includes),	cmocka_unit_test(include_depth), cmocka_unit_test(directories),
		cmocka_unit_test(together_too_long), cmocka_unit_test(trusted),
	};

	return cmocka_run_group_tests(tests, folder_new, folder_gone);
}
