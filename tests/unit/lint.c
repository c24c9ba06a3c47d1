/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/lint, by groups made here: the words of findings and their edges, more of them than a fixture for each rule (which
 * are in tests/cases/lint, see lint_fixtures.c). A group that wakes another rule fails.
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
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"

enum { VALUES = 10 };

struct fixture {
	const char *rule;
	bool fires;
	const char *driver;		/* NULL: the group names none */
	const struct fabric *fabric;
	const char *values[VALUES];	/* "NAME VALUE", in the order of their lines */
	const char *what, *hint;	/* where it matters; NULL: not looked at */
	size_t findings;		/* 0: one if it fires */
};

/* --- groups ------------------------------------------------------------------ */

struct built {
	struct arena *a;
	const struct catalog *c;
	struct policy_group group;
	struct record **record;
	struct source source;
};

static void build(struct built *b)
{
	b->a = arena_new();
	b->c = catalog_default();
	b->record = arena_array_of(b->a, struct record *, b->c->nsettings);
	for (size_t i = 0; i < b->c->nsettings; i++)
		b->record[i] = record_new(b->a, b->c->setting[i]);
	b->source = (struct source){ .name = "policy.yaml" };
	b->group = (struct policy_group){ .node = "gpu0001", .group = "compute", .driver = "", .record = b->record,
					  .n = b->c->nsettings };
}

/* "0-63:0 26:3", or "0:40% 6:strict"; a single key beats a range by standing behind it. */
static void fill_map(const struct field *f, uint8_t *map, size_t n, char *entries, struct arena *a)
{
	memset(map, VALUE_UNSET, n);
	for (char *entry = strtok(entries, " "); entry; entry = strtok(NULL, " ")) {
		char *colon = strchr(entry, ':');
		unsigned first, last;
		const char *why;
		uint8_t v;

		assert_non_null(colon);
		*colon = '\0';
		assert_int_equal(value_parse_keys(f, entry, &first, &last, &why), 0);
		assert_int_equal(value_parse_entry(f, colon + 1, &v, a, &why), 0);
		memset(map + first, v, last - first + 1);
	}
}

static void fill_amounts(const struct field *f, int64_t amount[AMOUNTS], char *entries, struct arena *a)
{
	for (unsigned i = 0; i < AMOUNTS; i++)
		amount[i] = AMOUNT_UNSET;
	for (char *entry = strtok(entries, " "); entry; entry = strtok(NULL, " ")) {
		const char *why;

		assert_true(entry[0] >= '0' && entry[0] < '8' && entry[1] == ':');
		assert_int_equal(value_parse_amount(f, entry + 2, &amount[entry[0] - '0'], a, &why), 0);
	}
}

static void set_value(struct built *b, const struct field *f, struct cell *cell, const char *text)
{
	char *copy = arena_strdup(b->a, text);
	uint8_t map[64], v;
	const char *why = NULL;
	int64_t set = 0, amount[AMOUNTS];

	switch (f->kind) {
	case KIND_MAP:
	case KIND_SHARES:
		fill_map(f, map, f->kind == KIND_MAP ? f->span : 8, copy, b->a);
		cell_set_map(cell, b->a, map, f->kind == KIND_MAP ? f->span : 8);
		break;
	case KIND_AMOUNTS:
		fill_amounts(f, amount, copy, b->a);
		cell_set_amounts(cell, b->a, amount);
		break;
	case KIND_SET:
		for (char *one = strtok(copy, " "); one; one = strtok(NULL, " ")) {
			assert_int_equal(value_parse_entry(f, one, &v, b->a, &why), 0);
			set |= INT64_C(1) << v;
		}
		cell_set_num(cell, set);
		break;
	default:
		if (value_parse(f, text, &cell->value, b->a, &why) < 0)
			fail_msg("%s: %s %s", f->name, text, why);
		cell->state = CELL_VALUE;
	}
}

/* The cell of @name; for `*` fields one is made. */
static struct cell *cell_of(struct built *b, const struct field *f, const struct setting *s, const char *name)
{
	struct record *r = NULL;
	char *stars = arena_strdup(b->a, name), *option;

	for (size_t i = 0; i < b->c->nsettings; i++)
		if (b->c->setting[i] == s)
			r = b->record[i];
	if (!strchr(f->name, '*'))
		return record_find(r, name);
	if (!strncmp(name, "sysctl.", 7))
		return record_named(r, (unsigned)(f - s->fields), stars + 7, NULL);
	option = strstr(stars, ".options.");
	assert_non_null(option);
	*option = '\0';
	return record_named(r, (unsigned)(f - s->fields), stars + strlen("modules."), option + strlen(".options."));
}

static void set(struct built *b, const char *assignment, unsigned line)
{
	const char *blank = strchr(assignment, ' ');
	char *name = arena_strndup(b->a, assignment, (size_t)(blank - assignment));
	const struct setting *s = NULL;
	const struct field *f = catalog_field(b->c, name, &s);
	struct cell *cell;

	if (!f)
		fail_msg("no setting %s", name);
	cell = cell_of(b, f, s, name);
	assert_non_null(cell);
	set_value(b, f, cell, blank + 1);
	cell->pos = (struct pos){ .source = &b->source, .line = line, .col = 10, .len = 1 };
}

static void judge(struct built *b, const struct fixture *f, struct diags *d)
{
	struct lint l;

	build(b);
	diags_init(d, b->a);
	if (f->driver)
		b->group.driver = f->driver;
	b->group.fabric = f->fabric;
	for (unsigned i = 0; i < VALUES && f->values[i]; i++)
		set(b, f->values[i], i + 1);
	lint_init(&l, b->c, d);
	lint_visit(&b->group, &l, d);
}

/* --- fixtures ---------------------------------------------------------------- */

#define BIT(n) (UINT64_C(1) << (n))

static struct traffic_class classes[] = {
	{ .name = "rdma", .priority = 3, .tc = 3, .dscp = BIT(26), .lossless = true, .bandwidth_percent = 60 },
	{ .name = "cnp", .priority = 6, .tc = 6, .dscp = BIT(48), .strict = true, .bandwidth_percent = -1 },
	{ .name = "default", .priority = 0, .dscp = ~(BIT(26) | BIT(48)), .bandwidth_percent = 40 },
};
static const struct fabric fabric = { .name = "backend", .at = classes, .n = 3 };

static struct traffic_class no_lossless[] = {
	{ .name = "rdma", .priority = 3, .tc = 3, .dscp = BIT(26), .bandwidth_percent = 60 },
	{ .name = "cnp", .priority = 6, .tc = 6, .dscp = BIT(48), .strict = true, .bandwidth_percent = -1 },
	{ .name = "default", .priority = 0, .dscp = ~(BIT(26) | BIT(48)), .bandwidth_percent = 40 },
};
static const struct fabric lossy = { .name = "backend", .at = no_lossless, .n = 3 };

#define WHOLE_MAP "qos.dscp 0-63:0 26:3 48:6"

static const struct fixture fixtures[] = {
	/* the case of the four facts: which DSCP, where it goes, what PFC is on for, and in which lines */
	{ "data-dscp-not-lossless", true,
	  .values = { "qos.trust dscp", "roce.tos 104", "ecn.cnp.dscp 48", "qos.dscp 26:3 48:6", "qos.pfc 4" },
	  .what = "RoCE DSCP 26 goes to priority 3 (line 4), but PFC is on for {4} only: RoCE would be lossy",
	  .hint = "turn PFC on for priority 3 (qos.pfc: [3]), or map DSCP 26 to one of {4} (qos.dscp: {26: 4})" },
	{ "data-dscp-not-lossless", false,
	  .values = { "qos.trust dscp", "roce.tos 104", "ecn.cnp.dscp 48", "qos.dscp 26:3 48:6", "qos.pfc 3" } },
	/* what nobody marked is no data: PFC on its priority is no way out */
	{ "data-dscp-not-lossless", true, .values = { "roce.tos 0", WHOLE_MAP, "qos.pfc 3" },
	  .hint = "mark RoCE with a DSCP that goes to {3}: roce.tos: 104, which is DSCP 26" },
	{ "data-dscp-not-lossless", true, .fabric = &fabric, .values = { "roce.tos 0", WHOLE_MAP, "qos.pfc 3" },
	  .hint = "mark RoCE with a DSCP that goes to {3}: roce.tos: rdma" },
	{ "data-dscp-not-lossless", true, .values = { "roce.tos 104", "qos.dscp 0-63:0 24:3", "qos.pfc 3" },
	  .hint = "map DSCP 26 to one of {3} (qos.dscp: {26: 3})" },
	/* `ecn: fabric` where no class is lossless is congestion control for none */
	{ "ecn-misses-data", true, .fabric = &lossy,
	  .values = { "roce.tos 104", WHOLE_MAP, "qos.pfc  ", "ecn.np  ", "ecn.rp  " }, .findings = 2,
	  .what = "ecn.np is on for no priority, but RoCE DSCP 26 goes to priority 3",
	  .hint = "`fabric` is the lossless priorities, and there are none: write ecn: {np: [3], rp: [3], cnp: fabric}, and "
		  "optional: [ecn.np, ecn.rp] for drivers without such a switch" },
	{ "ecn-misses-data", false, .fabric = &lossy,
	  .values = { "roce.tos 104", WHOLE_MAP, "qos.pfc  ", "ecn.np 3", "ecn.rp 3" } },
	/* nobody says which DSCP is data: all entries but the CNPs' are lossy */
	{ "data-dscp-not-lossless", true, .values = { "ecn.cnp.dscp 48", "qos.dscp 26:3 48:6", "qos.pfc 4" },
	  .what = "RoCE DSCP 26 goes to priority 3 (line 2), but PFC is on for {4} only: RoCE would be lossy" },
	{ "data-dscp-not-lossless", false, .values = { "ecn.cnp.dscp 48", "qos.dscp 26:3 34:4 48:6", "qos.pfc 4" } },
	/* a class says lossless, and the spelled out values say else */
	{ "data-dscp-not-lossless", true, .fabric = &fabric, .values = { WHOLE_MAP, "qos.pfc 4" } },
	{ "data-dscp-not-lossless", true, .fabric = &fabric, .values = { WHOLE_MAP, "qos.pfc  " },
	  .what = "RoCE DSCP 26 goes to priority 3 (line 1), but PFC is on for {} only: RoCE would be lossy",
	  .hint = "turn PFC on for priority 3 (qos.pfc: [3]), or take lossless from the class of DSCP 26" },
	{ "data-dscp-not-lossless", false, .fabric = &fabric, .values = { WHOLE_MAP, "qos.pfc 3" } },
	{ "data-dscp-not-lossless", false,
	  .values = { "roce.tos 104", WHOLE_MAP, "qos.pfc  " } }, /* lossy RoCE, by choice */
	{ "trust-pcp", true, .values = { "qos.trust pcp", "roce.tos 104", WHOLE_MAP, "qos.pfc 4" },
	  .what = "RoCE is marked with DSCP 26, but the port trusts PCP, which untagged packets lack" },
	{ "data-dscp-not-lossless", false, .values = { "roce.tos 104", "qos.pfc 4" } }, /* the map is not ours */

	{ "data-dscp-not-mapped", true,
	  .values = { "roce.tos 104", "ecn.cnp.dscp 48", "qos.dscp 0:0 48:6", "qos.pfc 3" },
	  .what = "RoCE DSCP 26 is not named in the map, so its priority is whatever the port has" },
	{ "data-dscp-not-mapped", false,
	  .values = { "roce.tos 104", "ecn.cnp.dscp 48", "qos.dscp 26:3 48:6", "qos.pfc 3" } },
	{ "data-dscp-not-mapped", false, .values = { "roce.tos 104", "qos.dscp 48:6", "qos.pfc  " } },

	{ "too-many-lossless", true, .values = { "qos.pfc 3 4 5" },
	  .what = "3 lossless priorities {3,4,5}: buffers hold headroom for two" },
	{ "too-many-lossless", false, .values = { "qos.pfc 3 4" } },

	{ "pfc-without-buffer", true, .values = { "buffer.sizes 0:128KiB 1:0", "buffer.prio 3:1", "qos.pfc 3" },
	  .what = "priority 3 has PFC and receive buffer 1, which has 0 bytes: with at least 12040 bytes of xoff it needs 21504" },
	{ "pfc-without-buffer", true, .values = { "buffer.sizes 1:21503", "buffer.prio 3:1", "qos.pfc 3" } },
	{ "pfc-without-buffer", false, .values = { "buffer.sizes 1:21504", "buffer.prio 3:1", "qos.pfc 3" } },
	{ "pfc-without-buffer", true, .values = { "buffer.sizes 1:65535", "buffer.prio 3:1", "qos.pfc 3", "mtu 9000",
						  "link.speed 100Gb/s", "buffer.cable 7m" } },
	{ "pfc-without-buffer", false, .values = { "buffer.sizes 1:65536", "buffer.prio 3:1", "qos.pfc 3", "mtu 9000",
						   "link.speed 100Gb/s", "buffer.cable 7m" } },
	{ "pfc-without-buffer", false, .values = { "buffer.sizes 1:0", "buffer.prio 3:0", "qos.pfc 3" } },
	{ "pfc-without-buffer", false, .values = { "buffer.sizes 1:0", "buffer.prio 3:1", "qos.pfc  " } },
	{ "pause-with-pfc", true, .values = { "pause.rx true", "pause.tx false", "qos.pfc 3" },
	  .what = "pause.rx is on, and PFC for {3}: a port has one or the other" },
	{ "pause-with-pfc", true, .values = { "pause.rx true", "pause.tx true", "qos.pfc 3" }, .findings = 2 },
	{ "pause-with-pfc", false, .values = { "pause.rx true", "pause.tx true", "qos.pfc  " } },
	{ "pause-with-pfc", false, .values = { "pause.rx true", "pause.tx true" } },
	{ "pause-with-pfc", false, .values = { "pause.rx false", "pause.tx false", "qos.pfc 3" } },

	{ "cnp-on-lossless", true,
	  .values = { "ecn.cnp.dscp 48", "qos.dscp 0-63:0 26:3 48:3", "qos.ets 0:40% 3:60%", "qos.pfc 3" },
	  .what = "CNP DSCP 48 goes to priority 3, which PFC can pause" },
	{ "dscp-not-of-class", true, .fabric = &fabric, .values = { "qos.dscp 0-63:0 26:3 48:3", "qos.pfc 3" },
	  .what = "DSCP 48 goes to priority 3, but class cnp is priority 6" },
	{ "cnp-on-lossless", false, .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.pfc 3" } },

	{ "cnp-with-others", true, .values = { "ecn.cnp.dscp 48", "qos.dscp 0-63:0 26:3", "qos.pfc 3" },
	  .what = "CNP DSCP 48 shares priority 0 with DSCP 0" },
	{ "cnp-with-others", false, .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.pfc 3" } },

	{ "cnp-not-strict", true, .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.ets 0:30% 3:60% 6:10%", "qos.pfc 3" },
	  .what = "CNP DSCP 48 goes to priority 6, whose traffic class 6 is not strict" },
	{ "cnp-not-strict", true,
	  .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.tc 0:0 3:3 6:5", "qos.ets 0:30% 3:60% 5:10% 6:strict" } },
	{ "cnp-not-strict", false,
	  .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.tc 0:0 3:3 6:5", "qos.ets 0:40% 3:60% 5:strict" } },
	{ "cnp-not-strict", false, .values = { "ecn.cnp.dscp 48", WHOLE_MAP, "qos.ets 0:40% 3:60% 6:strict" } },

	{ "tc-without-share", true, .values = { "qos.tc 0:0 1:1 2:2 3:3", "qos.ets 0:40% 3:60%" },
	  .what = "traffic classes {1,2} are those of priorities {1,2}, but qos.ets gives them no share" },
	{ "tc-without-share", true, .values = { "qos.tc 0:0 1:1 2:1 3:3", "qos.ets 0:40% 3:60%" },
	  .what = "traffic class 1 is that of priorities {1,2}, but qos.ets gives it no share" },

	{ "tos-taken-for-dscp", true, .values = { "roce.tos 26", WHOLE_MAP, "qos.pfc 3" },
	  .what = "roce.tos 26 is DSCP 6, not DSCP 26",
	  .hint = "ToS is DSCP × 4: for DSCP 26 write tos: 104, or the name of its class" },
	{ "tos-taken-for-dscp", true, .values = { "roce.tos 26", "qos.dscp 26:3", "qos.pfc 3" } },
	{ "tos-taken-for-dscp", false, .values = { "roce.tos 104", WHOLE_MAP, "qos.pfc 3" } },
	{ "tos-taken-for-dscp", false,
	  .values = { "roce.tos 106", WHOLE_MAP, "qos.pfc 3" } }, /* DSCP 26 and an ECN bit */
	{ "tos-taken-for-dscp", false,
	  .values = { "roce.tos 26", "qos.dscp 0-63:0 6:3", "qos.pfc 3" } }, /* DSCP 6 is meant */

	{ "dscp-map-in-part", true, .driver = "mlx5_core", .values = { "qos.dscp 26:3 48:6" },
	  .what = "2 of 64 DSCPs are named, but mlx5_core activates all 64 with the first entry" },
	{ "dscp-map-in-part", true, .driver = "mlx5_core", .values = { "qos.dscp 0-62:0" } },
	{ "dscp-map-in-part", false, .driver = "mlx5_core", .values = { WHOLE_MAP } },
	{ "dscp-map-in-part", false, .driver = "bnxt_en", .values = { "qos.dscp 26:3 48:6" } },
	{ "dscp-map-in-part", false, .values = { "qos.dscp 26:3 48:6" } },

	{ "roce-mtu-below-step", true, .driver = "mlx5_core", .values = { "mtu 4096" },
	  .what = "netdev MTU 4096 yields RoCE MTU 2048; set 4200" },
	{ "roce-mtu-below-step", true, .driver = "mlx5_core", .values = { "mtu 4191" } },
	{ "roce-mtu-below-step", false, .driver = "mlx5_core", .values = { "mtu 4192" } },
	{ "roce-mtu-below-step", false, .driver = "mlx5_core",
	  .values = { "mtu 4095" } }, /* far from the step: meant */
	{ "roce-mtu-below-step", true, .driver = "mlx5_core", .values = { "mtu 2048" },
	  .what = "netdev MTU 2048 yields RoCE MTU 1024; set 2200" },
	{ "roce-mtu-below-step", true, .driver = "mlx5_core", .values = { "mtu 351" },
	  .what = "netdev MTU 351 leaves no room for RoCE; set at least 352" },
	{ "roce-mtu-below-step", false, .driver = "mlx5_core", .values = { "mtu 1500" } },
	{ "roce-mtu-below-step", false, .driver = "mlx5_core", .values = { "mtu 9000" } },
	{ "roce-mtu-below-step", false, .driver = "ice", .values = { "mtu 9000" } },

	{ "sysctl-mem-max", true, .values = { "sysctl.net.core.rmem_max 16777216" },
	  .what = "net.core.rmem_max bounds socket buffers, which RDMA does not use" },
	{ "sysctl-mem-max", true, .values = { "sysctl.net/core/wmem_max 2147483647" } },
	{ "sysctl-mem-max", false, .values = { "sysctl.net.core.optmem_max 2147483647" } },
	{ "sysctl-mem-max", false, .values = { "sysctl.net.core.rmem_maximum 1" } },

	{ "sysctl-mem-default", true, .values = { "sysctl.net.core.rmem_default 16777216" },
	  .what = "net.core.rmem_default is given to every socket of the node, and to no RDMA queue" },
	{ "sysctl-mem-default", false, .values = { "sysctl.net.ipv4.tcp_rmem 4096 131072 6291456" } },

	{ "rp-filter-strict", true, .values = { "sysctl.net.ipv4.conf.e0.rp_filter 1" },
	  .what = "net.ipv4.conf.e0.rp_filter is 1: with several ports in one subnet packets are dropped by the port that does not "
		  "answer" },
	{ "rp-filter-strict", true, .values = { "sysctl.net/ipv4/conf/eth0.100/rp_filter 1" } },
	{ "rp-filter-strict", false, .values = { "sysctl.net.ipv4.conf.e0.rp_filter 2" } },
	{ "rp-filter-strict", false, .values = { "sysctl.net.ipv6.conf.e0.rp_filter 1" } },

	{ "module-option-missing", true, .values = { "modules.mlx5_core.options.log_num_mtt 24" },
	  .what = "module mlx5_core has no option log_num_mtt",
	  .hint = "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "module-option-missing", true, .values = { "modules.mlx5-core.options.log-mtts-per-seg 3" } },
	{ "module-option-missing", true, .values = { "modules.ib_core.options.rdma_dev_reset_on_close 1" } },
	{ "module-option-missing", false, .values = { "modules.mlx4_core.options.log_num_mtt 24" } },
	{ "module-option-missing", false, .values = { "modules.mlx5_core.options.prof_sel 2" } },
	{ "module-option-missing", false, .values = { "modules.ib_core.options.netns_mode 0" } },
};

enum { NFIXTURES = sizeof(fixtures) / sizeof(fixtures[0]) };

/* What fires besides the rule, or in spite of it. */
static void check(size_t i, const struct fixture *f, const struct diags *d)
{
	size_t expected = f->findings ? f->findings : f->fires;
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(d, false, &t);
	if (d->n != expected)
		fail_msg("fixture %zu (%s): %zu findings, not %zu\n%s", i, f->rule, d->n, expected, text_str(&t));
	for (size_t k = 0; k < d->n; k++) {
		assert_string_equal(d->at[k].rule, f->rule);
		assert_int_equal(d->at[k].severity, lint_named(f->rule)->is.severity);
		assert_non_null(d->at[k].pos.source);
		assert_non_null(d->at[k].hint);
		assert_string_equal(d->at[k].object, "compute");
	}
	if (f->what)
		assert_string_equal(d->at[0].what, f->what);
	if (f->hint)
		assert_string_equal(d->at[0].hint, f->hint);
}

/* The fixtures of mlx5's whole map are about other rules than those of maps in part, and so on: each fires alone. */
static void each_rule_fires_alone_or_not_at_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFIXTURES; i++) {
		struct built b;
		struct diags d;

		judge(&b, &fixtures[i], &d);
		check(i, &fixtures[i], &d);
		arena_free(b.a);
	}
}

/* A thousand nodes with one group: told once; the same fault in another line: told again. */
static void a_finding_is_told_once(void **state)
{
	struct built b;
	struct diags d;
	struct lint l;

	(void)state;
	build(&b);
	diags_init(&d, b.a);
	lint_init(&l, b.c, &d);
	set(&b, "qos.pfc 3 4 5", 7);
	for (int i = 0; i < 1000; i++)
		lint_visit(&b.group, &l, &d);
	assert_int_equal(d.warnings, 1);
	set(&b, "qos.pfc 3 4 5", 9);
	lint_visit(&b.group, &l, &d);
	assert_int_equal(d.warnings, 2);
	arena_free(b.a);
}

static void points_at_both_lines(void **state)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct built b;
	struct diags d;

	(void)state;
	judge(&b, &fixtures[0], &d);
	diags_print(&d, false, &t);
	assert_string_equal(
		text_str(&t),
		"policy.yaml:5:10: error: compute: RoCE DSCP 26 goes to priority 3 (line 4), but PFC is on for {4} "
		"only: "
		"RoCE would be lossy [data-dscp-not-lossless]\n"
		"  hint: turn PFC on for priority 3 (qos.pfc: [3]), or map DSCP 26 to one of {4} (qos.dscp: {26: 4})\n"
		"policy.yaml:4:10: note: DSCP 26 goes to priority 3 here\n");
	arena_free(b.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_fires_alone_or_not_at_all),
		cmocka_unit_test(a_finding_is_told_once), cmocka_unit_test(points_at_both_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
