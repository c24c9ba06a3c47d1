/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCB netlink, IEEE flavour: RTM_GETDCB and RTM_SETDCB with struct dcbmsg. A set is answered by one message that
 * holds a status byte where the value stood; NLMSG_ERROR comes only for what never reached the driver. Numbers that
 * 6.1 headers lack are private names here, and no table is as long as a header's MAX.
 */
#include "kernel/dcbnl.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/kernel.h"
#include "kernel/netlink.h"

#define APP_TYPE_IEEE	1	/* DCB_ATTR_IEEE_APP */
#define APP_TYPE_DCB	2	/* DCB_ATTR_DCB_APP, from 6.2: selectors outside IEEE */
#define SELECTOR_DSCP	5	/* the last one of IEEE's */
#define APPS_MAX	(sizeof(((struct dcb *)0)->app) / sizeof(struct dcb_app))

static int take_apps(const struct nlattr *table, struct dcb *dcb)
{
	const struct nlattr *a;

	if (netlink_nest(table, NULL, 0) < 0)
		return -EBADMSG;
	mnl_attr_for_each_nested(a, table) {
		unsigned type = mnl_attr_get_type(a);

		if (type != APP_TYPE_IEEE && type != APP_TYPE_DCB)
			continue;
		if (dcb->napps == APPS_MAX)
			return -EFBIG;
		if (!netlink_copy(a, &dcb->app[dcb->napps], sizeof(dcb->app[0])))
			return -EBADMSG;
		dcb->napps++;
	}
	return 0;
}

/* Payloads are aligned to 4 bytes only and may grow: copied, of at least the size we know. */
static int take_struct(const struct nlattr *a, void *to, size_t n, bool *has)
{
	*has = a != NULL;
	return !a || netlink_copy(a, to, n) ? 0 : -EBADMSG;
}

static int take_ieee(const struct nlattr *ieee, struct dcb *dcb)
{
	const struct nlattr *tb[DCB_ATTR_DCB_BUFFER + 1];

	if (netlink_nest(ieee, tb, DCB_ATTR_DCB_BUFFER + 1) < 0 ||
	    take_struct(tb[DCB_ATTR_IEEE_ETS], &dcb->ets, sizeof(dcb->ets), &dcb->has_ets) < 0 ||
	    take_struct(tb[DCB_ATTR_IEEE_PFC], &dcb->pfc, sizeof(dcb->pfc), &dcb->has_pfc) < 0 ||
	    take_struct(tb[DCB_ATTR_IEEE_MAXRATE], &dcb->maxrate, sizeof(dcb->maxrate), &dcb->has_maxrate) < 0 ||
	    take_struct(tb[DCB_ATTR_DCB_BUFFER], &dcb->buffer, sizeof(dcb->buffer), &dcb->has_buffer) < 0)
		return -EBADMSG;
	return tb[DCB_ATTR_IEEE_APP_TABLE] ? take_apps(tb[DCB_ATTR_IEEE_APP_TABLE], dcb) : 0;
}

static int message_attrs(const struct nlmsghdr *n, uint8_t *cmd, const struct nlattr **tb)
{
	struct dcbmsg m;

	if (netlink_payload(n, sizeof(m), tb, DCB_ATTR_DCBX + 1) < 0)
		return -EBADMSG;
	memcpy(&m, mnl_nlmsg_get_payload(n), sizeof(m));
	*cmd = m.cmd;
	return 0;
}

static int decode_message(const struct nlmsghdr *n, struct dcb *dcb, char ifname[IFNAMSIZ])
{
	const struct nlattr *tb[DCB_ATTR_DCBX + 1];
	uint8_t cmd;
	int r;

	if (n->nlmsg_type != RTM_GETDCB || message_attrs(n, &cmd, tb) < 0 || cmd != DCB_CMD_IEEE_GET)
		return -EBADMSG;
	memset(dcb, 0, offsetof(struct dcb, app));
	if (!tb[DCB_ATTR_IFNAME] || mnl_attr_get_payload_len(tb[DCB_ATTR_IFNAME]) > IFNAMSIZ)
		return -EBADMSG;
	if (ifname)
		snprintf(ifname, IFNAMSIZ, "%.*s", (int)mnl_attr_get_payload_len(tb[DCB_ATTR_IFNAME]),
			 (const char *)mnl_attr_get_payload(tb[DCB_ATTR_IFNAME]));
	r = take_struct(tb[DCB_ATTR_DCBX], &dcb->dcbx, sizeof(dcb->dcbx), &dcb->has_dcbx);
	if (r == 0 && tb[DCB_ATTR_IEEE])
		r = take_ieee(tb[DCB_ATTR_IEEE], dcb);
	return r;
}

int dcbnl_decode(const void *reply, size_t n, struct dcb *dcb, char ifname[16])
{
	const struct nlmsghdr *h = reply;
	struct nlmsgerr e;

	if (n < sizeof(*h) || h->nlmsg_len < sizeof(*h) || h->nlmsg_len > n)
		return -EBADMSG;
	if (h->nlmsg_type != NLMSG_ERROR)
		return decode_message(h, dcb, ifname);
	if (mnl_nlmsg_get_payload_len(h) < sizeof(e))
		return -EBADMSG;
	memcpy(&e, mnl_nlmsg_get_payload(h), sizeof(e));
	return e.error < 0 && e.error >= -4095 ? e.error : -EBADMSG;
}

static int on_get(const struct nlmsghdr *n, void *arg)
{
	return decode_message(n, arg, NULL);
}

static struct nlmsghdr *begin(struct netlink_request *r, uint16_t type, uint8_t cmd, const char *ifname)
{
	struct nlmsghdr *h = netlink_begin(r, type, 0);
	struct dcbmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->cmd = cmd;
	mnl_attr_put_strz(h, DCB_ATTR_IFNAME, ifname);
	return h;
}

struct kept {
	int err;
	const struct dcb *dcb;
};

static int get(struct kernel *k, const char *ifname, const struct dcb **out)
{
	struct netlink_request r;
	struct dcb dcb;
	int err;

	memset(&dcb, 0, offsetof(struct dcb, app));
	err = netlink_get(k, NETLINK_ROUTE, begin(&r, RTM_GETDCB, DCB_CMD_IEEE_GET, ifname), on_get, &dcb);
	if (err < 0)
		return err;
	*out = arena_grow(k->arena, &dcb, offsetof(struct dcb, app) + dcb.napps * sizeof(dcb.app[0]), 0, 1);
	return 0;
}

int dcbnl_get(struct kernel *k, const char *ifname, const struct dcb **dcb)
{
	char key[IFNAMSIZ + 8];
	struct kept *kept;
	void **slot;

	if (!*ifname || strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	snprintf(key, sizeof(key), "dcb:%s", ifname);
	slot = kernel_memo(k, key);
	if (!*slot) {
		*slot = kept = arena_new_of(k->arena, struct kept);
		kept->err = get(k, ifname, &kept->dcb);
	}
	kept = *slot;
	if (kept->err == 0)
		*dcb = kept->dcb;
	return kept->err;
}

struct verdict {
	uint8_t cmd;
	uint16_t attr;			/* where the status stands */
	bool came;
	int8_t status;
};

static int on_set(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[DCB_ATTR_DCBX + 1];
	struct verdict *v = arg;
	uint8_t cmd;

	if (n->nlmsg_type != RTM_SETDCB || message_attrs(n, &cmd, tb) < 0 || cmd != v->cmd || !tb[v->attr])
		return -EBADMSG;
	v->came = netlink_copy(tb[v->attr], &v->status, sizeof(v->status));
	return v->came ? 0 : -EBADMSG;
}

/* The status byte as an errno; *means where errno's own words would mislead. */
static int status_errno(const struct verdict *v, const char **means)
{
	if (v->cmd == DCB_CMD_SDCBX) {
		*means = "the driver refuses this DCBX mode, or has it already (status 1)";
		return v->status ? -EINVAL : 0;
	}
	if (v->status != -ENOMEM)
		return v->status < 0 ? v->status : 0; /* above 0: ice's own numbers; the read-back decides */
	/* the kernel's own 524 cut down to eight bits looks the same as ENOMEM */
	*means = "status 244: the driver does not support it (ENOTSUPP, cut to a byte), or a buffer is too small (ENOMEM)";
	return -ENOMEM;
}

static int set(struct kernel *k, const char *ifname, const struct nlmsghdr *h, struct verdict *v, const char *what,
	       const char *message, struct diags *d)
{
	const char *means = NULL;
	int r = netlink_set(k, NETLINK_ROUTE, h, on_set, v);

	if (r == 0)
		r = v->came ? status_errno(v, &means) : -EBADMSG;
	if (r == 0 || !means) {
		netlink_tell(k, d, r, ifname, message, "set %s", what);
	} else {
		diag_error(d, NULL, "cannot set %s: %s", what, means);
		diag_object(d, "%s", ifname);
	}
	if (r == -EINVAL || r == -ENOMEM || r == -EIO || r == -EBUSY)
		diag_hint(d, "%s carries no reason; the driver's own words are in the kernel log (dmesg)", message);
	return r;
}

/* One part of IEEE_SET, whole. */
static int set_ieee(struct kernel *k, const char *ifname, uint16_t attr, const void *value, size_t n, const char *what,
		    const char *message, struct diags *d)
{
	struct verdict v = { .cmd = DCB_CMD_IEEE_SET, .attr = DCB_ATTR_IEEE };
	struct netlink_request r;
	struct nlmsghdr *h;
	struct nlattr *nest;

	if (strlen(ifname) >= IFNAMSIZ)
		return netlink_tell(k, d, -ENODEV, ifname, message, "set %s", what);
	h = begin(&r, RTM_SETDCB, DCB_CMD_IEEE_SET, ifname);
	nest = mnl_attr_nest_start(h, DCB_ATTR_IEEE);
	mnl_attr_put(h, attr, n, value);
	mnl_attr_nest_end(h, nest);
	return set(k, ifname, h, &v, what, message, d);
}

int dcbnl_set_ets(struct kernel *k, const char *ifname, const struct ieee_ets *ets, struct diags *d)
{
	return set_ieee(k, ifname, DCB_ATTR_IEEE_ETS, ets, sizeof(*ets), "ETS", "IEEE_SET ETS", d);
}

int dcbnl_set_pfc(struct kernel *k, const char *ifname, const struct ieee_pfc *pfc, struct diags *d)
{
	return set_ieee(k, ifname, DCB_ATTR_IEEE_PFC, pfc, sizeof(*pfc), "PFC", "IEEE_SET PFC", d);
}

int dcbnl_set_buffer(struct kernel *k, const char *ifname, const struct dcbnl_buffer *b, struct diags *d)
{
	return set_ieee(k, ifname, DCB_ATTR_DCB_BUFFER, b, sizeof(*b), "buffers", "IEEE_SET BUFFER", d);
}

int dcbnl_set_maxrate(struct kernel *k, const char *ifname, const struct ieee_maxrate *m, struct diags *d)
{
	return set_ieee(k, ifname, DCB_ATTR_IEEE_MAXRATE, m, sizeof(*m), "rate limits", "IEEE_SET MAXRATE", d);
}

int dcbnl_set_dcbx(struct kernel *k, const char *ifname, uint8_t mode, struct diags *d)
{
	struct verdict v = { .cmd = DCB_CMD_SDCBX, .attr = DCB_ATTR_DCBX };
	struct netlink_request r;
	struct nlmsghdr *h;

	if (strlen(ifname) >= IFNAMSIZ)
		return netlink_tell(k, d, -ENODEV, ifname, "SDCBX", "set the DCBX mode");
	h = begin(&r, RTM_SETDCB, DCB_CMD_SDCBX, ifname);
	mnl_attr_put_u8(h, DCB_ATTR_DCBX, mode);
	return set(k, ifname, h, &v, "the DCBX mode", "SDCBX", d);
}

static int change_apps(struct kernel *k, const char *ifname, uint8_t cmd, const struct dcb_app *app, size_t n,
		       const char *message, struct diags *d)
{
	struct verdict v = { .cmd = cmd, .attr = DCB_ATTR_IEEE };
	struct netlink_request r;
	struct nlmsghdr *h;
	struct nlattr *ieee, *table;

	if (strlen(ifname) >= IFNAMSIZ || n > APPS_MAX)
		return netlink_tell(k, d, n > APPS_MAX ? -E2BIG : -ENODEV, ifname, message, "change APP entries");
	h = begin(&r, RTM_SETDCB, cmd, ifname);
	ieee = mnl_attr_nest_start(h, DCB_ATTR_IEEE);
	table = mnl_attr_nest_start(h, DCB_ATTR_IEEE_APP_TABLE);
	for (size_t i = 0; i < n; i++)
		mnl_attr_put(h, app[i].selector > SELECTOR_DSCP ? APP_TYPE_DCB : APP_TYPE_IEEE, sizeof(*app), &app[i]);
	mnl_attr_nest_end(h, table);
	mnl_attr_nest_end(h, ieee);
	return set(k, ifname, h, &v, "APP entries", message, d);
}

int dcbnl_add_apps(struct kernel *k, const char *ifname, const struct dcb_app *app, size_t n, struct diags *d)
{
	return change_apps(k, ifname, DCB_CMD_IEEE_SET, app, n, "IEEE_SET APP", d);
}

int dcbnl_del_apps(struct kernel *k, const char *ifname, const struct dcb_app *app, size_t n, struct diags *d)
{
	return change_apps(k, ifname, DCB_CMD_IEEE_DEL, app, n, "IEEE_DEL APP", d);
}
