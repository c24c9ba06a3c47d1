/* SPDX-License-Identifier: Apache-2.0 */
/* gid: the entry is found by version, family and netdev; its index is told and never judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "root.h"

extern const struct setting setting_gid;

enum { GID_VERSION, GID_FAMILY };

static const struct facts rdma = { .rdma = true };
static const struct port roce = { .name = "ens1f0np0",
				  .ifname = "ens1f0np0",
				  .ifindex = 7,
				  .master = "",
				  .ibdev = "mlx5_0",
				  .ibport = 1,
				  .protocol = "roce",
				  .physfn = "",
				  .link_layer = LINK_LAYER_ETHERNET };

static struct record *look(struct root *r, const struct port *p, const char *version, const char *family)
{
	struct target t = { .scope = SCOPE_RDMA_PORT, .name = p->name, .port = p };
	struct record *want = record_new(r->a, &setting_gid);

	if (version)
		root_want(r, want, GID_VERSION, version);
	if (family)
		root_want(r, want, GID_FAMILY, family);
	return root_ask(r, &setting_gid, &setting_gid.live, &t, &rdma, version || family ? want : NULL, NULL);
}

static const char *shown(struct root *r, const struct record *have, unsigned field)
{
	struct text t = { 0 };
	const char *s;

	if (have->at[field].state != CELL_VALUE)
		return reason_name(have->at[field].reason);
	value_print(have->at[field].field, &have->at[field].value, &t);
	s = arena_strdup(r->a, text_str(&t));
	text_done(&t);
	return s;
}

/* --- the case: two nodes in policy, with different indices -------------------- */

static void index_differs_between_nodes(void **state)
{
	static const struct {
		const char *tree, *because;
	} nodes[] = {
		{ "tests/cases/gid-index-differs-between-nodes/node-a.tsv", "index 3, 198.51.100.10" },
		{ "tests/cases/gid-index-differs-between-nodes/node-b.tsv", "index 1, 198.51.100.11" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct root *r = root_open(nodes[i].tree);
		struct record *have = look(r, &roce, "v2", "ipv4");

		assert_string_equal(shown(r, have, GID_VERSION), "v2");
		assert_string_equal(shown(r, have, GID_FAMILY), "ipv4");
		assert_non_null(strstr(have->at[GID_VERSION].because, nodes[i].because));
		assert_non_null(strstr(have->at[GID_FAMILY].because, "differs between nodes and moves when addresses"));
		root_close(r);
	}
}

/* --- the choice, from the ioctl ----------------------------------------------- */

#define LL                                                                                                             \
	{                                                                                                              \
		0xfe, 0x80, [15] = 1                                                                                   \
	}
#define V6                                                                                                             \
	{                                                                                                              \
		0x20, 0x01, 0x0d, 0xb8, [15] = 1                                                                       \
	}
#define V4                                                                                                             \
	{                                                                                                              \
		[10] = 0xff, 0xff, 198, 51, 100, 10                                                                    \
	}
#define V4B                                                                                                            \
	{                                                                                                              \
		[10] = 0xff, 0xff, 198, 51, 100, 20                                                                    \
	}

struct table {
	int err;
	struct gid_entry entry[6];
	size_t n;
};

static const struct table *table;

static int gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	(void)k;
	assert_string_equal(ibdev, "mlx5_0");
	if (table->err)
		return table->err;
	assert_true(room >= table->n);
	memcpy(entry, table->entry, table->n * sizeof(*entry));
	*n = table->n;
	return 0;
}

static const struct table dual = {
	.n = 5,
	.entry = { { LL, 0, 1, 1, 7 }, { LL, 1, 1, 2, 7 }, { V6, 2, 1, 2, 7 }, { V4B, 9, 1, 2, 7 }, { V4, 4, 1, 1, 7 } }
};
static const struct table local = { .n = 2, .entry = { { LL, 0, 1, 1, 7 }, { LL, 1, 1, 2, 7 } } };
static const struct table old = { .n = 2, .entry = { { LL, 0, 1, 1, 7 }, { V4, 1, 1, 1, 7 } } };
static const struct table infiniband_type = { .n = 1, .entry = { { V4, 0, 1, 0, 7 } } };
static const struct table vlan = { .n = 2, .entry = { { V4, 0, 1, 2, 12 }, { V4, 1, 1, 1, 12 } } };
static const struct table second_port = { .n = 1, .entry = { { V4, 0, 2, 2, 7 } } };
static const struct table two_addresses = { .n = 2, .entry = { { V4B, 5, 1, 2, 7 }, { V4, 3, 1, 2, 7 } } };
static const struct table zeros = { .n = 1, .entry = { { { 0 }, 0, 1, 2, 7 } } };
static const struct table empty = { .n = 0 };

static void choice(void **state)
{
	static const struct {
		const struct table *table;
		const char *want_version, *want_family, *version, *family, *because;
	} rows[] = {
		{ &dual, "v2", "ipv4", "v2", "ipv4", "index 9, 198.51.100.20" },
		{ &dual, "v2", "ipv6", "v2", "ipv6", "index 2, 2001:db8::1" },
		{ &dual, "v2", "link-local", "v2", "link-local", "index 1, fe80::1" },
		{ &dual, "v1", "ipv4", "v1", "ipv4", "index 4, 198.51.100.10" },
		{ &dual, NULL, NULL, "v2", "ipv4", "index 9" },
		{ &dual, "v1", NULL, "v1", "", "index 4" },
		{ &dual, NULL, "ipv6", "", "ipv6", "index 2" },
		/* one fault, one row: what is there is told by the wish that it meets */
		{ &local, "v2", "ipv4", "v2", "link-local", "index 1" },
		{ &old, "v2", "ipv4", "v1", "ipv4", "index 1" },
		{ &infiniband_type, "v1", "ipv4", "v1", "ipv4", "index 0" },
		/* of two alike the lower index, whatever the order of the answer */
		{ &two_addresses, "v2", "ipv4", "v2", "ipv4", "index 3, 198.51.100.10" },
		{ &vlan, "v2", "ipv4", "none", "none", "belong to other netdevs" },
		{ &second_port, "v2", "ipv4", "none", "none", "RoCE is off" },
		{ &zeros, "v2", "ipv4", "none", "none", "RoCE is off" },
		{ &empty, "v2", "ipv4", "none", "none", "RoCE is off" },
	};
	struct root *r = root_open(NULL);

	(void)state;
	r->ops.gids = gids;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record *have;

		table = rows[i].table;
		have = look(r, &roce, rows[i].want_version, rows[i].want_family);
		assert_string_equal(shown(r, have, GID_VERSION), rows[i].version);
		assert_string_equal(shown(r, have, GID_FAMILY), rows[i].family);
		assert_non_null(strstr(have->at[*rows[i].version ? GID_VERSION : GID_FAMILY].because, rows[i].because));
	}
	root_close(r);
}

static void none_is_drift(void **state)
{
	struct root *r = root_open(NULL);
	struct value want = { .num = 1 };
	struct record *have;
	const char *why;

	(void)state;
	r->ops.gids = gids;
	table = &empty;
	have = look(r, &roce, "v2", "ipv4");
	assert_false(value_same(have->at[GID_VERSION].field, &want, &have->at[GID_VERSION].value, have));
	assert_int_equal(setting_gid.fields[GID_FAMILY].follows, GID_VERSION + 1);
	assert_int_equal(value_parse(&setting_gid.fields[GID_VERSION], "none", &want, r->a, &why), -EINVAL);
	root_close(r);
}

/* A bond's GIDs carry the bond's name; a port without a netdev in this namespace owns all its entries. */
static void netdevs(void **state)
{
	struct port member = roce, alone = roce;
	struct root *r = root_open(NULL);

	(void)state;
	r->ops.gids = gids;
	table = &vlan;
	member.master = "bond0";
	member.master_ifindex = 12;
	assert_string_equal(shown(r, look(r, &member, "v2", "ipv4"), GID_FAMILY), "ipv4");
	alone.ifname = "";
	alone.ifindex = 0;
	assert_string_equal(shown(r, look(r, &alone, "v2", "ipv4"), GID_FAMILY), "ipv4");
	root_close(r);
}

/* --- sysfs, where verbs do not answer ------------------------------------------ */

#define GIDS  "sys/class/infiniband/mlx5_0/ports/1/gids/"
#define ATTRS "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/"

static int (*read_below)(struct kernel *k, const char *path, struct text *out);
static int type_error;

static int read_with_error(struct kernel *k, const char *path, struct text *out)
{
	if (!strcmp(path, ATTRS "types/2"))
		return type_error;
	return read_below(k, path, out);
}

static void sysfs_trouble(void **state)
{
	struct root *r = root_open("tests/cases/gid-index-differs-between-nodes/node-a.tsv");
	struct record *have;

	(void)state;
	read_below = r->ops.read;
	r->ops.read = read_with_error;
	type_error = -EINVAL; /* an entry that is empty by now */
	assert_string_equal(shown(r, look(r, &roce, "v1", "ipv4"), GID_FAMILY), "link-local");
	type_error = -EIO; /* it might be the one that is looked for */
	have = look(r, &roce, "v1", "ipv4");
	assert_string_equal(shown(r, have, GID_VERSION), "unreadable");
	assert_non_null(strstr(have->at[GID_FAMILY].because, strerror(EIO)));
	assert_string_equal(shown(r, look(r, &roce, "v2", "ipv4"), GID_FAMILY), "ipv4");
	root_put(r, GIDS "4", "no address\\n");
	assert_string_equal(shown(r, look(r, &roce, "v1", "ipv6"), GID_FAMILY), "unreadable");
	root_close(r);
}

static void sysfs_order(void **state)
{
	struct root *r = root_open(NULL);
	struct record *have;

	(void)state;
	for (unsigned i = 0; i < 12; i++) { /* names sort as text: 10 stands before 2 */
		char path[128];

		snprintf(path, sizeof(path), GIDS "%u", i);
		root_put(r, path,
			 i < 2 ? "0000:0000:0000:0000:0000:0000:0000:0000\\n"
			       : "0000:0000:0000:0000:0000:ffff:c633:640a\\n");
		snprintf(path, sizeof(path), ATTRS "types/%u", i);
		root_put(r, path, "RoCE v2\\n");
		snprintf(path, sizeof(path), ATTRS "ndevs/%u", i);
		root_put(r, path, "ens1f0np0\\n");
	}
	have = look(r, &roce, "v2", "ipv4");
	assert_non_null(strstr(have->at[GID_VERSION].because, "index 2,"));
	root_close(r);
}

/* --- ports without a RoCE table ------------------------------------------------ */

static void no_table(void **state)
{
	static const struct facts none = { .rdma_why = "no RDMA subsystem" };
	struct port ib = roce, iwarp = roce, bare = roce;
	struct root *r = root_open(NULL);
	struct target t = { .scope = SCOPE_RDMA_PORT, .name = "ens1f0np0", .port = &roce };
	struct record *have;
	int err;

	(void)state;
	ib.link_layer = LINK_LAYER_INFINIBAND;
	iwarp.protocol = "iw";
	bare.ibdev = "";
	assert_string_equal(shown(r, look(r, &ib, "v2", "ipv4"), GID_VERSION), "driver-lacks");
	assert_string_equal(shown(r, look(r, &iwarp, "v2", "ipv4"), GID_FAMILY), "driver-lacks");
	have = look(r, &bare, "v2", "ipv4");
	assert_string_equal(shown(r, have, GID_VERSION), "none");
	assert_non_null(strstr(have->at[GID_VERSION].because, "no RDMA device"));
	have = root_ask(r, &setting_gid, &setting_gid.live, &t, &none, NULL, &err);
	assert_int_equal(err, 0);
	assert_string_equal(shown(r, have, GID_VERSION), "module-not-loaded");
	assert_string_equal(have->at[GID_VERSION].because, "no RDMA subsystem");
	have = root_ask(r, &setting_gid, &setting_gid.live, &t, &rdma, NULL, &err); /* gone since the inventory */
	assert_int_equal(err, -ENODEV);
	assert_int_equal(have->at[GID_VERSION].state, CELL_OPEN);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(index_differs_between_nodes),
		cmocka_unit_test(choice),
		cmocka_unit_test(none_is_drift),
		cmocka_unit_test(netdevs),
		cmocka_unit_test(sysfs_trouble),
		cmocka_unit_test(sysfs_order),
		cmocka_unit_test(no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
