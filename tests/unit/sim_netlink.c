/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's links, devlink, ethtool and RDMA netlink: refusals with the kernel's numbers and words, side effects. */
#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <rdma/rdma_netlink.h>

#include "sim_test.h"

/* --- links --- */

static int set_mtu(struct machine *m, int index, const char *name, uint32_t mtu, size_t len)
{
	ask_begin(&m->ask, RTM_SETLINK, NLM_F_ACK, &(struct ifinfomsg){ .ifi_index = index }, sizeof(struct ifinfomsg));
	if (name)
		ask_str(&m->ask, IFLA_IFNAME, name);
	ask_attr(&m->ask, IFLA_MTU, &mtu, len);
	return verdict(m, NETLINK_ROUTE, NULL);
}

static void test_mtu(void **state)
{
	static const struct { const char *options; int index; const char *name; uint32_t mtu; size_t len; int error; const char *ack; }
		rows[] = {
		{ "", 0, "nic0", 9000, 4, 0, "" },
		{ "", 2, NULL, 9978, 4, 0, "" },
		{ "", 0, "nic0", 9979, 4, -EINVAL, "mtu greater than device maximum" },
		{ "", 0, "nic0", 67, 4, -EINVAL, "mtu less than device minimum" },
		{ "", 0, "nic0", UINT32_MAX, 4, -EINVAL, "mtu greater than device maximum" },
		{ "", 0, "nic9", 9000, 4, -ENODEV, "" },
		{ "", 99, NULL, 9000, 4, -ENODEV, "" },
		{ "", 0, NULL, 9000, 4, -EINVAL, "" },
		{ "", 0, "nic0", 9000, 2, -ERANGE, "Attribute failed policy validation" },
		{ "", 0, "abcdefghijklmnop", 9000, 4, -ERANGE, "Attribute failed policy validation" },
		{ "", 2, "nic0", 9000, 4, -ENOSYS, "" },	/* would be a new name: not taught */
		{ "--driver bnxt_en", 0, "nic0", 9501, 4, -EINVAL, "mtu greater than device maximum" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		assert_int_equal(set_mtu(&m, rows[i].index, rows[i].name, rows[i].mtu, rows[i].len), rows[i].error);
		assert_string_equal(m.ack, rows[i].ack);
		assert_int_equal(atoi(see(&m, "get mtu nic0")), rows[i].error ? 1500 : (int)rows[i].mtu);
		machine_close_sim(&m);
	}
}

static void test_mtu_of_bonds_and_vlans(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "bond bond0 nic0 nic1");
	DO(&m, "vlan bond0.5 bond0");
	assert_int_equal(set_mtu(&m, 0, "bond0.5", 9000, 4), -ERANGE);	/* above the lower one's */
	assert_int_equal(set_mtu(&m, 0, "bond0", 9000, 4), 0);
	SEES(&m, "get mtu nic0", "9000");
	SEES(&m, "get mtu nic1", "9000");
	assert_int_equal(set_mtu(&m, 0, "bond0.5", 9000, 4), 0);
	assert_int_equal(set_mtu(&m, 0, "bond0", 4200, 4), 0);
	SEES(&m, "get mtu bond0.5", "4200");	/* lowered with it */
	DO(&m, "fault nic1 mtu err EIO");
	assert_int_equal(set_mtu(&m, 0, "bond0", 9000, 4), -EIO);	/* all members or none */
	SEES(&m, "get mtu nic0", "4200");
	SEES(&m, "get mtu bond0", "4200");
	machine_close_sim(&m);
}

static void test_links_are_refused_what_nobody_taught(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	ask_begin(&m.ask, RTM_SETLINK, NLM_F_ACK, &(struct ifinfomsg){ .ifi_index = 2 }, sizeof(struct ifinfomsg));
	ask_u32(&m.ask, IFLA_TXQLEN, 10);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -ENOSYS);
	assert_non_null(strstr(sim_log(m.s), "not taught: attribute 13 of message type 19"));
	ask_begin(&m.ask, RTM_DELLINK, NLM_F_ACK, &(struct ifinfomsg){ .ifi_index = 2 }, sizeof(struct ifinfomsg));
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -ENOSYS);
	/* without NLM_F_ACK nobody would answer, and a program would wait */
	ask_begin(&m.ask, RTM_SETLINK, 0, &(struct ifinfomsg){ .ifi_index = 2 }, sizeof(struct ifinfomsg));
	ask_u32(&m.ask, IFLA_MTU, 2000);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -ETIMEDOUT);
	DO(&m, "user nobody");
	assert_int_equal(set_mtu(&m, 0, "nic0", 9000, 4), -EPERM);
	machine_close_sim(&m);
}

/* --- devlink --- */

#define BDF "0001:03:00.0"

static void devlink_begin(struct machine *m, uint8_t cmd, uint16_t flags, const char *bdf)
{
	uint16_t family = ask_family(&m->ask, m->k, "devlink");

	ask_genl(&m->ask, family, cmd, flags);
	if (!bdf)
		return;
	ask_str(&m->ask, DEVLINK_ATTR_BUS_NAME, "pci");
	ask_str(&m->ask, DEVLINK_ATTR_DEV_NAME, bdf);
}

static int param_set(struct machine *m, const char *name, int type, int cmode, const char *data, size_t len)
{
	devlink_begin(m, DEVLINK_CMD_PARAM_SET, NLM_F_ACK, BDF);
	if (name)
		ask_str(&m->ask, DEVLINK_ATTR_PARAM_NAME, name);
	if (type >= 0)
		ask_u8(&m->ask, DEVLINK_ATTR_PARAM_TYPE, (uint8_t)type);
	if (cmode >= 0)
		ask_u8(&m->ask, DEVLINK_ATTR_PARAM_VALUE_CMODE, (uint8_t)cmode);
	if (data)
		ask_attr(&m->ask, DEVLINK_ATTR_PARAM_VALUE_DATA, data, len);
	return verdict(m, NETLINK_GENERIC, NULL);
}

static int reload(struct machine *m, const char *bdf, int action)
{
	devlink_begin(m, DEVLINK_CMD_RELOAD, NLM_F_ACK, bdf);
	if (action >= 0)
		ask_u8(&m->ask, DEVLINK_ATTR_RELOAD_ACTION, (uint8_t)action);
	return verdict(m, NETLINK_GENERIC, NULL);
}

static void test_param_set_refusals(void **state)
{
	static const struct { const char *options, *name; int type, cmode; const char *data; size_t len; int error; uint32_t missing; }
		rows[] = {
		{ "", NULL, 6, 1, "", 0, -EINVAL, DEVLINK_ATTR_PARAM_NAME },
		{ "", "nothing", 6, 1, "", 0, -EINVAL, 0 },
		{ "", "enable_roce", -1, 1, "", 0, -EINVAL, DEVLINK_ATTR_PARAM_TYPE },
		{ "", "enable_roce", 3, 1, "", 0, -EINVAL, 0 },
		{ "", "enable_roce", 6, -1, "", 0, -EINVAL, DEVLINK_ATTR_PARAM_VALUE_CMODE },
		{ "", "enable_roce", 6, 0, "", 0, -EOPNOTSUPP, 0 },	/* driverinit only */
		{ "", "enable_roce", 6, 1, "\1", 1, -EINVAL, 0 },	/* a flag has no value */
		{ "--eq-size", "io_eq_size", 3, 1, "\0\1\0", 4, -ENOSYS, 0 },
		{ "--driver bnxt_en", "enable_roce", 6, 2, "", 0, -EINVAL, 0 },	/* has none on these kernels */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		assert_int_equal(param_set(&m, rows[i].name, rows[i].type, rows[i].cmode, rows[i].data, rows[i].len),
				 rows[i].error);
		assert_int_equal(m.missing, rows[i].missing);
		SEES(&m, "get roce nic0", "on");
		assert_int_equal(sim_writes(m.s), 0);
		machine_close_sim(&m);
	}
}

static void test_roce_is_pending_until_the_reload(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(param_set(&m, "enable_roce", 6, 1, NULL, 0), 0);
	SEES(&m, "get roce nic0", "on pending off");
	SEES(&m, "get ibdev nic0", "mlx5_0");
	assert_int_equal(reload(&m, BDF, -1), 0);
	SEES(&m, "get roce nic0", "off");
	SEES(&m, "get ibdev nic0", "none");
	READS(&m, "sys/class/infiniband/mlx5_0/fw_ver", "error -2");
	READS(&m, "sys/class/infiniband/mlx5_1/fw_ver", "22.41.1000");
	assert_int_equal(param_set(&m, "enable_roce", 6, 1, "", 0), 0);
	assert_int_equal(reload(&m, BDF, 1), 0);
	SEES(&m, "get ibdev nic0", "mlx5_0");
	assert_int_equal(sim_writes(m.s), 4);
	machine_close_sim(&m);
}

static void test_reload_refusals(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(reload(&m, NULL, -1), -EINVAL);
	assert_int_equal(reload(&m, "0009:03:00.0", -1), -ENODEV);
	assert_int_equal(reload(&m, BDF, 2), -EOPNOTSUPP);
	assert_string_equal(m.ack, "Requested reload action is not supported by the driver");
	DO(&m, "fault nic0 reload err EBUSY");
	assert_int_equal(reload(&m, BDF, -1), -EBUSY);
	SEES(&m, "get ifindex nic0", "2");
	DO(&m, "user nobody");
	assert_int_equal(reload(&m, BDF, -1), -EPERM);
	machine_close_sim(&m);
}

static void test_roce_of_a_bond(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "bond bond0 nic0 nic1");
	assert_int_equal(param_set(&m, "enable_roce", 6, 1, NULL, 0), -EOPNOTSUPP);
	assert_string_equal(m.ack, "mlx5_core: Multi port slave/Lag device can't configure RoCE");
	machine_close_sim(&m);
}

static void test_roce_of_ice_is_at_once(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "--driver ice");
	assert_int_equal(param_set(&m, "enable_roce", 6, 0, NULL, 0), 0);
	SEES(&m, "get ibdev nic0", "none");
	DO(&m, "set iwarp nic0 on");
	assert_int_equal(param_set(&m, "enable_roce", 6, 0, "", 0), -EOPNOTSUPP);
	assert_non_null(strstr(m.ack, "iWARP is currently enabled"));
	DO(&m, "set iwarp nic0 off");
	assert_int_equal(param_set(&m, "enable_roce", 6, 0, "", 0), 0);
	SEES(&m, "get ibdev nic0", "mlx5_0");
	machine_close_sim(&m);
}

static void test_generic_netlink_refusals(void **state)
{
	struct machine m;
	uint16_t devlink;

	(void)state;
	machine_open_sim(&m, "");
	devlink = ask_family(&m.ask, m.k, "devlink");
	assert_int_equal(ask_family(&m.ask, m.k, "nothing"), 0);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -ENOENT);
	ask_genl(&m.ask, 99, 1, 0);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -ENOENT);
	ask_genl(&m.ask, devlink, 200, NLM_F_ACK);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -ENOSYS);
	ask_genl(&m.ask, devlink, DEVLINK_CMD_RELOAD, NLM_F_DUMP);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -EOPNOTSUPP);
	devlink_begin(&m, DEVLINK_CMD_INFO_GET, 0, BDF);
	ask_u8(&m.ask, 250, 1);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -EINVAL);
	assert_string_equal(m.ack, "Unknown attribute type");
	devlink_begin(&m, DEVLINK_CMD_INFO_GET, 0, NULL);
	assert_int_equal(verdict(&m, NETLINK_GENERIC, NULL), -EINVAL);
	machine_close_sim(&m);
	machine_open_sim(&m, "--no-devlink");
	assert_int_equal(ask_family(&m.ask, m.k, "devlink"), 0);
	assert_int_not_equal(ask_family(&m.ask, m.k, "ethtool"), 0);
	machine_close_sim(&m);
}

/* --- ethtool --- */

static int pause_get(struct machine *m, uint16_t flags, uint16_t type, const char *name, uint32_t index)
{
	uint16_t family = ask_family(&m->ask, m->k, "ethtool");
	size_t at;

	ask_genl(&m->ask, family, ETHTOOL_MSG_PAUSE_GET, flags);
	if (type) {
		at = ask_nest(&m->ask, type);
		if (index)
			ask_u32(&m->ask, ETHTOOL_A_HEADER_DEV_INDEX, index);
		if (name)
			ask_str(&m->ask, ETHTOOL_A_HEADER_DEV_NAME, name);
		ask_nest_end(&m->ask, at);
	}
	return verdict(m, NETLINK_GENERIC, NULL);
}

static int pause_set(struct machine *m, int autoneg, int rx, int tx)
{
	uint16_t family = ask_family(&m->ask, m->k, "ethtool");
	size_t at;

	ask_genl(&m->ask, family, ETHTOOL_MSG_PAUSE_SET, NLM_F_ACK);
	at = ask_nest(&m->ask, ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED);
	ask_str(&m->ask, ETHTOOL_A_HEADER_DEV_NAME, "nic0");
	ask_nest_end(&m->ask, at);
	ask_u8(&m->ask, ETHTOOL_A_PAUSE_AUTONEG, (uint8_t)autoneg);
	ask_u8(&m->ask, ETHTOOL_A_PAUSE_RX, (uint8_t)rx);
	ask_u8(&m->ask, ETHTOOL_A_PAUSE_TX, (uint8_t)tx);
	return verdict(m, NETLINK_GENERIC, NULL);
}

static void test_pause_get_refusals(void **state)
{
	static const struct { uint16_t flags, type; const char *name; uint32_t index; int error; const char *ack; } rows[] = {
		{ 0, 1 | NLA_F_NESTED, "nic1", 0, 0, "" },
		{ 0, 1 | NLA_F_NESTED, NULL, 3, 0, "" },
		{ NLM_F_DUMP, 1 | NLA_F_NESTED, NULL, 0, 0, "" },
		{ 0, 1, "nic1", 0, -EINVAL, "NLA_F_NESTED is missing" },
		{ 0, 1 | NLA_F_NESTED, NULL, 0, -EINVAL, "neither ifindex nor name specified" },
		{ 0, 0, NULL, 0, -EINVAL, "" },
		{ 0, 1 | NLA_F_NESTED, "nic9", 0, -ENODEV, "no device matches name" },
		{ 0, 1 | NLA_F_NESTED, NULL, 99, -ENODEV, "no device matches ifindex" },
		{ 0, 1 | NLA_F_NESTED, "nic0", 3, -ENODEV, "ifindex and name do not match" },
		{ 0, 1 | NLA_F_NESTED, "lo", 0, -EOPNOTSUPP, "" },
		{ 0, 77 | NLA_F_NESTED, "nic0", 0, -EINVAL, "Unknown attribute type" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, "");
		assert_int_equal(pause_get(&m, rows[i].flags, rows[i].type, rows[i].name, rows[i].index), rows[i].error);
		assert_string_equal(m.ack, rows[i].ack);
		machine_close_sim(&m);
	}
}

static void test_pause_set(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(pause_set(&m, 1, 1, 1), -EINVAL);
	DO(&m, "fault nic0 pause err EIO");
	assert_int_equal(pause_set(&m, 0, 1, 1), 0);	/* as it is: the driver is not asked */
	assert_int_equal(pause_set(&m, 0, 0, 1), -EIO);
	DO(&m, "fault nic0 pause none");
	assert_int_equal(pause_set(&m, 0, 0, 1), 0);
	SEES(&m, "get pause nic0", "rx off tx on");
	DO(&m, "user nobody");
	assert_int_equal(pause_set(&m, 0, 0, 0), -EPERM);
	machine_close_sim(&m);
}

/* --- RDMA --- */

static int nldev(struct machine *m, unsigned cmd, uint16_t flags, int dev, int port)
{
	ask_begin(&m->ask, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags, NULL, 0);
	if (dev >= 0)
		ask_u32(&m->ask, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)dev);
	if (port >= 0)
		ask_u32(&m->ask, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port);
	return verdict(m, NETLINK_RDMA, NULL);
}

static void test_nldev(void **state)
{
	static const struct { const char *options; unsigned cmd; uint16_t flags; int dev, port, error; } rows[] = {
		{ "", RDMA_NLDEV_CMD_GET, NLM_F_DUMP, -1, -1, 0 },
		{ "", RDMA_NLDEV_CMD_GET, 0, 1, -1, 0 },
		{ "", RDMA_NLDEV_CMD_GET, 0, -1, -1, -EINVAL },
		{ "", RDMA_NLDEV_CMD_GET, 0, 7, -1, -EINVAL },
		{ "", RDMA_NLDEV_CMD_PORT_GET, 0, 1, 1, 0 },
		{ "", RDMA_NLDEV_CMD_PORT_GET, 0, 1, 2, -EINVAL },
		{ "", RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP, 1, -1, 0 },
		{ "", RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP, -1, -1, -EINVAL },	/* in its NLMSG_DONE */
		{ "", RDMA_NLDEV_CMD_SYS_GET, 0, -1, -1, 0 },
		{ "", RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP, 1, -1, 0 },
		{ "", RDMA_NLDEV_CMD_RES_CTX_GET, NLM_F_DUMP, 7, -1, -EINVAL },
		{ "", RDMA_NLDEV_CMD_RES_CM_ID_GET, NLM_F_DUMP, -1, -1, -EINVAL },
		{ "", RDMA_NLDEV_CMD_RES_QP_GET, 0, 1, -1, -ENOSYS },
		{ "", RDMA_NLDEV_CMD_RES_PD_GET, NLM_F_DUMP, 1, -1, -ENOSYS },
		{ "--no-rdma", RDMA_NLDEV_CMD_GET, NLM_F_DUMP, -1, -1, -EPROTONOSUPPORT },	/* the door's own */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m;

		machine_open_sim(&m, rows[i].options);
		assert_int_equal(nldev(&m, rows[i].cmd, rows[i].flags, rows[i].dev, rows[i].port), rows[i].error);
		machine_close_sim(&m);
	}
}

/* A dump's answer as hexadecimal, without what each request has of its own. */
static const char *answer_in_hex(struct machine *m, unsigned cmd, uint32_t dev)
{
	TEXT_CLEANUP struct text reply = { 0 }, hex = { 0 };

	ask_begin(&m->ask, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), NLM_F_DUMP, NULL, 0);
	ask_u32(&m->ask, RDMA_NLDEV_ATTR_DEV_INDEX, dev);
	assert_int_equal(verdict(m, NETLINK_RDMA, &reply), 0);
	for (size_t at = 0, len; at + NLMSG_HDRLEN <= reply.n; at += len) {
		struct nlmsghdr h;

		memcpy(&h, reply.s + at, sizeof(h));
		len = NLMSG_ALIGN(h.nlmsg_len);
		memset(reply.s + at + offsetof(struct nlmsghdr, nlmsg_seq), 0, 8);
	}
	for (size_t i = 0; i < reply.n; i++)
		text_printf(&hex, "%02x", (uint8_t)reply.s[i]);
	return arena_strdup(m->a, text_str(&hex));
}

/*
 * What Linux 6.12 answered while tests/vm/hold had a context and two queue pairs on device 2, and then while rping
 * listened, before anybody connected: byte for byte, but for sequence and port number.
 */
static void test_who_holds_what(void **state)
{
	static const char done[] = "14000000030002000000000000000000"
				   "00000000";
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "reload nic0");		/* its device is number 2 */
	DO(&m, "open nic0 context python3 201");
	DO(&m, "open nic1 context other 202");
	DO(&m, "open nic0 qp python3 201 2 rc 0");
	assert_string_equal(answer_in_hex(&m, RDMA_NLDEV_CMD_RES_CTX_GET, 2),
			    arena_printf(m.a, "3c0000001614020000000000000000000800010002000000"
					      "0b0002006d6c78355f3000001800560014005700080040000000000008001c00c9000000%s", done));
	assert_string_equal(answer_in_hex(&m, RDMA_NLDEV_CMD_RES_QP_GET, 2),
			    arena_printf(m.a, "c00000000a14020000000000000000000800010002000000"
					      "0b0002006d6c78355f3000009c001300"
					      "4c001400080015000200000008003c000000000008001c00c9000000080016000000000008001700"
					      "00000000080018000000000005001900000000000500"
					      "1a000200000005001b0000000000"
					      "4c001400080015000300000008003c000000000008001c00c9000000080016000000000008001700"
					      "00000000080018000000000005001900000000000500"
					      "1a000200000005001b0000000000%s", done));
	machine_close_sim(&m);
	machine_open_sim(&m, "");
	DO(&m, "reload nic0");
	DO(&m, "open nic0 cm_id rping 211");
	assert_string_equal(answer_in_hex(&m, RDMA_NLDEV_CMD_RES_CM_ID_GET, 2),
			    arena_printf(m.a, "d00000000b14020000000000000000000800010002000000"
					      "0b0002006d6c78355f300000ac001e00a8001f00080020000601000005001b00080000008400210002001c06%0248d"
					      "08003f000000000008001c00d3000000%s", 0, done));
	machine_close_sim(&m);
}

static void test_messages_that_are_none(void **state)
{
	struct nlmsghdr h = { .nlmsg_len = sizeof(h), .nlmsg_type = RTM_GETLINK };
	TEXT_CLEANUP struct text reply = { 0 };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	assert_int_equal(m.k->ops->talk(m.k, NETLINK_ROUTE, &h, 8, &reply), -EINVAL);
	h.nlmsg_len = 100;
	assert_int_equal(m.k->ops->talk(m.k, NETLINK_ROUTE, &h, sizeof(h), &reply), -EINVAL);
	h.nlmsg_len = sizeof(h);	/* without NLM_F_REQUEST */
	assert_int_equal(m.k->ops->talk(m.k, NETLINK_ROUTE, &h, sizeof(h), &reply), -ENOSYS);
	assert_int_equal(reply.n, 0);
	ask_begin(&m.ask, RTM_GETLINK, 0, NULL, 0);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -EINVAL);
	ask_begin(&m.ask, RTM_GETDCB, 0, NULL, 0);
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -EINVAL);
	machine_close_sim(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mtu),
		cmocka_unit_test(test_mtu_of_bonds_and_vlans),
		cmocka_unit_test(test_links_are_refused_what_nobody_taught),
		cmocka_unit_test(test_param_set_refusals),
		cmocka_unit_test(test_roce_is_pending_until_the_reload),
		cmocka_unit_test(test_reload_refusals),
		cmocka_unit_test(test_roce_of_a_bond),
		cmocka_unit_test(test_roce_of_ice_is_at_once),
		cmocka_unit_test(test_generic_netlink_refusals),
		cmocka_unit_test(test_pause_get_refusals),
		cmocka_unit_test(test_pause_set),
		cmocka_unit_test(test_nldev),
		cmocka_unit_test(test_who_holds_what),
		cmocka_unit_test(test_messages_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
