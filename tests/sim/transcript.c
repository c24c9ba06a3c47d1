/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same questions and orders, put to a simulated machine or to a real kernel, with the answers as text: two
 * transcripts that agree show that the simulator answers as the kernel does. Only for a test bed: it sets things.
 */
#include "transcript.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "base/text.h"
#include "kernel/kernel.h"

struct talker {
	struct kernel *k;
	struct text *out;
	uint16_t devlink, ethtool;	/* family numbers here */
	struct ask ask;
};

/* --- answers as text --- */

static bool in(const uint16_t *list, uint16_t type)
{
	for (; *list; list++)
		if (*list == type)
			return true;
	return false;
}

static void print_attrs(struct talker *t, const char *s, size_t n, const uint16_t *only)
{
	while (n >= NLA_HDRLEN) {
		struct nlattr a;
		size_t step;

		memcpy(&a, s, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > n)
			break;
		if (!only || in(only, a.nla_type & NLA_TYPE_MASK)) {
			text_printf(t->out, " %u=", a.nla_type & NLA_TYPE_MASK);
			for (size_t i = NLA_HDRLEN; i < a.nla_len; i++)
				text_printf(t->out, "%02x", (uint8_t)s[i]);
		}
		step = NLA_ALIGN((size_t)a.nla_len);
		step = step < n ? step : n;
		s += step;
		n -= step;
	}
	text_char(t->out, '\n');
}

static void print_error(struct talker *t, const struct nlmsghdr *h)
{
	const char *payload = (const char *)h + NLMSG_HDRLEN;
	struct nlmsgerr e;

	memcpy(&e, payload, sizeof(e));
	text_printf(t->out, "  error %d", e.error);
	if (h->nlmsg_flags & NLM_F_ACK_TLVS)
		print_attrs(t, payload + sizeof(e), h->nlmsg_len - NLMSG_HDRLEN - sizeof(e),
			    (const uint16_t[]){ NLMSGERR_ATTR_MSG, 5, 0 });
	else
		text_char(t->out, '\n');
}

/* What only one of the two tells (statistics, link modes) is left out: @only names the rest. */
static void ask(struct talker *t, const char *what, int protocol, size_t header, const uint16_t *only)
{
	TEXT_CLEANUP struct text reply = { 0 };
	int r = ask_talk(&t->ask, t->k, protocol, &reply);

	text_printf(t->out, "%s\n", what);
	if (r < 0)
		text_printf(t->out, "  door %d\n", r);
	for (size_t at = 0; r == 0 && at + NLMSG_HDRLEN <= reply.n;) {
		const struct nlmsghdr *h = (const void *)(reply.s + at);
		size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN(header);

		if (h->nlmsg_type == NLMSG_ERROR) {
			print_error(t, h);
		} else if (h->nlmsg_type == NLMSG_DONE) {
			int error = 0;

			if (h->nlmsg_len >= NLMSG_HDRLEN + sizeof(error))
				memcpy(&error, (const char *)h + NLMSG_HDRLEN, sizeof(error));
			text_printf(t->out, "  done %d\n", error);
		} else {
			text_printf(t->out, "  %s",
				    h->nlmsg_type == t->devlink ? "devlink" : h->nlmsg_type == t->ethtool ? "ethtool" : "message");
			print_attrs(t, reply.s + at + skip, h->nlmsg_len > skip ? h->nlmsg_len - skip : 0, only);
		}
		at += NLMSG_ALIGN(h->nlmsg_len);
	}
}

/* --- DCB --- */

static void dcb_ask(struct talker *t, const char *what)
{
	ask(t, what, NETLINK_ROUTE, sizeof(struct dcbmsg), NULL);
}

static void dcb_get(struct talker *t)
{
	ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "nic0");
	dcb_ask(t, "IEEE_GET nic0");
}

static void dcb_set(struct talker *t, const char *what, uint16_t type, const void *data, size_t len)
{
	size_t at;

	ask_dcb(&t->ask, RTM_SETDCB, DCB_CMD_IEEE_SET, "nic0");
	at = ask_nest(&t->ask, DCB_ATTR_IEEE);
	ask_attr(&t->ask, type, data, len);
	ask_nest_end(&t->ask, at);
	dcb_ask(t, what);
	dcb_get(t);
}

static void dcb_apps(struct talker *t, const char *what, uint8_t cmd, const struct dcb_app *app, size_t n)
{
	size_t ieee, table;

	ask_dcb(&t->ask, RTM_SETDCB, cmd, "nic0");
	ieee = ask_nest(&t->ask, DCB_ATTR_IEEE);
	table = ask_nest(&t->ask, DCB_ATTR_IEEE_APP_TABLE);
	for (size_t i = 0; i < n; i++)
		ask_attr(&t->ask, 1, &app[i], sizeof(app[i]));
	ask_nest_end(&t->ask, table);
	ask_nest_end(&t->ask, ieee);
	dcb_ask(t, what);
	dcb_get(t);
}

static void dcb_refusals(struct talker *t)
{
	ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "nic9");
	dcb_ask(t, "IEEE_GET of no interface");
	ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "lo");
	dcb_ask(t, "IEEE_GET lo");
	ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_IEEE_GET, NULL);
	dcb_ask(t, "IEEE_GET without a name");
	ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "abcdefghijklmnop");
	dcb_ask(t, "IEEE_GET of a name that is too long");
	ask_dcb(&t->ask, RTM_GETDCB, 200, "nic0");
	dcb_ask(t, "DCB command 200");
	ask_begin(&t->ask, RTM_GETDCB, NLM_F_DUMP, &(struct dcbmsg){ .cmd = DCB_CMD_IEEE_GET }, sizeof(struct dcbmsg));
	dcb_ask(t, "IEEE_GET dump");
	ask_dcb(&t->ask, RTM_SETDCB, DCB_CMD_IEEE_SET, "nic0");
	dcb_ask(t, "IEEE_SET without a nest");
	dcb_set(t, "IEEE_SET with a short ETS", DCB_ATTR_IEEE_ETS, "0123456789", 10);
	dcb_set(t, "IEEE_SET with a short PFC", DCB_ATTR_IEEE_PFC, "0123456789", 10);
	dcb_set(t, "trust table", 11 | NLA_F_NESTED, "\5\0\1\0\5\0\0\0", 8);
}

static void dcb_ets(struct talker *t)
{
	struct ieee_ets ets = { .prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 }, .tc_tsa = { 2, 0, 0, 2 }, .tc_tx_bw = { 40, 0, 0, 50 } };

	dcb_set(t, "ETS of 90 %", DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	ets.tc_tx_bw[3] = 60;
	dcb_set(t, "ETS of 100 %", DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	ets.prio_tc[1] = 9;
	dcb_set(t, "ETS with TC 9", DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	ets.prio_tc[1] = 1;
	ets.tc_tsa[1] = 1;
	dcb_set(t, "ETS with a credit-based shaper", DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	ets.tc_tsa[1] = 255;
	dcb_set(t, "ETS with a vendor's TSA", DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
}

static void dcb_pfc(struct talker *t)
{
	struct ieee_pfc pfc = { .pfc_en = 0x08 };
	struct dcbnl_buffer b = { .prio2buffer = { 0, 0, 0, 1 }, .buffer_size = { 131072, 131100 } }, sizes = b;
	struct ieee_maxrate rate = { .tc_maxrate = { 150000, 0, 99000, 300000000 } };

	dcb_set(t, "PFC 3", DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	pfc.delay = 30;
	dcb_set(t, "PFC 3, 30 m", DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	pfc.delay = 1000;
	dcb_set(t, "PFC 3, 1000 m", DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	sizes.prio2buffer[3] = 0;
	dcb_set(t, "a map before the sizes", DCB_ATTR_DCB_BUFFER, &b, sizeof(b));
	dcb_set(t, "sizes of buffers", DCB_ATTR_DCB_BUFFER, &sizes, sizeof(sizes));
	dcb_set(t, "buffers", DCB_ATTR_DCB_BUFFER, &b, sizeof(b));
	b.buffer_size[1] = 20000;
	dcb_set(t, "a lossless buffer that is too small", DCB_ATTR_DCB_BUFFER, &b, sizeof(b));
	b.buffer_size[1] = 600000;
	dcb_set(t, "buffers beyond the total", DCB_ATTR_DCB_BUFFER, &b, sizeof(b));
	dcb_set(t, "rates", DCB_ATTR_IEEE_MAXRATE, &rate, sizeof(rate));
	rate.tc_maxrate[0] = 7000000000;
	dcb_set(t, "a rate beyond the register", DCB_ATTR_IEEE_MAXRATE, &rate, sizeof(rate));
}

static void dcb_app(struct talker *t)
{
	const struct dcb_app a = { 5, 3, 26 }, b = { 5, 4, 26 }, two[] = { { 5, 6, 48 }, { 5, 1, 10 } };
	const struct dcb_app bad[] = { { 5, 1, 12 }, { 5, 1, 64 }, { 5, 1, 14 } }, ethertype = { 1, 3, 0 };

	dcb_apps(t, "APP 26:3", DCB_CMD_IEEE_SET, &a, 1);
	dcb_apps(t, "APP 26:3 again", DCB_CMD_IEEE_SET, &a, 1);
	dcb_apps(t, "APP 26:4", DCB_CMD_IEEE_SET, &b, 1);
	dcb_apps(t, "APP 48:6 10:1", DCB_CMD_IEEE_SET, two, 2);
	dcb_apps(t, "APP 12:1 64:1 14:1", DCB_CMD_IEEE_SET, bad, 3);
	dcb_apps(t, "APP by ethertype", DCB_CMD_IEEE_SET, &ethertype, 1);
	dcb_apps(t, "delete APP 26:3", DCB_CMD_IEEE_DEL, &a, 1);
	dcb_apps(t, "delete APP 26:4", DCB_CMD_IEEE_DEL, &b, 1);
	dcb_apps(t, "delete APP 48:6 10:1", DCB_CMD_IEEE_DEL, two, 2);
	dcb_apps(t, "delete APP 12:1", DCB_CMD_IEEE_DEL, bad, 1);
	dcb_apps(t, "delete APP 12:1 again", DCB_CMD_IEEE_DEL, bad, 1);
	dcb_apps(t, "APP 26:3 before the reload", DCB_CMD_IEEE_SET, &a, 1);
}

static void dcb_dcbx(struct talker *t)
{
	static const uint8_t modes[] = { 0x06, 0x04, 0x09, 0, 0x0d };
	char what[32];

	ask_dcb(&t->ask, RTM_SETDCB, DCB_CMD_SDCBX, "nic0");
	dcb_ask(t, "SDCBX without a mode");
	for (size_t i = 0; i < sizeof(modes); i++) {
		ask_dcb(&t->ask, RTM_SETDCB, DCB_CMD_SDCBX, "nic0");
		ask_u8(&t->ask, DCB_ATTR_DCBX, modes[i]);
		snprintf(what, sizeof(what), "SDCBX 0x%02x", modes[i]);
		dcb_ask(t, what);
		ask_dcb(&t->ask, RTM_GETDCB, DCB_CMD_GDCBX, "nic0");
		dcb_ask(t, "GDCBX");
	}
}

/* --- links --- */

static const uint16_t link_attrs[] = { IFLA_IFNAME, IFLA_MTU, IFLA_MIN_MTU, IFLA_MAX_MTU, IFLA_CARRIER, IFLA_ADDRESS,
				       IFLA_OPERSTATE, IFLA_PHYS_PORT_NAME, IFLA_PARENT_DEV_NAME,
				       IFLA_PARENT_DEV_BUS_NAME, IFLA_MASTER, IFLA_LINK, 0 };

static void links(struct talker *t, const char *what)
{
	ask_begin(&t->ask, RTM_GETLINK, NLM_F_DUMP, &(struct ifinfomsg){ 0 }, sizeof(struct ifinfomsg));
	ask_u32(&t->ask, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	ask(t, what, NETLINK_ROUTE, sizeof(struct ifinfomsg), link_attrs);
}

static void set_link(struct talker *t, const char *what, int index, const char *name, size_t len, uint32_t mtu)
{
	ask_begin(&t->ask, RTM_SETLINK, NLM_F_ACK, &(struct ifinfomsg){ .ifi_index = index }, sizeof(struct ifinfomsg));
	if (name)
		ask_str(&t->ask, IFLA_IFNAME, name);
	ask_attr(&t->ask, IFLA_MTU, &mtu, len);
	ask(t, what, NETLINK_ROUTE, 0, NULL);
}

static void rtnl(struct talker *t)
{
	links(t, "links");
	set_link(t, "mtu 9000 by name", 0, "nic0", 4, 9000);
	set_link(t, "mtu 9000 by name again", 0, "nic0", 4, 9000);
	set_link(t, "mtu 4200 by number", 3, NULL, 4, 4200);
	set_link(t, "mtu 9979", 0, "nic0", 4, 9979);
	set_link(t, "mtu 67", 0, "nic0", 4, 67);
	set_link(t, "mtu of no interface", 0, "nic9", 4, 1500);
	set_link(t, "mtu of nothing", 0, NULL, 4, 1500);
	set_link(t, "mtu of number 99", 99, NULL, 4, 1500);
	set_link(t, "mtu of two bytes", 0, "nic0", 2, 1500);
	set_link(t, "mtu of a name that is too long", 0, "abcdefghijklmnop", 4, 1500);
	links(t, "links");
}

/* --- generic netlink --- */

static void genl_ask(struct talker *t, const char *what, const uint16_t *only)
{
	ask(t, what, NETLINK_GENERIC, sizeof(struct genlmsghdr), only);
}

static void ctrl(struct talker *t)
{
	t->devlink = ask_family(&t->ask, t->k, "devlink");
	t->ethtool = ask_family(&t->ask, t->k, "ethtool");
	ask_genl(&t->ask, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	ask_str(&t->ask, CTRL_ATTR_FAMILY_NAME, "nothing");
	genl_ask(t, "family nothing", NULL);
	ask_genl(&t->ask, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	genl_ask(t, "family without a name", NULL);
}

static void handle(struct talker *t, const char *dev)
{
	ask_str(&t->ask, DEVLINK_ATTR_BUS_NAME, "pci");
	ask_str(&t->ask, DEVLINK_ATTR_DEV_NAME, dev);
}

static void devlink_gets(struct talker *t)
{
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_INFO_GET, NLM_F_DUMP);
	genl_ask(t, "INFO_GET dump", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_INFO_GET, 0);
	handle(t, "0002:03:00.0");
	genl_ask(t, "INFO_GET", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_INFO_GET, 0);
	genl_ask(t, "INFO_GET of nothing", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_INFO_GET, 0);
	handle(t, "0009:03:00.0");
	genl_ask(t, "INFO_GET of no device", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_GET, NLM_F_DUMP);
	genl_ask(t, "PARAM_GET dump", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_GET, 0);
	handle(t, "0001:03:00.0");
	ask_str(&t->ask, DEVLINK_ATTR_PARAM_NAME, "enable_roce");
	genl_ask(t, "PARAM_GET enable_roce", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_GET, 0);
	handle(t, "0001:03:00.0");
	ask_str(&t->ask, DEVLINK_ATTR_PARAM_NAME, "nothing");
	genl_ask(t, "PARAM_GET nothing", NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_GET, 0);
	handle(t, "0001:03:00.0");
	genl_ask(t, "PARAM_GET without a name", NULL);
}

static void param_set(struct talker *t, const char *what, const char *name, int type, int cmode, const char *data, size_t len)
{
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_SET, NLM_F_ACK);
	handle(t, "0001:03:00.0");
	if (name)
		ask_str(&t->ask, DEVLINK_ATTR_PARAM_NAME, name);
	if (type >= 0)
		ask_u8(&t->ask, DEVLINK_ATTR_PARAM_TYPE, (uint8_t)type);
	if (cmode >= 0)
		ask_u8(&t->ask, DEVLINK_ATTR_PARAM_VALUE_CMODE, (uint8_t)cmode);
	if (data)
		ask_attr(&t->ask, DEVLINK_ATTR_PARAM_VALUE_DATA, data, len);
	genl_ask(t, what, NULL);
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_PARAM_GET, NLM_F_DUMP);
	genl_ask(t, "PARAM_GET dump", NULL);
}

static void reload(struct talker *t, const char *what, const char *dev, int action)
{
	ask_genl(&t->ask, t->devlink, DEVLINK_CMD_RELOAD, NLM_F_ACK);
	if (dev)
		handle(t, dev);
	if (action >= 0)
		ask_u8(&t->ask, DEVLINK_ATTR_RELOAD_ACTION, (uint8_t)action);
	genl_ask(t, what, (const uint16_t[]){ DEVLINK_ATTR_BUS_NAME, DEVLINK_ATTR_DEV_NAME,
					      DEVLINK_ATTR_RELOAD_ACTIONS_PERFORMED, 0 });
}

static void devlink_sets(struct talker *t)
{
	param_set(t, "PARAM_SET without a name", NULL, 6, 1, "", 0);
	param_set(t, "PARAM_SET nothing", "nothing", 6, 1, "", 0);
	param_set(t, "PARAM_SET without a type", "enable_roce", -1, 1, "", 0);
	param_set(t, "PARAM_SET of a wrong type", "enable_roce", 3, 1, "", 0);
	param_set(t, "PARAM_SET without a cmode", "enable_roce", 6, -1, "", 0);
	param_set(t, "PARAM_SET runtime", "enable_roce", 6, 0, "", 0);
	param_set(t, "PARAM_SET of a boolean with a value", "enable_roce", 6, 1, "\1", 1);
	param_set(t, "enable_roce false", "enable_roce", 6, 1, NULL, 0);
	reload(t, "RELOAD of nothing", NULL, -1);
	reload(t, "RELOAD of no device", "0009:03:00.0", -1);
	reload(t, "RELOAD fw_activate", "0001:03:00.0", 2);
	reload(t, "RELOAD", "0001:03:00.0", -1);
}

static void pause_get(struct talker *t, const char *what, uint16_t flags, uint16_t type, const char *name, uint32_t index)
{
	size_t at;

	ask_genl(&t->ask, t->ethtool, ETHTOOL_MSG_PAUSE_GET, flags);
	if (type) {
		at = ask_nest(&t->ask, type);
		if (index)
			ask_u32(&t->ask, ETHTOOL_A_HEADER_DEV_INDEX, index);
		if (name)
			ask_str(&t->ask, ETHTOOL_A_HEADER_DEV_NAME, name);
		ask_nest_end(&t->ask, at);
	}
	genl_ask(t, what, NULL);
}

static void pause_set(struct talker *t, const char *what, int autoneg, int rx, int tx, size_t len)
{
	const uint8_t v[3][4] = { { (uint8_t)autoneg }, { (uint8_t)rx }, { (uint8_t)tx } };
	size_t at;

	ask_genl(&t->ask, t->ethtool, ETHTOOL_MSG_PAUSE_SET, NLM_F_ACK);
	at = ask_nest(&t->ask, ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED);
	ask_str(&t->ask, ETHTOOL_A_HEADER_DEV_NAME, "nic0");
	ask_nest_end(&t->ask, at);
	if (autoneg >= 0)
		ask_attr(&t->ask, ETHTOOL_A_PAUSE_AUTONEG, v[0], len);
	if (rx >= 0)
		ask_attr(&t->ask, ETHTOOL_A_PAUSE_RX, v[1], len);
	if (tx >= 0)
		ask_attr(&t->ask, ETHTOOL_A_PAUSE_TX, v[2], len);
	genl_ask(t, what, NULL);
	pause_get(t, "PAUSE_GET dump", NLM_F_DUMP, 1 | NLA_F_NESTED, NULL, 0);
	dcb_get(t);
}

static void ethtool(struct talker *t)
{
	size_t at;

	pause_get(t, "PAUSE_GET dump", NLM_F_DUMP, 1 | NLA_F_NESTED, NULL, 0);
	pause_get(t, "PAUSE_GET dump without a header", NLM_F_DUMP, 0, NULL, 0);
	pause_get(t, "PAUSE_GET", 0, 1 | NLA_F_NESTED, "nic1", 0);
	pause_get(t, "PAUSE_GET by number", 0, 1 | NLA_F_NESTED, NULL, 3);
	pause_get(t, "PAUSE_GET with an old nest", 0, 1, "nic1", 0);
	pause_get(t, "PAUSE_GET of nothing", 0, 1 | NLA_F_NESTED, NULL, 0);
	pause_get(t, "PAUSE_GET without a header", 0, 0, NULL, 0);
	pause_get(t, "PAUSE_GET of no interface", 0, 1 | NLA_F_NESTED, "nic9", 0);
	pause_get(t, "PAUSE_GET of number 99", 0, 1 | NLA_F_NESTED, NULL, 99);
	pause_get(t, "PAUSE_GET of two", 0, 1 | NLA_F_NESTED, "nic0", 3);
	pause_get(t, "PAUSE_GET lo", 0, 1 | NLA_F_NESTED, "lo", 0);
	pause_get(t, "PAUSE_GET with an unknown attribute", 0, 77 | NLA_F_NESTED, "nic0", 0);
	pause_set(t, "pause autoneg", 1, -1, -1, 1);
	pause_set(t, "pause of four bytes", -1, 1, 1, 4);
	pause_set(t, "pause as it is", 0, 0, 0, 1);
	pause_set(t, "pause rx", -1, 1, -1, 1);
	ask_genl(&t->ask, t->ethtool, ETHTOOL_MSG_LINKMODES_GET, NLM_F_DUMP);
	at = ask_nest(&t->ask, 1 | NLA_F_NESTED);
	ask_nest_end(&t->ask, at);
	genl_ask(t, "LINKMODES_GET dump", (const uint16_t[]){ ETHTOOL_A_LINKMODES_HEADER, ETHTOOL_A_LINKMODES_SPEED, 0 });
}

/* --- RDMA --- */

static void nldev(struct talker *t, const char *what, unsigned cmd, uint16_t flags, int dev, int port, const uint16_t *only)
{
	ask_begin(&t->ask, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags, NULL, 0);
	if (dev >= 0)
		ask_u32(&t->ask, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)dev);
	if (port >= 0)
		ask_u32(&t->ask, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port);
	ask(t, what, NETLINK_RDMA, 0, only);
}

static void rdma(struct talker *t)
{
	static const uint16_t dev[] = { RDMA_NLDEV_ATTR_DEV_INDEX, RDMA_NLDEV_ATTR_DEV_NAME, RDMA_NLDEV_ATTR_PORT_INDEX,
					RDMA_NLDEV_ATTR_FW_VERSION, RDMA_NLDEV_ATTR_NODE_GUID,
					RDMA_NLDEV_ATTR_DEV_NODE_TYPE, RDMA_NLDEV_ATTR_DEV_PROTOCOL, 0 };
	static const uint16_t port[] = { RDMA_NLDEV_ATTR_DEV_NAME, RDMA_NLDEV_ATTR_PORT_INDEX, RDMA_NLDEV_ATTR_PORT_STATE,
					 RDMA_NLDEV_ATTR_PORT_PHYS_STATE, RDMA_NLDEV_ATTR_NDEV_INDEX,
					 RDMA_NLDEV_ATTR_NDEV_NAME, 0 };

	nldev(t, "nldev GET dump", RDMA_NLDEV_CMD_GET, NLM_F_DUMP, -1, -1, dev);
	nldev(t, "nldev GET", RDMA_NLDEV_CMD_GET, 0, 1, -1, dev);
	nldev(t, "nldev GET of nothing", RDMA_NLDEV_CMD_GET, 0, -1, -1, dev);
	nldev(t, "nldev GET of device 99", RDMA_NLDEV_CMD_GET, 0, 99, -1, dev);
	nldev(t, "nldev PORT_GET", RDMA_NLDEV_CMD_PORT_GET, 0, 1, 1, port);
	nldev(t, "nldev PORT_GET of no port", RDMA_NLDEV_CMD_PORT_GET, 0, 1, 2, port);
	nldev(t, "nldev PORT_GET without a port", RDMA_NLDEV_CMD_PORT_GET, 0, 1, -1, port);
	nldev(t, "nldev PORT_GET dump", RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP, 1, -1, port);
	nldev(t, "nldev PORT_GET dump of nothing", RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP, -1, -1, port);
	nldev(t, "nldev RES_CTX_GET dump", RDMA_NLDEV_CMD_RES_CTX_GET, NLM_F_DUMP, 1, -1, NULL);
	nldev(t, "nldev RES_QP_GET dump", RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP, 1, -1, NULL);
	nldev(t, "nldev RES_CM_ID_GET dump", RDMA_NLDEV_CMD_RES_CM_ID_GET, NLM_F_DUMP, 1, -1, NULL);
	nldev(t, "nldev RES_CTX_GET dump of device 99", RDMA_NLDEV_CMD_RES_CTX_GET, NLM_F_DUMP, 99, -1, NULL);
	nldev(t, "nldev RES_QP_GET dump of nothing", RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP, -1, -1, NULL);
	nldev(t, "nldev SYS_GET", RDMA_NLDEV_CMD_SYS_GET, 0, -1, -1, (const uint16_t[]){ RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0 });
}

void transcript(struct kernel *k, struct text *out)
{
	struct talker t = { .k = k, .out = out };

	ctrl(&t);
	transcript_reads(k, out);
	links(&t, "links");
	rdma(&t);
	dcb_get(&t);
	dcb_refusals(&t);
	dcb_ets(&t);
	dcb_pfc(&t);
	dcb_app(&t);
	ethtool(&t);
	dcb_dcbx(&t);
	rtnl(&t);
	transcript_writes(k, out);
	devlink_gets(&t);
	devlink_sets(&t);
	dcb_get(&t);
	links(&t, "links after the reload");
	rdma(&t);
	transcript_reads(k, out);
	text_done(&t.ask.request);
}
