/* SPDX-License-Identifier: Apache-2.0 */
/* fabrics.X.tiers, from text to links: what a link takes from its tier, where each value stands, what is refused. */
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
#include "fabric/fabric.h"
#include "model/setting.h"
#include "policy/parts.h"

#define HEAD                                                                                                           \
	"version: 1\nnodes: {n1: {set: {node: {max_backlog: 8192}}}}\nfabrics:\n  backend:\n    mtu: 9000\n    "       \
	"classes:\n"                                                                                                   \
	"      rdma: {priority: 3, dscp: [26], lossless: true}\n      cnp: {priority: 6, dscp: [48], strict: true}\n"

struct loaded {
	struct arena *a;
	struct diags d;
	struct policy *p;
};

static const struct fabric *load(struct loaded *l, const char *text)
{
	l->a = arena_new();
	l->p = NULL;
	diags_init(&l->d, l->a);
	return policy_parse(l->a, "policy.yaml", text, strlen(text), catalog_default(), &l->p, &l->d) < 0 ?
		       NULL : policy_fabric(l->p, "backend");
}

static int64_t says(const struct fabric_link *l, unsigned field)
{
	return record_num(l->has, field, -1);
}

/* The example of the language, key by key. */
static void whole_example(void **state)
{
	static const char text[] = HEAD "    tiers:\n"
					"      leaf:\n"
					"        nos: sonic\n"
					"        asic: Spectrum-4\n"
					"        frame: 9216\n"
					"        lossless_mtu: 4096\n"
					"        small_packets: 50%\n"
					"        shared_pool: true\n"
					"        lanes: 4\n"
					"        pool: 25MiB\n"
					"        alpha: 1/8\n"
					"        queue_buffer: 3MiB\n"
					"        watchdog: {detect: 200ms, restore: 0.4s, action: forward}\n"
					"        links:\n"
					"          down: {ports: \"Ethernet[0-248/8]\", speed: 400Gb/s, cable: 30m, "
					"ecn: {rdma: {kmin: 150KiB, kmax: "
					"1500KiB, pmax: 20%}}}\n"
					"          up:   {ports: \"Ethernet[256-504/8],et-0/0/0:1\", speed: 800Gb/s, "
					"cable: 80m, alpha: 2, frame: null}\n"
					"      spine: {nos: cumulus, links: {all: {cable: 0.3km}}}\n";
	const struct fabric_link *down, *up;
	const struct fabric_tier *leaf;
	const struct fabric *f;
	struct loaded l;

	(void)state;
	f = load(&l, text);
	assert_non_null(f);
	assert_int_equal(f->ntiers, 2);
	leaf = fabric_tier(f, "leaf");
	assert_int_equal(leaf->n, 2);
	down = &leaf->link[0];
	up = &leaf->link[1];
	assert_int_equal(says(down, FABRIC_NOS), NOS_SONIC);
	assert_string_equal(fabric_says(up->has, FABRIC_ASIC)->value.text, "Spectrum-4");
	assert_int_equal(says(down, FABRIC_LOSSLESS_MTU), 4096);
	assert_int_equal(says(down, FABRIC_SMALL_PACKETS), 50);
	assert_int_equal(says(down, FABRIC_SHARED_POOL), 1);
	assert_int_equal(says(down, FABRIC_LANES), 4);
	assert_int_equal(says(down, FABRIC_POOL), 25 << 20);
	assert_int_equal(fabric_says(down->has, FABRIC_ALPHA)->value.num, -3);
	assert_int_equal(says(up, FABRIC_ALPHA), 1);
	assert_int_equal(says(down, FABRIC_QUEUE_BUFFER), 3 << 20);
	assert_int_equal(says(up, FABRIC_WATCHDOG_DETECT), 200);
	assert_int_equal(says(up, FABRIC_WATCHDOG_RESTORE), 400);
	assert_int_equal(says(up, FABRIC_WATCHDOG_ACTION), ACTION_FORWARD);
	assert_int_equal(says(down, FABRIC_SPEED), 400000);
	assert_int_equal(says(up, FABRIC_CABLE), 80);
	assert_int_equal(says(&fabric_tier(f, "spine")->link[0], FABRIC_CABLE), 300);
	assert_int_equal(fabric_frame(f, down), 9216);
	assert_int_equal(fabric_frame(f, up), 9022);		/* null: the tier's does not hold; MTU + 22 */

	assert_int_equal(down->nports, 32);
	assert_string_equal(down->port[31], "Ethernet248");
	assert_null(down->port[32]);
	assert_int_equal(up->nports, 33);
	assert_string_equal(up->port[32], "et-0/0/0:1");
	assert_int_equal(fabric_tier_ports(leaf), 65);
	assert_int_equal(fabric_tier_ports(fabric_tier(f, "spine")), 0);

	assert_int_equal(fabric_ecn(down, "rdma", FABRIC_ECN_KMIN)->value.num, 150 << 10);
	assert_int_equal(fabric_ecn(down, "rdma", FABRIC_ECN_KMAX)->value.num, 1500 << 10);
	assert_int_equal(fabric_ecn(down, "rdma", FABRIC_ECN_PMAX)->value.num, 20);
	assert_false(fabric_marks(up, "rdma"));
	assert_false(fabric_marks(down, "cnp"));

	/* positions are those of the words themselves, also of what a tier said for its links */
	assert_int_equal(fabric_says(up->has, FABRIC_ASIC)->pos.line, 12);
	assert_int_equal(fabric_says(up->has, FABRIC_CABLE)->pos.line, 24);
	assert_int_equal(fabric_ecn(down, "rdma", FABRIC_ECN_PMAX)->pos.line, 23);
	assert_int_equal(fabric_ecn(down, "rdma", FABRIC_ECN_PMAX)->pos.col, 122);
	arena_free(l.a);
}

/* ecn of a tier holds for its links, by class and key; null takes it back. */
static void links_take_from_tiers(void **state)
{
	static const char text[] = HEAD "    tiers: {leaf: {ecn: {rdma: {kmin: 100, kmax: 200, pmax: 5}}, links: {a: "
					"{}, b: {ecn: {rdma: {kmax: 300}}}, "
					"c: {ecn: null}, d: {ecn: {rdma: {pmax: null}}}}}}\n";
	const struct fabric_tier *leaf;
	struct loaded l;

	(void)state;
	assert_non_null(load(&l, text));
	leaf = fabric_tier(policy_fabric(l.p, "backend"), "leaf");
	assert_int_equal(fabric_ecn(&leaf->link[0], "rdma", FABRIC_ECN_KMAX)->value.num, 200);
	assert_int_equal(fabric_ecn(&leaf->link[1], "rdma", FABRIC_ECN_KMAX)->value.num, 300);
	assert_int_equal(fabric_ecn(&leaf->link[1], "rdma", FABRIC_ECN_KMIN)->value.num, 100);
	assert_false(fabric_marks(&leaf->link[2], "rdma"));
	assert_null(fabric_ecn(&leaf->link[3], "rdma", FABRIC_ECN_PMAX));
	assert_int_equal(fabric_ecn(&leaf->link[3], "rdma", FABRIC_ECN_KMAX)->value.num, 200);
	arena_free(l.a);
}

static void refusals(void **state)
{
	static const struct {
		const char *tiers, *error, *hint;
	} rows[] = {
		{ "{leaf: {links: {a: {ecn: {rdam: {kmin: 1}}}}}}",
		  "fabric backend: tier leaf: ecn: there is no class \"rdam\"", "did you mean rdma?" },
		{ "{leaf: {nos: soniq, links: {a: {}}}}",
		  "fabric backend: tier leaf: nos is not one of sonic, cumulus, eos, nxos, junos or os10; did you mean sonic?",
		  NULL },
		{ "{leaf: {alpha: 3, links: {a: {}}}}",
		  "fabric backend: tier leaf: alpha is no alpha that a switch has: a power of two from 1/256 to 128, "
		  "such as 1/8 or 2",
		  NULL },
		{ "{leaf: {alpha: 1/512, links: {a: {}}}}",
		  "fabric backend: tier leaf: alpha is no alpha that a switch has: a power of two from 1/256 to 128, "
		  "such as 1/8 or 2",
		  NULL },
		{ "{leaf: {links: {a: {ecn: {rdma: {kmin: 150ms}}}}}}",
		  "fabric backend: tier leaf: link a: ecn.rdma.kmin has a unit that is not one of this key's: GiB, MiB, KiB, GB, MB, kB, B, bytes",
		  NULL },
		{ "{leaf: {links: {a: {nos: sonic}}}}", "fabric backend: tier leaf: link a: unknown key \"nos\"",
		  NULL },
		{ "{leaf: {ports: \"Ethernet0\", links: {a: {}}}}", "fabric backend: tier leaf: unknown key \"ports\"",
		  NULL },
		{ "{leaf: {links: {a: {cabel: 30m}}}}", "fabric backend: tier leaf: link a: unknown key \"cabel\"",
		  "did you mean cable?" },
		{ "{leaf: {link: {a: {}}}}", "fabric backend: tier leaf: unknown key \"link\"",
		  "`neighbor: {link: …}` belongs in a group of ports: ports: {NAME: {neighbor: {link: …}}}; or did you mean links?" },
		{ "{leaf: {asic: Spectrum-4}}", "fabric backend: tier leaf: it has no links",
		  "add links: with a name for each kind, such as down and up, or all" },
		{ "{leaf: {links: {a: {ports: \"Ethernet[0-8\"}}}}",
		  "fabric backend: tier leaf: link a: ports has a [ without its ]", NULL },
		{ "{leaf: {links: {a: {ports: \"Ethernet*\"}}}}",
		  "fabric backend: tier leaf: link a: ports is a pattern, but the ports of a switch are named: "
		  "\"Ethernet[0-248/8]\"",
		  NULL },
		{ "{leaf: {links: {a: {ports: \"p[0-4096]\"}}}}",
		  "fabric backend: tier leaf: link a: ports names more than 4096 ports, which no switch has", NULL },
		{ "{leaf: {links: {a: {ports: \"p[0-99]q[0-999999999]\"}}}}",
		  "fabric backend: tier leaf: link a: ports names more than 4096 ports, which no switch has", NULL },
		{ "{leaf: {links: {a: {ports: \"p[0-3],p1,p2\"}}}}", "tier leaf: link a: ports names p1 twice", NULL },
		{ "{leaf: {links: {a: {ports: \"p[0-3]\"}, b: {ports: \"p[2-9]\"}}}}",
		  "tier leaf: links a and b both have port p2", NULL },
		{ "{\"\": {links: {a: {}}}}", "fabric backend: a tier cannot have the name \"\"", NULL },
		{ "{leaf: {frame: fabric, links: {a: {}}}}",
		  "fabric backend: tier leaf: frame is not a whole decimal number", NULL },
		{ "{leaf: {watchdog: {detect: 0ms}, links: {a: {}}}}",
		  "fabric backend: tier leaf: watchdog.detect is out of range: 1ms to 60s", NULL },
		{ "[leaf]", "fabric backend: tiers: a map of keys is due here, found a list", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_CLEANUP struct text text = { 0 }, told = { 0 };
		struct loaded l;

		text_printf(&text, "%s    tiers: %s\n", HEAD, rows[i].tiers);
		assert_null(load(&l, text_str(&text)));
		diags_print(&l.d, false, &told);
		if (l.d.n != 1 || strcmp(l.d.at[0].what, rows[i].error) != 0)
			fail_msg("%s:\n%s", rows[i].tiers, text_str(&told));
		if (rows[i].hint)
			assert_string_equal(l.d.at[0].hint, rows[i].hint);
		assert_int_equal(l.d.at[0].pos.line, 9);
		arena_free(l.a);
	}
}

static void alpha_is_printed_as_written(void **state)
{
	static const char *const words[] = { "1/256", "1/8", "1", "2", "128" };
	const struct field *f = &fabric_link_setting.fields[FABRIC_ALPHA];
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		TEXT_CLEANUP struct text t = { 0 };
		struct value v = { 0 };
		const char *why;

		assert_int_equal(value_parse(f, words[i], &v, a, &why), 0);
		value_print(f, &v, &t);
		assert_string_equal(text_str(&t), words[i]);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_example), cmocka_unit_test(links_take_from_tiers), cmocka_unit_test(refusals),
		cmocka_unit_test(alpha_is_printed_as_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
