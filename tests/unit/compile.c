/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a policy to wishes, with seven settings of our own and a machine of twelve ports: who claims which port, what
 * beats what, what is derived, what a digest depends on.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "model/catalog.h"
#include "model/desired.h"
#include "policy/policy.h"

/* --- a catalog -------------------------------------------------------------- */

static const char *const words[] = { "low", "high", NULL };

static const struct field backlog_fields[] = { { "backlog", KIND_UINT, .min = 1, .max = 65535 }, { 0 } };
static const struct field sysctl_fields[] = { { .name = "sysctl.*", .kind = KIND_TEXT }, { 0 } };
static const struct field modules_fields[] = {
	{ .name = "modules.*.options.*", .kind = KIND_TEXT }, { .name = "modules.*.load", .kind = KIND_BOOL }, { 0 },
};
static const struct field count_fields[] = { { "count", KIND_UINT, .min = 1, .max = 64, .always = true }, { 0 } };
static const struct field mtu_fields[] = { { "mtu", KIND_UINT, .min = 68, .max = 65535, .unit = "bytes" }, { 0 } };
static const struct field cm_fields[] = { { "cm.mode", KIND_WORD, .words = words }, { 0 } };
enum { WIRE_MAP, WIRE_SHARES, WIRE_SET, WIRE_NAMES, WIRE_PEER };
static const struct field wire_fields[] = {
	[WIRE_MAP] = { "wire.map", KIND_MAP, .max = 7, .span = 64 },
	[WIRE_SHARES] = { .name = "wire.shares", .kind = KIND_SHARES },
	[WIRE_SET] = { "wire.set", KIND_SET, .max = 7 },
	[WIRE_NAMES] = { .name = "wire.names", .kind = KIND_TEXTS },
	[WIRE_PEER] = { .name = "wire.peer", .kind = KIND_TEXT, .pattern = true },
	{ 0 },
};

static unsigned derived;		/* calls of wire_derive */

static int mtu_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	(void)d;
	if (want->at[0].state == CELL_FABRIC && w->fabric && w->fabric->mtu)
		cell_set_num(&want->at[0], w->fabric->mtu);
	return 0;
}

/* The map and the set follow from the classes, the shares do not; the set only where the MTU is asked for as well. */
static int wire_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	uint8_t map[64];

	derived++;
	if (!w->fabric)
		return 0;
	if (want->at[WIRE_MAP].state == CELL_FABRIC) {
		fabric_dscp_map(w->fabric, map);
		cell_set_map(&want->at[WIRE_MAP], w->arena, map, 64);
	}
	if (want->at[WIRE_SET].state == CELL_FABRIC)
		cell_set_num(&want->at[WIRE_SET], fabric_pfc(w->fabric));
	if (want->at[WIRE_NAMES].state == CELL_FABRIC)
		want->at[WIRE_NAMES].state = CELL_SILENT;
	if (want->at[WIRE_PEER].state == CELL_FABRIC)
		want->at[WIRE_PEER].state = CELL_SILENT;
	if (w->target->port->function == FUNCTION_VF && record_has(want, WIRE_SET)) {
		diag_error(d, &want->at[WIRE_SET].pos, "a VF has no set");
		return -EINVAL;
	}
	return 0;
}

/* What has a write is set, all else here is verified. */
static int write_nothing(struct kernel *k, const struct change *c, struct diags *d)
{
	(void)k;
	(void)c;
	(void)d;
	return -EOPNOTSUPP;
}

static const struct setting setting_backlog = { .name = "backlog", .scope = SCOPE_NODE, .fields = backlog_fields };
static const struct setting setting_sysctl = { .name = "sysctl", .scope = SCOPE_NODE, .fields = sysctl_fields };
static const struct setting setting_modules = { .name = "modules", .scope = SCOPE_NODE, .fields = modules_fields };
static const struct setting setting_count = { .name = "count", .scope = SCOPE_GROUP, .fields = count_fields };
static const struct setting setting_mtu = {
	.name = "mtu", .scope = SCOPE_NETDEV, .fields = mtu_fields, .derive = mtu_derive,
};
static const struct setting setting_cm = { .name = "cm", .scope = SCOPE_RDMA_PORT, .fields = cm_fields };
static const struct setting setting_wire = {
	.name = "wire", .scope = SCOPE_WIRE, .fields = wire_fields, .derive = wire_derive, .live = { .write = write_nothing },
};
static const struct setting *const settings[] = {
	&setting_backlog, &setting_sysctl, &setting_modules, &setting_count, &setting_mtu, &setting_wire, &setting_cm,
};
static const char *const mlx5_drivers[] = { "mlx5_core", NULL };
static const struct vendor mlx5 = { .name = "mlx5", .drivers = mlx5_drivers, .roce_overhead = 96 };
static const struct vendor other = { .name = "other", .drivers = NULL };
static const struct vendor *const vendors[] = { &mlx5, &other };
static const struct catalog catalog = { settings, 7, vendors, 2, NULL };

/* --- a machine -------------------------------------------------------------- */

static const struct {
	const char *name, *ifname, *bdf, *ibdev, *board;
	enum function function;
	enum link_layer link_layer;
	int numa_node;
	uint32_t speed_mbps;
	const struct vendor *vendor;
} rows_of_ports[] = {
	{ "ens1f0", "ens1f0", "0000:03:00.0", "mlx5_0", "MT_1", FUNCTION_PF, LINK_LAYER_ETHERNET, 0, 100000, &mlx5 },
	{ "ens1f1", "ens1f1", "0000:03:00.1", "mlx5_1", "MT_1", FUNCTION_PF, LINK_LAYER_ETHERNET, 0, 25000, &mlx5 },
	{ "ens2f0", "ens2f0", "0000:41:00.0", "mlx5_bond_0", "MT_1", FUNCTION_PF, LINK_LAYER_ETHERNET, 1, 100000, &mlx5 },
	{ "ens2f1", "ens2f1", "0000:41:00.1", "mlx5_bond_0", "MT_1", FUNCTION_PF, LINK_LAYER_ETHERNET, 1, 100000, &mlx5 },
	{ "ens1np0", "ens1np0", "0000:0a:00.0", "mlx5_4", "MT_2", FUNCTION_PF, LINK_LAYER_ETHERNET, 0, 100000, &mlx5 },
	{ "ens1np0d1", "ens1np0d1", "0001:0a:00.0", "mlx5_5", "MT_2", FUNCTION_PF, LINK_LAYER_ETHERNET, 0, 100000, &mlx5 },
	{ "ens1v0", "ens1v0", "0000:03:00.2", "mlx5_6", "", FUNCTION_VF, LINK_LAYER_ETHERNET, 0, 0, &mlx5 },
	{ "eno1", "eno1", "0000:01:00.0", "", "", FUNCTION_PF, LINK_LAYER_UNKNOWN, 0, 0, &other },
	{ "ibp177s0/1", "", "0000:b1:00.0", "ibp177s0", "MT_1", FUNCTION_PF, LINK_LAYER_INFINIBAND, 0, 400000, &mlx5 },
};

enum { NPORTS = sizeof(rows_of_ports) / sizeof(rows_of_ports[0]), BOND = 20 };

static struct port ports[NPORTS];

/* Two roots; ens1f* hang on the second one, ens2f* on the first. */
static const char *const paths[NPORTS] = {
	"sys/devices/pci0000:80/0000:80:01.0/0000:03:00.0", "sys/devices/pci0000:80/0000:80:01.0/0000:03:00.1",
	"sys/devices/pci0000:00/0000:00:01.0/0000:41:00.0", "sys/devices/pci0000:00/0000:00:01.0/0000:41:00.1", "", "", "", "", "",
};
static const char *const gpus[] = {
	"sys/devices/pci0000:00/0000:00:01.0/0000:42:00.0", "sys/devices/pci0000:80/0000:80:02.0/0000:c1:00.0",
};

/* Both ports of 0000:41 are members of bond0; port number n has interface index n + 2. */
static int machine(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NPORTS; i++) {
		bool mellanox = rows_of_ports[i].vendor == &mlx5, member = !strncmp(rows_of_ports[i].ifname, "ens2f", 5);

		ports[i] = (struct port){
			.name = rows_of_ports[i].name, .ifname = rows_of_ports[i].ifname, .ifindex = i + 2,
			.bdf = rows_of_ports[i].bdf, .ibdev = rows_of_ports[i].ibdev, .ibport = 1, .board = rows_of_ports[i].board,
			.function = rows_of_ports[i].function, .link_layer = rows_of_ports[i].link_layer,
			.numa_node = rows_of_ports[i].numa_node, .speed_mbps = rows_of_ports[i].speed_mbps,
			.vendor = rows_of_ports[i].vendor, .driver = mellanox ? "mlx5_core" : "bnxt_en",
			.pci_vendor = mellanox ? 0x15b3 : 0x14e4, .pci_device = mellanox ? 0x101d : 0x1750,
			.master = member ? "bond0" : "", .master_ifindex = member ? BOND : 0,
			.pci_path = paths[i], .physfn = "",
			.protocol = rows_of_ports[i].link_layer == LINK_LAYER_INFINIBAND ? "ib" : "roce", .node_desc = "",
			.fw_version = "",
		};
	}
	return 0;
}

static const struct bond uppers[] = { { "bond0", BOND, 0, 1500, "bond" } };
static const struct facts facts = {
	.hostname = "gpu0007.example.com", .port = ports, .nports = NPORTS, .upper = uppers,
	.nuppers = 1, .observed_s = 1795996799,	/* 2026-11-29 23:59:59 */
	.gpu = gpus, .ngpus = 2,
};

/* --- helpers ---------------------------------------------------------------- */

struct compiled {
	struct arena *a;
	struct policy *p;
	struct diags d;
	struct desired *desired;
	struct text told;
	int r;
};

static struct compiled compile(const char *text, const char *node)
{
	struct compiled c = { .a = arena_new() };

	diags_init(&c.d, c.a);
	c.r = policy_parse(c.a, "p", text, strlen(text), &catalog, &c.p, &c.d);
	if (c.r == 0)
		c.r = policy_compile(c.p, node, &facts, &catalog, &c.desired, &c.d);
	diags_print(&c.d, false, &c.told);
	return c;
}

static void done(struct compiled *c)
{
	text_done(&c->told);
	arena_free(c->a);
}

static const char *const scope_names[] = {
	[SCOPE_NODE] = "node", [SCOPE_GROUP] = "group", [SCOPE_RDMA_PORT] = "rdma", [SCOPE_WIRE] = "wire",
	[SCOPE_NETDEV] = "netdev",
};

/* "wire ens1f0: wire.set=3; …" */
static void dump(const struct desired *d, struct text *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct wish *w = &d->wish[i];

		text_printf(out, "%s %s:", scope_names[w->target->scope], w->target->name);
		for (size_t k = 0; k < w->want->n; k++) {
			const struct cell *c = &w->want->at[k];

			assert_int_not_equal(c->state, CELL_FABRIC);
			if (c->state != CELL_VALUE)
				continue;
			assert_non_null(c->pos.source);
			text_printf(out, " %s=", c->name);
			value_print(c->field, &c->value, out);
			if (c->also) {
				text_add(out, " or ");
				value_print(c->field, c->also, out);
			}
		}
		text_add(out, "; ");
	}
}

static void expect(const char *text, const char *node, const char *wishes)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct compiled c = compile(text, node);

	if (c.r < 0 || c.d.n)
		fail_msg("%s\n%s", text, text_str(&c.told));
	dump(c.desired, &t);
	if (strcmp(text_str(&t), wishes) != 0)
		fail_msg("%s\nwishes:   %s\nexpected: %s", text, text_str(&t), wishes);
	done(&c);
}

static void refuse(const char *text, const char *node, const char *says, const char *also)
{
	struct compiled c = compile(text, node);

	if (c.r == 0 || !strstr(text_str(&c.told), says) || !strstr(text_str(&c.told), also))
		fail_msg("%s\ntold: %s\nexpected: %s ... %s", text, text_str(&c.told), says, also);
	assert_null(c.desired);
	done(&c);
}

#define TOP "version: 1\n"
#define NODE(set) TOP "nodes: {n: {set: " set "}}\n"
#define GROUP(body) TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, dscp: [26], lossless: true}}}\n" \
			"nodes: {n: {set: {ports: {c: {match: " body "}}}}}\n"

/* --- targets ---------------------------------------------------------------- */

static void targets(void **state)
{
	(void)state;
	expect(NODE("{node: {backlog: 5}}"), "n", "node node: backlog=5; ");
	expect(GROUP("{ifname: ens1f0}, count: 1, mtu: 9000, wire: {set: [3]}, cm: {mode: low}"), "n",
	       "group c: count=1; wire ens1f0: wire.set=3; rdma ens1f0: cm.mode=low; netdev ens1f0: mtu=9000; ");
	/* both members of a bond have a wire, and one netdev and one RDMA port together */
	expect(GROUP("{ifname: \"ens2f*\"}, mtu: 9000, wire: {set: [3]}, cm: {mode: low}"), "n",
	       "group c: count=0; wire ens2f0: wire.set=3; rdma ens2f0: cm.mode=low; netdev bond0: mtu=9000; "
	       "wire ens2f1: wire.set=3; ");
	/* what a port lacks is a wish all the same */
	expect(GROUP("{ifname: eno1}, cm: {mode: low}, mtu: 9000"), "n",
	       "group c: count=0; rdma eno1: cm.mode=low; netdev eno1: mtu=9000; ");
	expect(GROUP("{ibdev: ibp*}, cm: {mode: low}, mtu: 9000"), "n",
	       "group c: count=0; rdma ibp177s0/1: cm.mode=low; netdev ibp177s0/1: mtu=9000; ");
	/* no port: the count alone */
	expect(GROUP("{ifname: eth*}, mtu: 9000"), "n", "group c: count=0; ");
}

static void target_list(void **state)
{
	struct compiled c = compile(GROUP("{ifname: \"ens2f*\"}, mtu: 9000"), "n");
	const struct desired *d = c.desired;

	(void)state;
	assert_int_equal(c.r, 0);
	assert_int_equal(d->ntargets, 6);	/* node, group, two wires, one RDMA port, one netdev */
	assert_string_equal(d->target[0]->name, "node");
	assert_int_equal(d->target[1]->scope, SCOPE_GROUP);
	assert_int_equal(d->target[1]->matched, 2);
	assert_string_equal(d->target[2]->ifname, "ens2f0");
	assert_ptr_equal(d->target[2]->vendor, &mlx5);
	assert_string_equal(d->target[4]->ifname, "bond0");
	assert_int_equal(d->target[4]->ifindex, 20);
	assert_string_equal(d->target[4]->group, "c");
	done(&c);
}

static void matching(void **state)
{
	static const struct {
		const char *match, *names;
	} rows[] = {
		{ "{driver: bnxt_en}", "eno1" },
		{ "{ifname: ens1f?}", "ens1f0 ens1f1" },
		{ "{ibdev: \"mlx5_[01]\"}", "ens1f0 ens1f1" },
		{ "{pci: \"0000:03:00.1\"}", "ens1f1" },
		{ "{pci: 0000:0a:00.0}", "ens1np0" },	/* tests/cases/pci-domain-and-same-serial: the domain counts */
		{ "{pci: \"0001:0A:00.0\"}", "ens1np0d1" },
		{ "{pci: \"00000001:0a:00.0\"}", "ens1np0d1" },
		{ "{pci: \"0002:0a:00.0\"}", "" },
		{ "{id: \"14E4:1750\"}", "eno1" },
		{ "{board: MT_2}", "ens1np0 ens1np0d1" },
		{ "{link: infiniband}", "ibp177s0/1" },
		{ "{link: ethernet, function: vf}", "ens1v0" },
		{ "{numa: 1}", "ens2f0 ens2f1" },
		{ "{speed: 25Gb/s}", "ens1f1" },
		{ "{driver: mlx5_core, numa: 0, board: MT_1, function: pf, link: ethernet}", "ens1f0 ens1f1" },
		{ "{ifname: \"*\", link: infiniband}", "" },	/* it has no netdev */
		{ "{driver: null, numa: 1}", "ens2f0 ens2f1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text policy = { 0 }, names = { 0 };
		struct compiled c;

		text_printf(&policy, TOP "nodes: {n: {set: {ports: {c: {match: %s, wire: {names: [x]}}}}}}\n", rows[i].match);
		c = compile(text_str(&policy), "n");
		if (c.r < 0)
			fail_msg("%s", text_str(&c.told));
		for (size_t k = 0; k < c.desired->n; k++)
			if (c.desired->wish[k].setting == &setting_wire)
				text_printf(&names, "%s%s", names.n ? " " : "", c.desired->wish[k].target->name);
		if (strcmp(text_str(&names), rows[i].names) != 0)
			fail_msg("%s: %s, expected %s", rows[i].match, text_str(&names), rows[i].names);
		done(&c);
	}
}

static void two_groups(void **state)
{
	static const char both[] = TOP "nodes:\n  n:\n    set:\n      ports:\n"
				       "        a: {match: {ifname: \"ens1*\"}, wire: {set: [3]}}\n"
				       "        b: {match: {board: MT_2}, wire: {%s}}\n";
	static const char bond[] = TOP "nodes:\n  n:\n    set:\n      ports:\n"
				       "        a: {match: {ifname: ens2f0}, mtu: 9000}\n"
				       "        b: {match: {ifname: ens2f1}, mtu: 9000}\n";
	char text[512];
	struct compiled c;

	(void)state;
	snprintf(text, sizeof(text), both, "set: [4]");
	refuse(text, "n", "p:7:42: error: groups a and b both say wire.set of the same ports (lines 6 and 7)", "p:6:46: note: and here");
	refuse(text, "n", "hint: both match ens1np0", "");
	refuse(bond, "n", "groups a and b both say mtu of the same ports (lines 6 and 7)", "hint: both match bond0");
	snprintf(text, sizeof(text), both, "names: [x]");	/* different settings of one port */
	c = compile(text, "n");
	assert_int_equal(c.r, 0);
	done(&c);
	/* two ports without an RDMA device are two objects */
	c = compile(TOP "nodes: {n: {set: {ports: {a: {match: {ifname: eno1}, cm: {mode: low}},"
			" b: {match: {ifname: ens1f0}, cm: {mode: low}}}}}}\n", "n");
	assert_int_equal(c.r, 0);
	done(&c);
}

/* --- what beats what -------------------------------------------------------- */

#define RANKS(entries) TOP "profiles:\n  base: {node: {backlog: 1, sysctl: {a.b: 1, c.d: 1}}}\n" \
			   "  two: {node: {backlog: 2}}\n  three: {extends: [base], node: {sysctl: {c.d: 3}}}\n" \
			   "nodes:\n" entries

static void precedence(void **state)
{
	static const struct {
		const char *text, *node, *wishes;
	} rows[] = {
		{ RANKS("  n1: {profiles: [base]}\n"), "n1", "node node: backlog=1; node node: sysctl.a.b=1 sysctl.c.d=1; " },
		{ RANKS("  n1: {profiles: [base, two]}\n"), "n1", "node node: backlog=2; node node: sysctl.a.b=1 sysctl.c.d=1; " },
		{ RANKS("  n1: {profiles: [two, base]}\n"), "n1", "node node: backlog=1; node node: sysctl.a.b=1 sysctl.c.d=1; " },
		{ RANKS("  n1: {profiles: [three]}\n"), "n1", "node node: backlog=1; node node: sysctl.a.b=1 sysctl.c.d=3; " },
		/* base comes once, at its first place: three's own values stay */
		{ RANKS("  n1: {profiles: [three, two, base]}\n"), "n1", "node node: backlog=2; node node: sysctl.a.b=1 sysctl.c.d=3; " },
		{ RANKS("  n1: {profiles: [base], set: {node: {backlog: 9}}}\n"), "n1", "node node: backlog=9; node node: sysctl.a.b=1 sysctl.c.d=1; " },
		{ RANKS("  n1: {profiles: [base], set: {node: {backlog: null, sysctl: {a.b: null}}}}\n"), "n1", "node node: sysctl.c.d=1; " },
		{ RANKS("  n1: {profiles: [base], set: {node: {sysctl: null}}}\n"), "n1", "node node: backlog=1; " },
		{ RANKS("  n1: {profiles: [base, two], set: {node: {sysctl: {e.f: x}}}}\n"), "n1", "node node: backlog=2; node node: sysctl.a.b=1 sysctl.c.d=1 sysctl.e.f=x; " },
		/* globs, then lists, then exact names, whatever their order in the file */
		{ RANKS("  n1: {set: {node: {backlog: 3}}}\n  n[1-9]: {set: {node: {backlog: 4}}}\n  n*: {set: {node: {backlog: 5, sysctl: {g.h: 5}}}}\n"), "n1",
		  "node node: backlog=3; node node: sysctl.g.h=5; " },
		{ RANKS("  n1: {set: {node: {backlog: 3}}}\n  n[1-9]: {set: {node: {backlog: 4}}}\n  n*: {set: {node: {backlog: 5, sysctl: {g.h: 5}}}}\n"), "n2",
		  "node node: backlog=4; node node: sysctl.g.h=5; " },
		{ RANKS("  n1: {set: {node: {backlog: 3}}}\n  n[1-9]: {set: {node: {backlog: 4}}}\n  n*: {set: {node: {backlog: 5, sysctl: {g.h: 5}}}}\n"), "nx",
		  "node node: backlog=5; node node: sysctl.g.h=5; " },
		{ RANKS("  n*: {profiles: [base]}\n  n1: {set: {node: {sysctl: null}}}\n"), "n1", "node node: backlog=1; " },
		/* two of one rank that agree, or speak of different things */
		{ RANKS("  n[1-5]: {profiles: [base]}\n  n[1-9]: {profiles: [base], set: {node: {backlog: 1}}}\n"), "n3", "node node: backlog=1; node node: sysctl.a.b=1 sysctl.c.d=1; " },
		{ RANKS("  n[1-5]: {set: {node: {backlog: 1}}}\n  n[1-9]: {set: {node: {sysctl: {a.b: 2}}}}\n"), "n3", "node node: backlog=1; node node: sysctl.a.b=2; " },
		/* short and full names */
		{ RANKS("  n1: {profiles: [two]}\n"), "n1.example.com", "node node: backlog=2; " },
		{ RANKS("  n1.example.com: {profiles: [two]}\n"), "n1", "node node: backlog=2; " },
		/* aliases and merge keys */
		{ TOP "nodes:\n  a: &a {set: {node: &n {backlog: 7}}}\n  n1: *a\n", "n1", "node node: backlog=7; " },
		{ TOP "nodes:\n  a: {set: {node: &n {backlog: 7, sysctl: {a.b: 1}}}}\n  n1: {set: {node: {<<: *n, backlog: 8}}}\n", "n1", "node node: backlog=8; node node: sysctl.a.b=1; " },
		/* two stars */
		{ TOP "profiles: {m: {node: {modules: {ib_core: {options: {x: 1, y: 2}, load: true}, mlx5_core: {options: {x: 1}}}}}}\n"
		      "nodes: {n1: {profiles: [m], set: {node: {modules: {ib_core: {options: {y: null, z: 3}}, mlx5_core: null}}}}}\n", "n1",
		  "node node: modules.ib_core.options.x=1 modules.ib_core.load=true modules.ib_core.options.z=3; " },
		{ TOP "profiles: {m: {node: {modules: {a: {load: true}}}}}\nnodes: {n1: {profiles: [m], set: {node: {modules: {a: {load: false}}}}}}\n", "n1",
		  "node node: modules.a.load=false; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].text, rows[i].node, rows[i].wishes);
}

#define MAPS(base, over) TOP "profiles:\n  a: {ports: {c: {match: {ifname: ens1f0}, wire: " base "}}}\n" \
			     "  b: {ports: {c: {wire: " over "}}}\nnodes: {n: {profiles: [a, b]}}\n"

static void maps(void **state)
{
	static const struct {
		const char *text, *wish;
	} rows[] = {
		{ MAPS("{map: {26: 3}}", "{map: {48: 6}}"), "wire.map=26:3 48:6" },
		{ MAPS("{map: {26: 3}}", "{map: {26: 4}}"), "wire.map=26:4" },
		{ MAPS("{map: {0-63: 0, 26: 3}}", "{set: []}"), "wire.map=0-25:0 26:3 27-63:0 wire.set=none" },
		{ MAPS("{map: {26: 3}}", "{map: {0-63: 1}}"), "wire.map=0-25:1 26:3 27-63:1" },	/* a single one beats a range */
		{ MAPS("{map: {26: 3, 27: 3}}", "{map: {26: null}}"), "wire.map=27:3" },
		{ MAPS("{map: {0-3: 1}}", "{map: {2: null}}"), "wire.map=0-1:1 3:1" },
		{ MAPS("{map: {26: 3}}", "{map: {}}"), "wire.map=none" },		/* empty is a value */
		{ MAPS("{map: {}}", "{map: {26: 3}}"), "wire.map=26:3" },
		{ MAPS("{map: {26: 3}, set: [1]}", "{map: {26: null}}"), "wire.set=1" },	/* nothing is left, which is not {} */
		{ MAPS("{set: [1]}", "{map: {0-63: null}, shares: {3: null}}"), "wire.set=1" },
		{ MAPS("{shares: {0: 40%, 3: 60%}}", "{shares: {3: strict}}"), "wire.shares=0:40% 3:strict" },
		{ MAPS("{set: [3, 4]}", "{set: [5]}"), "wire.set=5" },			/* lists replace */
		{ MAPS("{names: [a, b]}", "{names: [c]}"), "wire.names=c" },
		{ MAPS("{names: [a, b]}", "{names: []}"), "wire.names=" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text wishes = { 0 };

		text_printf(&wishes, "group c: count=0; wire ens1f0: %s; ", rows[i].wish);
		expect(rows[i].text, "n", text_str(&wishes));
	}
}

static void groups_over(void **state)
{
	(void)state;
	expect(TOP "profiles:\n  a: {ports: {c: {match: {ifname: ens1f0}, mtu: 9000}, d: {match: {ifname: eno1}, mtu: 1500}}}\n"
		   "nodes: {n: {profiles: [a], set: {ports: {d: null}}}}\n", "n",
	       "group c: count=0; netdev ens1f0: mtu=9000; ");
	expect(TOP "profiles:\n  a: {ports: {c: {match: {ifname: ens1f0}, mtu: 9000}}}\n  b: {ports: {c: null}}\n"
		   "  d: {ports: {c: {match: {ifname: ens1f1}, cm: {mode: high}}}}\nnodes: {n: {profiles: [a, b, d]}}\n", "n",
	       "group c: count=0; rdma ens1f1: cm.mode=high; ");
	expect(TOP "profiles:\n  a: {ports: {c: {match: {ifname: ens1f0, numa: 1}, mtu: 9000}}}\n"
		   "nodes: {n: {profiles: [a], set: {ports: {c: {match: {numa: 0}}}}}}\n", "n",
	       "group c: count=0; netdev ens1f0: mtu=9000; ");
	expect(TOP "profiles:\n  a: {ports: {c: {match: {ifname: ens1f0, numa: 1}, mtu: 9000}}}\n  x: {}\n"
		   "nodes: {\"*\": {profiles: [a]}, n: {set: {ports: {c: null}}}, m: {profiles: [a], set: {node: {backlog: 1}}}}\n", "m",
	       "node node: backlog=1; group c: count=0; ");
}

static void conflicts(void **state)
{
	(void)state;
	refuse(RANKS("  n[1-5]: {set: {node: {backlog: 3}}}\n  n[1-9]: {set: {node: {backlog: 4}}}\n"), "n3",
	       "p:8:34: error: two entries of one rank match this node and set backlog differently (lines 7 and 8)",
	       "p:7:34: note: and here");
	refuse(RANKS("  n[1-5]: {profiles: [base]}\n  n[1-9]: {profiles: [base], set: {node: {backlog: 4}}}\n"), "n3",
	       "set backlog differently (lines 3 and 8)", "");
	refuse(RANKS("  n[1-5]: {set: {node: {backlog: 4}}}\n  n[1-9]: {set: {node: {backlog: null}}}\n"), "n3",
	       "set backlog differently", "");
	refuse(RANKS("  n[1-5]: {set: {node: {sysctl: {a.b: 4}}}}\n  n[1-9]: {set: {node: {sysctl: null}}}\n"), "n3",
	       "set sysctl.", "differently (lines 7 and 8)");
	refuse(RANKS("  n*: {set: {ports: {c: null}}}\n  \"*3\": {set: {ports: {c: {match: {numa: 0}}}}}\n"), "n3",
	       "set group c differently (lines 7 and 8)", "");
	refuse(RANKS("  n*: {set: {ports: {c: {match: {numa: 0}, wire: {map: {26: 3}}}}}}\n"
		     "  \"*3\": {set: {ports: {c: {match: {numa: 0}, wire: {map: {26: 4}}}}}}\n"), "n3",
	       "set wire.map of group c differently (lines 7 and 8)", "");
	/* all of them at once */
	refuse(RANKS("  n[1-5]: {set: {node: {backlog: 3, sysctl: {a.b: 1}}}}\n  n[1-9]: {set: {node: {backlog: 4, sysctl: {a.b: 2}}}}\n"), "n3",
	       "set backlog differently", "set sysctl.a.b differently");
}

static void unknown_node(void **state)
{
	(void)state;
	refuse(RANKS("  gpu01: {profiles: [base]}\n"), "gpu02", "no entry of nodes matches \"gpu02\"", "did you mean gpu01?");
	refuse(RANKS("  gpu01: {profiles: [base]}\n"), "GPU01", "no entry of nodes matches \"GPU01\"", "did you mean gpu01?");
	refuse(RANKS("  gpu01: {profiles: [base]}\n"), "completely-else", "no entry of nodes matches", "by its host name, or by --node");
	refuse(RANKS("  gpu01: {profiles: [base]}\n"), "", "no entry of nodes matches \"\"", "");
	refuse(RANKS("  n: {labels: {a: b}}\n"), "n", "the policy asks nothing of node n", "");
	refuse(RANKS("  n: {profiles: [base], set: {node: {backlog: null, sysctl: null}}}\n"), "n", "asks nothing of node n", "");
}

/* --- classes ---------------------------------------------------------------- */

static void classes(void **state)
{
	(void)state;
	expect(GROUP("{ifname: ens1f0}, mtu: fabric, wire: {map: fabric, set: fabric}"), "n",
	       "group c: count=0; wire ens1f0: wire.map=26:3 wire.set=3; netdev ens1f0: mtu=9000; ");
	/* a word for all, then one of them spelled out */
	expect(TOP "fabrics: {f: {classes: {r: {priority: 3, dscp: [26], lossless: true}}}}\nprofiles:\n"
		   "  a: {ports: {c: {match: {ifname: ens1f0}, fabric: f, wire: fabric}}}\n"
		   "  b: {ports: {c: {wire: {set: [5], shares: null}}}}\nnodes: {n: {profiles: [a, b]}}\n", "n",
	       "group c: count=0; wire ens1f0: wire.map=26:3 wire.set=5; ");
	/* a word for all over what was spelled out */
	refuse(TOP "fabrics: {f: {classes: {r: {priority: 3, dscp: [26], lossless: true}}}}\nprofiles:\n"
		   "  a: {ports: {c: {match: {ifname: ens1f0}, fabric: f, wire: {shares: {0: 100%}}}}}\n"
		   "  b: {ports: {c: {wire: fabric}}}\nnodes: {n: {profiles: [a, b]}}\n", "n",
	       "p:5:25: error: the fabric f does not say wire.shares", "");
	refuse(GROUP("{ifname: ens1f0}, wire: {shares: fabric}"), "n", "the fabric default does not say wire.shares", "");
	refuse(TOP "fabrics: {f: {mtu: 9000}}\nnodes: {n: {set: {ports: {c: {match: {ifname: ens1f0}, mtu: fabric}}}}}\n", "n",
	       "mtu: group c belongs to no fabric", "say fabric: NAME");
	refuse(TOP "fabrics: {f: {}}\nnodes: {n: {set: {ports: {c: {match: {ifname: ens1f0}, fabric: f, mtu: fabric}}}}}\n", "n",
	       "the fabric f does not say mtu", "");
	/* a null takes the fabric away, also the one that is the default */
	refuse(TOP "fabric: {mtu: 1500}\nfabrics: {f: {mtu: 9000}}\nprofiles: {a: {ports: {c: {match: {ifname: ens1f0}, fabric: f, mtu: fabric}}}}\n"
		   "nodes: {n: {profiles: [a], set: {ports: {c: {fabric: null}}}}}\n", "n",
	       "mtu: group c belongs to no fabric", "say fabric: NAME");
}

/* Ports of one kind are derived together, and an error of theirs is told once. */
static void derived_once(void **state)
{
	struct compiled c;

	(void)state;
	derived = 0;
	c = compile(GROUP("{driver: mlx5_core, link: ethernet, function: pf}, wire: {set: fabric}"), "n");
	assert_int_equal(c.r, 0);
	assert_int_equal(derived, 1);
	assert_ptr_equal(c.desired->wish[1].want, c.desired->wish[2].want);
	done(&c);
	derived = 0;
	c = compile(GROUP("{driver: mlx5_core}, wire: {set: fabric}"), "n");
	assert_int_equal(c.r, -EINVAL);
	assert_int_equal(derived, 3);	/* PF, VF, InfiniBand */
	assert_int_equal(c.d.errors, 1);
	assert_non_null(strstr(text_str(&c.told), "a VF has no set"));
	done(&c);
}

/* --- cohorts ---------------------------------------------------------------- */

#define COHORTS(cohorts) TOP "profiles: {g: {node: {backlog: 1, sysctl: {a.b: 1}}, ports: {c: {match: {ifname: ens1f0}, cm: {mode: low}, wire: {set: [3]}}}}}\n" \
	"nodes:\n  n[1-9]: {profiles: [g], labels: {row: a, rack: r1}}\n  n5: {labels: {row: b}}\n" \
	"cohorts:\n" cohorts

static void cohorts(void **state)
{
	static const char plain[] = "node node: backlog=1; node node: sysctl.a.b=1; group c: count=0; wire ens1f0: wire.set=3; rdma ens1f0: cm.mode=low; ";
	static const struct {
		const char *text, *node, *wishes;
	} rows[] = {
		/* what is set changes; what is verified may be either; what was unmanaged has no other value */
		{ COHORTS("  x: {nodes: \"n[1-3]\", set: {node: {backlog: 2}, ports: {c: {cm: {mode: high}, wire: {set: [4]}}}}}\n"), "n3",
		  "node node: backlog=2 or 1; node node: sysctl.a.b=1; group c: count=0; wire ens1f0: wire.set=4; rdma ens1f0: cm.mode=high or low; " },
		{ COHORTS("  x: {nodes: \"n[1-3]\", set: {node: {sysctl: {a.b: 2, c.d: 3}}}}\n"), "n3",
		  "node node: backlog=1; node node: sysctl.a.b=2 or 1 sysctl.c.d=3; group c: count=0; wire ens1f0: wire.set=3; rdma ens1f0: cm.mode=low; " },
		{ COHORTS("  x: {nodes: \"n[1-3]\", set: {node: {backlog: 2}}}\n"), "n4", plain },
		{ COHORTS("  x: {nodes: \"n[1-3]\", set: {node: {backlog: null}}}\n"), "n1",
		  "node node: sysctl.a.b=1; group c: count=0; wire ens1f0: wire.set=3; rdma ens1f0: cm.mode=low; " },
		/* labels: an exact name beats a list */
		{ COHORTS("  x: {labels: {row: a, rack: r1}, set: {node: {backlog: 2}}}\n"), "n1",
		  "node node: backlog=2 or 1; node node: sysctl.a.b=1; group c: count=0; wire ens1f0: wire.set=3; rdma ens1f0: cm.mode=low; " },
		{ COHORTS("  x: {labels: {row: a}, set: {node: {backlog: 2}}}\n"), "n5", plain },
		{ COHORTS("  x: {labels: {row: b, rack: r1}, set: {ports: {c: null}}}\n"), "n5",
		  "node node: backlog=1; node node: sysctl.a.b=1; " },
		/* two that speak of different things, and two that agree */
		{ COHORTS("  x: {nodes: n1, set: {node: {backlog: 2}}}\n  y: {labels: {row: a}, set: {node: {backlog: 2}, ports: {c: {wire: {set: [5]}}}}}\n"), "n1",
		  "node node: backlog=2 or 1; node node: sysctl.a.b=1; group c: count=0; wire ens1f0: wire.set=5; rdma ens1f0: cm.mode=low; " },
		/* sha256("x/n1") begins with 536f7d6f, which is 5535 modulo 10000 */
		{ COHORTS("  x: {hash: 55.35%, set: {ports: {c: null}}}\n"), "n1", plain },
		{ COHORTS("  x: {hash: 55.36%, set: {ports: {c: null}}}\n"), "n1", "node node: backlog=1; node node: sysctl.a.b=1; " },
		{ COHORTS("  x: {hash: 55.36%, set: {ports: {c: null}}}\n"), "n1.example.com", "node node: backlog=1; node node: sysctl.a.b=1; " },
		{ COHORTS("  x: {hash: 100%, set: {ports: {c: null}}}\n"), "n7", "node node: backlog=1; node node: sysctl.a.b=1; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].text, rows[i].node, rows[i].wishes);
}

static void cohorts_refused(void **state)
{
	static const struct {
		const char *text, *node, *says, *says_too;
	} rows[] = {
		{ COHORTS("  x: {nodes: n1, set: {node: {backlog: 2}}}\n  y: {labels: {row: a}, set: {node: {backlog: 3}}}\n"), "n1",
		  "p:8:47: error: two entries of one rank match this node and set backlog differently (lines 7 and 8)", "p:7:40: note: and here" },
		{ COHORTS("  x: {set: {node: {backlog: 2}}}\n"), "n1", "p:7:3: error: cohort x: it does not say which nodes belong to it", "hash: 1%" },
		{ COHORTS("  x: {nodes: n1, hash: 1%, set: {node: {backlog: 2}}}\n"), "n1", "cohort x: it selects its nodes in more than one way", "" },
		{ COHORTS("  x: {nodes: \"n[1-\", set: {node: {backlog: 2}}}\n"), "n1", "p:7:14: error: cohort x: the node name \"n[1-\" has a range without its end", "" },
		{ COHORTS("  x: {nodes: [n1], set: {node: {backlog: 2}}}\n"), "n1", "cohort x: nodes: a value is due here, found a list", "" },
		{ COHORTS("  x: {labels: {}, set: {node: {backlog: 2}}}\n"), "n1", "labels is empty, and would select all nodes", "" },
		{ COHORTS("  x: {nodes: n1}\n"), "n1", "cohort x: it sets nothing", "" },
		{ COHORTS("  x: {nodes: n1, set: {}}\n"), "n1", "cohort x: it sets nothing", "" },
		{ COHORTS("  x: {nodes: n1, sets: {}, set: {node: {backlog: 1}}}\n"), "n1", "p:7:18: error: cohort x: unknown key \"sets\"", "did you mean set?" },
		{ COHORTS("  x: {nodes: n1, set: {node: {backlog: 0}}}\n"), "n1", "p:7:40: error: cohort x: backlog is out of range", "" },
		{ COHORTS("  x: {hash: 0%, set: {node: {backlog: 1}}}\n"), "n1", "cohort x: hash is \"0%\", which is no share of the nodes", "" },
		{ COHORTS("  x: {hash: 1, set: {node: {backlog: 1}}}\n"), "n1", "hash is \"1\"", "" },
		{ COHORTS("  x: {hash: 101%, set: {node: {backlog: 1}}}\n"), "n1", "hash is \"101%\"", "" },
		{ COHORTS("  x: {hash: 0.001%, set: {node: {backlog: 1}}}\n"), "n1", "hash is \"0.001%\"", "" },
		{ COHORTS("  x: {hash: 01%, set: {node: {backlog: 1}}}\n"), "n1", "hash is \"01%\"", "" },
		{ COHORTS("  x: {hash: 1.%, set: {node: {backlog: 1}}}\n"), "n1", "hash is \"1.%\"", "" },
		{ COHORTS("  x/y: {hash: 1%, set: {node: {backlog: 1}}}\n"), "n1", "a cohort needs a name", "" },
		{ TOP "nodes:\n  \"n*\": {labels: {row: a}, set: {node: {backlog: 1}}}\n  \"*1\": {labels: {row: b}}\n"
		      "cohorts: {x: {labels: {row: a}, set: {node: {backlog: 2}}}}\n", "n1",
		  "p:4:24: error: two entries of one rank match this node and set label row differently (lines 3 and 4)", "p:3:24: note: and here" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refuse(rows[i].text, rows[i].node, rows[i].says, rows[i].says_too);
}

/* --- rails and patterns ----------------------------------------------------- */

static void rails(void **state)
{
	static const struct {
		const char *body, *wishes;
	} rows[] = {
		/* all of numa 0: eno1, ens1f0, ens1f1, ens1v0, ens1np0, ens1np0d1 in the order of their addresses; here three of them */
		{ "{ifname: \"ens1f*\"}, rails: {by: pci}, wire: {peer: \"leaf{rail}-{node}\"}",
		  "group c: count=0; wire ens1f0: wire.peer=leaf0-n; wire ens1f1: wire.peer=leaf1-n; " },
		{ "{ifname: \"ens1n*\"}, rails: {by: ifname}, wire: {peer: \"{ifname}.{rail}\"}",
		  "group c: count=0; wire ens1np0: wire.peer=ens1np0.0; wire ens1np0d1: wire.peer=ens1np0d1.1; " },
		/* the number is a criterion once the others have been looked at */
		{ "{ifname: \"ens1f*\", rail: 1}, rails: {by: pci}, mtu: 9000", "group c: count=0; netdev ens1f1: mtu=9000; " },
		{ "{ifname: \"ens1f*\", rail: 7}, rails: {by: pci}, mtu: 9000", "group c: count=0; " },
		{ "{ifname: \"ens1f*\"}, rails: {by: pci}, count: 2, wire: {peer: plain}",
		  "group c: count=2; wire ens1f0: wire.peer=plain; wire ens1f1: wire.peer=plain; " },
		/* GPUs 0 and 1 are below the roots of ens2f* and ens1f*: the order turns round */
		{ "{link: ethernet, function: pf, board: MT_1}, rails: {by: gpu}, wire: {peer: \"g{rail}\"}",
		  "group c: count=0; wire ens1f0: wire.peer=g2; wire ens1f1: wire.peer=g3; wire ens2f0: wire.peer=g0; wire ens2f1: wire.peer=g1; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };

		text_printf(&t, TOP "nodes: {n: {set: {ports: {c: {match: %s}}}}}\n", rows[i].body);
		expect(text_str(&t), "n", rows[i].wishes);
	}
	refuse(GROUP("{ifname: ens1f0}, wire: {peer: \"{rail}\"}"), "n", "wire.peer names {rail}, but group c does not number its ports", "");
	refuse(GROUP("{ifname: ens1f0}, wire: {peer: \"{rial}\"}"), "n", "wire.peer has braces with something else than {rail}, {node} or {ifname}", "");
	refuse(GROUP("{ifname: ens1f0, rail: 0}, mtu: 9000"), "n", "match.rail: group c does not number its ports", "add rails: {by: pci}");
}

static void rails_without_gpus(void **state)
{
	static const struct facts none = { .hostname = "n" };
	struct compiled c = compile(GROUP("{ifname: ens1f0}, rails: {by: gpu}, mtu: 9000"), "n");
	struct desired *desired;

	(void)state;
	assert_int_equal(c.r, 0);
	assert_true(policy_sees_gpus(c.p));
	assert_int_equal(policy_compile(c.p, "n", &none, &catalog, &desired, &c.d), -EINVAL);
	text_reset(&c.told);
	diags_print(&c.d, false, &c.told);
	assert_non_null(strstr(text_str(&c.told), "group c: rails by gpu: this machine shows no GPU"));
	done(&c);
	c = compile(GROUP("{ifname: ens1f0}, rails: {by: pci}, mtu: 9000"), "n");
	assert_false(policy_sees_gpus(c.p));
	done(&c);
}

/* --- exceptions ------------------------------------------------------------- */

#define EXCEPT(list) TOP "nodes:\n  n[1-9]:\n    set:\n      ports:\n        c:\n          match: {ifname: \"ens1f*\"}\n" \
	"          rails: {by: pci}\n          mtu: 9000\n          wire: {set: [3]}\n          except:\n" list

static void exceptions(void **state)
{
	static const char plain[] = "group c: count=0; wire ens1f0: wire.set=3; netdev ens1f0: mtu=9000; wire ens1f1: wire.set=3; netdev ens1f1: mtu=9000; ";
	static const struct {
		const char *text, *node, *wishes;
	} rows[] = {
		{ EXCEPT("          - {match: {pci: \"0000:03:00.1\"}, set: {mtu: 1500}, because: x}\n"), "n1",
		  "group c: count=0; wire ens1f0: wire.set=3; netdev ens1f0: mtu=9000; wire ens1f1: wire.set=3; netdev ens1f1: mtu=1500; " },
		{ EXCEPT("          - {match: {rail: 0}, set: {mtu: null, wire: {set: [4]}}, because: x}\n"), "n1",
		  "group c: count=0; wire ens1f0: wire.set=4; wire ens1f1: wire.set=3; netdev ens1f1: mtu=9000; " },
		{ EXCEPT("          - {nodes: n2, set: {mtu: 1500}, because: x}\n"), "n1", plain },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: x, until: 2026-11-29}\n"), "n1",
		  "group c: count=0; wire ens1f0: wire.set=3; netdev ens1f0: mtu=1500; wire ens1f1: wire.set=3; netdev ens1f1: mtu=1500; " },
		/* two that apply to one port, and say different things of it */
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: x}\n          - {match: {rail: 1}, set: {wire: {set: []}}, because: y}\n"), "n1",
		  "group c: count=0; wire ens1f0: wire.set=3; netdev ens1f0: mtu=1500; wire ens1f1: wire.set=none; netdev ens1f1: mtu=1500; " },
		{ EXCEPT("          - {match: {rail: 1}, set: {mtu: 1500}, because: x}\n          - {nodes: n1, set: {mtu: 1500}, because: y}\n"), "n1",
		  "group c: count=0; wire ens1f0: wire.set=3; netdev ens1f0: mtu=1500; wire ens1f1: wire.set=3; netdev ens1f1: mtu=1500; " },
		{ EXCEPT("           []\n"), "n1", plain },
		/* a member of a bond: its netdev is the bond */
		{ TOP "nodes: {n: {set: {ports: {c: {match: {ifname: \"ens2f*\"}, mtu: 9000, wire: {set: [3]}, "
		      "except: [{match: {ifname: ens2f1}, set: {mtu: 1500, wire: {set: []}}, because: x}]}}}}}\n", "n",
		  "group c: count=0; wire ens2f0: wire.set=3; netdev bond0: mtu=1500; wire ens2f1: wire.set=none; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].text, rows[i].node, rows[i].wishes);
}

static void exceptions_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}}\n"), "p:12:14: error: except: it does not say why" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: \"\"}\n"), "except: because is empty" },
		{ EXCEPT("          - {nodes: n1, because: x}\n"), "except: it sets nothing" },
		{ EXCEPT("          - {nodes: n1, set: {}, because: x}\n"), "except: set is empty" },
		{ EXCEPT("          - {set: {mtu: 1500}, because: x}\n"), "except: it names neither nodes nor ports" },
		{ EXCEPT("          - {nodes: \"n[\", set: {mtu: 1500}, because: x}\n"), "the node name \"n[\" has no number" },
		{ EXCEPT("          - {nodes: n1, set: {mtuu: 1500}, because: x}\n"), "unknown key \"mtuu\"" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 15}, because: x}\n"), "p:12:36: error: mtu is out of range" },
		{ EXCEPT("          - {nodes: n1, set: {count: 7}, because: x}\n"), "except: count belongs to the group, and no exception sets it" },
		{ EXCEPT("          - {nodes: n1, set: {match: {numa: 1}}, because: x}\n"), "except: match.numa belongs to the group" },
		{ EXCEPT("          - {nodes: n1, set: {except: []}, because: x}\n"), "except: except belongs to the group" },
		{ EXCEPT("          - {match: {numma: 1}, set: {mtu: 1500}, because: x}\n"), "unknown key \"numma\" in match" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, becuse: x, because: x}\n"), "unknown key \"becuse\"" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: x, until: 2027-02-29}\n"), "except: until is \"2027-02-29\", which is no date" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: x, until: soon}\n"), "except: until is \"soon\"" },
		{ EXCEPT("          - 5\n"), "except: a map of keys is due here" },
		{ EXCEPT("           5\n"), "except: a list" },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: x}\n          - {match: {rail: 1}, set: {mtu: 4200}, because: y}\n"),
		  "p:13:43: error: two exceptions match one port and set mtu of group c differently (lines 12 and 13)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refuse(rows[i].text, "n1", rows[i].says, "");
}

/* Told as a warning, and counted: whoever checks the node must not pass over it. */
static void exceptions_expire(void **state)
{
	static const struct {
		const char *text, *node, *says;
		size_t findings;
	} rows[] = {
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: riser, until: 2026-11-28}\n"), "n1",
		  "p:12:66: warning: an exception of group c has expired, and still counts; today is 2026-11-29", 1 },
		{ EXCEPT("          - {nodes: n1, set: {mtu: 1500}, because: riser, until: 2026-11-28}\n"), "n1", "hint: because: riser; remove it", 1 },
		{ EXCEPT("          - {nodes: n2, set: {mtu: 1500}, because: riser, until: 2026-11-28}\n"), "n1", "", 0 },
		{ EXCEPT("          - {nodes: n1, match: {rail: 5}, set: {mtu: 1500}, because: riser}\n"), "n1",
		  "p:12:14: warning: an exception of group c is for this node, and matches none of the group's ports", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct compiled c = compile(rows[i].text, rows[i].node);

		assert_int_equal(c.r, 0);
		assert_int_equal(c.desired->findings, rows[i].findings);
		if (!strstr(text_str(&c.told), rows[i].says))
			fail_msg("%s\nexpected: %s", text_str(&c.told), rows[i].says);
		done(&c);
	}
}

/* --- digests ---------------------------------------------------------------- */

static void digest(const char *text, char out[72])
{
	struct compiled c = compile(text, "n");

	if (c.r < 0)
		fail_msg("%s", text_str(&c.told));
	policy_desired_digest(c.p, c.desired);
	assert_int_equal(strlen(c.desired->digest), 71);
	assert_int_equal(strncmp(c.desired->digest, "sha256:", 7), 0);
	strcpy(out, c.desired->digest);
	done(&c);
}

/* Two values, or two names, that write alike if nothing is done about what stands between them. */
static void digests_that_look_alike(void **state)
{
#define NAMES(list) TOP "nodes: {n: {set: {ports: {c: {match: {numa: 0}, wire: {names: " list "}}}}}}\n"
#define CLASSES(map) TOP "fabric: {classes: {" map "}}\nnodes: {n: {set: {ports: {c: {match: {numa: 0}, mtu: 9000}}}}}\n"
	static const char *const pairs[][2] = {
		{ NAMES("[a, b]"), NAMES("['a\" \"b']") },
		{ NAMES("['a\\22']"), NAMES("['a\"']") },
		{ CLASSES("a: {priority: 3}, b: {priority: 4}"), CLASSES("\"a\\t3 3 0 0 0 -1\\nc\\tclass\\tb\": {priority: 4}") },
	};
	char first[72], second[72];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		digest(pairs[i][0], first);
		digest(pairs[i][1], second);
		assert_string_not_equal(first, second);
	}
}

static void digests(void **state)
{
	static const char base[] = TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
				       "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 0, function: pf}, wire: {set: fabric, map: {1: 2}}}}}}}\n";
	static const char *const same[] = {
		/* another order, a profile, a comment, a label, a revision, a node beside it, a class's default spelled out */
		TOP "revision: x\nfabric: {classes: {r: {lossless: true, priority: 3, tc: 3}}, mtu: 9000}\nprofiles:\n"
		    "  p: {node: {sysctl: {c.d: 2, a.b: 1}}, ports: {c: {wire: {map: {1: 2}, set: fabric}}}}\n"
		    "nodes: {m: {profiles: [p]}, n: {profiles: [p], labels: {x: y}, set: {node: {backlog: 5}, ports: {c: {match: {numa: 0, function: pf}}}}}}\n",
	};
	static const char *const others[] = {
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 4, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 0, function: pf}, wire: {set: fabric, map: {1: 2}}}}}}}\n",
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 6, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 0, function: pf}, wire: {set: fabric, map: {1: 2}}}}}}}\n",
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 3}}, ports: {c: {match: {numa: 0, function: pf}, wire: {set: fabric, map: {1: 2}}}}}}}\n",
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 0, function: pf}, wire: {set: [3], map: {1: 2}}}}}}}\n",
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 1, function: pf}, wire: {set: fabric, map: {1: 2}}}}}}}\n",
		TOP "fabric: {mtu: 9000, classes: {r: {priority: 3, lossless: true}}}\n"
		    "nodes: {n: {set: {node: {backlog: 5, sysctl: {a.b: 1, c.d: 2}}, ports: {c: {match: {numa: 0, function: pf}, optional: [wire], wire: {set: fabric, map: {1: 2}}}}}}}\n",
	};
	char first[72], second[72];

	(void)state;
	digest(base, first);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		digest(same[i], second);
		assert_string_equal(first, second);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		digest(others[i], second);
		assert_string_not_equal(first, second);
	}
}

/* The same on a machine whose ports are not there yet: a boot unit compares it while they appear. */
static void digest_without_ports(void **state)
{
	static const char text[] = TOP "nodes: {n: {set: {ports: {c: {match: {numa: 0}, mtu: 9000}}}}}\n";
	static const struct facts none = { .hostname = "n" };
	struct compiled c = compile(text, "n");
	struct desired *empty;

	(void)state;
	assert_int_equal(policy_compile(c.p, "n", &none, &catalog, &empty, &c.d), 0);
	policy_desired_digest(c.p, c.desired);
	policy_desired_digest(c.p, empty);
	assert_string_equal(c.desired->digest, empty->digest);
	assert_int_equal(empty->n, 1);
	assert_string_equal(empty->policy_digest, c.desired->policy_digest);
	assert_string_equal(empty->policy_file, "p");
	assert_string_equal(empty->node, "n");
	assert_string_equal(empty->revision, "");
	done(&c);
}

static void optional(void **state)
{
	struct compiled c = compile(GROUP("{ifname: ens1f0}, optional: [wire.set, mtu], mtu: 9000"), "n");

	(void)state;
	assert_int_equal(c.r, 0);
	assert_string_equal(c.desired->wish[1].optional[0], "wire.set");
	assert_string_equal(c.desired->wish[1].optional[1], "mtu");
	assert_null(c.desired->wish[1].optional[2]);
	done(&c);
}

/* --- all nodes -------------------------------------------------------------- */

static void visit(const struct policy_group *g, void *arg, struct diags *d)
{
	struct text *t = arg;

	text_printf(t, "%s/%s", g->node, g->group);
	if (*g->driver)
		text_printf(t, "(%s)", g->driver);
	assert_int_equal(g->n, 7);
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->record[i]->n; k++)
			if (g->record[i]->at[k].state == CELL_VALUE) {
				text_printf(t, " %s=", g->record[i]->at[k].name);
				value_print(g->record[i]->at[k].field, &g->record[i]->at[k].value, t);
			}
	text_add(t, "; ");
	diag_warning(d, NULL, "visited %s", g->group);
}

static void each(void **state)
{
	static const struct {
		const char *text, *node, *visits;
		size_t warnings;
	} rows[] = {
		{ RANKS("  n1: {profiles: [two]}\n  n2: {profiles: [two]}\n  n3: {profiles: [two], labels: {a: b}}\n"), NULL,
		  "n1/ backlog=2; ", 1 },
		{ RANKS("  n1: {profiles: [two]}\n  n2: {set: {node: {backlog: 3}}}\n"), NULL, "n1/ backlog=2; n2/ backlog=3; ", 1 },
		{ RANKS("  n1: {profiles: [two]}\n  n2: {set: {node: {backlog: 3}}}\n"), "n2", "n2/ backlog=3; ", 1 },
		/* what overlaps: only the first, both, only the second */
		{ RANKS("  n[1-5]: {set: {node: {backlog: 3}}}\n  n[4-9]: {set: {node: {sysctl: {a.b: 4}}}}\n"), NULL,
		  "n1/ backlog=3; n5/ backlog=3 sysctl.a.b=4; n6/ sysctl.a.b=4; ", 1 },
		{ RANKS("  n[1-9]: {set: {node: {backlog: 3}}}\n  n7.x.y: {set: {node: {backlog: 4}}}\n"), NULL, "n1/ backlog=3; n7.x.y/ backlog=4; ", 1 },
		{ RANKS("  n*: {set: {node: {backlog: 3}}}\n"), NULL, "n0/ backlog=3; ", 1 },
		{ TOP "fabric: {mtu: 9000}\nnodes: {n: {set: {ports: {c: {match: {driver: mlx5_core}, mtu: fabric}}}}}\n", NULL,
		  "n/; n/c(mlx5_core) mtu=9000; ", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text visits = { 0 };
		struct arena *a = arena_new();
		struct policy *p;
		struct diags d;

		diags_init(&d, a);
		assert_int_equal(policy_parse(a, "p", rows[i].text, strlen(rows[i].text), &catalog, &p, &d), 0);
		assert_int_equal(policy_each(p, rows[i].node, &catalog, visit, &visits, &d), 0);
		if (strcmp(text_str(&visits), rows[i].visits) != 0)
			fail_msg("%s\nvisits:   %s\nexpected: %s", rows[i].text, text_str(&visits), rows[i].visits);
		assert_int_equal(d.warnings, rows[i].warnings);	/* told twice is told once */
		arena_free(a);
	}
}

/* What no example would find: crossing brackets, cohorts by hash, exceptions of nodes that are one of many. */
static void each_finds(void **state)
{
	static const struct {
		const char *text, *says;
		size_t errors;
	} rows[] = {
		{ RANKS("  \"x[1,5]y[1,5]\": {set: {node: {backlog: 3}}}\n  \"x[2,5]y[2,5]\": {set: {node: {backlog: 4}}}\n"),
		  "set backlog differently (lines 7 and 8)", 1 },
		{ RANKS("  \"x[1,5]y[1,5]\": {set: {node: {backlog: 3}}}\n  \"x[2,5]y[2,4]\": {set: {node: {backlog: 4}}}\n"), "", 0 },
		{ RANKS("  \"x[1,5]y[1,5]\": {set: {node: {backlog: 3}}}\n") "cohorts:\n  a: {nodes: \"x[2,5]y[2,5]\", set: {node: {backlog: 7}}}\n"
		  "  b: {nodes: \"x[4-5]y[3-5/2]\", set: {node: {backlog: 8}}}\n", "set backlog differently (lines 9 and 10)", 1 },
		{ RANKS("  n[1-5]: {profiles: [base]}\n") "cohorts: {a: {hash: 1%, set: {node: {backlog: 7}}}, b: {hash: 1%, set: {node: {backlog: 8}}}}\n",
		  "set backlog differently", 1 },
		{ RANKS("  n[1-5]: {profiles: [base]}\n") "cohorts: {a: {hash: 1%, set: {node: {backlog: 7}}}, b: {hash: 1%, set: {node: {backlog: 7}}}}\n", "", 0 },
		{ RANKS("  n[1-5]: {profiles: [base]}\n") "cohorts: {a: {nodes: \"n[6-9]\", set: {node: {backlog: 7}}}}\n",
		  "warning: cohort a: none of its nodes is in nodes, so it never takes effect", 0 },
		{ RANKS("  n[1-5]: {profiles: [base]}\n  n7: {}\n") "cohorts: {a: {nodes: \"n[6-9]\", set: {node: {backlog: 7}}}}\n", "", 0 },
		{ RANKS("  n[1-5]: {profiles: [base], labels: {row: a}}\n") "cohorts: {a: {labels: {row: b}, set: {node: {backlog: 7}}}}\n",
		  "warning: cohort a: no node has label row: b, so it never takes effect", 0 },
		{ TOP "nodes: {\"n[1-9]\": {set: {ports: {c: {match: {numa: 0}, except: [{nodes: n7, set: {wire: {shares: fabric}}, because: x}]}}}}}\n",
		  "wire.shares: group c belongs to no fabric", 1 },
		{ TOP "nodes: {\"n[1-9]\": {set: {ports: {c: {match: {numa: 0}, except: [{nodes: n10, set: {mtu: 1500}, because: x}]}}}}}\n",
		  "warning: exception of group c: none of its nodes is in nodes, so it never applies", 0 },
		/* an error of one group does not hide those that follow from values of another */
		{ TOP "nodes: {n: {set: {ports: {c: {match: {numa: 0}, mtu: 1}, d: {match: {numa: 1}, mtu: fabric}}}}}\n",
		  "mtu: group d belongs to no fabric", 2 },
		{ TOP "nodes: {n: {set: {ports: {c: {match: {numma: 0}, mtu: fabric}}}}}\n", "unknown key \"numma\" in match", 1 },
		{ TOP "fabric: {mtu: 1}\nnodes: {n: {set: {ports: {c: {match: {numa: 0}, mtu: fabric}}}}}\n", "out of range", 1 },
		{ TOP "nodes: {n: {profiles: [x], set: {ports: {c: {mtu: fabric}}}}}\n", "there is no profile \"x\"", 1 },
		/* one word, one error */
		{ TOP "nodes: {n: {set: {ports: {c: {match: {numa: 0}, wire: fabric}}}}}\n",
		  "wire.map, wire.shares, wire.set, wire.names and wire.peer: group c belongs to no fabric", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text visits = { 0 }, told = { 0 };
		struct arena *a = arena_new();
		struct policy *p;
		struct diags d;
		int r;

		diags_init(&d, a);
		r = policy_parse(a, "p", rows[i].text, strlen(rows[i].text), &catalog, &p, &d);
		if (policy_each(p, NULL, &catalog, visit, &visits, &d) < 0)
			r = -EINVAL;
		diags_print(&d, false, &told);
		if (d.errors != rows[i].errors || !strstr(text_str(&told), rows[i].says) || (r < 0) != (d.errors > 0) ||
		    (!*rows[i].says && strstr(text_str(&told), "never")))
			fail_msg("%s\n%s\nexpected: %zu errors, %s", rows[i].text, text_str(&told), rows[i].errors, rows[i].says);
		arena_free(a);
	}
}

static void each_refuses(void **state)
{
	static const char text[] = RANKS("  n[1-5]: {set: {node: {backlog: 3}}}\n  n[5-9]: {set: {node: {backlog: 4}}}\n");
	TEXT_CLEANUP struct text visits = { 0 }, told = { 0 };
	struct arena *a = arena_new();
	struct policy *p;
	struct diags d;

	(void)state;
	diags_init(&d, a);
	assert_int_equal(policy_parse(a, "p", text, strlen(text), &catalog, &p, &d), 0);
	assert_int_equal(policy_each(p, NULL, &catalog, visit, &visits, &d), -EINVAL);
	assert_int_equal(d.errors, 1);
	assert_int_equal(policy_each(p, "m1", &catalog, visit, &visits, &d), -EINVAL);
	diags_print(&d, false, &told);
	assert_non_null(strstr(text_str(&told), "set backlog differently (lines 7 and 8)"));
	assert_non_null(strstr(text_str(&told), "no entry of nodes matches \"m1\""));
	arena_free(a);
}

/* Many nodes that say the same are few kinds. */
static void each_many(void **state)
{
	TEXT_CLEANUP struct text t = { 0 }, visits = { 0 };
	struct arena *a = arena_new();
	struct policy *p;
	struct diags d;

	(void)state;
	text_add(&t, TOP "nodes:\n  n[0-999999999]: {set: {node: {sysctl: {a.b: 1}}}}\n");
	for (int i = 20000; i > 0; i--)
		text_printf(&t, "  n%d: {labels: {i: %d}, set: {node: {backlog: %d}}}\n", i, i, i % 3 + 1);
	diags_init(&d, a);
	assert_int_equal(policy_parse(a, "p", t.s, t.n, &catalog, &p, &d), 0);
	assert_int_equal(policy_each(p, NULL, &catalog, visit, &visits, &d), 0);
	assert_string_equal(text_str(&visits), "n0/ sysctl.a.b=1; n20000/ backlog=3 sysctl.a.b=1; "
					       "n19999/ backlog=2 sysctl.a.b=1; n19998/ backlog=1 sysctl.a.b=1; ");
	arena_free(a);
}

/* --- where values come from ------------------------------------------------- */

static void keep_origin(const struct policy_origin *o, void *arg)
{
	struct text *t = arg;

	text_printf(t, "%s/%s=", o->group, o->name);
	if (o->cell->state == CELL_VALUE)
		value_print(o->cell->field, &o->cell->value, t);
	for (size_t i = 0; i < o->n; i++) {
		const struct policy_saying *said = &o->said[i];

		text_printf(t, " %s%u:%s(%s%s%s)", said->except ? "!" : said->why ? "<" : "", said->pos.line, said->value, said->who,
			    said->why ? ": " : "", said->why ? said->why : "");
	}
	text_add(t, "; ");
}

static void origins(void **state)
{
	static const char text[] = TOP "fabric: {mtu: 9000}\nprofiles:\n  a: {node: {backlog: 1, sysctl: {a.b: 1}}}\n"	/* line 4 */
		"  b: {extends: [a], node: {backlog: 2}, ports: {c: {match: {numa: 0}, mtu: fabric, wire: {map: {1: 1}, set: [3]}}}}\n"
		"  d: {node: {backlog: 3}, ports: {c: {wire: {map: {2: 2}}}}}\n"
		"nodes:\n  \"n*\": {profiles: [b, d]}\n  n[1-5]: {set: {node: {backlog: 4, sysctl: null}, ports: {c: {wire: {map: {1: null}}}}}}\n"
		"  n1: {set: {node: {sysctl: {a.b: 7}}, ports: {c: {mtu: null, except: [{nodes: n1, set: {mtu: 1500}, because: cable}]}}}}\n"
		"cohorts: {x: {nodes: n1, set: {node: {backlog: 5}, ports: {c: {wire: {set: [4]}}}}}}\n";
	static const struct {
		const char *node, *group, *key, *told;
	} rows[] = {
		{ "n1", NULL, "backlog",
		  "/backlog=5 11:5(cohort x) <9:4(set of nodes n[1-5]: a cohort beats what nodes and profiles say) "
		  "<6:3(profile d, of nodes n*: a cohort beats what nodes and profiles say) "
		  "<5:2(profile b, of nodes n*: a cohort beats what nodes and profiles say) "
		  "<4:1(profile a, of nodes n*: a cohort beats what nodes and profiles say); " },
		{ "n2", NULL, "backlog",
		  "/backlog=4 9:4(set of nodes n[1-5]) <6:3(profile d, of nodes n*: a host list beats a glob) "
		  "<5:2(profile b, of nodes n*: a host list beats a glob) <4:1(profile a, of nodes n*: a host list beats a glob); " },
		{ "n7", NULL, "backlog",
		  "/backlog=3 6:3(profile d, of nodes n*) <5:2(profile b, of nodes n*: a later profile beats an earlier one) "
		  "<4:1(profile a, of nodes n*: a later profile beats an earlier one); " },
		{ "n1", NULL, "sysctl", "/sysctl.a.b=7 10:7(set of nodes n1) <9:null(set of nodes n[1-5]: an exact name beats a list or a glob) "
		  "<4:1(profile a, of nodes n*: an exact name beats a list or a glob); " },
		{ "n1", "c", "mtu", "c/mtu= 10:null(set of nodes n1) <5:fabric(profile b, of nodes n*: an exact name beats a list or a glob) "
		  "!10:1500(cable); " },
		{ "n7", "c", "mtu", "c/mtu=9000 5:fabric(profile b, of nodes n*); " },
		{ "n7", "c", "wire.map", "c/wire.map=1:1 2:2 6:2:2(profile d, of nodes n*) 5:1:1(profile b, of nodes n*); " },
		{ "n7", "d", "mtu", "" },
		{ "n7", NULL, "cm", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		struct arena *a = arena_new();
		struct policy *p;
		struct diags d;
		int n;

		diags_init(&d, a);
		assert_int_equal(policy_parse(a, "p", text, strlen(text), &catalog, &p, &d), 0);
		n = policy_origins(p, rows[i].node, rows[i].group, rows[i].key, &catalog, keep_origin, &t, &d);
		if (strcmp(text_str(&t), rows[i].told) != 0 || n != (*rows[i].told != 0))
			fail_msg("%s %s: %d %s\nexpected: %s", rows[i].node, rows[i].key, n, text_str(&t), rows[i].told);
		assert_int_equal(policy_origins(p, "other", NULL, "backlog", &catalog, keep_origin, &t, &d), -EINVAL);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),	cmocka_unit_test(target_list),	cmocka_unit_test(matching),
		cmocka_unit_test(two_groups),	cmocka_unit_test(precedence),	cmocka_unit_test(maps),
		cmocka_unit_test(groups_over),	cmocka_unit_test(conflicts),	cmocka_unit_test(unknown_node),
		cmocka_unit_test(classes),	cmocka_unit_test(derived_once), cmocka_unit_test(digests),
		cmocka_unit_test(digests_that_look_alike),
		cmocka_unit_test(digest_without_ports), cmocka_unit_test(optional), cmocka_unit_test(each),
		cmocka_unit_test(each_refuses), cmocka_unit_test(each_many), cmocka_unit_test(each_finds), cmocka_unit_test(cohorts),
		cmocka_unit_test(cohorts_refused), cmocka_unit_test(rails), cmocka_unit_test(rails_without_gpus),
		cmocka_unit_test(exceptions), cmocka_unit_test(exceptions_refused), cmocka_unit_test(exceptions_expire), cmocka_unit_test(origins),
	};

	return cmocka_run_group_tests(tests, machine, NULL);
}
