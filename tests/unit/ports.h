/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One port in memory, for units of port settings: its DCB, pause, MTU, devlink parameter and a few files behind the
 * doors, without any driver's manners but what a test switches on. Sets are stored and written into a log, one line
 * each, so that a test sees what was sent, in which order. The engine, the settings and the vendors are the product's.
 */
#ifndef TESTS_UNIT_PORTS_H
#define TESTS_UNIT_PORTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/dcbnl.h>
#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "engine/engine.h"
#include "fabric/fabric.h"
#include "kernel/dcbnl.h"
#include "kernel/devlink.h"
#include "kernel/kernel.h"
#include "model/targets.h"
#include "model/vendor.h"

#define SETTING(name) extern const struct setting setting_##name;
#include "settings/list.h"
#undef SETTING
#define VENDOR(name) extern const struct vendor vendor_##name;
#include "vendors/list.h"
#undef VENDOR

enum { IFINDEX = 7, VLAN_IFINDEX = 8, FAM_DEVLINK = 0x20, FAM_ETHTOOL = 0x21 };

struct bench {
	struct arena *a;
	struct diags d;
	struct kernel k;
	struct kernel_ops ops;
	struct text log;

	/* the machine */
	bool gone;			/* the netdev */
	struct dcb dcb;
	int dcb_err;			/* IEEE_GET fails with it */
	bool adds_second;		/* bnxt: an APP entry does not replace another of its DSCP */
	uint8_t ets_is, pfc_is;		/* what a set of ETS, PFC answers in its status byte */
	bool pfc_clears_pause;		/* mlx5 */
	bool ignores;			/* accepts sets and keeps what it has */
	bool no_pause, pause_rx, pause_tx;
	bool has_agent, agent;		/* ice: its private flag fw-lldp-agent, and is it on */
	int pause_err;			/* PAUSE_GET fails with it */
	uint32_t mtu, min_mtu, max_mtu, vlan_mtu;
	unsigned bounce, down;		/* a PFC set takes the carrier away for this many looks; that are left */
	bool devlink, has_param[DEVLINK_CMODES], param[DEVLINK_CMODES];
	int talk_err;			/* -ENODATA: no netlink at all, as below --root */
	struct { char path[160], text[160]; int err; } file[64];
	unsigned nfiles;
	int write_err;			/* the next write to a file fails with it */

	/* the product */
	struct port port;
	struct facts facts;
	struct desired desired;
	struct wish wish[8];
	const struct target *target[4];
	const struct setting *setting[16];
	struct catalog catalog;
	struct run run;
	struct outcome out;
	struct plan *plan;
};

static inline struct bench *bench_of(struct kernel *k)
{
	return k->self;
}

/* --- netlink ------------------------------------------------------------------ */

struct answer {
	struct text *reply;
	char buf[8192];
	struct nlmsghdr *h;
};

static inline void answer_begin(struct answer *a, uint16_t type, uint16_t flags)
{
	memset(a->buf, 0, sizeof(a->buf));
	a->h = mnl_nlmsg_put_header(a->buf);
	a->h->nlmsg_type = type;
	a->h->nlmsg_flags = flags;
}

static inline void answer_end(struct answer *a)
{
	text_addn(a->reply, a->h, a->h->nlmsg_len);
}

static inline int answer_error(struct text *reply, int err)
{
	struct answer a = { .reply = reply };
	struct nlmsgerr *e;

	answer_begin(&a, NLMSG_ERROR, NLM_F_CAPPED);
	e = mnl_nlmsg_put_extra_header(a.h, sizeof(*e));
	e->error = err;
	e->msg.nlmsg_len = sizeof(e->msg);
	answer_end(&a);
	return 0;
}

static inline int answer_done(struct text *reply)
{
	struct answer a = { .reply = reply };
	int *zero;

	answer_begin(&a, NLMSG_DONE, NLM_F_MULTI);
	zero = mnl_nlmsg_put_extra_header(a.h, sizeof(*zero));
	*zero = 0;
	answer_end(&a);
	return 0;
}

static inline void dcb_begin(struct answer *a, uint16_t type, uint8_t cmd)
{
	struct dcbmsg *m;

	answer_begin(a, type, 0);
	m = mnl_nlmsg_put_extra_header(a->h, sizeof(*m));
	m->cmd = cmd;
	mnl_attr_put_strz(a->h, DCB_ATTR_IFNAME, "eth0");
}

static inline int dcb_answer(struct bench *b, struct text *reply)
{
	struct answer a = { .reply = reply };
	struct nlattr *ieee, *apps;

	if (b->dcb_err || b->gone)
		return answer_error(reply, b->gone ? -ENODEV : b->dcb_err);
	dcb_begin(&a, RTM_GETDCB, DCB_CMD_IEEE_GET);
	ieee = mnl_attr_nest_start(a.h, DCB_ATTR_IEEE);
	if (b->dcb.has_ets)
		mnl_attr_put(a.h, DCB_ATTR_IEEE_ETS, sizeof(b->dcb.ets), &b->dcb.ets);
	if (b->dcb.has_pfc)
		mnl_attr_put(a.h, DCB_ATTR_IEEE_PFC, sizeof(b->dcb.pfc), &b->dcb.pfc);
	if (b->dcb.has_buffer)
		mnl_attr_put(a.h, DCB_ATTR_DCB_BUFFER, sizeof(b->dcb.buffer), &b->dcb.buffer);
	apps = mnl_attr_nest_start(a.h, DCB_ATTR_IEEE_APP_TABLE);
	for (size_t i = 0; i < b->dcb.napps; i++)
		mnl_attr_put(a.h, DCB_ATTR_IEEE_APP, sizeof(b->dcb.app[i]), &b->dcb.app[i]);
	mnl_attr_nest_end(a.h, apps);
	mnl_attr_nest_end(a.h, ieee);
	if (b->dcb.has_dcbx)
		mnl_attr_put_u8(a.h, DCB_ATTR_DCBX, b->dcb.dcbx);
	answer_end(&a);
	return 0;
}

static inline int app_find(const struct bench *b, const struct dcb_app *app, bool any_priority)
{
	for (size_t i = 0; i < b->dcb.napps; i++) {
		const struct dcb_app *at = &b->dcb.app[i];

		if (at->selector == app->selector && at->protocol == app->protocol &&
		    (any_priority || at->priority == app->priority))
			return (int)i;
	}
	return -1;
}

static inline uint8_t app_set(struct bench *b, const struct dcb_app *app, bool del)
{
	int at = app_find(b, app, !del && !b->adds_second);

	text_printf(&b->log, "%s%u:%u ", del ? "-" : "+", app->protocol, app->priority);
	if (b->ignores)
		return 0;
	if (del) {
		if (at < 0)
			return (uint8_t)-ENOENT;
		b->dcb.app[at] = b->dcb.app[--b->dcb.napps];
		return 0;
	}
	if (at >= 0 && b->adds_second)
		return (uint8_t)-EEXIST;
	b->dcb.app[at >= 0 ? (size_t)at : b->dcb.napps++] = *app;
	return 0;
}

/* "buffer 131072 98304 at 1": sizes but for those of no bytes at the end, and where priority 3 is; cells of 128 */
static inline void buffer_set(struct bench *b, const void *payload)
{
	struct dcbnl_buffer to;

	memcpy(&to, payload, sizeof(to));
	text_add(&b->log, "buffer ");
	for (unsigned i = 0; i < DCBX_MAX_BUFFERS && to.buffer_size[i]; i++)
		text_printf(&b->log, "%u ", to.buffer_size[i]);
	text_printf(&b->log, "at %u ", to.prio2buffer[3]);
	for (unsigned i = 0; i < DCBX_MAX_BUFFERS; i++)
		to.buffer_size[i] -= to.buffer_size[i] % 128;
	to.total_size = b->dcb.buffer.total_size;
	if (!b->ignores)
		b->dcb.buffer = to;
}

static inline uint8_t ieee_set(struct bench *b, const struct nlattr *ieee, bool del)
{
	struct nlattr *at, *app;
	uint8_t status = 0;

	mnl_attr_for_each_nested(at, ieee) {
		switch (mnl_attr_get_type(at)) {
		case DCB_ATTR_IEEE_ETS:
			text_add(&b->log, "ets ");
			status = b->ets_is;
			if (!status && !b->ignores)
				memcpy(&b->dcb.ets, mnl_attr_get_payload(at), sizeof(b->dcb.ets));
			break;
		case DCB_ATTR_DCB_BUFFER:
			buffer_set(b, mnl_attr_get_payload(at));
			break;
		case DCB_ATTR_IEEE_PFC:
			text_add(&b->log, "pfc ");
			status = b->pfc_is;
			if (!status && !b->ignores)
				memcpy(&b->dcb.pfc, mnl_attr_get_payload(at), sizeof(b->dcb.pfc));
			b->down = status ? 0 : b->bounce;
			if (!status && b->pfc_clears_pause)
				b->pause_rx = b->pause_tx = false;
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			mnl_attr_for_each_nested(app, at) {
				struct dcb_app one;

				memcpy(&one, mnl_attr_get_payload(app), sizeof(one));
				if (!status)
					status = app_set(b, &one, del);
			}
			break;
		}
	}
	text_add(&b->log, "\n");
	return status;
}

static inline int dcb_talk(struct bench *b, const struct nlmsghdr *n, struct text *reply)
{
	const struct dcbmsg *m = mnl_nlmsg_get_payload(n);
	struct answer a = { .reply = reply };
	struct nlattr *at;
	uint8_t status = 0;

	if (m->cmd == DCB_CMD_IEEE_GET)
		return dcb_answer(b, reply);
	if (b->gone)
		return answer_error(reply, -ENODEV);
	mnl_attr_for_each(at, n, sizeof(*m))
		if (mnl_attr_get_type(at) == DCB_ATTR_IEEE)
			status = ieee_set(b, at, m->cmd == DCB_CMD_IEEE_DEL);
	dcb_begin(&a, RTM_SETDCB, m->cmd);
	mnl_attr_put_u8(a.h, DCB_ATTR_IEEE, status);
	answer_end(&a);
	return 0;
}

static inline void link_answer(struct bench *b, struct text *reply, uint32_t ifindex, const char *ifname, uint32_t mtu,
			       uint32_t lower)
{
	struct answer a = { .reply = reply };
	struct ifinfomsg *m;
	struct nlattr *info;

	answer_begin(&a, RTM_NEWLINK, NLM_F_MULTI);
	m = mnl_nlmsg_put_extra_header(a.h, sizeof(*m));
	m->ifi_index = (int)ifindex;
	m->ifi_flags = IFF_UP;
	mnl_attr_put_strz(a.h, IFLA_IFNAME, ifname);
	mnl_attr_put_u32(a.h, IFLA_MTU, mtu);
	mnl_attr_put_u32(a.h, IFLA_MIN_MTU, b->min_mtu);
	mnl_attr_put_u32(a.h, IFLA_MAX_MTU, b->max_mtu);
	mnl_attr_put_u8(a.h, IFLA_CARRIER, b->down == 0);
	b->down -= b->down > 0;
	if (lower) {
		mnl_attr_put_u32(a.h, IFLA_LINK, lower);
		info = mnl_attr_nest_start(a.h, IFLA_LINKINFO);
		mnl_attr_put_strz(a.h, IFLA_INFO_KIND, "vlan");
		mnl_attr_nest_end(a.h, info);
	}
	answer_end(&a);
}

static inline int link_talk(struct bench *b, const struct nlmsghdr *n, struct text *reply)
{
	struct nlattr *at;
	uint32_t mtu = 0;

	if (n->nlmsg_type == RTM_GETLINK) {
		if (!b->gone)
			link_answer(b, reply, IFINDEX, "eth0", b->mtu, 0);
		if (b->vlan_mtu)
			link_answer(b, reply, VLAN_IFINDEX, "eth0.100", b->vlan_mtu, IFINDEX);
		return answer_done(reply);
	}
	mnl_attr_for_each(at, n, sizeof(struct ifinfomsg))
		if (mnl_attr_get_type(at) == IFLA_MTU)
			mtu = mnl_attr_get_u32(at);
	text_printf(&b->log, "mtu %u\n", mtu);
	if (b->gone || mtu < b->min_mtu || (b->max_mtu && mtu > b->max_mtu))
		return answer_error(reply, b->gone ? -ENODEV : -EINVAL);
	if (!b->ignores)
		b->mtu = mtu;
	return answer_error(reply, 0);
}

static inline int family_talk(struct bench *b, const struct nlmsghdr *n, struct text *reply)
{
	struct answer a = { .reply = reply };
	struct genlmsghdr *g;
	const char *name = "";
	struct nlattr *at;

	mnl_attr_for_each(at, n, sizeof(*g))
		if (mnl_attr_get_type(at) == CTRL_ATTR_FAMILY_NAME)
			name = mnl_attr_get_str(at);
	if (!strcmp(name, "devlink") && !b->devlink)
		return answer_error(reply, -ENOENT);
	answer_begin(&a, GENL_ID_CTRL, 0);
	g = mnl_nlmsg_put_extra_header(a.h, sizeof(*g));
	g->cmd = CTRL_CMD_NEWFAMILY;
	mnl_attr_put_strz(a.h, CTRL_ATTR_FAMILY_NAME, name);
	mnl_attr_put_u16(a.h, CTRL_ATTR_FAMILY_ID, !strcmp(name, "devlink") ? FAM_DEVLINK : FAM_ETHTOOL);
	answer_end(&a);
	return 0;
}

static inline int flags_answer(struct bench *b, struct text *reply)
{
	static const char *const names[] = { "link-down-on-close", "fw-lldp-agent" };
	struct answer a = { .reply = reply };
	struct nlattr *at, *bits, *bit;
	struct genlmsghdr *g;

	if (!b->has_agent)
		return answer_done(reply);
	answer_begin(&a, FAM_ETHTOOL, NLM_F_MULTI);
	g = mnl_nlmsg_put_extra_header(a.h, sizeof(*g));
	g->cmd = ETHTOOL_MSG_PRIVFLAGS_GET_REPLY;
	at = mnl_attr_nest_start(a.h, ETHTOOL_A_PRIVFLAGS_HEADER);
	mnl_attr_put_u32(a.h, ETHTOOL_A_HEADER_DEV_INDEX, IFINDEX);
	mnl_attr_nest_end(a.h, at);
	at = mnl_attr_nest_start(a.h, ETHTOOL_A_PRIVFLAGS_FLAGS);
	bits = mnl_attr_nest_start(a.h, ETHTOOL_A_BITSET_BITS);
	for (unsigned i = 0; i < 2; i++) {
		bit = mnl_attr_nest_start(a.h, ETHTOOL_A_BITSET_BITS_BIT);
		mnl_attr_put_u32(a.h, ETHTOOL_A_BITSET_BIT_INDEX, i);
		mnl_attr_put_strz(a.h, ETHTOOL_A_BITSET_BIT_NAME, names[i]);
		if (i == 1 && b->agent)
			mnl_attr_put(a.h, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL);
		mnl_attr_nest_end(a.h, bit);
	}
	mnl_attr_nest_end(a.h, bits);
	mnl_attr_nest_end(a.h, at);
	answer_end(&a);
	return answer_done(reply);
}

static inline int pause_talk(struct bench *b, const struct nlmsghdr *n, struct text *reply)
{
	const struct genlmsghdr *in = mnl_nlmsg_get_payload(n);
	struct answer a = { .reply = reply };
	struct genlmsghdr *g;
	struct nlattr *at;

	if (in->cmd == ETHTOOL_MSG_PRIVFLAGS_GET)
		return flags_answer(b, reply);
	if (in->cmd == ETHTOOL_MSG_PAUSE_GET && b->pause_err)
		return answer_error(reply, b->pause_err);
	if (in->cmd == ETHTOOL_MSG_PAUSE_GET) {
		if (b->no_pause || b->gone)
			return answer_done(reply);
		answer_begin(&a, FAM_ETHTOOL, NLM_F_MULTI);
		g = mnl_nlmsg_put_extra_header(a.h, sizeof(*g));
		g->cmd = ETHTOOL_MSG_PAUSE_GET_REPLY;
		at = mnl_attr_nest_start(a.h, ETHTOOL_A_PAUSE_HEADER);
		mnl_attr_put_u32(a.h, ETHTOOL_A_HEADER_DEV_INDEX, IFINDEX);
		mnl_attr_nest_end(a.h, at);
		mnl_attr_put_u8(a.h, ETHTOOL_A_PAUSE_AUTONEG, 0);
		mnl_attr_put_u8(a.h, ETHTOOL_A_PAUSE_RX, b->pause_rx);
		mnl_attr_put_u8(a.h, ETHTOOL_A_PAUSE_TX, b->pause_tx);
		answer_end(&a);
		return answer_done(reply);
	}
	mnl_attr_for_each(at, n, sizeof(*g)) {
		if (mnl_attr_get_type(at) == ETHTOOL_A_PAUSE_RX && !b->ignores)
			b->pause_rx = mnl_attr_get_u8(at);
		if (mnl_attr_get_type(at) == ETHTOOL_A_PAUSE_TX && !b->ignores)
			b->pause_tx = mnl_attr_get_u8(at);
	}
	text_printf(&b->log, "pause %d %d\n", b->pause_rx, b->pause_tx);
	return answer_error(reply, 0);
}

static inline void param_answer(struct bench *b, struct answer *a)
{
	struct nlattr *param, *list, *value;
	struct genlmsghdr *g;

	answer_begin(a, FAM_DEVLINK, NLM_F_MULTI);
	g = mnl_nlmsg_put_extra_header(a->h, sizeof(*g));
	g->cmd = DEVLINK_CMD_PARAM_GET;
	mnl_attr_put_strz(a->h, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(a->h, DEVLINK_ATTR_DEV_NAME, "0000:03:00.0");
	param = mnl_attr_nest_start(a->h, DEVLINK_ATTR_PARAM);
	mnl_attr_put_strz(a->h, DEVLINK_ATTR_PARAM_NAME, "enable_roce");
	mnl_attr_put_u8(a->h, DEVLINK_ATTR_PARAM_TYPE, 6);
	list = mnl_attr_nest_start(a->h, DEVLINK_ATTR_PARAM_VALUES_LIST);
	for (uint8_t i = 0; i < DEVLINK_CMODES; i++) {
		if (!b->has_param[i])
			continue;
		value = mnl_attr_nest_start(a->h, DEVLINK_ATTR_PARAM_VALUE);
		mnl_attr_put_u8(a->h, DEVLINK_ATTR_PARAM_VALUE_CMODE, i);
		if (b->param[i])
			mnl_attr_put(a->h, DEVLINK_ATTR_PARAM_VALUE_DATA, 0, NULL);
		mnl_attr_nest_end(a->h, value);
	}
	mnl_attr_nest_end(a->h, list);
	mnl_attr_nest_end(a->h, param);
	answer_end(a);
}

static inline void runs(struct bench *b, bool on)
{
	b->port.ibdev = on ? "mlx5_0" : "";
	b->port.protocol = on ? "roce" : "";
	b->port.ibport = on ? 1 : 0;
}

static inline int devlink_talk(struct bench *b, const struct nlmsghdr *n, struct text *reply)
{
	const struct genlmsghdr *in = mnl_nlmsg_get_payload(n);
	struct answer a = { .reply = reply };
	uint8_t cmode = 0;
	bool value = false;
	struct nlattr *at;

	if (in->cmd == DEVLINK_CMD_PARAM_GET) {
		if (b->has_param[0] || b->has_param[1] || b->has_param[2])
			param_answer(b, &a);
		return answer_done(reply);
	}
	mnl_attr_for_each(at, n, sizeof(*in)) {
		if (mnl_attr_get_type(at) == DEVLINK_ATTR_PARAM_VALUE_CMODE)
			cmode = mnl_attr_get_u8(at);
		if (mnl_attr_get_type(at) == DEVLINK_ATTR_PARAM_VALUE_DATA)
			value = true;
	}
	if (in->cmd == DEVLINK_CMD_PARAM_SET) {
		text_printf(&b->log, "enable_roce %d %s\n", cmode, value ? "true" : "false");
		b->param[cmode] = value;
		if (cmode == DEVLINK_PARAM_CMODE_RUNTIME)
			runs(b, value);
	} else {
		text_add(&b->log, "reload\n");
		runs(b, b->param[DEVLINK_PARAM_CMODE_DRIVERINIT]);
	}
	return answer_error(reply, 0);
}

static inline int bench_talk(struct kernel *k, int protocol, const void *request, size_t size, struct text *reply)
{
	struct bench *b = bench_of(k);
	const struct nlmsghdr *n = request;

	(void)size;
	if (b->talk_err)
		return b->talk_err;
	if (protocol == NETLINK_ROUTE && (n->nlmsg_type == RTM_GETDCB || n->nlmsg_type == RTM_SETDCB))
		return dcb_talk(b, n, reply);
	if (protocol == NETLINK_ROUTE)
		return link_talk(b, n, reply);
	if (n->nlmsg_type == GENL_ID_CTRL)
		return family_talk(b, n, reply);
	return n->nlmsg_type == FAM_ETHTOOL ? pause_talk(b, n, reply) : devlink_talk(b, n, reply);
}

/* --- files -------------------------------------------------------------------- */

static inline int file_at(const struct bench *b, const char *path)
{
	for (unsigned i = 0; i < b->nfiles; i++)
		if (!strcmp(b->file[i].path, path))
			return (int)i;
	return -1;
}

static inline void put(struct bench *b, const char *path, const char *text)
{
	int at = file_at(b, path);

	if (at < 0)
		at = (int)b->nfiles++;
	assert_true(b->nfiles <= sizeof(b->file) / sizeof(b->file[0]));
	snprintf(b->file[at].path, sizeof(b->file[at].path), "%s", path);
	snprintf(b->file[at].text, sizeof(b->file[at].text), "%s", text);
	b->file[at].err = 0;
}

static inline void put_err(struct bench *b, const char *path, int err)
{
	put(b, path, "");
	b->file[file_at(b, path)].err = -err;
}

static inline const char *text_of(const struct bench *b, const char *path)
{
	int at = file_at(b, path);

	return at < 0 ? "(no file)" : b->file[at].text;
}

static inline int bench_read_file(struct kernel *k, const char *path, struct text *out)
{
	struct bench *b = bench_of(k);
	int at = file_at(b, path);

	if (at < 0)
		return -ENOENT;
	if (b->file[at].err)
		return b->file[at].err;
	text_add(out, b->file[at].text);
	return 0;
}

/* No links, and nothing to list but files that lie in the folder itself. */
static inline int bench_link(struct kernel *k, const char *path, struct text *out)
{
	(void)out;
	return file_at(bench_of(k), path) < 0 ? -ENOENT : -EINVAL;
}

static inline int bench_list(struct kernel *k, const char *path, struct names *out)
{
	struct bench *b = bench_of(k);
	const char **at = arena_array_of(b->a, const char *, b->nfiles + 1);
	size_t n = strlen(path);

	*out = (struct names){ .at = at };
	for (unsigned i = 0; i < b->nfiles; i++)
		if (!strncmp(b->file[i].path, path, n) && b->file[i].path[n] == '/' && !strchr(b->file[i].path + n + 1, '/'))
			at[out->n++] = b->file[i].path + n + 1;
	return out->n ? 0 : -ENOENT;
}

/* A directory exists if a file is below it. */
static inline int bench_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	struct bench *b = bench_of(k);
	size_t n = strlen(path);

	*st = (struct kernel_stat){ 0 };
	for (unsigned i = 0; i < b->nfiles; i++)
		if (!strncmp(b->file[i].path, path, n) && (b->file[i].path[n] == '/' || !b->file[i].path[n]))
			return 0;
	return -ENOENT;
}

static inline int bench_write_file(struct kernel *k, const char *path, const char *s, size_t n)
{
	struct bench *b = bench_of(k);
	int at = file_at(b, path);

	text_printf(&b->log, "%s = %.*s", strrchr(path, '/') + 1, (int)n, s);
	if (!n || s[n - 1] != '\n')
		text_add(&b->log, "\n");
	if (at < 0)
		return -ENOENT;
	if (b->write_err) {
		int r = b->write_err;

		b->write_err = 0;
		return r;
	}
	if (!b->ignores)
		snprintf(b->file[at].text, sizeof(b->file[at].text), "%.*s", (int)n, s);
	return 0;
}

static inline int bench_mkdir(struct kernel *k, const char *path)
{
	(void)k;
	(void)path;
	return -ENOENT;
}

/* --- a bench -------------------------------------------------------------------- */

static inline int renew(struct run *run, struct diags *d)
{
	(void)d;
	kernel_renew(run->kernel);
	return 0;
}

static inline void bench_vendor(struct bench *b, const struct vendor *v)
{
	static const enum scope scopes[] = { SCOPE_WIRE, SCOPE_NETDEV, SCOPE_RDMA_PORT };

	b->port.vendor = v;
	for (int i = 0; i < 3; i++) {
		struct target *t = target_of_port(b->a, &b->facts, &b->port, scopes[i], "g");

		if (t)
			t->vendor = v;
		b->target[i] = t;
	}
	for (size_t i = 0; i < b->desired.n; i++)
		for (int j = 0; j < 3; j++)
			if (b->target[j] && b->target[j]->scope == b->wish[i].setting->scope)
				b->wish[i].target = b->target[j];
}

static inline struct bench *bench_open(const struct vendor *v)
{
	struct arena *a = arena_new();
	struct bench *b = arena_new_of(a, struct bench);

	b->a = a;
	diags_init(&b->d, a);
	b->ops = (struct kernel_ops){ .read = bench_read_file, .stat = bench_stat, .list = bench_list, .link = bench_link,
				      .write = bench_write_file, .mkdir = bench_mkdir, .talk = bench_talk };
	b->k = (struct kernel){ .ops = &b->ops, .self = b, .arena = a, .kind = "fake" };
	b->dcb.has_ets = b->dcb.has_pfc = b->dcb.has_dcbx = true;
	b->dcb.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	b->dcb.ets.ets_cap = b->dcb.pfc.pfc_cap = 8;
	for (unsigned i = 0; i < 8; i++)
		b->dcb.ets.prio_tc[i] = (uint8_t)i;
	b->mtu = 1500;
	b->min_mtu = 68;
	b->max_mtu = 9978;
	b->devlink = b->has_param[DEVLINK_PARAM_CMODE_DRIVERINIT] = b->param[DEVLINK_PARAM_CMODE_DRIVERINIT] = true;
	b->port = (struct port){ .name = "eth0", .ifname = "eth0", .ifindex = IFINDEX, .master = "", .ibdev = "mlx5_0",
				 .ibport = 1, .protocol = "roce", .node_desc = "", .fw_version = "", .board = "",
				 .bdf = "0000:03:00.0", .pci_path = "", .driver = "mlx5_core", .physfn = "",
				 .link_layer = LINK_LAYER_ETHERNET, .function = FUNCTION_PF, .vendor = v };
	b->facts = (struct facts){ .hostname = "node", .kernel = "", .observed_at = "", .boot_id = "", .rdma = true,
				   .port = &b->port, .nports = 1 };
	bench_vendor(b, v);
	b->setting[0] = &setting_roce;
	b->setting[1] = &setting_mtu;
	b->setting[2] = &setting_pause;
	b->setting[3] = &setting_ets;
	b->setting[4] = &setting_pfc;
	b->setting[5] = &setting_dscp;
	b->setting[6] = &setting_ecn;
	b->setting[7] = &setting_cm;
	b->catalog = (struct catalog){ .setting = b->setting, .nsettings = 8 };
	b->desired = (struct desired){.node = "node",
				      .policy_file = "",
				      .revision = "",
				      .policy_digest = "",
				      .digest = "",
				      .wish = b->wish,
				      .target = b->target,
				      .ntargets = 3};
	b->run = (struct run){ .kernel = &b->k, .arena = a, .catalog = &b->catalog, .facts = &b->facts,
			       .desired = &b->desired, .consent = { IMPACT_RELOAD, IMPACT_RELOAD, false }, .want_rows = true, .renew = renew };
	return b;
}

static inline void bench_close(struct bench *b)
{
	text_done(&b->log);
	arena_free(b->a);
}

static inline const struct target *target_for(const struct bench *b, const struct setting *s)
{
	for (size_t i = 0; i < 3; i++)
		if (b->target[i] && b->target[i]->scope == s->scope)
			return b->target[i];
	return NULL;
}

/* The wish for a setting, made at its first use; each cell stands at line 1 of a policy. */
static inline struct record *want(struct bench *b, const struct setting *s)
{
	for (size_t i = 0; i < b->desired.n; i++)
		if (b->wish[i].setting == s)
			return (struct record *)(uintptr_t)b->wish[i].want;
	b->wish[b->desired.n++] = (struct wish){.target = target_for(b, s), .setting = s, .want = record_new(b->a, s)};
	return (struct record *)(uintptr_t)b->wish[b->desired.n - 1].want;
}

static inline void want_num(struct bench *b, const struct setting *s, unsigned field, int64_t num)
{
	cell_set_num(&want(b, s)->at[field], num);
}

/* "0-63:0 26:3" in order; shares as numbers, or 101 for strict */
static inline void map_of(const char *text, uint8_t *map, size_t n)
{
	char copy[256], *save = NULL;

	memset(map, VALUE_UNSET, n);
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		unsigned from, to, v;

		if (sscanf(one, "%u-%u:%u", &from, &to, &v) != 3) {
			assert_int_equal(sscanf(one, "%u:%u", &from, &v), 2);
			to = from;
		}
		for (unsigned i = from; i <= to; i++)
			map[i] = (uint8_t)v;
	}
}

static inline void want_map(struct bench *b, const struct setting *s, unsigned field, const char *text)
{
	uint8_t map[64];
	size_t n = s->fields[field].span ? s->fields[field].span : 8;

	map_of(text, map, n);
	cell_set_map(&want(b, s)->at[field], b->a, map, n);
}

static inline void clear_log(struct bench *b)
{
	text_reset(&b->log);
}

/* What a setting is read as, every field, by whoever serves it. */
static inline struct record *look(struct bench *b, const struct setting *s)
{
	kernel_renew(&b->k);
	return observe_setting(&b->run, target_for(b, s), s, &b->d);
}

static inline const char *shown(struct bench *b, const struct record *r, unsigned field)
{
	TEXT_CLEANUP struct text t = { 0 };
	const struct cell *c = &r->at[field];

	if (c->state != CELL_VALUE)
		return c->state == CELL_REASON ? reason_name(c->reason) : "silent";
	value_print(c->field, &c->value, &t);
	return arena_strdup(b->a, text_str(&t));
}

static inline struct plan *planned(struct bench *b)
{
	kernel_renew(&b->k);
	assert_int_equal(plan_build(&b->run, &b->plan, &b->d), 0);
	plan_outcome(&b->run, b->plan, false, &b->out);
	return b->plan;
}

/* The only change of a plan, refused or not. */
static inline const struct change *the_change(struct bench *b)
{
	struct plan *p = planned(b);

	assert_int_equal(p->n + p->nrefused, 1);
	return p->change[0];
}

static inline int applied(struct bench *b)
{
	clear_log(b);
	kernel_renew(&b->k);
	return apply_run(&b->run, &b->out, &b->d);
}

static inline const struct row *row_of(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->out.nrows; i++)
		if (!strcmp(b->out.row[i].name, name))
			return &b->out.row[i];
	return NULL;
}

static inline const char *told(struct bench *b)
{
	TEXT_CLEANUP struct text t = { 0 };

	diags_print(&b->d, false, &t);
	return arena_strdup(b->a, text_str(&t));
}

#define assert_has(haystack, needle) \
	do { \
		const char *hay_ = (haystack), *needle_ = (needle); \
		if (!hay_ || !strstr(hay_, needle_)) \
			fail_msg("\"%s\" is not in \"%s\"", needle_, hay_ ? hay_ : "(null)"); \
	} while (0)

#define assert_log(b, expected) assert_string_equal(text_str(&(b)->log), expected)

/* --- fabrics ---------------------------------------------------------------------- */

/* rdma: priority 3, DSCP 26, lossless, 60 %; cnp: 6, DSCP 48, strict; default: 0, 40 % */
static inline struct fabric *fabric_of(struct bench *b)
{
	struct fabric *f = arena_new_of(b->a, struct fabric);

	f->name = "backend";
	f->mtu = 9000;
	f->n = 3;
	f->at = arena_array_of(b->a, struct traffic_class, f->n);
	f->at[0] = (struct traffic_class){.name = "rdma",
					  .priority = 3,
					  .tc = 3,
					  .dscp = UINT64_C(1) << 26,
					  .lossless = true,
					  .bandwidth_percent = 60};
	f->at[1] = (struct traffic_class){.name = "cnp",
					  .priority = 6,
					  .tc = 6,
					  .dscp = UINT64_C(1) << 48,
					  .strict = true,
					  .bandwidth_percent = -1};
	f->at[2] = (struct traffic_class){ .name = "default", .dscp = ~(UINT64_C(1) << 26 | UINT64_C(1) << 48),
					   .bandwidth_percent = 40 };
	return f;
}

static inline int derive(struct bench *b, const struct setting *s, const struct fabric *f)
{
	struct record *r = want(b, s);
	const struct wishes w = { .target = target_for(b, s), .fabric = f, .record = &r, .n = 1, .arena = b->a };

	return s->derive(&w, r, &b->d);
}

static inline void want_fabric(struct bench *b, const struct setting *s, unsigned field)
{
	want(b, s)->at[field].state = CELL_FABRIC;
}

static inline int setup_mlx5(void **state)
{
	*state = bench_open(&vendor_mlx5);
	return 0;
}

static inline int setup_other(void **state)
{
	*state = bench_open(&vendor_other);
	return 0;
}

static inline int teardown(void **state)
{
	bench_close(*state);
	return 0;
}

#define test_on(name, setup) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
