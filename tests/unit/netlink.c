/* SPDX-License-Identifier: Apache-2.0 */
/* One exchange: where errors and their text stand, what an answer must be like, and links, devlink, rdma, ethtool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "fake.h"
#include "kernel/devlink.h"
#include "kernel/ethnl.h"
#include "kernel/netlink.h"
#include "kernel/rdmanl.h"
#include "kernel/rtnl.h"

/* --- errors and extended ACK -------------------------------------------------- */

enum layout { PLAIN, CAPPED, COPIED, CAPPED_WITHOUT_TEXT, BEYOND, HUGE_COPY, AT_DONE };

struct ack_case {
	const char *name;
	enum layout layout;
	int error, want;
	const char *text, *want_text;
};

static void put_ack(struct text *t, const struct ack_case *c, const struct nlmsghdr *request)
{
	struct nlmsgerr e = { .error = c->error, .msg = *request };
	bool tlvs = c->layout == CAPPED || c->layout == COPIED || c->layout == BEYOND || c->layout == HUGE_COPY;
	uint16_t flags = (tlvs ? NLM_F_ACK_TLVS : 0) | (c->layout == CAPPED ||
		c->layout == CAPPED_WITHOUT_TEXT ? NLM_F_CAPPED : 0);
	size_t at;

	if (c->layout == AT_DONE) {
		at = msg_begin(t, NLMSG_DONE, NLM_F_MULTI | NLM_F_ACK_TLVS);
		msg_extra(t, &c->error, sizeof(c->error));
	} else {
		at = msg_begin(t, NLMSG_ERROR, flags);
		if (c->layout == BEYOND)
			e.msg.nlmsg_len = 4000;
		if (c->layout == HUGE_COPY)
			e.msg.nlmsg_len = 3;
		msg_extra(t, &e, sizeof(e));
		if (c->layout == COPIED || c->layout == PLAIN)
			msg_extra(t, request + 1, request->nlmsg_len - sizeof(*request));
	}
	if (c->text)
		msg_str(t, NLMSGERR_ATTR_MSG, c->text);
	msg_end(t, at);
}

static int answer_ack(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	(void)protocol;
	put_ack(reply, f->arg, request);
	return 0;
}

static void errors_and_their_text(void **state)
{
	static const struct ack_case cases[] = {
		{ "plain error", PLAIN, -EINVAL, -EINVAL, NULL, NULL },
		{ "text behind a capped header", CAPPED, -EINVAL, -EINVAL, "mtu greater than device maximum",
		  "mtu greater than device maximum" },
		{ "text behind the copied request", COPIED, -EINVAL, -EINVAL, "no", "no" },
		{ "capped, no text", CAPPED_WITHOUT_TEXT, -EPERM, -EPERM, NULL, NULL },
		{ "a warning with success", CAPPED, 0, 0, "VFs will be lost", "VFs will be lost" },
		{ "success", CAPPED_WITHOUT_TEXT, 0, 0, NULL, NULL },
		{ "escape sequences", CAPPED, -EIO, -EIO, "a\033[2Jb", "a\\x1b[2Jb" },
		{ "copy longer than the message", BEYOND, -EINVAL, -EBADMSG, "x", NULL },
		{ "copy shorter than a header", HUGE_COPY, -EINVAL, -EBADMSG, "x", NULL },
		{ "positive error", CAPPED, 5, -EBADMSG, NULL, NULL },
		{ "error out of range", CAPPED, -5000, -EBADMSG, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f;
		int r;

		fake_open(&f, answer_ack, (void *)(uintptr_t)&cases[i]);
		r = rtnl_set_mtu(&f.k, "eth0", 9000, &f.d);
		print_message("%s\n", cases[i].name);
		assert_int_equal(r, cases[i].want);
		assert_int_equal(f.k.writes, 1);
		if (cases[i].want_text)
			assert_string_equal(f.k.ack, cases[i].want_text);
		else
			assert_null(f.k.ack);
		assert_int_equal(f.d.errors, r < 0);
		assert_int_equal(f.d.warnings, r == 0 && cases[i].want_text);
		if (r < 0) {
			assert_string_equal(f.d.at[0].what, "cannot set mtu to 9000");
			assert_string_equal(f.d.at[0].object, "eth0");
			assert_int_equal(f.d.at[0].err, -r);
		}
		fake_close(&f);
	}
}

static void error_at_the_end_of_a_dump(void **state)
{
	static const struct ack_case done = { "done", AT_DONE, -EMSGSIZE, -EMSGSIZE, "device 3 failed",
		"device 3 failed" };
	const struct rtnl_link *links;
	struct fake f;
	size_t n;

	(void)state;
	fake_open(&f, answer_ack, (void *)(uintptr_t)&done);
	assert_int_equal(rtnl_links(&f.k, &links, &n), -EMSGSIZE);
	assert_string_equal(f.k.ack, "device 3 failed");
	fake_close(&f);
}

static void a_long_name_is_refused_without_asking(void **state)
{
	struct fake f;

	(void)state;
	fake_open(&f, answer_ack, NULL);
	assert_int_equal(rtnl_set_mtu(&f.k, "an-alternative-name", 9000, &f.d), -ENODEV);
	assert_int_equal(f.asked, 0);
	assert_int_equal(f.d.errors, 1);
	fake_close(&f);
}

/* --- links ------------------------------------------------------------------- */

static void put_link(struct text *t, int index, const char *name, const char *kind, uint32_t mtu, uint16_t flags)
{
	struct ifinfomsg i = { .ifi_index = index, .ifi_type = 1, .ifi_flags = IFF_UP };
	size_t at = msg_begin(t, RTM_NEWLINK, NLM_F_MULTI | flags), nest;

	msg_extra(t, &i, sizeof(i));
	msg_str(t, IFLA_IFNAME, name);
	msg_u32(t, IFLA_MTU, mtu);
	msg_u32(t, IFLA_MIN_MTU, 68);
	msg_u32(t, IFLA_MAX_MTU, 9978);
	msg_u8(t, IFLA_CARRIER, 1);
	msg_str(t, IFLA_PARENT_DEV_NAME, "0001:03:00.0");
	msg_str(t, 1000, "a number of a later kernel");
	if (kind) {
		nest = msg_nest(t, IFLA_LINKINFO);
		msg_str(t, IFLA_INFO_KIND, kind);
		msg_nest_end(t, nest);
	}
	msg_end(t, at);
}

static int answer_links(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	unsigned *interrupted = f->arg;

	assert_int_equal(protocol, NETLINK_ROUTE);
	assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	put_link(reply, 2, "eth0", NULL, 9000, interrupted && f->asked <= *interrupted ? NLM_F_DUMP_INTR : 0);
	put_link(reply, 3, "bond0", "bond", 1500, 0);
	msg_done(reply, 0);
	return 0;
}

static void links_by_name_and_number(void **state)
{
	const struct rtnl_link *links;
	struct fake f;
	size_t n;

	(void)state;
	fake_open(&f, answer_links, NULL);
	assert_int_equal(rtnl_links(&f.k, &links, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(links[0].parent, "0001:03:00.0");
	assert_string_equal(links[0].kind, "");
	assert_true(links[0].up && links[0].carrier);
	assert_int_equal(links[0].max_mtu, 9978);
	assert_string_equal(rtnl_link_by_index(&f.k, 3)->kind, "bond");
	assert_int_equal(rtnl_link(&f.k, "eth0")->mtu, 9000);
	assert_null(rtnl_link(&f.k, "eth9"));
	assert_int_equal(f.asked, 1);
	kernel_renew(&f.k);
	assert_non_null(rtnl_link(&f.k, "eth0"));
	assert_int_equal(f.asked, 2);
	assert_int_equal(f.k.writes, 0);
	fake_close(&f);
}

static void an_interrupted_dump_is_asked_again(void **state)
{
	static const struct { unsigned interrupted; int want; size_t asked; } cases[] = {
		{ 1, 0, 2 }, { 3, 0, 4 }, { 4, -EAGAIN, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned interrupted = cases[i].interrupted;
		const struct rtnl_link *links;
		struct fake f;
		size_t n = 0;

		fake_open(&f, answer_links, &interrupted);
		assert_int_equal(rtnl_links(&f.k, &links, &n), cases[i].want);
		assert_int_equal(f.asked, cases[i].asked);
		assert_int_equal(n, cases[i].want == 0 ? 2 : 0);
		fake_close(&f);
	}
}

/* --- answers that are no answers ---------------------------------------------- */

enum wrong { EMPTY, NO_DONE, CUT_MESSAGE, SHORT_LENGTH, ATTR_TOO_LONG, ATTR_TOO_SHORT, NO_NAME, SHORT_HEADER,
	OVERRUN, WRONGS };

static int answer_wrong(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	enum wrong w = *(enum wrong *)f->arg;
	struct ifinfomsg i = { .ifi_index = 2 };
	size_t at;

	(void)protocol;
	(void)request;
	if (w == EMPTY)
		return 0;
	if (w == OVERRUN) {
		at = msg_begin(reply, NLMSG_OVERRUN, 0);
		msg_end(reply, at);
		msg_done(reply, 0);
		return 0;
	}
	at = msg_begin(reply, RTM_NEWLINK, NLM_F_MULTI);
	msg_extra(reply, &i, w == SHORT_HEADER ? 8 : sizeof(i));
	if (w != NO_NAME && w != SHORT_HEADER)
		msg_str(reply, IFLA_IFNAME, "eth0");
	if (w == ATTR_TOO_LONG || w == ATTR_TOO_SHORT) {
		msg_u32(reply, IFLA_MTU, 1500);
		reply->s[reply->n - 8] = w == ATTR_TOO_LONG ? 100 : 3;
	}
	msg_end(reply, at);
	if (w == SHORT_LENGTH)
		reply->s[at] = 15;
	if (w != NO_DONE)
		msg_done(reply, 0);
	if (w == CUT_MESSAGE)
		reply->n -= 5;
	return 0;
}

static void wrong_answers_are_refused(void **state)
{
	(void)state;
	for (enum wrong w = 0; w < WRONGS; w++) {
		const struct rtnl_link *links;
		struct fake f;
		size_t n;

		fake_open(&f, answer_wrong, &w);
		print_message("wrong answer %d\n", (int)w);
		assert_int_equal(rtnl_links(&f.k, &links, &n), -EBADMSG);
		assert_null(rtnl_link(&f.k, "eth0"));
		fake_close(&f);
	}
}

static int answer_errno(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	(void)protocol;
	(void)request;
	(void)reply;
	return *(int *)f->arg;
}

static void a_closed_door_is_told_as_it_is(void **state)
{
	static const int errnos[] = { -ENODATA, -EPROTONOSUPPORT, -ETIMEDOUT };

	(void)state;
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		const struct rdma_port *ports;
		const struct rtnl_link *links;
		int want = errnos[i], err = 0;
		struct fake f;
		size_t n;

		fake_open(&f, answer_errno, &want);
		assert_int_equal(rtnl_links(&f.k, &links, &n), want);
		assert_int_equal(rdmanl_ports(&f.k, &ports, &n), want);
		assert_null(devlink_info(&f.k, "0001:03:00.0", &err));
		assert_int_equal(err, want);
		assert_null(ethnl_pause(&f.k, 2, &err));
		assert_int_equal(err, want);
		fake_close(&f);
	}
}

/* --- who may set ---------------------------------------------------------------- */

static void a_dump_and_a_root_refuse_sets(void **state)
{
	(void)state;
	for (int root = 0; root < 2; root++) {
		struct fake f;

		fake_open(&f, answer_ack, NULL);
		f.k.read_only = !root;
		f.k.files_only = root;
		assert_int_equal(rtnl_set_mtu(&f.k, "eth0", 9000, &f.d), -EROFS);
		assert_int_equal(kernel_write(&f.k, "sys/a", "1", 1), -EROFS);
		assert_int_equal(kernel_ethtool(&f.k, "eth0", NULL, 0, true), -EOPNOTSUPP);
		assert_int_equal(f.asked, 0);
		assert_int_equal(f.k.writes, 0);
		fake_close(&f);
	}
}

/* --- devlink ------------------------------------------------------------------- */

#define DEVLINK 0x15

static void put_handle(struct text *t, const char *bdf)
{
	msg_str(t, DEVLINK_ATTR_BUS_NAME, "pci");
	msg_str(t, DEVLINK_ATTR_DEV_NAME, bdf);
}

static void put_version(struct text *t, uint16_t kind, const char *name, const char *value)
{
	size_t nest = msg_nest(t, kind);

	msg_str(t, DEVLINK_ATTR_INFO_VERSION_NAME, name);
	msg_str(t, DEVLINK_ATTR_INFO_VERSION_VALUE, value);
	msg_nest_end(t, nest);
}

static void put_info(struct text *t, const char *bdf)
{
	size_t at = msg_begin(t, DEVLINK, NLM_F_MULTI);

	msg_genl(t, DEVLINK_CMD_INFO_GET);
	put_handle(t, bdf);
	msg_str(t, DEVLINK_ATTR_INFO_DRIVER_NAME, "mlx5_core");
	msg_str(t, DEVLINK_ATTR_INFO_SERIAL_NUMBER, "MT0000X00001");
	put_version(t, DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000838");
	put_version(t, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "28.39.1002");
	put_version(t, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "28.39.1002");
	put_version(t, DEVLINK_ATTR_INFO_VERSION_STORED, "fw.version", "28.40.1000");
	msg_end(t, at);
}

static void put_value(struct text *t, uint8_t cmode, bool v)
{
	size_t nest = msg_nest(t, DEVLINK_ATTR_PARAM_VALUE);

	msg_u8(t, DEVLINK_ATTR_PARAM_VALUE_CMODE, cmode);
	if (v)
		msg_attr(t, DEVLINK_ATTR_PARAM_VALUE_DATA, "", 0);
	msg_nest_end(t, nest);
}

static void put_param(struct text *t, const char *bdf, const char *name, uint8_t type, bool driverinit, bool permanent)
{
	size_t at = msg_begin(t, DEVLINK, NLM_F_MULTI), nest, list;

	msg_genl(t, DEVLINK_CMD_PARAM_GET);
	put_handle(t, bdf);
	nest = msg_nest(t, DEVLINK_ATTR_PARAM | NLA_F_NESTED);
	msg_str(t, DEVLINK_ATTR_PARAM_NAME, name);
	msg_u8(t, DEVLINK_ATTR_PARAM_TYPE, type);
	list = msg_nest(t, DEVLINK_ATTR_PARAM_VALUES_LIST | NLA_F_NESTED);
	put_value(t, DEVLINK_DRIVERINIT, driverinit);
	put_value(t, DEVLINK_PERMANENT, permanent);
	put_value(t, 9, true);
	msg_nest_end(t, list);
	msg_nest_end(t, nest);
	msg_end(t, at);
}

/* @arg: bool, does the dump end with an error of the second device */
static int answer_devlink(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	bool broken = *(bool *)f->arg;
	const struct genlmsghdr *g = (const void *)(request + 1);
	bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;

	assert_int_equal(protocol, NETLINK_GENERIC);
	if (msg_family(request, "devlink", DEVLINK, reply))
		return 0;
	if (g->cmd == DEVLINK_CMD_INFO_GET)
		put_info(reply, "0001:03:00.0");
	else {
		put_param(reply, "0001:03:00.0", "enable_roce", 6, true, false);
		if (dump)
			put_param(reply, "0001:03:00.0", "max_macs", 3, true, true);
	}
	if (dump)
		msg_done(reply, broken ? -EIO : 0);
	return 0;
}

static void devlink_info_and_parameters(void **state)
{
	(void)state;
	for (int broken = 0; broken < 2; broken++) {
		const struct devlink_info *info;
		const struct devlink_param *p;
		bool arg = broken;
		struct fake f;
		int err = -1;

		fake_open(&f, answer_devlink, &arg);
		info = devlink_info(&f.k, "0001:03:00.0", &err);
		assert_non_null(info);
		assert_int_equal(err, 0);
		assert_string_equal(info->driver, "mlx5_core");
		assert_int_equal(info->nversions, 4);
		assert_int_equal(info->version[0].kind, DEVLINK_FIXED);
		assert_string_equal(info->version[0].value, "MT_0000000838");
		assert_int_equal(info->version[3].kind, DEVLINK_STORED);
		assert_string_equal(info->version[3].value, "28.40.1000");
		p = devlink_param(&f.k, "0001:03:00.0", "enable_roce", &err);
		assert_non_null(p);
		assert_true(p->has[DEVLINK_DRIVERINIT] && p->value[DEVLINK_DRIVERINIT]);
		assert_true(p->has[DEVLINK_PERMANENT] && !p->value[DEVLINK_PERMANENT]);
		assert_false(p->has[DEVLINK_RUNTIME]);
		if (!broken) {
			assert_null(devlink_param(&f.k, "0001:03:00.0", "max_macs", &err)); /* not a boolean */
			assert_int_equal(err, -EOPNOTSUPP);
			assert_null(devlink_info(&f.k, "0002:03:00.0", &err));
			assert_int_equal(err, -EOPNOTSUPP);
		}
		assert_int_equal(f.asked, broken ? 5 : 3);
		fake_close(&f);
	}
}

static int answer_no_family(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	(void)f;
	(void)protocol;
	assert_true(msg_family(request, "nlctrl", 16, reply));
	return 0;
}

static void no_family_is_enoent(void **state)
{
	struct fake f;
	int err = 0;

	(void)state;
	fake_open(&f, answer_no_family, NULL);
	assert_null(devlink_info(&f.k, "0001:03:00.0", &err));
	assert_int_equal(err, -ENOENT);
	assert_null(ethnl_mode(&f.k, 2, &err));
	assert_int_equal(err, -ENOENT);
	assert_int_equal(devlink_set_bool(&f.k, "0001:03:00.0", "enable_roce", DEVLINK_DRIVERINIT, true, &f.d),
		-ENOENT);
	assert_int_equal(f.k.writes, 0);
	fake_close(&f);
}

static int answer_set(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	(void)protocol;
	(void)f;
	if (!msg_family(request, "devlink", DEVLINK, reply))
		msg_error(reply, 0);
	return 0;
}

/* True is an empty attribute, false is none. */
static void a_boolean_is_set_by_presence(void **state)
{
	(void)state;
	for (int v = 0; v < 2; v++) {
		const struct nlattr *tb[DEVLINK_ATTR_PARAM_VALUE_CMODE + 1];
		struct fake f;

		fake_open(&f, answer_set, NULL);
		assert_int_equal(devlink_set_bool(&f.k, "0001:03:00.0", "enable_roce", DEVLINK_DRIVERINIT, v, &f.d), 0);
		assert_int_equal(netlink_payload((const void *)f.request, GENL_HDRLEN, tb,
			DEVLINK_ATTR_PARAM_VALUE_CMODE + 1), 0);
		assert_string_equal(netlink_string(f.k.arena, tb[DEVLINK_ATTR_BUS_NAME]), "pci");
		assert_int_equal(netlink_u8(tb[DEVLINK_ATTR_PARAM_TYPE], 0), 6);
		assert_int_equal(netlink_u8(tb[DEVLINK_ATTR_PARAM_VALUE_CMODE], 9), DEVLINK_DRIVERINIT);
		assert_int_equal(tb[DEVLINK_ATTR_PARAM_VALUE_DATA] != NULL, v);
		assert_int_equal(f.k.writes, 1);
		fake_close(&f);
	}
}

/* --- rdma ---------------------------------------------------------------------- */

static int answer_rdma(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1" };
	const struct nlattr *tb[8];
	uint64_t guid = 0x0200000000000001;
	size_t at;

	(void)f;
	assert_int_equal(protocol, NETLINK_RDMA);
	if (request->nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)) {
		for (uint32_t i = 0; i < 2; i++) {
			at = msg_begin(reply, request->nlmsg_type, NLM_F_MULTI);
			msg_u32(reply, RDMA_NLDEV_ATTR_DEV_INDEX, i);
			msg_str(reply, RDMA_NLDEV_ATTR_DEV_NAME, names[i]);
			msg_u32(reply, RDMA_NLDEV_ATTR_PORT_INDEX, i + 1);
			msg_attr(reply, RDMA_NLDEV_ATTR_NODE_GUID, &guid, sizeof(guid));
			msg_str(reply, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
			msg_end(reply, at);
		}
		msg_done(reply, 0);
		return 0;
	}
	assert_int_equal(netlink_payload(request, 0, tb, 8), 0);
	for (uint32_t port = 1; port <= netlink_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX], 9) + 1; port++) {
		at = msg_begin(reply, request->nlmsg_type, 0);
		msg_u32(reply, RDMA_NLDEV_ATTR_PORT_INDEX, port);
		msg_u8(reply, RDMA_NLDEV_ATTR_PORT_STATE, 4);
		msg_u32(reply, RDMA_NLDEV_ATTR_NDEV_INDEX, 10 + port);
		msg_str(reply, RDMA_NLDEV_ATTR_NDEV_NAME, "eth0");
		msg_end(reply, at);
	}
	assert_int_equal((request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP, !tb[RDMA_NLDEV_ATTR_PORT_INDEX]);
	if (!tb[RDMA_NLDEV_ATTR_PORT_INDEX])
		msg_done(reply, 0);
	return 0;
}

static void rdma_ports_one_request_a_device(void **state)
{
	const struct rdma_port *port;
	struct fake f;
	size_t n;

	(void)state;
	fake_open(&f, answer_rdma, NULL);
	assert_int_equal(rdmanl_ports(&f.k, &port, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(f.asked, 3);
	assert_string_equal(port[0].ibdev, "mlx5_0");
	assert_string_equal(port[2].ibdev, "mlx5_1");
	assert_int_equal(port[2].port, 2);
	assert_int_equal(port[2].netdev_index, 12);
	assert_string_equal(port[0].fw_version, "");
	assert_int_equal(port[0].node_guid, 0x0200000000000001);
	fake_close(&f);
}

/* --- ethtool -------------------------------------------------------------------- */

#define ETHTOOL 0x16

static int answer_ethtool(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	const struct genlmsghdr *g = (const void *)(request + 1);
	size_t at, nest;

	(void)f;
	assert_int_equal(protocol, NETLINK_GENERIC);
	if (msg_family(request, "ethtool", ETHTOOL, reply))
		return 0;
	if (!(request->nlmsg_flags & NLM_F_DUMP)) {
		msg_error(reply, -EINVAL);
		return 0;
	}
	at = msg_begin(reply, ETHTOOL, NLM_F_MULTI);
	msg_genl(reply, g->cmd);
	nest = msg_nest(reply, 1);
	msg_u32(reply, ETHTOOL_A_HEADER_DEV_INDEX, 2);
	msg_str(reply, ETHTOOL_A_HEADER_DEV_NAME, "eth0");
	msg_nest_end(reply, nest);
	if (g->cmd == ETHTOOL_MSG_PAUSE_GET) {
		msg_u8(reply, ETHTOOL_A_PAUSE_AUTONEG, 0);
		msg_u8(reply, ETHTOOL_A_PAUSE_RX, 1);
		msg_u8(reply, ETHTOOL_A_PAUSE_TX, 0);
	} else {
		msg_u32(reply, ETHTOOL_A_LINKMODES_SPEED, 400000);
	}
	msg_end(reply, at);
	msg_done(reply, 0);
	return 0;
}

static void pause_and_speed(void **state)
{
	const struct ethnl_pause *p;
	const struct ethnl_mode *m;
	struct fake f;
	int err = -1;

	(void)state;
	fake_open(&f, answer_ethtool, NULL);
	p = ethnl_pause(&f.k, 2, &err);
	assert_non_null(p);
	assert_true(p->has_autoneg && !p->autoneg && p->rx && !p->tx);
	m = ethnl_mode(&f.k, 2, &err);
	assert_non_null(m);
	assert_int_equal(m->speed_mbps, 400000);
	assert_null(ethnl_pause(&f.k, 3, &err));
	assert_int_equal(err, -EOPNOTSUPP);
	assert_int_equal(f.asked, 3);
	assert_int_equal(ethnl_set_pause(&f.k, "eth0", false, false, false, &f.d), -EINVAL);
	assert_string_equal(f.d.at[0].what, "cannot set pause to rx off, tx off");
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_and_their_text),
		cmocka_unit_test(error_at_the_end_of_a_dump),
		cmocka_unit_test(a_long_name_is_refused_without_asking),
		cmocka_unit_test(links_by_name_and_number),
		cmocka_unit_test(an_interrupted_dump_is_asked_again),
		cmocka_unit_test(wrong_answers_are_refused),
		cmocka_unit_test(a_closed_door_is_told_as_it_is),
		cmocka_unit_test(a_dump_and_a_root_refuse_sets),
		cmocka_unit_test(devlink_info_and_parameters),
		cmocka_unit_test(no_family_is_enoent),
		cmocka_unit_test(a_boolean_is_set_by_presence),
		cmocka_unit_test(rdma_ports_one_request_a_device),
		cmocka_unit_test(pause_and_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
