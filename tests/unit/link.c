/* SPDX-License-Identifier: Apache-2.0 */
/* link: state from netdev and RDMA port together, speed from whoever tells it, by netlink or in files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/ethtool_netlink.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "root.h"
#include "talk.h"

extern const struct setting setting_link;

enum { LINK_STATE, LINK_SPEED };

#define NETDEV "sys/class/net/ens1f0np0/"
#define PORT   "sys/class/infiniband/mlx5_0/ports/1/"

/* What netlink tells of the one netdev; NULL: that family was not asked. RDMA nldev never was: its port is a file. */
struct netdev {
	bool up, carrier;
};

static const struct netdev *netdev;
static const uint32_t *mode; /* Mb/s */

static int answer_link(unsigned i, struct nlmsghdr *h)
{
	struct ifinfomsg *m;

	if (!netdev || i > 0)
		return netdev ? 0 : -ENODATA;
	h->nlmsg_type = RTM_NEWLINK;
	m = mnl_nlmsg_put_extra_header(h, sizeof(*m));
	m->ifi_index = 7;
	m->ifi_flags = netdev->up ? IFF_UP : 0;
	mnl_attr_put_strz(h, IFLA_IFNAME, "ens1f0np0");
	mnl_attr_put_u8(h, IFLA_CARRIER, netdev->carrier);
	return 1;
}

static int answer_mode(unsigned i, struct nlmsghdr *h)
{
	struct genlmsghdr *g;
	struct nlattr *nest;

	if (!mode || i > 0)
		return mode ? 0 : -ENODATA;
	g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	g->cmd = ETHTOOL_MSG_LINKMODES_GET_REPLY;
	nest = mnl_attr_nest_start(h, ETHTOOL_A_LINKMODES_HEADER);
	mnl_attr_put_u32(h, ETHTOOL_A_HEADER_DEV_INDEX, 7);
	mnl_attr_put_strz(h, ETHTOOL_A_HEADER_DEV_NAME, "ens1f0np0");
	mnl_attr_nest_end(h, nest);
	mnl_attr_put_u32(h, ETHTOOL_A_LINKMODES_SPEED, *mode);
	return 1;
}

static int answer(int protocol, uint16_t type, uint8_t cmd, unsigned i, struct nlmsghdr *h)
{
	if (protocol == NETLINK_ROUTE && type == RTM_GETLINK)
		return answer_link(i, h);
	if (protocol == NETLINK_GENERIC && type == TALK_ETHTOOL && cmd == ETHTOOL_MSG_LINKMODES_GET)
		return answer_mode(i, h);
	return -ENODATA;
}

static struct root *machine(void)
{
	struct root *r = root_open(NULL);

	talk_answer = answer;
	r->ops.talk = talk;
	return r;
}

static const struct facts facts = { .rdma = true };
static const struct port roce = { .name = "ens1f0np0",
				  .ifname = "ens1f0np0",
				  .ifindex = 7,
				  .ibdev = "mlx5_0",
				  .ibport = 1,
				  .link_layer = LINK_LAYER_ETHERNET };
static const struct port ib = {
	.name = "mlx5_0/1", .ifname = "", .ibdev = "mlx5_0", .ibport = 1, .link_layer = LINK_LAYER_INFINIBAND
};
static const struct netdev carrier = { true, true }, none = { true, false }, off = { false, false };
static const uint32_t fast = 400000, unknown = UINT32_MAX;

static struct record *look(struct root *r, const struct port *p)
{
	struct target t = { .scope = SCOPE_WIRE, .name = p->name, .port = p };

	return root_ask(r, &setting_link, &setting_link.live, &t, &facts, NULL, NULL);
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

static void from_netlink(void **state)
{
	static const struct {
		const struct port *port;
		const struct netdev *netdev;
		const char *rdma;
		const uint32_t *mode;
		const char *state, *speed, *because;
	} rows[] = {
		{ &roce, &carrier, "4: ACTIVE", &fast, "up", "400Gb/s", NULL },
		{ &roce, &carrier, "5: ACTIVE_DEFER", &fast, "up", "400Gb/s", NULL },
		{ &roce, &carrier, "", &fast, "up", "400Gb/s", NULL }, /* no RDMA device: roce.enabled tells that */
		{ &roce, &carrier, "1: DOWN", &fast, "down", "unreadable", "RDMA port is DOWN" },
		{ &roce, &none, "1: DOWN", &unknown, "down", "unreadable", "no carrier" },
		{ &roce, &off, "1: DOWN", &unknown, "down", "unreadable", "administratively down" },
		{ &roce, &carrier, "4: ACTIVE", &unknown, "up", "unreadable", NULL },
		{ &ib, NULL, "2: INIT", NULL, "down", "unreadable", "no subnet manager" },
		{ &ib, NULL, "3: ARMED", NULL, "down", "unreadable", "ARMED" },
		{ &ib, NULL, "4: ACTIVE", NULL, "up", "400Gb/s", NULL },
		{ &ib, NULL, "7: ?", NULL, "down", "unreadable", "not active" },
	};
	struct root *r = machine();

	(void)state;
	root_put(r, PORT "rate", "400 Gb/sec (4X NDR)\\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record *have;

		netdev = rows[i].netdev;
		root_put(r, PORT "state", rows[i].rdma);
		mode = rows[i].mode;
		have = look(r, rows[i].port);
		assert_string_equal(shown(r, have, LINK_STATE), rows[i].state);
		assert_string_equal(shown(r, have, LINK_SPEED), rows[i].speed);
		if (rows[i].because)
			assert_non_null(strstr(have->at[LINK_STATE].because, rows[i].because));
		else
			assert_null(have->at[LINK_STATE].because);
	}
	root_close(r);
}

static int (*read_below)(struct kernel *k, const char *path, struct text *out);

static int carrier_of_a_netdev_that_is_down(struct kernel *k, const char *path, struct text *out)
{
	return strcmp(path, NETDEV "carrier") ? read_below(k, path, out) : -EINVAL;
}

static void from_files(void **state)
{
	static const struct {
		const char *carrier, *state, *speed, *have_state, *have_speed;
	} rows[] = {
		{ "1", "4: ACTIVE", "100000", "up", "100Gb/s" },
		{ "0", "1: DOWN", "-1", "down", "unreadable" },
		{ "1", "4: ACTIVE", "-1", "up", "unreadable" },
		{ "1", "1: DOWN", "100000", "down", "unreadable" },
		{ "1", "4: ACTIVE", "4294967295", "up", "unreadable" },
		{ "1", "nonsense", "25000", "up", "25Gb/s" },
	};
	struct root *r = machine();
	struct record *have;

	(void)state;
	netdev = NULL;
	mode = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		root_put(r, NETDEV "carrier", rows[i].carrier);
		root_put(r, NETDEV "speed", rows[i].speed);
		root_put(r, PORT "state", rows[i].state);
		have = look(r, &roce);
		assert_string_equal(shown(r, have, LINK_STATE), rows[i].have_state);
		assert_string_equal(shown(r, have, LINK_SPEED), rows[i].have_speed);
	}
	read_below = r->ops.read;
	r->ops.read = carrier_of_a_netdev_that_is_down;
	have = look(r, &roce);
	assert_string_equal(shown(r, have, LINK_STATE), "down");
	assert_string_equal(have->at[LINK_STATE].because, "administratively down");
	root_close(r);
}

static void nobody_tells(void **state)
{
	struct root *r = machine();
	struct record *have;

	(void)state;
	netdev = NULL;
	mode = NULL;
	have = look(r, &roce);
	assert_string_equal(shown(r, have, LINK_STATE), "not-recorded");
	assert_true(reason_is_unknown(have->at[LINK_SPEED].reason));
	have = look(r, &ib);
	assert_string_equal(shown(r, have, LINK_STATE), "not-recorded");
	root_close(r);
}

static void rates(void **state)
{
	static const struct {
		const char *rate, *speed;
		bool old_kernel;
	} rows[] = {
		{ "400 Gb/sec (4X NDR)", "400Gb/s", false },
		{ "2.5 Gb/sec (1X SDR)", "2.5Gb/s", true },
		{ "10 Gb/sec (4X SDR)", "10Gb/s", true },
		{ "fast", "unreadable", false },
		{ "", "unreadable", false },
		{ "-4 Gb/sec", "unreadable", false },
		{ "99999999999999999999 Gb/sec", "unreadable", false },
	};
	struct root *r = machine();

	(void)state;
	root_put(r, PORT "state", "4: ACTIVE");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record *have;

		root_put(r, PORT "rate", rows[i].rate);
		have = look(r, &ib);
		assert_string_equal(shown(r, have, LINK_SPEED), rows[i].speed);
		if (have->at[LINK_SPEED].state == CELL_VALUE)
			assert_int_equal(have->at[LINK_SPEED].because != NULL, rows[i].old_kernel);
	}
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_netlink),
		cmocka_unit_test(from_files),
		cmocka_unit_test(nobody_tells),
		cmocka_unit_test(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
